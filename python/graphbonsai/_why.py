"""What the library tells about a node of a condensed graph, as a dictionary.

SPDX-License-Identifier: MIT
"""
import math
from typing import Any, Dict, List, Optional

from . import _capi as c

_ROLES = ("none", "root", "ego", "prototype", "learned")
_PLAIN = ("origin", "tree", "root", "covers", "sample", "rank", "score", "weight", "members",
          "edges", "label")


def told(w: Any) -> Dict[str, Any]:
    """Why a node is there; None for what is not known."""
    found = {name: getattr(w, name) for name in _PLAIN}
    found["role"] = _ROLES[w.role]
    for name in ("origin", "tree", "root", "members", "label"):
        found[name] = None if found[name] < 0 else found[name]
    if w.rank == 0:
        found["score"] = found["rank"] = None
    return found


def _class(names: Optional[List[str]], number: int) -> Any:
    """The name of a class; its number if it has none, or shares it with another."""
    own = names and names[number] and names.count(names[number]) == 1
    return names[number] if names and own else number


def explained(w: Any, names: Optional[List[str]]) -> Dict[str, Any]:
    """The same, and the most telling of its classes, nodes and features."""
    found = told(w)
    found["soft_label"] = {_class(names, w.share_class[i]): w.share[i] for i in range(w.shares)}
    found["nodes"] = w.node[:w.nodes]
    found["distances"] = [c.measured(d) for d in w.distance[:w.nodes]]
    found["features_set"] = w.features_set
    found["features"] = w.feature[:w.features]
    found["values"] = w.value[:w.features]
    found["above_mean"] = [None if math.isnan(a) else a for a in w.above_mean[:w.features]]
    return found
