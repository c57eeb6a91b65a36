/* curriculum.c -- the order in which training nodes take part in the training of an expert: easy
 * ones first.
 *
 * A node is hard if its neighbourhood has many labels: the measure is the entropy of the labels of
 * the node and of its neighbours among the training nodes.  Nodes of equal entropy come in random
 * order.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "experts.h"

typedef struct {
    double  entropy;
    int32_t place, lot;
} ranked;

static int by_entropy(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->entropy != q->entropy)
        return p->entropy < q->entropy ? -1 : 1;
    return p->lot < q->lot ? -1 : p->lot > q->lot;
}

/* Fills out[v] with the class of node v if v is a training node, else with -1. */
static bonsai_status known_labels(int32_t **out, const bn_problem *s)
{
    const int64_t n = s->job->g->view.nodes;
    bonsai_status rc = BN_NEW(out, n);
    for (int64_t v = 0; rc == BONSAI_OK && v < n; v++)
        (*out)[v] = -1;
    for (int64_t t = 0; rc == BONSAI_OK && t < s->job->trees; t++)
        (*out)[s->job->train[t]] = s->label[t];
    return rc;
}

/* Returns the entropy of the labels of a node and its neighbours. count (c) is 0 before and
 * after. */
static double entropy_around(int32_t node, const bn_problem *s, const int32_t *label,
                             int64_t *count)
{
    const bonsai_view *v = &s->job->g->view;
    const bonsai_array *offsets = &v->section[BONSAI_SECTION_OFFSETS];
    const int32_t *to = v->section[BONSAI_SECTION_NEIGHBORS].data;
    const int64_t first = bn_int_at(offsets, node), end = bn_int_at(offsets, node + 1);
    int64_t all = 1;
    double sum = 0;
    count[label[node]] = 1;
    for (int64_t e = first; e < end; e++)
        if (to[e] != node && label[to[e]] >= 0) {
            count[label[to[e]]]++;
            all++;
        }
    for (int64_t k = 0; k < s->c; k++) {
        const double p = (double)count[k] / (double)all;
        sum -= p > 0 ? p * log(p) : 0;
        count[k] = 0;
    }
    return sum;
}

bonsai_status bn_curriculum_order(int32_t *order, const bn_problem *s)
{
    bonsai_status rc;
    const int64_t trees = s->job->trees;
    int32_t *label = NULL;
    int64_t *count = NULL;
    ranked *p = NULL;
    BN_TRY(known_labels(&label, s));
    BN_TRY(BN_NEW(&count, s->c));
    BN_TRY(BN_NEW(&p, trees));
    for (int64_t t = 0; t < trees; t++)
        order[t] = (int32_t)t;
    bn_rng_shuffle(order, trees, s->seed);
    for (int64_t t = 0; t < trees; t++)
        p[t] = (ranked){entropy_around(s->job->train[t], s, label, count), (int32_t)t, order[t]};
    qsort(p, (size_t)trees, sizeof *p, by_entropy);
    for (int64_t t = 0; t < trees; t++)
        order[t] = p[t].place;
done:
    bn_free(label);
    bn_free(count);
    bn_free(p);
    return rc;
}

double bn_curriculum_share(const bn_training *how, int64_t t)
{
    const double at = (double)t / (double)how->grown, low = how->share;
    if (how->pace == BN_CURRICULUM_NONE || at >= 1)
        return 1;
    if (how->pace == BN_CURRICULUM_LINEAR)
        return low + (1 - low) * at;
    if (how->pace == BN_CURRICULUM_ROOT)
        return sqrt(low * low + (1 - low * low) * at);
    return exp2(log2(low) * (1 - at));
}
