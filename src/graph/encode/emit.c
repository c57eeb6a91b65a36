/* emit.c -- writes the bytes of the sections of a coding, and computes their checksums.
 *
 * Values of four bits are first written one in a byte, and joined on their way out.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

enum { PIECE = 1 << 20 };       /* bytes passed to the sink at a time */

static bool is_feature(bonsai_section s)
{
    return (s >= BONSAI_SECTION_FEATURES && s <= BONSAI_SECTION_FEATURE_SCALE) ||
           s == BONSAI_SECTION_FEATURE_COLUMNS;
}

/* ---- pieces ---- */

typedef struct {                /* collects elements and passes them on in pieces */
    uint8_t *buffer;
    int64_t  room, used;
    bn_sink *sink;
    void    *payload;
} pieces;

static bonsai_status flush(pieces *o)
{
    int64_t len = o->used;
    o->used = 0;
    return len > 0 ? o->sink(o->buffer, len, o->payload) : BONSAI_OK;
}

/* Makes room for len more bytes, at most o->room. */
static bonsai_status make_room(pieces *o, int64_t len)
{
    return o->used + len > o->room ? flush(o) : BONSAI_OK;
}

static bonsai_status put_int(pieces *o, bonsai_type t, int64_t v)
{
    int64_t width = (int64_t)bonsai_type_bytes(t);
    bonsai_status rc = make_room(o, width);
    for (int64_t i = 0; i < width; i++)
        o->buffer[o->used++] = (uint8_t)((uint64_t)v >> 8 * i);
    return rc;
}

/* ---- a row of features ---- */

typedef struct {
    int32_t *index;             /* of its non-zeros, ascending */
    float   *value;
    int64_t  count;
    float    scale;             /* 1: none */
    int32_t *column;            /* the stored columns, ascending; NULL: all */
} feature_row;

/* Returns the bytes of a value, before those of four bits are joined. */
static int64_t width_of(bonsai_type t)
{
    return bn_four_bits(t) ? 1 : (int64_t)bonsai_type_bytes(t);
}

/* Returns how many features of a dense row are stored. */
static int64_t columns_of(const bn_coding *p, int64_t f)
{
    return p->type[BONSAI_SECTION_FEATURE_COLUMNS] ? p->count[BONSAI_SECTION_FEATURE_COLUMNS] : f;
}

/* Returns the type of the feature values. */
static bonsai_type type_of_values(const bn_coding *p)
{
    return p->type[BONSAI_SECTION_FEATURES] ? p->type[BONSAI_SECTION_FEATURES]
                                            : p->type[BONSAI_SECTION_FEATURE_VALUES];
}

static void read_row(feature_row *r, const bonsai_graph *g, int64_t node)
{
    r->count = bn_row_get(r->index, r->value, g, node);
}

static void find_scale(feature_row *r, const bn_coding *p, const bonsai_graph *g, int64_t node)
{
    r->scale = 1.0f;
    if (bn_scaled(type_of_values(p)))
        r->scale = bn_scale_pick(r->value, r->count, type_of_values(p), bn_row_hint(g, node));
}

static void encode_real(uint8_t *to, bonsai_type t, float v, float scale)
{
    uint16_t half;
    if (bn_scaled(t)) {
        *to = bn_quantise(v, scale, t);
    } else if (t == BONSAI_TYPE_F16) {
        half = bn_half_from_float(v);
        memcpy(to, &half, sizeof half);
    } else {
        memcpy(to, &v, sizeof v);
    }
}

/* Writes ids, which are below 65,536 if t is U16. */
static void encode_ids(uint8_t *to, bonsai_type t, const int32_t *id, int64_t count)
{
    if (t == BONSAI_TYPE_U32) {
        memcpy(to, id, (size_t)count * sizeof *id);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        uint16_t narrow = (uint16_t)id[i];
        memcpy(to + 2 * i, &narrow, sizeof narrow);
    }
}

/* Writes a section's part of a row; returns its bytes.  Zeros are all zero in any type. */
static int64_t encode_row(uint8_t *to, const feature_row *r, const bn_coding *p, bonsai_section s,
                          int64_t f)
{
    const bonsai_type t = p->type[s];
    const int64_t width = width_of(t), columns = columns_of(p, f);
    switch (s) {
    case BONSAI_SECTION_FEATURE_SCALE:
        memcpy(to, &r->scale, sizeof r->scale);
        return sizeof r->scale;
    case BONSAI_SECTION_FEATURE_INDICES:
        encode_ids(to, t, r->index, r->count);
        return r->count * width;
    case BONSAI_SECTION_FEATURE_VALUES:
        for (int64_t i = 0; i < r->count; i++)
            encode_real(to + i * width, t, r->value[i], r->scale);
        return r->count * width;
    default:
        memset(to, 0, (size_t)(columns * width));
        for (int64_t i = 0, j = 0; i < r->count; i++) {
            while (r->column && r->column[j] < r->index[i])
                j++;
            encode_real(to + (r->column ? j : r->index[i]) * width, t, r->value[i], r->scale);
        }
        return columns * width;
    }
}

/* Returns the most bytes of a row with at most `longest` non-zeros. */
static int64_t row_bytes(const bn_coding *p, bonsai_section s, int64_t longest, int64_t f)
{
    int64_t width = width_of(p->type[s]);
    return s == BONSAI_SECTION_FEATURES ? columns_of(p, f) * width
                                        : (longest > 1 ? longest : 1) * width;
}

/* Fails if a value is too large for f16, so that it cannot become infinite. */
static bonsai_status check_half(const bonsai_graph *g, const feature_row *r, int64_t node)
{
    for (int64_t i = 0; i < r->count; i++)
        if (fabsf(r->value[i]) >= 65520.0f)
            return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "node %lld has a feature of %g, which "
                              "f16 cannot hold", (long long)node, (double)r->value[i]);
    return BONSAI_OK;
}

/* ---- sections ---- */

static bonsai_status emit_offsets(pieces *o, const bn_coding *p, const bonsai_graph *g,
                                  feature_row *r, bn_rows rows)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_type t = p->type[BONSAI_SECTION_FEATURE_OFFSETS];
    int64_t total = p->before;
    for (int64_t v = rows.begin; v < rows.end; v++) {
        BN_TRY(put_int(o, t, total));
        read_row(r, g, v);
        total += r->count;
    }
    if (rows.last)
        BN_TRY(put_int(o, t, total));
done:
    return rc;
}

static bonsai_status emit_rows(pieces *o, const bn_coding *p, const bonsai_graph *g,
                               bonsai_section s, feature_row *r, bn_rows rows)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t f = g->view.features;
    for (int64_t v = rows.begin; v < rows.end; v++) {
        read_row(r, g, v);
        if (s != BONSAI_SECTION_FEATURE_INDICES)
            find_scale(r, p, g, v);
        if (p->type[s] == BONSAI_TYPE_F16)
            BN_TRY(check_half(g, r, v));
        BN_TRY(make_room(o, row_bytes(p, s, r->count, f)));
        o->used += encode_row(o->buffer + o->used, r, p, s, f);
    }
done:
    return rc;
}

static bonsai_status emit_columns(pieces *o, bonsai_type t, const int32_t *column, int64_t count)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < count; i++)
        BN_TRY(put_int(o, t, column[i]));
done:
    return rc;
}

static bonsai_status emit_features(pieces *o, const bn_coding *p, const bonsai_graph *g,
                                   bonsai_section s, bn_rows rows)
{
    bonsai_status rc;
    int64_t longest = bn_row_room_in(g, rows.begin, rows.end), columns = 0;
    feature_row r = {NULL, NULL, 0, 1.0f, NULL};
    BN_TRY(BN_NEW(&r.index, longest));
    BN_TRY(BN_NEW(&r.value, longest));
    if (p->type[BONSAI_SECTION_FEATURE_COLUMNS])
        BN_TRY(bn_columns_used(&r.column, &columns, g, rows, g->view.features, 1));
    if (s == BONSAI_SECTION_FEATURE_COLUMNS)
        BN_TRY(emit_columns(o, p->type[s], r.column, columns));
    else if (s == BONSAI_SECTION_FEATURE_OFFSETS)
        BN_TRY(emit_offsets(o, p, g, &r, rows));
    else
        BN_TRY(emit_rows(o, p, g, s, &r, rows));
done:
    bn_free(r.index);
    bn_free(r.value);
    bn_free(r.column);
    return rc;
}

static bonsai_status emit_converted(pieces *o, const bn_coding *p, const bonsai_graph *g,
                                    bonsai_section s, bn_rows rows)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_array *a = &g->view.section[s];
    int64_t i, to;
    bn_section_part(&i, &to, &g->view, s, rows);
    for (; i < to; i++)
        if (s == BONSAI_SECTION_LABELS)
            BN_TRY(put_int(o, p->type[s], bn_label(g, i)));     /* -1 is all ones at any width */
        else if (s == BONSAI_SECTION_SOFT_LABELS)
            BN_TRY(put_int(o, p->type[s], lrintf(bn_real_at(a, i) * 255.0f)));
        else if (s == BONSAI_SECTION_NODE_WEIGHTS)
            BN_TRY(put_int(o, p->type[s], lrintf(bn_real_at(a, i))));
        else
            BN_TRY(put_int(o, p->type[s], bn_int_at(a, i)));
done:
    return rc;
}

/* Writes the codes of a basis of squares, one in a byte. */
static bonsai_status emit_squares(pieces *o, const bonsai_array *a)
{
    bonsai_status rc = BONSAI_OK;
    const int8_t *number = a->data;
    for (int64_t i = 0; i < a->count; i++) {
        int code = 0;
        while (code * code < abs(number[i]))
            code++;
        BN_TRY(put_int(o, BONSAI_TYPE_U8, (number[i] < 0 ? -code : code) & 15));
    }
done:
    return rc;
}

/* Writes columns as a bit for each feature. */
static void emit_bits(pieces *o, const bonsai_array *a, int64_t bytes)
{
    for (int64_t i = 0; i < a->count; i++)
        o->buffer[bn_int_at(a, i) / 8] |= (uint8_t)(1 << bn_int_at(a, i) % 8);
    o->used = bytes;
}

static bool same_type(const bn_coding *p, const bonsai_graph *g, bonsai_section s)
{
    return (bn_has(g, s) ? g->view.section[s].type : BONSAI_TYPE_NONE) == p->type[s];
}

static bool same_count(const bn_coding *p, const bonsai_graph *g, bonsai_section s)
{
    return (bn_has(g, s) ? g->view.section[s].count : 0) == p->count[s];
}

bool bn_coding_keeps(const bn_coding *p, const bonsai_graph *g, bonsai_section s)
{
    const bonsai_array *a = &g->view.section[s];
    if (!a->data || a->type != p->type[s] || a->count != p->count[s])
        return false;
    if (!is_feature(s))
        return true;
    if (s != BONSAI_SECTION_FEATURES && !same_count(p, g, BONSAI_SECTION_FEATURE_INDICES))
        return false;                           /* dropping stored zeros changes the offsets */
    if (s == BONSAI_SECTION_FEATURE_SCALE || bn_scaled(a->type))
        return same_type(p, g, BONSAI_SECTION_FEATURES) &&
               same_type(p, g, BONSAI_SECTION_FEATURE_VALUES);
    return true;                                /* a row's scale belongs to its numbers */
}

int64_t bn_coding_from(const bn_coding *p, const bonsai_graph *g, bonsai_section s, bn_rows rows)
{
    int64_t from, to;
    if (s == BONSAI_SECTION_FEATURE_INDICES || s == BONSAI_SECTION_FEATURE_VALUES)
        return p->before;
    bn_section_part(&from, &to, &g->view, s, rows);
    return from;
}

static bonsai_status emit_as_it_lies(const bonsai_array *a, int64_t from, int64_t to, bn_sink *sink,
                                     void *payload)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t piece = (int64_t)64 * PIECE, item = (int64_t)bonsai_type_bytes(a->type);
    for (int64_t at = from * item; at < to * item && rc == BONSAI_OK; at += piece)
        rc = sink((const uint8_t *)a->data + at, bn_least(piece, to * item - at), payload);
    return rc;
}

bonsai_status bn_coding_emit_rows(const bn_coding *p, const bonsai_graph *g, bonsai_section s,
                                  bn_rows rows, bn_sink *sink, void *payload)
{
    bonsai_status rc;
    bn_halves joined = {sink, payload, -1};
    const bool four = bn_four_bits(p->type[s]);
    const bool bits = s == BONSAI_SECTION_BASIS_COLUMNS && p->type[s] == BONSAI_TYPE_U8;
    pieces o = {NULL, PIECE, 0, four ? bn_halves_put : sink, four ? &joined : payload};
    int64_t row = bits ? p->count[s] : 0;
    if (bn_coding_keeps(p, g, s)) {
        int64_t from, to;
        bn_section_part(&from, &to, &g->view, s, rows);
        return emit_as_it_lies(&g->view.section[s], from, to, sink, payload);
    }
    if (is_feature(s))
        row = row_bytes(p, s, bn_row_room_in(g, rows.begin, rows.end),
                        rows.begin < rows.end ? g->view.features : 0);
    o.room = row > PIECE ? row : PIECE;
    BN_TRY(BN_NEW(&o.buffer, o.room));
    if (bits)
        emit_bits(&o, &g->view.section[s], p->count[s]);
    else if (s == BONSAI_SECTION_BASIS)
        BN_TRY(emit_squares(&o, &g->view.section[s]));
    else if (is_feature(s))
        BN_TRY(emit_features(&o, p, g, s, rows));
    else
        BN_TRY(emit_converted(&o, p, g, s, rows));
    BN_TRY(flush(&o));
    BN_TRY(bn_halves_end(&joined));
done:
    bn_free(o.buffer);
    return rc;
}

bonsai_status bn_coding_emit(const bn_coding *p, const bonsai_graph *g, bonsai_section s,
                             bn_sink *sink, void *payload)
{
    return bn_coding_emit_rows(p, g, s, bn_rows_of(&g->view, NULL), sink, payload);
}

/* ---- checksums ---- */

/* Sums all sections of encoded features in one pass over the rows, a block of rows at a time for
 * each thread.  Offsets are the sums of the rows' lengths. */

enum { SECTIONS = BONSAI_SECTION_FEATURE_SCALE - BONSAI_SECTION_FEATURES + 1, ROWS = 256,
       BATCH = 64 };

typedef struct {                /* of a thread */
    feature_row r;
    pieces o[SECTIONS];
} lane;

typedef struct {
    const bn_coding *p;
    const bonsai_graph *g;
    bool wanted[SECTIONS];
    int32_t *length;            /* BATCH * ROWS: of the rows of a batch */
    lane *lanes;
    int64_t count;              /* of lanes */
    bn_checksum part[BATCH][SECTIONS];
} summing;

static bonsai_section nth(int k)
{
    return (bonsai_section)(BONSAI_SECTION_FEATURES + k);
}

static bonsai_status add_to_sum(const void *data, int64_t len, void *payload)
{
    bn_checksum *s = payload;
    s->crc = bn_crc32(s->crc, data, len);
    s->bytes += len;
    return BONSAI_OK;
}

/* Sums a block of rows, and stores their lengths. */
static void sum_block(summing *w, lane *l, bn_checksum *part, int64_t begin, int64_t end,
                      int32_t *length)
{
    const int64_t f = w->g->view.features;
    for (int k = 0; k < SECTIONS; k++) {
        part[k] = (bn_checksum){0, 0};
        l->o[k].payload = &part[k];
    }
    for (int64_t v = begin; v < end; v++) {
        read_row(&l->r, w->g, v);
        find_scale(&l->r, w->p, w->g, v);
        length[v - begin] = (int32_t)l->r.count;
        for (int k = 0; k < SECTIONS; k++)
            if (w->wanted[k] && nth(k) != BONSAI_SECTION_FEATURE_OFFSETS) {
                pieces *o = &l->o[k];
                make_room(o, row_bytes(w->p, nth(k), l->r.count, f));
                o->used += encode_row(o->buffer + o->used, &l->r, w->p, nth(k), f);
            }
    }
    for (int k = 0; k < SECTIONS; k++)
        flush(&l->o[k]);
}

/* Sums the next batch of rows; returns the row after it. */
static int64_t sum_batch(summing *w, int64_t begin, int64_t end, int threads)
{
    int64_t stop = bn_least(begin + (int64_t)BATCH * ROWS, end);
    int64_t blocks = (stop - begin + ROWS - 1) / ROWS;
    const double work = 8.0 * bn_features_work(w->g, stop - begin);
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t i = 0; i < w->count; i++)
        for (int64_t b = i; b < blocks; b += w->count)
            sum_block(w, &w->lanes[i], w->part[b], begin + b * ROWS,
                      bn_least(begin + (b + 1) * ROWS, stop), w->length + b * ROWS);
    return stop;
}

static void append_batch(bn_checksum *sum, const summing *w, int64_t blocks)
{
    for (int64_t b = 0; b < blocks; b++)
        for (int k = 0; k < SECTIONS; k++) {
            const bn_checksum *part = &w->part[b][k];
            sum[nth(k)].crc = bn_crc32_append(sum[nth(k)].crc, part->crc, part->bytes);
            sum[nth(k)].bytes += part->bytes;
        }
}

static bonsai_status open_lanes(summing *w, bn_rows rows, int threads)
{
    bonsai_status rc;
    int64_t longest = bn_row_room_in(w->g, rows.begin, rows.end);
    int64_t f = rows.begin < rows.end ? w->g->view.features : 0;
    w->count = bn_least(bn_threads(threads), BATCH);
    BN_TRY(BN_NEW(&w->length, BATCH * ROWS));
    BN_TRY(BN_NEW(&w->lanes, w->count));
    for (int64_t i = 0; i < w->count; i++) {
        lane *l = &w->lanes[i];
        BN_TRY(BN_NEW(&l->r.index, longest));
        BN_TRY(BN_NEW(&l->r.value, longest));
        for (int k = 0; k < SECTIONS; k++) {
            int64_t row = row_bytes(w->p, nth(k), longest, f);
            l->o[k] = (pieces){.room = row > PIECE / 16 ? row : PIECE / 16, .sink = add_to_sum};
            if (w->wanted[k])
                BN_TRY(BN_NEW(&l->o[k].buffer, l->o[k].room));
        }
    }
done:
    return rc;
}

static void close_lanes(summing *w)
{
    for (int64_t i = 0; w->lanes && i < w->count; i++) {
        for (int k = 0; k < SECTIONS; k++)
            bn_free(w->lanes[i].o[k].buffer);
        bn_free(w->lanes[i].r.index);
        bn_free(w->lanes[i].r.value);
    }
    bn_free(w->lanes);
    bn_free(w->length);
}

bonsai_status bn_coding_sums(bn_checksum *sum, const bn_coding *p, const bonsai_graph *g,
                             bn_rows rows, int threads)
{
    bonsai_status rc = BONSAI_OK;
    summing w = {.p = p, .g = g};
    bn_checksum *offsets = &sum[BONSAI_SECTION_FEATURE_OFFSETS];
    const bonsai_type t = p->type[BONSAI_SECTION_FEATURE_OFFSETS];
    pieces o = {.room = PIECE / 16, .sink = add_to_sum, .payload = offsets};
    int64_t total = p->before;
    bool any = false;
    for (int k = 0; k < SECTIONS; k++) {
        w.wanted[k] = p->type[nth(k)] != BONSAI_TYPE_NONE && !bn_coding_keeps(p, g, nth(k));
        any |= w.wanted[k];
    }
    if (!any)
        goto done;
    BN_TRY(open_lanes(&w, rows, threads));
    BN_TRY(BN_NEW(&o.buffer, o.room));
    for (int64_t at = rows.begin, next; at < rows.end; at = next) {
        next = sum_batch(&w, at, rows.end, threads);
        append_batch(sum, &w, (next - at + ROWS - 1) / ROWS);
        for (int64_t v = at; v < next; v++) {
            put_int(&o, t, total);
            total += w.length[v - at];
        }
    }
    if (rows.last)
        put_int(&o, t, total);
    flush(&o);
done:
    bn_free(o.buffer);
    close_lanes(&w);
    return rc;
}
