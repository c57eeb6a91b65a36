"""A rare class is kept, told of, and found with weights of classes.

SPDX-License-Identifier: MIT
"""
from testing import *

TRAIN = dict(epochs=150, seeds=1, hidden=16, threads=1)


def rare(n=1500, signal=2.5):
    """A graph whose every 50th node is of class 1, which features and edges tell."""
    r = np.random.RandomState(1)
    y = (np.arange(n) % 50 == 0).astype(np.int64)
    x = r.standard_normal((n, 12)).astype(np.float32)
    x[:, :2] += signal * y[:, None]
    source, target = np.repeat(np.arange(n), 3), r.randint(0, n, 3 * n)
    target = np.where((y[source] == 1) & (np.arange(3 * n) % 3 > 0), target - target % 50, target)
    share = r.randint(0, 5, n)
    return Graph.from_arrays(edge_index=np.stack([source, target]), x=x, y=y, train_mask=share < 3,
                             val_mask=share == 3, test_mask=share == 4)


class Rare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.full = rare()
        cls.small = graphbonsai.condense(cls.full, 0.02, threads=1)

    def test_the_default_looks_at_it_and_says_so(self):
        report = self.small.report
        self.assertIn("(mean of accuracy and balanced accuracy of ", report.worth)
        self.assertEqual(report["judge"]["metric"], "mixed")
        self.assertIn("judged by", str(report))
        self.assertLess(report.kept, 100)

    def test_another_metric_can_be_asked_for(self):
        for metric, text in (("balanced", "balanced accuracy"), ("ap", "average precision")):
            small = graphbonsai.condense(self.full, 0.02, method="prototypes", metric=metric,
                                         threads=1)
            self.assertIn("(%s of " % text, small.report.worth)
            self.assertEqual(small.report["options"]["metric"], metric)

    def test_weights_of_classes_find_it(self):
        for given in ("balanced", [1, 40]):
            found = graphbonsai.evaluate(self.small, self.full, metric="ap", class_weight=given,
                                         **TRAIN)
            self.assertGreater(found.classes["recall_mean"][1], 50)
            self.assertGreater(found.mean, 30)
            self.assertGreater(found.info["f1max_mean"], 30)
        found = graphbonsai.train(self.full, class_weight="balanced", **TRAIN)
        self.assertGreater(found.classes["recall_mean"][1], 50)

    def test_nothing_found_is_never_called_kept(self):
        small = graphbonsai.condense(rare(signal=0), 0.01, metric="accuracy", threads=1)
        self.assertIsNone(small.report.kept)
        self.assertNotIn("keeps", small.report.worth)
        self.assertIn("hardly better", small.report.worth)

    def test_a_baseline_is_in_the_metric(self):
        g = self.full
        same = Graph.from_arrays(edge_index=g.edge_index, x=np.zeros((g.num_nodes, 2), np.float32),
                                 y=g.y, train_mask=g.train_mask, val_mask=g.val_mask,
                                 test_mask=g.test_mask)
        for metric, said in (("balanced", "class 0, the largest of the test nodes, which gets 50.0 % of "
                              "balanced accuracy"),
                             ("auc", "scoring all nodes alike, which gets 50.0 % of ROC AUC")):
            found = graphbonsai.train(same, metric=metric, epochs=1, seeds=1, threads=1)
            self.assertIn(said, str(found))

    def test_small_graphs_of_a_comparison_are_for_its_metric(self):
        found = graphbonsai.compare(self.full, methods="prototypes", ratios=0.02, metric="ap",
                                    class_weight="balanced", epochs=10, seeds=1, threads=1)
        self.assertGreater(found.cells[0]["ap_mean"], 0)

    def test_what_makes_no_sense_is_refused(self):
        for given, said in (([1, 2, 3], "has 3 numbers, but"), ([-1, 2], "of class 0 is negative"),
                            ([0, 0], "of all 2 classes are 0"), ("even", 'nor "balanced"')):
            with self.assertRaisesRegex(graphbonsai.Error, said):
                graphbonsai.train(self.full, class_weight=given, **TRAIN)
        with self.assertRaisesRegex(graphbonsai.Error, "class_weight must be"):
            graphbonsai.train(self.full, class_weight=3, **TRAIN)
        with self.assertRaisesRegex(graphbonsai.Error, 'no metric "recall"'):
            graphbonsai.condense(self.full, 0.02, metric="recall")


if __name__ == "__main__":
    unittest.main()
