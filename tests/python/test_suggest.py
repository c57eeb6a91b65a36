"""suggest: the answer, its curve and its pickles.

SPDX-License-Identifier: MIT
"""
import gc
import pickle

import graphbonsai
import testing


class Suggest(testing.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.graph = testing.small_world(500, classes=4)
        cls.found = graphbonsai.suggest(cls.graph, keep=0.9, threads=1, progress=False)

    def test_the_answer_is_one_of_the_points_and_keeps_the_share(self):
        found = self.found
        chosen = [p for p in found.points if p["ratio"] == found.ratio]
        self.assertEqual(len(chosen), 1)
        self.assertTrue(found.reached)
        self.assertEqual(chosen[0]["score"], found.score)
        self.assertEqual(found.share, found.score / found.full_score)
        self.assertGreaterEqual(found.share, 0.9)
        self.assertEqual((found.keep, found.full_nodes, found.held), (0.9, 500, False))
        self.assertEqual((found.split_from, found.split), ("own", None))
        ratios = [p["ratio"] for p in found.points]
        self.assertEqual(ratios, sorted(ratios))

    def test_condensing_to_the_ratio_gives_that_graph(self):
        small = graphbonsai.condense(self.graph, self.found.ratio, threads=1)
        self.assertEqual(small.num_nodes, self.found.nodes)
        self.assertEqual(int(small.nbytes), self.found.nbytes)
        self.assertTrue(small.equal(self.found.small))
        self.assertEqual(small.report["method"], self.found.small.report["method"])

    def test_a_ratio_that_no_graph_can_have_says_why(self):
        first = self.found.points[0]
        self.assertIsNone(first["score"])
        self.assertIn("is too small", first["why"])
        self.assertTrue(all(p["why"] is None for p in self.found.points if p["score"]))

    def test_a_larger_share_never_has_a_smaller_ratio(self):
        more = graphbonsai.suggest(self.graph, 0.97, method="prototypes", threads=1)
        less = graphbonsai.suggest(self.graph, 0.8, method="prototypes", threads=1)
        self.assertLessEqual(less.ratio, more.ratio)

    def test_what_no_ratio_keeps_leaves_the_best(self):
        found = graphbonsai.suggest(self.graph, 1, method="random", high=0.01, points=3, threads=1)
        self.assertFalse(found.reached)
        self.assertEqual(found.score, max(p["score"] or 0 for p in found.points))
        self.assertIn("no ratio keeps 100 %", str(found))

    def test_it_shows_itself(self):
        text = str(self.found)
        self.assertIn("of full %", text)
        self.assertIn("keeps %.2f %% of the full graph's score" % (100 * self.found.share), text)
        self.assertTrue(text.endswith("A network may keep more or less: judge it with evaluate()."))
        self.assertTrue(repr(self.found).startswith("Suggestion(ratio="))
        page = self.found._repr_html_()
        self.assertTrue(page.startswith("<div"))
        self.assertIn("Score of the small graph by its ratio", page)

    def test_it_pickles(self):
        again = pickle.loads(pickle.dumps(self.found))
        self.assertEqual(set(again.__dict__), set(self.found.__dict__))
        self.assertEqual((again.points, str(again)), (self.found.points, str(self.found)))
        self.assertEqual(again._repr_html_(), self.found._repr_html_())
        self.assertTrue(again.small.equal(self.found.small))

    def test_the_small_graph_outlives_its_suggestion(self):
        small = graphbonsai.suggest(self.graph, 0.7, method="random", threads=1).small
        gc.collect()
        small.check()
        self.assertGreater(small.num_nodes, 0)

    def test_a_split_that_nobody_asked_for_is_a_warning(self):
        g = self.graph
        bare = graphbonsai.Graph.from_arrays(edge_index=g.edge_index, x=g.x, y=g.y)
        with self.assertWarns(graphbonsai.SplitWarning):
            found = graphbonsai.suggest(bare, 0.7, method="random", threads=1)
        self.assertEqual((found.split_from, found.split), ("drawn", (60, 20, 20)))

    def test_a_drawn_split_is_told(self):
        found = graphbonsai.suggest(self.graph, split=(50, 30, 20), method="random", seed=3)
        self.assertEqual((found.split_from, found.split), ("asked", (50, 30, 20)))

    def test_refusals_name_what_is_wrong(self):
        for options, sentence in (({"keep": 2}, "keep is 2"), ({"low": 0.5}, "low must be smaller"),
                                  ({"points": 1}, "points is 1"),
                                  ({"method": "published"}, "keeps to no ratio" if testing.LAB
                                   else "not in this build")):
            with self.assertRaisesRegex(graphbonsai.ArgumentError, sentence):
                graphbonsai.suggest(self.graph, **options)
        with self.assertRaisesRegex(graphbonsai.OptionError, "keep"):
            graphbonsai.suggest(self.graph, kep=0.9)


if __name__ == "__main__":
    testing.main()
