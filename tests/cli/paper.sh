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
grep -q 'Flickr (89,250 nodes) is missing; to get it: bonsai fetch flickr --to data' err || { cat err; exit 1; }

# A second run measures nothing, and ends with the same results.
cp out/results.json before.json; cp out/cells.jsonl before.jsonl
"$BONSAI" paper --data data --out out --quick --epochs 2 --json >again.json 2>err
cmp before.json out/results.json && cmp before.jsonl out/cells.jsonl
python3 -c 'import json; a, b = (json.load(open(n)) for n in ("again.json", "before.json")); assert a == b'
grep -q '^note: 98 of 98 cells are in out/cells.jsonl already$' err || { cat err; exit 1; }

# Cut off within a line it goes on, and what it measures again is the same but for times.
without_times() {   # the cells of a file; those of one small graph may come in another order
    sed 's/"\(seconds\|joules\)[a-z_]*":[^,]*,//g' "$1" | sort
}
head -c $(($(wc -c <before.jsonl) - 2000)) before.jsonl >out/cells.jsonl
"$BONSAI" paper -q --data data --out out --quick --epochs 2 >/dev/null
without_times before.jsonl >a; without_times out/cells.jsonl >b
cmp a b || { diff a b; exit 1; }

# A disk that was full at the head of the file leaves part of it: it is written again.
mkdir torn
for bytes in 5 30 $(head -1 before.jsonl | wc -c); do
    head -c $bytes before.jsonl >torn/cells.jsonl
    "$BONSAI" paper -q --data data --out torn --quick --epochs 2 --only gradient >/dev/null
    head -1 before.jsonl >a; head -1 torn/cells.jsonl >b
    cmp a b && [ "$(wc -l <torn/cells.jsonl)" -eq 3 ] || { cat torn/cells.jsonl; exit 1; }
done

# A signal leaves what is done, and says how to go on.
"$BONSAI" paper -q --data data --out stopped --quick --epochs 1000 >/dev/null 2>err &
pid=$!
for wait in $(seq 300); do
    [ "$(cat stopped/cells.jsonl 2>/dev/null | wc -l)" -gt 2 ] && break
    sleep 0.1
done
kill -TERM $pid
code=0; wait $pid || code=$?
[ $code -eq 143 ] || { echo "exit $code"; cat err; exit 1; }
done=$(($(wc -l <stopped/cells.jsonl) - 1))
[ "$(cat err)" = "bonsai: canceled; $done of 98 cells are in stopped/cells.jsonl; the same command continues with the rest" ] ||
    { cat err; exit 1; }
[ ! -e stopped/index.html ]

# By its size alone, and one table at a time into the same folder.
mkdir plain; cp data/deep/Cora.bonsai plain/graph.bonsai
"$BONSAI" paper --data plain --out one --quick --only gradient >table 2>err
grep -q '^note: plain/graph.bonsai is taken for Cora, by its size$' err || { cat err; exit 1; }
[ "$(cut -f 1 table | tr '\n' ' ')" = "cells better page " ] || { cat table; exit 1; }
"$BONSAI" paper -q --data plain --out one --quick --epochs 60 --only gradient,components >/dev/null
[ "$(sed -n 's/.*"study":"\([a-z]*\)".*/\1/p' one/cells.jsonl | tr '\n' ' ')" = "gradient weights training training " ] ||
    { cat one/cells.jsonl; exit 1; }

# Several splits and draws: each is a cell, and tables show their mean and its standard error.
"$BONSAI" paper -q --data plain --out several --quick --epochs 2 --only ablation --splits 2 --draws 2 --side-by-side >/dev/null
python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("several/cells.jsonl")][1:]
assert len(lines) == 12 * 4, len(lines)
own = [c for c in lines if c["method"] == "random" and c["ratio"] == 0.01]
splits = [sum(c["accuracy_mean"] for c in own if c["split"] == s) / 2 for s in (0, 1)]
table = json.load(open("several/results.json"))["tables"][0]
random = [h["key"] for h in table["head"]].index("random")
cell = [row for row in table["rows"] if row[1] == 1 and row[2] == "strict"][0][random]
assert abs(cell["value"] - sum(splits) / 2) < 1e-6 and abs(cell["spread"] - abs(splits[0] - splits[1]) / 2) < 1e-6
PY
grep -q 'Mean ± standard error; 2 splits, 2 draws, runs of each: 1;' several/index.html || exit 1

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
refuses 'was begun with --epochs 2, not 3; give the same options, or name another folder' --data data --out out --quick --epochs 3
mkdir bad; echo hello >bad/cells.jsonl
refuses 'bad/cells.jsonl: is not a table of bonsai paper; name another folder' --data data --out bad
[ "$(cat bad/cells.jsonl)" = hello ]
printf 'no line ends here' >bad/cells.jsonl
refuses 'bad/cells.jsonl: is not a table of bonsai paper' --data data --out bad
[ "$(cat bad/cells.jsonl)" = 'no line ends here' ]
head -1 before.jsonl >bad/cells.jsonl; echo '{"method":"full","model":"gcn","ratio":1,"runs":1}' >>bad/cells.jsonl
refuses 'bad/cells.jsonl:2: is not a cell of a table' --data data --out bad --quick --epochs 2
"$BONSAI" compare -q data/deep/Cora.bonsai --methods random --ratios 0.1 --epochs 1 -o bad/compare.jsonl >/dev/null
mv bad/compare.jsonl bad/cells.jsonl
refuses 'bad/cells.jsonl: is not a table of bonsai paper' --data data --out bad
: >file; refuses 'file/cells.jsonl: cannot be written' --data data --out file
