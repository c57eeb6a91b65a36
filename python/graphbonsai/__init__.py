"""Condenses graphs: train graph neural networks on a hundredth of the bytes.

>>> import graphbonsai
>>> full = graphbonsai.generate(nodes=1000, features=100, classes=4)
>>> small = graphbonsai.condense(full, ratio=0.02, threads=1)
>>> small.report.ratio <= 0.02
True

`condense` takes a Graph, a path, a torch_geometric Data, a DGLGraph, an OGB
dataset, a networkx.Graph or an igraph.Graph, and returns the same kind.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any

from ._capi import VERSION as __version__
from ._compare import Comparison, compare
from ._condense import condense, explain, formats, generate, info, nearest, update
from ._errors import (ArgumentError, Canceled, Error, FileError, FormatError, OptionError,
                      OutOfMemory)
from ._graph import Graph
from ._page import Page, report
from ._report import Info, Report
from ._search import Search, search
from ._splits import (LabelWarning, LeakWarning, SaveWarning, ScaleWarning, SplitWarning,
                      TableWarning)
from ._suggest import Suggestion, suggest
from ._training import PEERS, Model, Training, evaluate, train

__all__ = [
    "ArgumentError", "Canceled", "Comparison", "Error", "FileError", "FormatError", "Graph",
    "Info", "LabelWarning", "LeakWarning", "Model", "OptionError", "OutOfMemory", "PEERS", "Page",
    "Report", "SaveWarning", "ScaleWarning", "Search", "SplitWarning", "Suggestion", "TableWarning",
    "Training", "__version__", "compare", "condense", "evaluate", "explain", "formats", "generate",
    "info", "nearest", "report", "search", "suggest", "train", "update",
]


def __getattr__(name: str) -> Any:
    """Imports graphbonsai.pyg, .dgl, .ogb and .datasets when they are first used."""
    if name in ("pyg", "dgl", "ogb", "datasets"):
        import importlib
        return importlib.import_module("." + name, __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
