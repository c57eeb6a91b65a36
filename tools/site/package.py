"""package.py -- the reference of the Python package, from its signatures and docstrings.

It reads the source, so that neither the library nor torch need be there.

SPDX-License-Identifier: MIT"""
import ast
import re
import textwrap

import pages

FOLDER = pages.ROOT / "python/graphbonsai"
MODULES = ("pyg", "dgl", "ogb", "datasets")


def parse(name):
    return ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))


def is_property(node):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def without_types(arguments):
    for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs,
                arguments.vararg, arguments.kwarg]:
        if one is not None:
            one.annotation = None
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        del arguments.args[0]
    return ast.unparse(arguments)


def signature(name, node):
    """The call without types, wrapped; None of what is not called."""
    if isinstance(node, ast.ClassDef):
        node = next((n for n in node.body if getattr(n, "name", "") == "__init__"), None)
    if node is None or is_property(node):
        return None
    text = f"{name}({without_types(node.args)})"
    return textwrap.fill(text, 86, subsequent_indent=" " * 4, break_long_words=False,
                         break_on_hyphens=False)


def cell(text):
    return re.sub(r"([|<>*_])", r"\\\1", " ".join(text.split()))


def arguments(lines):
    """The entries of "Args:" as a table."""
    found = []
    for line in lines:
        entry = re.match(r" {4}(\*{0,2}\w[\w, ]*): (.*)", line)
        if entry:
            found.append([entry.group(1), entry.group(2)])
        elif line.strip() and found:
            found[-1][1] += " " + line.strip()
    rows = "\n".join(f"| `{name}` | {cell(text)} |" for name, text in found)
    return f"| argument | what it is |\n|---|---|\n{rows}"


def paragraph(text):
    if not text.strip():
        return ""
    if text.lstrip().startswith(">>>"):
        return "```python\n" + textwrap.dedent(text).strip() + "\n```"
    if text.startswith("    "):
        return "```text\n" + textwrap.dedent(text) + "\n```"
    return re.sub(r"(?<!`)([<>*])", r"\\\1", text)


def docstring(node):
    """A docstring as Markdown."""
    text = ast.get_docstring(node) or ""
    text = re.sub(r"\n*SPDX-License-Identifier.*", "", text)
    out, pieces = [], re.split(r"^(Args|Returns|Raises|Attributes):\n", text, flags=re.M)
    out += [paragraph(p) for p in pieces[0].split("\n\n")]
    for title, body in zip(pieces[1::2], pieces[2::2]):
        entries, _, after = body.partition("\n\n")
        lines = entries.splitlines()
        out.append(arguments(lines) if title != "Returns" else
                   "Returns: " + " ".join(line.strip() for line in lines))
        out += [paragraph(p) for p in after.split("\n\n")]
    return "\n\n".join(part for part in out if part)


def definitions(tree):
    """The public classes and functions of a module or class, by name."""
    return {node.name: node for node in tree.body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name[0] != "_"}


def classes():
    """Every class of the package, by name."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        if path.stem != "_capi":
            found.update((node.name, node) for node in parse(path.stem).body
                         if isinstance(node, ast.ClassDef))
    return found


def members(node, known):
    """The public methods and properties of a class and of what it inherits from in the package."""
    found = {}
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in known:
            found.update(members(known[base.id], known))
    return {**found, **definitions(node)}


def exported():
    """What graphbonsai gives: (name, node), errors last."""
    root, found = parse("__init__"), []
    for node in root.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            known = definitions(parse(node.module))
            found += [(a.name, known[a.name], node.module == "_errors")
                      for a in node.names if a.name in known]
    return [one[:2] for one in sorted(found, key=lambda one: (one[2], one[0].lower()))]


def entry(name, node, level):
    head = f"{'#' * level} {name}\n\n"
    call = signature(name, node)
    return head + (f"```python\n{call}\n```\n\n" if call else "") + docstring(node)


def page():
    out = ["# The Python package, name by name",
           "Made of the signatures and docstrings; `help()` shows the same. The [guide to the "
           "package](../python.md) has examples.", docstring(parse("__init__"))]
    known = classes()
    for name, node in exported():
        out.append(entry(name, node, 2))
        if isinstance(node, ast.ClassDef):
            out += [entry(f"{name}.{key}", inner, 3)
                    for key, inner in sorted(members(node, known).items())]
    for title in MODULES:
        module = parse(title)
        out += [f"## graphbonsai.{title}", docstring(module)]
        out += [entry(f"{title}.{name}", node, 3) for name, node in definitions(module).items()]
    return "\n\n".join(part for part in out if part) + "\n"
