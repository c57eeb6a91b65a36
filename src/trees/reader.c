/* reader.c -- the graph as the selection stages see it; see reader.h.
 *
 * SPDX-License-Identifier: MIT */
#include "reader.h"

#include <math.h>

bonsai_status bn_reader_new(bn_reader **out, const bonsai_graph *g, bonsai_accounting accounting)
{
    bonsai_status rc;
    bn_reader *r = NULL;
    int64_t room = bn_row_room(g);
    *out = NULL;
    BN_TRY(BN_NEW(&r, 1));
    r->g = g;
    r->accounting = accounting;
    r->own = g->view.nodes;
    BN_TRY(bn_slotmap_new(&r->slots, g->view.nodes));
    BN_TRY(BN_NEW(&r->row_value, room));
    BN_TRY(BN_NEW(&r->row_index, room));
    *out = r;
    r = NULL;
done:
    bn_reader_free(r);
    return rc;
}

bonsai_status bn_reader_of(bn_reader **out, const bn_job *job)
{
    bonsai_status rc = bn_reader_new(out, job->g, bn_job_accounting(job));
    if (rc != BONSAI_OK || bn_ranks(job->at.world) == 1)
        return rc;
    (*out)->at = &job->at;
    (*out)->own = job->at.first[1];
    return BONSAI_OK;
}

void bn_reader_free(bn_reader *r)
{
    if (!r)
        return;
    for (int64_t i = 0; i < r->blocks; i++)
        bn_big_free(r->block[i]);
    bn_free(r->block);
    bn_free(r->ask);
    bn_free(r->kept);
    bn_slotmap_free(&r->slots);
    bn_free(r->facts);
    bn_free(r->row_value);
    bn_free(r->row_index);
    bn_free(r);
}

/* ---- rows ---- */

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
 * the row's.  Nor is the half byte that may end it, if its values have four bits. */
static double least_of_row(const bn_reader *r, const bn_traits *t)
{
    int64_t bytes = bn_traits_bytes(t, 1, r->g->view.features, NULL);
    double least = bytes <= 4 ? 0 : (double)(bytes - 4 < INT32_MAX ? bytes - 4 : INT32_MAX);
    return least > 0 && (t->q4 || t->s4) ? least - 0.5 : least;
}

/* The non-zero features of a node: where they are, if it has no zeros and they are floats; else a
 * copy. */
static const float *values_of(int64_t *count, bn_reader *r, int32_t v)
{
    const bonsai_array *x = &r->g->view.section[BONSAI_SECTION_FEATURES];
    const float *row = (const float *)x->data + (int64_t)v * r->g->view.features;
    bool plain = x->data && x->type == BONSAI_TYPE_F32 &&
                 !bn_has(r->g, BONSAI_SECTION_FEATURE_SCALE);
    *count = r->g->view.features;
    int64_t zeros = !plain;
    for (int64_t i = 0; i < *count && plain; i++)
        zeros += bn_is_zero(row[i]);
    if (zeros == 0)
        return row;
    *count = bn_row_get(r->row_index, r->row_value, r->g, v);
    return r->row_value;
}

bn_row_facts bn_reader_look(bn_reader *r, int32_t v)
{
    bn_traits t = bn_no_traits;
    bool integer = true;
    int64_t count;
    const float *value = values_of(&count, r, v);
    bn_traits_add(&t, value, count, bn_row_hint(r->g, v));
    for (int64_t i = 0; i < count && integer; i++)
        integer = rintf(value[i]) == value[i];
    return (bn_row_facts){
        .bytes = r->accounting == BONSAI_ACCOUNTING_STRICT ? least_of_row(r, &t)
                                                : sum_on_grid(value, count),
        .nnz = (int32_t)count,
        .traits = BN_KNOWN | (t.ones ? 0 : BN_NOT_ONES) | (t.half ? 0 : BN_NOT_HALF) |
                  (t.u8 ? 0 : BN_NOT_U8) | (t.i8 ? 0 : BN_NOT_I8) |
                  (integer ? 0 : BN_NOT_INTEGER) | (t.q4 ? 0 : BN_NOT_Q4) |
                  (t.s4 ? 0 : BN_NOT_S4)};
}

bonsai_status bn_reader_slot(int64_t *slot, bn_reader *r, int32_t node)
{
    bonsai_status rc = BONSAI_OK;
    int64_t next = r->slots.count;
    *slot = bn_slotmap_find(&r->slots, node);
    if (*slot >= 0)
        goto done;
    BN_TRY(bn_slotmap_reserve(&r->slots, 1));
    BN_TRY(bn_grow((void **)&r->facts, &r->room, next + 1, sizeof *r->facts));
    r->facts[next] = (bn_row_facts){0};
    if (bn_reader_remote(r)) {
        BN_TRY(bn_grow((void **)&r->kept, &r->kept_room, next + 1, sizeof *r->kept));
        r->kept[next] = (bn_kept){0};
    }
    *slot = bn_slotmap_add(&r->slots, node);
done:
    return rc;
}

bonsai_status bn_reader_learn(bn_row_facts *out, bn_reader *r, int32_t node)
{
    bonsai_status rc;
    int64_t slot;
    BN_TRY(bn_reader_slot(&slot, r, node));
    if (node < r->own)
        r->facts[slot] = bn_reader_look(r, node);
    else
        BN_TRY(bn_reader_want(r, &node, 1, 0));
    *out = r->facts[slot];
done:
    return rc;
}
