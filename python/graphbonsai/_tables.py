"""Tables of nodes and edges to the arguments of Graph.from_arrays.

A table is a pandas DataFrame, a pyarrow Table, a dictionary of arrays, the path of a .parquet,
.feather, .csv or .tsv file, or what _networks makes of the attributes of a graph's nodes.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
from typing import (TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional,
                    Sequence)

import numpy as np

from . import _labels
from ._errors import ArgumentError, FileError, FormatError
from ._splits import warn_ids, warn_weight

if TYPE_CHECKING:
    from ._graph import Graph

MASKS = ("train_mask", "val_mask", "test_mask")
PARTS = {"train": "train_mask", "val": "val_mask", "valid": "val_mask", "validation": "val_mask",
         "test": "test_mask"}
ENDINGS = (".parquet", ".feather")
TEXTS = {".csv": ",", ".tsv": "\t"}         # and what is between their columns


class Table(NamedTuple):
    """The columns of a table by name."""

    what: str                               # its name in messages
    names: List[Any]                        # of its columns
    column: Callable[[Any], np.ndarray]     # by name
    rows: int
    row: Callable[[int], str]               # what messages call a row
    field: str = "column"                   # and a column
    index: Any = None                       # the name of the column that is its index

    def need(self, name: Any, use: str) -> np.ndarray:
        """A column that the caller named, or that has to be there."""
        if name not in self.names:
            raise ArgumentError('%s has no %s "%s" (%s); it has %s' % (
                self.what, self.field, name, use, ", ".join(map(str, self.names)) or "none"))
        return self.column(name)

    def first(self, *names: str) -> Optional[str]:
        """The first of these columns that is there."""
        return next((name for name in names if name in self.names), None)


# ---- tables of other packages ----


def array_of(values: Any) -> np.ndarray:
    """A column as an array with one entry a row; vectors of equal length make a matrix."""
    try:
        return _labels.array_of(values)
    except ValueError:                  # vectors of different lengths
        out = np.empty(len(values), object)
        out[:] = list(values)
        return out


def table_of(what: str, table: Any) -> Table:
    if isinstance(table, (str, bytes, os.PathLike)):
        table = _read(os.fsdecode(table))
    package = type(table).__module__.split(".")[0]
    if package == "pandas" and hasattr(table, "columns"):
        return _of_pandas(what, table)
    if package == "pyarrow" and hasattr(table, "column_names"):
        return _of_arrow(what, table)
    if isinstance(table, Mapping):
        return _of_mapping(what, table)
    raise ArgumentError("%s must be a pandas DataFrame, a pyarrow Table, a dictionary of columns "
                        "or the path of a .parquet, .feather, .csv or .tsv file, not %s" %
                        (what, type(table).__name__))


def _read(path: str) -> Any:
    """A pyarrow Table of a file, or a DataFrame of a text."""
    ending = os.path.splitext(path)[1].lower()
    if ending in TEXTS:
        return _read_text(path, TEXTS[ending])
    if ending not in ENDINGS:
        raise ArgumentError("%s: a table is a .parquet, .feather, .csv or .tsv file; Graph.load "
                            "reads graphs of other formats" % path)
    try:
        import pyarrow
    except ImportError:
        raise ArgumentError("%s: reading it needs pyarrow: pip install pyarrow" % path) from None
    try:
        if ending == ".parquet":
            from pyarrow import parquet as reader
        else:
            from pyarrow import feather as reader
        return reader.read_table(path)
    except OSError as error:
        raise FileError("%s: cannot be read: %s" % (path, error)) from None
    except pyarrow.ArrowException as error:
        raise FormatError("%s: %s" % (path, error)) from None


def _read_text(path: str, between: str) -> Any:
    try:
        import pandas
    except ImportError:
        raise ArgumentError("%s: reading it needs pandas: pip install pandas" % path) from None
    try:
        return pandas.read_csv(path, sep=between)
    except OSError as error:
        raise FileError("%s: cannot be read: %s" % (path, error)) from None
    except ValueError as error:         # of its lines, or of its letters
        raise FormatError("%s: %s" % (path, error)) from None


def _row(number: int) -> str:
    return "row %d" % number


def _once(what: str, names: Sequence[Any]) -> List[Any]:
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ArgumentError('%s has two columns "%s"' % (what, twice))
    return list(names)


def _of_pandas(what: str, table: Any) -> Table:
    names = list(table.columns) if table.columns.is_unique else _once(what, list(table.columns))
    indices = _indices(table.index, names)
    if indices:
        table = table.reset_index(names=indices)
        names = list(table.columns)
    return Table(what, names, lambda name: array_of(table[name].to_numpy()), len(table), _row,
                 index=indices[0] if len(indices) == 1 else None)


def _indices(index: Any, names: List[Any]) -> List[Any]:
    """What the columns of a DataFrame's index are called; none: rows are numbered, or it is shadowed
    by a column."""
    if type(index).__name__ == "RangeIndex" and index.name is None and (
            (index.start, index.step) == (0, 1)):
        return []
    found = ["index" if n is None or n in names else n for n in index.names]
    return found if len({*found, *names}) == len(found) + len(names) else []


def _of_arrow(what: str, table: Any) -> Table:
    renamed = {"__index_level_0__": "index"}        # as pandas' own tables have it
    at = {renamed.get(name, name): i
          for i, name in enumerate(_once(what, table.column_names))}

    def column(name: Any) -> np.ndarray:
        found = table.column(at[name])
        if hasattr(found.type, "value_type") and hasattr(found.type, "index_type"):
            found = found.cast(found.type.value_type)       # categories
        return array_of(found.to_numpy())
    said = [renamed.get(name, name) for name in (table.schema.pandas_metadata or {}).get(
        "index_columns", ()) if isinstance(name, str)]
    return Table(what, list(at), column, table.num_rows, _row,
                 index=said[0] if len(said) == 1 and said[0] in at else None)


def _of_mapping(what: str, table: Mapping[Any, Any]) -> Table:
    columns = {name: array_of(values) for name, values in table.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    rows = next(iter(lengths.values()), 0)
    for name, length in lengths.items():
        if length != rows:
            raise ArgumentError('%s has %d rows in "%s" but %d in "%s"' %
                                (what, length, name, rows, next(iter(lengths))))
    return Table(what, list(columns), columns.__getitem__, rows, _row)


# ---- features ----


_CHOOSE = "features=[...] names the columns to take"


def numbers(table: Table, name: Any) -> np.ndarray:
    """A column as [rows] or [rows, k] numbers."""
    column = table.column(name)
    if column.dtype.kind in "OUS":
        column = _of_objects(table, name, column)
    if column.dtype.kind not in "biuf" or column.ndim > 2:
        raise ArgumentError('%s: the feature "%s" has the type %s; it must hold numbers: %s' %
                            (table.what, name, column.dtype, _CHOOSE))
    if column.dtype.kind == "f" and np.isnan(column).any():
        gaps = np.isnan(column).reshape(len(column), -1).any(1)
        raise ArgumentError('%s: %s has no number in the feature "%s" (%d of %d have none); fill '
                            "the gaps first, as with pandas' fillna, or leave it out: %s" %
                            (table.what, table.row(int(np.argmax(gaps))), name, gaps.sum(),
                             gaps.size, _CHOOSE))
    return column


def _of_objects(table: Table, name: Any, column: np.ndarray) -> np.ndarray:
    """Numbers of objects: vectors of one length, or numbers of which some may be missing."""
    if column.ndim == 1 and len(column) and np.ndim(column[0]) == 1:
        length = len(column[0])
        for i, vector in enumerate(column):
            if np.ndim(vector) != 1 or len(vector) != length:
                raise ArgumentError('%s: %s has %s in the feature "%s", others have %d numbers' % (
                    table.what, table.row(i),
                    "nothing" if vector is None else "%d numbers" % np.size(vector), name, length))
        return np.stack([np.asarray(vector) for vector in column])
    for i, value in enumerate(column.ravel().tolist()):
        if isinstance(value, (str, bytes)):
            raise ArgumentError('%s: %s has the text %r in the feature "%s"; features are numbers: '
                                '%s, and pandas.get_dummies makes numbers of categories' %
                                (table.what, table.row(i), value, name, _CHOOSE))
    try:
        return np.array([np.nan if _labels.is_missing(v) else float(v) for v in column.flat],
                        np.float64).reshape(column.shape)
    except (TypeError, ValueError):
        raise ArgumentError('%s: the feature "%s" does not hold numbers: %s' %
                            (table.what, name, _CHOOSE)) from None


def _called(name: Any, part: np.ndarray) -> List[str]:
    """What the features of a column are called: by its name; those of vectors have numbers."""
    return [str(name)] if part.ndim == 1 else ["%s[%d]" % (name, i) for i in range(part.shape[1])]


def _named(names: Sequence[Any], parts: Sequence[np.ndarray]) -> Optional[List[str]]:
    if not any(isinstance(name, str) for name in names):
        return None
    return [one for name, part in zip(names, parts) for one in _called(name, part)]


def features_of(table: Table, names: Sequence[Any]) -> Dict[str, Any]:
    """x, [rows, f] float32 of some columns, side by side, and its feature_names.

    One column of vectors, and columns that have numbers instead of names, give none.
    """
    if not names:
        return {"x": None}
    for name in names:
        table.need(name, "features")
    if len(names) == 1:
        only = numbers(table, names[0])
        return {"x": only} if only.ndim == 2 else {"x": only.reshape(-1, 1),
                                                   "feature_names": _named(names, [only])}
    parts = [numbers(table, name) for name in names]
    called = _named(names, parts)
    parts = [part.reshape(table.rows, -1) for part in parts]
    out = np.empty((table.rows, sum(part.shape[1] for part in parts)), np.float32)
    at = 0
    for part in parts:
        with np.errstate(over="ignore"):        # the library refuses entries that became infinite
            out[:, at:at + part.shape[1]] = part
        at += part.shape[1]
    return {"x": out, "feature_names": called}


# ---- the split ----


def split_of(table: Table, name: Optional[str]) -> Dict[str, np.ndarray]:
    """Masks, of a column of words or of columns of True and False."""
    if name is None and "split" not in table.names:
        found = {mask: table.column(mask) for mask in MASKS if mask in table.names}
        return {mask: column.astype(bool) if column.dtype.kind == "O" else column
                for mask, column in found.items()}
    name = "split" if name is None else name
    words = table.need(name, "the split").tolist()
    masks = {mask: np.zeros(table.rows, bool) for mask in MASKS}
    for i, word in enumerate(words):
        if _labels.is_missing(word):
            continue
        if not isinstance(word, str) or word.lower() not in PARTS:
            raise ArgumentError('%s: %s has %r in "%s"; parts are train, val and test' %
                                (table.what, table.row(i), word, name))
        masks[PARTS[word.lower()]][i] = True
    return masks


# ---- ids ----


def _keys(column: np.ndarray) -> List[Any]:
    return [value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            for value in column.tolist()]


def _numbered(ids: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The positions of numbers among numbers, -1 where there is none."""
    order = np.argsort(ids, kind="stable")
    at = np.searchsorted(ids, ends, sorter=order).clip(max=ids.size - 1)
    found = order[at]
    return np.where(ids[found] == ends, found, -1)


def names_of(column: np.ndarray) -> Optional[List[str]]:
    """What nodes are called; None: 0, 1, ..., as they are."""
    if column.dtype.kind in "iu" and np.array_equal(column, np.arange(column.size)):
        return None
    return [str(key) for key in _keys(column)]


class Ids:
    """The ids of nodes, and the number of the node of each."""

    def __init__(self, table: Table, name: Any) -> None:
        """name: the column of ids; None: the numbers of the rows."""
        self.named = name is not None
        column = table.need(name, "the ids") if self.named else np.arange(table.rows)
        self.column = column
        self.at: Dict[Any, int] = {}
        if column.dtype.kind in "iu" and np.unique(column).size == column.size:
            return                      # numbers are found without a dictionary
        for i, key in enumerate(_keys(column)):
            if _labels.is_missing(key):
                raise ArgumentError("%s: %s has no id" % (table.what, table.row(i)))
            if self.at.setdefault(key, i) != i:
                raise ArgumentError("%s: %s and %s have the same id, %r" %
                                    (table.what, table.row(self.at[key]), table.row(i), key))

    def positions(self, table: Table, name: str, use: str) -> np.ndarray:
        """The nodes of a column of ids."""
        ends = table.need(name, use)
        if self.column.size and self.column.dtype.kind in "iu" and ends.dtype.kind in "iuf":
            found = _numbered(self.column, ends)
        else:
            self.at = self.at or {key: i for i, key in enumerate(_keys(self.column))}
            found = np.array([self.at.get(key, -1) for key in _keys(ends)], np.int64)
        if (found < 0).any():
            where = int(np.argmax(found < 0))
            self._refuse(table, where, name, _keys(ends)[where])
        return found

    def _refuse(self, table: Table, where: int, name: str, value: Any) -> None:
        if _labels.is_missing(value):
            raise ArgumentError('%s: row %d has no "%s"' % (table.what, where, name))
        texts = {str(key): key for key in _keys(self.column)}
        near = texts.get(str(value))
        hint = "" if near is None else "; there it is the %s %r" % (
            "text" if isinstance(near, str) else "number", near)
        if not self.named:
            hint += "; the rows' numbers are the ids: name the column of ids with node_id="
        raise ArgumentError("%s: row %d: the %s %r is not an id of nodes%s" %
                            (table.what, where, name, value, hint))


# ---- all of it ----


class Found(NamedTuple):
    """What a table of nodes says: arguments of Graph.from_arrays, and how it says it."""

    arrays: Dict[str, Any]
    features: Optional[str]         # the name of the column, if it is one
    label: Optional[str]
    values: Optional[List[Any]]     # the labels by class; None: numbers


def nodes_of(table: Table, features: Any, label: Optional[str], split: Optional[str],
             class_names: Optional[Sequence[str]], num_classes: Optional[int]) -> Found:
    """The arrays of a table of nodes; features: names of columns, one name, an array, or None."""
    arrays: Dict[str, Any] = {**split_of(table, split), "class_names": class_names,
                              "num_classes": num_classes}
    values = None
    if label is not None:
        found = _labels.of_column('%s: "%s"' % (table.what, label),
                                  table.need(label, "the labels"), class_names,
                                  num_classes is not None)
        arrays.update(y=found.numbers, class_names=found.names)
        values = found.values
    if isinstance(features, str):
        features = [features]
    if not isinstance(features, (list, tuple)):
        return Found({**arrays, "x": features}, None, label, values)
    arrays.update(features_of(table, features))
    return Found(arrays, features[0] if len(features) == 1 else None, label, values)


def _is_id(column: np.ndarray) -> bool:
    """Whether each row has a value of its own; texts that do not are ids too, and will be refused:
    they can be no feature."""
    keys = _keys(column) if column.ndim == 1 else []
    if keys and all(isinstance(key, str) for key in keys):
        return True
    try:
        return len(set(keys)) == len(column) and not any(map(_labels.is_missing, keys))
    except TypeError:                   # of values that are no ids
        return False


def _id_column(table: Table) -> Any:
    """The column of ids by its name; None: no column is called so."""
    found = next((n for n in ("id", table.index, "index") if n in table.names), None)
    if found is not None or not table.names:
        return found
    first = table.names[0]
    called = [n for n in ("node_id", "nodeid", "node") if n in table.names]
    called += [first] if isinstance(first, str) and first.lower().endswith("_id") else []
    return next((n for n in called if _is_id(table.column(n))), None)


def _warn_unread(table: Table, features: Sequence[Any], ends: np.ndarray) -> None:
    """Warns of a feature that seems to be the ids, where the rows' numbers are: whole numbers, all
    different, in another order, and all ends of edges among them."""
    for name in features if table.rows >= 8 else []:    # a few may be different by chance
        column = table.column(name)
        if column.dtype.kind in "iu" and column.ndim == 1 and (
                np.unique(column).size == column.size and np.isin(ends, column).all()
                and not np.array_equal(column, np.arange(column.size))):
            warn_ids(name)
            return


def _warn_weight(pairs: Table, used: Sequence[Any]) -> None:
    """Warns of the only column of numbers beside the ends, which may be the weights."""
    found = [n for n in pairs.names if n not in used and n != pairs.index
             and pairs.column(n).dtype.kind in "iuf"]
    if len(found) == 1:
        warn_weight(found[0])


def graph_of_tables(nodes: Any, edges: Any, names: Mapping[str, Any],
                    reading: Mapping[str, Any]) -> Graph:
    """What Graph.from_pandas does; `names` are its arguments that name columns."""
    from ._graph import Graph   # which imports this module
    table, pairs = table_of("nodes", nodes), table_of("edges", edges)
    node_id = names["node_id"]
    if node_id is None:
        node_id = _id_column(table)
    ids = Ids(table, node_id)
    ends = [ids.positions(pairs, names[end], "the %s of each edge" % end)
            for end in ("source", "target")]
    label = table.first("label", "y") if names["label"] is None else names["label"]
    features = names["features"]
    if features is None:
        used = {node_id, table.index, label, names["split"] or "split", "node_weight", *MASKS}
        features = [name for name in table.names if name not in used]
        if node_id is None:
            _warn_unread(table, features, np.concatenate(ends))
    found = nodes_of(table, features, label, names["split"], names["class_names"],
                     names["num_classes"])
    if names["features"] is None and "node_weight" in table.names:
        found.arrays["node_weight"] = table.column("node_weight")
    weight = names["weight"]
    weight = pairs.first("weight") if weight is None else weight
    if weight is None:
        _warn_weight(pairs, (names["source"], names["target"]))
    return Graph.from_arrays(
        edge_index=np.stack(ends), num_nodes=table.rows, node_names=names_of(ids.column),
        edge_weight=None if weight is None else pairs.need(weight, "the weights"),
        **found.arrays, **reading)
