# What is written is what was asked for; figures that rest on the draws are masked.
$BONSAI generate -o g.bonsai --nodes 2000 --features 200 -q | sed '/^[nfcw][a-z]*\t/!s/\t.*/\t.../'
$BONSAI generate -o g.npz --nodes 500 --features 64 --dense --no-linear --json | sed '/nodes\|features\|classes/!s/[0-9][0-9.]*/.../'
$BONSAI generate -o text/ --nodes 50 --features 10 --words 3 --no-linear | head -1
for g in g.bonsai g.npz text/; do $BONSAI check $g | sed 's/[0-9,]* edges/... edges/'; done
# The same seed, the same bytes, whatever the threads.
$BONSAI generate -o a.bonsai --nodes 3000 --no-linear -t 1 > /dev/null; $BONSAI generate -o b.bonsai --nodes 3000 --no-linear -t 3 > /dev/null; cmp a.bonsai b.bonsai
$BONSAI generate -o b.bonsai --nodes 3000 --no-linear -s 2 > /dev/null; cmp -s a.bonsai b.bonsai
# What the library refuses is exit 1.
$BONSAI generate -o no.bonsai --nodes 10 --classes 11
$BONSAI generate -o no.bonsai --nodes 10 --degree 10
# A linear model that cannot be fitted is a note, and -q is silent.
$BONSAI generate -o one.bonsai --nodes 50 --classes 1 --features 20 --words 3 | tail -1
$BONSAI generate -o one.bonsai --nodes 50 --classes 1 --features 20 --words 3 -q | tail -1
ls
