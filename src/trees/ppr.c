/* ppr.c -- personalised PageRank on a small graph, and the knee of its scores.
 *
 * Power iteration: each node hands its score to its neighbours in proportion to the
 * weights; a node without neighbours hands it to the roots.  The error shrinks by
 * 1 - beta a step, so some 130 steps reach 1e-9 whatever the graph.  Mass moves in
 * row order on one thread: the graph is small and the sums have one order.
 * Paper: appendix on sparsification.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trees.h"

enum { MOST_STEPS = 100000 };      /* at the smallest beta some 21,000 are needed */

typedef struct {
    const bn_links *g;
    double *degree;             /* n: sum of weights */
    int64_t roots;
} walk;

/* to = A from, and returns the mass that dangling nodes held. */
static double pass_on(double *to, const double *from, const walk *w)
{
    const bn_links *g = w->g;
    double dangling = 0;
    memset(to, 0, (size_t)g->n * sizeof *to);
    for (int64_t v = 0; v < g->n; v++) {
        if (w->degree[v] == 0) {
            dangling += from[v];
            continue;
        }
        double share = from[v] / w->degree[v];
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
            to[g->neighbors[e]] += g->weights ? share * (double)g->weights[e] : share;
    }
    return dangling;
}

/* One step from pi to next; returns the L1 change. */
static double step(double *next, const double *pi, const walk *w, double beta)
{
    double dangling = pass_on(next, pi, w), change = 0;
    double home = ((1 - beta) * dangling + beta) / (double)w->roots;
    for (int64_t v = 0; v < w->g->n; v++) {
        next[v] = (1 - beta) * next[v] + (w->g->root[v] ? home : 0);
        change += fabs(next[v] - pi[v]);
    }
    return change;
}

bonsai_status bn_ppr(double *pi, int *rounds, const bn_links *g, double beta, bn_progress p)
{
    bonsai_status rc;
    double *next = NULL, change = 1;
    walk w = {.g = g};
    int64_t n = g->n;
    BN_TRY(BN_NEW(&next, n));
    BN_TRY(BN_NEW(&w.degree, n));
    for (int64_t v = 0; v < n; v++) {
        w.roots += g->root[v] != 0;
        pi[v] = 1.0 / (double)n;
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
            w.degree[v] += g->weights ? (double)g->weights[e] : 1.0;
    }
    if (w.roots == 0) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "personalised PageRank needs a root to return to");
        goto done;
    }
    *rounds = 0;
    BN_TRY(bn_tick(p, "PageRank", 0, 1));
    while (change >= 1e-9 && *rounds < MOST_STEPS) {
        change = step(next, pi, &w, beta);
        memcpy(pi, next, (size_t)n * sizeof *pi);
        if (++*rounds % 8 == 0)
            BN_TRY(bn_tick(p, "PageRank", 0, 1));
    }
    BN_TRY(bn_tick(p, "PageRank", 1, 1));
done:
    bn_free(next);
    bn_free(w.degree);
    return rc;
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

bonsai_status bn_knee(int64_t *index, double *score, const double *pi, int64_t n)
{
    double *sorted = NULL, best = -1;
    *index = -1;
    *score = 0;
    if (n < 3)
        return BONSAI_OK;
    bonsai_status rc = BN_NEW(&sorted, n);
    if (rc != BONSAI_OK)
        return rc;
    memcpy(sorted, pi, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, descending);
    for (int64_t i = 1; i + 1 < n; i++) {
        double bend = sorted[i + 1] + sorted[i - 1] - 2 * sorted[i];
        if (bend > best) {
            best = bend;
            *index = i;
            *score = sorted[i];
        }
    }
    bn_free(sorted);
    return BONSAI_OK;
}
