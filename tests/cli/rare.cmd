# Accuracy hides a class of 2 %: the probe looks at balanced accuracy, too, and says so.
mkdir g; (cd g; python3 $HERE/rare_graph.py 1500 2.5); $BONSAI convert g/ g.bonsai -q > /dev/null
$BONSAI condense g.bonsai -o s.bonsai -r 0.02 | grep -E '^(metric|probe_idle|worth)' | sed -E 's/[0-9.]+ %/N %/g; s/\t[0-9.]+$/\tN/'
$BONSAI condense g.bonsai -o s.bonsai -r 0.02 --json | grep -E '"(metric|next)"'
# It is in the record, and another metric is, too.
grep -ao '"judge":{[^}]*"metric":"[a-z]*"' s.bonsai | grep -o '"metric".*'
for m in balanced f1 auc ap f1max; do $BONSAI condense g.bonsai -o t.bonsai -r 0.02 --method prototypes --metric $m | grep -E '^(metric|worth)' | sed -E 's/[0-9.]+ %/N %/g'; grep -ao '"metric":"[a-z0-9]*"' t.bonsai; done
# The same bytes for any number of threads.
for t in 1 3; do $BONSAI condense g.bonsai -o t$t.bonsai -r 0.02 --method prototypes --metric auc -t $t > /dev/null; done; cmp t1.bonsai t3.bonsai
# Weights of classes find it; the metrics of two classes are shown.
$BONSAI eval s.bonsai g.bonsai --alone --class-weight balanced --metric balanced --epochs 150 --seeds 2 | awk '/^recall.fraud/ { print ($4 > 50 ? "found" : "lost: " $0) }'
$BONSAI eval s.bonsai g.bonsai --alone --class-weight 1,49 --metric ap --epochs 20 --seeds 1 | grep -E '^(model|metric)' | cut -f 1-3 | sed -E 's/\t[0-9.]+$/\tN/'
$BONSAI train g.bonsai --class-weight 1,30 --epochs 2 --seeds 1 --json | grep class_weight
# A graph in which nothing tells the class keeps nothing, and is never said to; in any metric.
mkdir h; (cd h; python3 $HERE/rare_graph.py 1500 0)
for m in auto accuracy; do $BONSAI condense h/ -o t.bonsai -r 0.01 --metric $m | grep '^worth' | sed -E 's/[0-9.]+ %/N %/g'; done
for m in accuracy balanced f1; do $BONSAI train h/ --metric $m --epochs 1 --seeds 1 --rate 0.0001 2>&1 > /dev/null | grep hardly; done
# What makes no sense is refused.
$BONSAI condense g.bonsai -o t.bonsai -r 0.02 --metric acuracy
$BONSAI train g.bonsai --metric precision
$BONSAI train g.bonsai --class-weight 1,2,3
$BONSAI train g.bonsai --class-weight=-1,2
$BONSAI eval s.bonsai g.bonsai --class-weight 0,0
$BONSAI eval s.bonsai g.bonsai --class-weight even
