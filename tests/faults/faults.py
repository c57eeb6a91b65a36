"""faults.py BONSAI SHIM [quick] -- the program while calls fail, disks are full, signals arrive.

Every command runs again and again, and each time another call fails: the Nth allocation, write,
fsync, rename, mmap, open or read (shim.c); the disk is full after B bytes; SIGINT or SIGTERM
arrives when the progress is shown; SIGKILL arrives at a random moment.  Each run must end with

  exit 0, with the same output and the same files as without the fault, or
  exit 1 (or the signal), with one sentence on stderr that names the reason,

and leave each file as it was or as it should be, and no other file.  After a SIGKILL, and where
the removal of a temporary file is what failed, the same command must complete, with the same
result and nothing left behind.

"calls" counts the calls that could fail; for a disk, the bytes of the largest file.

  FAULTS  runs for each command and kind of fault (200); all: every N.  Fewer than there are calls
          are drawn at random, by SEED (1), one from each part of equal length
  KILLS   SIGKILLs (1000)
  JOBS    runs at a time (2)
  ONLY    commands and kinds of faults, separated by commas: "convert text,alloc,kill"

SPDX-License-Identifier: MIT"""
import errno
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

BONSAI, SHIM = (os.path.abspath(path) for path in sys.argv[1:3])
QUICK = sys.argv[3:] == ["quick"]
FAULTS = os.environ.get("FAULTS", "200")
KILLS = int(os.environ.get("KILLS", "1000"))
SEED = int(os.environ.get("SEED", "1"))
JOBS = int(os.environ.get("JOBS", "2"))
ONLY = set(filter(None, os.environ.get("ONLY", "").split(",")))
ENV = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}

NOT_MEMORY = {"write": errno.EIO, "sync": errno.EIO, "rename": errno.EIO, "open": errno.EMFILE,
              "read": errno.EIO, "disk": errno.EFBIG}
CORA_SIZE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "cora_size.py")
TEMPORARY = ".tmp.bonsai-"
NUMBER = re.compile(rb"-?\d+(\.\d+)?(e[-+]?\d+)?")


class Command:
    """A command line that reads graphs in the folder ../in and writes to the files `outputs`."""

    def __init__(self, name, line, outputs=(), before=(), but=()):
        self.name, self.line, self.outputs, self.but = name, line.split(), outputs, but
        self.before = before            # outputs that exist already, with other contents


COMMANDS = [
    Command("version", "version --json"),
    Command("help", "help condense --rows --json"),
    Command("fetch", "fetch --json"),
    Command("generate", "generate -o out.bonsai --nodes 90 --features 30 --no-linear --json",
            ["out.bonsai"], ["out.bonsai"]),
    Command("info", "info ../in/s.bonsai --json"),
    Command("check", "check ../in/g.npz"),
    Command("convert", "convert ../in/g.npz out.bonsai", ["out.bonsai"], ["out.bonsai"]),
    Command("convert npz", "convert ../in/g.bonsai out.npz", ["out.npz"], ["out.npz"]),
    Command("convert text", "convert ../in/g.bonsai out/", ["out"], ["out"]),
    Command("read text", "convert ../in/text out.bonsai", ["out.bonsai"]),
    Command("split", "split ../in/g.bonsai -o out.bonsai", ["out.bonsai"]),
    Command("plan", "plan ../in/g.bonsai --ranks 1,4 --json"),
    Command("condense", "condense ../in/g.bonsai -o out.bonsai -r 0.2 --json", ["out.bonsai"],
            ["out.bonsai"]),
    Command("condense trees", "condense ../in/g.bonsai -o out.bonsai -r 0.2 --method trees",
            ["out.bonsai"]),
    Command("suggest", "suggest ../in/g.bonsai -o out.bonsai --report out.html --low 0.1 --points 2"
            " --keep 0.5 --method prototypes --json", ["out.bonsai", "out.html"],
            ["out.bonsai", "out.html"]),
    Command("explain", "explain ../in/s.bonsai --full ../in/g.bonsai --node 0 --json"),
    Command("explain trees", "explain ../in/t.bonsai --full ../in/g.bonsai --json"),
    Command("train", "train ../in/g.bonsai --epochs 2 --save out.bonsai --curves out.csv --json",
            ["out.bonsai", "out.csv"], ["out.bonsai", "out.csv"]),
    Command("eval", "eval ../in/s.bonsai --full ../in/g.bonsai --epochs 2 --model gat --json"),
    Command("predict", "predict ../in/m.bonsai ../in/g.bonsai -o out.csv --evaluate --json",
            ["out.csv"], ["out.csv"]),
    Command("compare", "compare ../in/g.bonsai --methods random,trees --ratios 0.2 --epochs 2"
            " --seeds 1 -o out.jsonl --json", ["out.jsonl"]),
    Command("compare beside", "compare ../in/g.bonsai --methods random,trees --ratios 0.2 -t 3"
            " --epochs 2 --seeds 1 --splits 2 --side-by-side --json"),
    Command("report", "report ../in/s.bonsai --full ../in/g.bonsai -o out.html --model gcn"
            " --epochs 2 --seeds 1", ["out.html"], ["out.html"]),
    Command("paper", "paper --data ../in/data --out out --quick --epochs 1 --only gradient",
            ["out"], but=["open"]),             # it leaves out a dataset that cannot be opened
]
KINDS = ["alloc", "write", "sync", "rename", "map", "open", "read", "disk", "int", "term"]
KILLED = ["convert", "convert npz", "convert text", "condense", "train", "compare", "paper"]


def threads(line):
    """One thread, so that the Nth call is the same one each time; no notes."""
    takes = line[0] not in ("version", "help", "fetch", "plan")
    return line + ["-q"] + (["-t", "1"] if takes else [])


def make_inputs(home):
    inputs = os.path.join(home, "in")
    os.makedirs(os.path.join(inputs, "data"))
    os.makedirs(os.path.join(inputs, "cora"))
    subprocess.run([sys.executable, CORA_SIZE],
                   cwd=os.path.join(inputs, "cora"), check=True)
    for line in [
            "generate -o g.bonsai --nodes 120 --features 40 --classes 4 --words 5 --no-linear",
            "convert g.bonsai g.npz", "convert g.bonsai text/",
            "condense g.bonsai -o s.bonsai -r 0.2", "condense g.bonsai -o t.bonsai -r 0.2"
            " --method trees", "train g.bonsai --epochs 2 --save m.bonsai",
            "convert cora data/cora.bonsai"]:
        subprocess.run([BONSAI, *threads(line.split())], cwd=inputs, env=ENV, check=True,
                       stdout=subprocess.DEVNULL)


def contents(path):
    """A file's bytes, a folder's files, or None."""
    if os.path.isdir(path):
        return {name: contents(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    if not os.path.exists(path):
        return None
    with open(path, "rb") as f:
        return f.read()


def plain(value, name=""):
    """What must be the same each time: in text no number, since some of them are times."""
    if isinstance(value, dict):
        return {key: plain(part, key) for key, part in value.items()}
    if value is None or name.endswith((".bonsai", ".npz")) or name in ("edges.csv", "labels.csv"):
        return value
    return NUMBER.sub(b"#", value)


class Run:
    """One run in a folder of its own."""

    def __init__(self, command, home):
        self.command = command
        self.folder = tempfile.mkdtemp(dir=home)

    def prepare(self):
        for name in self.command.before:
            path = os.path.join(self.folder, name)
            if name == "out":
                shutil.copytree(os.path.join(self.folder, "../in/text"), path)
                self.append(os.path.join(path, "edges.csv"), b"0,0\n")
            else:
                shutil.copy(os.path.join(self.folder, "../in/s.bonsai"), path)
        self.old = self.files()
        return self

    @staticmethod
    def append(path, data):
        with open(path, "ab") as f:
            f.write(data)

    def files(self):
        return {name: contents(os.path.join(self.folder, name))
                for name in sorted(os.listdir(self.folder))}

    def start(self, env=None, limit=None):
        def begin():
            signal.signal(signal.SIGINT, signal.SIG_DFL)    # a shell's "&" ignores it
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return subprocess.Popen([BONSAI, *threads(self.command.line)], cwd=self.folder,
                                env={**ENV, **(env or {})}, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                preexec_fn=begin)

    def end(self, process, seconds=120):
        try:
            self.out, self.err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            self.out, self.err = process.communicate()
            self.err += b"\nit hangs"
        self.code = process.returncode
        return self

    def __enter__(self):
        return self.prepare()

    def __exit__(self, *unused):
        shutil.rmtree(self.folder, ignore_errors=True)


# ---- what a run must look like ----

def grown(old, new, now):
    """A file of lines, of which there may be only the first ones."""
    lines, whole = plain(now or b"").split(b"\n"), plain(new).split(b"\n")
    return old is None and (now is None or set(lines[:-1]) <= set(whole))


def file_is_right(name, old, new, now, done):
    if name.endswith(".jsonl"):
        return plain(now) == plain(new) if done else grown(old, new, now)
    if isinstance(new, dict) and "cells.jsonl" in new:          # the folder of paper
        now = now or {}
        return all(file_is_right(part, None, new[part], now.get(part), done) for part in new) and \
            set(now) <= set(new)
    return plain(now, name) == plain(new, name) or (not done and now == old)


def wrong_files(run, reference, done):
    now = run.files()
    for name in sorted(set(now) | set(reference.new)):
        if name not in reference.new:
            return f"{name} is left behind"
        if not file_is_right(name, run.old.get(name), reference.new[name], now.get(name), done):
            return f"{name} is neither the old file nor the new one"
    return None


def wrong_end(run, reference, kind):
    """Why the run failed the test, or None."""
    said = run.err.decode("utf-8", "replace")
    if run.code == 0:
        if said or plain(run.out) != plain(reference.out):
            return "exit 0, but its output differs: " + (said or "stdout")
        return wrong_files(run, reference, True)
    wanted = {"int": -signal.SIGINT, "term": -signal.SIGTERM}.get(kind, 1)
    if run.code != wanted:
        return f"exit {run.code}: {said}"
    if said == "" and kind in ("int", "term"):          # before the program has looked at signals
        return wrong_files(run, reference, False)
    if said.count("\n") != 1 or not said.startswith("bonsai: "):
        return "not one sentence: " + said
    if kind in ("alloc", "map") and not re.search("memory|allocate", said):
        return "a false reason: " + said
    if kind in NOT_MEMORY and os.strerror(NOT_MEMORY[kind]) not in said:
        return "a false reason: " + said
    return wrong_files(run, reference, False)


# ---- the faults ----

class Reference:
    """A command without faults: its output, its files, and how often it calls what may fail."""

    def __init__(self, command, home):
        self.command, self.home, self.calls = command, home, {}
        with Run(command, home) as run:
            began = time.monotonic()
            run.end(run.start())
            self.seconds = time.monotonic() - began
            if run.code != 0:
                raise SystemExit(f"{command.name}: exit {run.code}: {run.err.decode()}")
            self.out, self.new = run.out, run.files()

    def shimmed(self, run, kind, at):
        """Runs with the call `at` failing; returns how many there were, and whether it failed."""
        count = os.path.join(run.folder + ".count")
        with open(count, "wb") as f:
            f.write(bytes(16))
        signals = {"int": signal.SIGINT, "term": signal.SIGTERM}
        env = {"LD_PRELOAD": SHIM, "FAULT_FILE": count, "FAULT_AT": str(at),
               "FAULT_KIND": "signal" if kind in signals else kind,
               "FAULT_SIGNAL": str(int(signals.get(kind, 0))),
               "FAULT_ERRNO": str(NOT_MEMORY.get(kind, errno.ENOMEM))}
        run.end(run.start(env))
        with open(count, "rb") as f:
            calls, failed = struct.unpack("qq", f.read())
        os.remove(count)
        return calls, failed

    def count(self, kind):
        if kind == "disk":
            return max([len(v) for v in flat(self.new)] + [0])
        with Run(self.command, self.home) as run:
            return self.shimmed(run, kind, 0)[0]

    def try_one(self, kind, at):
        """(ended with a sentence, why it is wrong)"""
        with Run(self.command, self.home) as run:
            if kind == "disk":
                run.end(run.start(limit=at - 1))
            else:
                self.shimmed(run, kind, at)
            code, why = run.code, wrong_end(run, self, kind)
            if why and TEMPORARY in why:        # where removing it failed, the next run does it
                run.end(run.start())
                why = why if run.code != 0 else wrong_files(run, self, True)
            return code != 0, why

    def kill_one(self, share):
        with Run(self.command, self.home) as run:
            process = run.start()
            time.sleep(share * 1.1 * self.seconds)
            process.kill()
            run.end(process)
            killed = run.code != 0
            now, why = settled(run.files()), None
            for name, new in self.new.items():
                if not file_is_right(name, run.old.get(name), new, now.get(name), False):
                    why = f"{name} is neither the old file nor the new one after SIGKILL"
            run.end(run.start())
            if not why and run.code != 0:
                why = f"after SIGKILL: exit {run.code}: {run.err.decode()}"
            return killed, why or wrong_files(run, self, True)


def settled(files):
    """Without temporary files, which the next run removes."""
    return {name: settled(part) if isinstance(part, dict) else part
            for name, part in files.items() if TEMPORARY not in name}


def flat(value):
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in flat(part)]
    return [value]


def chosen(calls, most, rng):
    """Which N: all, or one from each of `most` parts of equal length."""
    if calls <= most:
        return list(range(1, calls + 1))
    return [1 + (i * calls + rng.randrange(calls)) // most for i in range(most)]


class Table:
    def __init__(self):
        self.rows, self.failures = [], []

    def add(self, command, kind, calls, results):
        bad = [(at, why) for at, (_, why) in results if why]
        clean = sum(ended and not why for _, (ended, why) in results)
        done = len(results) - clean - len(bad)
        self.rows.append((command, kind, calls, len(results), clean, done, len(bad)))
        self.failures += [(command, kind, at, why) for at, why in bad]
        for at, why in bad[:5]:
            print(f"{command}, {kind} {at}: {why.strip()}", flush=True)

    def print(self):
        head = ("command", "fault", "calls", "tried", "sentences", "completed", "failed")
        form = "{:<15} {:<7} {:>7} {:>7} {:>10} {:>10} {:>7}"
        print(form.format(*head))
        for row in self.rows:
            print(form.format(*row))
        calls = [row for row in self.rows if row[1] not in ("disk", "kill")]
        failed, of = sum(row[3] for row in calls), sum(row[2] for row in calls)
        tried, bad = sum(row[3] for row in self.rows), len(self.failures)
        print(f"\n{failed} of {of} calls were made to fail, {100 * failed / max(of, 1):.1f} %;"
              f" {tried - failed} disks were full or runs killed")
        print(f"{tried - bad} passed, {bad} failed")


def wanted(name, kind):
    kinds = ONLY & {*KINDS, "kill"}
    return (ONLY == kinds or name in ONLY) and (not kinds or kind in kinds)


def run_faults(table, references, most, pool, rng):
    for reference in references:
        for kind in KINDS:
            name = reference.command.name
            if kind in reference.command.but or not wanted(name, kind):
                continue
            calls = reference.count(kind)
            # a run of paper takes seconds
            part = chosen(calls, max(most // 8, 1) if name == "paper" else most, rng)
            results = pool.map(lambda at, k=kind, r=reference: (at, r.try_one(k, at)), part)
            if calls:
                table.add(name, kind, calls, list(results))


def run_kills(table, references, kills, pool, rng):
    victims = [r for r in references if r.command.name in KILLED and wanted(r.command.name, "kill")]
    for i, reference in enumerate(victims):
        shares = [rng.random() for _ in range(kills * (i + 1) // len(victims) -
                                              kills * i // len(victims))]
        results = pool.map(lambda share, r=reference: (share, r.kill_one(share)), shares)
        table.add(reference.command.name, "kill", len(shares), list(results))


def main():
    rng = random.Random(SEED)
    table = Table()
    most = 4 if QUICK else 10**9 if FAULTS == "all" else int(FAULTS)
    home = tempfile.mkdtemp(prefix="faults.")
    try:
        make_inputs(home)
        few = ("info", "convert text", "condense", "predict", "compare")
        references = [Reference(command, home) for command in COMMANDS
                      if not QUICK or command.name in few]
        with ThreadPoolExecutor(JOBS) as pool:
            run_faults(table, references, most, pool, rng)
            run_kills(table, references, 12 if QUICK else KILLS, pool, rng)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    table.print()
    return 1 if table.failures else 0


if __name__ == "__main__":
    sys.exit(main())
