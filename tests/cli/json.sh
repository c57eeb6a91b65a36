# Everything that --json prints is JSON, and info has the promised members.
# SPDX-License-Identifier: MIT
command -v python3 >/dev/null || exit 77
"$BONSAI" generate -q -o g.bonsai --nodes 200 --features 20 --words 3 --json | python3 -m json.tool >generate.json
"$BONSAI" info g.bonsai --json --linear -q | python3 -m json.tool >info.json
"$BONSAI" check g.bonsai --json | python3 -m json.tool >check.json
"$BONSAI" convert g.bonsai h.npz --json | python3 -m json.tool >convert.json
"$BONSAI" split g.bonsai -o s.bonsai --json | python3 -m json.tool >split.json
"$BONSAI" condense g.bonsai -o c.bonsai -r 0.1 -s 3 --json -q | python3 -m json.tool >condense.json
"$BONSAI" condense g.bonsai -o c --ratios 0.1,0.3,1 -s 3 --json -q | python3 -m json.tool >ratios.json
"$BONSAI" condense g.bonsai -o r.bonsai --nodes 20 --method random --json -q | python3 -m json.tool >random.json
"$BONSAI" explain c.bonsai --json | python3 -m json.tool >explain.json
"$BONSAI" explain c.bonsai --node 0 --json | python3 -m json.tool >node.json
"$BONSAI" info c.bonsai --json | python3 -m json.tool >small.json
"$BONSAI" version --json | python3 -m json.tool >version.json
"$BONSAI" help formats --json | python3 -m json.tool >formats.json
"$BONSAI" check nothing.bonsai --json >bad.json && exit 1
python3 - <<'END'
import json
for name in 'generate info check convert split condense explain node small version formats bad'.split():
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
small, got = json.load(open('small.json')), json.load(open('condense.json'))
for key in ('method nodes edges labelled roots bytes full_bytes ratio paper_ratio coverage coverage_check '
            'coverage_bound seconds peak_rss_bytes seed budget options file_bytes written').split():
    assert key in got, key
assert set(got['seconds']) == {'wl', 'knn', 'cover', 'sparsify', 'total'}
for key in 'nodes edges labelled bytes paper_bytes file_bytes'.split():
    assert got[key] == small[key], key
assert got['full_bytes'] == info['bytes'] and got['full_nodes'] == 200 and got['seed'] == 3
assert got['bytes'] <= got['budget']['limit'] == int(0.1 * info['bytes'])
assert 0.9 <= got['budget']['used'] <= 1 and abs(got['ratio'] - got['bytes'] / got['full_bytes']) < 1e-9
assert 0 < got['coverage'] <= got['coverage_bound'] <= 1 and got['options']['ratio'] == 0.1
assert small['condensed']['method'] == 'trees' and small['condensed']['roots'] == got['roots']
assert small['condensed']['roots'] + small['condensed']['ego'] == got['nodes']
ratios = json.load(open('ratios.json'))
assert [r['written'] for r in ratios] == ['c-0.1.bonsai', 'c-0.3.bonsai', 'c-1.bonsai']
assert all(ratios[0][k] == got[k] for k in 'nodes edges roots bytes coverage'.split())
assert all(r['bytes'] <= r['budget']['limit'] for r in ratios)
random = json.load(open('random.json'))
assert random['nodes'] == 20 and random['budget'] == {'limit': 20, 'unit': 'nodes', 'used': 1.0}
assert random['coverage'] is None
explain, node = json.load(open('explain.json')), json.load(open('node.json'))
assert explain['nodes'] == got['nodes'] and explain['bytes'] == got['bytes'] and explain['method'] == 'trees'
covers = [r['covers'] for r in explain['top_roots']]
assert covers == sorted(covers, reverse=True) and covers[0] > 0
why = small['metadata']['why']
assert node['tree'] == why['tree'][0] and node['covers'] == why['covers'][0]
assert node['rank'] == 1 + sum(x > why['score'][0] for x in why['score'])
assert json.load(open('bad.json'))['valid'] is False
END
