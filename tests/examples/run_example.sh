#!/bin/sh
# run_example.sh NAME PROGRAM -- runs an example in C and looks at what it prints.
#
# SPDX-License-Identifier: MIT
set -eu
name=$1 program=$2
out=$("$program")
says() { echo "$out" | grep -qE "$1" || { echo "$out"; echo "$name does not say: $1" >&2; exit 1; }; }
case $name in
condense)
    says '^full graph:  3000 nodes, '
    says '^small graph: [0-9]+ nodes, .*\(0\.[0-9]+ %\), by [a-z]+$'
    says '^test accuracy of a GCN: [0-9.]+ % trained on the full graph, [0-9.]+ % on the small one$'
    # a failure is one sentence and no output
    if "$program" /no/such/graph 2>&1 | grep -qx 'condense: /no/such/graph: cannot be opened: .*'; then :
    else echo "$name does not say what failed" >&2; exit 1; fi
    if results=$("$program" /no/such/graph 2>/dev/null) || [ -n "$results" ]; then
        echo "$name goes on without its graph" >&2; exit 1
    fi ;;
build_graph)
    says '^node 3: class small, shares 0\.00 1\.00, weight [0-9]+, nearest to node [0-9]+$'
    # the prototypes of a class stand for its training nodes, each for its own
    members=$(echo "$out" | sed -n 's/^  stands for//p' | tr ' ' '\n' | grep . | sort -n)
    [ "$(echo "$members" | wc -l)" = 36 ] && [ "$(echo "$members" | uniq | wc -l)" = 36 ] ||
        { echo "$out"; echo "not every training node has one prototype" >&2; exit 1; } ;;
*) echo "unknown example $name" >&2; exit 1 ;;
esac
echo "$out"
