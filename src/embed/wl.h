/* wl.h -- declarations shared by the ways of propagating; see wl.c.
 *
 * A rank has local rows: its own nodes first, then the halo, which are the nodes of other ranks
 * that it needs, ascending.  Level l is the embedding after l rounds; round l makes level l of
 * level l-1.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_WL_H
#define BN_WL_H

#include <math.h>

#include "embed.h"

/* BN_WL_LEVELS: levels that are distinguished; BN_WL_BLOCK: entries of a list between two
 * places. */
enum { BN_WL_LEVELS = 254, BN_WL_BLOCK = 4096 };

typedef struct {                /* sparse rows between rounds */
    int64_t rows;
    int64_t *offsets;
    int32_t *index;
    float   *value;
} bn_wl_rows;

typedef struct {                /* rows exchanged between ranks, those of one rank together */
    int64_t  count;
    int32_t *row;               /* ascending for each rank: own local rows; NULL: the halo's */
    uint8_t *need;              /* each is needed at the levels below this */
    int64_t *begin;             /* ranks+1: where the rows of each rank begin */
    int64_t *rows;              /* ranks: how many are needed at the current level */
    int64_t *place;             /* how many of those are before each block of the list */
} bn_wl_list;

typedef struct {                /* sparse rows of the halo at one level */
    int64_t  *offsets;          /* halo+1: a row's entries */
    uint32_t *data;             /* each row's indices, then its values */
    int32_t  *in_length, *out_length;
    int64_t  *out_offsets;
    uint32_t *send;
} bn_wl_far;

typedef struct {
    const bonsai_graph *g;
    const int32_t *nodes;       /* requested, or NULL: all own */
    int64_t count, f;
    int64_t first, n;           /* own nodes: the first one, and how many */
    int     layers, threads;
    const bn_place *at;
    bn_rule rule;
    bool    sparse;             /* sparse features */
    float  *factor;             /* n: see embed.h; 0: no neighbour */
    uint8_t *need;              /* n: each row is needed at the levels below this; NULL: at all */
    bn_wl_list in, out;         /* halo rows, and own rows that are in the halo of others */
    int64_t *in_bytes, *out_bytes;      /* ranks */
    int32_t *neighbors;         /* of own nodes, as local rows; NULL: those of the graph */
    uint8_t *outer;             /* n: has a neighbour in the halo; NULL: none has */
    bn_wl_rows x;              /* current sparse embedding; offsets NULL: the features themselves */
    bn_wl_far far;
    int     done;               /* rounds done on x */
    int64_t bad;                /* numbers of the result that are not finite */
} bn_wl_run;

static inline bn_world *bn_wl_world(const bn_wl_run *w)
{
    return w->at->world;
}

/* Estimates how many rows are added to average `rows` rows: the work of a team (bn_team). */
static inline double bn_wl_numbers(const bn_wl_run *w, int64_t rows)
{
    double edges = (double)(bn_row_begin(w->g, w->first + w->n) - bn_row_begin(w->g, w->first));
    return (double)rows * (1 + edges / (double)(w->n + 1));
}

/* Returns need[] of a row that is needed at this level and below. */
static inline uint8_t bn_wl_mark(int level)
{
    return (uint8_t)((level < BN_WL_LEVELS ? level : BN_WL_LEVELS) + 1);
}

static inline bool bn_wl_needs(const uint8_t *need, int64_t i, int level)
{
    return !need || need[i] >= bn_wl_mark(level);
}

typedef struct {
    const int32_t *id;          /* local rows */
    const float *weight;        /* or NULL */
    int64_t count;
} bn_wl_edges;

static inline bn_wl_edges bn_wl_edges_of(const bn_wl_run *w, int64_t v)
{
    const float *weight = w->g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    int64_t e = bn_row_begin(w->g, w->first + v), end = bn_row_begin(w->g, w->first + v + 1);
    const int32_t *id = w->neighbors ? w->neighbors + (e - bn_row_begin(w->g, w->first))
                                     : bn_neighbors(w->g) + e;
    return (bn_wl_edges){id, weight ? weight + e : NULL, end - e};
}

/* ---- a sparse row, wherever it is ---- */

typedef struct {
    const void *index, *value;  /* value NULL: all 1 */
    int64_t count;
    float   scale;
    bool    narrow;             /* indices of 16 bits, else 32 */
    bonsai_type type;           /* of the values: F32, U8 or I8 */
} bn_wl_row;

static inline int32_t bn_wl_index(const bn_wl_row *r, int64_t e)
{
    return r->narrow ? ((const uint16_t *)r->index)[e] : ((const int32_t *)r->index)[e];
}

static inline float bn_wl_value(const bn_wl_row *r, int64_t e)
{
    if (!r->value)
        return r->scale;
    if (r->type == BONSAI_TYPE_F32)
        return r->scale * ((const float *)r->value)[e];
    return r->scale * (r->type == BONSAI_TYPE_U8 ? (float)((const uint8_t *)r->value)[e]
                                            : (float)((const int8_t *)r->value)[e]);
}

static inline bn_wl_row bn_wl_feature_row(const bonsai_graph *g, int64_t v)
{
    const bonsai_array *offsets = &g->view.section[BONSAI_SECTION_FEATURE_OFFSETS];
    const bonsai_array *index = &g->view.section[BONSAI_SECTION_FEATURE_INDICES];
    const bonsai_array *value = &g->view.section[BONSAI_SECTION_FEATURE_VALUES];
    const float *scale = g->view.section[BONSAI_SECTION_FEATURE_SCALE].data;
    int64_t e = bn_int_at(offsets, v), end = bn_int_at(offsets, v + 1);
    const char *i = index->data, *x = value->data;
    return (bn_wl_row){.index = i + e * (index->type == BONSAI_TYPE_U16 ? 2 : 4),
                       .value = x ? x + e * (value->type == BONSAI_TYPE_F32 ? 4 : 1) : NULL,
                       .count = end - e, .scale = scale ? scale[v] : 1.0f,
                       .narrow = index->type == BONSAI_TYPE_U16, .type = value->type};
}

/* Returns a local row at level w->done. */
static inline bn_wl_row bn_wl_row_of(const bn_wl_run *w, int64_t u)
{
    bn_wl_row r = {.scale = 1.0f, .type = BONSAI_TYPE_F32};
    if (u >= w->n) {
        int64_t e = w->far.offsets[u - w->n];
        r.count = w->far.offsets[u - w->n + 1] - e;
        r.index = w->far.data + 2 * e;
        r.value = w->far.data + 2 * e + r.count;
        return r;
    }
    if (!w->x.offsets)
        return bn_wl_feature_row(w->g, w->first + u);
    int64_t e = w->x.offsets[u];
    r.count = w->x.offsets[u + 1] - e;
    r.index = w->x.index + e;
    r.value = w->x.value + e;
    return r;
}

/* ---- the next row of a node (wl_sum.c) ---- */

typedef struct {                /* a thread's sums; sum and touched are zero between rows */
    float   *sum;               /* f */
    float   *own;               /* f: the node's own entries after the round */
    uint8_t *touched;           /* stretches of features */
} bn_wl_sum;

bonsai_status bn_wl_sum_new(bn_wl_sum *k, int64_t f);
void bn_wl_sum_free(bn_wl_sum *k);
/* Returns at least the entries of v's next row, which takes room for BN_PACK_ROOM more while
 * made. */
int64_t bn_wl_bound(const bn_wl_run *w, int64_t v);
int64_t bn_wl_sum_sparse(int32_t *index, float *value, bn_wl_sum *k, const bn_wl_run *w, int64_t v,
                         int64_t bound);
void bn_wl_sum_dense(float *to, bn_wl_sum *k, const bn_wl_run *w, int64_t v);  /* to: f zeros */
/* Copies the non-zeros of a row; index NULL: only counts them. */
int64_t bn_wl_pick(int32_t *index, float *value, const bn_wl_row *r);

/* Counts numbers that are not finite. */
static inline int64_t bn_wl_not_finite(const float *x, int64_t count)
{
    int64_t bad = 0;
    for (int64_t i = 0; i < count; i++)
        bad += !isfinite(x[i]);
    return bad;
}

/* ---- wl.c ---- */

bonsai_status bn_wl_tick(const bn_wl_run *w, int rounds, int64_t done, int64_t total);

/* ---- which rows are needed, and from which rank (wl_halo.c).  Collective ---- */

bonsai_status bn_wl_reach(bn_wl_run *w);
void bn_wl_reach_free(bn_wl_run *w);
/* Sets rows and place of both lists for a level. */
void bn_wl_lists_at(bn_wl_run *w, int level);
/* Returns how many own rows are needed at a level. */
int64_t bn_wl_needed(const bn_wl_run *w, int level);

/* ---- dense rounds (wl_dense.c).  Collective ---- */

bonsai_status bn_wl_dense(bn_embedding *out, bn_wl_run *w);    /* all remaining */

/* ---- sparse rounds (wl_sparse.c, wl_far.c).  Collective ---- */

/* Replaces x by the next embedding of own nodes; last: of the requested nodes. */
bonsai_status bn_wl_sparse_step(bn_wl_run *w, bool last);
bonsai_status bn_wl_sparse_pick(bn_wl_run *w);          /* x = the features of requested nodes */
/* Makes dense rows of sparse ones in the last round (wl_last.c). */
bonsai_status bn_wl_last_dense(bn_embedding *out, bn_wl_run *w);
/* Estimates, from some rows, whether most of the result will not be zero. */
bonsai_status bn_wl_fills(bool *out, const bn_wl_run *w);
void bn_wl_rows_free(bn_wl_rows *r);
/* Starts to fetch rows of the halo at a level; they are there after bn_exchange_finish. */
bonsai_status bn_wl_far_start(bn_wl_run *w, int level);
/* Runs a round of sparse rows: pass 0 of the rows that need no halo, while its rows travel, then
 * pass 1 of the others.  *mine: whether this rank could make its rows; all ranks continue until
 * they agree. */
typedef bonsai_status bn_wl_pass_fn(void *round, int pass);
bonsai_status bn_wl_passes(bonsai_status *mine, bn_wl_run *w, bn_wl_pass_fn *run, void *round);
void bn_wl_far_free(bn_wl_run *w);

#endif
