"""The kinds of graphs that functions take: a Graph, a path, and those of other packages.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
from typing import Any, Optional

from . import _networks
from ._errors import ArgumentError
from ._graph import Graph


def adapter(data: Any) -> Any:
    """The module for data of that kind, or None.

    It goes by the name of the package, so that nothing is imported that the caller has not
    imported.  The module has from_data(data) and condensed(data, ratio, given, reading,
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
    if _networks.kind_of(data) is not None:
        return _networks
    return None


# What makes a graph of what is no graph, by its package.
_MAKERS = {"pandas": "Graph.from_pandas(nodes, edges) makes a graph of tables",
           "pyarrow": "Graph.from_pandas(nodes, edges) makes a graph of tables",
           "numpy": "Graph.from_arrays makes a graph of arrays",
           "scipy": "Graph.from_arrays(csr=..., x=..., y=...) makes a graph of a sparse matrix",
           "torch": "Graph.from_arrays makes a graph of arrays"}


def wrong_kind(name: str, data: Any) -> ArgumentError:
    """The refusal of what is no graph; it says what makes one of it."""
    kind = type(data)
    package = kind.__module__.split(".")[0]
    called = kind.__name__ if package == "builtins" else "%s.%s" % (kind.__module__,
                                                                    kind.__qualname__)
    maker = "; " + _MAKERS[package] if package in _MAKERS else ""
    return ArgumentError("%s must be a Graph, a path, a torch_geometric Data, a DGLGraph, an OGB "
                         "dataset, a networkx.Graph or an igraph.Graph, not %s%s" %
                         (name, called, maker))


SWAPPED = "the second graph is a condensed one; are the two swapped?"


def refuse_swapped(small: Graph, full: Optional[Graph]) -> None:
    """Refuses a full graph that is a condensed one while the small graph is not."""
    if full is not None and small.report is None and full.report is not None:
        raise ArgumentError(SWAPPED)


def like(data: Any, graph: Graph) -> Any:
    """A Graph as a Data or a DGLGraph, if `data` is one."""
    if isinstance(data, (str, bytes, os.PathLike, Graph)):
        return graph
    to_data = getattr(adapter(data), "to_data", None)
    if to_data is None:
        return graph
    made = to_data(graph)
    if getattr(data, "split_index", None) is not None:
        made.split_index = data.split_index
    return made


def as_graph(name: str, graph: Any, small: Any = None) -> Graph:
    """The Graph of a Graph, a path, or a graph of another package.

    Where that has several splits, and `small` was condensed with one, it gets the same.
    """
    if isinstance(graph, (str, bytes, os.PathLike)):
        return Graph.load(graph)
    if not isinstance(graph, Graph):
        module = adapter(graph)
        if module is None:
            raise wrong_kind(name, graph)
        column = getattr(small, "split_index", None)
        if column is None or adapter(small) is not module:
            return module.from_data(graph)
        return module.from_data(graph, split_index=column)
    graph._live()
    return graph
