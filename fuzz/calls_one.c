/* calls_one.c -- public calls that take one graph; see calls.h.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "fuzz.h"

static volatile double sink;    /* so that no read is optimised away */

/* An array of the caller; the library says how long it must be. */
static void *array(int64_t count, size_t item)
{
    bool sane = count >= 0 && count < 1 << 22;
    return sane ? calloc((size_t)count + 1, item) : NULL;
}

static void look(calls *c)
{
    const bonsai_graph *g = calls_graph(c);
    const bonsai_view *v = bonsai_graph_view(g);
    float *row = array(v->features + v->classes, sizeof *row);
    double *mean = array(v->features, sizeof *mean);
    int64_t members = 0;
    sink += bonsai_graph_known(g) != NULL;
    calls_must(bonsai_graph_nodes(g) == v->nodes && bonsai_graph_features(g) == v->features &&
               bonsai_graph_classes(g) == v->classes && bonsai_graph_edges(g) >= 0, "counts");
    for (int64_t i = 0; row && i < v->nodes && i < 100; i++) {
        int32_t label = bonsai_graph_label(g, i);
        bonsai_graph_soft_label(row, g, i);
        sink += bonsai_graph_class_name(g, label) != NULL;
        sink += bonsai_graph_feature_name(g, i) != NULL;
        sink += bonsai_graph_weight(g, i) + (double)bonsai_graph_origin(g, i);
        const int32_t *of = bonsai_graph_members(&members, g, i);
        for (int64_t k = 0; k < members; k++)
            calls_must(of[k] >= 0, "members are nodes");
        bonsai_graph_row(row, g, i);
        calls_must(label >= -1 && label < v->classes, "labels are below the classes");
        sink += v->features ? (double)row[0] : 0;
    }
    if (mean)
        calls_went(bonsai_graph_mean(mean, g), NULL);
    sink += bonsai_graph_read_info(g)->rounded + (double)bonsai_graph_checksum(g, ~(uint64_t)0);
    free(row);
    free(mean);
}

static void count(calls *c)
{
    const bonsai_graph *g = calls_graph(c);
    bonsai_stats stats;
    bonsai_read_options o;
    bonsai_shape shape;
    int64_t *counts = array(bonsai_graph_classes(g), sizeof *counts), bytes[BONSAI_SECTION_COUNT];
    bonsai_type types[BONSAI_SECTION_COUNT];
    double size;
    calls_read_options(&o, c);
    bonsai_stats_init(&stats);
    bonsai_shape_init(&shape);
    calls_went(bonsai_graph_stats(&stats, counts, g, &o), NULL);
    for (int i = BONSAI_ACCOUNTING_STRICT; i <= BONSAI_ACCOUNTING_PAPER_CONDENSED; i++)
        calls_went(bonsai_graph_bytes(&size, g, (bonsai_accounting)i), NULL);
    calls_went(bonsai_graph_sections(types, bytes, BONSAI_SECTION_COUNT, g, NULL), NULL);
    calls_went(bonsai_graph_shape(&shape, g), NULL);
    free(counts);
}

static void check(calls *c)
{
    bonsai_read_options o;
    calls_read_options(&o, c);
    calls_went(bonsai_graph_check(calls_graph(c), &o), NULL);
}

static void linear(calls *c)
{
    bonsai_linear l;
    bonsai_read_options o;
    calls_read_options(&o, c);
    bonsai_linear_init(&l);
    calls_went(bonsai_graph_linear(&l, calls_graph(c), mu_next(&c->rng), &o), NULL);
}

/* What was written must be readable, and equal where nothing was left out or rounded. */
static void save(calls *c)
{
    static const char *const names[] = {"out.bonsai", "out.npz", "out/"};
    const bonsai_graph *g = calls_graph(c);
    bonsai_graph *back = NULL;
    bonsai_write_options w;
    bonsai_read_options o;
    uint64_t left_out = 0;
    int equal = 1;
    char path[300];
    size_t which = mu_below(&c->rng, 3);
    bool repeated = bonsai_graph_view(g)->flags & BONSAI_FLAG_REPEATED;     /* in any order */
    bonsai_read_options_init(&o);
    bonsai_write_options_init(&w);
    w.threads = o.threads = 1;
    if (which == 0 && bonsai_graph_features(g) < 1 << 12)   /* dense ones would fill a disk */
        w.features = (bonsai_encoding)mu_below(&c->rng, 7);
    w.progress = calls_progress;
    w.payload = c;
    snprintf(path, sizeof path, "%s.%s", fuzz_path("save"), names[which]);
    if (calls_went(bonsai_graph_save(&left_out, g, path, &w), NULL) && which < 2 &&
        calls_went(bonsai_graph_read(&back, path, &o), back) &&
        calls_went(bonsai_graph_equal(&equal, g, back), NULL))
        calls_must(equal || left_out || w.features > BONSAI_ENCODING_KEEP || repeated ||
                   bonsai_graph_check(g, NULL) != BONSAI_OK, "saving keeps it");
    bonsai_graph_free(back);
}

/* The parts that an archive lists, or would if it had them. */
static void split_by_file(calls *c, const bonsai_graph *g)
{
    bonsai_graph *out = NULL;
    if (*c->archive && calls_went(bonsai_graph_split_file(&out, g, c->archive), out))
        calls_must(bonsai_graph_verify(out) == BONSAI_OK, "a split of lists is valid");
    bonsai_graph_free(out);
}

static void derive(calls *c)
{
    static const double percent[][3] = {{60, 20, 20}, {0, 0, 100}, {1, 1, 1}};
    const bonsai_graph *g = calls_graph(c);
    bonsai_graph *out = NULL;
    bonsai_read_options o;
    int32_t nodes[8];
    int64_t n = bonsai_graph_nodes(g), some = n < 8 ? n : 8;
    bonsai_order order = (bonsai_order)mu_below(&c->rng, BONSAI_ORDER_COUNT);
    calls_read_options(&o, c);
    for (int64_t i = 0; i < some; i++)
        nodes[i] = (int32_t)(n - 1 - i);
    static const char *const names[] = {"2", "b", "a", "0"};
    switch (mu_below(&c->rng, 6)) {
    case 0: calls_went(bonsai_graph_split(&out, g, percent[mu_below(&c->rng, 3)], 5), out); break;
    case 1: calls_went(bonsai_graph_induce(&out, g, nodes, some), out); break;
    case 2:
        calls_went(mu_below(&c->rng, 2) ? bonsai_graph_normalise(&out, g)
                                        : bonsai_graph_standardise(&out, g, NULL), out);
        break;
    case 3: calls_went(bonsai_graph_name_features(&out, g, "a\r\n\xc3\xa9\n\nb"), out); break;
    case 4:
        calls_went(bonsai_graph_match_classes(&out, g, mu_below(&c->rng, 2) ? names : NULL,
                                              (int64_t)mu_below(&c->rng, 5)), out);
        break;
    default:
        calls_went(bonsai_graph_reorder(&out, g, order, (int64_t)mu_below(&c->rng, 4), 1, &o), out);
    }
    if (out)
        calls_went(bonsai_graph_check(out, &o), NULL);
    bonsai_graph_free(out);
    split_by_file(c, g);
}

/* The graph's arrays as a caller's, with a few claims changed. */
static void rebuild(calls *c)
{
    static const int32_t source[] = {0, 1, 2, 2}, target[] = {1, 2, 0, 2};
    bonsai_view v = *bonsai_graph_view(calls_graph(c));
    bonsai_graph *out = NULL;
    bonsai_read_options o;
    calls_read_options(&o, c);
    bonsai_array *s = &v.section[1 + mu_below(&c->rng, BONSAI_SECTION_COUNT - 1)];
    if (mu_chance(&c->rng, 2) && s->count > 0)
        s->count -= 1 + (int64_t)mu_below(&c->rng, (size_t)s->count);
    if (mu_chance(&c->rng, 3))
        *s = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    if (mu_chance(&c->rng, 3))
        v.flags ^= 1 + mu_below(&c->rng, 7);
    int64_t *number[] = {&v.nodes, &v.features, &v.classes};
    size_t which = mu_below(&c->rng, 6);
    if (which < 3)
        *number[which] = (int64_t)mu_number(&c->rng, (uint64_t)*number[which]);
    if (mu_chance(&c->rng, 2)) {
        calls_went(bonsai_graph_new(&out, &v, (int)mu_below(&c->rng, 2)), out);
    } else {
        for (int i = BONSAI_SECTION_OFFSETS; i <= BONSAI_SECTION_EDGE_WEIGHTS; i++)
            v.section[i] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
        calls_went(bonsai_graph_build(&out, &v, 4, source, target, NULL, &o), out);
    }
    bonsai_graph_free(out);
}

static void plan(calls *c)
{
    bonsai_shape shape;
    bonsai_plan p;
    bonsai_plan_options o;
    bonsai_condense_options condense;
    const bonsai_graph *g = calls_graph(c);
    bonsai_shape_init(&shape);
    bonsai_plan_init(&p);
    bonsai_plan_options_init(&o);
    calls_condense_options(&condense, c);
    o.condense = &condense;
    o.ranks = 1 + (int)mu_below(&c->rng, 5);
    o.threads = 1;
    o.memory = mu_chance(&c->rng, 2) ? 0 : (int64_t)(mu_number(&c->rng, 9) >> 1);
    o.look = mu_chance(&c->rng, 2) ? g : NULL;
    if (!calls_went(bonsai_graph_shape(&shape, g), NULL))
        return;
    int64_t *number[] = {&shape.nodes, &shape.edges, &shape.features, &shape.classes,
                         &shape.nonzeros, &shape.train, &shape.val};
    size_t which = mu_below(&c->rng, 14);
    if (which < 7)
        *number[which] = (int64_t)mu_number(&c->rng, (uint64_t)*number[which]);
    if (calls_went(bonsai_plan_make(&p, &shape, &o), NULL))
        calls_must(p.file >= 0 && p.least >= 0 && p.most >= 0 && p.held >= 0 && p.scratch >= 0 &&
                   p.halo >= 0 && p.wire >= 0 && p.wire_rows >= 0 && p.seconds_total >= 0,
                   "a plan has no negative numbers");
}

static void read_scores(const bonsai_graph *g)
{
    bonsai_scores s;
    bonsai_scores_init(&s);
    for (int64_t round = -1; round <= s.rounds && round < 20; round++)
        if (calls_went(bonsai_condense_scores(&s, g, round), NULL)) {
            calls_must(round == 0 || round < s.rounds, "rounds that are not recorded are refused");
            calls_must(s.count >= 0 && s.count <= BONSAI_SCORES_ROOM, "scores fit");
        }
}

static void read_record(calls *c)
{
    const bonsai_graph *g = calls_graph(c);
    bonsai_condense_info info;
    bonsai_condense_options o;
    bonsai_why why;
    char text[4096];
    int64_t n = bonsai_graph_nodes(g);
    int64_t *tree = array(n, sizeof *tree), *covers = array(n, sizeof *covers);
    double *score = array(n, sizeof *score);
    bonsai_condense_info_init(&info);
    bonsai_condense_options_init(&o);
    bonsai_why_init(&why);
    if (calls_went(bonsai_condense_info_of(&info, g), NULL))
        calls_must(bonsai_condense_worth(text, sizeof text, NULL, &info) >= 0, "worth");
    if (calls_went(bonsai_condense_options_of(&o, g), NULL))
        bonsai_options_json(text, sizeof text, BONSAI_OPTIONS_CONDENSE, &o);
    for (int64_t i = -1; i <= n && i < 50; i++)
        calls_went(bonsai_condense_why(&why, g, i), NULL);
    if (tree && covers && score)
        calls_went(bonsai_condense_whys(tree, covers, score, g), NULL);
    read_scores(g);
    free(tree);
    free(covers);
    free(score);
}

static void walk_fields(void)
{
    bonsai_condense_options o;
    const bonsai_field *f;
    char text[64];
    bonsai_condense_options_init(&o);
    for (int i = 0; (f = bonsai_field_at(BONSAI_OPTIONS_CONDENSE, i)); i++)
        sink += bonsai_field_text(text, sizeof text, f, &o);
}

static void walk_names(void)
{
    double percent[3];
    for (int i = 0; bonsai_format_name(i); i++)
        calls_must(bonsai_format_help(i) && bonsai_format_writes(i) >= 0, "formats");
    for (int i = 0; bonsai_known_at(i); i++)
        calls_must(bonsai_known_at(i)->nodes > 0, "datasets");
    for (int i = 0; i < BONSAI_METRIC_COUNT; i++)
        calls_must(*bonsai_metric_name((bonsai_metric)i) && *bonsai_metric_text((bonsai_metric)i),
                   "metrics");
    calls_must(*bonsai_section_text(BONSAI_SECTION_LABELS) && *bonsai_type_text(BONSAI_TYPE_F16),
               "sections");
    calls_must(bonsai_split_named(percent, "published") && !bonsai_split_named(percent, ""),
               "splits");
    calls_must(*bonsai_version() && *bonsai_isa() && *bonsai_status_text(BONSAI_E_IO), "names");
}

/* Calls that take no graph at all. */
static void generate(calls *c)
{
    bonsai_graph *g = NULL;
    bonsai_generate_options o;
    bonsai_generate_options_init(&o);
    o.nodes = 1 + (int64_t)mu_below(&c->rng, 40);
    o.features = (int64_t)mu_below(&c->rng, 9);
    o.classes = 1 + (int64_t)mu_below(&c->rng, 4);
    o.degree = (double)mu_below(&c->rng, 4);
    o.words = (double)mu_below(&c->rng, 9);
    o.dense = mu_chance(&c->rng, 2);
    o.seed = mu_next(&c->rng);
    o.threads = 1;
    o.progress = calls_progress;
    o.payload = c;
    if (calls_went(bonsai_graph_generate(&g, &o), g))
        calls_went(bonsai_graph_generate_file(fuzz_path("made.bonsai"), &o), NULL);
    bonsai_graph_free(g);
    walk_fields();
    walk_names();
}

calls_fn *const calls_of_one[] = {look, count, check, linear, save, derive, rebuild, plan,
                                  read_record, generate};
const int calls_of_one_count = sizeof calls_of_one / sizeof *calls_of_one;
