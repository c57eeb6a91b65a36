/* near.h -- what a node looks like to those who choose nodes: its neighbours, and what its row of
 * features means for a price.
 *
 * Rows are looked at when their nodes first come near a set; what they mean is kept by slot, so
 * that memory grows with the nodes that were touched and not with the graph.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_NEAR_H
#define BN_NEAR_H

#include "base/slots.h"
#include "condense.h"

typedef struct {                /* the entries of a node */
    const int32_t *to;
    const float   *weight;      /* NULL: none in the graph */
    int64_t        count;
} bn_near;

/* Encodings that a row forbids the whole; the first BN_ENCODING_BITS.  KNOWN: it was looked at. */
enum { BN_NOT_ONES = 1, BN_NOT_HALF = 2, BN_NOT_U8 = 4, BN_NOT_I8 = 8, BN_NOT_INTEGER = 16,
       BN_KNOWN = 128 };

typedef struct {
    double  bytes;              /* STRICT: that the row needs at least; else the sum of its values */
    int32_t nnz;
    int32_t traits;             /* of the above */
} bn_row_facts;

struct bn_reader {
    const bonsai_graph *g;
    bonsai_accounting accounting;
    bn_slots      slots;        /* of the touched nodes */
    bn_row_facts *facts;        /* by slot */
    int64_t       room;         /* of facts */
    float        *row_value;    /* one row */
    int32_t      *row_index;
};

static inline int64_t bn_degree(const bonsai_graph *g, int32_t node)
{
    return bn_row_begin(g, (int64_t)node + 1) - bn_row_begin(g, node);
}

static inline bn_near bn_near_of(const bn_reader *r, int32_t node)
{
    const float *w = r->g->view.section[BONSAI_EDGE_WEIGHTS].data;
    int64_t begin = bn_row_begin(r->g, node);
    return (bn_near){bn_neighbors(r->g) + begin, w ? w + begin : NULL,
                     bn_row_begin(r->g, (int64_t)node + 1) - begin};
}

/* Looks at a row for the first time. */
bonsai_status bn_reader_learn(bn_row_facts *out, bn_reader *r, int32_t node);

static inline bonsai_status bn_reader_facts(bn_row_facts *out, bn_reader *r, int32_t node)
{
    int64_t slot = bn_slots_find(&r->slots, node);
    if (slot < 0 || !(r->facts[slot].traits & BN_KNOWN))
        return bn_reader_learn(out, r, node);
    *out = r->facts[slot];
    return BONSAI_OK;
}

/* Of a node whose facts have been asked for. */
static inline bn_row_facts bn_reader_known(const bn_reader *r, int32_t node)
{
    return r->facts[bn_slots_find(&r->slots, node)];
}

/* The nodes of the priced set, as bits. */
const uint64_t *bn_price_bits(const bn_price *p);

#endif
