// What is wrong with the page at hand, as a list of sentences.
// SPDX-License-Identifier: MIT
(() => {
  const wrong = [];
  const say = (text) => { if (wrong.length < 40) wrong.push(text); };
  const brief = (text) => JSON.stringify(text.trim().slice(0, 40));

  // ---- boxes of text, as far as they are seen

  const hidden = (e) => e.closest('title, desc, style, script, .sr') || !e.checkVisibility();
  const clips = (e) => {                // to what an element is cut
    let box = {left: -1e9, right: 1e9, top: -1e9, bottom: 1e9, scrolls: false};
    for (let a = e; a && a !== document.body; a = a.parentElement) {
      const style = getComputedStyle(a);
      if (a instanceof SVGElement || style.overflowX === 'visible') continue;
      const r = a.getBoundingClientRect();
      box = {left: Math.max(box.left, r.left), right: Math.min(box.right, r.right),
             top: Math.max(box.top, r.top), bottom: Math.min(box.bottom, r.bottom),
             scrolls: box.scrolls || style.overflowX === 'auto'};
    }
    return box;
  };
  const boxes = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const parent = node.parentElement;
    if (!node.data.trim() || hidden(parent)) continue;
    const range = document.createRange(), clip = clips(parent);
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      const b = {left: Math.max(r.left, clip.left), right: Math.min(r.right, clip.right),
                 top: Math.max(r.top, clip.top), bottom: Math.min(r.bottom, clip.bottom)};
      if (b.right - b.left < 1 || b.bottom - b.top < 1) continue;
      const lead = 0.2 * (b.bottom - b.top);    // a line is taller than its letters
      boxes.push({...b, top: b.top + lead, bottom: b.bottom - lead, node, parent});
      if ((b.right > innerWidth + 1 || b.left < -1) && !clip.scrolls)
        say(`text leaves the page: ${brief(node.data)}`);
    }
  }
  boxes.sort((a, b) => a.top - b.top);
  for (let i = 0; i < boxes.length; i++)
    for (let k = i + 1; k < boxes.length && boxes[k].top < boxes[i].bottom; k++) {
      const a = boxes[i], b = boxes[k];
      if (a.node === b.node) continue;
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1.5 && high > 1.5)
        say(`text overlaps: ${brief(a.node.data)} and ${brief(b.node.data)} by ` +
            `${wide.toFixed(1)} x ${high.toFixed(1)}`);
    }
  if (boxes.length < 20) say(`there are only ${boxes.length} boxes of text`);
  if (document.documentElement.scrollWidth > innerWidth)
    say(`the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`);

  // ---- contrast

  const numbers = (c) => (c.match(/[\d.]+/g) || []).map(Number);
  const light = (c) => {
    const f = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]);
  };
  const behind = (e) => {
    for (let a = e; a; a = a.parentElement) {
      const c = numbers(getComputedStyle(a).backgroundColor);
      if (c.length === 3 || c[3] > 0.99) return c;
    }
    return [255, 255, 255];
  };
  const seen = new Set();
  for (const {parent, node} of boxes) {
    if (seen.has(parent)) continue;
    seen.add(parent);
    const style = getComputedStyle(parent), size = parseFloat(style.fontSize);
    const a = light(numbers(parent instanceof SVGElement ? style.fill : style.color));
    const b = light(behind(parent));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5))
      say(`contrast ${ratio.toFixed(2)} of ${brief(node.data)}`);
    if (size < 11) say(`text of ${size} px: ${brief(node.data)}`);
  }

  // ---- columns and heads: a screen of 1280 shows all of a table, and its heads stay in sight

  const screen = innerWidth >= 1200 && !matchMedia('print').matches;
  const named = (e) => brief(e.closest('section')?.id || '');
  for (const box of document.querySelectorAll('.box'))
    if (screen && box.checkVisibility() && box.scrollWidth > box.clientWidth + 1 &&
        !(box.querySelector('.sheet') && !box.classList.contains('fits')))
      say(`a table of ${named(box)} is cut: ${box.scrollWidth} in ${box.clientWidth}`);
  for (const table of screen ? document.querySelectorAll('.fits > .sheet') : []) {
    const head = table.querySelector('thead th'), rows = table.querySelectorAll('tbody tr');
    const last = rows[rows.length - 1].getBoundingClientRect().top + scrollY;
    const group = table.querySelector('.group th');
    scrollTo(0, (group || rows[0]).getBoundingClientRect().top + scrollY + 60);
    const top = head.getBoundingClientRect(), under = group?.getBoundingClientRect();
    const end = scrollY + innerHeight > document.documentElement.scrollHeight - 2;
    if (!end && scrollY + top.height + 60 < last && Math.abs(top.top) > 1)
      say(`the heads of ${named(table)} do not stay: they are at ${top.top.toFixed(0)}`);
    const next = table.querySelectorAll('.group th')[1];
    const room = (next?.getBoundingClientRect().top ?? 1e9) - top.bottom;
    if (!end && under && room > under.height + 5 && Math.abs(under.top - top.bottom) > 2)
      say(`the name of a group of ${named(table)} is not below the heads`);
    scrollTo(0, 0);
  }

  // ---- colours of classes, as seen without and with either kind of red-green blindness

  const seen_by = {                     // Machado, Oliveira and Fernandes 2009, of linear colours
    all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    protanopes: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                 [-0.003882, -0.048116, 1.051998]],
    deuteranopes: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                   [-0.01182, 0.04294, 0.968881]]};
  const times = (m, v) => m.map((row) => row.reduce((sum, x, i) => sum + x * v[i], 0));
  const linear = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const oklab = (rgb) => times(
    [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
     [0.0259040371, 0.7827717662, -0.808675766]],
    times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
           [0.0883024619, 0.2817188376, 0.6299787005]],
          rgb.map((v) => Math.min(Math.max(v, 0), 1))).map((v) => Math.cbrt(Math.max(v, 0))));
  const apart = (a, b) => 100 * Math.hypot(...a.map((v, i) => v - b[i]));
  const style_of = getComputedStyle(document.querySelector('.bonsai'));
  const colours = [...Array(10).keys()].map((k) => style_of.getPropertyValue(`--k${k}`).trim());
  for (const [who, matrix] of Object.entries(seen_by)) {
    const look = colours.map((c) => oklab(times(matrix, linear(c))));
    for (let i = 0; i < look.length; i++)
      for (let k = 0; k < i; k++)
        if (apart(look[i], look[k]) < (who === 'all' ? 16 : 9.4))
          say(`colours ${k} and ${i} look alike to ${who}: ${apart(look[i], look[k]).toFixed(1)}`);
  }
  const grounds = ['--card', '--bg'].map((name) => style_of.getPropertyValue(name).trim())
    .map((c) => c.length === 4 ? '#' + [...c.slice(1)].map((x) => x + x).join('') : c);
  for (const c of colours)
    for (const ground of grounds) {
      const [a, b] = [c, ground].map((x) => times([[0.2126, 0.7152, 0.0722]], linear(x))[0]);
      if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 2.75) say(`${c} is pale on ${ground}`);
    }
  const shapes = [...document.querySelectorAll('.key li svg')].slice(0, 9)
    .map((svg) => svg.innerHTML.replace(/\s/g, ''));
  if (new Set(shapes).size !== shapes.length) say('two classes have the same shape');
  for (const mark of document.querySelectorAll('.dots > svg'))
    if (!/^node \d+, .*stands for /.test(mark.querySelector('title')?.textContent || ''))
      say('a mark does not say what it is');
  for (const mark of document.querySelectorAll('.sea .dots > svg > :is(path, circle)')) {
    const box = mark.getBoundingClientRect(), sea = mark.closest('.sea').getBoundingClientRect();
    if (box.left < sea.left + 1 || box.right > sea.right - 1 || box.top < sea.top + 1 ||
        box.bottom > sea.bottom - 1) say('a mark touches the frame of its map');
  }
  for (const row of innerWidth < 500 ? document.querySelectorAll('.nodes tbody tr') : [])
    if (row.getBoundingClientRect().height > 60)
      say(`a row of nodes is ${row.getBoundingClientRect().height.toFixed(0)} high`);
  const nodes = document.querySelector('.box:has(> .nodes)'), hint = nodes?.previousElementSibling;
  if (nodes && nodes.scrollWidth > nodes.clientWidth + 1 && !matchMedia('print').matches &&
      !(hint?.matches('.hint') && hint.checkVisibility()))
    say('nothing says that the table of nodes scrolls');

  // ---- what a reader sees first

  const verdict = document.querySelector('.verdict');
  if (verdict && screen && verdict.getBoundingClientRect().bottom > 450)
    say('the verdict is not at the top');
  const tile = document.querySelector('.tiles');
  for (const e of tile ? tile.querySelectorAll('b') : []) {
    const words = document.createRange(), room = e.closest('li').getBoundingClientRect();
    words.selectNodeContents(e);
    if (words.getBoundingClientRect().right > room.right - 4) say(`${brief(e.textContent)} leaves its tile`);
  }

  // ---- charts, headings, names

  const charts = document.querySelectorAll('svg[role=img]');
  if (!charts.length && !document.querySelector('.sheet')) say('there is no chart');
  for (const svg of charts) {
    if (!svg.checkVisibility()) continue;
    const words = (svg.getAttribute('aria-labelledby') || '').split(' ')
      .map((id) => document.getElementById(id)?.textContent.trim());
    if (words.length !== 2 || !words[0] || !words[1]) say('a chart has no title or no description');
    const box = svg.getBoundingClientRect();
    if (box.width < 80 || box.height < 10) say(`chart ${brief(words[0] || '')} is ${box.width} wide`);
    const cells = svg.closest('figure')?.querySelectorAll('details td') || [];
    if (!cells.length) say(`chart ${brief(words[0] || '')} has no table of values`);
    if (!svg.closest('figure')?.querySelector('figcaption')) say('a chart has no caption');
  }
  for (const svg of document.querySelectorAll('svg:not([role=img])'))
    if (!svg.parentElement.closest('svg') && svg.getAttribute('aria-hidden') !== 'true')
      say('a drawing is neither named nor hidden');
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  if (new Set(ids).size !== ids.length) say('two elements have the same id');
  for (const a of document.querySelectorAll('a[href^="#"]'))
    if (!document.getElementById(a.getAttribute('href').slice(1))) say(`${a.href} leads nowhere`);
  let level = 0;
  for (const h of document.querySelectorAll('h1, h2, h3, h4')) {
    const now = Number(h.tagName[1]);
    if (now > level + 1) say(`a heading skips a level: ${brief(h.textContent)}`);
    level = now;
  }
  if (document.querySelectorAll('h1').length !== 1) say('there is not one h1');
  if (document.querySelector('script:not([type="application/json"]), iframe, object, embed, img, link, form'))
    say('there is an element that has no place here');
  for (const e of document.querySelectorAll('*'))
    for (const at of e.attributes) if (/^on/i.test(at.name)) say(`${at.name} on ${e.tagName}`);
  if (window.harmed) say('text became code');
  return wrong;
})()
