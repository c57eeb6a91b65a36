"""links.py -- every link of the documents leads to a file, and to a heading if it names one.

Links to other hosts are not followed.  It also wants a language on every block, the pages of doc/
in the site's navigation, and no version in a document that was never released.

SPDX-License-Identifier: MIT"""
import re
import sys
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools/site"))
import pages                                                            # noqa: E402

LANGUAGES = ("sh", "python", "c", "text", "json", "cmake", "make", "csv")
OURS = re.compile(r"(?<![\w.>=<])(?<!OpenBLAS )(?<!Python )0\.\d+\.\d+(?![\w.]|\d)")
texts = {}


def text_of(path):
    if path not in texts:
        texts[path] = path.read_text(encoding="utf-8")
    return texts[path]


def bad_link(page, target):
    """Why a link leads nowhere, or None."""
    if re.match(r"(https?|mailto):", target):
        return None
    place, _, anchor = target.partition("#")
    if place.startswith("/"):
        return "is not relative"
    path = (page.parent / urllib.parse.unquote(place)).resolve() if place else page
    if pages.ROOT not in (path, *path.parents) or not path.exists():
        return "is not there"
    if anchor and path.suffix == ".md" and anchor not in pages.anchors(text_of(path)):
        return "has no such heading"
    return None


def faults_of(page, versions):
    text = text_of(page)
    for line, target in pages.links(text):
        why = bad_link(page, target)
        if why:
            yield line, f"{target} {why}"
    for block in pages.blocks(text):
        if block.language not in LANGUAGES:
            yield block.line - 1, "the block has no language; say sh, python, c or text"
    if page.name != "CHANGELOG.md":
        for number, line in enumerate(pages.without_blocks(text).splitlines(), 1):
            for version in OURS.findall(line):
                if version not in versions:
                    yield number, f"there is no version {version} in CHANGELOG.md"


def missing_pages():
    """Pages of doc/ that the navigation of the site leaves out."""
    nav = text_of(pages.ROOT / "doc/site/mkdocs.yml")
    for page in sorted((pages.ROOT / "doc").rglob("*.md")):
        name = str(page.relative_to(pages.ROOT / "doc"))
        if not re.search(rf"[ :]{re.escape(name)}$", nav, re.M):
            yield f"doc/site/mkdocs.yml: the navigation does not name {name}"


def main():
    changes = text_of(pages.ROOT / "CHANGELOG.md")
    versions = set(re.findall(r"^## (\d+\.\d+\.\d+)", changes, re.M))
    faults, count = list(missing_pages()), 0
    for page in pages.sources():
        count += len(pages.links(text_of(page)))
        faults += [f"{pages.name_of(page)}:{line}: {what}" for line, what in faults_of(page, versions)]
    print("\n".join(faults + [f"links: {count} in {len(pages.sources())} pages, {len(faults)} bad"]))
    return bool(faults) or count < 50


if __name__ == "__main__":
    sys.exit(main())
