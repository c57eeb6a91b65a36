# bonsai paper knows the real datasets, whatever their layout; skipped where they are not.
# SPDX-License-Identifier: MIT
command -v python3 >/dev/null || exit 77
data=
for folder in "$ROOT/../shared/data" "$ROOT/../../shared/data"; do
    [ -d "$folder/planetoid" ] && [ -d "$folder/npz" ] && data=$folder
done
[ -n "$data" ] || exit 77
"$BONSAI" paper --data "$data" --out out --quick --epochs 1 --only gradient >/dev/null 2>err
python3 - <<'END'
import json
results = json.load(open('out/results.json'))
found = {d['name']: d['path'] for d in results['datasets']}
assert sorted(found) == ['citeseer', 'cora', 'pubmed'], found
assert found['cora'].endswith('planetoid/ind.cora')
for d in results['datasets']:       # with the index lists of the published split, where they are
    assert d['lists'] is None or d['lists'].endswith('published/%s-0.005.npz' % d['name']), d
assert [d['name'] for d in results['missing']] == ['flickr', 'ogbn-arxiv', 'reddit', 'mag240m']
rows = results['tables'][0]['rows']
assert [r[0] for r in rows] == ['cora', 'citeseer', 'pubmed']
for row in rows:        # near in WL space is near for gradients, as the paper finds
    assert row[3]['value'] > 0.25 and row[4]['value'] < 1e-6, row
END
