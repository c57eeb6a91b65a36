/* pickle_machine.h -- internals of the pickle reader: opcodes (pickle.c), objects
 * (pickle_objects.c).
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
    NOTHING, MARK, NONE, BOOL, INT, STRING, GLOBAL, TUPLE, LIST, DICT, DTYPE, ARRAY, MATRIX
} kind;

typedef enum { CSR_MATRIX, RECONSTRUCT, NDARRAY, NUMPY_DTYPE, DEFAULTDICT, PYTHON_LIST } global;

typedef struct {
    uint32_t kind;
    uint32_t len;               /* of a string */
    int64_t  at;                /* number, position of a string in the file, or index into a pool */
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

struct bn_pickle {
    char    *where;
    bn_file  file;
    int64_t  pos, at;           /* next byte; the current opcode */
    bool     stopped;
    value   *stack, *memo;
    cell    *cells;
    chain   *chains;
    array   *arrays;
    matrix  *matrices;
    int64_t  depth, stack_room, memos, memo_room, cell_count, cell_room, chain_count, chain_room,
             array_count, array_room, matrix_count, matrix_room;
};

/* Fails with E_FORMAT, the file and the position of the current opcode. */
bonsai_status bn_pickle_refuse(const bn_pickle *p, const char *what);
/* Fails unless at least `count` values are above the last mark. */
bonsai_status bn_pickle_need(const bn_pickle *p, int64_t count);
/* Pushes a new, empty tuple, list or dict. */
bonsai_status bn_pickle_push_chain(bn_pickle *p, kind k);

/* Opcodes that make objects from the stack (pickle_objects.c). */
bonsai_status bn_pickle_reduce(bn_pickle *p);
bonsai_status bn_pickle_newobj(bn_pickle *p);
bonsai_status bn_pickle_build(bn_pickle *p);

#endif
