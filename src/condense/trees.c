/* trees.c -- the paper's method: cover, sparsify, enrich, until the budget is used.
 *
 * Trees are taken in the order of the greedy cover as long as they fit.  Then
 * PageRank from the roots ranks the ego nodes, those below the knee go, and the
 * bytes that they free are filled with more trees, of less depth once no whole tree
 * fits, down to single nodes.  Paper: algorithm 1 and the appendix on PPR.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "condense.h"

enum { MOST_ROUNDS = 50 };

typedef struct {
    const bn_job *job;
    const bn_budget *budget;
    bn_price *price;
    bn_ego   *ego;
    bn_cover *cover;
    int64_t  *degree;           /* trees */
    double   *cost;             /* trees: stand-alone bytes, for --greedy density */
    double   *seat;             /* classes: bytes kept back until one of its nodes is in; 0: none */
    uint8_t  *tried;            /* classes: a tree of it has fitted or been tried */
    uint8_t  *role;             /* n: bonsai_role while in the set */
    int32_t  *brought;          /* n: root that brought the node */
    float    *score;            /* n */
    int64_t   roots, seats;     /* seats: classes that still have none */
    double    kept_back;        /* sum of seat */
    int64_t   added;            /* trees taken in the last filling */
} state;

/* ---- cover and enrich ---- */

static bool classes_tried(const state *s)
{
    for (int64_t c = 0; c < s->job->g->view.classes; c++)
        if (!s->tried[c] && s->seat[c] > 0)
            return false;
    return true;
}

static void take_seat(state *s, int32_t label)
{
    if (s->seat[label] > 0) {
        s->kept_back -= s->seat[label];
        s->seat[label] = 0;
        s->seats--;
    }
}

static void note_nodes(state *s, int32_t root, const int32_t *added, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        s->role[added[i]] = BONSAI_EGO;
        s->brought[added[i]] = root;
    }
    s->role[root] = BONSAI_ROOT;
    s->roots++;
    s->added++;
}

/* Tries one tree at a depth; true if it is in.  Other classes' seats stay free. */
static bool try_tree(state *s, int64_t tree, int depth)
{
    const int32_t *added;
    int64_t count;
    int32_t root = s->job->train[tree], label = bn_label(s->job->g, root);
    bool seated = s->seat[label] == 0;
    double limit = s->budget->bytes - s->kept_back + s->seat[label];
    int64_t nodes = s->budget->nodes - s->seats + !seated;
    s->tried[label] = 1;
    if (!bn_ego_grow(&added, &count, s->ego, s->price, root, depth, limit, nodes))
        return false;
    note_nodes(s, root, added, count);
    bn_cover_take(s->cover, tree);
    take_seat(s, label);
    return true;
}

/* Takes trees of one depth until none fits any more. */
static bonsai_status fill_at(state *s, int depth)
{
    bonsai_status rc = BONSAI_OK;
    int64_t misses = 0;
    for (int64_t tree; s->roots < s->budget->trees && (tree = bn_cover_next(s->cover)) >= 0;) {
        if (try_tree(s, tree, depth)) {
            misses = 0;
            BN_TRY(bn_tick(s->job->progress, "cover", s->roots, s->job->trees));
            continue;
        }
        bn_cover_skip(s->cover, tree);
        if (++misses >= s->job->o->patience && classes_tried(s))
            break;
    }
    bn_cover_retry(s->cover);
done:
    return rc;
}

/* Fills what is left of the budget: whole trees, then shallower ones. */
static bonsai_status fill(state *s)
{
    bonsai_status rc = BONSAI_OK;
    s->added = 0;
    for (int depth = s->job->o->layers; depth >= 0; depth--)
        BN_TRY(fill_at(s, depth));
done:
    return rc;
}

/* The bytes that the cheapest node of each class can add at most: its own, and an
 * entry in both rows for every neighbour. */
static bonsai_status keep_seats(state *s)
{
    bonsai_status rc = BONSAI_OK;
    const bn_job *job = s->job;
    double entry = bn_has(job->g, BONSAI_EDGE_WEIGHTS) ? 8 : 4;
    double empty = bn_price_bytes(s->price);
    for (int64_t t = 0; t < job->trees; t++) {
        int32_t v = job->train[t], label = bn_label(job->g, v);
        bn_price_add(s->price, v);
        double bytes = bn_price_bytes(s->price) - empty + 2 * entry * (double)s->degree[t];
        bn_price_remove(s->price, v);
        if (s->seat[label] == 0)
            s->seats++;
        if (s->seat[label] == 0 || bytes < s->seat[label])
            s->seat[label] = bytes;
    }
    for (int64_t c = 0; c < job->g->view.classes; c++)
        s->kept_back += s->seat[c];
    if (s->kept_back > s->budget->bytes || s->seats > s->budget->nodes || s->seats > s->budget->trees) {
        memset(s->seat, 0, (size_t)job->g->view.classes * sizeof *s->seat);   /* not all can sit */
        s->kept_back = 0;
        s->seats = 0;
    }
    return rc;
}

/* ---- sparsify ---- */

typedef struct {                /* the graph that the set induces */
    int64_t  n;
    int32_t *node;              /* ascending */
    int64_t *offsets;
    int32_t *neighbors;
    float   *weights;
    uint8_t *root;
    double  *pi;
} induced;

static void free_induced(induced *h)
{
    bn_free(h->node);
    bn_free(h->offsets);
    bn_free(h->neighbors);
    bn_free(h->weights);
    bn_free(h->root);
    bn_free(h->pi);
    memset(h, 0, sizeof *h);
}

static bonsai_status induce_nodes(induced *h, int32_t *place, const state *s)
{
    bonsai_status rc;
    const bonsai_graph *g = s->job->g;
    const int32_t *to = bn_neighbors(g);
    h->n = bn_price_nodes(s->price);
    BN_TRY(BN_NEW(&h->node, h->n));
    BN_TRY(BN_NEW(&h->offsets, h->n + 1));
    BN_TRY(BN_NEW(&h->root, h->n));
    BN_TRY(BN_NEW(&h->pi, h->n));
    for (int64_t v = 0, i = 0; v < g->view.nodes; v++) {
        place[v] = -1;
        if (!bn_price_has(s->price, (int32_t)v))
            continue;
        place[v] = (int32_t)i;
        h->node[i] = (int32_t)v;
        h->root[i++] = s->role[v] == BONSAI_ROOT;
    }
    for (int64_t i = 0; i < h->n; i++) {
        h->offsets[i + 1] = h->offsets[i];
        for (int64_t e = bn_row_begin(g, h->node[i]); e < bn_row_begin(g, h->node[i] + 1); e++)
            h->offsets[i + 1] += place[to[e]] >= 0;
    }
done:
    return rc;
}

static bonsai_status induce(induced *h, const state *s)
{
    bonsai_status rc;
    const bonsai_graph *g = s->job->g;
    const int32_t *to = bn_neighbors(g);
    const float *w = g->view.section[BONSAI_EDGE_WEIGHTS].data;
    int32_t *place = NULL;
    BN_TRY(BN_NEW(&place, g->view.nodes));
    BN_TRY(induce_nodes(h, place, s));
    BN_TRY(BN_NEW(&h->neighbors, h->offsets[h->n]));
    if (w)
        BN_TRY(BN_NEW(&h->weights, h->offsets[h->n]));
    for (int64_t i = 0, at = 0; i < h->n; i++)
        for (int64_t e = bn_row_begin(g, h->node[i]); e < bn_row_begin(g, h->node[i] + 1); e++)
            if (place[to[e]] >= 0) {
                h->neighbors[at] = place[to[e]];
                if (w)
                    h->weights[at] = w[e];
                at++;
            }
done:
    bn_free(place);
    return rc;
}

/* Ranks the set by PageRank from its roots. */
static bonsai_status rank(induced *h, state *s)
{
    bonsai_status rc;
    int steps;
    BN_TRY(induce(h, s));
    BN_TRY(bn_ppr(h->pi, &steps, h->n, h->offsets, h->neighbors, h->weights, h->root,
                  s->job->o->beta));
    for (int64_t i = 0; i < h->n; i++)
        s->score[h->node[i]] = (float)h->pi[i];
done:
    return rc;
}

typedef struct { double score; int32_t node; } ranked;

static int lowest_first(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x->node > y->node ? -1 : x->node < y->node;
}

static void drop(state *s, int32_t v)
{
    bn_price_remove(s->price, v);
    s->role[v] = BONSAI_ROLE_NONE;
}

/* Drops the ego nodes below the knee, unless so few would go that *settled. */
static bonsai_status prune(state *s, bool *settled)
{
    bonsai_status rc;
    induced h = {0};
    ranked *ego = NULL;
    int64_t knee, egos = 0, below = 0;
    double bar;
    BN_TRY(rank(&h, s));
    BN_TRY(bn_knee(&knee, &bar, h.pi, h.n));
    BN_TRY(BN_NEW(&ego, h.n));
    for (int64_t i = 0; i < h.n; i++)
        if (!h.root[i]) {
            ego[egos++] = (ranked){h.pi[i], h.node[i]};
            below += knee >= 0 && h.pi[i] < bar;
        }
    qsort(ego, (size_t)egos, sizeof *ego, lowest_first);
    int64_t most = (int64_t)(s->job->o->prune_share * (double)egos);
    below = below < most ? below : most;
    *settled = (double)below < s->job->o->min_pruned * (double)h.n || below == 0;
    bool used = bn_price_bytes(s->price) >= 0.98 * s->budget->bytes || !isfinite(s->budget->bytes);
    if (*settled && used)
        goto done;
    for (int64_t i = 0; i < below; i++)
        drop(s, ego[i].node);
done:
    free_induced(&h);
    bn_free(ego);
    return rc;
}

static bonsai_status sparsify(state *s, bn_choice *out)
{
    bonsai_status rc = BONSAI_OK;
    for (out->rounds = 0; out->rounds < MOST_ROUNDS; out->rounds++) {
        bool settled;
        double start = bn_seconds();
        BN_TRY(bn_tick(s->job->progress, "sparsify", out->rounds, MOST_ROUNDS));
        int64_t before = bn_price_nodes(s->price);
        BN_TRY(prune(s, &settled));
        out->seconds_sparsify += bn_seconds() - start;
        if (settled && bn_price_nodes(s->price) == before)
            break;
        start = bn_seconds();
        BN_TRY(fill(s));
        out->seconds_cover += bn_seconds() - start;
        if (s->added == 0)              /* every tree is in, or as many as were asked for */
            break;
    }
done:
    return rc;
}

/* ---- extras of the published code ---- */

/* Drops the nodes of lowest PageRank, roots too, until the set fits the budget. */
static bonsai_status shrink(state *s)
{
    bonsai_status rc;
    induced h = {0};
    ranked *all = NULL;
    BN_TRY(rank(&h, s));
    BN_TRY(BN_NEW(&all, h.n));
    for (int64_t i = 0; i < h.n; i++)
        all[i] = (ranked){h.pi[i], h.node[i]};
    qsort(all, (size_t)h.n, sizeof *all, lowest_first);
    for (int64_t i = 0; i < h.n && (bn_price_bytes(s->price) > s->budget->bytes ||
                                    bn_price_nodes(s->price) > s->budget->nodes); i++) {
        s->roots -= s->role[all[i].node] == BONSAI_ROOT;
        drop(s, all[i].node);
    }
done:
    free_induced(&h);
    bn_free(all);
    return rc;
}

/* How many training nodes of each class are in the set, and how many should be. */
static bonsai_status count_classes(int64_t **have, int64_t **want, const state *s)
{
    bonsai_status rc;
    const bn_job *job = s->job;
    int64_t c = job->g->view.classes, in = 0;
    BN_TRY(BN_NEW(have, c));
    BN_TRY(BN_NEW(want, c));
    for (int64_t t = 0; t < job->trees; t++) {
        int32_t label = bn_label(job->g, job->train[t]);
        bool here = bn_price_has(s->price, job->train[t]);
        (*have)[label] += here;
        (*want)[label]++;
        in += here;
    }
    for (int64_t i = 0; i < c; i++)
        (*want)[i] = llround((double)(*want)[i] * (double)in / (double)job->trees);
done:
    return rc;
}

/* Brings the training nodes in the set to the classes' shares: classes with too many
 * lose those of lowest PageRank, classes with too few gain single nodes in the order
 * of the cover while they fit. */
static bonsai_status match_classes(state *s)
{
    bonsai_status rc;
    const bn_job *job = s->job;
    int64_t *have = NULL, *want = NULL, count = 0;
    ranked *in = NULL;
    BN_TRY(count_classes(&have, &want, s));
    BN_TRY(BN_NEW(&in, job->trees));
    for (int64_t t = 0; t < job->trees; t++)
        if (bn_price_has(s->price, job->train[t]))
            in[count++] = (ranked){(double)s->score[job->train[t]], job->train[t]};
    qsort(in, (size_t)count, sizeof *in, lowest_first);
    for (int64_t i = 0; i < count; i++) {
        int32_t label = bn_label(job->g, in[i].node);
        if (have[label] <= want[label] || have[label] <= 1)
            continue;
        s->roots -= s->role[in[i].node] == BONSAI_ROOT;
        drop(s, in[i].node);
        have[label]--;
    }
    bn_cover_retry(s->cover);
    for (int64_t tree; (tree = bn_cover_next(s->cover)) >= 0; bn_cover_skip(s->cover, tree)) {
        int32_t v = job->train[tree], label = bn_label(job->g, v);
        if (have[label] < want[label] && !bn_price_has(s->price, v) && try_tree(s, tree, 0))
            have[label]++;
    }
done:
    bn_free(have);
    bn_free(want);
    bn_free(in);
    return rc;
}

/* ---- the whole ---- */

/* No choice of trees at this budget can cover more: each tree priced at its root's
 * row alone, taken by gain per byte, the last one in part. */
typedef struct { double gain, cost; } bargain;

static int best_first(const void *a, const void *b)
{
    const bargain *x = a, *y = b;
    double left = x->gain * y->cost, right = y->gain * x->cost;
    return left > right ? -1 : left < right;
}

static bonsai_status bound_coverage(bn_choice *out, state *s)
{
    bonsai_status rc;
    const bn_job *job = s->job;
    bargain *all = NULL;
    double sum = 0, left = s->budget->bytes, empty = bn_price_bytes(s->price);
    bool bytes = isfinite(left);
    if (!bytes)
        left = (double)(s->budget->nodes < s->budget->trees ? s->budget->nodes : s->budget->trees);
    BN_TRY(BN_NEW(&all, job->trees));
    for (int64_t t = 0; t < job->trees; t++) {
        all[t] = (bargain){(double)(job->rknn.offsets[t + 1] - job->rknn.offsets[t]), 1};
        if (!bytes)
            continue;
        bn_price_add(s->price, job->train[t]);
        all[t].cost = bn_price_bytes(s->price) - empty;
        bn_price_remove(s->price, job->train[t]);
    }
    qsort(all, (size_t)job->trees, sizeof *all, best_first);
    for (int64_t t = 0; t < job->trees && left > 0; t++) {
        double part = all[t].cost <= left ? 1 : left / all[t].cost;
        sum += part * all[t].gain;
        left -= all[t].cost;
    }
    out->coverage_bound = job->z ? fmin(1, sum / (double)job->z) : -1;
done:
    bn_free(all);
    return rc;
}

/* Stand-alone bytes of every tree, for the density rule. */
static bonsai_status price_trees(state *s)
{
    bonsai_status rc;
    const bn_job *job = s->job;
    double empty = bn_price_bytes(s->price);
    BN_TRY(BN_NEW(&s->cost, job->trees));
    for (int64_t t = 0; t < job->trees; t++) {
        const int32_t *added;
        int64_t count;
        s->cost[t] = s->budget->bytes;          /* at least, if it does not fit */
        if (bn_ego_grow(&added, &count, s->ego, s->price, job->train[t], job->o->layers,
                        s->budget->bytes, -1)) {
            s->cost[t] = bn_price_bytes(s->price) - empty;
            for (int64_t i = count - 1; i >= 0; i--)
                bn_price_remove(s->price, added[i]);
        }
        if (t % 1024 == 0)
            BN_TRY(bn_tick(job->progress, "pricing", t, job->trees));
    }
done:
    return rc;
}

static bonsai_status prepare(state *s)
{
    bonsai_status rc;
    const bn_job *job = s->job;
    int64_t n = job->g->view.nodes;
    bonsai_accounting accounting = job->o->accounting == BONSAI_STRICT ? BONSAI_STRICT
                                                                       : BONSAI_PAPER_CONDENSED;
    BN_TRY(bn_price_new(&s->price, job->g, accounting));
    BN_TRY(bn_ego_new(&s->ego, job->g));
    BN_TRY(BN_NEW(&s->degree, job->trees));
    BN_TRY(BN_NEW(&s->seat, job->g->view.classes));
    BN_TRY(BN_NEW(&s->tried, job->g->view.classes));
    BN_TRY(BN_NEW(&s->role, n));
    BN_TRY(BN_NEW(&s->brought, n));
    BN_TRY(BN_NEW(&s->score, n));
    for (int64_t t = 0; t < job->trees; t++)
        s->degree[t] = bn_row_begin(job->g, job->train[t] + 1) - bn_row_begin(job->g, job->train[t]);
    BN_TRY(keep_seats(s));
    if (job->o->density && isfinite(s->budget->bytes))
        BN_TRY(price_trees(s));
    BN_TRY(bn_cover_new(&s->cover, &job->rknn, job->z, s->degree, s->cost, job->o->seed));
done:
    return rc;
}

static bonsai_status collect(bn_choice *out, const state *s)
{
    bonsai_status rc;
    const bn_job *job = s->job;
    out->count = bn_price_nodes(s->price);
    BN_TRY(BN_NEW(&out->node, out->count));
    BN_TRY(BN_NEW(&out->role, out->count));
    BN_TRY(BN_NEW(&out->score, out->count));
    BN_TRY(BN_NEW(&out->tree, out->count));
    BN_TRY(BN_NEW(&out->covers, out->count));
    for (int64_t v = 0, i = 0, t = 0; v < job->g->view.nodes; v++) {
        while (t < job->trees && job->train[t] < v)
            t++;
        if (!bn_price_has(s->price, (int32_t)v))
            continue;
        out->node[i] = (int32_t)v;
        out->role[i] = s->role[v];
        out->score[i] = s->score[v];
        out->tree[i] = s->brought[v];
        if (t < job->trees && job->train[t] == v && s->role[v] == BONSAI_ROOT)
            out->covers[i] = (int32_t)(job->rknn.offsets[t + 1] - job->rknn.offsets[t]);
        i++;
    }
    out->coverage = job->z ? (double)bn_cover_reached(s->cover) / (double)job->z : -1;
    out->rechecks = bn_cover_rechecks(s->cover);
done:
    return rc;
}

void bn_choice_free(bn_choice *c)
{
    bn_free(c->node);
    bn_free(c->role);
    bn_free(c->score);
    bn_free(c->tree);
    bn_free(c->covers);
    memset(c, 0, sizeof *c);
}

bonsai_status bn_trees(bn_choice *out, const bn_job *job, const bn_budget *budget)
{
    bonsai_status rc;
    double start = bn_seconds();
    bn_budget first = *budget;
    state s = {.job = job, .budget = &first};
    memset(out, 0, sizeof *out);
    BN_TRY(prepare(&s));
    BN_TRY(bound_coverage(out, &s));
    if (job->o->oversample > 1)
        first.bytes *= job->o->oversample;
    BN_TRY(fill(&s));
    out->seconds_cover = bn_seconds() - start;
    s.budget = budget;
    bool any = bn_price_nodes(s.price) > 0;     /* else the caller says what would fit */
    if (any && job->o->oversample > 1) {
        start = bn_seconds();
        BN_TRY(shrink(&s));
        out->seconds_sparsify += bn_seconds() - start;
    } else if (any && !job->o->no_ppr) {
        BN_TRY(sparsify(&s, out));
    }
    if (job->o->match_classes)
        BN_TRY(match_classes(&s));
    BN_TRY(collect(out, &s));
done:
    bn_price_free(s.price);
    bn_ego_free(s.ego);
    bn_cover_free(s.cover);
    bn_free(s.degree);
    bn_free(s.cost);
    bn_free(s.seat);
    bn_free(s.tried);
    bn_free(s.role);
    bn_free(s.brought);
    bn_free(s.score);
    if (rc != BONSAI_OK)
        bn_choice_free(out);
    return rc;
}
