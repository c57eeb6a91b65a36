"""compare: methods, ratios and models in one table.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import csv
import ctypes
import html
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from . import _capi as c
from . import _options as options_of
from ._errors import ArgumentError, OptionError
from ._graph import PathLike
from ._kinds import as_graph
from ._progress import Progress, Watch
from ._report import Row, html_table, number, table


def _cell(cell: c.Cell) -> Dict[str, Any]:
    names = [name for name, _ in c.Cell._fields_]       # behind why: what compare does not ask
    found = {k: v for k, v in c.values(cell).items()
             if k in names[:names.index("why") + 1] and k not in ("size", "done")}
    found["method"] = "full" if cell.method < 0 else options_of.METHODS[cell.method]
    found["model"] = options_of.MODELS[cell.model]
    found["why"] = cell.why.decode("utf-8", "replace")
    return found


class Comparison(Sequence[Dict[str, Any]]):
    """The cells of a comparison: dictionaries, in the order of the table."""

    def __init__(self, cells: Sequence[Dict[str, Any]]) -> None:
        self.cells: List[Dict[str, Any]] = list(cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, index: Any) -> Any:
        return self.cells[index]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.cells)

    def _rows(self) -> List[Row]:
        rows: List[Row] = [("method", "ratio", "model", "test %", "+-", "bytes %", "nodes",
                            "seconds")]
        for cell in self.cells:
            if cell["runs"]:
                rows.append((cell["method"], number(float(cell["ratio"])), cell["model"],
                             "%.2f" % cell["accuracy_mean"], "%.2f" % cell["accuracy_std"],
                             "%.3g" % (100 * cell["share"]), number(cell["nodes"]),
                             "%.3g" % (cell["seconds_condense"] + cell["seconds_train"])))
            else:
                rows.append((cell["method"], number(float(cell["ratio"])), cell["model"],
                             "-", "-", "-", "-", "-"))
        return rows

    def _notes(self) -> List[str]:
        return ["%s at %g: %s" % (cell["method"], cell["ratio"], cell["why"])
                for cell in self.cells if not cell["runs"] and cell["why"]]

    def __str__(self) -> str:
        return "\n".join([table(self._rows()), *dict.fromkeys(self._notes())])

    def __repr__(self) -> str:
        return "Comparison(%d cells)" % len(self.cells)

    def _repr_html_(self) -> str:
        notes = "".join("<p>%s</p>" % html.escape(n) for n in dict.fromkeys(self._notes()))
        return html_table(self._rows()) + notes

    def to_csv(self, path: PathLike) -> None:
        """Writes the cells, one a line."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(self.cells[0]) if self.cells else ["method"])
            writer.writeheader()
            writer.writerows(self.cells)


def _texts(name: str, value: Any) -> List[str]:
    """One text, or several."""
    if isinstance(value, str):
        return [value]
    try:
        return list(value)
    except TypeError:
        raise OptionError("%s must be texts, not %r" % (name, value)) from None


def _routed(options: Mapping[str, Any], condense: Optional[Mapping[str, Any]],
            train: Optional[Mapping[str, Any]]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Each option to the call that knows it; seed and threads to both."""
    for name, given in (("condense", condense), ("train", train)):
        if given is not None and not isinstance(given, Mapping):
            raise OptionError("%s must be a dictionary of options, not %r" % (name, given))
    to_condense, to_train = dict(condense or {}), dict(train or {})
    ours = set(options_of.fields(c.CondenseOptions)) - {"split", "method", "ratio", "bytes",
                                                        "nodes", "trees"}
    theirs = set(options_of.fields(c.TrainOptions)) - {"model"}
    for name, value in options.items():
        if name not in ours and name not in theirs:
            raise options_of.unknown(name, {*ours, *theirs, "methods", "ratios", "models",
                                            "condense", "train", "cell", "progress"})
        if name == "layers":
            raise ArgumentError('layers is an option of both condensing and training; say '
                                'condense={"layers": %r} or train={"layers": %r}' % (value, value))
        if name in ours:
            to_condense.setdefault(name, value)
        if name in theirs:
            to_train.setdefault(name, value)
    return to_condense, to_train


def compare(graph: Any, methods: Any = ("auto", "random"), ratios: Any = (0.01,),
            models: Any = ("gcn",), *, condense: Optional[Mapping[str, Any]] = None,
            train: Optional[Mapping[str, Any]] = None,
            cell: Optional[Callable[[Dict[str, Any]], Any]] = None, progress: Progress = None,
            **options: Any) -> Comparison:
    """Condenses by each method to each ratio, trains each model, and judges on `graph`.

    The full graph comes first.  Options go to condensing or training, whichever knows
    them (`condense` and `train` are dictionaries for one of them alone).  `cell` is called
    with each cell as it becomes known.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=400, features=60, classes=3)
    >>> found = graphbonsai.compare(g, ["trees", "random"], [0.05], epochs=10, seeds=1, threads=1)
    >>> [cell["method"] for cell in found]
    ['full', 'trees', 'random']
    """
    handle = as_graph("graph", graph)._live()
    kinds = [options_of.choice("method", m, options_of.METHODS) for m in _texts("methods", methods)]
    shares = [options_of.real("ratio", r)
              for r in (ratios if hasattr(ratios, "__iter__") else [ratios])]
    nets = [options_of.choice("model", m, options_of.MODELS) for m in _texts("models", models)]
    to_condense, to_train = _routed(options, condense, train)
    oc = options_of.fill(c.CondenseOptions, to_condense)
    ot = options_of.fill(c.TrainOptions, to_train)
    o = c.init(c.CompareOptions)
    o.methods, o.method_count = (ctypes.c_int * len(kinds))(*kinds), len(kinds)
    o.ratios, o.ratio_count = (ctypes.c_double * len(shares))(*shares), len(shares)
    o.models, o.model_count = (ctypes.c_int * len(nets))(*nets), len(nets)
    o.condense, o.train = ctypes.pointer(oc), ctypes.pointer(ot)
    cells = (c.Cell * max(c.compare_count(ctypes.byref(o)), 1))()
    c.compare_cells_sized(cells, ctypes.sizeof(c.Cell), ctypes.byref(o))
    _run(cells, handle, o, cell, progress)
    return Comparison([_cell(one) for one in cells])


def _run(cells: Any, handle: Any, o: Any, listener: Any, progress: Progress) -> None:
    if listener is not None and not callable(listener):
        raise OptionError("cell must be a function of one cell, not %r" % (listener,))
    with Watch(progress) as watch:
        def tell(one: Any, _payload: Any) -> int:
            if watch.raised is None:
                watch.guard(listener, _cell(one.contents))
            return watch.raised is not None
        if listener is not None:
            o.cell = c.CELL_FN(tell)
        o.progress = watch.callback
        try:
            c.compare(cells, handle, ctypes.byref(o))
        finally:
            o.progress, o.cell = c.PROGRESS_FN(), c.CELL_FN()
