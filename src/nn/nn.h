/* nn.h -- models: their dimensions, the layers, training and judging.
 *
 *   parameters.c  what a model's parameters are called and where they lie
 *   matrix.c    products with dense and sparse inputs, the same bits for any threads
 *   message.c   sums over neighbours, forward and back
 *   gcn.c gin.c sage.c gat.c    layers: forward/backward pairs over plain arrays
 *   loss.c      log-softmax, weighted cross-entropy, ReLU, dropout
 *   adam.c      the optimiser; init.c the first weights
 *   operand.c   a graph made ready for a model
 *   network.c   layers put in order; infer.c the same in row blocks, for judging
 *   model.c     the handle, predicting; modelfile.c modelnpz.c saving and loading
 *   train.h     task.c match.c standard.c runs.c train.c: runs, epochs, seeds side by side
 *
 * Shapes are in the comments: n nodes, f inputs, h outputs, c classes.  Matrices are
 * row-major without gaps.  Weights are stored (in, out), the transpose of PyTorch's.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_NN_H
#define BN_NN_H

#include "graph/graph.h"
#include "real.h"

/* ---- the dimensions of a model (parameters.c) ---- */

enum { BN_MOST_LAYERS = 16, BN_LAYER_PARAMS = 5, BN_MOST_PARAMS = BN_MOST_LAYERS * BN_LAYER_PARAMS };

typedef struct {
    bonsai_model_kind kind;
    int     layers, heads, gin_layers;
    int64_t features, hidden, classes;
} bn_dims;

typedef enum {                  /* how PyTorch Geometric draws the first values */
    BN_INIT_ZERO,
    BN_INIT_GLOROT,             /* uniform in +-sqrt(6 / (rows + cols)) */
    BN_INIT_FAN                 /* uniform in +-1/sqrt(fan), fan = the layer's inputs */
} bn_init;

typedef struct {                /* one parameter: rows x cols at param + at */
    char    name[40];           /* PyTorch Geometric's, as "convs.0.lin.weight" */
    int64_t rows, cols, at;     /* a vector has rows 1; attention is heads x columns */
    int64_t fan;
    bn_init init;
    int     is_weight;          /* 1: PyTorch keeps its transpose */
    int     layer, slot;        /* slot: BN_W ... */
} bn_param;

/* Slots of a layer.  gcn: W B.  gin: W B, and W2 B2 with two linear layers.  sage: W (of
 * the neighbours' mean) B, W2 (of the node itself).  gat: W B ATT_SRC ATT_DST. */
enum { BN_W, BN_B, BN_W2, BN_B2, BN_ATT_SRC = BN_W2, BN_ATT_DST = BN_B2 };

/* Refuses what is out of range, or too large to count. */
bonsai_status bn_dims_check(const bn_dims *s, const char *where);
/* Fills table (BN_MOST_PARAMS) in the order of the slab; *count entries, *total numbers. */
void bn_dims_params(bn_param *table, int *count, int64_t *total, const bn_dims *s);
/* Where the numbers of each slot of each layer begin; -1: it has none. */
void bn_dims_places(int64_t at[][4], const bn_dims *s);
/* Columns that go into and come out of a layer. */
int64_t bn_layer_in(const bn_dims *s, int layer);
int64_t bn_layer_out(const bn_dims *s, int layer);
/* GAT: columns of one head. */
int64_t bn_head_width(const bn_dims *s, int layer);

/* ---- products (matrix.c) ---- */

typedef struct {                /* what a layer reads: dense rows, or sparse ones */
    int64_t rows, cols;
    const real    *dense;       /* rows x cols; NULL: sparse */
    const int64_t *offsets;     /* by row: rows+1 */
    const int32_t *index;
    const real    *value;       /* NULL: all 1 */
    const int64_t *t_offsets;   /* the same by column: cols+1; NULL where no gradient is asked */
    const int32_t *t_index;
    const real    *t_value;     /* NULL: all 1 */
} bn_input;

/* y (n,h) = x (n,f) w (f,h), or y += x w.  Rows first .. first+count-1 of x; y has count rows. */
void bn_times(real *y, const bn_input *x, const real *w, int64_t h, bool add, int64_t first,
              int64_t count, int threads);
/* dw (f,h) += transpose of x (n,f) times dy (n,h).  room: bn_times_room(x, h) reals. */
void    bn_times_t(real *dw, const bn_input *x, const real *dy, int64_t h, real *room, int threads);
int64_t bn_times_room(const bn_input *x, int64_t h);
/* dx (n,f) = dy (n,h) times the transpose of w (f,h), or dx += */
void bn_times_back(real *dx, const real *dy, const real *w, int64_t n, int64_t f, int64_t h,
                   bool add, int threads);
/* y (n,h) += b (h) in every row;  db (h) += the sum of the rows of dy (n,h), room 64 h reals */
void bn_bias(real *y, const real *b, int64_t n, int64_t h, int threads);
void bn_bias_t(real *db, const real *dy, int64_t n, int64_t h, real *room, int threads);

/* ---- messages (message.c) ---- */

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
    const int64_t *mirror;      /* entry e of back is entry mirror[e] of to; NULL: not asked for */
    void   *owned[8];
} bn_messages;

/* The messages of a kind of layer: GCN D^-1/2 (A + I) D^-1/2 with weights, explicit self
 * loops kept; GIN A + (1 + epsilon) I, epsilon 0; SAGE the mean; GAT A bare, with mirror.  An
 * undirected graph's own arrays are used, not copied; in a directed one messages go
 * along the edges, as in PyTorch Geometric. */
bonsai_status bn_messages_make(bn_messages *out, const bonsai_graph *g, bonsai_model_kind kind,
                               bool gradients, int threads);
void bn_messages_free(bn_messages *m);
/* y (count,h) = rows first .. first+count-1 of the sum over x (n,h).  y += with add. */
void bn_pass(real *y, const bn_side *s, const real *x, int64_t h, bool add, int64_t first,
             int64_t count, int threads);

/* ---- layers: nothing allocates; backward adds into dw, db, ...; dx may be NULL ---- */

/* What every layer is given besides its arrays. */
typedef struct {
    const bn_messages *m;
    int64_t n, f, h;
    real   *room;               /* bn_layer_room reals, shared by all layers */
    int     threads;
} bn_at;

/* Whether neighbours are summed before the product: dense x with f < h. */
bool    bn_sum_first(const bn_input *x, int64_t h);
int64_t bn_keep_width(const bn_input *x, int64_t h);    /* f if so, else h */

/* y (n,h) = S (x w), the sum that three layers begin with.  keep (n, bn_keep_width) holds x w, or S x
 * where that is first.  With passed, x is S times the features already, which have no gradient:
 * dx is NULL, and keep is not touched. */
void bn_sum_forward(const bn_at *at, real *y, real *keep, const bn_input *x, bool passed,
                    const real *w);
void bn_sum_backward(const bn_at *at, real *dx, real *dw, const real *dy, real *keep,
                     const bn_input *x, bool passed, const real *w);

/* y (n,h) = S (x w) + b */
void bn_gcn_forward(const bn_at *at, real *y, real *keep, const bn_input *x, bool passed,
                    const real *w, const real *b);
/* dy (n,h); keep as forward left it, or destroyed */
void bn_gcn_backward(const bn_at *at, real *dx, real *dw, real *db, const real *dy, real *keep,
                     const bn_input *x, bool passed, const real *w);

/* y (n,h) = relu(S (x w) + b) w2 + b2; inner (n,h) holds the part in relu.  Without w2: as gcn. */
void bn_gin_forward(const bn_at *at, real *y, real *keep, real *inner, const bn_input *x,
                    bool passed, const real *w, const real *b, const real *w2, const real *b2);
void bn_gin_backward(const bn_at *at, real *dx, real *dw, real *db, real *dw2, real *db2,
                     const real *dy, real *keep, real *inner, const bn_input *x, bool passed,
                     const real *w, const real *w2);

/* y (n,h) = M x w + b + x w2.  keep as above.  passed (n,f), unless NULL, holds
 * M x already. */
void bn_sage_forward(const bn_at *at, real *y, real *keep, const bn_input *x,
                     const bn_input *passed, const real *w, const real *b, const real *w2);
void bn_sage_backward(const bn_at *at, real *dx, real *dw, real *db, real *dw2, const real *dy,
                      real *keep, const bn_input *x, const bn_input *passed, const real *w,
                      const real *w2);

/* Attention with k heads of d columns: z (n, k d) = x w, score_ij = leaky(src_j + dst_i), alpha =
 * softmax over j in the neighbours of i and i itself (explicit self loops are dropped),
 * y_i = sum alpha_ij z_j + b.  join: h = k d, else h = d and the heads' mean.  Keeps z, src and
 * dst (n,k), alpha (entries of `to`, k) and alpha_own (n,k); backward writes gradients over z
 * and dst. */
typedef struct {
    int      k;
    int64_t  d;
    bool     join;
    real    *z, *src, *dst, *alpha, *alpha_own;
} bn_attention;

void bn_gat_forward(const bn_at *at, const bn_attention *a, real *y, const bn_input *x,
                    const real *w, const real *b, const real *att_src, const real *att_dst);
void bn_gat_backward(const bn_at *at, const bn_attention *a, real *dx, real *dw, real *db,
                     real *datt_src, real *datt_dst, const real *dy, const bn_input *x,
                     const real *w, const real *att_src, const real *att_dst);
/* Reals of room for heads of h columns together: what bn_layer_room gives for GAT. */
int64_t bn_gat_room(const bn_messages *m, const bn_input *x, int64_t h, int k);

/* Reals of room that any of the layers may use: a layer of k heads (1 for the others), f
 * inputs and h = k d columns before heads are averaged. */
int64_t bn_layer_room(bonsai_model_kind kind, const bn_messages *m, const bn_input *x, int64_t h,
                      int k);

/* ---- loss and activations (loss.c) ---- */

typedef struct {                /* what a node should be */
    int64_t  count;             /* labelled training nodes */
    int32_t *node;              /* ascending */
    int32_t *label;             /* by place, or NULL: soft */
    float   *soft;              /* count x c, or NULL */
    float   *weight;            /* by place, summing to 1 */
} bn_targets;

/* The mean loss of the targets (in double, in a fixed order), and dy (n,c) its gradient: all
 * of dy is written.  dy may be NULL, or y itself. */
double bn_cross_entropy(real *dy, const real *y, int64_t n, int64_t c, const bn_targets *t,
                        int threads);
void bn_softmax(real *y, int64_t n, int64_t c, int threads);            /* in place */
/* y = max(y, 0), then a share p of it is dropped and the rest divided by 1-p; which: by seed
 * and place. */
void bn_relu_forward(real *y, int64_t count, double p, uint64_t seed, int threads);
/* dy becomes 0 where y is, and is divided by 1-p elsewhere */
void bn_relu_backward(real *dy, const real *y, int64_t count, double p, int threads);

/* ---- the optimiser (adam.c) and the first weights (init.c) ---- */

/* One step t = 1, 2, ... of Adam, decay added to the gradient, beta 0.9 and 0.999, epsilon 1e-8;
 * g becomes 0. */
void bn_adam(real *w, real *g, real *m, real *v, int64_t count, int64_t t, double rate,
             double decay, int threads);
void bn_init_params(real *param, const bn_dims *s, uint64_t seed);

/* ---- a graph made ready (operand.c) ---- */

typedef struct {                /* shared by all runs; nothing in it changes */
    const bonsai_graph *g;
    bn_messages m;
    bn_input x;                 /* the features: dense where that is faster, else sparse */
    bn_input passed;            /* S x, dense, where that saves work; rows 0: not kept */
    void    *owned[9];
} bn_operand;

typedef struct {                /* what is done to features before the first layer */
    const int32_t *kept;        /* of a graph that has all: only these, ascending; NULL: all */
    int64_t count;
    const float *mean, *spread; /* count (or all) each; NULL: as they are */
} bn_columns;

/* gradients: whether it will be trained on; room: bytes that may be spent on keeping `passed`
 * and on dense copies */
bonsai_status bn_operand_make(bn_operand *out, const bonsai_graph *g, const bn_dims *s,
                              const bn_columns *c, bool gradients, int64_t room, int threads);
void bn_operand_free(bn_operand *o);

/* ---- all layers (network.c) ---- */

typedef struct bn_network bn_network;   /* activations and gradients of one run on one operand */

/* gradients: whether bn_network_backward will be called */
bonsai_status bn_network_new(bn_network **out, const bn_dims *s, const bn_operand *o,
                             double dropout, bool gradients, int threads);
void bn_network_free(bn_network *w);
/* The scores of all nodes (n,c), which belong to w.  seed: of the dropout; only with training. */
real *bn_network_forward(bn_network *w, const real *param, bool training, uint64_t seed);
/* grad += the gradient, given that of the scores, dscores (n,c), which may be the scores' own
 * array. */
void bn_network_backward(bn_network *w, real *grad, const real *param, const real *dscores);

/* ---- judging (infer.c) ---- */

/* The scores of all nodes by row blocks, with little more memory than scores (n,c) and the rows
 * that go from layer to layer: of two layers, n x c again. */
typedef struct bn_infer bn_infer;
bonsai_status bn_infer_new(bn_infer **out, const bn_dims *s, const bn_operand *o, int threads);
void bn_infer_free(bn_infer *i);
const real *bn_infer_scores(bn_infer *i, const real *param);
double bn_infer_bytes(const bn_dims *s, const bn_operand *o);  /* that bn_infer_new takes */
/* Bytes that bn_network_new takes, -1: too many to count. */
int64_t bn_network_bytes(const bn_dims *s, const bn_operand *o, bool gradients);

/* ---- the handle (model.c) ---- */

struct bonsai_model {
    bonsai_model_info info;     /* info.features: of a graph before columns are taken */
    bn_dims  dims;              /* dims.features: what the first layer reads */
    int64_t  count;
    float   *param;             /* count */
    int32_t *kept;              /* dims.features, or NULL */
    float   *mean, *spread;     /* dims.features, or NULL */
    char   **class_names;       /* dims.classes, or NULL */
};

/* Its parameters are 0, its accuracies unknown. */
bonsai_status bn_model_new(bonsai_model **out, const bn_dims *s);
/* The class names from a section of a graph: c strings, each ended by a zero. */
bonsai_status bn_model_names(bonsai_model *m, const bonsai_array *names);
/* The columns that the model wants of g; refuses a graph that does not fit, in a sentence. */
bonsai_status bn_model_columns(bn_columns *out, const bonsai_model *m, const bonsai_graph *g);
/* The parameters as NumPy arrays, named and laid out as PyTorch Geometric's (modelnpz.c). */
bonsai_status bn_model_npz(const bonsai_model *m, const char *path);

#endif
