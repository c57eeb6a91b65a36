# What cannot work is refused: one sentence, from rank 0, and an exit code, within seconds.
# SPDX-License-Identifier: MIT
OMPI_MCA_odls_base_sigkill_timeout=0     # else mpirun waits a second after each exit code
export OMPI_MCA_odls_base_sigkill_timeout
"$BONSAI" generate -o g.bonsai --nodes 300 --no-linear -q >/dev/null
"$BONSAI" generate -o other.bonsai --nodes 301 --no-linear -q >/dev/null
"$BONSAI" generate -o twin.bonsai --nodes 300 -s 2 --no-linear -q >/dev/null
"$BONSAI" generate -o tiny.bonsai --nodes 3 --classes 1 --degree 2 --no-linear -q >/dev/null
"$BONSAI" convert g.bonsai g.npz -q >/dev/null
make='-o small.bonsai --ratio 0.1 -q'
run='exec "$BONSAI_MPI" condense'

on 3 condense none.bonsai $make
says 1 'bonsai-mpi: none.bonsai: cannot be opened: No such file or directory'
as "[ \$rank -ne 2 ] && $run g.bonsai $make || $run none.bonsai $make" 3
says 1 'bonsai-mpi: rank 2: none.bonsai: cannot be opened: No such file or directory'
head -c 5000 g.bonsai >short.bonsai
on 2 condense short.bonsai $make
says 1 "$("$BONSAI" condense short.bonsai $make 2>&1 | sed 's/^bonsai:/bonsai-mpi:/')"
head -c 20 g.bonsai >stub.bonsai
as "[ \$rank -ne 1 ] && $run g.bonsai $make || $run stub.bonsai $make" 2
says 1 "$("$BONSAI" condense stub.bonsai $make 2>&1 | sed 's/^bonsai:/bonsai-mpi: rank 1:/')"
on 2 condense g.npz $make
says 1 'bonsai-mpi: g.npz: is of the format npz, and ranks open .bonsai files alone; convert it first: bonsai convert g.npz FILE.bonsai'
on 2 info planetoid:data/ind.cora
says 1 'bonsai-mpi: planetoid:data/ind.cora: is of the format planetoid, and ranks open .bonsai files alone; convert it first: bonsai convert planetoid:data/ind.cora FILE.bonsai'
mkdir data && touch data/ind.cora.graph data/ind.cora.allx
on 2 info data/ind.cora                 # a name that no file has
says 1 'bonsai-mpi: data/ind.cora: is of the format planetoid, and ranks open .bonsai files alone; convert it first: bonsai convert data/ind.cora FILE.bonsai'
on 2 info data
says 1 "$("$BONSAI" info data 2>&1 | sed 's/^bonsai:/bonsai-mpi:/')"
rm -r data
on 2 info g
says 1 "$("$BONSAI" info g 2>&1 | sed 's/^bonsai:/bonsai-mpi:/')"

# A byte that is not what it was, in a section that is verified by parts.
"$BONSAI" generate -o bad.bonsai --nodes 4000 --dense --features 90 --no-linear -q >/dev/null
for at in 400000 900000 1300000; do
    printf 'x' | dd of=bad.bonsai bs=1 seek=$at conv=notrunc 2>/dev/null
done
on 3 check bad.bonsai
says 1 "$("$BONSAI" check bad.bonsai 2>&1 | sed 's/^bonsai:/bonsai-mpi:/')"
on 2 info bad.bonsai
says 1 "$("$BONSAI" info bad.bonsai 2>&1 | sed 's/^bonsai:/bonsai-mpi:/')"
rm bad.bonsai

as "[ \$rank -ne 3 ] && $run g.bonsai $make || $run other.bonsai $make" 5
says 1 'bonsai-mpi: g.bonsai: rank 3 sees a different file: 301 nodes instead of 300'
as "[ \$rank -ne 1 ] && $run g.bonsai $make || $run twin.bonsai $make" 2
case $(cat err) in
*'g.bonsai: rank 1 sees a different file: '*) [ $code -eq 1 ] || fail "the exit code is $code" ;;
*) fail "another file of as many nodes goes unnoticed" ;;
esac
as "$run g.bonsai $make -s \$rank" 3
says 1 'bonsai-mpi: rank 1 was given other options: its seed is 1 instead of 0'
as "[ \$rank -ne 1 ] && $run g.bonsai $make || $run g.bonsai $make --ratio 7" 3
says 2 'bonsai-mpi: rank 1 ended before the others: --ratio is 7, which is not above 0 and at most 1; for 7 % write 0.07'
as "[ \$rank -ne 1 ] && $run g.bonsai $make || $run --help" 3
says 1 'bonsai-mpi: rank 1 ended before the others: it was given other arguments'
# Ranks with different commands, or with options that make other calls of the same one.
bonsai_mpi='exec "$BONSAI_MPI"'
as "[ \$rank -ne 1 ] && $bonsai_mpi info g.bonsai || $bonsai_mpi check g.bonsai" 3
says 1 'bonsai-mpi: rank 1 was given another command or other options: it runs "check" and is about to check while rank 0 is about to verify'
as "[ \$rank -ne 0 ] && $run g.bonsai $make || $bonsai_mpi check g.bonsai" 2
says 1 'bonsai-mpi: rank 1 was given another command or other options: it runs "condense" and is about to condense while rank 0 is about to check'
as "[ \$rank -ne 2 ] && $bonsai_mpi info g.bonsai || $bonsai_mpi generate -o g2.bonsai" 3
says 1 'bonsai-mpi: rank 2 was given another command or other options: it runs "generate" and is about to generate while rank 0 is about to read'
as "[ \$rank -ne 1 ] && $bonsai_mpi generate -o g2.bonsai --nodes 300 -q || $bonsai_mpi generate -o g2.bonsai --nodes 300 -q --no-linear" 2
says 1 'bonsai-mpi: rank 1 ended before the others: it was given other arguments'
as "[ \$rank -ne 0 ] && $run g.bonsai $make || $run g.bonsai" 3
says 2 'bonsai-mpi: -o SMALL and a budget are missing, as in: bonsai-mpi condense g.bonsai -o small.bonsai --ratio 0.01
try: bonsai-mpi condense --help'
on 3 condense g.bonsai --ratio 2
says 2 'bonsai-mpi: --ratio is 2, which is not above 0 and at most 1; for 2 % write 0.02
try: bonsai-mpi condense --help'
on 4 condense tiny.bonsai $make
says 1 'bonsai-mpi: tiny.bonsai: there are 4 ranks but only 3 nodes; start no more ranks than nodes'
on 4 generate -o g2.bonsai --nodes 3 --classes 1 --degree 2 -q
says 1 'bonsai-mpi: there are 4 ranks to generate only 3 nodes; start no more ranks than nodes'
on 2 generate -o g2.npz --nodes 100 -q
says 1 'bonsai-mpi: g2.npz: ranks write .bonsai files only'
on 2 condense g.bonsai -o nowhere/small.bonsai --ratio 0.1 -q
says 1 'bonsai-mpi: nowhere/small.bonsai: cannot be written: folder nowhere/: No such file or directory'
# The exit code is that of every rank; mpirun tells the first one's only.
unset OMPI_MCA_odls_base_sigkill_timeout
as "trap '' TERM; \"\$BONSAI_MPI\" condense \$([ \$rank -ne 1 ] && echo g || echo other).bonsai $make
    echo \$? >code.\$rank" 3
[ "$(cat code.0 code.1 code.2)" = "$(printf '1\n1\n1')" ] || fail "exit codes: $(echo $(cat code.*))"
rm -f out err script code.*
[ "$(echo *)" = 'g.bonsai g.npz other.bonsai short.bonsai stub.bonsai tiny.bonsai twin.bonsai' ] ||
    fail "left behind: $(echo *)"
on 2 condense g.bonsai $make --memory 1M
case $(cat err) in
'bonsai-mpi: g.bonsai: 1 MiB of memory (option memory) is too little to condense it: at least '*' MiB is needed on each rank; method trees or random, or a smaller budget, needs less, as bonsai plan tells')
    [ $code -eq 1 ] || fail "the exit code is $code" ;;
*) fail "a limit that is too small is not told" ;;
esac
# The number in it is that of a plan, and that of bonsai.
for method in trees random prototypes auto; do
    for n in 3 1; do
        "$BONSAI" plan g.bonsai --ratio 0.1 --method $method --ranks $n -t 1 --json >plan
        on $n condense g.bonsai $make --method $method --memory 1M -t 1
        least=$(sed -n 's/.*at least \([0-9]*\) MiB is needed.*/\1/p' err)
        [ "$least" -gt 1 ] && grep -q "\"least\": $((least * 1048576))," plan || fail "$method, $n ranks: another plan"
    done
    "$BONSAI" condense g.bonsai $make --method $method --memory 1M -t 1 2>&1 | grep -q "least $least MiB is" ||
        fail "$method: bonsai needs other memory than $least"
done
rm plan
on 2 condense g.bonsai $make --method kcenter
says 1 'bonsai-mpi: the method kcenter runs on one rank only: trees, random, prototypes and auto run on several'
on 2 condense g.bonsai $make --inductive
says 1 'bonsai-mpi: inductive runs on one rank only'
on 2 condense g.bonsai $make --eval gcn
says 2 'bonsai-mpi: --eval runs on one machine: use bonsai eval afterwards
try: bonsai-mpi condense --help'
on 2 condense g.bonsai -o small.bonsai --update g.bonsai --was g.bonsai
says 2 'bonsai-mpi: --update runs on one machine: use bonsai condense
try: bonsai-mpi condense --help'
# Help is silent about these, and has all others of bonsai.
on 1 help condense
for option in $("$BONSAI" help condense | sed -n '/^examples/q;s/^ .*\(--[a-z-]*\).*/\1/p' | sort -u); do
    case $option in
    --eval | --update | --was | --inductive | --select-features)
        ! grep -q -e "$option\>" out || fail "help has $option, which ranks refuse" ;;
    *) grep -q -e "$option\>" out || fail "help is without $option" ;;
    esac
done

# The launcher of another MPI: each process is alone and would do all the work.
alone() {
    code=0
    env "$@" "$BONSAI_MPI" condense g.bonsai $make >out 2>err </dev/null || code=$?
    ranks=1
    [ $code -eq 0 ] || sed -i 's/([A-Z][^)]*)/(MPI)/' err
}
lost() {
    says 1 "bonsai-mpi: $1 is $2, but the processes do not find each other: each would do all the work; start them with the launcher of the MPI that bonsai-mpi was built with (MPI), or with another --mpi of srun (srun --mpi=list); for one process, unset $1"
}
rm -f small.bonsai
alone PMI_SIZE=2 PMI_RANK=0
lost PMI_SIZE 2
alone OMPI_COMM_WORLD_SIZE=3
lost OMPI_COMM_WORLD_SIZE 3
alone SLURM_STEP_NUM_TASKS=8 SLURM_PROCID=0 SLURM_NTASKS=8
lost SLURM_STEP_NUM_TASKS 8
alone SLURM_STEP_NUM_TASKS=8 SLURM_PROCID=7
[ $code -eq 1 ] && [ ! -s err ] || fail "a process that is not the first has a word too, or goes on"
[ ! -e small.bonsai ] || fail "a process that is alone writes"
for started in PMI_SIZE=1 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=1 PMI_SIZE=none BONSAI=; do
    rm -f small.bonsai
    alone $started
    [ $code -eq 0 ] && [ -e small.bonsai ] || fail "$started: one process does not run"
done
SLURM_STEP_NUM_TASKS=4 on 1 info g.bonsai           # mpirun -n 1 in a step of four daemons
[ $code -eq 0 ] || fail "one rank does not run"
