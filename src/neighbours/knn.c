/* knn.c -- finds the k nearest other trees of each sampled tree, exactly: a block of samples.
 *
 * A matrix product proposes: |a - b|^2 = |a|^2 + |b|^2 - 2 a.b for blocks of samples and trees.
 * Rounding leaves each proposal between a lower and an upper bound of what the fixed-order kernel
 * would measure.  A tree stays a candidate while its lower bound is at most the k-th smallest upper
 * bound; the few that are left are measured by the kernel, which decides.  So the result depends
 * neither on BLAS nor on threads, nor on how the embedding is stored.
 *
 * Dense rows are centred first: that changes no distance and makes the norms, and with them the
 * bounds, tight.  Sparse rows are multiplied through lists of the trees that have a feature, or
 * made dense a block at a time, whichever is less work.  When every tree is a sample each product
 * serves both of its trees.  O(z T f).  Paper: section 3.1.
 *
 * If it is less work, rows are compared by the norms of groups of their columns instead
 * (knn_groups.c): such products propose lower bounds only, and a candidate is measured once no
 * smaller bound is left.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "knn.h"

/* Sparse rows with at least f / LINE_SHARE entries are measured as dense rows. */
enum { LINE_SHARE = 32 };
static const float most_norm = 1e37f;   /* sums of two such products are still numbers */

/* ---- candidates ---- */

/* Adds an upper bound to the heap of the k smallest; keeps the largest on top. */
static void note_near(bn_candidates *c, int k, float d)
{
    int i;
    if (c->nears < k) {
        for (i = c->nears++; i > 0 && c->near[(i - 1) / 2] < d; i = (i - 1) / 2)
            c->near[i] = c->near[(i - 1) / 2];
        c->near[i] = d;
        return;
    }
    if (d >= c->near[0])
        return;
    i = 0;
    for (int child; (child = 2 * i + 1) < k; i = child) {
        child += child + 1 < k && c->near[child + 1] > c->near[child];
        if (c->near[child] <= d)
            break;
        c->near[i] = c->near[child];
    }
    c->near[i] = d;
}

static void lower_bar(const bn_knn_search *q, int64_t s, float bar)
{
    if (bar >= q->c[s].bar)
        return;
    q->c[s].bar = bar;
    if (q->limit)
        q->limit[s] = q->low[s] - bar;
}

static void drop_far(bn_candidates *c)
{
    int64_t kept = 0, exact = 0;
    for (int64_t i = 0; i < c->count; i++)
        if (c->list[i].d <= c->bar) {
            exact += i < c->exact;
            c->list[kept++] = c->list[i];
        }
    c->count = kept;
    c->exact = exact;
}

int bn_by_distance(const void *a, const void *b)
{
    const bn_candidate *x = a, *y = b;
    if (x->d != y->d)
        return x->d < y->d ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Returns the distance; infinity if it overflows or is not a number. */
static float measure(const bn_knn_search *q, int64_t s, int64_t row)
{
    float d = bn_rows_dist2(q->from, bn_knn_at(q, s), q->e, row);
    return d < INFINITY ? d : INFINITY;
}

static void spread_row(float *line, const bn_embedding *e, int64_t row)
{
    for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
        line[e->index[i]] = e->value[i];
}

static void clear_row(float *line, const bn_embedding *e, int64_t row)
{
    for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
        line[e->index[i]] = 0;
}

/* Measures sparse rows of many entries; the sample is already in its line. */
static float measure_line(const bn_knn_search *q, float *line, int64_t row)
{
    spread_row(line + q->f, q->e, row);
    float d = bn_kernels_get()->dist2(line, line + q->f, q->f);
    clear_row(line + q->f, q->e, row);
    return d < INFINITY ? d : INFINITY;
}

/* Measures in the order of the lower bounds, until the next is above the bar. */
static void measure_in_order(const bn_knn_search *q, int64_t s)
{
    bn_candidates *c = &q->c[s];
    int64_t i = c->exact;
    float *line = q->line ? q->line + 2 * q->f * bn_thread() : NULL;
    if (line)
        spread_row(line, q->from, bn_knn_at(q, s));
    qsort(c->list + i, (size_t)(c->count - i), sizeof *c->list, bn_by_distance);
    for (; i < c->count && c->list[i].d <= c->bar; i++) {
        int64_t row = c->list[i].row;
        c->list[i].d = line ? measure_line(q, line, row) : measure(q, s, row);
        c->measured++;
        note_near(c, q->k, c->list[i].d);
        if (c->nears == q->k)
            lower_bar(q, s, c->near[0]);
    }
    c->count = i;
    if (line)
        clear_row(line, q->from, bn_knn_at(q, s));
}

/* Measures the remaining candidates and keeps the k nearest, in order. */
static void measure_rest(const bn_knn_search *q, int64_t s)
{
    bn_candidates *c = &q->c[s];
    drop_far(c);
    if (q->groups.count)
        measure_in_order(q, s);
    for (int64_t i = c->exact; i < c->count && !q->groups.count; i++)
        c->list[i].d = measure(q, s, c->list[i].row);
    qsort(c->list, (size_t)c->count, sizeof *c->list, bn_by_distance);
    c->exact = c->count = c->count < q->k ? c->count : q->k;
    if (c->count < q->k)
        return;
    lower_bar(q, s, c->list[q->k - 1].d);
    if (c->list[q->k - 1].d == 0.0f)            /* no tree is nearer, and the lower row wins ties */
        c->last = c->list[q->k - 1].row;
}

/* Measures ties, and rows too close to distinguish, before the list overflows. */
static void make_room(const bn_knn_search *q, int64_t s)
{
    drop_far(&q->c[s]);
    if (q->c[s].count > q->k + BN_KNN_SPARE)
        measure_rest(q, s);
}

static void propose(const bn_knn_search *q, int64_t s, int64_t row, float low, float high)
{
    bn_candidates *c = &q->c[s];
    if (low > c->bar || row > c->last || row == q->self[s])
        return;
    if (high < INFINITY)
        note_near(c, q->k, high);
    if (c->nears == q->k)
        lower_bar(q, s, c->near[0]);
    if (c->count == q->room)
        make_room(q, s);
    c->list[c->count++] = (bn_candidate){low, (int32_t)row};
}

/* ---- products to proposals ---- */

/* Proposes with bounds from the two low norms, which hold nearly all of the two norms. */
static void propose_product(const bn_knn_search *q, int64_t s, int64_t row, float product)
{
    double norms = (double)q->own[s] + (double)q->low[row];
    double low = norms - 2.0 * (double)product;
    double high = low + 2.5 * q->error * norms + 16.0 * q->tiny;
    propose(q, s, row, (float)low, q->groups.count ? INFINITY : (float)high);
}

void bn_knn_forward(const bn_knn_search *q, int64_t s, const float *product, int64_t first,
                    int64_t count)
{
    const bn_kernels *kernels = bn_kernels_get();
    int32_t hit[BN_CHUNK];
    float own = q->own[s];
    int64_t step = q->c[s].nears < q->k ? 16 : BN_CHUNK, use;   /* the first products lower the
                                                                 * bar most */
    for (int64_t i = 0; i < count; i += use, step = step < BN_CHUNK ? 2 * step : step) {
        use = count - i < step ? count - i : step;
        int64_t hits = kernels->below(hit, q->low + first + i, product + i, q->c[s].bar - own, use);
        for (int64_t h = 0; h < hits; h++)
            propose_product(q, s, first + i + hit[h], product[i + hit[h]]);
    }
}

void bn_knn_backward(const bn_knn_search *q, int64_t row, const float *product, int64_t first,
                     int64_t count)
{
    const bn_kernels *kernels = bn_kernels_get();
    int32_t hit[BN_CHUNK];
    for (int64_t i = 0; i < count; i += BN_CHUNK) {
        int64_t use = count - i < BN_CHUNK ? count - i : BN_CHUNK;
        int64_t hits = kernels->below(hit, q->limit + first + i, product + i, -q->low[row], use);
        for (int64_t h = 0; h < hits; h++)
            propose_product(q, first + i + hit[h], row, product[i + hit[h]]);
    }
}

/* Sets the error of a proposal, for products of at most `terms` terms, in units of |a|^2 + |b|^2:
 * the product is off by terms u |a| |b|, twice; the norms and the kernel by terms/32 + 8 roundings,
 * centring and the last sum by a few more.  Groups have fewer terms than the kernel, and each is
 * rounded once more.  Underflow is added on top.  u = 2^-24. */
void bn_knn_error(bn_knn_search *q, int64_t terms)
{
    double kernel = q->groups.count ? (double)q->f / 8.0 + 32.0 : 0.0;
    q->error = (1.25 * (double)terms + kernel + 48.0) * 0x1p-24;
    q->tiny = ((double)(terms > q->f ? terms : q->f) + 8.0) * 0x1p-146;
}

float bn_knn_low(const bn_knn_search *q, const float *x, int64_t count)
{
    float norm = bn_kernels_get()->dot(x, x, count);
    return (float)((double)norm * (1.0 - q->error) - q->tiny);
}

bool bn_knn_bounded(const bn_knn_search *q, int64_t first, int64_t end)
{
    for (int64_t t = first; t < end; t++)
        if (!(q->low[t] < most_norm))
            return false;
    for (int64_t s = 0; s < q->z; s++)
        if (!(q->own[s] < most_norm))
            return false;
    return q->f > 0 && q->error < 0.1;
}

bonsai_status bn_knn_tick(const bn_knn_search *q, int64_t done, int64_t total)
{
    double share = total > 0 ? (double)done / (double)total : 1.0;
    int64_t met = q->before + (int64_t)((double)q->z * share);
    return bn_tick(q->place->progress, "neighbours", met, q->all);
}

bonsai_status bn_knn_measure(const bn_knn_search *q, int64_t first, int64_t end, int64_t done,
                             int64_t total)
{
    bonsai_status rc = BONSAI_OK;
    int64_t some = 16 * q->threads;
    for (int64_t s0 = 0; s0 < q->z; s0 += some) {
        int64_t s1 = s0 + some < q->z ? s0 + some : q->z;
        BN_TRY(bn_knn_tick(q, done * q->z + s0, total * q->z));
        const double work = bn_numbers(q->e, (s1 - s0) * (end - first));
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(dynamic)
        for (int64_t s = s0; s < s1; s++)
            for (int64_t t = first; t < end; t++) {
                float d = measure(q, s, t);
                propose(q, s, t, d, q->groups.count ? INFINITY : d);
            }
    }
done:
    return rc;
}

/* ---- a block of samples ---- */

static bonsai_status search(bn_knn_search *q)
{
    bonsai_status rc = BONSAI_OK;
    double dense = (double)q->f, lists = INFINITY;
    if (q->trees == 0)
        goto done;
    if (!q->e->dense)
        BN_TRY(bn_knn_lists_cost(&lists, q));
    BN_TRY(bn_knn_group(q, dense < lists ? dense : lists));
    if (q->groups.count && !q->e->dense && LINE_SHARE * q->e->offsets[q->trees] > q->trees * q->f)
        BN_TRY(BN_NEW(&q->line, 2 * q->f * q->threads));
    if (q->groups.count || dense <= lists)
        rc = bn_knn_dense(q);
    else
        rc = bn_knn_sparse(q);
done:
    return rc;
}

static void write_lists(int32_t *list, float *dist, bn_knn_search *q)
{
    const double work = 8 * bn_numbers(q->e, q->z * q->k);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(dynamic, 16)
    for (int64_t s = 0; s < q->z; s++) {
        const bn_candidates *c = &q->c[s];
        measure_rest(q, s);
        for (int j = 0; j < q->k; j++) {
            bool found = j < c->count;
            list[s * q->k + j] = found ? (int32_t)(q->base + c->list[j].row) : INT32_MAX;
            if (dist)
                dist[s * q->k + j] = found ? c->list[j].d : INFINITY;
        }
    }
    if (!q->groups.count)
        q->measured += q->z * q->trees;
    for (int64_t s = 0; s < q->z && q->groups.count; s++)
        q->measured += q->c[s].measured;
}

static bonsai_status start(bn_knn_search *q, bn_candidate **list, float **near)
{
    bonsai_status rc;
    q->room = bn_least(bn_knn_room(q->k), q->trees);
    q->both = q->z == q->trees;
    for (int64_t s = 0; s < q->z && q->both; s++)
        q->both = q->self[s] == s;
    BN_TRY(BN_BIG(&q->low, q->place->memory, q->trees));
    BN_TRY(BN_BIG(&q->own, q->place->memory, q->z));
    BN_TRY(BN_BIG(&q->c, q->place->memory, q->z));
    BN_TRY(BN_BIG(near, q->place->memory, q->z * q->k));
    BN_TRY(BN_BIG(list, q->place->memory, q->z * q->room));
    if (q->both)
        BN_TRY(BN_BIG(&q->limit, q->place->memory, q->trees));
    for (int64_t s = 0; s < q->z; s++) {
        q->c[s] = (bn_candidates){.list = *list + s * q->room, .near = *near + s * q->k,
                                  .bar = INFINITY, .last = INT32_MAX};
        if (q->limit)
            q->limit[s] = -INFINITY;
    }
done:
    return rc;
}

bonsai_status bn_knn_block(int32_t *list, float *dist, bn_knn_search *q)
{
    bonsai_status rc;
    bn_candidate *room = NULL;
    float *near = NULL;
    BN_TRY(start(q, &room, &near));
    BN_TRY(search(q));
    write_lists(list, dist, q);
done:
    bn_big_free(room);
    bn_big_free(near);
    bn_big_free(q->c);
    bn_big_free(q->low);
    bn_big_free(q->own);
    bn_big_free(q->limit);
    bn_free(q->mean);
    bn_free(q->line);
    bn_groups_free(&q->groups);
    q->c = NULL;
    q->low = q->own = q->limit = q->mean = q->line = NULL;
    return rc;
}
