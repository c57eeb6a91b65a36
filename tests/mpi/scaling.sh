# What ranks exchange is hardly more than they must, memory of each falls as ranks are added, a good
# order makes both small, and the plan foretells it.
# SPDX-License-Identifier: MIT
field() { tr -d ' \r\n' <"$1" | sed "s/.*\"$2\":\([0-9.]*\).*/\1/"; }
holds() { awk "BEGIN { exit !($1) }" || fail "$2: $1"; }

"$BONSAI" generate -o random.bonsai --nodes 40000 --dense --features 64 --degree 8 --homophily 0.97 \
    --classes 40 --no-linear -q >/dev/null
orders=random
if "$BONSAI" convert random.bonsai metis.bonsai --order metis --parts 8 -q >/dev/null 2>err; then
    orders="random metis"
else
    grep -q 'libmetis-dev' err || fail "no METIS, and no word about its package"
    echo "the order of METIS: skipped, it is not built in"
fi
for order in $orders; do
    for n in 1 2 4 8; do
        on $n condense $order.bonsai -o small.bonsai --ratio 0.005 --method trees --sample 300 -q --json -t 1
        [ $code -eq 0 ] || fail "$order, $n ranks: the exit code is $code"
        sent=$(field out sent_rows) halo=$(field out halo) held=$(field out held)
        "$BONSAI" plan $order.bonsai --ranks $n --look --method trees -r 0.005 -t 1 --json >plan
        [ $n -gt 1 ] || { all=$held; [ "$sent" = 0 ] || fail "one rank sends $sent bytes"; continue; }
        echo "$order, $n ranks: $sent bytes of rows, at least $halo; $held of $all bytes in memory; plan $(field plan wire_rows)"
        holds "$sent <= 1.2 * $halo" "$order, $n ranks send too much"
        holds "$(field plan wire_rows) <= 1.25 * $sent && $(field plan wire_rows) >= 0.75 * $sent" "$order, $n ranks: the plan"
        eval "${order}_$n=$sent"
    done
    # of all rows on one rank; a rank of METIS's parts has few of others
    [ $order = random ] || holds "$held <= 0.3 * $all" "memory does not fall"
    holds "$held <= 0.8 * $all" "memory does not fall"
done
[ "$orders" = random ] || holds "$metis_8 * 3 <= $random_8" "METIS's order saves too little"

# Sparse rows, with few labels and with many: rows of embeddings, and all that is sent.
"$BONSAI" generate -o many.bonsai --nodes 6000 --features 800 --no-linear -q >/dev/null
"$BONSAI" split many.bonsai -o few.bonsai --parts 3/10/87 -q >/dev/null
for run in 'many trees' 'many prototypes' 'few prototypes'; do
    set -- $run
    on 4 condense $1.bonsai -o small.bonsai --ratio 0.01 --method $2 -q --json -t 1
    [ $code -eq 0 ] || fail "$run: the exit code is $code"
    "$BONSAI" plan $1.bonsai --ranks 4 --look --method $2 -r 0.01 -t 1 --json >plan
    sent=$(field out sent) rows=$(field out sent_rows) all=$(field plan wire) some=$(field plan wire_rows)
    echo "$run: $sent bytes sent, plan $all; $rows of rows, plan $some"
    holds "$some <= 1.25 * $rows && $some >= 0.75 * $rows" "$run: rows of the plan"
    holds "$all <= 2 * $sent && $all >= 0.5 * $sent" "$run: all that is sent"
done
