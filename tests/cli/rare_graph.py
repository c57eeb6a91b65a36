"""Writes a graph as text into this folder: every 50th node is of a rare class, which features tell.

rare_graph.py NODES SIGNAL: with the signal 0 they do not.

SPDX-License-Identifier: MIT
"""
import random
import sys

n, signal = int(sys.argv[1]), float(sys.argv[2])
draw = random.Random(5)


def bell():
    """A number of mean 0 and spread 1, of sums alone: the same on any machine."""
    return sum(draw.random() for _ in range(12)) - 6


with open("features.csv", "w") as out:
    for v in range(n):
        row = [bell() + (signal if k < 2 and v % 50 == 0 else 0) for k in range(12)]
        out.write(",".join("%.3f" % x for x in row) + "\n")
with open("labels.csv", "w") as out:
    out.write("id,label,split\n")
    for v in range(n):
        part = ("train", "train", "train", "val", "test")[draw.randrange(5)]
        out.write("%d,%s,%s\n" % (v, "fraud" if v % 50 == 0 else "fine", part))
with open("edges.csv", "w") as out:
    out.write("source,target\n")
    for v in range(n):
        for i in range(3):
            to = draw.randrange(n)
            out.write("%d,%d\n" % (v, to - to % 50 if v % 50 == 0 and i else to))
