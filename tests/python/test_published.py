"""The method published against an oracle that shares no code with the library.

The oracle is given the kept features, since equally good ones split at random, and does the other
steps of doc/algorithm.md in double precision with Python's own heap.

SPDX-License-Identifier: MIT
"""
import heapq
import os
import tempfile

import numpy as np

import graphbonsai
import testing
from graphbonsai import Graph

K, TIMES, MISSES = 5, 10, 100


def neighbours(g):
    offsets, to = g.csr[0], g.csr[1]
    return [set(to[offsets[v]:offsets[v + 1]].tolist()) - {v} for v in range(len(g))]


def dense(g):
    return np.asarray(g.x.todense() if hasattr(g.x, "todense") else g.x, dtype=np.float64)


def covers(near, x, train):
    """For each training node the training nodes that have it among their nearest."""
    size = np.array([1 + len(s) for s in near], dtype=np.float64)
    rows = np.array([sum((x[u] / size[u] for u in sorted(near[v])), x[v] / size[v]) / size[v]
                     for v in train])
    out = [set() for _ in train]
    for i in range(len(train)):
        distance = ((rows - rows[i]) ** 2).sum(axis=1)
        distance[i] = -1
        for j in np.argsort(distance, kind="stable")[:K]:
            out[j].add(i)
    return out


def greedy(cover):
    heap = [(-len(c), i) for i, c in enumerate(cover)]
    heapq.heapify(heap)
    done, order = set(), []
    while heap:
        gain, top = heapq.heappop(heap)
        if gain == 0:
            return order + [i for _, i in heap] + [top]
        again = [(-len(cover[top] - done), top)]
        while heap and again[-1][0] > heap[0][0]:
            top = heapq.heappop(heap)[1]
            again.append((-len(cover[top] - done), top))
        best = min(again, key=lambda entry: entry[0])
        order.append(best[1])
        done |= cover[best[1]]
        again.remove(best)
        for entry in again:
            heapq.heappush(heap, entry)
    return order


def select(near, roots, price, target):
    nodes, edges, taken, misses = set(), set(), [], 0
    for root in roots:
        tree = near[root] | {root}
        new = edges | {(v, w) for v in tree for w in near[v] & tree if v < w}
        both = nodes | tree
        if 2 * (sum(price[v] for v in both) + 2 * (len(new) + len(both))) < target:
            nodes, edges = both, new
            taken.append(root)
        else:
            misses += 1
            if misses > MISSES:
                break
    return nodes, edges, taken


def pagerank(nodes, edges, roots):
    place = {v: i for i, v in enumerate(nodes)}
    a = np.zeros((len(nodes), len(nodes)))
    for v, w in edges:
        a[place[v], place[w]] = a[place[w], place[v]] = 1
    home = np.zeros(len(nodes))
    for v in roots:
        a[place[v], place[v]] = 1
        home[place[v]] = 1 / len(roots)
    a /= a.sum(axis=1, keepdims=True)
    score = np.full(len(nodes), 1 / len(nodes))
    for _ in range(100):
        before, score = score, 0.85 * (score @ a) + 0.15 * home
        if np.abs(score - before).sum() < 1e-6 * len(nodes):
            break
    return score


def match(kept, order, label):
    """Adds and removes training nodes; returns what was added."""
    added, total = set(), sum(v in kept for v in order)
    for c in sorted({label[v] for v in order}):
        ours = [v for v in order if label[v] == c]
        have, want = sum(v in kept for v in ours), len(ours) * total // len(order)
        for v in ours:
            if v not in kept and have < 0.99 * want:
                kept.add(v)
                added.add(v)
                have += 1
        for v in reversed(ours):
            if v in kept and have > 1.01 * want:
                kept.remove(v)
                have -= 1
    return added


def redo(g, features, ratio, whole):
    """Nodes and edges.  whole: what a node costs from its row of kept features."""
    near, x, label = neighbours(g), dense(g), np.asarray(g.y)
    q = 1 if (x == np.rint(x)).all() else 2
    target = ratio * 2 * (x.shape[0] * x.shape[1] * q + 2 * g.num_edges)
    x = x[:, features]
    price = [whole(row) for row in x]
    train = np.flatnonzero(g.train_mask).tolist()
    order = [train[i] for i in greedy(covers(near, x, train))]
    aim = len(select(near, order, price, target)[0])
    nodes, edges, roots = select(near, order, price, TIMES * target)
    nodes = sorted(nodes)
    score = pagerank(nodes, edges, roots)
    # Mirror images on a ring have one score, which NumPy's product rounds by the processor.
    lowest = sorted(range(len(nodes)), key=lambda i: (round(score[i], 12), -nodes[i]))
    kept = {nodes[i] for i in lowest[max(1, len(nodes) - aim):]}
    added = match(kept, order, label)
    edges = edges | {(min(v, w), max(v, w)) for v in added for w in near[v]}
    return sorted(kept), {(v, w) for v, w in edges if v in kept and w in kept}


@testing.lab
class Published(testing.Case):
    def check(self, g, ratio, whole):
        small = graphbonsai.condense(g, ratio, method="published", threads=1)
        features = np.asarray(small.kept_features)
        nodes, edges = redo(g, features, ratio, whole)
        origin = np.asarray(small.origin)
        self.assertEqual(origin.tolist(), nodes)
        pairs = origin[np.asarray(small.edge_index)]
        self.assertEqual({(int(v), int(w)) for v, w in pairs.T if v < w}, edges)
        self.assertFalse((pairs[0] == pairs[1]).any())
        near, roots = neighbours(g), set(origin[np.asarray(small.role) == 1].tolist())
        self.assertEqual(small.report["cover"]["whole_trees"],
                         sum(near[v] <= set(nodes) for v in roots))
        train = np.asarray(g.train_mask)[origin]
        self.assertEqual(np.asarray(small.y).tolist(),
                         np.where(train, np.asarray(g.y)[origin], -1).tolist())
        return small

    def test_dense_features_cost_two_bytes_each(self):
        for seed in (1, 2, 3):
            g = testing.small_world(200, features=12, dense=True, seed=seed)
            for ratio in (0.05, 0.2, 0.5):
                self.check(g, ratio, lambda row: 2 * len(row))

    def test_words_cost_what_they_sum_up_to(self):
        for seed in (1, 2):
            g = testing.small_world(300, features=400, seed=seed)
            for ratio in (0.005, 0.02):
                self.check(g, ratio, sum)

    def test_whole_numbers_cost_two_for_each_that_is_not_zero(self):
        for seed, share in ((1, 0.9), (2, 0.4), (3, 0.05)):
            g = testing.small_world(200, features=40, dense=True, seed=seed)
            rng = np.random.default_rng(seed)
            x = rng.integers(1, 9, size=(len(g), 40)) * (rng.random((len(g), 40)) < share)
            h = Graph.from_arrays(edge_index=g.edge_index, x=x.astype(np.float32), y=g.y,
                                  train_mask=g.train_mask, val_mask=g.val_mask,
                                  test_mask=g.test_mask)
            for ratio in (0.05, 0.2):
                self.check(h, ratio, lambda row: 2 * np.count_nonzero(row))

    def test_hubs(self):
        g = testing.small_world(150, features=12, dense=True)
        hubs = np.array([[v, w] for v in (3, 70, 149) for w in range(150) if v != w]).T
        h = Graph.from_arrays(edge_index=np.hstack([g.edge_index, hubs]), x=g.x, y=g.y,
                              train_mask=g.train_mask, val_mask=g.val_mask, test_mask=g.test_mask)
        for ratio in (0.1, 0.2, 0.5):
            self.check(h, ratio, lambda row: 2 * len(row))

    def test_its_price_is_told_beside_the_bytes(self):
        g = testing.small_world(300, features=400)
        small = graphbonsai.condense(g, 0.01, method="published", threads=1)
        report, sizes = small.report, small.report["sizes"]
        self.assertEqual(report.method, "published")
        self.assertEqual([report["options"][name] for name in ("accounting", "k", "layers")],
                         ["paper", 5, 1])
        self.assertAlmostEqual(report.ratio, sizes["bytes"] / sizes["full_bytes"])
        self.assertIn("nodes in trees of one budget", report["choice"]["why"])
        self.assertGreater(report.ratio, sizes["paper_ratio"])

    def test_other_labels_change_nothing(self):
        g = testing.small_world(300, features=400)
        y = np.array(g.y)
        others = np.flatnonzero(~np.asarray(g.train_mask))
        y[others] = y[others][::-1]
        h = Graph.from_arrays(edge_index=g.edge_index, x=g.x, y=y, train_mask=g.train_mask,
                              val_mask=g.val_mask, test_mask=g.test_mask)
        with tempfile.TemporaryDirectory() as folder:
            written = []
            for i, graph in enumerate((g, h)):
                path = os.path.join(folder, "%d.bonsai" % i)
                graphbonsai.condense(graph, 0.01, method="published", threads=1).save(path)
                with open(path, "rb") as file:
                    written.append(file.read())
            self.assertEqual(written[0], written[1])

    def test_any_number_of_threads_gives_the_same(self):
        g = testing.small_world(600, features=400)
        first = graphbonsai.condense(g, 0.01, method="published", threads=1)
        for threads in (2, 3, 8):
            self.assertTrue(first.equal(graphbonsai.condense(g, 0.01, method="published",
                                                             threads=threads)))

    def test_what_it_cannot_mean_is_refused(self):
        g = testing.small_world()
        for budget in ("nodes", "trees"):
            with self.assertRaisesRegex(graphbonsai.Error, "not %s" % budget):
                graphbonsai.condense(g, method="published", **{budget: 10})
        with self.assertRaisesRegex(graphbonsai.Error, "the budget is too small"):
            graphbonsai.condense(g, 1e-9, method="published")

    def test_odd_graphs(self):
        x = np.random.default_rng(1).normal(size=(30, 4)).astype(np.float32)
        ring = np.array([np.arange(30), (np.arange(30) + 1) % 30])
        few = np.arange(30) < 3
        for edges, y, train in ((ring, np.zeros(30, int), np.arange(30) < 15),
                                (ring[:, :0], np.arange(30) % 2, np.arange(30) < 15),
                                (ring, np.arange(30) % 2, few)):
            g = Graph.from_arrays(edge_index=edges, x=x, y=y, train_mask=train, test_mask=~train)
            for ratio in (0.5, 1.0):
                small = self.check(g, ratio, lambda row: 2 * len(row))
                self.assertEqual(small.num_classes, g.num_classes)


if __name__ == "__main__":
    testing.main()
