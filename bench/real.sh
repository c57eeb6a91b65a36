#!/bin/sh
# real.sh -- condenses every dataset in some folders by each method: seconds of each stage and
# memory, beside the limits of this machine.
#
#   bench/real.sh BUILD DIR ...
#
# BUILD has the program and the bench (make bench-real builds both).  A DIR may also be a graph.
# A dataset is what the program can read and split; what it cannot read is named on standard error.
# Each gets a split of 60/20/20.  bench/real.py prints the table and says what its columns mean.  In
# the environment:
#
#   RATIO     of the bytes (0.01)
#   RUNS      of each graph and method, of which the best total counts (3)
#   METHODS   (trees prototypes auto)
#   OLD       another program, which runs in turns with that of BUILD
#   OUT       a file for all of it as JSON
#
# SPDX-License-Identifier: MIT
set -eu
[ $# -ge 2 ] || { echo "usage: bench/real.sh BUILD DIR ..." >&2; exit 2; }
build=$1
shift
for dir in "$@"; do
    [ -e "$dir" ] || { echo "bench/real.sh: $dir is not there" >&2; exit 1; }
done
room=$(mktemp -d "${TMPDIR-/tmp}/bonsai-real-XXXXXX")
trap 'rm -rf "$room"' EXIT
trap 'exit 1' INT TERM

condense() {        # WHO PROGRAM METHOD RUN: one report
    "$2" condense "$room/graph.bonsai" -o "$room/small.bonsai" --ratio "${RATIO:-0.01}" \
        --method "$3" --json -q >"$at/report" 2>"$room/error" &&
        mv "$at/report" "$at/$1-$3-$4.json" || echo "$name, $3: $(cat "$room/error")" >&2
}

measure() {         # PATH: the reports of a graph that is one, in a folder of its own
    "$build/bonsai" split "$1" -o "$room/graph.bonsai" --parts 60/20/20 -q >"$room/made" \
        2>"$room/error" || { sed 's/^bonsai: /left out: /; s/; .*//' "$room/error" >&2; return 0; }
    known="$known$1
"
    name=$(basename "$1")
    name=${name#ind.}
    name=${name%.npz}
    name=${name%.bonsai}
    at=$room/graphs/$name
    [ ! -e "$at" ] || at=$(mktemp -d "$at-XXXXXX")
    mkdir -p "$at"
    "$build/bonsai" info "$room/graph.bonsai" --brief --json -q >"$at/info.json"
    echo "condensing $name" >&2
    for method in ${METHODS:-trees prototypes auto}; do
        for run in $(seq "${RUNS:-3}"); do
            condense new "$build/bonsai" "$method" "$run"
            [ -z "${OLD-}" ] || condense old "$OLD" "$method" "$run"
        done
    done
}

inside() {          # PATH: whether it is part of a folder that was read as one graph
    printf '%s' "$known" | while IFS= read -r graph; do
        case $1 in "$graph"/*) echo yes ;; esac
    done
}

limits() {          # of the machine, before and after: the better counts
    "$build/bench" copy gather panels sgemm -n 9 >/dev/null 2>>"$room/limits"
}

# Planetoid's graphs are eight files each, of which one stands for all; other graphs are a file or
# a folder.
known=
mkdir "$room/graphs"
find -L "$@" \( -name 'ind.*.*' ! -name 'ind.*.x' -o -name '.[!.]*' \) -prune -o -print |
    sed 's|/\(ind\.[^/]*\)\.x$|/\1|' | LC_ALL=C sort >"$room/found"
while IFS= read -r path <&3; do
    if [ -d "$path" ] && ! "$build/bonsai" info "$path" --brief -q >/dev/null 2>&1; then
        continue
    fi
    [ -e "$room/limits" ] || limits
    [ -n "$(inside "$path")" ] || measure "$path"
done 3<"$room/found"
[ -n "$known" ] || { echo "bench/real.sh: no dataset in $*" >&2; exit 1; }
limits
python3 -B "$(dirname "$0")/real.py" "$room" ${OUT:+"$OUT"}
