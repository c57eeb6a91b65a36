"""Graph: a graph of the library, its arrays as NumPy's.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
import json
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _build as build
from . import _capi as c
from . import _options as options_of
from ._errors import ArgumentError
from ._memory import Handle, row_lengths, section
from ._progress import Progress, call
from ._report import Info, Report, info_of

PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class Graph:
    """A graph with features, labels and a split.

    Made by `Graph.from_arrays`, `Graph.load`, `graphbonsai.generate` and
    `graphbonsai.condense`.  It does not change.  Arrays that show the library's
    memory are read-only and keep it alive, even after `close`.

    >>> import numpy as np
    >>> g = Graph.from_arrays(edge_index=np.array([[0, 1, 2], [1, 2, 0]]),
    ...                       x=np.eye(3, dtype=np.float32), y=[0, 1, -1],
    ...                       train_mask=np.array([True, True, False]))
    >>> g
    Graph(nodes=3, edges=6, features=3, classes=2)
    >>> g.edge_index.tolist()
    [[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]]
    """

    def __init__(self) -> None:
        raise TypeError("a Graph is made by Graph.from_arrays, Graph.load or graphbonsai.condense")

    @classmethod
    def _of(cls, handle: Handle, run: Optional[Dict[str, Any]] = None,
            info: Optional[c.CondenseInfo] = None) -> "Graph":
        g = object.__new__(cls)
        g._handle = handle
        g._verified = False
        g._run = run            # what only the call that made it knows: seconds, memory
        g._info = info          # ... and all that it told
        return g

    _handle: Optional[Handle]
    _verified: bool
    _run: Optional[Dict[str, Any]]
    _info: Optional[c.CondenseInfo]

    # ---- making one ----

    @classmethod
    def from_arrays(cls, *, edge_index: Any = None, csr: Any = None,
                    num_nodes: Optional[int] = None, x: Any = None, y: Any = None,
                    train_mask: Any = None, val_mask: Any = None, test_mask: Any = None,
                    split: Any = None, edge_weight: Any = None,
                    class_names: Optional[Sequence[str]] = None,
                    num_classes: Optional[int] = None, y_soft: Any = None,
                    node_weight: Any = None, origin: Any = None, role: Any = None,
                    kept_features: Any = None, report: Any = None, keep_directed: bool = False,
                    keep_self_loops: bool = False, keep_repeated: bool = False,
                    threads: int = 0) -> "Graph":
        """A graph of arrays, borrowed where their layout allows and kept alive.

        edge_index        [2, m] whole numbers; int32 is not copied
        csr               instead: (indptr, indices[, weights]), or a SciPy matrix
        num_nodes         where no array says it
        x                 [n, f]: float32 or float16 in rows is not copied, nor is SciPy's CSR
                          of float32; anything else becomes float32
        y                 [n] classes 0, 1, ...; -1 is unknown
        train_mask, ...   [n] True and False; or
        split             (train, val, test) as arrays of indices
        edge_weight       [m] positive
        y_soft, node_weight, origin, role, kept_features, report  as a condensed graph has them

        Edges get their reverse, self loops go, repeated edges become one with the sum of
        the weights, unless keep_directed, keep_self_loops, keep_repeated.  Do not write
        into a borrowed array while the graph is in use.

        >>> import numpy as np
        >>> g = Graph.from_arrays(csr=(np.array([0, 1, 2]), np.array([1, 0])), y=[0, 0])
        >>> len(g), g.num_edges, g.x is None
        (2, 2, True)
        >>> Graph.from_arrays(edge_index=np.array([[0, 1], [1, 9]]), num_nodes=3)
        Traceback (most recent call last):
            ...
        graphbonsai._errors.ArgumentError: graph: edge 1: node 9 is outside 0..2
        """
        read = options_of.fill(c.ReadOptions, dict(
            keep_directed=keep_directed, keep_self_loops=keep_self_loops,
            keep_repeated=keep_repeated, threads=threads))
        draft = build.Draft()
        if num_nodes is not None:
            draft.count("num_nodes", options_of.whole("num_nodes", num_nodes, 0, 2**31 - 1))
        if x is not None:
            draft.features(x)
        if class_names is not None:
            class_names = list(class_names)
            if num_classes is not None and num_classes != len(class_names):
                raise ArgumentError("there are %d class names but num_classes is %d" %
                                    (len(class_names), num_classes))
            num_classes = len(class_names)
            draft.names(c.CLASS_NAMES, class_names)
        if num_classes is not None:
            draft.view.classes = options_of.whole("num_classes", num_classes, 0, 2**31 - 1)
        if y is not None:
            draft.labels(y, num_classes)
        elif y_soft is not None and num_classes is None:
            draft.view.classes = np.shape(y_soft)[-1] if np.ndim(y_soft) else 0
        if y_soft is not None:
            draft.soft_labels(y_soft)
        if node_weight is not None:
            draft.column(c.NODE_WEIGHTS, "node_weight", node_weight, np.float32)
        if origin is not None:
            draft.column(c.ORIGIN, "origin", origin, np.uint32)
        if role is not None:
            draft.column(c.ROLE, "role", role, np.uint8)
        if kept_features is not None:
            kept = build.to_int32("kept_features", build.whole_numbers("kept_features",
                                                                       kept_features))
            draft.put(c.KEPT_FEATURES, kept.view(np.uint32))
        if report is not None:
            draft.metadata(report)
        parts = build.parts_of(draft, dict(train=train_mask, val=val_mask, test=test_mask), split)
        edges = build.adjacency(draft, edge_index, csr, edge_weight, read)
        if split is not None:
            parts = build.parts_of_indices(draft.nodes or 0, split)
        if parts:
            draft.put(c.SPLIT, build.split_section(draft.nodes or 0, parts))
        return cls._of(build.graph_of(draft, edges))

    @classmethod
    def load(cls, path: PathLike, *, progress: Progress = None, **options: Any) -> "Graph":
        """Reads any graph that the library knows: a file, a folder, or FORMAT:PATH.

        Options: keep_directed, keep_self_loops, keep_repeated, threads, and for text and
        mtx the files features and labels.

        >>> import graphbonsai, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "g.npz")
        ...     graphbonsai.generate(nodes=50, features=30, classes=2).save(path)
        ...     Graph.load(path).num_nodes
        []
        50
        """
        o = options_of.fill(c.ReadOptions, options, ["progress"])
        handle = Handle()
        call(c.graph_read, handle.out, options_of.path("path", path), progress=progress, options=o)
        return cls._of(handle)

    def save(self, path: PathLike, features: Optional[str] = None, *, threads: int = 0,
             progress: Progress = None) -> List[str]:
        """Writes the format that the ending names: .bonsai, .npz, or text for a folder/.

        features: how a .bonsai file stores them: "auto" (the smallest that loses nothing),
        "keep", "f32", "f16", "u8", "sparse", "sparse-u8".  Returns the texts of what the
        format cannot hold.
        """
        h = self._live()
        o = options_of.fill(c.WriteOptions, dict(features=features, threads=threads))
        left = ctypes.c_uint64()
        call(lambda *a: c.graph_save(ctypes.byref(left), *a), h, options_of.path("path", path),
             progress=progress, options=o)
        return [c.section_text(i).decode() for i in range(1, c.SECTIONS) if left.value >> i & 1]

    # ---- its life ----

    def _live(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise ArgumentError("the graph is closed")
        return handle

    def close(self) -> None:
        """Lets go of the graph.  Its memory is freed with the last array that shows it."""
        self._handle = None

    @property
    def closed(self) -> bool:
        return self._handle is None

    def __enter__(self) -> "Graph":
        self._live()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __len__(self) -> int:
        return self.num_nodes

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return "Graph(closed)" if self._handle is None else "Graph(nodes=%d, edges=%d, features=%d, classes=%d)" % (
            self.num_nodes, self.num_edges, self.num_features, self.num_classes)

    def _repr_html_(self) -> str:
        if self._handle is None or self.report is None:
            return "<code>%s</code>" % repr(self).replace("<", "&lt;")
        from ._page import report       # which wants this module
        return report(self, progress=False)

    def __copy__(self, memo: Any = None) -> "Graph":
        return Graph._of(self._live(), self._run, self._info)   # it does not change: share it

    __deepcopy__ = __copy__

    def __reduce__(self) -> Any:
        raise TypeError("a Graph cannot be pickled; save it to a file and load it there")

    # ---- sizes ----

    def _size(self, name: str) -> int:
        handle = self._live()           # alive for as long as its view is read
        return int(getattr(c.graph_view(handle).contents, name))

    @property
    def num_nodes(self) -> int:
        return self._size("nodes")

    @property
    def num_edges(self) -> int:
        """Entries of the adjacency: an undirected edge is two."""
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

    # ---- arrays ----

    def _section(self, number: int) -> Optional[np.ndarray]:
        """A section, verified first where it lies in a file."""
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
        """(indptr, indices, weights or None); the types are those in memory."""
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
        """[n, f] float32: the library's memory where it is stored so, else decoded."""
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
        """The features as SciPy's csr_matrix where they are stored sparsely, else None."""
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
        """[n] int64, -1 for unknown; None without labels."""
        stored = self._section(c.LABELS)
        if stored is None:
            return None
        labels = stored.astype(np.int64)
        labels[stored == np.iinfo(stored.dtype).max] = -1
        return labels

    @property
    def y_soft(self) -> Optional[np.ndarray]:
        """[n, c] float32 that sum to 1 in each row, or None."""
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
        """[n] int64: the node of the full graph that each node is, or None."""
        return self._int64(c.ORIGIN)

    @property
    def role(self) -> Optional[np.ndarray]:
        """[n] uint8: 0 none, 1 root of a tree, 2 ego node, 3 prototype; or None."""
        return self._section(c.ROLE)

    @property
    def kept_features(self) -> Optional[np.ndarray]:
        """[f] int64: the columns of the full graph's features that were kept, or None."""
        return self._int64(c.KEPT_FEATURES)

    @property
    def members(self) -> Optional[List[np.ndarray]]:
        """For each prototype the nodes that it stands for; None where they were not asked for."""
        offsets = self._section(c.MEMBER_OFFSETS)
        if offsets is None:
            return None
        nodes = self._int64(c.MEMBERS)
        if nodes is None:
            nodes = np.empty(0, np.int64)
        return [nodes[a:b] for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist())]

    def _texts(self, number: int) -> Optional[List[str]]:
        stored = self._section(number)
        return None if stored is None else stored.tobytes().decode("utf-8").split("\0")[:-1]

    @property
    def class_names(self) -> Optional[List[str]]:
        return self._texts(c.CLASS_NAMES)

    @property
    def node_names(self) -> Optional[List[str]]:
        return self._texts(c.NODE_NAMES)

    @property
    def report(self) -> Optional[Report]:
        """How a condensed graph was made and what it costs; None for any other graph."""
        stored = self._section(c.METADATA)
        if stored is None:
            return None
        metadata = json.loads(stored.tobytes())
        return Report({**metadata, **(self._run or {})}) if "sizes" in metadata else None

    @property
    def changes(self) -> Dict[str, Any]:
        """What reading or building did to the edges it was given."""
        handle = self._live()
        source = next((k for k in handle.keep if isinstance(k, Handle)), handle)
        r = c.graph_read_info(source).contents
        found = c.values(r)
        del found["size"]
        found["format"] = (found["format"] or b"").decode()
        return found

    def feature_mask(self, num_full_features: Optional[int] = None) -> np.ndarray:
        """[f of the full graph] bool: the features that this graph kept."""
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

    # ---- what the library does with it ----

    def nbytes(self, accounting: str = "strict") -> float:
        """The size in bytes, "strict" (every byte a file needs) or "paper" (the published code's)."""
        number = options_of.choice("accounting", accounting, list(options_of.ACCOUNTINGS))
        if number and self._section(c.ROLE) is not None:
            number = c.PAPER_CONDENSED
        out = ctypes.c_double()
        call(c.graph_bytes, ctypes.byref(out), self._live(), number)
        return out.value

    def split(self, percent: Sequence[float] = (60, 20, 20), seed: int = 1) -> "Graph":
        """The same graph with a fresh split of its labelled nodes, in percent."""
        shares = (ctypes.c_double * 3)(*options_of.three("percent", percent))
        number = options_of.whole("seed", seed, 0, 2**64 - 1)
        parent = self._live()
        handle = Handle(keep=(parent,))
        call(c.graph_split, handle.out, parent, shares, number)
        return Graph._of(handle)

    def induce(self, nodes: Any) -> "Graph":
        """The subgraph of the given nodes, in that order; their ids are its `origin`."""
        wanted = build.to_int32("nodes", build.whole_numbers("nodes", nodes))
        parent = self._live()
        handle = Handle(keep=(parent,))
        call(c.graph_induce, handle.out, parent, wanted.ctypes.data, wanted.size)
        return Graph._of(handle)

    def reorder(self, order: str, parts: int = 0, seed: int = 1, *, threads: int = 0,
                progress: Progress = None) -> "Graph":
        """The same graph with its nodes renumbered; their old numbers are its `origin`.

        order: "metis" (parts with few edges between them one after the other; needs a library
        with libmetis), "random", "degree" (most neighbours first) or "none".  parts: of "metis",
        0 for 8.

        >>> import numpy as np
        >>> g = Graph.from_arrays(edge_index=np.array([[0, 1, 1], [1, 2, 3]]), num_nodes=4)
        >>> g.reorder("degree").origin.tolist()
        [1, 0, 2, 3]
        """
        number = options_of.choice("order", order, ["none", "metis", "random", "degree"])
        parts = options_of.whole("parts", parts, 0, 2**31 - 1)
        seed = options_of.whole("seed", seed, 0, 2**64 - 1)
        o = options_of.fill(c.ReadOptions, dict(threads=threads))
        parent = self._live()
        handle = Handle(keep=(parent,))
        call(c.graph_reorder, handle.out, parent, number, parts, seed, progress=progress,
             options=o)
        return Graph._of(handle)

    def equal(self, other: "Graph") -> bool:
        """Whether both hold the same graph, in whatever encoding."""
        a, b = self._live(), handle_of("other", other)
        out = ctypes.c_int()
        call(c.graph_equal, ctypes.byref(out), a, b)
        return bool(out.value)

    def check(self, *, threads: int = 0, progress: Progress = None) -> None:
        """Verifies everything; raises FormatError with what is wrong."""
        o = options_of.fill(c.ReadOptions, dict(threads=threads))
        call(c.graph_check, self._live(), progress=progress, options=o)

    def info(self, *, linear: bool = False, threads: int = 0, progress: Progress = None) -> Info:
        """Sizes, degrees, classes, split, homophily, bytes; with linear, how far that goes."""
        return info_of(self, linear, threads, progress)


def handle_of(name: str, graph: Any) -> Handle:
    """The handle of what must be a Graph."""
    if isinstance(graph, (str, bytes, os.PathLike)):
        raise ArgumentError("%s must be a Graph, not a path" % name)
    if not isinstance(graph, Graph):
        raise ArgumentError("%s must be a Graph, not %s" % (name, type(graph).__name__))
    return graph._live()
