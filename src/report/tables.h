/* tables.h -- the parts of a page of tables, each drawn from its part of the JSON.
 *
 *   page_tables.c  the page: what comes before the tables, their order, the data
 *   page_grid.c    a table: its heads, groups and rows
 *   page_cell.c    a number with all that is known of it
 *
 * bonsai_report_tables in bonsai_study.h says what the JSON holds.  It may hold anything: parts
 * of another form are left out or drawn as a dash.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TABLES_H
#define BN_TABLES_H

#include "template.h"

typedef enum {                  /* where the numbers of a column come from */
    BN_FROM_KEY, BN_FROM_PUBLISHED, BN_FROM_REDONE, BN_FROM_PAPER, BN_FROM_HONEST, BN_FROM_OURS,
    BN_FROM_FACT, BN_SOURCES
} bn_source;

typedef struct {
    const char *word;           /* in the JSON, and the class in the style */
    const char *name;           /* for people; "": it needs none */
    const char *telling;        /* a label with this word says as much as the name */
} bn_source_words;

extern const bn_source_words bn_sources[BN_SOURCES];

enum { BN_MOST_NOTES = 40 };
typedef struct {                /* why published numbers are broken: each reason once */
    int         table;          /* number of the table on the page */
    int         count;
    const char *reason[BN_MOST_NOTES];
} bn_notes;

typedef struct {                /* what a cell has to know of its column */
    bn_source from;
    int       decimals;
    bn_notes *notes;
} bn_cell_style;

bn_json *bn_cell_values(const bn_json *cell, const bn_cell_style *s);
/* Puts table `number` of the page, without its charts. */
void bn_put_grid(bn_page *p, const bn_json *table, int number);
int  bn_decimals_of(const bn_json *table);              /* 0 to 9 */

#endif
