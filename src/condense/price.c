/* price.c -- the price of a growing and shrinking set of nodes, to the byte.
 *
 * Running totals are enough: nodes, entries, non-zero features, and how many rows
 * forbid each encoding.  The bytes follow from them by the same rules as those of
 * the writer.  A node costs O(degree + row); totals O(1).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "condense.h"

enum { NOT_ONES = 1, NOT_HALF = 2, NOT_U8 = 4, NOT_I8 = 8, NOT_INTEGER = 16, KNOWN = 128, TRAITS = 5 };

struct bn_price {
    const bonsai_graph *g;
    bonsai_accounting accounting;
    int64_t  nodes, entries, loops, nnz;
    int64_t  rows_with[TRAITS]; /* rows that have each NOT_ bit */
    double   sum;               /* of feature values; exact while they are ordinary floats */
    uint8_t *in;                /* n */
    uint8_t *trait;             /* n: NOT_ bits, once KNOWN */
    int32_t *row_nnz;           /* n, once KNOWN */
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
    bn_free(p->row_value);
    bn_free(p->row_index);
    bn_free(p);
}

/* A row is looked at when its node first comes near the set. */
static void learn_row(bn_price *p, int32_t v)
{
    if (p->trait[v] & KNOWN)
        return;
    bn_traits t = {0, true, true, true, true, false};
    bool integer = true;
    int64_t count = bn_row_get(p->row_index, p->row_value, p->g, v);
    bn_traits_add(&t, p->row_value, count, bn_row_hint(p->g, v));
    for (int64_t i = 0; i < count; i++)
        integer &= rintf(p->row_value[i]) == p->row_value[i];
    p->row_nnz[v] = (int32_t)count;
    p->trait[v] = (uint8_t)(KNOWN | (t.ones ? 0 : NOT_ONES) | (t.half ? 0 : NOT_HALF) |
                            (t.u8 ? 0 : NOT_U8) | (t.i8 ? 0 : NOT_I8) | (integer ? 0 : NOT_INTEGER));
}

static double row_sum(bn_price *p, int32_t v)
{
    double sum = 0;
    int64_t count = bn_row_get(p->row_index, p->row_value, p->g, v);
    for (int64_t i = 0; i < count; i++)
        sum += (double)p->row_value[i];
    return sum;
}

/* Adds (by = 1) or takes away (by = -1) a node that is not marked as in. */
static void change(bn_price *p, int32_t v, int by)
{
    const int32_t *to = bn_neighbors(p->g);
    int64_t loops = 0, links = 0, end = bn_row_begin(p->g, v + 1);
    for (int64_t e = bn_row_begin(p->g, v); e < end; e++) {
        loops += to[e] == v;
        links += p->in[to[e]];
    }
    learn_row(p, v);
    p->nodes += by;
    p->entries += by * (2 * links + loops);
    p->loops += by * loops;
    p->nnz += by * (int64_t)p->row_nnz[v];
    for (int t = 0; t < TRAITS; t++)
        p->rows_with[t] += p->trait[v] & 1 << t ? by : 0;
    if (p->accounting != BONSAI_STRICT)
        p->sum += by * row_sum(p, v);
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

bool bn_price_has(const bn_price *p, int32_t node)
{
    return p->in[node];
}

int64_t bn_price_nodes(const bn_price *p)
{
    return p->nodes;
}

static int64_t feature_bytes(const bn_price *p, bool *dense)
{
    int64_t f = p->g->view.features;
    bn_traits t = {p->nnz, p->rows_with[0] == 0, p->rows_with[1] == 0, p->rows_with[2] == 0,
                   p->rows_with[3] == 0, false};
    if (!bn_has(p->g, BONSAI_FEATURES) && !bn_has(p->g, BONSAI_FEATURE_OFFSETS))
        return 0;
    return bn_traits_bytes(&t, p->nodes, f, dense);
}

/* SPEC section 4: the published code's price of a condensed graph. */
static double paper_bytes(const bn_price *p)
{
    bool dense = false;
    feature_bytes(p, &dense);
    double n = (double)p->nodes, edges = (double)(p->entries - p->loops) / 2 + n;
    bool integer = p->rows_with[4] == 0, binary = p->rows_with[0] == 0;
    double rows = dense ? 2 * n * (double)p->g->view.features
                  : integer && !binary ? 2 * (double)p->nnz : p->sum;
    return 2 * (rows + 2 * edges);
}

double bn_price_bytes(const bn_price *p)
{
    if (p->accounting != BONSAI_STRICT)
        return paper_bytes(p);
    int64_t width = bn_has(p->g, BONSAI_EDGE_WEIGHTS) ? 8 : 4;
    int64_t offset = p->entries <= (int64_t)UINT32_MAX ? 4 : 8;
    return (double)((p->nodes + 1) * offset + p->entries * width + p->nodes * p->label_bytes +
                    feature_bytes(p, NULL));
}
