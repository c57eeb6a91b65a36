/* baselines.c -- simple ways to choose training nodes, to compare with.
 *
 * Each is an order of the trees; nodes (or whole trees) are taken in that order as
 * long as they fit the same budget.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "condense.h"

typedef struct {
    const bn_job *job;
    int32_t *order;             /* trees in a fixed order: random, degree */
    int64_t  at;
    uint8_t *used;              /* trees taken or refused */
    /* herding and kcenter */
    float   *centre;            /* classes x f: mean of each class */
    float   *toward;            /* classes x f: where the next pick should lie */
    float   *distance;          /* trees: to the nearest pick */
    int64_t *have, *want;       /* classes */
    int64_t  picks;
} chooser;

static int32_t label_of(const chooser *c, int64_t tree)
{
    return bn_label(c->job->g, c->job->train[tree]);
}

/* y += alpha times a row of the embedding. */
static void add_row(float *y, float alpha, const bn_embedding *x, int64_t row)
{
    if (x->dense) {
        bn_kernels_get()->axpy(y, alpha, x->dense + row * x->f, x->f);
        return;
    }
    for (int64_t i = x->offsets[row]; i < x->offsets[row + 1]; i++)
        y[x->index[i]] += alpha * x->value[i];
}

static float dot_row(const bn_embedding *x, int64_t row, const float *y)
{
    if (x->dense)
        return bn_kernels_get()->dot(x->dense + row * x->f, y, x->f);
    int64_t at = x->offsets[row];
    return bn_kernels_get()->sparse_dot(x->index + at, x->value + at, x->offsets[row + 1] - at, y);
}

/* ---- herding: the mean of the picks follows the mean of the class ---- */

static bonsai_status start_herding(chooser *c)
{
    bonsai_status rc;
    const bn_job *job = c->job;
    int64_t classes = job->g->view.classes, f = job->x.f;
    BN_TRY(BN_NEW(&c->centre, classes * f));
    BN_TRY(BN_NEW(&c->toward, classes * f));
    BN_TRY(BN_NEW(&c->have, classes));
    BN_TRY(BN_NEW(&c->want, classes));
    for (int64_t t = 0; t < job->trees; t++)
        c->want[label_of(c, t)]++;
    for (int64_t t = 0; t < job->trees; t++)
        add_row(c->centre + label_of(c, t) * f, 1.0f / (float)c->want[label_of(c, t)], &job->x, t);
    memcpy(c->toward, c->centre, (size_t)(classes * f) * sizeof *c->toward);
done:
    return rc;
}

/* The class that is furthest behind its share of the training nodes. */
static int64_t neediest_class(const chooser *c)
{
    int64_t best = -1;
    for (int64_t k = 0; k < c->job->g->view.classes; k++) {
        if (c->want[k] == 0 || c->have[k] >= c->want[k])
            continue;
        if (best < 0 || (double)(c->have[k] + 1) * (double)c->want[best] <
                            (double)(c->have[best] + 1) * (double)c->want[k])
            best = k;
    }
    return best;
}

static int64_t next_herding(chooser *c)
{
    const bn_job *job = c->job;
    int64_t k = neediest_class(c), best = -1, f = job->x.f;
    float most = -FLT_MAX;
    if (k < 0)
        return -1;
    for (int64_t t = 0; t < job->trees; t++) {
        if (c->used[t] || label_of(c, t) != k)
            continue;
        float score = dot_row(&job->x, t, c->toward + k * f);
        if (score > most) {
            most = score;
            best = t;
        }
    }
    c->have[k]++;               /* asked for; a refusal counts, so that the search ends */
    return best;
}

static void took_herding(chooser *c, int64_t tree)
{
    int64_t k = label_of(c, tree), f = c->job->x.f;
    float *toward = c->toward + k * f;
    bn_kernels_get()->axpy(toward, 1.0f, c->centre + k * f, f);
    add_row(toward, -1.0f, &c->job->x, tree);
}

/* ---- kcenter: always the tree that is farthest from all picks ---- */

static bonsai_status start_kcenter(chooser *c)
{
    bonsai_status rc = BN_NEW(&c->distance, c->job->trees);
    for (int64_t t = 0; rc == BONSAI_OK && t < c->job->trees; t++)
        c->distance[t] = INFINITY;
    return rc;
}

static int64_t next_kcenter(chooser *c)
{
    int64_t best = -1;
    if (c->picks == 0)          /* the first is drawn: any would do */
        for (; c->at < c->job->trees; c->at++)
            if (!c->used[c->order[c->at]])
                return c->order[c->at];
    for (int64_t t = 0; t < c->job->trees; t++)
        if (!c->used[t] && (best < 0 || c->distance[t] > c->distance[best]))
            best = t;
    return best;
}

static void took_kcenter(chooser *c, int64_t tree)
{
    const bn_job *job = c->job;
#pragma omp parallel for num_threads(job->threads) schedule(static)
    for (int64_t t = 0; t < job->trees; t++) {
        float d = bn_embedding_dist2(&job->x, tree, t);
        c->distance[t] = d < c->distance[t] ? d : c->distance[t];
    }
}

/* ---- fixed orders ---- */

typedef struct { int64_t degree; int32_t tree; } by_degree;

static int most_first(const void *a, const void *b)
{
    const by_degree *x = a, *y = b;
    if (x->degree != y->degree)
        return x->degree > y->degree ? -1 : 1;
    return x->tree < y->tree ? -1 : x->tree > y->tree;
}

static bonsai_status order_by_degree(chooser *c)
{
    bonsai_status rc;
    const bn_job *job = c->job;
    by_degree *all = NULL;
    BN_TRY(BN_NEW(&all, job->trees));
    for (int64_t t = 0; t < job->trees; t++)
        all[t] = (by_degree){bn_row_begin(job->g, job->train[t] + 1) -
                             bn_row_begin(job->g, job->train[t]), (int32_t)t};
    qsort(all, (size_t)job->trees, sizeof *all, most_first);
    for (int64_t t = 0; t < job->trees; t++)
        c->order[t] = all[t].tree;
done:
    bn_free(all);
    return rc;
}

static int64_t next_in_order(chooser *c)
{
    while (c->at < c->job->trees && c->used[c->order[c->at]])
        c->at++;
    return c->at < c->job->trees ? c->order[c->at] : -1;
}

/* ---- taking them ---- */

static bonsai_status start(chooser *c)
{
    bonsai_status rc;
    const bn_job *job = c->job;
    BN_TRY(BN_NEW(&c->order, job->trees));
    BN_TRY(BN_NEW(&c->used, job->trees));
    for (int64_t t = 0; t < job->trees; t++)
        c->order[t] = (int32_t)t;
    bn_rng_shuffle(c->order, job->trees, job->o->seed);
    if (job->o->method == BONSAI_DEGREE)
        BN_TRY(order_by_degree(c));
    if (job->o->method == BONSAI_HERDING)
        BN_TRY(start_herding(c));
    if (job->o->method == BONSAI_KCENTER)
        BN_TRY(start_kcenter(c));
done:
    return rc;
}

static int64_t next(chooser *c)
{
    switch (c->job->o->method) {
    case BONSAI_HERDING: return next_herding(c);
    case BONSAI_KCENTER: return next_kcenter(c);
    default:             return next_in_order(c);
    }
}

static void took(chooser *c, int64_t tree)
{
    c->picks++;
    if (c->job->o->method == BONSAI_HERDING)
        took_herding(c, tree);
    if (c->job->o->method == BONSAI_KCENTER)
        took_kcenter(c, tree);
}

static void end(chooser *c)
{
    bn_free(c->order);
    bn_free(c->used);
    bn_free(c->centre);
    bn_free(c->toward);
    bn_free(c->distance);
    bn_free(c->have);
    bn_free(c->want);
}

typedef struct {
    bn_price *price;
    bn_ego   *ego;
    uint8_t  *role;             /* n */
    int32_t  *brought;          /* n */
} set;

static bool take(set *s, const bn_job *job, const bn_budget *b, int64_t tree, int depth)
{
    const int32_t *added;
    int64_t count;
    int32_t root = job->train[tree];
    if (!bn_ego_grow(&added, &count, s->ego, s->price, root, depth, b->bytes, b->nodes))
        return false;
    for (int64_t i = 0; i < count; i++) {
        s->role[added[i]] = BONSAI_EGO;
        s->brought[added[i]] = root;
    }
    s->role[root] = BONSAI_ROOT;
    return true;
}

/* Takes nodes or trees of one depth in order until too many in a row do not fit. */
static bonsai_status take_all(set *s, const bn_job *job, const bn_budget *b, int depth)
{
    bonsai_status rc;
    chooser c = {.job = job};
    int64_t misses = 0;
    BN_TRY(start(&c));
    for (int64_t t; c.picks < b->trees && misses < job->o->patience && (t = next(&c)) >= 0;) {
        bool in = s->role[job->train[t]] == BONSAI_ROOT || take(s, job, b, t, depth);
        c.used[t] = 1;
        misses = in ? 0 : misses + 1;
        if (in)
            took(&c, t);
        BN_TRY(bn_tick(job->progress, "choosing", c.picks, job->trees));
    }
done:
    end(&c);
    return rc;
}

static bonsai_status collect(bn_choice *out, const set *s, const bn_job *job)
{
    bonsai_status rc;
    out->count = bn_price_nodes(s->price);
    out->coverage = out->coverage_bound = -1;
    BN_TRY(BN_NEW(&out->node, out->count));
    BN_TRY(BN_NEW(&out->role, out->count));
    BN_TRY(BN_NEW(&out->score, out->count));
    BN_TRY(BN_NEW(&out->tree, out->count));
    BN_TRY(BN_NEW(&out->covers, out->count));
    for (int64_t v = 0, i = 0; v < job->g->view.nodes; v++)
        if (bn_price_has(s->price, (int32_t)v)) {
            out->node[i] = (int32_t)v;
            out->role[i] = s->role[v];
            out->tree[i++] = s->brought[v];
        }
done:
    return rc;
}

bonsai_status bn_baseline(bn_choice *out, const bn_job *job, const bn_budget *budget)
{
    bonsai_status rc;
    set s = {0};
    double begin = bn_seconds();
    int depth = job->o->method == BONSAI_RANDOM_TREES ? job->o->layers : 0;
    memset(out, 0, sizeof *out);
    BN_TRY(bn_price_new(&s.price, job->g, job->o->accounting == BONSAI_STRICT
                                              ? BONSAI_STRICT : BONSAI_PAPER_CONDENSED));
    BN_TRY(bn_ego_new(&s.ego, job->g));
    BN_TRY(BN_NEW(&s.role, job->g->view.nodes));
    BN_TRY(BN_NEW(&s.brought, job->g->view.nodes));
    for (; depth >= 0; depth--)
        BN_TRY(take_all(&s, job, budget, depth));
    BN_TRY(collect(out, &s, job));
    out->seconds_cover = bn_seconds() - begin;
done:
    bn_price_free(s.price);
    bn_ego_free(s.ego);
    bn_free(s.role);
    bn_free(s.brought);
    if (rc != BONSAI_OK)
        bn_choice_free(out);
    return rc;
}
