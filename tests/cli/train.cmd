# Figures that rest on the machine or on rounding are masked.
$BONSAI generate -q -o g.bonsai --nodes 300 --features 40 --words 6 --no-linear > /dev/null
$BONSAI train g.bonsai --epochs 20 --seeds 2 | sed -E '/^(model|metric)/s/\t[0-9.e-]+/\tN/g; s/^(recall\t[0-9]+\t[0-9]+).*/\1/'
# Several models; each is saved under its name, and its curves are in one file.
$BONSAI train g.bonsai --model gcn,gat,gin,sage --epochs 12 --every 5 --seeds 2 --save m --curves c.csv | grep -E '^(model|saved|curves)' | sed -E 's/\t[0-9.e-]+/\tN/g'; ls
head -1 c.csv; cut -d , -f 1-2 c.csv | sort | uniq -c | sed 's/^ *//'
grep -E '^gat,2,' c.csv | sed -E 's/,[0-9.e-]+/,N/g3'
# They learn: the loss falls.
sed -n '2p;13p' c.csv | cut -d , -f 4 | sort -g -c 2> /dev/null; echo $?
# The same seed, the same bits, whatever the threads and the models beside it.
$BONSAI train g.bonsai --model gat,sage --epochs 12 --every 5 --seeds 2 --curves d.csv --save n -t 1 > /dev/null; grep -E '^(model|gat|sage)' c.csv | cmp - d.csv; cmp m-gat.bonsai n-gat.bonsai; cmp m-sage.bonsai n-sage.bonsai
$BONSAI train g.bonsai --model sage --epochs 12 --every 5 --seeds 2 --curves d.csv -s 2 > /dev/null; grep ^sage,2 d.csv > a; grep ^sage,2 c.csv | cmp - a; cut -d , -f 2 d.csv | uniq
# One model keeps the name; .npz is PyTorch Geometric's.
$BONSAI train g.bonsai --model gin --gin-layers 2 --layers 3 --hidden 8 --epochs 2 --seeds 1 --save one.npz | grep -E '^(saved|model)' | cut -f 1-2; ls one*
$BONSAI train g.bonsai --model gcn,gin --epochs 1 --seeds 1 --save two.npz > /dev/null; ls two*
$BONSAI train g.bonsai --model all --epochs 1 --seeds 1 | grep ^model | cut -f 2
# All else that can be set.
$BONSAI train g.bonsai --model gat --heads 4 --hidden 16 --dropout 0.5 --standardise train --rate 0.02 --decay 0 --epochs 3 --every 7 --memory 100kB --seeds 1 -q --json | sed -n '/"options"/,$p'
# The paper's protocol, and options that override it on either side.
$BONSAI train g.bonsai --protocol paper --seeds 1 --json | grep -E '"(rate|decay|epochs|every|hidden|standardise|protocol)"' | sort -u
$BONSAI train g.bonsai --epochs 2 --protocol paper --hidden 8 --seeds 1 --json | grep -E '"(epochs|every|hidden|standardise)"' | sort -u
# A graph for wide networks is known by its size, not by its name; options override its settings, too.
cp g.bonsai flickr.bonsai; $BONSAI train flickr.bonsai --protocol paper --epochs 1 --seeds 1 --json | grep -E '"(hidden|standardise)"'
mkdir other; (cd other; python3 $HERE/flickr_size.py); $BONSAI train other --protocol paper --layers 1 --epochs 1 --seeds 1 --json 2>&1 | grep -E '^note:|"(hidden|standardise)"'
$BONSAI train other --protocol paper --layers 1 --hidden 8 --epochs 1 --seeds 1 --json 2>&1 | grep -E '^note:|"(hidden|standardise)"'
$BONSAI train other --protocol peers --layers 1 --epochs 1 --seeds 1 --json 2>&1 | grep -E '^note:|"(hidden|standardise)"'
sed -i '$d' other/edges.csv; $BONSAI train other --protocol paper --layers 1 --epochs 1 --seeds 1 --json 2>&1 | grep -E '^note:|"(hidden|standardise)"'
# A split of its own, a drawn one, none; "the same" of the note is the same.
$BONSAI train g.bonsai --split 50/0/50 --epochs 3 --seeds 1 -s 7 | grep -E '^(split|train|val|test)'
$BONSAI convert g.bonsai g/ -q > /dev/null; cut -d , -f 1-2 g/labels.csv > l; mv l g/labels.csv; $BONSAI train g/ --epochs 3 --seeds 1 --curves a | grep -E '^(split|train|val|test)'
$BONSAI split g/ -o h.bonsai > /dev/null; $BONSAI train h.bonsai --epochs 3 --seeds 1 --curves b | grep ^split; cmp a b
# One run has no spread; no test nodes, no accuracy.
$BONSAI train g.bonsai --split 80/20/0 --epochs 3 --seeds 1 | grep ^model | cut -f 2-4 | sed -E 's/\t[0-9.e-]+/\tN/g'
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 > /dev/null; $BONSAI train s.bonsai --epochs 3 --seeds 2 | grep -E '^(split|train|val|test|model)' | sed -E 's/^train\t.*/train\tN/' | cut -f 1-5
# What the library takes the program takes, too.
$BONSAI train g.bonsai --memory 3G --rate 2000 --seeds 1 --epochs 1 -q > /dev/null
# Another metric chooses the epoch and comes first; the others follow, and the recall of each class.
$BONSAI generate -q -o two.bonsai --nodes 300 --features 40 --words 6 --classes 2 --imbalance 1 --difficulty 0.8 --no-linear > /dev/null
$BONSAI train two.bonsai --metric auc --epochs 20 --seeds 2 --curves e.csv | grep -E '^(model|metric|recall)' | sed -E '/^(model|metric)/s/\t[0-9.e-]+/\tN/g; s/^(recall\t[0-9]+\t[0-9]+).*/\1/'; head -1 e.csv
$BONSAI train two.bonsai --metric f1 --epochs 20 --seeds 2 --json | grep -E '^      "|"metric"|"class"' | sed -E 's/: [0-9.]+/: N/'
$BONSAI train g.bonsai --metric balanced --epochs 3 --seeds 1 | grep -E '^metric' | cut -f 1-3
