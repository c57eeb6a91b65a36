"""Converts tensors to arrays for the library, and computes the loss: shared by pyg.py and dgl.py.

Tensors that the library cannot use are refused here, with a sentence that names the field and says
what to do.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import inspect
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

from . import _capi, _options
from ._condense import one_budget, positive
from ._errors import ArgumentError
from ._graph import Graph
from ._labels import from_floats, in_a_row, not_above, of_labels, spread, to_labels
from ._splits import warn_first_split


def shape_of(tensor: Tensor) -> str:
    return "[" + ", ".join(str(k) for k in tensor.shape) + "]"


def on_cpu(tensor: Tensor, name: str) -> Tensor:
    """The tensor in main memory, where the library works; a copy if it is on another device."""
    if tensor.device.type == "meta":
        raise ArgumentError(f"{name} is on the device meta, which holds no numbers")
    return tensor.detach().cpu()


def need_rows(tensor: Tensor, rows: int, name: str) -> None:
    if tensor.dim() == 0 or tensor.shape[0] != rows:
        raise ArgumentError(f"{name} has the shape {shape_of(tensor)}, but there are {rows} nodes")


# ---- features ----

def _sparse_features(x: Tensor) -> Any:
    try:
        from scipy.sparse import csr_matrix
    except ImportError as e:
        raise ImportError("sparse features need scipy: pip install scipy, or give the features "
                          "dense (x.to_dense())") from e
    if x.layout is torch.sparse_coo:
        x = x.coalesce()
        rows, columns = x.indices().numpy()
        return csr_matrix((x.values().numpy(), (rows, columns)), shape=tuple(x.shape))
    if x.layout is not torch.sparse_csr:
        x = x.to_sparse_csr()
    return csr_matrix((x.values().numpy(), x.col_indices().numpy(), x.crow_indices().numpy()),
                      shape=tuple(x.shape))


def features(x: Any, rows: int, name: str) -> Any:
    """A 2-D array, or a SciPy matrix, of float32 or float16; others become float32.

    It shares the memory of a row-major tensor of these types.
    """
    if not isinstance(x, Tensor):
        raise ArgumentError(f"{name} is a {type(x).__name__}; a torch tensor is needed")
    x = on_cpu(x, name)
    need_rows(x, rows, name)
    if x.dim() != 2:
        raise ArgumentError(f"{name} has the shape {shape_of(x)}; it must be [nodes, features]: "
                            f"for one feature a node, {name} = {name}.view(-1, 1)")
    if x.is_complex():
        raise ArgumentError(f"{name} is {str(x.dtype)[6:]}; it must hold real numbers")
    if x.dtype not in (torch.float32, torch.float16) or (x.layout is not torch.strided
                                                         and x.dtype is not torch.float32):
        x = x.float()
    if x.layout is not torch.strided:
        return _sparse_features(x)
    return x.contiguous().numpy()


def in_coordinates(x: Tensor, projection: Tensor) -> Tensor:
    """The features of a full graph as a small one has them; x itself, if it has them already."""
    if x.shape[1] == projection.shape[1]:
        return x
    if x.shape[1] != projection.shape[0]:
        raise ArgumentError(f"the small graph projects graphs of {projection.shape[0]} features, but "
                            f"the full one has {x.shape[1]}")
    return x.to(projection.dtype) @ projection.to(x.device)


# ---- labels ----

def labels(y: Any, rows: int, name: str) -> np.ndarray:
    """int64, -1 if the label is not known.  Floats must be whole numbers or NaN."""
    if not isinstance(y, Tensor):
        raise ArgumentError(f"{name} is a {type(y).__name__}; a torch tensor is needed")
    y = on_cpu(y, name)
    need_rows(y, rows, name)
    if y.dim() == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.dim() != 1:
        raise ArgumentError(f"{name} has the shape {shape_of(y)}: several labels a node cannot be "
                            f"condensed. Take one column, {name} = {name}[:, 0], or, where each "
                            f"row marks one class, {name} = {name}.argmax(1)")
    return whole_numbers((y.float() if y.dtype is torch.bfloat16 else y).numpy(), name)


def whole_numbers(y: np.ndarray, name: str) -> np.ndarray:
    if y.dtype.kind in "biu":
        return y.astype(np.int64)
    if y.dtype.kind != "f":
        raise ArgumentError(f"{name} is {y.dtype}; class numbers 0, 1, ... are needed")
    return from_floats(name, y)


# ---- masks ----

def mask(m: Any, rows: int, name: str, split_index: Optional[int]) -> np.ndarray:
    """One column of a mask; where nobody said which of several, the first."""
    if not isinstance(m, Tensor):
        raise ArgumentError(f"{name} is a {type(m).__name__}; a torch tensor is needed")
    m = on_cpu(m, name)
    if m.dtype not in (torch.bool, torch.uint8):
        raise ArgumentError(f"{name} is {str(m.dtype)[6:]} of the shape {shape_of(m)}; it must be "
                            f"bool, one for each of the {rows} nodes")
    need_rows(m, rows, name)
    if m.dim() == 2 and m.shape[1] == 1:
        m = m[:, 0]
    if m.dim() == 2:
        column = _options.whole("split_index", split_index or 0, -2**31, 2**31 - 1)
        if not 0 <= column < m.shape[1]:
            raise ArgumentError(f"split_index is {column}, but {name} has "
                                f"{m.shape[1]} splits: 0..{m.shape[1] - 1}")
        m = m[:, column]
    if m.dim() != 1:
        raise ArgumentError(f"{name} has the shape {shape_of(m)}; it must be [nodes] or "
                            f"[nodes, splits]")
    return np.ascontiguousarray(m.numpy()).astype(bool, copy=False)


def splits_of(found: Any) -> int:
    """How many splits the masks of a graph hold; 1 where they have no columns."""
    train = found.get("train_mask")
    return int(train.shape[1]) if isinstance(train, Tensor) and train.dim() == 2 else 1


def masks(found: Dict[str, Any], rows: int, split_index: Optional[int],
          owner: str) -> Dict[str, Any]:
    """The masks of a graph by their names; none: it has no split."""
    have = {name: found[name] for name in ("train_mask", "val_mask", "test_mask")
            if found.get(name) is not None}
    if have and "train_mask" not in have:
        others = " | ".join(owner % name for name in have)
        raise ArgumentError(f"there is no train_mask beside {' and '.join(have)}: if all other "
                            f"nodes train, {owner % 'train_mask'} = ~({others})")
    out = {name: mask(m, rows, owner % name, split_index) for name, m in have.items()}
    check_apart({owner % name: m for name, m in out.items()})
    if split_index is None and splits_of(have) > 1:
        warn_first_split(owner % "train_mask", splits_of(have))
    return out


def check_apart(masks: Dict[str, Optional[np.ndarray]]) -> None:
    names = [name for name, m in masks.items() if m is not None]
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            both = masks[a] & masks[b]  # type: ignore[operator]
            if both.any():
                raise ArgumentError(f"{a} and {b} overlap: node {int(both.argmax())} is in both "
                                    f"({int(both.sum())} nodes are). Each node can be in one part: "
                                    f"{b} = {b} & ~{a}")


# ---- edge weights ----

def edge_weights(w: Any, edges: int, name: str) -> np.ndarray:
    if not isinstance(w, Tensor):
        raise ArgumentError(f"{name} is a {type(w).__name__}; a torch tensor is needed")
    w = on_cpu(w, name)
    if w.dim() == 2 and w.shape[1] == 1:
        w = w[:, 0]
    if w.dim() != 1:
        raise ArgumentError(f"{name} has the shape {shape_of(w)}; the library takes one weight an "
                            f"edge: leave {name} out ({name} = None), or make one number of it")
    if w.shape[0] != edges:
        raise ArgumentError(f"{name} has {w.shape[0]} entries, but there are {edges} edges")
    return np.ascontiguousarray(w.numpy(), dtype=np.float32)


def is_operator(said: Any) -> bool:
    """What to_data says of the weights: True, of which a dataset's file makes a tensor."""
    return isinstance(said, (bool, Tensor)) and bool(torch.as_tensor(said).all())


# ---- arrays to tensors, and back ----

def plain(value: Any) -> Any:
    """Numbers instead of the tensors that collating makes of those in a dictionary.

    It rounds to float32; the shortest number that rounds so is nearly always the one that was.
    """
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if not isinstance(value, Tensor) or value.numel() != 1:
        return value
    if not value.is_floating_point():
        return value.item()
    return float(str(value.cpu().numpy().reshape(())[()]))


def tensor(array: Any) -> Tensor:
    """A tensor with a copy of the array: torch has no read-only tensors."""
    return torch.from_numpy(np.array(array))


def fields(graph: Any) -> Dict[str, Any]:
    """Everything in a Graph but its edges, by its name in a Data.

    y has the labels that the graph was made of, and y_soft a column for each up to the highest.
    """
    out: Dict[str, Any] = {}
    if graph.num_features:
        out["x"] = tensor(graph.x)
    y, soft = graph.y, graph.y_soft
    known = None
    if y is not None:
        out["y"] = tensor(y if in_a_row(graph._given) else to_labels(y, graph._given))
        known = y >= 0
    if soft is not None:
        out["y_soft"] = tensor(soft if in_a_row(graph._given) else spread(soft, graph._given))
        known = soft.sum(1) > 0 if known is None else known | (soft.sum(1) > 0)
    if graph.train_mask is not None:
        known = graph.train_mask
    elif graph.role is None and graph.report is None:
        known = None                    # no split is no mask
    if known is not None:               # condensed: every label is for training
        out["train_mask"] = tensor(known)
        for name in ("val_mask", "test_mask"):
            part = getattr(graph, name)
            out[name] = tensor(part if part is not None else np.zeros(len(graph), bool))
    for name in ("node_weight", "origin", "role"):
        if getattr(graph, name) is not None:
            out[name] = tensor(getattr(graph, name))
    return out


def class_names(graph: Any) -> Optional[Dict[int, str]]:
    """{label as in y: name} of a condensed graph, of which labels do not tell all classes."""
    names = None if graph.report is None else graph.class_names
    return None if names is None else dict(zip(graph._given or range(len(names)), names))


def said_names(said: Any) -> Optional[Dict[int, str]]:
    """The names {label: name} of an attribute, if it is that."""
    if not isinstance(said, Mapping) or not said or not all(isinstance(k, int) for k in said):
        return None
    return {label: str(name) for label, name in said.items()}


def num_classes(graph: Any) -> int:
    """One more than the highest label: the scores that a network needs to have a column for it."""
    return int(graph.num_classes if in_a_row(graph._given) else max(graph._given) + 1)


def made(arrays: Dict[str, Any], y: np.ndarray, said: Any, name: str) -> Graph:
    """The Graph of arrays and labels; said: class_names of a condensed graph, as above.

    Each number is a class; in a condensed graph without names they are class numbers.
    """
    names = said_names(said)
    if names is None:
        return Graph.from_arrays(**arrays, y=not_above(name, y), relabel="role" not in arrays)
    labels = list(names)
    if "y_soft" in arrays:
        arrays = {**arrays, "y_soft": arrays["y_soft"][:, labels]}
    graph = Graph.from_arrays(**{**arrays, "num_classes": len(labels)},
                              y=of_labels(name, y, labels), class_names=list(names.values()))
    graph._given = labels
    return graph


def need_labels(small: Any, y: np.ndarray) -> None:
    """Refuses labels y that the classes {label: name} of a small graph do not have."""
    names = said_names(small)
    strange = np.empty(0) if names is None else np.setdiff1d(y[y >= 0], list(names))
    if names is not None and strange.size:
        raise ArgumentError(f"data.y has the label {strange[0]}, which is no class of the small "
                            f"graph: {', '.join(map(str, list(names)[:6]))}"
                            f"{', ...' if len(names) > 6 else ''}; -1 leaves nodes out")


# ---- loss ----

def targets(y: Optional[Tensor], soft: Optional[Tensor], train: Optional[Tensor]) -> Tensor:
    """The numbers of the training nodes that have a label."""
    if y is None and soft is None:
        raise ArgumentError("there are no labels to compare with: neither y nor y_soft")
    known = y >= 0 if y is not None else None
    if soft is not None:
        given = soft.sum(1) > 0
        known = given if known is None else known | given
    assert known is not None
    return (known if train is None else known & train.bool()).nonzero().view(-1)


def loss(out: Tensor, y: Optional[Tensor], soft: Optional[Tensor], train: Optional[Tensor],
         weight: Optional[Tensor], class_weight: Any = None) -> Tensor:
    """The cross-entropy with soft labels, averaged over the training nodes by weight."""
    rows = y if y is not None else soft
    if out.dim() != 2 or rows is None or out.shape[0] != rows.shape[0]:
        have = "none" if rows is None else str(rows.shape[0])
        raise ArgumentError(f"out has the shape {shape_of(out)}; it must have a row of scores for "
                            f"every node of the graph ({have})")
    if y is not None:
        y = _classes(y)
    if train is not None and train.dim() != 1:
        raise ArgumentError(f"train_mask has the shape {shape_of(train)}; choose one split, "
                            f"train_mask[:, i]")
    if soft is not None and soft.shape[1] != out.shape[1]:
        raise ArgumentError(f"out has {out.shape[1]} scores a node, but there are {soft.shape[1]} "
                            f"classes")
    at = targets(y, soft, train)
    if at.numel() == 0:
        raise ArgumentError("no labelled node is in the training part")
    scores = torch.log_softmax(out[at], 1)
    if class_weight is not None:
        return _weighed(scores, y, soft, at, weight, class_weight)
    if soft is None:
        assert y is not None
        if int(y[at].max()) >= out.shape[1]:
            raise ArgumentError(f"out has {out.shape[1]} scores a node, but y has the class "
                                f"{int(y[at].max())}")
        each = -scores.gather(1, y[at].view(-1, 1)).view(-1)
    else:
        each = -(_soft_rows(soft[at], None if y is None else y[at]).to(scores.dtype)
                 * scores).sum(1)
    if weight is None:
        return each.mean()
    share = weight[at].to(scores.dtype)
    return (each * share).sum() / share.sum()


def _weighed(scores: Tensor, y: Optional[Tensor], soft: Optional[Tensor], at: Tensor,
             weight: Optional[Tensor], class_weight: Any) -> Tensor:
    """The same with weights of classes."""
    count = scores.shape[1]
    if soft is None:
        assert y is not None
        if int(y[at].max()) >= count:
            raise ArgumentError(f"out has {count} scores a node, but y has the class "
                                f"{int(y[at].max())}")
        rows = torch.nn.functional.one_hot(y[at], count).to(scores.dtype)
    else:
        rows = _soft_rows(soft[at], None if y is None else y[at]).to(scores.dtype)
    if weight is not None:
        rows = rows * weight[at].to(scores.dtype).view(-1, 1)
    rows = rows * _class_weights(class_weight, rows.sum(0))
    total = rows.sum()
    if not total > 0:
        raise ArgumentError("class_weight: no class of the training nodes has a weight above 0")
    return -(rows * scores).sum() / total


def _class_weights(given: Any, have: Tensor) -> Tensor:
    """A weight for each class, of which the training nodes have so much."""
    if isinstance(given, str) and given == "balanced":
        occur = have > 0
        return torch.where(occur, have.sum() / (occur.sum() * have.clamp(min=1e-30)),
                           torch.zeros_like(have))
    if isinstance(given, str):
        raise ArgumentError(f'class_weight: "{given}" is neither a number nor "balanced"')
    found = torch.as_tensor(given, dtype=have.dtype, device=have.device)
    if found.dim() != 1 or found.shape[0] != have.shape[0]:
        raise ArgumentError(f"class_weight has the shape {shape_of(found)}, but there are "
                            f"{have.shape[0]} classes: give a number for each, or \"balanced\"")
    if not bool((found >= 0).all()) or not bool(torch.isfinite(found).all()):
        raise ArgumentError("class_weight: weights must be finite numbers from 0")
    return found


def _classes(y: Tensor) -> Tensor:
    """[n] whole numbers, also from [n, 1] or floats."""
    if y.dim() == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.dim() != 1:
        raise ArgumentError(f"y has the shape {shape_of(y)}; one class a node is needed")
    return torch.nan_to_num(y, nan=-1.0).long() if y.is_floating_point() else y.long()


def _soft_rows(soft: Tensor, y: Optional[Tensor]) -> Tensor:
    """Rows that sum to 1; a node without soft label gets its class."""
    total = soft.sum(1, keepdim=True)
    rows = soft / total.clamp(min=torch.finfo(soft.dtype).tiny)
    empty = (total.view(-1) <= 0).nonzero().view(-1)
    if empty.numel() and y is not None:
        rows[empty, y[empty]] = 1
    return rows


def columns(kept: Optional[Tensor], has: Optional[Tensor],
            features_of_full: int) -> Optional[Tensor]:
    """The columns of the full graph that the small one kept; None: all."""
    if kept is None:
        return None
    if has is not None:                 # both lists refer to the original graph
        at = torch.searchsorted(has, kept)
        known = (at < len(has)) & (has[at.clamp(max=len(has) - 1)] == kept)
        if not bool(known.all()):
            raise ArgumentError(f"feature {int(kept[~known][0])} that the small graph kept is not "
                                f"among those that the full one kept")
        kept = at
    elif len(kept) and int(kept[-1]) >= features_of_full:
        raise ArgumentError(f"the small graph kept feature {int(kept[-1])}, but the full one has "
                            f"only {features_of_full}")
    return None if len(kept) == features_of_full else kept


def names(value: Any) -> Optional[List[str]]:
    """Names of features; None: there are none, or those of several graphs."""
    if value is None or isinstance(value, str) or not all(isinstance(one, str) for one in value):
        return None
    return list(value)


def taken(full: Any, kept: Optional[Tensor], small: Any) -> Optional[List[str]]:
    """The names of the kept columns, which must be those of the small graph, if it has some."""
    listed, wanted = names(full), names(small)
    if listed is not None and kept is not None:
        listed = [listed[i] for i in kept.tolist()]
    for i, (a, b) in enumerate(zip(wanted or (), listed or ())):
        if a and b and a != b:
            raise ArgumentError(f'feature {i} is "{a}" in the small graph, but "{b}" in the full '
                                f"one: put its columns into the order of the small graph")
    return listed


def take(x: Tensor, kept: Optional[Tensor]) -> Tensor:
    if kept is None:
        return x
    if x.layout is torch.strided:
        return x[:, kept.to(x.device)]
    return torch.index_select(x.to_sparse_coo(), 1, kept.to(x.device)).coalesce()


# ---- judging ----

def _called(model: torch.nn.Module, data: Any) -> Any:
    """What a network says of a Data: of its x and edges, or of it, as its forward asks."""
    parameters = inspect.signature(model.forward).parameters
    kinds = [p.kind for p in parameters.values()]
    if len(kinds) == 1 and kinds[0] is inspect.Parameter.POSITIONAL_OR_KEYWORD:
        return model(data)
    edges = data["edge_index"] if data.get("edge_index") is not None else data["adj_t"]
    weight = data.get("edge_weight") if "edge_weight" in parameters else None
    return model(data["x"], edges, **({} if weight is None else {"edge_weight": weight}))


def predicted(model: Any, data: Any, nodes: int) -> Tuple[np.ndarray, np.ndarray]:
    """The class of every node, and the probability of each class, by a network as it is."""
    if not isinstance(model, torch.nn.Module):
        raise ArgumentError(f"model must be a torch.nn.Module, not {type(model).__name__}")
    first = next(model.parameters(), None)
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            out = _called(model, data if first is None else data.to(first.device))
    finally:
        for part, training in modes:
            part.training = training
    if not isinstance(out, Tensor) or out.dim() != 2 or out.shape[0] != nodes or not out.shape[1]:
        what = shape_of(out) if isinstance(out, Tensor) else f"a {type(out).__name__}"
        raise ArgumentError(f"the model gives {what}; it must give a row of scores for every node, "
                            f"[{nodes}, classes]")
    strange = ~out.isfinite().all(1)
    if bool(strange.any()):
        raise ArgumentError(f"the model gives node {int(strange.nonzero()[0])} a score that is not "
                            f"finite")
    out = out.float().cpu()
    return out.argmax(1).numpy(), torch.softmax(out, 1).numpy()


# ---- transforms ----

def check_options(ratio: Any, given: Dict[str, Any]) -> Dict[str, Any]:
    """The options that differ from their defaults; refuses bad ones before the first graph."""
    if hasattr(ratio, "__iter__") and getattr(ratio, "ndim", 1) != 0 and not isinstance(ratio, str):
        raise ArgumentError("a transform makes one graph: ratio must be one number, or use "
                            "graphbonsai.condense(data, ratio=[...])")
    o = _options.fill(_capi.CondenseOptions, given)
    _options.fill(_capi.ReadOptions, given)
    budget = one_budget(given)
    positive(budget, getattr(o, budget.member))
    return {name: value for struct in (_capi.CondenseOptions, _capi.ReadOptions)
            for name, value in _options.changed(struct, given).items()
            if name not in ("ratio", "method")}


def shown(transform: Any, **more: Any) -> str:
    """A transform as the call that makes it."""
    parts = {} if transform.ratio is None else {"ratio": transform.ratio}
    parts.update(method=transform.method, **more, **dict(sorted(transform.options.items())))
    return f"{type(transform).__name__}({', '.join(f'{k}={v!r}' for k, v in parts.items())})"
