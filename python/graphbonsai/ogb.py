"""OGB: condenses a node dataset, or (graph, labels, split), to a small Graph.

    dataset = NodePropPredDataset("ogbn-arxiv")
    small = graphbonsai.condense(dataset, ratio=0.01)
    graph, labels = dataset[0]
    small = graphbonsai.condense((graph, labels, dataset.get_idx_split()), ratio=0.01)

A PygNodePropPredDataset gives a Data, a DglNodePropPredDataset a DGLGraph.  This module does not
import the package ogb; it reads its dictionaries and arrays.

>>> import numpy as np
>>> graph = {"edge_index": np.array([[0, 1, 2], [1, 2, 3]]), "edge_feat": None, "num_nodes": 4,
...          "node_feat": np.eye(4, dtype=np.float32)}
>>> labels = np.array([[0], [1], [0], [1]])
>>> g = from_data((graph, labels, {"train": [0, 1], "valid": [2], "test": [3]}))
>>> g.num_nodes, g.num_edges, g.train_mask.tolist()
(4, 6, [True, True, False, False])

SPDX-License-Identifier: MIT
"""
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _capi
from . import _options as options_of
from ._build import refuse_masked
from ._condense import condense, condense_graph
from ._errors import ArgumentError
from ._graph import Graph
from ._progress import Progress

__all__ = ["condense", "from_data", "is_ogb", "with_masks"]

PARTS = (("train_mask", "train"), ("val_mask", "valid"), ("test_mask", "test"))


def _array(name: str, value: Any) -> np.ndarray:
    """The array of an array, a list or a tensor."""
    refuse_masked(name, value)
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float() if str(value.dtype) == "torch.bfloat16" else value
    return np.asarray(value)


def is_ogb(data: Any) -> bool:
    """Whether data is an OGB dataset, or (graph, labels[, split])."""
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
    y = _array("labels", labels)
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
    train, valid, test = (_array(name, split[name]).ravel() for _, name in PARTS)
    return train, valid, test


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

@options_of.named
def from_data(data: Any, *,
              # options: read -features -labels
              keep_directed: bool = False, keep_self_loops: bool = False,
              keep_repeated: bool = False, threads: int = 0,
              # end
              ) -> Graph:
    """Makes a Graph from an OGB node dataset of any framework, or from (graph, labels, split).

    It uses the memory of graph["node_feat"].  Features of edges are ignored.

    Args:
        data: the dataset or the tuple.
        keep_directed: keep entries without their reverse; else it is added.
        keep_self_loops: keep edges from a node to itself; else they are dropped.
        keep_repeated: keep repeated edges; else they are merged.
        threads: threads, 0 for every core it may use (0 to 4096).
    """
    options = options_of.changed(_capi.ReadOptions, locals())
    frame = _frame(data)
    if frame is not None:
        import importlib
        module = importlib.import_module("." + frame, __package__)
        found: Graph = module.from_data(with_masks(data), **options)
        return found
    graph, labels, split = _pieces(data)
    _need_graph(graph)
    n = options_of.whole("num_nodes", graph["num_nodes"], 0, 2**31 - 1)
    given: Dict[str, Any] = {} if split is None else {"split": _split(split)}
    return Graph.from_arrays(edge_index=_array("edge_index", graph["edge_index"]), num_nodes=n,
                             x=_array("node_feat", graph["node_feat"]), y=_labels(labels, n),
                             **given, **options)


def with_masks(dataset: Any) -> Any:
    """Returns the graph of a PygNodePropPredDataset or DglNodePropPredDataset, with masks.

    A Data is copied shallowly; a DGLGraph also gets the node data `label`.
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
    """The framework of a dataset's graph: "pyg", "dgl", or None for a dictionary."""
    if isinstance(data, tuple) or not hasattr(data, "get_idx_split"):
        return None
    one = data[0]
    one = one[0] if isinstance(one, tuple) else one
    if isinstance(one, Mapping):
        return None
    return "dgl" if hasattr(one, "ndata") else "pyg"


def condensed(data: Any, ratio: Union[None, float, Sequence[float]], given: Mapping[str, Any],
              reading: Dict[str, Any], progress: Progress) -> Any:
    """What graphbonsai.condense does with a node dataset: a Graph, or what its framework has."""
    if _frame(data) is not None:
        options = options_of.changed(_capi.CondenseOptions, {**given, "ratio": None})
        return condense(with_masks(data), ratio, progress=progress, **options, **reading)
    graph = from_data(data, threads=given["threads"], **reading)
    return condense_graph(graph, ratio, given, progress)
