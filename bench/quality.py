#!/usr/bin/env python3
"""The tables of bench/quality.sh.

    quality.py OUT
    quality.py --drop METHODS FILE      drops the cells of these methods from a file of OUT

OUT has NAME.jsonl, the cells that bonsai compare measured on a graph: each has a split, a draw, and
the accuracy of every run.  It may be incomplete.  OUT/quality.json gets all of what is printed.

Means are over splits, of each the mean over draws and runs; the error of a mean is the standard
error over splits.  Two cells are compared in pairs of the same split and draw; the error of a
difference is the standard error over pairs.

The tables: points below the full graph, as a mean over graphs, for each model, ratio and method;
wins, ties and losses of auto at two errors; each graph's cells; cells where auto is below the best
of the baselines by more than an error of the difference; and steps from a ratio to the next where
the accuracy of auto falls by more than an error of the difference.  Of chance alone one in six
would be beyond one error, and one in forty beyond two.

In the environment, names of graphs: ONLY (shown; else all) and HELD (their means apart); and METRIC
(accuracy, balanced, f1 or auc), which cells have whatever they were trained by.

SPDX-License-Identifier: MIT
"""
import json
import math
import os
import pathlib
import sys

METRIC = os.environ.get("METRIC") or "accuracy"
OURS = "auto"
ORDER = ("gcn", "gat", "gin", "sage", "auto", "prototypes", "trees", "random", "herding", "kcenter")
BASELINES = ("random", "herding", "kcenter", "trees")


def mean(values):
    return math.fsum(values) / len(values)


def error(values):
    """The standard error of the mean; None: of one value there is none."""
    if len(values) < 2:
        return None
    m = mean(values)
    return math.sqrt(math.fsum((v - m) ** 2 for v in values) / (len(values) - 1) / len(values))


def words(name):
    return os.environ.get(name, "").replace(",", " ").split()


# ---- cells ----

def lines_of(path):
    """The heading and the cells as text; a line that was cut off is left out."""
    with open(path, encoding="utf-8") as file:
        return [line for line in file if line.endswith("\n")]


def drop(methods, path):
    path = pathlib.Path(path)
    if path.exists():
        kept = [line for line in lines_of(path) if json.loads(line).get("method") not in methods]
        path.write_text("".join(kept), encoding="utf-8")


def load(folder):
    """Map graph -> (method, ratio, model) -> (split, draw) -> value, the mean over runs."""
    graphs, value = {}, METRIC + "_mean"
    for path in sorted(folder.glob("*.jsonl")):
        cells = {}
        for line in map(json.loads, lines_of(path)[1:]):
            if line["runs"] and line[value] is not None:
                key = line["method"], line["ratio"], line["model"]
                cells.setdefault(key, {})[line["split"], line["draw"]] = line[value]
        if cells and (not words("ONLY") or path.stem in words("ONLY")):
            graphs[path.stem] = cells
    return graphs


def by_split(cell):
    found = {}
    for (split, _), value in sorted(cell.items()):
        found.setdefault(split, []).append(value)
    return {split: mean(values) for split, values in found.items()}


def summed(cell):
    """The mean over splits and its error."""
    splits = list(by_split(cell).values())
    return mean(splits), error(splits)


def difference(a, b):
    """Of two cells in pairs of the same split and draw: mean, error, pairs; None: no pair."""
    values = [a[at] - b[at] for at in sorted(a.keys() & b.keys())]
    return (mean(values), error(values), len(values)) if values else None


def below_full(cells, method, ratio, model):
    """Points below the full graph, over the splits that both have; None: there are none."""
    full, small = cells.get(("full", 1.0, model)), cells.get((method, ratio, model))
    if not full or not small:
        return None
    full, small = by_split(full), by_split(small)
    both = full.keys() & small.keys()
    return mean([full[s] - small[s] for s in sorted(both)]) if both else None


# ---- tables ----

def known(graphs, which):
    """What the cells have, without the full graph."""
    found = {key[which] for cells in graphs.values() for key in cells if key[0] != "full"}
    return sorted(found, key=lambda w: (ORDER.index(w) if w in ORDER else len(ORDER), w))


def show(head, rows, left=1):
    rows = [["-" if c is None else str(c) for c in row] for row in rows]
    width = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    for row in [head] + rows:
        print("  ".join(c.ljust(w) if i < left else c.rjust(w)
                        for i, (c, w) in enumerate(zip(row, width))).rstrip())


def with_error(value, err, sign=""):
    return f"{value:{sign}.2f}" + ("" if err is None else f" +-{err:5.2f}")


def print_below(title, graphs, axes):
    """Means over the graphs that have the cell; the number of graphs where it is not all."""
    out = []
    methods, ratios, models = axes
    for model in models:
        for ratio in ratios:
            for method in methods:
                values = [v for cells in graphs.values()
                          if (v := below_full(cells, method, ratio, model)) is not None]
                if values:
                    out.append({"model": model, "ratio": ratio, "method": method,
                                "below": mean(values), "worst": max(values), "graphs": len(values)})
    print(f"\n{title}\n")
    found = {(r["model"], r["ratio"], r["method"]): r for r in out}

    def text(r):
        some = r and r["graphs"] < len(graphs)
        return r and f"{r['below']:.2f}" + (f" ({r['graphs']})" if some else "")
    show(["model", "ratio", *methods],
         [[model, f"{ratio:g}"] + [text(found.get((model, ratio, m))) for m in methods]
          for model in models for ratio in ratios])
    return out


def print_cells(graphs, axes):
    out, rows = [], []
    methods, ratios, models = axes
    for name, cells in graphs.items():
        for model in models:
            for ratio in ratios:
                row = [name, model, f"{ratio:g}"]
                for method in ["full", *methods]:
                    cell = cells.get((method, 1.0 if method == "full" else ratio, model))
                    m, e = summed(cell) if cell else (None, None)
                    row.append(with_error(m, e) if cell else None)
                    if cell:
                        out.append({"graph": name, "model": model, "ratio": ratio, "method": method,
                                    "mean": m, "error": e, "cells": len(cell)})
                if any(row[4:]):
                    rows.append(row)
    print(f"\nTest {METRIC} in percent: mean and standard error over splits\n")
    show(["graph", "model", "ratio", "full", *methods], rows, 2)
    return out


def print_verdicts(graphs, axes):
    """How often auto wins against each other method at two errors."""
    out = []
    methods, ratios, models = axes
    for other in methods:
        tally = {"method": other, "win": 0, "tie": 0, "loss": 0}
        for cells in graphs.values():
            for model in models:
                for ratio in ratios:
                    a, b = cells.get((OURS, ratio, model)), cells.get((other, ratio, model))
                    d = a and b and other != OURS and difference(a, b)
                    if d and d[1] is not None:
                        far = abs(d[0]) > 2 * d[1]
                        tally["tie" if not far else "win" if d[0] > 0 else "loss"] += 1
        if tally["win"] + tally["tie"] + tally["loss"]:
            out.append(tally)
    print(f"\n{OURS} against each: wins and losses by more than two errors of the difference\n")
    show(["method", "win", "tie", "loss"],
         [[t["method"], t["win"], t["tie"], t["loss"]] for t in out])
    return out


def print_worse(title, head, found):
    """Differences below an error, the largest in errors first; how many are beyond one and two."""
    found = [f for f in found if f["error"] is not None]        # of one pair there is none
    compared = len(found)
    worse = [f for f in found if f["difference"] < -f["error"]]
    worse.sort(key=lambda f: f["difference"] / f["error"] if f["error"] else -math.inf)
    beyond = sum(f["difference"] < -2 * f["error"] for f in worse)
    print(f"\n{title}: {len(worse)} of {compared}, {beyond} of them by more than two\n")
    if worse:
        show([*head, "difference", "errors"],
             [[f[h] if not isinstance(f[h], float) else f"{f[h]:g}" for h in head] +
              [with_error(f["difference"], f["error"], "+"),
               f"{-f['difference'] / f['error']:.1f}" if f["error"] else None] for f in worse], 2)
    return {"compared": compared, "beyond_two": beyond, "cells": worse}


def best_baselines(graphs, axes):
    """auto against the best of the baselines, in each cell that has both."""
    for name, cells in graphs.items():
        for model in axes[2]:
            for ratio in axes[1]:
                ours = cells.get((OURS, ratio, model))
                others = {b: cells[b, ratio, model] for b in BASELINES
                          if (b, ratio, model) in cells}
                if not ours or not others:
                    continue
                best = max(others, key=lambda b: summed(others[b])[0])
                d = difference(ours, others[best])
                if d:
                    yield {"graph": name, "model": model, "ratio": ratio, "best": best,
                           "difference": d[0], "error": d[1], "pairs": d[2]}


def steps(graphs, axes):
    """auto at a ratio against auto at the one before."""
    for name, cells in graphs.items():
        for model in axes[2]:
            has = [r for r in axes[1] if (OURS, r, model) in cells]
            for small, large in zip(has, has[1:]):
                d = difference(cells[OURS, large, model], cells[OURS, small, model])
                if d:
                    yield {"graph": name, "model": model, "from": small, "to": large,
                           "difference": d[0], "error": d[1], "pairs": d[2]}


def main(folder):
    graphs = load(folder)
    if not graphs:
        sys.exit(f"quality.py: no cell in {folder}")
    axes = tuple(known(graphs, which) for which in range(3))
    held = {name: cells for name, cells in graphs.items() if name in words("HELD")}
    seen = {name: cells for name, cells in graphs.items() if name not in held}
    title = "Points below the full graph, mean over {} graph{}{}"
    out = {"graphs": list(graphs), "held": list(held)}
    for key, some, what in ("below", seen, ""), ("below_held", held, " that were held back"):
        out[key] = some and print_below(title.format(len(some), "s"[len(some) == 1:], what), some,
                                        axes)
    out["verdicts"] = print_verdicts(graphs, axes)
    out["cells"] = print_cells(graphs, axes)
    out["below_baseline"] = print_worse(
        f"{OURS} below the best of {', '.join(BASELINES)} by more than an error",
        ["graph", "model", "ratio", "best"], best_baselines(graphs, axes))
    out["falls"] = print_worse(f"Steps where {OURS} falls by more than an error",
                               ["graph", "model", "from", "to"], steps(graphs, axes))
    (folder / "quality.json").write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--drop":
        drop(sys.argv[2].replace(",", " ").split(), sys.argv[3])
    else:
        main(pathlib.Path(sys.argv[1]))
