/* jsonobject.c -- the keys of a JSON object: a list in the order of arrival, and a tree.
 *
 * The tree is an AA tree (Andersson 1993), which stays balanced whatever the keys are: a file
 * cannot choose keys that make it slow, as it could with a table of hashes.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "jsonparts.h"

static uint32_t find(const bn_json_pairs *p, const char *key)
{
    uint32_t at = p->top;
    while (at) {
        int order = strcmp(key, p->pair[at].key);
        if (order == 0)
            break;
        at = order < 0 ? p->pair[at].left : p->pair[at].right;
    }
    return at;
}

/* A left child of the same level becomes the parent. */
static uint32_t skew(bn_json_pair *p, uint32_t at)
{
    const uint32_t left = p[at].left;
    if (!left || p[left].level != p[at].level)
        return at;
    p[at].left = p[left].right;
    p[left].right = at;
    return left;
}

/* Of three in a row to the right, the middle one moves up. */
static uint32_t split(bn_json_pair *p, uint32_t at)
{
    const uint32_t right = p[at].right;
    if (!right || !p[right].right || p[p[right].right].level != p[at].level)
        return at;
    p[at].right = p[right].left;
    p[right].left = at;
    p[right].level++;
    return right;
}

/* Puts one, whose key is new, below at; returns what is at the top then. */
static uint32_t insert(bn_json_pair *p, uint32_t at, uint32_t one)
{
    if (!at)
        return one;
    if (strcmp(p[one].key, p[at].key) < 0)
        p[at].left = insert(p, p[at].left, one);
    else
        p[at].right = insert(p, p[at].right, one);
    return split(p, skew(p, at));
}

static bool append(bn_json_pairs *p, const char *key, bn_json *value)
{
    void *pairs = p->pair;
    size_t room = p->room;
    char *copy = bn_json_copy(key, strlen(key));
    bool fits = copy && p->count < UINT32_MAX / 2 &&
                bn_json_grow(&pairs, &room, (size_t)p->count + 2, sizeof *p->pair);
    p->pair = pairs;
    p->room = (uint32_t)room;
    if (!fits) {
        bn_json_drop(copy);
        return false;
    }
    p->pair[++p->count] = (bn_json_pair){.key = copy, .value = value, .level = 1};
    p->top = insert(p->pair, p->top, p->count);
    return true;
}

void bn_json_set(bn_json *object, const char *key, bn_json *value)
{
    bn_json_pairs *p = bn_json_is_object(object) ? &object->is.object : NULL;
    const uint32_t at = p ? find(p, key) : 0;
    bn_json *out = value;                       /* what is not kept */
    bool done = false;
    if (at && value) {
        out = p->pair[at].value;
        p->pair[at].value = value;
        done = true;
    } else if (p && value) {
        done = append(p, key, value);
        out = done ? NULL : value;
    }
    bn_json_free(out);
    if (!done)
        bn_json_break(object);
}

void bn_json_update(bn_json *object, bn_json *with)
{
    const char *key;
    for (size_t i = 0; object && (key = bn_json_key(with, i)); i++)
        bn_json_set(object, key, bn_json_keep(bn_json_value(with, i)));
    if (!with || with->broken)
        bn_json_break(object);
}

bn_json *bn_json_get(const bn_json *object, const char *key)
{
    const uint32_t at = bn_json_is_object(object) ? find(&object->is.object, key) : 0;
    return at ? object->is.object.pair[at].value : NULL;
}

static const bn_json_pair *pair_at(const bn_json *object, size_t i)
{
    const bool there = bn_json_is_object(object) && i < object->is.object.count;
    return there ? &object->is.object.pair[i + 1] : NULL;
}

const char *bn_json_key(const bn_json *object, size_t i)
{
    const bn_json_pair *p = pair_at(object, i);
    return p ? p->key : NULL;
}

bn_json *bn_json_value(const bn_json *object, size_t i)
{
    const bn_json_pair *p = pair_at(object, i);
    return p ? p->value : NULL;
}

void bn_json_pairs_free(bn_json_pairs *p)
{
    for (uint32_t i = 1; i <= p->count; i++) {
        bn_json_drop(p->pair[i].key);
        bn_json_free(p->pair[i].value);
    }
    bn_json_drop(p->pair);
}
