"""test_pyg.py -- graphbonsai.pyg with the PyTorch Geometric that is installed.

SPDX-License-Identifier: MIT"""
import copy
import html
import inspect
import os
import pickle
import sys
import tempfile
import unittest
import warnings

import numpy as np
import torch
import torch_geometric.transforms as T
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset
from torch_geometric.data.separate import separate
from torch_geometric.utils import to_torch_csr_tensor

import graphbonsai
from graphbonsai import _capi, _options, pyg

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from models import Network      # noqa: E402

FIELDS = {"x", "edge_index", "y", "y_soft", "train_mask", "node_weight", "origin", "role", "report"}


def graph(**options):
    given = dict(nodes=300, features=40, classes=3, seed=5, threads=1)
    given.update(options)
    return graphbonsai.generate(**given)


def data(**options):
    return pyg.to_data(graph(**options))


def condense(d, **options):
    given = dict(nodes=12, threads=1, progress=False)
    given.update(options)
    return graphbonsai.condense(d, **given)


def same(a, b):
    """Whether two Data hold the same tensors."""
    keys = {k for k in a.keys() if k != "report"}
    return keys == {k for k in b.keys() if k != "report"} and all(
        torch.equal(a[k], b[k]) if isinstance(a[k], torch.Tensor) else a[k] == b[k] for k in keys)


class Conversion(unittest.TestCase):
    def test_a_graph_survives_the_way_to_data_and_back(self):
        g = graph()
        self.assertTrue(g.equal(pyg.from_data(pyg.to_data(g))))

    def test_an_operator_stays_one(self):
        g = graph()
        small = condense(g, method="gdem", effort=0.01)
        d = pyg.to_data(small)
        self.assertIs(d.operator, True)
        self.assertNotIn("operator", pyg.to_data(g))
        filed = copy.copy(d)
        filed.operator = torch.tensor([True])           # so a dataset's file gives it back
        for one in (d, d.clone(), filed):
            self.assertTrue(small.equal(pyg.from_data(one)))
        how = dict(seeds=1, epochs=5, threads=1, progress=False)
        self.assertEqual(graphbonsai.evaluate(d, g, **how).epochs["loss"].tolist(),
                         graphbonsai.evaluate(small, g, **how).epochs["loss"].tolist())
        self.assertIn("gdem", d._repr_html_())

    def test_dense_features_are_not_copied(self):
        d = data(dense=1)
        g = pyg.from_data(d)
        self.assertEqual(g.x.__array_interface__["data"][0], d.x.data_ptr())

    def test_the_graph_outlives_the_data(self):
        d = data(dense=1)
        want = d.x.clone()
        g = pyg.from_data(d)
        del d
        np.testing.assert_array_equal(g.x, want.numpy())

    def test_sparse_features_give_the_same_graph(self):
        d = data()
        want = pyg.from_data(d)
        for sparse in (d.x.to_sparse(), d.x.to_sparse_csr(), d.x.to_sparse_csc()):
            other = copy.copy(d)
            other.x = sparse
            self.assertTrue(want.equal(pyg.from_data(other)), sparse.layout)

    def test_features_that_do_not_lie_in_rows_are_taken(self):
        d = data(dense=1)
        other = copy.copy(d)
        other.x = d.x.t().contiguous().t()
        self.assertFalse(other.x.is_contiguous())
        self.assertTrue(pyg.from_data(d).equal(pyg.from_data(other)))

    def test_features_that_are_learnt_are_taken(self):
        d = data(dense=1)
        want = pyg.from_data(d)
        d.x = d.x.clone().requires_grad_()
        self.assertTrue(want.equal(pyg.from_data(d)))

    def test_labels_of_one_column_and_of_floats_are_taken(self):
        d = data()
        want = pyg.from_data(d)
        for y in (d.y.view(-1, 1), d.y.float(), d.y.to(torch.uint8)):
            other = copy.copy(d)
            other.y = y
            self.assertTrue(want.equal(pyg.from_data(other)))

    def test_a_label_that_is_nan_is_unknown(self):
        d = data()
        d.y = d.y.float()
        d.y[3] = float("nan")
        self.assertEqual(pyg.from_data(d).y[3], -1)

    def test_adj_t_gives_the_same_graph(self):
        d = data()
        want = pyg.from_data(d)
        other = copy.copy(d)
        other.adj_t = to_torch_csr_tensor(d.edge_index, size=(300, 300)).t().to_sparse_csr()
        del other.edge_index
        self.assertTrue(want.equal(pyg.from_data(other)))
        self.assertTrue(want.equal(pyg.from_data(T.ToSparseTensor()(d))))

    def test_adj_t_holds_the_edges_that_end_in_its_row(self):
        d = Data(x=torch.eye(3), y=torch.tensor([0, 1, 0]), train_mask=torch.ones(3).bool(),
                 edge_index=torch.tensor([[0, 1], [1, 2]]))
        other = copy.copy(d)
        other.adj_t = torch.sparse_coo_tensor(torch.tensor([[1, 2], [0, 1]]), torch.ones(2), (3, 3))
        del other.edge_index
        a, b = (pyg.from_data(one, keep_directed=True) for one in (d, other))
        self.assertEqual(a.edge_index.tolist(), d.edge_index.tolist())
        self.assertTrue(a.equal(b))

    def test_values_of_adj_t_are_weights(self):
        d = data()
        d.edge_weight = 1 + (d.edge_index.sum(0) % 4).float()
        other = copy.copy(d)
        other.adj_t = torch.sparse_coo_tensor(d.edge_index.flip(0), d.edge_weight,
                                              (300, 300)).to_sparse_csr()
        del other.edge_index, other.edge_weight
        self.assertTrue(pyg.from_data(d).equal(pyg.from_data(other)))

    def test_a_sparse_tensor_of_torch_sparse_gives_the_same_graph(self):
        try:
            from torch_sparse import SparseTensor
        except Exception:               # then what is used of it
            class SparseTensor:
                def __init__(self, row, col, value):
                    self.entries = row, col, value

                def cpu(self):
                    return self

                def coo(self):
                    return self.entries
        d = data()
        d.edge_weight = 1 + (d.edge_index.sum(0) % 4).float()
        other = copy.copy(d)
        other.adj_t = SparseTensor(row=d.edge_index[1], col=d.edge_index[0], value=d.edge_weight)
        del other.edge_index, other.edge_weight
        other.num_nodes = 300
        self.assertTrue(pyg.from_data(d).equal(pyg.from_data(other)))

    def test_edge_weights_go_in_and_come_back(self):
        d = data()
        d.edge_weight = 1 + (d.edge_index.sum(0) % 4).float()
        back = pyg.to_data(pyg.from_data(d))
        self.assertTrue(torch.equal(back.edge_weight, d.edge_weight))
        self.assertTrue(torch.equal(back.edge_index, d.edge_index))
        other = copy.copy(d)
        del other.edge_weight
        other.edge_attr = d.edge_weight.double().view(-1, 1)
        self.assertTrue(pyg.from_data(d).equal(pyg.from_data(other)))

    def test_a_column_of_masks_is_picked(self):
        d = data()
        other = copy.copy(d)
        for name in ("train_mask", "val_mask", "test_mask"):
            other[name] = torch.stack([torch.zeros(300).bool(), d[name]], 1)
        other.train_mask[:, 0] = True
        self.assertTrue(pyg.from_data(d).equal(pyg.from_data(other, split_index=1)))
        small = condense(other, split_index=1)
        del small.split_index           # which the other one does not need
        self.assertTrue(same(condense(d), small))

    def test_a_graph_without_a_split_gets_no_masks(self):
        g = graph()
        bare = graphbonsai.Graph.from_arrays(csr=g.csr[:2], x=g.x, y=g.y)
        d = pyg.to_data(bare)
        self.assertFalse({"train_mask", "val_mask", "test_mask"} & set(d.keys()))
        with self.assertWarnsRegex(graphbonsai.SplitWarning, "the graph has no split"):
            small = condense(d)
        self.assertIn("train_mask", small)

    def test_the_small_graph_knows_its_column_of_masks(self):
        d = data()
        self.assertNotIn("split_index", condense(d))
        for name in ("train_mask", "val_mask", "test_mask"):
            d[name] = torch.stack([d[name].roll(50), d[name]], 1)
        with self.assertWarnsRegex(graphbonsai.SplitWarning, r"data.train_mask has 2 splits, of "
                                   "which the first is used: split_index=0 says"):
            self.assertEqual(condense(d).split_index, 0)
        with warnings.catch_warnings():
            warnings.simplefilter("error", graphbonsai.SplitWarning)
            warnings.simplefilter("error", graphbonsai.LeakWarning)
            small = condense(d, method="random", split_index=1)
            self.assertEqual(small.split_index, 1)
            judged = graphbonsai.evaluate(small, d, epochs=2, seeds=1, threads=1)
            self.assertEqual(judged.info["test"], int(d.test_mask[:, 1].sum()))
            self.assertEqual(graphbonsai.condense(d, 0.1, split_index=0).split_index, 0)

    def test_a_node_without_edges_at_the_end_is_kept(self):
        d = Data(x=torch.eye(4), y=torch.tensor([0, 1, 0, 1]), train_mask=torch.ones(4).bool(),
                 edge_index=torch.tensor([[0], [1]]))
        self.assertEqual(pyg.from_data(d).num_nodes, 4)
        d.edge_index = torch.empty(2, 0, dtype=torch.long)
        self.assertEqual(pyg.from_data(d).num_edges, 0)


class Condensing(unittest.TestCase):
    def test_it_is_the_graph_that_the_library_makes(self):
        g = graph()
        for method in ("trees", "prototypes", "herding"):
            want = graphbonsai.condense(g, nodes=12, method=method, threads=1, progress=False)
            got = condense(pyg.to_data(g), method=method)
            self.assertTrue(want.equal(pyg.from_data(got)), method)

    def test_prototypes_have_every_field(self):
        small = condense(data(), method="prototypes")
        self.assertLessEqual(FIELDS, set(small.keys()))
        self.assertEqual(tuple(small.y_soft.shape), (small.num_nodes, 3))
        self.assertEqual(small.train_mask.dtype, torch.bool)
        self.assertTrue(small.train_mask.all())
        self.assertEqual(small.x.dtype, torch.float32)
        self.assertEqual(small.edge_index.dtype, torch.int64)
        self.assertTrue(small.validate())

    def test_trees_train_on_nodes_that_have_a_label(self):
        d = data()
        small = condense(d, method="trees", nodes=30)
        self.assertTrue(torch.equal(small.train_mask, small.y >= 0))
        kept = small.origin[small.train_mask]
        self.assertTrue(d.train_mask[kept].all())
        self.assertTrue(torch.equal(d.y[kept], small.y[small.train_mask]))
        self.assertTrue(torch.equal(d.x[small.origin], small.x))

    def test_the_report_prints_as_a_table_wherever_the_data_goes(self):
        small = condense(data())
        self.assertIsInstance(small.report, graphbonsai.Report)
        for other in (small.clone(), small.to("cpu"), copy.copy(small), copy.deepcopy(small),
                      pickle.loads(pickle.dumps(small)), T.AddSelfLoops()(small)):
            self.assertEqual(str(other.report), str(small.report))
        self.assertNotIn("report", repr(small))

    def test_names_of_features(self):
        d = data()
        self.assertNotIn("feature_names", condense(d, method="herding"))
        names = ["w%d" % j for j in range(d.num_features)]
        d.feature_names = names
        self.assertEqual(pyg.from_data(d).feature_names, names)
        self.assertEqual(pyg.to_data(pyg.from_data(d)).feature_names, names)
        small = condense(d, method="trees", nodes=40, select_features=1)
        kept = [names[j] for j in small.kept_features]
        self.assertEqual(small.feature_names, kept)
        self.assertEqual(pyg.from_data(small.clone().to("cpu")).feature_names, kept)
        self.assertEqual(pyg.apply_features(d, small).feature_names, kept)
        self.assertEqual(graphbonsai.explain(small, 0)["feature_names"][0][0], "w")
        turned = d.clone()
        turned.x, turned.feature_names = d.x.flip(1), names[::-1]
        with self.assertRaisesRegex(graphbonsai.ArgumentError, 'feature 0 is "w.*" in the small'):
            pyg.apply_features(turned, small)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "feature .* is \"w"):
            graphbonsai.evaluate(small, turned, epochs=2, seeds=1, threads=1)
        batch = Batch.from_data_list([small, small])
        self.assertEqual(batch.to_data_list()[1].feature_names, kept)

    def test_features_that_were_selected_are_taken_of_the_full_graph(self):
        d = data()
        small = condense(d, method="trees", nodes=40, select_features=1)
        self.assertLess(small.num_features, d.num_features)
        for x in (d.x, d.x.to_sparse(), d.x.to_sparse_csr()):
            full = copy.copy(d)
            full.x = x
            cut = pyg.apply_features(full, small)
            self.assertIs(full.x, x)
            got = cut.x if cut.x.layout is torch.strided else cut.x.to_dense()
            self.assertTrue(torch.equal(got, d.x[:, small.kept_features]))
        self.assertTrue(torch.equal(pyg.apply_features(cut, small).x.to_dense(), got))
        self.assertIs(pyg.apply_features(d, condense(d, method="herding")).x, d.x)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "the full one has only 2"):
            d.x = d.x[:, :2]
            pyg.apply_features(d, small)

    def test_coordinates_bring_their_projection(self):
        d = data(nodes=600)
        small = condense(d, nodes=None, ratio=0.1, coordinates=True)
        self.assertEqual(tuple(small.projection.shape), (d.num_features, small.num_features))
        self.assertLess(small.num_features, d.num_features)
        low = d.x @ small.projection
        for x in (d.x, d.x.to_sparse(), d.x.to_sparse_csr()):
            full = copy.copy(d)
            full.x = x
            self.assertTrue(torch.allclose(pyg.apply_features(full, small).x, low, atol=1e-5))
            self.assertIs(full.x, x)
        again = pyg.from_data(small)
        self.assertTrue(np.array_equal(again.projection, small.projection.numpy()))
        self.assertTrue(torch.equal(pyg.to_data(again).projection, small.projection))
        self.assertTrue(np.allclose(pyg.from_data(d).project(again).x, low.numpy(), atol=1e-5))
        found = graphbonsai.evaluate(small, d, epochs=40, seeds=1, threads=1)
        self.assertGreater(found.mean, 50)
        network = Network("gcn", small.num_features, 3)
        self.assertEqual(pyg.evaluate(network, small, d)["nodes"], int(d.test_mask.sum()))
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "but the full one has 2"):
            d.x = d.x[:, :2]
            pyg.apply_features(d, small)

    def test_several_ratios_give_several_graphs(self):
        d = data()
        several = graphbonsai.condense(d, [0.02, 0.05], threads=1, progress=False)
        self.assertEqual(len(several), 2)
        self.assertTrue(same(several[0], condense(d, nodes=None, ratio=0.02)))

    def test_a_fresh_split_needs_no_masks(self):
        d = data()
        for name in ("train_mask", "val_mask", "test_mask"):
            del d[name]
        self.assertGreater(condense(d, split=(60, 20, 20)).num_nodes, 0)

    def test_progress_is_told_and_can_cancel(self):
        seen = []
        condense(data(), progress=lambda stage, done, total: seen.append(stage))
        self.assertTrue(seen)

        def stop(stage, done, total):
            raise KeyError("enough")
        with self.assertRaises(KeyError):
            condense(data(), progress=stop)


class Four(InMemoryDataset):
    """One graph, as datasets with files have it."""

    def __init__(self, root, pre_transform=None, transform=None):
        super().__init__(root, transform, pre_transform)
        self.load(self.processed_paths[0])

    raw_file_names = []
    processed_file_names = ["data.pt"]

    def process(self):
        one = data()
        self.save([one if self.pre_transform is None else self.pre_transform(one)],
                  self.processed_paths[0])


class Transform(unittest.TestCase):
    def test_it_is_a_transform(self):
        t = pyg.Condense(nodes=12, threads=1, progress=False)
        self.assertIsInstance(t, T.BaseTransform)
        d = data()
        self.assertTrue(same(t(d), condense(d)))

    def test_a_transform_shows_every_option(self):
        parameters = inspect.signature(pyg.Condense).parameters
        for name, field in _options.fields(_capi.CondenseOptions).items():
            self.assertEqual(parameters[name].default, field.default)
            self.assertRegex(inspect.getdoc(pyg.Condense.__init__), r"(?m)^    %s: " % name)

    def test_a_transform_needs_a_budget_when_it_is_made(self):
        lead = r"give one budget: ratio \(of the bytes, such as 0.01\), max_bytes, nodes or trees"
        for options, sentence in ((dict(), lead + "$"),
                                  (dict(ratio=0.1, nodes=5), lead + ", not ratio and nodes"),
                                  (dict(ratio=0), "ratio is 0; it must be above 0"),
                                  (dict(ratio=True), "ratio must be a number, not True")):
            with self.assertRaisesRegex(graphbonsai.Error, sentence):
                pyg.Condense(**options)

    def test_a_batch_is_condensed_as_one_graph_and_says_so(self):
        d = data()
        with self.assertWarnsRegex(UserWarning, "data is a Batch of 2 graphs, and is condensed to "
                                   r"one small graph; for a small graph of each, condense those of "
                                   r"data.to_data_list\(\)"):
            graphbonsai.condense(Batch.from_data_list([d, d]), nodes=12, threads=1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            graphbonsai.condense(Batch.from_data_list([d]), nodes=12, threads=1)

    def test_members_come_back(self):
        g = graphbonsai.generate(nodes=300, features=40, classes=3, threads=1)
        options = dict(nodes=12, method="prototypes", members=True, threads=1)
        d, made = pyg.to_data(g), graphbonsai.condense(g, **options)
        small = graphbonsai.condense(d, **options)
        self.assertEqual([part.tolist() for part in small.members],
                         [part.tolist() for part in made.members])
        self.assertTrue(pyg.from_data(small.clone()).equal(made))
        self.assertIsNone(graphbonsai.condense(d, nodes=12, threads=1).members)
        both, slices = InMemoryDataset.collate([small, graphbonsai.condense(d, **{
            **options, "nodes": 7})])
        first = separate(type(small), both, 0, slices, decrement=False)
        self.assertEqual(first.members[3].tolist(), made.members[3].tolist())
        again = graphbonsai.update(d, d, small, threads=1)
        self.assertIsInstance(again, pyg.CondensedData)
        self.assertTrue(pyg.from_data(again).equal(graphbonsai.update(g, g, made, threads=1)))

    def test_a_transform_takes_max_bytes(self):
        t = pyg.Condense(max_bytes=5000)
        self.assertEqual(repr(t), "Condense(method='auto', max_bytes=5000)")
        with self.assertRaisesRegex(graphbonsai.Error, 'did you mean "max_bytes"'):
            pyg.Condense(bytes=5000)

    def test_it_says_what_it_is(self):
        self.assertEqual(repr(pyg.Condense(0.01)), "Condense(ratio=0.01, method='auto')")
        t = pyg.Condense(ratio=0.01, method="trees", split_index=2, progress=print, seed=3, k=4)
        self.assertEqual(repr(t), "Condense(ratio=0.01, method='trees', split_index=2, k=4, seed=3)")

    def test_the_data_that_goes_in_is_not_changed(self):
        d = data()
        before = copy.deepcopy(d)
        x = d.x
        pyg.Condense(nodes=12, threads=1, progress=False)(d)
        self.assertTrue(same(before, d))
        self.assertIs(d.x, x)

    def test_it_goes_into_a_composition(self):
        small = T.Compose([T.NormalizeFeatures(), pyg.Condense(nodes=12, threads=1, progress=False),
                           T.AddSelfLoops()])(data())
        self.assertLessEqual(small.num_nodes, 12)
        self.assertTrue(small.has_self_loops())

    def test_it_has_a_functional_name(self):
        from torch_geometric.data.datapipes import DatasetAdapter
        small = list(DatasetAdapter([data()]).bonsai_condense(nodes=12, threads=1, progress=False))
        self.assertTrue(same(small[0], condense(data())))

    def test_it_is_copied_and_pickled(self):
        t = pyg.Condense(ratio=0.05, threads=1, progress=False)
        self.assertEqual(repr(pickle.loads(pickle.dumps(t))), repr(copy.deepcopy(t)))

    def test_it_runs_before_a_dataset_is_saved(self):
        with tempfile.TemporaryDirectory() as root, warnings.catch_warnings():
            warnings.simplefilter("error")
            t = pyg.Condense(nodes=12, threads=1, progress=False)
            first = Four(root, pre_transform=t)[0]
            self.assertTrue(os.path.exists(os.path.join(root, "processed", "data.pt")))
            again = Four(root, pre_transform=t)[0]          # from its file
            self.assertTrue(same(first, condense(data())))
            self.assertTrue(same(first, again))
            self.assertEqual(str(first.report), str(again.report))
            self.assertIsInstance(again.report, graphbonsai.Report)

    def test_it_runs_when_a_dataset_is_read(self):
        with tempfile.TemporaryDirectory() as root:
            t = pyg.Condense(nodes=12, threads=1, progress=False)
            self.assertTrue(same(Four(root, transform=t)[0], condense(data())))

    def test_a_misspelt_option_fails_at_once(self):
        with self.assertRaisesRegex(graphbonsai.ArgumentError, 'did you mean "layers"'):
            pyg.Condense(ratio=0.1, layrs=2)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "one number"):
            pyg.Condense(ratio=[0.1, 0.2])


def by_hand(scores, rows, weights, train):
    """The loss as doc/algorithm.md has it, node by node."""
    total = 0.0
    for i in train:
        top = max(scores[i])
        log_sum = top + np.log(sum(np.exp(s - top) for s in scores[i]))
        share = np.array(rows[i]) / sum(rows[i])
        total += weights[i] * (log_sum - float(share @ scores[i]))
    return total / sum(weights[i] for i in train)


class Loss(unittest.TestCase):
    def setUp(self):
        r = np.random.RandomState(1)
        self.scores = torch.tensor(3 * r.standard_normal((5, 3)))

    def test_it_is_the_weighted_mean_with_soft_labels(self):
        soft = [[0.5, 0.5, 0], [0.2, 0.2, 0.4], [0, 0, 0], [0, 0, 0], [1, 0, 0]]
        weights = [2.0, 1.0, 5.0, 7.0, 3.0]
        d = Data(y=torch.tensor([0, 2, 1, -1, 0]), y_soft=torch.tensor(soft),
                 node_weight=torch.tensor(weights),
                 train_mask=torch.tensor([True, True, True, True, False]))
        soft[2] = [0, 1, 0]             # without a soft label its class counts
        want = by_hand(self.scores.numpy(), soft, weights, [0, 1, 2])
        self.assertAlmostEqual(pyg.loss(self.scores, d).item(), want, 6)

    def test_without_soft_labels_and_weights_it_is_cross_entropy(self):
        d = Data(y=torch.tensor([0, 2, 1, -1, 0]))
        at = d.y >= 0
        want = torch.nn.functional.cross_entropy(self.scores[at], d.y[at])
        self.assertAlmostEqual(pyg.loss(self.scores, d).item(), want.item(), 12)

    def test_soft_labels_alone_are_enough(self):
        d = Data(y_soft=torch.tensor([[1.0, 0, 0], [0, 0, 0], [0, 3, 1], [0, 0, 0], [0, 0, 0]]))
        want = by_hand(self.scores.numpy(), d.y_soft.numpy(), [1.0] * 5, [0, 2])
        self.assertAlmostEqual(pyg.loss(self.scores, d).item(), want, 6)

    def test_class_weights_are_those_of_torch(self):
        d = Data(y=torch.tensor([0, 2, 1, -1, 0]))
        at, given = d.y >= 0, [1.0, 2.0, 0.5]
        want = torch.nn.functional.cross_entropy(self.scores[at], d.y[at],
                                                 weight=torch.tensor(given, dtype=torch.float64))
        for weights in (given, torch.tensor(given)):
            got = pyg.loss(self.scores, d, class_weight=weights)
            self.assertAlmostEqual(got.item(), want.item(), 12)
        balanced = pyg.loss(self.scores, d, class_weight="balanced")        # 4 / (3 * 2), 4 / 3
        self.assertAlmostEqual(
            balanced.item(), pyg.loss(self.scores, d, class_weight=[1, 2, 2]).item(), 12)

    def test_soft_labels_and_weights_are_balanced_too(self):
        soft = [[0.5, 0.5, 0], [0.25, 0.25, 0.5], [0, 0, 0], [0, 0, 0], [1, 0, 0]]
        d = Data(y=torch.tensor([0, 2, -1, -1, 0]), y_soft=torch.tensor(soft),
                 node_weight=torch.tensor([2.0, 4, 5, 7, 1]))
        self.assertAlmostEqual(             # each has 3, 2 and 2 of 7
            pyg.loss(self.scores, d, class_weight="balanced").item(),
            pyg.loss(self.scores, d, class_weight=[2, 3, 3]).item(), 6)
        self.assertAlmostEqual(pyg.loss(self.scores, d, class_weight=[1, 1, 1]).item(),
                               pyg.loss(self.scores, d).item(), 6)

    def test_class_weights_that_make_no_sense_are_refused(self):
        d = Data(y=torch.tensor([0, 2, 1, -1, 0]))
        for given, said in (([1, 2], "3 classes"), ([1, -1, 1], "from 0"), ([0, 0, 0], "above 0"),
                            ("even", 'nor "balanced"')):
            with self.assertRaisesRegex(graphbonsai.ArgumentError, said):
                pyg.loss(self.scores, d, class_weight=given)

    def test_it_is_what_the_library_minimises(self):
        """One step of Adam with a tiny rate: the loss that C tells is that of the first weights."""
        small = condense(data(), method="prototypes")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.npz")
            trained = graphbonsai.train(pyg.from_data(small), graph(), model="gcn", seeds=1,
                                        epochs=1, rate=1e-9, decay=0, threads=1, progress=False)
            trained.model.save(path)
            state = {k: torch.tensor(v) for k, v in np.load(path).items() if "." in k}
        net = Network("gcn", small.num_features, 3)
        net.load_state_dict(state)
        told = float(trained.runs[0]["loss"])
        got = pyg.loss(net(small.x, small.edge_index), small).item()
        self.assertAlmostEqual(got, told, 5)

    def test_its_slope_reaches_the_scores(self):
        small = condense(data(), method="prototypes")
        scores = torch.zeros(small.num_nodes, 3, requires_grad=True)
        pyg.loss(scores, small).backward()
        self.assertGreater(scores.grad.abs().sum().item(), 0)

    def test_scores_of_too_few_nodes_are_refused(self):
        with self.assertRaisesRegex(graphbonsai.ArgumentError, r"out has the shape \[5, 3\]"):
            pyg.loss(self.scores, data())
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "no labelled node"):
            pyg.loss(self.scores, Data(y=torch.full((5,), -1)))
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "row of scores"):
            pyg.loss(self.scores, Data(x=torch.ones(5, 1)))


class Refusals(unittest.TestCase):
    def refuses(self, d, sentence, **options):
        with self.assertRaisesRegex(graphbonsai.ArgumentError, sentence) as caught:
            condense(d, **options)
        self.assertIsInstance(caught.exception, ValueError)

    def changed(self, **fields):
        d = data()
        for name, value in fields.items():
            if value is None:
                del d[name]
            else:
                d[name] = value
        return d

    def test_several_kinds_of_nodes(self):
        hetero = HeteroData()
        hetero["paper"].x = torch.ones(3, 2)
        self.refuses(hetero, r"data\.to_homogeneous\(\)")
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "to_homogeneous"):
            pyg.Condense(0.1)(hetero)

    def test_a_dataset_instead_of_its_graph(self):
        with self.assertRaisesRegex(graphbonsai.ArgumentError, r"dataset\[0\]"):
            pyg.from_data([data()])

    def test_several_labels(self):
        self.refuses(self.changed(y=torch.ones(300, 4).long()), r"data\.y\.argmax\(1\)")

    def test_labels_that_are_no_classes(self):
        self.refuses(self.changed(y=torch.rand(300)), "are not classes")

    def test_missing_fields(self):
        self.refuses(self.changed(x=None), "data has no x.*OneHotDegree")
        self.refuses(self.changed(y=None), "data has no y.*class number")
        self.refuses(self.changed(edge_index=None), "neither edge_index nor adj_t")

    def test_a_split_that_is_missing_is_drawn(self):
        plain = self.changed(train_mask=None, val_mask=None, test_mask=None)
        with self.assertWarnsRegex(graphbonsai.SplitWarning, "the graph has no split"):
            drawn = condense(plain)
        same = condense(plain, split=(60, 20, 20))
        self.assertTrue(torch.equal(drawn.x, same.x))
        self.refuses(plain, "has no split of its own", split="own")

    def test_masks_without_the_training_part(self):
        d = self.changed()
        del d["train_mask"]
        self.refuses(d, r"no train_mask beside val_mask and test_mask: if all other nodes train, "
                        r"data.train_mask = ~\(data.val_mask \| data.test_mask\)")

    def test_masks_that_overlap(self):
        d = data()
        node = int(d.train_mask.nonzero()[0])
        d.val_mask = d.val_mask.clone()
        d.val_mask[node] = True
        self.refuses(d, f"train_mask and data.val_mask overlap: node {node}")

    def test_masks_of_another_form(self):
        self.refuses(self.changed(train_mask=torch.arange(20)), "train_mask is int64.*must be bool")
        self.refuses(self.changed(train_mask=torch.ones(20).bool()), r"\[20\], but there are 300")
        self.refuses(self.changed(train_mask=torch.ones(300, 4).bool()), "has 4 splits: 0..3",
                     split_index=4)
        self.refuses(self.changed(train_mask=torch.ones(300, 4).bool()), "split_index is -1",
                     split_index=-1)

    def test_features_of_another_type(self):
        for kind in ("double", "bfloat16", "long", "bool"):
            d = data()
            d.x = getattr(d.x, kind)()
            want = data()
            want.x = d.x.float()
            self.assertTrue(pyg.from_data(d).equal(pyg.from_data(want)), kind)
        x = torch.eye(2).bfloat16()             # which NumPy does not have
        self.assertEqual(graphbonsai.Graph.from_arrays(x=x).x.tolist(), x.tolist())
        self.refuses(self.changed(x=torch.ones(300, 2, dtype=torch.complex64)),
                     r"data\.x is complex64; it must hold real numbers")

    def test_features_of_another_shape(self):
        self.refuses(self.changed(x=torch.ones(300)), r"\[300\]; it must be \[nodes, features\]")
        self.refuses(self.changed(x=torch.ones(20, 3)), r"but there are 20 nodes|outside")

    def test_features_that_are_no_numbers(self):
        for value in ("nan", "inf"):
            d = data(dense=1)
            d.x[7, 3] = float(value)
            self.refuses(d, rf"^x\[7, 3\] is {value}, which is not finite$")

    def test_edges_that_lead_nowhere(self):
        for node in (300, -1):
            d = data()
            d.edge_index = d.edge_index.clone()
            d.edge_index[0, 5] = node
            with self.assertRaisesRegex(graphbonsai.Error, f"{node}.*0..299|{node}.*negative"):
                condense(d)

    def test_edges_of_another_form(self):
        self.refuses(self.changed(edge_index=torch.zeros(3, 5).long()), r"\[2, edges\]")
        self.refuses(self.changed(edge_index=torch.zeros(2, 5)), "float32; node numbers")

    def test_edge_weights_of_another_form(self):
        d = data()
        m = d.num_edges
        self.refuses(self.changed(edge_attr=torch.ones(m, 3)), "one weight an edge")
        self.refuses(self.changed(edge_weight=torch.ones(m - 1)), f"but there are {m} edges")
        d.edge_weight = -torch.ones(m)
        with self.assertRaises(graphbonsai.Error):
            condense(d)

    def test_another_device(self):
        self.refuses(self.changed(x=torch.ones(300, 40, device="meta")),
                     r"data\.x is on the device meta, which holds no numbers")
        for name in ("y", "edge_index", "train_mask"):
            self.refuses(self.changed(**{name: data()[name].to("meta")}), "on the device meta")

    @unittest.skipUnless(torch.cuda.is_available(), "no GPU here")
    def test_a_gpu(self):
        here = graphbonsai.condense(data(), nodes=12, threads=1)
        there = graphbonsai.condense(data().to("cuda"), nodes=12, threads=1)
        for name in ("x", "y", "edge_index", "train_mask"):
            self.assertEqual(there[name].device.type, "cuda")
            self.assertTrue(torch.equal(there[name].cpu(), here[name]))
        judged = graphbonsai.evaluate(there, data().to("cuda"), epochs=5, seeds=1, threads=1)
        self.assertEqual(judged.mean,
                         graphbonsai.evaluate(here, data(), epochs=5, seeds=1, threads=1).mean)

    def test_no_budget_and_two(self):
        self.refuses(data(), "one budget", nodes=None)
        self.refuses(data(), "one budget", nodes=3, ratio=0.1)

    def test_an_option_that_does_not_exist(self):
        self.refuses(data(), 'did you mean "hard_labels"', hard_label=1)



class Calls(unittest.TestCase):
    def test_data_goes_wherever_a_graph_does(self):
        d = data()
        small = graphbonsai.condense(d, nodes=12, method="prototypes", threads=1)
        whole = pyg.from_data(d)
        graph = graphbonsai.condense(whole, nodes=12, method="prototypes", threads=1)
        options = dict(model="gcn", epochs=20, seeds=2, threads=1)
        self.assertEqual(graphbonsai.evaluate(small, d, **options).mean,
                         graphbonsai.evaluate(graph, whole, **options).mean)
        self.assertEqual(graphbonsai.info(d)["nodes"], d.num_nodes)
        self.assertEqual(graphbonsai.train(d, **options).mean,
                         graphbonsai.train(whole, **options).mean)


class Fresh(unittest.TestCase):
    """Ways in which a Data is used that once failed."""

    def setUp(self):
        self.d = data(dense=1)
        self.small = graphbonsai.condense(self.d, 0.1, threads=1, progress=False)

    def refuses(self, text, function, *arguments, **named):
        with self.assertRaisesRegex(graphbonsai.ArgumentError, text):
            function(*arguments, **named)

    def test_a_full_graph_with_the_kept_features_is_one_to_judge_on(self):
        small = graphbonsai.condense(self.d, 0.1, select_features=1, method="prototypes",
                                     threads=1, progress=False)
        full = pyg.apply_features(self.d, small)
        self.assertLess(full.x.shape[1], self.d.x.shape[1])
        named = dict(epochs=5, seeds=1, threads=1)
        self.assertEqual(graphbonsai.evaluate(small, full, **named).mean,
                         graphbonsai.evaluate(small, self.d, **named).mean)

    def test_a_batch_has_the_reports_of_its_graphs(self):
        from torch_geometric.data import Batch
        batch = Batch.from_data_list([self.small, self.small])
        self.assertEqual([str(one) for one in batch.report], [str(self.small.report)] * 2)
        self.assertEqual([one["options"] for one in batch.report],
                         [self.small.report["options"]] * 2)
        self.assertTrue(batch._repr_html_().startswith("<code>"))

    def test_a_notebook_shows_the_data_and_a_card(self):
        away = self.small.clone().to("meta")        # as on a GPU
        for one in (self.small, away):
            self.assertEqual(one._repr_html_(), "<code>%s</code>%s" %
                             (html.escape(repr(one)), self.small.report._repr_html_()))

    def test_workers_of_a_loader_condense_after_the_main_process_did(self):
        from torch_geometric.loader import DataLoader
        graphbonsai.condense(self.d, 0.1, threads=2, progress=False)

        class Set(torch.utils.data.Dataset):
            def __len__(self):
                return 3

            def __getitem__(self, i, d=self.d):
                return pyg.Condense(ratio=0.1, threads=2, progress=False)(d)
        sizes = [b.num_nodes for b in DataLoader(Set(), num_workers=2, timeout=60)]
        self.assertEqual(sizes, [self.small.num_nodes] * 3)

    def test_a_dataset_is_told_to_give_its_graph(self):
        from torch_geometric.data import InMemoryDataset
        for call in (lambda d: graphbonsai.condense(d, 0.1), graphbonsai.info):
            self.refuses(r"dataset\[0\]", call, InMemoryDataset())

    def test_adj_t_of_another_size(self):
        other = copy.copy(self.d)
        del other.edge_index
        other.adj_t = torch.eye(3).to_sparse()
        self.refuses(r"data.adj_t has the shape \[3, 3\], but there are", pyg.from_data, other)

    def test_labels_that_are_infinite(self):
        self.d.y = self.d.y.float()
        self.d.y[2] = float("inf")
        self.refuses("data.y has inf", pyg.from_data, self.d)

    def test_a_ratio_of_numpy_is_a_number(self):
        self.assertEqual(pyg.Condense(np.float32(0.5)).ratio, 0.5)
        self.refuses("a transform makes one graph", pyg.Condense, [0.1])
        self.refuses("ratio must be a number", pyg.Condense, "a")

    def test_the_loss_of_labels_in_other_ways(self):
        out = torch.randn(self.d.num_nodes, int(self.d.y.max()) + 1)
        want, other = pyg.loss(out, self.d), copy.copy(self.d)
        for y in (self.d.y.view(-1, 1), self.d.y.float()):
            other.y = y
            self.assertEqual(float(pyg.loss(out, other)), float(want))
        self.refuses("scores a node, but y has the class", pyg.loss, out[:, :1], self.d)
        self.refuses("scores a node, but there are", pyg.loss,
                     torch.randn(self.small.num_nodes, 1), self.small)
        other.train_mask = torch.stack([self.d.train_mask] * 2, 1)
        self.refuses("choose one split", pyg.loss, out, other)


if __name__ == "__main__":
    unittest.main()
