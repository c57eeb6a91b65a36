/* search.h -- candidates under a budget, and the best of them; see search.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SEARCH_H
#define BN_SEARCH_H

#include "candidate.h"

enum { BN_SEARCH_MADE = 64, BN_SEARCH_TRIED = 256, BN_SEARCH_STEPS = 1000 };

/* Eight or four bits to a number; entries of a row's own, or in columns that all rows share. */
enum { BN_FORM_BYTES, BN_FORM_SQUARE_COLUMNS, BN_FORM_BYTE_COLUMNS, BN_FORM_SQUARES, BN_FORMS };

typedef struct {                /* a candidate in few words */
    int64_t nodes;              /* clusters asked for */
    int     kind, form;
    bool    soft;
} bn_trial;

typedef struct {
    bn_trial t;
    bn_storage storage;
    bn_clusters *c;             /* borrowed */
    bn_centres m;
    bn_keep keep;
    bool    fits;
    double  percent;            /* below 0: not known */
} bn_candidate;

typedef struct {
    const bn_job *job;
    bn_world *world;
    const bn_source *s;
    bn_budget budget;
    bn_storage storage;         /* of eight bits and full rows */
    bn_recipe *recipe;
    bn_probe *probe;            /* NULL: there is nothing to judge on */
    bn_clusters made[BN_SEARCH_MADE];
    int     clusters;
    struct { bn_trial t; double percent; } tried[BN_SEARCH_TRIED];
    int     count;
    bn_candidate best;          /* c NULL: none yet */
    bn_place at;                /* for inner stages: says again what was said last */
    int64_t said;
} bn_search;

/* Finds the best candidate of the source, w->best; none may fit.  Collective, as all of these. */
bonsai_status bn_search_all(bn_search *w);
/* One candidate, whether it fits or not; weights: of nodes, where they differ. */
bonsai_status bn_search_make(bn_candidate *a, bn_search *w, const bn_trial *t, bool weights);
bonsai_status bn_search_score(bn_candidate *a, bn_search *w);
/* The small graph of it, without origins. */
bonsai_status bn_search_build(bonsai_graph **out, const bn_candidate *a, const bn_search *w);
bn_storage bn_search_storage(const bn_search *w, const bn_trial *t);
/* The least and the most clusters that there may be. */
int64_t bn_search_least(const bn_search *w);
int64_t bn_search_most(const bn_search *w);
/* Tells how much is done, of BN_SEARCH_STEPS. */
bonsai_status bn_search_say(bn_search *w, int64_t done);
void bn_candidate_free(bn_candidate *a);
void bn_search_forget(bn_search *w);            /* frees what was made */

#endif
