"""Arrays: the sizes of a graph, and its arrays as NumPy arrays.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
import json
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _capi as c
from . import _options as options_of
from ._errors import ArgumentError
from ._members import lists
from ._memory import Handle, row_lengths, section
from ._progress import call
from ._report import Report
from ._why import told


class Arrays:
    """The base of Graph: everything that can be read from one."""

    _handle: Optional[Handle]
    _verified: bool
    _run: Optional[Dict[str, Any]]
    _info: Optional[c.CondenseInfo]
    _given: Optional[Sequence[int]]
    _projection: Optional[np.ndarray] = None    # of a small graph that was made of arrays

    def _live(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise ArgumentError("the graph is closed")
        return handle

    # ---- sizes ----

    def _size(self, name: str) -> int:
        handle = self._live()           # keeps the view alive while it is read
        return int(getattr(c.graph_view(handle).contents, name))

    @property
    def num_nodes(self) -> int:
        return self._size("nodes")

    @property
    def num_edges(self) -> int:
        """The entries of the adjacency: an undirected edge counts twice."""
        return int(c.graph_edges(self._live()))

    @property
    def num_features(self) -> int:
        return self._size("features")

    @property
    def num_classes(self) -> int:
        return self._size("classes")

    @property
    def directed(self) -> bool:
        return bool(self._size("flags") & c.DIRECTED)

    @property
    def operator(self) -> bool:
        """Whether the edge weights, of any sign, multiply rows as they are (method gdem)."""
        return bool(self._size("flags") & c.OPERATOR)

    def _bytes(self, accounting: str) -> float:
        number = options_of.choice("accounting", accounting,
                                   options_of.words(c.CondenseOptions, "accounting"))
        if number and self._section(c.ROLE) is not None:
            number = c.PAPER_CONDENSED
        out = ctypes.c_double()
        call(c.graph_bytes, ctypes.byref(out), self._live(), number)
        return out.value

    @property
    def nbytes(self) -> int:
        """The bytes of the graph's sections in the smallest file that loses nothing."""
        return int(self._bytes("strict"))

    @property
    def paper_nbytes(self) -> float:
        """The bytes of the graph as the paper's published code counts them."""
        return self._bytes("paper")

    # ---- arrays ----

    def _section(self, number: int) -> Optional[np.ndarray]:
        """A section; if the graph is a mapped file, it is verified first."""
        handle = self._live()
        if not self._verified:
            call(c.graph_verify, handle)
            self._verified = True
        return section(handle, number)

    def _needed(self, number: int) -> np.ndarray:
        array = self._section(number)
        assert array is not None
        return array

    @property
    def csr(self) -> Tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
        """(indptr, indices, weights or None), with the types that they have in memory."""
        return (self._needed(c.OFFSETS), self._needed(c.NEIGHBORS), self._section(c.EDGE_WEIGHTS))

    @property
    def edge_index(self) -> np.ndarray:
        """[2, m] int64, a new array."""
        indptr, indices, _ = self.csr
        out = np.empty((2, indices.size), np.int64)
        out[0] = np.repeat(np.arange(indptr.size - 1), row_lengths(indptr))
        out[1] = indices
        return out

    @property
    def edge_weight(self) -> Optional[np.ndarray]:
        """[m] float32 in the order of edge_index, or None."""
        return self._section(c.EDGE_WEIGHTS)

    @property
    def x(self) -> Optional[np.ndarray]:
        """[n, f] float32; a view if the features are stored so, else decoded."""
        n, f = self.num_nodes, self.num_features
        dense = self._section(c.FEATURES)
        if dense is not None:
            rows = dense.reshape(n, f)
            scale = self._section(c.FEATURE_SCALE)
            if scale is not None:
                rows = np.multiply(rows, scale[:, None], dtype=np.float32)
            return rows.astype(np.float32, copy=False)
        parts = self._sparse_parts()
        if parts is None:
            return None
        indptr, indices, values = parts
        rows = np.zeros((n, f), np.float32)
        rows[np.repeat(np.arange(n), row_lengths(indptr)), indices] = values
        return rows

    @property
    def projection(self) -> Optional[np.ndarray]:
        """[f, r] float32: x of the full graph times it is in the coordinates that x of this small
        graph has (`condense(..., coordinates=True)`); None: x has the features of the full graph."""
        handle = self._live()
        rows = int(c.graph_projected(handle))
        if rows == 0:
            return self._projection
        out = np.empty((rows, self.num_features), np.float32)
        call(c.graph_projection, out.ctypes.data, handle)
        return out

    def _times(self, matrix: np.ndarray) -> np.ndarray:
        """x @ matrix, of sparse rows some at a time."""
        parts, n, f, some = self._sparse_parts(), self.num_nodes, self.num_features, 1024
        if parts is None:
            return np.ascontiguousarray(self.x @ matrix, np.float32)
        indptr, indices, values = parts
        out = np.empty((n, matrix.shape[1]), np.float32)
        for v in range(0, n, some):
            ends = indptr[v:v + some + 1]
            rows = np.zeros((ends.size - 1, f), np.float32)
            at = slice(ends[0], ends[-1])
            rows[np.repeat(np.arange(ends.size - 1), row_lengths(ends)), indices[at]] = values[at]
            out[v:v + some] = rows @ matrix
        return out

    def _sparse_parts(self) -> Optional[Tuple[np.ndarray, np.ndarray, np.ndarray]]:
        indptr = self._section(c.FEATURE_OFFSETS)
        if indptr is None:
            return None
        indptr = indptr.astype(np.int64)
        empty = np.empty(0, np.uint32)
        indices = self._section(c.FEATURE_INDICES)
        values, scale = self._section(c.FEATURE_VALUES), self._section(c.FEATURE_SCALE)
        indices = empty if indices is None else indices
        if values is None:
            values = np.ones(indices.size, np.float32)
        elif scale is not None:
            values = values * np.repeat(scale, row_lengths(indptr))
        return indptr, indices, values

    @property
    def x_sparse(self) -> Any:
        """The features as a SciPy csr_matrix if they are stored sparse, else None."""
        parts = self._sparse_parts()
        if parts is None:
            return None
        from scipy.sparse import csr_matrix  # type: ignore[import-untyped,unused-ignore]
        indptr, indices, values = parts
        narrow = indptr if indptr[-1] >= 2**31 else indptr.astype(np.int32)
        return csr_matrix((values, indices.astype(narrow.dtype), narrow),
                          shape=(self.num_nodes, self.num_features), copy=False)

    @property
    def y(self) -> Optional[np.ndarray]:
        """[n] int64, the class of each node, -1 if unknown; None without labels."""
        stored = self._section(c.LABELS)
        if stored is None:
            return None
        labels = stored.astype(np.int64)
        labels[stored == np.iinfo(stored.dtype).max] = -1
        return labels

    @property
    def y_soft(self) -> Optional[np.ndarray]:
        """[n, c] float32, the share of each class, or None; the shares of a node sum to 1."""
        stored = self._section(c.SOFT_LABELS)
        if stored is None:
            return None
        rows = stored.reshape(self.num_nodes, self.num_classes)
        return rows if rows.dtype == np.float32 else rows.astype(np.float32) / np.float32(255)

    @property
    def node_weight(self) -> Optional[np.ndarray]:
        """[n] float32, the weight of each node in the loss, or None."""
        stored = self._section(c.NODE_WEIGHTS)
        return None if stored is None else stored.astype(np.float32, copy=False)

    def _part(self, number: int) -> Optional[np.ndarray]:
        stored = self._section(c.SPLIT)
        return None if stored is None else stored == number

    @property
    def train_mask(self) -> Optional[np.ndarray]:
        return self._part(c.TRAIN)

    @property
    def val_mask(self) -> Optional[np.ndarray]:
        return self._part(c.VAL)

    @property
    def test_mask(self) -> Optional[np.ndarray]:
        return self._part(c.TEST)

    def _int64(self, number: int) -> Optional[np.ndarray]:
        stored = self._section(number)
        return None if stored is None else stored.astype(np.int64)

    @property
    def origin(self) -> Optional[np.ndarray]:
        """[n] int64, the number of each node in the full graph, or None."""
        return self._int64(c.ORIGIN)

    @property
    def role(self) -> Optional[np.ndarray]:
        """[n] uint8: 0 none, 1 root, 2 in a root's tree, 3 prototype, 4 learned; or None."""
        return self._section(c.ROLE)

    @property
    def kept_features(self) -> Optional[np.ndarray]:
        """[f] int64, the kept columns of the full graph's features, or None."""
        return self._int64(c.KEPT_FEATURES)

    @property
    def feature_mean(self) -> Optional[np.ndarray]:
        """[f] float32, what was subtracted from the columns of the features, or None."""
        return self._section(c.FEATURE_MEAN)

    @property
    def feature_spread(self) -> Optional[np.ndarray]:
        """[f] float32, what the columns were then divided by, or None."""
        return self._section(c.FEATURE_SPREAD)

    @property
    def members(self) -> Optional[List[np.ndarray]]:
        """For each prototype, the nodes that it stands for; None without members=True."""
        offsets = self._section(c.MEMBER_OFFSETS)
        if offsets is None:
            return None
        nodes = self._int64(c.MEMBERS)
        if nodes is None:
            nodes = np.empty(0, np.int64)
        return lists(offsets, nodes)

    def _texts(self, number: int) -> Optional[List[str]]:
        stored = self._section(number)
        return None if stored is None else stored.tobytes().decode("utf-8").split("\0")[:-1]

    @property
    def class_names(self) -> Optional[List[str]]:
        return self._texts(c.CLASS_NAMES)

    @property
    def feature_names(self) -> Optional[List[str]]:
        return self._texts(c.FEATURE_NAMES)

    @property
    def node_names(self) -> Optional[List[str]]:
        return self._texts(c.NODE_NAMES)

    @property
    def report(self) -> Optional[Report]:
        """How a condensed graph was made, and its sizes; None for any other graph."""
        stored = self._section(c.METADATA)
        if stored is None:
            return None
        try:
            call(c.condense_info_of, ctypes.byref(c.init(c.CondenseInfo)), self._live())
        except ArgumentError:           # it was not condensed
            return None
        return Report({**json.loads(stored.tobytes()), **(self._run or {})})

    def why(self, node: int) -> Dict[str, Any]:
        """Why a node of a condensed graph is there.

        role      "root", "ego", "prototype" or "learned"
        origin    the node of the full graph that it is, or is nearest to; None: it was learned
        tree      the node of the full graph whose tree brought it; None: gone, or no tree
        root      the same node in this graph
        covers    sampled trees that it covers as a root, of `sample`
        score     PageRank, and its rank from 1; None: none
        weight    in the loss
        members   nodes that a prototype stands for; None: not stored
        label, edges   as in the graph
        partner   of a prototype that is a pair of nodes, the other node; None: it is no pair.  The
                  second has no label and stands for no nodes: it passes its features on to the first

        >>> import graphbonsai
        >>> g = graphbonsai.generate(nodes=300, features=40, classes=3)
        >>> small = graphbonsai.condense(g, 0.05, method="trees", threads=1)
        >>> why = small.why(0)
        >>> why["role"] in ("root", "ego"), why["origin"] == int(small.origin[0])
        (True, True)
        """
        w = c.init(c.Why)
        call(c.condense_why, ctypes.byref(w), self._live(),
             options_of.whole("node", node, -2**63, 2**63 - 1))
        return told(w)

    @property
    def changes(self) -> Dict[str, Any]:
        """What reading or building changed in the given edges."""
        handle = self._live()
        source = next((k for k in handle.keep if isinstance(k, Handle)), handle)
        r = c.graph_read_info(source).contents
        found = c.values(r)
        del found["size"]
        found["format"] = found["format"].decode()
        return found

    def feature_mask(self, num_full_features: Optional[int] = None) -> np.ndarray:
        """[f of the full graph] bool, True for the features that this graph kept."""
        kept = self.kept_features
        highest = self.num_features if kept is None else int(kept.max(initial=-1)) + 1
        count = highest if num_full_features is None else options_of.whole(
            "num_full_features", num_full_features, 0, 2**31 - 1)
        if kept is None and count != self.num_features:
            raise ArgumentError("the graph has all its %d features, but num_full_features is %d" %
                                (self.num_features, count))
        if count < highest:
            raise ArgumentError("the graph kept feature %d, but num_full_features is %d" %
                                (highest - 1, count))
        mask = np.zeros(count, np.bool_)
        mask[slice(None) if kept is None else kept] = True
        return mask
