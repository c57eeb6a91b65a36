"""Tells in a few lines where two files differ: by line, by section of a .bonsai file, by member of a .npz.

SPDX-License-Identifier: MIT
"""
import difflib
import io
import json
import math
import re
import struct
import zipfile

MAGIC = b"\x89BONSAI\n"
HEADER = struct.Struct("<8sHHIQIIQQQQ")
ENTRY = struct.Struct("<IIQQII")
WIDTH = {1: 1, 2: 2, 3: 4, 4: 8, 5: 1, 6: 2, 7: 4, 8: .5, 9: .5}
TYPES = {1: "u8", 2: "u16", 3: "u32", 4: "u64", 5: "i8", 6: "f16", 7: "f32", 8: "q4", 9: "s4"}
SECTIONS = dict(enumerate(
    "offsets, neighbors, edge weights, features, feature offsets, feature indices, feature values, "
    "feature scale, labels, soft labels, node weights, split, class names, node names, origin, role, "
    "member offsets, members, kept features, feature mean, feature spread, metadata, "
    "feature columns, feature names".split(", "), 1))
SECTIONS[32] = "parameters"
MOST = 24           # lines


def sections(data):
    """The parts of a native file by name; doc/format.md says how it is laid out."""
    head = HEADER.unpack_from(data)
    parts = {"header": repr((head[1:4], head[7:])).encode()}
    for i in range(head[5]):
        number, kind, begin, count, _crc, _zero = ENTRY.unpack_from(data, HEADER.size + ENTRY.size * i)
        name = "%s (%s)" % (SECTIONS.get(number, number), TYPES[kind])
        parts[name] = data[begin:begin + math.ceil(count * WIDTH[kind])]
    return parts


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def parts(data):
    """Sections or members by name; of any other file the whole."""
    try:
        if data[:8] == MAGIC:
            return sections(data)
        if data[:2] == b"PK":
            return members(data)
    except (struct.error, KeyError, zipfile.BadZipFile):
        pass
    return {"bytes": data}


def keys(value, path=""):
    """Each leaf of a JSON value by its path, such as options.seed."""
    if isinstance(value, dict) and value:
        return {k: v for key in value for k, v in keys(value[key], path + "." + key).items()}
    if isinstance(value, list) and any(isinstance(x, (dict, list)) for x in value):
        return {k: v for i, x in enumerate(value) for k, v in keys(x, "%s[%d]" % (path, i)).items()}
    return {path.lstrip("."): value}


def cut(text, length=100):
    return text if len(text) <= length else text[:length] + "..."


def by_key(before, after):
    a, b = keys(before), keys(after)
    a, b = ({key: json.dumps(value) for key, value in side.items()} for side in (a, b))
    return ["metadata %s: %s -> %s" % (key, cut(a.get(key, "absent")), cut(b.get(key, "absent")))
            for key in {**a, **b} if a.get(key) != b.get(key)]


def metadata(data):
    """The JSON in a section or an array, or nothing."""
    begin = data.find(b"{", data.find(b"\n") + 1 if data.startswith(b"\x93NUMPY") else 0)
    try:
        return json.loads(data[begin:].decode())
    except ValueError:
        return None


def by_bytes(name, a, b):
    count = sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))
    first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    sizes = "%d bytes" % len(a) if len(a) == len(b) else "%d -> %d bytes" % (len(a), len(b))
    return "%s: %s, %d differ, the first at %d" % (name, sizes, count, first)


def by_part(before, after):
    names = [", ".join(side) for side in (before, after)]
    lines = ["parts: %s -> %s" % tuple(names)] if names[0] != names[1] else []
    for name in before:
        a, b = before[name], after.get(name)
        if b is None or a == b:
            continue
        known = name.startswith("metadata") and metadata(a) is not None and metadata(b) is not None
        lines += (known and by_key(metadata(a), metadata(b))) or [by_bytes(name, a, b)]
    return lines


def long(text):
    return max(map(len, text.split("\n"))) > 160


def by_line(a, b):
    """A unified diff.  Long lines, of pages and of JSON, end at each tag and each key."""
    a, b = (re.sub(r"(?<=>)(?=<)|(?<=,)(?=\")", "\n", text) if long(text) else text for text in (a, b))
    return list(difflib.unified_diff(a.splitlines(), b.splitlines(), "before", "after", "", "", 2, ""))


def differences(a, b):
    """Lines for people; a and b are texts, or bytes where they are none."""
    if isinstance(a, str) and isinstance(b, str):
        lines = by_line(a, b)
    else:
        lines = by_part(*(parts(x.encode() if isinstance(x, str) else x) for x in (a, b)))
    lines = lines or ["the layout of the file alone, or the ends of lines"]
    return [cut(line, 160) for line in lines[:MOST]] + ["..."] * (len(lines) > MOST)
