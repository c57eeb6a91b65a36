"""Which nodes of a graph a model is judged on, and which class fares worst.

SPDX-License-Identifier: MIT
"""
import ctypes
import warnings
from typing import Any, Dict, List, Optional

import numpy as np

from . import _capi as c
from . import _pickles as pickles
from ._errors import ArgumentError
from ._graph import Graph
from ._memory import Handle
from ._progress import call
from ._report import Row, number
from ._splits import SplitWarning, leak_text, level

PARTS = ("none", "train", "val", "test", "all")     # of a split: bonsai_part; and all of them
NONE, ALL = 0, 4

MOST_CLASSES = 20       # whose recalls are printed


def share(value: float) -> str:
    """A share in percent; a dash if there is none."""
    return "-" if value < 0 else "%.2f" % value


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


def _metrics(training: Any) -> np.ndarray:
    """The means of a Training, as the library numbers them."""
    return np.array([training.info[metric + "_mean"] for metric in c.METRICS], np.float64)


def lost(small: Any, full: Any) -> Optional[int]:
    """The class that a Training on a small graph finds least, where recalls are far apart or
    accuracy hides a loss; None: classes fare alike."""
    recall = np.ascontiguousarray(small.classes["recall_mean"], np.float64)
    found = c.judge_lost(recall.ctypes.data, recall.size, _metrics(small).ctypes.data,
                         _metrics(full).ctypes.data)
    return None if found < 0 else int(found)


def lost_text(small: Any, full: Any) -> str:
    """A line on the class that fares worst, or nothing."""
    k = lost(small, full)
    return "" if k is None else (
        "classes fare unequally: of %s it finds %.1f %%, the full graph %.1f %%" % (
            small.classes["name"][k], small.classes["recall_mean"][k],
            full.classes["recall_mean"][k]))


def recall_rows(small: Any, full: Any) -> List[Row]:
    """The recall of each class, trained on the small graph and on the full one, as a table."""
    rows: List[Row] = [("recall of class", "test nodes", "small %", "full %")]
    for a, b in list(zip(small.classes, full.classes))[:MOST_CLASSES]:
        rows.append((str(a["name"]), number(int(a["test"])), share(a["recall_mean"]),
                     share(b["recall_mean"])))
    more = len(small.classes) - MOST_CLASSES
    return rows + [("and %d more" % more, "", "", "")] if more > 0 else rows


def idle_text(pointer: Any, classes: np.ndarray) -> str:
    """A line on models that have learned nothing, or nothing."""
    percent = ctypes.c_double()
    largest = c.training_idle(ctypes.byref(percent), pointer)
    if largest < 0:
        return ""
    kind = c.training_info(pointer).contents.metric
    what = ("always answering class %s, the largest of the test nodes," % classes["name"][largest]
            if kind < c.METRICS.index("auc") else "scoring all nodes alike,")
    of = " of " + c.metric_text(kind).decode() if kind else ""
    return "it is hardly better than %s which gets %.1f %%%s" % (what, percent.value, of)


def said(training: Any) -> List[str]:
    """What training on the full graph gave, and labels that are judged on: a line each."""
    lines, full = [], training.full
    if full is not None:
        kept = "" if training.kept is None else ": %.1f %% is kept" % training.kept
        lines = ["trained on the full graph %s +- %.2f %%%s" % (share(full.mean), full.std, kept),
                 lost_text(training, full)]
    lines.append(training._idle)
    if training.info["leaks"] > 0:
        lines.append(leak_text(training.info["leaks"], training.info["metric"]))
    return [line for line in lines if line]
