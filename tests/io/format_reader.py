"""A second reader and writer of .bonsai files, written from doc/format.md alone.

read(path) decodes a file and raises ValueError for anything the page forbids;
write(path, sections, ...) writes any sections in any type; size(graph) is the
size of a graph as the page defines it.  It shares no code with the library.
"""
import json
import struct
import zlib

import numpy as np

MAGIC = bytes([0x89]) + b"BONSAI\n"
DIRECTED, LOOPS, REPEATED, OPERATOR = 1, 2, 4, 8
LIMIT = 1 << 31

TYPES = {1: "<u1", 2: "<u2", 3: "<u4", 4: "<u8", 5: "<i1", 6: "<f2", 7: "<f4"}
NUMBERS = {np.dtype(name): number for number, name in TYPES.items()}
U8, U16, U32, U64, I8, F16, F32, Q4, S4 = 1, 2, 3, 4, 5, 6, 7, 8, 9

# number: (name, types, elements)
SECTIONS = {
    1: ("offsets", (U32, U64), "n+1"),
    2: ("neighbors", (U32,), None),
    3: ("edge weights", (F32,), "m"),
    4: ("features", (F32, F16, U8, I8, Q4, S4), "nk"),
    5: ("feature offsets", (U32, U64), "n+1"),
    6: ("feature indices", (U16, U32), None),
    7: ("feature values", (F32, U8, I8, Q4, S4), "nnz"),
    8: ("feature scale", (F32,), "n"),
    9: ("labels", (U8, U16, U32), "n"),
    10: ("soft labels", (U8, F32), "nc"),
    11: ("node weights", (U8, U16, F32), "n"),
    12: ("split", (U8,), "n"),
    13: ("class names", (U8,), None),
    14: ("node names", (U8,), None),
    15: ("origin", (U32,), "n"),
    16: ("role", (U8,), "n"),
    17: ("member offsets", (U32, U64), "n+1"),
    18: ("members", (U32,), None),
    19: ("kept features", (U32,), "f"),
    20: ("feature mean", (F32,), "f"),
    21: ("feature spread", (F32,), "f"),
    22: ("metadata", (U8,), None),
    23: ("feature columns", (U16, U32), None),
    24: ("feature names", (U8,), None),
}


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


def align(at):
    return (at + 63) // 64 * 64


# ---- four bits ----

class Halves:
    """Elements of type q4 or s4 to write: codes, of which two share a byte."""

    def __init__(self, kind, codes, last=0):
        self.kind, self.codes, self.last = kind, [code & 15 for code in codes], last

    def tobytes(self):
        codes = self.codes + [self.last] * (len(self.codes) % 2)
        return bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2]))


def open_halves(data, kind, elements, name):
    """Return the numbers of a section of four bits, as u8 or i8."""
    codes = [code for byte in data for code in (byte & 15, byte >> 4)]
    need(not any(codes[elements:]), "%s: the last half byte is not zero" % name)
    codes = codes[:elements]
    if kind == Q4:
        return np.array([q * q for q in codes], np.uint8)
    need(8 not in codes, "%s: -8" % name)
    return np.array([q * q if q < 8 else -(16 - q) ** 2 for q in codes], np.int8)


# ---- reading ----

def parse(data):
    """Return the numbers of the header, and the sections as arrays of their own types."""
    need(len(data) >= 64, "shorter than a header")
    need(data[:8] == MAGIC, "not a .bonsai file")
    major, _minor, kind, length, count, crc, n, f, c, flags = struct.unpack_from("<HHIQIIQQQQ", data, 8)
    need(major == 1, "major version %d" % major)
    need(kind == 1, "kind %d" % kind)
    need(length == len(data), "the length in the header is not the file's")
    need(count <= 64, "%d sections" % count)
    end = 64 + 32 * count
    need(end <= len(data), "the table does not fit in the file")
    need(crc == zlib.crc32(data[:28] + bytes(4) + data[32:end]), "checksum of header and table")
    need(n < LIMIT and f < LIMIT and c < LIMIT, "too many nodes, features or classes")
    need(flags & ~15 == 0, "unknown flags")

    sections = {}
    last = 0
    for i in range(count):
        number, kind, begin, elements, crc, zero = struct.unpack_from("<IIQQII", data, 64 + 32 * i)
        need(number > last, "sections out of order")
        last = number
        need(number in SECTIONS, "unknown section %d" % number)
        name, types, _ = SECTIONS[number]
        need(kind in types, "%s: type %d" % (name, kind))
        need(zero == 0, "%s: last word of the entry is not zero" % name)
        need(begin == align(end), "%s: not where it should begin" % name)
        size = (elements + 1) // 2 if kind in (Q4, S4) else elements * np.dtype(TYPES[kind]).itemsize
        need(begin + size <= len(data), "%s: reaches past the end of the file" % name)
        need(not any(data[end:begin]), "%s: bytes before it are not zero" % name)
        end = begin + size
        need(zlib.crc32(data[begin:end]) == crc, "%s: checksum" % name)
        sections[number] = (open_halves(data[begin:end], kind, elements, name) if kind in (Q4, S4)
                            else np.frombuffer(data, TYPES[kind], elements, begin))
    need(end == len(data), "bytes after the last section")
    return {"n": n, "f": f, "c": c, "flags": flags}, sections


def check_offsets(offsets, total, name):
    need(offsets[0] == 0, "%s: the first is not 0" % name)
    need(not np.any(offsets[1:] < offsets[:-1]), "%s: they fall" % name)
    need(int(offsets[-1]) == total, "%s: the last is not the number of elements" % name)


def rows_of(offsets):
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets.astype(np.int64)))


def check_ascending(offsets, values, strictly, name):
    row = rows_of(offsets)
    same = row[1:] == row[:-1]
    step = np.diff(values.astype(np.int64))
    need(not np.any(same & (step < (1 if strictly else 0))), "%s: not ascending within a node" % name)


def strings(section, count, name):
    data = section.tobytes()
    parts = data.split(b"\0")
    need(parts[-1] == b"", "%s: the last string is not ended" % name)
    need(len(parts) - 1 == count, "%s: %d strings, not %d" % (name, len(parts) - 1, count))
    try:
        return [part.decode("utf-8") for part in parts[:-1]]
    except UnicodeDecodeError:
        raise ValueError("%s: not UTF-8" % name) from None


def no_constant(word):
    raise ValueError("metadata: %s is not JSON" % word)


def metadata(section):
    try:
        value = json.loads(section.tobytes().decode("utf-8"), parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError("metadata: %s" % error) from None
    need(isinstance(value, dict), "metadata: not an object")
    return value


def check_symmetry(row, neighbors, weights):
    """Check that entries and reversed entries, with weights, are the same multiset."""
    bits = weights.view(np.uint32)
    there = np.lexsort((bits, neighbors, row))
    back = np.lexsort((bits, row, neighbors))
    need(np.array_equal(row[there], neighbors[back]) and np.array_equal(neighbors[there], row[back]),
         "an entry has no reverse")
    need(np.array_equal(bits[there], bits[back]), "an entry and its reverse differ in weight")


def decode(head, s):
    n, f, c, flags = head["n"], head["f"], head["c"], head["flags"]
    need(1 in s and 2 in s, "no adjacency")
    k = len(s[23]) if 23 in s else f
    need(k <= f, "feature columns: more than f")
    counts = {"n+1": n + 1, "n": n, "f": f, "nk": n * k, "nc": n * c, "m": len(s[2]),
              "nnz": len(s[6]) if 6 in s else None}
    for number, array in s.items():
        name, _, elements = SECTIONS[number]
        if elements and counts[elements] is not None:
            need(len(array) == counts[elements], "%s: %d elements" % (name, len(array)))
    need(not (4 in s and (5 in s or 6 in s or 7 in s)), "features both dense and sparse")
    need(f == 0 or 4 in s or 5 in s, "no features")
    need(c <= n + 65536 + len(s.get(13, ())), "more classes than nodes or names")
    need(f < 2**24 + 4096 * (1 + sum(len(s.get(k, ())) for k in (4, 6, 19, 23))), "features without values")
    for a, b in ((5, 6), (17, 18), (20, 21)):
        need((a in s) == (b in s), "%s and %s come together" % (SECTIONS[a][0], SECTIONS[b][0]))
    need(7 not in s or 6 in s, "feature values need feature indices")
    need(23 not in s or 4 in s, "feature columns need dense features")
    eight = any(k in s and s[k].dtype.itemsize == 1 for k in (4, 7))
    need((8 in s) == eight, "a feature scale goes with 8-bit features")
    for number, array in s.items():
        if array.dtype.kind == "f":
            need(np.all(np.isfinite(array)) or number in (20, 21), "%s: not finite" % SECTIONS[number][0])

    g = dict(head, sections=s)

    check_offsets(s[1], len(s[2]), "offsets")
    row = rows_of(s[1])
    col = s[2].astype(np.int64)
    need(not np.any(col >= n), "neighbors: not below n")
    check_ascending(s[1], s[2], not flags & REPEATED, "neighbors")
    need(flags & LOOPS or not np.any(row == col), "a self loop without the flag")
    need(3 in s or not flags & OPERATOR, "an operator without weights")
    need(not (flags & OPERATOR and flags & DIRECTED), "an operator that is directed")
    if 3 in s:
        need(flags & OPERATOR or not np.any(s[3] <= 0), "edge weights: not positive")
        g["edge_weight"] = s[3]
    if not flags & DIRECTED:
        check_symmetry(row, col, s[3] if 3 in s else np.ones(len(col), "<f4"))
    g["edge_index"] = np.stack([row, col])

    if 4 in s:
        x = s[4].reshape(n, k).astype(np.float32)
        with np.errstate(over="ignore"):
            x = x * s[8][:, None] if eight else x
        if 23 in s:
            need(not np.any(s[23] >= f), "feature columns: not below f")
            need(not np.any(s[23][1:] <= s[23][:-1]), "feature columns: not ascending")
            some, x = x, np.zeros((n, f), np.float32)
            x[:, s[23].astype(np.int64)] = some
        need(np.all(np.isfinite(x)), "features: a product is not finite")
        g["x"] = x
    if 5 in s:
        check_offsets(s[5], len(s[6]), "feature offsets")
        need(not np.any(s[6] >= f), "feature indices: not below f")
        check_ascending(s[5], s[6], True, "feature indices")
        values = s[7].astype(np.float32) if 7 in s else np.ones(len(s[6]), np.float32)
        if eight:
            with np.errstate(over="ignore"):
                values = values * s[8][rows_of(s[5])]
        need(np.all(np.isfinite(values)), "feature values: a product is not finite")
        g["x_data"], g["x_shape"] = values, (n, f)
        g["x_indices"], g["x_indptr"] = s[6].astype(np.int64), s[5].astype(np.int64)
    if eight:
        g["x_scale"] = s[8]

    if 9 in s:
        unknown = s[9] == np.iinfo(s[9].dtype).max
        need(np.all(unknown | (s[9] < c)), "labels: not below c")
        g["y"] = np.where(unknown, -1, s[9].astype(np.int64))
    if 10 in s:
        soft = s[10].reshape(n, c)
        need(not np.any(soft < 0), "soft labels: negative")
        g["soft"] = soft if soft.dtype == np.float32 else soft.astype(np.float32) / np.float32(255)
    if 11 in s:
        need(not np.any(s[11] < 0), "node weights: negative")
        g["node_weight"] = s[11].astype(np.float32)
    if 12 in s:
        need(not np.any(s[12] > 3), "split: above 3")
        g["split"] = s[12]
    if 13 in s:
        g["class_names"] = strings(s[13], c, "class names")
    if 14 in s:
        g["node_names"] = strings(s[14], n, "node names")
    for number, key in ((15, "origin"), (18, "members"), (19, "kept_features")):
        if number in s:
            need(not np.any(s[number] >= LIMIT), "%s: not below 2^31" % SECTIONS[number][0])
            g[key] = s[number].astype(np.int64)
    if 16 in s:
        need(not np.any(s[16] > 4), "role: above 4")
        g["role"] = s[16]
    if 17 in s:
        check_offsets(s[17], len(s[18]), "member offsets")
        g["member_offsets"] = s[17].astype(np.int64)
    if 20 in s:
        g["feature_mean"], g["feature_spread"] = s[20], s[21]
    if 22 in s:
        g["metadata"] = metadata(s[22])
    if 24 in s:
        g["feature_names"] = strings(s[24], f, "feature names")
    return g


def read(path):
    with open(path, "rb") as file:
        return decode(*parse(file.read()))


# ---- writing ----

def text(names):
    """Encode a section of strings."""
    return np.frombuffer(b"".join(name.encode("utf-8") + b"\0" for name in names), np.uint8)


def lay_out(sections):
    """Return one dict per section, ascending by number, each with its offset."""
    entries = []
    end = 64 + 32 * len(sections)
    for number in sorted(sections):
        array = sections[number]
        begin = align(end)
        if isinstance(array, Halves):
            entries.append({"number": number, "type": array.kind, "begin": begin,
                            "elements": len(array.codes), "bytes": array.tobytes(), "zero": 0})
            end = begin + len(entries[-1]["bytes"])
            continue
        if isinstance(array, (bytes, str)):
            array = np.frombuffer(array.encode("utf-8") if isinstance(array, str) else array, np.uint8)
        array = np.asarray(array)
        array = array.astype(array.dtype.newbyteorder("<"))
        entries.append({"number": number, "type": NUMBERS[array.dtype], "begin": begin,
                        "elements": array.size, "bytes": array.tobytes(), "zero": 0})
        end = begin + len(entries[-1]["bytes"])
    return entries


def assemble(entries, n, f=0, c=0, flags=0, magic=MAGIC, major=1, minor=0, kind=1, length=None,
             count=None, crc=None, tail=b"", gap=None):
    """Return the bytes of a file with checksums.  Wrong values stay wrong: an entry's "crc" and
    the keywords replace computed values; gap = (offset, byte) changes the padding."""
    body = bytearray(64 + 32 * len(entries))
    for e in entries:
        if len(body) < e["begin"]:
            body += bytes(e["begin"] - len(body))
        body[e["begin"]:e["begin"] + len(e["bytes"])] = e["bytes"]
    body += tail
    if gap:
        body[gap[0]] = gap[1]
    struct.pack_into("<8sHHIQIIQQQQ", body, 0, magic, major, minor, kind,
                     len(body) if length is None else length,
                     len(entries) if count is None else count, 0, n, f, c, flags)
    for i, e in enumerate(entries):
        struct.pack_into("<IIQQII", body, 64 + 32 * i, e["number"], e["type"], e["begin"],
                         e["elements"], e.get("crc", zlib.crc32(e["bytes"])), e["zero"])
    end = 64 + 32 * (len(entries) if count is None else count)
    struct.pack_into("<I", body, 28, zlib.crc32(bytes(body[:end])) if crc is None else crc)
    return bytes(body)


def write(path, sections, n, f=0, c=0, flags=0, **other):
    """Write a file; sections: number -> array (its dtype is the type), bytes or str."""
    with open(path, "wb") as file:
        file.write(assemble(lay_out(sections), n, f, c, flags, **other))


# ---- the size of a graph ----

def scales(low, came_with, high):
    """Return the scales to try, one number per row each, in their order, with what low is divided by."""
    if came_with is not None:
        yield 0, came_with
    yield 0, np.ones_like(low)
    for k in range(1, high + 1):
        s = low / np.float32(k)
        up, down = np.nextafter(s, np.float32(np.inf)), np.nextafter(s, np.float32(0))
        for scale in (s, up, down, np.nextafter(up, np.float32(np.inf)), np.nextafter(down, np.float32(0))):
            yield k, scale


def numbers(x, came_with, least, high):
    """Return the integers least .. high of the values, for the first lossless scale of each row; None
    if a row has none.  Here and in size() minus zero is a value, and no such integer gives it."""
    there = x.view(np.uint32) != 0
    low = np.where(there, np.abs(x), np.float32(np.inf)).min(axis=1, initial=np.inf).astype(np.float32)
    out = np.zeros(x.shape, np.int64)
    left = np.flatnonzero(there.any(axis=1))
    low[~there.any(axis=1)] = 1
    top = np.abs(x).max(axis=1, initial=0)
    for k, scale in scales(low, came_with, high):
        if not len(left):
            break
        if np.any(k * top[left] > (high + 2) * low[left]):      # beyond high times any scale from here on
            return None
        row, s = x[left], scale[left, None]
        with np.errstate(all="ignore"):
            q = np.rint(row / s)
            fits = (s > 0) & (~there[left] | ((s * q == row) & (q != 0) & (q >= least) & (q <= high)))
        found = fits.all(axis=1)
        out[left[found]] = np.where(there[left[found]], q[found], 0).astype(np.int64)
        left = left[~found]
    return None if len(left) else out


def squares(q, most):
    return q is not None and bool(np.all(np.isin(np.abs(q), np.arange(most + 1) ** 2)))


def width(offsets):
    return 4 if int(offsets[-1]) < 1 << 32 else 8


def feature_size(g):
    n, f = g["n"], g["f"]
    if not ("x" in g or "x_data" in g):
        return 0
    if "x" in g:
        x = g["x"]
    else:
        x = np.zeros((n, f), np.float32)
        x[rows_of(g["x_indptr"]), g["x_indices"]] = g["x_data"]
    there = x.view(np.uint32) != 0
    nnz = int(there.sum())
    unsigned = numbers(x, g.get("x_scale"), 1, 255)
    signed = numbers(x, g.get("x_scale"), -128, 127)
    eight = unsigned is not None or signed is not None
    four = squares(unsigned, 15) or squares(signed, 7)
    with np.errstate(over="ignore"):
        half = np.array_equal(x.astype(np.float16).astype(np.float32).view(np.uint32), x.view(np.uint32))
    index = 2 if f <= 65536 else 4
    sizes = []
    used = int(there.any(axis=0).sum())
    for columns, listed in ((f, 0), (used, used * index)):
        sizes.append((2 if half else 4) * n * columns + listed)
        if eight:
            sizes.append(n * columns + 4 * n + listed)
        if four:
            sizes.append((n * columns + 1) // 2 + 4 * n + listed)
    sparse = (n + 1) * (4 if nnz < 1 << 32 else 8) + nnz * index
    if np.all(x[there] == 1):
        sizes.append(sparse)
    if eight:
        sizes.append(sparse + nnz + 4 * n)
    if four:
        sizes.append(sparse + (nnz + 1) // 2 + 4 * n)
    sizes.append(sparse + 4 * nnz)
    return min(sizes)


def size(g):
    n, c, s = g["n"], g["c"], g["sections"]
    total = (n + 1) * width(s[1]) + 4 * len(s[2])
    if 3 in s:
        total += 4 * len(s[2])
    total += feature_size(g)
    if 9 in s:
        total += n * (1 if c <= 255 else 2 if c <= 65535 else 4)
    if 10 in s:
        units = np.arange(256, dtype=np.float32) / np.float32(255)
        total += n * c * (1 if np.all(np.isin(g["soft"].view(np.uint32), units.view(np.uint32))) else 4)
    if 11 in s:
        w = g["node_weight"]
        whole = np.all(w == np.rint(w)) and not np.any(np.signbit(w))
        top = w.max(initial=0)
        total += n * (1 if whole and top <= 255 else 2 if whole and top <= 65535 else 4)
    if 12 in s:
        total += n
    return int(total)
