/* wl.c -- embeddings: features averaged over neighbours, L times.
 *
 * Propagation is independent per column, so dense features are processed in panels of 4 to 64
 * columns (wl_dense.c): two panels are all the memory beside the result, and while a panel of 16
 * fits the cache its rows are gathered from there.  Sparse features stay sparse rows while they are
 * sparse enough (wl_sparse.c), and are panels for the remaining rounds; a last round that fills
 * them up makes dense rows of sparse ones (wl_last.c).  All ways add each number's terms in the
 * order of the neighbours, so they agree to the bit.  Cost O(L m f), or O(L m) times the non-zeros
 * of a row.  Paper: section 3, definition of the WL kernel.
 *
 * A round computes only the rows that the requested rows will need; over ranks, each computes its
 * own, and the neighbours' rows of other ranks are sent before each round (wl_halo.c).
 *
 * The rule of averaging (embed.h) is the paper's WL kernel, or the mean that prototypes use.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "wl.h"

/* Reports progress: done / total of `rounds` rounds; each round counts a thousand. */
bonsai_status bn_wl_tick(const bn_wl_run *w, int rounds, int64_t done, int64_t total)
{
    int64_t all = 1000 * (int64_t)(w->layers > 0 ? w->layers : 1);
    double share = total > 0 ? (double)done / (double)total : 1.0;
    return bn_tick(w->at->progress, "embedding",
                   1000 * (int64_t)w->done + (int64_t)(1000.0 * rounds * share), all);
}

/* Finds each row's factor; it is 1 for an operator, which multiplies rows directly. */
static bonsai_status find_factors(bn_wl_run *w)
{
    const bool is_operator = w->g->view.flags & BONSAI_FLAG_OPERATOR;
    bonsai_status rc = BN_BIG(&w->factor, w->at->memory, w->n);
    const float *weight = w->g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    if (rc != BONSAI_OK)
        return rc;
    const double work = (weight ? 8 : 1) * bn_wl_numbers(w, w->n);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(static)
    for (int64_t v = 0; v < w->n; v++) {
        int64_t e = bn_row_begin(w->g, w->first + v), end = bn_row_begin(w->g, w->first + v + 1);
        double degree = weight ? 0 : (double)(end - e);
        for (; !is_operator && weight && e < end; e++)
            degree += (double)weight[e];
        w->factor[v] = is_operator ? 1 : bn_rule_factor(w->rule, degree);
    }
    return BONSAI_OK;
}

/* Counts the entries of own rows that are needed now, as often as a round adds them (a row with k
 * neighbours is added to k rows), and what they would be if all rows were full. */
static void count_entries(int64_t sum[2], const bn_wl_run *w)
{
    int64_t added = 0, edges = 0;
    const double work = 8.0 * (double)w->n;
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(static) \
    reduction(+ : added, edges)
    for (int64_t v = 0; v < w->n; v++)
        if (bn_wl_needs(w->need, v, w->done)) {
            int64_t times = 1 + bn_wl_edges_of(w, v).count;
            added += times * bn_wl_row_of(w, v).count;
            edges += times;
        }
    sum[0] = added;
    sum[1] = edges * w->f;
}

/* Returns whether the rows of all ranks are sparse enough for another sparse round.  A last round
 * needs no panels afterwards: it pays for rows twice as full. */
static bonsai_status sparse_enough(bool *out, const bn_wl_run *w)
{
    bonsai_status rc;
    int64_t sum[2];
    count_entries(sum, w);
    BN_TRY(bn_sum_int(bn_wl_world(w), sum, 2));
    int share = w->done + 1 == w->layers ? BN_SPARSE_SHARE / 2 : BN_SPARSE_SHARE;
    *out = sum[1] > 0 && sum[0] <= sum[1] / share;
done:
    return rc;
}

static void move_rows(bn_embedding *out, bn_wl_run *w)
{
    out->offsets = w->x.offsets;
    out->index = w->x.index;
    out->value = w->x.value;
    memset(&w->x, 0, sizeof w->x);
}

/* Runs all rounds on sparse rows; *made: they were sparse enough, and the result is complete. */
static bonsai_status sparse_rounds(bool *made, bn_embedding *out, bn_wl_run *w)
{
    bonsai_status rc = BONSAI_OK;
    bool sparse = true, full = false;
    while (w->done < w->layers) {
        BN_TRY(sparse_enough(&sparse, w));
        if (sparse && w->done + 1 == w->layers)
            BN_TRY(bn_wl_fills(&full, w));
        if (!sparse || full)
            break;
        BN_TRY(bn_wl_sparse_step(w, w->done + 1 == w->layers));
    }
    *made = sparse;
    if (full)
        BN_TRY(bn_wl_last_dense(out, w));
    else if (sparse)
        move_rows(out, w);
done:
    return rc;
}

/* Runs all rounds.  Features without rounds stay sparse however many they are: dense rows would
 * gain nothing. */
static bonsai_status all_rounds(bn_embedding *out, bn_wl_run *w)
{
    bonsai_status rc = BONSAI_OK;
    bool made = false;
    if (w->sparse && w->layers == 0)
        BN_TRY(bn_agree(bn_wl_world(w), bn_wl_sparse_pick(w)));
    if (w->sparse)
        BN_TRY(sparse_rounds(&made, out, w));
    if (!made)
        BN_TRY(bn_wl_dense(out, w));
done:
    return rc;
}

/* Fails if averages overflowed, as those of the largest floats, or over the smallest weights,
 * can. */
static bonsai_status check_finite(const bn_embedding *e, const bn_wl_run *w)
{
    int64_t count = e->dense ? 0 : e->offsets[e->rows], bad = w->bad;
    const double work = (double)count;
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(static) reduction(+ : bad)
    for (int64_t i = 0; i < count; i++)
        bad += !isfinite(e->value[i]);
    if (bad == 0)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_ARGUMENT, w->g->where, "averaging the features over neighbours "
                      "overflows: scale the features, or the edge weights");
}

static bonsai_status start(bn_wl_run *w)
{
    bonsai_status rc;
    if (w->layers < 0)
        return bn_fail(BONSAI_E_ARGUMENT, "layers is %d: it must be 0 or more", w->layers);
    BN_TRY(bn_wl_tick(w, 1, 0, 1));
    BN_TRY(bn_graph_need(w->g, BN_BIT(BONSAI_SECTION_OFFSETS) | BN_BIT(BONSAI_SECTION_NEIGHBORS) |
                                   BN_BIT(BONSAI_SECTION_EDGE_WEIGHTS) | BN_FEATURE_SECTIONS,
                         w->threads));
    BN_TRY(find_factors(w));
done:
    return rc;
}

static bonsai_status embed(bn_embedding *out, bn_wl_run *w)
{
    bonsai_status rc;
    bn_world *world = bn_wl_world(w);
    const bn_rows own = bn_rows_of(&w->g->view, w->at);
    int64_t before = world ? world->sent : 0;
    w->first = own.begin;
    w->n = own.end - own.begin;
    w->f = w->g->view.features;
    w->count = w->nodes ? w->count : w->n;
    w->sparse = bn_has(w->g, BONSAI_SECTION_FEATURE_OFFSETS);
    memset(out, 0, sizeof *out);
    out->rows = w->count;
    out->f = w->f;
    BN_TRY(bn_agree(world, start(w)));
    BN_TRY(bn_wl_reach(w));
    BN_TRY(all_rounds(out, w));
    BN_TRY(bn_agree(world, check_finite(out, w)));
    w->done = 0;
    BN_TRY(bn_agree(world, bn_wl_tick(w, w->layers > 0 ? w->layers : 1, 1, 1)));
    if (world)
        world->sent_rows += world->sent - before;
done:
    bn_big_free(w->factor);
    bn_wl_rows_free(&w->x);
    bn_wl_reach_free(w);
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}

bonsai_status bn_embed(bn_embedding *out, const bonsai_graph *g, const bn_nodes *nodes,
                       bn_rule rule, int layers, const bn_place *at)
{
    at = bn_here(at);
    if (g->view.flags & BONSAI_FLAG_OPERATOR)
        rule = BN_RULE_AROUND;          /* with a factor of 1 */
    return embed(out, &(bn_wl_run){.g = g, .nodes = nodes ? nodes->id : NULL,
                                   .count = nodes ? nodes->count : 0, .rule = rule,
                                   .layers = layers, .at = at,
                                   .threads = bn_threads(at->threads)});
}
