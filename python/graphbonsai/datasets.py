"""Public datasets: downloads one from its publisher and loads it.

    from graphbonsai import datasets
    graph = datasets.load("cora")                       # downloads it to data/ where it is missing
    path = datasets.fetch("ogbn-arxiv", to="data")      # the path for Graph.load and the program

The program `bonsai` has the catalogue, verifies and unpacks; Python downloads, so that no libcurl
is needed.

>>> [d["name"] for d in catalogue()][:3]
['cora', 'citeseer', 'pubmed']

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import hashlib
import json
import os
import socket
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any, Dict, Iterator, List, Optional, Union

from ._errors import ArgumentError, Error, FileError
from ._graph import Graph
from ._program import captured, missing, program
from ._progress import Progress, Watch

__all__ = ["catalogue", "fetch", "load"]

CHUNK = 1 << 18
TEMPORARY = (408, 425, 429, 500, 502, 503, 504)         # answers after which another try helps


# ---- the program ----

def _run(*arguments: str) -> Any:
    """What `bonsai fetch` prints as JSON; its sentence as an exception where it failed."""
    found = program()
    if found is None:
        raise FileError(missing())
    done = captured(found, ["fetch", *arguments, "--json", "--quiet"])
    if done.returncode != 0:
        said = [line[len("bonsai: "):] for line in done.stderr.splitlines()
                if line.startswith("bonsai: ")] or [done.stderr.strip() or "bonsai fetch failed"]
        raise (ArgumentError if done.returncode == 2 else FileError)(said[0])
    return json.loads(done.stdout)


# ---- one file ----

def _answer(url: str, timeout: float) -> Any:
    """The open answer of a server; a web page is refused."""
    answer = urllib.request.urlopen(url, timeout=timeout)       # http and https, as the plan says
    if url.startswith("https:") and not answer.geturl().startswith("https:"):
        answer.close()
        raise FileError("%s: the server leads from https to http" % url)
    if answer.headers.get_content_type() in ("text/html", "application/xhtml+xml"):
        answer.close()
        raise FileError("%s: the server sent a web page and not the file" % url)
    return answer


def _chunks(answer: Any) -> Iterator[bytes]:
    """The bytes of an answer; what is short of its length is an error."""
    told, have = answer.headers.get("Content-Length"), 0
    while True:
        data = answer.read(CHUNK)
        if not data:
            break
        have += len(data)
        yield data
    if told is not None and have != int(told):
        raise OSError("the connection ended after %d of %s bytes" % (have, told))


def _receive(file: Dict[str, Any], part: str, timeout: float, tell: Any) -> None:
    """Writes a file to `part`, and verifies its size and checksum where they are known."""
    seen, have = hashlib.sha256(), 0
    with _answer(file["url"], timeout) as answer, open(part, "wb") as out:
        for data in _chunks(answer):
            have += len(data)
            if file["bytes"] is not None and have > file["bytes"]:
                break
            out.write(data)
            seen.update(data)
            tell(have)
    if file["bytes"] is not None and have != file["bytes"]:
        raise FileError("%s: the server sent %s%d bytes and not %d" % (
            file["url"], "at least " if have > file["bytes"] else "", have, file["bytes"]))
    if file["sha256"] and seen.hexdigest() != file["sha256"]:
        raise FileError("%s: has the SHA-256 %.12s... and not %.12s..." % (
            file["url"], seen.hexdigest(), file["sha256"]))


def _has_no_server(error: Exception) -> bool:
    return isinstance(getattr(error, "reason", None), socket.gaierror)


def _is_temporary(error: Exception) -> bool:
    if isinstance(error, urllib.error.HTTPError):
        return error.code in TEMPORARY
    return not _has_no_server(error)


def _why(error: Exception) -> str:
    if _has_no_server(error):
        return ("there is no network, or no server of that name; check the connection, or name "
                "another server with base_url=")
    return str(error) or "no answer"


def _download(file: Dict[str, Any], timeout: float, retries: int, tell: Any) -> None:
    """Writes a file beside its place and renames it when it is complete."""
    os.makedirs(os.path.dirname(file["path"]), exist_ok=True)
    part = "%s.%d.part" % (file["path"], os.getpid())
    try:
        for left in range(retries, -1, -1):
            try:
                _receive(file, part, timeout, tell)
                os.replace(part, file["path"])
                return
            except Error:
                raise
            except (OSError, HTTPException) as error:   # URLError and timeouts are OSErrors
                if left == 0 or not _is_temporary(error):
                    raise FileError("%s: %s" % (file["url"], _why(error))) from None
            time.sleep(min(8.0, 0.5 * 2 ** (retries - left)))
    finally:
        if os.path.exists(part):
            os.unlink(part)


def download(plan: Dict[str, Any], timeout: float = 30, retries: int = 4,
             progress: Progress = None) -> List[str]:
    """Downloads the files that `bonsai fetch --dry-run --json` says are missing; their paths."""
    files = [f for f in plan["files"] if not f["there"]]
    sizes = [f["bytes"] or 0 for f in files]
    total = sum(sizes) if all(sizes) else 0
    with Watch(progress) as watch:
        for at, file in enumerate(files):
            def tell(have: int, before: int = sum(sizes[:at])) -> None:
                if watch.listener is not None:
                    watch.guard(watch.listener, plan["name"], before + have, total)
                if watch.raised is not None:
                    raise Error("interrupted")          # watch raises what it keeps
            _download(file, timeout, retries, tell)
    return [f["path"] for f in files]


# ---- a dataset ----

def catalogue() -> List[Dict[str, Any]]:
    """The datasets: name, about, nodes, edges, bytes, licence, cite, home and more of each."""
    rows: List[Dict[str, Any]] = _run()["datasets"]
    return rows


def fetch(name: str, to: Union[str, "os.PathLike[str]"] = "data", *,
          base_url: Optional[str] = None, force: bool = False, timeout: float = 30,
          retries: int = 4, progress: Progress = None) -> str:
    """Downloads a dataset, verifies it, unpacks it, and returns the path of its graph.

    Files that are there and right are not downloaded again.  Please cite the authors that
    `catalogue` names.

    Args:
        name: as in `catalogue`.
        to: the folder for the files, created if it does not exist.
        base_url: another server that has the files, else the variable BONSAI_MIRROR.
        force: download existing files again.
        timeout: seconds without data after which a try has failed.
        retries: how often a failed connection is tried again.
        progress: as for condense.
    """
    given = [name, "--to=" + os.fspath(to), *(["--base-url=" + base_url] if base_url else [])]
    given += ["--force"] if force else []
    new = download(_run(*given, "--dry-run"), timeout, retries, progress)
    try:
        return str(_run(*given, "--offline")["path"])
    except Error:
        for path in new:                # what the program refuses is not kept
            if os.path.isfile(path):
                os.unlink(path)
        raise


def load(name: str, to: Union[str, "os.PathLike[str]"] = "data", **options: Any) -> Graph:
    """Downloads a dataset where it is missing, and loads it.

    Args:
        name, to: as for `fetch`, whose other options are taken too.
    """
    return Graph.load(fetch(name, to, **options))
