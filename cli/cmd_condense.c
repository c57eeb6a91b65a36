/* cmd_condense.c -- bonsai condense: a small graph that trains like the large one.
 *
 * With --ratios all budgets are chosen from one embedding before the first file is
 * written: canceled while choosing, nothing is left; canceled while writing, the
 * files that are complete stay.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "cli.h"

enum { MOST_RATIOS = 32 };

typedef struct {
    bonsai_condense_options o;
    const char *path, *out, *ratios, *sample, *split, *update, *was, *page;
    int    method, accounting;              /* of the options, as ints for their rows */
    int    count;                           /* of what is written: 1 without --ratios */
    double ratio[MOST_RATIOS];
    char   to[MOST_RATIOS][MOST_PATH];
} arguments;

/* Not on the stack: so the rows of options can stand outside of a function. */
static arguments asked;

/* ---- what is asked ------------------------------------------------------- */

/* NAME-0.01.bonsai, or with the ending that NAME has. */
static int name_output(session *s, arguments *a, const char *ratio, int len)
{
    char *to = a->to[a->count];
    if (!path_with_suffix(to, a->out, ratio, len))
        return refuse(s, "--output is longer than %d bytes", MOST_PATH - 64);
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->to[i], to) == 0)
            return refuse(s, "--ratios holds %.*s twice", len, ratio);
    return OPT_GO;
}

static int parse_ratios(session *s, arguments *a)
{
    for (const char *at = a->ratios, *comma; at; at = comma ? comma + 1 : NULL) {
        char text[64];
        comma = strchr(at, ',');
        int len = (int)(comma ? (size_t)(comma - at) : strlen(at));
        double *ratio = &a->ratio[a->count];
        if (a->count == MOST_RATIOS)
            return refuse(s, "--ratios holds more than %d numbers", MOST_RATIOS);
        snprintf(text, sizeof text, "%.*s", len < (int)sizeof text ? len : 0, at);
        if (!parse_real(text, ratio) || *ratio <= 0 || *ratio > 1)
            return refuse(s, "--ratios holds \"%.*s\", which is not a number above 0 and at most 1",
                          len, at);
        int code = name_output(s, a, at, len);
        if (code != OPT_GO)
            return code;
        a->count++;
    }
    return OPT_GO;
}

static int parse_sample(session *s, int64_t *out, const char *text)
{
    if (strcmp(text, "all") == 0) {
        *out = -1;
        return OPT_GO;
    }
    if (!parse_whole(text, out) || errno == ERANGE || *out < 1)
        return refuse(s, "--sample is \"%s\", which is neither all nor a whole number above 0",
                      text);
    return OPT_GO;
}

/* Exactly one budget; numbers that are not above 0 were refused before. */
static int settle_budget(session *s, arguments *a)
{
    const struct { const char *name; int given; } budget[] = {
        {"--ratio", a->o.ratio > 0}, {"--ratios", a->ratios != NULL}, {"--bytes", a->o.bytes > 0},
        {"--nodes", a->o.nodes > 0}, {"--trees", a->o.trees > 0},
    };
    const char *first = a->update ? "--update" : NULL;      /* its budget is that of SMALL */
    for (size_t i = 0; i < sizeof budget / sizeof *budget; i++) {
        if (budget[i].given && first)
            return refuse(s, "%s and %s are both given: a graph has one budget", first,
                          budget[i].name);
        if (budget[i].given)
            first = budget[i].name;
    }
    if (!first)
        return refuse(s, "a budget is missing, such as --ratio 0.01");
    if (a->ratios)
        return parse_ratios(s, a);
    snprintf(a->to[0], MOST_PATH, "%s", a->out);
    a->count = 1;
    return OPT_GO;
}

static int settle(session *s, arguments *a)
{
    int code = OPT_GO;
    if (!a->out)
        return refuse(s, "-o SMALL is missing");
    if (strlen(a->out) >= MOST_PATH)
        return refuse(s, "--output is longer than %d bytes", MOST_PATH - 1);
    if (a->update && crew.several)
        return refuse(s, "--update is quick on one machine: bonsai condense does it");
    if (!a->update != !a->was)
        return refuse(s, "%s is given without %s", a->update ? "--update" : "--was",
                      a->update ? "--was OLD" : "--update SMALL");
    if (a->page && strlen(a->page) >= MOST_PATH)
        return refuse(s, "--report is longer than %d bytes", MOST_PATH - 1);
    if (a->page && a->ratios)
        return refuse(s, "--report shows one graph, and --ratios makes several; bonsai report "
                      "draws a page of each");
    code = settle_budget(s, a);
    if (code == OPT_GO && a->sample)
        code = parse_sample(s, &a->o.sample, a->sample);
    if (code == OPT_GO && a->split)
        code = parse_parts(s, a->o.split, "--split", a->split);
    if (code == OPT_GO && a->split && a->o.split[0] <= 0)
        code = refuse(s, "--split is \"%s\", which leaves no training nodes", a->split);
    a->o.method = (bonsai_method)a->method;
    a->o.accounting = a->accounting ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
    a->o.threads = s->read.threads;
    return code;
}

/* An option that does nothing is said, not refused: scripts go through all methods. */
static void note_idle(session *s, const bonsai_condense_options *o)
{
    bonsai_condense_options d;
    bonsai_condense_options_init(&d);
    if (o->raw_features && o->method != BONSAI_METHOD_HERDING && o->method != BONSAI_METHOD_KCENTER)
        note(s, "--on acts on the methods herding and kcenter only");
    const int whole = o->method == BONSAI_METHOD_AUTO || o->method == BONSAI_METHOD_PROTOTYPES;
    if (o->method != BONSAI_METHOD_TREES && o->method != BONSAI_METHOD_AUTO &&
        (o->density != d.density || o->no_rknn || o->no_ppr || o->oversample > d.oversample ||
         o->match_classes))
        note(s, "--greedy, --no-rknn, --no-ppr, --oversample and --match-classes act on the method "
                "trees only");
    if (o->method != BONSAI_METHOD_TREES && !whole && o->select_features)
        note(s, "--select-features acts on the methods trees and prototypes only");
    if (o->method != BONSAI_METHOD_TREES && o->project)
        note(s, "--project acts with --method trees only");
    if (!whole && (o->no_validation || o->hard_labels || o->members))
        note(s, "--no-validation, --hard-labels and --members act on the method prototypes only");
}

static const opt option_rows[] = {
    {OPT_TEXT, 'o', "output", "SMALL", &asked.out,
     "file or folder to write (required)", NULL},
    {OPT_REAL, 'r', "ratio", "R", &asked.o.ratio,
     "budget: share of the graph's bytes, such as 0.01", ">0..1"},
    {OPT_TEXT, 0, "ratios", "R,R,...", &asked.ratios,
     "several at once, from one embedding: writes\nSMALL-0.01.bonsai and so on", NULL},
    {OPT_LONG, 0, "bytes", "B", &asked.o.bytes, "budget: bytes", "1.."},
    {OPT_LONG, 0, "nodes", "N", &asked.o.nodes, "budget: nodes", "1..2147483647"},
    {OPT_LONG, 0, "trees", "N", &asked.o.trees, "budget: trees", "1..2147483647"},
    {OPT_CHOICE, 0, "method", method_words, &asked.method,
     "auto: trees or prototypes, whichever a probe finds\n"
     "better; trees is the paper's; the others are to\n"
     "compare", NULL},
    {OPT_CHOICE, 0, "accounting", "strict|paper", &asked.accounting,
     "bytes as a .bonsai file has them, or as the paper's\ncode counts them", NULL},
    {OPT_FLAG, 0, "no-validation", NULL, &asked.o.no_validation,
     "probe on a fifth of the training nodes instead", NULL},
    {OPT_FLAG, 0, "hard-labels", NULL, &asked.o.hard_labels,
     "prototypes without soft labels", NULL},
    {OPT_FLAG, 0, "members", NULL, &asked.o.members,
     "prototypes name the nodes that they stand for; not\ncounted as bytes", NULL},
    {OPT_INT, 0, "layers", "L", &asked.o.layers, "hops of a tree and rounds of averaging", "0..16"},
    {OPT_INT, 'k', "k", "K", &asked.o.k, "nearest trees that a tree is covered by",
     "1..1000000"},
    {OPT_TEXT, 0, "sample", "all|N", &asked.sample,
     "trees to be covered; otherwise by theta and delta", NULL},
    {OPT_REAL, 0, "theta", "T", &asked.o.theta, "error of the sampled cover", "0.0001..1"},
    {OPT_REAL, 0, "delta", "D", &asked.o.delta, "chance of a larger error", "1e-9..1"},
    {OPT_CHOICE, 0, "greedy", "gain|density", &asked.o.density,
     "the tree that covers most, or most per byte", NULL},
    {OPT_LONG, 0, "patience", "N", &asked.o.patience,
     "stop when so many trees in a row do not fit", "1..1000000000000000"},
    {OPT_REAL, 0, "beta", "B", &asked.o.beta, "PageRank's chance to return to a root",
     "0.001..0.999"},
    {OPT_REAL, 0, "prune-share", "S", &asked.o.prune_share,
     "at most this share of the ego nodes goes per round", "0..1"},
    {OPT_REAL, 0, "min-pruned", "S", &asked.o.min_pruned,
     "stop when a smaller share of the nodes would go", "0..1"},
    {OPT_REAL, 0, "oversample", "M", &asked.o.oversample,
     "select so many budgets, then drop the lowest\nPageRank", "1..1000000"},
    {OPT_FLAG, 0, "match-classes", NULL, &asked.o.match_classes,
     "give the labels the classes' shares in training", NULL},
    {OPT_CHOICE, 0, "select-features", "none|tree", &asked.o.select_features,
     "tree: keep features that a decision tree splits on", NULL},
    {OPT_FLAG, 0, "no-rknn", NULL, &asked.o.no_rknn, "trees in random order (ablation)", NULL},
    {OPT_FLAG, 0, "no-ppr", NULL, &asked.o.no_ppr, "no sparsification (ablation)", NULL},
    {OPT_FLAG, 0, "inductive", NULL, &asked.o.inductive,
     "cut the graph to its training nodes first", NULL},
    {OPT_CHOICE, 0, "on", "embeddings|features", &asked.o.raw_features,
     "what herding and kcenter measure on", NULL},
    {OPT_INT, 0, "project", "P", &asked.o.project,
     "random projection to so many dimensions before\nk-NN; 0: exact", "0..65536"},
    {OPT_TEXT, 0, "split", "A/B/C", &asked.split,
     "draw a new split: random, or percent such as\n"
     "60/20/20; otherwise the graph's own, or, where\n"
     "it has none, 60/20/20 (as bonsai split draws it)", NULL},
    {OPT_TEXT, 0, "update", "SMALL", &asked.update,
     "go on from prototypes that were made of OLD with\n"
     "--members, instead of from the beginning", NULL},
    {OPT_TEXT, 0, "was", "OLD", &asked.was,
     "the graph before it became GRAPH: nodes were added\n"
     "behind its own, and anything may differ", NULL},
    {OPT_TEXT, 0, "report", "FILE", &asked.page,
     "also write a page that shows what was kept and why,\nas bonsai report does", NULL},
    {OPT_SIZE, 0, "memory", "M", &asked.o.memory,
     "private memory to use at most, such as 3G: what does\n"
     "not fit goes to scratch files in TMPDIR, and the\n"
     "answer is the same; otherwise what is free", NULL},
    {OPT_U64, 's', "seed", "S", &asked.o.seed, "the same seed gives the same bytes", NULL},
    {OPT_END, 0, NULL, NULL, NULL, NULL, NULL},
};

static int parse(session *s, arguments *a, int argc, char **argv)
{
    const opt_spec spec = {
        .usage = "condense GRAPH -o SMALL --ratio R [options]",
        .about =
            "Writes a small graph made from GRAPH so that a graph neural network trained on it does\n"
            "about as well, then shows its size beside GRAPH's.  Its nodes are prototypes, each of\n"
            "which stands for many of GRAPH's, or are picked from GRAPH with the edges among them.\n"
            "The budget is one of --ratio, --ratios, --bytes, --nodes and --trees, and is never\n"
            "exceeded.  With --ratios the files are written once all graphs are chosen; canceled\n"
            "while writing, those that are complete stay.  With --update the budget is SMALL's.",
        .examples = "  bonsai condense cora.bonsai -o small.bonsai --ratio 0.01\n"
                    "  bonsai condense cora.bonsai -o small --ratios 0.005,0.01,0.03\n"
                    "  bonsai condense cora.bonsai -o few.bonsai --nodes 70 --method kcenter\n"
                    "  bonsai condense new.bonsai --update small.bonsai --was old.bonsai -o next.bonsai\n",
        .args = "GRAPH",
        .values = &a->path,
        .rows = option_rows,
        .shared = OPT_READS | OPT_JSON,
    };
    int code = opt_parse(s, &spec, argc, argv);
    return code == OPT_GO ? settle(s, a) : code;
}

/* ---- the work ------------------------------------------------------------ */

/* One row a ratio, for people and pipes. */
static int print_rows(session *s, const arguments *a, const bonsai_condense_info *info)
{
    static const column columns[] = {
        {"written", "written", NULL}, {"method", "method", NULL}, {"bytes", "bytes", NULL},
        {"ratio", "ratio", "%.5f"},
        {"used", "used", "%.3f"}, {"paper_ratio", "paper's", "%.5f"}, {"nodes", "nodes", NULL},
        {"edges", "edges", NULL}, {"labelled", "labelled", NULL}, {"roots", "roots", NULL},
        {"coverage", "coverage", "%.3f"}, {"probe", "probe %", "%.2f"}, {NULL, NULL, NULL}};
    const bonsai_condense_info *last = &info[a->count - 1];
    summary r = {.count = 0};
    json_t *rows = json_array();
    for (int k = 0; k < a->count; k++) {
        const bonsai_condense_info *i = &info[k];
        double used = a->accounting ? i->paper_bytes : i->bytes;
        json_t *coverage = i->coverage >= 0 ? json_real(i->coverage) : json_null();
        json_array_append_new(
            rows, json_pack("[o,s,I,f,f,f,I,I,I,I,o,o]", text_json(a->to[k]),
                            bonsai_method_name(i->method), (json_int_t)i->bytes, i->ratio,
                            used / i->budget, i->paper_ratio, (json_int_t)i->nodes,
                            (json_int_t)i->edges, (json_int_t)i->labelled,
                            (json_int_t)i->roots, coverage,
                            i->probe >= 0 ? json_real(i->probe) : json_null()));
    }
    summary_heading(&r, "Condensed");
    summary_text(&r, "method", "method", bonsai_method_name(a->o.method));
    summary_int(&r, "full_bytes", "bytes of the graph", (int64_t)last->full_bytes);
    summary_int(&r, "full_nodes", "nodes of the graph", last->full_nodes);
    summary_real(&r, "seconds.total", "seconds", last->seconds_total, "%.3f");
    summary_table(&r, "condensed", columns, rows);
    if (crew.more)
        crew.more(&r, last);
    return summary_print(&r, s);
}

static int print_array(session *s, const arguments *a, const bonsai_condense_info *info,
                       bonsai_graph *const *small)
{
    json_t *all = json_array();
    for (int k = 0; k < a->count; k++) {
        summary r = {.count = 0};
        bonsai_condense_options o = a->o;
        o.ratio = a->ratio[k];
        summary_condensed(&r, &o, &info[k], small[k], a->to[k]);
        if (crew.more)
            crew.more(&r, &info[k]);
        if (json_array_append_new(all, summary_object(&r)) != 0) {
            json_decref(all);
            all = NULL;
        }
        summary_free(&r);
    }
    return print_json(s, all);
}

static int print_results(session *s, const arguments *a, const bonsai_condense_info *info,
                         bonsai_graph *const *small)
{
    if (a->ratios)
        return s->json ? print_array(s, a, info, small) : print_rows(s, a, info);
    summary r = {.count = 0};
    bonsai_condense_options o = a->o;
    if (a->update) {
        json_t *meta = condensed_metadata(small[0]);
        condensed_options(&o, meta);
        json_decref(meta);
    }
    summary_condensed(&r, &o, info, small[0], a->to[0]);
    if (crew.more)
        crew.more(&r, info);
    return summary_print(&r, s);
}

static bonsai_status update(session *s, bonsai_graph **small, bonsai_condense_info *info,
                            const bonsai_graph *g, const arguments *a)
{
    bonsai_graph *was = NULL, *before = NULL;
    bonsai_status rc = bonsai_graph_read(&was, a->was, &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_read(&before, a->update, &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_condense_update(small, info, g, was, before, &a->o);
    bonsai_graph_free(was);
    bonsai_graph_free(before);
    return rc;
}

/* A split that nobody asked for is worth a word: the user must judge on the rest of it. */
static void note_split(session *s, const arguments *a, const bonsai_graph *g)
{
    const bonsai_view *v = bonsai_graph_view(g);
    if (a->split || v->section[BONSAI_SECTION_SPLIT].data)
        return;
    if (v->section[BONSAI_SECTION_ROLE].data)
        note(s, "%s is a condensed graph: every node with a label is for training", a->path);
    else
        note(s, "%s has no split: 60/20/20 was drawn; bonsai split %s -o FILE --seed %llu "
             "draws the same", a->path, a->path, (unsigned long long)a->o.seed);
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

/* Writes what was chosen: one process does, whoever took part in choosing. */
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

static int condense(session *s, const arguments *a)
{
    bonsai_graph *g = NULL, *small[MOST_RATIOS] = {NULL};
    bonsai_condense_info info[MOST_RATIOS];
    for (int i = 0; i < a->count; i++)
        bonsai_condense_info_init(&info[i]);
    bonsai_status rc = crew.read(&g, a->path, &s->read);
    if (rc == BONSAI_OK && a->update)
        rc = update(s, small, info, g, a);
    else if (rc == BONSAI_OK)
        rc = crew.condense(small, info, a->ratios ? a->ratio : NULL, a->count, g, &a->o);
    if (rc == BONSAI_OK)
        rc = crew.agree(s->mute ? BONSAI_OK : write_all(s, a, small, g, info));
    if (rc == BONSAI_OK)
        note_split(s, a, g);
    int code = EXIT_DONE;
    if (rc != BONSAI_OK)
        code = fail(s, rc);
    else if (!s->mute)
        code = print_results(s, a, info, small);
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
    a->method = a->o.method;
    a->accounting = a->o.accounting != BONSAI_ACCOUNTING_STRICT;
    method_words_fill();
    int code = parse(s, a, argc, argv);
    if (code != OPT_GO)
        return code;
    for (int i = 0; i < a->count; i++) {
        if (path_is_same(a->path, a->to[i]))    /* it must not replace what it is made of */
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
    return condense(s, a);
}
