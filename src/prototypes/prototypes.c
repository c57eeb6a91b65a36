/* prototypes.c -- the method: makes the graph of the best candidate that the search finds.
 *
 * Without validation nodes the candidates are made from four fifths of the training nodes and
 * judged on the rest; the chosen one is then made again from all training nodes.
 *
 * Every rank has some of the rows and all of the candidates, and decides the same as the others.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "search.h"
#include "sourcerows.h"

/* ---- where little fits ---- */

/* Makes the smallest candidate where not even one thin node of each class fits: without soft
 * labels, without weights, and then of fewer classes, the largest first. a->fits says whether it
 * fits. */
static bonsai_status make_tiny(bn_candidate *a, bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_trial t = {.nodes = bn_search_least(w), .kind = BN_KIND_FAR, .form = BN_FORM_BYTES};
    for (int weights = 1; weights >= 0; weights--) {
        BN_TRY(bn_search_make(a, w, &t, weights));
        if (a->fits)
            goto done;
    }
    bn_storage s = bn_search_storage(w, &t);
    int64_t n = bn_storage_most(&s, w->budget.bytes, 1);
    t.nodes = n < 1 ? 1 : n < t.nodes ? n : t.nodes;
    BN_TRY(bn_search_make(a, w, &t, false));
done:
    return rc;
}

/* Fails if the smallest graph exceeds the budget.  The message counts the bytes of the graph
 * itself, which may be fewer than estimated. */
static bonsai_status check_tiny(const bn_candidate *a, const bonsai_graph *g, const bn_search *w)
{
    double bytes;
    bonsai_status rc = bonsai_graph_bytes(&bytes, g, a->storage.accounting);
    if (rc != BONSAI_OK || bytes <= w->budget.bytes)
        return rc;
    return bn_fail_at(BONSAI_E_ARGUMENT, w->job->g->where, "a budget of %.0f bytes is too small: "
                      "the smallest possible graph, of one node, takes %.0f", w->budget.bytes,
                      bytes);
}

/* Fails with the reason why coordinates have no basis. */
static bonsai_status no_basis(const bn_search *w)
{
    const bn_job *job = w->job;
    const char *where = job->g->where;
    if (job->judge.far.rows == 0)
        return bn_fail_at(BONSAI_E_ARGUMENT, where, "has no validation nodes to choose coordinates "
                          "by");
    if (w->s->live < 2)
        return bn_fail_at(BONSAI_E_ARGUMENT, where, "all training nodes are of one class, which "
                          "needs no coordinates");
    if (w->storage.classes > BN_BASIS_CLASSES)
        return bn_fail_at(BONSAI_E_ARGUMENT, where, "has %lld classes; at most %d have coordinates",
                          (long long)w->storage.classes, BN_BASIS_CLASSES);
    return bn_fail_at(BONSAI_E_ARGUMENT, where, "no basis of fewer than %lld directions, with a "
                      "prototype of each class, fits %.0f bytes: leave out coordinates, or raise "
                      "the budget", (long long)w->storage.f, w->budget.bytes);
}

/* Stores exact rows if every node is a prototype and the budget has room for them. */
static bonsai_status make_exact(bn_candidate *a, bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_candidate b = {.t = a->t};
    bonsai_type type = w->storage.type;
    if (a->mold || a->t.nodes < w->s->view[BN_FAR]->rows || a->keep.t > 0 ||
        !isfinite(w->budget.bytes))
        goto done;
    b.t.form = BN_FORM_BYTES;
    w->storage.type = BONSAI_TYPE_F32;
    rc = bn_search_make(&b, w, &(bn_trial){.nodes = b.t.nodes, .kind = b.t.kind, .form = b.t.form,
                                           .soft = b.t.soft}, true);
    w->storage.type = type;
    if (rc == BONSAI_OK && b.fits && b.keep.t == 0) {
        bn_candidate t = *a;
        *a = b;
        b = t;
    }
done:
    bn_candidate_free(&b);
    return rc;
}

/* Makes the chosen candidate again from all training rows if some were held out: all rows may
 * have more classes and larger weights, so fewer prototypes may fit. */
static bonsai_status make_again(bn_search *w, const bn_trial *chosen)
{
    bonsai_status rc = BONSAI_OK;
    bn_trial t = *chosen;
    int64_t least = bn_search_least(w);
    for (t.nodes = t.nodes < least ? least : t.nodes; ; t.nodes -= t.nodes / 20 + 1) {
        BN_TRY(bn_search_make(&w->best, w, &t, true));
        if (w->best.fits || t.nodes - t.nodes / 20 - 1 < least)
            break;
    }
done:
    return rc;
}

/* ---- the graph ---- */

static int say_again(const bonsai_progress *p, void *payload)
{
    const bn_search *w = payload;
    (void)p;
    return bn_tick(w->job->at.progress, "prototypes", w->said, BN_SEARCH_STEPS) != BONSAI_OK;
}

/* Adds origins and members, searched in the coordinates that the graph is stored in. */
static bonsai_status trace(bonsai_graph *g, const bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    const bn_candidate *a = &w->best;
    const bn_mold *m = a->mold;
    bn_mold bare = {.views = 0};
    if (a->t.bare) {
        BN_TRY(bn_mold_bare(&bare, m, w->s, &w->at));
        m = &bare;
    }
    BN_TRY(bn_candidate_trace(g, a->c, m ? &m->s : w->s, &bn_kinds[a->t.kind],
                              m ? &m->basis : NULL, w->job));
done:
    bn_mold_free(&bare);
    return rc;
}

static bonsai_status finish(bonsai_graph **out, bn_search *w)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    bn_candidate *a = &w->best;
    bn_recipe *r = w->recipe;
    bn_enter(&w->at, BN_STAGE_FINISH);
    rc = bn_search_build(&g, a, w);
    if (rc == BONSAI_OK && !a->fits)
        rc = check_tiny(a, g, w);
    BN_TRY(bn_agree(w->world, rc));
    BN_TRY(trace(g, w));
    r->nodes = a->c->count;
    r->t = a->keep.t;
    r->type = a->mold ? BONSAI_TYPE_I8 : a->storage.type;
    r->directions = a->storage.directions;
    r->bits = a->storage.squares || a->mold ? 4 : a->storage.type == BONSAI_TYPE_F32 ? 32 : 8;
    r->columns = a->storage.columns || (a->mold && a->keep.t > 0);
    r->rows = bn_kinds[a->t.kind].name;
    r->soft = a->storage.soft;
    r->weighted = a->storage.largest > 0;
    r->layers = w->job->o->layers;
    if (a->mold && !w->s->known && !w->job->held)
        BN_TRY(bn_mold_full(&r->full, a->mold, w->job));
    BN_TRY(bn_search_say(w, BN_SEARCH_STEPS));
    *out = g;
    g = NULL;
done:
    bonsai_graph_free(g);
    return rc;
}

/* ---- rows ---- */

typedef struct { bn_source_rows labelled, all; } row_sets;

static void row_sets_free(row_sets *k)
{
    bn_source_rows_free(&k->labelled);
    bn_source_rows_free(&k->all);
}

/* Makes the search use these rows.  Negative values need a signed type. */
static void use(bn_search *w, const bn_source_rows *r)
{
    w->s = &r->s;
    for (int v = 0; v < BN_VIEWS; v++)
        w->storage.type = r->view[v].least < 0 ? BONSAI_TYPE_I8 : w->storage.type;
}

/* Collects the rows of training nodes, with posteriors unless soft labels would exceed the
 * budget. */
static bonsai_status take_trained(row_sets *k, bn_search *w, bool all)
{
    bonsai_status rc;
    bn_enter(&w->at, BN_STAGE_FIT);
    BN_TRY(bn_source_rows_make(&k->labelled, w->job, all, &w->at));
    use(w, &k->labelled);
    if (bn_storage_bytes(&w->storage, bn_search_least(w), 0) > w->budget.bytes)
        w->storage.soft = false;
    if (w->storage.soft && bn_search_may_guide(w)) {
        BN_TRY(bn_search_guide(w));
        BN_TRY(bn_source_rows_posterior_by(&k->labelled, &w->guide));
    } else if (w->storage.soft)
        BN_TRY(bn_source_rows_posterior(&k->labelled));
done:
    return rc;
}

/* Collects the rows of training nodes and of nodes without a known label. */
static bonsai_status take_others(row_sets *k, bn_search *w, bool all)
{
    bonsai_status rc;
    bn_enter(&w->at, BN_STAGE_FIT);
    BN_TRY(bn_source_rows_unlabelled(&k->all, w->job, all, &w->at));
    use(w, &k->all);
done:
    return rc;
}

/* ---- the choice ---- */

typedef struct { bn_trial t; bool found, wide; double percent, trained; } chosen;

/* Chooses the best candidate of the rows of training nodes and, if labels are few, of the rows of
 * all nodes. */
static bonsai_status choose(chosen *c, row_sets *k, bn_search *w)
{
    bonsai_status rc;
    const bn_job *job = w->job;
    BN_TRY(take_trained(k, w, false));
    bn_enter(&w->at, BN_STAGE_PROBE);
    if (job->judge.far.rows > 0)
        BN_TRY(bn_agree(w->world, bn_probe_new(&w->probe, job)));
    BN_TRY(bn_search_all(w));
    c->found = w->best.c != NULL;
    if (!c->found && job->o->coordinates)
        return no_basis(w);
    if (!c->found)
        BN_TRY(make_tiny(&w->best, w));
    if (!c->found && w->probe) {
        BN_TRY(bn_search_score(&w->best, w));
        w->recipe->candidates++;
    }
    *c = (chosen){w->best.t, c->found, false, w->best.percent, w->trained};
    if (!c->found || !w->probe || !bn_job_few_labels(job))
        goto done;
    bn_search_forget(w);
    BN_TRY(take_others(k, w, false));
    BN_TRY(bn_search_all(w));
    const bool both = w->trained >= 0 && c->trained >= 0;
    if (w->best.c && (both ? w->trained > c->trained : w->best.percent > c->percent))
        *c = (chosen){w->best.t, true, true, w->best.percent, w->trained};
done:
    return rc;
}

/* Makes the chosen candidate from its final rows, unless the search just made it from these. */
static bonsai_status settle(chosen *c, row_sets *some, row_sets *every, bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    const bn_job *job = w->job;
    bool again = job->held || w->s != (c->wide ? &some->all.s : &some->labelled.s);
    if (again)
        bn_search_forget(w);
    w->s = c->wide ? &some->all.s : &some->labelled.s;
    w->settled = job->held != NULL;
    if (job->held)
        BN_TRY(take_trained(every, w, true));
    if (job->held && c->wide)
        BN_TRY(take_others(every, w, true));
    if (again && c->found)
        BN_TRY(make_again(w, &c->t));
    if (!w->best.fits && job->o->coordinates)
        return no_basis(w);
    if (!c->found || !w->best.fits)
        BN_TRY(make_tiny(&w->best, w));
    else
        BN_TRY(make_exact(&w->best, w));
done:
    return rc;
}

bonsai_status bn_prototypes(bonsai_graph **out, bn_recipe *r, const bn_job *job,
                            const bn_budget *budget)
{
    bonsai_status rc;
    row_sets some = {.labelled.node = NULL}, every = {.labelled.node = NULL};
    chosen c = {.found = false, .trained = -1};
    bn_search *w = NULL;
    bool strict = job->o->accounting == BONSAI_ACCOUNTING_STRICT;
    memset(r, 0, sizeof *r);
    if (job->o->coordinates && bn_has(job->g, BONSAI_SECTION_FEATURE_MEAN))
        return bn_fail_at(BONSAI_E_ARGUMENT, job->g->where, "its features are standardised, which "
                          "coordinates have no record of: condense it without one of the two");
    r->probe = -1;
    r->judged = job->judge.far.rows;
    BN_TRY(bn_agree(job->at.world, BN_NEW(&w, 1)));
    *w = (bn_search){.job = job, .world = job->at.world, .at = job->at, .budget = *budget,
                     .recipe = r};
    w->at.progress = (bn_progress){job->at.progress.fn ? say_again : NULL, w};
    w->budget.nodes = budget->trees < budget->nodes ? budget->trees : budget->nodes;
    w->storage = (bn_storage){.accounting = strict ? BONSAI_ACCOUNTING_STRICT
                                                   : BONSAI_ACCOUNTING_PAPER_CONDENSED,
                              .f = job->far.f, .classes = job->g->view.classes,
                              .type = BONSAI_TYPE_U8, .soft = !job->o->hard_labels};
    BN_TRY(bn_search_say(w, 0));
    BN_TRY(choose(&c, &some, w));
    r->probe = r->candidates ? c.percent : -1;
    r->trained = c.trained;
    BN_TRY(bn_search_say(w, BN_SEARCH_STEPS * 9 / 10));
    BN_TRY(settle(&c, &some, &every, w));
    BN_TRY(finish(out, w));
done:
    if (w) {
        bn_search_forget(w);
        bn_probe_free(w->probe);
    }
    bn_free(w);
    row_sets_free(&some);
    row_sets_free(&every);
    return rc;
}
