/* prototypes.h -- synthetic nodes: clusters of embeddings, their labels, and how they are stored.
 *
 *   kmeans/      clusters of the rows of each class
 *   guide.c, basis.c  directions that separate classes, and prototypes as mixtures of them
 *   molds.c      which bases and numbers of prototypes are tried (mold.h says what a mold is)
 *   search.c     the candidates under a budget
 *   probe.c      ridge regression in closed form, which scores candidates
 *   finals.c     networks trained on the last few candidates; choose.c: the choice by their scores
 *   posterior.c  soft classes
 *   prototypes.c the whole: search, and the graph of the best
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PROTOTYPES_H
#define BN_PROTOTYPES_H

#include "embed/embed.h"
#include "merit.h"
#include "trees/job.h"

/* ---- the probe (probe.c) ---- */

typedef struct bn_probe bn_probe;

/* Makes a probe that judges on the job's rows, which bn_judge_embed made and the probe borrows,
 * or returns the job's own probe if it has one. */
bonsai_status bn_probe_new(bn_probe **out, const bn_job *job);
/* Makes a probe that judges on other rows of the same nodes, which it borrows; small graphs must
 * have as many features. */
bonsai_status bn_probe_of(bn_probe **out, const bn_job *job, const bn_views *judged);
void bn_probe_free(bn_probe *p);
/* Returns the metric that the probe compares by. */
const bn_merit *bn_probe_merit(const bn_probe *p);
/* Fills the percentage of judged nodes that classifiers fitted on the labelled nodes of a
 * small graph get right, or another metric of these nodes (merit.h): the mean of two views
 * (probe.c), weighted by what the options say that it is for.  Soft labels and weights of
 * nodes count; a node that is itself judged on, by its origin, does not take part; 0 if none
 * does.  The same bits for any number of threads. */
bonsai_status bn_probe_graph(double *percent, const bn_probe *p, const bonsai_graph *small);
/* Scores rows with one label each, which all weigh the same. */
bonsai_status bn_probe_rows(double *percent, const bn_probe *p, const bn_views *rows,
                            const int32_t *label);
/* Scores very many rows within about a second: a few choose the lambda, more are fitted. */
bonsai_status bn_probe_once(double *percent, const bn_probe *p, const bn_views *rows,
                            const int32_t *label);
/* Return the products of these fits, for plans: of n rows with `wide` columns, the constant
 * included, and `length` numbers; and the number of rows that are fitted once. */
double bn_probe_products(double n, double wide, double length);
double bn_probe_products_once(double *fitted, double n, double wide, double length);
/* Returns a standard error of a score; judged: the `independent` nodes of the merit. */
double bn_probe_error(double percent, int64_t judged);

/* ---- posteriors (posterior.c) ---- */

/* Fills posterior (own rows x classes) with the softmax of `sharpness` times the scores of a
 * ridge classifier with +-1 targets, fitted on the rows of all ranks; label: of the rank's
 * own rows. */
bonsai_status bn_posterior(float *posterior, const bn_sharded *x, const int32_t *label,
                           int64_t classes, double sharpness);
/* Replaces a row of scores (c) by a posterior. */
void bn_posterior_of(float *row, int64_t c, double sharpness);
/* Rows that a posterior is fitted on at most, and the largest system of a direct fit. */
enum { BN_FIT_ROWS = 20000, BN_FIT_DIRECT = 1024 };
/* Returns how many rows represent x in a fit of these classes; a step takes `most` products. */
int64_t bn_rows_to_fit(const bn_sharded *x, int64_t classes, double most);
/* Gathers the labels of the given rows of all ranks, which ascend; own: of the rank's own
 * rows. */
bonsai_status bn_labels_gather(int32_t *out, const bn_sharded *x, const int32_t *own,
                               const int64_t *row, int64_t count);
/* Samples evenly spaced rows and copies them and their labels to all ranks. */
bonsai_status bn_rows_some(bn_embedding *some, int32_t **label, const bn_sharded *x,
                           const int32_t *own, int64_t count);

/* ---- rows of prototypes (centres.c) ---- */

typedef struct {                /* what the row of a prototype is made of */
    const char *name;
    bn_blend blend;
    bool     pair;              /* each has a second node, without a label, for what is around it */
    bool     alone;             /* without its self loop: nothing is around it */
    bool     both;              /* each has a second node, of own features, which is alone */
} bn_kind;

enum { BN_KIND_FAR, BN_KIND_MIXED, BN_KIND_OWN, BN_KIND_ALONE, BN_KIND_PAIRS,
       BN_KIND_TWOFOLD, BN_KINDS };
extern const bn_kind bn_kinds[BN_KINDS];
const bn_kind *bn_kind_named(const char *name);         /* NULL: there is none */

/* ---- the method (prototypes.c) ---- */

typedef struct {                /* what was chosen, for the report */
    int64_t nodes, t;           /* t: entries kept of a row; 0: all */
    bonsai_type type;           /* of the stored values: U8, I8 or F32 */
    int     soft, weighted;     /* whether labels are soft, and nodes weighted */
    int     layers;             /* rounds of averaging in the features */
    const char *rows;           /* what they are made of */
    int     bits, columns;      /* of a value; whether all rows share their columns */
    int64_t directions;         /* of the basis that rows are mixtures of; 0: no basis */
    double  probe;              /* its score in percent on `judged` validation or held-out nodes */
    double  full;               /* that of all rows in the coordinates of the basis; 0: no basis */
    int64_t judged, candidates; /* how many candidates were scored */
    int     finalists;          /* how many of them networks were trained on; 0: the probe chose */
    double  trained;            /* the score of networks trained on the chosen one; below 0: none */
} bn_recipe;

/* Makes a graph of new nodes within the budget, the same on every rank. */
typedef bonsai_status bn_make_fn(bonsai_graph **out, bn_recipe *r, const bn_job *job,
                                 const bn_budget *budget);

/* Makes the small graph of the best prototypes under the budget (search.c says what is best).  It
 * has self loops, labels, roles, origins (the member nearest to the stored row), members if
 * job->o->members asks for them, and soft labels and weights if they improve the score. */
bn_make_fn bn_prototypes;

#endif
