# Results that cannot be written are a failure, and the sentence says so.
$BONSAI version > /dev/full
$BONSAI help > /dev/full
$BONSAI generate --help > /dev/full
# A reader that has enough is not: the program ends by SIGPIPE, as others do, and says nothing.
(sleep 0.3; $BONSAI help; echo "code $?" >&2) | true
$BONSAI generate -q -o g.bonsai --nodes 3000 --features 40 --words 5 --no-linear > /dev/null; $BONSAI train g.bonsai -q --model gcn --epochs 2 --seeds 1 --save m.bonsai > /dev/null
(sleep 0.3; $BONSAI info g.bonsai --json; echo "code $?" >&2) | true
(sleep 0.3; $BONSAI predict -q m.bonsai g.bonsai; echo "code $?" >&2) | true
(sleep 0.3; $BONSAI condense g.bonsai -o s.bonsai -r 0.1 --method random; echo "code $?" >&2) | true; $BONSAI check s.bonsai > /dev/null && echo complete
(sleep 0.3; $BONSAI info none.bonsai; echo "code $?" >&2) | true
($BONSAI demo; echo "code $?" >&2) | head -1 | cut -c 1-6; ls $TMPDIR
# Its own failure counts more.
(sleep 0.3; $BONSAI predict m.bonsai g.bonsai -q -o /dev/full; echo "code $?" >&2) | true
$BONSAI predict -q m.bonsai g.bonsai > /dev/full
