"""The place in x of a feature that the library refused.

The library counts the entries of a section; who gave an array knows rows and columns.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from . import _capi as c
from ._errors import ArgumentError
from ._memory import section_of


def placed(error: ArgumentError, view: c.View, owner: Any) -> ArgumentError:
    """The error with x[row, column] instead of the number of an entry; any other as it is."""
    if error.entry is None or error.section not in ("features", "feature values"):
        return error
    at = divmod(error.entry, int(view.features))
    if error.section == "feature values":
        at = _stored(view, error.entry, owner)
    return ArgumentError("x[%d, %d] %s" % (*at, error.reason))


def _stored(view: c.View, entry: int, owner: Any) -> Tuple[int, int]:
    """The row and the column of a stored entry of sparse features."""
    offsets = section_of(view, c.FEATURE_OFFSETS, owner)
    columns = section_of(view, c.FEATURE_INDICES, owner)
    assert offsets is not None and columns is not None
    row = int(np.searchsorted(offsets, np.asarray(entry, offsets.dtype), "right")) - 1
    return row, int(columns[entry])
