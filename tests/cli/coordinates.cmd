# Features that are coordinates in the directions of the small graph.
$BONSAI generate -q -o g.bonsai --nodes 600 --features 80 --words 8 --classes 3 --no-linear > /dev/null
$BONSAI condense g.bonsai -o s.bonsai -r 0.05 --coordinates | grep -E '^(method|features|directions)'
$BONSAI info s.bonsai | grep -E '^(features|projected)'; $BONSAI info g.bonsai | grep -E '^(features|projected)'
$BONSAI check s.bonsai > /dev/null && echo sound
# The full graph is projected where it is judged, and models read its features.
$BONSAI eval s.bonsai g.bonsai --epochs 30 --seeds 1 --alone --save m.npz | grep -E '^(model.gcn|recall.[0-9])' > eval; $BONSAI predict m.npz g.bonsai --evaluate -q | grep '^recall.[0-9]' | cut -f 5 > b; grep ^recall eval | cut -f 4 | cmp - b
# So is it by hand, for others that read it.
$BONSAI convert g.bonsai low.bonsai --project s.bonsai -q | grep -c .; $BONSAI info low.bonsai | grep -E '^(nodes|features|projected|train)'; $BONSAI eval s.bonsai low.bonsai --epochs 30 --seeds 1 -q --alone | grep -E '^(recall.[0-9])' > low; grep ^recall eval | cmp - low
$BONSAI explain s.bonsai --node 0 --full g.bonsai | grep -c '^feature'; $BONSAI report s.bonsai --full g.bonsai -o r.html -q | grep written; $BONSAI suggest g.bonsai --keep 0.8 --coordinates -q | grep ^reached
# What does not go together is refused.
$BONSAI convert g.bonsai low.bonsai --project g.bonsai
$BONSAI convert s.bonsai low.bonsai --project s.bonsai
$BONSAI condense g.bonsai -o x.bonsai -r 0.05 --coordinates --method random
$BONSAI condense g.bonsai -o x.bonsai -r 0.05 --coordinates --members
$BONSAI condense g.bonsai -o x.bonsai --nodes 20 --coordinates
$BONSAI condense g.bonsai -o x.bonsai -r 0.0005 --coordinates
$BONSAI eval s.bonsai g.bonsai --standardise train
$BONSAI convert s.bonsai s.npz 2>&1 > /dev/null | cat; $BONSAI eval s.npz g.bonsai
