"""The kinds of graphs that functions take: a Graph, a path, and those of other packages.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
from typing import Any

from ._errors import ArgumentError
from ._graph import Graph


def adapter(data: Any) -> Any:
    """The module for data of that kind, or None.

    It goes by the name of the package, so that nothing is imported that the caller has not
    imported.  The module has from_data(data, need_masks) and condensed(data, ratio, given, reading,
    progress), where `given` holds all options of condense, and `reading` those for reading data
    that differ from their defaults.
    """
    packages = {base.__module__.split(".")[0] for base in type(data).__mro__}
    if "torch_geometric" in packages and not hasattr(data, "get_idx_split"):
        from . import pyg
        return pyg
    if "dgl" in packages and not hasattr(data, "get_idx_split"):
        from . import dgl
        return dgl
    if hasattr(data, "get_idx_split") or (isinstance(data, tuple) and data and
                                          isinstance(data[0], dict)):
        from . import ogb
        return ogb
    return None


def as_graph(name: str, graph: Any) -> Graph:
    """The Graph of a Graph, a path, or a graph of another package."""
    if isinstance(graph, (str, bytes, os.PathLike)):
        return Graph.load(graph)
    if not isinstance(graph, Graph):
        module = adapter(graph)
        if module is None:
            raise ArgumentError("%s must be a Graph, a path, a torch_geometric Data, a DGLGraph or "
                                "an OGB dataset, not %s" % (name, type(graph).__name__))
        return module.from_data(graph, need_masks=False)
    graph._live()
    return graph
