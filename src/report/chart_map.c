/* chart_map.c -- maps: the training nodes, and the small graph's nodes among them.
 *
 * The density is a grid of shaded cells, for any number of nodes.  All cells of one class and shade
 * are one path, so that the page stays small.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "template.h"

enum { SHADES = 6, OTHER = BN_COLOURS - 1, NO_COLOUR = BN_COLOURS };

typedef struct {                /* a class has one colour in all maps, by the first */
    const bn_map_chart *c;
    const bn_map *m;
    const char *const *name;
    int64_t  classes;
    uint8_t *colour;            /* of each class */
    double  *size;              /* of each class: nodes in its cells, plus weight of its dots */
    int32_t  shown[BN_COLOURS]; /* the class of a colour; -1: none, or several */
    int64_t  others;            /* classes that share the last colour */
    double   heaviest;
    int      side;              /* of the drawn grid, which is coarser with few nodes */
    int64_t *grid;
    int32_t *most;
    int64_t  fullest;           /* cell */
} map;

/* ---- colours: one for each of up to ten classes, else for the nine largest ---- */

/* Merges cells: the class whose own cells have the most nodes wins. */
static void merge(map *a, int row, int column, int by)
{
    const bn_map *m = a->m;
    int64_t best = 0, *sum = &a->grid[row * a->side + column];
    int32_t *most = &a->most[row * a->side + column];
    *most = -1;
    for (int i = 0; i < by * by; i++) {
        int at = (row * by + i / by) * BN_MAP_SIDE + column * by + i % by;
        int64_t votes = 0;
        for (int k = 0; k < by * by; k++) {
            int other = (row * by + k / by) * BN_MAP_SIDE + column * by + k % by;
            votes += m->most[other] == m->most[at] ? m->grid[other] : 0;
        }
        *sum += m->grid[at];
        if (m->grid[at] > 0 && votes > best) {
            best = votes;
            *most = m->most[at];
        }
    }
    a->fullest = *sum > a->fullest ? *sum : a->fullest;
}

static void coarsen(map *a)
{
    memset(a->grid, 0, BN_MAP_SIDE * BN_MAP_SIDE * sizeof *a->grid);
    a->fullest = 0;
    int by = a->m->trees < 300 ? 3 : a->m->trees < 5000 ? 2 : 1;
    a->side = BN_MAP_SIDE / by;
    for (int row = 0; row < a->side; row++)
        for (int column = 0; column < a->side; column++)
            merge(a, row, column, by);
}

static void measure(map *a)
{
    const bn_map *m = a->m;
    a->heaviest = 0;
    memset(a->size, 0, (size_t)a->classes * sizeof *a->size);
    for (int i = 0; i < BN_MAP_SIDE * BN_MAP_SIDE; i++) {
        if (m->grid[i] > 0 && m->most[i] >= 0 && m->most[i] < a->classes)
            a->size[m->most[i]] += (double)m->grid[i];
    }
    for (int64_t i = 0; i < m->dots; i++) {
        const bn_dot *d = &m->dot[i];
        if (isfinite(d->weight))
            a->heaviest = fmax(a->heaviest, d->weight);
        if (d->label >= 0 && d->label < a->classes && isfinite(d->weight))
            a->size[d->label] += d->weight;
    }
}

static void choose_colours(map *a)
{
    for (int k = 0; k < BN_COLOURS; k++)
        a->shown[k] = -1;
    if (a->classes <= BN_COLOURS) {
        for (int64_t c = 0; c < a->classes; c++) {
            a->colour[c] = (uint8_t)c;
            a->shown[c] = (int32_t)c;
        }
        return;
    }
    memset(a->colour, OTHER, (size_t)a->classes);
    for (int k = 0; k < OTHER; k++) {
        int64_t best = -1;
        for (int64_t c = 0; c < a->classes; c++)
            if (a->colour[c] == OTHER && (best < 0 || a->size[c] > a->size[best]))
                best = c;
        a->colour[best] = (uint8_t)k;
        a->shown[k] = (int32_t)best;
    }
    a->others = a->classes - OTHER;
}

static int colour_of(const map *a, int32_t label)
{
    return label >= 0 && label < a->classes ? a->colour[label] : NO_COLOUR;
}

static const char *const css[] = {"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9",
                                  "none"};

static const char *name_of(const map *a, int colour)
{
    return colour == NO_COLOUR       ? "without a class"
           : a->shown[colour] >= 0 ? a->name[a->shown[colour]] : "of other classes";
}

/* ---- the density --------------------------------------------------------- */

static int shade_of(const map *a, int64_t count)
{
    if (count < 1)
        return -1;
    double share = log1p((double)count) / log1p((double)a->fullest);
    int shade = (int)(share * SHADES);
    return shade >= SHADES ? SHADES - 1 : shade;
}

static bool is_of(const map *a, int cell, int colour, int shade)
{
    return shade_of(a, a->grid[cell]) == shade && colour_of(a, a->most[cell]) == colour;
}

static void draw_cells(bn_page *p, const map *a, int colour, int shade)
{
    bool begun = false;
    for (int row = 0; row < a->side; row++)
        for (int x = 0, end; x < a->side; x = end) {
            int at = row * a->side;
            for (end = x; end < a->side && is_of(a, at + end, colour, shade); end++)
                ;
            if (end == x) {
                end = x + 1;
                continue;
            }
            if (!begun) {
                bn_putf(p, "<path class=\"%s d%d\" d=\"", css[colour], shade);
                begun = true;
            }
            bn_putf(p, "M%d %dh%dv1h-%dz", x, a->side - 1 - row, end - x, end - x);
        }
    if (!begun)
        return;
    bn_put(p, "\"><title>training nodes, most of them ");
    bn_escape_cut(p, name_of(a, colour), 40);
    bn_put(p, "</title></path>\n");
}

static void draw_density(bn_page *p, const map *a)
{
    bn_putf(p, "<svg width=\"100%%\" height=\"100%%\" viewBox=\"0 0 %d %d\" "
            "preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\">\n",
            a->side, a->side);
    for (int colour = 0; colour <= NO_COLOUR; colour++)
        for (int shade = 0; shade < SHADES; shade++)
            draw_cells(p, a, colour, shade);
    bn_put(p, "</svg>\n");
}

/* ---- dots ---------------------------------------------------------------- */

static double radius(const map *a, double weight)
{
    double most = a->m->dots > 400 ? 9 : a->m->dots > 100 ? 12 : 16;
    if (!(a->heaviest > 1) || !isfinite(weight))
        return 4.5;
    return fmax(3, most * sqrt(fmax(weight, 0) / a->heaviest));
}

static double share_of(double v, double low, double high)
{
    return high > low && isfinite(v) ? (v - low) / (high - low) : 0.5;
}

/* Returns what the template of a dot shows. */
static bn_json *dot_values(const map *a, const bn_dot *d)
{
    const bn_map *m = a->m;
    const int colour = colour_of(a, d->label);
    return bn_json_pack("{ss,sf,sf,s{si,sf},sI,ss?,sf,so}", "css", css[colour],
                        "x", share_of(d->x, m->low_x, m->high_x),
                        "y", 1 - share_of(d->y, m->low_y, m->high_y),
                        "marker", "colour", colour, "radius", radius(a, d->weight),
                        "node", d->node, "class", colour == NO_COLOUR ? NULL : a->name[d->label],
                        "weight", d->weight, "strongest",
                        a->c->strongest ? a->c->strongest(a->c->payload, d->node)
                                        : bn_json_null());
}

/* ---- words --------------------------------------------------------------- */

static bn_json *class_of(const map *a, int colour)
{
    double dots = 0, weight = 0;
    char others[64];
    const bool own = a->shown[colour] >= 0;
    for (int64_t i = 0; i < a->m->dots; i++)
        if (colour_of(a, a->m->dot[i].label) == colour) {
            dots++;
            weight += a->m->dot[i].weight;
        }
    strcpy(others + bn_fixed(others, (double)a->others, 0, true), " other classes");
    const char *name = own ? a->name[a->shown[colour]] : others;
    return bn_json_pack("{si,ss,ss,sf,sf}", "colour", colour, "name", name, "row",
                        own ? name : "other", "marks", dots, "weight", weight);
}

/* Returns what the templates of a map show; a number that says nothing is NAN, and left out. */
static bn_json *words_of(bn_page *p, const map *a, const char *title)
{
    const bn_map *m = a->m;
    const double *share = m->variance;
    bn_json *classes = bn_json_array();
    for (int k = 0; k < BN_COLOURS; k++)
        if (a->shown[k] >= 0 || (k == OTHER && a->others > 0))
            bn_json_add(classes, class_of(a, k));
    return bn_json_pack(
        "{si,ss,ss,sn,sb,sI,sf,sI,sf,sf,sb,sf,sf,sf,so}", "id", p->charts, "kind", "map", "title",
        title, "height", "apart", m == &a->c->maps[BN_MAP_APART], "trees", m->trees,
        "all_trees", m->all_trees > m->trees ? (double)m->all_trees : NAN, "dots", m->dots,
        "all_dots", m->all_dots > m->dots ? (double)m->all_dots : NAN,
        "heaviest", a->heaviest > 1 ? a->heaviest : NAN, "more", share[1] > 0,
        "across", share[0] > 0 && share[0] <= 1 ? share[0] : NAN,
        "up", share[1] > 0 && share[1] <= 1 ? share[1] : NAN,
        "nearest", m->nearest >= 0 && a->classes > 1 ? m->nearest : NAN, "classes", classes);
}

static void draw(bn_page *p, const map *a, const char *title)
{
    p->charts++;
    bn_json *words = words_of(p, a, title);
    bn_fill_with(p, "map-begin", words);
    draw_density(p, a);
    bn_put(p, "<g class=\"dots\">");
    for (int64_t i = 0; i < a->m->dots; i++)
        bn_fill(p, "dot", dot_values(a, &a->m->dot[i]));
    bn_fill(p, "map-end", words);
}

/* Draws the map that separates the classes first, because it says more. */
static void draw_all(bn_page *p, map *a)
{
    static const int order[BN_MAPS] = {BN_MAP_APART, BN_MAP_WIDEST};
    static const char *const title[BN_MAPS] = {
        [BN_MAP_APART] = "As the classes differ most",
        [BN_MAP_WIDEST] = "As the nodes differ most"};
    measure(a);
    choose_colours(a);
    bn_fill(p, "map-key", words_of(p, a, ""));
    for (int i = 0; i < BN_MAPS; i++) {
        a->m = &a->c->maps[order[i]];
        if (!a->m->known)
            continue;
        coarsen(a);
        measure(a);
        draw(p, a, title[order[i]]);
    }
    bn_put(p, "</div>\n");
}

void bn_chart_maps(bn_page *p, const bn_map_chart *c)
{
    map a = {.c = c, .m = &c->maps[BN_MAP_WIDEST], .name = c->class_name, .classes = c->classes};
    if (!a.m->known || p->failed)
        return;
    if (BN_NEW(&a.colour, a.classes) != BONSAI_OK || BN_NEW(&a.size, a.classes) != BONSAI_OK ||
        BN_NEW(&a.grid, BN_MAP_SIDE * BN_MAP_SIDE) != BONSAI_OK ||
        BN_NEW(&a.most, BN_MAP_SIDE * BN_MAP_SIDE) != BONSAI_OK)
        p->failed = true;
    else
        draw_all(p, &a);
    bn_free(a.colour);
    bn_free(a.size);
    bn_free(a.grid);
    bn_free(a.most);
}
