"""Old names that work for one more version.

Each old name warns once in a process, at the line that uses it.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import warnings
from typing import Any, Set

_warned: Set[str] = set()


def warn(old: str, advice: str, depth: int) -> None:
    """Warns that the caller `depth` calls up uses `old`, unless a caller has been warned before."""
    if old not in _warned:
        _warned.add(old)
        warnings.warn("%s is deprecated and will be removed in graphbonsai 0.8; %s" %
                      (old, advice), DeprecationWarning, stacklevel=depth + 1)


class Bytes(int):
    """The value of Graph.nbytes.  It can be called, because nbytes used to be a method."""

    _graph: Any

    def __new__(cls, value: int, graph: Any) -> "Bytes":
        number = super().__new__(cls, value)
        number._graph = graph
        return number

    def __call__(self, accounting: str = "strict") -> float:
        warn("Graph.nbytes()", "use the properties Graph.nbytes and Graph.paper_nbytes", 2)
        return float(self._graph._bytes(accounting))

    def __reduce__(self) -> Any:
        return int, (int(self),)        # a copy does not need the graph
