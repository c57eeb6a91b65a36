# bash completion for bonsai and bonsai-mpi.  The program itself says which commands and options it
# has: "bonsai help --rows" and "bonsai help COMMAND --rows".
# SPDX-License-Identifier: MIT

_bonsai_words() {
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_bonsai_files() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$1" -- "$2"))
}

# The names in the table that a command prints.
_bonsai_names() {
    "$@" 2>/dev/null | awk -F '\t' 'NR > 1 { print $2 }'
}

# The value of the option $1, begun as $2, by the rows on stdin; 1: it takes none.
_bonsai_value() {
    local kind arg words head
    { read -r kind; read -r arg; read -r words; } < <(awk -F '\t' -v o="$1" '
        $1 == "options" && ("--" $2 == o || ($3 != "" && "-" $3 == o)) {
            print $4; print $5; print $6; exit }')
    case $kind:$arg in
    :*|none:*) return 1 ;;
    file:DIR) _bonsai_files -d "$2" ;;
    file:*) _bonsai_files -f "$2" ;;
    split:*) _bonsai_words "random 60/20/20 80/10/10" "$2" ;;
    list:*) head=${2%"${2##*,}"}
            _bonsai_words "$(printf "$head%s " $words all)" "$2" ;;
    *) _bonsai_words "$words" "$2" ;;
    esac
    return 0
}

_bonsai() {
    local program=${COMP_WORDS[0]} cmd=${COMP_WORDS[1]}
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} rows
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _bonsai_words "$(_bonsai_names "$program" help --rows) --help --version" "$cur"
        return
    fi
    rows=$("$program" help "$cmd" --rows 2>/dev/null) || return
    _bonsai_value "$prev" "$cur" <<<"$rows" && return
    if [[ $cur == -* ]]; then
        _bonsai_words "$(awk -F '\t' '$1 == "options" && $2 != "option" { print "--" $2 }' \
                         <<<"$rows")" "$cur"
        return
    fi
    case $(awk -F '\t' '$1 == "arguments" && n++ == 1 { print $2 }' <<<"$rows") in
    '') ;;
    COMMAND) _bonsai_words "$(_bonsai_names "$program" help --rows) formats methods" "$cur" ;;
    NAME) _bonsai_words "$(_bonsai_names "$program" "$cmd")" "$cur" ;;
    *) _bonsai_files -f "$cur" ;;
    esac
}

complete -F _bonsai bonsai bonsai-mpi
