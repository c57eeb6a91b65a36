/* gzip.c -- inflates a .gz file into memory; several members make one text.
 *
 * Memory grows with the output, and zlib expands by at most a factor of 1032, so a small file
 * cannot claim much memory.
 *
 * SPDX-License-Identifier: MIT */
#include <zlib.h>

#include "lines.h"

enum { PIECE = 1 << 16, MOST_INPUT = 1 << 30, MOST_RATIO = 1100 };

void *bn_zlib_alloc(void *opaque, unsigned count, unsigned item)
{
    void *p = NULL;
    (void)opaque;
    return bn_new(&p, count, item) == BONSAI_OK ? p : NULL;
}

void bn_zlib_free(void *opaque, void *p)
{
    (void)opaque;
    bn_free(p);
}

typedef struct {
    z_stream z;
    const char *path;
    const uint8_t *stop;        /* of the input */
    char *data;
    int64_t len, capacity, most;
} inflater;

static bonsai_status damaged(const inflater *i, const char *how)
{
    return bn_fail_at(BONSAI_E_FORMAT, i->path, "%s after %lld bytes of text", how,
                      (long long)i->len);
}

/* Calls zlib once; *ended: a gzip member ended here. */
static bonsai_status inflate_piece(inflater *i, bool *ended)
{
    bonsai_status rc;
    BN_TRY(bn_grow((void **)&i->data, &i->capacity, i->len + PIECE, 1));
    int64_t room = i->capacity - i->len, left = i->stop - i->z.next_in;
    room = room < MOST_INPUT ? room : MOST_INPUT;
    i->z.next_out = (uint8_t *)i->data + i->len;
    i->z.avail_out = (unsigned)room;
    i->z.avail_in = (unsigned)(left < MOST_INPUT ? left : MOST_INPUT);
    int answer = inflate(&i->z, Z_NO_FLUSH);
    i->len += room - (int64_t)i->z.avail_out;
    *ended = answer == Z_STREAM_END;
    if (answer == Z_MEM_ERROR)
        rc = bn_fail(BONSAI_E_MEMORY, "out of memory: no room to inflate %s", i->path);
    else if (answer == Z_BUF_ERROR || (answer == Z_OK && i->z.next_in == i->stop &&
                                       i->z.avail_out > 0))
        rc = damaged(i, "the gzip data is cut off");
    else if (answer != Z_OK && answer != Z_STREAM_END)
        rc = damaged(i, "the gzip data is damaged");
    else if (i->len > i->most)
        rc = damaged(i, "the gzip data expands too far");
done:
    return rc;
}

/* Goes past the zeros after a member, which some tools use as padding, to another member or the
 * end. */
static bonsai_status next_member(inflater *i, bool *done)
{
    const uint8_t *p = i->z.next_in;
    while (p < i->stop && *p == 0)
        p++;
    *done = p == i->stop;
    if (*done)
        return BONSAI_OK;
    if (p != i->z.next_in || *p != 0x1f)
        return damaged(i, "something that is not gzip data follows");
    inflateReset(&i->z);
    return BONSAI_OK;
}

bonsai_status bn_gunzip(char **out, int64_t *len, const bn_file *f, const char *path)
{
    bonsai_status rc = BONSAI_OK;
    inflater i = {.path = path, .most = f->len * MOST_RATIO + PIECE};
    bool ended = false, finished = false;
    *out = NULL;
    if (f->len == 0)
        return damaged(&i, "the gzip data is cut off");
    i.stop = f->data + f->len;
    i.z.zalloc = bn_zlib_alloc;
    i.z.zfree = bn_zlib_free;
    i.z.next_in = (uint8_t *)(uintptr_t)f->data;    /* zlib only reads it */
    if (inflateInit2(&i.z, 15 + 16) != Z_OK)
        return bn_fail(BONSAI_E_MEMORY, "out of memory: no room to inflate %s", path);
    while (rc == BONSAI_OK && !finished) {
        rc = inflate_piece(&i, &ended);
        if (rc == BONSAI_OK && ended)
            rc = next_member(&i, &finished);
    }
    inflateEnd(&i.z);
    if (rc != BONSAI_OK)
        bn_free(i.data);
    *out = rc == BONSAI_OK ? i.data : NULL;
    *len = i.len;
    return rc;
}
