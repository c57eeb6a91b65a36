"""Writes a graph of the size of Cora, as text, into this folder: the program knows it by that.

Neighbours mostly share their class, and so do words, so that there is something to learn.

SPDX-License-Identifier: MIT
"""
n, half, f, classes = 2708, 5278, 1433, 7
label = [v * classes // n for v in range(n)]
with open("features.csv", "w") as out:
    out.write("node,feature\n")
    for v in range(n):
        words = {label[v] * 200 + v * 7 % 190, label[v] * 200 + v * 13 % 190, v * 31 % f}
        out.writelines("%d,%d\n" % (v, w) for w in sorted(words))
with open("labels.csv", "w") as out:
    out.write("id,label\n")
    out.writelines("%d,%d\n" % (v, label[v]) for v in range(n))
with open("edges.csv", "w") as out:
    out.write("source,target\n")
    out.writelines("%d,%d\n" % (i % n, (i % n + 1 + i // n) % n) for i in range(half))
