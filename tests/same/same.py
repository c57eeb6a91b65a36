#!/usr/bin/env python3
"""same.py BEFORE AFTER -- runs a matrix of commands with two builds, and compares all that they write.

BEFORE and AFTER are folders with the program bonsai, and where they were built bonsai-mpi and
libbonsai.so.  cases.txt is the matrix.  Exit codes, stdout, stderr and the bytes of every file must be
the same; alike.py lists what may vary, such as times.  Inputs are made once, by BEFORE, so that one
difference does not spread.  expected.txt lists differences that are meant: CASE-GLOB or CASE-GLOB:FILE,
a tab, and the reason.  Exit 0: the same; 1: not.  Needs Python 3.9 and nothing else.

Where the two have other version numbers, those count as the same, but AFTER refuses to resume what
BEFORE began (compare/resumed, paper/page): compare before the number changes.

SPDX-License-Identifier: MIT
"""
import argparse
import concurrent.futures
import contextlib
import fnmatch
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter, namedtuple

from alike import alike
from differ import differences, parts

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
LIMIT = int(os.environ.get("LIMIT", 300))       # seconds that one command may take
CORPUS = TESTS.parent / "fuzz" / "corpus"

Case = namedtuple("Case", "name command")
Result = namedtuple("Result", "case state lines", defaults=((),))


# ---- the table ----

def slug(part):
    return re.sub(r"[^\w.,=+/-]+", "-", part).strip("-/").replace("/", "-")


def combinations(parts, quick):
    """Every choice of one out of each; quick: so many that each part is in one."""
    if not quick:
        return itertools.product(*parts)
    most = max(map(len, parts), default=1)
    return [tuple(p[i % len(p)] for p in parts) for i in range(most)]


def expand(group, name, command, quick):
    """The cases of a row: one for each combination of the parts of its {A|B}."""
    pieces = re.split(r"\{([^{}]*\|[^{}]*)\}", command)
    parts = [piece.split("|") for piece in pieces[1::2]]
    for chosen in combinations(parts, quick):
        words = itertools.chain.from_iterable(itertools.zip_longest(pieces[::2], chosen, fillvalue=""))
        yield Case("/".join([group, name] + [slug(c) for c in chosen if c]), "".join(words))


def read_cases(path, quick):
    """The commands that make the inputs, and the cases."""
    inputs, cases, group = [], [], None
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            group = line.strip("[]")
        elif group == "inputs":
            inputs.append(line)
        else:
            name, command = line.split(": ", 1)
            cases += expand(group, name, command, quick)
    return inputs, cases


def read_expected(path):
    """Pairs of a glob and a reason."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [line.split("\t", 1) for line in lines if line and not line.startswith("#")]
    for row in rows:
        if len(row) != 2:
            sys.exit("same.py: %s: there is no tab in \"%s\"" % (path, row[0]))
    return rows


# ---- what a case needs ----

def package_of(build):
    """The Python package that belongs to a build: in the folder of the sources, which is above it."""
    for folder in build.parents:
        if (folder / "python" / "graphbonsai").is_dir():
            return folder / "python"
    return None


def has_numpy():
    return subprocess.run(["python3", "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0


def has_terminal():
    return bool(shutil.which("script")) and subprocess.run(
        ["script", "-qec", "true", "/dev/null"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL).returncode == 0


def lacking(builds):
    """A word of a command, and why it cannot be run here."""
    lack = {}
    if not has_terminal():
        lack["terminal"] = "no script(1) to be a terminal"
    if not shutil.which("mpirun") or not os.path.isdir("/sys/devices/system/cpu"):
        lack["ranks"] = "no mpirun, or no /sys that it needs"
    elif not all((b / "bonsai-mpi").exists() for b in builds):
        lack["ranks"] = "no bonsai-mpi in both builds"
    if not all((b / "libbonsai.so").exists() and package_of(b) for b in builds):
        lack["python3"] = "no libbonsai.so and Python package in both builds"
    elif not has_numpy():
        lack["python3"] = "no NumPy"
    return lack


def reason_to_skip(case, lack, links):
    for word, reason in lack.items():
        if re.search(r"(?<![\w-])%s " % word, case.command):
            return reason
    for folder, path in re.findall(r"\b(data|corpus)/([\w./-]*)", case.command):
        if folder not in links or not list(links[folder].glob(path.rstrip("/.") + "*")):
            return "no %s/%s" % (folder, path)
    return None


# ---- running ----

def script_of(command):
    """The command with its short words written out."""
    start = next(TESTS.rglob("start.sh"), None)
    command = re.sub(r"^inputs$", "python3 -B '%s' ." % (HERE / "inputs.py"), command)
    command = re.sub(r"(?<![\w-])ranks (?=\d)", "sh '%s' " % start, command)
    golden = re.match(r"golden (\w+)", command)
    if golden:
        found = next(TESTS.rglob(golden.group(1) + ".cmd"), golden.group(1))
        return "sh '%s' '%s'" % (HERE / "golden.sh", found)
    return re.sub(r"(?<![\w-])terminal (.*)", r"""script -qec '\1 2>err' /dev/null""", command)


def environment(build, folder, settings=None):
    env = {key: os.environ[key] for key in ("HOME", "LD_LIBRARY_PATH", "MPIRUN") if key in os.environ}
    env.update(PATH="%s:%s" % (build, os.environ["PATH"]), LC_ALL="C.UTF-8", TERM="xterm",
               TMPDIR=str(folder / "tmp"), LIMIT=str(LIMIT), OMP_WAIT_POLICY="passive",
               GRAPHBONSAI_LIBRARY=str(build / "libbonsai.so"), PYTHONPATH=str(package_of(build)),
               PYTHONDONTWRITEBYTECODE="1", **(settings or {}))
    return env


def run(command, build, folder, settings):
    """The exit code; stdout and stderr are files in the folder."""
    (folder / "tmp").mkdir()
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        child = subprocess.Popen(["sh", "-c", script_of(command)], cwd=folder, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=err, env=environment(build, folder, settings),
                                 start_new_session=True)
        try:
            return child.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return "none within %d s" % LIMIT


def content(path, folder, versions):
    """Text, with times, paths and the version made alike, or bytes."""
    data = path.read_bytes()
    try:
        return alike(data.decode("utf-8"), str(folder), versions) if b"\0" not in data else data
    except UnicodeDecodeError:
        return data


def outcome(case, build, folder, links, versions, settings=None):
    """All that a case does with a build: name of a file, or "exit code", and what it holds.  Settings
    are for its environment."""
    folder.mkdir(parents=True)
    for name, target in links.items():
        (folder / name).symlink_to(target)
    found = {"exit code": "%s\n" % run(case.command, build, folder, settings)}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.split("/")[0] not in links:
            found[name] = "a folder" if path.is_dir() else content(path, folder, versions)
    return found


def make_inputs(commands, build, folder):
    folder.mkdir()
    env = environment(build, folder)
    (folder / "tmp").mkdir()
    for command in commands:
        done = subprocess.run(["sh", "-c", script_of(command)], cwd=folder, env=env, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit("same.py: the inputs cannot be made: %s\n%s" % (command, done.stdout))


# ---- comparing ----

def allowed(expected, name, file):
    for glob, reason in expected:
        if fnmatch.fnmatchcase("%s:%s" % (name, file) if ":" in glob else name, glob):
            return glob, reason
    return None


def same_but_version(a, b, versions):
    """Whether two files that name the version that wrote them are the same otherwise."""
    if versions[0] == versions[1] or not isinstance(a, bytes) or not isinstance(b, bytes):
        return False
    old, new = (v.encode() for v in versions)
    return {name: data.replace(old, new) for name, data in parts(a).items()} == parts(b)


def compare(before, after, versions):
    """Each file that differs, and how."""
    for name in {**before, **after}:
        a, b = before.get(name), after.get(name)
        if a is None or b is None:
            yield name, ["only the version %s writes it" % ("after" if a is None else "before")]
        elif a != b and not same_but_version(a, b, versions):
            yield name, differences(a, b)


def version_of(build):
    done = subprocess.run([build / "bonsai", "version", "--json"], stdout=subprocess.PIPE)
    return json.loads(done.stdout)["version"]


class Matrix:
    def __init__(self, builds, scratch, data, expected, keep):
        self.builds, self.scratch, self.expected, self.keep = builds, scratch, expected, keep
        self.lack, self.used, self.lock = lacking(builds), set(), threading.Lock()
        self.versions = [version_of(build) for build in builds]
        links = {"in": scratch / "in", "data": data, "corpus": CORPUS}
        self.links = {name: folder for name, folder in links.items() if folder and folder.is_dir()}

    def judge(self, number, case):
        reason = reason_to_skip(case, self.lack, self.links)
        if reason:
            return Result(case, "skipped", [reason])
        folders = [self.scratch / side / str(number) for side in ("1", "2")]
        sides = [outcome(case, build, folder, self.links, self.versions)
                 for build, folder in zip(self.builds, folders)]
        result = self.verdict(case, list(compare(*sides, self.versions)))
        if result.state == "failed" and self.keep:
            return result._replace(lines=result.lines + ["    the folders: %s %s" % tuple(folders)])
        for folder in folders if not self.keep else ():
            shutil.rmtree(folder)
        return result

    def verdict(self, case, differing):
        lines, state = [], "passed"
        for file, how in differing:
            known = allowed(self.expected, case.name, file)
            if known:
                with self.lock:
                    self.used.add(known[0])
                lines.append("corrected: %s: %s: %s" % (case.name, file, known[1]))
            else:
                state = "failed"
                lines += ["failed: %s: %s" % (case.name, file)] + ["    " + line for line in how]
        if state == "failed":
            lines.append("    the command: " + case.command)
        return Result(case, state, lines)


def run_matrix(matrix, cases, jobs):
    """Results in the order of the table, printed as they come."""
    count, skips = Counter(), Counter()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(matrix.judge, itertools.count(), cases):
            count[result.state] += 1
            if result.state == "skipped":
                skips[result.lines[0]] += 1
            else:
                for line in result.lines:
                    print(line, flush=True)
    for reason, cases_of in skips.items():
        print("skipped: %d cases: %s" % (cases_of, reason))
    return count


# ---- the program ----

def arguments():
    parser = argparse.ArgumentParser(description="Compare all that two builds of bonsai write.")
    parser.add_argument("before", type=pathlib.Path, help="folder with the program before")
    parser.add_argument("after", type=pathlib.Path, help="folder with the program after")
    parser.add_argument("--data", type=pathlib.Path, help="folder with planetoid/ and npz/")
    parser.add_argument("--quick", action="store_true", help="not all combinations in a row")
    parser.add_argument("--only", metavar="WORD", default="", help="cases whose name contains it")
    parser.add_argument("--list", action="store_true", help="print the cases and exit")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path, help="run in this new folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at a time")
    parser.add_argument("--expected", type=pathlib.Path, default=HERE / "expected.txt",
                        help="differences that are meant")
    return parser.parse_args()


def scratch_folder(keep):
    if not keep:
        return tempfile.TemporaryDirectory(prefix="bonsai-same-")
    keep.mkdir(parents=True)
    return contextlib.nullcontext(keep)


def main():
    a = arguments()
    inputs, cases = read_cases(HERE / "cases.txt", a.quick)
    cases = [case for case in cases if a.only in case.name]
    if a.list:
        print("\n".join("%s: %s" % case for case in cases))
        return 0
    builds = [a.before.resolve(), a.after.resolve()]
    for build in builds:
        if not (build / "bonsai").exists():
            sys.exit("same.py: %s: there is no program bonsai" % build)
    with scratch_folder(a.keep) as scratch:
        scratch = pathlib.Path(scratch).resolve()
        make_inputs(inputs, builds[0], scratch / "in")
        matrix = Matrix(builds, scratch, a.data and a.data.resolve(), read_expected(a.expected), a.keep)
        if matrix.versions[0] != matrix.versions[1]:
            print("note: %s and %s, the versions, count as the same" % tuple(matrix.versions))
        count = run_matrix(matrix, cases, a.jobs)
    for glob, reason in matrix.expected if not a.only and not a.quick else ():
        if glob not in matrix.used:
            print("unused: %s: %s" % (glob, reason))
    print("%d passed, %d failed, %d skipped" % (count["passed"], count["failed"], count["skipped"]))
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
