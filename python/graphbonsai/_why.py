"""What the library tells about a node of a condensed graph, as a dictionary that prints as a table.

SPDX-License-Identifier: MIT
"""
from typing import Any, Dict, List, Optional, Union

from . import _capi as c
from ._report import Row, facts, html_table, number

Names = Union[None, List[str], Dict[int, str]]      # of nodes, by their numbers
_ROLES = ("none", "root", "ego", "prototype", "learned")
_PLAIN = ("origin", "tree", "root", "covers", "sample", "rank", "score", "weight", "members",
          "edges", "label", "partner")


def told(w: Any) -> Dict[str, Any]:
    """Why a node is there; None for what is not known."""
    found = {name: getattr(w, name) for name in _PLAIN}
    found["role"] = _ROLES[w.role]
    for name in ("origin", "tree", "root", "members", "label", "partner"):
        found[name] = None if found[name] < 0 else found[name]
    if w.rank == 0:
        found["score"] = found["rank"] = None
    return found


def _class(names: Optional[List[str]], number: int) -> Any:
    """The name of a class; its number if it has none, or shares it with another."""
    own = names and names[number] and names.count(names[number]) == 1
    return names[number] if names and own else number


def _called(nodes: Names, node: int) -> str:
    """The name of a node, or its number."""
    if isinstance(nodes, dict):
        return nodes.get(node, str(node))
    return nodes[node] if nodes is not None and node < len(nodes) else str(node)


def explained(w: Any, names: Optional[List[str]], nodes: Names, originals: Names) -> "Why":
    """The same, and the most telling of its classes, nodes and features.

    names: of the classes; nodes: of the nodes of the full graph; originals: of these by origin.
    """
    found = told(w)
    found["soft_label"] = {_class(names, w.share_class[i]): w.share[i] for i in range(w.shares)}
    found["nodes"] = w.node[:w.nodes]
    found["node_names"] = None if nodes is None else [_called(nodes, i) for i in found["nodes"]]
    found["distances"] = [c.measured(d) for d in w.distance[:w.nodes]]
    found["features_set"] = w.features_set
    found["features"] = w.feature[:w.features]
    names_of = [name and name.decode("utf-8") for name in w.feature_name[:w.features]]
    found["feature_names"] = names_of if any(names_of) else None
    found["values"] = w.value[:w.features]
    found["above_mean"] = w.above_mean[:w.features]
    found["deviations"] = w.deviations[:w.features]
    why = Why(found)
    why.rows = _rows(found, names, nodes, originals)
    return why


class Why(Dict[str, Any]):
    """What `explain` tells: a dictionary that prints as a table."""

    rows: List[Row] = []

    def __str__(self) -> str:
        return facts(self.rows)

    def _repr_html_(self) -> str:
        return html_table(self.rows, head=False, align="left")


def _listed(name: str, texts: List[str]) -> List[Row]:
    """One a line, the first beside the name."""
    return [("" if i else name, text) for i, text in enumerate(texts)]


def _beside(text: str, more: Optional[float], form: str) -> str:
    return text if more is None else "%s (%s)" % (text, form % more)


def _features(found: Dict[str, Any]) -> List[Any]:
    """Features by name, or by number where they have none."""
    names = found["feature_names"] or [None] * len(found["features"])
    return [name or number for name, number in zip(names, found["features"])]


def _pair(partner: Optional[int], second: bool) -> List[Row]:
    """What is said of a prototype that is a pair of nodes, of which the second has no label."""
    if not second:
        return [("its second node", "" if partner is None else
                 "%d, without a label: it passes its features on to this one" % partner)]
    return [("second node of", "" if partner is None else
             "%d, a prototype: this node passes its features on to it" % partner),
            ("stands for", "no nodes of the full graph: it has no label")]


def _rows(found: Dict[str, Any], names: Optional[List[str]], nodes: Names,
          originals: Names) -> List[Row]:
    """What is known, as texts."""
    def called(node: Optional[int]) -> str:
        return "" if node is None else _called(originals, node)
    label, made = found["label"], found["role"] == "prototype"
    second = made and label is None
    unknown = made and found["members"] is None and found["nodes"]
    rows = [("role", found["role"]),
            *_pair(found["partner"], second),
            ("nearest node" if made else "node of the full graph",
             "" if second else called(found["origin"])),
            ("tree of", called(found["tree"])),
            ("label", "" if label is None else str(_class(names, label))),
            *_listed("soft label", ["%s %.3g" % pair for pair in found["soft_label"].items()]),
            ("weight", "" if second else number(found["weight"])),
            ("members", "" if second else "not stored: the nearest training nodes of its class are shown" if unknown
             else "" if found["members"] is None else number(found["members"])),
            ("covers", "%d of %d sampled trees" % (found["covers"], found["sample"])
             if found["role"] == "root" else ""),
            ("rank", "" if found["rank"] is None else number(found["rank"])),
            ("edges", number(found["edges"])),
            *_listed("nearest" if unknown else "stands for", [
                _beside(_called(nodes, n), d, "at %.3g") for n, d in zip(found["nodes"],
                                                                 found["distances"])]),
            *_listed("features", ["%s: %.3g (%+.3g from the mean, %+.2f standard deviations)" % row
                                  for row in zip(_features(found), found["values"],
                                                 found["above_mean"], found["deviations"])])]
    return [(name, text) for name, text in rows if text]
