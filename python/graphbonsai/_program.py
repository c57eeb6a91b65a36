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
MISSING = "the program bonsai is neither in the package nor on the PATH"


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


def environment() -> Dict[str, str]:
    """The program's environment; a script that runs this package again sees that it did."""
    return {**os.environ, STARTED: "1"}


def captured(found: str, arguments: List[str]) -> Any:
    """Runs the program; what it printed, and its exit code."""
    return subprocess.run([found, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", env=environment(), check=False)
