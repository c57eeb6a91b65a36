/* page_recall.c -- how each class fares: the recall of each, and whether some are lost.
 *
 * Accuracy hides a class that is never found where that is small.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "page.h"

enum { MOST_CELLS = 8, MOST_CLASSES = 40 };

typedef struct {
    char        text[MOST_CLASSES][MOST_CELLS][16], head_text[MOST_CELLS][BN_CELL_TEXT + 8];
    const char *head[1 + MOST_CELLS], *cell[MOST_CLASSES * (1 + MOST_CELLS)];
    int         cells, classes;
} recalls;

bool bn_sheet_has_recall(const bn_sheet *s)
{
    return s->o->recall && s->o->cell_count > 0 && s->f->classes > 0;
}

double bn_sheet_recall_of(const bn_sheet *s, const bonsai_cell *c, int64_t k)
{
    if (!bn_sheet_has_recall(s) || !c)
        return NAN;
    const double value = s->o->recall[(c - s->o->cells) * s->f->classes + k];
    return value >= 0 && value <= 100 ? value : NAN;
}

/* ---- the table ----------------------------------------------------------- */

static void fill(recalls *a, const bn_sheet *s)
{
    const bonsai_report_options *o = s->o;
    a->cells = o->cell_count < MOST_CELLS ? (int)o->cell_count : MOST_CELLS;
    a->classes = s->f->classes < MOST_CLASSES ? (int)s->f->classes : MOST_CLASSES;
    a->head[0] = "class";
    for (int i = 0; i < a->cells; i++) {
        char model[BN_CELL_TEXT];
        bn_cell_model(model, &o->cells[i]);
        snprintf(a->head_text[i], sizeof a->head_text[i], "%s, %s", model,
                 o->cells[i].method < 0 ? "full" : "small");
        a->head[1 + i] = a->head_text[i];
    }
    for (int k = 0; k < a->classes; k++) {
        const char **row = &a->cell[k * (1 + a->cells)];
        row[0] = s->f->class_name[k];
        for (int i = 0; i < a->cells; i++) {
            const double value = bn_sheet_recall_of(s, &o->cells[i], k);
            snprintf(a->text[k][i], sizeof a->text[k][i], "–");
            if (isfinite(value))
                bn_fixed(a->text[k][i], value, 1, false);
            row[1 + i] = a->text[k][i];
        }
    }
}

void bn_sheet_recall(bn_page *p, const bn_sheet *s)
{
    recalls *a = NULL;
    if (BN_NEW(&a, 1) != BONSAI_OK) {
        p->failed = true;
        return;
    }
    fill(a, s);
    bn_table(p, "Recall: the percent of the test nodes of a class that were found",
             &(bn_cells){.head = a->head, .columns = 1 + a->cells, .cell = a->cell,
                         .rows = a->classes});
    if (a->classes < s->f->classes)
        bn_putf(p, "<p>The first %d of %lld classes.</p>\n", a->classes,
                (long long)s->f->classes);
    bn_free(a);
}

/* ---- classes that are lost ----------------------------------------------- */

int64_t bn_sheet_lost_class(const bn_sheet *s)
{
    double metric[2][BONSAI_METRIC_COUNT];
    const bonsai_cell *small = bn_sheet_first_cell(s);
    const bonsai_cell *full = small ? bn_sheet_full_cell(s, small->model) : NULL;
    if (!small || !bn_sheet_has_recall(s))
        return -1;
    for (int m = 0; m < BONSAI_METRIC_COUNT; m++) {
        metric[0][m] = bn_cell_metric(small, (bonsai_metric)m);
        metric[1][m] = full ? bn_cell_metric(full, (bonsai_metric)m) : NAN;
    }
    return bonsai_judge_lost(s->o->recall + (small - s->o->cells) * s->f->classes, s->f->classes,
                             metric[0], metric[1]);
}
