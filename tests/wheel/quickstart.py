"""The quickstart with NumPy alone: from arrays and from a file, there and back.

SPDX-License-Identifier: MIT"""
import os
import sys

import numpy as np

import graphbonsai

# A ring of groups: who belongs together is joined more often, and looks alike.
rng = np.random.default_rng(1)
nodes, classes = 2000, 4
y = rng.integers(0, classes, nodes)
x = np.eye(classes, 16, dtype=np.float32)[y] + rng.normal(0, 0.5, (nodes, 16)).astype(np.float32)
ends = rng.integers(0, nodes, (2, 40000))
edge_index = ends[:, (y[ends[0]] == y[ends[1]]) | (rng.random(40000) < 0.1)]

graph = graphbonsai.Graph.from_arrays(edge_index=edge_index, x=x, y=y)
small = graphbonsai.condense(graph, ratio=0.02, threads=1)
print(small.report)
assert small.nbytes <= 0.02 * graph.nbytes, (small.nbytes, graph.nbytes)

small.save("small.bonsai")
assert graphbonsai.Graph.load("small.bonsai").equal(small)
print(graphbonsai.evaluate(small, graph, model="gcn", epochs=30, seeds=1, threads=1))

# Nothing but the C library comes from the system.
with open("/proc/self/maps") as maps:
    mapped = {line.split()[-1] for line in maps if "/" in line}
strange = [path for path in mapped if sys.prefix + "/" not in path and
           any(name in os.path.basename(path) for name in
               ("openblas", "libzip", "gomp", "gfortran", "bonsai"))]
assert not strange, strange
assert any("openblas" in path and "graphbonsai.libs" in path for path in mapped), mapped
assert "torch" not in sys.modules and "scipy" not in sys.modules
