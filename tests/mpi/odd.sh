# Odd graphs and options: the same bytes, or the same refusal, on any number of ranks.
# SPDX-License-Identifier: MIT
OMPI_MCA_odls_base_sigkill_timeout=0     # else mpirun waits a second after each exit code
export OMPI_MCA_odls_base_sigkill_timeout

# make NAME NODES EDGES FEATURES CLASSES HOW: a graph whose numbers awk draws.  HOW has letters:
# w weights, e ties, s words with empty rows, l training nodes at the end, u one class of one node.
make() {
    mkdir "$1.d"
    awk -v n="$2" -v m="$3" -v f="$4" -v c="$5" -v how="$6" -v dir="$1.d" 'BEGIN {
        srand(7)
        for (i = 0; i < m; i++)
            print int(rand() * n * 0.9) "," int(rand() * n * 0.9) \
                (how ~ /w/ ? "," 0.01 + rand() : "") >dir "/edges.csv"
        print "id,label,split" >dir "/labels.csv"
        for (v = 0; v < n; v++) {
            part = how ~ /l/ ? (v >= 0.8 * n ? "train" : v >= 0.6 * n ? "val" : "test") \
                             : rand() < 0.6 ? "train" : rand() < 0.5 ? "val" : "test"
            label = how ~ /u/ && v == 3 ? c : int(rand() * c)
            print v "," label "," (how ~ /u/ && v == 3 ? "train" : part) >dir "/labels.csv"
        }
        if (how ~ /s/)
            print "node,feature,value" >dir "/features.csv"
        for (v = 0; v < n; v++) {
            line = ""
            kind = int(rand() * 5)
            for (j = 0; j < f; j++) {
                if (how ~ /s/ && v % 7 && rand() < 8 / f || how ~ /s/ && v == n - 1 && j == f - 1)
                    print v "," j "," 1 >dir "/features.csv"
                line = line (j ? "," : "") (how ~ /e/ ? (kind * 7 + j * 3) % 11 : rand() - 0.5)
            }
            if (how !~ /s/)
                print line >dir "/features.csv"
        }
    }'
    "$BONSAI" convert "$1.d" "$1.bonsai" -q >/dev/null || fail "$1 cannot be made"
}
alike() {           # GRAPH RANKS OPTION ...
    graph=$1 n=$2
    shift 2
    alone=0
    rm -f one.bonsai many.bonsai
    "$BONSAI" condense "$graph.bonsai" -o one.bonsai -q "$@" >/dev/null 2>expected || alone=$?
    on "$n" condense "$graph.bonsai" -o many.bonsai -q "$@"
    plainly
    [ $code -eq $alone ] || fail "$graph, $n ranks, $*: the exit code is $code instead of $alone"
    sed 's/^bonsai:/bonsai-mpi:/' expected | cmp -s - err || fail "$graph, $n ranks, $*: $(cat expected)"
    [ $alone -ne 0 ] || cmp one.bonsai many.bonsai || fail "$graph, $n ranks, $*: another file"
    [ ! -e many.bonsai ] || [ $alone -eq 0 ] || fail "$graph, $n ranks, $*: leaves a file"
}
make tiny 8 12 3 2 ''
make weighted 300 900 33 5 wu
make ties 400 500 16 3 e
make words 400 700 300 4 ws
make late 320 900 24 4 l

alike tiny 8 --ratio 0.9
alike tiny 8 --nodes 2 -k 1 --layers 1
alike tiny 5 --bytes 1 --method trees
alike weighted 3 --ratio 0.1 --accounting paper
alike weighted 5 --ratio 0.2 --project 16 --method trees --sample 20
alike weighted 2 --ratio 0.2 --greedy density --method trees
alike weighted 8 --ratio 0.2 --layers 3 --no-validation --members --method prototypes
alike ties 3 --ratio 0.1 --method prototypes
alike ties 8 --ratio 0.1 --method trees --sample all
alike words 2 --ratio 0.3 --split 10/10/80 --hard-labels
alike words 5 --bytes 60
alike words 3 --ratio 0.1 --layers 0
alike late 8 --ratio 0.2
alike late 5 --ratio 0.2 --no-rknn --no-ppr --method trees
alike late 3 --trees 3
