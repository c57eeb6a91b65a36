/* baselines.c -- chooses training nodes in simple ways, to compare the method trees with.
 *
 * Each way is an order of the trees; nodes (or whole trees) are taken in that order while they fit
 * the budget.  As with the method trees, every class gets a node where one of each fits: a graph
 * without a class could not be compared.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chosen.h"

enum { PARTS = 1000 };

typedef struct chooser chooser;

typedef struct {                /* how a method goes through the trees */
    bonsai_status (*start)(chooser *c);         /* NULL: nothing to prepare */
    int64_t (*next)(chooser *c);                /* -1: none is left */
    void    (*took)(chooser *c, int64_t tree);  /* NULL: not told */
    bool    whole;              /* takes whole trees first, then smaller ones */
    const bn_embedding *x;      /* rows of all trees; NULL: it compares none */
} way;

struct chooser {
    const bn_job *job;
    const bn_embedding *x;      /* as in way */
    int32_t *order;             /* trees in a fixed order: random, degree */
    int64_t  at;
    uint8_t *used;              /* trees taken or refused */
    /* herding and kcenter */
    float   *centre;            /* classes x f: mean of each class */
    float   *toward;            /* classes x f: where the next pick should lie */
    float   *distance;          /* trees: to the nearest pick */
    int64_t *have, *want;       /* classes */
    int64_t *first;             /* classes+1: where each begins in ... */
    int32_t *of_class;          /* ... the trees by class */
    float   *score;             /* trees of one class: product with toward */
    int64_t  picks;
};

static int32_t label_of(const chooser *c, int64_t tree)
{
    return bn_label(c->job->g, c->job->train[tree]);
}

/* Adds alpha times a row of the embedding to y. */
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

/* Lists the trees of each class, ascending. */
static bonsai_status sort_by_class(chooser *c)
{
    bonsai_status rc;
    int64_t classes = c->job->g->view.classes, trees = c->job->trees;
    BN_TRY(BN_NEW(&c->have, classes));
    BN_TRY(BN_NEW(&c->want, classes));
    BN_TRY(BN_NEW(&c->first, classes + 1));
    BN_TRY(BN_NEW(&c->of_class, trees));
    BN_TRY(BN_NEW(&c->score, trees));
    for (int64_t t = 0; t < trees; t++)
        c->want[label_of(c, t)]++;
    for (int64_t k = 0; k < classes; k++)
        c->first[k + 1] = c->first[k] + c->want[k];
    for (int64_t t = 0; t < trees; t++) {
        int32_t k = label_of(c, t);
        c->of_class[c->first[k] + c->have[k]++] = (int32_t)t;
    }
    memset(c->have, 0, (size_t)classes * sizeof *c->have);
done:
    return rc;
}

static bonsai_status start_herding(chooser *c)
{
    bonsai_status rc;
    const bn_job *job = c->job;
    int64_t classes = job->g->view.classes, f = c->x->f;
    BN_TRY(BN_NEW(&c->centre, classes * f));
    BN_TRY(BN_NEW(&c->toward, classes * f));
    BN_TRY(sort_by_class(c));
    for (int64_t t = 0; t < job->trees; t++)
        add_row(c->centre + label_of(c, t) * f, 1.0f / (float)c->want[label_of(c, t)], c->x, t);
    memcpy(c->toward, c->centre, (size_t)(classes * f) * sizeof *c->toward);
done:
    return rc;
}

/* Returns the class that is furthest behind its share of the training nodes; -1: no class is. */
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
    int64_t k = neediest_class(c), best = -1, f = c->x->f;
    if (k < 0)
        return -1;
    const int32_t *tree = c->of_class + c->first[k];
    int64_t count = c->first[k + 1] - c->first[k];
    const double work = bn_numbers(c->x, count);
#pragma omp parallel for num_threads(bn_team(job->at.threads, work)) schedule(static)
    for (int64_t i = 0; i < count; i++)
        c->score[i] = c->used[tree[i]] ? 0 : dot_row(c->x, tree[i], c->toward + k * f);
    for (int64_t i = 0; i < count; i++)
        if (!c->used[tree[i]] && (best < 0 || c->score[i] > c->score[best]))
            best = i;
    c->have[k]++;               /* counts refusals too, so that the search ends */
    return best < 0 ? -1 : tree[best];
}

static void took_herding(chooser *c, int64_t tree)
{
    int64_t k = label_of(c, tree), f = c->x->f;
    float *toward = c->toward + k * f;
    bn_kernels_get()->axpy(toward, 1.0f, c->centre + k * f, f);
    add_row(toward, -1.0f, c->x, tree);
}

/* ---- kcenter: the tree that is farthest from all picks ---- */

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
    if (c->picks == 0)          /* the first is random */
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
    const double work = bn_numbers(c->x, job->trees);
#pragma omp parallel for num_threads(bn_team(job->at.threads, work)) schedule(static)
    for (int64_t t = 0; t < job->trees; t++) {
        float d = bn_embedding_dist2(c->x, tree, t);
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

static bonsai_status start_order(chooser *c)
{
    bonsai_status rc = BN_NEW(&c->order, c->job->trees);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t t = 0; t < c->job->trees; t++)
        c->order[t] = (int32_t)t;
    bn_rng_shuffle(c->order, c->job->trees, c->job->o->seed);
    return BONSAI_OK;
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
    bn_free(c->first);
    bn_free(c->of_class);
    bn_free(c->score);
}

/* Takes nodes or trees of one depth in order until `patience` of them in a row do not fit. */
static bonsai_status take_all(bn_chosen *s, const way *how, int depth)
{
    bonsai_status rc;
    const bn_job *job = s->job;
    chooser c = {.job = job, .x = how->x};
    int64_t misses = 0;
    BN_TRY(start_order(&c));
    BN_TRY(BN_NEW(&c.used, job->trees));
    if (how->start)
        BN_TRY(how->start(&c));
    for (int64_t t; s->roots < s->budget.trees && misses < job->o->patience &&
                    (t = how->next(&c)) >= 0;) {
        bool in = bn_chosen_role(s, job->train[t]) == BONSAI_ROLE_ROOT;
        if (!in)
            BN_TRY(bn_chosen_try(&in, s, t, depth));
        c.used[t] = 1;
        misses = in ? 0 : misses + 1;
        c.picks += in;
        if (in && how->took)
            how->took(&c, t);
        BN_TRY(bn_tick(job->at.progress, "choosing", (int64_t)(PARTS * bn_chosen_used(s)), PARTS));
    }
done:
    end(&c);
    return rc;
}

/* Gives each class without a root the first of its nodes that fits, in random order. */
static bonsai_status seat_classes(bn_chosen *s)
{
    bonsai_status rc;
    chooser c = {.job = s->job};
    bool fits;
    BN_TRY(start_order(&c));
    for (int64_t i = 0; i < s->job->trees; i++)
        if (s->seat[bn_chosen_label(s, c.order[i])] >= 0)
            BN_TRY(bn_chosen_try(&fits, s, c.order[i], 0));
done:
    end(&c);
    return rc;
}

static bonsai_status choose_here(bn_choice *out, const bn_job *job, const bn_budget *budget,
                                 const way *how)
{
    bonsai_status rc;
    bn_chosen s = {0};
    int64_t any;
    BN_TRY(bn_tick(job->at.progress, "choosing", 0, PARTS));
    BN_TRY(bn_chosen_new(&s, job, budget));
    s.z = 0;                    /* another method may have drawn samples */
    for (int depth = how->whole ? job->o->layers : 0; depth >= 0; depth--)
        BN_TRY(take_all(&s, how, depth));
    BN_TRY(seat_classes(&s));
    if (s.roots == 0)
        BN_TRY(bn_chosen_any(&any, &s));
    BN_TRY(bn_chosen_collect(out, &s));
    BN_TRY(bn_tick(job->at.progress, "choosing", PARTS, PARTS));
    out->coverage_bound = -1;
done:
    bn_chosen_free(&s);
    return rc;
}

/* Chooses on rank 0, which asks the other ranks for the nodes it does not have. */
static bonsai_status choose(bn_choice *out, bn_job *job, const bn_budget *budget, const way *how)
{
    memset(out, 0, sizeof *out);
    bn_enter(&job->at, BN_STAGE_COVER);
    return bn_choice_end(out, job, budget, bn_rank(job->at.world) > 0
                     ? bn_reader_serve(job) : choose_here(out, job, budget, how));
}

/* Chooses by rows of all trees, which every rank gets.  Takes the rows that prototypes are made of
 * where the job has them, so that scores can be compared. */
static bonsai_status choose_by_rows(bn_choice *out, bn_job *job, const bn_budget *budget, way how)
{
    bonsai_status rc = BONSAI_OK;
    bn_embedding all = {0};
    int64_t *row = NULL;
    how.x = job->far.f > 0 ? &job->far : &job->wl;
    if (job->far.f == 0)
        BN_TRY(bn_embed_rows(job));
    if (bn_ranks(job->at.world) > 1) {
        BN_TRY(bn_agree(job->at.world, BN_NEW(&row, job->trees)));
        for (int64_t t = 0; t < job->trees; t++)
            row[t] = t;
        BN_TRY(bn_rows_gather(&all, &(bn_sharded){.e = how.x, .first = job->tree_first,
                                                  .at = &job->at}, row, job->trees));
        how.x = &all;
    }
    BN_TRY(choose(out, job, budget, &how));
done:
    bn_embedding_free(&all);
    bn_free(row);
    return rc;
}

/* ---- the methods ---- */

bonsai_status bn_random(bn_choice *out, bn_job *job, const bn_budget *budget)
{
    return choose(out, job, budget, &(way){.next = next_in_order});
}

bonsai_status bn_random_trees(bn_choice *out, bn_job *job, const bn_budget *budget)
{
    return choose(out, job, budget, &(way){.next = next_in_order, .whole = true});
}

bonsai_status bn_herding(bn_choice *out, bn_job *job, const bn_budget *budget)
{
    return choose_by_rows(out, job, budget, (way){start_herding, next_herding, took_herding,
                                                  false, NULL});
}

bonsai_status bn_kcenter(bn_choice *out, bn_job *job, const bn_budget *budget)
{
    return choose_by_rows(out, job, budget, (way){start_kcenter, next_kcenter, took_kcenter,
                                                  false, NULL});
}

bonsai_status bn_by_degree(bn_choice *out, bn_job *job, const bn_budget *budget)
{
    return choose(out, job, budget, &(way){.start = order_by_degree, .next = next_in_order});
}
