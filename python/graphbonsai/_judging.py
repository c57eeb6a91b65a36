"""Which nodes of a graph a model is judged on, and which class fares worst.

SPDX-License-Identifier: MIT
"""
import warnings
from typing import Any, Dict, Optional

import numpy as np

from . import _capi as c
from . import _pickles as pickles
from ._errors import ArgumentError
from ._graph import Graph
from ._memory import Handle
from ._progress import call
from ._splits import SplitWarning, level

PARTS = ("none", "train", "val", "test", "all")     # of a split: bonsai_part; and all of them
NONE, ALL = 0, 4

# As the page of a report has them (src/report/page_recall.c).
_MOST_APART = 40        # points between recalls that are still alike
_MOST_MORE = 5          # points that balanced accuracy may lose more than accuracy


def without_split(graph: Graph) -> Graph:
    """The same graph, in which every node is outside all parts."""
    sizes, sections = pickles.packed(graph)
    kept = {number: array for number, array in sections.items() if number != c.SPLIT}
    return Graph._of(pickles.unpacked(sizes, kept), given=graph._given)


def split_for(graph: Graph, pointer: Any, model: Dict[str, Any]) -> Graph:
    """The graph with the split that was drawn of it when the model was trained, if one was."""
    if graph._section(c.SPLIT) is not None:
        return graph
    parent = graph._live()
    handle = Handle(keep=(parent,))
    call(c.model_split, handle.out, pointer, parent)
    if not handle.pointer:
        return graph
    warnings.warn("the graph has no split: %g/%g/%g was drawn with the seed %d, as when the model "
                  "was trained" % (*model["split"], model["split_seed"]), SplitWarning,
                  stacklevel=level())
    return Graph._of(handle, given=graph._given)


def part_of(graph: Graph, part: int) -> int:
    """The part to judge on: where there is no split, all labelled nodes instead of test nodes."""
    if part in (NONE, ALL) or graph._section(c.SPLIT) is not None:
        return part
    if PARTS[part] != "test":
        raise ArgumentError('the graph has no split, so no part "%s"; part="all" judges every '
                            "labelled node" % PARTS[part])
    warnings.warn("the graph has no split: every labelled node is judged, also those that the "
                  'model was trained on, if any; part="all" says that this is meant', SplitWarning,
                  stacklevel=level())
    return ALL


def lost(small: Any, full: Any) -> Optional[int]:
    """The class that a Training on a small graph finds least, where recalls are far apart or
    accuracy hides a loss; None: classes fare alike."""
    recall = np.where(small.classes["test"] > 0, small.classes["recall_mean"], np.nan)
    if np.isnan(recall).all():
        return None
    def less(metric: str) -> float:
        return float(full.info[metric + "_mean"] - small.info[metric + "_mean"])
    uneven = (np.nanmax(recall) - np.nanmin(recall) > _MOST_APART
              or less("balanced") - less("accuracy") > _MOST_MORE)
    return int(np.nanargmin(recall)) if uneven else None


def lost_text(small: Any, full: Any) -> str:
    """A line on the class that fares worst, or nothing."""
    k = lost(small, full)
    return "" if k is None else (
        "\nclasses fare unequally: of %s it finds %.1f %%, the full graph %.1f %%" % (
            small.classes["name"][k], small.classes["recall_mean"][k],
            full.classes["recall_mean"][k]))
