/* embed.h -- embeddings of nodes: features averaged over neighbours, dense or sparse, on one rank
 * or several.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_EMBED_H
#define BN_EMBED_H

#include <float.h>

#include "base/place.h"
#include "graph/graph.h"

/* ---- averaging rules: a node's next row from its own and the sum of its neighbours' rows ---- */

/* WL: half its own row, half the mean of its neighbours: the kernel that compares trees.
 * MEAN: the node counts as much as each of its neighbours, much as in GCN and GAT.
 * AROUND: the mean of its neighbours alone, which GraphSAGE uses beside the node's own row.
 * A node without neighbours keeps its row, or gets zeros with AROUND. */
typedef enum { BN_RULE_WL, BN_RULE_MEAN, BN_RULE_AROUND } bn_rule;

/* Returns whether a node without neighbours keeps its row. */
static inline bool bn_rule_keeps(bn_rule rule)
{
    return rule != BN_RULE_AROUND;
}

/* Returns the factor of the sum of the neighbours, given their (weighted) number, or 0 without
 * neighbours.  It is finite for every degree: times an entry of 0, infinity would be NaN, and a row
 * would have entries where none of its neighbours has one. */
static inline float bn_rule_factor(bn_rule rule, double degree)
{
    const double factor = 1.0 / (degree + (rule == BN_RULE_MEAN));
    return degree > 0 ? (float)(factor < (double)FLT_MAX ? factor : (double)FLT_MAX) : 0.0f;
}

static inline float bn_rule_next(bn_rule rule, float factor, float own, float sum)
{
    if (rule == BN_RULE_AROUND)
        return 0.0f + factor * sum;     /* no negative zero, like the kernel without an own row */
    return rule == BN_RULE_MEAN ? (own + sum) * factor : (own + factor * sum) * 0.5f;
}

/* ---- the embedding and its rows (embedding.c) ---- */

/* The arrays are from BN_BIG. */
typedef struct {                /* one row per requested node, dense or sparse */
    int64_t  rows, f;
    float   *dense;             /* rows x f, or NULL */
    int64_t *offsets;           /* rows+1: sparse rows, indices ascending, no zeros */
    int32_t *index;
    float   *value;
    int      columns;           /* panels of how many columns made it; 0: made of sparse rows */
} bn_embedding;

/* Estimates the numbers in `rows` of its rows: the work of a team (bn_team). */
static inline double bn_numbers(const bn_embedding *e, int64_t rows)
{
    if (e->dense || e->rows == 0)
        return (double)rows * (double)e->f;
    return (double)rows * 4 * (double)e->offsets[e->rows] / (double)e->rows;
}

void bn_embedding_free(bn_embedding *e);
/* Gets one row as f floats, zeros included; bn_row_add adds weight times a row to sum (f). */
void bn_embedding_row(float *out, const bn_embedding *e, int64_t row);
void bn_row_add(double *sum, const bn_embedding *e, int64_t row, double weight);
/* Returns the squared length of a row. */
double bn_row_squares(const bn_embedding *e, int64_t row);
/* Returns whether rows with `entries` non-zeros among `all` are better stored dense. */
static inline bool bn_is_full(int64_t entries, int64_t all) { return entries > all / 4; }
/* Returns the number of non-zeros of a row. */
int64_t bn_embedding_length(const bn_embedding *e, int64_t row);
/* Returns the squared distance of two rows by the fixed-order kernel: dense and sparse agree. */
float bn_embedding_dist2(const bn_embedding *e, int64_t a, int64_t b);
/* Returns the squared distance of row i of a and row j of b, both dense or both sparse. */
float bn_rows_dist2(const bn_embedding *a, int64_t i, const bn_embedding *b, int64_t j);
/* Copies the given rows of e (NULL: 0 .. count-1), to dense or sparse rows. */
bonsai_status bn_embedding_take(bn_embedding *out, const bn_embedding *e, const int64_t *row,
                                int64_t count, bool dense, const bn_place *at);

/* Makes one embedding of the rows of a, then those of b; dense if one of them is. */
bonsai_status bn_embedding_join(bn_embedding *out, const bn_embedding *a, const bn_embedding *b,
                                const bn_place *at);

/* ---- making one (wl.c) ---- */

typedef struct {
    const int32_t *id;          /* ascending */
    int64_t count;
} bn_nodes;

/* Embeds some nodes (NULL: all) by `layers` rounds of averaging by the rule.  The bits are the same
 * for any number of threads and ranks, and for dense and sparse features.
 *
 * Over ranks g is the whole graph on every rank, of which only the rows of its own nodes are read
 * (offsets: any); the nodes are the rank's own, and so are the rows.  Rows that are not within
 * `layers` hops of a node requested by some rank are neither computed nor sent. */
bonsai_status bn_embed(bn_embedding *out, const bonsai_graph *g, const bn_nodes *nodes,
                       bn_rule rule, int layers, const bn_place *at);

/* Columns of a panel; the least only under a limit of memory. */
enum { BN_PANEL_WIDEST = BN_WIDE, BN_PANEL_NARROW = BN_NARROW, BN_PANEL_LEAST = 4 };
/* Features of few columns are always made in narrow panels, and so are graphs whose narrow panels
 * stay in the cache; four of them at a time if there is room. */
enum { BN_PANEL_FEW = 2 * BN_PANEL_NARROW, BN_PANEL_CACHE = 16 << 20 };
int bn_panel_usual(int64_t rows, int64_t f);    /* columns for these rows of f features */
/* Rows with fewer entries than f divided by this are cheaper sparse. */
enum { BN_SPARSE_SHARE = 16 };

/* ---- views of a node, and mixtures of them (blend.c) ---- */

/* A node's own features; the mean of its neighbours' features; their average after some rounds. */
enum { BN_OWN, BN_AROUND, BN_FAR, BN_VIEWS };

typedef struct { double share[BN_VIEWS]; } bn_blend;

/* Sets out to the sum of the parts times their shares; parts without a share may be NULL.  Dense if
 * one of them is. */
bonsai_status bn_blend_rows(bn_embedding *out, const bn_embedding *const part[BN_VIEWS],
                            const bn_blend *b, const bn_place *at);
/* Makes one view of some nodes as bn_embed does; BN_FAR is after `layers` rounds. */
bonsai_status bn_embed_view(bn_embedding *out, const bonsai_graph *g, const bn_nodes *nodes,
                            int view, int layers, const bn_place *at);
/* Returns how many hops a mixture reaches. */
static inline int bn_blend_reach(const bn_blend *b, int layers)
{
    return b->share[BN_FAR] != 0 && layers > 1 ? layers : b->share[BN_AROUND] != 0 ? 1 : layers;
}
/* Makes a mixture for some nodes. */
bonsai_status bn_embed_blend(bn_embedding *out, const bonsai_graph *g, const bn_nodes *nodes,
                             const bn_blend *b, int layers, const bn_place *at);

/* ---- the rows of an embedding, a part of them on every rank (sharded.c, gather.c) ---- */

/* A rank keeps the rows of its own nodes, and may have none.  Rows are numbered in one sequence
 * over all ranks. */
typedef struct {
    const bn_embedding *e;      /* the rank's own rows */
    const bn_place *at;         /* not NULL; its `first` is of nodes and is not read */
    const int64_t *first;       /* ranks+1: rank r has rows first[r] .. first[r+1]-1; NULL: alone */
    /* set by bn_sharded_look; not needed to search or gather */
    int64_t  rows;              /* of all ranks */
    double   length;            /* mean number of entries of a row: f if dense */
    double   most, least;       /* bounds of the largest |x| and of the smallest x, if below 0 */
    int64_t *owned;             /* first, if allocated here */
} bn_sharded;

/* Measures the rows of all ranks; borrows e and at. */
bonsai_status bn_sharded_look(bn_sharded *out, const bn_embedding *e, const bn_place *at);
void bn_sharded_free(bn_sharded *s);
/* Returns other rows, all of them here, with numbers like those of s. */
bn_sharded bn_sharded_alone(const bn_sharded *s, const bn_embedding *e, const bn_place *at);

/* Returns whether all rows are here and in memory, so that any order of access is cheap. */
bool bn_sharded_here(const bn_sharded *s);
/* Returns the number, among all rows, of the rank's own first row. */
static inline int64_t bn_sharded_base(const bn_sharded *s)
{
    return s->first ? s->first[bn_rank(s->at->world)] : 0;
}

/* Gets whether the rows are dense, and their columns, also on a rank without rows. */
bonsai_status bn_rows_form(bool *dense, int64_t *f, const bn_embedding *e, bn_world *w);
/* Gathers the given rows on every rank, in the given order, which is the same everywhere and may
 * repeat some; dense where e is, also on ranks without rows.  (gather.c) */
bonsai_status bn_rows_gather(bn_embedding *out, const bn_sharded *s, const int64_t *rows,
                             int64_t count);

/* Sets place (ranks+1) to where each rank's items begin; this rank has `mine`. */
bonsai_status bn_places(int64_t *place, bn_world *w, int64_t mine);

/* ---- a projection of rows to few dimensions that keeps most of their distances (axes.c) ---- */

/* With P the projection and r the rest of a row, |Pa - Pb|^2 + (|ra| - |rb|)^2 <= |a - b|^2:
 * distances there are lower bounds of distances between the whole rows. */
typedef struct {
    int64_t f;
    int     dims;               /* a multiple of BN_NARROW */
    float  *basis;              /* f x dims: columns of length 1, at right angles up to rounding;
                                 * the last may be 0 */
} bn_axes;

/* Finds the directions of nearly the largest variance in the rows of all ranks, from a sample: the
 * same on every rank and processor. */
bonsai_status bn_axes_find(bn_axes *out, const bn_sharded *x, int dims);
void bn_axes_free(bn_axes *a);
/* Projects the rank's own rows to dense rows; each is summed in the order of its entries. */
bonsai_status bn_axes_project(bn_embedding *out, const bn_axes *a, const bn_embedding *e,
                              const bn_place *at);

/* ---- averaged rows as a product of sparse matrices (averages.c) ---- */

typedef struct {
    bn_embedding features;      /* of all nodes */
    bn_matrix x, x_turned;      /* the features as a matrix, which borrows their arrays */
    bn_matrix round, round_turned;      /* (nodes,nodes): one round of averaging */
    bn_matrix last, last_turned;        /* (count,nodes): the requested rows of a round */
    bn_matrix pick, pick_turned;        /* (count,nodes): picks the requested nodes */
} bn_averages;

/* Returns how many numbers a product with averaged rows reads, at `entries` features a node; 0: the
 * graph is too large to be gathered, or has too many rounds. */
double bn_averages_cost(const bonsai_graph *g, double entries, int layers);
/* Makes the matrices for some nodes, ascending, on rank 0, which gathers the graph; the others get
 * none.  Features are stored dense or sparse.  Collective. */
bonsai_status bn_averages_make(bn_averages *out, const bonsai_graph *g, const bn_nodes *nodes,
                               int layers, bool dense, const bn_place *at);
void bn_averages_free(bn_averages *a);
/* Return the rows of the nodes: their features, and these after `layers` rounds of averaging. */
bn_chain bn_averages_own(const bn_averages *a);
bn_chain bn_averages_far(const bn_averages *a, int layers);

#endif
