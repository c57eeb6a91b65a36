# The list of commands, and each command explained.
$BONSAI help
$BONSAI --help
$BONSAI generate --help
$BONSAI info -h
$BONSAI check --help
$BONSAI convert --help
$BONSAI split --help
$BONSAI condense --help
$BONSAI plan --help
$BONSAI suggest --help
$BONSAI explain --help
$BONSAI train --help
$BONSAI eval --help
$BONSAI predict --help
$BONSAI compare --help
$BONSAI fetch --help
$BONSAI report --help
$BONSAI paper --help
$BONSAI demo --help
$BONSAI version --help
$BONSAI help help

# The ways to ask are one.
$BONSAI > a; $BONSAI help > b; cmp a b
$BONSAI help split > a; $BONSAI split --help > b; cmp a b
# Defaults are those of the library, whatever else stands on the line.
$BONSAI generate --nodes 5 --help | grep nodes
$BONSAI condense -k 9 --help | grep ' -k'
$BONSAI train x --epochs 7 --protocol paper --help | grep epochs
$BONSAI help methods
$BONSAI help methods --json | grep -c '"name"'
$BONSAI help formats | sed -n "s,^  \([a-z][a-z0-9]*\) .*,\1,p"
