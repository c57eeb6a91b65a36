/* judgesplit.c -- finds the split that a pair of graphs is judged by: training and judging nodes.
 *
 * A small graph must be judged on nodes that it was not made of.  If condensing drew a split, it is
 * drawn again from the seed in the record.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "record.h"

/* Reads the split that condensing drew, if it was of a graph of full's size. */
static bonsai_status read_split(bn_judge_split *p, const bonsai_graph *small,
                                const bonsai_graph *full)
{
    bn_record made;
    bonsai_status rc = bn_record_read(&made, small);
    if (rc != BONSAI_OK || !made.known || made.info.full_nodes != full->view.nodes ||
        !bn_split_is_asked(made.o.split))
        return rc;
    memcpy(p->percent, made.o.split, sizeof p->percent);
    p->seed = made.o.seed;
    p->from = BONSAI_SPLIT_CONDENSED;
    return BONSAI_OK;
}

bonsai_status bn_judge_split_of(bonsai_graph **drawn, bn_judge_split *p, const bonsai_graph *small,
                                const bonsai_graph *full)
{
    bonsai_status rc;
    *drawn = NULL;
    const bool asked = bn_split_is_asked(p->percent);
    p->from = asked && !bn_split_is_own(p->percent) ? BONSAI_SPLIT_ASKED : BONSAI_SPLIT_OWN;
    if (!asked && small && small != full)
        BN_TRY(read_split(p, small, full));
    BN_TRY(bn_graph_parts(drawn, full, p->percent, p->seed));
    if (!*drawn)
        p->seed = 0;
    else if (p->from == BONSAI_SPLIT_OWN)
        p->from = bn_has(full, BONSAI_SECTION_ROLE) ? BONSAI_SPLIT_NONE : BONSAI_SPLIT_DRAWN;
done:
    return rc;
}

bonsai_status bn_judge_split_leaks(int64_t *leaks, const bonsai_graph *small,
                                   const bonsai_graph *full)
{
    const bonsai_array *ids = &small->view.section[BONSAI_SECTION_ORIGIN];
    int32_t *node = NULL;
    *leaks = 0;
    if (!ids->data)
        return BONSAI_OK;
    bonsai_status rc = BN_NEW(&node, ids->count);
    if (rc == BONSAI_OK)
        rc = bn_numbers_find(node, ids->data, ids->count, full);
    for (int64_t v = 0; rc == BONSAI_OK && v < ids->count; v++) {
        if (bn_label(small, v) < 0 || node[v] < 0)
            continue;
        bonsai_part part = bn_part(full, node[v]);
        *leaks += part == BONSAI_PART_VAL || part == BONSAI_PART_TEST;
    }
    bn_free(node);
    return rc;
}
