#!/usr/bin/env python3
"""blocks.py [PAGE...] -- runs the sh, python and c blocks of README.md and doc/, page by page.

The blocks of a page run in their order, in one empty folder, and share Python's names.  What a
block of text behind them shows is compared with what they print, numbers aside; a line "..." stands
for any lines.  UPDATE=1 writes what they print into the page instead.  tools/site/pages.py says how a page excuses a block.

BONSAI names the program, GRAPHBONSAI_LIBRARY the library.

SPDX-License-Identifier: MIT"""
import ast
import collections
import contextlib
import importlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools/site"))
import pages                                                            # noqa: E402
import terminal                                                         # noqa: E402

LIBRARY = os.path.realpath(os.environ["GRAPHBONSAI_LIBRARY"]) if "GRAPHBONSAI_LIBRARY" in os.environ \
    else None


class Failed(Exception):
    pass


def installed(name):
    """Whether a module can be imported or a program be found."""
    if shutil.which(name):
        return True
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            importlib.import_module(name)
        except Exception:           # DGL fails in many ways beside a torch that it was not built for
            return False
    return True


def missing(block):
    """What a block needs that is not installed."""
    named = block.mark("needs") + re.findall(r"\A# needs (\w+)", block.text)
    return [name for value in named for name in value.replace(",", " ").split()
            if not installed(name)]


# ---- one function a language: (text, line, page, names) -> what was printed

def show_last(tree):
    """Prints the value of a last line that is an expression, as a notebook does."""
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        call = ast.Name("show", ast.Load())
        tree.body[-1] = ast.Expr(ast.Call(call, [last.value], []))
        ast.fix_missing_locations(tree)
    return tree


def run_python(text, line, page, names):
    def show(value):
        if value is not None:
            print(value)

    names["show"] = show
    out = io.StringIO()
    tree = show_last(ast.parse("\n" * (line - 1) + text, page))
    with contextlib.redirect_stdout(out):
        exec(compile(tree, page, "exec"), names)
    return out.getvalue()


def run_sh(text, line, page, names):
    code, out = terminal.run(["sh", "-eu", "-c", text])
    if code:
        raise Failed(f"exit {code}\n{out}")
    return out


def run_c(text, line, page, names):
    whole = "int main(" in text
    if not whole:
        text = "void block(bonsai_graph *g, bonsai_graph *small)\n{\n" + text + "}\n"
        text = "#include <bonsai.h>\n#include <bonsai_study.h>\n#include <stdio.h>\n" + text
    Path("block.c").write_text(text)
    link = ["-o", "block", LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY)] if LIBRARY and whole \
        else ["-fsyntax-only"]
    command = ["cc", "-Wall", "-Werror", f"-I{pages.ROOT}/include", "block.c", *link]
    return run_sh(shlex.join(command) + ("\n./block\n" if "block" in link else ""), line, page, names)


RUN = {"python": run_python, "sh": run_sh, "c": run_c}


# ---- output

def lines_of(text):
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def shape(line):
    """What two runs have in common: words; numbers and widths may differ."""
    line = re.sub(r"[█▉▊▋▌▍▎▏#=─━-]+", "-", line)
    line = re.sub(r"-?\d[\d,.]*(e[+-]?\d+)?", "0", line)
    return re.sub(r"[ \t]+", " ", line).strip()


def shown(wanted, printed):
    """The printed lines in place of those wanted, where "..." stands for any; None: they differ."""
    if not wanted:
        return None if printed else []
    if wanted[0] == "...":
        tails = (shown(wanted[1:], printed[i:]) for i in range(len(printed) + 1))
        rest = next((tail for tail in tails if tail is not None), None)
        return None if rest is None else ["...", *rest]
    if not printed or shape(wanted[0]) != shape(printed[0]):
        return None
    rest = shown(wanted[1:], printed[1:])
    return None if rest is None else [printed[0], *rest]


def compare(block, printed, changes):
    """Compares a block's output with the page's, or notes what the page should have."""
    found = shown(lines_of(block.output.text), lines_of(printed))
    if os.environ.get("UPDATE"):
        changes.append((block.output, lines_of(printed) if found is None else found))
    elif found is None:
        raise Failed("prints something else than the page shows; UPDATE=1 writes it anew:\n" + printed)


def rewrite(path, changes):
    """Puts new outputs into a page, the last first, so that line numbers hold."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for output, printed in reversed(changes):
        lines[output.line - 1:output.end - 1] = [line + "\n" for line in printed]
    if changes:
        path.write_text("".join(lines), encoding="utf-8")


# ---- pages

def run_block(block, page, names):
    for text in block.mark("first"):
        RUN[block.language](text + "\n", block.line, page, names)
    return RUN[block.language](block.text, block.line, page, names)


def run_page(path, tally):
    """Runs a page; returns the faults."""
    page, names, changes = pages.name_of(path), {"__name__": "__main__"}, []
    for block in pages.blocks(path.read_text(encoding="utf-8")):
        if block.language not in RUN:
            continue
        excuse = block.mark("not run") or [f"{name} is not installed" for name in missing(block)]
        if excuse:
            tally[excuse[0]] += 1
            continue
        try:
            printed = run_block(block, page, names)
            if block.output:
                compare(block, printed, changes)
        except Exception as error:
            why = str(error) if isinstance(error, Failed) else traceback.format_exc()
            return [f"{page}:{block.line}: {block.text}\n{why}"]
        tally["run"] += 1
    rewrite(path, changes)
    return []


def prepare(folder):
    """The programs that blocks name, in front of all others."""
    bin = Path(folder) / "bin"
    bin.mkdir()
    if os.environ.get("BONSAI"):
        (bin / "bonsai").symlink_to(os.path.abspath(os.environ["BONSAI"]))
    for name in ("python", "python3"):
        (bin / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        (bin / name).chmod(0o755)
    os.environ["PATH"] = f"{bin}{os.pathsep}{os.environ['PATH']}"


def main(arguments):
    terminal.require()
    paths = [Path(a).resolve() for a in arguments] or pages.sources()
    tally, faults, start = collections.Counter(), [], time.time()
    with tempfile.TemporaryDirectory(prefix="bonsai-docs-") as folder:
        prepare(folder)
        for number, path in enumerate(paths):
            os.makedirs(f"{folder}/{number}")
            os.chdir(f"{folder}/{number}")
            began = time.time()
            faults += run_page(path, tally)
            print(f"{pages.name_of(path)}: {time.time() - began:.1f} s")
            os.chdir(pages.ROOT)
    for why, count in sorted(tally.items()):
        if why != "run":
            print(f"not run: {count} ({why})")
    print("\n\n".join(faults + [f"blocks: {tally['run']} run, {sum(tally.values()) - tally['run']} "
                                f"not run, {len(faults)} failed, {time.time() - start:.0f} s"]))
    return bool(faults) or (not arguments and tally["run"] < 20)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
