# By hand: a, b and d train, k = 1.  Original ids, names, the tree that brought a node.
$BONSAI condense $HERE/papers -o p.bonsai -r 1 -k 1 --no-ppr --method trees > /dev/null
$BONSAI explain p.bonsai --node 0 | grep -v -E '^(score|rank)'
$BONSAI explain p.bonsai --node 5 --json | grep -v -E '"(score|rank)"'
$BONSAI explain p.bonsai | cut -f 1 | uniq
# A method without a cover has no more to say than the role.
$BONSAI condense $HERE/papers -o r.bonsai --nodes 2 --method degree > /dev/null; $BONSAI explain r.bonsai | grep -E 'method|top_roots'; $BONSAI explain r.bonsai --node 1
# Features keep the numbers they have in the full graph, the strongest first.
$BONSAI generate -q -o g.bonsai --nodes 300 --dense --features 30 --no-linear > /dev/null; $BONSAI condense g.bonsai -o d.bonsai --nodes 10 --method trees > /dev/null
$BONSAI explain d.bonsai --node 9 | grep '^features' | sed -E 's/(\t-?[0-9.]+)(\t-?[0-9.]+)$/\tV\tV/; s/\t[0-9]+\t-?[0-9.]+\t/\tF\tV\t/'
$BONSAI explain d.bonsai --node 9 | sed -n 's/^features\t[0-9].*\t-*//p' > by; sort -gr by | cmp - by && wc -l < by
# A prototype: its label, its weight, its members, or the nodes nearest to it.
$BONSAI condense g.bonsai -o q.bonsai --nodes 14 --members > /dev/null; $BONSAI explain q.bonsai --node 3 | sed -E 's/\t-?[0-9.]+/\tN/g' | uniq
$BONSAI explain q.bonsai --node 3 --full g.bonsai | sed -E 's/\t-?[0-9.e]+/\tN/g' | uniq
$BONSAI explain q.bonsai --node 3 --full g.bonsai | sed -n 's/^nearest\t[0-9].*\t//p' > near; sort -g near | cmp - near
$BONSAI condense g.bonsai -o q.bonsai --nodes 14 --hard-labels > /dev/null; $BONSAI explain q.bonsai --node 3 --full g.bonsai | cut -f 1 | uniq; $BONSAI explain q.bonsai --node 3 --json | grep -c member
$BONSAI explain q.bonsai | cut -f 1 | uniq | tail -3
$BONSAI explain q.bonsai --node 3 --full $HERE/papers
$BONSAI explain q.bonsai --node 14
# Features keep their numbers, too, where the full graph has itself a part of the features: means are those of the right ones.
$BONSAI condense g.bonsai -o one.bonsai --select-features tree --method trees --nodes 200 > /dev/null; $BONSAI split one.bonsai -o two.bonsai > /dev/null; $BONSAI condense two.bonsai -o s.bonsai --method prototypes --nodes 14 > /dev/null
$BONSAI convert two.bonsai two/ > /dev/null; $BONSAI condense two/ -o t.bonsai --method prototypes --nodes 14 > /dev/null; $BONSAI explain s.bonsai --node 3 --full two.bonsai | sed -n 's/^features\t[0-9]*\t//p' > s; $BONSAI explain t.bonsai --node 3 --full two/ | sed -n 's/^features\t[0-9]*\t//p' > t; wc -l < s; cmp s t
# The full graph must be the one that was condensed.
$BONSAI explain s.bonsai --node 3 --full g.bonsai
$BONSAI explain s.bonsai --node 3 --full one.bonsai 2>&1 | sed -E 's/[0-9a-f]{8}/CRC/g'
# Nodes of the full graph have their names, where it is there or the small graph has them.
$BONSAI condense $HERE/papers -o n.bonsai --nodes 2 --method prototypes --split own --hard-labels > /dev/null; $BONSAI explain n.bonsai --node 0 | grep -c '^name'; $BONSAI explain n.bonsai --node 0 --full $HERE/papers | grep -E '^(origin|name|nearest)' | sed -E 's/\t[0-9.e-]+$/\tN/'
$BONSAI explain n.bonsai --full $HERE/papers --json | python3 -c 'import json, sys; print([p["name"] for p in json.load(sys.stdin)["top_prototypes"]])'
# Prototypes that are pairs of nodes: the second has no label, and belongs to the first.
$BONSAI generate -q -o h.bonsai --nodes 600 --features 40 --homophily 0.1 --degree 10 --difficulty 0.3 --classes 3 --no-linear > /dev/null; $BONSAI condense h.bonsai -o pair.bonsai -r 0.03 --method prototypes --for sage -q | grep -E '^(nodes|prototypes|second_nodes)'
$BONSAI explain pair.bonsai --node 0 | grep -E '^(role|partner)'; $BONSAI explain pair.bonsai --node 3 --full h.bonsai | cut -f 1 | uniq; $BONSAI explain pair.bonsai --node 3 | grep -E '^(role|partner)'; $BONSAI explain pair.bonsai | grep -c '^top_prototypes'
$BONSAI info pair.bonsai | grep -E '^condensed.*(prototypes|second)'
