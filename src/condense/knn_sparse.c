/* knn_sparse.c -- proposes neighbours through lists of the trees that have a
 * feature; see knn.c.
 *
 * A sample's products with all trees are added up feature by feature: as many
 * steps as there are pairs of equal features, where dense blocks take z T f.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "knn.h"

/* Products held at a time, and what a step costs in multiplications of a dense block. */
enum { PRODUCTS = 1 << 22, STEP_COST = 48 };

typedef struct {                /* for each feature the trees that have it */
    int64_t *offsets;
    int32_t *row;
    float   *value;
    int64_t *after;             /* per entry of the embedding: the next tree in its list */
} inverted;

static bonsai_status invert(inverted *v, const bn_embedding *e)
{
    bonsai_status rc;
    int64_t *next = NULL, entries = e->offsets[e->rows];
    BN_TRY(BN_NEW(&v->offsets, e->f + 1));
    BN_TRY(BN_NEW(&v->row, entries));
    BN_TRY(BN_NEW(&v->value, entries));
    BN_TRY(BN_NEW(&v->after, entries));
    BN_TRY(BN_NEW(&next, e->f + 1));
    for (int64_t i = 0; i < entries; i++)
        v->offsets[e->index[i] + 1]++;
    for (int64_t j = 0; j < e->f; j++)
        next[j + 1] = v->offsets[j + 1] += v->offsets[j];
    for (int64_t t = 0; t < e->rows; t++)
        for (int64_t i = e->offsets[t]; i < e->offsets[t + 1]; i++) {
            int64_t at = next[e->index[i]]++;
            v->row[at] = (int32_t)t;
            v->value[at] = e->value[i];
            v->after[i] = at + 1;
        }
done:
    bn_free(next);
    return rc;
}

static void free_inverted(inverted *v)
{
    bn_free(v->offsets);
    bn_free(v->row);
    bn_free(v->value);
    bn_free(v->after);
}

/* Multiplications through the lists, against those of dense blocks. */
static bool lists_are_cheaper(const bn_knn_search *q, const inverted *v)
{
    double work = 0;
    for (int64_t s = 0; s < q->z; s++)
        for (int64_t i = q->e->offsets[q->sample[s]]; i < q->e->offsets[q->sample[s] + 1]; i++)
            work += (double)(v->offsets[q->e->index[i] + 1] - v->offsets[q->e->index[i]]);
    return work * STEP_COST < (double)q->z * (double)q->trees * (double)q->f;
}

static void find_sparse_norms(bn_knn_search *q)
{
    const bn_embedding *e = q->e;
    int64_t longest = 0;
    for (int64_t t = 0; t < q->trees; t++)
        longest = e->offsets[t + 1] - e->offsets[t] > longest ? e->offsets[t + 1] - e->offsets[t]
                                                              : longest;
    bn_knn_error(q, longest);
    for (int64_t t = 0; t < q->trees; t++) {
        const float *x = e->value + e->offsets[t];
        q->low[t] = bn_knn_low(q, bn_kernels_get()->dot(x, x, e->offsets[t + 1] - e->offsets[t]));
    }
}

/* The first tree that a sample is multiplied with; those before had it in theirs. */
static int64_t first_tree(const bn_knn_search *q, int64_t s)
{
    return q->both ? s + 1 : 0;
}

/* The products of one sample with the trees, feature by feature. */
static void sparse_products(float *product, const bn_knn_search *q, const inverted *v, int64_t s)
{
    const bn_embedding *e = q->e;
    int64_t first = first_tree(q, s), t = q->sample[s];
    memset(product + first, 0, (size_t)(q->trees - first) * sizeof *product);
    for (int64_t i = e->offsets[t]; i < e->offsets[t + 1]; i++) {
        float a = e->value[i];
        int64_t end = v->offsets[e->index[i] + 1];
        for (int64_t at = q->both ? v->after[i] : v->offsets[e->index[i]]; at < end; at++)
            product[v->row[at]] += a * v->value[at];
    }
}

/* Samples first .. end-1; product has a row of trees for each. */
static void sparse_block(const bn_knn_search *q, const inverted *v, float *product, int64_t first, int64_t end)
{
#pragma omp parallel for num_threads(q->threads) schedule(dynamic)
    for (int64_t s = first; s < end; s++) {
        float *row = product + (s - first) * q->trees;
        int64_t from = first_tree(q, s);
        sparse_products(row, q, v, s);
        bn_knn_forward(q, s, row + from, from, q->trees - from);
    }
    if (!q->both)
        return;
#pragma omp parallel for num_threads(q->threads) schedule(dynamic)
    for (int64_t t = first; t < q->trees; t += BN_CHUNK)
        for (int64_t s = first; s < end && s < t + BN_CHUNK; s++) {
            int64_t from = s + 1 > t ? s + 1 : t, last = t + BN_CHUNK < q->trees ? t + BN_CHUNK : q->trees;
            bn_knn_backward(q, s, product + (s - first) * q->trees + from, from, last - from);
        }
}

static bonsai_status sparse_blocks(bn_knn_search *q, const inverted *v)
{
    bonsai_status rc;
    float *product = NULL;
    int64_t many = PRODUCTS / q->trees;
    many = many < q->threads ? q->threads : many;
    many = many < q->z ? many : q->z;
    BN_TRY(BN_NEW(&product, many * q->trees));
    for (int64_t first = 0; first < q->z; first += many) {
        BN_TRY(bn_tick(q->progress, "neighbours", first, q->z));
        sparse_block(q, v, product, first, first + many < q->z ? first + many : q->z);
    }
done:
    bn_free(product);
    return rc;
}

bonsai_status bn_knn_sparse(bool *used, bn_knn_search *q)
{
    bonsai_status rc;
    inverted v = {0};
    BN_TRY(invert(&v, q->e));
    *used = lists_are_cheaper(q, &v);
    if (!*used)
        goto done;
    find_sparse_norms(q);
    BN_TRY(bn_knn_bounded(q) ? sparse_blocks(q, &v) : bn_knn_measure(q));
done:
    free_inverted(&v);
    return rc;
}
