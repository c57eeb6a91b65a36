// What is wrong with the page at hand, as a list of sentences.
// SPDX-License-Identifier: MIT
(() => {
  const wrong = [];
  const say = (text) => { if (wrong.length < 40) wrong.push(text); };
  const brief = (text) => JSON.stringify(text.trim().slice(0, 40));

  // ---- boxes of text, as far as they are seen

  const hidden = (e) => e.closest('title, desc, style, script, .sr') ||
    (e.closest('details:not([open])') && !e.closest('summary'));
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

  // ---- charts, headings, names

  const charts = document.querySelectorAll('svg[role=img]');
  if (!charts.length) say('there is no chart');
  for (const svg of charts) {
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
