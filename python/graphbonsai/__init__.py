"""Graphs in, small graphs out: train graph neural networks on a hundredth of the bytes.

>>> import graphbonsai
>>> full = graphbonsai.generate(nodes=1000, features=100, classes=4)
>>> small = graphbonsai.condense(full, ratio=0.02, threads=1)
>>> small.report.ratio <= 0.02
True

`condense` takes a Graph, a path, a torch_geometric Data, a DGLGraph or an OGB
dataset, and returns the same kind.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from ._capi import VERSION as __version__
from ._compare import Comparison, compare
from ._condense import condense, formats, generate, info, nearest, update
from ._errors import (ArgumentError, Canceled, Error, FileError, FormatError, OptionError,
                      OutOfMemory)
from ._graph import Graph
from ._report import Info, Report
from ._training import Model, Training, evaluate, train

__all__ = [
    "ArgumentError", "Canceled", "Comparison", "Error", "FileError", "FormatError", "Graph",
    "Info", "Model", "OptionError", "OutOfMemory", "Report", "Training", "__version__", "compare",
    "condense", "evaluate", "formats", "generate", "info", "nearest", "train", "update",
]
