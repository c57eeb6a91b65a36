"""Graph: a graph of the library, with its arrays as NumPy arrays.

SPDX-License-Identifier: MIT
"""
import ctypes
import os
from typing import Any, Dict, List, Literal, Optional, Sequence, Union

import numpy as np

from . import _build as build
from . import _capi as c
from . import _files as files
from . import _members
from . import _options as options_of
from . import _pickles as pickles
from ._errors import ArgumentError, FormatError
from ._labels import given_by
from ._memory import Handle
from ._progress import Progress, call
from ._report import Info, info_of, shown
from ._sources import Sources
from ._splits import warn_left_out, warn_projection, warn_reading

PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class Graph(Sources):
    """A graph with features, labels and a split.

    `Graph.from_arrays`, `Graph.from_pandas`, `Graph.from_networkx`, `Graph.from_igraph`,
    `Graph.load`, `graphbonsai.generate` and `graphbonsai.condense` make graphs.  A graph does not
    change.  Arrays that are views of the library's memory are read-only,
    and keep it alive even after `close`.

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
            info: Optional[c.CondenseInfo] = None,
            given: Optional[Sequence[int]] = None) -> "Graph":
        g = object.__new__(cls)
        g._handle = handle
        g._given = given        # the label of each class that the caller gave, if it is a number
        g._verified = False
        g._run = run            # seconds and memory of the call that made it
        g._info = info          # the whole info of that call
        return g

    # ---- making one ----

    @classmethod
    @options_of.named
    def from_arrays(cls, *, edge_index: Any = None, csr: Any = None,
                    num_nodes: Optional[int] = None, x: Any = None, y: Any = None,
                    train_mask: Any = None, val_mask: Any = None, test_mask: Any = None,
                    split: Any = None, edge_weight: Any = None,
                    class_names: Optional[Sequence[str]] = None,
                    feature_names: Optional[Sequence[Any]] = None,
                    num_classes: Optional[int] = None, relabel: Optional[bool] = None,
                    node_names: Optional[Sequence[Any]] = None, y_soft: Any = None,
                    node_weight: Any = None, origin: Any = None, role: Any = None,
                    members: Any = None, kept_features: Any = None, report: Any = None,
                    operator: bool = False, projection: Any = None,
                    # options: read -features -labels
                    keep_directed: bool = False, keep_self_loops: bool = False,
                    keep_repeated: bool = False, threads: int = 0,
                    # end
                    ) -> "Graph":
        """Makes a graph from arrays, which are borrowed and kept alive if their layout allows.

        Do not write to a borrowed array while the graph is in use.

        Args:
            edge_index: [2, m] whole numbers; int32 is not copied.
            csr: instead of edge_index: (indptr, indices[, weights]), a SciPy matrix, or the path of
                what scipy.sparse.save_npz wrote.
            num_nodes: the number of nodes, if no array gives it.
            x: [n, f] features.  float32 or float16 in row-major order and SciPy's CSR matrices of
                float32 are not copied; anything else becomes float32.  Or the path of a matrix, as
                for csr.
            y: [n] the label of each node; -1 means unknown.  Each number is a class: 0, 10, 20 are
                three, and class_names has the numbers.  Texts are classes, too, in sorted order;
                None means unknown.
            train_mask: [n] True for the training nodes.
            val_mask: [n] True for the validation nodes.
            test_mask: [n] True for the test nodes.
            split: instead of masks: (train, val, test), arrays of node numbers.
            edge_weight: [m] positive weights.
            class_names: the names of the classes.
            feature_names: [f] the names of the features.
            num_classes: the number of classes, if some have no node: y has class numbers.
            relabel: True: each number in y is a class, in their order, with the number as its name,
                or a class of that name in class_names.  False: y has class numbers: 0, 10, 20 make
                21 classes.  None: True, with a warning where it changes numbers; False with
                class_names, num_classes, y_soft or role.
            node_names: [n] the names of the nodes.
            y_soft: [n, c] shares of the classes, as a condensed graph has them.
            node_weight: [n] weights in the loss, as a condensed graph has them.
            origin: [n] numbers of the nodes in the full graph.
            role: [n] roles: 0 none, 1 root, 2 in a root's tree, 3 prototype, 4 learned.
            members: [n] lists of the nodes of the full graph that each node stands for.
            kept_features: [f] the columns of the full graph's features.
            report: the report of a condensed graph.
            operator: the edge weights multiply rows as they are: numbers of any sign, symmetric,
                with loops as the diagonal.
            projection: [full features, f] of a condensed graph whose x has coordinates: what the
                full graph's features are multiplied by.
            keep_directed: keep entries without their reverse; else it is added.
            keep_self_loops: keep edges from a node to itself; else they are dropped.
            keep_repeated: keep repeated edges; else they are merged.
            threads: threads, 0 for every core it may use (0 to 4096).

        >>> import numpy as np
        >>> g = Graph.from_arrays(csr=(np.array([0, 1, 2]), np.array([1, 0])), y=[0, 0])
        >>> len(g), g.num_edges, g.x is None
        (2, 2, True)
        >>> Graph.from_arrays(edge_index=np.array([[0, 1], [1, 9]]), num_nodes=3)
        Traceback (most recent call last):
            ...
        graphbonsai._errors.ArgumentError: graph: edge 1: node 9 is outside 0..2
        """
        read = options_of.fill(c.ReadOptions, locals())
        draft = build.Draft()
        draft.view.flags = c.OPERATOR * bool(operator)
        if num_nodes is not None:
            draft.count("num_nodes", options_of.whole("num_nodes", num_nodes, 0, 2**31 - 1))
        if x is not None:
            draft.features(files.matrix("x", x))
        if feature_names is not None:
            draft.names(c.FEATURE_NAMES, "feature", list(feature_names))
        build.add_classes(draft, y, y_soft, class_names, num_classes,
                          False if relabel is None and role is not None else relabel)
        if node_names is not None:
            node_names = list(node_names)
            draft.count("node_names", len(node_names))
            draft.names(c.NODE_NAMES, "node", node_names)
        if node_weight is not None:
            draft.column(c.NODE_WEIGHTS, "node_weight", node_weight, np.float32)
        if origin is not None:
            draft.column(c.ORIGIN, "origin", origin, np.uint32)
        if role is not None:
            draft.column(c.ROLE, "role", role, np.uint8)
        if members is not None:
            _members.add(draft, members)
        if kept_features is not None:
            kept = build.to_int32("kept_features", build.whole_numbers("kept_features",
                                                                       kept_features))
            draft.put(c.KEPT_FEATURES, kept.view(np.uint32))
        if report is not None:
            draft.metadata(report)
        parts = build.parts_of(draft, dict(train=train_mask, val=val_mask, test=test_mask), split)
        edges = build.adjacency(draft, edge_index, files.matrix("csr", csr), edge_weight, read)
        if split is not None:
            parts = build.parts_of_indices(draft.nodes or 0, split)
        if parts:
            draft.put(c.SPLIT, build.split_section(draft.nodes or 0, parts))
        made = cls._of(build.graph_of(draft, edges), given=draft.given)
        if projection is not None:
            made._projection = build.projection(projection, made.num_features)
        return made

    @classmethod
    @options_of.named
    def load(cls, path: PathLike, *,
             # options: read
             keep_directed: bool = False, keep_self_loops: bool = False,
             keep_repeated: bool = False, threads: int = 0, features: Optional[PathLike] = None,
             labels: Optional[PathLike] = None,
             # end
             progress: Progress = None) -> "Graph":
        """Reads a graph in any format that the library knows.

        Python also reads the adjacency of scipy.sparse.save_npz, and a Data of torch.save (.pt), of
        which it runs nothing.

        Args:
            path: a file, a folder, or FORMAT:PATH.
            progress: as for condense.
            keep_directed: keep entries without their reverse; else it is added.
            keep_self_loops: keep edges from a node to itself; else they are dropped.
            keep_repeated: keep repeated edges; else they are merged.
            threads: threads, 0 for every core it may use (0 to 4096).
            features: features of a text or mtx graph; else found by name.
            labels: labels and split of a text or mtx graph; else found by name.

        >>> import graphbonsai, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "g.npz")
        ...     graphbonsai.generate(nodes=50, features=30, classes=2).save(path)
        ...     Graph.load(path).num_nodes
        []
        50
        """
        o = options_of.fill(c.ReadOptions, locals())
        reading = options_of.changed(c.ReadOptions, locals())
        handle, doubts = Handle(), []
        o.spelling = c.SPELLING_PYTHON
        o.warning = c.WARNING_FN(lambda found, _: doubts.append(c.text(found.contents.text)))
        try:
            call(c.graph_read, handle.out, options_of.path("path", path), progress=progress,
                 options=o)
        except FormatError as error:
            return files.other(path, reading, error)
        g = cls._of(handle)
        g._given = given_by(g.class_names)
        warn_reading(doubts)
        return g

    @options_of.named
    def save(self, path: PathLike,
             # options: write features
             features: Literal["auto", "keep", "f32", "f16", "u8", "sparse", "sparse-u8"] = "auto",
             # end
             *,
             # options: write threads labelled
             threads: int = 0, labelled: bool = False,
             # end
             progress: Progress = None) -> List[str]:
        """Writes the graph; warns of what the format cannot hold, and returns its texts.

        Args:
            path: its ending names the format: .bonsai, .npz, or / for a folder of text files.
            progress: as for condense.
            features: features in a .bonsai file: auto is the smallest that loses nothing, keep the
                smallest that is mapped and as dense or sparse as it was, f16 and u8 may round.
            threads: threads, 0 for every core it may use (0 to 4096).
            labelled: write only nodes with a label or a part of the split, and the edges among
                them.
        """
        o = options_of.fill(c.WriteOptions, locals())
        h = self._live()
        left = ctypes.c_uint64()
        call(lambda *a: c.graph_save(ctypes.byref(left), *a), h, options_of.path("path", path),
             progress=progress, options=o)
        lost = [c.section_text(i).decode() for i in range(1, c.SECTIONS) if left.value >> i & 1]
        if lost:
            warn_left_out(os.fsdecode(path), lost)
        if self._projection is not None:
            warn_projection(os.fsdecode(path))
        return lost

    # ---- its life ----

    def close(self) -> None:
        """Releases the graph.  Its memory is freed with the last array that is a view of it."""
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
        if self._handle is None:
            return "Graph(closed)"
        return "Graph(nodes=%d, edges=%d, features=%d, classes=%d)" % (
            self.num_nodes, self.num_edges, self.num_features, self.num_classes)

    def _repr_html_(self) -> str:
        report = None if self._handle is None else self.report
        return shown(self, report)

    def __copy__(self, memo: Any = None) -> "Graph":
        same = Graph._of(self._live(), self._run, self._info, self._given)      # share it
        same._projection = self._projection
        return same

    __deepcopy__ = __copy__

    def __reduce__(self) -> Any:
        return _unpickled, (*pickles.packed(self), self._run, self._info, self._given,
                            self._projection)

    # ---- other graphs, and checks ----

    def split(self, percent: Union[Sequence[float], Literal["published"]] = (60, 20, 20),
              seed: int = 1) -> "Graph":
        """Returns the same graph with a new split of its labelled nodes, in percent.

        "published": (56, 24, 20), the shares of the code published with the paper.
        """
        shares = (ctypes.c_double * 3)(*options_of.three("percent", percent))
        number = options_of.whole("seed", seed, 0, 2**64 - 1)
        parent = self._live()
        handle = Handle(keep=(parent,))
        call(c.graph_split, handle.out, parent, shares, number)
        return Graph._of(handle, given=self._given)

    def split_file(self, path: Any) -> "Graph":
        """Returns the same graph with the split of an .npz file: train_idx, val_idx, test_idx."""
        parent = self._live()
        handle = Handle(keep=(parent,))
        call(c.graph_split_file, handle.out, parent, os.fsencode(path))
        return Graph._of(handle, given=self._given)

    def induce(self, nodes: Any) -> "Graph":
        """Returns the subgraph of some nodes, in their order; their numbers are its `origin`."""
        wanted = build.to_int32("nodes", build.whole_numbers("nodes", nodes))
        parent = self._live()
        handle = Handle(keep=(parent,))
        call(c.graph_induce, handle.out, parent, wanted.ctypes.data, wanted.size)
        return Graph._of(handle, given=self._given)

    @options_of.named
    def reorder(self, order: Literal["none", "metis", "random", "degree"], parts: int = 0,
                seed: int = 1, *,
                # options: read threads
                threads: int = 0,
                # end
                progress: Progress = None) -> "Graph":
        """Returns the same graph with its nodes renumbered; their old numbers are its `origin`.

        Args:
            order: "metis" (parts with few edges between them one after the other; needs a library
                with libmetis), "random", "degree" (most neighbours first) or "none".
            parts: the number of parts of "metis"; 0: 8.
            seed: of "random" and "metis".
            progress: as for condense.
            threads: threads, 0 for every core it may use (0 to 4096).

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
        return Graph._of(handle, given=self._given)

    def normalise(self, how: Literal["rows", "columns"] = "rows") -> "Graph":
        """Returns the same graph with scaled features.

        Args:
            how: "rows": the features of each node are divided by their sum.  "columns": each column
                gets mean 0 and spread 1 over all nodes; one with more zeros than numbers is only
                divided.  `feature_mean` and `feature_spread` say by what, and small graphs and
                models keep them: evaluate, predict, report and explain then scale a graph that is
                not scaled yet.

        >>> import numpy as np
        >>> g = Graph.from_arrays(edge_index=np.array([[0], [1]]), x=np.array([[1, 3], [9, 1]]))
        >>> g.normalise().x.tolist()
        [[0.25, 0.75], [0.8999999761581421, 0.10000000149011612]]
        >>> g.normalise("columns").x.tolist()
        [[-1.0, 1.0], [1.0, -1.0]]
        """
        if options_of.choice("how", how, ["rows", "columns"]) == 1:
            return self._standardised()
        parent = self._live()
        handle = Handle(keep=(parent,))
        call(c.graph_normalise, handle.out, parent)
        return Graph._of(handle, given=self._given)

    def project(self, small: "Graph") -> "Graph":
        """Returns the same graph with the features of a small one that was condensed with
        `coordinates=True`: x @ small.projection.

        `evaluate` and `train` do it themselves, and what `train` gives reads the features of the full
        graph.

        >>> import graphbonsai
        >>> full = graphbonsai.generate(nodes=500, features=60, classes=3)
        >>> small = graphbonsai.condense(full, 0.1, coordinates=True, threads=1)
        >>> full.project(small).num_features == small.num_features < 60
        True
        """
        parent, other = self._live(), handle_of("small", small)
        matrix = small._projection
        if matrix is not None:
            return self._by_matrix(matrix)
        handle = Handle(keep=(parent,))
        call(c.graph_project, handle.out, parent, other)
        return Graph._of(handle, given=self._given)

    def _by_matrix(self, matrix: np.ndarray) -> "Graph":
        if self.num_features != matrix.shape[0]:
            raise ArgumentError("the small graph projects graphs of %d features, but this one has %d" %
                                (matrix.shape[0], self.num_features))
        sizes, sections = pickles.packed(self)
        if not sizes:
            raise ArgumentError("the graph is a condensed one, whose features are stored in a basis")
        gone = (c.FEATURES, c.FEATURE_OFFSETS, c.FEATURE_INDICES, c.FEATURE_VALUES, c.FEATURE_SCALE,
                c.KEPT_FEATURES, c.FEATURE_NAMES)
        kept = {number: array for number, array in sections.items() if number not in gone}
        kept[c.FEATURES] = self._times(matrix).reshape(-1)
        return Graph._of(pickles.unpacked({**sizes, "features": matrix.shape[1]}, kept),
                         given=self._given)

    def _projected(self, small: "Graph") -> "Graph":
        """The graph to judge small on, where only Python knows that small's x has coordinates."""
        matrix = small._projection
        return self if matrix is None or self.num_features != matrix.shape[0] else self.project(small)

    def _standardised(self, like: Optional["Graph"] = None) -> "Graph":
        """The same graph with scaled columns: by its own mean and spread, or by those of another."""
        parent = self._live()
        handle = Handle(keep=(parent,))
        call(c.graph_standardise, handle.out, parent, None if like is None else like._live())
        return Graph._of(handle, given=self._given) if handle.pointer.value else self

    def equal(self, other: "Graph") -> bool:
        """Whether both graphs are the same, in any encoding."""
        a, b = self._live(), handle_of("other", other)
        out = ctypes.c_int()
        call(c.graph_equal, ctypes.byref(out), a, b)
        return bool(out.value)

    @options_of.named
    def check(self, *,
              # options: read threads
              threads: int = 0,
              # end
              progress: Progress = None) -> None:
        """Verifies the whole graph; raises FormatError with what is wrong.

        Args:
            progress: as for condense.
            threads: threads, 0 for every core it may use (0 to 4096).
        """
        o = options_of.fill(c.ReadOptions, locals())
        call(c.graph_check, self._live(), progress=progress, options=o)

    @options_of.named
    def info(self, *, linear: bool = False,
             # options: read threads
             threads: int = 0,
             # end
             progress: Progress = None) -> Info:
        """Describes what the graph holds: sizes, degrees, classes, split, homophily, bytes.

        Args:
            linear: also fit linear models, to see how far they get.
            progress: as for condense.
            threads: threads, 0 for every core it may use (0 to 4096).
        """
        return info_of(self, linear, threads, progress)


def _unpickled(sizes: Dict[str, int], sections: Dict[int, np.ndarray],
               run: Optional[Dict[str, Any]], info: Optional[c.CondenseInfo],
               given: Optional[Sequence[int]] = None,
               projection: Optional[np.ndarray] = None) -> Graph:
    """The graph of what its `__reduce__` gave."""
    made = Graph._of(pickles.unpacked(sizes, sections), run, info, given)
    made._projection = projection
    return made


def handle_of(name: str, graph: Any) -> Handle:
    """The handle of a Graph; refuses anything else."""
    if isinstance(graph, (str, bytes, os.PathLike)):
        raise ArgumentError("%s must be a Graph, not a path" % name)
    if not isinstance(graph, Graph):
        raise ArgumentError("%s must be a Graph, not %s" % (name, type(graph).__name__))
    return graph._live()
