"""look.py BROWSER SITE -- opens every page of the site, narrow and wide, light and dark.

A page must not scroll sideways, say anything in the console, or ask for what is not in the site; text
must stand out from what is behind it, and searching must find something.  With SHOTS=DIR it leaves
pictures of the start page there.

SPDX-License-Identifier: MIT"""
import base64
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "browser"))
from chrome import Chrome                                               # noqa: E402

VIEWS = [(width, scheme) for width in (375, 1280, 1920) for scheme in ("light", "dark")]
LOOK = """(() => {
  const faults = [];
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth + 1)
    faults.push(`the page is ${page.scrollWidth} wide of ${page.clientWidth}`);
  const parse = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = parse(c).map(v => { v /= 255;
    return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return getComputedStyle(e).backgroundColor; } return "rgb(255,255,255)"; };
  const seen = new Set();
  for (const e of document.querySelectorAll("main *, nav *, header *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.offsetParent) continue;
    const pair = [getComputedStyle(e).color, behind(e)];
    if (seen.has(pair.join())) continue;
    seen.add(pair.join());
    const [a, b] = pair.map(light).sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) faults.push(`contrast ${((a + .05) / (b + .05)).toFixed(2)}: ${e.outerHTML.slice(0, 80)}`);
  }
  for (const i of document.images) if (!i.naturalWidth) faults.push("no picture: " + i.src);
  return faults;
})()"""
SEARCH = """(() => { const i = document.querySelector("[role=search] input"); i.value = "prototype knee";
  i.dispatchEvent(new Event("input")); return document.querySelectorAll("[role=search] li a").length; })()"""


def event_faults(events, site):
    for event in events:
        params = event.get("params", {})
        if event["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            yield str(params)[:200]
        if event["method"] == "Network.requestWillBeSent" and \
                not params["request"]["url"].startswith(f"file://{site}/"):
            yield "asks for " + params["request"]["url"][:200]


def picture(browser, name):
    shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
    Path(os.environ["SHOTS"], name).write_bytes(base64.b64decode(shot))


def faults_of(browser, path, site):
    browser.open(path)
    for width, scheme in VIEWS:
        browser.look(width, scheme)
        yield from (f"{width} {scheme}: {fault}" for fault in browser.run(LOOK))
        if os.environ.get("SHOTS") and path == site / "index.html":
            picture(browser, f"start-{width}-{scheme}.png")
    if not browser.run(SEARCH):
        yield "searching finds nothing"
    yield from event_faults(browser.events, site)


def main(program, folder):
    site, bad = Path(folder).resolve(), 0
    browser = Chrome(program)
    try:
        for path in sorted(site.rglob("*.html")):
            faults = [] if path.name == "404.html" else list(faults_of(browser, path, site))
            bad += len(faults)
            for fault in faults:
                print(f"{path.relative_to(site)}: {fault}")
    finally:
        browser.close()
    print(f"look: {bad} faults")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
