# A graph that is not there: what may have been meant.
$BONSAI generate -q -o graph.bonsai --nodes 60 --features 10 --words 3 --no-linear > /dev/null
# With an ending, in the folder that fetch makes, and a name that is near.
$BONSAI info graph
$BONSAI info npz:graph
$BONSAI condense grpah.bonsai -o s.bonsai -r 0.1
$BONSAI eval graph.bonsai --full=grap.bonsai
mkdir data; cp graph.bonsai data/mine.bonsai; $BONSAI check mine
# Of names that are as near the first, and none with codes of the terminal.
mkdir many; for i in 7 3 9 1 5; do : > many/part$i.npz; done; $BONSAI info many/part8.npz
mkdir codes; : > "codes/part$(printf '\033')1.npz"; $BONSAI info codes/part1.npz
# A dataset: the command that downloads it, until it is there.
$BONSAI condense cora -o small.bonsai -r 0.01
$BONSAI info my/Cora.npz
$BONSAI info ogbn_arxiv
: > data/ind.cora.x; $BONSAI condense cora -o small.bonsai -r 0.01
cp graph.bonsai data/cora.bonsai; $BONSAI condense cora -o small.bonsai -r 0.01
# Nothing where nothing is near, or where the path is there, or is written.
$BONSAI info zzzz.bonsai
$BONSAI info nowhere/zzzz
mkdir empty; $BONSAI info empty
$BONSAI condense graph.bonsai -o nowhere/graph -r 0.5
$BONSAI check --json grap.bonsai
# Names of datasets: part of one is enough.
$BONSAI fetch arxiv
$BONSAI fetch products
$BONSAI fetch computers
$BONSAI fetch coar
$BONSAI fetch zzzzzz
# A typo in the ending.
$BONSAI info graph.bonsi
