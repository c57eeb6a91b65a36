"""search: settings are tried on the small graph, and the best few finished on the full one.

SPDX-License-Identifier: MIT
"""
import html
import itertools
import time
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

from . import _capi as c
from . import _judging as judging
from . import _options as options_of
from ._condense import condense
from ._errors import ArgumentError, OptionError
from ._graph import Graph
from ._kinds import as_graph, like
from ._progress import Progress
from ._report import Row, html_table, number, table
from ._training import Model, Training, evaluate, train

Settings = Union[Sequence[Mapping[str, Any]], Mapping[str, Any]]

# Options of train that are the same for every setting, so that scores can be compared.
COMMON = ("split", "memory", "threads", "seed", "metric")


def _text(value: Any) -> str:
    return "-" if value is None else "%.4g" % value if isinstance(value, float) else str(value)


class Search:
    """Settings that were tried, and the best of them.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=600, features=60, classes=3, seed=4)
    >>> found = graphbonsai.search(g, {"hidden": [8, 64], "rate": [1e-5, 0.01]}, 0.05, finish=2,
    ...                            epochs=30, threads=1)
    >>> len(found.ranking), found.best["rate"]
    (4, 0.01)

    Attributes:
        best: the setting to use: of those that were finished, the one with the best validation
            score on the full graph; with finish=0 the first of the ranking.
        model: the Model of that setting, trained on the full graph; with finish=0 on the small
            one.
        ranking: a dictionary for each setting, in the order of `val`, the best first: settings; val
            and test, scores on the full graph in percent after training on the small one;
            seconds; full_val, full_test and full_seconds after training on the full one, None where
            it was not finished.
        metric: what the scores are.
        small: the small graph: a Data of a Data, a DGLGraph of a DGLGraph, else a Graph.
        seconds: that condense (0 if `small` was given), small (all settings) and full (those
            finished) took.
    """

    best: Dict[str, Any]
    model: Optional[Model]
    ranking: List[Dict[str, Any]]
    metric: str
    small: Any
    seconds: Dict[str, float]

    def __init__(self, **found: Any) -> None:
        self.__dict__.update(found)

    def _rows(self) -> List[Row]:
        names = list(dict.fromkeys(name for one in self.ranking for name in one["settings"]))
        rows: List[Row] = [("", *names, "small: val %", "full: val %", "test %")]
        for i, one in enumerate(self.ranking):
            said = [_text(one["settings"].get(name)) for name in names]
            scores = ["-" if one[name] is None else judging.share(one[name])
                      for name in ("val", "full_val", "full_test")]
            rows.append((str(i + 1), *said, *scores))
        return rows

    def _sentence(self) -> str:
        finished = sum(one["full_val"] is not None for one in self.ranking)
        took = {name: number(float(value), 3) for name, value in self.seconds.items()}
        return "Seconds: %s to condense, %s for %d on the small graph, %s for %d on the full graph. " \
            "Best: %r" % (took["condense"], took["small"], len(self.ranking), took["full"], finished,
                          self.best)

    def __str__(self) -> str:
        return "%s\n%s" % (table(self._rows()), self._sentence())

    def __repr__(self) -> str:
        return "Search(%d settings, best=%r)" % (len(self.ranking), self.best)

    def _repr_html_(self) -> str:
        return "%s<p>%s</p>" % (html_table(self._rows()), html.escape(self._sentence()))


def grid(settings: Settings) -> List[Dict[str, Any]]:
    """A list of settings: as it is, or of a dictionary of lists every combination.

    >>> grid({"model": "gcn", "hidden": [16, 64]})
    [{'model': 'gcn', 'hidden': 16}, {'model': 'gcn', 'hidden': 64}]
    """
    if isinstance(settings, Mapping):
        lists = [[v] if isinstance(v, (str, bytes)) or not hasattr(v, "__iter__") else list(v)
                 for v in settings.values()]
        return [dict(zip(settings, values)) for values in itertools.product(*lists)]
    if isinstance(settings, (str, bytes)) or not hasattr(settings, "__iter__"):
        raise OptionError("settings must be a list of dictionaries or a dictionary of lists, not %r"
                          % (settings,))
    found = list(settings)
    for one in found:
        if not isinstance(one, Mapping):
            raise OptionError("a setting must be a dictionary of options of train, not %r" % (one,))
    return [dict(one) for one in found]


def _checked(settings: Settings, common: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """The settings, after a look at all names and values, before anything is trained."""
    found = grid(settings)
    known = [name for name in options_of.fields(c.TrainOptions) if name not in COMMON]
    for one in found:
        for name in one:
            if name in COMMON:
                raise OptionError('"%s" must be the same for every setting; give it to search'
                                  % name)
        options_of.check_names(one, known)
        options_of.fill(c.TrainOptions, {**common, **one})
    if not found:
        raise ArgumentError("settings is empty; there is nothing to search")
    return found


def _options(setting: Mapping[str, Any], common: Mapping[str, Any]) -> Dict[str, Any]:
    """The options of a training, which is judged after its last epoch alone."""
    given = {**common, **setting}
    if given.get("epochs") is None:
        given["epochs"] = options_of.fields(c.TrainOptions)["epochs"].default
    return {"every": given["epochs"], **given}


def _scores(made: Training, metric: str, prefix: str) -> Dict[str, Any]:
    return {prefix + "val": made.info[metric + "_val_mean"], prefix + "test": made.mean,
            prefix + "seconds": made.info["seconds_total"]}


def _split_like(graph: Graph, made: Training) -> Graph:
    """The full graph with the split that the small one was judged on."""
    if made.info["split_from"] == "own":
        return graph
    return graph.split(made.info["split"], made.info["split_seed"])


def _tried(small: Graph, graph: Graph, settings: Sequence[Dict[str, Any]], common: Dict[str, Any],
           progress: Progress) -> List[Tuple[Dict[str, Any], Training]]:
    """Trains every setting on the small graph: (row, training), the best first."""
    found = []
    for setting in settings:
        made = evaluate(small, graph, progress=progress, **_options(setting, common))
        if made.info["val"] == 0:
            raise ArgumentError("no labelled node is in the part \"val\", so there is nothing to "
                                "rank settings by")
        found.append(({"settings": setting, **_scores(made, common["metric"], ""), "full_val": None,
                       "full_test": None, "full_seconds": None}, made))
    return sorted(found, key=lambda one: -one[0]["val"])


@options_of.named
def search(data: Any, settings: Settings, ratio: float = 0.01, *, finish: int = 3,
           small: Any = None, epochs: Optional[int] = None, seeds: int = 1,
           # options: train split memory threads seed metric
           split: Optional[Union[str, Sequence[float]]] = None,
           memory: Union[None, int, str] = None, threads: int = 0, seed: int = 1,
           metric: Literal["accuracy", "balanced", "f1", "auc", "ap", "f1max"] = "accuracy",
           # end
           progress: Progress = None) -> Search:
    """Tries settings of training on a small graph, and finishes the best few on the full one.

    Every setting is trained on the small graph and judged once, after its last epoch, on the
    validation nodes of the full graph.  The `finish` best are then trained on the full graph, and
    the best of those by validation is the answer.  Test scores are reported and choose nothing.

    Args:
        data: the full graph, of any kind, or the path of a file.
        settings: dictionaries of options of train, such as {"model": "gat", "hidden": 64, "rate":
            0.01}; or a dictionary of lists, of which every combination is tried.  "every" in a
            setting judges more often and takes the best epoch.
        ratio: share of the bytes of `data` that the small graph may have.
        finish: settings to train on the full graph (0: none).
        small: a condensed graph of `data` to use instead of condensing to `ratio`.
        epochs: steps of training of settings that do not say it; None: as for train.
        seeds: runs of each training; scores are their means.
        progress: as for condense.
        split: "own", or draw a new split: "random", "published" or percent such as (60, 20, 20);
            None: the one that condensing drew, the graph's own, or (60, 20, 20).
        memory: memory for judging, in bytes or as "3G": what does not fit is judged in blocks, and
            the answer is the same (at least 0); None: what is free, as with 0.
        threads: threads, 0 for every core it may use (0 to 4096).
        seed: of the first run; the same seed gives the same bits.
        metric: what validation chooses the epoch by and tables show first: accuracy, balanced
            accuracy, macro F1, average precision, or for two classes the area under the ROC curve
            or F1 of the rarer one at the best threshold.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=600, features=60, classes=3, seed=4)
    >>> small = graphbonsai.condense(g, 0.05, threads=1)
    >>> found = graphbonsai.search(g, [{"model": "gcn"}, {"model": "sage", "rate": 1e-5}],
    ...                            small=small, finish=1, epochs=30, threads=1)
    >>> found.best
    {'model': 'gcn'}
    """
    common: Dict[str, Any] = dict(seeds=seeds, split=split, memory=memory, threads=threads,
                                  seed=seed, metric=metric)
    if epochs is not None:
        common["epochs"] = epochs
    wanted = _checked(settings, common)
    finish = options_of.whole("finish", finish, 0, 2**31 - 1)
    graph = as_graph("data", data, small)
    start = time.perf_counter()
    if small is None:
        chosen = condense(graph, ratio, split=split, memory=memory, threads=threads, seed=seed,
                          progress=progress)
        small = like(data, chosen)
        common["split"] = None          # evaluate draws what condense drew
        condensed = time.perf_counter()
    else:
        chosen, condensed = as_graph("small", small), start
    tried = _tried(chosen, graph, wanted, common, progress)
    searched = time.perf_counter()
    best, model = tried[0][0], tried[0][1].model
    full = _split_like(graph, tried[0][1])
    for row, _ in tried[:finish]:
        made = train(full, progress=progress,
                     **{**_options(row["settings"], common), "split": None})
        row.update(_scores(made, metric, "full_"))
        if row is best or row["full_val"] > best["full_val"]:
            best, model = row, made.model
    return Search(best=best["settings"], model=model, ranking=[row for row, _ in tried],
                  metric=metric, small=small,
                  seconds={"condense": condensed - start, "small": searched - condensed,
                           "full": time.perf_counter() - searched})
