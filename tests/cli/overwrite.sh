# What a command overwrites keeps its mode, and a link its place.
# SPDX-License-Identifier: MIT
umask 022
"$BONSAI" generate -q -o g.bonsai --nodes 120 --features 40 --words 5 --no-linear >/dev/null
"$BONSAI" train -q g.bonsai --epochs 2 --seeds 1 --save m.bonsai >/dev/null
mkdir far
for name in new.bonsai c.npz p.csv t.html m2.bonsai; do
    echo old >far/$name
    chmod 600 far/$name
    ln -s far/$name $name
done
umask 027
"$BONSAI" generate -q -o new.bonsai --nodes 50 --no-linear >/dev/null
"$BONSAI" convert -q g.bonsai c.npz >/dev/null
"$BONSAI" predict -q m.bonsai g.bonsai -o p.csv >/dev/null
"$BONSAI" report -q g.bonsai -o t.html >/dev/null
"$BONSAI" train -q g.bonsai --epochs 2 --seeds 1 --save m2.bonsai --curves curves.csv >/dev/null
for name in new.bonsai c.npz p.csv t.html m2.bonsai; do
    [ -L $name ] || { echo "$name is no link any more"; exit 1; }
    [ "$(stat -c %a far/$name)" = 600 ] || { echo "$name: mode $(stat -c %a far/$name)"; exit 1; }
    [ "$(head -c 3 far/$name)" != old ] || { echo "$name was not written"; exit 1; }
done
[ "$(stat -c %a curves.csv)" = 640 ] || { echo "a new file has the mode $(stat -c %a curves.csv)"; exit 1; }
[ "$(ls -A far | wc -l)" -eq 5 ] || { echo "left behind:"; ls -A far; exit 1; }
# What a killed process left is gone the next time.
: >p.csv.tmp.bonsai-000000000000
: >far/p.csv.tmp.bonsai-000000000000
: >far/c.npz.tmp.bonsai-0123456789ab
"$BONSAI" predict -q m.bonsai g.bonsai -o p.csv >/dev/null
"$BONSAI" convert -q g.bonsai c.npz >/dev/null
[ "$(ls -A far | wc -l)" -eq 5 ] || { echo "left behind:"; ls -A far; exit 1; }
