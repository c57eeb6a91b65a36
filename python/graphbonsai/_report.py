"""Report and Info: dictionaries that print as tables, in a terminal and in a notebook.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
import html
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _capi as c
from . import _options as options_of
from ._errors import ArgumentError, Error, FileError
from ._memory import Handle, lend
from ._progress import Progress, call

if TYPE_CHECKING:
    from ._graph import Graph, PathLike

Row = Tuple[str, ...]


def number(value: Any, digits: int = 4) -> str:
    """A number with separators of thousands; a dash if it is not known.

    >>> number(1234567), number(0.0123), number(None)
    ('1,234,567', '0.0123', '-')
    """
    if value is None or isinstance(value, (str, dict, list)):
        return str(value or "-")
    if isinstance(value, float) and not value.is_integer():
        return "%.*g" % (digits, value)
    return "{:,}".format(int(value))


def percent(part: float, whole: float) -> str:
    """A share in percent; a dash if there is none.

    >>> percent(1676, 167744), percent(1, 0)
    ('0.9991 %', '-')
    """
    try:
        return "%.4g %%" % (100.0 * part / whole)
    except (ArithmeticError, TypeError):
        return "-"


def table(rows: Sequence[Row], head: bool = True) -> str:
    """Aligned text: the first column to the left, the others to the right.

    >>> print(table([("", "small", "full"), ("nodes", "7", "2,708")]))
           small   full
    nodes      7  2,708
    """
    widths: Dict[int, int] = {}
    for row in rows:
        for i, cell in enumerate(row):
            widths[i] = max(widths.get(i, 0), len(cell))
    lines = []
    for row in rows:
        cells = [cell.ljust(widths[i]) if i == 0 else cell.rjust(widths[i])
                 for i, cell in enumerate(row)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def facts(rows: Sequence[Row]) -> str:
    """Pairs of a name and a text, one a line."""
    width = max((len(row[0]) for row in rows), default=0)
    return "\n".join("%s  %s" % (name.ljust(width), text) for name, text in rows)


def html_table(rows: Sequence[Row], head: bool = True, align: str = "right") -> str:
    """A table; `align` is for all columns but the first."""
    lines = ["<table>"]
    for i, row in enumerate(rows):
        tag = "th" if head and i == 0 else "td"
        cells = "".join("<%s style=\"text-align:%s\">%s</%s>" %
                        (tag, align if j else "left", html.escape(cell), tag)
                        for j, cell in enumerate(row))
        lines.append("<tr>%s</tr>" % cells)
    return "\n".join(lines + ["</table>"])


def bars(items: Sequence[Tuple[str, float]], title: str) -> str:
    """A chart of horizontal bars as inline SVG."""
    if not items:
        return ""
    most = max(value for _, value in items) or 1.0
    shapes = []
    for i, (name, value) in enumerate(items):
        y = 4 + 20 * i
        shapes.append('<text x="145" y="%d" text-anchor="end" font-size="12" fill="currentColor">%s'
                      '</text><rect x="150" y="%d" width="%.1f" height="14" fill="#4a7c59"/>' %
                      (y + 12, html.escape(name), y, max(300.0 * value / most, 1.0)))
    return ('<svg width="460" height="%d" role="img"><title>%s</title>%s</svg>' %
            (8 + 20 * len(items), html.escape(title), "".join(shapes)))


class Report(Dict[str, Any]):
    """How a condensed graph was made, and its sizes: the JSON report in its file.

    After condensing it also has `seconds` and `memory`.

    A dictionary (`report["sizes"]["ratio"]`) that prints as a table.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=500, features=50, classes=3)
    >>> report = graphbonsai.condense(g, 0.05, method="trees", threads=1).report
    >>> report.ratio <= 0.05 and report["method"]
    'trees'
    >>> print(str(report).splitlines()[0].split())
    ['small', 'full', '%']
    """

    def __missing__(self, name: str) -> Any:
        if name == "ratio":             # which the table shows beside method and seed
            return self.ratio
        raise KeyError(name)

    def __getattr__(self, name: str) -> Any:
        """A fact of the record, such as `coverage_check`; None: it is not known."""
        if name not in c.FACTS:
            raise AttributeError("a report has no %s" % name)
        return c.fact_of(record_of(self), name)

    @property
    def ratio(self) -> float:
        """Condensed bytes over full bytes."""
        return float(record_of(self).ratio)

    @property
    def method(self) -> str:
        return str(self["method"])

    @property
    def why(self) -> str:
        """Why the method was chosen, in a sentence; "": it was asked for."""
        return str(record_of(self).why)

    @property
    def kept(self) -> Optional[float]:
        """How much the small graph keeps of what the probe gets from the full one, in percent; None:
        it was not measured, or it is hardly better than always naming the largest class."""
        return _worth(record_of(self))[0]

    @property
    def worth(self) -> str:
        """What the small graph is worth by the probe, in a sentence; "": its method has none.

        >>> import graphbonsai
        >>> g = graphbonsai.generate(nodes=500, features=50, classes=3)
        >>> print(graphbonsai.condense(g, 0.05, threads=1).report.worth.split(",")[0])
        A quick classifier
        """
        return _worth(record_of(self))[1]

    def _part(self, name: str) -> Dict[str, Any]:
        """A part of the report, or nothing if it is not as expected: files can come from anyone."""
        found = self.get(name)
        return found if isinstance(found, dict) else {}

    def _sizes(self, made: c.CondenseInfo) -> List[Row]:
        rows: List[Row] = [("", "small", "full", "%")]
        for label, small, full in (
                ("bytes", made.bytes, made.full_bytes), ("nodes", made.nodes, made.full_nodes),
                ("edges", made.edges, made.full_edges),
                ("labelled", made.labelled, made.full_labelled),
                ("bytes, paper", made.paper_bytes, made.paper_full_bytes)):
            rows.append((label, number(small), number(full), percent(small, full)))
        return rows

    def _pairs(self, made: c.CondenseInfo) -> str:
        """Prototypes and their second nodes, where they are pairs."""
        second = made.nodes - made.labelled
        if self.method != "prototypes" or second <= 0:
            return ""
        return "%s, with %s second nodes, which have no label and stand for no nodes" % (
            number(made.labelled), number(second))

    def _facts(self, made: c.CondenseInfo) -> List[Row]:
        learned = (made.learn_rounds or 0) > 0
        picked = self.method != "prototypes" and not learned
        kept, worth = _worth(made)
        found = [("method", self.method), ("why", made.why),
                 ("ratio", made.ratio),
                 ("of the budget, %", 100 * made.bytes / made.budget if made.budget > 0 and
                  self._part("options").get("accounting") != "paper" else None),
                 ("prototypes", self._pairs(made)), ("probe, %", made.probe if made.probe >= 0 else None),
                 ("judged by", _aim(made)),
                 ("probe of the full graph, %",
                  made.probe_full if made.probe >= 0 and made.probe_full >= 0 else None),
                 ("kept, %", kept),
                 ("coverage", made.coverage if picked else None),
                 ("trees", made.trees if picked else None),
                 ("trees kept whole", made.whole_trees),
                 ("rounds", made.learn_made if learned else None),
                 ("loss", made.learn_loss if learned else None),
                 ("skipped steps", made.learn_skipped or None), ("seed", made.seed),
                 ("seconds", self._part("seconds").get("total")),
                 ("bytes in scratch files", self._part("memory").get("scratch") or None),
                 ("worth", worth)]
        return [(k, v if isinstance(v, str) else number(v)) for k, v in found
                if v not in (None, "")]

    def __str__(self) -> str:
        try:
            made = record_of(self)
        except Error:
            return dict.__repr__(self)
        return table(self._sizes(made)) + "\n" + facts(self._facts(made))

    def _card(self) -> List[Row]:
        """What fits a cell of a notebook."""
        made = record_of(self)
        seconds = self._part("seconds").get("total")
        kept = _worth(made)[0]
        found = [("method", self.method), ("why", made.why),
                 ("ratio", "%s of the bytes" % percent(made.bytes, made.full_bytes)
                  if made.full_bytes else ""),
                 ("bytes", _of(made.bytes, made.full_bytes)),
                 ("nodes", _of(made.nodes, made.full_nodes)), ("prototypes", self._pairs(made)),
                 ("edges", _of(made.edges, made.full_edges)),
                 ("probe", "%s %%" % number(made.probe) if made.probe >= 0 else ""),
                 ("kept", "" if kept is None else
                  "%.1f %% of the probe's %.1f %% from the full graph" % (kept, made.probe_full)),
                 ("seconds", "" if seconds is None else number(seconds, 3))]
        return [(k, v) for k, v in found if v]

    def _repr_html_(self) -> str:
        try:
            return '<div style="max-width:40em">%s</div>' % html_table(self._card(), False, "left")
        except (Error, KeyError):
            return "<pre>%s</pre>" % html.escape(str(self))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows where there is no HTML."""
        printer.text(str(self))

    # ---- files ----

    def to_json(self, path: Optional[PathLike] = None) -> str:
        """Returns everything as JSON, and writes it to a file if there is a path."""
        try:
            text = json.dumps(self, indent=2) + "\n"
        except (TypeError, ValueError) as error:
            raise ArgumentError("report cannot be written as JSON: %s" % error) from None
        return _written(path, text)

    def to_html(self, path: Optional[PathLike] = None) -> str:
        """Returns a page of the tables and the seconds of each stage, and writes it to a file if
        there is a path.  `graphbonsai.report` draws far more, of the graph.
        """
        try:
            made = record_of(self)
            tables = (html_table(self._sizes(made)) +
                      html_table(self._facts(made), head=False, align="left"))
        except (Error, KeyError):
            tables = "<pre>%s</pre>" % html.escape(str(self))
        stages = [(k, float(v)) for k, v in self._part("seconds").items()
                  if k != "total" and isinstance(v, (int, float)) and v > 0]
        return _written(path, _PAGE % (tables + bars(stages, "seconds of each stage")))

    def save(self, path: PathLike) -> None:
        """Writes the report to a file; its ending says how: .json, .html or .txt.

        >>> import graphbonsai
        >>> graphbonsai.Report(method="trees").save("report.xml")
        Traceback (most recent call last):
            ...
        graphbonsai._errors.ArgumentError: report.xml: a report is saved as .json, .html or .txt
        """
        name = os.fsdecode(path)
        ending = os.path.splitext(name)[1].lower()
        if ending == ".json":
            self.to_json(path)
        elif ending in (".html", ".htm"):
            self.to_html(path)
        elif ending == ".txt":
            _written(path, str(self) + "\n")
        else:
            raise ArgumentError("%s: a report is saved as .json, .html or .txt" % name)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Graph condensation</title>
<style>body { font: 15px sans-serif; max-width: 45em; margin: 2em auto; padding: 0 1em;
color-scheme: light dark } table { margin-bottom: 1em } td, th { padding: 2px 8px }</style>
</head><body>
%s
</body></html>
"""


def shown(thing: Any, report: Optional[Report]) -> str:
    """A graph in a notebook: its repr and, if it was condensed, a card of its report."""
    text = "<code>%s</code>" % html.escape(repr(thing))
    return text if report is None else text + report._repr_html_()


def condensed_from(report: Any) -> Tuple[int, int]:
    """Nodes and edge entries of the graph that a small one was condensed from; 0: not known."""
    try:
        made = record_of(report) if report is not None else None
    except Error:
        made = None
    return (0, 0) if made is None else (int(made.full_nodes), int(made.full_edges))


def _aim(made: c.CondenseInfo) -> str:
    """The metric that the probe compared by, where it is not accuracy."""
    metric = ctypes.c_double()
    known = c.fact(ctypes.byref(metric), ctypes.byref(made), b"metric")
    text = (c.aim_text(int(metric.value) if known else 0) or b"").decode()
    return "" if text == "accuracy" else text


def _worth(made: c.CondenseInfo) -> Tuple[Optional[float], str]:
    """The share that is kept, in percent, and the sentence about it."""
    text, kept = ctypes.create_string_buffer(512), ctypes.c_double(-1)
    c.condense_worth(text, len(text), ctypes.byref(kept), ctypes.byref(made))
    return c.measured(kept.value), text.value.decode()


def _of(small: float, full: float) -> str:
    """A part of a whole; nothing if the whole is not known."""
    return "%s of %s" % (number(small), number(full)) if full else ""


def _written(path: Optional[PathLike], text: str) -> str:
    """The text, which is also written to the path if there is one."""
    if path is not None:
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise FileError("%s: cannot be written: %s" %
                            (os.fsdecode(path), error.strerror)) from None
    return text


# What a report has beside the record in the file; see run_of.
RUN = ("seconds", "peak_rss_bytes", "memory", "budget")


def text_of(report: Dict[str, Any]) -> bytes:
    """The record of a report, as a file holds it."""
    try:
        return json.dumps({k: v for k, v in report.items() if k not in RUN}).encode()
    except (TypeError, ValueError) as error:
        raise ArgumentError("report cannot be written as JSON: %s" % error) from None


def record_of(report: Dict[str, Any]) -> c.CondenseInfo:
    """What the library reads in a report: it alone knows what stands where."""
    text = np.frombuffer(text_of(report), np.uint8)
    view, carrier, made = c.init(c.View), Handle(), c.init(c.CondenseInfo)
    lend(view, c.METADATA, text)
    call(c.graph_build, carrier.out, ctypes.byref(view), 0, None, None, None, None)
    call(c.condense_info_of, ctypes.byref(made), carrier)
    return made


def run_of(info: c.CondenseInfo) -> Dict[str, Any]:
    """What differs from run to run, and so is not in the metadata of a condensed graph."""
    parts: Dict[str, Dict[str, Any]] = {"seconds": {}, "memory": {}}
    for name in c.FACTS:
        group, _, part = name.partition("_")
        if group in parts:
            parts[group][part] = getattr(info, name)
    return {"seconds": parts["seconds"], "peak_rss_bytes": info.peak_rss_bytes,
            "memory": parts["memory"], "budget": info.budget or None}


# ---- what a graph holds ----


class Info(Dict[str, Any]):
    """What a graph holds.  A dictionary that prints as a table.

    >>> import graphbonsai
    >>> found = graphbonsai.info(graphbonsai.generate(nodes=100, features=20, classes=4))
    >>> found["nodes"], found["labelled"], sum(found["class_counts"])
    (100, 100, 100)
    """

    def _rows(self) -> List[Row]:
        rows: List[Row] = []
        for key, value in self.items():
            if isinstance(value, dict):
                rows += [("%s, %s" % (key, k), v if isinstance(v, str) else number(v))
                         for k, v in value.items()]
            elif isinstance(value, (list, tuple)):
                if key == "class_counts":
                    names = self.get("class_names") or range(len(value))
                    rows += [("class %s" % n, number(v)) for n, v in zip(names, value)]
            elif key not in ("class_names", "feature_names"):
                rows.append((key.replace("_", " "), str(value).lower()
                             if isinstance(value, (bool, str)) else number(value)))
        return rows

    def __str__(self) -> str:
        return table(self._rows(), head=False)

    def _repr_html_(self) -> str:
        names = self.get("class_names") or [str(i) for i in range(len(self["class_counts"]))]
        counts = list(zip(names, map(float, self["class_counts"])))[:50]
        return html_table(self._rows(), head=False) + bars(counts, "nodes of each class")


def info_of(graph: "Graph", linear: bool, threads: int, progress: Progress) -> Info:
    handle = graph._live()
    o = options_of.fill(c.ReadOptions, dict(threads=threads))
    stats = c.init(c.Stats)
    counts = (ctypes.c_int64 * max(graph.num_classes, 1))()
    call(c.graph_verify, handle)
    call(c.graph_stats, ctypes.byref(stats), counts, handle, progress=progress, options=o)
    view = c.graph_view(handle).contents
    found = Info(
        nodes=stats.nodes, edges=stats.edges, directed=bool(view.flags & c.DIRECTED),
        weighted=view.section[c.EDGE_WEIGHTS].type != c.NONE,
        operator=bool(view.flags & c.OPERATOR), isolated=stats.isolated,
        self_loops=stats.self_loops, features=stats.features, feature_nnz=stats.feature_nnz,
        classes=stats.classes, labelled=stats.labelled, train=stats.part[1], val=stats.part[2],
        test=stats.part[3], homophily=None if stats.homophily < 0 else stats.homophily,
        degree=dict(min=stats.degree_min, median=stats.degree_median, mean=stats.degree_mean,
                    max=stats.degree_max, exponent=stats.power_exponent or None),
        degree_histogram=list(stats.degree_bin), class_counts=list(counts)[:graph.num_classes],
        class_names=graph.class_names, feature_names=graph.feature_names, bytes=int(graph.nbytes),
        paper_bytes=graph.paper_nbytes, changes=graph.changes)
    if linear:
        found["linear"] = _linear(handle, o, progress)
    return found


def _linear(handle: Any, options: Any, progress: Progress) -> Dict[str, Any]:
    fit = c.init(c.Linear)
    call(c.graph_linear, ctypes.byref(fit), handle, 1, progress=progress, options=options)
    found = c.values(fit)
    del found["size"]
    return found
