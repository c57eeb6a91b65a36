/* tensor.h -- dense and sparse matrices, and the inner loops.
 *
 * Dense matrices are row-major float arrays.  The inner loops exist once per instruction set and
 * give the same bits on each: 32 partial sums, lane = index mod 32, added by a fixed tree, no fused
 * multiply-add.  A sparse row therefore gives the same sum as the same row stored dense.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TENSOR_H
#define BN_TENSOR_H

#include "base/base.h"

/* ---- inner loops (kernels.c, dispatch.c) ---- */

/* BN_PACK_ROOM: entries that pack may write after the end of its room. */
enum { BN_NARROW = 16, BN_WIDE = 64, BN_PACK_ROOM = 16 };

typedef struct {                /* constants of one step, the same for every parameter */
    float decay;                /* of the weight, added to the gradient */
    float keep_m, keep_v;       /* beta 1 and 2 */
    float rate;                 /* over 1 - beta1^t */
    float grow;                 /* 1 / sqrt(1 - beta2^t) */
    float epsilon;
} bn_adam_step;

typedef struct {                /* of a product, with the strides of their rows */
    const float *a, *x;
    int64_t a_stride, x_stride, y_stride;
} bn_operands;

typedef struct {
    const char *name;
    float (*dot)(const float *a, const float *b, int64_t n);
    float (*dist2)(const float *a, const float *b, int64_t n);             /* squared L2 */
    float (*sparse_dot)(const int32_t *index, const float *value, int64_t nnz, const float *b);
                                                                           /* value NULL: all 1 */
    void  (*axpy)(float *y, float alpha, const float *x, int64_t n);       /* y += alpha x */
    void  (*scale)(float *y, float alpha, int64_t n);                      /* y *= alpha */
    /* y (width) = sum over i, in order, of w[i] (NULL: 1) times row id[i] of x; width is
     * 4, 8, BN_NARROW or BN_WIDE */
    void  (*gather)(float *y, const float *x, int width, const int32_t *id, const float *w,
                    int64_t count);
    /* the i, in order, with a[i] - 2 b[i] <= x; returns how many */
    int64_t (*below)(int32_t *out, const float *a, const float *b, float x, int64_t n);
    /* y (width) += sum over i, in order, of w[i] (NULL: 1) times the first columns of row id[i] of
     * x, whose rows are stride apart; any width */
    void  (*combine)(float *y, const float *x, int64_t width, int64_t stride, const int32_t *id,
                     const float *w, int64_t count);
    /* y (rows,width) += a (rows,count) times x (count,width): each entry in order, so that it has
     * the bits of combine; width is a multiple of BN_NARROW */
    void  (*times)(float *y, const bn_operands *o, int64_t rows, int64_t width, int64_t count);
    /* out[i] = a (width) times the first columns of row id[i] of x */
    void  (*dots)(float *out, const float *a, const float *x, int64_t width, int64_t stride,
                  const int32_t *id, int64_t count);
    /* one step of Adam over n parameters; g becomes 0 */
    void  (*adam)(float *w, float *g, float *m, float *v, const bn_adam_step *s, int64_t n);
    /* out (BN_TILE,BN_TILE) = sum over i < depth, in order, of the outer products of column i of
     * two panels */
    void  (*outer)(double *out, const double *a, const double *b, int64_t depth);
    /* y = (0 + a x) b, in two roundings; y may be x */
    void  (*mix)(float *y, const float *x, float a, float b, int64_t n);
    /* stores the x whose bits are not all zero, in order, with first plus their place; returns how
     * many it stored, at most room, and writes at most BN_PACK_ROOM entries behind these */
    int64_t (*pack)(int32_t *index, float *value, const float *x, int32_t first, int64_t n,
                    int64_t room);
} bn_kernels;

const bn_kernels *bn_kernels_get(void);         /* the best table for this CPU */
const bn_kernels *bn_kernels_all(int i);        /* 0: baseline, 1, ...; NULL: no more here */

/* ---- matrix products (blas.c, gemm.c) ---- */

/* Call these around parallel loops that call BLAS on at most `threads` threads, on the thread that
 * starts the loops.  BLAS then uses one thread itself, and finds its buffers; if memory is short,
 * bn_team gives fewer threads until the end.  They may be nested. */
bonsai_status bn_blas_begin(int threads);
void bn_blas_end(void);
/* Computes c (m,n) = a (m,k) times the transpose of b (n,k). */
void bn_gemm_nt(float *c, const float *a, const float *b, int m, int n, int k);

typedef struct {                /* a product in double */
    const double *a, *b;
    bool    a_turned, b_turned; /* stored as (k,m), as (n,k) */
    bool    add;
    int64_t m, n, k;
} bn_product;

/* Computes c (m,n) = a (m,k) times b (k,n), or c +=: in blocks of fixed size, with the same bits
 * for any number of threads. */
void bn_multiply(double *c, const bn_product *p, int threads);

/* ---- products and systems in double, the same bits on every processor (solve.c) ---- */

/* A panel is BN_TILE rows of a matrix, stored column by column; a matrix in panels is its panels
 * one after the other.  BN_DEPTH columns of two panels fit into the nearest cache. */
enum { BN_TILE = 16, BN_DEPTH = 128 };

static inline int64_t bn_whole_tiles(int64_t n) { return (n + BN_TILE - 1) / BN_TILE * BN_TILE; }

/* Returns the position of entry (row, col) of a matrix in panels. */
static inline int64_t bn_in_panels(int64_t row, int64_t col, int64_t cols)
{
    return (row / BN_TILE * cols + col) * BN_TILE + row % BN_TILE;
}

typedef struct {
    const double *a;            /* (m,m), symmetric: the lower half is read */
    int64_t m, k, stride;       /* right-hand sides: (m,k), in rows of `stride` */
} bn_system;

int64_t bn_solve_room(const bn_system *s);      /* doubles */
/* Sets b = (a + plus)^-1 b, for a + plus positive definite. */
void    bn_solve(double *b, const bn_system *s, double plus, double *room);
/* Solve in two steps, of which the second may be repeated: room keeps the factor. */
void    bn_factor(const bn_system *s, double plus, double *room, int threads);
void    bn_solve_factored(double *b, const bn_system *s, double *room, int threads);

double  bn_exp(double x);                       /* e^x (exp.c) */

/* ---- half precision (half.c) ---- */

float    bn_half_to_float(uint16_t h);
uint16_t bn_half_from_float(float v);           /* nearest, ties to even */

/* ---- sparse matrices (csr.c) ---- */

typedef struct {                /* borrowed, as stored in a graph or a file */
    int64_t rows, cols;
    bonsai_array offsets;       /* rows+1, U32 or U64 */
    bonsai_array indices;       /* U16 or U32 */
    bonsai_array values;        /* F32, U8 or I8; data NULL: all 1 */
    const float *scale;         /* a factor per row, or NULL */
} bn_csr;

/* Returns element i of an array of unsigned integers. */
static inline int64_t bn_int_at(const bonsai_array *a, int64_t i)
{
    switch (a->type) {
    case BONSAI_TYPE_U8:  return ((const uint8_t *)a->data)[i];
    case BONSAI_TYPE_U16: return ((const uint16_t *)a->data)[i];
    case BONSAI_TYPE_U32: return ((const uint32_t *)a->data)[i];
    default:         return (int64_t)((const uint64_t *)a->data)[i];
    }
}

/* Returns element i of an array of any type as a float. */
static inline float bn_real_at(const bonsai_array *a, int64_t i)
{
    switch (a->type) {
    case BONSAI_TYPE_F32: return ((const float *)a->data)[i];
    case BONSAI_TYPE_F16: return bn_half_to_float(((const uint16_t *)a->data)[i]);
    case BONSAI_TYPE_I8:  return (float)((const int8_t *)a->data)[i];
    default:         return (float)bn_int_at(a, i);
    }
}

/* Returns the value of entry e, which is in the given row. */
static inline float bn_csr_value(const bn_csr *a, int64_t row, int64_t e)
{
    float v = a->values.data ? bn_real_at(&a->values, e) : 1.0f;
    return a->scale ? a->scale[row] * v : v;
}

typedef struct {                /* a matrix in memory, sparse or dense */
    int64_t  rows, cols;
    int64_t *offsets;           /* rows+1 */
    int32_t *index;
    float   *value;             /* NULL: all 1 */
    float   *dense;             /* (rows,cols), and no entries; NULL: sparse */
} bn_matrix;

/* Computes y (rows,k) = a (rows,cols) x (cols,k), in parallel over rows, each in order; k is a
 * multiple of BN_NARROW if a is dense. */
void bn_matrix_times(float *y, const bn_matrix *a, const float *x, int64_t k, int threads);
/* Make the transpose. */
bonsai_status bn_csr_transpose(bn_matrix *out, const bn_csr *a);
bonsai_status bn_matrix_transpose(bn_matrix *out, const bn_matrix *a);
void bn_matrix_free(bn_matrix *a);

/* ---- products of matrices ---- */

enum { BN_CHAIN_MOST = 8 };

typedef struct {                /* the product of the factors; all borrowed */
    struct { const bn_matrix *a, *turned; } factor[BN_CHAIN_MOST];      /* turned: the transpose */
    int count;
} bn_chain;

int64_t bn_chain_rows(const bn_chain *c);
int64_t bn_chain_cols(const bn_chain *c);
/* Returns the rows of the largest intermediate product; room[0] and room[1] have k floats for
 * each. */
int64_t bn_chain_room(const bn_chain *c);
/* Returns a number of which k must be a multiple. */
int64_t bn_chain_lanes(const bn_chain *c);
/* Compute y (rows,k) = c x (cols,k), and y (cols,k) = c' x (rows,k). */
void bn_chain_times(float *y, const bn_chain *c, const float *x, int64_t k, float *const room[2],
                    int threads);
void bn_chain_times_turned(float *y, const bn_chain *c, const float *x, int64_t k,
                           float *const room[2], int threads);

/* ---- ridge regression (ridge.c) ---- */

typedef struct {
    double lambda;              /* above 0 */
    double enough;              /* relative squared residual at which a column is done */
    int    steps;               /* at most; 0: up to 200 */
    int    threads;
    bn_progress progress;
    const float *start;         /* (cols,k): near the answer; NULL: zeros */
    const float *mean;          /* cols: subtracted from every row of x; NULL: zeros */
    /* Reads w, whose rows are `stride` apart, after each step; true ends the regression. */
    bool (*look)(const float *w, int64_t stride, int step, void *payload);
    void  *payload;
} bn_ridge_how;

/* Finds the w (cols,k) that minimises |x w - y|^2 + lambda |w|^2, for y (rows,k), by conjugate
 * gradients on all columns at once; the same bits for any number of threads.  Ticks once per
 * step. */
bonsai_status bn_ridge(float *w, const bn_matrix *x, const float *y, int64_t k,
                       const bn_ridge_how *how);
/* Solves for a product of matrices; squares (cols): about the squared lengths of its columns. */
bonsai_status bn_ridge_chain(float *w, const bn_chain *x, const double *squares, const float *y,
                             int64_t k, const bn_ridge_how *how);

/* ---- subspaces (subspace.c): columns of f numbers, each `width` apart ---- */

double bn_block_dot(const double *a, int p, const double *b, int q, int64_t f, int width);
/* Makes the columns orthonormal; columns that depend on earlier ones become 0. */
void bn_straighten(double *v, int64_t f, int width);
/* Turns t, n x n and symmetric, by q into a diagonal matrix of descending values. */
void bn_diagonalise(double *t, double *q, int n);

enum { BN_BLOCK = 8, BN_SUBSPACE_STEPS = 60 };

typedef struct {
    int64_t f;
    double *v, *y;              /* f x BN_BLOCK: directions, and the matrix times them */
    void  (*multiply)(double *y, const double *v, void *payload);       /* by a symmetric matrix */
    void   *payload;
    const char *stage;          /* of progress */
} bn_subspace;

/* Fills v with orthonormal directions of large eigenvalues, the largest first; value: the first two
 * eigenvalues. */
bonsai_status bn_subspace_find(double value[2], bn_subspace *s, bn_progress p);

#endif
