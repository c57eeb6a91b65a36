/* mutate_zip.c -- mutations of NumPy arrays, and of zip archives of them.
 *
 * An archive is taken apart into its members, inflated; one is changed (its shape, type, order,
 * values, length, name) or members come and go; then it is written again with right checksums.
 *
 * SPDX-License-Identifier: MIT */
#include "../tests/support/npzmake.h"

#include "mutate.h"

enum { MEMBERS = 32, MEMBER_ROOM = 1 << 15 };

typedef struct {
    char     name[64];
    int      method;
    mu_bytes bytes;
} member;

typedef struct {
    member  list[MEMBERS];
    int     count;
    uint8_t store[MEMBERS][MEMBER_ROOM];
} archive;

static uint32_t get(const uint8_t *from, size_t width)
{
    uint32_t v = 0;
    memcpy(&v, from, width);
    return v;
}

/* ---- arrays ---- */

/* Where the values of an array start; 0: this is no array. */
static size_t values_at(const mu_bytes *b)
{
    if (b->len < 12 || memcmp(b->data, "\x93NUMPY", 6) != 0)
        return 0;
    size_t at = b->data[6] == 1 ? 10 + get(b->data + 8, 2) : 12 + (size_t)get(b->data + 8, 4);
    return at <= b->len ? at : 0;
}

/* The bytes of a value, by the last digit of its type: '<i8'. */
static size_t width_of(const mu_bytes *b, size_t end)
{
    const uint8_t *descr = memchr(b->data + 10, '<', end - 10);
    size_t width = descr && descr + 2 < b->data + end ? (size_t)(descr[2] - '0') : 1;
    return width == 2 || width == 4 || width == 8 ? width : 1;
}

static void put_header_length(mu_bytes *b, size_t end)
{
    size_t len = end - (b->data[6] == 1 ? 10 : 12);
    b->data[8] = (uint8_t)(len & 255);
    b->data[9] = (uint8_t)(len >> 8);
}

static void splice_header(mu_bytes *b, size_t *end, size_t at, size_t gone, const char *text)
{
    size_t was = b->len;
    if (at + gone <= *end && mu_splice(b, at, gone, text, strlen(text))) {
        *end += b->len - was;
        put_header_length(b, *end);
    }
}

static void change_type(mu_bytes *b, size_t end, mu_rng *r)
{
    static const char *const types[] = {"<i8", ">i8", "<i4", "<i2", "|i1", "|u1", "<u8", "<u4",
                                        "|b1", "<f2", "<f4", ">f4", "<f8", "|S3", "|O8", "<U4",
                                        "|S0", "<f16", "<c8", "|V4", "<i9999999999", "<U99999999"};
    const uint8_t *at = b->data + 10;
    while (at + 3 < b->data + end && !strchr("<>|=", *at))
        at++;
    splice_header(b, &end, (size_t)(at - b->data), 3,
                  types[mu_below(r, sizeof types / sizeof *types)]);
}

/* A number of the shape, or another one beside it. */
static void change_shape(mu_bytes *b, size_t end, mu_rng *r)
{
    char text[32];
    size_t at = 10, len = 0;
    while (at < end && b->data[at] != '(')
        at++;
    for (size_t skip = mu_below(r, 2); at + 1 < end && b->data[at] != ')'; at++)
        if (skip-- == 0)
            break;
    while (at < end && !(b->data[at] >= '0' && b->data[at] <= '9') && b->data[at] != ')')
        at++;
    while (at + len < end && b->data[at + len] >= '0' && b->data[at + len] <= '9')
        len++;
    uint64_t was = strtoull((memcpy(text, b->data + at, len < 20 ? len : 20),
                             text[len < 20 ? len : 20] = 0, text), NULL, 10);
    if (mu_chance(r, 4))
        snprintf(text, sizeof text, "%s", mu_digits(r));
    else
        snprintf(text, sizeof text, "%llu%s", (unsigned long long)mu_number(r, was),
                 mu_chance(r, 4) ? ", 2" : len ? "" : ",");
    splice_header(b, &end, at, len, text);
}

static void change_value(mu_bytes *b, size_t end, mu_rng *r)
{
    static const double odd[] = {0, -0.0, 1, -1, 0.5, 1e308, -1e308, 1e-320, 3e38, 1e39};
    size_t width = width_of(b, end), count = (b->len - end) / width;
    uint8_t *at = b->data + end + width * mu_below(r, count);
    uint64_t v = 0;
    if (count == 0)
        return;
    memcpy(&v, at, width);
    v = mu_number(r, v);
    if (width == 8 && mu_chance(r, 3))
        memcpy(&v, &odd[mu_below(r, sizeof odd / sizeof *odd)], 8);
    memcpy(at, &v, width);
}

static void change_values_length(mu_bytes *b, size_t end, mu_rng *r)
{
    size_t width = width_of(b, end), count = (b->len - end) / width;
    uint8_t kept[8] = {0};
    if (mu_chance(r, 2)) {
        b->len = end + mu_below(r, b->len - end + 1);
        return;
    }
    if (count > 0)
        memcpy(kept, b->data + end + width * mu_below(r, count), width);
    mu_splice(b, b->len, 0, kept, width);
}

bool mutate_npy(mu_bytes *b, mu_rng *r)
{
    size_t end = values_at(b);
    if (end == 0)
        return false;
    mu_bytes inside = {b->data + end, b->len - end, b->room - end};
    switch (mu_below(r, 10)) {
    case 0: change_type(b, end, r); break;
    case 1: case 2: change_shape(b, end, r); break;
    case 3: change_values_length(b, end, r); break;
    case 4:
        inside = (mu_bytes){b->data, end, end};     /* the header as text, in its room */
        mutate_text(&inside, r);
        break;
    default:
        if (inside.len > 0 && inside.data[0] == '{' && mutate_json(&inside, r))
            b->len = end + inside.len;
        else
            change_value(b, end, r);
    }
    return true;
}

/* ---- archives ---- */

static bool inflate_into(mu_bytes *to, const uint8_t *from, size_t len)
{
    z_stream s = {.next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)len,
                  .next_out = to->data, .avail_out = (uInt)to->room};
    if (inflateInit2(&s, -15) != Z_OK)
        return false;
    bool whole = inflate(&s, Z_FINISH) == Z_STREAM_END;
    to->len = s.total_out;
    inflateEnd(&s);
    return whole;
}

/* The member that an entry of the directory names. */
static void take_member(archive *a, const mu_bytes *b, const uint8_t *entry)
{
    member *m = &a->list[a->count];
    size_t packed = get(entry + 20, 4), name = get(entry + 28, 2), local = get(entry + 42, 4);
    if (local + 30 > b->len || entry + 46 + name > b->data + b->len)
        return;
    size_t at = local + 30 + get(b->data + local + 26, 2) + get(b->data + local + 28, 2);
    *m = (member){.method = (int)get(entry + 10, 2), .bytes = {a->store[a->count], 0, MEMBER_ROOM}};
    snprintf(m->name, sizeof m->name, "%.*s", (int)name, (const char *)entry + 46);
    if (at > b->len || packed > b->len - at)
        return;
    if (m->method == 0 ? mu_splice(&m->bytes, 0, 0, b->data + at, packed)
                       : inflate_into(&m->bytes, b->data + at, packed))
        a->count++;
}

static bool take_apart(archive *a, const mu_bytes *b)
{
    a->count = 0;
    if (b->len < 22 || memcmp(b->data, "PK\3\4", 4) != 0)
        return false;
    const uint8_t *end = b->data + b->len - 22;
    while (end > b->data && memcmp(end, "PK\5\6", 4) != 0)
        end--;
    size_t at = get(end + 16, 4);
    while (at + 46 <= b->len && memcmp(b->data + at, "PK\1\2", 4) == 0 && a->count < MEMBERS) {
        const uint8_t *e = b->data + at;
        take_member(a, b, e);
        at += 46 + get(e + 28, 2) + get(e + 30, 2) + get(e + 32, 2);
    }
    return a->count > 0;
}

static void put_together(mu_bytes *b, const archive *a)
{
    static npz_maker m;
    m.len = 0;
    m.members = 0;
    for (int i = 0; i < a->count && m.len < NPZ_ROOM / 4; i++)
        npz_add(&m, a->list[i].name, a->list[i].bytes.data, a->list[i].bytes.len,
                a->list[i].method != 0);
    npz_finish(&m);
    if (m.len <= b->room) {
        memcpy(b->data, m.data, m.len);
        b->len = m.len;
    }
}

static void copy_member(archive *a, int to, int from)
{
    char name[64];
    memcpy(name, a->list[to].name, sizeof name);
    a->list[to] = a->list[from];
    a->list[to].bytes.data = a->store[to];
    memmove(a->store[to], a->store[from], a->list[from].bytes.len);
    memcpy(a->list[to].name, name, sizeof name);
}

static void change_members(archive *a, mu_rng *r)
{
    int i = (int)mu_below(r, (size_t)a->count), k = (int)mu_below(r, (size_t)a->count);
    switch (mu_below(r, 4)) {
    case 0: copy_member(a, i, k); break;        /* one's array under another's name */
    case 1: a->list[i].method ^= 8; break;
    case 2:
        memcpy(a->list[i].name, a->list[k].name, sizeof a->list[i].name);
        break;
    default:
        if (a->count > 1) {
            copy_member(a, i, --a->count);
            memcpy(a->list[i].name, a->list[a->count].name, sizeof a->list[i].name);
        }
    }
}

bool mutate_zip(mu_bytes *b, mu_rng *r)
{
    static archive a;
    if (!take_apart(&a, b))
        return false;
    do {
        mu_bytes *bytes = &a.list[mu_below(r, (size_t)a.count)].bytes;
        if (mu_chance(r, 5))
            change_members(&a, r);
        else if (!mutate_npy(bytes, r))
            mutate_binary(bytes, r);
    } while (mu_chance(r, 3));
    put_together(b, &a);
    return true;
}
