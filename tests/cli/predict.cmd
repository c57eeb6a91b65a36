# Rows of CSV, with ids and class names where the graph has them.
$BONSAI train $HERE/papers --epochs 200 --seeds 1 --save m.bonsai > /dev/null
$BONSAI predict m.bonsai $HERE/papers 2> err | sed -n '1p;2p;3p;5p'; sed -E 's/[0-9.]+ %/N %/g' err
$BONSAI predict m.bonsai $HERE/papers --probabilities -q | sed -E 's/,0\.[0-9]+/,P/g; 3q'
$BONSAI predict m.bonsai $HERE/papers -o p.csv | sed -E '/^accuracy/s/\t[0-9.]+\t[0-9.]+$/\tN\tN/'; wc -l < p.csv; $BONSAI predict m.bonsai $HERE/papers -q | cmp - p.csv
$BONSAI predict m.bonsai $HERE/papers --json -q | grep -vE '"(right|accuracy)": [0-9]'
# Names with commas and quotes are quoted, and cannot send codes.
printf 'source,target\na,b\nb,c\n' > e.csv; printf '1,0,0\n0,1,0\n1,1,0\n' > e.features.csv; printf 'id,label\n"a, ""x""",trees\nb\033[1m,trees\nc,trees\n' > e.labels.csv; sed -i 's/^a,/"a, ""x""",/; s/^b,/b\x1b[1m,/; s/,b$/,b\x1b[1m/' e.csv
$BONSAI predict m.bonsai e.csv -q | sed -E 's/,[01],.*/,C/' | od -c | head
# A graph whose labels lack classes of the model; names are compared.
sed -i 's/trees/B\xc3\xa4ume/' e.labels.csv; $BONSAI predict m.bonsai e.csv -q | wc -l
sed -i 's/B\xc3\xa4ume/rocks/' e.labels.csv; $BONSAI predict m.bonsai e.csv
# The rows are complete or they are not there.
$BONSAI predict m.bonsai $HERE/papers -o /dev/full
$BONSAI predict m.bonsai $HERE/papers -q > /dev/full
$BONSAI predict m.bonsai $HERE/papers -q -o /dev/stdout | sed -n 1p
ls
# Judged instead of printed: every metric by part, and the recall of each class.
$BONSAI predict m.bonsai $HERE/papers --evaluate | grep -E '^(accuracy|recall)' | sed -E 's/\t[0-9.]+/\tN/g'
$BONSAI predict m.bonsai $HERE/papers --evaluate --json | sed -n '/"accuracy": \[/,$p' | sed -n '1,10p' | sed -E 's/: [0-9.]+/: N/'
$BONSAI predict m.bonsai $HERE/papers --evaluate -o p2.csv | grep -cE '^accuracy.(train|val|test|other)'; cmp p.csv p2.csv
printf 'source,target\n0,1\n1,2\n' > n.csv; printf '1,0,0\n0,1,0\n1,1,0\n' > n.features.csv; $BONSAI predict m.bonsai n.csv --evaluate
# An archive of weights is a model, too; anything else in one is a sentence.
$BONSAI train $HERE/papers --epochs 200 --seeds 1 --save m.npz > /dev/null; $BONSAI predict m.npz $HERE/papers -q | cmp - p.csv
$BONSAI convert $HERE/papers g.npz > /dev/null; $BONSAI predict g.npz $HERE/papers
printf 'PK\003\004 and nothing else' > bad.npz; $BONSAI predict bad.npz $HERE/papers
# Without a split the nodes that taught the model are judged too.
mkdir p; cp $HERE/papers/*.csv p; cut -d , -f 1,2 $HERE/papers/labels.csv > p/labels.csv; $BONSAI predict m.bonsai p/ --evaluate > /dev/null
# The split that was drawn in training is drawn again, and the test nodes get what they got then.
$BONSAI generate --nodes 300 --features 20 -q -o g.bonsai > /dev/null; $BONSAI convert g.bonsai q/ -q > /dev/null; cut -d , -f 1,2 q/labels.csv > l; mv l q/labels.csv; $BONSAI info q/ | grep -c '^split'
for m in d.bonsai d.npz; do $BONSAI train q/ --epochs 20 --seeds 1 --seed 5 --save $m -q | awk -F '\t' '$1 == "model" && $2 == "gcn" { print $3 }' > was; $BONSAI predict $m q/ --evaluate > e; grep -E '^accuracy' e | cut -f 1-3; awk -F '\t' '$1 == "accuracy" && $2 == "test" { print $5 }' e | cmp - was; done
# It is not drawn of other labels, of which it would call training nodes test nodes; nor where there are none.
{ head -1 q/labels.csv; tail -n +2 q/labels.csv | awk -F , 'NR == 1 { first = $2 } NR > 1 { print NR - 2 "," $2 } END { print NR - 1 "," first }'; } > l; cp -r q other; cp l other/labels.csv; $BONSAI predict d.bonsai other/ --evaluate 2> err | grep -E '^accuracy' | cut -f 1-3; grep -c 'every labelled node is judged' err
cp -r q bare; rm bare/labels.csv; $BONSAI predict d.bonsai bare/ | wc -l
# A model that says nothing of a split: all labelled nodes are judged, and called that.
$BONSAI predict m.bonsai p/ --evaluate --json 2> /dev/null | grep '"part"'; $BONSAI predict m.bonsai p/ 2>&1 > /dev/null | sed 's/[0-9.]* %/N %/'
# The model and the graph in the other order.
$BONSAI predict $HERE/papers m.bonsai; $BONSAI predict g.bonsai m.bonsai; $BONSAI predict nothing m.nothing
# Where columns have names, the first that is missing or too many is named.
mkdir t; grep -v "^#" q/edges.csv > t/edges.csv; cp q/labels.csv t; awk 'BEGIN { print "age,share,income"; for (i = 0; i < 300; i++) print i % 60 "," i % 7 / 7 "," i * 37 % 100 }' > t/features.csv; cp -r t few; cut -d , -f 1,3 t/features.csv > few/features.csv; cp -r t many; sed '1s/$/,zip/; 1!s/$/,1/' t/features.csv > many/features.csv; $BONSAI train t/ --epochs 5 --seeds 1 --save t.bonsai -q > /dev/null; $BONSAI predict t.bonsai few/; $BONSAI predict t.bonsai many/; $BONSAI condense t/ -o ts.bonsai --nodes 9 -q > /dev/null; $BONSAI eval ts.bonsai few/; $BONSAI eval ts.bonsai many/
# A column in another unit is named, in models that scale columns and in others; an honest new sample is not.
cp -r t days; awk -F , 'NR > 1 { $1 *= 365 } { print $1 "," $2 "," $3 }' t/features.csv > days/features.csv; cp -r t both; awk -F , 'NR > 1 { $2 *= 100; $3 += 5000 } { print $1 "," $2 "," $3 }' t/features.csv > both/features.csv; head -31 t/features.csv > f; mkdir new; mv f new/features.csv; { echo source,target; awk 'BEGIN { for (i = 0; i < 30; i++) print i "," (i + 1) % 30 }'; } > new/edges.csv; $BONSAI convert t/ t-scaled.bonsai --normalise columns -q > /dev/null; $BONSAI train t-scaled.bonsai --epochs 5 --seeds 1 --save t-scaled-m.bonsai -q > /dev/null; $BONSAI train t/ --epochs 5 --seeds 1 --save t.npz -q > /dev/null; for m in t.bonsai t.npz t-scaled-m.bonsai; do for g in t days both new; do echo $m $g; $BONSAI predict $m $g/ 2>&1 > /dev/null | grep unit; done; done
# Without labels it counts the nodes of each class.
$BONSAI predict t.bonsai new/ -o new.csv --json 2> /dev/null | sed -n '/"accuracy"/,$p' | grep -c '"class"'; $BONSAI predict t.bonsai new/ -o new.csv --json 2> /dev/null | awk '/"predicted"/ { on = 1 } on && /"nodes"/ { all += $2 } END { print all }'
