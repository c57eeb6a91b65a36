/* trees.c -- the paper's method: cover, sparsify, enrich, until the budget is used.
 *
 * Trees are taken in the order of the greedy cover as long as they fit.  Then
 * PageRank from the roots ranks the ego nodes, those below the knee go, and the
 * bytes that they free are filled with more trees, of less depth once no whole tree
 * fits, down to single nodes.  Where all trees are in and bytes are left, ego nodes
 * come back, the nearest first.  Paper: algorithm 1 and the appendix on PPR.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "set.h"

enum { MOST_ROUNDS = 50, TICK_EVERY = 16, PARTS = 1000,
       AHEAD = 256, FIRST_ENTRIES = 64 };       /* fetched together: trees, and entries of each */

typedef struct {
    const bn_job *job;
    bn_set    set;
    bn_cover *cover;
    int64_t  *degree;           /* trees */
    double   *cost;             /* trees: stand-alone bytes, for --greedy density */
    uint8_t  *tried;            /* classes: a tree of it has fitted or been tried */
    uint8_t  *deep;             /* classes: one of full depth is in the set */
    int64_t  *misses;           /* classes, while seats are filled */
    int64_t   added;            /* trees taken in the last filling */
    int64_t   most;             /* whole trees that may go in a round; 0: no more rounds */
    int64_t   tries;
    const char *stage;
    int64_t   done, total;      /* progress of the stage */
} state;

static bonsai_status tick(state *s)
{
    s->set.last = (bonsai_progress){.stage = s->stage, .done = (uint64_t)s->done,
                                    .total = (uint64_t)s->total};
    return bn_tick(s->job->at.progress, s->stage, s->done, s->total);
}

static bonsai_status begin_stage(state *s, const char *stage, int64_t total)
{
    s->stage = stage;
    s->done = 0;
    s->total = total;
    return tick(s);
}

static bonsai_status end_stage(state *s)
{
    s->done = s->total;
    return tick(s);
}

/* ---- cover and enrich ---- */

static bool every_class_tried(const state *s)
{
    for (int64_t c = 0; c < s->job->g->view.classes; c++)
        if (!s->tried[c] && s->set.class_trees[c] > 0)
            return false;
    return true;
}

static bonsai_status try_tree(bool *fits, state *s, int64_t tree, int depth)
{
    int32_t c = bn_set_label(&s->set, tree);
    s->tried[c] = 1;
    bonsai_status rc = bn_set_try(fits, &s->set, tree, depth);
    if (rc != BONSAI_OK || !*fits)
        return rc;
    s->deep[c] |= depth == s->job->o->layers;
    s->added++;
    bn_cover_take(s->cover, tree);
    return BONSAI_OK;
}

static bonsai_status tick_try(state *s)
{
    if (++s->tries % TICK_EVERY != 0)
        return BONSAI_OK;
    if (s->total == PARTS && s->done < (int64_t)(PARTS * bn_set_used(&s->set)))
        s->done = (int64_t)(PARTS * bn_set_used(&s->set));
    return tick(s);
}

/* Takes trees of one depth until none fits any more. */
static bonsai_status fill_at(state *s, int depth)
{
    bonsai_status rc = BONSAI_OK;
    int64_t misses = 0;
    for (int64_t tree; s->set.roots < s->set.budget.trees &&
                       (tree = bn_cover_next(s->cover)) >= 0;) {
        bool fits;
        BN_TRY(tick_try(s));
        BN_TRY(try_tree(&fits, s, tree, depth));
        if (fits) {
            misses = 0;
            continue;
        }
        bn_cover_skip(s->cover, tree);
        if (++misses >= s->job->o->patience && every_class_tried(s))
            break;
    }
    bn_cover_retry(s->cover);
done:
    return rc;
}

/* Whether a class has no root, or if whole trees are tried no whole one, and has not missed too
 * often. */
static bool is_waiting(const state *s, int64_t class, int depth)
{
    bool has = depth == s->job->o->layers ? s->deep[class] : s->set.class_roots[class] > 0;
    return !has && s->misses[class] < s->job->o->patience;
}

/* One tree of one depth for every class that has none. */
static bonsai_status seat_at(state *s, int depth)
{
    bonsai_status rc = BONSAI_OK;
    int64_t left = 0;
    memset(s->misses, 0, (size_t)s->job->g->view.classes * sizeof *s->misses);
    for (int64_t c = 0; c < s->job->g->view.classes; c++)
        left += s->set.class_trees[c] > 0 && is_waiting(s, c, depth);
    for (int64_t tree; left > 0 && (tree = bn_cover_next(s->cover)) >= 0;) {
        int32_t c = bn_set_label(&s->set, tree);
        BN_TRY(tick_try(s));
        bool waits = is_waiting(s, c, depth), fits = false;
        if (waits)
            BN_TRY(try_tree(&fits, s, tree, depth));
        if (fits) {
            left--;
            continue;
        }
        bn_cover_skip(s->cover, tree);
        if (waits && ++s->misses[c] >= s->job->o->patience)
            left--;
    }
    bn_cover_retry(s->cover);
done:
    return rc;
}

/* Classes none of whose trees fitted at full depth are tried at less, and at last get
 * the node that was kept for them.  If trees are not to be cut, each is tried at full depth first:
 * those before ended when trees of any class had missed. */
static bonsai_status seat_classes(state *s)
{
    bonsai_status rc = BONSAI_OK;
    bool fits;
    if (s->set.budget.trees < INT64_MAX)        /* every tree fits */
        goto done;
    for (int depth = s->job->o->layers - !s->job->o->keep_trees; depth >= 0; depth--)
        BN_TRY(seat_at(s, depth));
    for (int64_t c = 0; c < s->job->g->view.classes; c++)
        if (s->set.seat[c] >= 0)
            BN_TRY(try_tree(&fits, s, s->set.seat[c], 0));
done:
    return rc;
}

static bonsai_status at_least_one(state *s)
{
    int64_t tree = -1;
    bonsai_status rc = s->set.roots == 0 ? bn_set_any(&tree, &s->set) : BONSAI_OK;
    if (tree >= 0)
        bn_cover_take(s->cover, tree);
    return rc;
}

/* Classes whose tree was cut get a whole one if it fits: that same one, or else another, and then
 * the cut one goes.  *gone: how many went. */
static bonsai_status mend(int64_t *gone, state *s)
{
    bonsai_status rc = BONSAI_OK;
    const bn_set *set = &s->set;
    *gone = 0;
    if (set->budget.trees < INT64_MAX)          /* none was cut */
        goto done;
    for (int64_t i = 0, count = set->members; i < count; i++) {
        int32_t v = set->member[i];
        bool fits;
        if (bn_set_role(set, v) == BONSAI_ROLE_ROOT && !s->deep[bn_label(s->job->g, v)])
            BN_TRY(try_tree(&fits, s, bn_set_tree(set, v), s->job->o->layers));
    }
    BN_TRY(seat_at(s, s->job->o->layers));
    BN_TRY(bn_set_drop_cut(&s->set, s->cover, gone));
done:
    return rc;
}

static bonsai_status fill_whole(state *s)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t gone = 1; gone > 0;) {
        bn_set_deep(s->deep, &s->set);
        BN_TRY(fill_at(s, s->job->o->layers));
        BN_TRY(mend(&gone, s));
    }
done:
    return rc;
}

/* Fills what is left of the budget: whole trees, then shallower ones if they may be cut. */
static bonsai_status fill(state *s)
{
    bonsai_status rc = BONSAI_OK;
    s->added = 0;
    if (s->job->o->keep_trees)
        return fill_whole(s);
    for (int depth = s->job->o->layers; depth >= 0; depth--)
        BN_TRY(fill_at(s, depth));
done:
    return rc;
}

/* ---- the rounds ---- */

/* Step 1, and for the options that leave out the rounds or try them, all of the enrichment. */
static bonsai_status cover(state *s, bool enrich)
{
    bonsai_status rc;
    BN_TRY(begin_stage(s, "cover", PARTS));
    BN_TRY(fill_at(s, s->job->o->layers));
    BN_TRY(seat_classes(s));
    if (enrich || s->set.roots == 0)
        BN_TRY(fill(s));
    BN_TRY(at_least_one(s));
    BN_TRY(end_stage(s));
done:
    return rc;
}

/* Steps 2 and 3. */
static bonsai_status sparsify(state *s, bn_choice *out)
{
    bonsai_status rc = BONSAI_OK;
    BN_TRY(begin_stage(s, "sparsify", MOST_ROUNDS));
    while (out->rounds < MOST_ROUNDS && s->set.roots > 0) {
        bool settled;
        int64_t pruned;
        bn_enter(&s->job->at, BN_STAGE_SPARSIFY);
        BN_TRY(tick(s));
        BN_TRY(bn_set_prune(&s->set, &pruned, &settled));
        if (settled)
            break;
        bn_set_trace_round(&s->set);
        bn_enter(&s->job->at, BN_STAGE_COVER);
        BN_TRY(fill(s));
        s->done = ++out->rounds;
        if (s->added == 0)              /* nothing more fits, or as many as were asked for */
            break;
    }
    BN_TRY(end_stage(s));
done:
    return rc;
}

/* Prunes whole trees, fills, and counts that as a round.  If it does not pay, takes both back, and
 * half as many trees may go the next time. */
static bonsai_status replace_trees(state *s, bn_choice *out)
{
    bonsai_status rc;
    bn_snapshot before = {0};
    int64_t pruned;
    bool pays;
    bn_enter(&s->job->at, BN_STAGE_SPARSIFY);
    BN_TRY(bn_set_remember(&before, &s->set));
    BN_TRY(bn_set_prune_trees(&s->set, s->cover, s->most, &pruned));
    if (pruned == 0) {
        s->most = 0;
        goto done;
    }
    bn_set_trace_round(&s->set);
    bn_enter(&s->job->at, BN_STAGE_COVER);
    BN_TRY(fill(s));
    BN_TRY(bn_set_better(&pays, &s->set, &before));
    out->rounds += pays;
    if (!pays) {
        bn_set_go_back(&s->set, &before);
        bn_set_trace_pruned(&s->set, 0);
        s->most = pruned / 2;
    }
    BN_TRY(bn_set_resume(&s->set, s->cover));
done:
    bn_snapshot_free(&before);
    return rc;
}

/* The same with trees that go or stay as a whole, from a full budget on.  With a budget in trees
 * those that go leave no room for more than came first, so none go. */
static bonsai_status sparsify_trees(state *s, bn_choice *out)
{
    bonsai_status rc;
    s->most = s->set.budget.trees < INT64_MAX ? 0 : INT64_MAX;
    BN_TRY(begin_stage(s, "sparsify", MOST_ROUNDS));
    for (; s->most > 0 && s->done < MOST_ROUNDS && s->set.roots > 0 &&
           s->set.roots < s->job->trees; s->done++) {
        BN_TRY(tick(s));
        BN_TRY(replace_trees(s, out));
    }
    BN_TRY(fill(s));            /* what went may use what is left */
    BN_TRY(end_stage(s));
done:
    return rc;
}

/* Uses up what no tree could use, and scores what there is in the end. */
static bonsai_status finish(state *s)
{
    bonsai_status rc;
    const bonsai_condense_options *o = s->job->o;
    BN_TRY(begin_stage(s, "finishing", 1));
    if (!o->keep_trees && s->set.budget.trees == INT64_MAX && bn_set_used(&s->set) < BN_ENOUGH)
        BN_TRY(bn_set_widen(&s->set));
    if (!o->no_ppr && s->set.roots > 0)
        BN_TRY(bn_set_rank(&s->set));
    BN_TRY(end_stage(s));
done:
    return rc;
}

/* ---- the bound ---- */

typedef struct { double gain, cost; } bargain;

static int best_first(const void *a, const void *b)
{
    const bargain *x = a, *y = b;
    double left = x->gain * y->cost, right = y->gain * x->cost;
    return left > right ? -1 : left < right;
}

static int64_t gain_of(const bn_job *job, int64_t tree)
{
    return job->rknn.offsets[tree + 1] - job->rknn.offsets[tree];
}

/* Rows of those of the next trees that cover anything, and so many entries. */
static bonsai_status ask_for_trees(const state *s, int64_t tree, int64_t count, int64_t entries)
{
    bonsai_status rc = BONSAI_OK;
    int64_t end = bn_least(tree + count, s->job->trees);
    for (; bn_reader_remote(s->set.reader) && tree < end; tree++)
        if (gain_of(s->job, tree) > 0)
            BN_TRY(bn_reader_ask(s->set.reader, s->job->train[tree], entries));
    BN_TRY(bn_reader_fetch(s->set.reader));
done:
    return rc;
}

/* No choice of trees at this budget can cover more: each tree priced at the least that
 * its root's row costs, taken by gain per byte, the last one in part. */
static bonsai_status bound_coverage(bn_choice *out, state *s)
{
    bonsai_status rc;
    const bn_job *job = s->job;
    const bn_budget *b = &s->set.budget;
    bargain *all = NULL;
    int64_t count = 0;
    bool bytes = isfinite(b->bytes);
    double sum = 0, left = bytes ? b->bytes : (double)(b->nodes < b->trees ? b->nodes : b->trees);
    out->coverage_bound = -1;
    BN_TRY(BN_NEW(&all, job->trees));
    if (bytes)
        BN_TRY(ask_for_trees(s, 0, job->trees, 0));
    for (int64_t t = 0; t < job->trees; t++) {
        double gain = (double)gain_of(job, t);
        double cost = bytes ? 0 : 1;
        if (bytes && gain > 0)
            BN_TRY(bn_price_least(&cost, s->set.price, job->train[t]));
        left -= cost < 0 ? cost : 0;            /* the paper's price of negative features */
        if (gain > 0)
            all[count++] = (bargain){gain, cost < 0 ? 0 : cost};
    }
    qsort(all, (size_t)count, sizeof *all, best_first);
    for (int64_t i = 0; i < count && (left > 0 || all[i].cost == 0); i++) {
        double part = all[i].cost <= left ? 1 : left / all[i].cost;
        sum += part * all[i].gain;
        left -= all[i].cost;
    }
    if (job->z > 0)
        out->coverage_bound = fmin(1, sum / (double)job->z);
done:
    bn_free(all);
    return rc;
}

/* ---- the whole ---- */

/* Stand-alone bytes of every tree that covers anything, for the density rule. */
static bonsai_status price_trees(state *s)
{
    bonsai_status rc;
    const bn_job *job = s->job;
    const bn_budget *b = &s->set.budget;
    bn_price *price = NULL;
    BN_TRY(begin_stage(s, "pricing", job->trees));
    BN_TRY(BN_NEW(&s->cost, job->trees));
    BN_TRY(bn_price_new(&price, s->set.reader));
    const double empty = bn_price_bytes(price), large = isfinite(b->bytes) ? b->bytes : 1e30;
    for (int64_t t = 0; t < job->trees; t++) {
        bn_tree tree;
        s->cost[t] = large;                     /* at least, if it does not fit */
        if (t % AHEAD == 0)
            BN_TRY(ask_for_trees(s, t, AHEAD, FIRST_ENTRIES));
        if (gain_of(job, t) == 0)
            continue;
        BN_TRY(bn_ego_grow(&tree, s->set.ego, price, job->train[t], job->o->layers, b));
        if (tree.fits) {
            s->cost[t] = fmax(1, bn_price_bytes(price) - empty);
            bn_ego_undo(s->set.ego, price);
        }
        s->done = t;
        if (t % TICK_EVERY == 0)
            BN_TRY(tick(s));
    }
    BN_TRY(end_stage(s));
done:
    bn_price_free(price);
    return rc;
}

static bonsai_status prepare(state *s, const bn_budget *budget)
{
    bonsai_status rc;
    const bn_job *job = s->job;
    int64_t classes = job->g->view.classes;
    BN_TRY(bn_set_new(&s->set, job, budget));
    BN_TRY(BN_NEW(&s->degree, job->trees));
    BN_TRY(BN_NEW(&s->tried, classes));
    BN_TRY(BN_NEW(&s->deep, classes));
    BN_TRY(BN_NEW(&s->misses, classes));
    for (int64_t t = 0; t < job->trees; t++)
        s->degree[t] = bn_row_begin(job->g, job->train[t] + 1) -
                       bn_row_begin(job->g, job->train[t]);
    if (job->o->density)
        BN_TRY(price_trees(s));
    /* another stream than the sample's, or the random part would begin with the sample */
    BN_TRY(bn_cover_new(&s->cover, &job->rknn, job->z, s->degree, s->cost, job->o->seed + 2));
done:
    return rc;
}

static void free_state(state *s)
{
    bn_set_free(&s->set);
    bn_cover_free(s->cover);
    bn_free(s->degree);
    bn_free(s->cost);
    bn_free(s->tried);
    bn_free(s->deep);
    bn_free(s->misses);
}

static bonsai_status choose(bn_choice *out, const bn_job *job, const bn_budget *budget,
                            const void *how)
{
    bonsai_status rc;
    state s = {.job = job};
    (void)how;
    memset(out, 0, sizeof *out);
    bn_enter(&job->at, BN_STAGE_COVER);
    BN_TRY(prepare(&s, budget));
    BN_TRY(BN_NEW(&out->trace, 1));
    s.set.trace = out->trace;
    BN_TRY(bound_coverage(out, &s));
    BN_TRY(cover(&s, job->o->no_ppr || job->o->keep_trees));
    if (!job->o->no_ppr)
        BN_TRY(job->o->keep_trees ? sparsify_trees(&s, out) : sparsify(&s, out));
    bn_enter(&job->at, BN_STAGE_SPARSIFY);
    BN_TRY(finish(&s));
    BN_TRY(bn_set_collect(out, &s.set));
    BN_TRY(bn_set_trace_curve(&s.set));
    for (int64_t c = 0; c < job->g->view.classes; c++)
        out->shallow_classes += s.tried[c] && !s.deep[c];
    out->rechecks = bn_cover_rechecks(s.cover);
done:
    free_state(&s);
    if (rc != BONSAI_OK)
        bn_choice_free(out);
    return rc;
}

bonsai_status bn_trees(bn_choice *out, const bn_job *job, const bn_budget *budget)
{
    return bn_choose(out, job, budget, choose, NULL);
}
