"""paper_page.py OUT PUBLISHED -- what `bonsai paper` wrote to OUT agrees with itself.

Every number, mark and note of index.html is read back and compared with results.json, that with
cells.jsonl and with the published figures, and results.csv with it.

SPDX-License-Identifier: MIT"""
import csv
import json
import os
import re
import sys
from html.parser import HTMLParser

NAMES = {'published': 'published', 'redone': 'published code, redone',
         'paper': "ours, paper's accounting", 'honest': 'ours, honest bytes', 'ours': 'measured here'}
TELLING = {'published': 'published', 'redone': 'redone', 'paper': 'accounting', 'honest': 'honest'}
UNITS = {'B': 1, 'kB': 1e3, 'MB': 1e6, 'GB': 1e9, 'TB': 1e12, '%': 1e-2}


# ---- the page, read back

class Page(HTMLParser):
    """verdict: a text; summary: texts; links: targets of the contents; sections by id: {how, sheets, charts, notes}.
    A sheet is a list of rows of cells; so is the table of a chart."""

    def __init__(self):
        super().__init__()
        self.summary, self.links, self.sections = [], [], {}
        self.section = self.table = self.cell = self.small = self.item = self.term = None
        self.into, self.nav, self.label, self.verdict = None, False, '', None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        css = attrs.get('class', '').split()
        if tag == 'nav':
            self.nav = True
        elif tag == 'a' and self.nav:
            self.links.append(attrs['href'])
        elif tag == 'p' and 'verdict' in css:
            self.into, self.verdict = 'verdict', ''
        elif tag == 'ul' and 'summary' in css:
            self.into = 'summary'
        elif tag == 'ul' and 'notes' in css:
            self.into = 'notes'
        elif tag == 'dl' and 'how' in css:
            self.into = 'how'
        elif tag in ('li', 'dt', 'dd') and self.into:
            self.item = [tag, attrs.get('id'), '']
        elif tag == 'section':
            self.section = self.sections.setdefault(
                attrs['id'], {'how': {}, 'sheets': [], 'charts': [], 'notes': {}})
        elif tag == 'table':
            self.table = []
            self.section['sheets' if 'sheet' in css else 'charts'].append(self.table)
        elif tag == 'tr':
            self.table.append([])
        elif tag in ('td', 'th'):
            self.cell = {'tag': tag, 'css': css, 'title': attrs.get('title'), 'text': '', 'sign': '',
                         'bold': False, 'note': None, 'small': {}}
        elif self.cell is not None:
            self.handle_part(tag, attrs, css)

    def handle_part(self, tag, attrs, css):
        if tag == 'small':
            self.small = css[0] if css else 'size'
            self.cell['small'][self.small] = ''
        elif tag == 'span' and 'sign' in css:
            self.into = 'sign'
        elif tag == 'a':
            self.cell['note'] = attrs['href'][1:]
            self.into = 'note'
        elif tag == 'b':
            self.cell['bold'] = True

    def handle_endtag(self, tag):
        if tag == 'nav':
            self.nav = False
        elif tag in ('ul', 'dl') or (tag == 'p' and self.into == 'verdict'):
            self.into = None
        elif tag == 'small':
            self.small = None
        elif tag in ('span', 'a') and self.into in ('sign', 'note'):
            self.into = None
        elif tag in ('td', 'th'):
            self.cell['text'] = ' '.join(self.cell['text'].split())
            self.table[-1].append(self.cell)
            self.cell = None
        elif tag in ('li', 'dt', 'dd') and self.item:
            self.end_item()

    def end_item(self):
        kind, name, text = self.item
        if self.into == 'summary':
            self.summary.append(text)
        elif self.into == 'notes':
            self.section['notes'][name] = text
        elif kind == 'dt':
            self.term = text
        else:
            how = self.section['how']           # what is long is told in two parts
            how[self.term] = how[self.term] + ' ' + text if self.term in how else text
        self.item = None

    def handle_data(self, data):
        if self.into == 'verdict':
            self.verdict += data
        elif self.item is not None:
            self.item[2] += data
        elif self.cell is None or self.into == 'note':
            return
        elif self.into == 'sign':
            self.cell['sign'] += data
        elif self.small:
            self.cell['small'][self.small] += data
        else:
            self.cell['text'] += data


# ---- numbers

def number(text):
    return float(text.replace(',', '').replace('\u2212', '-').replace('e--', 'e-'))


def agrees(text, value, unit=1.0):
    """Whether the text is the value, rounded to the digits that it has."""
    digits = len(text.partition('.')[2])
    return abs(number(text) * unit - value) <= 0.5 * 10.0 ** -digits * unit * (1 + 1e-6) + 1e-12


def shown(n):
    return '%d' % n if n < 1000 else f'{n:,}'


def check_value(cell, text, decimals):
    if cell is None:
        assert text == '–', text
        return
    if 'text' in cell:
        assert text == ' '.join(cell['text'].split()), (text, cell)
        return
    if text.startswith('<'):
        assert number(text[1:]) == 10.0 ** -decimals and 0 < cell['value'] < number(text[1:]) / 2, text
        return
    value, _, spread = text.partition(' ± ')
    assert len(value.partition('.')[2]) == decimals and agrees(value, cell['value']), (text, cell)
    assert bool(spread) == ('spread' in cell) and (not spread or agrees(spread, cell['spread'])), text


def check_size(cell, text):
    """'1,689 nodes, 4,433 edges, 1.2 MB, 31 % of bytes', as far as the cell says."""
    parts = text.replace('\u00a0', ' ').split(', ') if text else []
    for key in ('nodes', 'edges'):
        if key in cell:
            count = parts.pop(0)
            word = key if cell[key] != 1 else key[:-1]
            assert count == '%s %s' % (shown(cell[key]), word), (count, cell)
    for key in ('bytes', 'share'):
        if key in cell:
            digits, unit = parts.pop(0).split(' ')[:2]
            assert agrees(digits, cell[key], UNITS[unit]), (text, cell)
    if 'cut' in cell:
        assert parts.pop(0) == cell['cut'], (text, cell)
    assert not parts, text


def words_on(cell):
    """What the mouse shows."""
    counts = []
    if 'labelled' in cell:
        counts.append('%s labelled nodes' % shown(cell['labelled']))
    counts += ['%s %s' % (shown(cell[k]), k if cell[k] != 1 else k[:-1])
               for k in ('features', 'splits', 'draws', 'runs') if k in cell]
    words = [', '.join(counts)] if counts else []
    verdict = cell.get('verdict')
    if verdict and not (verdict == 'better' and cell.get('large')):
        words.append(('no clear difference from ' if verdict == 'same' else verdict + ' than ') +
                     cell['against'])
    return '; '.join(words)


# ---- tables

def decimals_of(table, k):
    """A column of whole numbers has none."""
    cells = [row[k] for row in table['rows'] if row[k] and 'value' in row[k]]
    whole = all(c['value'] == int(c['value']) and 'spread' not in c for c in cells)
    return 0 if whole else table['decimals']


def check_cell(cell, drawn, column, decimals, notes):
    where = (column['key'], cell, drawn)
    check_value(cell, drawn['text'], decimals)
    cell = cell or {}
    assert column['source'] in drawn['css'], where
    better = cell.get('verdict') == 'better' and not cell.get('large')
    worse = cell.get('verdict') == 'worse'
    assert drawn['bold'] == better == ('better' in drawn['css']), where
    assert drawn['sign'] == ('★' if better else '▼' if worse else ''), where
    assert ('large' in drawn['css']) == bool(cell.get('large')) == ('much' in drawn['small']), where
    check_size(cell, drawn['small'].get('size', ''))
    words = words_on(cell)
    assert drawn['small'].get('more', '').replace('\u00a0', ' ') == words, where
    assert drawn['small'].get('than', '') == (words.split('; ')[-1] if better or worse else ''), where
    broken = cell.get('broken')
    title = '; '.join(filter(None, [words, broken and 'broken: ' + broken]))
    assert (drawn['title'] or '').replace('\u00a0', ' ') == title, where
    assert bool(drawn['note']) == bool(broken), where
    if broken:
        assert notes[drawn['note']].partition(' ')[2] == broken, where
    return 'value' in cell or 'text' in cell


def key_text(key):
    return key if isinstance(key, str) else '–' if key is None else '%g' % key


def check_heads(table, drawn, grouped):
    keys = [c for c in table['head'] if c['source'] == 'key']
    values = [c for c in table['head'] if c['source'] != 'key']
    assert drawn[0]['text'] == ' '.join(c['label'] for c in keys[grouped:]), drawn[0]
    assert [d['text'] for d in drawn[1:]] == [c['label'] for c in values], drawn
    for column, d in zip(values, drawn[1:]):
        said = TELLING.get(column['source'])
        told = column['source'] not in NAMES or (said and said in column['label'].lower())
        assert d['small'].get('size', '').replace('\u00a0', ' ') == ('' if told else NAMES[column['source']]), d
        assert column['source'] in d['css'], d


def check_sheet(table, section):
    """Every number of a table; returns how many there are."""
    if not table['rows']:
        assert not section['sheets'], table['name']
        return 0
    (lines,) = section['sheets']
    keys = [i for i, c in enumerate(table['head']) if c['source'] == 'key']
    values = [i for i, c in enumerate(table['head']) if c['source'] != 'key']
    first = [row[keys[0]] for row in table['rows']]
    grouped = len(keys) > 1 and any(a == b for a, b in zip(first, first[1:]))
    check_heads(table, lines[0], grouped)
    lines, numbers = iter(lines[1:]), 0
    decimals = {k: decimals_of(table, k) for k in values}
    for i, row in enumerate(table['rows']):
        if grouped and (i == 0 or first[i] != first[i - 1]):
            (name,) = next(lines)
            assert name['text'] == key_text(first[i]), name
        line = next(lines)
        assert line[0]['text'] == ' '.join(key_text(row[k]) for k in keys[grouped:]), line[0]
        assert len(line) == 1 + len(values), line
        for k, drawn in zip(values, line[1:]):
            numbers += check_cell(row[k], drawn, table['head'][k], decimals[k], section['notes'])
    assert next(lines, None) is None
    reasons = {row[k]['broken'] for row in table['rows'] for k in values
               if isinstance(row[k], dict) and 'broken' in row[k]}
    assert len(section['notes']) == len(reasons), (table['name'], section['notes'])
    return numbers


# ---- charts

def check_bars(chart, lines, decimals):
    assert [d['text'] for d in lines[0][1:]] == [s['name'] for s in chart['series']]
    for i, label in enumerate(chart['labels']):
        assert lines[1 + i][0]['text'] == label
        for series, drawn in zip(chart['series'], lines[1 + i][1:]):
            value, text = series['values'][i], drawn['text']
            assert text == '–' if value is None else agrees(text, value), (text, value)
            assert value in (None, 0) or len(text.partition('.')[2]) == decimals, text


def near(text, value):
    """In curves numbers are rounded to two digits at least."""
    return abs(number(text) - value) <= 0.06 * abs(value) + 1e-9


def check_lines(chart, lines):
    points = [(c['name'], p) for c in chart['curves'] for p in c['at']]
    assert len(lines) == 1 + len(points), (len(lines), len(points))
    for (name, point), line in zip(points, lines[1:]):
        y, _, e = line[-1]['text'].partition(' ± ')
        assert line[0]['text'] == name and near(line[-2]['text'], point[0]) and near(y, point[1]), line
        assert bool(e) == (len(point) > 2 and point[2] > 0) and (not e or near(e, point[2])), line


def check_charts(table, drawn):
    charts = [c for c in table['charts'] if c['kind'] == 'bars' or any(k['at'] for k in c['curves'])]
    assert len(charts) == len(drawn), (table['name'], len(charts), len(drawn))
    for chart, lines in zip(charts, drawn):
        if chart['kind'] == 'bars':
            check_bars(chart, lines, table['decimals'])
        else:
            check_lines(chart, lines)


# ---- all of the page

def check_page(page, results):
    """Every part of results.json that a page shows; returns the count of numbers."""
    read = Page()
    read.feed(page)
    assert read.verdict == results.get('verdict'), read.verdict
    assert read.summary == results.get('summary', []), read.summary
    names = [t['name'] for t in results['tables']]
    assert read.links == ['#legend'] + ['#' + n for n in names], read.links
    assert list(read.sections) == ['legend'] + names, list(read.sections)
    numbers = 0
    for table in results['tables']:
        section = read.sections[table['name']]
        wanted = {label: table[key] for label, key in
                  (('Measured', 'about'), ('Data', 'data'), ('Protocol', 'protocol')) if table.get(key)}
        assert section['how'] == wanted, (section['how'], wanted)
        numbers += check_sheet(table, section)
        check_charts(table, section['charts'])
    for name in NAMES.values():
        assert name.replace("'", '&#39;') in page.replace('\u00a0', ' '), name
    assert not re.search(r'(src|href|srcset|action)="(?!#)|url\(|@import', page), 'the page asks for something'
    inside = re.search(r'<script type="application/json" id="results">(.*?)</script>', page, re.S)
    if inside:
        assert json.loads(inside.group(1)) == results
    return numbers


def check_csv(lines, results):
    """One line a value, with every member of its cell."""
    at = 0
    for table in results['tables']:
        keys = [c['key'] for c in table['head'] if c['source'] == 'key']
        for row in table['rows']:
            for column, cell in zip(table['head'], row):
                if not isinstance(cell, dict):
                    continue
                line, at = lines[at], at + 1
                assert (line['table'], line['column'], line['source']) == \
                    (table['name'], column['key'], column['source']), line
                for key, value in zip(keys, row):
                    assert line[key] == (value if isinstance(value, str) else '%g' % value), (key, line)
                for key, value in cell.items():
                    check_csv_value(line, key, value, cell)
    assert at == len(lines), (at, len(lines))


def check_csv_value(line, key, value, cell):
    key = 'bytes_share' if key == 'share' and 'bytes_share' in line else key   # share may be a key
    if isinstance(value, bool):
        assert line[key] == ('yes' if value else 'no'), (key, line)
    elif isinstance(value, str):
        assert line[key] == value or (key == 'text' and 'value' in cell), (key, line)
    else:
        assert abs(float(line[key]) - value) <= 1e-8 * abs(value), (key, line, value)


# ---- where the numbers come from

GRADIENTS = 'correlation with gradients'      # a row of what did not reproduce
LEARN = ('GCond', 'GDEM', 'GCSR', 'EXGC', 'GC-SNTK', 'GEOM')
METHODS = {'Random': 'random', 'Herding': 'herding', 'GCond': 'gcond', 'GDEM': 'gdem', 'GCSR': 'gcsr',
           'EXGC': 'exgc', 'GC-SNTK': 'gc-sntk', 'GEOM': 'geom', 'Bonsai': 'trees',
           'Bonsai, whole trees': 'trees', 'auto (ours)': 'auto', 'Full': 'full'}


def each_cell(results):
    """(table, keys of the row, column, cell) of all that is not a key."""
    for table in results['tables']:
        for row in table['rows']:
            of = {c['key']: v for c, v in zip(table['head'], row) if c['source'] == 'key'}
            for column, cell in zip(table['head'], row):
                if column['source'] != 'key':
                    yield table['name'], of, column, cell


def is_broken(broken, line):
    """Whether a line of broken.csv names the figure; * stands for anything."""
    return any(all(b[k] in ('*', line[k]) for k in ('table', 'dataset', 'ratio', 'model', 'method')) for b in broken)


def check_published(results, lines, broken):
    """Every published figure of the file is shown where it belongs, and no other; so are marks of broken ones."""
    says = {(r['table'], r['dataset'], r['ratio'], r['model'], r['method']): r for r in lines}
    count = 0
    for table, of, column, cell in each_cell(results):
        if column['source'] != 'published' or table == 'datasets':
            continue
        method = of.get('method') or of.get('component') or column['key']
        if method == GRADIENTS:
            r = says['gradient', of['dataset'], '', '', 'Correlation']
            assert cell['text'] == r['value'], (cell, r)
            continue
        where = {'energy': 'carbon', 'differences': 'accuracy' if of.get('model') == 'gcn' else 'models'}.get(
            table, table)
        ratio = '100' if method == 'Full' else '%g' % of['ratio'] if 'ratio' in of else ''
        judged = where in ('accuracy', 'models')
        r = says.get((where, of['dataset'], ratio if judged else '', of.get('model', 'gcn') if judged else '', method))
        assert (cell is None) == (r is None), (table, of, column)
        if r:
            assert cell['text'] == r['value'] + (' ± ' + r['spread'] if r['spread'] else ''), (cell, r)
            assert ('broken' in cell) == is_broken(broken, r), (cell, r)
            count += 1
    return count


def spread(values):
    middle = sum(values) / len(values)
    return (sum((v - middle) ** 2 for v in values) / (len(values) - 1)) ** 0.5


def figure(cells):
    """Mean and standard error: over splits, else over draws, else over runs.  None: it has no error."""
    splits = {}
    for c in cells:
        splits.setdefault(c['split'], []).append(c['accuracy_mean'])
    values = [sum(v) / len(v) for v in splits.values()]
    kind = 'splits'
    if len(values) == 1:
        values, kind = [c['accuracy_mean'] for c in cells], 'draws'
    if len(values) == 1:
        values, kind = cells[0]['accuracies'], 'runs'
    return (sum(values) / len(values), spread(values) / len(values) ** 0.5, kind) if len(values) > 1 else None


def verdict_on(own, beside, large):
    apart = abs(own[0] - beside[0]) > 2 * (own[1] ** 2 + beside[1] ** 2) ** 0.5
    word = 'same' if not apart else 'better' if own[0] > beside[0] else 'worse'
    return None if large and word == 'better' else word


def trains_as_published(results):
    o = results['options']
    return o['protocol'] == 'published' and o['epochs'] == 1000


def beside(results, cells, table, of, column, row):
    """What a cell is compared with, and its name; None: with nothing."""
    method, source = of['method'], column['source']
    if source == 'redone':
        says = row['published']
        known = says and 'value' in says and 'spread' in says and 'broken' not in says
        return (says['value'], says['spread']), 'published' if known and trains_as_published(results) else None
    if source == 'paper':
        return figure(cell_of(cells, table, dict(of, method='Bonsai'), 'redone')), 'Bonsai, published code redone'
    other = cell_of(cells, table, dict(of, method='Bonsai'), 'honest')
    return figure(other) if method != 'Bonsai' and other else None, 'Bonsai at honest bytes'


def check_verdicts(results, cells):
    """Each verdict is worked out anew from the cells; times have none."""
    for t in results['tables']:
        for line in t['rows']:
            row = {c['key']: v for c, v in zip(t['head'], line)}
            of = {c['key']: row[c['key']] for c in t['head'] if c['source'] == 'key'}
            for column in t['head']:
                cell = row[column['key']]
                if isinstance(cell, dict):
                    check_verdict(results, cells, t['name'], of, column, row, cell)


def check_verdict(results, cells, table, of, column, row, cell):
    if 'share' in cell and of.get('method') != 'Full':
        assert bool(cell.get('large')) == (cell['share'] > 0.5), cell
    if table == 'ablation' or column['source'] not in ('redone', 'paper', 'honest'):
        return
    wanted = None
    if table in ('accuracy', 'models') and 'value' in cell:
        own = figure(cell_of(cells, table, of, column['source']))
        fixed = of['method'] == 'Full' or (of['method'], column['source']) == ('Bonsai', 'redone')
        if own and (fixed or own[2] != 'runs') and (of['method'] not in LEARN or results['options']['effort'] >= 1):
            other, name = beside(results, cells, table, of, column, row) or (None, None)
            if other and name:
                wanted = verdict_on(own, other, cell.get('large'))
                assert not wanted or cell['against'] == name, (of, cell)
    assert cell.get('verdict') == wanted, (table, of, column, cell, wanted)


def check_differences(results, cells):
    """Every published accuracy that is off by more than two errors is listed, and no other."""
    by_name = {t['name']: t for t in results['tables']}
    if 'differences' not in by_name or not {'accuracy', 'models'} <= set(by_name):
        return 0
    wanted = set()
    for name in ('accuracy', 'models'):
        t = by_name[name]
        for line in t['rows']:
            row = {c['key']: v for c, v in zip(t['head'], line)}
            says, own = row['published'], row['redone']
            if not (says and own and 'value' in says and 'spread' in says and 'value' in own and
                    trains_as_published(results)) or (row['method'] in LEARN and results['options']['effort'] < 1):
                continue
            have = figure(cell_of(cells, name, row, 'redone'))
            fixed = row['method'] in ('Bonsai', 'Full')
            if have and (fixed or have[2] != 'runs') and verdict_on(have, (says['value'], says['spread']), False) != 'same':
                wanted.add((row['dataset'], row.get('model', 'gcn'), row['ratio'], row['method']))
    t = by_name['differences']
    rows = [{c['key']: v for c, v in zip(t['head'], line)} for line in t['rows']]
    listed = [r for r in rows if r['method'] != GRADIENTS]
    assert {(r['dataset'], r['model'], r['ratio'], r['method']) for r in listed} == wanted, (listed, wanted)
    for r in rows:
        gap = r['redone']['value'] - r['published']['value']
        assert abs(r['difference']['value'] - gap) < 1e-6 and r['reason']['text'], r
    return len(rows)


def cell_of(cells, table, of, source):
    """The cells that a number is the mean of."""
    ratio, method = of.get('ratio', 0.5), of.get('method', 'Bonsai')
    name = 'published' if (method, source) == ('Bonsai', 'redone') else METHODS[method]
    setting = {'honest': 'honest', 'paper': 'paper'}.get(source, 'paper' if method == 'Bonsai' else 'nodes %g' % ratio)
    if method == 'Bonsai, whole trees':
        setting += ' whole'
    return [c for c in cells if c['study'] == 'training' and c['method'] == name and
            c['model'] == of.get('model', 'gcn') and c['setting'].split(' ', 1)[0] == of['dataset'] and
            (name == 'full' or (c['setting'].split(' ', 1)[1].replace('drawn ', '') == setting and
                                ('nodes' in setting or abs(100 * c['ratio'] - ratio) < 1e-9)))]


def mean(cells, value):
    """Of the splits, each the mean of its draws."""
    splits = {}
    for c in cells:
        splits.setdefault(c['split'], []).append(value(c))
    return sum(sum(v) / len(v) for v in splits.values()) / len(splits)


def check_cells(results, cells):
    """Accuracies, seconds, grams and sizes are those of the cells."""
    parts = {'WL': 'seconds_wl', 'Rev-k-NN': 'seconds_knn', 'Greedy': 'seconds_cover',
             'PPR': 'seconds_sparsify', 'Total': 'seconds_condense'}
    count = 0
    for table, of, column, cell in each_cell(results):
        if column['source'] not in ('redone', 'paper', 'honest') or not cell or table not in (
                'accuracy', 'models', 'differences', 'seconds', 'components', 'energy', 'training'):
            continue
        if of.get('method') == GRADIENTS:
            continue
        own = cell_of(cells, table, of, column['source'])
        assert own, (table, of, column)
        if 'value' not in cell:                 # stopped before its first round
            assert all(c['learn_made'] == 0 < c['learn_rounds'] for c in own), (cell, own)
            continue
        trained = table == 'training' or own[0]['method'] == 'full'
        wanted = mean(own, (lambda c: c['accuracy_mean']) if table in ('accuracy', 'models', 'differences') else
                      (lambda c: c[parts[of['component']]]) if table == 'components' else
                      (lambda c: c['seconds_train'] / c['runs']) if trained else (lambda c: c['seconds_condense']))
        wanted *= 4.32e3 / 360000 if table == 'energy' else 1
        assert abs(cell['value'] - wanted) <= 1e-8 * abs(wanted), (table, of, column, cell, wanted)
        if len(own) == 1 and 'nodes' in cell:
            assert (cell['nodes'], cell['edges'], cell['bytes']) == (
                own[0]['nodes'], own[0]['edges'], own[0]['strict_bytes']), (cell, own)
        count += 1
    return count


# ---- all of it

def table_of(path):
    with open(path, encoding='utf-8', newline='') as f:
        return list(csv.DictReader(f))


def main():
    out, published_path = sys.argv[1:]
    with open(out + '/index.html', encoding='utf-8') as f:
        page = f.read()
    with open(out + '/results.json', encoding='utf-8') as f:
        results = json.load(f)
    check_csv(table_of(out + '/results.csv'), results)
    with open(out + '/cells.jsonl', encoding='utf-8') as f:
        cells = [json.loads(line) for line in f][1:]
    check_verdicts(results, cells)
    check_differences(results, cells)
    published = check_published(results, table_of(published_path),
                                table_of(os.path.join(os.path.dirname(published_path), 'broken.csv')))
    measured = check_cells(results, cells)
    assert 'id="results"' in page
    numbers = check_page(page, results)
    assert numbers > 300 and published > 50 and measured > 100, (numbers, published, measured)
    print('%d numbers of the page are right; %d of them are published, %d those of cells' % (
        numbers, published, measured))


if __name__ == '__main__':
    main()
