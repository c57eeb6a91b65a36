"""The program `bonsai` that comes with the package: where it is, and how it is run.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Optional

STARTED = "GRAPHBONSAI_STARTED"


def program() -> Optional[str]:
    """The program beside the library, else beside this Python, else on the PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [here, os.path.join(here, "bin"), os.path.dirname(sys.executable)]
    named = os.environ.get("GRAPHBONSAI_LIBRARY")
    if named:
        folders.insert(0, os.path.dirname(os.path.abspath(named)))
    for folder in folders:
        found = shutil.which("bonsai", path=folder)
        if found:
            return found
    return shutil.which("bonsai")


def missing() -> str:
    """The sentence where there is none."""
    named = os.environ.get("GRAPHBONSAI_LIBRARY")
    return ("the program bonsai, which downloads, converts and reports, is neither in the package "
            "nor on the PATH%s: put its folder on the PATH, or install the package with pip" %
            (", nor beside the library that GRAPHBONSAI_LIBRARY names, in %s" %
             os.path.dirname(os.path.abspath(named)) if named else ""))


def environment() -> Dict[str, str]:
    """The program's environment; a script that runs this package again sees that it did."""
    return {**os.environ, STARTED: "1"}


def captured(found: str, arguments: List[str]) -> Any:
    """Runs the program; what it printed, and its exit code."""
    return subprocess.run([found, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", env=environment(), check=False)
