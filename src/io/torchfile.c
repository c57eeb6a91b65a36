/* torchfile.c -- reads dicts of numbers and indices from files of torch.save.
 *
 * A zip archive has the pickle in NAME/data.pkl and each storage in NAME/data/KEY.  The older
 * layout is a sequence of pickles: a magic number, a version, facts about the machine, the object,
 * a list of the names of storages; behind them for each storage its number of elements and the
 * elements.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "torchfile.h"

/* The magic number and the version, pickled. */
static const uint8_t magic[] = {0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8,
                                0x50, 0x19, '.', 0x80, 2, 'M', 0xe9, 3, '.'};

/* Reads the next pickle of the older layout. */
static bonsai_status next_pickle(bn_pickle **out, bn_torch *t)
{
    char where[700];
    int64_t used = 0;
    snprintf(where, sizeof where, "%.600s: pickle at byte %lld", t->path, (long long)t->after);
    bonsai_status rc = bn_pickle_parse(out, where, t->file.data + t->after,
                                       t->file.len - t->after, &used);
    t->after += used;
    return rc;
}

static bonsai_status open_older(bn_torch *t)
{
    bonsai_status rc;
    bn_pickle *machine = NULL;
    bn_pickle_item little;
    t->after = sizeof magic;
    BN_TRY(next_pickle(&machine, t));
    BN_TRY(bn_pickle_get(&little, machine, "little_endian"));
    if (little.kind != BN_PICKLE_NUMBER || !little.number) {
        rc = bn_fail_at(BONSAI_E_FORMAT, t->path, "was not written by a little-endian machine");
        goto done;
    }
    BN_TRY(next_pickle(&t->dict, t));
    BN_TRY(next_pickle(&t->keys, t));
done:
    bn_pickle_free(machine);
    return rc;
}

static bonsai_status open_zip(bn_torch *t)
{
    bonsai_status rc;
    char where[700];
    int64_t len;
    snprintf(where, sizeof where, "%.600s:data.pkl", t->path);
    BN_TRY(bn_zip_open(&t->zip, t->path, (bn_progress){0}));
    BN_TRY(bn_zip_member(&t->member, &len, &t->zip, "data.pkl"));
    BN_TRY(bn_pickle_parse(&t->dict, where, t->member, len, NULL));
done:
    return rc;
}

bonsai_status bn_torch_open(bn_torch *t, const char *path)
{
    bonsai_status rc;
    bn_pickle_item any;
    memset(t, 0, sizeof *t);
    t->path = path;
    BN_TRY(bn_file_open(&t->file, path));
    const bool older = t->file.len >= (int64_t)sizeof magic &&
                       memcmp(t->file.data, magic, sizeof magic) == 0;
    if (older)
        BN_TRY(open_older(t));
    else
        BN_TRY(open_zip(t));
    BN_TRY(bn_pickle_get(&any, t->dict, ""));           /* a dict, or it fails */
done:
    if (rc != BONSAI_OK)
        bn_torch_close(t);
    return rc;
}

void bn_torch_close(bn_torch *t)
{
    bn_pickle_free(t->dict);
    bn_pickle_free(t->keys);
    bn_zip_close(&t->zip);
    bn_free(t->member);
    bn_file_close(&t->file);
    memset(t, 0, sizeof *t);
}

bool bn_torch_has(const bn_torch *t, const char *name)
{
    bn_pickle_item i;
    return bn_pickle_get(&i, t->dict, name) == BONSAI_OK && i.kind != BN_PICKLE_ABSENT;
}

bonsai_status bn_torch_int(int64_t *out, const bn_torch *t, const char *name)
{
    bn_pickle_item i;
    bonsai_status rc = bn_pickle_get(&i, t->dict, name);
    *out = i.number;
    if (rc == BONSAI_OK && i.kind != BN_PICKLE_NUMBER)
        rc = bn_fail_at(BONSAI_E_FORMAT, t->path, "has no number \"%s\"", name);
    return rc;
}

/* ---- lists of indices ---- */

/* Finds the elements of a storage in the older layout; *bytes are those that it should have. */
static bonsai_status find_storage(const uint8_t **out, const bn_torch *t, const bn_pickle_tensor *w)
{
    const uint8_t *key;
    int64_t len, item, count, bytes, said = 0, at = t->after;
    for (int64_t i = 0; bn_pickle_listed(&key, &len, t->keys, i); i++) {
        if (!bn_pickle_storage(&item, &count, t->dict, key, len) || !bn_mul(&bytes, count, item) ||
            at > t->file.len - 8 || bytes > t->file.len - 8 - at)
            break;
        memcpy(&said, t->file.data + at, 8);
        if (said != count)
            break;
        *out = t->file.data + at + 8;
        if (len == w->key_len && memcmp(key, w->key, (size_t)len) == 0)
            return BONSAI_OK;
        at += 8 + bytes;
    }
    return bn_fail_at(BONSAI_E_FORMAT, t->path, "ends before the elements of a tensor, or has "
                      "another number of them");
}

/* Finds the elements of a storage in the archive; the caller frees *member. */
static bonsai_status unzip_storage(const uint8_t **out, uint8_t **member, bn_torch *t,
                                   const bn_pickle_tensor *w)
{
    bonsai_status rc;
    char name[sizeof "data/" + BN_PICKLE_NAME];
    int64_t len;
    snprintf(name, sizeof name, "data/%.*s", (int)w->key_len, (const char *)w->key);
    BN_TRY(bn_zip_member(member, &len, &t->zip, name));
    if (len != w->stored * w->item)
        rc = bn_fail_at(BONSAI_E_FORMAT, t->path, "\"%s\" has %lld bytes where %lld elements of %d "
                        "are needed", name, (long long)len, (long long)w->stored, w->item);
    *out = *member;
done:
    return rc;
}

static bonsai_status tensor_array(bn_pickle_array *out, uint8_t **member, bn_torch *t,
                                  const bn_pickle_tensor *w)
{
    bonsai_status rc;
    const uint8_t *data = NULL;
    if (t->keys)
        BN_TRY(find_storage(&data, t, w));
    else
        BN_TRY(unzip_storage(&data, member, t, w));
    *out = (bn_pickle_array){.data = data + w->offset * w->item, .dim = {w->count, 1}, .dims = 1,
                             .item = w->item, .kind = 'i'};
done:
    return rc;
}

bonsai_status bn_torch_indices(int64_t **out, int64_t *count, bn_torch *t, const char *name)
{
    bonsai_status rc;
    bn_pickle_item i;
    uint8_t *member = NULL;
    *out = NULL;
    BN_TRY(bn_pickle_get(&i, t->dict, name));
    if (i.kind == BN_PICKLE_TENSOR)
        BN_TRY(tensor_array(&i.array, &member, t, &i.tensor));
    else if (i.kind != BN_PICKLE_ARRAY || i.array.dims != 1 || !strchr("iu", i.array.kind)) {
        rc = bn_fail_at(BONSAI_E_FORMAT, t->path, "has no list of indices \"%s\"", name);
        goto done;
    }
    BN_TRY(BN_NEW(out, i.array.dim[0]));
    for (int64_t k = 0; k < i.array.dim[0]; k++)
        (*out)[k] = bn_pickle_int(&i.array, k);
    *count = i.array.dim[0];
done:
    bn_free(member);
    return rc;
}
