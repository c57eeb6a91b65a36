"""test_checks.py -- the checks of the documents find what is wrong with a page.

SPDX-License-Identifier: MIT"""
import collections
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import blocks                                                           # noqa: E402
import links                                                            # noqa: E402
import pages                                                            # noqa: E402

FENCE = "```"


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="bonsai-docs-")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        self.addCleanup(setattr, pages, "ROOT", pages.ROOT)
        root = Path(folder.name).resolve()
        (root / "include").symlink_to(pages.ROOT / "include")
        (root / "guide.md").write_text("# Guide\n\n## Train and judge\n")
        (root / "doc").mkdir()
        pages.ROOT, self.path = root, root / "doc/page.md"
        os.chdir(root / "doc")
        os.environ.pop("UPDATE", None)

    def run_text(self, text):
        """(faults, tally) of a page; ~~~ is a fence."""
        self.path.write_text(text.replace("~~~", FENCE), encoding="utf-8")
        tally = collections.Counter()
        return blocks.run_page(self.path, tally), tally

    def link_faults(self, text):
        self.path.write_text(text.replace("~~~", FENCE), encoding="utf-8")
        links.texts.pop(self.path, None)
        return [what for _, what in links.faults_of(self.path, {"0.1.0"})]

    def test_blocks_share_names_and_failures_name_their_line(self):
        faults, tally = self.run_text("~~~python\na = 2\n~~~\n\n~~~python\nassert a == 3\n~~~\n")
        self.assertIn("page.md:6", faults[0])
        self.assertEqual(tally["run"], 1)

    def test_output_is_compared_without_numbers(self):
        page = "~~~sh\necho took 12 s\necho done\n~~~\n\n~~~text\n%s\n~~~\n"
        self.assertFalse(self.run_text(page % "took 7.5 s\ndone")[0])
        self.assertFalse(self.run_text(page % "...\ndone")[0])
        self.assertIn("something else", self.run_text(page % "took 12 ms\ndone")[0][0])
        self.assertIn("something else", self.run_text(page % "took 12 s")[0][0])

    def test_update_writes_the_output_and_keeps_dots(self):
        os.environ["UPDATE"] = "1"
        self.run_text("~~~sh\necho 1\necho 2\necho 3\n~~~\n\n~~~text\n...\n7\n~~~\n")
        self.assertIn("text\n...\n3\n", self.path.read_text())
        self.run_text("~~~sh\necho new\n~~~\n\n~~~text\nold\n~~~\n")
        self.assertIn("text\nnew\n", self.path.read_text())

    def test_comments_excuse_prepare_and_ask(self):
        faults, tally = self.run_text("<!-- not run: no cluster -->\n~~~sh\nfalse\n~~~\n"
                                      "<!-- needs: no_such_module -->\n~~~python\nboom\n~~~\n"
                                      "<!-- first:\nx = 1\ny = 2\n-->\n~~~python\nassert x + y == 3\n~~~\n")
        self.assertFalse(faults)
        self.assertEqual(tally, {"no cluster": 1, "no_such_module is not installed": 1, "run": 1})

    def test_failing_commands_are_faults(self):
        self.assertIn("exit 1", self.run_text("~~~sh\nfalse\necho on\n~~~\n")[0][0])
        self.assertFalse(self.run_text("~~~c\nbonsai_graph_free(g);\n~~~\n")[0])
        self.assertTrue(self.run_text("~~~c\nbonsai_no_such(g);\n~~~\n")[0])

    def test_links_lead_to_files_and_headings(self):
        self.assertFalse(self.link_faults("# A b\n\n[x](#a-b) [y](../guide.md#train-and-judge)\n"))
        for bad in ("[x](#b)", "[x](nowhere.md)", "[x](../guide.md#nothing)", "[x](/etc/passwd)",
                    "![x](no.svg)"):
            self.assertEqual(len(self.link_faults(f"# A\n\n{bad}\n")), 1, bad)

    def test_versions_were_released_and_blocks_have_languages(self):
        self.assertFalse(self.link_faults("with 0.1.0, OpenBLAS 0.3.21, 0.5 %\n"))
        self.assertEqual(len(self.link_faults("with version 0.99.7\n")), 1)
        self.assertEqual(len(self.link_faults("~~~\nx\n~~~\n")), 1)


if __name__ == "__main__":
    blocks.terminal.require()
    unittest.main()
