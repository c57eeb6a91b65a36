/* report.c -- the page that shows what a small graph kept and why.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "options/options.h"
#include "page.h"

struct bonsai_report {
    bn_page page;
};

static const struct {
    const char *id, *heading, *brief;
    bn_json *(*values)(const bn_sheet *s);
    const char *folded;         /* what is inside, for those who may open it; NULL: open */
} sections[] = {
    {"accuracy", "Accuracy and other metrics on the full graph", "Accuracy", bn_sheet_accuracy,
     NULL},
    {"ratio", "Which ratio keeps the score", "Ratio", bn_sheet_curve, NULL},
    {"map", "Maps of the nodes", "Maps", bn_sheet_map, NULL},
    {"nodes", "What the small graph consists of", "Nodes", bn_sheet_nodes, NULL},
    {"before", "Classes and degrees, before and after", "Classes and degrees", bn_sheet_before,
     NULL},
    {"options", "Options that were changed", "Options", bn_sheet_options, NULL},
    {"repeat", "The command that repeats it", "Repeat", bn_sheet_command, NULL},
    {"sizes", "Sizes, counted in every way", "Sizes", bn_sheet_sizes,
     "bytes, nodes and edges, by our accounting and by the paper's"},
    {"bytes", "Bytes by section", "Bytes", bn_sheet_bytes,
     "what takes the room: edges, features, labels"},
    {"learned", "How it was learned", "Learning", bn_sheet_learned, "rounds, loss and settings"},
    {"coverage", "What the trees cover", "Coverage", bn_sheet_coverage,
     "the share of the sample that the chosen trees stand for"},
    {"pruning", "What PageRank removed", "Pruning", bn_sheet_pruning,
     "the scores of each round, and where they were cut"},
    {"effort", "Time and memory", "Time", bn_sheet_effort, "the seconds of each stage"},
};

enum { SECTIONS = sizeof sections / sizeof *sections };

/* ---- the sheet's data ---------------------------------------------------- */

static double counted_bytes(const int64_t *bytes)
{
    double sum = 0;
#define COUNT(name, id, text, counted) sum += (counted) ? (double)bytes[id] : 0;
    BONSAI_SECTION_MAP(COUNT)
#undef COUNT
    return sum;
}

/* Returns the number, or `otherwise` if it is 0, which records have for what is not known. */
static double known(double v, double otherwise)
{
    return v > 0 ? v : otherwise;
}

static void measure(bn_sheet *s)
{
    const bn_facts *f = s->f;
    const bonsai_condense_info *made = &f->made.info;
    const bool full = f->full_stats.size > 0, recorded = made->full_nodes > 0;
    double paper = NAN;
    s->small = (bn_extent){(double)f->small_stats.nodes, (double)f->small_stats.edges,
                           (double)f->small_stats.labelled,
                           known(made->bytes, counted_bytes(f->small_bytes)),
                           known(bn_fact(made, BN_FACT_PAPER_BYTES), NAN)};
    s->full = (bn_extent){
        full ? (double)f->full_stats.nodes : known((double)made->full_nodes, NAN),
        full ? (double)f->full_stats.edges : recorded ? (double)made->full_edges : NAN,
        full ? (double)f->full_stats.labelled
             : recorded ? bn_fact(made, BN_FACT_FULL_LABELLED) : NAN,
        known(made->full_bytes, full ? counted_bytes(f->full_bytes) : NAN),
        known(bn_fact(made, BN_FACT_PAPER_FULL_BYTES), NAN)};
    if (!isfinite(s->small.paper) && f->small &&
        bonsai_graph_bytes(&paper, f->small, BONSAI_ACCOUNTING_PAPER_CONDENSED) == BONSAI_OK)
        s->small.paper = paper;
    if (!isfinite(s->full.paper) && f->full &&
        bonsai_graph_bytes(&paper, f->full, BONSAI_ACCOUNTING_PAPER_FULL) == BONSAI_OK)
        s->full.paper = paper;
    s->second = f->method && strcmp(f->method, "prototypes") == 0
                    ? s->small.nodes - s->small.labelled : 0;
    s->training = known(bn_fact(made, BN_FACT_TREES), NAN);
    s->stood = known(f->stood, NAN);
    s->coverage = made->coverage >= 0 ? made->coverage : NAN;
}

/* Returns the last part of a path that is not empty. */
static const char *last_part(const char *path)
{
    const char *start = path;
    for (const char *at = path; *at; at++)
        if (at[0] == '/' && at[1] && at[1] != '/')
            start = at + 1;
    return start;
}

static void settle(bn_sheet *s)
{
    const bonsai_report_options *o = s->o;
    s->small_path = o->small_name ? o->small_name : "SMALL";
    s->full_path = o->full_name ? o->full_name : "GRAPH";
    s->small_name = o->small_name ? last_part(o->small_name) : "small";
    s->full_name = o->full_name ? last_part(o->full_name) : "full";
    if (o->title)
        snprintf(s->title, sizeof s->title, "%s", o->title);
    else if (isfinite(s->full.nodes))
        snprintf(s->title, sizeof s->title, "%s, made of %s", s->small_name, s->full_name);
    else
        snprintf(s->title, sizeof s->title, "%s", s->small_name);
}

/* ---- the page ------------------------------------------------------------ */

bn_json *bn_sheet_if(bool wanted, bn_json *values)
{
    if (wanted)
        return values;
    bn_json_free(values);
    return bn_json_null();
}

bn_json *bn_bars(bn_json *title, const char *x, const char *y, bn_json *labels, bn_json *series)
{
    return bn_json_pack("{so,ss,ss,so,so}", "title", title, "x", x, "y", y, "labels", labels,
                        "series", series);
}

bn_json *bn_two_series(const char *first, bn_json *values, bool wanted, const char *second,
                       bn_json *others)
{
    bn_json *series = bn_json_array();
    if (wanted)
        bn_json_add(series, bn_json_pack("{ss,so}", "name", first, "values", values));
    else
        bn_json_free(values);
    bn_json_add(series, bn_json_pack("{ss,so}", "name", second, "values", others));
    return series;
}

static void put_contents(bn_page *p, bn_json *const values[SECTIONS])
{
    bn_json *all = bn_json_array();
    for (int i = 0; i < SECTIONS; i++)
        if (!bn_json_is_null(values[i]))
            bn_json_add(all, bn_json_pack("{ss,ss}", "id", sections[i].id,
                                          "brief", sections[i].brief));
    bn_fill(p, "contents", bn_json_pack("{so}", "sections", all));
}

static void put_section(bn_page *p, const bn_sheet *s, int i, const bn_json *values)
{
    bn_section_begin(p, sections[i].id, sections[i].heading, sections[i].folded);
    bn_fill_with(p, sections[i].id, values);
    if (sections[i].values == bn_sheet_map)
        bn_sheet_draw_map(p, s);
    bn_section_end(p, sections[i].folded);
}

void bn_sheet_draw(bn_page *p, const bn_facts *f, const bonsai_report_options *o)
{
    bn_sheet s = {.f = f, .o = o};
    bn_json *values[SECTIONS];
    measure(&s);
    settle(&s);
    for (int i = 0; i < SECTIONS; i++)
        values[i] = sections[i].values(&s);
    bn_page_begin(p, s.title, o->fragment);
    bn_sheet_head(p, &s);
    if (!o->fragment)
        put_contents(p, values);
    for (int i = 0; i < SECTIONS; i++) {
        if (!bn_json_is_null(values[i]))
            put_section(p, &s, i, values[i]);
        bn_json_free(values[i]);
    }
    bn_fill(p, "footer", bn_json_pack("{ss,sb}", "version", BONSAI_VERSION, "mapped",
                                      f->map[BN_MAP_WIDEST].known));
    bn_page_end(p, o->fragment);
}

/* ---- the public functions ------------------------------------------------ */

bonsai_status bonsai_report_new(bonsai_report **out, const bonsai_graph *small,
                                const bonsai_graph *full, const bonsai_report_options *given)
{
    bonsai_status rc;
    bonsai_report *r = NULL;
    bonsai_report_options o;
    bonsai_condense_info info;
    bonsai_cell *cells = NULL;
    bn_facts *facts = NULL;     /* too large for the stack of a thread */
    if (BN_NO_PLACE(out) || bn_is_null(small, "the small graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(BN_OPTIONS(&o, given, report));
    if (o.cell_count < 0 || (o.cell_count > 0 && !o.cells)) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "there are %lld cells but no array of them",
                     (long long)o.cell_count);
        goto done;
    }
    BN_TRY(bn_structs_read((void **)&cells, &bn_cell_empty, o.cells, o.cell_count, "bonsai_cell"));
    o.cells = cells;
    if (o.condensed) {          /* the caller's struct may be shorter than ours */
        BN_TRY(bn_info_read(&info, o.condensed));
        o.condensed = &info;
    }
    BN_TRY(BN_NEW(&r, 1));
    BN_TRY(BN_NEW(&facts, 1));
    BN_TRY(bn_facts_gather(facts, small, full, o.threads, (bn_progress){o.progress, o.payload}));
    if (o.feature_names)
        BN_TRY(bn_facts_name_features(facts, o.feature_names));
    bn_sheet_draw(&r->page, facts, &o);
    BN_TRY(bn_page_status(&r->page));
    *out = r;
    r = NULL;
done:
    bn_free(cells);
    if (facts)
        bn_facts_free(facts);
    bn_free(facts);
    bonsai_report_free(r);
    return rc;
}

bonsai_status bonsai_report_suggestion(bonsai_report **out, const bonsai_suggestion *s,
                                       const bonsai_report_options *given)
{
    bonsai_status rc;
    bonsai_report *r = NULL;
    bonsai_report_options o;
    if (BN_NO_PLACE(out) || bn_is_null(s, "the suggestion"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(BN_OPTIONS(&o, given, report));
    BN_TRY(BN_NEW(&r, 1));
    bn_page_begin(&r->page, o.title ? o.title : "Which ratio", o.fragment);
    bn_section_begin(&r->page, "ratio", o.title ? o.title : "Which ratio keeps the score", NULL);
    bn_fill(&r->page, "ratio", bn_suggestion_values(s));
    bn_section_end(&r->page, NULL);
    bn_page_end(&r->page, o.fragment);
    BN_TRY(bn_page_status(&r->page));
    *out = r;
    r = NULL;
done:
    bonsai_report_free(r);
    return rc;
}

const char *bonsai_report_html(size_t *length, const bonsai_report *r)
{
    if (length)
        *length = (size_t)r->page.length;
    return r->page.text;
}

bonsai_status bonsai_report_save(const bonsai_report *r, const char *path)
{
    if (bn_is_null(r, "the report") || bn_is_null(path, "the path"))
        return BONSAI_E_ARGUMENT;
    return bn_page_save(&r->page, path);
}

void bonsai_report_free(bonsai_report *r)
{
    if (r)
        bn_page_free(&r->page);
    bn_free(r);
}
