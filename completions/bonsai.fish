# fish completion for bonsai and bonsai-mpi.  The program itself says which commands and options it
# has: "bonsai help --rows" and "bonsai help COMMAND --rows".
# SPDX-License-Identifier: MIT

function __bonsai_commands -a program
    $program help --rows 2>/dev/null | awk -F '\t' 'NR > 1 { print $2 "\t" $3 }'
end

# The options in the rows of $argv.
function __bonsai_options
    printf '%s\n' $argv | awk -F '\t' '$1 == "options" && $2 != "option" {
        print "--" $2 "\t" $8
        if ($3 != "") print "-" $3 "\t" $8 }'
end

# The kind of value that the option $argv[1] takes, its name and its words, by the rows behind.
function __bonsai_value
    printf '%s\n' $argv[2..-1] | awk -F '\t' -v o="$argv[1]" '
        $1 == "options" && ("--" $2 == o || ($3 != "" && "-" $3 == o)) {
            print $4; print $5; print $6; exit }'
end

# What the value of an option may be: its kind, its name, its words.
function __bonsai_values -a kind name words
    switch $kind:$name
        case file:DIR
            __fish_complete_directories (commandline -ct)
        case 'file:*'
            __fish_complete_path (commandline -ct)
        case 'split:*'
            printf '%s\n' random 60/20/20 80/10/10
        case 'list:*'
            set -l head (commandline -ct | string replace -r '[^,]*$' '')
            printf "$head%s\n" (string split -n ' ' -- $words) all
        case '*'
            string split -n ' ' -- $words
    end
end

function __bonsai
    set -l line (commandline -opc)
    set -l program $line[1]
    if test (count $line) -eq 1
        __bonsai_commands $program
        printf '%s\n' --help\t'list the commands' --version\t'print the version'
        return
    end
    set -l rows ($program help $line[2] --rows 2>/dev/null)
    or return
    set -l value (__bonsai_value $line[-1] $rows)
    if set -q value[1]; and test $value[1] != none
        __bonsai_values $value
        return
    end
    if string match -q -- '-*' (commandline -ct)
        __bonsai_options $rows
        return
    end
    switch (printf '%s\n' $rows | awk -F '\t' '$1 == "arguments" && n++ == 1 { print $2 }')
        case ''
        case COMMAND
            __bonsai_commands $program
            printf '%s\n' formats methods
        case NAME
            $program $line[2] 2>/dev/null | awk -F '\t' 'NR > 1 { print $2 "\t" $3 }'
        case '*'
            __fish_complete_path (commandline -ct)
    end
end

complete -c bonsai -f -a '(__bonsai)'
complete -c bonsai-mpi -f -a '(__bonsai)'
