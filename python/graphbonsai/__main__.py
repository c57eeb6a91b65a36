"""python -m graphbonsai: runs the program `bonsai`, which comes with the package.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
import shutil
import sys
from typing import List, Optional


STARTED = "GRAPHBONSAI_STARTED"


def program() -> Optional[str]:
    """The program in the package, else beside this Python, else on the PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (here, os.path.join(here, "bin"), os.path.dirname(sys.executable)):
        found = shutil.which("bonsai", path=folder)
        if found:
            return found
    return shutil.which("bonsai")


def main(arguments: Optional[List[str]] = None) -> int:
    found = program()
    if found is None or STARTED in os.environ:      # found is a script that runs this module
        print("graphbonsai: the program bonsai is neither in the package nor on the PATH",
              file=sys.stderr)
        return 1
    sys.stdout.flush()
    os.execve(found, ["bonsai", *(sys.argv[1:] if arguments is None else arguments)],
              {**os.environ, STARTED: "1"})
    return 1        # not reached


if __name__ == "__main__":
    sys.exit(main())
