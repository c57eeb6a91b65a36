/* message.c -- messages between nodes: sums over neighbours, forward and backward.
 *
 * The sum of a layer is the graph's adjacency between two diagonals, so nothing of its length is
 * stored: an undirected graph's own arrays are read, and the transpose is the same with the
 * diagonals swapped.  In a directed graph a message travels along the edge, from the row's node to
 * its neighbours, so one transpose is made.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "nn.h"

enum { STRETCH = 256 };         /* entries whose factors are computed together */

/* ---- sums ---- */

/* Computes the factors of entries e .. e+count-1 of row i. */
static void find_factors(real *factor, const bn_side *s, int64_t e, int64_t count, real left)
{
    for (int64_t k = 0; k < count; k++) {
        real w = left;
        if (s->right)
            w *= s->right[s->ids[e + k]];
        if (s->weights)
            w *= s->weights[e + k];
        factor[k] = w;
    }
}

static void add_sparse(real *y, const bn_input *x, const int32_t *id, const real *factor,
                       int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        for (int64_t e = x->offsets[id[k]]; e < x->offsets[id[k] + 1]; e++)
            y[x->index[e]] += (factor ? factor[k] : 1) * (x->value ? x->value[e] : 1);
}

void bn_add_rows(real *y, const bn_input *x, const int32_t *id, const real *factor, int64_t count)
{
    if (x->dense)
        bn_real_combine(y, (bn_cols){x->dense, x->cols, x->cols}, id, factor, count);
    else
        add_sparse(y, x, id, factor, count);
}

static void add_row(real *y, const bn_side *s, const bn_input *x, int32_t i)
{
    real factor[STRETCH], left = s->left ? s->left[i] : 1;
    bool plain = !s->left && !s->right && !s->weights;
    int64_t e = bn_int_at(&s->offsets, i), end = bn_int_at(&s->offsets, i + 1);
    factor[0] = s->own ? left * s->own[i] * (s->right ? s->right[i] : 1) : 0;
    if (s->own)
        bn_add_rows(y, x, &i, factor, 1);
    for (int64_t count; e < end; e += count) {
        count = end - e < STRETCH ? end - e : STRETCH;
        if (!plain)
            find_factors(factor, s, e, count, left);
        bn_add_rows(y, x, s->ids + e, plain ? NULL : factor, count);
    }
}

static double pass_work(const bn_side *s, const bn_input *x, bn_span r)
{
    int64_t from = bn_int_at(&s->offsets, r.first), to = bn_int_at(&s->offsets, r.first + r.count);
    double wide = x->dense ? (double)x->cols : 4 * (double)x->offsets[x->rows] / (double)x->rows;
    return (double)(to - from + r.count) * wide;
}

void bn_pass(real *y, const bn_side *s, const bn_input *x, bn_span r)
{
#pragma omp parallel for num_threads(bn_team(r.threads, pass_work(s, x, r))) schedule(dynamic, 64)
    for (int64_t k = 0; k < r.count; k++) {
        memset(y + k * x->cols, 0, (size_t)x->cols * sizeof *y);
        add_row(y + k * x->cols, s, x, (int32_t)(r.first + k));
    }
}

/* ---- transposes ---- */

enum { OWN, LEFT, RIGHT, T_OFFSETS, T_IDS, T_WEIGHTS, MIRROR };

/* Moves the entries of a side to the rows of their ids. */
static bonsai_status transpose(bn_side *to, bn_messages *m, const bn_side *from)
{
    bn_matrix t;
    const int64_t n = from->n, entries = bn_int_at(&from->offsets, n);
    const bn_csr csr = {n, n, from->offsets, {from->ids, entries, BONSAI_TYPE_U32},
                        {from->weights, entries, BONSAI_TYPE_F32}, NULL};
    bonsai_status rc = bn_csr_transpose(&t, &csr);
    m->owned[T_OFFSETS] = t.offsets;
    m->owned[T_IDS] = t.index;
    m->owned[T_WEIGHTS] = t.value;
    *to = (bn_side){n, {t.offsets, n + 1, BONSAI_TYPE_U64}, t.index, t.value, NULL, NULL, NULL};
    return rc;
}

/* Finds the mirror: rows are sorted, so the entries (i,j) for i = 0, 1, ... fill the rows j of the
 * transpose in order. */
static bonsai_status find_mirror(bn_messages *m)
{
    bonsai_status rc;
    int64_t n = m->to.n, *mirror = NULL, *cursor = NULL;
    BN_TRY(BN_NEW(&mirror, bn_int_at(&m->to.offsets, n)));
    m->owned[MIRROR] = mirror;
    m->mirror = mirror;
    BN_TRY(BN_NEW(&cursor, n));
    for (int64_t j = 0; j < n; j++)
        cursor[j] = bn_int_at(&m->back.offsets, j);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = bn_int_at(&m->to.offsets, i); e < bn_int_at(&m->to.offsets, i + 1); e++)
            mirror[cursor[m->to.ids[e]]++] = e;
done:
    bn_free(cursor);
    return rc;
}

/* ---- the diagonals of each norm ---- */

static bonsai_status diagonal(real **out, bn_messages *m, int slot)
{
    bonsai_status rc = BN_NEW(out, m->to.n);
    m->owned[slot] = *out;
    return rc;
}

/* Scales by D^-1/2 (A + I) D^-1/2.  A node with a self loop keeps it instead of that of I; of
 * several the last counts, as in PyTorch Geometric. */
static bonsai_status scale_both(bn_messages *m, int threads)
{
    bonsai_status rc;
    real *own = NULL, *half = NULL;
    const bn_side *s = &m->to;
    BN_TRY(diagonal(&own, m, OWN));
    BN_TRY(diagonal(&half, m, LEFT));
    const double work = 8.0 * (double)(s->n + bn_int_at(&s->offsets, s->n));
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t i = 0; i < s->n; i++) {
        double degree = 0, loops = 0, last = 1;
        for (int64_t e = bn_int_at(&s->offsets, i); e < bn_int_at(&s->offsets, i + 1); e++) {
            double w = s->weights ? (double)s->weights[e] : 1;
            degree += w;
            if (s->ids[e] == i) {
                loops += w;
                last = w;
            }
        }
        degree += last - loops;
        own[i] = (real)(last - loops);
        half[i] = degree > 0 ? (real)(1 / sqrt(degree)) : 0;
    }
    m->to.own = own;
    m->to.left = m->to.right = half;
    m->back.own = own;
    m->back.left = m->back.right = half;
done:
    return rc;
}

static bonsai_status add_self(bn_messages *m)
{
    real *own = NULL;
    bonsai_status rc = diagonal(&own, m, OWN);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < m->to.n; i++)
        own[i] = 1;
    m->to.own = m->back.own = own;
    return rc;
}

/* Divides by the number of neighbours, or the sum of their weights. */
static bonsai_status scale_mean(bn_messages *m)
{
    real *share = NULL;
    bonsai_status rc = diagonal(&share, m, LEFT);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < m->to.n; i++) {
        const int64_t first = bn_int_at(&m->to.offsets, i), end = bn_int_at(&m->to.offsets, i + 1);
        double sum = m->to.weights ? 0 : (double)(end - first);
        for (int64_t e = first; m->to.weights && e < end; e++)
            sum += (double)m->to.weights[e];
        share[i] = sum > 0 ? (real)1 / (real)sum : 0;
    }
    m->to.left = share;
    m->back.right = share;
    return rc;
}

void bn_messages_free(bn_messages *m)
{
    for (size_t i = 0; i < sizeof m->owned / sizeof *m->owned; i++)
        bn_free(m->owned[i]);
    memset(m, 0, sizeof *m);
}

static bool weighs(bn_norm norm)
{
    return norm == BN_NORM_BOTH || norm == BN_NORM_WEIGHTED_SUM || norm == BN_NORM_WEIGHTED_MEAN;
}

static bonsai_status scale(bn_messages *m, bn_norm norm, bool gradients, int threads)
{
    switch (norm) {
    case BN_NORM_BOTH:
        return scale_both(m, threads);
    case BN_NORM_SUM:
    case BN_NORM_WEIGHTED_SUM:
        return add_self(m);
    case BN_NORM_MEAN:
    case BN_NORM_WEIGHTED_MEAN:
        return scale_mean(m);
    case BN_NORM_NONE:
        break;
    }
    return gradients ? find_mirror(m) : BONSAI_OK;
}

/* Makes the messages; if the weights are an operator, norms that use weights sum with them
 * unchanged. */
bonsai_status bn_messages_make(bn_messages *out, const bonsai_graph *g, bn_norm norm,
                               bool gradients, int threads)
{
    bonsai_status rc;
    const bonsai_array *section = g->view.section;
    bn_side rows = {.n = g->view.nodes, .offsets = section[BONSAI_SECTION_OFFSETS],
                    .ids = bn_neighbors(g)};
    if (weighs(norm))
        rows.weights = section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    bn_messages m = {.to = rows, .back = rows};
    BN_TRY(bn_graph_need(g, BN_SYMMETRY, threads));
    if (g->view.flags & BONSAI_FLAG_DIRECTED)
        BN_TRY(transpose(&m.to, &m, &rows));
    if (!weighs(norm) || !(g->view.flags & BONSAI_FLAG_OPERATOR))
        BN_TRY(scale(&m, norm, gradients, threads));
    *out = m;
    memset(&m, 0, sizeof m);
done:
    bn_messages_free(&m);
    return rc;
}
