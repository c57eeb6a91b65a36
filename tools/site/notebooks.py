#!/usr/bin/env python3
"""notebooks.py [--check] -- makes a notebook of each page in doc/tutorials.

The page is what people edit.  Its python blocks become cells; lines of sh blocks become "!" lines;
what the page shows as their output becomes their output.  --check fails where a notebook is not
what its page makes.

SPDX-License-Identifier: MIT"""
import json
import sys

import pages

FOLDER = pages.ROOT / "doc/tutorials"


def code_of(block):
    if block.language == "python":
        return block.text
    return "".join(line if line.startswith("#") else "!" + line
                   for line in block.text.splitlines(keepends=True))


def lines(text):
    return text.strip("\n").splitlines(keepends=True)


def output(text):
    return {"name": "stdout", "output_type": "stream", "text": lines(text)}


def code_cell(number, block):
    shown = [output(block.output.text)] if block.output else []
    return {"cell_type": "code", "execution_count": None, "id": f"cell{number}", "metadata": {},
            "outputs": shown, "source": lines(code_of(block))}


def prose_cell(number, text):
    return {"cell_type": "markdown", "id": f"cell{number}", "metadata": {}, "source": lines(text)}


def cells(text):
    shown = {block.line: block for block in pages.blocks(text)}     # outputs are not among them
    found = []
    for part in pages.parts(text):
        number = len(found)
        if isinstance(part, str):
            if part.strip():
                found.append(prose_cell(number, part))
        elif part.line in shown and part.language in ("python", "sh"):
            found.append(code_cell(number, shown[part.line]))
        elif part.line in shown:
            found.append(prose_cell(number, f"```{part.language}\n{part.text}```"))
    return found


def notebook(text):
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    found = {"cells": cells(text), "metadata": {"kernelspec": kernel,
                                                "language_info": {"name": "python"}},
             "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def main(check):
    wrong = 0
    for page in sorted(FOLDER.glob("*.md")):
        made = notebook(page.read_text(encoding="utf-8"))
        path = page.with_suffix(".ipynb")
        if path.exists() and path.read_text(encoding="utf-8") == made:
            continue
        if check:
            wrong += 1
            print(f"{pages.name_of(path)} is not what {page.name} makes; run tools/site/notebooks.py")
        else:
            path.write_text(made, encoding="utf-8")
    print(f"notebooks: {len(list(FOLDER.glob('*.md')))} pages, {wrong} out of step")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
