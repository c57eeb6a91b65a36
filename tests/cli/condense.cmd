# Figures that rest on the method or on the machine are masked, since they may change.
$BONSAI generate -q -o g.bonsai --nodes 600 --features 60 --words 6 --no-linear > /dev/null
$BONSAI condense g.bonsai -o s.bonsai -r 0.05 | sed -E 's/\t[0-9.e-]+$/\tN/; s/[0-9.]+ %/N %/g'
$BONSAI condense g.bonsai -o a.bonsai -r 0.05 --method trees | sed -E 's/\t[0-9.e-]+$/\tN/'
$BONSAI check s.bonsai | cut -d : -f 1-2
$BONSAI info s.bonsai --brief | grep -E 'train|condensed' | sed -E 's/\t[0-9.e-]+$/\tN/'
# The same seed, the same bytes, whatever the threads.
$BONSAI condense g.bonsai -o a.bonsai -r 0.05 -t 1 > /dev/null; cmp a.bonsai s.bonsai
$BONSAI condense g.bonsai -o a.bonsai -r 0.05 -s 2 > /dev/null; cmp -s a.bonsai s.bonsai
# Other budgets: trees and nodes are counted, bytes are not exceeded.
$BONSAI condense g.bonsai -o a.bonsai --nodes 7 | grep -E '^(nodes|budget)'
$BONSAI condense g.bonsai -o a.bonsai --trees 3 --no-ppr --method trees | grep -E '^(roots|budget)'
$BONSAI condense g.bonsai -o a.bonsai --bytes 400 | grep -E '^budget.(limit|unit)'
$BONSAI condense g.bonsai -o a.bonsai -r 0.05 --accounting paper --json | grep -A 1 '"accounting"'
# Several at once: the ratio's text is kept, and each is what it is alone.
$BONSAI condense g.bonsai -o many --ratios 0.05,0.10,.2 | sed -E 's/\t[0-9.e-]+/\tN/g'; ls many*
cmp many-0.05.bonsai s.bonsai
$BONSAI condense g.bonsai -o many.npz --ratios 0.05,1 -q > /dev/null; $BONSAI condense g.bonsai -o many/ --ratios 0.3 -q > /dev/null; ls -d many*
# Every method; what does nothing is said.
for m in trees random random-trees herding kcenter degree prototypes auto published; do $BONSAI condense g.bonsai -o a.bonsai -r 0.1 --method $m | grep method; done
$BONSAI condense g.bonsai -o a.bonsai -r 0.1 --method kcenter --on features --no-rknn > /dev/null
$BONSAI condense g.bonsai -o a.bonsai -r 0.1 --on features --project 8 --no-ppr > /dev/null
$BONSAI condense g.bonsai -o a.bonsai -r 0.1 --method degree --members --select-features tree > /dev/null
$BONSAI condense g.bonsai -o a.bonsai -r 0.1 --method prototypes --select-features tree --no-ppr > /dev/null
$BONSAI condense g.bonsai -o a.bonsai -r 0.1 --method published -k 3 --layers 2 --sample all --accounting strict --select-features tree > /dev/null
$BONSAI condense g.bonsai -o b.bonsai -r 0.1 --method published --accounting paper > /dev/null; cmp a.bonsai b.bonsai
# Prototypes: the labels soft or hard, judged on other nodes, with their members.
$BONSAI condense g.bonsai -o p.bonsai -r 0.05 --hard-labels --no-validation --members | grep -E '^(why|labels|members)' | sed -E 's/[0-9.]+ %/N %/g'
# What it is for is in its record.
$BONSAI condense g.bonsai -o p.bonsai -r 0.05 --for sage,gcn > /dev/null; $BONSAI info p.bonsai --json | grep for_models
$BONSAI condense g.bonsai -o p.bonsai -r 0.05 --for all > /dev/null; $BONSAI info p.bonsai --json | grep for_models
$BONSAI condense g.bonsai -o p.bonsai -r 0.05 --members --json | grep -A 1 '"members"' | head -1
# A graph that gets more edges: what they do not reach stays, and the budget is kept.
$BONSAI convert g.bonsai new/ -q > /dev/null; $BONSAI convert g.bonsai old/ -q > /dev/null; sed -i '1s/ edges=[0-9]*//; 200,203d' old/edges.csv
$BONSAI condense old/ -o was.bonsai -r 0.05 --members --method prototypes > /dev/null
$BONSAI condense new/ --update was.bonsai --was old/ -o now.bonsai | grep -E '^(why|method|budget.unit)' | sed -E 's/[0-9]+/N/g'
$BONSAI condense new/ --update now.bonsai --was new/ -o again.bonsai | grep why; $BONSAI check again.bonsai | cut -d : -f 1-2
# A condensed graph has no split: all of its labels are for training.  Another without one is told.
$BONSAI condense s.bonsai -o a.bonsai -r 1 | grep -E '^(labelled|full_labelled|trees)' | cut -f 2 | uniq | wc -l
printf 'a,b\nb,c\nc,d\nd,e\ne,a\n' > e.csv; printf 'id,x\na,1\nb,2\nc,3\nd,4\ne,5\n' > e.features.csv; printf 'id,label\na,0\nb,1\nc,0\nd,1\ne,0\n' > e.labels.csv
$BONSAI condense e.csv -o a.bonsai -r 1 -k 1 | grep -E '^(trees|full_labelled)'
# By hand: a, b and d train; within two hops of them is all but g and h; other labels are hidden.
$BONSAI condense $HERE/papers -o p.bonsai -r 1 -k 1 --no-ppr --method trees | grep -E '^(nodes|labelled|full_nodes|full_labelled|roots|trees|sample|coverage)'
$BONSAI condense $HERE/papers -o p.bonsai -r 1 -k 1 --keep-trees --method trees | grep -E '^(nodes|roots|trees|whole_trees)'
$BONSAI convert p.bonsai p/ -q > /dev/null; cat p/labels.csv
ls
# In the same run networks are trained on it and judged: as bonsai eval does.
$BONSAI condense g.bonsai -o a.bonsai -r 0.1 --eval gcn,sage -q > all; $BONSAI eval a.bonsai g.bonsai --model gcn,sage -q | grep -E '^(split|train|val|test|beside|metric|recall)' > some; grep -F -x -f some all | cmp - some; grep -c . some
$BONSAI condense g.bonsai -o a.bonsai -r 0.1 --eval gcn -q --json | python3 -c 'import json, sys; r = json.load(sys.stdin); m = r["eval"]["models"][0]; print(r["method"], r["eval"]["trained_on"], r["eval"]["judged_on"], m["model"], m["full"]["accuracy_mean"] > 50, m["kept"] > 50); print(r["next"])'
# What it is worth, and what it was judged on.
$BONSAI condense g.bonsai -o a.bonsai -r 0.1 --no-validation | grep -E '^(probe|worth)' | sed -E 's/[0-9.]+ %/N %/g; /probe(_full|_kept|_other)?\t/s/\t.*/\tN/'
$BONSAI condense g.bonsai -o a.bonsai -r 0.1 --method degree | grep -cE '^(probe|worth)'
$BONSAI condense g.bonsai -o "a b.bonsai" -r 0.1 --json -q | grep '"next"'
# Budgets in percent; the files are named as if they were not.
$BONSAI condense g.bonsai -o pc.bonsai --ratio 2% -q | grep -E '^(written|budget.limit)'; $BONSAI condense g.bonsai -o pc --ratios 1%,0.05 --method random -q | cut -f 2 | tail -2; $BONSAI condense g.bonsai -o pc --ratios 1%,0.01; $BONSAI condense g.bonsai -o pc --ratios 101%
# Far less than the budget is used: the last lines say why.
$BONSAI generate -q -o w.bonsai --nodes 600 --features 50 --no-linear > /dev/null; $BONSAI condense w.bonsai -o pc.bonsai --ratio 0.3 --method prototypes -q | grep -E '^unused' | sed 's/[0-9.]* %/N %/'; $BONSAI condense g.bonsai -o pc.bonsai --ratio 1 --method random --split 10/10/80 -q | grep -E '^unused' | sed 's/[0-9.]* %/N %/'; $BONSAI condense g.bonsai -o pc.bonsai --ratio 0.05 --method random -q | grep -c '^unused'
# Columns of very different scales: a note, once, and none with -q or where they are alike.
mkdir u; awk 'BEGIN { for (i = 0; i < 60; i++) print i * 1000 % 37000 "," i % 7 / 10 }' > u/features.csv; awk 'BEGIN { print "source,target"; for (i = 0; i < 60; i++) print i "," (i * 7 + 1) % 60 }' > u/edges.csv; awk 'BEGIN { print "id,label"; for (i = 0; i < 60; i++) print i "," i % 2 }' > u/labels.csv; $BONSAI condense u/ -o pc.bonsai --nodes 4 --json | grep '"next"'; $BONSAI condense u/ -o pc.bonsai --nodes 4 --eval gcn 2>&1 > /dev/null | grep -c normalise; for more in "" "--standardise train"; do $BONSAI eval pc.bonsai u/ --epochs 3 --seeds 1 $more 2>&1 > /dev/null | grep -c normalise; $BONSAI compare u/ --methods random --ratios 0.2 --epochs 3 --seeds 1 $more 2>&1 > /dev/null | grep -c normalise; $BONSAI train u/ --epochs 3 --seeds 1 $more 2>&1 > /dev/null | grep -c normalise; done; $BONSAI condense u/ -o pc.bonsai --nodes 4 -q > /dev/null
# What helps: the columns are scaled once, and everything after knows, on the graph as it was too.
$BONSAI convert u/ scaled.bonsai --normalise columns -q > /dev/null; $BONSAI condense scaled.bonsai -o sc.bonsai --nodes 4 --method prototypes --members 2>&1 > /dev/null | grep -c normalise; for full in scaled.bonsai u/; do $BONSAI eval sc.bonsai $full --epochs 3 --seeds 1 --save $(basename $full .bonsai)-m.bonsai 2>&1 > /dev/null | grep -c normalise; done; cmp scaled-m.bonsai u-m.bonsai; $BONSAI explain sc.bonsai --full u/ > ex; $BONSAI explain sc.bonsai --full scaled.bonsai | cmp - ex; $BONSAI report sc.bonsai --full u/ -o sc.html -q > /dev/null; ls sc.html; $BONSAI predict u-m.bonsai u/ -q | wc -l
# A table that somebody scaled already, with a model that scales it again: a note.
$BONSAI convert scaled.bonsai by-hand/ -q > /dev/null 2>&1; $BONSAI predict u-m.bonsai by-hand/ 2>&1 > /dev/null | grep -o 'standard deviation 1, .*'
# Reading such a table says so, too: from thirtyfold on, and not where they were scaled.
$BONSAI info u/ 2>&1 > /dev/null; $BONSAI convert u/ u.bonsai 2>&1 > /dev/null | grep -c normalise; $BONSAI info scaled.bonsai 2>&1 > /dev/null | grep -c normalise; for by in 17 12; do awk -F , -v by=$by '{ print $1 / 1000 * by / 25 "," $2 }' u/features.csv > f; mkdir by-$by; cp u/edges.csv u/labels.csv by-$by; mv f by-$by/features.csv; $BONSAI info by-$by 2>&1 > /dev/null | grep -o 'from.* to [0-9.]*'; done
# Values are told as they were before columns were scaled.
$BONSAI explain sc.bonsai --node 0 --full u/ -q | awk '$1 == "features" && $2 < 2 { printf "%s %.3g %.3g\n", $2, $3, $4 }'
