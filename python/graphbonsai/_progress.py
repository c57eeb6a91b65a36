"""Calls of the library: progress, Ctrl-C, exceptions in callbacks.

The library calls back on the thread that called it.  An exception must not pass through C: it is
kept, the call is canceled, and the exception is raised afterwards.  Signal handlers are replaced
during the call, because Python would raise KeyboardInterrupt, or the exception of a time limit, at
the start of the callback, where nothing can catch it.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time
from typing import Any, Callable, Dict, Optional, Union

from . import _capi as c
from ._errors import OptionError

Progress = Union[None, bool, Callable[[str, int, int], Any]]

DELAY = 0.5     # seconds before a bar is drawn

# Signals whose handlers often raise: Ctrl-C, time limits, the end of a batch job.
SIGNALS = [getattr(signal, name) for name in
           ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2")
           if hasattr(signal, name)]


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except Exception:       # closed, None, or an object without the method
        return False


class _Bar:
    """The tqdm bar of a call; its description is the stage."""

    def __init__(self, always: bool) -> None:
        self.start = time.monotonic()
        self.always = always
        self.bar: Any = None
        self.stage = ""
        self.note = ""          # more to show, such as a loss

    def __call__(self, stage: str, done: int, total: int) -> None:
        try:
            self._show(stage, done, total)
        except Exception:       # stderr closed, a widget gone: go on without a bar
            self.bar = False

    def _show(self, stage: str, done: int, total: int) -> None:
        if self.bar is None:
            if time.monotonic() - self.start < DELAY:
                return
            self.bar = self._open()
        if self.bar is False:
            return
        if stage != self.stage:
            self.stage = stage
            self.bar.reset(total or None)
            self.bar.set_description(stage, refresh=False)
        self.bar.set_postfix_str(self.note, refresh=False)
        self.bar.update(done - self.bar.n)

    def _open(self) -> Any:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            if self.always:
                sys.stderr.write("graphbonsai: a progress bar needs the package tqdm\n")
            return False
        return tqdm(leave=False, mininterval=0.1)

    def close(self) -> None:
        try:
            if self.bar:
                self.bar.close()
        except Exception:
            pass


def _listener(progress: Progress) -> Optional[Callable[[str, int, int], Any]]:
    if progress is None:
        return _Bar(False) if _is_terminal() or _in_notebook() else None
    if progress is True or progress is False:
        return _Bar(True) if progress else None
    if callable(progress):
        return progress
    raise OptionError("progress must be None, True, False or a function (stage, done, total), "
                      "not %r" % (progress,))


class Watch:
    """A context that keeps the exceptions of callbacks and signals, and raises them at its end."""

    def __init__(self, progress: Progress = False) -> None:
        self.raised: Optional[BaseException] = None
        self.listener = _listener(progress)
        self.callback: Any = c.PROGRESS_FN(self._tick)
        self.previous: Dict[int, Any] = {}

    def _tick(self, report: Any, _payload: Any) -> int:
        if self.raised is None and self.listener is not None:
            p = report.contents
            if isinstance(self.listener, _Bar):
                self.listener.note = p.note.decode("utf-8", "replace") if p.note else ""
            self.guard(self.listener, p.stage.decode("utf-8", "replace"), p.done, p.total)
        return self.raised is not None

    def guard(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Calls a function and keeps its exception."""
        try:
            function(*arguments)
        except BaseException as error:      # KeyboardInterrupt and SystemExit too
            self.raised = error

    def _on_signal(self, number: int, frame: Any) -> None:
        previous = self.previous[number]
        self.guard(previous, number, frame)
        around = getattr(previous, "__self__", None)    # for a call within a callback
        if self.raised is None and isinstance(around, Watch):
            self.raised = around.raised

    def __enter__(self) -> "Watch":
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                previous = signal.getsignal(number)
                if callable(previous):
                    self.previous[number] = previous
                    try:
                        signal.signal(number, self._on_signal)
                    except ValueError:          # in a second interpreter
                        del self.previous[number]
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        for number, previous in self.previous.items():
            signal.signal(number, previous)
        if isinstance(self.listener, _Bar):
            self.listener.close()
        raised, self.raised, self.callback = self.raised, None, None
        if raised is not None:
            raise raised from None


def call(function: Callable[..., Any], *arguments: Any, progress: Progress = False,
         options: Any = None) -> None:
    """Calls the library with `options` last, reporting to `progress`."""
    with Watch(progress) as watch:
        if options is None:
            function(*arguments)
        else:
            options.progress = watch.callback
            try:
                function(*arguments, ctypes.byref(options))
            finally:
                options.progress = c.PROGRESS_FN()
