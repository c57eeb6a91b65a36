/* page_head.c -- a small graph in one sentence and a few large numbers; its sizes next to the full
 * graph's.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "page.h"

enum { TEXT = 64 };

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* ---- the sentence -------------------------------------------------------- */

static void put_count(bn_page *p, double count, const char *one, const char *many)
{
    bn_put(p, "<strong>");
    bn_put_number(p, count);
    bn_put(p, "</strong> ");
    bn_put(p, count == 1 ? one : many);
}

static void put_name(bn_page *p, const char *name)
{
    bn_put(p, "<strong>");
    bn_escape_cut(p, name, 120);
    bn_put(p, "</strong>");
}

/* Of so many trees, if it is known. */
static void say_whole(bn_page *p, const bonsai_condense_info *i)
{
    if (i->whole_trees < 0)
        return;
    bn_put(p, ", ");
    bn_put_number(p, (double)i->whole_trees);
    bn_put(p, " kept whole,");
}

static void say_making(bn_page *p, const bn_sheet *s)
{
    const char *method = s->f->method ? s->f->method : "unknown";
    if (strcmp(method, "prototypes") == 0) {
        put_count(p, s->small.nodes, "prototype stands", "prototypes stand");
        bn_put(p, " for ");
        put_count(p, s->training, "training node", "training nodes");
        bn_put(p, " of ");
    } else if (strcmp(method, "trees") == 0) {
        put_count(p, (double)s->f->made.info.roots, "tree", "trees");
        say_whole(p, &s->f->made.info);
        bn_put(p, " with ");
        put_count(p, s->small.nodes, "node", "nodes");
        if (isfinite(s->coverage)) {
            bn_put(p, " cover <strong>");
            bn_put_percent(p, s->coverage);
            bn_put(p, "</strong> of the sampled training nodes of ");
        } else
            bn_put(p, " were picked from ");
    } else if (s->f->made.info.learn_rounds > 0) {
        put_count(p, s->small.nodes, "node was", "nodes were");
        bn_put(p, " learned by <strong>");
        bn_escape_cut(p, method, 40);
        bn_put(p, "</strong> from ");
        put_count(p, s->training, "training node", "training nodes");
        bn_put(p, " of ");
    } else {
        put_count(p, s->small.nodes, "node was", "nodes were");
        bn_put(p, " picked by <strong>");
        bn_escape_cut(p, method, 40);
        bn_put(p, "</strong>");
        if (strcmp(method, "published") == 0) {
            bn_put(p, " with ");
            put_count(p, (double)s->f->made.info.roots, "tree", "trees");
            say_whole(p, &s->f->made.info);
        }
        bn_put(p, " from ");
    }
    put_name(p, s->full_name);
}

static void say(bn_page *p, const bn_sheet *s)
{
    bn_put(p, "<p class=\"lead\">");
    if (!s->f->made.known || !isfinite(s->full.nodes)) {
        put_name(p, s->small_name);
        bn_put(p, " has ");
        put_count(p, s->small.nodes, "node", "nodes");
        bn_put(p, " and ");
        put_count(p, s->small.edges, "edge entry", "edge entries");
        bn_put(p, " in <strong>");
        bn_put_bytes(p, s->small.bytes);
        bn_put(p, "</strong>.</p>\n");
        return;
    }
    say_making(p, s);
    bn_put(p, ": <strong>");
    bn_put_bytes(p, s->small.bytes);
    bn_put(p, "</strong> instead of <strong>");
    bn_put_bytes(p, s->full.bytes);
    bn_put(p, "</strong>.</p>\n");
    if (s->f->made.info.why[0]) {
        bn_put(p, "<p class=\"quiet\">");
        bn_escape_cut(p, s->f->made.info.why, 200);
        bn_put(p, ".</p>\n");
    }
}

/* ---- large numbers ------------------------------------------------------- */

/* The full graph as a square, the small one as a square inside it, to scale by area. */
static void area(bn_page *p, double ratio)
{
    double side = fmax(0.8, 98 * sqrt(fmin(fmax(ratio, 0), 1)));
    char size[48], top[48];
    bn_fixed(size, side, 1, false);
    bn_fixed(top, 99 - side, 1, false);
    bn_putf(p, "<svg class=\"area-of\" viewBox=\"0 0 100 100\" aria-hidden=\"true\">"
            "<rect class=\"whole\" x=\"1\" y=\"1\" width=\"98\" height=\"98\" rx=\"4\"/>"
            "<rect class=\"part\" x=\"1\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"1\"/></svg>\n",
            top, size, size);
}

static void tile(bn_page *p, const char *what)
{
    bn_putf(p, "</b><span class=\"what\">%s</span><small>", what);
}

static void tile_bytes(bn_page *p, const bn_sheet *s)
{
    double ratio = share(s->small.bytes, s->full.bytes);
    bn_put(p, "<li class=\"first\">");
    if (isfinite(ratio))
        area(p, ratio);
    bn_put(p, "<span><b>");
    if (isfinite(ratio)) {
        bn_put_percent(p, ratio);
        tile(p, "of the bytes");
        bn_put_bytes(p, s->small.bytes);
        bn_put(p, " of ");
        bn_put_bytes(p, s->full.bytes);
    } else {
        bn_put_bytes(p, s->small.bytes);
        tile(p, "in all");
        bn_put(p, "without names and metadata");
    }
    bn_put(p, "</small></span></li>\n");
}

static void tile_nodes(bn_page *p, const bn_sheet *s)
{
    bn_put(p, "<li><b>");
    bn_put_number(p, s->small.nodes);
    tile(p, s->small.nodes == 1 ? "node" : "nodes");
    if (isfinite(s->full.nodes)) {
        bn_put(p, "of ");
        bn_put_number(p, s->full.nodes);
    }
    bn_put(p, "</small></li>\n<li><b>");
    bn_put_number(p, s->small.edges);
    tile(p, s->small.edges == 1 ? "edge entry" : "edge entries");
    if (isfinite(s->full.edges)) {
        bn_put(p, "of ");
        bn_put_number(p, s->full.edges);
    }
    bn_put(p, "</small></li>\n");
}

static void tile_cover(bn_page *p, const bn_sheet *s)
{
    double each = share(s->training, s->small.nodes);
    bn_put(p, "<li><b>");
    if (isfinite(s->coverage)) {
        bn_put_percent(p, s->coverage);
        tile(p, "of the sample covered");
        const double bound = s->f->made.info.coverage_bound;
        if (bound >= 0 && bound < 0.9995) {
            bn_put(p, "at most ");
            bn_put_percent(p, bound);
            bn_put(p, " at this budget");
        } else {
            bn_put(p, "of ");
            bn_put_number(p, (double)s->f->made.info.sample);
            bn_put(p, " trees");
        }
    } else {
        bn_put_number(p, each >= 10 ? rint(each) : each);
        tile(p, "training nodes per prototype");
        bn_put_number(p, s->training);
        bn_put(p, " in all");
    }
    bn_put(p, "</small></li>\n");
}

static void tile_time(bn_page *p, const bonsai_condense_info *i)
{
    bn_put(p, "<li><b>");
    bn_put_seconds(p, i->seconds_total);
    tile(p, "to condense");
    bn_put(p, "peak memory ");
    bn_put_bytes(p, (double)i->peak_rss_bytes);
    bn_put(p, "</small></li>\n");
}

/* ---- the accuracy ---------------------------------------------------------- */

static void tile_accuracy(bn_page *p, const bn_sheet *s, const bonsai_cell *c)
{
    const bonsai_cell *full = bn_sheet_full_cell(s, c->model);
    char model[BN_CELL_TEXT], what[2 * BN_CELL_TEXT];
    bn_cell_model(model, c);
    bn_put(p, "<li><b>");
    bn_put_fixed(p, bn_cell_metric(c, c->metric), 1);
    bn_put(p, " %");
    snprintf(what, sizeof what, "%s of %s", bonsai_metric_text(c->metric), model);
    tile(p, what);
    if (full) {
        bn_put_fixed(p, bn_cell_metric(full, c->metric), 1);
        bn_put(p, " % trained on the full graph");
    }
    bn_put(p, "</small></li>\n");
}

void bn_sheet_head(bn_page *p, const bn_sheet *s)
{
    bn_put(p, "<header>\n<p class=\"kicker\"><svg viewBox=\"0 0 24 24\" aria-hidden=\"true\">"
              "<path class=\"leaf\" d=\"M12 2c3 0 5 1.6 5.6 3.7C20 6 22 7.6 22 9.8c0 2.4-2.3 4-5 "
              "4H7c-2.8 0-5-1.6-5-4C2 7.8 3.6 6.2 6 5.8 6.7 3.5 9 2 12 2z\"/>"
              "<path class=\"pot\" d=\"M11 13h2v4h6l-1.5 5h-11L5 17h6z\"/></svg>"
              "<span>Graph condensation</span></p>\n<h1>");
    bn_escape_cut(p, s->title, 200);
    bn_put(p, "</h1>\n");
    say(p, s);
    bn_put(p, "<ul class=\"tiles\">\n");
    tile_bytes(p, s);
    if (bn_sheet_first_cell(s))
        tile_accuracy(p, s, bn_sheet_first_cell(s));
    tile_nodes(p, s);
    if (isfinite(s->coverage) || (isfinite(s->training) && s->small.nodes > 0 && s->f->method &&
                                  strcmp(s->f->method, "prototypes") == 0))
        tile_cover(p, s);
    if (bn_sheet_has_effort(s))
        tile_time(p, s->o->condensed);
    bn_put(p, "</ul>\n</header>\n");
}

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
    bn_percent_text(row[3], share(small, full));
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
