/* cmd_info.c -- bonsai info: what a graph holds, and what reading did to it.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/graphs.h"
#include "results/condensed.h"
#include "results/train_eval.h"

typedef struct {                /* everything shown, collected before anything is printed */
    const char         *path;
    const bonsai_graph *g;
    const bonsai_view  *v;
    bonsai_stats        stats;
    int64_t            *class_counts;
    bonsai_type         types[BONSAI_SECTION_COUNT];
    int64_t             bytes[BONSAI_SECTION_COUNT];
    double              strict, paper;
    int                 linear, brief;          /* asked for */
    bonsai_linear       fit;
} facts;

static bonsai_status gather(facts *f, session *s)
{
    int condensed = f->v->section[BONSAI_SECTION_ROLE].data != NULL;
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    o.threads = s->read.threads;
    bonsai_stats_init(&f->stats);
    bonsai_linear_init(&f->fit);
    bonsai_status rc = calls.verify(f->g, &s->read);
    if (rc == BONSAI_OK)
        rc = calls.stats(&f->stats, f->class_counts, f->g, &s->read);
    if (rc != BONSAI_OK || s->mute)
        return rc != BONSAI_OK ? rc : calls.agree(rc);
    rc = bonsai_graph_sections(f->types, f->bytes, BONSAI_SECTION_COUNT, f->g, &o);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_bytes(&f->strict, f->g, BONSAI_ACCOUNTING_STRICT);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_bytes(&f->paper, f->g,
                                condensed ? BONSAI_ACCOUNTING_PAPER_CONDENSED
                                          : BONSAI_ACCOUNTING_PAPER_FULL);
    if (rc == BONSAI_OK && f->linear)
        rc = bonsai_graph_linear(&f->fit, f->g, 1, &s->read);
    return calls.agree(rc);
}

static void add_flag(summary *r, const char *key, const char *label, int on)
{
    summary_text(r, key, label, on ? "yes" : "no");
    bn_json_free(r->items[r->count - 1].value);
    r->items[r->count - 1].value = bn_json_flag(on);
}

/* Returns the names of features as a list, and the first ones in text; NULL and "" without names.
 * */
static bn_json *feature_names(char text[120], const bonsai_view *v)
{
    enum { SHOWN = 5 };
    const bonsai_array *names = &v->section[BONSAI_SECTION_FEATURE_NAMES];
    const char *at = names->data, *end = at ? at + names->count : NULL;
    bn_json *list = at ? bn_json_array() : NULL;
    int64_t shown = 0, count = 0;
    size_t len = 0;
    text[0] = 0;
    for (; at < end; count++, at += strlen(at) + 1) {
        bn_json_add(list, bn_json_text(at));
        if (shown == count && shown < SHOWN && len + strlen(at) + 8 < 120) {
            len += (size_t)sprintf(text + len, "%s%s", shown ? ", " : ": ", at);
            shown++;
        }
    }
    if (shown && shown < count)
        strcat(text, ", ...");
    return list;
}

/* Adds the encoding of the features in memory, which need not be the smallest; returns their names
 * as a list, or NULL. */
static bn_json *add_encoding(summary *r, const bonsai_view *v)
{
    int sparse = v->section[BONSAI_SECTION_FEATURE_OFFSETS].data != NULL;
    const bonsai_array *values = &v->section[sparse ? BONSAI_SECTION_FEATURE_VALUES
                                                    : BONSAI_SECTION_FEATURES];
    char text[32], names[120];
    if (!sparse && !values->data)
        return NULL;
    bn_json *list = feature_names(names, v);
    snprintf(text, sizeof text, "%s %s", sparse ? "sparse" : "dense",
             values->data ? bonsai_type_text(values->type) : "binary");
    summary_note(r, "%s%s", text, names);
    summary_text(r, "feature_encoding", NULL, text);
    return list;
}

static void add_sizes(summary *r, const facts *f)
{
    const bonsai_stats *st = &f->stats;
    double n = (double)st->nodes, cells = n * (double)st->features;
    summary_heading(r, "Graph");
    summary_text(r, "graph", NULL, f->path);
    summary_text(r, "format", "format", bonsai_graph_read_info(f->g)->format);
    summary_int(r, "nodes", "nodes", st->nodes);
    summary_int(r, "edges", "edges", st->edges);
    summary_note(r, f->v->flags & BONSAI_FLAG_DIRECTED ? "directed"
                                                 : "entries: an undirected edge is two");
    add_flag(r, "directed", NULL, (f->v->flags & BONSAI_FLAG_DIRECTED) != 0);
    add_flag(r, "weighted", "edge weights",
             f->v->section[BONSAI_SECTION_EDGE_WEIGHTS].data != NULL);
    if (f->v->flags & BONSAI_FLAG_OPERATOR)
        summary_note(r, "an operator: they multiply rows as they are");
    add_flag(r, "operator", NULL, (f->v->flags & BONSAI_FLAG_OPERATOR) != 0);
    summary_real(r, "density", "density", n > 1 ? (double)st->edges / (n * (n - 1)) : NAN, "%.3g");
    summary_int(r, "isolated", "isolated nodes", st->isolated);
    summary_int(r, "self_loops", "self loops", st->self_loops);
    summary_real(r, "homophily", "homophily", st->homophily >= 0 ? st->homophily : NAN, "%.3f");
    summary_note(r, "share of edges inside a class");
    summary_int(r, "features", "features", st->features);
    bn_json *names = add_encoding(r, f->v);
    if (bonsai_graph_projected(f->g) > 0) {
        summary_int(r, "projected", "coordinates of", bonsai_graph_projected(f->g));
        summary_note(r, "features of the graphs that they are for");
    }
    summary_int(r, "feature_nnz", "non-zero features", st->feature_nnz);
    if (cells > 0)
        summary_note(r, "%.2f %%, %.1f a node", 100 * (double)st->feature_nnz / cells,
                     (double)st->feature_nnz / n);
    summary_int(r, "classes", "classes", st->classes);
    summary_int(r, "labelled", "labelled nodes", st->labelled);
    summary_int(r, "train", "training nodes", st->part[BONSAI_PART_TRAIN]);
    summary_int(r, "val", "validation nodes", st->part[BONSAI_PART_VAL]);
    summary_int(r, "test", "test nodes", st->part[BONSAI_PART_TEST]);
    if (names)
        summary_json(r, "feature_names", names);
}

/* Adds how a condensed graph was made; adds nothing for others. */
static void add_condensed(summary *r, const facts *f)
{
    int64_t learned = condensed_roles(f->g, BONSAI_ROLE_LEARNED);
    bonsai_condense_info i;
    bonsai_condense_info_init(&i);
    if (!summary_has(r, bonsai_condense_info_of(&i, f->g)))
        return;
    summary_heading(r, "Condensed");
    summary_text(r, "condensed.method", "method",
                 condensed_method(&i));
    summary_real(r, "condensed.ratio", NULL, i.ratio, NULL);
    summary_real(r, NULL, "percent of the bytes", 100 * i.ratio, "%.3f");
    summary_note(r, "of a graph of %lld nodes", (long long)i.full_nodes);
    summary_int(r, "condensed.roots", "roots", condensed_roles(f->g, BONSAI_ROLE_ROOT));
    summary_int(r, "condensed.ego", "ego nodes", condensed_roles(f->g, BONSAI_ROLE_EGO));
    if (fact(&i, "cover.whole_trees") >= 0)
        summary_int(r, "condensed.whole_trees", "trees kept whole",
                    fact_whole(&i, "cover.whole_trees"));
    summary_prototypes(r, "condensed.prototypes", "condensed.second_nodes", f->g);
    summary_int(r, "condensed.learned", learned ? "learned nodes" : NULL, learned);
}

static void add_degrees(summary *r, const bonsai_stats *st)
{
    static const column columns[] = {{"from", "from", NULL}, {"to", "to", NULL},
                                     {"nodes", "nodes", NULL}, {NULL, "", NULL},
                                     {NULL, NULL, NULL}};
    bn_json *rows = bn_json_array();
    int last = 32;
    while (last > 0 && st->degree_bin[last] == 0)
        last--;
    for (int i = 0; i <= last; i++) {
        int64_t from = i ? (int64_t)1 << (i - 1) : 0, to = i ? ((int64_t)1 << i) - 1 : 0;
        bn_json_add(rows, bn_json_pack("[I,I,I]", (int64_t)from, (int64_t)to,
                                       (int64_t)st->degree_bin[i]));
    }
    summary_degrees(r, st);
    summary_table(r, "degree.histogram", columns, rows);
}

/* Adds a row per class, with its name if names are known. */
static void add_classes(summary *r, const facts *f)
{
    static const column plain[] = {{"class", "class", NULL}, {"nodes", "nodes", NULL},
                                   {NULL, "", NULL}, {NULL, NULL, NULL}};
    static const column named[] = {{"class", "class", NULL}, {"name", "name", NULL},
                                   {"nodes", "nodes", NULL}, {NULL, "", NULL},
                                   {NULL, NULL, NULL}};
    const bonsai_array *names = &f->v->section[BONSAI_SECTION_CLASS_NAMES];
    const char *at = names->data, *end = at ? at + names->count : NULL;
    bn_json *rows = bn_json_array(), *counts = bn_json_array(), *list = bn_json_array();
    for (int64_t c = 0; c < f->stats.classes; c++) {
        bn_json *row = bn_json_array();
        bn_json_add(row, bn_json_whole(c));
        if (at) {
            bn_json *name = bn_json_text(at < end ? at : "");
            at += at < end ? strlen(at) + 1 : 0;
            bn_json_add(list, bn_json_keep(name));
            bn_json_add(row, name);
        }
        bn_json_add(row, bn_json_whole(f->class_counts[c]));
        bn_json_add(rows, row);
        bn_json_add(counts, bn_json_whole(f->class_counts[c]));
    }
    if (f->stats.classes) {
        summary_heading(r, "Classes");
        summary_table(r, "class", names->data ? named : plain, rows);
        r->items[r->count - 1].limit = CLASSES_SHOWN;
        r->items[r->count - 1].no_json = 1;
    } else {
        bn_json_free(rows);
    }
    summary_json(r, "class_counts", counts);
    if (names->data)
        summary_json(r, "class_names", list);
    else
        bn_json_free(list);
}

static int counts_in_size(int section)
{
    static const char counted[BONSAI_SECTION_COUNT] = {
#define COUNTED(name, id, text, yes) [id] = yes,
        BONSAI_SECTION_MAP(COUNTED)
#undef COUNTED
    };
    return counted[section];
}

/* Returns the number of elements of a section; counts those of four bits by other sections. */
static int64_t elements_of(const facts *f, int section)
{
    int64_t each = (int64_t)bonsai_type_bytes(f->types[section]);
    if (each > 0)
        return f->bytes[section] / each;
    if (section == BONSAI_SECTION_FEATURE_VALUES)
        return elements_of(f, BONSAI_SECTION_FEATURE_INDICES);
    if (section == BONSAI_SECTION_BASIS)
        return f->v->section[BONSAI_SECTION_BASIS].count;
    return f->v->nodes * (f->types[BONSAI_SECTION_FEATURE_COLUMNS] == BONSAI_TYPE_NONE
                              ? f->v->features : elements_of(f, BONSAI_SECTION_FEATURE_COLUMNS));
}

static void add_sections(summary *r, const facts *f)
{
    static const column columns[] = {{"name", "section", NULL}, {"type", "type", NULL},
                                     {"count", "count", NULL},  {"bytes", "bytes", NULL},
                                     {"counted", "counted", NULL}, {NULL, NULL, NULL}};
    bn_json *rows = bn_json_array();
    for (int i = 1; i < BONSAI_SECTION_COUNT; i++) {
        if (f->types[i] == BONSAI_TYPE_NONE)
            continue;
        bn_json_add(rows, bn_json_pack("[s,s,I,I,b]", bonsai_section_text((bonsai_section)i),
                                       bonsai_type_text(f->types[i]),
                                       elements_of(f, i), f->bytes[i], counts_in_size(i)));
    }
    summary_heading(r, "Bytes");
    summary_table(r, "sections", columns, rows);
    summary_heading(r, "Size");
    summary_int(r, "bytes", "bytes", (int64_t)f->strict);
    summary_note(r, "counted sections in their smallest lossless encoding");
    summary_int(r, "paper_bytes", "bytes as in the paper", (int64_t)f->paper);
    summary_note(r, "%s", f->v->section[BONSAI_SECTION_ROLE].data ? "its price of a condensed graph"
                                                         : "its price of a full graph");
    summary_file_bytes(r, "file_bytes", "bytes on disk", f->path);
}

static void add_change(summary *r, const char *key, const char *label, int64_t count, int *changes)
{
    summary_int(r, key, count ? label : NULL, count);
    *changes += count != 0;
}

static void add_reading(summary *r, const facts *f)
{
    const bonsai_read_info *i = bonsai_graph_read_info(f->g);
    int changes = 0;
    summary_heading(r, "Reading");
    summary_int(r, "reading.edges_given", "edges in the input", i->edges_given);
    add_change(r, "reading.reversed", "reverses added", i->reversed, &changes);
    add_change(r, "reading.repeated", "repeated, merged", i->repeated, &changes);
    add_change(r, "reading.self_loops", "self loops dropped", i->self_loops, &changes);
    add_change(r, "reading.feature_zeros", "stored zeros dropped", i->feature_zeros, &changes);
    add_change(r, "reading.feature_repeated", "features summed", i->feature_repeated, &changes);
    add_change(r, "reading.filled", "skipped nodes added", i->filled, &changes);
    add_flag(r, "reading.rounded", i->rounded ? "rounded to float" : NULL, i->rounded != 0);
    if (!changes && !i->rounded)
        summary_text(r, NULL, "changed", "nothing");
}

static void add_linear(summary *r, const bonsai_linear *l)
{
    summary_heading(r, "Linear models, accuracy %");
    summary_int(r, "linear.train", "nodes fitted on", l->train);
    summary_int(r, "linear.test", "nodes judged on", l->test);
    summary_real(r, "linear.majority", "largest class", l->majority, "%.1f");
    summary_real(r, "linear.features", "features alone", l->features_only, "%.1f");
    summary_real(r, "linear.two_hops", "two-hop averages", l->two_hops, "%.1f");
}

static int show(session *s, const facts *f)
{
    summary r = {.count = 0};
    const bonsai_array *metadata = &f->v->section[BONSAI_SECTION_METADATA];
    add_sizes(&r, f);
    add_condensed(&r, f);
    if (!f->brief) {
        add_degrees(&r, &f->stats);
        add_classes(&r, f);
        add_sections(&r, f);
        add_reading(&r, f);
    }
    if (f->linear)
        add_linear(&r, &f->fit);
    bn_json_error wrong = {.no_memory = false};
    bn_json *meta = metadata->data && !f->brief
                       ? bn_json_parse(metadata->data, (size_t)metadata->count, 0, &wrong) : NULL;
    if (meta || wrong.no_memory)
        summary_json(&r, "metadata", meta);
    return summary_print(&r, s);
}

static int is_beside(const char *path, size_t folder, const char *name)
{
    char file[MOST_PATH];
    return snprintf(file, sizeof file, "%.*s%s", (int)folder, path, name) < MOST_PATH &&
           path_bytes(file) >= 0;
}

/* Notes that a folder holds the rest of the graph: "mine/edges.csv" was named, not "mine". */
static void note_folder(session *s, const facts *f)
{
    const char *path = path_without_format(f->path), *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - path) : 0;
    const int features = !f->v->features && is_beside(path, folder, "features.csv");
    const int labels = !f->v->classes && is_beside(path, folder, "labels.csv");
    if (strcmp(path + folder, "edges.csv") != 0 || (!features && !labels))
        return;
    note(s, "%s beside it: name the folder, %.*s",
         !labels ? "features.csv is" : !features ? "labels.csv is"
         : "features.csv and labels.csv are", folder ? (int)folder : 2, folder ? path : "./");
}

static int info(session *s, const char *path, int linear, int brief)
{
    facts f = {.path = path, .linear = linear, .brief = brief};
    bonsai_graph *g = NULL;
    bonsai_status rc = calls.read(&g, path, &s->read);
    if (rc != BONSAI_OK)
        return fail(s, rc);
    f.g = g;
    f.v = bonsai_graph_view(g);
    f.class_counts = calloc((size_t)f.v->classes + 1, sizeof *f.class_counts);
    int code;
    if (!f.class_counts)
        code = fail_with(s, "there is not enough memory to count %lld classes",
                         (long long)f.v->classes);
    else if ((rc = gather(&f, s)) != BONSAI_OK)
        code = fail(s, rc);
    else
        code = show(s, &f);
    if (code == EXIT_DONE) {
        note_folder(s, &f);
        note_scales(s, g, path);
    }
    free(f.class_counts);
    bonsai_graph_free(g);
    return code;
}

typedef struct { const char *path; int linear, brief; } arguments;

int cmd_info(session *s, int argc, char **argv)
{
    arguments a = {.path = NULL};
    static const bonsai_field own[] = {
        {.name = "brief", OWN(arguments, brief, FLAG), .help = "sizes only"},
        {.name = "linear", OWN(arguments, linear, FLAG),
         .help = "also fit linear models on the features and on their two-hop averages"}, {0}};
    const opt_spec spec = {
        .usage = "info GRAPH [options]",
        .about = "Shows what a graph holds: sizes, degrees, classes, homophily, split, the bytes\n"
                 "of each section as a .bonsai file would hold it, what reading changed, and how\n"
                 "a condensed graph was made.",
        .examples = "  bonsai info graph.bonsai\n"
                    "  bonsai info data/ind.cora\n"
                    "  bonsai info graph.npz --json | python3 -m json.tool\n",
        .args = "GRAPH",
        .values = &a.path,
        .groups = (const opt_group[]){{.base = &a, .own = own}, {0}},
        .shared = OPT_READS | OPT_JSON,
    };
    int code = opt_parse(s, &spec, argc, argv);
    return code == OPT_GO ? info(s, a.path, a.linear, a.brief) : code;
}
