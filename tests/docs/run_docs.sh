#!/bin/sh
# run_docs.sh BUILD -- builds the site, checks it, and runs the notebooks in Jupyter.
#
# BUILD/docs/jupyter is a virtual environment that is made here and kept, as BUILD/docs/venv is by
# tools/site/build.  What the package index does not give is skipped, in one line; BUILD/docs/*.log
# say why.  The notebook for PyTorch Geometric is run by `make test-pyg`.  Every page is opened in Chromium
# where there is one; SHOTS=DIR keeps pictures of the start page.
#
# SPDX-License-Identifier: MIT
set -eu
build=$(cd "${1:?usage: tests/docs/run_docs.sh BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
packages="numpy pandas pyarrow networkx igraph nbclient ipykernel"
jupyter=$build/docs/jupyter
mkdir -p "$build/docs"
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive BONSAI="$build/release/bonsai" \
    GRAPHBONSAI_LIBRARY="$build/release/libbonsai.so" PATH="$build/release:$PATH"

code=0
"$root/tools/site/build" "$build" "$BONSAI" || code=$?
case $code in
0)
    python3 "$here/site.py" "$build/site"
    if browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
        python3 "$here/look.py" "$browser" "$build/site"
    else
        echo "test-docs: the look of the site: skipped (there is no Chromium)"
    fi ;;
77) echo "test-docs: the site: skipped (MkDocs cannot be installed)" ;;
*) exit $code ;;
esac

prepare() {
    [ "$(cat "$jupyter/ready" 2>/dev/null)" = "$packages" ] && return
    rm -rf "$jupyter"
    { python3 -m venv "$jupyter" && "$jupyter/bin/python" -m pip -q --disable-pip-version-check \
        --retries 1 --timeout 20 install $packages; } >"$build/docs/jupyter.log" 2>&1 || return
    echo "$packages" >"$jupyter/ready"
}

if prepare; then
    export PYTHONPATH="$root/python"
    "$jupyter/bin/python" "$here/execute.py" "$root"/doc/tutorials/shell.ipynb \
        "$root"/doc/tutorials/tables.ipynb
    "$jupyter/bin/python" "$here/blocks.py"
else
    echo "test-docs: the notebooks: skipped (Jupyter cannot be installed)"
fi
echo "test-docs: done"
