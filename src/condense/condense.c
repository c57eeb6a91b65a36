/* condense.c -- the door: checks what is asked, prepares what all methods share,
 * runs one of them per budget, and makes the small graph and its report.
 *
 * Over several ranks all of them come this way together.  Trees are chosen on rank 0, which
 * has the graph of them; prototypes are made on every rank alike.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "auto.h"
#include "condense.h"
#include "prepare.h"
#include "prototypes/prototypes.h"
#include "record.h"

/* ---- one budget ---- */

static bn_budget budget_of(const bn_preparation *p)
{
    const bonsai_condense_options *o = &p->o;
    double full = o->accounting == BONSAI_ACCOUNTING_STRICT ? p->full_bytes : p->paper_full_bytes;
    bn_budget b = {INFINITY, INT64_MAX, INT64_MAX};
    if (o->ratio > 0)
        b.bytes = floor(o->ratio * full);
    else if (o->bytes > 0)
        b.bytes = (double)o->bytes;
    else if (o->nodes > 0)
        b.nodes = o->nodes;
    else
        b.trees = o->trees;
    return b;
}

static void lose(bonsai_graph *g, bonsai_section s)
{
    bn_free(g->owned[s]);
    g->owned[s] = NULL;
    g->view.section[s] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
}

/* Labels outside the training part go, and so does the split: what has a label is
 * for training.  Soft labels tell classes too, and with node weights and members they
 * belong to the condensation that made them, if the input is itself a condensed graph. */
static void hide_labels(bonsai_graph *small)
{
    bonsai_array *labels = &small->view.section[BONSAI_SECTION_LABELS];
    uint8_t *label = small->owned[BONSAI_SECTION_LABELS];
    size_t width = bonsai_type_bytes(labels->type);
    for (int64_t v = 0; v < small->view.nodes; v++)
        if (bn_part(small, v) != BONSAI_PART_TRAIN)
            memset(label + (size_t)v * width, 0xff, width);
    static const bonsai_section gone[] = {BONSAI_SECTION_SPLIT, BONSAI_SECTION_SOFT_LABELS, BONSAI_SECTION_NODE_WEIGHTS,
                                          BONSAI_SECTION_ROLE, BONSAI_SECTION_MEMBER_OFFSETS, BONSAI_SECTION_MEMBERS};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        lose(small, gone[i]);
}

/* Roles and hidden labels, of the induced graph. */
static bonsai_status finish_graph(bonsai_graph *small, const bn_choice *c)
{
    bonsai_status rc;
    uint8_t *role;
    hide_labels(small);
    BN_TRY(bn_graph_array(&role, small, BONSAI_SECTION_ROLE, BONSAI_TYPE_U8, c->count));
    memcpy(role, c->role, (size_t)c->count);
done:
    return rc;
}

/* The share of the second sample that has a root among its neighbours, or is one. */
static bonsai_status check_coverage(double *out, const bn_preparation *p, const bn_choice *c)
{
    uint8_t *root = NULL;
    int64_t covered = 0, k = p->o.k;
    *out = -1;
    if (p->checks == 0)
        return BONSAI_OK;
    bonsai_status rc = BN_NEW(&root, p->job.g->view.nodes);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < c->count; i++)
        root[c->node[i]] = c->role[i] == BONSAI_ROLE_ROOT;
    for (int64_t i = 0; i < p->checks; i++) {
        bool in = root[p->job.train[p->check[i]]];
        for (int64_t j = 0; j < k; j++)
            in |= root[p->job.train[p->check_list[i * k + j]]];
        covered += in;
    }
    *out = (double)covered / (double)p->checks;
    bn_free(root);
    return BONSAI_OK;
}

/* What is known of any small graph. */
static bonsai_status fill_sizes(bonsai_condense_info *i, const bn_preparation *p,
                                const bn_budget *b, const bonsai_graph *small)
{
    bonsai_status rc;
    bonsai_condense_info_init(i);
    i->method = p->o.method;
    i->seed = p->o.seed;
    i->nodes = small->view.nodes;
    i->edges = bonsai_graph_edges(small);
    i->features = small->view.features;
    for (int64_t v = 0; v < i->nodes; v++)
        i->labelled += bn_label(small, v) >= 0;
    i->full_nodes = p->full->view.nodes;
    i->full_edges = bonsai_graph_edges(p->full);
    i->full_labelled = p->full_labelled;
    i->full_bytes = p->full_bytes;
    i->paper_full_bytes = p->paper_full_bytes;
    BN_TRY(bonsai_graph_bytes(&i->bytes, small, BONSAI_ACCOUNTING_STRICT));
    BN_TRY(bonsai_graph_bytes(&i->paper_bytes, small, BONSAI_ACCOUNTING_PAPER_CONDENSED));
    i->ratio = i->bytes / i->full_bytes;
    i->paper_ratio = i->paper_bytes / i->paper_full_bytes;
    i->budget = isfinite(b->bytes) ? b->bytes : 0;
    i->trees = p->job.trees;
    i->layers = p->o.layers;
    i->coverage = i->coverage_check = i->coverage_bound = -1;
    i->recall = 1;
    i->probe = i->probe_other = -1;
    i->seconds_wl = p->seconds_wl;
done:
    return rc;
}

static bonsai_status fill_info(bonsai_condense_info *i, const bn_preparation *p, const bn_choice *c,
                               const bn_budget *b, const bonsai_graph *small)
{
    bonsai_status rc;
    BN_TRY(fill_sizes(i, p, b, small));
    for (int64_t v = 0; v < i->nodes; v++)
        i->roots += c->role[v] == BONSAI_ROLE_ROOT;
    i->sample = p->job.z;
    i->k = p->o.k;
    i->rounds = c->rounds;
    i->shallow_classes = c->shallow_classes;
    i->coverage = p->job.z ? c->coverage : -1;
    i->coverage_bound = p->job.z ? c->coverage_bound : -1;
    i->rechecks = c->rechecks;
    i->recall = p->projected ? p->recall : 1;
    i->seconds_knn = p->seconds_knn;
    i->seconds_cover = c->seconds_cover;
    i->seconds_sparsify = c->seconds_sparsify;
    BN_TRY(check_coverage(&i->coverage_check, p, c));
done:
    return rc;
}

/* The price that was kept must be that of the graph.  It is, unless the input says that
 * it is undirected and is not: that is looked for only when it has done harm. */
static bonsai_status check_size(const bonsai_condense_info *i, const bn_preparation *p,
                                const bn_budget *b)
{
    double bytes = p->o.accounting == BONSAI_ACCOUNTING_STRICT ? i->bytes : i->paper_bytes;
    if (bytes <= b->bytes)
        return BONSAI_OK;
    bonsai_status rc = bn_symmetry_check(p->full, p->job.at.progress);
    return rc != BONSAI_OK ? rc
           : bn_fail(BONSAI_E_ARGUMENT, "%s: the condensed graph takes %.0f bytes, more than %.0f",
                     p->full->where, bytes, b->bytes);
}

/* The ratio against the full graph if its features were stored in as many bits. */
static bonsai_status lossless_ratio(double *out, const bonsai_condense_info *i,
                                    const bn_preparation *p, bonsai_type type)
{
    bonsai_status rc;
    bonsai_write_options o;
    int64_t bytes[2][BONSAI_SECTION_COUNT];
    double lossless = 0, rounded = 0;
    bonsai_write_options_init(&o);
    o.threads = p->o.threads;
    BN_TRY(bonsai_graph_sections(NULL, bytes[0], BONSAI_SECTION_COUNT, p->full, &o));
    o.features = BONSAI_ENCODING_SPARSE_U8;
    if (bytes[0][BONSAI_SECTION_FEATURES] > 0)
        o.features = type == BONSAI_TYPE_F16 ? BONSAI_ENCODING_F16 : BONSAI_ENCODING_U8;
    BN_TRY(bonsai_graph_sections(NULL, bytes[1], BONSAI_SECTION_COUNT, p->full, &o));
    for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_SCALE; s++) {
        lossless += (double)bytes[0][s];
        rounded += (double)bytes[1][s];
    }
    *out = rounded < lossless ? i->bytes / (i->full_bytes - lossless + rounded) : i->ratio;
done:
    return rc;
}

/* Every rank has the graph, and fills the rest in by itself. */
static bonsai_status tell_prototypes(bonsai_graph *small, bonsai_condense_info *info,
                                     const bn_preparation *p, const bn_budget *b,
                                     const bn_recipe *r)
{
    bonsai_status rc;
    BN_TRY(fill_sizes(info, p, b, small));
    info->entries = (int)r->t;
    info->values = r->type;
    info->probe = r->probe;
    info->seconds_cluster = r->seconds_cluster;
    info->seconds_probe = r->seconds_probe;
    info->lossless_ratio = info->ratio;
    if (r->type != BONSAI_TYPE_F32)
        BN_TRY(lossless_ratio(&info->lossless_ratio, info, p, r->type));
    BN_TRY(check_size(info, p, b));
    BN_TRY(bn_report_recipe(small, info, &p->o, r, p->crc));
done:
    return rc;
}

static bonsai_status run_prototypes(bonsai_graph **out, bonsai_condense_info *info,
                                    const bn_preparation *p, const bn_budget *b)
{
    bonsai_status rc;
    bn_recipe r;
    bonsai_graph *small = NULL;
    BN_TRY(bn_prototypes(&small, &r, &p->job, b));
    BN_TRY(bn_agree(p->job.at.world, tell_prototypes(small, info, p, b, &r)));
    *out = small;
    small = NULL;
done:
    bonsai_graph_free(small);
    return rc;
}

/* The graph of a choice, which rank 0 has: it gets graph and info. */
static bonsai_status make_graph(bonsai_graph **out, bonsai_condense_info *info, bn_preparation *p,
                                const bn_choice *c, const bn_budget *b)
{
    bonsai_status rc;
    bonsai_graph *small = NULL;
    bn_world *w = p->job.at.world;
    BN_TRY(bn_induce_over(&small, &p->job, c->node, c->count));
    if (bn_rank(w) == 0)
        rc = finish_graph(small, c);
    if (bn_rank(w) == 0 && rc == BONSAI_OK)
        rc = fill_info(info, p, c, b, small);
    if (bn_rank(w) == 0 && rc == BONSAI_OK)
        rc = check_size(info, p, b);
    if (bn_rank(w) == 0 && rc == BONSAI_OK)
        rc = bn_report_attach(small, info, &p->o, c, p->crc);
    BN_TRY(bn_agree(w, rc));
    BN_TRY(bn_share(w, info, sizeof *info, 0));
    *out = small;
    small = NULL;
done:
    bonsai_graph_free(small);
    return rc;
}

static bonsai_status run(bonsai_graph **out, bonsai_condense_info *info, bn_preparation *p)
{
    bonsai_status rc;
    bn_choice c = {0};
    bn_world *w = p->job.at.world;
    const bn_budget b = budget_of(p);
    if (p->o.method == BONSAI_METHOD_PROTOTYPES)
        return run_prototypes(out, info, p, &b);
    if (p->o.method == BONSAI_METHOD_TREES)
        BN_TRY(bn_trees(&c, &p->job, &b));
    else
        BN_TRY(bn_baseline(&c, &p->job, &b));
    if (bn_rank(w) == 0 && c.count == 0)
        rc = bn_too_small(&p->job, &b);
    BN_TRY(bn_agree(w, rc));
    BN_TRY(make_graph(out, info, p, &c, &b));
done:
    bn_choice_free(&c);
    return rc;
}

/* As run, by a method other than the one asked for. */
static bonsai_status run_as(bonsai_graph **out, bonsai_condense_info *info, bn_preparation *p,
                            bonsai_method method)
{
    bonsai_method asked = p->o.method;
    p->o.method = method;
    bonsai_status rc = run(out, info, p);
    p->o.method = asked;
    return rc;
}

/* ---- the doors ---- */

/* The caller's structs may be smaller or larger than ours; all of them are as the first. */
static void give_info(bonsai_condense_info *info, int i, const bonsai_condense_info *ours)
{
    void *item = (char *)info + (size_t)i * info->size;
    memcpy(item, &info->size, sizeof info->size);
    bn_result_fill(item, ours);
}

/* What it took, the same on all ranks: times of rank 0, the most memory of any, bytes of all. */
static bonsai_status fill_effort(bonsai_condense_info *i, const bn_preparation *p, double start)
{
    bonsai_status rc;
    bn_world *w = p->job.at.world;
    const bn_memory *m = &p->memory;
    double most[] = {(double)bn_peak_rss(), (double)m->most, (double)m->spilled_most};
    int64_t sum[] = {w ? w->sent : 0, p->sent_rows, w ? w->halo : 0};
    BN_TRY(bn_max(w, most, 3));
    BN_TRY(bn_sum_int(w, sum, 3));
    i->seconds_total = bn_seconds() - start;
    i->peak_rss_bytes = (int64_t)most[0];
    i->held = (int64_t)most[1];
    i->scratch = (int64_t)most[2];
    i->memory = p->allowed;
    i->sent = sum[0];
    i->sent_rows = sum[1];
    i->halo = sum[2];
    i->columns = p->panel;
    i->ranks = bn_ranks(w);
done:
    return rc;
}

static bonsai_status check_request(bonsai_condense_options *o, const bonsai_condense_options *given,
                                   const bonsai_condense_info *info, const double *ratios,
                                   int count)
{
    bonsai_status rc;
    BN_TRY(BN_OPTIONS(o, given, condense));
    BN_TRY(info ? bn_result_check(info, "bonsai_condense_info") : BONSAI_OK);
    for (int i = 0; i < count; i++)
        BN_TRY(ratios ? bn_request_ratio(ratios[i]) : bn_request_budget(o));
done:
    return rc;
}

bonsai_status bn_condense_over(bonsai_graph **out, bonsai_condense_info *info, const double *ratios,
                               int count, const bonsai_graph *g,
                               const bonsai_condense_options *given, bn_world *w)
{
    bonsai_status rc;
    bn_preparation p = {.job.at.world = w};
    bonsai_condense_info one;
    double start = bn_seconds();
    for (int i = 0; i < count; i++)
        out[i] = NULL;
    BN_TRY(bn_agree(w, check_request(&p.o, given, info, ratios, count)));
    BN_TRY(bn_prepare(&p, g));
    for (int i = 0; i < count; i++) {
        if (ratios)
            p.o.ratio = ratios[i];
        BN_TRY(p.o.method == BONSAI_METHOD_AUTO ? bn_auto(&out[i], &one, &p, run_as)
                                         : run(&out[i], &one, &p));
        BN_TRY(fill_effort(&one, &p, start));
        if (info)
            give_info(info, i, &one);
    }
done:
    for (int i = 0; i < count && (rc != BONSAI_OK || bn_rank(w) > 0); i++) {
        bonsai_graph_free(out[i]);
        out[i] = NULL;
    }
    bn_preparation_free(&p);
    return rc;
}

bonsai_status bonsai_condense_many(bonsai_graph **out, bonsai_condense_info *info,
                                   const double *ratios, int count, const bonsai_graph *g,
                                   const bonsai_condense_options *o)
{
    return bn_condense_over(out, info, ratios, count, g, o, NULL);
}

bonsai_status bonsai_condense(bonsai_graph **out, bonsai_condense_info *info,
                              const bonsai_graph *g, const bonsai_condense_options *o)
{
    return bonsai_condense_many(out, info, NULL, 1, g, o);
}
