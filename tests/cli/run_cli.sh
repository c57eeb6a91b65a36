#!/bin/sh
# Golden tests of the program: run_cli.sh PROGRAM [NAME ...]
#
# Each line of NAME.cmd is run by sh in one fresh folder, with the program as
# $BONSAI and tests/cli as $HERE.  What it prints is compared with NAME.out:
# the line itself, its stdout, its stderr behind "! ", its exit code behind "= ".
# Times, memory and temporary paths are made alike first.  UPDATE=1 rewrites
# NAME.out; review the diff.  A NAME.sh is a test of its own: exit 0 passes, 77
# is skipped.
# SPDX-License-Identifier: MIT
set -u
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
BONSAI=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
[ -x "$BONSAI" ] || { echo "$BONSAI: no such program"; exit 1; }
LC_ALL=C.UTF-8 TERM=dumb
unset NO_COLOR BONSAI_ISA COLUMNS
export HERE ROOT BONSAI LC_ALL TERM
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bonsai-cli-XXXXXX") || exit 1
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
TMPDIR=$scratch/tmp
export TMPDIR

alike() {
    sed -e "s|$scratch/[a-z]*|TMP|g" -e "s|$HERE|HERE|g" -e "s|$BONSAI|bonsai|g" \
        -e 's/bonsai-demo-[A-Za-z0-9]*/bonsai-demo-XXXXXX/g' \
        -e 's/[0-9][0-9]*\.[0-9]* s\b/T s/g' -e 's/[0-9.]* [kMG]*B peak memory/M peak memory/' \
        -e 's/bonsai [0-9][0-9.]*[0-9]:/bonsai VERSION:/' \
        -e 's/^\(seconds\.[a-z]*\|peak_rss_bytes\|version\)\t.*/\1\tN/'
}

transcript() {      # of the commands in $1
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '') echo; continue ;;
        '#'*) printf '%s\n' "$line"; continue ;;
        esac
        printf '$ %s\n' "$line"
        (cd "$scratch/work" && exec sh -c "$line") >"$scratch/out" 2>"$scratch/err" </dev/null
        code=$?
        alike <"$scratch/out"
        alike <"$scratch/err" | sed '/^[a-z][a-z ]*: T s$/d; s/^/! /'     # stages, where slow
        echo "= $code"
    done <"$1"
}

golden() {          # name
    transcript "$HERE/$1.cmd" >"$scratch/now"
    if [ "${UPDATE:-}" = 1 ]; then
        cp "$scratch/now" "$HERE/$1.out"
    fi
    diff -u "$HERE/$1.out" "$scratch/now"
}

passed=0 failed=0 skipped=0
if [ $# -eq 0 ]; then
    set -- $(cd "$HERE" && ls | sed -n 's/\.cmd$//p; /^run_cli\.sh$/d; s/\.sh$//p')
fi
for name; do
    chmod -R u+w "$scratch" && rm -rf "$scratch/work" "$scratch/tmp"
    mkdir "$scratch/work" "$scratch/tmp"
    if grep -qs '^script ' "$HERE/$name.cmd" && ! script -qec true /dev/null >/dev/null 2>&1; then
        (exit 77)
    elif [ -f "$HERE/$name.cmd" ]; then
        golden "$name"
    else
        (cd "$scratch/work" && sh -eu "$HERE/$name.sh")
    fi
    case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)); echo "$name: skipped" ;;
    *) failed=$((failed + 1)); echo "$name: failed" ;;
    esac
    if [ -n "$(ls -A "$scratch/tmp")" ]; then
        echo "$name: left files in TMPDIR:" "$scratch"/tmp/*
        failed=$((failed + 1))
    fi
done
[ $skipped -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
