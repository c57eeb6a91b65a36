"""reference.py -- the pages that are made of the code: headers, commands, the Python package.

SPDX-License-Identifier: MIT"""
import re
import subprocess

import headers
import pages
import package


def said(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def prose(text):
    """Help as Markdown, options as code."""
    text = re.sub(r"([|<>*_])", r"\\\1", text)
    return re.sub(r"(?<![\w`-])(--?[a-z][\w-]*)", r"`\1`", text)


def option(name, letter, value, words, text):
    """A row of the table; long lists of words go to the second cell."""
    if len(value) > 30:
        text += ". One of: " + ", ".join(words.split())
        value = "WORD"
    called = f"`--{name} {value}`" if value else f"`--{name}`"
    return (f"`-{letter}`, " if letter else "") + called, prose(text)


def rows_of(program, command):
    """(options by heading, those that commands share) of a command, each as (option, help)."""
    own, common = {}, []
    for line in said(program, "help", command, "--rows").splitlines()[1:]:
        row = line.split("\t")
        if row[0] != "options":
            continue
        _, name, letter, _, value, words, shared, text, heading = row
        into = common if shared == "1" else own.setdefault(heading, [])
        into.append(option(name, letter, value, words, text))
    return own, common


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|"] +
                     [f"| {' | '.join(row)} |" for row in rows])


def description(program, command):
    """Usage as a block, then the paragraphs before the options."""
    text = said(program, "help", command).split("\noptions:")[0]
    usage, _, rest = text.partition("\n\n")
    rest = re.sub(r"\n(?=\S)", " ", rest.strip().replace("\n\n", "\0")).replace("\0", "\n\n")
    return f"```text\n{usage.replace('usage: ', '')}\n```\n\n{prose(rest)}"


def commands(program):
    listed = [line.split("\t")[1:] for line in said(program, "help", "--rows").splitlines()[1:]]
    names = [name for name, _ in listed]
    out = ["# Commands", "What `bonsai help COMMAND` prints. `bonsai-mpi` has the commands that run on "
           "several machines, with the same options.",
           table(("command", "what it does"),
                 [(f"[{name}](#{name})", prose(line)) for name, line in listed])]
    shared = {}
    for name in names:
        own, common = rows_of(program, name)
        out += [f"## {name}", description(program, name)]
        for heading, rows in own.items():
            if heading != "options":
                out.append(f"**{heading[0].upper()}{heading[1:]}**")
            out.append(table(("option", "what it does"), rows))
        if common:
            out.append("[Common options](#common-options): " + ", ".join(
                f"`{re.search('--[a-z-]+', name).group()}`" for name, _ in common) + ".")
        shared.update(dict(common))
    out += ["## Common options", table(("option", "what it does"), list(shared.items())),
            "## Methods", f"```text\n{said(program, 'help', 'methods')}```",
            "## Formats", f"```text\n{said(program, 'help', 'formats')}```"]
    return "\n\n".join(out) + "\n"


def pages_of(program):
    return headers.pages_of(pages.ROOT) + [("commands.md", commands(program)),
                                           ("python.md", package.page())]
