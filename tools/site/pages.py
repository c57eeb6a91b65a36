"""pages.py -- what the site, the notebooks and the tests read of a Markdown page.

A fenced block may have comments right before it, which no reader sees:

    <!-- not run: needs a cluster -->      the tests leave the block out
    <!-- needs: torch_geometric -->        it is run where this module or program is installed
    <!-- first: data = load() -->          runs before the block, in its language; may have lines

A block of `text` right behind one that is run is its output.

SPDX-License-Identifier: MIT"""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(r"```(\w*)\s*$")
COMMENT = re.compile(r"<!--\s*(not run|needs|first):\s*(.*?)\s*-->", re.S)


def sources():
    """Every page that people read, as paths below the root."""
    found = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    for folder in ("doc", "examples"):
        found += sorted((ROOT / folder).rglob("*.md"))
    return found


def name_of(path):
    """The path as it is written in a message."""
    return str(Path(path).resolve().relative_to(ROOT))


class Block:
    """A fenced block: its language, text, first line in the page, and what its comments say."""

    def __init__(self, language, line, marks):
        self.language, self.line, self.marks = language, line, marks
        self.text, self.end = "", line
        self.output = None              # the block of text behind it

    def mark(self, name):
        return [value for key, value in self.marks if key == name]


def parts(text):
    """A page in its order: pieces of prose as text, and blocks."""
    found, prose, block = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if block is not None:
            if fence and not fence.group(1):
                block.end = number
                found.append(block)
                block = None
            else:
                block.text += line + "\n"
        elif fence:
            before = "\n".join(prose)
            tail = re.search(r"((?:<!--(?:(?!-->).)*-->\s*)*)$", before, re.S).group(1)
            found.append(before[:len(before) - len(tail)])
            prose = []
            block = Block(fence.group(1), number + 1, COMMENT.findall(tail))
        else:
            prose.append(line)
    if block is not None:
        raise ValueError(f"line {block.line - 1}: the block has no end")
    return found + ["\n".join(prose)]


def blocks(text):
    """The blocks of a page, outputs joined to what prints them."""
    found, before, prose = [], None, ""
    for part in parts(text):
        if isinstance(part, str):
            prose = part
            continue
        if part.language == "text" and before is not None and not prose.strip():
            before.output = part
        else:
            found.append(part)
        before = part
    return found


def without_blocks(text):
    """The prose of a page, with empty lines in place of blocks."""
    inside, out = False, []
    for line in text.splitlines():
        fence = FENCE.match(line)
        out.append("" if inside or fence else line)
        if fence:
            inside = not inside
    return "\n".join(out)


def plain(text):
    """A heading without its marks."""
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*]|\\(?=[^\w\s])", "", text)


def slug(text, separator="-"):
    """The anchor of a heading, as GitHub makes it."""
    text = re.sub(r"[^\w\- ]", "", plain(text).strip().lower())
    return text.replace(" ", separator)


def headings(text):
    """(level, heading) of each heading in the page."""
    return [(len(mark), title) for mark, title in
            re.findall(r"^(#{1,6}) +(.*?)\s*#*$", without_blocks(text), re.M)]


def anchors(text):
    """Every anchor of a page; repeated headings are numbered, as GitHub does."""
    found, times = set(), {}
    for _, title in headings(text):
        name = slug(title)
        times[name] = times.get(name, -1) + 1
        found.add(f"{name}-{times[name]}" if times[name] else name)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def links(text):
    """(line, target) of each link and picture outside of blocks and code."""
    prose = re.sub(r"`[^`\n]*`", lambda m: " " * len(m.group()), without_blocks(text))
    found = [(m.start(), m.group(1)) for m in re.finditer(r"\]\(([^()\s]+)\)", prose)]
    found += [(m.start(), m.group(1)) for m in re.finditer(r'(?:src|href|srcset)="([^"]+)"', prose)]
    return [(prose.count("\n", 0, at) + 1, target) for at, target in found]
