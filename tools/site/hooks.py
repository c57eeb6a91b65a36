"""hooks.py -- what MkDocs is told beyond its configuration.

The version comes from bonsai.h.  Tables scroll on their own where they are wider than the page,
and notebooks are downloaded.
The list of what can be searched is a script, so that it works from a disk, too.

SPDX-License-Identifier: MIT"""
import html
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MANY = 7                        # columns from which a page is set wide
found = []


def on_config(config):
    header = (ROOT / "include/bonsai.h").read_text(encoding="utf-8")
    config.extra["version"] = re.search(r'BONSAI_VERSION "(.*?)"', header).group(1)
    found.clear()
    return config


def plain(text):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def unbroken(match):
    """Code within a sentence, with options that stay on one line."""
    return "<code>" + re.sub(r"(?<![^\s(])-[^\s<]{1,30}", r'<span class="word">\g<0></span>',
                             match.group(1)) + "</code>"


def framed(match):
    """A table that scrolls on its own; one of many columns is set smaller."""
    kind = "table many" if match.group(1).count("<th") >= MANY else "table"
    text = re.sub(" (±|%|points)(?= |<|,|\\))", "\u00a0\\1", match.group()).replace("± ", "±\u00a0")
    return f'<div class="{kind}">{text}</div>'


def on_page_content(content, page, config, files):
    pieces = re.split(r'<h[1-3] id="([^"]*)">(.*?)</h[1-3]>', content, flags=re.S)
    for anchor, title, text in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
        found.append([f"{page.url}#{anchor}", plain(title), page.title, plain(text)[:1000]])
    content = re.sub(r'(href="[^"]*\.ipynb")', r"\1 download", content)
    content = re.sub(r"(?<!</span>)<code>([^<]*)</code>", unbroken, content)
    page.meta["wide"] = any(table.count("<th") >= MANY for table in content.split("<table>")[1:])
    return re.sub(r"<table>(.*?)</table>", framed, content, flags=re.S)


def on_post_build(config):
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    (Path(config.site_dir) / "index.js").write_text(f"const places = {text};\n", encoding="utf-8")
