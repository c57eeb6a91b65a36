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

import contextlib
import hashlib
import json
import os
import socket
import threading
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
MOST_BYTES = 16 << 30           # of a file whose size is not known
SLOWEST = 10000                 # bytes a second
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


# ---- one connection ----

class _NoDetour(urllib.request.HTTPRedirectHandler):
    """Follows a redirect to http and https alone, and never from https to http."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any,
                         newurl: str) -> Any:
        scheme = newurl.partition(":")[0].lower()
        if scheme != "https" and (scheme != "http" or req.type == "https"):
            fp.close()
            raise FileError("%s: the server redirects from %s to another protocol" % (
                req.full_url, req.type))
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Connections(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Opens connections, and ends them all when their time is up."""

    def __init__(self) -> None:
        urllib.request.HTTPSHandler.__init__(self)
        self.sockets: List[socket.socket] = []
        self.late = 0.0                                 # seconds that did not suffice

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        timer = threading.Timer(seconds, self.end, [seconds])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def connect(self, *args: Any, **options: Any) -> socket.socket:
        self.sockets.append(socket.create_connection(*args, **options))
        return self.sockets[-1]

    def do_open(self, http_class: Any, req: Any, **options: Any) -> Any:
        def connection(*args: Any, **more: Any) -> Any:
            made = http_class(*args, **more)
            made._create_connection = self.connect
            return made
        return super().do_open(connection, req, **options)

    def end(self, seconds: float) -> None:
        self.late = seconds
        for one in self.sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass                                    # it has ended


def _answer(url: str, timeout: float, connections: _Connections) -> Any:
    """Returns the open answer of a server; refuses a web page."""
    opener = urllib.request.OpenerDirector()            # without ftp:, file: and data:
    for handler in (urllib.request.ProxyHandler(), urllib.request.HTTPDefaultErrorHandler(),
                    urllib.request.HTTPErrorProcessor(), _NoDetour(), connections):
        opener.add_handler(handler)
    answer = opener.open(url, timeout=timeout)
    if answer.headers.get_content_type() in ("text/html", "application/xhtml+xml"):
        answer.close()
        raise FileError("%s: the server sent a web page and not the file" % url)
    return answer


def _length(answer: Any) -> Optional[int]:
    """Returns the length that the server announces; None if it announces none, or nonsense."""
    told = answer.headers.get("Content-Length", "")
    return int(told) if told.isascii() and told.isdigit() and len(told) < 19 else None


def _chunks(answer: Any) -> Iterator[bytes]:
    """Yields the bytes of an answer; raises OSError if there are fewer than announced."""
    length, have = _length(answer), 0
    while True:
        data = answer.read(CHUNK)
        if not data:
            break
        have += len(data)
        yield data
    if length is not None and have != length:
        raise OSError("the connection ended after %d of %d bytes" % (have, length))


# ---- one file ----

def _save(file: Dict[str, Any], part: str, answer: Any, tell: Any) -> None:
    """Writes an answer to `part`, and verifies its size and checksum where they are known."""
    seen, have = hashlib.sha256(), 0
    most = MOST_BYTES if file["bytes"] is None else file["bytes"]
    with open(part, "wb") as out:
        for data in _chunks(answer):
            have += len(data)
            if have > most:
                break
            out.write(data)
            seen.update(data)
            tell(have)
    if have > most or (file["bytes"] is not None and have != most):
        raise FileError("%s: the server sent %s%d bytes and not %s%d" % (
            file["url"], "at least " if have > most else "", have,
            "at most " if file["bytes"] is None else "", most))
    if file["sha256"] and seen.hexdigest() != file["sha256"]:
        raise FileError("%s: has the SHA-256 %.12s... and not %.12s..." % (
            file["url"], seen.hexdigest(), file["sha256"]))


def _receive(file: Dict[str, Any], part: str, timeout: float, tell: Any) -> None:
    """Downloads a file to `part`, at a rate of at least SLOWEST bytes a second."""
    connections = _Connections()
    try:
        with connections.within(4 * timeout):
            answer = _answer(file["url"], timeout, connections)
        with answer, connections.within(timeout + (file["bytes"] or MOST_BYTES) / SLOWEST):
            _save(file, part, answer, tell)
        if connections.late:                            # then a header may look complete
            raise OSError
    except (OSError, HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        if connections.late:
            raise FileError("%s: the server did not send all within %.0f seconds" % (
                file["url"], connections.late)) from None
        raise
    finally:
        for one in connections.sockets:
            one.close()


def _has_no_server(error: Exception) -> bool:
    return isinstance(getattr(error, "reason", None), socket.gaierror)


def _is_temporary(error: Exception) -> bool:
    if isinstance(error, urllib.error.HTTPError):
        return error.code in TEMPORARY
    return not _has_no_server(error)


def _why(error: Exception) -> str:
    """Returns the reason of a failure; never the server's own words."""
    if isinstance(error, urllib.error.HTTPError):
        return "the server answered with the status %d" % error.code
    if isinstance(error, HTTPException):
        return "the server's answer is not HTTP (%s)" % type(error).__name__
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
    if name.startswith("-"):
        raise ArgumentError("%s is not the name of a dataset" % name)
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
