# There and back through every format that can be written.
$BONSAI convert $HERE/papers g.bonsai
$BONSAI convert g.bonsai g.npz | sed '/^out.bytes/s/[0-9].*/.../; /^ratio/s/[0-9].*/.../'
$BONSAI convert g.npz h.bonsai -q | cut -f 1
$BONSAI convert g.bonsai text/ && $BONSAI convert -q text/ k.bonsai > /dev/null
cmp g.bonsai k.bonsai && cmp g.bonsai h.bonsai
$BONSAI convert g.bonsai --json npz:archive | grep path
$BONSAI check npz:archive
# Encodings of features.
for as in auto keep f32 f16 u8 sparse sparse-u8; do $BONSAI convert $HERE/papers e.bonsai --features-as $as -q > /dev/null && echo $as $(wc -c < e.bonsai) bytes $($BONSAI info e.bonsai | grep ^feature_encoding); done
$BONSAI convert g.bonsai e.npz --features-as u8 | cut -f 1 | tail -1
$BONSAI convert g.bonsai e.npz --features-as u8 -q | cut -f 1 | tail -1
# Onto itself.
$BONSAI convert g.bonsai g.bonsai -q > /dev/null && $BONSAI check g.bonsai
# A failure leaves what was there.
cp g.bonsai old.bonsai && $BONSAI convert nothing.npz old.bonsai; cmp g.bonsai old.bonsai
ls
# Rows that sum to 1, and features that cannot.
$BONSAI convert g.bonsai r.bonsai --normalise rows -q > /dev/null && $BONSAI check r.bonsai && $BONSAI info r.bonsai | grep ^feature_encoding
printf '0 1\n' > n.el; printf '1,2\n-3,1\n' > n.csv; $BONSAI convert n.el --features n.csv n.bonsai --normalise rows; test -e n.bonsai
# Columns of mean 0 and spread 1, dense and sparse, once; what is made of them scales what comes later.
printf '0 1\n1 2\n2 3\n' > k.el; printf 'income,share,rare\n10000,0.1,0\n30000,0.3,0\n10000,0.3,2\n30000,0.1,0\n' > k.csv; $BONSAI convert k.el --features k.csv k.bonsai --normalise columns -q > /dev/null && $BONSAI convert k.bonsai k.text/ -q 2>&1 > /dev/null; cat k.text/features.csv
$BONSAI convert k.bonsai r.bonsai --normalise columns; $BONSAI convert g.bonsai r.bonsai --normalise columns -q > /dev/null && $BONSAI check r.bonsai && $BONSAI info r.bonsai | grep -E '^feature_encoding|feature (mean|spread)'
$BONSAI convert g.bonsai r.bonsai --normalise both
# Other orders: the origin says where a node was, and going back is possible.
for how in none random degree; do $BONSAI convert g.bonsai o.bonsai --order $how -q > /dev/null && $BONSAI check o.bonsai; done
$BONSAI convert g.bonsai a.bonsai --order random -s 7 -q > /dev/null; $BONSAI convert g.bonsai b.bonsai --order random -s 7 -q > /dev/null; cmp a.bonsai b.bonsai
$BONSAI convert g.bonsai o.bonsai --order degree --parts 3 | cut -f 1 | tail -1
$BONSAI convert g.bonsai o.bonsai --order best
# Nodes with a label or a part of the split, and the edges among them.
printf 'label,split\n0,train\n-1,\n1,\n-1,test\n' > l.csv; printf '0 1\n1 2\n2 3\n0 2\n' > l.el
$BONSAI convert l.el --labels l.csv l.bonsai --labelled -q > /dev/null && $BONSAI info l.bonsai | grep -E '^(nodes|edges|labelled|test|sections.origin)'
$BONSAI convert l.el --labels l.csv l/ --labelled --order degree -q > /dev/null && $BONSAI info l/ | grep -E '^(nodes|edges)'
