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
    int table[MOST_TABLES], count;
    int code = parse_words(s, table, &count, "--only", p->only, paper_table_names);
    for (int i = 0; code == OPT_GO && i < count; i++)
        p->asked |= 1 << table[i];
    return code;
}

static const char *const protocols[] = {"published", "ours", NULL};

static int parse_line(session *s, paper *p, int argc, char **argv)
{
    const bonsai_field own[] = {
        {.name = "data", OWN(paper, data, FILE), .arg = "DIR",
         .help = "the folder with the datasets, in any layout, at any depth (required)"},
        {.name = "out", OWN(paper, out, FILE), .letter = 'o', .arg = "DIR",
         .help = "write cells.jsonl, results.csv, results.json and index.html there (required)"},
        {.name = "only", OWN(paper, only, TEXT), .arg = "T,T,...", .words = paper_table_names,
         .help = "tables"},
        {.name = "protocol", OWN(paper, protocol, CHOICE), .words = protocols,
         .help = "published: its split of 56/24/20, index lists where DIR has them "
                 "(NAME-RATIO.npz), rate 0.001, decay 0, 1000 epochs; ours: 60/20/20 and the "
                 "defaults of train; both: MAG240M 80/10/10"},
        {.name = "quick", OWN(paper, quick, FLAG),
         .help = "two runs of 60 epochs, fewer cells, effort 0.01 and 5 seconds"},
        {.name = "effort", OWN(paper, effort, REAL), .low = 1e-4, .high = 100, .arg = "E",
         .group = BONSAI_GROUP_LEARN, .preset = 0.05,
         .help = "methods that learn: share of their published rounds"},
        {.name = "time_limit", OWN(paper, time_limit, REAL), .low = 0, .high = 1e9, .arg = "S",
         .group = BONSAI_GROUP_LEARN, .preset = 20,
         .help = "methods that learn: seconds for each, then the best so far counts"},
        {.name = "seed", OWN(paper, train.seed, U64), .letter = 's', .arg = "S",
         .help = "of the first split that is drawn, of condensing and of the first run"}, {0}};
    const opt_spec spec = {
        .usage = "paper --data DIR --out DIR [options]",
        .about =
            "Measures every table and figure of the paper for the datasets in a folder: what its\n"
            "authors' code computes, redone; ours in its accounting; and ours at honest bytes, "
            "each\nbeside the published figure.  Writes CSV, JSON and one HTML page, which says "
            "better or\nworse only between like and like.  After an interruption the same command "
            "resumes.\nMissing datasets are listed with how to get them.",
        .examples = "  bonsai paper --data data --out paper --quick\n"
                    "  bonsai paper --data data --out paper --side-by-side\n"
                    "  bonsai paper --data data --out paper --only accuracy,seconds\n",
        .args = "",
        .groups = (const opt_group[]){
            {.base = p, .own = own},
            {.base = &p->repeat, .kind = BONSAI_OPTIONS_COMPARE,
             .only = "splits draws side_by_side"},
            {.base = &p->train, .kind = BONSAI_OPTIONS_TRAIN, .only = "seeds epochs every"}, {0}},
        .shared = OPT_THREADS | OPT_JSON,
    };
    return opt_parse(s, &spec, argc, argv);
}

/* Sets the values of a protocol.  The authors' script for the tables trains for 1000 epochs. */
static void reset(session *s, paper *p, int protocol, int quick)
{
    memset(p, 0, sizeof *p);
    bonsai_train_options_init(&p->train);
    bonsai_compare_options_init(&p->repeat);
    p->only = "all";
    p->s = s;
    p->effort = quick ? 0.01 : 0.05;
    p->time_limit = quick ? 5 : 20;
    p->began = seconds();
    if (protocol == PROTOCOL_PUBLISHED) {
        const int every = p->train.every;
        training_follow(NULL, &p->train, TRAINING_PAPER);
        p->train.epochs = PUBLISHED_EPOCHS;
        p->train.every = every;
    }
    if (quick) {
        p->train.seeds = 2;
        p->train.epochs = 60;
    }
}

/* Reads the line twice: the second time over the values of its protocol. */
static int parse(session *s, paper *p, int argc, char **argv)
{
    reset(s, p, PROTOCOL_PUBLISHED, 0);
    int code = parse_line(s, p, argc, argv);
    if (code == OPT_GO) {
        reset(s, p, p->protocol, p->quick);
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
        text_grouped(nodes, sizeof nodes, d->is->nodes);
        found += *d->path != 0;
        if (*d->path)
            continue;
        if (strcmp(d->how, "fetch") == 0)
            note(p->s, "%s (%s nodes) is missing; to get it: bonsai fetch %s --to %s", d->is->title,
                 nodes, d->is->name, p->data);
        else
            note(p->s, "%s (%s nodes) is missing; it is %s", d->is->title, nodes, d->how);
    }
    return found;
}

/* Returns the value of a cell, or its text. */
static bn_json *plain_of(bn_json *cell)
{
    bn_json *value = bn_json_is_object(cell) ? bn_json_get(cell, "value") : cell;
    return value ? bn_json_keep(value) : bn_json_null();
}

/* Returns the rows of the paper's own method, ours and the full graph, which most readers want. */
static bn_json *accuracy_rows(const bn_json *results)
{
    bn_json *rows = bn_json_array(), *row, *table;
    size_t t = 0;
    while ((table = bn_json_at(bn_json_get(results, "tables"), t)) &&
           strcmp(bn_json_as_text(bn_json_get(table, "name")), "accuracy") != 0)
        t++;
    for (size_t i = 0; (row = bn_json_at(bn_json_get(table, "rows"), i)); i++) {
        const char *name = bn_json_as_text(bn_json_at(row, 2));
        if (strncmp(name, "Bonsai", 6) != 0 && strncmp(name, "auto", 4) != 0 &&
            strcmp(name, "Full") != 0)
            continue;
        bn_json *line = bn_json_array(), *cell;
        for (size_t k = 0; (cell = bn_json_at(row, k)); k++)
            bn_json_add(line, plain_of(cell));
        bn_json_add(rows, line);
    }
    return rows;
}

static int print(session *s, paper *p)
{
    static const column columns[] = {
        {"dataset", "dataset", NULL}, {"ratio", "ratio %", "%.1f"}, {"method", "method", NULL},
        {"published", "published", "%.2f"}, {"redone", "redone", "%.2f"},
        {"paper", "paper's bytes", "%.2f"}, {"honest", "honest bytes", "%.2f"}, {NULL, NULL, NULL}};
    char page[MOST_PATH + 16];
    bn_json *line;
    summary r = {.count = 0};
    if (style_of(s) == STYLE_JSON)
        return print_json(s, bn_json_keep(p->results));
    snprintf(page, sizeof page, "%s/index.html", p->out);
    if (paper_wants(p, "accuracy")) {
        summary_heading(&r, "Accuracy of a GCN in percent");
        summary_table(&r, "accuracy", columns, accuracy_rows(p->results));
    }
    for (size_t i = 0; (line = bn_json_at(bn_json_get(p->results, "summary"), i)); i++)
        note(s, "%s", bn_json_as_text(line));
    summary_int(&r, "cells", "cells", p->count);
    summary_text(&r, "page", "page", page);
    return summary_print(&r, s);
}

static void let_go(paper *p)
{
    cellfile_close(&p->file);
    for (int i = 0; i < MOST_SETS; i++) {
        bn_json_free(p->seen[i].pagerank);
        bn_json_free(p->seen[i].lemma);
    }
    bn_json_free(p->results);
    paper_forget();
    free(p->cells);
    free(p->accuracies);
    free(p->table);
}

int cmd_paper(session *s, int argc, char **argv)
{
    paper *p = &asked;
    int code = paper_describe(s);
    if (code == EXIT_DONE)
        code = parse(s, p, argc, argv);
    if (code != OPT_GO) {
        paper_forget();
        return code;
    }
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
    let_go(p);
    return code;
}
