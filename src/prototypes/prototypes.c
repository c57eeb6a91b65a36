/* prototypes.c -- candidates under a budget, the probe's choice among them, the graph of the best.
 *
 * A candidate is a number of nodes and what is left for each: all entries of its row, where so
 * many nodes are taken as then fit, or the t entries that stand out, for a few nodes of each
 * class and more.  The probe scores each as its reader will see it.  Differences of a point
 * are noise, so among the candidates close to the best the one that keeps most of a row is
 * taken: where rows are thinned too much accuracy falls off a cliff (doc/algorithm.md).
 *
 * Without validation nodes the candidates are made of four fifths of the training nodes and
 * judged on the rest; the one chosen is then made again of all of them.
 *
 * Every rank has some of the rows and all of the candidates, of which it decides the same as the
 * others.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "candidate.h"
#include "judge.h"

enum { MOST_FITS = 6, STEPS = 1000 };
static const double sharpness = 3;      /* of the posterior */
static const double enough = 0.97;      /* of the budget */
static const double most_of = 0.8;      /* the entries of rows */
static const double noise = 1;          /* points of the probe that mean nothing */
static const int64_t multiples[] = {1, 2, 3, 6};    /* nodes per class of thinned candidates */
enum { MULTIPLES = sizeof multiples / sizeof *multiples, CANDIDATES = MULTIPLES + 2 };

typedef struct {
    const bn_job *job;
    bn_world *world;
    bn_sharded x;                /* all training rows */
    bn_budget budget;
    bn_storage storage;         /* of eight bits */
    bn_recipe *recipe;
    bn_place at;                /* for inner stages: says again what was said last */
    int64_t said;
} search;

typedef struct {                /* labelled rows, and what they own */
    bn_source s;
    bn_embedding x;             /* a copy of some rows, or empty, ... */
    bn_sharded sharded;         /* ... and of all ranks */
    bn_embedding low;           /* rows in few dimensions, or empty, ... */
    bn_sharded near;            /* ... and of all ranks */
    int32_t *label;
    int64_t *have;
    float   *posterior, *weights;
} rows_of;

typedef struct {
    int64_t nodes;              /* asked for; 0: as many as fit with all their entries */
    bn_storage storage;
    bn_clusters c;
    bn_keep keep;
    bool    fits;
    double  bytes;              /* with all entries */
    double  percent;
} candidate;

static void candidate_free(candidate *a)
{
    bn_clusters_free(&a->c);
    bn_keep_free(&a->keep);
}

/* ---- progress ---- */

static int say_again(const bonsai_progress *p, void *payload)
{
    const search *w = payload;
    (void)p;
    return bn_tick(w->job->at.progress, "prototypes", w->said, STEPS) != BONSAI_OK;
}

static bonsai_status say(search *w, int64_t done)
{
    w->said = done;
    return bn_agree(w->world, bn_tick(w->job->at.progress, "prototypes", done, STEPS));
}

/* ---- rows ---- */

static void rows_free(rows_of *r)
{
    bn_embedding_free(&r->x);
    bn_sharded_free(&r->sharded);
    bn_embedding_free(&r->low);
    bn_sharded_free(&r->near);
    bn_big_free(r->label);
    bn_free(r->have);
    bn_big_free(r->posterior);
    bn_free(r->weights);
}

/* The rank's own rows, all or those that are not held out for judging. */
static bonsai_status rows_list(rows_of *r, const bn_job *job, int64_t classes, const uint8_t *held)
{
    bonsai_status rc;
    bn_memory *m = job->at.memory;
    int64_t own = job->x.rows, first = bn_job_first(job), count = 0;
    int64_t *row = NULL;
    BN_TRY(BN_NEW(&r->have, classes));
    BN_TRY(BN_BIG(&r->label, m, own));
    BN_TRY(BN_BIG(&row, m, held ? own : 0));
    for (int64_t t = 0; t < own; t++) {
        if (held && held[first + t])
            continue;
        r->label[count] = bn_label(job->g, job->train[first + t]);
        r->have[r->label[count]]++;
        if (held)
            row[count] = t;
        count++;
    }
    if (held)
        BN_TRY(bn_embedding_take(&r->x, &job->x, row, count, job->x.dense != NULL, &job->at));
done:
    bn_big_free(row);
    return rc;
}

static bonsai_status find_posteriors(rows_of *r, search *w)
{
    bonsai_status rc;
    const bn_job *job = w->job;
    int64_t classes = r->s.classes;
    rc = BN_BIG(&r->posterior, job->at.memory, r->s.x->e->rows * classes);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&r->weights, r->s.x->e->f * classes);
    BN_TRY(bn_agree(w->world, rc));
    BN_TRY(bn_posterior(r->posterior, r->weights, r->s.x, r->label, classes, sharpness));
    r->s.posterior = r->posterior;
    r->s.weights = r->weights;
done:
    return rc;
}

/* All training rows, or those that are not held out for judging. */
static bonsai_status rows_make(rows_of *r, search *w, bool all)
{
    bonsai_status rc;
    const bn_job *job = w->job;
    const uint8_t *held = all ? NULL : job->held;
    int64_t classes = w->storage.classes;
    bn_enter(&w->at, BN_STAGE_FIT);
    BN_TRY(bn_agree(w->world, rows_list(r, job, classes, held)));
    BN_TRY(bn_sum_int(w->world, r->have, classes));
    if (held)
        BN_TRY(bn_sharded_look(&r->sharded, &r->x, &w->at));
    r->s = (bn_source){.x = held ? &r->sharded : &w->x, .label = r->label, .classes = classes,
                       .have = r->have};
    for (int64_t k = 0; k < classes; k++)
        r->s.live += r->have[k] > 0;
    BN_TRY(bn_clusters_near(&r->s.near, &r->near, &r->low, r->s.x));
    int64_t least = r->s.live < w->budget.nodes ? r->s.live : w->budget.nodes;
    if (bn_storage_bytes(&w->storage, least, 0) > w->budget.bytes)
        w->storage.soft = false;        /* posteriors of very many classes would cost much */
    if (w->storage.soft)
        BN_TRY(find_posteriors(r, w));
done:
    return rc;
}

/* ---- one candidate ---- */

static bool all_equal(const bn_clusters *c)
{
    for (int64_t i = 1; i < c->count; i++)
        if (c->size[i] != c->size[0])
            return false;
    return true;
}

/* So many clusters, and as many of their entries as fit. */
static bonsai_status make(candidate *a, search *w, const bn_source *s, int64_t nodes, bool weights)
{
    bonsai_status rc;
    bn_enter(&w->at, BN_STAGE_CLUSTER);
    candidate_free(a);
    BN_TRY(bn_clusters_make(&a->c, s, nodes, w->job->o->seed));
    a->storage.largest = weights && !all_equal(&a->c) ? a->c.largest : 0;
    BN_TRY(bn_agree(w->world, bn_keep_most(&a->keep, &a->fits, &a->c, &a->storage, w->budget.bytes,
                                           w->job->at.threads)));
    a->bytes = bn_storage_bytes(&a->storage, a->c.count, a->keep.all);
done:
    return rc;
}

static bool whole(const candidate *a)
{
    return a->fits && a->keep.t == 0;
}

/* What whole rows leave of the budget may be more than a little, where nodes are few or long:
 * more nodes are taken where the rows then still keep most of their entries. */
static bonsai_status top_up(candidate *a, search *w, const bn_source *s, int64_t cap)
{
    bonsai_status rc = BONSAI_OK;
    candidate more = {.storage = a->storage};
    if (!whole(a) || a->bytes >= enough * w->budget.bytes || a->c.asked >= cap)
        goto done;
    double next = fmin(floor((double)a->c.asked * w->budget.bytes / a->bytes), (double)cap);
    int64_t n = next > (double)a->c.asked ? (int64_t)next : a->c.asked + 1;
    BN_TRY(make(&more, w, s, n, true));
    if (more.fits && (double)more.keep.nnz >= most_of * (double)more.keep.all) {
        candidate t = *a;
        *a = more;
        more = t;
    }
done:
    candidate_free(&more);
    return rc;
}

/* As many nodes as fit with all their entries, in a few attempts; at least one of each class,
 * which then need not keep all.  What entries a centroid has is known only when it is made. */
static bonsai_status make_whole(candidate *a, search *w, const bn_source *s)
{
    bonsai_status rc = BONSAI_OK;
    int64_t cap = s->x->rows < w->budget.nodes ? s->x->rows : w->budget.nodes;
    int64_t least = s->live < cap ? s->live : cap, low = least, high = cap + 1;
    int64_t n = bn_storage_guess(a->storage, w->budget.bytes, s->x->rows, cap), made = -1;
    bool known = false;                 /* that `low` fits with all entries */
    n = n < low ? low : n;
    for (int i = 0; i < MOST_FITS && n != made; i++) {
        BN_TRY(make(a, w, s, n, true));
        made = n;
        if (whole(a) && (n == cap || a->bytes >= enough * w->budget.bytes))
            break;
        low = whole(a) ? n : low;
        high = whole(a) ? high : n;
        known |= whole(a);
        double next = floor((double)n * w->budget.bytes / a->bytes);
        n = next >= (double)high ? high - 1 : next > (double)low ? (int64_t)next : low;
        n = n < least ? least : n;
        if (i + 2 >= MOST_FITS)         /* time to settle for one that fits */
            n = known ? low : n - n / 50 > least ? n - n / 50 : least;
    }
    BN_TRY(top_up(a, w, s, cap));
done:
    return rc;
}

static double mix_of(const bn_source *s, int64_t nodes)
{
    return 0.5 * fmin(1, sqrt((double)s->x->rows / (double)nodes / 40));
}

static bonsai_status build(bonsai_graph **out, const candidate *a, const search *w,
                           const bn_source *s)
{
    return bn_candidate_graph(out, &a->c, &a->keep, &a->storage, mix_of(s, a->c.count), w->job);
}

/* As its reader will see it. */
static bonsai_status score(candidate *a, search *w, const bn_source *s, bn_probe *probe)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    bn_enter(&w->at, BN_STAGE_PROBE);
    BN_TRY(build(&g, a, w, s));
    BN_TRY(bn_probe_graph(&a->percent, probe, g));
    w->recipe->candidates++;
done:
    bonsai_graph_free(g);
    return rc;
}

/* ---- the search ---- */

/* Whether a is better than b, both close to the best score. */
static bool keeps_more(const candidate *a, const candidate *b)
{
    double x = (double)a->keep.nnz / (double)a->c.count;
    double y = (double)b->keep.nnz / (double)b->c.count;
    return x > y || (x == y && a->c.count > b->c.count);
}

static int best_of(const candidate *all, int count, int64_t judged)
{
    int best = -1;
    double top = 0;
    for (int i = 0; i < count; i++)
        top = all[i].fits ? fmax(top, all[i].percent) : top;
    double share = top / 100;
    double doubt = judged ? 100 * sqrt(share * (1 - share) / (double)judged) : 100;
    for (int i = 0; i < count; i++)
        if (all[i].fits && all[i].percent >= top - fmax(noise, doubt) &&
            (best < 0 || keeps_more(&all[i], &all[best])))
            best = i;
    return best;
}

/* Where not even one thin node of each class fits: without soft labels, without weights, and
 * then fewer classes, the largest first.  a->fits says whether there is a way. */
static bonsai_status make_tiny(candidate *a, search *w, const bn_source *s)
{
    bonsai_status rc = BONSAI_OK;
    int64_t cap = s->live < w->budget.nodes ? s->live : w->budget.nodes;
    a->storage.soft = false;
    for (int weights = 1; weights >= 0; weights--) {
        BN_TRY(make(a, w, s, cap, weights));
        if (a->fits)
            goto done;
    }
    a->storage.largest = 0;
    int64_t n = bn_storage_nodes(&a->storage, w->budget.bytes, 1);
    BN_TRY(make(a, w, s, n < 1 ? 1 : n < cap ? n : cap, false));
done:
    return rc;
}

/* As many nodes as fit; soft labels are the first to go where there is no room for one of each
 * class, and what they cost goes to more and fuller rows. */
static bonsai_status make_first(candidate *a, search *w, const bn_source *s)
{
    bonsai_status rc;
    a->storage = w->storage;
    BN_TRY(make_whole(a, w, s));
    if (!a->fits && w->storage.soft) {
        a->storage.soft = w->storage.soft = false;
        BN_TRY(make_whole(a, w, s));
    }
done:
    return rc;
}

/* The whole candidate and those with more nodes and thinner rows. */
static bonsai_status try_all(candidate *all, int *best, search *w, const bn_source *s)
{
    bonsai_status rc;
    bn_probe *probe = NULL;
    int count = 1;
    bn_enter(&w->at, BN_STAGE_PROBE);
    if (w->job->judge.far.rows > 0)
        BN_TRY(bn_agree(w->world, bn_probe_new(&probe, w->job)));
    BN_TRY(make_first(&all[0], w, s));
    for (int m = 0; probe && m < MULTIPLES && isfinite(w->budget.bytes); m++) {
        int64_t n = multiples[m] * s->live;
        BN_TRY(say(w, STEPS / 10 + m * STEPS * 7 / 10 / MULTIPLES));
        if (n <= all[0].c.count || n > s->x->rows || !all[0].fits)
            continue;
        all[count] = (candidate){.nodes = n, .storage = w->storage};
        BN_TRY(make(&all[count], w, s, n, true));
        count += all[count].fits;
        if (!all[count].fits)           /* nor will more nodes */
            candidate_free(&all[count]);
    }
    if (!all[0].fits)
        BN_TRY(make_tiny(&all[0], w, s));
    for (int i = 0; probe && i < count; i++)
        if (all[i].fits || i == 0) {    /* written it may be smaller: check_tiny */
            BN_TRY(bn_agree(w->world, score(&all[i], w, s, probe)));
            BN_TRY(bn_share(w->world, &all[i].percent, sizeof all[i].percent, 0));
        }                               /* BLAS may round another way on another rank's machine */
    *best = best_of(all, count, w->job->judge.far.rows);
done:
    bn_probe_free(probe);
    return rc;
}

/* The smallest graph of one node may be smaller than its eight bits: the sentence tells what
 * it really takes. */
static bonsai_status check_tiny(const candidate *a, const bonsai_graph *g, const search *w)
{
    double bytes;
    bonsai_status rc = bonsai_graph_bytes(&bytes, g, a->storage.accounting);
    if (rc != BONSAI_OK || bytes <= w->budget.bytes)
        return rc;
    return bn_fail(BONSAI_E_ARGUMENT, "%s: a budget of %.0f bytes is too small: the smallest "
                   "possible graph, of one node, takes %.0f", w->job->g->where, w->budget.bytes,
                   bytes);
}

/* Every training node by itself and bytes to spare: rows that lose nothing. */
static bonsai_status make_exact(candidate *a, search *w, const bn_source *s)
{
    bonsai_status rc = BONSAI_OK;
    candidate b = {.storage = a->storage};
    b.storage.type = BONSAI_TYPE_F32;
    if (a->c.asked < s->x->rows || a->keep.t > 0 || !isfinite(w->budget.bytes))
        goto done;
    BN_TRY(make(&b, w, s, a->c.asked, true));
    if (b.fits && b.keep.t == 0) {
        candidate t = *a;
        *a = b;
        b = t;
    }
done:
    candidate_free(&b);
    return rc;
}

/* ---- the door ---- */

static bonsai_status finish(bonsai_graph **out, candidate *a, search *w, const bn_source *s)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    bn_recipe *r = w->recipe;
    bn_enter(&w->at, BN_STAGE_FINISH);
    rc = build(&g, a, w, s);
    if (rc == BONSAI_OK && !a->fits)
        rc = check_tiny(a, g, w);
    BN_TRY(bn_agree(w->world, rc));
    BN_TRY(bn_candidate_trace(g, &a->c, s, w->job));
    r->nodes = a->c.count;
    r->t = a->keep.t;
    r->type = a->storage.type;
    r->soft = a->storage.soft;
    r->weighted = a->storage.largest > 0;
    r->layers = w->job->o->layers;
    BN_TRY(say(w, STEPS));
    *out = g;
    g = NULL;
done:
    bonsai_graph_free(g);
    return rc;
}

/* The chosen candidate, of all training rows: made again where some were held out.  There may be
 * more classes among all of them, and larger weights. */
static bonsai_status settle(candidate *a, search *w, const bn_source *s, bool again)
{
    bonsai_status rc = BONSAI_OK;
    if (again && a->nodes > 0)
        BN_TRY(make(a, w, s, a->nodes < s->live ? s->live : a->nodes, true));
    if (again && (a->nodes == 0 || !a->fits))
        BN_TRY(make_first(a, w, s));
    if (!a->fits)
        BN_TRY(make_tiny(a, w, s));
    else
        BN_TRY(make_exact(a, w, s));
done:
    return rc;
}

bonsai_status bn_prototypes(bonsai_graph **out, bn_recipe *r, const bn_job *job,
                            const bn_budget *budget)
{
    bonsai_status rc;
    rows_of some = {0}, every = {0};
    candidate all[CANDIDATES] = {{0}};
    int best = 0;
    search w = {.job = job, .world = job->at.world, .at = job->at, .budget = *budget, .recipe = r};
    bool strict = job->o->accounting == BONSAI_ACCOUNTING_STRICT;
    memset(r, 0, sizeof *r);
    r->probe = -1;
    r->judged = job->judge.far.rows;
    w.at.progress = (bn_progress){job->at.progress.fn ? say_again : NULL, &w};
    BN_TRY(bn_sharded_look(&w.x, &job->x, &w.at));
    w.storage = (bn_storage){.accounting = strict ? BONSAI_ACCOUNTING_STRICT
                                                  : BONSAI_ACCOUNTING_PAPER_CONDENSED,
                             .f = job->x.f, .classes = job->g->view.classes,
                             .type = w.x.least < 0 ? BONSAI_TYPE_I8 : BONSAI_TYPE_U8,
                             .soft = !job->o->hard_labels, .loops = true};
    w.budget.nodes = budget->trees < budget->nodes ? budget->trees : budget->nodes;
    BN_TRY(say(&w, 0));
    BN_TRY(rows_make(&some, &w, false));
    BN_TRY(try_all(all, &best, &w, &some.s));
    best = best < 0 ? 0 : best;
    r->probe = r->candidates ? all[best].percent : -1;
    BN_TRY(say(&w, STEPS * 9 / 10));
    if (job->held)
        BN_TRY(rows_make(&every, &w, true));
    const bn_source *s = job->held ? &every.s : &some.s;
    BN_TRY(settle(&all[best], &w, s, job->held != NULL));
    BN_TRY(finish(out, &all[best], &w, s));
done:
    for (int i = 0; i < CANDIDATES; i++)
        candidate_free(&all[i]);
    rows_free(&some);
    rows_free(&every);
    bn_sharded_free(&w.x);
    return rc;
}
