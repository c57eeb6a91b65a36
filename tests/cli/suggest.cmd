# The smallest ratio that keeps a share: facts and points for programs, seconds left out.
$BONSAI generate -q -o g.bonsai --nodes 600 --features 60 --words 6 --no-linear > /dev/null
$BONSAI suggest g.bonsai -q --low 0.003 --points 5 --method prototypes -t 1 | sed 's/\(^points.*\)\t[0-9.e-]*\t/\1\tN\t/'
$BONSAI suggest g.bonsai -q --keep 0.8 --low 0.003 --high 0.05 --points 3 --halvings 1 --method random --split 50/30/20 --json | sed 's/\("seconds": \|"full": \|"total": \)[0-9.e-]*/\1N/'

# On a terminal: the table, the curve, and the next command with the options that were given.
script -qec "stty cols 60; $BONSAI suggest g.bonsai -q --low 0.003 --points 5 --method prototypes --hard-labels -s 3" /dev/null | tr -d '\r' | sed 's/^\(  seconds *\)[0-9.]*/\1N/'
LC_ALL=C script -qec "stty cols 60; $BONSAI suggest g.bonsai -q --low 0.01 --points 4 --method random" /dev/null | tr -d '\r' | sed -n '/|/,$p'

# A share that is kept at once, and one that never is.
$BONSAI suggest g.bonsai --keep 0.1 --low 0.1 --points 2 --method random | grep '^ratio\|^reached'
$BONSAI suggest g.bonsai --keep 1 --high 0.02 --points 3 --method random | grep '^ratio\|^reached'
$BONSAI suggest g.bonsai --keep 1 --high 0.02 --points 3 --method random --json > /dev/null
$BONSAI suggest g.bonsai -q --low 0.00001 --high 0.0001

# The small graph is the one that condense makes, and the page shows the curve.
$BONSAI suggest g.bonsai -q --low 0.01 --points 4 --method prototypes -o a.bonsai --report a.html | sed -n 's/^ratio\t//p' > r; $BONSAI condense g.bonsai -q --method prototypes --ratio $(cat r) -o b.bonsai > /dev/null; cmp a.bonsai b.bonsai; grep -c 'id="ratio"' a.html
script -qec "$BONSAI suggest g.bonsai -q --low 0.01 --points 4 --method prototypes -o a.bonsai" /dev/null | tr -d '\r' | tail -5

# Wrong usage.
$BONSAI suggest
$BONSAI suggest g.bonsai --keep 2
$BONSAI suggest g.bonsai --keep 0
$BONSAI suggest g.bonsai --low 0.3
$BONSAI suggest g.bonsai --points 1
$BONSAI suggest g.bonsai --halvings 17
$BONSAI suggest g.bonsai --ratio 0.1
$BONSAI suggest g.bonsai --method published
$BONSAI suggest g.bonsai -o g.bonsai
$BONSAI suggest g.bonsai -o x.bonsai --report x.bonsai
$BONSAI suggest g.bonsai --report none/x.html
$BONSAI suggest none.bonsai
# Ratios that are too small for any graph, in the table.
script -qec "stty cols 60; $BONSAI suggest g.bonsai -q --low 0.00001 --points 4 --method prototypes" /dev/null | tr -d '\r' | grep -a '^  -  '
# The next command reads the graph as this one did.
mkdir reads; awk 'BEGIN { for (i = 0; i < 60; i++) print i % 2 "," (i % 4 > 1) "," i % 5 }' > 'reads/the f.csv'; awk 'BEGIN { for (i = 0; i < 60; i++) print i, (i * 7 + 1) % 60 }' > reads/x.el; awk 'BEGIN { for (i = 0; i < 60; i++) print i % 2 }' > reads/y.txt; $BONSAI suggest reads/x.el --features 'reads/the f.csv' --labels reads/y.txt --keep-self-loops --low 0.1 --high 0.5 --points 2 --keep 0.5 -q | grep ^command
