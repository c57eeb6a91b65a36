#!/bin/sh
# growth.sh -- condenses generated graphs of 10^4 to 10^7 nodes by each method: seconds, memory,
# growth.
#
#   bench/growth.sh BONSAI
#
# 10 entries per node; 32 dense features, or 10 of 1000 words; 0.5 % of the bytes.  The line below
# each table is the least-squares slope of log(seconds) against log(nodes), of wall seconds and of
# CPU seconds: 1 is linear.  CPU seconds tell more on a busy machine.  In the environment:
#
#   LARGEST   nodes of the largest graph (10000000: 2 GB of disk)
#   KINDS     of features (dense sparse)
#   METHODS   (trees prototypes auto)
#
# SPDX-License-Identifier: MIT
set -eu
bonsai=${1:?usage: bench/growth.sh BONSAI}
largest=${LARGEST-10000000}
room=$(mktemp -d "${TMPDIR-/tmp}/bonsai-growth-XXXXXX")
trap 'rm -rf "$room"' EXIT
number() { sed -n "s/.*\"$1\": *\([-0-9.e+]*\).*/\1/p" "$room/report" | head -n 1; }
seconds() {
    sed -n '/"seconds"/,/}/p' "$room/report" | sed -n "s/.*\"$1\": *\([-0-9.e+]*\).*/\1/p"
}
stages="measure wl knn cover sparsify cluster fit probe finish"

# Runs a command and writes its CPU seconds, of all threads, to $room/cpu.
with_cpu() {
    ("$@" && times) >"$room/both"
    sed '/^{/,/^}/!d' "$room/both" >"$room/report"
    tail -n 1 "$room/both" | tr 'ms' '  ' |
        awk '{ printf "%.3f\n", 60 * $1 + $2 + 60 * $3 + $4 }' >"$room/cpu"
}

row() {
    printf '%10d %9.3f %8s' "$1" "$(seconds total)" "$(cat "$room/cpu")"
    for s in $stages; do printf ' %8.3f' "$(seconds "$s")"; done
    number peak_rss_bytes | awk '{ printf " %8.0f", $1 / 1e6 }'
    seconds total | awk -v n="$1" '{ printf " %8.2f\n", 1e6 * $1 / n }'
}

slope() {
    awk -v c="$2" '{ x = log($1); y = log($c); n++; sx += x; sy += y; sxx += x * x; sxy += x * y }
        END { if (n > 1) printf "%.3f", (n * sxy - sx * sy) / (n * sxx - sx * sx) }' "$1"
}

for kind in ${KINDS-dense sparse}; do
    case $kind in
    dense) shape="--dense --features 32" ;;
    *) shape="--features 1000 --words 10" ;;
    esac
    for n in 10000 31623 100000 316228 1000000 3162278 10000000; do
        [ "$n" -le "$largest" ] || continue
        # shellcheck disable=SC2086
        "$bonsai" generate -q -o "$room/g.bonsai" --nodes $n --degree 10 $shape --no-linear \
            >"$room/made"
        for method in ${METHODS-trees prototypes auto}; do
            with_cpu "$bonsai" condense -q "$room/g.bonsai" -o "$room/s.bonsai" --ratio 0.005 \
                --method "$method" --json
            row "$n" >>"$room/$kind-$method"
        done
    done
    for method in ${METHODS-trees prototypes auto}; do
        echo "$kind $method"
        printf '%10s %9s %8s' nodes total_s cpu_s
        # shellcheck disable=SC2086
        printf ' %8s' $stages peak_MB us/node
        echo
        cat "$room/$kind-$method"
        echo "growth exponent $(slope "$room/$kind-$method" 2)," \
            "of CPU seconds $(slope "$room/$kind-$method" 3)"
    done
done
