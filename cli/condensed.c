/* condensed.c -- reports about condensed graphs, and the one they carry.
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "cli.h"

json_t *condensed_metadata(const bonsai_graph *g)
{
    const bonsai_array *a = &bonsai_graph_view(g)->section[BONSAI_SECTION_METADATA];
    json_t *meta = a->data ? json_loadb(a->data, (size_t)a->count, 0, NULL) : NULL;
    if (json_is_string(json_object_get(meta, "method")))
        return meta;
    json_decref(meta);
    return NULL;
}

int64_t condensed_roles(const bonsai_graph *g, bonsai_role role)
{
    const bonsai_array *a = &bonsai_graph_view(g)->section[BONSAI_SECTION_ROLE];
    const uint8_t *of = a->data;
    int64_t count = 0;
    for (int64_t v = 0; of && v < a->count; v++)
        count += of[v] == (uint8_t)role;
    return count;
}

/* Files may hold anything: 0 for what no count can be. */
static double real(const json_t *from, const char *name)
{
    double value = json_number_value(json_object_get(from, name));
    return fabs(value) < 9e15 ? value : 0;
}

static int64_t whole(const json_t *from, const char *name)
{
    return (int64_t)real(from, name);
}

static int small_number(const json_t *from, const char *name)
{
    double value = real(from, name);
    return fabs(value) < INT_MAX ? (int)value : 0;
}

static bonsai_method method_named(const char *name)
{
    for (int m = 0; name && bonsai_method_name((bonsai_method)m); m++)
        if (strcmp(bonsai_method_name((bonsai_method)m), name) == 0)
            return (bonsai_method)m;
    return BONSAI_METHOD_COUNT;
}

static bonsai_type type_named(const char *name)
{
#define NAMED(type, value, bytes) \
    if (name && strcmp(bonsai_type_text(BONSAI_TYPE_##type), name) == 0) \
        return BONSAI_TYPE_##type;
    BONSAI_TYPE_MAP(NAMED)
#undef NAMED
    return BONSAI_TYPE_NONE;
}

static void read_prototypes(bonsai_condense_info *i, const json_t *meta)
{
    const json_t *p = json_object_get(meta, "recipe"), *chosen = json_object_get(meta, "choice");
    const json_t *probe = json_object_get(chosen ? chosen : p, "probe");
    const json_t *other = json_object_get(chosen, "probe_other");
    const char *why = json_string_value(json_object_get(chosen, "why"));
    i->method = method_named(json_string_value(json_object_get(meta, "method")));
    if (p)
        i->trees = whole(p, "trees");
    i->entries = small_number(p, "entries");
    i->values = type_named(json_string_value(json_object_get(p, "values")));
    i->lossless_ratio = real(p, "lossless_ratio");
    i->probe = json_is_number(probe) ? json_number_value(probe) : -1;
    i->probe_other = json_is_number(other) ? json_number_value(other) : -1;
    snprintf(i->why, sizeof i->why, "%s", why ? why : "");
}

void condensed_info(bonsai_condense_info *i, const json_t *meta)
{
    const json_t *size = json_object_get(meta, "sizes"), *cover = json_object_get(meta, "cover");
    const json_t *options = json_object_get(meta, "options");
    bonsai_condense_info_init(i);
    i->nodes = whole(size, "nodes");
    i->edges = whole(size, "edges");
    i->labelled = whole(size, "labelled");
    i->roots = whole(size, "roots");
    i->full_nodes = whole(size, "full_nodes");
    i->full_edges = whole(size, "full_edges");
    i->full_labelled = whole(size, "full_labelled");
    i->bytes = real(size, "bytes");
    i->full_bytes = real(size, "full_bytes");
    i->ratio = real(size, "ratio");
    i->paper_bytes = real(size, "paper_bytes");
    i->paper_full_bytes = real(size, "paper_full_bytes");
    i->paper_ratio = real(size, "paper_ratio");
    i->trees = whole(cover, "trees");
    i->sample = whole(cover, "sample");
    i->coverage = cover ? real(cover, "coverage") : -1;
    i->coverage_check = cover ? real(cover, "coverage_check") : -1;
    i->coverage_bound = cover ? real(cover, "coverage_bound") : -1;
    i->recall = cover ? real(cover, "recall") : 1;
    i->rechecks = whole(cover, "rechecks");
    i->rounds = small_number(cover, "rounds");
    i->shallow_classes = small_number(cover, "shallow_classes");
    i->layers = small_number(options, "layers");
    i->k = small_number(options, "k");
    read_prototypes(i, meta);
}

void condensed_options(bonsai_condense_options *o, const json_t *meta)
{
    const json_t *from = json_object_get(meta, "options");
    const json_t *split = json_object_get(from, "split"), *p = json_object_get(meta, "recipe");
    int layers = small_number(p ? p : from, "layers");
    bonsai_condense_options_init(o);
    if (json_is_object(from)) {
        o->layers = layers >= 0 && layers <= 16 ? layers : o->layers;
        o->seed = (uint64_t)json_integer_value(json_object_get(from, "seed"));
        o->ratio = real(from, "ratio");
        o->bytes = whole(from, "bytes");
        o->nodes = whole(from, "nodes");
        o->trees = whole(from, "trees");
        const char *accounting = json_string_value(json_object_get(from, "accounting"));
        if (accounting && strcmp(accounting, "paper") == 0)
            o->accounting = BONSAI_ACCOUNTING_PAPER_FULL;
    }
    for (size_t k = 0; k < 3; k++)
        o->split[k] = json_number_value(json_array_get(split, k));
}

void summary_seed(summary *r, uint64_t seed)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    if (seed <= INT64_MAX)
        summary_int(r, "seed", "seed", (int64_t)seed);
    else
        summary_text(r, "seed", "seed", text);   /* JSON's whole numbers end there */
}

static double known(double share)
{
    return share >= 0 ? share : NAN;
}

void summary_condensed_sizes(summary *r, const bonsai_condense_info *i)
{
    static const column columns[] = {{"what", "", NULL}, {"small", "small", NULL},
                                     {"full", "full", NULL}, {"percent", "small / full %", "%.3f"},
                                     {NULL, NULL, NULL}};
    const struct { const char *what, *key, *full_key; double small, full; } size[] = {
        {"bytes", "bytes", "full_bytes", i->bytes, i->full_bytes},
        {"bytes as in the paper", "paper_bytes", "paper_full_bytes", i->paper_bytes,
         i->paper_full_bytes},
        {"nodes", "nodes", "full_nodes", (double)i->nodes, (double)i->full_nodes},
        {"edges", "edges", "full_edges", (double)i->edges, (double)i->full_edges},
        {"labelled nodes", "labelled", "full_labelled", (double)i->labelled,
         (double)i->full_labelled},
    };
    json_t *rows = json_array();
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        json_int_t small = (json_int_t)size[k].small, full = (json_int_t)size[k].full;
        json_t *percent = full ? json_real(100 * size[k].small / size[k].full) : json_null();
        json_array_append_new(rows, json_pack("[s,I,I,o]", size[k].what, small, full, percent));
    }
    summary_table(r, NULL, columns, rows);
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        summary_int(r, size[k].key, NULL, (int64_t)size[k].small);
        summary_int(r, size[k].full_key, NULL, (int64_t)size[k].full);
    }
    summary_real(r, "ratio", NULL, i->ratio, NULL);
    summary_real(r, "paper_ratio", NULL, i->paper_ratio, NULL);
    if (i->lossless_ratio > 0 && i->lossless_ratio != i->ratio) {        /* its values are rounded, the full graph's are not */
        summary_real(r, "lossless_ratio", NULL, i->lossless_ratio, NULL);
        summary_real(r, NULL, "bytes in the same bits", 100 * i->lossless_ratio, "%.3f %%");
        summary_note(r, "of the full graph, were its values rounded likewise");
    }
}

static void add_budget(summary *r, const bonsai_condense_options *o, const bonsai_condense_info *i)
{
    const char *unit = i->budget > 0 ? "bytes" : o->nodes > 0 ? "nodes" : "trees";
    int paper = o->accounting != BONSAI_ACCOUNTING_STRICT;
    double limit = i->budget > 0 ? i->budget : (double)(o->nodes > 0 ? o->nodes : o->trees);
    double used = i->budget > 0 ? (paper ? i->paper_bytes : i->bytes)
                  : o->nodes > 0 || i->method == BONSAI_METHOD_PROTOTYPES ? (double)i->nodes
                                                                   : (double)i->roots;
    summary_int(r, "budget.limit", "budget", (int64_t)limit);
    summary_note(r, "%s%s", unit, i->budget > 0 && paper ? " as in the paper" : "");
    summary_text(r, "budget.unit", NULL, unit);
    summary_real(r, "budget.used", NULL, used / limit, NULL);
    summary_real(r, NULL, "used", 100 * used / limit, "%.1f %%");
}

static void add_share(summary *r, const char *key, const char *label, double share)
{
    summary_real(r, key, NULL, known(share), NULL);
    if (share >= 0)
        summary_real(r, NULL, label, 100 * share, "%.1f %%");
}

static void add_cover(summary *r, const bonsai_condense_info *i)
{
    summary_heading(r, "Trees");
    summary_int(r, "roots", "roots", i->roots);
    summary_int(r, "ego", "ego nodes", i->nodes - i->roots);
    summary_note(r, "came along in a root's tree");
    summary_int(r, "trees", "training trees", i->trees);
    summary_int(r, "sample", i->sample ? "sampled" : NULL, i->sample);
    if (i->sample == i->trees)
        summary_note(r, "all");
    summary_int(r, "layers", "layers", i->layers);
    summary_int(r, "k", i->sample ? "k" : NULL, i->k);
    add_share(r, "coverage", "coverage", i->coverage);
    if (i->coverage >= 0)
        summary_note(r, "of the sample");
    add_share(r, "coverage_check", "on another sample", i->coverage_check);
    add_share(r, "coverage_bound", "at most", i->coverage_bound);
    if (i->coverage_bound >= 0)
        summary_note(r, "no trees at this budget cover more of the sample");
    summary_real(r, "recall", i->recall < 1 ? "recall of the k-NN" : NULL, i->recall, "%.3f");
    summary_int(r, "rechecks", i->sample ? "lazy re-evaluations" : NULL, i->rechecks);
    summary_int(r, "rounds", i->rounds ? "rounds of pruning" : NULL, i->rounds);
    summary_int(r, "shallow_classes", i->shallow_classes ? "shallow classes" : NULL,
                i->shallow_classes);
    if (i->shallow_classes)
        summary_note(r, "none of their trees fitted whole");
}

static void add_probe(summary *r, const bonsai_condense_info *i)
{
    if (i->probe < 0)
        return;
    summary_real(r, "probe", "probe", i->probe, "%.2f %%");
    summary_note(r, "of the nodes it judges on, by ridge regression from the small graph");
    if (i->probe_other >= 0) {
        summary_real(r, "probe_other",
                     i->method == BONSAI_METHOD_TREES ? "with prototypes" : "with trees",
                     i->probe_other, "%.2f %%");
        summary_note(r, "the probe of what was not chosen");
    }
}

static void add_prototypes(summary *r, const bonsai_condense_info *i, const bonsai_graph *small)
{
    const bonsai_view *v = bonsai_graph_view(small);
    const int soft = v->section[BONSAI_SECTION_SOFT_LABELS].data != NULL;
    const int weighted = v->section[BONSAI_SECTION_NODE_WEIGHTS].data != NULL;
    summary_heading(r, "Prototypes");
    summary_int(r, "prototypes", "prototypes", i->nodes);
    summary_int(r, "trees", "stand for", i->trees);
    summary_note(r, "training nodes");
    summary_int(r, "layers", "layers", i->layers);
    summary_int(r, "entries", i->entries ? "features kept of a row" : NULL, i->entries);
    if (!i->entries)
        summary_text(r, NULL, "features kept of a row", "all");
    summary_text(r, "values", "stored as", bonsai_type_text(i->values));
    summary_text(r, "labels", "labels", soft ? "soft" : "hard");
    summary_text(r, "weights", "weights in the loss", weighted ? "yes" : "no");
    summary_json(r, "members", json_boolean(v->section[BONSAI_SECTION_MEMBERS].data != NULL));
}

void summary_condensed_making(summary *r, const bonsai_condense_info *i, const bonsai_graph *small)
{
    if (i->method == BONSAI_METHOD_PROTOTYPES)
        add_prototypes(r, i, small);
    else
        add_cover(r, i);
    add_probe(r, i);
}

/* What was allowed, how the embedding was held, and what that cost. */
static void add_memory(summary *r, const bonsai_condense_info *i)
{
    char held[32], allowed[32];
    text_bytes(held, sizeof held, (double)i->held);
    text_bytes(allowed, sizeof allowed, (double)i->memory);
    summary_int(r, "memory.allowed", NULL, i->memory);
    summary_int(r, "memory.held", NULL, i->held);
    summary_int(r, "memory.scratch", i->scratch ? "bytes in scratch files" : NULL, i->scratch);
    if (i->scratch)
        summary_note(r, "embedded %d columns at a time; %s of %s in memory", i->columns, held,
                     allowed);
    summary_int(r, "memory.columns", NULL, i->columns);
}

static void add_effort(summary *r, const bonsai_condense_info *i)
{
    char memory[32];
    text_bytes(memory, sizeof memory, (double)i->peak_rss_bytes);
    summary_heading(r, "Seconds");
    summary_real(r, "seconds.wl", "WL embeddings", i->seconds_wl, "%.3f");
    summary_real(r, "seconds.knn", "nearest neighbours", i->seconds_knn, "%.3f");
    summary_real(r, "seconds.cover", "cover", i->seconds_cover, "%.3f");
    summary_real(r, "seconds.sparsify", "sparsify", i->seconds_sparsify, "%.3f");
    summary_real(r, "seconds.cluster", "cluster", i->seconds_cluster, "%.3f");
    summary_real(r, "seconds.probe", "probe", i->seconds_probe, "%.3f");
    summary_real(r, "seconds.total", "total", i->seconds_total, "%.3f");
    summary_note(r, "peak memory %s", memory);
    summary_int(r, "peak_rss_bytes", NULL, i->peak_rss_bytes);
    add_memory(r, i);
}

void summary_condensed(summary *r, const bonsai_condense_options *o, const bonsai_condense_info *i,
                       const bonsai_graph *small, const char *path)
{
    json_t *meta = condensed_metadata(small);
    summary_heading(r, "Condensed");
    summary_text(r, "written", "written", path);
    summary_int(r, "file_bytes", "bytes on disk", path_bytes(path));
    summary_note(r, "with its report and the original ids");
    summary_text(r, "method", "method", bonsai_method_name(i->method));
    if (i->why[0])
        summary_text(r, "why", "why", i->why);
    summary_seed(r, i->seed);
    add_budget(r, o, i);
    summary_heading(r, "Size");
    summary_condensed_sizes(r, i);
    summary_int(r, "features", NULL, i->features);
    summary_condensed_making(r, i, small);
    add_effort(r, i);
    if (meta)
        summary_json(r, "options", json_incref(json_object_get(meta, "options")));
    json_decref(meta);
}
