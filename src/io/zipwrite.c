/* zipwrite.c -- writes a zip archive of NumPy arrays; equal arrays give equal bytes.
 *
 * Members are deflated on the fly.  A local header is rewritten once the size and the checksum are
 * known, so readers need no data descriptors.  The time is always 1980-01-01, the first that zip
 * can store.  Sizes and offsets from 4 GB on use the 64-bit form.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "lines.h"
#include "npy.h"

enum { MEMBERS = 128, NAME = 40, CHUNK = 1 << 16, LEVEL = 3, DATE = 0x21, TICK = 1 << 22 };

typedef struct {
    char     name[NAME];
    uint32_t crc;
    int64_t  size, packed, offset;
    bool     wide;              /* its sizes use the 64-bit form */
} member;

struct bn_zip_out {
    bn_out     *out;
    bn_progress progress;
    int64_t     done, total;    /* bytes of arrays, before compression */
    int64_t     limit;
    int         members;
    bool        deflating;
    member      list[MEMBERS];
    z_stream    stream;
    uint8_t     chunk[CHUNK];
};

/* ---- records ---- */

typedef struct {
    uint8_t bytes[128 + NAME];
    int64_t len;
} record;

static void put(record *r, int width, int64_t v)
{
    for (int i = 0; i < width; i++)
        r->bytes[r->len++] = (uint8_t)((uint64_t)v >> 8 * i);
}

static void put_name(record *r, const char *name)
{
    size_t len = strlen(name);
    memcpy(r->bytes + r->len, name, len);
    r->len += (int64_t)len;
}

/* Writes the fields from "version needed" to "length of the name", which both headers share. */
static void put_common(record *r, const member *m, bool wide)
{
    put(r, 2, wide ? 45 : 20);
    put(r, 2, 0);
    put(r, 2, Z_DEFLATED);
    put(r, 2, 0);
    put(r, 2, DATE);
    put(r, 4, m->crc);
    put(r, 4, m->wide ? UINT32_MAX : m->packed);
    put(r, 4, m->wide ? UINT32_MAX : m->size);
    put(r, 2, (int64_t)strlen(m->name));
}

static record local_header(const member *m)
{
    record r = {.len = 0};
    put(&r, 4, 0x04034b50);
    put_common(&r, m, m->wide);
    put(&r, 2, m->wide ? 20 : 0);
    put_name(&r, m->name);
    if (m->wide) {
        put(&r, 2, 1);
        put(&r, 2, 16);
        put(&r, 8, m->size);
        put(&r, 8, m->packed);
    }
    return r;
}

static record central_header(const bn_zip_out *z, const member *m)
{
    record r = {.len = 0};
    bool far = m->offset >= z->limit;
    int extra = (m->wide ? 16 : 0) + (far ? 8 : 0);
    put(&r, 4, 0x02014b50);
    put(&r, 2, 3 << 8 | 45);                    /* made on Unix, so that the file mode applies */
    put_common(&r, m, m->wide || far);
    put(&r, 2, extra ? 4 + extra : 0);
    put(&r, 2, 0);
    put(&r, 2, 0);
    put(&r, 2, 0);
    put(&r, 4, 0100644ll << 16);
    put(&r, 4, far ? UINT32_MAX : m->offset);
    put_name(&r, m->name);
    if (extra) {
        put(&r, 2, 1);
        put(&r, 2, extra);
    }
    if (m->wide) {
        put(&r, 8, m->size);
        put(&r, 8, m->packed);
    }
    if (far)
        put(&r, 8, m->offset);
    return r;
}

static record end_record(const bn_zip_out *z, int64_t offset, int64_t size)
{
    record r = {.len = 0};
    bool far = offset >= z->limit || size >= z->limit;
    if (far) {
        put(&r, 4, 0x06064b50);
        put(&r, 8, 44);
        put(&r, 2, 3 << 8 | 45);
        put(&r, 2, 45);
        put(&r, 8, 0);
        put(&r, 8, z->members);
        put(&r, 8, z->members);
        put(&r, 8, size);
        put(&r, 8, offset);
        put(&r, 4, 0x07064b50);
        put(&r, 4, 0);
        put(&r, 8, offset + size);
        put(&r, 4, 1);
    }
    put(&r, 4, 0x06054b50);
    put(&r, 4, 0);
    put(&r, 2, z->members);
    put(&r, 2, z->members);
    put(&r, 4, far ? UINT32_MAX : size);
    put(&r, 4, far ? UINT32_MAX : offset);
    put(&r, 2, 0);
    return r;
}

/* ---- deflate ---- */

static bonsai_status start_deflate(bn_zip_out *z)
{
    z->stream = (z_stream){.zalloc = bn_zlib_alloc, .zfree = bn_zlib_free};
    if (deflateInit2(&z->stream, LEVEL, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return bn_fail(BONSAI_E_MEMORY, "out of memory: no room to compress");
    z->deflating = true;
    return BONSAI_OK;
}

/* Deflates the input of the stream; if finish is set, also flushes what zlib still holds. */
static bonsai_status run_deflate(bn_zip_out *z, bool finish)
{
    bonsai_status rc;
    member *m = &z->list[z->members];
    do {
        z->stream.next_out = z->chunk;
        z->stream.avail_out = CHUNK;
        deflate(&z->stream, finish ? Z_FINISH : Z_NO_FLUSH);
        int64_t len = CHUNK - (int64_t)z->stream.avail_out;
        BN_TRY(bn_out_write(z->out, z->chunk, len));
        m->packed += len;
    } while (z->stream.avail_out == 0);
done:
    return rc;
}

static bonsai_status feed(bn_zip_out *z, const uint8_t *data, int64_t len)
{
    bonsai_status rc = BONSAI_OK;
    member *m = &z->list[z->members];
    m->crc = (uint32_t)crc32_z(m->crc, data, (size_t)len);
    for (int64_t n; len > 0; data += n, len -= n) {
        n = len < 1 << 30 ? len : 1 << 30;
        z->stream.next_in = (Bytef *)(uintptr_t)data;
        z->stream.avail_in = (uInt)n;
        BN_TRY(run_deflate(z, false));
    }
done:
    return rc;
}

/* ---- members ---- */

bonsai_status bn_zip_out_open(bn_zip_out **out, const char *path, bn_progress p, int64_t total)
{
    bonsai_status rc;
    bn_zip_out *z = NULL;
    *out = NULL;
    BN_TRY(BN_NEW(&z, 1));
    z->progress = p;
    z->total = total;
    z->limit = UINT32_MAX;
    BN_TRY(bn_out_open(&z->out, path));
    BN_TRY(bn_tick(p, "writing", 0, total));
    *out = z;
    z = NULL;
done:
    bn_zip_out_close(z);
    return rc;
}

void bn_zip_out_limit(bn_zip_out *z, int64_t limit)
{
    z->limit = limit;
}

/* Formats the header of an array, padded as in NumPy; returns its length. */
static int npy_header(char out[256], const char *descr, int dims, const int64_t *shape)
{
    int len = snprintf(out + 10, 240, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < dims; i++)
        len += snprintf(out + 10 + len, (size_t)(240 - len), i ? " %lld%s" : "%lld%s",
                        (long long)shape[i], i + 1 < dims || dims == 1 ? "," : "");
    len += snprintf(out + 10 + len, (size_t)(240 - len), "), }");
    int padded = (10 + len + 1 + 63) / 64 * 64 - 10;
    memset(out + 10 + len, ' ', (size_t)(padded - len));
    out[10 + padded - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01", 8);
    out[8] = (char)(padded & 255);
    out[9] = (char)(padded >> 8);
    return 10 + padded;
}

bonsai_status bn_zip_out_begin(bn_zip_out *z, const char *name, const char *descr, int dims,
                               const int64_t *shape)
{
    bonsai_status rc;
    char head[256];
    int head_len = npy_header(head, descr, dims, shape);
    int64_t size = descr[2] - '0';              /* as in "<i8" */
    for (int i = 0; i < dims; i++)
        if (!bn_mul(&size, size, shape[i]))
            return bn_fail(BONSAI_E_ARGUMENT, "the array \"%s\" is too large to be written", name);
    if (z->members == MEMBERS)
        return bn_fail(BONSAI_E_ARGUMENT, "the array \"%s\" is one more than the %d that an "
                       "archive may have", name, MEMBERS);
    member *m = &z->list[z->members];
    *m = (member){.size = size + head_len, .offset = bn_out_tell(z->out)};
    m->wide = m->size >= z->limit - z->limit / 64;      /* deflated noise grows a bit */
    snprintf(m->name, sizeof m->name, "%s.npy", name);
    record r = local_header(m);
    BN_TRY(bn_out_write(z->out, r.bytes, r.len));
    BN_TRY(start_deflate(z));
    BN_TRY(feed(z, (const uint8_t *)head, head_len));
done:
    return rc;
}

bonsai_status bn_zip_out_write(bn_zip_out *z, const void *data, int64_t len)
{
    bonsai_status rc;
    int64_t before = z->done;
    BN_TRY(feed(z, data, len));
    z->done += len;
    if (before / TICK != z->done / TICK && z->done < z->total)
        BN_TRY(bn_tick(z->progress, "writing", z->done, z->total));
done:
    return rc;
}

static void stop_deflate(bn_zip_out *z)
{
    if (z->deflating)
        deflateEnd(&z->stream);
    z->deflating = false;
}

bonsai_status bn_zip_out_end(bn_zip_out *z)
{
    bonsai_status rc;
    member *m = &z->list[z->members];
    BN_TRY(run_deflate(z, true));
    stop_deflate(z);
    record r = local_header(m);
    BN_TRY(bn_out_rewrite(z->out, m->offset, r.bytes, r.len));
    z->members++;
done:
    return rc;
}

bonsai_status bn_zip_out_commit(bn_zip_out *z)
{
    bonsai_status rc;
    int64_t offset = bn_out_tell(z->out);
    for (int i = 0; i < z->members; i++) {
        record r = central_header(z, &z->list[i]);
        BN_TRY(bn_out_write(z->out, r.bytes, r.len));
    }
    record r = end_record(z, offset, bn_out_tell(z->out) - offset);
    BN_TRY(bn_out_write(z->out, r.bytes, r.len));
    BN_TRY(bn_tick(z->progress, "writing", z->total, z->total));
    BN_TRY(bn_out_commit(z->out));
done:
    return rc;
}

void bn_zip_out_close(bn_zip_out *z)
{
    if (!z)
        return;
    stop_deflate(z);
    bn_out_close(z->out);
    bn_free(z);
}
