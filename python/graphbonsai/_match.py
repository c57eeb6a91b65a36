"""Classes of two graphs, or of a model and a graph, matched by name.

Labels may lack other classes in a graph than in another one, and then the same class has two
numbers.  Where both have names of classes, these are compared.  Names that are whole numbers are
compared with labels that were given as numbers.  Else class numbers are.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
from typing import List, NamedTuple, Optional, Sequence, Tuple

from . import _capi as c
from . import _labels
from ._errors import ArgumentError
from ._graph import Graph
from ._memory import Handle
from ._progress import call

Keys = List[str]


class Side(NamedTuple):
    """What is known of the classes of a graph or a model."""

    count: int
    names: Optional[Sequence[str]]
    given: Optional[Sequence[int]]      # labels that are numbers

    @property
    def numbered(self) -> bool:
        """Whether the classes are told by whole numbers."""
        if self.names is None:
            return self.given is not None
        numbers = _labels.numbers_of(self.names)
        return numbers is not None and (self.given is None or list(self.given) == numbers)

    def keys(self) -> Keys:
        return [str(name) for name in (self.given if self.names is None else self.names) or ()]


def side_of(graph: Graph) -> Side:
    return Side(graph.num_classes, graph.class_names, graph._given)


def keys_of(a: Side, b: Side) -> Optional[Tuple[Keys, Keys]]:
    """The names to compare classes by; None: their numbers are compared."""
    if a.names is None and b.names is None and a.count == b.count:
        return None
    if (a.names is None or b.names is None) and not (a.numbered and b.numbered):
        return None
    found = a.keys(), b.keys()
    return None if any(len(set(keys)) < len(keys) for keys in found) else found


def _with_classes(graph: Graph, wanted: Keys) -> Graph:
    """The same graph with more classes, or with others' numbers; its own are among them."""
    names = (ctypes.c_char_p * len(wanted))(*(name.encode("utf-8") for name in wanted))
    parent = graph._live()
    handle = Handle(keep=(parent,))
    call(c.graph_match_classes, handle.out, parent, names, len(wanted))
    return graph if handle.pointer.value is None else Graph._of(
        handle, graph._run, graph._info, _labels.numbers_of(wanted))


def _both(a: Keys, b: Keys) -> Keys:
    known = set(a)
    return [*a, *(name for name in b if name not in known)]


def matched(a: Graph, b: Graph) -> Tuple[Graph, Graph]:
    """Two graphs in which a number is the same class; the columns of b are scaled as those of a.

    >>> import numpy as np
    >>> ring = dict(edge_index=np.array([[0, 1, 2], [1, 2, 0]]), relabel=True)
    >>> a, b = Graph.from_arrays(y=[0, 10, 20], **ring), Graph.from_arrays(y=[20, 0, 0], **ring)
    >>> [g.y.tolist() for g in (a, b)], [g.y.tolist() for g in matched(a, b)]
    ([[0, 1, 2], [1, 0, 0]], [[0, 1, 2], [2, 0, 0]])
    """
    b = b._standardised(a)
    keys = keys_of(side_of(a), side_of(b))
    if keys is None or keys[0] == keys[1]:
        return a, b
    wanted = _both(*keys)
    return _with_classes(a, wanted), _with_classes(b, wanted)


def need_same(name: str, a: Graph, other: str, b: Graph) -> None:
    """Refuses two graphs whose classes differ."""
    keys = keys_of(side_of(a), side_of(b))
    if keys is None or keys[0] == keys[1]:
        return
    shown = [", ".join(part[:6]) + (", ..." if len(part) > 6 else "") for part in keys]
    raise ArgumentError("%s has the classes %s, but %s has %s" % (name, shown[0], other, shown[1]))


def fitted(model: Side, graph: Graph) -> Graph:
    """The graph with the classes of a model first, in its order."""
    keys = keys_of(model, side_of(graph))
    if keys is None or all(a == b for a, b in zip(*keys)):
        return graph
    return _with_classes(graph, _both(*keys))


def known(model: Side, graph: Graph) -> Graph:
    """The graph with the classes of a model; refuses one with nodes of other classes."""
    keys = keys_of(model, side_of(graph))
    return graph if keys is None or keys[0] == keys[1] else _with_classes(graph, keys[0])


def numbers_for(model: Side, graph: Graph) -> List[int]:
    """The number that each class of a model has in the graph; refuses a graph that lacks one whose
    number is another class."""
    keys = keys_of(model, side_of(graph))
    if keys is None:
        return list(range(model.count))
    at = {name: i for i, name in enumerate(keys[1])}
    if all(name in at for name in keys[0]):
        return [at[name] for name in keys[0]]
    more = "".join(', "%s"' % name for name in keys[1] if name not in set(keys[0]))
    names = "[*model.class_names%s]" % more if more else "model.class_names"
    for i, (a, b) in enumerate(zip(*keys)):
        if a != b:
            raise ArgumentError('class %d is "%s" in the model, but "%s" in the graph; make the '
                                "graph with class_names=%s, and also relabel=True where from_arrays "
                                "takes numbers as labels" % (i, a, b, names))
    return list(range(model.count))


def labels_for(model: Side, graph: Graph) -> List[int]:
    """What each class of a model is called among the labels that the graph was given."""
    keys = keys_of(model, side_of(graph))
    given = range(model.count) if graph._given is None else graph._given
    if keys is None:
        return [given[i] if i < len(given) else i for i in range(model.count)]
    at = dict(zip(keys[1], given))
    numbers = _labels.numbers_of(keys[0])
    if numbers is None and any(name not in at for name in keys[0]):
        raise ArgumentError('class "%s" of the model is not a class of the graph' %
                            next(name for name in keys[0] if name not in at))
    return [at[name] if name in at else numbers[i] if numbers else i
            for i, name in enumerate(keys[0])]
