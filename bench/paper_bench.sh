#!/bin/sh
# paper_bench.sh -- the published code's work: seconds, memory and kept nodes.
#
#   bench/paper_bench.sh BONSAI DATA [RUNS]
#
# BONSAI is the program, DATA the folder with ind.cora.* and so on.  `condense --method published`
# runs RUNS times (5) at 0.5 %, on the shares of the published split; the best time counts.  "all"
# is the whole process with loading, "work" the same without.
#
# With PUBLISHED=DIR, a clone of the authors' repository, its main.py runs beside ours on each set, as
# often as ours, on the same machine in the same minutes; "theirs" is the best time of its whole
# process, and "ratio" is that over the whole process of ours.  Theirs also imports its libraries and
# trains, for one epoch here; the first run downloads the sets where it does not have them, so let
# there be two.  If PYTHON (python3) cannot import what it imports, that is installed with pip into an
# environment of its own (gigabytes); if that fails, it is said, and only ours is measured.
#
# SPDX-License-Identifier: MIT
set -eu
bonsai=${1:?usage: bench/paper_bench.sh BONSAI DATA [RUNS]}
data=${2:?usage: bench/paper_bench.sh BONSAI DATA [RUNS]}
runs=${3:-5}
python=${PYTHON:-python3}
modules="numpy scipy sklearn networkx torch torch_geometric torch_sparse tensorboardX tqdm"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# number KEY: prints the first number after "KEY": in the report on stdin
number() { sed -n "s/.*\"$1\": *\([-0-9.e+]*\).*/\1/p" | head -n 1; }

# least A B: prints the smaller number
least() { printf '%s\n%s\n' "$1" "$2" | sort -g | head -n 1; }

# passed SINCE: prints the seconds since then
passed() { echo "$1 $(date +%s.%N)" | awk '{ printf "%.4f", $2 - $1 }'; }

# installed: whether what the authors' code imports could be installed in $out/venv
installed() {
    "$python" -m venv "$out/venv" > "$out/pip" 2>&1 &&
        "$out/venv/bin/pip" install numpy scipy scikit-learn networkx torch torch_geometric >> "$out/pip" 2>&1 &&
        "$out/venv/bin/pip" install --no-build-isolation torch_sparse tensorboardX tqdm >> "$out/pip" 2>&1
}

# why_not: says why the authors' code cannot run; nothing where it can
why_not() {
    if [ -z "${PUBLISHED:-}" ]; then
        echo "PUBLISHED is not set: give it a clone of the authors' repository"
    elif [ ! -f "$PUBLISHED/main.py" ]; then
        echo "there is no main.py in $PUBLISHED"
    else
        for m in $modules; do
            "$python" -c "import $m" 2> /dev/null || missing="${missing:-} $m"
        done
        [ -z "${missing:-}" ] || installed || echo "$python cannot import$missing, and pip cannot install them"
    fi
}

# theirs SET: prints the seconds of one run of the authors' code; "failed" if it did
theirs() {
    since=$(date +%s.%N)
    if (cd "$PUBLISHED" && "$python" main.py --dataset "$1" --target_size_frac 0.005 \
            --nepochs 1) > "$out/theirs" 2>&1; then
        passed "$since"
    else
        tail -n 3 "$out/theirs" >&2
        echo failed
    fi
}

# one SET THEIR-NAME
one() {
    all=
    work=
    other=-
    i=0
    while [ "$i" -lt "$runs" ]; do
        since=$(date +%s.%N)
        "$bonsai" condense "$data/ind.$1" -o "$out/small.bonsai" --json --quiet \
            --method published --ratio 0.005 --split published > "$out/report"
        seconds=$(passed "$since")
        all=$(least "$seconds" "${all:-$seconds}")
        seconds=$(number total < "$out/report")
        work=$(least "$seconds" "${work:-$seconds}")
        if [ -z "$reason" ] && [ "$other" != failed ]; then
            seconds=$(theirs "$2")
            [ "$other" = - ] || [ "$seconds" = failed ] || seconds=$(least "$seconds" "$other")
            other=$seconds
        fi
        i=$((i + 1))
    done
    awk -v set="$1" -v work="$work" -v all="$all" -v other="$other" \
        -v memory="$(number peak_rss_bytes < "$out/report")" \
        -v nodes="$(number nodes < "$out/report")" \
        -v train="$(number labelled < "$out/report")" \
        -v of="$(number trees < "$out/report")" -v features="$(number features < "$out/report")" \
        'BEGIN { times = other + 0 > 0 ? sprintf("%.1f", other / all) : "-"
                 printf "%-9s %9.4f %9.4f %9s %7s %6.0f %7d %7d %7d %8d\n",
                 set, work, all, other, times, memory / 1e6, nodes, train, of, features }'
}

reason=$(why_not)
[ -z "$reason" ] || echo "only ours is measured: $reason"
[ ! -x "$out/venv/bin/python" ] || python=$out/venv/bin/python
printf '%-9s %9s %9s %9s %7s %6s %7s %7s %7s %8s\n' set work all theirs ratio MB nodes train of \
    features
one cora Cora
one citeseer CiteSeer
one pubmed PubMed
