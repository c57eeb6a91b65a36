"""What people do in a notebook: hand objects to workers, look at them, save what they say.

SPDX-License-Identifier: MIT
"""
import copy
import html.parser
import json
import multiprocessing
import os
import pathlib
import pickle
import tempfile

import numpy as np

import graphbonsai
import testing
from graphbonsai import Graph, condense


def in_a_worker(graph, model):
    """What a spawned process makes of what it was given."""
    small = condense(graph, 0.05, method="trees", threads=1)
    return small, model.predict(graph, threads=1)


def again(thing, protocol=pickle.DEFAULT_PROTOCOL):
    return pickle.loads(pickle.dumps(thing, protocol))


class Pickles(testing.Case):
    def test_every_kind_of_graph_comes_back(self):
        g = testing.small_world()
        directed = Graph.from_arrays(edge_index=[[0, 1, 1], [1, 1, 2]], y=[0, 1, -1],
                                     class_names=["a", "b"], keep_directed=True,
                                     keep_self_loops=True)
        for one in (g, g.split((50, 25, 25)), g.induce([3, 1, 2]), directed,
                    testing.triangle(edge_weight=[1, 2, 3.5]),
                    testing.triangle(x=np.eye(3, dtype=np.float16)),
                    condense(g, 0.1, method="trees", select_features=True, threads=1),
                    condense(g, 0.1, method="prototypes", members=True, threads=1),
                    Graph.from_arrays(num_nodes=3), Graph.from_arrays(num_nodes=0),
                    *([condense(g, nodes=8, method="gdem", effort=0.01, threads=1)]
                      if testing.LAB else [])):
            for protocol in (0, 2, 5):
                other = again(one, protocol)
                other.check()
                self.assertTrue(other.equal(one))
                self.assertEqual((other.nbytes, other.report, other.class_names, other.operator),
                                 (one.nbytes, one.report, one.class_names, one.operator))

    def test_a_report_page_knows_the_run_after_a_pickle(self):
        small = condense(testing.small_world(), 0.1, threads=1)
        page = graphbonsai.report(again(small), threads=1)
        self.assertIn("Time and memory", page)
        self.assertEqual(page, graphbonsai.report(small, threads=1))

    def test_a_mapped_file_may_go(self):
        g = testing.small_world()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.bonsai")
            g.save(path, features="keep")
            data = pickle.dumps(Graph.load(path))
        self.assertTrue(pickle.loads(data).equal(g))

    def test_arrays_go_beside_a_pickle_of_protocol_5(self):
        g = testing.small_world(dense=True)
        buffers = []
        data = pickle.dumps(g, 5, buffer_callback=buffers.append)
        self.assertLess(len(data), 2000)
        self.assertGreaterEqual(sum(b.raw().nbytes for b in buffers), g.x.nbytes)
        self.assertTrue(pickle.loads(data, buffers=buffers).equal(g))

    def test_a_closed_graph_is_not_pickled(self):
        g = testing.triangle()
        g.close()
        self.refuses("the graph is closed", pickle.dumps, g)

    def test_training_and_its_model_come_back(self):
        g = testing.small_world()
        for kind in ("gcn", "gat", "gin", "sage"):
            one = graphbonsai.train(g, model=kind, epochs=5, seeds=2, threads=1)
            other = again(one)
            self.assertEqual((str(other), other.info), (str(one), one.info))
            self.assertEqual(other.epochs.tolist(), one.epochs.tolist())
            self.assertEqual(other.model.info, one.model.info)
            np.testing.assert_array_equal(other.model.predict(g, probabilities=True, threads=1)[1],
                                          one.model.predict(g, probabilities=True, threads=1)[1])
        one.model.close()
        self.refuses("the model is closed", pickle.dumps, one.model)

    def test_a_comparison_and_what_a_graph_holds_come_back(self):
        g = testing.small_world()
        found = graphbonsai.compare(g, ["random"], [0.1], epochs=2, seeds=1, threads=1)
        for one in (found, g.info()):
            for other in (again(one), copy.deepcopy(one)):
                self.assertEqual((type(other), list(other), str(other)),
                                 (type(one), list(one), str(one)))

    def test_a_spawned_worker_gets_and_gives_them(self):
        g = testing.small_world()
        model = graphbonsai.train(g, epochs=3, seeds=1, threads=1).model
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            small, classes = pool.apply_async(in_a_worker, (g, model)).get(timeout=120)
        self.assertTrue(small.equal(condense(g, 0.05, method="trees", threads=1)))
        self.assertGreater(small.report["seconds"]["total"], 0)
        self.assertEqual(classes.tolist(), model.predict(g, threads=1).tolist())


class Cells(html.parser.HTMLParser):
    """The texts of the cells of the tables of a page; complains about tags that do not match."""

    def __init__(self, page):
        super().__init__()
        self.open, self.rows = [], []
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


class Display(testing.Case):
    def setUp(self):
        self.small = condense(testing.small_world(), 0.05, threads=1)

    def test_a_report_is_a_card_that_fits_a_cell(self):
        report = self.small.report
        card = dict(Cells(report._repr_html_()).rows)
        self.assertEqual(list(card), ["method", "why", "ratio", "bytes", "nodes", "edges", "probe",
                                      "kept", "seconds"])
        self.assertEqual(card["kept"].split(" ")[0], "%.1f" % report.kept)
        sizes = report["sizes"]
        self.assertEqual(card["nodes"], "%d of 400" % len(self.small))
        self.assertEqual(card["edges"], "%d of 1,596" % self.small.num_edges)
        self.assertEqual(card["ratio"], "%.4g %% of the bytes" % (100 * sizes["ratio"]))
        self.assertEqual(card["method"], report.method)
        self.assertIn("the probe scores %.1f %%" % float(card["probe"].split(" ")[0]), card["why"])
        self.assertEqual(card["seconds"], "%.3g" % report["seconds"]["total"])
        self.assertIn("max-width", report._repr_html_())

    def test_a_card_does_without_what_is_not_known(self):
        for method in ("trees", "random") + ("gdem",) * testing.LAB:
            small = condense(testing.small_world(), nodes=8, method=method, effort=0.01, threads=1)
            for one in (small, Graph.from_arrays(
                    edge_index=small.edge_index, x=small.x, report=small.report, y=small.y)):
                cells = Cells(one._repr_html_()).rows
                self.assertNotIn("", [cell for row in cells for cell in row])
                self.assertNotRegex(one._repr_html_(), r"\b0 B\b|None|nan|-1")
        self.assertNotIn("seconds", dict(cells))            # a walk through arrays forgets them
        self.assertIn("why", graphbonsai.Report(self.small.report)._repr_html_())

    def test_a_graph_is_its_repr_and_that_card(self):
        small = self.small
        self.assertEqual(small._repr_html_(),
                         "<code>%r</code>%s" % (small, small.report._repr_html_()))
        self.assertLess(len(small._repr_html_()), 3000)
        full = testing.small_world()
        self.assertEqual(full._repr_html_(), "<code>%r</code>" % full)
        full.close()
        self.assertEqual(full._repr_html_(), "<code>Graph(closed)</code>")

    def test_text_is_escaped_everywhere(self):
        report = self.small.report
        report["method"] = "<script>alert(1)</script>"
        report["seconds"]["<img>"] = 1.0
        odd = graphbonsai.Report({"sizes": "<b>"})
        for page in (report._repr_html_(), report.to_html(), odd._repr_html_(), odd.to_html()):
            self.assertNotRegex(page, "<script|<img|<b>")
            Cells(page)
        self.assertIn("&lt;script&gt;", report._repr_html_())
        self.assertIn("&lt;img&gt;", report.to_html())

    def test_where_there_is_no_html_a_report_is_a_table(self):
        class Printer:
            def text(self, text):
                self.got = text
        printer = Printer()
        self.small.report._repr_pretty_(printer, False)
        self.assertEqual(printer.got, str(self.small.report))

    def test_a_report_is_saved_by_its_ending(self):
        report = self.small.report
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("r.json", report.to_json()), ("r.HTML", report.to_html()),
                               ("r.htm", report.to_html()), ("r.txt", str(report) + "\n")):
                path = pathlib.Path(folder, name)
                report.save(path)
                self.assertEqual(path.read_text(encoding="utf-8"), text)
            for write, name in ((report.to_json, "a"), (report.to_html, "b")):
                path = os.path.join(folder, name)
                text = write(path)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(file.read(), text)
            self.refuses("%s/none/r.json: cannot be written: No such file or directory" % folder,
                         report.save, folder + "/none/r.json", kind=graphbonsai.FileError)
        self.assertEqual(json.loads(report.to_json()), report)
        page = report.to_html()
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertIn(["nodes", str(len(self.small)), "400"], [row[:3] for row in Cells(page).rows])
        self.refuses("r.xml: a report is saved as .json, .html or .txt", report.save, "r.xml")
        self.refuses("report cannot be written as JSON: Object of type object is not JSON "
                     "serializable", graphbonsai.Report(a=object()).to_json)


class Habits(testing.Case):
    """Names that other packages have for our options."""

    def unknown(self, sentence, function, *arguments, **named):
        self.refuses("there is no option " + sentence, function, *arguments,
                     kind=graphbonsai.OptionError, **named)

    def test_an_option_of_another_package_is_translated(self):
        g = testing.triangle()
        self.unknown('"random_state"; seed does that', condense, g, 0.5, random_state=1)
        self.unknown('"num_nodes"; nodes does that', condense, g, num_nodes=2)
        self.unknown('"verbose"; progress does that', condense, g, 0.5, verbose=True)
        self.unknown('"n_jobs"; threads does that', graphbonsai.train, g, n_jobs=2)
        self.unknown('"lr"; rate does that', graphbonsai.train, g, lr=0.1)
        self.unknown('"budget"; ratio, max_bytes, nodes or trees does that', condense, g,
                     budget=0.1)
        self.unknown('"random_state"; seed does that', graphbonsai.compare, g,
                     train={"random_state": 3})

    def test_only_options_that_the_function_has_are_named(self):
        g = testing.triangle()
        self.unknown('"random_state"; there are features, labelled, progress, threads', g.save,
                     "x", random_state=3)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, 'no method "budget"; there are'):
            condense(g, 0.5, method="budget")


if __name__ == "__main__":
    testing.main()
