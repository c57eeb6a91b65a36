/* make.c -- the small graph of one request and its record: of nodes that a method picks, or of nodes
 * that it makes.
 *
 * Over several ranks nodes are picked on rank 0, which then has the graph of them; those that are
 * made are on every rank alike.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods.h"
#include "record/record.h"

/* ---- what is told of any graph ---- */

bonsai_status bn_fill_sizes(bonsai_condense_info *i, const bn_request *r,
                            const bonsai_graph *small)
{
    bonsai_status rc;
    const bn_preparation *p = r->p;
    bonsai_condense_info_init(i);
    i->method = r->o.method;
    i->seed = r->o.seed;
    i->input_crc32 = p->crc;
    snprintf(i->version, sizeof i->version, "%s", BONSAI_VERSION);
    i->nodes = small->view.nodes;
    i->edges = bonsai_graph_edges(small);
    i->features = small->view.features;
    for (int64_t v = 0; v < i->nodes; v++)
        i->labelled += bn_label(small, v) >= 0;
    i->full_nodes = p->full->view.nodes;
    i->full_edges = bonsai_graph_edges(p->full);
    i->full_labelled = p->full_labelled;
    i->full_bytes = p->sizes.strict;
    i->paper_full_bytes = p->sizes.paper;
    BN_TRY(bonsai_graph_bytes(&i->bytes, small, BONSAI_ACCOUNTING_STRICT));
    BN_TRY(bonsai_graph_bytes(&i->paper_bytes, small, BONSAI_ACCOUNTING_PAPER_CONDENSED));
    i->ratio = i->bytes / i->full_bytes;
    i->paper_ratio = i->paper_bytes / i->paper_full_bytes;
    i->budget = isfinite(r->budget.bytes) ? r->budget.bytes : 0;
    i->trees = p->job.trees;
    i->layers = r->o.layers;
    i->coverage = i->coverage_check = i->coverage_bound = -1;
    i->recall = 1;
    i->whole_trees = -1;
    i->probe = i->probe_other = -1;
    i->probe_full = p->probe_full;
    i->probe_fitted = p->probe_fitted;
    *(p->job.held ? &i->probe_held : &i->probe_val) = p->job.judge.far.rows;
    i->probe_idle = -1;
    if (p->job.probe) {
        i->metric = bn_probe_merit(p->job.probe)->aim;
        i->probe_idle = bn_probe_merit(p->job.probe)->idle;
    }
done:
    return rc;
}

/* The price that was kept must be that of the graph.  It is, unless the input says that it is
 * undirected and is not, which several ranks look for only now that it has done harm. */
bonsai_status bn_check_bytes(const bonsai_condense_info *i, const bn_request *r)
{
    const bonsai_graph *full = r->p->full;
    double bytes = r->o.accounting == BONSAI_ACCOUNTING_STRICT ? i->bytes : i->paper_bytes;
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
    static const bonsai_section gone[] = {
        BONSAI_SECTION_SPLIT, BONSAI_SECTION_SOFT_LABELS, BONSAI_SECTION_NODE_WEIGHTS,
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
    BN_TRY(bn_fill_sizes(i, r, small));
    for (int64_t v = 0; v < i->nodes; v++)
        i->roots += c->role[v] == BONSAI_ROLE_ROOT;
    i->k = r->o.k;
    i->rounds = c->rounds;
    i->shallow_classes = c->shallow_classes;
    i->whole_trees = c->whole;
    i->rechecks = c->rechecks;
    i->recall = p->job.projected ? p->job.recall : 1;
    if (!covers || p->job.z == 0)
        goto done;
    i->sample = p->job.z;
    i->coverage = c->coverage;
    i->coverage_bound = c->coverage_bound;
    BN_TRY(check_coverage(&i->coverage_check, &p->job, c));
done:
    return rc;
}

bonsai_status bn_fill_picked(bonsai_graph *small, bonsai_condense_info *info, const bn_request *r,
                             const bn_choice *c)
{
    bonsai_status rc = finish_graph(small, c);
    return rc == BONSAI_OK ? fill_choice(info, r, c, small) : rc;
}

/* On rank 0, which has the graph. */
static bonsai_status finish_picked(bonsai_graph *small, bonsai_condense_info *info,
                                   const bn_request *r, const bn_choice *c)
{
    bonsai_status rc;
    BN_TRY(bn_fill_picked(small, info, r, c));
    BN_TRY(bn_check_bytes(info, r));
    BN_TRY(bn_record_picked(small, info, &r->o, c));
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

static bonsai_status finish_made(bonsai_graph *small, bonsai_condense_info *info,
                                 const bn_request *q, const bn_recipe *r)
{
    bonsai_status rc;
    BN_TRY(bn_fill_sizes(info, q, small));
    info->entries = (int)r->t;
    info->directions = (int)r->directions;
    info->values = r->type;
    info->probe = r->probe;
    if (info->probe_full >= 0 && r->full > info->probe_full)
        info->probe_full = r->full;             /* by the same probe as the small graph */
    info->lossless_ratio = info->bytes / bn_full_in_bits(q, r->bits);
    BN_TRY(bn_check_bytes(info, q));
    BN_TRY(bn_record_prototypes(small, info, &q->o, r));
done:
    return rc;
}

/* Every rank has the graph, and fills the rest in by itself. */
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
