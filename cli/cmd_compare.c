/* cmd_compare.c -- bonsai compare: what models learn from each method's small graphs.
 *
 * The table has one row per method and ratio, grouped by ratio so that competitors
 * are together, and one column per model.  Pipes and JSON get one row per cell.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST = 64, MOST_CELLS = (1 + MOST * BONSAI_METHOD_COUNT) * BONSAI_MODEL_COUNT, SHOWN = 48 };

typedef struct {
    bonsai_compare_options  o;
    bonsai_condense_options condense;
    bonsai_train_options    train;
    const char *path, *out, *methods, *ratios, *models;
    int    protocol;
    bonsai_method     method[BONSAI_METHOD_COUNT];
    bonsai_model_kind model[BONSAI_MODEL_COUNT];
    double ratio[MOST];
    bonsai_cell cells[MOST_CELLS];
    int64_t  count;
    cellfile file;
} arguments;

static arguments asked;

/* ---- what is asked ------------------------------------------------------- */

static int parse_ratios(session *s, arguments *a)
{
    char word[64];
    const char *text = a->ratios;
    int n = 0;
    while (text_piece(word, sizeof word, &text)) {
        if (n == MOST)
            return refuse(s, "--ratios holds more than %d numbers", MOST);
        if (!parse_real(word, &a->ratio[n]) || a->ratio[n] <= 0 || a->ratio[n] > 1)
            return refuse(s, "--ratios holds \"%s\", which is not a number above 0 and at most 1",
                          word);
        for (int i = 0; i < n; i++)
            if (a->ratio[i] == a->ratio[n])
                return refuse(s, "--ratios holds %s twice", word);
        n++;
    }
    a->o.ratio_count = n;
    return OPT_GO;
}

static int leave_out(int *list, int count, int what)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (list[i] != what)
            list[kept++] = list[i];
    return kept;
}

static int settle(session *s, arguments *a)
{
    int methods[BONSAI_METHOD_COUNT], models[BONSAI_MODEL_COUNT];
    int code = parse_words(s, methods, &a->o.method_count, "--methods", a->methods,
                           field_named(BONSAI_OPTIONS_CONDENSE, "method")->words);
    if (code == OPT_GO)
        code = parse_words(s, models, &a->o.model_count, "--models", a->models,
                           field_named(BONSAI_OPTIONS_TRAIN, "model")->words);
    if (code == OPT_GO)
        code = parse_ratios(s, a);
    if (code == OPT_GO)
        code = check_split(s, a->train.split);
    if (code != OPT_GO)
        return code;
    if (strcmp(a->methods, "all") == 0)         /* auto would repeat the result of one of them */
        a->o.method_count = leave_out(methods, a->o.method_count, BONSAI_METHOD_AUTO);
    for (int i = 0; i < a->o.method_count; i++)
        a->method[i] = (bonsai_method)methods[i];
    for (int i = 0; i < a->o.model_count; i++)
        a->model[i] = (bonsai_model_kind)models[i];
    a->condense.seed = a->train.seed;
    a->condense.threads = a->train.threads = s->read.threads;
    return OPT_GO;
}

static int parse_rows(session *s, arguments *a, const opt_spec *spec, int argc, char **argv)
{
    const bonsai_field own[] = {
        {.name = "methods", OWN(arguments, methods, TEXT), .arg = "M,M,...",
         .words = field_named(BONSAI_OPTIONS_CONDENSE, "method")->words,
         .help = "methods of condensing (all: every one but auto)"},
        {.name = "ratios", OWN(arguments, ratios, TEXT), .arg = "R,R,...",
         .help = "shares of the graph's bytes"},
        {.name = "models", OWN(arguments, models, TEXT), .arg = "M,M,...",
         .words = field_named(BONSAI_OPTIONS_TRAIN, "model")->words, .help = "models"},
        {.name = "output", OWN(arguments, out, FILE), .letter = 'o', .arg = "FILE",
         .help = "write each result to FILE at once, as a line of JSON, and resume from its "
                 "contents"},
        {.name = "split", OWN(arguments, train.split, SPLIT), .arg = "A/B/C",
         .help = "percent for train/validation/test, drawn even if GRAPH has a split"},
        {.name = "seed", OWN(arguments, train.seed, U64), .letter = 's', .arg = "S",
         .help = "of the split, of condensing and of the first run"}, {0}};
    const opt_group groups[] = {
        {.base = a, .own = own},
        {.base = &a->train, .kind = BONSAI_OPTIONS_TRAIN, .but = "model metric"},
        {.base = &a->protocol, .own = training_protocol},
        {.base = &a->condense, .kind = BONSAI_OPTIONS_CONDENSE, .only = "accounting"}, {0}};
    opt_spec whole = *spec;
    whole.groups = groups;
    return opt_parse(s, &whole, argc, argv);
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
    memcpy(a->train.split, (const double[]){60, 20, 20}, sizeof a->train.split);
}

static int parse(session *s, arguments *a, int argc, char **argv)
{
    const opt_spec spec = {
        .usage = "compare GRAPH [options]",
        .about =
            "Condenses GRAPH by each method to each ratio, trains models on the small graphs and\n"
            "on GRAPH itself, and prints how many test nodes of GRAPH they get right, in percent:\n"
            "mean and standard deviation over the runs.  One split is drawn for all.  With -o\n"
            "the same command resumes after an interruption, or with more methods, ratios and\n"
            "models.",
        .examples = "  bonsai compare cora.bonsai\n"
                    "  bonsai compare cora.bonsai --methods trees,random --models gcn,gat\n"
                    "  bonsai compare cora.bonsai --ratios 0.01 --models all -o cora.jsonl\n",
        .args = "GRAPH",
        .values = &a->path,
        .shared = OPT_READS | OPT_JSON,
    };
    reset(a);
    int code = parse_rows(s, a, &spec, argc, argv);
    if (code == OPT_GO && a->protocol) {        /* again, over what the paper trains with */
        const char *path = a->path, *wide;
        reset(a);
        wide = training_paper(&a->train, path);
        code = parse_rows(s, a, &spec, argc, argv);
        if (wide && code == OPT_GO)
            note(s, "the paper's protocol for %s: hidden %lld, standardised features", wide,
                 (long long)a->train.hidden);
    }
    return code == OPT_GO ? settle(s, a) : code;
}

/* ---- what the file is for ------------------------------------------------ */

static bn_json *heading(const arguments *a, const bonsai_graph *g)
{
    const bonsai_train_options *t = &a->train;
    char sum[24], seed[24], split[64];
    uint64_t sections = (2u << BONSAI_SECTION_NODE_WEIGHTS) - 1;    /* all that enters a cell */
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)bonsai_graph_checksum(g, sections));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)t->seed);
    snprintf(split, sizeof split, "%.10g/%.10g/%.10g", t->split[0], t->split[1], t->split[2]);
    bn_json *graph = bn_json_pack("{s:I,s:I,s:I,s:I,s:s}", "nodes", (int64_t)bonsai_graph_nodes(g),
                                  "edges", (int64_t)bonsai_graph_edges(g), "features",
                                  (int64_t)bonsai_graph_features(g), "classes",
                                  (int64_t)bonsai_graph_classes(g), "checksum", sum);
    bn_json *options = bn_json_pack(
        "{s:i,s:i,s:i,s:i,s:I,s:i,s:i,s:f,s:f,s:f,s:b,s:s,s:s,s:s}", "seeds", t->seeds, "epochs",
        t->epochs, "every", t->every, "layers", t->layers, "hidden", (int64_t)t->hidden, "heads",
        t->heads, "gin-layers", t->gin_layers, "rate", t->rate, "decay", t->decay, "dropout",
        t->dropout, "standardise", t->standardise, "accounting",
        a->condense.accounting ? "paper" : "strict", "split", split, "seed", seed);
    return bn_json_pack("{s:s,s:o,s:o}", "bonsai_compare", bonsai_version(), "graph", graph,
                        "options", options);
}

/* ---- the table ----------------------------------------------------------- */

static const bonsai_cell *cell_at(const arguments *a, int method, int ratio, int model)
{
    int64_t row = method < 0 ? 0 : 1 + (int64_t)method * a->o.ratio_count + ratio;
    return &a->cells[row * a->o.model_count + model];
}

static int is_best(const arguments *a, int method, int ratio, int model)
{
    double mine = cell_at(a, method, ratio, model)->accuracy_mean;
    for (int i = 0; i < a->o.method_count; i++) {
        const bonsai_cell *c = cell_at(a, i, ratio, model);
        if (c->runs > 0 && c->accuracy_mean > mine)
            return 0;
    }
    return 1;
}

static bn_json *accuracy_text(const arguments *a, int method, int ratio, int model)
{
    char text[SHOWN];
    const bonsai_cell *c = cell_at(a, method, ratio, model);
    if (c->runs == 0 || c->accuracy_mean < 0)
        return bn_json_null();
    snprintf(text, sizeof text, "%5.2f %s %4.2f%s", c->accuracy_mean,
             text_is_utf8() ? "\u00b1" : "+-", c->accuracy_std,
             method >= 0 && is_best(a, method, ratio, model) ? " *" : "");
    return bn_json_text(text);
}

static bn_json *sized(const bonsai_cell *c, double value)
{
    return c->nodes ? bn_json_whole((int64_t)value) : bn_json_null();
}

static bn_json *table_row(const arguments *a, int method, int ratio)
{
    char share[32];
    const bonsai_cell *first = cell_at(a, method, ratio, 0);
    double train = 0;
    snprintf(share, sizeof share, "%g", first->ratio);
    bn_json *row = bn_json_pack("[s,s,o,o]", share, method < 0 ? "full" :
                                bonsai_method_name((bonsai_method)first->method),
                                sized(first, first->bytes), sized(first, (double)first->nodes));
    for (int k = 0; k < a->o.model_count; k++) {
        bn_json_add(row, accuracy_text(a, method, ratio, k));
        train += cell_at(a, method, ratio, k)->seconds_train;
    }
    bn_json_add(row, method < 0 ? bn_json_null() : bn_json_real(first->seconds_condense));
    bn_json_add(row, bn_json_real(train));
    return row;
}

static int print_table(session *s, const arguments *a)
{
    column columns[BONSAI_MODEL_COUNT + 7] = {{"ratio", "ratio", NULL}, {"method", "method", NULL},
                                         {"bytes", "bytes", NULL}, {"nodes", "nodes", NULL}};
    int n = 4;
    char title[128];
    summary r = {.count = 0};
    bn_json *rows = bn_json_array();
    for (int k = 0; k < a->o.model_count; k++) {
        const char *name = bonsai_model_name(a->model[k]);
        columns[n++] = (column){name, name, NULL};
    }
    columns[n++] = (column){"condense", "condense s", "%.3f"};
    columns[n++] = (column){"train", "train s", "%.2f"};
    bn_json_add(rows, table_row(a, -1, 0));
    for (int j = 0; j < a->o.ratio_count; j++)
        for (int i = 0; i < a->o.method_count; i++)
            bn_json_add(rows, table_row(a, i, j));
    snprintf(title, sizeof title, "Test accuracy in percent: mean and deviation of %d run%s",
             a->train.seeds, a->train.seeds == 1 ? "" : "s");
    summary_heading(&r, title);
    summary_table(&r, NULL, columns, rows);
    summary_text(&r, NULL, "*", "best at its ratio");
    return summary_print(&r, s);
}

/* Into a pipe: one row per cell, with the columns of its JSON except the reason. */
static int print_cells(session *s, const arguments *a)
{
    static const column columns[] = {{NULL, NULL, NULL}};
    summary r = {.count = 0};
    bn_json *rows = bn_json_array();
    for (int64_t i = 0; i < a->count; i++) {
        bn_json *cell = cell_json(&a->cells[i]);
        bn_json *row = bn_json_sound(cell) ? bn_json_array() : NULL;
        const char *key;
        for (size_t k = 0; (key = bn_json_key(cell, k)); k++)
            if (strcmp(key, "why") != 0)
                bn_json_add(row, bn_json_keep(bn_json_value(cell, k)));
        bn_json_add(rows, row);
        bn_json_free(cell);
    }
    summary_table(&r, "cell", columns, rows);
    return summary_print(&r, s);
}

static int print_array(session *s, const arguments *a)
{
    bn_json *all = bn_json_array();
    for (int64_t i = 0; i < a->count; i++)
        bn_json_add(all, cell_json(&a->cells[i]));
    return print_json(s, all);
}

/* Prints why cells are missing, once if the reason is the same for all models of a graph.  1: only
 * the full graph is there. */
static int note_missing(session *s, const arguments *a)
{
    int64_t made = 0;
    for (int64_t i = a->o.model_count; i < a->count; i++) {
        const bonsai_cell *c = &a->cells[i];
        made += c->runs > 0;
        if (c->runs == 0 && (i % a->o.model_count == 0 || strcmp(c->why, c[-1].why) != 0))
            note(s, "%s at %g: %s", bonsai_method_name((bonsai_method)c->method), c->ratio, c->why);
    }
    return made == 0 && a->count > a->o.model_count;
}

static int print_results(session *s, const arguments *a)
{
    style how = style_of(s);
    int nothing = note_missing(s, a);
    int code = how == STYLE_JSON   ? print_array(s, a)
               : how == STYLE_TEXT ? print_table(s, a)
                                   : print_cells(s, a);
    if (code == EXIT_DONE && nothing)
        return fail_with(s, "no small graph could be compared");
    return code;
}

/* ---- the work ------------------------------------------------------------ */

static int compare(session *s, arguments *a)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_graph_read(&g, a->path, &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_verify(g);
    if (rc == BONSAI_OK)
        rc = bonsai_compare_cells(a->cells, &a->o);
    int code = rc == BONSAI_OK ? EXIT_DONE : fail(s, rc);
    a->count = code == EXIT_DONE ? bonsai_compare_count(&a->o) : 0;
    a->file = (cellfile){.s = s, .command = "compare", .place = "file", .path = a->out,
                         .cells = a->cells, .count = a->count};
    if (code == EXIT_DONE && a->out) {
        a->file.heading = heading(a, g);
        code = cellfile_open(&a->file);
    }
    if (code == EXIT_DONE && (rc = bonsai_compare(a->cells, g, &a->o)) != BONSAI_OK)
        code = cellfile_stopped(&a->file, rc);
    if (code == EXIT_DONE)
        code = print_results(s, a);
    cellfile_close(&a->file);
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
