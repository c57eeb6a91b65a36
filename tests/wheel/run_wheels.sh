#!/bin/sh
# run_wheels.sh BUILD -- the wheels of tools/wheels, wherever they should run.
#
# That of this processor with every Python from 3.9 to 3.13 that is found, on the PATH or as
# pyenv's; both in Debian 11, the one of another processor under emulation.  auditwheel must agree
# with their tags.  What is not there is skipped, and said.
#
# SPDX-License-Identifier: MIT
set -eu
build=${1:?usage: tests/wheel/run_wheels.sh BUILD}
here=$(cd "$(dirname "$0")" && pwd)
wheels=$(cd "$build/wheels" && pwd)
failed=
skipped=

# run WHAT COMMAND... -- prints how it went
run() {
    what=$1
    shift
    code=0
    "$@" >"$wheels/run.log" 2>&1 || code=$?
    case $code in
    0) echo "$what: $(tail -n 1 "$wheels/run.log")" ;;
    77) echo "$what: skipped"; skipped="$skipped $what" ;;
    *) cat "$wheels/run.log" >&2; echo "$what: failed"; failed="$failed, $what" ;;
    esac
}

python_of() {       # python_of 3.9 -- its path, or nothing
    for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python3 "$(command -v "python$1")"
    do
        if [ "$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$1" ]
        then
            echo "$python"
            return
        fi
    done
}

audit() {           # audit WHEEL ARCH -- what it needs is what its tag promises
    "$wheels/tools/bin/auditwheel" show "$1" | tr '\n' ' ' |
        grep -q "consistent with the following platform tag: \"manylinux_2_17_$2\"" &&
        echo "manylinux_2_17_$2"
}

for arch in x86_64 aarch64; do
    wheel=$(ls "$wheels/$arch"/*.whl 2>/dev/null) || { echo "$arch: no wheel; run make wheels"; continue; }
    run "auditwheel, $arch" audit "$wheel" $arch
    if [ "$(uname -m)" = $arch ]; then
        for version in 3.9 3.10 3.11 3.12 3.13; do
            python=$(python_of $version)
            if [ -n "$python" ]; then
                run "Python $version" env PYTHON="$python" "$here/run_wheel.sh" "$wheel" "$wheels/alone"
            else
                echo "Python $version: skipped: it is not here"
                skipped="$skipped Python-$version"
            fi
        done
    fi
    run "Debian 11, $arch" "$here/run_root.sh" "$wheel" $arch "$wheels/debian-$arch"
done
[ -z "$failed" ] || { echo "test-wheels: failed: ${failed#, }"; exit 1; }
echo "test-wheels: all passed${skipped:+; skipped:$skipped}"
