"""test_habits.py -- a condensed Data where PyTorch Geometric's habits meet it; judging networks.

SPDX-License-Identifier: MIT"""
import copy
import json
import os
import pickle
import sys
import tempfile
import unittest
import warnings

import numpy as np
import torch
from torch import nn
from torch_geometric.data import Batch, Data, InMemoryDataset
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCN

import graphbonsai
from graphbonsai import pyg

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from test_pyg import condense, data, graph      # noqa: E402


class Two(InMemoryDataset):
    """Two condensed graphs in one file."""

    def __init__(self, root, graphs):
        self.graphs = graphs
        super().__init__(root)
        self.load(self.processed_paths[0])

    raw_file_names = []
    processed_file_names = ["data.pt"]

    def process(self):
        self.save(self.graphs, self.processed_paths[0])


def two_of_four_classes():
    """A full graph of four classes, two of them without a training node."""
    d = data(classes=4)
    d.train_mask &= d.y < 2
    return d


class Fields(unittest.TestCase):
    def test_a_condensed_graph_has_every_mask(self):
        for method in ("trees", "prototypes"):
            small = condense(data(), method=method)
            for name in ("val_mask", "test_mask"):
                self.assertEqual(small[name].dtype, torch.bool)
                self.assertEqual(small[name].tolist(), [False] * small.num_nodes)
            self.assertTrue(small.validate())

    def test_a_condensed_graph_knows_the_classes_of_the_full_one(self):
        d = two_of_four_classes()
        small = condense(d, method="trees")
        self.assertLess(int(small.y.max()) + 1, 4)
        self.assertEqual(small.num_classes, 4)
        for other in (small.clone(), copy.copy(small), pickle.loads(pickle.dumps(small)),
                      small.to("cpu")):
            self.assertEqual(other.num_classes, 4)
            self.assertEqual(other.num_nodes, small.num_nodes)

    def test_the_way_back_keeps_classes_without_a_node(self):
        d = two_of_four_classes()
        want = graphbonsai.condense(pyg.from_data(d), nodes=12, method="trees", threads=1)
        got = pyg.from_data(pyg.to_data(want))
        self.assertEqual(got.num_classes, 4)
        self.assertTrue(want.equal(got))
        self.assertIsNone(got.train_mask)

    def test_a_graph_of_an_earlier_version_counts_its_labels(self):
        small = condense(data())
        del small["num_classes"]
        self.assertEqual(small.num_classes, 3)
        del small["y_soft"]
        self.assertEqual(small.num_classes, 3)

    def test_several_are_collated_and_come_back(self):
        several = [condense(data(), nodes=n) for n in (12, 20)]
        batch = Batch.from_data_list(several)
        self.assertEqual(batch.num_nodes, sum(one.num_nodes for one in several))
        self.assertEqual(batch.num_classes, 3)
        self.assertEqual(next(iter(DataLoader(several, batch_size=2))).val_mask.numel(),
                         batch.num_nodes)
        for one, want in zip(batch.to_data_list(), several):
            self.assertEqual((one.num_classes, one.num_nodes), (3, want.num_nodes))
            self.assertTrue(pyg.from_data(one).equal(pyg.from_data(want)))
            self.assertEqual(one.report["sizes"]["full_nodes"], 300)
            json.loads(one.report.to_json())

    def test_a_dataset_of_several_keeps_them(self):
        with tempfile.TemporaryDirectory() as root:
            several = [condense(data(), nodes=n) for n in (12, 20)]
            for one, want in zip(Two(root, several), several):
                self.assertEqual(one.num_classes, 3)
                self.assertEqual(one.test_mask.tolist(), want.test_mask.tolist())


class Fixed(nn.Module):
    """Says what it was told, and remembers how it was asked."""

    def __init__(self, scores):
        super().__init__()
        self.scores, self.drop, self.frozen = scores, nn.Dropout(), nn.Dropout().eval()

    def forward(self, x, edge_index, edge_weight=None):
        self.asked = x, edge_index, edge_weight, self.training, torch.is_grad_enabled()
        return self.scores


class OfData(nn.Module):
    def forward(self, data):
        return nn.functional.one_hot(data.y, 3).float()


class Evaluate(unittest.TestCase):
    def setUp(self):
        self.d = data()
        self.small = condense(self.d)

    def refuses(self, text, model, **named):
        with self.assertRaisesRegex(graphbonsai.ArgumentError, text):
            pyg.evaluate(model, self.small, self.d, **named)

    def test_measures_are_those_counted_by_hand(self):
        torch.manual_seed(1)
        scores = torch.randn(300, 3)
        classes = scores.argmax(1)
        for part, mask in (("test", self.d.test_mask), ("val", self.d.val_mask),
                           ("train", self.d.train_mask)):
            found = pyg.evaluate(Fixed(scores), self.small, self.d, part)
            y, p = self.d.y[mask], classes[mask]
            recall = [100 * (p[y == k] == k).double().mean().item() for k in range(3)]
            self.assertEqual(found["nodes"], int(mask.sum()))
            self.assertEqual(found["right"], int((y == p).sum()))
            self.assertAlmostEqual(found["accuracy"], 100 * found["right"] / found["nodes"])
            self.assertAlmostEqual(found["balanced"], np.mean(recall))
            np.testing.assert_allclose(found["recall"], recall)
            self.assertEqual(found["auc"], -1)

    def test_two_classes_have_an_area(self):
        d = data(classes=2)
        scores = torch.randn(300, 2)
        found = pyg.evaluate(Fixed(scores), condense(d), d)
        s, y = (scores[:, 1] - scores[:, 0])[d.test_mask], d.y[d.test_mask]
        pairs = s[y == 1][:, None] - s[y == 0][None]
        self.assertAlmostEqual(found["auc"], 100 * (pairs > 0).double().mean().item(), places=3)

    def test_the_network_is_asked_and_left_as_it_was(self):
        model = Fixed(torch.zeros(300, 3)).train()
        model.frozen.eval()
        self.d.edge_weight = torch.ones(self.d.num_edges)
        pyg.evaluate(model, self.small, self.d)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "are the two swapped"):
            pyg.evaluate(model, self.d, self.small)
        bare = self.d.clone()
        bare.test_mask = torch.zeros_like(bare.test_mask)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, 'no labelled node is in the part "t'):
            pyg.evaluate(model, self.small, bare)
        x, edges, weight, training, gradients = model.asked
        self.assertTrue(torch.equal(x, self.d.x) and torch.equal(edges, self.d.edge_index))
        self.assertTrue(torch.equal(weight, self.d.edge_weight))
        self.assertEqual((training, gradients), (False, False))
        self.assertEqual([m.training for m in (model, model.drop, model.frozen)],
                         [True, True, False])

    def test_it_agrees_with_the_library_s_own_network(self):
        g = graph()
        trained = graphbonsai.train(pyg.from_data(self.small), g, model="gcn", seeds=1, epochs=20,
                                    hidden=16, threads=1).model
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.npz")
            trained.save(path)
            state = {k: torch.tensor(v) for k, v in np.load(path).items() if "." in k}
        model = GCN(self.small.num_features, 16, 2, 3)
        model.load_state_dict(state)
        want, got = trained.evaluate(g, threads=1), pyg.evaluate(model, self.small, self.d)
        self.assertEqual(got.pop("recall").tolist(), want.pop("recall").tolist())
        self.assertEqual(got, want)

    def test_the_full_graph_gets_the_features_that_were_kept(self):
        small = condense(self.d, method="trees", nodes=40, select_features=1)
        model = Fixed(torch.zeros(300, 3))
        pyg.evaluate(model, small, self.d)
        self.assertTrue(torch.equal(model.asked[0], self.d.x[:, small.kept_features]))

    def test_a_network_of_data_and_an_adjacency(self):
        self.assertEqual(pyg.evaluate(OfData(), self.small, self.d)["accuracy"], 100)
        other = copy.copy(self.d)
        other.adj_t = torch.sparse_coo_tensor(self.d.edge_index.flip(0),
                                              torch.ones(self.d.num_edges), (300, 300))
        del other.edge_index
        model = Fixed(torch.zeros(300, 3))
        pyg.evaluate(model, self.small, other)
        self.assertIs(model.asked[1], other.adj_t)

    def test_a_split_that_condensing_drew_is_drawn_again(self):
        small = condense(self.d, split=(50, 30, 20), seed=9)
        want = graph().split((50, 30, 20), 9)
        scores = torch.zeros(300, 3)
        scores[torch.from_numpy(want.test_mask), 1] = 1         # of these alone
        found = pyg.evaluate(Fixed(scores), small, self.d)
        self.assertEqual(found["nodes"], int(want.test_mask.sum()))
        self.assertEqual(found["right"], int((want.y[want.test_mask] == 1).sum()))
        for name in ("train_mask", "val_mask", "test_mask"):
            del self.d[name]
        self.assertEqual(pyg.evaluate(Fixed(scores), small, self.d)["right"], found["right"])

    def test_labels_of_judged_nodes_are_told(self):
        model = Fixed(torch.zeros(300, 3))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pyg.evaluate(model, self.small, self.d)
        self.d.train_mask, self.d.test_mask = self.d.test_mask, self.d.train_mask
        with self.assertWarnsRegex(graphbonsai.LeakWarning, "labelled nodes of the small graph"):
            pyg.evaluate(model, self.small, self.d)

    def test_another_graph_is_told(self):
        other = pyg.to_data(graphbonsai.generate(nodes=200, features=self.d.num_features, classes=3))
        said = "condensed from a graph of 300 nodes and [0-9]+ edge entries, but this one has 200 and"
        with self.assertWarnsRegex(UserWarning, said):
            pyg.evaluate(Fixed(torch.zeros(200, 3)), self.small, other)
        with self.assertWarnsRegex(UserWarning, said):
            graphbonsai.evaluate(self.small, other, epochs=2, seeds=1, threads=1)

    def test_scores_of_too_few_classes_are_refused(self):
        self.refuses("the model gives 2 scores a node, but data.y has the class 2",
                     Fixed(torch.zeros(300, 2)))

    def test_the_loss_takes_scores_first(self):
        with self.assertRaisesRegex(graphbonsai.Error, r"pyg.loss\(out, data\)"):
            pyg.loss(self.small, torch.zeros(300, 3))

    def test_another_order_is_told(self):
        with self.assertRaisesRegex(graphbonsai.Error, r"pyg.evaluate\(model, small, data\)"):
            pyg.evaluate(self.small, self.d, Fixed(torch.zeros(300, 3)))

    def test_a_column_of_masks_is_picked(self):
        for name in ("train_mask", "val_mask", "test_mask"):
            self.d[name] = torch.stack([torch.zeros(300).bool(), self.d[name]], 1)
        model = Fixed(torch.zeros(300, 3))
        self.assertEqual(pyg.evaluate(model, self.small, self.d, split_index=1)["nodes"],
                         int(self.d.test_mask.sum()))

    def test_refusals(self):
        good = Fixed(torch.zeros(300, 3))
        self.refuses('there is no part "tset"; did you mean "test"', good, part="tset")
        self.refuses("model must be a torch.nn.Module, not NoneType", None)
        self.refuses(r"the model gives \[12, 3\]; it must give a row of scores for every node, "
                     r"\[300, classes\]", Fixed(torch.zeros(12, 3)))
        self.refuses("the model gives a tuple", Fixed((torch.zeros(300, 3),)))
        bad = torch.zeros(300, 3)
        bad[7, 1] = float("nan")
        self.refuses("the model gives node 7 a score that is not finite", Fixed(bad))
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "the full graph has no y"):
            pyg.evaluate(good, self.small, Data(x=self.d.x, edge_index=self.d.edge_index))
        del self.d.train_mask
        self.refuses("there is no train_mask beside val_mask and test_mask", good)
        del self.d.val_mask, self.d.test_mask
        self.refuses("data has no train_mask", good)

    def test_features_are_converted_as_condensing_did(self):
        net = GCN(self.d.x.shape[1], 8, 2, 3)
        plain = pyg.evaluate(net, self.small, self.d)
        self.d.x = self.d.x.double()
        self.assertEqual(pyg.evaluate(net, self.small, self.d)["right"], plain["right"])

    def test_a_suggestion_is_of_the_same_kind(self):
        found = graphbonsai.suggest(self.d, keep=0.5, low=0.02, high=0.2, points=2, halvings=0,
                                    threads=1)
        self.assertIsInstance(found.small, Data)
        self.assertGreater(pyg.loss(torch.zeros(len(found.small.x), 3), found.small).item(), 0)

    def test_a_search_takes_a_data_and_its_small_graph(self):
        found = graphbonsai.search(self.d, {"rate": [1e-5, 0.01]}, ratio=0.1, finish=1, epochs=30,
                                   threads=1)
        self.assertIsInstance(found.small, Data)
        again = graphbonsai.search(self.d, [found.best], small=found.small, finish=1, epochs=30,
                                   threads=1)
        self.assertEqual({**again.ranking[0], "seconds": 0, "full_seconds": 0},
                         {**found.ranking[0], "seconds": 0, "full_seconds": 0})


if __name__ == "__main__":
    unittest.main()
