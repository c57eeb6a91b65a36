#!/usr/bin/env python3
"""accuracy.py [NAME ...] -- PyTorch Geometric's models on condensed graphs, beside our own.

Each of cora, citeseer, pubmed is split 60/20/20 with seed 1 and condensed to a hundredth of its
bytes.  GCNConv, GATConv, GINConv and SAGEConv are trained on the small Data by Adam with
graphbonsai.pyg.loss, and graphbonsai.evaluate does the same in C: 2 layers of 128, rate 0.01,
decay 5e-4, 300 epochs, and of every 10th the one that is best on the validation nodes.  The two
means over seeds must not be further apart than 2.5 standard errors.

SPDX-License-Identifier: MIT"""
import argparse
import os
import sys
import time

import torch
from torch_geometric.utils import to_torch_csr_tensor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import graphbonsai              # noqa: E402
from graphbonsai import pyg     # noqa: E402
from models import KINDS, Network       # noqa: E402

SETS = ("cora", "citeseer", "pubmed")
EPOCHS, EVERY, RATE, DECAY = 300, 10, 0.01, 5e-4
LIMIT = 2.5


def data_folder():
    """Of the planetoid files, or None: BONSAI_DATA, else shared/data beside the repository."""
    for base in (os.environ.get("BONSAI_DATA"), os.path.join(HERE, "../../shared/data"),
                 os.path.join(HERE, "../../../shared/data"),
                 os.path.join(HERE, "../../../../shared/data")):
        for folder in ((base, os.path.join(base, "planetoid")) if base else ()):
            if os.path.exists(os.path.join(folder, "ind.cora.x")):
                return folder
    return None


def load(name):
    """The full graph with its split: as a Graph, and as a Data made of it."""
    path = os.path.join(data_folder(), f"ind.{name}.x")
    graph = graphbonsai.Graph.load(f"planetoid:{path}").split((60, 20, 20), 1)
    return graph, pyg.to_data(graph)


def adjacency(kind, data):
    """The edges for judging: PyTorch Geometric multiplies faster by a sparse matrix."""
    if kind == "gat":                   # its softmax needs another package for that
        return data.edge_index, data.get("edge_weight")
    n = data.num_nodes
    adj = to_torch_csr_tensor(data.edge_index.flip(0), data.get("edge_weight"), size=(n, n))
    return adj, None


@torch.no_grad()
def accuracy(net, data, edges):
    """Of validation and of test nodes, in percent."""
    right = net(data.x, *edges).argmax(1) == data.y
    return [100 * right[mask].float().mean().item() for mask in (data.val_mask, data.test_mask)]


def train(kind, small, full, seed, epochs=EPOCHS):
    """The test accuracy in the epoch that is best on the validation nodes."""
    torch.manual_seed(seed)
    classes = int(full.y.max()) + 1
    net = Network(kind, small.num_features, classes)
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE, weight_decay=DECAY)
    best, answer, edges = -1.0, 0.0, adjacency(kind, full)
    for epoch in range(1, epochs + 1):
        optimizer.zero_grad()
        scores = net(small.x, small.edge_index, small.get("edge_weight"))
        pyg.loss(scores, small).backward()
        optimizer.step()
        if epoch % EVERY == 0 or epoch == epochs:
            val, test = accuracy(net, full, edges)
            if val > best:
                best, answer = val, test
    return answer


def mean_std(values):
    values = torch.tensor(values, dtype=torch.float64)
    return values.mean().item(), values.std().item()


def compare(kind, small, full, graph, seeds, epochs=EPOCHS, threads=0):
    """(PyG's mean, deviation, ours, deviation, distance in standard errors)"""
    theirs = mean_std([train(kind, small, full, seed, epochs) for seed in range(1, seeds + 1)])
    ours = graphbonsai.evaluate(pyg.from_data(small), graph, model=kind, seeds=seeds,
                                epochs=epochs, threads=threads, progress=False)
    # Runs that all end alike still differ by a node or so: no deviation is below one of them.
    node = 100 / int(full.test_mask.sum())
    error = ((max(theirs[1], node) ** 2 + max(ours.std, node) ** 2) / seeds) ** 0.5
    apart = abs(theirs[0] - ours.mean)
    return (*theirs, ours.mean, ours.std, apart / error if error else (0 if apart < 1e-9 else 99))


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("names", nargs="*", default=list(SETS))
    options.add_argument("--models", default=",".join(KINDS))
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--ratio", type=float, default=0.01)
    options.add_argument("--method", default="auto")
    options.add_argument("--threads", type=int, default=0)
    asked = options.parse_args()
    if asked.threads:
        torch.set_num_threads(asked.threads)
    if data_folder() is None:
        print("accuracy: skipped, the planetoid files are not there (set BONSAI_DATA)")
        return 0
    far, models = 0, asked.models.split(",")
    print(f"{'data':9} {'method':10} {'nodes':>6} {'model':5} {'PyG':>7} {'':6} {'bonsai':>7} "
          f"{'':6} {'apart':>6}  seconds", flush=True)
    for name in asked.names:
        graph, full = load(name)
        small = graphbonsai.condense(full, ratio=asked.ratio, method=asked.method, progress=False)
        full = pyg.apply_features(full, small)
        for kind in models:
            start = time.time()
            row = compare(kind, small, full, graph, asked.seeds, threads=asked.threads)
            far += row[4] > LIMIT
            print(f"{name:9} {small.report['method']:10} {small.num_nodes:6} {kind:5} "
                  f"{row[0]:7.2f} ±{row[1]:5.2f} {row[2]:7.2f} ±{row[3]:5.2f} {row[4]:6.2f}  "
                  f"{time.time() - start:.0f}", flush=True)
    print(f"accuracy: {far} of {len(asked.names) * len(models)} further apart than {LIMIT} "
          f"standard errors")
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
