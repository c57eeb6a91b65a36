/* bonsai_study.h -- libbonsai beyond the way from a graph to predictions: what a graph looks like,
 * orders of nodes, generated graphs, plans, suggestions, comparisons, studies, reports and fields of
 * options.
 *
 * The rules of bonsai.h hold here too.  One library has both.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_STUDY_H
#define BONSAI_STUDY_H

#include "bonsai.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a graph looks like -------------------------------------------- */

/* The type and bytes that each section would have in a native file.  types and bytes, either of
 * which may be NULL, are indexed by section and have count entries: pass BONSAI_SECTION_COUNT. */
BONSAI_API bonsai_status bonsai_graph_sections(bonsai_type *types, int64_t *bytes, int count,
                                               const bonsai_graph *g,
                                               const bonsai_write_options *o);
/* *equal: 1 if a and b hold the same values in every section that counts, and the same names,
 * origins and roles, in whatever encoding; else 0. */
BONSAI_API bonsai_status bonsai_graph_equal(int *equal, const bonsai_graph *a,
                                            const bonsai_graph *b);

typedef struct {                /* what reading or building did to its input */
    size_t  size;               /* set by the library */
    int64_t edges_given;        /* entries in the input */
    int64_t self_loops;         /* dropped */
    int64_t repeated;           /* merged into an equal entry */
    int64_t reversed;           /* added so that each entry has its reverse */
    int64_t feature_zeros;      /* stored zeros of sparse features, dropped */
    int64_t feature_repeated;   /* repeated sparse features, summed */
    int64_t rounded;            /* 1: features or weights were wider than float and were rounded */
    int64_t filled;             /* nodes that the input skipped, added without features */
    const char *format;         /* "planetoid", "npz", ...; "": built in memory */
} bonsai_read_info;
BONSAI_API const bonsai_read_info *bonsai_graph_read_info(const bonsai_graph *g);

typedef struct {
    size_t  size;               /* set by the init function */
    int64_t nodes, edges, features, classes;
    int64_t feature_nnz;        /* non-zero features */
    int64_t labelled, part[4];  /* nodes with a label; nodes by bonsai_part */
    int64_t isolated;           /* nodes without an edge */
    int64_t self_loops;         /* entries from a node to itself */
    int64_t degree_min, degree_median, degree_max;
    int64_t degree_bin[33];     /* [0] degree 0; [i] degrees 2^(i-1) .. 2^i - 1 */
    double  degree_mean;
    double  homophily;          /* share of entries between labelled nodes of one class; -1: none */
    double  power_exponent;     /* of the degree tail, by Hill's estimator over the top tenth;
                                 * 0: there are too few nodes */
} bonsai_stats;

#define bonsai_stats_init(s) bonsai_stats_init_sized((s), sizeof *(s))
BONSAI_API void bonsai_stats_init_sized(bonsai_stats *s, size_t size);
/* Fills s; class_counts, unless NULL, gets the number of nodes of each class. */
BONSAI_API bonsai_status bonsai_graph_stats(bonsai_stats *s, int64_t *class_counts,
                                            const bonsai_graph *g, const bonsai_read_options *o);

/* mean[i] of feature i over all nodes; mean has room for all features. */
BONSAI_API bonsai_status bonsai_graph_mean(double *mean, const bonsai_graph *g);
/* The smallest and the largest standard deviation among the columns of a table that are not
 * constant, over at most 1,000 nodes from all over the graph; both 0: there are none.  In a table at
 * least one column is not zero in most nodes, and only such a one may be the largest; sparse rows of
 * more than 1,024 columns are none.  Where they
 * are far apart, BONSAI_SCALES_FAR times and more, a few columns decide every distance. */
enum { BONSAI_SCALES_FAR = 30 };
BONSAI_API bonsai_status bonsai_graph_scales(double *least_out, double *most_out,
                                             const bonsai_graph *g);

typedef struct {
    size_t size;                /* set by the init function */
    double features_only;       /* test accuracy in percent of a linear model on the features */
    double two_hops;            /* the same on features averaged twice over neighbours */
    double majority;            /* of always naming the largest class */
    int64_t train, test;        /* nodes that it was fitted and judged on, at most 10,000 each */
} bonsai_linear;

#define bonsai_linear_init(l) bonsai_linear_init_sized((l), sizeof *(l))
BONSAI_API void bonsai_linear_init_sized(bonsai_linear *l, size_t size);
/* How far features alone go, and how much the edges add: ridge regression fitted on training nodes
 * and judged on test nodes; without a split, on 60 and 20 of 100 labelled nodes.  The seed draws
 * the nodes if there are too many. */
BONSAI_API bonsai_status bonsai_graph_linear(bonsai_linear *out, const bonsai_graph *g,
                                             uint64_t seed, const bonsai_read_options *o);

typedef struct {                /* a public dataset that papers on condensing use */
    size_t      size;           /* set by the library */
    const char *name, *title;   /* "cora", as the program fetches it; "Cora" */
    int64_t     nodes, edges;   /* edges: entries in both directions, without loops, merged */
    int64_t     features, classes;
} bonsai_known;
/* Dataset i = 0, 1, ...; NULL: no more. */
BONSAI_API const bonsai_known *bonsai_known_at(int i);
/* The one that g is by all four numbers; NULL: none of them. */
BONSAI_API const bonsai_known *bonsai_graph_known(const bonsai_graph *g);

/* ---- the order of nodes -------------------------------------------------- */

typedef enum {
    BONSAI_ORDER_NONE,          /* as they are */
    BONSAI_ORDER_METIS,         /* part after part, with few edges between parts: ranks that own
                                 * blocks of rows then need little of each other */
    BONSAI_ORDER_RANDOM,
    BONSAI_ORDER_DEGREE,        /* most neighbours first */
    BONSAI_ORDER_COUNT
} bonsai_order;

/* The graph g with its nodes in another order; within a part, and among equal degrees, they keep
 * that of g.  Its origin section holds their ids in g, or in g's own origin.  METIS makes
 * 1 .. nodes parts (0: 8) and RANDOM shuffles, both by the seed; METIS needs a library that was
 * built with libmetis. */
BONSAI_API bonsai_status bonsai_graph_reorder(bonsai_graph **out, const bonsai_graph *g,
                                              bonsai_order order, int64_t parts, uint64_t seed,
                                              const bonsai_read_options *o);

/* The graph g with the features of each node divided by their sum; a row of zeros stays one.
 * Negative features are refused. */
BONSAI_API bonsai_status bonsai_graph_normalise(bonsai_graph **out, const bonsai_graph *g);
/* The graph g with the columns of its features scaled to mean 0 and spread 1 over all nodes; a
 * column of which more than half is zeros is only divided by its spread and keeps them.  The
 * sections feature mean and feature spread say by what, and go to small graphs and models made of
 * it: training and predicting scale a graph without these sections by them.  like, unless NULL, is
 * such a graph: g is then scaled by its numbers.  *out is NULL if there is nothing to do: no
 * features, or like is not scaled, g is, or they have not as many features.  Without like, a graph
 * that is scaled is refused. */
BONSAI_API bonsai_status bonsai_graph_standardise(bonsai_graph **out, const bonsai_graph *g,
                                                  const bonsai_graph *like);

/* ---- generated graphs --------------------------------------------------- */

typedef struct {
    size_t   size;              /* set by the init function */
    int64_t  nodes;             /* 1 .. 2^31-1, default 10000 */
    int64_t  features;          /* default 1000; 0: none */
    int64_t  classes;           /* 1 .. nodes, default 7 */
    double   degree;            /* mean number of neighbours, below nodes, default 4; from 2 on, no
                                 * node is isolated */
    double   exponent;          /* of the degrees' power-law tail, above 2, default 2.6; 0: equal
                                 * degrees */
    double   homophily;         /* share of edges inside a class, 0 .. 1, default 0.81; with one
                                 * class always 1 */
    double   imbalance;         /* 0: classes of equal size; 1: sizes as 1, 1/2, 1/3, ...; default
                                 * 0.6 */
    double   difficulty;        /* 0: features give the class away; 1: they say nothing; default
                                 * 0.5 */
    double   words;             /* sparse: mean number of words a node, 0 .. features, default 18 */
    int      dense;             /* 0: bag of words, 1: a Gaussian mixture */
    int      threads;           /* 0: every core it may use */
    uint64_t seed;              /* default 1 */
    bonsai_progress_fn *progress;
    void    *payload;
} bonsai_generate_options;

#define bonsai_generate_options_init(o) bonsai_generate_options_init_sized((o), sizeof *(o))
BONSAI_API void bonsai_generate_options_init_sized(bonsai_generate_options *o, size_t size);
/* A graph with labels, features and a 60/20/20 split that looks like a citation network: a
 * degree-corrected block model.  Time and memory are linear; the same seed gives the same bytes for
 * any number of threads. */
BONSAI_API bonsai_status bonsai_graph_generate(bonsai_graph **out,
                                               const bonsai_generate_options *o);
/* The same graph, written to a native file while it is drawn, for features that are larger than
 * memory: the bytes that saving it would give. */
BONSAI_API bonsai_status bonsai_graph_generate_file(const char *path,
                                                    const bonsai_generate_options *o);

/* ---- planning ------------------------------------------------------------ */

typedef struct {                /* the numbers of a graph, which need not exist */
    size_t  size;               /* set by the init function */
    int64_t nodes, edges;       /* edges: entries, an undirected edge is two */
    int64_t features, classes;
    int64_t nonzeros;           /* of sparse features; 0: they are dense */
    int64_t train, val;         /* labelled nodes of these parts */
    int     value_bytes;        /* of a stored dense feature: 4, 2 or 1, default 4 */
    int     weighted;           /* 1: edges have weights */
    int64_t bytes;              /* of its native file; 0: as the other numbers say */
} bonsai_shape;

#define bonsai_shape_init(s) bonsai_shape_init_sized((s), sizeof *(s))
BONSAI_API void bonsai_shape_init_sized(bonsai_shape *s, size_t size);
/* The shape of g, from its header, its labels and its split (60/20/20 where it has none). */
BONSAI_API bonsai_status bonsai_graph_shape(bonsai_shape *out, const bonsai_graph *g);

typedef struct {
    size_t  size;               /* set by the init function */
    const bonsai_condense_options *condense;    /* NULL: the defaults */
    int     ranks;              /* processes, each with its share of the rows, default 1 */
    int     threads;            /* of each; 0: every core it may use here */
    int64_t memory;             /* bytes for each; 0: as much as is used */
    double  gflops;             /* of matrix products, per thread, default 75, as 0, ... */
    double  gigabytes;          /* ... of memory moved in a second, per thread, default 12, as 0 */
    double  disk, network;      /* bytes a second of each rank, default 1e9, as 0 */
    const bonsai_graph *look;   /* unless NULL: the rows to exchange are counted in its edges */
} bonsai_plan_options;

#define bonsai_plan_options_init(o) bonsai_plan_options_init_sized((o), sizeof *(o))
BONSAI_API void bonsai_plan_options_init_sized(bonsai_plan_options *o, size_t size);

typedef struct {                /* what condensing would take */
    size_t  size;               /* set by the init function */
    int     ranks, threads;
    int     columns;            /* of the embedding that are made at a time; 0: sparse rows, or none */
    int     counted;            /* 1: rows to exchange were counted, 0: estimated for nodes in
                                 * random order */
    int64_t file;               /* bytes to read, of all ranks */
    int64_t least;              /* memory below which a rank refuses, ... */
    int64_t most;               /* ... and that it uses where nothing need spill */
    int64_t held, scratch;      /* with the memory given: bytes in memory and in scratch files */
    int64_t halo;               /* nodes of others whose rows the rank of most of them needs */
    int64_t wire_rows, wire;    /* bytes exchanged by all ranks: rows of embeddings; all */
    double  seconds_read, seconds_wl, seconds_knn, seconds_cover, seconds_cluster;
    double  seconds_exchange, seconds_scratch, seconds_total;
    double  seconds_learn;      /* of methods that learn; within a factor of a few */
    double  seconds_probe;      /* of scoring the full graph and what is tried */
    int     fits;               /* 1; 0: a rank refuses the memory given, which is below least */
} bonsai_plan;

#define bonsai_plan_init(p) bonsai_plan_init_sized((p), sizeof *(p))
BONSAI_API void bonsai_plan_init_sized(bonsai_plan *p, size_t size);
/* Predicts time, memory of each rank and bytes exchanged; measured on small graphs the time was
 * right within a factor of three (of methods that learn, of ten).  Memory is an upper
 * estimate, up to 2.5 times what was held; doc/scale.md has bytes exchanged.  A method that runs on
 * one rank only is refused for several. */
BONSAI_API bonsai_status bonsai_plan_make(bonsai_plan *out, const bonsai_shape *s,
                                          const bonsai_plan_options *o);

/* ---- which ratio --------------------------------------------------------- */

typedef struct {
    size_t  size;               /* set by the init function */
    double  keep;               /* share of the full graph's score to keep, above 0 .. 1, default
                                 * 0.95 */
    double  low, high;          /* the ratios to look among, above 0 .. 1, default 0.0001 and 0.3 */
    int     points;             /* 2 .. 64, default 8: ratios from low to high in equal factors,
                                 * rounded; ... */
    int     halvings;           /* 0 .. 16, default 3: ... how often the step with the answer is
                                 * halved */
    const bonsai_condense_options *condense;    /* NULL: the defaults; its budget and its progress
                                                 * are ignored */
    bonsai_progress_fn *progress;
    void   *payload;
} bonsai_suggest_options;

#define bonsai_suggest_options_init(o) bonsai_suggest_options_init_sized((o), sizeof *(o))
BONSAI_API void bonsai_suggest_options_init_sized(bonsai_suggest_options *o, size_t size);

typedef struct {                /* a ratio that was tried */
    size_t  size;               /* set by the library */
    double  ratio;              /* asked for */
    double  bytes;              /* of the small graph, in the accounting asked for */
    int64_t nodes, edges;
    double  score;              /* percent of the judged nodes that the probe gets right; -1: there
                                 * is no such graph, and why says why */
    double  share;              /* score over the full graph's; -1: as above */
    double  level;              /* the score without its noise: where it falls although the ratio
                                 * grows, the mean of such neighbours; so it never falls */
    double  seconds;            /* to make and judge it, without what all ratios share */
    bonsai_method method;       /* of AUTO: the one that it chose */
    char    why[156];
} bonsai_suggest_point;

typedef struct {                /* the answer */
    size_t  size;               /* set by the library */
    int     reached;            /* 1: the ratio keeps the share; 0: none does, and it is the best */
    int     held;               /* 1: judged on training nodes that were held out */
    int64_t point;              /* which of the points it is, from 0 */
    double  keep;               /* that was asked for */
    double  ratio, bytes, score, share;         /* of that point */
    int64_t nodes;
    double  full_bytes, full_score;     /* of the full graph */
    int64_t full_nodes, full_train;     /* full_train: training nodes that its probe was fitted on */
    double  wanted;             /* keep times full_score */
    double  error;              /* a standard error of full_score */
    int64_t judged;             /* nodes that every score counts */
    bonsai_split_source split_from;     /* OWN, ASKED, DRAWN, or NONE of a condensed graph */
    int     tried;              /* points */
    double  split[3];           /* percent that were drawn; all 0: OWN */
    uint64_t split_seed;
    double  seconds_full;       /* for the full graph's score, with what all ratios share */
    double  seconds_total;
} bonsai_suggest_info;

typedef struct bonsai_suggestion bonsai_suggestion;
/* The smallest ratio whose small graph keeps that share of the full graph's score.  The score is
 * that of the probe that condensing judges its candidates by: a linear classifier fitted on the
 * labelled nodes of the small graph, or on training nodes of the full one (full_train), and
 * judged on up to 5,000 validation nodes, or on held-out training nodes where there are none.  No
 * test label is read.  Ratios are tried from low upwards until one keeps the share; then the step
 * below it is halved, and a larger ratio confirms it.  Of the points the first whose level reaches
 * the share is the answer: it keeps it, and so do larger ones in the mean.  A larger share never has
 * a smaller ratio.  The method PUBLISHED, which keeps to no ratio, is refused. */
BONSAI_API bonsai_status bonsai_suggest(bonsai_suggestion **out, const bonsai_graph *g,
                                        const bonsai_suggest_options *o);
BONSAI_API void bonsai_suggestion_free(bonsai_suggestion *s);
BONSAI_API const bonsai_suggest_info *bonsai_suggestion_info(const bonsai_suggestion *s);
/* The small graph of the answer, as bonsai_condense makes it; it belongs to s. */
BONSAI_API const bonsai_graph *bonsai_suggestion_graph(const bonsai_suggestion *s);
/* The points by ascending ratio; NULL: there is none. */
BONSAI_API const bonsai_suggest_point *bonsai_suggestion_point(const bonsai_suggestion *s,
                                                               int64_t i);

/* ---- judging ------------------------------------------------------------- */

typedef struct {                /* a class, in a training */
    size_t  size;               /* set by the library */
    int64_t test;               /* its test nodes */
    double  recall_mean, recall_std;    /* percent of them that were found, over runs; -1: none */
} bonsai_class;
BONSAI_API const bonsai_class *bonsai_training_class(const bonsai_training *t, int64_t i);
/* The largest class of the test nodes, if the models of t are no better than naming it always: the
 * mean of the metric that was asked for is at most a point above what that gets, *percent.  Of AUC,
 * AP and F1MAX that is what scoring all nodes alike gets.  -1: they are better, or all test nodes
 * are of one class, or there are none. */
BONSAI_API int64_t bonsai_training_idle(double *percent, const bonsai_training *t);

typedef struct {                /* how well predictions fit the labels of some nodes */
    size_t  size;               /* set by the init function */
    int64_t nodes, right;       /* judged; predicted right */
    double  metric[BONSAI_METRIC_ROOM];     /* by bonsai_metric; -1: not defined */
} bonsai_measures;
#define bonsai_measures_init(m) bonsai_measures_init_sized((m), sizeof *(m))
BONSAI_API void bonsai_measures_init_sized(bonsai_measures *m, size_t size);
/* Judges what bonsai_predict says of g, or anybody else, on the labelled nodes of a part.  recall,
 * unless NULL, gets for each class the percent of its nodes that were found; -1: it has none.
 * AUC, AP and F1MAX need the probabilities of two classes (nodes x 2); else they may be NULL.
 * F1MAX takes its threshold of the validation nodes of g. */
BONSAI_API bonsai_status bonsai_judge(bonsai_measures *out, double *recall, const bonsai_graph *g,
                                      bonsai_part part, const int32_t *classes,
                                      const float *probabilities);
/* The class that a model trained on a small graph finds least, where classes fare unequally: its
 * recalls, in percent (-1: not known), are more than 40 points apart, or its balanced accuracy is
 * farther behind that of a model trained on the full graph than its accuracy is, by more than 5
 * points.  -1: they fare alike.  small and full: both models' metrics in percent, by bonsai_metric up
 * to BALANCED (-1: not known); full may be NULL. */
BONSAI_API int64_t bonsai_judge_lost(const double *recall, int64_t classes, const double *small,
                                     const double *full);

/* ---- comparing methods, and other studies -------------------------------- */

typedef enum {                  /* what a cell measures: how well a model does, ... */
    BONSAI_STUDY_TRAINING,      /* ... trained on a small graph, or on the full one; or whether what
                                 * is near in WL space is near for a model, by ... */
    BONSAI_STUDY_EMBEDDING,     /* ... the scores that it gives a node once it is trained */
    BONSAI_STUDY_GRADIENT,      /* ... the gradient of a node's loss by the weights and the bias of
                                 * the last layer of a GCN, before training */
    BONSAI_STUDY_WEIGHTS        /* ... the same by the weights alone */
} bonsai_study;

typedef enum {
    BONSAI_UNIT_RUN, BONSAI_UNIT_DRAW, BONSAI_UNIT_SPLIT, BONSAI_UNIT_COUNT
} bonsai_unit;

typedef struct {                /* one cell of a table: what is asked, and what came of it */
    size_t  size;               /* set by the init function or bonsai_compare_cells */
    int     method;             /* a bonsai_method; -1: the full graph */
    bonsai_model_kind model;
    double  ratio;              /* asked for; 1: the full graph; 0: the budget of the setting */
    int     done;               /* 1: known; a caller who resumes a table sets it */
    int     runs;               /* 0: it could not be made, and why says so */
    double  accuracy_mean, accuracy_std;
    double  bytes, share;       /* in the accounting asked for; bytes over the full graph's */
    int64_t nodes, edges, labelled;
    double  seconds_condense;   /* as if for this ratio alone; the others are summed over runs */
    double  seconds_train, seconds_eval;
    char    why[200];
    bonsai_study study;
    int     setting;            /* which of the settings it is condensed with, from 0 */
    uint64_t checksum;          /* of the small graph: equal ones train alike, and one of them does;
                                 * 0: not known */
    double  seconds_wl, seconds_knn, seconds_cover, seconds_sparsify;   /* of condensing */
    int64_t pairs;              /* of the other studies: pairs of nodes to draw, ... */
    double  nearest;            /* ... and the share of them, nearest in WL space first */
    double  correlation;        /* of both distances; NAN: it has none */
    double  threshold;          /* the largest distance in WL space among these pairs */
    double  chance;             /* of a correlation that large where there is none */
    double  metric_mean[BONSAI_METRIC_ROOM], metric_std[BONSAI_METRIC_ROOM];   /* of training */
    bonsai_metric metric;       /* that the epochs were chosen by */
    int     split, draw;        /* which of several, from 0; -1: all of them, merged */
    bonsai_unit unit;           /* what the error is of, ... */
    int     units;              /* ... and how many of them there are */
    double  accuracy_error;     /* the standard error of the mean; NAN: of one unit it has none */
    double *accuracies;         /* of each run, unless NULL; the caller's, with room for all */
    double  metric_error[BONSAI_METRIC_ROOM];   /* as accuracy_error */
    double *recall;             /* of each class, as accuracies; -1: it has no test nodes */
    double  strict_bytes, strict_share; /* as bytes and share, always in strict accounting */
    int64_t features;           /* that the graph keeps */
    int64_t whole_trees;        /* as in bonsai_condense_info */
    int64_t learn_rounds, learn_made;   /* as in bonsai_condense_info */
} bonsai_cell;

typedef enum { BONSAI_CELL_REAL, BONSAI_CELL_WHOLE, BONSAI_CELL_BYTES } bonsai_cell_type;

typedef struct {                /* a number of a cell */
    size_t  size;               /* set by the library */
    const char *name;           /* of the member of bonsai_cell, and in files */
    size_t offset;              /* of the member: a double, or if WHOLE an int64_t */
    bonsai_cell_type type;      /* BYTES: a double that files write as a whole number */
    int    detail;              /* 1: only in files that also name studies and settings */
    double without;             /* its value where a file has none */
} bonsai_cell_row;

/* Returns number i = 0, 1, ... of cells in the order of files; NULL: no more. */
BONSAI_API const bonsai_cell_row *bonsai_cell_row_at(int i);

/* A cell of the full graph that is not done. */
#define bonsai_cell_init(c) bonsai_cell_init_sized((c), sizeof *(c))
BONSAI_API void bonsai_cell_init_sized(bonsai_cell *c, size_t size);

typedef int bonsai_cell_fn(const bonsai_cell *c, void *payload);   /* non-zero cancels */

typedef struct {
    size_t  size;               /* set by the init function */
    const bonsai_method *methods;       int method_count;
    const double *ratios;               int ratio_count;
    const bonsai_model_kind *models;    int model_count;
    const bonsai_condense_options *condense;    /* NULL: the defaults; method, budget, split and
                                                 * progress are ignored */
    const bonsai_train_options    *train;       /* NULL: the defaults; model and progress are
                                                 * ignored; a split of all 0 is the graph's own,
                                                 * and 60/20/20 where it has none or where splits
                                                 * is more than 1 */
    bonsai_cell_fn *cell;       /* unless NULL, called as each cell becomes known */
    void   *cell_payload;
    bonsai_progress_fn *progress;
    void   *payload;
    const bonsai_condense_options *const *settings;     /* that cells name; NULL: condense alone */
    int64_t setting_count;
    int     splits;             /* 1 .. 1000, default 1: of the same shares, drawn with other
                                 * seeds */
    int     draws;              /* 1 .. 1000, default 1: small graphs of each method, with other
                                 * seeds */
    int     side_by_side;       /* 1: as many groups of cells at a time as train has threads, with
                                 * one thread each; seconds are then those of a busy machine */
    int     own_split;          /* 1: the first split is the graph's own, where it has one */
} bonsai_compare_options;

#define bonsai_compare_options_init(o) bonsai_compare_options_init_sized((o), sizeof *(o))
BONSAI_API void bonsai_compare_options_init_sized(bonsai_compare_options *o, size_t size);
/* The percent of the splits that are drawn of g by these options; all 0: its own is used. */
BONSAI_API bonsai_status bonsai_compare_split(double percent[3], const bonsai_graph *g,
                                              const bonsai_compare_options *o);
/* How many cells the table has: splits x models x (1 + methods x draws x ratios); -1: the lists are
 * not valid.  Split after split; in each the full graph, then each method; in it each draw; in that
 * each ratio; in that each model. */
BONSAI_API int64_t bonsai_compare_count(const bonsai_compare_options *o);
/* Initialises as many cells, each with its split, method, draw, ratio and model. */
#define bonsai_compare_cells(cells, o) bonsai_compare_cells_sized((cells), sizeof *(cells), (o))
BONSAI_API bonsai_status bonsai_compare_cells_sized(bonsai_cell *cells, size_t size,
                                                    const bonsai_compare_options *o);
/* Fills these cells where they are not done.  Split s is drawn with the seed of train + s.  Draw d
 * of it condenses with the seed of condense + 1000 s + d, and its runs have the seeds from that of
 * train + (1000 s + d) x runs on.  Where a small graph cannot be made or trained on, its cells have
 * runs 0; any other failure ends the call, and cells that are done stay. */
BONSAI_API bonsai_status bonsai_compare(bonsai_cell *cells, const bonsai_graph *g,
                                        const bonsai_compare_options *o);
/* The same for any cells, in the order given.  The options' methods, ratios and models have no say.
 * A method condenses to all its ratios in one setting together; cells that differ only in their
 * share of pairs draw them once. */
BONSAI_API bonsai_status bonsai_study_run(bonsai_cell *cells, int64_t count, const bonsai_graph *g,
                                          const bonsai_compare_options *o);

/* The cells with like's study, method, model, ratio, setting and pairs as one: means, with each split
 * (else each draw) weighing the same; seconds of training and judging as sums.  The error takes the
 * split as its unit if there are several, else the draw, else the run.  Cells that were not measured
 * are left out. */
BONSAI_API bonsai_status bonsai_cells_merge(bonsai_cell *out, const bonsai_cell *cells,
                                            int64_t count, const bonsai_cell *like);

typedef struct {                /* between two methods */
    size_t size;                /* set by the init function */
    double difference;          /* of their accuracies, or of the metric that the cells have */
    double error;               /* its standard error; NAN: there is none */
    int    pairs;               /* of cells with the same split and draw; 0: none was measured */
    int    verdict;             /* 1: better by more than two errors, -1: worse by as much, 0: tie */
} bonsai_difference;

#define bonsai_difference_init(d) bonsai_difference_init_sized((d), sizeof *(d))
BONSAI_API void bonsai_difference_init_sized(bonsai_difference *d, size_t size);
/* The cells like a minus those like b, in pairs of the same split and draw; the full graph, which
 * has one draw, serves all.  The error is that of the mean over pairs, or, where there is one pair,
 * follows from the runs of both. */
BONSAI_API bonsai_status bonsai_cells_difference(bonsai_difference *out, const bonsai_cell *cells,
                                                 int64_t count, const bonsai_cell *a,
                                                 const bonsai_cell *b);

/* Distances of random pairs of different training nodes, drawn with the seed: wl[i] of their WL
 * embeddings after as many rounds as the model has layers, and seen[i] of what the study names,
 * which is not TRAINING.  Options as in bonsai_train; the model is that of the options and its
 * first run. */
BONSAI_API bonsai_status bonsai_study_pairs(double *wl, double *seen, int64_t pairs,
                                            const bonsai_graph *g, bonsai_study what,
                                            const bonsai_train_options *o);
typedef struct {                /* |sampled - exact representative power| over all trees; has no
                                 * size: it never changes */
    double mean, most;          /* of all trees; the largest */
    double upper;               /* no larger for 95 of 100 trees */
    double above;               /* the share of the trees whose error is above theta */
} bonsai_power_error;

typedef struct {                /* Lemma 1, measured: a sample size, and what came of it */
    size_t  size;               /* set by the init function */
    double  theta, delta;       /* above 0 .. 1: the lemma says that the share above theta is at
                                 * most delta */
    int64_t sample;             /* trees that are drawn; 0: as many as the lemma asks for; -1: all.
                                 * Then how many there were, at most all */
    int64_t draws;              /* 1 .. 1000000 */
    bonsai_power_error *each;   /* of each draw, unless NULL; the caller's, with room for all */
    bonsai_power_error error;   /* the mean over draws, ... */
    bonsai_power_error least, largest;  /* ... and the least and the largest of any draw */
    int64_t trees;              /* training trees, all of which have a power: the share of the trees
                                 * that have it among their k nearest, or are it, ... */
    double  power_mean, power_most;     /* ... on the mean and at most */
    double  power_above;        /* the share of the trees whose power is above theta: so many errors
                                 * above theta would a guess of 0 for every tree have */
} bonsai_power;

#define bonsai_power_init(p) bonsai_power_init_sized((p), sizeof *(p))
BONSAI_API void bonsai_power_init_sized(bonsai_power *p, size_t size);
/* Fills each of count structs, which the caller has initialised, from one exact reverse k-NN of all
 * training trees.  Draw d takes the sample that condensing with the seed of o + d takes.  Of the
 * options only layers, k, split, seed, inductive, memory, threads and progress matter. */
BONSAI_API bonsai_status bonsai_study_power(bonsai_power *powers, int64_t count,
                                            const bonsai_graph *g,
                                            const bonsai_condense_options *o);
/* Tells graphs apart: 64 bits over the sections whose bit (1 << section) is set. */
BONSAI_API uint64_t bonsai_graph_checksum(const bonsai_graph *g, uint64_t sections);

/* The model of small, which bonsai_train trained on a small graph and judged on full, trained on
 * full itself: with the same split, and otherwise as the options say. */
BONSAI_API bonsai_status bonsai_train_beside(bonsai_training **out, const bonsai_training *small,
                                             const bonsai_graph *full,
                                             const bonsai_train_options *o);

/* ---- how a condensed graph was made -------------------------------------- */

/* What bonsai_condense told about it, without times and memory, and the options that it was made
 * with; both from its metadata.  A graph that was not condensed is refused. */
BONSAI_API bonsai_status bonsai_condense_info_of(bonsai_condense_info *out,
                                                 const bonsai_graph *small);
BONSAI_API bonsai_status bonsai_condense_options_of(bonsai_condense_options *out,
                                                    const bonsai_graph *small);
typedef enum {
    BONSAI_FACT_WHOLE, BONSAI_FACT_REAL, BONSAI_FACT_BYTES, BONSAI_FACT_SECONDS,
    BONSAI_FACT_PERCENT, BONSAI_FACT_SHARE,             /* of 100, of 1 */
    BONSAI_FACT_FLAG,
    BONSAI_FACT_CHECKSUM,       /* 32 bits; eight hexadecimal digits in the metadata */
    BONSAI_FACT_WORD,           /* a number, or by bonsai_fact_text a word */
    BONSAI_FACT_TEXT
} bonsai_fact_type;

enum {                          /* where bonsai condense shows a fact, and how */
    BONSAI_FACT_TREES = 1 << 0, BONSAI_FACT_PROTOTYPES = 1 << 1, BONSAI_FACT_LEARNED = 1 << 2,
    BONSAI_FACT_PROBE = 1 << 3, BONSAI_FACT_MEMORY = 1 << 4,
    BONSAI_FACT_OMIT = 1 << 5,          /* nowhere if it is not known */
    BONSAI_FACT_IF_PART = 1 << 6        /* to people only between 0 and 1 */
};

typedef struct {
    size_t      size;           /* set by the library */
    const char *path;           /* its place in the metadata, or a name of its own */
    const char *key;            /* in the output of bonsai condense; NULL: the path, without the
                                 * group of the metadata that it begins with */
    const char *label;          /* for people; NULL: none */
    const char *format;         /* of the number for people, as printf takes it; NULL: by type */
    const char *note;           /* for people, beside it; NULL: none */
    const char *when;           /* people see it if the fact of this path is above 0; NULL: always */
    bonsai_fact_type type;
    unsigned    marks;          /* where it is shown */
} bonsai_fact_row;

/* Fact i = 0, 1, ... of a condensed graph; NULL: no more. */
BONSAI_API const bonsai_fact_row *bonsai_fact_at(int i);
/* "accuracy", "mean of accuracy and balanced accuracy", ...; NULL: AUTO, or unknown. */
BONSAI_API const char *bonsai_aim_text(bonsai_aim aim);
/* What a small graph is worth by the probe, in a sentence that ends with a zero; empty: its method
 * has none.  *kept, unless NULL: how much it keeps of what the probe gets from the full graph, in
 * percent; -1: not measured, or it is hardly better than always naming the largest class.  Returns
 * the length, as snprintf does, or a negative status. */
BONSAI_API int bonsai_condense_worth(char *out, size_t size, double *kept,
                                     const bonsai_condense_info *i);

enum { BONSAI_WHY_ROOM = 10 };
typedef struct {                /* why a node of a condensed graph is there */
    size_t  size;               /* set by the init function; do not touch */
    int64_t origin;             /* as bonsai_graph_origin; -1: unknown */
    int64_t tree;               /* root, in the full graph, of the tree that brought it; -1: none */
    int64_t root;               /* the same node in this graph; -1: not there */
    int64_t covers, sample;     /* sampled trees that it covers as a root; of so many */
    int64_t rank;               /* of its score, from 1; 0: it has none */
    double  score;              /* PageRank from the roots; 0: none */
    double  weight;             /* in the loss */
    int64_t members;            /* nodes that a prototype stands for; -1: not stored */
    int64_t edges;              /* entries of its row */
    bonsai_role role;
    int32_t label;              /* -1: unknown */
    int64_t shares;             /* classes of its soft label, the largest share first; 0: none */
    int64_t share_class[BONSAI_WHY_ROOM];
    double  share[BONSAI_WHY_ROOM];     /* above 0 .. 1 */
    int64_t nodes;              /* nodes of the full graph that a prototype stands for: its first
                                 * members; with the full graph, the nearest first */
    int64_t node[BONSAI_WHY_ROOM];
    double  distance[BONSAI_WHY_ROOM];  /* -1: not known */
    int64_t features_set;       /* features that are not 0, ... */
    int64_t features;           /* ... and how many of them are here: the strongest first, those
                                 * farthest, in standard deviations, from the mean of the full
                                 * graph or, without it, of the labelled nodes of small */
    int64_t feature[BONSAI_WHY_ROOM];   /* its number in the full graph */
    double  value[BONSAI_WHY_ROOM];     /* as it was before columns were scaled */
    double  above_mean[BONSAI_WHY_ROOM];        /* value minus that mean */
    const char *feature_name[BONSAI_WHY_ROOM];  /* belongs to the condensed graph; NULL: none */
    int64_t partner;            /* of a prototype that is a pair of nodes, the other node.  The second
                                 * has no label and stands for no nodes: it passes its features on to
                                 * the first.  -1: it is no pair */
    double  deviations[BONSAI_WHY_ROOM];        /* above_mean in standard deviations, by which
                                 * features are ordered; one counts as at least the mean of all */
} bonsai_why;

#define bonsai_why_init(w) bonsai_why_init_sized((w), sizeof *(w))
BONSAI_API void bonsai_why_init_sized(bonsai_why *w, size_t size);
BONSAI_API bonsai_status bonsai_condense_why(bonsai_why *out, const bonsai_graph *small,
                                             int64_t node);
/* The same, beside the graph that small was made of (NULL: what small alone says).  full tells more
 * of features and prototypes; options as for bonsai_condense_nearest. */
BONSAI_API bonsai_status bonsai_condense_explain(bonsai_why *out, const bonsai_graph *small,
                                                 int64_t node, const bonsai_graph *full,
                                                 const bonsai_condense_options *o);
/* The tree, covers and score of every node; each array has room for all nodes, or is NULL. */
BONSAI_API bonsai_status bonsai_condense_whys(int64_t *tree, int64_t *covers, double *score,
                                              const bonsai_graph *small);

enum { BONSAI_SCORES_ROOM = 100 };
typedef struct {                /* PageRank in a round of pruning, highest first */
    size_t  size;               /* set by the init function */
    int64_t rounds;             /* that are recorded: the first ones and the last; 0: none */
    int64_t number;             /* of this one, from 1 */
    int64_t ranked;             /* nodes, or with keep_trees trees by the mean of theirs */
    int64_t knee;               /* a rank, from 0: what is behind it may go; -1: there is none */
    int64_t pruned;             /* how many went */
    int64_t count;              /* of these: all if there is room, else denser at the top, the knee
                                 * and the last among them */
    int64_t rank[BONSAI_SCORES_ROOM];   /* from 0, ascending */
    double  score[BONSAI_SCORES_ROOM];  /* four digits of it */
} bonsai_scores;

#define bonsai_scores_init(s) bonsai_scores_init_sized((s), sizeof *(s))
BONSAI_API void bonsai_scores_init_sized(bonsai_scores *s, size_t size);
/* What a round, from 0, of making small saw, from its metadata.  Where that has no rounds, as of
 * other methods than TREES, round 0 gives a struct with rounds 0.  All other rounds that are not
 * recorded are refused. */
BONSAI_API bonsai_status bonsai_condense_scores(bonsai_scores *out, const bonsai_graph *small,
                                                int64_t round);

/* The nodes of full that a node of small stands for, at most `most`, nearest first: its members if
 * small names them, else the training nodes of its class, without those nearer to a prototype than
 * its origin, which belong to other ones; by the distance of their features in full, averaged over
 * neighbours as its own were, to its own.  So the first of a prototype's is its origin (after an
 * update it need not be).  distances may be NULL; *found gets how many there are.  Layers are those
 * that small was made with, and so is the split unless the options ask for one; if small does not
 * say, both are those of the options.  Threads and progress matter too. */
BONSAI_API bonsai_status bonsai_condense_nearest(int32_t *nodes, float *distances, int64_t *found,
                                                 int64_t most, const bonsai_graph *small,
                                                 int64_t node, const bonsai_graph *full,
                                                 const bonsai_condense_options *o);

/* ---- reports ------------------------------------------------------------ */

typedef struct {
    size_t  size;               /* set by the init function */
    const bonsai_condense_info *condensed;      /* NULL: times and memory are not known */
    const bonsai_cell *cells;   /* accuracies, the full graph's with method -1; or NULL */
    int64_t cell_count;
    const char *title;          /* NULL: made of the names */
    const char *small_name, *full_name;     /* as the reader knows them; NULL: "small", "full" */
    const char *command;        /* that repeats it; NULL: made of the options */
    int     fragment;           /* 1: a <div> for a notebook instead of a page */
    int     threads;            /* 0: every core it may use */
    bonsai_progress_fn *progress;
    void   *payload;
    const double *recall;       /* unless NULL, of each class in each cell (cell_count x classes), in
                                 * percent; -1: it has no test nodes */
    const char *feature_names;  /* of all features of the full graph, one a line; NULL: those that the
                                 * graphs have */
    const bonsai_suggestion *suggestion;        /* unless NULL, the curve that led to the ratio */
    const char *reading;        /* what else the command needs to read full, such as
                                 * "--labels labels.csv"; NULL: nothing */
} bonsai_report_options;

#define bonsai_report_options_init(o) bonsai_report_options_init_sized((o), sizeof *(o))
BONSAI_API void bonsai_report_options_init_sized(bonsai_report_options *o, size_t size);

typedef struct bonsai_report bonsai_report;
/* What was kept of full and why, as one HTML page that needs nothing else.  full may be NULL:
 * then only what small says about itself is shown. */
BONSAI_API bonsai_status bonsai_report_new(bonsai_report **out, const bonsai_graph *small,
                                           const bonsai_graph *full,
                                           const bonsai_report_options *o);
/* The curve of a suggestion alone.  Of the options only title and fragment matter. */
BONSAI_API bonsai_status bonsai_report_suggestion(bonsai_report **out, const bonsai_suggestion *s,
                                                  const bonsai_report_options *o);
BONSAI_API void bonsai_report_free(bonsai_report *r);
/* The page, ended by a zero, and its length unless NULL. */
BONSAI_API const char *bonsai_report_html(size_t *length, const bonsai_report *r);
/* The file appears when it is complete; on failure what was there stays. */
BONSAI_API bonsai_status bonsai_report_save(const bonsai_report *r, const char *path);
/* Writes tables and charts as one HTML page that needs nothing else, with a legend of its columns
 * and marks.  json describes it: {title, heading, verdict, summary, about, tables, data}.
 * verdict: all in a line, or nothing.  summary: an array of sentences.  about: an array of
 * paragraphs, each an array of texts and {code: text}, and of {list: paragraphs}.  data: whatever
 * the page shall carry inside, or nothing.
 * A table: {name, title, about, data, protocol, decimals, head, rows, charts}.  name: unique, for
 * links.  about, data, protocol: what was measured, from what data, how; one text each.
 * A head is {key, label, source}.  source: "key": what a row is of, its cells are texts or numbers;
 * "published": as others printed it; "redone": their code's work, redone; "paper": ours, counted
 * their way; "honest": ours at honest bytes; "ours": anything else that was measured; "fact": a text
 * that nobody measured.
 * A cell that is not a key is null (not measured), {text} or {value, spread, nodes, edges, labelled,
 * features, bytes, share, runs, splits, draws, large, verdict, against}, of which all but the value
 * may be missing.  A published one is {text, value, spread, broken}; broken: a sentence that says
 * why the number is not what it claims, listed below the table.  share: of the full graph's bytes,
 * 0 to 1; large: true where it is more than half, then it is never called better.  verdict:
 * "better", "worse" or "same", than what against names.  A column of whole numbers is shown without
 * decimals.
 * Rows that share their first key are drawn together.
 * A chart: {kind: "bars", title, x, y, labels, series: [{name, values}]} or {kind: "lines", title,
 * x, y, log_x, log_y, curves: [{name, at}]}; at is an array of [x, y] or [x, y, e] where the error
 * band is y - e to y + e. */
BONSAI_API bonsai_status bonsai_report_tables(const char *path, const char *json);

/* ---- fields of options --------------------------------------------------- */

/* What the structs of options hold, for programs that offer them to their users.  The library's
 * defaults and checks, the options and help of the program bonsai and the signatures of the Python
 * package come from here. */
typedef enum {
    BONSAI_OPTIONS_READ, BONSAI_OPTIONS_WRITE, BONSAI_OPTIONS_GENERATE, BONSAI_OPTIONS_CONDENSE,
    BONSAI_OPTIONS_TRAIN, BONSAI_OPTIONS_SHAPE, BONSAI_OPTIONS_PLAN, BONSAI_OPTIONS_COMPARE,
    BONSAI_OPTIONS_REPORT, BONSAI_OPTIONS_SUGGEST, BONSAI_OPTIONS_COUNT
} bonsai_options_kind;

typedef enum {
    BONSAI_FIELD_FLAG,          /* int, 0 or 1; with words, the program takes one of these two */
    BONSAI_FIELD_CHOICE,        /* an enumeration: the place of a word among the words */
    BONSAI_FIELD_SET,           /* int, bit 1 << place for each of some words; 0: all of them */
    BONSAI_FIELD_INT,           /* int */
    BONSAI_FIELD_LONG,          /* int64_t; with a word, that stands for -1 */
    BONSAI_FIELD_BYTES,         /* int64_t, a size: the program takes 3G too */
    BONSAI_FIELD_U64,           /* uint64_t */
    BONSAI_FIELD_REAL,          /* double */
    BONSAI_FIELD_SPEED,         /* double, bytes a second: the program takes 3G too */
    BONSAI_FIELD_SPLIT,         /* double[3], percent of a split; all 0: not given */
    BONSAI_FIELD_TEXT,          /* const char * */
    BONSAI_FIELD_FILE,          /* const char *, a path */
    BONSAI_FIELD_POINTER        /* an array, a callback or another struct: no option */
} bonsai_field_type;

enum {                          /* marks of a field */
    BONSAI_MARK_ABOVE  = 1,     /* low itself is not allowed */
    BONSAI_MARK_BELOW  = 2,     /* high itself is not allowed */
    BONSAI_MARK_BUDGET = 4,     /* one of several, of which exactly one is given */
    BONSAI_MARK_ASIDE  = 8,     /* not in the record of a result: it says nothing about it */
    BONSAI_MARK_LOCAL  = 16,    /* each rank may have its own */
    BONSAI_MARK_UNUSUAL = 32,   /* in the record of a result only where it is not the default */
    BONSAI_MARK_FIRST  = 64     /* in the program's short help, as the group MAIN is */
};

/* Options that belong together, in the order of the program's help: a name in C and a heading. */
#define BONSAI_GROUP_MAP(X)                                                     \
    X(MAIN,       "options")            /* what a newcomer needs */             \
    X(BUDGET,     "the budget")                                                 \
    X(METHOD,     "the method")                                                 \
    X(PROTOTYPES, "prototypes")                                                 \
    X(TREES,      "trees")                                                      \
    X(LEARN,      "methods that learn")                                         \
    X(NETWORK,    "the network")                                                \
    X(TRAINING,   "training")                                                   \
    X(DRAWS,      "splits and draws")                                           \
    X(SHAPE,      "without GRAPH")                                              \
    X(INPUT,      "input")                                                      \
    X(SPEED,      "speed and memory")                                           \
    X(OUTPUT,     "output")
#define BONSAI_GROUP_VALUE(name, heading) BONSAI_GROUP_##name,
typedef enum { BONSAI_GROUP_MAP(BONSAI_GROUP_VALUE) BONSAI_GROUP_COUNT } bonsai_option_group;
#undef BONSAI_GROUP_VALUE

typedef struct {
    size_t      size;           /* set by the library */
    const char *name;           /* of the member, and of Python's keyword */
    const char *option;         /* of the program; NULL: the name with - for _ */
    bonsai_field_type type;
    int         marks;
    size_t      offset;         /* of the member in its struct */
    double      low, high;      /* of a number that is given; equal: any */
    double      preset;         /* what the init function sets; outside low .. high: not given */
    uint64_t    methods;        /* bit 1 << bonsai_method for each that it acts on; 0: all */
    const char *const *words;   /* ended by NULL; NULL: none */
    const char *arg;            /* what help calls the value, "N" */
    const char *help;           /* one line */
    const char *otherwise;      /* what holds where it is not given; NULL: the preset */
    int         letter;         /* of the short option; 0: none */
    int         group;          /* a bonsai_option_group: where help lists it */
} bonsai_field;

/* Field i = 0, 1, ... of a struct, in the order of its members, without size; NULL: no more. */
BONSAI_API const bonsai_field *bonsai_field_at(bonsai_options_kind kind, int i);
/* The heading of a group; NULL: there is none. */
BONSAI_API const char *bonsai_group_name(int group);
/* The value that an initialised struct has there, as the program takes it: "0.01", "all",
 * "60/20/20"; "": not given.  A flag is "yes" or "no".  Returns the length of the whole text. */
BONSAI_API int bonsai_field_text(char *text, size_t size, const bonsai_field *f,
                                 const void *options);
/* The fields of a struct that decide the answer, all but those with the mark ASIDE, as one JSON
 * object.  Returns the length of the whole text, or E_MEMORY and "{}". */
BONSAI_API int bonsai_options_json(char *text, size_t size, bonsai_options_kind kind,
                                   const void *options);

/* ---- formats -------------------------------------------------------------- */

/* Format i = 0, 1, ...: its name (NULL: no more), one line about it, whether it can be written. */
BONSAI_API const char *bonsai_format_name(int i);
BONSAI_API const char *bonsai_format_help(int i);
BONSAI_API int         bonsai_format_writes(int i);

/* A path or a value as one word for a shell: in quotes if it needs them, and behind ./ if it begins
 * with -, so that it is no option.  Returns the length of the whole word, as snprintf does. */
BONSAI_API int bonsai_shell_word(char *out, size_t size, const char *text);

#ifdef __cplusplus
}
#endif
#endif
