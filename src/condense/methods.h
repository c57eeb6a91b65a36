/* methods.h -- the table of methods: what each needs, and how it runs.
 *
 * A new method is a function that picks or makes nodes, a row of BONSAI_METHOD_MAP (bonsai.h), and
 * a row of methods.c, or of lab/lab.c if it serves comparisons only.  No other code names methods:
 * the row says what a method needs and can do.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_METHODS_H
#define BN_METHODS_H

#include "needs.h"
#include "prepare.h"
#include "prototypes/prototypes.h"

enum {
    BN_NEEDS_WL       = 1 << 0, /* the WL embedding of the training nodes */
    BN_NEEDS_COVER    = 1 << 1, /* the same, and reverse k-NN of a sample of them */
    BN_NEEDS_JUDGE    = 1 << 2, /* averaged features, and nodes to judge candidates on: judge.h */
    BN_NEEDS_CLUSTERS = 1 << 3, /* time and memory for clusters and posteriors */
    BN_NEEDS_PAIRS    = 1 << 4, /* time to compare each of its picks with all training nodes */
    BN_EMBEDS         = BN_NEEDS_WL | BN_NEEDS_COVER | BN_NEEDS_JUDGE,
    BN_TAKES_RAW      = 1 << 5, /* its WL embedding may be of features as they are: raw_features */
    BN_TAKES_PROJECT  = 1 << 6, /* its neighbours may be found through a projection: project */
    BN_RUNS_ON_RANKS  = 1 << 7,
    BN_ENTERS_AUTO    = 1 << 8, /* auto tries it */
    BN_TRIES_OTHERS   = 1 << 9, /* it leaves out methods that fail */
    BN_CAN_FOLLOW     = 1 << 10,        /* its graphs can be updated when their graph grows */
    BN_LEARNS         = 1 << 11,        /* descent: its row says how much time and memory */
    BN_REDOES         = 1 << 12,        /* a preparation, memory and a price of its own */
    BN_COMPARES       = BN_NEEDS_COVER | BN_REDOES,     /* time and memory for k-NN */
    BN_BY_CLASS       = 1 << 13,        /* its pairs are of one class */
};

typedef struct {                /* one small graph to make */
    bn_preparation *p;
    bonsai_condense_options o;  /* as given, with its own method and ratio */
    bn_budget budget;
    bool more;                  /* others will follow it */
} bn_request;

/* Returns the request for a ratio, or for the budget of the options if it is 0 (condense.c). */
bn_request bn_request_of(bn_preparation *p, double ratio, bool more);

/* Makes the small graph of a request, with its record.  Collective; the graph may be on rank 0
 * alone, and info is the same everywhere. */
typedef bonsai_status bn_run_fn(bonsai_graph **out, bonsai_condense_info *info,
                                const bn_request *r);

typedef struct {
    unsigned    needs;          /* bits of the above */
    bn_run_fn  *run;
    bn_pick_fn *pick;           /* of bn_run_picked: chooses nodes of the graph */
    bn_make_fn *make;           /* of bn_run_made: makes nodes of its own */
    /* Only methods of lab/ have the others; each may be NULL. */
    const void *how;            /* read by run, bytes and operations */
    bonsai_status (*check)(bonsai_condense_options *o);         /* refuses and fixes options */
    double (*bytes)(const bn_needs *q);                 /* BN_LEARNS, BN_REDOES: memory */
    double (*operations)(const bn_needs *q);            /* BN_LEARNS: of descent, for plans */
    bonsai_status (*prepare)(bn_preparation *p);        /* BN_REDOES: makes p->own, ... */
    void (*forget)(void *own);                          /* ... and frees it */
} bn_method;

/* The methods of lab/ (lab/lab.c); without any in a build that leaves them out (lab/absent.c). */
extern const bn_method bn_lab_methods[BONSAI_METHOD_COUNT];

/* Returns the row of a method, without `run` if the build leaves it out; NULL if m names none. */
const bn_method *bn_method_of(bonsai_method m);
/* Refuses a method that the build leaves out; lets its row refuse and fix options. */
bonsai_status bn_method_check(bonsai_condense_options *o);
/* Refuses a method that needs the whole graph in one place, for several ranks. */
bonsai_status bn_method_on_ranks(bonsai_method m);

/* Make the graph of nodes that the method picks, or of nodes that it makes (make.c). */
bn_run_fn bn_run_picked, bn_run_made;
/* Fill the facts of any small graph, and those of a request. */
bonsai_status bn_fill_plain(bonsai_condense_info *i, const bn_preparation *p,
                            const bonsai_graph *small);
bonsai_status bn_fill_sizes(bonsai_condense_info *i, const bn_request *r,
                            const bonsai_graph *small);
/* Fails if the graph takes more bytes than the budget. */
bonsai_status bn_check_bytes(const bonsai_condense_info *i, const bn_request *r);
/* Returns the bytes of the full graph with features of 4, 8 or all bits. */
double bn_full_in_bits(const bn_request *r, int bits);
/* Sets roles and labels of picked nodes, and fills their facts; writes no record. */
bonsai_status bn_fill_picked(bonsai_graph *small, bonsai_condense_info *info, const bn_request *r,
                             const bn_choice *c);
/* Makes the best graph of the methods that enter auto, by a probe (auto.c).  Methods that compare
 * pairs enter up to BN_MOST_PAIRS numbers: beyond, they take longer than all else. */
enum { BN_MOST_PAIRS = 2000000000 };
bn_run_fn bn_run_auto;
/* An upper bound for methods that pick nodes (fullprobe.c): what the probe gets from as many
 * training nodes as the budget may hold, each with its neighbours in the full graph. */
typedef struct {
    double  percent;            /* of the luckiest draw so far */
    int64_t nodes;              /* 0: too many to try */
    int     draws;
} bn_picked_bound;

/* Continues a bound, which begins as zeros, until it is known or above the bar.  Collective. */
bonsai_status bn_fullprobe_bound(bn_picked_bound *s, const bn_request *r, double bar);
/* Finds what the probe gets from the training nodes of the full graph, or from a sample of
 * BN_MOST_FITTED; *fitted gets their number.  *percent is -1 without nodes to judge on.
 * Collective. */
enum { BN_MOST_FITTED = 8192 };
bonsai_status bn_fullprobe(double *percent, int64_t *fitted, const bn_job *job);
/* Returns the largest number of nodes that the budget may hold. */
double bn_fullprobe_nodes(const bn_request *r);

#endif
