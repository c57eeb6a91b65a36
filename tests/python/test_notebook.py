"""What people do in a notebook: hand objects to workers, look at them, save what they say.

SPDX-License-Identifier: MIT
"""
import copy
import multiprocessing
import os
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
                    condense(g, nodes=8, method="gdem", effort=0.01, threads=1),
                    Graph.from_arrays(num_nodes=3), Graph.from_arrays(num_nodes=0)):
            for protocol in (0, 2, 5):
                other = again(one, protocol)
                other.check()
                self.assertTrue(other.equal(one))
                self.assertEqual((other.nbytes, other.report, other.class_names, other.operator),
                                 (one.nbytes, one.report, one.class_names, one.operator))

    def test_a_report_page_knows_the_run_after_a_pickle(self):
        small = condense(testing.small_world(), 0.1, threads=1)
        page = graphbonsai.report(again(small), threads=1)
        self.assertIn("Time, memory and energy", page)
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
