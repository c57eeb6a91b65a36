/* page_charts.c -- the charts of a page of tables, drawn from their description in JSON.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tables.h"

enum { MOST_CURVES = 16 };

static double number_or_nan(const bn_json *value)
{
    return bn_json_is_number(value) ? bn_json_as_number(value) : NAN;
}

/* ---- bars ---------------------------------------------------------------- */

static bonsai_status put_bars(bn_page *p, const bn_json *chart, int decimals)
{
    bonsai_status rc;
    const bn_json *labels = bn_json_get(chart, "labels");
    const bn_json *series = bn_json_get(chart, "series");
    size_t n = bn_json_count(labels), count = bn_json_count(series);
    char format[16];
    double *value = NULL;
    const char **label = NULL;
    bn_series *s = NULL;
    BN_TRY(BN_NEW(&value, (int64_t)(n * count)));
    BN_TRY(BN_NEW(&label, (int64_t)n));
    BN_TRY(BN_NEW(&s, (int64_t)count));
    for (size_t i = 0; i < n; i++) {
        const char *text = bn_json_as_text(bn_json_at(labels, i));
        label[i] = text ? text : "";
    }
    for (size_t k = 0; k < count; k++) {
        const bn_json *one = bn_json_at(series, k);
        s[k] = (bn_series){bn_text_of(one, "name"), value + k * n};
        for (size_t i = 0; i < n; i++)
            value[k * n + i] = number_or_nan(bn_json_at(bn_json_get(one, "values"), i));
    }
    snprintf(format, sizeof format, "%%.%df", decimals);
    bn_chart_bars(p, &(bn_bar_chart){
        .title = bn_text_of(chart, "title"), .x = bn_text_of(chart, "x"),
        .y = bn_text_of(chart, "y"), .label = label, .labels = (int64_t)n, .s = s,
        .series = (int)count, .format = format});
done:
    bn_free(value);
    bn_free(label);
    bn_free(s);
    return rc;
}

/* ---- curves -------------------------------------------------------------- */

typedef struct {
    bn_curve    curve[MOST_CURVES];
    double     *half[MOST_CURVES];
    const char *name[MOST_CURVES];
    int         count;
    bool        banded;
} curves;

static bonsai_status read_curve(curves *c, const bn_json *one)
{
    bonsai_status rc;
    const bn_json *points = bn_json_get(one, "at");
    const int64_t n = (int64_t)bn_json_count(points);
    bn_curve *curve = &c->curve[c->count];
    double **half = &c->half[c->count];
    c->name[c->count++] = bn_text_of(one, "name");
    BN_TRY(BN_NEW(&curve->at, n));
    BN_TRY(BN_NEW(half, n));
    for (; curve->count < n; curve->count++) {
        const bn_json *point = bn_json_at(points, (size_t)curve->count);
        const bn_json *e = bn_json_at(point, 2);
        curve->at[curve->count] = (bn_spot){number_or_nan(bn_json_at(point, 0)),
                                            number_or_nan(bn_json_at(point, 1))};
        (*half)[curve->count] = number_or_nan(e);
        c->banded = c->banded || bn_json_is_number(e);
    }
done:
    return rc;
}

static bonsai_status put_lines(bn_page *p, const bn_json *chart)
{
    bonsai_status rc = BONSAI_OK;
    curves c = {.count = 0};
    size_t i;
    bn_json *one;
    for (i = 0; (one = bn_json_at(bn_json_get(chart, "curves"), i)); i++)
        if (c.count < MOST_CURVES && bn_json_count(bn_json_get(one, "at")) > 0)
            BN_TRY(read_curve(&c, one));
    if (c.count > 0)
        bn_chart_lines(p, &(bn_line_chart){
            .title = bn_text_of(chart, "title"), .x = bn_text_of(chart, "x"),
            .y = bn_text_of(chart, "y"), .curve = c.curve, .name = c.name, .curves = c.count,
            .half = c.banded ? (const double *const *)c.half : NULL, .measured = true,
            .log_x = bn_json_is_true(bn_json_get(chart, "log_x")),
            .log_y = bn_json_is_true(bn_json_get(chart, "log_y"))});
done:
    for (int k = 0; k < c.count; k++) {
        bn_free(c.curve[k].at);
        bn_free(c.half[k]);
    }
    return rc;
}

bonsai_status bn_put_chart(bn_page *p, const bn_json *chart, int decimals)
{
    return strcmp(bn_text_of(chart, "kind"), "bars") == 0 ? put_bars(p, chart, decimals)
                                                          : put_lines(p, chart);
}
