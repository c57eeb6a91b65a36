/* learned.c -- the small graph of what was learned, and how many nodes a budget holds.
 *
 * Under a strict budget a feature takes eight bits, and nodes are counted as if any two of them
 * were joined, since nobody knows beforehand which will be.  In the paper's accounting a node costs
 * what its authors' scripts say: 4 bytes a feature, and 4 for each pair of nodes.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "lesson.h"

enum { MOST_JOINED = 4096 };    /* nodes, where any two may be joined */

/* ---- edges ---- */

/* What is stored for nodes i and j; 0: nothing.  Networks add a loop of weight 1 where there is
 * none, so that one that was learned is stored with it. */
static float entry(const bn_lesson *s, int64_t i, int64_t j)
{
    if (!s->a)
        return i == j ? 1 : 0;
    const float v = s->a[i * s->n + j];
    if (s->how->is_operator)
        return v;
    if (!(v > 0) || v < s->least)
        return 0;
    return i == j ? 1 + v : v;
}

static int64_t count_entries(const bn_lesson *s, bool *loops)
{
    int64_t count = 0;
    *loops = false;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++)
            if (entry(s, i, j) != 0) {
                count++;
                *loops |= i == j;
            }
    return count;
}

static bonsai_status put_edges(bonsai_graph *g, const bn_lesson *s)
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
        for (int64_t j = 0; j < s->n; j++) {
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

static bonsai_status put_features(bonsai_graph *g, const bn_lesson *s, int bits)
{
    bonsai_status rc;
    bn_centres m = {.x = {.rows = s->n, .f = s->f}, .count = s->n};
    bn_keep keep = {0};
    bn_storage how = {.f = s->f, .classes = s->c,
                      .type = bits == 32 ? BONSAI_TYPE_F32 : BONSAI_TYPE_U8};
    int64_t *size = NULL;
    bool fits;
    BN_TRY(BN_BIG(&m.x.dense, NULL, s->n * s->f));
    BN_TRY(BN_NEW(&size, s->n));
    BN_TRY(BN_NEW(&m.mean, s->f));
    for (int64_t i = 0; i < s->n * s->f; i++) {
        m.x.dense[i] = s->x[i] * s->spread[i % s->f] + s->mean[i % s->f];
        if (bits == 8 && m.x.dense[i] < 0)
            how.type = BONSAI_TYPE_I8;
    }
    for (int64_t i = 0; i < s->n; i++)
        size[i] = 1;
    m.size = size;
    BN_TRY(bn_keep_most(&keep, &fits, &m, &how, INFINITY, s->threads));
    BN_TRY(bn_rows_store(g, &m, &keep, &how, s->threads));
done:
    bn_big_free(m.x.dense);
    bn_free(size);
    bn_free(m.mean);
    bn_keep_free(&keep);
    return rc;
}

/* ---- labels ---- */

/* The class of a node: the most likely one, where labels are soft. */
static int32_t kind_of(const bn_lesson *s, int64_t i)
{
    int32_t best = s->kind[i];
    for (int64_t k = 0; s->q && k < s->c; k++)
        if (s->q[i * s->c + k] > s->q[i * s->c + best])
            best = (int32_t)k;
    return best;
}

static bonsai_status put_labels(bonsai_graph *g, const bn_lesson *s)
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

bonsai_status bn_learned_graph(bonsai_graph **out, const bn_lesson *s, int bits)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    const bonsai_graph *full = s->job->g;
    static const bonsai_section same[] = {
        BONSAI_SECTION_CLASS_NAMES, BONSAI_SECTION_KEPT_FEATURES,
        BONSAI_SECTION_FEATURE_MEAN, BONSAI_SECTION_FEATURE_SPREAD};
    BN_TRY(bn_graph_new(&g, full->where));
    g->view.nodes = s->n;
    g->view.features = s->f;
    g->view.classes = s->c;
    BN_TRY(put_edges(g, s));
    BN_TRY(put_features(g, s, bits));
    BN_TRY(put_labels(g, s));
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        BN_TRY(bn_graph_copy(g, &full->view, same[i]));
    BN_TRY(bonsai_graph_verify(g));
    *out = g;
    g = NULL;
done:
    bonsai_graph_free(g);
    return rc;
}

/* ---- nodes for a budget ---- */

/* Numbers that take all their bits, and all edges. */
static void fill_stand_in(bn_lesson *s)
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

/* The bytes of a small graph of so many nodes. */
static bonsai_status stand_in_bytes(double *bytes, int64_t nodes, const bn_learner *how,
                                    const bn_job *job)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    bn_lesson s = {.how = how, .job = job, .n = nodes, .f = job->g->view.features,
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
    BN_TRY(bn_learned_graph(&g, &s, 8));
    BN_TRY(bonsai_graph_bytes(bytes, g, BONSAI_ACCOUNTING_STRICT));
done:
    s.how = NULL;
    bn_lesson_free(&s);
    bonsai_graph_free(g);
    return rc;
}

/* The most nodes that fit, at most `high`, by trial. */
static bonsai_status most_nodes(int64_t *nodes, int64_t high, double bytes, const bn_learner *how,
                                const bn_job *job)
{
    bonsai_status rc;
    double took;
    int64_t low = 0, step = 1;
    BN_TRY(stand_in_bytes(&took, 1, how, job));
    if (took > bytes)
        return bn_fail(BONSAI_E_ARGUMENT, "%s: a budget of %.0f bytes is too small for %s: a graph "
                       "of one node takes %.0f", job->g->where, bytes,
                       bonsai_method_name(job->o->method), took);
    for (low = 1; low < high && took <= bytes; step *= 2) {
        const int64_t next = low + step < high ? low + step : high;
        BN_TRY(stand_in_bytes(&took, next, how, job));
        if (took <= bytes)
            low = next;
        else
            high = next - 1;
    }
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;
        BN_TRY(stand_in_bytes(&took, middle, how, job));
        if (took <= bytes)
            low = middle;
        else
            high = middle - 1;
    }
    *nodes = low;
done:
    return rc;
}

/* The authors' rule: 4 n^2 + 4 n f bytes. */
static int64_t paper_nodes(double bytes, double f)
{
    return (int64_t)floor((sqrt(f * f + bytes) - f) / 2);
}

bonsai_status bn_learned_nodes(int64_t *nodes, int *bits, const bn_learner *how, const bn_job *job,
                               const bn_budget *budget)
{
    int64_t most = job->trees;
    if (how->edges && most > MOST_JOINED)
        most = MOST_JOINED;
    most = budget->nodes < most ? budget->nodes : most;
    most = budget->trees < most ? budget->trees : most;
    *bits = 32;
    *nodes = most;
    if (!isfinite(budget->bytes))
        return BONSAI_OK;
    if (job->o->accounting == BONSAI_ACCOUNTING_STRICT) {
        *bits = 8;
        return most_nodes(nodes, most, budget->bytes, how, job);
    }
    const int64_t fit = paper_nodes(budget->bytes, (double)job->g->view.features);
    *nodes = fit < most ? fit : most;
    if (fit >= 1)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s: a budget of %.0f bytes is too small for %s: a graph of one "
                   "node takes %.0f", job->g->where, budget->bytes,
                   bonsai_method_name(job->o->method), 4 + 4 * (double)job->g->view.features);
}
