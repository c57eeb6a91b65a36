# On a terminal: headings, aligned columns, bars; at most 20 classes.
i=0; echo id,label > labels.csv; echo source,target > edges.csv; while [ $i -lt 30 ]; do echo "$i,class $((i * 7 % 23))" >> labels.csv; echo "$((i / 3)),$i" >> edges.csv; i=$((i + 1)); done
script -qec "$BONSAI info edges.csv --labels labels.csv" /dev/null | tr -d '\r'
LC_ALL=C script -qec "$BONSAI info edges.csv" /dev/null | tr -d '\r' | grep '#'
script -qec "$BONSAI convert edges.csv g/" /dev/null | tr -d '\r'
script -qec "$BONSAI split edges.csv --labels labels.csv -o g.bonsai" /dev/null | tr -d '\r'
# Headings are bold where the terminal can, and colour is not refused.
TERM=xterm script -qec "$BONSAI info edges.csv" /dev/null | tr -d '\r' | grep Degrees | od -c | head -2
TERM=xterm NO_COLOR=1 script -qec "$BONSAI info edges.csv" /dev/null | tr -d '\r' | grep Degrees
# Names cannot send codes to the terminal, nor break a row.
printf 'id,label\n0,a\033[31mred\n1,b\n' > labels.csv; printf '0,1\n' > edges.csv
$BONSAI info edges.csv --labels labels.csv | grep ^class | od -c
# Neither those of 128 to 159, nor turns of direction, nor bytes that are not UTF-8.
printf 'id,label\n0,a\302\2335mx\n1,b\342\200\256c\342\201\246d\n' > labels.csv
$BONSAI info edges.csv --labels labels.csv | grep ^class
printf '0 1\n' > "$(printf 'n\302\233m\233.el')"; $BONSAI info "$(printf 'm\302\233m\342\200\256.el')" 2>&1; $BONSAI info "$(printf 'n\302\233m\233.el')" | head -1
# Condensed graphs: small beside full; figures that may change are masked.
$BONSAI generate -q -o g.bonsai --nodes 600 --features 60 --words 6 --no-linear > /dev/null
COLUMNS=120 script -qec "$BONSAI condense g.bonsai -o t.bonsai -r 0.1 --method trees -v" /dev/null | tr -d '\r' | sed 's/.*\x1b\[K//; /^condense: /d; /^bonsai /d' | sed -E 's/[0-9][0-9,.]*( [kMG]?B)?/N/g; s/ +N/ N/g'
COLUMNS=120 script -qec "$BONSAI condense g.bonsai -o s.bonsai -r 0.1" /dev/null | tr -d '\r' | sed 's/.*\x1b\[K//; /^condense: /d' | sed -E 's/[0-9][0-9,.]*( [kMG]?B)?/N/g; s/ +N/ N/g'
COLUMNS=120 script -qec "$BONSAI condense g.bonsai -o s --ratios 0.05,0.1" /dev/null | tr -d '\r' | sed 's/.*\x1b\[K//; /^condense: /d' | sed -E 's/[0-9][0-9,.]*\b/N/g; s/ +N/ N/g; s/ +/ /g'
COLUMNS=120 script -qec "$BONSAI explain t.bonsai" /dev/null | tr -d '\r' | sed -E 's/[0-9a-f]{8}/CRC/; s/[0-9][0-9,.]*/N/g; s/ +(N|CRC)/ \1/g; s/ *█.*//'
COLUMNS=120 script -qec "$BONSAI explain s.bonsai" /dev/null | tr -d '\r' | sed -E 's/[0-9a-f]{8}/CRC/; s/[0-9][0-9,.]*/N/g; s/ +(N|CRC)/ \1/g; s/ *█.*//'
COLUMNS=120 script -qec "$BONSAI explain s.bonsai --node 0" /dev/null | tr -d '\r' | head -5 | sed -E 's/[0-9][0-9,.]*/N/g; s/ +N/ N/g'
COLUMNS=120 script -qec "$BONSAI info s.bonsai" /dev/null | tr -d '\r' | sed -nE '/^Condensed/,/^$/p' | sed -E 's/[0-9][0-9,.]*/N/g; s/ +N/ N/g'
# Training: one row a model.
COLUMNS=120 script -qec "$BONSAI train g.bonsai --model gcn,gin --seeds 2 --epochs 20 --save m --curves c.csv" /dev/null | tr -d '\r' | sed -E 's/[0-9][0-9,]*\.\.[0-9]+/N/; s/[0-9][0-9,.]*/N/g; s/ +N/ N/g; s/   +/  /g'
COLUMNS=120 script -qec "$BONSAI predict m-gin.bonsai g.bonsai -o p.csv" /dev/null | tr -d '\r' | sed -E 's/[0-9][0-9,.]*/N/g; s/ +N/ N/g'
COLUMNS=120 script -qec "$BONSAI eval s.bonsai g.bonsai --seeds 2 --epochs 20" /dev/null | tr -d '\r' | sed -nE '/^Accuracy.*by/,/^$/p' | sed -E 's/[0-9][0-9,.]*/N/g; s/ +N/ N/g'
# The next command is for people: not into a pipe, not with -q; paths that need quotes have them.
COLUMNS=120 script -qec "$BONSAI condense g.bonsai -o \"it's.bonsai\" -r 0.1" /dev/null | tr -d '\r' | sed 's/.*\x1b\[K//; /^condense: /d' | tail -1
COLUMNS=120 script -qec "$BONSAI condense g.bonsai -o s.bonsai -r 0.1 -q; $BONSAI condense g.bonsai -o s.bonsai -r 0.1 | grep ^next; $BONSAI condense g.bonsai -o s.bonsai -r 0.1 2>e > /dev/null; cat e" /dev/null | grep -c ^next
