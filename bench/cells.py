"""What bench/search.py and bench/habits.py share: graphs, the program, cells that are kept, tables.

A cell is one training: a line of OUT/cells.jsonl with its key, accuracies and seconds.  The key of
a cell on a small graph holds a hash of that graph's file.  After a change of the program, AGAIN
names the small graphs to make anew; those that changed are trained on again, and cells of other
small graphs and of the full graph stay.  A change of training needs another OUT.

In the environment, for both:

    BONSAI    the program, which trains every network (build/release/bonsai)
    OUT       the folder of results: the same command resumes
    DIR       where the graphs are, at any depth (../shared/data)
    GRAPHS    names: NAME.bonsai, NAME.npz or ind.NAME.* below DIR, or paths of graphs
              (cora,citeseer,pubmed,amazon_photo,facebook_pagepage)
    RATIO     of the bytes (0.01)
    SPLITS    splits of 60/20/20 (1)
    SEEDS     runs of each training, whose mean is taken (1)
    JOBS      trainings at a time (1), the longest of a graph first
    THREADS   of each (1)
    AGAIN     kinds of small graphs to make again, such as "condensed" or "new,old"

Seconds are those of a processor, of the whole process; a busy machine changes them little.

SPDX-License-Identifier: MIT"""
import concurrent.futures
import hashlib
import json
import math
import os
import shlex
import subprocess
import sys
import threading
from pathlib import Path

GRAPHS = "cora,citeseer,pubmed,amazon_photo,facebook_pagepage"


def setting(name, usual):
    return os.environ.get(name) or str(usual)


def words(name, usual=""):
    return setting(name, usual).replace(",", " ").split()


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


def show(head, rows, left=1):
    """A table; the first `left` columns are aligned left, and None is a dash."""
    rows = [["-" if c is None else str(c) for c in row] for row in rows]
    width = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    for row in [head] + rows:
        print("  ".join(c.ljust(w) if i < left else c.rjust(w)
                        for i, (c, w) in enumerate(zip(row, width))).rstrip())


# ---- graphs and the program ----

def find(name):
    """The path of a graph that is named, or a path as it is."""
    folder = Path(setting("DIR", "../shared/data"))
    if "/" in name:
        return name
    for pattern in (f"{name}.bonsai", f"{name}.npz", f"ind.{name}.x"):
        found = sorted(folder.rglob(pattern))
        if found:
            return str(found[0].with_suffix("") if pattern.endswith(".x") else found[0])
    sys.exit(f"bench: {name} is not below {folder}")


def name_of(path):
    name = Path(path).name.replace("ind.", "", 1)
    return name.rsplit(".", 1)[0] if name.endswith((".npz", ".bonsai")) else name


def program(command, *options, by=None):
    """The program's JSON, and the seconds of a processor that it took."""
    line = [*shlex.split(by or setting("BONSAI", "build/release/bonsai")), command,
            *map(str, options), "-t", setting("THREADS", 1), "--json", "-q"]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as process:
        text = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{shlex.join(line)} failed")
    return json.loads(text), used.ru_utime + used.ru_stime


class Study:
    """The cells in OUT, and what it takes to measure those that are missing."""

    def __init__(self, folder):
        self.folder = Path(folder)
        (self.folder / "graphs").mkdir(parents=True, exist_ok=True)
        self.file, self.lock, self.cells = self.folder / "cells.jsonl", threading.Lock(), {}
        text = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        whole = text[:text.rfind("\n") + 1]
        if whole != text:                               # the last line was cut off
            self.file.write_text(whole, encoding="utf-8")
        for cell in map(json.loads, whole.splitlines()):
            self.cells[cell["key"]] = cell
        self.made = set()

    def keep(self, key, cell):
        with self.lock:
            self.cells[key] = {"key": key, **cell}
            with open(self.file, "a", encoding="utf-8") as file:
                file.write(json.dumps(self.cells[key]) + "\n")
        return self.cells[key]

    def graph(self, name, command, *options):
        """The file of a graph that split or convert makes, once."""
        made = self.folder / "graphs" / f"{name}.bonsai"
        if not made.exists():
            part = made.with_suffix(".part.bonsai")
            program(*([command, options[0], "-o", part, *options[1:]] if command == "split"
                      else [command, options[0], part, *options[1:]]))
            part.rename(made)
        return made

    def split(self, path, number):
        """A graph with the split of this number."""
        return self.graph(f"{name_of(path)}-{number}", "split", path, "--parts", "60/20/20", "-s",
                          number)

    def small(self, kind, full, *options, by=None):
        """The file, bytes and seconds of a small graph of this kind."""
        made = self.folder / "graphs" / f"{full.stem}-{kind}-{setting('RATIO', 0.01)}.bonsai"
        fact = made.with_suffix(".json")
        again = kind in words("AGAIN") and made not in self.made
        if again or not (made.exists() and fact.exists()):
            part = made.with_suffix(".part.bonsai")
            found, seconds = program("condense", full, "-o", part, *options, by=by)
            fact.write_text(json.dumps({"bytes": found["bytes"], "nodes": found["nodes"],
                                        "seconds": seconds}) + "\n", encoding="utf-8")
            part.rename(made)
        self.made.add(made)
        return made, json.loads(fact.read_text(encoding="utf-8"))

    def trained(self, full, small, options):
        """The cell of a training: percent of the validation and test nodes that are right."""
        key = " ".join([full.stem, hashlib.sha256(small.read_bytes()).hexdigest()[:16] if small
                        else "full", *options, "seeds", setting("SEEDS", 1)])
        if key in self.cells:
            return self.cells[key]
        options = [*options, "--seeds", setting("SEEDS", 1)]
        found, seconds = (program("eval", small, full, "--alone", *options) if small
                          else program("train", full, *options))
        made = found["models"][0]
        return self.keep(key, {"val": made["accuracy_val_mean"], "test": made["accuracy_mean"],
                               "seconds": seconds, "judging": made["seconds_eval"],
                               "training": made["seconds_train"]})


def measure(tasks):
    """The results of calls, JOBS of them at a time, in their order; says how far it is."""
    done, ended = [0], threading.Lock()

    def one(task):
        result = task()
        with ended:
            done[0] += 1
            if sys.stderr.isatty():
                print(f"\r{done[0]} of {len(tasks)} trainings ", end="", file=sys.stderr)
        return result
    with concurrent.futures.ThreadPoolExecutor(int(setting("JOBS", 1))) as pool:
        results = list(pool.map(one, tasks))
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return results
