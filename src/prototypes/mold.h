/* mold.h -- rows in the coordinates of a basis, where prototypes are made and judged; see mold.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_MOLD_H
#define BN_MOLD_H

#include "basis.h"
#include "teachers.h"

typedef struct {                /* a basis, and all rows in its coordinates */
    int      views;             /* BN_BASIS_...: what it was asked for, ... */
    int64_t  asked;             /* ... and columns */
    bn_basis basis, bare;       /* bare: without the first direction, the mean row */
    bn_embedding row[BN_VIEWS], mixed;  /* own rows; their mean, without the first coordinate ... */
    bn_sharded   view[BN_VIEWS], near;  /* ... and of all ranks */
    bn_source s;                /* as the source that it was made of, in coordinates */
    bn_teachers teachers;       /* of coordinates without the first */
    bn_views  judge;
    bn_probe *probe;            /* NULL: not needed yet, or there is nothing to judge on */
} bn_mold;

/* Makes a basis and all rows in its coordinates.  Collective. */
bonsai_status bn_mold_make(bn_mold *out, const bn_guide *g, const bn_source *s, int views,
                           int64_t columns, const bn_job *job, const bn_place *at);
void bn_mold_free(bn_mold *m);
/* Makes the rows of a source in the coordinates of the bare basis of m, with nothing to judge
 * on. */
bonsai_status bn_mold_bare(bn_mold *out, const bn_mold *m, const bn_source *s, const bn_place *at);
/* Makes the probe of the judged rows in coordinates, once. */
bonsai_status bn_mold_probe(bn_mold *m, const bn_job *job);
/* Scores the mold's probe fitted on the source's rows themselves.  Collective. */
bonsai_status bn_mold_full(double *percent, bn_mold *m, const bn_job *job);

typedef struct bn_shares {      /* prototypes as shares of the directions */
    int8_t *number;             /* rows x r */
    float  *scale;              /* rows */
    int64_t rows, r;
} bn_shares;

/* Turns rows at right angles (m) into shares; of a bare basis, which has a direction less
 * than m has columns, without the first. */
bonsai_status bn_shares_make(bn_shares *out, const bn_embedding *m, const bn_basis *b);
void bn_shares_free(bn_shares *s);
/* Stores the features of g, which has none yet: a basis and shares, and what they stand for. */
bonsai_status bn_shares_store(bonsai_graph *g, const bn_shares *s, const bn_basis *b, int threads);
/* Stores shares as features, one for each direction from the first one asked for on; with a
 * basis in its coordinates at right angles, which a mold is judged in. */
bonsai_status bn_shares_compact(bonsai_graph *g, const bn_shares *s, const bn_basis *b,
                                int64_t first);

#endif
