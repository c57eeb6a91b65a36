/* training.h -- graphs and options for the tests of training.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TRAINING_H
#define BN_TRAINING_H

#include <math.h>
#include <stdlib.h>

#include "train/model.h"
#include "random_graph.h"

/* A graph with a 60/20/20 split that a model can learn. */
static inline bonsai_graph *made_graph(int64_t nodes, int64_t features, int dense)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = features;
    o.classes = 3;
    o.words = 8;
    o.dense = dense;
    o.threads = 1;
    o.seed = 5;
    if (bonsai_graph_generate(&g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

/* Options for a small, fast run. */
static inline bonsai_train_options quick(bonsai_model_kind model)
{
    bonsai_train_options o;
    bonsai_train_options_init(&o);
    o.model = model;
    o.hidden = 16;
    o.heads = 2;
    o.epochs = 40;
    o.every = 5;
    o.seeds = 1;
    o.threads = 1;
    return o;
}

static inline bonsai_training *trained(const bonsai_graph *small, const bonsai_graph *full,
                                       const bonsai_train_options *o)
{
    bonsai_training *t = NULL;
    if (bonsai_train(&t, small, full, o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return t;
}

/* A copy of g's view, whose sections the test may change. */
static inline bonsai_view view_of(const bonsai_graph *g)
{
    return *bonsai_graph_view(g);
}

static inline bonsai_graph *graph_of(const bonsai_view *v)
{
    bonsai_graph *g = NULL;
    if (bonsai_graph_new(&g, v, 1) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static inline void set_section(bonsai_view *v, bonsai_section s, bonsai_type t, const void *data,
                               int64_t count)
{
    v->section[s] = (bonsai_array){data, count, t};
}

/* The nodes for which p is true, as a graph of their own without a split. */
static inline bonsai_graph *cut_graph(const bonsai_graph *g,
                                      bool (*p)(const bonsai_graph *, int64_t))
{
    int32_t *node = malloc((size_t)g->view.nodes * sizeof *node);
    bonsai_graph *part = NULL;
    int64_t count = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (p(g, v))
            node[count++] = (int32_t)v;
    if (bonsai_graph_induce(&part, g, node, count) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    free(node);
    bonsai_view v = view_of(part);
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){0};
    bonsai_graph *out = graph_of(&v);
    bonsai_graph_free(part);
    return out;
}

static inline bool is_training(const bonsai_graph *g, int64_t v)
{
    return bn_part(g, v) == BONSAI_PART_TRAIN;
}

#endif
