/* condensed.c -- summaries of condensed graphs.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "files/files.h"
#include "opt/opt.h"
#include "output/text.h"
#include "results/condensed.h"

int64_t condensed_roles(const bonsai_graph *g, bonsai_role role)
{
    const bonsai_array *a = &bonsai_graph_view(g)->section[BONSAI_SECTION_ROLE];
    const uint8_t *of = a->data;
    int64_t count = 0;
    for (int64_t v = 0; of && v < a->count; v++)
        count += of[v] == (uint8_t)role;
    return count;
}

const char *condensed_method(const bonsai_condense_info *i)
{
    const char *name = bonsai_method_name(i->method);
    return name ? name : "unknown";             /* of a later version */
}

void summary_condensed_options(summary *r, const bonsai_condense_options *o)
{
    char text[4096];
    int length = bonsai_options_json(text, sizeof text, BONSAI_OPTIONS_CONDENSE, o);
    summary_json(r, "options", length > 0 ? bn_json_parse(text, (size_t)length, 0, NULL) : NULL);
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
    bn_json *rows = bn_json_array();
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        int64_t small = (int64_t)size[k].small, full = (int64_t)size[k].full;
        bn_json *percent = full ? bn_json_real(100 * size[k].small / size[k].full) : bn_json_null();
        bn_json_add(rows, bn_json_pack("[s,I,I,o]", size[k].what, small, full, percent));
    }
    summary_table(r, NULL, columns, rows);
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        summary_int(r, size[k].key, NULL, (int64_t)size[k].small);
        summary_int(r, size[k].full_key, NULL, (int64_t)size[k].full);
    }
    summary_real(r, "ratio", NULL, i->ratio, NULL);
    summary_real(r, "paper_ratio", NULL, i->paper_ratio, NULL);
    /* Its values are rounded, and those of the full graph are not. */
    if (i->lossless_ratio > 0 && i->lossless_ratio != i->ratio) {
        summary_real(r, "lossless_ratio", NULL, i->lossless_ratio, NULL);
        summary_real(r, NULL, "bytes in the same bits", 100 * i->lossless_ratio, "%.3f %%");
        summary_note(r, "of the full graph, if its values were rounded the same way");
    }
}

typedef struct {
    const char *unit;
    double      limit, used;
    int         paper;          /* 1: bytes as in the paper */
} allowance;

static allowance budget_of(const bonsai_condense_options *o, const bonsai_condense_info *i)
{
    const char *unit = i->budget > 0 ? "bytes" : o->nodes > 0 ? "nodes" : "trees";
    int paper = o->accounting != BONSAI_ACCOUNTING_STRICT;
    double limit = i->budget > 0 ? i->budget : (double)(o->nodes > 0 ? o->nodes : o->trees);
    double used = i->budget > 0 ? (paper ? i->paper_bytes : i->bytes)
                  : o->nodes > 0 || i->learn_rounds > 0 || i->method == BONSAI_METHOD_PROTOTYPES
                      ? (double)i->nodes
                                                                   : (double)i->roots;
    return (allowance){unit, limit, used, paper};
}

static void add_budget(summary *r, const bonsai_condense_options *o, const bonsai_condense_info *i)
{
    const allowance a = budget_of(o, i);
    summary_int(r, "budget.limit", "budget", (int64_t)a.limit);
    summary_note(r, "%s%s", a.unit, i->budget > 0 && a.paper ? " as in the paper" : "");
    summary_text(r, "budget.unit", NULL, a.unit);
    summary_real(r, "budget.used", NULL, a.used / a.limit, NULL);
    summary_real(r, NULL, "used", 100 * a.used / a.limit, "%.1f %%");
}

/* Adds why less than half of the budget is used, if so. */
static void add_unused(summary *r, const char *key, const bonsai_condense_options *o,
                       const bonsai_condense_info *i)
{
    char text[256];
    const allowance a = budget_of(o, i);
    const char *why = i->method == BONSAI_METHOD_PROTOTYPES && i->probe >= 0
                          ? "the larger graphs that were tried scored no better with the probe"
                      : i->learn_rounds > 0 ? "the method learns no more nodes"
                                            : "no further node or tree fits";
    if (i->labelled >= i->trees)
        why = "it has a node for each training node";
    if (a.used >= a.limit / 2)
        return;
    snprintf(text, sizeof text, "It uses %.1f %% of the budget: %s.", 100 * a.used / a.limit, why);
    summary_text(r, key, "budget left", text);
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
    if (i->whole_trees >= 0) {
        summary_int(r, "whole_trees", "trees kept whole", i->whole_trees);
        summary_note(r, "roots with every node of their tree");
    }
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
    if (i->measured > 0)
        summary_real(r, "measured", NULL, i->measured, NULL);
    if (i->measured > 0 && i->measured < 1) {
        summary_real(r, NULL, "pairs measured", 100 * i->measured, "%.2f %%");
        summary_note(r, "of sampled and other trees; the others are too far for a cheaper bound");
    }
    summary_int(r, "rechecks", i->sample ? "lazy re-evaluations" : NULL, i->rechecks);
    summary_int(r, "rounds", i->rounds ? "rounds of pruning" : NULL, i->rounds);
    summary_int(r, "shallow_classes", i->shallow_classes ? "shallow classes" : NULL,
                i->shallow_classes);
    if (i->shallow_classes)
        summary_note(r, "none of their trees fitted whole");
}

/* Adds what the probe compared with, and on how many nodes; people read the sentence. */
static void add_probed(summary *r, const bonsai_condense_info *i, double kept)
{
    summary_real(r, "probe_full", NULL, known(i->probe_full), NULL);
    summary_real(r, "probe_kept", NULL, known(kept), NULL);
    summary_int(r, "probe_fitted", NULL, i->probe_fitted);
    summary_int(r, "probe_val", NULL, i->probe_val);
    summary_int(r, "probe_held", NULL, i->probe_held);
    summary_real(r, "probe_idle", NULL, known(i->probe_idle), NULL);
}

/* Adds the metric of the probe; people see it if it is not the usual one. */
static void add_metric(summary *r, const bonsai_condense_info *i)
{
    const char *word = field_named(BONSAI_OPTIONS_CONDENSE, "metric")->words[i->metric];
    const int usual = i->metric == BONSAI_AIM_ACCURACY || i->metric == BONSAI_AIM_AUTO;
    summary_text(r, "metric", NULL, word);
    if (usual)
        return;
    summary_text(r, NULL, "judged by", bonsai_aim_text(i->metric));
    if (i->metric == BONSAI_AIM_MIXED)
        summary_note(r, "accuracy alone would hide a rare class; --metric chooses another");
}

void summary_condensed_quality(summary *r, const bonsai_condense_info *i)
{
    char worth[400];
    double kept = -1;
    bonsai_condense_worth(worth, sizeof worth, &kept, i);
    summary_heading(r, "Quality");
    if (i->probe < 0) {
        summary_text(r, NULL, "probe", "none");
        summary_note(r, "it was not probed; bonsai eval trains networks on the small graph");
        return;
    }
    summary_real(r, "probe", "probe", i->probe, "%.2f %%");
    if (kept >= 0)
        summary_note(r, "%.1f %% of the %.2f %% that the full graph gives", kept, i->probe_full);
    if (i->probe_other >= 0) {
        summary_real(r, "probe_other", "best alternative", i->probe_other, "%.2f %%");
        summary_note(r, "not chosen; why names it");
    }
    add_metric(r, i);
    add_probed(r, i, kept);
    summary_text(r, "worth", "that is", worth);
}

/* Adds the number of prototypes and of second nodes, which have no label. */
void summary_prototypes(summary *r, const char *key, const char *second_key,
                        const bonsai_graph *small)
{
    const uint8_t *role = bonsai_graph_view(small)->section[BONSAI_SECTION_ROLE].data;
    const int64_t all = condensed_roles(small, BONSAI_ROLE_PROTOTYPE);
    int64_t second = 0;
    for (int64_t v = 0; all && v < bonsai_graph_nodes(small); v++)
        second += role[v] == BONSAI_ROLE_PROTOTYPE && bonsai_graph_label(small, v) < 0;
    summary_int(r, key, all ? "prototypes" : NULL, all - second);
    summary_int(r, second_key, second ? "second nodes" : NULL, second);
    if (second)
        summary_note(r, "without a label: each belongs to a prototype and stands for no nodes");
}

/* Adds the nodes that prototypes stand for: more than the training nodes if unlabelled ones take
 * part. */
static void add_stood(summary *r, const bonsai_condense_info *i, const bonsai_graph *small,
                      int weighted)
{
    double all = 0;
    for (int64_t v = 0; weighted && v < bonsai_graph_view(small)->nodes; v++)
        all += bonsai_graph_weight(small, v);
    weighted = weighted && all < 1e15;          /* a file from elsewhere may say anything */
    if (weighted)
        summary_int(r, "stand_for", "stand for", (int64_t)(all + 0.5));
    if (weighted && all > (double)i->trees)
        summary_note(r, "nodes; %lld of them have a training label", (long long)i->trees);
    else if (weighted)
        summary_note(r, "training nodes");
    summary_int(r, "trees", weighted ? NULL : "made with", i->trees);
    if (!weighted)
        summary_note(r, "training nodes");
}

static void add_prototypes(summary *r, const bonsai_condense_info *i, const bonsai_graph *small)
{
    const bonsai_view *v = bonsai_graph_view(small);
    const int soft = v->section[BONSAI_SECTION_SOFT_LABELS].data != NULL;
    const int weighted = v->section[BONSAI_SECTION_NODE_WEIGHTS].data != NULL;
    summary_heading(r, "Prototypes");
    summary_prototypes(r, "prototypes", "second_nodes", small);
    add_stood(r, i, small, weighted);
    summary_int(r, "layers", "layers", i->layers);
    summary_int(r, "directions", i->directions ? "directions that rows are made of" : NULL,
                i->directions);
    summary_int(r, "entries", i->entries ? "features kept of a row" : NULL, i->entries);
    if (!i->entries)
        summary_text(r, NULL, "features kept of a row", "all");
    summary_text(r, "values", "stored as", bonsai_type_text(i->values));
    summary_text(r, "labels", "labels", soft ? "soft" : "hard");
    summary_text(r, "weights", "weights in the loss", weighted ? "yes" : "no");
    summary_json(r, "members", bn_json_flag(v->section[BONSAI_SECTION_MEMBERS].data != NULL));
}

static void add_learned(summary *r, const bonsai_condense_info *i, const bonsai_graph *small)
{
    const bonsai_view *v = bonsai_graph_view(small);
    const int soft = v->section[BONSAI_SECTION_SOFT_LABELS].data != NULL;
    summary_heading(r, "Learned");
    summary_int(r, "learned", "nodes that were learned", i->nodes);
    summary_int(r, "trees", "from", i->trees);
    summary_note(r, "training nodes");
    summary_text(r, "settings", "settings", i->learn_settings);
    summary_note(r, "%s", i->learn_own ? "published for this graph"
                                       : "published for the graph of the nearest shape");
    summary_int(r, "learn_rounds", "rounds", i->learn_rounds);
    summary_int(r, "learn_made", i->learn_made < i->learn_rounds ? "made" : NULL, i->learn_made);
    summary_int(r, "learn_kept", "kept", i->learn_kept);
    summary_real(r, "learn_loss", "its loss", i->learn_loss >= 0 ? i->learn_loss : NAN, "%.4g");
    summary_int(r, "learn_skipped", i->learn_skipped ? "gradients not finite" : NULL,
                i->learn_skipped);
    if (i->learn_skipped)
        summary_note(r, "their steps were not taken");
    summary_text(r, "learn_end", strcmp(i->learn_end, "done") ? "ended" : NULL, i->learn_end);
    summary_text(r, "labels", "labels", soft ? "soft" : "hard");
}

void summary_condensed_making(summary *r, const bonsai_condense_info *i, const bonsai_graph *small)
{
    if (i->method == BONSAI_METHOD_PROTOTYPES)
        add_prototypes(r, i, small);
    else if (i->learn_rounds > 0)
        add_learned(r, i, small);
    else
        add_cover(r, i);
}

void summary_condensed_memory(summary *r, const bonsai_condense_info *i)
{
    char peak[32], held[32], allowed[32];
    text_bytes(peak, sizeof peak, (double)i->peak_rss_bytes);
    summary_note(r, "peak memory %s with mapped files", peak);
    summary_int(r, "peak_rss_bytes", NULL, i->peak_rss_bytes);
    text_bytes(held, sizeof held, (double)i->held);
    text_bytes(allowed, sizeof allowed, (double)i->memory);
    summary_int(r, "memory.allowed", NULL, i->memory);
    summary_int(r, "memory.held", NULL, i->held);
    summary_int(r, "memory.scratch", i->scratch ? "bytes in scratch files" : NULL, i->scratch);
    if (i->scratch && i->columns > 0)
        summary_note(r, "embedded %d columns at a time; %s of large arrays stayed in memory, %s is "
                     "allowed", i->columns, held, allowed);
    else if (i->scratch)
        summary_note(r, "%s of large arrays stayed in memory, %s is allowed", held, allowed);
    summary_int(r, "memory.columns", NULL, i->columns);
}

static void add_effort(summary *r, const bonsai_condense_info *i)
{
    summary_heading(r, "Seconds");
    summary_real(r, "seconds.measure", "measuring the graph", i->seconds_measure, "%.3f");
    summary_real(r, "seconds.wl", "WL embeddings", i->seconds_wl, "%.3f");
    summary_real(r, "seconds.knn", "nearest neighbours", i->seconds_knn, "%.3f");
    summary_real(r, "seconds.cover", "cover", i->seconds_cover, "%.3f");
    summary_real(r, "seconds.sparsify", "sparsify", i->seconds_sparsify, "%.3f");
    summary_real(r, "seconds.cluster", "cluster", i->seconds_cluster, "%.3f");
    summary_real(r, "seconds.fit", "posteriors", i->seconds_fit, "%.3f");
    summary_real(r, "seconds.probe", "probe", i->seconds_probe, "%.3f");
    summary_real(r, "seconds.learn", "learning", i->seconds_learn, "%.3f");
    summary_real(r, "seconds.finish", "the small graph", i->seconds_finish, "%.3f");
    summary_real(r, "seconds.total", "total", i->seconds_total, "%.3f");
    summary_condensed_memory(r, i);
}

static void add_count(summary *r, const char *label, double small, double full)
{
    char all[32];
    text_grouped(all, sizeof all, (int64_t)full);
    summary_int(r, NULL, label, (int64_t)small);
    if (full > 0)
        summary_note(r, "%.3g %% of %s", 100 * small / full, all);
}

/* Adds what people see without -v: the file, the size and the worth. */
static void add_brief(summary *r, const bonsai_condense_options *o, const bonsai_condense_info *i,
                      const char *path)
{
    char worth[400], peak[32];
    double kept = -1;
    bonsai_condense_worth(worth, sizeof worth, &kept, i);
    text_bytes(peak, sizeof peak, (double)i->peak_rss_bytes);
    summary_heading(r, "Condensed");
    summary_text(r, NULL, "written", path);
    summary_text(r, NULL, "method", bonsai_method_name(i->method));
    add_count(r, "bytes", i->bytes, i->full_bytes);
    add_count(r, "nodes", (double)i->nodes, (double)i->full_nodes);
    add_count(r, "edges", (double)i->edges, (double)i->full_edges);
    add_unused(r, NULL, o, i);
    summary_real(r, NULL, "seconds", i->seconds_total, "%.2f");
    summary_note(r, "peak memory %s", peak);
    if (i->probe >= 0)
        summary_text(r, NULL, "worth", worth);
}

void summary_condensed(summary *r, const bonsai_condense_options *o, const bonsai_condense_info *i,
                       const bonsai_graph *small, const char *path)
{
    bonsai_condense_options made;
    bonsai_condense_options_init(&made);
    r->show = SHOW_BRIEF;
    add_brief(r, o, i, path);
    r->show = SHOW_VERBOSE;
    summary_heading(r, "Condensed");
    summary_text(r, "written", "written", path);
    summary_file_bytes(r, "file_bytes", "bytes on disk", path);
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
    summary_condensed_quality(r, i);
    add_unused(r, "unused", o, i);
    r->show = SHOW_ALWAYS;
    if (summary_has(r, bonsai_condense_options_of(&made, small)))
        summary_condensed_options(r, &made);
}
