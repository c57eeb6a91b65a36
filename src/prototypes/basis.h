/* basis.h -- directions along which classes differ, in few bits; see guide.c and basis.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_BASIS_H
#define BN_BASIS_H

#include "candidate.h"
#include "embed/embed.h"
#include "fit.h"

/* The views that directions are looked for in: a node's own row, and what it is averaged over. */
enum { BN_GUIDE_OWN, BN_GUIDE_FAR, BN_GUIDES };
enum { BN_BASIS_OWN = 1 << BN_GUIDE_OWN, BN_BASIS_FAR = 1 << BN_GUIDE_FAR };
enum { BN_BASIS_CLASSES = 256 };        /* more have no basis: it would be as large as all rows */

typedef struct {                /* a linear classifier of each view, on all columns (guide.c) */
    struct bn_guide_rows *rows; /* what chains are made of */
    bn_chain chain[BN_GUIDES];  /* what is fitted; count 0: another rank does that */
    int32_t *label[BN_GUIDES];
    const bn_embedding *judged[BN_GUIDES];      /* borrowed, as their labels */
    const int32_t *judged_label;
    int64_t  f, classes;
    int32_t *live;              /* classes that have a row, ascending */
    int64_t  lives;
    int      steps[BN_GUIDES];  /* of conjugate gradients, ... */
    int64_t  right[BN_GUIDES];  /* ... and judged nodes classified correctly; below 0: not known */
    float   *mean[BN_GUIDES];   /* f: of the rows */
    double  *variance[BN_GUIDES];       /* f: about */
    double   filled[BN_GUIDES]; /* the share of entries that are not zero, about */
    float   *w[BN_GUIDES];      /* f x classes */
    float   *constant;          /* classes: added to the scores of averaged rows */
    double  *rate[BN_GUIDES];   /* f: the share of a column in what tells classes apart */
    bn_progress progress;
    int      threads;
} bn_guide;

/* Fits both classifiers on rows of the source.  Each takes the number of steps that classifies
 * most of the job's judged nodes correctly or, unless `steps` is NULL, the number given there.
 * Borrows the judged rows.  Collective, like all functions below. */
bonsai_status bn_guide_make(bn_guide *out, const bn_source *s, const bn_job *job, const int *steps,
                            const bn_place *at);
void bn_guide_free(bn_guide *g);
/* Fits one classifier again on some columns: w (columns x classes). */
bonsai_status bn_guide_refit(float *w, const bn_guide *g, int view, const int32_t *column,
                             int64_t columns, const bn_place *at);

typedef struct bn_basis {
    int64_t  f, r;              /* features; directions */
    int32_t *column;            /* ascending, columns of them; NULL: all f */
    int64_t  columns;
    int8_t  *number;            /* r x columns: signed squares up to 49, times ... */
    float   *scale;             /* ... r: the scale of a direction */
    double  *factor;            /* r x r, lower: times its transpose it is the products of the
                                 * directions with each other */
    bn_scorer project;          /* rows to coordinates at right angles */
} bn_basis;

/* Makes directions of some views in at most `columns` columns, those with the highest rates. */
bonsai_status bn_basis_make(bn_basis *out, const bn_guide *g, int views, int64_t columns,
                            const bn_place *at);
/* Reads the basis of a graph that has one. */
bonsai_status bn_basis_of(bn_basis *out, const bonsai_graph *g);
/* Copies the directions from `first` on; projects: rows will be projected on them. */
bonsai_status bn_basis_copy(bn_basis *out, const bn_basis *b, int64_t first, bool projects);
void bn_basis_free(bn_basis *b);
/* Returns how many directions there are at most. */
int64_t bn_basis_most(const bn_guide *g, int views);
/* Projects rows on coordinates at right angles: out gets r columns. */
bonsai_status bn_basis_project(bn_embedding *out, const bn_basis *b, const bn_embedding *x,
                               const bn_place *at);
bonsai_status bn_basis_project_views(bn_views *out, const bn_basis *b, const bn_views *x,
                                     const bn_place *at);
/* Turns coordinates at right angles into shares of the directions (r), in place. */
void bn_basis_shares(double *x, const bn_basis *b);

#endif
