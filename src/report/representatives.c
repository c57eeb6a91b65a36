/* representatives.c -- the nodes that stand for training nodes: what a report shows of each.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "facts.h"

/* ---- names of features ---- */

bonsai_status bn_facts_name_features(bn_facts *f, const char *text)
{
    const bonsai_array *kept = &f->small->view.section[BONSAI_SECTION_KEPT_FEATURES];
    const int64_t own = f->small->view.features;
    int64_t len;
    bonsai_status rc = bn_names_of_lines(&f->feature_text, &len, &f->feature_names, text);
    if (rc != BONSAI_OK || (!f->full && kept->data && own > 0 &&
                            f->feature_names > bn_int_at(kept, own - 1)))
        return rc;
    return bn_names_count(f->feature_names, f->full ? f->full : f->small);
}

const char *bn_facts_feature(int64_t *number, const bn_facts *f, int64_t feature)
{
    const bonsai_array *kept = &f->small->view.section[BONSAI_SECTION_KEPT_FEATURES];
    const bonsai_array given = {f->feature_text, 0, BONSAI_TYPE_U8};
    const char *own = bonsai_graph_feature_name(f->small, feature);
    *number = kept->data ? bn_int_at(kept, feature) : feature;
    if (given.data)
        return *number < f->feature_names ? bn_name_at(&given, *number) : NULL;
    if (own || !f->full || bn_has(f->full, BONSAI_SECTION_KEPT_FEATURES))
        return own;
    return bonsai_graph_feature_name(f->full, *number);
}

/* ---- nodes ---- */

static int heaviest_first(const void *a, const void *b)
{
    const bn_stand *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int by_class(const void *a, const void *b)
{
    const bn_stand *x = a, *y = b;
    return x->label != y->label ? (x->label > y->label) - (x->label < y->label)
                                : heaviest_first(a, b);
}

static bn_standing standing_of(const bonsai_graph *g, const int64_t *covers)
{
    if (bn_has(g, BONSAI_SECTION_NODE_WEIGHTS))
        return BN_STANDS_LOSS;
    if (bn_has(g, BONSAI_SECTION_MEMBER_OFFSETS))
        return BN_STANDS_MEMBERS;
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (covers[v] > 0)
            return BN_STANDS_COVERED;
    return BN_STANDS_ALONE;
}

/* Lists all nodes with a label. */
static bonsai_status list_nodes(bn_stand **out, bn_facts *f)
{
    bonsai_status rc;
    const bonsai_graph *g = f->small;
    const bonsai_array *members = &g->view.section[BONSAI_SECTION_MEMBER_OFFSETS];
    bn_stand *all = NULL;
    int64_t *covers = NULL;
    bool known;
    BN_TRY(BN_NEW(&covers, g->view.nodes));
    BN_TRY(bn_record_reasons(&known, NULL, covers, NULL, g));
    f->standing = standing_of(g, covers);
    BN_TRY(BN_NEW(&all, g->view.nodes));
    for (int64_t v = 0; v < g->view.nodes; v++) {
        if (bn_label(g, v) < 0)
            continue;
        all[f->all_stands] = (bn_stand){
            .node = v, .label = bn_label(g, v),
            .weight = bn_stands_for(g, covers, v),
            .members = members->data ? bn_int_at(members, v + 1) - bn_int_at(members, v) : -1};
        f->all_stands++;
    }
    *out = all;
    all = NULL;
done:
    bn_free(all);
    bn_free(covers);
    return rc;
}

static void choose(bn_facts *f)
{
    double all = 0, some = 0;
    qsort(f->stand, (size_t)f->all_stands, sizeof *f->stand, heaviest_first);
    f->stands = f->all_stands < BN_MOST_STANDS ? f->all_stands : BN_MOST_STANDS;
    for (int64_t i = 0; i < f->all_stands; i++) {
        all += f->stand[i].weight;
        some += i < f->stands ? f->stand[i].weight : 0;
    }
    f->stand_share = all > 0 ? some / all : 0;
    f->stood = f->standing == BN_STANDS_LOSS || f->standing == BN_STANDS_MEMBERS ? all : 0;
    qsort(f->stand, (size_t)f->stands, sizeof *f->stand, by_class);
}

static void tell_strongest(bn_stand *n, const bonsai_graph *g, const float *row,
                           const bn_feature_stats *y)
{
    bn_largest top[BN_STRONGEST];
    const int64_t count = bn_distinctive_find(top, BN_STRONGEST, row, y);
    for (int64_t i = 0; i < count; i++) {
        const int64_t j = top[i].number;
        n->strong[i] = (bn_strong){j, bn_unscaled(g, j, (double)row[j]),
                                   bn_unscaled(g, j, y->mean[j])};
    }
}

static bonsai_status find_strongest(bn_facts *f)
{
    bonsai_status rc;
    bn_feature_stats y = {0};
    float *row = NULL;
    BN_TRY(bn_feature_stats_make(&y, f->small, f->full));
    BN_TRY(BN_NEW(&row, y.f));
    for (int64_t i = 0; i < f->stands; i++) {
        bn_row_whole(row, f->small, f->stand[i].node);
        tell_strongest(&f->stand[i], f->small, row, &y);
    }
done:
    bn_feature_stats_free(&y);
    bn_free(row);
    return rc;
}

bonsai_status bn_facts_stand(bn_facts *f)
{
    bonsai_status rc;
    BN_TRY(list_nodes(&f->stand, f));
    choose(f);
    for (int64_t i = 0; i < f->stands; i++)
        for (int k = 0; k < BN_STRONGEST; k++)
            f->stand[i].strong[k].feature = -1;
    if (f->small->view.features > 0 && f->stands > 0)
        BN_TRY(find_strongest(f));
done:
    return rc;
}
