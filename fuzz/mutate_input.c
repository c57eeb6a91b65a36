/* mutate_input.c -- mutations of the inputs of a fuzz target, each of one or several files.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "mutate.h"

enum { FILES = 8 };

typedef struct {
    uint8_t  head[64];
    mu_bytes file[FILES];
    int      files;
} input;

/* Where the next file ends, and where the one after it starts. */
static void next_file(size_t *start, size_t *end, size_t *next, const uint8_t *data, size_t size,
                      bool last)
{
    const mu_framing *f = &fuzz_framing;
    size_t at = *start;
    *end = *next = size;
    if (f->separator >= 0) {
        const uint8_t *cut = at < size ? memchr(data + at, f->separator, size - at) : NULL;
        if (cut && !last) {
            *end = (size_t)(cut - data);
            *next = *end + 1;
        }
    } else if (!(last && f->last_bare)) {
        size_t len = size - at >= 2 ? (size_t)(data[at] | data[at + 1] << 8) : 0;
        at += size - at >= 2 ? 2 : size - at;
        *end = *next = at + (len < size - at ? len : size - at);
    }
    *start = at;
}

/* The files lie in the rows of store; one that is too long is cut. */
static void take_apart(input *in, uint8_t store[FILES][MUTATE_ROOM], const uint8_t *data,
                       size_t size)
{
    size_t at = (size_t)fuzz_framing.head, end, next;
    memset(in->head, 0, sizeof in->head);
    memcpy(in->head, data, at < size ? at : size);
    for (in->files = 0; in->files < fuzz_framing.files && at < size; at = next) {
        int i = in->files++;
        next_file(&at, &end, &next, data, size, i == fuzz_framing.files - 1);
        size_t len = end - at < MUTATE_ROOM ? end - at : MUTATE_ROOM;
        in->file[i] = (mu_bytes){store[i], len, MUTATE_ROOM};
        memcpy(store[i], data + at, len);
    }
}

/* The length of the input; 0: there is no room, and data is unchanged. */
static size_t put_together(uint8_t *data, size_t room, const input *in)
{
    size_t at = (size_t)fuzz_framing.head, need = at;
    for (int i = 0; i < in->files; i++) {
        need += in->file[i].len + 2;
        if (in->file[i].len > 0xffff)
            return 0;
    }
    if (need > room)
        return 0;
    memcpy(data, in->head, at);
    for (int i = 0; i < in->files; i++) {
        bool last = i == fuzz_framing.files - 1;
        if (fuzz_framing.separator < 0 && !(last && fuzz_framing.last_bare)) {
            data[at++] = (uint8_t)(in->file[i].len & 255);
            data[at++] = (uint8_t)(in->file[i].len >> 8);
        }
        memcpy(data + at, in->file[i].data, in->file[i].len);
        at += in->file[i].len;
        if (fuzz_framing.separator >= 0 && i < in->files - 1)
            data[at++] = (uint8_t)fuzz_framing.separator;
    }
    return at;
}

static void change_files(input *in, mu_rng *r)
{
    size_t i = mu_below(r, (size_t)in->files), k = mu_below(r, (size_t)in->files);
    mu_bytes kept = in->file[i];
    if (mu_chance(r, 3)) {
        in->file[i].len = in->file[k].len;
        memmove(in->file[i].data, in->file[k].data, in->file[k].len);
    } else {
        in->file[i] = in->file[k];
        in->file[k] = kept;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    static uint8_t store[FILES][MUTATE_ROOM];
    input in;
    mu_rng r = {seed};
    mu_next(&r);
    if (size <= (size_t)fuzz_framing.head || mu_chance(&r, 6))
        return LLVMFuzzerMutate(data, size, max_size);
    take_apart(&in, store, data, size);
    if (fuzz_framing.head > 0 && mu_chance(&r, 2))
        in.head[mu_below(&r, (size_t)fuzz_framing.head)] = (uint8_t)mu_next(&r);
    if (in.files > 1 && mu_chance(&r, 12))
        change_files(&in, &r);
    else if (in.files > 0)
        mutate_file(&in.file[mu_below(&r, (size_t)in.files)], &r, NULL);
    size_t len = put_together(data, max_size, &in);
    return len ? len : size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out, unsigned int seed)
{
    static uint8_t store[FILES][MUTATE_ROOM], gifts[FILES][MUTATE_ROOM];
    input in, giver;
    mu_rng r = {~(uint64_t)seed};
    take_apart(&in, store, data1, size1);
    take_apart(&giver, gifts, data2, size2);
    if (in.files == 0 || giver.files == 0)
        return 0;
    mu_bytes *to = &in.file[mu_below(&r, (size_t)in.files)];
    const mu_bytes *from = &giver.file[mu_below(&r, (size_t)giver.files)];
    if (mu_chance(&r, 2)) {
        to->len = from->len;
        memcpy(to->data, from->data, from->len);
    } else {
        mutate_file(to, &r, from);
    }
    return put_together(out, max_out, &in);
}
