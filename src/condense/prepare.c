/* prepare.c -- the input checked and measured, its trees embedded, neighbours found.
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

/* What needs the whole graph in one place stays on one machine. */
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

/* The ranks' nodes; one alone has them all. */
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

/* What is drawn stands in the options, and so in the report. */
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

/* All trees, and where those of each rank begin. */
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

/* The training part with its unlabelled nodes, which pass messages; trees are those of
 * labelled ones, as before. */
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

/* z trees of all without replacement, ascending. */
static bonsai_status draw(int32_t **out, int64_t trees, int64_t z, uint64_t seed)
{
    bonsai_status rc;
    uint8_t *taken = NULL;
    BN_TRY(BN_NEW(out, z));
    BN_TRY(BN_NEW(&taken, trees));
    BN_TRY(bn_rng_pick(taken, trees, z, seed));
    for (int64_t t = 0, i = 0; t < trees; t++)
        if (taken[t])
            (*out)[i++] = (int32_t)t;
done:
    bn_free(taken);
    return rc;
}

static bn_roots roots_of(const bn_preparation *p)
{
    const bn_job *job = &p->job;
    return (bn_roots){job->g, job->train, job->trees, job->tree_first, p->o.layers};
}

static bonsai_status nearest(int32_t *list, bn_preparation *p, const int32_t *sample, int64_t z)
{
    const bn_job *job = &p->job;
    const bn_sample s = {sample, z};
    const bn_sharded x = {.e = &job->x, .first = job->tree_first, .at = &job->at};
    const bn_roots roots = roots_of(p);
    if (p->projected)
        return bn_project_knn(list, &job->x, &roots, &s, p->o.k, &job->at);
    return bn_knn(list, NULL, &x, &s, p->o.k, &p->work);
}

/* Two samples, both one after the other, and room for the neighbours of both. */
static bonsai_status draw_samples(int32_t **both, int32_t **list, bn_preparation *p)
{
    bonsai_status rc;
    bn_job *job = &p->job;
    const bonsai_condense_options *o = &p->o;
    job->z = bn_needs_sample(o, job->trees);
    p->checks = job->trees < BN_CHECK_SAMPLE ? job->trees : BN_CHECK_SAMPLE;
    BN_TRY(draw(&job->sample, job->trees, job->z, o->seed));
    BN_TRY(draw(&p->check, job->trees, p->checks, o->seed + 1));
    BN_TRY(BN_NEW(both, job->z + p->checks));
    BN_TRY(BN_NEW(list, (job->z + p->checks) * o->k));
    BN_TRY(BN_NEW(&p->check_list, p->checks * o->k));
    memcpy(*both, job->sample, (size_t)job->z * sizeof **both);
    memcpy(*both + job->z, p->check, (size_t)p->checks * sizeof **both);
done:
    return rc;
}

/* Reverse k-NN of the sample, and the k-NN of a second one to check the cover with. */
static bonsai_status find_neighbours(bn_preparation *p)
{
    bonsai_status rc;
    bn_job *job = &p->job;
    const bonsai_condense_options *o = &p->o;
    int32_t *both = NULL, *list = NULL;
    bn_world *w = job->at.world;
    bn_enter(&job->at, BN_STAGE_KNN);
    BN_TRY(bn_agree(w, draw_samples(&both, &list, p)));
    const bool all = job->z == job->trees;      /* the second sample is part of the first */
    BN_TRY(nearest(list, p, both, all ? job->z : job->z + p->checks));
    for (int64_t i = 0; i < p->checks; i++)
        memcpy(p->check_list + i * o->k, list + (all ? p->check[i] : job->z + i) * o->k,
               (size_t)o->k * sizeof *list);
    const bn_sample sample = {job->sample, job->z};
    const bn_roots roots = roots_of(p);
    if (bn_rank(w) == 0)
        rc = bn_rknn(&job->rknn, job->trees, &sample, list, o->k);
    BN_TRY(bn_agree(w, rc));
    if (p->projected)
        BN_TRY(bn_project_recall(&p->recall, list, &roots, &sample, o->k, &job->at));
done:
    bn_free(both);
    bn_free(list);
    return rc;
}

/* Empty lists: the cover then goes through the trees at random. */
static bonsai_status no_neighbours(bn_job *job)
{
    job->rknn.count = job->trees;
    bonsai_status rc = BN_NEW(&job->rknn.offsets, job->trees + 1);
    return rc != BONSAI_OK ? rc : BN_NEW(&job->rknn.item, 0);
}

/* The trees of this rank. */
static bn_nodes own_trees(const bn_job *job)
{
    int r = bn_rank(job->at.world);
    return (bn_nodes){job->train + job->tree_first[r], job->tree_first[r + 1] - job->tree_first[r]};
}

/* What the embedding says of its making. */
static void note_embedding(bn_preparation *p, const bn_embedding *e)
{
    p->panel = e->columns > 0 ? e->columns : p->panel;
}

static bonsai_status embed(bn_preparation *p)
{
    bn_job *job = &p->job;
    bool raw = p->o.raw_features && (p->needs & BN_TAKES_RAW);
    const bn_nodes own = own_trees(job);
    bonsai_status rc;
    bn_enter(&job->at, BN_STAGE_WL);
    p->projected = p->o.project > 0 && p->o.project < job->g->view.features &&
                   (p->needs & BN_TAKES_PROJECT) && !p->o.no_rknn;
    if (p->projected)
        rc = bn_project(&job->x, job->g, &own, p->o.layers,
                        (bn_projection){p->o.project, p->o.seed}, &job->at);
    else
        rc = bn_embed(&job->x, job->g, &own, BN_RULE_WL, raw ? 0 : p->o.layers, &job->at);
    note_embedding(p, &job->x);
    return rc;
}

/* Prototypes have an embedding of their own, of the features that were selected, and rows to
 * judge candidates on. */
static bonsai_status embed_otherwise(bn_preparation *p)
{
    bn_enter(&p->job.at, BN_STAGE_WL);
    bn_judge_forget(&p->job);
    bonsai_status rc = bn_judge_embed(&p->job);
    note_embedding(p, &p->job.around);
    note_embedding(p, &p->job.x);
    if (rc != BONSAI_OK || p->plain)
        return rc;
    return bn_outlook_worth(&p->probe_full, &p->probe_fitted, &p->job);
}

/* ---- all of it ---- */

/* What has to be read of the whole graph but its embeddings. */
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
    if (bn_ranks(at->world) == 1)       /* on several it is looked for if it has done harm */
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

/* Goes on with the features that a CART classifier splits on; embeddings and neighbours
 * are those of all features. */
static bonsai_status select_features(bn_preparation *p)
{
    bonsai_status rc;
    bn_job *job = &p->job;
    int32_t *label = NULL, *kept = NULL;
    int64_t count;
    bn_enter(&job->at, BN_STAGE_WL);
    if (p->projected)           /* it is no longer needed; the classifier wants all features */
        bn_embedding_free(&job->x);
    if (job->x.rows == 0)
        BN_TRY(bn_embed(&job->x, job->g, &(bn_nodes){job->train, job->trees}, BN_RULE_WL,
                        p->o.layers,
                        &(bn_place){.threads = job->at.threads, .progress = job->at.progress}));
    BN_TRY(BN_NEW(&label, job->trees));
    for (int64_t t = 0; t < job->trees; t++)
        label[t] = bn_label(job->g, job->train[t]);
    BN_TRY(bn_cart(&kept, &count, &job->x,
                   &(bn_cart_task){.label = label, .classes = job->g->view.classes}, &job->at));
    BN_TRY(bn_graph_columns(&p->columns, job->g, kept, count));
    job->g = p->columns;
done:
    bn_free(label);
    bn_free(kept);
    return rc;
}

/* Whether neighbours are to be found. */
static bonsai_status check_cover(bn_preparation *p)
{
    p->covers = (p->needs & BN_NEEDS_COVER) && !p->o.no_rknn;
    if (!p->covers || p->o.k < p->job.trees)
        return BONSAI_OK;
    p->covers = false;
    if (p->needs & BN_TRIES_OTHERS)     /* it goes on without a cover, and says so */
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_ARGUMENT, p->full->where, "k is %d but there are %lld trees: k must "
                      "be smaller", p->o.k, (long long)p->job.trees);
}

static bonsai_status find_cover(bn_preparation *p)
{
    bonsai_status rc;
    if (p->covers || (p->needs & BN_NEEDS_WL))
        BN_TRY(embed(p));
    if (p->covers)
        BN_TRY(find_neighbours(p));
    else
        BN_TRY(bn_agree(p->job.at.world, no_neighbours(&p->job)));
done:
    return rc;
}

/* Whether the cover waits until it is known that somebody wants it.  Selected features are those of
 * all others: neighbours must be found before. */
static bool waits(const bn_preparation *p)
{
    return (p->needs & BN_TRIES_OTHERS) && !p->o.select_features;
}

/* Adds to the clock what embedding and searching late took, times a factor. */
static void add_late(bn_clock *to, const bn_clock *late, double factor)
{
    static const bn_stage stages[] = {BN_STAGE_WL, BN_STAGE_KNN};
    for (int i = 0; i < 2; i++)
        to->seconds[stages[i]] += factor * late->seconds[stages[i]];
}

bonsai_status bn_prepare_cover(bn_preparation *p, bool again)
{
    bonsai_status rc = BONSAI_OK;
    bn_job *job = &p->job;
    if (!waits(p))
        return BONSAI_OK;
    if (p->covered) {
        if (job->at.clock)
            add_late(job->at.clock, &p->late, 1);
        return BONSAI_OK;
    }
    bn_embedding made = job->x;
    memset(&job->x, 0, sizeof job->x);
    if (!again) {
        bn_embedding_free(&made);
        bn_embedding_free(&job->own);
        bn_embedding_free(&job->around);
    }
    if (job->at.clock)
        add_late(&p->late, job->at.clock, -1);
    BN_TRY(find_cover(p));
    bn_enter(&job->at, BN_STAGE_COVER);
    if (job->at.clock)
        add_late(&p->late, job->at.clock, 1);
    p->covered = true;
done:
    bn_embedding_free(&job->x);
    job->x = made;
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
    BN_TRY(check_cover(p));
    if (!waits(p))
        BN_TRY(find_cover(p));
    if (p->o.select_features)
        BN_TRY(select_features(p));
    if (needs & BN_NEEDS_JUDGE)
        BN_TRY(embed_otherwise(p));
    if (needs & BN_REDOES)
        BN_TRY(bn_method_of(p->o.method)->prepare(p));
done:
    return rc;
}

void bn_preparation_free(bn_preparation *p)
{
    forget_training(&p->job);
    bn_free(p->first);
    bn_free(p->job.sample);
    bn_lists_free(&p->job.rknn);
    bn_judge_forget(&p->job);
    bn_free(p->check);
    bn_free(p->check_list);
    bonsai_graph_free(p->split);
    bonsai_graph_free(p->part);
    bonsai_graph_free(p->columns);
    if (p->own)
        bn_method_of(p->o.method)->forget(p->own);
}
