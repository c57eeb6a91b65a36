# bonsai paper goes on where a graph below its folder is too large to be read.
# SPDX-License-Identifier: MIT
command -v python3 >/dev/null || exit 77
run() { "$BONSAI" paper --out out --quick --epochs 1 --only gradient -t 1 "$@"; }
mkdir -p data/cora
(cd data/cora && python3 "$HERE/cora_size.py")

# MAG240M as distributed is not read, however small it is; the note says what to do.
raw=data/mag240m/mag240m_kddcup2021
mkdir -p $raw/processed/paper $raw/processed/paper___cites___paper
echo nothing >$raw/processed/paper___cites___paper/edge_index.npy
run --data data >/dev/null 2>err || { cat err; exit 1; }
grep -q "^note: $raw is MAG240M as distributed; convert its labelled papers first: bonsai convert $raw mag240m.bonsai --labelled\$" err ||
    { cat err; exit 1; }
[ "$(grep -c edge_index err)" -eq 0 ] || { cat err; exit 1; }

# A graph that does not fit in memory is left out; it is the reason if there is no other.
limit=400000
(ulimit -d $limit && exec "$BONSAI" version -q) >/dev/null 2>&1 || exit 0       # with sanitizers
mkdir -p data/large/raw
python3 - <<'END_OF_FOLDER'
import struct, zipfile
def array(z, name, type, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (type, shape)
    head = head.ljust(117) + '\n'
    with z.open(name + '.npy', 'w') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
        for part in data:
            f.write(part)
nodes, features = 450, 1 << 18
with zipfile.ZipFile('data/large/raw/data.npz', 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as z:
    array(z, 'num_nodes_list', '<i8', '(1,)', [struct.pack('<q', nodes)])
    array(z, 'num_edges_list', '<i8', '(1,)', [struct.pack('<q', 1)])
    array(z, 'edge_index', '<i8', '(2, 1)', [struct.pack('<2q', 0, 1)])
    array(z, 'node_feat', '<f4', (nodes, features), [bytes(4 * features)] * nodes)
with zipfile.ZipFile('data/large/raw/node-label.npz', 'w') as z:
    array(z, 'node_label', '<i8', '(%d,)' % nodes, [bytes(8 * nodes)])
END_OF_FOLDER
(ulimit -d $limit && run --data data >/dev/null 2>err) || { cat err; exit 1; }
grep -q '^note: data/large does not fit in memory: left out$' err || { cat err; exit 1; }
(ulimit -d $limit && run --data data/large >/dev/null 2>err) && exit 1
grep -q '^bonsai: data/large: does not fit in memory' err || { cat err; exit 1; }
