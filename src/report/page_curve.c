/* page_curve.c -- the curve of ratio against score that led to a ratio.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "page.h"

static bn_json *split_of(const bonsai_suggest_info *i)
{
    if (i->split_from != BONSAI_SPLIT_ASKED && i->split_from != BONSAI_SPLIT_DRAWN)
        return bn_json_null();
    return bn_json_textf("%g/%g/%g drawn with seed %llu", i->split[0], i->split[1], i->split[2],
                         (unsigned long long)i->split_seed);
}

/* Makes the chart of the points that have a score; the others are in the table alone. */
static bn_json *chart_of(const bonsai_suggestion *s)
{
    const bonsai_suggest_info *i = bonsai_suggestion_info(s);
    const bonsai_suggest_point *at;
    bn_json *small = bn_json_array(), *full = bn_json_array();
    char share[64];
    for (int64_t k = 0; (at = bonsai_suggestion_point(s, k)); k++)
        if (at->score >= 0)
            bn_json_add(small, bn_json_pack("[ff]", at->ratio, at->score));
    for (size_t n = bn_json_count(small), k = 0; n > 0 && k < 2; k++)
        bn_json_add(full, bn_json_pack("[Of]", bn_json_at(bn_json_at(small, k ? n - 1 : 0), 0),
                                       i->full_score));
    bn_percent_text(share, i->keep);
    return bn_json_pack("{ss,ss,ss,sb,s[{ss,so,sf},{ss,so}],s{sf,so}}",
                        "title", "Score of the small graph by its ratio", "x", "ratio of the bytes",
                        "y", "probe score in percent", "log_x", true, "curves",
                        "name", "small graph", "at", small, "mark", i->ratio,
                        "name", "full graph", "at", full, "line", "at", i->wanted,
                        "name", bn_json_textf("%.20s of the full graph's", share));
}

static bn_json *rows_of(const bonsai_suggestion *s)
{
    const bonsai_suggest_point *at;
    bn_json *rows = bn_json_array();
    for (int64_t k = 0; (at = bonsai_suggestion_point(s, k)); k++) {
        const bool known = at->score >= 0;
        bn_json_add(rows, bn_json_pack(
            "{sb,sf,sf,sf,sf,sf}", "marked", k == bonsai_suggestion_info(s)->point,
            "ratio", at->ratio, "bytes", known ? at->bytes : NAN,
            "nodes", known ? (double)at->nodes : NAN, "score", known ? at->score : NAN,
            "share", known ? at->share : NAN));
    }
    return rows;
}

bn_json *bn_suggestion_values(const bonsai_suggestion *s)
{
    const bonsai_suggest_info *i = bonsai_suggestion_info(s);
    return bn_json_pack("{sb,sf,sf,sf,sf,sI,sb,so,so,so}", "reached", i->reached, "ratio", i->ratio,
                        "keep", i->keep, "score", i->score, "full_score", i->full_score,
                        "judged", i->judged, "held", i->held, "split", split_of(i),
                        "chart", chart_of(s), "rows", rows_of(s));
}

bn_json *bn_sheet_curve(const bn_sheet *s)
{
    return s->o->suggestion ? bn_suggestion_values(s->o->suggestion) : bn_json_null();
}
