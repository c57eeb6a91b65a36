# The main commands, all of them, and each explained.
$BONSAI help
$BONSAI help all
$BONSAI condense --help
$BONSAI check --help
$BONSAI help help
for c in $($BONSAI help --rows | sed 1d | cut -f 2); do $BONSAI $c --help | head -1; done

# The ways to ask are one.
$BONSAI > a; $BONSAI help > b; cmp a b; $BONSAI --help | cmp - b; $BONSAI info -h > a; $BONSAI info --help | cmp - a
$BONSAI help split > a; $BONSAI split --help > b; cmp a b
$BONSAI help condense all > a; $BONSAI condense --help all > b; cmp a b
$BONSAI help condense most
# Defaults are those of the library, whatever else stands on the line.
$BONSAI generate --nodes 5 --help | grep nodes
$BONSAI condense -k 9 --help all | grep ' -k'
$BONSAI train x --epochs 7 --protocol paper --help all | grep epochs
$BONSAI help methods
$BONSAI help methods --json | grep -c '"name"'
$BONSAI help formats | sed -n "s,^  \([a-z][a-z0-9]*\) .*,\1,p"
