/* price.c -- the price of a growing and shrinking set of nodes, to the byte.
 *
 * Running totals are enough: nodes, entries, non-zero features, and how many rows
 * forbid each encoding.  The bytes follow from them by the same rules as those of
 * the writer.  A node costs O(degree), and O(row) the first time; totals O(1).
 *
 * By our accounting a price never falls when a node comes.  By the paper's it may:
 * one more row can turn the whole from dense to sparse.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "condense.h"

enum { NOT_ONES = 1, NOT_HALF = 2, NOT_U8 = 4, NOT_I8 = 8, NOT_INTEGER = 16, KNOWN = 128,
       TRAITS = BN_ENCODING_BITS };

typedef struct {
    int64_t nodes, entries, loops, nnz;
    int64_t rows_with[TRAITS];  /* rows that have each NOT_ bit */
    double  sum;                /* of feature values, on the grid of row_sum; PAPER only */
    double  least;              /* of bn_price_least */
} totals;

struct bn_price {
    const bonsai_graph *g;
    bonsai_accounting accounting;
    totals   now, marked;
    uint8_t *in;                /* n */
    uint8_t *trait;             /* n: NOT_ bits, once KNOWN */
    int32_t *row_nnz;           /* n, once KNOWN */
    int32_t *row_least;         /* n, once KNOWN: bytes that the row alone needs; STRICT only */
    double  *row_sum;           /* n, once KNOWN; PAPER only */
    float   *row_value;         /* one row */
    int32_t *row_index;
    int      label_bytes;
};

bonsai_status bn_price_new(bn_price **out, const bonsai_graph *g, bonsai_accounting accounting)
{
    bonsai_status rc;
    bn_price *p = NULL;
    int64_t n = g->view.nodes, c = g->view.classes, room = bn_row_room(g);
    *out = NULL;
    BN_TRY(BN_NEW(&p, 1));
    p->g = g;
    p->accounting = accounting;
    p->label_bytes = !bn_has(g, BONSAI_LABELS) ? 0 : c <= 255 ? 1 : c <= 65535 ? 2 : 4;
    BN_TRY(BN_NEW(&p->in, n));
    BN_TRY(BN_NEW(&p->trait, n));
    BN_TRY(BN_NEW(&p->row_nnz, n));
    if (accounting == BONSAI_STRICT)
        BN_TRY(BN_NEW(&p->row_least, n));
    else
        BN_TRY(BN_NEW(&p->row_sum, n));
    BN_TRY(BN_NEW(&p->row_value, room));
    BN_TRY(BN_NEW(&p->row_index, room));
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
    bn_free(p->trait);
    bn_free(p->row_nnz);
    bn_free(p->row_least);
    bn_free(p->row_sum);
    bn_free(p->row_value);
    bn_free(p->row_index);
    bn_free(p);
}

/* ---- rows: looked at when their nodes first come near the set ---- */

/* Rounded up to a grid on which sums are exact in any order, so that a node that
 * comes and goes leaves no trace and the price is never below the graph's own. */
static double sum_on_grid(const float *value, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)value[i];
    return fabs(sum) < 0x1p33 ? ceil(sum * 0x1p20) * 0x1p-20 : sum;
}

/* A sparse graph has one feature offset more than it has rows; those 4 bytes are not
 * the row's. */
static int32_t least_of_row(const bn_price *p, const bn_traits *t)
{
    int64_t bytes = bn_traits_bytes(t, 1, p->g->view.features, NULL);
    bytes = bytes > 4 ? bytes - 4 : 0;
    return bytes < INT32_MAX ? (int32_t)bytes : INT32_MAX;
}

static void learn_row(bn_price *p, int32_t v)
{
    if (p->trait[v] & KNOWN)
        return;
    bn_traits t = {0, true, true, true, true, false};
    bool integer = true;
    int64_t count = bn_row_get(p->row_index, p->row_value, p->g, v);
    bn_traits_add(&t, p->row_value, count, bn_row_hint(p->g, v));
    for (int64_t i = 0; i < count && integer; i++)
        integer = rintf(p->row_value[i]) == p->row_value[i];
    p->row_nnz[v] = (int32_t)count;
    if (p->row_sum)
        p->row_sum[v] = sum_on_grid(p->row_value, count);
    else
        p->row_least[v] = least_of_row(p, &t);
    p->trait[v] = (uint8_t)(KNOWN | (t.ones ? 0 : NOT_ONES) | (t.half ? 0 : NOT_HALF) |
                            (t.u8 ? 0 : NOT_U8) | (t.i8 ? 0 : NOT_I8) |
                            (integer ? 0 : NOT_INTEGER));
}

double bn_price_least(bn_price *p, int32_t v)
{
    learn_row(p, v);
    if (p->row_least)
        return (double)p->row_least[v] + 4 + p->label_bytes;
    double row = fmin(2 * (double)p->g->view.features, p->row_sum[v]);
    if (!(p->trait[v] & NOT_INTEGER))
        row = fmin(row, 2 * (double)p->row_nnz[v]);
    return 2 * (row + 2);
}

int64_t bn_price_row(int *forbids, bn_price *p, int32_t v)
{
    learn_row(p, v);
    *forbids = p->trait[v] & ~KNOWN;
    return p->row_nnz[v];
}

/* ---- nodes come and go ---- */

/* Adds (by = 1) or takes away (by = -1) a node that is not marked as in. */
static void change(bn_price *p, int32_t v, int by)
{
    const int32_t *to = bn_neighbors(p->g);
    totals *t = &p->now;
    int64_t loops = 0, links = 0, end = bn_row_begin(p->g, v + 1);
    for (int64_t e = bn_row_begin(p->g, v); e < end; e++) {
        loops += to[e] == v;
        links += p->in[to[e]];
    }
    t->least += by * bn_price_least(p, v);
    t->nodes += by;
    t->entries += by * (2 * links + loops);
    t->loops += by * loops;
    t->nnz += by * (int64_t)p->row_nnz[v];
    for (int i = 0; i < TRAITS; i++)
        t->rows_with[i] += p->trait[v] & 1 << i ? by : 0;
    if (p->row_sum)
        t->sum += by * p->row_sum[v];
}

void bn_price_add(bn_price *p, int32_t node)
{
    change(p, node, 1);
    p->in[node] = 1;
}

void bn_price_remove(bn_price *p, int32_t node)
{
    p->in[node] = 0;
    change(p, node, -1);
}

void bn_price_mark(bn_price *p)
{
    p->marked = p->now;
}

void bn_price_undo(bn_price *p, const int32_t *nodes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        p->in[nodes[i]] = 0;
    p->now = p->marked;
}

bool bn_price_has(const bn_price *p, int32_t node)
{
    return p->in[node];
}

int64_t bn_price_nodes(const bn_price *p)
{
    return p->now.nodes;
}

/* ---- totals ---- */

static int64_t feature_bytes(const bn_price *p, bool *dense)
{
    const totals *n = &p->now;
    bn_traits t = {n->nnz, n->rows_with[0] == 0, n->rows_with[1] == 0, n->rows_with[2] == 0,
                   n->rows_with[3] == 0, false};
    if (!bn_has(p->g, BONSAI_FEATURES) && !bn_has(p->g, BONSAI_FEATURE_OFFSETS))
        return 0;
    return bn_traits_bytes(&t, n->nodes, p->g->view.features, dense);
}

/* SPEC section 4: the published code's price of a condensed graph. */
static double paper_bytes(const bn_price *p)
{
    const totals *t = &p->now;
    bool dense = false;
    feature_bytes(p, &dense);
    double n = (double)t->nodes, edges = (double)(t->entries - t->loops) / 2 + n;
    bool integer = t->rows_with[4] == 0, binary = t->rows_with[0] == 0;
    double rows = dense ? 2 * n * (double)p->g->view.features
                  : integer && !binary ? 2 * (double)t->nnz : t->sum;
    return 2 * (rows + 2 * edges);
}

double bn_price_bytes(const bn_price *p)
{
    const totals *t = &p->now;
    if (p->accounting != BONSAI_STRICT)
        return paper_bytes(p);
    int64_t width = bn_has(p->g, BONSAI_EDGE_WEIGHTS) ? 8 : 4;
    int64_t offset = t->entries <= (int64_t)UINT32_MAX ? 4 : 8;
    return (double)((t->nodes + 1) * offset + t->entries * width + t->nodes * p->label_bytes +
                    feature_bytes(p, NULL));
}

double bn_price_floor(const bn_price *p)
{
    return p->accounting == BONSAI_STRICT ? bn_price_bytes(p) : p->now.least;
}
