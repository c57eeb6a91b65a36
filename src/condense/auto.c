/* auto.c -- trees or prototypes: both are made, and a probe says which is better.
 *
 * Prototypes come with the score that they were chosen by.  Trees get theirs here: ridge
 * regression from the embeddings of the small graph's own labelled nodes, as a network would
 * see them there, to their labels, judged on the same nodes.  Where the two are too close to tell
 * apart the trees are taken: they are nodes of the graph, with nothing rounded.  A method that
 * cannot answer this budget at all leaves the field to the other.
 *
 * SPDX-License-Identifier: MIT */
#include "auto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prototypes/prototypes.h"
#include "record.h"

typedef struct {
    bonsai_method method;
    bonsai_graph *small;
    bonsai_condense_info info;
    bonsai_status rc;
    char sentence[120];         /* where it could not be made: why not */
} entrant;

/* ---- the score of a graph of picked nodes ---- */

typedef struct {
    bn_embedding x;
    int32_t *node;              /* labelled ones */
    int64_t  count;
    float   *target, *weight;
} points;

static int64_t origin(const bonsai_graph *g, int64_t v)
{
    const uint32_t *of = g->view.section[BONSAI_SECTION_ORIGIN].data;
    return of ? (int64_t)of[v] : v;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The labelled nodes that are not themselves judged on. */
static bonsai_status list_labelled(points *q, const bonsai_graph *small, const bn_job *job)
{
    bonsai_status rc;
    int64_t *held = NULL, count = 0;
    BN_TRY(BN_NEW(&q->node, small->view.nodes));
    BN_TRY(BN_NEW(&held, job->held ? job->trees : 0));
    for (int64_t t = 0; job->held && t < job->trees; t++)
        if (job->held[t])
            held[count++] = origin(job->g, job->train[t]);
    qsort(held, (size_t)count, sizeof *held, by_number);
    for (int64_t v = 0; v < small->view.nodes; v++) {
        int64_t of = origin(small, v);
        if (bn_label(small, v) >= 0 &&
            !bsearch(&of, held, (size_t)count, sizeof *held, by_number))
            q->node[q->count++] = (int32_t)v;
    }
done:
    bn_free(held);
    return rc;
}

static void points_free(points *q)
{
    bn_embedding_free(&q->x);
    bn_free(q->node);
    bn_free(q->target);
    bn_free(q->weight);
}

static bonsai_status score_picked(double *percent, const bonsai_graph *small, const bn_job *job)
{
    bonsai_status rc;
    points q = {.count = 0};
    bn_probe *probe = NULL;
    double lambda;
    int64_t c = job->g->view.classes, room;
    *percent = job->judge.rows > 0 ? 0 : -1;
    BN_TRY(list_labelled(&q, small, job));
    if (q.count == 0 || job->judge.rows == 0)
        goto done;
    if (!bn_mul(&room, q.count, c)) {
        rc = bn_fail(BONSAI_E_MEMORY, "out of memory: %lld labels of %lld classes",
                     (long long)q.count, (long long)c);
        goto done;
    }
    BN_TRY(bn_embed(&q.x, small, &(bn_nodes){q.node, q.count}, BN_RULE_MEAN, job->depth,
                    &(bn_place){.threads = job->at.threads}));
    BN_TRY(BN_NEW(&q.target, room));
    BN_TRY(BN_NEW(&q.weight, q.count));
    for (int64_t i = 0; i < q.count; i++) {
        q.target[i * c + bn_label(small, q.node[i])] = 1;
        q.weight[i] = 1;
    }
    BN_TRY(bn_probe_new(&probe, &job->judge, job->judge_label, c, &job->at));
    BN_TRY(bn_probe_score(percent, &lambda, probe, &(bn_points){&q.x, q.target, q.weight}));
done:
    bn_probe_free(probe);
    points_free(&q);
    return rc;
}

/* ---- the two ---- */

/* A refusal of this budget or of these options; anything else ends the run.  The name of the file
 * is left out: it may be any bytes, and a report may not. */
static bonsai_status note_refusal(entrant *e, const char *where)
{
    if (e->rc != BONSAI_E_ARGUMENT)
        return e->rc;
    const char *text = bonsai_error();
    size_t len = strlen(where);
    if (strncmp(text, where, len) == 0 && text[len] == ':' && text[len + 1] == ' ')
        text += len + 2;
    snprintf(e->sentence, sizeof e->sentence, "%s", text);
    for (char *at = e->sentence; *at; at++)
        *at = (unsigned char)*at < 0x80 ? *at : '?';
    return BONSAI_OK;
}

static bonsai_status enter(entrant *e, bn_preparation *p, bn_make_fn *make)
{
    const bool no_k = e->method == BONSAI_METHOD_TREES && !p->o.no_rknn && p->o.k >= p->job.trees;
    if (no_k)
        e->rc = bn_fail(BONSAI_E_ARGUMENT, "k is %d but there are %lld trees", p->o.k,
                        (long long)p->job.trees);
    else
        e->rc = make(&e->small, &e->info, p, e->method);
    if (e->rc != BONSAI_OK)
        return note_refusal(e, p->full->where);
    if (e->method != BONSAI_METHOD_TREES)
        return BONSAI_OK;
    double start = bn_seconds();
    bn_world *w = p->job.at.world;
    bonsai_status rc = BONSAI_OK;
    if (bn_rank(w) == 0)                /* who has the graph of them */
        rc = score_picked(&e->info.probe, e->small, &p->job);
    e->info.seconds_probe = bn_seconds() - start;
    BN_TRY(bn_agree(w, rc));
    BN_TRY(bn_share(w, &e->info, sizeof e->info, 0));
done:
    return rc;
}

/* How far apart two scores by chance may well be: half a standard error. */
static double doubt(double percent, int64_t judged)
{
    double share = percent / 100;
    return judged > 0 ? 50 * sqrt(share * (1 - share) / (double)judged) : 0;
}

static void say_why(entrant *best, const entrant *other, const bn_preparation *p)
{
    const char *name = bonsai_method_name(best->method), *with = bonsai_method_name(other->method);
    char *why = best->info.why;
    size_t size = sizeof best->info.why;
    if (other->rc != BONSAI_OK)
        snprintf(why, size, "%s: %s cannot be made: %s", name, with, other->sentence);
    else if (p->job.judge.rows == 0)
        snprintf(why, size, "%s: there are no nodes for a probe to judge on", name);
    else
        bn_print(why, size, "%s: the probe got %.1f %% of %lld %s nodes right, with %s %.1f %%%s",
                 name, best->info.probe, (long long)p->job.judge.rows,
                 p->job.held ? "held-out training" : "validation", with, other->info.probe,
                 best->info.probe < other->info.probe ? ", too close to tell" : "");
}

bonsai_status bn_auto(bonsai_graph **out, bonsai_condense_info *info, bn_preparation *p,
                      bn_make_fn *make)
{
    bonsai_status rc;
    entrant trees = {.method = BONSAI_METHOD_TREES}, prototypes = {.method = BONSAI_METHOD_PROTOTYPES};
    entrant *best = &prototypes, *other = &trees;
    BN_TRY(enter(&trees, p, make));
    BN_TRY(enter(&prototypes, p, make));
    if (trees.rc != BONSAI_OK && prototypes.rc != BONSAI_OK) {
        rc = prototypes.rc;             /* its sentence is still set */
        goto done;
    }
    if (prototypes.rc != BONSAI_OK ||
        (trees.rc == BONSAI_OK && p->job.judge.rows > 0 &&
         trees.info.probe > prototypes.info.probe - doubt(prototypes.info.probe,
                                                          p->job.judge.rows))) {
        best = &trees;
        other = &prototypes;
    }
    best->info.probe_other = other->rc == BONSAI_OK ? other->info.probe : -1;
    best->info.seconds_probe = trees.info.seconds_probe + prototypes.info.seconds_probe;
    best->info.seconds_cluster = prototypes.info.seconds_cluster;
    best->info.seconds_knn = p->seconds_knn;
    best->info.seconds_cover = trees.info.seconds_cover;
    best->info.seconds_sparsify = trees.info.seconds_sparsify;
    say_why(best, other, p);
    if (best->small)                    /* on rank 0, of trees */
        rc = bn_report_choice(best->small, &best->info);
    BN_TRY(bn_agree(p->job.at.world, rc));
    *info = best->info;
    *out = best->small;
    best->small = NULL;
done:
    bonsai_graph_free(trees.small);
    bonsai_graph_free(prototypes.small);
    return rc;
}
