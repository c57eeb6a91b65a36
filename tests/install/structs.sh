#!/bin/sh
# structs.sh HEADER TEST CC [FLAG ...] -- every struct of the header states its size first, and is
# in the list of the test that grows and shrinks structs.
#
# bonsai_array and bonsai_power_error have no size: they are parts of others, and never change.
#
# SPDX-License-Identifier: MIT
set -eu
header=$1 test=$2 cc=$3
shift 3
structs=$("$cc" -E -P "$@" "$header" | tr '\n' ' ' |
          grep -oE 'typedef struct \{[^}]*\} *bonsai_[a-z_]+;' |
          sed -E 's/typedef struct \{ *([^;]*;).*\} *(bonsai_[a-z_]+);/\2 \1/')
[ "$(echo "$structs" | wc -l)" -gt 15 ] || { echo "too few structs found in $header" >&2; exit 1; }
echo "$structs" | { bad=0
while read -r name member; do
    case $name in bonsai_array | bonsai_power_error) continue ;; esac
    [ "$member" = "size_t size;" ] || { echo "$name does not begin with its size" >&2; bad=1; }
    grep -qE "sizeof\\($name\\)" "$test" || { echo "$name is not in $test" >&2; bad=1; }
done
exit $bad; }
echo "$(echo "$structs" | wc -l) structs"
