/* pickle.h -- the few kinds of Python object that a Planetoid file holds.
 *
 * Nothing is executed: a file that asks for anything else is refused.  All memory
 * is proportional to the file, and array elements stay where they lie in it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PICKLE_H
#define BN_PICKLE_H

#include "base/base.h"

typedef struct bn_pickle bn_pickle;

typedef struct {                /* a numpy array of one or two dimensions, little-endian */
    const uint8_t *data;
    int64_t dim[2];             /* dim[1] is 1 where there is one dimension */
    int     dims;
    int     item;               /* bytes of an element */
    char    kind;               /* 'b' bool, 'i' signed, 'u' unsigned, 'f' float */
    bool    fortran;            /* the first index moves fastest */
} bn_pickle_array;

typedef struct {                /* a scipy csr_matrix; row r is [offsets[r], offsets[r+1]) */
    int64_t rows, columns;
    bn_pickle_array offsets, indices, values;
} bn_pickle_matrix;

typedef struct {                /* a dict of lists; list i is item[begin[i] .. begin[i+1]-1] */
    int64_t  count;
    int32_t *key;               /* in the order of the file; a key may come twice */
    int64_t *begin;             /* count + 1 */
    int32_t *item;
} bn_pickle_lists;

/* Reads the whole file; the result keeps it mapped. */
bonsai_status bn_pickle_read(bn_pickle **out, const char *path);
void          bn_pickle_free(bn_pickle *p);

/* What the file holds, as the one kind that the caller needs; else refused.
 * Arrays belong to p; lists are the caller's, freed by bn_pickle_lists_free. */
bonsai_status bn_pickle_as_array(bn_pickle_array *out, const bn_pickle *p);
/* Offsets ascend from 0 to the number of indices, indices lie in the columns. */
bonsai_status bn_pickle_as_matrix(bn_pickle_matrix *out, const bn_pickle *p);
bonsai_status bn_pickle_as_lists(bn_pickle_lists *out, bn_pickle *p);
void          bn_pickle_lists_free(bn_pickle_lists *l);

/* Element i of an array as it lies, or (r, c) of two dimensions; bn_pickle_int is not
 * for floats. */
int64_t bn_pickle_int(const bn_pickle_array *a, int64_t i);
double  bn_pickle_real(const bn_pickle_array *a, int64_t i);
double  bn_pickle_real_at(const bn_pickle_array *a, int64_t r, int64_t c);

#endif
