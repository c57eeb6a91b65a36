/* cmd_suggest.c -- bonsai suggest: the smallest ratio that keeps what the full graph is worth.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "files/files.h"
#include "files/graphs.h"
#include "opt/opt.h"
#include "output/text.h"

enum { INDENT = 2 };

typedef struct {
    bonsai_suggest_options  o;
    bonsai_condense_options condense;
    const char *path, *out, *page;
    char        command[8 * MOST_PATH];     /* the next one, indented */
    char        split[96];
} arguments;

static arguments asked;

/* ---- what is asked ------------------------------------------------------- */

static const bonsai_field own_rows[] = {
    {.name = "output", OWN(arguments, out, FILE), .letter = 'o', .arg = "SMALL",
     .help = "also write the small graph of that ratio, as condense would make it"},
    {.name = "report", OWN(arguments, page, FILE), .arg = "FILE",
     .help = "also write a page about it with the curve, as bonsai report does"},
    {0},
};

static int check_files(session *s, const arguments *a)
{
    if (a->out && path_is_same(a->path, a->out))
        return refuse(s, "%s is the graph to condense; -o must name another", a->out);
    if (a->page && (path_is_same(a->path, a->page) || (a->out && strcmp(a->page, a->out) == 0)))
        return refuse(s, "%s is a graph; --report must name another file", a->page);
    if ((a->out && !path_can_be_written(s, a->out)) ||
        (a->page && !file_can_be_written(s, a->page)))
        return EXIT_FAILED;
    return OPT_GO;
}

static int settle(session *s, arguments *a)
{
    if (a->o.low >= a->o.high)
        return refuse(s, "--low is %g and --high is %g: --low must be smaller", a->o.low,
                      a->o.high);
    if (a->condense.method == BONSAI_METHOD_PUBLISHED)
        return refuse(s, "--method published keeps to no ratio: none can be suggested for it");
    a->condense.threads = s->read.threads;
    int code = check_split(s, a->condense.split);
    return code == OPT_GO ? check_files(s, a) : code;
}

static int parse(session *s, arguments *a, int argc, char **argv)
{
    const opt_spec spec = {
        .usage = "suggest GRAPH [--keep S] [-o SMALL] [options]",
        .about =
            "Finds the smallest ratio whose small graph keeps a share of what GRAPH is worth, and\n"
            "shows the curve of ratio against score.  The score is the probe's, which condense\n"
            "judges its candidates by: the percentage of the validation nodes that a linear\n"
            "classifier gets right, fitted on the small graph or on GRAPH's training nodes.  No\n"
            "test label is read.  Small graphs are made from one embedding, from --low upwards,\n"
            "until one keeps the share; then the step below is halved.  Scores are noisy: where\n"
            "one falls although the ratio grows, the mean of both counts.\n"
            "If no ratio up to --high keeps the share, the best is shown and the exit code is 1.",
        .examples = "  bonsai suggest cora.bonsai\n"
                    "  bonsai suggest cora.bonsai --keep 0.99 -o small.bonsai --report small.html\n"
                    "  bonsai suggest cora.bonsai --low 0.001 --high 0.1 --method trees\n",
        .args = "GRAPH",
        .values = &a->path,
        .groups = (const opt_group[]){
            {.base = &a->o, .kind = BONSAI_OPTIONS_SUGGEST},
            {.base = a, .own = own_rows},
            {.base = &a->condense, .kind = BONSAI_OPTIONS_CONDENSE,
             .but = "ratio bytes nodes trees keep"}, {0}},
        .shared = OPT_READS | OPT_JSON,
    };
    int code = opt_parse(s, &spec, argc, argv);
    return code == OPT_GO ? settle(s, a) : code;
}

/* ---- the results ---------------------------------------------------------- */

/* Writes the command that makes the small graph, with the options that were given. */
static void name_command(arguments *a, const session *s, const bonsai_suggest_info *i)
{
    bonsai_condense_options usual;
    const bonsai_field *f;
    size_t size = sizeof a->command;
    char path[2 * MOST_PATH];
    if (!text_word(path, sizeof path, a->path))
        snprintf(path, sizeof path, "GRAPH");
    int at = snprintf(a->command, size, "  bonsai condense %s --ratio %.6g", path, i->ratio);
    bonsai_condense_options_init(&usual);
    for (int k = 0; (f = next_changed(BONSAI_OPTIONS_CONDENSE, &a->condense, &usual, &k)) &&
                    at < (int)size;) {
        char name[48], now[96];
        if (f->marks & BONSAI_MARK_LOCAL)
            continue;
        bonsai_field_text(now, sizeof now, f, &a->condense);
        option_name(name, sizeof name, f);
        const int plain = f->type == BONSAI_FIELD_FLAG && !f->words;
        at += snprintf(a->command + at, size - (size_t)at, " --%s%s%s", name, plain ? "" : " ",
                       plain ? "" : now);
    }
    options_of_reading(a->command, size, s);
    at = (int)strlen(a->command);
    snprintf(a->command + at, size - (size_t)at, " -o small.bonsai");
}

static void name_split(arguments *a, const bonsai_suggest_info *i)
{
    if (i->split_from == BONSAI_SPLIT_OWN)
        snprintf(a->split, sizeof a->split, "the graph's own");
    else if (i->split_from == BONSAI_SPLIT_NONE)
        snprintf(a->split, sizeof a->split, "none: every label of a condensed graph is for training");
    else
        snprintf(a->split, sizeof a->split, "%g/%g/%g, drawn with seed %llu", i->split[0],
                 i->split[1], i->split[2], (unsigned long long)i->split_seed);
}

static const char *judged_on(const bonsai_suggest_info *i)
{
    return i->held ? "held-out training node" : "validation node";
}

/* Returns the value times factor; null for a ratio that was refused. */
static bn_json *known(double value, double factor)
{
    return value >= 0 ? bn_json_real(factor * value) : bn_json_null();
}

static bn_json *rows_of(const bonsai_suggestion *found, int people)
{
    const bonsai_suggest_point *p;
    const int64_t chosen = bonsai_suggestion_info(found)->point;
    bn_json *rows = bn_json_array();
    for (int64_t k = 0; (p = bonsai_suggestion_point(found, k)); k++) {
        const int made = p->score >= 0;
        bn_json *row = bn_json_pack("[f,o,o,o,o]", p->ratio,
                                    made ? bn_json_whole((int64_t)p->bytes) : bn_json_null(),
                                    made ? bn_json_whole(p->nodes) : bn_json_null(),
                                    known(p->score, 1), known(p->share, people ? 100 : 1));
        if (people)
            bn_json_add(row, bn_json_text(k == chosen ? "*" : ""));
        else {
            bn_json_add(row, made ? bn_json_real(p->level) : bn_json_null());
            bn_json_add(row, made ? bn_json_text(bonsai_method_name(p->method)) : bn_json_null());
            bn_json_add(row, bn_json_real(p->seconds));
            bn_json_add(row, made ? bn_json_null() : bn_json_text(p->why));
        }
        bn_json_add(rows, row);
    }
    return rows;
}

/* Returns 1 if a ratio was too small for any graph. */
static int lacks_rows(const bonsai_suggestion *found)
{
    const bonsai_suggest_point *p;
    for (int64_t k = 0; (p = bonsai_suggestion_point(found, k)); k++)
        if (p->score < 0)
            return 1;
    return 0;
}

/* Adds the facts; people get the answer below the curve. */
static void add_facts(summary *r, const arguments *a, const bonsai_suggest_info *i)
{
    summary_heading(r, "Score by ratio");
    summary_real(r, "ratio", NULL, i->ratio, NULL);
    summary_int(r, "reached", NULL, i->reached);
    summary_real(r, "keep", NULL, a->o.keep, NULL);
    summary_real(r, "score", NULL, i->score, NULL);
    summary_real(r, "share", NULL, i->share, NULL);
    summary_int(r, "bytes", NULL, (int64_t)i->bytes);
    summary_int(r, "nodes", NULL, i->nodes);
    summary_real(r, "full_score", "full graph's score %", i->full_score, "%.2f");
    summary_note(r, "+- %.2f, of %lld %s%s", i->error, (long long)i->judged, judged_on(i),
                 text_s(i->judged));
    summary_real(r, "wanted", "to keep %", i->wanted, "%.2f");
    summary_real(r, "error", NULL, i->error, NULL);
    summary_int(r, "judged", NULL, i->judged);
    summary_text(r, "judged_on", NULL, i->held ? "held-out training nodes" : "validation nodes");
    summary_int(r, "full_bytes", NULL, (int64_t)i->full_bytes);
    summary_int(r, "full_nodes", NULL, i->full_nodes);
    summary_int(r, "full_train", NULL, i->full_train);
    summary_text(r, "split", "split", a->split);
    summary_text(r, "command", NULL, a->command + INDENT);
    summary_real(r, "seconds.full", NULL, i->seconds_full, NULL);
    summary_real(r, "seconds.total", "seconds", i->seconds_total, "%.1f");
}

static int print_table(session *s, const arguments *a, const bonsai_suggestion *found)
{
    static const column people[] = {
        {"ratio", "ratio", "%.6g"}, {"bytes", "bytes", "bytes"}, {"nodes", "nodes", NULL},
        {"score", "score %", "%.2f"}, {"share", "of full %", "%.2f"}, {"chosen", "", NULL},
        {NULL, NULL, NULL}};
    static const column all[] = {
        {"ratio", "ratio", NULL}, {"bytes", "bytes", NULL}, {"nodes", "nodes", NULL},
        {"score", "score", NULL}, {"share", "share", NULL}, {"level", "level", NULL},
        {"method", "method", NULL}, {"seconds", "seconds", NULL}, {"why", "why", NULL},
        {NULL, NULL, NULL}};
    const int text = style_of(s) == STYLE_TEXT;
    summary r = {.count = 0};
    add_facts(&r, a, bonsai_suggestion_info(found));
    summary_table(&r, text ? NULL : "points", text ? people : all, rows_of(found, text));
    if (text && lacks_rows(found))
        summary_text(&r, NULL, "-", "too small for any graph");
    return summary_print(&r, s);
}

static void put_answer(const arguments *a, const bonsai_suggestion *found)
{
    const bonsai_suggest_info *i = bonsai_suggestion_info(found);
    char bytes[32], nodes[32];
    text_bytes(bytes, sizeof bytes, i->bytes);
    text_grouped(nodes, sizeof nodes, i->nodes);
    putchar('\n');
    curve_put(found);
    putchar('\n');
    put_prose("%s %.6g keeps %.2f %% of the full graph's score, with %s and %s node%s%s%s",
              i->reached ? "The ratio" : "The best ratio", i->ratio, 100 * i->share, bytes, nodes,
              text_s(i->nodes), a->out ? ", written to " : ":", a->out ? a->out : "");
    if (!a->out)
        put_command(a->command, (int)strlen(a->command));
    put_prose("\nA network may keep more or less: judge it with bonsai eval.");
}

/* ---- the work ------------------------------------------------------------ */

/* Writes the small graph and the page, if asked for. */
static bonsai_status write_files(session *s, const arguments *a, const bonsai_suggestion *found,
                                 const bonsai_graph *g)
{
    bonsai_report_options o;
    int64_t bytes;
    const bonsai_graph *small = bonsai_suggestion_graph(found);
    bonsai_status rc = a->out ? save(s, small, a->out, BONSAI_ENCODING_AUTO) : BONSAI_OK;
    if (rc != BONSAI_OK || !a->page)
        return rc;
    bonsai_report_options_init(&o);
    o.small_name = a->out;
    o.full_name = a->path;
    o.suggestion = found;
    return page_write(s, &bytes, small, g, &o, a->page);
}

static int print(session *s, const arguments *a, const bonsai_suggestion *found)
{
    const bonsai_suggest_info *i = bonsai_suggestion_info(found);
    int code = print_table(s, a, found);
    if (code == EXIT_DONE && style_of(s) == STYLE_TEXT)
        put_answer(a, found);
    if (code == EXIT_DONE && !i->reached)
        return fail_with(s, "no ratio up to %.6g keeps %.6g %% of the full graph's score of %.2f %%",
                         a->o.high, 100 * a->o.keep, i->full_score);
    if (code == EXIT_DONE && i->point == 0)
        note(s, "%.6g is the smallest ratio that was tried; --low tries smaller ones", i->ratio);
    return code;
}

static int suggest(session *s, arguments *a)
{
    bonsai_graph *g = NULL;
    bonsai_suggestion *found = NULL;
    bonsai_status rc = calls.read(&g, a->path, &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_suggest(&found, g, &a->o);
    if (rc == BONSAI_OK)
        rc = write_files(s, a, found, g);
    if (rc == BONSAI_OK) {
        name_command(a, s, bonsai_suggestion_info(found));
        name_split(a, bonsai_suggestion_info(found));
        note_scales(s, g, a->path);
    }
    int code = rc == BONSAI_OK ? print(s, a, found) : fail(s, rc);
    bonsai_suggestion_free(found);
    bonsai_graph_free(g);
    return code;
}

int cmd_suggest(session *s, int argc, char **argv)
{
    arguments *a = &asked;
    memset(a, 0, sizeof *a);
    bonsai_suggest_options_init(&a->o);
    bonsai_condense_options_init(&a->condense);
    a->o.condense = &a->condense;
    a->o.progress = progress_tick;
    a->o.payload = &s->progress;
    int code = parse(s, a, argc, argv);
    return code == OPT_GO ? suggest(s, a) : code;
}
