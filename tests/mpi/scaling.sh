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
