#!/usr/bin/env python3
"""The table of bench/real.sh.

    real.py FOLDER [OUT]

FOLDER has limits, JSON lines of the kernels of bench, of each of which the fastest counts, and
graphs/NAME/ with info.json and a report WHO-METHOD-RUN.json of each condensation; WHO is new or
old.  OUT gets all of it as JSON.  Of each method the run with the least seconds counts.  Besides
the seconds of each stage and MB, the peak of resident memory, the columns are:

measured    the share of pairs of a sampled and another tree whose distance the neighbour search
            computed in full
embed       of the speed of memory, for trees of dense features: the bytes that a plain gather of
            the rows would move, divided by the seconds of wl, as a share of what gather or panels,
            the faster of the two, moves in a second.  Each entry of the adjacency moves one row of
            4 bytes a feature in each round; the last round needs the rows of the training nodes
            alone.  (The other methods may average nothing, where neighbours disagree, and do not
            say so.)  The kernels fetch rows at random; a graph may do better than 100 %.
neighbours  of the speed of products: 2 operations for each feature and pair, divided by the
            seconds of knn, as a share of sgemm's.  Above 100 % fewer products were made than all.
old, times  seconds of the old program, and how many times those of the new one they are

SPDX-License-Identifier: MIT
"""
import json
import pathlib
import sys


def best(folder, who, method):
    """The report with the least seconds in total, or None."""
    reports = [json.loads(p.read_text()) for p in folder.glob(f"{who}-{method}-*.json")]
    return min(reports, key=lambda r: r["seconds"]["total"], default=None)


def fastest(kernels):
    """The best measurement of each kernel, in the order in which they came."""
    found = {}
    for k in kernels:
        found[k["bench"]] = max(k, found.get(k["bench"], k), key=lambda k: k["rate"])
    return list(found.values())


def share(work, seconds, rate):
    return work / seconds / (1e9 * rate) if work and seconds > 0 else None


def row(folder, method, limits):
    new, old = best(folder, "new", method), best(folder, "old", method)
    if not new:
        return None
    info = json.loads((folder / "info.json").read_text())
    s, sparse = new["seconds"], info["feature_encoding"].startswith("sparse")
    rounds = new["layers"] - 1 + info["train"] / info["nodes"]
    moved = 0 if sparse or method != "trees" else rounds * info["edges"] * info["features"] * 4
    pairs = new.get("sample", 0) * new["trees"]
    out = {"graph": folder.name, "nodes": info["nodes"], "edges": info["edges"],
           "features": info["features"], "encoding": info["feature_encoding"], "method": method,
           "takes": new["method"], "seconds": s, "peak_mb": new["peak_rss_bytes"] / 1e6,
           "measured": new.get("measured"),
           "embed": share(moved, s["wl"], max(limits["gather"], limits["panels"])),
           "neighbours": share(2 * pairs * info["features"], s["knn"], limits["sgemm"])}
    if old:
        out.update(old_seconds=old["seconds"], old_peak_mb=old["peak_rss_bytes"] / 1e6,
                   times=old["seconds"]["total"] / s["total"])
    return out


def percent(x, digits=0):
    return "-" if x is None else f"{100 * x:.{digits}f}%"


def cells(r):
    yield from (r["graph"], str(r["nodes"]), str(r["features"]), r["method"])
    yield from (f"{x:.3f}" for x in r["seconds"].values())
    yield from (f"{r['peak_mb']:.0f}", percent(r["measured"], 1), percent(r["embed"]),
                percent(r["neighbours"]))
    if "times" in r:
        yield from (f"{r['old_seconds']['total']:.3f}", f"{r['times']:.2f}")


def show(rows):
    head = ["graph", "nodes", "features", "method", *rows[0]["seconds"], "MB", "measured", "embed",
            "neighbours"] + ["old", "times"] * any("times" in r for r in rows)
    lines = [head] + [list(cells(r)) for r in rows]
    width = [max(len(l[i]) for l in lines if i < len(l)) for i in range(len(head))]
    for line in lines:
        print("  ".join(c.ljust(w) if i in (0, 3) else c.rjust(w)
                        for i, (c, w) in enumerate(zip(line, width))))


def main(folder, out=None):
    kernels = fastest(json.loads(line) for line in (folder / "limits").read_text().splitlines())
    limits = {k["bench"]: k["rate"] for k in kernels}
    graphs = sorted((folder / "graphs").iterdir(),
                    key=lambda p: json.loads((p / "info.json").read_text())["nodes"])
    methods = dict.fromkeys(p.name.split("-")[1] for g in graphs for p in sorted(
        g.glob("new-*.json"), key=lambda p: p.stat().st_mtime))
    rows = [r for g in graphs for m in methods if (r := row(g, m, limits))]
    if not rows:
        sys.exit("bench/real.py: nothing could be condensed")
    print("limits: " + ", ".join(f"{k['bench']} {k['rate']:.1f} {k['unit']}" for k in kernels)
          + f", {kernels[0]['threads']} threads\n")
    show(rows)
    if out:
        pathlib.Path(out).write_text(json.dumps({"limits": kernels, "runs": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
