# bonsai paper: each number of the page is that of the JSON behind it, each of those is that of its
# cell or of the published figures, and an interrupted run goes on.
# SPDX-License-Identifier: MIT
command -v python3 >/dev/null || exit 77
# A graph of Cora's size, but light, in a folder within a folder; and one that only has its name.
mkdir -p data/deep/other
"$BONSAI" generate -q -o data/deep/Cora.bonsai --nodes 2708 --features 1433 --classes 7 --words 3 \
    --degree 2 --no-linear >/dev/null
"$BONSAI" generate -q -o data/deep/other/pubmed.npz --nodes 50 --features 9 --classes 3 --words 3 \
    --no-linear >/dev/null
"$BONSAI" paper --data data --out out --quick --epochs 2 >table 2>err
python3 "$HERE/paper_page.py" out "$ROOT/data/paper/published.csv"
grep -q '^accuracy	cora	0.5	strict	' table || { cat table; exit 1; }
grep -q 'pubmed.npz is named like PubMed, but has 50 nodes, 9 features and 3 classes, not 19717, 500 and 3: left out' err ||
    { cat err; exit 1; }
grep -q 'Flickr (89,250 nodes) is not there; to get it: bonsai fetch flickr --to data' err || { cat err; exit 1; }

# A second run measures nothing, and ends with the same results.
cp out/results.json before.json; cp out/cells.csv before.csv
"$BONSAI" paper --data data --out out --quick --epochs 2 --json >again.json 2>err
cmp before.json out/results.json && cmp before.csv out/cells.csv
python3 -c 'import json; a, b = (json.load(open(n)) for n in ("again.json", "before.json")); assert a == b'
grep -q '^note: 98 of 98 cells are in out/cells.csv already$' err || { cat err; exit 1; }

# Cut off within a line it goes on, and what it measures again is the same but for times.
head -c $(($(wc -c <before.csv) - 700)) before.csv >out/cells.csv
"$BONSAI" paper -q --data data --out out --quick --epochs 2 >/dev/null
[ "$(wc -l <out/cells.csv)" -eq "$(wc -l <before.csv)" ]
cut -d, -f 1-18,25-26 before.csv >a; cut -d, -f 1-18,25-26 out/cells.csv >b
cmp a b || { diff a b; exit 1; }

# A disk that was full at the head of the file leaves part of it: it is written again.
mkdir torn
for bytes in 5 $(head -1 before.csv | wc -c) $(($(head -1 before.csv | wc -c) + 9)); do
    head -c $bytes before.csv >torn/cells.csv
    "$BONSAI" paper -q --data data --out torn --quick --epochs 2 --only gradient >/dev/null
    head -2 before.csv >a; head -2 torn/cells.csv >b
    cmp a b && [ "$(wc -l <torn/cells.csv)" -eq 4 ] || { cat torn/cells.csv; exit 1; }
done

# A signal leaves what is done, and says how to go on.
"$BONSAI" paper -q --data data --out stopped --quick --epochs 1000 >/dev/null 2>err &
pid=$!
for wait in $(seq 300); do
    [ "$(cat stopped/cells.csv 2>/dev/null | wc -l)" -gt 3 ] && break
    sleep 0.1
done
kill -TERM $pid
code=0; wait $pid || code=$?
[ $code -eq 143 ] || { echo "exit $code"; cat err; exit 1; }
done=$(($(wc -l <stopped/cells.csv) - 2))
[ "$(cat err)" = "bonsai: canceled; $done of 98 cells are in stopped/cells.csv, and the same command goes on with the rest" ] ||
    { cat err; exit 1; }
[ ! -e stopped/index.html ]

# By its size alone, and one table at a time into the same folder.
mkdir plain; cp data/deep/Cora.bonsai plain/graph.bonsai
"$BONSAI" paper --data plain --out one --quick --only gradient >table 2>err
grep -q '^note: plain/graph.bonsai is taken for Cora, by its size$' err || { cat err; exit 1; }
[ "$(cut -f 1 table | tr '\n' ' ')" = "cells better page " ] || { cat table; exit 1; }
"$BONSAI" paper -q --data plain --out one --quick --epochs 60 --only gradient,components >/dev/null
[ "$(cut -d, -f 1 one/cells.csv | tail -n +3 | tr '\n' ' ')" = "gradient weights fit fit " ] ||
    { cat one/cells.csv; exit 1; }

# Refusals.
refuses() {         # sentence, arguments
    sentence=$1; shift
    code=0; "$BONSAI" paper "$@" >/dev/null 2>err || code=$?
    grep -qF -e "$sentence" err && [ $code -ne 0 ] || { echo "exit $code, not: $sentence"; cat err; exit 1; }
}
refuses '--data is missing' --out x
refuses '--out is missing' --data data
refuses 'nowhere: cannot be opened: No such file or directory' --data nowhere --out x
refuses 'table: is not a folder' --data table --out x
refuses 'did you mean carbon?' --data data --out x --only karbon
mkdir empty; refuses 'empty: holds none of the paper'"'"'s datasets' --data empty --out x
refuses 'give the same options, or name another folder' --data data --out out --quick --epochs 3
mkdir bad; echo hello >bad/cells.csv
refuses 'bad/cells.csv: is not what bonsai paper wrote' --data data --out bad
[ "$(cat bad/cells.csv)" = hello ]
printf 'no line ends here' >bad/cells.csv
refuses 'bad/cells.csv: is not what bonsai paper wrote' --data data --out bad
[ "$(cat bad/cells.csv)" = 'no line ends here' ]
head -2 before.csv >bad/cells.csv; echo fit,cora >>bad/cells.csv
refuses 'bad/cells.csv:3: is not a cell of bonsai paper' --data data --out bad --quick --epochs 2
: >file; refuses 'file/cells.csv: cannot be written' --data data --out file
