#!/usr/bin/env python3
"""hostile.py BONSAI MUTATE [RUNS] [SEED] -- runs every command of the program on mutants of files.

MUTATE (fuzz/mutate_main.c) changes files as someone would who knows their formats, and repairs
their checksums.  Every command then runs on mutants, and on pairs of a mutant and a file that may
have nothing to do with it.  Each must end with exit code 0 or 1, in the latter case with one
sentence; never by a signal, a sanitizer's report, or not at all.  The same seed gives the same
runs.  A failed run prints its command and keeps the folder with its files.

SPDX-License-Identifier: MIT
"""

import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

bonsai, mutate = (os.path.abspath(p) for p in sys.argv[1:3])
runs = int(sys.argv[3]) if len(sys.argv) > 3 else 100
chance = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
corpus = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fuzz", "corpus")

METHODS = "trees random random-trees herding kcenter degree prototypes auto".split()
MODELS = "gcn gat gin sage".split()
FEW = "-t 1 -q --epochs 2 --seeds 1 --hidden 4".split()


def no_large_files():
    """A mutant may ask for a file that fills the disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 26, 1 << 26))


def run(words, seconds=120):
    return subprocess.run([bonsai, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=seconds, preexec_fn=no_large_files)


def make(*words):
    """Makes one of the valid files that all begins with."""
    done = run(words)
    if done.returncode != 0:
        sys.exit(f"hostile: bonsai {' '.join(words)}: {done.stderr.decode()}")


# ---- valid files ----

def make_graphs():
    make(*"generate -o full.bonsai --nodes 40 --features 12 --classes 3 --words 4".split())
    make(*"generate -o dense.bonsai --nodes 30 --features 5 --classes 4 --dense --seed 2".split())
    make("convert", "full.bonsai", "archive.npz")
    make("convert", "dense.bonsai", "text/")
    return ["full.bonsai", "dense.bonsai", "archive.npz", "text/"]


def make_small():
    small = []
    for method in METHODS:
        name = f"small-{method}.bonsai"
        few = ["--members"] if method in ("prototypes", "auto") else []
        make("condense", "full.bonsai", "-o", name, "--ratio", "0.4", "--method", method, *few)
        small.append(name)
    make(*"condense full.bonsai -o selected.bonsai --nodes 9 --method trees".split(),
         "--select-features", "tree")
    make(*"condense dense.bonsai -o small-dense.bonsai --nodes 9 --method prototypes".split(),
         "--members")
    make(*"condense full.bonsai --update small-prototypes.bonsai --was full.bonsai".split(),
         "-o", "updated.bonsai")
    make(*"condense full.bonsai -o operator.bonsai --nodes 6 --method gdem --effort 0.01".split())
    return small + ["selected.bonsai", "small-dense.bonsai", "updated.bonsai", "operator.bonsai",
                    make_huge("operator.bonsai")]


def make_huge(path):
    """The same graph, whose weights are finite and their products are not."""
    make("convert", path, "finite.npz")
    with zipfile.ZipFile("finite.npz") as given, zipfile.ZipFile("huge.npz", "w") as archive:
        for name in given.namelist():
            data = given.read(name)
            if name == "edge_weight.npy":
                count = (len(data) - 10 - struct.unpack("<H", data[8:10])[0]) // 4
                data = npy("f", (count,), [3e38] * count)
            archive.writestr(name, data)
    make("report", "huge.npz", "--full", "full.bonsai", "-o", "page.html")
    make("explain", "huge.npz")
    make("explain", "huge.npz", "--node", "1", "--full", "full.bonsai")
    return "huge.npz"


def make_models():
    for model in MODELS:
        make("train", "full.bonsai", "--model", model, "--save", f"{model}-model.bonsai", *FEW)
    make("train", "dense.bonsai", "--save", "dense-model.bonsai", "--standardise", "train", *FEW)
    return [f"{model}-model.bonsai" for model in MODELS] + ["dense-model.bonsai"]


def unpack(path, names, separator, folder):
    """An input of a fuzz target as the files that the target writes."""
    with open(path, "rb") as file:
        data = file.read()
    for name in names:
        if separator is None:
            size = int.from_bytes(data[:2], "little")
            part, data = data[2:2 + size], data[2 + size:]
        else:
            part, _, data = data.partition(separator)
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(part)
    return folder


def npy(kind, shape, values):
    """The bytes of a NumPy array; kind is that of struct."""
    name = {"q": "<i8", "i": "<i4", "f": "<f4"}[kind]
    head = f"{{'descr': '{name}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return (b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head +
            struct.pack(f"<{len(values)}{kind}", *values))


def make_saint(folder):
    """A ring of six nodes as GraphSAINT stores it."""
    os.makedirs(folder)
    ring = [v for i in range(6) for v in sorted(((i + 1) % 6, (i + 5) % 6))]
    with zipfile.ZipFile(f"{folder}/adj_full.npz", "w") as archive:
        archive.writestr("indices.npy", npy("i", (12,), ring))
        archive.writestr("indptr.npy", npy("i", (7,), range(0, 13, 2)))
        archive.writestr("data.npy", npy("f", (12,), [1.0] * 12))
        archive.writestr("shape.npy", npy("q", (2,), [6, 6]))
    with open(f"{folder}/feats.npy", "wb") as file:
        file.write(npy("f", (6, 2), [float(i) for i in range(12)]))
    texts = {"class_map": {i: i % 2 for i in range(6)},
             "role": {"tr": [0, 1, 2], "va": [3], "te": [4, 5]}}
    for name, value in texts.items():
        with open(f"{folder}/{name}.json", "w") as file:
            json.dump(value, file)
    make("check", folder)
    return folder


def make_foreign():
    """Graphs in the formats that bonsai reads and does not write."""
    ogb = [f"split/s/{n}.csv" for n in ("test", "train", "valid")]
    ogb += [f"raw/{n}.csv" for n in ("edge", "node-feat", "num-node-list", "num-edge-list",
                                     "node-label")]
    planetoid = ["ind.f." + n for n in ("test.index", "graph", "x", "allx", "tx", "y", "ally",
                                        "ty")]
    graphs = [make_saint("saint")]
    for seed in sorted(os.listdir(f"{corpus}/ogb")):
        graphs.append(unpack(f"{corpus}/ogb/{seed}", ogb, b"\0", f"ogb-{seed}"))
    for seed in sorted(os.listdir(f"{corpus}/planetoid")):
        graphs.append(unpack(f"{corpus}/planetoid/{seed}", planetoid, None, f"planetoid-{seed}"))
    for seed in sorted(os.listdir(f"{corpus}/mtx")):
        shutil.copy(f"{corpus}/mtx/{seed}", f"{seed}.mtx")
        graphs.append(f"{seed}.mtx")
    return graphs


# ---- mutants ----

def files_of(path):
    if not os.path.isdir(path):
        return [path]
    return [os.path.join(d, f) for d, _, files in os.walk(path) for f in files]


def mutant_of(path, name):
    """A copy of a file or folder, one of whose files is changed."""
    end = ".d/" if os.path.isdir(path) else os.path.splitext(path)[1]
    copy = name + end
    if os.path.isdir(path):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(path, copy)
    else:
        shutil.copy(path, copy)
    target = chance.choice(sorted(files_of(copy)))
    if os.path.getsize(target) < 1 << 16:
        gift = [chance.choice(small)] if chance.random() < 0.2 else []
        subprocess.run([mutate, str(chance.getrandbits(60)), target, target, *gift], check=True)
    return copy


def some(paths, name):
    """A mutant, or the file itself."""
    path = chance.choice(paths)
    return mutant_of(path, name) if chance.random() < 0.6 else path


# ---- commands ----

def budget():
    return chance.choice([["--ratio", "0.3"], ["--nodes", "5"], ["--trees", "2"],
                          ["--bytes", "400"]])


def update():
    return ["condense", some(graphs, "a"), "-o", "out.bonsai", "--update",
            some(small, "b"), "--was", some(graphs, "c"), "-t", "1"]


def compare():
    """Resumes from a mutant of what the same command wrote."""
    words = ["compare", "full.bonsai", "--methods", "random", "--ratios", "0.3", "-o", "cells",
             *FEW]
    if not os.path.exists("cells"):
        make(*words)
    mutant = mutant_of("cells", "a")
    return [mutant if word == "cells" else word for word in words]


COMMANDS = [
    lambda: ["info", some(everything, "a"), "--linear"],
    lambda: ["info", some(small, "a"), "--json"],
    lambda: ["check", some(everything, "a")],
    lambda: ["convert", some(everything, "a"), chance.choice(["out.bonsai", "out.npz", "out/"])],
    lambda: ["convert", some(graphs, "a"), "out.bonsai", "--order",
             chance.choice(["metis", "degree", "random"])],
    lambda: ["split", some(everything, "a"), "-o", "out.bonsai"],
    lambda: ["condense", some(everything, "a"), "-o", "out.bonsai", "-t", "1", "--method",
             chance.choice(METHODS), *budget()],
    lambda: ["condense", some(graphs, "a"), "-o", "out.bonsai", "--method", "prototypes",
             "--members", "--select-features", "tree", *budget()],
    update,
    lambda: ["plan", some(everything, "a"), "--look", "--ranks", "1,3"],
    lambda: ["suggest", some(everything, "a"), "--method", chance.choice(["prototypes", "random"]),
             "--points", "3", "--halvings", "1", "-t", "1"],
    lambda: ["explain", some(small, "a"), "--json"],
    lambda: ["explain", some(small, "a"), "--node", "1", "--full", some(everything, "b")],
    lambda: ["train", some(everything, "a"), "--model", chance.choice(MODELS), *FEW],
    lambda: ["eval", some(small, "a"), "--full", some(everything, "b"), "--model",
             chance.choice(MODELS), *FEW],
    lambda: ["predict", some(models, "a"), some(everything, "b"), "-t", "1",
             *chance.choice([[], ["--evaluate"]])],
    compare,
    lambda: ["compare", some(graphs, "a"), "--methods", chance.choice(METHODS), "--ratios", "0.3",
             "--models", chance.choice(MODELS), *FEW],
    lambda: ["report", some(small, "a"), "--full", some(everything, "b"), "-o", "page.html"],
    lambda: ["report", some(small, "a"), "-o", "page.html"],
]


def wrong(done):
    """What is wrong with how a command ended; None: nothing."""
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1):
        return f"exit code {done.returncode}"
    if "Sanitizer" in said or "runtime error" in said:
        return "a sanitizer's report"
    last = said.rstrip("\n").rsplit("\n", 1)[-1]
    if done.returncode == 1 and not last.startswith("bonsai: "):
        return "no sentence"
    return None


def try_command(words):
    try:
        done = run(words)
    except subprocess.TimeoutExpired:
        return None, "it did not end", ""
    return done.returncode, wrong(done), done.stderr.decode(errors="replace")


folder = tempfile.mkdtemp(prefix="bonsai-hostile-")
os.chdir(folder)
graphs = make_graphs()
small = make_small()
models = make_models()
everything = graphs + small + make_foreign()
ended = {0: 0, 1: 0}
for i in range(runs):
    words = COMMANDS[i % len(COMMANDS)]()
    code, why, said = try_command(words)
    if why:
        print(f"bonsai {' '.join(words)}\n{why}; run {i}, files in {folder}\n{said}")
        sys.exit(1)
    ended[code] += 1
shutil.rmtree(folder)
print(f"{runs} commands on mutants: {ended[0]} succeeded, {ended[1]} refused")
