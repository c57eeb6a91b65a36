/* operand.c -- a graph made ready for a model: its messages, and its features as layers read them.
 *
 * Sparse features stay sparse: a product then costs as much as they have non-zeros, and its
 * gradient reads the transpose, which is made here once.  With many non-zeros BLAS on dense
 * rows is faster.  Dense features are summed over the neighbours once for all epochs.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "nn.h"

enum { DENSE_SHARE = 5 };       /* dense if at least 1 / DENSE_SHARE of the numbers are not zero */

enum { CHOSEN, DENSE, OFFSETS, INDEX, VALUE, T_OFFSETS, T_INDEX, T_VALUE, PASSED };

void bn_operand_free(bn_operand *o)
{
    bn_messages_free(&o->m);
    bonsai_graph_free(o->owned[CHOSEN]);
    for (int i = DENSE; i <= PASSED; i++)
        bn_free(o->owned[i]);
    memset(o, 0, sizeof *o);
}

/* ---- dense ---- */

static bonsai_status read_dense(bn_operand *o, const bn_columns *c, int threads)
{
    bonsai_status rc;
    int64_t n = o->g->view.nodes, f = o->g->view.features, count;
    float *x = NULL;
    if (!bn_mul(&count, n, f))
        return bn_fail_at(BONSAI_E_MEMORY, o->g->where, "%lld rows of %lld features are too many "
                          "to hold", (long long)n, (long long)f);
    BN_TRY(BN_NEW(&x, count));
    o->owned[DENSE] = x;
#pragma omp parallel for num_threads(bn_team(threads, 2.0 * (double)count)) schedule(static)
    for (int64_t v = 0; v < n; v++) {
        bn_row_whole(x + v * f, o->g, v);
        for (int64_t j = 0; c->mean && j < f; j++)
            x[v * f + j] = bn_standardised(x[v * f + j], c->mean[j], c->spread[j]);
    }
    o->x.dense = x;
done:
    return rc;
}

/* ---- sparse ---- */

static bonsai_status read_sparse(bn_operand *o, int threads)
{
    bonsai_status rc;
    const bonsai_view *v = &o->g->view;
    const bn_csr csr = bn_features_csr(o->g);
    const bonsai_array *offsets = &csr.offsets;
    int64_t nnz = csr.indices.count, *to = NULL;
    int32_t *index = NULL;
    float *value = NULL;
    BN_TRY(BN_NEW(&to, v->nodes + 1));
    o->owned[OFFSETS] = to;
    BN_TRY(BN_NEW(&index, nnz));
    o->owned[INDEX] = index;
    if (csr.values.data) {
        BN_TRY(BN_NEW(&value, nnz));
        o->owned[VALUE] = value;
    }
#pragma omp parallel for num_threads(bn_team(threads, 8.0 * (double)nnz)) schedule(static)
    for (int64_t r = 0; r < v->nodes; r++) {
        to[r + 1] = bn_int_at(offsets, r + 1);
        for (int64_t e = bn_int_at(offsets, r); e < to[r + 1]; e++) {
            index[e] = (int32_t)bn_int_at(&csr.indices, e);
            if (value)
                value[e] = bn_csr_value(&csr, r, e);
        }
    }
    o->x.offsets = to;
    o->x.index = index;
    o->x.value = value;
done:
    return rc;
}

static bonsai_status transpose_sparse(bn_operand *o)
{
    bn_matrix t;
    const bn_matrix x = {.rows = o->x.rows, .cols = o->x.cols, .offsets = o->owned[OFFSETS],
                         .index = o->owned[INDEX], .value = o->owned[VALUE]};
    bonsai_status rc = bn_matrix_transpose(&t, &x);
    o->owned[T_OFFSETS] = t.offsets;
    o->owned[T_INDEX] = t.index;
    o->owned[T_VALUE] = t.value;
    o->x.t_offsets = t.offsets;
    o->x.t_index = t.index;
    o->x.t_value = t.value;
    return rc;
}

/* ---- both ---- */

static bool fits(int64_t rows, int64_t cols, int64_t room)
{
    int64_t bytes;
    return bn_mul(&bytes, rows, cols) && bn_mul(&bytes, bytes, (int64_t)sizeof(real)) &&
           bytes <= room;
}

static bonsai_status read_features(bn_operand *o, const bn_columns *c, int64_t room, int threads)
{
    const bonsai_view *v = &o->g->view;
    const bonsai_array *x = &v->section[BONSAI_SECTION_FEATURES];
    o->x.rows = v->nodes;
    o->x.cols = v->features;
    if (x->data && x->type == BONSAI_TYPE_F32 && !c->mean) {
        o->x.dense = x->data;
        return BONSAI_OK;
    }
    int64_t nnz = v->section[BONSAI_SECTION_FEATURE_INDICES].count;
    double share = (double)nnz / ((double)v->nodes * (double)v->features);
    if (x->data || c->mean || (share * DENSE_SHARE > 1 && fits(v->nodes, v->features, room)))
        return read_dense(o, c, threads);
    return read_sparse(o, threads);
}

static bonsai_status pass_once(bn_operand *o, int threads)
{
    float *sum = NULL;
    bonsai_status rc = BN_NEW(&sum, o->x.rows * o->x.cols);
    o->owned[PASSED] = sum;
    if (rc != BONSAI_OK)
        return rc;
    bn_pass(sum, &o->m.to, &o->x, (bn_span){0, o->x.rows, threads});
    o->passed = (bn_input){.rows = o->x.rows, .cols = o->x.cols, .dense = sum};
    return rc;
}

bonsai_status bn_operand_make(bn_operand *out, const bonsai_graph *g, const bn_dims *d,
                              const bn_columns *c, bn_purpose p)
{
    static const bn_columns all;
    bonsai_status rc;
    bn_operand o = {.g = g};
    bonsai_graph *chosen = NULL;
    bn_norm norm = bn_dims_norm(d);
    int threads = bn_threads(p.threads);
    c = c ? c : &all;
    if (c->kept) {
        BN_TRY(bn_graph_columns(&chosen, g, c->kept, c->count));
        o.owned[CHOSEN] = chosen;
        o.g = chosen;
    }
    BN_TRY(read_features(&o, c, p.room, threads));
    if (!o.x.dense && p.gradients)
        BN_TRY(transpose_sparse(&o));
    BN_TRY(bn_messages_make(&o.m, o.g, norm, p.gradients, threads));
    if (o.x.dense && norm != BN_NORM_NONE && fits(o.x.rows, o.x.cols, p.room))
        BN_TRY(pass_once(&o, threads));
    *out = o;
    memset(&o, 0, sizeof o);
done:
    bn_operand_free(&o);
    return rc;
}
