# The manual and the completions have the options that the program has: they ask it.
# SPDX-License-Identifier: MIT
bad=0
differ() {      # command, what is compared, and its options on stdin; those of the program are in "all"
    sort -u >theirs
    diff "${3:-all}" theirs >difference ||
        { echo "$1: the program (<) and $2 (>) differ:"; cat difference; : >differs; }  # in a pipe
}
manual=$(dirname "$BONSAI")/bonsai.1
names() { sed 's/\\-/-/g; s/\\f[BRI]//g' | sed -n '/^\.TP$/{n; s/^\.B .*--\([a-z0-9-]*\).*/\1/p;}'; }
sed -n '/^_bonsai_specs/,/^}/p' "$ROOT/completions/_bonsai" >specs
. ./specs
# What fish offers for a line of words, the last of which is begun.
fished() { PATH=$(dirname "$BONSAI"):$PATH fish --no-config -c \
    'source $ROOT/completions/bonsai.fish; complete -C "bonsai $argv"' "$*" | cut -f 1; }
: >shared
"$BONSAI" help --rows | sed 1d | cut -f 2 >commands
[ "$(wc -l <commands)" -gt 15 ] || { echo "help --rows lists too few commands"; bad=1; }
for cmd in $(cat commands); do
    "$BONSAI" help $cmd --rows >rows
    grep ^options rows | sed 1d | cut -f 2 | sort -u >all
    [ -s all ] || { echo "$cmd has no options"; bad=1; }
    awk -F '\t' '$1 == "options" && $7 == 0 { print $2 }' rows | sort -u >own
    awk -F '\t' '$1 == "options" && $7 == 1 { print $2 }' rows | sort -u | comm -23 - own >>shared
    "$BONSAI" $cmd --help all | sed -n 's/^  \(-., \|    \)--\([a-z0-9-]*\).*/\2/p' | differ $cmd --help
    sed -n "/^\.SS $cmd\$/,/^\.S[SH] /p" "$manual" | names | differ $cmd bonsai.1 own
    _bonsai_specs <rows | sed -n 's/^\((.*)\)\{0,1\}--\([a-z0-9-]*\).*/\2/p' | differ $cmd _bonsai
    if command -v bash >/dev/null; then
        bash -c '. "$ROOT/completions/bonsai.bash"; COMP_WORDS=("$BONSAI" '$cmd' --); COMP_CWORD=2
                 _bonsai; printf "%s\n" "${COMPREPLY[@]}"' | sed 's/^--//' | differ $cmd bonsai.bash
    fi
    if command -v fish >/dev/null; then
        fished $cmd -- | sed 's/^--//' | differ $cmd bonsai.fish
    fi
done
sort -u shared >all
sed -n '/^\.SH COMMON OPTIONS$/,/^\.SH /p' "$manual" | names | differ "common options" bonsai.1

# Values: words, lists, parts of a split, files and folders; nothing where a number is due.
completes() {   # what is wanted, sorted, then the words of the line
    wanted=$1
    shift
    got=$(bash -c '. "$ROOT/completions/bonsai.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
                   _bonsai; printf "%s\n" "${COMPREPLY[@]}"' x "$BONSAI" "$@" | sort | xargs)
    [ "$got" = "$wanted" ] || { echo "$*: \"$got\" instead of \"$wanted\""; bad=1; }
    command -v fish >/dev/null || return 0
    got=$(fished "$@" | sed 's,/$,,' | sort | xargs)
    [ "$got" = "$wanted" ] || { echo "fish: $*: \"$got\" instead of \"$wanted\""; bad=1; }
}
if command -v bash >/dev/null; then
    mkdir folder
    : >folder.txt
    completes 'compare condense convert' co
    completes 'density gain' condense g --greedy ''
    completes 'all' condense g --sample ''
    completes '' condense g --ratio ''
    completes 'gcn,sage' train g --model gcn,s
    completes '60/20/20 80/10/10 random' eval s --split ''
    completes 'folder folder.txt' info fol
    ! grep -qx paper commands || completes 'folder' paper --data fol     # not in every build
    completes 'amazon-computers amazon-photo' fetch am
    completes 'compare condense convert' help co
fi
[ ! -e differs ] || bad=1
exit $bad
