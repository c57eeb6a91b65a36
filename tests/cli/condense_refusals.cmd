# Wrong usage.
$BONSAI generate -q -o g.bonsai --nodes 200 --features 20 --words 3 --no-linear > /dev/null
$BONSAI condense
$BONSAI condense g.bonsai -r 0.1
$BONSAI condense g.bonsai -o s.bonsai
$BONSAI condense g.bonsai -o ./g.bonsai -r 0.5
$BONSAI condense g.bonsai -o s.bonsai -r 0
$BONSAI condense g.bonsai -o s.bonsai --ratio 1.5
$BONSAI condense g.bonsai -o s.bonsai --ratio nan
$BONSAI condense g.bonsai -o s.bonsai --ratio=-0.1
$BONSAI condense g.bonsai -o s.bonsai --ratio 1%%
$BONSAI condense g.bonsai -o s.bonsai --bytes 0
$BONSAI condense g.bonsai -o s.bonsai --nodes -1
$BONSAI condense g.bonsai -o s.bonsai --trees 0.5
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --nodes 5
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --ratios 0.1
$BONSAI condense g.bonsai -o s --ratios 0.1,x
$BONSAI condense g.bonsai -o s --ratios 0.1,
$BONSAI condense g.bonsai -o s --ratios 0.1,2
$BONSAI condense g.bonsai -o s --ratios 0.1,0.2,0.1
$BONSAI condense g.bonsai -o s --ratios $(seq -s , 0.01 0.01 0.4)
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --method tres
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --method k-center
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --method zzzzzzzz
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --greedy dense
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --layers 17
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 -k 0
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --theta 0
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --beta 1
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --sample none
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --sample 0
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --split 60/20
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --split 0/50/50
$BONSAI explain g.bonsai --node -1

# What cannot be done is exit 1 and one sentence.
$BONSAI condense g.bonsai -o s.bonsai --bytes 3 2> err; code=$?; sed -E 's/[0-9]+$/N/' err; exit $code
$BONSAI condense g.bonsai -o s.bonsai -r 1e-9 2> err; code=$?; sed -E 's/[0-9]+$/N/' err; exit $code
$BONSAI condense g.bonsai -o s --ratios 0.1,1e-9 2> err; code=$?; sed -E 's/[0-9]+$/N/' err; exit $code
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 -k 120 --method trees
# The published code's price has no other budgets, and needs room for a tree.
$BONSAI condense g.bonsai -o s.bonsai --nodes 9 --method published
$BONSAI condense g.bonsai -o s.bonsai --trees 9 --method published
$BONSAI condense g.bonsai -o s.bonsai -r 1e-9 --method published
# What cannot be updated.
$BONSAI condense g.bonsai --update s.bonsai -o t.bonsai
$BONSAI condense g.bonsai --was g.bonsai -o t.bonsai -r 0.1
$BONSAI condense g.bonsai --update s.bonsai --was g.bonsai -o t.bonsai -r 0.1
$BONSAI condense g.bonsai -o tr.bonsai -r 0.1 --method trees -q > /dev/null; $BONSAI condense g.bonsai --update tr.bonsai --was g.bonsai -o t.bonsai
$BONSAI condense g.bonsai -o pr.bonsai -r 0.1 --method prototypes -q > /dev/null; $BONSAI condense g.bonsai --update pr.bonsai --was g.bonsai -o t.bonsai
$BONSAI condense g.bonsai --update nothing.bonsai --was g.bonsai -o t.bonsai
$BONSAI generate -q -o h.bonsai --nodes 200 --features 20 --words 3 --seed 2 --no-linear > /dev/null; $BONSAI condense g.bonsai -o pr.bonsai -r 0.1 --method prototypes --members -q > /dev/null; $BONSAI condense h.bonsai --update pr.bonsai --was h.bonsai -o t.bonsai 2>&1 | sed -E 's/[0-9a-f]{8}/CRC/g'
$BONSAI condense h.bonsai --update pr.bonsai --was g.bonsai -o g.bonsai
rm -f tr.bonsai pr.bonsai h.bonsai
$BONSAI split g.bonsai -o untrained.bonsai --parts 0/50/50 > /dev/null; $BONSAI condense untrained.bonsai -o s.bonsai -r 0.1
printf '0 1\n1 2\n' > bare.el; $BONSAI condense bare.el -o s.bonsai -r 0.5
printf 'id,label\n0,a\n1,b\n2,a\n' > labels.csv; $BONSAI condense bare.el --labels labels.csv -o s.bonsai -r 0.5
printf '1,0\n0,1\n1,1\n' > features.csv; $BONSAI condense bare.el --labels labels.csv --features features.csv --keep-directed -o s.bonsai -r 0.5
$BONSAI condense nothing.bonsai -o s.bonsai -r 0.1
$BONSAI condense g.bonsai -o s -r 0.1
$BONSAI condense g.bonsai -o nowhere/s.bonsai -r 0.1
$BONSAI condense g.bonsai -o nowhere/s --ratios 0.1,0.2
$BONSAI condense g.bonsai -o mtx:s -r 0.1
$BONSAI explain g.bonsai
$BONSAI explain nothing.bonsai
$BONSAI condense g.bonsai -o ok.bonsai --nodes 5 > /dev/null; $BONSAI explain ok.bonsai --node 5
# The report is kept by .npz, not by text.
$BONSAI convert ok.bonsai ok.npz > /dev/null 2>&1; $BONSAI explain ok.npz > /dev/null
$BONSAI convert ok.bonsai ok/ > /dev/null 2>&1; $BONSAI explain ok/ > /dev/null
ls
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --for gcn,gen
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --for ""
# What is trained on the small graph.
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --eval gcn,gen
$BONSAI condense g.bonsai -o s --ratios 0.1,0.2 --eval gcn
# All that is missing at once.
$BONSAI condense g.bonsai
$BONSAI condense cora
$BONSAI condense g.bonsai x.bonsai
$BONSAI condense g.bonsai -o s.bonsai --ratio 5
$BONSAI condense g.bonsai -o s.bonsai --ratio 101%
$BONSAI condense g.bonsai -o s.bonsai --nodes 10%
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 --method bonsai
$BONSAI suggest g.bonsai --keep 95
# A share in percent.
$BONSAI condense g.bonsai -o s.bonsai -r 10% -q > /dev/null; $BONSAI condense g.bonsai -o t.bonsai -r 0.1 -q > /dev/null; cmp s.bonsai t.bonsai
