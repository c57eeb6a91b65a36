#!/usr/bin/env python3
"""live.py BONSAI -- bonsai beside the PyTorch Geometric that is installed.

Graphs are made here, models trained by the program and saved twice.  The npz goes into
PyTorch Geometric's modules, name by name, and what these make of the graph (in double) must
be what `bonsai predict` says with the native file, to 1e-5.  Then the reference files of
tests/nn/test_reference.c are made again and compared.  `live.py --count` tells how many tests
there are and needs nothing but Python.

SPDX-License-Identifier: MIT"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 1e-5
NODES, FEATURES, CLASSES, HIDDEN = 70, 24, 4, 12

KEEP = {"directed": "--keep-directed", "loops": "--keep-self-loops", "repeated": "--keep-repeated"}
GRAPHS = {                      # options of make_graph; edges stay as they are given
    "plain": dict(sparse=True),
    "dense": dict(),
    "directed": dict(sparse=True, directed=True),
    "weighted": dict(weighted=True, loops=9),
    "loops": dict(sparse=True, directed=True, weighted=True, loops=9, repeated=11),
}
MODELS = {                      # options of the program, and the same for models.Network
    "gcn": ([], {}),
    "gat": ([], {}),
    "gat with 2 heads": (["--heads", "2"], {"heads": 2}),
    "gat with 4 heads": (["--heads", "4"], {"heads": 4}),
    "gin": ([], {}),
    "gin of two": (["--gin-layers", "2"], {"gin_layers": 2}),
    "sage": ([], {}),
}
REFERENCES = ("plain", "weighted", "directed", "loops", "large")


def all_tests():
    """(sentence, function's name, arguments)"""
    tests = [(f"{model}, {layers} layers, {graph} graph", "compare_trained",
              (graph, model, layers, [])) for graph in GRAPHS for model in MODELS
             for layers in (1, 2, 3)]
    tests += [(f"{model}, standardised", "compare_trained", ("dense", model, 2, ["--standardise", "train"]))
              for model in MODELS]
    tests += [(f"{model}, trained on a condensed graph with fewer features", "compare_condensed",
               (model,)) for model in MODELS]
    return tests + [(f"reference file {name}", "compare_reference", (name,))
                    for name in REFERENCES]


if sys.argv[1:] == ["--count"]:
    print(len(all_tests()))
    sys.exit(0)

import numpy as np              # noqa: E402
import torch                    # noqa: E402

import make_reference           # noqa: E402
import models                   # noqa: E402


class Different(Exception):
    pass


# ---- the program ----

def bonsai(*args):
    done = subprocess.run([BONSAI, *args, "--quiet"], capture_output=True, text=True,
                          env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    if done.returncode:
        raise Different(f"bonsai {' '.join(args)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def predict(model, graph):
    """Classes and probabilities."""
    bonsai("predict", model, graph, "--probabilities", "-o", "rows.csv")
    rows = np.genfromtxt("rows.csv", delimiter=",", names=True)
    columns = [f"p{k}" for k in range(CLASSES)]
    return rows["class"].astype(int), np.stack([rows[c] for c in columns], 1)


# ---- graphs ----

def put_features(arrays, x, sparse):
    if not sparse:
        arrays["x"] = x
        return
    rows, columns = np.nonzero(x)
    arrays["x_data"] = x[rows, columns]
    arrays["x_indices"] = columns.astype(np.int32)
    arrays["x_indptr"] = np.searchsorted(rows, np.arange(len(x) + 1)).astype(np.int64)
    arrays["x_shape"] = np.array(x.shape, np.int64)


def make_graph(path, sparse=False, directed=False, weighted=False, loops=0, repeated=0, seed=7):
    r = np.random.RandomState(seed)
    y = r.randint(CLASSES, size=NODES)
    pairs = np.array(make_reference.entries(r, NODES, 5 * NODES if directed else 3 * NODES,
                                            directed, loops, repeated))
    x = np.float32(r.standard_normal((NODES, FEATURES)) * (r.rand(NODES, FEATURES) < 0.15))
    x[np.arange(NODES), y] += 1         # something to learn
    order = r.permutation(NODES)
    arrays = {"edge_index": pairs.T.astype(np.int64), "y": y, "num_nodes": np.int64(NODES),
              "train_idx": order[:40], "val_idx": order[40:55], "test_idx": order[55:]}
    put_features(arrays, x, sparse)
    if weighted:
        each = np.float32(r.uniform(0.25, 4, (NODES, NODES)))
        each = each if directed else np.maximum(each, each.T)
        arrays["edge_weight"] = each[pairs[:, 0], pairs[:, 1]]
    np.savez(path, **arrays)
    return pairs


def graph_of(name):
    """The graph as the program holds it, and as it gives it back in npz."""
    if not os.path.exists(name + ".bonsai"):
        pairs = make_graph("given.npz", **GRAPHS[name])
        keep = [option for key, option in KEEP.items() if key in GRAPHS[name]]
        bonsai("convert", "given.npz", name + ".bonsai", *keep)
        bonsai("convert", name + ".bonsai", name + ".npz")
        got = np.load(name + ".npz")["edge_index"].T
        if sorted(map(tuple, got.tolist())) != sorted(map(tuple, pairs.tolist())):
            raise Different(f"{name}: the edges are not those that were given")
    return name + ".bonsai", np.load(name + ".npz")


def features_of(g):
    if "x" in g:
        return np.float64(g["x"])
    x = np.zeros(tuple(g["x_shape"]))
    rows = np.repeat(np.arange(len(x)), np.diff(g["x_indptr"]))
    x[rows, g["x_indices"]] = g["x_data"] if "x_data" in g else 1
    return x


# ---- the comparison ----

def pyg_probabilities(saved, g, model, layers):
    state = dict(np.load(saved))
    x = features_of(g)
    if "kept_features" in state:
        x = x[:, state.pop("kept_features")]
    if "feature_mean" in state:
        x = (x - state.pop("feature_mean")) / state.pop("feature_spread")
    net = models.Network(model.split()[0], x.shape[1], CLASSES, layers, HIDDEN, **MODELS[model][1])
    net.load_state_dict({name: torch.tensor(v) for name, v in state.items() if "." in name},
                        strict=True)
    weights = torch.tensor(g["edge_weight"]).double() if "edge_weight" in g else None
    with torch.no_grad():
        scores = net.double()(torch.tensor(x), torch.tensor(g["edge_index"]), weights)
    return torch.softmax(scores, 1).numpy()


def agree(saved, native, graph, g, model, layers):
    """False where every node has the same probabilities, so that nothing was compared."""
    want = pyg_probabilities(saved, g, model, layers)
    classes, got = predict(native, graph)
    off = np.abs(got - want).max()
    if not off <= TOLERANCE:
        raise Different(f"probabilities are off by {off:.3g}")
    top = np.sort(want, 1)
    clear = top[:, -1] - top[:, -2] > TOLERANCE
    if (classes != want.argmax(1))[clear].any():
        raise Different("a predicted class is not the most probable one")
    return np.ptp(want, axis=0).max() > 0.01


def compare(command, graph, g, model, layers, more=()):
    """A few ReLUs may be dead from the first weights on: then with the next seed."""
    for seed in range(3, 8):
        for ending in ("npz", "bonsai"):
            bonsai(*command, "--model", model.split()[0], "--layers", str(layers), "--hidden",
                   str(HIDDEN), "--epochs", "15", "--every", "5", "--seeds", "1", "--seed",
                   str(seed), "--save", "model." + ending, *MODELS[model][0], *more)
        if agree("model.npz", "model.bonsai", graph, g, model, layers):
            return
    raise Different("every node has the same probabilities: nothing was compared")


def compare_trained(graph, model, layers, more):
    path, g = graph_of(graph)
    compare(["train", path], path, g, model, layers, more)


def compare_condensed(model):
    path, g = graph_of("plain")
    if not os.path.exists("small.bonsai"):
        bonsai("condense", path, "-o", "small.bonsai", "--nodes", "30", "--select-features", "tree")
    compare(["eval", "small.bonsai", "--full", path], path, g, model, 2)
    if "kept_features" not in np.load("model.npz"):
        raise Different("the model does not say which features it keeps")


def compare_reference(name):
    if not os.path.exists("reference"):
        make_reference.write_all("reference")
    now = make_reference.load(os.path.join("reference", name + ".bin"))
    then = make_reference.load(os.path.join(HERE, "..", "reference", name + ".bin"))
    if list(now) != list(then):
        raise Different("the file has other arrays")
    for key, a in now.items():
        b = then[key]
        if a.shape != b.shape or np.abs(a - b).max() > TOLERANCE * np.abs(a).max():
            raise Different(f"{key} is different")


def main():
    passed = failed = 0
    torch.set_num_threads(1)
    bonsai("version")
    for sentence, function, args in all_tests():
        try:
            globals()[function](*args)
            passed += 1
        except Exception as e:          # whatever it is, the others still run
            failed += 1
            print(f"{sentence}: {type(e).__name__}: {e}")
    print(f"test-pyg: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    BONSAI = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="bonsai-pyg-") as folder:
        os.chdir(folder)
        code = main()
        os.chdir(HERE)
    sys.exit(code)
