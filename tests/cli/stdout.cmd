# Results that cannot be written are a failure, and the sentence says so.
$BONSAI version > /dev/full
$BONSAI help > /dev/full
$BONSAI generate --help > /dev/full
(sleep 0.3; $BONSAI help; echo "code $?" >&2) | true
