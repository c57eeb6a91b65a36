#!/usr/bin/env python3
"""Train a PyTorch Geometric model on a hundredth of a graph.

    python examples/pyg_quickstart.py                   Cora, downloaded by PyTorch Geometric
    python examples/pyg_quickstart.py --graph FILE      any graph that bonsai reads
    python examples/pyg_quickstart.py --small           a generated graph, in seconds

SPDX-License-Identifier: MIT"""
import argparse
import time

import torch
import torch.nn.functional as F
from torch_geometric.nn import GCNConv

import graphbonsai
from graphbonsai import pyg


class GCN(torch.nn.Module):
    def __init__(self, features, hidden, classes):
        super().__init__()
        self.first, self.second = GCNConv(features, hidden), GCNConv(hidden, classes)

    def forward(self, data):
        weight = data.get("edge_weight")
        x = F.relu(self.first(data.x, data.edge_index, weight))
        return self.second(x, data.edge_index, weight)


def get_data(options):
    if options.small:
        return pyg.to_data(graphbonsai.generate(nodes=3000, features=200, classes=5, seed=1))
    if options.graph:
        graph = graphbonsai.Graph.load(options.graph)
        return pyg.to_data(graph if graph.train_mask is not None else graph.split((60, 20, 20), 1))
    from torch_geometric import transforms as T
    from torch_geometric.datasets import Planetoid
    return Planetoid("data", "Cora", transform=T.RandomNodeSplit(num_val=0.2, num_test=0.2))[0]


def train(data, full, classes, epochs):
    """Return a model trained on `data`, its test accuracy on `full`, and the training seconds."""
    torch.manual_seed(1)
    model = GCN(data.num_features, 128, classes)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    start = time.perf_counter()
    for _ in range(epochs):
        optimizer.zero_grad()
        pyg.loss(model(data), data).backward()      # uses soft labels and weights, if any
        optimizer.step()
    seconds = time.perf_counter() - start
    with torch.no_grad():
        right = (model(full).argmax(1) == full.y)[full.test_mask]
    return model, 100 * right.float().mean().item(), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--small", action="store_true", help="a generated graph")
    parser.add_argument("--graph", help="a file that bonsai reads")
    parser.add_argument("--ratio", type=float, default=0.01)
    parser.add_argument("--epochs", type=int, default=200)
    options = parser.parse_args()
    full = get_data(options)

    small = graphbonsai.condense(full, ratio=options.ratio)
    print(small)
    print(small.report)

    classes = int(full.y.max()) + 1
    for name, data in (("small", small), ("full", full)):
        judged = pyg.apply_features(full, data)         # selects the kept features
        _, accuracy, seconds = train(data, judged, classes, options.epochs)
        print(f"trained on the {name} graph: {accuracy:.1f} % of the test nodes, {seconds:.2f} s")


if __name__ == "__main__":
    main()
