"""graphbonsai.datasets against a server on this machine that can misbehave.

SPDX-License-Identifier: MIT
"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fetch"))

import testing
from fetch_data import benchmark_npz, ogb_entries, published, read, saint_files, write, zipped
from fetch_server import Server
from graphbonsai import ArgumentError, Error, FileError, Graph, datasets
from graphbonsai._program import missing, program


@unittest.skipIf(program() is None, "the program is not there")
class Datasets(unittest.TestCase):
    def setUp(self):
        os.environ.pop("BONSAI_MIRROR", None)
        folder = tempfile.TemporaryDirectory(prefix="bonsai-datasets-")
        self.addCleanup(folder.cleanup)
        self.to = os.path.join(folder.name, "d")
        files = {"amazon_photo.npz": benchmark_npz(), "ogbn_arxiv.zip": zipped(ogb_entries())}
        files.update({"flickr/" + name: data for name, data in saint_files().items()})
        files.update(published({"cora": None}))
        self.server = Server(files)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def fetch(self, name, mode="ok", **options):
        return datasets.fetch(name, self.to, base_url=self.server.url + mode, retries=0,
                              progress=False, **options)

    def refused(self, words, name, mode="ok", kind=FileError, **options):
        with self.assertRaises(kind) as caught:
            self.fetch(name, mode, **options)
        self.assertIn(words, str(caught.exception))

    def left(self):
        return sorted(os.path.relpath(os.path.join(top, f), self.to)
                      for top, _, files in os.walk(self.to) for f in files)

    def test_the_catalogue_is_that_of_the_program(self):
        rows = {d["name"]: d for d in datasets.catalogue()}
        self.assertEqual(rows["cora"]["nodes"], 2708)
        self.assertEqual(len(rows), 11)

    def test_a_file_is_downloaded_once_and_loads(self):
        path = self.fetch("amazon-photo")
        self.assertEqual(path, self.to + "/amazon_photo.npz")
        self.assertEqual(read(path), self.server.files["amazon_photo.npz"])
        self.assertGreater(datasets.load("amazon-photo", self.to).num_nodes, 0)
        self.assertEqual(len(self.server.log), 1)
        self.fetch("amazon-photo", force=True)
        self.assertEqual(len(self.server.log), 2)

    def test_an_archive_is_unpacked_and_again_if_forced(self):
        path = self.fetch("ogbn-arxiv")
        nodes = Graph.load(path).num_nodes
        self.assertNotIn("ogbn_arxiv.zip", self.left())
        write(os.path.join(path, "mine"), b"")
        self.assertEqual(self.fetch("ogbn-arxiv"), path)
        self.assertEqual(len(self.server.log), 1)
        self.fetch("ogbn-arxiv", force=True)
        self.assertNotIn("ogbn_arxiv/mine", self.left())
        self.assertEqual(Graph.load(path).num_nodes, nodes)

    def test_several_files_lie_in_a_folder(self):
        seen = []
        self.assertEqual(self.fetch("flickr"), self.to + "/flickr")
        datasets.fetch("flickr", self.to, base_url=self.server.url + "ok", force=True,
                       progress=lambda *report: seen.append(report))
        self.assertEqual({stage for stage, _, _ in seen}, {"flickr"})

    def test_a_checksum_is_verified(self):
        if "ind.cora.x" not in self.server.files:
            self.skipTest("the published files are not at hand")
        graph = datasets.load("cora", self.to, base_url=self.server.url + "ok", progress=False)
        self.assertEqual((graph.num_nodes, graph.num_edges), (2708, 10556))
        os.unlink(self.to + "/ind.cora.tx")
        right = self.server.files["ind.cora.tx"]
        for data, words in ((b"x" * len(right), "has the SHA-256"), (right[:-1], "and not 148025"),
                            (right + b"x", "sent at least 148026 bytes and not")):
            self.server.files["ind.cora.tx"] = data
            self.refused(words, "cora")
            self.assertEqual(len(self.left()), 7)

    def test_what_servers_do_wrong_is_told_and_leaves_nothing(self):
        for mode, words in (("404", "404"), ("500", "500"), ("page", "a web page"),
                            ("short", "not all of one"), ("broken", "the connection ended after"),
                            ("close", "http")):
            self.refused(words, "amazon-photo", mode)
            self.assertEqual(self.left(), [])
        self.refused("timed out", "amazon-photo", "hang", timeout=0.3)
        self.server.files["amazon_photo.npz"] = b"PK\3\4 nonsense"
        self.refused("is not a", "amazon-photo")
        self.assertEqual(self.left(), [])

    def test_hostile_answers_end_in_one_sentence(self):
        for mode, words in (("toftp", "another protocol"), ("tofile", "status 302"),
                            ("words", "answered with the status 404"),
                            ("nonsense", "is not HTTP (BadStatusLine)"), ("loop", "status 302"),
                            ("badlength", "is empty")):
            self.refused(words, "amazon-photo", mode)
            self.assertEqual(self.left(), [])
        self.refused("within", "amazon-photo", "slowhead", timeout=0.2)

    def test_a_file_of_unknown_size_is_limited(self):
        most, datasets.MOST_BYTES = datasets.MOST_BYTES, 10000
        try:
            self.refused("and not at most 10000", "amazon-photo", "endless")
        finally:
            datasets.MOST_BYTES = most
        self.assertEqual(self.left(), [])

    def test_a_name_is_no_option(self):
        self.refused("--force is not the name", "--force", kind=ArgumentError)

    def test_a_passing_failure_is_tried_again(self):
        datasets.fetch("amazon-photo", self.to, base_url=self.server.url + "twice503", retries=3,
                       progress=False)
        self.assertGreater(len(self.server.log), 1)

    def test_a_callback_that_raises_ends_it(self):
        def stop(*_):
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            datasets.fetch("amazon-photo", self.to, base_url=self.server.url + "ok", progress=stop)
        self.assertEqual(self.left(), [])

    def test_wrong_names_and_servers_are_refused(self):
        self.refused('did you mean "cora"', "corra", kind=ArgumentError)
        with self.assertRaises(ArgumentError):
            datasets.fetch("cora", self.to, base_url="ftp://example.org")
        with self.assertRaises(Error):
            datasets.fetch("amazon-photo", self.to, base_url="http://127.0.0.1:1/", retries=0)
        with self.assertRaisesRegex(Error, "there is no network, or no server of that name"):
            datasets.fetch("amazon-photo", self.to, base_url="http://nobody.invalid/", retries=99)


class Program(unittest.TestCase):
    def test_what_is_missing_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = dict(os.environ)
            try:
                os.environ["PATH"] = folder
                os.environ["GRAPHBONSAI_LIBRARY"] = os.path.join(folder, "libbonsai.so")
                found, said = program(), missing()
            finally:
                os.environ.clear()
                os.environ.update(kept)
        self.assertIn(", nor beside the library that GRAPHBONSAI_LIBRARY names, in " + folder, said)
        self.assertTrue(found is None or os.path.dirname(found) != folder)


if __name__ == "__main__":
    testing.main()
