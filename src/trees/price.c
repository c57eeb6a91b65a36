/* price.c -- the price of a set of nodes, to the byte, while nodes are added and removed.
 *
 * The price follows from totals: nodes, entries, non-zero features, and the number of rows that
 * forbid each encoding, by the rules of the writer for an encoding of all columns.  Where the
 * writer stores dense features only for the columns in use, the graph is smaller than its price.
 * Adding a node is O(degree), and O(row) the first time; the price is O(1).
 *
 * By the strict accounting a price never falls when a node is added.  By the paper's it may: one
 * more row can turn all features from dense to sparse.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "reader.h"

enum { TRAITS = BN_ENCODING_BITS };

typedef struct {
    int64_t nodes, entries, loops, nnz;
    int64_t rows_with[TRAITS];  /* rows that have each BN_NOT_ bit */
    double  sum;                /* of feature values, on the grid of the rows' sums; PAPER only */
    double  least;              /* of bn_price_least */
} totals;

struct bn_price {
    const bonsai_graph *g;
    bn_reader *reader;
    bool      strict;
    totals    now, marked;
    uint64_t *in;               /* n bits */
    int       label_bytes, entry_bytes;
};

bonsai_status bn_price_new(bn_price **out, bn_reader *r)
{
    bonsai_status rc;
    bn_price *p = NULL;
    int64_t c = r->g->view.classes;
    *out = NULL;
    BN_TRY(BN_NEW(&p, 1));
    p->g = r->g;
    p->reader = r;
    p->strict = r->accounting == BONSAI_ACCOUNTING_STRICT;
    p->label_bytes = !bn_has(r->g, BONSAI_SECTION_LABELS) ? 0 : c <= 255 ? 1 : c <= 65535 ? 2 : 4;
    p->entry_bytes = bn_has(r->g, BONSAI_SECTION_EDGE_WEIGHTS) ? 8 : 4;
    BN_TRY(BN_NEW(&p->in, BN_WORDS(r->g->view.nodes)));
    *out = p;
    p = NULL;
done:
    bn_price_free(p);
    return rc;
}

void bn_price_free(bn_price *p)
{
    if (!p)
        return;
    bn_free(p->in);
    bn_free(p);
}

/* ---- rows ---- */

static double least_of(const bn_price *p, const bn_row_facts *f)
{
    if (p->strict)
        return f->bytes + 4 + p->label_bytes;
    double row = fmin(2 * (double)p->g->view.features, f->bytes);
    if (!(f->traits & BN_NOT_INTEGER))
        row = fmin(row, 2 * (double)f->nnz);
    return 2 * (row + 2);
}

bonsai_status bn_price_least(double *out, bn_price *p, int32_t v)
{
    bn_row_facts f;
    bonsai_status rc = bn_reader_facts(&f, p->reader, v);
    *out = rc == BONSAI_OK ? least_of(p, &f) : 0;
    return rc;
}

bonsai_status bn_price_row(int64_t *nnz, int *forbids, bn_price *p, int32_t v)
{
    bn_row_facts f = {0};
    bonsai_status rc = bn_reader_facts(&f, p->reader, v);
    *forbids = f.traits & (BN_KNOWN - 1);
    *nnz = f.nnz;
    return rc;
}

/* ---- adding and removing nodes ---- */

/* Adds (by = 1) or subtracts (by = -1) a node that is not marked as in the set. */
static void change(bn_price *p, int32_t v, const bn_row_facts *f, int by)
{
    const bn_near near = bn_near_of(p->reader, v);
    totals *t = &p->now;
    int64_t loops = 0, links = 0;
    for (int64_t e = 0; e < near.count; e++) {
        loops += near.to[e] == v;
        links += bn_bit(p->in, near.to[e]);
    }
    t->least += by * least_of(p, f);
    t->nodes += by;
    t->entries += by * (2 * links + loops);
    t->loops += by * loops;
    t->nnz += by * (int64_t)f->nnz;
    for (int i = 0; i < TRAITS; i++)
        t->rows_with[i] += f->traits & 1 << i ? by : 0;
    if (!p->strict)
        t->sum += by * f->bytes;
}

bonsai_status bn_price_add(bn_price *p, int32_t node)
{
    bonsai_status rc;
    bn_row_facts f;
    BN_TRY(bn_reader_want(p->reader, &node, 1, BN_WHOLE));
    BN_TRY(bn_reader_facts(&f, p->reader, node));
    change(p, node, &f, 1);
    bn_bit_set(p->in, node);
done:
    return rc;
}

void bn_price_again(bn_price *p, int32_t node)
{
    const bn_row_facts f = bn_reader_known(p->reader, node);
    change(p, node, &f, 1);
    bn_bit_set(p->in, node);
}

void bn_price_remove(bn_price *p, int32_t node)
{
    const bn_row_facts f = bn_reader_known(p->reader, node);
    bn_bit_clear(p->in, node);
    change(p, node, &f, -1);
}

void bn_price_mark(bn_price *p)
{
    p->marked = p->now;
}

void bn_price_undo(bn_price *p, const int32_t *nodes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        bn_bit_clear(p->in, nodes[i]);
    p->now = p->marked;
}

const uint64_t *bn_price_bits(const bn_price *p)
{
    return p->in;
}

int64_t bn_price_nodes(const bn_price *p)
{
    return p->now.nodes;
}

int64_t bn_price_entries(const bn_price *p)
{
    return p->now.entries;
}

/* ---- totals ---- */

static int64_t feature_bytes(const bn_price *p, bool *dense)
{
    const totals *n = &p->now;
    bn_traits t = {n->nnz, n->rows_with[0] == 0, n->rows_with[1] == 0, n->rows_with[2] == 0,
                   n->rows_with[3] == 0, false, n->rows_with[5] == 0, n->rows_with[6] == 0, 0,
                   false};
    if (!p->strict)
        t = bn_traits_mapped(&t);
    if (!bn_has(p->g, BONSAI_SECTION_FEATURES) && !bn_has(p->g, BONSAI_SECTION_FEATURE_OFFSETS))
        return 0;
    return bn_traits_bytes(&t, n->nodes, p->g->view.features, dense);
}

/* Returns the published code's price of a condensed graph: doc/bytes.md. */
static double paper_bytes(const bn_price *p)
{
    const totals *t = &p->now;
    bool dense = false;
    feature_bytes(p, &dense);
    double n = (double)t->nodes, edges = (double)(t->entries - t->loops) / 2 + n;
    bool integer = t->rows_with[4] == 0, binary = t->rows_with[0] == 0;
    double rows = bn_paper_rows(dense, integer && !binary, n * (double)p->g->view.features, t->nnz,
                                t->sum);
    return 2 * (rows + 2 * edges);
}

double bn_price_bytes(const bn_price *p)
{
    const totals *t = &p->now;
    if (!p->strict)
        return paper_bytes(p);
    int64_t offset = t->entries <= (int64_t)UINT32_MAX ? 4 : 8;
    return (double)((t->nodes + 1) * offset + t->entries * p->entry_bytes +
                    t->nodes * p->label_bytes + feature_bytes(p, NULL));
}

double bn_price_floor(const bn_price *p)
{
    return p->strict ? bn_price_bytes(p) : p->now.least;
}

double bn_price_entry(const bn_price *p)
{
    return p->strict ? p->entry_bytes : 0;
}
