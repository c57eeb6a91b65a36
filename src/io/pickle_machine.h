/* pickle_machine.h -- internals of the pickle reader: opcodes (pickle.c), objects
 * (pickle_objects.c), what torch.save adds (pickle_torch.c).
 *
 * A value has 16 bytes: a number, a position in the file, or an index into a pool.  Tuples, lists
 * and dicts are chains of cells, so appending takes constant time.  A list that contains itself is
 * harmless, because nothing recurses.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PICKLE_MACHINE_H
#define BN_PICKLE_MACHINE_H

#include "pickle.h"

typedef enum {
    NOTHING, MARK, NONE, BOOL, INT, STRING, GLOBAL, TUPLE, LIST, DICT, DTYPE, ARRAY, MATRIX,
    ENCODED, STORAGE, TENSOR, REAL
} kind;

typedef enum {
    CSR_MATRIX, RECONSTRUCT, NDARRAY, NUMPY_DTYPE, DEFAULTDICT, PYTHON_LIST, ENCODE, ORDERED_DICT,
    REBUILD_TENSOR, LONG_STORAGE, INT_STORAGE, PYTHON_BYTES, SCALAR, GLOBALS
} global;

typedef struct {
    uint32_t kind;
    uint32_t len;               /* of a string */
    int64_t  at;                /* number, position of a string in the file or among the encoded
                                 * ones, or index into a pool */
} value;

typedef struct {
    value   v;
    int64_t next;               /* -1: last */
} cell;

typedef struct {                /* a tuple, list or dict (key, value, key, value ...) */
    int64_t first, last, count;
    bool    used;               /* has been returned to the caller */
} chain;

typedef struct {                /* array pool: a dtype uses only item and kind */
    bn_pickle_array a;
    bool ready;                 /* has received its state */
} array;

typedef struct {
    int64_t rows, columns;
    int64_t part[3];            /* offsets, indices, values: indices into the array pool */
    bool    ready;
} matrix;

typedef struct {
    value   key;
    int     item;               /* bytes of an element, a signed integer */
    int64_t count;
} storage;

typedef struct { int64_t storage, offset, count; } tensor;

struct bn_pickle {
    char    *where;
    bn_file  file;
    bool     borrowed;          /* the bytes are the caller's */
    bool     goes_on;           /* bytes may follow */
    int64_t  pos, at;           /* next byte; the current opcode */
    bool     stopped;
    value   *stack, *memo;
    cell    *cells;
    chain   *chains;
    array   *arrays;
    matrix  *matrices;
    uint8_t *encoded;           /* as long as the file: strings that were text and are bytes now */
    storage *storages;
    tensor  *tensors;
    int64_t  encoded_len, storage_count, storage_room, tensor_count, tensor_room;
    int64_t  depth, stack_room, memos, memo_room, cell_count, cell_room, chain_count, chain_room,
             array_count, array_room, matrix_count, matrix_room;
};

/* Fails with E_FORMAT, the file and the position of the current opcode. */
bonsai_status bn_pickle_refuse(const bn_pickle *p, const char *what);
/* Fails unless at least `count` values are above the last mark. */
bonsai_status bn_pickle_need(const bn_pickle *p, int64_t count);
/* Pushes a new, empty tuple, list or dict. */
bonsai_status bn_pickle_push_chain(bn_pickle *p, kind k);

/* Gets the values of a chain of exactly `count`, which the caller keeps small. */
bool bn_pickle_unpack(value *out, const bn_pickle *p, const value *v, kind k, int64_t count);
/* Returns the bytes of a string of either kind; NULL for another value. */
const uint8_t *bn_pickle_text(const bn_pickle *p, const value *v);
bool bn_pickle_is(const bn_pickle *p, const value *v, const char *text);
/* Replaces the top two values with one. */
void bn_pickle_replace_two(bn_pickle *p, kind k, int64_t at, uint32_t len);
/* Calls of names that only torch.save needs (pickle_torch.c). */
bonsai_status bn_pickle_call_encode(bn_pickle *p, const value *args);
bonsai_status bn_pickle_call_bytes(bn_pickle *p, const value *args);
bonsai_status bn_pickle_call_tensor(bn_pickle *p, const value *args);
bonsai_status bn_pickle_call_scalar(bn_pickle *p, const value *args);
bonsai_status bn_pickle_persistent(bn_pickle *p, int values);       /* an opcode */

/* Opcodes that make objects of the values on the stack (pickle_objects.c). */
bonsai_status bn_pickle_reduce(bn_pickle *p, int values);
bonsai_status bn_pickle_newobj(bn_pickle *p, int values);
bonsai_status bn_pickle_build(bn_pickle *p, int values);

#endif
