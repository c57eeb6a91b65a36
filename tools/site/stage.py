"""stage.py OUT PROGRAM -- puts the pages of the site into OUT: those of doc/, and the reference.

In the repository pages link to files beside them, as GitHub shows them.  Here links that leave doc/
lead to the page that takes the file's place on the site, or to a copy of the file; and a link that
names a file of doc/ names the page by its title.

SPDX-License-Identifier: MIT"""
import os
import re
import shutil
import sys
from pathlib import Path

import pages
import reference

ROOT = pages.ROOT
PICTURES = (".svg", ".png", ".ipynb")


def staged():
    """Where each page of the repository goes on the site."""
    found = {page: page.relative_to(ROOT / "doc") for page in (ROOT / "doc").rglob("*.md")}
    for name in ("CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"):
        found[ROOT / name] = Path(name)
    found[ROOT / "README.md"] = Path("index.md")
    found[ROOT / "examples"] = Path("examples/README.md")
    for header in (ROOT / "include").glob("*.h"):
        found[header] = Path("reference") / (header.stem + ".md")
    return found


class Stage:
    def __init__(self, out):
        self.out, self.places = Path(out), staged()

    def copy(self, path):
        """The place of a file that is no page; text gets an ending that browsers show."""
        below = ROOT / "doc" if ROOT / "doc" in path.parents else ROOT
        place = path.relative_to(below)
        if path.suffix not in PICTURES:
            place = Path("files") / (str(path.relative_to(ROOT)) + ".txt")
        (self.out / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, self.out / place)
        return place

    def target(self, page, link):
        """The link as it must be on the site."""
        if re.match(r"\w+:|#", link):
            return link
        place, mark, anchor = link.partition("#")
        path = (page.parent / place).resolve()
        to = self.places.get(path) or self.copy(path)
        return os.path.relpath(to, self.places[page].parent) + mark + anchor

    def title(self, page, name, link):
        """What a link is called: the title of its page if it is called by the file's name."""
        path = (page.parent / link.partition("#")[0]).resolve()
        if not re.fullmatch(r"(doc/)?[\w-]+\.md", name) or path not in self.places or "#" in link:
            return name
        return pages.headings(path.read_text(encoding="utf-8"))[0][1].partition(":")[0]

    def write(self, page):
        def one(match):
            return f"{match.group(1)}{self.target(page, match.group(2))}{match.group(3)}"

        def called(match):
            return f"[{self.title(page, *match.groups())}]({match.group(2)})"

        out, inside = [], False
        for line in page.read_text(encoding="utf-8").splitlines():
            if pages.FENCE.match(line):
                inside = not inside
            elif not inside:
                line = re.sub(r"(?<!!)\[([^][]+)\]\(([^()\s]+)\)", called, line)
                line = re.sub(r"(\]\()([^()\s]+)(\))", one, line)
                line = re.sub(r'((?:src|srcset|href)=")([^"]+)(")', one, line)
            out.append(line)
        to = self.out / self.places[page]
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text("\n".join(out) + "\n", encoding="utf-8")


def main(out, program):
    shutil.rmtree(out, ignore_errors=True)
    stage = Stage(out)
    for page in stage.places:
        if page.suffix == ".md" and page != ROOT / "README.md":
            stage.write(page)
    for name, text in reference.pages_of(program):
        place = stage.out / "reference" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
