# Everything that --json prints is JSON, and info has the promised members.
# SPDX-License-Identifier: MIT
command -v python3 >/dev/null || exit 77
"$BONSAI" generate -q -o g.bonsai --nodes 200 --features 20 --words 3 --json | python3 -m json.tool >generate.json
"$BONSAI" info g.bonsai --json --linear -q | python3 -m json.tool >info.json
"$BONSAI" check g.bonsai --json | python3 -m json.tool >check.json
"$BONSAI" convert g.bonsai h.npz --json | python3 -m json.tool >convert.json
"$BONSAI" split g.bonsai -o s.bonsai --json | python3 -m json.tool >split.json
"$BONSAI" condense g.bonsai -o c.bonsai -r 0.1 -s 3 --method trees --json -q | python3 -m json.tool >condense.json
"$BONSAI" condense g.bonsai -o c --ratios 0.1,0.3,1 -s 3 --method trees --json -q | python3 -m json.tool >ratios.json
"$BONSAI" condense g.bonsai -o r.bonsai --nodes 20 --method random --json -q | python3 -m json.tool >random.json
"$BONSAI" condense g.bonsai -o p.bonsai -r 0.1 --members --json -q | python3 -m json.tool >auto.json
"$BONSAI" explain p.bonsai --json | python3 -m json.tool >prototypes.json
"$BONSAI" explain p.bonsai --node 1 --full g.bonsai --json | python3 -m json.tool >prototype.json
"$BONSAI" explain c.bonsai --json | python3 -m json.tool >explain.json
"$BONSAI" explain c.bonsai --node 0 --json | python3 -m json.tool >node.json
"$BONSAI" info c.bonsai --json | python3 -m json.tool >small.json
"$BONSAI" train g.bonsai --model gcn,sage --seeds 3 -s 4 --epochs 12 --every 5 --save m --json -q | python3 -m json.tool >train.json
"$BONSAI" eval c.bonsai --full g.bonsai --seeds 2 --epochs 4 --every 3 --curves curves.csv --json -q | python3 -m json.tool >eval.json
"$BONSAI" train g.bonsai --seeds 1 --epochs 2 --protocol paper --save m.npz --json -q | python3 -m json.tool >paper.json
"$BONSAI" predict m-sage.bonsai g.bonsai -o rows.csv --probabilities --json -q | python3 -m json.tool >predict.json
"$BONSAI" predict m-gcn.bonsai g.bonsai --json -q | python3 -m json.tool >predict_gcn.json
"$BONSAI" version --json | python3 -m json.tool >version.json
"$BONSAI" help formats --json | python3 -m json.tool >formats.json
"$BONSAI" check nothing.bonsai --json >bad.json && exit 1
python3 - <<'END'
import csv, json, zipfile
for name in 'generate info check convert split condense explain node small train eval paper predict version formats bad'.split():
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
assert set(got['seconds']) == {'measure', 'wl', 'knn', 'cover', 'sparsify', 'cluster', 'fit', 'probe', 'learn',
                               'finish', 'total'}
for key in 'nodes edges labelled bytes paper_bytes file_bytes'.split():
    assert got[key] == small[key], key
assert got['full_bytes'] == info['bytes'] and got['full_nodes'] == 200 and got['seed'] == 3
assert got['bytes'] <= got['budget']['limit'] == int(0.1 * info['bytes'])
assert 0.9 <= got['budget']['used'] <= 1 and abs(got['ratio'] - got['bytes'] / got['full_bytes']) < 1e-9
assert 0 < got['coverage'] <= got['coverage_bound'] <= 1 and got['options']['ratio'] == 0.1
assert got['measured'] == 1     # so few trees are all compared
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
auto, made, one = (json.load(open(f + '.json')) for f in ('auto', 'prototypes', 'prototype'))
assert auto['method'] in ('trees', 'prototypes') and auto['why'].startswith(auto['method'] + ': the probe scores ')
assert auto['method'] == 'prototypes' and auto['probe'] >= auto['probe_other'] >= 0, auto['why']
assert auto['members'] is True and auto['labels'] == 'soft' and auto['values'] == 'u8'
assert auto['nodes'] == auto['prototypes'] == auto['labelled'] and auto['trees'] == info['train']
assert made['why'] == auto['why'] and made['nodes'] == auto['nodes']
assert abs(made['probe'] - auto['probe']) < 1e-6        # the record has nine digits
weights = [p['weight'] for p in made['top_prototypes']]
assert weights == sorted(weights, reverse=True)
assert one['members'] == one['weight'] and len(one['nearest']) == min(10, one['members'])
assert 80 < sum(s['percent'] for s in one['soft_label']) < 102      # the largest of them
train, judged, paper = (json.load(open(f + '.json')) for f in ('train', 'eval', 'paper'))
assert [m['model'] for m in train['models']] == ['gcn', 'sage'] and train['options']['every'] == 5
assert (train['train'], train['val'], train['test']) == (info['train'], info['val'], info['test'])
assert (judged['train'], judged['val'], judged['test']) == (got['labelled'], info['val'], info['test'])
for m in train['models'] + judged['models']:
    for key in ('accuracy_mean accuracy_std accuracy_val_mean seconds_train seconds_eval seconds_total '
                'parameters peak_rss_bytes in_blocks saved').split():
        assert key in m, key
    for r in m['runs']:
        assert set(r) == {'seed', 'best_epoch', 'loss', 'seconds_train', 'seconds_eval',
                          'accuracy', 'balanced', 'f1', 'auc', 'ap', 'f1max', 'accuracy_val',
                          'balanced_val', 'f1_val', 'auc_val', 'ap_val', 'f1max_val'}
        assert r['auc'] is None and r['auc_val'] is None and m['auc_mean'] is None
    for metric in ('accuracy', 'balanced', 'f1'):
        of = [r[metric] for r in m['runs']]
        mean = sum(of) / len(of)
        assert abs(m[metric + '_mean'] - mean) < 1e-6
        assert abs(m[metric + '_std'] ** 2 - sum((a - mean) ** 2 for a in of) / (len(of) - 1)) < 1e-6
    recall = [c['recall_mean'] for c in m['classes'] if c['test']]
    assert abs(sum(recall) / len(recall) - m['balanced_mean']) < 1e-6
    assert sum(c['test'] for c in m['classes']) == info['test']
    assert abs(m['seconds_train'] - sum(r['seconds_train'] for r in m['runs'])) < 1e-6
assert all([r['seed'] for r in m['runs']] == [4, 5, 6] for m in train['models'])
assert all(r['best_epoch'] in (5, 10, 12) for m in train['models'] for r in m['runs'])
assert train['models'][0]['parameters'] == (20 + 1) * 128 + (128 + 1) * info['classes']
assert train['models'][1]['saved'] == 'm-sage.bonsai' and judged['models'][0]['saved'] is None
assert (paper['options']['rate'], paper['options']['decay']) == (0.001, 0)
assert (paper['options']['epochs'], paper['options']['every']) == (2, 1)
curves = list(csv.DictReader(open('curves.csv')))
assert [(c['seed'], c['epoch'], c['accuracy_test'] != '') for c in curves] == [
    (s, e, e in '34') for s in '12' for e in '1234']
assert all(c['model'] == 'gcn' and float(c['loss']) > 0 for c in curves)
for run in judged['models'][0]['runs']:
    at = [c for c in curves if c['seed'] == str(run['seed']) and c['epoch'] == str(run['best_epoch'])]
    assert abs(float(at[0]['accuracy_test']) - run['accuracy']) < 1e-3
    assert abs(float(at[0]['accuracy_val']) - run['accuracy_val']) < 1e-3
# The model saved is that of the run that was best on the validation nodes.
for model, name in zip(train['models'], ('predict_gcn', 'predict')):
    best = max(model['runs'], key=lambda r: r['accuracy_val'])
    parts = {a['part']: a['accuracy'] for a in json.load(open(name + '.json'))['accuracy']}
    assert abs(parts['test'] - best['accuracy']) < 1e-6 and abs(parts['val'] - best['accuracy_val']) < 1e-6
rows = list(csv.DictReader(open('rows.csv')))
assert [r['node'] for r in rows] == [str(i) for i in range(200)]
for r in rows:
    p = [float(r['p%d' % k]) for k in range(info['classes'])]
    assert abs(sum(p) - 1) < 1e-4 and p[int(r['class'])] == max(p)
names = zipfile.ZipFile('m.npz').namelist()
assert {'convs.0.lin.weight.npy', 'convs.0.bias.npy', 'convs.1.lin.weight.npy', 'convs.1.bias.npy'} <= set(names), names
assert json.load(open('bad.json'))['valid'] is False
END
