/* stats.c -- what a graph looks like: degrees, classes, homophily, parts.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "graph.h"

static int degree_bin(int64_t degree)
{
    int bin = 0;
    for (; degree > 0; degree >>= 1)
        bin++;
    return bin;
}

/* Degrees by counting, since the median and the tail need them in order. */
static bonsai_status degree_stats(bonsai_stats *s, const bonsai_graph *g)
{
    bonsai_status rc;
    int64_t n = g->view.nodes, *count = NULL;
    for (int64_t v = 0; v < n; v++) {
        int64_t d = bn_row_begin(g, v + 1) - bn_row_begin(g, v);
        s->degree_max = d > s->degree_max ? d : s->degree_max;
        s->degree_bin[degree_bin(d) < 32 ? degree_bin(d) : 32]++;
    }
    BN_TRY(BN_NEW(&count, s->degree_max + 1));
    for (int64_t v = 0; v < n; v++)
        count[bn_row_begin(g, v + 1) - bn_row_begin(g, v)]++;
    s->isolated = n ? count[0] : 0;
    int64_t seen = 0, d = 0;
    while (d < s->degree_max && count[d] == 0)
        d++;
    s->degree_min = d;
    for (d = 0; d <= s->degree_max && seen <= (n - 1) / 2; d++)
        seen += count[d];
    s->degree_median = n ? d - 1 : 0;
    /* Hill's estimator with half a unit of correction, degrees being integers. */
    int64_t tail = 0, low = s->degree_max;
    while (low > 1 && tail + count[low] <= n / 10)
        tail += count[low--];
    double sum = 0;
    for (d = low + 1; d <= s->degree_max; d++)
        sum += (double)count[d] * log((double)d / ((double)low + 0.5));
    if (tail >= 50 && sum > 0)
        s->power_exponent = 1 + (double)tail / sum;
done:
    bn_free(count);
    return rc;
}

static void edge_stats(bonsai_stats *s, const bonsai_graph *g)
{
    const int32_t *to = bn_neighbors(g);
    int64_t known = 0, same = 0;
    for (int64_t v = 0; v < s->nodes; v++) {
        int32_t label = bn_label(g, v);
        int64_t end = bn_row_begin(g, v + 1);
        for (int64_t e = bn_row_begin(g, v); e < end; e++) {
            int32_t other = bn_label(g, to[e]);
            s->self_loops += to[e] == v;
            known += to[e] != v && label >= 0 && other >= 0;
            same += to[e] != v && label >= 0 && label == other;
        }
    }
    s->homophily = known ? (double)same / (double)known : -1;
}

static bonsai_status count_features(bonsai_stats *s, const bonsai_graph *g)
{
    bonsai_status rc;
    int64_t room = bn_row_room(g);
    int32_t *index = NULL;
    float *value = NULL;
    BN_TRY(BN_NEW(&index, room));
    BN_TRY(BN_NEW(&value, room));
    for (int64_t v = 0; v < s->nodes; v++)
        s->feature_nnz += bn_row_get(index, value, g, v);
done:
    bn_free(index);
    bn_free(value);
    return rc;
}

bonsai_status bonsai_graph_stats(bonsai_stats *out, int64_t *class_counts, const bonsai_graph *g,
                                 const bonsai_read_options *given)
{
    bonsai_status rc;
    bonsai_read_options o;
    bonsai_stats s;
    BN_TRY(BN_OPTIONS(&o, given, read));
    if (out->size < sizeof out->size) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "bonsai_stats was not initialised: call its init function "
                     "first");
        goto done;
    }
    bn_progress p = {o.progress, o.payload};
    bonsai_stats_init(&s);
    BN_TRY(bn_tick(p, "counting", 0, 4));
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_NEIGHBORS) | BN_BIT(BONSAI_LABELS) |
                                BN_BIT(BONSAI_SPLIT) | BN_FEATURE_SECTIONS, o.threads));
    BN_TRY(bn_tick(p, "counting", 1, 4));
    s.nodes = g->view.nodes;
    s.edges = bonsai_graph_edges(g);
    s.features = g->view.features;
    s.classes = g->view.classes;
    s.degree_mean = s.nodes ? (double)s.edges / (double)s.nodes : 0;
    if (class_counts)
        memset(class_counts, 0, (size_t)s.classes * sizeof *class_counts);
    for (int64_t v = 0; v < s.nodes; v++) {
        int32_t label = bn_label(g, v);
        s.labelled += label >= 0;
        s.part[bn_part(g, v)]++;
        if (class_counts && label >= 0)
            class_counts[label]++;
    }
    BN_TRY(degree_stats(&s, g));
    BN_TRY(bn_tick(p, "counting", 2, 4));
    edge_stats(&s, g);
    BN_TRY(bn_tick(p, "counting", 3, 4));
    BN_TRY(count_features(&s, g));
    size_t size = out->size < sizeof s ? out->size : sizeof s;
    s.size = out->size;
    memcpy(out, &s, size);
    BN_TRY(bn_tick(p, "counting", 4, 4));
done:
    return rc;
}
