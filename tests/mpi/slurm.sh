# The job script starts the ranks as the launcher that is there takes it: srun and mpirun are stubs.
# SPDX-License-Identifier: MIT
command -v bash >/dev/null || { echo "skipped: there is no bash"; exit 0; }
HOME=$PWD
unset PMI SLURM_TMPDIR
mkdir -p .local/bin
stub() { printf '#!/bin/sh\n%s\n' "$2" >".local/bin/$1" && chmod +x ".local/bin/$1"; }
# launch TYPES VERSION ARGUMENT ...: types of srun, first line of mpirun --version
launch() {
    stub srun "[ \"\$1\" = --mpi=list ] && echo '$1' >&2 || echo srun \"\$@\""
    stub mpirun "[ \"\$1\" = --version ] && echo '$2' || echo mpirun \"\$@\""
    shift 2
    code=0
    env HOME="$HOME" TMPDIR=/scratch SLURM_NTASKS_PER_NODE=2 SLURM_CPUS_PER_TASK=16 SLURM_JOB_NUM_NODES=4 \
        bash "$HERE/../../doc/slurm/condense.sbatch" "$@" >out 2>err || code=$?
}
starts() {
    [ $code -eq 0 ] && [ ! -s err ] || fail "the job script fails"
    [ "$(cat out)" = "$1 bonsai-mpi condense g.bonsai -o s.bonsai --threads 16 $2" ] ||
        fail "it starts: $(cat out)"
}
open='mpirun (Open MPI) 4.1.4' hydra='HYDRA build details:'
launch 'specific pmix plugin versions: pmix_v4' "$open" g.bonsai s.bonsai
starts 'srun --mpi=pmix --cpus-per-task=16' '--ratio 0.001'
launch 'none pmi2' "$hydra" g.bonsai s.bonsai --nodes 70
starts 'srun --mpi=pmi2 --cpus-per-task=16' '--nodes 70'
launch none "$open" g.bonsai s.bonsai --ratio 0.01 --memory 3G
starts 'mpirun -x TMPDIR --map-by ppr:2:node:pe=16' '--ratio 0.01 --memory 3G'
launch none "$hydra" g.bonsai s.bonsai
starts 'mpirun -genv TMPDIR /scratch -ppn 2 -n 8' '--ratio 0.001'
PMI=none
export PMI
launch pmix "$open" g.bonsai s.bonsai
starts 'mpirun -x TMPDIR --map-by ppr:2:node:pe=16' '--ratio 0.001'
launch pmix "$open" g.bonsai
[ $code -ne 0 ] && grep -q 'usage: sbatch condense.sbatch' err || fail "a missing argument is not told"
