/* curve.c -- a curve of shares over ratios, drawn with characters.
 *
 * A cell holds what is seen of it, the most important last: the dots between points, the share that
 * is asked for, the full graph, the points, the answer.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "output/text.h"
#include "program.h"

enum { HIGH = 11, WIDE = 64, LEFT = 10 };       /* of the drawing; columns before it */
enum { NOTHING, BETWEEN, ASKED, FULL, TRIED, CHOSEN, MARKS };

static const double DEEP = 0.15;        /* so far below the share to keep */

typedef struct {
    unsigned char cell[HIGH][WIDE];
    int    wide;
    double low, high;           /* logarithms of the ratios at both ends */
    double least, most;         /* shares at the bottom and at the top */
} drawing;

static int column_of(const drawing *d, double ratio)
{
    double at = d->high > d->low ? (log10(ratio) - d->low) / (d->high - d->low) : 0.5;
    return (int)lround(at * (d->wide - 1));
}

/* Returns the row of a share; -1 below the drawing. */
static int row_of(const drawing *d, double share)
{
    const int row = (int)lround((d->most - share) / (d->most - d->least) * (HIGH - 1));
    return row < HIGH ? row : -1;
}

static void mark(drawing *d, double share, int place, int what)
{
    const int row = row_of(d, share);
    if (row >= 0 && what > d->cell[row][place])
        d->cell[row][place] = (unsigned char)what;
}

/* ---- what is drawn ------------------------------------------------------- */

/* Sets the ends of both axes; leaves out shares far below the one to keep. */
static void measure(drawing *d, const bonsai_suggestion *s, double keep)
{
    const bonsai_suggest_point *p;
    double least = keep;
    d->most = 1;
    for (int64_t i = 0; (p = bonsai_suggestion_point(s, i)); i++) {
        least = p->share >= 0 ? fmin(least, p->share) : least;
        d->most = fmax(d->most, p->share);
        d->high = log10(p->ratio);
    }
    d->low = log10(bonsai_suggestion_point(s, 0)->ratio);
    d->least = fmin(fmax(least, keep - DEEP), d->most - 0.01);
}

/* Draws dots from one point to the next. */
static void join(drawing *d, const bonsai_suggest_point *a, const bonsai_suggest_point *b)
{
    int from = column_of(d, a->ratio), to = column_of(d, b->ratio);
    for (int c = from + 1; c < to; c++) {
        double part = (double)(c - from) / (to - from);
        mark(d, a->share + part * (b->share - a->share), c, BETWEEN);
    }
}

static void fill(drawing *d, const bonsai_suggestion *s, double keep)
{
    const int64_t chosen = bonsai_suggestion_info(s)->point;
    const bonsai_suggest_point *p, *before = NULL;
    for (int c = 0; c < d->wide; c++) {
        mark(d, 1, c, FULL);
        mark(d, keep, c, ASKED);
    }
    for (int64_t i = 0; (p = bonsai_suggestion_point(s, i)); i++) {
        if (p->share < 0)
            continue;
        if (before)
            join(d, before, p);
        mark(d, p->share, column_of(d, p->ratio), i == chosen ? CHOSEN : TRIED);
        before = p;
    }
}

/* ---- the drawing --------------------------------------------------------- */

static void put_cells(const drawing *d, int row)
{
    static const char *const plain[MARKS] = {" ", ".", "-", "=", "o", "@"};
    static const char *const signs[MARKS] = {" ", "\u00b7", "\u2504", "\u2500", "\u25cb", "\u25cf"};
    const char *const *sign = text_is_utf8() ? signs : plain;
    int wide = d->wide;
    while (wide > 0 && d->cell[row][wide - 1] == NOTHING)
        wide--;
    fputs(wide > 0 ? " " : "", stdout);
    for (int c = 0; c < wide; c++)
        fputs(sign[d->cell[row][c]], stdout);
    putchar('\n');
}

/* Returns 1 if the row gets a label: the top, the bottom, the full graph or the share to keep. */
static int is_labelled(const drawing *d, int row, double keep, double *share)
{
    const double at[] = {keep, 1, d->most, d->least};
    for (int i = 0; i < 4; i++)
        if (row_of(d, at[i]) == row) {
            *share = at[i];
            return 1;
        }
    return 0;
}

/* Writes powers of ten below their columns, at least two spaces apart. */
static void put_ratios(const drawing *d)
{
    char line[WIDE + 32], text[32];
    int end = 0;
    memset(line, ' ', sizeof line);
    for (int e = (int)ceil(d->low - 1e-9); e <= (int)floor(d->high + 1e-9); e++) {
        int len = snprintf(text, sizeof text, "%g", pow(10, e));
        int from = column_of(d, pow(10, e)) - len / 2;
        from = from < 0 ? 0 : from > d->wide - len ? d->wide - len : from;
        if (end > 0 && from < end + 2)
            continue;
        memcpy(line + from, text, (size_t)len);
        end = from + len;
    }
    printf("%*s%.*s\n", LEFT, "", end, line);
}

void curve_put(const bonsai_suggestion *s)
{
    const double keep = bonsai_suggestion_info(s)->keep;
    drawing d = {.wide = line_columns() - LEFT < WIDE ? line_columns() - LEFT : WIDE};
    const char *side = text_is_utf8() ? "\u2502" : "|";
    measure(&d, s, keep);
    fill(&d, s, keep);
    for (int row = 0; row < HIGH; row++) {
        double share = 0;
        if (is_labelled(&d, row, keep, &share))
            printf("%*.1f %% %s", LEFT - 5, 100 * share, side);
        else
            printf("%*s %s", LEFT - 3, "", side);
        put_cells(&d, row);
    }
    put_ratios(&d);
}
