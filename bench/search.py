#!/usr/bin/env python3
"""search.py -- whether settings that are chosen on a small graph are good on the full one.

    bench/search.py

Each setting is trained on the full graph, on the condensed graph, and on random nodes with the same
bytes; with "again" in KINDS also on the full graph with another seed, whose tau and regret are the
best that any ranking can be expected to have.  All are judged once, after the last epoch, on the full graph's validation and test nodes.
The table has, for each graph and kind of small graph, means over splits of

    tau       Kendall's tau-b between validation accuracies on the small graph and on the full one,
              over all settings: 1 is the same order, 0 none
    best 6    the same among the six settings that are best on the full graph
    regret    points of test accuracy on the full graph that the setting with the best validation
              accuracy on the small graph is below the one with the best on the full graph; a
              negative value is luck with the test nodes
    finish 3  the same if the best three of the small graph are trained on the full graph, and the
              best of those by validation is taken
    best      test accuracy on the full graph of the setting that is best there
    median    test accuracy on the full graph of the setting in the middle: what no search would get
    seconds   of a processor: condensing and training every setting
    with 3    and finishing three
    full      training every setting on the full graph
    judging   share of the small graph's training and judging that judging takes

What was measured is kept in OUT, and the same command resumes.  In the environment, beside what
bench/cells.py lists:

    OUT       (search)
    KINDS     some of condensed, random and again (condensed,random)
    SETTINGS  MODEL/HIDDEN/RATE/DROPOUT/DECAY/EPOCHS, several (16 settings; see below)

SPDX-License-Identifier: MIT"""
import functools
import itertools
import json
import math
import statistics

import cells
from cells import mean, setting, show, words

SETTINGS = """
gcn/128/0.01/0/5e-4/300   gcn/16/0.01/0.5/5e-4/200  gcn/64/0.05/0.5/0/100    gcn/256/0.001/0/0/100
gcn/64/0.01/0/5e-3/200    gcn/16/0.001/0/5e-4/50
gat/128/0.01/0/5e-4/300   gat/16/0.01/0.5/5e-4/200  gat/64/0.05/0.5/0/100    gat/64/0.001/0/0/100
gat/64/0.01/0/5e-3/200
sage/128/0.01/0/5e-4/300  sage/16/0.01/0.5/5e-4/200 sage/64/0.05/0.5/0/100   sage/256/0.001/0/0/100
sage/64/0.01/0/5e-3/200
"""
KINDS = words("KINDS", "condensed,random")
TOP, FINISH = 6, 3


# ---- measures ----

def tau(a, b):
    """Kendall's tau-b; None if all values of one side are equal."""
    sign = lambda x: (x > 0) - (x < 0)                                          # noqa: E731
    pairs = [(sign(p - q), sign(x - y)) for (p, x), (q, y) in itertools.combinations(zip(a, b), 2)]
    of_a, of_b = sum(s != 0 for s, _ in pairs), sum(t != 0 for _, t in pairs)
    return sum(s * t for s, t in pairs) / math.sqrt(of_a * of_b) if of_a and of_b else None


def ranked(scores):
    """Numbers of settings, the best first; ties in their order."""
    return sorted(range(len(scores)), key=lambda i: -scores[i])


def facts(full, small, made):
    """What the cells of one split and kind of small graph say."""
    val, test = [c["val"] for c in full], [c["test"] for c in full]
    order, top = ranked([c["val"] for c in small]), ranked(val)[:TOP]
    best, finished = top[0], max(order[:FINISH], key=lambda i: val[i])
    seconds = made["seconds"] + sum(c["seconds"] for c in small)
    judging = sum(c["judging"] for c in small)
    return {"tau": tau(val, [c["val"] for c in small]),
            "best 6": tau([val[i] for i in top], [small[i]["val"] for i in top]),
            "regret": test[best] - test[order[0]], "finish 3": test[best] - test[finished],
            "best": test[best], "median": statistics.median(test), "seconds": seconds,
            "with 3": seconds + sum(full[i]["seconds"] for i in order[:FINISH]),
            "full": sum(c["seconds"] for c in full),
            "judging": 100 * judging / (judging + sum(c["training"] for c in small))}


# ---- measuring ----

def options_of(name, kind):
    """The options of the program for a setting; it is judged after the last epoch alone."""
    model, hidden, rate, dropout, decay, epochs = name.split("/")
    return ["--model", model, "--hidden", hidden, "--rate", rate, "--dropout", dropout,
            "--decay", decay, "--epochs", epochs, "--every", epochs,
            *(["--seed", "1001"] if kind == "again" else [])]


def measured(study, path, split):
    """Of a graph with one split: kind -> cells in the order of settings; kind -> facts of the small
    graph."""
    full = study.split(path, split)
    condensed, made = study.small("condensed", full, "-r", setting("RATIO", 0.01), "-s", split)
    nodes, drawn = study.small("random", full, "--method", "random", "--bytes", made["bytes"], "-s",
                               split)
    names = words("SETTINGS", SETTINGS)
    graphs = {"condensed": condensed, "random": nodes}
    kinds = ["full", *KINDS]
    found = cells.measure([functools.partial(study.trained, full, graphs.get(kind),
                                             options_of(name, kind))
                           for kind in kinds for name in names])
    each = {kind: found[i * len(names):(i + 1) * len(names)] for i, kind in enumerate(kinds)}
    return each, {"condensed": made, "random": drawn, "again": {"seconds": 0}}


def mean_or_none(values):
    known = [v for v in values if v is not None]
    return mean(known) if known else None


def row_of(graph, kind, splits):
    """A row: means over splits."""
    return {"graph": graph, "kind": kind,
            **{name: mean_or_none([s[name] for s in splits]) for name in splits[0]}}


FORMAT = {"tau": "{:.2f}", "best 6": "{:.2f}", "seconds": "{:.1f}", "with 3": "{:.1f}",
          "full": "{:.1f}", "judging": "{:.0f} %"}


def main():
    study = cells.Study(setting("OUT", "search"))
    rows, each = [], []
    for path in map(cells.find, words("GRAPHS", cells.GRAPHS)):
        found = {kind: [] for kind in KINDS}
        for split in range(1, int(setting("SPLITS", 1)) + 1):
            kept, made = measured(study, path, split)
            for kind in KINDS:
                found[kind].append(facts(kept["full"], kept[kind], made[kind]))
            each.append({"graph": cells.name_of(path), "split": split, **kept})
        rows += [row_of(cells.name_of(path), kind, found[kind]) for kind in KINDS]
    names = [name for name in rows[0] if name not in ("graph", "kind")]
    means = [row_of("mean", kind, [{k: r[k] for k in names} for r in rows if r["kind"] == kind])
             for kind in KINDS]
    print(f"{len(words('SETTINGS', SETTINGS))} settings, ratio {setting('RATIO', 0.01)}, "
          f"{setting('SPLITS', 1)} split{'s' * (setting('SPLITS', 1) != '1')}\n")
    show(["graph", "trained on", *names],
         [[r["graph"], r["kind"], *(None if r[n] is None else FORMAT.get(n, "{:.2f}").format(r[n])
                                    for n in names)] for r in rows + means], 2)
    out = {"settings": words("SETTINGS", SETTINGS), "rows": rows, "mean": means, "cells": each}
    (study.folder / "search.json").write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
