/* smallgraph.c -- the graph of some prototypes: a self loop, a row, labels, a weight each.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "mold.h"

/* Rounds by largest remainders: rounding each by itself could make a row that sums to 250 or
 * 260. */
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

/* Lists a self loop for each node, unless nodes are alone; for a pair an edge between both nodes
 * and a self loop of the second; for a twofold prototype a self loop of the first. */
static void list_edges(uint32_t *offsets, uint32_t *neighbors, int64_t n, const bn_storage *s)
{
    int64_t at = 0;
    for (int64_t i = 0; i < bn_storage_rows(s, n); i++) {
        if (s->pairs)
            neighbors[at++] = (uint32_t)(i < n ? i + n : i - n);
        if (s->pairs ? i >= n : s->both ? i < n : !s->alone)
            neighbors[at++] = (uint32_t)i;
        offsets[i + 1] = (uint32_t)at;
    }
}

static bonsai_status put_edges(bonsai_graph *g, int64_t n, const bn_storage *s)
{
    bonsai_status rc;
    uint32_t *offsets, *neighbors;
    uint8_t *role;
    int64_t rows = g->view.nodes;
    BN_TRY(bn_graph_array(&offsets, g, BONSAI_SECTION_OFFSETS, BONSAI_TYPE_U32, rows + 1));
    BN_TRY(bn_graph_array(&neighbors, g, BONSAI_SECTION_NEIGHBORS, BONSAI_TYPE_U32,
                          s->pairs ? 3 * n : s->alone ? 0 : n));
    BN_TRY(bn_graph_array(&role, g, BONSAI_SECTION_ROLE, BONSAI_TYPE_U8, rows));
    memset(role, BONSAI_ROLE_PROTOTYPE, (size_t)rows);
    list_edges(offsets, neighbors, n, s);
    g->view.flags = s->alone ? 0 : BONSAI_FLAG_SELF_LOOPS;
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

/* Puts labels and weights.  The second nodes of pairs have no label, which the largest number
 * of the type stands for.  Those of twofold prototypes have that of the first, and both have
 * half of the weight. */
static bonsai_status put_labels(bonsai_graph *g, const bn_plan *p)
{
    bonsai_status rc;
    const bn_storage *s = p->storage;
    void *label, *weight;
    uint8_t *soft;
    const int64_t n = p->c->count, rows = g->view.nodes, classes = s->classes;
    const int64_t labelled = s->both ? rows : n;
    bonsai_type wide = classes <= 255     ? BONSAI_TYPE_U8
                       : classes <= 65535 ? BONSAI_TYPE_U16
                                          : BONSAI_TYPE_U32;
    BN_TRY(bn_graph_array(&label, g, BONSAI_SECTION_LABELS, wide, rows));
    for (int64_t i = 0; i < rows; i++)
        put_number(label, wide, i, i < labelled ? (int64_t)p->c->label[i % n] : UINT32_MAX);
    if (s->soft) {
        BN_TRY(bn_graph_array(&soft, g, BONSAI_SECTION_SOFT_LABELS, BONSAI_TYPE_U8,
                              rows * classes));
        for (int64_t i = 0; i < labelled; i++)
            bn_soften(soft + i * classes, p->c->label[i % n],
                      p->taught ? p->taught + i * classes : p->c->posterior + i % n * classes,
                      classes, p->mix);
    }
    if (s->largest > 0) {
        wide = s->both               ? BONSAI_TYPE_F32
               : s->largest <= 255   ? BONSAI_TYPE_U8
               : s->largest <= 65535 ? BONSAI_TYPE_U16
                                     : BONSAI_TYPE_F32;
        BN_TRY(bn_graph_array(&weight, g, BONSAI_SECTION_NODE_WEIGHTS, wide, rows));
        for (int64_t i = 0; i < labelled && s->both; i++)
            ((float *)weight)[i] = (float)p->c->size[i % n] / 2;
        for (int64_t i = 0; i < n && !s->both; i++)
            put_number(weight, wide, i, p->c->size[i]);
    }
done:
    return rc;
}

bonsai_status bn_made_graph(bonsai_graph **out, const bonsai_graph *full, int64_t nodes)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    static const bonsai_section same[] = {
        BONSAI_SECTION_CLASS_NAMES, BONSAI_SECTION_FEATURE_NAMES, BONSAI_SECTION_KEPT_FEATURES,
        BONSAI_SECTION_FEATURE_MEAN, BONSAI_SECTION_FEATURE_SPREAD};
    BN_TRY(bn_graph_new(&g, full->where));
    g->view.nodes = nodes;
    g->view.features = full->view.features;
    g->view.classes = full->view.classes;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        BN_TRY(bn_graph_copy(g, &full->view, same[i]));
    *out = g;
    g = NULL;
done:
    bonsai_graph_free(g);
    return rc;
}

/* Marks the features as coordinates, which have no names. */
static void be_coordinates(bonsai_graph *g)
{
    const bonsai_section s = BONSAI_SECTION_FEATURE_NAMES;
    bn_free(g->owned[s]);
    g->owned[s] = NULL;
    g->view.section[s] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    g->view.flags |= BONSAI_FLAG_COORDINATES;
}

/* Returns the first direction that is a feature: the mean row, first unless the basis is bare, is
 * not judged. */
static int64_t first_direction(const bn_plan *p, bn_compact form)
{
    return form == BN_COMPACT_JUDGED && !p->bare ? 1 : 0;
}

/* Makes a graph with the features of the full one, or with one for each direction of the
 * basis. */
static bonsai_status bare_graph(bonsai_graph **out, const bn_plan *p, bn_compact form,
                                const bn_job *job)
{
    bonsai_status rc;
    const int64_t nodes = bn_storage_rows(p->storage, p->c->count);
    if (form == BN_COMPACT_NOT)
        return bn_made_graph(out, job->g, nodes);
    BN_TRY(bn_graph_new(out, job->g->where));
    (*out)->view.nodes = nodes;
    (*out)->view.features = p->basis->r - first_direction(p, form);
    (*out)->view.classes = job->g->view.classes;
done:
    return rc;
}

static bonsai_status put_features(bonsai_graph *g, const bn_plan *p, bn_compact form,
                                  const bn_job *job)
{
    if (form != BN_COMPACT_NOT)
        return bn_shares_compact(g, p->shares, form == BN_COMPACT_SHARES ? NULL : p->basis,
                                 first_direction(p, form));
    if (!p->basis)
        return bn_rows_store(g, p->m, p->keep, p->storage, job->at.threads);
    if (job->o->coordinates)
        be_coordinates(g);
    return bn_shares_store(g, p->shares, p->basis, job->at.threads);
}

bonsai_status bn_candidate_graph(bonsai_graph **out, const bn_plan *p, bn_compact form,
                                 const bn_job *job)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    BN_TRY(bare_graph(&g, p, form, job));
    BN_TRY(put_edges(g, p->c->count, p->storage));
    BN_TRY(put_features(g, p, form, job));
    BN_TRY(put_labels(g, p));
    BN_TRY(bonsai_graph_verify(g));
    *out = g;
    g = NULL;
done:
    bonsai_graph_free(g);
    return rc;
}

/* ---- where prototypes come from ---- */

static uint32_t original(const bn_job *job, int64_t node)
{
    const uint32_t *origin = job->g->view.section[BONSAI_SECTION_ORIGIN].data;
    return origin ? origin[node] : (uint32_t)node;
}

/* Reads the rows of a small graph in the columns or coordinates of the source. */
static bonsai_status stored_rows(bn_embedding *out, const bonsai_graph *g, const bn_basis *basis,
                                 const bn_place *at)
{
    bonsai_status rc;
    bn_embedding rows = {0};
    const bool far = basis && !g->spanned;      /* in all columns still */
    BN_TRY(bn_embed_view(far ? &rows : out, g, NULL, BN_OWN, 0, at));
    if (far)
        BN_TRY(bn_basis_project(out, basis, &rows, at));
done:
    bn_embedding_free(&rows);
    return rc;
}

/* Puts the origins; a second node has that of the first. */
static bonsai_status put_origins(bonsai_graph *g, const bn_clusters *c, const bn_source *s,
                                 const bn_kind *kind, const bn_basis *basis, const bn_job *job)
{
    bonsai_status rc;
    const bn_place here = {.threads = job->at.threads};
    bn_embedding rows = {0};
    int64_t *nearest = NULL;
    uint32_t *origin;
    rc = BN_NEW(&nearest, c->count);
    if (rc == BONSAI_OK)
        rc = bn_graph_array(&origin, g, BONSAI_SECTION_ORIGIN, BONSAI_TYPE_U32, g->view.nodes);
    if (rc == BONSAI_OK)
        rc = stored_rows(&rows, g, basis, &here);
    BN_TRY(bn_agree(job->at.world, rc));
    BN_TRY(bn_clusters_nearest(nearest, c, s, &rows, &kind->blend));
    for (int64_t i = 0; i < g->view.nodes; i++)
        origin[i] = original(job, s->node[nearest[i % c->count]]);
done:
    bn_embedding_free(&rows);
    bn_free(nearest);
    return rc;
}

/* Gathers the clusters of all rows on every rank. */
static bonsai_status gather_clusters(int32_t **out, const bn_clusters *c, const bn_source *s)
{
    bonsai_status rc;
    bn_world *w = s->view[BN_FAR]->at->world;
    int64_t *bytes = NULL;
    rc = BN_BIG(out, s->view[BN_FAR]->at->memory, s->view[BN_FAR]->rows);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&bytes, bn_ranks(w));
    BN_TRY(bn_agree(w, rc));
    const int64_t *first = s->view[BN_FAR]->first;
    for (int r = 0; r < bn_ranks(w); r++)
        bytes[r] = (first[r + 1] - first[r]) * (int64_t)sizeof **out;
    BN_TRY(bn_gather(w, *out, bytes, c->cluster));
done:
    bn_free(bytes);
    return rc;
}

static bonsai_status write_members(bonsai_graph *g, const bn_clusters *c, const int32_t *cluster,
                                   const bn_source *s, const bn_job *job)
{
    bonsai_status rc;
    uint64_t *offsets, *at = NULL;
    uint32_t *member;
    int64_t n = c->count, nodes = g->view.nodes, total = 0;
    for (int64_t i = 0; i < n; i++)
        total += c->size[i];
    BN_TRY(BN_NEW(&at, n));
    BN_TRY(bn_graph_array(&offsets, g, BONSAI_SECTION_MEMBER_OFFSETS, BONSAI_TYPE_U64, nodes + 1));
    BN_TRY(bn_graph_array(&member, g, BONSAI_SECTION_MEMBERS, BONSAI_TYPE_U32, total));
    for (int64_t i = 0; i < n; i++) {
        at[i] = offsets[i];
        offsets[i + 1] = offsets[i] + (uint64_t)c->size[i];
    }
    for (int64_t i = n; i < nodes; i++)         /* second nodes */
        offsets[i + 1] = offsets[i];
    for (int64_t r = 0; r < s->view[BN_FAR]->rows; r++)
        if (cluster[r] >= 0)
            member[at[cluster[r]]++] = original(job, s->node[r]);
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
    BN_TRY(bn_agree(job->at.world, write_members(g, c, cluster, s, job)));
done:
    bn_big_free(cluster);
    return rc;
}

bonsai_status bn_candidate_trace(bonsai_graph *g, const bn_clusters *c, const bn_source *s,
                                 const bn_kind *kind, const bn_basis *basis, const bn_job *job)
{
    bonsai_status rc = put_origins(g, c, s, kind, basis, job);
    if (rc == BONSAI_OK && job->o->members)
        rc = put_members(g, c, s, job);
    return rc != BONSAI_OK ? rc : bn_agree(job->at.world, bonsai_graph_verify(g));
}
