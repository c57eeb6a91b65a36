#!/bin/sh
# train.sh -- compares the accuracy and speed of training with PyTorch Geometric.
#
#   bench/train.sh graphs BONSAI DATA OUT       splits of 60/20/20, condensed graphs of 1 %
#   bench/train.sh pyg PYTHON OUT [SEEDS]       OUT/pyg.jsonl, on a GPU if PYTHON finds one
#   bench/train.sh accuracy BONSAI OUT [SEEDS]  OUT/bonsai.jsonl, then both side by side
#   bench/train.sh speed BONSAI PYTHON OUT [THREADS [OPTION ...]]
#
# BONSAI is the program; PYTHON is one with torch and torch_geometric (make test-pyg leaves
# build/pyg/bin/python); DATA is the folder with planetoid/ and npz/; OUT is a folder for graphs
# and results.  The default of SEEDS is 10, that of THREADS 2; OPTIONs go to train_pyg.py.  All
# programs train on the same files.
#
# SPDX-License-Identifier: MIT
set -eu
usage() { sed -n '3,6s/^#   //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 3 ] || usage
what=$1
shift

graphs() {      # BONSAI DATA OUT
    mkdir -p "$3/small"
    for of in planetoid/ind.cora planetoid/ind.citeseer planetoid/ind.pubmed \
        npz/amazon_photo.npz npz/ogbn_arxiv_sub22k.npz; do
        name=$(basename "$of" .npz)
        name=${name#ind.}
        "$1" split -q "$2/$of" -o "$3/$name.npz" --parts 60/20/20 --seed 0 >/dev/null
        "$1" condense -q "$3/$name.npz" -o "$3/small/$name.npz" --ratio 0.01 >/dev/null
    done
}

pyg() {         # PYTHON OUT [SEEDS]
    "$1" "$here/train_pyg.py" accuracy "$2"/*.npz --seeds "${3:-10}" >"$2/pyg.jsonl"
}

accuracy() {    # BONSAI OUT [SEEDS]
    : >"$2/bonsai.jsonl"
    for graph in "$2"/*.npz; do
        "$1" train -q "$graph" --model gcn,gat,gin,sage --seeds "${3:-10}" --json |
            python3 -c 'import json, sys
for m in json.load(sys.stdin)["models"]:
    for r in m["runs"]:
        print(json.dumps({"data": sys.argv[1], "model": m["model"], **r}))' \
                "$(basename "$graph" .npz)" >>"$2/bonsai.jsonl"
    done
    [ ! -f "$2/pyg.jsonl" ] || python3 "$here/train_pyg.py" table "$2/pyg.jsonl" "$2/bonsai.jsonl"
}

speed() {       # BONSAI PYTHON OUT [THREADS [OPTION ...]]
    bonsai=$1 python=$2 out=$3 threads=${4:-2}
    shift $(($# < 4 ? 3 : 4))
    "$python" "$here/train_pyg.py" speed "$out"/*.npz --bonsai "$bonsai" --threads "$threads" "$@"
    for small in "$out"/small/*.npz; do
        "$python" "$here/train_pyg.py" speed "$small" --bonsai "$bonsai" --threads "$threads" \
            --full "$out/$(basename "$small")" "$@" | sed '1d; s/^\([^ ]*\)    /\1 1 %/'
    done
}

case $what in
graphs | pyg | accuracy | speed) "$what" "$@" ;;
*) usage ;;
esac
