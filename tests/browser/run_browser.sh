#!/bin/sh
# run_browser.sh BONSAI -- draws reports and looks at them in headless Chromium.
#
# Skipped, in one line, where there is no Chromium: tools/setup browser installs it.  Copies of a
# page that were broken on purpose must be found bad first.
#
# SPDX-License-Identifier: MIT
set -eu
bonsai=${1:?usage: tests/browser/run_browser.sh BONSAI}
here=$(cd "$(dirname "$0")" && pwd)
browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null 2>&1 && browser=$name && break
done
if [ -z "$browser" ]; then
    echo "test-browser: skipped (there is no Chromium; tools/setup browser installs it)"
    exit 0
fi
case $bonsai in */*) bonsai=$(cd "$(dirname "$bonsai")" && pwd)/$(basename "$bonsai") ;; esac
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bonsai-browser-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch"
export OMP_WAIT_POLICY=passive
b() { "$bonsai" "$@" -q >/dev/null; }

# ---- pages: both methods, pairs, many classes, few nodes, names that mean harm

b generate -o g.bonsai --nodes 3000 --features 200 --classes 6
b condense g.bonsai -o trees.bonsai --ratio 0.05 --method trees --report trees.html
b condense g.bonsai -o protos.bonsai --ratio 0.02
b report protos.bonsai --full g.bonsai -o protos.html --model all --seeds 2 --epochs 20
sed 's|<span><b>[0-9.]*[^<]*%</b>|<span><b>0.0457 %</b>|' protos.html >ratio.html      # of a large graph
grep -q 0.0457 ratio.html
b report trees.bonsai -o alone.html
b condense g.bonsai -o random.bonsai --nodes 40 --method random --report random.html
b generate -o apart.bonsai --nodes 600 --features 40 --homophily 0.1 --degree 10 --classes 3 --difficulty 0.3
b condense apart.bonsai -o pairs.bonsai --ratio 0.03 --method prototypes --for sage
b report pairs.bonsai --full apart.bonsai -o pairs.html --model gcn,sage --seeds 2 --epochs 20
grep -q 'second nodes without a label' pairs.html
b generate -o many.bonsai --nodes 6000 --features 60 --classes 300
b condense many.bonsai -o many-small.bonsai --ratio 0.1 --method prototypes --report many.html
b generate -o one.bonsai --nodes 4 --features 3 --words 2 --classes 1 --degree 1
b report one.bonsai -o one.html --title 'One'
mkdir evil
awk 'BEGIN { print "source,target"; for (i = 0; i < 300; i++) print i "," (i * 7 + 1) % 300 }' >evil/edges.csv
awk 'BEGIN { print "id,a,b,c"; for (i = 0; i < 300; i++) print i "," i % 3 "," i % 5 "," i % 7 }' >evil/features.csv
awk 'BEGIN {
    n[0] = "<script>harmed=1</script>"; n[1] = "\"\"><img src=x onerror=harmed=1>\"\""
    n[2] = "&lt;b&gt; </title></style><h1>"; n[3] = "x"
    for (i = 0; i < 8; i++) n[3] = n[3] n[3] "W"
    print "id,label,split"
    for (i = 0; i < 300; i++) print i ",\"" n[i % 4] "\"," (i % 5 < 3 ? "train" : i % 5 < 4 ? "val" : "test") }' >evil/labels.csv
"$bonsai" convert evil/ "<svg onload=harmed=1>'.bonsai" -q >/dev/null
b condense "<svg onload=harmed=1>'.bonsai" -o "'\"><b>.bonsai" --nodes 12 --report evil.html
b report "'\"><b>.bonsai" --full "<svg onload=harmed=1>'.bonsai" -o titled.html \
    --title "</title><script>harmed=1</script> $(printf 'long%.0s' $(seq 100)) $(printf '\377\376')"
{
    echo '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>t</title></head><body>'
    b report protos.bonsai --full g.bonsai -o part.html --fragment
    cat part.html
    echo '</body></html>'
} >notebook.html

# ---- a page of tables, of every kind of cell and chart

GRAPHBONSAI_LIBRARY=$(dirname "$bonsai")/libbonsai.so python3 -B "$here/../report/test_results.py" \
    tables.html measured.html >/dev/null

# ---- broken copies

sed 's|</header>|<script>console.error("x")</script></header>|' trees.html >bad-script.html
sed 's|</header>|<p style="margin-top:-4rem">Text over other text</p></header>|' trees.html >bad-overlap.html
sed 's|</header>|<p style="width:2000px;max-width:none">wide</p></header>|' trees.html >bad-wide.html
sed 's|--soft:#536057|--soft:#b9c2bb|' trees.html >bad-contrast.html
sed 's|<desc id="[a-z0-9]*">[^<]*</desc>||' trees.html >bad-desc.html
sed "s|default-src 'none'; ||; s|</header>|<img src=\"http://192.0.2.1/x.png\" alt=\"\"></header>|" trees.html >bad-request.html
sed 's|--k1:#[0-9a-f]*|--k1:#2f8ff0|g' trees.html >bad-alike.html
sed 's|--k2:#[0-9a-f]*|--k2:#6e4b00|g; s|--k4:#[0-9a-f]*|--k4:#9c1010|g; s|--k5:#[0-9a-f]*|--k5:#4d5a00|g' trees.html >bad-blind.html
sed 's|class="nodes"|class="nodes" style="min-width:2000px"|' protos.html >bad-cut.html
sed 's|min-width:min-content|min-width:0|g' ratio.html >bad-tile.html
sed 's|padding:1.75rem;overflow|padding:0;overflow|' trees.html >bad-frame.html
sed 's|class="hint fits"|class="sr"|' protos.html >bad-hint.html
sed 's|position:sticky;top:0|position:static|' measured.html >bad-heads.html
sed 's|rem"><caption|px"><caption|' measured.html >bad-group.html
for page in tile:'leaves its tile' frame:'touches the frame' hint:'says that the table of nodes scrolls' alike:'look alike to all' blind:'look alike to deuteranopes' cut:'is cut' heads:'do not stay' \
    group:'is not below the heads' script:'it has <script>' overlap:'text overlaps' wide:'the page is' contrast:'contrast' \
    desc:'no title or no description' request:'request: http'; do
    python3 -B "$here/check.py" "$browser" "bad-${page%%:*}.html" >found && code=0 || code=$?
    if [ $code -eq 0 ] || ! grep -qF "${page#*:}" found; then
        cat found
        echo "test-browser: bad-${page%%:*}.html was not found bad"
        exit 1
    fi
done
rm bad-*.html part.html

python3 -B "$here/check.py" "$browser" ./*.html
