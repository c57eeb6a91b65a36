/* smallgraph.c -- the graph of some prototypes: a self loop, a row, labels, a weight each.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "candidate.h"

/* Largest remainder: rounding each by itself could make a row that sums to 250 or 260. */
void bn_soften(uint8_t *out, int32_t label, const float *posterior, int64_t classes, double mix)
{
    int left = 255;
    for (int64_t k = 0; k < classes; k++) {
        double v = 255 * (mix * (double)posterior[k] + (k == label ? 1 - mix : 0));
        int q = (int)floor(fmin(fmax(v, 0), 255));
        out[k] = (uint8_t)(q < left ? q : left);
        left -= out[k];
    }
    for (; left > 0; left--) {
        int64_t best = label;
        double most = -1;
        for (int64_t k = 0; k < classes; k++) {
            double v = 255 * (mix * (double)posterior[k] + (k == label ? 1 - mix : 0));
            if (v - (double)out[k] > most && out[k] < 255) {
                most = v - (double)out[k];
                best = k;
            }
        }
        out[best]++;
    }
}

static bonsai_status put_loops(bonsai_graph *g, bool loops)
{
    bonsai_status rc;
    uint32_t *offsets, *neighbors;
    uint8_t *role;
    int64_t n = g->view.nodes;
    BN_TRY(bn_graph_array(&offsets, g, BONSAI_SECTION_OFFSETS, BONSAI_TYPE_U32, n + 1));
    BN_TRY(bn_graph_array(&neighbors, g, BONSAI_SECTION_NEIGHBORS, BONSAI_TYPE_U32, loops ? n : 0));
    BN_TRY(bn_graph_array(&role, g, BONSAI_SECTION_ROLE, BONSAI_TYPE_U8, n));
    memset(role, BONSAI_ROLE_PROTOTYPE, (size_t)n);
    for (int64_t i = 0; i < n && loops; i++) {
        neighbors[i] = (uint32_t)i;
        offsets[i + 1] = (uint32_t)i + 1;
    }
    g->view.flags = loops ? BONSAI_FLAG_SELF_LOOPS : 0;
done:
    return rc;
}

static void put_number(void *to, bonsai_type t, int64_t i, int64_t value)
{
    switch (t) {
    case BONSAI_TYPE_U8:  ((uint8_t *)to)[i] = (uint8_t)value; break;
    case BONSAI_TYPE_U16: ((uint16_t *)to)[i] = (uint16_t)value; break;
    case BONSAI_TYPE_U32: ((uint32_t *)to)[i] = (uint32_t)value; break;
    default:         ((float *)to)[i] = (float)value; break;
    }
}

static bonsai_status put_labels(bonsai_graph *g, const bn_clusters *c, const bn_storage *s,
                                double mix)
{
    bonsai_status rc;
    void *label, *weight;
    uint8_t *soft;
    int64_t n = c->count, classes = s->classes;
    bonsai_type wide = classes <= 255     ? BONSAI_TYPE_U8
                       : classes <= 65535 ? BONSAI_TYPE_U16
                                          : BONSAI_TYPE_U32;
    BN_TRY(bn_graph_array(&label, g, BONSAI_SECTION_LABELS, wide, n));
    for (int64_t i = 0; i < n; i++)
        put_number(label, wide, i, c->label[i]);
    if (s->soft) {
        BN_TRY(bn_graph_array(&soft, g, BONSAI_SECTION_SOFT_LABELS, BONSAI_TYPE_U8, n * classes));
        for (int64_t i = 0; i < n; i++)
            bn_soften(soft + i * classes, c->label[i], c->posterior + i * classes, classes, mix);
    }
    if (s->largest > 0) {
        wide = s->largest <= 255     ? BONSAI_TYPE_U8
               : s->largest <= 65535 ? BONSAI_TYPE_U16
                                     : BONSAI_TYPE_F32;
        BN_TRY(bn_graph_array(&weight, g, BONSAI_SECTION_NODE_WEIGHTS, wide, n));
        for (int64_t i = 0; i < n; i++)
            put_number(weight, wide, i, c->size[i]);
    }
done:
    return rc;
}

bonsai_status bn_candidate_graph(bonsai_graph **out, const bn_clusters *c, const bn_keep *k,
                                 const bn_storage *s, double mix, const bn_job *job)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    static const bonsai_section same[] = {
        BONSAI_SECTION_CLASS_NAMES, BONSAI_SECTION_KEPT_FEATURES,
        BONSAI_SECTION_FEATURE_MEAN, BONSAI_SECTION_FEATURE_SPREAD};
    BN_TRY(bn_graph_new(&g, job->g->where));
    g->view.nodes = c->count;
    g->view.features = s->f;
    g->view.classes = s->classes;
    BN_TRY(put_loops(g, s->loops));
    BN_TRY(bn_rows_store(g, c, k, s, job->at.threads));
    BN_TRY(put_labels(g, c, s, mix));
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        BN_TRY(bn_graph_copy(g, &job->g->view, same[i]));
    BN_TRY(bonsai_graph_verify(g));
    *out = g;
    g = NULL;
done:
    bonsai_graph_free(g);
    return rc;
}

/* ---- where prototypes come from ---- */

static uint32_t original(const bn_job *job, int64_t tree)
{
    const uint32_t *origin = job->g->view.section[BONSAI_SECTION_ORIGIN].data;
    return origin ? origin[job->train[tree]] : (uint32_t)job->train[tree];
}

static bonsai_status put_origins(bonsai_graph *g, const bn_clusters *c, const bn_source *s,
                                 const bn_job *job)
{
    bonsai_status rc;
    int64_t *nearest = NULL;
    uint32_t *origin;
    rc = BN_NEW(&nearest, c->count);
    if (rc == BONSAI_OK)
        rc = bn_graph_array(&origin, g, BONSAI_SECTION_ORIGIN, BONSAI_TYPE_U32, c->count);
    BN_TRY(bn_agree(job->at.world, rc));
    BN_TRY(bn_clusters_nearest(nearest, c, s));
    for (int64_t i = 0; i < c->count; i++)
        origin[i] = original(job, nearest[i]);
done:
    bn_free(nearest);
    return rc;
}

/* The clusters of all trees, on every rank. */
static bonsai_status gather_clusters(int32_t **out, const bn_clusters *c, const bn_source *s)
{
    bonsai_status rc;
    bn_world *w = s->x->at->world;
    int64_t *bytes = NULL;
    rc = BN_BIG(out, s->x->at->memory, s->x->rows);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&bytes, bn_ranks(w));
    BN_TRY(bn_agree(w, rc));
    for (int r = 0; r < bn_ranks(w); r++)
        bytes[r] = (s->x->first[r + 1] - s->x->first[r]) * (int64_t)sizeof **out;
    BN_TRY(bn_gather(w, *out, bytes, c->cluster));
done:
    bn_free(bytes);
    return rc;
}

static bonsai_status write_members(bonsai_graph *g, const bn_clusters *c, const int32_t *cluster,
                                   const bn_job *job)
{
    bonsai_status rc;
    uint64_t *offsets, *at = NULL;
    uint32_t *member;
    int64_t n = c->count, total = 0;
    for (int64_t i = 0; i < n; i++)
        total += c->size[i];
    BN_TRY(BN_NEW(&at, n));
    BN_TRY(bn_graph_array(&offsets, g, BONSAI_SECTION_MEMBER_OFFSETS, BONSAI_TYPE_U64, n + 1));
    BN_TRY(bn_graph_array(&member, g, BONSAI_SECTION_MEMBERS, BONSAI_TYPE_U32, total));
    for (int64_t i = 0; i < n; i++) {
        at[i] = offsets[i];
        offsets[i + 1] = offsets[i] + (uint64_t)c->size[i];
    }
    for (int64_t t = 0; t < job->trees; t++)
        if (cluster[t] >= 0)
            member[at[cluster[t]]++] = original(job, t);
done:
    bn_free(at);
    return rc;
}

static bonsai_status put_members(bonsai_graph *g, const bn_clusters *c, const bn_source *s,
                                 const bn_job *job)
{
    bonsai_status rc;
    int32_t *cluster = NULL;
    BN_TRY(gather_clusters(&cluster, c, s));
    BN_TRY(bn_agree(job->at.world, write_members(g, c, cluster, job)));
done:
    bn_big_free(cluster);
    return rc;
}

bonsai_status bn_candidate_trace(bonsai_graph *g, const bn_clusters *c, const bn_source *s,
                                 const bn_job *job)
{
    bonsai_status rc = put_origins(g, c, s, job);
    if (rc == BONSAI_OK && job->o->members)
        rc = put_members(g, c, s, job);
    return rc != BONSAI_OK ? rc : bn_agree(job->at.world, bonsai_graph_verify(g));
}
