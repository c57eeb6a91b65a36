# Everything that --json prints is JSON, and info has the promised members.
# SPDX-License-Identifier: MIT
command -v python3 >/dev/null || exit 77
"$BONSAI" generate -q -o g.bonsai --nodes 200 --features 20 --words 3 --json | python3 -m json.tool >generate.json
"$BONSAI" info g.bonsai --json --linear -q | python3 -m json.tool >info.json
"$BONSAI" check g.bonsai --json | python3 -m json.tool >check.json
"$BONSAI" convert g.bonsai h.npz --json | python3 -m json.tool >convert.json
"$BONSAI" split g.bonsai -o s.bonsai --json | python3 -m json.tool >split.json
"$BONSAI" version --json | python3 -m json.tool >version.json
"$BONSAI" help formats --json | python3 -m json.tool >formats.json
"$BONSAI" check nothing.bonsai --json >bad.json && exit 1
python3 - <<'END'
import json
for name in 'generate info check convert split version formats bad'.split():
    assert isinstance(json.load(open(name + '.json')), dict), name
info = json.load(open('info.json'))
for key in ('nodes edges features feature_nnz classes labelled train val test bytes format directed '
            'isolated homophily degree class_counts sections paper_bytes reading').split():
    assert key in info, key
for key in 'min median mean max histogram'.split():
    assert key in info['degree'], key
assert sum(info['class_counts']) == info['labelled']
assert sum(b['nodes'] for b in info['degree']['histogram']) == info['nodes'] == 200
assert sum(s['bytes'] for s in info['sections'] if s['counted']) == info['bytes']
assert all(set(s) == {'name', 'type', 'count', 'bytes', 'counted'} for s in info['sections'])
assert json.load(open('bad.json'))['valid'] is False
END
