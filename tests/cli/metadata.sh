# The report in a condensed graph's metadata may be anything: a sentence or an answer, never a
# crash, and nothing in it reaches a terminal as a code.
# SPDX-License-Identifier: MIT
command -v python3 >/dev/null || exit 77
"$BONSAI" generate -q -o g.bonsai --nodes 100 --features 20 --words 3 --no-linear >/dev/null
"$BONSAI" condense g.bonsai -o c.npz --nodes 4 --method herding -q >/dev/null
python3 - <<'END'
import json, struct, zipfile
given = zipfile.ZipFile('c.npz')
def array(data):
    head = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(data)
    head += ' ' * (63 - (10 + len(head)) % 64) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data
none = [{}, {'method': 5}, {'method': 'trees'}, {'method': 'trees', 'why': {'tree': [0, 1]}}]
odd = [{'method': 'trees', 'why': {'tree': [0, 1, 2, 3]}},
       {'method': 'trees\x1b[31m', 'why': {'tree': ['a', None, 3.5, -9], 'covers': 5, 'score': [1e300]},
        'sizes': {'nodes': 1e300, 'bytes': -1e300, 'full_nodes': 'x', 'full_bytes': 1 << 62},
        'cover': {'sample': 1 << 62, 'trees': 1e18, 'rounds': 1e18}, 'options': {'layers': 1e12, 'k': [], 'split': [50, 1e300, 'x'], 'seed': 'x'}},
       {'method': 'trees', 'why': {'tree': [0, 1, 2, 3]}, 'sizes': {'full_nodes': 100, 'full_edges': -1},
        'options': {'split': [50, 25, 25], 'seed': -1}},
       {'method': 'trees', 'why': {'tree': [0, 1, 2, 3]}, 'sizes': {'full_nodes': 100}, 'options': {'split': 5}}]
for kind, list in ('none', none), ('odd', odd):
    for i, metadata in enumerate(list):
        with zipfile.ZipFile('%s%d.npz' % (kind, i), 'w') as out:
            for name in given.namelist():
                out.writestr(name, array(json.dumps(metadata).encode()) if name == 'metadata.npy'
                             else given.read(name))
END
for graph in none?.npz; do
    code=0
    "$BONSAI" explain $graph >out 2>err || code=$?
    [ $code -eq 1 ] && grep -q 'is not a condensed graph' err || { echo "$graph: $code"; cat err; exit 1; }
    "$BONSAI" info $graph >/dev/null
done
for graph in odd?.npz; do
    for how in '' '--node 0' '--node 3' --json; do
        "$BONSAI" explain $graph $how >out
        [ -s out ]
    done
    "$BONSAI" info $graph >/dev/null
    "$BONSAI" eval $graph --full g.bonsai --epochs 2 --seeds 1 >out 2>err
    grep -q '^note: .* was condensed from a graph of ' err
done
"$BONSAI" eval odd2.npz --full g.bonsai --epochs 2 --seeds 1 2>/dev/null | grep -q '^split.50/25/25, seed 18446744073709551615$'
"$BONSAI" eval odd3.npz --full g.bonsai --epochs 2 --seeds 1 2>/dev/null | grep -q "^split.the graph's own$"
script -qec true /dev/null >/dev/null 2>&1 || exit 0     # no terminal to be had
script -qec "$BONSAI explain odd1.npz; $BONSAI eval odd1.npz --full g.bonsai --epochs 1 --seeds 1; $BONSAI explain odd1.npz --node 1; $BONSAI info odd1.npz" /dev/null >out
! grep -q "$(printf '\033')" out || { echo 'a code reached the terminal'; exit 1; }
