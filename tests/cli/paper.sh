# bonsai paper: each number of the page is that of the JSON behind it, each of those is that of its
# cell or of the published figures, and an interrupted run goes on.
# SPDX-License-Identifier: MIT
command -v python3 >/dev/null || exit 77
# A graph of Cora's size, but light, in a folder within a folder; and one that only has its name.
quick="--quick --epochs 2 --seeds 2 --effort 0.0005"
mkdir -p data/deep/cora data/deep/other
(cd data/deep/cora && python3 "$HERE/cora_size.py")
"$BONSAI" generate -q -o data/deep/other/pubmed.npz --nodes 50 --features 9 --classes 3 --words 3 \
    --no-linear >/dev/null
"$BONSAI" paper --data data --out out $quick >table 2>err
python3 "$HERE/paper_page.py" out "$ROOT/data/paper/published.csv"
grep -q '^note: cora: dataset 1 of 1$' err || { cat err; exit 1; }
grep -q '^accuracy	cora	0.5	Bonsai	83.95	' table || { cat table; exit 1; }
grep -q 'measured with <code>bonsai paper --quick --protocol [a-z]*</code>, version [0-9]' out/index.html &&
    grep -q '<dd>No accuracy is compared, because' out/index.html ||
    { echo 'the page does not say what was measured and compared'; exit 1; }
grep -q 'pubmed.npz is named like PubMed, but has 50 nodes, [0-9]* edges, 9 features and 3 classes, not 19717, 88648, 500 and 3: left out' err ||
    { cat err; exit 1; }
grep -q 'Flickr (89,250 nodes) is missing; to get it: bonsai fetch flickr --to data' err || { cat err; exit 1; }
cells=$(($(wc -l <out/cells.jsonl) - 1))
cp out/results.json first.json

# A second run measures nothing, and ends with the same results but for its own seconds and the cells
# that it took over.
without_seconds() {
    sed 's/^ *"\(seconds\|seconds_runs\|taken\)": .*//' "$1"
}
without_seconds out/results.json >before.json; cp out/cells.jsonl before.jsonl
"$BONSAI" paper --data data --out out $quick --json >again.json 2>err
without_seconds out/results.json >after.json
cmp before.json after.json && cmp before.jsonl out/cells.jsonl
python3 - <<'PY'
import json
a, b, first = (json.load(open(n)) for n in ("again.json", "out/results.json", "first.json"))
assert a == b and first["seconds_runs"] == first["seconds"] and first["taken"] == 0 < b["taken"] == b["cells"]
assert abs(b["seconds_runs"] - b["seconds"] - first["seconds"]) < 1e-3, (b["seconds_runs"], b["seconds"], first["seconds"])
PY
grep -q "^note: $cells of $cells cells are in out/cells.jsonl already\$" err || { cat err; exit 1; }

# Cut off within a line it goes on, and what it measures again is the same but for times.
without_times() {   # the cells of a file; those of one small graph may come in another order
    sed 's/"seconds[a-z_]*":[^,]*,//g' "$1" | sort
}
head -c $(($(wc -c <before.jsonl) - 2000)) before.jsonl >out/cells.jsonl
"$BONSAI" paper -q --data data --out out $quick >/dev/null
without_times before.jsonl >a; without_times out/cells.jsonl >b
cmp a b || { diff a b; exit 1; }

# A disk that was full at the head of the file leaves part of it: it is written again.
mkdir torn
for bytes in 5 30 $(head -1 before.jsonl | wc -c); do
    head -c $bytes before.jsonl >torn/cells.jsonl
    "$BONSAI" paper -q --data data --out torn $quick --only gradient >/dev/null
    head -1 before.jsonl >a; head -1 torn/cells.jsonl >b
    cmp a b && [ "$(wc -l <torn/cells.jsonl)" -eq 3 ] || { cat torn/cells.jsonl; exit 1; }
done

# A signal leaves what is done, and says how to go on.
"$BONSAI" paper -q --data data --out stopped --quick --effort 0.0005 --epochs 1000 >/dev/null 2>err &
pid=$!
for wait in $(seq 300); do
    [ "$(cat stopped/cells.jsonl 2>/dev/null | wc -l)" -gt 2 ] && break
    sleep 0.1
done
kill -TERM $pid
code=0; wait $pid || code=$?
[ $code -eq 143 ] || { echo "exit $code"; cat err; exit 1; }
done=$(($(wc -l <stopped/cells.jsonl) - 1))
[ "$(cat err)" = "bonsai: canceled; $done of $cells cells are in stopped/cells.jsonl; the same command continues with the rest" ] ||
    { cat err; exit 1; }
[ ! -e stopped/index.html ]

# By its size alone, and one table at a time into the same folder.
mkdir plain; "$BONSAI" convert -q data/deep/cora plain/graph.bonsai >/dev/null
"$BONSAI" paper --data plain --out one --quick --only gradient >table 2>err
grep -q '^note: plain/graph.bonsai is taken for Cora, by its size$' err || { cat err; exit 1; }
[ "$(cut -f 1 table | tr '\n' ' ')" = "cells page " ] || { cat table; exit 1; }
"$BONSAI" paper -q --data plain --out one --quick --epochs 60 --only gradient,components >/dev/null
[ "$(sed -n 's/.*"study":"\([a-z]*\)".*/\1/p' one/cells.jsonl | tr '\n' ' ')" = "gradient weights training training training training " ] ||
    { cat one/cells.jsonl; exit 1; }

# Several splits and draws: each is a cell, and tables show their mean and its standard error.
"$BONSAI" paper -q --data plain --out several --quick --epochs 2 --only ablation --splits 2 --draws 2 --side-by-side >/dev/null
python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("several/cells.jsonl")][1:]
assert len(lines) == 5 * 4, len(lines)
own = [c for c in lines if c["method"] == "random"]
splits = [sum(c["accuracy_mean"] for c in own if c["split"] == s) / 2 for s in (0, 1)]
table = [t for t in json.load(open("several/results.json"))["tables"] if t["name"] == "ablation"][0]
cell = table["rows"][0][[h["key"] for h in table["head"]].index("random nodes")]
assert abs(cell["value"] - sum(splits) / 2) < 1e-6 and abs(cell["spread"] - abs(splits[0] - splits[1]) / 2) < 1e-6
assert (cell["splits"], cell["draws"], cell["runs"]) == (2, 2, 8), cell
assert "2 splits" in table["data"] and "Draws: 2;" in table["protocol"], table["data"]
PY

# Index lists of the published split are found by name and used; the other protocol draws its own.
mkdir lists; cp plain/graph.bonsai lists/; "$BONSAI" convert -q plain/graph.bonsai with.npz >/dev/null
"$BONSAI" split -q plain/graph.bonsai -o lists/cora-0.01.npz --split published --seed 5 >/dev/null
"$BONSAI" paper -q --data lists --out listed --quick --only datasets --json >listed.json
"$BONSAI" paper -q --data lists --out drawn --quick --only datasets --protocol ours --json >drawn.json
python3 - <<'PY'
import json
for name, parts, word in (("listed", (1516, 650, 542), "index lists"), ("drawn", (1624, 542, 542), "60/20/20, drawn")):
    table = json.load(open(name + ".json"))["tables"][0]
    row = {h["key"]: c for h, c in zip(table["head"], table["rows"][0])}
    got = [row[k]["value"] for k in ("train", "val", "test")]
    assert all(abs(a - b) <= 2 for a, b in zip(got, parts)) and word in table["data"], (got, table["data"])
PY

# Cells of a split that was drawn are not taken for those of lists that come later.
mkdir later; cp plain/graph.bonsai later/
for lists in "" lists/cora-0.01.npz; do
    [ -z "$lists" ] || cp "$lists" later/
    "$BONSAI" paper -q --data later --out mixed --quick --epochs 1 --only gradient >/dev/null
done
[ "$(sed -n 's/.*"setting":"\([a-z ]*\)".*/\1/p' mixed/cells.jsonl | uniq -c | tr -s ' \n' ' ')" = " 2 cora drawn honest 2 cora honest " ] ||
    { cat mixed/cells.jsonl; exit 1; }

# One run has no error, so that nothing is said to be within two of them; nor is anything compared
# that was trained otherwise than published; and what is large is never called better.
for run in "1 1000" "2 1000" "2 10"; do
    set -- $run
    "$BONSAI" paper -q --data plain --out sure$1-$2 --epochs $2 --seeds $1 --every 500 --only components --json >sure$1-$2.json
done
python3 - <<'PY'
import json
one, two, other = ([s for s in json.load(open("sure%s.json" % n))["summary"] if "standard errors" in s]
                   for n in ("1-1000", "2-1000", "2-10"))
assert not one and not other and "0 of 1 are within two standard errors" in two[0], (one, two, other)
cells = [c for t in json.load(open("out/results.json"))["tables"] for row in t["rows"] for c in row if isinstance(c, dict)]
assert any(c.get("large") for c in cells) and not any(c.get("large") and c.get("verdict") == "better" for c in cells)
PY

# What is too much to look at is told.
mkdir many; for i in $(seq 260); do : >many/$i.mtx; done
"$BONSAI" paper --data many --out x >/dev/null 2>err || true
grep -q '^note: many: holds 260 graphs; 4 of them were not looked at, because the limit is 256$' err || { cat err; exit 1; }

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
refuses 'did you mean energy?' --data data --out x --only enery
mkdir empty; refuses 'empty: holds none of the paper'"'"'s datasets' --data empty --out x
refuses 'was begun with --epochs 2, not 3; give the same options, or name another folder' --data data --out out $quick --epochs 3
refuses 'was begun with --protocol published, not ours' --data data --out out $quick --protocol ours
refuses 'was begun with --side-by-side false, not true' --data data --out out $quick --side-by-side
refuses 'was begun with --time-limit 5.0, not 6.0' --data data --out out $quick --time-limit 6
mkdir odd; cp plain/graph.bonsai odd/
"$BONSAI" split -q plain/graph.bonsai -o odd/cora-0.01.npz --parts 10/10/80 >/dev/null
refuses 'odd/cora-0.01.npz: its lists have 271, 271 and 2166 of 2708 nodes, which is not 56/24/20' --data odd --out y --quick --only gradient
mkdir bad; echo hello >bad/cells.jsonl
refuses 'bad/cells.jsonl: is not a table of bonsai paper; name another folder' --data data --out bad
[ "$(cat bad/cells.jsonl)" = hello ]
printf 'no line ends here' >bad/cells.jsonl
refuses 'bad/cells.jsonl: is not a table of bonsai paper' --data data --out bad
[ "$(cat bad/cells.jsonl)" = 'no line ends here' ]
head -1 before.jsonl >bad/cells.jsonl; echo '{"method":"full","model":"gcn","ratio":1,"runs":1}' >>bad/cells.jsonl
refuses 'bad/cells.jsonl:2: is not a cell of a table' --data data --out bad $quick
"$BONSAI" compare -q plain/graph.bonsai --methods random --ratios 0.1 --epochs 1 -o bad/compare.jsonl >/dev/null
mv bad/compare.jsonl bad/cells.jsonl
refuses 'bad/cells.jsonl: is not a table of bonsai paper' --data data --out bad
: >file; refuses 'file/cells.jsonl: cannot be written' --data data --out file
