"""DGL: condenses a DGLGraph to a small DGLGraph.

Node data have DGL's usual names: feat, label, train_mask, val_mask, test_mask; edge data: weight.
A condensed graph also has y_soft, node_weight, origin and role, and the attributes `report`,
`kept_features`, `feature_names`, `class_names`, `members` and `operator`.

    small = graphbonsai.dgl.Condense(ratio=0.01)(g)
    small = dgl.add_self_loop(small)        # GraphConv and GATConv need them; PyG's add their own
    loss = graphbonsai.dgl.loss(model(small, small.ndata["feat"]), small)

SPDX-License-Identifier: MIT
"""
from typing import Any, Dict, Literal, Mapping, Optional, Sequence, Union

import numpy as np

try:
    import dgl
    from dgl.transforms import BaseTransform
    from torch import Tensor
except Exception as e:          # its compiled parts fail in many ways beside another torch
    raise ImportError(f"graphbonsai.dgl needs DGL with its PyTorch backend ({e})") from e

from . import _capi, _tensors
from . import _options as options_of
from ._condense import condense, condense_graph
from ._errors import ArgumentError
from ._graph import Graph
from ._progress import Progress

__all__ = ["Condense", "apply_features", "condense", "from_data", "loss", "to_data"]


def _need_graph(g: Any) -> None:
    if not isinstance(g, dgl.DGLGraph):
        raise ArgumentError(f"a {type(g).__name__} is not a DGLGraph; of a dataset give its graph, "
                            f"dataset[0]")
    if not g.is_homogeneous:
        raise ArgumentError("the graph has several types of nodes or edges, and only one can be "
                            "condensed: give dgl.to_homogeneous(g, ndata=[...]), or the part that "
                            "carries the labels")


def _column(g: Any, name: str, what: str) -> Tensor:
    if name not in g.ndata:
        raise ArgumentError(f'g.ndata has no "{name}", that is no {what}; where it has another '
                            f"name, say so (it has {', '.join(sorted(g.ndata)) or 'nothing'})")
    return g.ndata[name]


def _condensed(g: Any, report: Any, source: np.ndarray, target: np.ndarray) -> Dict[str, Any]:
    """The data that only a condensed graph has; its edges stay, and all labels are for training."""
    n = g.num_nodes()
    out: Dict[str, Any] = {name: g.ndata[name].numpy()
                           for name in ("y_soft", "node_weight", "origin", "role")
                           if name in g.ndata}
    if "y_soft" in out:
        out["num_classes"] = out["y_soft"].shape[1]
    if isinstance(report, dict):
        out["report"] = report
    forth, back = np.unique(source * n + target), np.unique(target * n + source)
    return {**out, "keep_self_loops": bool((source == target).any()),
            "keep_directed": not np.array_equal(forth, back)}


@options_of.named
def from_data(g: Any, *, feat: str = "feat", label: str = "label", weight: str = "weight",
              split_index: Optional[int] = None,
              # options: read -features -labels
              keep_directed: bool = False, keep_self_loops: bool = False,
              keep_repeated: bool = False, threads: int = 0,
              # end
              ) -> Graph:
    """Makes a Graph from a homogeneous DGLGraph; it uses the memory of its features.

    Args:
        g: a DGLGraph.
        feat: the name of the features in g.ndata.
        label: the name of the labels in g.ndata.
        weight: the name of the weights in g.edata, which are used if they exist.
        split_index: the column of masks [nodes, splits]; None: the first.
        keep_directed: keep entries without their reverse; else it is added.
        keep_self_loops: keep edges from a node to itself; else they are dropped.
        keep_repeated: keep repeated edges; else they are merged.
        threads: threads, 0 for every core it may use (0 to 4096).
    """
    options = options_of.changed(_capi.ReadOptions, locals())
    _need_graph(g)
    kept, operator = getattr(g, "kept_features", None), getattr(g, "operator", False)
    said, members = getattr(g, "class_names", None), getattr(g, "members", None)
    names = _tensors.names(getattr(g, "feature_names", None))
    projection = getattr(g, "projection", None)
    report, g = getattr(g, "report", None), g.cpu()
    n = g.num_nodes()
    x, y = _column(g, feat, "features"), _column(g, label, "labels")
    source, target = (end.numpy() for end in g.edges(order="eid"))
    weights = None
    if weight in g.edata:
        weights = _tensors.edge_weights(g.edata[weight], g.num_edges(), f'g.edata["{weight}"]')
    if "role" in g.ndata:
        options = {**_condensed(g, report, source.astype(np.int64), target.astype(np.int64)),
                   **({} if members is None else {"members": members}), **options}
    else:
        options.update(_tensors.masks(dict(g.ndata), g.num_nodes(), split_index,
                                      'g.ndata["%s"]'))
    options["feature_names"] = names
    if projection is not None:
        options["projection"] = projection.cpu().numpy()
    if kept is not None:                # condensed, or of apply_features
        options["kept_features"] = kept.cpu().numpy()
    return _tensors.made(dict(
        edge_index=np.stack([source, target]), edge_weight=weights, num_nodes=n,
        operator=_tensors.is_operator(operator), x=_tensors.features(x, n, f'g.ndata["{feat}"]'),
        **options), _tensors.labels(y, n, f'g.ndata["{label}"]'), said, f'g.ndata["{label}"]')


def to_data(graph: Graph, *, feat: str = "feat", label: str = "label",
            weight: str = "weight") -> Any:
    """Makes a DGLGraph from a Graph; its tensors are copies.

    The weights of a graph whose `operator` is true (method gdem) multiply rows as they are: give
    them to GraphConv(..., norm="none") as edge_weight.
    """
    source, target = _tensors.tensor(graph.edge_index)
    g = dgl.graph((source, target), num_nodes=graph.num_nodes)
    for name, value in _tensors.fields(graph).items():
        g.ndata[{"x": feat, "y": label}.get(name, name)] = value
    if graph.csr[2] is not None:
        g.edata[weight] = _tensors.tensor(graph.csr[2])
    kept = graph.kept_features
    g.kept_features = None if kept is None else _tensors.tensor(kept)
    g.feature_names = graph.feature_names
    g.projection = None if graph.projection is None else _tensors.tensor(graph.projection)
    g.report = graph.report
    g.operator = graph.operator
    g.class_names = _tensors.class_names(graph)
    g.members = None if graph.members is None else list(map(_tensors.tensor, graph.members))
    return g


def _on(g: Any, device: Any) -> Any:
    """The graph on a device, with what DGL does not move."""
    if g.device == device:
        return g
    moved = g.to(device)
    moved.kept_features = None if g.kept_features is None else g.kept_features.to(device)
    moved.projection = None if g.projection is None else g.projection.to(device)
    for name in ("report", "operator", "class_names", "members", "feature_names"):
        setattr(moved, name, getattr(g, name))
    return moved


def condensed(g: Any, ratio: Union[None, float, Sequence[float]], given: Mapping[str, Any],
              reading: Dict[str, Any], progress: Progress) -> Any:
    """What graphbonsai.condense does with a DGLGraph: a small one, or a list for several ratios."""
    graph = from_data(g, threads=given["threads"], **reading)
    names = {name: given[name] for name in ("feat", "label", "weight")}
    small = condense_graph(graph, ratio, given, progress)
    made = [_on(to_data(one, **names), g.device)
            for one in (small if isinstance(small, list) else [small])]
    if _tensors.splits_of(g.ndata) > 1:
        for one in made:
            one.split_index = reading.get("split_index", 0)
    return made if isinstance(small, list) else made[0]


class Condense(BaseTransform):
    """Makes a small graph that models can be trained on instead of the large one."""

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
                 split_index: Optional[int] = None, feat: str = "feat", label: str = "label",
                 weight: str = "weight", progress: Progress = None) -> None:
        """Give exactly one budget: ratio, max_bytes, nodes or trees.

        Args:
            ratio: budget: share of the full graph's bytes, above 0 and at most 1.
            split_index: the column of masks [nodes, splits]; None: the first.
            feat: the name of the features in g.ndata.
            label: the name of the labels in g.ndata.
            weight: the name of the weights in g.edata, which are used if they exist.
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
        self.reading: Dict[str, Any] = {"split_index": split_index, "feat": feat, "label": label,
                                        "weight": weight}
        self.progress = progress

    def __call__(self, g: Any) -> Any:
        _need_graph(g)
        return condense(g, self.ratio, method=self.method, progress=self.progress, **self.reading,
                        **self.options)

    def __repr__(self) -> str:
        return _tensors.shown(self, **{name: value for name, value in self.reading.items()
                                       if value not in (None, name)})


def loss(out: Tensor, g: Any, *, label: str = "label",
         class_weight: Union[None, str, Sequence[float], Tensor] = None) -> Tensor:
    """The loss that the library minimises: cross-entropy with soft labels, averaged by weight.

    `class_weight`: "balanced", or a number for each class, as in graphbonsai.pyg.loss.
    """
    return _tensors.loss(out, g.ndata.get(label), g.ndata.get("y_soft"), g.ndata.get("train_mask"),
                         g.ndata.get("node_weight"), class_weight)


def apply_features(full: Any, small: Any, *, feat: str = "feat") -> Any:
    """Returns a copy of the full graph with only the features that the small one kept, or in its
    coordinates."""
    x = _column(full, feat, "features")
    if getattr(small, "projection", None) is not None:
        out = full.local_var()
        out.ndata[feat] = _tensors.in_coordinates(x, small.projection)
        out.feature_names = None
        return out
    kept = _tensors.columns(getattr(small, "kept_features", None),
                            getattr(full, "kept_features", None), int(x.shape[1]))
    out = full.local_var()
    if kept is not None:
        out.ndata[feat] = _tensors.take(x, kept)
        out.kept_features = small.kept_features
    out.feature_names = _tensors.taken(getattr(full, "feature_names", None), kept,
                                       getattr(small, "feature_names", None))
    return out
