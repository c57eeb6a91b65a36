/* studying.h -- a graph and training options small enough for the many runs of a study.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_STUDYING_H
#define BN_STUDYING_H

#include "condensing.h"

static inline bonsai_graph *studied_graph(void)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 150;
    o.features = 20;
    o.words = 4;
    o.classes = 3;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

static inline bonsai_train_options studied_training(void)
{
    bonsai_train_options o;
    bonsai_train_options_init(&o);
    o.epochs = 3;
    o.seeds = 2;
    o.hidden = 8;
    return o;
}

#endif
