#!/bin/sh
# run_pyg.sh BUILD -- builds the wheel and tries it: alone, then beside PyTorch Geometric.
#
# BUILD/pyg is a virtual environment that is made here and kept: torch and torch_geometric
# are installed into it from the package index that pip is set up for, and the wheel that was
# just built anew each time.  Where the index cannot be reached all tests are skipped, in one
# line; BUILD/pyg.log says why.  DGL, OGB and the notebook are tested if what they need can be installed.
#
# SPDX-License-Identifier: MIT
set -eu
build=${1:?usage: tests/pyg/run_pyg.sh BUILD}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
packages="torch==2.13.0 torch_geometric numpy scipy tqdm"
# DGL 1.1 is the last that works beside any torch, and wants an old setuptools.
ogb="ogb"
jupyter="nbclient ipykernel"
dgl="dgl<2 packaging setuptools<71"
mkdir -p "$build"
venv=$(cd "$build" && pwd)/pyg
export OMP_WAIT_POLICY=passive

pip() {
    "$venv/bin/python" -m pip -q --disable-pip-version-check --retries 1 --timeout 20 "$@"
}

prepare() {
    [ "$(cat "$venv/ready" 2>/dev/null)" = "$packages $ogb $dgl $jupyter" ] && return
    rm -rf "$venv"
    { python3 -m venv "$venv" && pip install $packages &&
        "$venv/bin/python" -c 'import torch, torch_geometric'; } >"$venv.log" 2>&1 || return
    # None is worth another version of the rest.
    pip freeze | grep -v '^setuptools' >"$venv/kept"
    pip install -c "$venv/kept" $ogb >>"$venv.log" 2>&1 || true
    pip install -c "$venv/kept" $jupyter >>"$venv.log" 2>&1 || true
    pip install -c "$venv/kept" --only-binary :all: $dgl >>"$venv.log" 2>&1 || true
    echo "$packages $ogb $dgl $jupyter" >"$venv/ready"
}

skip() {
    live=$(python3 "$here/live.py" --count 2>/dev/null || echo 1)
    units=$(cat "$here"/test_*.py "$root"/tests/python/test_*.py | grep -c '^ *def test_') || true
    echo "test-pyg: 0 passed, 0 failed, $((live + units + 1)) skipped ($1)"
    exit 0
}

status=0
"$root/tools/wheel" "$build" 2>"$venv.log" || status=$?
[ $status != 77 ] || skip "the wheel's tools cannot be installed"
[ $status = 0 ] || { cat "$venv.log" >&2; exit 1; }
wheel=$(ls "$build"/wheel/*.whl)
prepare || skip "PyTorch Geometric cannot be installed"

failed=
try() {
    what=$1
    shift
    start=$(date +%s)
    code=0
    "$@" || code=$?
    case $code in
    0) echo "test-pyg: $what took $(($(date +%s) - start)) s" ;;
    77) echo "test-pyg: $what: skipped" ;;
    *) failed="$failed, $what" ;;
    esac
}

# What failed in full, of the rest only how many, and why some were skipped.
unit_tests() {
    if "$venv/bin/python" -B -m unittest discover -v -b -s "$1" -p 'test_*.py' >"$venv.log" 2>&1
    then
        sed -n 's/.* \.\.\. skipped/skipped:/p' "$venv.log" | sort | uniq -c
        tail -n 3 "$venv.log"
    else
        cat "$venv.log"
        false
    fi
}

try "the wheel alone" "$root/tests/wheel/run_wheel.sh" "$wheel" "$build/wheel/alone"
try "what the package index, Docker and conda say" "$root/tests/wheel/run_lint.sh" "$build"
pip install --no-deps --no-index --force-reinstall "$wheel"
package=$(cd / && "$venv/bin/python" -c 'import graphbonsai, os; print(os.path.dirname(graphbonsai.__file__))')
try "live.py" "$venv/bin/python" -B "$here/live.py" "$package/bonsai"
try "the examples in the docstrings" "$venv/bin/python" -B "$here/doctests.py"
# These look for the program beside the library.
export GRAPHBONSAI_LIBRARY="$package/libbonsai.so"
try "the package" unit_tests "$root/tests/python"
unset GRAPHBONSAI_LIBRARY
try "the package beside PyTorch Geometric" unit_tests "$here"
try "the notebook in Jupyter" "$venv/bin/python" -B "$root/tests/docs/execute.py" \
    "$root/doc/tutorials/pyg.ipynb"
[ -z "$failed" ] || { echo "test-pyg: failed: ${failed#, }"; exit 1; }
echo "test-pyg: all passed"
