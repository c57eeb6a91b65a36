# What is running; the values differ from machine to machine.
$BONSAI version | cut -f 1
$BONSAI --version | cut -f 1
$BONSAI version --json | sed 's/: ".*"/: "..."/'
BONSAI_ISA=baseline $BONSAI version | grep isa
