"""PyTorch Geometric: a Data in, a small Data out.

>>> import graphbonsai
>>> from graphbonsai import pyg
>>> full = pyg.to_data(graphbonsai.generate(nodes=400, features=60, classes=3, seed=1))
>>> small = pyg.Condense(nodes=20)(full)
>>> small.num_nodes <= 20 and small.x.shape[1] == full.x.shape[1]
True

`Condense` is a transform, so that it also goes into `T.Compose` and into `pre_transform`.
`loss` trains on what a condensed graph says: soft labels and the weights of its nodes.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import copy
import html
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

try:
    import torch
    from torch import Tensor
    from torch_geometric.data import Batch, Data, HeteroData
    from torch_geometric.data.datapipes import functional_transform
    from torch_geometric.transforms import BaseTransform
except ImportError as e:
    raise ImportError("graphbonsai.pyg needs PyTorch Geometric: pip install torch torch_geometric "
                      f"({e})") from e

from . import _tensors
from ._errors import ArgumentError, Error
from ._graph import Graph
from ._report import Report

__all__ = ["Condense", "CondensedData", "apply_features", "condense", "from_data", "loss",
           "to_data"]


class CondensedData(Data):
    """A Data that was condensed: `report` tells how, in a table when it is printed.

    The store holds the report as a plain dictionary, which survives `.to(device)`, `.clone()`
    and a dataset's file; it becomes a Report when it is asked for.
    """

    @property
    def report(self) -> Any:
        """A Report; of a batch the list of its graphs' reports."""
        found = self._store.get("report")
        if found is not None and isinstance(self, Batch):
            return [one.report for one in self.to_data_list()]
        return None if found is None else Report(found)

    def __repr__(self) -> str:
        short = copy.copy(self)
        short._store.pop("report", None)        # forty lines of numbers
        return super(CondensedData, short).__repr__()

    def _repr_html_(self) -> str:
        """The library's report; its tables alone where the library cannot read the graph."""
        report = self.report
        if not isinstance(report, Report):
            return f"<code>{html.escape(repr(self))}</code>"
        from ._page import report as page
        try:
            return page(self, progress=False)
        except Error:                           # on another device, or changed since
            return report._repr_html_()


if hasattr(torch.serialization, "add_safe_globals"):        # so that a dataset's file loads as safe
    torch.serialization.add_safe_globals([CondensedData])


# ---- Data to Graph ----

def _need_data(data: Any) -> None:
    if isinstance(data, HeteroData):
        raise ArgumentError("HeteroData has several kinds of nodes and edges, and only one kind can "
                            "be condensed: give data.to_homogeneous(), or the part that carries "
                            "the labels as a Data of its own")
    if not isinstance(data, Data):
        raise ArgumentError(f"a {type(data).__name__} is not a torch_geometric.data.Data; of a "
                            f"dataset give its graph, dataset[0]")


def _entries(adj: Any, n: int) -> Tuple[Tensor, Optional[Tensor]]:
    """Rows and columns of a sparse matrix, and its values unless all are 1."""
    sizes = adj.sizes() if callable(getattr(adj, "sizes", None)) else getattr(adj, "shape", (n, n))
    if tuple(sizes) != (n, n):
        raise ArgumentError(f"data.adj_t has the shape {list(sizes)}, but there are {n} nodes")
    if isinstance(adj, Tensor):
        _tensors.need_cpu(adj, "data.adj_t", "data")
        if adj.layout is torch.strided:
            raise ArgumentError("data.adj_t is dense; give data.edge_index "
                                "(torch_geometric.utils.dense_to_sparse)")
        coo = adj.detach().to_sparse_coo().coalesce()
        index, values = coo.indices(), coo.values()
    elif hasattr(adj, "coo"):           # torch_sparse.SparseTensor
        row, col, values = adj.cpu().coo()
        index = torch.stack([row, col])
    else:
        raise ArgumentError(f"data.adj_t is a {type(adj).__name__}; a sparse tensor is needed")
    if values is not None and values.dim() == 1 and bool((values == 1).all()):
        values = None
    return index, values


def _edges(data: Data, n: int) -> Tuple[np.ndarray, Optional[np.ndarray]]:
    index, name, values = data.get("edge_index"), "data.edge_weight", data.get("edge_weight")
    if index is None and data.get("adj_t") is not None:
        index, name = data["adj_t"], "the values of data.adj_t"
        index, values = _entries(index, n)
        index = index.flip(0)           # row i of adj_t holds the edges that end in i
    elif index is None:
        raise ArgumentError("data has no edges: neither edge_index nor adj_t. For a graph without "
                            "any set data.edge_index = torch.empty(2, 0, dtype=torch.long)")
    elif values is None and data.get("edge_attr") is not None:
        name, values = "data.edge_attr", data["edge_attr"]
    if not isinstance(index, Tensor) or index.dim() != 2 or index.shape[0] != 2:
        what = _tensors.shape_of(index) if isinstance(index, Tensor) else type(index).__name__
        raise ArgumentError(f"data.edge_index is {what}; it must be a tensor [2, edges]")
    index = _tensors.need_cpu(index, "data.edge_index", "data")
    if index.is_floating_point() or index.dtype is torch.bool:
        raise ArgumentError(f"data.edge_index is {str(index.dtype)[6:]}; node numbers are "
                            f"needed: data.edge_index = data.edge_index.long()")
    weight = None
    if values is not None:
        weight = _tensors.edge_weights(values, index.shape[1], name, "data")
    return index.numpy(), weight


def _nodes(data: Data) -> int:
    for name in ("x", "y"):
        value = data.get(name)
        if isinstance(value, Tensor) and value.dim():
            return int(value.shape[0])
    return int(data.num_nodes or 0)


def _masks(data: Data, n: int, split_index: int, needed: bool) -> Dict[str, Any]:
    if data.get("train_mask") is None:
        if not needed:
            return {}
        raise ArgumentError("data has no train_mask, so it is not known which labels may be used: "
                            "draw one with torch_geometric.transforms.RandomNodeSplit(), or let "
                            "the library draw one with split=(60, 20, 20)")
    masks = {name: None if data.get(name) is None else
             _tensors.mask(data[name], n, "data." + name, "data", split_index)
             for name in ("train_mask", "val_mask", "test_mask")}
    _tensors.check_apart({"data." + name: m for name, m in masks.items()})
    return masks


def _condensed(data: Data) -> Dict[str, Any]:
    """What only a condensed graph has."""
    names = ("y_soft", "node_weight", "origin", "role", "kept_features")
    out: Dict[str, Any] = {name: _tensors.need_cpu(data[name], "data." + name, "data").numpy()
                           for name in names if data.get(name) is not None}
    if "y_soft" in out:
        out["num_classes"] = out["y_soft"].shape[1]
    if isinstance(data["report"], dict):
        out["report"] = dict(data["report"])
    return out


def from_data(data: Data, *, split_index: int = 0, need_masks: bool = True,
              **options: Any) -> Graph:
    """The Graph of a homogeneous Data, which keeps using the memory of `data.x`.

    data: `x` (dense float32, or sparse), `y`, `edge_index` or `adj_t`, perhaps `edge_weight`
    (or `edge_attr` with one number an edge), `train_mask` and the other two.
    split_index: the column of masks [nodes, splits].
    need_masks: False: a Data without train_mask is taken too.
    options: of `Graph.from_arrays`: keep_directed, keep_self_loops, keep_repeated, threads.
    """
    _need_data(data)
    for name, what in (("x", "features: give every node some, for example with "
                        "torch_geometric.transforms.OneHotDegree"),
                       ("y", "labels: set data.y to a class number for each node, -1 where it is "
                        "not known")):
        if data.get(name) is None:
            raise ArgumentError(f"data has no {name}, that is no {what}")
    n = _nodes(data)
    edge_index, weight = _edges(data, n)
    if data.get("report") is not None:          # condensed: its edges stay, all labels train
        loops = bool((edge_index[0] == edge_index[1]).any())
        options = {"keep_self_loops": loops, "keep_directed": data.is_directed(), **options,
                   **_condensed(data)}
    else:
        options = {**options, **_masks(data, n, split_index, need_masks)}
        if data.get("kept_features") is not None:           # of apply_features
            options["kept_features"] = _tensors.need_cpu(data["kept_features"],
                                                         "data.kept_features", "data").numpy()
    return Graph.from_arrays(
        edge_index=edge_index, edge_weight=weight, num_nodes=n,
        x=_tensors.features(data["x"], n, "data.x", "data"),
        y=_tensors.labels(data["y"], n, "data.y", "data"), **options)


# ---- Graph to Data ----

def to_data(graph: Graph) -> Data:
    """The Data of a Graph, with tensors of its own.

    x, edge_index, edge_weight, y (-1: unknown), y_soft, train_mask (val_mask, test_mask),
    node_weight, origin, role, kept_features: each where the graph has it.  Of a condensed
    graph every labelled node is in train_mask, and `report` tells how it was made.
    """
    report = graph.report
    data = CondensedData() if report is not None else Data()
    for name, value in _tensors.fields(graph).items():
        data[name] = value
    data.edge_index = _tensors.tensor(graph.edge_index)
    weights = graph.csr[2]
    if weights is not None:
        data.edge_weight = _tensors.tensor(weights)
    if graph.kept_features is not None:
        data.kept_features = _tensors.tensor(graph.kept_features)
    if "x" not in data and "y" not in data:
        data.num_nodes = graph.num_nodes        # edges alone do not show the last lonely nodes
    if report is not None:
        data["report"] = dict(report)
    return data


# ---- condensing ----

def condense(data: Data, ratio: Union[float, List[float], None] = None, *, split_index: int = 0,
             **options: Any) -> Any:
    """`graphbonsai.condense` of a Data: a small Data, or a list of them for a list of ratios."""
    from . import condense as condense_graph
    read, rest = _tensors.split_options(options)
    graph = from_data(data, split_index=split_index, need_masks=not rest.get("split"), **read)
    small = condense_graph(graph, ratio, **rest)
    return [to_data(one) for one in small] if isinstance(small, list) else to_data(small)


@functional_transform("bonsai_condense")
class Condense(BaseTransform):
    """Makes a small graph of a large one that models can be trained on instead.

    ratio: bytes of the small graph over bytes of the full one, or one of bytes, nodes, trees.
    method: "auto", "trees", "prototypes", "random", ...
    split_index: the column of masks [nodes, splits].
    options: as of `graphbonsai.condense`; progress too.

    >>> Condense(ratio=0.01)
    Condense(ratio=0.01, method='auto')
    """

    def __init__(self, ratio: Optional[float] = None, method: str = "auto", *,
                 split_index: int = 0, progress: Any = None, **options: Any) -> None:
        _tensors.check_options(ratio, method, options)
        self.ratio = ratio
        self.method = method
        self.split_index = split_index
        self.progress = progress
        self.options = options

    def forward(self, data: Data) -> Data:
        return condense(data, self.ratio, method=self.method, split_index=self.split_index,
                        progress=self.progress, **self.options)

    def __repr__(self) -> str:
        shown: Dict[str, Any] = {} if self.ratio is None else {"ratio": self.ratio}
        shown["method"] = self.method
        if self.split_index:
            shown["split_index"] = self.split_index
        shown.update(sorted(self.options.items()))
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in shown.items())})"


# ---- training on it ----

def loss(out: Tensor, data: Data) -> Tensor:
    """What the library minimises: cross-entropy with soft labels, the weighted mean over nodes.

    out: scores [nodes, classes] of every node, before any softmax.
    data: condensed or not.  Where it has y_soft the classes' shares count, else y; nodes count
    by node_weight, and only those in train_mask that have a label.
    """
    return _tensors.loss(out, data.get("y"), data.get("y_soft"), data.get("train_mask"),
                         data.get("node_weight"))


def apply_features(full: Data, small: Data) -> Data:
    """The full graph with the features that the small one kept, in its order.

    A shallow copy: with `select_features=1` a model of the small graph needs it; otherwise x is
    that of `full` itself.
    """
    if full.get("x") is None:
        raise ArgumentError("the full graph has no x")
    kept = _tensors.columns(small.get("kept_features"), full.get("kept_features"),
                            int(full["x"].shape[1]))
    out = copy.copy(full)
    if kept is not None:
        out.x = _tensors.take(full["x"], kept)
        out.kept_features = small["kept_features"]
    if small.get("x") is not None and out["x"].shape[1] != small["x"].shape[1]:
        raise ArgumentError(f"the small graph has {small['x'].shape[1]} features, the full one "
                            f"{out['x'].shape[1]}: it is not the graph that was condensed")
    return out
