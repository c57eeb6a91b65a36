/* cmd_condense.c -- bonsai condense: a small graph that trains like the large one.
 *
 * With --ratios all graphs are made from one embedding before the first file is
 * written.  If canceled before that, nothing is left; if canceled while writing,
 * the complete files stay.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "files/graphs.h"
#include "output/text.h"
#include "results/condensed.h"
#include "results/train_eval.h"

enum { MOST_RATIOS = 32 };

typedef struct {
    bonsai_condense_options o;
    const char *path, *out, *ratios, *update, *was, *page;
    int    count;                           /* graphs to write: 1 without --ratios */
    double ratio[MOST_RATIOS];
    char   to[MOST_RATIOS][MOST_PATH];
    const char *models;                     /* to train on the small graph; NULL: none */
    int         unscaled;                   /* columns of the features have scales far apart */
    int         rare;                       /* the probe looked after a rare class */
    training    judge;                      /* of --eval */
} arguments;

static arguments asked;

/* ---- what is asked ------------------------------------------------------- */

/* Names the graph of each ratio NAME-0.01.bonsai, or with NAME's own ending; 1% becomes 0.01. */
static int name_outputs(session *s, arguments *a)
{
    char text[64];
    const char *rest = a->ratios;
    int code = parse_ratios(s, a->ratio, &a->count, MOST_RATIOS, a->ratios);
    for (int i = 0; code == OPT_GO && text_piece(text, sizeof text, &rest); i++) {
        if (strchr(text, '%'))
            snprintf(text, sizeof text, "%.10g", a->ratio[i]);
        if (!path_with_suffix(a->to[i], a->out, text, (int)strlen(text)))
            return refuse(s, "--output is longer than %d bytes", MOST_PATH - 64);
    }
    return code;
}

/* Returns the next budget option that was given, from *i on; NULL if none is left. */
static const bonsai_field *next_budget(const bonsai_condense_options *o, int *i)
{
    char text[64];
    const bonsai_field *f;
    while ((f = bonsai_field_at(BONSAI_OPTIONS_CONDENSE, (*i)++)))
        if (f->marks & BONSAI_MARK_BUDGET && bonsai_field_text(text, sizeof text, f, o) > 0)
            return f;
    return NULL;
}

/* Prepares --eval: as bonsai eval SMALL GRAPH, within the memory that condensing may use. */
static int settle_eval(session *s, arguments *a)
{
    training *t = &a->judge;
    if (!a->models)
        return OPT_GO;
    if (calls.several)
        return refuse(s, "--eval runs on one machine: use bonsai eval afterwards");
    if (a->ratios)
        return refuse(s, "--eval judges one graph, and --ratios makes several; bonsai compare "
                      "judges several");
    training_reset(s, t);
    t->width = training_follow(s, &t->o, TRAINING_DEFAULT);
    t->models = a->models;
    t->path = a->to[0];
    t->full = a->path;
    t->o.memory = a->o.memory;
    t->o.threads = s->read.threads;
    return training_models(s, t, "--eval");
}

/* Fails if two budgets are given, and reads lists of budgets and outputs.  The parser has refused
 * numbers that are not above 0. */
static int settle_budget(session *s, arguments *a)
{
    char first[48] = "", name[48];
    const bonsai_field *f;
    if (a->update || a->ratios)                 /* --update uses the budget of SMALL */
        snprintf(first, sizeof first, a->update ? "update" : "ratios");
    if (a->update && a->ratios)
        return refuse(s, "--update and --ratios are both given: a graph has one budget");
    for (int i = 0; (f = next_budget(&a->o, &i));) {
        option_name(name, sizeof name, f);
        if (*first)
            return refuse(s, "--%s and --%s are both given: a graph has one budget", first, name);
        snprintf(first, sizeof first, "%s", name);
    }
    if (a->ratios)
        return name_outputs(s, a);
    snprintf(a->to[0], MOST_PATH, "%s", a->out);
    a->count = 1;
    return OPT_GO;
}

/* Names all that is missing at once, with a complete command. */
static int settle_missing(session *s, const arguments *a)
{
    char graph[2 * MOST_PATH];
    const char *path = path_without_format(a->path);
    int i = 0;
    const int budget = a->update || a->ratios || next_budget(&a->o, &i);
    if (a->out && budget)
        return OPT_GO;
    if (path_bytes(path) < 0)
        fail_missing(s, path);
    if (!text_word(graph, sizeof graph, a->path))
        snprintf(graph, sizeof graph, "GRAPH");
    return refuse(s, "%s missing, as in: %s condense %s -o small.bonsai --ratio 0.01",
                  budget ? "-o SMALL is" : a->out ? "a budget is" : "-o SMALL and a budget are",
                  calls.program, graph);
}

static int settle(session *s, arguments *a)
{
    int code = settle_missing(s, a);
    if (code != OPT_GO)
        return code;
    if (a->update && calls.several)
        return refuse(s, "--update runs on one machine: use bonsai condense");
    if (!a->update != !a->was)
        return refuse(s, "%s is given without %s", a->update ? "--update" : "--was",
                      a->update ? "--was OLD" : "--update SMALL");
    if (a->page && a->ratios)
        return refuse(s, "--report shows one graph, and --ratios makes several; bonsai report "
                      "writes a page about each");
    code = settle_budget(s, a);
    if (code == OPT_GO)
        code = check_split(s, a->o.split);
    a->o.threads = s->read.threads;
    return code == OPT_GO ? settle_eval(s, a) : code;
}

/* Writes "trees", "trees or auto" or "a, b or c". */
static void name_methods(char *out, size_t size, uint64_t methods)
{
    size_t at = 0;
    for (int m = 0; m < BONSAI_METHOD_COUNT && at < size; m++) {
        const uint64_t rest = methods >> m;
        const char *between = at == 0 ? "" : rest > 1 ? ", " : " or ";
        if (rest & 1)
            at += (size_t)snprintf(out + at, size - at, "%s%s", between,
                                   bonsai_method_name((bonsai_method)m));
    }
}

/* Notes options without effect; refuses none, since scripts try all methods. */
static void note_idle(session *s, const bonsai_condense_options *o)
{
    bonsai_condense_options usual;
    const bonsai_field *f;
    bonsai_condense_options_init(&usual);
    for (int i = 0; (f = next_changed(BONSAI_OPTIONS_CONDENSE, o, &usual, &i));) {
        char name[48], methods[256] = "";
        if (!f->methods || f->methods >> o->method & 1 ||
            strcmp(f->name, "coordinates") == 0)        /* other methods refuse it */
            continue;
        option_name(name, sizeof name, f);
        name_methods(methods, sizeof methods, f->methods);
        note(s, "--%s has no effect without --method %s", name, methods);
    }
}

/* Notes that --members costs accuracy: an option that stores more seems to cost nothing. */
static void note_members(session *s, const bonsai_condense_options *o)
{
    const uint64_t methods = field_named(BONSAI_OPTIONS_CONDENSE, "members")->methods;
    if (o->members && methods >> o->method & 1)
        note(s, "--members costs accuracy: prototypes that --update can follow have no packed "
             "rows, and do not learn from nodes without a label");
}

/* Notes options that the published code fixes; the library sets them. */
static void settle_published(session *s, bonsai_condense_options *o)
{
    static const char *const fixed[] = {"layers", "k", "sample"};
    if (option_given(s, "accounting") && o->accounting == BONSAI_ACCOUNTING_STRICT)
        note(s, "--accounting strict has no effect with --method published");
    for (int i = 0; i < 3; i++)
        if (option_given(s, fixed[i]))
            note(s, "--%s has no effect with --method published", fixed[i]);
    o->accounting = BONSAI_ACCOUNTING_PAPER_FULL;       /* printing reads it */
}

static const bonsai_field output_row[] = {
    {.name = "output", OWN(arguments, out, FILE), .letter = 'o', .arg = "SMALL",
     .help = "file or folder to write (required)"},
    {0},
};

static const bonsai_field other_rows[] = {
    {.name = "ratios", OWN(arguments, ratios, TEXT), .group = BONSAI_GROUP_BUDGET, .arg = "R,R,...",
     .help = "several budgets at once, such as 0.5%,1%,3%, from one embedding: writes "
             "SMALL-0.01.bonsai and so on"},
    {.name = "update", OWN(arguments, update, FILE), .group = BONSAI_GROUP_PROTOTYPES,
     .arg = "SMALL",
     .help = "update these prototypes, made of OLD with --members, instead of starting over; the "
             "budget is theirs"},
    {.name = "was", OWN(arguments, was, FILE), .group = BONSAI_GROUP_PROTOTYPES, .arg = "OLD",
     .help = "the graph before it became GRAPH: new nodes come after its own, and anything else "
             "may have changed"},
    {.name = "report", OWN(arguments, page, FILE), .arg = "FILE",
     .help = "also write a page that shows what was kept and why, as bonsai report does"},
    {0},
};

static int parse(session *s, arguments *a, int argc, char **argv)
{
    static bonsai_field eval_row[] = {
        {.name = "eval", OWN(arguments, models, TEXT), .arg = "M,M,...",
         .help = "then train these networks on SMALL and on GRAPH, and show both accuracies, as "
                 "bonsai eval does"}, {0}};
    eval_row[0].words = field_named(BONSAI_OPTIONS_TRAIN, "model")->words;
    const opt_spec spec = {
        .usage = "condense GRAPH -o SMALL --ratio R [options]",
        .about =
            "Writes a small graph on which a graph neural network trains to about the same\n"
            "accuracy as on GRAPH, and shows its size next to GRAPH's.  Its nodes are prototypes\n"
            "that each stand for many nodes of GRAPH, or nodes of GRAPH with the edges between,\n"
            "or were learned by descent (\"bonsai help methods\" tells them apart).\n"
            "The budget is one of --ratio, --ratios, --bytes, --nodes and --trees, and is never\n"
            "exceeded, except with --method published; --ratio 0.01 and --ratio 1% are the same.\n"
            "With --ratios the files are written after all graphs are made; if this is canceled,\n"
            "the complete files stay.  -v shows all that is known of the small graph.",
        .examples = "  bonsai condense cora.bonsai -o small.bonsai --ratio 0.01\n"
                    "  bonsai condense cora.bonsai -o small.bonsai --ratio 1% --eval gcn\n"
                    "  bonsai condense cora.bonsai -o small --ratios 0.5%,1%,3%\n"
                    "  bonsai condense cora.bonsai -o few.bonsai --nodes 70 --method kcenter\n"
                    "  bonsai condense cora.bonsai -o small.bonsai --ratio 0.01 --method gcond "
                    "--effort 0.1\n"
                    "  bonsai condense new.bonsai --update small.bonsai --was old.bonsai "
                    "-o next.bonsai\n",
        .args = "GRAPH",
        .values = &a->path,
        .groups = (const opt_group[]){{.base = a, .own = output_row},
                                      {.base = &a->o, .kind = BONSAI_OPTIONS_CONDENSE},
                                      {.base = a, .own = eval_row},
                                      {.base = a, .own = other_rows}, {0}},
        .shared = OPT_READS | OPT_JSON,
        .alone = "eval update was inductive select_features",
    };
    int code = opt_parse(s, &spec, argc, argv);
    return code == OPT_GO ? settle(s, a) : code;
}

/* ---- the work ------------------------------------------------------------ */

/* Prints one row per ratio, for people and pipes. passed: the seconds of the call that made all. */
static int print_rows(session *s, const arguments *a, const bonsai_condense_info *info,
                      double passed)
{
    static const column columns[] = {
        {"written", "written", NULL}, {"method", "method", NULL}, {"bytes", "bytes", NULL},
        {"ratio", "ratio", "%.5f"},
        {"used", "used", "%.3f"}, {"paper_ratio", "paper's", "%.5f"}, {"nodes", "nodes", NULL},
        {"edges", "edges", NULL}, {"labelled", "labelled", NULL}, {"roots", "roots", NULL},
        {"coverage", "coverage", "%.3f"}, {"probe", "probe %", "%.2f"},
        {"whole_trees", "whole", NULL}, {NULL, NULL, NULL}};
    const bonsai_condense_info *last = &info[a->count - 1];
    summary r = {.count = 0};
    bn_json *rows = bn_json_array();
    for (int k = 0; k < a->count; k++) {
        const bonsai_condense_info *i = &info[k];
        double used = a->o.accounting ? fact(i, "sizes.paper_bytes") : i->bytes;
        bn_json_add(
            rows, bn_json_pack("[o,s,I,f,f,f,I,I,I,I,o,o,o]", bn_json_text(a->to[k]),
                               bonsai_method_name(i->method), (int64_t)i->bytes, i->ratio,
                               used / fact(i, "budget"), fact(i, "sizes.paper_ratio"), i->nodes,
                               i->edges, i->labelled, i->roots,
                               measure_json(i->coverage), measure_json(i->probe),
                               fact(i, "cover.whole_trees") >= 0
                                   ? bn_json_whole(fact_whole(i, "cover.whole_trees"))
                                   : bn_json_null()));
    }
    summary_heading(&r, "Condensed");
    summary_text(&r, "method", "method", bonsai_method_name(a->o.method));
    summary_int(&r, "full_bytes", "bytes of the graph", (int64_t)last->full_bytes);
    summary_int(&r, "full_nodes", "nodes of the graph", last->full_nodes);
    summary_real(&r, "seconds.total", "seconds", passed, "%.3f");
    summary_condensed_memory(&r, last);
    summary_table(&r, "condensed", columns, rows);
    if (calls.more)
        calls.more(&r, last);
    return summary_print(&r, s);
}

/* Writes the command that judges graph k with a network, or the one to run before. */
static void name_next(char line[MOST_LINE], session *s, const arguments *a, int k)
{
    char small[2 * MOST_PATH], full[2 * MOST_PATH];
    *line = 0;
    if (!text_word(small, sizeof small, a->to[k]) || !text_word(full, sizeof full, a->path))
        return;
    snprintf(line, MOST_LINE, "bonsai eval %s %s --model gcn%s", small, full,
             a->rare ? " --class-weight balanced" : "");
    options_of_reading(line, MOST_LINE, s);
    if (a->unscaled)
        name_scaling(line, MOST_LINE, s, a->path);
}

static void add_condensed(summary *r, session *s, const arguments *a, int k,
                          const bonsai_condense_info *info, const bonsai_graph *small)
{
    char next[MOST_LINE];
    bonsai_condense_options o = a->o;
    if (a->update)
        bonsai_condense_options_of(&o, small);
    if (a->ratios)
        o.ratio = a->ratio[k];
    summary_condensed(r, &o, info, small, a->to[k]);
    if (calls.more)
        calls.more(r, info);
    name_next(next, s, a, k);
    summary_json(r, "next", bn_json_text(next));
}

static int print_array(session *s, const arguments *a, const bonsai_condense_info *info,
                       bonsai_graph *const *small)
{
    bn_json *all = bn_json_array();
    for (int k = 0; k < a->count; k++) {
        summary r = {.count = 0};
        add_condensed(&r, s, a, k, &info[k], small[k]);
        bn_json_add(all, summary_object(&r));
        summary_free(&r);
    }
    return print_json(s, all);
}

/* Prints the one graph and, with --eval, the networks' results: one object in JSON; otherwise the
 * graph first, while the networks still train. */
static int print_one(session *s, arguments *a, const bonsai_condense_info *info,
                     const bonsai_graph *small, const bonsai_graph *g)
{
    summary r = {.count = 0};
    add_condensed(&r, s, a, 0, info, small);
    if (!a->models)
        return summary_print(&r, s);
    if (!s->json) {
        int code = summary_print(&r, s);
        if (style_of(s) == STYLE_TEXT)
            putchar('\n');
        fflush(stdout);
        return code == EXIT_DONE ? training_run(s, &a->judge, small, g) : code;
    }
    int judged = training_work(s, &a->judge, small, g);
    summary_json(&r, "eval", judged == EXIT_DONE ? trained_json(&a->judge, g) : bn_json_null());
    training_free(&a->judge);
    int printed = summary_print(&r, s);
    return judged == EXIT_DONE ? training_ended(s, &a->judge, printed) : judged;
}

static void suggest_next(session *s, const arguments *a)
{
    char next[MOST_LINE];
    name_next(next, s, a, 0);
    if (*next && !a->models)
        next_command(s, next);
}

static bonsai_status update(session *s, bonsai_graph **small, bonsai_condense_info *info,
                            const bonsai_graph *g, const arguments *a)
{
    bonsai_graph *was = NULL, *before = NULL;
    bonsai_status rc = read_other(s, &was, a->was);
    if (rc == BONSAI_OK)
        rc = read_other(s, &before, a->update);
    if (rc == BONSAI_OK)
        rc = bonsai_condense_update(small, info, g, was, before, &a->o);
    bonsai_graph_free(was);
    bonsai_graph_free(before);
    return rc;
}

/* Notes a split that was drawn without being asked for: models must be judged on its other nodes.
 * */
static void note_split(session *s, const arguments *a, const bonsai_graph *g)
{
    const bonsai_view *v = bonsai_graph_view(g);
    if (a->o.split[0] != 0 || v->section[BONSAI_SECTION_SPLIT].data)
        return;
    if (v->section[BONSAI_SECTION_ROLE].data)
        note(s, "%s is a condensed graph: every node with a label is for training", a->path);
    else
        note_drawn(s, a->path, a->o.seed);
}

static bonsai_status draw_page(session *s, const arguments *a, const bonsai_graph *small,
                               const bonsai_graph *full, const bonsai_condense_info *info)
{
    char line[4 * MOST_PATH];
    bonsai_report_options o;
    int64_t bytes;
    bonsai_report_options_init(&o);
    o.condensed = info;
    o.small_name = a->to[0];
    o.full_name = a->path;
    snprintf(line, sizeof line, "bonsai condense %s --update %s --was %s -o %s", a->path,
             a->update ? a->update : "", a->was ? a->was : "", a->to[0]);
    o.command = a->update ? line : NULL;
    return page_write(s, &bytes, small, full, &o, a->page);
}

/* Writes the graphs, in one of several processes. */
static bonsai_status write_all(session *s, const arguments *a, bonsai_graph *const *small,
                               const bonsai_graph *g, const bonsai_condense_info *info)
{
    bonsai_status rc = BONSAI_OK;
    for (int i = 0; i < a->count && rc == BONSAI_OK; i++)
        rc = save(s, small[i], a->to[i], BONSAI_ENCODING_AUTO);
    if (rc == BONSAI_OK && a->page)
        rc = draw_page(s, a, small[0], g, info);
    return rc;
}

static int print_results(session *s, arguments *a, const bonsai_condense_info *info,
                         bonsai_graph *const *small, const bonsai_graph *g, double passed)
{
    a->rare = fact(&info[0], "metric") == BONSAI_AIM_MIXED;
    int code = !a->ratios ? print_one(s, a, info, small[0], g)
               : s->json ? print_array(s, a, info, small) : print_rows(s, a, info, passed);
    if (code == EXIT_DONE)
        suggest_next(s, a);
    return code;
}

static int condense(session *s, arguments *a)
{
    bonsai_graph *g = NULL, *small[MOST_RATIOS] = {NULL};
    bonsai_condense_info info[MOST_RATIOS];
    for (int i = 0; i < a->count; i++)
        bonsai_condense_info_init(&info[i]);
    bonsai_status rc = calls.read(&g, a->path, &s->read);
    double passed = -seconds();
    if (rc == BONSAI_OK && a->update)
        rc = update(s, small, info, g, a);
    else if (rc == BONSAI_OK)
        rc = calls.condense(small, info, a->ratios ? a->ratio : NULL, a->count, g, &a->o);
    passed += seconds();
    if (rc == BONSAI_OK)
        rc = calls.agree(s->mute ? BONSAI_OK : write_all(s, a, small, g, info));
    if (rc == BONSAI_OK) {
        note_split(s, a, g);
        a->unscaled = is_unscaled(g);
        note_scales(s, g, a->path);
    }
    int code = EXIT_DONE;
    if (rc != BONSAI_OK)
        code = fail(s, rc);
    else if (!s->mute)
        code = print_results(s, a, info, small, g, passed);
    for (int i = 0; i < a->count; i++)
        bonsai_graph_free(small[i]);
    bonsai_graph_free(g);
    return code;
}

int cmd_condense(session *s, int argc, char **argv)
{
    arguments *a = &asked;
    memset(a, 0, sizeof *a);
    bonsai_condense_options_init(&a->o);
    a->o.progress = progress_tick;
    a->o.payload = &s->progress;
    int code = parse(s, a, argc, argv);
    if (code != OPT_GO)
        return code;
    for (int i = 0; i < a->count; i++) {
        if (path_is_same(a->path, a->to[i]))    /* do not overwrite the input */
            return refuse(s, "%s is the graph to condense; -o must name another", a->to[i]);
        if (a->was && path_is_same(a->was, a->to[i]))
            return refuse(s, "%s is the graph as it was; -o must name another", a->to[i]);
        if (!path_can_be_written(s, a->to[i]))
            return EXIT_FAILED;
    }
    if (a->page && (path_is_same(a->path, a->page) || (a->was && path_is_same(a->was, a->page)) ||
                    (a->update && path_is_same(a->update, a->page)) ||
                    strcmp(a->page, a->to[0]) == 0))
        return refuse(s, "%s is a graph; --report must name another file", a->page);
    if (a->page && !file_can_be_written(s, a->page))
        return EXIT_FAILED;
    note_idle(s, &a->o);
    note_members(s, &a->o);
    if (a->o.method == BONSAI_METHOD_PUBLISHED)
        settle_published(s, &a->o);
    return condense(s, a);
}
