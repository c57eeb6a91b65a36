# A folder of text with a self loop, a repeated edge and one-way edges.
$BONSAI info $HERE/papers
$BONSAI info $HERE/papers --json
# The reading options change what is kept.
$BONSAI info $HERE/papers --keep-directed --keep-self-loops --keep-repeated | grep -e ^edges -e ^directed -e ^self -e ^reading
$BONSAI info $HERE/papers --keep-self-loops -t 1 | grep -e ^edges -e ^self
# Labels and features may be elsewhere.
printf '0 1\n1 2\n2 3\n' > path.el && printf '4\n4\n1\n0\n' > classes.txt && printf '1 2\n3 4\n5 6\n7 8\n' > x.txt
$BONSAI info path.el | grep -e ^nodes -e ^features -e ^classes -e ^labelled
$BONSAI info path.el --labels classes.txt --features=x.txt | grep -e ^nodes -e ^features -e ^classes -e ^labelled -e ^class
$BONSAI info path.el --labels missing.txt
# A split, and linear models on request.
$BONSAI generate -q -o g.bonsai --nodes 300 --features 50 --classes 3 --words 6 > /dev/null
$BONSAI info g.bonsai --linear -q | grep ^linear | cut -f 1
$BONSAI info path.el --linear
# No edge, no label: no homophily, no exponent.
echo '# nothing' > none.el; $BONSAI info none.el
printf 'id,label\n0,\n1,\n' > none.csv; $BONSAI info none.el --labels none.csv
# A file of a folder that holds the rest.
$BONSAI info $HERE/papers/edges.csv --brief > /dev/null
