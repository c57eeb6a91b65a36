/* wl.c -- WL embeddings: features averaged over neighbours, L times.
 *
 * Propagation is independent per column, so dense features go through in panels of
 * 4 to 64 columns (wl_dense.c): two panels are all the memory beside the result, and while a
 * panel of 16 fits the cache its rows are gathered from there.  Sparse features
 * stay sparse rows as long as they are sparse enough (wl_sparse.c), then change to
 * panels for the rounds that are left.  Both ways add each number's terms in the
 * order of the neighbours, so they agree to the bit.  Cost O(L m f), or O(L m) times
 * the non-zeros of a row.  Paper: section 3, definition of the WL kernel.
 *
 * A round computes the rows that the requested ones will need, no others; over ranks, each its own
 * rows of them, and the neighbours' rows that other ranks own are sent before each round
 * (wl_halo.c).
 *
 * Prototypes average over a node and its neighbours alike instead, as GCN and GAT nearly do:
 * their rows stand for what a network has made of a node, not for a distance between trees.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "wl.h"

/* SPARSE_SHARE: rows with fewer than one entry in so many are cheaper sparse. */
enum { SPARSE_SHARE = 16 };

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
    bonsai_status rc = BN_BIG(&w->inverse, w->at->memory, w->n);
    const float *weight = w->g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    if (rc != BONSAI_OK)
        return rc;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t v = 0; v < w->n; v++) {
        int64_t e = bn_row_begin(w->g, w->first + v), end = bn_row_begin(w->g, w->first + v + 1);
        double degree = weight ? 0 : (double)(end - e);
        for (; weight && e < end; e++)
            degree += (double)weight[e];
        w->inverse[v] = degree > 0 ? (float)(1.0 / (degree + w->alike)) : 0.0f;
    }
    return BONSAI_OK;
}

/* The entries of own rows that are needed now. */
static int64_t count_entries(const bn_wl_run *w)
{
    const bonsai_array *offsets = &w->g->view.section[BONSAI_SECTION_FEATURE_OFFSETS];
    int64_t count = 0;
    if (w->x.offsets)
        return w->x.offsets[w->x.rows];
    if (!w->need)
        return bn_int_at(offsets, w->first + w->n) - bn_int_at(offsets, w->first);
    for (int64_t v = 0; v < w->n; v++)
        if (bn_wl_needs(w->need, v, w->done))
            count += bn_int_at(offsets, w->first + v + 1) - bn_int_at(offsets, w->first + v);
    return count;
}

/* Whether the rows of all ranks are sparse enough for another round as such. */
static bonsai_status sparse_enough(bool *out, const bn_wl_run *w)
{
    bonsai_status rc = BONSAI_OK;
    int64_t sum[2] = {0};
    *out = false;
    if (!w->sparse)
        return rc;
    sum[0] = count_entries(w);
    sum[1] = bn_wl_needed(w, w->done);
    BN_TRY(bn_sum_int(bn_wl_world(w), sum, 2));
    *out = sum[1] > 0 && sum[0] * SPARSE_SHARE <= sum[1] * w->f;
done:
    return rc;
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
    bool sparse = w->layers == 0 && w->sparse;
    if (sparse)
        BN_TRY(bn_agree(bn_wl_world(w), bn_wl_sparse_pick(w)));
    while (w->done < w->layers) {
        BN_TRY(sparse_enough(&sparse, w));
        if (!sparse)
            break;
        BN_TRY(bn_wl_sparse_step(w, w->done + 1 == w->layers));
    }
    if (sparse)
        hand_over(out, w);
    else
        BN_TRY(bn_wl_dense(out, w));
done:
    return rc;
}

/* Averages of the largest floats, or over the smallest weights, can overflow. */
static bonsai_status check_finite(const bn_embedding *e, const bn_wl_run *w)
{
    int64_t count = e->dense ? 0 : e->offsets[e->rows], bad = w->bad;
#pragma omp parallel for num_threads(w->threads) schedule(static) reduction(+ : bad)
    for (int64_t i = 0; i < count; i++)
        bad += !isfinite(e->value[i]);
    if (bad == 0)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s: averaging the features over neighbours overflows: scale "
                   "the features, or the edge weights", w->g->where);
}

static bonsai_status start(bn_wl_run *w)
{
    bonsai_status rc;
    if (w->layers < 0)
        return bn_fail(BONSAI_E_ARGUMENT, "layers is %d: it must be 0 or more", w->layers);
    BN_TRY(bn_wl_tick(w, 1, 0, 1));
    BN_TRY(bn_graph_need(w->g, BN_BIT(BONSAI_SECTION_OFFSETS) | BN_BIT(BONSAI_SECTION_NEIGHBORS) |
                                   BN_BIT(BONSAI_SECTION_EDGE_WEIGHTS) | BN_FEATURE_SECTIONS, w->threads));
    BN_TRY(find_degrees(w));
done:
    return rc;
}

static bonsai_status embed(bn_embedding *out, bn_wl_run *w)
{
    bonsai_status rc;
    bn_world *world = bn_wl_world(w);
    bool alone = bn_ranks(world) == 1;
    int64_t before = world ? world->sent : 0;
    w->first = alone ? 0 : w->at->first[bn_rank(world)];
    w->n = alone ? w->g->view.nodes : w->at->first[bn_rank(world) + 1] - w->first;
    w->f = w->g->view.features;
    w->count = w->nodes ? w->count : w->n;
    w->sparse = bn_has(w->g, BONSAI_SECTION_FEATURE_OFFSETS);
    memset(out, 0, sizeof *out);
    out->rows = w->count;
    out->f = w->f;
    BN_TRY(bn_agree(world, start(w)));
    BN_TRY(bn_wl_reach(w));
    BN_TRY(all_rounds(out, w));
    BN_TRY(bn_agree(world, check_finite(out, w)));
    w->done = 0;
    BN_TRY(bn_agree(world, bn_wl_tick(w, w->layers > 0 ? w->layers : 1, 1, 1)));
    if (world && w->at)
        w->at->sent_rows += world->sent - before;
done:
    bn_big_free(w->inverse);
    bn_wl_rows_free(&w->x);
    bn_wl_reach_free(w);
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}

bonsai_status bn_wl_over(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                         int64_t count, int layers, bn_where *at, int threads, bn_progress p)
{
    return embed(out, &(bn_wl_run){.g = g, .nodes = nodes, .count = count,
                                   .layers = layers, .at = at, .threads = bn_threads(threads),
                                   .progress = p});
}

bonsai_status bn_average_over(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                              int64_t count, int layers, bn_where *at, int threads, bn_progress p)
{
    return embed(out, &(bn_wl_run){.g = g, .nodes = nodes, .count = count,
                                   .layers = layers, .at = at, .threads = bn_threads(threads),
                                   .progress = p, .alike = true});
}

bonsai_status bn_wl(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes, int64_t count,
                    int layers, int threads, bn_progress p)
{
    return bn_wl_over(out, g, nodes, count, layers, &(bn_where){0}, threads, p);
}

bonsai_status bn_average(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                         int64_t count, int layers, int threads, bn_progress p)
{
    return bn_average_over(out, g, nodes, count, layers, &(bn_where){0}, threads, p);
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
        return sparse_dist2(a, a->offsets[i], a->offsets[i + 1], b, b->offsets[j],
                            b->offsets[j + 1]);
    return bn_kernels_get()->dist2(a->dense + i * a->f, b->dense + j * b->f, a->f);
}

float bn_embedding_dist2(const bn_embedding *e, int64_t a, int64_t b)
{
    return bn_rows_dist2(e, a, e, b);
}
