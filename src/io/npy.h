/* npy.h -- reads and writes NumPy arrays: .npy files and members of .npz archives.
 *
 * Opening an array parses its header and checks its size against the file.  Elements are then read
 * in file order, a run at a time, and converted to the type that the caller wants.  bn_npy_end
 * checks that nothing is left and that the checksum is right.  The array is never held in its file
 * form.
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

/* ---- reading archives (zip.c) ---- */

struct zip;                     /* libzip's */
struct zip_file;

typedef struct {
    const char  *path;          /* borrowed; must outlive this struct */
    bn_file      file;
    struct zip  *archive;
    bn_progress  progress;
    int64_t      done, total;   /* bytes of the inflated members */
} bn_zip;

/* An all-zero bn_zip is closed; closing it again is allowed. */
bonsai_status bn_zip_open(bn_zip *z, const char *path, bn_progress p);
void          bn_zip_close(bn_zip *z);
bool          bn_zip_has(const bn_zip *z, const char *name);       /* the member "name.npy" */
/* Writes the name of member i = 0, 1, ... without ".npy", cut to the room; false if there is
 * none. */
bool          bn_zip_name(char *out, size_t room, const bn_zip *z, int64_t i);
/* Lists the names of the first members, for an error message. */
void          bn_zip_names(char *out, size_t room, const bn_zip *z);
/* Reads the whole member that ends with "/name", for instance data.pkl; the caller frees *out. */
bonsai_status bn_zip_member(uint8_t **out, int64_t *len, bn_zip *z, const char *name);
/* Reports that reading is complete, even if members were skipped. */
bonsai_status bn_zip_done(bn_zip *z);

/* ---- arrays (npy.c, npyhead.c) ---- */

enum { BN_NPY_DIMS = 4 };

typedef struct {
    char    where[768];         /* "file.npz:name" or "file.npy", for error messages */
    char    descr[32];          /* the element type as written in the file */
    char    kind;               /* b i u f, or U S: text */
    int     width;              /* bytes per element */
    bool    big;                /* big-endian */
    bool    fortran;            /* the first index varies fastest */
    int     dims;
    int64_t shape[BN_NPY_DIMS];
    int64_t count;              /* elements */
    int64_t done;               /* elements read so far */

    bn_file file;               /* a plain file, mapped ... */
    int64_t at;
    bn_zip *zip;                /* ... or a member of this archive */
    struct zip_file *member;
} bn_npy;

bonsai_status bn_npy_open(bn_npy *a, const char *path);
bonsai_status bn_zip_array(bn_npy *a, bn_zip *z, const char *name);
/* Checks that all elements were read, that nothing follows and that the checksum is right. */
bonsai_status bn_npy_end(bn_npy *a);
void          bn_npy_close(bn_npy *a);                  /* all zero is allowed */

/* Fail if the shape is another; -1: any length.  A matrix of one column counts as a vector. */
bonsai_status bn_npy_vector(const bn_npy *a, int64_t rows);
bonsai_status bn_npy_matrix(const bn_npy *a, int64_t rows, int64_t cols);
bonsai_status bn_npy_shape(const bn_npy *a, int dims, const int64_t *shape);

/* Read the next count elements, which must be integers in low..high. */
bonsai_status bn_npy_i64(int64_t *out, bn_npy *a, int64_t count, int64_t low, int64_t high);
bonsai_status bn_npy_i32(int32_t *out, bn_npy *a, int64_t count, int32_t low, int32_t high);
bonsai_status bn_npy_u8(uint8_t *out, bn_npy *a, int64_t count, uint8_t high);
/* Reads the next count elements, which must be finite numbers; sets *rounded to 1 if one of them is
 * not exactly a float. */
bonsai_status bn_npy_f32(float *out, bn_npy *a, int64_t count, int64_t *rounded);
bonsai_status bn_npy_f64(double *out, bn_npy *a, int64_t count);
/* Reads a whole matrix into row order, whatever its order in the file. */
bonsai_status bn_npy_f32_rows(float *out, bn_npy *a, int64_t *rounded);
/* Reads the next elements as raw bytes of any type, or passes over them. */
bonsai_status bn_npy_raw(void *out, bn_npy *a, int64_t count);
double        bn_npy_real(const bn_npy *a, const uint8_t *raw);    /* of a raw number */
bonsai_status bn_npy_skip(bn_npy *a, int64_t count);
/* Reads the next count halves, which must be finite; and whether an array has such elements. */
bonsai_status bn_npy_f16(uint16_t *out, bn_npy *a, int64_t count);
bool          bn_npy_is_f16(const bn_npy *a);

/* Only for npy.c, npyhead.c and zip.c: read the next len bytes, of any array and of a member; check
 * that a member ends where it should; read the header and check it against the bytes there are. */
bonsai_status bn_npy_pull(bn_npy *a, void *to, int64_t len);
bonsai_status bn_zip_pull(bn_npy *a, void *to, int64_t len);
bonsai_status bn_zip_end(bn_npy *a);
bonsai_status bn_npy_header(bn_npy *a, int64_t bytes);

/* ---- shared by archives of graphs (sparse.c) ---- */

/* Reads a whole vector of `rows` elements (-1: any number).  The caller frees *out.  *count_out,
 * unless NULL, gets the number of elements. */
bonsai_status bn_npz_i64(int64_t **out, int64_t *count_out, bn_zip *z, const char *name,
                         int64_t rows, int64_t low, int64_t high);
/* Reads `count` integers into memory that is there. */
bonsai_status bn_npz_integers(int64_t *out, bn_zip *z, const char *name, int64_t count, int64_t low,
                              int64_t high);
/* Reads the one integer of an array, which must be in low..high. */
bonsai_status bn_npz_number(int64_t *out, bn_zip *z, const char *name, int64_t low, int64_t high);
/* Reads the edges of a graph with n nodes from the members PREFIXindptr, PREFIXindices and
 * PREFIXdata.  If all data are 1, the graph is unweighted. */
bonsai_status bn_npz_adjacency(bn_draft *d, bn_zip *z, const char *prefix, int64_t n);
/* Reads sparse features, n rows and f columns, from the same members. */
bonsai_status bn_npz_features(bn_draft *d, bn_zip *z, const char *prefix, int64_t n, int64_t f);
/* Reads the two numbers of PREFIXshape, each in 0 .. 2^31-1. */
bonsai_status bn_npz_shape(int64_t out[2], bn_zip *z, const char *prefix);
/* Reads dense features: *n rows, or any number if *n is -1; then sets *n. */
bonsai_status bn_npy_features(bn_draft *d, bn_npy *a, int64_t *n);

/* ---- splits in archives (splitfile.c) ---- */

/* Returns the name of the array with the ids of a part's nodes, or with a mark for each node. */
const char   *bn_part_array(bonsai_part part, bool mask);
/* Puts the nodes of a part into the split of n nodes; refuses one that is in another part. */
bonsai_status bn_npz_part(uint8_t *split, int64_t n, bn_zip *z, bonsai_part part, bool mask);

/* ---- writing archives of graphs (npzwrite.c) ---- */

/* Returns the name of a section's array that only our files have; NULL if it has none. */
const char   *bn_npz_name(bonsai_section s);
bonsai_status bn_npz_write(const bonsai_graph *g, const char *path, const bonsai_write_options *o,
                           uint64_t *left_out);

/* ---- writing archives (zipwrite.c) ---- */

typedef struct bn_zip_out bn_zip_out;

/* Starts an archive that appears at path when it is committed.  total: bytes of all arrays, for
 * progress.  The same arrays give the same bytes. */
bonsai_status bn_zip_out_open(bn_zip_out **out, const char *path, bn_progress p, int64_t total);
/* Starts the member "name.npy" with elements of type descr ("<i8", ...) and this shape.
 * bn_zip_out_write then writes all of its elements. */
bonsai_status bn_zip_out_begin(bn_zip_out *z, const char *name, const char *descr, int dims,
                               const int64_t *shape);
bonsai_status bn_zip_out_write(bn_zip_out *z, const void *data, int64_t len);
bonsai_status bn_zip_out_end(bn_zip_out *z);
bonsai_status bn_zip_out_commit(bn_zip_out *z);
void          bn_zip_out_close(bn_zip_out *z);
/* For tests: sizes and offsets of at least `limit` use the 64-bit form. */
void          bn_zip_out_limit(bn_zip_out *z, int64_t limit);

#endif
