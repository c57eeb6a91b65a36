/* rule.h -- averaging rules: a node's next row from its own and the sum of its neighbours' rows.
 *
 *   WL      half its own row, half the mean of its neighbours: the kernel that compares trees
 *   MEAN    the node counts as much as each of its neighbours, much as in GCN and GAT
 *   AROUND  the mean of its neighbours alone, which GraphSAGE uses beside the node's own row
 *
 * A node without neighbours keeps its row, or gets zeros with AROUND.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_RULE_H
#define BN_RULE_H

#include <float.h>
#include <stdbool.h>

typedef enum { BN_RULE_WL, BN_RULE_MEAN, BN_RULE_AROUND } bn_rule;

/* Returns whether a node without neighbours keeps its row. */
static inline bool bn_rule_keeps(bn_rule rule)
{
    return rule != BN_RULE_AROUND;
}

/* Returns the factor of the sum of the neighbours, given their (weighted) number, or 0 without
 * neighbours.  It is finite for every degree: times an entry of 0, infinity would be NaN, and a row
 * would have entries where none of its neighbours has one. */
static inline float bn_rule_factor(bn_rule rule, double degree)
{
    const double factor = 1.0 / (degree + (rule == BN_RULE_MEAN));
    return degree > 0 ? (float)(factor < (double)FLT_MAX ? factor : (double)FLT_MAX) : 0.0f;
}

static inline float bn_rule_next(bn_rule rule, float factor, float own, float sum)
{
    if (rule == BN_RULE_AROUND)
        return 0.0f + factor * sum;     /* no negative zero, like the kernel without an own row */
    return rule == BN_RULE_MEAN ? (own + sum) * factor : (own + factor * sum) * 0.5f;
}

#endif
