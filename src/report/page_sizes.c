/* page_sizes.c -- sizes of both graphs, counted in every way, and the bytes of their sections.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "page.h"

enum { TEXT = 64 };

/* ---- sizes --------------------------------------------------------------- */

typedef struct {
    char        text[6][4][TEXT];
    const char *cell[6 * 4];
    int         rows;
} size_rows;

static void add_size(size_rows *r, const char *name, double small, double full, bool bytes)
{
    char (*row)[TEXT] = r->text[r->rows];
    if (!isfinite(small) && !isfinite(full))
        return;
    snprintf(row[0], TEXT, "%s", name);
    for (int i = 0; i < 2; i++) {
        double v = i ? small : full;
        if (!isfinite(v))
            snprintf(row[1 + i], TEXT, "–");
        else if (bytes && fabs(v) >= 1000) {
            bn_bytes_text(row[1 + i], v);
        } else if (bytes) {
            int at = bn_fixed(row[1 + i], v, 0, true);
            snprintf(row[1 + i] + at, 8, " B");
        } else
            bn_number_text(row[1 + i], v);
    }
    bn_percent_text(row[3], bn_part_of(small, full));
    for (int i = 0; i < 4; i++)
        r->cell[r->rows * 4 + i] = row[i];
    r->rows++;
}

static void say_budget(bn_page *p, const bn_sheet *s)
{
    const bonsai_condense_options *o = &s->f->made.o;
    const bool paper = o->accounting != BONSAI_ACCOUNTING_STRICT;
    const double ratio = o->ratio, bytes = (double)o->bytes;
    const double used = paper ? s->small.paper : s->small.bytes;
    double limit = ratio > 0 ? ratio * (paper ? s->full.paper : s->full.bytes) : bytes;
    if (!(limit > 0))
        return;
    bn_put(p, "<p>The budget was ");
    if (ratio > 0) {
        bn_put_percent(p, ratio);
        bn_put(p, " of the full graph's bytes, ");
    }
    bn_put_bytes(p, limit);
    bn_put(p, paper ? " as the paper's code counts them; " : "; ");
    bn_put_percent(p, used / limit);
    bn_put(p, " of it is used.</p>\n");
}

void bn_sheet_sizes(bn_page *p, const bn_sheet *s)
{
    static const char *const head[] = {"", "full", "small", "ratio"};
    static const char *const alone[] = {"", "small"};
    size_rows r = {.rows = 0};
    double lossless = s->f->made.info.lossless_ratio;
    const bool differs = lossless > 0 &&
                         fabs(s->small.bytes / lossless / s->full.bytes - 1) > 0.001;
    say_budget(p, s);
    add_size(&r, "bytes, strict", s->small.bytes, s->full.bytes, true);
    if (differs)
        add_size(&r, "bytes, equally rounded", s->small.bytes, s->small.bytes / lossless, true);
    add_size(&r, "bytes, as in the paper", s->small.paper, s->full.paper, true);
    add_size(&r, "nodes", s->small.nodes, s->full.nodes, false);
    add_size(&r, "edge entries", s->small.edges, s->full.edges, false);
    add_size(&r, "labelled nodes", s->small.labelled, s->full.labelled, false);
    const bool pair = isfinite(s->full.nodes);
    for (int i = 0; !pair && i < r.rows; i++) {
        r.cell[2 * i] = r.text[i][0];
        r.cell[2 * i + 1] = r.text[i][2];
    }
    bn_table(p, pair ? "The small graph and the full one" : "The small graph",
             &(bn_cells){.head = pair ? head : alone, .columns = pair ? 4 : 2, .cell = r.cell,
                         .rows = r.rows});
    bn_put(p, "<p class=\"quiet\">Strict: both graphs in the same encoding, the smallest lossless "
              "one.");
    if (differs)
        bn_put(p, " Equally rounded: the full graph's features rounded like the small graph's.");
    bn_put(p, " As in the paper: by the formula of the published code, which counts the full graph "
              "as dense and the small one as sparse. An edge between two nodes is two entries."
              "</p>\n");
}

/* ---- bytes --------------------------------------------------------------- */

typedef struct {
    char        text[BONSAI_SECTION_COUNT][3][TEXT];
    const char *cell[BONSAI_SECTION_COUNT * 3], *label[BONSAI_SECTION_COUNT];
    double      small[BONSAI_SECTION_COUNT], full[BONSAI_SECTION_COUNT];
    int         rows, columns;
} byte_rows;

/* A section that a graph lacks has a dash. */
static void section_text(char *out, double bytes)
{
    if (bytes > 0)
        bn_bytes_text(out, bytes);
    else
        snprintf(out, TEXT, "–");
}

static void add_section(byte_rows *r, const bn_sheet *s, int id, const char *name)
{
    double small = (double)s->f->small_bytes[id], full = (double)s->f->full_bytes[id];
    char (*row)[TEXT] = r->text[r->rows];
    if (small <= 0 && full <= 0)
        return;
    snprintf(row[0], TEXT, "%s", name);
    section_text(row[1], small);
    section_text(row[2], full);
    r->full[r->rows] = 100 * full / (s->full.bytes > 0 ? s->full.bytes : 1);
    r->small[r->rows] = 100 * small / (s->small.bytes > 0 ? s->small.bytes : 1);
    r->label[r->rows] = row[0];
    for (int i = 0; i < r->columns; i++)
        r->cell[r->rows * r->columns + i] = row[i];
    r->rows++;
}

void bn_sheet_bytes(bn_page *p, const bn_sheet *s)
{
    static const char *const head[] = {"section", "small graph", "full graph"};
    const bool full = s->f->full_stats.size > 0;
    double features = 0;
    byte_rows r = {.columns = full ? 3 : 2};
#define ADD(name, id, text, counted) \
    if (counted)                     \
        add_section(&r, s, id, text);
    BONSAI_SECTION_MAP(ADD)
#undef ADD
    for (int id = BONSAI_SECTION_FEATURES; id <= BONSAI_SECTION_FEATURE_SCALE; id++)
        features += (double)s->f->small_bytes[id];
    for (int id = BONSAI_SECTION_BASIS; id <= BONSAI_SECTION_COORDINATE_SCALE; id++)
        features += (double)s->f->small_bytes[id];
    bn_put(p, "<p>Features take <strong>");
    bn_put_bytes(p, features);
    bn_put(p, "</strong>, ");
    bn_put_percent(p, s->small.bytes > 0 ? features / s->small.bytes : 0);
    bn_put(p, " of the small graph. Names, metadata and original numbers are not counted.</p>\n");
    const bn_series both[] = {{"full graph", r.full}, {"small graph", r.small}};
    bn_put(p, "<div class=\"two\">\n");
    bn_chart_bars(p, &(bn_bar_chart){
        .title = "Share of each section", .x = "section", .y = "percent of the graph's bytes",
        .label = r.label, .labels = r.rows, .s = full ? both : both + 1, .series = full ? 2 : 1,
        .format = "%.1f"});
    bn_put(p, "<div>");
    bn_table(p, "Bytes of each section",
             &(bn_cells){.head = head, .columns = r.columns, .cell = r.cell, .rows = r.rows});
    bn_put(p, "</div></div>\n");
}
