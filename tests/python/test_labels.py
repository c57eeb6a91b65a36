"""Labels with gaps: each number is a class, and classes of two graphs are matched by name.

SPDX-License-Identifier: MIT
"""
import copy
import os
import pickle
import tempfile
import unittest
import warnings

import numpy as np
import testing
from testing import triangle

import graphbonsai
from graphbonsai import Graph, LabelWarning

LABELS = np.array([0, 10, 20, -1])


def world(labels=LABELS, nodes=None, **more):
    """A graph whose classes have these labels; of it, some nodes."""
    g = testing.small_world(seed=3)
    if nodes is not None:
        g = g.induce(np.flatnonzero(nodes(g.y)))
    return Graph.from_arrays(**{**dict(
        csr=g.csr[:2], x=g.x, y=labels[g.y], train_mask=g.train_mask, val_mask=g.val_mask,
        test_mask=g.test_mask, relabel=True), **more})


class Gaps(testing.Case):
    def test_each_number_is_a_class(self):
        y = np.array([20, 0, 10])
        with self.assertWarnsRegex(LabelWarning, "y has the labels 0, 10, 20: they are the classes "
                                   "0 to 2, with the labels as class_names; relabel=True says that "
                                   "this is meant, relabel=False makes 21 classes") as caught:
            g = triangle(y=y)
        self.assertEqual(caught.filename, testing.__file__)
        self.assertEqual((g.y.tolist(), g.num_classes, g.class_names),
                         ([2, 0, 1], 3, ["0", "10", "20"]))
        with self.assertWarnsRegex(LabelWarning, "y has the label 1: it is class 0, with the label "):
            self.assertEqual(triangle(y=[1, -1, 1]).class_names, ["1"])
        with self.assertWarnsRegex(LabelWarning, "labels 1, 2, 3, 5, ...: they are the classes 0 to "):
            Graph.from_arrays(y=[1, 2, 3, 5, 8])

    def test_it_can_be_said_that_this_is_meant_or_not(self):
        y = np.array([20, 0, 10])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(triangle(y=y, relabel=True).class_names, ["0", "10", "20"])
            for said in (dict(relabel=False), dict(num_classes=21), dict(y_soft=np.eye(21)[y]),
                         dict(role=[3, 3, 3])):
                g = triangle(y=y, **said)
                self.assertEqual((g.y.tolist(), g.num_classes, g.class_names),
                                 ([20, 0, 10], 21, None))
            self.assertIsNone(triangle(y=[1, -1, 0]).class_names)
            self.assertEqual(triangle(y=[True, True, True], relabel=True).class_names, ["1"])

    def test_names_tell_the_class_of_a_number(self):
        g = triangle(y=[20, -1, 0], class_names=["0", "10", "20"], relabel=True)
        self.assertEqual((g.y.tolist(), g.num_classes), ([2, -1, 0], 3))
        self.refuses("y has the label 7, which is none of the class names", triangle, y=[7, 0, 0],
                     class_names=["0", "10"], relabel=True)
        self.refuses("y has the label 20 but there are 2 classes", triangle, y=[20, 0, 0],
                     class_names=["0", "10"])

    def test_what_is_made_of_a_graph_has_its_classes(self):
        g = world()
        for one in (graphbonsai.condense(g, 0.05, threads=1), g.split(), g.induce([5, 0]),
                    g.reorder("degree"), copy.copy(g), pickle.loads(pickle.dumps(g)),
                    *graphbonsai.condense(g, [0.05, 0.1], threads=1)):
            self.assertEqual((one.class_names, list(one._given)), (["0", "10", "20"], [0, 10, 20]))
        with tempfile.TemporaryDirectory() as folder:
            g.save(os.path.join(folder, "g.bonsai"))
            back = Graph.load(os.path.join(folder, "g.bonsai"))
            self.assertEqual((back.class_names, back._given), (["0", "10", "20"], [0, 10, 20]))
            for names in (["0", "20190101"], ["1", "1"], ["a", "1"]):     # too large, or no numbers
                triangle(y=[0, 1, 0], class_names=names).save(os.path.join(folder, "n.bonsai"))
                self.assertIsNone(Graph.load(os.path.join(folder, "n.bonsai"))._given)

    def test_results_are_those_of_class_numbers(self):
        gaps, plain = world(), world(np.array([0, 1, 2, -1]))
        small, other = (graphbonsai.condense(g, 0.05, threads=1) for g in (gaps, plain))
        self.assertEqual((small.x.tolist(), small.y.tolist()), (other.x.tolist(), other.y.tolist()))
        a, b = (graphbonsai.evaluate(*pair, seeds=1, epochs=20, threads=1)
                for pair in ((small, gaps), (other, plain)))
        self.assertEqual(a.mean, b.mean)
        self.assertEqual(a.classes["name"].tolist(), ["0", "10", "20"])
        self.assertEqual((a.model.class_names, b.model.class_names), (["0", "10", "20"], None))


class Matched(testing.Case):
    """The classes of two graphs whose labels lack different ones."""

    @classmethod
    def setUpClass(cls):
        cls.full = world()
        cls.few = world(nodes=lambda y: y != 1)         # 0 and 20, which is class 1 there
        cls.model = graphbonsai.train(cls.full, seeds=1, epochs=30, threads=1).model

    def by_hand(self, graph, labels):
        """The share of the test nodes whose label the model says, by labels."""
        whole = Graph.from_arrays(csr=graph.csr[:2], x=graph.x)
        said = LABELS[self.model.predict(whole, threads=1)]
        return 100 * float((said == labels)[graph.test_mask].mean())

    def test_a_model_is_judged_by_names(self):
        found = self.model.evaluate(self.few, threads=1)
        wanted = self.by_hand(self.few, LABELS[[0, 2]][self.few.y])
        self.assertAlmostEqual(found["accuracy"], wanted)
        self.assertGreater(wanted, 60)
        self.assertEqual(found["recall"].shape, (2,))
        self.assertGreater(found["recall"].min(), 0)

    def test_a_model_without_names_is_judged_by_numbers(self):
        full = world(np.array([0, 1, 2, -1]))
        model = graphbonsai.train(full, seeds=1, epochs=30, threads=1).model
        self.assertIsNone(model.class_names)
        few = world(np.array([0, 1, 2, -1]), nodes=lambda y: y != 1)
        self.assertEqual(few.class_names, ["0", "2"])
        self.assertAlmostEqual(model.evaluate(few, threads=1)["accuracy"],
                               self.model.evaluate(self.few, threads=1)["accuracy"])

    def test_a_model_with_names_is_judged_on_numbers(self):
        model = graphbonsai.train(self.few, seeds=1, epochs=30, threads=1).model
        full = world(np.array([0, 20, 10, -1]), relabel=False)     # 21 classes, without names
        self.assertIsNone(full.class_names)
        said = np.array([0, 20])[model.predict(Graph.from_arrays(csr=full.csr[:2], x=full.x),
                                               threads=1)]
        self.assertEqual(model.predict(full, threads=1).tolist(), said.tolist())
        self.refuses('graph has nodes of the class "10", which is none of the 2 classes of what it is '
                     "used with; the label -1 leaves them out", model.evaluate, full)
        known = Graph.from_arrays(csr=full.csr[:2], x=full.x, y=np.where(full.y == 10, -1, full.y),
                                  num_classes=21)
        right = (said == full.y)[full.y != 10]
        self.assertAlmostEqual(model.evaluate(known, "all", threads=1)["accuracy"],
                               100 * float(right.mean()))

    def test_a_prediction_that_would_be_compared_wrongly_is_refused(self):
        self.refuses('class 1 is "10" in the model, but "20" in the graph; make the graph with '
                     "class_names=model.class_names, and also relabel=True where from_arrays takes "
                     "numbers as labels", self.model.predict, self.few)
        same = world(nodes=lambda y: y != 1, class_names=self.model.class_names)
        self.assertEqual(sorted(set(same.y.tolist())), [0, 2])
        said = self.model.predict(same, threads=1)
        self.assertAlmostEqual(100 * float((said == same.y)[same.test_mask].mean()),
                               self.model.evaluate(self.few, threads=1)["accuracy"])

    def test_training_judges_by_names(self):
        found = graphbonsai.train(self.full, self.few, seeds=1, epochs=30, threads=1)
        self.assertEqual(found.classes["name"].tolist(), ["0", "10", "20"])
        self.assertEqual(found.classes["test"][1], 0)
        self.assertAlmostEqual(found.mean, self.model.evaluate(self.few, threads=1)["accuracy"])
        small = graphbonsai.condense(self.few, 0.05, threads=1)
        with self.assertWarnsRegex(LabelWarning, 'class ".*" of the full graph is not a class of '
                                   "the small one, .*: [0-9]+ nodes of such classes count"):
            found = graphbonsai.evaluate(small, self.full, seeds=1, epochs=30, threads=1)
        self.assertEqual(found.classes["name"].tolist(), ["0", "20", "10"])
        self.assertEqual(found.classes["recall_mean"][2], 0)        # never seen
        self.assertGreater(found.classes["recall_mean"][:2].min(), 0)

    def test_texts_are_matched_too(self):
        letters = np.array(["c", "a", "b"])
        full = world(letters, relabel=None)
        few = world(letters, nodes=lambda y: y != 1, relabel=None)
        self.assertEqual((full.class_names, few.class_names), (["a", "b", "c"], ["b", "c"]))
        model = graphbonsai.train(full, seeds=1, epochs=30, threads=1).model
        said = np.array(["a", "b", "c"])[model.predict(
            Graph.from_arrays(csr=few.csr[:2], x=few.x), threads=1)]
        right = said == np.array(["b", "c"])[few.y]
        self.assertAlmostEqual(model.evaluate(few, threads=1)["accuracy"],
                               100 * float(right[few.test_mask].mean()))

    def test_an_update_needs_the_same_classes(self):
        small = graphbonsai.condense(self.full, 0.05, method="prototypes", members=True, threads=1)
        self.refuses("now has the classes 0, 20, but was has 0, 10, 20", graphbonsai.update,
                     self.few, self.full, small)
        self.assertEqual(graphbonsai.update(self.full, self.full, small, threads=1).class_names,
                         ["0", "10", "20"])

    def test_names_that_are_the_callers_own_are_no_labels(self):
        named = world(np.array([0, 1, 2, -1]), relabel=None, class_names=["1", "2", "3"])
        plain = world(np.array([0, 1, 2, -1]))
        a, b = (graphbonsai.train(named, full, seeds=1, epochs=10, threads=1).mean
                for full in (named, plain))
        self.assertEqual(a, b)

    def test_classes_of_the_same_name_are_told_by_number(self):
        g = world(np.array([0, 1, 2, -1]), relabel=None, class_names=["a", "a", "b"])
        model = graphbonsai.train(g, seeds=1, epochs=10, threads=1).model
        self.assertEqual(model.predict(g, threads=1).shape, (400,))


if __name__ == "__main__":
    unittest.main()
