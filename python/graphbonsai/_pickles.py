"""Graphs and models as picklable parts: for workers that are spawned, joblib, Ray and dask.

A graph goes by its sections, NumPy arrays that protocol 5 passes on without a copy.  A model, and a
graph whose features are stored in a basis, go by the bytes of their native files: a basis that comes
beside features could be another one.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
import os
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Dict, Tuple

import numpy as np

from . import _capi as c
from ._memory import Handle, lend
from ._progress import call

if TYPE_CHECKING:
    from ._graph import Graph

_SIZES = ("nodes", "features", "classes", "flags")
_COORDINATES = 28       # a section that a graph with a basis has


def packed(graph: "Graph") -> Tuple[Dict[str, int], Dict[int, np.ndarray]]:
    """The sizes and the sections of a graph."""
    handle = graph._live()
    view = c.graph_view(handle).contents
    if view.section[_COORDINATES].data:
        return {}, {0: np.frombuffer(file_bytes(graph.save), dtype=np.uint8)}
    sections = {number: graph._section(number) for number in range(1, c.SECTIONS)}
    return ({name: int(getattr(view, name)) for name in _SIZES},
            {number: array for number, array in sections.items() if array is not None})


def unpacked(sizes: Dict[str, int], sections: Dict[int, np.ndarray]) -> Handle:
    """A handle of a graph over the arrays that `packed` gave; nothing is copied but a file."""
    if not sizes:
        return from_bytes(_loaded, sections[0].tobytes())
    view = c.init(c.View)
    for name in _SIZES:
        setattr(view, name, sizes[name])
    arrays = {number: np.require(array, None, ["C", "A"]) for number, array in sections.items()}
    for number, array in arrays.items():
        lend(view, number, array)
    handle = Handle(keep=tuple(arrays.values()))
    call(c.graph_new, handle.out, ctypes.byref(view), 0)
    return handle


def _loaded(path: str) -> Handle:
    """A handle of the graph in a native file."""
    handle = Handle()
    call(c.graph_read, handle.out, os.fsencode(path), None)
    return handle


def file_bytes(save: Callable[[str], Any]) -> bytes:
    """What a function writes to the path that it is given."""
    with tempfile.TemporaryDirectory(prefix="graphbonsai-") as folder:
        path = os.path.join(folder, "object.bonsai")
        save(path)
        with open(path, "rb") as file:
            return file.read()


def from_bytes(load: Callable[[str], Any], data: bytes) -> Any:
    """What a function reads from a file of these bytes."""
    with tempfile.TemporaryDirectory(prefix="graphbonsai-") as folder:
        path = os.path.join(folder, "object.bonsai")
        with open(path, "wb") as file:
            file.write(data)
        return load(path)
