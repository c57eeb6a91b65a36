#!/bin/sh
# mpich.sh -- the tests on ranks once more, with MPICH beside the MPI of the build.
#
# Only mpi/ sees MPI: it is compiled again and linked with the static library of the build.
# BONSAI_MPICH_CC and BONSAI_MPICH_RUN name MPICH's mpicc and mpiexec where they are not on the path.
# From the environment: BUILD, MPI and PROGRAM (sources), ARCHIVE, BONSAI.
#
# SPDX-License-Identifier: MIT
set -eu
cc=${BONSAI_MPICH_CC:-$(command -v mpicc.mpich || true)}
run=${BONSAI_MPICH_RUN:-$(command -v mpiexec.mpich || command -v mpiexec.hydra || true)}
[ -n "$cc" ] && [ -n "$run" ] || { echo "skipped: MPICH is not installed"; exit 77; }
"$cc" -dM -E -include mpi.h -x c /dev/null | grep -q MPICH_NUMVERSION || {
    echo "skipped: $cc is not MPICH's"
    exit 77
}
work=$BUILD/mpich
mkdir -p "$work"
libs=$(sed -n 's/^Libs.private: //p' "$BUILD/bonsai.pc")
flags="-std=c11 -O2 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -Wno-stringop-overflow -Iinclude -Isrc
       -Impi -Icli -Ijson"
$cc $flags $MPI tests/mpi/test_mpi_world.c -o "$work/test_mpi_world" "$ARCHIVE" $libs
$cc $flags -DBONSAI_WITH_OPENMP $MPI $PROGRAM -o "$work/bonsai-mpi" "$ARCHIVE" $libs
export MPIRUN="$run" BONSAI BONSAI_MPI="$work/bonsai-mpi"
for ranks in 1 3; do
    sh tests/mpi/start.sh $ranks "$work/test_mpi_world"
done
for name in same refusals ends; do
    sh tests/mpi/run_mpi.sh $name
done
echo "with $("$run" --version | sed -n 's/.*Version: */MPICH /p')"
