"""Classes of labels: of class numbers, of other numbers, and of texts.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

import numpy as np

from ._errors import ArgumentError
from ._splits import warn_relabelled


class Classes(NamedTuple):
    """The class of each node, -1 if unknown, and what each class was called; None: numbers."""

    numbers: np.ndarray
    values: Optional[List[Any]] = None

    @property
    def names(self) -> Optional[List[str]]:
        return None if self.values is None else [str(value) for value in self.values]


def of_array(y: np.ndarray, names: Optional[Sequence[str]], classes: Optional[int],
             relabel: Optional[bool]) -> Classes:
    """The classes of the y of Graph.from_arrays, of which `_build` made numbers or objects.

    relabel: whether each number is a class; None: unless there is a number of classes.
    """
    if y.dtype.kind == "O":
        return of_texts("y", y, names)
    if names is not None and relabel:
        return _looked_up("y", [None if value < 0 else value for value in y.tolist()], names)
    if not relabel:
        not_above("y", y)
    if names is not None or relabel is False or (relabel is None and classes is not None):
        return Classes(y)
    found = of_numbers("y", y)
    if relabel is None and found.values is not None:
        warn_relabelled(found.values)
    return found


def section(y: np.ndarray, classes: int) -> np.ndarray:
    """Class numbers as the library stores them; -1 wraps to the largest: unknown."""
    kind = np.uint8 if classes <= 255 else np.uint16 if classes <= 65535 else np.uint32
    with np.errstate(invalid="ignore"):
        return y.astype(kind)


def is_missing(value: Any) -> bool:
    """Whether a value says that there is none: None, NaN, pandas' NA and NaT, an empty text."""
    if value is None or (isinstance(value, (str, bytes)) and not value):
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):     # NA is neither equal nor different
        return True


def array_of(values: Any) -> np.ndarray:
    """The array of a list or an array; what is missing among texts is None, not the text "nan"."""
    array = np.asarray(values)
    if array.dtype.kind not in "US" or hasattr(values, "dtype"):
        return array
    gaps = [is_missing(value) for value in np.asarray(values, object).flat]
    if any(gaps):
        array = array.astype(object)
        array.flat[np.flatnonzero(gaps)] = None
    return array


def from_floats(name: str, y: np.ndarray) -> np.ndarray:
    """Whole numbers of floats, of which NaN is unknown."""
    known = ~np.isnan(y)
    strange = known & ~(np.isfinite(y) & (y == np.floor(y)) & (np.abs(y) < 2**31))
    if strange.any():
        raise ArgumentError("%s has %g: numbers to be predicted are not classes. Cut them into "
                            "classes first" % (name, y[strange][0]))
    return np.where(known, y, -1).astype(np.int64)


def not_below(name: str, y: np.ndarray) -> np.ndarray:
    if y.size and int(y.min()) < -1:
        raise ArgumentError("%s has the label %d; labels are 0, 1, ..., or -1 for unknown" %
                            (name, int(y.min())))
    return y


def not_above(name: str, y: np.ndarray) -> np.ndarray:
    if y.size and int(y.max()) >= 2**31 - 1:
        raise ArgumentError("%s has the label %d; labels must be below %d" %
                            (name, int(y.max()), 2**31 - 1))
    return y


def of_numbers(name: str, y: np.ndarray) -> Classes:
    """A class for each number but -1, in their order; 0, 1, ..., c - 1 stay as they are.

    >>> of_numbers("y", np.array([20, 0, -1, 10]))
    Classes(numbers=array([ 2,  0, -1,  1]), values=[0, 10, 20])
    """
    y = y.astype(np.int64) if y.dtype.kind == "b" else y
    known = not_below(name, y) >= 0
    values, numbers = np.unique(y[known], return_inverse=True)
    out = np.full(y.shape, -1, np.int64)
    out[known] = numbers
    plain_numbers = not values.size or int(values[-1]) == values.size - 1
    return Classes(out, None if plain_numbers else values.tolist())


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def in_order(values: Any) -> List[Any]:
    """Distinct values, sorted: numbers and texts of whole numbers by value, others as texts.

    >>> in_order({"10", "9"}), in_order({"b", "10", "a"})
    (['9', '10'], ['10', 'a', 'b'])
    """
    try:
        return sorted(values, key=lambda value: (int(value), str(value)))
    except (TypeError, ValueError):
        return sorted(values, key=str)


def plain(name: str, values: np.ndarray) -> np.ndarray:
    """Objects as an array of numbers if none of them is a text; else as they are."""
    listed = [None if is_missing(value) else _text(value) for value in values.tolist()]
    odd = next((v for v in listed if v is not None and not np.isscalar(v)), None)
    if odd is not None:
        raise ArgumentError("%s has a label that is a %s; it must be a text or a number" %
                            (name, type(odd).__name__))
    if any(isinstance(value, str) for value in listed):
        out = np.empty(len(listed), object)
        out[:] = listed
        return out
    return from_floats(name, np.array([np.nan if v is None else v for v in listed], np.float64))


def of_texts(name: str, values: np.ndarray, class_names: Optional[Sequence[str]] = None) -> Classes:
    """A class for each of what `plain` gave, in their order or in that of class_names."""
    listed = values.tolist()
    if class_names is not None:
        return _looked_up(name, listed, class_names)
    found = in_order({value for value in listed if value is not None})
    at = {value: i for i, value in enumerate(found)}
    return Classes(np.array([-1 if v is None else at[v] for v in listed], np.int64), found)


def of_column(name: str, column: np.ndarray, class_names: Optional[Sequence[str]] = None,
              numbered: bool = False) -> Classes:
    """The classes of a column of a table, whose labels are names.

    Numbers are class numbers if they are numbered, or if class_names has none of them.
    """
    if column.dtype.kind in "OUS":
        column = plain(name, column)
    if column.dtype.kind == "f":
        column = from_floats(name, column)
    if column.dtype.kind not in "biuO":
        raise ArgumentError("%s has the type %s; labels are texts or whole numbers" %
                            (name, column.dtype))
    if column.dtype.kind == "O":
        return of_texts(name, column, class_names)
    if class_names is not None:
        listed = [None if value < 0 else value for value in column.tolist()]
        named = {str(value) for value in listed} & set(class_names)
        return (_looked_up(name, listed, class_names) if named else
                Classes(column, list(class_names)))
    return Classes(column) if numbered else of_numbers(name, column)


def of_labels(name: str, y: np.ndarray, labels: Sequence[int]) -> np.ndarray:
    """The class of each label, which are the labels of classes 0, 1, ...; -1 stays.

    >>> of_labels("y", np.array([20, -1, 0]), [0, 10, 20])
    array([ 2, -1,  0])
    """
    listed = np.asarray(labels, np.int64)
    order = np.argsort(listed)
    at = order[np.searchsorted(listed, y, sorter=order).clip(max=listed.size - 1)] \
        if listed.size else np.full(y.shape, -1)
    strange = (y >= 0) & ((listed[at] if listed.size else -1) != y)
    if strange.any():
        raise ArgumentError("%s has the label %d, which is none of the classes" %
                            (name, y[strange][0]))
    return np.where(y >= 0, at, not_below(name, y))


def to_labels(y: np.ndarray, labels: Sequence[int]) -> np.ndarray:
    """The label of each class number; -1 stays.

    >>> to_labels(np.array([2, -1, 0]), [0, 10, 20])
    array([20, -1,  0])
    """
    return np.append(np.asarray(labels, np.int64), -1)[y]


def spread(rows: np.ndarray, labels: Sequence[int]) -> np.ndarray:
    """Columns of classes at the numbers of their labels, with zeros between.

    >>> spread(np.array([[0.25, 0.75]]), [0, 2])
    array([[0.25, 0.  , 0.75]])
    """
    out = np.zeros((rows.shape[0], max(labels, default=-1) + 1), rows.dtype)
    out[:, list(labels)] = rows
    return out


def in_a_row(labels: Optional[Sequence[int]]) -> bool:
    """Whether labels are the class numbers themselves; so they are where they are not known."""
    return labels is None or all(i == label for i, label in enumerate(labels))


def numbers_of(names: Sequence[str]) -> Optional[List[int]]:
    """The whole numbers that names are, or None.

    >>> numbers_of(["0", "10"]), numbers_of(["0", "01"]), numbers_of(["a"])
    ([0, 10], None, None)
    """
    plain_texts = all(name.isdecimal() and name.isascii() and str(int(name)) == name
                      and len(name) < 10 for name in names)
    return [int(name) for name in names] if plain_texts else None


def given_by(names: Optional[Sequence[str]]) -> Optional[List[int]]:
    """The labels that the names of a file's classes are; None: they are texts, or too large for a
    column of scores each."""
    found = None if names is None else numbers_of(names)
    return found if found and max(found) < 2**16 and len(set(found)) == len(found) else None


def _looked_up(name: str, values: List[Any], class_names: Sequence[str]) -> Classes:
    """The classes of values by their texts."""
    at = {str(text): i for i, text in enumerate(class_names)}
    found: List[Any] = list(class_names)
    numbers = np.full(len(values), -1, np.int64)
    for i, value in enumerate(values):
        if value is None:
            continue
        if str(value) not in at:
            raise ArgumentError("%s has the label %r, which is none of the class names" %
                                (name, value))
        numbers[i] = at[str(value)]
        found[numbers[i]] = value
    return Classes(numbers, found)
