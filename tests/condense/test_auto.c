/* test_auto.c -- the choice between methods, and whom a prototype stands for.
 *
 * SPDX-License-Identifier: MIT */
#include <locale.h>
#include <stdio.h>

#include "condense/methods.h"
#include "record/record.h"
#include "json.h"
#include "prototypes/judge.h"
#include "condensing.h"

/* Of 240 nodes in 3 classes; odd seeds have dense features, others words. */
static bonsai_graph *generated(uint64_t seed)
{
    bonsai_generate_options how;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&how);
    how.nodes = 240;
    how.features = seed % 2 != 0 ? 30 : 600;    /* words: enough for embeddings to stay sparse */
    how.classes = 3;
    how.words = 6;
    how.dense = seed % 2 != 0;
    how.homophily = 0.1 + 0.2 * (double)(seed % 5);
    how.difficulty = 0.7;
    how.seed = seed;
    assert_int_equal(bonsai_graph_generate(&g, &how), BONSAI_OK);
    return g;
}

static void some_options(bonsai_condense_options *o, bonsai_method m, double ratio)
{
    bonsai_condense_options_init(o);
    o->method = m;
    o->ratio = ratio;
    o->threads = 1;
}

static bool same_graph(const bonsai_graph *a, const bonsai_graph *b)
{
    int equal;
    assert_int_equal(bonsai_graph_equal(&equal, a, b), BONSAI_OK);
    return equal != 0;
}

static bn_json *report_of(const bonsai_graph *g)
{
    const bonsai_array *a = &g->view.section[BONSAI_SECTION_METADATA];
    bn_json *root = bn_json_parse(a->data, (size_t)a->count, 0, NULL);
    assert_non_null(root);
    return root;
}

static void three_views(bn_views *v, const bonsai_graph *g, const int32_t *node, int64_t count,
                        int layers)
{
    const bn_nodes nodes = {node, count};
    const bn_place at = {.threads = 1};
    assert_int_equal(bn_embed(&v->own, g, &nodes, BN_RULE_MEAN, 0, &at), BONSAI_OK);
    assert_int_equal(bn_embed(&v->around, g, &nodes, BN_RULE_AROUND, 1, &at), BONSAI_OK);
    assert_int_equal(bn_embed(&v->far, g, &nodes, BN_RULE_MEAN, layers, &at), BONSAI_OK);
}

enum { ROOM = 256 };

/* The score of some labelled nodes of a graph; held: by node, those that are judged on instead of
 * validation nodes, or NULL. */
static double probe_from(const bonsai_graph *of, const int32_t *node, int64_t count,
                         const bonsai_graph *g, const bonsai_condense_options *o,
                         const uint8_t *held)
{
    int32_t judged[ROOM], label[ROOM], own[ROOM];
    int64_t rows = 0;
    bn_job job = {.g = g, .o = o, .at.threads = 1, .judge_label = label};
    bn_views x;
    bn_probe *p;
    double percent;
    for (int64_t v = 0; v < g->view.nodes; v++)
        if ((held ? held[v] : bn_part(g, v) == BONSAI_PART_VAL) && bn_label(g, v) >= 0) {
            label[rows] = bn_label(g, v);
            judged[rows++] = (int32_t)v;
        }
    for (int64_t i = 0; i < count; i++)
        own[i] = bn_label(of, node[i]);
    three_views(&job.judge, g, judged, rows, o->layers);
    three_views(&x, of, node, count, o->layers);
    assert_int_equal(bn_probe_new(&p, &job), BONSAI_OK);
    assert_int_equal(bn_probe_rows(&percent, p, &x, own), BONSAI_OK);
    bn_probe_free(p);
    bn_views_free(&job.judge);
    bn_views_free(&x);
    return percent;
}

/* The score that a graph of picked nodes should have. */
static double probe_of(const bonsai_graph *small, const bonsai_graph *g,
                       const bonsai_condense_options *o, const uint8_t *held)
{
    const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
    int32_t node[ROOM];
    int64_t count = 0;
    for (int64_t v = 0; v < small->view.nodes; v++)
        if (bn_label(small, v) >= 0 && !(held && held[origin[v]]))
            node[count++] = (int32_t)v;
    return probe_from(small, node, count, g, o, held);
}

/* The same of the training nodes of the full graph. */
static double probe_of_all(const bonsai_graph *g, const bonsai_condense_options *o,
                           const uint8_t *held)
{
    int32_t node[ROOM];
    int64_t count = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) >= 0 && !(held && held[v]))
            node[count++] = (int32_t)v;
    return probe_from(g, node, count, g, o, held);
}

static void auto_is_the_default(void **state)
{
    (void)state;
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    assert_int_equal(o.method, BONSAI_METHOD_AUTO);
    assert_string_equal(bonsai_method_name(BONSAI_METHOD_AUTO), "auto");
}

/* What a method that enters makes of the rows that are there: named directly, herding and k-center
 * have an embedding of their own. */
static bonsai_graph *entrant_of(bonsai_method m, const bonsai_graph *g, bonsai_condense_options o)
{
    bn_preparation p;
    bonsai_condense_info i;
    bonsai_graph *small = NULL;
    memset(&p, 0, sizeof p);
    p.o = o;
    assert_int_equal(bn_prepare(&p, g, bn_method_of(o.method)->needs), BONSAI_OK);
    bn_request r = {&p, o, {o.ratio * p.sizes.strict, INT64_MAX, INT64_MAX}, false};
    r.o.method = m;
    assert_int_equal(bn_method_of(m)->run(&small, &i, &r), BONSAI_OK);
    bn_preparation_free(&p);
    return small;
}

enum { ENTRANTS = 5 };
static const bonsai_method entrants[ENTRANTS] = {       /* the cheapest first */
    BONSAI_METHOD_RANDOM, BONSAI_METHOD_PROTOTYPES, BONSAI_METHOD_HERDING, BONSAI_METHOD_KCENTER,
    BONSAI_METHOD_TREES};

/* All that could enter, and what the probe says of each. */
static void make_all(bonsai_graph **small, double *score, const bonsai_graph *g,
                     bonsai_condense_options o)
{
    for (int k = 0; k < ENTRANTS; k++) {
        bonsai_condense_info i;
        o.method = entrants[k];
        const bool own = o.method == BONSAI_METHOD_HERDING || o.method == BONSAI_METHOD_KCENTER;
        small[k] = NULL;
        if (!own)
            small[k] = condensed(&i, g, &o);
        o.method = BONSAI_METHOD_AUTO;
        if (own)
            small[k] = entrant_of(entrants[k], g, o);
        score[k] = entrants[k] == BONSAI_METHOD_PROTOTYPES ? i.probe : probe_of(small[k], g, &o, NULL);
    }
}

static void the_best_one_is_taken_and_named_with_the_next(void **state)
{
    (void)state;
    int taken[ENTRANTS] = {0}, stopped = 0, missed = 0;
    for (uint64_t seed = 1; seed <= cases_to_run(24); seed++) {
        bonsai_graph *g = generated(seed), *all[ENTRANTS];
        bonsai_condense_options o;
        bonsai_condense_info i;
        double score[ENTRANTS];
        char text[60];
        some_options(&o, BONSAI_METHOD_AUTO, seed % 4 == 3 ? 1 : 0.1 * (double)(1 + seed % 4));
        bonsai_graph *small = condensed(&i, g, &o);
        make_all(all, score, g, o);
        bool hopeless = strstr(bn_fact_text(&i, BN_FACT_WHY), "would score") != NULL;
        int best = 0, next = -1, is = 0;
        for (int k = 0; k < ENTRANTS; k++) {
            best = score[k] > score[best] ? k : best;
            is = entrants[k] == i.method ? k : is;
        }
        taken[is]++;
        stopped += hopeless;
        missed += is != best;           /* an outlook may be wrong, though rarely */
        assert_true(i.probe == score[is] && i.bytes <= bn_fact(&i, BN_FACT_BUDGET));
        assert_true(is == best || score[best] > score[is]);
        assert_true(same_graph(small, all[is]));
        for (int k = 0; k < ENTRANTS; k++) {
            snprintf(text, sizeof text, "alternative, %s, scores %.1f %%",
                     bonsai_method_name(entrants[k]), score[k]);
            next = strstr(bn_fact_text(&i, BN_FACT_WHY), text) &&
                           score[k] == bn_fact(&i, BN_FACT_PROBE_OTHER) ? k : next;
            assert_true(k == is || is != best || score[k] < score[is] || k > is);
        }
        assert_true(hopeless ? next < 0 && bn_fact(&i, BN_FACT_PROBE_OTHER) < i.probe
                             : next >= 0 && next != is);
        snprintf(text, sizeof text, "%s: the probe scores %.1f %% (",
                 bonsai_method_name(i.method), i.probe);
        assert_int_equal(strncmp(bn_fact_text(&i, BN_FACT_WHY), text, strlen(text)), 0);
        bn_json *root = report_of(small), *choice = bn_json_get(root, "choice");
        assert_string_equal(bn_json_as_text(bn_json_get(choice, "why")), bn_fact_text(&i, BN_FACT_WHY));
        assert_string_equal(bn_json_as_text(bn_json_get(root, "method")),
                            bonsai_method_name(i.method));
        assert_true(fabs(bn_json_as_number(bn_json_get(choice, "probe")) - i.probe) < 1e-6);
        bn_json_free(root);
        bonsai_graph_free(small);
        for (int k = 0; k < ENTRANTS; k++)
            bonsai_graph_free(all[k]);
        bonsai_graph_free(g);
    }
    int kinds = 0;
    for (int k = 0; k < ENTRANTS; k++)
        kinds += taken[k] > 0;
    if (missed > 3 || (cases_to_run(24) == 24 && (kinds < 3 || stopped == 0)))
        fail_msg("%d kinds were taken, %d stopped, %d missed", kinds, stopped, missed);
}

/* Those that are held out must not teach what is judged on them. */
static void picked_nodes_are_judged_on_nodes_that_they_did_not_learn_from(void **state)
{
    (void)state;
    int checked = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        bonsai_graph *g = generated(seed);
        bonsai_condense_info i;
        bn_preparation p;
        uint8_t held[256] = {0};
        memset(&p, 0, sizeof p);
        some_options(&p.o, BONSAI_METHOD_AUTO, 1);
        p.o.no_validation = 1;
        p.o.no_ppr = 1;
        assert_int_equal(bn_prepare(&p, g, bn_method_of(p.o.method)->needs), BONSAI_OK);
        for (int64_t t = 0; t < p.job.trees; t++)
            held[p.job.train[t]] = p.job.held[t];
        bonsai_graph *small = condensed(&i, g, &p.o);
        assert_true(i.probe_full == probe_of_all(g, &p.o, held));
        if (bn_method_of(i.method)->pick)       /* that one, else the runner-up may be one */
            assert_true(i.probe == probe_of(small, g, &p.o, held));
        p.o.method = BONSAI_METHOD_TREES;
        bonsai_condense_info j;
        bonsai_graph *trees = condensed(&j, g, &p.o);
        if (strstr(bn_fact_text(&i, BN_FACT_WHY), "alternative, trees,"))
            assert_true(bn_fact(&i, BN_FACT_PROBE_OTHER) == probe_of(trees, g, &p.o, held));
        checked += bn_method_of(i.method)->pick ||
                   strstr(bn_fact_text(&i, BN_FACT_WHY), "alternative, trees,");
        bonsai_graph_free(trees);
        bonsai_graph_free(small);
        bn_preparation_free(&p);
        bonsai_graph_free(g);
    }
    assert_true(checked > 0);
}

/* What the full graph gives, beside what the small one does, in the call and in the file. */
static void the_full_graph_is_probed_too(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        bonsai_graph *g = generated(seed);
        bonsai_condense_options o;
        bonsai_condense_info i, kept;
        some_options(&o, seed % 3 == 0 ? BONSAI_METHOD_PROTOTYPES : BONSAI_METHOD_AUTO, 0.2);
        bonsai_graph *small = condensed(&i, g, &o);
        if (bn_fact_whole(&i, BN_FACT_DIRECTIONS) > 0)           /* or as it is in the coordinates of the basis */
            assert_true(i.probe_full >= probe_of_all(g, &o, NULL));
        else
            assert_true(i.probe_full == probe_of_all(g, &o, NULL));
        assert_int_equal(bn_fact_whole(&i, BN_FACT_PROBE_FITTED), 144);
        assert_int_equal(bn_fact_whole(&i, BN_FACT_PROBE_VAL), 48);
        assert_int_equal(bn_fact_whole(&i, BN_FACT_PROBE_HELD), 0);
        bonsai_condense_info_init(&kept);
        assert_int_equal(bonsai_condense_info_of(&kept, small), BONSAI_OK);
        assert_true(fabs(kept.probe_full - i.probe_full) < 1e-6);
        assert_true(bn_fact_whole(&kept, BN_FACT_PROBE_FITTED) == 144 && bn_fact_whole(&kept, BN_FACT_PROBE_VAL) == 48 && bn_fact_whole(&kept, BN_FACT_PROBE_HELD) == 0);
        bonsai_graph_free(small);
        o.method = BONSAI_METHOD_TREES;         /* asks no probe */
        small = condensed(&i, g, &o);
        assert_true(i.probe_full == -1 && bn_fact(&i, BN_FACT_PROBE_FITTED) == 0 &&
                    bn_fact(&i, BN_FACT_PROBE_VAL) == 0);
        assert_int_equal(bonsai_condense_info_of(&kept, small), BONSAI_OK);
        assert_true(kept.probe_full == -1);
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

static void a_sentence_says_what_it_is_worth(void **state)
{
    (void)state;
    bonsai_condense_info i;
    char text[256];
    double kept;
    bonsai_condense_info_init(&i);
    i.probe = i.probe_full = -1;
    assert_int_equal(bonsai_condense_worth(text, sizeof text, &kept, &i), 0);
    assert_string_equal(text, "");
    assert_true(kept == -1);
    i.probe = 72;
    bonsai_condense_worth(text, sizeof text, NULL, &i);
    assert_string_equal(text, "A quick classifier, the probe, gets 72.0 % of the nodes it judges on "
                        "right when fitted on the small graph.");
    i.probe_full = 80;
    bn_fact_set(&i, BN_FACT_PROBE_VAL, 500);
    int length = bonsai_condense_worth(text, sizeof text, &kept, &i);
    assert_string_equal(text, "A quick classifier, the probe, gets 72.0 % of 500 validation nodes "
                        "right when fitted on the small graph and 80.0 % when fitted on the full "
                        "one: the small graph keeps 90.0 % of that.");
    assert_int_equal(length, strlen(text));
    assert_true(kept > 89.9 && kept < 90.1);
    bn_fact_set(&i, BN_FACT_PROBE_VAL, 1);
    bonsai_condense_worth(text, sizeof text, &kept, &i);
    assert_non_null(strstr(text, " of 1 validation node right"));
    bn_fact_set(&i, BN_FACT_PROBE_VAL, 0);
    bn_fact_set(&i, BN_FACT_PROBE_HELD, 28);
    assert_int_equal(bonsai_condense_worth(text, 10, &kept, &i), length + 6);
    assert_string_equal(text, "A quick c");
    bonsai_condense_worth(text, sizeof text, &kept, &i);
    assert_non_null(strstr(text, "% of 28 held-out training nodes right"));
    bn_fact_set(&i, BN_FACT_PROBE_HELD, 1);
    bonsai_condense_worth(text, sizeof text, &kept, &i);
    assert_non_null(strstr(text, "% of 1 held-out training node right"));
    i.probe_full = 0;                           /* nothing to keep a share of */
    bonsai_condense_worth(text, sizeof text, &kept, &i);
    assert_true(kept == -1 && !strstr(text, "full"));
    i.size = offsetof(bonsai_condense_info, probe_full);        /* of an older program */
    i.probe_full = 80;
    bonsai_condense_worth(text, sizeof text, &kept, &i);
    assert_true(kept == -1);
    i.size = 0;
    assert_int_equal(bonsai_condense_worth(text, sizeof text, &kept, &i), BONSAI_E_ARGUMENT);
}

/* A prototype takes 15 bytes, a node without neighbours fewer. */
static void any_file_name_and_any_budget_give_a_reason(void **state)
{
    (void)state;
    bonsai_generate_options how;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&how);
    how.nodes = 200;
    how.features = how.words = 1;
    how.classes = 3;
    assert_int_equal(bonsai_graph_generate(&g, &how), BONSAI_OK);
    assert_true(strlen(g->where) >= 4);
    strcpy(g->where, "a: \xff");
    for (int64_t bytes = 12; bytes < 30; bytes++) {
        bonsai_condense_options o;
        bonsai_condense_info i;
        some_options(&o, BONSAI_METHOD_AUTO, 0);
        o.bytes = bytes;
        bonsai_graph *small = condensed(&i, g, &o);
        assert_true(i.probe >= 0 && bn_fact_text(&i, BN_FACT_WHY)[0]);
        assert_null(strstr(bn_fact_text(&i, BN_FACT_WHY), "-1"));
        assert_true((strstr(bn_fact_text(&i, BN_FACT_WHY), "made: a budget of") != NULL) ==
                    (bn_fact(&i, BN_FACT_PROBE_OTHER) < 0));
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

static void a_method_that_cannot_leaves_the_field_to_the_other(void **state)
{
    (void)state;
    bonsai_graph *g = generated(2);
    bonsai_condense_options o;
    bonsai_condense_info i;
    some_options(&o, BONSAI_METHOD_AUTO, 0.2);
    o.k = 5000;
    bonsai_graph *small = condensed(&i, g, &o);
    assert_true(i.method != BONSAI_METHOD_TREES && !strstr(bn_fact_text(&i, BN_FACT_WHY), "trees"));
    assert_true(bn_fact(&i, BN_FACT_PROBE_OTHER) >= 0);
    bonsai_graph_free(small);
    o.ratio = 0;
    o.bytes = 3;
    small = NULL;
    assert_fails(bonsai_condense(&small, NULL, g, &o), BONSAI_E_ARGUMENT, "3 bytes");
    assert_null(small);
    bonsai_graph_free(g);
}

static void the_reason_says_what_was_judged_on(void **state)
{
    (void)state;
    bonsai_graph *g = generated(4), *whole = NULL;
    const double all[3] = {100, 0, 0};
    bonsai_condense_options o;
    bonsai_condense_info i;
    some_options(&o, BONSAI_METHOD_AUTO, 0.2);
    bonsai_graph *small = condensed(&i, g, &o);
    assert_non_null(strstr(bn_fact_text(&i, BN_FACT_WHY), "% (48 validation nodes)"));
    bonsai_graph_free(small);
    o.no_validation = 1;
    small = condensed(&i, g, &o);
    assert_non_null(strstr(bn_fact_text(&i, BN_FACT_WHY), "% (28 held-out training nodes)"));
    bonsai_graph_free(small);
    o.no_validation = 0;
    assert_int_equal(bonsai_graph_split(&whole, g, all, 1), BONSAI_OK);
    small = condensed(&i, whole, &o);
    assert_non_null(strstr(bn_fact_text(&i, BN_FACT_WHY), "% (48 held-out training nodes)"));
    bonsai_graph_free(small);
    bonsai_graph_free(whole);
    bonsai_graph_free(g);
}

/* Three training nodes: nothing can be held out. */
static void without_nodes_to_judge_on_prototypes_are_taken(void **state)
{
    (void)state;
    bonsai_graph *g = generated(6), *few = NULL;
    const int32_t some[3] = {0, 1, 2};
    const double all[3] = {100, 0, 0};
    bonsai_graph *three = NULL;
    bonsai_condense_options o;
    bonsai_condense_info i;
    assert_int_equal(bonsai_graph_induce(&three, g, some, 3), BONSAI_OK);
    assert_int_equal(bonsai_graph_split(&few, three, all, 1), BONSAI_OK);
    some_options(&o, BONSAI_METHOD_AUTO, 1);
    o.k = 1;
    bonsai_graph *small = condensed(&i, few, &o);
    assert_int_equal(i.method, BONSAI_METHOD_PROTOTYPES);
    assert_string_equal(bn_fact_text(&i, BN_FACT_WHY), "prototypes: there are no nodes for a probe to judge on");
    bonsai_condense_options_init(&o);
    assert_int_equal(bonsai_condense_options_of(&o, small), BONSAI_OK);
    assert_int_equal(o.method, BONSAI_METHOD_AUTO);     /* it was asked for, though none competed */
    bonsai_graph_free(small);
    bonsai_graph_free(few);
    bonsai_graph_free(three);
    bonsai_graph_free(g);
}

static void threads_do_not_matter_and_many_ratios_are_as_each_alone(void **state)
{
    (void)state;
    const double ratios[2] = {0.3, 0.05};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        bonsai_graph *g = generated(seed), *out[2];
        bonsai_condense_options o;
        bonsai_condense_info i, info[2];
        some_options(&o, BONSAI_METHOD_AUTO, 0);
        o.select_features = seed == 3;
        o.no_validation = seed == 4;
        o.threads = 8;
        for (int k = 0; k < 2; k++)
            bonsai_condense_info_init(&info[k]);
        assert_int_equal(bonsai_condense_many(out, info, ratios, 2, g, &o), BONSAI_OK);
        o.threads = 1;
        for (int k = 0; k < 2; k++) {
            o.ratio = ratios[k];
            bonsai_graph *one = condensed(&i, g, &o);
            assert_same_file(one, out[k]);
            assert_string_equal(bn_fact_text(&i, BN_FACT_WHY), bn_fact_text(&info[k], BN_FACT_WHY));
            bonsai_graph_free(one);
            bonsai_graph_free(out[k]);
        }
        bonsai_graph_free(g);
    }
}

static void other_labels_leave_no_trace_without_validation(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        bonsai_graph *g = generated(seed), *other = generated(seed);
        uint8_t *label = other->owned[BONSAI_SECTION_LABELS];
        bonsai_condense_options o;
        bonsai_condense_info i;
        assert_int_equal(other->view.section[BONSAI_SECTION_LABELS].type, BONSAI_TYPE_U8);
        for (int64_t v = 0; v < other->view.nodes; v++)
            if (bn_part(other, v) != BONSAI_PART_TRAIN)
                label[v] = (uint8_t)((label[v] + 1) % 3);
        some_options(&o, BONSAI_METHOD_AUTO, 0.1 * (double)seed);
        o.no_validation = 1;
        bonsai_graph *a = condensed(&i, g, &o), *b = condensed(&i, other, &o);
        assert_same_file(a, b);
        bonsai_graph_free(a);
        bonsai_graph_free(b);
        bonsai_graph_free(g);
        bonsai_graph_free(other);
    }
}

/* ---- whom a prototype stands for ---- */

static double distance_of(const bonsai_graph *g, const bn_embedding *e, int64_t v, const float *row)
{
    double sum = 0;
    float *own = calloc((size_t)g->view.features, sizeof *own);
    assert_non_null(own);
    for (int64_t j = 0; e->dense && j < e->f; j++)
        own[j] = e->dense[v * e->f + j];
    for (int64_t i = e->dense ? 0 : e->offsets[v]; !e->dense && i < e->offsets[v + 1]; i++)
        own[e->index[i]] = e->value[i];
    for (int64_t j = 0; j < g->view.features; j++)
        sum += ((double)own[j] - (double)row[j]) * ((double)own[j] - (double)row[j]);
    free(own);
    return sqrt(sum);
}

static void the_nearest_are_those_that_all_distances_say(void **state)
{
    (void)state;
    enum { MOST = 7 };
    for (uint64_t seed = 1; seed <= 4; seed++) {
        bonsai_graph *g = generated(seed);
        bonsai_condense_options o;
        bonsai_condense_info i;
        bn_record made;
        bn_embedding e;
        float row[600], distance[MOST];
        int32_t near[MOST];
        int64_t found;
        some_options(&o, BONSAI_METHOD_PROTOTYPES, 0.1);
        o.members = seed > 2;
        o.accounting = BONSAI_ACCOUNTING_PAPER_FULL;            /* without a basis */
        bonsai_graph *small = condensed(&i, g, &o);
        assert_int_equal(bn_fact_whole(&i, BN_FACT_DIRECTIONS), 0);
        const bonsai_array *offsets = &small->view.section[BONSAI_SECTION_MEMBER_OFFSETS];
        const uint32_t *member = small->view.section[BONSAI_SECTION_MEMBERS].data;
        assert_int_equal(bn_record_read(&made, small), BONSAI_OK);
        assert_int_equal(bn_embed_blend(&e, g, NULL, &bn_kind_named(made.rows)->blend, made.layers,
                                        &(bn_place){.threads = 1}), BONSAI_OK);
        assert_true((e.dense != NULL) == (seed % 2 != 0));
        for (int64_t p = 0; p < small->view.nodes; p++) {
            bonsai_graph_row(row, small, p);
            assert_int_equal(bonsai_condense_nearest(near, distance, &found, MOST, small, p, g, &o),
                             BONSAI_OK);
            int64_t all = 0, closer = 0;
            for (int64_t v = 0; v < g->view.nodes; v++) {
                bool counts = bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) == bn_label(small, p);
                for (int64_t k = 0; member && counts; k++) {
                    if (k == bn_int_at(offsets, p + 1) - bn_int_at(offsets, p))
                        counts = false;
                    else if (member[bn_int_at(offsets, p) + k] == (uint32_t)v)
                        break;
                }
                all += counts;
                const double to = distance_of(g, &e, v, row);   /* nearer than the first: another's */
                closer += counts && found > 0 && to < (double)distance[found - 1] - 1e-4 &&
                          to > (double)distance[0] - 1e-4;
            }
            assert_int_equal(found, all < MOST ? all : MOST);
            assert_true(closer < found);
            for (int64_t k = 0; k < found; k++) {
                assert_true(fabs(distance_of(g, &e, near[k], row) - (double)distance[k]) < 1e-3);
                assert_true(k == 0 || distance[k - 1] <= distance[k]);
                assert_int_equal(bn_label(g, near[k]), bn_label(small, p));
            }
        }
        bn_embedding_free(&e);
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

static void another_graph_has_no_nearest_nodes(void **state)
{
    (void)state;
    bonsai_graph *g = generated(2), *other = case_graph(1), *few = NULL;
    bonsai_condense_options o;
    bonsai_condense_info i;
    int32_t near[4];
    int64_t found;
    const int32_t some[2] = {0, 1};
    some_options(&o, BONSAI_METHOD_PROTOTYPES, 0.1);
    o.members = 1;
    bonsai_graph *small = condensed(&i, g, &o);
    assert_fails(bonsai_condense_nearest(near, NULL, &found, 4, small, 0, other, NULL),
                 BONSAI_E_ARGUMENT, "features, but");
    assert_fails(bonsai_condense_nearest(near, NULL, &found, 4, small, 999, g, NULL),
                 BONSAI_E_ARGUMENT, "node 999 is outside 0..");
    assert_int_equal(bonsai_graph_induce(&few, g, some, 2), BONSAI_OK);
    assert_fails(bonsai_condense_nearest(near, NULL, &found, 4, small, 0, few, NULL),
                 BONSAI_E_ARGUMENT, "it is not the graph that was condensed");
    small->view.section[BONSAI_SECTION_METADATA] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    assert_fails(bonsai_condense_nearest(near, NULL, &found, 4, small, 0, few, NULL),
                 BONSAI_E_ARGUMENT, "which generated has not");
    bonsai_graph_free(few);
    bonsai_graph_free(small);
    bonsai_graph_free(other);
    bonsai_graph_free(g);
}

static void the_mean_is_that_of_the_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        bonsai_graph *g = case_graph(seed);
        int64_t f = g->view.features;
        double *mean = malloc((size_t)(f + 1) * sizeof *mean);
        float *row = malloc((size_t)(f + 1) * sizeof *row);
        assert_int_equal(bonsai_graph_mean(mean, g), BONSAI_OK);
        for (int64_t j = 0; j < f; j++) {
            double sum = 0;
            for (int64_t v = 0; v < g->view.nodes; v++) {
                bonsai_graph_row(row, g, v);
                sum += (double)row[j];
            }
            assert_true(fabs(sum / (double)g->view.nodes - mean[j]) < 1e-9 * (1 + fabs(mean[j])));
        }
        free(mean);
        free(row);
        bonsai_graph_free(g);
    }
}

/* ---- memory ---- */

typedef struct { const bonsai_graph *g, *small; bonsai_condense_options o; } asked;

static bonsai_status choose(void *payload)
{
    asked *a = payload;
    bonsai_graph *small = NULL;
    bonsai_status rc = bonsai_condense(&small, NULL, a->g, &a->o);
    bonsai_graph_free(small);
    return rc;
}

static bonsai_status find_nearest(void *payload)
{
    asked *a = payload;
    int32_t near[4];
    int64_t found;
    return bonsai_condense_nearest(near, NULL, &found, 4, a->small, 0, a->g, &a->o);
}

static bonsai_status find_mean(void *payload)
{
    asked *a = payload;
    double mean[600];
    return bonsai_graph_mean(mean, a->g);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    const int32_t some[30] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                              15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
    bonsai_graph *all = generated(2), *g = NULL;
    assert_int_equal(bonsai_graph_induce(&g, all, some, 30), BONSAI_OK);
    asked a = {g, NULL, {0}};
    bonsai_condense_info i;
    some_options(&a.o, BONSAI_METHOD_AUTO, 0.5);
    a.o.k = 2;
    a.o.no_validation = 1;
    survives_failed_allocations(choose, &a, 60);
    a.o.method = BONSAI_METHOD_PROTOTYPES;
    bonsai_graph *small = condensed(&i, g, &a.o);
    a.small = small;
    survives_failed_allocations(find_nearest, &a, 5);
    survives_failed_allocations(find_mean, &a, 2);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
    bonsai_graph_free(all);
}

static void a_locale_changes_no_byte(void **state)
{
    bonsai_graph *g = generated(3), *plain = NULL, *comma = NULL;
    bonsai_condense_options o;
    (void)state;
    if (!use_comma_locale())
        skip();
    for (int m = 0; m < 2; m++) {
        some_options(&o, m ? BONSAI_METHOD_TREES : BONSAI_METHOD_AUTO, 0.2);
        assert_int_equal(bonsai_condense(&comma, NULL, g, &o), BONSAI_OK);
        setlocale(LC_ALL, "C");
        assert_int_equal(bonsai_condense(&plain, NULL, g, &o), BONSAI_OK);
        const bonsai_array *a = &plain->view.section[BONSAI_SECTION_METADATA];
        const bonsai_array *b = &comma->view.section[BONSAI_SECTION_METADATA];
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->data, b->data, (size_t)a->count);
        bonsai_graph_free(plain);
        bonsai_graph_free(comma);
        assert_true(use_comma_locale());
    }
    setlocale(LC_ALL, "C");
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_the_default),
        cmocka_unit_test(the_best_one_is_taken_and_named_with_the_next),
        cmocka_unit_test(picked_nodes_are_judged_on_nodes_that_they_did_not_learn_from),
        cmocka_unit_test(the_full_graph_is_probed_too),
        cmocka_unit_test(a_sentence_says_what_it_is_worth),
        cmocka_unit_test(any_file_name_and_any_budget_give_a_reason),
        cmocka_unit_test(a_method_that_cannot_leaves_the_field_to_the_other),
        cmocka_unit_test(the_reason_says_what_was_judged_on),
        cmocka_unit_test(without_nodes_to_judge_on_prototypes_are_taken),
        cmocka_unit_test(threads_do_not_matter_and_many_ratios_are_as_each_alone),
        cmocka_unit_test(other_labels_leave_no_trace_without_validation),
        cmocka_unit_test(the_nearest_are_those_that_all_distances_say),
        cmocka_unit_test(another_graph_has_no_nearest_nodes),
        cmocka_unit_test(the_mean_is_that_of_the_rows),
        cmocka_unit_test(a_locale_changes_no_byte),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
