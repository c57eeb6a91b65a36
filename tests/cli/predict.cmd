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
sed -i 's/trees/B\xc3\xa4ume/' e.labels.csv; $BONSAI predict m.bonsai e.csv
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
