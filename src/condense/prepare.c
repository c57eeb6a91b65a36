/* prepare.c -- checks and measures the input, and makes the embeddings that all budgets share.
 *
 * SPDX-License-Identifier: MIT */
#include "prepare.h"

#include <stdio.h>
#include <string.h>

#include "methods.h"
#include "needs.h"
#include "prototypes/judge.h"
#include "record/record.h"

enum { MEGABYTE = 1 << 20, SMALL_ARRAY = MEGABYTE, MOST_CLASSES = 65536,
       MOST_FEATURES = 1 << 26 };

/* ---- the input ---- */

static bonsai_status need_input(const bonsai_graph *g, const bn_place *at)
{
    bonsai_status rc;
    BN_TRY(bn_graph_need_at(g, BN_ALL_SECTIONS, at));
    if (g->view.flags & BONSAI_FLAG_DIRECTED)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "is directed; read it without keeping "
                          "directions to condense it");
    if (g->view.flags & BONSAI_FLAG_OPERATOR)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "its edge weights are an operator, not "
                          "weights of edges; condense the graph that it was made of");
    if (!bn_has(g, BONSAI_SECTION_LABELS) || g->view.classes == 0)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "has no labels, and condensing reads those "
                          "of the training nodes");
    if (g->view.classes > MOST_CLASSES)     /* a header may say anything; tables have a row each */
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "has %lld classes; at most %d can be "
                          "condensed", (long long)g->view.classes, MOST_CLASSES);
    if (g->view.features > MOST_FEATURES)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "has %lld features; at most %d can be "
                          "condensed", (long long)g->view.features, MOST_FEATURES);
    if (g->view.features == 0)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "has no features; give every node some, "
                          "such as its degree or a one-hot id");
done:
    return rc;
}

/* Fails on several ranks if the method or an option needs the whole graph in one place. */
static bonsai_status check_ranks(const bn_preparation *p, const bonsai_graph *g)
{
    const bonsai_condense_options *o = &p->o;
    int ranks = bn_ranks(p->job.at.world);
    bonsai_status rc;
    if (ranks == 1)
        return BONSAI_OK;
    if (ranks > g->view.nodes)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "has %lld nodes, fewer than the %d ranks: "
                          "start no more ranks than nodes", (long long)g->view.nodes, ranks);
    BN_TRY(bn_method_on_ranks(o->method));
    if (o->inductive || o->select_features)
        return bn_fail(BONSAI_E_ARGUMENT, "%s runs on one rank only",
                       o->inductive ? "inductive" : "selecting features");
done:
    return rc;
}

/* Finds the nodes of each rank; one rank has all nodes. */
static bonsai_status part_nodes(bn_preparation *p, const bonsai_graph *g)
{
    bonsai_status rc;
    bn_place *at = &p->job.at;
    BN_TRY(check_ranks(p, g));
    if (bn_ranks(at->world) == 1)
        goto done;
    BN_TRY(bn_blocks_new(&p->first, g, at));
    at->first = p->first;
done:
    return rc;
}

/* Draws the split of the options, if they ask for one. */
static bonsai_status choose_split(bn_preparation *p, const bonsai_graph *g)
{
    bonsai_status rc = bn_graph_parts(&p->split, g, p->o.split, p->o.seed);
    p->full = p->split ? p->split : g;
    return rc;
}

static bool is_tree(const bonsai_graph *g, int64_t v)
{
    return bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) >= 0;
}

/* Lists all trees, and where those of each rank begin. */
static bonsai_status list_training(bn_job *job, const bonsai_graph *g)
{
    bonsai_status rc;
    const bn_place *at = &job->at;
    int64_t n = g->view.nodes;
    int ranks = bn_ranks(at->world);
    job->trees = 0;
    for (int64_t v = 0; v < n; v++)
        job->trees += is_tree(g, v);
    BN_TRY(BN_NEW(&job->tree_first, ranks + 1));
    BN_TRY(BN_BIG(&job->train, at->memory, job->trees));
    for (int64_t v = 0, t = 0, r = 0; v < n; v++) {
        while (v == (ranks > 1 ? at->first[r] : 0) && r < ranks)
            job->tree_first[r++] = t;
        if (is_tree(g, v))
            job->train[t++] = (int32_t)v;
    }
    job->tree_first[ranks] = job->trees;
    if (job->trees == 0)
        rc = bn_fail_at(BONSAI_E_ARGUMENT, g->where, "no labelled node is in the training part");
done:
    return rc;
}

static void forget_training(bn_job *job)
{
    bn_big_free(job->train);
    bn_free(job->tree_first);
    job->train = NULL;
    job->tree_first = NULL;
}

/* Cuts the graph to the training part with its unlabelled nodes, which pass messages; trees are
 * those of labelled nodes, as before. */
static bonsai_status cut_to_training(bn_preparation *p)
{
    bonsai_status rc;
    int32_t *part = NULL;
    int64_t count = 0;
    BN_TRY(BN_NEW(&part, p->full->view.nodes));
    for (int64_t v = 0; v < p->full->view.nodes; v++)
        if (bn_part(p->full, v) == BONSAI_PART_TRAIN)
            part[count++] = (int32_t)v;
    BN_TRY(bonsai_graph_induce(&p->part, p->full, part, count));
    p->job.g = p->part;
    forget_training(&p->job);
    BN_TRY(list_training(&p->job, p->part));
done:
    bn_free(part);
    return rc;
}

/* Embeds the nodes that prototypes are made of, with the selected features, and the rows that judge
 * candidates; measures the full graph by the probe. */
static bonsai_status embed_views(bn_preparation *p)
{
    bn_job *job = &p->job;
    bn_enter(&job->at, BN_STAGE_WL);
    bonsai_status rc = bn_judge_embed(job);
    const bn_embedding *last = job->far.columns > 0 ? &job->far : &job->around;
    job->columns = last->columns > 0 ? last->columns : job->columns;
    if (rc != BONSAI_OK || p->plain)
        return rc;
    return bn_fullprobe(&p->probe_full, &p->probe_fitted, job);
}

/* ---- all of it ---- */

/* Checks and measures the whole graph: all that is read of it but its embeddings. */
static bonsai_status measure(bn_preparation *p, const bonsai_graph *g)
{
    bonsai_status rc;
    bn_job *job = &p->job;
    bn_place *at = &job->at;
    enum { PASSES = 3 };
    BN_TRY(bn_tick(job->at.progress, "measuring", 0, PASSES));
    BN_TRY(part_nodes(p, g));
    BN_TRY(need_input(g, at));
    BN_TRY(bn_agree(at->world, choose_split(p, g)));
    BN_TRY(bn_agree(at->world, list_training(job, p->full)));
    BN_TRY(bn_agree(at->world, bn_prepare_memory(p)));
    if (bn_ranks(at->world) == 1)       /* on several ranks: bn_check_bytes */
        BN_TRY(bn_graph_need_at(g, BN_SYMMETRY, at));
    BN_TRY(bn_tick(job->at.progress, "measuring", 1, PASSES));
    BN_TRY(bn_graph_sizes(&p->sizes, g, at));
    BN_TRY(bn_tick(job->at.progress, "measuring", 2, PASSES));
    BN_TRY(bn_fingerprint(&p->crc, p->full, &p->sizes.traits, job->train, job->trees, at));
    BN_TRY(bn_graph_labelled(&p->full_labelled, g, at));
    BN_TRY(bn_tick(job->at.progress, "measuring", PASSES, PASSES));
done:
    return rc;
}

/* Returns whether the method, or one that it tries, reads the embeddings of trees. */
static bool compares_trees(const bn_preparation *p)
{
    const bool covers = (p->needs & BN_NEEDS_COVER) && !p->o.no_rknn && p->o.k < p->job.trees;
    return covers || (p->needs & BN_NEEDS_WL);
}

/* Refuses a k as large as the number of trees, unless the method tries others: it then continues
 * without a cover, and reports that. */
static bonsai_status check_neighbours(const bn_preparation *p)
{
    if (!(p->needs & BN_NEEDS_COVER) || (p->needs & BN_TRIES_OTHERS) || p->o.no_rknn ||
        p->o.k < p->job.trees)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_ARGUMENT, p->full->where, "k is %d but there are %lld trees: k must "
                      "be smaller", p->o.k, (long long)p->job.trees);
}

/* Embeds the trees with all features, in the job if its method compares them. */
static bonsai_status embed_trees(const bn_embedding **rows, bn_embedding *own, bn_preparation *p)
{
    bn_job *job = &p->job;
    bonsai_status rc;
    if (compares_trees(p) && !job->projected) {
        rc = bn_embed_rows(job);
        job->seconds_wl = 0;            /* counted in every budget's seconds */
        *rows = &job->wl;
        return rc;
    }
    *rows = own;
    return bn_embed(own, job->g, &(bn_nodes){job->train, job->trees}, BN_RULE_WL, p->o.layers,
                    &(bn_place){.threads = job->at.threads, .progress = job->at.progress});
}

/* Selects the features that a CART classifier splits on; neighbours are found with all features. */
static bonsai_status select_features(bn_preparation *p)
{
    bonsai_status rc;
    bn_job *job = &p->job;
    bn_embedding own = {0};
    const bn_embedding *rows;
    int32_t *label = NULL, *kept = NULL;
    int64_t count;
    bn_enter(&job->at, BN_STAGE_WL);
    BN_TRY(embed_trees(&rows, &own, p));
    BN_TRY(BN_NEW(&label, job->trees));
    for (int64_t t = 0; t < job->trees; t++)
        label[t] = bn_label(job->g, job->train[t]);
    BN_TRY(bn_cart(&kept, &count, rows,
                   &(bn_cart_task){.label = label, .classes = job->g->view.classes}, &job->at));
    BN_TRY(bn_graph_columns(&p->columns, job->g, kept, count));
    job->g = p->columns;
    if (p->needs & BN_NEEDS_JUDGE)      /* these embed again, and trees only if they can win */
        bn_embedding_free(&job->wl);
done:
    bn_embedding_free(&own);
    bn_free(label);
    bn_free(kept);
    return rc;
}

bonsai_status bn_prepare(bn_preparation *p, const bonsai_graph *g, unsigned needs)
{
    bonsai_status rc;
    bn_job *job = &p->job;
    p->needs = needs;
    p->program = bn_needs_program();
    p->process = bn_memory_process();
    p->probe_full = -1;
    job->o = &p->o;
    const bn_world *w = job->at.world;
    job->at.threads = bn_threads(p->o.threads > 0 || !w ? p->o.threads : w->threads);
    job->at.progress = (bn_progress){p->o.progress, p->o.payload};
    p->memory.limit = INT64_MAX;        /* until it is known what is needed */
    p->memory.small = SMALL_ARRAY;
    job->at.memory = &p->memory;
    BN_TRY(measure(p, g));
    job->g = p->full;
    if (p->o.inductive)
        BN_TRY(cut_to_training(p));
    job->whole = job->g;
    job->raw = p->o.raw_features && (needs & BN_TAKES_RAW);
    job->projected = p->o.project > 0 && p->o.project < job->g->view.features &&
                     (needs & BN_TAKES_PROJECT) && !p->o.no_rknn;
    BN_TRY(check_neighbours(p));
    if (p->o.select_features)
        BN_TRY(select_features(p));
    if (needs & BN_NEEDS_JUDGE)
        BN_TRY(embed_views(p));
    if (needs & BN_REDOES)
        BN_TRY(bn_method_of(p->o.method)->prepare(p));
done:
    return rc;
}

void bn_preparation_free(bn_preparation *p)
{
    forget_training(&p->job);
    bn_free(p->first);
    bn_forget_represented(&p->job);
    bn_judge_forget(&p->job);
    bonsai_graph_free(p->split);
    bonsai_graph_free(p->part);
    bonsai_graph_free(p->columns);
    if (p->own)
        bn_method_of(p->o.method)->forget(p->own);
}
