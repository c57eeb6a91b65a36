#!/usr/bin/env python3
"""train_pyg.py -- trains with PyTorch Geometric, for comparison with bonsai.

  train_pyg.py accuracy GRAPH.npz ... [--models gcn,gat,gin,sage] [--seeds 10]
      one JSON line per run: the test accuracy at the epoch of the best validation accuracy,
      judged every 10th epoch.  On a GPU if there is one.
  train_pyg.py speed GRAPH.npz ... --bonsai PROGRAM [--threads 2] [--full GRAPH.npz]
      milliseconds per training epoch (forward, backward, step) on the CPU, next to the
      program's.  PyTorch Geometric is timed in its usual form (edge_index, dense x) and in
      every other form that the layer accepts; the ratio is to the fastest.  --full: the
      graphs were condensed from that graph.
  train_pyg.py table PYG.jsonl BONSAI.jsonl
      both accuracies side by side; needs only Python.

GRAPH.npz is what `bonsai split` or `bonsai condense` writes.

SPDX-License-Identifier: MIT"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ("gcn", "gat", "gin", "sage")


# ---- graphs ----

def read_features(z):
    import numpy as np
    if "x" in z:
        return np.float32(z["x"])
    x = np.zeros(tuple(z["x_shape"]), np.float32)
    rows = np.repeat(np.arange(len(x)), np.diff(z["x_indptr"]))
    x[rows, z["x_indices"]] = z["x_data"] if "x_data" in z else 1
    return x


def read_graph(path, device):
    """Read a graph.  A condensed graph has no parts: all its labels are for training."""
    import numpy as np
    import torch
    z = np.load(path)
    y = np.int64(z["y"])
    g = {"name": os.path.splitext(os.path.basename(path))[0],
         "x": torch.tensor(read_features(z)), "edges": torch.tensor(np.int64(z["edge_index"])),
         "y": torch.tensor(y), "weights": None,
         "classes": int(z["num_classes"]) if "num_classes" in z else int(y.max()) + 1}
    if "edge_weight" in z:
        g["weights"] = torch.tensor(np.float32(z["edge_weight"]))
    for part in ("train", "val", "test"):
        nodes = z[part + "_idx"] if "train_idx" in z else np.arange(len(y) * (part == "train"))
        nodes = np.int64(nodes)
        g[part] = torch.tensor(nodes[y[nodes] >= 0])
    return {k: v.to(device) if hasattr(v, "to") else v for k, v in g.items()}


def make_network(kind, g, o):
    import models
    return models.Network(kind, g["x"].shape[1], g["classes"], o.layers, o.hidden)


def make_step(net, g, o, edges=None, weights=None, x=None):
    """Train for one epoch."""
    import torch
    from torch.nn import functional
    adam = torch.optim.Adam(net.parameters(), lr=o.rate, weight_decay=o.decay)
    edges = g["edges"] if edges is None else edges
    x = g["x"] if x is None else x
    target = g["y"][g["train"]]

    def step():
        adam.zero_grad(set_to_none=True)
        loss = functional.cross_entropy(net(x, edges, weights)[g["train"]], target)
        loss.backward()
        adam.step()
        return loss
    return step


# ---- accuracy ----

def run(kind, seed, g, o):
    """Train and judge; counts stay on the device until the end, so that nothing waits for it."""
    import torch
    torch.manual_seed(seed)
    net = make_network(kind, g, o).to(g["x"].device)
    step = make_step(net, g, o, weights=g["weights"])
    counts, epochs = [], []
    for epoch in range(1, o.epochs + 1):
        step()
        if epoch % o.every == 0 or epoch == o.epochs:
            with torch.no_grad():
                right = net(g["x"], g["edges"], g["weights"]).argmax(1) == g["y"]
            counts.append(torch.stack([right[g["val"]].sum(), right[g["test"]].sum()]))
            epochs.append(epoch)
    counts = torch.stack(counts).cpu().tolist()
    best = max(range(len(counts)), key=lambda i: (counts[i][0], -i))
    share = [100 * c / max(1, len(g[part])) for c, part in zip(counts[best], ("val", "test"))]
    return {"accuracy": share[1], "accuracy_val": share[0], "best_epoch": epochs[best]}


def accuracy(o):
    import torch
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for path in o.graphs:
        g = read_graph(path, device)
        for kind in o.models:
            for seed in range(o.seeds):
                began = time.time()
                row = {"data": g["name"], "model": kind, "seed": seed, **run(kind, seed, g, o),
                       "seconds": round(time.time() - began, 3), "device": device.type}
                print(json.dumps(row), flush=True)


# ---- both accuracies side by side ----

def read_runs(path):
    runs = {}
    for line in open(path):
        row = json.loads(line)
        runs.setdefault((row["data"], row["model"]), []).append(row["accuracy"])
    return runs


def spread(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def table(o):
    theirs, ours = read_runs(o.graphs[0]), read_runs(o.graphs[1])
    print(f"{'graph':<20} {'model':<5} {'runs':>5} {'PyG %':>7} {'+-':>5} {'bonsai %':>9} {'+-':>5}"
          f" {'difference':>11} {'in std. errors':>15}")
    worst = 0.0
    for key in sorted(set(theirs) & set(ours), key=lambda k: (k[0], KINDS.index(k[1]))):
        a, b = theirs[key], ours[key]
        error = (spread(a) ** 2 / len(a) + spread(b) ** 2 / len(b)) ** 0.5
        off = statistics.mean(b) - statistics.mean(a)
        ratio = off / error if error > 0 else (0.0 if off == 0 else float("inf"))
        worst = max(worst, abs(ratio))
        print(f"{key[0]:<20} {key[1]:<5} {len(b):>5} {statistics.mean(a):>7.2f} {spread(a):>5.2f}"
              f" {statistics.mean(b):>9.2f} {spread(b):>5.2f} {off:>+11.2f} {ratio:>+15.2f}")
    print(f"largest difference: {worst:.2f} standard errors")


# ---- seconds per epoch ----

def forms(kind, g, o):
    """Yield (name, function that trains one epoch) for each form of the same layer in PyTorch
    Geometric.  Only GCN reads weights, and only GCN can keep its normalised adjacency."""
    import torch
    from torch_geometric import EdgeIndex
    n, edges = len(g["x"]), g["edges"]
    weights = g["weights"] if kind == "gcn" else None
    order = torch.argsort(edges[1] * n + edges[0])
    by_target = edges[:, order]
    sorted_weights = None if weights is None else weights[order]
    values = torch.ones(edges.shape[1]) if sorted_weights is None else sorted_weights
    matrix = torch.sparse_coo_tensor(by_target.flip(0), values, (n, n)).to_sparse_csr()
    index = EdgeIndex(by_target, sort_order="col", sparse_size=(n, n)).fill_cache_()
    share = float((g["x"] != 0).float().mean())
    said = [("edge_index", edges, weights), ("sorted edge_index", by_target, sorted_weights),
            ("EdgeIndex", index, sorted_weights), ("sparse adj_t", matrix, None)]
    for x_name, x in (("", g["x"]), (", sparse x", g["x"].to_sparse_csr()))[:1 + (share < 0.2)]:
        for name, adjacency, w in said:
            for cached in (False, True)[:1 + (kind == "gcn")]:
                def make(adjacency=adjacency, w=w, x=x, cached=cached):
                    net = make_network(kind, g, o)
                    for conv in net.convs:
                        if cached:
                            conv.cached = True
                    return make_step(net, g, o, adjacency, w, x)
                yield name + x_name + (", cached" if cached else ""), make


def time_epochs(step, warm, epochs, most):
    """Return the median time; a slow form is timed over fewer epochs."""
    for _ in range(warm):
        step()
    took, began = [], time.perf_counter()
    while len(took) < epochs and (len(took) < 3 or time.perf_counter() - began < most):
        start = time.perf_counter()
        step()
        took.append(time.perf_counter() - start)
    return 1000 * statistics.median(took)


def time_pyg(kind, g, o):
    """Return the milliseconds of the usual form, which is the first, then those of the fastest
    and its name.  Forms that raise are not supported; forms with a loss far from that of the
    first compute something else.  Neither counts."""
    import torch
    best, first, usual = (float("inf"), "none"), None, None
    for name, make in forms(kind, g, o):
        try:
            torch.manual_seed(0)
            step = make()
            loss = float(step())
            first = loss if first is None else first
            if abs(loss - first) > 1e-3 * abs(first):
                raise ValueError(f"the loss is {loss}, not {first}")
            ms = time_epochs(step, o.warm, o.epochs, o.most)
        except Exception as e:
            if o.verbose:
                print(f"    {name}: {type(e).__name__}: {str(e)[:90]}", file=sys.stderr)
            continue
        if o.verbose:
            print(f"    {g['name']} {kind} {name}: {ms:.3f} ms", file=sys.stderr)
        usual = ms if usual is None else usual
        best = min(best, (ms, name))
    return usual, *best


def time_bonsai(kind, path, g, o):
    """Return the median over three processes of their mean.  Small graphs get more epochs, so that
    the clock is precise enough."""
    epochs = o.epochs if len(g["x"]) > 2000 else 10 * o.epochs
    args = [o.bonsai, "eval" if o.full else "train", path, *(["--full", o.full, "--alone"] if o.full else []),
            "--model", kind, "--layers", str(o.layers), "--hidden", str(o.hidden),
            "--rate", str(o.rate), "--decay", str(o.decay), "--seeds", "1",
            "--epochs", str(epochs), "--every", str(epochs), "--threads", str(o.threads),
            "--json", "--quiet"]
    took = []
    for _ in range(3):
        done = subprocess.run(args, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(args)}: {done.stderr.strip()}")
        took.append(json.loads(done.stdout)["models"][0]["seconds_train"])
    return 1000 * statistics.median(took) / epochs


def speed(o):
    import torch
    torch.set_num_threads(o.threads)
    warnings.filterwarnings("ignore")
    print(f"{'graph':<28} {'nodes':>7} {'entries':>9} {'model':<5} {'threads':>7} {'PyG ms':>9}"
          f" {'best ms':>9} {'bonsai ms':>9} {'faster':>7}  PyG's best form")
    for path in o.graphs:
        g = read_graph(path, "cpu")
        for kind in o.models:
            usual, theirs, form = time_pyg(kind, g, o)
            ours = time_bonsai(kind, path, g, o)
            print(f"{g['name']:<28} {len(g['x']):>7} {g['edges'].shape[1]:>9} {kind:<5}"
                  f" {o.threads:>7} {usual:>9.3f} {theirs:>9.3f} {ours:>9.3f}"
                  f" {theirs / ours:>6.1f}x  {form}",
                  flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=("accuracy", "speed", "table"))
    p.add_argument("graphs", nargs="+")
    p.add_argument("--models", type=lambda s: s.split(","), default=list(KINDS))
    p.add_argument("--seeds", type=int, default=10)
    p.add_argument("--layers", type=int, default=2)
    p.add_argument("--hidden", type=int, default=128)
    p.add_argument("--rate", type=float, default=0.01)
    p.add_argument("--decay", type=float, default=5e-4)
    p.add_argument("--epochs", type=int, help="300 for accuracy, 30 for speed")
    p.add_argument("--every", type=int, default=10)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--warm", type=int, default=5, help="speed: epochs before the clock starts")
    p.add_argument("--most", type=float, default=30, help="speed: seconds for one form")
    p.add_argument("--bonsai", default="build/release/bonsai")
    p.add_argument("--full", help="speed: the graph of which the others are condensed")
    p.add_argument("--verbose", action="store_true", help="speed: every form's time")
    o = p.parse_args()
    o.epochs = o.epochs or (300 if o.what == "accuracy" else 30)
    sys.path.insert(0, os.path.join(HERE, "..", "tests", "pyg"))
    {"accuracy": accuracy, "speed": speed, "table": table}[o.what](o)


if __name__ == "__main__":
    main()
