"""report: the page that the library draws of a condensed graph.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
import os
from typing import Any, Optional

from . import _capi as c
from . import _options as options_of
from ._errors import OptionError
from ._graph import PathLike
from ._kinds import as_graph
from ._memory import Handle
from ._progress import Progress, call


class Page(str):
    """HTML that a notebook shows as what it is."""

    def _repr_html_(self) -> str:
        return str(self)


def _text(name: str, value: Any) -> Optional[bytes]:
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)):
        raise OptionError("%s must be a text, not %r" % (name, value))
    return os.fspath(value).encode("utf-8", "replace").replace(b"\0", b" ")


def report(small: Any, full: Any = None, path: Optional[PathLike] = None, *,
           title: Optional[str] = None, small_name: Optional[str] = None,
           full_name: Optional[str] = None, fragment: Optional[bool] = None, threads: int = 0,
           progress: Progress = None) -> Page:
    """What was kept of `full` and why: sizes, a map, curves, distributions, every option.

    small     what `condense` made, of any kind
    full      what it was made of; without it only what `small` says about itself is shown
    path      where to write the page; then it is a whole one, else it is made for a notebook,
              unless `fragment` says otherwise

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=400, features=60, classes=3)
    >>> small = graphbonsai.condense(g, 0.05, threads=1)
    >>> page = graphbonsai.report(small, g, title="A & B", threads=1)
    >>> page.startswith("<div"), "A &amp; B" in page
    (True, True)
    """
    s = as_graph("small", small)
    g = None if full is None else as_graph("full", full)
    o = c.init(c.ReportOptions)
    if s._info is not None:
        o.condensed = ctypes.pointer(s._info)
    o.title, o.small_name, o.full_name = (_text(n, v) for n, v in (
        ("title", title), ("small_name", small_name), ("full_name", full_name)))
    o.fragment = path is None if fragment is None else bool(fragment)
    o.threads = options_of.whole("threads", threads, -2**31, 2**31 - 1)
    made = Handle(c.report_free)
    call(c.report_new, made.out, s._live(), None if g is None else g._live(), progress=progress,
         options=o)
    if path is not None:
        c.report_save(made, options_of.path("path", path))
    length = ctypes.c_size_t()
    text = c.report_html(ctypes.byref(length), made)
    return Page(ctypes.string_at(text, length.value).decode("utf-8", "replace"))
