/* table.h -- a text file as a table with a row a line, for edges, labels and features.
 *
 *     bn_table t = {.stage = "reading labels"};
 *     BN_TRY(bn_table_open(&t, path));             // finds the separator, keeps two lines
 *     t.header = ...                               // judged by bn_cell and bn_table_occurs
 *     bn_table_start(&t);
 *     while (bn_table_next(&t, &rc))
 *         BN_TRY(bn_field_next(&t.l, &f));         // or bn_int_try, bn_real_next
 *   done:
 *     bn_table_close(&t);
 *
 * A name of a column may be a name of a node or of a class too.  What decides is the rest of the
 * file: the first line is a header if it has a name that the table knows and no number, and the
 * name does not occur below itself; or if it has no number and the second line has nothing else.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TABLE_H
#define BN_TABLE_H

#include "lines.h"

typedef struct { int64_t begin, len; bool quoted; } bn_cell_place;

typedef struct {
    bn_cell_place *cell;
    int64_t count, capacity;
} bn_record;

typedef struct {                /* zeroed: no names */
    char   *text;               /* each followed by a zero; bn_free */
    int64_t len, capacity, count;
} bn_head_names;

typedef struct {
    const char *stage;          /* of progress */
    bn_progress progress;
    bn_lines  l;
    int64_t   line;             /* of the first record */
    bn_record record[2];        /* the first two */
    char     *text;             /* of their cells */
    int64_t   len, capacity;
    bool      header;           /* the first record is one */
    bool      in_order;         /* rows belong to the nodes in order, so none may be skipped */
} bn_table;

bonsai_status bn_table_open(bn_table *t, const char *path);
void          bn_table_close(bn_table *t);              /* a zeroed table is allowed */
/* Returns a cell of the first (0) or second record; an empty one if there is none. */
bn_field      bn_cell(const bn_table *t, int record, int64_t column);
/* Returns the first column with this name; -1: none. */
int64_t       bn_table_column(const bn_table *t, const char *name);
/* Reads what is left of the record, which may span lines, and goes to the next; *there: there is
 * one. */
bonsai_status bn_record_next(bn_lines *l, bool *there);
/* Returns whether a word occurs below the first record in one of the columns from .. to-1. */
bonsai_status bn_table_occurs(bool *found, bn_table *t, bn_field word, int64_t from, int64_t to);
/* Returns whether a file has a word in its first columns. */
bonsai_status bn_file_has(bool *found, const char *path, bn_field word, int64_t columns);
/* Fails because of the first record; column, from 1: the one to blame, 0: all. */
bonsai_status bn_table_fail(const bn_table *t, int64_t column, const char *fmt, ...)
    BN_PRINTF(3, 4);
/* Goes to the start of the rows, before the first. */
void          bn_table_start(bn_table *t);
/* Goes to the next row.  False: there is none, or *rc says why not. */
bool          bn_table_next(bn_table *t, bonsai_status *rc);

/* Returns whether a header calls a column the ids: id, node, node_id, nodeid, or ..._id if it is
 * first. */
bool bn_is_id_name(const bn_field *f, bool first);
/* Returns whether a header calls a column the label: label, class, y or target. */
bool bn_is_label_name(const bn_field *f);
bool bn_field_is_real(const bn_field *f);               /* whether it is a number */

/* Reads the comments at the head, and the names of `what` ("class", "feature") among them. */
bonsai_status bn_head_names_read(bn_head_names *n, bn_lines *l, const char *what);
/* Adds one; escaped: as the writer puts them into comments. */
bonsai_status bn_head_names_add(bn_head_names *n, const bn_lines *l, const bn_field *f,
                                bool escaped);

#endif
