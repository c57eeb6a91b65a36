/* rows.c -- centroids as they are stored: which of their entries, in how many bits.
 *
 * In eight bits a row is numbers times one scale.  They are chosen before the row is
 * thinned, and thinning then changes the scale alone, so that which entries round to zero,
 * and with it the bytes of any thinning, is known before anything is stored.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "candidate.h"

static const float background = 0.3f;   /* of the mean row, against which an entry must stand out */

/* ---- bytes ---- */

static double index_bytes(const bn_storage *s)
{
    return s->f <= 65536 ? 2 : 4;
}

static double feature_bytes(const bn_storage *s, double n, double nnz)
{
    double width = (double)bonsai_type_bytes(s->type), dense = n * (double)s->f * width;
    double offset = nnz <= (double)UINT32_MAX ? 4 : 8;
    double sparse = (n + 1) * offset + nnz * (index_bytes(s) + width);
    return fmin(dense, sparse) + (s->type == BONSAI_TYPE_F32 ? 0 : 4 * n);
}

double bn_storage_bytes(const bn_storage *s, int64_t nodes, int64_t nnz)
{
    double n = (double)nodes, soft = s->soft ? (double)s->classes : 0;
    if (s->accounting != BONSAI_ACCOUNTING_STRICT)  /* doc/bytes.md; the self loop is one of E */
        return 2 * (3 * (double)nnz + n * (1 + soft + (s->largest > 0)) + 2 * n);
    double label = s->classes <= 255 ? 1 : s->classes <= 65535 ? 2 : 4;
    double weight = s->largest == 0 ? 0 : s->largest <= 255 ? 1 : s->largest <= 65535 ? 2 : 4;
    return 4 * (n + 1) + (s->loops ? 4 * n : 0) + n * (label + soft + weight) +
           feature_bytes(s, n, (double)nnz);
}

int64_t bn_storage_nodes(const bn_storage *s, double bytes, int64_t entries)
{
    int64_t low = 0, high = 1 << 30;
    while (low < high) {
        int64_t n = high - (high - low) / 2;
        if (bn_storage_bytes(s, n, n * entries) <= bytes)
            low = n;
        else
            high = n - 1;
    }
    return low;
}

int64_t bn_storage_guess(bn_storage s, double bytes, int64_t rows, int64_t cap)
{
    if (!isfinite(bytes))
        return cap;
    s.largest = 1;
    int64_t n = bn_storage_nodes(&s, bytes, s.f);
    if (n > 0 && rows / n >= 4) {       /* some cluster may well have more than 255 */
        s.largest = rows / n >= 8192 ? 1 << 20 : 256;
        n = bn_storage_nodes(&s, bytes, s.f);
    }
    return n < cap ? n : cap;
}

/* ---- the entries of a row ---- */

typedef struct { float score, value; int32_t index, number; } entry;

static int by_score(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

typedef struct {                /* room for one row at a time */
    entry *e;
    float *value;
    int64_t count;              /* that the type does not round to zero */
    float scale;
    double sum, kept;           /* of all values; of those that are kept */
} row_room;

static void add_entry(row_room *r, int32_t j, float v)
{
    if (v == 0.0f)
        return;
    r->e[r->count] = (entry){0, v, j, 0};
    r->value[r->count++] = v;
    r->sum += (double)v;
}

/* The entries of centroid i, less those that round to zero in eight bits. */
static void load_row(row_room *r, const bn_embedding *c, int64_t i, bonsai_type type)
{
    r->count = 0;
    r->sum = 0;
    r->scale = 1.0f;
    for (int64_t j = 0; c->dense && j < c->f; j++)
        add_entry(r, (int32_t)j, c->dense[i * c->f + j]);
    for (int64_t e = c->dense ? 0 : c->offsets[i]; !c->dense && e < c->offsets[i + 1]; e++)
        add_entry(r, c->index[e], c->value[e]);
    if (type == BONSAI_TYPE_F32)
        return;
    int64_t all = r->count;
    r->scale = bn_scale_pick(r->value, all, type, 0);
    r->count = 0;
    for (int64_t k = 0; k < all; k++) {
        entry e = r->e[k];
        uint8_t q = bn_quantise(e.value, r->scale, type);
        e.number = type == BONSAI_TYPE_I8 ? (int8_t)q : q;
        if (q != 0)
            r->e[r->count++] = e;
    }
}

/* Keeps the entries that stand out most from the mean row, and scales them half way up to the
 * sum that the row had.  Rows with negative entries have no sum worth keeping. */
static void thin_row(row_room *r, int64_t keep, const float *mean, bonsai_type type)
{
    r->kept = r->sum;
    if (keep >= r->count)
        return;
    bool sums = type == BONSAI_TYPE_U8;
    for (int64_t k = 0; k < r->count; k++)
        r->e[k].score = sums ? r->e[k].value - background * mean[r->e[k].index]
                             : fabsf(r->e[k].value);
    qsort(r->e, (size_t)r->count, sizeof *r->e, by_score);
    r->count = keep;
    r->kept = 0;
    for (int64_t k = 0; k < keep; k++)
        r->kept += (double)r->e[k].value;
    float scale = sums ? (float)((double)r->scale * sqrt(r->sum / r->kept)) : r->scale;
    if (isfinite(scale * 255.0f))
        r->scale = scale;
    qsort(r->e, (size_t)r->count, sizeof *r->e, by_index);
}

/* One room for each of `lanes` threads. */
static bonsai_status new_rooms(row_room **out, int lanes, const bn_embedding *c)
{
    int64_t most = c->dense ? c->f : 0;
    for (int64_t i = 0; !c->dense && i < c->rows; i++) {
        int64_t len = c->offsets[i + 1] - c->offsets[i];
        most = len > most ? len : most;
    }
    bonsai_status rc = BN_NEW(out, lanes);
    for (int l = 0; l < lanes && rc == BONSAI_OK; l++) {
        rc = BN_NEW(&(*out)[l].e, most);
        if (rc == BONSAI_OK)
            rc = BN_NEW(&(*out)[l].value, most);
    }
    return rc;
}

static void free_rooms(row_room *room, int lanes)
{
    for (int l = 0; room && l < lanes; l++) {
        bn_free(room[l].e);
        bn_free(room[l].value);
    }
    bn_free(room);
}

/* ---- how many of them ---- */

static int64_t kept_at(const bn_keep *k, int64_t rows, int64_t t)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += k->live[i] < t ? k->live[i] : t;
    return sum;
}

/* The most entries that fit, at least one of each row. */
static int64_t most_entries(const bn_storage *s, int64_t n, int64_t low, int64_t high, double bytes)
{
    while (low < high) {
        int64_t middle = high - (high - low) / 2;
        if (bn_storage_bytes(s, n, middle) <= bytes)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

typedef struct { int64_t size, row; } heavy;

static int by_size(const void *a, const void *b)
{
    const heavy *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static bonsai_status share_out(bn_keep *k, const bn_clusters *c, int64_t most)
{
    bonsai_status rc;
    heavy *order = NULL;
    int64_t n = c->count, low = 1, high = c->centre.f > 1 ? c->centre.f : 1, count = 0;
    BN_TRY(BN_NEW(&order, n));
    while (low < high) {
        int64_t t = high - (high - low) / 2;
        if (kept_at(k, n, t) <= most)
            low = t;
        else
            high = t - 1;
    }
    k->t = low;
    k->nnz = kept_at(k, n, low);
    for (int64_t i = 0; i < n; i++) {
        k->keep[i] = k->live[i] < low ? k->live[i] : low;
        if (k->live[i] > low)
            order[count++] = (heavy){c->size[i], i};
    }
    if (count == 0)
        k->t = 0;
    qsort(order, (size_t)count, sizeof *order, by_size);
    for (int64_t i = 0; i < count && k->nnz < most; i++, k->nnz++)
        k->keep[order[i].row]++;
done:
    bn_free(order);
    return rc;
}

bonsai_status bn_keep_most(bn_keep *out, bool *fits, const bn_clusters *c, const bn_storage *s,
                           double bytes, int threads)
{
    bonsai_status rc;
    row_room *room = NULL;
    int lanes = bn_lanes(threads, c->count / 16);
    int64_t n = c->count;
    memset(out, 0, sizeof *out);
    BN_TRY(BN_NEW(&out->live, n));
    BN_TRY(BN_NEW(&out->keep, n));
    BN_TRY(new_rooms(&room, lanes, &c->centre));
#pragma omp parallel for num_threads(bn_team(lanes, 8 * bn_numbers(&c->centre, n))) schedule(static)
    for (int lane = 0; lane < lanes; lane++)
        for (int64_t i = lane; i < n; i += lanes) {
            load_row(&room[lane], &c->centre, i, s->type);
            out->live[i] = room[lane].count;
        }
    for (int64_t i = 0; i < n; i++)
        out->all += out->live[i];
    int64_t least = kept_at(out, n, 1);
    *fits = bn_storage_bytes(s, n, least) <= bytes;
    BN_TRY(share_out(out, c, most_entries(s, n, least, out->all, bytes)));
done:
    free_rooms(room, lanes);
    if (rc != BONSAI_OK)
        bn_keep_free(out);
    return rc;
}

void bn_keep_free(bn_keep *k)
{
    bn_free(k->live);
    bn_free(k->keep);
    memset(k, 0, sizeof *k);
}

/* ---- into a graph ---- */

typedef struct {                /* where the rows go */
    void *dense, *value, *index;
    uint64_t *offsets;
    float *scale;
    bonsai_type type, wide;     /* of values and of indices */
    int64_t f;
} target;

static void put_value(void *to, bonsai_type t, int64_t at, const entry *e)
{
    switch (t) {
    case BONSAI_TYPE_F32: ((float *)to)[at] = e->value; break;
    case BONSAI_TYPE_I8:  ((int8_t *)to)[at] = (int8_t)e->number; break;
    default:         ((uint8_t *)to)[at] = (uint8_t)e->number; break;
    }
}

static void put_row(const target *to, const row_room *r, int64_t i)
{
    if (to->scale)
        to->scale[i] = r->scale;
    for (int64_t k = 0; k < r->count; k++) {
        const entry *e = &r->e[k];
        if (to->dense) {
            put_value(to->dense, to->type, i * to->f + e->index, e);
            continue;
        }
        int64_t at = (int64_t)to->offsets[i] + k;
        put_value(to->value, to->type, at, e);
        if (to->wide == BONSAI_TYPE_U16)
            ((uint16_t *)to->index)[at] = (uint16_t)e->index;
        else
            ((uint32_t *)to->index)[at] = (uint32_t)e->index;
    }
}

/* Sparse or dense, whichever is smaller; the writer would choose the same. */
static bonsai_status make_room(target *to, bonsai_graph *g, const bn_keep *k, const bn_storage *s)
{
    bonsai_status rc = BONSAI_OK;
    int64_t n = g->view.nodes;
    double width = (double)bonsai_type_bytes(s->type);
    bool dense = (double)n * (double)s->f * width <
                 4 * ((double)n + 1) + (double)k->nnz * (index_bytes(s) + width);
    *to = (target){.type = s->type, .wide = s->f <= 65536 ? BONSAI_TYPE_U16 : BONSAI_TYPE_U32,
                   .f = s->f};
    if (s->type != BONSAI_TYPE_F32)
        BN_TRY(bn_graph_array(&to->scale, g, BONSAI_SECTION_FEATURE_SCALE, BONSAI_TYPE_F32, n));
    if (dense) {
        BN_TRY(bn_graph_array(&to->dense, g, BONSAI_SECTION_FEATURES, s->type, n * s->f));
        goto done;
    }
    BN_TRY(bn_graph_array(&to->offsets, g, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, n + 1));
    BN_TRY(bn_graph_array(&to->index, g, BONSAI_SECTION_FEATURE_INDICES, to->wide, k->nnz));
    BN_TRY(bn_graph_array(&to->value, g, BONSAI_SECTION_FEATURE_VALUES, s->type, k->nnz));
    for (int64_t i = 0; i < n; i++)
        to->offsets[i + 1] = to->offsets[i] + (uint64_t)k->keep[i];
done:
    return rc;
}

bonsai_status bn_rows_store(bonsai_graph *g, const bn_clusters *c, const bn_keep *k,
                            const bn_storage *s, int threads)
{
    bonsai_status rc;
    target to;
    row_room *room = NULL;
    int lanes = bn_lanes(threads, c->count / 16);
    BN_TRY(make_room(&to, g, k, s));
    BN_TRY(new_rooms(&room, lanes, &c->centre));
    const double work = 32 * bn_numbers(&c->centre, c->count);
#pragma omp parallel for num_threads(bn_team(lanes, work)) schedule(static)
    for (int lane = 0; lane < lanes; lane++)
        for (int64_t i = lane; i < c->count; i += lanes) {
            load_row(&room[lane], &c->centre, i, s->type);
            thin_row(&room[lane], k->keep[i], c->mean, s->type);
            put_row(&to, &room[lane], i);
        }
done:
    free_rooms(room, lanes);
    return rc;
}

bonsai_status bn_rows_read(bn_embedding *out, const bonsai_graph *g, bool dense)
{
    bonsai_status rc;
    int64_t n = g->view.nodes, f = g->view.features, room = bn_row_room(g), nnz = 0;
    memset(out, 0, sizeof *out);
    out->rows = n;
    out->f = f;
    if (dense) {
        BN_TRY(BN_BIG(&out->dense, NULL, n * f));
        for (int64_t i = 0; i < n; i++)
            bonsai_graph_row(out->dense + i * f, g, i);
        goto done;
    }
    BN_TRY(BN_BIG(&out->offsets, NULL, n + 1));
    BN_TRY(BN_BIG(&out->index, NULL, n * room));
    BN_TRY(BN_BIG(&out->value, NULL, n * room));
    for (int64_t i = 0; i < n; i++) {
        nnz += bn_row_get(out->index + nnz, out->value + nnz, g, i);
        out->offsets[i + 1] = nnz;
    }
done:
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}
