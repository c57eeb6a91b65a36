"""The nodes of the full graph that each node of a condensed one stands for.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from . import _capi as c
from ._build import Draft, to_int32, whole_numbers


def flat(lists: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Where each list begins and the last ends, and all of them in a row.

    >>> flat([[4, 5], [], [3]])
    (array([0, 2, 2, 3]), array([4, 5, 3]))
    """
    rows = [whole_numbers("members[%d]" % i, row) for i, row in enumerate(lists)]
    ends = np.cumsum([0, *(row.size for row in rows)])
    return ends, np.concatenate([np.empty(0, np.int64), *rows]).astype(np.int64)


def lists(ends: np.ndarray, nodes: Any) -> List[Any]:
    """The lists again; nodes may be a tensor."""
    return [nodes[a:b] for a, b in zip(ends[:-1].tolist(), ends[1:].tolist())]


def add(draft: Draft, members: Any) -> None:
    ends, nodes = flat(members)
    draft.count("members", ends.size - 1)
    draft.put(c.MEMBER_OFFSETS, ends.astype(np.uint64))
    draft.put(c.MEMBERS, to_int32("members", nodes).view(np.uint32))
