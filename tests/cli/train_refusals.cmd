# Wrong usage.
$BONSAI generate -q -o g.bonsai --nodes 200 --features 20 --words 3 --no-linear > /dev/null
$BONSAI train
$BONSAI train g.bonsai --model gnc
$BONSAI train g.bonsai --model gcn,
$BONSAI train g.bonsai --model gcn,zzzzzz
$BONSAI train g.bonsai --model gcn,gat,gcn
$BONSAI train g.bonsai --seeds 0
$BONSAI train g.bonsai --layers 17
$BONSAI train g.bonsai --hidden 0
$BONSAI train g.bonsai --heads 0
$BONSAI train g.bonsai --gin-layers 3
$BONSAI train g.bonsai --epochs 0
$BONSAI train g.bonsai --every 0
$BONSAI train g.bonsai --rate 0
$BONSAI train g.bonsai --decay -1
$BONSAI train g.bonsai --dropout 1
$BONSAI train g.bonsai --split 0/50/50
$BONSAI train g.bonsai --split 60/20
$BONSAI train g.bonsai --protocol papper
$BONSAI train g.bonsai --full g.bonsai
$BONSAI train g.bonsai --save ./g.bonsai
$BONSAI train bonsai:g.bonsai --save ./g.bonsai
$BONSAI train g.bonsai --curves ./g.bonsai
$BONSAI train g.bonsai --save m.bonsai --curves m.bonsai
$BONSAI eval g.bonsai
$BONSAI eval --full g.bonsai
$BONSAI predict g.bonsai
$BONSAI predict m.bonsai g.bonsai -o g.bonsai

# What cannot be written is found before the work.
$BONSAI train g.bonsai --save m
$BONSAI train g.bonsai --save nowhere/m.bonsai
$BONSAI train g.bonsai --model gcn,gat --save nowhere/m
$BONSAI train g.bonsai --curves nowhere/c.csv
$BONSAI train g.bonsai --curves .
$BONSAI predict m.bonsai g.bonsai -o nowhere/p.csv
# A full disk is a failure.
$BONSAI train g.bonsai --epochs 2 --seeds 1 --curves /dev/full
$BONSAI train g.bonsai --epochs 2 --seeds 1 > /dev/full

# What cannot be trained is exit 1 and one sentence.
$BONSAI train nothing.bonsai
$BONSAI eval g.bonsai --full nothing.bonsai
$BONSAI eval nothing.bonsai --full g.bonsai
printf '0 1\n1 2\n' > bare.el; $BONSAI train bare.el
printf '1,0\n0,1\n1,1\n' > features.csv; $BONSAI train bare.el --features features.csv
printf 'id,label\n0,a\n1,a\n2,a\n' > one.csv; $BONSAI train bare.el --features features.csv --labels one.csv -q
printf 'id,label\n0,a\n1,b\n2,a\n' > labels.csv; $BONSAI train bare.el --labels labels.csv -q
$BONSAI split g.bonsai -o untrained.bonsai --parts 0/50/50 > /dev/null; $BONSAI train untrained.bonsai
$BONSAI train g.bonsai --model gat --heads 3
$BONSAI train g.bonsai --model gin --rate 1000 --epochs 50 --layers 16 --seeds 1 2> err; code=$?; sed -E 's/[0-9.]+/N/g' err; exit $code
# Graphs and models that do not fit each other.
$BONSAI generate -q -o wide.bonsai --nodes 200 --features 21 --words 3 --no-linear > /dev/null; $BONSAI eval g.bonsai --full wide.bonsai --epochs 1
$BONSAI generate -q -o wider.bonsai --nodes 200 --features 90 --no-linear > /dev/null; $BONSAI condense wider.bonsai -o kept.bonsai -r 0.3 --select-features tree > /dev/null; $BONSAI eval kept.bonsai --full g.bonsai --epochs 1 -q 2> err; code=$?; sed -E 's/[0-9]+/N/g' err; exit $code
$BONSAI train wide.bonsai --epochs 1 --seeds 1 --save m.bonsai > /dev/null; $BONSAI predict m.bonsai g.bonsai
$BONSAI predict g.bonsai g.bonsai
$BONSAI predict nothing.bonsai g.bonsai
$BONSAI predict m.bonsai nothing.bonsai
$BONSAI info m.bonsai
ls
# The area under the curve is of two classes that occur.
$BONSAI generate -q -o seven.bonsai --nodes 100 --features 20 --words 6 --no-linear > /dev/null; $BONSAI train seven.bonsai --metric auc
$BONSAI train seven.bonsai --metric recall
$BONSAI eval g.bonsai g.bonsai --full g.bonsai
$BONSAI eval g.bonsai g.bonsai g.bonsai
