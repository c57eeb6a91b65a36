"""Tests native files with a second reader and writer, written from doc/format.md.

    python3 test_format.py path/to/bonsai

Files in every encoding must be accepted and convert to the same arrays; files
written by the program must be readable; and both readers must refuse a file that
breaks one rule of doc/format.md.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("numpy is missing")
    sys.exit(77)

import format_reader as fmt

BONSAI = ""
FEATURES_AS = ["auto", "keep", "f32", "f16", "u8", "sparse", "sparse-u8"]
passed = failed = 0


def expect(condition, what):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print("FAILED: " + what)
    return bool(condition)


def bonsai(*args):
    return subprocess.run([BONSAI, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, check=False)


def u8(*a):
    return np.array(a, np.uint8)


def u16(*a):
    return np.array(a, np.uint16)


def u32(*a):
    return np.array(a, np.uint32)


def u64(*a):
    return np.array(a, np.uint64)


def i8(*a):
    return np.array(a, np.int8)


def f16(*a):
    return np.array(a, np.float16)


def f32(*a):
    return np.array(a, np.float32)


# ---- graphs to start from: four nodes, a path 0-1-2-3, three features, two classes ----

N, F, C = 4, 3, 2
PATH = {1: u32(0, 1, 3, 5, 6), 2: u32(1, 0, 2, 1, 3, 2)}
WEIGHTS = {3: f32(.5, .5, 2, 2, 3.25, 3.25)}
DENSE = {4: f32(0, 1, 2, 3, -4, 5.5, 6, 7, 8, 0, 0, .1)}
DENSE8 = {4: u8(0, 1, 2, 3, 4, 5, 6, 7, 255, 0, 0, 0), 8: f32(.5, .1, 3, 0)}
SPARSE = {5: u32(0, 2, 2, 5, 6), 6: u16(0, 2, 0, 1, 2, 1)}
VALUES = {7: f32(1, .25, -3, 4, .1, 6)}
VALUES8 = {7: u8(1, 2, 3, 4, 255, 1), 8: f32(.5, 1, .1, 3)}
SCALE = {8: f32(.5, .1, 3, 1)}
COLUMNS = {23: u16(0, 2), 4: f32(0, 1, 2, 3, -4, 5.5, 6, .1)}
MEMBERS = {17: u32(0, 1, 1, 3, 4), 18: u32(9, 5, 7, 2147483647)}
STANDARD = {20: f32(1, -2, 0), 21: f32(1, .5, 3)}
EXTRA = {
    9: u8(0, 1, 255, 1),
    10: f32(.25, .75, 1, 0, 0, 1, .5, .5),
    11: f32(1, 0, 2.5, 3),
    12: u8(1, 2, 3, 0),
    13: "alpha\0b\u00eata\0",
    14: "a\0\0\U0001f333\0d\0",
    15: u32(3, 0, 2147483647, 7),
    16: u8(0, 1, 2, 3),
    19: u32(4, 8, 2147483647),
    22: '{"name": "path", "deep": [1, 2.5, null, {"\u00e9": true}]}',
    24: "age\0\0gr\u00f6\u00dfe\0",
}


def q4(*a, **other):
    return fmt.Halves(fmt.Q4, a, **other)


def s4(*a, **other):
    return fmt.Halves(fmt.S4, a, **other)


def join(*parts):
    out = {}
    for part in parts:
        out.update(part)
    return out


FULL = join(PATH, WEIGHTS, SPARSE, VALUES, MEMBERS, STANDARD, EXTRA)


def good_files():
    """Return name -> (sections, keywords of write)."""
    usual = {"n": N, "f": F, "c": C}
    out = {
        "everything, sparse": (FULL, usual),
        "everything, dense": (join(PATH, WEIGHTS, DENSE, MEMBERS, STANDARD, EXTRA), usual),
        "no nodes": ({1: u32(0), 2: u32()}, {"n": 0}),
        "no nodes, all sections": ({1: u64(0), 2: u32(), 3: f32(), 5: u32(0), 6: u16(), 9: u8(), 10: f32(), 11: u8(),
                                    12: u8(), 14: u8(), 15: u32(), 16: u8(), 17: u32(0), 18: u32()},
                                   {"n": 0, "f": 3}),
        "one node": ({1: u32(0, 0), 2: u32()}, {"n": 1}),
        "bare": (PATH, {"n": N}),
        "bare, u64 offsets": (join(PATH, {1: PATH[1].astype(np.uint64)}), {"n": N}),
        "weights": (join(PATH, WEIGHTS), {"n": N}),
        "a later minor version": (PATH, {"n": N, "minor": 7}),
        "directed": ({1: u32(0, 1, 2, 2, 2), 2: u32(1, 2)}, {"n": N, "flags": 1}),
        "directed, weights": ({1: u32(0, 1, 2, 2, 2), 2: u32(1, 2), 3: f32(1, 2)}, {"n": N, "flags": 1}),
        "self loops": ({1: u32(0, 2, 3), 2: u32(0, 1, 0)}, {"n": 2, "flags": 2}),
        "repeated": ({1: u32(0, 2, 4), 2: u32(1, 1, 0, 0)}, {"n": 2, "flags": 4}),
        "repeated, weights": ({1: u32(0, 2, 4), 2: u32(1, 1, 0, 0), 3: f32(1, 2, 1, 2)}, {"n": 2, "flags": 4}),
        "operator": ({1: u32(0, 2, 3), 2: u32(0, 1, 0), 3: f32(-.5, -2, -2)}, {"n": 2, "flags": 10, "minor": 2}),
        "operator, a zero": ({1: u32(0, 1, 2), 2: u32(1, 0), 3: f32(0, 0)}, {"n": 2, "flags": 8, "minor": 2}),
        "all flags, none used": (PATH, {"n": N, "flags": 7}),
        "all flags, all used": ({1: u32(0, 3, 3), 2: u32(0, 0, 1)}, {"n": 2, "flags": 7}),
        "smallest weight": (join(PATH, {3: np.full(6, np.float32(1e-45))}), {"n": N}),
        "dense f32": (join(PATH, DENSE), usual),
        "dense f16": (join(PATH, {4: f16(0, 1, 2, 3, -4, 5.5, 6, 7, 8, 0, 0, .1)}), usual),
        "dense u8": (join(PATH, DENSE8), usual),
        "dense i8": (join(PATH, DENSE8, {4: i8(0, 1, 2, 3, -4, 5, 6, 7, 127, 0, 0, -127)}), usual),
        "dense u8, negative scale": (join(PATH, DENSE8, {8: f32(-.5, .1, 3, 0)}), usual),
        "sparse, no values": (join(PATH, SPARSE), usual),
        "sparse f32": (join(PATH, SPARSE, VALUES), usual),
        "sparse u8": (join(PATH, SPARSE, VALUES8), usual),
        "sparse i8": (join(PATH, SPARSE, VALUES8, {7: i8(1, -2, 3, 4, 127, -127)}), usual),
        "dense q4": (join(PATH, SCALE, {4: q4(0, 1, 2, 3, 4, 5, 6, 7, 15, 0, 0, 14)}), usual),
        "dense s4": (join(PATH, SCALE, {4: s4(0, 1, -2, 3, -4, 5, 6, 7, -7, 0, -1, 0)}), usual),
        "dense q4, an odd number": (join(PATH, {4: q4(15, 0, 1), 8: f32(1, .5, .1), 1: u32(0, 0, 0, 0), 2: u32()}),
                                    {"n": 3, "f": 1}),
        "dense q4, negative and zero scale": (join(PATH, {4: q4(*range(12)), 8: f32(-.5, 0, 3, -0.)}), usual),
        "sparse q4": (join(PATH, SPARSE, SCALE, {7: q4(1, 2, 3, 4, 15, 1)}), usual),
        "sparse s4": (join(PATH, SPARSE, SCALE, {7: s4(1, -2, 3, 4, -7, 7)}), usual),
        "sparse q4, an odd number": (join(PATH, SCALE, {5: u32(0, 1, 1, 2, 3), 6: u16(0, 1, 2), 7: q4(9, 0, 3)}), usual),
        "columns f32": (join(PATH, COLUMNS), usual),
        "columns f16": (join(PATH, COLUMNS, {4: COLUMNS[4].astype(np.float16)}), usual),
        "columns u8": (join(PATH, COLUMNS, SCALE, {4: u8(0, 1, 2, 3, 4, 5, 6, 255)}), usual),
        "columns i8": (join(PATH, COLUMNS, SCALE, {4: i8(0, 1, 2, 3, -4, 5, 127, -128)}), usual),
        "columns q4": (join(PATH, COLUMNS, SCALE, {4: q4(0, 1, 2, 3, 4, 5, 6, 15)}), usual),
        "columns s4": (join(PATH, COLUMNS, SCALE, {4: s4(0, 1, -2, 3, 4, 5, -7, 7)}), usual),
        "columns, minus zero": (join(PATH, COLUMNS, {4: f32(0, -0., 0, 0, -0., 0, 1, 2)}), usual),
        "columns f16, minus zero": (join(PATH, COLUMNS, {4: f16(0, -0., 0, 0, -0., 0, 1, 2)}), join(usual, {"f": 50})),
        "columns, none": (join(PATH, {4: f32(), 23: u16()}), usual),
        "columns q4, none": (join(PATH, SCALE, {4: q4(), 23: u16()}), usual),
        "columns, all": (join(PATH, DENSE, {23: u16(0, 1, 2)}), usual),
        "columns, u32": (join(PATH, COLUMNS, {23: u32(1, 2)}), usual),
        "columns, wide": (join(PATH, COLUMNS, {23: u32(3, 70000)}), join(usual, {"f": 70001})),
        "columns s4, wide": (join(PATH, SCALE, {4: s4(0, 1, -2, 3, 4, 5, -7, 7), 23: u32(3, 70000)}),
                             join(usual, {"f": 70001})),
        "columns, no nodes": ({1: u32(0), 2: u32(), 4: f32(), 23: u16(0, 2)}, {"n": 0, "f": 3}),
        "sparse, u32 indices": (join(PATH, SPARSE, VALUES, {6: SPARSE[6].astype(np.uint32)}), usual),
        "sparse, u64 offsets": (join(PATH, SPARSE, VALUES, {5: SPARSE[5].astype(np.uint64)}), usual),
        "sparse, wide": (join(PATH, SPARSE, {6: u32(0, 70000, 0, 1, 2, 65536)}), join(usual, {"f": 70001})),
        "sparse, nothing stored": (join(PATH, {5: u32(0, 0, 0, 0, 0), 6: u16()}), usual),
        "sparse, a zero stored": (join(PATH, SPARSE, {7: f32(1, 0, 1, 1, 1, 1)}), usual),
        "no features, sections of none": (join(PATH, {4: f32(), 19: u32(), 20: f32(), 21: f32()}), {"n": N}),
        "labels u8": (join(PATH, {9: u8(0, 1, 255, 0)}), {"n": N, "c": C}),
        "labels u16": (join(PATH, {9: u16(0, 299, 65535, 255)}), {"n": N, "c": 300}),
        "labels u32": (join(PATH, {9: u32(0, 65539, 4294967295, 65535)}), {"n": N, "c": 65540}),
        "labels, no classes": (join(PATH, {9: u8(255, 255, 255, 255)}), {"n": N}),
        "soft labels u8": (join(PATH, {10: u8(0, 255, 128, 127, 1, 254, 255, 0)}), {"n": N, "c": C}),
        "soft labels f32": (join(PATH, {10: EXTRA[10]}), {"n": N, "c": C}),
        "node weights u8": (join(PATH, {11: u8(0, 1, 2, 255)}), {"n": N}),
        "node weights u16": (join(PATH, {11: u16(0, 1, 256, 65535)}), {"n": N}),
        "node weights f32": (join(PATH, {11: EXTRA[11]}), {"n": N}),
        "members, u64 offsets": (join(PATH, MEMBERS, {17: MEMBERS[17].astype(np.uint64)}), {"n": N}),
        "an empty section at the end": (join(PATH, {13: u8()}), {"n": N}),
        "metadata, empty object": (join(PATH, {22: "{}"}), {"n": N}),
        "metadata with white space": (join(PATH, {22: ' {"a" : 1}\n'}), {"n": N}),
    }
    # A ring large enough for sections above 1 MiB.
    n = 300000
    v = np.arange(n, dtype=np.int64)
    ring = np.sort(np.stack([(v - 1) % n, (v + 1) % n], 1), 1).astype(np.uint32)
    out["large"] = ({1: np.arange(0, 2 * n + 1, 2, dtype=np.uint32), 2: ring.ravel(),
                     3: np.ones(2 * n, np.float32), 4: (v % 7).astype(np.float32),
                     12: (v % 4).astype(np.uint8)}, {"n": n, "f": 1})
    return out


# ---- files that break one rule ----

def bad_files():
    """Return name -> bytes."""
    out = {}

    def add(name, sections, n=N, f=F, c=C, flags=0, edit=None, **other):
        if name in out:
            raise KeyError(name)
        entries = fmt.lay_out(sections)
        if edit:
            edit(entries)
        out[name] = fmt.assemble(entries, n, f, c, flags, **other)

    def change(name, *parts, **other):
        add(name, join(FULL, *parts), **other)

    def without(name, *numbers, start=FULL, **other):
        add(name, {k: a for k, a in start.items() if k not in numbers}, **other)

    def entry(number, **fields):
        def edit(entries):
            next(e for e in entries if e["number"] == number).update(fields)
        return edit

    def dense(name, *parts, **other):
        add(name, join(PATH, DENSE, *parts), **other)

    whole = fmt.assemble(fmt.lay_out(FULL), N, F, C)
    places = {e["number"]: e["begin"] for e in fmt.lay_out(FULL)}

    # header
    out["empty file"] = b""
    out["half a header"] = whole[:32]
    out["a header only"] = whole[:64]
    out["cut in the table"] = whole[:200]
    out["cut by a byte"] = whole[:-1]
    out["longer by a byte"] = whole + b"\0"
    change("magic", magic=b"\x89BONSAI\r")
    change("major version 0", major=0)
    change("major version 2", major=2)
    change("kind 0", kind=0)
    change("kind 2", kind=2)
    change("length too small", length=len(whole) - 1)
    change("length too large", length=len(whole) + 1)
    change("length enormous", length=2 ** 64 - 1)
    change("checksum of header and table", crc=0)
    for k, word in (("more sections than fit", 60), ("number of sections enormous", 2 ** 32 - 1)):
        data = bytearray(whole)
        data[24:28] = word.to_bytes(4, "little")
        data[28:32] = bytes(4)
        end = min(64 + 32 * word, len(data))
        data[28:32] = fmt.zlib.crc32(bytes(data[:end])).to_bytes(4, "little")
        out[k] = bytes(data)
    many = {k: u8() for k in range(1, 66)}
    many.update({1: u32(0), 2: u32()})
    add("65 sections", many, n=0, f=0, c=0)
    for bit in (4, 31, 32, 63):
        change("flag bit %d" % bit, flags=1 << bit)
    change("n is 2^31", n=2 ** 31)
    change("n is 2^64 - 1", n=2 ** 64 - 1)
    add("f is 2^31", {1: u32(0), 2: u32(), 4: f32()}, n=0, f=2 ** 31, c=0)
    add("c is 2^31", PATH, f=0, c=2 ** 31)
    add("n f is 0 in 64 bits", {1: u32(*[0] * 5), 2: u32(), 4: f32()}, n=4, f=2 ** 62)

    # table
    out["no sections"] = fmt.assemble([], 0)

    def swap(entries):
        entries[8], entries[9] = entries[9], entries[8]
        end = 64 + 32 * len(entries)
        for e in entries:
            e["begin"] = fmt.align(end)
            end = e["begin"] + len(e["bytes"])

    change("sections out of order", edit=swap)

    def twice(entries):
        entries.append(dict(entries[-1]))
        end = 64 + 32 * len(entries)
        for e in entries:
            e["begin"] = fmt.align(end)
            end = e["begin"] + len(e["bytes"])

    change("a section twice", edit=twice)
    change("section 24", {24: u8()})
    add("section 0", join(PATH, {0: u8()}), f=0, c=0)
    change("section 2^31", {2 ** 31: u8(1)})
    change("last word of an entry", edit=entry(9, zero=1))
    change("last word of the last entry", edit=entry(22, zero=2 ** 31))
    for number in FULL:
        change("checksum of section %d" % number, edit=entry(number, crc=12345))

    def shift(by, number=None):
        def edit(entries):
            for e in entries:
                if number is None or e["number"] >= number:
                    e["begin"] += by
        return edit

    change("all sections 64 later", edit=shift(64))
    change("sections from the fifth 64 later", edit=shift(64, 5))
    change("not aligned", edit=shift(32, 22))
    change("last section by one", edit=shift(1, 22))

    def overlap(entries):
        entries[2]["begin"] = entries[1]["begin"]
        entries[2]["bytes"] = entries[1]["bytes"]

    add("two sections in one place", join(PATH, {3: PATH[2].view(np.float32)}), f=0, c=0, flags=1, edit=overlap)
    without("a gap byte after the table", 12, gap=(64 + 32 * (len(FULL) - 1), 1))
    without("a gap byte before the first section", 12, gap=(64 + 32 * len(FULL) - 1, 1))
    for number in (2, 22):
        change("a gap byte before section %d" % number, gap=(places[number] - 1, 1))
    change("bytes after the last section", tail=bytes(64))
    change("a byte after the last section", tail=b"\0")
    change("elements enormous", edit=entry(22, elements=2 ** 64 - 1))
    change("elements times size overflows", edit=entry(18, elements=2 ** 62))
    data = bytearray(whole)
    at = 64 + 32 * (len(FULL) - 1)
    data[at + 8:at + 16] = (2 ** 64 - 64).to_bytes(8, "little")
    data[28:32] = bytes(4)
    data[28:32] = fmt.zlib.crc32(bytes(data[:64 + 32 * len(FULL)])).to_bytes(4, "little")
    out["begin enormous"] = bytes(data)

    # types: every type that a section does not list
    sizes = {1: 1, 2: 2, 3: 4, 4: 8, 5: 1, 6: 2, 7: 4}
    starts = {4: join(PATH, DENSE), 8: join(PATH, DENSE8), 23: join(PATH, COLUMNS)}
    for number, (_, types, _) in fmt.SECTIONS.items():
        for kind in range(11):
            if kind in types:
                continue
            start = starts.get(number, FULL)
            array = start[number]
            if kind in sizes:
                if not isinstance(array, np.ndarray):
                    array = np.frombuffer(array.encode(), np.uint8)
                with np.errstate(all="ignore"):
                    array = array.astype(np.float64).astype(fmt.TYPES[kind])
                add("section %d in type %d" % (number, kind), join(start, {number: array}))
            else:
                add("section %d in type %d" % (number, kind), start, edit=entry(number, type=kind))

    # counts
    for number, (_, _, elements) in fmt.SECTIONS.items():
        if elements in (None, "m", "nnz"):
            continue
        start = starts.get(number, FULL)
        array = start[number]
        add("section %d too short" % number, join(start, {number: array[:-1]}))
        add("section %d too long" % number, join(start, {number: np.append(array, array[-1:])}))
    add("classes without nodes or names", join(PATH, {9: u32(0, 1, 0, 1)}), f=0, c=N + 65537)
    add("features without values", join(PATH, SPARSE), f=2**24 + 4096 * (len(SPARSE[6]) + 1))
    add("operator without weights", PATH, f=0, c=0, flags=8)
    change("operator, directed", {3: f32(.5, .5, 2, 2, 3, 3)}, flags=9)
    change("operator, not finite", {3: f32(.5, .5, 2, 2, np.inf, np.inf)}, flags=8)
    change("edge weights too few", {3: f32(.5, .5, 2, 2, 3.25)})
    change("edge weights too many", {3: f32(.5, .5, 2, 2, 3.25, 3.25, 1)})
    change("feature values too few", {7: f32(1, 2, 3, 4, 5)})
    change("feature values too many", {7: f32(1, 2, 3, 4, 5, 6, 7)})

    # adjacency
    without("no offsets", 1)
    without("no neighbors", 2, 3)
    add("no adjacency, no nodes", {9: u8()}, n=0, f=0, c=0)
    change("offsets: first not 0", {1: u32(1, 1, 3, 5, 6)}, flags=1)
    change("offsets fall", {1: u32(0, 3, 1, 5, 6)}, flags=7)
    change("offsets: last too small", {1: u32(0, 1, 3, 5, 5)}, flags=1)
    change("offsets: last too large", {1: u32(0, 1, 3, 5, 7)}, flags=1)
    change("offsets u64: an enormous one", {1: u64(0, 1, 2 ** 63, 5, 6)}, flags=7)
    change("offsets u64: last 2^32 too large", {1: u64(0, 1, 3, 5, 2 ** 32 + 6)}, flags=7)
    change("neighbor n", {2: u32(1, 0, 2, 1, 3, 4)}, flags=7)
    change("neighbor 2^32 - 1", {2: u32(1, 0, 2, 1, 3, 2 ** 32 - 1)}, flags=7)
    change("neighbors fall", {2: u32(1, 2, 0, 1, 3, 2), 3: f32(.5, 2, .5, 2, 3.25, 3.25)}, flags=7)
    change("repeated without the flag", {2: u32(1, 0, 2, 1, 1, 2)}, flags=3)
    change("self loop without the flag", {2: u32(0, 0, 2, 1, 3, 2)}, flags=5)
    change("no reverse", {2: u32(1, 0, 2, 1, 3, 1)}, flags=6)
    add("no reverse, bare", {1: u32(0, 1, 1), 2: u32(1)}, n=2, f=0, c=0)
    add("no reverse, even", {1: u32(0, 1, 2, 2, 2), 2: u32(1, 2)}, f=0, c=0)
    add("more entries than reverses", {1: u32(0, 2, 3), 2: u32(1, 1, 0)}, n=2, f=0, c=0, flags=4)
    change("reverse of another weight", {3: f32(.5, .5, 2, 2, 3.25, 3.5)})
    for what, w in (("zero", 0), ("minus zero", -0.), ("negative", -1), ("infinite", np.inf), ("not a number", np.nan)):
        change("edge weight " + what, {3: f32(w, w, 2, 2, 3.25, 3.25)})

    # features
    for what, x in (("infinite", np.inf), ("minus infinite", -np.inf), ("not a number", np.nan)):
        dense("dense f32 " + what, {4: f32(*[0] * 11, x)})
        dense("dense f16 " + what, {4: f16(*[0] * 11, x)})
        change("sparse f32 " + what, {7: f32(1, .25, -3, 4, .1, x)})
        add("scale, dense, " + what, join(PATH, DENSE8, {8: f32(1, 1, 1, x)}))
        add("scale, sparse, " + what, join(PATH, SPARSE, VALUES8, {8: f32(1, 1, 1, x)}))
    dense("dense and feature offsets", {5: SPARSE[5]})
    dense("dense and feature indices", {6: SPARSE[6]})
    dense("dense and feature values", {7: f32(*[0] * 12)})
    dense("dense and sparse", SPARSE)
    dense("dense and sparse with values", SPARSE, VALUES)
    add("f but no features", PATH, c=0)
    without("feature offsets without indices", 6, 7)
    without("feature indices without offsets", 5, 7)
    without("feature values without indices", 5, 6)
    add("feature values alone, f is 0", join(PATH, {7: f32()}), f=0, c=0)
    change("feature offsets: first not 0", {5: u32(1, 2, 2, 5, 6)})
    change("feature offsets fall", {5: u32(0, 2, 1, 5, 6), 6: u16(0, 2, 0, 1, 2, 1)})
    change("feature offsets: last too small", {5: u32(0, 2, 2, 5, 5)})
    change("feature offsets: last too large", {5: u32(0, 2, 2, 5, 7)})
    change("feature index f", {6: u16(0, 3, 0, 1, 2, 1)})
    change("feature index f, u32", {6: u32(0, 2, 0, 1, 2, 3)})
    change("feature index 65535", {6: u16(0, 65535, 0, 1, 2, 1)})
    change("feature indices fall", {6: u16(2, 0, 0, 1, 2, 1)})
    change("a feature index twice", {6: u16(2, 2, 0, 1, 2, 1)})
    dense("dense f32 with scale", {8: f32(1, 1, 1, 1)})
    dense("dense f16 with scale", {4: DENSE[4].astype(np.float16), 8: f32(1, 1, 1, 1)})
    change("sparse f32 with scale", {8: f32(1, 1, 1, 1)})
    add("sparse, no values, with scale", join(PATH, SPARSE, {8: f32(1, 1, 1, 1)}))
    add("scale but no features", join(PATH, {8: f32(1, 1, 1, 1)}), f=0)
    dense("dense u8 without scale", {4: u8(*range(12))})
    dense("dense i8 without scale", {4: i8(*range(12))})
    change("sparse u8 without scale", {7: VALUES8[7]})
    change("sparse i8 without scale", {7: VALUES8[7].astype(np.int8)})

    # four bits and columns
    def columns(name, *parts, **other):
        add("columns: " + name, join(PATH, COLUMNS, *parts), **other)

    scaled = join(PATH, SCALE)
    four = join(scaled, {4: q4(*range(12))})
    add("q4 without scale", join(PATH, {4: q4(*range(12))}))
    add("sparse s4 without scale", join(PATH, SPARSE, {7: s4(*range(6))}))
    add("q4 too few", join(scaled, {4: q4(*range(11))}))
    add("q4 too many", join(scaled, {4: q4(*range(13))}))
    add("q4: a last half byte", join(PATH, {4: q4(1, 2, 3, last=1), 8: f32(1, 1, 1), 1: u32(0, 0, 0, 0), 2: u32()}),
        n=3, f=1)
    add("sparse q4: a last half byte", join(scaled, {5: u32(0, 1, 1, 2, 3), 6: u16(0, 1, 2), 7: q4(9, 0, 3, last=15)}))
    add("s4: -8", join(scaled, {4: s4(*[0] * 11, -8)}))
    add("sparse s4: -8", join(scaled, SPARSE, {7: s4(1, 2, -8, 3, 4, 5)}))
    add("q4: checksum", four, edit=entry(4, crc=1))
    add("sparse q4: checksum", join(scaled, SPARSE, {7: q4(*range(6))}), edit=entry(7, crc=1))
    add("q4: elements enormous", four, edit=entry(4, elements=2 ** 64 - 1))
    add("q4: product not finite", join(four, {8: f32(1, 1, 1, 3e36)}))
    columns("fall", {23: u16(2, 0)})
    columns("one twice", {23: u16(2, 2)})
    columns("f", {23: u16(0, 3)})
    columns("65535", {23: u16(0, 65535)})
    columns("2^32 - 1", {23: u32(0, 2 ** 32 - 1)})
    columns("one too few", {23: u16(2)})
    columns("one too many", {23: u16(0, 1, 2)})
    columns("more than f", {23: u16(0, 1, 2, 3), 4: f32(*[1] * 16)})
    columns("values too few", {4: COLUMNS[4][:-1]})
    columns("values too many", {4: f32(*[1] * 9)})
    columns("checksum", edit=entry(23, crc=1))
    columns("checksum of the values", edit=entry(4, crc=1))
    columns("elements enormous", edit=entry(23, elements=2 ** 64 - 1))
    columns("a value is not finite", {4: f32(0, 1, 2, 3, -4, 5.5, 6, np.inf)})
    columns("scale is not finite", {4: q4(*range(8)), 8: f32(1, np.inf, 1, 1)})
    columns("sparse too", SPARSE)
    change("columns without dense", {23: u16(0, 2)})
    add("columns without features", join(PATH, {23: u16()}), f=0)

    # the rest
    change("label c", {9: u8(0, 1, 2, 1)})
    change("label 254", {9: u8(0, 1, 254, 1)})
    change("label c, u16", {9: u16(0, 1, 255, 1)})
    change("label c, u32", {9: u32(0, 1, 65535, 1)})
    add("label 0 without classes", join(PATH, {9: u8(255, 0, 255, 255)}), f=0, c=0)
    for what, w in (("negative", -.5), ("infinite", np.inf), ("not a number", np.nan)):
        change("soft label " + what, {10: f32(.25, .75, 1, 0, 0, 1, .5, w)})
        change("node weight " + what, {11: f32(1, 0, 2.5, w)})
    change("split 4", {12: u8(1, 2, 3, 4)})
    change("split 255", {12: u8(1, 2, 3, 255)})
    change("role 5", {16: u8(0, 1, 2, 5)})
    change("origin 2^31", {15: u32(3, 0, 2 ** 31, 7)})
    change("member 2^31", {18: u32(9, 5, 7, 2 ** 31)})
    change("kept feature 2^31", {19: u32(4, 8, 2 ** 31)})
    without("member offsets without members", 18)
    without("members without member offsets", 17)
    change("member offsets: first not 0", {17: u32(1, 1, 1, 3, 4)})
    change("member offsets fall", {17: u32(0, 3, 1, 3, 4)})
    change("member offsets: last too small", {17: u32(0, 1, 1, 3, 3)})
    change("member offsets: last too large", {17: u32(0, 1, 1, 3, 5)})
    without("mean without spread", 21)
    without("spread without mean", 20)
    for number, what in ((13, "class names"), (14, "node names"), (24, "feature names")):
        names = FULL[number].encode()
        change(what + ": one too few", {number: names[names.index(0) + 1:]})
        change(what + ": one too many", {number: names + b"x\0"})
        change(what + ": the last not ended", {number: names[:-1]})
        change(what + ": bytes after the last", {number: names + b"x"})
        change(what + ": empty", {number: u8()})
        rest = names[names.index(0):]
        for word, text in (("a lone continuation byte", b"\x80"), ("a cut sequence", b"\xc3"),
                           ("an overlong sequence", b"\xc1\x81"), ("an overlong zero", b"\xc0\x80"),
                           ("overlong in three", b"\xe0\x9f\xbf"), ("overlong in four", b"\xf0\x8f\xbf\xbf"),
                           ("a surrogate", b"\xed\xa0\x80"), ("above U+10FFFF", b"\xf4\x90\x80\x80"),
                           ("0xff", b"\xff")):
            change("%s: %s" % (what, word), {number: text + rest})
    for what, text in (("empty", b""), ("an array", b"[1]"), ("a number", b"1"), ("null", b"null"),
                       ("not JSON", b"{"), ("two objects", b"{}{}"), ("a trailing comma", b'{"a": 1,}'),
                       ("not UTF-8", b'{"a": "\xff"}'), ("a surrogate", b'{"a": "\xed\xa0\x80"}'),
                       ("NaN", b'{"a": NaN}'), ("ended by a zero byte", b"{}\0"), ("a raw line feed", b'{"a": "\n"}'),
                       ("single quotes", b"{'a': 1}"), ("a comment", b"{} // x")):
        change("metadata: " + what, {22: text})

    # the same in sections that are checked at first use
    n = 300000
    v = np.arange(n, dtype=np.int64)
    ring = np.sort(np.stack([(v - 1) % n, (v + 1) % n], 1), 1).astype(np.uint32).ravel()
    large = {1: np.arange(0, 2 * n + 1, 2, dtype=np.uint32), 2: ring}

    def put(array, at, value):
        array = array.copy()
        array[at] = value
        return array

    names = b"x\0" * n
    head = {"n": n, "f": 0, "c": 0}
    add("large: checksum of neighbors", large, edit=entry(2, crc=1), **head)
    add("large: checksum of offsets", large, edit=entry(1, crc=1), **head)
    add("large: neighbor n", join(large, {2: put(ring, 2 * n - 1, n)}), flags=7, **head)
    add("large: no reverse", join(large, {2: put(ring, 2 * n - 1, n - 1)}), flags=6, **head)
    add("large: offsets fall", join(large, {1: put(large[1], n // 2, 2 * n)}), flags=7, **head)
    add("large: edge weight", join(large, {3: put(np.ones(2 * n, np.float32), n, 0)}), flags=1, **head)
    add("large: dense", join(large, {4: put(np.ones(n, np.float32), n - 1, np.nan)}), n=n, f=1, c=0)
    sparse = {5: np.arange(n + 1, dtype=np.uint32), 6: np.zeros(n, np.uint32)}
    half = {8: np.ones(n, np.float32)}
    add("large: s4", join(large, half, {4: s4(*[0] * (2 * n - 1), -8)}), n=n, f=2, c=0)
    add("large: columns", join(large, half, {4: q4(*[1] * n), 23: u16(2)}), n=n, f=2, c=0)
    add("large: feature index", join(large, sparse, {6: put(sparse[6], n - 1, 1)}), n=n, f=1, c=0)
    add("large: feature value", join(large, sparse, {7: put(np.ones(n, np.float32), n - 1, np.inf)}), n=n, f=1, c=0)
    add("large: label", join(large, {9: put(np.zeros(n, np.uint32), n - 1, 3)}), n=n, f=0, c=3)
    add("large: soft label", join(large, {10: put(np.ones(n, np.float32), n - 1, -1)}), n=n, f=0, c=1)
    add("large: node weight", join(large, {11: put(np.ones(n, np.float32), n - 1, -1)}), **head)
    add("large: origin", join(large, {15: put(np.ones(n, np.uint32), n - 1, 2 ** 31)}), **head)
    add("large: node names", join(large, {14: (b"xyz\0" * n)[:-1]}), **head)
    add("large: node names, UTF-8", join(large, {14: b"xyz\0" * (n - 1) + b"\xffyz\0"}), **head)
    add("large: members", join(large, {17: np.arange(n + 1, dtype=np.uint32), 18: put(np.ones(n, np.uint32), n - 1, 2 ** 31)}), **head)
    add("large: metadata", join(large, {22: b'{"a": "' + names.replace(b"\0", b"y") * 2 + b'"'}), **head)
    return out


# ---- comparisons ----

def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype == np.float32 and b.dtype == np.float32:
        a, b = a.view(np.uint32), b.view(np.uint32)     # compares the sign of zeros
    return a.shape == b.shape and np.array_equal(a, b)


def compare(name, g, z):
    """Compare a graph of the second reader with the arrays of an .npz file."""
    used = set()

    def array(key, mine):
        used.add(key)
        if expect(key in z.files, "%s: no %s in the npz" % (name, key)):
            expect(same(z[key], mine), "%s: %s differs: %s, not %s" % (name, key, z[key], mine))

    index = g["edge_index"]
    if expect("edge_index" in z.files, name + ": no edge_index in the npz"):
        expect(z["edge_index"].dtype == np.int64 and z["edge_index"].shape == index.shape, name + ": edge_index is odd")
    array("edge_index", index)
    if "edge_weight" in g:
        array("edge_weight", g["edge_weight"])
    if "x" in g and g["f"] and "x_indptr" in z.files:   # the program has expanded it to sparse rows
        row = np.repeat(np.arange(g["n"]), np.diff(z["x_indptr"]))
        x = np.zeros((g["n"], g["f"]), np.float32)
        x[row, z["x_indices"]] = z["x_data"]
        expect(same(x, g["x"]), "%s: features differ" % name)
        used.update(("x_data", "x_indices", "x_indptr", "x_shape"))
    elif "x" in g and g["f"]:
        array("x", g["x"])
    if "x_data" in g and g["f"]:
        there = g["x_data"].view(np.uint32) != 0        # stored zeros are dropped
        array("x_data", g["x_data"][there])
        array("x_indices", g["x_indices"][there])
        array("x_indptr", np.append(0, np.cumsum(there))[g["x_indptr"]])
        array("x_shape", g["x_shape"])
    if "y" in g:
        array("y", g["y"])
    if "split" in g:
        for value, key in ((1, "train_idx"), (2, "val_idx"), (3, "test_idx")):
            array(key, np.flatnonzero(g["split"] == value))
    if "soft" in g:
        array("y_soft", g["soft"])
    for key, mine in (("node_weight", "node_weight"), ("origin", "origin"), ("role", "role"),
                      ("member_offsets", "member_offsets"), ("members", "members"), ("kept_features", "kept_features"),
                      ("feature_mean", "feature_mean"), ("feature_spread", "feature_spread")):
        if mine in g:
            array(key, g[mine])
    for key, number in (("class_names", 13), ("node_names", 14), ("feature_names", 24)):
        if number in g["sections"]:
            array(key, g["sections"][number])
    for key, mine in (("num_nodes", "n"), ("num_features", "f"), ("num_classes", "c"), ("graph_flags", "flags")):
        if key in z.files:
            array(key, g[mine])
    return set(z.files) - used


def same_graph(name, a, b):
    """Compare two graphs of the second reader, whatever their encodings."""
    for key in sorted(set(a) | set(b)):
        if key in ("sections", "x_scale", "metadata", "x", "x_data", "x_indices", "x_indptr", "x_shape"):
            continue
        if expect(key in a and key in b, "%s: %s is lost" % (name, key)):
            expect(same(a[key], b[key]), "%s: %s differs" % (name, key))
    expect(same(dense_of(a), dense_of(b)), "%s: features differ" % name)


def dense_of(g):
    if "x" in g:
        return g["x"]
    x = np.zeros((g["n"], g["f"]), np.float32)
    if "x_data" in g:
        x[fmt.rows_of(g["x_indptr"]), g["x_indices"]] = g["x_data"]
    return x


def read(name, path):
    try:
        g = fmt.read(path)
    except ValueError as error:
        expect(False, "%s: the second reader: %s" % (name, error))
        return None
    expect(True, name)
    return g


def check_size(name, path, g):
    run = bonsai("info", "--json", path)
    if expect(run.returncode == 0, "%s: info --json: %s" % (name, run.stderr)):
        told = json.loads(run.stdout).get("bytes")
        expect(told == fmt.size(g), "%s: size %s, by the page %d" % (name, told, fmt.size(g)))


# ---- the tests ----

def test_good(folder):
    extra = {}
    for name, (sections, head) in good_files().items():
        path, npz, copy = (os.path.join(folder, "good" + end) for end in (".bonsai", ".npz", "2.bonsai"))
        for old in (npz, copy):
            if os.path.exists(old):
                os.remove(old)
        fmt.write(path, sections, **head)
        g = read(name, path)
        if g is None:
            continue
        run = bonsai("check", path)
        expect(run.returncode == 0 and not run.stderr, "%s: check: %d %s" % (name, run.returncode, run.stderr))
        check_size(name, path, g)
        run = bonsai("convert", path, npz)
        if expect(run.returncode == 0, "%s: to npz: %d %s" % (name, run.returncode, run.stderr)):
            with np.load(npz, allow_pickle=False) as z:
                for key in compare(name, g, z):
                    extra.setdefault(key, str(z[key].dtype) + str(list(z[key].shape)))
        run = bonsai("convert", path, copy)
        if expect(run.returncode == 0, "%s: to bonsai: %d %s" % (name, run.returncode, run.stderr)):
            g2 = read(name + ", converted", copy)
            if g2 is not None:
                same_graph(name + ", converted", g, g2)
    print("other arrays in the npz files: " + ", ".join("%s %s" % pair for pair in sorted(extra.items())))


def test_packed(folder):
    """Graphs that the writer stores in four bits, or without some columns."""
    random = np.random.default_rng(1)
    path, out = os.path.join(folder, "in.bonsai"), os.path.join(folder, "out.bonsai")
    for trial in range(20):
        n, f = int(random.integers(1, 9)), int(random.integers(1, 60))
        codes = random.integers(-7, 8, (n, f)) if trial % 2 else random.integers(0, 16, (n, f))
        codes[:, random.random(f) < .6 * (trial % 3)] = 0
        codes[random.random((n, f)) < .3 * (trial % 4)] = 0
        x = (np.sign(codes) * codes ** 2).astype(np.float32) * random.random((n, 1), np.float32)
        if trial % 5 == 4:
            x += (x != 0) * random.random((n, f), np.float32)
        name = "packed %d" % trial
        fmt.write(path, {1: u32(*[0] * (n + 1)), 2: u32(), 4: x}, n, f)
        run = bonsai("convert", path, out)
        if not expect(run.returncode == 0, "%s: %d %s" % (name, run.returncode, run.stderr)):
            continue
        g = read(name, out)
        if g is None:
            continue
        expect(same(dense_of(g), x), name + ": features differ")
        expect(minor_is_right(out), name + ": minor version")
        check_size(name, path, fmt.read(path))
        check_size(name, out, g)
        with open(out, "rb") as file:
            data = file.read()
        counted = sum(stored_bytes(data, i) for i in range(data[24]) if data[64 + 32 * i] not in (*range(13, 23), 24))
        expect(counted == fmt.size(g), "%s: %d bytes, by the page %d" % (name, counted, fmt.size(g)))


def minor_is_right(path):
    with open(path, "rb") as file:
        data = file.read()
    new = any(data[64 + 32 * i] == 23 or data[64 + 32 * i + 4] > 7 for i in range(data[24]))
    named = any(data[64 + 32 * i] == 24 for i in range(data[24]))
    return data[10:12] == bytes([3 if named else 2 if data[56] & 8 else new, 0])


def stored_bytes(data, i):
    """Return the bytes of a section in the file."""
    kind, = fmt.struct.unpack_from("<I", data, 64 + 32 * i + 4)
    elements, = fmt.struct.unpack_from("<Q", data, 64 + 32 * i + 16)
    return (elements + 1) // 2 if kind in (fmt.Q4, fmt.S4) else elements * np.dtype(fmt.TYPES[kind]).itemsize


def test_frozen():
    """A file of version 1.0, which bonsai 0.7.2 wrote."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "version10.bonsai")
    g = read("version 1.0", path)
    run = bonsai("check", path)
    expect(run.returncode == 0 and not run.stderr, "version 1.0: check: %s" % run.stderr)
    with open(path, "rb") as file:
        expect(file.read(12)[8:] == bytes([1, 0, 0, 0]), "version 1.0: is another")
    if g is not None:
        check_size("version 1.0", path, g)
        expect((g["n"], g["f"], g["c"]) == (40, 30, 3), "version 1.0: shape")


def test_bad(folder):
    path = os.path.join(folder, "bad.bonsai")
    for name, data in bad_files().items():
        with open(path, "wb") as file:
            file.write(data)
        try:
            fmt.read(path)
            expect(False, name + ": the second reader accepts it")
        except ValueError:
            expect(True, name)
        run = bonsai("check", path)
        expect(run.returncode == 1 and run.stderr.count(b"\n") == 1 and run.stderr.endswith(b"\n"),
               "%s: check: %d %r" % (name, run.returncode, run.stderr))


def test_generated(folder):
    for flags in ([], ["--dense"]):
        name = " ".join(["generate"] + flags)
        path = os.path.join(folder, "g.bonsai")
        run = bonsai("generate", "--nodes", "500", *flags, "-o", path)
        if not expect(run.returncode == 0, "%s: %d %s" % (name, run.returncode, run.stderr)):
            continue
        g = read(name, path)
        if g is None:
            continue
        expect(g["n"] == 500, name + ": not 500 nodes")
        expect(bonsai("check", path).returncode == 0, name + ": check")
        check_size(name, path, g)
        for kind in FEATURES_AS:
            what = "%s, features as %s" % (name, kind)
            copy = os.path.join(folder, "copy.bonsai")
            run = bonsai("convert", path, copy, "--features-as", kind)
            if not expect(run.returncode == 0, "%s: %d %s" % (what, run.returncode, run.stderr)):
                continue
            g2 = read(what, copy)
            if g2 is None:
                continue
            expect(bonsai("check", copy).returncode == 0, what + ": check")
            check_size(what, copy, g2)
            x, x2 = dense_of(g), dense_of(g2)
            step = np.abs(x).max(axis=1, keepdims=True) / 100 if x.size else 0
            expect(np.all(np.abs(x - x2) <= step), what + ": features are far off")


def main():
    global BONSAI
    if len(sys.argv) != 2:
        sys.exit("usage: test_format.py path/to/bonsai")
    BONSAI = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        test_frozen()
        test_good(folder)
        test_packed(folder)
        test_generated(folder)
        test_bad(folder)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
