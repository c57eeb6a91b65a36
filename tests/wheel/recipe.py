"""The conda recipe, rendered by rattler-build without a channel: every field is known to it, the
package and its version are ours, and nothing that the build needs is missing.

SPDX-License-Identifier: MIT"""
import os
import re
import sys

import rattler_build

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
VARIANT = {"python": ["3.11.* *_cpython"], "c_compiler": ["gcc"], "c_stdlib": ["sysroot"]}

with open(os.path.join(ROOT, "include/bonsai.h"), encoding="utf-8") as f:
    version = re.search(r'^#define BONSAI_VERSION "(.*)"', f.read(), re.MULTILINE).group(1)
recipe = rattler_build.Stage0Recipe.from_file(os.path.join(ROOT, "recipe/recipe.yaml"))
one, = recipe.render(rattler_build.VariantConfig(VARIANT))
found = one.recipe
assert found.package.name == "graphbonsai", found.package.name
assert str(found.package.version) == version, (found.package.version, version)
host = " ".join(map(str, found.requirements.host))
for name in ("python", "scikit-build-core", "openblas", "libzip", "zlib", "metis"):
    assert name in host, (name, host)
sys.exit(0)
