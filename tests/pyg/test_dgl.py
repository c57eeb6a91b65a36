"""test_dgl.py -- graphbonsai.dgl with the DGL that is installed, where one is.

SPDX-License-Identifier: MIT"""
import unittest

import torch

import graphbonsai

try:
    import dgl
    from graphbonsai import dgl as ours
    WHY = None
except Exception as e:          # DGL fails to load beside a torch that it was not built for
    WHY = f"DGL cannot be imported: {e}"


def graph(**options):
    given = dict(nodes=300, features=40, classes=3, seed=5, threads=1)
    given.update(options)
    return graphbonsai.generate(**given)


def condense(g, **options):
    given = dict(nodes=12, threads=1, progress=False)
    given.update(options)
    return graphbonsai.condense(g, **given)


@unittest.skipIf(WHY, WHY)
class Dgl(unittest.TestCase):
    def refuses(self, g, sentence, **options):
        with self.assertRaisesRegex(graphbonsai.ArgumentError, sentence):
            condense(g, **options)

    def test_the_small_graph_knows_its_column_of_masks(self):
        full = ours.to_data(graph())
        for name in ("train_mask", "val_mask", "test_mask"):
            m = full.ndata[name]
            full.ndata[name] = torch.stack([m.roll(50), m], 1)
        small = graphbonsai.condense(full, nodes=12, split_index=1, threads=1)
        self.assertEqual(small.split_index, 1)
        judged = graphbonsai.evaluate(small, full, epochs=2, seeds=1, threads=1)
        self.assertEqual(judged.info["test"], int(full.ndata["test_mask"][:, 1].sum()))

    def test_a_graph_survives_the_way_there_and_back(self):
        g = graph()
        self.assertTrue(g.equal(ours.from_data(ours.to_data(g))))

    def test_an_operator_stays_one(self):
        small = condense(graph(), method="gdem", effort=0.01)
        self.assertTrue(ours.to_data(small).operator)
        self.assertTrue(small.equal(ours.from_data(ours.to_data(small))))

    def test_features_are_not_copied(self):
        g = ours.to_data(graph(dense=1))
        at = g.ndata["feat"].data_ptr()
        self.assertEqual(ours.from_data(g).x.__array_interface__["data"][0], at)

    def test_the_small_graph_is_what_the_library_makes(self):
        g = graph()
        want = condense(g, method="prototypes")
        small = condense(ours.to_data(g), method="prototypes")
        self.assertIsInstance(small, dgl.DGLGraph)
        self.assertTrue(torch.equal(small.ndata["feat"], torch.tensor(want.x)))
        self.assertTrue(torch.equal(small.ndata["y_soft"], torch.tensor(want.y_soft)))
        self.assertTrue(torch.equal(torch.stack(small.edges()), torch.tensor(want.edge_index)))
        self.assertIn("prototypes", str(small.report))

    def test_a_small_graph_is_judged_with_all_that_it_holds(self):
        g = graph()
        for options in (dict(method="prototypes"), dict(method="trees"),
                        dict(method="prototypes", select_features=1)):
            want, small = condense(g, **options), condense(ours.to_data(g), **options)
            self.assertTrue(ours.from_data(small).equal(want), options)
            for full in (ours.to_data(g), ours.apply_features(ours.to_data(g), small)):
                self.assertEqual(graphbonsai.evaluate(small, full, epochs=5, seeds=1).mean,
                                 graphbonsai.evaluate(want, g, epochs=5, seeds=1).mean)

    def test_it_is_a_transform(self):
        from dgl.transforms import BaseTransform, Compose
        t = ours.Condense(nodes=12, threads=1, progress=False)
        self.assertIsInstance(t, BaseTransform)
        self.assertEqual(repr(t), "Condense(method='auto', nodes=12, threads=1)")
        small = Compose([t, dgl.transforms.AddSelfLoop()])(ours.to_data(graph()))
        self.assertLessEqual(small.num_nodes(), 12)

    def test_other_names_and_weights(self):
        g = ours.to_data(graph())
        want = ours.from_data(g)
        g.ndata["a"], g.ndata["b"] = g.ndata.pop("feat"), g.ndata.pop("label")
        self.assertTrue(want.equal(ours.from_data(g, feat="a", label="b")))
        source, target = g.edges()
        g.edata["w"] = 1 + ((source + target) % 4).float()
        back = ours.to_data(ours.from_data(g, feat="a", label="b", weight="w"))
        self.assertTrue(torch.equal(back.edata["weight"], g.edata["w"]))

    def test_numbers_of_32_bits(self):
        g = ours.to_data(graph())
        self.assertTrue(ours.from_data(g).equal(ours.from_data(g.int())))

    def test_selected_features(self):
        g = ours.to_data(graph())
        small = condense(g, method="trees", nodes=40, select_features=1)
        cut = ours.apply_features(g, small)
        self.assertTrue(torch.equal(cut.ndata["feat"], g.ndata["feat"][:, small.kept_features]))
        self.assertEqual(g.ndata["feat"].shape[1], 40)

    def test_names_of_features(self):
        g = ours.to_data(graph())
        self.assertIsNone(g.feature_names)
        g.feature_names = ["w%d" % j for j in range(40)]
        small = condense(g, method="trees", nodes=40, select_features=1)
        kept = [g.feature_names[j] for j in small.kept_features]
        self.assertEqual(small.feature_names, kept)
        self.assertEqual(ours.from_data(small).feature_names, kept)
        self.assertEqual(ours.apply_features(g, small).feature_names, kept)

    def test_a_model_learns_from_it(self):
        from dgl.nn import GraphConv
        full = ours.to_data(graph(difficulty=0.2))
        small = dgl.add_self_loop(dgl.remove_self_loop(condense(full)))
        torch.manual_seed(1)
        model = GraphConv(40, 3)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
        for _ in range(60):
            optimizer.zero_grad()
            ours.loss(model(small, small.ndata["feat"]), small).backward()
            optimizer.step()
        judged = dgl.add_self_loop(full)
        right = model(judged, judged.ndata["feat"]).argmax(1) == judged.ndata["label"]
        self.assertGreater(right[full.ndata["test_mask"]].float().mean().item(), 0.7)

    def test_features_of_other_types_are_converted(self):
        g = ours.to_data(graph())
        same = ours.from_data(g)
        g.ndata["feat"] = g.ndata["feat"].double()
        self.assertTrue(ours.from_data(g).equal(same))

    def test_a_split_that_is_missing_is_drawn(self):
        g = ours.to_data(graph())
        for name in ("train_mask", "val_mask", "test_mask"):
            g.ndata.pop(name)
        with self.assertWarns(graphbonsai.SplitWarning):
            graphbonsai.condense(g, nodes=12, threads=1)

    def test_refusals(self):
        hetero = dgl.heterograph({("a", "to", "b"): ([0], [1]), ("b", "to", "a"): ([0], [1])})
        self.refuses(hetero, "dgl.to_homogeneous")
        with self.assertRaisesRegex(graphbonsai.ArgumentError, r"dataset\[0\]"):
            ours.from_data([])
        for name, sentence in (("feat", 'no "feat"'), ("label", 'no "label"')):
            g = ours.to_data(graph())
            g.ndata.pop(name)
            self.refuses(g, sentence)
        g = ours.to_data(graph())
        g.ndata["label"] = torch.ones(300, 4)
        self.refuses(g, "several labels")
        g = ours.to_data(graph())
        g.ndata["test_mask"] = g.ndata["train_mask"]
        self.refuses(g, "overlap")
        with self.assertRaisesRegex(graphbonsai.ArgumentError, 'did you mean "layers"'):
            ours.Condense(0.1, layrs=2)


class Members(unittest.TestCase):
    def test_members_come_back(self):
        g = graphbonsai.generate(nodes=300, features=40, classes=3, threads=1)
        options = dict(nodes=12, method="prototypes", members=True, threads=1)
        made, full = graphbonsai.condense(g, **options), ours.to_data(g)
        small = graphbonsai.condense(full, **options)
        self.assertEqual([part.tolist() for part in small.members],
                         [part.tolist() for part in made.members])
        self.assertTrue(ours.from_data(small).equal(made))
        self.assertIsNone(graphbonsai.condense(full, nodes=12, threads=1).members)
        self.assertEqual(len(graphbonsai.update(full, full, small, threads=1).members), 12)


if __name__ == "__main__":
    unittest.main()
