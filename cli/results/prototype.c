/* prototype.c -- what one prototype of a condensed graph stands for, and the strongest features of
 * any node.
 *
 * A prototype is the mean of some training nodes' embeddings.  Its members are in the
 * small graph if it was condensed with --members; otherwise the full graph gives its
 * nearest training nodes.
 *
 * SPDX-License-Identifier: MIT */
#include "results/condensed.h"

enum { TOP_CLASSES = 5, TOP_NODES = BONSAI_WHY_ROOM, TOP_FEATURES = 8 };

static void add_soft(summary *r, const bonsai_graph *small, const bonsai_why *w)
{
    static const column columns[] = {{"class", "class", NULL}, {"percent", "%", "%.1f"},
                                     {"name", "", NULL}, {NULL, NULL, NULL}};
    static const column plain[] = {{"class", "class", NULL}, {"percent", "%", "%.1f"},
                                   {NULL, NULL, NULL}};
    const int named =
        bonsai_graph_view(small)->section[BONSAI_SECTION_CLASS_NAMES].data != NULL;
    bn_json *rows = bn_json_array();
    for (int64_t i = 0; i < w->shares && i < TOP_CLASSES; i++) {
        const char *name = bonsai_graph_class_name(small, w->share_class[i]);
        bn_json *row = bn_json_pack("[I,f]", w->share_class[i], 100 * w->share[i]);
        if (named)
            bn_json_add(row, name ? bn_json_text(name) : bn_json_null());
        bn_json_add(rows, row);
    }
    summary_heading(r, "Soft label");
    summary_table(r, "soft_label", named ? columns : plain, rows);
}

static void add_nodes(summary *r, const bonsai_why *w, const bonsai_graph *full,
                      const char *const *names)
{
    static const column plain[] = {{"node", "in the full graph", NULL}, {NULL, NULL, NULL}};
    static const column columns[2][4] = {
        {{"node", "in the full graph", NULL}, {"distance", "distance", "%.4g"},
         {NULL, NULL, NULL}},
        {{"node", "in the full graph", NULL}, {"name", "name", NULL},
         {"distance", "distance", "%.4g"}, {NULL, NULL, NULL}}};
    bn_json *rows = bn_json_array();
    for (int64_t i = 0; i < w->nodes; i++) {
        bn_json *row = bn_json_pack("[I]", w->node[i]);
        if (names)
            bn_json_add(row, bn_json_text(names[w->node[i]]));
        if (full)
            bn_json_add(row, bn_json_real(w->distance[i]));
        bn_json_add(rows, row);
    }
    summary_table(r, full ? "nearest" : "member_nodes", full ? columns[names != NULL] : plain,
                  rows);
}

static void add_originals(summary *r, const bonsai_graph *small, const bonsai_graph *full,
                          const char *const *names, const bonsai_why *w)
{
    summary_heading(r, "Nodes it stands for");
    if (bonsai_graph_view(small)->section[BONSAI_SECTION_NODE_WEIGHTS].data)
        summary_real(r, "weight", "weight in the loss", w->weight, "%.6g");
    if (w->members >= 0)
        summary_int(r, "members", "members", w->members);
    if (w->members > TOP_NODES)
        summary_note(r, "%d are shown%s", TOP_NODES, full ? ", the nearest" : "");
    if (w->members < 0) {
        summary_text(r, NULL, "members", "not stored");
        summary_note(r, full ? "the nearest training nodes of its class are shown"
                            : "--full GRAPH finds the nearest; condense --members stores all");
    }
    if (full || w->members >= 0)
        add_nodes(r, w, full, names);
}

void summary_strongest(summary *r, const bonsai_graph *small, const bonsai_graph *full,
                       const bonsai_why *w)
{
    static const column columns[2][6] = {
        {{"feature", "feature", NULL}, {"value", "value", "%.4g"},
         {"above_mean", "above the mean", "%+.4g"}, {"deviations", "in std. dev.", "%+.2f"},
         {NULL, NULL, NULL}},
        {{"feature", "feature", NULL}, {"name", "name", NULL}, {"value", "value", "%.4g"},
         {"above_mean", "above the mean", "%+.4g"}, {"deviations", "in std. dev.", "%+.2f"},
         {NULL, NULL, NULL}}};
    const int named = bonsai_graph_view(small)->section[BONSAI_SECTION_FEATURE_NAMES].data != NULL;
    bn_json *rows = bn_json_array();
    for (int64_t i = 0; i < w->features && i < TOP_FEATURES; i++) {
        bn_json *line = bn_json_pack("[I]", w->feature[i]);
        const char *name = w->feature_name[i];
        if (named)
            bn_json_add(line, name ? bn_json_text(name) : bn_json_null());
        bn_json_add(line, bn_json_real(w->value[i]));
        bn_json_add(line, bn_json_real(w->above_mean[i]));
        bn_json_add(line, bn_json_real(w->deviations[i]));
        bn_json_add(rows, line);
    }
    summary_heading(r, "Strongest features");
    summary_int(r, "features_set", "not zero", w->features_set);
    summary_note(r, "of %lld; farthest from the mean of the %s, in standard deviations",
                 (long long)bonsai_graph_features(small), full ? "full graph" : "labelled nodes");
    summary_table(r, "features", columns[named], rows);
}

void summary_prototype(summary *r, const bonsai_graph *small, const bonsai_graph *full,
                       const char *const *names, const bonsai_why *w)
{
    if (w->shares > 0)
        add_soft(r, small, w);
    add_originals(r, small, full, names, w);
    summary_strongest(r, small, full, w);
}
