#!/bin/sh
# quality.sh -- how much of the full graph's accuracy the small graphs of each method keep, over
# datasets, budgets and models, with several splits and draws; and where it could be better.
#
#   bench/quality.sh DIR ...
#
# A DIR has graphs (.bonsai, .npz or Planetoid's ind.NAME.*, at any depth), or is a graph of any
# format.  Each is compared by the program, and what was measured is kept in OUT: the same command
# resumes, with more methods, ratios, models, splits, draws or graphs too.  Without a DIR nothing is
# measured, and OUT is read again.  bench/quality.py, which needs python3 alone, prints the tables
# and says what they mean.  In the environment:
#
#   BONSAI    the program (build/release/bonsai)
#   OUT       the folder of results (quality): NAME.jsonl, one line a cell; NAME.log; quality.json
#   RATIOS    of the bytes (0.005,0.01,0.03,0.1)
#   METHODS   (auto,prototypes,trees,random,herding,kcenter)
#   MODELS    (gcn,gat,gin,sage)
#   SPLITS, DRAWS, SEEDS   splits, small graphs of each, and runs on each (3, 3, 1)
#   OPTIONS   further options of bonsai compare, such as "--epochs 100"
#   JOBS      graphs at a time, the largest first (1)
#   THREADS   of each; every one works on a small graph of its own (0: every core)
#   AGAIN     methods whose cells are dropped and measured again, after a change of the program
#   ONLY      names of the graphs that the tables show (all)
#   METRIC    that the tables show: accuracy, balanced, f1 or auc (accuracy)
#   HELD      names of graphs that no decision was taken by: their means are shown apart
#
# SPDX-License-Identifier: MIT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${BONSAI:=$here/../build/release/bonsai}" "${OUT:=quality}" "${JOBS:=1}"
export BONSAI OUT JOBS

name_of() {         # PATH: "cora" of ind.cora, cora.npz and cora.bonsai
    name=$(basename "$1")
    name=${name#ind.}
    name=${name%.npz}
    echo "${name%.bonsai}"
}

measure() {         # PATH
    name=$(name_of "$1")
    start=$(date +%s)
    [ -z "${AGAIN-}" ] || python3 -B "$here/quality.py" --drop "$AGAIN" "$OUT/$name.jsonl"
    # shellcheck disable=SC2086
    "$BONSAI" compare "$1" -o "$OUT/$name.jsonl" --side-by-side -t "${THREADS:-0}" \
        --ratios "${RATIOS:-0.005,0.01,0.03,0.1}" \
        --methods "${METHODS:-auto,prototypes,trees,random,herding,kcenter}" \
        --models "${MODELS:-gcn,gat,gin,sage}" --split 60/20/20 --splits "${SPLITS:-3}" --draws "${DRAWS:-3}" \
        --seeds "${SEEDS:-1}" ${OPTIONS-} -q >"$OUT/$name.log" 2>&1 &&
        echo "$name: $(($(date +%s) - start)) s" >&2 ||
        echo "$name: $(tail -n 1 "$OUT/$name.log")" >&2
}

if [ "${1-}" = --one ]; then
    measure "$2"
    exit 0
fi
for dir in "$@"; do
    [ -e "$dir" ] || [ -e "$dir.x" ] || { echo "bench/quality.sh: $dir is not there" >&2; exit 1; }
done
mkdir -p "$OUT"
if [ $# -gt 0 ]; then
    command -v "$BONSAI" >/dev/null ||
        { echo "bench/quality.sh: $BONSAI is not there" >&2; exit 1; }
    for dir in "$@"; do
        if [ -d "$dir" ]; then
            find -L "$dir" \( -name '*.bonsai' -o -name '*.npz' -o -name 'ind.*.x' \) \
                -printf '%s\t%p\n'
        else
            printf '0\t%s\n' "$dir"
        fi
    done | sort -rn | cut -f 2- | sed 's|\(ind\.[^/]*\)\.x$|\1|' >"$OUT/graphs.txt"
    twice=$(while IFS= read -r path; do name_of "$path"; done <"$OUT/graphs.txt" | sort | uniq -d)
    [ -z "$twice" ] || { echo "bench/quality.sh: two graphs are named" $twice >&2; exit 1; }
    tr '\n' '\0' <"$OUT/graphs.txt" | xargs -0 -r -n 1 -P "$JOBS" sh "$0" --one
fi
exec python3 -B "$here/quality.py" "$OUT"
