"""models.py -- the networks that bonsai trains, made of PyTorch Geometric's layers.

Parameters have the names that `bonsai train --save MODEL.npz` writes: convs.0.lin.weight ...

SPDX-License-Identifier: MIT"""
import torch
from torch import nn
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv

KINDS = ("gcn", "gat", "gin", "sage")


def layer(kind, columns_in, columns_out, heads=1, join=False, gin_layers=1):
    if kind == "gcn":
        return GCNConv(columns_in, columns_out)
    if kind == "gat":
        width = columns_out // heads if join else columns_out
        return GATConv(columns_in, width, heads=heads, concat=join)
    if kind == "gin":
        one = nn.Linear(columns_in, columns_out)
        if gin_layers == 1:
            return GINConv(one)
        return GINConv(nn.Sequential(one, nn.ReLU(), nn.Linear(columns_out, columns_out)))
    return SAGEConv(columns_in, columns_out)


def pass_through(conv, x, edges, weights=None):
    """Only GCNConv reads edge weights."""
    return conv(x, edges, weights) if isinstance(conv, GCNConv) else conv(x, edges)


class Network(nn.Module):
    def __init__(self, kind, features, classes, layers=2, hidden=128, heads=1, gin_layers=1):
        super().__init__()
        self.convs = nn.ModuleList()
        for i in range(layers):
            last = i == layers - 1
            self.convs.append(layer(kind, hidden if i else features, classes if last else hidden,
                                    heads, not last, gin_layers))

    def forward(self, x, edges, weights=None):
        for i, conv in enumerate(self.convs):
            x = pass_through(conv, x if i == 0 else torch.relu(x), edges, weights)
        return x
