/* reporting.h -- graphs, small ones made of them, and their reports.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_REPORTING_H
#define BN_REPORTING_H

#include "paging.h"

static inline bonsai_graph *generate(int64_t nodes, int64_t classes)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = 16;
    o.words = 5;
    o.classes = classes;
    o.degree = nodes > 4 ? 3 : 0;
    o.threads = 1;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

static inline bonsai_graph *condense(const bonsai_graph *g, bonsai_method method, int64_t nodes,
                              bonsai_condense_info *info)
{
    bonsai_condense_options o;
    bonsai_graph *small = NULL;
    bonsai_condense_options_init(&o);
    o.method = method;
    o.nodes = nodes;
    o.threads = 1;
    if (info)
        bonsai_condense_info_init(info);
    assert_int_equal(bonsai_condense(&small, info, g, &o), BONSAI_OK);
    return small;
}

static inline bonsai_report *report(const bonsai_graph *small, const bonsai_graph *full,
                             const bonsai_report_options *o)
{
    bonsai_report *r = NULL;
    bonsai_status rc = bonsai_report_new(&r, small, full, o);
    if (rc != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return r;
}

/* Of a model trained on the full graph and on the small one, with recalls unless NULL. */
static inline bonsai_report *report_cells(const bonsai_graph *small, const bonsai_graph *full,
                                          const bonsai_cell cells[2], const double *recall)
{
    bonsai_report_options o;
    bonsai_report_options_init(&o);
    o.cells = cells;
    o.cell_count = 2;
    o.recall = recall;
    return report(small, full, &o);
}

static inline void assert_report(const bonsai_graph *small, const bonsai_graph *full, const char *holds,
                          const char *lacks)
{
    bonsai_report *r = report(small, full, NULL);
    size_t length = 0;
    const char *html = bonsai_report_html(&length, r);
    assert_int_equal(strlen(html), length);
    assert_good_page(html);
    if (holds)
        assert_non_null(strstr(html, holds));
    if (lacks)
        assert_null(strstr(html, lacks));
    bonsai_report_free(r);
}

#endif
