"""Warnings: of splits that were drawn, of leaks, of labels, of scales, of columns of tables, and of
what a file cannot hold.

SPDX-License-Identifier: MIT
"""
import ctypes
import os
import sys
import warnings
from typing import Any, Sequence, Tuple

from . import _capi as c

_HERE = os.path.dirname(os.path.abspath(__file__))


class SplitWarning(UserWarning):
    """A graph has no split, so one was drawn."""


class LeakWarning(UserWarning):
    """A small graph has labels of nodes that it is judged on."""


class LabelWarning(UserWarning):
    """Labels have gaps, so classes have other numbers than they; or a class is unknown."""


class ScaleWarning(UserWarning):
    """Columns of features have scales that are far apart, so that a few decide all."""


class TableWarning(UserWarning):
    """A column of a table seems to be something else than it was read as."""


class SaveWarning(UserWarning):
    """A file does not hold all that a graph has."""


def level() -> int:
    """How far up the caller's own code is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(
            os.path.abspath(frame.f_code.co_filename)) == _HERE:
        level, frame = level + 1, frame.f_back
    return level


def warn_drawn(seed: int) -> None:
    warnings.warn("the graph has no split: 60 %% of its labelled nodes train, 20 %% validate and "
                  "20 %% test, drawn with the seed %d; give masks, or split=(60, 20, 20) to say "
                  "that this is meant" % seed, SplitWarning, stacklevel=level())


def warn_first_split(name: str, splits: int) -> None:
    warnings.warn("%s has %d splits, of which the first is used: split_index=0 says that this is "
                  "meant, or which other (where a function does not take it: "
                  "pyg.from_data(data, split_index=0))" % (name, splits), SplitWarning,
                  stacklevel=level())


def leak_text(leaks: int, metric: str) -> str:
    """What it does to judge on nodes whose labels the small graph has."""
    return ("%d labelled nodes of the small graph are validation or test nodes of the full one, "
            "which makes the %s too high" % (leaks, metric))


def warn_leaks(leaks: int, metric: str) -> None:
    warnings.warn(leak_text(leaks, metric), LeakWarning, stacklevel=level())


def warn_relabelled(labels: Sequence[int]) -> None:
    listed = ", ".join(str(label) for label in labels[:4]) + (", ..." if len(labels) > 4 else "")
    one = len(labels) == 1
    warnings.warn("y has the label%s %s: %s, with the label%s as class_names; relabel=True says "
                  "that this is meant, relabel=False makes %d classes" % (
                      "" if one else "s", listed, "it is class 0" if one else
                      "they are the classes 0 to %d" % (len(labels) - 1), "" if one else "s",
                      labels[-1] + 1), LabelWarning, stacklevel=level())


def warn_pair(was: Tuple[int, int], now: Tuple[int, int]) -> None:
    """Warns of a full graph that is not the one that was condensed, by its nodes and edge entries."""
    if was[0] > 0 and was != now:
        warnings.warn("the small graph was condensed from a graph of %d nodes and %d edge entries, but "
                      "this one has %d and %d: is it the right one?" % (*was, *now),
                      stacklevel=level())


def warn_unknown(small: Any, classes: int, full: Any) -> None:
    """Warns of nodes of the full graph whose classes, from number `classes` on, are not among those
    that the small graph has: it cannot teach them."""
    missing = full.y[full.y >= classes] if small.num_classes > classes else []
    if len(missing) > 0:
        called = full.class_names or full._given or range(small.num_classes)
        warnings.warn('class "%s" of the full graph is not a class of the small one, so that a model '
                      "cannot find it: %d nodes of such classes count as wrong" %
                      (called[int(missing[0])], len(missing)), LabelWarning, stacklevel=level())


def warn_scales(graph: Any) -> None:
    """Warns where the standard deviations of columns are far apart."""
    least, most = ctypes.c_double(), ctypes.c_double()
    c.graph_scales(ctypes.byref(least), ctypes.byref(most), graph._live())
    if most.value > 0 and most.value >= c.SCALES_FAR * least.value:
        warnings.warn("columns of x have standard deviations from %.2g to %.2g, so that a few columns "
                      "decide all: condense and train on graph.normalise(\"columns\"), or scale them "
                      "before: x = (x - x.mean(0)) / x.std(0).clip(1e-6)" %
                      (least.value, most.value), ScaleWarning, stacklevel=level())


def warn_scale(model: Any, graph: Any) -> None:
    """Warns where a model meets columns of another scale than it was trained on."""
    columns, column = ctypes.c_int64(), ctypes.c_int64()
    was, now = (ctypes.c_double * 2)(), (ctypes.c_double * 2)()
    c.model_scale(ctypes.byref(columns), ctypes.byref(column), was, now, model, graph)
    if columns.value == 0:
        return
    if column.value < 0:
        text = ("the largest standard deviation of a column of x is %.2g, but was %.2g where the "
                "model was trained: were the columns of one scaled, and not those of the other?" %
                (now[1], was[1]))
    else:
        name = c.model_feature_name(model, column.value)
        text = ("column %d%s of x has mean %.3g and standard deviation %.3g, but had %.3g and %.3g "
                "where the model was trained: is it in another unit, or scaled?%s" % (
                    column.value, ' ("%s")' % name.decode("utf-8") if name else "", *now, *was,
                    " (%d columns differ like this)" % columns.value if columns.value > 1 else ""))
    warnings.warn(text, ScaleWarning, stacklevel=level())


def warn_ids(name: Any) -> None:
    warnings.warn('nodes: the column "%s" holds a different whole number in each row, and the ends of '
                  "all edges, but it was read as a feature, and the rows' numbers as the ids: "
                  'node_id="%s" makes it the ids' % (name, name), TableWarning, stacklevel=level())


def warn_weight(name: Any) -> None:
    warnings.warn('edges: the column "%s" was not read: weight="%s" makes it the weights' %
                  (name, name), TableWarning, stacklevel=level())


def warn_reading(doubts: Sequence[str]) -> None:
    """Warns of what the reader of text was in doubt about."""
    for doubt in doubts:
        warnings.warn(doubt, TableWarning, stacklevel=level())


def warn_all() -> None:
    warnings.warn("ratio is 1: the small graph may take as many bytes as the full one; 0.01 is one "
                  "percent", stacklevel=level())


def warn_members() -> None:
    warnings.warn("members=True costs accuracy: prototypes that update can follow have no packed "
                  "rows, and do not learn from nodes without a label",
                  stacklevel=level())


def warn_batch(graphs: int) -> None:
    warnings.warn("data is a Batch of %d graphs, and is condensed to one small graph; for a small "
                  "graph of each, condense those of data.to_data_list()" % graphs,
                  stacklevel=level())


def warn_left_out(path: str, left: Sequence[str]) -> None:
    warnings.warn("%s does not hold %s; a .bonsai file holds everything" % (path, ", ".join(left)),
                  SaveWarning, stacklevel=level())


def warn_projection(path: str) -> None:
    warnings.warn("%s does not hold the projection, which is known of arrays alone; to write it, condense "
                  "a Graph or a path" % path, SaveWarning, stacklevel=level())


def warn_if_drawn(graph: Any, split: Any, seed: int) -> None:
    """Warns where condensing a Graph draws a split that nobody asked for."""
    section = c.graph_view(graph._live()).contents.section
    if split is None and section[c.LABELS].data and not (section[c.SPLIT].data
                                                         or section[c.ROLE].data):
        warn_drawn(seed)
