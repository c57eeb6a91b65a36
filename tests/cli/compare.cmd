# Accuracies rest on the machine's arithmetic and are masked; sizes and their order are not.
$BONSAI generate -q -o g.bonsai --nodes 300 --features 40 --words 5 --no-linear > /dev/null
$BONSAI compare g.bonsai --methods trees,random --ratios 0.1,0.2 --models gcn,gin --epochs 5 --seeds 2 | grep ^cell | awk -F '\t' -v OFS='\t' '{$6 = $7 = $13 = $14 = $15 = $16 = "N"; print}' | cut -f 1-19
# The methods in pairs.
$BONSAI compare g.bonsai --methods trees,random,degree --ratios 0.2 --epochs 5 --seeds 2 | grep ^pair | awk -F '\t' -v OFS='\t' '{$6 = $7 = $9 = "N"; print}'
# Several splits and draws; the full graph has one draw in each split.
$BONSAI compare g.bonsai --methods random,herding --ratios 0.2 --splits 2 --draws 3 --epochs 2 --seeds 2 -o s.jsonl | cut -f 1-5,17-19
sed -n 's/.*"method":"\([a-z]*\)".*"split":\([0-9]*\),"draw":\([0-9]*\).*/\1 \2 \3/p' s.jsonl
$BONSAI compare g.bonsai --methods random --ratios 0.2 --splits 3 --draws 3 --epochs 2 --seeds 2 -o s.jsonl | cut -f 1-5,17-19
# On a terminal: grouped by ratio, the best of each marked.
script -qec "$BONSAI compare g.bonsai -q --methods random,degree --ratios 0.1,0.2 --epochs 5 --seeds 1" /dev/null < /dev/null | tr -d '\r' | sed -E 's/ [0-9]+\.[0-9]+( \*)? +(-|[0-9.]+) +[0-9.]+$/ A \2/; s/A [0-9.]+$/A N/'
script -qec "$BONSAI compare g.bonsai -q --methods random,degree --ratios 0.2 --epochs 5 --seeds 2 --draws 2" /dev/null < /dev/null | tr -d '\r' | sed -E 's/ [0-9.]+ ± +[0-9.]+.*$/ A/; s/ [-+][0-9.]+ ± +[0-9.]+ (win|tie|loss)$/ D/; s/in all .*/in all N/; s/ +condense s.*//'
# As JSON: every field of every cell.
$BONSAI compare g.bonsai --methods degree --ratios 0.1 --epochs 5 --seeds 1 --json | sed -E 's/("(acc|sec|bal|f1|auc)[a-z_]*"): [0-9.e-]+/\1: N/; s/^( {10})[0-9.]+(,?)$/\1N\2/'
# The graph's own split, by name too; without one, 60/20/20; another, or several, are drawn.
for split in "" "--split own" "--split 60/20/20" "--split published" "--splits 2"; do $BONSAI compare g.bonsai --methods random --ratios 0.2 --epochs 2 --seeds 1 $split | grep -E '^(split|cell.*random)' | cut -f 1-4,8,10; done
$BONSAI convert g.bonsai bare/ -q > /dev/null; cut -d, -f 1-2 bare/labels.csv > new; mv new bare/labels.csv; $BONSAI compare bare --methods random --ratios 0.2 --epochs 2 --seeds 1 | grep ^split; $BONSAI compare bare --split own; $BONSAI condense bare --split own --ratio 0.2 -o no.bonsai
# Another metric: it chooses the epochs and is what the table shows; a file is begun with one.
script -qec "$BONSAI compare g.bonsai -q --methods random --ratios 0.2 --epochs 5 --seeds 2 --metric f1" /dev/null < /dev/null | tr -d '\r' | head -1
$BONSAI compare g.bonsai --methods random --ratios 0.2 --epochs 5 --seeds 1 --metric balanced -o m.jsonl --json | grep -E '"(metric|method)"'; $BONSAI compare g.bonsai --methods random --ratios 0.2 --epochs 5 --seeds 1 -o m.jsonl
$BONSAI compare g.bonsai --methods random --ratios 0.2 --epochs 5 --seeds 1 --metric auc
# A budget that is too small costs its own cells.
$BONSAI compare g.bonsai --methods random,degree --ratios 0.0001,0.2 --epochs 2 --seeds 1 | cut -f 1-5
$BONSAI compare g.bonsai --methods random --ratios 0.0001 --epochs 2 --seeds 1 | cut -f 1-5
# The published settings, and one option that overrides them.
$BONSAI compare g.bonsai --methods random --ratios 0.2 --seeds 1 --epochs 2 --protocol paper -o p.jsonl > /dev/null; head -n 1 p.jsonl | sed -E 's/.*"epochs"/"epochs"/; s/,"layers".*"rate"/ "rate"/; s/,"dropout".*//'
mkdir other; (cd other; python3 $HERE/flickr_size.py); $BONSAI compare other --methods random --ratios 0.001 --seeds 1 --epochs 1 --layers 1 --protocol paper 2>&1 | grep -E '^(note|cell)' | cut -f 1-2
ls
