/* wl.c -- WL embeddings: features averaged over neighbours, L times.
 *
 * Propagation is independent per column, so dense features go through in panels of
 * 16 or 64 columns: two panels are all the memory beside the result, and while a
 * panel of 16 fits the cache its rows are gathered from there.  Sparse features
 * stay sparse rows as long as they are sparse enough, then change to panels for
 * the rounds that are left.  Both ways add each number's terms in the order of the
 * neighbours, so they agree to the bit.  Cost O(L m f), or O(L m) times the
 * non-zeros of a row.  Paper: section 3, definition of the WL kernel.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "condense.h"

enum { CACHE_BYTES = 16 << 20, SPARSE_SHARE = 8, BLOCK = 512 };

typedef struct {                /* sparse rows under way */
    int64_t rows;
    int64_t *offsets;
    int32_t *index;
    float   *value;
} rows;

typedef struct {
    const bonsai_graph *g;
    const int32_t *nodes;       /* requested, or NULL: all */
    int64_t count, n, f;
    int     layers, threads;
    bn_progress progress;
    float  *inverse;            /* n: 1 / degree; 0: no neighbour */
    rows    x;                  /* the embedding so far, while sparse; rows 0: dense */
    int     done;               /* rounds that x has been through */
} wl;

void bn_embedding_free(bn_embedding *e)
{
    bn_free(e->dense);
    bn_free(e->offsets);
    bn_free(e->index);
    bn_free(e->value);
    memset(e, 0, sizeof *e);
}

static void free_rows(rows *r)
{
    bn_free(r->offsets);
    bn_free(r->index);
    bn_free(r->value);
    memset(r, 0, sizeof *r);
}

static bonsai_status find_degrees(wl *w)
{
    bonsai_status rc = BN_NEW(&w->inverse, w->n);
    const float *weight = w->g->view.section[BONSAI_EDGE_WEIGHTS].data;
    if (rc != BONSAI_OK)
        return rc;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t v = 0; v < w->n; v++) {
        int64_t e = bn_row_begin(w->g, v), end = bn_row_begin(w->g, v + 1);
        double degree = weight ? 0 : (double)(end - e);
        for (; weight && e < end; e++)
            degree += (double)weight[e];
        w->inverse[v] = degree > 0 ? (float)(1.0 / degree) : 0.0f;
    }
    return BONSAI_OK;
}

/* ---- dense: panels of columns ---- */

static void load_dense(float *panel, const wl *w, int64_t first, int width)
{
    const bonsai_array *x = &w->g->view.section[BONSAI_FEATURES];
    const float *scale = w->g->view.section[BONSAI_FEATURE_SCALE].data;
    int64_t f = w->f, use = f - first < width ? f - first : width;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t v = 0; v < w->n; v++) {
        float *row = panel + v * width;
        memset(row, 0, (size_t)width * sizeof *row);
        if (x->type == BONSAI_F32)
            memcpy(row, (const float *)x->data + v * f + first, (size_t)use * sizeof *row);
        else
            for (int64_t j = 0; j < use; j++)
                row[j] = (scale ? scale[v] : 1.0f) * bn_real_at(x, v * f + first + j);
    }
}

/* Sparse rows are met panel after panel; a cursor per row stands where it left off. */
static void load_sparse(float *panel, const wl *w, int64_t first, int width, int64_t *cursor)
{
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t v = 0; v < w->n; v++) {
        float *row = panel + v * width;
        memset(row, 0, (size_t)width * sizeof *row);
        int64_t e = cursor[v], end = w->x.offsets[v + 1];
        for (; e < end && w->x.index[e] < first + width; e++)
            row[w->x.index[e] - first] = w->x.value[e];
        cursor[v] = e;
    }
}

static void panel_row(float *to, const float *from, const wl *w, int64_t v, int width)
{
    const float *weight = w->g->view.section[BONSAI_EDGE_WEIGHTS].data;
    int64_t e = bn_row_begin(w->g, v), end = bn_row_begin(w->g, v + 1);
    const float *self = from + v * width;
    if (w->inverse[v] == 0.0f) {
        memcpy(to, self, (size_t)width * sizeof *to);
        return;
    }
    bn_kernels_get()->gather(to, from, width, bn_neighbors(w->g) + e, weight ? weight + e : NULL,
                             end - e);
    for (int j = 0; j < width; j++)
        to[j] = (self[j] + w->inverse[v] * to[j]) * 0.5f;
}

/* One panel through the rounds that are left; the last only for requested nodes. */
static void do_panel(float *out, float *a, float *b, const wl *w, int64_t first, int width)
{
    int64_t use = w->f - first < width ? w->f - first : width;
    for (int layer = w->done; layer + 1 < w->layers; layer++) {
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, BLOCK)
        for (int64_t v = 0; v < w->n; v++)
            panel_row(b + v * width, a, w, v, width);
        float *t = a;
        a = b;
        b = t;
    }
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, BLOCK)
    for (int64_t i = 0; i < w->count; i++) {
        int64_t v = w->nodes ? w->nodes[i] : i;
        float row[BN_WIDE];
        if (w->done < w->layers)
            panel_row(row, a, w, v, width);
        else
            memcpy(row, a + v * width, (size_t)width * sizeof *row);
        memcpy(out + i * w->f + first, row, (size_t)use * sizeof *row);
    }
}

static bonsai_status dense_rounds(bn_embedding *out, wl *w)
{
    bonsai_status rc;
    float *a = NULL, *b = NULL;
    int64_t *cursor = NULL;
    int width = w->n * BN_NARROW * (int64_t)sizeof *a <= CACHE_BYTES ? BN_NARROW : BN_WIDE;
    BN_TRY(BN_NEW(&out->dense, w->count * w->f));
    BN_TRY(BN_NEW(&a, w->n * width));
    BN_TRY(BN_NEW(&b, w->n * width));
    if (w->x.rows > 0) {
        BN_TRY(BN_NEW(&cursor, w->n));
        memcpy(cursor, w->x.offsets, (size_t)w->n * sizeof *cursor);
    }
    for (int64_t first = 0; first < w->f; first += width) {
        BN_TRY(bn_tick(w->progress, "embedding", first, w->f));
        if (cursor)
            load_sparse(a, w, first, width, cursor);
        else
            load_dense(a, w, first, width);
        do_panel(out->dense, a, b, w, first, width);
    }
done:
    bn_free(a);
    bn_free(b);
    bn_free(cursor);
    return rc;
}

/* ---- sparse: rows ---- */

typedef struct {                /* a block of finished rows */
    int32_t *index;
    float   *value;
    int64_t  used, index_room, value_room;
} block;

typedef struct {                /* one thread's working row */
    float   *sum;               /* f, zero between rows */
    uint8_t *seen;              /* f, likewise */
    int32_t *touched;
} work;

static int by_id(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t add_row(work *k, int64_t touched, const rows *x, int64_t u, float weight)
{
    for (int64_t e = x->offsets[u]; e < x->offsets[u + 1]; e++) {
        int32_t j = x->index[e];
        if (!k->seen[j]) {
            k->seen[j] = 1;
            k->touched[touched++] = j;
        }
        k->sum[j] += weight * x->value[e];
    }
    return touched;
}

/* The touched features in ascending order: by sorting if few, by looking if many. */
static void order_touched(work *k, int64_t touched, int64_t f)
{
    if (touched * 16 < f) {
        qsort(k->touched, (size_t)touched, sizeof *k->touched, by_id);
        return;
    }
    int64_t count = 0;
    for (int64_t j = 0; j < f && count < touched; j++)
        if (k->seen[j])
            k->touched[count++] = (int32_t)j;
}

/* Appends v's next embedding to the block; false: no room. */
static bool sparse_row(block *b, work *k, const wl *w, int64_t v)
{
    const rows *x = &w->x;
    const float *weight = w->g->view.section[BONSAI_EDGE_WEIGHTS].data;
    int64_t touched = 0, end = bn_row_begin(w->g, v + 1);
    bool alone = w->inverse[v] == 0.0f;
    for (int64_t e = bn_row_begin(w->g, v); e < end; e++)
        touched = add_row(k, touched, x, bn_neighbors(w->g)[e], weight ? weight[e] : 1.0f);
    for (int64_t e = x->offsets[v]; e < x->offsets[v + 1]; e++)
        if (!k->seen[x->index[e]]) {
            k->seen[x->index[e]] = 1;
            k->touched[touched++] = x->index[e];
        }
    order_touched(k, touched, w->f);
    bool room = bn_grow((void **)&b->index, &b->index_room, b->used + touched, sizeof *b->index) == BONSAI_OK &&
                bn_grow((void **)&b->value, &b->value_room, b->used + touched, sizeof *b->value) == BONSAI_OK;
    int64_t self = x->offsets[v], last = x->offsets[v + 1];
    for (int64_t i = 0; i < touched; i++) {
        int32_t j = k->touched[i];
        float own = self < last && x->index[self] == j ? x->value[self++] : 0.0f;
        float next = alone ? own : (own + w->inverse[v] * k->sum[j]) * 0.5f;
        k->sum[j] = 0.0f;
        k->seen[j] = 0;
        if (room && next != 0.0f) {
            b->index[b->used] = j;
            b->value[b->used++] = next;
        }
    }
    return room;
}

typedef struct {                /* a round under way */
    const wl *w;
    const int32_t *nodes;       /* whose rows are made; NULL: all */
    int64_t count, blocks, lanes;
    block  *block;
    work   *work;               /* lanes */
    int64_t *length;            /* count */
    int     failed;
} sparse_round;

static bonsai_status start_round(sparse_round *r, const wl *w, const int32_t *nodes, int64_t count)
{
    bonsai_status rc;
    *r = (sparse_round){.w = w, .nodes = nodes, .count = count,
                        .blocks = (count + BLOCK - 1) / BLOCK, .lanes = w->threads};
    BN_TRY(BN_NEW(&r->block, r->blocks));
    BN_TRY(BN_NEW(&r->length, count));
    BN_TRY(BN_NEW(&r->work, r->lanes));
    for (int64_t i = 0; i < r->lanes; i++) {
        BN_TRY(BN_NEW(&r->work[i].sum, w->f));
        BN_TRY(BN_NEW(&r->work[i].seen, w->f));
        BN_TRY(BN_NEW(&r->work[i].touched, w->f));
    }
done:
    return rc;
}

static void end_round(sparse_round *r)
{
    for (int64_t b = 0; r->block && b < r->blocks; b++) {
        bn_free(r->block[b].index);
        bn_free(r->block[b].value);
    }
    for (int64_t i = 0; r->work && i < r->lanes; i++) {
        bn_free(r->work[i].sum);
        bn_free(r->work[i].seen);
        bn_free(r->work[i].touched);
    }
    bn_free(r->block);
    bn_free(r->work);
    bn_free(r->length);
}

static void run_block(sparse_round *r, int64_t lane, int64_t b)
{
    int64_t end = (b + 1) * BLOCK < r->count ? (b + 1) * BLOCK : r->count;
    for (int64_t i = b * BLOCK; i < end; i++) {
        int64_t before = r->block[b].used;
        if (!sparse_row(&r->block[b], &r->work[lane], r->w, r->nodes ? r->nodes[i] : i))
#pragma omp atomic write
            r->failed = 1;
        r->length[i] = r->block[b].used - before;
    }
}

/* The blocks' rows, one after the other. */
static bonsai_status join_blocks(rows *out, const sparse_round *r)
{
    bonsai_status rc;
    out->rows = r->count;
    BN_TRY(BN_NEW(&out->offsets, r->count + 1));
    for (int64_t i = 0; i < r->count; i++)
        out->offsets[i + 1] = out->offsets[i] + r->length[i];
    BN_TRY(BN_NEW(&out->index, out->offsets[r->count]));
    BN_TRY(BN_NEW(&out->value, out->offsets[r->count]));
#pragma omp parallel for num_threads(r->w->threads) schedule(static)
    for (int64_t b = 0; b < r->blocks; b++) {
        const block *from = &r->block[b];
        int64_t to = out->offsets[b * BLOCK];
        if (from->used > 0) {
            memcpy(out->index + to, from->index, (size_t)from->used * sizeof *from->index);
            memcpy(out->value + to, from->value, (size_t)from->used * sizeof *from->value);
        }
    }
done:
    return rc;
}

/* One round over sparse rows: w->x is replaced by the next embedding of the nodes. */
static bonsai_status sparse_step(wl *w, const int32_t *nodes, int64_t count)
{
    bonsai_status rc;
    sparse_round r;
    rows next = {0};
    BN_TRY(start_round(&r, w, nodes, count));
    for (int64_t first = 0; first < r.blocks; first += 16 * r.lanes) {
        BN_TRY(bn_tick(w->progress, "embedding", w->done * count + first * BLOCK,
                       w->layers * count));
        int64_t last = first + 16 * r.lanes < r.blocks ? first + 16 * r.lanes : r.blocks;
#pragma omp parallel for num_threads(w->threads) schedule(static)
        for (int64_t lane = 0; lane < r.lanes; lane++)
            for (int64_t b = first + lane; b < last; b += r.lanes)
                run_block(&r, lane, b);
        if (r.failed) {
            rc = bn_fail(BONSAI_E_MEMORY, "out of memory: no room for sparse embeddings");
            goto done;
        }
    }
    BN_TRY(join_blocks(&next, &r));
    free_rows(&w->x);
    w->x = next;
    memset(&next, 0, sizeof next);
    w->done++;
done:
    end_round(&r);
    free_rows(&next);
    return rc;
}

/* The features as sparse rows with values. */
static bonsai_status copy_features(wl *w)
{
    bonsai_status rc;
    rows *x = &w->x;
    int64_t room = w->g->view.section[BONSAI_FEATURE_INDICES].count;
    BN_TRY(BN_NEW(&x->offsets, w->n + 1));
    BN_TRY(BN_NEW(&x->index, room));
    BN_TRY(BN_NEW(&x->value, room));
    for (int64_t v = 0, at = 0; v < w->n; v++) {
        at += bn_row_get(x->index + at, x->value + at, w->g, v);
        x->offsets[v + 1] = at;
    }
    x->rows = w->n;
done:
    return rc;
}

static bool sparse_enough(const wl *w)
{
    return w->x.rows > 0 && w->x.offsets[w->x.rows] * SPARSE_SHARE <= w->x.rows * w->f;
}

static void hand_over(bn_embedding *out, wl *w)
{
    out->offsets = w->x.offsets;
    out->index = w->x.index;
    out->value = w->x.value;
    memset(&w->x, 0, sizeof w->x);
}

bonsai_status bn_wl(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes, int64_t count,
                    int layers, int threads, bn_progress p)
{
    bonsai_status rc;
    wl w = {.g = g, .nodes = nodes, .count = nodes ? count : g->view.nodes, .n = g->view.nodes,
            .f = g->view.features, .layers = layers, .threads = bn_threads(threads), .progress = p};
    memset(out, 0, sizeof *out);
    out->rows = w.count;
    out->f = w.f;
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_NEIGHBORS) | BN_BIT(BONSAI_EDGE_WEIGHTS) |
                                BN_FEATURE_SECTIONS, threads));
    BN_TRY(bn_tick(p, "embedding", 0, 1));
    BN_TRY(find_degrees(&w));
    if (bn_has(g, BONSAI_FEATURE_OFFSETS))
        BN_TRY(copy_features(&w));
    while (w.done + 1 < layers && sparse_enough(&w))
        BN_TRY(sparse_step(&w, NULL, w.n));
    if (layers > 0 && sparse_enough(&w)) {
        BN_TRY(sparse_step(&w, nodes, w.count));
        hand_over(out, &w);
    } else {
        BN_TRY(dense_rounds(out, &w));
    }
    BN_TRY(bn_tick(p, "embedding", 1, 1));
done:
    bn_free(w.inverse);
    free_rows(&w.x);
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}

/* Sparse rows in the lanes of the dense kernel: zeros add nothing there. */
static float sparse_dist2(const bn_embedding *e, int64_t a, int64_t b)
{
    enum { LANES = 32 };
    float s[LANES] = {0};
    int64_t i = e->offsets[a], iend = e->offsets[a + 1], j = e->offsets[b], jend = e->offsets[b + 1];
    while (i < iend || j < jend) {
        int32_t x = i < iend ? e->index[i] : INT32_MAX, y = j < jend ? e->index[j] : INT32_MAX;
        int32_t id = x < y ? x : y;
        float d = (x == id ? e->value[i++] : 0.0f) - (y == id ? e->value[j++] : 0.0f);
        s[id % LANES] += d * d;
    }
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++)
            s[k] += s[k + width];
    return s[0];
}

float bn_embedding_dist2(const bn_embedding *e, int64_t a, int64_t b)
{
    if (!e->dense)
        return sparse_dist2(e, a, b);
    return bn_kernels_get()->dist2(e->dense + a * e->f, e->dense + b * e->f, e->f);
}
