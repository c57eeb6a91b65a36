#!/bin/sh
# golden.sh CMD -- runs each line of a golden test, NAME.cmd, and tells its exit code.
#
# Lines use $BONSAI, and $HERE for the folder of the test.
#
# SPDX-License-Identifier: MIT
HERE=$(cd "$(dirname "$1")" && pwd)
BONSAI=bonsai
export HERE BONSAI
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
    '' | '#'*) continue ;;
    esac
    printf '$ %s\n' "$line"
    printf '$ %s\n' "$line" >&2
    sh -c "$line" </dev/null
    echo "= $?"
done <"$1"
