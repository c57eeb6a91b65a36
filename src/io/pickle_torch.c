/* pickle_torch.c -- what pickles of torch.save hold besides arrays: text that stands for bytes,
 * numbers of numpy, and tensors of indices, whose elements are stored outside the pickle.
 *
 * SPDX-License-Identifier: MIT */
#include "pickle_machine.h"

#include <string.h>

enum { MOST_STORAGES = 64 };    /* each name is looked for among all */

/* _codecs.encode(text, 'latin1').  The text is UTF-8 here, so a byte above 127 takes two.  All that
 * is encoded is no longer than the file: else one text was encoded again and again. */
bonsai_status bn_pickle_call_encode(bn_pickle *p, const value *args)
{
    bonsai_status rc = BONSAI_OK;
    value v[2];
    if (!bn_pickle_unpack(v, p, args, TUPLE, 2) || v[0].kind != STRING ||
        !bn_pickle_is(p, &v[1], "latin1"))
        return bn_pickle_refuse(p, "encode has arguments that numpy never gives it");
    if (!p->encoded)
        BN_TRY(BN_NEW(&p->encoded, p->file.len));
    const uint8_t *from = p->file.data + v[0].at, *end = from + v[0].len;
    if (p->file.len - p->encoded_len < v[0].len)
        return bn_pickle_refuse(p, "encodes more text than the file has");
    uint8_t *start = p->encoded + p->encoded_len, *to = start;
    while (from < end) {
        const bool two = *from > 127;
        if (two && (end - from < 2 || (*from != 0xc2 && *from != 0xc3) || (from[1] & 0xc0) != 0x80))
            return bn_pickle_refuse(p, "encodes text that is not Latin 1");
        *to++ = (uint8_t)(two ? *from << 6 | (from[1] & 0x3f) : *from);
        from += two ? 2 : 1;
    }
    bn_pickle_replace_two(p, ENCODED, p->encoded_len, (uint32_t)(to - start));
    p->encoded_len += to - start;
done:
    return rc;
}

/* Calls bytes(), which stands for no bytes. */
bonsai_status bn_pickle_call_bytes(bn_pickle *p, const value *args)
{
    if (!bn_pickle_unpack(NULL, p, args, TUPLE, 0))
        return bn_pickle_refuse(p, "bytes has arguments that numpy never gives it");
    bn_pickle_replace_two(p, STRING, 0, 0);
    return BONSAI_OK;
}

/* scalar(dtype, bytes).  Of one with a fraction the value is not read. */
bonsai_status bn_pickle_call_scalar(bn_pickle *p, const value *args)
{
    value v[2];
    if (!bn_pickle_unpack(v, p, args, TUPLE, 2) || v[0].kind != DTYPE ||
        !p->arrays[v[0].at].ready || !bn_pickle_text(p, &v[1]) ||
        v[1].len != (uint32_t)p->arrays[v[0].at].a.item)
        return bn_pickle_refuse(p, "scalar has arguments that numpy never gives it");
    bn_pickle_array a = p->arrays[v[0].at].a;
    a.data = bn_pickle_text(p, &v[1]);
    bn_pickle_replace_two(p, a.kind == 'f' ? REAL : INT, a.kind == 'f' ? 0 : bn_pickle_int(&a, 0),
                          0);
    return BONSAI_OK;
}

static int64_t find_storage(const bn_pickle *p, const uint8_t *key, int64_t len)
{
    for (int64_t i = 0; i < p->storage_count; i++) {
        const value *k = &p->storages[i].key;
        if (k->len == len && memcmp(bn_pickle_text(p, k), key, (size_t)len) == 0)
            return i;
    }
    return -1;
}

/* Fails if the name of a storage is long: each tensor compares it with those before. */
static bonsai_status check_storage(const bn_pickle *p, const storage *s)
{
    int64_t bytes;
    if (s->key.len > BN_PICKLE_NAME)
        return bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: the name of a storage has %u "
                          "bytes; at most %d are allowed", (long long)p->at, s->key.len,
                          BN_PICKLE_NAME);
    if (!bn_mul(&bytes, s->count, s->item))
        return bn_pickle_refuse(p, "a storage of more elements than any file has");
    return BONSAI_OK;
}

/* Notes a storage.  Each tensor in it names it again, and must say the same of it: the one that is
 * looked at later answers for all. */
static bonsai_status add_storage(int64_t *at, bn_pickle *p, storage s)
{
    bonsai_status rc = BONSAI_OK;
    *at = find_storage(p, bn_pickle_text(p, &s.key), s.key.len);
    if (*at >= 0 && (p->storages[*at].item != s.item || p->storages[*at].count != s.count))
        return bn_pickle_refuse(p, "a storage of two types or lengths");
    if (*at >= 0)
        return BONSAI_OK;
    if (p->storage_count == MOST_STORAGES)
        return bn_pickle_refuse(p, "too many storages");
    BN_TRY(bn_grow((void **)&p->storages, &p->storage_room, p->storage_count + 1,
                   sizeof *p->storages));
    *at = p->storage_count++;
    p->storages[*at] = s;
done:
    return rc;
}

/* Notes a storage, ('storage', torch.LongStorage, name, 'cpu', elements), and None in older
 * files */
bonsai_status bn_pickle_persistent(bn_pickle *p, int values)
{
    bonsai_status rc;
    value v[6] = {{0}};
    BN_TRY(bn_pickle_need(p, values));
    const value *id = &p->stack[p->depth - 1];
    const bool older = bn_pickle_unpack(v, p, id, TUPLE, 6);
    if ((!older && !bn_pickle_unpack(v, p, id, TUPLE, 5)) || !bn_pickle_is(p, &v[0], "storage") ||
        v[1].kind != GLOBAL || (v[1].at != LONG_STORAGE && v[1].at != INT_STORAGE) ||
        v[2].kind != STRING || v[4].kind != INT || v[4].at < 0 || (older && v[5].kind != NONE)) {
        rc = bn_pickle_refuse(p, "a storage that is not of indices");
        goto done;
    }
    const storage s = {v[2], v[1].at == LONG_STORAGE ? 8 : 4, v[4].at};
    int64_t at;
    BN_TRY(check_storage(p, &s));
    BN_TRY(add_storage(&at, p, s));
    p->stack[p->depth - 1] = (value){STORAGE, 0, at};
done:
    return rc;
}

/* Calls _rebuild_tensor_v2(storage, offset, (elements,), (1,), requires_grad, hooks) */
bonsai_status bn_pickle_call_tensor(bn_pickle *p, const value *args)
{
    bonsai_status rc;
    value v[6], size[1], stride[1];
    if (!bn_pickle_unpack(v, p, args, TUPLE, 6) || v[0].kind != STORAGE || v[1].kind != INT)
        return bn_pickle_refuse(p, "_rebuild_tensor_v2 has arguments that torch never gives it");
    if (!bn_pickle_unpack(size, p, &v[2], TUPLE, 1) || size[0].kind != INT ||
        !bn_pickle_unpack(stride, p, &v[3], TUPLE, 1) || stride[0].kind != INT ||
        (stride[0].at != 1 && size[0].at > 1))
        return bn_pickle_refuse(p, "a tensor that is not one row of indices");
    const int64_t stored = p->storages[v[0].at].count;
    if (v[1].at < 0 || size[0].at < 0 || v[1].at > stored || size[0].at > stored - v[1].at)
        return bn_pickle_refuse(p, "a tensor that goes beyond its storage");
    BN_TRY(bn_grow((void **)&p->tensors, &p->tensor_room, p->tensor_count + 1, sizeof *p->tensors));
    p->tensors[p->tensor_count] = (tensor){v[0].at, v[1].at, size[0].at};
    bn_pickle_replace_two(p, TENSOR, p->tensor_count++, 0);
done:
    return rc;
}

/* ---- what the file holds ---- */

static bn_pickle_item item_of(const bn_pickle *p, const value *v)
{
    bn_pickle_item i = {.kind = BN_PICKLE_OTHER};
    if (v->kind == INT || v->kind == BOOL) {
        i.kind = BN_PICKLE_NUMBER;
        i.number = v->at;
    } else if (v->kind == ARRAY && p->arrays[v->at].ready) {
        i.kind = BN_PICKLE_ARRAY;
        i.array = p->arrays[v->at].a;
    } else if (v->kind == TENSOR) {
        const tensor *t = &p->tensors[v->at];
        const storage *s = &p->storages[t->storage];
        i.kind = BN_PICKLE_TENSOR;
        i.tensor = (bn_pickle_tensor){bn_pickle_text(p, &s->key), s->key.len, t->offset, t->count,
                                      s->count, s->item};
    }
    return i;
}

bonsai_status bn_pickle_get(bn_pickle_item *out, const bn_pickle *p, const char *name)
{
    *out = (bn_pickle_item){0};
    if (p->stack[0].kind != DICT)
        return bn_fail_at(BONSAI_E_FORMAT, p->where, "does not hold a dict");
    const chain *dict = &p->chains[p->stack[0].at];
    for (int64_t c = dict->first; c >= 0; c = p->cells[p->cells[c].next].next)
        if (bn_pickle_is(p, &p->cells[c].v, name))
            *out = item_of(p, &p->cells[p->cells[c].next].v);
    return BONSAI_OK;
}

bool bn_pickle_listed(const uint8_t **key, int64_t *len, const bn_pickle *p, int64_t i)
{
    if (p->stack[0].kind != LIST || p->chains[p->stack[0].at].count > MOST_STORAGES)
        return false;
    int64_t c = p->chains[p->stack[0].at].first;
    for (; c >= 0 && i > 0; i--)
        c = p->cells[c].next;
    if (c < 0 || p->cells[c].v.kind != STRING)
        return false;
    *key = bn_pickle_text(p, &p->cells[c].v);
    *len = p->cells[c].v.len;
    return true;
}

bool bn_pickle_storage(int64_t *item, int64_t *count, const bn_pickle *p, const uint8_t *key,
                       int64_t len)
{
    const int64_t i = find_storage(p, key, len);
    if (i < 0)
        return false;
    *item = p->storages[i].item;
    *count = p->storages[i].count;
    return true;
}
