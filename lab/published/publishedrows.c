/* publishedrows.c -- rows, kept features, prices and neighbours as in the published code.
 *
 * A row is D^-1 (A + I) D^-1 X: the mean over a closed neighbourhood of features, each divided by
 * the size of its own node's closed neighbourhood.  The decision tree reads all features; rows and
 * prices after it use only those of its splits.
 *
 * SPDX-License-Identifier: MIT */
#include "published.h"

/* ---- features divided by the size of the closed neighbourhood ---- */

static float share_of(const bonsai_graph *g, int64_t v)
{
    const float *w = g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    double degree = 1;
    for (int64_t e = bn_row_begin(g, v); e < bn_row_begin(g, v + 1); e++)
        degree += w ? (double)w[e] : 1;
    return (float)(1 / degree);
}

typedef struct { int32_t *index; float *value; } row_room;

static bonsai_status share_dense(bonsai_graph *out, const bonsai_graph *g, const row_room *r)
{
    bonsai_status rc;
    float *x;
    const int64_t n = g->view.nodes, f = g->view.features;
    int64_t all;
    if (!bn_mul(&all, n, f))
        return bn_fail_at(BONSAI_E_MEMORY, g->where, "too many features");
    BN_TRY(bn_graph_array(&x, out, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, all));
    for (int64_t v = 0; v < n; v++) {
        const float share = share_of(g, v);
        const int64_t count = bn_row_get(r->index, r->value, g, v);
        for (int64_t i = 0; i < count; i++)
            x[v * f + r->index[i]] = share * r->value[i];
    }
done:
    return rc;
}

static bonsai_status share_sparse(bonsai_graph *out, const bonsai_graph *g, const row_room *r)
{
    bonsai_status rc;
    uint64_t *offsets;
    uint32_t *index;
    float *value;
    const int64_t n = g->view.nodes;
    BN_TRY(bn_graph_array(&offsets, out, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, n + 1));
    for (int64_t v = 0; v < n; v++)
        offsets[v + 1] = offsets[v] + (uint64_t)bn_row_get(r->index, r->value, g, v);
    BN_TRY(bn_graph_array(&index, out, BONSAI_SECTION_FEATURE_INDICES, BONSAI_TYPE_U32,
                          (int64_t)offsets[n]));
    BN_TRY(bn_graph_array(&value, out, BONSAI_SECTION_FEATURE_VALUES, BONSAI_TYPE_F32,
                          (int64_t)offsets[n]));
    for (int64_t v = 0; v < n; v++) {
        const float share = share_of(g, v);
        const int64_t count = bn_row_get(r->index, r->value, g, v);
        for (int64_t i = 0; i < count; i++) {
            index[offsets[v] + (uint64_t)i] = (uint32_t)r->index[i];
            value[offsets[v] + (uint64_t)i] = share * r->value[i];
        }
    }
done:
    return rc;
}

static bonsai_status share_features(bonsai_graph **out, const bonsai_graph *g)
{
    bonsai_status rc;
    bonsai_graph *new = NULL;
    row_room r = {NULL, NULL};
    const int64_t room = bn_row_room(g);
    BN_TRY(BN_NEW(&r.index, room));
    BN_TRY(BN_NEW(&r.value, room));
    BN_TRY(bn_graph_new(&new, g->where));
    new->view.nodes = g->view.nodes;
    new->view.features = g->view.features;
    new->view.flags = g->view.flags;
    bn_graph_borrow(new, g, BN_BIT(BONSAI_SECTION_OFFSETS) | BN_BIT(BONSAI_SECTION_NEIGHBORS) |
                            BN_BIT(BONSAI_SECTION_EDGE_WEIGHTS));
    BN_TRY(bn_has(g, BONSAI_SECTION_FEATURES) ? share_dense(new, g, &r)
                                              : share_sparse(new, g, &r));
    BN_TRY(bonsai_graph_verify(new));
    *out = new;
    new = NULL;
done:
    bonsai_graph_free(new);
    bn_free(r.index);
    bn_free(r.value);
    return rc;
}

/* Embeds the training nodes in a graph with the job's edges. */
static bonsai_status embed(bn_embedding *out, const bn_job *job, const bonsai_graph *g)
{
    bonsai_status rc;
    bonsai_graph *shared = NULL;
    bn_enter(&job->at, BN_STAGE_WL);
    BN_TRY(share_features(&shared, g));
    BN_TRY(bn_embed(out, shared, &(bn_nodes){job->train, job->trees}, BN_RULE_MEAN,
                    BN_PUBLISHED_LAYERS, &job->at));
done:
    bonsai_graph_free(shared);
    return rc;
}

bonsai_status bn_published_features(int32_t **kept, int64_t *count, const bn_job *job)
{
    bonsai_status rc;
    bn_embedding x = {0};
    int32_t *label = NULL;
    *kept = NULL;
    BN_TRY(embed(&x, job, job->g));
    BN_TRY(BN_NEW(&label, job->trees));
    for (int64_t t = 0; t < job->trees; t++)
        label[t] = bn_label(job->g, job->train[t]);
    const bn_cart_task task = {label, job->g->view.classes, BN_PUBLISHED_DEPTH, true, job->o->seed};
    BN_TRY(bn_cart(kept, count, &x, &task, &job->at));
done:
    bn_embedding_free(&x);
    bn_free(label);
    return rc;
}

/* ---- prices ---- */

/* Prices each row of kept features by the kind of the whole graph's features.  Whole numbers other
 * than 1 are never dense here: the published code prices those of Flickr by their non-zeros,
 * however many there are.  --accounting paper does so only for sparse whole numbers; it treats
 * features as dense if that takes the fewest bytes. */
static bonsai_status price_rows(bn_published *p, const bonsai_graph *whole, const bn_place *at)
{
    bonsai_status rc;
    bn_traits t;
    bool integer, dense, counts;
    row_room r = {NULL, NULL};
    const int64_t n = p->g->view.nodes, room = bn_row_room(p->g);
    BN_TRY(bn_traits_of(&t, &integer, whole, &(bn_place){.threads = at->threads}));
    t = bn_traits_mapped(&t);
    bn_traits_bytes(&t, n, whole->view.features, &dense);
    counts = integer && !t.ones;
    BN_TRY(BN_NEW(&p->price, n));
    BN_TRY(BN_NEW(&r.index, room));
    BN_TRY(BN_NEW(&r.value, room));
    for (int64_t v = 0; v < n; v++) {
        const int64_t count = bn_row_get(r.index, r.value, p->g, v);
        double sum = 0;
        for (int64_t i = 0; i < count; i++)
            sum += (double)r.value[i];
        p->price[v] = bn_paper_rows(dense && !counts, counts, (double)p->g->view.features, count,
                                    sum);
    }
done:
    bn_free(r.index);
    bn_free(r.value);
    return rc;
}

/* ---- neighbours ---- */

/* Finds the nearest k - 1 other rows of every tree; the published code's k counts the row
 * itself. */
static bonsai_status find_covers(bn_lists *out, const bn_job *job, const bn_embedding *x)
{
    bonsai_status rc;
    int32_t *all = NULL, *list = NULL;
    const int k = (int)bn_least(BN_PUBLISHED_K, job->trees) - 1;
    const bn_sharded rows = {.e = x, .at = &job->at};
    bn_enter(&job->at, BN_STAGE_KNN);
    BN_TRY(BN_NEW(&all, job->trees));
    BN_TRY(BN_NEW(&list, job->trees * k));
    for (int64_t t = 0; t < job->trees; t++)
        all[t] = (int32_t)t;
    const bn_sample sample = {all, job->trees};
    if (k > 0)
        BN_TRY(bn_knn(list, NULL, &rows, &sample, k, NULL));
    BN_TRY(bn_rknn(out, job->trees, &sample, list, k));
done:
    bn_free(all);
    bn_free(list);
    return rc;
}

bonsai_status bn_published_new(bn_published *p, const bn_job *job, const int32_t *kept,
                               int64_t count)
{
    bonsai_status rc;
    bn_embedding x = {0};
    *p = (bn_published){0};
    BN_TRY(bn_graph_columns(&p->g, job->g, kept, count));
    BN_TRY(price_rows(p, job->g, &job->at));
    BN_TRY(embed(&x, job, p->g));
    BN_TRY(find_covers(&p->covers, job, &x));
    bn_enter(&job->at, BN_STAGE_COVER);
    BN_TRY(BN_NEW(&p->order, job->trees));
    BN_TRY(bn_published_order(p->order, &p->covers, job->at.progress));
done:
    bn_embedding_free(&x);
    return rc;
}

void bn_published_free(bn_published *p)
{
    bonsai_graph_free(p->g);
    bn_lists_free(&p->covers);
    bn_free(p->order);
    bn_free(p->price);
    *p = (bn_published){0};
}
