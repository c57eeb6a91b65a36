"""Writes a graph of the size of Flickr, as text, into this folder: the program knows it by that.

SPDX-License-Identifier: MIT
"""
n, half, f = 89250, 449878, 500
with open("features.csv", "w") as out:
    out.write("node,feature\n")
    out.writelines("%d,%d\n" % (v, v % f) for v in range(n))
with open("labels.csv", "w") as out:
    out.write("id,label,split\n")
    out.writelines("%d,%d,%s\n" % (v, v % 7, ("train", "val", "test")[v % 3]) for v in range(n))
with open("edges.csv", "w") as out:
    out.write("source,target\n")
    out.writelines("%d,%d\n" % (i % n, (i % n + 1 + i // n) % n) for i in range(half))
