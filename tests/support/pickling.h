/* pickling.h -- builds pickles byte by byte, for the tests of their readers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PICKLING_H
#define BN_PICKLING_H

#include "testing.h"

typedef struct {
    uint8_t data[1 << 14];
    size_t  len;
} bytes;

static inline void add(bytes *b, const void *data, size_t len)
{
    assert_true(len <= sizeof b->data - b->len);
    if (len)
        memcpy(b->data + b->len, data, len);
    b->len += len;
}

static inline void add_text(bytes *b, const char *s)
{
    add(b, s, strlen(s));
}

static inline void add_int(bytes *b, int32_t v)
{
    if (v >= 0 && v < 256) {
        add(b, (uint8_t[]){'K', (uint8_t)v}, 2);
    } else if (v >= 0 && v < 65536) {
        add(b, (uint8_t[]){'M', (uint8_t)v, (uint8_t)(v >> 8)}, 3);
    } else {
        add_text(b, "J");
        add(b, &v, 4);
    }
}

static inline void add_string(bytes *b, const void *data, size_t len)
{
    uint32_t len32 = (uint32_t)len;
    if (len < 256) {
        add(b, (uint8_t[]){'U', (uint8_t)len}, 2);
    } else {
        add_text(b, "T");
        add(b, &len32, 4);
    }
    add(b, data, len);
}

static inline void add_name(bytes *b, const char *s)
{
    add_string(b, s, strlen(s));
}

static inline void add_dtype(bytes *b, const char *type, const char *order)
{
    add_text(b, "cnumpy\ndtype\n");
    add_name(b, type);
    add(b, "K\0K\1\x87R(K\3", 9);
    add_name(b, order);
    add(b, "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb", 17);
}

/* An array; it has one dimension if columns is -1. */
static inline void add_array(bytes *b, const char *type, int rows, int columns, bool fortran,
                             const void *data, size_t len)
{
    add_text(b, "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n");
    add(b, "K\0\x85U\1b\x87R(K\1", 11);
    add_int(b, rows);
    if (columns >= 0)
        add_int(b, columns);
    add_text(b, columns >= 0 ? "\x86" : "\x85");
    add_dtype(b, type, "<");
    add_text(b, fortran ? "\x88" : "\x89");
    add_string(b, data, len);
    add_text(b, "tb");
}

static inline void add_csr(bytes *b, int rows, int columns, const float *dense)
{
    int32_t offsets[100] = {0}, indices[100], nnz = 0;
    float values[100];
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++)
            if (dense[r * columns + c] != 0) {
                indices[nnz] = c;
                values[nnz++] = dense[r * columns + c];
            }
        offsets[r + 1] = nnz;
    }
    add_text(b, "cscipy.sparse.csr\ncsr_matrix\n)\x81}(");
    add_name(b, "format");
    add_name(b, "csr");
    add_name(b, "_shape");
    add_int(b, rows);
    add_int(b, columns);
    add_text(b, "\x86");
    add_name(b, "indptr");
    add_array(b, "i4", rows + 1, -1, false, offsets, 4 * (size_t)(rows + 1));
    add_name(b, "indices");
    add_array(b, "i4", nnz, -1, false, indices, 4 * (size_t)nnz);
    add_name(b, "data");
    add_array(b, "f4", nnz, -1, false, values, 4 * (size_t)nnz);
    add_text(b, "ub");
}

static inline void begin_pickle(bytes *b)
{
    b->len = 0;
    add_text(b, "\x80\2");
}

/* Ends the pickle and writes it to a temporary file. */
static inline const char *end_pickle(bytes *b, const char *name)
{
    const char *path = temp_path(name);
    add_text(b, ".");
    write_file(path, b->data, b->len);
    return path;
}

#endif
