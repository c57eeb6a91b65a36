#!/usr/bin/env python3
"""Search hyperparameters on a condensed graph, then check the pick on the full graph.

Every setting is trained on the small graph and judged once on the validation nodes of the full
graph.  The best three are trained on the full graph, and the best of those by validation is the
pick.  To check it, settings from the whole ranking are trained on the full graph too; the exit
status is 1 if the pick is clearly worse on the test nodes than the median of these.

    python examples/pyg_search.py                   a generated graph, in seconds
    python examples/pyg_search.py --graph FILE      any graph that bonsai reads

graphbonsai.search does the same with the library's own networks, without torch.

SPDX-License-Identifier: MIT"""
import argparse
import itertools
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch_geometric.nn import GATConv, GCNConv, SAGEConv

import graphbonsai
from graphbonsai import pyg

LAYERS = {"gcn": GCNConv, "gat": GATConv, "sage": SAGEConv}
FINISH = 3


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
    """Return validation and test accuracy on the full graph, and seconds to train and to judge."""
    kind, hidden, rate, dropout = setting
    torch.manual_seed(0)
    model = Model(kind, data.num_features, hidden, int(full.y.max()) + 1, dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, weight_decay=5e-4)
    start = time.perf_counter()
    for _ in range(epochs):
        optimizer.zero_grad()
        pyg.loss(model(data), data).backward()
        optimizer.step()
    trained = time.perf_counter()
    model.eval()
    with torch.no_grad():
        right = (model(full).argmax(1) == full.y).float()
    return (100 * right[full.val_mask].mean().item(), 100 * right[full.test_mask].mean().item(),
            trained - start, time.perf_counter() - trained)


def show(setting, val, test, training, judging):
    kind, hidden, rate, dropout = setting
    print(f"{kind:5} {hidden:6} {rate:7g} {dropout:7g} {val:11.1f} {test:6.1f} {training:9.2f} "
          f"{judging:8.2f}")


def clearly_worse(pick, others, nodes):
    """Whether a test accuracy is below the median of others by more than two standard errors."""
    median = statistics.median(others)
    return pick < median - 2 * (median * (100 - median) / nodes) ** 0.5


def spread(ranking, count):
    """Return `count` settings at even distances in the ranking, its first and last among them."""
    count = min(count, len(ranking))
    return [ranking[round(i * (len(ranking) - 1) / max(1, count - 1))] for i in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--small", action="store_true",
                        help="a generated graph, few settings, as without --graph")
    parser.add_argument("--graph", help="a file that bonsai reads")
    parser.add_argument("--ratio", type=float, default=0.01)
    parser.add_argument("--epochs", type=int, default=None)
    parser.add_argument("--check", type=int, default=9,
                        help="settings to train on the full graph, to compare the pick with")
    options = parser.parse_args()
    if options.small and options.graph:
        parser.error("give --small or --graph FILE, not both")
    if options.graph:
        graph = graphbonsai.Graph.load(options.graph)
        graph = graph if graph.train_mask is not None else graph.split((60, 20, 20), 1)
        grid = itertools.product(LAYERS, (16, 64, 128), (0.001, 0.01, 0.05), (0.0, 0.5))
    else:
        graph = graphbonsai.generate(nodes=2000, features=100, classes=4, difficulty=0.6, seed=3)
        grid = itertools.product(("gcn", "sage"), (4, 64), (1e-4, 0.01), (0.0,))
    epochs = options.epochs or (200 if options.graph else 60)
    full = pyg.to_data(graph)

    small = graphbonsai.condense(full, ratio=options.ratio)
    judged = pyg.apply_features(full, small)
    print(f"{small.num_nodes} nodes stand for {full.num_nodes}")

    head = "model hidden    rate dropout  validation   test  training  judging"
    print(f"\non the small graph\n{head}")
    results = []
    for setting in grid:
        results.append((run(setting, small, judged, epochs), setting))
        show(setting, *results[-1][0])
    results.sort(key=lambda r: -r[0][0])
    ranking = [setting for _, setting in results]

    print(f"\non the full graph: the best {FINISH}, then some of the whole ranking\n{head}")
    finished = {}
    for setting in ranking[:FINISH] + spread(ranking, options.check):
        if setting not in finished:
            finished[setting] = run(setting, full, full, epochs)
            show(setting, *finished[setting])
    pick = max(ranking[:FINISH], key=lambda setting: finished[setting][0])
    others = [finished[setting][1] for setting in spread(ranking, options.check)]

    searching = sum(r[0][2] + r[0][3] for r in results)
    training = statistics.mean(r[2] + r[3] for r in finished.values())
    print(f"\n{len(results)} settings took {searching:.1f} s on the small graph; one takes "
          f"{training:.1f} s on the full one")
    test = finished[pick][1]
    print(f"the pick has a test accuracy of {test:.1f} %, the median setting "
          f"{statistics.median(others):.1f} %")
    if clearly_worse(test, others, int(full.test_mask.sum())):
        print("the pick is clearly worse than the median setting: search on a larger small graph")
        return 1
    print("the pick holds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
