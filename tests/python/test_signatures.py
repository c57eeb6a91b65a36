"""Functions show every option that the library has; names, and old ones.

SPDX-License-Identifier: MIT
"""
import ast
import builtins
import importlib.machinery
import importlib.util
import inspect
import os
import pydoc
import re

import graphbonsai
import testing
from graphbonsai import Graph, condense
from graphbonsai import _capi as c
from graphbonsai import _options

PACKAGE = os.path.join(testing.SOURCE, "python/graphbonsai")


def sources():
    """The name and the text of each module."""
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith(".py"):
            with open(os.path.join(PACKAGE, name), encoding="utf-8") as file:
                yield name, file.read()


def tool():
    path = os.path.join(testing.SOURCE, "tools/signatures")
    loader = importlib.machinery.SourceFileLoader("signatures", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("signatures", loader))
    loader.exec_module(module)
    return module


def functions():
    """Functions and methods that users call, by name."""
    found = {}
    for name in graphbonsai.__all__:
        thing = getattr(graphbonsai, name)
        if inspect.isfunction(thing):
            found[name] = thing
        elif inspect.isclass(thing) and not issubclass(thing, (BaseException, dict, str)):
            found.update({"%s.%s" % (name, n): getattr(thing, n) for n in dir(thing)
                          if n[0] != "_" and callable(getattr(thing, n))})
    return found


class Signatures(testing.Case):
    def test_the_options_in_the_files_are_those_of_the_library(self):
        signatures = tool()
        for name, text in sources():
            self.assertEqual(signatures.rewritten(text), text, "%s does not show the library's "
                             "options as they are: run tools/signatures" % name)

    def test_the_tool_writes_and_takes_out(self):
        signatures = tool()
        text = ("def save(path: str, *,\n         # options: write features threads\n         gone: int = 3,\n"
                "         # end\n         more: int = 1) -> None:\n"
                '    """Saves.\n\n    Args:\n        path: a file.\n        threads: old.\n'
                '            text.\n        more: stays.\n    """\n')
        want = ("def save(path: str, *,\n         # options: write features threads\n"
                '         features: Literal["auto", "keep", "f32", "f16", "u8", "sparse", '
                '"sparse-u8"] = "auto",\n         threads: int = 0,\n'
                "         # end\n         more: int = 1) -> None:\n"
                '    """Saves.\n\n    Args:\n        path: a file.\n        more: stays.\n'
                "        features: features in a .bonsai file: auto is the smallest that loses "
                "nothing, keep the\n            smallest that is mapped and as dense or sparse as it was, f16 and u8 "
                "may round.\n"
                '        threads: threads, 0 for every core it may use (0 to 4096).\n    """\n')
        self.assertEqual(signatures.rewritten(text), want)
        self.assertEqual(signatures.rewritten(want), want)
        with self.assertRaisesRegex(SystemExit, "signatures: write has no option colour"):
            signatures.rewritten(text.replace("write features", "write colour"))

    def test_every_option_has_a_default_a_type_and_a_line(self):
        for function, struct, but in ((condense, c.CondenseOptions, ()),
                                      (graphbonsai.train, c.TrainOptions, ()),
                                      (graphbonsai.evaluate, c.TrainOptions, ()),
                                      (graphbonsai.generate, c.GenerateOptions, ()),
                                      (Graph.load, c.ReadOptions, ()),
                                      (Graph.save, c.WriteOptions, ("memory",)),    # of converting
                                      (graphbonsai.report, c.ReportOptions, ("fragment",))):
            parameters = inspect.signature(function).parameters
            for name, field in _options.fields(struct).items():
                if name in but and name not in parameters:
                    continue
                self.assertIn(name, parameters)
                self.assertIsNot(parameters[name].annotation, inspect.Parameter.empty)
                if name not in but:
                    self.assertEqual(parameters[name].default, field.default, name)

    def test_every_parameter_is_documented_once(self):
        for name, function in functions().items():
            names = [n for n in inspect.signature(function).parameters if n != "self"]
            text = inspect.getdoc(function) or ""
            if "\nArgs:\n" in text:
                block = text.split("\nArgs:\n")[1].split("\n\n")[0]
                entries = re.findall(r"^    (\w+): ", block, re.M)
                self.assertEqual(sorted(entries), sorted(names), name)
            else:
                self.assertFalse({"progress", "threads"} & set(names), name)

    def test_help_shows_names_defaults_and_documentation(self):
        page = pydoc.plain(pydoc.render_doc(condense))
        for text in ("max_bytes: ", "k: int = 5", "'geom', 'published'",
                     "k: nearest trees that a tree is covered by (1 to 1000000)."):
            self.assertIn(text, page)

    def test_words_stand_for_values(self):
        fill = _options.fill
        self.assertEqual(fill(c.CondenseOptions, {"sample": "all"}).sample, -1)
        self.assertEqual(fill(c.CondenseOptions, {"density": "density"}).density, 1)
        self.assertEqual(fill(c.CondenseOptions, {"select_features": "none"}).select_features, 0)
        self.assertEqual(fill(c.CondenseOptions, {"select_features": True}).select_features, 1)
        self.assertEqual(fill(c.CondenseOptions, {"method": "random_trees"}).method, 2)

    def test_defaults_are_not_given(self):
        preset = {name: f.default for name, f in _options.fields(c.CondenseOptions).items()}
        self.assertEqual(bytes(_options.fill(c.CondenseOptions, preset)),
                         bytes(c.init(c.CondenseOptions)))
        self.assertEqual(_options.changed(c.CondenseOptions, preset), {})


class Headers(testing.Case):
    STRUCTS = ("read_options", "write_options", "generate_options", "condense_options",
               "train_options", "shape", "plan_options", "compare_options", "report_options",
               "suggest_options")       # by bonsai_options_kind

    def bodies(self):
        """The members of each public struct, as they are written."""
        found = {}
        for name in ("bonsai.h", "bonsai_study.h"):
            with open(os.path.join(testing.SOURCE, "include", name), encoding="utf-8") as file:
                text = file.read()
            for body, struct in re.findall(r"typedef struct \{((?:(?!typedef).)*?)\n\} bonsai_(\w+);",
                                           text, re.S):
                found[struct] = body
        return found

    def test_comments_name_the_defaults_that_are_not_0(self):
        bodies, named = self.bodies(), 0
        for kind, struct in enumerate(self.STRUCTS):
            for i in range(100):
                pointer = c.field_at(kind, i)
                if not pointer:
                    break
                field = pointer.contents
                name = field.name.decode()
                comment = re.search(r"^    [^/\n]*[ *]%s\b[^;/\n]*;(?: */\*(.*?)\*/)?" % name,
                                    bodies[struct], re.S | re.M)
                self.assertIsNotNone(comment, (struct, name))
                said = re.sub(r"\s*\n\s*\*\s*", " ", comment.group(1) or "")
                if field.preset == 0:
                    self.assertNotIn("default ", said.replace("defaults", ""), (struct, name))
                    continue
                words = [] if not field.words else [field.words[int(field.preset)].decode().upper()]
                values = words or [float(v) for part in re.findall(
                    r"default ((?:[\d.e]+\d|\d)(?: and [\d.]+\d)?)", said)
                    for v in part.split(" and ")]
                self.assertIn(words[0] if words else field.preset, values, (struct, name, said))
                if words:
                    self.assertIn("default " + words[0], said)
                named += 1
        self.assertGreater(named, 40)


class Names(testing.Case):
    def test_nothing_shadows_a_builtin(self):
        for module, text in sources():
            for node in ast.walk(ast.parse(text)):
                name = (node.name if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else
                        node.arg if isinstance(node, ast.arg) else
                        node.asname or node.name if isinstance(node, ast.alias) else
                        node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                        else "")
                self.assertFalse(hasattr(builtins, name) and not name.startswith("_"),
                                 "%s: %s shadows a builtin" % (module, name))

    def test_sizes_are_properties(self):
        g = testing.small_world(50)
        for name in ("num_nodes", "num_edges", "num_features", "num_classes", "nbytes"):
            self.assertIsInstance(getattr(Graph, name), property)
            self.assertIsInstance(getattr(g, name), int)
        self.assertIsInstance(g.paper_nbytes, float)


class OldNames(testing.Case):
    """Names of 0.7 that are gone."""

    def setUp(self):
        self.g = testing.small_world(100)

    def test_bytes_is_max_bytes(self):
        self.refuses('there is no option "bytes"; did you mean "max_bytes"?',
                     condense, self.g, bytes=2000)

    def test_nbytes_is_a_number(self):
        self.assertIs(type(self.g.nbytes), int)

    def test_update_and_nearest_take_only_what_matters(self):
        small = condense(self.g, 0.2, method="prototypes", members=True, threads=1)
        self.refuses('there is no option "seed"; there are memory, progress, threads',
                     graphbonsai.update, self.g, self.g, small, seed=5)
        self.refuses('there is no option "k"; there are layers, most, progress, seed, split, threads',
                     graphbonsai.nearest, small, 0, self.g, k=3)
        self.refuses('there is no option "layers"; there are full, progress, threads',
                     graphbonsai.explain, small, 0, layers=3)


if __name__ == "__main__":
    testing.main()
