/* container.c -- the header and table of a native file.
 *
 * Sections follow each other in table order, each at the next multiple of 64, with zeros between
 * them.  Any other table is refused, so overlaps, gaps and offsets out of range need no separate
 * checks.  doc/format.md describes the bytes.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "container.h"

enum { HEADER = 64, ENTRY = 32, CRC_AT = 28 };

static const uint8_t magic[8] = {0x89, 'B', 'O', 'N', 'S', 'A', 'I', '\n'};

static uint64_t get(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes - 1; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static void put(uint8_t *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static int64_t align(int64_t at)
{
    return (at + BN_CONTAINER_ALIGN - 1) / BN_CONTAINER_ALIGN * BN_CONTAINER_ALIGN;
}

int64_t bn_container_head(const bn_container *c)
{
    return HEADER + (int64_t)c->entries * ENTRY;
}

/* Sets the offset of the next section; returns where it ends, or -1 on overflow. */
static int64_t place(bn_entry *e, int64_t end)
{
    int64_t bytes;
    e->offset = align(end);
    if (!bn_type_space(&bytes, (bonsai_type)e->type, e->count) ||
        !bn_add(&end, e->offset, bytes) || end > INT64_MAX - BN_CONTAINER_ALIGN)
        return -1;
    return end;
}

int64_t bn_container_layout(bn_container *c)
{
    int64_t end = bn_container_head(c);
    for (int i = 0; i < c->entries && end >= 0; i++)
        end = place(&c->entry[i], end);
    return end;
}

/* Returns the lowest minor version that has all that the file uses, so that a file without the new
 * has the bytes that it always had. */
static uint64_t minor_of(const bn_container *c)
{
    uint64_t minor = 0;
    for (int i = 0; i < c->entries; i++)
        if (c->entry[i].id == BONSAI_SECTION_FEATURE_COLUMNS ||
            bn_four_bits((bonsai_type)c->entry[i].type))
            minor = 1;
    if (c->kind == BN_KIND_GRAPH && (c->field[3] & BONSAI_FLAG_OPERATOR))
        minor = 2;
    for (int i = 0; i < c->entries; i++)
        if (c->entry[i].id == BONSAI_SECTION_FEATURE_NAMES)
            minor = 3;
    for (int i = 0; i < c->entries; i++)
        if (bn_is_factor((int)c->entry[i].id) && c->kind == BN_KIND_GRAPH)
            minor = 4;
    if (c->kind == BN_KIND_GRAPH && (c->field[3] & BONSAI_FLAG_COORDINATES))
        minor = 5;
    return minor;
}

void bn_container_pack(uint8_t *out, const bn_container *c, int64_t file_bytes)
{
    int64_t len = bn_container_head(c);
    memset(out, 0, (size_t)len);
    memcpy(out, magic, sizeof magic);
    put(out + 8, BN_CONTAINER_MAJOR, 2);
    put(out + 10, minor_of(c), 2);
    put(out + 12, c->kind, 4);
    put(out + 16, (uint64_t)file_bytes, 8);
    put(out + 24, (uint64_t)c->entries, 4);
    for (int i = 0; i < 4; i++)
        put(out + 32 + 8 * i, c->field[i], 8);
    for (int i = 0; i < c->entries; i++) {
        uint8_t *p = out + HEADER + ENTRY * i;
        put(p, c->entry[i].id, 4);
        put(p + 4, c->entry[i].type, 4);
        put(p + 8, (uint64_t)c->entry[i].offset, 8);
        put(p + 16, (uint64_t)c->entry[i].count, 8);
        put(p + 24, c->entry[i].crc, 4);
    }
    put(out + CRC_AT, bn_crc32(0, out, len), 4);
}

bool bn_container_is(const bn_file *f)
{
    return f->len >= (int64_t)sizeof magic && memcmp(f->data, magic, sizeof magic) == 0;
}

static bonsai_status read_header(bn_container *c, const bn_file *f, const char *path)
{
    const uint8_t *p = f->data;
    if (f->len < HEADER)
        return bn_fail_at(BONSAI_E_FORMAT, path, "%lld bytes are too few for a bonsai file",
                          (long long)f->len);
    if (!bn_container_is(f))
        return bn_fail_at(BONSAI_E_FORMAT, path, "is not a bonsai file: its first bytes do not "
                          "match");
    if (get(p + 8, 2) != BN_CONTAINER_MAJOR)
        return bn_fail_at(BONSAI_E_FORMAT, path, "is of format version %d.%d; this library reads "
                          "%d.x: use a newer one", (int)get(p + 8, 2), (int)get(p + 10, 2),
                          BN_CONTAINER_MAJOR);
    if (get(p + 16, 8) != (uint64_t)f->len)
        return bn_fail_at(BONSAI_E_FORMAT, path, "has %lld bytes but its header says %llu: it was "
                          "cut or added to", (long long)f->len, (unsigned long long)get(p + 16, 8));
    if (get(p + 24, 4) > BN_CONTAINER_MAX ||
        HEADER + (int64_t)get(p + 24, 4) * ENTRY > f->len)
        return bn_fail_at(BONSAI_E_FORMAT, path, "says it has %llu sections, more than it can hold",
                          (unsigned long long)get(p + 24, 4));
    c->entries = (int)get(p + 24, 4);
    c->kind = (uint32_t)get(p + 12, 4);
    for (int i = 0; i < 4; i++)
        c->field[i] = get(p + 32 + 8 * i, 8);
    return BONSAI_OK;
}

static bonsai_status check_head_crc(const bn_container *c, const bn_file *f, const char *path)
{
    static const uint8_t zero[4] = {0};
    int64_t len = bn_container_head(c);
    uint32_t crc = bn_crc32(0, f->data, CRC_AT);
    crc = bn_crc32(crc, zero, 4);
    crc = bn_crc32(crc, f->data + CRC_AT + 4, len - CRC_AT - 4);
    if (crc != get(f->data + CRC_AT, 4))
        return bn_fail_at(BONSAI_E_FORMAT, path, "the checksum of its header does not match: the "
                          "file is damaged");
    return BONSAI_OK;
}

static bool all_zero(const uint8_t *p, int64_t len)
{
    for (int64_t i = 0; i < len; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static bonsai_status read_table(bn_container *c, const bn_file *f, const char *path)
{
    int64_t end = bn_container_head(c);
    for (int i = 0; i < c->entries; i++) {
        const uint8_t *p = f->data + HEADER + ENTRY * i;
        bn_entry *e = &c->entry[i];
        e->id = (uint32_t)get(p, 4);
        e->type = (uint32_t)get(p + 4, 4);
        e->count = (int64_t)get(p + 16, 8);
        e->crc = (uint32_t)get(p + 24, 4);
        if (get(p + 28, 4) != 0 || (i > 0 && e->id <= c->entry[i - 1].id))
            return bn_fail_at(BONSAI_E_FORMAT, path, "entry %d of its table is out of order", i);
        if (!bn_type_space(&(int64_t){0}, (bonsai_type)e->type, 0))
            return bn_fail_at(BONSAI_E_FORMAT, path, "section %u has the unknown type %u", e->id,
                              e->type);
        int64_t before = end;
        end = place(e, end);
        if (end < 0 || end > f->len || get(p + 8, 8) != (uint64_t)e->offset)
            return bn_fail_at(BONSAI_E_FORMAT, path, "section %u of %lld elements at byte %llu "
                              "does not fit in the file", e->id, (long long)e->count,
                              (unsigned long long)get(p + 8, 8));
        if (!all_zero(f->data + before, e->offset - before))
            return bn_fail_at(BONSAI_E_FORMAT, path, "there are bytes between its sections");
    }
    if (end != f->len)
        return bn_fail_at(BONSAI_E_FORMAT, path, "%lld bytes follow its last section",
                          (long long)(f->len - end));
    return BONSAI_OK;
}

bonsai_status bn_container_read(bn_container *out, const bn_file *f, const char *path)
{
    bonsai_status rc;
    memset(out, 0, sizeof *out);
    BN_TRY(read_header(out, f, path));
    BN_TRY(check_head_crc(out, f, path));
    BN_TRY(read_table(out, f, path));
done:
    return rc;
}
