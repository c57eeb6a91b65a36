/* draw.h -- growing text, escaped HTML, and charts as SVG.
 *
 *   draw.c         text, numbers for people, tables, the page's frame
 *   style.c        its CSS
 *   axis.c         ticks at round numbers
 *   chart.c        common parts of charts, and bars
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

typedef struct {                /* out of memory is remembered and reported at the end */
    char   *text;
    int64_t length, room;
    bool    failed;
    int     charts;             /* drawn so far, for unique ids */
} bn_page;

void bn_page_free(bn_page *p);
bonsai_status bn_page_status(const bn_page *p);         /* OK, or out of memory */
void bn_put(bn_page *p, const char *html);              /* unchanged */
void bn_putf(bn_page *p, const char *format, ...) BN_PRINTF(2, 3);     /* the same, below 2 kB */
/* & < > " ' become entities; bad UTF-8, control characters and the like become ? */
void bn_escape(bn_page *p, const char *text);
/* At most so many characters; the last one of truncated text is a …. */
void bn_escape_cut(bn_page *p, const char *text, int most);
enum { BN_LONGEST_TEXT = 4000, BN_LONGEST_NAME = 60 };  /* of bn_escape; of names of classes */
void bn_put_number(bn_page *p, double v);               /* 1,234,567; 12.3; 0.0012 */
void bn_put_bytes(bn_page *p, double bytes);            /* 838 B, 64.8 kB, 6.5 MB */
void bn_put_seconds(bn_page *p, double s);              /* 12 ms, 3.4 s, 2 min 10 s */
void bn_put_percent(bn_page *p, double share);          /* 0.0125 is 1.25 % */
void bn_put_fixed(bn_page *p, double v, int digits);
/* The same into buf of 64. */
int  bn_fixed(char *buf, double v, int digits, bool grouped);
void bn_plain(char *buf, double v);                     /* one digit, for drawings: -1.5 */
void bn_number_text(char *buf, double v);
void bn_bytes_text(char *buf, double bytes);
void bn_percent_text(char *buf, double share);

/* The page's frame: <!doctype> ... <main>, with all CSS inside; and its end.  No script, no
 * request, no external font.  fragment: a <div class="bonsai"> with the CSS scoped to it. */
void bn_page_begin(bn_page *p, const char *title, bool fragment);
void bn_put_style(bn_page *p);
void bn_page_end(bn_page *p, bool fragment);
void bn_section_begin(bn_page *p, const char *id, const char *heading);
void bn_section_end(bn_page *p);
/* A section whose inside is a closed <details>, which the caller ends; brief: what is in it. */
void bn_fold_begin(bn_page *p, const char *id, const char *heading, const char *brief);

/* The multiples of 1, 2 or 5 times a power of ten from low to high, with the smallest step that
 * fits room (at least 2); low alone if there are none.  Returns how many. */
int bn_ticks(double *at, int room, double low, double high);
/* Powers of ten from low to high, as many as fit at equal steps; both above 0. */
int bn_log_ticks(double *at, int room, double low, double high);
/* The same, and 2 and 5 times them where all of these fit. */
int bn_fine_ticks(double *at, int room, double low, double high);
void bn_tick_text(char *buf, double v, bool power);     /* 20k, 1.5M, 0.25; 10⁻³; buf of 64 */

/* Common parts of charts.  The colour of a series: "s0", "s1", ...; of a class: "k0" .. "k9". */
enum { BN_COLOURS = 10 };
void bn_figure_begin(bn_page *p, const char *title);
void bn_figure_svg(bn_page *p, const char *title, const char *kind, int height);  /* open: <desc> */
void bn_figure_end(bn_page *p);
void bn_details_begin(bn_page *p);
void bn_details_end(bn_page *p);
void bn_put_place(bn_page *p, const char *name, double share);   /* name="12.5%" */
void bn_legend_item(bn_page *p, const char *css, const char *name);

typedef struct { const char *name; const double *value; } bn_series;   /* value: one per label */

typedef struct {                /* bars in groups: one group per label, one bar per series */
    const char *title, *x, *y;  /* x, y: of the axes */
    const char *const *label;
    int64_t labels;
    const bn_series *s;
    int     series;
    const char *format;         /* of values, such as "%.1f" */
} bn_bar_chart;

typedef struct {
    const char *title, *x, *y;
    const bn_curve *curve;
    int     curves;
    const char *const *name;    /* of the curves; NULL: one curve, without a name */
    double  line_at;            /* a horizontal line; NAN: none */
    const char *line_name;      /* NULL: no such line */
    const double *marks;        /* one vertical line per curve, NAN: none; NULL: none at all */
    bool    log_y, log_x;       /* what is not above 0: at the lower end of y, left out of x */
    const double *const *half;  /* of each curve: half the height of its error band at each point,
                                 * NAN: none there; or NULL.  NULL: there are no bands */
    bool    measured;           /* the points were measured one by one: each is drawn, all are in
                                 * the table, and the axis needs not begin at 0 */
} bn_line_chart;

void bn_chart_bars(bn_page *p, const bn_bar_chart *c);
void bn_chart_lines(bn_page *p, const bn_line_chart *c);

typedef struct {                /* maps of the same nodes, side by side */
    const bn_map *maps;         /* BN_MAPS */
    const char *const *class_name;
    int64_t classes;
    void  (*tell)(bn_page *p, const void *payload, const bn_dot *d);    /* more of one; or NULL */
    const void *payload;
} bn_map_chart;

/* Density as shaded cells in the colour of their class, marks with area by weight. */
void bn_chart_maps(bn_page *p, const bn_map_chart *c);
/* The mark of a class by its colour; any other number: a circle.  The key is a small drawing. */
void bn_put_marker(bn_page *p, int colour, double radius);
void bn_put_key(bn_page *p, int colour);

typedef struct {                /* a table; text is escaped */
    const char *const *head;
    int     columns;            /* the first is text, the others numbers already formatted */
    const char *const *cell;
    int64_t rows;
    const uint8_t *marked;      /* rows x columns: emphasised cells, in text too; or NULL */
} bn_cells;

void bn_table(bn_page *p, const char *caption, const bn_cells *g);

#endif
