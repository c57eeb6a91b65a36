# The same bytes for any number of threads, also beside others that take the cores.
# SPDX-License-Identifier: MIT
"$BONSAI" generate --nodes 6000 --features 200 --dense --no-linear -q -o g.bonsai >/dev/null || exit 1
condense() {        # METHOD THREADS
    "$BONSAI" condense g.bonsai -o s$2.bonsai --ratio 0.02 --method $1 -t $2 -q >/dev/null
}
same() {            # METHOD
    for t in 1 2 3 8 64; do
        condense $1 $t && cmp s1.bonsai s$t.bonsai || exit 1
        rm -f s[2-9]*.bonsai
    done
}
same auto
same trees
cp s1.bonsai quiet.bonsai
busy=
trap 'kill $busy' EXIT
for _ in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
    (while kill -0 $$; do :; done) &    # ends with this test, whatever ends it
    busy="$busy $!"
done
same trees
cmp quiet.bonsai s1.bonsai
