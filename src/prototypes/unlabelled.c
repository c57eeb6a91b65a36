/* unlabelled.c -- nodes without a label among the rows of prototypes, where labels are few.
 *
 * The rows of all nodes are there, and classes of twenty labelled nodes each say little of how
 * their rows are spread.  A ridge classifier fitted on the training nodes, with rows averaged twice
 * as far (so that most of them have seen a labelled node), gives each node a soft class; clusters
 * are then looked for among all nodes of a class.  Of several lambdas the one that is right about
 * most validation nodes is taken: no label but those of training nodes gets into a row or a soft
 * label.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fit.h"
#include "sourcerows.h"

enum { MOST_TAUGHT = 2048, WAYS = 4, USUAL = 1 };
static const double grid[WAYS] = {10, 1, 0.1, 0.01};    /* over the number of labelled rows */

bool bn_few_labels(const bonsai_condense_options *o, int64_t trees, int64_t nodes)
{
    enum { FEW = 4 };
    return !o->inductive && !o->members && trees < nodes / FEW;
}

bool bn_job_few_labels(const bn_job *job)
{
    return bn_few_labels(job->o, job->trees, job->g->view.nodes);
}

/* ---- which nodes ---- */

typedef struct {
    const bn_job *job;
    const bn_place *at;
    const uint8_t *held;        /* trees that do not take part, or NULL */
    bn_source_rows *out;
    int32_t *own;               /* own rows: their nodes */
    int64_t  rows, all;         /* own, and of all ranks */
    bn_embedding deep;          /* own rows, averaged far */
    bn_sharded   deeps;         /* ... and of all ranks */
    bn_embedding taught;        /* those of some trees, on every rank, ... */
    int32_t *label;             /* ... and their labels */
    int64_t  lessons;
    bool    *has;               /* classes: some tree is of it */
    float   *score;             /* own rows x ways x classes */
    bn_fit   fit;
} teaching;

static void teaching_free(teaching *t)
{
    bn_big_free(t->own);
    bn_embedding_free(&t->deep);
    bn_sharded_free(&t->deeps);
    bn_embedding_free(&t->taught);
    bn_free(t->label);
    bn_free(t->has);
    bn_big_free(t->score);
    bn_fit_free(&t->fit);
}

/* Lists the trees and the picked other nodes in the order of nodes, on every rank alike. */
static bonsai_status list_nodes(teaching *t, const uint8_t *taken)
{
    bonsai_status rc;
    const bn_job *job = t->job;
    const bn_rows own = bn_rows_of(&job->g->view, &job->at);
    int64_t n = job->g->view.nodes, tree = 0, other = 0;
    BN_TRY(BN_BIG(&t->out->node, job->at.memory, n));
    BN_TRY(BN_BIG(&t->out->known, job->at.memory, own.end - own.begin));
    BN_TRY(BN_BIG(&t->own, job->at.memory, own.end - own.begin));
    for (int64_t v = 0; v < n; v++) {
        bool is_tree = tree < job->trees && job->train[tree] == v;
        bool in = is_tree ? !t->held || !t->held[tree] : taken[other];
        tree += is_tree;
        other += !is_tree;
        if (!in)
            continue;
        t->out->node[t->all++] = (int32_t)v;
        if (v < own.begin || v >= own.end)
            continue;
        t->out->known[t->rows] = is_tree;
        t->own[t->rows++] = (int32_t)v;
    }
done:
    return rc;
}

static bonsai_status pick_nodes(teaching *t)
{
    bonsai_status rc;
    uint8_t *taken = NULL;
    int64_t others = t->job->g->view.nodes - t->job->trees;
    BN_TRY(BN_BIG(&taken, t->job->at.memory, others));
    BN_TRY(bn_rng_pick(taken, others, bn_least(others, BN_MOST_UNLABELLED), t->job->o->seed));
    BN_TRY(list_nodes(t, taken));
done:
    bn_big_free(taken);
    return rc;
}

/* ---- their classes ---- */

/* Lists evenly spaced trees among the rows of all ranks, and their labels. */
static bonsai_status list_lessons(teaching *t, int64_t **row)
{
    bonsai_status rc;
    const bn_job *job = t->job;
    int64_t trees = 0, kept = 0;
    BN_TRY(BN_NEW(&t->has, job->g->view.classes));
    for (int64_t i = 0; i < job->trees; i++)
        if (!t->held || !t->held[i]) {
            trees++;
            t->has[bn_label(job->g, job->train[i])] = true;
        }
    t->lessons = bn_least(trees, MOST_TAUGHT);
    BN_TRY(BN_NEW(row, t->lessons));
    BN_TRY(BN_NEW(&t->label, t->lessons));
    for (int64_t i = 0, r = 0, taken = 0; i < job->trees && taken < t->lessons; i++) {
        if (t->held && t->held[i])
            continue;
        if (kept++ < taken * trees / t->lessons)
            continue;
        while (t->out->node[r] != job->train[i])
            r++;
        (*row)[taken] = r;
        t->label[taken++] = bn_label(job->g, job->train[i]);
    }
done:
    return rc;
}

/* Returns the best of the classes that have a tree. */
static int64_t best_of(const float *score, const teaching *t)
{
    int64_t best = -1;
    for (int64_t k = 0; k < t->job->g->view.classes; k++)
        best = t->has[k] && (best < 0 || score[k] > score[best]) ? k : best;
    return best;
}

/* Finds the lambda that classifies most validation nodes correctly; the usual one without such
 * nodes. */
static bonsai_status find_way(int *way, const teaching *t)
{
    bonsai_status rc;
    const bonsai_graph *g = t->job->g;
    int64_t right[WAYS] = {0}, classes = g->view.classes;
    for (int64_t r = 0; r < t->rows && !t->job->o->no_validation; r++) {
        int64_t v = t->own[r];
        if (bn_part(g, v) == BONSAI_PART_VAL && bn_label(g, v) >= 0)
            for (int w = 0; w < WAYS; w++)
                right[w] += best_of(t->score + (r * WAYS + w) * classes, t) == bn_label(g, v);
    }
    BN_TRY(bn_sum_int(t->at->world, right, WAYS));
    *way = USUAL;
    for (int w = 0; w < WAYS; w++)
        *way = right[w] > right[*way] ? w : *way;
done:
    return rc;
}

static bonsai_status score_rows(teaching *t)
{
    bonsai_status rc;
    bn_scorer scorer = {0};
    const bn_embedding *e = &t->deep;
    int64_t k = t->fit.k;
    BN_TRY(BN_BIG(&t->score, t->job->at.memory, e->rows * k));
    BN_TRY(bn_scorer_new(&scorer, &t->fit));
    const double work = bn_numbers(e, e->rows) * (double)k;
#pragma omp parallel for num_threads(bn_team(t->fit.threads, work)) schedule(static)
    for (int64_t first = 0; first < e->rows; first += BN_FIT_BLOCK)
        bn_score_rows(t->score + first * k, &scorer, e, first,
                      bn_least(BN_FIT_BLOCK, e->rows - first));
done:
    bn_scorer_free(&scorer);
    return rc;
}

static bonsai_status fit_lessons(teaching *t)
{
    bonsai_status rc;
    double lambda[WAYS];
    t->fit = (bn_fit){.x = &t->taught, .n = t->lessons, .c = t->job->g->view.classes,
                      .lambda = lambda, .ways = WAYS, .threads = bn_threads(t->at->threads)};
    for (int w = 0; w < WAYS; w++)
        lambda[w] = grid[w] / (double)t->fit.n;
    BN_TRY(bn_fit_rows(&t->fit, &(bn_labels){.label = t->label}));
    BN_TRY(bn_fit_direct(&t->fit));
done:
    t->fit.lambda = NULL;
    return rc;
}

static bonsai_status teach(teaching *t)
{
    bonsai_status rc;
    const bn_job *job = t->job;
    bn_world *w = t->at->world;
    int64_t *row = NULL;
    BN_TRY(bn_embed(&t->deep, job->g, &(bn_nodes){t->own, t->rows}, BN_RULE_MEAN,
                    2 * job->o->layers, t->at));
    BN_TRY(bn_sharded_look(&t->deeps, &t->deep, t->at));
    BN_TRY(bn_agree(w, list_lessons(t, &row)));
    BN_TRY(bn_rows_gather(&t->taught, &t->deeps, row, t->lessons));
    BN_TRY(bn_agree(w, fit_lessons(t)));
    /* those of rank 0, so that nothing hangs on how another machine rounds */
    BN_TRY(bn_share(w, t->fit.w, t->fit.wide * t->fit.k * (int64_t)sizeof *t->fit.w, 0));
    BN_TRY(bn_agree(w, score_rows(t)));
done:
    bn_free(row);
    return rc;
}

/* ---- all rows ---- */

static bonsai_status put_labels(teaching *t, int way)
{
    bonsai_status rc;
    const bn_job *job = t->job;
    bn_source_rows *out = t->out;
    int64_t classes = job->g->view.classes;
    BN_TRY(BN_BIG(&out->label, job->at.memory, t->rows));
    BN_TRY(BN_BIG(&out->posterior, job->at.memory, t->rows * classes));
    BN_TRY(BN_NEW(&out->have, classes));
    for (int64_t r = 0; r < t->rows; r++) {
        const float *score = t->score + (r * WAYS + way) * classes;
        float *to = out->posterior + r * classes;
        out->label[r] = out->known[r] ? bn_label(job->g, t->own[r])
                                   : (int32_t)best_of(score, t);
        out->have[out->label[r]]++;
        memcpy(to, score, (size_t)classes * sizeof *to);
        bn_posterior_of(to, classes, bn_sharpness);
    }
done:
    return rc;
}

bonsai_status bn_source_rows_unlabelled(bn_source_rows *out, const bn_job *job, bool all,
                                        const bn_place *at)
{
    bonsai_status rc;
    int64_t classes = job->g->view.classes;
    teaching t = {.job = job, .at = at, .held = all ? NULL : job->held, .out = out};
    const bn_embedding *given[BN_VIEWS];
    int way;
    BN_TRY(bn_agree(at->world, pick_nodes(&t)));
    BN_TRY(teach(&t));
    BN_TRY(find_way(&way, &t));
    BN_TRY(bn_agree(at->world, put_labels(&t, way)));
    BN_TRY(bn_sum_int(at->world, out->have, classes));
    for (int v = 0; v < BN_VIEWS; v++) {
        given[v] = &out->copy[v];
        BN_TRY(bn_embed_view(&out->copy[v], job->g, &(bn_nodes){t.own, t.rows}, v, job->o->layers,
                             at));
    }
    BN_TRY(bn_source_rows_fill(out, given, classes, at));
    out->s.posterior = out->posterior;
done:
    teaching_free(&t);
    return rc;
}
