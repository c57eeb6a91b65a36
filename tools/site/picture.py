"""picture.py OUT -- draws what condensing does: many nodes, few that stand for them, and a network.

The figures are Cora's at 1 % of the bytes, from README.md and `bonsai condense`.

SPDX-License-Identifier: MIT"""
import math
import random
import sys

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1")
SIZES = (24, 20, 17, 14, 12, 10, 8)          # nodes of each class
STYLE = """
text { font: 20px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; fill: #1d2329; text-anchor: middle; }
.big { font-weight: 700; font-size: 22px; }
.soft { fill: #57606a; font-size: 18px; }
.edge { stroke: #8b96a1; stroke-width: 1; opacity: .55; }
.node { stroke: #fff; stroke-width: 1; }
.arrow { stroke: #1f7a3f; stroke-width: 4; fill: none; stroke-linecap: round; }
.head { fill: #1f7a3f; }
.box { fill: none; stroke: #1f7a3f; stroke-width: 2.5; }
.wire { stroke: #1f7a3f; stroke-width: 1; opacity: .6; }
.neuron { fill: #1f7a3f; }
@media (max-width: 480px) {
  text { font-size: 27px; } .big { font-size: 30px; } .soft { font-size: 25px; } .wide { display: none; }
}
@media (prefers-color-scheme: dark) {
  text { fill: #dfe4e8; } .soft { fill: #9ba6b0; } .edge { stroke: #7d8894; } .node { stroke: #14181c; }
  .arrow, .box, .wire { stroke: #6fcf8f; } .head, .neuron { fill: #6fcf8f; }
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
    out += [text(415, 165, "condense"), *arrow("M360 185H458", 462, 185, 0), text(412, 216, "0.2 s", "soft")]
    out += [*arrow("M615 372V404", 615, 408, 90), text(660, 400, "train"), *network(540, 424)]
    out += [*arrow("M528 467H190Q176 467 176 453V434", 176, 432, -90), text(340, 452, "judge"),
            text(320, 500, "84.0 % right, trained on 1 % of the bytes", "soft wide"),
            text(320, 526, "87.4 % right, trained on all of Cora", "soft wide")]
    return "\n".join(out + ["</svg>", ""])


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write(picture())
