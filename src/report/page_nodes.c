/* page_nodes.c -- the nodes that stand for others, as a table: the class, what each stands for, its
 * soft label as a heat map, and its strongest features.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "page.h"

enum { MOST_HEATED = 16, TOP = 3, HEATS = 6 };  /* classes with a column each; else the top ones */

static void put_feature(bn_page *p, const bn_facts *f, int64_t feature)
{
    int64_t number;
    const char *name = bn_facts_feature(&number, f, feature);
    if (name)
        bn_escape_cut(p, name, 40);
    else
        bn_putf(p, "feature %lld", (long long)number);
}

void bn_put_strong(bn_page *p, const bn_facts *f, const bn_strong *one)
{
    bn_put(p, one->value > one->mean ? "+ " : "− ");
    put_feature(p, f, one->feature);
}

bool bn_sheet_has_nodes(const bn_sheet *s)
{
    return s->f->stands > 0;
}

static bool is_soft(const bn_facts *f)
{
    return f->small->view.section[BONSAI_SECTION_SOFT_LABELS].data != NULL;
}

static bool is_heated(const bn_facts *f)
{
    return is_soft(f) && f->classes <= MOST_HEATED;
}

/* Members beside what the loss counts. */
static bool has_members(const bn_facts *f)
{
    return f->standing == BN_STANDS_LOSS && f->stand[0].members >= 0;
}

/* ---- the head ------------------------------------------------------------ */

static void put_head(bn_page *p, const bn_facts *f)
{
    bn_put(p, "<thead><tr><th scope=\"col\">node</th><th scope=\"col\" class=\"of\">class</th>");
    if (f->standing != BN_STANDS_ALONE)
        bn_put(p, "<th scope=\"col\">stands for</th>");
    if (has_members(f))
        bn_put(p, "<th scope=\"col\">members</th>");
    for (int64_t c = 0; is_heated(f) && c < f->classes; c++) {
        bn_put(p, "<th scope=\"col\" class=\"tall\" title=\"");
        bn_escape_cut(p, f->class_name[c], 200);
        bn_put(p, "\"><span>");
        bn_escape_cut(p, f->class_name[c], 18);
        bn_put(p, "</span></th>");
    }
    if (is_soft(f) && !is_heated(f))
        bn_put(p, "<th scope=\"col\" class=\"said\">soft label, %</th>");
    bn_put(p, "<th scope=\"col\" class=\"said\">strongest features</th></tr></thead>\n");
}

/* ---- soft labels --------------------------------------------------------- */

static int heat_of(double share)
{
    static const double least[HEATS] = {0, 0.005, 0.1, 0.3, 0.55, 0.8};
    int heat = 0;
    while (heat + 1 < HEATS && share >= least[heat + 1])
        heat++;
    return heat;
}

static void put_heat(bn_page *p, const bn_facts *f, const bn_stand *n)
{
    for (int64_t c = 0; c < f->classes; c++) {
        const double share = bn_soft_share(f->small, n->node, c);
        bn_putf(p, "<td class=\"heat h%d\" title=\"", heat_of(share));
        bn_escape_cut(p, f->class_name[c], 60);
        bn_put(p, ": ");
        bn_put_percent(p, share);
        bn_put(p, "\">");
        bn_put_fixed(p, 100 * share, 0);
        bn_put(p, "</td>");
    }
}

/* The classes with the largest shares, the lower first of equals. */
static void put_top(bn_page *p, const bn_facts *f, const bn_stand *n)
{
    int64_t last = -1;
    double before = INFINITY;
    bn_put(p, "<td class=\"said\">");
    for (int k = 0; k < TOP; k++) {
        int64_t best = -1;
        double most = 0;
        for (int64_t c = 0; c < f->classes; c++) {
            const double share = bn_soft_share(f->small, n->node, c);
            if (share > most && (share < before || (share == before && c > last))) {
                most = share;
                best = c;
            }
        }
        if (best < 0 || most < 0.005)
            break;
        bn_putf(p, "<span class=\"chip heat h%d\">", heat_of(most));
        bn_escape_cut(p, f->class_name[best], 30);
        bn_put(p, " ");
        bn_put_fixed(p, 100 * most, 0);
        bn_put(p, "</span> ");
        last = best;
        before = most;
    }
    bn_put(p, "</td>");
}

/* ---- rows ---------------------------------------------------------------- */

static void put_strongest(bn_page *p, const bn_facts *f, const bn_stand *n)
{
    bn_put(p, "<td class=\"said\">");
    for (int k = 0; k < BN_STRONGEST && n->strong[k].feature >= 0; k++) {
        bn_put(p, "<span class=\"chip\" title=\"");
        bn_put_number(p, n->strong[k].value);
        bn_put(p, n->strong[k].value > n->strong[k].mean ? ", raised" : ", lowered");
        bn_put(p, "; on the mean ");
        bn_put_number(p, n->strong[k].mean);
        bn_put(p, "\">");
        bn_put_strong(p, f, &n->strong[k]);
        bn_put(p, "</span> ");
    }
    bn_put(p, n->strong[0].feature < 0 ? "–</td>" : "</td>");
}

static void put_count(bn_page *p, double count)
{
    bn_put(p, "<td>");
    bn_put_number(p, count);
    bn_put(p, "</td>");
}

static void put_row(bn_page *p, const bn_facts *f, const bn_stand *n)
{
    bn_putf(p, "<tr><th scope=\"row\">%lld</th><td class=\"of\">", (long long)n->node);
    if (f->classes <= BN_COLOURS)
        bn_put_key(p, n->label);
    bn_escape_cut(p, f->class_name[n->label], 30);
    bn_put(p, "</td>");
    if (f->standing != BN_STANDS_ALONE)
        put_count(p, n->weight);
    if (has_members(f))
        put_count(p, (double)n->members);
    if (is_heated(f))
        put_heat(p, f, n);
    else if (is_soft(f))
        put_top(p, f, n);
    put_strongest(p, f, n);
    bn_put(p, "</tr>\n");
}

/* ---- the section --------------------------------------------------------- */

static void say_shown(bn_page *p, const bn_facts *f)
{
    bn_put(p, " Shown: ");
    bn_put_number(p, (double)f->stands);
    bn_put(p, " of ");
    bn_put_number(p, (double)f->all_stands);
    bn_put(p, " labelled nodes");
    if (f->standing != BN_STANDS_ALONE) {
        bn_put(p, ", those that stand for most: ");
        bn_put_percent(p, f->stand_share);
        bn_put(p, " of all");
    }
    bn_put(p, ".");
}

static void say(bn_page *p, const bn_sheet *s)
{
    const bn_facts *f = s->f;
    static const char *const counts[] = {
        [BN_STANDS_ALONE] = "",
        [BN_STANDS_LOSS] = " Each counts in the loss as often as it stands for others.",
        [BN_STANDS_MEMBERS] = " Each stands for its members, which are nodes of the full graph.",
        [BN_STANDS_COVERED] = " A root stands for the sampled training nodes that it covers."};
    bn_put(p, "<p>A model learns from these nodes.");
    bn_put(p, counts[f->standing]);
    if (is_soft(f))
        bn_put(p, " A soft label says how much of each class a node is, in percent.");
    bn_putf(p, " The strongest features are those farthest from the mean of %s, in standard "
               "deviations: + raised, − lowered.",
            f->full ? "the full graph" : "the labelled nodes of this graph");
    if (f->stands < f->all_stands)
        say_shown(p, f);
    bn_put(p, "</p>\n");
    if (s->second > 0)
        bn_put(p, "<p>Each prototype is a pair of nodes. The second has no label and stands for no "
                  "nodes: it passes its features on to the first. Second nodes are not listed "
                  "here.</p>\n");
}

void bn_sheet_nodes(bn_page *p, const bn_sheet *s)
{
    const bn_facts *f = s->f;
    say(p, s);
    bn_put(p, "<p class=\"hint fits\">Where the table is wider than the window it scrolls "
              "sideways.</p>\n<div class=\"box\" tabindex=\"0\" role=\"region\" "
              "aria-label=\"Nodes of the small "
              "graph\"><table class=\"nodes\"><caption class=\"sr\">Nodes of the small graph"
              "</caption>");
    put_head(p, f);
    bn_put(p, "<tbody>\n");
    for (int64_t i = 0; i < f->stands; i++)
        put_row(p, f, &f->stand[i]);
    bn_put(p, "</tbody></table></div>\n");
}
