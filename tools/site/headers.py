"""headers.py -- a page of each public header: its sections, comments and declarations in order.

SPDX-License-Identifier: MIT"""
import re
from pathlib import Path

import pages

SECTION = re.compile(r"/\* -+ (.*?) -+ \*/$")
SKIPPED = re.compile(r'#\s*(if|ifdef|ifndef|endif|else|elif|include|undef)\b|extern "C"|}\s*$|'
                     r"#define BONSAI(_STUDY|_MPI)?_H$|#define BONSAI_API")


class Entry:
    """A comment and the declarations right behind it."""

    def __init__(self, comment):
        self.comment, self.code = comment, []

    def names(self):
        """What is declared, types first; the macros that call an init function are left out."""
        text = re.sub(r"/\*.*?\*/", "", "\n".join(self.code), flags=re.S)
        types = re.findall(r"^}\s*(\w+);", text, re.M)
        types += re.findall(r"^typedef (?!enum \{|struct \{).*?\b(bonsai_\w+)\s*[;(]", text, re.M)
        types += re.findall(r"^typedef enum \{[^}]*\} (\w+);", text, re.M)
        calls = re.findall(r"^BONSAI_API [^(;]*?\b(bonsai_\w+)\s*\(", text, re.M)
        macros = re.findall(r"^#define (BONSAI_\w+|bonsai_\w+)", text, re.M)
        found = types + [name for name in calls if not name.endswith("_init_sized")]
        return list(dict.fromkeys(found or macros or calls))


def comment_text(lines):
    """A comment without its stars, as paragraphs."""
    text = "\n".join(lines).strip()
    text = re.sub(r"^/\*|\*/$", "", text)
    text = "\n".join(re.sub(r"^ ?\* ?", "", line) for line in text.splitlines())
    return re.sub(r"SPDX-License-Identifier.*", "", text).strip()


def balanced(lines):
    """Whether what was begun in these lines has ended."""
    text = re.sub(r"/\*.*?\*/", "", "\n".join(lines), flags=re.S)
    if "/*" in text or text.rstrip().endswith("\\"):
        return False
    if text.lstrip().startswith("#"):
        return True
    return text.count("{") == text.count("}") and text.rstrip().endswith(";")


def parse(text):
    """(head comment, [(section, [entries])]) of a header."""
    lines = text.splitlines()
    sections, entry, at = [("", [])], None, 0
    head = None
    while at < len(lines):
        line = lines[at]
        section = SECTION.match(line)
        end = at
        if section:
            sections.append((section.group(1), []))
            entry = None
        elif line.startswith("/*"):
            while "*/" not in lines[end]:
                end += 1
            comment = comment_text(lines[at:end + 1])
            if head is None:
                head = comment
            else:
                entry = Entry(comment)
                sections[-1][1].append(entry)
        elif not line.strip() or SKIPPED.match(line):
            entry = None
        else:
            while not balanced(lines[at:end + 1]):
                end += 1
            if entry is None:
                entry = Entry("")
                sections[-1][1].append(entry)
            entry.code += lines[at:end + 1]
        at = end + 1
    return head, [(name, joined(entries)) for name, entries in sections]


def joined(entries):
    """Entries, with the init function of a struct joined to it."""
    out = []
    for entry in entries:
        if out and not entry.comment and all(name.endswith("_init") for name in entry.names()):
            out[-1].code += ["", *entry.code]
        else:
            out.append(entry)
    return out


def prose(text, places, page):
    """A comment as Markdown: names of declarations become links to them."""
    def link(match):
        name = match.group()
        if name.endswith(".h"):
            return f"[`{name}`]({name[:-2]}.md)"
        if name not in places:
            return f"`{name}`" if "_" in name else name
        where, anchor = places[name]
        return f"[`{name}`]({'' if where == page else where}#{anchor})"

    text = re.sub(r"([<>*\\])", r"\\\1", text)
    return re.sub(r"\b(?:bonsai\w*\.h|(?:bonsai|BONSAI)_\w+)\b", link, text)


def shown(names):
    few = names[:3]
    return ", ".join(few) + (", ..." if len(names) > len(few) else "")


def entries_of(parsed):
    return [entry for _, entries in parsed[1] for entry in entries if entry.code]


def write(name, parsed, places):
    head, sections = parsed
    first, _, rest = head.partition("\n")
    title = first.split(" -- ", 1)
    out = [f"# {title[0]}", f"{title[1][0].upper()}{title[1][1:]}", prose(rest.strip(), places, name)]
    for section, entries in sections:
        section = section or ("Version" if name == "bonsai.md" else "Functions")
        if entries:
            out.append(f"## {section[0].upper()}{section[1:]}")
        for entry in entries:
            if entry.code:
                out.append(f"### {shown(entry.names())}" if entry.names() else "")
            out.append(prose(entry.comment, places, name))
            if entry.code:
                out.append("```c\n" + "\n".join(entry.code) + "\n```")
    return "\n\n".join(part for part in out if part) + "\n"


def pages_of(root):
    """(file name, text) of a page for each header."""
    parsed = {path.stem + ".md": parse(path.read_text(encoding="utf-8"))
              for path in sorted(Path(root, "include").glob("*.h"))}
    places = {}
    for page, header in parsed.items():
        for entry in entries_of(header):
            for name in entry.names():
                places.setdefault(name, (page, pages.slug(shown(entry.names()))))
    return [(page, write(page, header, places)) for page, header in parsed.items()]
