/* prototyping.h -- graphs and options for the tests of prototypes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PROTOTYPING_H
#define BN_PROTOTYPING_H

#include "condensing.h"

static inline void small_options(bonsai_condense_options *o, uint64_t seed)
{
    bonsai_condense_options_init(o);
    o->method = BONSAI_METHOD_PROTOTYPES;
    o->accounting = seed / 2 % 2 ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
    o->layers = (int)(seed % 4);
    o->hard_labels = seed % 5 == 0;
    o->no_validation = seed % 3 == 0;
    o->inductive = seed % 7 == 0;
    o->members = seed % 2 == 0;
    o->threads = 1;
    o->seed = seed;
}

static inline bonsai_graph *generated(int64_t nodes, int dense)
{
    bonsai_generate_options how;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&how);
    how.nodes = nodes;
    how.features = 60;
    how.classes = 4;
    how.words = 8;
    how.dense = dense;
    if (bonsai_graph_generate(&g, &how) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static inline bool has_every_class(const bonsai_graph *small, const bonsai_graph *g)
{
    for (int64_t c = 0; c < g->view.classes; c++) {
        bool found = in_class(g, c) == 0;
        for (int64_t v = 0; v < small->view.nodes; v++)
            found |= bn_label(small, v) == c;
        if (!found)
            return false;
    }
    return true;
}

#endif
