/* reader.h -- reads nodes for the selection stages: neighbours, and what a row of features adds to
 * a price.
 *
 * The facts of a row are found when its node is first looked at, and kept by slot, so that memory
 * grows with the nodes that were looked at and not with the graph.
 *
 * On several ranks rank 0 reads and the others answer: bn_reader_serve.  Answers are kept until the
 * reader is freed.  A stage asks ahead for what it will read, because many questions together are
 * one message to each rank and one back; anything else is fetched when it is read.  On one rank
 * asking does nothing.
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

/* Encodings that a row forbids for all rows; the first BN_ENCODING_BITS.  KNOWN: facts are
 * filled. */
enum { BN_NOT_ONES = 1, BN_NOT_HALF = 2, BN_NOT_U8 = 4, BN_NOT_I8 = 8, BN_NOT_INTEGER = 16,
       BN_NOT_Q4 = 32, BN_NOT_S4 = 64, BN_KNOWN = 128 };

typedef struct {
    double  bytes;              /* STRICT: that the row needs at least; else the sum of it */
    int32_t nnz;
    int32_t traits;             /* of the above */
} bn_row_facts;

typedef struct {                /* entries of another rank's node, as far as they are fetched */
    int32_t *to;
    float   *weight;
    int64_t  count, room;
} bn_kept;

typedef struct {                /* a question: the row's facts, and entries from .. to-1 */
    int64_t node, from, to;
    int64_t room;               /* entries to make room for */
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

/* Returns the entries of a node; of another rank's, those that were fetched. */
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

/* Makes the reader of a job, on rank 0; then the others serve it.  Borrows the job's place. */
bonsai_status bn_reader_of(bn_reader **out, const bn_job *job);
/* Answers on the other ranks until rank 0 calls bn_reader_done, which it must, even if it fails. */
bonsai_status bn_reader_serve(const bn_job *job);
void          bn_reader_done(const bn_job *job);

/* ---- asking ahead ---- */

#define BN_WHOLE INT64_MAX     /* as many entries as there are */

bonsai_status bn_reader_question(bn_reader *r, int32_t node, int64_t entries);
bonsai_status bn_reader_answers(bn_reader *r);

/* Asks for the facts and the first `entries` entries of a node; bn_reader_fetch fetches what was
 * asked for and is not here yet. */
static inline bonsai_status bn_reader_ask(bn_reader *r, int32_t node, int64_t entries)
{
    return node < r->own ? BONSAI_OK : bn_reader_question(r, node, entries);
}

static inline bonsai_status bn_reader_fetch(bn_reader *r)
{
    return r->asks == 0 ? BONSAI_OK : bn_reader_answers(r);
}

/* Returns whether reading may take messages. */
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

/* Returns the facts of a node of this rank, read from its row. */
bn_row_facts bn_reader_look(bn_reader *r, int32_t node);
/* Finds the slot of a node, or adds one. */
bonsai_status bn_reader_slot(int64_t *slot, bn_reader *r, int32_t node);
/* Reads the facts of a node for the first time. */
bonsai_status bn_reader_learn(bn_row_facts *out, bn_reader *r, int32_t node);

static inline bonsai_status bn_reader_facts(bn_row_facts *out, bn_reader *r, int32_t node)
{
    int64_t slot = bn_slotmap_find(&r->slots, node);
    if (slot < 0 || !(r->facts[slot].traits & BN_KNOWN))
        return bn_reader_learn(out, r, node);
    *out = r->facts[slot];
    return BONSAI_OK;
}

/* Returns the facts of a node that were read before. */
static inline bn_row_facts bn_reader_known(const bn_reader *r, int32_t node)
{
    return r->facts[bn_slotmap_find(&r->slots, node)];
}

#endif
