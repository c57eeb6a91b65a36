/* project.c -- k-NN through a random projection of the features.
 *
 * Averaging over neighbours is linear, so the features are projected once, by a matrix of random
 * signs, and embedded in few dimensions.  The nearest trees there are candidates; they and the
 * samples are embedded again with all features, and the exact distances among them decide.  Only
 * near trees that were not candidates can be missed: the recall, measured against the exact search,
 * says how often.
 *
 * The sign of feature j in dimension d is bit d of the random stream of item j, and a row is summed
 * in the order of its features: nothing depends on threads.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "knn.h"

/* SAMPLES: measured at a time. */
enum { LEAST_CANDIDATES = 32, RECALL_SAMPLE = 200, WORD = 64, SAMPLES = 1024 };
static const int64_t recall_floats = (int64_t)1 << 28;     /* up to 1 GiB is embedded */

/* ---- the embedding in few dimensions ---- */

static bonsai_status draw_signs(float **out, int64_t f, bn_projection how, bn_memory *m)
{
    const int dims = how.dims;
    bonsai_status rc = BN_BIG(out, m, f * dims);
    float one = (float)(1 / sqrt((double)dims));
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t j = 0; j < f; j++) {
        bn_rng r = bn_rng_at(how.seed, (uint64_t)j);
        uint64_t bits = 0;
        for (int d = 0; d < dims; d++) {
            if (d % WORD == 0)
                bits = bn_rng_next(&r);
            (*out)[j * dims + d] = bits >> d % WORD & 1 ? one : -one;
        }
    }
    return BONSAI_OK;
}

typedef struct {                /* the nodes of this rank and their projected features */
    int64_t first, end;
    float  *x;                  /* (end - first) x dims */
    int     dims;
} own_rows;

typedef struct {
    int32_t *index;             /* lanes x room */
    float   *value;
    int64_t  room;
} row_room;

static void project_rows(own_rows *to, const bonsai_graph *g, const float *signs, int lanes,
                         const row_room *r)
{
    const bn_kernels *k = bn_kernels_get();
    const double work = bn_features_work(g, to->end - to->first) * to->dims;
#pragma omp parallel for num_threads(bn_team(lanes, work)) schedule(static)
    for (int lane = 0; lane < lanes; lane++) {
        int32_t *index = r->index + lane * r->room;
        float *value = r->value + lane * r->room;
        for (int64_t v = to->first + lane; v < to->end; v += lanes) {
            int64_t count = bn_row_get(index, value, g, v);
            for (int64_t i = 0; i < count; i++)
                k->axpy(to->x + (v - to->first) * to->dims, value[i],
                        signs + index[i] * (int64_t)to->dims, to->dims);
        }
    }
}

static bonsai_status project_own(own_rows *to, const bonsai_graph *g, bn_projection how,
                                 const bn_place *at)
{
    bonsai_status rc;
    float *signs = NULL;
    int lanes = bn_threads(at->threads);
    row_room r = {NULL, NULL, bn_row_room(g)};
    const bn_rows own = bn_rows_of(&g->view, at);
    to->first = own.begin;
    to->end = own.end;
    to->dims = how.dims;
    if (bn_ranks(at->world) == 1)       /* else each rank has verified its part */
        BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, at->threads));
    BN_TRY(BN_NEW(&r.index, lanes * r.room));
    BN_TRY(BN_NEW(&r.value, lanes * r.room));
    BN_TRY(draw_signs(&signs, g->view.features, how, at->memory));
    BN_TRY(BN_BIG(&to->x, at->memory, (to->end - to->first) * how.dims));
    project_rows(to, g, signs, lanes, &r);
done:
    bn_big_free(signs);
    bn_free(r.index);
    bn_free(r.value);
    return rc;
}

/* Makes the graph with projected features.  They begin where row 0 would be, so that the rank's own
 * rows are at their places; the rows of others must not be touched. */
static bonsai_status project_graph(bonsai_graph **out, const bonsai_graph *g, const own_rows *own)
{
    bonsai_status rc = bn_graph_new(out, g->where);
    if (rc != BONSAI_OK)
        return rc;
    bonsai_graph *low = *out;
    size_t before = (size_t)own->first * (size_t)own->dims * sizeof *own->x;
    const void *row0 = (const void *)((uintptr_t)own->x - before);
    low->view.nodes = g->view.nodes;
    low->view.features = own->dims;
    low->view.flags = g->view.flags;
    bn_graph_borrow(low, g, BN_BIT(BONSAI_SECTION_OFFSETS) | BN_BIT(BONSAI_SECTION_NEIGHBORS) |
                                BN_BIT(BONSAI_SECTION_EDGE_WEIGHTS));
    low->view.section[BONSAI_SECTION_FEATURES] =
        (bonsai_array){row0, g->view.nodes * own->dims, BONSAI_TYPE_F32};
    /* overflow shows in the result */
    atomic_store(&low->verified[BONSAI_SECTION_FEATURES], 1);
    return BONSAI_OK;
}

bonsai_status bn_project(bn_embedding *out, const bonsai_graph *g, const bn_nodes *nodes,
                         int layers, bn_projection how, const bn_place *at)
{
    bonsai_status rc;
    bonsai_graph *low = NULL;
    own_rows own = {0};
    at = bn_here(at);
    memset(out, 0, sizeof *out);
    rc = project_own(&own, g, how, at);
    if (rc == BONSAI_OK)
        rc = project_graph(&low, g, &own);
    BN_TRY(bn_agree(at->world, rc));
    BN_TRY(bn_embed(out, low, nodes, BN_RULE_WL, layers, at));
done:
    bonsai_graph_free(low);
    bn_big_free(own.x);
    return rc;
}

/* ---- candidates, measured exactly ---- */

typedef struct {
    const int64_t *first;       /* ranks+1: the trees of each rank */
    int64_t  alone[2];
    const bn_sample *sample;
    int      k, many;           /* neighbours wanted; candidates */
    const bn_place *at;
    int      rank, ranks, threads;
    int32_t *list;              /* z x many candidates */
    int32_t *place;             /* trees: number among those embedded again, or -1 */
    int64_t *begin;             /* ranks+1: first of each rank among those */
    int32_t *node;              /* of those of this rank */
    bn_embedding x;             /* their rows with all features */
    int64_t *row;               /* SAMPLES: rows of some samples */
    double  *far;           /* SAMPLES x many: distances of their candidates; -1: on another rank */
} rerank;

static bonsai_status new_rerank(rerank *q)
{
    bonsai_status rc;
    int64_t trees = q->first[q->ranks];
    BN_TRY(BN_BIG(&q->list, q->at->memory, q->sample->z * q->many));
    BN_TRY(BN_BIG(&q->place, q->at->memory, trees));
    BN_TRY(BN_BIG(&q->node, q->at->memory, q->first[q->rank + 1] - q->first[q->rank]));
    BN_TRY(BN_NEW(&q->begin, q->ranks + 1));
    BN_TRY(BN_NEW(&q->row, SAMPLES));
    BN_TRY(BN_NEW(&q->far, SAMPLES * (int64_t)q->many));
done:
    return rc;
}

static void free_rerank(rerank *q)
{
    bn_big_free(q->list);
    bn_big_free(q->place);
    bn_big_free(q->node);
    bn_free(q->begin);
    bn_free(q->row);
    bn_free(q->far);
    bn_embedding_free(&q->x);
}

/* Embeds the samples and their candidates with all features, on the ranks of their trees. */
static bonsai_status embed_needed(rerank *q, const bn_roots *roots)
{
    const bn_place quiet = bn_silent(q->at);
    int64_t count = 0;
    for (int64_t s = 0; s < q->sample->z; s++)
        q->place[q->sample->row[s]] = 1;
    for (int64_t i = 0; i < q->sample->z * q->many; i++)
        q->place[q->list[i]] = 1;
    for (int r = 0; r < q->ranks; r++) {
        q->begin[r] = count;
        for (int64_t t = q->first[r]; t < q->first[r + 1]; t++) {
            if (q->place[t] && r == q->rank)
                q->node[count - q->begin[r]] = roots->node[t];
            q->place[t] = q->place[t] ? (int32_t)count++ : -1;
        }
    }
    q->begin[q->ranks] = count;
    const bn_nodes own = {q->node, q->begin[q->rank + 1] - q->begin[q->rank]};
    return bn_embed(&q->x, roots->g, &own, BN_RULE_WL, roots->layers, &quiet);
}

/* Measures the candidates of this rank for samples s0 .. s0+count-1, whose rows are in some. */
static void measure(const rerank *q, const bn_embedding *some, int64_t s0, int64_t count)
{
    int64_t begin = q->begin[q->rank], end = q->begin[q->rank + 1];
    const double work = bn_numbers(&q->x, count * q->many);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static)
    for (int64_t s = 0; s < count; s++)
        for (int64_t i = s * q->many; i < (s + 1) * q->many; i++) {
            int64_t row = q->place[q->list[s0 * q->many + i]];
            q->far[i] = row >= begin && row < end
                            ? (double)bn_rows_dist2(some, s, &q->x, row - begin) : -1;
        }
}

static void decide(int32_t *to, const rerank *q, int64_t s0, int64_t s, bn_candidate *room)
{
    for (int i = 0; i < q->many; i++)
        room[i] = (bn_candidate){(float)q->far[s * q->many + i],
                                 q->list[(s0 + s) * q->many + i]};
    qsort(room, (size_t)q->many, sizeof *room, bn_by_distance);
    for (int i = 0; i < q->k; i++)
        to[(s0 + s) * q->k + i] = room[i].row;
}

static bonsai_status decide_some(int32_t *list, rerank *q, int64_t s0, int64_t count,
                                 bn_candidate *room)
{
    bonsai_status rc;
    bn_embedding some = {0};
    const bn_sharded x = {.e = &q->x, .first = q->begin, .at = q->at};
    for (int64_t s = 0; s < count; s++)
        q->row[s] = q->place[q->sample->row[s0 + s]];
    BN_TRY(bn_rows_gather(&some, &x, q->row, count));
    measure(q, &some, s0, count);
    BN_TRY(bn_max(q->at->world, q->far, count * q->many));
    const double work = 64.0 * (double)(count * q->many);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static)
    for (int lane = 0; lane < q->threads; lane++)
        for (int64_t s = lane; s < count; s += q->threads)
            decide(list, q, s0, s, room + (int64_t)lane * q->many);
done:
    bn_embedding_free(&some);
    return rc;
}

static bonsai_status decide_all(int32_t *list, rerank *q)
{
    bonsai_status rc;
    bn_candidate *room = NULL;
    BN_TRY(bn_agree(q->at->world, BN_NEW(&room, (int64_t)q->threads * q->many)));
    for (int64_t s = 0; s < q->sample->z; s += SAMPLES)
        BN_TRY(decide_some(list, q, s, bn_least(SAMPLES, q->sample->z - s), room));
done:
    bn_free(room);
    return rc;
}

bonsai_status bn_project_knn(int32_t *list, const bn_embedding *low, const bn_roots *roots,
                             const bn_sample *s, int k, const bn_place *at)
{
    bonsai_status rc;
    at = bn_here(at);
    rerank q = {.alone = {0, low->rows}, .sample = s, .k = k, .at = at,
                .rank = bn_rank(at->world), .ranks = bn_ranks(at->world),
                .threads = bn_threads(at->threads)};
    const bn_sharded x = {.e = low, .first = roots->first, .at = at};
    q.first = q.ranks == 1 ? q.alone : roots->first;
    int64_t many = 4 * (int64_t)k > LEAST_CANDIDATES ? 4 * (int64_t)k : LEAST_CANDIDATES;
    many = bn_least(many, q.first[q.ranks] - 1);
    q.many = (int)(many < k ? k : many);
    BN_TRY(bn_agree(at->world, new_rerank(&q)));
    BN_TRY(bn_knn(q.list, NULL, &x, s, q.many, NULL));
    BN_TRY(embed_needed(&q, roots));
    BN_TRY(decide_all(list, &q));
done:
    free_rerank(&q);
    return rc;
}

/* ---- recall ---- */

static int64_t count_common(const int32_t *a, const int32_t *b, int k)
{
    int64_t common = 0;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            common += a[i] == b[j];
    return common;
}

bonsai_status bn_project_recall(double *out, const int32_t *list, const bn_roots *roots,
                                const bn_sample *s, int k, const bn_place *at)
{
    bonsai_status rc;
    bn_embedding e = {0};
    int32_t *exact = NULL, *some = NULL;
    int64_t room, found = 0, z = s->z, count = z < RECALL_SAMPLE ? z : RECALL_SAMPLE;
    const bn_place quiet = bn_silent(at);
    const bn_sharded x = {.e = &e, .first = roots->first, .at = &quiet};
    bn_world *w = quiet.world;
    bool alone = bn_ranks(w) == 1;
    int64_t begin = alone ? 0 : roots->first[w->rank];
    int64_t end = alone ? roots->count : roots->first[w->rank + 1];
    *out = -1;
    if (!bn_mul(&room, roots->count, roots->g->view.features) || room > recall_floats)
        return BONSAI_OK;
    rc = BN_NEW(&some, count);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&exact, count * k);
    BN_TRY(bn_agree(w, rc));
    for (int64_t i = 0; i < count; i++)
        some[i] = s->row[i * z / count];
    BN_TRY(bn_embed(&e, roots->g, &(bn_nodes){roots->node + begin, end - begin}, BN_RULE_WL,
                    roots->layers, &quiet));
    BN_TRY(bn_knn(exact, NULL, &x, &(bn_sample){some, count}, k, NULL));
    for (int64_t i = 0; i < count; i++)
        found += count_common(exact + i * k, list + i * z / count * k, k);
    *out = (double)found / (double)(count * k);
done:
    bn_embedding_free(&e);
    bn_free(exact);
    bn_free(some);
    return rc;
}
