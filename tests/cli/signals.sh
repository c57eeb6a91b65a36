# A signal cancels: one word, no file, and the shell sees the signal.
# SPDX-License-Identifier: MIT
command -v timeout >/dev/null || exit 77
for signal in INT:130 TERM:143; do
    code=0
    timeout --preserve-status -s ${signal%:*} 0.6 "$BONSAI" generate --nodes 9000000 -q -o big.bonsai \
        >out 2>err || code=$?
    [ $code -eq ${signal#*:} ] || { echo "SIG${signal%:*} ends it with $code"; exit 1; }
    [ "$(cat err)" = 'bonsai: canceled' ] || { cat err; exit 1; }
    [ ! -s out ] || { cat out; exit 1; }
    [ "$(ls -A)" = "$(printf 'err\nout')" ] || { echo "left behind:"; ls -A; exit 1; }
done
# And when the graph is written but its linear model is still to be fitted; the old file stays.
echo old >old.bonsai
for out in new.bonsai old.bonsai; do
    code=0
    "$BONSAI" generate --nodes 40000 --classes 200 --features 1500 --words 9 -t 1 -o $out >out 2>err &
    for i in $(seq 200); do
        ls -A | grep -q "tmp.bonsai" && break || sleep 0.05
    done
    sleep 0.5
    kill -TERM $!               # a shell's background processes ignore SIGINT
    wait $! || code=$?
    [ $code -eq 143 ] || { echo "fitting: SIGTERM ends it with $code"; cat err; exit 1; }
    [ "$(ls -A)" = "$(printf 'err\nold.bonsai\nout')" ] || { echo "left behind:"; ls -A; exit 1; }
    [ "$(cat old.bonsai)" = old ] || { echo "a canceled graph has replaced another file"; exit 1; }
done
rm old.bonsai
# So it is while condensing: with one budget or several, nothing is left behind.
"$BONSAI" generate --nodes 60000 --dense --features 200 --no-linear -q -o large.bonsai >/dev/null
for budget in '-o small.bonsai --ratio 0.01' '-o small --ratios 0.01,0.02'; do
    code=0
    timeout --preserve-status -s INT 0.8 "$BONSAI" condense large.bonsai $budget --sample all -t 1 -q \
        >out 2>err || code=$?
    [ $code -eq 130 ] || { echo "condense: SIGINT ends it with $code"; exit 1; }
    [ "$(cat err)" = 'bonsai: canceled' ] || { cat err; exit 1; }
    [ "$(ls -A)" = "$(printf 'err\nlarge.bonsai\nout')" ] || { echo "left behind:"; ls -A; exit 1; }
done
# And while training: no model, no curves.
"$BONSAI" condense large.bonsai -o small.bonsai --nodes 50 --method random -q >/dev/null
for what in 'train large.bonsai' 'eval small.bonsai --full large.bonsai'; do
    code=0
    timeout --preserve-status -s INT 0.8 "$BONSAI" $what --epochs 100000 --save m.bonsai --curves c.csv \
        -q >out 2>err || code=$?
    [ $code -eq 130 ] || { echo "$what: SIGINT ends it with $code"; cat err; exit 1; }
    [ "$(cat err)" = 'bonsai: canceled' ] || { cat err; exit 1; }
    [ "$(ls -A)" = "$(printf 'err\nlarge.bonsai\nout\nsmall.bonsai')" ] || { echo "left behind:"; ls -A; exit 1; }
done
# When only the training on the full graph is left, the results of the small one are not lost.
code=0
"$BONSAI" eval small.bonsai large.bonsai --epochs 200 --every 200 --seeds 1 --save m.bonsai >out 2>err &
for i in $(seq 1200); do
    [ -s m.bonsai ] && break || sleep 0.05
done
sleep 0.2
kill -TERM $!
wait $! || code=$?
[ $code -eq 143 ] || { echo "eval: SIGTERM ends it with $code"; cat err; exit 1; }
grep -q 'bonsai: canceled while training on large.bonsai as well: its accuracy is missing' err || { cat err; exit 1; }
grep -q '^model.gcn' out || { cat out; exit 1; }
[ -s m.bonsai ] || { echo "the model is lost"; exit 1; }
rm large.bonsai small.bonsai m.bonsai
# What nohup has ignored stays ignored.
trap '' HUP
"$BONSAI" generate --nodes 1500000 --no-linear -q -o g.bonsai >/dev/null &
sleep 0.1
kill -HUP $! || :       # on a very fast machine it is done by now
wait $!
"$BONSAI" check g.bonsai >/dev/null
