/* expertrows.c -- the rows of the full graph that experts read.
 *
 * Only the scores of training nodes are needed: GCN's first layer is computed for the nodes within
 * one hop of a training node, from rows that are averaged once.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "experts.h"

enum { SPARSE_SHARE = 4 };      /* sparse, if fewer than one in so many entries is not 0 */

static bn_input input_of(const bn_matrix *m, const bn_matrix *flipped)
{
    return (bn_input){.rows = m->rows, .cols = m->cols, .offsets = m->offsets, .index = m->index,
                      .value = m->value, .t_offsets = flipped->offsets,
                      .t_index = flipped->index, .t_value = flipped->value};
}

/* ---- averaged rows ---- */

static int64_t count_entries(const float *x, int64_t count)
{
    int64_t entries = 0;
    for (int64_t i = 0; i < count; i++)
        entries += x[i] != 0;
    return entries;
}

static bonsai_status make_sparse(bn_matrix *m, const float *x, int64_t rows, int64_t cols)
{
    bonsai_status rc;
    const int64_t entries = count_entries(x, rows * cols);
    int64_t at = 0;
    *m = (bn_matrix){.rows = rows, .cols = cols};
    BN_TRY(BN_NEW(&m->offsets, rows + 1));
    BN_TRY(BN_NEW(&m->index, entries));
    BN_TRY(BN_NEW(&m->value, entries));
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++)
            if (x[i * cols + j] != 0) {
                m->index[at] = (int32_t)j;
                m->value[at++] = x[i * cols + j];
            }
        m->offsets[i + 1] = at;
    }
done:
    return rc;
}

static bonsai_status average(bn_expert_rows *r, const bn_problem *s, const int32_t *node, int hops)
{
    bonsai_status rc;
    float *x = NULL;
    BN_TRY(BN_NEW(&x, r->rows * s->f));
    BN_TRY(bn_problem_rows(x, s, node, r->rows, hops));
    if (count_entries(x, r->rows * s->f) < r->rows * s->f / SPARSE_SHARE) {
        BN_TRY(make_sparse(&r->short_x, x, r->rows, s->f));
        BN_TRY(bn_matrix_transpose(&r->flipped_x, &r->short_x));
        r->x = input_of(&r->short_x, &r->flipped_x);
        goto done;
    }
    r->x = (bn_input){.rows = r->rows, .cols = s->f, .dense = x};
    r->dense_x = x;
    x = NULL;
done:
    bn_free(x);
    return rc;
}

static bonsai_status make_reached(bn_expert_rows *r, const bn_problem *s)
{
    bonsai_status rc;
    BN_TRY(bn_onehop_new(&r->reach, s, s->job->train, s->job->trees));
    BN_TRY(bn_matrix_transpose(&r->flipped_to, &r->reach.to));
    r->to = input_of(&r->reach.to, &r->flipped_to);
    r->rows = r->to.cols;
    BN_TRY(average(r, s, r->reach.node, 1));
done:
    return rc;
}

bonsai_status bn_expert_rows_make(bn_expert_rows *r, const bn_problem *s, bn_student_form form)
{
    bonsai_status rc;
    memset(r, 0, sizeof *r);
    if (form == BN_STUDENT_GCN)
        return make_reached(r, s);
    r->rows = s->job->trees;
    BN_TRY(BN_NEW(&r->ones, r->rows));
    BN_TRY(bn_problem_ones(r->ones, s, s->job->train, r->rows, 2));
    BN_TRY(average(r, s, s->job->train, 2));
done:
    return rc;
}

void bn_expert_rows_free(bn_expert_rows *r)
{
    bn_onehop_free(&r->reach);
    bn_matrix_free(&r->flipped_to);
    bn_matrix_free(&r->short_x);
    bn_matrix_free(&r->flipped_x);
    bn_free(r->dense_x);
    bn_free(r->ones);
    memset(r, 0, sizeof *r);
}
