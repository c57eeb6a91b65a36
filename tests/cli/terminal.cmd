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
