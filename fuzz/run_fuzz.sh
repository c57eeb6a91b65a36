#!/bin/sh
# run_fuzz.sh BUILD -- runs every fuzz target of a fuzz build and prints the totals.
#
# FUZZ_SECONDS (60) or FUZZ_RUNS limits each target; FUZZ_TARGETS="native npz"
# selects targets; FUZZ_JOBS targets run at once.  The inputs of corpus/NAME.ar are unpacked
# into BUILD/inputs.  New inputs are kept in BUILD/corpus and reused; inputs that break a
# target go to BUILD/findings.  Fails on a finding.
#
# SPDX-License-Identifier: MIT
set -eu
build=$(cd "$1" && pwd)
seeds=$(cd "$(dirname "$0")" && pwd)/corpus
dictionaries=$(dirname "$seeds")
jobs=${FUZZ_JOBS-$(nproc 2>/dev/null || echo 1)}
if [ -n "${FUZZ_RUNS-}" ]; then
    bound=-runs=$FUZZ_RUNS
else
    bound=-max_total_time=${FUZZ_SECONDS-60}
fi
targets=${FUZZ_TARGETS-$(cd "$build" && ls | sed -n 's/^fuzz_\([a-z0-9_]*\)$/\1/p')}
[ -n "$targets" ] || { echo "fuzz: no target in $build" >&2; exit 1; }
mkdir -p "$build/findings" "$build/logs"
for name in $targets; do
    rm -rf "$build/findings/$name" "$build/logs/$name"
done
export build seeds dictionaries bound

# Runs one target; its exit code goes to a file, because xargs would stop the others.
one='
mkdir -p "$build/corpus/$1" "$build/findings/$1"
set -- "$1" "$build/corpus/$1"
[ ! -d "$seeds/$1" ] || set -- "$@" "$seeds/$1"
if [ -f "$seeds/$1.ar" ]; then
    rm -rf "$build/inputs/$1"
    mkdir -p "$build/inputs/$1"
    (cd "$build/inputs/$1" && ar x "$seeds/$1.ar")
    set -- "$@" "$build/inputs/$1"
fi
[ ! -f "$dictionaries/$1.dict" ] || set -- "$@" "-dict=$dictionaries/$1.dict"
name=$1
shift
code=0
# Counting how rare each feature is took longer than most targets.
"$build/fuzz_$name" "$@" "$bound" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -entropic=0 -reduce_inputs=0 -artifact_prefix="$build/findings/$name/" \
    >"$build/logs/$name" 2>&1 || code=$?
echo "exit: $code" >>"$build/logs/$name"
'
printf '%s\n' $targets | xargs -P "$jobs" -I NAME sh -c "$one" fuzz NAME

stat() { sed -n "s/^stat::$1: *//p" "$build/logs/$2"; }
total=0
broken=0
printf '%-16s %12s %9s %9s\n' target executions exec/s findings
for name in $targets; do
    runs=$(stat number_of_executed_units "$name")
    found=$(ls "$build/findings/$name" | wc -l)
    # A target that failed without leaving an input is a finding, too.
    if [ "$found" = 0 ] && ! grep -q '^exit: 0$' "$build/logs/$name"; then found=1; fi
    printf '%-16s %12d %9d %9d\n' "$name" "${runs:-0}" \
        "$(stat average_exec_per_sec "$name" | grep . || echo 0)" "$found"
    total=$((total + ${runs:-0}))
    broken=$((broken + found))
done
printf '%-16s %12d %9s %9d\n' total "$total" "" "$broken"
[ "$broken" = 0 ] || { echo "fuzz: see $build/findings and $build/logs" >&2; exit 1; }
