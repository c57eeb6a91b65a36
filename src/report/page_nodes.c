/* page_nodes.c -- the nodes that stand for others, as a table: the class, what each stands for, its
 * soft label as a heat map, and its strongest features.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "page.h"

enum { MOST_HEATED = 16, TOP = 3, HEATS = 6 };  /* classes with a column each; else the top ones */

/* Returns a feature of the small graph: raised or lowered, its name, or its number in the
 * full graph. */
static bn_json *strong_values(const bn_facts *f, const bn_strong *one)
{
    int64_t number;
    const char *name = bn_facts_feature(&number, f, one->feature);
    return bn_json_pack("{sb,ss?,sI,sf,sf}", "raised", one->value > one->mean, "name", name,
                        "number", number, "value", one->value, "mean", one->mean);
}

bn_json *bn_distinctive_values(const bn_facts *f, const bn_stand *n)
{
    bn_json *all = bn_json_array();
    for (int k = 0; k < BN_STRONGEST && n->strong[k].feature >= 0; k++)
        bn_json_add(all, strong_values(f, &n->strong[k]));
    return all;
}

static bool is_soft(const bn_facts *f)
{
    return f->small->view.section[BONSAI_SECTION_SOFT_LABELS].data != NULL;
}

static bool is_heated(const bn_facts *f)
{
    return is_soft(f) && f->classes <= MOST_HEATED;
}

/* ---- soft labels --------------------------------------------------------- */

static bn_json *heat_of(const bn_facts *f, int64_t c, double share)
{
    static const double least[HEATS] = {0, 0.005, 0.1, 0.3, 0.55, 0.8};
    int heat = 0;
    while (heat + 1 < HEATS && share >= least[heat + 1])
        heat++;
    return bn_json_pack("{si,ss,sf,sf}", "heat", heat, "name", f->class_name[c], "share", share,
                        "percent", 100 * share);
}

static bn_json *heats_of(const bn_facts *f, int64_t node)
{
    bn_json *all = bn_json_array();
    for (int64_t c = 0; is_heated(f) && c < f->classes; c++)
        bn_json_add(all, heat_of(f, c, bn_soft_share(f->small, node, c)));
    return all;
}

/* Lists the classes with the largest shares, the lower first of equals. */
static bn_json *best_of(const bn_facts *f, int64_t node)
{
    bn_json *all = bn_json_array();
    int64_t last = -1;
    double before = INFINITY;
    for (int k = 0; k < TOP; k++) {
        int64_t best = -1;
        double most = 0;
        for (int64_t c = 0; c < f->classes; c++) {
            const double share = bn_soft_share(f->small, node, c);
            if (share > most && (share < before || (share == before && c > last))) {
                most = share;
                best = c;
            }
        }
        if (best < 0 || most < 0.005)
            break;
        bn_json_add(all, heat_of(f, best, most));
        last = best;
        before = most;
    }
    return all;
}

/* ---- the section --------------------------------------------------------- */

static bn_json *row_of(const bn_facts *f, const bn_stand *n)
{
    return bn_json_pack("{sI,sf,ss,sf,sI,so,so,so}", "node", n->node,
                        "key", f->classes <= BN_COLOURS ? (double)n->label : NAN,
                        "class", f->class_name[n->label], "weight", n->weight,
                        "members", n->members, "heat", heats_of(f, n->node), "best",
                        is_soft(f) && !is_heated(f) ? best_of(f, n->node) : bn_json_null(),
                        "strongest", bn_distinctive_values(f, n));
}

bn_json *bn_sheet_nodes(const bn_sheet *s)
{
    const bn_facts *f = s->f;
    if (f->stands == 0)
        return bn_json_null();
    bn_json *nodes = bn_json_array(), *heads = bn_json_array();
    for (int64_t i = 0; i < f->stands; i++)
        bn_json_add(nodes, row_of(f, &f->stand[i]));
    for (int64_t c = 0; is_heated(f) && c < f->classes; c++)
        bn_json_add(heads, bn_json_text(f->class_name[c]));
    return bn_json_pack(
        "{sb,sb,sb,sb,sb,sb,sb,sb,sI,sf,sf,sb,so,so}", "loss", f->standing == BN_STANDS_LOSS,
        "members", f->standing == BN_STANDS_MEMBERS, "covered", f->standing == BN_STANDS_COVERED,
        "soft", is_soft(f), "top", is_soft(f) && !is_heated(f), "full", f->full != NULL,
        "standing", f->standing != BN_STANDS_ALONE,
        "both", f->standing == BN_STANDS_LOSS && f->stand[0].members >= 0, "shown", f->stands,
        "all", f->stands < f->all_stands ? (double)f->all_stands : NAN, "share", f->stand_share,
        "second", s->second > 0, "heads", heads, "nodes", nodes);
}
