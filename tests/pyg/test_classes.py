"""A Data or a DGLGraph whose labels have gaps gets back the labels that it had.

SPDX-License-Identifier: MIT
"""
import os
import tempfile
import unittest
import warnings

import torch
import torch.nn.functional as F
from torch_geometric.data import Batch, InMemoryDataset
from torch_geometric.nn import GCNConv

import graphbonsai
from graphbonsai import ArgumentError, Graph, pyg

LABELS = torch.tensor([0, 10, 20, -1])


def world(labels=LABELS, nodes=None):
    g = graphbonsai.generate(nodes=500, features=60, classes=3, seed=2, threads=1)
    if nodes is not None:
        g = g.induce(nodes(g.y).nonzero()[0])
    data = pyg.to_data(g)
    data.y = labels[data.y]
    return data


class Net(torch.nn.Module):
    def __init__(self, classes):
        super().__init__()
        torch.manual_seed(1)
        self.first, self.last = GCNConv(60, 16), GCNConv(16, classes)

    def forward(self, x, edge_index):
        return self.last(F.relu(self.first(x, edge_index)), edge_index)


def trained(data, target, classes):
    """A network by the loop that everybody writes."""
    model = Net(classes)
    optimizer = torch.optim.Adam(model.parameters(), 0.02)
    for _ in range(40):
        optimizer.zero_grad()
        F.cross_entropy(model(data.x, data.edge_index), target).backward()
        optimizer.step()
    return model.eval()


class Classes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data, cls.plain = world(), world(torch.tensor([0, 1, 2, -1]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cls.small = graphbonsai.condense(cls.data, nodes=30, threads=1)
        cls.other = graphbonsai.condense(cls.plain, nodes=30, threads=1)

    def test_labels_come_back(self):
        small, other = self.small, self.other
        self.assertTrue(torch.equal(small.x, other.x))
        self.assertTrue(torch.equal(small.y, LABELS[other.y]))
        self.assertEqual((small.num_classes, tuple(small.y_soft.shape)), (21, (30, 21)))
        self.assertTrue(torch.equal(small.y_soft[:, [0, 10, 20]], other.y_soft))
        self.assertAlmostEqual(float(small.y_soft.sum()), float(other.y_soft.sum()), 5)
        self.assertEqual(small.class_names, {0: "0", 10: "10", 20: "20"})
        self.assertNotIn("class_names", other)
        self.assertNotIn("class_names", repr(small))

    def test_a_file_keeps_them(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("small.bonsai", "small.npz"):
                path = os.path.join(folder, name)
                pyg.from_data(self.small).save(path)
                back = pyg.to_data(Graph.load(path))
                self.assertTrue(torch.equal(back.y, self.small.y))
                self.assertTrue(torch.equal(back.y_soft, self.small.y_soft))
                self.assertEqual((back.num_classes, back.class_names), (21, self.small.class_names))
                pyg.evaluate(Net(21), back, self.data)

    def test_the_loop_that_everybody_writes(self):
        data, small = self.data, self.small
        classes = int(data.y.max()) + 1
        for target in (small.y, small.y_soft):
            model = trained(small, target, classes)
            said = model(data.x, data.edge_index).argmax(1)
            right = 100 * float((said == data.y)[data.test_mask].float().mean())
            found = pyg.evaluate(model, small, data)
            self.assertAlmostEqual(found["accuracy"], right, 4)
            self.assertGreater(right, 75)
            self.assertEqual(found["recall"].shape, (21,))
            self.assertGreater(found["recall"][[0, 10, 20]].min(), 0)
        self.assertTrue(pyg.loss(model(small.x, small.edge_index), small).isfinite())

    def test_it_is_the_same_graph_as_that_of_class_numbers(self):
        made = pyg.from_data(self.small)
        self.assertEqual((made.num_classes, made.class_names), (3, ["0", "10", "20"]))
        a, b = (graphbonsai.evaluate(*pair, seeds=1, epochs=20, threads=1)
                for pair in ((self.small, self.data), (self.other, self.plain)))
        self.assertEqual(a.mean, b.mean)
        self.assertEqual(a.classes["name"].tolist(), ["0", "10", "20"])
        why = graphbonsai.explain(self.small, 29, self.data, threads=1)
        self.assertEqual(why["label"], int(self.small.y[29]))
        self.assertIn(str(why["label"]), why["soft_label"])
        self.assertIn("10", graphbonsai.report(self.small, self.data, threads=1))

    def test_predictions_are_labels(self):
        model = graphbonsai.train(self.data, seeds=1, epochs=20, threads=1).model
        said, shares = model.predict(self.data, probabilities=True, threads=1)
        self.assertEqual(set(said.tolist()), {0, 10, 20})
        self.assertEqual(shares.shape, (500, 21))
        self.assertTrue((shares.argmax(1) == said).all())
        right = (said == self.data.y.numpy())[self.data.test_mask.numpy()].mean()
        self.assertAlmostEqual(model.evaluate(self.data, threads=1)["accuracy"], 100 * right)
        self.assertGreater(right, 0.75)

    def test_another_graph_that_lacks_another_class(self):
        model = graphbonsai.train(self.small, seeds=1, epochs=20, threads=1,
                                  full=self.data).model
        few = world(nodes=lambda y: y != 1)
        self.assertEqual(few.y.unique().tolist(), [0, 20])
        said = model.predict(few, threads=1)
        right = (said == few.y.numpy())[few.test_mask.numpy()].mean()
        self.assertAlmostEqual(model.evaluate(few, threads=1)["accuracy"], 100 * right)
        self.assertGreater(right, 0.75)
        model = graphbonsai.train(self.plain, seeds=1, epochs=20, threads=1).model
        gaps = world(torch.tensor([0, 1, 2, -1]), nodes=lambda y: y != 1)
        said = model.predict(gaps, threads=1)
        right = (said == gaps.y.numpy())[gaps.test_mask.numpy()].mean()
        self.assertAlmostEqual(model.evaluate(gaps, threads=1)["accuracy"], 100 * right)
        self.assertGreater(right, 0.75)

    def test_one_that_was_condensed_before_names_were_kept(self):
        old = self.small.clone()
        del old.class_names
        self.assertEqual(pyg.from_data(old).num_classes, 21)
        found = graphbonsai.evaluate(old, self.data, seeds=1, epochs=20, threads=1)
        self.assertGreater(found.mean, 75)

    def test_files_batches_and_datasets_keep_them(self):
        made = pyg.from_data(self.small)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "small.pt")
            torch.save(self.small, path)
            self.assertTrue(Graph.load(path).equal(made))
        other = self.data.clone()
        other.y[0] = 7
        with self.assertRaisesRegex(ArgumentError, r"data.y has the label 7, which is no class of "
                                    r"the small graph: 0, 10, 20; -1 leaves nodes out"):
            pyg.evaluate(Net(21), self.small, other)
        batch = Batch.from_data_list([self.small, self.small])
        self.assertEqual(batch[1].class_names, self.small.class_names)
        both, _ = InMemoryDataset.collate([self.small, self.small])
        self.assertEqual(both.y.unique().tolist(), [0, 10, 20])

    def test_dgl(self):
        try:
            from graphbonsai import dgl
        except ImportError as error:
            self.skipTest(str(error))
        g = dgl.to_data(graphbonsai.generate(nodes=500, features=60, classes=3, seed=2, threads=1))
        g.ndata["label"] = LABELS[g.ndata["label"]]
        small = graphbonsai.condense(g, nodes=30, threads=1)
        self.assertTrue(torch.equal(small.ndata["label"], self.small.y))
        self.assertTrue(torch.equal(small.ndata["y_soft"], self.small.y_soft))
        self.assertEqual(small.class_names, self.small.class_names)
        found = graphbonsai.evaluate(small, g, seeds=1, epochs=20, threads=1)
        said = found.model.predict(g, threads=1)
        self.assertEqual(set(said.tolist()), {0, 10, 20})


if __name__ == "__main__":
    unittest.main()
