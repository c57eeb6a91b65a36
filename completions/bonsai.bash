# bash completion for bonsai and bonsai-mpi
# SPDX-License-Identifier: MIT

_bonsai_words() {
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_bonsai_files() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$1" -- "$2"))
}

_bonsai() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=${COMP_WORDS[1]}
    local commands="generate info check convert split condense plan explain train eval predict compare report fetch paper demo version help"
    [ "${COMP_WORDS[0]##*/}" != bonsai-mpi ] || commands="condense info check generate version help"
    local common="--quiet --verbose --help"
    local trains="--seeds --layers --hidden --heads --gin-layers --epochs --every --rate --decay --dropout
        --standardise --split --memory --protocol --seed"
    local reads="--keep-directed --keep-self-loops --keep-repeated --features --labels --threads --json"
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _bonsai_words "$commands --help --version" "$cur"
        return
    fi
    case $prev in
    --features-as)
        _bonsai_words "auto keep f32 f16 u8 sparse sparse-u8" "$cur"
        return ;;
    --order)
        _bonsai_words "none metis random degree" "$cur"
        return ;;
    --method|--methods)
        _bonsai_words "trees random random-trees herding kcenter degree prototypes auto$([ "$prev" = --methods ] && echo " all")" "$cur"
        return ;;
    --models)
        _bonsai_words "all gcn gat gin sage" "$cur"
        return ;;
    --model)
        _bonsai_words "gcn gat gin sage gcn,gat,gin,sage" "$cur"
        return ;;
    --protocol)
        _bonsai_words "default paper" "$cur"
        return ;;
    --accounting)
        _bonsai_words "strict paper" "$cur"
        return ;;
    --greedy)
        _bonsai_words "gain density" "$cur"
        return ;;
    --select-features)
        _bonsai_words "none tree" "$cur"
        return ;;
    --on)
        _bonsai_words "embeddings features" "$cur"
        return ;;
    --sample)
        _bonsai_words "all" "$cur"
        return ;;
    --value-bytes)
        _bonsai_words "4 2 1" "$cur"
        return ;;
    --parts|--split)
        [ "$cmd" = convert ] || _bonsai_words "random 60/20/20 80/10/10" "$cur"
        return ;;
    -o|--output)
        if [ "$cmd" = demo ] || [ "$cmd" = paper ]; then _bonsai_files -d "$cur"; else _bonsai_files -f "$cur"; fi
        return ;;
    --data|--out)
        _bonsai_files -d "$cur"
        return ;;
    --only)
        _bonsai_words "accuracy models seconds components training ablation sample k distance gradient carbon" "$cur"
        return ;;
    --to)
        _bonsai_files -d "$cur"
        return ;;
    --labels|--full|--save|--curves|--update|--was|--report)
        _bonsai_files -f "$cur"
        return ;;
    --features)
        [ "$cmd" = generate ] || [ "$cmd" = plan ] || _bonsai_files -f "$cur"
        return ;;
    -s|--seed|-t|--threads|--nodes|--classes|--degree|--exponent|--homophily|--imbalance|--difficulty|--words|\
    -r|--ratio|--ratios|--bytes|--trees|--layers|-k|--k|--theta|--delta|--patience|--beta|--prune-share|\
    --min-pruned|--oversample|--project|--node|--seeds|--hidden|--heads|--gin-layers|--epochs|--every|\
    --rate|--decay|--dropout|--memory|--title|--base-url|--timeout|--retries|--ranks|--edges|--nonzeros|\
    --train|--disk|--network|--gflops|--gigabytes)
        return ;;
    esac
    if [[ $cur != -* ]]; then
        case $cmd in
        info|check|convert|split|condense|plan|explain|train|eval|predict|compare|report) _bonsai_files -f "$cur" ;;
        fetch) _bonsai_words "cora citeseer pubmed amazon-photo amazon-computers coauthor-cs coauthor-physics
            flickr reddit ogbn-arxiv ogbn-products" "$cur" ;;
        help) _bonsai_words "$commands formats" "$cur" ;;
        esac
        return
    fi
    case $cmd in
    generate)
        _bonsai_words "--output --nodes --features --classes --degree --exponent --homophily
            --imbalance --difficulty --words --dense --seed --no-linear --threads --json $common" "$cur" ;;
    info)
        _bonsai_words "--brief --linear $reads $common" "$cur" ;;
    check)
        _bonsai_words "$reads $common" "$cur" ;;
    convert)
        _bonsai_words "--features-as --order --parts --seed $reads $common" "$cur" ;;
    split)
        _bonsai_words "--output --parts --split --seed $reads $common" "$cur" ;;
    condense)
        _bonsai_words "--output --ratio --ratios --bytes --nodes --trees --method --accounting
            --no-validation --hard-labels --members --update --was --layers --k --sample --theta
            --delta --greedy --patience --beta --prune-share --min-pruned
            --oversample --match-classes --select-features --no-rknn --no-ppr --inductive --on
            --project --split --report --memory --seed $reads $common" "$cur" ;;
    plan)
        _bonsai_words "--ranks --memory --ratio --method --layers --k --look --nodes --edges --features
            --nonzeros --value-bytes --classes --train --disk --network --gflops --gigabytes
            --threads --json $common" "$cur" ;;
    explain)
        _bonsai_words "--node --full $reads $common" "$cur" ;;
    train)
        _bonsai_words "--model --save --curves $trains $reads $common" "$cur" ;;
    eval)
        _bonsai_words "--full --model --save --curves $trains $reads $common" "$cur" ;;
    predict)
        _bonsai_words "--output --probabilities --memory $reads $common" "$cur" ;;
    compare)
        _bonsai_words "--methods --ratios --models --output --accounting $trains $reads $common" "$cur" ;;
    report)
        _bonsai_words "--output --full --model --seeds --epochs --title --fragment --seed $reads $common" "$cur" ;;
    fetch)
        _bonsai_words "--to --base-url --force --timeout --retries --json $common" "$cur" ;;
    paper)
        _bonsai_words "--data --out --only --quick --seeds --epochs --seed --threads --json $common" "$cur" ;;
    demo)
        _bonsai_words "--output --threads $common" "$cur" ;;
    version)
        _bonsai_words "--json $common" "$cur" ;;
    help)
        _bonsai_words "--rows --json $common" "$cur" ;;
    esac
}

complete -F _bonsai bonsai bonsai-mpi
