"""test_results.py [PAGE [MEASURED]] -- every number of results.json is on the page, and a change is noticed.

results.json here is made up, and has every kind of cell and chart; `bonsai paper` writes such
files.  results.md is what tools/results makes of it; doc/results.md is what it makes of
doc/results.json.  GRAPHBONSAI_LIBRARY names the library that draws; PAGE: where to leave the page, MEASURED: the
one of doc/results.json.

SPDX-License-Identifier: MIT"""
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'cli'))
from paper_page import check_page  # noqa: E402


def drawn(results):
    library = ctypes.CDLL(os.environ['GRAPHBONSAI_LIBRARY'])
    library.bonsai_error.restype = ctypes.c_char_p
    page = {'title': 'Results', 'heading': 'Results', 'verdict': results.get('verdict'),
            'summary': results['summary'], 'about': [['Made up.']],
            'tables': results['tables'], 'data': results}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'page.html')
        assert library.bonsai_report_tables(path.encode(), json.dumps(page).encode()) == 0, library.bonsai_error()
        with open(path, encoding='utf-8') as f:
            return f.read()


def is_noticed(page, results):
    try:
        check_page(page, results)
    except (AssertionError, ValueError, KeyError, StopIteration):
        return True
    return False


def check_that_changes_are_noticed(page, results):
    """A digit of any table, a mark, a note, a label: each is changed once."""
    tables = page.index('<section id="accuracy"')
    data = page.index('<script type="application/json"')
    kinds = [r'<(?:b|span) class="v">[^<]*?(\d)', r'<small>(\d)', r'<small class="more">(\d)', r'(★)', r'(▼)',
             r' title="(\d)', r'<li id="n\d-\d"><b>†\d</b> (.)', r'<dt>(\w)', r'</dt><dd>(\w)', r' (large)"',
             r'<td>(\d)', r'<td>[\d.]+ ± (\d)', r'class="(honest|redone|published)']
    for kind in kinds:
        found = list(re.finditer(kind, page[tables:data]))
        assert found, kind
        for match in (found[0], found[len(found) // 2], found[-1]):
            start, end = tables + match.start(1), tables + match.end(1)
            other = {'★': '▼', '▼': '★', 'honest': 'paper'}.get(
                match.group(1), '9' if match.group(1) == '1' else '1')
            assert is_noticed(page[:start] + other + page[end:], results), match.group(0)


def check_markdown(folder):
    """The page that tools/results makes is the one that is there."""
    made = subprocess.run([sys.executable, '-B', os.path.join(HERE, '..', '..', 'tools', 'results'),
                           os.path.join(folder, 'results.json')], stdout=subprocess.PIPE, check=True).stdout
    with open(os.path.join(folder, 'results.md'), 'rb') as f:
        assert made == f.read(), folder + '/results.md is not what tools/results makes of results.json'


def check_verdict(doc):
    """The line above the tables says what is in them and in the summary."""
    with open(os.path.join(doc, 'results.json'), encoding='utf-8') as f:
        results = json.load(f)
    rows = next(t['rows'] for t in results['tables'] if t['name'] == 'accuracy')
    kept = re.findall(r'(\d+) %(?: of its accuracy)? on (\w+)', results['verdict'])
    assert len(kept) == len({row[0] for row in rows}), results['verdict']
    for percent, name in kept:
        of = {(row[1], row[2]): row for row in rows if row[0] == name.lower()}
        small, full = of[1, 'auto (ours)'][6]['value'], of[100, 'Full'][4]['value']
        assert '%.0f' % (100 * small / full) == percent, (name, small, full)
    near = re.search(r"(\d+) of Bonsai's (\d+) published accuracies", results['verdict']).groups()
    assert ' %s of %s are within two standard errors' % near in results['summary'][0], near


def check_readme(doc):
    """The README quotes three sentences of the page, as they stand there now."""
    with open(os.path.join(doc, 'results.json'), encoding='utf-8') as f:
        summary = json.load(f)['summary']
    with open(os.path.join(doc, '..', 'README.md'), encoding='utf-8') as f:
        quoted = [line[2:].strip() for line in f.read().partition('## The paper')[2].partition('\n## ')[0].splitlines()
                  if line.startswith('> ')]
    assert len(quoted) == 3 and set(quoted) <= set(summary), (quoted, summary)


def measured(doc):
    with open(os.path.join(doc, 'results.json'), encoding='utf-8') as f:
        return drawn(json.load(f))


def main():
    with open(os.path.join(HERE, 'results.json'), encoding='utf-8') as f:
        results = json.load(f)
    page = drawn(results)
    doc = os.path.join(HERE, '..', '..', 'doc')
    for name, text in zip(sys.argv[1:], (page, measured(doc))):
        with open(name, 'w', encoding='utf-8') as f:
            f.write(text)
    numbers = check_page(page, results)
    check_that_changes_are_noticed(page, results)
    check_markdown(HERE)
    check_markdown(doc)
    check_verdict(doc)
    check_readme(doc)
    print('%d numbers' % numbers)


main()
