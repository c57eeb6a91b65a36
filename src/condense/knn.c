/* knn.c -- the k nearest other trees of each sampled tree, exactly.
 *
 * A matrix product proposes: |a - b|^2 = |a|^2 + |b|^2 - 2 a.b for blocks of samples
 * and trees, with a running list of each sample's candidates.  A candidate stays as
 * long as rounding could still bring it among the k nearest; the few that are left
 * at the end are measured by the fixed-order kernel, which decides.  The answer so
 * depends neither on BLAS nor on threads, nor on how the embedding is stored.
 *
 * Dense rows are centred first: that changes no distance and makes the norms, and
 * with them the error bound, small.  Sparse rows are multiplied through lists of
 * the trees that have a feature, or made dense a block at a time, whichever is less
 * work.  O(z T f).  Paper: section 3.1.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "condense.h"

enum { SAMPLES = 128, TREES = 2048, SPARSE_COST = 32 };

typedef struct {                /* what may still be among the k nearest of a sample */
    float   *near;              /* k smallest proposals so far: a max-heap */
    int      nears;
    int32_t *row;               /* candidates */
    float   *value;
    int64_t  count, row_room, value_room;
    float    bar;               /* proposals above this are out */
} candidates;

typedef struct {
    const bn_embedding *e;
    const int32_t *sample;
    int64_t z, trees, f;
    int     k, threads;
    float  *mean;               /* f; NULL: not centred */
    float  *norm;               /* trees: |x|^2 after centring */
    float   largest;            /* of norm, square root */
    candidates *c;              /* z */
    int     failed;
} knn;

/* ---- candidates ---- */

/* Adds a proposal to the heap of the k smallest; keeps the largest on top. */
static void note_near(candidates *c, int k, float d)
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

/* How far a proposal can be from what the kernel will measure, either way.  The dot
 * product of f terms is off by at most f u |a| |b|, the norms by as much of their
 * squares; the kernel by (f/32 + 8) u d^2, and d <= |a| + |b|.  u = 2^-24. */
static float slack(const knn *q, float norm)
{
    double a = sqrt((double)norm), reach = a + (double)q->largest;
    return (float)((2.0 * (double)q->f + 16.0) * 0x1p-24 * reach * reach * 2.0);
}

static void drop_far(candidates *c)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->count; i++)
        if (c->value[i] <= c->bar) {
            c->row[kept] = c->row[i];
            c->value[kept++] = c->value[i];
        }
    c->count = kept;
}

static bool propose(const knn *q, candidates *c, int32_t row, float d, float wide)
{
    note_near(c, q->k, d);
    if (c->nears == q->k)
        c->bar = c->near[0] + wide;
    if (c->count + 1 > c->row_room)
        drop_far(c);
    if (bn_grow((void **)&c->row, &c->row_room, c->count + 1, sizeof *c->row) != BONSAI_OK ||
        bn_grow((void **)&c->value, &c->value_room, c->count + 1, sizeof *c->value) != BONSAI_OK)
        return false;
    c->row[c->count] = row;
    c->value[c->count++] = d;
    return true;
}

/* ---- dense blocks ---- */

/* Row t of the embedding, dense and centred. */
static void centred_row(float *out, const knn *q, int64_t t)
{
    const bn_embedding *e = q->e;
    if (e->dense)
        memcpy(out, e->dense + t * q->f, (size_t)q->f * sizeof *out);
    else {
        memset(out, 0, (size_t)q->f * sizeof *out);
        for (int64_t i = e->offsets[t]; i < e->offsets[t + 1]; i++)
            out[e->index[i]] = e->value[i];
    }
    for (int64_t j = 0; j < q->f; j++)
        out[j] -= q->mean[j];
}

static bonsai_status find_mean(knn *q)
{
    bonsai_status rc;
    double *sum = NULL;
    const bn_embedding *e = q->e;
    int64_t step = q->trees / 4096 + 1, used = 0;   /* any point near the middle will do */
    BN_TRY(BN_NEW(&q->mean, q->f));
    BN_TRY(BN_NEW(&sum, q->f));
    for (int64_t t = 0; t < q->trees; t += step, used++)
        if (e->dense)
            for (int64_t j = 0; j < q->f; j++)
                sum[j] += (double)e->dense[t * q->f + j];
        else
            for (int64_t i = e->offsets[t]; i < e->offsets[t + 1]; i++)
                sum[e->index[i]] += (double)e->value[i];
    for (int64_t j = 0; j < q->f; j++)
        q->mean[j] = (float)(sum[j] / (double)used);
done:
    bn_free(sum);
    return rc;
}

/* Looks through one row of a block of products. */
static void scan_products(knn *q, int64_t s, const float *product, int64_t first, int64_t count)
{
    candidates *c = &q->c[s];
    int64_t self = q->sample[s];
    float own = q->norm[self], wide = 2.0f * slack(q, own);
    for (int64_t i = 0; i < count; i++) {
        float d = own + q->norm[first + i] - 2.0f * product[i];
        if (d <= c->bar && first + i != self && !propose(q, c, (int32_t)(first + i), d, wide))
#pragma omp atomic write
            q->failed = 1;
    }
}

typedef struct {
    float *samples;             /* z x f, centred */
    float *trees;               /* TREES x f, centred */
    float *product;             /* lanes x SAMPLES x TREES */
} dense_room;

static void dense_block(knn *q, const dense_room *r, int64_t first, int64_t count)
{
    int64_t blocks = (q->z + SAMPLES - 1) / SAMPLES, lanes = q->threads < blocks ? q->threads : blocks;
#pragma omp parallel for num_threads(q->threads) schedule(static)
    for (int64_t t = 0; t < count; t++) {
        float *row = r->trees + t * q->f;
        centred_row(row, q, first + t);
    }
#pragma omp parallel for num_threads(q->threads) schedule(static)
    for (int64_t lane = 0; lane < lanes; lane++)
        for (int64_t b = lane; b < blocks; b += lanes) {
            int64_t from = b * SAMPLES, use = q->z - from < SAMPLES ? q->z - from : SAMPLES;
            float *product = r->product + lane * SAMPLES * TREES;
            bn_gemm_nt(product, r->samples + from * q->f, r->trees, (int)use, (int)count, (int)q->f);
            for (int64_t s = 0; s < use; s++)
                scan_products(q, from + s, product + s * count, first, count);
        }
}

static void find_norms(knn *q, float *row)
{
    double largest = 0;
    for (int64_t t = 0; t < q->trees; t++) {
        const float *x = row;
        if (q->mean)
            centred_row(row, q, t);
        else {
            x = q->e->value + q->e->offsets[t];
            q->norm[t] = bn_kernels_get()->dot(x, x, q->e->offsets[t + 1] - q->e->offsets[t]);
        }
        if (q->mean)
            q->norm[t] = bn_kernels_get()->dot(x, x, q->f);
        largest = (double)q->norm[t] > largest ? (double)q->norm[t] : largest;
    }
    q->largest = (float)sqrt(largest);
}

static bonsai_status dense_search(knn *q, bn_progress p)
{
    bonsai_status rc;
    dense_room r = {0};
    int blas = bn_blas_begin();
    BN_TRY(find_mean(q));
    BN_TRY(BN_NEW(&r.samples, q->z * q->f));
    BN_TRY(BN_NEW(&r.trees, (int64_t)TREES * q->f));
    BN_TRY(BN_NEW(&r.product, (int64_t)q->threads * SAMPLES * TREES));
    find_norms(q, r.trees);
    for (int64_t s = 0; s < q->z; s++)
        centred_row(r.samples + s * q->f, q, q->sample[s]);
    for (int64_t first = 0; first < q->trees; first += TREES) {
        BN_TRY(bn_tick(p, "neighbours", first, q->trees));
        dense_block(q, &r, first, q->trees - first < TREES ? q->trees - first : TREES);
    }
done:
    bn_blas_end(blas);
    bn_free(r.samples);
    bn_free(r.trees);
    bn_free(r.product);
    return rc;
}

/* ---- sparse rows ---- */

typedef struct {                /* for each feature the trees that have it */
    int64_t *offsets;
    int32_t *row;
    float   *value;
} inverted;

static bonsai_status invert(inverted *v, const bn_embedding *e)
{
    bonsai_status rc;
    int64_t *next = NULL;
    BN_TRY(BN_NEW(&v->offsets, e->f + 1));
    BN_TRY(BN_NEW(&v->row, e->offsets[e->rows]));
    BN_TRY(BN_NEW(&v->value, e->offsets[e->rows]));
    BN_TRY(BN_NEW(&next, e->f + 1));
    for (int64_t i = 0; i < e->offsets[e->rows]; i++)
        v->offsets[e->index[i] + 1]++;
    for (int64_t j = 0; j < e->f; j++)
        next[j + 1] = v->offsets[j + 1] += v->offsets[j];
    for (int64_t t = 0; t < e->rows; t++)
        for (int64_t i = e->offsets[t]; i < e->offsets[t + 1]; i++) {
            int64_t at = next[e->index[i]]++;
            v->row[at] = (int32_t)t;
            v->value[at] = e->value[i];
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
}

/* The products of one sample with every tree, feature by feature. */
static void sparse_products(float *product, const knn *q, const inverted *v, int64_t s)
{
    const bn_embedding *e = q->e;
    memset(product, 0, (size_t)q->trees * sizeof *product);
    for (int64_t i = e->offsets[q->sample[s]]; i < e->offsets[q->sample[s] + 1]; i++) {
        float a = e->value[i];
        for (int64_t at = v->offsets[e->index[i]]; at < v->offsets[e->index[i] + 1]; at++)
            product[v->row[at]] += a * v->value[at];
    }
}

static bonsai_status sparse_search(knn *q, const inverted *v, bn_progress p)
{
    bonsai_status rc;
    float *product = NULL;
    int64_t lanes = q->threads;
    BN_TRY(BN_NEW(&product, lanes * q->trees));
    find_norms(q, NULL);
    for (int64_t first = 0; first < q->z; first += 64 * lanes) {
        BN_TRY(bn_tick(p, "neighbours", first, q->z));
        int64_t last = first + 64 * lanes < q->z ? first + 64 * lanes : q->z;
#pragma omp parallel for num_threads(q->threads) schedule(static)
        for (int64_t lane = 0; lane < lanes; lane++)
            for (int64_t s = first + lane; s < last; s += lanes) {
                sparse_products(product + lane * q->trees, q, v, s);
                scan_products(q, s, product + lane * q->trees, 0, q->trees);
            }
    }
done:
    bn_free(product);
    return rc;
}

/* Multiplications through the lists, against those of dense blocks. */
static bool lists_are_cheaper(const knn *q, const inverted *v)
{
    double work = 0;
    for (int64_t s = 0; s < q->z; s++)
        for (int64_t i = q->e->offsets[q->sample[s]]; i < q->e->offsets[q->sample[s] + 1]; i++)
            work += (double)(v->offsets[q->e->index[i] + 1] - v->offsets[q->e->index[i]]);
    return work * SPARSE_COST < (double)q->z * (double)q->trees * (double)q->f;
}

/* ---- the decision ---- */

typedef struct { float d; int32_t row; } measured;

static int by_distance(const void *a, const void *b)
{
    const measured *x = a, *y = b;
    if (x->d != y->d)
        return x->d < y->d ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void decide(int32_t *list, float *dist, const knn *q, int64_t s, measured *room)
{
    candidates *c = &q->c[s];
    drop_far(c);
    for (int64_t i = 0; i < c->count; i++)
        room[i] = (measured){bn_embedding_dist2(q->e, q->sample[s], c->row[i]), c->row[i]};
    qsort(room, (size_t)c->count, sizeof *room, by_distance);
    for (int j = 0; j < q->k; j++) {
        list[s * q->k + j] = room[j].row;
        if (dist)
            dist[s * q->k + j] = room[j].d;
    }
}

static bonsai_status decide_all(int32_t *list, float *dist, const knn *q)
{
    bonsai_status rc;
    measured *room = NULL;
    int64_t longest = 0, lanes = q->threads;
    for (int64_t s = 0; s < q->z; s++)
        longest = q->c[s].count > longest ? q->c[s].count : longest;
    BN_TRY(BN_NEW(&room, lanes * longest));
#pragma omp parallel for num_threads(q->threads) schedule(static)
    for (int64_t lane = 0; lane < lanes; lane++)
        for (int64_t s = lane; s < q->z; s += lanes)
            decide(list, dist, q, s, room + lane * longest);
done:
    bn_free(room);
    return rc;
}

bonsai_status bn_knn(int32_t *list, float *dist, const bn_embedding *e, const int32_t *sample,
                     int64_t z, int k, int threads, bn_progress p)
{
    bonsai_status rc;
    knn q = {.e = e, .sample = sample, .z = z, .trees = e->rows, .f = e->f, .k = k,
             .threads = bn_threads(threads)};
    inverted v = {0};
    float *near = NULL;
    if (k < 1 || k >= e->rows)
        return bn_fail(BONSAI_E_ARGUMENT, "k is %d but there are %lld trees: it must be in 1..%lld",
                       k, (long long)e->rows, (long long)e->rows - 1);
    BN_TRY(BN_NEW(&q.norm, q.trees));
    BN_TRY(BN_NEW(&q.c, z));
    BN_TRY(BN_NEW(&near, z * k));
    for (int64_t s = 0; s < z; s++) {
        q.c[s].near = near + s * k;
        q.c[s].bar = INFINITY;
    }
    if (!e->dense)
        BN_TRY(invert(&v, e));
    if (!e->dense && lists_are_cheaper(&q, &v))
        BN_TRY(sparse_search(&q, &v, p));
    else
        BN_TRY(dense_search(&q, p));
    if (q.failed) {
        rc = bn_fail(BONSAI_E_MEMORY, "out of memory: no room for neighbour candidates");
        goto done;
    }
    BN_TRY(decide_all(list, dist, &q));
    BN_TRY(bn_tick(p, "neighbours", 1, 1));
done:
    for (int64_t s = 0; q.c && s < z; s++) {
        bn_free(q.c[s].row);
        bn_free(q.c[s].value);
    }
    bn_free(q.c);
    bn_free(near);
    bn_free(q.norm);
    bn_free(q.mean);
    free_inverted(&v);
    return rc;
}
