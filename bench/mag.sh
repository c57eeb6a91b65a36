#!/bin/sh
# mag.sh BUILD -- converts a generated folder in MAG240M's layout, under a limit of private memory.
#
# NODES (10^7), EDGES (10^8) and FEATURES (128, halves) give its size; it lies in SCALE_DIR (TMPDIR,
# or /var/tmp) and is deleted at the end.  LIMIT (2,000,000,000 bytes of private memory) is enforced
# by the system (ulimit -d).  Prints seconds, CPU seconds, the largest private memory that was seen,
# and MB/s of what is read, beside a plain copy of the same bytes.  PYTHON needs numpy.
#
# SPDX-License-Identifier: MIT
set -eu
bonsai=$(cd "$1" && pwd)/bonsai
here=$(cd "$(dirname "$0")" && pwd)
nodes=${NODES-10000000} edges=${EDGES-100000000} features=${FEATURES-128}
limit=${LIMIT-2000000000}
room=$(mktemp -d "${SCALE_DIR-${TMPDIR-/var/tmp}}/bonsai-mag-XXXXXX")
trap 'rm -rf "$room"' EXIT
trap 'exit 1' INT TERM
export TMPDIR="$room"

# Seconds of the clock since the machine started.
now() { cut -d ' ' -f 1 /proc/uptime; }
bytes() { du -sb "$1" | cut -f 1; }
# Runs a command under the limit; prints its seconds, CPU seconds, and the most private memory.
watch() {
    title=$1 moved=$2
    shift 2
    start=$(now)
    (ulimit -d $((limit / 1024)) && exec "$@") >"$room/out" &
    pid=$! most=0 cpu=0
    while [ -r /proc/$pid/status ] && kill -0 $pid 2>/dev/null; do
        kb=$(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' /proc/$pid/status 2>/dev/null || true)
        [ "${kb:-0}" -le "$most" ] || most=$kb
        t=$(cut -d ' ' -f 14,15 /proc/$pid/stat 2>/dev/null || true)
        [ -z "$t" ] || cpu=$t
        sleep 0.1
    done
    wait $pid
    echo "$title $start $(now) $moved $most $cpu" | awk -v hz="$(getconf CLK_TCK)" '{
        s = $3 - $2
        printf "  %-22s %7.1f s, %7.1f s of processors, %5.2f GB private, %6.0f MB/s\n", $1, s,
            ($6 + $7) / hz, $5 * 1024 / 1e9, $4 / s / 1e6 }'
}

echo "$nodes papers, $edges citations, $features features; private memory at most $limit bytes"
"${PYTHON-python3}" "$here/mag_folder.py" "$room/mag" "$nodes" "$edges" "$features"
in=$(bytes "$room/mag")
watch copy "$in" cp -r "$room/mag" "$room/copy"
rm -r "$room/copy"
watch convert "$in" "$bonsai" convert "$room/mag" "$room/all.bonsai" -q
out=$(bytes "$room/all.bonsai")
watch check "$out" "$bonsai" check "$room/all.bonsai" -q
cat "$room/out"
rm "$room/all.bonsai"
watch convert---labelled "$in" "$bonsai" convert "$room/mag" "$room/some.bonsai" --labelled -q
"$bonsai" check "$room/some.bonsai" -q
echo "  read $in bytes, written $out"
