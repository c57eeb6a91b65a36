/* fields.c -- the table of option fields: every member of every struct of options, once.
 *
 * A row has the member's default and range, its name and help in the program and its place in the
 * JSON of a result.  Rows are in the order of the members; a test compares them with the structs.
 *
 * SPDX-License-Identifier: MIT */
#include "fields.h"

#include <math.h>

#define ROW(object, member, kind)                                                   \
    .size = sizeof(bonsai_field), .name = #member, .type = BONSAI_FIELD_##kind,     \
    .offset = offsetof(object, member)
#define WORDS(...) .words = (const char *const[]){__VA_ARGS__, NULL}
#define ACTS_ON(m) (1ull << BONSAI_METHOD_##m)
#define IN(name) .group = BONSAI_GROUP_##name

/* Rows that structs share. */
#define THREADS(object)                                                             \
    {ROW(object, threads, INT), .high = 4096, \
     .marks = BONSAI_MARK_ASIDE | BONSAI_MARK_LOCAL | BONSAI_MARK_FIRST, IN(SPEED),  \
     .letter = 't', .arg = "N", .help = "threads, 0 for every core it may use"}
#define MEMORY(object, text, otherwise_text)                                        \
    {ROW(object, memory, BYTES), .high = HUGE_VAL, .marks = BONSAI_MARK_ASIDE, .arg = "M", \
     IN(SPEED), .help = text, .otherwise = otherwise_text}
#define SEED(object, text) \
    {ROW(object, seed, U64), .preset = 1, .letter = 's', .arg = "S", .help = text}
#define PROGRESS(object) {ROW(object, progress, POINTER)}, {ROW(object, payload, POINTER)}
#define END {.name = NULL}

static const bonsai_field read_fields[] = {
    {ROW(bonsai_read_options, keep_directed, FLAG), IN(INPUT),
     .help = "keep entries without their reverse; else it is added"},
    {ROW(bonsai_read_options, keep_self_loops, FLAG), IN(INPUT),
     .help = "keep edges from a node to itself; else they are dropped"},
    {ROW(bonsai_read_options, keep_repeated, FLAG), IN(INPUT),
     .help = "keep repeated edges; else they are merged"},
    THREADS(bonsai_read_options),
    {ROW(bonsai_read_options, features, FILE), IN(INPUT), .arg = "FILE",
     .help = "features of a text or mtx graph; else found by name"},
    {ROW(bonsai_read_options, labels, FILE), IN(INPUT), .arg = "FILE",
     .help = "labels and split of a text or mtx graph; else found by name"},
    PROGRESS(bonsai_read_options),
    {ROW(bonsai_read_options, warning, POINTER)},
    {ROW(bonsai_read_options, warning_payload, POINTER)},
    {ROW(bonsai_read_options, spelling, LONG), .high = BONSAI_SPELLING_PYTHON,
     .marks = BONSAI_MARK_ASIDE},
    END,
};

static const bonsai_field write_fields[] = {
    {ROW(bonsai_write_options, features, CHOICE), .option = "features-as",
     WORDS("auto", "keep", "f32", "f16", "u8", "sparse", "sparse-u8"),
     .help = "features in a .bonsai file: auto is the smallest that loses nothing, keep the "
             "smallest that is mapped and as dense or sparse as it was, f16 and u8 may round"},
    THREADS(bonsai_write_options),
    PROGRESS(bonsai_write_options),
    MEMORY(bonsai_write_options, "memory for sorting the edges of a folder of large arrays, such as "
           "3G: what does not fit is sorted in scratch files", "1G, as with 0"),
    {ROW(bonsai_write_options, labelled, FLAG),
     .help = "write only nodes with a label or a part of the split, and the edges among them"},
    END,
};

static const bonsai_field generate_fields[] = {
    {ROW(bonsai_generate_options, nodes, LONG), .low = 1, .high = INT32_MAX, .preset = 10000,
     .arg = "N", .help = "number of nodes"},
    {ROW(bonsai_generate_options, features, LONG), .low = 0, .high = INT32_MAX, .preset = 1000,
     .arg = "F", .help = "number of features"},
    {ROW(bonsai_generate_options, classes, LONG), .low = 1, .high = INT32_MAX, .preset = 7,
     .arg = "C", .help = "number of classes"},
    {ROW(bonsai_generate_options, degree, REAL), .high = HUGE_VAL, .marks = BONSAI_MARK_BELOW,
     .preset = 4, .arg = "D", .help = "mean number of neighbours"},
    {ROW(bonsai_generate_options, exponent, REAL), .high = HUGE_VAL, .marks = BONSAI_MARK_BELOW,
     .preset = 2.6, .arg = "E",
     .help = "of the degrees' power-law tail, above 2; 0: degrees all alike"},
    {ROW(bonsai_generate_options, homophily, REAL), .high = 1, .preset = 0.81, .arg = "H",
     .help = "share of edges inside a class"},
    {ROW(bonsai_generate_options, imbalance, REAL), .high = 1, .preset = 0.6, .arg = "I",
     .help = "0: classes of equal size; 1: sizes as 1, 1/2, 1/3, ..."},
    {ROW(bonsai_generate_options, difficulty, REAL), .high = 1, .preset = 0.5, .arg = "D",
     .help = "0: features give the class away; 1: they say nothing"},
    {ROW(bonsai_generate_options, words, REAL), .high = HUGE_VAL, .marks = BONSAI_MARK_BELOW,
     .preset = 18, .arg = "W", .help = "mean number of words a node"},
    {ROW(bonsai_generate_options, dense, FLAG),
     .help = "dense features of a Gaussian mixture instead of words"},
    THREADS(bonsai_generate_options),
    SEED(bonsai_generate_options, "the same seed gives the same bytes"),
    PROGRESS(bonsai_generate_options),
    END,
};

const char *const bn_method_words[BONSAI_METHOD_COUNT + 1] = {
#define WORD(name, value, word, kind, about) [BONSAI_METHOD_##name] = word,
    BONSAI_METHOD_MAP(WORD)
#undef WORD
};

static const char *const model_words[] = {"gcn", "gat", "gin", "sage", NULL};

#define OF_TREES (ACTS_ON(TREES) | ACTS_ON(AUTO))
#define OF_PROTOTYPES (ACTS_ON(PROTOTYPES) | ACTS_ON(AUTO))
#define OF_LEARNED                                                                              \
    (ACTS_ON(GCOND) | ACTS_ON(GCOND_X) | ACTS_ON(DOSCOND) | ACTS_ON(SGDD) | ACTS_ON(EXGC) |     \
     ACTS_ON(GC_SNTK) | ACTS_ON(GDEM) | ACTS_ON(GCSR) | ACTS_ON(SFGC) | ACTS_ON(GEOM))

static const bonsai_field condense_fields[] = {
    {ROW(bonsai_condense_options, ratio, REAL), .high = 1,
     .marks = BONSAI_MARK_ABOVE | BONSAI_MARK_BUDGET, .letter = 'r', .arg = "R",
     .help = "budget: share of the full graph's bytes, such as 0.01"},
    {ROW(bonsai_condense_options, bytes, LONG), IN(BUDGET), .low = 1, .high = HUGE_VAL,
     .marks = BONSAI_MARK_BUDGET, .arg = "B", .help = "budget: bytes"},
    {ROW(bonsai_condense_options, nodes, LONG), IN(BUDGET), .low = 1, .high = INT32_MAX,
     .marks = BONSAI_MARK_BUDGET | BONSAI_MARK_FIRST, .arg = "N", .help = "budget: nodes"},
    {ROW(bonsai_condense_options, trees, LONG), IN(BUDGET), .low = 1, .high = INT32_MAX,
     .marks = BONSAI_MARK_BUDGET, .arg = "N",
     .help = "budget: trees, each a training node with all that is near it"},
    {ROW(bonsai_condense_options, method, CHOICE), .words = bn_method_words,
     .preset = BONSAI_METHOD_AUTO, .marks = BONSAI_MARK_ASIDE,
     .help = "auto: prototypes, trees, random, herding or kcenter, whichever a probe finds best; "
             "trees is the paper's; gcond to geom learn by descent (doc/peers.md); "
             "published does what the paper's code does"},
    {ROW(bonsai_condense_options, accounting, CHOICE), IN(BUDGET), WORDS("strict", "paper"),
     .help = "bytes as a .bonsai file has them, or as the paper's code counts them"},
    {ROW(bonsai_condense_options, layers, INT), IN(METHOD), .high = 16, .preset = 2, .arg = "L",
     .help = "hops of a tree and rounds of averaging"},
    {ROW(bonsai_condense_options, k, INT), .low = 1, .high = 1e6, .preset = 5, .letter = 'k',
     IN(TREES), .arg = "K", .help = "nearest trees that a tree is covered by"},
    {ROW(bonsai_condense_options, sample, LONG), WORDS("all"), .low = 1, .high = 1e15, .arg = "N",
     IN(TREES), .help = "trees to be covered", .otherwise = "by theta and delta"},
    {ROW(bonsai_condense_options, theta, REAL), .low = 1e-4, .high = 1, .preset = 0.05, .arg = "T",
     IN(TREES), .help = "error of the sampled cover"},
    {ROW(bonsai_condense_options, delta, REAL), .low = 1e-9, .high = 1, .preset = 0.05, .arg = "D",
     IN(TREES), .help = "chance of a larger error"},
    {ROW(bonsai_condense_options, density, FLAG), .option = "greedy", WORDS("gain", "density"),
     IN(TREES), .methods = OF_TREES, .help = "the tree that covers most, or most per byte"},
    {ROW(bonsai_condense_options, no_rknn, FLAG), IN(TREES), .methods = OF_TREES,
     .help = "trees in random order (ablation)"},
    {ROW(bonsai_condense_options, no_ppr, FLAG), IN(TREES), .methods = OF_TREES,
     .help = "no sparsification (ablation)"},
    {ROW(bonsai_condense_options, patience, LONG), IN(TREES), .low = 1, .high = 1e15, .preset = 200,
     .arg = "N", .help = "stop when so many trees in a row do not fit"},
    {ROW(bonsai_condense_options, beta, REAL), .low = 0.001, .high = 0.999, .preset = 0.15,
     IN(TREES), .arg = "B", .help = "PageRank's chance to return to a root"},
    {ROW(bonsai_condense_options, prune_share, REAL), IN(TREES), .high = 1, .preset = 1, .arg = "S",
     .help = "at most this share of the ego nodes, or of the trees that are kept whole, goes per "
             "round"},
    {ROW(bonsai_condense_options, min_pruned, REAL), .high = 1, .preset = 0.01, .arg = "S",
     IN(TREES),
     .help = "stop when a smaller share of the nodes, or of the trees that are kept whole, would go"},
    {ROW(bonsai_condense_options, select_features, FLAG), IN(METHOD), WORDS("none", "tree"),
     .methods = OF_TREES | OF_PROTOTYPES,
     .help = "tree: keep only features that a decision tree splits on"},
    {ROW(bonsai_condense_options, inductive, FLAG), IN(METHOD),
     .help = "cut the graph to its training nodes first"},
    {ROW(bonsai_condense_options, raw_features, FLAG), IN(METHOD), .option = "on",
     WORDS("embeddings", "features"), .methods = ACTS_ON(HERDING) | ACTS_ON(KCENTER),
     .help = "what herding and kcenter measure on"},
    {ROW(bonsai_condense_options, project, INT), IN(TREES), .high = 1e6, .arg = "P",
     .methods = ACTS_ON(TREES),
     .help = "random projection to so many dimensions before k-NN; 0: exact"},
    {ROW(bonsai_condense_options, split, SPLIT), .arg = "A/B/C",
     .help = "own, or draw a new split: random, published or percent such as 60/20/20",
     .otherwise = "the graph's own, or 60/20/20 where it has none"},
    THREADS(bonsai_condense_options),
    SEED(bonsai_condense_options, "the same seed gives the same bytes"),
    PROGRESS(bonsai_condense_options),
    {ROW(bonsai_condense_options, no_validation, FLAG), IN(METHOD),
     .methods = OF_PROTOTYPES | OF_LEARNED,
     .help = "probe on a fifth of the training nodes instead of on validation nodes; methods that "
             "learn keep the last round"},
    {ROW(bonsai_condense_options, hard_labels, FLAG), IN(PROTOTYPES), .methods = OF_PROTOTYPES,
     .help = "prototypes without soft labels"},
    {ROW(bonsai_condense_options, members, FLAG), IN(PROTOTYPES), .methods = OF_PROTOTYPES,
     .help = "prototypes name the nodes that they stand for, not counted as bytes; only what an "
             "update can follow is tried, at some cost in accuracy"},
    MEMORY(bonsai_condense_options, "private memory to use at most, such as 3G: what does not fit "
           "goes to scratch files in TMPDIR, and the answer is the same; pages of mapped files do not "
           "count", "what is free, as with 0"),
    {ROW(bonsai_condense_options, for_models, SET), .option = "for", .words = model_words,
     IN(METHOD), .methods = OF_PROTOTYPES | OF_LEARNED, .arg = "MODELS",
     .help = "networks that the probe judges for; sage alone: prototypes may be pairs of nodes, "
            "which teach it to tell a node from its neighbours"},
    {ROW(bonsai_condense_options, effort, REAL), .low = 1e-4, .high = 100, .preset = 1, .arg = "E",
     IN(LEARN),
     .methods = OF_LEARNED, .help = "methods that learn: rounds and experts, 1: as published"},
    {ROW(bonsai_condense_options, time_limit, REAL), IN(LEARN), .high = 1e9, .arg = "S",
     .methods = OF_LEARNED, .help = "methods that learn: seconds, then the best so far is kept",
     .otherwise = "none"},
    {ROW(bonsai_condense_options, keep, CHOICE), WORDS("probe", "last"), .methods = OF_LEARNED,
     IN(LEARN),
     .help = "methods that learn: the round that the probe puts highest, or the last one"},
    {ROW(bonsai_condense_options, keep_trees, FLAG), IN(TREES), .methods = OF_TREES,
     .help = "a root's tree goes or stays as a whole, and PageRank's knee acts on trees"},
    {ROW(bonsai_condense_options, no_training, FLAG), IN(PROTOTYPES), .methods = OF_PROTOTYPES,
     .help = "choose between kinds of prototypes by the probe alone, not by networks that are trained "
             "on the best small graph of each kind"},
    {ROW(bonsai_condense_options, metric, CHOICE), IN(METHOD), .marks = BONSAI_MARK_UNUSUAL,
     .methods = OF_PROTOTYPES | OF_LEARNED,
     WORDS("auto", "mixed", "accuracy", "balanced", "f1", "auc", "ap", "f1max"),
     .help = "what the probe compares small graphs by; auto: accuracy, or with a rare class mixed, "
             "the mean of accuracy and balanced accuracy"},
    {ROW(bonsai_condense_options, coordinates, FLAG), IN(PROTOTYPES), .methods = OF_PROTOTYPES,
     .help = "features of prototypes are coordinates in a few directions, which are stored beside them; "
             "eval projects the full graph on these"},
    END,
};

const char *const bn_metric_words[BONSAI_METRIC_COUNT + 1] = {
    [BONSAI_METRIC_ACCURACY] = "accuracy",
    [BONSAI_METRIC_BALANCED] = "balanced",
    [BONSAI_METRIC_F1] = "f1",
    [BONSAI_METRIC_AUC] = "auc",
    [BONSAI_METRIC_AP] = "ap",
    [BONSAI_METRIC_F1MAX] = "f1max",
};

static const bonsai_field train_fields[] = {
    {ROW(bonsai_train_options, model, CHOICE), .words = model_words,
     .help = "the network"},
    {ROW(bonsai_train_options, layers, INT), .low = 1, .high = 16, .preset = 2, .arg = "L",
     IN(NETWORK), .help = "layers, ReLU between them"},
    {ROW(bonsai_train_options, hidden, LONG), .low = 1, .high = 1 << 20, .preset = 128, .arg = "H",
     IN(NETWORK), .help = "columns between layers"},
    {ROW(bonsai_train_options, heads, INT), .low = 1, .high = 1024, .preset = 1, .arg = "K",
     IN(NETWORK), .help = "gat: heads that share the columns"},
    {ROW(bonsai_train_options, gin_layers, INT), .low = 1, .high = 2, .preset = 1, .arg = "N",
     IN(NETWORK), .help = "gin: linear layers inside a layer"},
    {ROW(bonsai_train_options, epochs, INT), .low = 1, .high = 1e8, .preset = 300, .arg = "N",
     IN(TRAINING), .help = "steps of training"},
    {ROW(bonsai_train_options, every, INT), .low = 1, .high = 1e8, .preset = 10, .arg = "N",
     IN(TRAINING), .help = "judge after every so many epochs, and after the last"},
    {ROW(bonsai_train_options, seeds, INT), .low = 1, .high = 1e6, .preset = 5, .arg = "N",
     .help = "runs, each from fresh weights"},
    {ROW(bonsai_train_options, standardise, CHOICE), IN(TRAINING), WORDS("none", "train", "all"),
     .help = "features to mean 0 and spread 1, by the training nodes or by all"},
    {ROW(bonsai_train_options, rate, REAL), .high = 1e6, .marks = BONSAI_MARK_ABOVE, .preset = 0.01,
     IN(TRAINING), .arg = "R", .help = "Adam's learning rate"},
    {ROW(bonsai_train_options, decay, REAL), IN(TRAINING), .high = 1e6, .preset = 5e-4, .arg = "D",
     .help = "weight decay"},
    {ROW(bonsai_train_options, dropout, REAL), .high = 1, .marks = BONSAI_MARK_BELOW, .arg = "P",
     IN(NETWORK), .help = "share dropped between layers"},
    {ROW(bonsai_train_options, split, SPLIT), .arg = "A/B/C",
     .help = "own, or draw a new split: random, published or percent such as 60/20/20",
     .otherwise = "the one that condensing drew, the graph's own, or 60/20/20"},
    MEMORY(bonsai_train_options, "memory for judging, such as 3G: what does not fit is judged in "
           "blocks, and the answer is the same", "what is free, as with 0"),
    THREADS(bonsai_train_options),
    SEED(bonsai_train_options, "of the first run; the same seed gives the same bits"),
    PROGRESS(bonsai_train_options),
    {ROW(bonsai_train_options, metric, CHOICE), .words = bn_metric_words,
     .help = "what validation chooses the epoch by and tables show first: accuracy, balanced "
             "accuracy, macro F1, average precision, or for two classes the area under the ROC "
             "curve or F1 of the rarer one at the best threshold"},
    {ROW(bonsai_train_options, weighted, FLAG), IN(NETWORK),
     .help = "gin's sum and sage's mean weigh neighbours by edge weights, as gcn does"},
    {ROW(bonsai_train_options, cut, REAL), .high = 1, .marks = BONSAI_MARK_BELOW, .arg = "S",
     IN(TRAINING),
     .help = "after this share of the epochs the rate is a tenth, and Adam starts anew"},
    {ROW(bonsai_train_options, uniform, FLAG), IN(NETWORK),
     .help = "first weights and biases uniform in +-1/sqrt(inputs), not as PyTorch Geometric's"},
    {ROW(bonsai_train_options, class_weight, TEXT), IN(TRAINING), .marks = BONSAI_MARK_UNUSUAL,
     .arg = "W,W,...",
     .help = "weight of each class in the loss: balanced, so that all classes count alike, or a "
             "number for each",
     .otherwise = "all weigh the same"},
    END,
};

static const bonsai_field shape_fields[] = {
    {ROW(bonsai_shape, nodes, LONG), IN(SHAPE), .low = 1, .high = INT32_MAX, .arg = "N",
     .help = "without GRAPH: its nodes, such as 1e8"},
    {ROW(bonsai_shape, edges, LONG), IN(SHAPE), .low = 1, .high = HUGE_VAL, .arg = "M",
     .help = "... its entries, an undirected edge counting twice"},
    {ROW(bonsai_shape, features, LONG), IN(SHAPE), .low = 1, .high = INT32_MAX, .arg = "F",
     .help = "... features of a node"},
    {ROW(bonsai_shape, classes, LONG), IN(SHAPE), .low = 1, .high = INT32_MAX, .arg = "C",
     .help = "... classes", .otherwise = "10"},
    {ROW(bonsai_shape, nonzeros, LONG), IN(SHAPE), .low = 1, .high = HUGE_VAL, .arg = "Z",
     .help = "... stored features of all nodes, where they are sparse"},
    {ROW(bonsai_shape, train, LONG), IN(SHAPE), .low = 1, .high = INT32_MAX, .arg = "T",
     .help = "... training nodes", .otherwise = "60 of 100"},
    {ROW(bonsai_shape, val, LONG), IN(SHAPE), .low = 1, .high = INT32_MAX, .arg = "V",
     .help = "... validation nodes", .otherwise = "a third of the training nodes"},
    {ROW(bonsai_shape, value_bytes, INT), IN(SHAPE), .low = 1, .high = 4, .preset = 4, .arg = "B",
     .help = "... bytes of a stored feature, 4, 2 or 1, where they are dense"},
    {ROW(bonsai_shape, weighted, FLAG), IN(SHAPE), .help = "... its edges have weights"},
    {ROW(bonsai_shape, bytes, LONG), IN(SHAPE), .high = HUGE_VAL, .arg = "B",
     .help = "... bytes of its native file", .otherwise = "as the others say"},
    END,
};

static const bonsai_field plan_fields[] = {
    {ROW(bonsai_plan_options, condense, POINTER)},
    {ROW(bonsai_plan_options, ranks, INT), .low = 1, .high = INT32_MAX, .preset = 1, .arg = "N",
     .help = "processes, each with its share of the rows"},
    THREADS(bonsai_plan_options),
    MEMORY(bonsai_plan_options, "private memory of each, such as 64G", "as much as is used, as with 0"),
    {ROW(bonsai_plan_options, gflops, REAL), IN(SPEED), .high = 1e6, .preset = 75, .arg = "G",
     .help = "billions of products and sums a second, of a thread"},
    {ROW(bonsai_plan_options, gigabytes, REAL), IN(SPEED), .high = 1e6, .preset = 12, .arg = "G",
     .help = "memory that a thread moves in a second"},
    {ROW(bonsai_plan_options, disk, SPEED), IN(SPEED), .high = HUGE_VAL, .preset = 1e9, .arg = "B",
     .help = "bytes a second that a rank reads and writes", .otherwise = "1GB"},
    {ROW(bonsai_plan_options, network, SPEED), .high = HUGE_VAL, .preset = 1e9, .arg = "B",
     IN(SPEED), .help = "bytes a second that a rank sends", .otherwise = "1GB"},
    {ROW(bonsai_plan_options, look, POINTER)},
    END,
};

static const bonsai_field compare_fields[] = {
    {ROW(bonsai_compare_options, methods, POINTER)},
    {ROW(bonsai_compare_options, method_count, INT)},
    {ROW(bonsai_compare_options, ratios, POINTER)},
    {ROW(bonsai_compare_options, ratio_count, INT)},
    {ROW(bonsai_compare_options, models, POINTER)},
    {ROW(bonsai_compare_options, model_count, INT)},
    {ROW(bonsai_compare_options, condense, POINTER)},
    {ROW(bonsai_compare_options, train, POINTER)},
    {ROW(bonsai_compare_options, cell, POINTER)},
    {ROW(bonsai_compare_options, cell_payload, POINTER)},
    PROGRESS(bonsai_compare_options),
    {ROW(bonsai_compare_options, settings, POINTER)},
    {ROW(bonsai_compare_options, setting_count, LONG)},
    {ROW(bonsai_compare_options, splits, INT), .low = 1, .high = BN_MOST_DRAWS, .preset = 1,
     IN(DRAWS), .arg = "N", .help = "splits of the same shares, each with small graphs of its own"},
    {ROW(bonsai_compare_options, draws, INT), .low = 1, .high = BN_MOST_DRAWS, .preset = 1,
     IN(DRAWS),
     .arg = "N", .help = "small graphs of each method in a split, with other seeds; their runs have "
                         "other weights"},
    {ROW(bonsai_compare_options, side_by_side, FLAG), IN(SPEED),
     .help = "work on as many small graphs at a time as there are threads, with one thread each: "
             "faster for small graphs, but the seconds are those of a busy machine"},
    {ROW(bonsai_compare_options, own_split, FLAG), IN(DRAWS),
     .help = "the graph's own split is the first"},
    END,
};

static const bonsai_field report_fields[] = {
    {ROW(bonsai_report_options, condensed, POINTER)},
    {ROW(bonsai_report_options, cells, POINTER)},
    {ROW(bonsai_report_options, cell_count, LONG)},
    {ROW(bonsai_report_options, title, TEXT), .arg = "T", .help = "heading of the page",
     .otherwise = "the names"},
    {ROW(bonsai_report_options, small_name, TEXT), .arg = "NAME",
     .help = "the small graph, as the reader knows it", .otherwise = "small"},
    {ROW(bonsai_report_options, full_name, TEXT), .arg = "NAME",
     .help = "the full graph, as the reader knows it", .otherwise = "full"},
    {ROW(bonsai_report_options, command, TEXT), .arg = "LINE",
     .help = "the command that repeats it", .otherwise = "made of the options"},
    {ROW(bonsai_report_options, fragment, FLAG),
     .help = "a <div> to put into a notebook instead of a page"},
    THREADS(bonsai_report_options),
    PROGRESS(bonsai_report_options),
    {ROW(bonsai_report_options, recall, POINTER)},
    {ROW(bonsai_report_options, feature_names, TEXT), .arg = "NAMES",
     .help = "names of the full graph's features, one a line", .otherwise = "their numbers"},
    {ROW(bonsai_report_options, suggestion, POINTER)},
    {ROW(bonsai_report_options, reading, TEXT), .arg = "WORDS",
     .help = "what else the command needs to read the full graph", .otherwise = "nothing"},
    END,
};

static const bonsai_field suggest_fields[] = {
    {ROW(bonsai_suggest_options, keep, REAL), .high = 1, .marks = BONSAI_MARK_ABOVE, .preset = 0.95,
     .arg = "S", .help = "share of the full graph's probe score to keep"},
    {ROW(bonsai_suggest_options, low, REAL), .high = 1, .marks = BONSAI_MARK_ABOVE, .preset = 1e-4,
     .arg = "R", .help = "the smallest ratio to try"},
    {ROW(bonsai_suggest_options, high, REAL), .high = 1, .marks = BONSAI_MARK_ABOVE, .preset = 0.3,
     .arg = "R", .help = "the largest ratio to try"},
    {ROW(bonsai_suggest_options, points, INT), .low = 2, .high = 64, .preset = 8, .arg = "N",
     .help = "ratios from the smallest to the largest, in equal factors"},
    {ROW(bonsai_suggest_options, halvings, INT), .high = 16, .preset = 3, .arg = "N",
     .help = "how often the step between two of them that holds the answer is halved"},
    {ROW(bonsai_suggest_options, condense, POINTER)},
    PROGRESS(bonsai_suggest_options),
    END,
};

const bn_struct bn_structs[BONSAI_OPTIONS_COUNT] = {
#define FORM(object, fields) {#object, sizeof(object), fields}
    [BONSAI_OPTIONS_READ] = FORM(bonsai_read_options, read_fields),
    [BONSAI_OPTIONS_WRITE] = FORM(bonsai_write_options, write_fields),
    [BONSAI_OPTIONS_GENERATE] = FORM(bonsai_generate_options, generate_fields),
    [BONSAI_OPTIONS_CONDENSE] = FORM(bonsai_condense_options, condense_fields),
    [BONSAI_OPTIONS_TRAIN] = FORM(bonsai_train_options, train_fields),
    [BONSAI_OPTIONS_SHAPE] = FORM(bonsai_shape, shape_fields),
    [BONSAI_OPTIONS_PLAN] = FORM(bonsai_plan_options, plan_fields),
    [BONSAI_OPTIONS_COMPARE] = FORM(bonsai_compare_options, compare_fields),
    [BONSAI_OPTIONS_REPORT] = FORM(bonsai_report_options, report_fields),
    [BONSAI_OPTIONS_SUGGEST] = FORM(bonsai_suggest_options, suggest_fields),
#undef FORM
};

const bonsai_field *bonsai_field_at(bonsai_options_kind kind, int i)
{
    if ((unsigned)kind >= BONSAI_OPTIONS_COUNT || i < 0)
        return NULL;
    const bonsai_field *f = bn_structs[kind].field;
    while (f->name && i-- > 0)
        f++;
    return f->name ? f : NULL;
}

const char *bonsai_group_name(int group)
{
#define HEADING(name, heading) heading,
    static const char *const headings[] = {BONSAI_GROUP_MAP(HEADING)};
#undef HEADING
    return group >= 0 && group < BONSAI_GROUP_COUNT ? headings[group] : NULL;
}
