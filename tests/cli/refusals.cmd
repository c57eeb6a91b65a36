# What cannot be read is exit 1, one sentence, and nothing written.
mkdir folder && : > empty.bonsai && echo 'no graph at all' > garbage.bonsai && echo 'no zip' > garbage.npz && : > empty.npz
$BONSAI info nothing.bonsai
$BONSAI check nothing.npz
$BONSAI info folder
$BONSAI info folder/
$BONSAI info bonsai:folder
$BONSAI check empty.bonsai
$BONSAI check garbage.bonsai
$BONSAI check empty.npz
$BONSAI check garbage.npz
$BONSAI check npz:garbage.bonsai
$BONSAI check bonsai:garbage.npz
$BONSAI check --json garbage.bonsai
$BONSAI convert garbage.bonsai out.npz
$BONSAI convert nothing.bonsai out.bonsai
$BONSAI split garbage.bonsai -o out.bonsai
$BONSAI -- info

# What cannot be written is found before the work.
$BONSAI generate -o nowhere/out.bonsai --nodes 100
$BONSAI generate -o garbage.npz/out.bonsai --nodes 100
$BONSAI generate -o out.graph --nodes 100
$BONSAI generate -o mtx:out --nodes 100
$BONSAI generate -o out --nodes 100
$BONSAI generate -o /proc/out.bonsai --nodes 100
mkfifo pipe; $BONSAI generate -o bonsai:pipe --nodes 100; test -p pipe && rm pipe
$BONSAI generate -o bonsai:folder --nodes 100
$BONSAI demo -o nowhere/else
$BONSAI demo -o garbage.npz
find . | sort

# A file that would be ignored is refused, unless another graph takes it.
$BONSAI generate -q -o g.bonsai --nodes 60 --no-linear > out && $BONSAI convert -q g.bonsai g.npz > out && $BONSAI convert -q g.bonsai text/ > out
$BONSAI check g.bonsai --labels text/labels.csv
$BONSAI info g.npz --features text/features.csv
$BONSAI condense g.bonsai -o small.bonsai --nodes 5 --labels text/labels.csv
$BONSAI condense -q g.bonsai -o small.bonsai --nodes 5 > out
$BONSAI explain small.bonsai --labels text/labels.csv
$BONSAI explain small.bonsai --full text --labels text/labels.csv > out
$BONSAI eval small.bonsai --full text --labels text/labels.csv --epochs 1 --seeds 1 > out
$BONSAI eval small.bonsai --full g.bonsai --labels text/labels.csv --epochs 1
