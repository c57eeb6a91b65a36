"""Keyword options to option structs: the names and defaults are those of the C structs.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
import difflib
import math
import numbers
import operator
import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple, Type

from . import _capi as c
from ._errors import ArgumentError, OptionError

# Set by the binding itself.
_OWN = {"size", "progress", "payload", "cell", "cell_payload"}

ACCOUNTINGS = {"strict": c.STRICT, "paper": c.PAPER_FULL}
METHODS: List[str] = c.names(c.method_name)
MODELS: List[str] = c.names(c.model_name)


def fields(struct: Type[ctypes.Structure]) -> Dict[str, Any]:
    """The options of a struct: name to ctypes type.

    >>> from graphbonsai import _capi
    >>> sorted(fields(_capi.WriteOptions))
    ['features', 'threads']
    """
    return {f[0]: f[1] for f in struct._fields_ if f[0] not in _OWN}


def choice(name: str, value: Any, names: Sequence[str]) -> int:
    """The number of a text among the texts of an enumeration."""
    if isinstance(value, str):
        wanted = value.lower().replace("_", "-")
        if wanted in names:
            return list(names).index(wanted)
        raise ArgumentError('there is no %s "%s"%s' % (name, value, _hint(wanted, names)))
    raise OptionError("%s must be a text, one of %s, not %r" % (name, ", ".join(names), value))


def whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise OptionError("%s must be a whole number, not %r" % (name, value)) from None
    if not low <= number <= high:
        raise ArgumentError("%s is %d, outside %d..%d" % (name, number, low, high))
    return number


def real(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes)) or not (isinstance(value, numbers.Real) or
                                               hasattr(value, "__float__")):
        raise OptionError("%s must be a number, not %r" % (name, value))
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise OptionError("%s must be a number, not %r" % (name, value)) from None
    if not math.isfinite(number):
        raise ArgumentError("%s is %r, which is not finite" % (name, number))
    return number


def three(name: str, value: Any) -> Tuple[float, ...]:
    try:
        parts = list(value)
    except TypeError:
        parts = []
    if len(parts) != 3 or isinstance(value, (str, bytes)):
        raise OptionError("%s must be three shares in percent, such as (60, 20, 20), not %r" %
                          (name, value))
    return tuple(real(name, part) for part in parts)


def path(name: str, value: Any) -> bytes:
    """A path or FORMAT:PATH as the library takes it."""
    try:
        text = os.fsencode(value)
    except TypeError:
        raise OptionError("%s must be a path, not %r" % (name, value)) from None
    except UnicodeEncodeError as error:
        raise ArgumentError("%s cannot be the name of a file: %s" % (name, error)) from None
    if b"\0" in text:
        raise ArgumentError("%s has a zero byte in it" % name)
    return text


_RANGES = {ctypes.c_int: (-2**31, 2**31 - 1), ctypes.c_int64: (-2**63, 2**63 - 1),
           ctypes.c_uint64: (0, 2**64 - 1)}

_CHOICES: Dict[Tuple[Any, str], Callable[[str, Any], int]] = {
    (c.CondenseOptions, "method"): lambda n, v: choice(n, v, METHODS),
    (c.CondenseOptions, "accounting"): lambda n, v: choice(n, v, list(ACCOUNTINGS)),
    (c.TrainOptions, "model"): lambda n, v: choice(n, v, MODELS),
    (c.WriteOptions, "features"): lambda n, v: choice(n, v, c.ENCODINGS),
}


def _hint(name: str, names: Iterable[str]) -> str:
    """The name that was meant, or all of them."""
    names = list(names)
    near = difflib.get_close_matches(name, names, 1, 0.5)
    return '; did you mean "%s"?' % near[0] if near else "; there are " + ", ".join(names)


def unknown(name: str, names: Iterable[str]) -> OptionError:
    return OptionError('there is no option "%s"%s' % (name, _hint(name, sorted(names))))


def fill(struct: Type[ctypes.Structure], given: Mapping[str, Any],
         others: Iterable[str] = ()) -> Any:
    """A struct of the library's defaults with the given options laid over them.

    None leaves the default.  `others` are further names that the caller knows,
    for the suggestion.

    >>> from graphbonsai import _capi
    >>> fill(_capi.CondenseOptions, {"ratio": 0.01, "method": "trees"}).k
    5
    >>> fill(_capi.CondenseOptions, {"layrs": 3})
    Traceback (most recent call last):
        ...
    graphbonsai._errors.OptionError: there is no option "layrs"; did you mean "layers"?
    """
    o = c.init(struct)
    known = fields(struct)
    for name, value in given.items():
        if name not in known:
            raise unknown(name, {*known, *others})
        if value is not None:
            setattr(o, name, _convert(struct, name, known[name], value))
    return o


def _convert(struct: Any, name: str, kind: Any, value: Any) -> Any:
    if (struct, name) in _CHOICES:
        return _CHOICES[struct, name](name, value)
    for whole_kind, (low, high) in _RANGES.items():
        if kind is whole_kind:
            return whole(name, value, low, high)
    if kind is ctypes.c_double:
        return real(name, value)
    if kind is ctypes.c_char_p:
        return path(name, value)
    return kind(*three(name, value))
