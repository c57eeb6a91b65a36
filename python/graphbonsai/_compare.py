"""compare: methods, budgets and models in one table.

SPDX-License-Identifier: MIT
"""
import csv
import ctypes
import html
import math
from typing import (Any, Callable, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Type,
                    Union)

from . import _capi as c
from . import _options as options_of
from ._errors import ArgumentError, OptionError
from ._graph import PathLike
from ._kinds import as_graph
from ._progress import Progress, Watch
from ._report import Row, html_table, number, table
from ._splits import warn_if_drawn, warn_scales

METHODS = options_of.words(c.CondenseOptions, "method")
MODELS = options_of.words(c.TrainOptions, "model")


UNITS = ("run", "draw", "split")
VERDICTS = ("loss", "tie", "win")


def _known(value: float) -> Optional[float]:
    return None if math.isnan(value) else value


def _method(cell: c.Cell) -> str:
    return "full" if cell.method < 0 else METHODS[cell.method]


def _cell(cell: c.Cell) -> Dict[str, Any]:
    names = [name for name, _ in c.Cell._fields_]       # compare does not fill all after why
    found = {k: v for k, v in c.values(cell).items()
             if k in names[:names.index("why") + 1] and k not in ("size", "done")}
    found["method"] = _method(cell)
    found["model"] = MODELS[cell.model]
    found["why"] = cell.why.decode("utf-8", "replace")
    found["accuracy_error"] = _known(cell.accuracy_error)
    found["unit"], found["units"] = UNITS[cell.unit], cell.units
    found["metric"] = c.METRICS[cell.metric]
    for end in ("mean", "std", "error"):
        for name, value in zip(c.METRICS, getattr(cell, "metric_" + end)):
            found.setdefault("%s_%s" % (name, end), _known(value))
    return found


def _values(cell: c.Cell, classes: int) -> Dict[str, Any]:
    """The accuracy of every run of a cell of one split and draw, and the recall of every class."""
    return {"split": cell.split, "draw": cell.draw,
            "accuracies": cell.accuracies[:cell.runs] if cell.accuracies else [],
            "recall": cell.recall[:classes] if cell.recall and cell.runs else []}


def _like(a: c.Cell, b: c.Cell) -> bool:
    return bool(a.method == b.method and a.model == b.model and a.ratio == b.ratio)


def _against(cells: Any, one: c.Cell, other: c.Cell) -> Optional[Dict[str, Any]]:
    """One method against another at the same ratio; None: neither split nor draw has both."""
    d = c.init(c.Difference)
    c.cells_difference(ctypes.byref(d), cells, len(cells), ctypes.byref(one), ctypes.byref(other))
    if not d.pairs:
        return None
    error = _known(d.error)
    return {"method": _method(other), "difference": d.difference, "error": error,
            "pairs": d.pairs, "verdict": None if error is None else VERDICTS[d.verdict + 1]}


def _table(cells: Any, classes: int) -> List[Dict[str, Any]]:
    """The cells of each method, ratio and model as one, with what they are made of."""
    first = [cell for cell in cells if cell.split == 0 and cell.draw == 0]
    rows = []
    for like in first:
        merged = c.init(c.Cell)
        c.cells_merge(ctypes.byref(merged), cells, len(cells), ctypes.byref(like))
        row = _cell(merged)
        row["values"] = [_values(cell, classes) for cell in cells if _like(cell, like)]
        pairs = [_against(cells, like, other) for other in first
                 if like.method >= 0 and other.method >= 0 and other.method != like.method
                 and other.ratio == like.ratio and other.model == like.model]
        row["against"] = [pair for pair in pairs if pair]
        rows.append(row)
    return rows


class Comparison(Sequence[Dict[str, Any]]):
    """The cells of a comparison: dictionaries, in the order of the table.

    A cell holds the mean over its splits, draws and runs; `accuracy_error` is its standard error
    over the `units` of the kind `unit`: the splits if there are several, else the draws, else the
    runs.  `balanced_mean`, `f1_std`, `auc_error` and so on are the same of the other metrics, -1
    where one is not defined.  `values` has the accuracy of every run and the recall of every class,
    and `against` compares the metric that was asked for with each other method in pairs of the same
    split and draw: a win or a loss is a difference of more than two of its standard errors.
    `split` says which split was used: "own", or the shares and the seed of the first.
    """

    def __init__(self, cells: Sequence[Dict[str, Any]], split: str = "") -> None:
        self.cells: List[Dict[str, Any]] = list(cells)
        self.split = split

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, index: Any) -> Any:
        return self.cells[index]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.cells)

    def _rows(self) -> List[Row]:
        metric = next((cell["metric"] for cell in self.cells if cell["runs"]), "accuracy")
        rows: List[Row] = [("method", "ratio", "model", metric + " %", "+-", "bytes %", "nodes",
                            "seconds")]
        for cell in self.cells:
            if cell["runs"]:
                rows.append((cell["method"], number(float(cell["ratio"])), cell["model"],
                             "%.2f" % cell[cell["metric"] + "_mean"],
                             "-" if cell[cell["metric"] + "_error"] is None
                             else "%.2f" % cell[cell["metric"] + "_error"],
                             "%.3g" % (100 * cell["share"]), number(cell["nodes"]),
                             "%.3g" % (cell["seconds_condense"] + cell["seconds_train"])))
            else:
                rows.append((cell["method"], number(float(cell["ratio"])), cell["model"],
                             "-", "-", "-", "-", "-"))
        return rows

    def _notes(self) -> List[str]:
        return ["%s at %g: %s" % (cell["method"], cell["ratio"], cell["why"])
                for cell in self.cells if not cell["runs"] and cell["why"]] + \
               (["split: " + self.split] if self.split else [])

    def __str__(self) -> str:
        return "\n".join([table(self._rows()), *dict.fromkeys(self._notes())])

    def __repr__(self) -> str:
        return "Comparison(%d cells)" % len(self.cells)

    def _repr_html_(self) -> str:
        notes = "".join("<p>%s</p>" % html.escape(n) for n in dict.fromkeys(self._notes()))
        return html_table(self._rows()) + notes

    def to_csv(self, path: PathLike) -> None:
        """Writes the cells to a file, one per line, without their single values and pairs."""
        lists = ("values", "against")
        names = [k for k in self.cells[0] if k not in lists] if self.cells else ["method"]
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(self.cells)


def _texts(name: str, value: Any) -> List[str]:
    """One text, several with commas between them as the program takes them, or a list."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    try:
        return list(value)
    except TypeError:
        raise OptionError("%s must be texts, not %r" % (name, value)) from None


def _filled(struct: Type[ctypes.Structure], shared: Mapping[str, Any], name: str, own: Any) -> Any:
    """A struct of the shared options and, over them, those in the dictionary `name`."""
    if own is not None and not isinstance(own, Mapping):
        raise OptionError("%s must be a dictionary of options, not %r" % (name, own))
    options_of.check_names(own or {}, options_of.fields(struct))
    return options_of.fill(struct, {**shared, **(own or {})})


@options_of.named
def compare(graph: Any, methods: Any = ("auto", "random"), ratios: Any = (0.01,),
            models: Any = ("gcn",), *, condense: Optional[Mapping[str, Any]] = None,
            train: Optional[Mapping[str, Any]] = None,
            cell: Optional[Callable[[Dict[str, Any]], Any]] = None, layers: None = None,
            # options: compare, condense -BUDGET -method -layers -split -metric, train -model -layers
            splits: int = 1, draws: int = 1, side_by_side: bool = False, own_split: bool = False,
            accounting: Literal["strict", "paper"] = "strict", k: int = 5,
            sample: Union[None, int, Literal["all"]] = None, theta: float = 0.05,
            delta: float = 0.05, density: Union[bool, Literal["gain", "density"]] = False,
            no_rknn: bool = False, no_ppr: bool = False, patience: int = 200, beta: float = 0.15,
            prune_share: float = 1.0, min_pruned: float = 0.01,
            select_features: Union[bool, Literal["none", "tree"]] = False, inductive: bool = False,
            raw_features: Union[bool, Literal["embeddings", "features"]] = False, project: int = 0,
            threads: int = 0, seed: int = 1, no_validation: bool = False, hard_labels: bool = False,
            members: bool = False, memory: Union[None, int, str] = None,
            for_models: Union[str, Sequence[str]] = "all", effort: float = 1.0,
            time_limit: Optional[float] = None, keep: Literal["probe", "last"] = "probe",
            keep_trees: bool = False, no_training: bool = False, coordinates: bool = False,
            hidden: int = 128, heads: int = 1, gin_layers: int = 1, epochs: int = 300,
            every: int = 10, seeds: int = 5, standardise: Literal["none", "train", "all"] = "none",
            rate: float = 0.01, decay: float = 0.0005, dropout: float = 0.0,
            split: Optional[Union[str, Sequence[float]]] = None,
            metric: Literal["accuracy", "balanced", "f1", "auc", "ap", "f1max"] = "accuracy",
            weighted: bool = False, cut: float = 0.0, uniform: bool = False,
            class_weight: Union[None, str, Sequence[float]] = None,
            # end
            progress: Progress = None) -> Comparison:
    """Condenses by each method to each ratio, trains each model, and judges it on `graph`.

    The first rows are those of models that are trained on `graph` itself.  The split is the graph's
    own; where it has none, and where `splits` asks for several, 60/20/20 is drawn.

    Args:
        graph: the full graph, of any kind.
        methods: the methods of condensing: a list, or "auto,random".
        ratios: the budgets, as shares of the full graph's bytes.
        models: the models to train, in the same way.
        condense: options for condensing alone.
        train: options for training alone.
        cell: a function that is called with each cell of one split and draw as soon as it is
            known.
        layers: condensing and training both have this option; give it in `condense` or `train`.
        progress: as for condense.
        splits: splits of the same shares, each with small graphs of its own (1 to 1000).
        draws: small graphs of each method in a split, with other seeds; their runs have other
            weights (1 to 1000).
        side_by_side: work on as many small graphs at a time as there are threads, with one thread
            each: faster for small graphs, but the seconds are those of a busy machine.
        own_split: the graph's own split is the first.
        accounting: bytes as a .bonsai file has them, or as the paper's code counts them.
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
        coordinates: features of prototypes are coordinates in a few directions, which are stored
            beside them; eval projects the full graph on these.
        hidden: columns between layers (1 to 1048576).
        heads: gat: heads that share the columns (1 to 1024).
        gin_layers: gin: linear layers inside a layer (1 to 2).
        epochs: steps of training (1 to 100000000).
        every: judge after every so many epochs, and after the last (1 to 100000000).
        seeds: runs, each from fresh weights (1 to 1000000).
        standardise: features to mean 0 and spread 1, by the training nodes or by all.
        rate: Adam's learning rate (above 0, at most 1e+06).
        decay: weight decay (0 to 1000000).
        dropout: share dropped between layers (at least 0, below 1).
        split: "own", or draw a new split: "random", "published" or percent such as (60, 20, 20);
            None: the one that condensing drew, the graph's own, or (60, 20, 20).
        metric: what validation chooses the epoch by and tables show first: accuracy, balanced
            accuracy, macro F1, average precision, or for two classes the area under the ROC curve
            or F1 of the rarer one at the best threshold.
        weighted: gin's sum and sage's mean weigh neighbours by edge weights, as gcn does.
        cut: after this share of the epochs the rate is a tenth, and Adam starts anew (at least 0,
            below 1).
        uniform: first weights and biases uniform in +-1/sqrt(inputs), not as PyTorch Geometric's.
        class_weight: weight of each class in the loss: balanced, so that all classes count alike,
            or a number for each; None: all weigh the same.

    An option that condensing and training both have, such as seed, goes to both; split goes to
    training.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=400, features=60, classes=3)
    >>> found = graphbonsai.compare(g, ["trees", "random"], [0.05], epochs=10, seeds=1, threads=1)
    >>> [cell["method"] for cell in found]
    ['full', 'trees', 'random']
    """
    given = dict(locals())
    full = as_graph("graph", graph)
    handle = full._live()
    classes = c.graph_view(handle).contents.classes
    kinds = [options_of.choice("method", m, METHODS) for m in _texts("methods", methods)]
    listed = hasattr(ratios, "__iter__") and not isinstance(ratios, (str, bytes))
    shares = [options_of.real("ratio", r) for r in (ratios if listed else [ratios])]
    nets = [options_of.choice("model", m, MODELS) for m in _texts("models", models)]
    if layers is not None:
        raise ArgumentError('layers is an option of both condensing and training; say '
                            'condense={"layers": %r} or train={"layers": %r}' % (layers, layers))
    aim = None if metric == "accuracy" else metric     # small graphs are for it, too
    oc = _filled(c.CondenseOptions, {**given, "split": None, "metric": aim}, "condense", condense)
    ot = _filled(c.TrainOptions, given, "train", train)
    o = options_of.fill(c.CompareOptions, given)
    if o.splits == 1:
        warn_if_drawn(full, split or (train or {}).get("split"), ot.seed)
    o.methods, o.method_count = (ctypes.c_int * len(kinds))(*kinds), len(kinds)
    o.ratios, o.ratio_count = (ctypes.c_double * len(shares))(*shares), len(shares)
    o.models, o.model_count = (ctypes.c_int * len(nets))(*nets), len(nets)
    o.condense, o.train = ctypes.pointer(oc), ctypes.pointer(ot)
    cells = (c.Cell * max(c.compare_count(ctypes.byref(o)), 1))()
    c.compare_cells_sized(cells, ctypes.sizeof(c.Cell), ctypes.byref(o))
    singles = (ctypes.c_double * (len(cells) * (ot.seeds + classes)))()
    for i, one in enumerate(cells):
        at = i * (ot.seeds + classes)
        one.accuracies = _at(singles, at)
        one.recall = _at(singles, at + ot.seeds)
    warn_scales(full)
    _run(cells, handle, o, cell, progress)
    return Comparison(_table(cells, classes), _split_text(handle, o, ot.seed))


def _split_text(handle: Any, o: Any, seed: int) -> str:
    """Which split is used: the graph's own, or what is drawn."""
    percent = (ctypes.c_double * 3)()
    c.compare_split(percent, handle, ctypes.byref(o))
    return "%g/%g/%g, seed %d" % (*percent, seed) if any(percent) else "own"


def _at(numbers: Any, place: int) -> Any:
    """The numbers of an array from a place on."""
    return ctypes.cast(ctypes.byref(numbers, place * ctypes.sizeof(ctypes.c_double)),
                       ctypes.POINTER(ctypes.c_double))


def _run(cells: Any, handle: Any, o: Any, listener: Any, progress: Progress) -> None:
    if listener is not None and not callable(listener):
        raise OptionError("cell must be a function of one cell, not %r" % (listener,))
    classes = c.graph_view(handle).contents.classes
    with Watch(progress) as watch:
        def tell(one: Any, _payload: Any) -> int:
            if watch.raised is None:
                watch.guard(listener, {**_cell(one.contents), **_values(one.contents, classes)})
            return watch.raised is not None
        if listener is not None:
            o.cell = c.CELL_FN(tell)
        o.progress = watch.callback
        try:
            c.compare(cells, handle, ctypes.byref(o))
        finally:
            o.progress, o.cell = c.PROGRESS_FN(), c.CELL_FN()
