#!/bin/sh
# version.sh VERSION SOURCE -- the version of bonsai.h is also that of the newest
# change, of the citation, of the conda recipe, of the Python package and of the manual.
#
# SPDX-License-Identifier: MIT
set -eu
cd "$2"
same() { [ "$2" = "$1" ] || { echo "$3 says \"$2\", bonsai.h says \"$1\"" >&2; exit 1; }; }
same "$1" "$(sed -n 's/^## \([^ ]*\).*/\1/p' CHANGELOG.md | head -n 1)" CHANGELOG.md
same "$1" "$(sed -n 's/^version: *//p' CITATION.cff)" CITATION.cff
same "$1" "$(sed -n 's/^  version: "\(.*\)"/\1/p' recipe/recipe.yaml)" recipe/recipe.yaml
same "$1" "$(sed -n 's/^VERSION = "\(.*\)"/\1/p' python/graphbonsai/_capi.py)" python/graphbonsai/_capi.py
# The manual may leave the version out; one that it gives must be the same.
page=$(sed -n 's/^\.TH.*bonsai \([0-9][0-9.]*\).*/\1/p' doc/bonsai.1.in 2>/dev/null || true)
same "$1" "${page:-$1}" doc/bonsai.1.in
