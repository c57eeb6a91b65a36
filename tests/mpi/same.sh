# The condensed file is the same to the byte for any number of ranks, and for the program bonsai.
# SPDX-License-Identifier: MIT
"$BONSAI" generate -o words.bonsai --nodes 1500 --features 200 --no-linear -q >/dev/null
"$BONSAI" generate -o dense.bonsai --nodes 1200 --dense --features 24 --degree 8 -s 7 --no-linear -q >/dev/null
same() {            # GRAPH METHOD RANKS ...
    graph=$1 method=$2
    shift 2
    "$BONSAI" condense $graph.bonsai -o one.bonsai --ratio 0.03 --method $method -q >/dev/null
    for n; do
        rm -f many.bonsai
        on $n condense $graph.bonsai -o many.bonsai --ratio 0.03 --method $method -q
        [ $code -eq 0 ] || fail "$graph, $method, $n ranks: the exit code is $code"
        cmp one.bonsai many.bonsai || fail "$graph, $method: $n ranks make another file"
    done
}
# Many words of few: half bytes, which each rank expands.
"$BONSAI" generate -o many.bonsai --nodes 700 --features 41 --words 20 --no-linear -q >/dev/null
"$BONSAI" convert many.bonsai halves.bonsai -q >/dev/null
"$BONSAI" info halves.bonsai --json | grep -q '"q4"' || fail "there are no half bytes"
same halves trees 3
same halves prototypes 2
same dense trees 1 2 3 5 8
same words trees 3
same dense "trees --keep-trees" 2 5
same words prototypes 1 2 3 5 8
same dense prototypes 3
same words auto 5
same dense auto 2 8
same words random 3
# What it prints is what bonsai prints, and about its ranks.
on 2 condense words.bonsai -o many.bonsai --ratio 0.03 --json
"$BONSAI" condense words.bonsai -o many.bonsai --ratio 0.03 --json >alone
alike() {
    sed -e '/"seconds": {/,/}/s/": [0-9.e-]*/": N/' \
        -e 's/"\(peak_rss_bytes\|allowed\|held\)": [0-9.e-]*/"\1": N/' "$1" | tr -d '\r'
}
alike alone >expected
alike out | sed '/"ranks": {/,/}/d' >found
diff expected found | grep '^[<>]' | grep -v '[]}],*$' && fail "the output is another one"
grep -q '"count": 2' out || fail "it does not tell how many ranks there were"
# Several budgets at once, and a graph of the ranks' own making.
on 3 condense words.bonsai -o many --ratios 0.02,0.05 -q
"$BONSAI" condense words.bonsai -o one --ratios 0.02,0.05 -q >/dev/null
cmp one-0.02.bonsai many-0.02.bonsai && cmp one-0.05.bonsai many-0.05.bonsai || fail "--ratios"
on 3 generate -o again.bonsai --nodes 1500 --features 200 --no-linear -q
cmp words.bonsai again.bonsai || fail "ranks generate another graph"
for command in check info; do
    on 3 $command words.bonsai --json
    tr -d '\r' <out >many
    "$BONSAI" $command words.bonsai --json | diff - many || fail "$command prints something else"
    on 3 $command words.bonsai          # rows of tabs, as nobody reads mpirun's output
    "$BONSAI" $command words.bonsai | diff - out || fail "$command prints other rows into a pipe"
done
# Under a limit that makes all large arrays spill, too.
"$BONSAI" generate -o wide.bonsai --nodes 30000 --dense --features 128 --no-linear -q >/dev/null
"$BONSAI" condense wide.bonsai -o one.bonsai --ratio 0.005 -q >/dev/null
on 2 condense wide.bonsai -o many.bonsai --ratio 0.005 -q --memory 1M
least=$(sed -n 's/.*at least \([0-9]*\) MiB is needed on each rank.*/\1/p' err)
on 2 condense wide.bonsai -o many.bonsai --ratio 0.005 -q --memory $((least + 4))M --json
[ $code -eq 0 ] || fail "under a limit of $least + 4 MiB the exit code is $code"
cmp one.bonsai many.bonsai || fail "under a limit ranks make another file"
if grep -q '"scratch": 0' out; then fail "nothing spilled"; fi
