/* wl.c -- WL embeddings: features averaged over neighbours, L times.
 *
 * Propagation is independent per column, so dense features go through in panels of
 * 16 or 64 columns: two panels are all the memory beside the result, and while a
 * panel of 16 fits the cache its rows are gathered from there.  Sparse features
 * stay sparse rows as long as they are sparse enough (wl_sparse.c), then change to
 * panels for the rounds that are left.  Both ways add each number's terms in the
 * order of the neighbours, so they agree to the bit.  Cost O(L m f), or O(L m) times
 * the non-zeros of a row.  Paper: section 3, definition of the WL kernel.
 *
 * Prototypes average over a node and its neighbours alike instead, as GCN and GAT nearly do:
 * their rows stand for what a network has made of a node, not for a distance between trees.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "wl.h"

/* SPARSE_SHARE: rows with fewer than one entry in so many are cheaper sparse. */
enum { CACHE_BYTES = 16 << 20, SPARSE_SHARE = 16, SOME_ROWS = 128, STRETCH = 1 << 18 };

void bn_embedding_free(bn_embedding *e)
{
    bn_big_free(e->dense);
    bn_big_free(e->offsets);
    bn_big_free(e->index);
    bn_big_free(e->value);
    memset(e, 0, sizeof *e);
}

void bn_embedding_row(float *out, const bn_embedding *e, int64_t row)
{
    if (e->dense) {
        memcpy(out, e->dense + row * e->f, (size_t)e->f * sizeof *out);
        return;
    }
    memset(out, 0, (size_t)e->f * sizeof *out);
    for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
        out[e->index[i]] = e->value[i];
}

void bn_row_add(double *sum, const bn_embedding *e, int64_t row, double weight)
{
    if (e->dense) {
        const float *x = e->dense + row * e->f;
        for (int64_t j = 0; j < e->f; j++)
            sum[j] += weight * (double)x[j];
        return;
    }
    for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
        sum[e->index[i]] += weight * (double)e->value[i];
}

/* Each round counts for a thousand: `rounds` of them are done by done / total. */
bonsai_status bn_wl_tick(const bn_wl_run *w, int rounds, int64_t done, int64_t total)
{
    int64_t all = 1000 * (int64_t)(w->layers > 0 ? w->layers : 1);
    double share = total > 0 ? (double)done / (double)total : 1.0;
    return bn_tick(w->progress, "embedding",
                   1000 * (int64_t)w->done + (int64_t)(1000.0 * rounds * share), all);
}

static bonsai_status find_degrees(bn_wl_run *w)
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
        w->inverse[v] = degree > 0 ? (float)(1.0 / (degree + w->alike)) : 0.0f;
    }
    return BONSAI_OK;
}

/* ---- dense: panels of columns ---- */

static void load_dense(float *panel, const bn_wl_run *w, int64_t first, int width)
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
static void load_sparse(float *panel, const bn_wl_run *w, int64_t first, int width, int64_t *cursor)
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

static void panel_row(float *to, const float *from, const bn_wl_run *w, int64_t v, int width)
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
        to[j] = bn_wl_next(w, v, self[j], to[j]);
}

/* A row of 16 floats is a cache line if it begins where one does. */
static float *line_up(float *p)
{
    return (float *)(((uintptr_t)p + 63) & ~(uintptr_t)63);
}

typedef struct {                /* a panel on its way through the rounds */
    float  *a, *b;              /* before and after a round: n x width */
    float  *out;                /* count x f */
    int64_t first;              /* column */
    int     width;
    int64_t done, total;        /* rows of all panels and rounds, for progress */
} panel;

/* The rows of one round in stretches, with a tick in between: on a large graph a round
 * takes many seconds.  last: of requested nodes, to their place in the result. */
static bonsai_status panel_round(panel *p, const bn_wl_run *w, bool last)
{
    bonsai_status rc = BONSAI_OK;
    int64_t rows = last ? w->count : w->n, left = w->f - p->first;
    int64_t use = left < p->width ? left : p->width;
    for (int64_t begin = 0; begin < rows; begin += STRETCH) {
        int64_t end = rows - begin < STRETCH ? rows : begin + STRETCH;
        BN_TRY(bn_wl_tick(w, w->layers - w->done, p->done, p->total));
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, SOME_ROWS)
        for (int64_t i = begin; i < end; i++) {
            int64_t v = last && w->nodes ? w->nodes[i] : i;
            float row[BN_WIDE], *to = last ? row : p->b + v * p->width;
            if (w->done < w->layers)
                panel_row(to, p->a, w, v, p->width);
            else
                memcpy(to, p->a + v * p->width, (size_t)p->width * sizeof *to);
            if (last)
                memcpy(p->out + i * w->f + p->first, row, (size_t)use * sizeof *row);
        }
        p->done += end - begin;
    }
done:
    return rc;
}

/* One panel through the rounds that are left; the last only for requested nodes. */
static bonsai_status do_panel(panel *p, const bn_wl_run *w)
{
    bonsai_status rc = BONSAI_OK;
    for (int layer = w->done; layer + 1 < w->layers; layer++) {
        BN_TRY(panel_round(p, w, false));
        float *t = p->a;
        p->a = p->b;
        p->b = t;
    }
    BN_TRY(panel_round(p, w, true));
done:
    return rc;
}

static bonsai_status dense_rounds(bn_embedding *out, bn_wl_run *w)
{
    bonsai_status rc;
    float *a = NULL, *b = NULL;
    int64_t *cursor = NULL;
    bool narrow = w->n * BN_NARROW * (int64_t)sizeof *a <= CACHE_BYTES || w->f <= 2 * BN_NARROW;
    int width = narrow ? BN_NARROW : BN_WIDE, rounds = w->layers - w->done;
    panel p = {.width = width};
    BN_TRY(BN_BIG(&out->dense, NULL, w->count * w->f));
    BN_TRY(BN_NEW(&a, w->n * width + 16));
    BN_TRY(BN_NEW(&b, w->n * width + 16));
    if (w->x.offsets) {
        BN_TRY(BN_NEW(&cursor, w->n));
        memcpy(cursor, w->x.offsets, (size_t)w->n * sizeof *cursor);
    }
    p.out = out->dense;
    p.total = (w->f + width - 1) / width * ((rounds > 0 ? rounds - 1 : 0) * w->n + w->count);
    for (; p.first < w->f; p.first += width) {
        p.a = line_up(a);
        p.b = line_up(b);
        if (cursor)
            load_sparse(p.a, w, p.first, width, cursor);
        else
            load_dense(p.a, w, p.first, width);
        BN_TRY(do_panel(&p, w));
    }
done:
    bn_free(a);
    bn_free(b);
    bn_free(cursor);
    return rc;
}

static bool sparse_enough(const bn_wl_run *w)
{
    return w->x.rows > 0 && w->x.offsets[w->x.rows] * SPARSE_SHARE <= w->x.rows * w->f;
}

static void hand_over(bn_embedding *out, bn_wl_run *w)
{
    out->offsets = w->x.offsets;
    out->index = w->x.index;
    out->value = w->x.value;
    memset(&w->x, 0, sizeof w->x);
}

/* Features as they are stay sparse however many there are: nothing is gained by
 * making them dense. */
static bonsai_status all_rounds(bn_embedding *out, bn_wl_run *w)
{
    bonsai_status rc = BONSAI_OK;
    while (w->done + 1 < w->layers && sparse_enough(w))
        BN_TRY(bn_wl_sparse_step(w, NULL, w->n));
    if (w->layers > 0 && sparse_enough(w)) {
        BN_TRY(bn_wl_sparse_step(w, w->nodes, w->count));
        hand_over(out, w);
    } else if (w->layers == 0 && w->x.offsets) {
        BN_TRY(bn_wl_sparse_pick(w));
        hand_over(out, w);
    } else {
        BN_TRY(dense_rounds(out, w));
    }
done:
    return rc;
}

/* Averages of the largest floats, or over the smallest weights, can overflow. */
static bonsai_status check_finite(const bn_embedding *e, const bn_wl_run *w)
{
    const float *value = e->dense ? e->dense : e->value;
    int64_t count = e->dense ? e->rows * e->f : e->offsets[e->rows], bad = 0;
#pragma omp parallel for num_threads(w->threads) schedule(static) reduction(+ : bad)
    for (int64_t i = 0; i < count; i++)
        bad += !isfinite(value[i]);
    if (bad == 0)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s: averaging the features over neighbours overflows: scale "
                   "the features, or the edge weights", w->g->where);
}

static bonsai_status embed(bn_embedding *out, bn_wl_run *w)
{
    bonsai_status rc;
    const bonsai_graph *g = w->g;
    w->n = g->view.nodes;
    w->f = g->view.features;
    w->count = w->nodes ? w->count : w->n;
    memset(out, 0, sizeof *out);
    out->rows = w->count;
    out->f = w->f;
    if (w->layers < 0)
        return bn_fail(BONSAI_E_ARGUMENT, "layers is %d: it must be 0 or more", w->layers);
    BN_TRY(bn_wl_tick(w, 1, 0, 1));
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_OFFSETS) | BN_BIT(BONSAI_NEIGHBORS) |
                                BN_BIT(BONSAI_EDGE_WEIGHTS) | BN_FEATURE_SECTIONS, w->threads));
    BN_TRY(find_degrees(w));
    if (bn_has(g, BONSAI_FEATURE_OFFSETS))
        BN_TRY(bn_wl_sparse_load(w));
    BN_TRY(all_rounds(out, w));
    BN_TRY(check_finite(out, w));
    w->done = 0;
    BN_TRY(bn_wl_tick(w, w->layers > 0 ? w->layers : 1, 1, 1));
done:
    bn_free(w->inverse);
    bn_wl_rows_free(&w->x);
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}

bonsai_status bn_wl(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes, int64_t count,
                    int layers, int threads, bn_progress p)
{
    return embed(out, &(bn_wl_run){.g = g, .nodes = nodes, .count = count, .layers = layers,
                                   .threads = bn_threads(threads), .progress = p});
}

bonsai_status bn_average(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                         int64_t count, int layers, int threads, bn_progress p)
{
    return embed(out, &(bn_wl_run){.g = g, .nodes = nodes, .count = count, .layers = layers,
                                   .threads = bn_threads(threads), .progress = p, .alike = true});
}

/* v, or zero: without a branch, which would be taken as good as at random below. */
static float keep_if(float v, bool keep)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= 0u - (uint32_t)keep;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Sparse rows in the lanes of the dense kernel: zeros add nothing there. */
static float sparse_dist2(const bn_embedding *a, int64_t i, int64_t iend, const bn_embedding *b,
                          int64_t j, int64_t jend)
{
    enum { LANES = 32 };
    float s[LANES] = {0};
    while (i < iend && j < jend) {
        uint32_t x = (uint32_t)a->index[i], y = (uint32_t)b->index[j];
        float d = keep_if(a->value[i], x <= y) - keep_if(b->value[j], y <= x);
        s[(x < y ? x : y) % LANES] += d * d;
        i += x <= y;
        j += y <= x;
    }
    for (; i < iend; i++)
        s[a->index[i] % LANES] += a->value[i] * a->value[i];
    for (; j < jend; j++)
        s[b->index[j] % LANES] += b->value[j] * b->value[j];
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++)
            s[k] += s[k + width];
    return s[0];
}

float bn_rows_dist2(const bn_embedding *a, int64_t i, const bn_embedding *b, int64_t j)
{
    if (!a->dense)
        return sparse_dist2(a, a->offsets[i], a->offsets[i + 1], b, b->offsets[j], b->offsets[j + 1]);
    return bn_kernels_get()->dist2(a->dense + i * a->f, b->dense + j * b->f, a->f);
}

float bn_embedding_dist2(const bn_embedding *e, int64_t a, int64_t b)
{
    return bn_rows_dist2(e, a, e, b);
}
