"""condense, update, generate and info: one call of the library each.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _capi as c
from . import _options as options_of
from ._errors import ArgumentError, OptionError
from ._graph import Graph, handle_of
from ._kinds import adapter, as_graph
from ._memory import Handle
from ._progress import Progress, call
from ._report import Info, run_of

# Arguments of condense itself, for the suggestion of a nearest name.
_OURS = ["progress"]

# Options of what makes a Graph of the data.
_READ = ("keep_directed", "keep_self_loops", "keep_repeated")


def condense_graph(graph: Graph, ratio: Union[None, float, Sequence[float]] = None, *,
                   progress: Progress = None, **options: Any) -> Any:
    """A Graph condensed; for a list of ratios a list of graphs from one embedding."""
    handle = handle_of("data", graph)
    several = _several(ratio)
    budgets = {"ratio": ratio, **{k: options.get(k) for k in ("bytes", "nodes", "trees")}}
    given = [k for k, v in budgets.items() if v is not None]
    if len(given) != 1:
        raise ArgumentError("give one budget: ratio (of the bytes, such as 0.01), bytes, nodes or "
                            "trees%s" % (", not " + " and ".join(given) if given else ""))
    if several is not None:
        o = options_of.fill(c.CondenseOptions, options, _OURS)
        return _condense_many(handle, several, o, progress)
    o = options_of.fill(c.CondenseOptions, {"ratio": ratio, **options}, _OURS)
    _positive(o, given[0])
    info, out = c.init(c.CondenseInfo), Handle()
    call(c.condense, out.out, ctypes.byref(info), handle, progress=progress, options=o)
    return Graph._of(out, run_of(info), info)


def _positive(o: Any, name: str) -> None:
    """The library takes 0 for "not given", which nobody means who writes it."""
    value = getattr(o, name)
    if value <= 0:
        raise ArgumentError("%s is %g; it must be above 0" % (name, value))


def _several(ratio: Any) -> Optional[List[float]]:
    if ratio is None or isinstance(ratio, (str, bytes)) or not hasattr(ratio, "__iter__"):
        return None
    if getattr(ratio, "ndim", 1) == 0:      # an array that is one number
        return None
    return [options_of.real("ratio", r) for r in ratio]


def _condense_many(handle: Handle, ratios: List[float], o: Any, progress: Progress) -> List[Graph]:
    count = len(ratios)
    if count == 0:
        return []
    out = (ctypes.c_void_p * count)()
    infos = (c.CondenseInfo * count)()
    for i in range(count):
        infos[i] = c.init(c.CondenseInfo)
    handles = [Handle() for _ in ratios]
    try:
        call(c.condense_many, out, infos, (ctypes.c_double * count)(*ratios), count,
             handle, progress=progress, options=o)
    finally:
        for h, pointer in zip(handles, out):        # freed too where the call was interrupted
            h.pointer = ctypes.c_void_p(pointer)
    return [Graph._of(h, run_of(i), i) for h, i in zip(handles, infos)]


def condense(data: Any, ratio: Union[None, float, Sequence[float]] = None, *,
             bytes: Optional[int] = None, nodes: Optional[int] = None,
             trees: Optional[int] = None, method: str = "auto", progress: Progress = None,
             **options: Any) -> Any:
    """The small graph of `data` that trains like it, of the same kind as `data`.

    data      a Graph, a path, a torch_geometric Data, a DGLGraph, an OGB dataset
    ratio     its bytes over those of the full graph, in (0, 1]; a list gives a list
    bytes, nodes, trees   instead of ratio
    method    "auto", "trees", "prototypes", "random", "random-trees", "herding", "kcenter",
              "degree"
    progress  None: a bar in a terminal or notebook; True; False; or a function
              (stage, done, total), whose exception ends the call

    Options, by the name in bonsai_condense_options: accounting ("strict" or "paper"),
    layers, k, split, seed, threads, members, select_features, inductive, and others.
    memory: bytes that may be used, beside the graph itself; what does not fit goes to
    scratch files in TMPDIR, and the answer is the same.  report["memory"] says how it went.
    Of a path, Data, DGLGraph or OGB dataset also keep_self_loops and keep_repeated.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=400, features=60, classes=3, seed=2)
    >>> small = graphbonsai.condense(g, ratio=0.05, method="trees", threads=1)
    >>> small.num_nodes < 400 and small.nbytes() <= 0.05 * g.nbytes()
    True
    >>> [s.num_nodes < 400 for s in graphbonsai.condense(g, [0.02, 0.05], threads=1)]
    [True, True]
    """
    options = dict(options, bytes=bytes, nodes=nodes, trees=trees, method=method)
    if isinstance(data, (str, os.PathLike)) or type(data).__name__ == "bytes":
        read = {k: options.pop(k) for k in _READ if k in options}
        data = Graph.load(data, progress=progress, threads=options.get("threads"), **read)
    if isinstance(data, Graph):
        for name in _READ:
            if name in options:
                raise OptionError("%s is for making a graph, and this one is made: give it to "
                                  "Graph.from_arrays or Graph.load" % name)
        return condense_graph(data, ratio, progress=progress, **options)
    module = adapter(data)
    if module is None:
        raise ArgumentError("data must be a Graph, a path, a torch_geometric Data, a DGLGraph or "
                            "an OGB dataset, not %s" % type(data).__name__)
    return module.condense(data, ratio, progress=progress, **options)


def update(now: Any, was: Any, small: Any, *, progress: Progress = None,
           **options: Any) -> Graph:
    """`small`, made of `was` by method="prototypes" with members=True, after `was` became `now`.

    Nodes may have been added behind the older ones; edges, features and labels may differ.
    `small` must be a Graph or its file: a Data or DGLGraph does not name its members.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=300, features=40, classes=3)
    >>> small = graphbonsai.condense(g, 0.05, method="prototypes", members=True, threads=1)
    >>> graphbonsai.update(g, g, small, threads=1).num_nodes == small.num_nodes
    True
    """
    a, b, s = as_graph("now", now), as_graph("was", was), as_graph("small", small)
    o = options_of.fill(c.CondenseOptions, options, _OURS)
    info, out = c.init(c.CondenseInfo), Handle()
    ha, hb, hs = a._live(), b._live(), s._live()
    call(c.condense_update, out.out, ctypes.byref(info), ha, hb, hs,
         progress=progress, options=o)
    return Graph._of(out, run_of(info), info)


def nearest(small: Any, node: int, full: Any, most: int = 10, *, progress: Progress = None,
            **options: Any) -> Tuple[np.ndarray, np.ndarray]:
    """The nodes of `full` that a node of `small` stands for, nearest first, and their distances.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=300, features=40, classes=3)
    >>> small = graphbonsai.condense(g, 0.05, method="prototypes", threads=1)
    >>> nodes, distances = graphbonsai.nearest(small, 0, g, most=3, threads=1)
    >>> nodes.size, bool((distances[1:] >= distances[:-1]).all())
    (3, True)
    """
    s, g = as_graph("small", small)._live(), as_graph("full", full)._live()
    limit = options_of.whole("most", most, 0, 2**31 - 1)
    limit = min(limit, int(c.graph_view(g).contents.nodes))
    which = options_of.whole("node", node, -2**63, 2**63 - 1)
    o = options_of.fill(c.CondenseOptions, options, _OURS)
    nodes, distances = np.empty(limit, np.int32), np.empty(limit, np.float32)
    found = ctypes.c_int64()
    call(c.condense_nearest, nodes.ctypes.data, distances.ctypes.data, ctypes.byref(found), limit,
         s, which, g, progress=progress, options=o)
    return nodes[:found.value].astype(np.int64), distances[:found.value].copy()


def generate(*, progress: Progress = None, **options: Any) -> Graph:
    """A made-up citation network with labels, features and a 60/20/20 split.

    Options: nodes, features, classes, degree, exponent, homophily, imbalance, difficulty,
    words, dense, threads, seed.

    >>> import graphbonsai
    >>> graphbonsai.generate(nodes=100, features=20, classes=4).num_classes
    4
    """
    o = options_of.fill(c.GenerateOptions, options, _OURS)
    out = Handle()
    call(c.graph_generate, out.out, progress=progress, options=o)
    return Graph._of(out)


def info(graph: Any, *, linear: bool = False, threads: int = 0,
         progress: Progress = None) -> Info:
    """What a graph, or the file at a path, holds.  linear: also fit linear models on it."""
    return as_graph("graph", graph).info(linear=linear, threads=threads, progress=progress)


def formats() -> Dict[str, str]:
    """The formats that the library reads, with a line about each.

    >>> import graphbonsai
    >>> "npz" in graphbonsai.formats()
    True
    """
    return {name: c.format_help(i).decode() for i, name in enumerate(c.names(c.format_name))}
