# Classes have numbers in the order of their names, or of their values, whatever comes first.
mkdir a b c; for d in a b c; do awk 'BEGIN { print "source,target"; for (i = 0; i < 60; i++) print i "," (i + 3) % 60 "\n" i "," (i + 6) % 60 }' > $d/edges.csv; awk 'BEGIN { for (i = 0; i < 60; i++) print (i % 3 == 0) "," (i % 3 == 1) "," (i % 3 == 2) "," i % 5 / 10 }' > $d/features.csv; done
awk 'BEGIN { split("old new loyal", n, " "); print "label"; for (i = 0; i < 60; i++) print n[i % 3 + 1] }' > a/labels.csv; $BONSAI info a | grep '^class'
awk 'BEGIN { split("40 10 77", n, " "); print "label"; for (i = 0; i < 60; i++) print n[i % 3 + 1] }' > c/labels.csv; $BONSAI info c | grep '^class'
$BONSAI convert c c.bonsai -q > /dev/null; $BONSAI convert c.bonsai d/ -q > /dev/null; head -4 d/labels.csv; $BONSAI convert d d.bonsai -q > /dev/null; cmp c.bonsai d.bonsai && echo same
# A graph that lacks the first class, or announces another order, is matched by name.
$BONSAI train a --save m.bonsai --seeds 1 --epochs 60 -q > /dev/null; awk 'BEGIN { split("old new", n, " "); print "label"; for (i = 0; i < 60; i++) print i % 3 == 2 ? -1 : n[i % 3 + 1] }' > b/labels.csv; $BONSAI predict m.bonsai b --evaluate -q | grep '^accuracy' | cut -f 1-3; $BONSAI predict m.bonsai b --evaluate -q | grep '^recall'
$BONSAI condense a --split 60/20/20 -o s.bonsai --nodes 6 --method prototypes -q > /dev/null; $BONSAI eval s.bonsai b --alone --seeds 1 --epochs 60 -q | grep '^test' | cut -f 1-3
printf '# bonsai: class_names=3\n# old\n# new\n# loyal\n' > l; awk 'BEGIN { print "label"; for (i = 0; i < 60; i++) print i % 3 }' >> l; mv l b/labels.csv; $BONSAI info b | grep '^class'; $BONSAI predict m.bonsai b --evaluate -q | grep '^recall'
$BONSAI explain s.bonsai --node 0 --full b -q > x; $BONSAI explain s.bonsai --node 0 --full a -q | cmp - x && echo same; $BONSAI report s.bonsai --full b -o r.html -q | grep -c written
# A class that the model does not know; the label -1 leaves it out.
sed -i 's/^# loyal/# lost/' b/labels.csv; $BONSAI predict m.bonsai b --evaluate; $BONSAI eval s.bonsai b --alone
# Predictions alone need no labels; where the class is the last by name, it is the same.
$BONSAI predict m.bonsai b > p; cut -d , -f 1-3 p | sed -n '1,3p'; wc -l < p; sed -i 's/^# lost/# zinc/' b/labels.csv; $BONSAI predict m.bonsai b | cmp - p; awk 'BEGIN { split("old new loyal zinc", n, " "); print "label"; for (i = 0; i < 60; i++) print n[i % 4 + 1] }' > b/labels.csv; $BONSAI predict m.bonsai b --evaluate; $BONSAI eval s.bonsai b --alone; $BONSAI predict m.bonsai b -q -o z.csv | grep -c '^predicted'; cmp p z.csv
# Numbers of classes that the model has no names for.
awk 'BEGIN { print "label"; for (i = 0; i < 60; i++) print i % 3 }' > c/labels.csv; $BONSAI train c --save n.bonsai --seeds 1 --epochs 60 -q > /dev/null; awk 'BEGIN { print "label"; for (i = 0; i < 60; i++) print i % 3 == 1 ? -1 : i % 3 }' > b/labels.csv; $BONSAI info b | grep '^class'; $BONSAI predict n.bonsai b --evaluate -q | grep '^recall'
sed -i 's/^2/9/' b/labels.csv; $BONSAI predict n.bonsai b --evaluate
