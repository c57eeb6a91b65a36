/* npzmake.h -- makes NumPy arrays and zip archives by hand, for tests and fuzzers.
 *
 * It shares no code with src/, so it is an independent implementation of the formats.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_NPZMAKE_H
#define BN_NPZMAKE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { NPZ_ROOM = 1 << 18, NPZ_MEMBERS = 40 };

typedef struct {
    char     name[64];
    uint32_t crc, size, packed, offset;
    int      method;
} npz_member;

typedef struct {
    uint8_t    data[NPZ_ROOM];
    size_t     len;
    npz_member list[NPZ_MEMBERS];
    int        members;
} npz_maker;

static inline void npz_put(npz_maker *m, int width, uint32_t v)
{
    if (m->len + 4 > NPZ_ROOM)
        abort();
    for (int i = 0; i < width; i++)
        m->data[m->len++] = (uint8_t)(v >> 8 * i);
}

static inline void npz_bytes(npz_maker *m, const void *bytes, size_t len)
{
    if (len > NPZ_ROOM - m->len)
        abort();
    if (len > 0)
        memcpy(m->data + m->len, bytes, len);
    m->len += len;
}

static inline void npz_common(npz_maker *m, const npz_member *e)
{
    npz_put(m, 2, 20);
    npz_put(m, 2, 0);
    npz_put(m, 2, (uint32_t)e->method);
    npz_put(m, 4, 0x00210000);
    npz_put(m, 4, e->crc);
    npz_put(m, 4, e->packed);
    npz_put(m, 4, e->size);
    npz_put(m, 2, (uint32_t)strlen(e->name));
    npz_put(m, 2, 0);
}

/* Adds a member with any name and bytes, deflated or stored. */
static inline void npz_add(npz_maker *m, const char *name, const void *bytes, size_t len,
                           int deflated)
{
    static uint8_t packed[NPZ_ROOM];
    npz_member *e = &m->list[m->members++];
    if (m->members > NPZ_MEMBERS)
        abort();
    *e = (npz_member){.crc = (uint32_t)crc32(0, bytes, (uInt)len), .size = (uint32_t)len,
                      .packed = (uint32_t)len, .offset = (uint32_t)m->len};
    snprintf(e->name, sizeof e->name, "%s", name);
    if (deflated) {
        z_stream s = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)len,
                      .next_out = packed, .avail_out = sizeof packed};
        if (deflateInit2(&s, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
            deflate(&s, Z_FINISH) != Z_STREAM_END)
            abort();
        e->packed = (uint32_t)s.total_out;
        e->method = 8;
        deflateEnd(&s);
    }
    npz_put(m, 4, 0x04034b50);
    npz_common(m, e);
    npz_bytes(m, e->name, strlen(e->name));
    npz_bytes(m, deflated ? packed : bytes, e->packed);
}

static inline void npz_finish(npz_maker *m)
{
    size_t begin = m->len;
    for (int i = 0; i < m->members; i++) {
        npz_put(m, 4, 0x02014b50);
        npz_put(m, 2, 20);
        npz_common(m, &m->list[i]);
        npz_put(m, 4, 0);
        npz_put(m, 2, 0);
        npz_put(m, 4, 0);
        npz_put(m, 4, m->list[i].offset);
        npz_bytes(m, m->list[i].name, strlen(m->list[i].name));
    }
    size_t size = m->len - begin;
    npz_put(m, 4, 0x06054b50);
    npz_put(m, 4, 0);
    npz_put(m, 2, (uint32_t)m->members);
    npz_put(m, 2, (uint32_t)m->members);
    npz_put(m, 4, (uint32_t)size);
    npz_put(m, 4, (uint32_t)begin);
    npz_put(m, 2, 0);
}

/* Makes the bytes of a .npy file; head: "'<i8', F, (2, 3)" gives type, order (C or F) and shape;
 * returns the length. */
static inline size_t npy_bytes(uint8_t *out, size_t room, int version, const char *head,
                               const void *data, size_t len)
{
    char text[256], descr[64], order;
    int used = 0;
    if (sscanf(head, "%63[^ ] %c, %n", descr, &order, &used) < 2)
        abort();
    int text_len = snprintf(text, sizeof text, "{'descr': %s 'fortran_order': %s, 'shape': %s, }\n",
                            descr, order == 'F' ? "True" : "False", head + used);
    size_t before = version == 1 ? 10 : 12;
    if (before + (size_t)text_len + len > room)
        abort();
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (uint8_t)version;
    out[7] = 0;
    memset(out + 8, 0, before - 8);
    out[8] = (uint8_t)(text_len & 255);
    out[9] = (uint8_t)(text_len >> 8);
    memcpy(out + before, text, (size_t)text_len);
    if (len > 0)
        memcpy(out + before + (size_t)text_len, data, len);
    return before + (size_t)text_len + len;
}

static inline void npz_array(npz_maker *m, const char *name, const char *head, const void *data,
                             size_t len)
{
    static uint8_t bytes[NPZ_ROOM];
    char full[64];
    snprintf(full, sizeof full, "%s.npy", name);
    npz_add(m, full, bytes, npy_bytes(bytes, sizeof bytes, 1, head, data, len), 0);
}

/* Makes an archive from fuzzer input.  Each member has one byte (the number of its name in the low
 * five bits; 32: deflated; 64: raw bytes, else an array), a length in two bytes, and that many
 * bytes.  The bytes of an array start with its type (low four bits; 16: Fortran order), its number
 * of dimensions, and a byte for each. */
static inline void npz_fuzzed(npz_maker *m, const char *const *names, size_t count,
                              const uint8_t *data, size_t size)
{
    static const char *const types[16] = {"<i8", ">i8", "<i4", "<i2", "|i1", "|u1", "<u8", "<u4",
                                          "|b1", "<f2", "<f4", ">f4", "<f8", "|S3", "|O8", ">u2"};
    static uint8_t bytes[1 << 17];
    char head[128], name[64];
    m->len = 0;
    m->members = 0;
    while (size >= 3 && m->members < NPZ_MEMBERS && m->len < NPZ_ROOM / 4) {
        unsigned form = data[0];
        size_t len = (size_t)(data[1] | data[2] << 8), used = 2;
        data += 3;
        size -= 3;
        len = len < size ? len : size;
        snprintf(name, sizeof name, "%s.npy", names[(form & 31) % count]);
        if (!(form & 64) && len >= 2) {
            size_t dims = data[1] % 4u, at = (size_t)snprintf(head, sizeof head, "'%s', %c, (",
                          types[data[0] & 15], data[0] & 16 ? 'F' : 'C');
            for (size_t i = 0; i < dims && used < len; i++)
                at += (size_t)snprintf(head + at, sizeof head - at, "%d,", data[used++]);
            snprintf(head + at, sizeof head - at, ")");
            size_t n = npy_bytes(bytes, sizeof bytes, 1, head, data + used, len - used);
            npz_add(m, name, bytes, n, (form & 32) != 0);
        } else {
            npz_add(m, name, data, len, (form & 32) != 0);
        }
        data += len;
        size -= len;
    }
    npz_finish(m);
}

#endif
