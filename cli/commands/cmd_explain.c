/* cmd_explain.c -- bonsai explain: how a condensed graph was made, and why a node is
 * in it.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "files/graphs.h"
#include "opt/opt.h"
#include "results/condensed.h"

enum { TOP_ROOTS = 10 };

typedef struct {
    const char         *path;
    const bonsai_graph *g, *full;                   /* full: NULL if not given */
    const bonsai_view  *v;
    bonsai_condense_info info;
    int64_t            *covers;                     /* samples that each node covers */
    double             *score;                      /* PageRank of each node */
    const char        **own, **names;               /* of the nodes of g and of full; NULL: none */
    column              columns[10];                /* of a table, until it is printed */
} story;

/* ---- one node ------------------------------------------------------------ */

static int64_t origin(const story *t, int64_t node)
{
    const int64_t of = bonsai_graph_origin(t->g, node);
    return of >= 0 ? of : node;
}

static int role(const story *t, int64_t node)
{
    const uint8_t *of = t->v->section[BONSAI_SECTION_ROLE].data;
    return of ? of[node] : BONSAI_ROLE_NONE;
}

static const char *role_text(int role)
{
    static const char *const text[] = {"none", "root", "ego", "prototype", "learned"};
    return role >= 0 && role < 5 ? text[role] : "unknown";
}

/* Returns 1 for the second node of a prototype, which has no label. */
static int is_second(const bonsai_why *w)
{
    return w->role == BONSAI_ROLE_PROTOTYPE && w->label < 0;
}

static int64_t row_start(const bonsai_array *offsets, int64_t node)
{
    return offsets->type == BONSAI_TYPE_U64 ? (int64_t)((const uint64_t *)offsets->data)[node]
                                       : (int64_t)((const uint32_t *)offsets->data)[node];
}

static int64_t degree(const story *t, int64_t node)
{
    const bonsai_array *offsets = &t->v->section[BONSAI_SECTION_OFFSETS];
    return offsets->data ? row_start(offsets, node + 1) - row_start(offsets, node) : 0;
}

/* Returns the index in full of the node with this number; -1 if it is absent. */
static int64_t place_of(const story *t, int64_t number)
{
    const int64_t nodes = bonsai_graph_nodes(t->full);
    if (!bonsai_graph_view(t->full)->section[BONSAI_SECTION_ORIGIN].data)
        return number < nodes ? number : -1;
    for (int64_t v = 0; v < nodes; v++)
        if (bonsai_graph_origin(t->full, v) == number)
            return v;
    return -1;
}

/* Returns the name of the full graph's node with this number, or NULL. here: its index in the small
 * graph; -1: absent. */
static const char *original_name(const story *t, int64_t number, int64_t here)
{
    const int64_t place = t->names && number >= 0 ? place_of(t, number) : -1;
    const char *name = t->own && here >= 0 ? t->own[here] : place >= 0 ? t->names[place] : NULL;
    return name && *name ? name : NULL;
}

static bn_json *name_json(const story *t, int64_t node)
{
    const char *name = original_name(t, bonsai_graph_origin(t->g, node), node);
    return name ? bn_json_text(name) : bn_json_null();
}

/* Returns the class's name, or its number if it has no name. */
static bn_json *class_json(const story *t, int64_t node)
{
    int32_t label = bonsai_graph_label(t->g, node);
    const char *text = bonsai_graph_class_name(t->g, label);
    return text ? bn_json_text(text) : label >= 0 ? bn_json_whole(label) : bn_json_null();
}

static void add_origin(summary *r, const story *t, const bonsai_why *w, int64_t node)
{
    const char *name = original_name(t, w->origin, node);
    if (w->origin >= 0)
        summary_int(r, "origin", "in the full graph", w->origin);
    else
        summary_json(r, "origin", bn_json_null());
    if (is_second(w) && w->partner >= 0)
        summary_note(r, "the nearest of the nodes that node %lld stands for",
                     (long long)w->partner);
    else if (w->role == BONSAI_ROLE_PROTOTYPE && !is_second(w))
        summary_note(r, "the nearest of the nodes it stands for");
    if (name)
        summary_text(r, "name", "name", name);
}

static void add_identity(summary *r, const story *t, const bonsai_why *w, int64_t node)
{
    const int32_t label = w->label;
    const char *name = bonsai_graph_class_name(t->g, label);
    summary_heading(r, "Node");
    summary_int(r, "node", "node", node);
    summary_note(r, "of %lld", (long long)t->v->nodes);
    add_origin(r, t, w, node);
    if (label >= 0)
        summary_int(r, "label", "label", label);
    else
        summary_json(r, "label", bn_json_null());
    if (name) {
        summary_note(r, "%s", name);
        summary_text(r, "class_name", NULL, name);
    }
    if (label < 0)
        summary_text(r, NULL, "label", "none");
    if (label < 0)
        summary_note(r, is_second(w) ? "the second node of a prototype has none"
                                     : "it is not a training node");
    summary_int(r, "degree", "neighbours here", w->edges);
}

static void add_tree(summary *r, const story *t, const bonsai_why *w, int64_t node)
{
    const char *name = original_name(t, w->tree, w->root);
    if (w->root == node) {
        summary_int(r, "tree", "root of", w->tree);
        summary_note(r, "its own tree");
    } else if (w->root >= 0) {
        int later = w->role == BONSAI_ROLE_ROOT;     /* its own tree was taken later */
        summary_int(r, "tree", later ? "first came with" : "came with the tree of", w->tree);
        summary_note(r, "%s%s%snode %lld here", later ? "another root, " : "which is ",
                     name ? name : "", name ? ", " : "", (long long)w->root);
    } else {
        summary_json(r, "tree", bn_json_null());
        summary_text(r, NULL, "came with a tree", "gone");
        summary_note(r, "its root was pruned");
    }
    summary_int(r, "tree_node", NULL, w->root);
}

static void add_role(summary *r, const story *t, const bonsai_why *w)
{
    summary_heading(r, "Why it is there");
    summary_text(r, "role", "role", role_text(w->role));
    summary_note(r, "by the method %s", condensed_method(&t->info));
    summary_text(r, "method", NULL, condensed_method(&t->info));
}

static void add_reasons(summary *r, const story *t, const bonsai_why *w, int64_t node)
{
    const int covers = w->sample > 0 && w->covers > 0;
    add_tree(r, t, w, node);
    summary_int(r, "covers", covers ? "covers" : NULL, w->covers);
    if (covers)
        summary_note(r, "of %lld sampled trees, %.1f %%", (long long)w->sample,
                     100 * (double)w->covers / (double)w->sample);
    summary_int(r, "sample", NULL, w->sample);
    summary_real(r, "score", w->score > 0 ? "PageRank" : NULL, w->score > 0 ? w->score : NAN,
                 "%.5f");
    if (w->score > 0) {
        summary_note(r, "rank %lld of %lld", (long long)w->rank, (long long)t->v->nodes);
        summary_int(r, "rank", NULL, w->rank);
    }
}

static void add_partner(summary *r, const bonsai_why *w)
{
    const int second = is_second(w);
    if (w->partner < 0)
        summary_json(r, "partner", bn_json_null());
    else {
        summary_int(r, "partner", second ? "second node of" : "its second node", w->partner);
        summary_note(r, second ? "a prototype: this node passes its features on to it"
                               : "without a label: it passes its features on to this one");
    }
    if (second)
        summary_text(r, NULL, "stands for", "no nodes of the full graph");
}

static int explain_node(session *s, const story *t, int64_t node)
{
    summary r = {.count = 0};
    if (node >= t->v->nodes)
        return fail_with(s, "%s: there is no node %lld, only 0..%lld", t->path, (long long)node,
                         (long long)t->v->nodes - 1);
    bonsai_why w;
    bonsai_condense_options o;
    bonsai_why_init(&w);
    bonsai_condense_options_init(&o);
    o.threads = s->read.threads;
    o.progress = s->read.progress;
    o.payload = s->read.payload;
    bonsai_status rc = bonsai_condense_explain(&w, t->g, node, t->full, &o);
    if (rc != BONSAI_OK)
        return fail(s, rc);
    add_identity(&r, t, &w, node);
    add_role(&r, t, &w);
    if (w.role == BONSAI_ROLE_PROTOTYPE)
        add_partner(&r, &w);
    if (w.role == BONSAI_ROLE_PROTOTYPE && !is_second(&w))
        summary_prototype(&r, t->g, t->full, t->names, &w);
    else if (w.role == BONSAI_ROLE_LEARNED)
        summary_text(&r, NULL, "stands for", "no node of the full graph: it was learned");
    else if (w.role != BONSAI_ROLE_PROTOTYPE)
        add_reasons(&r, t, &w, node);
    if ((w.role != BONSAI_ROLE_PROTOTYPE || is_second(&w)) && t->v->features > 0)
        summary_strongest(&r, t->g, t->full, &w);
    return summary_print(&r, s);
}

/* ---- the whole graph ----------------------------------------------------- */

static void add_making(summary *r, const story *t)
{
    const bonsai_condense_info *i = &t->info;
    bonsai_condense_options o;
    char crc[16];
    bonsai_condense_options_init(&o);
    bonsai_condense_options_of(&o, t->g);
    snprintf(crc, sizeof crc, "%08x", (unsigned)fact_whole(i, "input_crc32"));
    summary_heading(r, "How it was made");
    summary_text(r, "method", "method", condensed_method(i));
    summary_why(r, i);
    summary_text(r, "version", "bonsai's version", bonsai_fact_text(i, "bonsai"));
    summary_text(r, "input_crc32", "checksum of the graph", crc);
    summary_text(r, "accounting", "accounting of bytes",
                 o.accounting == BONSAI_ACCOUNTING_STRICT ? "strict" : "paper");
    summary_seed(r, i->seed);
    summary_heading(r, "Size");
    summary_condensed_sizes(r, i);
    summary_condensed_making(r, i, t->g);
    summary_condensed_quality(r, i);
    summary_condensed_options(r, &o);
}

/* Finds the root after (covers, node) in the order of decreasing cover. */
static int64_t next_root(const story *t, int64_t covers, int64_t node)
{
    int64_t best = -1, most = -1;
    for (int64_t v = 0; v < t->v->nodes; v++) {
        int64_t c = t->covers[v];
        if (role(t, v) == BONSAI_ROLE_ROOT && c > most &&
            (c < covers || (c == covers && v > node))) {
            most = c;
            best = v;
        }
    }
    return best;
}

/* Returns a row: node, number in the full graph, name if names are known, class. */
static bn_json *identity_row(const story *t, int64_t node)
{
    bn_json *row = bn_json_pack("[I,I]", node, origin(t, node));
    if (t->own || t->names)
        bn_json_add(row, name_json(t, node));
    bn_json_add(row, class_json(t, node));
    return row;
}

/* Fills t->columns with those of identity_row; rest: the columns from the class on. */
static void identity_columns(story *t, const char *number, const column *rest)
{
    int at = 0;
    t->columns[at++] = (column){"node", "node", NULL};
    t->columns[at++] = (column){"origin", number, NULL};
    if (t->own || t->names)
        t->columns[at++] = (column){"name", "name", NULL};
    do
        t->columns[at++] = *rest;
    while ((rest++)->label);
}

static void add_roots(summary *r, story *t)
{
    static const column sampled[] = {{"class", "class", NULL}, {"degree", "neighbours", NULL},
                                     {"score", "PageRank", "%.5f"}, {"covers", "covers", NULL},
                                     {NULL, "", NULL}, {NULL, NULL, NULL}};
    static const column plain[] = {{"class", "class", NULL}, {"degree", "neighbours", NULL},
                                   {NULL, NULL, NULL}};
    bn_json *rows = bn_json_array();
    int64_t root = -1, covers = INT64_MAX;
    for (int i = 0; i < TOP_ROOTS && (root = next_root(t, covers, root)) >= 0; i++) {
        covers = t->covers[root];
        bn_json *row = identity_row(t, root);
        bn_json_add(row, bn_json_whole(degree(t, root)));
        if (fact(&t->info, "cover.sample") > 0) {
            double own = t->score[root];
            bn_json_add(row, own > 0 ? bn_json_real(own) : bn_json_null());
            bn_json_add(row, bn_json_whole(covers));
        }
        bn_json_add(rows, row);
    }
    if (bn_json_count(rows) == 0) {
        bn_json_free(rows);
        return;
    }
    summary_heading(r, fact(&t->info, "cover.sample") > 0 ? "Roots that cover most" : "Roots");
    identity_columns(t, "in the full graph", fact(&t->info, "cover.sample") > 0 ? sampled : plain);
    summary_table(r, "top_roots", t->columns, rows);
}

typedef struct {
    int64_t node;
    double  weight;
} heavy;

static int heaviest_first(const void *a, const void *b)
{
    const heavy *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int add_heaviest(summary *r, session *s, story *t)
{
    static const column rest[] = {{"class", "class", NULL}, {"weight", "weight", "%.6g"},
                                  {NULL, "", NULL}, {NULL, NULL, NULL}};
    int64_t count = 0;
    bn_json *rows = bn_json_array();
    heavy *all = calloc((size_t)t->v->nodes + 1, sizeof *all);
    if (!all) {
        bn_json_free(rows);
        return fail_with(s, "there is not enough memory for %lld nodes", (long long)t->v->nodes);
    }
    for (int64_t v = 0; v < t->v->nodes; v++)
        if (bonsai_graph_label(t->g, v) >= 0)
            all[count++] = (heavy){v, bonsai_graph_weight(t->g, v)};
    qsort(all, (size_t)count, sizeof *all, heaviest_first);
    for (int64_t i = 0; i < count && i < TOP_ROOTS; i++) {
        bn_json *row = identity_row(t, all[i].node);
        bn_json_add(row, bn_json_real(all[i].weight));
        bn_json_add(rows, row);
    }
    summary_heading(r, "Prototypes that stand for most");
    identity_columns(t, "nearest", rest);
    summary_table(r, "top_prototypes", t->columns, rows);
    free(all);
    return EXIT_DONE;
}

static int explain_graph(session *s, story *t)
{
    summary r = {.count = 0};
    int code = EXIT_DONE;
    add_making(&r, t);
    if (condensed_roles(t->g, BONSAI_ROLE_PROTOTYPE) > 0)
        code = add_heaviest(&r, s, t);
    else
        add_roots(&r, t);
    if (code == EXIT_DONE)
        return summary_print(&r, s);
    summary_free(&r);
    return code;
}

/* ---- the command --------------------------------------------------------- */

static int tell(session *s, story *t, int64_t node)
{
    size_t n = (size_t)t->v->nodes;
    bonsai_condense_info_init(&t->info);
    t->covers = calloc(n + 1, sizeof *t->covers);
    t->score = calloc(n + 1, sizeof *t->score);
    if (!t->covers || !t->score)
        return fail_with(s, "there is not enough memory for %lld nodes", (long long)t->v->nodes);
    bonsai_status rc = bonsai_condense_whys(NULL, t->covers, t->score, t->g);
    if (rc == BONSAI_OK)
        rc = bonsai_condense_info_of(&t->info, t->g);
    if (rc != BONSAI_OK)
        return fail(s, rc);
    return node >= 0 ? explain_node(s, t, node) : explain_graph(s, t);
}

static bonsai_status open_graphs(session *s, bonsai_graph **g, bonsai_graph **full,
                                 const char *path, const char *full_path)
{
    bonsai_status rc = full_path ? read_other(s, g, path) : calls.read(g, path, &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_verify(*g);
    if (rc == BONSAI_OK && full_path)
        rc = calls.read(full, full_path, &s->read);
    return rc == BONSAI_OK && full_path ? bonsai_graph_verify(*full) : rc;
}

static int explain(session *s, const char *path, const char *full_path, int64_t node)
{
    bonsai_graph *g = NULL, *full = NULL;
    story t = {.path = path};
    bonsai_status rc = open_graphs(s, &g, &full, path, full_path);
    int code = rc != BONSAI_OK ? fail(s, rc) : full ? match_small(s, &full, g) : EXIT_DONE;
    if (code == EXIT_DONE) {
        t.g = g;
        t.full = full;
        t.v = bonsai_graph_view(g);
        code = list_names(s, &t.own, &t.v->section[BONSAI_SECTION_NODE_NAMES], t.v->nodes);
    }
    if (code == EXIT_DONE && full)
        code = list_names(s, &t.names,
                          &bonsai_graph_view(full)->section[BONSAI_SECTION_NODE_NAMES],
                          bonsai_graph_nodes(full));
    if (code == EXIT_DONE)
        code = tell(s, &t, node);
    free(t.own);
    free(t.names);
    free(t.covers);
    free(t.score);
    bonsai_graph_free(g);
    bonsai_graph_free(full);
    return code;
}

typedef struct { const char *path, *full; int64_t node; } arguments;

int cmd_explain(session *s, int argc, char **argv)
{
    arguments a = {.node = -1};
    static const bonsai_field own[] = {
        {.name = "node", OWN(arguments, node, LONG), .high = INT32_MAX, .preset = -1, .arg = "I",
         .help = "explain this node of SMALL", .otherwise = "all of it"},
        {.name = "full", OWN(arguments, full, FILE), .arg = "GRAPH",
         .help = "the graph that SMALL was made of, to find its nodes nearest to a prototype"},
        {0}};
    const opt_spec spec = {
        .usage = "explain SMALL [--node I] [options]",
        .about =
            "Shows how \"bonsai condense\" made a graph, and which trees cover most or which\n"
            "prototypes stand for most; with --node, why that node is there.  For a picked node:\n"
            "its role, the tree that brought it, how many trees it stands for, its PageRank, and\n"
            "its number in the full graph.  For a prototype: its class, soft label and weight,\n"
            "the nodes that it stands for, and its strongest features.  Where prototypes are pairs of\n"
            "nodes, the second node has no label and stands for no nodes: it belongs to the first.",
        .examples = "  bonsai explain small.bonsai\n"
                    "  bonsai explain small.bonsai --node 3\n"
                    "  bonsai explain small.bonsai --node 3 --full cora.bonsai\n",
        .args = "SMALL",
        .values = &a.path,
        .groups = (const opt_group[]){{.base = &a, .own = own}, {0}},
        .shared = OPT_READS | OPT_JSON,
    };
    int code = opt_parse(s, &spec, argc, argv);
    return code == OPT_GO ? explain(s, a.path, a.full, a.node) : code;
}
