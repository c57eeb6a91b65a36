/* npy.h -- NumPy arrays: alone in a .npy file, or members of an .npz archive.
 *
 * An array is opened (its header is parsed and its size checked against the file),
 * then its elements are pulled in file order, a run at a time, straight into the
 * type that the caller wants; bn_npy_end then checks that nothing is left and that
 * the checksum held.  The array is never held as it lies in the file.
 *
 *     BN_TRY(bn_zip_array(&a, &z, "y"));
 *     BN_TRY(bn_npy_i32(label, &a, n, -1, INT32_MAX - 1));
 *     BN_TRY(bn_npy_end(&a));
 * done:
 *     bn_npy_close(&a);
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_NPY_H
#define BN_NPY_H

#include "graph/graph.h"

/* ---- archives that are read (zip.c) ---- */

struct zip;                     /* libzip's */
struct zip_file;

typedef struct {
    const char  *path;          /* the caller's; must outlive this */
    bn_file      file;
    struct zip  *archive;
    bn_progress  progress;
    int64_t      done, total;   /* bytes of members, when inflated */
} bn_zip;

/* All zero is closed: closing it is fine. */
bonsai_status bn_zip_open(bn_zip *z, const char *path, bn_progress p);
void          bn_zip_close(bn_zip *z);
bool          bn_zip_has(const bn_zip *z, const char *name);       /* the member "name.npy" */
/* The names of the first members, for a sentence. */
void          bn_zip_names(char *out, size_t room, const bn_zip *z);
/* Tells that everything has been read, whatever was skipped. */
bonsai_status bn_zip_done(bn_zip *z);

/* ---- arrays (npy.c, npyhead.c) ---- */

enum { BN_NPY_DIMS = 4 };

typedef struct {
    char    where[768];         /* "file.npz:name" or "file.npy", for sentences */
    char    descr[32];          /* the element type as the file gives it */
    char    kind;               /* b i u f, or U S: text */
    int     width;              /* bytes an element */
    bool    big;                /* big-endian */
    bool    fortran;            /* the first index runs fastest */
    int     dims;
    int64_t shape[BN_NPY_DIMS];
    int64_t count;              /* elements */
    int64_t done;               /* elements pulled so far */

    bn_file file;               /* a plain file, mapped ... */
    int64_t at;
    bn_zip *zip;                /* ... or a member of this archive */
    struct zip_file *member;
} bn_npy;

bonsai_status bn_npy_open(bn_npy *a, const char *path);
bonsai_status bn_zip_array(bn_npy *a, bn_zip *z, const char *name);
/* That everything was pulled, that nothing follows and that the checksum held. */
bonsai_status bn_npy_end(bn_npy *a);
void          bn_npy_close(bn_npy *a);                  /* all zero is fine */

/* That the array has this shape; -1: any length.  A matrix of one column is a vector. */
bonsai_status bn_npy_vector(const bn_npy *a, int64_t rows);
bonsai_status bn_npy_matrix(const bn_npy *a, int64_t rows, int64_t cols);

/* The next count elements, which must be integers in low..high. */
bonsai_status bn_npy_i64(int64_t *out, bn_npy *a, int64_t count, int64_t low, int64_t high);
bonsai_status bn_npy_i32(int32_t *out, bn_npy *a, int64_t count, int32_t low, int32_t high);
bonsai_status bn_npy_u8(uint8_t *out, bn_npy *a, int64_t count, uint8_t high);
/* The next count elements, which must be finite numbers; *rounded is set to 1 where
 * one of them is not exactly a float. */
bonsai_status bn_npy_f32(float *out, bn_npy *a, int64_t count, int64_t *rounded);
/* A whole matrix, row by row whatever its order in the file. */
bonsai_status bn_npy_f32_rows(float *out, bn_npy *a, int64_t *rounded);
/* The next elements of any type as they lie in the file. */
bonsai_status bn_npy_raw(void *out, bn_npy *a, int64_t count);

/* Between npy.c, npyhead.c and zip.c alone: the next len bytes; of a member, and
 * whether it ends where it should; the header, checked against the bytes there are. */
bonsai_status bn_npy_pull(bn_npy *a, void *to, int64_t len);
bonsai_status bn_zip_pull(bn_npy *a, void *to, int64_t len);
bonsai_status bn_zip_end(bn_npy *a);
bonsai_status bn_npy_header(bn_npy *a, int64_t bytes);

/* ---- what archives of graphs share (sparse.c) ---- */

/* A whole vector of rows elements, or of any number with rows = -1, in room that the
 * caller frees; *count_out, unless NULL, gets the number. */
bonsai_status bn_npz_i64(int64_t **out, int64_t *count_out, bn_zip *z, const char *name,
                         int64_t rows, int64_t low, int64_t high);
/* Edges from the members PREFIXindptr, PREFIXindices and PREFIXdata of a graph with
 * n nodes; data of ones alone are no weights. */
bonsai_status bn_npz_adjacency(bn_draft *d, bn_zip *z, const char *prefix, int64_t n);
/* Sparse features from the same members; n rows, f columns. */
bonsai_status bn_npz_features(bn_draft *d, bn_zip *z, const char *prefix, int64_t n, int64_t f);
/* The two numbers of PREFIXshape, each in 0 .. 2^31-1. */
bonsai_status bn_npz_shape(int64_t out[2], bn_zip *z, const char *prefix);
/* Dense features: *n rows, or any number with *n = -1, which is then set. */
bonsai_status bn_npy_features(bn_draft *d, bn_npy *a, int64_t *n);

/* ---- archives of graphs that are written (npzwrite.c) ---- */

/* What an array that only our files have is called; NULL: the section has none. */
const char   *bn_npz_name(bonsai_section s);
bonsai_status bn_npz_write(const bonsai_graph *g, const char *path, const bonsai_write_options *o,
                           uint64_t *left_out);

/* ---- archives that are written (zipwrite.c) ---- */

typedef struct bn_zip_out bn_zip_out;

/* An archive that appears at path when committed; total: bytes of all arrays, for
 * the progress.  The same arrays give the same bytes. */
bonsai_status bn_zip_out_open(bn_zip_out **out, const char *path, bn_progress p, int64_t total);
/* Starts the member "name.npy" of elements descr ("<i8", ...) and this shape, whose
 * elements follow in calls of bn_zip_out_write, all of them. */
bonsai_status bn_zip_out_begin(bn_zip_out *z, const char *name, const char *descr, int dims,
                               const int64_t *shape);
bonsai_status bn_zip_out_write(bn_zip_out *z, const void *data, int64_t len);
bonsai_status bn_zip_out_end(bn_zip_out *z);
bonsai_status bn_zip_out_commit(bn_zip_out *z);
void          bn_zip_out_close(bn_zip_out *z);
/* Tests: sizes and offsets from here on take the 64-bit form. */
void          bn_zip_out_limit(bn_zip_out *z, int64_t limit);

#endif
