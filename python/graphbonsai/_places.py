"""The place in x of a feature that the library refused.

The library counts the entries of a section; who gave an array knows rows and columns.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import re
from typing import Any, Tuple

import numpy as np

from . import _capi as c
from ._errors import ArgumentError
from ._memory import section_of

_SENTENCE = re.compile(r"graph: (features|feature values): entry (\d+) is (.*)")


def placed(error: ArgumentError, view: c.View, owner: Any) -> ArgumentError:
    """The error with x[row, column] instead of the number of an entry; any other as it is."""
    found = _SENTENCE.fullmatch(str(error))
    if found is None:
        return error
    at = divmod(int(found[2]), int(view.features))
    if found[1] == "feature values":
        at = _stored(view, int(found[2]), owner)
    return ArgumentError("x[%d, %d] is %s" % (*at, found[3]))


def _stored(view: c.View, entry: int, owner: Any) -> Tuple[int, int]:
    """The row and the column of a stored entry of sparse features."""
    offsets = section_of(view, c.FEATURE_OFFSETS, owner)
    columns = section_of(view, c.FEATURE_INDICES, owner)
    assert offsets is not None and columns is not None
    row = int(np.searchsorted(offsets, np.asarray(entry, offsets.dtype), "right")) - 1
    return row, int(columns[entry])
