"""A second reader of models, written from doc/format.md alone, that checks their export.

    python3 model_reader.py MODEL.bonsai MODEL.npz ...

Checks that the archive has the same content as the native file, with the names and
shapes of a module with a ModuleList "convs" of PyTorch Geometric's layers.  Exits
with 77 without NumPy.
"""
import json
import struct
import sys
import zlib

try:
    import numpy as np
except ImportError:
    print("numpy is missing")
    sys.exit(77)

TYPES = {1: "<u1", 3: "<u4", 7: "<f4"}
KNOWN = {13: 1, 19: 3, 20: 7, 21: 7, 22: 1, 24: 1, 32: 7}


def read(path):
    """Return the metadata and the sections."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == bytes([0x89]) + b"BONSAI\n"
    major, _, kind, length, count, crc, p, f, c, zero = struct.unpack_from("<HHIQIIQQQQ", data, 8)
    end = 64 + 32 * count
    assert (major, kind, length, zero) == (1, 2, len(data), 0)
    assert crc == zlib.crc32(data[:28] + bytes(4) + data[32:end])
    sections = {}
    for i in range(count):
        number, kind, begin, elements, crc, zero = struct.unpack_from("<IIQQII", data, 64 + 32 * i)
        assert KNOWN[number] == kind and zero == 0 and begin == (end + 63) // 64 * 64
        assert not any(data[end:begin])
        end = begin + elements * np.dtype(TYPES[kind]).itemsize
        assert zlib.crc32(data[begin:end]) == crc
        sections[number] = np.frombuffer(data, TYPES[kind], elements, begin)
    assert end == len(data)
    facts = json.loads(sections[22].tobytes().decode("utf-8"))
    assert (len(sections[32]), facts["graph_features"], facts["classes"]) == (p, f, c)
    return facts, sections


def layer(facts, i):
    """Return PyTorch's names and shapes in file order."""
    last = i == facts["layers"] - 1
    f = facts["features"] if i == 0 else facts["hidden"]
    h = facts["classes"] if last else facts["hidden"]
    k = facts["heads"]
    d = h if last else h // k
    if facts["model"] == "gcn":
        return [("lin.weight", (h, f)), ("bias", (h,))]
    if facts["model"] == "gat":
        return [("lin.weight", (k * d, f)), ("bias", (h,)), ("att_src", (1, k, d)), ("att_dst", (1, k, d))]
    if facts["model"] == "sage":
        return [("lin_l.weight", (h, f)), ("lin_l.bias", (h,)), ("lin_r.weight", (h, f))]
    if facts["gin_layers"] == 1:
        return [("nn.weight", (h, f)), ("nn.bias", (h,))]
    return [("nn.0.weight", (h, f)), ("nn.0.bias", (h,)), ("nn.2.weight", (h, h)), ("nn.2.bias", (h,))]


def state(facts, numbers):
    """Return the parameters by name."""
    out, at = {}, 0
    for i in range(facts["layers"]):
        for name, shape in layer(facts, i):
            count = int(np.prod(shape))
            values = numbers[at:at + count]
            at += count
            if name.endswith("weight"):
                values = values.reshape(shape[::-1]).T
            out["convs.%d.%s" % (i, name)] = values.reshape(shape)
        if facts["model"] == "gin":
            out["convs.%d.eps" % i] = np.zeros(1, np.float32)
    assert at == len(numbers)
    return out


def compare(model, export):
    facts, sections = read(model)
    wanted = state(facts, sections[32])
    for number, name in ((19, "kept_features"), (20, "feature_mean"), (21, "feature_spread")):
        if number in sections:
            wanted[name] = sections[number].astype(np.int32) if number == 19 else sections[number]
    for number, name in ((13, "class_names"), (24, "feature_names")):
        if number in sections:
            wanted[name] = sections[number]
    for name in ("graph_features", "seed", "epoch"):
        wanted[name] = np.array(facts[name], np.int64)
    for name in ("accuracy", "accuracy_val"):
        wanted[name] = np.array(facts[name], np.float64)
    if facts.get("weighted"):
        wanted["weighted"] = np.array(1, np.int64)
    if "scale" in facts:
        wanted["scale"] = np.array(facts["scale"], np.float64)
    for name in ("column_mean", "column_spread"):
        if name in facts:
            wanted[name] = np.array(facts[name], np.float32)
    if "split" in facts:
        for name in ("split_seed", "split_labels"):
            wanted[name] = np.array(facts[name], np.int64)
        for name, percent in zip(("train", "val", "test"), facts["split"]):
            wanted["split_" + name] = np.array(percent, np.float64)
    with np.load(export, allow_pickle=False) as archive:
        assert sorted(archive.files) == sorted(wanted), (sorted(archive.files), sorted(wanted))
        for name, array in wanted.items():
            got = archive[name]
            assert got.dtype == array.dtype and got.shape == array.shape, (name, got.dtype, got.shape)
            assert got.tobytes() == np.ascontiguousarray(array).tobytes(), name


def main():
    for model, export in zip(sys.argv[1::2], sys.argv[2::2]):
        compare(model, export)


if __name__ == "__main__":
    main()
