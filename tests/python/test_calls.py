"""condense, train, evaluate, compare, generate, info, update; and the examples of the docstrings.

SPDX-License-Identifier: MIT
"""
import copy
import csv
import doctest
import importlib
import json
import os
import pickle
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import graphbonsai
import testing
from graphbonsai import Graph, condense

# What needs more than NumPy has its examples run in its own tests; the library is no module.
ELSEWHERE = {"pyg", "dgl", "ogb", "_tensors", "__main__", "libbonsai"}


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(graphbonsai))
    for module in pkgutil.iter_modules(graphbonsai.__path__):
        if module.name not in ELSEWHERE:
            tests.addTests(doctest.DocTestSuite(
                importlib.import_module("graphbonsai." + module.name)))
    return tests


class Condensing(testing.Case):
    def setUp(self):
        self.g = testing.small_world()

    def test_every_method_keeps_its_budget(self):
        for method in ("trees", "random", "random-trees", "random_trees", "herding", "kcenter",
                       "degree", "prototypes", "auto"):
            s = condense(self.g, 0.1, method=method, threads=1)
            self.assertLessEqual(s.nbytes, 0.1 * self.g.nbytes, method)
            s.check()
            if method != "auto":
                self.assertEqual(s.report.method, method.replace("_", "-"))

    def test_a_limit_of_memory_changes_how_and_not_what(self):
        # a process of its own: what others have reserved counts too
        done = testing.script("""
import re
import graphbonsai
g = graphbonsai.generate(nodes=30000, features=64, dense=True, classes=5, degree=6, threads=1)
more = dict(ratio=0.005, method="trees", sample=300, threads=1)
try:
    graphbonsai.condense(g, memory=1000, **more)
except graphbonsai.ArgumentError as error:
    told = re.search(r": 1000 bytes of memory .option memory. is too little to condense it: at least (\\d+) MiB is "
                     "needed; method random, or a smaller budget, needs less, as bonsai plan tells$", str(error))
    least = int(told.group(1)) << 20
under = graphbonsai.condense(g, memory=least + 1000000, **more)
free = graphbonsai.condense(g, **more)
a, b = under.report["memory"], free.report["memory"]
assert under.equal(free)
assert a["allowed"] == least + 1000000 and a["scratch"] > 1000000 > b["scratch"] == 0, (a, b)
assert 0 < a["held"] < b["held"] and 0 < a["columns"] <= b["columns"], (a, b)    # a cache may be small
assert "scratch files" in str(under.report) and "scratch" not in str(free.report)
""")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless("BONSAI" in os.environ and not testing.SANITIZED, "BONSAI names the program")
    def test_the_least_memory_is_that_of_the_program(self):
        # but for what this process holds: 8 MiB of a program, or steps of 32 MiB
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "planned.bonsai")
        self.g.save(path)
        for method in ("auto", "trees", "prototypes", "random", "herding"):
            more = ["--ratio", "0.1", "--method", method, "-t", "1", "--json"]
            plan = subprocess.run([os.environ["BONSAI"], "plan", path, *more], check=True,
                                  capture_output=True, text=True)
            with self.assertRaisesRegex(graphbonsai.ArgumentError, "too little to condense it") as told:
                condense(self.g, ratio=0.1, method=method, threads=1, memory=1000)
            here = int(re.search(r"at least (\d+) MiB is needed", str(told.exception)).group(1)) << 20
            above = here - json.loads(plan.stdout)["plan"][0]["least"]
            self.assertIn(above % (32 << 20), (0, 24 << 20), method)
            self.assertLess(above, 1 << 30)

    def test_budgets_of_other_kinds(self):
        self.assertLessEqual(condense(self.g, nodes=20, method="random", threads=1).num_nodes, 20)
        self.assertLessEqual(condense(self.g, max_bytes=2000, threads=1).nbytes, 2000)
        roots = condense(self.g, trees=5, method="trees", threads=1).role
        self.assertEqual(int((roots == 1).sum()), 5)

    def test_nodes_of_trees_are_those_of_the_full_graph(self):
        s = condense(self.g, 0.1, method="trees", threads=1)
        self.assertTrue((s.x == self.g.x[s.origin]).all())
        known = s.y >= 0
        self.assertTrue((s.y[known] == self.g.y[s.origin[known]]).all())
        self.assertTrue(self.g.train_mask[s.origin[known]].all())
        where = {int(o): i for i, o in enumerate(s.origin)}
        full = set(zip(*self.g.edge_index.tolist()))
        for a, b in s.origin[s.edge_index].T.tolist():
            self.assertIn((a, b), full)
            self.assertIn(a, where)

    def test_prototypes_have_soft_labels_and_members(self):
        s = condense(self.g, 0.1, method="prototypes", members=True, threads=1)
        self.assertEqual(s.role.tolist(), [3] * len(s))
        if s.y_soft is not None:
            self.assertTrue(np.allclose(s.y_soft.sum(1), 1, atol=0.02))
        members = s.members
        self.assertEqual(len(members), len(s))
        everyone = np.concatenate(members)
        self.assertTrue(self.g.train_mask[everyone].all())
        self.assertEqual(np.unique(everyone).size, everyone.size)
        again = graphbonsai.update(self.g, self.g, s, threads=1)
        self.assertEqual(len(again), len(s))

    def test_members_can_be_given(self):
        g = testing.triangle(members=[[4, 5], [], np.array([3])])
        self.assertEqual([part.tolist() for part in g.members], [[4, 5], [], [3]])
        self.refuses("members has 2 nodes but x has 3", testing.triangle, members=[[4], [5]])
        self.refuses("members[1] has the type float64; it must hold whole numbers",
                     testing.triangle, members=[[4], [0.5], []])

    def test_networks_that_it_is_for(self):
        for given, said in (("sage", "sage"), (["sage", "gcn"], "gcn,sage"), ("gin, gcn", "gcn,gin"),
                            ("all", "all"), (None, "all")):
            s = condense(self.g, 0.1, method="prototypes", for_models=given, threads=1)
            self.assertEqual(s.report["options"]["for_models"], said)

    def test_kept_features_select_columns(self):
        s = condense(self.g, 0.1, method="trees", select_features=True, threads=1)
        self.assertTrue((s.x == self.g.x[s.origin][:, s.kept_features]).all())
        mask = s.feature_mask(self.g.num_features)
        self.assertEqual(np.flatnonzero(mask).tolist(), s.kept_features.tolist())

    def test_ratio_of_numpys_types(self):
        want = condense(self.g, 0.25, method="random", threads=1)
        for ratio in (np.float32(0.25), np.float64(0.25), np.array(0.25)):
            self.assertTrue(condense(self.g, ratio, method="random", threads=1).equal(want))
        self.assertEqual(len(condense(self.g, np.array([0.25, 0.5]), method="random")), 2)

    def test_several_ratios_are_as_each_alone(self):
        ratios = [0.1, 0.03]
        for s, ratio in zip(condense(self.g, ratios, method="trees", threads=1), ratios):
            self.assertTrue(s.equal(condense(self.g, ratio, method="trees", threads=1)))
            self.assertGreater(s.report["seconds"]["total"], 0)

    def test_the_same_bytes_from_arrays_and_from_a_file(self):
        g = self.g
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.bonsai")
            g.save(path)
            h = Graph.from_arrays(edge_index=g.edge_index, x=g.x, y=g.y, train_mask=g.train_mask,
                                  val_mask=g.val_mask, test_mask=g.test_mask, class_names=g.class_names)
            want = condense(g, 0.05, threads=1)
            for data in (path, h):
                self.assertTrue(condense(data, 0.05, threads=1).equal(want))

    def test_the_same_bytes_as_the_program(self):
        program = os.path.join(os.path.dirname(os.environ.get("GRAPHBONSAI_LIBRARY", "")), "bonsai")
        if not os.path.exists(program):
            raise unittest.SkipTest("the program is not there")
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        with tempfile.TemporaryDirectory() as folder:
            full, small = os.path.join(folder, "g.bonsai"), os.path.join(folder, "s.bonsai")
            self.g.save(full)
            subprocess.run([program, "condense", full, "-r", "0.05", "-o", small, "-t", "1", "-q"],
                           check=True, stdout=subprocess.PIPE, env=environment)
            self.assertTrue(condense(full, 0.05, threads=1).equal(Graph.load(small)))


class Reports(testing.Case):
    def test_report_prints_as_a_table(self):
        g = testing.small_world()
        for method in ("trees", "prototypes", "auto", "random"):
            r = condense(g, 0.05, method=method, threads=1).report
            lines = str(r).splitlines()
            self.assertEqual(lines[0].split(), ["small", "full", "%"])
            self.assertEqual(lines[1].split()[:3], ["bytes", "{:,}".format(r["sizes"]["bytes"]),
                                                    "{:,}".format(r["sizes"]["full_bytes"])])
            self.assertEqual(len({len(line) for line in lines[:5]}), 1)     # aligned
            self.assertIn("</table>", r._repr_html_())
            self.assertIn("seconds", str(r))

    def test_report_of_a_file_has_no_seconds(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.bonsai")
            s = condense(testing.small_world(), 0.05, threads=1)
            s.save(path)
            r = Graph.load(path).report
            self.assertEqual(r["sizes"], s.report["sizes"])
            self.assertNotIn("seconds", r)
            self.assertIn("ratio", str(r))

    def test_report_can_be_pickled_and_copied(self):
        r = condense(testing.small_world(), 0.05, threads=1).report
        for other in (pickle.loads(pickle.dumps(r)), copy.deepcopy(r)):
            self.assertEqual((type(other), other, str(other)), (type(r), r, str(r)))

    def test_report_that_someone_else_wrote(self):
        for odd in ({"sizes": 5}, {"sizes": {"bytes": "x", "full_bytes": []}, "choice": 3},
                    {"sizes": {}}, {}):
            r = graphbonsai.Report(odd)
            self.assertIsInstance(str(r) + r._repr_html_(), str)

    def test_why_a_node_is_there(self):
        g = testing.small_world()
        for method in ("trees", "prototypes", "random"):
            s = condense(g, 0.05, method=method, members=True, threads=1)
            report = s.report
            roles = []
            for node in range(len(s)):
                why = s.why(node)
                roles.append(why["role"])
                self.assertEqual(why["origin"], s.origin[node])
                self.assertEqual(why["label"], None if s.y[node] < 0 else s.y[node])
                if method == "prototypes":
                    self.assertEqual((why["tree"], why["members"]), (None, len(s.members[node])))
                else:
                    self.assertEqual(why["covers"], report["why"]["covers"][node])
                    self.assertEqual(-1 if why["tree"] is None else why["tree"],
                                     report["why"]["tree"][node])
            self.assertEqual(roles.count("root"), report["sizes"]["roots"])
        self.refuses("generated: node 999999 is outside 0..%d" % (len(s) - 1), s.why, 999999)
        self.refuses("generated: is not a condensed graph: it holds no report of why its nodes are "
                     "there", g.why, 0)

    def test_nodes_are_named_by_their_origins_in_parts_and_other_orders(self):
        count = 300
        made = graphbonsai.generate(nodes=count, features=40, classes=3, threads=1)
        g = graphbonsai.Graph.from_arrays(
            edge_index=made.edge_index, x=made.x, y=made.y, train_mask=made.train_mask,
            val_mask=made.val_mask, node_names=["n%d" % i for i in range(count)])
        for full in (g, g.reorder("random"), g.induce(range(count - 1, 20, -1))):
            for method in ("prototypes", "trees"):
                small = condense(full, 0.1, method=method, threads=1)
                for whole in (full, None):
                    told = graphbonsai.explain(small, 0, whole, threads=1)
                    wanted = "n%d" % told["origin"]
                    shown = dict(reversed(told.rows))       # the first of each name
                    kind = "nearest node" if method == "prototypes" else "node of the full graph"
                    if whole is not None or method == "trees":
                        self.assertEqual(shown[kind], wanted)
                    if whole is not None and method == "prototypes":
                        self.assertIn(wanted, told["node_names"])

    def test_a_node_is_explained(self):
        g = testing.small_world()
        s = condense(g, 0.05, method="prototypes", members=True, threads=1)
        for node in range(len(s)):
            told = graphbonsai.explain(s, node)
            self.assertEqual({k: told[k] for k in s.why(node)}, s.why(node))
            order = np.argsort(-s.y_soft[node], kind="stable")
            self.assertEqual(list(told["soft_label"]),
                             [int(c) for c in order if s.y_soft[node, c] > 0][:10])
            self.assertEqual(told["nodes"], s.members[node][:10].tolist())
            self.assertEqual(told["distances"], [None] * len(told["nodes"]))
            row = np.asarray(s.x[node].todense()).ravel() if hasattr(s.x, "todense") else s.x[node]
            self.assertEqual(told["features_set"], np.count_nonzero(row))
            self.assertEqual(told["values"], row[told["features"]].tolist())
            self.assertNotIn(0, told["values"])
            beside = graphbonsai.explain(s, node, g, threads=1)
            nodes, distances = graphbonsai.nearest(s, node, g, threads=1)
            self.assertEqual(beside["nodes"], nodes.tolist())
            self.assertEqual(beside["distances"], distances.tolist())
            x = np.asarray(g.x.todense()) if hasattr(g.x, "todense") else g.x
            mean, spread = x.astype(np.float64).mean(0), x.astype(np.float64).std(0)
            strength = np.where(row != 0, np.abs(row - mean), 0) / np.maximum(spread, spread.mean())
            self.assertEqual(beside["features"],
                             np.argsort(-strength, kind="stable")[:len(beside["features"])].tolist())
            for feature, value, above in zip(beside["features"], beside["values"],
                                             beside["above_mean"]):
                self.assertAlmostEqual(above, value - mean[feature], places=6)
        self.refuses("generated: node -1 is outside 0..%d" % (len(s) - 1), graphbonsai.explain, s,
                     -1)
        other = testing.small_world(nodes=500)
        self.refuses("generated has 500 nodes, and generated was made of a graph with %d: it is not "
                     "the graph that was condensed" % len(g), graphbonsai.explain, s, 0, other)

    def test_members_are_said_to_cost_accuracy(self):
        g = testing.small_world()
        with self.assertWarnsRegex(UserWarning, "members=True costs accuracy: prototypes that") as w:
            condense(g, 0.05, members=True, threads=1)
        self.assertEqual(w.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            condense(g, 0.05, method="degree", members=True, threads=1)
            condense(g, 0.05, threads=1)

    def test_an_explanation_names_classes(self):
        g = graphbonsai.Graph.from_arrays(
            edge_index=np.array([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]]), x=np.eye(6, dtype=np.float32),
            y=["cat", "dog"] * 3, train_mask=np.ones(6, bool))
        s = condense(g, nodes=2, method="prototypes", split=(100, 0, 0), threads=1)
        self.assertLessEqual(set(graphbonsai.explain(s, 0)["soft_label"]), {"cat", "dog"})
        picked = condense(g, nodes=2, method="random", split=(100, 0, 0), threads=1)
        told = graphbonsai.explain(picked, 0, g)
        self.assertEqual((told["soft_label"], told["nodes"], told["node_names"]), ({}, [], None))
        self.assertEqual(graphbonsai.train(g, split=(50, 0, 50), epochs=2, seeds=1,
                                           threads=1).classes["name"].tolist(), ["cat", "dog"])

    def test_an_explanation_prints_as_a_table_with_names(self):
        names = ["ann", "bob", "eve", "joe", "kim", "lea"]
        g = graphbonsai.Graph.from_arrays(
            edge_index=np.array([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]]), x=np.eye(6, dtype=np.float32),
            y=["cat", "dog"] * 3, train_mask=np.ones(6, bool), node_names=names)
        s = condense(g, nodes=2, method="prototypes", split=(100, 0, 0), threads=1)
        told = graphbonsai.explain(s, 0, g)
        self.assertEqual(told["node_names"], [names[i] for i in told["nodes"]])
        lines = dict(line.split("  ", 1) for line in reversed(str(told).splitlines()))
        self.assertEqual(lines["role"].strip(), "prototype")
        self.assertIn(lines["nearest node"].strip(), names)
        self.assertIn(lines["label"].strip(), ("cat", "dog"))
        self.assertIn("%s (at " % told["node_names"][0], lines["nearest"])
        self.assertEqual(lines["members"].strip(),
                         "not stored: the nearest training nodes of its class are shown")
        known = condense(g, nodes=2, method="prototypes", split=(100, 0, 0), members=True, threads=1)
        self.assertRegex(str(graphbonsai.explain(known, 0, g)), r"(?s)members +\d.*\nstands for")
        self.assertRegex(lines["features"], r"from the mean, [-+][0-9.]+ standard deviations\)$")
        self.assertIn("<td", told._repr_html_())
        self.assertNotIn("stands for", str(graphbonsai.explain(s, 0)))
        picked = condense(g, nodes=2, method="random", split=(100, 0, 0), threads=1)
        self.assertRegex(str(graphbonsai.explain(picked, 0)),
                         r"node of the full graph +%s\n" % picked.node_names[0])

    def test_the_second_node_of_a_pair_says_what_it_belongs_to(self):
        g = graphbonsai.generate(nodes=300, features=20, classes=2)
        plain = condense(g, nodes=4, method="prototypes", hard_labels=True, members=True, threads=1)
        n = len(plain)
        x = np.asarray(plain.x.todense()) if hasattr(plain.x, "todense") else plain.x
        ends = [[i, i + n] for i in range(n)] + [[i + n, i + n] for i in range(n)]
        report = {**plain.report, "sizes": {**plain.report["sizes"], "nodes": 2 * n,
                                            "labelled": n}}
        s = graphbonsai.Graph.from_arrays(
            edge_index=np.array(ends).T, x=np.concatenate([x, x]), y=[*plain.y, *[-1] * n],
            role=[3] * 2 * n, node_weight=[*plain.node_weight, *[0] * n], report=report,
            keep_self_loops=True)
        first, second = graphbonsai.explain(s, 0), graphbonsai.explain(s, n)
        self.assertEqual((first["partner"], second["partner"]), (n, 0))
        self.assertIsNone(graphbonsai.explain(plain, 0)["partner"])
        self.assertNotIn("second", str(graphbonsai.explain(plain, 0)))
        self.assertRegex(str(first), r"\nits second node +%d, without a label" % n)
        self.assertRegex(str(second), r"\nsecond node of +0, a prototype")
        self.assertRegex(str(second), r"\nstands for +no nodes of the full graph")
        self.assertNotRegex(str(second), r"\n(weight|nearest node|members) ")
        said = "%d, with %d second nodes, which have no label and stand for no nodes" % (n, n)
        self.assertRegex(str(s.report), r"\nprototypes +" + said)
        self.assertIn(said, s.report._repr_html_())
        self.assertNotIn("second nodes", str(plain.report) + plain.report._repr_html_())

    def test_classes_of_one_name_keep_their_shares(self):
        g = graphbonsai.Graph.from_arrays(
            edge_index=np.array([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]]), x=np.ones((6, 2), np.float32),
            y=np.array([0, 1] * 3), class_names=["same", "same"], train_mask=np.ones(6, bool))
        s = condense(g, nodes=2, method="prototypes", split=(100, 0, 0), threads=1)
        told = graphbonsai.explain(s, 0)["soft_label"]
        self.assertEqual(set(told), {0, 1})
        self.assertAlmostEqual(sum(told.values()), 1, places=2)

    def test_trees_that_are_kept_whole(self):
        g = testing.small_world()
        cut = condense(g, 0.2, method="trees", threads=1)
        kept = condense(g, 0.2, method="trees", keep_trees=True, threads=1)
        whole = [s.report["cover"]["whole_trees"] for s in (cut, kept)]
        self.assertGreater(whole[1], whole[0])
        self.assertLessEqual(whole[1], kept.report["sizes"]["roots"])
        self.assertTrue(kept.report["options"]["keep_trees"])
        self.assertIn("trees kept whole  %d" % whole[1], str(kept.report))
        made = condense(g, 0.2, method="prototypes", threads=1)
        self.assertNotIn("kept whole", str(made.report))

    @testing.lab
    def test_nodes_that_were_learned(self):
        g = testing.small_world()
        s = condense(g, nodes=8, method="gc-sntk", effort=0.02, threads=1)
        self.assertEqual((len(s), s.origin), (8, None))
        self.assertEqual(s.role.tolist(), [4] * 8)
        self.assertEqual((s.why(3)["role"], s.why(3)["origin"]), ("learned", None))
        card = s.report["learned"]
        self.assertEqual((card["nodes"], card["end"]), (8, "done"))
        self.assertEqual(card["made"], card["rounds"])
        self.assertIn("rounds", str(s.report))
        self.assertNotIn("coverage", str(s.report))
        late = condense(g, nodes=8, method="gc-sntk", time_limit=1e-9, threads=1)
        self.assertEqual(late.report["learned"]["end"], "time")
        self.refuses("effort is 0; it must be in 0.0001..100", condense, g, nodes=8,
                     method="gc-sntk", effort=0)

    def test_a_report_says_the_same_after_a_walk_through_arrays(self):
        s = condense(testing.small_world(), 0.05, method="trees", threads=1)
        other = Graph.from_arrays(edge_index=s.edge_index, x=s.x, y=s.y, origin=s.origin,
                                  role=s.role, report=s.report)
        self.assertEqual(other.report["sizes"], s.report["sizes"])
        self.assertEqual(str(other.report), "\n".join(
            line for line in str(s.report).splitlines() if not line.startswith("seconds")))
        self.assertNotIn("memory", other.report)        # that was of the run

    def test_text_in_a_page_is_escaped(self):
        g = testing.triangle(class_names=["<b>", "&"])
        self.assertIn("&lt;b&gt;", g.info()._repr_html_())
        self.assertNotIn("<b>", g.info()._repr_html_())

    def test_pages_are_what_the_library_draws(self):
        g = testing.small_world()
        small = condense(g, nodes=12, method="trees", threads=1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.html")
            page = graphbonsai.report(small, g, path, title="<tag>", small_name="s.bonsai", threads=1)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), page)
            small.save(os.path.join(folder, "s.bonsai"))
            of_file = graphbonsai.report(os.path.join(folder, "s.bonsai"), g, title="x", threads=1)
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertIn("&lt;tag&gt;", page)
        self.assertNotIn("<tag>", page)
        self.assertIn("Time and memory", page)
        self.assertNotIn("Time and memory", of_file)        # a file does not know them
        self.assertEqual(page._repr_html_(), page)
        self.refuses("title must be a text, not 3", graphbonsai.report, small, title=3,
                     kind=graphbonsai.OptionError)
        self.refuses("small must be a Graph, a path, a torch_geometric Data, a DGLGraph, an OGB "
                     "dataset, a networkx.Graph or an igraph.Graph, not NoneType",
                     graphbonsai.report, None)
        other = graphbonsai.generate(nodes=50, features=30, classes=2, threads=1)
        with self.assertRaises(graphbonsai.ArgumentError):
            graphbonsai.report(small, other, threads=1)

    def test_pages_open_with_a_verdict(self):
        g = testing.small_world()
        small = condense(g, nodes=12, threads=1)
        often = dict(epochs=3, seeds=1, threads=1)
        self.refuses("model must be a text, one of gcn, gat, gin, sage, not 3", graphbonsai.report,
                     small, g, model=3)
        page = graphbonsai.report(small, g, model=["sage", "gcn"], **often)
        self.assertIn("Trained on this small graph, a GraphSAGE gets <strong>", page)
        alone = graphbonsai.evaluate(small, g, model="sage", **often)
        self.assertIn("<strong>%.1f&nbsp;%%</strong> of the test nodes right; trained on the full "
                      "graph, <strong>" % alone.mean, page)
        self.assertIn("GCN, small", page)
        self.assertNotIn("Trained on this small graph", graphbonsai.report(small, g, threads=1))
        self.refuses("model='gcn' needs the full graph to judge on", graphbonsai.report, small,
                     model="gcn")
        self.refuses('there is no model "gcm"; did you mean "gcn"?', graphbonsai.report, small, g,
                     model="gcm")

    def test_pages_name_features(self):
        g = testing.small_world()
        small = condense(g, nodes=12, threads=1)
        names = ["<w%d>" % j for j in range(g.num_features)]
        for given in (names, "\n".join(names)):
            self.assertIn("&lt;w", graphbonsai.report(small, g, feature_names=given, threads=1))
        self.assertNotIn(">0\u00a0B<", graphbonsai.report(small, threads=1))
        self.refuses("there are 2 names of features, but generated has 60 features",
                     graphbonsai.report, small, g, feature_names=["a", "b"])
        self.refuses("feature_names[1] is not one line: 'b\\nc'", graphbonsai.report, small, g,
                     feature_names=["a", "b\nc"])

    def test_info_counts(self):
        g = testing.triangle()
        i = g.info(linear=False)
        self.assertEqual((i["nodes"], i["edges"], i["train"], i["test"], i["class_counts"]),
                         (3, 6, 2, 1, [2, 1]))
        self.assertEqual(i["degree"]["mean"], 2)
        self.assertIn("class 0", str(i))
        world = testing.small_world()
        self.assertGreater(graphbonsai.info(world, linear=True)["linear"]["features_only"], 40)
        self.assertEqual(i["bytes"], g.nbytes)
        self.assertNotEqual(g.paper_nbytes, g.nbytes)


class Training(testing.Case):
    def setUp(self):
        self.g = testing.small_world()

    def test_runs_and_curves(self):
        t = graphbonsai.train(self.g, epochs=20, every=5, seeds=3, seed=7, threads=1)
        self.assertEqual(t.runs["seed"].tolist(), [7, 8, 9])
        self.assertEqual(t.epochs["epoch"].tolist(), [*range(1, 21)] * 3)
        self.assertEqual(int((t.epochs["accuracy_val"] >= 0).sum()), 12)     # judged
        self.assertAlmostEqual(t.mean, t.runs["accuracy"].mean())
        self.assertAlmostEqual(t.std, t.runs["accuracy"].std(ddof=1))
        self.assertEqual(t.info["model"], "gcn")
        self.assertIn("gcn", str(t))
        self.assertIn("</table>", t._repr_html_())

    def test_metrics(self):
        g = graphbonsai.generate(nodes=300, features=40, classes=2, words=6, imbalance=1,
                                 difficulty=0.8, seed=3)
        t = graphbonsai.train(g, metric="auc", epochs=30, every=2, seeds=3, threads=1)
        self.assertEqual(t.info["metric"], "auc")
        self.assertAlmostEqual(t.mean, t.runs["auc"].mean())
        self.assertAlmostEqual(t.info["f1_std"], t.runs["f1"].std(ddof=1))
        self.assertIn("auc", str(t))
        for r, run in enumerate(t.runs):
            judged = t.epochs[(t.epochs["run"] == r) & (t.epochs["auc_val"] >= 0)]
            best = judged[judged["auc_val"].argmax()]
            self.assertEqual(best["epoch"], run["best_epoch"])
            self.assertEqual(best["balanced_test"], run["balanced"])
        self.assertAlmostEqual(t.classes["recall_mean"].mean(), t.info["balanced_mean"])
        self.assertEqual(t.classes["test"].sum(), t.info["test"])

    def test_a_model_is_judged_as_its_predictions_are(self):
        g = graphbonsai.generate(nodes=300, features=40, classes=2, words=6, imbalance=1,
                                 difficulty=0.8, seed=3)
        model = graphbonsai.train(g, epochs=30, seeds=1, threads=1).model
        classes, shares = model.predict(g, probabilities=True, threads=1)
        for part, mask in (("test", g.test_mask), ("val", g.val_mask)):
            found = model.evaluate(g, part, threads=1)
            y, p, s = g.y[mask], classes[mask], shares[mask, 1]
            recall = [100 * (p[y == k] == k).mean() for k in (0, 1)]
            f1 = [200 * ((p == k) & (y == k)).sum() / ((p == k).sum() + (y == k).sum())
                  for k in (0, 1)]
            pairs = s[y == 1][:, None] - s[y == 0][None]
            self.assertEqual(found["nodes"], mask.sum())
            self.assertEqual(found["right"], (y == p).sum())
            self.assertAlmostEqual(found["accuracy"], 100 * (y == p).mean())
            self.assertAlmostEqual(found["balanced"], np.mean(recall))
            self.assertAlmostEqual(found["f1"], np.mean(f1))
            self.assertAlmostEqual(found["auc"], 50 * ((pairs > 0).mean() + (pairs >= 0).mean()),
                                   places=2)
            np.testing.assert_allclose(found["recall"], recall)
        self.refuses('there is no part "tset"; did you mean "test"?', model.evaluate, g, "tset")
        for same in ("validation", "valid"):
            self.assertEqual(model.evaluate(g, same, threads=1)["right"],
                             model.evaluate(g, "val", threads=1)["right"])

    def test_a_model_is_judged_on_a_graph_without_a_split(self):
        g = self.g
        model = graphbonsai.train(g, epochs=10, seeds=1, threads=1).model
        y = np.where(np.arange(len(g)) % 5, g.y, -1)
        bare = graphbonsai.Graph.from_arrays(edge_index=g.edge_index, x=g.x, y=y, num_classes=3)
        right = (model.predict(bare, threads=1) == y)[y >= 0]
        with self.assertWarnsRegex(graphbonsai.SplitWarning, 'part="all" says') as caught:
            found = model.evaluate(bare, threads=1)
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            same = model.evaluate(bare, "all", threads=1)
            every = model.evaluate(g, "all", threads=1)
        for one in (found, same):
            self.assertEqual((one["nodes"], one["right"]), (right.size, right.sum()))
        self.assertEqual((every["nodes"], every["accuracy"]), (
            int((g.y >= 0).sum()), 100 * (model.predict(g, threads=1) == g.y).mean()))
        self.refuses('the graph has no split, so no part "val"; part="all" judges every labelled '
                     "node", model.evaluate, bare, "val")

    def test_a_model_is_judged_on_the_split_that_it_was_trained_with(self):
        g = graphbonsai.Graph.from_arrays(edge_index=self.g.edge_index, x=self.g.x, y=self.g.y)
        trained = graphbonsai.train(g, split=(50, 20, 30), epochs=10, seeds=1, threads=1)
        with self.assertWarnsRegex(graphbonsai.SplitWarning, "50/20/30 was drawn with the seed 1"):
            found = trained.model.evaluate(g, threads=1)
        self.assertEqual((found["nodes"], found["accuracy"]), (trained.info["test"], trained.mean))
        turned = graphbonsai.Graph.from_arrays(edge_index=self.g.edge_index, x=self.g.x,
                                               y=np.roll(self.g.y, 1))
        with self.assertWarnsRegex(graphbonsai.SplitWarning, "every labelled node is judged"):
            self.assertEqual(trained.model.evaluate(turned, threads=1)["nodes"], len(turned))

    def test_models_predict_after_all_else_is_gone(self):
        for kind in ("gcn", "gat", "gin", "sage"):
            model = graphbonsai.train(self.g, model=kind, epochs=15, seeds=1, threads=1).model
            classes, shares = model.predict(self.g, probabilities=True, threads=1)
            self.assertEqual(shares.shape, (400, 3))
            self.assertTrue((shares.argmax(1) == classes).all())
            right = (classes == self.g.y)[self.g.test_mask].mean() * 100
            self.assertAlmostEqual(right, model.info["accuracy"], places=4)

    def test_models_are_saved_and_loaded(self):
        model = graphbonsai.train(self.g, epochs=5, seeds=1, threads=1).model
        with tempfile.TemporaryDirectory() as folder:
            model.save(os.path.join(folder, "m.bonsai"))
            model.save(os.path.join(folder, "m.npz"))
            again = graphbonsai.Model.load(os.path.join(folder, "m.bonsai"))
            archive = graphbonsai.Model.load(os.path.join(folder, "m.npz"))
            with np.load(os.path.join(folder, "m.npz")) as arrays:
                self.assertIn("convs.0.lin.weight", arrays.files)
        self.assertTrue((again.predict(self.g) == model.predict(self.g)).all())
        self.assertTrue((archive.predict(self.g) == model.predict(self.g)).all())
        self.assertEqual(archive.info, model.info)
        self.assertEqual(again.info["parameters"], model.info["parameters"])
        again.close()
        again.close()
        self.refuses("the model is closed", again.predict, self.g)

    def test_weights_that_numpy_wrote_are_a_model(self):
        for kind, hidden in (("gcn", 6), ("gat", 8), ("gin", 6), ("sage", 6)):
            model = graphbonsai.train(self.g, model=kind, epochs=3, seeds=1, hidden=hidden,
                                      threads=1).model
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "m.npz")
                model.save(path)
                with np.load(path) as arrays:
                    weights = {k: v for k, v in arrays.items() if "." in k}
                for change in (lambda a: a.astype(np.float64), np.asfortranarray,
                               lambda a: a.astype(">f4")):
                    np.savez_compressed(path, **{k: change(v) for k, v in weights.items()})
                    got = graphbonsai.Model.load(path)
                    self.assertEqual(got.info["model"], kind)
                    self.assertTrue((got.predict(self.g, threads=1) ==
                                     model.predict(self.g, threads=1)).all())
                np.savez(path, **{k: v for k, v in weights.items() if "1" not in k}, other=3)
                self.assertEqual(graphbonsai.Model.load(path).info["layers"], 1)
                np.savez(path, **weights, **{"norms.0.weight": np.ones(4)})
                self.refuses('%s: the array "norms.0.weight" belongs to no %s of 2 layers that '
                             "this library knows" % (path, kind),
                             graphbonsai.Model.load, path, kind=graphbonsai.FormatError)
                name = next(iter(weights))
                np.savez(path, **{**weights, name: np.array([object()])})
                self.refuses("%s:%s: holds Python objects, which are never read" % (path, name),
                             graphbonsai.Model.load, path, kind=graphbonsai.FormatError)

    def test_evaluating_a_small_graph(self):
        s = condense(self.g, 0.1, threads=1)
        t = graphbonsai.evaluate(s, self.g, epochs=30, seeds=2, threads=1)
        self.assertGreater(t.mean, 50)
        self.assertEqual(t.info["test"], int(self.g.test_mask.sum()))

    def test_the_full_graph_is_trained_on_beside_the_small_one(self):
        how = dict(epochs=20, seeds=2, threads=1)
        s = condense(self.g, 0.1, threads=1)
        alone = graphbonsai.evaluate(s, self.g, **how)
        both = graphbonsai.evaluate(s, self.g, beside=True, **how)
        self.assertIsNone(alone.full)
        self.assertIsNone(alone.kept)
        self.assertEqual(both.mean, alone.mean)
        self.assertEqual(both.full.mean, graphbonsai.train(self.g, **how).mean)
        self.assertEqual(both.kept, 100 * both.mean / both.full.mean)
        self.assertIn("full=%.2f" % both.full.mean, repr(both))
        self.assertNotIn("full", repr(alone) + str(alone))
        self.assertIn("trained on the full graph %.2f" % both.full.mean, str(both))
        self.assertEqual(pickle.loads(pickle.dumps(both)).full.mean, both.full.mean)

    def test_a_class_that_is_lost_is_named(self):
        g = self.g
        names = ["red", "green", "blue"]
        full = graphbonsai.Graph.from_arrays(
            edge_index=g.edge_index, x=g.x, y=g.y, class_names=names, train_mask=g.train_mask,
            val_mask=g.val_mask, test_mask=g.test_mask)
        how = dict(epochs=30, seeds=1, threads=1, beside=True)
        small = full.induce(np.flatnonzero(g.train_mask))
        self.assertNotIn("classes fare", str(graphbonsai.evaluate(small, full, **how)))
        small = full.induce(np.flatnonzero(g.train_mask & (g.y != 2)))
        made = graphbonsai.evaluate(small, full, **how)
        self.assertIn("\nclasses fare unequally: of blue it finds 0.0 %%, the full graph %.1f %%\n"
                      % made.full.classes["recall_mean"][2], str(made))
        self.assertIn("<p>classes fare unequally: of blue it finds 0.0 %", made._repr_html_())
        self.assertRegex(str(made), r"\nrecall of class +test nodes +small % +full %\nred +\d")
        self.assertRegex(str(made), r"\nblue +%d +0\.00 +%.2f$" % (
            made.classes["test"][2], made.full.classes["recall_mean"][2]))
        self.assertIn(">recall of class</th>", made._repr_html_())
        self.assertNotIn("recall of class", str(graphbonsai.evaluate(small, full, epochs=2, seeds=1,
                                                                     threads=1)))

    def test_beside_follows_the_split_that_was_condensed_with(self):
        bare = graphbonsai.Graph.from_arrays(edge_index=self.g.edge_index, x=self.g.x, y=self.g.y)
        how = dict(epochs=5, seeds=1, threads=1)
        small = condense(bare, 0.1, split=(50, 25, 25), seed=7, threads=1)
        both = graphbonsai.evaluate(small, bare, beside=True, **how)
        self.assertEqual(both.full.info["test"], both.info["test"])
        self.assertEqual(both.full.mean,
                         graphbonsai.train(bare.split((50, 25, 25), seed=7), **how).mean)

    def test_a_report_says_what_the_small_graph_is_worth(self):
        report = condense(self.g, 0.1, threads=1).report
        self.assertEqual(report["ratio"], report.ratio)
        self.assertRaises(KeyError, lambda: report["rations"])
        self.assertRegex(report.worth, r"gets [0-9.]+ % of \d+ validation nodes right")
        self.assertIn("the small graph keeps %.1f %% of that" % report.kept, report.worth)
        self.assertIn(report.worth, str(report))
        self.assertRegex(report.why, r"the probe scores [0-9.]+ % \(\d+ validation nodes\)")
        self.assertIn("probe of the full graph, %", str(report))
        other = condense(self.g, 0.1, method="degree", threads=1).report
        self.assertEqual((other.worth, other.kept), ("", None))
        self.assertNotIn("worth", str(other))

    def test_a_split_that_nobody_asked_for_is_told(self):
        index = self.g.edge_index
        bare = graphbonsai.Graph.from_arrays(edge_index=index, x=self.g.x, y=self.g.y)
        fast = dict(epochs=2, seeds=1, threads=1)
        calls = (lambda **o: condense(bare, 0.1, threads=1, **o),
                 lambda **o: graphbonsai.train(bare, **fast, **o),
                 lambda **o: graphbonsai.compare(bare, ["random"], [0.1], **fast, **o))
        for call in calls:
            with self.assertWarnsRegex(graphbonsai.SplitWarning, "has no split: 60 %") as caught:
                call()
            self.assertEqual(caught.filename, __file__)
            self.refuses("graph: has no split of its own; a split such as 60/20/20 draws one",
                         call, split="own")
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                call(split=(60, 20, 20))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            small = condense(bare, 0.1, split="random", threads=1)
            graphbonsai.evaluate(small, bare, **fast)       # judged on what condensing drew
            found = graphbonsai.compare(bare, ["random"], [0.1], splits=2, **fast)
        self.assertEqual(found.split, "60/20/20, seed 1")

    def test_scales_that_are_far_apart_are_told(self):
        x = np.random.default_rng(1).normal(size=(self.g.num_nodes, 3)).astype(np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            graph = graphbonsai.Graph.from_arrays(edge_index=self.g.edge_index, x=x, y=self.g.y)
            condense(graph, 0.1, split="random", threads=1)
        x[:, 1] *= 50
        graph = graphbonsai.Graph.from_arrays(edge_index=self.g.edge_index, x=x, y=self.g.y)
        fast = dict(epochs=2, seeds=1, split="random", threads=1)
        for call in (lambda: condense(graph, 0.1, split="random", threads=1),
                     lambda: graphbonsai.compare(graph, ["random"], [0.2], **fast),
                     lambda: graphbonsai.train(graph, **fast)):
            with self.assertWarnsRegex(graphbonsai.ScaleWarning, "normalise") as caught:
                call()
            self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            graphbonsai.train(graph, standardise="train", **fast)

    def test_columns_are_scaled_once_and_everything_after_knows(self):
        x = np.random.default_rng(1).normal(size=(self.g.num_nodes, 3)).astype(np.float32)
        x[:, 1] = 5000 * x[:, 1] + 30000
        raw = graphbonsai.Graph.from_arrays(edge_index=self.g.edge_index, x=x, y=self.g.y)
        raw = raw.split((60, 20, 20))
        scaled = raw.normalise("columns")
        np.testing.assert_allclose(scaled.x.mean(0), 0, atol=1e-5)
        np.testing.assert_allclose(scaled.x.std(0), 1, atol=1e-5)
        np.testing.assert_allclose(scaled.x * scaled.feature_spread + scaled.feature_mean, x,
                                   rtol=1e-5, atol=1e-2)
        self.assertIsNone(raw.feature_mean)
        self.refuses("graph: its columns of features are scaled already, by the mean and spread that "
                     "it records", scaled.normalise, "columns")
        with warnings.catch_warnings():
            warnings.simplefilter("error", graphbonsai.ScaleWarning)
            small = condense(scaled, 0.1, members=True, method="prototypes", threads=1)
            self.assertTrue((small.feature_spread == scaled.feature_spread).all())
            made = [graphbonsai.evaluate(small, g, epochs=3, seeds=1, threads=1)
                    for g in (scaled, raw)]
            self.assertEqual(made[0].mean, made[1].mean)
            self.assertTrue((made[0].model.predict(scaled) == made[1].model.predict(raw)).all())
            graphbonsai.report(small, raw)
            why = graphbonsai.explain(small, 0, full=raw)
            told = dict(zip(why["features"], zip(why["values"], why["above_mean"])))
            value = float(small.x[0, 1]) * small.feature_spread[1] + small.feature_mean[1]
            np.testing.assert_allclose(told[1], (value, value - x[:, 1].mean()), rtol=1e-3)
            self.assertTrue((graphbonsai.update(raw, raw, small).x == small.x).all())
        by_hand = graphbonsai.Graph.from_arrays(edge_index=raw.edge_index, x=scaled.x, y=raw.y)
        with self.assertWarnsRegex(graphbonsai.ScaleWarning, "column 1 of x has mean .* deviation 1, "
                                   "but had 3e.04 and 4"):
            made[0].model.predict(by_hand)
        other = raw.induce(range(40)).normalise("columns")
        with self.assertRaisesRegex(graphbonsai.Error, "not by the same mean and spread"):
            made[0].model.predict(other)
        again = raw.induce(range(len(raw)))
        moved = graphbonsai.Graph.from_arrays(edge_index=raw.edge_index, x=x + 1, y=raw.y, split=[
            np.flatnonzero(mask) for mask in (raw.train_mask, raw.val_mask, raw.test_mask)])
        with self.assertRaisesRegex(graphbonsai.Error, "not by the same mean and spread: give the"):
            graphbonsai.update(moved.normalise("columns"), again, small)

    def test_comparing(self):
        seen = []
        found = graphbonsai.compare(self.g, ["random", "trees"], [0.05, 0.1], ["gcn", "sage"],
                                    epochs=5, seeds=1, threads=1, train={"layers": 1},
                                    cell=lambda cell: seen.append((cell["method"], cell["ratio"])))
        self.assertEqual(len(found), 2 * (1 + 2 * 2))
        self.assertEqual(seen.count(("trees", 0.05)), 2)
        self.assertEqual(len(str(found).splitlines()), 12)
        self.assertEqual(found.split, "own")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.csv")
            found.to_csv(path)
            with open(path, newline="") as file:
                rows = list(csv.DictReader(file))
        self.assertEqual([r["method"] for r in rows], [cell["method"] for cell in found])
        pickle.loads(pickle.dumps(found))

    def test_comparing_several_splits_and_draws(self):
        seen = []
        found = graphbonsai.compare(self.g, ["random", "trees"], [0.1], epochs=3, seeds=2,
                                    threads=2, splits=2, draws=2, side_by_side=True,
                                    cell=seen.append)
        self.assertEqual([cell["runs"] for cell in found], [4, 8, 8])
        self.assertEqual([(cell["unit"], cell["units"]) for cell in found], [("split", 2)] * 3)
        self.assertEqual(sorted((c["split"], c["draw"]) for c in seen if c["method"] == "random"),
                         [(0, 0), (0, 1), (1, 0), (1, 1)])
        for cell in found:
            means = [sum(v["accuracies"]) / 2 for v in cell["values"]]
            halves = [means[:len(means) // 2], means[len(means) // 2:]]
            by_split = [sum(half) / len(half) for half in halves]
            self.assertAlmostEqual(cell["accuracy_mean"], sum(by_split) / 2)
            self.assertAlmostEqual(cell["accuracy_error"], abs(by_split[0] - by_split[1]) / 2)
        pair = found[1]["against"][0]
        self.assertEqual((pair["method"], pair["pairs"]), ("trees", 4))
        self.assertAlmostEqual(pair["difference"],
                               found[1]["accuracy_mean"] - found[2]["accuracy_mean"])
        self.assertEqual(found[0]["against"], [])

    def test_comparing_by_another_metric(self):
        found = graphbonsai.compare(self.g, ["random", "degree"], [0.1], epochs=5, seeds=2,
                                    threads=1, metric="balanced")
        for cell in found:
            self.assertEqual(cell["metric"], "balanced")
            self.assertEqual(cell["auc_mean"], -1)
            self.assertAlmostEqual(np.mean(cell["values"][0]["recall"]), cell["balanced_mean"])
            self.assertIn("%.2f" % cell["balanced_mean"], str(found))
        self.assertIn("balanced %", str(found))
        a, b = found[1], found[2]
        self.assertAlmostEqual(a["against"][0]["difference"],
                               a["balanced_mean"] - b["balanced_mean"])

    def test_cells_that_cannot_be_made_say_why(self):
        found = graphbonsai.compare(self.g, ["random"], [1e-6], epochs=2, seeds=1, threads=1)
        self.assertEqual(found[1]["runs"], 0)
        self.assertIn(found[1]["why"], str(found))
        self.assertGreater(len(found[1]["why"]), 10)


class Program(testing.Case):
    def test_module_runs_the_program(self):
        folder = os.path.dirname(os.environ.get("GRAPHBONSAI_LIBRARY", ""))
        if not os.path.exists(os.path.join(folder, "bonsai")):
            raise unittest.SkipTest("the program is not there")
        environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]}
        done = subprocess.run([sys.executable, "-m", "graphbonsai", "version"], env=environment,
                              stdout=subprocess.PIPE, universal_newlines=True, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn(graphbonsai.__version__, done.stdout)


class Reading(testing.Case):
    def test_options_of_reading_go_to_what_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/edges.csv", "w") as file:
                file.write("0,0\n0,1\n1,2\n2,3\n")
            with open(folder + "/features.csv", "w") as file:
                file.write("1,0\n0,1\n1,1\n0,2\n")
            with open(folder + "/labels.csv", "w") as file:
                file.write("0\n1\n0\n1\n")
            for keep, edges in ((0, 6), (1, 7)):
                small = graphbonsai.condense(folder, 1.0, method="random", split=(50, 25, 25),
                                             keep_self_loops=keep, threads=1)
                self.assertEqual(small.report["sizes"]["full_edges"], edges)
        self.refuses("keep_self_loops is for making a graph, and this one is made: give it to "
                     "Graph.from_arrays or Graph.load", graphbonsai.condense,
                     testing.small_world(), 0.1, keep_self_loops=True,
                     kind=graphbonsai.OptionError)


class Notes(testing.Case):
    def test_a_notebook_says_why_a_cell_is_empty(self):
        found = graphbonsai.compare(testing.small_world(), ["random"], [1e-9], epochs=1, seeds=1,
                                    threads=1)
        why = found[1]["why"]
        self.assertIn("is too small", why)
        self.assertIn(why, str(found))
        self.assertIn(why, found._repr_html_())


if __name__ == "__main__":
    testing.main()
