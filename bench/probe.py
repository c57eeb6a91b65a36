#!/usr/bin/env python3
"""probe.py -- how well the probe ranks small graphs, beside networks trained on them.

  bench/probe.py GRAPH ...

For each graph and ratio, probe_bench writes the candidates of a prototype search with the probe's
score of each.  A GCN, a GAT and a GraphSAGE are trained on every candidate and judged on the full
graph's test nodes.  Prints, over all candidates and for rows stored one by one and rows in a basis
apart: the rank correlation (Spearman) of the probe with the mean accuracy, and how far the candidate
that the probe puts first is below the best one.  Last comes what `bonsai condense` itself chooses,
whose last choice is made by training.  In the environment:

  BUILD     the folder of the programs (build/release)
  OUT       the folder of results (probe): the same command resumes
  RATIOS    of the bytes (0.01)
  MODELS    networks to train (gcn,gat,sage)
  EVERY     epochs between two judgements (50)

SPDX-License-Identifier: MIT
"""
import json
import os
import subprocess
import sys

BUILD = os.environ.get("BUILD", "build/release")
OUT = os.environ.get("OUT", "probe")
RATIOS = os.environ.get("RATIOS", "0.01").split(",")
MODELS = os.environ.get("MODELS", "gcn,gat,sage")
EVERY = os.environ.get("EVERY", "50")


def run(*command):
    """Runs a command and returns what it prints; ends the program if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench/probe.py: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def accuracy(small, full):
    """Returns the mean test accuracy of the networks trained on a small graph."""
    text = run(BUILD + "/bonsai", "eval", small, "--full", full, "--model", MODELS, "--seeds", "1",
               "--alone", "--every", EVERY, "--json", "-q")
    return sum(m["accuracy_mean"] for m in json.loads(text)["models"]) / len(MODELS.split(","))


def ranks(values):
    """Returns the rank of each value, ties in the middle."""
    order = sorted(range(len(values)), key=values.__getitem__)
    rank = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            rank[i] = (at + end - 1) / 2
        at = end
    return rank


def spearman(a, b):
    """Returns the rank correlation of two lists; 0 where one does not vary."""
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    dot = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    size = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    return dot / size if size else 0.0


def measure(path, ratio):
    """Returns the candidates of a graph with their probes and accuracies, and what condense chooses."""
    name = os.path.basename(path).removeprefix("ind.").removesuffix(".npz").removesuffix(".bonsai")
    folder = os.path.join(OUT, f"{name}-{ratio}")
    os.makedirs(folder, exist_ok=True)
    full, kept = os.path.join(OUT, name + ".bonsai"), os.path.join(folder, "trained.jsonl")
    if not os.path.exists(full):
        run(BUILD + "/bonsai", "split", path, "-o", full, "-q")
    known = {}
    if os.path.exists(kept):
        with open(kept) as file:
            known = {d["candidate"]: d for d in map(json.loads, file)}
    lines = run(BUILD + "/probe_bench", full, ratio, folder).splitlines()
    with open(kept, "a") as file:
        for line in lines:
            d = json.loads(line)
            if d["candidate"] in known:
                continue
            d["accuracy"] = accuracy(f"{folder}/{d['candidate']}.bonsai", full)
            known[d["candidate"]] = d
            print(json.dumps(d), file=file, flush=True)
    chosen = os.path.join(folder, "chosen.bonsai")
    run(BUILD + "/bonsai", "condense", full, "-o", chosen, "--ratio", ratio, "-q")
    return name, list(known.values()), accuracy(chosen, full)


def report(title, found):
    """Prints one line on some candidates: how many, correlation, best, what the probe's choice loses."""
    if len(found) < 3:
        return
    best = max(d["accuracy"] for d in found)
    first = max(found, key=lambda d: d["probe"])
    print(f"{title:32} {len(found):5} {spearman([d['probe'] for d in found], [d['accuracy'] for d in found]):12.2f}"
          f" {best:8.2f} {best - first['accuracy']:8.2f}")


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: bench/probe.py GRAPH ...")
    print(f"{'graph, ratio, rows':32} {'count':>5} {'correlation':>12} {'best':>8} {'regret':>8}")
    regrets = []
    for path in sys.argv[1:]:
        for ratio in RATIOS:
            name, found, chosen = measure(path, ratio)
            title = f"{name} {ratio}"
            report(title + " stored one by one", [d for d in found if d["views"] == 0])
            report(title + " in a basis", [d for d in found if d["views"] > 0])
            report(title + " all", found)
            regrets.append(max(d["accuracy"] for d in found) - chosen)
            print(f"{title + ' condense':32} {'':5} {'':12} {chosen:8.2f} {regrets[-1]:8.2f}", flush=True)
    print(f"mean regret of condense {sum(regrets) / len(regrets):.2f}, worst {max(regrets):.2f}")


if __name__ == "__main__":
    main()
