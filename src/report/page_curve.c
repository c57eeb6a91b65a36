/* page_curve.c -- the curve of ratio against score that led to a ratio.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "page.h"

enum { COLUMNS = 5, CELL = 64 };

/* ---- the sentence -------------------------------------------------------- */

static void say_split(bn_page *p, const bonsai_suggest_info *i)
{
    if (i->split_from == BONSAI_SPLIT_ASKED || i->split_from == BONSAI_SPLIT_DRAWN)
        bn_putf(p, " of a split of %g/%g/%g drawn with seed %llu", i->split[0], i->split[1],
                i->split[2], (unsigned long long)i->split_seed);
}

static void say_answer(bn_page *p, const bonsai_suggest_info *i)
{
    bn_put(p, i->reached ? "<p>The ratio " : "<p>No ratio that was tried keeps ");
    if (i->reached)
        bn_put_number(p, i->ratio);
    bn_put(p, i->reached ? " is the smallest that keeps " : "");
    bn_put_percent(p, i->keep);
    bn_put(p, " of the full graph&#39;s score");
    if (!i->reached) {
        bn_put(p, "; the best is ");
        bn_put_number(p, i->ratio);
    }
    bn_put(p, ": ");
    bn_put_fixed(p, i->score, 2);
    bn_put(p, " beside ");
    bn_put_fixed(p, i->full_score, 2);
    bn_put(p, " percent of ");
    bn_put_number(p, (double)i->judged);
    bn_put(p, i->held ? " held-out training node" : " validation node");
    bn_put(p, bn_s(i->judged));
    say_split(p, i);
    bn_put(p, ". Both are the probe&#39;s, a linear classifier fitted on the nodes of the small "
              "graph or on the training nodes of the full one; no test label was read.</p>\n");
}

/* ---- the curve ----------------------------------------------------------- */

static void put_chart(bn_page *p, const bonsai_suggest_info *i, bn_curve curve[2])
{
    static const char *const name[] = {"small graph", "full graph"};
    const double marks[] = {i->ratio, NAN};
    char line[CELL], share[CELL];
    bn_percent_text(share, i->keep);
    snprintf(line, sizeof line, "%.20s of the full graph's", share);
    bn_chart_lines(p, &(bn_line_chart){
        .title = "Score of the small graph by its ratio", .x = "ratio of the bytes",
        .y = "probe score in percent", .curve = curve, .curves = 2, .name = name,
        .line_at = i->wanted, .line_name = line, .marks = marks, .log_x = true, .measured = true});
}

/* What has no score is in the table alone. */
static void draw_curve(bn_page *p, const bonsai_suggestion *s)
{
    const bonsai_suggest_info *i = bonsai_suggestion_info(s);
    const bonsai_suggest_point *at;
    bn_spot *spot = NULL;
    bn_curve curve[2] = {{0}};
    bn_spot flat[2];
    if (BN_NEW(&spot, i->tried) != BONSAI_OK) {
        p->failed = true;
        return;
    }
    curve[0].at = spot;
    for (int64_t k = 0; (at = bonsai_suggestion_point(s, k)); k++)
        if (at->score >= 0)
            spot[curve[0].count++] = (bn_spot){at->ratio, at->score};
    flat[0] = (bn_spot){spot[0].x, i->full_score};
    flat[1] = (bn_spot){spot[curve[0].count - 1].x, i->full_score};
    curve[1] = (bn_curve){.at = flat, .count = 2};
    put_chart(p, i, curve);
    bn_free(spot);
}

/* ---- the table ----------------------------------------------------------- */

typedef struct { char text[COLUMNS][CELL]; } row;

static void fill_row(row *r, const bonsai_suggest_point *at)
{
    bn_number_text(r->text[0], at->ratio);
    for (int c = 1; c < COLUMNS; c++)
        snprintf(r->text[c], CELL, "–");
    if (at->score < 0)
        return;
    bn_bytes_text(r->text[1], at->bytes);
    bn_number_text(r->text[2], (double)at->nodes);
    bn_fixed(r->text[3], at->score, 2, true);
    bn_percent_text(r->text[4], at->share);
}

static void put_table(bn_page *p, const bonsai_suggestion *s)
{
    static const char *const head[] = {"ratio", "bytes", "nodes", "score", "of the full graph's"};
    const bonsai_suggest_info *i = bonsai_suggestion_info(s);
    row *rows = NULL;
    const char **cell = NULL;
    uint8_t *marked = NULL;
    if (BN_NEW(&rows, i->tried) != BONSAI_OK || BN_NEW(&cell, i->tried * COLUMNS) != BONSAI_OK ||
        BN_NEW(&marked, i->tried * COLUMNS) != BONSAI_OK)
        p->failed = true;
    for (int64_t k = 0; !p->failed && k < i->tried; k++) {
        fill_row(&rows[k], bonsai_suggestion_point(s, k));
        for (int c = 0; c < COLUMNS; c++) {
            cell[k * COLUMNS + c] = rows[k].text[c];
            marked[k * COLUMNS + c] = k == i->point;
        }
    }
    if (!p->failed)
        bn_table(p, "Every ratio that was tried", &(bn_cells){head, COLUMNS, cell, i->tried, marked});
    bn_free(rows);
    bn_free(cell);
    bn_free(marked);
}

void bn_put_suggestion(bn_page *p, const bonsai_suggestion *s)
{
    say_answer(p, bonsai_suggestion_info(s));
    draw_curve(p, s);
    put_table(p, s);
}

bool bn_sheet_has_curve(const bn_sheet *s)
{
    return s->o->suggestion != NULL;
}

void bn_sheet_curve(bn_page *p, const bn_sheet *s)
{
    bn_put_suggestion(p, s->o->suggestion);
}
