# A full disk, a killed rank, a signal: all ranks end within seconds, and leave nothing.
# SPDX-License-Identifier: MIT
"$BONSAI" generate -o big.bonsai --nodes 100000 --dense --features 50 --no-linear -q >/dev/null

# A disk that is full at 8 MB: the signal is ignored, so that writing fails as it does there.
as 'trap "" XFSZ; ulimit -f 16384; exec "$BONSAI_MPI" condense big.bonsai -o small.bonsai --ratio 0.5 \
    --method trees --no-rknn --no-ppr -q' 3
says 1 'bonsai-mpi: small.bonsai: cannot be written: File too large'
rm -f script out err
[ "$(echo *)" = big.bonsai ] || fail "a full disk leaves $(echo *)"

# While they are at work: begin, wait until every rank is there, and do something to them.
condense='condense big.bonsai -o small.bonsai --ratio 0.1 --method trees --sample all -t 1'
launch() {          # the command
    printf 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\necho $$ >pid.$rank\nexec "$BONSAI_MPI" %s\n' \
        "$1" >script
    sh "$HERE/start.sh" 3 sh ./script >out 2>err </dev/null &
    started=$!
}
begin() {
    launch "$1"
    for i in $(seq 50); do
        sleep 0.1
        [ -s pid.0 ] && [ -s pid.1 ] && [ -s pid.2 ] && break
    done
    sleep 0.5
    kill -0 "$started" || fail "it ended by itself"
}
ended() {           # that all did, within 30 seconds, and what is left
    since=$(date +%s)
    code=0
    wait "$started" || code=$?
    [ $code -ne 0 ] && [ $code -ne 124 ] || fail "$1: the exit code is $code"
    for r in 0 1 2; do          # mpirun does not wait for the last breath of those that it kills
        while kill -0 "$(cat pid.$r)" 2>/dev/null; do
            [ $(($(date +%s) - since)) -lt 30 ] || fail "$1: rank $r lives on"
            sleep 0.1
        done
        rm pid.$r
    done
    [ $(($(date +%s) - since)) -lt 30 ] || fail "$1: it took too long to end"
    rm -f script out err
    [ "$(echo *)" = big.bonsai ] || fail "$1 leaves $(echo *)"
}
for rank in 1 0; do
    begin "$condense"
    kill -9 "$(cat pid.$rank)"
    ended "killing rank $rank"
done
for signal in TERM INT; do
    begin "$condense"
    kill -$signal "$started"
    ended "SIG$signal"
done
# While they write one file together, which has no name yet.
launch 'generate -o gen.bonsai --nodes 400000 --dense --features 150 --no-linear -q -t 1'
until [ -s pid.0 ] && [ -s pid.1 ] && [ -s pid.2 ] &&
    ls -l "/proc/$(cat pid.0)/fd" 2>/dev/null | grep -q "$work/.*(deleted)"; do
    kill -0 "$started" || fail "it ended before it was seen to write"
    sleep 0.01
done
kill -9 "$(cat pid.1)" || fail "it was too fast to be killed"
ended "killing rank 1 while it writes"

begin "$condense"   # one rank alone is told to stop, as a batch system may: all do
kill -TERM "$(cat pid.2)"
ended "SIGTERM of one rank"
