/* learned.c -- the small graph of what was learned, and how many nodes fit a budget.
 *
 * Under a strict budget a feature takes eight bits, and nodes are counted as if any two were
 * joined, because the edges are not known beforehand.  If not even one node of each class fits,
 * each class has one node whose row is cut to what fits, in the form that changes it least, like
 * rows of prototypes.  In the paper's accounting a node costs what its authors' scripts say: 4
 * bytes a feature, and 4 for each pair of nodes.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "problem.h"

/* ---- edges ---- */

/* Returns the weight that is stored for nodes i and j; 0: nothing.  Networks add a loop of weight 1
 * to a node without one, so a learned loop is always stored. */
static float entry(const bn_problem *s, int64_t i, int64_t j)
{
    if (!s->a)
        return 1;               /* the loop */
    const float v = s->a[i * s->n + j];
    if (s->how->is_operator)
        return v;
    if (!(v > 0) || v < s->least)
        return 0;
    return i == j ? 1 + v : v;
}

/* Returns where entries of row i begin.  Without edges a row holds its loop alone. */
static int64_t row_first(const bn_problem *s, int64_t i)
{
    return s->a ? 0 : i;
}

static int64_t row_end(const bn_problem *s, int64_t i)
{
    return s->a ? s->n : i + 1;
}

static int64_t count_entries(const bn_problem *s, bool *loops)
{
    int64_t count = 0;
    *loops = false;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = row_first(s, i); j < row_end(s, i); j++)
            if (entry(s, i, j) != 0) {
                count++;
                *loops |= i == j;
            }
    return count;
}

static bonsai_status put_edges(bonsai_graph *g, const bn_problem *s)
{
    bonsai_status rc;
    bool loops;
    uint32_t *offsets, *neighbors;
    float *weights = NULL;
    const int64_t m = count_entries(s, &loops);
    int64_t at = 0;
    BN_TRY(bn_graph_array(&offsets, g, BONSAI_SECTION_OFFSETS, BONSAI_TYPE_U32, s->n + 1));
    BN_TRY(bn_graph_array(&neighbors, g, BONSAI_SECTION_NEIGHBORS, BONSAI_TYPE_U32, m));
    if (s->a)
        BN_TRY(bn_graph_array(&weights, g, BONSAI_SECTION_EDGE_WEIGHTS, BONSAI_TYPE_F32, m));
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = row_first(s, i); j < row_end(s, i); j++) {
            const float v = entry(s, i, j);
            if (v == 0)
                continue;
            if (weights)
                weights[at] = v;
            neighbors[at++] = (uint32_t)j;
        }
        offsets[i + 1] = (uint32_t)at;
    }
    g->view.flags = (loops ? BONSAI_FLAG_SELF_LOOPS : 0) |
                    (s->how->is_operator ? BONSAI_FLAG_OPERATOR : 0);
done:
    return rc;
}

/* ---- features ---- */

enum { FORMS = 4 };

/* Returns how rows are stored: in eight bits, or as squares in four; with entries per row, or in
 * columns that all rows share. */
static bn_storage form_of(const bn_problem *s, int form, bonsai_type type)
{
    return (bn_storage){.f = s->f, .classes = s->c, .type = type, .soft = s->q != NULL,
                        .squares = form & 1, .columns = form & 2};
}

/* Returns the bytes of the adjacency beyond one self loop per node. */
static double edge_bytes(const bn_problem *s)
{
    bool loops;
    return s->a ? (double)count_entries(s, &loops) * 8 - (double)s->n * 4 : 0;
}

/* The rows as features, with their mean, and how many of them each stands for. */
typedef struct {
    bn_centres  m;
    int64_t    *size;
    bonsai_type type;           /* in eight bits */
} rows;

static void rows_free(rows *r)
{
    bn_big_free(r->m.x.dense);
    bn_free(r->m.mean);
    bn_free(r->size);
}

static bonsai_status rows_new(rows *r, const bn_problem *s)
{
    bonsai_status rc;
    float *x;
    *r = (rows){.m = {.x = {.rows = s->n, .f = s->f}, .count = s->n}, .type = BONSAI_TYPE_U8};
    BN_TRY(BN_BIG(&r->m.x.dense, NULL, s->n * s->f));
    BN_TRY(BN_NEW(&r->m.mean, s->f));
    BN_TRY(BN_NEW(&r->size, s->n));
    x = r->m.x.dense;
    r->m.size = r->size;
    for (int64_t i = 0; i < s->n; i++) {
        r->size[i] = 1;
        for (int64_t j = 0; j < s->f; j++) {
            const float v = s->x[i * s->f + j] * s->spread[j] + s->mean[j];
            x[i * s->f + j] = v;
            r->m.mean[j] += v / (float)s->n;
            r->type = v < 0 ? BONSAI_TYPE_I8 : r->type;
        }
    }
done:
    return rc;
}

static bonsai_status store_rows(bonsai_graph *g, bool *fits, const rows *r, const bn_storage *how,
                                double bytes, int threads)
{
    bonsai_status rc;
    bn_keep keep = {0};
    BN_TRY(bn_keep_most(&keep, fits, &r->m, how, bytes, threads));
    BN_TRY(bn_rows_store(g, &r->m, &keep, how, threads));
done:
    bn_keep_free(&keep);
    return rc;
}

/* Computes the squared distance of the stored rows from the learned ones. */
static bonsai_status rows_lost(double *out, const bonsai_graph *g, const rows *r)
{
    bonsai_status rc;
    int32_t *index = NULL;
    float *value = NULL;
    const bn_embedding *x = &r->m.x;
    *out = 0;
    BN_TRY(BN_NEW(&index, bn_row_room(g)));
    BN_TRY(BN_NEW(&value, bn_row_room(g)));
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t count = bn_row_get(index, value, g, i);
        for (int64_t j = 0, e = 0; j < x->f; j++) {
            const bool here = e < count && index[e] == j;
            const double gap = (double)x->dense[i * x->f + j] - (here ? (double)value[e] : 0);
            *out += gap * gap;
            e += here;
        }
    }
done:
    bn_free(index);
    bn_free(value);
    return rc;
}

/* Chooses the form that changes rows least among those in which they fit; 0 if they fit in none. */
static bonsai_status choose_form(int *best, const rows *r, const bn_problem *s, double bytes)
{
    bonsai_status rc = BONSAI_OK;
    bonsai_graph *trial = NULL;
    double lost, least = INFINITY;
    *best = 0;
    for (int form = 0; form < FORMS; form++) {
        const bn_storage how = form_of(s, form, r->type);
        bool fits;
        BN_TRY(bn_graph_new(&trial, s->job->g->where));
        trial->view.nodes = s->n;
        trial->view.features = s->f;
        BN_TRY(store_rows(trial, &fits, r, &how, bytes, s->threads));
        BN_TRY(rows_lost(&lost, trial, r));
        if (fits && lost < least) {
            least = lost;
            *best = form;
        }
        bonsai_graph_free(trial);
        trial = NULL;
    }
done:
    bonsai_graph_free(trial);
    return rc;
}

static bonsai_status put_features(bonsai_graph *g, const bn_problem *s, const bn_fit *fit)
{
    bonsai_status rc;
    rows r;
    int form = 0;
    bool fits;
    const double left = fit->cut ? fit->bytes - edge_bytes(s) : INFINITY;
    BN_TRY(rows_new(&r, s));
    if (fit->cut)
        BN_TRY(choose_form(&form, &r, s, left));
    const bn_storage how = form_of(s, form, fit->bits == 32 ? BONSAI_TYPE_F32 : r.type);
    BN_TRY(store_rows(g, &fits, &r, &how, left, s->threads));
done:
    rows_free(&r);
    return rc;
}

/* ---- labels ---- */

/* Returns the class of a node; if labels are soft, the most likely one. */
static int32_t kind_of(const bn_problem *s, int64_t i)
{
    int32_t best = s->kind[i];
    for (int64_t k = 0; s->q && k < s->c; k++)
        if (s->q[i * s->c + k] > s->q[i * s->c + best])
            best = (int32_t)k;
    return best;
}

static bonsai_status put_labels(bonsai_graph *g, const bn_problem *s)
{
    bonsai_status rc;
    uint32_t *label;
    uint8_t *role, *soft;
    BN_TRY(bn_graph_array(&label, g, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32, s->n));
    BN_TRY(bn_graph_array(&role, g, BONSAI_SECTION_ROLE, BONSAI_TYPE_U8, s->n));
    memset(role, BONSAI_ROLE_LEARNED, (size_t)s->n);
    for (int64_t i = 0; i < s->n; i++)
        label[i] = (uint32_t)kind_of(s, i);
    if (!s->q)
        goto done;
    BN_TRY(bn_graph_array(&soft, g, BONSAI_SECTION_SOFT_LABELS, BONSAI_TYPE_U8, s->n * s->c));
    for (int64_t i = 0; i < s->n; i++)
        bn_soften(soft + i * s->c, kind_of(s, i), s->q + i * s->c, s->c, 1);
done:
    return rc;
}

bonsai_status bn_learned_graph(bonsai_graph **out, const bn_problem *s, const bn_fit *fit)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    BN_TRY(bn_made_graph(&g, s->job->g, s->n));
    BN_TRY(put_edges(g, s));
    BN_TRY(put_features(g, s, fit));
    BN_TRY(put_labels(g, s));
    BN_TRY(bonsai_graph_verify(g));
    *out = g;
    g = NULL;
done:
    bonsai_graph_free(g);
    return rc;
}

/* ---- nodes for a budget ---- */

/* Fills a stand-in of the largest possible size: numbers that take all their bits, and all
 * edges. */
static void fill_stand_in(bn_problem *s)
{
    for (int64_t j = 0; j < s->f; j++)
        s->spread[j] = 1;
    for (int64_t i = 0; i < s->n * s->f; i++)
        s->x[i] = (float)(i * 31 % 251 + 1) * (i % 2 ? 1.0f : -0.5f);
    for (int64_t i = 0; s->a && i < s->n * s->n; i++)
        s->a[i] = 0.5f;
    for (int64_t i = 0; s->q && i < s->n * s->c; i++)
        s->q[i] = 1 / (float)s->c;
}

/* Computes the bytes of a small graph of `nodes` nodes with all features; thin: with one entry a
 * row. */
static bonsai_status stand_in_bytes(double *bytes, int64_t nodes, bool thin, const bn_learner *how,
                                    const bn_job *job)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    const bn_fit whole = {.nodes = nodes, .bits = 8};
    bn_problem s = {.how = how, .job = job, .n = nodes, .f = job->g->view.features,
                   .c = job->g->view.classes, .threads = job->at.threads};
    BN_TRY(BN_NEW(&s.kind, s.n));
    BN_TRY(BN_NEW(&s.mean, s.f));
    BN_TRY(BN_NEW(&s.spread, s.f));
    BN_TRY(BN_NEW(&s.x, s.n * s.f));
    if (how->edges)
        BN_TRY(BN_NEW(&s.a, s.n * s.n));
    if (how->soft)
        BN_TRY(BN_NEW(&s.q, s.n * s.c));
    fill_stand_in(&s);
    if (thin) {
        const bn_storage least = form_of(&s, 0, BONSAI_TYPE_I8);
        *bytes = bn_storage_bytes(&least, nodes, nodes) + edge_bytes(&s);
        goto done;
    }
    BN_TRY(bn_learned_graph(&g, &s, &whole));
    BN_TRY(bonsai_graph_bytes(bytes, g, BONSAI_ACCOUNTING_STRICT));
done:
    s.how = NULL;
    bn_problem_free(&s);
    bonsai_graph_free(g);
    return rc;
}

/* Finds the most nodes that fit, 0 .. most, by trial. */
static bonsai_status most_nodes(bn_fit *fit, int64_t most, const bn_learner *how, const bn_job *job)
{
    bonsai_status rc = BONSAI_OK;
    double took;
    int64_t low = 0, high = most, step = 1;     /* doubles; 0: a trial was too large, so bisect */
    while (low < high) {
        const int64_t next = step == 0 ? high - (high - low) / 2 : bn_least(low + step, high);
        BN_TRY(bn_tick(job->at.progress, "fitting", most - (high - low), most));
        BN_TRY(stand_in_bytes(&took, next, fit->cut, how, job));
        step = took <= fit->bytes ? 2 * step : 0;
        if (took <= fit->bytes)
            low = next;
        else
            high = next - 1;
    }
    BN_TRY(bn_tick(job->at.progress, "fitting", most, most));
    fit->nodes = low;
done:
    return rc;
}

/* Counts the classes that have a training node. */
static bonsai_status live_classes(int64_t *out, const bn_job *job)
{
    uint8_t *seen = NULL;
    bonsai_status rc = BN_NEW(&seen, job->g->view.classes);
    *out = 0;
    for (int64_t t = 0; rc == BONSAI_OK && t < job->trees; t++) {
        uint8_t *at = &seen[bn_label(job->g, job->train[t])];
        *out += !*at;
        *at = 1;
    }
    bn_free(seen);
    return rc;
}

static bonsai_status too_small(double bytes, double least, const bn_job *job)
{
    return bn_fail_at(BONSAI_E_ARGUMENT, job->g->where, "a budget of %.0f bytes is too small for "
                      "%s: a graph of one node takes %.0f", bytes,
                      bonsai_method_name(job->o->method), least);
}

/* Finds how many nodes fit with all features; if fewer than one for each class, how many thin
 * ones. */
static bonsai_status strict_nodes(bn_fit *fit, int64_t most, const bn_learner *how,
                                  const bn_job *job)
{
    bonsai_status rc;
    int64_t live;
    double least;
    fit->bits = 8;
    BN_TRY(live_classes(&live, job));
    live = live < most ? live : most;
    BN_TRY(most_nodes(fit, most, how, job));
    if (fit->nodes >= live)
        goto done;
    fit->cut = true;
    BN_TRY(most_nodes(fit, live, how, job));
    if (fit->nodes > 0)
        goto done;
    BN_TRY(stand_in_bytes(&least, 1, true, how, job));
    rc = too_small(fit->bytes, least, job);
done:
    return rc;
}

/* Finds how many nodes fit by the authors' rule: 4 n^2 + 4 n f bytes. */
static bonsai_status paper_nodes(bn_fit *fit, int64_t most, const bn_job *job)
{
    const double f = (double)job->g->view.features;
    const double n = floor((sqrt(f * f + fit->bytes) - f) / 2);
    fit->nodes = n < (double)most ? (int64_t)n : most;
    return n >= 1 ? BONSAI_OK : too_small(fit->bytes, 4 + 4 * f, job);
}

bonsai_status bn_learned_nodes(bn_fit *fit, const bn_learner *how, const bn_job *job,
                               const bn_budget *budget)
{
    bonsai_status rc = BONSAI_OK;
    int64_t most = job->trees;
    most = budget->nodes < most ? budget->nodes : most;
    most = budget->trees < most ? budget->trees : most;
    const bool above = how->pair > 0 && most > BN_MOST_PAIRED;
    most = above ? BN_MOST_PAIRED : most;
    *fit = (bn_fit){.nodes = most, .bits = 32, .bytes = budget->bytes};
    if (isfinite(budget->bytes))
        rc = job->o->accounting == BONSAI_ACCOUNTING_STRICT ? strict_nodes(fit, most, how, job)
                                                            : paper_nodes(fit, most, job);
    fit->limited = above && fit->nodes == BN_MOST_PAIRED;
    return rc;
}
