# Wrong usage is exit 2 and a sentence that names the option and the value.
$BONSAI chekc graph.bonsai
$BONSAI zzzzzz
$BONSAI evaluate s.bonsai g.bonsai
$BONSAI download cora
$BONSAI datasets
$BONSAI -q info graph.bonsai
$BONSAI help chekc
$BONSAI info
$BONSAI info ''
$BONSAI info a b
$BONSAI convert a.bonsai
$BONSAI check --jsno a.bonsai
$BONSAI check --wwwwwwww a.bonsai
$BONSAI check -x a.bonsai
$BONSAI check --json=1 a.bonsai
$BONSAI check a.bonsai --threads
$BONSAI check a.bonsai -t
$BONSAI check a.bonsai --labels=
$BONSAI generate
$BONSAI generate -o
$BONSAI generate extra -o a.bonsai
$BONSAI split a.bonsai

# Numbers are taken strictly.
$BONSAI generate -o a.bonsai --nodes 0
$BONSAI generate -o a.bonsai --nodes -1
$BONSAI generate -o a.bonsai --nodes=1.5e0
$BONSAI generate -o a.bonsai --nodes 10x
$BONSAI generate -o a.bonsai --nodes ' 10'
$BONSAI generate -o a.bonsai --nodes ''
$BONSAI generate -o a.bonsai --nodes 2147483648
$BONSAI generate -o a.bonsai --nodes 99999999999999999999
$BONSAI generate -o a.bonsai --homophily 1.5
$BONSAI generate -o a.bonsai --homophily nan
$BONSAI generate -o a.bonsai --homophily 0x1
$BONSAI generate -o a.bonsai --degree inf
$BONSAI generate -o a.bonsai --degree 1e999
$BONSAI generate -o a.bonsai --degree -2
$BONSAI generate -o a.bonsai --exponent 1.5
$BONSAI generate -o a.bonsai --difficulty 2
$BONSAI generate -o a.bonsai --seed -1
$BONSAI generate -o a.bonsai -s 18446744073709551616
$BONSAI generate -o a.bonsai -t 100000
$BONSAI generate -o a.bonsai -qt9x
$BONSAI convert a.bonsai b.bonsai --features-as f64
$BONSAI split a.bonsai -o b.bonsai --parts 60/20
$BONSAI split a.bonsai -o b.bonsai --parts 60/20/20/0
$BONSAI split a.bonsai -o b.bonsai --parts 60/x/20
$BONSAI split a.bonsai -o b.bonsai --parts 60//20
$BONSAI split a.bonsai -o b.bonsai --parts 60/-1/20
$BONSAI split a.bonsai -o b.bonsai --split 60/30/20
$BONSAI split a.bonsai -o b.bonsai --parts nan/0/0
ls
