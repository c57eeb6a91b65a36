/* search.h -- candidates under a budget, and the best of them; see search.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SEARCH_H
#define BN_SEARCH_H

#include "finals.h"
#include "mold.h"

enum { BN_SEARCH_MADE = 256, BN_SEARCH_TRIED = 256, BN_SEARCH_STEPS = 1000, BN_SEARCH_MOLDS = 5 };

/* Eight or four bits to a number; entries of a row's own, or in columns that all rows share. */
enum { BN_FORM_BYTES, BN_FORM_SQUARE_COLUMNS, BN_FORM_BYTE_COLUMNS, BN_FORM_SQUARES, BN_FORMS };

typedef struct {                /* a candidate in few words */
    int64_t nodes;              /* clusters asked for */
    int     kind, form;
    bool    soft;
    int     views;              /* of a basis, BN_BASIS_...; 0: rows are stored one by one */
    int64_t columns;            /* that the basis may have */
    bool    bare;               /* a basis without the mean row */
} bn_trial;

typedef struct {
    bn_trial t;
    bn_storage storage;
    bn_clusters *c;             /* borrowed */
    bn_centres m;
    bn_keep keep;
    bn_mold *mold;              /* borrowed; NULL: there is no basis */
    bn_shares shares;
    float  *taught;             /* labels of its rows by a teacher; NULL: there is no teacher */
    bool    fits;
    double  percent;            /* below 0: not known */
} bn_candidate;

typedef struct {                /* the best candidate of a family: the same rows, the same basis */
    bn_trial t;
    double   percent;           /* of the probe, for candidates of one family; below 0: not known */
    double   score;             /* of trained networks; without them the probe's percent */
    bonsai_graph *g;            /* its small graph, in shares of the basis' directions or in
                                 * coordinates, ... */
    bn_basis basis;             /* ... which networks are trained on; r 0: there is none */
} bn_finalist;

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
    bn_teachers teachers;       /* of rows that are stored one by one */
    bn_guide guide;             /* live NULL: not made yet */
    int     steps[BN_GUIDES];   /* that the last guide took, ... */
    bool    settled;            /* ... and the next one takes: it fits judged rows too */
    bn_mold mold[BN_SEARCH_MOLDS];      /* of the best and of other trials; views 0: none */
    struct { bn_trial t; double percent; } tried[BN_SEARCH_TRIED];
    int     count;
    bn_candidate best;          /* of the family that is searched; c NULL: none yet */
    bn_finalist final[BN_FINALS_MOST];  /* the best of each family */
    int     finals;
    double  trained;            /* the score of networks trained on the best; below 0: none */
    bn_place at;                /* for inner stages: says again what was said last */
    int64_t said;
} bn_search;

/* Finds the best candidate of the source and stores it in w->best, empty if none fits.
 * Collective, like all functions below. */
bonsai_status bn_search_all(bn_search *w);
/* Makes one candidate, whether it fits or not; weights: of nodes, where they differ. */
bonsai_status bn_search_make(bn_candidate *a, bn_search *w, const bn_trial *t, bool weights);
bonsai_status bn_search_score(bn_candidate *a, bn_search *w);
/* Scores a candidate, once, and keeps it if it is the best; *percent (or NULL): below 0 if it
 * does not fit. */
bonsai_status bn_search_try(double *percent, bn_search *w, bn_trial t);
bool bn_trial_same(const bn_trial *a, const bn_trial *b);
/* Returns whether this many pairs of nodes may be tried. */
bool bn_search_may_pair(const bn_search *w, int64_t nodes);
/* Enters the best candidate, if there is one, among the finalists, and begins with the next family.
 * (choose.c) */
bonsai_status bn_search_enter(bn_search *w);
/* Makes the finalist that trained networks do best on the best candidate, or the one that the probe
 * prefers where none are trained, and drops the others.  (choose.c) */
bonsai_status bn_search_choose(bn_search *w);
void bn_search_drop_finals(bn_search *w);
/* Return whether rows may have a basis; make the guide that bases come from, once. (search.c,
 * molds.c) */
bool bn_search_may_guide(const bn_search *w);
bonsai_status bn_search_guide(bn_search *w);
/* Fills *columns with the columns of a basis that fit beside the trial's prototypes; below 0:
 * not even those fit.  (molds.c) */
bonsai_status bn_search_columns(int64_t *columns, bn_search *w, const bn_trial *t);
/* Enter a candidate of each basis among the finalists, and variants of the best one.
 * (molds.c) */
bonsai_status bn_search_molds(bn_search *w);
bonsai_status bn_search_variants(bn_search *w, const bn_trial *best);
bool bn_search_bare(const bn_search *w);
/* Returns whether rows that are stored one by one have teachers; known once one of them was
 * labelled. */
bool bn_search_may_teach(const bn_search *w);
/* Finds a basis and the rows in its coordinates; frees others, except those of the best.
 * (molds.c) */
bonsai_status bn_search_mold(bn_mold **out, bn_search *w, int views, int64_t columns);
/* Makes the small graph of a candidate, without origins. */
bonsai_status bn_search_build(bonsai_graph **out, const bn_candidate *a, const bn_search *w);
/* Makes the small graph with a feature for each direction of its basis: a share of it or, as the
 * options ask, a coordinate. */
bonsai_status bn_search_shares(bonsai_graph **out, const bn_candidate *a, const bn_search *w);
bn_storage bn_search_storage(const bn_search *w, const bn_trial *t);
/* Return the least and the most clusters that are possible. */
int64_t bn_search_least(const bn_search *w);
int64_t bn_search_most(const bn_search *w);
/* Report progress: one more candidate; `done` of BN_SEARCH_STEPS. */
bonsai_status bn_search_step(bn_search *w);
bonsai_status bn_search_say(bn_search *w, int64_t done);
void bn_candidate_free(bn_candidate *a);
void bn_search_forget(bn_search *w);            /* frees what was made */

#endif
