/* paper_tables.c -- makes tables as JSON from their description: texts, heads, rows, charts.  The
 * page, results.csv and results.json are made of them.
 *
 * Without memory a table is broken; paper_write finds that at the end.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "paper.h"

/* ---- what stands above a table ------------------------------------------- */

static void append(char *text, size_t size, const char *format, const char *a, const char *b)
{
    size_t at = strlen(text);
    if (at < size)
        snprintf(text + at, size - at, format, a, b);
}

/* Returns the line about the datasets and the origin of their splits. */
static bn_json *data_line(const paper *p)
{
    char text[1024] = "", parts[64];
    for (int i = 0; i < p->set_count; i++) {
        const dataset *d = &p->sets[i];
        const double *part = d->parts[p->protocol];
        if (!paper_is_there(p, i))
            continue;
        snprintf(parts, sizeof parts, "%g/%g/%g", part[0], part[1], part[2]);
        append(text, sizeof text, *text ? "; %s (%s" : "%s (%s", d->is->title, parts);
        append(text, sizeof text, "%s%s", p->protocol == PROTOCOL_PUBLISHED && *d->lists
               ? ", the index lists of the published code)" : ", drawn)", "");
    }
    return bn_json_textf("%s: percent of the nodes for training, validation and test.%s %d "
                         "split%s%s. What is drawn begins with seed %llu.", text,
                         p->protocol == PROTOCOL_PUBLISHED
                             ? " The paper's text says 60/20/20, but its code splits 56/24/20."
                             : "", p->repeat.splits, text_s(p->repeat.splits),
                         p->repeat.splits > 1 ? ", of which only the first can be from lists" : "",
                         (unsigned long long)p->train.seed);
}

static int has_wide(const paper *p)
{
    for (int i = 0; i < p->set_count; i++)
        if (training_is_wide(p->sets[i].is) && paper_is_there(p, i))
            return 1;
    return 0;
}

/* Returns the line about the training of networks. */
static bn_json *protocol_line(const paper *p)
{
    const bonsai_train_options *t = &p->train;
    return bn_json_textf(
        "--protocol %s: %d layers, hidden %lld%s, Adam at %g, weight decay %g, dropout %g, %d "
        "epochs%s, judged after every %d and after the last. The epoch with the best validation "
        "accuracy counts. %d run%s from fresh weights on each small graph. Methods that learn "
        "(GCond, GDEM, GCSR, EXGC, GC-SNTK, GEOM) do %g of their published rounds and stop after "
        "%g seconds; the small graph with the best validation score on the way is kept. Draws: %d; "
        "%d of methods that do not learn, if a GCN judges them at honest bytes or with the nodes "
        "of the authors' formula.",
        paper_protocol_name(p), t->layers, (long long)t->hidden,
        p->protocol == PROTOCOL_PUBLISHED && has_wide(p)
            ? " (Flickr, ogbn-arxiv and Reddit: 1024 on features standardised over all nodes)" : "",
        t->rate, t->decay, t->dropout, t->epochs,
        paper_trains_as_published(p) ? " (as in the authors' script for the tables; the default of "
                                       "their code is 100)" : "", t->every, t->seeds,
        text_s(t->seeds),
        p->effort, p->time_limit, p->repeat.draws, paper_curve_draws(p));
}

/* Returns the text with the words in braces replaced by the values of this run. */
static bn_json *filled(const paper *p, const char *text)
{
    char out[4096] = "", compared[1024], effort[32], limit[32], draws[16], epochs[16];
    paper_say_compared(compared, sizeof compared, p);
    snprintf(effort, sizeof effort, "%g", p->effort);
    snprintf(limit, sizeof limit, "%g", p->time_limit);
    snprintf(draws, sizeof draws, "%d", paper_curve_draws(p));
    snprintf(epochs, sizeof epochs, "%d", p->train.epochs);
    const char *const words[][2] = {
        {"{effort}", effort}, {"{time_limit}", limit}, {"{curve_draws}", draws},
        {"{epochs}", epochs}, {"{pairs}", p->quick ? "50,000" : "200,000"},
        {"{compared}", compared},
        {"{timed}", p->repeat.side_by_side ? "One thread each, several at a time (--side-by-side): "
                                             "compare among them. " : ""}};
    while (*text) {
        const size_t len = *text == '{' ? strcspn(text, "}") + 1 : strcspn(text, "{");
        const size_t at = strlen(out);
        snprintf(out + at, sizeof out - at, "%.*s", (int)len, text);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncmp(text, words[i][0], len) == 0)
                snprintf(out + at, sizeof out - at, "%s", words[i][1]);
        text += len;
    }
    return bn_json_text(out);
}

/* ---- heads and rows ------------------------------------------------------ */

static bn_json *head_of(const bn_json *table)
{
    bn_json *head = bn_json_array();
    const bn_json *c;
    for (size_t i = 0; (c = paper_column(table, i)); i++)
        bn_json_add(head, bn_json_pack("{s:s,s:s,s:s}", "key", paper_text(c, "key"), "label",
                                       paper_text(c, "label"), "source", paper_text(c, "source")));
    return head;
}

/* Adds a row, unless the table is sparse and the row has no value. */
static int add_row(const place *at, void *rows)
{
    bn_json *row = bn_json_array();
    const bn_json *col;
    int any = !bn_json_is_true(bn_json_get(at->table, "sparse"));
    for (size_t i = 0; (col = paper_column(at->table, i)); i++) {
        const bn_json *cell = bn_json_add(row, paper_value(at, col));
        any |= !bn_json_is_null(cell) && strcmp(paper_text(col, "source"), "key") != 0;
    }
    if (any)
        bn_json_add(rows, row);
    else
        bn_json_free(row);
    return 0;
}

static void add_all(bn_json *to, const bn_json *from)
{
    bn_json *one;
    for (size_t i = 0; (one = bn_json_at(from, i)); i++)
        bn_json_add(to, bn_json_keep(one));
}

static void add_datasets(bn_json *rows, const paper *p)
{
    static const double ratios[] = {0.5, 1, 3};
    for (int i = 0; i < p->set_count; i++) {
        const bonsai_known *k = p->sets[i].is;
        const double size[] = {(double)k->nodes, (double)k->edges, (double)k->features,
                               (double)k->classes};
        bn_json *row = bn_json_add(rows, bn_json_pack("[s]", k->name));
        for (int j = 0; j < 4; j++)
            bn_json_add(row, value_plain(size[j]));
        for (int j = 0; j < 3; j++)
            bn_json_add(row, value_plain(p->seen[i].known ? (double)p->seen[i].part[j] : NAN));
        for (int j = 0; j < 3; j++)
            bn_json_add(row, value_plain((double)paper_peer_nodes(&p->sets[i], ratios[j])));
        bn_json_add(row, value_text(paper_is_there(p, i) ? "yes" : "not found"));
    }
}

/* Returns what paper_look found of a dataset: {rows, at}. */
static const bn_json *look_of(const paper *p, int set, const bn_json *table)
{
    return strcmp(paper_text(table, "rows"), "lemma") == 0 ? p->seen[set].lemma
           : strcmp(paper_text(table, "rows"), "pagerank") == 0 ? p->seen[set].pagerank : NULL;
}

static void add_rows(bn_json *rows, const paper *p, const bn_json *table)
{
    const char *kind = paper_text(table, "rows");
    add_all(rows, bn_json_get(table, "facts"));
    for (int i = 0; i < p->set_count; i++)
        add_all(rows, bn_json_get(look_of(p, i, table), "rows"));
    if (bn_json_get(table, "with"))
        paper_differences(p, rows);
    else if (strcmp(kind, "datasets") == 0)
        add_datasets(rows, p);
    else if (bn_json_get(table, "value") || bn_json_get(table, "figures"))
        paper_each_row(p, table, add_row, rows);
}

/* ---- charts -------------------------------------------------------------- */

/* Returns the cell of a row of a finished table; NULL if the table has no such column. */
static const bn_json *cell_in(const bn_json *made, const bn_json *row, const char *key)
{
    const bn_json *head = bn_json_get(made, "head");
    size_t i = 0;
    while (i < bn_json_count(head) && strcmp(paper_text(bn_json_at(head, i), "key"), key) != 0)
        i++;
    return bn_json_at(row, i);
}

static int is_of(const bn_json *made, const bn_json *row, const char *key, const char *text)
{
    const char *is = bn_json_as_text(cell_in(made, row, key));
    return is && strcmp(is, text) == 0;
}

/* Returns a bar for each ratio of a dataset in each series: {name, method, column}. */
static bn_json *bars_of(const bn_json *chart, const bn_json *made, const bn_json *ratios,
                        const bonsai_known *set)
{
    bn_json *labels = bn_json_array(), *series = bn_json_array(), *row, *ratio;
    const bn_json *one;
    for (size_t r = 0; (ratio = bn_json_at(ratios, r)); r++)
        bn_json_add(labels, bn_json_textf("%g %%", bn_json_as_number(ratio)));
    for (size_t s = 0; (one = bn_json_at(bn_json_get(chart, "series"), s)); s++) {
        bn_json *bars = bn_json_array();
        for (size_t r = 0; (ratio = bn_json_at(ratios, r)); r++) {
            double value = NAN;
            for (size_t i = 0; (row = bn_json_at(bn_json_get(made, "rows"), i)); i++)
                if (is_of(made, row, "dataset", set->name) &&
                    bn_json_equal(cell_in(made, row, "ratio"), ratio) &&
                    is_of(made, row, "method", bn_json_as_text(bn_json_at(one, 1)))) {
                    const bn_json *cell = cell_in(made, row, bn_json_as_text(bn_json_at(one, 2)));
                    const bn_json *is = bn_json_get(cell, "value");
                    value = is ? bn_json_as_number(is) : NAN;
                }
            bn_json_add(bars, bn_json_real(value));
        }
        bn_json_add(series, bn_json_pack("{s:O,s:o}", "name", bn_json_at(one, 0), "values", bars));
    }
    return bn_json_pack("{s:s,s:o,s:s,s:s,s:o,s:o}", "kind", "bars", "title",
                        bn_json_textf("%s: %s", set->title, paper_text(chart, "title")), "x",
                        paper_text(chart, "x"), "y", paper_text(chart, "y"), "labels", labels,
                        "series", series);
}

/* Returns a number for an axis; the word for all trees gives their number.  NAN if nothing is
 * known. */
static double number_of(const paper *p, int set, const bn_json *cell)
{
    const bn_json *value = bn_json_is_object(cell) ? bn_json_get(cell, "value") : cell;
    return bn_json_is_text(value) ? (double)p->seen[set].part[0]
           : bn_json_is_number(value) ? bn_json_as_number(value) : NAN;
}

/* Returns the points of a dataset: [x, y], with the error if it is known. */
static bn_json *points_of(const bn_json *chart, const paper *p, const bn_json *made, int set)
{
    bn_json *points = bn_json_array(), *row;
    const bn_json *axes = bn_json_get(chart, "at");
    const char *model = bn_json_as_text(bn_json_get(chart, "model"));
    for (size_t i = 0; (row = bn_json_at(bn_json_get(made, "rows"), i)); i++) {
        const bn_json *y = cell_in(made, row, bn_json_as_text(bn_json_at(axes, 1)));
        const bn_json *at = cell_in(made, row, bn_json_as_text(bn_json_at(axes, 0)));
        const double x = number_of(p, set, at);
        if (!is_of(made, row, "dataset", p->sets[set].is->name) ||
            (model && !is_of(made, row, "model", model)) || isnan(x) ||
            isnan(number_of(p, set, y)))
            continue;
        bn_json *point = bn_json_add(points, bn_json_pack("[f,f]", x, number_of(p, set, y)));
        if (bn_json_get(y, "spread"))
            bn_json_add(point, bn_json_keep(bn_json_get(y, "spread")));
    }
    return points;
}

/* Returns a curve for each dataset. */
static bn_json *lines_of(const bn_json *chart, const paper *p, const bn_json *table,
                         const bn_json *made)
{
    bn_json *curves = bn_json_array();
    for (int i = 0; i < p->set_count; i++) {
        bn_json *found = bn_json_get(look_of(p, i, table), "at");
        if (bn_json_get(chart, "at") || found)
            bn_json_add(curves, bn_json_pack("{s:s,s:o}", "name", p->sets[i].is->title, "at", found
                                             ? bn_json_keep(found) : points_of(chart, p, made, i)));
    }
    bn_json *lines = bn_json_pack("{s:s,s:s,s:s,s:s,s:o}", "kind", "lines", "title",
                                  paper_text(chart, "title"), "x", paper_text(chart, "x"), "y",
                                  paper_text(chart, "y"), "curves", curves);
    if (bn_json_get(chart, "log_x"))
        bn_json_set(lines, "log_x", bn_json_flag(1));
    return lines;
}

static bn_json *charts_of(const paper *p, const bn_json *table, const bn_json *made)
{
    bn_json *charts = bn_json_array();
    const bn_json *chart;
    for (size_t i = 0; (chart = bn_json_at(bn_json_get(table, "charts"), i)); i++)
        if (strcmp(paper_text(chart, "kind"), "lines") == 0)
            bn_json_add(charts, lines_of(chart, p, table, made));
        else
            for (int set = 0; set < p->set_count; set++)
                if (paper_is_there(p, set))
                    bn_json_add(charts, bars_of(chart, made, bn_json_get(table, "ratios"),
                                                p->sets[set].is));
    return charts;
}

/* ---- all of them --------------------------------------------------------- */

static bn_json *make_table(const paper *p, const bn_json *table)
{
    const char *data = paper_text(table, "data"), *protocol = paper_text(table, "protocol");
    bn_json *rows = bn_json_array();
    add_rows(rows, p, table);
    bn_json *made = bn_json_pack("{s:s,s:s,s:o,s:o,s:o,s:O,s:o,s:o}", "name",
                                 paper_text(table, "name"), "title", paper_text(table, "title"),
                                 "about", filled(p, paper_text(table, "about")), "data",
                                 *data ? bn_json_text(data) : data_line(p), "protocol",
                                 *protocol ? filled(p, protocol) : protocol_line(p), "decimals",
                                 bn_json_get(table, "decimals"), "head", head_of(table), "rows",
                                 rows);
    bn_json_set(made, "charts", charts_of(p, table, made));
    return made;
}

/* Returns whether a table is asked for; one that needs others is there if one of them is. */
static int is_wanted(const paper *p, const bn_json *table)
{
    const bn_json *with = bn_json_get(table, "with"), *other;
    int any = paper_wants(p, paper_text(table, "name"));
    for (size_t i = 0; (other = bn_json_at(with, i)); i++)
        any |= paper_wants(p, bn_json_as_text(other));
    return any;
}

bn_json *paper_tables(const paper *p)
{
    bn_json *all = bn_json_array();
    const bn_json *table;
    for (size_t i = 0; (table = bn_json_at(paper_described("tables"), i)); i++)
        if (is_wanted(p, table))
            bn_json_add(all, make_table(p, table));
    return all;
}
