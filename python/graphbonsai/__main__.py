"""python -m graphbonsai: runs the program `bonsai`, which comes with the package.

The program in a wheel has no libcurl: Python downloads what `bonsai fetch` needs.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import json
import os
import sys
from typing import List, Optional

from ._program import STARTED, captured, environment, missing, program


def _download(found: str, arguments: List[str]) -> List[str]:
    """Downloads what a `fetch` lacks; returns the arguments for the program that follows."""
    asked = captured(found, [*arguments, "--dry-run", "--json", "--quiet"])
    try:
        plan = json.loads(asked.stdout) if asked.returncode == 0 else {}
    except ValueError:                  # a page of help
        plan = {}
    if plan.get("downloads", True) or {"--dry-run", "--offline"} & set(arguments):
        return arguments
    from .datasets import download
    download(plan)
    return [*arguments, "--offline"]


def main(arguments: Optional[List[str]] = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    found = program()
    if found is None or STARTED in os.environ:      # found is a script that runs this module
        print("graphbonsai: " + missing(), file=sys.stderr)
        return 1
    if given[:1] == ["fetch"]:
        try:
            given = _download(found, given)
        except OSError as error:        # a FileError, too
            print("bonsai: %s" % error, file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            return 130
    sys.stdout.flush()
    os.execve(found, ["bonsai", *given], environment())
    return 1        # not reached


if __name__ == "__main__":
    sys.exit(main())
