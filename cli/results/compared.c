/* compared.c -- the table of a comparison, and its methods in pairs.
 *
 * The table has one row per method and ratio, grouped by ratio so that competitors are together,
 * and one column per model.  Pipes and JSON get one row per method, ratio and model.  Cells of
 * several splits and draws are merged; JSON carries each of them too.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"
#include "results/cells.h"
#include "results/train_eval.h"

enum { SHOWN = 48 };

typedef struct {
    const bonsai_compare_options *o;
    const bonsai_graph *g;
    int runs;                   /* of each cell */
    int64_t classes;
    bonsai_metric metric;       /* that the table shows */
    const bonsai_cell *cells;   /* all that were measured */
    int64_t count;
    bonsai_cell *table;         /* merged: the full graph, then method by ratio by model */
    int64_t rows;
} compared;

static const char *const verdicts[] = {"loss", "tie", "win"};

/* ---- cells and pairs ----------------------------------------------------- */

static const bonsai_cell *cell_at(const compared *a, int method, int ratio, int model)
{
    int64_t row = method < 0 ? 0 : 1 + (int64_t)method * a->o->ratio_count + ratio;
    return &a->table[row * a->o->model_count + model];
}

static bonsai_cell like_row(const compared *a, int64_t i)
{
    bonsai_cell c;
    int64_t row = i / a->o->model_count - 1;
    bonsai_cell_init(&c);
    c.model = a->o->models[i % a->o->model_count];
    if (row >= 0) {
        c.method = (int)a->o->methods[row / a->o->ratio_count];
        c.ratio = a->o->ratios[row % a->o->ratio_count];
    }
    return c;
}

static bonsai_status merge(compared *a)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < a->rows && rc == BONSAI_OK; i++) {
        const bonsai_cell like = like_row(a, i);
        bonsai_cell_init(&a->table[i]);
        rc = bonsai_cells_merge(&a->table[i], a->cells, a->count, &like);
    }
    return rc;
}

/* Returns 0 if memory is exhausted. */
static int difference_of(bonsai_difference *d, const compared *a, const bonsai_cell *c,
                         const bonsai_cell *other)
{
    bonsai_difference_init(d);
    return bonsai_cells_difference(d, a->cells, a->count, c, other) == BONSAI_OK;
}

static int is_best(const compared *a, int method, int ratio, int model)
{
    double mine = cell_at(a, method, ratio, model)->metric_mean[a->metric];
    for (int i = 0; i < a->o->method_count; i++) {
        const bonsai_cell *c = cell_at(a, i, ratio, model);
        if (c->runs > 0 && c->metric_mean[a->metric] > mine)
            return 0;
    }
    return 1;
}

/* ---- the split ----------------------------------------------------------- */

void compared_split(char text[SPLIT_TEXT], const bonsai_graph *g, const bonsai_compare_options *o)
{
    double percent[3] = {0};
    snprintf(text, SPLIT_TEXT, "own");
    if (bonsai_compare_split(percent, g, o) == BONSAI_OK && percent[0] > 0)
        snprintf(text, SPLIT_TEXT, "%.10g/%.10g/%.10g", percent[0], percent[1], percent[2]);
}

/* Writes the split with the seeds of those that are drawn. */
static void split_in_use(char text[2 * SPLIT_TEXT], const compared *a)
{
    char shares[SPLIT_TEXT];
    const unsigned long long seed = a->o->train->seed;
    compared_split(shares, a->g, a->o);
    if (strcmp(shares, "own") == 0)
        snprintf(text, 2 * SPLIT_TEXT, "the graph's own");
    else if (a->o->splits > 1)
        snprintf(text, 2 * SPLIT_TEXT, "%s, seeds %llu to %llu", shares, seed,
                 seed + (unsigned)a->o->splits - 1);
    else
        snprintf(text, 2 * SPLIT_TEXT, "%s, seed %llu", shares, seed);
}

/* ---- on a terminal ------------------------------------------------------- */

/* Writes "84.80 ± 0.30", or without an error the value alone. */
static void with_error(char text[SHOWN], const char *format, double value, double error)
{
    int n = snprintf(text, SHOWN, format, value);
    if (!isnan(error))
        snprintf(text + n, SHOWN - (size_t)n, " %s %4.2f", text_is_utf8() ? "\u00b1" : "+-", error);
}

static bn_json *metric_text(const compared *a, int method, int ratio, int model)
{
    char text[SHOWN];
    const bonsai_cell *c = cell_at(a, method, ratio, model);
    if (c->runs == 0 || c->metric_mean[a->metric] < 0)
        return bn_json_null();
    with_error(text, "%5.2f", c->metric_mean[a->metric], c->metric_error[a->metric]);
    return bn_json_textf("%s%s", text, method >= 0 && is_best(a, method, ratio, model) ? " *" : "");
}

static bn_json *sized(const bonsai_cell *c, double value)
{
    return c->nodes ? bn_json_whole((int64_t)value) : bn_json_null();
}

static bn_json *table_row(const compared *a, int method, int ratio)
{
    const bonsai_cell *first = cell_at(a, method, ratio, 0);
    double train = 0;
    bn_json *row = bn_json_pack("[o,s,o,o]", bn_json_textf("%g", first->ratio),
                                method < 0 ? "full" :
                                bonsai_method_name((bonsai_method)first->method),
                                sized(first, first->bytes), sized(first, (double)first->nodes));
    for (int k = 0; k < a->o->model_count; k++) {
        bn_json_add(row, metric_text(a, method, ratio, k));
        train += cell_at(a, method, ratio, k)->seconds_train;
    }
    bn_json_add(row, method < 0 ? bn_json_null() : bn_json_real(first->seconds_condense));
    bn_json_add(row, bn_json_real(train));
    return row;
}

static int is_single(const compared *a)
{
    return a->runs == 1 && a->o->splits == 1 && a->o->draws == 1;
}

/* Writes the title: what the mean and its error are over. */
static void title_of(char *title, size_t size, const compared *a)
{
    int splits = a->o->splits, draws = a->o->draws;
    int n = snprintf(title, size, "Test %s in percent%s ", bonsai_metric_text(a->metric),
                     is_single(a) ? " of" : ": mean and standard error over");
    if (splits > 1)
        n += snprintf(title + n, size - (size_t)n, "%d splits, each with ", splits);
    if (draws > 1)
        n += snprintf(title + n, size - (size_t)n, "%d draws of ", draws);
    snprintf(title + n, size - (size_t)n, "%d run%s%s", a->runs, text_s(a->runs),
             draws > 1 && splits == 1 ? " each" : "");
}

static void add_table(summary *r, const compared *a, column *columns)
{
    int n = 4;
    bn_json *rows = bn_json_array();
    for (int k = 0; k < a->o->model_count; k++) {
        const char *name = bonsai_model_name(a->o->models[k]);
        columns[n++] = (column){name, name, NULL};
    }
    columns[n++] = (column){"condense", "condense s", "%.3f"};
    columns[n++] = (column){"train", "train s", "%.2f"};
    bn_json_add(rows, table_row(a, -1, 0));
    for (int j = 0; j < a->o->ratio_count; j++)
        for (int i = 0; i < a->o->method_count; i++)
            bn_json_add(rows, table_row(a, i, j));
    summary_table(r, NULL, columns, rows);
    summary_text(r, NULL, "*", "best at its ratio");
    if (a->o->draws > 1 && a->o->splits == 1)
        summary_text(r, NULL, "full", "has one draw: its error is that of its runs");
}

/* ---- pairs on a terminal ------------------------------------------------- */

static bn_json *pair_text(const bonsai_difference *d, int tally[3])
{
    char text[SHOWN];
    if (d->pairs == 0)
        return bn_json_null();
    with_error(text, "%+.2f", d->difference, d->error);
    if (isnan(d->error))
        return bn_json_text(text);
    tally[d->verdict + 1]++;
    return bn_json_textf("%s %s", text, verdicts[d->verdict + 1]);
}

/* Adds the first method against each of the others. */
static void add_pairs(summary *r, const compared *a, column *columns)
{
    int tally[3] = {0};
    char all[64];
    bn_json *rows = bn_json_array();
    for (int k = 0; k < a->o->model_count; k++) {
        const char *name = bonsai_model_name(a->o->models[k]);
        columns[2 + k] = (column){name, name, NULL};
    }
    for (int j = 0; j < a->o->ratio_count; j++)
        for (int i = 1; i < a->o->method_count; i++) {
            bn_json *row = bn_json_pack("[o,s]", bn_json_textf("%g", a->o->ratios[j]),
                                        bonsai_method_name(a->o->methods[i]));
            for (int k = 0; k < a->o->model_count; k++) {
                bonsai_difference d;
                int known = difference_of(&d, a, cell_at(a, 0, j, k), cell_at(a, i, j, k));
                bn_json_add(row, known ? pair_text(&d, tally) : NULL);
            }
            bn_json_add(rows, row);
        }
    summary_table(r, NULL, columns, rows);
    snprintf(all, sizeof all, "%d win%s, %d tie%s, %d loss%s", tally[2], text_s(tally[2]), tally[1],
             text_s(tally[1]), tally[0], tally[0] == 1 ? "" : "es");
    if (tally[0] + tally[1] + tally[2] > 0)
        summary_text(r, NULL, "in all", all);
}

static int print_table(session *s, const compared *a)
{
    column columns[BONSAI_MODEL_COUNT + 7] = {{"ratio", "ratio", NULL}, {"method", "method", NULL},
                                              {"bytes", "bytes", NULL}, {"nodes", "nodes", NULL}};
    column beside[BONSAI_MODEL_COUNT + 3] = {{"ratio", "ratio", NULL}, {"than", "than", NULL}};
    char title[160], pairs[160], split[2 * SPLIT_TEXT];
    summary r = {.count = 0};
    title_of(title, sizeof title, a);
    split_in_use(split, a);
    summary_heading(&r, title);
    add_table(&r, a, columns);
    summary_text(&r, NULL, "split", split);
    if (a->o->method_count > 1 && !is_single(a)) {
        snprintf(pairs, sizeof pairs, "How much better %s is%s: win or loss by more than two "
                 "errors", bonsai_method_name(a->o->methods[0]),
                 a->o->splits * a->o->draws > 1 ? ", in pairs of the same split and draw" : "");
        summary_heading(&r, pairs);
        add_pairs(&r, a, beside);
    }
    return summary_print(&r, s);
}

/* ---- in full ------------------------------------------------------------- */

/* Returns a cell's differences to the other methods at its ratio, from a row on. */
static bn_json *against_json(const compared *a, const bonsai_cell *c, int64_t from)
{
    bn_json *all = bn_json_array();
    for (int64_t i = from; i < a->rows; i++) {
        const bonsai_cell *other = &a->table[i];
        if (other->ratio != c->ratio || other->model != c->model || other->method == c->method)
            continue;
        bonsai_difference d;
        if (!difference_of(&d, a, c, other))
            bn_json_add(all, NULL);
        else if (d.pairs > 0)
            bn_json_add(all, bn_json_pack("{s:s,s:f,s:o,s:i,s:s?}", "method",
                                          bonsai_method_name((bonsai_method)other->method),
                                          "difference", d.difference, "error",
                                          bn_json_real(d.error), "pairs", d.pairs, "verdict",
                                          isnan(d.error) ? NULL : verdicts[d.verdict + 1]));
    }
    return all;
}

/* Adds them as rows, each pair once: method, ratio, model, then the values of the object. */
static void add_pair_rows(bn_json *rows, const compared *a, int64_t row_of)
{
    const bonsai_cell *c = &a->table[row_of];
    bn_json *all = c->method >= 0 ? against_json(a, c, row_of + 1) : bn_json_array();
    const bn_json *one;
    for (size_t i = 0; (one = bn_json_at(all, i)); i++) {
        bn_json *row = bn_json_pack("[s,f,s]", bonsai_method_name((bonsai_method)c->method),
                                    c->ratio, bonsai_model_name(c->model));
        for (size_t k = 0; bn_json_key(one, k); k++)
            bn_json_add(row, bn_json_keep(bn_json_value(one, k)));
        bn_json_add(rows, row);
    }
    bn_json_free(all);
}

static bn_json *values_json(const compared *a, const bonsai_cell *like)
{
    bn_json *all = bn_json_array();
    for (int64_t i = 0; i < a->count; i++) {
        const bonsai_cell *c = &a->cells[i];
        if (c->method == like->method && c->ratio == like->ratio && c->model == like->model)
            bn_json_add(all, cell_values_json(c, a->classes));
    }
    return all;
}

static int print_array(session *s, const compared *a)
{
    char split[2 * SPLIT_TEXT];
    bn_json *all = bn_json_array();
    split_in_use(split, a);
    for (int64_t i = 0; i < a->rows; i++) {
        bn_json *cell = cell_json(&a->table[i]);
        bn_json_set(cell, "split", bn_json_text(split));
        bn_json_set(cell, "values", values_json(a, &a->table[i]));
        if (a->table[i].method >= 0)
            bn_json_set(cell, "against", against_json(a, &a->table[i],
                                                        a->o->model_count));
        bn_json_add(all, cell);
    }
    return print_json(s, all);
}

enum { CELL_KEYS = 64 };

/* Returns the values of a cell except the reason; the keys in columns belong to the cell. */
static bn_json *cell_row(column columns[CELL_KEYS], const bn_json *cell)
{
    bn_json *row = bn_json_sound(cell) ? bn_json_array() : NULL;
    const char *key;
    int n = 0;
    for (size_t k = 0; (key = bn_json_key(cell, k)); k++) {
        if (strcmp(key, "why") == 0)
            continue;
        bn_json_add(row, bn_json_keep(bn_json_value(cell, k)));
        if (n < CELL_KEYS - 1)
            columns[n++] = (column){key, key, NULL};
    }
    columns[n] = (column){NULL, NULL, NULL};
    return row;
}

/* Prints one row per cell with the columns of its JSON except the reason, then the pairs. */
static int print_cells(session *s, const compared *a)
{
    static const column names[] = {
        {"method", "method", NULL}, {"ratio", "ratio", NULL}, {"model", "model", NULL},
        {"than", "than", NULL}, {"difference", "difference", NULL}, {"error", "error", NULL},
        {"pairs", "pairs", NULL}, {"verdict", "verdict", NULL}, {NULL, NULL, NULL}};
    column columns[CELL_KEYS] = {{NULL, NULL, NULL}};
    char split[2 * SPLIT_TEXT];
    summary r = {.count = 0};
    bn_json *rows = bn_json_array(), *pairs = bn_json_array(), *cell = NULL;
    for (int64_t i = 0; i < a->rows; i++) {
        bn_json_free(cell);
        cell = cell_json(&a->table[i]);
        bn_json_add(rows, cell_row(columns, cell));
        add_pair_rows(pairs, a, i);
    }
    split_in_use(split, a);
    summary_text(&r, "split", "split", split);
    summary_table(&r, "cell", columns, rows);
    summary_table(&r, "pair", names, pairs);
    int code = summary_print(&r, s);
    bn_json_free(cell);
    return code;
}

/* Notes why cells are missing, once per graph and reason; returns 1 if only the full graph has
 * cells. */
static int note_missing(session *s, const compared *a)
{
    int64_t made = 0, small = 0;
    const bonsai_cell *last = NULL;
    for (int64_t i = 0; i < a->count; i++) {
        const bonsai_cell *c = &a->cells[i];
        small += c->method >= 0;
        made += c->method >= 0 && c->runs > 0;
        if (c->method < 0 || c->runs > 0)
            continue;
        if (!last || last->method != c->method || last->ratio != c->ratio ||
            strcmp(c->why, last->why) != 0)
            note(s, "%s at %g: %s", bonsai_method_name((bonsai_method)c->method), c->ratio, c->why);
        last = c;
    }
    return made == 0 && small > 0;
}

/* Notes small graphs that use less than half of their budget. */
static void note_unused(session *s, const compared *a)
{
    for (int64_t i = a->o->model_count; i < a->rows; i += a->o->model_count) {
        const bonsai_cell *c = &a->table[i];
        if (c->runs > 0 && c->share < c->ratio / 2)
            note(s, "%s at %g uses %.1f %% of the budget",
                 bonsai_method_name((bonsai_method)c->method), c->ratio, 100 * c->share / c->ratio);
    }
}

int compared_print(session *s, const bonsai_compare_options *o, const bonsai_graph *g,
                   const bonsai_cell *cells, int64_t count)
{
    compared a = {.o = o, .g = g, .runs = o->train->seeds, .classes = bonsai_graph_classes(g),
                  .cells = cells, .count = count, .metric = o->train->metric};
    style how = style_of(s);
    a.rows = (1 + (int64_t)o->method_count * o->ratio_count) * o->model_count;
    a.table = calloc((size_t)a.rows, sizeof *a.table);
    if (!a.table)
        return fail_with(s, "there is not enough memory for a table of %lld cells",
                         (long long)a.rows);
    int nothing = note_missing(s, &a);
    bonsai_status rc = merge(&a);
    if (rc == BONSAI_OK)
        note_unused(s, &a);
    int code = rc != BONSAI_OK    ? fail(s, rc)
               : how == STYLE_JSON ? print_array(s, &a)
               : how == STYLE_TEXT ? print_table(s, &a)
                                   : print_cells(s, &a);
    free(a.table);
    if (code == EXIT_DONE && nothing)
        return fail_with(s, "no small graph could be compared");
    return code;
}
