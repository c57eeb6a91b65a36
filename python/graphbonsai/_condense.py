"""condense, update, nearest, explain, generate and info: each is one call of the library.

SPDX-License-Identifier: MIT
"""
import ctypes
import os
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _capi as c
from . import _options as options_of
from ._errors import ArgumentError, OptionError
from ._graph import Graph
from ._kinds import adapter, as_graph, like, wrong_kind
from ._match import matched, need_same
from ._memory import Handle
from ._progress import Progress, call
from ._report import Info, run_of
from ._splits import warn_all, warn_if_drawn, warn_members, warn_scales
from ._why import Names, explained

# Options of condense for reading data of other packages, and their defaults.
_READING = {"split_index": None, "feat": "feat", "label": "label", "weight": "weight"}


def condense_graph(graph: Graph, ratio: Union[None, float, Sequence[float]],
                   given: Mapping[str, Any], progress: Progress) -> Any:
    """A Graph condensed; for several ratios, a list of graphs from one embedding."""
    handle = graph._live()
    several = _several(ratio)
    options = {**given, "ratio": None if several is not None else ratio}
    budget = one_budget({**given, "ratio": ratio})
    o = options_of.fill(c.CondenseOptions, options)
    warn_if_drawn(graph, given["split"], o.seed)
    warn_scales(graph)
    if o.members and given["method"] in ("prototypes", "auto"):
        warn_members()
    if several is not None:
        return _condense_many(graph, several, o, progress)
    positive(budget, getattr(o, budget.member))
    info, out = c.init(c.CondenseInfo), Handle()
    call(c.condense, out.out, ctypes.byref(info), handle, progress=progress, options=o)
    return Graph._of(out, run_of(info), info, graph._given)


def one_budget(given: Mapping[str, Any]) -> options_of.Field:
    budgets = [f for f in options_of.fields(c.CondenseOptions).values() if f.marks & c.MARK_BUDGET]
    found = [f for f in budgets if given.get(f.name) is not None]
    if len(found) != 1:
        names = [f.name for f in budgets]
        raise ArgumentError("give one budget: ratio (of the bytes, such as 0.01), %s or %s%s" % (
            ", ".join(names[1:-1]), names[-1],
            ", not " + " and ".join(f.name for f in found) if found else ""))
    return found[0]


def positive(budget: options_of.Field, value: float) -> None:
    """Refuses 0, which the library takes for "not given"; a ratio of 1 is hardly meant."""
    if value <= 0:
        raise ArgumentError("%s is %g; it must be above 0" % (budget.name, value))
    if budget.name == "ratio" and value == 1:
        warn_all()


def _several(ratio: Any) -> Optional[List[float]]:
    if ratio is None or isinstance(ratio, (str, bytes)) or not hasattr(ratio, "__iter__"):
        return None
    if getattr(ratio, "ndim", 1) == 0:      # an array that is one number
        return None
    return [options_of.real("ratio", r) for r in ratio]


def _condense_many(graph: Graph, ratios: List[float], o: Any, progress: Progress) -> List[Graph]:
    handle, count = graph._live(), len(ratios)
    if count == 0:
        return []
    out = (ctypes.c_void_p * count)()
    infos = (c.CondenseInfo * count)()
    for i in range(count):
        infos[i] = c.init(c.CondenseInfo)
    handles = [Handle() for _ in ratios]
    try:
        call(c.condense_many, out, infos, (ctypes.c_double * count)(*ratios), count,
             handle, progress=progress, options=o)
    finally:
        for h, pointer in zip(handles, out):        # freed too where the call was interrupted
            h.pointer = ctypes.c_void_p(pointer)
    return [Graph._of(h, run_of(i), i, graph._given) for h, i in zip(handles, infos)]


@options_of.named
def condense(data: Any, ratio: Union[None, float, Sequence[float]] = None, *,
             # options: condense -ratio, read -threads -features -labels
             max_bytes: Optional[int] = None, nodes: Optional[int] = None,
             trees: Optional[int] = None,
             method: Literal["trees", "random", "random-trees", "herding", "kcenter", "degree",
                 "prototypes", "auto", "gcond", "gcond-x", "doscond", "sgdd", "exgc", "gc-sntk",
                 "gdem", "gcsr", "sfgc", "geom", "published"] = "auto",
             accounting: Literal["strict", "paper"] = "strict", layers: int = 2, k: int = 5,
             sample: Union[None, int, Literal["all"]] = None, theta: float = 0.05,
             delta: float = 0.05, density: Union[bool, Literal["gain", "density"]] = False,
             no_rknn: bool = False, no_ppr: bool = False, patience: int = 200, beta: float = 0.15,
             prune_share: float = 1.0, min_pruned: float = 0.01,
             select_features: Union[bool, Literal["none", "tree"]] = False, inductive: bool = False,
             raw_features: Union[bool, Literal["embeddings", "features"]] = False, project: int = 0,
             split: Optional[Union[str, Sequence[float]]] = None, threads: int = 0, seed: int = 1,
             no_validation: bool = False, hard_labels: bool = False, members: bool = False,
             memory: Union[None, int, str] = None, for_models: Union[str, Sequence[str]] = "all",
             effort: float = 1.0, time_limit: Optional[float] = None,
             keep: Literal["probe", "last"] = "probe", keep_trees: bool = False,
             no_training: bool = False,
             metric: Literal["auto", "mixed", "accuracy", "balanced", "f1", "auc", "ap", "f1max"] =
                 "auto", coordinates: bool = False, keep_directed: bool = False,
             keep_self_loops: bool = False, keep_repeated: bool = False,
             # end
             split_index: Optional[int] = None, feat: str = "feat", label: str = "label",
             weight: str = "weight", progress: Progress = None) -> Any:
    """Makes a small graph that models can be trained on instead of `data`.

    The small graph is of the same kind as `data`.  Give exactly one budget: ratio, max_bytes, nodes
    or trees.

    Args:
        data: a Graph, a path, a torch_geometric Data, a DGLGraph, an OGB dataset, a networkx.Graph
            or an igraph.Graph.
        ratio: budget: share of the full graph's bytes, above 0 and at most 1.  Several ratios give
            a list of graphs, which are made from one embedding.
        split_index: of a Data or DGLGraph with masks [nodes, splits], the column to use; None: the
            first.  The small graph keeps it as `split_index`, and evaluate uses the same.
        feat: of a DGLGraph, the name of the features in its ndata; of networkx and igraph, that of
            the nodes' attribute, if it is neither "x" nor "feat".
        label: the same of labels; of networkx and igraph if it is neither "y" nor "label".
        weight: of a DGLGraph, the name of the weights in its edata; else of the edges' attribute.
        progress: None: a bar in a terminal or a notebook; True or False: always or never; or a
            function (stage, done, total).  If the function raises an exception, the call ends.
        max_bytes: budget: bytes (at least 1).
        nodes: budget: nodes (at least 1).
        trees: budget: trees, each a training node with all that is near it (at least 1).
        method: auto: prototypes, trees, random, herding or kcenter, whichever a probe finds best;
            trees is the paper's; gcond to geom learn by descent (doc/peers.md); published does what
            the paper's code does.
        accounting: bytes as a .bonsai file has them, or as the paper's code counts them.
        layers: hops of a tree and rounds of averaging (0 to 16).
        k: nearest trees that a tree is covered by (1 to 1000000).
        sample: trees to be covered (at least 1); None: by theta and delta.
        theta: error of the sampled cover (0.0001 to 1).
        delta: chance of a larger error (1e-09 to 1).
        density: False or "gain", True or "density": the tree that covers most, or most per byte.
        no_rknn: trees in random order (ablation).
        no_ppr: no sparsification (ablation).
        patience: stop when so many trees in a row do not fit (at least 1).
        beta: PageRank's chance to return to a root (0.001 to 0.999).
        prune_share: at most this share of the ego nodes, or of the trees that are kept whole, goes
            per round (0 to 1).
        min_pruned: stop when a smaller share of the nodes, or of the trees that are kept whole,
            would go (0 to 1).
        select_features: False or "none", True or "tree": tree: keep only features that a decision
            tree splits on.
        inductive: cut the graph to its training nodes first.
        raw_features: False or "embeddings", True or "features": what herding and kcenter measure
            on.
        project: random projection to so many dimensions before k-NN; 0: exact (0 to 1000000).
        split: "own", or draw a new split: "random", "published" or percent such as (60, 20, 20);
            None: the graph's own, or (60, 20, 20) where it has none.
        threads: threads, 0 for every core it may use (0 to 4096).
        seed: the same seed gives the same bytes.
        no_validation: probe on a fifth of the training nodes instead of on validation nodes;
            methods that learn keep the last round.
        hard_labels: prototypes without soft labels.
        members: prototypes name the nodes that they stand for, not counted as bytes; only what an
            update can follow is tried, at some cost in accuracy.
        memory: private memory to use at most, in bytes or as "3G": what does not fit goes to
            scratch files in TMPDIR, and the answer is the same; pages of mapped files do not count
            (at least 0); None: what is free, as with 0.
        for_models: some of "gcn", "gat", "gin", "sage", or "all": networks that the probe judges
            for; sage alone: prototypes may be pairs of nodes, which teach it to tell a node from
            its neighbours.
        effort: methods that learn: rounds and experts, 1: as published (0.0001 to 100).
        time_limit: methods that learn: seconds, then the best so far is kept (0 to 1000000000);
            None: none.
        keep: methods that learn: the round that the probe puts highest, or the last one.
        keep_trees: a root's tree goes or stays as a whole, and PageRank's knee acts on trees.
        no_training: choose between kinds of prototypes by the probe alone, not by networks that are
            trained on the best small graph of each kind.
        metric: what the probe compares small graphs by; auto: accuracy, or with a rare class mixed,
            the mean of accuracy and balanced accuracy.
        coordinates: features of prototypes are coordinates in a few directions, which are stored
            beside them; eval projects the full graph on these.
        keep_directed: keep entries without their reverse; else it is added.
        keep_self_loops: keep edges from a node to itself; else they are dropped.
        keep_repeated: keep repeated edges; else they are merged.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=400, features=60, classes=3, seed=2)
    >>> small = graphbonsai.condense(g, ratio=0.05, method="trees", threads=1)
    >>> small.num_nodes < 400 and small.nbytes <= 0.05 * g.nbytes
    True
    >>> [s.num_nodes < 400 for s in graphbonsai.condense(g, [0.02, 0.05], threads=1)]
    [True, True]
    """
    given = dict(locals())
    reading = options_of.changed(c.ReadOptions, {**given, "threads": None})
    reading.update({k: given[k] for k, default in _READING.items() if given[k] != default})
    if isinstance(data, (str, bytes, os.PathLike)):
        data = Graph.load(data, progress=progress, threads=threads, **reading)
    elif not isinstance(data, Graph):
        module = adapter(data)
        if module is None:
            raise wrong_kind("data", data)
        return module.condensed(data, ratio, given, reading, progress)
    elif reading:
        raise OptionError("%s is for making a graph, and this one is made: give it to "
                          "Graph.from_arrays or Graph.load" % next(iter(reading)))
    return condense_graph(data, ratio, given, progress)


@options_of.named
def update(now: Any, was: Any, small: Any, *,
           # options: condense threads memory
           threads: int = 0, memory: Union[None, int, str] = None,
           # end
           progress: Progress = None) -> Any:
    """Updates a condensed graph after its full graph has changed.

    Nodes may have been added after the old ones; edges, features and labels may differ.  The budget
    and the other options are those that `small` was made with.

    Args:
        now: the full graph as it is.
        was: the full graph that `small` was made from.
        small: what condense(was, method="prototypes", members=True) returned, a Graph, its file, a
            Data or a DGLGraph.  A Data or a DGLGraph is returned as such.
        progress: as for condense.
        threads: threads, 0 for every core it may use (0 to 4096).
        memory: private memory to use at most, in bytes or as "3G": what does not fit goes to
            scratch files in TMPDIR, and the answer is the same; pages of mapped files do not count
            (at least 0); None: what is free, as with 0.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=300, features=40, classes=3)
    >>> small = graphbonsai.condense(g, 0.05, method="prototypes", members=True, threads=1)
    >>> graphbonsai.update(g, g, small, threads=1).num_nodes == small.num_nodes
    True
    """
    o = options_of.fill(c.CondenseOptions, locals())
    a, b, s = as_graph("now", now, small), as_graph("was", was, small), as_graph("small", small)
    need_same("now", a, "was", b)
    s, b = matched(s, b)
    info, out = c.init(c.CondenseInfo), Handle()
    ha, hb, hs = a._live(), b._live(), s._live()
    call(c.condense_update, out.out, ctypes.byref(info), ha, hb, hs,
         progress=progress, options=o)
    return like(small, Graph._of(out, run_of(info), info, a._given))


@options_of.named
def nearest(small: Any, node: int, full: Any, most: int = 10, *,
            # options: condense layers split seed threads
            layers: int = 2, split: Optional[Union[str, Sequence[float]]] = None, threads: int = 0,
            seed: int = 1,
            # end
            progress: Progress = None) -> Tuple[np.ndarray, np.ndarray]:
    """Finds the nodes of the full graph that a node of the small graph stands for.

    Returns their numbers and their distances, nearest first.

    Args:
        small: what condense returned, of any kind.
        node: the number of a node of `small`.
        full: the graph that `small` was made from.
        most: how many nodes to return at most.
        progress: as for condense.
        layers: hops of a tree and rounds of averaging (0 to 16).
        split: "own", or draw a new split: "random", "published" or percent such as (60, 20, 20);
            None: the graph's own, or (60, 20, 20) where it has none.
        threads: threads, 0 for every core it may use (0 to 4096).
        seed: the same seed gives the same bytes.

    If `small` says how it was made, its layers and its split are used, not those given here.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=300, features=40, classes=3)
    >>> small = graphbonsai.condense(g, 0.05, method="prototypes", threads=1)
    >>> nodes, distances = graphbonsai.nearest(small, 0, g, most=3, threads=1)
    >>> nodes.size, bool((distances[1:] >= distances[:-1]).all())
    (3, True)
    """
    o = options_of.fill(c.CondenseOptions, locals())
    s, g = (one._live() for one in matched(as_graph("small", small), as_graph("full", full, small)))
    limit = options_of.whole("most", most, 0, 2**31 - 1)
    limit = min(limit, int(c.graph_view(g).contents.nodes))
    which = options_of.whole("node", node, -2**63, 2**63 - 1)
    nodes, distances = np.empty(limit, np.int32), np.empty(limit, np.float32)
    found = ctypes.c_int64()
    call(c.condense_nearest, nodes.ctypes.data, distances.ctypes.data, ctypes.byref(found), limit,
         s, which, g, progress=progress, options=o)
    return nodes[:found.value].astype(np.int64), distances[:found.value].copy()


@options_of.named
def explain(small: Any, node: int, full: Any = None, *,
            # options: condense threads
            threads: int = 0,
            # end
            progress: Progress = None) -> Dict[str, Any]:
    """Explains why a node of a condensed graph is there, and what it stands for.

    Returns what `Graph.why` tells (of the second node of a prototype that is a pair: its
    `partner`, the prototype that it belongs to), and at most ten of each of these, the most telling first:

    soft_label   {class: share}, by the name of the class where it has one of its own; {}: none
    nodes        nodes of the full graph that a prototype stands for: its members, if they are
                 stored; with `full`, the nearest first, their `distances`, and their
                 `node_names`, if it has some
    features     numbers in the full graph of its strongest features, of `features_set` that are
                 not 0: those farthest, in standard deviations, from the mean of `full` or,
                 without it, of the labelled nodes of `small`; and their `feature_names`,
                 if it has some
    values, above_mean, deviations   of each of them: its value, that minus the mean, and the
                 same in standard deviations, by which they are ordered

    It prints as a table.

    Args:
        small: what condense returned, of any kind.
        node: the number of a node of `small`.
        full: the graph that `small` was made from; None: what `small` alone says.
        progress: as for condense.
        threads: threads, 0 for every core it may use (0 to 4096).

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=300, features=40, classes=3)
    >>> small = graphbonsai.condense(g, 0.05, method="prototypes", threads=1)
    >>> why = graphbonsai.explain(small, 0, g, threads=1)
    >>> why["role"], len(why["nodes"]), max(why["soft_label"]) < 3
    ('prototype', 10, True)
    """
    o = options_of.fill(c.CondenseOptions, dict(threads=threads))
    graph = as_graph("small", small)
    whole = None if full is None else as_graph("full", full, small)
    if whole is not None:
        graph, whole = matched(graph, whole)
    w = c.init(c.Why)
    call(c.condense_explain, ctypes.byref(w), graph._live(),
         options_of.whole("node", node, -2**63, 2**63 - 1),
         None if whole is None else whole._live(), progress=progress, options=o)
    why = explained(w, graph.class_names, _names_of(graph, whole), _originals(graph, whole))
    if not isinstance(small, Graph) and why["label"] is not None and graph._given is not None:
        why["label"] = graph._given[why["label"]]       # as in its y
    return why


def _names_of(small: Graph, full: Optional[Graph]) -> Names:
    """The names of nodes of the full graph: all of them, or those that the small one knows."""
    return _originals(small, None) if full is None else full.node_names


def _originals(small: Graph, full: Optional[Graph]) -> Names:
    """The same by what origins say, which are numbers of the graph that the full one is a part or
    another order of."""
    graph = small if full is None else full
    names, origin = graph.node_names, graph.origin
    if names is None or origin is None:
        return None if full is None else names
    return dict(zip(origin.tolist(), names))


@options_of.named
def generate(*,
             # options: generate
             nodes: int = 10000, features: int = 1000, classes: int = 7, degree: float = 4.0,
             exponent: float = 2.6, homophily: float = 0.81, imbalance: float = 0.6,
             difficulty: float = 0.5, words: float = 18.0, dense: bool = False, threads: int = 0,
             seed: int = 1,
             # end
             progress: Progress = None) -> Graph:
    """Generates a citation network with features, labels and a 60/20/20 split.

    Args:
        progress: as for condense.
        nodes: number of nodes (at least 1).
        features: number of features (at least 0).
        classes: number of classes (at least 1).
        degree: mean number of neighbours (at least 0).
        exponent: of the degrees' power-law tail, above 2; 0: degrees all alike (at least 0).
        homophily: share of edges inside a class (0 to 1).
        imbalance: 0: classes of equal size; 1: sizes as 1, 1/2, 1/3, ... (0 to 1).
        difficulty: 0: features give the class away; 1: they say nothing (0 to 1).
        words: mean number of words a node (at least 0).
        dense: dense features of a Gaussian mixture instead of words.
        threads: threads, 0 for every core it may use (0 to 4096).
        seed: the same seed gives the same bytes.

    >>> import graphbonsai
    >>> graphbonsai.generate(nodes=100, features=20, classes=4).num_classes
    4
    """
    o = options_of.fill(c.GenerateOptions, locals())
    out = Handle()
    call(c.graph_generate, out.out, progress=progress, options=o)
    return Graph._of(out)


@options_of.named
def info(graph: Any, *, linear: bool = False,
         # options: read threads
         threads: int = 0,
         # end
         progress: Progress = None) -> Info:
    """Describes what a graph holds: sizes, degrees, classes, split, homophily, bytes.

    Args:
        graph: a graph of any kind, or the path of a file.
        linear: also fit linear models, to see how far they get.
        progress: as for condense.
        threads: threads, 0 for every core it may use (0 to 4096).
    """
    return as_graph("graph", graph).info(linear=linear, threads=threads, progress=progress)


def formats() -> Dict[str, str]:
    """Returns the formats that the library reads, with a line about each.

    >>> import graphbonsai
    >>> "npz" in graphbonsai.formats()
    True
    """
    return {name: c.format_help(i).decode() for i, name in enumerate(c.names(c.format_name))}
