# Names of features: of a header, of a file, through every format and into small graphs.
mkdir t && printf 'source,target\n0,1\n1,2\n2,3\n3,4\n4,5\n5,0\n0,3\n1,4\n' > t/edges.csv
printf 'id,age,"pay, in €",\n0,1,0,2\n1,0,3,0\n2,1,1,0\n3,0,0,2\n4,3,0,1\n5,0,2,2\n' > t/features.csv
printf 'label,split\nyes,train\nno,train\nyes,train\nno,train\nyes,val\nno,test\n' > t/labels.csv
$BONSAI convert t g.bonsai -q > /dev/null; $BONSAI info g.bonsai --json | sed -n '/"feature_names"/,/]/p'
for out in g.npz g/; do $BONSAI convert g.bonsai $out -q > /dev/null && $BONSAI convert $out back.bonsai -q > /dev/null && cmp g.bonsai back.bonsai; done; head -5 g/features.csv
# One a line, for any graph; as many as features.
printf 'one\r\ntwo\nthree' > n.txt; $BONSAI convert g.bonsai h.bonsai --feature-names n.txt -q > /dev/null; $BONSAI info h.bonsai --json | sed -n '/"feature_names"/,/]/p'
printf 'one\n' > few.txt; $BONSAI convert g.bonsai x.bonsai --feature-names few.txt; test -e x.bonsai
$BONSAI convert g.bonsai x.bonsai --feature-names missing.txt
printf 'a\n\377\nc\n' > bad.txt; $BONSAI convert g.bonsai x.bonsai --feature-names bad.txt
printf 'age,pay\n1,2,3\n1,2,3\n' > f.csv; printf '0 1\n' > e.el; $BONSAI convert e.el --features f.csv x.bonsai
# Names take no bytes that count, and change nothing else.
$BONSAI convert t/edges.csv --features g/features.csv --labels t/labels.csv named.bonsai -q > /dev/null; sed '/^#/d' g/features.csv > plain.csv; $BONSAI convert t/edges.csv --features plain.csv --labels t/labels.csv plain.bonsai -q > /dev/null; for x in named plain; do $BONSAI info $x.bonsai | grep -P '^(bytes|sections\tfeature names)\t'; $BONSAI condense $x.bonsai -o s-$x.bonsai --nodes 2 --method prototypes -q > /dev/null; $BONSAI info s-$x.bonsai | grep -P '^(bytes|sections\tfeature names)\t'; done
# What uses them.
$BONSAI explain s-named.bonsai --node 0 | grep ^features
$BONSAI train g.bonsai --save m.bonsai --seeds 1 --epochs 2 --hidden 2 -q > /dev/null; $BONSAI predict m.bonsai g.bonsai -q > /dev/null && echo fits
# Another order, other names, no names.
printf '\n\nage\n' > turned.txt; $BONSAI convert g.bonsai turned.bonsai --feature-names turned.txt -q > /dev/null; $BONSAI predict m.bonsai turned.bonsai -q > /dev/null && echo fits
printf 'pay, in €\nage\nx\n' > turned.txt; $BONSAI convert g.bonsai turned.bonsai --feature-names turned.txt -q > /dev/null; $BONSAI predict m.bonsai turned.bonsai
$BONSAI predict m.bonsai h.bonsai
$BONSAI predict m.bonsai plain.bonsai -q > /dev/null && echo fits
$BONSAI eval s-named.bonsai --full turned.bonsai
$BONSAI eval s-plain.bonsai --full turned.bonsai --seeds 1 --epochs 2 -q > /dev/null && echo fits
