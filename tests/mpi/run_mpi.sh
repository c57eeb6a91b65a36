#!/bin/sh
# run_mpi.sh NAME -- the test NAME.sh of the program bonsai-mpi, in a fresh folder.
#
# From the environment: BONSAI and BONSAI_MPI, the programs, and MPIRUN.  A test has these:
#   on RANKS ARGUMENT ...   bonsai-mpi on so many ranks: its output in out and err, its code in $code
#   as SCRIPT RANKS ...     the same through a script, which is told its $rank
#   says CODE SENTENCE      that it ended so, and said nothing else
#   fail SENTENCE           that the test failed
#
# SPDX-License-Identifier: MIT
if [ ! -d /sys/devices/system/cpu ]; then
    echo "$1: skipped: there is no /sys, without which Open MPI does not see its cores and stalls"
    exit 77
fi
HERE=$(cd "$(dirname "$0")" && pwd)
LC_ALL=C.UTF-8
LIMIT=${LIMIT:-60}              # seconds: what takes longer hangs, also on a busy machine
export LC_ALL LIMIT
work=$(mktemp -d "${TMPDIR:-/tmp}/bonsai-mpi-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1

fail() {
    echo "$1" >&2
    [ ! -s err ] || sed 's/^/  ! /' err >&2
    exit 1
}
on() {
    ranks=$1
    shift
    code=0
    sh "$HERE/start.sh" "$ranks" "$BONSAI_MPI" "$@" >out 2>err </dev/null || code=$?
}
as() {
    printf 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n%s\n' "$1" >script
    ranks=$2
    shift 2
    code=0
    sh "$HERE/start.sh" "$ranks" sh ./script "$@" >out 2>err </dev/null || code=$?
}
plainly() {         # hwloc complains where there is no /sys, libevent of its own files when ranks end in a hurry
    sed '/^\[hwloc/d; /^\[warn\] Epoll/d' err >plain && mv plain err
}
says() {
    plainly
    [ "$code" -ne 124 ] || fail "$ranks ranks: it did not end within $LIMIT s"
    [ "$code" -eq "$1" ] || fail "$ranks ranks: the exit code is $code instead of $1"
    printf '%s\n' "$2" | cmp -s - err || fail "$ranks ranks: expected \"$2\""
}

. "$HERE/$1.sh"
