"""inputs.py FOLDER -- writes small graphs in the formats that bonsai reads but does not write.

They hold what `bonsai generate` never makes: weighted, directed and repeated edges, self loops, nodes
without a label, names with commas and quotes.  The same bytes every time; the standard library alone.

SPDX-License-Identifier: MIT
"""
import gzip
import json
import pathlib
import random
import struct
import sys
import zipfile

CODES = {"f2": "e", "f4": "f", "f8": "d", "i2": "h", "i4": "i", "i8": "q", "b1": "?"}
NODES, FEATURES, CLASSES = 240, 12, 4


def array(values, kind, shape=None, columns=False):
    """The bytes of a .npy file."""
    shape = (len(values),) if shape is None else shape
    head = "{'descr': '%s', 'fortran_order': %r, 'shape': %r, }" % (kind, columns, shape)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    order = ">" if kind[0] == ">" else "<"
    data = values if kind == "|S3" else struct.pack(order + str(len(values)) + CODES[kind[1:]], *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def archive(path, members):
    with zipfile.ZipFile(path, "w") as out:
        for name, data in members.items():
            out.writestr(zipfile.ZipInfo(name + ".npy"), data)


def zipped(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def flat(rows):
    return [x for row in rows for x in row]


class Graph:
    """Four classes whose nodes have like features and mostly point to each other."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.label = [draw.randrange(CLASSES) for _ in range(NODES)]
        self.x = [[round(draw.gauss(2.0 * (j % CLASSES == c), 1), 3) for j in range(FEATURES)]
                  for c in self.label]
        self.edges = [self.edge(draw, u) for u in range(NODES) for _ in range(3)]
        self.weight = [draw.choice((0.25, 0.5, 1, 2)) for _ in self.edges]
        self.part = draw.choices(("train", "val", "test"), (6, 2, 2), k=NODES)

    def edge(self, draw, u):
        same = [v for v in range(NODES) if self.label[v] == self.label[u]]
        return u, draw.choice(same) if draw.random() < 0.8 else draw.randrange(NODES)

    def where(self, part):
        return [i for i in range(NODES) if self.part[i] == part]

    def rows(self):
        """Each node's neighbours, sorted: compressed rows."""
        near = [sorted(v for u, v in self.edges if u == i) for i in range(NODES)]
        offsets = [sum(map(len, near[:i])) for i in range(NODES + 1)]
        return offsets, flat(near)


def edge_members(g):
    ends = [u for u, _ in g.edges] + [v for _, v in g.edges]
    return {"edge_index": array(ends, "<i8", (2, len(g.edges))),
            "x": array(flat(g.x), "<f4", (NODES, FEATURES)), "y": array(g.label, "<i8")}


def write_directed(folder, g):
    split = {part + "_idx": array(g.where(part), "<i8") for part in ("train", "val", "test")}
    archive(folder / "directed.npz", {**edge_members(g), **split})


def write_weighted(folder, g):
    split = {part + "_mask": array([p == part for p in g.part], "|b1") for part in ("train", "val", "test")}
    archive(folder / "weighted.npz", {**edge_members(g), **split, "edge_weight": array(g.weight, "<f4")})


def write_partial(folder, g):
    """Every third node without a label; no split."""
    label = [-1 if i % 3 == 0 else c for i, c in enumerate(g.label)]
    archive(folder / "partial.npz", {**edge_members(g), "y": array(label, "<i8")})


def write_nosplit(folder, g):
    archive(folder / "nosplit.npz", edge_members(g))


def write_sparse(folder, g):
    """Sparse rows out of order, with an entry twice and a stored zero; big-endian ids, halves."""
    index = flat([[i % FEATURES, i % 5, FEATURES - 1, 0] for i in range(NODES)])
    value = flat([[1.5, 0, 2, 0.25]] * NODES)
    ends = [u for u, _ in g.edges] + [v for _, v in g.edges]
    archive(folder / "unsorted.npz", {
        "edge_index": array(ends, ">i4", (2, len(g.edges))), "num_nodes": array([NODES], "<i8"),
        "x_data": array(value, "<f2"), "x_indices": array(index, "<i2"), "y": array(g.label, "<i2"),
        "x_indptr": array(range(0, 4 * NODES + 1, 4), "<i4"), "x_shape": array([NODES, FEATURES], "<i8")})


def write_columns(folder, g):
    """Arrays in Fortran's order, edges as pairs; a graph that says how it was standardised."""
    by_column = [g.x[i][j] for j in range(FEATURES) for i in range(NODES)]
    archive(folder / "standard.npz", {
        "edge_index": array(flat(g.edges), "<i8", (2, len(g.edges)), True), "y": array(g.label, "<i2"),
        "x": array(by_column, "<f8", (NODES, FEATURES), True),
        "graph_flags": array([0], "<i8"), "num_classes": array([CLASSES], "<i8"),
        "feature_mean": array([0.5] * FEATURES, "<f4"), "feature_spread": array([2.0] * FEATURES, "<f4")})


def write_bench(folder, g):
    """The layout of gnn-benchmark, with features in double precision."""
    offsets, near = g.rows()
    archive(folder / "bench.npz", {
        "adj_data": array([1.0] * len(near), "<f4"), "adj_indices": array(near, "<i4"),
        "adj_indptr": array(offsets, "<i4"), "adj_shape": array([NODES, NODES], "<i8"),
        "attr_matrix": array(flat(g.x), "<f8", (NODES, FEATURES)), "labels": array(g.label, "<i8")})


def write_graphsaint(folder, g):
    folder = folder / "saint"
    folder.mkdir()
    offsets, near = g.rows()
    archive(folder / "adj_full.npz", {
        "indices": array(near, "<i4"), "indptr": array(offsets, "<i4"), "format": array(b"csr", "|S3", ()),
        "shape": array([NODES, NODES], "<i8"), "data": array([1.0] * len(near), "<f4")})
    (folder / "feats.npy").write_bytes(array(flat(g.x), "<f8", (NODES, FEATURES)))
    (folder / "class_map.json").write_text(json.dumps(dict(enumerate(g.label))))
    (folder / "role.json").write_text(json.dumps(
        {name: g.where(part) for name, part in (("tr", "train"), ("va", "val"), ("te", "test"))}))


def write_ogb(folder, g):
    raw, split = folder / "ogbn" / "raw", folder / "ogbn" / "split" / "time"
    zipped(raw / "edge.csv.gz", g.edges)
    zipped(raw / "num-node-list.csv.gz", [[NODES]])
    zipped(raw / "num-edge-list.csv.gz", [[len(g.edges)]])
    zipped(raw / "node-feat.csv.gz", g.x)
    zipped(raw / "node-label.csv.gz", [[c] for c in g.label])
    for name, part in (("train", "train"), ("valid", "val"), ("test", "test")):
        zipped(split / (name + ".csv.gz"), [[i] for i in g.where(part)])


def write_ogb_arrays(folder, g):
    """The binary form, with labels in floats and some unknown."""
    raw, split = folder / "ogbarrays" / "raw", folder / "ogbarrays" / "split" / "random"
    raw.mkdir(parents=True)
    ends = [u for u, _ in g.edges] + [v for _, v in g.edges]
    archive(raw / "data.npz", {
        "num_nodes_list": array([NODES], "<i8"), "num_edges_list": array([len(g.edges)], "<i8"),
        "edge_index": array(ends, "<i8", (2, len(g.edges))),
        "node_feat": array(flat(g.x), "<f2", (NODES, FEATURES))})
    label = [float("nan") if i % 9 == 0 else c for i, c in enumerate(g.label)]
    archive(raw / "node-label.npz", {"node_label": array(label, "<f4", (NODES, 1))})
    for name, part in (("train", "train"), ("valid", "val"), ("test", "test")):
        zipped(split / (name + ".csv.gz"), [[i] for i in g.where(part)])


def write_symmetric(folder, g):
    entries = sorted({(max(e), min(e)): w for e, w in zip(g.edges, g.weight)}.items())
    lines = ["%%MatrixMarket matrix coordinate real symmetric", "% a comment",
             "%d %d %d" % (NODES, NODES, len(entries))]
    lines += ["%d %d %g" % (u + 1, v + 1, w) for (u, v), w in entries]
    (folder / "symmetric.mtx.gz").write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))
    write_companions(folder, "symmetric", g, [str(i) for i in range(NODES)])


def write_ids(folder, g):
    """Ids far apart, columns by tabs, features as triples, and a label a line of its own."""
    ids = [str(1000003 * i - 5000) for i in range(NODES)]
    lines = ["%s\t%s" % (ids[u], ids[v]) for u, v in g.edges]
    (folder / "ids.tsv.gz").write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))
    rows = ["node,feature,value"]
    rows += ["%s,%d,%s" % (name, j, x[j]) for name, x in zip(ids, g.x) for j in range(FEATURES) if x[j] > 1]
    (folder / "ids.features.csv").write_text("\n".join(rows) + "\n")
    rows = ["id;class"] + ["%s;%d" % (name, c) for name, c in zip(ids, g.label)]
    (folder / "ids.labels.csv").write_text("\n".join(rows) + "\n")


def write_mtx(folder, g):
    entries = sorted(set(g.edges))
    lines = ["%%MatrixMarket matrix coordinate pattern general", "%d %d %d" % (NODES, NODES, len(entries))]
    lines += ["%d %d" % (u + 1, v + 1) for u, v in entries]
    (folder / "square.mtx").write_text("\n".join(lines) + "\n")
    write_companions(folder, "square", g, [str(i) for i in range(NODES)])


def write_text(folder, g):
    """Nodes and classes with names that need quotes."""
    names = ['"node %d, ""%c"""' % (i, 97 + i % 26) for i in range(NODES)]
    lines = ["source,target,weight"]
    lines += ["%s,%s,%s" % (names[u], names[v], w) for (u, v), w in zip(g.edges, g.weight)]
    (folder / "named.csv").write_text("\n".join(lines) + "\n")
    write_companions(folder, "named", g, names, ('"red, dark"', "blue", '"""x"""', "grün"))


def write_companions(folder, stem, g, names, classes=tuple(range(CLASSES))):
    rows = ["id," + ",".join("f%d" % j for j in range(FEATURES))]
    rows += ["%s,%s" % (name, ",".join(map(str, x))) for name, x in zip(names, g.x)]
    (folder / (stem + ".features.csv")).write_text("\n".join(rows) + "\n")
    rows = ["id,label,split"]
    rows += ["%s,%s,%s" % (name, classes[c], part) for name, c, part in zip(names, g.label, g.part)]
    (folder / (stem + ".labels.csv")).write_text("\n".join(rows) + "\n", encoding="utf-8")


def write_edges_alone(folder, g):
    lines = ["# no features and no labels"] + ["%d %d" % edge for edge in g.edges]
    (folder / "plain.el").write_text("\n".join(lines) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    for seed, write in enumerate((write_directed, write_weighted, write_partial, write_nosplit, write_bench,
                                  write_graphsaint, write_ogb, write_mtx, write_text, write_edges_alone,
                                  write_sparse, write_columns, write_ogb_arrays, write_symmetric,
                                  write_ids)):
        write(folder, Graph(seed))


main()
