/* project.c -- k-NN through a random projection of the features.
 *
 * Averaging over neighbours is linear, so the features are projected once, by a
 * matrix of random signs, and embedded in few dimensions.  The nearest trees there
 * are candidates; they and the samples are embedded again with all features, and the
 * exact distances among them decide.  What can be missed is a near tree that was not
 * a candidate: the recall, measured against the exact search, says how often.
 *
 * The sign of feature j in dimension d is bit d of the random stream of item j, and a
 * row is summed in the order of its features: nothing depends on threads.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "condense.h"

enum { LEAST_CANDIDATES = 32, RECALL_SAMPLE = 200, WORD = 64 };
static const int64_t recall_floats = (int64_t)1 << 28;     /* embeddings up to 1 GiB are made for it */

/* ---- the embedding in few dimensions ---- */

static bonsai_status draw_signs(float **out, int64_t f, int dims, uint64_t seed)
{
    bonsai_status rc = BN_NEW(out, f * dims);
    float one = (float)(1 / sqrt((double)dims));
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t j = 0; j < f; j++) {
        bn_rng r = bn_rng_at(seed, (uint64_t)j);
        uint64_t bits = 0;
        for (int d = 0; d < dims; d++) {
            if (d % WORD == 0)
                bits = bn_rng_next(&r);
            (*out)[j * dims + d] = bits >> d % WORD & 1 ? one : -one;
        }
    }
    return BONSAI_OK;
}

typedef struct {
    int32_t *index;             /* lanes x room */
    float   *value;
    int64_t  room;
} row_room;

static void project_rows(float *to, const bonsai_graph *g, const float *signs, int dims, int lanes,
                         const row_room *r)
{
    const bn_kernels *k = bn_kernels_get();
#pragma omp parallel for num_threads(lanes) schedule(static)
    for (int lane = 0; lane < lanes; lane++) {
        int32_t *index = r->index + lane * r->room;
        float *value = r->value + lane * r->room;
        for (int64_t v = lane; v < g->view.nodes; v += lanes) {
            int64_t count = bn_row_get(index, value, g, v);
            for (int64_t i = 0; i < count; i++)
                k->axpy(to + v * dims, value[i], signs + index[i] * (int64_t)dims, dims);
        }
    }
}

/* The graph with projected features. */
static bonsai_status project_graph(bonsai_graph **out, const bonsai_graph *g, int dims,
                                   uint64_t seed, int threads)
{
    bonsai_status rc;
    bonsai_graph *low = NULL;
    float *signs = NULL, *to;
    int lanes = bn_threads(threads);
    row_room r = {NULL, NULL, bn_row_room(g)};
    BN_TRY(draw_signs(&signs, g->view.features, dims, seed));
    BN_TRY(BN_NEW(&r.index, lanes * r.room));
    BN_TRY(BN_NEW(&r.value, lanes * r.room));
    BN_TRY(bn_graph_new(&low, g->where));
    low->view.nodes = g->view.nodes;
    low->view.features = dims;
    low->view.flags = g->view.flags;
    bn_graph_borrow(low, g, BN_BIT(BONSAI_OFFSETS) | BN_BIT(BONSAI_NEIGHBORS) |
                                BN_BIT(BONSAI_EDGE_WEIGHTS));
    BN_TRY(bn_graph_array(&to, low, BONSAI_FEATURES, BONSAI_F32, g->view.nodes * dims));
    project_rows(to, g, signs, dims, lanes, &r);
    *out = low;
    low = NULL;
done:
    bonsai_graph_free(low);
    bn_free(signs);
    bn_free(r.index);
    bn_free(r.value);
    return rc;
}

bonsai_status bn_project(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                         int64_t count, int layers, int dims, uint64_t seed, int threads,
                         bn_progress p)
{
    bonsai_status rc;
    bonsai_graph *low = NULL;
    memset(out, 0, sizeof *out);
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, threads));
    BN_TRY(project_graph(&low, g, dims, seed, threads));
    BN_TRY(bn_wl(out, low, nodes, count, layers, threads, p));
done:
    bonsai_graph_free(low);
    return rc;
}

/* ---- candidates, measured exactly ---- */

typedef struct {
    const bn_embedding *low;
    const int32_t *sample;
    int64_t  z;
    int      k, many;           /* neighbours wanted; candidates */
    int32_t *list;              /* z x many candidates */
    int32_t *place;             /* trees: row in x, or -1 */
    int32_t *node;              /* of the rows of x */
    int64_t  rows;
    bn_embedding x;             /* with all features */
} rerank;

/* Embeds the samples and their candidates with all features. */
static bonsai_status embed_needed(rerank *q, const bonsai_graph *g, const int32_t *nodes,
                                  int layers, int threads)
{
    bonsai_status rc;
    int64_t trees = q->low->rows;
    BN_TRY(BN_NEW(&q->place, trees));
    BN_TRY(BN_NEW(&q->node, trees));
    for (int64_t s = 0; s < q->z; s++)
        q->place[q->sample[s]] = 1;
    for (int64_t i = 0; i < q->z * q->many; i++)
        q->place[q->list[i]] = 1;
    for (int64_t t = 0; t < trees; t++) {
        if (q->place[t])
            q->node[q->rows] = nodes[t];
        q->place[t] = q->place[t] ? (int32_t)q->rows++ : -1;
    }
    BN_TRY(bn_wl(&q->x, g, q->node, q->rows, layers, threads, (bn_progress){NULL, NULL}));
done:
    return rc;
}

typedef struct { float d; int32_t tree; } measured;

static int by_distance(const void *a, const void *b)
{
    const measured *x = a, *y = b;
    if (x->d != y->d)
        return x->d < y->d ? -1 : 1;
    return x->tree < y->tree ? -1 : x->tree > y->tree;
}

static void decide(int32_t *to, const rerank *q, int64_t s, measured *room)
{
    for (int i = 0; i < q->many; i++) {
        int32_t tree = q->list[s * q->many + i];
        room[i] = (measured){bn_embedding_dist2(&q->x, q->place[q->sample[s]], q->place[tree]), tree};
    }
    qsort(room, (size_t)q->many, sizeof *room, by_distance);
    for (int i = 0; i < q->k; i++)
        to[s * q->k + i] = room[i].tree;
}

static bonsai_status decide_all(int32_t *list, const rerank *q, int threads)
{
    measured *room = NULL;
    int lanes = bn_threads(threads);
    bonsai_status rc = BN_NEW(&room, (int64_t)lanes * q->many);
    if (rc != BONSAI_OK)
        return rc;
#pragma omp parallel for num_threads(lanes) schedule(static)
    for (int lane = 0; lane < lanes; lane++)
        for (int64_t s = lane; s < q->z; s += lanes)
            decide(list, q, s, room + (int64_t)lane * q->many);
    bn_free(room);
    return BONSAI_OK;
}

bonsai_status bn_project_knn(int32_t *list, const bn_embedding *low, const bonsai_graph *g,
                             const int32_t *nodes, const int32_t *sample, int64_t z, int k,
                             int layers, int threads, bn_progress p)
{
    bonsai_status rc;
    int64_t many = 4 * (int64_t)k > LEAST_CANDIDATES ? 4 * (int64_t)k : LEAST_CANDIDATES;
    if (many >= low->rows)
        many = low->rows - 1;
    rerank q = {.low = low, .sample = sample, .z = z, .k = k, .many = (int)(many < k ? k : many)};
    BN_TRY(BN_NEW(&q.list, z * q.many));
    BN_TRY(bn_knn(q.list, NULL, low, sample, z, q.many, threads, p));
    BN_TRY(embed_needed(&q, g, nodes, layers, threads));
    BN_TRY(decide_all(list, &q, threads));
done:
    bn_free(q.list);
    bn_free(q.place);
    bn_free(q.node);
    bn_embedding_free(&q.x);
    return rc;
}

/* ---- how good it was ---- */

static int64_t count_common(const int32_t *a, const int32_t *b, int k)
{
    int64_t common = 0;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            common += a[i] == b[j];
    return common;
}

bonsai_status bn_project_recall(double *out, const int32_t *list, const bonsai_graph *g,
                                const int32_t *nodes, int64_t trees, const int32_t *sample,
                                int64_t z, int k, int layers, int threads)
{
    bonsai_status rc;
    bn_embedding x = {0};
    int32_t *exact = NULL, *some = NULL;
    int64_t room, found = 0, count = z < RECALL_SAMPLE ? z : RECALL_SAMPLE;
    const bn_progress silent = {NULL, NULL};
    *out = -1;
    if (!bn_mul(&room, trees, g->view.features) || room > recall_floats)
        return BONSAI_OK;
    BN_TRY(BN_NEW(&some, count));
    BN_TRY(BN_NEW(&exact, count * k));
    for (int64_t i = 0; i < count; i++)
        some[i] = sample[i * z / count];
    BN_TRY(bn_wl(&x, g, nodes, trees, layers, threads, silent));
    BN_TRY(bn_knn(exact, NULL, &x, some, count, k, threads, silent));
    for (int64_t i = 0; i < count; i++)
        found += count_common(exact + i * k, list + i * z / count * k, k);
    *out = (double)found / (double)(count * k);
done:
    bn_embedding_free(&x);
    bn_free(exact);
    bn_free(some);
    return rc;
}
