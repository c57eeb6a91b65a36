"""Makes alike what two runs of one program need not share: times, memory in use, scratch folders.

Everything else stays as it is, byte for byte, and a masked value leaves its key behind.  Of a list of
stages and their seconds the heading stays.  The seconds that `bonsai plan` predicts are results, and
stay too.

SPDX-License-Identifier: MIT
"""
import re

NUMBER = r"-?[0-9]+(?:[.,][0-9]+)*(?:e[+-]?[0-9]+)?"
CELLS = ("seconds", "wl", "knn", "greedy", "ppr", "train")     # times among the columns of cells.csv


def keep(text):
    return lambda match: match.expand(text)


def above_least(match):
    """What a plan holds, beyond what the process had before it began."""
    begin, least, between, most, before_held, held = match.groups()
    return "%sN%s%d%s%d" % (begin, between, int(most) - int(least), before_held, int(held) - int(least))


RULES = [(re.compile(pattern, re.M), change) for pattern, change in (
    # JSON
    (r'"seconds": ?\{[^}]*\}', keep('"seconds": N')),
    (r'("(?:peak_rss_\w+|allowed|measured)": ?)%s' % NUMBER, keep(r"\1N")),
    (r' *"joules\w*": ?(?:null|%s),?\n?' % NUMBER, keep("")),
    (r'("least": )(\d+)(,\s*"most": )(\d+)(,\s*"held": )(\d+)', above_least),
    # a table in a pipe
    (r"^(?:seconds\.\w+\t.*\n)+", keep("seconds\tN\n")),
    (r"^joules\t.*\n", keep("")),
    (r"^((?:peak_rss_bytes|memory\.allowed|measured)\t).*", keep(r"\1N")),
    (r"^(model(?:\t[^\t\n]*){6})(?:\t%s){3}$" % NUMBER, keep(r"\1\tN\tN\tN")),
    (r"^(cell(?:\t[^\t\n]*){11})(?:\t%s){3}$" % NUMBER, keep(r"\1\tN\tN\tN")),
    (r"^(plan\t\d+\t)(\d+)(\t)(\d+)(\t)(\d+)", above_least),
    # a table on a terminal
    (r"^((?:\x1b\[1m)?Seconds(?:\x1b\[0m)?\r?\n)(?!  ranks)(?:  .*\n)+", keep(r"\1")),
    (r"^(  (?:gcn|gat|gin|sage) .*?)(?: +%s){3}(\r?)$" % NUMBER, keep(r"\1 N N N\2")),
    (r"^( +\d+ +)[0-9.]+ [kMG]B +[0-9.]+ [kMG]B", keep(r"\1N N")),
    (r"^( *(?:seconds|memory of a rank|on average) +)%s(?:  +[0-9.]+ [kMG]B)?(\r?)$" % NUMBER,
     keep(r"\1N\2")),
    # a page
    (r'<b>[^<]*(</b><span class="what">to condense<)', keep(r"<b>N\1")),
    (r'(<section id="effort")(?s:.*?)</section>', keep(r"\1")),
    # messages
    (r"^[a-z][a-z ]*: [0-9.]+ s\n", keep("")),              # a stage that took more than a second
    (r"\b[0-9]+\.[0-9]+ s\b", keep("N s")),
    (r"after [0-9]+ ms", keep("after N ms")),
    (r"^[0-9]+ times faster", keep("N times faster")),
    (r"[0-9.]+ [kMG]?B peak memory", keep("N peak memory")),
    (r"peak memory +[0-9.]+[ \xa0][kMG]?B", keep("peak memory N")),
    (r"(at least )[0-9]+ MiB( is needed| and refuses)", keep(r"\1N\2")),
    (r"bonsai-demo-\w{6}", keep("bonsai-demo-XXXXXX")),
    (r"^\[hwloc.*\n", keep("")),                             # where there is no /sys
)]
MEASURED = re.compile(r'("seconds_\w+": ?)%s' % NUMBER)


def without_columns(text, names):
    """A CSV file without what stands in these columns."""
    lines, at = text.split("\n"), None
    for i, line in enumerate(lines):
        cells = line.split(",")
        if at is None and set(names) <= set(cells):
            at = [cells.index(name) for name in names]
        elif at is not None and len(cells) > max(at):
            lines[i] = ",".join("N" if j in at and cell else cell for j, cell in enumerate(cells))
    return "\n".join(lines)


def alike(text, folder, versions):
    """The text that a run in this folder wrote, without what differs from run to run."""
    text = text.replace(folder, "RUN")
    for version in versions:
        text = text.replace(version, "VERSION")
    if '"plan": [' not in text:
        text = MEASURED.sub(r"\1N", text)
    for pattern, change in RULES:
        text = pattern.sub(change, text)
    return without_columns(text, CELLS)
