"""PyTorch Geometric: condenses a Data to a small Data.

>>> import graphbonsai
>>> from graphbonsai import pyg
>>> full = pyg.to_data(graphbonsai.generate(nodes=400, features=60, classes=3, seed=1))
>>> small = pyg.Condense(nodes=20)(full)
>>> small.num_nodes <= 20 and small.x.shape[1] == full.x.shape[1]
True

`Condense` is a transform; it can be part of `T.Compose`, or be a dataset's `pre_transform`.
`loss` uses the soft labels and the node weights of a condensed graph.

SPDX-License-Identifier: MIT
"""
import copy
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

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

from . import _capi, _members, _tensors
from . import _options as options_of
from ._condense import condense, condense_graph
from ._errors import ArgumentError
from ._graph import Graph
from ._kinds import SWAPPED
from ._progress import Progress
from ._report import Report, condensed_from, shown
from ._splits import warn_batch, warn_leaks, warn_pair
from ._training import judged, part_number

__all__ = ["Condense", "CondensedData", "apply_features", "condense", "evaluate", "from_data",
           "loss", "to_data"]


class CondensedData(Data):
    """A condensed Data.  Its `report` says how it was made, and prints as a table.

    `torch.save(small, "small.pt")` saves it with everything, and
    `torch.load("small.pt", weights_only=False)` reads it, as any Data; Graph.load("small.pt"), which
    runs nothing that the file says, makes a Graph of it.
    `pyg.from_data(small).save("small.bonsai")` writes a file for the program, the C library and
    other machines, which pyg.to_data(Graph.load("small.bonsai")) reads.

    The store holds the report as a plain dictionary, which survives `.to(device)`, `.clone()`
    and a dataset's file; the property makes a Report of it.
    """

    @property
    def report(self) -> Any:
        """A Report; for a batch, the list of its graphs' reports."""
        found = self._store.get("report")
        if found is not None and isinstance(self, Batch):
            return [one.report for one in self.to_data_list()]
        return None if found is None else Report(_tensors.plain(found))

    @property
    def num_classes(self) -> int:
        """The classes of the full graph, also if no node of some was kept."""
        found = self._store.get("num_classes")
        if found is not None:
            return int(torch.as_tensor(found).max())        # collating makes it a tensor
        soft, y = self._store.get("y_soft"), self._store.get("y")
        return int(soft.shape[1] if soft is not None else 0 if y is None else y.max() + 1)

    @property
    def members(self) -> Optional[List[Tensor]]:
        """For each node, the nodes of the full graph that it stands for; None: not stored."""
        ends, nodes = self._store.get("member_ptr"), self._store.get("member_nodes")
        return None if ends is None or nodes is None else _members.lists(ends, nodes)

    def __repr__(self) -> str:
        short = copy.copy(self)
        short._store.pop("report", None)        # forty lines of numbers
        short._store.pop("class_names", None)   # a line for each
        return super(CondensedData, short).__repr__()

    def _repr_html_(self) -> str:
        report = self.report
        return shown(self, report if isinstance(report, Report) else None)


if hasattr(torch.serialization, "add_safe_globals"):        # so that a dataset's file loads as safe
    torch.serialization.add_safe_globals([CondensedData])


# ---- Data to Graph ----

def _need_data(data: Any) -> None:
    if isinstance(data, HeteroData):
        raise ArgumentError("HeteroData has several kinds of nodes and edges, and only one kind "
                            "can be condensed: give data.to_homogeneous(), or the part that "
                            "carries the labels as a Data of its own")
    if not isinstance(data, Data):
        raise ArgumentError(f"a {type(data).__name__} is not a torch_geometric.data.Data; of a "
                            f"dataset give its graph, dataset[0]")


def _entries(adj: Any, n: int) -> Tuple[Tensor, Optional[Tensor]]:
    """Rows and columns of a sparse matrix, and its values unless all are 1."""
    sizes = adj.sizes() if callable(getattr(adj, "sizes", None)) else getattr(adj, "shape", (n, n))
    if tuple(sizes) != (n, n):
        raise ArgumentError(f"data.adj_t has the shape {list(sizes)}, but there are {n} nodes")
    if isinstance(adj, Tensor):
        adj = _tensors.on_cpu(adj, "data.adj_t")
        if adj.layout is torch.strided:
            raise ArgumentError("data.adj_t is dense; give data.edge_index "
                                "(torch_geometric.utils.dense_to_sparse)")
        coo = adj.to_sparse_coo().coalesce()
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
    index = _tensors.on_cpu(index, "data.edge_index")
    if index.is_floating_point() or index.dtype is torch.bool:
        raise ArgumentError(f"data.edge_index is {str(index.dtype)[6:]}; node numbers are "
                            f"needed: data.edge_index = data.edge_index.long()")
    weight = None
    if values is not None:
        weight = _tensors.edge_weights(values, index.shape[1], name)
    return index.numpy(), weight


def _nodes(data: Data) -> int:
    for name in ("x", "y"):
        value = data.get(name)
        if isinstance(value, Tensor) and value.dim():
            return int(value.shape[0])
    return int(data.num_nodes or 0)


def _masks(data: Data, n: int, split_index: Optional[int]) -> Dict[str, Any]:
    return _tensors.masks(data.to_dict(), n, split_index, "data.%s")


def _condensed(data: Data) -> Dict[str, Any]:
    """The fields that only a condensed graph has."""
    names = ("y_soft", "node_weight", "origin", "role", "kept_features", "projection")
    out: Dict[str, Any] = {name: _tensors.on_cpu(data[name], "data." + name).numpy()
                           for name in names if data.get(name) is not None}
    if "y_soft" in out:
        out["num_classes"] = out["y_soft"].shape[1]
    elif data.get("num_classes") is not None:
        out["num_classes"] = int(torch.as_tensor(data["num_classes"]).max())
    if isinstance(data["report"], dict):
        out["report"] = _tensors.plain(data["report"])
    if getattr(data, "members", None) is not None:
        out["members"] = [part.cpu().numpy() for part in data.members]
    return out


@options_of.named
def from_data(data: Data, *, split_index: Optional[int] = None,
              # options: read -features -labels
              keep_directed: bool = False, keep_self_loops: bool = False,
              keep_repeated: bool = False, threads: int = 0,
              # end
              ) -> Graph:
    """Makes a Graph from a homogeneous Data; it uses the memory of `data.x`.

    Args:
        data: a Data; a Batch of several graphs is one graph of several parts.  It has `x` (dense
            float32, or sparse), `y`, `edge_index` or `adj_t`, and may have `edge_weight` (or
            `edge_attr` with one number per edge), `train_mask`, `val_mask`, `test_mask` and
            `feature_names`, a list.  If its `operator` is true, the weights multiply rows as they
            are.
        split_index: the column of masks [nodes, splits]; None: the first.
        keep_directed: keep entries without their reverse; else it is added.
        keep_self_loops: keep edges from a node to itself; else they are dropped.
        keep_repeated: keep repeated edges; else they are merged.
        threads: threads, 0 for every core it may use (0 to 4096).
    """
    options = options_of.changed(_capi.ReadOptions, locals())
    _need_data(data)
    for name, what in (("x", "features: give every node some, for example with "
                        "torch_geometric.transforms.OneHotDegree"),
                       ("y", "labels: set data.y to a class number for each node, -1 where it is "
                        "not known")):
        if data.get(name) is None:
            raise ArgumentError(f"data has no {name}, that is no {what}")
    n = _nodes(data)
    edge_index, weight = _edges(data, n)
    operator = _tensors.is_operator(data.get("operator"))
    if data.get("report") is not None:          # condensed: its edges stay, all labels train
        loops = bool((edge_index[0] == edge_index[1]).any())
        options = {"keep_self_loops": loops,
                   "keep_directed": not operator and data.is_directed(), **options,
                   **_condensed(data)}
    else:
        options = {**options, **_masks(data, n, split_index)}
        if data.get("kept_features") is not None:           # from apply_features
            options["kept_features"] = _tensors.on_cpu(data["kept_features"],
                                                       "data.kept_features").numpy()
    options["feature_names"] = _tensors.names(data.get("feature_names"))
    return _tensors.made(dict(
        edge_index=edge_index, edge_weight=weight, num_nodes=n, operator=operator,
        x=_tensors.features(data["x"], n, "data.x"), **options),
        _tensors.labels(data["y"], n, "data.y"), data.get("class_names"), "data.y")


# ---- Graph to Data ----

def to_data(graph: Graph) -> Data:
    """Makes a Data from a Graph; its tensors are copies.

    It has those of x, edge_index, edge_weight, y (-1: unknown), y_soft, train_mask, val_mask,
    test_mask, node_weight, origin, role, kept_features and feature_names (a list) that the graph
    has.  In a condensed graph every labelled node is in train_mask and none in the other masks,
    `report` says how it was made, and `num_classes` is that of the full graph.

    y has the labels that the graph was made of, of a file the whole numbers that all its class names
    are, if they are below 65,536.  Where these have gaps, such as 0, 10, 20, y_soft
    has a column for each number up to the highest, and `num_classes` is one more than that, 21: a
    network with as many scores can be trained on it and compared with the full graph's y.
    `class_names` of a condensed graph is {label: name}, if classes have names, and `members` lists
    the nodes that each node stands for, if condensing was asked for them.

    The edge_weight of a graph whose `operator` is true (method gdem) are not weights of edges: they
    multiply rows as they are, and the Data has `operator`, too.  Give them to
    GCNConv(..., normalize=False), and evaluate with the usual normalisation on the full graph.

    A graph that was condensed with `coordinates=True` has `projection` [features of the full graph,
    coordinates]: a network that is trained on its x takes `full.x @ small.projection`, which
    apply_features(full, small) and evaluate put in the place of x.
    """
    report = graph.report
    data = CondensedData() if report is not None else Data()
    for name, value in _tensors.fields(graph).items():
        data[name] = value
    data.edge_index = _tensors.tensor(graph.edge_index)
    weights = graph.csr[2]
    if weights is not None:
        data.edge_weight = _tensors.tensor(weights)
    if graph.operator:
        data.operator = True
    if graph.kept_features is not None:
        data.kept_features = _tensors.tensor(graph.kept_features)
    if graph.feature_names is not None:
        data.feature_names = graph.feature_names
    if graph.projection is not None:
        data.projection = _tensors.tensor(graph.projection)
    if "x" not in data and "y" not in data:
        data.num_nodes = graph.num_nodes        # edges do not show isolated nodes at the end
    if report is not None:
        data["report"] = dict(report)
        data["num_classes"] = _tensors.num_classes(graph)
        names = _tensors.class_names(graph)
        if names is not None:
            data["class_names"] = names
        if graph.members is not None:
            data["member_ptr"], data["member_nodes"] = map(torch.from_numpy,
                                                           _members.flat(graph.members))
    return data


# ---- condensing ----

def condensed(data: Data, ratio: Union[None, float, Sequence[float]], given: Mapping[str, Any],
              reading: Dict[str, Any], progress: Progress) -> Any:
    """What graphbonsai.condense does with a Data: a small Data, or a list for several ratios."""
    graph = from_data(data, threads=given["threads"], **reading)
    if isinstance(data, Batch) and data.num_graphs > 1:
        warn_batch(data.num_graphs)
    small = condense_graph(graph, ratio, given, progress)
    made = [to_data(one).to(data["x"].device)
            for one in (small if isinstance(small, list) else [small])]
    if _tensors.splits_of(data) > 1:
        for one in made:
            one["split_index"] = reading.get("split_index", 0)
    return made if isinstance(small, list) else made[0]


@functional_transform("bonsai_condense")
class Condense(BaseTransform):
    """Makes a small graph that models can be trained on instead of the large one.

    >>> Condense(ratio=0.01)
    Condense(ratio=0.01, method='auto')
    """

    @options_of.named
    def __init__(self, ratio: Optional[float] = None,
                 # options: condense method
                 method: Literal["trees", "random", "random-trees", "herding", "kcenter", "degree",
                     "prototypes", "auto", "gcond", "gcond-x", "doscond", "sgdd", "exgc", "gc-sntk",
                     "gdem", "gcsr", "sfgc", "geom", "published"] = "auto",
                 # end
                 *,
                 # options: condense -ratio -method, read -threads -features -labels
                 max_bytes: Optional[int] = None, nodes: Optional[int] = None,
                 trees: Optional[int] = None, accounting: Literal["strict", "paper"] = "strict",
                 layers: int = 2, k: int = 5, sample: Union[None, int, Literal["all"]] = None,
                 theta: float = 0.05, delta: float = 0.05,
                 density: Union[bool, Literal["gain", "density"]] = False, no_rknn: bool = False,
                 no_ppr: bool = False, patience: int = 200, beta: float = 0.15,
                 prune_share: float = 1.0, min_pruned: float = 0.01,
                 select_features: Union[bool, Literal["none", "tree"]] = False,
                 inductive: bool = False,
                 raw_features: Union[bool, Literal["embeddings", "features"]] = False,
                 project: int = 0, split: Optional[Union[str, Sequence[float]]] = None,
                 threads: int = 0, seed: int = 1, no_validation: bool = False,
                 hard_labels: bool = False, members: bool = False,
                 memory: Union[None, int, str] = None,
                 for_models: Union[str, Sequence[str]] = "all", effort: float = 1.0,
                 time_limit: Optional[float] = None, keep: Literal["probe", "last"] = "probe",
                 keep_trees: bool = False, no_training: bool = False,
                 metric: Literal["auto", "mixed", "accuracy", "balanced", "f1", "auc", "ap",
                     "f1max"] = "auto", coordinates: bool = False, keep_directed: bool = False,
                 keep_self_loops: bool = False, keep_repeated: bool = False,
                 # end
                 split_index: Optional[int] = None, progress: Progress = None) -> None:
        """Give exactly one budget: ratio, max_bytes, nodes or trees.

        Args:
            ratio: budget: share of the full graph's bytes, above 0 and at most 1.
            split_index: the column of masks [nodes, splits]; None: the first.
            progress: None: a bar in a terminal or a notebook; True or False: always or never; or a
                function (stage, done, total).
            method: auto: prototypes, trees, random, herding or kcenter, whichever a probe finds
                best; trees is the paper's; gcond to geom learn by descent (doc/peers.md); published
                does what the paper's code does.
            max_bytes: budget: bytes (at least 1).
            nodes: budget: nodes (at least 1).
            trees: budget: trees, each a training node with all that is near it (at least 1).
            accounting: bytes as a .bonsai file has them, or as the paper's code counts them.
            layers: hops of a tree and rounds of averaging (0 to 16).
            k: nearest trees that a tree is covered by (1 to 1000000).
            sample: trees to be covered (at least 1); None: by theta and delta.
            theta: error of the sampled cover (0.0001 to 1).
            delta: chance of a larger error (1e-09 to 1).
            density: False or "gain", True or "density": the tree that covers most, or most per
                byte.
            no_rknn: trees in random order (ablation).
            no_ppr: no sparsification (ablation).
            patience: stop when so many trees in a row do not fit (at least 1).
            beta: PageRank's chance to return to a root (0.001 to 0.999).
            prune_share: at most this share of the ego nodes, or of the trees that are kept whole,
                goes per round (0 to 1).
            min_pruned: stop when a smaller share of the nodes, or of the trees that are kept whole,
                would go (0 to 1).
            select_features: False or "none", True or "tree": tree: keep only features that a
                decision tree splits on.
            inductive: cut the graph to its training nodes first.
            raw_features: False or "embeddings", True or "features": what herding and kcenter
                measure on.
            project: random projection to so many dimensions before k-NN; 0: exact (0 to 1000000).
            split: "own", or draw a new split: "random", "published" or percent such as (60, 20,
                20); None: the graph's own, or (60, 20, 20) where it has none.
            threads: threads, 0 for every core it may use (0 to 4096).
            seed: the same seed gives the same bytes.
            no_validation: probe on a fifth of the training nodes instead of on validation nodes;
                methods that learn keep the last round.
            hard_labels: prototypes without soft labels.
            members: prototypes name the nodes that they stand for, not counted as bytes; only what
                an update can follow is tried, at some cost in accuracy.
            memory: private memory to use at most, in bytes or as "3G": what does not fit goes to
                scratch files in TMPDIR, and the answer is the same; pages of mapped files do not
                count (at least 0); None: what is free, as with 0.
            for_models: some of "gcn", "gat", "gin", "sage", or "all": networks that the probe
                judges for; sage alone: prototypes may be pairs of nodes, which teach it to tell a
                node from its neighbours.
            effort: methods that learn: rounds and experts, 1: as published (0.0001 to 100).
            time_limit: methods that learn: seconds, then the best so far is kept (0 to 1000000000);
                None: none.
            keep: methods that learn: the round that the probe puts highest, or the last one.
            keep_trees: a root's tree goes or stays as a whole, and PageRank's knee acts on trees.
            no_training: choose between kinds of prototypes by the probe alone, not by networks that
                are trained on the best small graph of each kind.
            metric: what the probe compares small graphs by; auto: accuracy, or with a rare class
                mixed, the mean of accuracy and balanced accuracy.
            coordinates: features of prototypes are coordinates in a few directions, which are
                stored beside them; eval projects the full graph on these.
            keep_directed: keep entries without their reverse; else it is added.
            keep_self_loops: keep edges from a node to itself; else they are dropped.
            keep_repeated: keep repeated edges; else they are merged.
        """
        self.options = _tensors.check_options(ratio, locals())
        self.ratio = ratio
        self.method = method
        self.split_index = split_index
        self.progress = progress

    def forward(self, data: Data) -> Data:
        _need_data(data)
        return condense(data, self.ratio, method=self.method, split_index=self.split_index,
                        progress=self.progress, **self.options)

    def __repr__(self) -> str:
        return _tensors.shown(self, **({} if self.split_index is None
                                       else {"split_index": self.split_index}))


# ---- training on it ----

def loss(out: Tensor, data: Data, *,
         class_weight: Union[None, str, Sequence[float], Tensor] = None) -> Tensor:
    """The loss that the library minimises: cross-entropy with soft labels, averaged by weight.

    Args:
        out: [nodes, classes] scores of every node, before any softmax.
        data: a Data, condensed or not.  Its y_soft is used if it has one, else its y.  Nodes are
            weighted by node_weight; only nodes in train_mask that have a label count.
        class_weight: weight of each class: "balanced", so that all classes count alike by the
            weighted labels of these nodes, or a number for each; None: all weigh the same.
    """
    if isinstance(out, Data):
        raise ArgumentError("pyg.loss takes the scores, then the graph: pyg.loss(out, data)")
    return _tensors.loss(out, data.get("y"), data.get("y_soft"), data.get("train_mask"),
                         data.get("node_weight"), class_weight)


def _in_coordinates(full: Data, small: Data) -> Data:
    out = copy.copy(full)
    for name in ("feature_names", "kept_features"):
        if out.get(name) is not None:
            del out[name]
    out.x = _tensors.in_coordinates(full["x"], small["projection"])
    return out


def apply_features(full: Data, small: Data) -> Data:
    """Returns the full graph with only the features that the small one kept, or in its coordinates.

    A model that was trained with `select_features=True` or `coordinates=True` needs them.  The result
    is a shallow copy; if all features were kept, its x is that of `full`.
    """
    if full.get("x") is None:
        raise ArgumentError("the full graph has no x")
    if small.get("projection") is not None:
        return _in_coordinates(full, small)
    kept = _tensors.columns(small.get("kept_features"), full.get("kept_features"),
                            int(full["x"].shape[1]))
    out = copy.copy(full)
    if kept is not None:
        out.x = _tensors.take(full["x"], kept)
        out.kept_features = small["kept_features"]
    called = _tensors.taken(full.get("feature_names"), kept, small.get("feature_names"))
    if called is not None:
        out.feature_names = called
    if small.get("x") is not None and out["x"].shape[1] != small["x"].shape[1]:
        raise ArgumentError(f"the small graph has {small['x'].shape[1]} features, the full one "
                            f"{out['x'].shape[1]}: it is not the graph that was condensed")
    return out


def _judged_on(data: Data, small: Data, classes: int, split_index: Optional[int]) -> Graph:
    """The labels of the full graph, with the split that it was condensed with."""
    names = ("y", "train_mask", "val_mask", "test_mask")
    known = Data(**{name: data[name] for name in names if data.get(name) is not None}).cpu()
    if known.get("y") is None:
        raise ArgumentError("the full graph has no y to judge on")
    n = int(known["y"].shape[0])
    y = _tensors.labels(known["y"], n, "data.y")
    drawn = _drawn(small)
    masks = {} if drawn else _masks(known, n, split_index)
    if not drawn and not masks:
        raise ArgumentError("data has no train_mask, and condensing drew no split: nothing says "
                            "which nodes to judge on")
    _tensors.need_labels(small.get("class_names"), y)
    if int(y.max(initial=-1)) >= classes:
        raise ArgumentError(f"the model gives {classes} scores a node, but data.y has the class "
                            f"{int(y.max())}")
    graph = Graph.from_arrays(y=y, num_nodes=n, num_classes=classes, **masks)
    return graph.split(*drawn) if drawn else graph


def _warn_leaks(small: Data, full: Graph) -> None:
    """Warns where labelled nodes of the small graph are validation or test nodes of the full one."""
    origin, y = small.get("origin"), small.get("y")
    if origin is None or y is None or full.train_mask is None:
        return
    of = origin.cpu().numpy()[y.cpu().numpy() >= 0]
    of = of[(of >= 0) & (of < full.num_nodes)]
    leaks = int(sum(m[of].sum() for m in (full.val_mask, full.test_mask) if m is not None))
    if leaks:
        warn_leaks(leaks, "accuracy")


def _drawn(small: Data) -> Optional[Tuple[List[float], int]]:
    """The shares and the seed of the split that condensing drew, or None."""
    report = _tensors.plain(small.get("report"))
    made = report.get("options") if isinstance(report, dict) else None
    if not isinstance(made, dict) or not isinstance(made.get("split"), list):
        return None
    return (made["split"], made["seed"]) if any(made["split"]) else None


def evaluate(model: torch.nn.Module, small: Data, data: Data, part: str = "test", *,
             split_index: Optional[int] = None) -> Dict[str, Any]:
    """Judges a network on the full graph.  It trains nothing; see graphbonsai.evaluate for that.

    Returns nodes and right (counts); accuracy, balanced, f1 and auc in percent, -1 where they are
    not defined; and recall: [c] float64, of each class in percent, -1 of one without nodes.

    Args:
        model: gives scores [nodes, classes] for (x, edge_index), and edge_weight if its forward has
            that and the graph too; or for a Data, if its forward takes one thing.
        small: what the network was trained on; the full graph gets the features that it kept.
        data: the full graph.
        part: "train", "val" or "test"; "none": the nodes outside the split.  If condensing drew a
            split, the same is drawn again.
        split_index: the column of masks [nodes, splits]; None: the one that `small` was condensed
            with.
    """
    which = part_number(part)
    if not isinstance(small, Data) or not isinstance(data, Data):
        raise ArgumentError("pyg.evaluate takes a network, the small graph and the full one: "
                            "pyg.evaluate(model, small, data)")
    if small.get("report") is None and data.get("report") is not None:
        raise ArgumentError(SWAPPED)
    full = apply_features(data, small)
    if small.get("x") is not None and full["x"].dtype is not small["x"].dtype:
        full = copy.copy(full)
        full.x = full["x"].to(small["x"].dtype)     # as condensing converted it
    classes, shares = _tensors.predicted(model, full, _nodes(full))
    was = condensed_from(_tensors.plain(small.get("report")))
    if was[0] != _nodes(data):          # edges may have been given in one direction
        warn_pair(was, (_nodes(data), int(data.num_edges)))
    column = small.get("split_index") if split_index is None else split_index
    judges = _judged_on(data, small, shares.shape[1], column)
    if data.get("origin") is None:             # else its numbers are of another graph
        _warn_leaks(small, judges)
    return judged(judges, which, classes, shares)
