/* averages.c -- averaged rows as a product of sparse matrices: rounds of averaging, and the
 * features.
 *
 * Averages of long sparse rows are long and dense.  A solver that multiplies by them repeatedly is
 * many times as fast if it multiplies by the edges and the features instead.
 *
 * SPDX-License-Identifier: MIT */
#include "embed.h"

#include <string.h>


static const double most_numbers = 1 << 25;     /* 400 MB in both directions */

void bn_averages_free(bn_averages *a)
{
    bn_matrix *made[] = {&a->x_turned, &a->round, &a->round_turned, &a->last, &a->last_turned,
                         &a->pick, &a->pick_turned};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        bn_matrix_free(made[i]);
    bn_embedding_free(&a->features);
    memset(a, 0, sizeof *a);
}

bn_chain bn_averages_own(const bn_averages *a)
{
    return (bn_chain){{{&a->pick, &a->pick_turned}, {&a->x, &a->x_turned}}, 2};
}

bn_chain bn_averages_far(const bn_averages *a, int layers)
{
    if (layers == 0)
        return bn_averages_own(a);
    bn_chain c = {{{&a->last, &a->last_turned}}, 1};
    while (c.count < layers) {
        c.factor[c.count].a = &a->round;
        c.factor[c.count++].turned = &a->round_turned;
    }
    c.factor[c.count].a = &a->x;
    c.factor[c.count++].turned = &a->x_turned;
    return c;
}

/* ---- the rank's share of the graph ---- */

double bn_averages_cost(const bonsai_graph *g, double entries, int layers)
{
    const double nodes = (double)g->view.nodes, features = entries * nodes;
    if (!bn_has(g, BONSAI_SECTION_OFFSETS) || layers + 1 > BN_CHAIN_MOST)
        return 0;
    const double edges = (double)bn_row_begin(g, g->view.nodes) + nodes;
    return edges + features <= most_numbers ? features + layers * edges : 0;
}

typedef struct {                /* the edges of all nodes, on rank 0 */
    const int32_t *neighbor;
    const float   *weight;      /* NULL: all 1 */
    int32_t *neighbors;         /* gathered; NULL: those of the graph */
    float   *weights;
} edges;

static void edges_free(edges *e)
{
    bn_big_free(e->neighbors);
    bn_big_free(e->weights);
}

/* Gathers four bytes for each edge. */
static bonsai_status gather_numbers(void **out, const void *from, const bonsai_graph *g,
                                    const bn_place *at)
{
    bonsai_status rc;
    const int ranks = bn_ranks(at->world), rank = bn_rank(at->world);
    int64_t *bytes = NULL;
    int32_t *all = NULL;
    rc = BN_NEW(&bytes, ranks);
    if (rc == BONSAI_OK)
        rc = BN_BIG(&all, at->memory, bn_row_begin(g, g->view.nodes));
    BN_TRY(bn_agree(at->world, rc));
    for (int r = 0; r < ranks; r++)
        bytes[r] = 4 * (bn_row_begin(g, at->first[r + 1]) - bn_row_begin(g, at->first[r]));
    const char *mine = (const char *)from + 4 * bn_row_begin(g, at->first[rank]);
    BN_TRY(bn_gather(at->world, all, bytes, mine));
    *out = all;
    all = NULL;
done:
    bn_free(bytes);
    bn_big_free(all);
    return rc;
}

static bonsai_status gather_edges(edges *e, const bonsai_graph *g, const bn_place *at)
{
    bonsai_status rc = BONSAI_OK;
    const float *weight = g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    void *all = NULL;
    *e = (edges){.neighbor = bn_neighbors(g), .weight = weight};
    if (bn_ranks(at->world) == 1)
        return BONSAI_OK;
    BN_TRY(gather_numbers(&all, e->neighbor, g, at));
    e->neighbor = e->neighbors = all;
    if (weight) {
        BN_TRY(gather_numbers(&all, weight, g, at));
        e->weight = e->weights = all;
    }
done:
    return rc;
}

static bonsai_status gather_rows(bn_embedding *out, const bn_embedding *own, int64_t nodes,
                                 const bn_place *at)
{
    bonsai_status rc;
    int64_t *row = NULL;
    BN_TRY(bn_agree(at->world, BN_NEW(&row, nodes)));
    for (int64_t v = 0; v < nodes; v++)
        row[v] = v;
    BN_TRY(bn_rows_gather(out, &(bn_sharded){.e = own, .at = at, .first = at->first}, row, nodes));
done:
    bn_free(row);
    return rc;
}

static bonsai_status gather_features(bn_averages *out, const bonsai_graph *g, bool dense,
                                     const bn_place *at)
{
    bonsai_status rc;
    bn_embedding own = {0}, other = {0};
    BN_TRY(bn_embed(&own, g, NULL, BN_RULE_MEAN, 0, at));
    if (dense != (own.dense != NULL)) {
        BN_TRY(bn_agree(at->world, bn_embedding_take(&other, &own, NULL, own.rows, dense, at)));
        bn_embedding_free(&own);
        own = other;
        memset(&other, 0, sizeof other);
    }
    if (bn_ranks(at->world) > 1)
        BN_TRY(gather_rows(&out->features, &own, g->view.nodes, at));
    else {
        out->features = own;
        memset(&own, 0, sizeof own);
    }
done:
    bn_embedding_free(&own);
    bn_embedding_free(&other);
    return rc;
}

/* ---- the matrices ---- */

/* Makes the rows of a round that belong to the nodes, or all (NULL). */
static bonsai_status make_round(bn_matrix *out, const edges *e, const bonsai_graph *g,
                                const bn_nodes *nodes)
{
    bonsai_status rc;
    const int64_t count = nodes ? nodes->count : g->view.nodes;
    *out = (bn_matrix){.rows = count, .cols = g->view.nodes};
    BN_TRY(BN_NEW(&out->offsets, count + 1));
    for (int64_t i = 0; i < count; i++) {
        const int64_t v = nodes ? nodes->id[i] : i;
        out->offsets[i + 1] = out->offsets[i] + 1 + bn_row_begin(g, v + 1) - bn_row_begin(g, v);
    }
    BN_TRY(BN_NEW(&out->index, out->offsets[count]));
    BN_TRY(BN_NEW(&out->value, out->offsets[count]));
    for (int64_t i = 0; i < count; i++) {
        const int64_t v = nodes ? nodes->id[i] : i, begin = bn_row_begin(g, v);
        const int64_t degree = bn_row_begin(g, v + 1) - begin;
        int32_t *index = out->index + out->offsets[i];
        float *value = out->value + out->offsets[i];
        double sum = 0;
        for (int64_t j = 0; j < degree; j++)
            sum += e->weight ? (double)e->weight[begin + j] : 1;
        const float factor = bn_rule_factor(BN_RULE_MEAN, sum);
        index[0] = (int32_t)v;
        value[0] = factor > 0 ? factor : 1;
        for (int64_t j = 0; j < degree; j++) {
            index[j + 1] = e->neighbor[begin + j];
            value[j + 1] = factor * (e->weight ? e->weight[begin + j] : 1);
        }
    }
done:
    return rc;
}

static bonsai_status make_pick(bn_matrix *out, const bn_nodes *nodes, int64_t cols)
{
    bonsai_status rc;
    *out = (bn_matrix){.rows = nodes->count, .cols = cols};
    BN_TRY(BN_NEW(&out->offsets, nodes->count + 1));
    BN_TRY(BN_NEW(&out->index, nodes->count));
    for (int64_t i = 0; i < nodes->count; i++) {
        out->index[i] = nodes->id[i];
        out->offsets[i + 1] = i + 1;
    }
done:
    return rc;
}

static bonsai_status make_all(bn_averages *out, const edges *e, const bonsai_graph *g,
                              const bn_nodes *nodes, int layers)
{
    bonsai_status rc;
    const bn_embedding *x = &out->features;
    out->x = (bn_matrix){x->rows, x->f, x->offsets, x->index, x->value, x->dense};
    BN_TRY(bn_matrix_transpose(&out->x_turned, &out->x));
    if (layers > 1) {
        BN_TRY(make_round(&out->round, e, g, NULL));
        BN_TRY(bn_matrix_transpose(&out->round_turned, &out->round));
    }
    BN_TRY(make_round(&out->last, e, g, nodes));
    BN_TRY(bn_matrix_transpose(&out->last_turned, &out->last));
    BN_TRY(make_pick(&out->pick, nodes, x->rows));
    BN_TRY(bn_matrix_transpose(&out->pick_turned, &out->pick));
done:
    return rc;
}

bonsai_status bn_averages_make(bn_averages *out, const bonsai_graph *g, const bn_nodes *nodes,
                               int layers, bool dense, const bn_place *at)
{
    bonsai_status rc;
    edges e = {0};
    memset(out, 0, sizeof *out);
    BN_TRY(gather_features(out, g, dense, at));
    BN_TRY(gather_edges(&e, g, at));
    if (bn_rank(at->world) > 0)
        bn_embedding_free(&out->features);
    else
        rc = make_all(out, &e, g, nodes, layers);
    BN_TRY(bn_agree(at->world, rc));
done:
    edges_free(&e);
    if (rc != BONSAI_OK)
        bn_averages_free(out);
    return rc;
}
