/* labelfile.h -- the columns of a file of labels; labelhead.c finds them, labelfile.c reads them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_LABELFILE_H
#define BN_LABELFILE_H

#include "companion.h"

typedef enum { ID, NAME, LABEL, SPLIT, WEIGHT, ORIGIN, ROLE, KINDS } column;

typedef struct {
    column  *column;            /* in the order of the fields; KINDS: not read here; bn_free */
    int64_t  columns;
    bool     has[KINDS];
} bn_label_columns;

/* Finds the columns, and if the first line is a header.  Notes in c which columns of a shared table
 * are no features. */
bonsai_status bn_label_columns_find(bn_label_columns *h, bn_table *t, bn_companions *c);
/* Returns whether a label is a whole number: 10, or as a table with gaps has it, 10.0. */
bool bn_field_whole(const bn_field *f, int64_t *out);

#endif
