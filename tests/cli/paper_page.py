"""paper_page.py OUT PUBLISHED -- what `bonsai paper` wrote to OUT agrees with itself.

Each table and chart of index.html is read back and compared with results.json, that with
cells.jsonl and with the published figures, and results.csv with it.

SPDX-License-Identifier: MIT"""
import csv
import json
import re
import sys
from html.parser import HTMLParser

out, published_path = sys.argv[1:]
page = open(out + '/index.html', encoding='utf-8').read()
results = json.load(open(out + '/results.json', encoding='utf-8'))


class Tables(HTMLParser):
    """tables: (section, caption, rows of (text, marked)); caption None below a chart."""

    def __init__(self):
        super().__init__()
        self.tables, self.section, self.cell, self.caption, self.silent = [], None, None, None, 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == 'section':
            self.section = attrs.get('id')
        elif tag == 'table':
            self.tables.append([self.section, None, []])
        elif tag == 'caption':
            self.caption = ''
        elif tag == 'tr':
            self.tables[-1][2].append([])
        elif tag in ('td', 'th'):
            self.cell = ['', 'mark' in attrs.get('class', '')]
        elif tag == 'span' and self.cell is not None:
            self.silent += 1

    def handle_endtag(self, tag):
        if tag == 'caption':
            self.tables[-1][1], self.caption = self.caption, None
        elif tag in ('td', 'th'):
            self.tables[-1][2][-1].append(tuple(self.cell))
            self.cell = None
        elif tag == 'span' and self.silent:
            self.silent -= 1

    def handle_data(self, data):
        if self.caption is not None:
            self.caption += data
        elif self.cell is not None and not self.silent:
            self.cell[0] += data


def shown(cell, decimals):
    if cell is None:
        return '–'
    if 'text' in cell:
        return cell['text']
    least = 10.0 ** -decimals
    if 0 < cell['value'] < least / 2:
        return '<%.*f' % (decimals, least)
    text = '%.*f' % (decimals, cell['value'])
    return text + ' ± %.*f' % (decimals, cell['spread']) if 'spread' in cell else text


def compare_tables(table, drawn):
    keys = [c for c in table['head'] if c['source'] == 'key']
    grouped = len(keys) > 1
    groups = {}
    for row in table['rows']:
        groups.setdefault(row[0] if grouped else '', []).append(row)
    assert len(drawn) == len(groups), (table['name'], len(drawn), list(groups))
    numbers = 0
    for (name, rows), (_, caption, lines) in zip(groups.items(), drawn):
        assert caption == table['title'] + (': ' + name if grouped else ''), caption
        labels = [c['label'] for c in table['head'][len(keys):]]
        assert [c[0] for c in lines[0][1:]] == labels, lines[0]
        assert len(lines) == 1 + len(rows)
        for row, line in zip(rows, lines[1:]):
            wanted = [k if isinstance(k, str) else '%g' % k for k in row[:len(keys)]]
            assert line[0][0] == (', '.join(wanted[1:]) if grouped else wanted[0]), line
            assert len(line) == 1 + len(row) - len(keys)
            for cell, (text, marked) in zip(row[len(keys):], line[1:]):
                assert text == shown(cell, table['decimals']), (table['name'], text, cell)
                assert marked == bool(cell and cell.get('better')), (text, cell)
                numbers += cell is not None
    return numbers


def number(text):
    return float(text.replace(',', '').replace('\u2212', '-'))


def compare_charts(table, drawn):
    charts = [c for c in table['charts']
              if c['kind'] == 'bars' or any(k['at'] for k in c['curves'])]
    assert len(charts) == len(drawn), (table['name'], len(charts), len(drawn))
    for chart, (_, _, lines) in zip(charts, drawn):
        if chart['kind'] == 'bars':
            for i, label in enumerate(chart['labels']):
                assert lines[1 + i][0][0] == label
                for k, series in enumerate(chart['series']):
                    value, text = series['values'][i], lines[1 + i][1 + k][0]
                    assert (value is None and not re.search('[0-9]', text)) or \
                        abs(number(text) - value) <= 0.00501, (text, value)
        else:
            points = [p for c in chart['curves'] for p in c['at']]
            assert len(lines) == 1 + len(points)
            for (x, y), line in zip(points, lines[1:]):
                for value, text in zip((x, y), (line[-2][0], line[-1][0])):
                    assert abs(number(text) - value) <= 0.06 * abs(value) + 1e-9, (text, value)


def check_page():
    parser = Tables()
    parser.feed(page)
    numbers = 0
    for table in results['tables']:
        mine = [t for t in parser.tables if t[0] == table['name']]
        numbers += compare_tables(table, [t for t in mine if t[1] is not None])
        compare_charts(table, [t for t in mine if t[1] is None])
    assert numbers > 300, numbers
    inside = re.search(r'<script type="application/json" id="results">(.*?)</script>', page, re.S)
    assert json.loads(inside.group(1)) == results
    assert not re.search(r'(src|href)="(?!#)', page), 'the page asks for something'
    return numbers


def check_published():
    """Every published figure that is shown is the one of the file, and better means better."""
    says = {}
    for r in csv.DictReader(open(published_path, encoding='utf-8')):
        says[r['table'], r['dataset'], r['ratio'], r['model'], r['method']] = r
    beside = {'trees': 'Bonsai', 'auto': 'Bonsai', 'random': 'Random', 'herding': 'Herding', 'full': 'Full'}
    for table in results['tables']:
        for row in table['rows']:
            of = {c['key']: v for c, v in zip(table['head'], row) if c['source'] == 'key'}

            def find(method):
                if table['name'] in ('accuracy', 'models'):
                    ratio = '100' if method == 'Full' else '%g' % of['ratio']
                    return says.get((table['name'], of['dataset'], ratio, of.get('model', 'gcn'), method))
                return says.get((table['name'], of['dataset'], '', '', method))

            for column, cell in zip(table['head'], row):
                if column['source'] == 'paper':
                    r = find(column['key'])
                    assert (cell is None) == (r is None), (table['name'], column, of)
                    if r:
                        assert cell['text'] == r['value'] + (' ± ' + r['spread'] if r['spread'] else '')
                elif column['source'] == 'ours' and cell and 'better' in cell:
                    method = {'gradient': 'Correlation'}.get(table['name'], beside.get(column['key'], column['key']))
                    theirs = float(find(method)['value'])
                    lower = table['name'] in ('seconds', 'components', 'carbon')
                    assert cell['better'] == (cell['value'] < theirs if lower else cell['value'] > theirs)


def check_cells():
    """Accuracies, seconds and carbon are those of the cells."""
    with open(out + '/cells.jsonl', encoding='utf-8') as f:
        assert list(json.loads(f.readline())) == ['bonsai_paper', 'options']
        cells = [json.loads(line) for line in f]
    fit = {(*c['setting'].split(' ', 1), round(100 * c['ratio'], 9), c['method'], c['model']): c
           for c in cells if c['study'] == 'training'}
    for table in results['tables']:
        if table['name'] not in ('accuracy', 'models', 'seconds', 'carbon', 'training'):
            continue
        for row in table['rows']:
            of = {c['key']: v for c, v in zip(table['head'], row) if c['source'] == 'key'}
            for column, cell in zip(table['head'], row):
                if column['source'] != 'ours':
                    continue
                full = column['key'] == 'full'
                c = fit.get((of['dataset'], 'strict' if full else of.get('accounting', 'strict'),
                             100 if full else of.get('ratio', 0.5), column['key'], of.get('model', 'gcn')))
                assert (cell is None) == (c is None or c['runs'] == 0), (table['name'], of, column)
                if cell is None:
                    continue
                train = c['seconds_train'] / c['runs']
                wanted = {'accuracy': c['accuracy_mean'], 'models': c['accuracy_mean'], 'training': train}.get(
                    table['name'], train if full else c['seconds_condense'])
                wanted *= 4.32e3 / 360000 if table['name'] == 'carbon' else 1
                assert abs(cell['value'] - wanted) <= 1e-8 * abs(wanted), (table['name'], of, column)


def check_csv():
    lines = list(csv.DictReader(open(out + '/results.csv', encoding='utf-8')))
    at = 0
    for table in results['tables']:
        for row in table['rows']:
            for column, cell in zip(table['head'], row):
                if not isinstance(cell, dict):
                    continue
                line = lines[at]
                at += 1
                assert (line['table'], line['column'], line['source']) == \
                    (table['name'], column['key'], column['source'])
                assert line['dataset'] == row[0]
                if 'value' in cell:
                    assert abs(float(line['value']) - cell['value']) <= 1e-8 * abs(cell['value'])
                else:
                    assert line['text'] == cell['text']
    assert at == len(lines)


check_published()
check_cells()
check_csv()
print('%d numbers of the page are right' % check_page())
