"""Keyword options to option structs, by the library's table of option fields.

A field's name, type, choices, default and help are the library's.  The signatures of the functions
that take options are written by tools/signatures, from the same table.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
import difflib
import functools
import inspect
import math
import numbers
import operator
import os
import re
from typing import (Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Sequence, Tuple, Type,
                    TypeVar, cast)

from . import _capi as c
from ._errors import ArgumentError, OptionError

Function = TypeVar("Function", bound=Callable[..., Any])

# Members whose names would shadow a builtin, and their names here.
RENAMED = {"bytes": "max_bytes"}


class Field(NamedTuple):
    """A member of an option struct that callers can set by a keyword."""

    name: str               # of the keyword
    member: str             # of the struct
    kind: int               # FIELD_FLAG, ...
    marks: int
    low: float              # of numbers; any number where low == high
    high: float
    words: List[str]        # that the value is chosen from
    default: Any            # None: not given
    otherwise: str          # what holds where it is not given
    about: str


@functools.lru_cache(maxsize=None)
def fields(struct: Type[ctypes.Structure]) -> Dict[str, Field]:
    """The options of a struct by name, in the order of its members.

    >>> from graphbonsai import _capi
    >>> list(fields(_capi.WriteOptions))
    ['features', 'threads', 'memory', 'labelled']
    >>> fields(_capi.CondenseOptions)["k"].default
    5
    """
    found: Dict[str, Field] = {}
    preset, i = c.init(struct), 0
    while True:
        pointer = c.field_at(struct.KIND, i)
        if not pointer:
            return found
        if pointer.contents.help:       # members without a help text are no options
            field = _field(pointer, preset)
            found[field.name] = field
        i += 1


def _field(pointer: Any, preset: Any) -> Field:
    f = pointer.contents
    member = f.name.decode()
    words: List[str] = []
    while f.words and f.words[len(words)] is not None:
        words.append(f.words[len(words)].decode())
    default = None
    if c.field_text(None, 0, pointer, ctypes.byref(preset)):
        default = getattr(preset, member)
        if f.type == c.FIELD_CHOICE:
            default = words[default]
        elif f.type == c.FIELD_FLAG:
            default = bool(default)
        elif f.type == c.FIELD_SET:
            default = ",".join(w for i, w in enumerate(words) if default >> i & 1) or "all"
    return Field(RENAMED.get(member, member), member, f.type, f.marks, f.low, f.high, words,
                 default, (f.otherwise or b"").decode(), f.help.decode())


def words(struct: Type[ctypes.Structure], name: str) -> List[str]:
    """The choices of an option, by value."""
    return fields(struct)[name].words


# ---- values ----


def choice(name: str, value: Any, names: Sequence[str]) -> int:
    """The number of a text among the texts of an enumeration."""
    if isinstance(value, str):
        wanted = value.lower().replace("_", "-")
        if wanted in names:
            return list(names).index(wanted)
        raise ArgumentError('there is no %s "%s"%s' % (name, value, _hint(wanted, names)))
    raise OptionError("%s must be a text, one of %s, not %r" % (name, ", ".join(names), value))


def several(name: str, value: Any, names: Sequence[str]) -> int:
    """A bit for each of some texts of an enumeration, given as "a,b" or one by one; 0: all.

    >>> several("for_models", "gcn,sage", ["gcn", "gat", "gin", "sage"])
    9
    """
    if isinstance(value, str):
        value = value.split(",")
    try:
        parts = list(value)
    except TypeError:
        parts = []
    if not parts:
        raise OptionError("%s must be some of %s, or all, not %r" % (name, ", ".join(names), value))
    if parts == ["all"]:
        return 0
    bits = 0
    for part in parts:
        bits |= 1 << choice(name, part.strip() if isinstance(part, str) else part, names)
    return bits


def refuse_truth(name: str, value: Any, what: str) -> None:
    """True and False count as 1 and 0 in Python; where a number is needed, they are a mistake."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        raise OptionError("%s must be %s, not %r" % (name, what, value))


def size(name: str, value: Any) -> Any:
    """Bytes of a text as the program takes it; anything else as it is.

    >>> size("memory", "300M"), size("memory", "300 MiB"), size("memory", "1.5GB"), size("memory", 7)
    (314572800, 314572800, 1500000000, 7)
    """
    if not isinstance(value, str):
        return value
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?(?:([KMGTkmgt])(B|iB)?|B)?", value.strip())
    if not found:
        raise OptionError('%s must be bytes, or a size such as "500M" or "3G", not %r' %
                          (name, value))
    thousand = 1000 if found[3] == "B" else 1024
    return int(float(found[1]) * thousand ** " KMGT".index((found[2] or " ").upper()))


def whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise OptionError("%s must be a whole number, not %r" % (name, value)) from None
    if not low <= number <= high:
        raise ArgumentError("%s is %d, outside %d..%d" % (name, number, low, high))
    return number


def _share(value: Any) -> Any:
    """A share that is written in percent, such as "1%"; else the value as it is."""
    if not isinstance(value, str) or not value.rstrip().endswith("%"):
        return value
    try:
        return float(value.rstrip()[:-1]) / 100
    except ValueError:
        return value


def real(name: str, value: Any) -> float:
    refuse_truth(name, value, "a number")
    value = _share(value)
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
    shares = (ctypes.c_double * 3)()
    if isinstance(value, str) and c.split_named(shares, value.encode("utf-8", "replace")):
        return tuple(shares)
    try:
        parts = [*map(float, value.split("/"))] if isinstance(value, str) else list(value)
    except (TypeError, ValueError):
        parts = []
    if len(parts) != 3 or isinstance(value, bytes):
        raise OptionError('%s must be three shares in percent, such as (60, 20, 20) or "60/20/20", '
                          '"own", "random" or "published", not %r' % (name, value))
    found = tuple(real(name, part) for part in parts)
    if abs(sum(found) - 1) < 1e-9:
        raise ArgumentError("%s is %r; the shares are in percent: did you mean (%g, %g, %g)?" %
                            (name, value, *(100 * share for share in found)))
    return found


def text(name: str, value: Any) -> bytes:
    if not isinstance(value, (str, os.PathLike)):
        raise OptionError("%s must be a text, not %r" % (name, value))
    return os.fsdecode(value).encode("utf-8", "replace").replace(b"\0", b" ")


def weights(name: str, value: Any) -> bytes:
    """Weights of classes as the library takes them: "balanced", or numbers with commas between them.

    >>> weights("class_weight", [1, 2.5]), weights("class_weight", "balanced")
    (b'1.0,2.5', b'balanced')
    """
    if isinstance(value, str):
        return text(name, value)
    try:
        numbers_of = [real(name, one) for one in value]
    except TypeError:
        raise OptionError('%s must be "balanced" or a number for each class, not %r' %
                          (name, value)) from None
    return ",".join(map(repr, numbers_of)).encode()


def path(name: str, value: Any) -> bytes:
    """A path or FORMAT:PATH, as the library takes it."""
    try:
        encoded = os.fsencode(value)
    except TypeError:
        raise OptionError("%s must be a path, not %r" % (name, value)) from None
    except UnicodeEncodeError as error:
        raise ArgumentError("%s cannot be the name of a file: %s" % (name, error)) from None
    if b"\0" in encoded:
        raise ArgumentError("%s has a zero byte in it" % name)
    return encoded


# What fits into the C type of a whole number; the library checks the range of the option.
_ROOM = {c.FIELD_FLAG: (-2**31, 2**31 - 1), c.FIELD_INT: (-2**31, 2**31 - 1),
         c.FIELD_LONG: (-2**63, 2**63 - 1), c.FIELD_BYTES: (-2**63, 2**63 - 1),
         c.FIELD_U64: (0, 2**64 - 1)}

_TEXTS = {c.FIELD_TEXT: text, c.FIELD_FILE: path}


def _convert(field: Field, value: Any) -> Any:
    name, kind = field.name, field.kind
    if kind == c.FIELD_CHOICE or (kind == c.FIELD_FLAG and field.words and isinstance(value, str)):
        return choice(name, value, field.words)
    if kind == c.FIELD_SET:
        return several(name, value, field.words)
    if kind == c.FIELD_LONG and isinstance(value, str) and value in field.words:
        return -1
    if kind in _ROOM:
        if kind != c.FIELD_FLAG:
            refuse_truth(name, value, "a whole number")
        return whole(name, size(name, value) if kind == c.FIELD_BYTES else value, *_ROOM[kind])
    if kind == c.FIELD_SPLIT:
        return (ctypes.c_double * 3)(*three(name, value))
    if name == "class_weight":
        return weights(name, value)
    return _TEXTS.get(kind, real)(name, value)


def fill(struct: Type[ctypes.Structure], given: Mapping[str, Any]) -> Any:
    """A struct with the library's defaults and, over them, those of the given values that are its
    options.  None leaves the default.

    >>> from graphbonsai import _capi
    >>> fill(_capi.CondenseOptions, {"ratio": 0.01, "method": "trees", "k": None}).k
    5
    """
    o = c.init(struct)
    for name, field in fields(struct).items():
        if given.get(name) is not None:
            setattr(o, field.member, _convert(field, given[name]))
    return o


def changed(struct: Type[ctypes.Structure], given: Mapping[str, Any]) -> Dict[str, Any]:
    """Those of the given values that are options of a struct and not its defaults.

    >>> from graphbonsai import _capi
    >>> changed(_capi.CondenseOptions, {"ratio": None, "seed": 2, "k": 5, "progress": False})
    {'seed': 2}
    """
    return {name: given[name] for name, field in fields(struct).items()
            if given.get(name) is not None and not _same(given[name], field.default)}


def _same(value: Any, default: Any) -> bool:
    """Without comparing arrays."""
    return isinstance(value, (bool, int, float, str)) and value == default


# ---- names ----


# Names that other packages have for our options.
ELSEWHERE: Dict[str, Tuple[str, ...]] = {
    "budget": ("ratio", "max_bytes", "nodes", "trees"), "random_state": ("seed",),
    "random_seed": ("seed",), "n_jobs": ("threads",), "num_workers": ("threads",),
    "num_threads": ("threads",), "verbose": ("progress",), "num_nodes": ("nodes",),
    "n_nodes": ("nodes",), "num_layers": ("layers",), "hidden_channels": ("hidden",),
    "num_epochs": ("epochs",), "lr": ("rate",), "learning_rate": ("rate",),
    "weight_decay": ("decay",), "wd": ("decay",), "reduction_rate": ("ratio",), "frac": ("ratio",),
    "fraction": ("ratio",), "rng": ("seed",), "hops": ("layers",)}


def _hint(name: str, names: Iterable[str]) -> str:
    """The name that was meant, or all of them."""
    names = list(names)
    near = difflib.get_close_matches(name, names, 1, 0.5)
    return '; did you mean "%s"?' % near[0] if near else "; there are " + ", ".join(names)


# What is done elsewhere, or in another way.
INSTEAD = {"split_index": "graphbonsai.pyg.from_data(data, split_index=...) makes a graph of that split",
           "device": "all of it runs on the processor, and tensors return to the device of the data"}


def _translated(name: str, known: Sequence[str]) -> str:
    """What does here what an option of that name does elsewhere; nothing if it is unknown.

    >>> _translated("budget", ["nodes", "ratio", "seed"])
    '; ratio or nodes does that'
    """
    ours = [one for one in ELSEWHERE.get(name, ()) if one in known]
    listed = " or ".join([part for part in (", ".join(ours[:-1]), *ours[-1:]) if part])
    return "; %s does that" % listed if ours else ""


def check_names(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuses a name that is not known, with the nearest one.

    >>> check_names(["layrs"], ["layers", "k"])
    Traceback (most recent call last):
        ...
    graphbonsai._errors.OptionError: there is no option "layrs"; did you mean "layers"?
    >>> check_names(["random_state"], ["seed", "sample"])
    Traceback (most recent call last):
        ...
    graphbonsai._errors.OptionError: there is no option "random_state"; seed does that
    """
    for name in given:
        if name not in known:
            names = sorted(known)
            raise OptionError('there is no option "%s"%s' %
                              (name, "; " + INSTEAD[name] if name in INSTEAD else
                               _translated(name, names) or _hint(name, names)))


def named(function: Function) -> Function:
    """Lets a function refuse a misspelt keyword with the nearest name."""
    parameters = inspect.signature(function).parameters
    optional = [name for name, p in parameters.items() if p.default is not p.empty]

    @functools.wraps(function)
    def checked(*arguments: Any, **given: Any) -> Any:
        check_names([name for name in given if name not in parameters], optional)
        return function(*arguments, **given)
    return cast(Function, checked)
