/* rows.c -- rows of prototypes as they are stored: which of their entries, in how many bits.
 *
 * In eight bits a row is numbers times one scale, in four bits squares of numbers up to 15 (or 7
 * and a sign) times one scale: most entries of an average are small, where squares lie close
 * together.  Numbers are chosen before the row is thinned, and thinning then changes the scale
 * alone, so that which entries round to zero, and with it the bytes of any thinning, is known
 * before anything is stored.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "candidate.h"

static const float background = 0.3f;   /* of the mean row, against which an entry must stand out */
static const double most_made_up = 3;

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
    double sum;                 /* of all values */
} row_room;

static void add_entry(row_room *r, int32_t j, float v)
{
    if (v == 0.0f)
        return;
    r->e[r->count] = (entry){0, v, j, 0};
    r->value[r->count++] = v;
    r->sum += (double)v;
}

/* Returns the number of a value times 1 / scale, nearest in square roots. */
static int32_t square_of(float v, float most, bonsai_type type)
{
    int levels = type == BONSAI_TYPE_I8 ? 7 : 15;
    int q = (int)floorf(sqrtf(fabsf(v) / most) * (float)levels + 0.5f);
    return v < 0 ? -q * q : q * q;
}

static void number_squares(row_room *r, bonsai_type type)
{
    float most = 0;
    for (int64_t k = 0; k < r->count; k++)
        most = fmaxf(most, fabsf(r->e[k].value));
    r->scale = most / (type == BONSAI_TYPE_I8 ? 49.0f : 225.0f);
    bool tiny = !(r->scale > 0);        /* what no float divides rounds to nothing */
    for (int64_t k = 0; k < r->count; k++)
        r->e[k].number = tiny ? 0 : square_of(r->e[k].value, most, type);
    r->scale = tiny ? 1.0f : r->scale;
}

static void number_bytes(row_room *r, bonsai_type type)
{
    r->scale = bn_scale_pick(r->value, r->count, type, 0);
    for (int64_t k = 0; k < r->count; k++) {
        uint8_t q = bn_quantise(r->e[k].value, r->scale, type);
        r->e[k].number = type == BONSAI_TYPE_I8 ? (int8_t)q : q;
    }
}

/* Loads the entries of row i, less those that round to zero. */
static void load_row(row_room *r, const bn_embedding *c, int64_t i, const bn_storage *s)
{
    r->count = 0;
    r->sum = 0;
    r->scale = 1.0f;
    for (int64_t j = 0; c->dense && j < c->f; j++)
        add_entry(r, (int32_t)j, c->dense[i * c->f + j]);
    for (int64_t e = c->dense ? 0 : c->offsets[i]; !c->dense && e < c->offsets[i + 1]; e++)
        add_entry(r, c->index[e], c->value[e]);
    if (s->type == BONSAI_TYPE_F32)
        return;
    int64_t all = r->count;
    if (s->squares)
        number_squares(r, s->type);
    else
        number_bytes(r, s->type);
    r->count = 0;
    for (int64_t k = 0; k < all; k++)
        if (r->e[k].number != 0)
            r->e[r->count++] = r->e[k];
}

/* Scales what is kept half way up to the sum that the row had.  Rows with negative entries have no
 * sum worth keeping. */
static void make_up(row_room *r, bonsai_type type)
{
    double kept = 0;
    for (int64_t k = 0; k < r->count; k++)
        kept += (double)r->e[k].value;
    float scale = (float)((double)r->scale * fmin(sqrt(r->sum / kept), most_made_up));
    if (type == BONSAI_TYPE_U8 && kept > 0 && isfinite(scale * 255.0f))
        r->scale = scale;
}

/* Keeps the entries that stand out most from the mean row. */
static void thin_row(row_room *r, int64_t keep, const float *mean, bonsai_type type)
{
    if (keep >= r->count)
        return;
    for (int64_t k = 0; k < r->count; k++)
        r->e[k].score = type == BONSAI_TYPE_U8 ? r->e[k].value - background * mean[r->e[k].index]
                                               : fabsf(r->e[k].value);
    qsort(r->e, (size_t)r->count, sizeof *r->e, by_score);
    r->count = keep;
    make_up(r, type);
    qsort(r->e, (size_t)r->count, sizeof *r->e, by_index);
}

/* Keeps the entries in the columns; both ascend. */
static void cut_row(row_room *r, const int32_t *column, int64_t columns, bonsai_type type)
{
    int64_t kept = 0, at = 0, all = r->count;
    for (int64_t k = 0; k < all; k++) {
        while (at < columns && column[at] < r->e[k].index)
            at++;
        if (at < columns && column[at] == r->e[k].index)
            r->e[kept++] = r->e[k];
    }
    r->count = kept;
    if (kept < all)
        make_up(r, type);
}

/* Allocates a room for each of `lanes` threads. */
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

/* Returns the most entries or columns that fit, at least `low`. */
static int64_t most_stored(const bn_storage *s, int64_t n, int64_t low, int64_t high, double bytes)
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

typedef struct { double rate; int32_t at; } rated;      /* a row or a column */

/* Sorts by falling rate, the first of equals first. */
static int by_rate(const void *a, const void *b)
{
    const rated *x = a, *y = b;
    if (x->rate != y->rate)
        return x->rate < y->rate ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

static bonsai_status share_out(bn_keep *k, const bn_centres *m, int64_t most)
{
    bonsai_status rc;
    rated *order = NULL;
    int64_t n = m->x.rows, low = 1, high = m->x.f > 1 ? m->x.f : 1, count = 0;
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
            order[count++] = (rated){(double)m->size[i % m->count], (int32_t)i};
    }
    if (count == 0)
        k->t = 0;
    qsort(order, (size_t)count, sizeof *order, by_rate);
    for (int64_t i = 0; i < count && k->nnz < most; i++, k->nnz++)
        k->keep[order[i].at]++;
done:
    bn_free(order);
    return rc;
}

/* ---- which columns ---- */

/* Rates each column by how far rows are from their mean in it, by size; -1 if no row has an
 * entry.  Entries are met in the order of rows. */
static void rate_columns(double *score, const bn_centres *m)
{
    const bn_embedding *x = &m->x;
    double total = 0;
    for (int64_t i = 0; i < x->rows; i++)
        total += (double)m->size[i % m->count];
    for (int64_t j = 0; j < x->f; j++)
        score[j] = -1;
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t end = x->dense ? x->f : x->offsets[i + 1];
        double size = (double)m->size[i % m->count];
        for (int64_t e = x->dense ? 0 : x->offsets[i]; e < end; e++) {
            int64_t j = x->dense ? e : x->index[e];
            double v = x->dense ? (double)x->dense[i * x->f + j] : (double)x->value[e];
            double mean = (double)m->mean[j];
            if (v == 0)
                continue;
            score[j] = score[j] < 0 ? total * mean * mean : score[j];
            score[j] = fmax(score[j] + size * v * (v - 2 * mean), 0);
        }
    }
}

static int by_column(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

bonsai_status bn_columns_pick(int32_t **out, int64_t count, const double *rate, int64_t f)
{
    bonsai_status rc;
    rated *all = NULL;
    BN_TRY(BN_NEW(&all, f));
    BN_TRY(BN_NEW(out, count));
    for (int64_t j = 0; j < f; j++)
        all[j] = (rated){rate[j], (int32_t)j};
    qsort(all, (size_t)f, sizeof *all, by_rate);
    for (int64_t j = 0; j < count; j++)
        (*out)[j] = all[j].at;
    qsort(*out, (size_t)count, sizeof **out, by_column);
done:
    bn_free(all);
    return rc;
}

/* Picks the columns in which rows differ most, as many as fit. */
static bonsai_status pick_columns(bn_keep *k, bool *fits, const bn_centres *m, const bn_storage *s,
                                  double bytes)
{
    bonsai_status rc;
    double *score = NULL;
    int64_t f = m->x.f, live = 0;
    BN_TRY(BN_NEW(&score, f));
    rate_columns(score, m);
    for (int64_t j = 0; j < f; j++)
        live += score[j] >= 0;
    *fits = live > 0 && bn_storage_bytes(s, m->count, 1) <= bytes;
    k->columns = live > 0 ? most_stored(s, m->count, 1, live, bytes) : 0;
    k->t = k->columns < live ? k->columns : 0;
    BN_TRY(bn_columns_pick(&k->column, k->columns, score, f));
done:
    bn_free(score);
    return rc;
}

/* Counts the entries of each row that do not round to zero, and those of them in the columns. */
static void count_live(bn_keep *k, row_room *room, int lanes, const bn_centres *m,
                       const bn_storage *s)
{
    const double work = 8 * bn_numbers(&m->x, m->x.rows);
#pragma omp parallel for num_threads(bn_team(lanes, work)) schedule(static)
    for (int lane = 0; lane < lanes; lane++)
        for (int64_t i = lane; i < m->x.rows; i += lanes) {
            load_row(&room[lane], &m->x, i, s);
            k->live[i] = room[lane].count;
            if (k->column)
                cut_row(&room[lane], k->column, k->columns, s->type);
            k->keep[i] = room[lane].count;
        }
    for (int64_t i = 0; i < m->x.rows; i++) {
        k->all += k->live[i];
        k->nnz += k->keep[i];
    }
}

bonsai_status bn_keep_most(bn_keep *out, bool *fits, const bn_centres *m, const bn_storage *s,
                           double bytes, int threads)
{
    bonsai_status rc;
    row_room *room = NULL;
    int lanes = bn_lanes(threads, m->x.rows / 16);
    int64_t n = m->x.rows;
    memset(out, 0, sizeof *out);
    BN_TRY(BN_NEW(&out->live, n));
    BN_TRY(BN_NEW(&out->keep, n));
    BN_TRY(new_rooms(&room, lanes, &m->x));
    if (s->columns)
        BN_TRY(pick_columns(out, fits, m, s, bytes));
    count_live(out, room, lanes, m, s);
    if (!s->columns) {
        int64_t least = kept_at(out, n, 1);
        *fits = bn_storage_bytes(s, m->count, least) <= bytes;
        BN_TRY(share_out(out, m, most_stored(s, m->count, least, out->all, bytes)));
    }
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
    bn_free(k->column);
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

/* Allocates sparse or dense features, whichever is smaller; the writer may know still smaller
 * ways. */
static bonsai_status make_room(target *to, bonsai_graph *g, const bn_keep *k, const bn_storage *s)
{
    bonsai_status rc = BONSAI_OK;
    int64_t n = g->view.nodes;
    double width = (double)bonsai_type_bytes(s->type), index = s->f <= 65536 ? 2 : 4;
    bool dense = (double)n * (double)s->f * width <
                 4 * ((double)n + 1) + (double)k->nnz * (index + width);
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

bonsai_status bn_rows_store(bonsai_graph *g, const bn_centres *m, const bn_keep *k,
                            const bn_storage *s, int threads)
{
    bonsai_status rc;
    target to;
    row_room *room = NULL;
    int lanes = bn_lanes(threads, m->x.rows / 16);
    BN_TRY(make_room(&to, g, k, s));
    BN_TRY(new_rooms(&room, lanes, &m->x));
    const double work = 32 * bn_numbers(&m->x, m->x.rows);
#pragma omp parallel for num_threads(bn_team(lanes, work)) schedule(static)
    for (int lane = 0; lane < lanes; lane++)
        for (int64_t i = lane; i < m->x.rows; i += lanes) {
            load_row(&room[lane], &m->x, i, s);
            if (k->column)
                cut_row(&room[lane], k->column, k->columns, s->type);
            else
                thin_row(&room[lane], k->keep[i], m->mean, s->type);
            put_row(&to, &room[lane], i);
        }
done:
    free_rooms(room, lanes);
    return rc;
}
