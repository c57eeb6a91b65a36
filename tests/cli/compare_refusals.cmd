$BONSAI generate -q -o g.bonsai --nodes 300 --features 40 --words 5 --no-linear > /dev/null
$BONSAI generate -q -o h.bonsai --nodes 300 --features 40 --words 5 --no-linear --seed 2 > /dev/null
$BONSAI compare
$BONSAI compare g.bonsai h.bonsai
$BONSAI compare g.bonsai --methods trees,herdign
$BONSAI compare g.bonsai --methods trees,,random
$BONSAI compare g.bonsai --methods trees,random,trees
$BONSAI compare g.bonsai --models gcn,gta
$BONSAI compare g.bonsai --models gcn,all
$BONSAI compare g.bonsai --ratios 0.01,0
$BONSAI compare g.bonsai --ratios 0.01,0.010
$BONSAI compare g.bonsai --ratios 0.01,x
$BONSAI compare g.bonsai --seeds 0
$BONSAI compare g.bonsai --split 0/50/50
$BONSAI compare g.bonsai --split 60/60/60
$BONSAI compare g.bonsai --split own --splits 3
$BONSAI split g.bonsai -o s.bonsai --parts own
$BONSAI compare nothing.bonsai
# A file of something else is left as it is; so is one of another graph or other options.
echo precious > text; $BONSAI compare g.bonsai -o text; cat text
cp g.bonsai was.bonsai; $BONSAI compare g.bonsai -o g.bonsai; cmp g.bonsai was.bonsai
$BONSAI compare g.bonsai -o /dev/null
$BONSAI compare g.bonsai -o no/such/folder
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 -o t.jsonl > /dev/null; cp t.jsonl was.jsonl
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 3 -o t.jsonl
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 --rate 0.02 -o t.jsonl
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 --accounting paper -o t.jsonl
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 --for sage -o t.jsonl
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 --for sage -o for.jsonl | cut -f 1-5
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 -o for.jsonl
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 --seed 9 --standardise train -o t.jsonl
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 --split 50/20/30 -o t.jsonl
$BONSAI compare h.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 -o t.jsonl 2>&1 | sed -E 's/[0-9a-f]{16}/C/g; s/[0-9]{3,4}/N/g'
cmp t.jsonl was.jsonl
$BONSAI compare g.bonsai --methods random --ratios 0.2 --models gat --hidden 4 --heads 3 -o new.jsonl; cat new.jsonl
sed 2d was.jsonl > t.jsonl; echo '{"method":"random"}' >> t.jsonl; $BONSAI compare g.bonsai --seeds 1 --epochs 2 -o t.jsonl
sed 's/"random"/random/' was.jsonl > t.jsonl; $BONSAI compare g.bonsai --seeds 1 --epochs 2 -o t.jsonl
sed 's/"bonsai_compare":"[0-9.]*"/"bonsai_compare":"0.0.1"/' was.jsonl > t.jsonl; $BONSAI compare g.bonsai --seeds 1 --epochs 2 -o t.jsonl
