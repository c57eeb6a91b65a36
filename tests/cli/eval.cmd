# Trained on the small graph, judged on the large one.
$BONSAI generate -q -o g.bonsai --nodes 300 --features 40 --words 6 --no-linear > /dev/null
$BONSAI condense g.bonsai -o s.bonsai -r 0.1 -s 3 > /dev/null
$BONSAI eval s.bonsai --full g.bonsai --model gcn,gat,gin,sage --epochs 20 --seeds 2 | sed -E '/^(model|metric|beside)/s/\t[0-9.e-]+/\tN/g; s/^(recall\t[0-9]+\t[0-9]+).*/\1/; s/^train\t.*/train\tN/; /^lost/d'
# What condensing drew is drawn again, whatever the seed here: no node is judged that was trained on.
$BONSAI convert g.bonsai g/ -q > /dev/null; cut -d , -f 1-2 g/labels.csv > l; mv l g/labels.csv; $BONSAI condense g/ -o d.bonsai -r 0.1 -s 3 -q > /dev/null
$BONSAI eval d.bonsai --full g/ --epochs 3 --seeds 1 -s 9 --curves a | grep -E '^(split|val|test)'
# So it is with a split that was asked for, though the graph has one.
$BONSAI condense g.bonsai -o d.bonsai -r 0.1 -s 3 --split 50/25/25 > /dev/null; $BONSAI eval d.bonsai --full g.bonsai --epochs 3 --seeds 1 | grep -E '^(split|val|test)'
# Another split is another matter, and said.
$BONSAI eval d.bonsai --full g.bonsai --epochs 3 --seeds 1 --split random 2>&1 | grep -E '^(note|split|val|test)' | sed -E 's/note: [0-9]+/note: N/'
$BONSAI eval s.bonsai --full g/ --epochs 3 --seeds 1 2>&1 | grep -E '^(note|split)' | sed -E 's/note: [0-9]+/note: N/'
# The same split written down needs no note but the first.
$BONSAI split g/ -o h.bonsai -s 3 > /dev/null; $BONSAI condense g/ -o d.bonsai -r 0.1 -s 3 -q > /dev/null; $BONSAI eval d.bonsai --full h.bonsai --epochs 3 --seeds 1 -s 9 --curves b -q | grep ^split; cmp a b
# Without its report the small graph cannot tell.
$BONSAI convert d.bonsai d/ -q > /dev/null; $BONSAI eval d/ --full g/ --epochs 3 --seeds 1 -s 3 | grep -E '^(split|val|test)'
# Another graph than it was made of is told by its size.
$BONSAI generate -q -o other.bonsai --nodes 310 --features 40 --words 6 --no-linear > /dev/null; $BONSAI eval s.bonsai --full other.bonsai --epochs 3 --seeds 1 2>&1 > /dev/null | grep condensed | sed -E 's/[0-9]+/N/g'
# Features that condensing dropped are dropped in the large graph, too.
$BONSAI condense g.bonsai -o f.bonsai -r 0.1 --select-features tree > /dev/null; $BONSAI eval f.bonsai --full g.bonsai --epochs 3 --seeds 1 --save m.bonsai | grep -c '^model.gcn'; $BONSAI predict m.bonsai g.bonsai -q | wc -l
# The protocol goes by the large graph's size.
mkdir other; (cd other; python3 $HERE/flickr_size.py); $BONSAI condense other -o o.bonsai --method random -r 0.001 -q > /dev/null; $BONSAI eval o.bonsai --full other --protocol paper --hidden 8 --epochs 1 --seeds 1 --json 2>&1 | grep -E '^note:|"(hidden|standardise)"'
# The full graph's accuracy stands beside the small one's: what training on it gives, with the same options.  GRAPH may be an argument.
$BONSAI train g.bonsai --epochs 20 --seeds 2 | grep '^model.gcn' | cut -f 3 > full; $BONSAI eval s.bonsai g.bonsai --epochs 20 --seeds 2 | grep '^beside.gcn' | cut -f 5 | cmp - full
$BONSAI eval s.bonsai g.bonsai --epochs 20 --seeds 2 --json | python3 -c 'import json, sys; m = json.load(sys.stdin)["models"][0]; print(sorted(m["full"]) == sorted(set(m) - {"full", "kept", "lost_class", "saved"}), abs(m["kept"] - 100 * m["accuracy_mean"] / m["full"]["accuracy_mean"]) < 1e-6)'
# So does the recall of each class, and a class that is lost is named.
$BONSAI train g.bonsai --epochs 20 --seeds 2 | grep '^recall.[0-9]' > full; $BONSAI eval s.bonsai g.bonsai --epochs 20 --seeds 2 | grep '^recall.[0-9]' | cut -f 1-3,5 | cmp - full
$BONSAI condense g.bonsai -o few.bonsai --method degree --nodes 2 -q > /dev/null; $BONSAI eval few.bonsai g.bonsai --epochs 20 --seeds 2 | grep '^lost' | sed -E 's/[0-9.]+/N/g'; $BONSAI eval few.bonsai g.bonsai --epochs 20 --seeds 2 --json | grep -c '"lost_class": [0-9]'
# So it is with the split that condensing drew, and one that was asked for.
$BONSAI split g/ -o h.bonsai -s 3 > /dev/null; $BONSAI train h.bonsai --epochs 9 --seeds 1 | grep '^model.gcn' | cut -f 3 > full; $BONSAI eval d.bonsai g/ --epochs 9 --seeds 1 -q | grep '^beside.gcn' | cut -f 5 | cmp - full
$BONSAI train g.bonsai --split random --epochs 9 --seeds 1 | grep '^model.gcn' | cut -f 3 > full; $BONSAI eval s.bonsai g.bonsai --split random --epochs 9 --seeds 1 -q | grep '^beside.gcn' | cut -f 5 | cmp - full
# Without it, the rest is the same; too little memory leaves it out as well, and says so.
$BONSAI eval s.bonsai g.bonsai --epochs 9 --seeds 1 --curves a --alone | grep -c ^beside; $BONSAI eval s.bonsai g.bonsai --epochs 9 --seeds 1 --curves b > /dev/null; cmp a b
$BONSAI eval s.bonsai g.bonsai --epochs 9 --seeds 1 --alone --json | grep -E '"(full|kept)"'
$BONSAI eval s.bonsai g.bonsai --epochs 9 --seeds 1 --hidden 2048 --memory 1M | grep -c ^beside
# A full graph that cannot be trained on does not spoil the rest.
$BONSAI convert g.bonsai one/ -q > /dev/null; awk -F , -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /split/) c = i } NR > 1 && $c == "train" { $2 = 0 } 1' one/labels.csv > l; mv l one/labels.csv; $BONSAI eval s.bonsai one/ --epochs 3 --seeds 1 2>&1 | grep -E '^(note|beside|test)' | sed -E 's/all [0-9]+/all N/'
# The two the other way round.
$BONSAI eval g.bonsai s.bonsai
