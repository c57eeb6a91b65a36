"""Says when the library draws a split because a graph has none.

SPDX-License-Identifier: MIT
"""
import os
import sys
import warnings
from typing import Any

from . import _capi as c

_HERE = os.path.dirname(os.path.abspath(__file__))


class SplitWarning(UserWarning):
    """A graph has no split, so one was drawn."""


def _level() -> int:
    """How far up the caller's own code is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(
            os.path.abspath(frame.f_code.co_filename)) == _HERE:
        level, frame = level + 1, frame.f_back
    return level


def warn_drawn(seed: int) -> None:
    warnings.warn("the graph has no split: 60 %% of its labelled nodes train, 20 %% validate and "
                  "20 %% test, drawn with the seed %d; give masks, or split=(60, 20, 20) to say "
                  "that this is meant" % seed, SplitWarning, stacklevel=_level())


def warn_if_drawn(graph: Any, split: Any, seed: int) -> None:
    """Warns where condensing a Graph draws a split that nobody asked for."""
    section = c.graph_view(graph._live()).contents.section
    if split is None and section[c.LABELS].data and not (section[c.SPLIT].data
                                                         or section[c.ROLE].data):
        warn_drawn(seed)
