/* exemplars.c -- the steps of choosing exemplar trees: taking, filling, pruning, finishing.
 *
 * Trees are taken in the order of the greedy cover while they fit.  Pruning frees bytes for more
 * trees, of less depth once no whole tree fits, down to single nodes.  If bytes are left in the
 * end, single ego nodes are added, the nearest first.
 *
 * SPDX-License-Identifier: MIT */
#include "exemplars.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 50, TICK_EVERY = 16, PARTS = 1000 };

/* ---- progress ---- */

bonsai_status bn_stage_tick(bn_exemplars *t)
{
    t->set.last = (bonsai_progress){.stage = t->stage, .done = (uint64_t)t->done,
                                    .total = (uint64_t)t->total};
    return bn_tick(t->job->at.progress, t->stage, t->done, t->total);
}

bonsai_status bn_stage_begin(bn_exemplars *t, const char *stage, int64_t total)
{
    t->stage = stage;
    t->done = 0;
    t->total = total;
    return bn_stage_tick(t);
}

bonsai_status bn_stage_end(bn_exemplars *t)
{
    t->done = t->total;
    return bn_stage_tick(t);
}

/* ---- cover and enrich ---- */

static bool every_class_tried(const bn_exemplars *t)
{
    for (int64_t c = 0; c < t->job->g->view.classes; c++)
        if (!t->tried[c] && t->set.class_trees[c] > 0)
            return false;
    return true;
}

static bonsai_status try_tree(bool *fits, bn_exemplars *t, int64_t tree, int depth)
{
    int32_t c = bn_chosen_label(&t->set, tree);
    t->tried[c] = 1;
    bonsai_status rc = bn_chosen_try(fits, &t->set, tree, depth);
    if (rc != BONSAI_OK || !*fits)
        return rc;
    t->deep[c] |= depth == t->job->o->layers;
    t->added++;
    bn_cover_take(t->cover, tree);
    return BONSAI_OK;
}

static bonsai_status tick_try(bn_exemplars *t)
{
    if (++t->tries % TICK_EVERY != 0)
        return BONSAI_OK;
    if (t->total == PARTS && t->done < (int64_t)(PARTS * bn_chosen_used(&t->set)))
        t->done = (int64_t)(PARTS * bn_chosen_used(&t->set));
    return bn_stage_tick(t);
}

/* Takes trees of one depth until no more fit. */
static bonsai_status fill_at(bn_exemplars *t, int depth)
{
    bonsai_status rc = BONSAI_OK;
    int64_t misses = 0;
    for (int64_t tree; t->set.roots < t->set.budget.trees &&
                       (tree = bn_cover_next(t->cover)) >= 0;) {
        bool fits;
        BN_TRY(tick_try(t));
        BN_TRY(try_tree(&fits, t, tree, depth));
        if (fits) {
            misses = 0;
            continue;
        }
        bn_cover_skip(t->cover, tree);
        if (++misses >= t->job->o->patience && every_class_tried(t))
            break;
    }
    bn_cover_retry(t->cover);
done:
    return rc;
}

/* Returns whether a class has no root (no whole tree, where whole ones are tried) and has not
 * missed too often. */
static bool is_waiting(const bn_exemplars *t, int64_t class, int depth)
{
    bool has = depth == t->job->o->layers ? t->deep[class] : t->set.class_roots[class] > 0;
    return !has && t->misses[class] < t->job->o->patience;
}

/* Takes one tree of one depth for every class without a root. */
static bonsai_status seat_at(bn_exemplars *t, int depth)
{
    bonsai_status rc = BONSAI_OK;
    int64_t left = 0;
    memset(t->misses, 0, (size_t)t->job->g->view.classes * sizeof *t->misses);
    for (int64_t c = 0; c < t->job->g->view.classes; c++)
        left += t->set.class_trees[c] > 0 && is_waiting(t, c, depth);
    for (int64_t tree; left > 0 && (tree = bn_cover_next(t->cover)) >= 0;) {
        int32_t c = bn_chosen_label(&t->set, tree);
        BN_TRY(tick_try(t));
        bool waits = is_waiting(t, c, depth), fits = false;
        if (waits)
            BN_TRY(try_tree(&fits, t, tree, depth));
        if (fits) {
            left--;
            continue;
        }
        bn_cover_skip(t->cover, tree);
        if (waits && ++t->misses[c] >= t->job->o->patience)
            left--;
    }
    bn_cover_retry(t->cover);
done:
    return rc;
}

/* Tries classes without a whole tree at less depth, down to the single node that was kept for them.
 * With keep_trees each class is tried at full depth first: the search before ends when trees of any
 * class miss. */
static bonsai_status seat_classes(bn_exemplars *t)
{
    bonsai_status rc = BONSAI_OK;
    bool fits;
    if (t->set.budget.trees < INT64_MAX)        /* every tree fits */
        goto done;
    for (int depth = t->job->o->layers - !t->job->o->keep_trees; depth >= 0; depth--)
        BN_TRY(seat_at(t, depth));
    for (int64_t c = 0; c < t->job->g->view.classes; c++)
        if (t->set.seat[c] >= 0)
            BN_TRY(try_tree(&fits, t, t->set.seat[c], 0));
done:
    return rc;
}

static bonsai_status at_least_one(bn_exemplars *t)
{
    int64_t tree = -1;
    bonsai_status rc = t->set.roots == 0 ? bn_chosen_any(&tree, &t->set) : BONSAI_OK;
    if (tree >= 0)
        bn_cover_take(t->cover, tree);
    return rc;
}

/* Gives classes whose tree was cut a whole one if it fits: the same tree, or another in its place.
 * *gone gets the number of cut trees that were dropped. */
static bonsai_status mend(int64_t *gone, bn_exemplars *t)
{
    bonsai_status rc = BONSAI_OK;
    const bn_chosen *set = &t->set;
    *gone = 0;
    if (set->budget.trees < INT64_MAX)          /* none was cut */
        goto done;
    for (int64_t i = 0, count = set->members; i < count; i++) {
        int32_t v = set->member[i];
        bool fits;
        if (bn_chosen_role(set, v) == BONSAI_ROLE_ROOT && !t->deep[bn_label(t->job->g, v)])
            BN_TRY(try_tree(&fits, t, bn_chosen_tree(set, v), t->job->o->layers));
    }
    BN_TRY(seat_at(t, t->job->o->layers));
    BN_TRY(bn_chosen_drop_cut(&t->set, t->cover, gone));
done:
    return rc;
}

static bonsai_status fill_whole(bn_exemplars *t)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t gone = 1; gone > 0;) {
        bn_chosen_deep(t->deep, &t->set);
        BN_TRY(fill_at(t, t->job->o->layers));
        BN_TRY(mend(&gone, t));
    }
done:
    return rc;
}

bonsai_status bn_fill_trees(bn_exemplars *t)
{
    bonsai_status rc = BONSAI_OK;
    t->added = 0;
    if (t->job->o->keep_trees)
        return fill_whole(t);
    for (int depth = t->job->o->layers; depth >= 0; depth--)
        BN_TRY(fill_at(t, depth));
done:
    return rc;
}

bonsai_status bn_take_trees(bn_exemplars *t)
{
    bonsai_status rc;
    const bonsai_condense_options *o = t->job->o;
    bn_enter(&t->job->at, BN_STAGE_COVER);
    BN_TRY(bn_stage_begin(t, "cover", PARTS));
    BN_TRY(fill_at(t, o->layers));
    BN_TRY(seat_classes(t));
    if (o->no_ppr || o->keep_trees || t->set.roots == 0)
        BN_TRY(bn_fill_trees(t));
    BN_TRY(at_least_one(t));
    BN_TRY(bn_stage_end(t));
    if (!o->no_ppr)
        BN_TRY(bn_stage_begin(t, "sparsify", MOST_ROUNDS));
done:
    return rc;
}

/* ---- the rounds ---- */

/* Prunes whole trees once the budget is full.  Prunes none under a budget in trees, which would
 * hold no more of them than before.  Fills the rest of the budget after the last round. */
static bonsai_status prune_whole(bool *more, bn_exemplars *t)
{
    bonsai_status rc = BONSAI_OK;
    *more = t->most > 0 && t->done < MOST_ROUNDS && t->set.roots > 0 &&
            t->set.roots < t->job->trees;
    if (*more) {
        BN_TRY(bn_stage_tick(t));
        bn_enter(&t->job->at, BN_STAGE_SPARSIFY);
        BN_TRY(bn_chosen_remember(&t->before, &t->set));
        BN_TRY(bn_chosen_prune_trees(&t->set, t->cover, t->most, &t->pruned));
        *more = t->pruned > 0;
    }
    if (!*more)
        BN_TRY(bn_fill_trees(t));
done:
    return rc;
}

/* Prunes nodes one by one. */
static bonsai_status prune_nodes(bool *more, bn_exemplars *t)
{
    bonsai_status rc = BONSAI_OK;
    int64_t pruned;
    bool settled;
    *more = t->out->rounds < MOST_ROUNDS && t->set.roots > 0;
    if (!*more)
        goto done;
    bn_enter(&t->job->at, BN_STAGE_SPARSIFY);
    BN_TRY(bn_stage_tick(t));
    BN_TRY(bn_chosen_prune(&t->set, &pruned, &settled));
    *more = !settled;
done:
    return rc;
}

bonsai_status bn_prune_trees(bool *more, bn_exemplars *t)
{
    bonsai_status rc = t->job->o->keep_trees ? prune_whole(more, t) : prune_nodes(more, t);
    if (rc != BONSAI_OK)
        return rc;
    if (!*more)
        return bn_stage_end(t);
    bn_chosen_trace_round(&t->set);
    bn_enter(&t->job->at, BN_STAGE_COVER);
    return BONSAI_OK;
}

/* Undoes a round of whole trees that does not improve the cover; then the next round may drop half
 * as many. */
static bonsai_status judge_round(bn_exemplars *t)
{
    bonsai_status rc;
    bool pays;
    BN_TRY(bn_chosen_better(&pays, &t->set, &t->before));
    t->out->rounds += pays;
    if (!pays) {
        bn_chosen_restore(&t->set, &t->before);
        bn_chosen_trace_pruned(&t->set, 0);
        t->most = t->pruned / 2;
    }
    BN_TRY(bn_chosen_resume(&t->set, t->cover));
    bn_snapshot_free(&t->before);
done:
    return rc;
}

bonsai_status bn_end_round(bool *more, bn_exemplars *t)
{
    bonsai_status rc = BONSAI_OK;
    if (t->job->o->keep_trees) {
        BN_TRY(judge_round(t));
        t->done++;
    } else {
        t->done = ++t->out->rounds;
        *more = t->added > 0;           /* else no more trees fit */
        if (!*more)
            BN_TRY(bn_stage_end(t));
    }
done:
    return rc;
}

bonsai_status bn_finish_trees(bn_exemplars *t)
{
    bonsai_status rc;
    const bonsai_condense_options *o = t->job->o;
    bn_chosen *s = &t->set;
    bn_enter(&t->job->at, BN_STAGE_SPARSIFY);
    BN_TRY(bn_stage_begin(t, "finishing", 1));
    if (!o->keep_trees && s->budget.trees == INT64_MAX && bn_chosen_used(s) < BN_ENOUGH)
        BN_TRY(bn_chosen_widen(s));
    if (!o->no_ppr && s->roots > 0)
        BN_TRY(bn_chosen_rank(s));
    BN_TRY(bn_stage_end(t));
    BN_TRY(bn_chosen_collect(t->out, s));
    BN_TRY(bn_chosen_trace_curve(s));
    for (int64_t c = 0; c < t->job->g->view.classes; c++)
        t->out->shallow_classes += t->tried[c] && !t->deep[c];
    t->out->rechecks = bn_cover_rechecks(t->cover);
done:
    return rc;
}

/* ---- the whole ---- */

bonsai_status bn_exemplars_new(bn_exemplars *t, bn_choice *out, const bn_job *job,
                               const bn_budget *budget)
{
    bonsai_status rc;
    const int64_t classes = job->g->view.classes;
    *t = (bn_exemplars){.job = job, .out = out,
                        .most = budget->trees < INT64_MAX ? 0 : INT64_MAX};
    bn_enter(&job->at, BN_STAGE_COVER);
    BN_TRY(bn_chosen_new(&t->set, job, budget));
    BN_TRY(BN_NEW(&t->degree, job->trees));
    BN_TRY(BN_NEW(&t->tried, classes));
    BN_TRY(BN_NEW(&t->deep, classes));
    BN_TRY(BN_NEW(&t->misses, classes));
    for (int64_t i = 0; i < job->trees; i++)
        t->degree[i] = bn_degree(job->g, job->train[i]);
    if (job->o->density)
        BN_TRY(bn_price_trees(t));
    /* another stream than the sample's, or the random part would begin with the sample */
    BN_TRY(bn_cover_new(&t->cover, &job->rknn, job->z, t->degree, t->cost, job->o->seed + 2));
    BN_TRY(BN_NEW(&out->trace, 1));
    t->set.trace = out->trace;
    BN_TRY(bn_bound_coverage(t));
done:
    return rc;
}

void bn_exemplars_free(bn_exemplars *t)
{
    bn_chosen_free(&t->set);
    bn_snapshot_free(&t->before);
    bn_cover_free(t->cover);
    bn_free(t->degree);
    bn_free(t->cost);
    bn_free(t->tried);
    bn_free(t->deep);
    bn_free(t->misses);
}
