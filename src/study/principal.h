/* principal.h -- two directions of embeddings: those in which they differ most (principal.c), and
 * those that separate their classes (discriminant.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PRINCIPAL_H
#define BN_PRINCIPAL_H

#include "embed/embed.h"

typedef struct {
    int64_t f;
    double *mean;               /* f: of the rows */
    double *direction;          /* f x 2: of length 1, or 0 where nothing differs */
    double  origin[2];          /* the mean along them */
    double  share[2];           /* of the variance, or of what separates the classes; 0: none */
    double *block;              /* f x BN_BLOCK: more directions of large variance, at
                                 * right angles, the first two among them; NULL: not kept */
} bn_principal;

/* Finds the directions of the given rows of e (at least one).  The same bits for any number of
 * threads, and for dense and sparse rows. */
bonsai_status bn_principal_find(bn_principal *out, const bn_embedding *e, const int64_t *rows,
                                int64_t count, int threads, bn_progress p);
void bn_principal_free(bn_principal *d);
/* Projects row r of e, less the mean, on the directions. */
void bn_principal_project(double at[2], const bn_principal *d, const bn_embedding *e, int64_t r);
/* Sets the origin and the signs: a direction and its opposite are equally good, so the largest
 * number of each becomes positive. */
void bn_principal_orient(bn_principal *d);

typedef struct {                /* rows of an embedding, and the class of each */
    const bn_embedding *e;
    const int64_t *rows;
    const int32_t *label;       /* below classes, one for each of rows */
    int64_t count, classes;
} bn_labelled;

/* Finds the two directions that separate the classes best, of those that the classes' means and
 * the principal directions span.  Their share is 0 if all rows are of one class. */
bonsai_status bn_discriminant_find(bn_principal *out, const bn_principal *widest,
                                   const bn_labelled *l, int threads);

/* ---- rows ---- */

typedef struct { const int32_t *index; const float *value; int64_t count; } bn_entries;

static inline bn_entries bn_row_of(const bn_embedding *e, int64_t r)
{
    if (e->dense)
        return (bn_entries){NULL, e->dense + r * e->f, e->f};
    int64_t at = e->offsets[r];
    return (bn_entries){e->index + at, e->value + at, e->offsets[r + 1] - at};
}

static inline int64_t bn_column(const bn_entries *x, int64_t i)
{
    return x->index ? x->index[i] : i;
}

#endif
