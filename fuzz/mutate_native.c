/* mutate_native.c -- mutations of native files, graphs and models: doc/format.md has the format.
 *
 * A file is taken apart into header and sections, changed, and put together again in the layout
 * that readers ask for, with right lengths and checksums.  Some mutations keep the sections in
 * agreement with each other (an edge more, a node more): these files load, and lie.  Others do not.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fuzz.h"
#include "graph/graph.h"
#include "mutate.h"

enum { HEAD = 64, ENTRY = 32, SECTIONS = 64, SECTION_ROOM = 1 << 14,
       LAST = BONSAI_SECTION_COUNT - 1 };         /* the highest number of a section */
enum { AT_KIND = 12, AT_LENGTH = 16, AT_COUNT = 24, AT_N = 32, AT_F = 40, AT_C = 48,
       AT_FLAGS = 56 };

typedef struct {
    uint32_t id, type;
    bool odd;                   /* of four bits: the last byte has one item */
    mu_bytes bytes;
} part;

typedef struct {
    uint8_t head[HEAD];
    part    part[SECTIONS];
    int     parts;
    uint8_t store[SECTIONS][SECTION_ROOM];
} file;

static uint64_t get(const uint8_t *from, size_t width)
{
    uint64_t v = 0;
    memcpy(&v, from, width);
    return v;
}

static void set(uint8_t *to, size_t width, uint64_t v)
{
    memcpy(to, &v, width);
}

/* ---- apart and together ---- */

static part *add_part(file *f, uint32_t id, uint32_t type, const void *data, size_t len)
{
    if (f->parts == SECTIONS || len > SECTION_ROOM)
        return NULL;
    part *p = &f->part[f->parts];
    *p = (part){id, type, false, {f->store[f->parts], len, SECTION_ROOM}};
    if (len > 0)
        memmove(p->bytes.data, data, len);
    f->parts++;
    return p;
}

static bool take_apart(file *f, const mu_bytes *b)
{
    if (b->len < HEAD || memcmp(b->data, "\x89" "BONSAI\n", 8) != 0)
        return false;
    size_t count = (size_t)get(b->data + AT_COUNT, 4);
    if (count > SECTIONS || HEAD + ENTRY * count > b->len)
        return false;
    memcpy(f->head, b->data, HEAD);
    f->parts = 0;
    for (const uint8_t *e = b->data + HEAD; e < b->data + HEAD + ENTRY * count; e += ENTRY) {
        uint32_t type = (uint32_t)get(e + 4, 4);
        uint64_t at = get(e + 8, 8), items = get(e + 16, 8);
        int64_t bytes;
        if (at > b->len || items > INT64_MAX || !bn_type_space(&bytes, type, (int64_t)items) ||
            (uint64_t)bytes > b->len - at)
            continue;
        part *p = add_part(f, (uint32_t)get(e, 4), type, b->data + at, (size_t)bytes);
        if (p)
            p->odd = items % 2;
    }
    return f->parts > 0;
}

/* By their numbers; equal ones stay in order. */
static void sort_parts(part *order[SECTIONS], file *f)
{
    for (int i = 0; i < f->parts; i++) {
        int at = i;
        for (; at > 0 && order[at - 1]->id > f->part[i].id; at--)
            order[at] = order[at - 1];
        order[at] = &f->part[i];
    }
}

static size_t aligned(size_t at)
{
    return (at + 63) / 64 * 64;
}

static void put_together(mu_bytes *b, file *f)
{
    static uint8_t out[MUTATE_ROOM];
    part *order[SECTIONS] = {NULL};
    size_t at = HEAD + ENTRY * (size_t)f->parts;
    sort_parts(order, f);
    memset(out, 0, aligned(at));
    for (int i = 0; i < f->parts; i++) {
        uint8_t *e = out + HEAD + ENTRY * (size_t)i;
        mu_bytes bytes = order[i]->bytes;
        size_t item = bonsai_type_bytes(order[i]->type), start = aligned(at);
        bytes.len -= item ? bytes.len % item : 0;
        if (start + bytes.len > b->room)
            return;
        memset(out + at, 0, start - at);
        memcpy(out + start, bytes.data, bytes.len);
        set(e, 4, order[i]->id);
        set(e + 4, 4, order[i]->type);
        set(e + 8, 8, start);
        set(e + 16, 8, item ? bytes.len / item : bytes.len);
        if (bn_four_bits(order[i]->type))
            set(e + 16, 8, 2 * bytes.len - (order[i]->odd && bytes.len > 0));
        at = start + bytes.len;
    }
    memcpy(out, f->head, HEAD);
    set(out + AT_COUNT, 4, (uint64_t)f->parts);
    set(out + AT_LENGTH, 8, at);
    memcpy(b->data, out, at);
    b->len = at;
}

/* ---- numbers in sections ---- */

static part *find(file *f, uint32_t id)
{
    for (int i = 0; i < f->parts; i++)
        if (f->part[i].id == id)
            return &f->part[i];
    return NULL;
}

static void drop(file *f, part *p)
{
    const part *last = &f->part[--f->parts];
    p->id = last->id;
    p->type = last->type;
    p->odd = last->odd;
    p->bytes.len = last->bytes.len;
    memmove(p->bytes.data, last->bytes.data, last->bytes.len);
}

static part *some(file *f, mu_rng *r)
{
    return &f->part[mu_below(r, (size_t)f->parts)];
}

static size_t width_of(const part *p)
{
    size_t w = bonsai_type_bytes(p->type);
    return w ? w : 1;
}

static size_t items_of(const part *p)
{
    return p->bytes.len / width_of(p);
}

static uint64_t item(const part *p, size_t i)
{
    return get(p->bytes.data + i * width_of(p), width_of(p));
}

static bool insert_item(part *p, size_t at, uint64_t v)
{
    return mu_splice(&p->bytes, at * width_of(p), 0, &v, width_of(p));
}

static void remove_item(part *p, size_t at)
{
    mu_splice(&p->bytes, at * width_of(p), width_of(p), NULL, 0);
}

static uint64_t odd_float(mu_rng *r)
{
    static const uint32_t bits[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                    0x7fc00000, 0x7f7fffff, 0xff7fffff, 1, 0x00800000, 0x3f000000,
                                    0x5f000000, 0x2edbe6ff, 0x7bff7c00};
    return bits[mu_below(r, sizeof bits / sizeof *bits)];
}

/* A number that is wrong in its section, or right there and wrong in another. */
static uint64_t odd_item(const file *f, const part *p, mu_rng *r, uint64_t was)
{
    if (p->type >= BONSAI_TYPE_F16 && mu_chance(r, 2))
        return odd_float(r);
    if (mu_chance(r, 3))
        return get(f->head + AT_N + 8 * mu_below(r, 3), 8) - mu_below(r, 3) + 1;
    if (mu_chance(r, 3))
        return item(p, mu_below(r, items_of(p)));
    return mu_number(r, was);
}

/* ---- mutations of a section ---- */

static void change_item(file *f, mu_rng *r)
{
    part *p = some(f, r);
    size_t count = items_of(p), at = mu_below(r, count), many = mu_chance(r, 8) ? count : 1;
    for (size_t i = at; count > 0 && i < count && i < at + many; i++)
        set(p->bytes.data + i * width_of(p), width_of(p), odd_item(f, p, r, item(p, i)));
}

static void change_type(file *f, mu_rng *r)
{
    some(f, r)->type = (uint32_t)(mu_chance(r, 8) ? mu_number(r, 3) : 1 + mu_below(r, 9));
}

/* The same numbers in a wider or narrower type. */
static void convert_type(file *f, mu_rng *r)
{
    static uint8_t was[SECTION_ROOM];
    part *p = some(f, r), old = *p;
    size_t count = items_of(p);
    old.bytes.data = was;
    memcpy(was, p->bytes.data, p->bytes.len);
    p->type = (uint32_t)(1 + mu_below(r, 4));
    if (count * width_of(p) > p->bytes.room) {
        p->type = old.type;
        return;
    }
    p->bytes.len = count * width_of(p);
    for (size_t i = 0; i < count; i++)
        set(p->bytes.data + i * width_of(p), width_of(p), item(&old, i));
}

static void change_length(file *f, mu_rng *r)
{
    part *p = some(f, r);
    size_t width = width_of(p), count = items_of(p);
    size_t more = 1 + mu_below(r, mu_chance(r, 4) ? 64 : 2);
    if (mu_chance(r, 2)) {
        p->bytes.len = width * (mu_chance(r, 3) ? mu_below(r, count + 1) : count - (count > 0));
        return;
    }
    for (; more > 0; more--)
        insert_item(p, items_of(p), count ? item(p, mu_below(r, count)) : mu_number(r, 0));
}

static void drop_section(file *f, mu_rng *r)
{
    if (f->parts > 1)
        drop(f, some(f, r));
}

static void renumber_section(file *f, mu_rng *r)
{
    some(f, r)->id = (uint32_t)(mu_chance(r, 8) ? mu_number(r, LAST) : 1 + mu_below(r, LAST));
}

static void copy_section(file *f, mu_rng *r)
{
    part *p = some(f, r);
    uint32_t id = (uint32_t)(mu_chance(r, 8) ? p->id : 1 + mu_below(r, LAST));
    if (!find(f, id) || mu_chance(r, 8))
        add_part(f, id, p->type, p->bytes.data, p->bytes.len);
}

static void swap_sections(file *f, mu_rng *r)
{
    part *a = some(f, r), *b = some(f, r);
    uint32_t id = a->id;
    a->id = b->id;
    b->id = id;
}

static void change_metadata(file *f, mu_rng *r)
{
    part *p = find(f, BONSAI_SECTION_METADATA);
    if (!p)
        add_part(f, BONSAI_SECTION_METADATA, BONSAI_TYPE_U8, "{}", 2);
    else if (!mutate_json(&p->bytes, r))
        mutate_text(&p->bytes, r);
}

static void change_names(file *f, mu_rng *r)
{
    static const char odd[] = "\0\0\xff\xc3\x28\n\"<&,%s";
    static const uint32_t ids[] = {BONSAI_SECTION_CLASS_NAMES, BONSAI_SECTION_NODE_NAMES,
                                   BONSAI_SECTION_FEATURE_NAMES};
    part *p = find(f, ids[mu_below(r, 3)]);
    if (p && p->bytes.len > 0)
        p->bytes.data[mu_below(r, p->bytes.len)] = (uint8_t)odd[mu_below(r, sizeof odd - 1)];
}

static void change_header(file *f, mu_rng *r)
{
    uint8_t *at = f->head + AT_N + 8 * mu_below(r, 4);
    if (mu_chance(r, 16))
        set(f->head + AT_KIND, 4, mu_number(r, 1));
    else
        set(at, 8, mu_number(r, get(at, 8)));
}

/* ---- mutations that keep the sections in agreement ---- */

typedef struct { part *offsets, *entries, *values; } rows;

static bool some_rows(rows *t, file *f, mu_rng *r)
{
    static const uint32_t ids[3][3] = {{1, 2, 3}, {5, 6, 7}, {17, 18, 0}};
    const uint32_t *id = ids[mu_chance(r, 2) ? 0 : mu_below(r, 3)];
    *t = (rows){find(f, id[0]), find(f, id[1]), find(f, id[2])};
    return t->offsets && t->entries && items_of(t->offsets) > 1;
}

static void shift_offsets(part *p, size_t row, uint64_t by)
{
    for (size_t i = row + 1; i < items_of(p); i++)
        set(p->bytes.data + i * width_of(p), width_of(p), item(p, i) + by);
}

static void add_entry(file *f, mu_rng *r)
{
    rows t;
    if (!some_rows(&t, f, r))
        return;
    size_t row = mu_below(r, items_of(t.offsets) - 1), at = (size_t)item(t.offsets, row);
    size_t end = (size_t)item(t.offsets, row + 1), count = items_of(t.entries);
    bool ids = t.entries->id == BONSAI_SECTION_FEATURE_INDICES;
    uint64_t most = get(f->head + (ids ? AT_F : AT_N), 8);
    uint64_t id = mu_chance(r, 8) ? mu_number(r, most) : mu_below(r, (size_t)most);
    while (at < end && at < count && item(t.entries, at) < id)
        at++;
    if (at > count || !insert_item(t.entries, at, id))
        return;
    if (t.values && at <= items_of(t.values))
        insert_item(t.values, at, t.values->type == BONSAI_TYPE_F32 ? 0x3f800000 : 1);
    shift_offsets(t.offsets, row, 1);
}

static void remove_entry(file *f, mu_rng *r)
{
    rows t;
    if (!some_rows(&t, f, r))
        return;
    size_t row = mu_below(r, items_of(t.offsets) - 1), at = (size_t)item(t.offsets, row);
    if (at >= (size_t)item(t.offsets, row + 1) || at >= items_of(t.entries))
        return;
    remove_item(t.entries, at);
    if (t.values && at < items_of(t.values))
        remove_item(t.values, at);
    shift_offsets(t.offsets, row, (uint64_t)-1);
}

/* How many items a section has for each node. */
static size_t items_per_node(file *f, uint32_t id)
{
    const part *columns = find(f, BONSAI_SECTION_FEATURE_COLUMNS);
    const part *scales = find(f, BONSAI_SECTION_BASIS_SCALE);
    switch (id) {
    case BONSAI_SECTION_FEATURES: return columns ? items_of(columns)
                                                 : (size_t)get(f->head + AT_F, 8);
    case BONSAI_SECTION_SOFT_LABELS: return (size_t)get(f->head + AT_C, 8);
    case BONSAI_SECTION_COORDINATES: return scales ? items_of(scales) : 0;
    case BONSAI_SECTION_COORDINATE_SCALE: return 1;
    case BONSAI_SECTION_OFFSETS: case BONSAI_SECTION_FEATURE_OFFSETS:
    case BONSAI_SECTION_MEMBER_OFFSETS: case BONSAI_SECTION_FEATURE_SCALE:
    case BONSAI_SECTION_LABELS: case BONSAI_SECTION_NODE_WEIGHTS: case BONSAI_SECTION_SPLIT:
    case BONSAI_SECTION_ORIGIN: case BONSAI_SECTION_ROLE: return 1;
    default: return 0;
    }
}

static void add_node(file *f, mu_rng *r)
{
    uint64_t n = get(f->head + AT_N, 8);
    for (int i = 0; i < f->parts; i++) {
        part *p = &f->part[i];
        size_t more = items_per_node(f, p->id), count = items_of(p);
        for (size_t k = 0; k < more && more <= count; k++)
            insert_item(p, count + k, item(p, count - more + k));
        if (p->id == BONSAI_SECTION_NODE_NAMES)
            mu_splice(&p->bytes, p->bytes.len, 0, "new", 4);
    }
    set(f->head + AT_N, 8, n + 1);
    if (mu_chance(r, 2))
        add_entry(f, r);
}

/* More classes: soft labels go, class names follow. */
static void add_classes(file *f, mu_rng *r)
{
    static const size_t steps[] = {1, 2, 10, 250, 300, 70000, 1 << 20};
    size_t more = steps[mu_below(r, mu_chance(r, 8) ? 7 : 5)];      /* many take long */
    part *soft = find(f, BONSAI_SECTION_SOFT_LABELS), *names = find(f, BONSAI_SECTION_CLASS_NAMES);
    set(f->head + AT_C, 8, get(f->head + AT_C, 8) + more);
    for (size_t i = 0; names && i < more && i < 400; i++)
        mu_splice(&names->bytes, names->bytes.len, 0, "c", 2);
    if (soft)
        drop(f, soft);
}

/* More features: what has one item for each follows, except dense features. */
static void add_features(file *f, mu_rng *r)
{
    static const uint32_t ids[] = {BONSAI_SECTION_KEPT_FEATURES, BONSAI_SECTION_FEATURE_MEAN,
                                   BONSAI_SECTION_FEATURE_SPREAD};
    static const size_t steps[] = {1, 2, 100, 65536, 1 << 24};
    size_t more = steps[mu_below(r, mu_chance(r, 8) ? 5 : 3)];
    set(f->head + AT_F, 8, get(f->head + AT_F, 8) + more);
    for (int i = 0; i < 3; i++) {
        part *p = find(f, ids[i]);
        for (size_t k = 0; p && k < more && items_of(p) > 0; k++)
            if (!insert_item(p, items_of(p), item(p, items_of(p) - 1) + (i == 0)))
                break;
    }
    part *names = find(f, BONSAI_SECTION_FEATURE_NAMES);
    for (size_t i = 0; names && i < more && i < 400; i++)
        mu_splice(&names->bytes, names->bytes.len, 0, "f", 2);
}

/* Kept features, origins and members of another graph: ascending numbers with a jump. */
static void move_ids(file *f, mu_rng *r)
{
    static const uint32_t ids[] = {BONSAI_SECTION_KEPT_FEATURES, BONSAI_SECTION_ORIGIN,
                                   BONSAI_SECTION_MEMBERS};
    static const uint64_t jumps[] = {1, 7, 1000, 1 << 20, 0x7fffff00, 0x40000000};
    part *p = find(f, ids[mu_below(r, 3)]);
    uint64_t by = jumps[mu_below(r, sizeof jumps / sizeof *jumps)];
    for (size_t i = p ? mu_below(r, items_of(p)) : 0; p && i < items_of(p); i++)
        set(p->bytes.data + i * width_of(p), width_of(p), item(p, i) + by);
}

/* A section that a graph of any kind may have. */
static void add_section(file *f, mu_rng *r)
{
    static const uint32_t ids[] = {BONSAI_SECTION_SPLIT, BONSAI_SECTION_ROLE, BONSAI_SECTION_ORIGIN,
                                   BONSAI_SECTION_NODE_WEIGHTS, BONSAI_SECTION_KEPT_FEATURES,
                                   BONSAI_SECTION_LABELS};
    uint32_t id = ids[mu_below(r, sizeof ids / sizeof *ids)];
    bool wide = id == BONSAI_SECTION_ORIGIN || id == BONSAI_SECTION_KEPT_FEATURES;
    size_t n = (size_t)get(f->head + (id == BONSAI_SECTION_KEPT_FEATURES ? AT_F : AT_N), 8);
    part *p = find(f, id);
    if (p || n > 2000 || !(p = add_part(f, id, wide ? BONSAI_TYPE_U32 : BONSAI_TYPE_U8, "", 0)))
        return;
    for (size_t i = 0; i < n; i++)
        insert_item(p, i, wide ? 3 * i : mu_below(r, 4));
}

/* Features that say they were standardised. */
static void add_standard(file *f, mu_rng *r)
{
    size_t n = (size_t)get(f->head + AT_F, 8);
    for (uint32_t id = BONSAI_SECTION_FEATURE_MEAN; id <= BONSAI_SECTION_FEATURE_SPREAD; id++) {
        part *p = find(f, id);
        if (!p && n < 2000 && (p = add_part(f, id, BONSAI_TYPE_F32, "", 0)))
            for (size_t i = 0; i < n; i++)
                insert_item(p, i, mu_chance(r, 8) ? odd_float(r) : 0x3f800000);
    }
}

static void change_flags(file *f, mu_rng *r)
{
    f->head[AT_FLAGS] ^= (uint8_t)(1u << mu_below(r, 3));
}

static void take_section(file *f, mu_rng *r, const mu_bytes *other)
{
    static file giver;
    if (!take_apart(&giver, other))
        return;
    const part *from = some(&giver, r);
    part *to = find(f, from->id);
    if (to)
        drop(f, to);
    add_part(f, from->id, from->type, from->bytes.data, from->bytes.len);
}

/* ---- the table, as it lies in the file ---- */

static void change_table(mu_bytes *b, mu_rng *r)
{
    static const uint8_t fields[][2] = {{0, 4}, {4, 4}, {8, 8}, {16, 8}, {28, 4}};
    const uint8_t *field = fields[mu_below(r, 5)];
    size_t entry = mu_below(r, b->data[AT_COUNT]);
    uint8_t *at = b->data + HEAD + ENTRY * entry + field[0];
    if (mu_chance(r, 8))
        at = b->data + AT_LENGTH;
    if (mu_chance(r, 8))
        mu_splice(b, b->len, 0, "\0\1\2", 1 + mu_below(r, 3));
    else
        set(at, field[1], mu_number(r, get(at, field[1])));
}

bool mutate_native(mu_bytes *b, mu_rng *r, const mu_bytes *other)
{
    static void (*const list[])(file *, mu_rng *) = {
        change_item, change_item, change_item, change_item, change_type, convert_type,
        change_length, drop_section, renumber_section, copy_section, swap_sections, change_metadata,
        change_metadata, change_metadata, change_metadata, change_names, change_header,
        change_header, add_entry, add_entry, add_entry, remove_entry, remove_entry, remove_entry,
        add_node, add_classes, add_features, move_ids, move_ids, add_section, add_standard,
        change_flags, change_flags, change_flags,
    };
    static file f;
    if (!take_apart(&f, b))
        return false;
    do {
        if (other && mu_chance(r, 4))
            take_section(&f, r, other);
        else
            list[mu_below(r, sizeof list / sizeof *list)](&f, r);
    } while (mu_chance(r, 3));
    put_together(b, &f);
    if (mu_chance(r, 16))
        change_table(b, r);
    fuzz_checksums(b->data, b->len);
    return true;
}
