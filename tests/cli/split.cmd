# The same seed draws the same split, another one another.
$BONSAI generate -q -o g.bonsai --nodes 1000 --features 20 --words 3 --no-linear > /dev/null
$BONSAI split g.bonsai -o a.bonsai
$BONSAI split g.bonsai -o b.bonsai --split random --seed 1 -q > /dev/null; cmp a.bonsai b.bonsai
$BONSAI split g.bonsai -o b.bonsai -s 2 > /dev/null; cmp -s a.bonsai b.bonsai
$BONSAI split g.bonsai -o c.bonsai --parts 2.5/10/80 --json
$BONSAI split g.bonsai -o c.npz --parts 0/0/100
# Only labelled nodes are drawn.
$BONSAI split $HERE/papers -o d.bonsai --parts 50/25/25
printf '0 1\n' > bare.el; $BONSAI split bare.el -o e.bonsai
ls
# The shares of the published code, and the very nodes of lists.
$BONSAI split g.bonsai -o p.bonsai --parts published
$BONSAI convert p.bonsai p.npz -q > /dev/null; $BONSAI split g.bonsai -o i.bonsai --indices p.npz; cmp p.bonsai i.bonsai
$BONSAI split g.bonsai -o i.bonsai --indices p.npz -s 2 > /dev/null; cmp p.bonsai i.bonsai
$BONSAI split g.bonsai -o i.bonsai --indices p.npz --parts 60/20/20 > /dev/null
$BONSAI split g.bonsai -o i.bonsai --indices p.npz --seed 1 > /dev/null
$BONSAI split g.bonsai -o i.bonsai --indices none.npz
$BONSAI split g.bonsai -o i.bonsai --indices g.bonsai
