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

void summary_why(summary *r, const bonsai_condense_info *i)
{
    if (*bonsai_fact_text(i, "choice.why"))
        summary_text(r, "why", "why", bonsai_fact_text(i, "choice.why"));
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
        {"bytes as in the paper", "paper_bytes", "paper_full_bytes", fact(i, "sizes.paper_bytes"),
         fact(i, "sizes.paper_full_bytes")},
        {"nodes", "nodes", "full_nodes", (double)i->nodes, (double)i->full_nodes},
        {"edges", "edges", "full_edges", (double)i->edges, (double)i->full_edges},
        {"labelled nodes", "labelled", "full_labelled", (double)i->labelled,
         fact(i, "sizes.full_labelled")},
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
    summary_real(r, "paper_ratio", NULL, fact(i, "sizes.paper_ratio"), NULL);
    /* Its values are rounded, and those of the full graph are not. */
    const double lossless = fact(i, "recipe.lossless_ratio");
    if (lossless > 0 && lossless != i->ratio) {
        summary_real(r, "lossless_ratio", NULL, lossless, NULL);
        summary_real(r, NULL, "bytes in the same bits", 100 * lossless, "%.3f %%");
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
    const int paper = o->accounting != BONSAI_ACCOUNTING_STRICT;
    const double bytes = fact(i, "budget");
    const int makes = fact(i, "learned.rounds") > 0 || i->method == BONSAI_METHOD_PROTOTYPES;
    if (bytes > 0)
        return (allowance){"bytes", bytes, paper ? fact(i, "sizes.paper_bytes") : i->bytes, paper};
    return (allowance){o->nodes > 0 ? "nodes" : "trees", (double)(o->nodes > 0 ? o->nodes : o->trees),
                       (double)(o->nodes > 0 || makes ? i->nodes : i->roots), 0};
}

static void add_budget(summary *r, const bonsai_condense_options *o, const bonsai_condense_info *i)
{
    const allowance a = budget_of(o, i);
    summary_int(r, "budget.limit", "budget", (int64_t)a.limit);
    summary_note(r, "%s%s", a.unit, a.paper ? " as in the paper" : "");
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
                      : fact(i, "learned.rounds") > 0 ? "the method learns no more nodes"
                                            : "no further node or tree fits";
    if (i->labelled >= fact_whole(i, "trees"))
        why = "it has a node for each training node";
    if (a.used >= a.limit / 2)
        return;
    snprintf(text, sizeof text, "It uses %.1f %% of the budget: %s.", 100 * a.used / a.limit, why);
    summary_text(r, key, "budget left", text);
}

/* ---- facts by their table ---- */

double fact(const bonsai_condense_info *i, const char *path)
{
    double value;
    bonsai_fact(&value, i, path);
    return value;
}

int64_t fact_whole(const bonsai_condense_info *i, const char *path)
{
    const double value = fact(i, path);
    return isnan(value) ? 0 : (int64_t)value;
}

/* The path without its group of the metadata. */
static const char *key_of(const bonsai_fact_row *f)
{
    const char *dot = strchr(f->path, '.');
    if (f->key)
        return f->key;
    return dot && f->type != BONSAI_FACT_SECONDS && !(f->marks & BONSAI_FACT_MEMORY) ? dot + 1
                                                                                     : f->path;
}

static int is_for_people(const bonsai_fact_row *f, const bonsai_condense_info *i, double value)
{
    if (!f->label || (f->when && !(fact(i, f->when) > 0)))
        return 0;
    if (strcmp(f->path, "learned.made") == 0)
        return value < fact(i, "learned.rounds");
    return f->marks & BONSAI_FACT_IF_PART ? value > 0 && value < 1
                                          : f->type != BONSAI_FACT_SHARE || isfinite(value);
}

static void note_scratch(summary *r, const bonsai_condense_info *i)
{
    char held[32], allowed[32];
    const int columns = (int)fact_whole(i, "memory.columns");
    text_bytes(held, sizeof held, fact(i, "memory.held"));
    text_bytes(allowed, sizeof allowed, fact(i, "memory.allowed"));
    if (columns > 0)
        summary_note(r, "embedded %d columns at a time; %s of large arrays stayed in memory, %s is "
                     "allowed", columns, held, allowed);
    else
        summary_note(r, "%s of large arrays stayed in memory, %s is allowed", held, allowed);
}

/* What stands beside a fact and depends on others. */
static void add_beside(summary *r, const bonsai_condense_info *i, const char *key,
                       const char *label)
{
    double kept = -1;
    if (strcmp(key, "sample") == 0 && fact(i, "cover.sample") == fact(i, "trees"))
        summary_note(r, "all");
    else if (strcmp(key, "memory.scratch") == 0 && fact(i, key) > 0)
        note_scratch(r, i);
    else if (strcmp(key, "entries") == 0 && !fact_whole(i, "recipe.entries"))
        summary_text(r, NULL, label, "all");
    else if (strcmp(key, "settings") == 0)
        summary_note(r, "%s", fact(i, "learned.own_settings") > 0
                                  ? "published for this graph"
                                  : "published for the graph of the nearest shape");
    else if (strcmp(key, "probe_full") == 0) {
        bonsai_condense_worth(NULL, 0, &kept, i);
        summary_real(r, "probe_kept", NULL, known(kept), NULL);
    }
}

static void add_fact(summary *r, const bonsai_condense_info *i, const bonsai_fact_row *f)
{
    const double value = fact(i, f->path);
    const int shown = is_for_people(f, i, value);
    const char *key = key_of(f), *label = shown ? f->label : NULL;
    if (f->type == BONSAI_FACT_WORD || f->type == BONSAI_FACT_TEXT)
        summary_text(r, key, label, bonsai_fact_text(i, f->path));
    else if (f->type == BONSAI_FACT_WHOLE)
        summary_int(r, key, label, fact_whole(i, f->path));
    else if (f->type != BONSAI_FACT_SHARE)
        summary_real(r, key, label, value, f->type == BONSAI_FACT_SECONDS ? "%.3f" : f->format);
    else {
        summary_real(r, key, NULL, value, NULL);
        if (shown)
            summary_real(r, NULL, label, 100 * value, f->format);
    }
    if (shown && f->note)
        summary_note(r, "%s", f->note);
    add_beside(r, i, key, f->label);
}

/* The facts with one of these marks. */
static void add_facts(summary *r, const bonsai_condense_info *i, unsigned marks)
{
    const bonsai_fact_row *f;
    for (int k = 0; (f = bonsai_fact_at(k)); k++)
        if (f->marks & marks && !(f->marks & BONSAI_FACT_OMIT && isnan(fact(i, f->path))))
            add_fact(r, i, f);
}

static void add_cover(summary *r, const bonsai_condense_info *i)
{
    summary_heading(r, "Trees");
    summary_int(r, "roots", "roots", i->roots);
    summary_int(r, "ego", "ego nodes", i->nodes - i->roots);
    summary_note(r, "came along in a root's tree");
    add_facts(r, i, BONSAI_FACT_TREES);
}

/* Adds the metric of the probe; people see it if it is not the usual one. */
static void add_metric(summary *r, const bonsai_condense_info *i)
{
    const bonsai_aim metric = (bonsai_aim)fact_whole(i, "metric");
    const char *word = field_named(BONSAI_OPTIONS_CONDENSE, "metric")->words[metric];
    const int usual = metric == BONSAI_AIM_ACCURACY || metric == BONSAI_AIM_AUTO;
    summary_text(r, "metric", NULL, word);
    if (usual)
        return;
    summary_text(r, NULL, "judged by", bonsai_aim_text(metric));
    if (metric == BONSAI_AIM_MIXED)
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
    const double other = fact(i, "choice.probe_other");
    if (other >= 0) {
        summary_real(r, "probe_other", "best alternative", other, "%.2f %%");
        summary_note(r, "not chosen; why names it");
    }
    add_metric(r, i);
    add_facts(r, i, BONSAI_FACT_PROBE);
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
    const int64_t trees = fact_whole(i, "trees");
    if (weighted && all > (double)trees)
        summary_note(r, "nodes; %lld of them have a training label", (long long)trees);
    else if (weighted)
        summary_note(r, "training nodes");
    summary_int(r, "trees", weighted ? NULL : "made with", trees);
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
    add_facts(r, i, BONSAI_FACT_PROTOTYPES);
    summary_text(r, "labels", "labels", soft ? "soft" : "hard");
    summary_text(r, "weights", "weights in the loss", weighted ? "yes" : "no");
    summary_json(r, "members", bn_json_flag(v->section[BONSAI_SECTION_MEMBERS].data != NULL));
}

static void add_learned(summary *r, const bonsai_condense_info *i, const bonsai_graph *small)
{
    const bonsai_view *v = bonsai_graph_view(small);
    const int soft = v->section[BONSAI_SECTION_SOFT_LABELS].data != NULL;
    const char *end = bonsai_fact_text(i, "learned.end");
    summary_heading(r, "Learned");
    summary_int(r, "learned", "nodes that were learned", i->nodes);
    summary_int(r, "trees", "from", fact_whole(i, "trees"));
    summary_note(r, "training nodes");
    add_facts(r, i, BONSAI_FACT_LEARNED);
    summary_text(r, "learn_end", strcmp(end, "done") ? "ended" : NULL, end);
    summary_text(r, "labels", "labels", soft ? "soft" : "hard");
}

void summary_condensed_making(summary *r, const bonsai_condense_info *i, const bonsai_graph *small)
{
    if (i->method == BONSAI_METHOD_PROTOTYPES)
        add_prototypes(r, i, small);
    else if (fact(i, "learned.rounds") > 0)
        add_learned(r, i, small);
    else
        add_cover(r, i);
}

void summary_condensed_memory(summary *r, const bonsai_condense_info *i)
{
    char peak[32];
    text_bytes(peak, sizeof peak, (double)i->peak_rss_bytes);
    summary_note(r, "peak memory %s with mapped files", peak);
    add_facts(r, i, BONSAI_FACT_MEMORY);
}

static void add_effort(summary *r, const bonsai_condense_info *i)
{
    const bonsai_fact_row *f;
    summary_heading(r, "Seconds");
    for (int k = 0; (f = bonsai_fact_at(k)); k++)
        if (f->type == BONSAI_FACT_SECONDS)
            add_fact(r, i, f);
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
    summary_why(r, i);
    summary_seed(r, i->seed);
    add_budget(r, o, i);
    summary_heading(r, "Size");
    summary_condensed_sizes(r, i);
    summary_int(r, "features", NULL, fact_whole(i, "features"));
    summary_condensed_making(r, i, small);
    add_effort(r, i);
    summary_condensed_quality(r, i);
    add_unused(r, "unused", o, i);
    r->show = SHOW_ALWAYS;
    if (summary_has(r, bonsai_condense_options_of(&made, small)))
        summary_condensed_options(r, &made);
}
