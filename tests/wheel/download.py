"""The program of the wheel has no libcurl, and downloads all the same: from a server on this machine.

SPDX-License-Identifier: MIT"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fetch"))

from fetch_data import benchmark_npz, ogb_entries, zipped
from fetch_server import Server
from graphbonsai import datasets

server = Server({"amazon_photo.npz": benchmark_npz(), "ogbn_arxiv.zip": zipped(ogb_entries())})
url = ["--base-url", server.url + "ok"]


def bonsai(*arguments):
    return subprocess.run([sys.executable, "-m", "graphbonsai", *arguments], capture_output=True,
                          text=True, check=False)


plan = json.loads(bonsai("fetch", "ogbn-arxiv", "--to", "d", *url, "--dry-run", "--json").stdout)
assert plan["downloads"] is False and server.log == [], plan
for again in 1, 2:
    got = bonsai("fetch", "ogbn-arxiv", "--to", "d", *url)
    assert got.returncode == 0 and os.listdir("d") == ["ogbn_arxiv"], got.stderr
assert len(server.log) == 1, server.log
got = bonsai("fetch", "ogbn-arxiv", "--to", "d", *url, "--force")
assert got.returncode == 0 and len(server.log) == 2, got.stderr
got = bonsai("fetch", "cora", "--to", "d", "--retries", "0", *url)
assert got.returncode == 1 and "404" in got.stderr, (got.returncode, got.stderr)
assert bonsai("fetch", "corra").returncode == 2 and bonsai("fetch").returncode == 0
assert "usage" in bonsai("fetch", "--help").stdout
assert datasets.load("amazon-photo", "d", base_url=server.url + "ok").num_nodes > 0
server.shutdown()
