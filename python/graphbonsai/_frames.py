"""Graphs as pandas DataFrames: tables of nodes and of edges, as Graph.from_pandas reads them.

SPDX-License-Identifier: MIT
"""
from typing import Any, Dict, List, Tuple

import numpy as np

from ._arrays import Arrays
from ._errors import ArgumentError

_PARTS = ("train", "val", "test")


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ArgumentError("to_pandas needs pandas: pip install pandas") from None
    return pandas


def _texts(values: List[Any]) -> np.ndarray:
    out = np.empty(len(values), object)
    out[:] = values
    return out


def _labels(pandas: Any, graph: Arrays) -> Any:
    """The names of classes, or their numbers; missing where they are unknown."""
    y, names = graph.y, graph.class_names
    assert y is not None
    if names is None:
        return y if (y >= 0).all() else pandas.array(y, "Int64").take(
            np.where(y < 0, -1, np.arange(y.size)), allow_fill=True)
    return _texts([None if k < 0 else names[k] for k in y.tolist()])


def _parts(graph: Arrays) -> Any:
    """train, val or test of each node, or None; None: there is no split."""
    masks = [graph.train_mask, graph.val_mask, graph.test_mask]
    if all(mask is None for mask in masks):
        return None
    out = _texts([None] * graph.num_nodes)
    for part, mask in zip(_PARTS, masks):
        if mask is not None:
            out[mask] = part
    return out


def _columns(pandas: Any, graph: Arrays, names: Dict[str, str]) -> List[Tuple[Any, Any]]:
    """The columns of nodes by name; features without names are called 0, 1, ..."""
    found: List[Tuple[Any, Any]] = []
    if graph.node_names is not None:
        found.append((names["node_id"], _texts(graph.node_names)))
    if graph.x is not None:
        x, called = graph.x, graph.feature_names or [""] * graph.num_features
        found += [(name or i, x[:, i]) for i, name in enumerate(called)]
    if graph.y is not None:
        found.append((names["label"], _labels(pandas, graph)))
    if graph.node_weight is not None:
        found.append((names["node_weight"], graph.node_weight))
    parts = _parts(graph)
    return found if parts is None else [*found, (names["split"], parts)]


def _edges(pandas: Any, graph: Arrays) -> Any:
    """One row an edge; the ends by name if nodes have names."""
    ends, weight = graph.edge_index, graph.edge_weight
    if not graph.directed:
        once = ends[0] <= ends[1]
        ends, weight = ends[:, once], None if weight is None else weight[once]
    ids = np.arange(graph.num_nodes) if graph.node_names is None else _texts(graph.node_names)
    table = {"source": ids[ends[0]], "target": ids[ends[1]]}
    return pandas.DataFrame(table if weight is None else {**table, "weight": weight})


def frames_of(graph: Arrays, names: Dict[str, str]) -> Tuple[Any, Any]:
    """What Graph.to_pandas does; `names` are its arguments that name columns."""
    pandas = _pandas()
    columns = _columns(pandas, graph, names)
    called = [name for name, _ in columns]
    twice = next((name for i, name in enumerate(called) if name in called[:i]), None)
    if twice is not None:
        raise ArgumentError('two columns would be called "%s"; %s' % (
            twice, 'rename with %s="..."' % next(k for k, v in names.items() if v == twice)
            if twice in names.values() else "features need names of their own"))
    return pandas.DataFrame(dict(columns), index=range(graph.num_nodes)), _edges(pandas, graph)
