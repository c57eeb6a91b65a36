/* cmd_compare.c -- bonsai compare: what models learn from each method's small graphs.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "files/graphs.h"
#include "results/cells.h"
#include "results/train_eval.h"

enum { MOST = 64 };

typedef struct {
    bonsai_compare_options  o;
    bonsai_condense_options condense;
    bonsai_train_options    train;
    training_width          width;
    const char *path, *out, *methods, *ratios, *models;
    int    protocol;
    bonsai_method     method[BONSAI_METHOD_COUNT];
    bonsai_model_kind model[BONSAI_MODEL_COUNT];
    double ratio[MOST];
    bonsai_cell *cells;
    double  *accuracies, *recall;       /* of all cells */
    int64_t  count;
    cellfile file;
} arguments;

static arguments asked;

/* ---- what is asked ------------------------------------------------------- */

/* Returns 1 if the method learns by descent. */
static int learns(int method)
{
    return (int)(field_named(BONSAI_OPTIONS_CONDENSE, "effort")->methods >> method & 1);
}

/* Returns the words of --methods: every method, and "peers". */
static const char *const *method_words(void)
{
    static const char *words[BONSAI_METHOD_COUNT + 2];
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++)
        words[m] = bonsai_method_name((bonsai_method)m);
    words[BONSAI_METHOD_COUNT] = "peers";
    return words;
}

static int add_method(arguments *a, int method)
{
    int n = a->o.method_count;
    for (int i = 0; i < n; i++)
        if (a->method[i] == (bonsai_method)method)
            return n;
    a->method[n] = (bonsai_method)method;
    return n + 1;
}

/* Fills a->method. "all" leaves out auto, which repeats another method's result, and published,
 * which keeps to no budget in bytes. */
static int parse_methods(session *s, arguments *a)
{
    int words[BONSAI_METHOD_COUNT + 1], count;
    int code = parse_words(s, words, &count, "--methods", a->methods, method_words());
    const int all = strcmp(a->methods, "all") == 0;
    a->o.method_count = 0;
    for (int i = 0; code == OPT_GO && i < count; i++)
        if (words[i] == BONSAI_METHOD_COUNT)
            for (int m = 0; !all && m < BONSAI_METHOD_COUNT; m++)
                a->o.method_count = learns(m) ? add_method(a, m) : a->o.method_count;
        else if (!all || (words[i] != BONSAI_METHOD_AUTO && words[i] != BONSAI_METHOD_PUBLISHED &&
                          !learns(words[i])))
            a->o.method_count = add_method(a, words[i]);
    return code;
}

static int settle(session *s, arguments *a)
{
    int models[BONSAI_MODEL_COUNT];
    int code = parse_methods(s, a);
    if (code == OPT_GO)
        code = parse_words(s, models, &a->o.model_count, "--models", a->models,
                           field_named(BONSAI_OPTIONS_TRAIN, "model")->words);
    if (code == OPT_GO)
        code = parse_ratios(s, a->ratio, &a->o.ratio_count, MOST, a->ratios);
    if (code == OPT_GO)
        code = check_split(s, a->train.split);
    if (code != OPT_GO)
        return code;
    for (int i = 0; i < a->o.model_count; i++)
        a->model[i] = (bonsai_model_kind)models[i];
    if (a->train.metric != BONSAI_METRIC_ACCURACY)      /* small graphs are for it, too */
        a->condense.metric = (bonsai_aim)(BONSAI_AIM_ACCURACY + (int)a->train.metric);
    a->condense.seed = a->train.seed;
    a->condense.threads = a->train.threads = s->read.threads;
    return OPT_GO;
}

static void reset(arguments *a)
{
    memset(a, 0, sizeof *a);
    bonsai_compare_options_init(&a->o);
    bonsai_condense_options_init(&a->condense);
    bonsai_train_options_init(&a->train);
    a->methods = "all";
    a->ratios = "0.005,0.01,0.03";
    a->models = bonsai_model_name(a->train.model);
}

static int parse(session *s, arguments *a, int argc, char **argv)
{
    const bonsai_field own[] = {
        {.name = "methods", OWN(arguments, methods, TEXT), .arg = "M,M,...",
         .words = method_words(),
         .help = "methods of condensing (peers: those that learn by descent; all: the others but "
                 "auto and published)"},
        {.name = "ratios", OWN(arguments, ratios, TEXT), .arg = "R,R,...",
         .help = "shares of the graph's bytes, such as 0.01 or 1%"},
        {.name = "models", OWN(arguments, models, TEXT), .arg = "M,M,...",
         .words = field_named(BONSAI_OPTIONS_TRAIN, "model")->words, .help = "models"},
        {.name = "output", OWN(arguments, out, FILE), .letter = 'o', .arg = "FILE",
         .help = "write each result to FILE at once, as a line of JSON, and resume from its "
                 "contents"},
        {.name = "split", OWN(arguments, train.split, SPLIT), .arg = "A/B/C",
         .help = "own, or draw a new split: random, published or percent such as 60/20/20",
         .otherwise = "the graph's own; 60/20/20 where it has none, and with --splits"},
        {.name = "seed", OWN(arguments, train.seed, U64), .letter = 's', .arg = "S",
         .help = "of the first split, of condensing and of the first run"}, {0}};
    const opt_group groups[] = {
        {.base = a, .own = own},
        {.base = &a->o, .kind = BONSAI_OPTIONS_COMPARE, .only = "splits draws side_by_side"},
        {.base = &a->train, .kind = BONSAI_OPTIONS_TRAIN, .but = "model"},
        {.base = &a->protocol, .own = training_protocol},
        {.base = &a->condense, .kind = BONSAI_OPTIONS_CONDENSE,
         .only = "accounting for_models effort time_limit keep"},
        {0}};
    const opt_spec spec = {
        .usage = "compare GRAPH [options]",
        .about =
            "Condenses GRAPH by each method to each ratio, trains models on the small graphs and\n"
            "on GRAPH itself, and prints their accuracy, or another --metric, on its test nodes:\n"
            "mean and standard error over the splits if there are several, else over the draws,\n"
            "else over the runs, which differ in their weights alone.  All methods share the\n"
            "splits; below the table the first is set against each other, in pairs of the same\n"
            "split and draw.  With -o the same command resumes after an interruption, or with\n"
            "more methods, ratios, models, splits and draws.",
        .examples = "  bonsai compare cora.bonsai\n"
                    "  bonsai compare cora.bonsai --methods trees,random --models gcn,gat\n"
                    "  bonsai compare cora.bonsai --ratios 0.01 --splits 3 --draws 3\n"
                    "  bonsai compare cora.bonsai --ratios 0.01 --models all -o cora.jsonl\n",
        .args = "GRAPH",
        .values = &a->path,
        .groups = groups,
        .shared = OPT_READS | OPT_JSON,
    };
    reset(a);
    int code = opt_parse(s, &spec, argc, argv);
    if (code != OPT_GO)
        return code;
    a->width = training_follow(s, &a->train, a->protocol);
    return settle(s, a);
}

/* ---- what the file is for ------------------------------------------------ */

/* Adds the options of methods that learn that are not the default. */
static void add_learning(bn_json *options, const bonsai_condense_options *o)
{
    if (o->effort != 1)
        bn_json_set(options, "effort", bn_json_real(o->effort));
    if (o->time_limit > 0)
        bn_json_set(options, "time-limit", bn_json_real(o->time_limit));
    if (o->keep != BONSAI_KEEP_PROBE)
        bn_json_set(options, "keep", bn_json_text("last"));
}

/* Adds the options of training that are not the default. */
static void add_training(bn_json *options, const bonsai_train_options *o)
{
    if (o->weighted)
        bn_json_set(options, "weighted", bn_json_whole(1));
    if (o->cut > 0)
        bn_json_set(options, "cut", bn_json_real(o->cut));
    if (o->uniform)
        bn_json_set(options, "uniform", bn_json_whole(1));
    if (o->class_weight)
        bn_json_set(options, "class-weight", bn_json_text(o->class_weight));
}

static bn_json *heading(const arguments *a, const bonsai_graph *g)
{
    const bonsai_train_options *t = &a->train;
    char sum[24], seed[24], split[SPLIT_TEXT], models[64];
    uint64_t sections = (2u << BONSAI_SECTION_NODE_WEIGHTS) - 1;    /* all that enters a cell */
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)bonsai_graph_checksum(g, sections));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)t->seed);
    compared_split(split, g, &a->o);
    bn_json *graph = bn_json_pack("{s:I,s:I,s:I,s:I,s:s}", "nodes", (int64_t)bonsai_graph_nodes(g),
                                  "edges", (int64_t)bonsai_graph_edges(g), "features",
                                  (int64_t)bonsai_graph_features(g), "classes",
                                  (int64_t)bonsai_graph_classes(g), "checksum", sum);
    bn_json *options = bn_json_pack(
        "{s:i,s:i,s:i,s:i,s:I,s:i,s:i,s:f,s:f,s:f,s:s,s:s,s:s,s:s,s:s}", "seeds", t->seeds,
        "epochs", t->epochs, "every", t->every, "layers", t->layers, "hidden", (int64_t)t->hidden,
        "heads", t->heads, "gin-layers", t->gin_layers, "rate", t->rate, "decay", t->decay, "dropout",
        t->dropout, "standardise", training_standardise(t), "accounting",
        a->condense.accounting ? "paper" : "strict", "split", split, "metric",
        bonsai_metric_name(t->metric), "seed", seed);
    if (a->condense.for_models) {
        const bonsai_field *f = field_named(BONSAI_OPTIONS_CONDENSE, "for_models");
        bonsai_field_text(models, sizeof models, f, &a->condense);
        bn_json_set(options, "for", bn_json_text(models));
    }
    add_training(options, t);
    add_learning(options, &a->condense);
    return bn_json_pack("{s:s,s:o,s:o}", "bonsai_compare", bonsai_version(), "graph", graph,
                        "options", options);
}

/* ---- the work ------------------------------------------------------------ */

/* Lists the cells, with room for the accuracy of every run and the recall of every class. */
static int list_cells(session *s, arguments *a, const bonsai_graph *g)
{
    const int64_t classes = bonsai_graph_classes(g);
    a->count = bonsai_compare_count(&a->o);
    if (a->count < 0)
        return fail(s, BONSAI_E_ARGUMENT);
    a->cells = calloc((size_t)a->count, sizeof *a->cells);
    a->accuracies = calloc((size_t)a->count, (size_t)a->train.seeds * sizeof *a->accuracies);
    a->recall = calloc((size_t)a->count, ((size_t)classes + 1) * sizeof *a->recall);
    if (!a->cells || !a->accuracies || !a->recall)
        return fail_with(s, "there is not enough memory for %lld cells of %d runs",
                         (long long)a->count, a->train.seeds);
    bonsai_status rc = bonsai_compare_cells(a->cells, &a->o);
    for (int64_t i = 0; i < a->count; i++) {
        a->cells[i].accuracies = a->accuracies + i * a->train.seeds;
        a->cells[i].recall = a->recall + i * classes;
    }
    return rc == BONSAI_OK ? EXIT_DONE : fail(s, rc);
}

static int compare(session *s, arguments *a)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = calls.read(&g, a->path, &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_verify(g);
    if (rc == BONSAI_OK)
        training_widen(s, &a->train, &a->width, g);
    int code = rc == BONSAI_OK ? list_cells(s, a, g) : fail(s, rc);
    a->file = (cellfile){.s = s, .command = "compare", .place = "file", .path = a->out,
                         .cells = a->cells, .count = a->count, .runs = a->train.seeds,
                         .classes = g ? bonsai_graph_classes(g) : 0};
    if (code == EXIT_DONE && a->out) {
        a->file.heading = heading(a, g);
        code = cellfile_open(&a->file);
    }
    if (code == EXIT_DONE && (rc = bonsai_compare(a->cells, g, &a->o)) != BONSAI_OK)
        code = cellfile_stopped(&a->file, rc);
    if (code == EXIT_DONE)
        note_scales(s, g, a->path);
    if (code == EXIT_DONE)
        code = compared_print(s, &a->o, g, a->cells, a->count);
    cellfile_close(&a->file);
    free(a->cells);
    free(a->accuracies);
    free(a->recall);
    bonsai_graph_free(g);
    return code;
}

int cmd_compare(session *s, int argc, char **argv)
{
    arguments *a = &asked;
    int code = parse(s, a, argc, argv);
    if (code != OPT_GO)
        return code;
    a->o.methods = a->method;
    a->o.ratios = a->ratio;
    a->o.models = a->model;
    a->o.condense = &a->condense;
    a->o.train = &a->train;
    a->o.cell = a->out ? cellfile_keep : NULL;
    a->o.cell_payload = &a->file;
    a->o.progress = progress_tick;
    a->o.payload = &s->progress;
    return compare(s, a);
}
