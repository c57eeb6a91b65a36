/* embed.h -- embeddings of nodes: features averaged over neighbours, dense or sparse, on one rank
 * or several.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_EMBED_H
#define BN_EMBED_H

#include "base/place.h"
#include "graph/graph.h"
#include "rule.h"

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
/* Returns that of row i of a and row j of b, both dense or both sparse. */
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
/* Rows with fewer entries than one in so many columns are cheaper sparse. */
enum { BN_SPARSE_SHARE = 16 };

#endif
