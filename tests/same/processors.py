#!/usr/bin/env python3
"""processors.py BUILD -- runs commands as other processors would run them, and compares all they write.

BUILD is a folder with the program bonsai.  Each case runs once as this processor runs it and once with
each of the settings below, which choose our inner loops, the kernels of OpenBLAS and the functions of the
C library by instruction set.  All files and stdout must have the same bytes; OpenBLAS may complain about a
choice on stderr.  The cases are those of cases.txt whose bytes doc/algorithm.md promises; with --quick a few
that take seconds.  Exit 0: the same; 1: not; 77: with --quick, this processor can run them in no other way.

For another architecture build it, let BEFORE and AFTER of same.py be the two builds, and emulate
(aarch64.sh).

SPDX-License-Identifier: MIT
"""
import argparse
import os
import pathlib
import platform
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import same

PROMISED = ("generate/", "convert/", "split/", "info/", "condense/", "explain/")

OLD_C = "glibc.cpu.hwcaps=-AVX512F,-AVX2_Usable,-AVX2,-FMA_Usable,-FMA,-FMA4_Usable,-FMA4"
OLDEST = {"BONSAI_ISA": "baseline", "OPENBLAS_CORETYPE": "Prescott", "GLIBC_TUNABLES": OLD_C}

# What the processor must have, and what makes it look like another.
SETTINGS = {"x86_64": [
    ("sse2", OLDEST),
    ("avx2", {"BONSAI_ISA": "avx2", "OPENBLAS_CORETYPE": "Haswell"}),
    ("avx512f", {"BONSAI_ISA": "avx512", "OPENBLAS_CORETYPE": "SkylakeX"}),
    ("sse2", {"BONSAI_ISA": "baseline"}),
    ("sse2", {"GLIBC_TUNABLES": OLD_C}),
    ("ssse3", {"OPENBLAS_CORETYPE": "Core2"}),
    ("sse4_2", {"OPENBLAS_CORETYPE": "Nehalem"}),
    ("avx", {"OPENBLAS_CORETYPE": "Sandybridge"}),
    ("avx2", {"OPENBLAS_CORETYPE": "Zen"}),
], "aarch64": [
    ("asimd", {"OPENBLAS_CORETYPE": core}) for core in ("ARMV8", "CORTEXA57", "NEOVERSEN1", "THUNDERX2T99")
]}
QUICK = 3       # settings


def quick(name, graph, *condensed):
    """A graph, and the small graphs that are made of it."""
    lines = ["bonsai generate -q -o g.bonsai --no-linear --difficulty 0.5 " + graph]
    lines += ["bonsai condense -q g.bonsai -o %d.bonsai %s" % pair for pair in enumerate(condensed)]
    return same.Case("quick/" + name, " && ".join(lines))


# Dense and sparse rows, more of them than features and fewer.  Classes without a node in the small graph
# tie in the probe, so that the last bit decides.
QUICK_CASES = [
    quick("dense", "--nodes 1500 --dense --features 24 --classes 30", "--nodes 4", "-r 0.05",
          "-r 0.1 --method trees", "-r 0.1 --method herding", "-r 0.1 --method kcenter"),
    quick("long", "--nodes 1500 --dense --features 200 --classes 30 -s 2", "-r 0.005", "-r 0.2",
          "-r 0.05 --method prototypes --members --hard-labels", "-r 0.02 --project 8"),
    quick("sparse", "--nodes 900 --features 300 --words 6", "-r 0.01", "-r 0.1 --inductive",
          "-r 0.1 --method trees --select-features tree", "-r 0.1 --method random-trees",
          "-r 0.1 --method degree", "--ratios 0.02,0.2 --method prototypes"),
]


def flags():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    return set(text.replace(":", " ").split())


def settings_here(quick):
    rows = SETTINGS.get(platform.machine(), [])
    able = [row for row in rows if row[0] in flags()]
    return [setting for _flag, setting in (able[:QUICK] if quick else able)]


def text_of(setting):
    return " ".join("%s=%s" % pair for pair in setting.items())


def judge(case, build, scratch, links, settings):
    """Lines that tell where a case differs."""
    version = same.version_of(build)
    runs = [same.outcome(case, build, scratch / str(i), links, [version], setting)
            for i, setting in enumerate([{}] + settings)]
    shutil.rmtree(scratch)
    for found in runs:
        found.pop("stderr")
    lines = []
    if case in QUICK_CASES and runs[0]["exit code"] != "0\n":
        lines = ["failed: %s: exit code %s" % (case.name, runs[0]["exit code"].strip())]
    for setting, found in zip(settings, runs[1:]):
        for file, how in same.compare(runs[0], found, [version] * 2):
            lines += ["failed: %s: %s: %s" % (case.name, file, text_of(setting))] + ["    " + h for h in how]
    return lines


def run_all(cases, build, scratch, links, settings, jobs):
    """How many cases differ; tells where as they come."""
    differing = 0

    def one(numbered):
        return judge(numbered[1], build, scratch / str(numbered[0]), links, settings)
    with ThreadPoolExecutor(jobs) as pool:
        for lines in pool.map(one, enumerate(cases)):
            differing += bool(lines)
            for line in lines:
                print(line, flush=True)
    return differing


def arguments():
    parser = argparse.ArgumentParser(description="Compare what bonsai writes on processors of several kinds.")
    parser.add_argument("build", type=pathlib.Path, help="folder with the program")
    parser.add_argument("--data", type=pathlib.Path, help="folder with planetoid/ and npz/")
    parser.add_argument("--quick", action="store_true", help="a few cases, in seconds")
    parser.add_argument("--only", metavar="WORD", default="", help="cases whose name contains it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at a time")
    return parser.parse_args()


def matrix(a, build, scratch):
    """The cases of the matrix that can run here, with what they need."""
    inputs, cases = same.read_cases(same.HERE / "cases.txt", False)
    links = {"in": scratch / "in", "data": a.data and a.data.resolve(), "corpus": same.CORPUS}
    links = {name: folder for name, folder in links.items() if folder}
    same.make_inputs(inputs, build, links["in"])
    lack = same.lacking([build])
    return [case for case in cases if case.name.startswith(PROMISED) and a.only in case.name and
            not same.reason_to_skip(case, lack, links)], links


def main():
    a = arguments()
    build, settings = a.build.resolve(), settings_here(a.quick)
    if a.quick and not settings:
        return 77
    with tempfile.TemporaryDirectory(prefix="bonsai-same-") as scratch:
        scratch = pathlib.Path(scratch).resolve()
        cases, links = (QUICK_CASES, {}) if a.quick else matrix(a, build, scratch)
        differing = run_all(cases, build, scratch, links, settings, a.jobs)
    print("%d cases with %d settings each: %d differ" % (len(cases), len(settings), differing))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
