/* learning.h -- a generated graph and a problem on it, for the tests of methods that learn.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_LEARNING_H
#define BN_LEARNING_H

#include "condense/methods.h"
#include "learn/problem.h"
#include "testing.h"

typedef struct {
    bonsai_graph  *g;
    bn_preparation p;
    bn_problem      s;
} scene;

/* A graph of eight words a node, or of dense features. */
static inline bonsai_graph *learnable(int64_t nodes, int64_t features, int64_t classes, bool dense)
{
    bonsai_graph *g = NULL;
    bonsai_generate_options o;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = features;
    o.classes = classes;
    o.words = 8;
    o.dense = dense;
    o.threads = 1;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

/* A scene with this graph, which it frees, and the usual options of a method. */
static inline void scene_set(scene *v, bonsai_graph *g, bonsai_method method)
{
    memset(v, 0, sizeof *v);
    v->g = g;
    bonsai_condense_options_init(&v->p.o);
    v->p.o.threads = 1;
    v->p.o.method = method;
}

/* Begins a problem of so many nodes, with the options as they are now. */
static inline void scene_begin(scene *v, const bn_learner *how, int64_t nodes)
{
    v->p.o.nodes = nodes;
    assert_int_equal(bn_prepare(&v->p, v->g, BN_NEEDS_JUDGE), BONSAI_OK);
    if (how)
        assert_int_equal(bn_problem_new(&v->s, how, &v->p.job, nodes), BONSAI_OK);
}

/* Frees all of it. */
static inline void drop(scene *v)
{
    bn_problem_free(&v->s);
    bn_preparation_free(&v->p);
    bonsai_graph_free(v->g);
}

#endif
