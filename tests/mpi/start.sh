#!/bin/sh
# start.sh RANKS PROGRAM [ARGUMENT ...] -- the program on so many ranks of this machine.
#
# More ranks than cores, as root where it must be, over shared memory alone, and not for longer than
# LIMIT seconds (60).  What mpirun itself has to say about an exit code is left out.
#
# SPDX-License-Identifier: MIT
ranks=$1
shift
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_btl=self,vader
OMPI_MCA_pml=ob1
OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_hwloc_base_binding_policy=none
OMPI_MCA_plm=isolated
OMPI_MCA_oob=tcp
OMPI_MCA_oob_tcp_if_include=lo
OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl OMPI_MCA_pml \
    OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_hwloc_base_binding_policy OMPI_MCA_plm \
    OMPI_MCA_oob OMPI_MCA_oob_tcp_if_include OMPI_MCA_btl_vader_single_copy_mechanism
mpirun=${MPIRUN:-mpirun}
quiet=
case $("$mpirun" --version 2>&1) in
*"Open MPI"* | *OpenRTE*) quiet=-q ;;           # Hydra, that of MPICH, has no such option
esac
exec timeout -k 5 "${LIMIT:-60}" "$mpirun" $quiet -np "$ranks" "$@"
