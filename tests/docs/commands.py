"""commands.py BONSAI -- every command line in the documents has a command and options that exist.

It looks at code within sentences as well as at blocks, run or not.

SPDX-License-Identifier: MIT"""
import functools
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools/site"))
import pages                                                            # noqa: E402

LINE = re.compile(r"(?:^|[\s(;&|!])(?:[\w./]*/)?bonsai(?:-mpi)? +([a-z][\w-]*|--?\w+)((?:[^;&|#]|--)*)")


@functools.lru_cache(None)
def options_of(command):
    """The options of a command, with their dashes, or None: there is no such command."""
    done = subprocess.run([sys.argv[1], "help", command, "--rows"], capture_output=True, text=True)
    if done.returncode:
        return None
    rows = [line.split("\t") for line in done.stdout.splitlines()[1:]]
    rows = [row for row in rows if row[0] == "options"]
    return {"--" + row[1] for row in rows} | {"-" + row[2] for row in rows if row[2]} | {"--help", "-h"}


def lines_of(text):
    """(line, command line) of code in sentences and of blocks of the shell."""
    prose = pages.without_blocks(text)
    for m in re.finditer(r"`([^`\n]*)`", prose):
        yield prose.count("\n", 0, m.start()) + 1, m.group(1)
    for block in pages.blocks(text):
        if block.language == "sh":
            for number, line in enumerate(block.text.replace("\\\n", " ").splitlines()):
                yield block.line + number, line


def faults_of(line):
    for command, rest in LINE.findall(line):
        options = options_of(command)
        if command.startswith("-") or command == "help":
            continue
        if options is None:
            yield f"there is no command {command}"
            continue
        for option in re.findall(r"(?<=\s)(--[a-z][\w-]*|-[a-z])\b", rest):
            if option not in options:
                yield f"bonsai {command} has no option {option}"


def main():
    faults, count = [], 0
    for page in pages.sources():
        if page.name == "CHANGELOG.md":         # tells what was
            continue
        for number, line in lines_of(page.read_text(encoding="utf-8")):
            count += bool(LINE.search(line))
            faults += [f"{pages.name_of(page)}:{number}: {what}: {line}" for what in faults_of(line)]
    print("\n".join(faults + [f"commands: {count} lines, {len(faults)} wrong"]))
    return bool(faults) or count < 50


if __name__ == "__main__":
    sys.exit(main())
