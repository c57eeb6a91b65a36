/* reader.h -- the graph as the selection stages see it: the neighbours of a node, and what its row
 * of features means for a price.
 *
 * A row is read when its node first comes near a set, and what it means is kept by slot, so that
 * memory grows with the nodes that were touched and not with the graph.
 *
 * On several ranks rank 0 reads and the others answer it: bn_reader_serve.  Answers are kept until
 * the reader is freed.  A stage that knows what it will read asks ahead, because all of it together
 * is one message to each rank and one back; what was not asked for is fetched when it is read.
 * On one rank asking does nothing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_READER_H
#define BN_READER_H

#include "base/slotmap.h"
#include "trees.h"

typedef struct {                /* the entries of a node */
    const int32_t *to;
    const float   *weight;      /* NULL: none in the graph */
    int64_t        count;
} bn_near;

/* Encodings that a row forbids the whole; the first BN_ENCODING_BITS.  KNOWN: it was looked at. */
enum { BN_NOT_ONES = 1, BN_NOT_HALF = 2, BN_NOT_U8 = 4, BN_NOT_I8 = 8, BN_NOT_INTEGER = 16,
       BN_NOT_Q4 = 32, BN_NOT_S4 = 64, BN_KNOWN = 128 };

typedef struct {
    double  bytes;              /* STRICT: that the row needs at least; else the sum of it */
    int32_t nnz;
    int32_t traits;             /* of the above */
} bn_row_facts;

typedef struct {                /* what has come of the entries of another rank's node */
    int32_t *to;
    float   *weight;
    int64_t  count, room;
} bn_kept;

typedef struct {                /* a question: the row's facts, and entries from .. to-1 */
    int64_t node, from, to;
    int64_t room;               /* for so many of them in the end */
} bn_ask;

struct bn_reader {
    const bonsai_graph *g;
    bonsai_accounting accounting;
    bn_slotmap      slots;        /* of the touched nodes */
    bn_row_facts *facts;        /* by slot */
    int64_t       room;         /* of facts */
    float        *row_value;    /* one row */
    int32_t      *row_index;
    int64_t       own;          /* nodes below are read from the graph: alone, all */
    /* on several ranks */
    const bn_place *at;
    bn_kept *kept;              /* by slot */
    int64_t  kept_room;
    bn_ask  *ask;               /* to be sent */
    int64_t  asks, entries;     /* of them, and what they ask for together */
    void   **block;             /* from BN_BIG: the entries that are kept */
    int64_t  blocks, block_room;
    char    *free;              /* what is left of the last one */
    int64_t  left;
};

static inline int64_t bn_degree(const bonsai_graph *g, int32_t node)
{
    return bn_row_begin(g, (int64_t)node + 1) - bn_row_begin(g, node);
}

/* The entries of a node; of another rank's, those that have come. */
static inline bn_near bn_near_of(const bn_reader *r, int32_t node)
{
    const float *w = r->g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    int64_t begin = bn_row_begin(r->g, node);
    if (node < r->own)
        return (bn_near){bn_neighbors(r->g) + begin, w ? w + begin : NULL,
                         bn_row_begin(r->g, (int64_t)node + 1) - begin};
    int64_t slot = bn_slotmap_find(&r->slots, node);
    if (slot < 0)
        return (bn_near){NULL, NULL, 0};
    return (bn_near){r->kept[slot].to, r->kept[slot].weight, r->kept[slot].count};
}

static inline bonsai_accounting bn_job_accounting(const bn_job *job)
{
    return job->o->accounting == BONSAI_ACCOUNTING_STRICT ? BONSAI_ACCOUNTING_STRICT
                                                          : BONSAI_ACCOUNTING_PAPER_CONDENSED;
}

/* A reader for a job, on rank 0; then the others serve it.  Borrows the job's place. */
bonsai_status bn_reader_of(bn_reader **out, const bn_job *job);
/* On the others: answers until rank 0 says that it is done, which it must, whatever happens. */
bonsai_status bn_reader_serve(const bn_job *job);
void          bn_reader_done(const bn_job *job);

/* ---- asking ahead ---- */

#define BN_WHOLE INT64_MAX     /* as many entries as there are */

bonsai_status bn_reader_question(bn_reader *r, int32_t node, int64_t entries);
bonsai_status bn_reader_answers(bn_reader *r);

/* Facts and the first so many entries of a node will be read; bn_reader_fetch gets what has been
 * asked for, if it has not come before. */
static inline bonsai_status bn_reader_ask(bn_reader *r, int32_t node, int64_t entries)
{
    return node < r->own ? BONSAI_OK : bn_reader_question(r, node, entries);
}

static inline bonsai_status bn_reader_fetch(bn_reader *r)
{
    return r->asks == 0 ? BONSAI_OK : bn_reader_answers(r);
}

/* Whether reading may take messages. */
static inline bool bn_reader_remote(const bn_reader *r)
{
    return r->at != NULL;
}

bonsai_status bn_reader_get(bn_reader *r, const int32_t *nodes, int64_t count, int64_t entries);

/* Asks for some nodes and fetches them. */
static inline bonsai_status bn_reader_want(bn_reader *r, const int32_t *nodes, int64_t count,
                                           int64_t entries)
{
    return bn_reader_remote(r) ? bn_reader_get(r, nodes, count, entries) : BONSAI_OK;
}

/* ---- facts ---- */

/* Of a node of this rank. */
bn_row_facts bn_reader_look(bn_reader *r, int32_t node);
/* The slot of a node, which may be new. */
bonsai_status bn_reader_slot(int64_t *slot, bn_reader *r, int32_t node);
/* Looks at a row for the first time. */
bonsai_status bn_reader_learn(bn_row_facts *out, bn_reader *r, int32_t node);

static inline bonsai_status bn_reader_facts(bn_row_facts *out, bn_reader *r, int32_t node)
{
    int64_t slot = bn_slotmap_find(&r->slots, node);
    if (slot < 0 || !(r->facts[slot].traits & BN_KNOWN))
        return bn_reader_learn(out, r, node);
    *out = r->facts[slot];
    return BONSAI_OK;
}

/* Of a node whose facts have been asked for. */
static inline bn_row_facts bn_reader_known(const bn_reader *r, int32_t node)
{
    return r->facts[bn_slotmap_find(&r->slots, node)];
}

/* The nodes of the priced set, as bits. */
const uint64_t *bn_price_bits(const bn_price *p);

#endif
