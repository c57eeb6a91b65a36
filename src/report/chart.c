/* chart.c -- common parts of charts, and bars.
 *
 * Text is placed in percent in an <svg> without a viewBox, and keeps its size; curves are in an
 * inner <svg>, which is stretched.  Names of bars are HTML, which truncates long ones.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw.h"

enum { MOST_TICKS = 12, BAR = 12, GAP = 2, MARGIN = 10 };

/* ---- parts that charts share --------------------------------------------- */

void bn_figure_begin(bn_page *p, const char *title)
{
    p->charts++;
    bn_put(p, "<figure class=\"chart\"><figcaption>");
    bn_escape(p, title);
    bn_put(p, "</figcaption>\n");
}

void bn_figure_svg(bn_page *p, const char *title, const char *kind, int height)
{
    bn_putf(p, "<svg class=\"%s\" role=\"img\" aria-labelledby=\"c%dt c%dd\"", kind, p->charts,
            p->charts);
    if (height > 0)
        bn_putf(p, " style=\"height:%dpx\"", height);
    bn_putf(p, "><title id=\"c%dt\">", p->charts);
    bn_escape(p, title);
    bn_putf(p, "</title><desc id=\"c%dd\">", p->charts);
}

void bn_figure_end(bn_page *p)
{
    bn_put(p, "</figure>\n");
}

void bn_details_begin(bn_page *p)
{
    bn_put(p, "<details><summary>Values as a table</summary>\n");
}

void bn_details_end(bn_page *p)
{
    bn_put(p, "</details>\n");
}

void bn_legend_item(bn_page *p, const char *css, const char *name)
{
    bn_putf(p, "<li class=\"%s\" title=\"", css);
    bn_escape_cut(p, name, 200);
    bn_put(p, "\"><i></i><span>");
    bn_escape_cut(p, name, BN_LONGEST_NAME);
    bn_put(p, "</span></li>");
}

static const char *colour(int i, int all)
{
    static const char *const name[] = {"s0", "s1", "s2", "k3", "k4", "k5", "k6", "k7", "k8", "k9"};
    return all == 1 ? "s1" : name[i % BN_COLOURS];
}

void bn_put_place(bn_page *p, const char *name, double share)
{
    char buf[48];
    bn_fixed(buf, isfinite(share) ? 100 * fmin(fmax(share, 0), 1) : 0, 2, false);
    bn_putf(p, " %s=\"%s%%\"", name, buf);
}

/* ---- bars ---------------------------------------------------------------- */

typedef struct {
    const char *const *label;
    int64_t labels;
    const bn_series *s;
    int     series;
    int     digits;             /* after the decimal point */
    char    unit[24];           /* after the number */
    double  low, high;
} bars;

/* "%.1f %%" has 1 digit and the unit " %". */
static void read_format(bars *b, const char *format)
{
    const char *dot = strchr(format, '.'), *f = strchr(format, 'f');
    size_t at = 0;
    b->digits = dot && dot[1] >= '0' && dot[1] <= '9' ? dot[1] - '0' : 0;
    for (f = f ? f + 1 : ""; *f && at + 1 < sizeof b->unit; f++) {
        b->unit[at++] = *f;
        f += f[0] == '%' && f[1] == '%';
    }
    b->unit[at] = 0;
}

static void value_text(char *buf, const bars *b, double v)
{
    int at = bn_fixed(buf, v, v == 0 ? 0 : b->digits, true);
    if (isfinite(v))
        snprintf(buf + at, 32, "%s", b->unit);
}

static void measure(bars *b)
{
    for (int64_t i = 0; i < b->labels; i++)
        for (int k = 0; k < b->series; k++) {
            double v = b->s[k].value[i];
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

static void draw_grid(bn_page *p, const bars *b)
{
    double tick[MOST_TICKS];
    int ticks = bn_ticks(tick, 4, b->low, b->high);
    for (int i = 0; i < ticks; i++) {
        char text[64];
        bn_tick_text(text, tick[i], false);
        bn_put(p, "<line class=\"grid\"");
        bn_put_place(p, "x1", place(b, tick[i]));
        bn_put_place(p, "x2", place(b, tick[i]));
        bn_put(p, " y1=\"0\" y2=\"100%\"/><text class=\"tick mid\"");
        bn_put_place(p, "x", place(b, tick[i]));
        bn_putf(p, " y=\"100%%\" dy=\"16\">%s</text>", text);
    }
}

static void draw_bar(bn_page *p, const bars *b, int64_t i, int k, int y)
{
    double v = b->s[k].value[i], zero = place(b, 0), end = place(b, v);
    char text[96];
    value_text(text, b, v);
    if (isfinite(v)) {
        bn_putf(p, "<rect class=\"%s\" y=\"%d\" height=\"%d\" rx=\"2\"",
                colour(k, b->series), y, BAR);
        bn_put_place(p, "x", fmin(zero, end));
        bn_put_place(p, "width", fabs(end - zero));
        bn_put(p, "/>");
    }
    bn_put(p, "<text class=\"val\"");
    bn_put_place(p, "x", isfinite(v) ? fmax(zero, end) : zero);
    bn_putf(p, " dx=\"5\" y=\"%d\">%s</text>\n", y + BAR - 2, text);
}

static void bars_table(bn_page *p, const bars *b, const char *title, const char *x)
{
    bn_details_begin(p);
    bn_put(p, "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"");
    bn_escape(p, title);
    bn_put(p, "\"><table><thead><tr><th scope=\"col\">");
    bn_escape(p, x);
    bn_put(p, "</th>");
    for (int k = 0; k < b->series; k++) {
        bn_put(p, "<th scope=\"col\">");
        bn_escape_cut(p, b->s[k].name ? b->s[k].name : "value", BN_LONGEST_NAME);
        bn_put(p, "</th>");
    }
    bn_put(p, "</tr></thead><tbody>\n");
    for (int64_t i = 0; i < b->labels; i++) {
        bn_put(p, "<tr><th scope=\"row\">");
        bn_escape_cut(p, b->label[i], 200);
        bn_put(p, "</th>");
        for (int k = 0; k < b->series; k++) {
            char text[96];
            value_text(text, b, b->s[k].value[i]);
            bn_putf(p, "<td>%s</td>", text);
        }
        bn_put(p, "</tr>\n");
    }
    bn_put(p, "</tbody></table></div>");
    bn_details_end(p);
}

static void describe_bars(bn_page *p, const bars *b, const char *y)
{
    bn_escape(p, y);
    bn_put(p, ". ");
    for (int64_t i = 0; i < b->labels && i < 12; i++) {
        bn_escape_cut(p, b->label[i], BN_LONGEST_NAME);
        for (int k = 0; k < b->series; k++) {
            char text[96];
            value_text(text, b, b->s[k].value[i]);
            bn_put(p, k ? ", " : ": ");
            if (b->series > 1) {
                bn_escape_cut(p, b->s[k].name, BN_LONGEST_NAME);
                bn_put(p, " ");
            }
            bn_put(p, text);
        }
        bn_put(p, ". ");
    }
    if (b->labels > 12)
        bn_putf(p, "And %lld more in the table.", (long long)(b->labels - 12));
}

static void bar_names(bn_page *p, const bars *b, int group)
{
    bn_putf(p, "<div class=\"bars\"><div class=\"names\" aria-hidden=\"true\" style=\"--g:%dpx\">",
            group);
    for (int64_t i = 0; i < b->labels; i++) {
        bn_put(p, "<span title=\"");
        bn_escape_cut(p, b->label[i], 200);
        bn_put(p, "\">");
        bn_escape_cut(p, b->label[i], BN_LONGEST_NAME);
        bn_put(p, "</span>");
    }
    bn_put(p, "</div><div class=\"plot\">");
}

void bn_chart_bars(bn_page *p, const bn_bar_chart *c)
{
    bars b = {.label = c->label, .labels = c->labels, .s = c->s, .series = c->series};
    const int group = c->series * (BAR + GAP) + MARGIN;
    if (c->labels < 1 || c->series < 1)
        return;
    read_format(&b, c->format);
    measure(&b);
    bn_figure_begin(p, c->title);
    if (c->series > 1) {
        bn_put(p, "<ul class=\"legend\">");
        for (int k = 0; k < c->series; k++)
            bn_legend_item(p, colour(k, c->series), c->s[k].name);
        bn_put(p, "</ul>\n");
    }
    bar_names(p, &b, group);
    bn_figure_svg(p, c->title, "bar", (int)c->labels * group);
    describe_bars(p, &b, c->y);
    bn_put(p, "</desc>");
    draw_grid(p, &b);
    for (int64_t i = 0; i < c->labels; i++)
        for (int k = 0; k < c->series; k++)
            draw_bar(p, &b, i, k, (int)i * group + MARGIN / 2 + k * (BAR + GAP));
    bn_put(p, "</svg></div></div>\n<p class=\"axis\">");
    bn_escape(p, c->y);
    bn_put(p, "</p>\n");
    bars_table(p, &b, c->title, c->x);
    bn_figure_end(p);
}
