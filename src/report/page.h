/* page.h -- the sections of a report: each gives the values that its template shows.
 *
 *   report.c     the public functions, and the order of sections
 *   page_head.c  the verdict: what it is worth, in a sentence and a few large numbers
 *   page_metrics.c accuracy, the other metrics, and the recall of each class
 *   page_nodes.c the nodes that stand for others: class, weight, soft label, strongest features
 *   page_body.c  maps, coverage, pruning, classes and degrees
 *   page_sizes.c sizes and bytes
 *   page_curve.c the ratio and its score
 *   page_how.c   time and memory, options, the command that repeats it
 *
 * The templates are in templates/sheet.html, by the id of the section.  A section whose values are
 * null is left out.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PAGE_H
#define BN_PAGE_H

#include "template.h"

typedef struct {                /* NAN: not known */
    double nodes, edges, labelled, bytes, paper;
} bn_extent;

typedef struct {
    const bn_facts *f;
    const bonsai_report_options *o;
    const char *small_name, *full_name;     /* for people, without folders */
    const char *small_path, *full_path;     /* for the command */
    bn_extent   small, full;
    double      second;         /* nodes without a label that belong to prototypes: second nodes */
    double      training;       /* training nodes of the full graph; NAN: not known */
    double      stood;          /* nodes that prototypes stand for; NAN: not known */
    double      coverage;       /* share of the sample; NAN: not known */
    char        title[1024];
} bn_sheet;

/* Draws the whole page of facts. */
void bn_sheet_draw(bn_page *p, const bn_facts *f, const bonsai_report_options *o);

double bn_part_of(double part, double whole);             /* NAN: there is no whole */
/* Returns the values if they are wanted; else frees them and returns null. */
bn_json *bn_sheet_if(bool wanted, bn_json *values);
/* Return a chart of bars, which takes its title, labels and series; and two series, the first
 * only if it is wanted. */
bn_json *bn_bars(bn_json *title, const char *x, const char *y, bn_json *labels, bn_json *series);
bn_json *bn_two_series(const char *first, bn_json *values, bool wanted, const char *second,
                       bn_json *others);

/* Return the metric of a cell in percent, NAN if it is not known; the model's name, in a buffer
 * of BN_CELL_TEXT; the known cell of a model on the full graph; and the first known cell of a
 * small graph. */
enum { BN_CELL_TEXT = 64 };
double bn_cell_metric(const bonsai_cell *c, bonsai_metric m);
void bn_cell_model(char *out, const bonsai_cell *c);
const bonsai_cell *bn_sheet_full_cell(const bn_sheet *s, bonsai_model_kind model);
const bonsai_cell *bn_sheet_first_cell(const bn_sheet *s);
/* Return the percent of a class that a cell's models find, NAN if it is not known; and the class
 * that the first small graph's models find least, if recalls are far apart or accuracy hides a
 * loss, else -1. */
double bn_sheet_recall_of(const bn_sheet *s, const bonsai_cell *c, int64_t k);
int64_t bn_sheet_lost_class(const bn_sheet *s);
/* Returns the strongest features of a node. */
bn_json *bn_distinctive_values(const bn_facts *f, const bn_stand *n);

void bn_sheet_head(bn_page *p, const bn_sheet *s);
void bn_sheet_draw_map(bn_page *p, const bn_sheet *s);
bn_json *bn_suggestion_values(const bonsai_suggestion *s);

bn_json *bn_sheet_accuracy(const bn_sheet *s);
bn_json *bn_sheet_curve(const bn_sheet *s);
bn_json *bn_sheet_map(const bn_sheet *s);
bn_json *bn_sheet_nodes(const bn_sheet *s);
bn_json *bn_sheet_before(const bn_sheet *s);
bn_json *bn_sheet_options(const bn_sheet *s);
bn_json *bn_sheet_command(const bn_sheet *s);
bn_json *bn_sheet_sizes(const bn_sheet *s);
bn_json *bn_sheet_bytes(const bn_sheet *s);
bn_json *bn_sheet_learned(const bn_sheet *s);
bn_json *bn_sheet_coverage(const bn_sheet *s);
bn_json *bn_sheet_pruning(const bn_sheet *s);
bn_json *bn_sheet_effort(const bn_sheet *s);

#endif
