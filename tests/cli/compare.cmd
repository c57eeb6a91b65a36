# Accuracies rest on the machine's arithmetic and are masked; sizes and their order are not.
$BONSAI generate -q -o g.bonsai --nodes 300 --features 40 --words 5 --no-linear > /dev/null
$BONSAI compare g.bonsai --methods trees,random --ratios 0.1,0.2 --models gcn,gin --epochs 5 --seeds 2 | awk -F '\t' -v OFS='\t' '{$6 = $7 = $13 = $14 = $15 = "N"; print}'
# On a terminal: grouped by ratio, the best of each marked.
script -qec "$BONSAI compare g.bonsai -q --methods random,degree --ratios 0.1,0.2 --epochs 5 --seeds 1" /dev/null < /dev/null | tr -d '\r' | sed -E 's/ [0-9]+\.[0-9]+ ± 0\.00/ A ± 0.00/; s/ +[0-9]+\.[0-9]+$/ N/; s/ +[0-9]+\.[0-9]+( +N)$/ N\1/; s/  ?\*? +(N|-) +N$/ \1 N/'
# As JSON: every field of every cell.
$BONSAI compare g.bonsai --methods degree --ratios 0.1 --epochs 5 --seeds 1 --json | sed -E 's/("(acc|sec)[a-z_]*"): [0-9.e-]+/\1: N/'
# A budget that is too small costs its own cells.
$BONSAI compare g.bonsai --methods random,degree --ratios 0.0001,0.2 --epochs 2 --seeds 1 | cut -f 1-5
$BONSAI compare g.bonsai --methods random --ratios 0.0001 --epochs 2 --seeds 1 | cut -f 1-5
# The published settings, and one option that overrides them.
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 --protocol paper -o p.jsonl > /dev/null; head -n 1 p.jsonl | sed -E 's/.*"epochs"/"epochs"/; s/,"layers".*"rate"/ "rate"/; s/,"dropout".*//'
ls
