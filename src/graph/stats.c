/* stats.c -- statistics of a graph: degrees, classes, homophily, parts.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "graph.h"
#include "options/options.h"

static int degree_bin(int64_t degree)
{
    int bin = 0;
    for (; degree > 0; degree >>= 1)
        bin++;
    return bin;
}

static int64_t degree_of(const bonsai_graph *g, int64_t v)
{
    return bn_row_begin(g, v + 1) - bn_row_begin(g, v);
}

/* Describes the degrees, given the number of nodes of each degree. */
static void describe_degrees(bonsai_stats *s, const int64_t *count)
{
    int64_t n = s->nodes, seen = 0, d = 0;
    s->isolated = n ? count[0] : 0;
    while (d < s->degree_max && count[d] == 0)
        d++;
    s->degree_min = d;
    for (d = 0; d <= s->degree_max && seen <= (n - 1) / 2; d++)
        seen += count[d];
    s->degree_median = n ? d - 1 : 0;
    /* Hill's estimator with a correction of one half, because degrees are integers. */
    int64_t tail = 0, low = s->degree_max;
    while (low > 1 && tail + count[low] <= n / 10)
        tail += count[low--];
    double sum = 0;
    for (d = low + 1; d <= s->degree_max; d++)
        sum += (double)count[d] * log((double)d / ((double)low + 0.5));
    if (tail >= 50 && sum > 0)
        s->power_exponent = 1 + (double)tail / sum;
}

/* Counts the nodes of each degree, since the median and the tail need them in order. */
static bonsai_status degree_stats(bonsai_stats *s, const bonsai_graph *g, bn_world *w, bn_rows rows)
{
    bonsai_status rc;
    int64_t most = 0, *count = NULL;
    for (int64_t v = rows.begin; v < rows.end; v++) {
        int64_t d = degree_of(g, v);
        most = d > most ? d : most;
        s->degree_bin[degree_bin(d) < 32 ? degree_bin(d) : 32]++;
    }
    double largest = (double)most;
    BN_TRY(bn_max(w, &largest, 1));
    BN_TRY(bn_sum_int(w, s->degree_bin, sizeof s->degree_bin / sizeof *s->degree_bin));
    s->degree_max = (int64_t)largest;
    BN_TRY(bn_agree(w, BN_NEW(&count, s->degree_max + 1)));
    for (int64_t v = rows.begin; v < rows.end; v++)
        count[degree_of(g, v)]++;
    BN_TRY(bn_sum_int(w, count, s->degree_max + 1));
    describe_degrees(s, count);
done:
    bn_free(count);
    return rc;
}

static bonsai_status edge_stats(bonsai_stats *s, const bonsai_graph *g, bn_world *w, bn_rows rows,
                                int threads)
{
    const int32_t *to = bn_neighbors(g);
    int64_t known = 0, same = 0, loops = 0, blocks = (rows.end - rows.begin + 1023) / 1024;
    const double work = 16.0 * (double)(bn_row_begin(g, rows.end) - bn_row_begin(g, rows.begin));
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static) \
    reduction(+:known, same, loops)
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t v = rows.begin + b * 1024; v < bn_least(rows.begin + (b + 1) * 1024, rows.end);
             v++) {
            int32_t label = bn_label(g, v);
            int64_t end = bn_row_begin(g, v + 1);
            for (int64_t e = bn_row_begin(g, v); e < end; e++) {
                int32_t other = bn_label(g, to[e]);
                loops += to[e] == v;
                known += to[e] != v && label >= 0 && other >= 0;
                same += to[e] != v && label >= 0 && label == other;
            }
        }
    int64_t sum[] = {known, same, loops};
    bonsai_status rc = bn_sum_int(w, sum, 3);
    s->homophily = sum[0] ? (double)sum[1] / (double)sum[0] : -1;
    s->self_loops = sum[2];
    return rc;
}

static bonsai_status node_stats(bonsai_stats *s, int64_t *class_counts, const bonsai_graph *g,
                                bn_world *w, bn_rows rows)
{
    bonsai_status rc;
    if (class_counts)
        memset(class_counts, 0, (size_t)s->classes * sizeof *class_counts);
    for (int64_t v = rows.begin; v < rows.end; v++) {
        int32_t label = bn_label(g, v);
        s->labelled += label >= 0;
        s->part[bn_part(g, v)]++;
        if (class_counts && label >= 0)
            class_counts[label]++;
    }
    BN_TRY(bn_sum_int(w, &s->labelled, 1));
    BN_TRY(bn_sum_int(w, s->part, sizeof s->part / sizeof *s->part));
    if (class_counts)
        BN_TRY(bn_sum_int(w, class_counts, s->classes));
done:
    return rc;
}

/* Runs in four steps, which all ranks end together. */
static bonsai_status count_all(bonsai_stats *s, int64_t *class_counts, const bonsai_graph *g,
                               const bn_place *at)
{
    bonsai_status rc;
    bn_world *w = at->world;
    bn_progress p = at->progress;
    const bn_rows rows = bn_rows_of(&g->view, at);
    bn_traits t;
    bool integer;
    BN_TRY(bn_agree(w, bn_tick(p, "counting", 0, 4)));
    BN_TRY(bn_graph_need_at(g, BN_BIT(BONSAI_SECTION_NEIGHBORS) | BN_BIT(BONSAI_SECTION_LABELS) |
                                   BN_BIT(BONSAI_SECTION_SPLIT) | BN_FEATURE_SECTIONS, at));
    BN_TRY(bn_agree(w, bn_tick(p, "counting", 1, 4)));
    BN_TRY(node_stats(s, class_counts, g, w, rows));
    BN_TRY(degree_stats(s, g, w, rows));
    BN_TRY(bn_agree(w, bn_tick(p, "counting", 2, 4)));
    BN_TRY(edge_stats(s, g, w, rows, bn_threads(at->threads)));
    BN_TRY(bn_agree(w, bn_tick(p, "counting", 3, 4)));
    BN_TRY(bn_traits_of(&t, &integer, g, at));
    s->feature_nnz = t.nnz;
done:
    return rc;
}

bonsai_status bonsai_graph_stats(bonsai_stats *out, int64_t *class_counts, const bonsai_graph *g,
                                 const bonsai_read_options *given)
{
    bonsai_read_options o;
    bonsai_status rc = BN_OPTIONS(&o, given, read);
    if (bn_is_null(out, "out") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    if (rc != BONSAI_OK)
        return rc;
    return bn_graph_stats(out, class_counts, g,
                          &(bn_place){.threads = o.threads, .progress = {o.progress, o.payload}});
}

bonsai_status bn_graph_stats(bonsai_stats *out, int64_t *class_counts, const bonsai_graph *g,
                             const bn_place *at)
{
    bonsai_status rc;
    bn_world *w = at->world;
    bonsai_stats s;
    BN_TRY(bn_agree(w, bn_result_check(out, "bonsai_stats")));
    bonsai_stats_init(&s);
    s.nodes = g->view.nodes;
    s.edges = bonsai_graph_edges(g);
    s.features = g->view.features;
    s.classes = g->view.classes;
    s.degree_mean = s.nodes ? (double)s.edges / (double)s.nodes : 0;
    BN_TRY(count_all(&s, class_counts, g, at));
    bn_result_fill(out, &s);
    BN_TRY(bn_agree(w, bn_tick(at->progress, "counting", 4, 4)));
done:
    return rc;
}

bonsai_status bn_graph_labelled(int64_t *out, const bonsai_graph *g, const bn_place *at)
{
    const bn_rows rows = bn_rows_of(&g->view, at);
    *out = 0;
    for (int64_t v = rows.begin; v < rows.end; v++)
        *out += bn_label(g, v) >= 0;
    return bn_sum_int(at->world, out, 1);
}
