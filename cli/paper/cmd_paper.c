/* cmd_paper.c -- bonsai paper: the paper's tables and figures, ours next to the published ones.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "paper.h"

static paper asked;

/* ---- what is asked ------------------------------------------------------- */

static int parse_only(session *s, paper *p)
{
    int table[TABLES], count;
    int code = parse_words(s, table, &count, "--only", p->only, paper_table_names);
    for (int i = 0; code == OPT_GO && i < count; i++)
        p->asked |= 1 << table[i];
    return code;
}

static int parse_line(session *s, paper *p, int argc, char **argv)
{
    const bonsai_field own[] = {
        {.name = "data", OWN(paper, data, FILE), .arg = "DIR",
         .help = "the folder with the datasets, in any layout, at any depth (required)"},
        {.name = "out", OWN(paper, out, FILE), .letter = 'o', .arg = "DIR",
         .help = "write cells.jsonl, results.csv, results.json and index.html there (required)"},
        {.name = "only", OWN(paper, only, TEXT), .arg = "T,T,...", .words = paper_table_names,
         .help = "tables"},
        {.name = "quick", OWN(paper, quick, FLAG), .help = "one run of 60 epochs, and fewer cells"},
        {.name = "seed", OWN(paper, train.seed, U64), .letter = 's', .arg = "S",
         .help = "of the first split, of condensing and of the first run"}, {0}};
    const opt_spec spec = {
        .usage = "paper --data DIR --out DIR [options]",
        .about =
            "Measures every table and figure of the paper for the datasets in a folder, and\n"
            "writes them next to the published figures as CSV, JSON and one HTML page that marks\n"
            "what is better than published.  Splits are of 60/20/20, the same for all methods.\n"
            "After an interruption the same command resumes.  Missing datasets are listed with\n"
            "how to get them.",
        .examples = "  bonsai paper --data data --out paper --quick\n"
                    "  bonsai paper --data data --out paper --only accuracy,seconds\n",
        .args = "",
        .groups = (const opt_group[]){
            {.base = p, .own = own},
            {.base = &p->repeat, .kind = BONSAI_OPTIONS_COMPARE,
             .only = "splits draws side_by_side"},
            {.base = &p->train, .kind = BONSAI_OPTIONS_TRAIN, .only = "seeds epochs"}, {0}},
        .shared = OPT_THREADS | OPT_JSON,
    };
    return opt_parse(s, &spec, argc, argv);
}

static void reset(session *s, paper *p)
{
    memset(p, 0, sizeof *p);
    bonsai_train_options_init(&p->train);
    bonsai_compare_options_init(&p->repeat);
    p->only = "all";
    p->s = s;
}

static int parse(session *s, paper *p, int argc, char **argv)
{
    reset(s, p);
    int code = parse_line(s, p, argc, argv);
    if (code == OPT_GO && p->quick) {           /* again, over the options of a quick run */
        reset(s, p);
        p->train.seeds = 1;
        p->train.epochs = 60;
        code = parse_line(s, p, argc, argv);
    }
    if (code != OPT_GO)
        return code;
    if (!p->data)
        return refuse(s, "--data is missing: the folder with the datasets");
    if (!p->out)
        return refuse(s, "--out is missing: the folder for the results");
    return parse_only(s, p);
}

/* ---- output -------------------------------------------------------------- */

static int note_sets(const paper *p)
{
    int found = 0;
    for (int i = 0; i < p->set_count; i++) {
        const dataset *d = &p->sets[i];
        char nodes[32];
        text_grouped(nodes, sizeof nodes, d->nodes);
        found += *d->path != 0;
        if (*d->path)
            continue;
        if (strcmp(d->how, "fetch") == 0)
            note(p->s, "%s (%s nodes) is missing; to get it: bonsai fetch %s --to %s", d->title,
                 nodes, d->name, p->data);
        else
            note(p->s, "%s (%s nodes) is missing; it is %s", d->title, nodes, d->how);
    }
    return found;
}

/* The value of a cell of a row by the key and source of its column. */
static bn_json *value_at(const bn_json *table, const bn_json *row, const char *key,
                         const char *source)
{
    size_t i;
    bn_json *top;
    for (i = 0; (top = bn_json_at(bn_json_get(table, "head"), i)); i++)
        if (strcmp(bn_json_as_text(bn_json_get(top, "key")), key) == 0 &&
            strcmp(bn_json_as_text(bn_json_get(top, "source")), source) == 0) {
            bn_json *cell = bn_json_at(row, i);
            bn_json *value = bn_json_is_object(cell) ? bn_json_get(cell, "value") : cell;
            return value ? bn_json_keep(value) : bn_json_null();
        }
    return bn_json_null();
}

/* The rows of the first table, which most people want. */
static bn_json *accuracy_rows(const bn_json *table)
{
    static const char *const shown[][2] = {
        {"dataset", "key"}, {"ratio", "key"}, {"accounting", "key"}, {"trees", "ours"},
        {"auto", "ours"}, {"random", "ours"}, {"full", "ours"}, {"Bonsai", "paper"},
        {"Full", "paper"}};
    bn_json *rows = bn_json_array(), *row;
    size_t i;
    for (i = 0; (row = bn_json_at(bn_json_get(table, "rows"), i)); i++) {
        bn_json *line = bn_json_array();
        for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
            bn_json_add(line, value_at(table, row, shown[k][0], shown[k][1]));
        bn_json_add(rows, line);
    }
    return rows;
}

static void count_better(const paper *p, int *better, int *beside)
{
    size_t i, j, k;
    bn_json *table, *row, *cell;
    *better = *beside = 0;
    for (i = 0; (table = bn_json_at(bn_json_get(p->results, "tables"), i)); i++)
        for (j = 0; (row = bn_json_at(bn_json_get(table, "rows"), j)); j++)
            for (k = 0; (cell = bn_json_at(row, k)); k++) {
                const bn_json *mark = bn_json_is_object(cell) ? bn_json_get(cell, "better") : NULL;
                *beside += mark != NULL;
                *better += bn_json_is_true(mark);
            }
}

static int print(session *s, paper *p)
{
    static const column columns[] = {
        {"dataset", "dataset", NULL}, {"ratio", "ratio %", "%.1f"}, {"bytes", "bytes", NULL},
        {"trees", "trees", "%.2f"}, {"auto", "auto", "%.2f"}, {"random", "random", "%.2f"},
        {"full", "full", "%.2f"}, {"bonsai_paper", "Bonsai (paper)", "%.2f"},
        {"full_paper", "full (paper)", "%.2f"}, {NULL, NULL, NULL}};
    char page[MOST_PATH + 16];
    int better, beside;
    summary r = {.count = 0};
    if (style_of(s) == STYLE_JSON)
        return print_json(s, bn_json_keep(p->results));
    count_better(p, &better, &beside);
    snprintf(page, sizeof page, "%s/index.html", p->out);
    if (p->asked >> TABLE_ACCURACY & 1) {
        summary_heading(&r, "Accuracy of a GCN in percent");
        summary_table(&r, "accuracy", columns,
                      accuracy_rows(bn_json_at(bn_json_get(p->results, "tables"), 0)));
    }
    summary_int(&r, "cells", "cells", p->count);
    summary_int(&r, "better", "better than published", better);
    summary_note(&r, "of %d with a published figure", beside);
    summary_text(&r, "page", "page", page);
    return summary_print(&r, s);
}

int cmd_paper(session *s, int argc, char **argv)
{
    paper *p = &asked;
    int code = parse(s, p, argc, argv);
    if (code != OPT_GO)
        return code;
    p->set_count = paper_sets(p->sets);
    code = paper_find(s, p->sets, p->set_count, p->data);
    if (code == EXIT_DONE && note_sets(p) == 0)
        code = fail_with(s, "%s: holds none of the paper's datasets", p->data);
    if (code == EXIT_DONE)
        code = paper_cells(p);
    if (code == EXIT_DONE)
        code = paper_run(p);
    if (code == EXIT_DONE)
        code = paper_merge(p);
    if (code == EXIT_DONE)
        code = paper_write(p);
    if (code == EXIT_DONE)
        code = print(s, p);
    cellfile_close(&p->file);
    bn_json_free(p->results);
    free(p->cells);
    free(p->accuracies);
    free(p->table);
    return code;
}
