/* wl_dense.c -- rounds of averaging on panels of columns; see wl.c.
 *
 * Two panels of some columns and all local rows are what a round is made from and made into.  The
 * fewer columns, the less memory, and the more often the graph is read: as many as the limit
 * allows are taken at a time.  While rows of the halo travel, the rows that need none of them are
 * computed.
 *
 * A result in a scratch file is not written where it belongs at once: a few columns of each row
 * would touch every page of the file for every panel.  Instead, some thousand rows share a
 * stretch of the file, in which each panel's columns of those rows lie together; when all panels
 * are done every stretch is put into the order of rows.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "wl.h"

/* TILE_FLOATS: what a stretch of rows in a scratch file holds at most. */
enum { CACHE_BYTES = 16 << 20, SOME_ROWS = 128, STRETCH = 1 << 18, LINE = 16 };
enum { TILE_FLOATS = 1 << 20 };

typedef struct {                /* a panel on its way through the rounds */
    float  *a, *b;              /* before and after a round: local rows x width */
    float  *send;               /* out.count x width */
    float  *out;                /* count x f */
    int64_t tile;               /* rows of a stretch; 0: out is in the order of rows */
    int64_t first, use;         /* columns */
    int     width;
    int64_t done, total;        /* rows of all panels and rounds, for progress */
} panel;

/* ---- features ---- */

static void load_dense(panel *p, const bn_wl_run *w)
{
    const bonsai_array *x = &w->g->view.section[BONSAI_SECTION_FEATURES];
    const float *scale = w->g->view.section[BONSAI_SECTION_FEATURE_SCALE].data;
    int64_t use = p->use;
    const double work = 4.0 * (double)(w->n * p->width);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(static)
    for (int64_t v = 0; v < w->n; v++) {
        if (!bn_wl_needs(w->need, v, 0))
            continue;
        float *row = p->a + v * p->width;
        int64_t node = w->first + v, at = node * w->f + p->first;
        memset(row, 0, (size_t)p->width * sizeof *row);
        if (x->type == BONSAI_TYPE_F32)
            memcpy(row, (const float *)x->data + at, (size_t)use * sizeof *row);
        else
            for (int64_t j = 0; j < use; j++)
                row[j] = (scale ? scale[node] : 1.0f) * bn_real_at(x, at + j);
    }
}

/* Sparse rows are met panel after panel; a cursor per row stands where it left off. */
static void load_sparse(panel *p, const bn_wl_run *w, int32_t *cursor)
{
    const double work = 8.0 * (double)(w->n * p->width);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(static)
    for (int64_t v = 0; v < w->n; v++) {
        if (!bn_wl_needs(w->need, v, w->done))
            continue;
        float *row = p->a + v * p->width;
        bn_wl_row x = bn_wl_row_of(w, v);
        int64_t e = cursor[v];
        memset(row, 0, (size_t)p->width * sizeof *row);
        for (; e < x.count && bn_wl_index(&x, e) < p->first + p->use; e++)
            row[bn_wl_index(&x, e) - p->first] = bn_wl_value(&x, e);
        cursor[v] = (int32_t)e;
    }
}

/* Own features of a mapped file are read from front to back, once for each panel. */
static void advise(const bn_wl_run *w, int how)
{
    const bonsai_array *x = &w->g->view.section[BONSAI_SECTION_FEATURES];
    int64_t row = w->f * (int64_t)bonsai_type_bytes(x->type);
    uintptr_t page = 4096, begin = (uintptr_t)x->data + (uintptr_t)(w->first * row);
    uintptr_t end = begin + (uintptr_t)(w->n * row);
    begin = (begin + page - 1) & ~(page - 1);
    if (x->data && w->g->file.data && begin < end)
        (void)madvise((void *)begin, end - begin, how);
}

/* ---- rows of the halo ---- */

static void pack(const panel *p, const bn_wl_run *w, int level)
{
    const bn_wl_list *l = &w->out;
    const double work = (double)(l->count * p->use);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(static)
    for (int64_t b = 0; b <= l->count / BN_WL_BLOCK; b++) {
        float *to = p->send + l->place[b] * p->use;
        for (int64_t i = b * BN_WL_BLOCK; i < bn_least(l->count, (b + 1) * BN_WL_BLOCK); i++)
            if (bn_wl_needs(l->need, i, level)) {
                memcpy(to, p->a + (int64_t)l->row[i] * p->width, (size_t)p->use * sizeof *to);
                to += p->use;
            }
    }
}

static void unpack(const panel *p, const bn_wl_run *w, int level)
{
    const bn_wl_list *l = &w->in;
    const double work = (double)(l->count * p->use);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(static)
    for (int64_t b = 0; b <= l->count / BN_WL_BLOCK; b++) {
        const float *from = p->b + w->n * p->width + l->place[b] * p->use;
        for (int64_t i = b * BN_WL_BLOCK; i < bn_least(l->count, (b + 1) * BN_WL_BLOCK); i++)
            if (bn_wl_needs(l->need, i, level)) {
                memcpy(p->a + (w->n + i) * p->width, from, (size_t)p->use * sizeof *from);
                from += p->use;
            }
    }
}

/* What comes waits where the halo's rows of the next level will be: nobody needs that place
 * before this level is done. */
static bonsai_status start_halo(panel *p, bn_wl_run *w, int level)
{
    bn_world *world = bn_wl_world(w);
    int64_t row = p->use * (int64_t)sizeof *p->send;
    bn_wl_lists_at(w, level);
    for (int r = 0; r < world->ranks; r++) {
        w->in_bytes[r] = w->in.rows[r] * row;
        w->out_bytes[r] = w->out.rows[r] * row;
        world->halo += w->out_bytes[r];
    }
    pack(p, w, level);
    return bn_exchange_start(world, p->b + w->n * p->width, w->in_bytes, p->send, w->out_bytes);
}

/* ---- rounds ---- */

static void panel_row(float *restrict to, const float *restrict from, const bn_wl_run *w, int64_t v,
                      int width)
{
    const float *self = from + v * width;
    const bn_rule rule = w->rule;
    const float factor = w->factor[v];
    if (factor == 0.0f) {
        memcpy(to, self, (size_t)width * sizeof *to);
        return;
    }
    bn_wl_edges e = bn_wl_edges_of(w, v);
    bn_kernels_get()->gather(to, from, width, e.id, e.weight, e.count);
    for (int j = 0; j < width; j++)
        to[j] = bn_rule_next(rule, factor, self[j], to[j]);
}

/* Where the panel's columns of row i of the result belong. */
static float *result_at(const panel *p, const bn_wl_run *w, int64_t i)
{
    if (p->tile == 0)
        return p->out + i * w->f + p->first;
    int64_t begin = i - i % p->tile, rows = bn_least(p->tile, w->count - begin);
    return p->out + begin * w->f + p->first * rows + (i - begin) * p->use;
}

/* A row of the level; of the last one to its place in the result.  The fewer instructions between
 * two rows, the more of the next row's memory is under way: hence inline, and nothing else here. */
static inline __attribute__((always_inline)) void
one_row(const panel *p, const bn_wl_run *w, int64_t v, int64_t i, bool last)
{
    float row[BN_WIDE], *to = last ? row : p->b + v * p->width;
    if (w->done < w->layers)
        panel_row(to, p->a, w, v, p->width);
    else
        memcpy(to, p->a + v * p->width, (size_t)p->width * sizeof *to);
    if (last)
        memcpy(result_at(p, w, i), row, (size_t)p->use * sizeof *row);
}

/* The inner or the outer rows in stretches, with a tick in between: on a large graph a round
 * takes many seconds. */
static bonsai_status some_rows(panel *p, const bn_wl_run *w, int level, bool outer)
{
    bonsai_status rc = BONSAI_OK;
    bool last = level == w->layers;
    int64_t rows = last ? w->count : w->n;
    for (int64_t begin = 0; begin < rows; begin += STRETCH) {
        int64_t end = rows - begin < STRETCH ? rows : begin + STRETCH;
        BN_TRY(bn_wl_tick(w, w->layers - w->done, p->done, p->total));
        const double work = 4 * bn_wl_numbers(w, end - begin) * p->width;
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(dynamic, SOME_ROWS)
        for (int64_t i = begin; i < end; i++) {
            int64_t v = last && w->nodes ? w->nodes[i] - w->first : i;
            if (bn_wl_needs(w->need, v, level) && (w->outer && w->outer[v]) == outer)
                one_row(p, w, v, i, last);
        }
        p->done += end - begin;
    }
done:
    return rc;
}

static bonsai_status one_round(panel *p, bn_wl_run *w, int level)
{
    bonsai_status rc, mine;
    bn_world *world = bn_wl_world(w);
    bool halo = w->neighbors && w->done < w->layers;
    if (halo)
        BN_TRY(start_halo(p, w, level - 1));
    mine = some_rows(p, w, level, false);
    if (halo) {
        BN_TRY(bn_exchange_finish(world));
        unpack(p, w, level - 1);
        if (mine == BONSAI_OK)
            mine = some_rows(p, w, level, true);
    }
    rc = bn_agree(world, mine);
done:
    return rc;
}

/* One panel through the rounds that are left; without any the features are the result. */
static bonsai_status all_rounds(panel *p, bn_wl_run *w)
{
    bonsai_status rc = BONSAI_OK;
    for (int level = w->done < w->layers ? w->done + 1 : w->layers; level <= w->layers; level++) {
        BN_TRY(one_round(p, w, level));
        float *t = p->a;
        p->a = p->b;
        p->b = t;
    }
done:
    return rc;
}

/* ---- the whole result ---- */

static int64_t not_finite(const float *x, int64_t count, int threads)
{
    int64_t bad = 0;
    const double work = (double)count;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static) reduction(+ : bad)
    for (int64_t i = 0; i < count; i++)
        bad += !isfinite(x[i]);
    return bad;
}

static void turn_tile(float *x, float *copy, const panel *p, const bn_wl_run *w, int64_t rows)
{
    int64_t f = w->f;
#pragma omp parallel num_threads(bn_team(w->threads, 2.0 * (double)(rows * f)))
    {
#pragma omp for schedule(static)
        for (int64_t r = 0; r < rows; r++)
            memcpy(copy + r * f, x + r * f, (size_t)f * sizeof *x);
#pragma omp for schedule(static)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t first = 0; first < f; first += p->width) {
                int64_t use = bn_least(p->width, f - first);
                memcpy(x + r * f + first, copy + first * rows + r * use, (size_t)use * sizeof *x);
            }
    }
}

/* Puts a scratch file in order, and counts what is not finite on the way. */
static bonsai_status finish_result(const panel *p, bn_wl_run *w)
{
    bonsai_status rc = BONSAI_OK;
    float *copy = NULL;
    if (p->tile == 0) {
        w->bad = not_finite(p->out, w->count * w->f, w->threads);
        return rc;
    }
    BN_TRY(BN_NEW(&copy, bn_least(p->tile, w->count) * w->f));
    for (int64_t begin = 0; begin < w->count; begin += p->tile) {
        int64_t rows = bn_least(p->tile, w->count - begin);
        turn_tile(p->out + begin * w->f, copy, p, w, rows);
        w->bad += not_finite(copy, rows * w->f, w->threads);
    }
done:
    bn_free(copy);
    return rc;
}

/* ---- the number of columns ---- */

static int64_t panel_bytes(const bn_wl_run *w, int width)
{
    return (2 * (w->n + w->in.count) + w->out.count) * width * (int64_t)sizeof(float);
}

/* The widest panels that fit beside the result; else such that fit without it, which then goes to
 * a scratch file; else the narrowest, which do so themselves. */
static int pick_width(const bn_wl_run *w)
{
    static const int widths[] = {BN_PANEL_WIDEST, BN_PANEL_NARROW, 8, BN_PANEL_LEAST};
    int64_t left = bn_memory_left(w->at->memory), slack = 4096;
    int64_t result = w->count * w->f * (int64_t)sizeof(float) + slack;
    int64_t rows = w->n + w->in.count;
    bool narrow = rows * BN_PANEL_NARROW * (int64_t)sizeof(float) <= CACHE_BYTES ||
                  w->f <= BN_PANEL_FEW;
    int first = w->f <= 4 ? 3 : w->f <= 8 ? 2 : narrow ? 1 : 0;
    for (int i = first; i < 2; i++)
        if (panel_bytes(w, widths[i]) <= left - result)
            return widths[i];
    for (int i = first; i < 3; i++)
        if (panel_bytes(w, widths[i]) <= left - slack)
            return widths[i];
    return widths[3];
}

/* A row of 16 floats is a cache line if it begins where one does. */
static float *line_up(float *p)
{
    return (float *)(((uintptr_t)p + 63) & ~(uintptr_t)63);
}

typedef struct { float *a, *b, *send; int32_t *cursor; } room;

/* The panels first: what does not fit beside them goes to scratch files. */
static bonsai_status make_room(room *m, bn_embedding *out, const bn_wl_run *w, int width)
{
    bonsai_status rc;
    int64_t rows = w->n + w->in.count;
    bn_memory *memory = w->at->memory;
    BN_TRY(BN_BIG(&m->a, memory, rows * width + LINE));
    BN_TRY(BN_BIG(&m->b, memory, rows * width + LINE));
    BN_TRY(BN_BIG(&m->send, memory, w->out.count * width));
    if (w->sparse)
        BN_TRY(BN_BIG(&m->cursor, memory, w->n));
    BN_TRY(BN_BIG(&out->dense, memory, w->count * w->f));
done:
    return rc;
}

static bonsai_status all_panels(panel *p, bn_wl_run *w, const room *m)
{
    bonsai_status rc = BONSAI_OK;
    for (; p->first < w->f; p->first += p->width) {
        p->use = bn_least(p->width, w->f - p->first);
        p->a = line_up(m->a);
        p->b = line_up(m->b);
        if (w->sparse)
            load_sparse(p, w, m->cursor);
        else
            load_dense(p, w);
        BN_TRY(all_rounds(p, w));
    }
done:
    return rc;
}

bonsai_status bn_wl_dense(bn_embedding *out, bn_wl_run *w)
{
    bonsai_status rc;
    room m = {0};
    bn_world *world = bn_wl_world(w);
    double narrowest = -pick_width(w);
    BN_TRY(bn_max(world, &narrowest, 1));       /* all send the same columns */
    int width = (int)-narrowest, rounds = w->layers - w->done;
    panel p = {.width = width};
    BN_TRY(bn_agree(world, make_room(&m, out, w, width)));
    out->columns = width;
    p.send = m.send;
    p.out = out->dense;
    if (bn_big_spilled(out->dense) && w->f > 0)
        p.tile = TILE_FLOATS / w->f > 0 ? TILE_FLOATS / w->f : 1;
    p.total = (w->f + width - 1) / width * ((rounds > 0 ? rounds - 1 : 0) * w->n + w->count) *
              (w->neighbors ? 2 : 1);
    advise(w, MADV_SEQUENTIAL);
    BN_TRY(all_panels(&p, w, &m));
    BN_TRY(bn_agree(world, finish_result(&p, w)));
done:
    advise(w, MADV_NORMAL);
    bn_big_free(m.a);
    bn_big_free(m.b);
    bn_big_free(m.send);
    bn_big_free(m.cursor);
    return rc;
}
