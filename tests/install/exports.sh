#!/bin/sh
# exports.sh LIBRARY HEADER CC [FLAG ...] -- the library exports what the header and those that it
# includes declare, no more and no less.
#
# The header goes through the preprocessor, so that a function that lacks its
# BONSAI_API is noticed too.
#
# SPDX-License-Identifier: MIT
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

library=$1 header=$2 cc=$3
shift 3
nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | LC_ALL=C sort >"$work/exported"
"$cc" -E -P "$@" "$header" | sed 's/__attribute__ *(([^;]*"))) *//' | tr '\n' ' ' | tr ';' '\n' |
    sed -n '/^ *typedef/d; s/^[^(]*[ *]\(bonsai_[a-z0-9_]*\) *(.*/\1/p' |
    LC_ALL=C sort >"$work/declared"
[ -s "$work/declared" ] || { echo "no declaration found in $header" >&2; exit 1; }
diff -u "$work/declared" "$work/exported" || {
    echo "'-' is declared and not exported, '+' is exported and not declared" >&2
    exit 1
}

# What belongs to the whole process is not the library's to change.  (A build that measures coverage
# has calls of its own.)
nm -D --undefined-only "$library" | awk '{print $2}' | sed 's/@.*//' >"$work/called"
if ! nm "$library" | grep -q __gcov &&
    grep -xE 'umask|chdir|fchdir|exit|_exit|abort|setlocale|signal|sigaction|setenv|puts|printf|perror' "$work/called"; then
    echo "the library must not call this" >&2
    exit 1
fi
echo "$(wc -l <"$work/declared") functions declared and exported"
