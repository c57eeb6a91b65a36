"""Small graphs whose features are coordinates, and what is projected on them.

SPDX-License-Identifier: MIT
"""
import pickle
import tempfile

from testing import *

TRAIN = dict(epochs=60, seeds=1, hidden=16, threads=1)


class Coordinates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.full = graphbonsai.generate(nodes=800, features=80, classes=3, words=8)
        cls.small = graphbonsai.condense(cls.full, 0.05, coordinates=True, threads=1)

    def arrays(self):
        """The small graph as other packages give it back: what Python alone knows."""
        s = self.small
        return Graph.from_arrays(csr=s.csr[:2], x=s.x, y=s.y, y_soft=s.y_soft, role=s.role,
                                 node_weight=s.node_weight, origin=s.origin, report=s.report,
                                 keep_self_loops=True, projection=s.projection)

    def test_the_full_graph_is_projected(self):
        low, matrix = self.full.project(self.small), self.small.projection
        self.assertEqual(matrix.shape, (80, self.small.num_features))
        self.assertLess(self.small.num_features, 80)
        self.assertTrue(np.allclose(low.x, self.full.x @ matrix, atol=1e-5))
        self.assertTrue((low.y == self.full.y).all())
        self.assertTrue((low.train_mask == self.full.train_mask).all())
        self.assertIsNone(low.projection)
        self.assertIsNone(self.full.projection)

    def test_they_are_as_the_format_says(self):
        part = self.small._section
        directions = part(26)[:, None].astype(float) * part(25).reshape(part(26).size, -1)
        lower = np.linalg.cholesky(directions @ directions.T)
        shares = part(29)[:, None].astype(float) * part(28).reshape(-1, part(26).size)
        self.assertTrue(np.allclose(self.small.x, shares @ lower, atol=1e-5))
        matrix = np.zeros((80, part(26).size))
        matrix[slice(None) if part(27) is None else part(27)] = np.linalg.solve(lower, directions).T
        self.assertTrue(np.allclose(self.small.projection, matrix, atol=1e-5))

    def test_models_read_what_is_projected(self):
        found = graphbonsai.evaluate(self.small, self.full, **TRAIN)
        self.assertGreater(found.mean, 60)
        self.assertEqual(found.model.info["features"], 80)
        right = found.model.evaluate(self.full)["accuracy"]
        self.assertLess(abs(right - found.mean), 1)

    def test_files_and_pickles_keep_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "small.bonsai")
            self.small.save(path)
            for again in (Graph.load(path), pickle.loads(pickle.dumps(self.small)), self.small.split()):
                self.assertTrue((again.projection == self.small.projection).all())
                self.assertTrue((again.x == self.small.x).all())
            with self.assertWarns(graphbonsai.SaveWarning):
                self.small.save(os.path.join(folder, "small.npz"))

    def test_arrays_may_bring_a_projection(self):
        small = self.arrays()
        found = graphbonsai.evaluate(small, self.full, **TRAIN)
        wanted = graphbonsai.evaluate(self.small, self.full, **TRAIN)
        self.assertLess(abs(found.mean - wanted.mean), 2)
        self.assertEqual(found.model.info["features"], self.small.num_features)
        self.assertTrue(np.allclose(self.full.project(small).x, self.full.project(self.small).x,
                                    atol=1e-5))
        self.assertTrue((pickle.loads(pickle.dumps(small)).projection == small.projection).all())
        with tempfile.TemporaryDirectory() as folder, self.assertWarns(graphbonsai.SaveWarning):
            small.save(os.path.join(folder, "small.bonsai"))
        dense = Graph.from_arrays(edge_index=np.array([[0], [1]]), x=np.ones((2, 80)))
        self.assertTrue(np.allclose(dense.project(small).x, small.projection.sum(0), atol=1e-5))

    def test_networks_bring_it(self):
        try:
            import networkx                                                     # noqa: F401
        except ImportError:
            self.skipTest("networkx is missing")
        again = Graph.from_networkx(self.small.to_networkx())
        self.assertTrue((again.projection == self.small.projection).all())

    def test_other_graphs_are_refused(self):
        other = graphbonsai.generate(nodes=100, features=50, classes=3)
        for small in (self.small, self.arrays()):
            with self.assertRaisesRegex(graphbonsai.ArgumentError, "of 80 features, but .* 50"):
                other.project(small)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "not coordinates"):
            self.full.project(self.full)
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "projection has the shape"):
            Graph.from_arrays(edge_index=np.array([[0], [1]]), x=np.ones((2, 3)),
                              projection=np.ones((4, 2)))
        with self.assertRaisesRegex(graphbonsai.ArgumentError, "not for trees"):
            graphbonsai.condense(self.full, 0.05, coordinates=True, method="trees")

    def test_it_is_explained_and_shown(self):
        said = graphbonsai.explain(self.small, 0, self.full)
        self.assertLess(max(said["features"]), self.small.num_features)
        self.assertTrue("coordinate scale" in str(graphbonsai.report(self.small, full=self.full)))


if __name__ == "__main__":
    unittest.main()
