/* paper_rows.c -- tables as JSON, which the page, results.csv and results.json are made of.
 *
 * Without memory a table is broken; paper_write finds it at the end.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "paper.h"

/* ---- what stands above a table ------------------------------------------- */

static void say_parts(char *out, size_t size, const double parts[3])
{
    snprintf(out, size, "%g/%g/%g", parts[0], parts[1], parts[2]);
}

static void append(char *text, size_t size, const char *format, const char *a, const char *b)
{
    size_t at = strlen(text);
    if (at < size)
        snprintf(text + at, size - at, format, a, b);
}

/* Which datasets, and where their splits come from. */
static bn_json *data_line(const paper *p)
{
    char text[1024] = "", parts[64];
    for (int i = 0; i < p->set_count; i++) {
        const dataset *d = &p->sets[i];
        if (!paper_is_there(p, i))
            continue;
        say_parts(parts, sizeof parts, d->parts[p->protocol]);
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

/* How networks are trained. */
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

bn_json *table_new(const paper *p, const char *name, const char *title, const char *about,
                   int decimals)
{
    return bn_json_pack("{s:s,s:s,s:s,s:o,s:o,s:i,s:[],s:[],s:[]}", "name", name, "title", title,
                        "about", about, "data", data_line(p), "protocol", protocol_line(p),
                        "decimals", decimals, "head", "rows", "charts");
}

void table_protocol(bn_json *table, const char *text)
{
    bn_json_set(table, "protocol", bn_json_text(text));
}

/* ---- heads and rows ------------------------------------------------------ */

void table_column(bn_json *table, const char *key, const char *label, const char *source)
{
    bn_json_add(bn_json_get(table, "head"),
                bn_json_pack("{s:s,s:s,s:s}", "key", key, "label", label, "source", source));
}

void table_key(bn_json *table, const char *key, const char *label)
{
    table_column(table, key, label, "key");
}

static void columns_of(bn_json *table, int accounting)
{
    table_column(table, "published", "published", "published");
    table_column(table, "redone", "published code redone", "redone");
    if (accounting)
        table_column(table, "paper", "ours in the paper's accounting", "paper");
    table_column(table, "honest", "ours at honest bytes", "honest");
}

void table_four_columns(bn_json *table)
{
    columns_of(table, 1);
}

void table_three_columns(bn_json *table)
{
    columns_of(table, 0);
}

void table_put(bn_json *row, bn_json *cell)
{
    bn_json_add(row, cell);
}

bn_json *table_row(bn_json *table)
{
    return bn_json_add(bn_json_get(table, "rows"), bn_json_array());
}

/* ---- charts -------------------------------------------------------------- */

void chart_lines(bn_json *table, const char *title, const char *x, const char *y, bn_json *curves)
{
    bn_json_add(bn_json_get(table, "charts"),
                bn_json_pack("{s:s,s:s,s:s,s:s,s:o}", "kind", "lines", "title", title, "x",
                             x, "y", y, "curves", curves));
}

void chart_log_x(bn_json *table)
{
    bn_json *charts = bn_json_get(table, "charts");
    size_t count = bn_json_count(charts);
    if (count > 0)
        bn_json_set(bn_json_at(charts, count - 1), "log_x", bn_json_flag(1));
}

void chart_bars(bn_json *table, const char *title, const char *x, const char *y, bn_json *labels,
                bn_json *series)
{
    bn_json_add(bn_json_get(table, "charts"),
                bn_json_pack("{s:s,s:s,s:s,s:s,s:o,s:o}", "kind", "bars", "title", title,
                             "x", x, "y", y, "labels", labels, "series", series));
}
