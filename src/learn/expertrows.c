/* expertrows.c -- what experts read of the full graph.
 *
 * The scores of training nodes alone are asked for: of GCN's first layer only the nodes that reach
 * one in a step are made, from rows that are averaged once.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "experts.h"

enum { SPARSE_SHARE = 4 };      /* sparse, if fewer than one in so many entries is not 0 */

/* ---- sparse matrices of small parts ---- */

typedef struct {                /* the arrays of a bn_input */
    int64_t *offsets, *t_offsets;
    int32_t *index, *t_index;
    float   *value, *t_value;
} sparse;

static bonsai_status sparse_new(sparse *m, int64_t rows, int64_t cols, int64_t entries, void **owned)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&m->offsets, rows + 1));
    owned[0] = m->offsets;
    BN_TRY(BN_NEW(&m->index, entries));
    owned[1] = m->index;
    BN_TRY(BN_NEW(&m->value, entries));
    owned[2] = m->value;
    BN_TRY(BN_NEW(&m->t_offsets, cols + 1));
    owned[3] = m->t_offsets;
    BN_TRY(BN_NEW(&m->t_index, entries));
    owned[4] = m->t_index;
    BN_TRY(BN_NEW(&m->t_value, entries));
    owned[5] = m->t_value;
done:
    return rc;
}

/* The transpose, whose offsets are 0 before. */
static void transpose(sparse *m, int64_t rows, int64_t cols)
{
    int64_t *at = m->t_offsets;
    for (int64_t e = 0; e < m->offsets[rows]; e++)
        at[m->index[e] + 1]++;
    for (int64_t j = 0; j < cols; j++)
        at[j + 1] += at[j];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
            const int64_t to = at[m->index[e]]++;
            m->t_index[to] = (int32_t)i;
            m->t_value[to] = m->value[e];
        }
    for (int64_t j = cols; j > 0; j--)          /* each has become that of the next */
        at[j] = at[j - 1];
    at[0] = 0;
}

static bn_input input_of(const sparse *m, int64_t rows, int64_t cols)
{
    return (bn_input){.rows = rows, .cols = cols, .offsets = m->offsets, .index = m->index,
                      .value = m->value, .t_offsets = m->t_offsets, .t_index = m->t_index,
                      .t_value = m->t_value};
}

/* ---- averaged rows ---- */

static int64_t count_entries(const float *x, int64_t count)
{
    int64_t entries = 0;
    for (int64_t i = 0; i < count; i++)
        entries += x[i] != 0;
    return entries;
}

static bonsai_status make_sparse(bn_input *out, const float *x, int64_t rows, int64_t cols,
                                 void **owned)
{
    bonsai_status rc;
    sparse m;
    int64_t at = 0;
    BN_TRY(sparse_new(&m, rows, cols, count_entries(x, rows * cols), owned));
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++)
            if (x[i * cols + j] != 0) {
                m.index[at] = (int32_t)j;
                m.value[at++] = x[i * cols + j];
            }
        m.offsets[i + 1] = at;
    }
    transpose(&m, rows, cols);
    *out = input_of(&m, rows, cols);
done:
    return rc;
}

static bonsai_status average(bn_expert_rows *r, const bn_lesson *s, const int32_t *node, int hops)
{
    bonsai_status rc;
    float *x = NULL;
    BN_TRY(BN_NEW(&x, r->rows * s->f));
    BN_TRY(bn_lesson_rows(x, s, node, r->rows, hops));
    if (count_entries(x, r->rows * s->f) < r->rows * s->f / SPARSE_SHARE) {
        BN_TRY(make_sparse(&r->x, x, r->rows, s->f, r->owned));
        goto done;
    }
    r->x = (bn_input){.rows = r->rows, .cols = s->f, .dense = x};
    r->owned[0] = x;
    x = NULL;
done:
    bn_free(x);
    return rc;
}

/* ---- who reaches a training node ---- */

typedef struct {
    const bn_side *side;
    int32_t *row;               /* of a node; -1: none yet */
    int32_t *node;              /* of a row */
    int64_t  rows, entries;
} reach;

static void add_row(reach *a, int32_t node)
{
    if (a->row[node] >= 0)
        return;
    a->row[node] = (int32_t)a->rows;
    a->node[a->rows++] = node;
}

static void find_rows(reach *a, const bn_lesson *s)
{
    for (int64_t v = 0; v < a->side->n; v++)
        a->row[v] = -1;
    for (int64_t t = 0; t < s->job->trees; t++) {
        const int32_t i = s->job->train[t];
        const int64_t first = bn_int_at(&a->side->offsets, i);
        const int64_t end = bn_int_at(&a->side->offsets, i + 1);
        add_row(a, i);
        for (int64_t e = first; e < end; e++)
            add_row(a, a->side->ids[e]);
        a->entries += end - first + 1;
    }
}

/* The row of training node t in the operator; returns where the next begins. */
static int64_t fill_row(sparse *m, const reach *a, int32_t i, int64_t at)
{
    const bn_side *d = a->side;
    const float left = d->left ? d->left[i] : 1;
    const int64_t end = bn_int_at(&d->offsets, i + 1);
    m->index[at] = a->row[i];
    m->value[at++] = d->own ? left * d->own[i] * (d->right ? d->right[i] : 1) : 0;
    for (int64_t e = bn_int_at(&d->offsets, i); e < end; e++) {
        const int32_t j = d->ids[e];
        m->index[at] = a->row[j];
        m->value[at++] = left * (d->right ? d->right[j] : 1) * (d->weights ? d->weights[e] : 1);
    }
    return at;
}

static bonsai_status fill_operator(bn_expert_rows *r, const bn_lesson *s, const reach *a)
{
    bonsai_status rc;
    sparse m;
    const int64_t trees = s->job->trees;
    BN_TRY(sparse_new(&m, trees, a->rows, a->entries, r->owned + 6));
    for (int64_t t = 0; t < trees; t++)
        m.offsets[t + 1] = fill_row(&m, a, s->job->train[t], m.offsets[t]);
    transpose(&m, trees, a->rows);
    r->to = input_of(&m, trees, a->rows);
    for (int64_t t = 0; t < trees; t++)
        r->own[t] = a->row[s->job->train[t]];
done:
    return rc;
}

static bonsai_status make_reached(bn_expert_rows *r, const bn_lesson *s)
{
    bonsai_status rc;
    bn_messages m = {0};
    reach a = {.side = &m.to};
    const int64_t n = s->job->g->view.nodes;
    BN_TRY(bn_messages_make(&m, s->job->g, BN_NORM_BOTH, false, s->threads));
    BN_TRY(BN_NEW(&a.row, n));
    BN_TRY(BN_NEW(&a.node, n));
    find_rows(&a, s);
    r->rows = a.rows;
    BN_TRY(BN_NEW(&r->own, s->job->trees));
    r->owned[12] = r->own;
    BN_TRY(fill_operator(r, s, &a));
    BN_TRY(average(r, s, a.node, 1));
done:
    bn_messages_free(&m);
    bn_free(a.row);
    bn_free(a.node);
    return rc;
}

bonsai_status bn_expert_rows_make(bn_expert_rows *r, const bn_lesson *s, bn_student_form form)
{
    bonsai_status rc;
    memset(r, 0, sizeof *r);
    if (form == BN_STUDENT_GCN)
        return make_reached(r, s);
    r->rows = s->job->trees;
    BN_TRY(BN_NEW(&r->ones, r->rows));
    r->owned[12] = r->ones;
    BN_TRY(bn_lesson_ones(r->ones, s, s->job->train, r->rows, 2));
    BN_TRY(average(r, s, s->job->train, 2));
done:
    return rc;
}

void bn_expert_rows_free(bn_expert_rows *r)
{
    for (size_t i = 0; i < sizeof r->owned / sizeof *r->owned; i++)
        bn_free(r->owned[i]);
    memset(r, 0, sizeof *r);
}
