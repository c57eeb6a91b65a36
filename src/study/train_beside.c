/* train_beside.c -- what a model gets from the full graph, to set beside what it gets from a small
 * one.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/base.h"
#include "graph/graph.h"
#include "options/options.h"

bonsai_status bonsai_train_beside(bonsai_training **out, const bonsai_training *small,
                                  const bonsai_graph *full, const bonsai_train_options *given)
{
    bonsai_status rc;
    bonsai_train_options o;
    bonsai_graph *drawn = NULL;
    if (BN_NO_PLACE(out) || bn_is_null(small, "the training") || bn_is_null(full, "the full graph"))
        return BONSAI_E_ARGUMENT;
    const bonsai_train_info *i = bonsai_training_info(small);
    BN_TRY(BN_OPTIONS(&o, given, train));
    if (i->split_from != BONSAI_SPLIT_OWN && i->split_from != BONSAI_SPLIT_NONE)
        BN_TRY(bonsai_graph_split(&drawn, full, i->split, i->split_seed));
    o.model = i->model;
    memset(o.split, 0, sizeof o.split);
    BN_TRY(bonsai_train(out, drawn ? drawn : full, NULL, &o));
done:
    bonsai_graph_free(drawn);
    return rc;
}
