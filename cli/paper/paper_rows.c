/* paper_rows.c -- tables as JSON, which the page, results.csv and results.json are made of.
 *
 * Out of memory shows as a NULL that jansson passes on; paper_tables finds it at the end.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "paper.h"

json_t *table_new(table_name t, const char *title, const char *about, int decimals)
{
    return json_pack("{s:s,s:s,s:s,s:i,s:[],s:[],s:[]}", "name", paper_table_names[t], "title",
                     title, "about", about, "decimals", decimals, "head", "rows", "charts");
}

void table_column(json_t *table, const char *key, const char *label, const char *source)
{
    json_array_append_new(json_object_get(table, "head"),
                          json_pack("{s:s,s:s,s:s}", "key", key, "label", label, "source",
                                    source));
}

void table_key(json_t *table, const char *key, const char *label)
{
    table_column(table, key, label, "key");
}

void table_put(json_t *row, json_t *cell)
{
    json_array_append_new(row, cell);
}

int table_shows(const paper *p, int set, table_name t)
{
    const dataset *d = &p->sets[set];
    return *d->path && (d->all || t == TABLE_ACCURACY || t == TABLE_SECONDS || t == TABLE_CARBON);
}

const bonsai_cell *paper_measured(const paper *p, const bonsai_cell *like)
{
    const bonsai_cell *c = paper_cell_find(p, like);
    return c && c->done && c->runs > 0 ? c : NULL;
}

double cell_spread(const bonsai_cell *c)
{
    return c->runs > 1 ? c->accuracy_std : NAN;
}

double cell_seconds_train(const bonsai_cell *c)
{
    return c->seconds_train / c->runs;
}

json_t *table_row(json_t *table)
{
    json_t *row = json_array();
    return json_array_append_new(json_object_get(table, "rows"), row) == 0 ? row : NULL;
}

json_t *value_ours(double value, double spread, const published *beside, int lower)
{
    if (isnan(value))
        return json_null();
    json_t *cell = json_pack("{s:f}", "value", value);
    if (!isnan(spread))
        json_object_set_new(cell, "spread", json_real(spread));
    if (beside && !isnan(beside->value))
        json_object_set_new(cell, "better", json_boolean(lower ? value < beside->value
                                                               : value > beside->value));
    return cell;
}

json_t *value_paper(const published *p)
{
    if (!p)
        return json_null();
    json_t *cell = json_pack("{s:s}", "text", p->text);
    if (!isnan(p->value))
        json_object_set_new(cell, "value", json_real(p->value));
    if (!isnan(p->spread))
        json_object_set_new(cell, "spread", json_real(p->spread));
    return cell;
}

void chart_lines(json_t *table, const char *title, const char *x, const char *y, json_t *curves)
{
    json_array_append_new(json_object_get(table, "charts"),
                          json_pack("{s:s,s:s,s:s,s:s,s:o}", "kind", "lines", "title", title, "x",
                                    x, "y", y, "curves", curves));
}

void chart_bars(json_t *table, const char *title, const char *x, const char *y, json_t *labels,
                json_t *series)
{
    json_array_append_new(json_object_get(table, "charts"),
                          json_pack("{s:s,s:s,s:s,s:s,s:o,s:o}", "kind", "bars", "title", title,
                                    "x", x, "y", y, "labels", labels, "series", series));
}
