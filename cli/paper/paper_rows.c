/* paper_rows.c -- tables as JSON, which the page, results.csv and results.json are made of.
 *
 * Without memory a table is broken; paper_write finds it at the end.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "paper.h"

bn_json *table_new(table_name t, const char *title, const char *about, int decimals)
{
    return bn_json_pack("{s:s,s:s,s:s,s:i,s:[],s:[],s:[]}", "name", paper_table_names[t], "title",
                        title, "about", about, "decimals", decimals, "head", "rows", "charts");
}

void table_column(bn_json *table, const char *key, const char *label, const char *source)
{
    bn_json_add(bn_json_get(table, "head"),
                bn_json_pack("{s:s,s:s,s:s}", "key", key, "label", label, "source",
                             source));
}

void table_key(bn_json *table, const char *key, const char *label)
{
    table_column(table, key, label, "key");
}

void table_put(bn_json *row, bn_json *cell)
{
    bn_json_add(row, cell);
}

int table_shows(const paper *p, int set, table_name t)
{
    const dataset *d = &p->sets[set];
    return *d->path && (d->all || t == TABLE_ACCURACY || t == TABLE_SECONDS || t == TABLE_CARBON);
}

const bonsai_cell *paper_measured(const paper *p, const bonsai_cell *like)
{
    const bonsai_cell *c = paper_cell_find(p->table, p->rows, like);
    return c && c->done && c->runs > 0 ? c : NULL;
}

int paper_repeats(const paper *p)
{
    return p->repeat.splits * p->repeat.draws;
}

double cell_spread(const paper *p, const bonsai_cell *c)
{
    return paper_repeats(p) > 1 ? c->accuracy_error : c->runs > 1 ? c->accuracy_std : NAN;
}

double cell_seconds_train(const bonsai_cell *c)
{
    return c->seconds_train / c->runs;
}

bn_json *table_row(bn_json *table)
{
    return bn_json_add(bn_json_get(table, "rows"), bn_json_array());
}

bn_json *value_ours(double value, double spread, const published *beside, int lower)
{
    if (isnan(value))
        return bn_json_null();
    bn_json *cell = bn_json_pack("{s:f}", "value", value);
    if (!isnan(spread))
        bn_json_set(cell, "spread", bn_json_real(spread));
    if (beside && !isnan(beside->value))
        bn_json_set(cell, "better", bn_json_flag(lower ? value < beside->value
                                                       : value > beside->value));
    return cell;
}

bn_json *value_paper(const published *p)
{
    if (!p)
        return bn_json_null();
    bn_json *cell = bn_json_pack("{s:s}", "text", p->text);
    if (!isnan(p->value))
        bn_json_set(cell, "value", bn_json_real(p->value));
    if (!isnan(p->spread))
        bn_json_set(cell, "spread", bn_json_real(p->spread));
    return cell;
}

void chart_lines(bn_json *table, const char *title, const char *x, const char *y, bn_json *curves)
{
    bn_json_add(bn_json_get(table, "charts"),
                bn_json_pack("{s:s,s:s,s:s,s:s,s:o}", "kind", "lines", "title", title, "x",
                             x, "y", y, "curves", curves));
}

void chart_bars(bn_json *table, const char *title, const char *x, const char *y, bn_json *labels,
                bn_json *series)
{
    bn_json_add(bn_json_get(table, "charts"),
                bn_json_pack("{s:s,s:s,s:s,s:s,s:o,s:o}", "kind", "bars", "title", title,
                             "x", x, "y", y, "labels", labels, "series", series));
}
