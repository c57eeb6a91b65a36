"""check.py BROWSER PAGE ... -- looks at pages in a real browser, narrow and wide, light and dark.

Fails with a sentence for each thing that is wrong; see check.js.  With SHOTS=DIR it also leaves
pictures there.

SPDX-License-Identifier: MIT"""
import base64
import os
import re
import sys
from html.parser import HTMLParser

from chrome import Chrome

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
HERE = os.path.dirname(os.path.abspath(__file__))


class Tags(HTMLParser):
    """Finds what could load, run or send something, whatever the browser makes of it."""

    def __init__(self):
        super().__init__()
        self.faults = []

    def handle_starttag(self, tag, attrs):
        if (tag, dict(attrs).get("type")) == ("script", "application/json"):
            return                      # data
        if tag in ("script", "link", "img", "iframe", "object", "embed", "form", "base", "use"):
            self.faults.append("it has <%s>" % tag)
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "srcset", "action", "data", "xlink:href") or \
                    (name == "href" and not value.startswith("#")) or "url(" in (value or ""):
                self.faults.append("<%s> has %s=%s" % (tag, name, value))


def text_faults(path):
    with open(path, encoding="utf-8") as f:         # fails where it is not UTF-8
        text = f.read()
    if len(text.encode()) > 2000000:
        yield "it has %d bytes" % len(text.encode())
    style = "".join(re.findall(r"<style>(.*?)</style>", text, re.S))
    for word in ("url(", "@import", "http:", "https:"):
        if word in style:
            yield "the style holds " + word
    tags = Tags()
    tags.feed(text)
    yield from tags.faults
    if '<body class="bonsai">' in text and POLICY not in text:
        yield "it has no policy against requests"


def event_faults(events, path):
    for e in events:
        params = e.get("params", {})
        if e["method"] == "Runtime.exceptionThrown":
            yield "exception: " + params["exceptionDetails"]["text"]
        elif e["method"] == "Runtime.consoleAPICalled":
            yield "console: " + str(params.get("args"))[:200]
        elif e["method"] == "Log.entryAdded":
            yield "log: " + params["entry"]["text"][:200]
        elif e["method"] == "Page.javascriptDialogOpening":
            yield "a dialog opened"
        elif e["method"] == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith("file://") or not url.endswith(os.path.basename(path)):
                yield "request: " + url[:200]


def focus_faults(browser):
    for kind in ("rawKeyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab",
                     windowsVirtualKeyCode=9)
    state = browser.run("(() => { const e = document.activeElement; return [e.tagName, "
                        "getComputedStyle(e).outlineStyle] })()")
    if state[0] == "BODY" or state[1] == "none":
        yield "the tabulator key shows nothing: %s" % state


def check(browser, script, path):
    faults = list(text_faults(path))
    browser.open(path)
    looks = [(width, scheme, "") for width in (375, 1280, 1920) for scheme in ("light", "dark")]
    for width, scheme, media in looks + [(794, "light", "print"), (794, "dark", "print")]:
        where = "%d %s %s" % (width, scheme, media)
        browser.look(width, scheme, media)
        faults += [where + ": " + f for f in browser.run(script)]
        if os.environ.get("SHOTS"):
            shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
            name = "%s-%s.png" % (os.path.basename(path), where.strip().replace(" ", "-"))
            with open(os.path.join(os.environ["SHOTS"], name), "wb") as f:
                f.write(base64.b64decode(shot))
    browser.look(375, "light")
    faults += focus_faults(browser)
    browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    for width in (375, 1280):
        browser.look(width, "light")
        faults += ["%d opened: %s" % (width, f) for f in browser.run(script)]
    faults += event_faults(browser.events, path)
    return faults


def main():
    with open(os.path.join(HERE, "check.js"), encoding="utf-8") as f:
        script = f.read()
    browser = Chrome(sys.argv[1])
    bad = 0
    try:
        for path in sys.argv[2:]:
            faults = check(browser, script, path)
            print("%s: %s" % (os.path.basename(path), "%d faults" % len(faults) if faults else "ok"))
            for f in faults:
                print("  " + f)
            bad += len(faults)
    finally:
        browser.close()
    sys.exit(1 if bad else 0)


main()
