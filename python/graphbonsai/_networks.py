"""networkx and igraph: graphs whose nodes and edges have attributes, to a Graph and back.

Nothing is imported until a graph of theirs is made: one that is given has imported its package.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import (TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple,
                    Union)

import numpy as np

from . import _capi as c
from . import _options as options_of
from ._errors import ArgumentError, OptionError
from ._progress import Progress
from ._tables import Found, Table, array_of, names_of, nodes_of

if TYPE_CHECKING:
    from ._graph import Graph

# What only a condensed graph has, of its nodes and of itself.
_OF_NODES = ("y_soft", "node_weight", "origin", "role")
_OF_GRAPH = ("kept_features", "report", "operator", "projection")


class Network(NamedTuple):
    """A graph of another package, read."""

    kind: str                       # "networkx" or "igraph"
    nodes: Table
    ids: np.ndarray
    edge_index: np.ndarray          # an undirected edge twice
    weights: Optional[np.ndarray]
    attributes: Mapping[str, Any]   # of the graph
    directed: bool


def kind_of(data: Any) -> Optional[str]:
    """The package of a graph: "networkx", "igraph" or None."""
    packages = {base.__module__.split(".")[0] for base in type(data).__mro__}
    if "networkx" in packages and hasattr(data, "adj"):
        return "networkx"
    return "igraph" if "igraph" in packages and hasattr(data, "vs") else None


# ---- reading ----


def _objects(values: Sequence[Any]) -> np.ndarray:
    """Ids, which may be tuples, as an array with one entry a node."""
    out = np.empty(len(values), object)
    out[:] = values
    whole = all(type(value) is int for value in values)
    return out.astype(np.int64) if whole and all(abs(v) < 2**62 for v in values) else out


def _both_ways(edges: np.ndarray, weights: Optional[np.ndarray]) -> Tuple[np.ndarray, Any]:
    """Each undirected edge in both directions; a loop has only one."""
    turned = edges[0] != edges[1]
    both = np.concatenate([edges, edges[::-1, turned]], axis=1)
    return both, None if weights is None else np.concatenate([weights, weights[turned]])


def _weights(values: List[Any], name: Optional[str]) -> Optional[np.ndarray]:
    """Weights of edges; those without one weigh 1, as networkx has it."""
    if all(value is None for value in values):
        if name is not None and values:
            raise ArgumentError('no edge has the attribute "%s", the weight' % name)
        return None
    try:
        return np.array([1 if value is None else value for value in values], np.float32)
    except (TypeError, ValueError):
        raise ArgumentError('the weights "%s" of edges are not all numbers' %
                            (name or "weight")) from None


def _of_networkx(g: Any, weight: Optional[str]) -> Network:
    ids = list(g.nodes)
    at = {node: i for i, node in enumerate(ids)}
    data = [d for _, d in g.nodes(data=True)]
    names = list(dict.fromkeys(name for d in data for name in d))
    nodes = Table("the graph", names, lambda name: array_of([d.get(name) for d in data]), len(ids),
                  lambda i: "node %r" % (ids[i],), "attribute")
    found = list(g.edges(data=weight or "weight"))
    edges = np.array([(at[a], at[b]) for a, b, _ in found], np.int64).reshape(-1, 2).T
    return Network("networkx", nodes, _objects(ids), edges,
                   _weights([w for _, _, w in found], weight), g.graph, g.is_directed())


def _of_igraph(g: Any, weight: Optional[str]) -> Network:
    named = "name" in g.vs.attributes()
    ids = g.vs["name"] if named else list(range(g.vcount()))
    nodes = Table("the graph", [n for n in g.vs.attributes() if n != "name"],
                  lambda name: array_of(g.vs[name]), g.vcount(), lambda i: "node %r" % (ids[i],),
                  "attribute")
    values = g.es[weight or "weight"] if (weight or "weight") in g.es.attributes() else []
    return Network("igraph", nodes, _objects(ids),
                   np.array(g.get_edgelist(), np.int64).reshape(-1, 2).T,
                   _weights(values or [None] * g.ecount(), weight),
                   {name: g[name] for name in g.attributes()}, g.is_directed())


def read(g: Any, weight: Optional[str] = None) -> Network:
    kind = kind_of(g)
    if kind is None:
        raise ArgumentError("a %s.%s is neither a networkx.Graph nor an igraph.Graph" %
                            (type(g).__module__, type(g).__qualname__))
    network = (_of_networkx if kind == "networkx" else _of_igraph)(g, weight)
    if network.directed:
        return network
    edges, weights = _both_ways(network.edge_index, network.weights)
    return network._replace(edge_index=edges, weights=weights)


def _condensed(network: Network) -> Dict[str, Any]:
    """What only a condensed graph has; its edges stay."""
    if "role" not in network.nodes.names:
        return {}
    out = {name: network.nodes.column(name) for name in _OF_NODES if name in network.nodes.names}
    out.update({name: network.attributes[name] for name in _OF_GRAPH
                if network.attributes.get(name) is not None})
    loops = network.edge_index[0] == network.edge_index[1]
    return {**out, "keep_self_loops": bool(loops.any()), "keep_directed": network.directed}


def graph_of(network: Network, names: Mapping[str, Any],
             reading: Mapping[str, Any]) -> Tuple[Graph, Found]:
    """The Graph of a network; `names` are features, label, split, class_names, num_classes."""
    from ._graph import Graph           # which imports this module
    nodes, said = network.nodes, network.attributes
    class_names, num_classes = names.get("class_names"), names.get("num_classes")
    if class_names is None and num_classes is None:         # as to_networkx says them
        class_names = said.get("class_names")
        num_classes = None if class_names is not None else said.get("num_classes")
    features, label = names.get("features"), names.get("label")
    features = features if features is not None else nodes.first("x", "feat")
    found = nodes_of(nodes, features, label if label is not None else nodes.first("y", "label"),
                     names.get("split"), class_names, num_classes)
    called = said.get("feature_names")                      # as to_networkx says them
    if "feature_names" not in found.arrays and called is not None and (
            np.shape(found.arrays["x"])[1:] == (len(called),)):
        found.arrays["feature_names"] = called
    graph = Graph.from_arrays(
        edge_index=network.edge_index, edge_weight=network.weights, num_nodes=nodes.rows,
        node_names=names_of(network.ids), **{**found.arrays, **_condensed(network), **reading})
    return graph, found


# ---- writing ----


def _node_fields(graph: Any, features: str, label: str,
                 values: Optional[Sequence[Any]]) -> Dict[str, Sequence[Any]]:
    """Everything that nodes have, by the name of the attribute."""
    out: Dict[str, Sequence[Any]] = {}
    if graph.num_features:
        out[features] = list(graph.x)
    if graph.y is not None:
        values = graph.class_names if values is None else values
        out[label] = [k if values is None else None if k < 0 else values[k]
                      for k in graph.y.tolist()]
    for name in ("train_mask", "val_mask", "test_mask", *_OF_NODES):
        array = getattr(graph, name)
        if array is not None:
            out[name] = list(array) if array.ndim == 2 else array.tolist()
    return out


def _graph_fields(graph: Any) -> Dict[str, Any]:
    out: Dict[str, Any] = {}
    if graph.y is not None or graph.y_soft is not None:
        out["num_classes"] = graph.num_classes
    if graph.class_names is not None:
        out["class_names"] = graph.class_names
    if graph.feature_names is not None:
        out["feature_names"] = graph.feature_names
    if graph.kept_features is not None:
        out["kept_features"] = graph.kept_features
    if graph.projection is not None:
        out["projection"] = graph.projection
    if graph.report is not None:
        out["report"] = graph.report
    if graph.operator:
        out["operator"] = True
    return out


def _edges_once(graph: Any) -> Tuple[np.ndarray, Optional[np.ndarray]]:
    """The edges, of an undirected graph once each."""
    edges, weights = graph.edge_index, graph.edge_weight
    if graph.directed:
        return edges, weights
    once = edges[0] <= edges[1]
    return edges[:, once], None if weights is None else weights[once]


def _needed(package: str) -> Any:
    import importlib
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError("this needs %s: pip install %s (%s)" %
                          (package, package, error)) from None


def to_networkx(graph: Any, features: str, label: str, weight: str,
                values: Optional[Sequence[Any]] = None, ids: Optional[Sequence[Any]] = None) -> Any:
    """A networkx graph.

    values: what each class is called, else its name or number.  ids: the nodes of the full graph,
    for those of a small one that have a name.
    """
    nx = _needed("networkx")
    repeated = bool(graph._size("flags") & c.REPEATED)
    kind = ((nx.MultiDiGraph if repeated else nx.DiGraph) if graph.directed else
            nx.MultiGraph if repeated else nx.Graph)
    out = kind(**_graph_fields(graph))
    names = _ids_of(graph, ids)
    fields = _node_fields(graph, features, label, values)
    for i, node in enumerate(names):
        out.add_node(node, **{name: column[i] for name, column in fields.items()})
    edges, weights = _edges_once(graph)
    for i, (a, b) in enumerate(edges.T.tolist()):
        more = {} if weights is None else {weight: float(weights[i])}
        out.add_edge(names[a], names[b], **more)
    return out


def _ids_of(graph: Any, ids: Optional[Sequence[Any]]) -> Sequence[Any]:
    """The names of nodes if they differ, as the full graph has them; else numbers."""
    names = graph.node_names
    if names is None or len(set(names)) < len(names):
        return range(len(graph))
    return names if ids is None else [ids[i] for i in graph.origin]


def to_igraph(graph: Any, features: str, label: str, weight: str,
              values: Optional[Sequence[Any]] = None, ids: Optional[Sequence[Any]] = None) -> Any:
    """An igraph graph; values and ids: as for to_networkx."""
    igraph = _needed("igraph")
    edges, weights = _edges_once(graph)
    out = igraph.Graph(n=len(graph), edges=edges.T.tolist(), directed=graph.directed,
                       graph_attrs=_graph_fields(graph))
    for name, column in _node_fields(graph, features, label, values).items():
        out.vs[name] = column
    names = _ids_of(graph, ids)
    if graph.node_names is not None and not isinstance(names, range):
        out.vs["name"] = names
    if weights is not None:
        out.es[weight] = weights.tolist()
    return out


# ---- the kinds of graphs that functions take ----


def _whole(g: Any, names: Mapping[str, Any], weight: Optional[str],
           reading: Mapping[str, Any]) -> Tuple[Network, Graph, Found]:
    """A graph with features and labels, which it must have."""
    network = read(g, weight)
    graph, found = graph_of(network, names, reading)
    for has, what, known in ((found.arrays["x"], "features", '"x" or "feat"'),
                             (found.label, "labels", '"y" or "label"')):
        if has is None:
            raise ArgumentError("no node has %s, that is no %s; Graph.from_%s takes other names" %
                                (known, what, network.kind))
    return network, graph, found


def from_data(g: Any, **reading: Any) -> Graph:
    """The Graph of a graph whose attributes have the usual names."""
    _, graph, found = _whole(g, {}, None, reading)
    if found.values is not None and all(isinstance(value, int) for value in found.values):
        graph._given = found.values
    return graph


def condensed(g: Any, ratio: Union[None, float, Sequence[float]], given: Mapping[str, Any],
              reading: Dict[str, Any], progress: Progress) -> Any:
    """What graphbonsai.condense does with a graph of networkx or igraph: a small one of its kind.

    Its attributes are called as those of the full graph, and its labels have the same values.
    """
    from ._condense import condense_graph       # which imports this module
    if "split_index" in reading:
        raise OptionError("split_index is for a Data or a DGLGraph")
    names = {"features": reading.pop("feat", None), "label": reading.pop("label", None)}
    weight = reading.pop("weight", None)
    read_options = options_of.changed(c.ReadOptions, {**reading, "threads": given["threads"]})
    network, graph, found = _whole(g, names, weight, read_options)
    small = condense_graph(graph, ratio, given, progress)
    back = to_networkx if network.kind == "networkx" else to_igraph
    made = [back(one, found.features or "x", found.label or "y", weight or "weight", found.values,
                 network.ids.tolist())
            for one in (small if isinstance(small, list) else [small])]
    return made if isinstance(small, list) else made[0]
