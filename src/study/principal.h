/* principal.h -- the two directions in which embeddings differ most; see principal.c.
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
    double  share[2];           /* of the variance; 0 where there is none */
} bn_principal;

/* Of the given rows of e (at least one).  The same bits for any number of threads, and for dense
 * and sparse rows. */
bonsai_status bn_principal_find(bn_principal *out, const bn_embedding *e, const int64_t *rows,
                                int64_t count, int threads, bn_progress p);
void bn_principal_free(bn_principal *d);
/* Where row r of e lies, less the mean. */
void bn_principal_project(double at[2], const bn_principal *d, const bn_embedding *e, int64_t r);

#endif
