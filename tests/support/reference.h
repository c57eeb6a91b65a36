/* reference.h -- reads files of named arrays that tests/pyg/make_reference.py writes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_REFERENCE_H
#define BN_REFERENCE_H

#include "testing.h"

enum { REFERENCE_DIMS = 4 };

typedef struct {
    char        name[64];
    bool        is_real;        /* float, else int32_t */
    int         dims;
    int64_t     shape[REFERENCE_DIMS];
    int64_t     count;
    const void *data;           /* belongs to the file */
} reference_array;

typedef struct {
    uint8_t         *bytes;
    reference_array *array;
    int              count;
} reference;

/* Fails the test if the file is missing or incomplete. */
reference *reference_open(const char *path);
void       reference_close(reference *r);
/* The array with this name, or NULL. */
const reference_array *reference_find(const reference *r, const char *fmt, ...) BN_PRINTF(2, 3);
/* The same; the array must exist and have count elements. */
const float   *reference_reals(const reference *r, int64_t count, const char *fmt, ...)
    BN_PRINTF(3, 4);
const int32_t *reference_ints(const reference *r, int64_t count, const char *fmt, ...)
    BN_PRINTF(3, 4);

#endif
