#!/usr/bin/env python3
"""make_reference.py [FOLDER] -- what PyTorch Geometric computes, for tests/nn/test_reference.c.

Writes one file per graph into FOLDER (tests/reference).  A file has the graph, its features
and targets, and cases: single layers (an output y, a gradient dy that comes back, the
gradient dx that it becomes) and whole networks (scores, loss).  A parameter is one array
CASE/NAME: its values and its gradient, and in a network also its values after one and after
three steps of Adam.  Inputs are exact floats; everything is computed in double and rounded
once, so that the error measured against it is our own.

A file is "BNREF 1\\n", then arrays: int32 length of the name, 0 for int32 or 1 for float32,
number of dimensions, the dimensions, the name padded with zeros to a multiple of 4, the
elements.  Little endian.

SPDX-License-Identifier: MIT"""
import os
import struct
import sys

import numpy as np
import torch
from torch.nn import functional

import models

HERE = os.path.dirname(os.path.abspath(__file__))
MAGIC = b"BNREF 1\n"
CLASSES, HIDDEN = 4, 6
RATE, DECAY, STEPS = 0.01, 5e-4, (1, 3)


# ---- files ----

def save(path, arrays):
    with open(path, "wb") as out:
        out.write(MAGIC)
        for name, value in arrays.items():
            whole = value.dtype.kind in "iu"
            text = name.encode()
            out.write(struct.pack("<3i", len(text), 0 if whole else 1, value.ndim))
            out.write(struct.pack(f"<{value.ndim}i", *value.shape))
            out.write(text + b"\0" * (-len(text) % 4))
            out.write(np.ascontiguousarray(value, "<i4" if whole else "<f4").tobytes())


def load(path):
    data = open(path, "rb").read()
    if not data.startswith(MAGIC):
        raise ValueError(f"{path}: not a reference file")
    at, arrays = len(MAGIC), {}
    while at < len(data):
        length, kind, ndim = struct.unpack_from("<3i", data, at)
        shape = struct.unpack_from(f"<{ndim}i", data, at + 12)
        at += 12 + 4 * ndim
        name = data[at:at + length].decode()
        at += length + -length % 4
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(data, ("<i4", "<f4")[kind], count, at).reshape(shape)
        at += 4 * count
    return arrays


# ---- graphs: RandomState, whose numbers never change ----

def symmetric(pairs):
    return sorted(pairs | {(v, u) for u, v in pairs})


def entries(r, n, m, directed, loops, repeated):
    """m random edges among all nodes but the last, which stays alone; node 0 has many."""
    pairs = set()
    while len(pairs) < m:
        u, v = r.randint(n - 1, size=2)
        u = 0 if r.rand() < 0.15 else u
        if u != v:
            pairs.add((int(u), int(v)))
    pairs = sorted(pairs) if directed else symmetric(pairs)
    pairs += pairs[1:2 * repeated:2]
    return pairs + [(int(u), int(u)) for u in r.permutation(n - 1)[:loops]]


def make_graph(seed, n, m, f, directed=False, weighted=False, loops=0, repeated=0,
               node_weights=False, soft=False):
    r = np.random.RandomState(seed)
    pairs = np.array(entries(r, n, m, directed, loops, repeated), np.int32)
    x = r.standard_normal((n, f)) * (r.rand(n, f) < 0.4)
    x[n // 2] = 0                                       # a node without features
    g = {"source": pairs[:, 0], "target": pairs[:, 1], "x": x,
         "directed": np.array([directed], np.int32)}
    if weighted:
        each = r.uniform(0.25, 4, (n, n))
        if not directed:
            each = np.maximum(each, each.T)
        g["weight"] = each[pairs[:, 0], pairs[:, 1]]
    g["label"] = r.randint(CLASSES, size=n).astype(np.int32)
    g["train"] = np.sort(r.permutation(n)[:n * 2 // 3]).astype(np.int32)
    if node_weights:
        g["node_weight"] = r.randint(1, 9, n) / 4.0
    if soft:
        share = r.rand(n, CLASSES)
        g["soft"] = np.float32(share / share.sum(1, keepdims=True))
    return {name: v if v.dtype == np.int32 else np.float32(v) for name, v in g.items()}, r


# ---- what PyTorch Geometric makes of them ----

def tensors(g):
    edges = torch.tensor(np.stack([g["source"], g["target"]]).astype(np.int64))
    weights = torch.tensor(g["weight"]).double() if "weight" in g else None
    return torch.tensor(g["x"]).double(), edges, weights


def draw(module, r):
    """Floats of the usual size for every parameter, biases too."""
    module.double()
    for p in module.parameters():
        rows, cols = (1, p.numel()) if p.dim() == 1 else p.shape[-2:]
        bound = 0.3 if p.dim() == 1 else (6 / (rows + cols)) ** 0.5
        p.data = torch.tensor(np.float32(r.uniform(-bound, bound, p.shape))).double()
    return module


def keep(out, case, **values):
    for name, value in values.items():
        out[f"{case}/{name}"] = np.float32(value.detach().numpy())


def keep_params(out, case, module, stages):
    """stages: per moment a list of all parameters' values."""
    for (name, _), *values in zip(module.named_parameters(), *stages):
        out[f"{case}/{name}"] = np.float32(np.stack(values))


def values_of(module):
    return [p.detach().numpy().copy() for p in module.parameters()]


def gradients_of(module):
    return [p.grad.numpy().copy() for p in module.parameters()]


def spec(network, kind, layers, heads=1, join=0, gin_layers=1):
    return np.array([network, models.KINDS.index(kind), layers, heads, join, gin_layers], np.int32)


def add_layer(out, g, r, case, kind, width, **shape):
    x, edges, weights = tensors(g)
    x.requires_grad_(True)
    conv = draw(models.layer(kind, x.shape[1], width, **shape), r)
    y = models.pass_through(conv, x, edges, weights)
    dy = torch.tensor(np.float32(r.standard_normal(y.shape))).double()
    y.backward(dy)
    out[f"{case}/spec"] = spec(0, kind, 1, **shape)
    keep(out, case, y=y, dy=dy, dx=x.grad)
    keep_params(out, case, conv, [values_of(conv), gradients_of(conv)])


def loss_of(scores, g):
    train = torch.tensor(g["train"]).long()
    target = torch.tensor(g["soft"]).double() if "soft" in g else torch.tensor(g["label"]).long()
    each = functional.cross_entropy(scores[train], target[train], reduction="none")
    if "node_weight" not in g:
        return each.mean()
    weight = torch.tensor(g["node_weight"]).double()[train]
    return (weight * each).sum() / weight.sum()


def train(net, g):
    """Scores and loss of the first step, and the parameters by stage."""
    x, edges, weights = tensors(g)
    adam = torch.optim.Adam(net.parameters(), lr=RATE, weight_decay=DECAY)
    stages = [values_of(net)]
    for step in range(1, max(STEPS) + 1):
        adam.zero_grad()
        scores = net(x, edges, weights)
        loss = loss_of(scores, g)
        loss.backward()
        if step == 1:
            first = scores, loss.reshape(1)
            stages.append(gradients_of(net))
        adam.step()
        if step in STEPS:
            stages.append(values_of(net))
    return first, stages


def add_network(out, g, r, case, kind, layers, **shape):
    """Where all scores into each node have one sign, attention's gradient is nothing but the
    rounding of zero, which cannot be compared: such weights are drawn again."""
    net = models.Network(kind, g["x"].shape[1], CLASSES, layers, HIDDEN, **shape)
    largest = 0
    while largest < 1e-4:
        (scores, loss), stages = train(draw(net, r), g)
        largest = min(np.abs(gradient).max() for gradient in stages[1])
    out[f"{case}/spec"] = spec(1, kind, layers, **shape)
    keep(out, case, scores=scores, loss=loss)
    keep_params(out, case, net, stages)


LAYERS = [("gcn narrower", "gcn", 5, {}), ("gcn wider", "gcn", 11, {}),
          ("gat", "gat", 5, {}), ("gat 3 heads joined", "gat", 12, {"heads": 3, "join": True}),
          ("gat 3 heads averaged", "gat", 5, {"heads": 3}),
          ("gin", "gin", 5, {}), ("gin of two", "gin", 5, {"gin_layers": 2}),
          ("gin wider", "gin", 11, {}),
          ("sage narrower", "sage", 5, {}), ("sage wider", "sage", 11, {})]
NETWORKS = [("gcn", {}), ("gat", {}), ("gat", {"heads": 3}), ("gin", {}),
            ("gin", {"gin_layers": 2}), ("sage", {})]
GRAPHS = {
    "plain":    (dict(seed=1, n=16, m=26, f=8), True, (1, 2, 3)),
    "weighted": (dict(seed=2, n=16, m=26, f=8, weighted=True, loops=4, node_weights=True),
                 True, (2,)),
    "directed": (dict(seed=3, n=16, m=44, f=8, directed=True, soft=True), True, (2,)),
    "loops":    (dict(seed=4, n=16, m=36, f=8, directed=True, weighted=True, loops=5, repeated=5,
                      node_weights=True, soft=True), True, (3,)),
    "large":    (dict(seed=5, n=300, m=700, f=8), False, (2,)),
}


def write_all(folder):
    os.makedirs(folder, exist_ok=True)
    torch.set_num_threads(1)
    for name, (options, layers, depths) in GRAPHS.items():
        g, r = make_graph(**options)
        out = dict(g)
        for case, kind, width, shape in LAYERS if layers else []:
            add_layer(out, g, r, case, kind, width, **shape)
        for depth in depths:
            for kind, shape in NETWORKS:
                case = f"{kind}{''.join(str(v) for v in shape.values())} x{depth}"
                add_network(out, g, r, case, kind, depth, **shape)
        save(os.path.join(folder, name + ".bin"), out)


if __name__ == "__main__":
    write_all(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "reference"))
