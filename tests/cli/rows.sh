# Into a pipe every table begins with the names of its columns, as many as its rows have.
# SPDX-License-Identifier: MIT
"$BONSAI" generate -q -o g.bonsai --nodes 300 --features 40 --words 5 --no-linear >/dev/null
"$BONSAI" condense g.bonsai -q -o s.bonsai -r 0.2 --members >/dev/null
"$BONSAI" condense g.bonsai -q -o t.bonsai -r 0.2 --method trees >/dev/null
"$BONSAI" train g.bonsai -q --model gcn --epochs 3 --seeds 2 --save m.bonsai >/dev/null
headed() {      # the tables that are wanted, then the words of the line
    wanted=$1
    shift
    "$BONSAI" "$@" -q >rows
    awk -F '\t' -v wanted="$wanted" '
        BEGIN { n = split(wanted, name, " "); for (i = 1; i <= n; i++) is[name[i]] = 1 }
        !($1 in is) && NF != 2 { print "not announced: " $0; bad = 1 }
        $1 in is && !($1 in head) {
            head[$1] = NF
            for (i = 2; i <= NF; i++) if ($i !~ /^[a-z][a-z0-9_-]*$/) { print "no name: " $0; bad = 1 }
            next
        }
        $1 in is && NF != head[$1] { print NF " cells under " head[$1] " names: " $0; bad = 1 }
        $1 in is { rows[$1]++ }
        END {
            for (i = 1; i <= n; i++) if (!rows[name[i]]) { print name[i] " has no rows"; bad = 1 }
            exit bad
        }' rows || { echo "bonsai $*:"; exit 1; }
}
headed 'degree.histogram class sections' info g.bonsai
headed 'condensed' condense g.bonsai -o u --ratios 0.1,0.2
headed 'top_roots' explain t.bonsai
headed 'top_prototypes' explain s.bonsai
headed 'soft_label member_nodes features' explain s.bonsai --node 3
headed 'soft_label nearest features' explain s.bonsai --node 3 --full g.bonsai
headed 'model metric recall' train g.bonsai --model gcn,gin --epochs 3 --seeds 2
headed 'beside model metric recall' eval s.bonsai --full g.bonsai --epochs 3 --seeds 2
headed 'accuracy recall' predict m.bonsai g.bonsai --evaluate
headed 'cell pair' compare g.bonsai --methods random,degree --ratios 0.1 --models gcn --epochs 3 --seeds 2
headed 'points' suggest g.bonsai --keep 0.5
headed 'plan' plan g.bonsai
headed 'datasets' fetch
headed 'commands' help --rows
headed 'options arguments' help condense --rows
