"""train, evaluate, and trained models.

SPDX-License-Identifier: MIT
"""
import ctypes
import html
from typing import Any, Dict, List, Literal, Optional, Sequence, Tuple, Union

import numpy as np

from . import _capi as c
from . import _judging as judging
from . import _options as options_of
from . import _pickles as pickles
from ._errors import ArgumentError
from ._graph import Graph, PathLike
from ._kinds import as_graph, refuse_swapped
from ._labels import in_a_row, spread, to_labels
from ._match import Side, fitted, known, labels_for, matched, numbers_for
from ._memory import Handle
from ._progress import Progress, call
from ._report import condensed_from, html_table, number, table
from ._splits import warn_drawn, warn_leaks, warn_pair, warn_scale, warn_scales, warn_unknown


def _copied(struct: Any, count: int, item: Any, handle: Handle) -> np.ndarray:
    """Structs of the library as a structured NumPy array, without their sizes."""
    kinds = {name: np.dtype(kind) for name, kind in struct._fields_}
    columns = [(name, kinds.get(name, np.dtype("f8")))
               for name in c.by_metric(c.values(struct())) if name != "size"]
    found: np.ndarray = np.empty(count, columns)
    for i in range(count):
        one = c.by_metric(c.values(item(handle, i).contents))
        found[i] = tuple(one[name] for name, _ in columns)
    return found


def _named(rows: np.ndarray, names: Optional[Sequence[str]]) -> np.ndarray:
    """The same rows with a last column `name`: the name of a class, or its number."""
    texts = np.array([str(i) for i in range(rows.size)] if names is None else names, "U")
    found: np.ndarray = np.empty(rows.size, [*rows.dtype.descr, ("name", texts.dtype)])
    for name in rows.dtype.names or ():
        found[name] = rows[name]
    found["name"] = texts
    return found


# What the condensers that learn are judged with by their authors, as the program's --protocol peers:
# evaluate(small, full, **PEERS).
PEERS: Dict[str, Any] = dict(hidden=256, rate=0.01, decay=5e-4, dropout=0.5, epochs=600, every=1,
                             cut=0.5, uniform=True)

# Whose split was judged on: bonsai_split_source.
SPLITS = ("own", "asked", "condensed", "drawn", "none")


def _facts(pointer: Any) -> Dict[str, Any]:
    """The fields of a struct without its size; the model is given by name."""
    found = c.by_metric(c.values(pointer.contents))
    del found["size"]
    found["model"] = options_of.words(c.TrainOptions, "model")[found["model"]]
    return found


def part_number(part: str) -> int:
    """The number of a part of a split."""
    same = {"validation": "val", "valid": "val"}
    return options_of.choice("part", same.get(part, part) if isinstance(part, str) else part,
                             judging.PARTS)


def judged(graph: Graph, part: int, classes: np.ndarray, shares: np.ndarray) -> Dict[str, Any]:
    """What predictions get right of the labelled nodes of a part; see Model.evaluate."""
    asked = part
    if part == judging.ALL:
        graph, part = judging.without_split(graph), judging.NONE
    handle = graph._live()
    said = np.ascontiguousarray(classes, np.int32)
    rows = np.ascontiguousarray(shares, np.float32)
    recall = np.empty(graph.num_classes)
    measures = c.init(c.Measures)
    c.judge(ctypes.byref(measures), recall.ctypes.data, handle, part, said.ctypes.data,
            rows.ctypes.data if rows.shape[1] == 2 else None)
    found = c.by_metric(c.values(measures))
    if found["nodes"] == 0:
        raise ArgumentError('no labelled node is in the part "%s", so there is nothing to judge on'
                            % judging.PARTS[asked])
    del found["size"]
    found["recall"] = recall
    return found


class Model:
    """A trained model.  `train` makes one; `Model.load` reads one from a file."""

    _handle: Optional[Handle]
    _pointer: ctypes.c_void_p

    def __init__(self) -> None:
        raise TypeError("a Model is made by graphbonsai.train or Model.load")

    @classmethod
    def _of(cls, handle: Handle, pointer: Any) -> "Model":
        m = object.__new__(cls)
        m._handle, m._pointer = handle, pointer
        return m

    @classmethod
    def load(cls, path: PathLike) -> "Model":
        """Reads what `save` wrote, or an .npz of weights with PyTorch Geometric's names.

        >>> import numpy as np, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "gcn.npz")
        ...     np.savez(path, **{"convs.0.lin.weight": np.ones((2, 5)),
        ...                       "convs.0.bias": np.zeros(2)})
        ...     Model.load(path).info["features"]
        5
        """
        handle = Handle(c.model_free)
        call(c.model_load, handle.out, options_of.path("path", path))
        return cls._of(handle, handle.pointer)

    def _live(self) -> Tuple[Handle, Any]:
        handle = self._handle
        if handle is None:
            raise ArgumentError("the model is closed")
        return handle, self._pointer

    def close(self) -> None:
        self._handle = None

    def __copy__(self, memo: Any = None) -> "Model":
        return Model._of(*self._live())         # it does not change: share it

    __deepcopy__ = __copy__

    def __reduce__(self) -> Any:
        return pickles.from_bytes, (Model.load, pickles.file_bytes(self.save))

    @property
    def info(self) -> Dict[str, Any]:
        """The model's kind, layers and sizes, the accuracy of its run in percent, and how the split
        was drawn that it was judged on: its percent (zeros: it was the graph's own), the seed and
        the number of nodes."""
        handle, pointer = self._live()
        found = _facts(c.model_facts(pointer))
        found["split"] = tuple(found["split"])
        del handle
        return found

    @property
    def class_names(self) -> Optional[List[str]]:
        """The names of its classes, or None."""
        handle, pointer = self._live()
        names = [c.model_class_name(pointer, i) for i in range(self.info["classes"])]
        del handle
        return [name.decode("utf-8") for name in names] if names and names[0] is not None else None

    @property
    def feature_names(self) -> Optional[List[str]]:
        """The names of the features that it wants, in their order, or None; "": it has no name, or
        the model does not read it.  `Graph.from_pandas(..., features=model.feature_names)` takes
        these columns of a table."""
        handle, pointer = self._live()
        names = [c.model_feature_name(pointer, i) or b"" for i in range(self.info["features"])]
        del handle
        return [name.decode("utf-8") for name in names] if any(names) else None

    def _side(self) -> Side:
        names, count = self.class_names, self.info["classes"]
        return Side(count, names, range(count) if names is None else None)

    def save(self, path: PathLike) -> None:
        """Writes a .npz file with PyTorch Geometric's parameter names, or else a native file."""
        handle, pointer = self._live()
        call(c.model_save, pointer, options_of.path("path", path))
        del handle

    @options_of.named
    def predict(self, graph: Any, *, probabilities: bool = False,
                # options: train threads memory
                memory: Union[None, int, str] = None, threads: int = 0,
                # end
                progress: Progress = None) -> Union[np.ndarray, Tuple[np.ndarray, np.ndarray]]:
        """Predicts the class of every node: [n] int64.

        Of a Graph they are class numbers, as in its y; of graphs of other packages, labels as in
        their y: 0, 10, 20 if these are the classes.

        Args:
            graph: a graph of any kind.
            probabilities: also return the probability of each class: [n, c] float32.  Columns are
                numbered as classes are.
            progress: as for condense.
            memory: memory for judging, in bytes or as "3G": what does not fit is judged in blocks,
                and the answer is the same (at least 0); None: what is free, as with 0.
            threads: threads, 0 for every core it may use (0 to 4096).
        """
        o = options_of.fill(c.TrainOptions, locals())
        g, side = as_graph("graph", graph), self._side()
        labels = (numbers_for if isinstance(graph, Graph) else labels_for)(side, g)
        found, shares = self._scores(fitted(side, g), o, probabilities, progress)
        if not in_a_row(labels):
            found = to_labels(found, labels)
            shares = spread(shares, labels) if probabilities else shares
        return (found, shares) if probabilities else found

    def _scores(self, g: Graph, o: Any, probabilities: bool,
                progress: Progress) -> Tuple[np.ndarray, np.ndarray]:
        """Classes by the model's numbers, and probabilities."""
        of, pointer = self._live()
        h = g._live()
        classes = np.empty(g.num_nodes, np.int32)
        shares = np.empty((g.num_nodes, c.model_facts(pointer).contents.classes)
                          if probabilities else 0, np.float32)
        call(c.predict, classes.ctypes.data, shares.ctypes.data if probabilities else None,
             pointer, h, progress=progress, options=o)
        warn_scale(pointer, h)
        del of
        return classes.astype(np.int64), shares

    @options_of.named
    def evaluate(self, graph: Any, part: str = "test", *,
                 # options: train threads memory
                 memory: Union[None, int, str] = None, threads: int = 0,
                 # end
                 progress: Progress = None) -> Dict[str, Any]:
        """Judges what the model predicts for the labelled nodes of a part.

        Returns nodes and right (counts); accuracy, balanced, f1 and auc in percent, -1 where they
        are not defined; and recall: [c] float64, of each class in percent, -1 of one without nodes.

        Classes are matched by name where the graph has names of its own, as from labels with gaps.

        Args:
            graph: a graph of any kind.
            part: "train", "val" or "test"; "all": all labelled nodes; "none": those outside the
                split.  A graph without a split gets the one that was drawn of it in training; where
                none was, its labelled nodes are judged, with a warning.
            progress: as for condense.
            memory: memory for judging, in bytes or as "3G": what does not fit is judged in blocks,
                and the answer is the same (at least 0); None: what is free, as with 0.
            threads: threads, 0 for every core it may use (0 to 4096).
        """
        o = options_of.fill(c.TrainOptions, dict(memory=memory, threads=threads))
        which = part_number(part)
        of, pointer = self._live()
        g = judging.split_for(as_graph("graph", graph), pointer, self.info)
        del of
        which = judging.part_of(g, which)
        wide = known(self._side(), g)
        found = judged(wide, which, *self._scores(wide, o, True, progress))
        if wide is not g:               # back to the classes of the graph
            at = {name: i for i, name in enumerate(wide.class_names or ())}
            names = g.class_names or [str(label) for label in g._given or ()]
            found["recall"] = np.array([found["recall"][at[name]] if name in at else -1.0
                                        for name in names])
        return found

    def __repr__(self) -> str:
        if self._handle is None:
            return "Model(closed)"
        i = self.info
        return "Model(%s, layers=%d, features=%d, hidden=%d, classes=%d)" % (
            i["model"], i["layers"], i["features"], i["hidden"], i["classes"])


class Training:
    """The result of training: metrics in percent, learning curves, and the best model.

    A metric is accuracy, balanced (accuracy), f1 (macro) or auc; -1 where it is not defined.

    mean, std   over runs, of the metric that was asked for on the test nodes
    runs        one row per run: seed, best_epoch, loss, seconds_...; accuracy, accuracy_val, f1,
                f1_val, ...
    epochs      the learning curves: run, epoch, loss, accuracy_val, accuracy_test, f1_val, ...
    classes     one row per class: test (nodes), recall_mean, recall_std, name
    full        what the same training on the full graph gave: another Training, or None
    kept        mean over that of full, in percent, or None
    info        metric; accuracy_mean, accuracy_std, accuracy_val_mean, f1_mean, ...; parameters,
                nodes, seconds, memory; split_from ("own", "asked", "condensed",
                "drawn" or "none"), split and split_seed: what it was judged on; leaks: labelled
                nodes of the small graph that are judged on the full one
    """

    def __init__(self, handle: Handle, names: Optional[Sequence[str]] = None) -> None:
        self.info: Dict[str, Any] = _facts(c.training_info(handle))
        self.info["split_from"] = SPLITS[self.info["split_from"]]
        self.info["split"] = tuple(self.info["split"])
        self.info["metric"] = c.METRICS[self.info["metric"]]
        self.runs: np.ndarray = _copied(c.Run, c.training_runs(handle), c.training_run, handle)
        self.epochs: np.ndarray = _copied(c.Epoch, c.training_epochs(handle), c.training_epoch,
                                          handle)
        self.classes: np.ndarray = _named(
            _copied(c.Class, self.info["classes"], c.training_class, handle), names)
        self._idle: str = judging.idle_text(handle, self.classes)
        self.full: Optional["Training"] = None
        pointer = c.training_model(handle)
        self.model: Optional[Model] = (
            Model._of(handle, ctypes.c_void_p(pointer)) if pointer else None)

    @property
    def mean(self) -> float:
        return float(self.info[self.info["metric"] + "_mean"])

    @property
    def std(self) -> float:
        return float(self.info[self.info["metric"] + "_std"])

    @property
    def kept(self) -> Optional[float]:
        if self.full is None or self.mean < 0 or self.full.mean <= 0:
            return None
        return 100 * self.mean / self.full.mean

    def _rows(self) -> Any:
        metric = self.info["metric"]
        rows = [("seed", "epoch", "test %", "val %", "loss", "seconds")]
        for r in self.runs:
            rows.append((str(r["seed"]), str(r["best_epoch"]), judging.share(r[metric]),
                         judging.share(r[metric + "_val"]), "%.4f" % r["loss"],
                         number(float(r["seconds_train"] + r["seconds_eval"]), 3)))
        return rows

    def __str__(self) -> str:
        first = "%s  test %s %s +- %.2f %%" % (self.info["model"], self.info["metric"],
                                               judging.share(self.mean), self.std)
        classes = [] if self.full is None else [table(judging.recall_rows(self, self.full))]
        return "\n".join([first, *judging.said(self), table(self._rows()), *classes])

    def __repr__(self) -> str:
        beside = "" if self.full is None else ", full=%.2f" % self.full.mean
        return "Training(%s, runs=%d, mean=%.2f, std=%.2f%s)" % (
            self.info["model"], len(self.runs), self.mean, self.std, beside)

    def _repr_html_(self) -> str:
        said = "".join("<p>%s</p>" % html.escape(line) for line in judging.said(self))
        return "<code>%s</code>%s%s%s" % (
            html.escape(repr(self)), said, html_table(self._rows()),
            "" if self.full is None else html_table(judging.recall_rows(self, self.full)))


@options_of.named
def train(graph: Any, full: Any = None,
          # options: train model
          model: Literal["gcn", "gat", "gin", "sage"] = "gcn",
          # end
          *,
          # options: train -model
          layers: int = 2, hidden: int = 128, heads: int = 1, gin_layers: int = 1,
          epochs: int = 300, every: int = 10, seeds: int = 5,
          standardise: Literal["none", "train", "all"] = "none", rate: float = 0.01,
          decay: float = 0.0005, dropout: float = 0.0,
          split: Optional[Union[str, Sequence[float]]] = None, memory: Union[None, int, str] = None,
          threads: int = 0, seed: int = 1,
          metric: Literal["accuracy", "balanced", "f1", "auc", "ap", "f1max"] = "accuracy",
          weighted: bool = False, cut: float = 0.0, uniform: bool = False,
          class_weight: Union[None, str, Sequence[float]] = None,
          # end
          progress: Progress = None) -> Training:
    """Trains a model on `graph` and judges it on `full`.

    Args:
        graph: the graph to train on, of any kind.
        full: the graph to judge on; None: `graph` itself.
        progress: as for condense.
        model: the network.
        layers: layers, ReLU between them (1 to 16).
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
        memory: memory for judging, in bytes or as "3G": what does not fit is judged in blocks, and
            the answer is the same (at least 0); None: what is free, as with 0.
        threads: threads, 0 for every core it may use (0 to 4096).
        seed: of the first run; the same seed gives the same bits.
        metric: what validation chooses the epoch by and tables show first: accuracy, balanced
            accuracy, macro F1, average precision, or for two classes the area under the ROC curve
            or F1 of the rarer one at the best threshold.
        weighted: gin's sum and sage's mean weigh neighbours by edge weights, as gcn does.
        cut: after this share of the epochs the rate is a tenth, and Adam starts anew (at least 0,
            below 1).
        uniform: first weights and biases uniform in +-1/sqrt(inputs), not as PyTorch Geometric's.
        class_weight: weight of each class in the loss: balanced, so that all classes count alike,
            or a number for each; None: all weigh the same.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=300, features=60, classes=3, seed=4)
    >>> result = graphbonsai.train(g, epochs=20, seeds=2, threads=1)
    >>> len(result.runs), result.mean > 50
    (2, True)
    >>> result.model.predict(g, threads=1).shape
    (300,)
    """
    return _trained(graph, full, options_of.fill(c.TrainOptions, locals()), progress)


@options_of.named
def evaluate(small: Any, full: Any,
             # options: train model
             model: Literal["gcn", "gat", "gin", "sage"] = "gcn",
             # end
             *,
             # options: train -model
             layers: int = 2, hidden: int = 128, heads: int = 1, gin_layers: int = 1,
             epochs: int = 300, every: int = 10, seeds: int = 5,
             standardise: Literal["none", "train", "all"] = "none", rate: float = 0.01,
             decay: float = 0.0005, dropout: float = 0.0,
             split: Optional[Union[str, Sequence[float]]] = None,
             memory: Union[None, int, str] = None, threads: int = 0, seed: int = 1,
             metric: Literal["accuracy", "balanced", "f1", "auc", "ap", "f1max"] = "accuracy",
             weighted: bool = False, cut: float = 0.0, uniform: bool = False,
             class_weight: Union[None, str, Sequence[float]] = None,
             # end
             beside: bool = False, progress: Progress = None) -> Training:
    """Trains a model on a condensed graph and judges it on the full one.

    If condensing drew a split of `full`, the same split is drawn again, so that no node is judged
    that `small` was made from.

    Args:
        small: the graph to train on, of any kind.
        full: the graph to judge on, of any kind.
        beside: also train on `full`, with the same options and split: the result's `full` is that
            training, and `kept` how much of its mean the small graph keeps.  It takes as long as
            training on `full` does.
        progress: as for condense.
        model: the network.
        layers: layers, ReLU between them (1 to 16).
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
        memory: memory for judging, in bytes or as "3G": what does not fit is judged in blocks, and
            the answer is the same (at least 0); None: what is free, as with 0.
        threads: threads, 0 for every core it may use (0 to 4096).
        seed: of the first run; the same seed gives the same bits.
        metric: what validation chooses the epoch by and tables show first: accuracy, balanced
            accuracy, macro F1, average precision, or for two classes the area under the ROC curve
            or F1 of the rarer one at the best threshold.
        weighted: gin's sum and sage's mean weigh neighbours by edge weights, as gcn does.
        cut: after this share of the epochs the rate is a tenth, and Adam starts anew (at least 0,
            below 1).
        uniform: first weights and biases uniform in +-1/sqrt(inputs), not as PyTorch Geometric's.
        class_weight: weight of each class in the loss: balanced, so that all classes count alike,
            or a number for each; None: all weigh the same.

    >>> import graphbonsai
    >>> full = graphbonsai.generate(nodes=600, features=60, classes=3, seed=4)
    >>> small = graphbonsai.condense(full, 0.05, threads=1)
    >>> graphbonsai.evaluate(small, full, epochs=20, seeds=1, threads=1).info["test"]
    120
    """
    o = options_of.fill(c.TrainOptions, locals())
    if full is None:
        raise ArgumentError("full is None; evaluate needs the full graph to judge on")
    return _trained(small, full, o, progress, beside)


def _trained(graph: Any, full: Any, options: Any, progress: Progress,
             beside: bool = False) -> Training:
    small = as_graph("graph", graph)
    whole = None if full is None else as_graph("full", full, graph)
    refuse_swapped(small, whole)
    if whole is not None:
        was = condensed_from(small.report)
        if was[0] != whole.num_nodes or whole is full:      # others may have been read another way
            warn_pair(was, (whole.num_nodes, whole.num_edges))
        classes = small.num_classes
        small, whole = matched(small, whole._projected(small))
        warn_unknown(small, classes, whole)
    h = small._live()
    hf = None if whole is None else whole._live()
    out = Handle(c.training_free)
    call(c.train, out.out, h, hf, progress=progress, options=options)
    names = (small if whole is None else whole).class_names
    made = Training(out, names)
    if beside:
        other = Handle(c.training_free)
        call(c.train_beside, other.out, out, hf, progress=progress, options=options)
        made.full = Training(other, names)
    if made.info["split_from"] == "drawn":
        warn_drawn(made.info["split_seed"])
    if made.info["leaks"] > 0:
        warn_leaks(made.info["leaks"], made.info["metric"])
    if whole is not None or options.standardise == 0:
        warn_scales(small if whole is None else whole)
    return made
