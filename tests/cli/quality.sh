# bench/quality.sh: the tables are those of the cells, and a second run measures only what is new.
# SPDX-License-Identifier: MIT
command -v python3 >/dev/null || exit 77
mkdir graphs
for n in 120 150; do
    "$BONSAI" generate -q -o graphs/g$n.bonsai --nodes $n --features 20 --words 4 --classes 3 --no-linear >/dev/null
done
export OUT=out SPLITS=2 DRAWS=2 SEEDS=1 RATIOS=0.1,0.2 METHODS=auto,random MODELS=gcn OPTIONS='--epochs 2' THREADS=2 JOBS=2
"$ROOT/bench/quality.sh" graphs >table 2>err || { cat err; exit 1; }
[ "$(sed 's/: .*//' err | sort | tr '\n' ' ')" = 'g120 g150 ' ] || { cat err; exit 1; }
[ "$(cat out/g120.jsonl | wc -l)" -eq 19 ] || { cat out/g120.jsonl; exit 1; }
grep -q '^Points below the full graph, mean over 2 graphs$' table || { cat table; exit 1; }
cp out/g120.jsonl before
METHODS=auto,random,degree AGAIN=auto "$ROOT/bench/quality.sh" graphs >table 2>err || { cat err; exit 1; }
[ "$(grep -c '"method":"degree"' out/g120.jsonl)" -eq 8 ] && [ "$(wc -l <out/g120.jsonl)" -eq 27 ] || { cat out/g120.jsonl; exit 1; }
kept() { grep -v '"method":"\(auto\|degree\)"' "$1" | sort; }
kept before >a; kept out/g120.jsonl >b
cmp a b || { echo "what was known was measured again"; exit 1; }

# By hand: two splits of two draws, one run each.  A line that was cut off does not count.
mkdir hand
python3 - <<'PY'
import json
rows = {("full", 1.0): [[80], [90]], ("auto", 0.1): [[70, 72], [80, 82]],
        ("auto", 0.2): [[69, 71], [78, 81]], ("random", 0.1): [[60, 60], [60, 60]],
        ("random", 0.2): [[75, 73], [80, 87]]}
with open("hand/g.jsonl", "w") as file:
    file.write('{"bonsai_compare": "1"}\n')
    for (method, ratio), splits in rows.items():
        for s, draws in enumerate(splits):
            for d, value in enumerate(draws):
                file.write(json.dumps({"method": method, "ratio": ratio, "model": "gcn", "runs": 1,
                                       "split": s, "draw": d, "accuracy_mean": value,
                                       "f1_mean": None if method == "full" else value / 2}) + "\n")
    file.write('{"method": "auto", "ratio": 0.1, "mod')
PY
OUT=hand "$ROOT/bench/quality.sh" >table
python3 - <<'PY'
import json
q = json.load(open("hand/quality.json"))
def near(a, b): assert abs(a - b) < 1e-9, (a, b)
below = {(r["method"], r["ratio"]): r["below"] for r in q["below"]}
near(below["auto", 0.1], (80 - 71 + 90 - 81) / 2)
near(below["random", 0.2], (80 - 74 + 90 - 83.5) / 2)
cell = [c for c in q["cells"] if c["method"] == "auto" and c["ratio"] == 0.1][0]
near(cell["mean"], 76), near(cell["error"], 5)          # 71 and 81
assert q["verdicts"] == [{"method": "random", "win": 1, "tie": 0, "loss": 1}], q["verdicts"]
worse = q["below_baseline"]                             # -6 -2 -2 -6 at 0.2
assert worse["compared"] == 2 and worse["beyond_two"] == 1 and len(worse["cells"]) == 1
near(worse["cells"][0]["difference"], -4), near(worse["cells"][0]["error"], (16 / 3 / 4) ** .5)
falls = q["falls"]                                      # -1 -1 -2 -1
assert falls["compared"] == 1 and falls["beyond_two"] == 1
near(falls["cells"][0]["difference"], -1.25), near(falls["cells"][0]["error"], .25)
PY
OUT=hand METRIC=f1 "$ROOT/bench/quality.sh" >other
grep -q '^g  *gcn  *0.1  *-  *38.00 +- 2.50' other || { cat other; exit 1; }
grep -q '^auto below the best of random, herding, kcenter, trees by more than an error: 1 of 2, 1 of them by more than two$' table || { cat table; exit 1; }
grep -q '^g  *gcn  *0.2  *random  *-4.00 +- 1.15  *3.5$' table || { cat table; exit 1; }
code=0; "$ROOT/bench/quality.sh" nowhere 2>err || code=$?
[ $code -eq 1 ] && grep -q 'nowhere is not there' err || { cat err; exit 1; }
