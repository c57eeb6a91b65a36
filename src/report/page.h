/* page.h -- the sections of a report.
 *
 *   report.c     the public functions, and the order of sections
 *   page_head.c  a summary sentence and a few large numbers; sizes; accuracy
 *   page_body.c  map, coverage, pruning, classes and degrees, bytes
 *   page_how.c   time and memory, every option, the command that repeats it
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PAGE_H
#define BN_PAGE_H

#include "draw.h"

typedef struct {                /* NAN: not known */
    double nodes, edges, labelled, bytes, paper;
} bn_extent;

typedef struct {
    const bn_facts *f;
    const bonsai_report_options *o;
    const char *small_name, *full_name;     /* for people, without folders */
    const char *small_path, *full_path;     /* for the command */
    bn_extent   small, full;
    double      training;       /* training nodes of the full graph; NAN: not known */
    double      coverage;       /* share of the sample; NAN: not known */
    char        title[1024];
} bn_sheet;

/* The whole page of facts. */
void bn_sheet_draw(bn_page *p, const bn_facts *f, const bonsai_report_options *o);

void bn_sheet_head(bn_page *p, const bn_sheet *s);
void bn_sheet_sizes(bn_page *p, const bn_sheet *s);
bool bn_sheet_has_accuracy(const bn_sheet *s);
void bn_sheet_accuracy(bn_page *p, const bn_sheet *s);
bool bn_sheet_has_map(const bn_sheet *s);
void bn_sheet_map(bn_page *p, const bn_sheet *s);
bool bn_sheet_has_coverage(const bn_sheet *s);
void bn_sheet_coverage(bn_page *p, const bn_sheet *s);
bool bn_sheet_has_pruning(const bn_sheet *s);
void bn_sheet_pruning(bn_page *p, const bn_sheet *s);
void bn_sheet_before(bn_page *p, const bn_sheet *s);
void bn_sheet_bytes(bn_page *p, const bn_sheet *s);
bool bn_sheet_has_effort(const bn_sheet *s);
void bn_sheet_effort(bn_page *p, const bn_sheet *s);
bool bn_sheet_has_options(const bn_sheet *s);
void bn_sheet_options(bn_page *p, const bn_sheet *s);
bool bn_sheet_has_command(const bn_sheet *s);
void bn_sheet_command(bn_page *p, const bn_sheet *s);

#endif
