"""Bad input: each refusal has a sentence, and this reads it.

SPDX-License-Identifier: MIT
"""
import pickle
import tempfile

import numpy as np

import graphbonsai
import testing
from graphbonsai import ArgumentError, Graph, OptionError, _options, condense, generate, train
from testing import triangle

NAN = float("nan")


class Device:
    """A tensor that is not on the CPU."""

    device = type("device", (), {"type": "cuda", "__str__": lambda self: "cuda:0"})()


class Arrays(testing.Case):
    def edges(self, sentence, edge_index, **more):
        self.refuses(sentence, Graph.from_arrays, edge_index=edge_index, **more)

    def test_edges(self):
        self.edges("edge_index has the shape [3, 2]; it must be [2, edges]; give its transpose",
                   np.zeros((3, 2), int))
        self.edges("edge_index has the shape [4]; it must be [2, edges]", np.zeros(4, int))
        self.edges("edge_index has the shape [3, 5]; it must be [2, edges]", np.zeros((3, 5), int))
        self.edges("edge_index has the type float64; it must hold whole numbers",
                   np.zeros((2, 1)))
        self.edges("edge_index has the type bool; it must hold whole numbers",
                   np.zeros((2, 1), bool))
        self.edges("edge_index has the type <U1; it must hold numbers", np.array([["a"], ["b"]]))
        self.edges("edge_index has the type complex128; it must hold numbers",
                   np.zeros((2, 1), complex))
        self.edges("graph: edge 1: node -1 is outside 0..2", [[0, 1], [2, -1]], num_nodes=3)
        self.edges("graph: edge 0: node 3 is outside 0..2", [[3], [0]], num_nodes=3)
        self.edges("edge_index has the entry 4294967296, which is no node", [[2**32], [0]],
                   num_nodes=3)
        self.edges("edge_index has the entry -9223372036854775808, which is no node",
                   [[-2**63], [0]], num_nodes=3)
        self.edges("edge_index has the entry 18446744073709551615, which is no node",
                   np.array([[2**64 - 1], [0]], "u8"), num_nodes=3)
        self.edges("edge_index is on the device cuda:0; move it to the CPU first, with .cpu()",
                   Device())

    def test_ragged_edges(self):
        with self.assertRaises(ArgumentError) as caught:
            Graph.from_arrays(edge_index=[[0, 1], [2]])
        self.assertIn("edge_index", str(caught.exception))

    def test_weights(self):
        self.edges("edge_weight has the shape [2]; it must have one entry an edge, 1", [[0], [1]],
                   edge_weight=[1.0, 2.0])
        for bad, text in ((0.0, "0"), (-1.0, "-1"), (NAN, "nan"), (float("inf"), "inf")):
            self.edges("graph: edge 0: weight %s is not positive and finite" % text, [[0], [1]],
                       edge_weight=[bad])

    def test_rows(self):
        def rows(sentence, *csr):
            self.refuses(sentence, Graph.from_arrays, csr=csr)
        rows("csr must be (indptr, indices), (indptr, indices, weights) or a sparse matrix of SciPy",
             [0])
        rows("indptr is empty; it must have one entry more than there are nodes", [], [])
        rows("indptr must rise from 0 to the number of indices, 1", [0, 2], [0])
        rows("indptr must rise from 0 to the number of indices, 2", [0, 2, 1, 2], [1, 0])
        rows("indptr must rise from 0 to the number of indices, 1", [-1, 1], [0])
        rows("indices has the type float64; it must hold whole numbers", [0, 1], [0.5])
        rows("weights has the shape [1]; it must have one entry an edge, 2", [0, 1, 2], [1, 0], [1.])
        rows("indices has the shape [1, 1]; it must have 1 dimension", [0, 1], [[0]])
        rows("graph: edge 0: node 7 is outside 0..1", [0, 1, 1], [7])
        rows("graph: edge 0: node -2 is outside 0..1", [0, 1, 1], [-2])
        self.refuses("give edge_index or csr, not both; the weights of csr are its third array",
                     Graph.from_arrays, csr=([0], []), edge_index=[[], []])
        self.refuses("csr must be (indptr, indices), (indptr, indices, weights) or a sparse matrix "
                     "of SciPy", Graph.from_arrays, csr=3)

    def test_features(self):
        self.refuses("x has the shape [3]; it must be [nodes, features]", triangle,
                     x=np.zeros(3, "f4"))
        self.refuses("x has the type complex64; it must hold numbers", triangle,
                     x=np.zeros((3, 2), "c8"))
        self.refuses("x has the type object; it must hold numbers", triangle,
                     x=np.array([[None], [1], [2]]))
        self.refuses("y has 3 nodes but x has 4", triangle, x=np.zeros((4, 2), "f4"))
        self.refuses("x has 3 nodes but num_nodes has 4", triangle, num_nodes=4)
        self.refuses("x is on the device cuda:0; move it to the CPU first, with .cpu()", triangle,
                     x=Device())

    @staticmethod
    def sentence(**more):
        try:
            triangle(**more)
        except graphbonsai.Error as error:
            return str(error)
        return "nothing was raised"

    def test_values_that_are_not_finite(self):
        for kind in ("f4", "f2", "f8"):
            for bad in (NAN, float("inf")):
                x = np.zeros((3, 2), kind)
                x[1, 1] = bad
                self.assertEqual(self.sentence(x=x), "x[1, 1] is %s, which is not finite" %
                                 ("nan" if bad != bad else "inf"))
        self.assertEqual(self.sentence(x=np.full((3, 2), 1e300)),
                         "x[0, 0] is inf, which is not finite")

    def test_sparse_features(self):
        sparse = testing.scipy_sparse()
        m = sparse.csr_matrix(np.eye(3, dtype="f4"))
        m.data[1] = NAN
        self.assertEqual(self.sentence(x=m), "x[1, 1] is nan, which is not finite")
        m = sparse.csr_matrix(np.array([[0, 0], [0, 0], [1, float("-inf")]], "f4"))
        self.assertEqual(self.sentence(x=m), "x[2, 1] is -inf, which is not finite")
        self.assertEqual(self.sentence(x=sparse.csr_matrix(np.eye(3, dtype="c8"))),
                         "x has the type complex64; it must hold numbers")
        self.assertEqual(self.sentence(y=sparse.csr_matrix(np.eye(3))),
                         "y is a sparse matrix where an array is needed")
        self.refuses("csr has the shape [2, 3]; an adjacency is square", Graph.from_arrays,
                     csr=sparse.csr_matrix(np.ones((2, 3))))

    def test_labels(self):
        self.refuses("y has the shape [3, 4], several labels a node; choose one column, y[:, i], or "
                     "give one class a node", triangle, y=np.zeros((3, 4), int))
        self.refuses("y has the type float32; it must hold whole numbers, -1 for unknown", triangle,
                     y=np.zeros(3, "f4"))
        self.refuses("y has the label -2; labels are 0, 1, ..., or -1 for unknown", triangle,
                     y=[0, -2, 1])
        self.refuses("y has the label 2 but there are 2 classes", triangle, y=[0, 1, 2],
                     class_names=["a", "b"])
        self.refuses("y has the label 5 but there are 3 classes", triangle, y=[0, 1, 5],
                     num_classes=3)
        self.refuses("there are 2 class names but num_classes is 3", triangle,
                     class_names=["a", "b"], num_classes=3)
        self.refuses("y has 2 nodes but x has 3", triangle, y=[0, 1])
        self.refuses("y_soft has 3 classes but there are 2", triangle, y_soft=np.zeros((3, 3)))
        self.refuses("y_soft has the shape [3]; it must be [nodes, classes]", triangle,
                     y_soft=np.zeros(3))
        self.refuses("a class name has a zero byte in it", triangle, class_names=["a\0", "b"])
        self.refuses("a feature name has a zero byte in it", triangle, feature_names=["\0", "", ""])
        self.refuses("graph: feature names: 2 names where 3 are needed", triangle,
                     feature_names=["a", "b"])

    def test_masks(self):
        self.refuses("node 1 is in two parts of the split, train and val", triangle,
                     val_mask=[False, True, False])
        self.refuses("train_mask has the shape [3, 10], 10 splits; choose one, train_mask[:, i]",
                     triangle, train_mask=np.zeros((3, 10), bool))
        self.refuses("val_mask has the type int64; it must hold True and False (indices go into "
                     "split=(train, val, test))", triangle, val_mask=[0, 1, 2])
        self.refuses("val_mask has 2 nodes but x has 3", triangle, val_mask=[True, False])
        self.refuses("give masks or split, not both", triangle, split=([0], [1], [2]))

    def test_masked_arrays(self):
        """What lies under a mask is no value."""
        def hide(values, *where):
            return np.ma.array(values, mask=[i in where for i in range(len(values))])

        def masked(name, count, function, *arguments, **named):
            self.refuses("%s is a masked array with %d masked entries; give them values first, "
                         "with filled()" % (name, count), function, *arguments, **named)
        pair = dict(edge_index=[[0, 1], [1, 2]])
        masked("y", 1, Graph.from_arrays, y=hide([0, 1, 1], 2), **pair)
        masked("train_mask", 2, Graph.from_arrays, y=[0, 1, 1],
               train_mask=hide([True, False, True], 0, 2), **pair)
        masked("x", 1, Graph.from_arrays, x=np.ma.masked_invalid([[1.0], [NAN], [2.0]]), **pair)
        masked("edge_index", 1, Graph.from_arrays, num_nodes=3,
               edge_index=np.ma.masked_equal([[0, 1], [1, 2]], 2))
        masked("labels", 1, graphbonsai.ogb.from_data,
               (dict(edge_index=[[0], [1]], num_nodes=2, node_feat=np.ones((2, 1), "f4")),
                hide([0, 1], 1)))
        self.assertEqual(Graph.from_arrays(y=hide([0, 1, 1]), **pair).y.tolist(), [0, 1, 1])

    def test_files_of_features_for_a_graph_that_has_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/g.bonsai"
            generate(nodes=20, classes=2).save(path)
            for name in ("features", "labels"):
                self.refuses(path + ": holds its own features and labels, so the file more.csv "
                             "would be ignored; only text and mtx graphs take such files",
                             Graph.load, path, **{name: "more.csv"})

    def test_splits(self):
        def split(sentence, value):
            self.refuses(sentence, triangle, train_mask=None, test_mask=None, split=value)
        split("split must be three arrays of indices: (train, val, test)", ([0], [1]))
        split("split must be three arrays of indices: (train, val, test)", 5)
        split("split[0] (train) has the index 3, outside 0..2", ([3], [], []))
        split("split[2] (test) has the index -1, outside 0..2", ([0], [], [-1]))
        split("node 0 is in two parts of the split, train and test", ([1, 0], [], [2, 0]))
        split("split[1] (val) has the type bool; it must hold whole numbers",
              ([0], np.array([True, False, True]), []))
        split("split has the part holdout; there are train, val and test", {"holdout": [1]})

    def test_columns(self):
        self.refuses("node_weight has the shape [1, 3]; it must have one entry a node", triangle,
                     node_weight=[[1, 2, 3]])
        self.refuses("role has an entry outside 0..255", triangle, role=[0, 1, 256])
        self.refuses("origin has an entry outside 0..4294967295", triangle, origin=[0, 1, -1])
        self.assertIn("node weights: entry 1 is nan", self.sentence(node_weight=[1, NAN, 1]))

    def test_too_many_nodes(self):
        self.refuses("num_nodes is 2147483648, outside 0..2147483647", Graph.from_arrays,
                     num_nodes=2**31)
        self.refuses("num_nodes must be a whole number, not 2.5", Graph.from_arrays, num_nodes=2.5)

    def test_subgraphs(self):
        g = triangle()
        self.refuses("nodes has the type float64; it must hold whole numbers", g.induce, [0.5])
        for nodes in ([0, 0], [3], [-1]):
            with self.assertRaises(ArgumentError):
                g.induce(nodes)
        self.refuses('percent must be three shares in percent, such as (60, 20, 20) or '
                     '"60/20/20", "own", "random" or "published", not 60', g.split, 60)
        with self.assertRaises(ArgumentError):
            g.split((60, 60, 60))
        self.refuses("seed is -1, outside 0..18446744073709551615", g.split, (60, 20, 20), -1)
        self.refuses("other must be a Graph, not int", g.equal, 3)
        self.refuses("the graph has all its 3 features, but num_full_features is 5", g.feature_mask,
                     5)


class Options(testing.Case):
    def setUp(self):
        self.g = testing.small_world(100)

    def test_unknown_names_suggest_the_nearest(self):
        def unknown(name, nearest, function, *arguments):
            e = self.refuses('there is no option "%s"; did you mean "%s"?' % (name, nearest),
                             function, *arguments, kind=OptionError, **{name: 1})
            self.assertIsInstance(e, TypeError)
            self.assertIsInstance(e, ValueError)
        unknown("layrs", "layers", condense, self.g, 0.1)
        unknown("tread", "threads", condense, self.g, 0.1)
        unknown("progres", "progress", condense, self.g, 0.1)
        unknown("hiden", "hidden", train, self.g)
        unknown("node", "nodes", generate)
        unknown("keep_direct", "keep_directed", Graph.load, "x")
        unknown("epoch", "epochs", graphbonsai.compare, self.g)
        unknown("thread", "threads", train(self.g, epochs=1, seeds=1).model.predict, self.g)

    def test_a_name_near_none_lists_all(self):
        with self.assertRaises(OptionError) as caught:
            Graph.load("x", zzz=1)
        self.assertEqual(str(caught.exception), 'there is no option "zzz"; there are features, '
                         "keep_directed, keep_repeated, keep_self_loops, labels, progress, threads")

    def test_own_fields_are_no_options(self):
        for name in ("size", "payload"):
            with self.assertRaises(OptionError):
                condense(self.g, 0.1, **{name: 1})

    def test_choices(self):
        self.refuses('there is no method "tree"; did you mean "trees"?', condense, self.g, 0.1,
                     method="tree")
        self.refuses('there is no method "x"; there are trees, random, random-trees, herding, '
                     "kcenter, degree, prototypes, auto, gcond, gcond-x, doscond, sgdd, exgc, gc-sntk, "
                     "gdem, gcsr, sfgc, geom, published", condense, self.g, 0.1, method="x")
        self.refuses('there is no model "gcnn"; did you mean "gcn"?', train, self.g, model="gcnn")
        self.refuses("model must be a text, one of gcn, gat, gin, sage, not 1", train, self.g,
                     model=1)
        self.refuses('there is no accounting "loose"; there are strict, paper', condense, self.g,
                     0.1, accounting="loose")
        self.refuses('there is no density "most"; there are gain, density', condense, self.g, 0.1,
                     density="most")
        self.refuses('there is no for_models "gen"; did you mean "gin"?', condense, self.g, 0.1,
                     for_models="gen")
        self.refuses("for_models must be some of gcn, gat, gin, sage, or all, not 3", condense,
                     self.g, 0.1, for_models=3)
        self.refuses("sample must be a whole number, not 'most'", condense, self.g, 0.1,
                     sample="most")

    def test_types_and_ranges(self):
        def bad(sentence, **options):
            self.refuses(sentence, condense, self.g, 0.1, **options)
        bad("k must be a whole number, not 2.5", k=2.5)
        bad("k must be a whole number, not 'three'", k="three")
        bad("k is 4294967296, outside -2147483648..2147483647", k=2**32)
        bad("seed is -1, outside 0..18446744073709551615", seed=-1)
        bad('memory must be bytes, or a size such as "500M" or "3G", not \'3X\'', memory="3X")
        bad('memory must be bytes, or a size such as "500M" or "3G", not \'B\'', memory="B")
        bad("seed must be a whole number, not True", seed=True)
        bad("theta must be a number, not False", theta=False)
        bad("memory is -1; it must be at least 0", memory=-1)
        bad("theta must be a number, not 'x'", theta="x")
        bad("theta is nan, which is not finite", theta=NAN)
        bad("split is (0.6, 0.2, 0.2); the shares are in percent: did you mean (60, 20, 20)?",
            split=(0.6, 0.2, 0.2))
        bad('split must be three shares in percent, such as (60, 20, 20) or "60/20/20", '
            '"own", "random" or "published", not (60, 20)', split=(60, 20))
        bad("split must be a number, not 'a'", split=("a", 1, 2))
        for options in (dict(k=0), dict(layers=17), dict(layers=-1), dict(beta=2.0)):
            with self.assertRaises(ArgumentError) as caught:
                condense(self.g, 0.1, **options)
            self.assertIn(next(iter(options)), str(caught.exception))
        bad("the shares 90/20/20 sum to more than 100", split=(90, 20, 20))

    def test_sizes_as_the_program_takes_them(self):
        for text, size in (("300M", 300 << 20), ("3g", 3 << 30), ("2KiB", 2048), ("1.5kB", 1500),
                           ("7B", 7), ("4096", 4096)):
            self.assertEqual(_options.size("memory", text), size)
        self.assertTrue(condense(self.g, 0.1, memory="3G", threads=1).equal(
            condense(self.g, 0.1, threads=1)))

    def test_lists_of_methods_as_the_program_takes_them(self):
        found = graphbonsai.compare(self.g, "random, degree", 0.1, "gcn,sage", epochs=5, seeds=1,
                                    threads=1)
        self.assertEqual({(cell["method"], cell["model"]) for cell in found}, {
            (method, model) for method in ("full", "random", "degree")
            for model in ("gcn", "sage")})
        self.refuses('there is no method "autos"; did you mean "auto"?', graphbonsai.compare,
                     self.g, "random,autos")
        self.refuses("ratio must be a number, not '0.1,0.2'", graphbonsai.compare, self.g, "random",
                     "0.1,0.2")

    def test_budgets(self):
        lead = "give one budget: ratio (of the bytes, such as 0.01), max_bytes, nodes or trees"
        self.refuses(lead, condense, self.g)
        self.refuses(lead + ", not ratio and nodes", condense, self.g, 0.1, nodes=5)
        self.refuses("ratio is 0; it must be above 0", condense, self.g, 0)
        self.refuses("ratio must be a number, not True", condense, self.g, True)
        self.refuses("nodes must be a whole number, not True", condense, self.g, nodes=True)
        with self.assertWarnsRegex(UserWarning, "ratio is 1: the small graph may take as many bytes "
                                   "as the full one; 0.01 is one percent"):
            condense(self.g, 1, method="random", threads=1)
        self.refuses("nodes is -3; it must be above 0", condense, self.g, nodes=-3)
        self.assertTrue(condense(self.g, "10%", method="random", threads=1).equal(
            condense(self.g, 0.1, method="random", threads=1)))
        self.refuses("ratio must be a number, not 'one %'", condense, self.g, "one %")
        for ratio in (1.5, [0.1, 1.5], [0.1, 0]):
            with self.assertRaises(ArgumentError):
                condense(self.g, ratio)
        self.assertEqual(condense(self.g, []), [])

    def test_data_of_another_kind(self):
        self.refuses("data must be a Graph, a path, a torch_geometric Data, a DGLGraph, an OGB "
                     "dataset, a networkx.Graph or an igraph.Graph, not int", condense, 5, 0.1)
        self.refuses("graph must be a Graph, a path, a torch_geometric Data, a DGLGraph, an OGB "
                     "dataset, a networkx.Graph or an igraph.Graph, not NoneType", train, None)
        self.refuses("full is None; evaluate needs the full graph to judge on",
                     graphbonsai.evaluate, self.g, None)
        self.refuses("progress must be None, True, False or a function (stage, done, total), not 5",
                     condense, self.g, 0.1, progress=5)
        self.refuses("cell must be a function of one cell, not 5", graphbonsai.compare, self.g,
                     cell=5)
        self.refuses('layers is an option of both condensing and training; say '
                     'condense={"layers": 3} or train={"layers": 3}', graphbonsai.compare, self.g,
                     layers=3)
        self.refuses("path must be a path, not 5", Graph.load, 5)
        self.refuses("path has a zero byte in it", Graph.load, "a\0b")
        for function in (Graph, graphbonsai.Model):
            with self.assertRaises(TypeError):
                function()

    def test_a_graph_without_what_is_needed(self):
        bare = Graph.from_arrays(edge_index=[[0], [1]])
        for call in (lambda: condense(bare, 0.5), lambda: train(bare, epochs=1),
                     lambda: condense(Graph.from_arrays(), 0.5)):
            with self.assertRaises(ArgumentError) as caught:
                call()
            self.assertGreater(len(str(caught.exception)), 10)

    def test_a_sparse_matrix_whose_arrays_were_changed(self):
        sparse = testing.scipy_sparse()
        for number, (field, at, value) in enumerate((
                ("indptr", 1, 9), ("indptr", 3, 99), ("indices", 0, 99), ("indices", 0, -1))):
            for kind in (sparse.csr_matrix, sparse.csc_matrix):
                broken = kind(np.eye(3, dtype=np.float64))
                getattr(broken, field)[at] = value
                for given in ({"x": broken}, {"csr": broken}):
                    with self.subTest(number=number, kind=kind.__name__):
                        with self.assertRaisesRegex(ArgumentError, "is not a valid sparse matrix"):
                            Graph.from_arrays(**given)
        broken = sparse.coo_matrix(np.eye(3, dtype=np.float32))
        broken.row[0] = 7
        self.refuses("x is not a valid sparse matrix: an index is outside 0..2",
                     Graph.from_arrays, x=broken)

    def test_texts_that_no_file_can_have(self):
        with self.assertRaisesRegex(ArgumentError, "path cannot be the name of a file"):
            Graph.load("a\ud800")
        small = condense(testing.small_world(), 0.1, threads=1)
        self.assertIn("a?b", graphbonsai.report(small, title="a\ud800b", threads=1))

    def test_labels_that_no_graph_can_have(self):
        for label in (2**31 - 1, 2**64 - 1):
            self.refuses("y has the label %d; labels must be below 2147483647" % label,
                         Graph.from_arrays, y=np.array([0, label], np.uint64))

    def test_a_report_that_is_no_json(self):
        self.refuses("report cannot be written as JSON: Object of type object is not JSON "
                     "serializable", Graph.from_arrays, y=[0], report={"sizes": object()})

    def test_compare_with_options_that_are_no_dictionary(self):
        self.refuses("train must be a dictionary of options, not 3", graphbonsai.compare, self.g,
                     train=3, kind=graphbonsai.OptionError)
        self.refuses('there is no option "method"; did you mean "methods"?', graphbonsai.compare,
                     self.g, method="trees", kind=graphbonsai.OptionError)

    def test_errors_can_be_pickled(self):
        for kind, status in ((graphbonsai.Error, -1), (ArgumentError, -1),
                             (graphbonsai.OutOfMemory, -2), (graphbonsai.FileError, -3),
                             (graphbonsai.FormatError, -4), (graphbonsai.Canceled, -5)):
            e = pickle.loads(pickle.dumps(kind("what happened")))
            self.assertEqual((type(e), str(e), e.status), (kind, "what happened", status))


if __name__ == "__main__":
    testing.main()
