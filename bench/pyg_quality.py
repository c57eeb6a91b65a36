#!/usr/bin/env python3
"""Accuracy that small graphs keep, trained and judged by PyTorch Geometric, on a GPU where there is one.

bench/quality.sh asks the same and needs nothing but the program, whose training it uses.  This script
shares no code with that training: layers, loss and metric are PyTorch's.  On a GPU with several
processes at once (start the CUDA MPS daemon first) all of our graphs take a few minutes.

Every graph is split 60/20/20 by the program, condensed by it and by OLD, and read as .npz.  Networks have
two layers and 128 hidden units; Adam with rate 0.01 and decay 5e-4, 300 epochs, the test accuracy at
the best of the epochs that are judged, every tenth.  Accuracies are kept in OUT/cells.jsonl, a line for
each; the same command resumes.

In the environment:

    BONSAI    the program (build/release/bonsai)
    OLD       another program to compare with (none)
    OUT       the folder of results (build/pyg-quality)
    DIR       where the graphs are (../shared/data), at any depth
    GRAPHS    names or paths (eleven of the datasets)
    RATIOS    of the bytes (0.005,0.01,0.03)
    SPLITS    how many (3)
    MODELS    of gcn, gat, gin and sage (all)
    OPTIONS   of condense, such as "--for sage"
    JOBS      graphs that are condensed at a time, on a thread each (every core)
    JUDGES    processes that train (4)

SPDX-License-Identifier: MIT"""
import concurrent.futures
import itertools
import json
import math
import multiprocessing
import os
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import cells

GRAPHS = ("actor,amazon_photo,blogcatalog,chameleon_filtered,citeseer,coauthor_cs,cora,debian12,"
          "facebook_pagepage,ogbn_arxiv_sub22k,pubmed")
OUT = Path(cells.setting("OUT", "build/pyg-quality"))
HIDDEN, EPOCHS, EVERY = 128, 300, 10


def run(program, *options):
    done = subprocess.run([*shlex.split(program), *map(str, options)], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, options))}: {done.stderr.strip()}")
    return done.stdout


def programs():
    named = {"new": cells.setting("BONSAI", "build/release/bonsai")}
    if os.environ.get("OLD"):
        named["old"] = os.environ["OLD"]
    return named


def split(name, number):
    """The graph with a split, as .bonsai and as .npz."""
    made = OUT / "graphs" / f"{name}-{number}.bonsai"
    if not made.with_suffix(".npz").exists():
        program = programs()["new"]
        run(program, "split", cells.find(name), "-o", made, "--parts", "60/20/20", "-s", number, "-q")
        run(program, "convert", made, made.with_suffix(".npz"), "-q")
    return made


def small(task):
    """A small graph as .npz, and what condense said of it."""
    name, number, kind, ratio = task
    made = OUT / "graphs" / f"{name}-{number}-{kind}-{ratio}.bonsai"
    if not made.with_suffix(".npz").exists():
        program = programs()[kind]
        said = run(program, "condense", split(name, number), "-o", made, "-r", ratio, "-t", 1, "--json",
                   "-q", *shlex.split(os.environ.get("OPTIONS", "")))
        made.with_suffix(".json").write_text(said, encoding="utf-8")
        run(program, "convert", made, made.with_suffix(".npz"), "-q")


# ---- networks ----

def torch_of():
    warnings.filterwarnings("ignore", "Sparse")
    import torch                    # here, so that processes which condense do without
    torch.set_num_threads(1)
    return torch, "cuda" if torch.cuda.is_available() else "cpu"


def network(kind, features, classes):
    torch, device = torch_of()
    from torch_geometric import nn

    def perceptron(wide, out):
        return torch.nn.Sequential(torch.nn.Linear(wide, HIDDEN), torch.nn.ReLU(),
                                   torch.nn.Linear(HIDDEN, out))
    layer = {"gcn": nn.GCNConv, "gat": nn.GATConv, "sage": nn.SAGEConv,
             "gin": lambda wide, out: nn.GINConv(perceptron(wide, out))}[kind]

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = layer(features, HIDDEN), layer(HIDDEN, classes)

        def forward(self, x, edges, around):
            """around: what the first layer sums or averages, which never changes."""
            if kind == "sage":
                x = self.first.lin_l(around) + self.first.lin_r(x)
            elif kind == "gin":
                x = self.first.nn(x + around)
            else:
                x = self.first(x, edges)
            return self.second(torch.relu(x), edges)
    return Network().to(device)


def around_of(kind, x, edges):
    torch, device = torch_of()
    if kind not in ("sage", "gin"):
        return None
    nodes = x.shape[0]
    weight = torch.ones(edges.shape[1], device=device)
    if kind == "sage":
        weight /= torch.bincount(edges[1], minlength=nodes).clamp(min=1)[edges[1]]
    matrix = torch.sparse_coo_tensor(edges.flip(0), weight, (nodes, nodes)).coalesce()
    return torch.sparse.mm(matrix.to_sparse_csr(), x)


def read(path):
    """The arrays of a file, features and edges; all on the device."""
    import numpy as np
    torch, device = torch_of()
    z = np.load(path, allow_pickle=False)
    a = {k: torch.from_numpy(z[k].astype(np.int64)).to(device)
         for k in ("y", "train_idx", "val_idx", "test_idx", "edge_index") if k in z}
    a.update({k: torch.from_numpy(z[k].astype(np.float32)).to(device)
              for k in ("y_soft", "node_weight", "x") if k in z})
    if "x" not in z:
        index = torch.from_numpy(z["x_indices"].astype(np.int64))
        value = (torch.from_numpy(z["x_data"].astype(np.float32)) if "x_data" in z
                 else torch.ones(len(index)))
        start = torch.from_numpy(z["x_indptr"].astype(np.int64))
        a["x"] = torch.sparse_csr_tensor(start, index, value, tuple(z["x_shape"])).to(device).to_dense()
    return a


def loss_of(a, classes):
    """Cross-entropy with soft labels, averaged by weight, as graphbonsai.pyg.loss."""
    torch, _ = torch_of()
    y, soft = a["y"], a.get("y_soft")
    at = a.get("train_idx", torch.arange(len(y), device=y.device))
    at = at[(y[at] >= 0) | (soft[at].sum(1) > 0 if soft is not None else False)]
    target = torch.nn.functional.one_hot(y[at].clamp(min=0), classes).float()
    if soft is not None:
        total = soft[at].sum(1, keepdim=True)
        target = torch.where(total > 0, soft[at] / total.clamp(min=1e-9), target)
    weight = a["node_weight"][at] if "node_weight" in a else torch.ones(len(at), device=y.device)
    weight = weight / weight.sum()
    return lambda out: -((target * torch.log_softmax(out[at], 1)).sum(1) * weight).sum()


def accuracy(kind, a, full, classes):
    torch, _ = torch_of()
    torch.manual_seed(0)
    model = network(kind, full["x"].shape[1], classes)
    descent = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    loss = loss_of(a, classes)
    mine, theirs = around_of(kind, a["x"], a["edge_index"]), full["around"][kind]
    best = (-1.0, 0.0)
    for epoch in range(1, EPOCHS + 1):
        model.train()
        descent.zero_grad()
        loss(model(a["x"], a["edge_index"], mine)).backward()
        descent.step()
        if epoch % EVERY == 0:
            model.eval()
            with torch.no_grad():
                right = model(full["x"], full["edge_index"], theirs).argmax(1) == full["y"]
            now = tuple(right[full[part]].float().mean().item() for part in ("val_idx", "test_idx"))
            best = max(best, now, key=lambda b: b[0])
    return 100 * best[1]


def judge(job):
    """Trains on the full graph, where kind is "full", and on small ones."""
    name, number, tasks = job
    made = []
    full = read(OUT / "graphs" / f"{name}-{number}.npz")
    classes = int(full["y"].max()) + 1
    full["around"] = {m: around_of(m, full["x"], full["edge_index"]) for m in {t[2] for t in tasks}}
    for kind, ratio, model in tasks:
        path = OUT / "graphs" / f"{name}-{number}-{kind}-{ratio}.npz"
        cell = {"graph": name, "split": number, "kind": kind, "ratio": ratio, "model": model}
        cell["accuracy"] = accuracy(model, full if kind == "full" else read(path), full, classes)
        if kind != "full":
            said = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            cell.update(nodes=said["nodes"], seconds=said["seconds"]["total"])
        made.append(cell)
    return made


# ---- all of it ----

def key(c):
    return c["graph"], c["split"], c["kind"], c["ratio"], c["model"]


def show(found):
    names, models = sorted({c["graph"] for c in found}), [m for m in ("gcn", "gat", "gin", "sage")
                                                          if any(c["model"] == m for c in found)]
    columns = sorted({(c["ratio"], c["kind"]) for c in found if c["kind"] != "full"})
    by = {}
    for c in found:
        by.setdefault((c["graph"], c["model"], c["ratio"], c["kind"]), {})[c["split"]] = c
    rows, below = [], {}
    for name, model in itertools.product(names, models):
        full = by[name, model, 0, "full"]
        row = [name, model, f"{cells.mean(c['accuracy'] for c in full.values()):.1f}"]
        for at in columns:
            of = by.get((name, model, *at), {})
            row.append(f"{cells.mean(c['accuracy'] for c in of.values()):.1f}" if of else None)
            if of:
                below.setdefault((model, at), []).append(cells.mean(
                    full[s]["accuracy"] - c["accuracy"] for s, c in of.items()))
        rows.append(row)
    for model in models:
        rows.append(["points below full", model, None] +
                    [f"{cells.mean(below[model, at]):.2f}" if (model, at) in below else None
                     for at in columns])
    cells.show(["graph", "model", "full"] + [f"{100 * r:g} %, {k}" for r, k in columns], rows, 2)


def main():
    names = cells.words("GRAPHS", GRAPHS)
    numbers = range(1, int(cells.setting("SPLITS", 3)) + 1)
    ratios = [float(r) for r in cells.words("RATIOS", "0.005,0.01,0.03")]
    models = cells.words("MODELS", "gcn,gat,gin,sage")
    (OUT / "graphs").mkdir(parents=True, exist_ok=True)
    kept = OUT / "cells.jsonl"
    found = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    known = {key(c) for c in found}
    jobs = int(cells.setting("JOBS", os.cpu_count()))

    def keep(done):
        if not done.exception():
            found.extend(done.result())
            with open(kept, "a", encoding="utf-8") as file:
                file.writelines(json.dumps(c) + "\n" for c in done.result())
    spawn = multiprocessing.get_context("spawn")        # a GPU does not bear fork
    wanted = [("full", 0, m) for m in models] + list(itertools.product(programs(), ratios, models))
    with (concurrent.futures.ThreadPoolExecutor(jobs) as condensers,
          concurrent.futures.ProcessPoolExecutor(int(cells.setting("JUDGES", 4)), spawn) as judges):
        list(condensers.map(lambda t: split(*t), itertools.product(names, numbers)))
        smalls = {at: [condensers.submit(small, (*at, *of))
                       for of in itertools.product(programs(), ratios)]
                  for at in itertools.product(names, numbers)}
        work = []
        for at, made in smalls.items():                 # judged while others are condensed
            concurrent.futures.wait(made)
            for one in made:
                one.result()
            missing = [t for t in wanted if (*at, *t) not in known]
            if missing:
                work.append(judges.submit(judge, (*at, missing)))
                work[-1].add_done_callback(keep)
        for done in work:
            done.result()
    wanted = [c for c in found if c["graph"] in names and c["model"] in models
              and not math.isnan(c["accuracy"])]
    show(wanted)


if __name__ == "__main__":
    main()
