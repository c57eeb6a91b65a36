"""The structs, constants and functions of _capi.py are those of the headers.

SPDX-License-Identifier: MIT
"""
import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import testing
from graphbonsai import _capi as c

INCLUDE = os.path.join(testing.SOURCE, "include")

# Not bound: other ways to say what is bound, macros over it, and what one command alone needs.
UNBOUND = {"status_text", "graph_load", "graph_nodes", "graph_features", "graph_classes",
           "type_bytes", "graph_mean", "graph_generate_file", "study_pairs", "report_tables",
           "study_run", "study_power", "condense_scores",
           "graph_checksum", "graph_shape", "graph_known", "known_at",
           "plan_make", "graph_convert", "graph_build64", "graph_soft_label",
           "graph_weight", "graph_origin", "graph_members", "graph_class_name", "graph_feature_name",
           "graph_name_features", "group_name", "shell_word", "cell_row_at"}


def header():
    """The text of both headers."""
    texts = []
    for name in ("bonsai.h", "bonsai_study.h"):
        with open(os.path.join(INCLUDE, name), encoding="utf-8") as file:
            texts.append(file.read())
    return "".join(texts)


def compiled(lines):
    """What a C program of these lines prints."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise unittest.SkipTest("there is no C compiler")
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "layout.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <stdio.h>\n#include <bonsai_study.h>\nint main(void) {\n")
            file.write("\n".join(lines) + "\nreturn 0; }\n")
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        subprocess.run([compiler, "-I", INCLUDE, source, "-o", source[:-2]],
                       check=True, env=environment)
        return subprocess.run([source[:-2]], check=True, stdout=subprocess.PIPE, env=environment,
                              universal_newlines=True).stdout.splitlines()


class Layout(testing.Case):
    def test_sizes_and_offsets_are_those_of_the_compiler(self):
        lines, ours = [], []
        for name, struct in c.STRUCTS.items():
            lines.append('printf("%s %%zu\\n", sizeof(%s));' % (name, "bonsai_" + name))
            ours.append("%s %d" % (name, ctypes.sizeof(struct)))
            for field, _ in struct._fields_:
                where = getattr(struct, field)
                lines.append('printf("%s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));'
                             % (name, field, "bonsai_" + name, field, "bonsai_" + name, field))
                ours.append("%s.%s %d %d" % (name, field, where.offset, where.size))
        self.assertEqual(compiled(lines), ours)

    def test_every_field_is_there(self):
        text = re.sub(r"/\*.*?\*/", "", header(), flags=re.S)
        for name, struct in c.STRUCTS.items():
            body = re.search(r"typedef struct \{([^}]*)\} bonsai_%s;" % name, text).group(1)
            declared = re.findall(r"(\w+)\s*(?:\[\w+\])?\s*[,;]", body)
            self.assertEqual(declared, [field for field, _ in struct._fields_], name)

    def test_constants_are_those_of_the_header(self):
        groups = {
            "TYPE": ["NONE", "U8", "U16", "U32", "U64", "I8", "F16", "F32", "Q4", "S4"],
            "SECTION": re.findall(r"X\((\w+), +\d+, \"[\w ]+\", +[01]\)", header()),
            "PART": ["TRAIN", "VAL", "TEST"],
            "FLAG": ["DIRECTED", "SELF_LOOPS", "REPEATED"],
            "FIELD": ["FLAG", "CHOICE", "INT", "LONG", "BYTES", "U64", "REAL", "SPEED", "SPLIT",
                      "TEXT", "FILE", "POINTER"],
            "MARK": ["ABOVE", "BELOW", "BUDGET"],
            "ACCOUNTING": ["STRICT", "PAPER_FULL", "PAPER_CONDENSED"],
        }
        self.assertEqual(len(groups["SECTION"]), c.SECTIONS - 1)
        kinds = [struct for struct in c.STRUCTS.values() if hasattr(struct, "KIND")]
        full = ("FIELD", "MARK")        # those that keep their prefix here
        pairs = [(prefix, name) for prefix, names in groups.items() for name in names]
        lines = ['printf("%%d\\n", (int)BONSAI_%s_%s);' % pair for pair in pairs]
        lines.append('printf("%d %d %d %d %d\\n", BONSAI_SECTION_COUNT, BONSAI_PART_NONE, '
                     'BONSAI_METRIC_ROOM, BONSAI_WHY_ROOM, BONSAI_SCALES_FAR);')
        lines += ['printf("%%d\\n", (int)BONSAI_OPTIONS_%s);' % kind.__name__[:-7].upper()
                  for kind in kinds]
        self.assertEqual(compiled(lines),
                         [str(getattr(c, "%s_%s" % (p, name) if p in full else name))
                          for p, name in pairs] +
                         ["%d %d %d %d %d" % (c.SECTIONS, c.PART_NONE, c.METRIC_ROOM, c.WHY_ROOM,
                                              c.SCALES_FAR)] +
                         [str(kind.KIND) for kind in kinds])

    def test_every_function_is_bound(self):
        text = re.sub(r"#define.*", "", re.sub(r"/\*.*?\*/", "", header(), flags=re.S))
        declared = {name for name in re.findall(r"\bbonsai_(\w+)\(", text)
                    if not name.endswith(("_init_sized", "_fn"))}
        with open(os.path.join(testing.SOURCE, "python/graphbonsai/_capi.py"),
                  encoding="utf-8") as file:
            bound = set(re.findall(r'_(?:declare|calls)\("(\w+)"', file.read()))
        self.assertEqual(bound - declared, set())
        self.assertEqual(declared - bound, UNBOUND)

    def test_version_is_that_of_the_header(self):
        self.assertEqual(re.search(r'BONSAI_VERSION "(.*)"', header()).group(1), c.VERSION)

    def test_other_version_is_not_imported(self):
        done = testing.script("import graphbonsai._errors, sys\n"
                              "import importlib.util as u\n"
                              "s = u.find_spec('graphbonsai._capi')\n"
                              "text = open(s.origin).read().replace(%r, '9.9.9')\n"
                              "exec(compile(text, s.origin, 'exec'), {'__name__': "
                              "'graphbonsai._capi', '__package__': 'graphbonsai', "
                              "'__file__': s.origin})" % ('VERSION = "%s"' % c.VERSION)[11:-1])
        self.assertIn("ImportError: graphbonsai is version 9.9.9, but the library that it found is "
                      + c.VERSION, done.stderr)

    def test_missing_library_is_named(self):
        done = testing.script("import graphbonsai", GRAPHBONSAI_LIBRARY="/no/libbonsai.so")
        self.assertIn("ImportError: graphbonsai: the library cannot be loaded: /no/libbonsai.so",
                      done.stderr)


if __name__ == "__main__":
    testing.main()
