"""Sources: graphs of tables, networkx and igraph, and back.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple

from . import _capi as c
from . import _networks as networks
from . import _options as options_of
from ._arrays import Arrays
from ._frames import frames_of
from ._tables import graph_of_tables

if TYPE_CHECKING:
    from ._graph import Graph


def _reading(given: Any) -> Any:
    """The options for reading; `features` and `labels` are columns here, not files."""
    return options_of.changed(c.ReadOptions, {**given, "features": None, "labels": None})


class Sources(Arrays):
    """The base of Graph: what makes one of graphs and tables of other packages, and back."""

    @classmethod
    @options_of.named
    def from_pandas(cls, nodes: Any, edges: Any, *, node_id: Any = None, features: Any = None,
                    label: Any = None, split: Any = None, source: Any = "source",
                    target: Any = "target", weight: Any = None,
                    class_names: Optional[Sequence[str]] = None,
                    num_classes: Optional[int] = None,
                    # options: read -features -labels
                    keep_directed: bool = False, keep_self_loops: bool = False,
                    keep_repeated: bool = False, threads: int = 0,
                    # end
                    ) -> Graph:
        """Makes a graph of a table of nodes and a table of edges.

        A table is a pandas DataFrame, a pyarrow Table, a dictionary of columns, or the path of a
        .parquet or .feather file, which pyarrow reads, or of a .csv or .tsv file, which pandas
        reads.  Ids may be numbers or texts; other ids than 0, 1, ... are the graph's `node_names`.

        Args:
            nodes: one row a node.
            edges: one row an edge.
            node_id: the column of ids; None: "id", else the table's index, else "node_id", "nodeid",
                "node" or a first column "..._id" whose values all differ, else the row's number.
            features: the columns of features, each of numbers or of vectors, or an array with a
                row a node; None: all columns that are nothing else.  Their names are the graph's
                `feature_names`.  For a model: features=model.feature_names.
            label: the column of labels; None: "label" or "y".  Labels are names, texts or whole
                numbers: each is a class, in sorted order.  Missing ones and -1 are unknown.
            split: the column of parts: train, val, test or nothing; None: "split", else the columns
                train_mask, val_mask and test_mask.
            source: of edges, the column of the ids of their first nodes.
            target: of edges, the column of the ids of their second nodes.
            weight: of edges, the column of weights; None: "weight".
            class_names: the labels in the order of their classes, as of a model.
            num_classes: labels are class numbers below this number.
            keep_directed: keep entries without their reverse; else it is added.
            keep_self_loops: keep edges from a node to itself; else they are dropped.
            keep_repeated: keep repeated edges; else they are merged.
            threads: threads, 0 for every core it may use (0 to 4096).

        >>> from graphbonsai import Graph
        >>> g = Graph.from_pandas({"id": ["ann", "bob"], "age": [31, 45], "label": ["b", "a"]},
        ...                       {"source": ["ann"], "target": ["bob"]})
        >>> g.node_names, g.x.tolist(), g.y.tolist(), g.class_names, g.feature_names
        (['ann', 'bob'], [[31.0], [45.0]], [1, 0], ['a', 'b'], ['age'])
        """
        return graph_of_tables(nodes, edges, locals(), _reading(locals()))

    def to_pandas(self, *, node_id: str = "id", label: str = "label", split: str = "split",
                  node_weight: str = "node_weight") -> Tuple[Any, Any]:
        """Makes two pandas DataFrames: of the nodes and of the edges, as from_pandas reads them.

        A row of nodes has its name, its features by their names (without names: 0, 1, ...), its
        label (the class's name, or its number), of a condensed graph its weight, and its part (train,
        val or test), each that the graph has.  Missing: the label is unknown, or the node in no
        part.  A row of edges has source, target and weight; an edge that goes both ways has one
        row.

        `Graph.from_pandas(*g.to_pandas(), class_names=g.class_names)` is g again.  A directed graph
        needs keep_directed=True, loops keep_self_loops=True.  What else a condensed graph has, such
        as soft labels, is left out.

        Args:
            node_id: the column for the names of nodes.
            label: the column for the labels.
            split: the column for the parts.
            node_weight: the column for the weights of nodes.
        """
        return frames_of(self, dict(node_id=node_id, label=label, split=split,
                                    node_weight=node_weight))

    @classmethod
    @options_of.named
    def from_networkx(cls, g: Any, *, features: Any = None, label: Optional[str] = None,
                      split: Optional[str] = None, weight: Optional[str] = None,
                      class_names: Optional[Sequence[str]] = None,
                      num_classes: Optional[int] = None,
                      # options: read -features -labels
                      keep_directed: bool = False, keep_self_loops: bool = False,
                      keep_repeated: bool = False, threads: int = 0,
                      # end
                      ) -> Graph:
        """Makes a graph of a networkx graph; nodes stay in their order.

        Args:
            g: a networkx.Graph, DiGraph, MultiGraph or MultiDiGraph.
            features: the attributes of nodes that are features, each a number or a vector, or an
                array with a row a node; None: "x" or "feat", if there is one.  Attributes that are
                numbers give the graph's `feature_names`; a vector takes the graph's attribute
                feature_names.
            label: the attribute of nodes that is the label; None: "y" or "label", if there is one.
                Labels are as for from_pandas.
            split: the attribute of nodes that is their part, as for from_pandas.
            weight: the attribute of edges that is their weight; None: "weight", if there is one.
                An edge without it weighs 1.
            class_names: the labels in the order of their classes.
            num_classes: labels are class numbers below this number.
            keep_directed: keep entries without their reverse; else it is added.
            keep_self_loops: keep edges from a node to itself; else they are dropped.
            keep_repeated: keep repeated edges; else they are merged.
            threads: threads, 0 for every core it may use (0 to 4096).
        """
        return networks.graph_of(networks.read(g, weight), locals(), _reading(locals()))[0]

    @classmethod
    @options_of.named
    def from_igraph(cls, g: Any, *, features: Any = None, label: Optional[str] = None,
                    split: Optional[str] = None, weight: Optional[str] = None,
                    class_names: Optional[Sequence[str]] = None,
                    num_classes: Optional[int] = None,
                    # options: read -features -labels
                    keep_directed: bool = False, keep_self_loops: bool = False,
                    keep_repeated: bool = False, threads: int = 0,
                    # end
                    ) -> Graph:
        """Makes a graph of an igraph graph; the attribute "name" of nodes gives their names.

        Args:
            g: an igraph.Graph.
            features: the attributes of nodes that are features, as for from_networkx.
            label: the attribute of nodes that is the label, as for from_networkx.
            split: the attribute of nodes that is their part, as for from_pandas.
            weight: the attribute of edges that is their weight, as for from_networkx.
            class_names: the labels in the order of their classes.
            num_classes: labels are class numbers below this number.
            keep_directed: keep entries without their reverse; else it is added.
            keep_self_loops: keep edges from a node to itself; else they are dropped.
            keep_repeated: keep repeated edges; else they are merged.
            threads: threads, 0 for every core it may use (0 to 4096).
        """
        return networks.graph_of(networks.read(g, weight), locals(), _reading(locals()))[0]

    def to_networkx(self, *, features: str = "x", label: str = "y", weight: str = "weight") -> Any:
        """Makes a networkx graph: a Graph, or a DiGraph if this graph is directed.

        Nodes are called by their names if they have some, else 0, 1, ...  Their attributes are
        those of features (a vector), label (the class's name, or its number), train_mask, val_mask,
        test_mask, and of a condensed graph y_soft, node_weight, origin and role, that the graph
        has.  The graph's own attributes are num_classes, class_names, feature_names, kept_features,
        projection and report.

        Args:
            features: the attribute of nodes for the features.
            label: the attribute of nodes for the label.
            weight: the attribute of edges for their weight.
        """
        return networks.to_networkx(self, features, label, weight)

    def to_igraph(self, *, features: str = "x", label: str = "y", weight: str = "weight") -> Any:
        """Makes an igraph graph, with the same attributes as to_networkx.

        Args:
            features: the attribute of nodes for the features.
            label: the attribute of nodes for the label.
            weight: the attribute of edges for their weight.
        """
        return networks.to_igraph(self, features, label, weight)
