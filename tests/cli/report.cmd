$BONSAI generate -o g.bonsai --nodes 400 --features 40 --classes 3 --words 5 -q --no-linear > /dev/null
$BONSAI condense g.bonsai -o small.bonsai --ratio 0.1 --method trees --report made.html -q > /dev/null; test -s made.html
# The page is one file without anything that loads or runs.
$BONSAI report small.bonsai --full g.bonsai -o report.html -q | sed 's/[0-9][0-9]*$/N/'
head -c 15 report.html; grep -c '<svg class="[a-z]*" role="img"' report.html; grep -ciE '<script|<img|<link|url[(]|https?:' report.html
grep -o 'id="[a-z]*" aria-label' report.html
# The same page twice is the same; times are in that of condense alone.
$BONSAI report small.bonsai --full g.bonsai -o again.html -q > /dev/null; cmp report.html again.html
grep -c 'id="effort"' made.html report.html
# The command that repeats it does.
sed -n 's/.*<pre tabindex="0"><code>bonsai \(.*\)<.code>.*/\1/p' report.html
$BONSAI $(sed -n 's/.*<pre tabindex="0"><code>bonsai \(.*\)<.code>.*/\1/p' report.html | sed 's/ -o [^ ]*/ -o same.bonsai/') -q > /dev/null; cmp small.bonsai same.bonsai
# With models, with a title, as a fragment, without the full graph.
$BONSAI report small.bonsai --full g.bonsai -o acc.html --model gcn,sage --seeds 1 --epochs 3 -q | cut -f 1,2 | sed "s/bytes.*/bytes/"
grep -c 'id="accuracy"' acc.html
$BONSAI report small.bonsai --full g.bonsai -o acc.html --model gcn --seeds 1 --epochs 3 --metric f1 --json | grep -E '^  "[abf]|model' | sed 's/bytes.*/bytes/'; grep -o 'Test [a-zA-Z1 ]*<\|GCN, small\|GCN, balanced accuracy' acc.html | sort -u
$BONSAI report small.bonsai -o alone.html --title '<b>Mine & yours</b>' -q > /dev/null; grep -o '<h1>.*</h1>' alone.html; grep -c 'id="map"' alone.html
$BONSAI report small.bonsai -o part.html --fragment -q > /dev/null; head -c 20 part.html; grep -c '<html' part.html
$BONSAI report small.bonsai -o part.html --json -q | sed 's/[0-9][0-9]*/N/'
# The verdict comes first; what was changed stands before what was not; nothing is 0 B.
grep -o '<p class="verdict">Trained on this small graph, a GCN reaches' acc.html; grep -o 'class="what">[a-z ]*</span><svg' acc.html
sed -n '/id="options"/,/<details>/p' report.html | grep -o '>--[a-z-]*<'
grep -c '>0.\?.B<' alone.html
# Features have names where they are given, and numbers otherwise.
seq -f 'word%g' 0 39 > names.txt; $BONSAI report small.bonsai --full g.bonsai -o named.html --feature-names names.txt -q > /dev/null
for page in report named; do sed -n '/id="nodes"/,/<.section>/p' $page.html | grep -oE '(word|feature )[0-9]+<' | tr -d 0-9 | sort -u; done
# Where a probe chose the method, the command lets it choose again.
$BONSAI condense g.bonsai -o auto.bonsai --nodes 12 --layers 1 --seed 7 --hard-labels --split 50/30/20 --report auto.html -q > /dev/null
$BONSAI $(sed -n 's/.*<pre tabindex="0"><code>bonsai \(.*\)<.code>.*/\1/p' auto.html | sed 's/ -o [^ ]*/ -o same.bonsai/') -q > /dev/null; cmp auto.bonsai same.bonsai
sed -n 's/.*<pre tabindex="0"><code>bonsai \(.*\)<.code>.*/\1/p' auto.html
