/* make.c -- makes the small graph of one request and its record, of nodes that a method picks or
 * makes.
 *
 * Over several ranks nodes are picked on rank 0, which alone has their graph; made nodes are the
 * same on every rank.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods.h"
#include "record/record.h"

/* ---- facts of any graph ---- */

bonsai_status bn_fill_plain(bonsai_condense_info *i, const bn_preparation *p,
                            const bonsai_graph *small)
{
    bonsai_status rc;
    double paper = 0;
    bonsai_condense_info_init(i);
    bn_fact_set(i, BN_FACT_CRC, p->crc);
    bn_fact_print(i, BN_FACT_VERSION, "%s", BONSAI_VERSION);
    i->nodes = small->view.nodes;
    i->edges = bonsai_graph_edges(small);
    for (int64_t v = 0; v < i->nodes; v++)
        i->labelled += bn_label(small, v) >= 0;
    i->full_nodes = p->full->view.nodes;
    i->full_edges = bonsai_graph_edges(p->full);
    i->full_bytes = p->sizes.strict;
    BN_TRY(bonsai_graph_bytes(&i->bytes, small, BONSAI_ACCOUNTING_STRICT));
    BN_TRY(bonsai_graph_bytes(&paper, small, BONSAI_ACCOUNTING_PAPER_CONDENSED));
    i->ratio = i->bytes / i->full_bytes;
    bn_fact_set(i, BN_FACT_FEATURES, (double)small->view.features);
    bn_fact_set(i, BN_FACT_FULL_LABELLED, (double)p->full_labelled);
    bn_fact_set(i, BN_FACT_PAPER_BYTES, paper);
    bn_fact_set(i, BN_FACT_PAPER_FULL_BYTES, p->sizes.paper);
    bn_fact_set(i, BN_FACT_PAPER_RATIO, paper / p->sizes.paper);
    bn_fact_set(i, BN_FACT_TREES, (double)p->job.trees);
done:
    return rc;
}

bonsai_status bn_fill_sizes(bonsai_condense_info *i, const bn_request *r,
                            const bonsai_graph *small)
{
    const bn_preparation *p = r->p;
    bonsai_status rc = bn_fill_plain(i, p, small);
    i->method = r->o.method;
    i->seed = r->o.seed;
    bn_fact_set(i, BN_FACT_BUDGET, isfinite(r->budget.bytes) ? r->budget.bytes : 0);
    bn_fact_set(i, BN_FACT_LAYERS, r->o.layers);
    i->probe_full = p->probe_full;
    bn_fact_set(i, BN_FACT_PROBE_FITTED, (double)p->probe_fitted);
    bn_fact_set(i, p->job.held ? BN_FACT_PROBE_HELD : BN_FACT_PROBE_VAL,
                (double)p->job.judge.far.rows);
    if (p->job.probe) {
        bn_fact_set(i, BN_FACT_METRIC, bn_probe_merit(p->job.probe)->aim);
        bn_fact_set(i, BN_FACT_PROBE_IDLE, bn_probe_merit(p->job.probe)->idle);
    }
    return rc;
}

/* Fails if the graph exceeds the budget, which can only happen if the input claims to be undirected
 * and is not: several ranks check that only here. */
bonsai_status bn_check_bytes(const bonsai_condense_info *i, const bn_request *r)
{
    const bonsai_graph *full = r->p->full;
    double bytes = r->o.accounting == BONSAI_ACCOUNTING_STRICT ? i->bytes
                                                               : bn_fact(i, BN_FACT_PAPER_BYTES);
    if (bytes <= r->budget.bytes)
        return BONSAI_OK;
    bonsai_status rc = bn_symmetry_check(full, &(bn_place){.progress = r->p->job.at.progress});
    return rc != BONSAI_OK ? rc
           : bn_fail_at(BONSAI_E_ARGUMENT, full->where, "the condensed graph takes %.0f bytes, "
                        "more than %.0f", bytes, r->budget.bytes);
}

/* ---- picked nodes ---- */

static void lose(bonsai_graph *g, bonsai_section s)
{
    bn_free(g->owned[s]);
    g->owned[s] = NULL;
    g->view.section[s] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
}

/* Removes labels outside the training part, and the split: labelled nodes are for training.
 * Removes soft labels, which name classes too, and with them node weights and members: they
 * belong to the condensing that made the input, if it is itself a condensed graph. */
static void hide_labels(bonsai_graph *small)
{
    bonsai_array *labels = &small->view.section[BONSAI_SECTION_LABELS];
    uint8_t *label = small->owned[BONSAI_SECTION_LABELS];
    size_t width = bonsai_type_bytes(labels->type);
    for (int64_t v = 0; v < small->view.nodes; v++)
        if (bn_part(small, v) != BONSAI_PART_TRAIN)
            memset(label + (size_t)v * width, 0xff, width);
    static const bonsai_section gone[] = {
        BONSAI_SECTION_SPLIT, BONSAI_SECTION_SOFT_LABELS, BONSAI_SECTION_NODE_WEIGHTS,
        BONSAI_SECTION_ROLE, BONSAI_SECTION_MEMBER_OFFSETS, BONSAI_SECTION_MEMBERS};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        lose(small, gone[i]);
}

/* Hides labels of the induced graph and stores the roles. */
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

/* Finds the share of the second sample that has a root among its neighbours, or is one. */
static bonsai_status check_coverage(double *out, const bn_job *job, const bn_choice *c)
{
    uint8_t *root = NULL;
    int64_t covered = 0, k = job->o->k;
    *out = -1;
    if (job->checks == 0)
        return BONSAI_OK;
    bonsai_status rc = BN_NEW(&root, job->g->view.nodes);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < c->count; i++)
        root[c->node[i]] = c->role[i] == BONSAI_ROLE_ROOT;
    for (int64_t i = 0; i < job->checks; i++) {
        bool in = root[job->train[job->check[i]]];
        for (int64_t j = 0; j < k; j++)
            in |= root[job->train[job->check_list[i * k + j]]];
        covered += in;
    }
    *out = (double)covered / (double)job->checks;
    bn_free(root);
    return BONSAI_OK;
}

static bonsai_status fill_choice(bonsai_condense_info *i, const bn_request *r, const bn_choice *c,
                                 const bonsai_graph *small)
{
    bonsai_status rc;
    const bn_preparation *p = r->p;
    const bool covers = bn_method_of(r->o.method)->needs & BN_NEEDS_COVER;
    double check = -1;
    BN_TRY(bn_fill_sizes(i, r, small));
    for (int64_t v = 0; v < i->nodes; v++)
        i->roots += c->role[v] == BONSAI_ROLE_ROOT;
    bn_fact_set(i, BN_FACT_K, r->o.k);
    bn_fact_set(i, BN_FACT_ROUNDS, c->rounds);
    bn_fact_set(i, BN_FACT_SHALLOW_CLASSES, c->shallow_classes);
    bn_fact_set(i, BN_FACT_WHOLE_TREES, (double)c->whole);
    bn_fact_set(i, BN_FACT_RECHECKS, (double)c->rechecks);
    bn_fact_set(i, BN_FACT_RECALL, p->job.projected ? p->job.recall : 1);
    bn_fact_set(i, BN_FACT_SAMPLE, 0);
    if (!covers || p->job.z == 0)
        goto done;
    bn_fact_set(i, BN_FACT_SAMPLE, (double)p->job.z);
    i->coverage = c->coverage;
    bn_fact_set(i, BN_FACT_COVERAGE_BOUND, c->coverage_bound);
    BN_TRY(check_coverage(&check, &p->job, c));
    bn_fact_set(i, BN_FACT_COVERAGE_CHECK, check);
done:
    return rc;
}

bonsai_status bn_fill_picked(bonsai_graph *small, bonsai_condense_info *info, const bn_request *r,
                             const bn_choice *c)
{
    bonsai_status rc = finish_graph(small, c);
    return rc == BONSAI_OK ? fill_choice(info, r, c, small) : rc;
}

/* Fills, checks and records the graph, on rank 0, which has it. */
static bonsai_status finish_picked(bonsai_graph *small, bonsai_condense_info *info,
                                   const bn_request *r, const bn_choice *c)
{
    bonsai_status rc;
    BN_TRY(bn_fill_picked(small, info, r, c));
    BN_TRY(bn_check_bytes(info, r));
    BN_TRY(bn_record_write(small, info, &r->o, c));
done:
    return rc;
}

bonsai_status bn_run_picked(bonsai_graph **out, bonsai_condense_info *info, const bn_request *r)
{
    bonsai_status rc;
    bn_choice c = {0};
    bonsai_graph *small = NULL;
    const bn_method *m = bn_method_of(r->o.method);
    bn_job *job = &r->p->job;
    bn_world *w = job->at.world;
    BN_TRY(m->pick(&c, job, &r->budget));
    bn_enter(&job->at, BN_STAGE_FINISH);
    BN_TRY(bn_induce(&small, job, c.node, c.count));
    if (bn_rank(w) == 0)
        rc = finish_picked(small, info, r, &c);
    BN_TRY(bn_agree(w, rc));
    BN_TRY(bn_share(w, info, sizeof *info, 0));
    *out = small;
    small = NULL;
done:
    bonsai_graph_free(small);
    bn_choice_free(&c);
    return rc;
}

double bn_full_in_bits(const bn_request *r, int bits)
{
    const bn_sizes *s = &r->p->sizes;
    return bits == 4 ? s->rounded4 : bits == 8 ? s->rounded : s->strict;
}

/* ---- made nodes ---- */

static void set_recipe(bonsai_condense_info *i, const bn_recipe *r)
{
    bn_fact_set(i, BN_FACT_RECIPE_NODES, (double)r->nodes);
    bn_fact_print(i, BN_FACT_ROWS, "%s", r->rows);
    bn_fact_set(i, BN_FACT_ENTRIES, (double)r->t);
    bn_fact_set(i, BN_FACT_COLUMNS, r->columns);
    bn_fact_set(i, BN_FACT_BITS, r->bits);
    bn_fact_set(i, BN_FACT_VALUES, r->type);
    bn_fact_set(i, BN_FACT_SOFT, r->soft);
    bn_fact_set(i, BN_FACT_WEIGHTED, r->weighted);
    bn_fact_set(i, BN_FACT_RECIPE_LAYERS, r->layers);
    bn_fact_set(i, BN_FACT_PROBE, r->probe);
    bn_fact_set(i, BN_FACT_JUDGED, (double)r->judged);
    bn_fact_set(i, BN_FACT_CANDIDATES, (double)r->candidates);
    bn_fact_set(i, BN_FACT_FINALISTS, r->finalists);
    bn_fact_set(i, BN_FACT_TRAINED, r->trained);
    bn_fact_set(i, BN_FACT_DIRECTIONS, (double)r->directions);
}

static bonsai_status finish_made(bonsai_graph *small, bonsai_condense_info *info,
                                 const bn_request *q, const bn_recipe *r)
{
    bonsai_status rc;
    BN_TRY(bn_fill_sizes(info, q, small));
    set_recipe(info, r);
    if (info->probe_full >= 0 && r->full > info->probe_full)
        info->probe_full = r->full;             /* by the same probe as the small graph */
    bn_fact_set(info, BN_FACT_LOSSLESS_RATIO, info->bytes / bn_full_in_bits(q, r->bits));
    BN_TRY(bn_check_bytes(info, q));
    BN_TRY(bn_record_write(small, info, &q->o, NULL));
done:
    return rc;
}

/* Makes the graph on every rank, which fills the facts by itself. */
bonsai_status bn_run_made(bonsai_graph **out, bonsai_condense_info *info, const bn_request *q)
{
    bonsai_status rc;
    bn_recipe r;
    bonsai_graph *small = NULL;
    const bn_job *job = &q->p->job;
    BN_TRY(bn_method_of(q->o.method)->make(&small, &r, job, &q->budget));
    bn_enter(&job->at, BN_STAGE_FINISH);
    BN_TRY(bn_agree(job->at.world, finish_made(small, info, q, &r)));
    *out = small;
    small = NULL;
done:
    bonsai_graph_free(small);
    return rc;
}
