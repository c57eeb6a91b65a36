"""Small datasets in the layouts of the published ones, for tests/fetch/fetch.py."""
import gzip
import io
import json
import os
import struct
import zipfile

PARTS = "x tx allx y ty ally graph test.index".split()


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def published(sets):
    """The published files where they lie beside the repository; else none."""
    for up in "../..", "../../..":
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), up,
                              "shared/data/planetoid")
        if os.path.isdir(folder):
            return {f: read(os.path.join(folder, f)) for f in
                    ("ind.%s.%s" % (name, part) for name in sets for part in PARTS)}
    return {}



def npy(kind, values, shape=None):
    code = {"<i8": "q", "<i4": "i", "<f4": "f", "<f8": "d", "|b1": "?"}[kind]
    shape = shape or (len(values),)
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, tuple(shape))
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
            struct.pack("<%d%s" % (len(values), code), *values))


def zipped(entries, how=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as z:
        for name, data in entries.items():
            z.writestr(name, data)
    return out.getvalue()


def ring(n):
    return [i for i in range(n)], [(i + 1) % n for i in range(n)]


def benchmark_npz(n=3000):
    of, to = ring(n)
    return zipped({"edge_index.npy": npy("<i8", of + to, (2, n)),
                   "x.npy": npy("<f4", [float(i % 7) for i in range(4 * n)], (n, 4)),
                   "y.npy": npy("<i8", [i % 3 for i in range(n)])})


def saint_files(n=40):
    of, to = ring(n)
    pairs = sorted(set(zip(of, to)) | set(zip(to, of)))
    start = [sum(p[0] < i for p in pairs) for i in range(n + 1)]
    adj = zipped({"indices.npy": npy("<i4", [p[1] for p in pairs]), "indptr.npy": npy("<i4", start),
                  "data.npy": npy("|b1", [True] * len(pairs)), "shape.npy": npy("<i8", [n, n])})
    role = {"tr": list(range(20)), "va": list(range(20, 30)), "te": list(range(30, n))}
    return {"adj_full.npz": adj, "feats.npy": npy("<f8", [0.5 * i for i in range(3 * n)], (n, 3)),
            "class_map.json": json.dumps({str(i): i % 4 for i in range(n)}).encode(),
            "role.json": json.dumps(role).encode()}


def ogb_entries(n=60):
    def table(rows):
        return gzip.compress("".join(r + "\n" for r in rows).encode())
    of, to = ring(n)
    files = {"raw/edge": ["%d,%d" % p for p in zip(of, to)],
             "raw/node-feat": ["%d,%d" % (i, i % 5) for i in range(n)],
             "raw/node-label": [str(i % 4) for i in range(n)],
             "raw/num-node-list": [str(n)], "raw/num-edge-list": [str(n)],
             "split/time/train": [str(i) for i in range(30)],
             "split/time/valid": [str(i) for i in range(30, 45)],
             "split/time/test": [str(i) for i in range(45, n)]}
    return {"arxiv/%s.csv.gz" % name: table(rows) for name, rows in files.items()}
