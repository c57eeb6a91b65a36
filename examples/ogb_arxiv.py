#!/usr/bin/env python3
"""Condense an Open Graph Benchmark node dataset, and judge models trained on the small graph.

    python examples/ogb_arxiv.py                        ogbn-arxiv, downloaded by ogb
    python examples/ogb_arxiv.py --name ogbn-products
    python examples/ogb_arxiv.py --small                a generated graph, in seconds

The library trains and judges the models: --small needs no torch.

SPDX-License-Identifier: MIT"""
import argparse

import numpy as np

import graphbonsai
from graphbonsai import ogb


def generated():
    """Return (graph, labels, split) as ogb does."""
    g = graphbonsai.generate(nodes=3000, features=32, classes=6, dense=1, seed=1)
    graph = {"edge_index": np.array(g.edge_index), "edge_feat": None, "node_feat": np.array(g.x),
             "num_nodes": g.num_nodes}
    split = {name: np.flatnonzero(mask) for name, mask in
             (("train", g.train_mask), ("valid", g.val_mask), ("test", g.test_mask))}
    return graph, np.array(g.y).reshape(-1, 1), split


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--small", action="store_true", help="a generated graph")
    parser.add_argument("--name", default="ogbn-arxiv")
    parser.add_argument("--root", default="data")
    parser.add_argument("--ratio", type=float, default=0.01)
    parser.add_argument("--models", default="gcn,sage")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    if options.small:
        data = generated()
    else:
        from ogb.nodeproppred import NodePropPredDataset
        data = NodePropPredDataset(options.name, root=options.root)

    full = ogb.from_data(data)                  # the features are not copied
    small = graphbonsai.condense(full, ratio=options.ratio)
    print(small.report)
    for model in options.models.split(","):
        result = graphbonsai.evaluate(small, full, model=model, seeds=options.seeds)
        print(f"{model}: {result.mean:.2f} ± {result.std:.2f} % of the test nodes")
    if not options.small:
        small.save(f"{options.name}-small.bonsai")
        print(f"written to {options.name}-small.bonsai")


if __name__ == "__main__":
    main()
