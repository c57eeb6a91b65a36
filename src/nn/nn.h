/* nn.h -- networks: their dimensions, the layers, scores and gradients.
 *
 *   layers.c      the table of layers, and one layer's forward
 *   gcn.c gin.c sage.c gat.c    a layer each: what it keeps, its rows, its gradients
 *   parameters.c  the names, places and first values of a model's parameters
 *   matrix.c      products with dense and sparse inputs, the same bits for any threads
 *   message.c     sums over neighbours, forward and backward
 *   targets.c     the labels and weights of a graph's training nodes
 *   loss.c        log-softmax, weighted cross-entropy, ReLU, dropout
 *   adam.c        the optimiser
 *   operand.c     a graph made ready for a model
 *   network.c     the layers in order, with gradients; infer.c the same in row blocks
 *
 * The comments give the size of every array: n nodes, f inputs, h outputs, c classes.  Matrices
 * are row-major without gaps.  Weights are stored (in, out), the transpose of PyTorch's.
 *
 * A new layer is one file, one row of the table in layers.c and one value of bonsai_model_kind.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_NN_H
#define BN_NN_H

#include "graph/graph.h"
#include "real.h"

/* ---- the dimensions of a model, and its parameters (parameters.c) ---- */

enum { BN_MOST_LAYERS = 16, BN_SLOTS = 4, BN_MOST_PARAMS = BN_MOST_LAYERS * BN_SLOTS };

typedef struct {
    bonsai_model_kind kind;
    int     layers, heads, gin_layers;
    int64_t features, hidden, classes;
    bool    weighted;           /* gin and sage weigh neighbours by edge weights */
} bn_dims;

typedef enum {                  /* how PyTorch Geometric draws the first values */
    BN_INIT_ZERO,
    BN_INIT_GLOROT,             /* uniform in +-sqrt(6 / (rows + cols)) */
    BN_INIT_FAN                 /* uniform in +-1/sqrt(fan) */
} bn_init;

typedef enum {                  /* the layout in PyTorch */
    BN_FORM_WEIGHT,             /* (cols, rows): transposed */
    BN_FORM_VECTOR,             /* (cols) */
    BN_FORM_HEADS               /* (1, rows, cols) */
} bn_form;

typedef enum {                  /* a dimension of a layer */
    BN_SIZE_ONE,
    BN_SIZE_IN,                 /* columns of its input */
    BN_SIZE_OUT,                /* columns of its output */
    BN_SIZE_HEADS,              /* heads; 1 in layers without */
    BN_SIZE_HEAD,               /* columns of one head */
    BN_SIZE_WIDE                /* columns of all heads */
} bn_size;

typedef struct {                /* one parameter of a kind of layer */
    const char *name;           /* in PyTorch Geometric, such as "lin.weight" */
    bn_form form;
    bn_size rows, cols;
    bn_init init;
    bn_size fan;
} bn_slot;

typedef struct {                /* one parameter of a model: rows x cols at param + at */
    char    name[40];           /* in PyTorch Geometric, such as "convs.0.lin.weight" */
    int64_t rows, cols, at, fan;
    bn_form form;
    bn_init init;
    int     layer, slot;        /* slot: BN_W ... */
} bn_param;

/* Slots of a layer.  gcn: W B.  gin: W B, and W2 B2 with two linear layers.  sage: W (of
 * the neighbours' mean) B, W2 (of the node itself).  gat: W B ATT_SRC ATT_DST. */
enum { BN_W, BN_B, BN_W2, BN_B2, BN_ATT_SRC = BN_W2, BN_ATT_DST = BN_B2 };

/* Fails if a dimension is out of range, or too large to count. */
bonsai_status bn_dims_check(const bn_dims *d, const char *where);
/* Fills table (BN_MOST_PARAMS) in the order of the slab; *count entries, *total numbers. */
void bn_dims_params(bn_param *table, int *count, int64_t *total, const bn_dims *d);
/* Gets where the numbers of each slot of each layer begin; -1: no such slot. */
void bn_dims_places(int64_t at[][BN_SLOTS], const bn_dims *d);
int64_t bn_dims_size(const bn_dims *d, int layer, bn_size what);

/* ---- products (matrix.c) ---- */

typedef struct {                /* the input of a layer: dense or sparse rows */
    int64_t rows, cols;
    const real    *dense;       /* rows x cols; NULL: sparse */
    const int64_t *offsets;     /* by row: rows+1 */
    const int32_t *index;
    const real    *value;       /* NULL: all 1 */
    const int64_t *t_offsets;   /* the same by column: cols+1; NULL if gradients are not needed */
    const int32_t *t_index;
    const real    *t_value;     /* NULL: all 1 */
} bn_input;

typedef struct {                /* rows first .. first+count-1, and their threads */
    int64_t first, count;
    int     threads;
} bn_span;

/* Computes y (count,h) = rows s of x (n,f) times w (f,h), or y +=. */
void bn_times(real *y, const bn_input *x, const real *w, int64_t h, bool add, bn_span s);
/* Multiplies by some columns of a larger w, into some columns of a larger y, whose rows are stride
 * apart. */
void bn_times_part(real *y, int64_t stride, const bn_input *x, bn_cols w, bool add, bn_span s);
/* Adds the transpose of x (n,f) times dy (n,h) to dw (f,h).  room: bn_times_room(x, h) reals. */
void    bn_times_t(real *dw, const bn_input *x, const real *dy, int64_t h, real *room, int threads);
int64_t bn_times_room(const bn_input *x, int64_t h);
/* Computes dx (count,f) = dy (count,h) times the transpose of w, whose rows are f, or dx +=. */
void bn_times_back(real *dx, const real *dy, bn_cols w, int64_t f, bool add, bn_span s);
/* Add b (h) to every row of y (n,h), and the sum of the rows of dy (n,h) to db (h); room:
 * BN_BIAS_ROOM h reals. */
enum { BN_BIAS_ROOM = 64 };
void bn_bias(real *y, const real *b, int64_t n, int64_t h, int threads);
void bn_bias_t(real *db, const real *dy, int64_t n, int64_t h, real *room, int threads);

/* ---- messages (message.c) ---- */

typedef enum {                  /* how a node sums the messages that reach it */
    BN_NORM_BOTH,               /* D^-1/2 (A + I) D^-1/2 with edge weights; self loops are kept */
    BN_NORM_SUM,                /* A + I */
    BN_NORM_MEAN,               /* D^-1 A */
    BN_NORM_WEIGHTED_SUM,       /* the same two with edge weights, 1 without */
    BN_NORM_WEIGHTED_MEAN,
    BN_NORM_NONE                /* A: the layer weighs the entries itself; has mirror */
} bn_norm;

/* y_i = left_i ( own_i right_i x_i + sum over entries e = (i,j) of weight_e right_j x_j ).
 * NULL: left and right are 1, own is 0, weights are 1. */
typedef struct {
    int64_t        n;
    bonsai_array   offsets;     /* n+1, U32 or U64, as in a graph */
    const int32_t *ids;
    const float   *weights;
    const real    *left, *right, *own;
} bn_side;

typedef struct {
    bn_side to;                 /* row i: the senders j to node i */
    bn_side back;               /* its transpose: the receivers of node j */
    const int64_t *mirror;      /* entry e of back is entry mirror[e] of to; NULL: not needed */
    void   *owned[8];
} bn_messages;

/* Makes the messages from the arrays of an undirected graph without a copy; in a directed graph
 * messages travel along the edges, as in PyTorch Geometric. */
bonsai_status bn_messages_make(bn_messages *out, const bonsai_graph *g, bn_norm norm,
                               bool gradients, int threads);
void bn_messages_free(bn_messages *m);
/* Sets y (count,f) to rows r of the sum over x (n,f). */
void bn_pass(real *y, const bn_side *s, const bn_input *x, bn_span r);
/* Adds to y (f) the rows of x with these ids, each times its factor (NULL: 1), in order. */
void bn_add_rows(real *y, const bn_input *x, const int32_t *id, const real *factor, int64_t count);

/* ---- layers (layers.c, and a file each) ---- */

/* Where a layer's rows are.  Whole: x, and all that is kept, exist for all nodes.  In blocks, a
 * layer keeps nothing as wide as hidden for all nodes: the first reads the features again for every
 * block; a later one sees a row of x only once, in `send`. */
typedef enum { BN_WHOLE, BN_FIRST_IN_BLOCKS, BN_LATER_IN_BLOCKS } bn_way;

enum { BN_SENT = 3, BN_MADE = 2 };

typedef struct {                /* a layer and its arrays */
    bn_way  way;
    const bn_dims *dims;        /* of its model */
    const bn_messages *m;
    int64_t n, f, h;            /* nodes, inputs, outputs */
    int64_t k, d;               /* heads of d columns; without heads 1 and h */
    bool    join;               /* heads are side by side, h = k d; else their mean, h = d */
    bn_input x;                 /* the input */
    const bn_input *passed;     /* S x; NULL: not known */
    const real *p[BN_SLOTS];    /* the parameters; NULL: no such slot */
    real   *g[BN_SLOTS];        /* their gradients */
    real   *sent[BN_SENT];      /* kept for every node */
    real   *made[BN_MADE];      /* kept for every row of a block */
    real   *entry;              /* kept for every entry of these rows */
    real   *room;               /* scratch, shared by all layers */
    int     threads;
} bn_at;

typedef struct {                /* how many numbers a layer needs */
    int64_t sent[BN_SENT], made[BN_MADE], entry;        /* for a node, a row, an entry */
    int64_t forward, backward;                          /* in the room */
} bn_space;

/* A kind of layer.  Nothing allocates.  Its formula is `send`, then `rows`: called for all rows
 * at once in training, and block by block in judging. */
typedef struct {
    const char *name;           /* as in bonsai_model_name */
    bn_norm     norm, weighted; /* without edge weights, as in PyTorch Geometric; with */
    bool        heads;          /* has heads */
    double      cost;           /* about the time of a layer, relative to GCN */
    const char *zero;         /* a parameter of PyTorch Geometric's layer that is 0 here; or NULL */
    const bn_slot *(*slots)(const bn_dims *d);          /* by BN_W ..., up to a NULL name */
    void (*space)(bn_space *out, const bn_at *at);      /* out is 0 before */
    void (*send)(const bn_at *at);                      /* sent[...] of the rows of x */
    void (*rows)(const bn_at *at, real *y, bn_span r);  /* y (count,h): the outputs of rows r */
    /* Adds to g, given dy (n,h); dx (n,f), unless NULL, is written.  Destroys what is kept. */
    void (*backward)(const bn_at *at, real *dx, const real *dy);
} bn_layer;

extern const bn_layer bn_gcn, bn_gat, bn_gin, bn_sage;
extern const bn_layer *const bn_layers[BONSAI_MODEL_COUNT];

/* Returns how the layers of a model sum messages. */
bn_norm bn_dims_norm(const bn_dims *d);
/* Computes y (n,h) of all nodes. */
void bn_layer_forward(const bn_layer *l, const bn_at *at, real *y);

/* Compute S (x w), the start of three layers: W of at->p.  Neighbours are summed where a row is
 * shorter, before or after the product; not at all if `passed` is known, whose features have no
 * gradient: dx is NULL. */
void bn_sum_space(bn_space *out, const bn_at *at);
void bn_sum_send(const bn_at *at);
void bn_sum_rows(const bn_at *at, real *y, bn_span r);
void bn_sum_backward(const bn_at *at, real *dx, const real *dy);

/* ---- loss and activations (loss.c) ---- */

typedef struct {                /* the targets of training */
    int64_t  count;             /* labelled training nodes */
    int32_t *node;              /* ascending */
    int32_t *label;             /* one each, or NULL: soft */
    float   *soft;              /* count x c, or NULL */
    float   *weight;            /* one each, summing to 1 */
} bn_targets;

/* Fills zeroed targets with the labelled training nodes of g, soft labels and weights (targets.c).
 * Fails without such nodes. */
bonsai_status bn_targets_list(bn_targets *t, const bonsai_graph *g);
/* Fails if all targets are of one class. */
bonsai_status bn_targets_check(const bn_targets *t, const bonsai_graph *g);
void bn_targets_free(bn_targets *t);

/* Returns the mean loss of the targets (in double, in a fixed order), and writes all of its
 * gradient dy (n,c).  dy may be NULL, or y itself. */
double bn_cross_entropy(real *dy, const real *y, int64_t n, int64_t c, const bn_targets *t,
                        int threads);
void bn_softmax(real *y, int64_t n, int64_t c, int threads);            /* in place */
/* Sets y = max(y, 0), then drops a share p of it and divides the rest by 1-p; the seed and the
 * place decide which. */
void bn_relu_forward(real *y, int64_t count, double p, uint64_t seed, int threads);
/* Sets dy to 0 where y is 0, and divides it by 1-p elsewhere. */
void bn_relu_backward(real *dy, const real *y, int64_t count, double p, int threads);

/* ---- the optimiser (adam.c) and the first weights (parameters.c) ---- */

typedef struct {                /* learned parameters: count of each */
    real   *param, *grad;
    real   *m, *v;              /* the running means of gradients and of their squares */
    int64_t count;
} bn_learned;

/* Makes step t = 1, 2, ... of Adam, decay added to the gradient, beta 0.9 and 0.999, epsilon 1e-8;
 * grad becomes 0. */
void bn_adam(const bn_learned *l, int64_t t, double rate, double decay, int threads);
/* Draws count numbers from param[first] on, uniform in +-most, each by the seed and its place
 * alone. */
void bn_draw_uniform(real *param, int64_t first, int64_t count, double most, uint64_t seed);
void bn_init_params(real *param, const bn_dims *d, uint64_t seed);
/* Draws all of a layer uniform in +-1/sqrt(columns of its input), biases too. */
void bn_init_uniform(real *param, const bn_dims *d, uint64_t seed);

/* ---- a graph prepared for a model (operand.c) ---- */

typedef struct {                /* shared by all runs and constant */
    const bonsai_graph *g;
    bn_messages m;
    bn_input x;                 /* the features: dense if that is faster, else sparse */
    bn_input passed;            /* S x, dense, if that saves work; rows 0: not kept */
    void    *owned[9];
} bn_operand;

typedef struct {                /* how features are prepared for the first layer */
    const int32_t *kept;        /* the kept features of a graph with all, ascending; NULL: all */
    int64_t count;
    const float *mean, *spread; /* count (or all) each; NULL: not scaled */
} bn_columns;

typedef struct {                /* the use of an operand */
    bool    gradients;          /* it is for training */
    int64_t room;               /* bytes for `passed` and dense copies */
    int     threads;
} bn_purpose;

bonsai_status bn_operand_make(bn_operand *out, const bonsai_graph *g, const bn_dims *d,
                              const bn_columns *c, bn_purpose p);
void bn_operand_free(bn_operand *o);

/* ---- all layers (network.c) ---- */

/* Returns layer `layer` of a model on o, whole, without parameters and kept arrays. */
bn_at bn_layer_at(const bn_dims *d, const bn_operand *o, int layer);
/* Sets a layer's parameters, and with grad their gradients, at the places of bn_dims_places. */
void bn_layer_bind(bn_at *at, const int64_t *place, const real *param, real *grad);

typedef struct {                /* one allocation for many arrays: laid out to count, then again */
    real   *reals;              /* NULL: only counting */
    int64_t used;               /* -1: more than can be counted */
} bn_slab;

real   *bn_slab_take(bn_slab *s, int64_t rows, int64_t cols);   /* NULL while counting */
int64_t bn_slab_bytes(const bn_slab *s);                        /* -1: too many to count */
/* Allocates what was counted, and starts again; fails with a sentence if it is too much. */
bonsai_status bn_slab_make(bn_slab *s, const bn_dims *d, const bn_operand *o);

typedef struct bn_network bn_network;   /* activations and gradients of one run on one operand */

/* Allocates a run; gradients: whether bn_network_backward will be called. */
bonsai_status bn_network_new(bn_network **out, const bn_dims *d, const bn_operand *o,
                             double dropout, bool gradients, int threads);
void bn_network_free(bn_network *w);
/* Returns the scores of all nodes (n,c), which belong to w.  seed: of the dropout; only with
 * training. */
real *bn_network_forward(bn_network *w, const real *param, bool training, uint64_t seed);
/* Returns the input of the last layer, of all nodes, in the last forward. */
const bn_input *bn_network_last_input(const bn_network *w);
/* Adds the gradient to grad, given that of the scores, dscores (n,c), which may be the scores'
 * array. */
void bn_network_backward(bn_network *w, real *grad, const real *param, const real *dscores);
/* Returns the bytes that bn_network_new takes, or -1: too many to count. */
int64_t bn_network_bytes(const bn_dims *d, const bn_operand *o, bool gradients);

/* ---- judging (infer.c) ---- */

/* Computes the scores of all nodes by row blocks, with little more memory than scores (n,c) and the
 * rows between layers: of two layers, n x c again. */
typedef struct bn_infer bn_infer;
bonsai_status bn_infer_new(bn_infer **out, const bn_dims *d, const bn_operand *o, int threads);
void bn_infer_free(bn_infer *i);
const real *bn_infer_scores(bn_infer *i, const real *param);
/* Returns the bytes that bn_infer_new takes, or -1: too many to count. */
int64_t bn_infer_bytes(const bn_dims *d, const bn_operand *o);

#endif
