"""Random sequences of calls: arrays freed early, handles closed twice, threads at once,
exceptions in callbacks, arrays that outlive their graph.

    python3 stress.py [seconds [seed]]

Every call must end in a result or in an exception of the package; under the
address sanitizer nothing may be read after it was freed.

SPDX-License-Identifier: MIT
"""
import collections
import gc
import os
import random
import sys
import tempfile
import threading
import time

import testing  # noqa: F401  (says when numpy is missing)
import numpy as np

import graphbonsai
from graphbonsai import Graph

LIMIT = 12          # things alive in each pool


class Stop(Exception):
    """Raised by callbacks on purpose."""


class Player:
    """One thread's random walk over the interface; graphs are shared with the others."""

    def __init__(self, seed, graphs, folder):
        self.random = random.Random(seed)
        self.graphs = graphs
        self.arrays = []
        self.models = []
        self.folder = folder
        self.count = collections.Counter()

    def graph(self):
        return self.random.choice(self.graphs)

    def keep(self, pool, thing):
        if len(pool) >= LIMIT:
            pool[self.random.randrange(LIMIT)] = thing
        else:
            pool.append(thing)

    def progress(self):
        """None, a listener, or one that raises after a while, or closes a graph."""
        kind = self.random.randrange(5)
        if kind < 2:
            return False
        left = self.random.randrange(30)
        victim = self.graph()

        def listen(stage, done, total):
            nonlocal left
            left -= 1
            if left < 0 and kind == 3:
                raise Stop(stage)
            if left < 0 and kind == 4:
                victim.close()
        return listen

    # ---- what can be done ----

    def make(self):
        r = np.random.default_rng(self.random.randrange(1 << 30))
        n, f, m = int(r.integers(0, 60)), int(r.integers(0, 12)), int(r.integers(0, 200))
        edges = r.integers(0, max(n, 1), (2, m if n else 0)).astype(r.choice(["i4", "i8", "u4"]))
        x = r.random((n, f)).astype(r.choice(["f2", "f4", "f8"]))
        y = r.integers(-1, 4, n)
        split = r.integers(0, 4, n)
        if self.random.random() < 0.2 and x.size:
            x[0, 0] = np.nan
        if self.random.random() < 0.2 and edges.size:
            edges[0, 0] = n + 3
        g = Graph.from_arrays(edge_index=edges, x=x, y=y, num_nodes=n, train_mask=split == 1,
                              val_mask=split == 2, test_mask=split == 3)
        self.keep(self.graphs, g)

    def make_rows(self):
        indptr, indices, weights = self.graph().csr
        self.keep(self.graphs, Graph.from_arrays(
            csr=(indptr, indices) if weights is None else (indptr, indices, weights)))

    def generate(self):
        self.keep(self.graphs, graphbonsai.generate(
            nodes=self.random.randrange(1, 120), features=self.random.randrange(18, 40),
            classes=self.random.randrange(1, 5), dense=self.random.randrange(2),
            seed=self.random.randrange(100), threads=1, progress=self.progress()))

    def look(self):
        g = self.graph()
        for name in self.random.sample(["x", "y", "csr", "edge_index", "train_mask", "origin",
                                        "role", "members", "report", "class_names", "y_soft",
                                        "feature_names", "node_weight", "changes",
                                        "kept_features"], 4):
            self.keep(self.arrays, getattr(g, name))

    def use(self):
        """Reads every byte of an array, of which the graph may be long gone."""
        for thing in self.arrays:
            for a in thing if isinstance(thing, (tuple, list)) else [thing]:
                if isinstance(a, np.ndarray) and a.size:
                    a.tobytes()

    def close(self):
        g = self.graph()
        g.close()
        if self.random.random() < 0.5:
            g.close()

    def drop(self):
        pool = self.random.choice([self.arrays, self.models])
        if pool:
            pool.pop(self.random.randrange(len(pool)))
        if self.random.random() < 0.1:
            gc.collect()

    def derive(self):
        g = self.graph()
        n = len(g)
        if self.random.random() < 0.5:
            new = g.split((50, 30, 20), self.random.randrange(9))
        else:
            new = g.induce(self.random.sample(range(n), self.random.randrange(n + 1)))
        self.keep(self.graphs, new)

    def condense(self):
        ratio = self.random.choice([0.05, 0.3, [0.1, 0.5], 2.0, 0.0])
        method = self.random.choice(["auto", "trees", "prototypes", "random", "kcenter", "tree"])
        found = graphbonsai.condense(self.graph(), ratio, method=method, threads=1,
                                     members=self.random.random() < 0.5,
                                     progress=self.progress())
        for g in found if isinstance(found, list) else [found]:
            self.keep(self.graphs, g)

    def train(self):
        full = self.random.choice([None, self.graph()])
        t = graphbonsai.train(self.graph(), full, self.random.choice(["gcn", "gat", "gin", "sage"]),
                              epochs=3, seeds=2, hidden=8, threads=1, progress=self.progress())
        self.keep(self.models, t.model)
        self.keep(self.arrays, t.epochs)

    def predict(self):
        if self.models:
            model = self.random.choice(self.models)
            if self.random.random() < 0.1:
                model.close()
            self.keep(self.arrays, model.predict(self.graph(), probabilities=True, threads=1,
                                                 progress=self.progress()))

    def compare(self):
        def cell(found):
            if self.random.random() < 0.2:
                raise Stop(found["method"])
        graphbonsai.compare(self.graph(), ["trees", "random"], [0.1, 0.4], epochs=2, seeds=1,
                            threads=1, cell=cell, progress=self.progress())

    def judge(self):
        a, b = self.graph(), self.graph()
        self.random.choice([lambda: a.equal(b), a.check, lambda: a.info(linear=True, threads=1),
                            lambda: a.paper_nbytes, lambda: repr(a) + str(b.report),
                            lambda: graphbonsai.update(a, a, b, threads=1),
                            lambda: graphbonsai.nearest(b, 0, a, threads=1)])()

    def store(self):
        path = os.path.join(self.folder, "%d.%s" % (
            threading.get_ident() % 1000, self.random.choice(["bonsai", "npz"])))
        self.graph().save(path, self.random.choice([None, "f32", "f16", "u8", "sparse"]))
        self.keep(self.graphs, Graph.load(path, threads=1, progress=self.progress()))

    def load_nothing(self):
        Graph.load(os.path.join(self.folder, "nothing"))

    def step(self):
        acts = [self.make, self.make, self.make_rows, self.generate, self.look, self.look, self.use,
                self.close, self.drop, self.derive, self.condense, self.train, self.predict,
                self.judge, self.judge, self.store, self.load_nothing]
        if self.random.random() < 0.02:
            acts = [self.compare]
        act = self.random.choice(acts)
        try:
            act()
            self.count[act.__name__] += 1
        except (graphbonsai.Error, Stop):
            self.count["refused"] += 1

    def play(self, until, failures):
        try:
            while time.monotonic() < until and not failures:
                self.step()
        except BaseException as error:      # anything else is a fault of the package
            failures.append(error)
            raise


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    graphs = [graphbonsai.generate(nodes=80, features=30, classes=3, threads=1)]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        players = [Player(seed * 100 + i, graphs, folder) for i in range(3)]
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=p.play, args=(until, failures)) for p in players[1:]]
        for t in threads:
            t.start()
        players[0].play(until, failures)
        for t in threads:
            t.join()
        for p in players:
            p.use()
    total = sum((p.count for p in players), collections.Counter())
    print("%d calls, %d refused: %s" % (sum(total.values()), total["refused"], dict(total)))
    missing = {"make", "make_rows", "condense", "train", "predict", "derive", "store"} - set(total)
    if failures or (missing and seconds >= 3):
        print("FAILED: %s, never done: %s" % (failures, missing))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
