# One line for a valid graph; for any other its fault and exit 1.
$BONSAI check $HERE/papers
$BONSAI check --json $HERE/papers
$BONSAI check text:$HERE/papers -q
$BONSAI convert -q $HERE/papers g.bonsai > /dev/null && $BONSAI check g.bonsai
head -c 200 g.bonsai > cut.bonsai; $BONSAI check cut.bonsai
# One changed byte at the end, and one in the header.
cp g.bonsai bad.bonsai; printf '\377' | dd of=bad.bonsai bs=1 seek=$(($(wc -c < g.bonsai) - 1)) conv=notrunc 2> /dev/null; $BONSAI check bad.bonsai
cp g.bonsai bad.bonsai; printf '\377' | dd of=bad.bonsai bs=1 seek=20 conv=notrunc 2> /dev/null; $BONSAI check bad.bonsai
$BONSAI info bad.bonsai; $BONSAI convert bad.bonsai no.npz; $BONSAI split bad.bonsai -o no.bonsai; ls
printf '0 1\n0 x y z\n' > bad.el; $BONSAI check bad.el
