/* learn.h -- small graphs that are learned by descent: the input and the result of a method.
 *
 *   problem.c    the full graph as a method reads it: features in its units, averaged rows, classes
 *   learn.c      the loop that all methods share: steps, limits, the round that is kept
 *   learned.c    the small graph of what was learned, and how many nodes fit a budget
 *   descent.c    Adam steps; skips gradients that are not finite
 *   tangent.h    derivatives that several methods are made of
 *   experts.h    networks trained on the full graph
 *
 * A method is one file with a bn_learner, a row in lab/lab.c and its settings.  It learns
 * in `begin` and `step`; nothing is allocated in a step.  Only labels of training nodes are read
 * there; validation labels act in the probe alone, which chooses the round that is kept.
 *
 * Results depend on the seed and the kind of processor, not on the number of threads: matrix
 * products are made in blocks of fixed size (nn/matrix.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_LEARN_H
#define BN_LEARN_H

#include "condense/methods.h"
#include "nn/nn.h"
#include "prototypes/prototypes.h"

typedef struct bn_problem bn_problem;

/* ---- an estimate of the work, for plans (workload.c) ---- */

typedef struct {
    double nodes;               /* that are learned */
    double full, train;         /* of the full graph */
    double features, classes, degree;
    double pair;                /* bytes that any two nodes take */
    double row;                 /* entries of a row of features after a hop */
} bn_workload;

typedef double bn_workload_fn(const bn_workload *w);        /* operations at effort 1 */

bn_workload_fn bn_work_gcond, bn_work_gcond_x, bn_work_doscond, bn_work_sgdd,
    bn_work_gc_sntk, bn_work_gdem, bn_work_gcsr, bn_work_sfgc, bn_work_geom;

/* ---- a method ---- */

typedef enum {                  /* units of features while they are learned */
    BN_UNITS_PUBLISHED,         /* where none is negative: over the mean sum of a row; else each
                                 * column to mean 0 and spread 1 over the training nodes */
    BN_UNITS_STANDARD           /* each column to mean 0 and spread 1 over all nodes */
} bn_units;

typedef struct {
    bn_units units;
    bool     edges;             /* any two nodes may be joined: `a` is asked for */
    int      pair;              /* bytes that any two nodes take, about; 0: there are no arrays of
                                 * pairs, and no limit on the nodes */
    bool     soft;              /* `q` is asked for */
    bool     is_operator;       /* `a` multiplies rows as it is: signed, with a diagonal */
    /* Allocates `state`, fills what it learns from, sets `steps`, and puts the first small graph
     * where the last will be. */
    bonsai_status (*begin)(bn_problem *s);
    /* Round i = 0, 1, ...: sets `loss`, and `made` where time is up. */
    bonsai_status (*step)(bn_problem *s, int64_t i);
    /* Puts the small graph of this moment into x, a and q, as far as it is not there. */
    bonsai_status (*show)(bn_problem *s);
    void     (*end)(bn_problem *s);      /* frees `state`, which may be NULL or half made */
    bn_workload_fn *work;       /* about how much work it is */
} bn_learner;

enum { BN_MOST_PAIRED = 4096 }; /* nodes, where any two of them take room */

extern const bn_learner bn_gcond, bn_gcond_x, bn_doscond, bn_sgdd, bn_exgc, bn_gc_sntk, bn_gdem,
    bn_gcsr, bn_sfgc, bn_geom;

/* ---- what a method is given ---- */

typedef enum {                  /* datasets with published settings */
    BN_LIKE_CORA, BN_LIKE_CITESEER, BN_LIKE_PUBMED, BN_LIKE_ARXIV, BN_LIKE_FLICKR, BN_LIKE_REDDIT,
    BN_LIKES
} bn_like;

typedef enum {                  /* what a step made of its round */
    BN_MADE_WHOLE,
    BN_MADE_PART,               /* time was up before it was done */
    BN_MADE_NONE                /* ... before there was anything: it is not counted */
} bn_made;

struct bn_problem {
    const bn_learner *how;
    const bn_job *job;          /* its graph, training nodes (train, trees), place, options */
    bn_like  like;              /* whose settings: its own, or those of the nearest shape */
    int      size;              /* 0, 1, 2: their column, by nodes over training nodes */
    int64_t  n, f, c;           /* nodes of the small graph, features, classes */
    int32_t *kind;              /* n: their classes, ascending */
    int64_t *want;              /* c: how many of each */
    int32_t *label;             /* job->trees: classes of the training nodes */
    int64_t *have;              /* c: how many of each */
    float   *mean, *spread;     /* f: unit = (feature - mean) / spread */
    uint64_t seed;
    int      threads;
    float   *x;                 /* n x f, in units */
    float   *a;                 /* n x n, symmetric; NULL: not asked for */
    float   *q;                 /* n x c, rows that sum to 1; NULL: not asked for */
    float    least;             /* a weight below it is no edge; set by begin, 0 before */
    int64_t  steps;             /* rounds in all, set by begin */
    double   loss;
    bn_made  made;              /* set by a step that time was too short for */
    int64_t  skipped;           /* gradients that were not finite, ... */
    int      in_a_row;          /* ... without a step of the small graph between them */
    double   until;             /* bn_seconds() when time is up; INFINITY: no limit */
    void    *state;
};

/* ---- the full graph as a method reads it (problem.c) ---- */

/* Returns a published number (rounds, experts, ...) at the effort asked for, at least 1. */
int64_t bn_effort(const bn_problem *s, double count);
/* Computes out (count x f) = rows `node` of A^hops X in units, A the operator of GCN with its self
 * loops. */
bonsai_status bn_problem_rows(float *out, const bn_problem *s, const int32_t *node, int64_t count,
                              int hops);
/* Computes out (count) = rows `node` of A^hops times a column of ones. */
bonsai_status bn_problem_ones(float *out, const bn_problem *s, const int32_t *node, int64_t count,
                              int hops);
/* Fills x with such rows of random training nodes, as many of each class as wanted. */
bonsai_status bn_problem_start(bn_problem *s, int hops);
/* Fills pick (n) with places in job->train, drawn with `seed`: want[k] different ones of class k,
 * repeated if the class has fewer. */
bonsai_status bn_problem_pick(int32_t *pick, const bn_problem *s, uint64_t seed);
/* Fills q (n x c) with 1 at the class, else 0. */
void bn_one_hot(float *q, const int32_t *label, int64_t n, int64_t c);
bool bn_problem_late(const bn_problem *s);        /* time is up: long rounds end early */
/* Reports the number of rounds done; long rounds report again, so that they can be canceled. */
bonsai_status bn_problem_tick(const bn_problem *s, int64_t done);

/* ---- steps (descent.c) ---- */

typedef struct {
    bn_learned l;               /* grad is to be filled before a step, which clears it */
    int64_t t;
    double  rate, decay;
    bool    student;            /* of a network: no step of the small graph */
} bn_descent;

/* Prepares descent of count numbers at param, which stay the caller's. */
bonsai_status bn_descent_new(bn_descent *d, float *param, int64_t count, double rate, double decay);
void bn_descent_free(bn_descent *d);
void bn_descent_restart(bn_descent *d);         /* forgets all steps */
/* Makes a step of Adam and returns true; if the gradient is not finite, counts it and returns
 * false. */
bool bn_descend(bn_descent *d, bn_problem *s);

/* ---- learning (learn.c, learned.c) ---- */

typedef struct {                /* how it went, for the record */
    int64_t nodes, steps, done, kept;   /* rounds: in all, made, and the one that was kept */
    double  loss, probe;                /* probe: percent, -1: not asked */
    int64_t skipped;
    bool    late, failed;               /* time was up; ten gradients in a row were not finite */
    bn_like like;
    bool    is_like;                    /* its shape is that of the dataset */
    int     bits;                       /* of a feature: 4, 8 or 32 */
    bool    cut;                        /* rows were cut until they fitted */
    bool    limited;                    /* the budget holds more than BN_MOST_PAIRED nodes */
} bn_learn_report;

bonsai_status bn_learn(bonsai_graph **out, bn_learn_report *card, const bn_learner *how,
                       const bn_job *job, const bn_budget *budget);
const char *bn_like_name(bn_like like);         /* "Cora", ... */

/* ---- rows among the methods, whose `how` is a bn_learner (learn.c, workload.c) ---- */

bn_run_fn bn_run_learned;
double bn_learn_bytes(const bn_needs *q);
double bn_learn_operations(const bn_needs *q);

#endif
