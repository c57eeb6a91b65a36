/* paper_facts.c -- what nobody measures: the properties of the methods, and the datasets.
 *
 * SPDX-License-Identifier: MIT */
#include "paper.h"

/* ---- the paper's first table --------------------------------------------- */

typedef struct {
    const char *name;
    int         published;      /* 1: the row is the paper's */
    const char *trains, *complete, *specific;
} property;

static const property properties[] = {
    {"GCond", 1, "yes", "yes", "yes"},   {"SGDD", 1, "yes", "yes", "yes"},
    {"SFGC", 1, "yes", "yes", "yes"},    {"GC-SNTK", 1, "yes", "no", "no"},
    {"EXGC", 1, "yes", "yes", "yes"},    {"GEOM", 1, "yes", "no", "yes"},
    {"GDEM", 1, "no", "yes", "no"},      {"GCSR", 1, "yes", "yes", "yes"},
    {"Bonsai", 1, "no", "no", "no"},     {"auto (ours)", 0, "no", "no", "no"},
};

bn_json *properties_table(const paper *p)
{
    bn_json *t = table_new(p, "properties", "Properties of the methods (Table 1)",
                           "The paper's table, as printed, and a row for auto. We disagree with "
                           "two cells (doc/peers.md): SFGC's graph has no edges, so it is not "
                           "complete, and GC-SNTK trains no network, but solves a kernel "
                           "regression.", 0);
    table_protocol(t, "Nothing is measured.");
    bn_json_set(t, "data", bn_json_text("None."));
    table_key(t, "method", "method");
    table_column(t, "trains", "needs a network trained on the full graph", "fact");
    table_column(t, "complete", "condenses to a complete graph", "fact");
    table_column(t, "specific", "made for one network", "fact");
    table_column(t, "from", "from", "fact");
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const property *q = &properties[i];
        bn_json *row = table_row(t);
        table_put(row, bn_json_text(q->name));
        table_put(row, value_text(q->trains));
        table_put(row, value_text(q->complete));
        table_put(row, value_text(q->specific));
        table_put(row, value_text(q->published ? "published" : "ours"));
    }
    return t;
}

/* ---- datasets ------------------------------------------------------------ */

bn_json *datasets_table(const paper *p)
{
    bn_json *t = table_new(p, "datasets", "Datasets (Table 3)",
                           "A dataset is recognised by its nodes, edges (entries: an undirected "
                           "edge is two), features and classes. The parts are those of the first "
                           "split. 15 nodes of CiteSeer have no label in its files (8 of them are "
                           "training nodes of the published split); they are neither trained on "
                           "nor judged. Nodes of peers: n of the authors' "
                           "formula 4 n\u00b2 + 4 n f = bytes at 0.5, 1 and 3 %, rounded; their "
                           "files confirm it for Cora and CiteSeer.", 0);
    table_protocol(t, "Nothing is trained.");
    table_key(t, "dataset", "dataset");
    static const char *const columns[][2] = {
        {"nodes", "nodes"}, {"edges", "edges"}, {"features", "features"}, {"classes", "classes"},
        {"train", "training nodes"}, {"val", "validation nodes"}, {"test", "test nodes"}};
    for (int i = 0; i < 7; i++)
        table_column(t, columns[i][0], columns[i][1], i < 4 ? "published" : "ours");
    for (int r = 0; r < RATIOS; r++) {
        char key[32], label[64];
        snprintf(key, sizeof key, "peers_%g", paper_ratios[r]);
        snprintf(label, sizeof label, "nodes of peers, %g %%", paper_ratios[r]);
        table_column(t, key, label, "redone");
    }
    table_column(t, "found", "here", "fact");
    for (int i = 0; i < p->set_count; i++) {
        const bonsai_known *k = p->sets[i].is;
        const sight *s = &p->seen[i];
        const int64_t size[] = {k->nodes, k->edges, k->features, k->classes, s->train, s->val,
                                s->test};
        bn_json *row = table_row(t);
        table_put(row, bn_json_text(k->name));
        for (int j = 0; j < 7; j++)
            table_put(row, j < 4 || s->known ? value_plain((double)size[j]) : bn_json_null());
        for (int r = 0; r < RATIOS; r++)
            table_put(row, value_plain((double)paper_peer_nodes(&p->sets[i], paper_ratios[r])));
        table_put(row, value_text(paper_is_there(p, i) ? "yes" : "not found"));
    }
    return t;
}
