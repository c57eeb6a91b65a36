"""Makes a graph from NumPy and SciPy arrays, which are borrowed if their layout allows.

The edges are built first, without features; then a second handle adds the features and everything
else without a copy.  This module checks types and shapes; the library checks values.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _capi as c
from . import _labels
from ._errors import ArgumentError, FormatError
from ._memory import Handle, lend, row_lengths
from ._options import whole
from ._places import placed
from ._progress import call
from ._report import text_of

PARTS = ("train", "val", "test")


def is_sparse(x: Any) -> bool:
    """Whether x is a SciPy sparse matrix or array; SciPy is not imported."""
    return hasattr(x, "tocsr") and hasattr(x, "nnz")


def _rows(name: str, matrix: Any) -> Any:
    """A SciPy matrix as CSR.

    It is checked first: SciPy does not check its arrays, and writes outside them if they are wrong.
    """
    try:
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
        elif hasattr(matrix, "row"):
            for index, size in ((matrix.row, matrix.shape[0]), (matrix.col, matrix.shape[1])):
                if index.size and not 0 <= int(index.min()) <= int(index.max()) < size:
                    raise ValueError("an index is outside 0..%d" % (size - 1))
    except ValueError as error:
        raise ArgumentError("%s is not a valid sparse matrix: %s" % (name, error)) from None
    return matrix.tocsr()


def refuse_masked(name: str, value: Any) -> None:
    """NumPy would use what lies under the mask of a masked array."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ArgumentError("%s is a masked array with %d masked entries; give them values first, "
                            "with filled()" % (name, np.ma.count_masked(value)))


def _array(name: str, value: Any, texts: bool = False) -> np.ndarray:
    """The NumPy array of an array, a list, or a tensor on the CPU; of numbers, or of texts too."""
    device = getattr(value, "device", None)
    kind = getattr(device, "type", device)
    if kind is not None and str(kind) not in ("cpu", "None", "meta") and hasattr(value, "cpu"):
        value, kind = value.cpu(), None         # a tensor on a GPU
    if kind is not None and str(kind) not in ("cpu", "None"):
        raise ArgumentError("%s is on the device %s; move it to the CPU first, with .cpu()" %
                            (name, device))
    if is_sparse(value):
        raise ArgumentError("%s is a sparse matrix where an array is needed" % name)
    if getattr(value, "requires_grad", False):
        value = value.detach()
    if str(getattr(value, "dtype", "")) in ("torch.bfloat16", "bfloat16"):  # NumPy has none
        value = value.float() if hasattr(value, "float") else value.astype(np.float32)
    refuse_masked(name, value)
    try:
        array = _labels.array_of(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArgumentError("%s cannot be made an array: %s" % (name, error)) from None
    if array.dtype.kind not in ("biufOUS" if texts else "biuf"):
        raise ArgumentError("%s has the type %s; it must hold numbers" % (name, array.dtype))
    return array


def plain(array: np.ndarray, kind: Any) -> np.ndarray:
    """The same numbers in row-major order, aligned; a copy only if needed."""
    return np.require(array, kind, ["C", "A"])


def _shaped(array: np.ndarray) -> str:
    return "[" + ", ".join(map(str, array.shape)) + "]"


def whole_numbers(name: str, value: Any, ndim: int = 1) -> np.ndarray:
    array = _array(name, value)
    if array.dtype.kind not in "iu" and array.size:
        raise ArgumentError("%s has the type %s; it must hold whole numbers" % (name, array.dtype))
    if array.ndim != ndim:
        raise ArgumentError("%s has the shape %s; it must have %d dimension%s" %
                            (name, _shaped(array), ndim, "s" if ndim > 1 else ""))
    return array


def to_int32(name: str, array: np.ndarray) -> np.ndarray:
    """The same numbers as int32, contiguous; a copy only if needed."""
    if array.dtype != np.int32 and array.size and array.dtype.itemsize >= 4:
        low, high = int(array.min()), int(array.max())
        if low < -2**31 or high >= 2**31:
            raise ArgumentError("%s has the entry %d, which is no node" %
                                (name, low if low < -2**31 else high))
    return plain(array, np.int32)


# ---- features ----


def _dense(x: Any) -> np.ndarray:
    array = _array("x", x)
    if array.ndim != 2:
        raise ArgumentError("x has the shape %s; it must be [nodes, features]" % _shaped(array))
    kind = array.dtype if array.dtype in (np.float16, np.float32) else np.dtype(np.float32)
    with np.errstate(over="ignore"):        # the library refuses entries that became infinite
        return plain(array, kind)


def _sparse(x: Any) -> Any:
    """CSR with sorted rows, without repeated entries or zeros, as the library needs it."""
    if x.ndim != 2:
        raise ArgumentError("x is a sparse matrix of %d dimensions; it must have 2" % x.ndim)
    if x.dtype.kind not in "biuf":
        raise ArgumentError("x has the type %s; it must hold numbers" % x.dtype)
    rows = _rows("x", x)
    if rows.dtype != np.float32:
        with np.errstate(over="ignore"):
            rows = rows.astype(np.float32)
    if not rows.has_canonical_format or (rows.data == 0).any():
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return rows


def _unsigned(array: np.ndarray) -> np.ndarray:
    """Indices as the unsigned type of the same width: a view, not a copy."""
    if array.dtype.kind == "u" and array.dtype.itemsize >= 4:
        kind = array.dtype.newbyteorder("=")
    else:
        kind = np.dtype(np.int64 if array.dtype.itemsize > 4 else np.int32)
    flat = plain(array, kind)
    return flat.view("u%d" % flat.dtype.itemsize)


def _uint32(name: str, array: np.ndarray) -> np.ndarray:
    if array.dtype == np.uint32:
        return plain(array, np.uint32)
    return to_int32(name, array).view(np.uint32)


def _one_a_node(y: Any) -> np.ndarray:
    """Labels as numbers or, if one is a text, as objects."""
    array = _array("y", y, texts=True)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ArgumentError("y has the shape %s, several labels a node; choose one column, "
                            "y[:, i], or give one class a node" % _shaped(array))
    if array.dtype.kind == "f":
        raise ArgumentError("y has the type %s; it must hold whole numbers, -1 for unknown" %
                            array.dtype)
    return _labels.plain("y", array) if array.dtype.kind in "OUS" else array


class Draft:
    """A view to which sections are added, and the arrays that it borrows."""

    def __init__(self) -> None:
        self.view = c.init(c.View)
        self.nodes: Optional[int] = None
        self.said = ""
        self.keep: List[Any] = []
        self.given: Optional[Sequence[int]] = None      # the label of each class, if numbers

    def count(self, name: str, nodes: int) -> None:
        """Checks that every array has as many nodes as the first one."""
        if self.nodes is None:
            self.nodes, self.said = nodes, name
        elif self.nodes != nodes:
            raise ArgumentError("%s has %d nodes but %s has %d" %
                                (name, nodes, self.said, self.nodes))

    def put(self, number: int, array: np.ndarray) -> None:
        lend(self.view, number, array)
        self.keep.append(array)

    def features(self, x: Any) -> None:
        if is_sparse(x):
            rows = _sparse(x)
            self.count("x", rows.shape[0])
            self.put(c.FEATURE_OFFSETS, _unsigned(rows.indptr))
            self.put(c.FEATURE_INDICES, _uint32("x", rows.indices))
            self.put(c.FEATURE_VALUES, plain(rows.data, np.float32))
        else:
            rows = _dense(x)
            self.count("x", rows.shape[0])
            if rows.shape[1]:
                self.put(c.FEATURES, rows)
        self.view.features = rows.shape[1]

    def classes(self, y: Any, names: Optional[List[str]], classes: Optional[int],
                relabel: Optional[bool]) -> None:
        """Adds class numbers, or the classes of texts or, to relabel, of numbers; and the names."""
        array = _one_a_node(y)
        found = _labels.of_array(array, names, classes, relabel)
        named = found.names if names is None else names
        if named is not None:
            self.names(c.CLASS_NAMES, "class", named)
        self.labels(found.numbers, classes if named is None else len(named))
        if array.dtype.kind != "O":
            self.given = found.values or range(self.view.classes)

    def labels(self, array: np.ndarray, classes: Optional[int]) -> None:
        self.count("y", array.size)
        high = int(array.max()) if array.size else -1
        _labels.not_below("y", array)
        _labels.not_above("y", array)
        classes = max(high + 1, 0) if classes is None else classes
        if high >= classes:
            raise ArgumentError("y has the label %d but there are %d classes" % (high, classes))
        self.put(c.LABELS, _labels.section(array, classes))
        self.view.classes = classes

    def metadata(self, report: Any) -> None:
        """Adds a report, without the parts that differ from run to run."""
        if not isinstance(report, dict):
            raise ArgumentError("report must be what condense told, a dictionary, not %s" %
                                type(report).__name__)
        self.put(c.METADATA, np.frombuffer(text_of(report), np.uint8))

    def soft_labels(self, y_soft: Any) -> None:
        array = _array("y_soft", y_soft)
        if array.ndim != 2:
            raise ArgumentError("y_soft has the shape %s; it must be [nodes, classes]" %
                                _shaped(array))
        self.count("y_soft", array.shape[0])
        if array.shape[1] != self.view.classes:
            raise ArgumentError("y_soft has %d classes but there are %d" %
                                (array.shape[1], self.view.classes))
        self.put(c.SOFT_LABELS, plain(array, np.float32))

    def column(self, number: int, name: str, value: Any, kind: Any) -> None:
        """Adds one number per node."""
        array = _array(name, value)
        if array.ndim != 1:
            raise ArgumentError("%s has the shape %s; it must have one entry a node" %
                                (name, _shaped(array)))
        self.count(name, array.size)
        if np.dtype(kind).kind == "u":
            array = whole_numbers(name, array)
            if array.size and not 0 <= int(array.min()) <= int(array.max()) <= np.iinfo(kind).max:
                raise ArgumentError("%s has an entry outside 0..%d" % (name, np.iinfo(kind).max))
        self.put(number, plain(array, kind))

    def names(self, number: int, of: str, names: Sequence[Any]) -> None:
        """Adds the names of all classes, nodes or features."""
        texts = [str(name).encode("utf-8", "replace") for name in names]
        if any(b"\0" in text for text in texts):
            raise ArgumentError("a %s name has a zero byte in it" % of)
        self.put(number, np.frombuffer(b"".join(t + b"\0" for t in texts), np.uint8))


def projection(matrix: Any, features: int) -> np.ndarray:
    """The matrix that coordinates come of, checked."""
    found = np.ascontiguousarray(matrix, np.float32)
    if found.ndim != 2 or found.shape[1] != features or not np.isfinite(found).all():
        raise ArgumentError("projection has the shape %s; it must be [full features, %d], of finite "
                            "numbers" % (list(found.shape), features))
    return found


def add_classes(draft: Draft, y: Any, y_soft: Any, class_names: Optional[Sequence[str]],
                num_classes: Optional[int], relabel: Optional[bool]) -> None:
    """Adds labels and soft labels, and says how many classes there are."""
    names = None if class_names is None else list(class_names)
    if y_soft is not None and relabel is None:      # it has a column for each class number
        relabel = False
    if names is not None:
        if num_classes is not None and num_classes != len(names):
            raise ArgumentError("there are %d class names but num_classes is %d" %
                                (len(names), num_classes))
        num_classes = len(names)
    if num_classes is not None:
        draft.view.classes = whole("num_classes", num_classes, 0, 2**31 - 1)
    if y is not None:
        draft.classes(y, names, num_classes, relabel)
    elif names is not None:
        draft.names(c.CLASS_NAMES, "class", names)
    elif y_soft is not None and num_classes is None:
        draft.view.classes = np.shape(y_soft)[-1] if np.ndim(y_soft) else 0
    if y_soft is not None:
        draft.soft_labels(y_soft)


# ---- splits ----


def _mask(draft: Draft, name: str, mask: Any) -> np.ndarray:
    array = _array(name, mask)
    if array.ndim == 2:
        raise ArgumentError("%s has the shape %s, %d splits; choose one, %s[:, i]" %
                            (name, _shaped(array), array.shape[1], name))
    if array.ndim != 1:
        raise ArgumentError("%s has the shape %s; it must have one entry a node" %
                            (name, _shaped(array)))
    if array.dtype != np.bool_:
        if array.dtype.kind != "u" or array.dtype.itemsize != 1 or (array > 1).any():
            raise ArgumentError("%s has the type %s; it must hold True and False (indices go into "
                                "split=(train, val, test))" % (name, array.dtype))
        array = array.astype(np.bool_)
    draft.count(name, array.size)
    return array


def _indices(name: str, value: Any, nodes: int) -> np.ndarray:
    array = whole_numbers(name, value)
    if array.size == 0:
        return array.astype(np.int64)
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= nodes:
        raise ArgumentError("%s has the index %d, outside 0..%d" %
                            (name, low if low < 0 else high, nodes - 1))
    return array


def split_section(nodes: int, parts: Dict[str, np.ndarray]) -> np.ndarray:
    """The part of each node, from masks or indices, which must not overlap."""
    section = np.zeros(nodes, np.uint8)
    for number, name in enumerate(PARTS, 1):
        where = parts.get(name)
        if where is None:
            continue
        taken = section[where]
        if taken.any():
            first = int(np.flatnonzero(where)[np.argmax(taken != 0)]
                        if where.dtype == np.bool_ else where[np.argmax(taken != 0)])
            other = PARTS[int(section[first]) - 1]
            raise ArgumentError("node %d is in two parts of the split, %s and %s" %
                                (first, other, name))
        section[where] = number
    return section


# ---- edges ----


def _edge_list(edge_index: Any, weight: Any) -> Tuple[np.ndarray, np.ndarray, Any]:
    array = _array("edge_index", edge_index)
    if array.ndim != 2 or array.shape[0] != 2:
        turned = "; give its transpose" if array.ndim == 2 and array.shape[1] == 2 else ""
        raise ArgumentError("edge_index has the shape %s; it must be [2, edges]%s" %
                            (_shaped(array), turned))
    array = whole_numbers("edge_index", array, 2)
    source = to_int32("edge_index", array[0])
    return source, to_int32("edge_index", array[1]), _weights("edge_weight", weight, source.size)


def _weights(name: str, weight: Any, edges: int) -> Any:
    if weight is None:
        return None
    array = _array(name, weight)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or array.size != edges:
        raise ArgumentError("%s has the shape %s; it must have one entry an edge, %d" %
                            (name, _shaped(array), edges))
    return plain(array, np.float32)


def _highest(*arrays: np.ndarray) -> int:
    return max((int(a.max()) for a in arrays if a.size), default=-1)


def _build(draft: Draft, source: np.ndarray, target: np.ndarray, weight: Any,
           options: Any) -> Handle:
    handle = Handle()
    view = c.init(c.View)
    view.nodes = draft.nodes or 0
    view.flags = draft.view.flags
    call(c.graph_build, handle.out, ctypes.byref(view), source.size, source.ctypes.data,
         target.ctypes.data, None if weight is None else weight.ctypes.data, options=options)
    return handle


def rows_of(csr: Any, weighted: bool = False) -> Tuple[np.ndarray, np.ndarray, Any]:
    """The parts of (indptr, indices[, weights]) or of a SciPy matrix.

    A matrix of ones has no weights, unless it is to be weighted.
    """
    if is_sparse(csr):
        if csr.shape[0] != csr.shape[1]:
            raise ArgumentError("csr has the shape [%d, %d]; an adjacency is square" % csr.shape)
        rows = _rows("csr", csr)
        if (rows.data == 0).any():          # not edges; setdiag(0), for one, leaves them
            rows = rows.copy()
            rows.eliminate_zeros()
        ones = not weighted and (rows.data == 1).all()
        csr = (rows.indptr, rows.indices) if ones else (rows.indptr, rows.indices, rows.data)
    try:
        parts = list(csr)
    except TypeError:
        parts = []
    if len(parts) not in (2, 3):
        raise ArgumentError("csr must be (indptr, indices), (indptr, indices, weights) or a sparse "
                            "matrix of SciPy")
    indptr = whole_numbers("indptr", parts[0])
    indices = whole_numbers("indices", parts[1])
    if indptr.size == 0:
        raise ArgumentError("indptr is empty; it must have one entry more than there are nodes")
    weights = parts[2] if len(parts) == 3 else None
    return indptr, indices, _weights("weights", weights, indices.size)


def _borrow(draft: Draft, indptr: np.ndarray, indices: np.ndarray, weights: Any,
            options: Any) -> Handle:
    """The rows as they are; fails if the library cannot use them so."""
    view = c.init(c.View)
    view.nodes = indptr.size - 1
    view.flags = (draft.view.flags | c.DIRECTED * bool(options.keep_directed) |
                  c.SELF_LOOPS * bool(options.keep_self_loops or draft.view.flags) |
                  c.REPEATED * bool(options.keep_repeated))
    arrays = {c.OFFSETS: _unsigned(indptr), c.NEIGHBORS: _uint32("indices", indices)}
    if weights is not None:
        arrays[c.EDGE_WEIGHTS] = weights
    for number, array in arrays.items():
        lend(view, number, array)
    handle = Handle(keep=tuple(arrays.values()))
    call(c.graph_new, handle.out, ctypes.byref(view), 0)
    call(c.graph_check, handle, options=options)
    return handle


def _from_rows(draft: Draft, indptr: np.ndarray, indices: np.ndarray, weights: Any,
               options: Any) -> Handle:
    try:
        return _borrow(draft, indptr, indices, weights, options)
    except (ArgumentError, FormatError):
        pass        # unsorted, or without the reverse entries: build it
    lengths = row_lengths(indptr)
    if indptr[0] != 0 or (lengths < 0).any() or int(indptr[-1]) != indices.size:
        raise ArgumentError("indptr must rise from 0 to the number of indices, %d" % indices.size)
    source = np.repeat(np.arange(lengths.size, dtype=np.int32), lengths)
    return _build(draft, source, to_int32("indices", indices), weights, options)


def adjacency(draft: Draft, edge_index: Any, csr: Any, edge_weight: Any, options: Any) -> Handle:
    """A handle with only the edges.  The flags of the draft are 0, or OPERATOR."""
    if csr is not None:
        if edge_index is not None or edge_weight is not None:
            raise ArgumentError("give edge_index or csr, not both; the weights of csr are its "
                                "third array")
        indptr, indices, weights = rows_of(csr, weighted=bool(draft.view.flags))
        draft.count("csr", indptr.size - 1)
        return _from_rows(draft, indptr, indices, weights, options)
    if edge_index is None:
        edge_index = np.empty((2, 0), np.int32)
    source, target, weights = _edge_list(edge_index, edge_weight)
    if draft.nodes is None:
        draft.count("edge_index", _highest(source, target) + 1)
    return _build(draft, source, target, weights, options)


def graph_of(draft: Draft, edges: Handle) -> Handle:
    """A handle with the edges of one handle and the sections of the draft; nothing is copied."""
    have = c.graph_view(edges).contents
    view = draft.view
    view.nodes = have.nodes
    view.flags = have.flags
    for number in (c.OFFSETS, c.NEIGHBORS, c.EDGE_WEIGHTS):
        view.section[number] = have.section[number]
    handle = Handle(keep=(edges, *draft.keep))
    try:
        call(c.graph_new, handle.out, ctypes.byref(view), 0)
    except ArgumentError as error:
        raise placed(error, view, draft) from None
    return handle


def parts_of(draft: Draft, masks: Dict[str, Any], split: Any) -> Dict[str, np.ndarray]:
    """The masks by part; indices need the number of nodes and are resolved later."""
    given = {name: mask for name, mask in masks.items() if mask is not None}
    if split is not None and given:
        raise ArgumentError("give masks or split, not both")
    return {name: _mask(draft, name + "_mask", mask) for name, mask in given.items()}


def parts_of_indices(nodes: int, split: Any) -> Dict[str, np.ndarray]:
    if isinstance(split, dict):
        names = {"valid": "val", "validation": "val"}
        split = {names.get(k, k): v for k, v in split.items()}
        if set(split) - set(PARTS):
            raise ArgumentError("split has the part %s; there are train, val and test" %
                                sorted(set(split) - set(PARTS))[0])
        split = [split.get(name, ()) for name in PARTS]
    try:
        parts = list(split)
    except TypeError:
        parts = []
    if len(parts) != 3:
        raise ArgumentError("split must be three arrays of indices: (train, val, test)")
    return {name: _indices("split[%d] (%s)" % (i, name), part, nodes)
            for i, (name, part) in enumerate(zip(PARTS, parts))}
