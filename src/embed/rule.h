/* rule.h -- averaging rules: a node's next row from its own and the sum of its neighbours'.
 *
 *   WL    half of it is its own, half the mean of its neighbours: the kernel that compares trees
 *   MEAN  the node counts as much as each of its neighbours, much as in GCN and GAT: such rows
 *         stand for what a network makes of a node
 *
 * A node without neighbours keeps its row.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_RULE_H
#define BN_RULE_H

typedef enum { BN_RULE_WL, BN_RULE_MEAN } bn_rule;

/* What the sum of the neighbours is multiplied with, from their (weighted) number; 0: none. */
static inline float bn_rule_factor(bn_rule rule, double degree)
{
    return degree > 0 ? (float)(1.0 / (degree + (rule == BN_RULE_MEAN))) : 0.0f;
}

static inline float bn_rule_next(bn_rule rule, float factor, float own, float sum)
{
    return rule == BN_RULE_MEAN ? (own + sum) * factor : (own + factor * sum) * 0.5f;
}

#endif
