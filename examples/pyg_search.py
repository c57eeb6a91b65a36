#!/usr/bin/env python3
"""Search hyperparameters on a condensed graph, then check the result on the full graph.

Every setting is trained on the small graph and judged on the validation nodes of the full graph.
The best and the worst setting are then trained on the full graph: the ranking should hold.

    python examples/pyg_search.py --graph FILE      any graph that bonsai reads
    python examples/pyg_search.py --small           a generated graph, in seconds

SPDX-License-Identifier: MIT"""
import argparse
import itertools
import time

import torch
import torch.nn.functional as F
from torch_geometric.nn import GATConv, GCNConv, SAGEConv

import graphbonsai
from graphbonsai import pyg

LAYERS = {"gcn": GCNConv, "gat": GATConv, "sage": SAGEConv}


class Model(torch.nn.Module):
    def __init__(self, kind, features, hidden, classes, dropout):
        super().__init__()
        self.first, self.second = LAYERS[kind](features, hidden), LAYERS[kind](hidden, classes)
        self.dropout = dropout

    def forward(self, data):
        x = F.relu(self.first(data.x, data.edge_index))
        x = F.dropout(x, self.dropout, self.training)
        return self.second(x, data.edge_index)


def run(setting, data, full, epochs):
    """Return validation and test accuracy on the full graph, and the training seconds."""
    kind, hidden, rate, dropout = setting
    torch.manual_seed(0)
    model = Model(kind, data.num_features, hidden, int(full.y.max()) + 1, dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, weight_decay=5e-4)
    start = time.perf_counter()
    for _ in range(epochs):
        optimizer.zero_grad()
        pyg.loss(model(data), data).backward()
        optimizer.step()
    seconds = time.perf_counter() - start
    model.eval()
    with torch.no_grad():
        right = (model(full).argmax(1) == full.y).float()
    return (100 * right[full.val_mask].mean().item(), 100 * right[full.test_mask].mean().item(),
            seconds)


def show(setting, val, test, seconds):
    kind, hidden, rate, dropout = setting
    print(f"{kind:5} {hidden:6} {rate:7g} {dropout:7g} {val:11.1f} {test:6.1f} {seconds:8.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--small", action="store_true", help="a generated graph, few settings")
    parser.add_argument("--graph", help="a file that bonsai reads")
    parser.add_argument("--ratio", type=float, default=0.01)
    parser.add_argument("--epochs", type=int, default=None)
    options = parser.parse_args()
    if options.small == bool(options.graph):
        parser.error("give --small, or --graph FILE")
    if options.small:
        graph = graphbonsai.generate(nodes=2000, features=100, classes=4, difficulty=0.6, seed=3)
        grid = itertools.product(("gcn", "sage"), (4, 64), (1e-4, 0.01), (0.0,))
    else:
        graph = graphbonsai.Graph.load(options.graph)
        graph = graph if graph.train_mask is not None else graph.split((60, 20, 20), 1)
        grid = itertools.product(LAYERS, (16, 64, 128), (0.001, 0.01, 0.05), (0.0, 0.5))
    epochs = options.epochs or (60 if options.small else 200)
    full = pyg.to_data(graph)

    small = graphbonsai.condense(full, ratio=options.ratio)
    judged = pyg.apply_features(full, small)
    print(f"{small.num_nodes} nodes stand for {full.num_nodes}")

    print("\non the small graph")
    print("model hidden    rate dropout  validation   test  seconds")
    results = []
    for setting in grid:
        results.append((run(setting, small, judged, epochs), setting))
        show(setting, *results[-1][0])
    results.sort(key=lambda r: -r[0][0])
    best, worst = results[0][1], results[-1][1]

    print("\nthe best and the worst, on the full graph")
    good, bad = run(best, full, full, epochs), run(worst, full, full, epochs)
    show(best, *good)
    show(worst, *bad)
    searching = sum(r[0][2] for r in results)
    print(f"\n{len(results)} settings took {searching:.1f} s of training on the small graph; one "
          f"takes {good[2]:.1f} s on the full one")
    print("the ranking holds" if good[0] >= bad[0] else "the ranking does not hold")


if __name__ == "__main__":
    main()
