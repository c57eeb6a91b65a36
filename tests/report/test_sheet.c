/* test_sheet.c -- what the sections of a report say is what the metadata says.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "paging.h"
#include "report/page.h"

/* What the small graph's metadata hold, read without the library. */
static int keys_of(const bn_json *object)
{
    int count = 0;
    while (bn_json_key(object, (size_t)count))
        count++;
    return count;
}

static bn_json *metadata_of(const bonsai_graph *small)
{
    const bonsai_array *a = &bonsai_graph_view(small)->section[BONSAI_SECTION_METADATA];
    bn_json *all = bn_json_parse(a->data, (size_t)a->count, 0, NULL);
    assert_non_null(all);
    return all;
}

typedef struct {
    bonsai_graph *full, *small;
    bonsai_condense_info info;
    bn_json *meta;
    bonsai_report *report;
    const char *html;
} made;

static void make(made *m, const bonsai_condense_options *o)
{
    bonsai_generate_options g;
    bonsai_report_options r;
    memset(m, 0, sizeof *m);
    bonsai_generate_options_init(&g);
    g.nodes = 1500;
    g.features = 30;
    g.words = 6;
    g.classes = 4;
    bonsai_condense_info_init(&m->info);
    bonsai_report_options_init(&r);
    r.condensed = &m->info;
    assert_int_equal(bonsai_graph_generate(&m->full, &g), BONSAI_OK);
    if (bonsai_condense(&m->small, &m->info, m->full, o) != BONSAI_OK ||
        bonsai_report_new(&m->report, m->small, m->full, &r) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    m->meta = metadata_of(m->small);
    m->html = bonsai_report_html(NULL, m->report);
}

static void drop(made *m)
{
    bn_json_free(m->meta);
    bonsai_report_free(m->report);
    bonsai_graph_free(m->small);
    bonsai_graph_free(m->full);
}

/* The part of the page from the section with this id to its end. */
static char *section(const made *m, const char *id)
{
    char start[64];
    snprintf(start, sizeof start, "<section id=\"%s\"", id);
    const char *at = strstr(m->html, start);
    assert_non_null(at);
    const char *end = strstr(at, "</section>");
    char *text = calloc((size_t)(end - at) + 1, 1);
    assert_non_null(text);
    memcpy(text, at, (size_t)(end - at));
    return text;
}

/* Cell `column` (from 1) of the row that is named so, without commas and units. */
static double cell(const char *text, const char *row, int column)
{
    char start[128], digits[64];
    int at = 0;
    snprintf(start, sizeof start, "<th scope=\"row\">%s</th>", row);
    const char *c = strstr(text, start);
    if (!c)
        fail_msg("there is no row %s", row);
    for (int i = 0; i < column; i++)
        c = strstr(c, "<td") + 3;
    for (c = strchr(c, '>') + 1; *c != '<' && at < 63; c++)
        if (strchr("0123456789.-", *c))
            digits[at++] = *c;
    digits[at] = 0;
    return strtod(digits, NULL);
}

static double meta(const made *m, const char *object, const char *key)
{
    const bn_json *v = bn_json_get(bn_json_get(m->meta, object), key);
    assert_true(bn_json_is_number(v));
    return bn_json_as_number(v);
}

static bonsai_condense_options options(bonsai_method method)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = method;
    o.ratio = 0.05;
    o.threads = 1;
    return o;
}

static void sizes_are_those_of_the_metadata(void **state)
{
    (void)state;
    static const struct { const char *row, *small, *full; } count[] = {
        {"nodes", "nodes", "full_nodes"}, {"edge entries", "edges", "full_edges"},
        {"labelled nodes", "labelled", "full_labelled"}};
    for (int k = 0; k < 2; k++) {
        made m;
        bonsai_condense_options o = options(k ? BONSAI_METHOD_PROTOTYPES : BONSAI_METHOD_TREES);
        make(&m, &o);
        char *text = section(&m, "sizes");
        for (int i = 0; i < 3; i++) {
            double full = meta(&m, "sizes", count[i].full), small = meta(&m, "sizes", count[i].small);
            assert_true(cell(text, count[i].row, 1) == full);
            assert_true(cell(text, count[i].row, 2) == small);
            assert_true(fabs(cell(text, count[i].row, 3) - 100 * small / full) < 0.051);
        }
        assert_true(fabs(cell(text, "bytes, strict", 3) - 100 * meta(&m, "sizes", "ratio")) < 0.0051);
        assert_true(fabs(cell(text, "bytes, as in the paper", 3) -
                         100 * meta(&m, "sizes", "paper_ratio")) < 0.051);
        free(text);
        drop(&m);
    }
}

/* One row for both heads, the method, each option that the metadata has, and the metric, which they
 * name only where it is not the default. */
static void every_option_is_shown(void **state)
{
    (void)state;
    made m;
    bonsai_condense_options o = options(BONSAI_METHOD_TREES);
    make(&m, &o);
    char *text = section(&m, "options");
    assert_int_equal(count_of(text, "<tr>"),
                     4 + keys_of(bn_json_get(m.meta, "options")));
    assert_int_equal(count_of(text, "class=\"mark\""), 2);      /* the method and the budget */
    char *rest = strstr(text, "<details>");     /* what was changed is not folded */
    assert_non_null(rest);
    assert_non_null(strstr(text, "--ratio"));
    assert_null(strstr(rest, "--ratio"));
    *rest = 0;
    assert_int_equal(count_of(text, "<tr>"), 3);
    free(text);
    drop(&m);
}

static void the_command_has_every_option_that_is_not_usual(void **state)
{
    (void)state;
    made m;
    bonsai_condense_options o = options(BONSAI_METHOD_TREES);
    o.layers = 1;
    o.k = 4;
    o.sample = -1;
    o.theta = 0.1;
    o.delta = 0.2;
    o.density = o.select_features = 1;
    o.patience = 50;
    o.beta = 0.25;
    o.prune_share = 0.5;
    o.min_pruned = 0.02;
    o.split[0] = 50;
    o.split[1] = 30;
    o.split[2] = 19.5;
    o.seed = 18446744073709551615u;
    make(&m, &o);
    char *text = section(&m, "repeat");
    assert_non_null(strstr(text, "bonsai condense GRAPH -o SMALL --method trees --ratio 0.05 --layers 1 "
                                 "--k 4 --sample all --theta 0.1 --delta 0.2 --greedy density "
                                 "--patience 50 --beta 0.25 --prune-share 0.5 --min-pruned 0.02 "
                                 "--select-features tree "
                                 "--split 50/30/19.5 --seed 18446744073709551615<"));
    free(text);
    drop(&m);
}

static void coverage_and_rounds_are_those_of_the_metadata(void **state)
{
    (void)state;
    made m;
    bonsai_condense_options o = options(BONSAI_METHOD_TREES);
    char percent[64];
    make(&m, &o);
    char *text = section(&m, "coverage");
    bn_percent_text(percent, meta(&m, "cover", "coverage"));
    assert_non_null(strstr(text, percent));
    free(text);
    text = section(&m, "pruning");
    const bn_json *rounds = bn_json_get(m.meta, "rounds");
    size_t i;
    bn_json *r;
    for (i = 0; (r = bn_json_at(rounds, i)); i++) {
        char name[32];
        snprintf(name, sizeof name, "%lld",
                 (long long)bn_json_as_whole(bn_json_get(r, "round")));
        assert_true(cell(text, name, 1) == (double)bn_json_as_whole(bn_json_get(r, "nodes")));
        assert_true(cell(text, name, 3) == (double)bn_json_as_whole(bn_json_get(r, "pruned")));
    }
    assert_true(i > 0);
    free(text);
    drop(&m);
}

static void learned_nodes_say_how_they_were_learned(void **state)
{
    (void)state;
    if (!has_method(BONSAI_METHOD_GCOND))
        skip();
    bonsai_condense_options o;
    made m;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_GC_SNTK;
    o.nodes = 9;
    o.effort = 0.02;
    o.keep = BONSAI_KEEP_LAST;
    o.threads = 1;
    make(&m, &o);
    assert_non_null(strstr(m.html, "<strong>9</strong> nodes were learned by "
                                   "<strong>gc-sntk</strong> from <strong>900</strong> training"));
    assert_non_null(strstr(m.html, "How it was learned"));
    assert_non_null(strstr(m.html, "Rounds in all: 4; made: 4; kept: number 4, with a loss of "));
    assert_non_null(strstr(m.html, "--method gc-sntk --nodes 9 --effort 0.02 --keep last"));
    assert_non_null(strstr(m.html, "the same kind of processor"));
    assert_null(strstr(m.html, "What the trees cover"));
    assert_null(strstr(m.html, "the time was up"));
    drop(&m);
    o.time_limit = 1e-9;
    make(&m, &o);
    assert_non_null(strstr(m.html, "It ended when the time was up."));
    drop(&m);
}

static void updated_prototypes_have_no_command(void **state)
{
    (void)state;
    made m;
    bonsai_condense_options o = options(BONSAI_METHOD_PROTOTYPES);
    bonsai_graph *next = NULL;
    bonsai_report *r = NULL;
    o.members = 1;
    make(&m, &o);
    assert_non_null(strstr(m.html, "id=\"repeat\""));
    assert_int_equal(bonsai_condense_update(&next, NULL, m.full, m.full, m.small, NULL), BONSAI_OK);
    assert_int_equal(bonsai_report_new(&r, next, m.full, NULL), BONSAI_OK);
    assert_null(strstr(bonsai_report_html(NULL, r), "id=\"repeat\""));
    bonsai_report_free(r);
    bonsai_graph_free(next);
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_metadata),
        cmocka_unit_test(every_option_is_shown),
        cmocka_unit_test(the_command_has_every_option_that_is_not_usual),
        cmocka_unit_test(coverage_and_rounds_are_those_of_the_metadata),
        cmocka_unit_test(learned_nodes_say_how_they_were_learned),
        cmocka_unit_test(updated_prototypes_have_no_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
