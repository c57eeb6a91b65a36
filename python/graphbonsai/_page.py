"""report: a page about a condensed graph, drawn by the library.

SPDX-License-Identifier: MIT
"""
import ctypes
from typing import Any, List, Literal, Optional, Sequence, Union

import numpy as np

from . import _capi as c
from . import _options as options_of
from ._errors import ArgumentError
from ._graph import Graph, PathLike
from ._kinds import as_graph, refuse_swapped
from ._match import matched
from ._memory import Handle
from ._progress import Progress, call


class Page(str):
    """HTML that a notebook displays.

    >>> Page("<p>six</p>")
    Page(10 characters of HTML; save(path) writes them)
    """

    def __repr__(self) -> str:
        return "Page(%d characters of HTML; save(path) writes them)" % len(self)

    def save(self, path: PathLike) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(str(self))

    def _repr_html_(self) -> str:
        return str(self)


def page_of(made: Handle) -> Page:
    """The text of a page that the library has drawn."""
    length = ctypes.c_size_t()
    text = c.report_html(ctypes.byref(length), made)
    return Page(ctypes.string_at(text, length.value).decode("utf-8", "replace"))


def _fill(cell: c.Cell, graph: Graph, trained: Handle) -> List[float]:
    """A cell of what training told, and the recall of each class."""
    info = c.training_info(trained).contents
    for name in ("runs", "accuracy_mean", "accuracy_std", "metric", "metric_mean", "metric_std",
                 "seconds_train", "seconds_eval"):
        setattr(cell, name, getattr(info, name))
    cell.done, cell.nodes, cell.edges = 1, graph.num_nodes, graph.num_edges
    return [c.training_class(trained, k).contents.recall_mean for k in range(info.classes)]


def _judge(small: Graph, full: Graph, models: Sequence[str], o: Any, progress: Progress) -> Any:
    """Cells and recalls of models, each trained on the full graph and on the small one."""
    words = options_of.words(c.TrainOptions, "model")
    cells, recalls = (c.Cell * (2 * len(models)))(), []
    for i, model in enumerate(models):
        o.model = options_of.choice("model", model, words)
        trained, beside = Handle(c.training_free), Handle(c.training_free)
        call(c.train, trained.out, small._live(), full._live(), progress=progress, options=o)
        call(c.train_beside, beside.out, trained, full._live(), progress=progress, options=o)
        for cell, graph, done in ((cells[2 * i], full, beside), (cells[2 * i + 1], small, trained)):
            cell.size, cell.model = ctypes.sizeof(c.Cell), o.model
            cell.method, cell.ratio = (-1, 1) if graph is full else (_method(small), 0)
            recalls.append(_fill(cell, graph, done))
    return cells, np.ascontiguousarray(recalls, np.float64)


def _method(small: Graph) -> int:
    """The number of the method that made a graph; that of "auto" if it does not say."""
    words = options_of.words(c.CondenseOptions, "method")
    made = small.report
    return words.index(made.method if made is not None and made.method in words else "auto")


def _lines(names: Union[str, Sequence[str]]) -> str:
    """Names of features, one a line."""
    lines = names.splitlines() if isinstance(names, str) else [str(name) for name in names]
    for i, line in enumerate(lines):
        if "\n" in line or "\0" in line:
            raise ArgumentError("feature_names[%d] is not one line: %r" % (i, line))
    return "\n".join(lines)


@options_of.named
def report(small: Any, full: Any = None, path: Optional[PathLike] = None, *,
           model: Union[None, str, Sequence[str]] = None,
           feature_names: Union[None, str, Sequence[str]] = None,
           fragment: Optional[bool] = None,
           # options: report -fragment -feature_names, train epochs seeds seed metric weighted
           title: Optional[str] = None, small_name: Optional[str] = None,
           full_name: Optional[str] = None, command: Optional[str] = None, threads: int = 0,
           reading: Optional[str] = None, epochs: int = 300, seeds: int = 5, seed: int = 1,
           metric: Literal["accuracy", "balanced", "f1", "auc", "ap", "f1max"] = "accuracy",
           weighted: bool = False,
           # end
           progress: Progress = None) -> Page:
    """Draws a page that shows what a condensed graph is worth, what was kept and why.

    It opens with the verdict: the accuracy of a model trained on `small` beside that of one trained
    on `full`, or else the score of the probe. Maps, a table of nodes, distributions and the options
    that were changed follow; what went on inside is folded.

    Args:
        small: what condense returned, of any kind.
        full: the graph that `small` was made from; None: the page shows what `small` says about
            itself.
        path: the file to write the page to.
        model: a network to train on both graphs, or several: "gcn", "gat", "gin" or "sage".  Each
            takes as long as training on `full` does; fewer `seeds` or `epochs` take less.  None:
            nothing is trained.
        feature_names: names of the features of `full`, as a sequence, or as text with one a line;
            None: those that the graphs have, else numbers.
        fragment: True: a <div> for a notebook; False: a whole page; None: a whole page if there is
            a path.
        progress: as for condense.
        title: heading of the page; None: the names.
        small_name: the small graph, as the reader knows it; None: small.
        full_name: the full graph, as the reader knows it; None: full.
        command: the command that repeats it; None: made of the options.
        threads: threads, 0 for every core it may use (0 to 4096).
        reading: what else the command needs to read the full graph; None: nothing.
        epochs: steps of training (1 to 100000000).
        seeds: runs, each from fresh weights (1 to 1000000).
        seed: of the first run; the same seed gives the same bits.
        metric: what validation chooses the epoch by and tables show first: accuracy, balanced
            accuracy, macro F1, average precision, or for two classes the area under the ROC curve
            or F1 of the rarer one at the best threshold.
        weighted: gin's sum and sage's mean weigh neighbours by edge weights, as gcn does.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=400, features=60, classes=3)
    >>> small = graphbonsai.condense(g, 0.05, threads=1)
    >>> page = graphbonsai.report(small, g, title="A & B", threads=1)
    >>> page.startswith("<div"), "A &amp; B" in page
    (True, True)
    >>> page = graphbonsai.report(small, g, model="gcn", epochs=20, seeds=2, threads=1)
    >>> "Trained on this small graph, a GCN gets" in page
    True
    """
    given = dict(locals())
    if feature_names is not None:
        given["feature_names"] = _lines(feature_names)
    o = options_of.fill(c.ReportOptions, given)
    s = as_graph("small", small)
    g = None if full is None else as_graph("full", full, small)
    refuse_swapped(s, g)
    if g is not None:
        s, g = matched(s, g)
    if s._info is not None:
        o.condensed = ctypes.pointer(s._info)
    o.fragment = path is None if fragment is None else bool(fragment)
    models = [] if model is None else list(model) if isinstance(model, (list, tuple)) else [model]
    for name in models:
        options_of.choice("model", name, options_of.words(c.TrainOptions, "model"))
    if models and g is None:
        raise ArgumentError("model=%r needs the full graph to judge on" % (model,))
    if g is not None and models:
        training = options_of.fill(c.TrainOptions, dict(given, model=None))
        cells, recalls = _judge(s, g, models, training, progress)
        o.cells, o.cell_count, o.recall = cells, len(cells), recalls.ctypes.data
    made = Handle(c.report_free)
    call(c.report_new, made.out, s._live(), None if g is None else g._live(), progress=progress,
         options=o)
    if path is not None:
        c.report_save(made, options_of.path("path", path))
    return page_of(made)
