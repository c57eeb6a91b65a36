/* search.c -- makes candidates under a budget and looks for the best.
 *
 * A candidate is a number of prototypes, what their rows are made of (centres.c), and how these
 * are stored (storage.c): few with full rows, or many with thin ones.  Which is best differs from
 * graph to graph, from one per class to single nodes, so the search goes over the whole range in
 * large steps, then tries the steps beside the best, other rows, and other ways to store them. 
 * The probe scores each as a reader of the file will see it.  If networks may be trained on the
 * last few (finals.c), they decide (choose.c); else the highest score of the probe wins.
 *
 * SPDX-License-Identifier: MIT */
#include "search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 14 };                    /* candidates that the progress bar expects */
enum { TAUGHT = 20 };                   /* members of a prototype that its teacher alone labels */
enum { STRIDE = 4, SIZES = 40, MANY = 100000 };         /* MANY rows: larger steps */
enum { LEAST_ENTRIES = 8, LEAST_COLUMNS = 32 };         /* of a row that is worth trying */
static const double hopeless = 3;       /* points below the best that more of them do not make up */

static const struct { bool squares, columns; } forms[BN_FORMS] = {
    [BN_FORM_SQUARE_COLUMNS] = {true, true}, [BN_FORM_BYTE_COLUMNS] = {false, true},
    [BN_FORM_SQUARES] = {true, false}};

void bn_candidate_free(bn_candidate *a)
{
    bn_centres_free(&a->m);
    bn_keep_free(&a->keep);
    bn_shares_free(&a->shares);
    bn_free(a->taught);
    memset(a, 0, sizeof *a);
}

void bn_search_forget(bn_search *w)
{
    bn_candidate_free(&w->best);
    bn_search_drop_finals(w);
    for (int i = 0; i < w->clusters; i++)
        bn_clusters_free(&w->made[i]);
    for (int i = 0; i < BN_SEARCH_MOLDS; i++)
        bn_mold_free(&w->mold[i]);
    bn_teachers_free(&w->teachers);
    bn_guide_free(&w->guide);
    w->clusters = w->count = 0;
}

/* ---- progress ---- */

bonsai_status bn_search_say(bn_search *w, int64_t done)
{
    int64_t most = BN_SEARCH_STEPS * 9 / 10;            /* until the end */
    w->said = done < most || done == BN_SEARCH_STEPS ? done : most;
    return bn_agree(w->world, bn_tick(w->job->at.progress, "prototypes", w->said, BN_SEARCH_STEPS));
}

bonsai_status bn_search_step(bn_search *w)
{
    const int64_t tried = w->count + w->finals;
    return bn_search_say(w, BN_SEARCH_STEPS / 10 + BN_SEARCH_STEPS * tried * 8 / 10 / TRIES);
}

/* ---- one candidate ---- */

static bool all_equal(const bn_clusters *c)
{
    for (int64_t i = 1; i < c->count; i++)
        if (c->size[i] != c->size[0])
            return false;
    return true;
}

/* Finds the clustering into `nodes` clusters, from the cache if it was made before. */
static bonsai_status clusters_of(bn_clusters **out, bn_search *w, const bn_source *s, int64_t nodes)
{
    bonsai_status rc;
    for (int i = 0; i < w->clusters; i++)
        if (w->made[i].asked == nodes && w->made[i].of == s) {
            *out = &w->made[i];
            return BONSAI_OK;
        }
    assert(w->clusters < BN_SEARCH_MADE);       /* SIZES of them, and a few beside the best */
    bn_enter(&w->at, BN_STAGE_CLUSTER);
    BN_TRY(bn_clusters_make(&w->made[w->clusters], s, nodes, w->job->o->seed));
    *out = &w->made[w->clusters++];
done:
    return rc;
}

bn_storage bn_search_storage(const bn_search *w, const bn_trial *t)
{
    bn_storage s = w->storage;
    s.squares = forms[t->form].squares;
    s.columns = forms[t->form].columns;
    s.soft = t->soft;
    s.pairs = bn_kinds[t->kind].pair;
    s.alone = bn_kinds[t->kind].alone;
    s.both = bn_kinds[t->kind].both;
    return s;
}

static const bn_basis *basis_of(const bn_candidate *a)
{
    return !a->mold ? NULL : a->t.bare ? &a->mold->bare : &a->mold->basis;
}

/* Makes rows in the coordinates of a basis, as shares of its directions. */
static bonsai_status make_shares(bn_candidate *a, const bn_search *w)
{
    bonsai_status rc;
    BN_TRY(bn_centres_make(&a->m, a->c, &bn_kinds[a->t.kind], w->job->at.threads));
    BN_TRY(bn_shares_make(&a->shares, &a->m.x, basis_of(a)));
    a->keep.t = a->storage.kept < a->storage.f ? a->storage.kept : 0;
    a->fits = bn_storage_bytes(&a->storage, a->c->count, 0) <= w->budget.bytes &&
              a->shares.rows <= bn_most_decoded / (a->storage.kept + 1) &&
              (!w->job->o->coordinates || a->shares.r < a->storage.f);
done:
    return rc;
}

static bonsai_status make_rows(bn_candidate *a, const bn_search *w)
{
    bonsai_status rc;
    BN_TRY(bn_centres_make(&a->m, a->c, &bn_kinds[a->t.kind], w->job->at.threads));
    BN_TRY(bn_keep_most(&a->keep, &a->fits, &a->m, &a->storage, w->budget.bytes,
                        w->job->at.threads));
done:
    return rc;
}

/* Returns whether pairs and columns may be tried: the published price does not know them, and
 * an update must be able to make prototypes with members again. */
static bool is_free(const bn_search *w)
{
    return w->storage.accounting == BONSAI_ACCOUNTING_STRICT && !w->job->o->members;
}

/* Sets the teachers of rows that are stored one by one, which must be dense and not too wide.
 * Rows of unlabelled nodes have none, since whether they are dense depends on the layout of the
 * input. */
static bonsai_status find_teachers(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    bool all = is_free(w) && w->s->live > 1 && !w->s->known;
    int64_t f = 0;
    for (int v = 0; v < BN_VIEWS && all; v++) {
        bool dense;
        BN_TRY(bn_rows_form(&dense, &f, w->s->view[v]->e, w->world));
        all = dense && f <= BN_TEACHERS_WIDEST;
    }
    w->teachers = (bn_teachers){.s = w->s, .f = all ? f : 0};
done:
    return rc;
}

bool bn_search_may_teach(const bn_search *w)
{
    return w->teachers.s && w->teachers.f > 0;
}

/* Labels the candidate by its teachers.  Their probabilities follow the frequencies of
 * classes, so that networks that learn from them never predict a rare class: only accuracy
 * calls for teachers. */
static bonsai_status ask_teachers(bn_candidate *a, bn_search *w, bn_mold *mold)
{
    bonsai_status rc = BONSAI_OK;
    bn_teachers *t = mold ? &mold->teachers : &w->teachers;
    if (!w->probe || bn_probe_merit(w->probe)->aim != BONSAI_AIM_ACCURACY)
        return BONSAI_OK;
    if (!t->s)
        BN_TRY(find_teachers(w));
    if (t->f > 0)
        BN_TRY(bn_teachers_label(&a->taught, t, &a->m, &bn_kinds[a->t.kind], &w->at));
done:
    return rc;
}

bonsai_status bn_search_make(bn_candidate *a, bn_search *w, const bn_trial *t, bool weights)
{
    bonsai_status rc;
    bn_candidate_free(a);
    a->t = *t;
    a->percent = -1;
    a->storage = bn_search_storage(w, t);
    bn_mold *mold = NULL;
    if (t->views) {
        BN_TRY(bn_search_mold(&mold, w, t->views, t->columns));
        a->mold = mold;
        a->storage.directions = basis_of(a)->r;
        a->storage.kept = a->mold->basis.columns;
        if (a->mold->basis.r < 2)               /* nothing tells classes apart */
            return BONSAI_OK;
    }
    const bn_source *s = a->mold ? &a->mold->s : w->s;
    BN_TRY(clusters_of(&a->c, w, s, t->nodes));
    bn_enter(&w->at, BN_STAGE_CLUSTER);
    a->storage.largest = weights && !all_equal(a->c) ? a->c->largest : 0;
    BN_TRY(bn_clusters_average(a->c, s, &bn_kinds[t->kind]));
    BN_TRY(bn_agree(w->world, a->mold ? make_shares(a, w) : make_rows(a, w)));
    if (t->soft)
        BN_TRY(ask_teachers(a, w, mold));
done:
    return rc;
}

/* Returns the share of posteriors in soft labels.  The fewer members a prototype has, the more
 * their class counts.  A teacher labels the prototype's own row, so it counts for more than the
 * mean of the members. */
static double mix_of(const bn_candidate *a, const bn_search *w)
{
    const double members = (double)w->s->view[BN_FAR]->rows / (double)a->c->count;
    return a->taught ? fmin(1, sqrt(members / TAUGHT)) : 0.5 * fmin(1, sqrt(members / 40));
}

static bn_plan plan_of(const bn_candidate *a, const bn_search *w)
{
    return (bn_plan){a->c, &a->m, &a->keep, &a->storage, mix_of(a, w), a->taught,
                     basis_of(a), &a->shares, a->t.bare};
}

bonsai_status bn_search_build(bonsai_graph **out, const bn_candidate *a, const bn_search *w)
{
    const bn_plan p = plan_of(a, w);
    return bn_candidate_graph(out, &p, BN_COMPACT_NOT, w->job);
}

bonsai_status bn_search_shares(bonsai_graph **out, const bn_candidate *a, const bn_search *w)
{
    const bn_plan p = plan_of(a, w);
    const bn_compact form = !a->mold                ? BN_COMPACT_NOT
                            : w->job->o->coordinates ? BN_COMPACT_STRAIGHT : BN_COMPACT_SHARES;
    return bn_candidate_graph(out, &p, form, w->job);
}

/* Scores a candidate as the file will be read or, with a basis, in its coordinates.  The score is
 * rank 0's, since BLAS may round differently on another machine. */
bonsai_status bn_search_score(bn_candidate *a, bn_search *w)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    const bn_plan p = plan_of(a, w);
    bn_enter(&w->at, BN_STAGE_PROBE);
    rc = bn_candidate_graph(&g, &p, a->mold ? BN_COMPACT_JUDGED : BN_COMPACT_NOT, w->job);
    if (rc == BONSAI_OK && a->mold)
        rc = bn_mold_probe(a->mold, w->job);
    if (rc == BONSAI_OK)
        rc = bn_probe_graph(&a->percent, a->mold ? a->mold->probe : w->probe, g);
    BN_TRY(bn_agree(w->world, rc));
    BN_TRY(bn_share(w->world, &a->percent, sizeof a->percent, 0));
done:
    bonsai_graph_free(g);
    return rc;
}

/* ---- the search ---- */

bool bn_trial_same(const bn_trial *a, const bn_trial *b)
{
    return a->nodes == b->nodes && a->kind == b->kind && a->form == b->form && a->soft == b->soft &&
           a->views == b->views && a->columns == b->columns && a->bare == b->bare;
}

/* Returns whether rows would keep too few entries to be worth clustering. */
static bool is_thin(const bn_search *w, const bn_trial *t)
{
    bn_storage s = bn_search_storage(w, t);
    if (t->views)
        return false;
    s.largest = 1;
    int64_t least = bn_least(s.columns ? LEAST_COLUMNS : LEAST_ENTRIES, s.f);
    return t->nodes > bn_search_least(w) && isfinite(w->budget.bytes) &&
           t->nodes > bn_storage_most(&s, w->budget.bytes, least);
}

bonsai_status bn_search_try(double *out, bn_search *w, bn_trial t)
{
    bonsai_status rc = BONSAI_OK;
    bn_candidate a = {.percent = -1};
    double unused, *percent = out ? out : &unused;
    *percent = -1;
    for (int i = 0; i < w->count; i++)
        if (bn_trial_same(&w->tried[i].t, &t)) {
            *percent = w->tried[i].percent;
            return BONSAI_OK;
        }
    if (w->count == BN_SEARCH_TRIED || is_thin(w, &t))
        return BONSAI_OK;
    BN_TRY(bn_search_step(w));
    BN_TRY(bn_search_make(&a, w, &t, true));
    if (a.fits && w->probe)
        BN_TRY(bn_search_score(&a, w));
    w->recipe->candidates += a.fits;
    *percent = a.percent;
    w->tried[w->count].t = t;
    w->tried[w->count++].percent = a.percent;
    if (a.fits && (!w->best.c || a.percent > w->best.percent)) {
        bn_candidate b = w->best;
        w->best = a;
        a = b;
    }
done:
    bn_candidate_free(&a);
    return rc;
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the most clusters that there may be. */
int64_t bn_search_most(const bn_search *w)
{
    return bn_least(w->s->view[BN_FAR]->rows, w->budget.nodes);
}

int64_t bn_search_least(const bn_search *w)
{
    return bn_least(w->s->live, bn_search_most(w));
}

static bool may_be(const bn_search *w, int64_t nodes)
{
    return nodes >= bn_search_least(w) && nodes <= bn_search_most(w);
}

/* Returns whether pairs may be tried: they teach GraphSAGE to tell a node's own row from
 * those of its neighbours, but GAT an attention that fails in the full graph
 * (doc/algorithm.md). */
bool bn_search_may_pair(const bn_search *w, int64_t nodes)
{
    return is_free(w) && w->job->o->for_models == 1 << BONSAI_MODEL_SAGE && may_be(w, nodes) &&
           2 * nodes <= w->budget.nodes;
}

static bool may_pack(const bn_search *w)
{
    return is_free(w) && isfinite(w->budget.bytes);
}

bool bn_search_may_guide(const bn_search *w)
{
    return may_pack(w) && w->job->judge.far.rows > 0 && w->storage.classes <= BN_BASIS_CLASSES &&
           w->s->live > 1;
}

/* Returns how many prototypes fit with full rows of a form. */
static int64_t whole(const bn_search *w, int form)
{
    const bn_trial t = {.kind = BN_KIND_FAR, .form = form, .soft = w->storage.soft};
    bn_storage s = bn_search_storage(w, &t);
    s.largest = 255;
    s.columns = false;
    return bn_storage_most(&s, w->budget.bytes, s.f);
}

/* Returns whether rows are so many that clustering takes most of the time. */
static bool has_many(const bn_search *w)
{
    return w->s->view[BN_FAR]->rows > MANY;
}

/* Returns whether few sizes are tried: each takes long, or a basis, which is nearly always
 * better, was found. */
static bool is_brief(const bn_search *w)
{
    return has_many(w) || w->finals > 0;
}

/* Lists the numbers of clusters whose rows just fit, and others in large steps between,
 * ascending. */
static int list_sizes(int64_t *size, const bn_search *w)
{
    int64_t least = bn_search_least(w), most = bn_search_most(w);
    int64_t full[] = {whole(w, BN_FORM_BYTES), whole(w, BN_FORM_SQUARES), most};
    int count = 0;
    if (!isfinite(w->budget.bytes)) {
        size[0] = most;
        return 1;
    }
    for (int i = 0; i < 3; i++)
        if (full[i] > least && full[i] <= most)
            size[count++] = full[i];
    const int64_t step = is_brief(w) ? STRIDE * STRIDE : STRIDE;
    for (int64_t n = least; n <= most && count < SIZES; n *= step) {
        bool near = false;
        for (int i = 0; i < count; i++)
            near |= n > least && n < 2 * size[i] && size[i] < 2 * n;
        if (!near)
            size[count++] = n;
    }
    qsort(size, (size_t)count, sizeof *size, ascending);
    return count;
}

/* Tries all sizes, in eight bits and, if rows then lose entries, in four with shared columns,
 * until more prototypes with thinner rows are of no use. */
static bonsai_status try_sizes(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    int64_t size[SIZES], full = whole(w, BN_FORM_BYTES);
    int count = list_sizes(size, w), worse = 0;
    for (int i = 0; i < count && worse < 2; i++) {
        bn_trial t = {.nodes = size[i], .form = BN_FORM_BYTES, .soft = w->storage.soft};
        double bytes, squares = -1;
        BN_TRY(bn_search_try(&bytes, w, t));
        t.form = BN_FORM_SQUARE_COLUMNS;
        if (size[i] > full && may_pack(w))
            BN_TRY(bn_search_try(&squares, w, t));
        if (bytes < 0 && squares < 0)
            worse = 2;                  /* nor will more fit */
        else
            worse = fmax(bytes, squares) < w->best.percent - hopeless ? worse + 1 : 0;
    }
done:
    return rc;
}

/* Makes the candidate without judging it: the most prototypes that keep all of their entries,
 * else the fewest. */
static bonsai_status guess_size(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    int64_t size[SIZES];
    for (int i = list_sizes(size, w) - 1; i >= 0; i--) {
        const bn_trial t = {.nodes = size[i], .form = BN_FORM_BYTES, .soft = w->storage.soft};
        BN_TRY(bn_search_make(&w->best, w, &t, true));
        if (w->best.fits && w->best.keep.t == 0)
            break;
    }
    if (!w->best.fits)
        bn_candidate_free(&w->best);
done:
    return rc;
}

/* Tries twice and half as many as the best. */
static bonsai_status try_beside(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    const bn_trial best = w->best.t;
    for (int i = 0; i < 2 && isfinite(w->budget.bytes) && !has_many(w); i++) {
        bn_trial t = best;
        t.nodes = i == 0 ? best.nodes * 2 : best.nodes / 2;
        if (may_be(w, t.nodes))
            BN_TRY(bn_search_try(NULL, w, t));
    }
done:
    return rc;
}

/* Tries as many rows of other kinds; of pairs, which are two nodes each, also twice and half as
 * many. */
static bonsai_status try_kinds(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    const bn_trial best = w->best.t;
    for (int k = 0; k < BN_KINDS; k++) {
        const bool pair = bn_kinds[k].pair;
        if (bn_kinds[k].both)           /* what their second nodes say is known in a basis alone */
            continue;
        for (int i = pair ? 0 : 1; i < (pair ? 3 : 2); i++) {
            bn_trial t = best;
            t.nodes = best.nodes * (1 << i) / 2;
            t.kind = k;
            if (pair && !bn_search_may_pair(w, t.nodes))
                continue;
            BN_TRY(bn_search_try(NULL, w, t));
        }
    }
done:
    return rc;
}

/* Tries other ways to store the best. */
static bonsai_status try_forms(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    const bn_trial best = w->best.t;
    for (int f = 0; f < BN_FORMS && may_pack(w); f++) {
        bn_trial t = best;
        t.form = f;
        if (w->best.keep.t > 0 || forms[best.form].squares)
            BN_TRY(bn_search_try(NULL, w, t));
    }
done:
    return rc;
}

/* Tries other kinds of rows; if the probe decides, also sizes and forms near those of the best. */
static bonsai_status improve_rows(bn_search *w)
{
    bonsai_status rc;
    if (w->finals > 0)
        return try_kinds(w);
    BN_TRY(try_beside(w));
    int64_t nodes = w->best.t.nodes;
    int kind = w->best.t.kind;
    BN_TRY(try_kinds(w));
    if (w->best.t.kind != kind || w->best.t.nodes != nodes)
        BN_TRY(try_beside(w));
    BN_TRY(try_forms(w));
done:
    return rc;
}

/* Enters the best rows and, if these are fewer, as many as fit with full rows: the probe underrates
 * many prototypes where networks can use them all. */
static bonsai_status enter_rows(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_trial t = {.nodes = bn_least(whole(w, BN_FORM_BYTES), bn_search_most(w)),
                  .kind = w->best.t.kind, .form = BN_FORM_BYTES, .soft = w->storage.soft};
    const bool more = w->best.c && t.nodes > w->best.t.nodes;
    BN_TRY(bn_search_enter(w));
    if (!more)
        goto done;
    BN_TRY(bn_search_make(&w->best, w, &t, true));
    w->recipe->candidates += w->best.fits;
    if (w->best.fits)
        BN_TRY(bn_search_score(&w->best, w));
    else
        bn_candidate_free(&w->best);
    BN_TRY(bn_search_enter(w));
done:
    return rc;
}

bonsai_status bn_search_all(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    w->trained = -1;
    if (w->probe)
        BN_TRY(bn_search_molds(w));
    if (w->job->o->coordinates)         /* rows that are stored one by one have none */
        return w->finals > 0 ? bn_search_choose(w) : BONSAI_OK;
    BN_TRY(w->probe ? try_sizes(w) : guess_size(w));
    if (!w->best.c && w->finals == 0 && w->storage.soft) {      /* soft labels go first */
        w->storage.soft = false;
        BN_TRY(w->probe ? try_sizes(w) : guess_size(w));
    }
    if (w->probe && w->best.c)
        BN_TRY(improve_rows(w));
    if (w->finals > 0) {
        BN_TRY(enter_rows(w));
        BN_TRY(bn_search_choose(w));
    }
done:
    return rc;
}
