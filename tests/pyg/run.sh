#!/bin/sh
# run.sh BONSAI VENV -- compares the program with PyTorch Geometric.
#
# VENV is a virtual environment that is made here and kept: torch and torch_geometric are
# installed into it from the package index that pip is set up for.  Where that cannot be
# done all tests are skipped, in one line; VENV.log says why.
#
# SPDX-License-Identifier: MIT
set -eu
bonsai=${1:?usage: tests/pyg/run.sh BONSAI VENV}
venv=${2:?usage: tests/pyg/run.sh BONSAI VENV}
here=$(cd "$(dirname "$0")" && pwd)
packages="torch==2.13.0 torch_geometric numpy"

prepare() {
    [ "$(cat "$venv/ready" 2>/dev/null)" = "$packages" ] && return
    rm -rf "$venv"
    mkdir -p "$(dirname "$venv")"
    { python3 -m venv "$venv" &&
        "$venv/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 20 \
            $packages &&
        "$venv/bin/python" -c 'import torch, torch_geometric'; } >"$venv.log" 2>&1 || return
    echo "$packages" >"$venv/ready"
}

if ! prepare; then
    count=$(python3 "$here/live.py" --count 2>/dev/null || echo 1)
    echo "test-pyg: 0 passed, 0 failed, $count skipped (PyTorch Geometric cannot be installed)"
    exit 0
fi
exec "$venv/bin/python" -B "$here/live.py" "$bonsai"
