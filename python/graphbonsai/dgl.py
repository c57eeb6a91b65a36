"""DGL: a DGLGraph in, a small DGLGraph out.

Node data have DGL's usual names: feat, label, train_mask, val_mask, test_mask; edge data: weight.
A condensed graph has beside them y_soft, node_weight, origin and role, and the attributes
`report` and `kept_features`.

    small = graphbonsai.dgl.Condense(ratio=0.01)(g)
    small = dgl.add_self_loop(small)        # GraphConv and GATConv need them; PyG's add their own
    loss = graphbonsai.dgl.loss(model(small, small.ndata["feat"]), small)

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

import numpy as np

try:
    import dgl
    from dgl.transforms import BaseTransform
    from torch import Tensor
except Exception as e:          # its compiled parts fail in many ways beside another torch
    raise ImportError(f"graphbonsai.dgl needs DGL with its PyTorch backend ({e})") from e

from . import _tensors
from ._errors import ArgumentError
from ._graph import Graph

__all__ = ["Condense", "apply_features", "condense", "from_data", "loss", "to_data"]



def _need_graph(g: Any) -> None:
    if not isinstance(g, dgl.DGLGraph):
        raise ArgumentError(f"a {type(g).__name__} is not a DGLGraph; of a dataset give its graph, "
                            f"dataset[0]")
    if not g.is_homogeneous:
        raise ArgumentError("the graph has several types of nodes or edges, and only one can be "
                            "condensed: give dgl.to_homogeneous(g, ndata=[...]), or the part that "
                            "carries the labels")
    if g.device.type != "cpu":
        raise ArgumentError(f"the graph is on the device {g.device}; the library works in main "
                            f"memory: give it g.cpu()")


def _column(g: Any, name: str, what: str) -> Tensor:
    if name not in g.ndata:
        raise ArgumentError(f'g.ndata has no "{name}", that is no {what}; where it has another '
                            f"name, say so (it has {', '.join(sorted(g.ndata)) or 'nothing'})")
    return g.ndata[name]


def _masks(g: Any, split_index: int, needed: bool) -> Dict[str, Any]:
    if "train_mask" not in g.ndata:
        if not needed:
            return {}
        raise ArgumentError('g.ndata has no "train_mask", so it is not known which labels may be '
                            "used: draw one with dgl.data.utils.add_nodepred_split, or let the "
                            "library draw one with split=(60, 20, 20)")
    masks = {name: None if name not in g.ndata else
             _tensors.mask(g.ndata[name], g.num_nodes(), name, "g", split_index)
             for name in ("train_mask", "val_mask", "test_mask")}
    _tensors.check_apart(masks)
    return masks


def _condensed(g: Any, source: np.ndarray, target: np.ndarray) -> Dict[str, Any]:
    """What only a condensed graph has; its edges stay as they are, and all labels train."""
    n = g.num_nodes()
    out: Dict[str, Any] = {name: g.ndata[name].numpy()
                           for name in ("y_soft", "node_weight", "origin", "role")
                           if name in g.ndata}
    if "y_soft" in out:
        out["num_classes"] = out["y_soft"].shape[1]
    if isinstance(getattr(g, "report", None), dict):
        out["report"] = g.report
    forth, back = np.unique(source * n + target), np.unique(target * n + source)
    return {**out, "keep_self_loops": bool((source == target).any()),
            "keep_directed": not np.array_equal(forth, back)}


def from_data(g: Any, *, feat: str = "feat", label: str = "label", weight: str = "weight",
              split_index: int = 0, need_masks: bool = True, **options: Any) -> Graph:
    """The Graph of a homogeneous DGLGraph, which keeps using the memory of its features.

    feat, label: the names of node data; weight: of edge data, used where there is such.
    split_index: the column of masks [nodes, splits].
    options: of `Graph.from_arrays`: keep_directed, keep_self_loops, keep_repeated, threads.
    """
    _need_graph(g)
    n = g.num_nodes()
    x, y = _column(g, feat, "features"), _column(g, label, "labels")
    source, target = (end.numpy() for end in g.edges(order="eid"))
    weights = None
    if weight in g.edata:
        weights = _tensors.edge_weights(g.edata[weight], g.num_edges(), f'g.edata["{weight}"]', "g")
    if "role" in g.ndata:
        options = {**_condensed(g, source.astype(np.int64), target.astype(np.int64)), **options}
    else:
        options.update(_masks(g, split_index, need_masks))
    if getattr(g, "kept_features", None) is not None:       # condensed, or of apply_features
        options["kept_features"] = g.kept_features.numpy()
    return Graph.from_arrays(
        edge_index=np.stack([source, target]), edge_weight=weights, num_nodes=n,
        x=_tensors.features(x, n, f'g.ndata["{feat}"]', "g"),
        y=_tensors.labels(y, n, f'g.ndata["{label}"]', "g"),
        **options)


def to_data(graph: Graph, *, feat: str = "feat", label: str = "label",
            weight: str = "weight") -> Any:
    """The DGLGraph of a Graph, with tensors of its own; see the head of this module."""
    source, target = _tensors.tensor(graph.edge_index)
    g = dgl.graph((source, target), num_nodes=graph.num_nodes)
    for name, value in _tensors.fields(graph).items():
        g.ndata[{"x": feat, "y": label}.get(name, name)] = value
    if graph.csr[2] is not None:
        g.edata[weight] = _tensors.tensor(graph.csr[2])
    kept = graph.kept_features
    g.kept_features = None if kept is None else _tensors.tensor(kept)
    g.report = graph.report
    return g


def condense(g: Any, ratio: Union[float, List[float], None] = None, *, feat: str = "feat",
             label: str = "label", weight: str = "weight", split_index: int = 0,
             **options: Any) -> Any:
    """`graphbonsai.condense` of a DGLGraph: a small one, or a list for a list of ratios."""
    from . import condense as condense_graph
    read, rest = _tensors.split_options(options)
    names = {"feat": feat, "label": label, "weight": weight}
    graph = from_data(g, split_index=split_index, need_masks=not rest.get("split"), **names, **read)
    small = condense_graph(graph, ratio, **rest)
    return ([to_data(one, **names) for one in small] if isinstance(small, list)
            else to_data(small, **names))


class Condense(BaseTransform):
    """Makes a small graph of a large one, as a transform of DGL; arguments as of `condense`."""

    def __init__(self, ratio: Optional[float] = None, method: str = "auto", **options: Any) -> None:
        _tensors.check_options(ratio, method, {k: v for k, v in options.items() if k not in
                                               ("feat", "label", "weight", "split_index",
                                                "progress")})
        self.ratio = ratio
        self.method = method
        self.options = options

    def __call__(self, g: Any) -> Any:
        return condense(g, self.ratio, method=self.method, **self.options)

    def __repr__(self) -> str:
        shown: Dict[str, Any] = {} if self.ratio is None else {"ratio": self.ratio}
        shown["method"] = self.method
        shown.update(sorted((k, v) for k, v in self.options.items() if k != "progress"))
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in shown.items())})"


def loss(out: Tensor, g: Any, *, label: str = "label") -> Tensor:
    """What the library minimises: cross-entropy with soft labels, the weighted mean over nodes."""
    return _tensors.loss(out, g.ndata.get(label), g.ndata.get("y_soft"), g.ndata.get("train_mask"),
                         g.ndata.get("node_weight"))


def apply_features(full: Any, small: Any, *, feat: str = "feat") -> Any:
    """The full graph with the features that the small one kept; `full` is not changed."""
    x = _column(full, feat, "features")
    kept = _tensors.columns(getattr(small, "kept_features", None),
                            getattr(full, "kept_features", None), int(x.shape[1]))
    out = full.local_var()
    if kept is not None:
        out.ndata[feat] = _tensors.take(x, kept)
        out.kept_features = small.kept_features
    return out
