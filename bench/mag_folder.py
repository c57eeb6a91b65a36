#!/usr/bin/env python3
"""mag_folder.py FOLDER NODES EDGES FEATURES -- makes a folder in MAG240M's layout.

Papers cite papers of lower numbers, some far more often than others; one in a hundred has a label
and is in the split, four of five of those for training.  Arrays are written piece by piece, so
memory does not grow with them.  Needs numpy.

SPDX-License-Identifier: MIT"""
import os
import pickle
import sys
import zipfile

import numpy as np
from numpy.lib import format as npy

PIECE = 1 << 21


def pieces(count):
    """(begin, end) of runs that fit in memory."""
    return [(i, min(i + PIECE, count)) for i in range(0, count, PIECE)]


def array(path, dtype, shape):
    """A .npy file whose header is written."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    file = open(path, "wb")
    npy.write_array_header_1_0(file, {"descr": np.dtype(dtype).str, "fortran_order": False,
                                      "shape": shape})
    return file


def write_features(path, nodes, features, rng):
    step = max(1, PIECE // features)
    with array(path, "<f2", (nodes, features)) as file:
        for i in range(0, nodes, step):
            rows = min(step, nodes - i)
            file.write(rng.standard_normal((rows, features), np.float32).astype("<f2").tobytes())


def write_edges(path, nodes, edges, seed):
    """Sources, then targets: both are drawn by the same numbers, twice."""
    with array(path, "<i8", (2, edges)) as file:
        for end in range(2):
            for i, (a, b) in enumerate(pieces(edges)):
                rng = np.random.default_rng((seed, i))
                source = rng.integers(1, nodes, b - a)
                target = (source * rng.random(b - a) ** 2).astype(np.int64)
                file.write((target if end else source).tobytes())


def save(path, what):
    """As torch.save writes numbers and arrays: a pickle of protocol 2 in an archive."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(what, protocol=2))
        archive.writestr("archive/version", "3\n")


def main(folder, nodes, edges, features):
    rng = np.random.default_rng(1)
    label = np.full(nodes, np.nan, np.float32)
    known = np.flatnonzero(rng.random(nodes) < 0.01)
    label[known] = rng.integers(0, 153, len(known))
    paper = os.path.join(folder, "processed", "paper")
    with array(os.path.join(paper, "node_label.npy"), "<f4", (nodes,)) as file:
        file.write(label.tobytes())
    write_features(os.path.join(paper, "node_feat.npy"), nodes, features, rng)
    write_edges(os.path.join(folder, "processed", "paper___cites___paper", "edge_index.npy"), nodes,
                edges, 2)
    rng.shuffle(known)
    a, b = len(known) * 8 // 10, len(known) * 9 // 10
    save(os.path.join(folder, "split_dict.pt"),
         {"train": known[:a], "valid": known[a:b], "test": known[b:]})
    save(os.path.join(folder, "meta.pt"), {"paper": nodes, "author": 1, "institution": 1,
                                           "num_classes": 153})


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
