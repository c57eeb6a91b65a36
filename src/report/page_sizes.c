/* page_sizes.c -- sizes of both graphs, counted in every way, and the bytes of their sections.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "page.h"

/* ---- sizes --------------------------------------------------------------- */

static void add_size(bn_json *rows, const char *name, double small, double full)
{
    if (isfinite(small) || isfinite(full))
        bn_json_add(rows, bn_json_pack("{ss,sf,sf,sf}", "name", name, "small", small, "full", full,
                                       "ratio", bn_part_of(small, full)));
}

static bn_json *budget_of(const bn_sheet *s)
{
    const bonsai_condense_options *o = &s->f->made.o;
    const bool paper = o->accounting != BONSAI_ACCOUNTING_STRICT;
    const double used = paper ? s->small.paper : s->small.bytes;
    const double limit = o->ratio > 0 ? o->ratio * (paper ? s->full.paper : s->full.bytes)
                                      : (double)o->bytes;
    if (!(limit > 0))
        return bn_json_null();
    return bn_json_pack("{sf,sf,sb,sf}", "ratio", o->ratio > 0 ? o->ratio : NAN, "limit", limit,
                        "paper", paper, "used", used / limit);
}

bn_json *bn_sheet_sizes(const bn_sheet *s)
{
    const double lossless = bn_fact(&s->f->made.info, BN_FACT_LOSSLESS_RATIO);
    const bool differs = lossless > 0 &&
                         fabs(s->small.bytes / lossless / s->full.bytes - 1) > 0.001;
    bn_json *bytes = bn_json_array(), *counts = bn_json_array();
    add_size(bytes, "bytes, strict", s->small.bytes, s->full.bytes);
    if (differs)
        add_size(bytes, "bytes, equally rounded", s->small.bytes, s->small.bytes / lossless);
    add_size(bytes, "bytes, as in the paper", s->small.paper, s->full.paper);
    add_size(counts, "nodes", s->small.nodes, s->full.nodes);
    add_size(counts, "edge entries", s->small.edges, s->full.edges);
    add_size(counts, "labelled nodes", s->small.labelled, s->full.labelled);
    return bn_json_pack("{so,sb,sb,so,so}", "budget", budget_of(s), "pair",
                        isfinite(s->full.nodes), "differs", differs, "bytes", bytes,
                        "counts", counts);
}

/* ---- bytes --------------------------------------------------------------- */

/* Adds the row of a section; a graph that lacks it has a dash. */
static void add_section(bn_json *rows, const bn_sheet *s, int id, const char *name)
{
    const double small = (double)s->f->small_bytes[id], full = (double)s->f->full_bytes[id];
    if (small > 0 || full > 0)
        bn_json_add(rows, bn_json_pack("{ss,sf,sf}", "name", name, "small",
                                       small > 0 ? small : NAN, "full", full > 0 ? full : NAN));
}

/* Makes the shares of the rows in percent. */
static bn_json *shares(const bn_json *rows, const char *graph, double bytes)
{
    bn_json *all = bn_json_array();
    const bn_json *row;
    for (size_t i = 0; (row = bn_json_at(rows, i)); i++)
        bn_json_add(all, bn_json_real(100 * bn_json_as_number(bn_json_get(row, graph)) /
                                      (bytes > 0 ? bytes : 1)));
    return all;
}

static bn_json *chart_of(const bn_sheet *s, const bn_json *rows, bool pair)
{
    bn_json *labels = bn_json_array();
    const bn_json *row;
    for (size_t i = 0; (row = bn_json_at(rows, i)); i++)
        bn_json_add(labels, bn_json_keep(bn_json_get(row, "name")));
    return bn_bars(bn_json_text("Share of each section"), "section",
                   "percent of the graph's bytes", labels,
                   bn_two_series("full graph", shares(rows, "full", s->full.bytes), pair,
                                 "small graph", shares(rows, "small", s->small.bytes)));
}

bn_json *bn_sheet_bytes(const bn_sheet *s)
{
    const bool pair = s->f->full_stats.size > 0;
    const int64_t *bytes = s->f->small_bytes;
    double features = 0;
    bn_json *rows = bn_json_array();
#define ADD(name, id, text, counted) \
    if (counted)                     \
        add_section(rows, s, id, text);
    BONSAI_SECTION_MAP(ADD)
#undef ADD
    for (int id = BONSAI_SECTION_FEATURES; id <= BONSAI_SECTION_FEATURE_SCALE; id++)
        features += (double)bytes[id];
    for (int id = BONSAI_SECTION_BASIS; id <= BONSAI_SECTION_COORDINATE_SCALE; id++)
        features += (double)bytes[id];
    return bn_json_pack("{sf,sf,sb,so,so}", "features", features, "share",
                        s->small.bytes > 0 ? features / s->small.bytes : 0, "pair", pair,
                        "chart", chart_of(s, rows, pair), "rows", rows);
}
