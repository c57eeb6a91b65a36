"""The failures of library calls, as exceptions.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Dict, Optional, Type


class Error(Exception):
    """A call of the library failed.  The text is the library's message.

    kind      "missing", "unknown format", "text", "entry", or "other"
    path      the file, "graph" for a graph of arrays; None: none
    line, column    of a text, from 1; None: unknown
    section, entry  of a graph, by its text and from 0; None: none
    reason    the message without the place

    >>> import graphbonsai
    >>> try:
    ...     graphbonsai.Graph.load("no-such-file")
    ... except graphbonsai.Error as error:
    ...     print(error.status, error)
    ...     print(error.kind, error.path, error.line)
    -3 no-such-file: cannot be opened: No such file or directory
    missing no-such-file None
    """

    status: int = -1
    kind: str = "other"
    path: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    section: Optional[str] = None
    entry: Optional[int] = None
    reason: str = ""

    def __init__(self, sentence: str = "", status: Optional[int] = None) -> None:
        super().__init__(sentence)
        if status is not None:
            self.status = status

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ArgumentError(Error, ValueError):
    """An argument is not valid."""

    status = -1


class OptionError(ArgumentError, TypeError):
    """An option does not exist, or has a value of the wrong type."""


class OutOfMemory(Error, MemoryError):
    """There is not enough memory."""

    status = -2


class FileError(Error, OSError):
    """A file could not be read or written."""

    status = -3


class FormatError(Error, ValueError):
    """A file or an array is not valid."""

    status = -4


class Canceled(Error):
    """The progress callback asked to stop."""

    status = -5


BY_STATUS: Dict[int, Type[Error]] = {
    -1: ArgumentError, -2: OutOfMemory, -3: FileError, -4: FormatError, -5: Canceled,
}
