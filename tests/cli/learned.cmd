# A method that learns: what it says, what others say of its graph, and its limits.
$BONSAI generate -q -o g.bonsai --nodes 300 --features 40 --words 8 --classes 3 > /dev/null
$BONSAI condense g.bonsai -o s.bonsai --method gc-sntk --nodes 8 --effort 0.05 --keep last -q | grep -v -e seconds -e memory -e peak -e file_bytes -e '^learn_loss' -e '^probe'
$BONSAI check s.bonsai
$BONSAI info s.bonsai | grep condensed
$BONSAI explain s.bonsai | grep -e learn -e settings -e rounds -e labels | grep -v loss
$BONSAI explain s.bonsai --node 2 | grep -e role -e origin -e method
$BONSAI explain s.bonsai --node 2 --json | grep -e role -e origin
$BONSAI condense g.bonsai -o t.bonsai --method gc-sntk --nodes 8 --effort 0.05 --keep last -q -t 2 > /dev/null && cmp s.bonsai t.bonsai
$BONSAI eval s.bonsai --full g.bonsai --seeds 1 --epochs 2 -q | cut -f 1 | head -3
# Time that is up, the last round, and a strict budget.
$BONSAI condense g.bonsai -o l.bonsai --method gc-sntk --nodes 8 --time-limit 1e-9 --keep last -q | grep -e '^why' -e learn_end
$BONSAI condense g.bonsai -o l.bonsai --method gc-sntk --ratio 0.05 --effort 0.02 --keep last -q | grep -e '^why' -e '^budget.unit'
# What cannot be.
$BONSAI condense g.bonsai -o l.bonsai --method gc-sntk --bytes 20 -q
$BONSAI condense g.bonsai -o l.bonsai --method gc-sntk --nodes 8 --effort 0
$BONSAI condense g.bonsai -o l.bonsai --method gc-sntk --nodes 8 --keep first
$BONSAI condense g.bonsai -o l.bonsai --method gcsntk --nodes 8
