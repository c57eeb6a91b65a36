# A program without standard streams does not write its messages into its files.
# SPDX-License-Identifier: MIT
"$BONSAI" generate -q -o g.bonsai --nodes 300 --features 40 --words 5 --no-linear >/dev/null
for closed in '2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
    rm -f t.jsonl
    for again in 1 2; do        # the second time it has something to say while the file is open
        code=0
        eval "\"\$BONSAI\" compare g.bonsai -o t.jsonl --methods random --ratios 0.1 --models gcn \
            --epochs 2 --seeds 1 $closed" >out || code=$?
        case $closed in
        *'>&- 2>&-') [ $code -eq 1 ] || { echo "$closed: results that are lost end with $code"; exit 1; } ;;
        *) [ $code -eq 0 ] || { echo "$closed: ends with $code"; exit 1; } ;;
        esac
    done
    [ "$(grep -c '^{.*}$' t.jsonl)" -eq "$(wc -l <t.jsonl)" ] || { echo "$closed:"; cat t.jsonl; exit 1; }
    [ "$(wc -l <t.jsonl)" -eq 3 ] || { echo "$closed:"; cat t.jsonl; exit 1; }
done
# Nor does it read or print what is not there.
code=0
"$BONSAI" info g.bonsai 2>err >&- || code=$?
[ $code -eq 1 ] && [ "$(cat err)" = 'bonsai: the results could not be written to standard output: Bad file descriptor' ] ||
    { echo "a closed output is no error: $code"; cat err; exit 1; }
