"""Graphs of other sources: labels that are names, tables, networkx, igraph, and their files.

SPDX-License-Identifier: MIT
"""
import importlib
import os
import tempfile
import unittest
import warnings

import numpy as np

import graphbonsai
import testing
from graphbonsai import Graph, condense
from graphbonsai._kinds import as_graph
from testing import triangle

NAN = float("nan")
NODES = {"id": ["ann", "bob", "eve"], "age": [31, 45, 7], "tall": [True, False, False],
         "label": ["b", "a", None], "split": ["train", "valid", None]}
EDGES = {"source": ["ann", "bob"], "target": ["bob", "eve"], "weight": [0.5, 2]}


def module(name):
    """A module of others; compiled ones are not looked at by our sanitizer."""
    if testing.SANITIZED and name.partition(".")[0] != "networkx":
        raise unittest.SkipTest("%s is not ours to check" % name)
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest("%s is missing" % name) from None


def named():
    """The graph of NODES and EDGES, by hand."""
    return Graph.from_arrays(
        edge_index=[[0, 1], [1, 2]], edge_weight=[0.5, 2], x=[[31, 1], [45, 0], [7, 0]],
        y=[1, 0, -1], class_names=["a", "b"], node_names=["ann", "bob", "eve"],
        feature_names=["age", "tall"],
        train_mask=[True, False, False], val_mask=[False, True, False],
        test_mask=[False, False, False])


def with_labels(values):
    """A graph of 300 nodes whose classes have these names."""
    g = testing.small_world(300)
    return Graph.from_arrays(edge_index=g.edge_index, x=g.x, y=g.y, train_mask=g.train_mask,
                             val_mask=g.val_mask, test_mask=g.test_mask, class_names=values)


class Labels(testing.Case):
    def test_texts_are_classes_in_sorted_order(self):
        for y in (["red", "blue", "red"], np.array(["red", "blue", "red"]),
                  np.array([b"red", b"blue", b"red"])):
            g = triangle(y=y)
            self.assertEqual((g.y.tolist(), g.class_names), ([1, 0, 1], ["blue", "red"]))
        g = triangle(y=["10", "9", "10"])
        self.assertEqual((g.y.tolist(), g.class_names), ([1, 0, 1], ["9", "10"]))

    def test_a_text_that_is_missing_is_unknown(self):
        for missing in (None, float("nan"), ""):
            g = triangle(y=np.array(["b", missing, "a"], object))
            self.assertEqual((g.y.tolist(), g.class_names), ([1, -1, 0], ["a", "b"]))
            self.assertEqual(triangle(y=["b", missing, "a"]).y.tolist(), [1, -1, 0])
        self.assertEqual(triangle(y=[b"b", NAN, b"a"]).class_names, ["a", "b"])
        self.assertEqual(triangle(y=np.array([1, None, 0], object)).y.tolist(), [1, -1, 0])

    def test_what_is_missing_among_texts_is_no_class_in_any_source(self):
        for missing in (None, NAN, ""):
            table = {**NODES, "label": ["b", "a", missing], "split": ["train", "val", missing]}
            self.assertTrue(Graph.from_pandas(table, EDGES).equal(named()))
            self.refuses("nodes: row 1 has no id", Graph.from_pandas,
                         {**NODES, "id": ["ann", missing, "eve"]}, EDGES)

    def test_class_names_give_the_order_of_texts(self):
        g = triangle(y=["b", "a", "b"], class_names=["b", "c", "a"])
        self.assertEqual((g.y.tolist(), g.class_names), ([0, 2, 0], ["b", "c", "a"]))
        self.refuses("y has the label 'b', which is none of the class names", triangle,
                     y=["b", "a", "b"], class_names=["a"])
        self.refuses("y has a label that is a list; it must be a text or a number", triangle,
                     y=np.array([["b"], "a", ("c", "d")], object))

    def test_numbers_are_class_numbers_unless_relabelled(self):
        y = np.array([20, 0, 10])
        g = triangle(y=y, relabel=False)
        self.assertEqual((g.num_classes, g.class_names), (21, None))
        g = triangle(y=y, relabel=True)
        self.assertEqual((g.y.tolist(), g.class_names), ([2, 0, 1], ["0", "10", "20"]))
        g = triangle(y=[1, -1, 0], relabel=True)
        self.assertEqual((g.y.tolist(), g.class_names), ([1, -1, 0], None))
        self.refuses("y has the label -7; labels are 0, 1, ..., or -1 for unknown", triangle,
                     y=[-7, 0, 1], relabel=True)

    def test_names_of_nodes(self):
        g = triangle(node_names=["a", 7, "\u00e9"])
        self.assertEqual(g.node_names, ["a", "7", "\u00e9"])
        self.assertEqual(g.induce([2, 0]).node_names, ["\u00e9", "a"])
        self.refuses("node_names has 2 nodes but x has 3", triangle, node_names=["a", "b"])
        self.refuses("a node name has a zero byte in it", triangle, node_names=["a\0", "b", "c"])


class Tables(testing.Case):
    def nodes(self, sentence, **columns):
        self.refuses(sentence, Graph.from_pandas, {**NODES, **columns}, EDGES)

    def edges(self, sentence, **columns):
        self.refuses(sentence, Graph.from_pandas, NODES, {**EDGES, **columns})

    def test_columns(self):
        self.assertTrue(Graph.from_pandas(NODES, EDGES).equal(named()))
        g = Graph.from_pandas(NODES, EDGES, features="age", label="tall", weight="weight")
        self.assertEqual((g.x.tolist(), g.y.tolist()), ([[31], [45], [7]], [1, 0, 0]))
        g = Graph.from_pandas(NODES, EDGES, features=np.eye(3), class_names=["b", "c", "a"])
        self.assertEqual((g.x.tolist(), g.y.tolist()), (np.eye(3).tolist(), [0, 2, -1]))
        g = Graph.from_pandas({**NODES, "v": [[1, 2], [3, 4], [5, 6]]}, EDGES,
                              features=["v", "age"])
        self.assertEqual(g.x.tolist(), [[1, 2, 31], [3, 4, 45], [5, 6, 7]])

    def test_columns_name_features(self):
        def names(more=(), **given):
            return Graph.from_pandas({**NODES, **dict(more)}, EDGES, **given).feature_names
        vectors = {"v": [[1, 2], [3, 4], [5, 6]]}
        self.assertEqual(names(), ["age", "tall"])
        self.assertEqual(names(features=["tall", "age"]), ["tall", "age"])
        self.assertEqual(names(features="age"), ["age"])
        self.assertEqual(names(vectors), ["age", "tall", "v[0]", "v[1]"])
        self.assertIsNone(names(vectors, features="v"))
        self.assertIsNone(names(features=np.eye(3)))
        self.assertIsNone(names({0: [1, 2, 3], 1: [4, 5, 6]}, features=[0, 1]))
        self.assertEqual(names({0: [1, 2, 3]}, features=[0, "age"]), ["0", "age"])

    def test_an_id_column_by_its_name(self):
        for name in ("node_id", "nodeid", "node", "customer_id"):
            nodes = {name if k == "id" else k: v for k, v in NODES.items()}
            self.assertTrue(Graph.from_pandas(nodes, EDGES).equal(named()), name)
        ends = {"source": [0, 1], "target": [1, 2]}
        for nodes in ({"region_id": [7, 7, 8], "age": [1, 2, 3]},       # not all different
                      {"age": [1, 2, 3], "region_id": [7, 8, 9]}):      # not the first
            g = Graph.from_pandas(nodes, ends)
            self.assertEqual((g.num_features, g.node_names), (2, None))

    def test_warns_of_ids_among_features(self):
        ends = {"source": [0, 1], "target": [1, 7]}
        nodes = {"age": [1.5] * 8, "account": [3, 0, 1, 2, 7, 6, 5, 4]}
        with self.assertWarnsRegex(graphbonsai.TableWarning, 'node_id="account"') as caught:
            self.assertEqual(Graph.from_pandas(nodes, ends).num_features, 2)
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Graph.from_pandas(nodes, ends, node_id="account")
            Graph.from_pandas(nodes, ends, features=["age", "account"])
            for account in ([*range(8)], [3, 0, 1, 2, 7, 6, 5, 5], [3, 0, 1, 2, 9, 6, 5, 4]):
                Graph.from_pandas({**nodes, "account": account}, ends)

    def test_warns_of_texts_that_are_in_doubt(self):
        with tempfile.TemporaryDirectory() as folder:
            edges, rows = os.path.join(folder, "e.csv"), os.path.join(folder, "f.csv")
            for path, text in ((edges, "buyer,partner\nC1,C2\n"),
                               (rows, "age,account\n" + "".join("1,%d\n" % (7 - i)
                                                                for i in range(8)))):
                with open(path, "w") as f:
                    f.write(text)
            with self.assertWarnsRegex(graphbonsai.TableWarning, "source and target") as caught:
                self.assertEqual(Graph.load(edges).num_nodes, 4)
            self.assertEqual(caught.filename, __file__)
            with open(edges, "w") as f:
                f.write("0,1\n")
            with self.assertWarnsRegex(graphbonsai.TableWarning, "column account"):
                Graph.load(edges, features=rows)

    def test_warns_of_columns_of_edges_in_a_text(self):
        with tempfile.TemporaryDirectory() as folder:
            edges = os.path.join(folder, "e.csv")
            for text, said in (("source,target,amount\n0,1,5\n", "amount, was read as the weights"),
                               ("day,from,to,note\n3,0,1,x\n", "were not read: day, note")):
                with open(edges, "w") as f:
                    f.write(text)
                with self.assertWarnsRegex(graphbonsai.TableWarning, said):
                    g = Graph.load(edges)
            self.assertEqual((g.num_nodes, g.edge_weight), (2, None))

    def test_warns_of_a_column_that_may_be_weights(self):
        ends = {"source": ["ann"], "target": ["bob"], "note": ["x"]}
        with self.assertWarnsRegex(graphbonsai.TableWarning, 'weight="times"'):
            g = Graph.from_pandas(NODES, {**ends, "times": [3]})
        self.assertIsNone(g.edge_weight)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Graph.from_pandas(NODES, ends)
            Graph.from_pandas(NODES, {**ends, "times": [3]}, weight="times")
            Graph.from_pandas(NODES, {**ends, "times": [3], "weight": [1]})
            Graph.from_pandas(NODES, {**ends, "times": [3], "year": [2024]})

    def test_data_frames(self):
        pandas = module("pandas")
        nodes, edges = pandas.DataFrame(NODES), pandas.DataFrame(EDGES)
        for table in (nodes, nodes.set_index("id"), nodes.astype({"age": "Int64"}),
                      nodes.astype({"label": "category", "id": "string"})):
            self.assertTrue(Graph.from_pandas(table, edges).equal(named()))
        for table in (nodes.set_index("id").rename_axis(None), nodes[::-1]):
            g = Graph.from_pandas(table, edges)
            self.assertEqual(sorted(g.node_names), ["ann", "bob", "eve"])
            self.assertEqual(g.num_edges, 4)
        for index in ("customer", 7, ("a", "b")):
            table = nodes.set_index("id").rename_axis([index])
            self.assertTrue(Graph.from_pandas(table, edges).equal(named()))
        mixed = nodes.sample(frac=1, random_state=1)        # its index is no feature
        self.assertEqual(Graph.from_pandas(mixed, edges).num_features, 2)
        mixed["index"] = [1, 2, 3]
        self.assertEqual(Graph.from_pandas(mixed, edges).num_features, 3)
        part = Graph.from_pandas(pandas.DataFrame({"age": range(5)})[2:],
                                 pandas.DataFrame({"source": [2], "target": [4]}))
        self.assertEqual((part.node_names, part.edge_index.tolist()),
                         (["2", "3", "4"], [[0, 2], [2, 0]]))
        numbered = Graph.from_pandas(nodes.drop(columns="id"),
                                     pandas.DataFrame({"source": [0, 1], "target": [1, 2]}))
        self.assertIsNone(numbered.node_names)
        nodes.columns = ["id", "age", "age", "label", "split"]
        self.refuses('nodes has two columns "age"', Graph.from_pandas, nodes, edges)

    def test_files(self):
        arrow = module("pyarrow")
        feather, parquet = module("pyarrow.feather"), module("pyarrow.parquet")
        nodes = arrow.table({**NODES, "id": arrow.array(NODES["id"]).dictionary_encode()})
        with tempfile.TemporaryDirectory() as folder:
            at = os.path.join(folder, "nodes.parquet"), os.path.join(folder, "edges.feather")
            parquet.write_table(nodes, at[0])
            feather.write_feather(arrow.table(EDGES), at[1])
            self.assertTrue(Graph.from_pandas(*at).equal(named()))
            self.assertTrue(Graph.from_pandas(nodes, at[1]).equal(named()))
            self.refuses("%s: one table is no graph; Graph.from_pandas takes a table of nodes and "
                         "one of edges" % at[0], condense, at[0], 0.1, kind=graphbonsai.FormatError)
            with open(at[0], "wb") as file:
                file.write(b"no table")
            with self.assertRaises(graphbonsai.FormatError) as caught:
                Graph.from_pandas(*at)
            self.assertTrue(str(caught.exception).startswith(at[0] + ": "))
            os.remove(at[0])
            with self.assertRaises(graphbonsai.FileError):
                Graph.from_pandas(*at)

    def test_an_index_in_a_file(self):
        pandas, _ = module("pandas"), module("pyarrow")
        nodes = pandas.DataFrame(NODES).set_index("id")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "nodes.parquet")
            for name in ("customer", None):
                nodes.rename_axis(name).to_parquet(path)
                self.assertTrue(Graph.from_pandas(path, EDGES).equal(named()))

    def test_texts(self):
        pandas = module("pandas")
        with tempfile.TemporaryDirectory() as folder:
            at = os.path.join(folder, "nodes.csv"), os.path.join(folder, "edges.tsv")
            pandas.DataFrame(NODES).to_csv(at[0], index=False)
            pandas.DataFrame(EDGES).to_csv(at[1], index=False, sep="\t")
            self.assertTrue(Graph.from_pandas(*at).equal(named()))
            with open(at[0], "w", encoding="utf-8"):
                pass
            self.refuses("%s: No columns to parse from file" % at[0], Graph.from_pandas, *at,
                         kind=graphbonsai.FormatError)
            os.remove(at[0])
            with self.assertRaisesRegex(graphbonsai.FileError, "nodes.csv: cannot be read: "):
                Graph.from_pandas(*at)
        done = testing.script(
            "import sys; sys.modules['pandas'] = None\n"
            "from graphbonsai import Graph\n"
            "try: Graph.from_pandas('a.csv', 'b.csv')\n"
            "except ValueError as error: print(error)")
        self.assertEqual(done.stdout, "a.csv: reading it needs pandas: pip install pandas\n")

    def test_a_file_without_pyarrow(self):
        done = testing.script(
            "import sys; sys.modules['pyarrow'] = None\n"
            "from graphbonsai import Graph\n"
            "try: Graph.from_pandas('a.parquet', 'b.parquet')\n"
            "except ValueError as error: print(error)")
        self.assertEqual(done.stdout, "a.parquet: reading it needs pyarrow: pip install pyarrow\n")

    def test_ids(self):
        self.edges("edges: row 1: the target 'joe' is not an id of nodes", target=["bob", "joe"])
        self.edges('edges: row 0 has no "source"', source=[None, "bob"])
        self.nodes("nodes: row 0 and row 2 have the same id, 'ann'", id=["ann", "bob", "ann"])
        self.nodes("nodes: row 1 and row 2 have the same id, 7", id=[5, 7, 7])
        with self.assertRaisesRegex(graphbonsai.ArgumentError,
                                    "nodes: row 0 and row 2 have the same id, 'ann'"):
            Graph.from_pandas({"person_id": ["ann", "bob", "ann"], "age": [1.0, 2.0, 3.0]},
                              {"source": ["ann"], "target": ["bob"]})
        self.nodes("nodes: row 1 has no id", id=["ann", None, "eve"])
        ends = {"source": [5, 9], "target": [9, 7]}
        g = Graph.from_pandas({**NODES, "id": [5, 7, 9]}, ends)
        self.assertEqual((g.node_names, g.edge_index.tolist()),
                         (["5", "7", "9"], [[0, 1, 2, 2], [2, 2, 0, 1]]))
        self.assertTrue(g.equal(Graph.from_pandas({**NODES, "id": [5, 7, 9]}, {
            name: np.array(column, object) for name, column in ends.items()})))
        self.refuses("edges: row 1: the target 8 is not an id of nodes", Graph.from_pandas,
                     {**NODES, "id": [5, 7, 9]}, {**ends, "target": [9, 8]})
        self.refuses("edges: row 0: the source 5 is not an id of nodes; there it is the text '5'",
                     Graph.from_pandas, {**NODES, "id": ["5", "7", "9"]}, ends)
        self.refuses("edges: row 0: the source 5 is not an id of nodes", Graph.from_pandas,
                     {"id": np.empty(0, int)}, ends)

        self.refuses("edges: row 0: the source 'ann' is not an id of nodes; the rows' numbers are "
                     "the ids: name the column of ids with node_id=", Graph.from_pandas,
                     {"name": ["ann", "bob", "eve"], "age": [1, 2, 3]}, EDGES)

    def test_features_that_are_no_numbers(self):
        self.nodes("nodes: row 1 has the text 'x' in the feature \"age\"; features are numbers: "
                   "features=[...] names the columns to take, and pandas.get_dummies makes numbers "
                   "of categories", age=np.array([1, "x", 2], object))
        self.nodes("nodes: row 0 has the text 'x' in the feature \"age\"; features are numbers: "
                   "features=[...] names the columns to take, and pandas.get_dummies makes numbers "
                   "of categories", age=["x", "y", "z"])
        self.nodes('nodes: row 1 has no number in the feature "age" (2 of 3 have none); fill the '
                   "gaps first, as with pandas' fillna, or leave it out: features=[...] names the "
                   "columns to take", age=[1, NAN, NAN])
        self.nodes('nodes: the feature "age" has the type datetime64[D]; it must hold numbers: '
                   "features=[...] names the columns to take",
                   age=np.array(["2020-01-01"] * 3, "M8[D]"))
        self.nodes('nodes: row 1 has 1 numbers in the feature "age", others have 2 numbers',
                   age=[[1, 2], [3], [4, 5]])
        self.nodes('nodes: the feature "age" has the type complex128; it must hold numbers: '
                   "features=[...] names the columns to take", age=[1j, 2, 3])

    def test_labels_are_names(self):
        def found(label, **more):
            g = Graph.from_pandas({**NODES, "label": label}, EDGES, **more)
            return g.y.tolist(), g.class_names, g.num_classes
        self.assertEqual(found([20, 0, 10]), ([2, 0, 1], ["0", "10", "20"], 3))
        self.assertEqual(found([20, NAN, 10]), ([1, -1, 0], ["10", "20"], 2))
        self.assertEqual(found([1, -1, 0]), ([1, -1, 0], None, 2))
        self.assertEqual(found([2, 0, -1]), ([1, 0, -1], ["0", "2"], 2))
        self.assertEqual(found([2, 0, -1], num_classes=4), ([2, 0, -1], None, 4))
        self.assertEqual(found([1, 0, -1], class_names=["a", "b"]), ([1, 0, -1], ["a", "b"], 2))
        self.assertEqual(found([7, 5, -1], class_names=["7", "5"]), ([0, 1, -1], ["7", "5"], 2))
        self.nodes('nodes: "label" has 0.5: numbers to be predicted are not classes. Cut them into '
                   "classes first", label=[0, 0.5, 1])
        self.nodes('nodes: "label" has the label -3; labels are 0, 1, ..., or -1 for unknown',
                   label=[0, -3, 1])

    def test_columns_that_are_not_there(self):
        def missing(sentence, **named_columns):
            self.refuses(sentence, Graph.from_pandas, NODES, EDGES, **named_columns)
        missing('edges has no column "from" (the source of each edge); it has source, target, '
                "weight", source="from")
        missing('nodes has no column "height" (features); it has id, age, tall, label, split',
                features=["age", "height"])
        self.nodes("nodes: row 0 has 'training' in \"split\"; parts are train, val and test",
                   split=["training", None, None])
        self.nodes('nodes has 2 rows in "age" but 3 in "id"', age=[1, 2])
        self.refuses("nodes must be a pandas DataFrame, a pyarrow Table, a dictionary of columns "
                     "or the path of a .parquet, .feather, .csv or .tsv file, not int",
                     Graph.from_pandas, 3, EDGES)
        self.refuses("a.xls: a table is a .parquet, .feather, .csv or .tsv file; Graph.load reads "
                     "graphs of other formats", Graph.from_pandas, "a.xls", EDGES)

    def test_a_table_is_no_graph(self):
        frame = module("pandas").DataFrame(NODES)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, r"not pandas\.[\w.]*DataFrame; "
                                    r"Graph.from_pandas\(nodes, edges\) makes a graph of tables$"):
            condense(frame, 0.1)


class Networks(testing.Case):
    """What networkx and igraph share."""

    def setUp(self):
        networkx = module("networkx")
        self.kinds = [(networkx.Graph, Graph.to_networkx, Graph.from_networkx)]
        try:
            self.kinds.append((module("igraph").Graph, Graph.to_igraph, Graph.from_igraph))
        except unittest.SkipTest:
            pass

    def test_there_and_back(self):
        world = testing.small_world(100)
        directed = Graph.from_arrays(edge_index=[[0, 1, 2], [1, 2, 2]], x=np.eye(3), y=[0, 1, 2],
                                     keep_directed=True, keep_self_loops=True)
        for kind, there, back in self.kinds:
            for g in (named(), world, triangle(), with_labels(["0", "10", "20"])):
                made = there(g)
                self.assertIsInstance(made, kind)
                self.assertTrue(back(made).equal(g))
            again = back(there(directed), keep_directed=True, keep_self_loops=True)
            self.assertTrue(again.equal(directed))

    def test_a_small_graph_is_of_the_same_kind(self):
        g = with_labels(["0", "10", "20"])
        for kind, there, _ in self.kinds:
            full = there(g)
            for options in [dict(method="trees"), dict(method="prototypes"),
                            dict(method="gdem", effort=0.01)][:3 if testing.LAB else 2]:
                small = condense(full, 0.1, threads=1, **options)
                self.assertIsInstance(small, kind)
                self.assertTrue(as_graph("small", small).equal(
                    condense(g, 0.1, threads=1, **options)), options)
            self.assertEqual(len(condense(full, [0.05, 0.1], threads=1)), 2)
            train = dict(seeds=1, epochs=3, threads=1)
            self.assertEqual(graphbonsai.evaluate(small, full, **train).mean,
                             graphbonsai.evaluate(condense(g, 0.1, threads=1, **options), g,
                                                  **train).mean)
            self.assertEqual(graphbonsai.info(full)["nodes"], 300)

    def test_ids_and_labels_of_a_small_networkx_graph_are_those_of_the_full_one(self):
        full = testing.small_world(300).to_networkx(label="group")
        for _, attributes in full.nodes(data=True):
            attributes["group"] *= 10
        del full.graph["num_classes"]
        full = module("networkx").relabel_nodes(full, {i: ("node", i) for i in full})
        small = condense(full, nodes=9, method="random", label="group", threads=1)
        for node, attributes in small.nodes(data=True):
            self.assertIn(node, full)
            self.assertEqual(attributes["group"], full.nodes[node]["group"])
        self.assertEqual(small.graph["class_names"], ["0", "10", "20"])

    def test_networkx_by_hand(self):
        nx = module("networkx")
        g = nx.MultiDiGraph()
        g.add_node("a", age=3, size=[1, 2], kind="u")
        g.add_node("b", age=4, size=[3, 4], kind="v", split="train")
        g.add_edges_from([("a", "b", {"strength": 2}), ("a", "b", {})])
        made = Graph.from_networkx(g, features=["age", "size"], label="kind", weight="strength")
        self.assertEqual(made.x.tolist(), [[3, 1, 2], [4, 3, 4]])
        self.assertEqual((made.class_names, made.node_names), (["u", "v"], ["a", "b"]))
        self.assertEqual(made.feature_names, ["age", "size[0]", "size[1]"])
        self.assertIsNone(Graph.from_networkx(g, features="size").feature_names)
        self.assertEqual(made.csr[2].tolist(), [3, 3])
        self.assertEqual(made.train_mask.tolist(), [False, True])
        self.assertEqual(Graph.from_networkx(nx.path_graph(3)).num_edges, 4)
        del g.nodes["b"]["age"]
        self.refuses("the graph: node 'b' has no number in the feature \"age\" (1 of 2 have "
                     "none); fill the gaps first, as with pandas' fillna, or leave it out: "
                     "features=[...] names the columns to take", Graph.from_networkx, g,
                     features="age")
        self.refuses('no node has "x" or "feat", that is no features; Graph.from_networkx takes '
                     "other names", condense, g, 0.1)
        self.refuses('the graph has no attribute "sort" (the labels); it has age, size, kind, '
                     "split", Graph.from_networkx, g, label="sort")
        self.refuses('no edge has the attribute "cost", the weight', Graph.from_networkx, g,
                     weight="cost")
        self.refuses("a builtins.int is neither a networkx.Graph nor an igraph.Graph",
                     Graph.from_networkx, 3)

    def test_labels_that_are_missing(self):
        for kind, there, back in self.kinds:
            g = there(named(), label="tier")
            if kind.__module__.startswith("networkx"):
                g.nodes["eve"]["tier"] = NAN        # as a DataFrame's to_dict has it
                del g.graph["class_names"]
            else:
                g.vs["tier"] = ["b", "a", NAN]
                del g["class_names"]
            self.assertTrue(back(g, label="tier").equal(named()), kind)

    def test_igraph_by_hand(self):
        g = module("igraph").Graph(edges=[(0, 1), (1, 1)])
        g.vs["feat"], g.vs["label"] = [[1, 2], [3, 4]], ["v", "u"]
        g.es["weight"] = [2, 3]
        made = Graph.from_igraph(g, keep_self_loops=True)
        self.assertEqual((made.x.tolist(), made.y.tolist()), ([[1, 2], [3, 4]], [1, 0]))
        self.assertEqual([part.tolist() for part in made.csr], [[0, 1, 3], [1, 0, 1], [2, 2, 3]])
        g.vs["name"] = ["n", "n"]               # igraph lets two nodes have one name
        self.assertEqual(Graph.from_igraph(g).node_names, ["n", "n"])
        self.assertEqual(Graph.from_igraph(g).to_igraph().vs.attributes(), ["x", "y"])


def texts_of(column):
    """Texts, and None where they are missing: how, depends on the version of pandas."""
    return [value if isinstance(value, str) else None for value in column]


class Frames(testing.Case):
    def test_a_graph_is_two_tables_and_a_graph_again(self):
        pandas = module("pandas")
        nodes, edges = named().to_pandas()
        self.assertIsInstance(nodes, pandas.DataFrame)
        self.assertEqual(nodes.columns.tolist(), ["id", "age", "tall", "label", "split"])
        self.assertEqual(texts_of(nodes["label"]), ["b", "a", None])
        self.assertEqual(texts_of(nodes["split"]), ["train", "val", None])
        self.assertEqual(edges.to_dict("list"), EDGES)
        self.assertTrue(Graph.from_pandas(nodes, edges).equal(named()))
        nodes, edges = named().to_pandas(node_id="who", label="tier", split="part")
        self.assertTrue(Graph.from_pandas(nodes, edges, node_id="who", label="tier",
                                          split="part").equal(named()))

    def test_without_names(self):
        module("pandas")
        for g in (testing.small_world(90), triangle(y=[0, -1, 1]), triangle(y=None),
                  triangle(x=None, train_mask=None, test_mask=None),
                  triangle(edge_weight=[1, 2, 3]), triangle(feature_names=["a", "b", "c"])):
            nodes, edges = g.to_pandas()
            self.assertEqual(len(edges), g.num_edges // 2)
            self.assertTrue(Graph.from_pandas(nodes, edges).equal(g), (nodes, edges))
        nodes = triangle(y=[0, -1, 1]).to_pandas()[0]
        self.assertEqual(nodes["label"].isna().tolist(), [False, True, False])
        g = triangle(keep_directed=True)
        self.assertTrue(Graph.from_pandas(*g.to_pandas(), keep_directed=True).equal(g))

    def test_classes_without_nodes_need_their_names(self):
        module("pandas")
        g = triangle(y=[2, 0, 2], class_names=["z", "b", "a"])
        again = Graph.from_pandas(*g.to_pandas(), class_names=g.class_names)
        self.assertTrue(again.equal(g))

    def test_prototypes_without_a_label_have_none(self):
        module("pandas")
        g = triangle(y=[1, -1, 0], class_names=["a", "b"], node_weight=[3, 1, 2.5],
                     role=[3, 3, 3], train_mask=None, test_mask=None)
        nodes, edges = g.to_pandas(label="plan")
        self.assertEqual(texts_of(nodes["plan"]), ["b", None, "a"])
        self.assertEqual(nodes["node_weight"].tolist(), [3, 1, 2.5])
        again = Graph.from_pandas(nodes, edges, label="plan")
        self.assertEqual((again.num_features, again.node_weight.tolist()), (3, [3, 1, 2.5]))

    def test_two_columns_of_one_name(self):
        module("pandas")
        g = triangle(feature_names=["a", "label", "c"])
        self.refuses('two columns would be called "label"; rename with label="..."', g.to_pandas)
        self.assertEqual(g.to_pandas(label="class")[0].columns.tolist(),
                         ["a", "label", "c", "class", "split"])
        self.refuses('two columns would be called "a"; features need names of their own',
                     triangle(feature_names=["a", "a", "c"]).to_pandas)

    def test_a_model_names_the_columns_that_it_wants(self):
        g = testing.small_world(120)
        names = ["f%d" % i for i in range(g.num_features)]
        table = {name: g.x[:, i] for i, name in enumerate(names)}
        ends = dict(zip(("source", "target"), g.edge_index))
        named = Graph.from_pandas({**table, "label": g.y}, ends).split()
        model = graphbonsai.train(named, epochs=5, seeds=1, threads=1).model
        self.assertEqual(model.feature_names, names)
        other = {name: table[name] for name in reversed(names)}
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "into the order of the model"):
            model.predict(Graph.from_pandas(other, ends))
        again = Graph.from_pandas({**other, "more": g.y}, ends, features=model.feature_names)
        self.assertEqual(model.predict(again).tolist(), model.predict(named).tolist())
        self.assertIsNone(graphbonsai.train(g, epochs=2, seeds=1, threads=1).model.feature_names)

    def test_a_class_that_new_data_lacks(self):
        g = testing.small_world(120)
        names = np.array(["a", "b", "c"])
        ends = dict(zip(("source", "target"), g.edge_index))
        full = Graph.from_pandas({"x": list(g.x), "label": names[g.y]}, ends).split()
        model = graphbonsai.train(full, epochs=5, seeds=1, threads=1).model
        few = {"x": list(g.x), "label": np.where(g.y == 0, "b", names[g.y])}
        self.refuses('class 0 is "a" in the model, but "b" in the graph; make the graph with '
                     "class_names=model.class_names, and also relabel=True where from_arrays takes "
                     "numbers as labels", model.predict, Graph.from_pandas(few, ends))
        want = model.predict(full).tolist()
        for made in (Graph.from_pandas(few, ends, class_names=model.class_names),
                     Graph.from_arrays(edge_index=g.edge_index, x=g.x, y=few["label"],
                                       class_names=model.class_names)):
            self.assertEqual(model.predict(made).tolist(), want)

    def test_a_class_that_the_model_does_not_know(self):
        g = testing.small_world(120)
        ends = dict(zip(("source", "target"), g.edge_index))

        def table(*names):
            return {"x": list(g.x), "label": np.array(names)[g.y]}
        full = Graph.from_pandas(table("b", "c", "d"), ends).split()
        model = graphbonsai.train(full, epochs=5, seeds=1, threads=1).model
        said, shares = model.predict(full, probabilities=True)
        for name, at in (("a", [1, 2, 3]), ("bb", [0, 2, 3]), ("z", [0, 1, 2])):
            made = table("b", "c", "d")
            made["label"] = np.where(np.arange(120) < 3, name, made["label"])
            other = Graph.from_pandas(made, ends)
            found, more = model.predict(other, probabilities=True)      # by the graph's numbers
            self.assertEqual(found.tolist(), np.array(at)[said].tolist())
            np.testing.assert_array_equal(more[:, at], shares)
            self.refuses('graph has nodes of the class "%s", which is none of the 3 classes of what '
                         "it is used with; the label -1 leaves them out" % name, model.evaluate,
                         other, "all")
        few = Graph.from_pandas(table("a", "c", "d"), ends)
        self.refuses('class 0 is "b" in the model, but "a" in the graph; make the graph with '
                     'class_names=[*model.class_names, "a"], and also relabel=True where from_arrays '
                     "takes numbers as labels", model.predict, few)
        fits = Graph.from_pandas(table("a", "c", "d"), ends, class_names=[*model.class_names, "a"])
        self.assertEqual(model.predict(fits).tolist(), said.tolist())


class Files(testing.Case):
    def test_a_matrix_of_scipy(self):
        sparse = testing.scipy_sparse()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.npz")
            sparse.save_npz(path, sparse.coo_matrix((np.ones(3), ([0, 1, 2], [1, 2, 0]))))
            want = Graph.from_arrays(edge_index=[[0, 1, 2], [1, 2, 0]])
            self.assertTrue(Graph.load(path).equal(want))
            self.assertTrue(Graph.from_arrays(csr=path).equal(want))
            self.assertEqual(Graph.load(path, keep_directed=True).num_edges, 3)
            self.assertEqual(Graph.from_arrays(x=path).x.tolist(), np.eye(3)[[1, 2, 0]].tolist())
            with self.assertRaisesRegex(graphbonsai.ArgumentError, "only text and mtx graphs"):
                Graph.load(path, labels=path)
            other = os.path.join(folder, "b.npz")
            np.savez(other, a=np.eye(2))
            self.refuses("%s: csr takes an array, a sparse matrix, or the path of what "
                         "scipy.sparse.save_npz wrote" % other, Graph.from_arrays, csr=other)
            with self.assertRaisesRegex(graphbonsai.FormatError, 'has neither "edge_index"'):
                Graph.load(other)
        with self.assertRaises(graphbonsai.FileError):
            Graph.from_arrays(csr=path)

    def test_a_file_of_no_format_names_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.xyz")
            with open(path, "w", encoding="utf-8") as file:
                file.write("what is this\n")
            torch_file = os.path.join(folder, "a.pt")
            os.link(path, torch_file)
            self.refuses("%s: labels is for text and mtx graphs; a Data has its own" % torch_file,
                         Graph.load, torch_file, labels=path)
            with self.assertRaises(graphbonsai.FormatError) as caught:
                Graph.load(path)
        for name in (*graphbonsai.formats(), ".npz", ".pt"):
            self.assertIn(name, str(caught.exception))

    def test_a_file_of_torch_without_torch(self):
        done = testing.script(
            "import sys; sys.modules['torch'] = None\n"
            "import tempfile, graphbonsai\n"
            "with tempfile.NamedTemporaryFile(suffix='.pt') as file:\n"
            "    file.write(b'PK'); file.flush()\n"
            "    try: graphbonsai.Graph.load(file.name)\n"
            "    except ValueError as error: print(error)")
        self.assertIn("reading it needs PyTorch Geometric: pip install torch", done.stdout)

    def test_a_file_of_torch(self):
        torch = module("torch")
        data = module("torch_geometric.data")
        from graphbonsai import pyg
        g = testing.small_world(100)
        one = pyg.to_data(g)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.pt")
            for saved in (one, one.to_dict(), (one.to_dict(), None, data.Data)):
                torch.save(saved, path)
                self.assertTrue(Graph.load(path).equal(g))
            small = condense(g, 0.2, threads=1)
            torch.save(pyg.to_data(small), path)
            self.assertTrue(Graph.load(path).equal(small))
            torch.save([1, 2], path)
            self.refuses("%s: holds a list; a torch_geometric Data or its dictionary is needed" %
                         path, Graph.load, path, kind=graphbonsai.FormatError)
            torch.save(Runs(), path)
            with self.assertRaisesRegex(graphbonsai.FormatError, "if you trust it"):
                Graph.load(path)
            self.assertFalse(Runs.ran)


class Runs:
    """What a file must not run."""

    ran = False

    def __setstate__(self, state):
        Runs.ran = True


if __name__ == "__main__":
    testing.main()
