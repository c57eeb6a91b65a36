#!/usr/bin/env python3
"""Train a DGL model on a condensed graph.

    python examples/dgl_gcn.py              Cora, downloaded by DGL
    python examples/dgl_gcn.py --small      a generated graph, in seconds

SPDX-License-Identifier: MIT"""
import argparse

import torch
import torch.nn.functional as F

import dgl
from dgl.nn import GraphConv

import graphbonsai
from graphbonsai import dgl as bonsai_dgl


class GCN(torch.nn.Module):
    def __init__(self, features, hidden, classes):
        super().__init__()
        self.first, self.second = GraphConv(features, hidden), GraphConv(hidden, classes)

    def forward(self, g):
        weight = g.edata.get("weight")
        x = F.relu(self.first(g, g.ndata["feat"], edge_weight=weight))
        return self.second(g, x, edge_weight=weight)


def get_graph(small):
    if small:
        made = graphbonsai.generate(nodes=3000, features=200, classes=5, seed=1)
        return bonsai_dgl.to_data(made)
    return dgl.data.CoraGraphDataset()[0]


def with_loops(g):
    """Give every node exactly one self loop, which GraphConv needs."""
    g = dgl.remove_self_loop(g)
    return dgl.add_self_loop(g, fill_data=1.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--small", action="store_true", help="a generated graph")
    parser.add_argument("--ratio", type=float, default=0.01)
    parser.add_argument("--epochs", type=int, default=200)
    options = parser.parse_args()
    full = get_graph(options.small)

    small = graphbonsai.condense(full, ratio=options.ratio)
    print(small.report)

    torch.manual_seed(1)
    data = with_loops(small)
    classes = int(full.ndata["label"].max()) + 1
    model = GCN(data.ndata["feat"].shape[1], 128, classes)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for _ in range(options.epochs):
        optimizer.zero_grad()
        bonsai_dgl.loss(model(data), data).backward()
        optimizer.step()

    judged = with_loops(bonsai_dgl.apply_features(full, small))
    with torch.no_grad():
        right = (model(judged).argmax(1) == judged.ndata["label"])[judged.ndata["test_mask"].bool()]
    print(f"trained on {small.num_nodes()} of {full.num_nodes()} nodes: "
          f"{100 * right.float().mean().item():.1f} % of the test nodes")


if __name__ == "__main__":
    main()
