"""What the tests of the Python package share.

SPDX-License-Identifier: MIT
"""
import os
import subprocess
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("numpy is missing")
    sys.exit(77)

import graphbonsai
from graphbonsai import Graph

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")
LAB = os.environ.get("BONSAI_LAB", "1") != "0"          # the library has the laboratory's methods
lab = unittest.skipUnless(LAB, "the build has no laboratory")


def data(name):
    """A file of the real data, or the test is skipped."""
    for folder in (os.environ.get("BONSAI_DATA"), SOURCE + "/../shared/data",
                   SOURCE + "/../../shared/data"):
        if folder and os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise unittest.SkipTest("%s is not there" % name)


def cora():
    data("planetoid/ind.cora.graph")
    return data("planetoid/ind.cora.graph")[:-len(".graph")]


def scipy_sparse():
    try:
        import scipy.sparse
    except ImportError:
        raise unittest.SkipTest("scipy is missing") from None
    return scipy.sparse


def triangle(**more):
    """Three nodes in a ring."""
    return Graph.from_arrays(**{**dict(
        edge_index=np.array([[0, 1, 2], [1, 2, 0]]), x=np.eye(3, dtype=np.float32),
        y=np.array([0, 1, 0]), train_mask=np.array([True, True, False]),
        test_mask=np.array([False, False, True])), **more})


def small_world(nodes=400, **more):
    return graphbonsai.generate(**{**dict(nodes=nodes, features=60, classes=3, threads=1), **more})


def script(text, **environment):
    """Runs Python in a process of its own."""
    return subprocess.run([sys.executable, "-c", text], env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240,
                          universal_newlines=True, check=False)


class Case(unittest.TestCase):
    def refuses(self, sentence, function, *arguments, kind=graphbonsai.ArgumentError, **named):
        """The call fails with exactly this sentence."""
        with self.assertRaises(kind) as caught:
            function(*arguments, **named)
        self.assertEqual(str(caught.exception), sentence)
        return caught.exception


def main():
    unittest.main(module="__main__", verbosity=1)
