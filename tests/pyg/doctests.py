"""Runs the examples in the docstrings of the graphbonsai that is installed.

A module whose framework is not installed is passed over, and named.

SPDX-License-Identifier: MIT"""
import doctest
import importlib
import os
import pkgutil
import sys
import tempfile

import graphbonsai

failed = tried = 0
with tempfile.TemporaryDirectory(prefix="bonsai-doctest-") as folder:
    os.chdir(folder)
    names = [m.name for m in pkgutil.iter_modules(graphbonsai.__path__, "graphbonsai.")
             if m.name not in ("graphbonsai.__main__", "graphbonsai.libbonsai")]
    for name in ["graphbonsai", *names]:
        try:
            module = importlib.import_module(name)
        except ImportError as e:
            print(f"doctests: {name} passed over: {e}")
            continue
        result = doctest.testmod(module)
        failed += result.failed
        tried += result.attempted
    os.chdir("/")
print(f"doctests: {tried - failed} passed, {failed} failed")
sys.exit(1 if failed or not tried else 0)
