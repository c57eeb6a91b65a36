/* chart_lines.c -- curves over one axis, with bounds and marks.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "draw.h"

enum { MOST_TICKS = 12, TABLE_POINTS = 20, MOST_SPOTS = 40 };
#define FARTHEST 1e150          /* limit of a log axis: its ends and their ratio stay finite */

typedef struct {
    double low_x, high_x, low_y, high_y;
    bool   log_x, log_y, measured;
} frame;

static void put_coordinate(bn_page *p, double v)
{
    char buf[48];
    bn_fixed(buf, isfinite(v) ? fmin(fmax(v, 0), 1000) : 0, 1, false);
    bn_put(p, buf);
}

static const char *colour(int i, int all)
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

/* Measured from the top. */
static double at_y(const frame *f, double y)
{
    if (f->log_y)
        return 1 - log(fmax(y, f->low_y) / f->low_y) / log(f->high_y / f->low_y);
    return 1 - (y - f->low_y) / (f->high_y - f->low_y);
}

static bool is_drawn(const frame *f, const bn_spot *s)
{
    return isfinite(s->x) && isfinite(s->y) && !(f->log_x && s->x <= 0);
}

/* Half the height of the band at a point; 0: there is none. */
static double half_of(const double *half, int64_t i)
{
    return half && isfinite(half[i]) ? fabs(half[i]) : 0;
}

static void widen(frame *f, const bn_curve *c, const double *half)
{
    for (int64_t i = 0; i < c->count; i++) {
        double x = c->at[i].x, y = c->at[i].y, e = half_of(half, i);
        if (!is_drawn(f, &c->at[i]) || (f->log_y && y <= 0))
            continue;
        f->low_x = fmin(f->low_x, x);
        f->high_x = fmax(f->high_x, x);
        f->low_y = fmin(f->low_y, f->log_y && y - e <= 0 ? y : y - e);
        f->high_y = fmax(f->high_y, y + e);
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

static void draw_axes(bn_page *p, const frame *f)
{
    double tick[MOST_TICKS];
    char text[64];
    int ticks = f->log_y ? bn_log_ticks(tick, 6, f->low_y, f->high_y)
                         : bn_ticks(tick, 6, f->low_y, f->high_y);
    for (int i = 0; i < ticks; i++) {
        bn_tick_text(text, tick[i], f->log_y);
        bn_put(p, "<line class=\"grid\" x1=\"0\" x2=\"100%\"");
        bn_put_place(p, "y1", at_y(f, tick[i]));
        bn_put_place(p, "y2", at_y(f, tick[i]));
        bn_put(p, "/><text class=\"tick end\" x=\"0\" dx=\"-7\" dy=\"4\"");
        bn_put_place(p, "y", at_y(f, tick[i]));
        bn_putf(p, ">%s</text>", text);
    }
    ticks = f->log_x ? bn_fine_ticks(tick, 8, f->low_x, f->high_x)
                     : bn_ticks(tick, 6, f->low_x, f->high_x);
    for (int i = 0; i < ticks; i++) {
        bn_tick_text(text, tick[i], false);
        bn_put(p, "<text class=\"tick mid\" y=\"100%\" dy=\"18\"");
        bn_put_place(p, "x", at_x(f, tick[i]));
        bn_putf(p, ">%s</text>", text);
    }
    bn_put(p, "<line class=\"base\" x1=\"0\" x2=\"100%\" y1=\"100%\" y2=\"100%\"/>\n");
}

static void draw_point(bn_page *p, const frame *f, const char *pen, double x, double y)
{
    bn_put(p, pen);
    put_coordinate(p, 1000 * at_x(f, x));
    bn_put(p, " ");
    put_coordinate(p, 1000 * at_y(f, y));
}

static void draw_path(bn_page *p, const frame *f, const bn_curve *c)
{
    const char *pen = "M";
    for (int64_t i = 0; i < c->count; i++)
        if (is_drawn(f, &c->at[i])) {
            draw_point(p, f, pen, c->at[i].x, c->at[i].y);
            pen = "L";
        }
}

/* From the left along the upper edge, and back along the lower one. */
static void draw_band(bn_page *p, const frame *f, const bn_curve *c, const double *half)
{
    const char *pen = "M";
    for (int64_t i = 0; i < c->count; i++)
        if (is_drawn(f, &c->at[i])) {
            draw_point(p, f, pen, c->at[i].x, c->at[i].y + half_of(half, i));
            pen = "L";
        }
    for (int64_t i = c->count - 1; i >= 0; i--)
        if (is_drawn(f, &c->at[i]))
            draw_point(p, f, pen, c->at[i].x, c->at[i].y - half_of(half, i));
    bn_put(p, *pen == 'L' ? "Z" : "");
}

static void draw_curve(bn_page *p, const frame *f, const bn_curve *c, const char *css)
{
    bn_putf(p, "<path class=\"%s line\" d=\"", css);
    draw_path(p, f, c);
    bn_put(p, "\"/>\n");
}

/* What lies below a curve that is alone. */
static void draw_below(bn_page *p, const frame *f, const bn_curve *c, const char *css)
{
    bn_putf(p, "<path class=\"%s area\" d=\"", css);
    draw_path(p, f, c);
    bn_put(p, "L");
    put_coordinate(p, 1000 * at_x(f, c->at[c->count - 1].x));
    bn_put(p, " 1000L");
    put_coordinate(p, 1000 * at_x(f, c->at[0].x));
    bn_put(p, " 1000Z\"/>");
}

static void draw_curves(bn_page *p, const frame *f, const bn_line_chart *l)
{
    bn_put(p, "<svg width=\"100%\" height=\"100%\" viewBox=\"0 0 1000 1000\" "
              "preserveAspectRatio=\"none\" overflow=\"visible\">");
    for (int i = 0; i < l->curves; i++) {
        const char *css = colour(i, l->curves);
        if (l->curve[i].count < 1)
            continue;
        if (l->half && l->half[i]) {
            bn_putf(p, "<path class=\"%s area\" d=\"", css);
            draw_band(p, f, &l->curve[i], l->half[i]);
            bn_put(p, "\"/>");
        } else if (l->curves == 1 && !l->measured)
            draw_below(p, f, &l->curve[i], css);
        draw_curve(p, f, &l->curve[i], css);
    }
    bn_put(p, "</svg>\n");
}

static void draw_spots(bn_page *p, const frame *f, const bn_curve *c, const char *css)
{
    for (int64_t i = 0; i < c->count && c->count <= MOST_SPOTS; i++) {
        if (!is_drawn(f, &c->at[i]))
            continue;
        bn_putf(p, "<circle class=\"%s spot\" r=\"3\"", css);
        bn_put_place(p, "cx", at_x(f, c->at[i].x));
        bn_put_place(p, "cy", at_y(f, c->at[i].y));
        bn_put(p, "/>");
    }
}

/* The height of a curve at x. */
static double height_at(const bn_curve *c, double x)
{
    for (int64_t i = 0; i + 1 < c->count; i++) {
        const bn_spot *a = &c->at[i], *b = &c->at[i + 1];
        if (x >= a->x && x <= b->x)
            return b->x > a->x ? a->y + (b->y - a->y) * (x - a->x) / (b->x - a->x) : a->y;
    }
    return NAN;
}

static void draw_mark(bn_page *p, const frame *f, const bn_curve *c, double x, const char *css)
{
    if (!isfinite(x) || x < f->low_x || x > f->high_x)
        return;
    bn_putf(p, "<line class=\"%s rule\" y1=\"0\" y2=\"100%%\"", css);
    bn_put_place(p, "x1", at_x(f, x));
    bn_put_place(p, "x2", at_x(f, x));
    bn_put(p, "/>");
    double y = height_at(c, x);
    if (!isfinite(y))
        return;
    bn_putf(p, "<circle class=\"%s spot\" r=\"5\"", css);
    bn_put_place(p, "cx", at_x(f, x));
    bn_put_place(p, "cy", at_y(f, y));
    bn_put(p, "/>");
}

static void draw_line(bn_page *p, const frame *f, double y, const char *name)
{
    if (!isfinite(y) || y < f->low_y || y > f->high_y)
        return;
    bn_put(p, "<line class=\"bound\" x1=\"0\" x2=\"100%\"");
    bn_put_place(p, "y1", at_y(f, y));
    bn_put_place(p, "y2", at_y(f, y));
    bn_put(p, "/><text class=\"note end\" x=\"100%\" dx=\"-4\"");
    bn_putf(p, " dy=\"%d\"", at_y(f, y) < 0.12 ? 15 : -6);
    bn_put_place(p, "y", at_y(f, y));
    bn_put(p, ">");
    bn_escape_cut(p, name, 40);
    bn_put(p, "</text>");
}

static void describe_lines(bn_page *p, const bn_line_chart *l)
{
    bn_escape(p, l->y);
    bn_put(p, " by ");
    bn_escape(p, l->x);
    bn_put(p, ". ");
    for (int i = 0; i < l->curves; i++) {
        const bn_curve *c = &l->curve[i];
        if (c->count < 1)
            continue;
        if (l->name && l->name[i]) {
            bn_escape_cut(p, l->name[i], BN_LONGEST_NAME);
            bn_put(p, ": ");
        }
        bn_put(p, "from ");
        bn_put_number(p, c->at[0].y);
        bn_put(p, " at ");
        bn_put_number(p, c->at[0].x);
        bn_put(p, " to ");
        bn_put_number(p, c->at[c->count - 1].y);
        bn_put(p, " at ");
        bn_put_number(p, c->at[c->count - 1].x);
        bn_put(p, ". ");
    }
}

static void lines_row(bn_page *p, const char *name, const bn_spot *s, double half)
{
    bn_put(p, "<tr><th scope=\"row\">");
    if (name) {
        bn_escape_cut(p, name, BN_LONGEST_NAME);
        bn_put(p, "</th><td>");
    }
    bn_put_number(p, s->x);
    bn_put(p, name ? "</td><td>" : "</th><td>");
    bn_put_number(p, s->y);
    if (half > 0) {
        bn_put(p, " ± ");
        bn_put_number(p, half);
    }
    bn_put(p, "</td></tr>\n");
}

static void lines_table(bn_page *p, const bn_line_chart *c)
{
    bn_details_begin(p);
    bn_put(p, "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"");
    bn_escape(p, c->title);
    bn_put(p, c->name ? "\"><table><thead><tr><th scope=\"col\">curve</th><th scope=\"col\">"
                      : "\"><table><thead><tr><th scope=\"col\">");
    bn_escape(p, c->x);
    bn_put(p, "</th><th scope=\"col\">");
    bn_escape(p, c->y);
    bn_put(p, "</th></tr></thead><tbody>\n");
    for (int i = 0; i < c->curves; i++) {
        int64_t n = c->curve[i].count, rows = n < TABLE_POINTS || c->measured ? n : TABLE_POINTS;
        for (int64_t r = 0; r < rows; r++) {    /* includes the first and the last */
            int64_t at = rows > 1 ? r * (n - 1) / (rows - 1) : 0;
            lines_row(p, c->name ? c->name[i] ? c->name[i] : "curve" : NULL, &c->curve[i].at[at],
                      half_of(c->half ? c->half[i] : NULL, at));
        }
    }
    bn_put(p, "</tbody></table></div>");
    bn_details_end(p);
}

void bn_chart_lines(bn_page *p, const bn_line_chart *c)
{
    frame f = {.low_x = INFINITY, .high_x = -INFINITY, .low_y = INFINITY, .high_y = -INFINITY,
               .log_x = c->log_x, .log_y = c->log_y, .measured = c->measured};
    const double line_at = c->line_name ? c->line_at : NAN;
    for (int i = 0; i < c->curves; i++)
        widen(&f, &c->curve[i], c->half ? c->half[i] : NULL);
    if (!(f.low_x <= f.high_x))
        return;                                 /* no point to draw */
    settle(&f, line_at);
    bn_figure_begin(p, c->title);
    if (c->curves > 1 && c->name) {
        bn_put(p, "<ul class=\"legend lines\">");
        for (int i = 0; i < c->curves; i++)
            bn_legend_item(p, colour(i, c->curves), c->name[i] ? c->name[i] : "curve");
        bn_put(p, "</ul>\n");
    }
    bn_put(p, "<p class=\"axis up\">");
    bn_escape(p, c->y);
    bn_put(p, "</p>\n<div class=\"plot wide\">");
    bn_figure_svg(p, c->title, "curve", 0);
    describe_lines(p, c);
    bn_put(p, "</desc>");
    draw_axes(p, &f);
    draw_curves(p, &f, c);
    for (int i = 0; i < c->curves && c->measured; i++)
        draw_spots(p, &f, &c->curve[i], colour(i, c->curves));
    for (int i = 0; i < c->curves && c->marks; i++)
        draw_mark(p, &f, &c->curve[i], c->marks[i], colour(i, c->curves));
    draw_line(p, &f, line_at, c->line_name);
    bn_put(p, "</svg></div>\n<p class=\"axis\">");
    bn_escape(p, c->x);
    bn_put(p, "</p>\n");
    lines_table(p, c);
    bn_figure_end(p);
}
