"""suggest: the smallest ratio that keeps a share of what the full graph is worth.

SPDX-License-Identifier: MIT
"""
import ctypes
from typing import Any, Dict, List, Literal, Optional, Sequence, Tuple, Union

from . import _capi as c
from . import _options as options_of
from ._compare import METHODS
from ._graph import Graph
from ._kinds import as_graph, like
from ._memory import Handle
from ._page import page_of
from ._progress import Progress, call
from ._report import Row, number, table
from ._splits import warn_if_drawn
from ._training import SPLITS


class Suggestion:
    """A ratio, and the curve of ratio against score that led to it.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=400, features=60, classes=3)
    >>> found = graphbonsai.suggest(g, keep=0.9, threads=1)
    >>> found.reached and found.share >= 0.9
    True
    >>> found.ratio in [point["ratio"] for point in found.points]
    True

    Attributes:
        ratio: the smallest that keeps the share; the best if none does.
        reached: whether it keeps the share.
        keep: the share that was asked for.
        score: percent of the judged nodes that the probe gets right with the small graph.
        share: that over `full_score`.
        small: the small graph, as condense(graph, ratio) makes it: a Data of a Data, a DGLGraph of
            a DGLGraph, else a Graph.
        nbytes: of the small graph.
        nodes: of the small graph.
        full_score: percent that the probe gets right with the full graph's training nodes.
        full_nbytes: of the full graph.
        full_nodes: of the full graph.
        full_train: training nodes that its probe was fitted on.
        error: a standard error of `full_score`.
        judged: nodes that every score counts.
        held: whether these are held-out training nodes, where there are no validation nodes.
        split_from: "own", "asked", "drawn" or "none", of a condensed graph.
        split: percent that were drawn; None: the split is the graph's own.
        seconds: that it took.
        points: what was tried, by ratio: dictionaries with ratio, bytes, nodes, edges, score, share,
            level (the score without its noise), method and seconds; of a ratio that no graph can
            have, `why` says why and the others are None.
    """

    ratio: float
    reached: bool
    keep: float
    score: float
    share: float
    small: Any
    nbytes: int
    nodes: int
    full_score: float
    full_nbytes: int
    full_nodes: int
    full_train: int
    error: float
    judged: int
    held: bool
    split_from: str
    split: Optional[Tuple[float, ...]]
    seconds: float
    points: List[Dict[str, Any]]

    def __init__(self, found: Dict[str, Any], points: Sequence[Dict[str, Any]], small: Graph,
                 page: str) -> None:
        self.__dict__.update(found)
        self.points = list(points)
        self.small = small
        self._page = page

    def _rows(self) -> List[Row]:
        rows: List[Row] = [("ratio", "bytes", "nodes", "score %", "of full %")]
        for point in self.points:
            known = point["score"] is not None
            rows.append((number(point["ratio"]), number(point["bytes"]), number(point["nodes"]),
                         "%.2f" % point["score"] if known else "-",
                         "%.2f" % (100 * point["share"]) if known else "-"))
        return rows

    def _sentence(self) -> str:
        return ("%s keeps %.2f %% of the full graph's score of %.2f %%%s. A network may keep more "
                "or less: judge it with evaluate().") % (
            number(self.ratio), 100 * self.share, self.full_score,
            "" if self.reached else "; no ratio keeps %g %%" % (100 * self.keep))

    def __str__(self) -> str:
        return "%s\n%s" % (table(self._rows()), self._sentence())

    def __repr__(self) -> str:
        return "Suggestion(ratio=%g, share=%.4g, reached=%r, %d points)" % (
            self.ratio, self.share, self.reached, len(self.points))

    def _repr_html_(self) -> str:
        return self._page


def _point(p: c.SuggestPoint) -> Dict[str, Any]:
    made = p.score >= 0
    found = {name: getattr(p, name) if made else None
             for name in ("bytes", "nodes", "edges", "score", "share", "level")}
    return {"ratio": p.ratio, **found, "bytes": int(p.bytes) if made else None,
            "method": METHODS[p.method] if made else None, "seconds": p.seconds,
            "why": None if made else p.why.decode("utf-8", "replace")}


def _found(i: c.SuggestInfo) -> Dict[str, Any]:
    plain = ("ratio", "keep", "score", "share", "nodes", "full_score", "full_nodes", "full_train",
             "error", "judged")
    drawn = tuple(i.split) if any(i.split) else None
    return {**{name: getattr(i, name) for name in plain}, "reached": bool(i.reached),
            "held": bool(i.held), "nbytes": int(i.bytes), "full_nbytes": int(i.full_bytes),
            "split_from": SPLITS[i.split_from], "split": drawn, "seconds": i.seconds_total}


def _small(made: Handle, full: Graph) -> Graph:
    """The graph of a suggestion, which it keeps alive."""
    handle = Handle(lambda _: None, keep=(made,))
    handle.pointer = ctypes.c_void_p(c.suggestion_graph(made))
    return Graph._of(handle, given=full._given)


@options_of.named
def suggest(data: Any, keep: float = 0.95, *,
            # options: suggest -keep, condense -BUDGET -keep
            low: float = 0.0001, high: float = 0.3, points: int = 8, halvings: int = 3,
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
            effort: float = 1.0, time_limit: Optional[float] = None, keep_trees: bool = False,
            no_training: bool = False,
            metric: Literal["auto", "mixed", "accuracy", "balanced", "f1", "auc", "ap", "f1max"] =
                "auto", coordinates: bool = False,
            # end
            progress: Progress = None) -> Suggestion:
    """Finds the smallest ratio whose small graph keeps a share of what `data` is worth.

    What a graph is worth is the score of the probe that condensing judges its candidates by: the
    percentage of the validation nodes that a linear classifier gets right, fitted on the small
    graph, or on the training nodes of the full one.  No test label is read.  Small graphs are made
    from one embedding, from `low` upwards until one keeps the share; then the step below it is
    halved.  Scores are noisy: where one falls although the ratio grows, the mean of both counts.

    Args:
        data: a graph of any kind, or the path of a file.
        keep: share of the full graph's probe score to keep (above 0, at most 1).
        progress: as for condense.
        low: the smallest ratio to try (above 0, at most 1).
        high: the largest ratio to try (above 0, at most 1).
        points: ratios from the smallest to the largest, in equal factors (2 to 64).
        halvings: how often the step between two of them that holds the answer is halved (0 to 16).
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
        keep_trees: a root's tree goes or stays as a whole, and PageRank's knee acts on trees.
        no_training: choose between kinds of prototypes by the probe alone, not by networks that are
            trained on the best small graph of each kind.
        metric: what the probe compares small graphs by; auto: accuracy, or with a rare class mixed,
            the mean of accuracy and balanced accuracy.
        coordinates: features of prototypes are coordinates in a few directions, which are stored
            beside them; eval projects the full graph on these.

    Without a split of its own, 60/20/20 is drawn, as for condense.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=400, features=60, classes=3)
    >>> found = graphbonsai.suggest(g, keep=0.9, threads=1)
    >>> small = graphbonsai.condense(g, found.ratio, threads=1)
    >>> small.equal(found.small)
    True
    """
    given = dict(locals())
    graph = as_graph("data", data)
    warn_if_drawn(graph, split, seed)
    oc = options_of.fill(c.CondenseOptions, {**given, "keep": None})
    o = options_of.fill(c.SuggestOptions, given)
    o.condense = ctypes.pointer(oc)
    made = Handle(c.suggestion_free)
    call(c.suggest, made.out, graph._live(), progress=progress, options=o)
    info = c.suggestion_info(made).contents
    tried = [_point(c.suggestion_point(made, i).contents) for i in range(info.tried)]
    page = Handle(c.report_free)
    drawing = options_of.fill(c.ReportOptions, {})
    drawing.fragment = 1
    call(c.report_suggestion, page.out, made, options=drawing)
    return Suggestion(_found(info), tried, like(data, _small(made, graph)), str(page_of(page)))
