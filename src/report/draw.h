/* draw.h -- growing text, escaped HTML, and charts as SVG.
 *
 *   draw.c         text and numbers for people
 *   axis.c         ticks at round numbers
 *   chart.c        bars
 *   chart_lines.c  curves
 *   chart_map.c    maps
 *   marker.c       marks of classes
 *
 * Every chart has a title, labelled axes, and its values as text for screen readers (a <title> and
 * <desc>, and a table below that can be opened).  Colours are CSS variables, so that one drawing
 * serves light and dark.  Positions are percentages and only parts without text are stretched, so
 * that a chart fits any width and its text keeps its size.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_DRAW_H
#define BN_DRAW_H

#include "facts.h"
#include "json.h"

typedef struct {                /* out of memory is remembered and reported at the end */
    char   *text;
    int64_t length, room;
    bool    failed;
    char    wrong[96];          /* the first fault of a template */
    int     charts;             /* drawn so far, for unique ids */
} bn_page;

void bn_page_free(bn_page *p);
bonsai_status bn_page_status(const bn_page *p);         /* OK, or what went wrong */
bonsai_status bn_page_save(const bn_page *p, const char *path);     /* appears when complete */
void bn_put(bn_page *p, const char *html);              /* unchanged */
void bn_put_part(bn_page *p, const char *from, const char *to);
void bn_putf(bn_page *p, const char *format, ...) BN_PRINTF(2, 3);     /* the same, below 2 kB */
/* Puts text: & < > " ' become entities; bad UTF-8, control characters and the like become ? */
void bn_escape(bn_page *p, const char *text);
/* Puts text of at most `most` characters; the last one of truncated text is a …. */
void bn_escape_cut(bn_page *p, const char *text, int most);
enum { BN_LONGEST_TEXT = 4000 };                        /* of bn_escape */
/* Write numbers for people into buf of 64; bn_fixed returns the length. */
int  bn_fixed(char *buf, double v, int digits, bool grouped);
void bn_plain(char *buf, double v);                     /* one digit, for drawings: -1.5 */
void bn_number_text(char *buf, double v);               /* 1,234,567; 12.3; 0.0012 */
void bn_bytes_text(char *buf, double bytes);            /* 838 B, 64.8 kB, 6.5 MB */
void bn_seconds_text(char *buf, double s);              /* 12 ms, 3.4 s, 2 min 10 s */
void bn_percent_text(char *buf, double share);          /* 0.0125 is 1.25 % */

/* Fills `at` with the multiples of 1, 2 or 5 times a power of ten from low to high, with the
 * smallest step that fits room (at least 2), or with low alone if there are none.  Returns how
 * many. */
int bn_ticks(double *at, int room, double low, double high);
/* Fills `at` with powers of ten from low to high, both above 0, as many as fit at equal steps.
 * Returns how many. */
int bn_log_ticks(double *at, int room, double low, double high);
/* Fills `at` like bn_log_ticks, and with 2 and 5 times the powers if all of these fit. */
int bn_fine_ticks(double *at, int room, double low, double high);
void bn_tick_text(char *buf, double v, bool power);     /* 20k, 1.5M, 0.25; 10⁻³; buf of 64 */

enum { BN_COLOURS = 10 };       /* of classes: "k0" .. "k9" */

/* Draws bars in groups, one group for each label, one bar for each series: {title, x, y, labels,
 * series: [{name, values}]}, values with as many decimals as digits says. */
void bn_chart_bars(bn_page *p, const bn_json *chart, const char *digits);
/* Draws curves: {title, x, y, log_x, log_y, curves: [{name, at, mark}], line}. at: [x, y] or [x,
 * y, e] with an error band from y - e to y + e; mark: the x of a vertical line; line: {at, name},
 * a horizontal one.  Values of 0 or less stand at the lower end of a log y, and are left out of a
 * log x. kind "measured": the points were measured one by one: each is drawn, all are in the
 * table, and the axis need not begin at 0; other curves have no points. */
void bn_chart_lines(bn_page *p, const bn_json *chart, const char *kind);

typedef struct {                /* maps of the same nodes, side by side */
    const bn_map *maps;         /* BN_MAPS */
    const char *const *class_name;
    int64_t classes;
    bn_json *(*strongest)(const void *payload, int64_t node);   /* features of a node; or NULL */
    const void *payload;
} bn_map_chart;

/* Draws maps: the density as shaded cells in the colour of their class, nodes of the small graph
 * as marks with area by weight. */
void bn_chart_maps(bn_page *p, const bn_map_chart *c);
/* Put the mark of a class by its colour (any other number: a circle), into a drawing and as a
 * small drawing in a key. */
void bn_put_marker(bn_page *p, int colour, double radius);
void bn_put_key(bn_page *p, int colour);

#endif
