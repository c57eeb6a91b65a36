# Tables whose columns have names of their own: notes of doubt, and sentences that say what to do.
printf 'buyer,partner\nC1,C2\nC2,C3\n' > e.csv; $BONSAI convert e.csv g.bonsai > /dev/null; $BONSAI info e.csv | grep ^nodes; $BONSAI convert -q e.csv g.bonsai > /dev/null
printf 'customer,tier\nC1,gold\nC2,gold\nC3,none\n' > l.csv; $BONSAI convert e.csv g.bonsai --labels l.csv
printf 'customer,label\nC1,gold\nC2,gold\nC3,none\n' > l.csv; $BONSAI convert e.csv g.bonsai --labels l.csv > /dev/null; $BONSAI info g.bonsai | grep -E '^(nodes|classes)'
printf '0,1\n1,2\n' > n.csv; printf 'age,account\n1,3\n1,0\n1,1\n1,2\n1,5\n1,4\n1,6\n1,7\n' > f.csv; $BONSAI convert n.csv g.bonsai --features f.csv > /dev/null; $BONSAI convert -q n.csv g.bonsai --features f.csv > /dev/null
sed 1d f.csv > g.csv; $BONSAI convert n.csv g.bonsai --features g.csv > /dev/null
mkdir t && cp n.csv t/edges.csv && cp f.csv t/features.csv && $BONSAI convert t g.bonsai > /dev/null
# One table of all.
printf 'customer,age,member,label,split\nC1,30,1,gold,train\nC2,41,0,gold,\nC3,52,1,none,test\n' > all.csv; $BONSAI convert e.csv g.bonsai --features all.csv --labels all.csv -q > /dev/null; $BONSAI info g.bonsai | grep -E '^(nodes|features|classes|train|test)'; $BONSAI info g.bonsai --json | sed -n '/"feature_names"/,/]/p'
$BONSAI convert e.csv g.bonsai --labels all.csv
sed 's/,1,gold/,yes,gold/' all.csv > yes.csv; $BONSAI convert e.csv g.bonsai --features yes.csv --labels yes.csv
sed 's/label/tier/' all.csv > tier.csv; $BONSAI convert e.csv g.bonsai --features tier.csv --labels tier.csv
# Columns of edges: a weight of another name, and columns that are not read.
printf 'source,target,amount\n0,1,5\n1,2,7\n' > pay.csv; $BONSAI convert pay.csv g.bonsai > /dev/null; $BONSAI convert -q pay.csv g.bonsai > /dev/null; sed 's/amount/weight/' pay.csv > w.csv; $BONSAI convert w.csv g.bonsai > /dev/null
printf 'day,to,weight,note,from\n3,1,5,,0\n4,2,7,"x,y",1\n' > wide.csv; $BONSAI convert wide.csv wide.bonsai > /dev/null; cmp g.bonsai wide.bonsai
printf 'day,buyer,seller,amount\n3,1,5,0\n4,2,7,1\n' > pay.csv; $BONSAI convert pay.csv g.bonsai
# Cells that are no numbers.
printf 'id,age,income\nC1,30,100\nC2,,200\nC3,52,300\n' > f.csv; $BONSAI convert e.csv g.bonsai --features f.csv
printf 'id;age;income\nC1;30;50285,0\n' > f.csv; $BONSAI convert e.csv g.bonsai --features f.csv
printf 'id,age,label\nC1,30,stays\nC2,41,leaves\nC3,52,stays\n' > f.csv; $BONSAI convert e.csv g.bonsai --features f.csv; $BONSAI convert -q e.csv g.bonsai --features f.csv --labels f.csv > /dev/null
printf ',customer_id,age\n0,C1,30\n1,C2,41\n2,C3,52\n' > f.csv; $BONSAI convert e.csv g.bonsai --features f.csv
sed -n 1p all.csv > hdr.csv; $BONSAI convert e.csv g.bonsai --features hdr.csv; $BONSAI convert e.csv g.bonsai --labels hdr.csv --features hdr.csv
# Labels of some nodes: the features list the nodes.
printf 'id,age\nC1,30\nC2,41\nC3,52\n' > f.csv; printf 'id,label,split\nC3,stays,train\nC1,leaves,test\n' > part.csv; $BONSAI convert e.csv g.bonsai --features f.csv --labels part.csv > /dev/null; $BONSAI info g.bonsai | grep -E '^(nodes|features|classes|labelled|train|test)'
$BONSAI convert e.csv g.bonsai --labels part.csv
