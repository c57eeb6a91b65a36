"""Graphs of arrays and back: values, layouts, what is borrowed, what lives how long.

SPDX-License-Identifier: MIT
"""
import csv
import gc
import os
import pickle
import tempfile
import weakref

import numpy as np

import graphbonsai
import testing
from graphbonsai import Graph
from graphbonsai import _capi as c
from graphbonsai import _options

FLOATS = ("f4", "f2", "f8", "i4", "u1", "?", ">f4")


def shows(array, memory):
    """Whether an array of a graph lies in the caller's memory."""
    return np.may_share_memory(np.asarray(array), memory)


def oracle(edges, weights):
    """Edges that all point upwards as an undirected adjacency: {(a, b): weight}."""
    entries = {}
    for (a, b), weight in zip(edges.T.tolist(), weights.tolist()):
        if a != b:
            entries[a, b] = entries[b, a] = entries.get((a, b), 0) + weight
    return entries


class Arrays(testing.Case):
    def test_a_graph_by_hand(self):
        g = testing.triangle(class_names=["red", "blue"])
        self.assertEqual((len(g), g.num_edges, g.num_features, g.num_classes), (3, 6, 3, 2))
        self.assertFalse(g.directed)
        self.assertEqual(g.csr[0].tolist(), [0, 2, 4, 6])
        self.assertEqual(g.csr[1].tolist(), [1, 2, 0, 2, 0, 1])
        self.assertIsNone(g.csr[2])
        self.assertEqual(g.edge_index.dtype, np.int64)
        self.assertEqual(g.x.tolist(), np.eye(3).tolist())
        self.assertEqual((g.y.dtype, g.y.tolist()), (np.int64, [0, 1, 0]))
        self.assertEqual(g.train_mask.tolist(), [True, True, False])
        self.assertEqual(g.val_mask.tolist(), [False] * 3)
        self.assertEqual(g.test_mask.tolist(), [False, False, True])
        self.assertEqual(g.class_names, ["red", "blue"])
        for name in ("y_soft", "node_weight", "origin", "role", "members", "kept_features",
                     "report", "x_sparse", "edge_weight", "node_names", "feature_names"):
            self.assertIsNone(getattr(g, name), name)
        self.assertEqual(repr(g), "Graph(nodes=3, edges=6, features=3, classes=2)")
        self.assertEqual(g.changes["reversed"], 3)

    def test_names_of_features_go_everywhere(self):
        g = testing.small_world()
        names = ["w\u00f6rd %d" % j for j in range(g.num_features)]
        masks = {k: getattr(g, k) for k in ("train_mask", "val_mask", "test_mask")}
        g = Graph.from_arrays(edge_index=g.edge_index, x=g.x, y=g.y, feature_names=names, **masks)
        self.assertEqual(g.feature_names, names)
        self.assertEqual(g.info(linear=False)["feature_names"], names)
        for other in (g.split(), g.induce([3, 1]), g.normalise(), g.reorder("degree"),
                      pickle.loads(pickle.dumps(g))):
            self.assertEqual(other.feature_names, names)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("g.bonsai", "g.npz", "g/"):
                self.assertEqual(g.save(os.path.join(folder, name)), [])
                self.assertEqual(Graph.load(os.path.join(folder, name)).feature_names, names)
        small = graphbonsai.condense(g, nodes=12, threads=1)
        self.assertEqual(small.feature_names, names)
        cut = graphbonsai.condense(g, nodes=12, method="prototypes", select_features=True,
                                   threads=1)
        self.assertEqual(cut.feature_names, [names[j] for j in cut.kept_features])
        why = graphbonsai.explain(cut, 0, threads=1)
        self.assertEqual(why["feature_names"], [names[j] for j in why["features"]])
        self.assertIn(why["feature_names"][0] + ": ", str(why))
        self.assertIn("w\u00f6rd ", graphbonsai.report(small, threads=1))

    def test_columns_in_another_order_are_refused(self):
        g = testing.small_world()
        names = ["w%d" % j for j in range(g.num_features)]
        fields = dict(edge_index=g.edge_index, y=g.y, train_mask=g.train_mask,
                      val_mask=g.val_mask, test_mask=g.test_mask)
        first = Graph.from_arrays(x=g.x, feature_names=names, **fields)
        other = Graph.from_arrays(x=g.x[:, ::-1], feature_names=names[::-1], **fields)
        plain = Graph.from_arrays(x=g.x, **fields)
        small = graphbonsai.condense(first, nodes=12, threads=1)
        last = g.num_features - 1
        said = ('feature 0 is "w0" in %%s, but "w%d" in %%s, where "w0" is feature %d: put its '
                'columns into the order of %%s' % (last, last))
        self.refuses(said % ("the small graph", "the other graph", "the small graph"),
                     graphbonsai.train, small, other, epochs=2, seeds=1)
        self.refuses(said % ("the small graph", "the other graph", "the small graph"),
                     graphbonsai.report, small, other)
        model = graphbonsai.train(small, first, epochs=2, seeds=1, threads=1).model
        self.refuses(said % ("the model", "graph", "the model"), model.predict, other)
        wanted = model.predict(first)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("m.bonsai", "m.npz"):
                path = os.path.join(folder, name)
                model.save(path)
                again = graphbonsai.Model.load(path)
                self.refuses(said % ("the model", "graph", "the model"), again.predict, other)
                self.assertTrue(np.array_equal(again.predict(plain), wanted))

    def test_edges_of_any_type_and_layout_give_the_same_graph(self):
        random = np.random.default_rng(1)
        for _ in range(20):
            n = int(random.integers(1, 20))
            edges = np.sort(random.integers(0, n, (2, int(random.integers(0, 60)))), 0)
            weights = random.integers(1, 9, edges.shape[1])
            want = oracle(edges, weights)
            for kind in ("i8", "i4", "u4", "u2", ">i8"):
                for order in (np.ascontiguousarray, np.asfortranarray):
                    g = Graph.from_arrays(edge_index=order(edges.astype(kind)), num_nodes=n,
                                          edge_weight=weights)
                    given = [] if g.edge_weight is None else g.edge_weight.tolist()
                    self.assertEqual(dict(zip(zip(*g.edge_index.tolist()), given)), want)

    @testing.lab
    def test_a_learned_operator_says_so_and_goes_through_files(self):
        g = graphbonsai.generate(nodes=100, features=20, classes=3)
        self.assertFalse(g.operator)
        small = graphbonsai.condense(g, nodes=6, method="gdem", effort=0.01, threads=1)
        self.assertTrue(small.operator)
        self.assertTrue(graphbonsai.info(small)["operator"])
        self.assertEqual(small.edge_weight.size, small.num_edges)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.bonsai", "a.npz", "a/"):
                path = os.path.join(folder, name)
                small.save(path)
                self.assertTrue(Graph.load(path).operator)

    @testing.lab
    def test_an_operator_is_made_of_arrays(self):
        g = graphbonsai.generate(nodes=100, features=20, classes=3)
        small = graphbonsai.condense(g, nodes=6, method="gdem", effort=0.01, threads=1)
        rest = dict(x=small.x, y=small.y, y_soft=small.y_soft, role=small.role,
                    report=dict(small.report), num_classes=3)
        edges = dict(edge_index=small.edge_index, edge_weight=small.edge_weight)
        for given in (edges, dict(csr=small.csr)):
            other = Graph.from_arrays(operator=True, **given, **rest)
            self.assertTrue(other.operator)
            self.assertTrue(other.equal(small))
        how = dict(seeds=1, epochs=5, threads=1, progress=False)
        self.assertEqual(graphbonsai.evaluate(other, g, **how).epochs["loss"].tolist(),
                         graphbonsai.evaluate(small, g, **how).epochs["loss"].tolist())
        signed = dict(edge_index=[[0, 1, 1], [1, 0, 1]], edge_weight=[-1.0, -1.0, 0.5])
        self.assertEqual(Graph.from_arrays(operator=True, **signed).edge_weight.tolist(),
                         [-1, -1, 0.5])
        for sentence, more in (("not positive", dict()),
                               ("is directed, but", dict(operator=True, keep_directed=True)),
                               ("but has none", dict(operator=True, edge_weight=None)),
                               ("not symmetric", dict(operator=True, edge_weight=[1.0, 2.0, 3.0]))):
            with self.assertRaisesRegex(graphbonsai.ArgumentError, sentence):
                Graph.from_arrays(**{**signed, **more})

    def test_a_matrix_of_ones_is_an_operator(self):
        one = testing.scipy_sparse().identity(3, format="csr", dtype=np.float32)
        g = Graph.from_arrays(csr=one, operator=True)
        self.assertEqual(g.edge_index.tolist(), [[0, 1, 2]] * 2)
        self.assertEqual(g.edge_weight.tolist(), [1, 1, 1])

    def test_weights_of_repeated_edges_are_summed(self):
        g = Graph.from_arrays(edge_index=[[0, 0, 1], [1, 1, 2]], edge_weight=[1.0, 2.0, 5.0])
        self.assertEqual(g.edge_index.tolist(), [[0, 1, 1, 2], [1, 0, 2, 1]])
        self.assertEqual(g.edge_weight.tolist(), [3, 3, 5, 5])

    def test_rows_of_any_type_give_the_same_graph(self):
        indptr, indices = np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0])
        want = Graph.from_arrays(edge_index=[[0, 0], [1, 2]])
        for a in ("i4", "i8", "u4", "u8", "i2"):
            for b in ("i4", "i8", "u4", "u8", "u1"):
                g = Graph.from_arrays(csr=(indptr.astype(a), indices.astype(b)))
                self.assertTrue(g.equal(want), (a, b))
                g.check()

    def test_rows_that_need_work_are_built(self):
        want = Graph.from_arrays(edge_index=[[0, 0], [1, 2]])
        for indptr, indices in (([0, 2, 3, 4], [2, 1, 0, 0]),           # not sorted
                                ([0, 2, 2, 2], [1, 2]),                 # no reverse
                                ([0, 3, 4, 5], [0, 1, 2, 0, 0]),        # self loop
                                ([0, 3, 4, 5], [1, 1, 2, 0, 0])):       # repeated
            g = Graph.from_arrays(csr=(np.array(indptr), np.array(indices)))
            self.assertTrue(g.equal(want), indices)
            g.check()

    def test_what_is_asked_for_is_kept(self):
        edges = np.array([[0, 0, 0, 1], [1, 1, 0, 2]])
        g = Graph.from_arrays(edge_index=edges, keep_directed=True, keep_self_loops=True,
                              keep_repeated=True)
        self.assertTrue(g.directed)
        self.assertEqual(g.edge_index.tolist(), [[0, 0, 0, 1], [0, 1, 1, 2]])
        g = Graph.from_arrays(csr=([0, 1, 2, 2], [1, 2]), keep_directed=True)
        self.assertEqual(g.edge_index.tolist(), [[0, 1], [1, 2]])

    def test_features_of_any_type_and_layout(self):
        values = np.array([[0, 1, 1], [1, 0, 0]])
        for kind in FLOATS:
            for order in (np.ascontiguousarray, np.asfortranarray, lambda a: np.repeat(a, 2, 1)[:, ::2]):
                g = Graph.from_arrays(x=order(values.astype(kind)), edge_index=[[0], [1]])
                self.assertEqual(g.x.tolist(), values.tolist())
                self.assertEqual(g.x.dtype, np.float32)

    def test_features_that_are_not_aligned(self):
        memory = np.zeros(4 * 3 * 50 + 1, np.uint8)
        x = np.frombuffer(memory.data, "f4", 150, 1).reshape(50, 3)
        self.assertFalse(x.flags.aligned)
        g = Graph.from_arrays(x=x, edge_index=[[0], [1]], y=np.zeros(50, int))
        self.assertEqual(g.x.tolist(), x.tolist())
        g.info()

    def test_lists_are_arrays(self):
        g = Graph.from_arrays(edge_index=[[0], [1]], x=[[1.5], [2]], y=[0, -1],
                              train_mask=[True, False])
        self.assertEqual((g.x.tolist(), g.y.tolist()), ([[1.5], [2]], [0, -1]))

    def test_sparse_features(self):
        sparse = testing.scipy_sparse()
        random = np.random.default_rng(2)
        for kind in ("f4", "f8", "i4", "?"):
            for form in ("csr", "csc", "coo"):
                m = sparse.random(30, 12, 0.2, form, random_state=3)
                m.data = random.integers(1, 5, m.data.size).astype(m.dtype)
                m = m.astype(kind)
                g = Graph.from_arrays(x=m, edge_index=[[0], [1]])
                self.assertEqual(g.x.tolist(), m.toarray().astype("f4").tolist())
                self.assertEqual(g.x_sparse.toarray().tolist(), g.x.tolist())

    def test_sparse_rows_with_zeros_and_repeats(self):
        sparse = testing.scipy_sparse()
        m = sparse.csr_matrix((np.array([1, 0, 2, 3], "f4"), np.array([2, 0, 1, 1]),
                               np.array([0, 2, 4])), shape=(2, 3))
        g = Graph.from_arrays(x=m, edge_index=[[0], [1]])
        self.assertEqual(g.x.tolist(), [[0, 0, 1], [0, 5, 0]])
        self.assertEqual(m.nnz, 4)          # the caller's matrix is as it was

    def test_sparse_adjacency(self):
        sparse = testing.scipy_sparse()
        m = sparse.coo_matrix((np.ones(3), ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
        self.assertTrue(Graph.from_arrays(csr=m).equal(
            Graph.from_arrays(edge_index=[[0, 1, 2], [1, 2, 0]])))
        self.assertEqual(Graph.from_arrays(csr=m * 2).edge_weight.tolist(), [2] * 6)
        zeros = sparse.csr_matrix(np.array([[0, 1], [1, 0]]))
        zeros.data[:] = 0
        self.assertEqual(Graph.from_arrays(csr=zeros).num_edges, 0)

    def test_labels_of_many_classes(self):
        for classes in (2, 255, 256, 65535, 65536):
            y = np.array([classes - 1, -1, 0])
            g = testing.triangle(y=y, relabel=False)
            self.assertEqual(g.num_classes, classes)
            self.assertEqual(g.y.tolist(), y.tolist())
            self.assertEqual([c.graph_label(g._live().pointer, i) for i in range(3)], y.tolist())

    def test_a_column_of_labels_is_flattened(self):
        self.assertEqual(testing.triangle(y=np.array([[1], [0], [1]])).y.tolist(), [1, 0, 1])

    def test_split_by_indices(self):
        g = testing.triangle(train_mask=None, test_mask=None,
                             split=(np.array([2]), np.array([], int), [0, 1]))
        self.assertEqual(g.train_mask.tolist(), [False, False, True])
        self.assertEqual(g.test_mask.tolist(), [True, True, False])
        h = testing.triangle(train_mask=None, test_mask=None,
                             split={"train": [2], "valid": [], "test": [0, 1]})
        self.assertTrue(g.equal(h))

    def test_sections_of_a_condensed_graph_go_in_and_out(self):
        soft = np.array([[0.25, 0.75], [1, 0], [0, 1]], np.float32)
        g = testing.triangle(y_soft=soft, node_weight=[1, 2.5, 3], origin=[5, 9, 7],
                             role=[1, 2, 3], kept_features=[0, 4, 8])
        self.assertEqual(g.y_soft.tolist(), soft.tolist())
        self.assertEqual(g.node_weight.tolist(), [1, 2.5, 3])
        self.assertEqual(g.origin.tolist(), [5, 9, 7])
        self.assertEqual(g.role.tolist(), [1, 2, 3])
        self.assertEqual(g.kept_features.tolist(), [0, 4, 8])
        self.assertEqual(np.flatnonzero(g.feature_mask(10)).tolist(), [0, 4, 8])
        self.assertEqual(g.feature_mask().size, 9)

    def test_empty_graphs(self):
        g = Graph.from_arrays()
        self.assertEqual((len(g), g.num_edges, g.edge_index.shape), (0, 0, (2, 0)))
        self.assertTrue(g)
        g = Graph.from_arrays(num_nodes=4, x=np.empty((4, 0), np.float32))
        self.assertEqual((len(g), g.num_features, g.x), (4, 0, None))
        g = Graph.from_arrays(x=np.empty((0, 5), np.float32), y=np.empty(0, int))
        self.assertEqual((len(g), g.num_features, g.y.size), (0, 5, 0))
        self.assertEqual(g.info()["nodes"], 0)


class Borrowing(testing.Case):
    def test_features_are_not_copied(self):
        for kind in ("f4", "f2"):
            x = np.ones((40, 7), kind)
            g = Graph.from_arrays(x=x, edge_index=[[0], [1]])
            a = c.graph_view(g._live().pointer).contents.section[c.FEATURES]
            self.assertEqual(a.data, x.ctypes.data)
        self.assertFalse(np.may_share_memory(g.x, x))       # decoded
        x = np.ones((40, 7), "f4")
        self.assertTrue(shows(Graph.from_arrays(x=x, edge_index=[[0], [1]]).x, x))

    def test_rows_are_not_copied(self):
        for kind in ("i4", "i8", "u4", "u8"):
            indptr = np.array([0, 1, 2], kind)
            indices = np.array([1, 0], "i4" if kind[0] == "i" else "u4")
            weights = np.ones(2, "f4")
            g = Graph.from_arrays(csr=(indptr, indices, weights))
            for ours, theirs in zip(g.csr, (indptr, indices, weights)):
                self.assertTrue(shows(ours, theirs))

    def test_sparse_features_are_not_copied(self):
        m = testing.scipy_sparse().csr_matrix(np.eye(5, dtype="f4"))
        g = Graph.from_arrays(x=m, edge_index=[[0], [1]])
        s = c.graph_view(g._live().pointer).contents.section
        self.assertEqual(s[c.FEATURE_VALUES].data, m.data.ctypes.data)
        self.assertEqual(s[c.FEATURE_INDICES].data, m.indices.ctypes.data)

    def test_read_only_arrays_are_taken(self):
        x, y, edges = np.eye(3, dtype="f4"), np.array([0, 1, 0]), np.array([[0, 1], [1, 2]], "i4")
        for array in (x, y, edges):
            array.flags.writeable = False
        g = Graph.from_arrays(x=x, y=y, edge_index=edges)
        self.assertTrue(shows(g.x, x))

    def test_what_the_library_shows_cannot_be_written(self):
        g = testing.triangle()
        for array in (g.x, *g.csr[:2]):
            with self.assertRaises(ValueError):
                array[...] = 0
            with self.assertRaises(ValueError):
                array.flags.writeable = True

    def test_arrays_outlive_the_graph(self):
        x = np.full((50, 3), 7, "f4")
        kept = weakref.ref(x)
        g = Graph.from_arrays(x=x, edge_index=np.arange(50).reshape(2, 25))
        del x
        gc.collect()
        self.assertIsNotNone(kept())
        shown, indices = g.x, g.csr[1]
        g.close()
        del g
        gc.collect()
        self.assertEqual((shown == 7).all(), True)
        self.assertEqual(sorted(indices.tolist()), list(range(50)))
        del shown, indices
        gc.collect()
        self.assertIsNone(kept())           # and nothing is kept for ever

    def test_split_outlives_its_graph(self):
        x = np.full((50, 3), 7, "f4")
        g = Graph.from_arrays(x=x, edge_index=np.arange(50).reshape(2, 25), y=np.arange(50) % 2)
        s, part = g.split((50, 25, 25), seed=3), g.induce([4, 2])
        g.close()
        del g, x
        gc.collect()
        self.assertTrue((s.x == 7).all() and (part.x == 7).all())
        self.assertEqual(part.origin.tolist(), [4, 2])
        self.assertEqual(int(s.train_mask.sum()), 25)

    def test_closing_twice_is_fine(self):
        with testing.triangle() as g:
            g.close()
            g.close()
        self.assertTrue(g.closed)
        self.assertEqual(repr(g), "Graph(closed)")
        for use in (lambda: g.x, lambda: len(g), g.info, g.check, lambda: g.nbytes, lambda: g.save("x.npz"),
                    lambda: g.split((60, 20, 20)), lambda: g.induce([0]), lambda: g.equal(g),
                    lambda: graphbonsai.condense(g, 0.5), lambda: graphbonsai.train(g),
                    lambda: testing.triangle().equal(g), g.__enter__, lambda: g.report):
            self.refuses("the graph is closed", use)


class Files(testing.Case):
    def test_every_encoding_loads_as_the_same_values(self):
        g = testing.small_world(120)
        dense = testing.small_world(120, dense=1)
        with tempfile.TemporaryDirectory() as folder:
            for graph in (g, dense):
                for features in ("auto", "keep", "f32", "sparse"):
                    path = os.path.join(folder, features + ".bonsai")
                    self.assertEqual(graph.save(path, features), [])
                    h = Graph.load(path)
                    self.assertTrue(h.equal(graph))
                    self.assertTrue((h.x == graph.x).all(), features)
                for features, most in (("f16", 0.01), ("u8", 0.1), ("sparse-u8", 0.1)):
                    path = os.path.join(folder, features + ".bonsai")
                    graph.save(path, features)
                    self.assertLess(np.abs(Graph.load(path).x - graph.x).max(), most)

    def test_decoding_agrees_with_the_library(self):
        g = testing.small_world(60)
        with tempfile.TemporaryDirectory() as folder:
            for features in _options.words(c.WriteOptions, "features"):
                path = os.path.join(folder, features + ".bonsai")
                g.save(path, features)
                h = Graph.load(path)
                row = np.empty(h.num_features, np.float32)
                x = h.x
                for node in range(60):
                    c.graph_row(row.ctypes.data_as(c.POINTER(c.c_float)), h._live().pointer, node)
                    self.assertEqual(x[node].tolist(), row.tolist(), features)

    def test_formats_say_what_they_leave_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "text") + "/"
            with self.assertWarnsRegex(graphbonsai.SaveWarning, "text/ does not hold soft labels; "
                                       "a .bonsai file holds everything$") as caught:
                left = testing.triangle(y_soft=np.eye(3, 2, dtype="f4")).save(path)
            self.assertEqual(caught.filename, __file__)
            self.assertIn("soft labels", left)
            self.assertEqual(Graph.load(os.path.join(folder, "text")).num_nodes, 3)

    def test_missing_file(self):
        e = self.refuses("/no/such: cannot be opened: No such file or directory", Graph.load,
                         "/no/such", kind=graphbonsai.FileError)
        error = pickle.loads(pickle.dumps(e))
        self.assertEqual((error.kind, error.path, error.line, error.entry),
                         ("missing", "/no/such", None, None))
        self.assertEqual(error.reason, "cannot be opened: No such file or directory")
        self.assertIsInstance(e, OSError)
        self.assertEqual(e.status, -3)

    def test_bad_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.bonsai")
            testing.small_world(100).save(path)
            with open(path, "r+b") as file:
                file.seek(-100, 2)
                byte = file.read(1)
                file.seek(-100, 2)
                file.write(bytes([byte[0] ^ 255]))
            with self.assertRaises(graphbonsai.FormatError) as caught:
                Graph.load(path).x
            self.assertIn(path, str(caught.exception))

    def test_paths_of_every_kind(self):
        import pathlib
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "gr\u00e4ph.bonsai"
            testing.triangle().save(path)
            for kind in (path, str(path), bytes(path), "bonsai:" + str(path)):
                self.assertEqual(len(Graph.load(kind)), 3)

    def test_splits_by_name_and_by_lists(self):
        g = testing.small_world(100)
        h = g.split("published", seed=3)
        self.assertEqual([int(m.sum()) for m in (h.train_mask, h.val_mask, h.test_mask)],
                         [56, 24, 20])
        thirds = g.split((30, 30, 40), seed=3)
        for shares in ([30, 30, 40], np.array([30, 30, 40]), np.array([30.0, 30.0, 40.0])):
            self.assertTrue(g.split(shares, seed=3).equal(thirds))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lists.npz")
            np.savez(path, **{part + "_idx": np.flatnonzero(getattr(h, part + "_mask"))
                              for part in ("train", "val", "test")})
            self.assertTrue(g.split_file(path).equal(h))
            np.savez(path, train_idx=[1, 2], val_idx=[2], test_idx=[3])
            with self.assertRaisesRegex(graphbonsai.Error, "lists.npz:val_idx: node 2 is in train"):
                g.split_file(path)

    def test_the_published_split_is_the_one_of_the_papers_tables(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "..", "..", "data", "paper", "datasets.csv")) as file:
            splits = {row["name"]: row["published_split"] for row in csv.DictReader(file)}
        shares = "/".join("%g" % share for share in _options.three("percent", "published"))
        self.assertEqual(splits["cora"], shares)
        self.assertEqual(sum(split == shares for split in splits.values()), 6)

    def test_shares_are_written_as_the_program_takes_them(self):
        self.assertEqual(_options.three("percent", "60/20/20"), (60, 20, 20))
        g = Graph.from_arrays(edge_index=[[0, 1, 2], [1, 2, 0]], y=[0, 1, 0])
        self.assertTrue(g.split("34/33/33", 1).equal(g.split((34, 33, 33), 1)))

    def test_cora(self):
        g = Graph.load(testing.cora())
        self.assertEqual((g.num_nodes, g.num_edges, g.num_features, g.num_classes),
                         (2708, 10556, 1433, 7))
        self.assertEqual(int(g.train_mask.sum()), 140)
        h = Graph.from_arrays(edge_index=g.edge_index, x=g.x, y=g.y, train_mask=g.train_mask,
                              val_mask=g.val_mask, test_mask=g.test_mask)
        self.assertTrue(h.equal(g))


if __name__ == "__main__":
    testing.main()
