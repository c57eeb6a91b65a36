# Under any limit of memory a command works, or ends with one sentence: it neither hangs nor crashes.
# SPDX-License-Identifier: MIT
command -v timeout >/dev/null || exit 77
if ! (ulimit -v 4000000 && exec "$BONSAI" version) >/dev/null 2>&1; then
    echo "a sanitizer reserves terabytes: skipped"
    exit 77
fi
"$BONSAI" generate --nodes 1000 --features 40 --dense --no-linear -q -o g.bonsai >/dev/null
"$BONSAI" condense g.bonsai -o s.bonsai --ratio 0.05 -q >/dev/null
"$BONSAI" train g.bonsai --epochs 2 --seeds 1 --save m.bonsai -q >/dev/null
cat >commands <<'C'
train g.bonsai --epochs 3 --seeds 2 --save new.bonsai
train g.bonsai --epochs 3 --seeds 2 --model gat -t 64
eval s.bonsai --full g.bonsai --epochs 3 --seeds 1
compare g.bonsai --ratios 0.05 --epochs 2 --seeds 1 --methods random -o new.jsonl
condense g.bonsai -o new.bonsai --ratio 0.05
condense g.bonsai -o new.bonsai --ratio 0.05 -t 1024
predict m.bonsai g.bonsai
info g.bonsai --linear
report s.bonsai --full g.bonsai -o new.html
generate --nodes 1000 -o new.bonsai
C

failed() { echo "ulimit $1 $2: $3: exit code $4"; cat err; exit 1; }
try() {         # OPTION KILOBYTES: every command under that limit
    while read -r line; do
        rm -f new.*
        code=0
        (ulimit "$1" "$2" && exec timeout -k 1 60 "$BONSAI" $line -q) >out 2>err </dev/null || code=$?
        case $code in
        0) ;;
        1) [ "$(grep -c . err)" -eq 1 ] && grep -q '^bonsai: ' err || failed "$1" "$2" "$line" $code
           [ ! -e new.bonsai ] || failed "$1" "$2" "$line" "$code, and leaves a file" ;;
        127) grep -q 'while loading shared libraries' err || failed "$1" "$2" "$line" $code ;;
        *) failed "$1" "$2" "$line" $code ;;
        esac
        done=$((done + (code == 0)))
    done <commands
}

# From the first limit under which its libraries can be loaded.
least=30000
until (ulimit -v $least && exec "$BONSAI" version) >/dev/null 2>&1; do
    least=$((least + 2000))
    [ $least -lt 1000000 ] || { echo "nothing starts"; exit 1; }
done
done=0
for kilobytes in $least $((least + 9000)) $((least + 120000)) $((least + 145000)) $((least + 500000)); do
    try -v $kilobytes
done
for kilobytes in 4000 20000 140000 600000; do
    try -d $kilobytes
done
[ $done -gt 40 ] || { echo "only $done commands worked"; exit 1; }

# What is too little for BLAS is told, and no more.
code=0
(ulimit -v $((least + 100000)) && exec timeout -k 1 60 "$BONSAI" train g.bonsai) >out 2>err || code=$?
[ $code -eq 1 ] && grep -q '^bonsai: out of memory: matrix products need a buffer of' err || failed -v few train $code
# A signal ends it there too.
code=0
(ulimit -v $((least + 200000)) && exec timeout --preserve-status -k 5 -s TERM 0.7 "$BONSAI" train g.bonsai \
    --epochs 100000 --seeds 1 -q) >out 2>err || code=$?
[ $code -eq 143 ] && [ "$(cat err)" = 'bonsai: canceled' ] || failed -v few 'train, SIGTERM' $code
# A small stack is no reason to crash: every command works.
while read -r line; do
    rm -f new.*
    code=0
    (ulimit -s 64 && exec timeout -k 1 60 "$BONSAI" $line -q) >out 2>err </dev/null || code=$?
    [ $code -eq 0 ] || failed -s 64 "$line" $code
done <commands
