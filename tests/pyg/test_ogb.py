"""test_ogb.py -- graphbonsai.ogb on OGB's dictionaries; with the package ogb where it is installed.

SPDX-License-Identifier: MIT"""
import os
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np
import torch

import graphbonsai
from graphbonsai import ogb as ours
from graphbonsai import pyg

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ogb.nodeproppred import NodePropPredDataset, PygNodePropPredDataset
    WHY = None
except Exception as e:
    WHY = f"ogb cannot be imported: {e}"

PARTS = (("train", "train_mask"), ("valid", "val_mask"), ("test", "test_mask"))


def graph():
    return graphbonsai.generate(nodes=300, features=20, classes=3, dense=1, seed=5, threads=1)


def pieces():
    """(graph, labels, split) as NodePropPredDataset hands them out."""
    g = graph()
    made = {"edge_index": np.array(g.edge_index), "edge_feat": None, "node_feat": np.array(g.x),
            "num_nodes": 300}
    return made, np.array(g.y).reshape(-1, 1), {name: np.flatnonzero(getattr(g, mask))
                                                for name, mask in PARTS}


class Standing:
    """As NodePropPredDataset, or, with a Data, as PygNodePropPredDataset."""

    def __init__(self, one, split):
        self.one, self.split = one, split

    def __getitem__(self, i):
        return self.one

    def get_idx_split(self):
        return self.split


def condense(data, **options):
    given = dict(nodes=12, threads=1, progress=False)
    given.update(options)
    return graphbonsai.condense(data, **given)


class Dictionaries(unittest.TestCase):
    def refuses(self, sentence, graph=None, labels=None, split=None, **options):
        g, y, s = pieces()
        g.update(graph or {})
        data = (g, y if labels is None else labels, s if split is None else split)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, sentence):
            condense(data, **options)

    def test_they_give_the_graph(self):
        self.assertTrue(graph().equal(ours.from_data(pieces())))

    def test_the_split_may_be_tensors(self):
        g, y, s = pieces()
        s = {k: torch.from_numpy(v) for k, v in s.items()}
        self.assertTrue(graph().equal(ours.from_data((g, y, s))))

    def test_features_are_not_copied(self):
        data = pieces()
        at = data[0]["node_feat"].__array_interface__["data"][0]
        self.assertEqual(ours.from_data(data).x.__array_interface__["data"][0], at)

    def test_they_are_condensed(self):
        want = condense(graph())
        self.assertTrue(want.equal(condense(pieces())))
        g, y, s = pieces()
        self.assertTrue(want.equal(condense(Standing((g, y), s))))
        self.assertEqual(len(condense((g, y, s), nodes=None, ratio=[0.05, 0.1])), 2)

    def test_a_dataset_of_pyg_gives_a_data(self):
        _, _, split = pieces()
        data = pyg.to_data(graph())
        for _, mask in PARTS:
            del data[mask]
        small = condense(Standing(data, split))
        self.assertIsInstance(small, pyg.Data)
        self.assertNotIn("train_mask", data)
        self.assertTrue(condense(graph()).equal(pyg.from_data(small)))

    def test_labels_that_are_nan_are_unknown(self):
        g, y, s = pieces()
        y = y.astype(np.float64)
        y[s["test"][0]] = np.nan
        self.assertEqual(ours.from_data((g, y, s)).y[s["test"][0]], -1)

    def test_features_of_another_type(self):
        g, y, s = pieces()
        wide = {**g, "node_feat": g["node_feat"].astype(np.float64)}
        self.assertTrue(ours.from_data((wide, y, s)).equal(ours.from_data((g, y, s))))

    def test_a_fresh_split_needs_none(self):
        g, y, _ = pieces()
        self.assertGreater(len(condense((g, y), split=(60, 20, 20))), 0)
        with self.assertWarns(graphbonsai.SplitWarning):
            condense((g, y))

    def test_refusals(self):
        self.refuses("several labels", labels=np.zeros((300, 112)))
        self.refuses("but there are 300 nodes", labels=np.zeros(20))
        self.refuses("not classes", labels=np.linspace(0, 1, 300))
        self.refuses("several kinds", labels={"paper": np.zeros(300)})
        self.refuses('no "node_feat"', graph={"node_feat": None})
        self.refuses("several kinds of nodes", graph={"edge_index_dict": {}})
        self.refuses('no "valid"', split={"train": [0], "test": [1]})
        with self.assertRaises(graphbonsai.Error):      # a node in two parts
            condense((*pieces()[:2], {"train": [0, 1, 2], "valid": [2], "test": [3]}))
        with self.assertRaises(graphbonsai.Error):      # a node that is not there
            condense((*pieces()[:2], {"train": [0, 300], "valid": [2], "test": [3]}))


def write_dataset(folder):
    """The raw files of a small dataset, as the package ogb downloads them; its description."""
    import gzip
    g, y, split = pieces()

    def put(path, rows, form):
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with gzip.open(path, "wt") as f:
            np.savetxt(f, rows, fmt=form, delimiter=",")
    put("raw/edge.csv.gz", g["edge_index"].T, "%d")
    put("raw/node-feat.csv.gz", g["node_feat"], "%.9g")
    put("raw/num-node-list.csv.gz", [300], "%d")
    put("raw/num-edge-list.csv.gz", [g["edge_index"].shape[1]], "%d")
    put("raw/node-label.csv.gz", y, "%d")
    for name, rows in split.items():
        put(f"split/given/{name}.csv.gz", rows, "%d")
    os.makedirs(os.path.join(folder, "processed"))
    open(os.path.join(folder, "RELEASE_v1.txt"), "w").close()
    return {"dir_path": folder, "version": 1, "download_name": "none", "num tasks": 1,
            "task type": "multiclass classification", "eval metric": "acc", "num classes": 3,
            "is hetero": "False", "binary": "False", "add_inverse_edge": "False", "url": "",
            "split": "given", "additional node files": "None", "additional edge files": "None",
            "has_node_attr": "True", "has_edge_attr": "False"}


@unittest.skipIf(WHY, WHY)
class Package(unittest.TestCase):
    def test_its_dataset_is_condensed(self):
        with tempfile.TemporaryDirectory() as folder:
            dataset = NodePropPredDataset("ours", meta_dict=write_dataset(folder))
            self.assertTrue(graph().equal(ours.from_data(dataset)))
            self.assertTrue(condense(graph()).equal(condense(dataset)))

    def test_its_dataset_for_pyg_is_condensed(self):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # ogb 1.3.6 reads its own file in a way that torch refuses since 2.6
            with unittest.mock.patch.dict(os.environ, TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD="1"):
                dataset = PygNodePropPredDataset("ours", meta_dict=write_dataset(folder))
            self.assertTrue(condense(graph()).equal(pyg.from_data(condense(dataset))))


class Frames(unittest.TestCase):
    def test_a_dataset_of_pyg_is_taken_wherever_a_graph_is(self):
        g = graph()

        class Dataset:
            def __getitem__(self, i):
                d = pyg.to_data(g)
                for _, mask in PARTS:
                    del d[mask]
                return d

            def get_idx_split(self):
                return {name: torch.from_numpy(np.flatnonzero(getattr(g, mask)))
                        for name, mask in PARTS}
        self.assertTrue(ours.from_data(Dataset()).equal(g))
        self.assertEqual(graphbonsai.info(Dataset())["nodes"], 300)

    def test_indices_and_labels_that_are_not_numbers_of_anything(self):
        made, labels, split = pieces()
        for given in ((made, labels.astype(str), split), (made, labels * np.inf, split),
                      (made, labels, {**split, "train": [0.5]}),
                      ({**made, "num_nodes": "a"}, labels, split)):
            with self.assertRaises(graphbonsai.ArgumentError):
                ours.from_data(given)


class Mag240m(unittest.TestCase):
    """Folders in MAG240M's layout whose .pt files torch.save writes, in both of its layouts."""

    def write(self, folder, split, zipped):
        made, y, _ = pieces()
        known = np.where(np.arange(300) % 3 == 0, y[:, 0], np.nan).astype(np.float32)
        for name, array in (("paper/node_feat", made["node_feat"].astype(np.float16)),
                            ("paper/node_label", known),
                            ("paper___cites___paper/edge_index", made["edge_index"])):
            path = os.path.join(folder, "processed", name + ".npy")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            np.save(path, array)
        meta = {"paper": 300, "author": 7, "institution": 2, "num_classes": 3}
        for name, what in (("meta", meta), ("split_dict", split)):
            torch.save(what, os.path.join(folder, name + ".pt"),
                       _use_new_zipfile_serialization=zipped)
        return made, known

    def test_reads_what_torch_saves(self):
        lists = {"train": np.arange(0, 150, 3), "valid": np.arange(150, 240, 3),
                 "test": np.arange(240, 300, 3)}
        as_tensors = {name: torch.from_numpy(nodes) for name, nodes in lists.items()}
        for split in (lists, as_tensors):
            for zipped in (True, False):
                with tempfile.TemporaryDirectory() as folder:
                    made, known = self.write(folder, split, zipped)
                    g = graphbonsai.Graph.load(folder)
                    np.testing.assert_array_equal(g.x, made["node_feat"].astype(np.float16))
                    np.testing.assert_array_equal(g.y, np.nan_to_num(known, nan=-1))
                    np.testing.assert_array_equal(g.edge_index, made["edge_index"])
                    for name, mask in PARTS:
                        np.testing.assert_array_equal(np.flatnonzero(getattr(g, mask)),
                                                      lists[name])
                    path = os.path.join(folder, "some.bonsai")
                    g.save(path, labelled=True)
                    np.testing.assert_array_equal(graphbonsai.Graph.load(path).x,
                                                  np.array(g.x)[::3])


if __name__ == "__main__":
    unittest.main()
