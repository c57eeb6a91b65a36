"""A pair of graphs is judged alike by Python, by C and by the program: on the split that the small
graph was condensed with.

SPDX-License-Identifier: MIT
"""
import json
import os
import subprocess
import tempfile
import unittest

from testing import *

PROGRAM, JUDGED = os.environ.get("BONSAI"), os.environ.get("JUDGED")
SOURCES = ["own", "asked", "condensed", "drawn", "none"]
TRAIN = dict(epochs=10, seeds=2, seed=9, threads=1)


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    return done


def by_program(small, full, split):
    words = ["--split", "/".join("%g" % s for s in split)] if split else []
    done = run(PROGRAM, "eval", small, "--full", full, "--epochs", "10", "--seeds", "2", "--seed",
               "9", "--threads", "1", "--json", *words)
    found = json.loads(done.stdout.decode())
    found["runs"] = [r["accuracy"] for r in found["models"][0]["runs"]]
    found["notes"] = done.stderr.decode()
    return found


def by_c(small, full, split):
    return json.loads(run(JUDGED, small, full, *map(str, split or ())).stdout.decode())


def ten_digits(values):
    """As many as the program's JSON has."""
    return ["%.10g" % v for v in values]


@unittest.skipUnless(PROGRAM and JUDGED, "the program is not there")
class Judged(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.small = os.path.join(folder.name, "small.bonsai")
        self.full = os.path.join(folder.name, "full.bonsai")

    def graph(self, with_split):
        g = graphbonsai.generate(nodes=1500, features=100, classes=5, difficulty=0.9, seed=7)
        if not with_split:
            g = Graph.from_arrays(edge_index=g.edge_index, x=g.x, y=g.y)
        return g

    def judge(self, source, g, asked=None, **condense):
        """What all three say is the same; what Python says."""
        small = graphbonsai.condense(g, 0.05, method="random", threads=1, **condense)
        small.save(self.small)
        g.save(self.full)
        options = dict(TRAIN, split=asked) if asked else TRAIN
        ours = graphbonsai.evaluate(small, g, **options)
        c, program = (f(self.small, self.full, asked) for f in (by_c, by_program))
        runs = ours.runs["accuracy"].tolist()
        self.assertEqual(runs, c["runs"])
        self.assertEqual(ten_digits(runs), ten_digits(program["runs"]))
        self.assertEqual(ours.info["test"], c["test"])
        self.assertEqual(ours.info["test"], program["test"])
        self.assertEqual(ours.info["split_from"], source)
        self.assertEqual(SOURCES[c["split_from"]], source)
        for name in ("split", "split_seed", "leaks"):
            self.assertEqual(ours.info[name], tuple(c[name]) if name == "split" else c[name])
        drawn = "%g/%g/%g, seed %d" % (*c["split"], c["split_seed"])
        self.assertEqual(program["split"], "the graph's own" if source == "own" else drawn)
        leaks = "%d labelled nodes of" % c["leaks"]
        self.assertEqual(leaks in program["notes"], c["leaks"] > 0)
        return ours

    def test_a_split_that_condensing_drew_is_judged_on(self):
        found = self.judge("condensed", self.graph(False), seed=4)
        self.assertEqual(found.info["split"], (60, 20, 20))
        self.assertEqual((found.info["split_seed"], found.info["leaks"]), (4, 0))
        self.assertEqual(found.info["test"], 300)

    def test_a_split_that_condensing_was_asked_for_is_judged_on(self):
        found = self.judge("condensed", self.graph(True), seed=4, split=(40, 30, 30))
        self.assertEqual((found.info["test"], found.info["leaks"]), (450, 0))

    def test_the_split_of_the_graph_is_judged_on(self):
        found = self.judge("own", self.graph(True), seed=4)
        self.assertEqual((found.info["split"], found.info["leaks"]), ((0, 0, 0), 0))

    def test_a_split_that_is_asked_for_rules_and_leaks_are_counted(self):
        for with_split in (False, True):
            with self.assertWarnsRegex(graphbonsai.LeakWarning, "makes the accuracy too high$"):
                found = self.judge("asked", self.graph(with_split), (50, 25, 25), seed=4)
            self.assertIn("%d labelled nodes of the small graph are" % found.info["leaks"],
                          str(found))
            self.assertEqual(found.info["split_seed"], 9)
            self.assertGreater(found.info["leaks"], 0)

    def test_graphs_that_are_swapped_are_refused(self):
        g = self.graph(True)
        small = graphbonsai.condense(g, 0.05, method="random", threads=1)
        for use in (graphbonsai.evaluate, graphbonsai.train, graphbonsai.report):
            with self.assertRaisesRegex(graphbonsai.ArgumentError, "^the second graph is a "
                                        r"condensed one; are the two swapped\?$"):
                use(g, small)
        smaller = graphbonsai.condense(small, 0.5, method="random", threads=1, split=(50, 25, 25))
        self.assertIn("<div", graphbonsai.report(smaller, small, threads=1))

    def test_the_protocol_of_the_peers_is_the_programs(self):
        g = self.graph(True)
        small = graphbonsai.condense(g, 0.05, method="random", threads=1)
        small.save(self.small)
        g.save(self.full)
        done = run(PROGRAM, "eval", self.small, "--full", self.full, "--protocol", "peers",
                   "--epochs", "4", "--seeds", "1", "--threads", "1", "--json")
        found = json.loads(done.stdout.decode())
        asked = dict(graphbonsai.PEERS, epochs=4)
        self.assertEqual({k: found["options"][k] for k in asked}, asked)
        self.assertEqual(found["options"]["protocol"], "peers")
        ours = graphbonsai.evaluate(small, g, seeds=1, threads=1, **asked)
        self.assertEqual(ten_digits(ours.runs["accuracy"].tolist()),
                         ten_digits(r["accuracy"] for r in found["models"][0]["runs"]))

    def test_without_a_record_the_split_is_drawn(self):
        g = self.graph(False)
        small = graphbonsai.condense(g, 0.05, method="random", threads=1)
        bare = Graph.from_arrays(edge_index=small.edge_index, x=small.x, y=small.y, num_classes=5)
        bare.save(self.small)
        g.save(self.full)
        ours = graphbonsai.evaluate(bare, g, **TRAIN)
        self.assertEqual(ours.info["split_from"], "drawn")
        self.assertEqual(ours.runs["accuracy"].tolist(), by_c(self.small, self.full, None)["runs"])
        self.assertEqual(by_program(self.small, self.full, None)["split"], "60/20/20, seed 9")


if __name__ == "__main__":
    unittest.main()
