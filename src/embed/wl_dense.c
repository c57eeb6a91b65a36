/* wl_dense.c -- rounds of averaging on panels of columns; see wl.c.
 *
 * A panel is some columns of all local rows, and a round makes one of another; while they fit the
 * cache its rows are gathered from there.  Fewer columns need less memory, but the graph is read
 * more often: a panel is as wide as the limit allows.  While rows of the halo travel, the rows that
 * need none of them are computed.
 *
 * Narrow panels would read and write a line of each row of features and result for every panel.
 * Instead a sheet of some panels is loaded at a time, taken through the rounds panel by panel, and
 * stored.  There is room for one panel more than a sheet has: a round writes to the free one and
 * leaves its own free.
 *
 * A result in a scratch file is not written in the order of rows at once: a few columns of each row
 * would touch every page of the file for every sheet.  Instead, some thousand rows share a stretch
 * of the file, in which each sheet's columns of those rows lie together; at the end every stretch
 * is put into the order of rows.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "wl.h"

/* TILE_FLOATS: the most numbers of a stretch of rows in a scratch file; SHEET: columns of a sheet,
 * as many as the widest panel has, so that all ways take the same memory. */
enum { SOME_ROWS = 128, STRETCH = 1 << 18, LINE = 16 };
enum { TILE_FLOATS = 1 << 20, SHEET = BN_PANEL_WIDEST, MOST_PANELS = SHEET / BN_PANEL_LEAST };

typedef struct {                /* a sheet, and the panel that is being processed */
    float  *panel[MOST_PANELS + 1];     /* local rows x width, or count x width; the last is free */
    int     panels;             /* of a sheet at most */
    float  *a, *b;              /* before and after a round */
    int64_t use;                /* columns of the panel */
    float  *send;               /* out.count x width */
    float  *out;                /* count x f */
    int64_t tile;               /* rows of a stretch; 0: out is in the order of rows */
    int64_t first, columns;     /* of the sheet */
    int     width;
    bool    whole;              /* the result is a panel, written by the last round */
    int64_t done, total;        /* rows of all panels and rounds, for progress */
} sheet;

/* ---- features ---- */

/* Returns the columns of the sheet from `at` on that belong to one panel. */
static int64_t panel_columns(const sheet *p, int64_t at)
{
    return bn_least(p->width, p->columns - at);
}

static void load_dense(sheet *p, const bn_wl_run *w)
{
    const bonsai_array *x = &w->g->view.section[BONSAI_SECTION_FEATURES];
    const float *scale = w->g->view.section[BONSAI_SECTION_FEATURE_SCALE].data;
    const double work = 4.0 * (double)(w->n * p->columns);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(static)
    for (int64_t v = 0; v < w->n; v++) {
        if (!bn_wl_needs(w->need, v, 0))
            continue;
        int64_t node = w->first + v, from = node * w->f + p->first;
        for (int64_t at = 0, use; at < p->columns; at += p->width) {
            float *row = p->panel[at / p->width] + v * p->width;
            use = panel_columns(p, at);
            if (x->type == BONSAI_TYPE_F32)
                memcpy(row, (const float *)x->data + from + at, (size_t)use * sizeof *row);
            else
                for (int64_t j = 0; j < use; j++)
                    row[j] = (scale ? scale[node] : 1.0f) * bn_real_at(x, from + at + j);
            memset(row + use, 0, (size_t)(p->width - use) * sizeof *row);
        }
    }
}

/* Loads a sheet of sparse rows; a cursor per row marks where the next sheet starts. */
static void load_sparse(sheet *p, const bn_wl_run *w, int32_t *cursor)
{
    const int shift = __builtin_ctz((unsigned)p->width), within = p->width - 1;
    const double work = 8.0 * (double)(w->n * p->columns);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(static)
    for (int64_t v = 0; v < w->n; v++) {
        if (!bn_wl_needs(w->need, v, w->done))
            continue;
        bn_wl_row x = bn_wl_row_of(w, v);
        int64_t e = cursor[v];
        for (int64_t at = 0; at < p->columns; at += p->width)
            memset(p->panel[at >> shift] + v * p->width, 0, (size_t)p->width * sizeof(float));
        for (; e < x.count && bn_wl_index(&x, e) < p->first + p->columns; e++) {
            int64_t j = bn_wl_index(&x, e) - p->first;
            p->panel[j >> shift][v * p->width + (j & within)] = bn_wl_value(&x, e);
        }
        cursor[v] = (int32_t)e;
    }
}

/* Advises the system how own features of a mapped file are read: from front to back, once a
 * sheet. */
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

static void pack(const sheet *p, const bn_wl_run *w, int level)
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

static void unpack(const sheet *p, const bn_wl_run *w, int level)
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

/* Receives into the place of the halo's rows of the next level, which is free until this level is
 * done. */
static bonsai_status start_halo(sheet *p, bn_wl_run *w, int level)
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
        if (bn_rule_keeps(rule))
            memcpy(to, self, (size_t)width * sizeof *to);
        else
            memset(to, 0, (size_t)width * sizeof *to);
        return;
    }
    bn_wl_edges e = bn_wl_edges_of(w, v);
    bn_kernels_get()->gather(to, from, width, e.id, e.weight, e.count);
    for (int j = 0; j < width; j++)
        to[j] = bn_rule_next(rule, factor, self[j], to[j]);
}

/* Computes a row of the level.  The fewer instructions between two rows, the more of the next row's
 * memory is being fetched: hence inline, and nothing else here. */
static inline __attribute__((always_inline)) void
one_row(const sheet *p, const bn_wl_run *w, int64_t v, int64_t to)
{
    if (w->done < w->layers)
        panel_row(p->b + to * p->width, p->a, w, v, p->width);
    else
        memcpy(p->b + to * p->width, p->a + v * p->width, (size_t)p->width * sizeof *p->b);
}

/* Computes the inner or the outer rows in stretches, with a tick in between: on a large graph a
 * round takes many seconds. */
static bonsai_status some_rows(sheet *p, const bn_wl_run *w, int level, bool outer)
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
                one_row(p, w, v, i);
        }
        p->done += end - begin;
    }
done:
    return rc;
}

static bonsai_status one_round(sheet *p, bn_wl_run *w, int level)
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

/* Takes a panel of the sheet through the remaining rounds; without any, its features are the
 * result. */
static bonsai_status all_rounds(sheet *p, bn_wl_run *w, int number)
{
    bonsai_status rc = BONSAI_OK;
    float **mine = &p->panel[number], **spare = &p->panel[p->panels];
    for (int level = w->done < w->layers ? w->done + 1 : w->layers; level <= w->layers; level++) {
        p->a = *mine;
        p->b = p->whole && level == w->layers ? p->out : *spare;
        BN_TRY(one_round(p, w, level));
        float *t = *mine;
        *mine = *spare;
        *spare = t;
    }
done:
    return rc;
}

/* Stores the finished sheet in the result; counts numbers that are not finite. */
static void store(const sheet *p, bn_wl_run *w)
{
    int64_t bad = 0, f = w->f;
    const double work = 2.0 * (double)(w->count * p->columns);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(static) reduction(+ : bad)
    for (int64_t i = 0; i < w->count; i++) {
        float *to = p->out + i * f + p->first;
        if (p->tile > 0) {
            int64_t begin = i - i % p->tile, rows = bn_least(p->tile, w->count - begin);
            to = p->out + begin * f + p->first * rows + (i - begin) * p->columns;
        }
        for (int64_t at = 0; at < p->columns && !p->whole; at += p->width)
            memcpy(to + at, p->panel[at / p->width] + i * p->width,
                   (size_t)panel_columns(p, at) * sizeof *to);
        bad += bn_wl_not_finite(to, p->columns);
    }
    w->bad += bad;
}

/* ---- the whole result ---- */

static void turn_tile(float *x, float *copy, const sheet *p, const bn_wl_run *w, int64_t rows)
{
    int64_t f = w->f;
#pragma omp parallel num_threads(bn_team(w->threads, 2.0 * (double)(rows * f)))
    {
#pragma omp for schedule(static)
        for (int64_t r = 0; r < rows; r++)
            memcpy(copy + r * f, x + r * f, (size_t)f * sizeof *x);
#pragma omp for schedule(static)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t first = 0; first < f; first += p->panels * p->width) {
                int64_t use = bn_least(p->panels * p->width, f - first);
                memcpy(x + r * f + first, copy + first * rows + r * use, (size_t)use * sizeof *x);
            }
    }
}

/* Puts a scratch file into the order of rows. */
static bonsai_status finish_result(const sheet *p, const bn_wl_run *w)
{
    bonsai_status rc = BONSAI_OK;
    float *copy = NULL;
    if (p->tile == 0)
        return rc;
    BN_TRY(BN_NEW(&copy, bn_least(p->tile, w->count) * w->f));
    for (int64_t begin = 0; begin < w->count; begin += p->tile)
        turn_tile(p->out + begin * w->f, copy, p, w, bn_least(p->tile, w->count - begin));
done:
    bn_free(copy);
    return rc;
}

/* ---- the number of columns ---- */

static int64_t panel_bytes(const bn_wl_run *w, int width)
{
    return (2 * (w->n + w->in.count) + w->out.count) * width * (int64_t)sizeof(float);
}

int bn_panel_usual(int64_t rows, int64_t f)
{
    const int64_t narrow = rows * BN_PANEL_NARROW * (int64_t)sizeof(float);
    return f <= BN_PANEL_FEW || narrow <= BN_PANEL_CACHE ? BN_PANEL_NARROW : BN_PANEL_WIDEST;
}

/* Returns the widest panels that fit beside the result; else those that fit without it, which is
 * then in a scratch file; else the narrowest, which use one themselves. */
static int pick_width(const bn_wl_run *w)
{
    static const int widths[] = {BN_PANEL_WIDEST, BN_PANEL_NARROW, 8, BN_PANEL_LEAST};
    int64_t left = bn_memory_left(w->at->memory), slack = 4096;
    int64_t result = w->count * w->f * (int64_t)sizeof(float) + slack;
    int64_t rows = w->n + w->in.count;
    int first = w->f <= 4 ? 3 : w->f <= 8 ? 2 : bn_panel_usual(rows, w->f) == BN_PANEL_NARROW;
    for (int i = first; i < 2; i++)
        if (panel_bytes(w, widths[i]) <= left - result)
            return widths[i];
    for (int i = first; i < 3; i++)
        if (panel_bytes(w, widths[i]) <= left - slack)
            return widths[i];
    return widths[3];
}

/* Returns how many panels of a sheet fit beside the result, at least one. */
static int pick_panels(const bn_wl_run *w, int width)
{
    int64_t rows = w->n + w->in.count, each = rows * width * (int64_t)sizeof(float) + 4096;
    int64_t result = w->count * w->f * (int64_t)sizeof(float);
    int64_t left = bn_memory_left(w->at->memory) - result - panel_bytes(w, width);
    int64_t more = each > 0 && left > 0 ? left / each : 0;
    int64_t most = bn_least(SHEET / width, (w->f + width - 1) / width);
    return (int)(most < 1 ? 1 : bn_least(most, 1 + more));
}

typedef struct { float *panels, *send; int32_t *cursor; } room;

/* Allocates the panels first: what does not fit beside them is in scratch files.  Panels begin at a
 * cache line, as a row of 16 floats fills one. */
static bonsai_status make_room(room *m, sheet *p, bn_embedding *out, const bn_wl_run *w)
{
    bonsai_status rc;
    int64_t rows = w->n + w->in.count > w->count ? w->n + w->in.count : w->count;
    int64_t each = (rows * p->width + LINE - 1) / LINE * LINE;
    bn_memory *memory = w->at->memory;
    BN_TRY(BN_BIG(&m->panels, memory, (p->panels + 1) * each + LINE));
    BN_TRY(BN_BIG(&m->send, memory, w->out.count * p->width));
    if (w->sparse)
        BN_TRY(BN_BIG(&m->cursor, memory, w->n));
    BN_TRY(BN_BIG(&out->dense, memory, w->count * w->f));
    float *begin = (float *)(((uintptr_t)m->panels + 63) & ~(uintptr_t)63);
    for (int i = 0; i <= p->panels; i++)
        p->panel[i] = begin + i * each;
    p->send = m->send;
    p->out = out->dense;
    if (bn_big_spilled(out->dense) && w->f > 0)
        p->tile = TILE_FLOATS / w->f > 0 ? TILE_FLOATS / w->f : 1;
    p->whole = p->width == w->f && p->tile == 0 && !w->neighbors;        /* a halo would not fit */
done:
    return rc;
}

static bonsai_status all_sheets(sheet *p, bn_wl_run *w, const room *m)
{
    bonsai_status rc = BONSAI_OK;
    for (; p->first < w->f; p->first += p->panels * p->width) {
        p->columns = bn_least(p->panels * p->width, w->f - p->first);
        if (w->sparse)
            load_sparse(p, w, m->cursor);
        else
            load_dense(p, w);
        for (int64_t at = 0; at < p->columns; at += p->width) {
            p->use = panel_columns(p, at);
            BN_TRY(all_rounds(p, w, (int)(at / p->width)));
        }
        store(p, w);
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
    BN_TRY(bn_max(world, &narrowest, 1));       /* all ranks send the same columns */
    int width = (int)-narrowest, rounds = w->layers - w->done;
    sheet p = {.width = width, .panels = pick_panels(w, width)};
    BN_TRY(bn_agree(world, make_room(&m, &p, out, w)));
    out->columns = width;
    p.total = (w->f + width - 1) / width * ((rounds > 0 ? rounds - 1 : 0) * w->n + w->count) *
              (w->neighbors ? 2 : 1);
    advise(w, MADV_SEQUENTIAL);
    BN_TRY(all_sheets(&p, w, &m));
    BN_TRY(bn_agree(world, finish_result(&p, w)));
done:
    advise(w, MADV_NORMAL);
    bn_big_free(m.panels);
    bn_big_free(m.send);
    bn_big_free(m.cursor);
    return rc;
}
