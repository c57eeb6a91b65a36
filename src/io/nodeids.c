/* nodeids.c -- maps names of nodes and classes to numbers.
 *
 * A hash table with open addressing, at most half full.  The hash is keyed with a random seed of
 * this process.  Numbers are in order of first appearance, or sorted, so the seed does not affect
 * any result.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "companion.h"

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93u;
    z = (z ^ (z >> 29)) * 0x9fb21c651e98df25u;
    return z ^ (z >> 32);
}

static uint32_t hash(const bn_ids *ids, const void *key, int64_t len)
{
    uint64_t h = mix(ids->seed ^ (uint64_t)len), word;
    const char *p = key;
    for (; len >= 8; p += 8, len -= 8) {
        memcpy(&word, p, 8);
        h = mix(h ^ word) + ids->seed;
    }
    word = 0;
    if (len > 0)
        memcpy(&word, p, (size_t)len);
    return (uint32_t)(mix(h ^ word) >> 16);
}

/* Returns the slot of a key, or the free slot where it belongs. */
static int64_t find_slot(const bn_ids *ids, const void *key, int64_t len, uint32_t h)
{
    int64_t at = h & (uint64_t)(ids->slots - 1);
    for (; ids->slot[at]; at = (at + 1) & (ids->slots - 1)) {
        const bn_key *k = &ids->key[ids->slot[at] - 1];
        if (k->hash == h && k->len == len &&
            (len == 0 || memcmp(ids->text + k->begin, key, (size_t)len) == 0))
            break;
    }
    return at;
}

static bonsai_status more_slots(bn_ids *ids)
{
    bonsai_status rc;
    int32_t *slot = NULL;
    int64_t slots = ids->slots ? 2 * ids->slots : 64;
    if (!ids->seed && getentropy(&ids->seed, sizeof ids->seed) != 0)
        ids->seed = mix((uint64_t)time(NULL) ^ (uint64_t)(uintptr_t)&slots);
    BN_TRY(BN_NEW(&slot, slots));
    for (int64_t i = 0; i < ids->count; i++) {
        int64_t at = ids->key[i].hash & (uint64_t)(slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (int32_t)i + 1;
    }
    bn_free(ids->slot);
    ids->slot = slot;
    ids->slots = slots;
done:
    return rc;
}

bonsai_status bn_ids_add(bn_ids *ids, const void *key, int64_t len, int32_t *out, bool *added)
{
    bonsai_status rc = BONSAI_OK;
    if (2 * ids->count >= ids->slots)
        BN_TRY(more_slots(ids));
    uint32_t h = hash(ids, key, len);
    int64_t at = find_slot(ids, key, len, h);
    bool fresh = ids->slot[at] == 0;
    if (fresh) {
        if (ids->count == INT32_MAX - 1 || len > INT32_MAX) {
            rc = bn_fail(BONSAI_E_FORMAT, "there are more than %d names, or one of %lld bytes",
                         INT32_MAX - 1, (long long)len);
            goto done;
        }
        BN_TRY(bn_grow((void **)&ids->key, &ids->key_capacity, ids->count + 1, sizeof *ids->key));
        BN_TRY(bn_grow((void **)&ids->text, &ids->text_capacity, ids->len + len, 1));
        ids->key[ids->count] = (bn_key){ids->len, (uint32_t)len, h};
        if (len > 0)
            memcpy(ids->text + ids->len, key, (size_t)len);
        ids->len += len;
        ids->slot[at] = (int32_t)++ids->count;
    }
    *out = ids->slot[at] - 1;
    if (added)
        *added = fresh;
done:
    return rc;
}

int32_t bn_ids_find(const bn_ids *ids, const void *key, int64_t len)
{
    return ids->slots ? ids->slot[find_slot(ids, key, len, hash(ids, key, len))] - 1 : -1;
}

void bn_ids_free(bn_ids *ids)
{
    bn_free(ids->slot);
    bn_free(ids->key);
    bn_free(ids->text);
    memset(ids, 0, sizeof *ids);
}

bonsai_status bn_ids_names(bn_draft *d, bonsai_section s, const bn_ids *ids)
{
    char *to;
    bonsai_status rc = bn_draft_array(&to, d, s, BONSAI_TYPE_U8, ids->len + ids->count);
    for (int64_t i = 0; rc == BONSAI_OK && i < ids->count; i++) {
        if (ids->key[i].len > 0)
            memcpy(to, ids->text + ids->key[i].begin, ids->key[i].len);
        to += ids->key[i].len + 1;
    }
    return rc;
}

typedef struct { const char *text; uint32_t len; int32_t number; } word;

static int by_bytes(const void *a, const void *b)
{
    const word *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Compares whole numbers without leading zeros, of which the longer is the greater. */
static int by_length(const void *a, const void *b)
{
    const word *x = a, *y = b;
    return x->len != y->len ? (x->len > y->len) - (x->len < y->len) : by_bytes(a, b);
}

bonsai_status bn_ids_sort(bn_ids *ids, bool numbers, int32_t *rank)
{
    bonsai_status rc;
    word *all = NULL;
    bn_key *key = NULL;
    BN_TRY(BN_NEW(&all, ids->count));
    BN_TRY(BN_NEW(&key, ids->count));
    for (int32_t i = 0; i < ids->count; i++)
        all[i] = (word){ids->text + ids->key[i].begin, ids->key[i].len, i};
    if (ids->count > 0)
        qsort(all, (size_t)ids->count, sizeof *all, numbers ? by_length : by_bytes);
    for (int32_t i = 0; i < ids->count; i++) {
        rank[all[i].number] = i;
        key[i] = ids->key[all[i].number];
    }
    for (int64_t i = 0; i < ids->slots; i++)
        ids->slot[i] = ids->slot[i] ? rank[ids->slot[i] - 1] + 1 : 0;
    bn_free(ids->key);
    ids->key = key;
    ids->key_capacity = ids->count;
done:
    bn_free(all);
    return rc;
}

/* ---- nodes ---- */

void bn_nodes_reset(bn_nodes *nodes, bn_id_kind kind)
{
    bn_ids_free(&nodes->ids);
    bn_free(nodes->rank);
    nodes->rank = NULL;
    nodes->kind = kind;
    nodes->n = 0;
}

void bn_nodes_free(bn_nodes *nodes)
{
    bn_nodes_reset(nodes, BN_NUMBERS);
    nodes->n = -1;
}

/* Turns ids that were numbers so far into integers. */
static bonsai_status become_integers(bn_nodes *nodes)
{
    bonsai_status rc = BONSAI_OK;
    int32_t number;
    nodes->kind = BN_INTEGERS;
    for (int64_t i = 0; i < nodes->n; i++)
        BN_TRY(bn_ids_add(&nodes->ids, &i, sizeof i, &number, NULL));
done:
    return rc;
}

/* Parses an id; one that is not an integer makes all ids names, which must be read again. */
static bonsai_status parse_id(int64_t *value, bn_nodes *nodes, const bn_lines *l,
                              const bn_field *id, bool *again)
{
    *value = 0;
    if (id->len == 0 && !id->quoted)
        return bn_lines_fail(l, "the id of a node is empty");
    if (nodes->kind == BN_NAMES)
        return bn_field_id(l, id);
    if (!bn_field_int(id, value)) {
        bn_nodes_reset(nodes, BN_NAMES);
        *again = true;
    }
    return BONSAI_OK;
}

/* Adds the key of an id: its text, or the bytes of its value. */
static bonsai_status add_key(int32_t *out, bn_nodes *nodes, const bn_field *id, int64_t value,
                             bool *added)
{
    return nodes->kind == BN_NAMES ? bn_ids_add(&nodes->ids, id->text, id->len, out, added)
                                   : bn_ids_add(&nodes->ids, &value, sizeof value, out, added);
}

bonsai_status bn_nodes_list(bn_nodes *nodes, const bn_lines *l, const bn_field *id, bool *again)
{
    bonsai_status rc;
    int64_t value;
    int32_t number;
    bool added = true;
    BN_TRY(parse_id(&value, nodes, l, id, again));
    if (*again)
        return BONSAI_OK;
    if (nodes->kind == BN_NUMBERS && (value != nodes->n || value >= INT32_MAX))
        BN_TRY(become_integers(nodes));
    if (nodes->kind != BN_NUMBERS)
        BN_TRY(add_key(&number, nodes, id, value, &added));
    nodes->n++;
    if (!added)
        rc = bn_lines_fail(l, "node \"%.*s\" is listed a second time", bn_field_show(id),
                           id->text);
done:
    return rc;
}

static bonsai_status no_such_node(const bn_nodes *nodes, const bn_lines *l, const bn_field *id)
{
    if (nodes->kind == BN_NUMBERS)
        return bn_lines_fail(l, "node %.*s is outside 0..%lld", bn_field_show(id), id->text,
                             (long long)nodes->n - 1);
    if (nodes->listed)
        return bn_lines_fail(l, "node \"%.*s\" is not listed in %s, which must have a line for "
                             "every node (a label may be empty)", bn_field_show(id), id->text,
                             nodes->listed);
    return bn_lines_fail(l, "node \"%.*s\" is not listed in the edges", bn_field_show(id),
                         id->text);
}

/* Returns the number of the key; -1 if there is none. */
static int32_t key_of(const bn_nodes *nodes, const bn_field *id)
{
    int64_t value;
    if (nodes->kind == BN_NAMES)
        return bn_ids_find(&nodes->ids, id->text, id->len);
    if (!bn_field_int(id, &value))
        return -1;
    if (nodes->kind == BN_INTEGERS)
        return bn_ids_find(&nodes->ids, &value, sizeof value);
    return value >= 0 && value < nodes->n ? (int32_t)value : -1;
}

bool bn_nodes_have(const bn_nodes *nodes, const bn_field *id)
{
    return key_of(nodes, id) >= 0;
}

bonsai_status bn_nodes_find(int32_t *out, const bn_nodes *nodes, const bn_lines *l,
                            const bn_field *id)
{
    int64_t value;
    *out = key_of(nodes, id);
    if (*out < 0 && nodes->kind != BN_NAMES && !bn_field_int(id, &value))
        return bn_lines_fail(l, "node \"%.*s\" is not an integer, but the other nodes are",
                             bn_field_show(id), id->text);
    if (*out < 0)
        return no_such_node(nodes, l, id);
    if (nodes->rank)
        *out = nodes->rank[*out];
    return BONSAI_OK;
}

const char *bn_nodes_show(char *out, size_t size, const bn_nodes *nodes, int64_t node)
{
    const bn_ids *ids = &nodes->ids;
    int64_t value = node;
    if (nodes->kind == BN_INTEGERS)
        memcpy(&value, ids->text + ids->key[node].begin, sizeof value);
    if (nodes->kind == BN_NAMES)
        snprintf(out, size, "%.*s", (int)ids->key[node].len, ids->text + ids->key[node].begin);
    else
        snprintf(out, size, "%" PRId64, value);
    return out;
}

bonsai_status bn_nodes_meet(int32_t *out, bn_nodes *nodes, const bn_lines *l, const bn_field *id,
                            bool *again)
{
    bonsai_status rc;
    int64_t value;
    *out = 0;
    BN_TRY(parse_id(&value, nodes, l, id, again));
    if (*again)
        return BONSAI_OK;
    if (nodes->kind == BN_NUMBERS && (value < 0 || value >= INT32_MAX)) {
        bn_nodes_reset(nodes, BN_INTEGERS);
        *again = true;
    } else if (nodes->kind == BN_NUMBERS) {
        *out = (int32_t)value;
        nodes->n = value >= nodes->n ? value + 1 : nodes->n;
    } else {
        BN_TRY(add_key(out, nodes, id, value, NULL));
        nodes->n = nodes->ids.count;
    }
done:
    return rc;
}

typedef struct { int64_t value; int32_t number; } integer;

static int by_value(const void *a, const void *b)
{
    int64_t x = ((const integer *)a)->value, y = ((const integer *)b)->value;
    return x < y ? -1 : x > y;
}

bonsai_status bn_nodes_sort(bn_nodes *nodes)
{
    bonsai_status rc = BONSAI_OK;
    integer *all = NULL;
    if (nodes->kind != BN_INTEGERS)
        return BONSAI_OK;
    BN_TRY(BN_NEW(&all, nodes->n));
    BN_TRY(BN_NEW(&nodes->rank, nodes->n));
    for (int32_t i = 0; i < nodes->n; i++) {
        memcpy(&all[i].value, nodes->ids.text + nodes->ids.key[i].begin, sizeof all[i].value);
        all[i].number = i;
    }
    qsort(all, (size_t)nodes->n, sizeof *all, by_value);
    for (int32_t i = 0; i < nodes->n; i++)
        nodes->rank[all[i].number] = i;
done:
    bn_free(all);
    return rc;
}

bonsai_status bn_nodes_names(bn_draft *d, const bn_nodes *nodes)
{
    bonsai_status rc;
    int64_t *value = NULL, len = 0;
    char number[24], *to;
    if (nodes->kind == BN_NUMBERS)
        return BONSAI_OK;
    if (nodes->kind == BN_NAMES)
        return bn_ids_names(d, BONSAI_SECTION_NODE_NAMES, &nodes->ids);
    BN_TRY(BN_NEW(&value, nodes->n));
    for (int64_t i = 0; i < nodes->n; i++) {
        int64_t *at = value + (nodes->rank ? nodes->rank[i] : i);
        memcpy(at, nodes->ids.text + nodes->ids.key[i].begin, sizeof *at);
        len += snprintf(number, sizeof number, "%" PRId64, *at) + 1;
    }
    BN_TRY(bn_draft_array(&to, d, BONSAI_SECTION_NODE_NAMES, BONSAI_TYPE_U8, len));
    for (int64_t i = 0; i < nodes->n; i++)
        to += sprintf(to, "%" PRId64, value[i]) + 1;
done:
    bn_free(value);
    return rc;
}
