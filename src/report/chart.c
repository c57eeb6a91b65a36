/* chart.c -- bars.
 *
 * Text is placed in percent in an <svg> without a viewBox, and keeps its size; curves are in an
 * inner <svg>, which is stretched.  Names of bars are HTML, which truncates long ones.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "template.h"

enum { MOST_TICKS = 12, MOST_DESCRIBED = 12, BAR = 12, GAP = 2, MARGIN = 10 };

typedef struct {
    const bn_json *labels, *series;
    size_t rows, count;         /* of labels, of series */
    int    digits;              /* after the decimal point */
    double low, high;
} bars;

static const char *colour(size_t i, size_t all)
{
    static const char *const name[] = {"s0", "s1", "s2", "k3", "k4", "k5", "k6", "k7", "k8", "k9"};
    return all == 1 ? "s1" : name[i % BN_COLOURS];
}

static double value_of(const bars *b, size_t row, size_t k)
{
    return bn_real_of(bn_json_at(bn_json_get(bn_json_at(b->series, k), "values"), row));
}

static void measure(bars *b)
{
    for (size_t i = 0; i < b->rows * b->count; i++) {
        const double v = value_of(b, i / b->count, i % b->count);
        b->low = isfinite(v) ? fmin(b->low, v) : b->low;
        b->high = isfinite(v) ? fmax(b->high, v) : b->high;
    }
    if (!(b->high > b->low))
        b->high = b->low + 1;
}

static double place(const bars *b, double v)
{
    return (v - b->low) / (b->high - b->low);
}

static bn_json *ticks_of(const bars *b)
{
    double tick[MOST_TICKS];
    const int count = bn_ticks(tick, 4, b->low, b->high);
    bn_json *all = bn_json_array();
    for (int i = 0; i < count; i++)
        bn_json_add(all, bn_axis_tick(tick[i], place(b, tick[i]), false));
    return all;
}

static bn_json *series_of(const bars *b)
{
    bn_json *all = bn_json_array();
    for (size_t k = 0; k < b->count; k++)
        bn_json_add(all, bn_json_pack("{ss,ss}", "css", colour(k, b->count), "name",
                                      bn_text_of(bn_json_at(b->series, k), "name")));
    return all;
}

static bn_json *bar(const bars *b, size_t row, size_t k)
{
    const double v = value_of(b, row, k), zero = place(b, 0);
    const double end = isfinite(v) ? place(b, v) : zero;
    const int group = (int)b->count * (BAR + GAP) + MARGIN;
    const int top = (int)row * group + MARGIN / 2 + (int)k * (BAR + GAP);
    char text[64];
    bn_fixed(text, v, v == 0 ? 0 : b->digits, true);
    return bn_json_pack("{ss,ss,ss,sb,si,si,sf,sf,sf}", "css", colour(k, b->count), "name",
                        bn_text_of(bn_json_at(b->series, k), "name"), "text", text, "drawn",
                        isfinite(v), "top", top, "base", top + BAR - 2, "low", fmin(zero, end),
                        "width", fabs(end - zero), "end", fmax(zero, end));
}

static bn_json *rows_of(const bars *b)
{
    bn_json *all = bn_json_array();
    for (size_t i = 0; i < b->rows; i++) {
        bn_json *one = bn_json_array();
        for (size_t k = 0; k < b->count; k++)
            bn_json_add(one, bar(b, i, k));
        const char *label = bn_json_as_text(bn_json_at(b->labels, i));
        bn_json_add(all, bn_json_pack("{ss,so}", "label", label ? label : "", "bars", one));
    }
    return all;
}

void bn_chart_bars(bn_page *p, const bn_json *chart, const char *digits)
{
    bars b = {.labels = bn_json_get(chart, "labels"), .series = bn_json_get(chart, "series"),
              .digits = atoi(digits)};
    b.rows = bn_json_count(b.labels);
    b.count = bn_json_count(b.series);
    const int group = (int)b.count * (BAR + GAP) + MARGIN;
    if (b.rows == 0 || b.count == 0)
        return;
    measure(&b);
    bn_json *rows = rows_of(&b), *described = bn_json_array();
    for (size_t i = 0; i < b.rows && i < MOST_DESCRIBED; i++)
        bn_json_add(described, bn_json_keep(bn_json_at(rows, i)));
    bn_fill(p, "bars", bn_json_pack(
        "{si,ss,ss,ss,ss,sb,si,si,so,so,so,so,so}", "id", ++p->charts, "kind", "bar", "title",
        bn_text_of(chart, "title"), "x", bn_text_of(chart, "x"), "y", bn_text_of(chart, "y"),
        "several", b.count > 1, "group", group, "height", (int)b.rows * group,
        "more", b.rows > MOST_DESCRIBED ? bn_json_whole((int64_t)b.rows - MOST_DESCRIBED)
                                        : bn_json_null(),
        "ticks", ticks_of(&b), "series", series_of(&b), "rows", rows, "described", described));
}
