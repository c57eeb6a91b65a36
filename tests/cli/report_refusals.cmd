$BONSAI generate -o g.bonsai --nodes 300 --features 20 --words 5 --classes 3 -q --no-linear > /dev/null
$BONSAI generate -o other.bonsai --nodes 200 --features 20 --words 5 --classes 3 -q --no-linear > /dev/null
$BONSAI condense g.bonsai -o small.bonsai --nodes 10 -q > /dev/null
$BONSAI report
$BONSAI report small.bonsai
$BONSAI report small.bonsai -o small.bonsai
$BONSAI report small.bonsai --full g.bonsai -o g.bonsai
$BONSAI report small.bonsai -o missing/report.html
$BONSAI report small.bonsai -o .
$BONSAI report small.bonsai -o r.html --model gcn
$BONSAI report small.bonsai --full g.bonsai -o r.html --model gcm
$BONSAI report small.bonsai --full other.bonsai -o r.html
$BONSAI report missing.bonsai -o r.html
$BONSAI report small.bonsai --full g.bonsai -o r.html --model gcn --seeds 0
$BONSAI condense g.bonsai -o s --ratios 0.1,0.2 --report r.html
$BONSAI condense g.bonsai -o s.bonsai --nodes 10 --report g.bonsai
$BONSAI condense g.bonsai -o s.bonsai --nodes 10 --report s.bonsai
$BONSAI condense g.bonsai -o s.bonsai --nodes 10 --report missing/r.html
ls
# Names of features that are not there, or not as many as features.
$BONSAI report small.bonsai --full g.bonsai -o r.html --feature-names missing.txt
printf 'a\nb\n' > two.txt; $BONSAI report small.bonsai --full g.bonsai -o r.html --feature-names two.txt
: > none.txt; $BONSAI report small.bonsai --full g.bonsai -o r.html --feature-names none.txt
# The two the other way round.
$BONSAI report g.bonsai --full small.bonsai -o r.html
