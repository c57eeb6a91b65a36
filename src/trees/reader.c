/* reader.c -- reads nodes of this rank and of others for the selection stages; see reader.h.
 *
 * Rank 0 sends a question to each rank that has some of the nodes, then reads an answer from each.
 * A rank has at most one question to answer, and waits for nothing while it answers, so no two
 * ranks wait for each other.  Messages are bounded: a large question becomes several.  A rank that
 * fails to answer sends its error instead.  A message of no bytes ends the service.
 *
 * SPDX-License-Identifier: MIT */
#include "reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ASKS = 1 << 16, MOST_ENTRIES = 1 << 20,     /* of a trip */
       BLOCK = 1 << 20,
       ASKED = 256 };           /* among the traits of a row: its node is among the questions */

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

/* Returns the sum, rounded up to a grid on which sums are exact in any order: a node that is added
 * and removed leaves the price as before, and the price is never below the graph's own. */
static double sum_on_grid(const float *value, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)value[i];
    return fabs(sum) < 0x1p33 ? ceil(sum * 0x1p20) * 0x1p-20 : sum;
}

/* Returns the bytes that a row takes at least.  Leaves out the 4 bytes of the last feature offset,
 * and the half byte that may follow values of four bits. */
static double least_of_row(const bn_reader *r, const bn_traits *t)
{
    int64_t bytes = bn_traits_bytes(t, 1, r->g->view.features, NULL);
    double least = bytes <= 4 ? 0 : (double)(bytes - 4 < INT32_MAX ? bytes - 4 : INT32_MAX);
    return least > 0 && (t->q4 || t->s4) ? least - 0.5 : least;
}

/* Returns the non-zero features of a node: in place if all are non-zero floats, else a copy. */
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

/* ---- sizes of messages ---- */

typedef struct {                /* an answer that says why there is no other */
    int64_t  status;
    bn_error error;
} refusal;

static size_t width_of(const bonsai_graph *g)   /* bytes of an entry */
{
    return sizeof(int32_t) + (bn_has(g, BONSAI_SECTION_EDGE_WEIGHTS) ? sizeof(float) : 0);
}

/* Returns the bytes of an answer: status, facts, entries, weights. */
static int64_t answer_bytes(const bonsai_graph *g, const bn_ask *ask, int64_t count)
{
    int64_t bytes = (int64_t)sizeof(int64_t) + count * (int64_t)sizeof(bn_row_facts);
    for (int64_t i = 0; i < count; i++)
        bytes += (ask[i].to - ask[i].from) * (int64_t)width_of(g);
    return bytes;
}

static int64_t entries_of(const bn_ask *ask, int64_t count)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += ask[i].to - ask[i].from;
    return sum;
}

/* ---- storing answers ---- */

/* Allocates bytes that stay in place until the reader is freed. */
static bonsai_status keep_room(void **out, bn_reader *r, int64_t bytes)
{
    bonsai_status rc = BONSAI_OK;
    if (bytes > r->left) {
        int64_t size = bytes > BLOCK ? bytes : BLOCK;
        char *block;
        BN_TRY(bn_grow((void **)&r->block, &r->block_room, r->blocks + 1, sizeof *r->block));
        BN_TRY(BN_BIG(&block, r->at->memory, size));
        r->block[r->blocks++] = block;
        r->free = block;
        r->left = size;
    }
    *out = r->free;
    r->free += bytes;
    r->left -= bytes;
done:
    return rc;
}

static bonsai_status widen(bn_kept *k, bn_reader *r, int64_t room)
{
    bonsai_status rc;
    void *place;
    BN_TRY(keep_room(&place, r, room * (int64_t)width_of(r->g)));
    int32_t *to = place;
    float *weight = bn_has(r->g, BONSAI_SECTION_EDGE_WEIGHTS) ? (float *)(to + room) : NULL;
    if (k->count > 0)
        memcpy(to, k->to, (size_t)k->count * sizeof *to);
    if (k->count > 0 && weight)
        memcpy(weight, k->weight, (size_t)k->count * sizeof *weight);
    *k = (bn_kept){to, weight, k->count, room};
done:
    return rc;
}

static bonsai_status keep_answer(bn_reader *r, const bn_ask *ask, int64_t count, const char *data)
{
    bonsai_status rc = BONSAI_OK;
    const bn_row_facts *facts = (const bn_row_facts *)data;
    const int32_t *to = (const int32_t *)(facts + count);
    const float *weight = (const float *)(to + entries_of(ask, count));
    for (int64_t i = 0; i < count; i++) {
        int64_t slot = bn_slotmap_find(&r->slots, (int32_t)ask[i].node);
        int64_t n = ask[i].to - ask[i].from;
        bn_kept *k = &r->kept[slot];
        r->facts[slot] = facts[i];
        if (ask[i].to > k->room)
            BN_TRY(widen(k, r, ask[i].room));
        if (n > 0)
            memcpy(k->to + ask[i].from, to, (size_t)n * sizeof *to);
        if (n > 0 && k->weight)
            memcpy(k->weight + ask[i].from, weight, (size_t)n * sizeof *weight);
        k->count = ask[i].to;
        to += n;
        weight += n;
    }
done:
    return rc;
}

static bonsai_status read_answer(bn_reader *r, int rank, const bn_ask *ask, int64_t count,
                                 const char *data, int64_t bytes)
{
    int64_t status, wanted = answer_bytes(r->g, ask, count);
    memcpy(&status, data, sizeof status);
    if (status != BONSAI_OK && bytes == (int64_t)sizeof(refusal))
        return bn_error_raise(&((const refusal *)data)->error);
    if (bytes != wanted)
        return bn_fail(BONSAI_E_FORMAT, "rank %d answers with %lld bytes, not %lld", rank,
                       (long long)bytes, (long long)wanted);
    return keep_answer(r, ask, count, data + sizeof status);
}

/* ---- questions ---- */

static int by_node(const void *a, const void *b)
{
    const bn_ask *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Returns the end of the questions for the rank of question `at`, and that rank. */
static int64_t same_rank(int *rank, const bn_reader *r, int64_t at)
{
    const int64_t *first = r->at->first;
    *rank = 0;
    while (first[*rank + 1] <= r->ask[at].node)
        ++*rank;
    while (at < r->asks && r->ask[at].node < first[*rank + 1])
        at++;
    return at;
}

/* Sends all questions and reads every answer, even after a failure. */
bonsai_status bn_reader_answers(bn_reader *r)
{
    bonsai_status rc = BONSAI_OK;
    bn_world *w = r->at->world;
    int64_t sent = 0, end;
    int rank;
    qsort(r->ask, (size_t)r->asks, sizeof *r->ask, by_node);
    for (; sent < r->asks && rc == BONSAI_OK; sent = rc == BONSAI_OK ? end : sent) {
        end = same_rank(&rank, r, sent);
        rc = bn_send(w, rank, r->ask + sent, (end - sent) * (int64_t)sizeof *r->ask);
    }
    for (int64_t at = 0; at < sent; at = end) {
        void *data = NULL;
        int64_t bytes;
        end = same_rank(&rank, r, at);
        int from = rank;
        bonsai_status got = bn_receive(w, &from, &data, &bytes);
        if (got == BONSAI_OK && rc == BONSAI_OK)
            got = read_answer(r, rank, r->ask + at, end - at, data, bytes);
        rc = rc != BONSAI_OK ? rc : got;
        bn_free(data);
    }
    r->asks = r->entries = 0;
    return rc;
}

bonsai_status bn_reader_question(bn_reader *r, int32_t node, int64_t entries)
{
    bonsai_status rc;
    int64_t slot, need = bn_least(entries, bn_degree(r->g, node));
    BN_TRY(bn_reader_slot(&slot, r, node));
    if (!r->ask)
        BN_TRY(BN_NEW(&r->ask, MOST_ASKS));
    while (!(r->facts[slot].traits & ASKED) &&
           (!(r->facts[slot].traits & BN_KNOWN) || r->kept[slot].count < need)) {
        int64_t have = r->kept[slot].count;
        int64_t to = bn_least(need > have ? need : have, have + MOST_ENTRIES - r->entries);
        r->ask[r->asks++] = (bn_ask){node, have, to, need};
        r->entries += to - have;
        r->facts[slot].traits |= ASKED;
        if (r->asks == MOST_ASKS || r->entries == MOST_ENTRIES)
            BN_TRY(bn_reader_answers(r));
    }
done:
    return rc;
}

bonsai_status bn_reader_get(bn_reader *r, const int32_t *nodes, int64_t count, int64_t entries)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < count; i++)
        BN_TRY(bn_reader_ask(r, nodes[i], entries));
    BN_TRY(bn_reader_fetch(r));
done:
    return rc;
}

/* ---- answers ---- */

static void write_answer(char *data, bn_reader *r, const bn_ask *ask, int64_t count)
{
    bn_row_facts *facts = (bn_row_facts *)(data + sizeof(int64_t));
    int32_t *to = (int32_t *)(facts + count);
    float *weight = (float *)(to + entries_of(ask, count));
    for (int64_t i = 0; i < count; i++) {
        const bn_near near = bn_near_of(r, (int32_t)ask[i].node);
        size_t n = (size_t)(ask[i].to - ask[i].from);
        facts[i] = bn_reader_look(r, (int32_t)ask[i].node);
        if (n > 0)
            memcpy(to, near.to + ask[i].from, n * sizeof *to);
        if (n > 0 && near.weight)
            memcpy(weight, near.weight + ask[i].from, n * sizeof *weight);
        to += n;
        weight += n;
    }
}

static bonsai_status answer(bn_world *w, bn_reader *r, const bn_ask *ask, int64_t count)
{
    bonsai_status rc;
    char *data = NULL;
    int64_t bytes = answer_bytes(r->g, ask, count);
    BN_TRY(BN_NEW(&data, bytes));
    write_answer(data, r, ask, count);
    BN_TRY(bn_send(w, 0, data, bytes));
done:
    bn_free(data);
    return rc;
}

static void refuse(bn_world *w, bonsai_status why)
{
    refusal no = {.status = why};
    bn_error_keep(&no.error);
    (void)bn_send(w, 0, &no, sizeof no);
}

bonsai_status bn_reader_serve(const bn_job *job)
{
    bn_world *w = job->at.world;
    bn_reader *r = NULL;
    bonsai_status rc = bn_reader_new(&r, job->g, bn_job_accounting(job));
    for (int64_t bytes = 1; bytes > 0;) {
        void *data = NULL;
        int from = 0;
        bytes = 0;
        bonsai_status got = bn_receive(w, &from, &data, &bytes);
        rc = rc != BONSAI_OK ? rc : got;
        if (bytes > 0 && rc == BONSAI_OK)
            rc = answer(w, r, data, bytes / (int64_t)sizeof(bn_ask));
        if (bytes > 0 && rc != BONSAI_OK)
            refuse(w, rc);
        bn_free(data);
    }
    bn_reader_free(r);
    return rc;
}

void bn_reader_done(const bn_job *job)
{
    for (int rank = 1; rank < bn_ranks(job->at.world); rank++)
        (void)bn_send(job->at.world, rank, "", 0);
}
