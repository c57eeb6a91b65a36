#!/bin/sh
# scale.sh -- condenses generated graphs of 10^4 to 10^7 nodes: time, memory, growth.
#
#   bench/scale.sh BONSAI [LARGEST]
#
# 10 entries per node, 32 dense features, 0.5 % of the bytes.  The last line is the
# least-squares slope of log(seconds) against log(nodes) over the table: 1 is
# linear.  The largest graph takes 2 GB of disk.
#
# SPDX-License-Identifier: MIT
set -eu
bonsai=${1:?usage: bench/scale.sh BONSAI [LARGEST]}
largest=${2:-10000000}
room=$(mktemp -d "${TMPDIR-/tmp}/bonsai-scale-XXXXXX")
trap 'rm -rf "$room"' EXIT
number() { sed -n "s/.*\"$1\": *\([-0-9.e+]*\).*/\1/p" "$room/report" | head -n 1; }

printf '%10s %12s %9s %8s %8s %8s %9s %8s %9s\n' \
    nodes entries total_s wl_s knn_s cover_s spars_s peak_MB us/node
for n in 10000 31623 100000 316228 1000000 3162278 10000000; do
    [ "$n" -le "$largest" ] || continue
    "$bonsai" generate -q -o "$room/g.bonsai" --nodes $n --degree 10 --dense --features 32 --no-linear >"$room/made"
    "$bonsai" condense -q "$room/g.bonsai" -o "$room/s.bonsai" --ratio 0.005 --json >"$room/report"
    printf '%10d %12d %9.3f %8.3f %8.3f %8.3f %9.3f %8.0f %9.2f\n' "$n" "$(number full_edges)" \
        "$(number total)" "$(number wl)" "$(number knn)" "$(number cover)" "$(number sparsify)" \
        "$(number peak_rss_bytes | awk '{print $1 / 1e6}')" \
        "$(number total | awk -v n=$n '{print 1e6 * $1 / n}')"
    echo "$n $(number total)" >>"$room/points"
done
awk '{ x = log($1); y = log($2); n++; sx += x; sy += y; sxx += x * x; sxy += x * y }
     END { if (n > 1) printf "growth exponent %.3f\n", (n * sxy - sx * sy) / (n * sxx - sx * sx) }' "$room/points"
