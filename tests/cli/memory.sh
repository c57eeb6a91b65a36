# Under a limit of private memory the answer is the same, and nothing is left behind.
# SPDX-License-Identifier: MIT
field() { tr -d ' \n' <"$1" | sed "s/.*\"$2\":\([0-9]*\).*/\1/"; }
must() { "$@" || { echo "failed: $*"; exit 1; }; }
mkdir -p "$TMPDIR"
# What an address sanitizer keeps of freed memory would count.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1"
# A sanitizer reserves terabytes: under a limit of the system nothing begins with it.
limits=yes
(ulimit -d 4000000 && "$BONSAI" version) >/dev/null 2>&1 || limits=no
enforce() { [ $limits = no ] || ulimit -d "$1"; }

"$BONSAI" generate --nodes 120000 --degree 8 --dense --features 96 --no-linear -q -o dense.bonsai >/dev/null
"$BONSAI" generate --nodes 60000 --degree 6 --words 30 --no-linear -q -o sparse.bonsai >/dev/null
for graph in sparse dense; do
    for method in trees prototypes; do
        "$BONSAI" condense $graph.bonsai -o whole.bonsai --ratio 0.005 --method $method -t 2 -q --json >whole.json
        must [ "$(field whole.json scratch)" = 0 ]
        # a plan tells what it holds, beside the pages of the mapped file
        "$BONSAI" plan $graph.bonsai --ratio 0.005 --method $method -t 2 -q --json >plan.json
        held=$(field plan.json held) peak=$(field whole.json peak_rss_bytes)
        must [ "$(field plan.json least)" -le "$held" ]
        if [ $limits = yes ]; then
            must [ $((held + $(wc -c <$graph.bonsai))) -ge "$peak" ]
            must [ "$held" -le $((3 * peak)) ]
        fi
        # what it says it needs is enough
        code=0
        "$BONSAI" condense $graph.bonsai -o no.bonsai --ratio 0.005 --method $method -t 2 -q --memory 1M 2>err || code=$?
        must [ $code -eq 1 ]
        least=$(sed -n 's/.*: 1 MiB of memory (option memory) is too little to condense it: at least \([0-9]* MiB\) is needed; .* less, as bonsai plan tells$/\1/p' err)
        must [ -n "$least" ]
        must [ ! -e no.bonsai ]
        must "$BONSAI" condense $graph.bonsai -o least.bonsai --ratio 0.005 --method $method -t 2 -q \
            --memory "$least" >/dev/null
        must cmp whole.bonsai least.bonsai
        limit=$((${least% MiB} * 1048576 + 1000000))
        # enforced: the system refuses what is beyond the limit, and the address space that two
        # threads of BLAS reserve beside it
        (enforce $((limit / 1024 + 344064)) && exec "$BONSAI" condense $graph.bonsai -o part.bonsai --ratio 0.005 \
            --method $method -t 2 -q --memory $limit --json) >part.json || exit 1
        must cmp whole.bonsai part.bonsai
        must [ "$(field part.json scratch)" -gt 1000000 ]
        must [ "$(field part.json held)" -lt "$(field whole.json held)" ]
    done
done

# Scratch files have no name: not even kill -9 leaves one.
under() { exec "$BONSAI" condense dense.bonsai --ratio 0.005 --method $method -t 2 -q --memory $limit "$@"; }
under -o killed.bonsai >/dev/null 2>err &
sleep 0.5
kill -9 $! 2>/dev/null || :
wait $! 2>/dev/null || :
must [ ! -s err ]
must [ -z "$(ls -A "$TMPDIR")" ]

# A folder that cannot hold them is told.
code=0
(TMPDIR=/nowhere under -o no.bonsai) 2>err || code=$?
must [ $code -eq 1 ]
must grep -q '^bonsai: /nowhere: cannot create a scratch file of [0-9]* bytes: .*; set TMPDIR to a folder that exists' err
must [ ! -e no.bonsai ]
code=0
(ulimit -f 2000; exec "$BONSAI" condense dense.bonsai -o no.bonsai --ratio 0.005 --method $method -t 2 -q --memory $limit) 2>err || code=$?
must [ $code -eq 1 ]
must grep -q 'cannot create a scratch file of [0-9]* bytes: File too large; allow larger files' err
must [ ! -e no.bonsai ]
# Nor does a limit that is too small for the threads of BLAS keep it from ending.
if [ $limits = yes ]; then
    code=0
    (ulimit -d 100000 && OMP_NUM_THREADS=2 exec timeout -k 1 20 "$BONSAI" condense dense.bonsai -o no.bonsai \
        --ratio 0.005 -q) 2>err || code=$?
    must [ $code -eq 1 ]
    must grep -q '^bonsai: dense.bonsai: 97 MiB of memory (ulimit -d) is too little' err
fi

# A limit is a size.
for bad in 3X G 3GG -1 ''; do
    code=0
    "$BONSAI" condense dense.bonsai -o no.bonsai --ratio 0.005 --memory "$bad" 2>err || code=$?
    must [ $code -eq 2 ]
done
