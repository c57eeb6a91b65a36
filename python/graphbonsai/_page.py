"""report: a page about a condensed graph, drawn by the library.

SPDX-License-Identifier: MIT
"""
import ctypes
from typing import Any, Optional

from . import _capi as c
from . import _options as options_of
from ._graph import PathLike
from ._kinds import as_graph
from ._memory import Handle
from ._progress import Progress, call


class Page(str):
    """HTML that a notebook displays."""

    def _repr_html_(self) -> str:
        return str(self)


@options_of.named
def report(small: Any, full: Any = None, path: Optional[PathLike] = None, *,
           fragment: Optional[bool] = None,
           # options: report -fragment
           title: Optional[str] = None, small_name: Optional[str] = None,
           full_name: Optional[str] = None, command: Optional[str] = None, threads: int = 0,
           # end
           progress: Progress = None) -> Page:
    """Draws a page that shows what was kept of a graph and why.

    It has sizes, a map, curves, distributions and every option.

    Args:
        small: what condense returned, of any kind.
        full: the graph that `small` was made from; None: the page shows what `small` says about
            itself.
        path: the file to write the page to.
        fragment: True: a <div> for a notebook; False: a whole page; None: a whole page if there is
            a path.
        progress: as for condense.
        title: heading of the page; None: the names.
        small_name: the small graph, as the reader knows it; None: small.
        full_name: the full graph, as the reader knows it; None: full.
        command: the command that repeats it; None: made of the options.
        threads: threads, 0 for every core it may use (0 to 4096).

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=400, features=60, classes=3)
    >>> small = graphbonsai.condense(g, 0.05, threads=1)
    >>> page = graphbonsai.report(small, g, title="A & B", threads=1)
    >>> page.startswith("<div"), "A &amp; B" in page
    (True, True)
    """
    o = options_of.fill(c.ReportOptions, locals())
    s = as_graph("small", small)
    g = None if full is None else as_graph("full", full)
    if s._info is not None:
        o.condensed = ctypes.pointer(s._info)
    o.fragment = path is None if fragment is None else bool(fragment)
    made = Handle(c.report_free)
    call(c.report_new, made.out, s._live(), None if g is None else g._live(), progress=progress,
         options=o)
    if path is not None:
        c.report_save(made, options_of.path("path", path))
    length = ctypes.c_size_t()
    text = c.report_html(ctypes.byref(length), made)
    return Page(ctypes.string_at(text, length.value).decode("utf-8", "replace"))
