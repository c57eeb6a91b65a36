/* cellfacts.c -- the table of the facts that cells hold, to fill, add and divide them.
 *
 * SPDX-License-Identifier: MIT */
#include "cellfacts.h"

typedef struct {
    bn_fact_id id;
    size_t     at;              /* of the member of bonsai_cell */
    bool       whole;           /* int64_t, else double */
} row;

#define WHOLE(member, id) {BN_FACT_##id, offsetof(bonsai_cell, member), true}
#define REAL(member, id) {BN_FACT_##id, offsetof(bonsai_cell, member), false}
static const row rows[] = {
    WHOLE(nodes, NODES), WHOLE(edges, EDGES), WHOLE(labelled, LABELLED), WHOLE(features, FEATURES),
    WHOLE(whole_trees, WHOLE_TREES), WHOLE(learn_rounds, LEARN_ROUNDS),
    WHOLE(learn_made, LEARN_MADE), REAL(strict_bytes, BYTES), REAL(strict_share, RATIO),
    REAL(seconds_condense, SECONDS_TOTAL), REAL(seconds_wl, SECONDS_WL),
    REAL(seconds_knn, SECONDS_KNN), REAL(seconds_cover, SECONDS_COVER),
    REAL(seconds_sparsify, SECONDS_SPARSIFY),
};
enum { ROWS = sizeof rows / sizeof *rows };

static int64_t *whole_at(bonsai_cell *c, const row *r)
{
    return (int64_t *)(void *)((char *)c + r->at);
}

static double *real_at(bonsai_cell *c, const row *r)
{
    return (double *)(void *)((char *)c + r->at);
}

void bn_cell_fill(bonsai_cell *c, const bonsai_condense_info *i)
{
    for (const row *r = rows; r < rows + ROWS; r++)
        if (r->whole)
            *whole_at(c, r) = bn_fact_whole(i, r->id);
        else
            *real_at(c, r) = bn_fact(i, r->id);
}

void bn_cell_add(bonsai_cell *to, const bonsai_cell *c)
{
    bonsai_cell more = *c;
    for (const row *r = rows; r < rows + ROWS; r++)
        if (!r->whole)
            *real_at(to, r) += *real_at(&more, r);
        else if (*whole_at(to, r) < 0 || *whole_at(&more, r) < 0)
            *whole_at(to, r) = -1;
        else
            *whole_at(to, r) += *whole_at(&more, r);
}

void bn_cell_divide(bonsai_cell *to, int64_t cells)
{
    for (const row *r = rows; r < rows + ROWS; r++)
        if (!r->whole)
            *real_at(to, r) /= (double)cells;
        else if (*whole_at(to, r) >= 0)
            *whole_at(to, r) = (*whole_at(to, r) + cells / 2) / cells;
}
