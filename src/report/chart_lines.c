/* chart_lines.c -- curves over one axis, with bounds and marks.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "template.h"

enum { MOST_TICKS = 12, TABLE_POINTS = 20, MOST_SPOTS = 40 };
#define FARTHEST 1e150          /* limit of a log axis: its ends and their ratio stay finite */

typedef struct {
    double low_x, high_x, low_y, high_y;
    bool   log_x, log_y, measured, banded;
} frame;

typedef struct {
    double x, y, half;          /* half: of the height of the error band, 0: there is none */
} spot;

static const char *colour(size_t i, size_t all)
{
    static const char *const name[] = {"k0", "k1", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k2"};
    return all == 1 ? "s1" : name[i % BN_COLOURS];
}

static double at_x(const frame *f, double x)
{
    if (f->log_x)
        return log(fmax(x, f->low_x) / f->low_x) / log(f->high_x / f->low_x);
    return (x - f->low_x) / (f->high_x - f->low_x);
}

/* Returns the share of the height at y, measured from the top. */
static double at_y(const frame *f, double y)
{
    if (f->log_y)
        return 1 - log(fmax(y, f->low_y) / f->low_y) / log(f->high_y / f->low_y);
    return 1 - (y - f->low_y) / (f->high_y - f->low_y);
}

static spot spot_at(const bn_json *at, size_t i)
{
    const bn_json *one = bn_json_at(at, i);
    const double e = bn_real_of(bn_json_at(one, 2));
    return (spot){bn_real_of(bn_json_at(one, 0)), bn_real_of(bn_json_at(one, 1)),
                  isfinite(e) ? fabs(e) : 0};
}

static bool is_drawn(const frame *f, const spot *s)
{
    return isfinite(s->x) && isfinite(s->y) && !(f->log_x && s->x <= 0);
}

static void widen(frame *f, const bn_json *at)
{
    for (size_t i = 0; i < bn_json_count(at); i++) {
        const spot s = spot_at(at, i);
        f->banded = f->banded || bn_json_is_number(bn_json_at(bn_json_at(at, i), 2));
        if (!is_drawn(f, &s) || (f->log_y && s.y <= 0))
            continue;
        f->low_x = fmin(f->low_x, s.x);
        f->high_x = fmax(f->high_x, s.x);
        f->low_y = fmin(f->low_y, f->log_y && s.y - s.half <= 0 ? s.y : s.y - s.half);
        f->high_y = fmax(f->high_y, s.y + s.half);
    }
}

static void settle_x(frame *f)
{
    if (f->log_x) {
        f->low_x = fmin(fmax(f->low_x, 1 / FARTHEST), FARTHEST);
        f->high_x = fmin(fmax(f->high_x, f->low_x), FARTHEST);
        if (!(f->high_x > 1.001 * f->low_x))
            f->high_x = 10 * f->low_x;
        return;
    }
    f->low_x = fmin(f->low_x, 0);
    if (!(f->high_x > f->low_x))
        f->high_x = f->low_x + 1;
}

static void settle_y(frame *f)
{
    double margin = 0.08 * (f->high_y - f->low_y);
    if (f->log_y) {
        if (!(f->low_y > 0 && f->high_y >= f->low_y && isfinite(f->low_y)))
            f->low_y = f->high_y = 1;
        f->low_y = pow(10, floor(log10(fmin(fmax(f->low_y, 1 / FARTHEST), FARTHEST))));
        f->high_y = pow(10, ceil(log10(fmin(f->high_y, FARTHEST))));
        f->high_y = fmax(f->high_y, 10 * f->low_y);
    } else if (f->measured && f->low_y - margin > 0 && isfinite(margin) && margin > 0) {
        f->low_y -= margin;
        f->high_y += margin;
    } else {
        f->low_y = fmin(f->low_y, 0);
        f->high_y = f->high_y > f->low_y ? f->low_y + 1.04 * (f->high_y - f->low_y) : f->low_y + 1;
    }
}

static void settle(frame *f, double line_at)
{
    if (isfinite(line_at) && !f->log_y)
        f->high_y = fmax(f->high_y, line_at);
    settle_x(f);
    settle_y(f);
}

/* ---- the parts of the drawing -------------------------------------------- */

static bn_json *ticks_of(const frame *f, bool along_x)
{
    double tick[MOST_TICKS];
    const int count = along_x ? f->log_x ? bn_fine_ticks(tick, 8, f->low_x, f->high_x)
                                         : bn_ticks(tick, 6, f->low_x, f->high_x)
                      : f->log_y ? bn_log_ticks(tick, 6, f->low_y, f->high_y)
                                 : bn_ticks(tick, 6, f->low_y, f->high_y);
    bn_json *all = bn_json_array();
    for (int i = 0; i < count; i++)
        bn_json_add(all, bn_axis_tick(tick[i], along_x ? at_x(f, tick[i]) : at_y(f, tick[i]),
                                 f->log_y && !along_x));
    return all;
}

static double coordinate(double share)
{
    return isfinite(share) ? fmin(fmax(1000 * share, 0), 1000) : 0;
}

static void add_step(bn_json *path, const frame *f, double x, double y)
{
    bn_json_add(path, bn_json_pack("{sf,sf}", "x", coordinate(at_x(f, x)),
                                   "y", coordinate(at_y(f, y))));
}

static bn_json *path_of(const frame *f, const bn_json *at)
{
    bn_json *path = bn_json_array();
    for (size_t i = 0; i < bn_json_count(at); i++) {
        const spot s = spot_at(at, i);
        if (is_drawn(f, &s))
            add_step(path, f, s.x, s.y);
    }
    return path;
}

/* Makes the outline of the error band: from the left along its upper edge, and back along its
 * lower one. */
static bn_json *band_of(const frame *f, const bn_json *at)
{
    const size_t n = bn_json_count(at);
    bn_json *path = bn_json_array();
    for (size_t i = 0; i < 2 * n; i++) {
        const spot s = spot_at(at, i < n ? i : 2 * n - 1 - i);
        if (is_drawn(f, &s))
            add_step(path, f, s.x, i < n ? s.y + s.half : s.y - s.half);
    }
    return path;
}

/* Makes the outline of the area below a curve that is alone. */
static bn_json *area_below(const frame *f, const bn_json *at)
{
    bn_json *path = path_of(f, at);
    const spot first = spot_at(at, 0), last = spot_at(at, bn_json_count(at) - 1);
    bn_json_add(path, bn_json_pack("{sf,si}", "x", coordinate(at_x(f, last.x)), "y", 1000));
    bn_json_add(path, bn_json_pack("{sf,si}", "x", coordinate(at_x(f, first.x)), "y", 1000));
    return path;
}

static bn_json *spots_of(const frame *f, const bn_json *at)
{
    const size_t n = bn_json_count(at);
    bn_json *all = bn_json_array();
    for (size_t i = 0; f->measured && n <= MOST_SPOTS && i < n; i++) {
        const spot s = spot_at(at, i);
        if (is_drawn(f, &s))
            bn_json_add(all, bn_json_pack("{sf,sf}", "x", at_x(f, s.x), "y", at_y(f, s.y)));
    }
    return all;
}

/* Returns the height of a curve at x; NAN beside it. */
static double height_at(const bn_json *at, double x)
{
    for (size_t i = 0; i + 1 < bn_json_count(at); i++) {
        const spot a = spot_at(at, i), b = spot_at(at, i + 1);
        if (x >= a.x && x <= b.x)
            return b.x > a.x ? a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x) : a.y;
    }
    return NAN;
}

static bn_json *mark_of(const frame *f, const bn_json *at, double x)
{
    const double y = height_at(at, x);
    if (!isfinite(x) || x < f->low_x || x > f->high_x)
        return bn_json_null();
    return bn_json_pack("{sf,sf,sb}", "x", at_x(f, x), "y", at_y(f, y), "known", isfinite(y));
}

static bn_json *point(const spot *s)
{
    return bn_json_pack("{sf,sf,so}", "x", s->x, "y", s->y, "half",
                        s->half > 0 ? bn_json_real(s->half) : bn_json_null());
}

/* Makes the rows of the table, which include the first point and the last. */
static bn_json *points_of(const frame *f, const bn_json *at)
{
    const size_t n = bn_json_count(at), rows = n < TABLE_POINTS || f->measured ? n : TABLE_POINTS;
    bn_json *all = bn_json_array();
    for (size_t r = 0; r < rows; r++) {
        const spot s = spot_at(at, rows > 1 ? r * (n - 1) / (rows - 1) : 0);
        bn_json_add(all, point(&s));
    }
    return all;
}

static bn_json *curve_of(const frame *f, const bn_json *curve, const char *css, bool alone)
{
    const bn_json *at = bn_json_get(curve, "at");
    const spot first = spot_at(at, 0), last = spot_at(at, bn_json_count(at) - 1);
    return bn_json_pack("{ss,ss,so,so,so,so,so,so,so}", "css", css, "name",
                        bn_text_of(curve, "name"), "first", point(&first), "last", point(&last),
                        "path", path_of(f, at), "spots", spots_of(f, at),
                        "area", f->banded ? band_of(f, at)
                                : alone && !f->measured ? area_below(f, at) : bn_json_null(),
                        "mark", mark_of(f, at, bn_real_of(bn_json_get(curve, "mark"))),
                        "points", points_of(f, at));
}

static bn_json *line_of(const frame *f, const bn_json *line)
{
    const double y = bn_real_of(bn_json_get(line, "at"));
    if (!isfinite(y) || y < f->low_y || y > f->high_y)
        return bn_json_null();
    return bn_json_pack("{sf,ss,si}", "at", at_y(f, y), "name", bn_text_of(line, "name"),
                        "dy", at_y(f, y) < 0.12 ? 15 : -6);
}

/* ---- the chart ----------------------------------------------------------- */

/* Lists the curves that have points. */
static bn_json *full_curves(const bn_json *chart)
{
    const bn_json *one, *curves = bn_json_get(chart, "curves");
    bn_json *all = bn_json_array();
    for (size_t i = 0; (one = bn_json_at(curves, i)); i++)
        if (bn_json_count(bn_json_get(one, "at")) > 0)
            bn_json_add(all, bn_json_keep(bn_json_at(curves, i)));
    return all;
}

static void draw(bn_page *p, const frame *f, const bn_json *chart, const bn_json *curves)
{
    const size_t count = bn_json_count(curves);
    const bool named = bn_json_get(bn_json_at(curves, 0), "name") != NULL;
    bn_json *drawn = bn_json_array();
    for (size_t i = 0; i < count; i++)
        bn_json_add(drawn, curve_of(f, bn_json_at(curves, i), colour(i, count), count == 1));
    bn_fill(p, "lines", bn_json_pack(
        "{si,ss,ss,ss,ss,sn,sb,sb,so,so,so,so}", "id", ++p->charts, "kind", "curve", "title",
        bn_text_of(chart, "title"), "x", bn_text_of(chart, "x"), "y", bn_text_of(chart, "y"),
        "height", "named", named, "several", named && count > 1, "rows", ticks_of(f, false),
        "columns", ticks_of(f, true), "line", line_of(f, bn_json_get(chart, "line")),
        "curves", drawn));
}

void bn_chart_lines(bn_page *p, const bn_json *chart, const char *kind)
{
    frame f = {.low_x = INFINITY, .high_x = -INFINITY, .low_y = INFINITY, .high_y = -INFINITY,
               .log_x = bn_json_is_true(bn_json_get(chart, "log_x")),
               .log_y = bn_json_is_true(bn_json_get(chart, "log_y")),
               .measured = strcmp(kind, "measured") == 0};
    bn_json *curves = full_curves(chart);
    for (size_t i = 0; i < bn_json_count(curves); i++)
        widen(&f, bn_json_get(bn_json_at(curves, i), "at"));
    if (!bn_json_sound(curves))
        p->failed = true;
    else if (f.low_x <= f.high_x) {             /* else there is no point to draw */
        settle(&f, bn_real_of(bn_json_get(bn_json_get(chart, "line"), "at")));
        draw(p, &f, chart, curves);
    }
    bn_json_free(curves);
}
