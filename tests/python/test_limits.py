"""Limits of memory and threads: a call works or raises; the interpreter goes on.

SPDX-License-Identifier: MIT
"""
import os
import re
import tempfile
import unittest

import testing

# Calls under a limit on what this process may reserve beyond what it has; what each call gives.
CALLS = """
import resource
import graphbonsai
g = graphbonsai.Graph.load(%r)
def limit(more):
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, resource.RLIM_INFINITY))
def tries(call):
    try:
        call()
    except (MemoryError, graphbonsai.Error) as error:
        return type(error).__name__
    return "done"
for more in (1, 12, 100, 150, 1000):
    limit(more << 20)
    print(more, tries(lambda: graphbonsai.condense(g, ratio=0.05, threads=1024)),
          tries(lambda: graphbonsai.condense(g, ratio=0.05)),
          tries(lambda: graphbonsai.train(g, epochs=2, seeds=1)))
print("the end")
"""

# Imported under a limit, with too little for a thread of BLAS.
IMPORT = """
import os, resource, numpy
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (%d << 20), resource.RLIM_INFINITY))
before = len(os.listdir("/proc/self/task"))
import graphbonsai
print(len(os.listdir("/proc/self/task")) - before, os.environ.get("OPENBLAS_NUM_THREADS"))
"""

# What OpenMP was told to do, and what is left of the setting.
WAIT = """
import os
for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT"):
    os.environ.pop(name, None)
os.environ.update(%r)
import graphbonsai
print(os.environ.get("OMP_WAIT_POLICY"))
"""


@unittest.skipIf(testing.SANITIZED, "a sanitizer reserves terabytes")
class Limits(testing.Case):
    def test_calls_work_or_raise(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.bonsai")
            testing.small_world(nodes=800, dense=True).save(path)
            done = testing.script(CALLS % path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[-1], "the end")
        self.assertEqual(len(lines), 6)
        self.assertNotIn("done", lines[0])
        self.assertEqual(lines[4].split()[2:], ["done", "done"])

    def test_threads_that_wait_sleep_unless_told_otherwise(self):
        for said, spins in (({}, "0"), ({"GOMP_SPINCOUNT": "77"}, "77"),
                            ({"OMP_WAIT_POLICY": "passive"}, "0")):
            done = testing.script(WAIT % said, OMP_DISPLAY_ENV="verbose")
            found = re.findall("GOMP_SPINCOUNT = '([^']*)'", done.stderr)
            if not found:
                self.skipTest("built without OpenMP, or with another runtime")
            self.assertEqual(found[-1], spins)
            self.assertEqual(done.stdout, "%s\n" % said.get("OMP_WAIT_POLICY"))

    def test_loading_starts_no_threads(self):
        for more, setting in ((90, None), (90, "3"), (4000, None)):
            environment = {} if setting is None else {"OPENBLAS_NUM_THREADS": setting}
            done = testing.script(IMPORT % more, **environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.split(), ["0", str(setting)])


if __name__ == "__main__":
    testing.main()
