#!/usr/bin/env python3
"""widths.py PROGRAM [WIDTH...] -- every command on terminals of 60 to 200 columns: no line is too
long.

Each command runs with its output and its messages on two pseudo-terminals of one width.  A line of
results may have as many columns as the terminal; a redraw of a bar one less, since some terminals
wrap behind the last.  A sentence about a failure is one line, which the terminal wraps.  Wide
characters count twice, and what follows them in a file's names is tested too.

SPDX-License-Identifier: MIT"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools/site"))
import terminal                                                         # noqa: E402

WIDTHS = tuple(map(int, sys.argv[2:])) or (60, 80, 120, 200)
CODES = re.compile(r"\033\[[0-9;?]*[A-Za-z]")
SENTENCE = re.compile(r"^(bonsai|note|try|did you mean)[: ]")
program = os.path.abspath(sys.argv[1])
os.environ.update(LC_ALL="C.UTF-8", TERM="xterm")
for name in ("COLUMNS", "NO_COLOR", "BONSAI_ISA"):
    os.environ.pop(name, None)
here = os.path.dirname(os.path.abspath(__file__))
bad = []


def width(text):
    """The columns that a text takes on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF"
               else 1 for c in text)


def resize(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def terminal_of(columns):
    master, slave = pty.openpty()
    resize(slave, columns)
    return master, slave


def read_all(process, masters, on_progress=None):
    """What came out of each terminal, until the process has ended."""
    got = {m: b"" for m in masters}
    ended = False
    while True:
        ready = select.select(masters, [], [], 0 if ended else 0.2)[0]
        for m in ready:
            try:
                got[m] += os.read(m, 65536)
            except OSError:         # nobody holds the other side
                ready = []
        if on_progress:
            on_progress(got[masters[1]])
        if ended and not ready:
            return [got[m] for m in masters]
        ended = process.poll() is not None


def run(words, columns, on_progress=None):
    """Results and messages of a command on terminals of so many columns, and its exit code."""
    out, err = terminal_of(columns), terminal_of(columns)
    process = subprocess.Popen([program] + words, stdin=subprocess.DEVNULL, stdout=out[1],
                               stderr=err[1])
    try:
        got = read_all(process, [out[0], err[0]], on_progress and
                       (lambda so_far: on_progress(so_far, err[0])))
    finally:
        for fd in out + err:
            os.close(fd)
    return [g.decode().replace("\r\n", "\n") for g in got] + [process.returncode]


def too_long(where, line):
    bad.append("%s: %d columns: %s" % (where, width(line), line))


def check(words, wanted=0, widths=WIDTHS):
    for columns in widths:
        results, messages, code = run(words, columns)
        where = "bonsai %s at %d" % (" ".join(words), columns)
        if code != wanted:
            bad.append("%s: exit code %d: %s" % (where, code, messages))
        if wanted == 0 and not results:
            bad.append("%s: no results" % where)
        for line in CODES.sub("", results).split("\n"):
            if width(line) > columns:
                too_long(where, line)
        check_messages(where, messages, columns)


def check_messages(where, messages, columns):
    """Every redraw of a bar, and every line that is no sentence."""
    drawn = 0
    for line in re.split(r"\r\033\[K|\n", messages):
        line = CODES.sub("", line)
        if SENTENCE.match(line):
            continue
        drawn += "%" in line
        if width(line) > columns - 1:
            too_long(where + ", message", line)
    return drawn


def bars():
    """A command that takes seconds, on each width and while the terminal is made narrower."""
    words = ["generate", "-o", "big.bonsai", "--nodes", "1500000", "--features", "200"]
    seen = 0
    for columns in (60, 80):
        messages = run(words, columns)[1]
        seen += check_messages("a bar at %d" % columns, messages, columns)
    if not seen:
        print("no bar was drawn: this machine is too fast for the test")
    resized = {}

    def narrow(so_far, terminal):
        if so_far.count(b"\r\033[K") >= 3 and not resized:
            resize(terminal, 45)
            time.sleep(0.3)         # a redraw that was on its way
            resized["at"] = so_far.count(b"\r\033[K")

    messages = run(words, 100, narrow)[1]
    after = messages.split("\r\033[K")[resized.get("at", 0) + 5:]
    for line in after:
        if resized and width(CODES.sub("", line.split("\n")[0])) > 44:
            too_long("a bar after the terminal became 45 columns wide", line)


PAPER = ("paper -q --data data --out paper --quick --epochs 1 --seeds 1 --effort 0.0005 --only "
         "accuracy").split()


def prepare():
    def quietly(*words):
        subprocess.run([program] + list(words), check=True, stdout=subprocess.DEVNULL)
    quietly("generate", "-q", "-o", "g.bonsai", "--nodes", "400", "--features", "50", "--words",
            "6", "--no-linear")
    quietly("condense", "g.bonsai", "-q", "-o", "s.bonsai", "-r", "0.1", "--members")
    quietly("condense", "g.bonsai", "-q", "-o", "t.bonsai", "-r", "0.1", "--method", "trees")
    quietly("train", "g.bonsai", "-q", "--model", "gcn", "--epochs", "2", "--seeds", "1", "--save",
            "m.bonsai")
    os.makedirs("data/cora")
    subprocess.run([sys.executable, "-B", os.path.join(here, "cora_size.py")], cwd="data/cora",
                   check=True)
    quietly(*PAPER)                 # the same command takes over what this one measures
    # Names of two columns a character, with spaces and without; a long name of a folder.
    folder = "グラフ" * 8
    os.mkdir(folder)
    with open(folder + "/edges.csv", "w") as f:
        f.write("source,target\n" + "".join("n%d,n%d\n" % (i, i + 1) for i in range(30)))
    with open(folder + "/labels.csv", "w") as f:
        f.write("id,label\n" + "".join(
            "n%d,%s\n" % (i, ["ニューラルネットワーク " * 4, "深層学習" * 9, "cafe\u0301"][i % 3])
            for i in range(31)))
    return folder


def main():
    folder = prepare()
    listed = subprocess.run([program, "help", "--rows"], capture_output=True, text=True, check=True)
    commands = [line.split("\t")[1] for line in listed.stdout.splitlines()[1:]]
    assert len(commands) > 15, commands
    check([])
    for command in commands:
        check([command, "--help"])
        check(["help", command])
    few = ["--epochs", "3", "--seeds", "2"]
    lines = {
        "help": [["help", "formats"], ["help", "methods"], ["help"]],
        "generate": [["generate", "-o", "n.bonsai", "--nodes", "200", "--features", "20"]],
        "info": [["info", "g.bonsai"], ["info", "s.bonsai"], ["info", folder],
                 ["info", folder, "--brief"]],
        "check": [["check", "g.bonsai"], ["check", folder]],
        "convert": [["convert", "g.bonsai", "g.npz"], ["convert", folder, folder + "/g.bonsai"]],
        "split": [["split", "g.bonsai", "-o", "p.bonsai"]],
        "condense": [["condense", "g.bonsai", "-o", "a.bonsai", "-r", "0.1"],
                     ["condense", "g.bonsai", "-o", "b.bonsai", "-r", "0.1", "--method", "trees"],
                     ["condense", "g.bonsai", "-o", "c", "--ratios", "0.1,0.2"]],
        "plan": [["plan", "g.bonsai"],
                 ["plan", "--nodes", "111059956", "--edges", "3231371744", "--features", "128",
                  "--ranks", "1,8,64"]],
        "explain": [["explain", "s.bonsai"], ["explain", "t.bonsai"],
                    ["explain", "s.bonsai", "--node", "3"], ["explain", "t.bonsai", "--node", "0"],
                    ["explain", "s.bonsai", "--node", "3", "--full", "g.bonsai"]],
        "suggest": [["suggest", "g.bonsai", "--keep", "0.8"]],
        "train": [["train", "g.bonsai", "--model", "gcn,gin,gat,sage", "--save", "w"] + few],
        "eval": [["eval", "s.bonsai", "--full", "g.bonsai"] + few],
        "predict": [["predict", "m.bonsai", "g.bonsai", "-o", "p.csv"],
                    ["predict", "m.bonsai", "g.bonsai", "--evaluate"]],
        "compare": [["compare", "g.bonsai", "--methods", "prototypes,random,degree", "--ratios",
                     "0.05,0.1", "--models", "gcn,sage"] + few],
        "report": [["report", "s.bonsai", "--full", "g.bonsai", "-o", "r.html"] + few],
        "fetch": [["fetch"]],
        "paper": [PAPER],
        "version": [["version"]],
        "demo": [],                 # below
    }
    for command in commands:
        if command not in lines:
            bad.append("bonsai %s has no line in this test" % command)
        for words in lines.get(command, []):
            check(words)
    check(["demo"], widths=WIDTHS[:3:2])
    check(["info", "none.bonsai"], 1)
    check(["info", "--jsno"], 2)
    bars()


terminal.require()
with tempfile.TemporaryDirectory(prefix="bonsai-widths-") as scratch:
    os.chdir(scratch)
    main()
    os.chdir("/")
print("\n".join(bad) or "every line fits")
sys.exit(bool(bad))
