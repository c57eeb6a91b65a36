"""names.py BONSAI -- the generated reference leaves nothing out, and its links lead somewhere.

Every function that a public header declares, every command, and every name that the Python package
exports has a heading of its own or shares one.

SPDX-License-Identifier: MIT"""
import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/site"))
import pages                                                            # noqa: E402
import reference                                                        # noqa: E402


def declared(header):
    """The functions of a header, found without its parser."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
    return re.findall(r"BONSAI_API\b[^;]*?\b(bonsai_\w+)\(", text)


def exported():
    text = (ROOT / "python/graphbonsai/__init__.py").read_text(encoding="utf-8")
    found = next(node for node in ast.parse(text).body
                 if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    return [name for name in ast.literal_eval(found.value) if name[0] != "_" and not name.isupper()]


def own_members(cls):
    """Public methods and properties, inherited ones of the package too."""
    for key in dir(cls):
        holder = next((base for base in cls.__mro__ if key in vars(base)), None)
        if key[0] != "_" and holder is not None and holder.__module__.startswith("graphbonsai"):
            thing = vars(holder)[key]
            if callable(getattr(cls, key)) or isinstance(thing, property):
                yield key


def wanted(program):
    """(page, name) of all that must be there."""
    for header in (ROOT / "include").glob("*.h"):
        for name in declared(header):
            yield header.stem + ".md", name
    listed = subprocess.run([program, "help", "all"], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"^  ([a-z]+)  ", listed, re.M):
        yield "commands.md", name
    import graphbonsai
    for name in exported():
        yield "python.md", name
        thing = getattr(graphbonsai, name)
        if isinstance(thing, type) and not issubclass(thing, Exception):
            yield from (("python.md", f"{name}.{key}") for key in own_members(thing))


def main(program):
    made = dict(reference.pages_of(program))
    every = list(wanted(program))
    faults = [f"{page} does not have {name}" for page, name in every
              if not re.search(rf"^#+ {name}$|\b{name}\(", made[page], re.M)]
    for page, text in made.items():
        for _, target in pages.links(text):
            place, _, anchor = target.partition("#")
            to = made.get(place or page)
            if to is not None and anchor and anchor not in pages.anchors(to):
                faults.append(f"{page}: {target} leads nowhere")
    print("\n".join(faults + [f"reference: {len(every)} names, {len(faults)} faults"]))
    return bool(faults) or len(every) < 100


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
