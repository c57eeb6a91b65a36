#!/bin/sh
# run_wheel.sh WHEEL VENV -- the wheel in a new virtual environment, with NumPy and no compiler.
#
# PATH holds nothing but that environment, and no variable of ours is set: what the wheel
# needs must be in it.  PYTHON is the Python to use, else python3.  Installs, runs the program in its three ways and the quickstart,
# and removes the package again, which must leave nothing.
#
# SPDX-License-Identifier: MIT
set -eu
wheel=$(realpath "${1:?usage: tests/wheel/run_wheel.sh WHEEL VENV}")
venv=${2:?usage: tests/wheel/run_wheel.sh WHEEL VENV}
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's/^#define BONSAI_VERSION "\(.*\)"/\1/p' "$here/../../include/bonsai.h")
passed=0

fail() { echo "wheel: $1" >&2; exit 1; }
ok() { passed=$((passed + 1)); }
same() { [ "$1" = "$2" ] || fail "$3: expected \"$1\", got \"$2\""; ok; }
clean() { env -i HOME="$venv/home" PATH="$venv/bin" OMP_WAIT_POLICY=passive "$@"; }
pip() { "$venv/bin/python" -m pip -q --disable-pip-version-check --retries 1 --timeout 20 "$@"; }
says_version() { "$@" version | sed -n 's/^version[[:space:]]*//p'; }
files() { (cd "$venv" && find . -name __pycache__ -prune -o -print | LC_ALL=C sort); }

rm -rf "$venv"
"${PYTHON:-python3}" -m venv "$venv"
venv=$(cd "$venv" && pwd)
pip install --only-binary :all: numpy >"$venv.log" 2>&1 || { cat "$venv.log" >&2; exit 77; }
mkdir "$venv/home"
cd "$venv/home"
before=$(files)

pip install --no-index "$wheel"
for tool in cc gcc clang ld; do
    clean python -c "import shutil, sys; sys.exit(shutil.which('$tool') is not None)" ||
        fail "$tool should not be there"
done
same "Version: $version" "$(clean python -m pip show graphbonsai 2>/dev/null | grep ^Version)" "pip show"
same "$version" "$(says_version clean bonsai)" "bonsai version"
same "$version" "$(says_version clean python -m graphbonsai)" "python -m graphbonsai"
code=0
clean bonsai nonsense >out 2>&1 || code=$?
same 2 $code "the exit code of the program"
clean python -m graphbonsai demo >demo.log 2>&1 || { cat demo.log >&2; fail "demo"; }
ok
clean python -I -B "$here/quickstart.py" >quickstart.log 2>&1 || { cat quickstart.log >&2; fail "quickstart"; }
ok
clean python -B "$here/download.py" >download.log 2>&1 || { cat download.log >&2; fail "download"; }
ok
clean python -m pip check >out 2>&1 || { cat out >&2; fail "pip check"; }
ok
rm -rf ./* .[!.]*
pip uninstall -y graphbonsai
same "$before" "$(files)" "after pip uninstall"
echo "wheel: $passed passed, 0 failed"
