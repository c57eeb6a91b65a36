"""site.py SITE -- the built site asks no other host for anything, and its links lead somewhere.

SPDX-License-Identifier: MIT"""
import html.parser
import re
import sys
import urllib.parse
from pathlib import Path

LOADED = {("img", "src"), ("img", "srcset"), ("script", "src"), ("link", "href"), ("iframe", "src"),
          ("source", "src"), ("source", "srcset"), ("video", "src"), ("audio", "src"), ("object", "data")}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.path, self.links, self.loads, self.ids, self.titles = path, [], [], set(), 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            if (tag, name) in LOADED:
                self.loads.append(value)
            if tag == "a" and name == "href":
                self.links.append(value)
            if name == "style" and "url(" in value:
                self.loads.append(value)
        self.titles += tag == "h1"


def outside(target):
    return bool(re.match(r"([a-z]+:)?//|[a-z]+:", target))


def fault_of(page, target, pages, site):
    """Why a local link leads nowhere, or None."""
    place, _, anchor = target.partition("#")
    path = (page.path.parent / urllib.parse.unquote(place)).resolve() if place else page.path
    if site not in path.parents or not path.is_file():
        return "is not there"
    if anchor and path in pages and urllib.parse.unquote(anchor) not in pages[path].ids:
        return "has no such place"
    return None


def main(folder):
    site = Path(folder).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    faults, count = [], 0
    for path, page in pages.items():
        where = path.relative_to(site)
        faults += [f"{where}: asks for {t}" for t in page.loads if outside(t)]
        for target in page.links + page.loads:
            if not outside(target):
                count += 1
                why = fault_of(page, target, pages, site)
                faults += [f"{where}: {target} {why}"] if why else []
        if page.titles != 1 and path.name != "404.html":
            faults.append(f"{where}: has {page.titles} titles")
    for path in [*site.rglob("*.css"), *site.rglob("*.js"), *site.rglob("*.svg")]:
        if path.name != "index.js" and re.search(r"@import|url\(|fetch\(|https?://(?!www\.w3\.org/)",
                                                 path.read_text(encoding="utf-8")):
            faults.append(f"{path.relative_to(site)}: asks for something")
    print("\n".join(faults + [f"site: {len(pages)} pages, {count} links, {len(faults)} faults"]))
    return bool(faults) or len(pages) < 15


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
