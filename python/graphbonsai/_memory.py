"""Handles of the library, and arrays that are views of its memory.

A handle is freed with its last user, a Graph or an array.  So close() can be called at any time,
and arrays can outlive their graph.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
from typing import Any, Optional, Tuple

import numpy as np

from . import _capi as c


class Handle:
    """One object of the library, and the objects that it borrows from."""

    __slots__ = ("pointer", "keep", "_free", "__weakref__")

    def __init__(self, free: Any = c.graph_free, keep: Tuple[Any, ...] = ()) -> None:
        self.pointer = ctypes.c_void_p()
        self.keep = keep
        self._free = free

    @property
    def _as_parameter_(self) -> Any:
        """The pointer, for ctypes.

        Pass the handle, not its pointer: then the call keeps it alive, even if another thread
        closes the graph meanwhile.
        """
        return self.pointer

    @property
    def out(self) -> Any:
        """The argument that the library fills."""
        return ctypes.byref(self.pointer)

    def __reduce__(self) -> Any:
        raise TypeError("an object of the library cannot be pickled; save it to a file")

    def __copy__(self) -> "Handle":
        return self                     # two handles would free the same object

    def __deepcopy__(self, memo: Any) -> "Handle":
        return self

    def __del__(self) -> None:
        address, self.pointer.value = self.pointer.value, None
        if address:
            self._free(address)


class _Memory:
    """A part of a handle's memory, for NumPy."""

    __slots__ = ("__array_interface__", "handle")

    def __init__(self, address: int, shape: Tuple[int, ...], kind: str, handle: Any) -> None:
        self.__array_interface__ = {"data": (address, True), "shape": shape,
                                    "typestr": np.dtype(kind).str, "version": 3}
        self.handle = handle


def over(address: Optional[int], shape: Tuple[int, ...], kind: str, handle: Any) -> np.ndarray:
    """A read-only view of memory of the handle, which it keeps alive."""
    if not address or 0 in shape:
        empty = np.empty(shape, kind)
        empty.flags.writeable = False
        return empty
    return np.asarray(_Memory(address, shape, kind, handle))


def section(handle: Handle, number: int) -> Optional[np.ndarray]:
    """A section of a graph as a flat array, or None."""
    return section_of(c.graph_view(handle).contents, number, handle)


def section_of(view: c.View, number: int, owner: Any) -> Optional[np.ndarray]:
    """A section of a view as a flat array, or None; the owner of its memory is kept alive."""
    a = view.section[number]
    if a.type == c.NONE or (a.data is None and a.count == 0 and number != c.NEIGHBORS):
        return None
    return over(a.data, (a.count,), c.TYPE_NAMES[a.type], owner)


def row_lengths(offsets: np.ndarray) -> Any:
    """The number of entries of each row."""
    wide = offsets.astype(np.int64)
    return wide[1:] - wide[:-1]


def lend(view: c.View, number: int, array: np.ndarray) -> None:
    """Puts an array into a section of a view; the caller keeps it alive."""
    kinds = {np.dtype(name): kind for kind, name in c.TYPE_NAMES.items()}
    entry = view.section[number]
    entry.data = array.ctypes.data
    entry.count = array.size
    entry.type = kinds[array.dtype]
