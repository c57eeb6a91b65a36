"""test_examples.py -- every example on its small graph, the blocks of pages, docstrings.

SPDX-License-Identifier: MIT"""
import contextlib
import doctest
import glob
import importlib
import io
import os
import re
import subprocess
import sys
import unittest

PAGES = ("README.md", "doc/python.md", "doc/tutorials/pyg.md")
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")


def run(name):
    done = subprocess.run([sys.executable, os.path.join(FOLDER, name), "--small"], text=True,
                          capture_output=True, timeout=120,
                          env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    if done.returncode:
        raise AssertionError(f"{name}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def share(text):
    """The number before the per cent sign."""
    return float(text.split("%")[0].split()[-1])


class Examples(unittest.TestCase):
    def test_pyg_quickstart(self):
        out = run("pyg_quickstart.py")
        small, full = (next(line for line in out.splitlines() if f"trained on the {name} graph" in line)
                       for name in ("small", "full"))
        self.assertGreater(share(small), 60)
        self.assertGreater(share(full), 60)

    def test_pyg_search(self):
        self.assertIn("the pick holds", run("pyg_search.py"))

    def test_pyg_search_fails_where_the_small_graph_ranks_settings_wrongly(self):
        sys.path.insert(0, FOLDER)
        import pyg_search
        self.assertTrue(pyg_search.clearly_worse(80, [70, 88, 90], 500))
        self.assertFalse(pyg_search.clearly_worse(87, [70, 88, 90], 500))
        right = pyg_search.run

        def backwards(setting, data, full, epochs):
            val, *others = right(setting, data, full, epochs)
            return (val if data is full else -val, *others)
        pyg_search.run, asked = backwards, sys.argv
        sys.argv = ["pyg_search.py"]
        try:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                self.assertEqual(pyg_search.main(), 1, out.getvalue())
        finally:
            pyg_search.run, sys.argv = right, asked

    def test_ogb_arxiv(self):
        out = run("ogb_arxiv.py")
        self.assertIn("gcn:", out)
        self.assertIn("sage:", out)

    def test_dgl_gcn(self):
        try:
            import dgl  # noqa: F401
        except Exception as e:
            self.skipTest(f"DGL cannot be imported: {e}")
        out = run("dgl_gcn.py")
        self.assertGreater(share(out.splitlines()[-1]), 60)

    def test_every_example_is_tested_and_described(self):
        names = {os.path.basename(p) for p in glob.glob(os.path.join(FOLDER, "*.py"))}
        with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as f:
            text = f.read()
        for name in names:
            self.assertTrue(hasattr(self, "test_" + name[:-3]), name)
            self.assertIn(name, text)


def can_import(name):
    try:
        importlib.import_module(name)
    except Exception:           # DGL fails in many ways beside a torch that it was not built for
        return False
    return True


class Documentation(unittest.TestCase):
    def test_the_blocks_of_pages_run_in_their_order(self):
        import graphbonsai
        program = os.path.join(os.path.dirname(graphbonsai.__file__), "bonsai")
        root = os.path.join(FOLDER, "..")
        done = subprocess.run([sys.executable, os.path.join(root, "tests/docs/blocks.py"),
                               *(os.path.join(root, page) for page in PAGES)], text=True,
                              capture_output=True, timeout=300, env={"BONSAI": program, **os.environ})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("torch_geometric is not installed", done.stdout)

    def test_the_block_of_the_package_index_runs(self):
        with open(os.path.join(FOLDER, "../python/README.md"), encoding="utf-8") as f:
            text = f.read()
        block, = re.findall(r"```python\n(.*?)```", text, re.S)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block, "python/README.md", "exec"), {})
        self.assertEqual(re.findall(r"\]\((?!https://)", text), [])     # no link that leads nowhere

    def test_docstrings(self):
        for name in ("pyg", "ogb"):
            if name == "ogb" or can_import("torch_geometric"):
                module = importlib.import_module("graphbonsai." + name)
                result = doctest.testmod(module)
                self.assertGreater(result.attempted, 0)
                self.assertEqual(result.failed, 0)


if __name__ == "__main__":
    unittest.main()
