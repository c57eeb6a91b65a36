/* summary.h -- facts and tables that a command prints: aligned text, TSV or JSON.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_SUMMARY_H
#define BONSAI_SUMMARY_H

#include "program.h"

typedef struct {
    const char *key;            /* in JSON; NULL: a bar of the column before, only on a terminal */
    const char *label;          /* on a terminal */
    const char *format;         /* of reals, "%.1f"; "bytes": 1.2 MB; NULL: as they are */
} column;

/* When people see an item; programs get all of them. */
typedef enum { SHOW_ALWAYS, SHOW_BRIEF, SHOW_VERBOSE } summary_show;    /* without and with -v */

typedef struct {
    enum { ITEM_HEADING, ITEM_FACT, ITEM_TABLE, ITEM_JSON } kind;
    const char   *key, *label, *format;
    char          note[160];
    bn_json       *value;        /* of a fact; rows of a table, each an array */
    const column *columns;      /* ended by a NULL label */
    int           limit;        /* rows shown on a terminal; 0: all */
    int           no_json;
    summary_show  show;
} item;

typedef struct summary {        /* what a command prints */
    item items[128];
    int  count;
    int  broken;                /* out of memory, or too many items */
    summary_show show;          /* of the items that are added from now on */
} summary;

void summary_heading(summary *r, const char *text);
/* Add a fact.  The key "degree.min" means an object inside the JSON.  Only people see a fact
 * without a key, and only programs one without a label. */
void summary_int(summary *r, const char *key, const char *label, int64_t value);
void summary_real(summary *r, const char *key, const char *label, double value, const char *format);
void summary_text(summary *r, const char *key, const char *label, const char *value);
void summary_note(summary *r, const char *format, ...)  /* after the last fact, on a terminal */
    __attribute__((format(printf, 2, 3)));
/* Adds a table; only people see one without a key. */
void summary_table(summary *r, const char *key, const column *columns, bn_json *rows);
void summary_degrees(summary *r, const bonsai_stats *st);
void summary_json(summary *r, const char *key, bn_json *value);  /* in JSON only */
/* Returns 1 if rc is BONSAI_OK; marks the summary as broken if memory is exhausted. */
int  summary_has(summary *r, bonsai_status rc);
int  summary_print(summary *r, session *s);             /* to stdout; frees; exit code */
void summary_free(summary *r);                          /* of one that is not printed */
/* Writes all as aligned text (aligned.c); writes a cell as text, for people or for a program. */
void summary_put_text(const summary *r);
void cell_text(char *buf, size_t size, const bn_json *cell, const char *format, int people);
bn_json *summary_object(const summary *r);               /* as --json prints it; NULL: no memory */
int  print_json(session *s, bn_json *value);             /* to stdout; frees; exit code */

#endif
