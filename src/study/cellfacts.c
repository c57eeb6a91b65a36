/* cellfacts.c -- the table of the numbers of a cell, in the order in which files hold them.
 *
 * A new number is a member of bonsai_cell and a row here.  The facts of small graphs among them
 * are filled, added and averaged by this table.
 *
 * SPDX-License-Identifier: MIT */
#include "study.h"

#include <math.h>

typedef struct {
    bonsai_cell_row row;        /* what everyone may see */
    bool       is_fact;         /* of the small graph, with this id */
    bn_fact_id id;
} number;

#define AT(name, kind) {sizeof(bonsai_cell_row), #name, offsetof(bonsai_cell, name), BONSAI_CELL_##kind, 0, 0}
#define DETAIL(name, kind, without)                                                                \
    {sizeof(bonsai_cell_row), #name, offsetof(bonsai_cell, name), BONSAI_CELL_##kind, 1, without}
#define OF(id) true, BN_FACT_##id
static const number numbers[] = {
    {AT(bytes, BYTES), false, 0}, {AT(share, REAL), false, 0},
    {AT(nodes, WHOLE), OF(NODES)}, {AT(edges, WHOLE), OF(EDGES)},
    {AT(labelled, WHOLE), OF(LABELLED)}, {AT(seconds_condense, REAL), OF(SECONDS_TOTAL)},
    {AT(seconds_train, REAL), false, 0}, {AT(seconds_eval, REAL), false, 0},
    {DETAIL(strict_bytes, BYTES, 0), OF(BYTES)}, {DETAIL(strict_share, REAL, 0), OF(RATIO)},
    {DETAIL(features, WHOLE, 0), OF(FEATURES)}, {DETAIL(whole_trees, WHOLE, -1), OF(WHOLE_TREES)},
    {DETAIL(seconds_wl, REAL, 0), OF(SECONDS_WL)}, {DETAIL(seconds_knn, REAL, 0), OF(SECONDS_KNN)},
    {DETAIL(seconds_cover, REAL, 0), OF(SECONDS_COVER)},
    {DETAIL(seconds_sparsify, REAL, 0), OF(SECONDS_SPARSIFY)},
    {DETAIL(pairs, WHOLE, 0), false, 0}, {DETAIL(nearest, REAL, 0), false, 0},
    {DETAIL(correlation, REAL, NAN), false, 0}, {DETAIL(threshold, REAL, NAN), false, 0},
    {DETAIL(chance, REAL, NAN), false, 0},
    {DETAIL(learn_rounds, WHOLE, 0), OF(LEARN_ROUNDS)},
    {DETAIL(learn_made, WHOLE, 0), OF(LEARN_MADE)},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

const bonsai_cell_row *bonsai_cell_row_at(int i)
{
    return i >= 0 && i < NUMBERS ? &numbers[i].row : NULL;
}

static bool is_whole(const number *n)
{
    return n->row.type == BONSAI_CELL_WHOLE;
}

static int64_t *whole_at(bonsai_cell *c, const number *n)
{
    return (int64_t *)(void *)((char *)c + n->row.offset);
}

static double *real_at(bonsai_cell *c, const number *n)
{
    return (double *)(void *)((char *)c + n->row.offset);
}

/* Returns the first fact of a small graph from n on, or NULL. */
static const number *fact_from(const number *n)
{
    while (n < numbers + NUMBERS && !n->is_fact)
        n++;
    return n < numbers + NUMBERS ? n : NULL;
}

void bn_cell_fill(bonsai_cell *c, const bonsai_condense_info *i)
{
    for (const number *n = fact_from(numbers); n; n = fact_from(n + 1))
        if (is_whole(n))
            *whole_at(c, n) = bn_fact_whole(i, n->id);
        else
            *real_at(c, n) = bn_fact(i, n->id);
}

void bn_cell_add(bonsai_cell *to, const bonsai_cell *c)
{
    bonsai_cell more = *c;
    for (const number *n = fact_from(numbers); n; n = fact_from(n + 1))
        if (!is_whole(n))
            *real_at(to, n) += *real_at(&more, n);
        else if (*whole_at(to, n) < 0 || *whole_at(&more, n) < 0)
            *whole_at(to, n) = -1;
        else
            *whole_at(to, n) += *whole_at(&more, n);
}

void bn_cell_divide(bonsai_cell *to, int64_t cells)
{
    for (const number *n = fact_from(numbers); n; n = fact_from(n + 1))
        if (!is_whole(n))
            *real_at(to, n) /= (double)cells;
        else if (*whole_at(to, n) >= 0)
            *whole_at(to, n) = (*whole_at(to, n) + cells / 2) / cells;
}
