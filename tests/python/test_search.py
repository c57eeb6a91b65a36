"""search: what it tries, what it finishes, what it returns and what it refuses.

SPDX-License-Identifier: MIT
"""
import pickle
import warnings

import graphbonsai
import testing

GRID = {"model": ["gcn", "sage"], "rate": [1e-5, 0.01]}


class Search(testing.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.graph = testing.small_world(500, classes=4)
        cls.small = graphbonsai.condense(cls.graph, 0.05, threads=1)
        cls.found = cls.search(finish=2)

    @classmethod
    def search(cls, settings=GRID, graph=None, **more):
        given = {"small": cls.small, "epochs": 30, "threads": 1, "progress": False, **more}
        return graphbonsai.search(cls.graph if graph is None else graph, settings, **given)

    def test_a_grid_is_every_combination_once(self):
        settings = [one["settings"] for one in self.found.ranking]
        self.assertEqual(len(settings), 4)
        for model in GRID["model"]:
            for rate in GRID["rate"]:
                self.assertIn({"model": model, "rate": rate}, settings)

    def test_settings_are_ranked_by_validation_and_the_good_rate_wins(self):
        scores = [one["val"] for one in self.found.ranking]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual([one["settings"]["rate"] for one in self.found.ranking[:2]], [0.01, 0.01])
        self.assertEqual(self.found.best["rate"], 0.01)

    def test_only_the_best_few_are_finished_and_the_best_of_them_by_validation_is_the_answer(self):
        finished = [one for one in self.found.ranking if one["full_val"] is not None]
        self.assertEqual(finished, self.found.ranking[:2])
        best = max(finished, key=lambda one: one["full_val"])
        self.assertEqual(self.found.best, best["settings"])
        self.assertTrue(all(one["full_test"] is None and one["full_seconds"] is None
                            for one in self.found.ranking[2:]))

    def test_scores_are_those_of_evaluate_and_train_judged_after_the_last_epoch(self):
        one = self.found.ranking[0]
        options = dict(one["settings"], epochs=30, every=30, seeds=1, threads=1)
        small = graphbonsai.evaluate(self.small, self.graph, **options)
        full = graphbonsai.train(self.graph, **options)
        self.assertEqual((one["val"], one["test"]), (small.info["accuracy_val_mean"], small.mean))
        self.assertEqual((one["full_val"], one["full_test"]),
                         (full.info["accuracy_val_mean"], full.mean))
        self.assertEqual(small.runs["best_epoch"].tolist(), [30])

    def test_the_model_is_the_one_that_was_trained_on_the_full_graph(self):
        best = next(one for one in self.found.ranking if one["settings"] == self.found.best)
        said = self.found.model.evaluate(self.graph, part="val", threads=1)
        self.assertAlmostEqual(said["accuracy"], best["full_val"])
        self.assertEqual(self.found.model.info["model"], self.found.best["model"])

    def test_without_finishing_the_small_graph_decides(self):
        found = self.search(finish=0)
        self.assertEqual(found.best, found.ranking[0]["settings"])
        self.assertTrue(all(one["full_val"] is None for one in found.ranking))
        self.assertIn(" for 0 on the full graph", str(found))
        said = found.model.evaluate(self.graph, part="val", threads=1)
        self.assertAlmostEqual(said["accuracy"], found.ranking[0]["val"])

    def test_it_condenses_by_itself_to_the_ratio(self):
        found = self.search([{"hidden": 8}], small=None, ratio=0.05, finish=1)
        self.assertTrue(found.small.equal(self.small))
        self.assertGreater(found.seconds["condense"], 0)

    def test_a_drawn_split_is_the_same_on_both_graphs(self):
        g = self.graph
        bare = graphbonsai.Graph.from_arrays(edge_index=g.edge_index, x=g.x, y=g.y)
        with self.assertWarns(graphbonsai.SplitWarning):
            drawn = self.search([{}], bare, small=None, ratio=0.05, seed=3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            asked = self.search([{}], bare, small=None, ratio=0.05, seed=3, split=(60, 20, 20))
        full = graphbonsai.train(bare.split((60, 20, 20), 3), epochs=30, every=30, seeds=1, seed=3,
                                 threads=1)
        for found in drawn, asked:
            self.assertEqual(found.ranking[0]["full_test"], full.mean)

    def test_a_setting_may_say_its_own_epochs_and_how_often_it_is_judged(self):
        found = self.search([{"epochs": 10}, {"epochs": 10, "every": 1}], finish=0)
        by = {one["settings"].get("every"): one["val"] for one in found.ranking}
        self.assertGreaterEqual(by[1], by[None])

    def test_another_metric_ranks_by_it(self):
        found = self.search([{}], metric="f1", finish=1)
        made = graphbonsai.evaluate(self.small, self.graph, epochs=30, every=30, seeds=1, threads=1,
                                    metric="f1")
        self.assertEqual((found.metric, found.ranking[0]["val"]), ("f1", made.info["f1_val_mean"]))

    def test_it_shows_itself_and_pickles(self):
        text = str(self.found)
        self.assertIn("full: val %", text)
        self.assertEqual(len(text.splitlines()), 1 + 4 + 1)
        self.assertIn("Seconds: 0 to condense, ", text)
        self.assertIn(" for 4 on the small graph, ", text)
        self.assertIn(" for 2 on the full graph. Best: %r" % self.found.best, text)
        self.assertTrue(repr(self.found).startswith("Search(4 settings, best={"))
        self.assertIn("<table>", self.found._repr_html_())
        again = pickle.loads(pickle.dumps(self.found))
        self.assertEqual((str(again), again.ranking), (text, self.found.ranking))

    def test_refusals_come_before_anything_is_trained(self):
        def progress(stage, done, total):
            self.fail("%s has begun" % stage)
        for settings, sentence in (
                ([{}, {"hiden": 3}], "hidden"), ([{}, {"lr": 0.1}], "rate does that"),
                ([{"metric": "f1"}], "must be the same for every setting"),
                ([{"seed": 2}], "must be the same"), ([{"model": "gnn"}], "model"),
                ([{"hidden": "wide"}], "hidden"), ([], "settings is empty"),
                ({"rate": []}, "settings is empty"), ([3], "a setting must be a dictionary"),
                ("gcn", "settings must be a list")):
            with self.assertRaisesRegex((graphbonsai.OptionError, graphbonsai.ArgumentError),
                                        sentence):
                self.search(settings, progress=progress)
        with self.assertRaisesRegex(graphbonsai.OptionError, "finish"):
            self.search([{}], finsh=1)

    def test_a_graph_without_validation_nodes_is_refused(self):
        g = self.graph.split((60, 0, 40), 1)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "nothing to rank"):
            self.search([{}], g, small=graphbonsai.condense(g, 0.05, threads=1))


if __name__ == "__main__":
    testing.main()
