#!/bin/sh
# run_bench.sh BUILD [DATA] -- times the kernels, then the program from file to file.
#
# Every figure is next to a limit or a peer measured in the same run.  DATA is a folder
# with npz/fb100_top10_year.npz (default: ../shared/data); without it that part is
# skipped with a message.  BENCH_NODES limits the largest generated graph.
#
# SPDX-License-Identifier: MIT
set -eu
build=$(cd "$1" && pwd)
data=${2-../shared/data}
largest=${BENCH_NODES-10000000}
room=$(mktemp -d "${TMPDIR-/tmp}/bonsai-bench-XXXXXX")
trap 'rm -rf "$room"' EXIT

# timed COMMAND...: prints its wall seconds, CPU seconds and peak memory in MB, as "w c m".
timed() {
    "$@" -q -v >/dev/null 2>"$room/err" || { cat "$room/err" >&2; exit 1; }
    sed -n 's/.*: \([0-9.]*\) s, \([0-9.]*\) s CPU, \([0-9.]* [MG]B\) peak memory.*/\1 \2 \3/p' "$room/err" |
        awk '{ print $1, $2, $4 == "GB" ? 1000 * $3 : $3 }' | tail -n 1
}

echo "Kernels (best, median and spread of 16 runs)"
"$build/bench" 2>"$room/bench.json"
echo
echo "Generating and checking, 10 entries a node"
printf '%10s %12s %11s %8s %11s %9s %9s\n' nodes entries generate_s peak_MB ns/entry check_s peak_MB
for n in 10000 100000 1000000 10000000; do
    [ "$n" -le "$largest" ] || continue
    set -- $(timed "$build/bonsai" generate -o "$room/g.bonsai" --nodes $n --degree 10 --no-linear)
    w=$1 m=$3
    entries=$("$build/bonsai" check "$room/g.bonsai" --json | tr -d '\n' | sed 's/.*"edges": *\([0-9]*\).*/\1/')
    set -- $(timed "$build/bonsai" check "$room/g.bonsai")
    printf '%10d %12d %11s %8s %11.0f %9s %9s\n' "$n" "$entries" "$w" "$m" \
        "$(echo "$w $entries" | awk '{print $1 * 1e9 / $2}')" "$1" "$3"
done
rm -f "$room/g.bonsai"
echo
if [ -f "$data/npz/fb100_top10_year.npz" ]; then
    echo "fb100_top10_year: 212,224 nodes, 15,148,942 entries"
    npz=$data/npz/fb100_top10_year.npz
    for i in 1 2 3; do
        set -- $(timed "$build/bonsai" convert "$npz" "$room/fb.bonsai")
        echo "npz to native          $1 s, $2 s CPU, $3 MB peak"
    done
    set -- $(timed "$build/bonsai" check "$room/fb.bonsai")
    echo "check of the native    $1 s, $2 s CPU, $3 MB peak"
    "$build/bench" --open "$room/fb.bonsai" 2>>"$room/bench.json"
else
    echo "fb100_top10_year: skipped, $data/npz is not there"
fi
