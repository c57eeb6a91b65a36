# An interrupted comparison goes on where it stopped, and ends as one that was not.
# SPDX-License-Identifier: MIT
"$BONSAI" generate -q -o g.bonsai --nodes 300 --features 40 --words 5 --no-linear >/dev/null
options='--methods trees,random --ratios 0.1,0.2 --models gcn,sage --epochs 5 --seeds 2'
known() {           # the cells of a table, without the seconds
    cut -f 1-12 "$1"
}
"$BONSAI" compare g.bonsai $options >plain
"$BONSAI" compare g.bonsai $options -o whole.jsonl >with 2>err
known plain >a; known with >b
cmp a b || { echo "keeping the cells changes them"; exit 1; }
[ ! -s err ] || { cat err; exit 1; }
[ "$(wc -l <whole.jsonl)" -eq 11 ] || { echo "not a heading and ten cells:"; cat whole.jsonl; exit 1; }
# Cut off anywhere, in the heading, between lines, within one: the table is the same.
size=$(wc -c <whole.jsonl)
for part in 0 7 100 $((size / 3)) $((size / 2)) $((size - 1)) $size; do
    head -c $part whole.jsonl >torn.jsonl
    left=$(wc -l <torn.jsonl)
    "$BONSAI" compare g.bonsai $options -o torn.jsonl >again 2>err
    known again >b
    cmp a b || { echo "cut off at $part it goes on differently"; exit 1; }
    [ "$(wc -l <torn.jsonl)" -eq 11 ] || { echo "cut off at $part:"; cat torn.jsonl; exit 1; }
    "$BONSAI" compare g.bonsai $options -o torn.jsonl -q >twice
    cmp again twice || { echo "cut off at $part it leaves a bad file"; exit 1; }
    if [ $left -gt 1 ]; then
        [ "$(cat err)" = "note: $((left - 1)) of 10 cells are in torn.jsonl already" ] || { cat err; exit 1; }
    fi
done
# What is known is not computed again: its seconds stay.
"$BONSAI" compare g.bonsai $options -o whole.jsonl -q >again
cmp again with || { echo "a complete table is not printed as it was"; exit 1; }
"$BONSAI" compare g.bonsai $options -o whole.jsonl -q --json | grep -v seconds >a.json
"$BONSAI" compare g.bonsai $options --json | grep -v seconds >b.json
cmp a.json b.json || { echo "the file rounds what it keeps"; exit 1; }
# The table grows by what is new; the order is that of the options.
"$BONSAI" compare g.bonsai --methods random,degree --ratios 0.2 --models sage --epochs 5 --seeds 2 \
    -o whole.jsonl >wider 2>err
[ "$(cat err)" = 'note: 2 of 3 cells are in whole.jsonl already' ] || { cat err; exit 1; }
[ "$(wc -l <whole.jsonl)" -eq 12 ] || { cat whole.jsonl; exit 1; }
grep -q -F "$(sed -n 2p wider)" with || { echo "a cell changed"; exit 1; }
# Two at once would mix their lines.
command -v timeout >/dev/null || exit 0
cp whole.jsonl busy.jsonl
timeout 20 "$BONSAI" compare g.bonsai --methods kcenter --ratios 1 --models sage --epochs 5 --seeds 10000 -o other.jsonl \
    -q >/dev/null 2>&1 &
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s other.jsonl ] && break; sleep 0.1; done
code=0
"$BONSAI" compare g.bonsai --methods kcenter --ratios 1 --models sage --epochs 5 --seeds 10000 -o other.jsonl >out 2>err || code=$?
kill $! 2>/dev/null || :        # the signal reaches the program through timeout
wait $! 2>/dev/null || :
[ $code -eq 1 ] && [ "$(cat err)" = 'bonsai: other.jsonl: another bonsai compare is writing to it' ] || { echo "code $code"; cat err; exit 1; }
# A signal leaves a file to go on from, and says so.
rm other.jsonl
code=0
timeout --preserve-status -s INT 2 "$BONSAI" compare g.bonsai --methods random,degree --ratios 0.1 --epochs 1000000 --seeds 1 \
    -o long.jsonl -q >out 2>err || code=$?
[ $code -eq 130 ] || { echo "SIGINT ends it with $code"; cat err; exit 1; }
grep -q '^bonsai: canceled; 0 of 3 cells are in long.jsonl; the same command continues with the rest$' err || { cat err; exit 1; }
[ ! -s out ] && [ "$(wc -l <long.jsonl)" -eq 1 ] || { cat out long.jsonl; exit 1; }
