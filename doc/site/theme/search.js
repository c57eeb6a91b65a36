/* search.js -- finds sections whose title or text has every word; the list is in index.js. */
const form = document.querySelector("[role=search]");
const input = form.querySelector("input");
const list = form.querySelector("ol");
const base = document.body.dataset.base;

function score([, title, page, text], words) {
  const name = title.toLowerCase(), all = `${page} ${text}`.toLowerCase(), phrase = words.join(" ");
  let sum = 0;
  for (const word of words) {
    if (!name.includes(word) && !all.includes(word)) return 0;
    sum += name.includes(word) ? 10 : 1;
  }
  if (name === phrase) sum += 40;
  if (name.includes(phrase) || all.includes(phrase)) sum += 5;
  return page === "Changes" ? sum / 20 : sum;
}

function entry([url, title, page, text]) {
  const link = document.createElement("a");
  link.href = `${base}/${url}`;
  link.textContent = title === page ? title : `${page}: ${title}`;
  const more = document.createElement("small");
  more.textContent = text.slice(0, 110);
  link.append(more);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length ? places.map(p => [score(p, words), p]).filter(h => h[0]) : [];
  hits.sort((a, b) => b[0] - a[0]);
  list.replaceChildren(...hits.slice(0, 12).map(h => entry(h[1])));
}

form.hidden = false;
form.addEventListener("submit", event => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
input.addEventListener("input", search);
document.addEventListener("click", event => {
  if (!form.contains(event.target)) list.replaceChildren();
});
document.addEventListener("keydown", event => {
  if (event.key === "Escape") list.replaceChildren();
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
});
