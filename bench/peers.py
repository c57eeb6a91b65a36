#!/usr/bin/env python3
"""peers.py -- condensers that learn, judged as their authors judge them.

    bench/peers.py GRAPH ...

A GRAPH has a split of its own: that of Planetoid is the one which is published for Cora, CiteSeer
and PubMed.  Rows of features are divided by their sum, each method makes RUNS small graphs with
seeds 1, 2, ..., and on each EVALS networks are trained with --protocol peers.  The table has the
mean accuracy and its standard error over the small graphs (over the networks where there is one),
the seconds and the processor's seconds of one condensation (of the full graph: of training), and
its peak memory.  In the
environment:

    BONSAI    the program (build/release/bonsai)
    METHODS   (all methods that learn, then prototypes)
    NODES     of the small graphs, several with commas (70 for cora, 60 for citeseer, 30 for pubmed,
              else half of the training nodes)
    EFFORT    (1: as published)
    RUNS      small graphs of each (3)
    EVALS     networks on each (5)
    MODELS    (gcn)
    THREADS   (0: every core)
    OPTIONS   further options of condense, such as "--keep last --time-limit 600"
    JUDGING   further options of eval, such as "--weighted"
    OUT       a file of results, one line of JSON for each small graph: the same command resumes

SPDX-License-Identifier: MIT"""
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

LEARNERS = "gcond gcond-x doscond sgdd exgc gc-sntk gdem gcsr sfgc geom"
USUAL = {"cora": 70, "citeseer": 60, "pubmed": 30}
HEAD = ("graph", "method", "nodes", "model", "accuracy", "+-", "runs", "seconds", "cpu", "MB")


def setting(name, usual):
    return os.environ.get(name) or usual


def program(*words):
    """The program's JSON, and the processor's seconds that it took."""
    words = [setting("BONSAI", "build/release/bonsai"), *map(str, words), "--json", "-q"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, stdout=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError("%s failed" % " ".join(words))
    spent = sum(getattr(after, k) - getattr(before, k) for k in ("ru_utime", "ru_stime"))
    return json.loads(done.stdout), spent


def name_of(graph):
    return Path(graph).name.replace("ind.", "", 1).split(".")[0]


def sizes_of(graph):
    if setting("NODES", ""):
        return [int(n) for n in setting("NODES", "").split(",")]
    known = USUAL.get(name_of(graph))
    return [known or max(1, program("info", graph)[0]["train"] // 2)]


def judging():
    return ["--protocol", "peers", "--seeds", setting("EVALS", "5"), "--model",
            setting("MODELS", "gcn"), "-t", setting("THREADS", "0"),
            *shlex.split(setting("JUDGING", ""))]


def accuracies(found):
    return {m["model"]: [r["accuracy"] for r in m["runs"]] for m in found["models"]}


def condense(rows, small, key):
    """One small graph, judged."""
    made, cpu = program("condense", rows, "-o", small, "--method", key["method"], "--nodes",
                        key["nodes"], "--seed", key["seed"], "--effort", key["effort"], "-t",
                        setting("THREADS", "0"), *shlex.split(key["options"]))
    found, _ = program("eval", small, "--full", rows, "--alone", *judging())
    return {"accuracy": accuracies(found), "seconds": made["seconds"]["total"], "cpu": cpu,
            "bytes": made["peak_rss_bytes"], "why": made.get("why", ""),
            "probe": made.get("probe")}


def spread(values):
    """The mean and its standard error."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, (sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values)) ** 0.5


def row(name, method, nodes, results):
    """A line of the table for each model, of some small graphs."""
    for model in results[0]["accuracy"]:
        each = [r["accuracy"][model] for r in results]
        means = [sum(a) / len(a) for a in each]
        mean, error = spread(means if len(means) > 1 else each[0])
        one = [sum(r[k] for r in results) / len(results) for k in ("seconds", "cpu")]
        yield (name, method, str(nodes), model, "%.1f" % mean, "%.1f" % error,
               "%d x %d" % (len(each), len(each[0])), "%.1f" % one[0], "%.1f" % one[1],
               "%.0f" % (max(r["bytes"] for r in results) / 1e6))


def show(cells):
    wide = (10, 11, 5, 5, 8, 4, 6, 8, 8, 6)
    print("  ".join(c.ljust(w) if i in (0, 1, 3) else c.rjust(w)
                    for i, (c, w) in enumerate(zip(cells, wide))), flush=True)


def results_so_far(path):
    """Map key -> result of the lines of a file."""
    if not path or not os.path.exists(path):
        return {}
    lines = [json.loads(line) for line in open(path) if line.strip()]
    return {json.dumps(line["key"], sort_keys=True): line["result"] for line in lines}


def measure(rows, small, key, known, out):
    text = json.dumps(key, sort_keys=True)
    if text not in known:
        known[text] = condense(rows, small, key)
        if out:
            with open(out, "a") as to:
                to.write(json.dumps({"key": key, "result": known[text]}) + "\n")
    return known[text]


def of_graph(graph, folder, known, out):
    rows, small = os.path.join(folder, "rows.bonsai"), os.path.join(folder, "small.bonsai")
    program("convert", graph, rows, "--normalise", "rows")
    name = name_of(graph)
    methods = setting("METHODS", LEARNERS + " prototypes").replace(",", " ").split()
    for nodes in sizes_of(graph):
        for method in methods:
            key = {"graph": name, "method": method, "nodes": nodes, "effort": setting("EFFORT", "1"),
                   "options": setting("OPTIONS", ""), "judging": setting("JUDGING", ""),
                   "evals": setting("EVALS", "5"), "models": setting("MODELS", "gcn")}
            try:
                results = [measure(rows, small, dict(key, seed=seed), known, out)
                           for seed in range(1, int(setting("RUNS", "3")) + 1)]
            except RuntimeError as error:
                print("%s: %s" % (method, error), file=sys.stderr)
                continue
            for cells in row(name, method, nodes, results):
                show(cells)
    found, cpu = program("train", rows, *judging())
    result = {"accuracy": accuracies(found), "seconds": found["models"][0]["seconds_total"],
              "cpu": cpu, "bytes": found["models"][0]["peak_rss_bytes"]}
    for cells in row(name, "full", found["train"], [result]):
        show(cells)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out = setting("OUT", "")
    known = results_so_far(out)
    show(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        for graph in sys.argv[1:]:
            of_graph(graph, folder, known, out)


if __name__ == "__main__":
    main()
