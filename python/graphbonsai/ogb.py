"""OGB's node datasets: its dictionary graph, labels and split in, a small Graph out.

    dataset = NodePropPredDataset("ogbn-arxiv")
    small = graphbonsai.condense(dataset, ratio=0.01)
    graph, labels = dataset[0]
    small = graphbonsai.condense((graph, labels, dataset.get_idx_split()), ratio=0.01)

PygNodePropPredDataset and DglNodePropPredDataset give a Data and a DGLGraph.  Nothing of the
package ogb is imported: what it hands out are dictionaries and arrays.

>>> import numpy as np
>>> graph = {"edge_index": np.array([[0, 1, 2], [1, 2, 3]]), "edge_feat": None, "num_nodes": 4,
...          "node_feat": np.eye(4, dtype=np.float32)}
>>> labels = np.array([[0], [1], [0], [1]])
>>> g = from_data((graph, labels, {"train": [0, 1], "valid": [2], "test": [3]}))
>>> g.num_nodes, g.num_edges, g.train_mask.tolist()
(4, 6, [True, True, False, False])

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._errors import ArgumentError
from ._graph import Graph
from ._options import whole

__all__ = ["condense", "from_data", "is_ogb", "with_masks"]

PARTS = (("train_mask", "train"), ("val_mask", "valid"), ("test_mask", "test"))


def _array(value: Any) -> np.ndarray:
    """Of an array, a list or a tensor."""
    return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)


def is_ogb(data: Any) -> bool:
    """Whether data is a dataset of OGB's, or (graph, labels[, split])."""
    if isinstance(data, tuple):
        return (len(data) in (2, 3) and isinstance(data[0], Mapping)
                and ("edge_index" in data[0] or "edge_index_dict" in data[0]))
    return hasattr(data, "get_idx_split") and hasattr(data, "__getitem__")


# ---- its pieces ----

def _need_graph(graph: Any) -> None:
    if not isinstance(graph, Mapping):
        raise ArgumentError(f"OGB's graph is a dictionary, not a {type(graph).__name__}")
    if "edge_index_dict" in graph:
        raise ArgumentError("the graph has several kinds of nodes and edges, and only one kind can "
                            "be condensed: give a dictionary with edge_index and node_feat of the "
                            "nodes that carry the labels")
    for name, what in (("edge_index", "edges"), ("num_nodes", "number of nodes")):
        if graph.get(name) is None:
            raise ArgumentError(f'OGB\'s graph has no "{name}", that is no {what}')
    if graph.get("node_feat") is None:
        raise ArgumentError('OGB\'s graph has no "node_feat", that is no features: give every node '
                            "some, such as the mean of its edges' features, or its degree")


def _labels(labels: Any, nodes: int) -> np.ndarray:
    if isinstance(labels, Mapping):
        raise ArgumentError("labels are given for several kinds of nodes; give the array of one")
    y = _array(labels)
    if y.ndim == 0 or y.shape[0] != nodes:
        raise ArgumentError(f"labels have the shape {list(y.shape)}, but there are {nodes} nodes")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ArgumentError(f"labels have the shape {list(y.shape)}: several labels a node cannot "
                            f"be condensed; take one task, labels[:, :1]")
    if y.dtype.kind not in "biuf":
        raise ArgumentError(f"labels are {y.dtype}; class numbers 0, 1, ... are needed")
    if y.dtype.kind == "f":
        known = ~np.isnan(y)
        if not (np.isfinite(y[known]) & (y[known] == np.floor(y[known]))).all():
            raise ArgumentError("labels are numbers to be predicted, not classes; cut them into "
                                "classes first")
        y = np.where(known, y, -1)
    return y.astype(np.int64)


def _split(split: Any) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    missing = [name for _, name in PARTS if name not in split]
    if missing:
        raise ArgumentError(f"the split has no \"{missing[0]}\"; it is what get_idx_split() gives, "
                            f"with train, valid and test")
    train, valid, test = (_array(split[name]).ravel() for _, name in PARTS)
    return train, valid, test


def _features(x: Any) -> np.ndarray:
    x = _array(x)
    if x.dtype not in (np.float32, np.float16):
        raise ArgumentError(f'node_feat is {x.dtype}; the library takes float32: graph["node_feat"]'
                            f' = graph["node_feat"].astype("float32")')
    return x


def _pieces(data: Any) -> Tuple[Any, Any, Any]:
    if isinstance(data, tuple):
        if len(data) not in (2, 3):
            raise ArgumentError(f"(graph, labels, split) is needed, not a tuple of {len(data)}")
        return data if len(data) == 3 else (data[0], data[1], None)
    if not hasattr(data, "get_idx_split"):
        raise ArgumentError(f"a {type(data).__name__} is neither a node dataset of OGB's nor "
                            f"(graph, labels, split)")
    graph, labels = data[0]
    return graph, labels, data.get_idx_split()


# ---- all of it ----

def from_data(data: Any, *, need_masks: bool = True, **options: Any) -> Graph:
    """The Graph of a node dataset of OGB's, of any framework, or of (graph, labels, split).

    It keeps using the memory of graph["node_feat"].  Features of edges are left out.
    options: of `Graph.from_arrays`: keep_directed, keep_self_loops, keep_repeated, threads.
    """
    frame = _frame(data)
    if frame is not None:
        import importlib
        module = importlib.import_module("." + frame, __package__)
        found: Graph = module.from_data(with_masks(data), need_masks=need_masks, **options)
        return found
    graph, labels, split = _pieces(data)
    _need_graph(graph)
    if split is None and need_masks:
        raise ArgumentError("the split is missing, so it is not known which labels may be used: "
                            "give (graph, labels, dataset.get_idx_split()), or let the library "
                            "draw one with split=(60, 20, 20)")
    n = whole("num_nodes", graph["num_nodes"], 0, 2**31 - 1)
    given: Dict[str, Any] = {} if split is None else {"split": _split(split)}
    return Graph.from_arrays(edge_index=_array(graph["edge_index"]), num_nodes=n,
                             x=_features(graph["node_feat"]), y=_labels(labels, n), **given,
                             **options)


def with_masks(dataset: Any) -> Any:
    """The graph of a PygNodePropPredDataset or DglNodePropPredDataset with its split as masks.

    A Data comes back as a shallow copy; a DGLGraph with `label` among its node data too.
    """
    import copy

    import torch
    one, split = dataset[0], dataset.get_idx_split()
    graph, labels = one if isinstance(one, tuple) else (one, None)
    if isinstance(graph, Mapping):
        raise ArgumentError("OGB's dictionary graph has no masks; use from_data")
    if isinstance(split["train"], Mapping):
        raise ArgumentError("the dataset has several kinds of nodes and edges, and only one kind "
                            "can be condensed: make a graph of the nodes that carry the labels")
    out = copy.copy(graph) if labels is None else graph.local_var()
    if labels is not None:
        out.ndata["label"] = labels
    n = out.num_nodes if labels is None else out.num_nodes()
    for mask, part in PARTS:
        at = torch.zeros(n, dtype=torch.bool)
        at[torch.as_tensor(split[part])] = True
        if labels is None:
            out[mask] = at
        else:
            out.ndata[mask] = at
    return out


def _frame(data: Any) -> Optional[str]:
    """Which framework's graph a dataset hands out: "pyg", "dgl", or None for the dictionary."""
    if isinstance(data, tuple) or not hasattr(data, "get_idx_split"):
        return None
    one = data[0]
    one = one[0] if isinstance(one, tuple) else one
    if isinstance(one, Mapping):
        return None
    return "dgl" if hasattr(one, "ndata") else "pyg"


def condense(data: Any, ratio: Union[float, List[float], None] = None, **options: Any) -> Any:
    """`graphbonsai.condense` of a node dataset: a Graph, or what its framework has."""
    from . import condense as condense_graph
    frame = _frame(data)
    if frame is not None:
        return condense_graph(with_masks(data), ratio, **options)
    read = {k: options[k] for k in ("threads",) if k in options}
    read.update({k: options.pop(k) for k in ("keep_directed", "keep_self_loops", "keep_repeated")
                 if k in options})
    return condense_graph(from_data(data, need_masks=not options.get("split"), **read), ratio,
                          **options)
