"""test_accuracy.py -- accuracy.py on Cora with few seeds, in half a minute.

SPDX-License-Identifier: MIT"""
import os
import sys
import unittest

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import accuracy                 # noqa: E402
import graphbonsai              # noqa: E402

SEEDS = 4


@unittest.skipIf(accuracy.data_folder() is None, "the planetoid files are not there")
class Cora(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(2)
        cls.graph, cls.full = accuracy.load("cora")
        cls.small = graphbonsai.condense(cls.full, ratio=0.01, threads=2, progress=False)

    def agrees(self, kind):
        row = accuracy.compare(kind, self.small, self.full, self.graph, SEEDS, threads=2)
        self.assertLessEqual(row[4], accuracy.LIMIT, row)
        self.assertGreater(row[0], 70, row)         # of 7 classes, the largest has 30 %

    def test_gcn_reaches_what_the_library_reports(self):
        self.agrees("gcn")

    def test_gat_reaches_what_the_library_reports(self):
        self.agrees("gat")

    def test_gin_reaches_what_the_library_reports(self):
        self.agrees("gin")

    def test_sage_reaches_what_the_library_reports(self):
        self.agrees("sage")


if __name__ == "__main__":
    unittest.main()
