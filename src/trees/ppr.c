/* ppr.c -- personalised PageRank on a small graph, and the knee of its scores.
 *
 * Power iteration: each node passes its score to its neighbours in proportion to the weights; a
 * node without neighbours passes it to the roots.  The error shrinks by 1 - beta a step, so some
 * 130 steps reach 1e-9 on any graph.  A node sums over those that point at it, in their order: the
 * sums are the same for any number of threads. Paper: appendix on sparsification.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "trees.h"

enum { MOST_STEPS = 100000,        /* at the smallest beta some 21,000 are needed */
       BLOCK = 512 };              /* nodes that one thread takes */

typedef struct {
    const bn_links *g;
    int64_t *first;             /* n+1: the entries that point at a node, ... */
    int32_t *from;              /* ... by source, ascending */
    float   *weight;            /* NULL: all 1 */
    double  *degree;            /* n: sum of weights of a node's own entries */
    double  *share;             /* n: what a node passes to a neighbour of weight 1; ... */
    double  *next_share;        /* ... in the next step */
    double  *change;            /* blocks */
    int64_t  roots, blocks;
    double   beta, home;        /* home: what a root gets in this step */
} walk;

static void free_walk(walk *w)
{
    bn_free(w->first);
    bn_free(w->from);
    bn_free(w->weight);
    bn_free(w->degree);
    bn_free(w->share);
    bn_free(w->next_share);
    bn_free(w->change);
}

/* Sorts the entries by target. */
static bonsai_status turn(walk *w)
{
    bonsai_status rc;
    const bn_links *g = w->g;
    int64_t n = g->n, m = g->offsets[n];
    BN_TRY(BN_NEW(&w->first, n + 2));
    BN_TRY(BN_NEW(&w->from, m));
    if (g->weights)
        BN_TRY(BN_NEW(&w->weight, m));
    for (int64_t e = 0; e < m; e++)
        w->first[g->neighbors[e] + 2]++;
    for (int64_t v = 0; v < n; v++)
        w->first[v + 2] += w->first[v + 1];
    for (int64_t v = 0; v < n; v++)
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            int64_t place = w->first[g->neighbors[e] + 1]++;
            w->from[place] = (int32_t)v;
            if (g->weights)
                w->weight[place] = g->weights[e];
        }
done:
    return rc;
}

static double share_of(const walk *w, int64_t v, double score)
{
    return w->degree[v] == 0 ? 0 : score / w->degree[v];
}

static bonsai_status begin(double *pi, walk *w)
{
    bonsai_status rc;
    const bn_links *g = w->g;
    int64_t n = g->n;
    w->blocks = (n + BLOCK - 1) / BLOCK;
    BN_TRY(turn(w));
    BN_TRY(BN_NEW(&w->degree, n));
    BN_TRY(BN_NEW(&w->share, n));
    BN_TRY(BN_NEW(&w->next_share, n));
    BN_TRY(BN_NEW(&w->change, w->blocks));
    for (int64_t v = 0; v < n; v++) {
        w->roots += g->root[v] != 0;
        pi[v] = 1.0 / (double)n;
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
            w->degree[v] += g->weights ? (double)g->weights[e] : 1.0;
        w->share[v] = share_of(w, v, pi[v]);
    }
    if (w->roots == 0)
        rc = bn_fail(BONSAI_E_ARGUMENT, "personalised PageRank needs a root to return to");
done:
    return rc;
}

/* Returns what the neighbours pass to a node. */
static double gather(const walk *w, int64_t v)
{
    double sum = 0;
    if (w->weight)
        for (int64_t e = w->first[v]; e < w->first[v + 1]; e++)
            sum += w->share[w->from[e]] * (double)w->weight[e];
    else
        for (int64_t e = w->first[v]; e < w->first[v + 1]; e++)
            sum += w->share[w->from[e]];
    return sum;
}

/* Makes a step of some nodes; returns the L1 change. */
static double move_block(double *pi, walk *w, int64_t begin, int64_t end)
{
    double change = 0;
    for (int64_t v = begin; v < end; v++) {
        double next = (1 - w->beta) * gather(w, v) + (w->g->root[v] ? w->home : 0);
        change += fabs(next - pi[v]);
        pi[v] = next;
        w->next_share[v] = share_of(w, v, next);
    }
    return change;
}

/* Makes a step of all nodes; returns the L1 change. */
static double step(double *pi, walk *w, int threads)
{
    int64_t n = w->g->n;
    double dangling = 0, change = 0, *share = w->share;
    const double work = 4.0 * (double)(w->first[n] + n);
    for (int64_t v = 0; v < n; v++)
        dangling += w->degree[v] == 0 ? pi[v] : 0;
    w->home = ((1 - w->beta) * dangling + w->beta) / (double)w->roots;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t b = 0; b < w->blocks; b++)
        w->change[b] = move_block(pi, w, b * BLOCK, bn_least((b + 1) * BLOCK, n));
    for (int64_t b = 0; b < w->blocks; b++)
        change += w->change[b];
    w->share = w->next_share;
    w->next_share = share;
    return change;
}

bonsai_status bn_ppr_until(double *pi, int *rounds, const bn_links *g, const bn_walks *how,
                           const bn_place *at)
{
    bonsai_status rc;
    const bn_place *here = bn_here(at);
    double change = INFINITY;
    walk w = {.g = g, .beta = how->beta};
    BN_TRY(begin(pi, &w));
    *rounds = 0;
    BN_TRY(bn_tick(here->progress, "PageRank", 0, 1));
    while (change >= how->enough && *rounds < how->most) {
        change = step(pi, &w, here->threads);
        if (++*rounds % 8 == 0)
            BN_TRY(bn_tick(here->progress, "PageRank", 0, 1));
    }
    BN_TRY(bn_tick(here->progress, "PageRank", 1, 1));
done:
    free_walk(&w);
    return rc;
}

bonsai_status bn_ppr(double *pi, int *rounds, const bn_links *g, double beta, const bn_place *at)
{
    return bn_ppr_until(pi, rounds, g, &(bn_walks){beta, 1e-9, MOST_STEPS}, at);
}

void bn_knee(int64_t *index, double *score, const double *sorted, int64_t n)
{
    double best = -1;
    *index = -1;
    *score = 0;
    for (int64_t i = 1; i + 1 < n; i++) {
        double bend = sorted[i + 1] + sorted[i - 1] - 2 * sorted[i];
        if (bend > best) {
            best = bend;
            *index = i;
            *score = sorted[i];
        }
    }
}

int bn_lowest_first(const void *a, const void *b)
{
    const bn_ranked *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x->node > y->node ? -1 : x->node < y->node;
}
