/* problem.c -- the full graph as a method that learns reads it: units, averaged rows, classes.
 *
 * Averaged rows are made in panels of columns, so that no dense copy of all features is held.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

enum { PANEL_NUMBERS = 1 << 26, LEAST_COLUMNS = 16 };

/* ---- settings ---- */

static const struct {
    int     known;              /* its place in the list of datasets */
    bool    signs;              /* features of both signs */
    double  share[3];           /* nodes over training nodes that settings are published for */
} shapes[BN_LIKES] = {
    [BN_LIKE_CORA] = {BN_KNOWN_CORA, false, {0.25, 0.5, 1}},
    [BN_LIKE_CITESEER] = {BN_KNOWN_CITESEER, false, {0.25, 0.5, 1}},
    [BN_LIKE_PUBMED] = {BN_KNOWN_PUBMED, false, {0.25, 0.5, 1}},
    [BN_LIKE_ARXIV] = {BN_KNOWN_ARXIV, true, {0.001, 0.005, 0.01}},
    [BN_LIKE_FLICKR] = {BN_KNOWN_FLICKR, false, {0.001, 0.005, 0.01}},
    [BN_LIKE_REDDIT] = {BN_KNOWN_REDDIT, true, {0.0005, 0.001, 0.005}},
};

static const bonsai_known *known_as(bn_like like)
{
    return bonsai_known_at(shapes[like].known);
}

const char *bn_like_name(bn_like like)
{
    return known_as(like)->title;
}

bool bn_is_like(const bn_problem *s)
{
    return bonsai_graph_known(s->job->g) == known_as(s->like);
}

/* Returns the distance of a graph's shape from that of a known dataset, in factors of two; another
 * kind of features counts as four. */
static double far_from(bn_like like, const bonsai_view *v, bool signs)
{
    const bonsai_known *k = known_as(like);
    return fabs(log2((double)v->nodes / (double)k->nodes)) +
           fabs(log2((double)v->features / (double)k->features)) +
           (signs != shapes[like].signs ? 4 : 0);
}

static void choose_settings(bn_problem *s, bool signs)
{
    const bonsai_view *v = &s->job->g->view;
    const double share = log((double)s->n / (double)s->job->trees);
    s->like = BN_LIKE_CORA;
    for (int l = 1; l < BN_LIKES; l++)
        if (far_from((bn_like)l, v, signs) < far_from(s->like, v, signs))
            s->like = (bn_like)l;
    const double *at = shapes[s->like].share;
    for (int i = 1; i < 3; i++)
        if (fabs(log(at[i]) - share) < fabs(log(at[s->size]) - share))
            s->size = i;
}

int64_t bn_effort(const bn_problem *s, double count)
{
    double scaled = rint(count * s->job->o->effort);
    return scaled < 1 ? 1 : (int64_t)scaled;
}

/* ---- units ---- */

/* Sets the unit of features: the mean sum of a training row. */
static bonsai_status scale_rows(bn_problem *s)
{
    bonsai_status rc;
    const bonsai_graph *g = s->job->g;
    int32_t *index = NULL;
    float *value = NULL;
    double sum = 0;
    BN_TRY(BN_NEW(&index, bn_row_room(g)));
    BN_TRY(BN_NEW(&value, bn_row_room(g)));
    for (int64_t t = 0; t < s->job->trees; t++) {
        int64_t count = bn_row_get(index, value, g, s->job->train[t]);
        for (int64_t e = 0; e < count; e++)
            sum += (double)value[e];
    }
    float scale = (float)(sum / (double)s->job->trees);
    for (int64_t j = 0; j < s->f; j++) {
        s->mean[j] = 0;
        s->spread[j] = scale > 0 ? scale : 1;
    }
done:
    bn_free(index);
    bn_free(value);
    return rc;
}

static bonsai_status set_units(bn_problem *s, bool signs)
{
    bonsai_status rc;
    const bn_standard_of of = {.all = s->how->units == BN_UNITS_STANDARD};
    if (!of.all && !signs)
        BN_TRY(scale_rows(s));
    else
        BN_TRY(bn_standard(s->mean, s->spread, s->job->g, &of, s->threads));
    for (int64_t j = 0; j < s->f; j++)
        if (!isfinite(s->mean[j]) || !isfinite(s->spread[j]))
            return bn_fail_at(BONSAI_E_ARGUMENT, s->job->g->where, "features are too large to "
                              "learn from");
done:
    return rc;
}

/* ---- classes ---- */

static void list_kinds(bn_problem *s)
{
    int64_t i = 0;
    for (int64_t k = 0; k < s->c; k++)
        for (int64_t j = 0; j < s->want[k]; j++)
            s->kind[i++] = (int32_t)k;
}

/* Assigns classes to the nodes of a small graph, in the shares of the training nodes. */
static bonsai_status share_classes(bn_problem *s)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&s->label, s->job->trees));
    BN_TRY(BN_NEW(&s->have, s->c));
    BN_TRY(BN_NEW(&s->want, s->c));
    BN_TRY(BN_NEW(&s->kind, s->n));
    for (int64_t t = 0; t < s->job->trees; t++) {
        s->label[t] = bn_label(s->job->g, s->job->train[t]);
        s->have[s->label[t]]++;
    }
    BN_TRY(bn_clusters_share(s->want, s->have, s->c, s->n));
    list_kinds(s);
done:
    return rc;
}

/* ---- the problem ---- */

bonsai_status bn_problem_new(bn_problem *s, const bn_learner *how, const bn_job *job, int64_t nodes)
{
    bonsai_status rc;
    bn_traits t;
    bool integer;
    const bonsai_view *v = &job->g->view;
    *s = (bn_problem){.how = how, .job = job, .n = nodes, .f = v->features, .c = v->classes,
                     .seed = job->o->seed, .threads = job->at.threads, .until = INFINITY};
    BN_TRY(bn_traits_of(&t, &integer, job->g, NULL));
    BN_TRY(BN_NEW(&s->mean, s->f));
    BN_TRY(BN_NEW(&s->spread, s->f));
    BN_TRY(share_classes(s));
    choose_settings(s, t.negative);
    BN_TRY(set_units(s, t.negative));
    BN_TRY(BN_NEW(&s->x, s->n * s->f));
    if (how->edges)
        BN_TRY(BN_NEW(&s->a, s->n * s->n));
    if (how->soft)
        BN_TRY(BN_NEW(&s->q, s->n * s->c));
done:
    return rc;
}

void bn_problem_free(bn_problem *s)
{
    if (s->how)
        s->how->end(s);
    void *const owned[] = {s->kind, s->want, s->label, s->have, s->mean, s->spread,
                           s->x, s->a, s->q};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        bn_free(owned[i]);
    memset(s, 0, sizeof *s);
}

bool bn_problem_late(const bn_problem *s)
{
    return bn_seconds() > s->until;
}

void bn_one_hot(float *q, const int32_t *label, int64_t n, int64_t c)
{
    memset(q, 0, (size_t)(n * c) * sizeof *q);
    for (int64_t i = 0; i < n; i++)
        q[i * c + label[i]] = 1;
}

/* ---- averaged rows ---- */

typedef struct {
    const bn_problem *s;
    bn_messages m;
    int64_t  wide;              /* columns of a panel at most */
    float   *now, *next;        /* nodes x wide */
    int64_t  room;              /* entries of a row at most */
    int      lanes;
    int32_t *index;             /* lanes x room */
    float   *value;
} passing;

static void passing_free(passing *p)
{
    bn_messages_free(&p->m);
    bn_free(p->now);
    bn_free(p->next);
    bn_free(p->index);
    bn_free(p->value);
}

static bonsai_status passing_new(passing *p, const bn_problem *s, int64_t columns)
{
    bonsai_status rc;
    const bonsai_graph *g = s->job->g;
    const int64_t n = g->view.nodes, fit = PANEL_NUMBERS / (n > 0 ? n : 1);
    *p = (passing){.s = s, .room = bn_row_room(g), .lanes = s->threads};
    p->wide = fit < LEAST_COLUMNS ? LEAST_COLUMNS : fit;
    p->wide = p->wide < columns ? p->wide : columns;
    BN_TRY(bn_messages_make(&p->m, g, BN_NORM_BOTH, false, s->threads));
    BN_TRY(BN_NEW(&p->now, n * p->wide));
    BN_TRY(BN_NEW(&p->next, n * p->wide));
    BN_TRY(BN_NEW(&p->index, p->lanes * p->room));
    BN_TRY(BN_NEW(&p->value, p->lanes * p->room));
done:
    return rc;
}

/* Copies columns first .. first+wide-1 of a node's row in units. */
static void unit_row(float *to, const passing *p, int64_t node, int64_t first, int64_t wide)
{
    const bn_problem *s = p->s;
    int32_t *index = p->index + bn_thread() * p->room;
    float *value = p->value + bn_thread() * p->room;
    const int64_t count = bn_row_get(index, value, s->job->g, node);
    for (int64_t j = 0; j < wide; j++)
        to[j] = -s->mean[first + j] / s->spread[first + j];
    for (int64_t e = 0; e < count; e++)
        if (index[e] >= first && index[e] < first + wide)
            to[index[e] - first] =
                (value[e] - s->mean[index[e]]) / s->spread[index[e]];
}

/* Fills a panel of all nodes. */
static void fill_panel(passing *p, int64_t first, int64_t wide)
{
    const int64_t count = p->s->job->g->view.nodes;
    const double work = bn_features_work(p->s->job->g, count) + (double)(count * wide);
#pragma omp parallel for num_threads(bn_team(p->lanes, work)) schedule(static)
    for (int64_t i = 0; i < count; i++)
        unit_row(p->now + i * wide, p, i, first, wide);
}

static void pass_panel(passing *p, int64_t wide, int hops)
{
    const int64_t n = p->s->job->g->view.nodes;
    for (int h = 0; h < hops; h++) {
        const bn_input x = {.rows = n, .cols = wide, .dense = p->now};
        bn_pass(p->next, &p->m.to, &x, (bn_span){0, n, p->lanes});
        float *swap = p->now;
        p->now = p->next;
        p->next = swap;
    }
}

bonsai_status bn_problem_rows(float *out, const bn_problem *s, const int32_t *node, int64_t count,
                              int hops)
{
    bonsai_status rc;
    passing p;
    BN_TRY(passing_new(&p, s, s->f));
    BN_TRY(bn_tick(s->job->at.progress, "averaging rows", 0, s->f));
    for (int64_t first = 0; first < s->f; first += p.wide) {
        const int64_t wide = s->f - first < p.wide ? s->f - first : p.wide;
        fill_panel(&p, first, wide);
        pass_panel(&p, wide, hops);
        for (int64_t i = 0; i < count; i++)
            memcpy(out + i * s->f + first, p.now + (int64_t)node[i] * wide,
                   (size_t)wide * sizeof *out);
        BN_TRY(bn_tick(s->job->at.progress, "averaging rows", first + wide, s->f));
    }
done:
    passing_free(&p);
    return rc;
}

bonsai_status bn_problem_ones(float *out, const bn_problem *s, const int32_t *node, int64_t count,
                              int hops)
{
    bonsai_status rc;
    passing p;
    BN_TRY(passing_new(&p, s, 1));
    for (int64_t v = 0; v < s->job->g->view.nodes; v++)
        p.now[v] = 1;
    pass_panel(&p, 1, hops);
    for (int64_t i = 0; i < count; i++)
        out[i] = p.now[node[i]];
done:
    passing_free(&p);
    return rc;
}

/* ---- the start ---- */

bonsai_status bn_problem_pick(int32_t *pick, const bn_problem *s, uint64_t seed)
{
    bonsai_status rc;
    int32_t *of = NULL;
    int64_t at = 0;
    BN_TRY(BN_NEW(&of, s->job->trees));
    for (int64_t k = 0; k < s->c; k++) {
        int64_t count = 0;
        for (int64_t t = 0; s->want[k] > 0 && t < s->job->trees; t++)
            if (s->label[t] == k)
                of[count++] = (int32_t)t;
        bn_rng_shuffle(of, count, seed + (uint64_t)k);
        for (int64_t i = 0; i < s->want[k]; i++)
            pick[at++] = of[i % count];
    }
done:
    bn_free(of);
    return rc;
}

bonsai_status bn_problem_start(bn_problem *s, int hops)
{
    bonsai_status rc;
    int32_t *pick = NULL;
    BN_TRY(BN_NEW(&pick, s->n));
    BN_TRY(bn_problem_pick(pick, s, s->seed));
    for (int64_t i = 0; i < s->n; i++)
        pick[i] = s->job->train[pick[i]];
    BN_TRY(bn_problem_rows(s->x, s, pick, s->n, hops));
done:
    bn_free(pick);
    return rc;
}
