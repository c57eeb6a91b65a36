/* pickle.h -- reads the few kinds of Python object that files of Planetoid and torch.save contain.
 *
 * Nothing is executed: a file that asks for anything else is refused.  Memory is proportional to
 * the file, and array elements stay in the mapped file.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PICKLE_H
#define BN_PICKLE_H

#include "base/base.h"

typedef struct bn_pickle bn_pickle;

typedef struct {                /* a numpy array of one or two dimensions, little-endian */
    const uint8_t *data;
    int64_t dim[2];             /* dim[1] is 1 if there is one dimension */
    int     dims;
    int     item;               /* bytes per element */
    char    kind;               /* 'b' bool, 'i' signed, 'u' unsigned, 'f' float */
    bool    fortran;            /* the first index varies fastest */
} bn_pickle_array;

typedef struct {                /* a scipy csr_matrix; row r is [offsets[r], offsets[r+1]) */
    int64_t rows, columns;
    bn_pickle_array offsets, indices, values;
} bn_pickle_matrix;

typedef struct {                /* a dict of lists; list i is item[begin[i] .. begin[i+1]-1] */
    int64_t  count;
    int32_t *key;               /* in file order; a key may occur twice */
    int64_t *begin;             /* count + 1 */
    int32_t *item;
} bn_pickle_lists;

/* Reads the whole file; the result keeps it mapped. */
bonsai_status bn_pickle_read(bn_pickle **out, const char *path);
/* Reads bytes that stay where they are as long as the result; where is for error messages. *used,
 * unless NULL, gets the length of the pickle; else nothing may follow it. */
bonsai_status bn_pickle_parse(bn_pickle **out, const char *where, const uint8_t *data, int64_t len,
                              int64_t *used);
void          bn_pickle_free(bn_pickle *p);

/* Get the content as the one kind that the caller needs, or fail.  Arrays belong to p; lists
 * belong to the caller, who frees them with bn_pickle_lists_free. */
bonsai_status bn_pickle_as_array(bn_pickle_array *out, const bn_pickle *p);
/* Offsets ascend from 0 to the number of indices; indices are below the number of columns. */
bonsai_status bn_pickle_as_matrix(bn_pickle_matrix *out, const bn_pickle *p);
bonsai_status bn_pickle_as_lists(bn_pickle_lists *out, bn_pickle *p);
void          bn_pickle_lists_free(bn_pickle_lists *l);

/* ---- what torch.save writes (pickle_torch.c) ---- */

enum { BN_PICKLE_NAME = 40 };   /* bytes of the name of a storage, at most; torch writes numbers */

typedef struct {                /* where the elements of a tensor of one dimension are stored */
    const uint8_t *key;         /* the name of its storage, not ended by a zero */
    int64_t key_len;
    int64_t offset, count;      /* elements: the first, and how many */
    int64_t stored;             /* elements of the storage */
    int     item;               /* bytes of an element, a signed integer */
} bn_pickle_tensor;

typedef enum {
    BN_PICKLE_ABSENT, BN_PICKLE_NUMBER, BN_PICKLE_ARRAY, BN_PICKLE_TENSOR, BN_PICKLE_OTHER
} bn_pickle_kind;

typedef struct {                /* what a dict has under a name */
    bn_pickle_kind   kind;
    int64_t          number;    /* also True and False */
    bn_pickle_array  array;
    bn_pickle_tensor tensor;
} bn_pickle_item;

/* Fails if the content is not a dict. */
bonsai_status bn_pickle_get(bn_pickle_item *out, const bn_pickle *p, const char *name);
/* The storages that tensors are in: entry i of a list of their names, and how many bytes an element
 * has and how many there are, as all tensors say; false: there is none. */
bool bn_pickle_listed(const uint8_t **key, int64_t *len, const bn_pickle *p, int64_t i);
bool bn_pickle_storage(int64_t *item, int64_t *count, const bn_pickle *p, const uint8_t *key,
                       int64_t len);

/* Return element i of an array in file order, or (r, c) of a matrix; bn_pickle_int is not for
 * floats. */
int64_t bn_pickle_int(const bn_pickle_array *a, int64_t i);
double  bn_pickle_real(const bn_pickle_array *a, int64_t i);
double  bn_pickle_real_at(const bn_pickle_array *a, int64_t r, int64_t c);

#endif
