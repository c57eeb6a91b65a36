"""picture.py FOLDER -- draws what condensing does, condense.svg, and how, steps.svg.

The figures are Cora's at 1 % of the bytes, from README.md and `bonsai condense`.

SPDX-License-Identifier: MIT"""
import math
import os
import random
import sys

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1")
SIZES = (24, 20, 17, 14, 12, 10, 8)          # nodes of each class
STYLE = """
text { font: 20px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; fill: #1d2329; text-anchor: middle; }
.big, .title { font-weight: 700; font-size: 22px; }
.soft { fill: #57606a; font-size: 18px; }
.edge { stroke: #8b96a1; stroke-width: 1; opacity: .55; }
.node { stroke: #fff; stroke-width: 1; }
.arrow { stroke: #1f7a3f; stroke-width: 4; fill: none; stroke-linecap: round; }
.head { fill: #1f7a3f; }
.box { fill: none; stroke: #1f7a3f; stroke-width: 2.5; }
.wire { stroke: #1f7a3f; stroke-width: 1; opacity: .6; }
.neuron { fill: #1f7a3f; }
.panel { fill: none; stroke: #c4ccd3; stroke-width: 1.5; }
.faint { opacity: .25; }
.ring { fill: none; stroke: #1f7a3f; stroke-width: 2; stroke-dasharray: 6 5; }
@media (max-width: 480px) {
  text { font-size: 27px; } .big { font-size: 30px; } .title { font-size: 25px; } .soft { font-size: 25px; } .wide { display: none; }
}
@media (prefers-color-scheme: dark) {
  text { fill: #dfe4e8; } .soft { fill: #9ba6b0; } .edge { stroke: #7d8894; } .node { stroke: #14181c; }
  .panel { stroke: #3d464f; }
  .arrow, .box, .wire, .ring { stroke: #6fcf8f; } .head, .neuron { fill: #6fcf8f; }
}
"""


def graph(draw):
    """Classes of nodes, and edges that mostly stay inside a class."""
    kind = [c for c, size in enumerate(SIZES) for _ in range(size)]
    edges = set()
    for v, c in enumerate(kind):
        for _ in range(2):
            inside = draw.random() < 0.88
            w = draw.choice([u for u, d in enumerate(kind) if u != v and (d == c) == inside])
            edges.add((min(v, w), max(v, w)))
    return kind, sorted(edges)


def layout(kind, edges, draw):
    """Nodes push each other away, edges pull."""
    turn = 2 * math.pi / len(SIZES)
    at = [[math.cos(c * turn) + draw.gauss(0, .3), math.sin(c * turn) + draw.gauss(0, .3)] for c in kind]
    for step in range(300):
        force = [[-.02 * x, -.02 * y] for x, y in at]
        for v in range(len(at)):
            for w in range(v):
                dx, dy = at[v][0] - at[w][0], at[v][1] - at[w][1]
                push = .004 / (dx * dx + dy * dy + .002)
                for i, d in ((0, dx), (1, dy)):
                    force[v][i] += push * d
                    force[w][i] -= push * d
        for v, w in edges:
            for i in (0, 1):
                pull = .12 * (at[w][i] - at[v][i])
                force[v][i] += pull
                force[w][i] -= pull
        heat = .2 * (1 - step / 300)
        for p, f in zip(at, force):
            size = math.hypot(*f) or 1
            for i in (0, 1):
                p[i] += f[i] / size * min(size, heat)
    return at


def fit(at, left, top, width, height):
    """Points stretched into a box."""
    low = [min(p[i] for p in at) for i in (0, 1)]
    high = [max(p[i] for p in at) for i in (0, 1)]
    return [(left + (x - low[0]) / (high[0] - low[0]) * width,
             top + (y - low[1]) / (high[1] - low[1]) * height) for x, y in at]


def sector(x, y, r, start, end, colour):
    (ax, ay), (bx, by) = ((x + r * math.sin(2 * math.pi * a), y - r * math.cos(2 * math.pi * a))
                          for a in (start, end))
    large = int(end - start > .5)
    return (f'<path d="M{x:.1f} {y:.1f}L{ax:.1f} {ay:.1f}A{r:.1f} {r:.1f} 0 {large} 1 {bx:.1f} {by:.1f}Z" '
            f'fill="{colour}"/>')


def prototypes(left, top):
    """A pie for each class: mostly its own colour, some of others; as large as it counts."""
    out = []
    places = [(0, 0), (88, -10), (170, 8), (30, 86), (112, 78), (186, 92), (98, 158)]
    for c, (dx, dy) in enumerate(places):
        x, y, r = left + dx, top + dy, 12 + 4.6 * math.sqrt(SIZES[c])
        out.append(sector(x, y, r, 0, .84, COLOURS[c]))
        out.append(sector(x, y, r, .84, .93, COLOURS[(c + 2) % 7]))
        out.append(sector(x, y, r, .93, 1, COLOURS[(c + 4) % 7]))
        out.append(f'<circle class="node" cx="{x}" cy="{y}" r="{r:.1f}" fill="none"/>')
    return out


def network(left, top):
    """Three columns of neurons in a box."""
    out = [f'<rect class="box" x="{left}" y="{top}" width="150" height="86" rx="12"/>']
    columns = [[(left + 28 + 47 * i, top + 43 + (j - (n - 1) / 2) * 22) for j in range(n)]
               for i, n in enumerate((3, 3, 2))]
    for a, b in zip(columns, columns[1:]):
        out += [f'<line class="wire" x1="{p[0]:.0f}" y1="{p[1]:.0f}" x2="{q[0]:.0f}" y2="{q[1]:.0f}"/>'
                for p in a for q in b]
    return out + [f'<circle class="neuron" cx="{x:.0f}" cy="{y:.0f}" r="6"/>' for c in columns for x, y in c]


def text(x, y, words, kind=""):
    return f'<text x="{x}" y="{y}"{f" class={kind!r}" if kind else ""}>{words}</text>'.replace("'", '"')


def arrow(path, x, y, turn):
    return [f'<path class="arrow" d="{path}"/>',
            f'<path class="head" transform="translate({x} {y}) rotate({turn})" d="M10 0L-8 -9L-8 9Z"/>']


def picture():
    draw = random.Random(7)
    kind, edges = graph(draw)
    at = fit(layout(kind, edges, draw), 20, 62, 310, 290)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 560" width="760" height="560" role="img">',
           "<title>Condensing: a large graph becomes a few weighted nodes; a network is trained on those "
           "and judged on the large graph</title>", f"<style>{STYLE}</style>",
           text(175, 30, "the full graph", "big"), text(615, 30, "the small graph", "big")]
    out += [f'<line class="edge" x1="{at[v][0]:.1f}" y1="{at[v][1]:.1f}" x2="{at[w][0]:.1f}" y2="{at[w][1]:.1f}"/>'
            for v, w in edges]
    out += [f'<circle class="node" cx="{x:.1f}" cy="{y:.1f}" r="7" fill="{COLOURS[c]}"/>'
            for (x, y), c in zip(at, kind)]
    out += prototypes(524, 104)
    out += [text(175, 388, "2,708 nodes"), text(175, 414, "167,744 bytes", "soft"),
            text(615, 330, "7 prototypes"), text(615, 356, "1,675 bytes", "soft")]
    out += [text(415, 165, "condense"), *arrow("M360 185H458", 462, 185, 0), text(412, 216, "0.3 s", "soft")]
    out += [*arrow("M615 372V404", 615, 408, 90), text(660, 400, "train"), *network(540, 424)]
    out += [*arrow("M528 467H190Q176 467 176 453V434", 176, 432, -90), text(340, 452, "judge"),
            text(320, 500, "86.8 % right, trained on 1 % of the bytes", "soft wide"),
            text(320, 526, "87.0 % right, trained on all of Cora", "soft wide")]
    return "\n".join(out + ["</svg>", ""])


# ---- steps.svg: four panels

def dot(x, y, r, colour, kind="node"):
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" fill="{colour}"/>'


def line(a, b, kind="edge"):
    return f'<line class="{kind}" x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"/>'


def panel(left, top, title, more):
    return [f'<rect class="panel" x="{left}" y="{top}" width="360" height="290" rx="12"/>',
            text(left + 180, top + 34, title, "title"), text(left + 180, top + 272, more, "soft")]


def surroundings(left, top):
    """A node, its neighbours and theirs inside a ring; others outside."""
    middle = (left + 180, top + 148)
    first = [(middle[0] + 46 * math.cos(a), middle[1] + 46 * math.sin(a)) for a in (.3, 2.2, 4.4)]
    second = [(p[0] + 40 * math.cos(a), p[1] + 36 * math.sin(a))
              for p, angles in zip(first, ((-.5, .9), (1.7, 2.9), (3.9, 5.2))) for a in angles]
    outer = [(left + x, top + y) for x, y in ((40, 80), (55, 190), (318, 76), (330, 200), (70, 130), (300, 232))]
    out = [line(middle, p) for p in first]
    out += [line(first[i // 2], p) for i, p in enumerate(second)]
    out += [line(second[i], p, "edge faint") for i, p in ((4, outer[0]), (3, outer[1]), (0, outer[2]), (1, outer[3]))]
    out.append(f'<circle class="ring" cx="{middle[0]}" cy="{middle[1]}" r="100"/>')
    kinds = (0, 0, 2, 0, 1, 0, 2, 0, 0)
    out += [dot(*p, 8, COLOURS[kinds[i]]) for i, p in enumerate(first + second)]
    out += [dot(*p, 8, COLOURS[1], "node faint") for p in outer]
    return out + [dot(*middle, 13, COLOURS[0])]


def rows(left, top, draw):
    """Each node has a row of bars; rows of a class look alike."""
    out = []
    for i in range(6):
        kind = i // 2
        y = top + 76 + 31 * i
        out.append(dot(left + 70, y, 9, COLOURS[kind]))
        for j in range(14):
            height = 4 + 18 * max(0, math.sin(j * .9 + 2.1 * kind)) * draw.uniform(.75, 1)
            out.append(f'<rect x="{left + 100 + 15 * j}" y="{y + 11 - height:.1f}" width="10" '
                       f'height="{height:.1f}" fill="{COLOURS[kind]}"/>')
    return out


CLUSTERS = ((85, 108, 0, 14), (190, 196, 0, 9), (265, 104, 1, 12), (298, 200, 2, 10), (78, 206, 2, 6))


def clusters(left, top, draw, means):
    """Rows as points; means: one pie each instead."""
    out = []
    for x, y, kind, size in CLUSTERS:
        x, y = left + x, top + y
        if means:
            r = 10 + 5 * math.sqrt(size)
            out += [sector(x, y, r, 0, .85, COLOURS[kind]), sector(x, y, r, .85, 1, COLOURS[(kind + 1) % 3]),
                    text(x, y + r + 20, f"{size * 60}", "soft")]
            continue
        points = [(x + draw.gauss(0, 13), y + draw.gauss(0, 12)) for _ in range(size)]
        out += [dot(*p, 6, COLOURS[kind]) for p in points]
        out.append(f'<circle class="ring" cx="{x}" cy="{y}" r="42"/>')
    return out


def steps():
    draw = random.Random(3)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 620" width="760" height="620" role="img">',
           "<title>Four steps: what a network sees of a node, one row for each node, clusters of rows, one "
           "prototype for each cluster</title>", f"<style>{STYLE}</style>"]
    out += panel(10, 10, "1. What a network sees", "two steps around a node")
    out += surroundings(10, 10)
    out += panel(390, 10, "2. A row for each node", "features, averaged twice")
    out += rows(390, 10, draw)
    out += panel(10, 320, "3. Rows that are alike", "clusters within a class")
    out += clusters(10, 320, draw, False)
    out += panel(390, 320, "4. Prototypes", "with weight and soft label")
    out += clusters(390, 320, draw, True)
    return "\n".join(out + ["</svg>", ""])


if __name__ == "__main__":
    for name, made in (("condense.svg", picture()), ("steps.svg", steps())):
        with open(os.path.join(sys.argv[1], name), "w", encoding="utf-8") as f:
            f.write(made)
