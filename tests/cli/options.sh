# The man page and both completions name the options that --help names.
# SPDX-License-Identifier: MIT
bad=0
: >common_help
for cmd in generate info check convert split condense plan explain train eval predict compare report fetch paper demo version help; do
    "$BONSAI" $cmd --help >help
    sed -n 's/^  \(-., \|    \)--\([a-z0-9-]*\).*/\2/p' help | sort -u >all
    [ -s all ] || { echo "$cmd --help names no options"; bad=1; }
    # its own options stand before "common options:", where there are any
    grep -q '^common options:' help && sed '/^common options:/,$d' help >own_help || : >own_help
    sed -n 's/^  \(-., \|    \)--\([a-z0-9-]*\).*/\2/p' own_help | sort -u >own
    sed '1,/^\(common \)\{0,1\}options:/d' help | sed -n 's/^  \(-., \|    \)--\([a-z0-9-]*\).*/\2/p' |
        sort -u | comm -23 - own >>common_help
    sed -n "/^\.SS $cmd\$/,/^\.S[SH] /p" "$ROOT/doc/bonsai.1" >section
    sed 's/\\-/-/g' section | sed -n 's/^\.B[RI]* .*--\([a-z0-9-]*\).*/\1/p' | sort -u >man
    diff own man >difference || { echo "$cmd: --help (<) and bonsai.1 (>) differ:"; cat difference; bad=1; }
    if command -v bash >/dev/null; then
        bash -c '. "$ROOT/completions/bonsai.bash"; COMP_WORDS=(bonsai '$cmd' --); COMP_CWORD=2
                 _bonsai; printf "%s\n" "${COMPREPLY[@]}"' | sed 's/^--//' | sort -u >bash
        diff all bash >difference || { echo "$cmd: --help (<) and bonsai.bash (>) differ:"; cat difference; bad=1; }
    fi
    sed -n "/^    $cmd)/,/;;\$/p" "$ROOT/completions/_bonsai" >zsh
    for set in common reads threads json trains models; do      # reads holds the two behind it
        if grep -q "\$$set" zsh; then
            sed -n "/^    $set=(/,/^    )\$/p" "$ROOT/completions/_bonsai" >>zsh
        fi
    done
    grep -o -e '--[a-z][a-z0-9-]*[[}]' zsh | sed 's/^--//; s/.$//' | sort -u >zsh_options
    diff all zsh_options >difference || { echo "$cmd: --help (<) and _bonsai (>) differ:"; cat difference; bad=1; }
done
sort -u common_help >common
sed -n '/^\.SH COMMON OPTIONS$/,/^\.SH /p' "$ROOT/doc/bonsai.1" | sed 's/\\-/-/g' |
    sed -n 's/^\.B[RI]* .*--\([a-z0-9-]*\).*/\1/p' | sort -u >man
diff common man >difference || { echo "common options: --help (<) and bonsai.1 (>) differ:"; cat difference; bad=1; }
exit $bad
