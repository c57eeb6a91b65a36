# What does not depend on the machine: seconds and bytes are left out.
$BONSAI generate -q -o g.bonsai --nodes 300 --features 20 --words 3 --no-linear > /dev/null
$BONSAI plan g.bonsai -t 2 | grep -v '^file_bytes' | cut -f 1,2
$BONSAI plan g.bonsai -t 2 --ranks 1,2,300 | sed -n 's/^plan.//p' | cut -f 1
$BONSAI plan g.bonsai --ranks 2 --look | grep halo_rows_are
$BONSAI plan g.bonsai --ranks 1,3 --look | grep halo_rows_are
$BONSAI plan g.bonsai --json | sed 's/\("[a-z_]*": \)[0-9.e-]*\(,*\)$/\1N\2/'
$BONSAI convert -q g.bonsai g.npz > /dev/null; $BONSAI plan g.npz | grep train

# A graph that is not here.
$BONSAI plan --nodes 111059956 --edges 3231371744 --features 128 --train 1207179 -t 16 | head -4
$BONSAI plan --nodes 10 --edges 20 --features 5 | grep train
$BONSAI plan --nodes 10 --edges 20 --features 5 --nonzeros 30 --classes 3 --value-bytes 2 -q --method trees --layers 1 -k 2 -r 0.5 --disk 500MB --network 10G --gflops 30 --gigabytes 8 | grep -c 'plan.1'

# The table for people has every column.
script -qec "$BONSAI plan g.bonsai --ranks 1,8 -t 2" /dev/null | tr -d '\r' | tr -s ' ' | grep '^[A-Z]\|^ ranks'

# Condensing names the same least memory, and takes it.
for m in auto trees prototypes random herding; do least=$($BONSAI plan g.bonsai --ratio 0.1 --method $m --json | sed -n 's/.*"least": *\([0-9]*\).*/\1/p'); told=$($BONSAI condense g.bonsai -o s.bonsai --ratio 0.1 --method $m --memory 1M 2>&1 | sed -n 's/.*at least \([0-9]* MiB\) is needed;.*/\1/p'); [ "$((least / 1048576)) MiB" = "$told" ] && echo $m agrees; $BONSAI condense g.bonsai -o s.bonsai --ratio 0.1 --method $m --memory "$told" -q > /dev/null && echo and works; done

# Of several ratios the largest counts, and threads that nobody asked for are left out.
$BONSAI generate -q -o w.bonsai --nodes 20000 --no-linear > /dev/null
for r in '--ratio 0.9' '--ratios 0.01,0.9,0.05' '--ratio 0.01'; do $BONSAI condense w.bonsai -o s.bonsai -q --memory 1M $r 2>&1 | sed 's/.*: at least//'; done | uniq -c | sed 's/[0-9]* MiB is/N MiB is/'
$BONSAI plan g.bonsai --memory $($BONSAI plan g.bonsai --json | sed -n 's/.*"least": *\([0-9]*\).*/\1/p') | grep threads

# It says in which units people write, and what needs less.
for m in auto gcond trees herding random; do $BONSAI condense g.bonsai -o s.bonsai --ratio 0.1 --method $m --memory 1M 2>&1 | sed "s/.*needed;/$m:/"; done
for m in 3MB 3000001 2000B 2048K; do $BONSAI condense g.bonsai -o s.bonsai --ratio 0.1 --memory $m 2>&1 | sed 's/ is too.*//'; done

# A limit of the system is named.
SLURM_MEM_PER_NODE=1 $BONSAI condense g.bonsai -o s.bonsai --ratio 0.1 2>&1 | sed 's/least [0-9]*/least N/'

# The file is as large as it is; budgets of other kinds; large numbers as people write them.
[ $(($($BONSAI plan w.bonsai | sed -n 's/^file_bytes.//p') / 10000)) = $(($(wc -c < w.bonsai) / 10000)) ] && echo the same
$BONSAI plan g.bonsai --bytes 3000 -t 1 | grep -c 'plan.1'
$BONSAI plan g.bonsai --trees 3 -t 1 | grep -c 'plan.1'
$BONSAI plan --nodes 1e7 --edges 2.5e8 --features 128 -t 1 | head -3
$BONSAI plan --nodes 1.5e0 --edges 20 --features 5
$BONSAI plan --nodes 100M --edges 20 --features 5
$BONSAI plan --nodes 20 --edges 1.5k --features 5
$BONSAI plan --nodes 100Mi --edges 20 --features 5
$BONSAI plan --nodes 10.0 --edges 20 --features 5
$BONSAI plan --nodes 1e300 --edges 20 --features 5

# Too little memory is a note, since a plan may say what would be enough.
$BONSAI plan g.bonsai -t 2 --memory 1M 2>&1 >/dev/null | sed 's/[0-9]* MiB and/N MiB and/'
$BONSAI plan g.bonsai --memory 1M -q 2>&1 >/dev/null

# Wrong usage.
$BONSAI plan
$BONSAI plan --nodes 10 --edges 20
$BONSAI plan g.bonsai --nodes 10
$BONSAI plan g.bonsai --train 10
$BONSAI plan --nodes 10 --edges 20 --features 5 --look
$BONSAI plan g.bonsai --ranks 0
$BONSAI plan g.bonsai --ranks 1,,2
$BONSAI plan g.bonsai --ranks 2x
$BONSAI plan g.bonsai --ranks $(seq -s , 1 40)
$BONSAI plan g.bonsai --memory 3X
$BONSAI plan g.bonsai --memory 0.3
$BONSAI plan g.bonsai --memory 8
$BONSAI plan g.bonsai --disk 0.9
$BONSAI plan --nodes 10 --edges 20 --features 9223372036854775807
$BONSAI plan --nodes 10 --edges 20 --features 5 --classes 2147483648
$BONSAI plan g.bonsai --disk fast
$BONSAI plan g.bonsai --method tres
$BONSAI plan g.bonsai --ratio 2
$BONSAI plan --nodes 10 --edges 20 --features 5 --value-bytes 3
$BONSAI plan --nodes 3000000000 --edges 20 --features 5
$BONSAI plan g.bonsai g.bonsai

# What cannot be.
$BONSAI plan none.bonsai
$BONSAI plan g.bonsai --ranks 301
$BONSAI plan --nodes 10 --edges 20 --features 5 --train 11
$BONSAI plan --nodes 10 --edges 9223372036854775807 --features 5
$BONSAI plan --nodes 2147483647 --edges 20 --features 2147483647
$BONSAI plan --nodes 10 --edges 20 --features 5 --nonzeros 9223372036854775807
