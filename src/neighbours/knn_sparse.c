/* knn_sparse.c -- proposes neighbours through lists of the trees that have a feature; see knn.c.
 *
 * A sample's products with all trees are added up feature by feature: as many steps as there are
 * pairs of equal features, while dense blocks take z T f.  Under a limit of memory the lists are
 * made for one stretch of trees after the other.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "knn.h"

/* Products held at a time, the cost of a step in multiplications of a dense block, and entries that
 * lists hold whatever the limit. */
enum { PRODUCTS = 1 << 22, STEP_COST = 48, LEAST_ENTRIES = 1 << 16 };

typedef struct {                /* for each feature the trees of a stretch that have it */
    int64_t  first, end;        /* the stretch */
    int64_t *offsets;           /* f+1 */
    int64_t *next;              /* f+1 */
    int32_t *row;               /* from the stretch's first on */
    float   *value;
    int64_t *after;             /* if both, per entry of the embedding: the next tree in its list */
    float   *product;           /* room: rows of trees */
    int64_t  room;
} inverted;

/* ---- lists ---- */

static int64_t entry_bytes(const bn_knn_search *q)
{
    return (int64_t)(sizeof(int32_t) + sizeof(float) + (q->both ? sizeof(int64_t) : 0));
}

/* Returns the end of the trees from `first` on whose entries fit into the lists, which are at least
 * one. */
static int64_t stretch_end(const bn_knn_search *q, int64_t first)
{
    const int64_t *offsets = q->e->offsets;
    int64_t most = bn_memory_left(q->place->memory) / 2 / entry_bytes(q), end = first + 1;
    most = most < LEAST_ENTRIES ? LEAST_ENTRIES : most;
    while (end < q->trees && offsets[end + 1] - offsets[first] <= most)
        end++;
    return end;
}

static bonsai_status new_lists(inverted *v, const bn_knn_search *q)
{
    bonsai_status rc;
    int64_t entries = q->e->offsets[v->end] - q->e->offsets[v->first], trees = v->end - v->first;
    BN_TRY(BN_NEW(&v->offsets, q->f + 1));
    BN_TRY(BN_NEW(&v->next, q->f + 1));
    BN_TRY(BN_BIG(&v->row, q->place->memory, entries));
    BN_TRY(BN_BIG(&v->value, q->place->memory, entries));
    BN_TRY(BN_BIG(&v->after, q->place->memory, q->both ? entries : 0));
    int64_t floats = bn_memory_left(q->place->memory) / 2 / (int64_t)sizeof(float);
    v->room = bn_least(PRODUCTS, floats) / trees;
    v->room = v->room < q->threads ? q->threads : v->room;
    v->room = bn_least(v->room, q->z);
    BN_TRY(BN_BIG(&v->product, q->place->memory, v->room * trees));
done:
    return rc;
}

static void free_lists(inverted *v)
{
    bn_free(v->offsets);
    bn_free(v->next);
    bn_big_free(v->row);
    bn_big_free(v->value);
    bn_big_free(v->after);
    bn_big_free(v->product);
}

static void count_entries(int64_t *count, const bn_embedding *e, int64_t first, int64_t end)
{
    for (int64_t i = e->offsets[first]; i < e->offsets[end]; i++)
        count[e->index[i]]++;
}

static void fill_lists(inverted *v, const bn_knn_search *q)
{
    const bn_embedding *e = q->e;
    count_entries(v->offsets + 1, e, v->first, v->end);
    for (int64_t j = 0; j < e->f; j++)
        v->next[j + 1] = v->offsets[j + 1] += v->offsets[j];
    for (int64_t t = v->first; t < v->end; t++)
        for (int64_t i = e->offsets[t]; i < e->offsets[t + 1]; i++) {
            int64_t at = v->next[e->index[i]]++;
            v->row[at] = (int32_t)(t - v->first);
            v->value[at] = e->value[i];
            if (q->both)
                v->after[i] = at + 1;
        }
}

bonsai_status bn_knn_lists_cost(double *out, const bn_knn_search *q)
{
    const bn_embedding *x = q->from;
    int64_t *count = NULL;
    double work = 0;
    bonsai_status rc = BN_NEW(&count, q->f);
    if (rc != BONSAI_OK)
        return rc;
    count_entries(count, q->e, 0, q->trees);
    for (int64_t s = 0; s < q->z; s++)
        for (int64_t i = x->offsets[bn_knn_at(q, s)]; i < x->offsets[bn_knn_at(q, s) + 1]; i++)
            work += (double)count[x->index[i]];
    *out = work * STEP_COST / ((double)q->z * (double)q->trees);
    bn_free(count);
    return rc;
}

/* ---- norms ---- */

static int64_t row_length(const bn_embedding *e, int64_t row)
{
    return e->offsets[row + 1] - e->offsets[row];
}

static void find_error(bn_knn_search *q)
{
    int64_t longest = 0;
    for (int64_t t = 0; t < q->trees; t++)
        longest = row_length(q->e, t) > longest ? row_length(q->e, t) : longest;
    for (int64_t s = 0; s < q->z; s++) {
        int64_t length = row_length(q->from, bn_knn_at(q, s));
        longest = length > longest ? length : longest;
    }
    bn_knn_error(q, longest);
}

static float row_norm(const bn_knn_search *q, const bn_embedding *e, int64_t row)
{
    return bn_knn_low(q, e->value + e->offsets[row], row_length(e, row));
}

/* ---- products ---- */

/* Returns the first tree that a sample is multiplied with; earlier trees did it as samples. */
static int64_t first_tree(const bn_knn_search *q, int64_t s)
{
    return q->both ? s + 1 : 0;
}

/* Multiplies one sample with the trees of the stretch, feature by feature. */
static void sparse_products(float *product, const bn_knn_search *q, const inverted *v, int64_t s)
{
    const bn_embedding *x = q->from;
    int64_t first = first_tree(q, s), t = bn_knn_at(q, s);
    memset(product + first, 0, (size_t)(v->end - v->first - first) * sizeof *product);
    for (int64_t i = x->offsets[t]; i < x->offsets[t + 1]; i++) {
        float a = x->value[i];
        int64_t end = v->offsets[x->index[i] + 1];
        for (int64_t at = q->both ? v->after[i] : v->offsets[x->index[i]]; at < end; at++)
            product[v->row[at]] += a * v->value[at];
    }
}

/* Estimates the work of some samples: their products, and a test of each. */
static double block_work(const bn_knn_search *q, const inverted *v, int64_t samples)
{
    double trees = (double)(v->end - v->first), listed = (double)v->offsets[q->f];
    return (double)samples * trees + bn_numbers(q->from, samples) * listed / (double)q->f;
}

/* Multiplies samples first .. end-1 with the trees of the stretch, and proposes the products. */
static void sparse_block(const bn_knn_search *q, const inverted *v, int64_t first, int64_t end)
{
    int64_t trees = v->end - v->first;
    const double work = block_work(q, v, end - first);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(dynamic)
    for (int64_t s = first; s < end; s++) {
        float *row = v->product + (s - first) * trees;
        int64_t from = first_tree(q, s);
        sparse_products(row, q, v, s);
        bn_knn_forward(q, s, row + from, v->first + from, trees - from);
    }
    if (!q->both)
        return;
    const double scan = (double)(end - first) * (double)trees;
#pragma omp parallel for num_threads(bn_team(q->threads, scan)) schedule(dynamic)
    for (int64_t t = first; t < trees; t += BN_CHUNK)
        for (int64_t s = first; s < end && s < t + BN_CHUNK; s++) {
            int64_t from = s + 1 > t ? s + 1 : t, last = bn_least(t + BN_CHUNK, trees);
            bn_knn_backward(q, s, v->product + (s - first) * trees + from, from, last - from);
        }
}

/* Searches one stretch of trees for all samples. */
static bonsai_status sparse_stretch(const bn_knn_search *q, int64_t first, int64_t end)
{
    bonsai_status rc = BONSAI_OK;
    inverted v = {.first = first, .end = end};
    const double work = bn_numbers(q->e, end - first);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static)
    for (int64_t t = first; t < end; t++)
        q->low[t] = row_norm(q, q->e, t);
    if (!bn_knn_bounded(q, first, end))
        return bn_knn_measure(q, first, end, first, q->trees);
    BN_TRY(new_lists(&v, q));
    fill_lists(&v, q);
    for (int64_t s = 0; s < q->z; s += v.room) {
        double share = (double)s / (double)q->z * (double)(end - first);
        BN_TRY(bn_knn_tick(q, first + (int64_t)share, q->trees));
        sparse_block(q, &v, s, s + v.room < q->z ? s + v.room : q->z);
    }
done:
    free_lists(&v);
    return rc;
}

bonsai_status bn_knn_sparse(bn_knn_search *q)
{
    bonsai_status rc = BONSAI_OK;
    if (q->both && stretch_end(q, 0) < q->trees)
        q->both = false;
    find_error(q);
    for (int64_t s = 0; s < q->z; s++)
        q->own[s] = row_norm(q, q->from, bn_knn_at(q, s));
    for (int64_t first = 0, end; first < q->trees; first = end) {
        end = stretch_end(q, first);
        BN_TRY(sparse_stretch(q, first, end));
    }
done:
    return rc;
}
