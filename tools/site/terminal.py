"""terminal.py -- runs a command as in a terminal of 80 columns and returns what it prints there.

Messages and progress, which go to stderr, are kept apart: they are shown if the command fails.

SPDX-License-Identifier: MIT"""
import os
import pty
import re
import subprocess
import sys
import tempfile

ENVIRONMENT = {"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "80", "LINES": "40", "LC_ALL": "C.UTF-8"}


def require():
    """Ends a test as skipped (77) if no terminal can be opened."""
    try:
        for descriptor in pty.openpty():
            os.close(descriptor)
    except OSError:
        print("skipped: no /dev/pts")
        sys.exit(77)


def read_all(descriptor):
    found = b""
    while True:
        try:
            piece = os.read(descriptor, 65536)
        except OSError:                 # the other end is closed
            return found
        if not piece:
            return found
        found += piece


def run(command, **environment):
    """(exit code, what was printed); of a command that failed, with its messages."""
    master, slave = pty.openpty()
    with tempfile.TemporaryFile() as messages:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=messages,
                                 env={**os.environ, **ENVIRONMENT, **environment})
        os.close(slave)
        out = read_all(master)
        os.close(master)
        code = child.wait()
        if code:
            messages.seek(0)
            out += messages.read()
    text = out.decode("utf-8", "replace").replace("\r\n", "\n")
    return code, re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
