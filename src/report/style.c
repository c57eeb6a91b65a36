/* style.c -- the look of the page, light, dark and on paper.
 *
 * Every rule is below .bonsai, so that a fragment does not affect the rest of a notebook.  Each
 * pair of class colours also differs for people with red-green colour blindness, and each colour
 * has a contrast of 3 to 1 to its background.
 *
 * SPDX-License-Identifier: MIT */
#include "draw.h"

/* Of columns by where their numbers come from: text and ground. */
#define COLUMNS_LIGHT \
    "--published:#5a4a86;--published-bg:#f4f2f9;--redone:#24579e;--redone-bg:#edf3fb;" \
    "--paper:#80540f;--paper-bg:#fbf4e8;--honest:#1c663e;--honest-bg:#eaf5ee;"
#define COLUMNS_DARK \
    "--published:#c3b8ea;--published-bg:#1f1c29;--redone:#94c0f3;--redone-bg:#16212d;" \
    "--paper:#e6bd72;--paper-bg:#282115;--honest:#84d8a6;--honest-bg:#15261c;"

static const char light[] =
    ".bonsai{--bg:#f4f6f2;--card:#fff;--ink:#18211b;--soft:#536057;--edge:#dfe5de;--grid:#e8ede7;"
    "--accent:#1f7a4a;--tint:#e7f2ea;--full:#939d96;--small:#1f8a52;--third:#9980fe;"
    "--k0:#2563c9;--k1:#e07937;--k2:#0f3805;--k3:#a5458a;--k4:#9980fe;--k5:#a05b11;--k6:#461052;"
    "--k7:#1f2899;--k8:#74364b;--k9:#8a918c;" COLUMNS_LIGHT "color-scheme:light dark}\n";

static const char dark[] =
    "@media (prefers-color-scheme:dark){.bonsai{--bg:#0e1310;--card:#161d18;--ink:#e7eee8;"
    "--soft:#a3b1a7;--edge:#2a352d;--grid:#253029;--accent:#7fd6a2;--tint:#1c2b21;--full:#7f8c84;"
    "--small:#5fcb8c;--third:#b7a6ff;--k0:#6aa5ff;--k1:#da7e1e;--k2:#2cdcaf;--k3:#cf5bb0;"
    "--k4:#bcfc73;--k5:#d5bf36;--k6:#99f7fc;--k7:#e0503f;--k8:#3f7fe8;--k9:#8d978f;"
    COLUMNS_DARK "}}\n";

static const char text[] =
    ".bonsai{background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"
    "\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif;overflow-wrap:anywhere;"
    "-webkit-text-size-adjust:100%}\n"
    ".bonsai *{box-sizing:border-box}\n"
    ".bonsai .main{max-width:70rem;margin:0 auto;"
    "padding:clamp(1rem,3vw,2.5rem) clamp(.8rem,3vw,2rem)}\n"
    ".bonsai h1{font-size:clamp(1.5rem,1rem + 2.2vw,2.4rem);line-height:1.15;margin:0 0 .5rem;"
    "letter-spacing:-.02em;font-weight:700}\n"
    ".bonsai h2{font-size:1.25rem;line-height:1.3;margin:0 0 .25rem;letter-spacing:-.01em;"
    "font-weight:650}\n"
    ".bonsai p{margin:.25rem 0 .9rem;max-width:46rem}\n"
    ".bonsai a{color:var(--accent);text-underline-offset:.2em}\n"
    ".bonsai :focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}\n"
    ".bonsai .kicker{color:var(--accent);font-weight:650;font-size:.85rem;letter-spacing:.06em;"
    "text-transform:uppercase;display:flex;gap:.5rem;align-items:center;margin:0 0 .6rem}\n"
    ".bonsai .kicker svg{width:1.6rem;height:1.6rem;flex:none}\n"
    ".bonsai .leaf{fill:var(--small)}.bonsai .pot{fill:var(--k5)}\n"
    ".bonsai .lead{font-size:clamp(1.05rem,1rem + .4vw,1.25rem);line-height:1.5;"
    "margin:0 0 1.4rem}\n"
    ".bonsai .quiet{color:var(--soft);font-size:.92rem}\n"
    ".bonsai .warn{border-left:4px solid var(--k1);padding:.5rem .8rem;background:var(--card);"
    "border-radius:4px}\n"
    ".bonsai .sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);"
    "white-space:nowrap}\n";

static const char layout[] =
    ".bonsai .tiles{display:grid;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,10rem),1fr));"
    "gap:.8rem;margin:0 0 1.2rem;padding:0;list-style:none}\n"
    ".bonsai .tiles li{background:var(--card);border:1px solid var(--edge);border-radius:14px;"
    "padding:1rem 1.1rem;display:flex;flex-direction:column;gap:.1rem;position:relative}\n"
    ".bonsai .tiles b{font-size:clamp(1.5rem,1.2rem + 1vw,1.9rem);line-height:1.15;"
    "letter-spacing:-.03em;font-weight:700;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    ".bonsai .tiles .what{font-weight:600;font-size:.95rem}\n"
    ".bonsai .tiles small{color:var(--soft);font-size:.85rem;line-height:1.4}\n"
    ".bonsai .tiles .first{grid-column:span 2;background:var(--tint);border-color:transparent;"
    "flex-direction:row;align-items:center;gap:1.1rem}\n"
    ".bonsai .tiles .first b{font-size:clamp(2.1rem,1.6rem + 2.2vw,3.2rem)}\n"
    ".bonsai .tiles .first span{display:block}\n"
    ".bonsai .area-of{width:5.5rem;height:5.5rem;flex:none}\n"
    ".bonsai .area-of .whole{fill:none;stroke:var(--soft);stroke-width:1.5;stroke-dasharray:3 3}\n"
    ".bonsai .area-of .part{fill:var(--small)}\n"
    ".bonsai nav ul{display:flex;flex-wrap:wrap;gap:.4rem;margin:0 0 1.6rem;padding:0;"
    "list-style:none}\n"
    ".bonsai nav a{display:block;padding:.3rem .75rem;border:1px solid var(--edge);"
    "border-radius:99px;"
    "background:var(--card);color:var(--ink);text-decoration:none;font-size:.88rem}\n"
    ".bonsai nav a:hover{border-color:var(--accent);color:var(--accent)}\n"
    ".bonsai section{background:var(--card);border:1px solid var(--edge);border-radius:16px;"
    "padding:clamp(1rem,2.5vw,1.7rem);margin:0 0 1.1rem;scroll-margin-top:1rem}\n"
    ".bonsai .two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr));"
    "gap:1.2rem 2.2rem;align-items:start}\n"
    ".bonsai .two>*{min-width:0}\n"
    ".bonsai section>.chart{max-width:54rem}.bonsai section>.box{max-width:54rem}\n"
    ".bonsai #map>.chart{max-width:none}\n"
    ".bonsai footer{color:var(--soft);font-size:.85rem;padding:.5rem 0 1rem}\n"
    ".bonsai pre{margin:.6rem 0 0;padding:.9rem 1rem;background:var(--bg);"
    "border:1px solid var(--edge);"
    "border-radius:10px;white-space:pre-wrap;overflow-wrap:anywhere;font:.88rem/1.6 ui-monospace,"
    "SFMono-Regular,Menlo,\"DejaVu Sans Mono\",monospace;user-select:all}\n";

static const char tables[] =
    ".bonsai .box{overflow-x:auto;margin:.6rem 0 .4rem;max-width:100%}\n"
    ".bonsai table{border-collapse:collapse;width:100%;font-size:.92rem;line-height:1.4;"
    "font-variant-numeric:tabular-nums;overflow-wrap:normal}\n"
    ".bonsai caption{text-align:left;color:var(--soft);font-size:.88rem;padding:0 0 .4rem}\n"
    ".bonsai th,.bonsai td{padding:.42rem .7rem;text-align:right;"
    "border-bottom:1px solid var(--grid);"
    "white-space:nowrap;vertical-align:top;background:none;color:inherit}\n"
    ".bonsai th:first-child,.bonsai td:first-child{padding-left:0}\n"
    ".bonsai tr>:last-child{padding-right:.2rem}\n"
    ".bonsai thead th{color:var(--soft);font-weight:600;border-bottom:1.5px solid var(--edge)}\n"
    ".bonsai tbody th{font-weight:500}\n"
    ".bonsai tr>th:first-child{text-align:left;max-width:20rem;overflow:hidden;"
    "text-overflow:ellipsis}\n"
    ".bonsai tbody tr:last-child>*{border-bottom:0}\n"
    ".bonsai .words td{text-align:left;white-space:normal;min-width:9rem}\n"
    ".bonsai .words th{white-space:nowrap!important}.bonsai .words thead th{text-align:left}\n"
    ".bonsai .words th:first-child{font-family:ui-monospace,SFMono-Regular,Menlo,"
    "\"DejaVu Sans Mono\",monospace;font-size:.86rem}\n"
    ".bonsai .mark{color:var(--accent);font-weight:650}\n"
    ".bonsai details{margin:.5rem 0 0}\n"
    ".bonsai summary{cursor:pointer;color:var(--soft);font-size:.85rem;width:fit-content;"
    "padding:.2rem .3rem;margin-left:-.3rem}\n"
    ".bonsai summary:hover{color:var(--accent)}\n";

/* The page of tables.  A table that fits is as wide as the page, and its heads stick to the top of
 * the window; another one scrolls in its own box, and they stick to the top of that. */
static const char sheets[] =
    ".bonsai .main:has(>.ask){max-width:96rem}\n"
    ".bonsai .summary{margin:0 0 1.2rem;padding-left:1.2rem;max-width:56rem;"
    "font-size:clamp(1.02rem,1rem + .2vw,1.12rem)}.bonsai .summary li{margin:.25rem 0}\n"
    ".bonsai .how,.bonsai .reading{display:grid;grid-template-columns:max-content 1fr;"
    "gap:.3rem 1rem;margin:.5rem 0 1rem;max-width:64rem;font-size:.92rem}\n"
    ".bonsai .how dt{color:var(--soft);font-weight:600}.bonsai dd{margin:0}\n"
    ".bonsai .reading{grid-template-columns:minmax(9rem,15rem) 1fr;gap:.55rem 1.2rem}\n"
    ".bonsai .reading dt small{color:var(--soft)}\n"
    ".bonsai .chip{display:inline-block;padding:.1rem .5rem;border-radius:4px;font-weight:600;"
    "font-size:.88rem}\n"
    ".bonsai .ask{margin:0 .5rem 0 0;accent-color:var(--accent);width:1rem;height:1rem;"
    "vertical-align:-.12rem}.bonsai .ask+label{font-size:.92rem;display:inline-block;"
    "max-width:calc(100% - 2rem);vertical-align:top;margin:0 0 1.1rem}\n"
    ".bonsai .sheet{border-collapse:separate;border-spacing:0;width:auto}\n"
    ".bonsai .sheet th,.bonsai .sheet td{padding:.4rem .7rem}\n"
    ".bonsai .sheet small{display:block;color:var(--soft);font-size:.78rem;line-height:1.35;"
    "white-space:normal;font-weight:400;text-wrap:balance;max-width:15rem;margin-left:auto}\n"
    ".bonsai .sheet thead th{position:sticky;top:0;z-index:2;background:var(--card);"
    "vertical-align:bottom;white-space:normal;border-top:3px solid transparent}\n"
    ".bonsai .sheet thead small{font-size:.75rem}\n"
    ".bonsai .sheet .keys{padding-left:.2rem;overflow:visible;max-width:none;white-space:nowrap}\n"
    ".bonsai .sheet .keys span{display:inline-block;min-width:calc(var(--w)*.62em + 1em);padding-right:.6em}\n"
    ".bonsai .sheet .again{color:var(--soft);font-weight:400}\n"
    ".bonsai .sheet .group th{text-align:left;font-weight:700;font-size:1rem;max-width:none;"
    "padding:1rem .2rem .35rem;border-bottom:1.5px solid var(--edge)}\n"
    ".bonsai .sheet .group span{position:sticky;left:.2rem}\n"
    ".bonsai .sheet td>small:not(.more){min-width:10.5rem}\n"
    ".bonsai .sheet .text,.bonsai .sheet .fact{text-align:left;white-space:normal;"
    "min-width:8rem}.bonsai .sheet td.fact{min-width:14rem}\n"
    ".bonsai .sheet .sign{color:var(--accent)}.bonsai .sheet .worse .sign{color:var(--ink);"
    "font-size:.85em}\n"
    ".bonsai .better .v{font-weight:750}.bonsai .large .v,.bonsai dt.large{color:var(--soft)}\n"
    ".bonsai .sheet .much{font-style:italic}\n"
    ".bonsai sup{line-height:0}.bonsai sup a{text-decoration:none;padding:0 .15rem}\n"
    ".bonsai .notes{list-style:none;margin:.5rem 0;padding:0;font-size:.88rem;max-width:64rem}\n"
    ".bonsai .notes li{margin:.3rem 0;scroll-margin-top:5rem}\n"
    ".bonsai :is(.published,.redone,.paper,.honest){background:var(--source-bg)}\n"
    ".bonsai :is(.published,.redone,.paper,.honest).chip,.bonsai thead "
    ":is(.published,.redone,.paper,.honest){color:var(--source)}\n"
    ".bonsai .sheet thead :is(.published,.redone,.paper,.honest){background:var(--source-bg);"
    "border-top-color:var(--source)}\n"
    ".bonsai .published{--source:var(--published);--source-bg:var(--published-bg)}"
    ".bonsai .redone{--source:var(--redone);--source-bg:var(--redone-bg)}"
    ".bonsai .paper{--source:var(--paper);--source-bg:var(--paper-bg)}"
    ".bonsai .honest{--source:var(--honest);--source-bg:var(--honest-bg)}\n"
    ".bonsai section>.box:has(>.sheet){max-width:100%;max-height:85vh;overflow:auto;"
    "position:relative}\n"
    ".bonsai .sheet .more{position:absolute;width:1px;height:1px;overflow:hidden;"
    "clip-path:inset(50%);white-space:nowrap}\n"
    ".bonsai .ask:checked~section .more{position:static;width:auto;height:auto;overflow:visible;"
    "clip-path:none;white-space:normal}\n"
    ".bonsai .hint{margin:.2rem 0;font-size:.85rem;color:var(--soft)}\n"
    "@media (min-width:75rem){.bonsai .hint.fits{display:none}.bonsai section>.box.fits:has(>.sheet){overflow:visible;"
    "max-height:none}.bonsai .fits>.sheet .group th{position:sticky;top:var(--head);z-index:1;"
    "background:var(--card)}}\n"
    "@media (max-width:34rem){.bonsai .how,.bonsai .reading{grid-template-columns:1fr;gap:.1rem}"
    ".bonsai dd{margin-bottom:.6rem}.bonsai .sheet .keys span{display:block;min-width:0}"
    ".bonsai .sheet .keys{position:sticky;left:0;background:var(--card);z-index:1;"
    "white-space:normal}.bonsai .sheet thead .keys{z-index:3}}\n"
    "@media print{.bonsai .ask,.bonsai .ask+label,.bonsai .hint{display:none}.bonsai section>.box:has(>.sheet){"
    "overflow:visible;max-height:none}.bonsai .sheet,.bonsai .sheet small,.bonsai .sheet thead small,"
    ".bonsai .sheet sup,.bonsai .sheet .worse .sign{font-size:11px}.bonsai .sheet thead th{position:static}.bonsai .sheet th,.bonsai .sheet td{"
    "padding:.25rem .3rem}.bonsai .sheet td>small:not(.more){min-width:0}.bonsai .box:not(.fits)>"
    ".sheet td{white-space:normal}}\n";

static const char charts[] =
    ".bonsai .chart{margin:.8rem 0 0;min-width:0}\n"
    ".bonsai figcaption{font-weight:600;font-size:.98rem;margin:0 0 .35rem}\n"
    ".bonsai .legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:0 0 .5rem;padding:0;"
    "list-style:none;font-size:.86rem;color:var(--soft)}\n"
    ".bonsai .legend li{display:flex;align-items:center;gap:.4rem;min-width:0;max-width:16rem;"
    "margin:0}\n"
    ".bonsai .legend span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}\n"
    ".bonsai .legend i{width:.75rem;height:.75rem;border-radius:3px;background:var(--c);flex:none;"
    "print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
    ".bonsai .legend.lines i{height:.25rem;width:1.1rem}\n"
    ".bonsai .axis{color:var(--soft);font-size:.84rem;margin:.3rem 0 0;max-width:none}\n"
    ".bonsai .axis.up{margin:0 0 .55rem}\n"
    ".bonsai .chart svg{display:block;overflow:visible;width:100%}\n"
    ".bonsai .plot{min-width:0}\n"
    ".bonsai .plot.wide{padding:.3rem 1.2rem 1.6rem 2.9rem}\n"
    ".bonsai .curve{height:clamp(11rem,26vw,16rem)}\n"
    ".bonsai .plot.sea{background:var(--bg);border:1px solid var(--edge);border-radius:12px;"
    "padding:1.1rem;overflow:hidden}\n"
    ".bonsai .map{aspect-ratio:1;max-height:40rem}\n"
    ".bonsai .atlas{display:grid;grid-template-columns:minmax(0,44rem) minmax(11rem,1fr);"
    "gap:1.4rem}\n"
    ".bonsai .key .legend{flex-direction:column;gap:.4rem;color:var(--ink);font-size:.92rem;"
    "margin:0 0 1rem}\n"
    ".bonsai .key .axis{margin:0 0 .6rem}\n"
    ".bonsai .bars{display:grid;grid-template-columns:minmax(4.5rem,max-content) 1fr;gap:.7rem}\n"
    ".bonsai .bars .plot{padding:0 4.4rem 1.4rem 0}\n"
    ".bonsai .names{font-size:.86rem;max-width:clamp(6rem,26vw,13rem);min-width:0;"
    "text-align:right}\n"
    ".bonsai .names span{display:block;height:var(--g);line-height:var(--g);overflow:hidden;"
    "text-overflow:ellipsis;white-space:nowrap}\n"
    ".bonsai svg text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\","
    "\"DejaVu Sans\",sans-serif;fill:var(--soft);font-variant-numeric:tabular-nums}\n"
    ".bonsai svg .val{fill:var(--ink);font-size:11.5px}\n"
    ".bonsai svg .mid{text-anchor:middle}.bonsai svg .end{text-anchor:end}\n"
    ".bonsai svg .note{fill:var(--ink);font-weight:600}\n"
    ".bonsai .grid{stroke:var(--grid)}.bonsai .base{stroke:var(--soft)}\n"
    ".bonsai .bar rect{fill:var(--c)}\n"
    ".bonsai .line{fill:none;stroke:var(--c);stroke-width:2.25px;stroke-linejoin:round;"
    "vector-effect:non-scaling-stroke}\n"
    ".bonsai .area{fill:var(--c);opacity:.13}\n"
    ".bonsai .rule{stroke:var(--c);stroke-width:1.25px;stroke-dasharray:2 4}\n"
    ".bonsai .spot{fill:var(--card);stroke:var(--c);stroke-width:2.25px}\n"
    ".bonsai .bound{stroke:var(--k1);stroke-width:1.75px;stroke-dasharray:7 5}\n"
    ".bonsai .map path{fill:var(--c)}.bonsai .map .none{--c:var(--soft)}\n"
    ".bonsai .d0{opacity:.14}.bonsai .d1{opacity:.21}.bonsai .d2{opacity:.28}.bonsai .d3{"
    "opacity:.36}"
    ".bonsai .d4{opacity:.45}.bonsai .d5{opacity:.55}\n"
    ".bonsai .dots circle{fill:var(--c);fill-opacity:.88;stroke:var(--card);stroke-width:1px}\n"
    ".bonsai .dots .none{fill:none;stroke:var(--soft);stroke-width:1.25px}\n"
    ".bonsai .dots circle:hover{stroke:var(--ink);stroke-width:2.5px}\n"
    ".bonsai .s0{--c:var(--full)}.bonsai .s1{--c:var(--small)}.bonsai .s2{--c:var(--third)}\n";

static const char narrow[] =
    "@media (max-width:52rem){.bonsai .atlas{grid-template-columns:minmax(0,1fr);gap:.8rem}"
    ".bonsai .key .legend{flex-direction:row;gap:.25rem 1rem}}\n"
    "@media (max-width:34rem){.bonsai tr>th:first-child{white-space:normal}.bonsai .tiles{"
    "grid-template-columns:1fr 1fr}.bonsai .plot.wide{"
    "padding-left:2.5rem;padding-right:.9rem}.bonsai .bars .plot{padding-right:3.6rem}"
    ".bonsai .bars{gap:.5rem}.bonsai th,.bonsai td{padding:.4rem .45rem}.bonsai .tiles li{"
    "padding:.8rem .85rem}.bonsai table{font-size:.86rem}.bonsai .words td{min-width:0}"
    ".bonsai .words th:first-child{font-size:.75rem}}\n"
    "@media print{.bonsai{--bg:#fff;--card:#fff;--ink:#000;--soft:#444;--edge:#ccc;--grid:#e4e4e4;"
    "--accent:#1f7a4a;--tint:#eef5f0;--full:#939d96;--small:#1f8a52;--third:#9980fe;--k0:#2563c9;"
    "--k1:#e07937;--k2:#0f3805;--k3:#a5458a;--k4:#9980fe;--k5:#a05b11;--k6:#461052;--k7:#1f2899;"
    "--k8:#74364b;--k9:#8a918c;" COLUMNS_LIGHT "font-size:11pt;print-color-adjust:exact;"
    "-webkit-print-color-adjust:exact}.bonsai nav,.bonsai details:not([open]){display:none}"
    ".bonsai .main{max-width:none;padding:0}.bonsai section{break-inside:auto;border:0;padding:0;"
    "margin:0 0 1.5rem}.bonsai .chart,.bonsai tr,.bonsai .tiles li{break-inside:avoid}"
    ".bonsai h2{break-after:avoid}.bonsai .box{overflow:visible}}\n"
    "@media (prefers-contrast:more){.bonsai{--soft:var(--ink);--edge:var(--ink)}}\n";

void bn_put_style(bn_page *p)
{
    bn_put(p, light);
    bn_put(p, dark);
    bn_put(p, text);
    bn_put(p, layout);
    bn_put(p, tables);
    bn_put(p, charts);
    for (int i = 0; i < BN_COLOURS; i++)
        bn_putf(p, ".bonsai .k%d{--c:var(--k%d)}", i, i);
    bn_put(p, "\n");
    bn_put(p, narrow);
    bn_put(p, sheets);
}
