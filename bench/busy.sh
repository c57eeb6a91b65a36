#!/bin/sh
# busy.sh -- condensing beside programs that take every core, and in a group that may use one core.
#
#   bench/busy.sh BUILD [GRAPH ...]
#
# BUILD has the program and the library; Python finds the package in python/.  The first graph is
# generated (3,000 nodes).  quiet and busy run in turns: busy is beside as many endless loops as
# there are cores.  one and default are -t 1 and as many threads as it likes, both under a quota of
# one core: of a control group, or of taskset where none can be made (needs root).  Seconds of the
# whole program, and of a call in Python once the graph is loaded; best of RUNS (5), at a ratio of
# 1 %.
#
# SPDX-License-Identifier: MIT
set -eu
build=$(cd "${1:?usage: bench/busy.sh BUILD [GRAPH ...]}" && pwd)
shift
runs=${RUNS:-5}
cores=$(getconf _NPROCESSORS_ONLN)
room=$(mktemp -d "${TMPDIR-/tmp}/bonsai-busy-XXXXXX")
loops=
group=
leave() {
    [ -z "$loops" ] || kill $loops 2>/dev/null || :
    rm -rf "$room"
    [ -z "$group" ] || rmdir "$group"
}
trap leave EXIT
trap 'exit 1' INT TERM

be_busy() {
    for _ in $(seq "$cores"); do
        (while kill -0 $$; do :; done) &        # ends with this script, whatever ends it
        loops="$loops $!"
    done
}
be_quiet() {
    kill $loops
    wait $loops 2>/dev/null || :
    loops=
}

# A control group with a quota of one core: version 2, or the older kind.
for folder in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
    group=$folder/bonsai-busy-$$
    mkdir "$group" 2>/dev/null || { group=; continue; }
    if [ -e "$group/cpu.max" ] && echo 100000 100000 >"$group/cpu.max"; then
        break
    elif [ -e "$group/cpu.cfs_quota_us" ] && echo 100000 >"$group/cpu.cfs_quota_us"; then
        break
    fi
    rmdir "$group"
    group=
done
alone() {           # COMMAND...: on one core
    if [ -n "$group" ]; then
        sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" "$@"
    else
        taskset -c 0 "$@"
    fi
}

program() {         # [OPTION...]: seconds of one run
    from=$(date +%s%N)
    $within "$build/bonsai" condense "$graph" -o "$room/s.bonsai" --ratio 0.01 -q "$@" >/dev/null
    echo $((($(date +%s%N) - from) / 1000))
}
python() {          # [-t THREADS]
    GRAPHBONSAI_LIBRARY=$build/libbonsai.so PYTHONPATH=$(dirname "$0")/../python $within \
        python3 -c '
import sys, time
import graphbonsai
g = graphbonsai.Graph.load(sys.argv[1])
graphbonsai.condense(g, 0.01, threads=int(sys.argv[2]), progress=False)
start = time.monotonic()
graphbonsai.condense(g, 0.01, threads=int(sys.argv[2]), progress=False)
print(round(1e6 * (time.monotonic() - start)))' "$graph" "${2:-0}"
}

measure() {         # WHO: microseconds of each, the best of all runs
    for _ in $(seq "$runs"); do
        within=
        quiet=$($1)
        be_busy
        busy=$($1)
        be_quiet
        within=alone
        one=$($1 -t 1)
        default=$($1)
        echo "$quiet $busy $one $default"
    done >"$room/times"
    awk -v who="$1" -v name="$(basename "$graph" .bonsai)" '
        { for (i = 1; i <= 4; i++) if (NR == 1 || $i < best[i]) best[i] = $i }
        END {
            for (i = 1; i <= 4; i++) best[i] /= 1e6
            printf "%-20s %-8s %8.3f %8.3f %7.2f %8.3f %8.3f %7.2f\n", name, who, best[1], best[2],
                   best[2] / best[1], best[3], best[4], best[4] / best[3]
        }' "$room/times"
}

"$build/bonsai" generate --nodes 3000 --no-linear -q -o "$room/generated.bonsai" >/dev/null
echo "$cores cores; one core by ${group:-taskset}"
printf '%-20s %-8s %8s %8s %7s %8s %8s %7s\n' graph who quiet busy times one default times
for graph in "$room/generated.bonsai" "$@"; do
    measure program
    measure python
done
