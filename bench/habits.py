#!/usr/bin/env python3
"""habits.py -- how much small graphs keep however people train: one habit at a time.

    bench/habits.py

Networks are trained on the full graph, on small graphs of BONSAI and, with OLD, on those of another
build, by each habit: the defaults of `bonsai train` with one or a few options changed.  All train
by BONSAI and are judged on the test nodes of the full graph, in percent, after the epoch that did
best on the validation nodes or, where a habit says so, after the last.  The first table has the means over graphs, splits and models of each
habit, and the graph where the small graphs of BONSAI are furthest below the full graph.  The second
has the cells where they are below those of OLD by more than a point, the worst first.  The habit
"rows" divides the features of each node by their sum, before anything is condensed.  What was
measured is kept in OUT, and the same command resumes.  In the environment, beside what
bench/cells.py lists:

    OUT       (habits)
    OLD       another program to condense with (none); a command line, so that "env
              LD_LIBRARY_PATH=... bonsai" gives it a library of its own
    MODELS    (gcn,sage)
    HABITS    names of some habits, with semicolons between (all; see below)

SPDX-License-Identifier: MIT"""
import functools
import itertools
import json

import cells
from cells import mean, setting, show, words

HABITS = {
    "default": "",
    "decay 0": "--decay 0",
    "rate 0.001": "--rate 0.001",
    "rate 0.05": "--rate 0.05",
    "dropout 0.5": "--dropout 0.5",
    "50 epochs": "--epochs 50",
    "last of 500 epochs": "--epochs 500 --every 500",
    "hidden 16": "--hidden 16",
    "hidden 256": "--hidden 256",
    "rows": "",
    "last of 300 epochs": "--every 300",
    "rate 0.001, 50 epochs": "--rate 0.001 --epochs 50",
    "rate 0.001, decay 0, 500 epochs": "--rate 0.001 --decay 0 --epochs 500",
    "hidden 16, dropout 0.5": "--hidden 16 --dropout 0.5",
    "hidden 16, dropout 0.5, rows": "--hidden 16 --dropout 0.5",
    "rate 0.05, decay 0, last of 500": "--rate 0.05 --decay 0 --epochs 500 --every 500",
}


def chosen():
    names = [name.strip() for name in setting("HABITS", ";".join(HABITS)).split(";")]
    unknown = [name for name in names if name not in HABITS]
    if unknown:
        raise SystemExit(f"habits.py: there is no habit \"{unknown[0]}\"; there are "
                         + "; ".join(HABITS))
    return names


def kinds():
    """What condenses: map kind -> program."""
    return {"new": setting("BONSAI", "build/release/bonsai"),
            **({"old": setting("OLD", "")} if setting("OLD", "") else {})}


def tasks_of(study, path):
    """(habit, kind, model), call of every cell of a graph."""
    for split in range(1, int(setting("SPLITS", 1)) + 1):
        whole = study.split(path, split)
        for habit in chosen():
            full = whole
            if "rows" in habit:
                full = study.graph(whole.stem + "-rows", "convert", whole, "--normalise", "rows")
            smalls = {kind: study.small(kind, full, "-r", setting("RATIO", 0.01), "-s", split,
                                        by=by)[0] for kind, by in kinds().items()}
            for model, (kind, small) in itertools.product(
                    words("MODELS", "gcn,sage"), [("full", None), *smalls.items()]):
                options = ["--model", model, *HABITS[habit].split()]
                yield (habit, kind, model), functools.partial(study.trained, full, small, options)


def measured(study):
    """Map (graph, habit, kind, model) -> test accuracies, one a split."""
    found = {}
    for path in map(cells.find, words("GRAPHS", cells.GRAPHS)):
        keys, calls = zip(*tasks_of(study, path))
        for key, cell in zip(keys, cells.measure(calls)):
            found.setdefault((cells.name_of(path), *key), []).append(cell["test"])
    return found


def mean_of(found, habit=None, kind=None, graph=None):
    return mean(mean(tests) for (g, h, k, _), tests in found.items()
                if h == habit and k == kind and graph in (None, g))


def print_habits(found, graphs):
    rows, out = [], []
    for habit in chosen():
        full, *small = [mean_of(found, habit, kind) for kind in ("full", *kinds())]
        below = {g: mean_of(found, habit, "full", g) - mean_of(found, habit, "new", g)
                 for g in graphs}
        worst = max(below, key=below.get)
        there = [mean_of(found, habit, kind, worst) for kind in ("full", *kinds())]
        out.append({"habit": habit, "full": full, **dict(zip(kinds(), small)), "worst": worst,
                    **{f"worst_{k}": v for k, v in zip(("full", *kinds()), there)}})
        rows.append([habit, *(f"{v:.2f}" for v in (full, *small)), worst,
                     *(f"{v:.2f}" for v in there)])
    columns = ["habit", "full", *kinds()]
    for name in ("mean", "worst"):
        pick = min if name == "worst" else mean
        rows.append([name, *(f"{pick(row[k] for row in out):.2f}" for k in columns[1:])]
                    + [""] * (1 + len(columns[1:])))
    print(f"Test accuracy in percent: means over {', '.join(graphs)} and "
          f"{', '.join(words('MODELS', 'gcn,sage'))}; then the graph where new is furthest below\n")
    show([*columns, "worst graph", *columns[1:]], rows)
    return out


def print_losses(found):
    """Cells where new is below old by more than a point."""
    losses = []
    for (graph, habit, kind, model), tests in found.items():
        if kind == "new" and (graph, habit, "old", model) in found:
            old = mean(found[graph, habit, "old", model])
            losses.append({"graph": graph, "model": model, "habit": habit, "new": mean(tests),
                           "old": old, "difference": mean(tests) - old})
    compared = len(losses)
    losses = sorted((f for f in losses if f["difference"] < -1), key=lambda f: f["difference"])
    if compared:
        print(f"\nCells where new is more than a point below old: {len(losses)} of {compared}\n")
    if losses:
        show(["graph", "model", "habit", "new", "old", "difference"],
             [[f["graph"], f["model"], f["habit"], f"{f['new']:.2f}", f"{f['old']:.2f}",
               f"{f['difference']:+.2f}"] for f in losses], 3)
    return losses


def main():
    study = cells.Study(setting("OUT", "habits"))
    found = measured(study)
    out = {"habits": print_habits(found, sorted({graph for graph, *_ in found})),
           "losses": print_losses(found),
           "cells": [{"graph": g, "habit": h, "kind": k, "model": m, "test": tests}
                     for (g, h, k, m), tests in found.items()]}
    (study.folder / "habits.json").write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
