#!/bin/sh
# run_scale.sh BUILD -- graphs larger than the memory allowed, and the price of that.
#
# 1. A graph of 1 million nodes that fits both ways: in memory and out of core, the same bytes,
#    and the ratio of the times.
# 2. 20 million nodes, 200 million edges, 128 features (11 GB) under 3 GiB of private memory, which
#    the system enforces (ulimit -d).  Skipped, and said so, where less than 40 GB are free in
#    SCALE_DIR (TMPDIR, or /var/tmp).  SCALE_NODES makes it smaller.
#
# SPDX-License-Identifier: MIT
set -eu
bonsai=$(cd "$1" && pwd)/bonsai
dir=${SCALE_DIR-${TMPDIR-/var/tmp}}
nodes=${SCALE_NODES-20000000}
room=$(mktemp -d "$dir/bonsai-scale-XXXXXX")
trap 'rm -rf "$room"' EXIT
trap 'exit 1' INT TERM
export TMPDIR="$room"
limit=$((3 * 1024 * 1024 * 1024))

field() { tr -d " \n" <"$1" | grep -o "\"$2\":[0-9.]*" | head -n 1 | sed "s/.*://"; }
# condense GRAPH SMALL LIMIT JSON: with LIMIT 0 as much memory as there is
condense() {
    if [ "$3" = 0 ]; then
        "$bonsai" condense "$1" -o "$2" --ratio 0.001 -q --json >"$4"
    else
        (ulimit -d $(($3 / 1024)) && exec "$bonsai" condense "$1" -o "$2" --ratio 0.001 -q --memory "$3" --json) >"$4"
    fi
}
show() {    # title, JSON
    printf '%-34s %8.1f s, %5.2f GB in memory, %5.2f GB in scratch files, %s columns at a time\n' "$1" \
        "$(field "$2" total)" "$(field "$2" held | awk '{print $1 / 1e9}')" \
        "$(field "$2" scratch | awk '{print $1 / 1e9}')" "$(field "$2" columns)"
}

echo "1 million nodes, 10 million edges, 128 features"
"$bonsai" generate --nodes 1000000 --degree 10 --dense --features 128 --no-linear -q -o "$room/m.bonsai" >/dev/null
least=$("$bonsai" plan "$room/m.bonsai" -r 0.001 --json | tr -d ' \n' | sed 's/.*"least":\([0-9]*\).*/\1/')
condense "$room/m.bonsai" "$room/a.bonsai" 0 "$room/a.json"
show "  in memory" "$room/a.json"
condense "$room/m.bonsai" "$room/b.bonsai" $((least + 150000000)) "$room/b.json"
show "  under $(( (least + 150000000) / 1000000 )) MB" "$room/b.json"
cmp "$room/a.bonsai" "$room/b.bonsai"
echo "  the same bytes; $(echo "$(field "$room/b.json" total) $(field "$room/a.json" total)" | awk '{printf "%.2f", $1 / $2}') times as long"
rm -f "$room"/*.bonsai

free=$(df -Pk "$dir" | awk 'NR == 2 { print $4 }')
if [ "$free" -lt 40000000 ]; then
    echo "$nodes nodes: skipped, for $dir has $((free / 1000000)) GB free and 40 GB are needed"
    exit 0
fi
echo "$nodes nodes, 10 edges each, 128 features, 3 GiB of private memory at most"
"$bonsai" generate --nodes "$nodes" --degree 10 --dense --features 128 --no-linear -q -v -o "$room/g.bonsai" 2>&1 >/dev/null |
    sed -n 's/.*: \([0-9.]* s, .*\)/  generated: \1/p'
condense "$room/g.bonsai" "$room/s.bonsai" $limit "$room/g.json"
show "  condensed" "$room/g.json"
"$bonsai" check "$room/s.bonsai" >/dev/null && echo "  the small graph is sound: $(field "$room/g.json" nodes) nodes, $(field "$room/g.json" bytes) bytes"
