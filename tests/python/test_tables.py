"""Graphs of other sources: labels that are names, tables, networkx, igraph, and their files.

SPDX-License-Identifier: MIT
"""
import numpy as np

import testing
from graphbonsai import Graph
from testing import triangle


class Labels(testing.Case):
    def test_texts_are_classes_in_sorted_order(self):
        for y in (["red", "blue", "red"], np.array(["red", "blue", "red"]),
                  np.array([b"red", b"blue", b"red"])):
            g = triangle(y=y)
            self.assertEqual((g.y.tolist(), g.class_names), ([1, 0, 1], ["blue", "red"]))
        g = triangle(y=["10", "9", "10"])
        self.assertEqual((g.y.tolist(), g.class_names), ([1, 0, 1], ["9", "10"]))

    def test_a_text_that_is_missing_is_unknown(self):
        for missing in (None, float("nan"), ""):
            g = triangle(y=np.array(["b", missing, "a"], object))
            self.assertEqual((g.y.tolist(), g.class_names), ([1, -1, 0], ["a", "b"]))
        self.assertEqual(triangle(y=np.array([2, None, 0], object)).y.tolist(), [2, -1, 0])

    def test_class_names_give_the_order_of_texts(self):
        g = triangle(y=["b", "a", "b"], class_names=["b", "c", "a"])
        self.assertEqual((g.y.tolist(), g.class_names), ([0, 2, 0], ["b", "c", "a"]))
        self.refuses("y has the label 'b', which is none of the class names", triangle,
                     y=["b", "a", "b"], class_names=["a"])
        self.refuses("y has a label that is a list; it must be a text or a number", triangle,
                     y=np.array([["b"], "a", ("c", "d")], object))

    def test_numbers_are_class_numbers_unless_relabelled(self):
        y = np.array([20, 0, 10])
        self.assertEqual((triangle(y=y).num_classes, triangle(y=y).class_names), (21, None))
        g = triangle(y=y, relabel=True)
        self.assertEqual((g.y.tolist(), g.class_names), ([2, 0, 1], ["0", "10", "20"]))
        g = triangle(y=[1, -1, 0], relabel=True)
        self.assertEqual((g.y.tolist(), g.class_names), ([1, -1, 0], None))
        self.refuses("y has the label -7; labels are 0, 1, ..., or -1 for unknown", triangle,
                     y=[-7, 0, 1], relabel=True)

    def test_names_of_nodes(self):
        g = triangle(node_names=["a", 7, "\u00e9"])
        self.assertEqual(g.node_names, ["a", "7", "\u00e9"])
        self.assertEqual(g.induce([2, 0]).node_names, ["\u00e9", "a"])
        self.refuses("node_names has 2 nodes but x has 3", triangle, node_names=["a", "b"])
        self.refuses("a node name has a zero byte in it", triangle, node_names=["a\0", "b", "c"])


if __name__ == "__main__":
    testing.main()
