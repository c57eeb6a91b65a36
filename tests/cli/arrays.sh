# A folder of large arrays is written while it is read, within --memory; elsewhere a note says that
# --memory has no effect.
# SPDX-License-Identifier: MIT
command -v python3 >/dev/null || exit 77
python3 - <<'END_OF_FOLDER'
import os, struct, zipfile
def array(type, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (type, shape)
    head = head.ljust(117) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data
def archive(path, members):
    with zipfile.ZipFile(path, 'w') as z:
        for name, data in members.items():
            z.writestr(name + '.npy', data)
os.makedirs('arrays/raw')
archive('arrays/raw/data.npz', {
    'num_nodes_list': array('<i8', '(1,)', struct.pack('<q', 3)),
    'num_edges_list': array('<i8', '(1,)', struct.pack('<q', 2)),
    'edge_index': array('<i8', '(2, 2)', struct.pack('<4q', 0, 1, 1, 2)),
    'node_feat': array('<f4', '(3, 2)', struct.pack('<6f', 1, 2, 3, 4, 5, 6))})
archive('arrays/raw/node-label.npz',
        {'node_label': array('<f4', '(3, 1)', struct.pack('<3f', 0, 1, float('nan')))})
END_OF_FOLDER
mkdir -p text/raw
printf '0,1\n1,2\n' >text/raw/edge.csv
printf '1,2\n3,4\n5,6\n' >text/raw/node-feat.csv
printf '0\n1\n\n' >text/raw/node-label.csv
echo 3 >text/raw/num-node-list.csv
echo 2 >text/raw/num-edge-list.csv
quiet() { "$BONSAI" convert "$@" --memory 1M >/dev/null 2>err || exit 1; ! grep -e --memory err; }
noted() { "$BONSAI" convert "$@" --memory 1M >/dev/null 2>err || exit 1
          grep -q 'memory has an effect only where a folder of large arrays' err || { echo "$@"; exit 1; }; }
set -e
quiet arrays a.bonsai
quiet ogb:arrays bonsai:b --features-as keep --labelled
noted arrays a.npz
noted arrays b.bonsai --order degree
noted arrays b.bonsai --normalise rows
noted arrays b.bonsai --features-as f16
noted arrays b.bonsai --keep-repeated
noted text b.bonsai
noted a.bonsai b.bonsai
"$BONSAI" convert text b.bonsai >/dev/null 2>err
! grep -e --memory err
