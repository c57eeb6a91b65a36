/* test_task.c -- what may be trained: options, targets, and graphs that fit each other.
 *
 * SPDX-License-Identifier: MIT */
#include "training.h"

#include "train/train.h"

static void refused(const bonsai_graph *small, const bonsai_graph *full,
                    const bonsai_train_options *o, const char *text)
{
    bonsai_training *t = NULL;
    int64_t before = bn_mem_live();
    assert_fails(bonsai_train(&t, small, full, o), BONSAI_E_ARGUMENT, text);
    assert_null(t);
    assert_int_equal(bn_mem_live(), before);
}

/* ---- options ---- */

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(60, 20, 0);
    bonsai_train_options o;
#define REFUSE(field, value, text)           \
    o = quick(BONSAI_MODEL_GAT);                   \
    o.field = value;                         \
    refused(g, NULL, &o, text)
    REFUSE(model, 7, "model 7 is not known");
    REFUSE(layers, 0, "layers is 0; it must be in 1..16");
    REFUSE(layers, BN_MOST_LAYERS + 1, "layers is 17; it must be in 1..16");
    REFUSE(hidden, 0, "hidden is 0; it must be in 1..1048576");
    REFUSE(hidden, 15, "hidden is 15, which 2 heads cannot share equally");
    REFUSE(heads, 0, "heads is 0; it must be in 1..1024");
    REFUSE(gin_layers, 3, "gin_layers is 3; it must be in 1..2");
    REFUSE(epochs, 0, "epochs is 0; it must be in 1..");
    REFUSE(every, 0, "every is 0");
    REFUSE(seeds, 0, "seeds is 0");
    REFUSE(rate, 0, "rate is 0");
    REFUSE(rate, NAN, "rate is nan");
    REFUSE(decay, -1, "decay is -1");
    REFUSE(dropout, 1, "dropout is 1; it must be at least 0 and below 1");
    REFUSE(dropout, NAN, "dropout is nan");
    REFUSE(memory, -1, "memory is -1; it must be at least 0");
    REFUSE(split[0], 101, "a share of 101 % is not in 0..100");
#undef REFUSE
    bonsai_graph_free(g);
}

/* ---- weights of classes ---- */

static void weights_of_classes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(60, 20, 0);
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    static const struct { const char *given, *said; } cases[] = {
        {"1,2", "class_weight has 2 numbers, but generated has 3 classes: give one for each"},
        {"4", "class_weight has 1 number, but"},
        {"", "class_weight: \"\" is neither a number nor \"balanced\""},
        {"1,,2", "class_weight: \"\" is neither a number nor \"balanced\""},
        {"1,2,x", "class_weight: \"x\" is neither a number"},
        {"1,2,3 ", "class_weight: \"3 \" is neither a number"},
        {"1,inf,2", "class_weight: \"inf\" is neither a number"},
        {"1,-2,3", "class_weight: the weight -2 of class 1 is negative"},
        {"0,0,0", "class_weight: the weights of all 3 classes are 0"},
        {"Balanced", "class_weight: \"Balanced\" is neither a number nor \"balanced\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        o.class_weight = cases[i].given;
        refused(g, NULL, &o, cases[i].said);
    }
    bonsai_graph_free(g);
}

/* Nodes of classes 0 0 0 1, the last with weight 2: n = 5, n_k = 3 and 2. */
static void balanced_weights_make_classes_count_alike(void **state)
{
    (void)state;
    int32_t node[4] = {0, 1, 2, 3}, label[4] = {0, 0, 0, 1};
    float weight[4] = {0.2f, 0.2f, 0.2f, 0.4f};
    bn_targets t = {.count = 4, .node = node, .label = label, .weight = weight};
    assert_int_equal(bn_weigh_classes(&t, 3, NULL, "here"), BONSAI_OK);
    assert_true(weight[0] == 0.2f && weight[3] == 0.4f);
    assert_int_equal(bn_weigh_classes(&t, 3, "balanced", "here"), BONSAI_OK);
    for (int i = 0; i < 4; i++)
        assert_true(fabs((double)weight[i] - (i < 3 ? 1.0 / 6 : 0.5)) < 1e-7);
    assert_int_equal(bn_weigh_classes(&t, 3, "1,3,7", "here"), BONSAI_OK);
    for (int i = 0; i < 4; i++)
        assert_true(fabs((double)weight[i] - (i < 3 ? 1.0 / 12 : 0.75)) < 1e-7);
    assert_fails(bn_weigh_classes(&t, 3, "0,0,7", "here"), BONSAI_E_ARGUMENT,
                 "no class of the training nodes of here has a weight above 0");
}

/* Weights 1 and 3 of shares 1/2 1/2 and 1 0: 2 and 1 of 3; the shares of the first are 1/4 3/4. */
static void soft_labels_are_weighed_share_by_share(void **state)
{
    (void)state;
    int32_t node[2] = {0, 1};
    float weight[2] = {0.5f, 0.5f}, soft[4] = {0.5f, 0.5f, 1, 0};
    bn_targets t = {.count = 2, .node = node, .soft = soft, .weight = weight};
    assert_int_equal(bn_weigh_classes(&t, 2, "1,3", "here"), BONSAI_OK);
    assert_true(fabs((double)weight[0] - 2.0 / 3) < 1e-7);
    assert_true(fabs((double)weight[1] - 1.0 / 3) < 1e-7);
    assert_true(soft[0] == 0.25f && soft[1] == 0.75f && soft[2] == 1 && soft[3] == 0);
}

/* ---- graphs ---- */

/* g with one section replaced or, without data, left out. */
static bonsai_graph *with_section(const bonsai_graph *g, bonsai_section s, bonsai_type type,
                                  const void *data, int64_t count)
{
    bonsai_view v = view_of(g);
    v.section[s] = (bonsai_array){data, data ? count : 0, data ? type : BONSAI_TYPE_NONE};
    return graph_of(&v);
}

/* Whether the system would promise the memory or not. */
static void what_no_machine_holds_is_refused(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(60, 20, 0);
    bonsai_training *t;
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    o.seeds = 1000000;
    o.epochs = 100000000;
    assert_fails(bonsai_train(&t, g, NULL, &o), BONSAI_E_MEMORY,
                 "generated: out of memory: no room for what 1000000 seeds of 100000000 epochs");
    o = quick(BONSAI_MODEL_GCN);
    o.layers = 16;
    o.hidden = 1 << 20;
    assert_fails(bonsai_train(&t, g, NULL, &o), BONSAI_E_MEMORY,
                 "gcn with 16 layers and hidden 1048576 has 1539");
    assert_null(t);
    bonsai_graph_free(g);
}

static void graphs_without_labels_are_refused(void **state)
{
    (void)state;
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    bonsai_graph *g = made_graph(60, 20, 0), *bad;
    uint8_t *bytes = malloc(60);
    memset(bytes, BONSAI_PART_VAL, 60);
    bad = with_section(g, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, bytes, 60);
    refused(bad, NULL, &o, "graph: no labelled node is in the training part");
    o.standardise = 1;
    bonsai_graph *small = cut_graph(g, is_training);
    refused(small, bad, &o, "no node is in the training part, so its features cannot be "
            "standardised");
    o.standardise = 0;
    bonsai_graph_free(small);
    bonsai_graph_free(bad);
    memset(bytes, 0xff, 60);
    bad = with_section(g, BONSAI_SECTION_LABELS, BONSAI_TYPE_U8, bytes, 60);
    refused(bad, NULL, &o, "no labelled node is in the training part");
    small = cut_graph(bad, is_training);
    refused(small, g, &o, "no node has a label, so there is nothing to train on");
    bonsai_graph_free(small);
    bonsai_graph_free(bad);
    memset(bytes, 2, 60);
    bad = with_section(g, BONSAI_SECTION_LABELS, BONSAI_TYPE_U8, bytes, 60);
    refused(bad, NULL, &o, "all 36 training nodes are of class 2: there is nothing to tell apart");
    bonsai_graph_free(bad);
    memset(bytes, 0, 60);
    bad = with_section(g, BONSAI_SECTION_NODE_WEIGHTS, BONSAI_TYPE_U8, bytes, 60);
    refused(bad, NULL, &o, "the weights of all 36 training nodes are 0");
    bonsai_graph_free(bad);
    free(bytes);
    bonsai_graph_free(g);
}

static void features_must_be_there_and_finite(void **state)
{
    (void)state;
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    bonsai_graph *g = made_graph(60, 20, 1), *bad = NULL;
    bonsai_view v = view_of(g);
    float *x = malloc(60 * 20 * sizeof *x);
    for (int i = 0; i < 60 * 20; i++)
        x[i] = 1;
    x[77] = NAN;
    set_section(&v, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, x, 60 * 20);
    assert_fails(bonsai_graph_new(&bad, &v, 0), BONSAI_E_ARGUMENT,
                 "features: entry 77 is nan, which is not finite");
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){0};
    v.features = 0;
    bad = graph_of(&v);
    refused(bad, NULL, &o, "has no features");
    bonsai_graph_free(bad);
    free(x);
    bonsai_graph_free(g);
}

static void a_loss_that_diverges_is_named(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(60, 20, 1);
    bonsai_view v = view_of(g);
    float *x = malloc(60 * 20 * sizeof *x);
    for (int i = 0; i < 60 * 20; i++)
        x[i] = i % 3 ? 3e38f : -3e38f;
    set_section(&v, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, x, 60 * 20);
    bonsai_graph *bad = graph_of(&v);
    bonsai_train_options o = quick(BONSAI_MODEL_SAGE);
    o.seed = 11;
    o.seeds = 4;
    for (o.threads = 1; o.threads <= 3; o.threads++)
        refused(bad, NULL, &o, "the loss of sage with seed 11 is not a number in epoch 1: "
                "standardise the features (--standardise), or lower the rate of 0.01");
    bonsai_graph_free(bad);
    free(x);
    bonsai_graph_free(g);
}

/* One step that is too long shows in the scores only. */
static void weights_that_diverge_in_a_judged_epoch_are_named(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(60, 20, 1);
    bonsai_view v = view_of(g);
    float *x = malloc(60 * 20 * sizeof *x);
    uint64_t s = 3;
    for (int i = 0; i < 60 * 20; i++)
        x[i] = 1e17f * random_real(&s);
    set_section(&v, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, x, 60 * 20);
    bonsai_graph *bad = graph_of(&v);
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    o.layers = 5;
    o.rate = 1e6;
    for (o.epochs = 1; o.epochs <= 2; o.epochs++) {
        o.every = 1;
        refused(bad, NULL, &o, "the loss of gcn with seed 1 is not a number in epoch 1");
    }
    bonsai_graph_free(bad);
    free(x);
    bonsai_graph_free(g);
}

/* Twenty names, of which the first two are given. */
#define LETTERS(a, b) a "\0" b "\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p\0q\0r\0s\0t"

static void graphs_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    bonsai_graph *g = made_graph(60, 20, 0), *wide = made_graph(60, 30, 0), *other;
    refused(g, wide, &o, "the first graph has 20 features, but the other graph has 30, and neither "
            "has a kept-feature list");
    bonsai_view v = view_of(g);
    v.classes = 4;
    other = graph_of(&v);
    refused(g, other, &o, "generated has 3 classes, but graph has 4");
    bonsai_graph_free(other);
    bonsai_graph *a = with_section(g, BONSAI_SECTION_CLASS_NAMES, BONSAI_TYPE_U8, "x\0y\0z", 6);
    bonsai_graph *b = with_section(g, BONSAI_SECTION_CLASS_NAMES, BONSAI_TYPE_U8, "x\0z\0y", 6);
    refused(a, b, &o, "class 1 is \"y\" in the first graph, but \"z\" in the other graph");
    bonsai_graph_free(b);
    set_section(&v, BONSAI_SECTION_CLASS_NAMES, BONSAI_TYPE_U8, "x\0w\0y\0z", 8);
    b = graph_of(&v);
    refused(a, b, &o, "class 1 is \"y\" in the first graph, but \"w\" in the other graph");
    bonsai_graph_free(a);
    bonsai_graph_free(b);
    a = with_section(g, BONSAI_SECTION_FEATURE_NAMES, BONSAI_TYPE_U8, LETTERS("a", "b"), 40);
    b = with_section(g, BONSAI_SECTION_FEATURE_NAMES, BONSAI_TYPE_U8, LETTERS("b", "a"), 40);
    refused(a, b, &o, "feature 0 is \"a\" in the first graph, but \"b\" in the other graph, where "
            "\"a\" is feature 1: put its columns into the order of the first graph");
    bonsai_graph_free(b);
    b = with_section(g, BONSAI_SECTION_FEATURE_NAMES, BONSAI_TYPE_U8, LETTERS("a", "z"), 40);
    refused(a, b, &o, "feature 1 is \"b\" in the first graph, but \"z\" in the other graph, which has "
            "no feature \"b\": give it the columns of the first graph, in their order");
    bonsai_graph_free(b);
    bonsai_training_free(trained(a, g, &o));    /* only one has names */
    bonsai_training_free(trained(g, a, &o));
    bonsai_graph_free(a);
    const int32_t kept[3] = {1, 7, 25}, few[2] = {1, 7};
    assert_int_equal(bn_graph_columns(&a, wide, kept, 3), BONSAI_OK);
    refused(a, g, &o, "the first graph has 3 features by its kept-feature list, but feature 25 of "
            "that list is not among the 20 features of the other graph");
    refused(g, a, &o, "the first graph has 20 features, but the other graph has 3 by its "
            "kept-feature list");
    assert_int_equal(bn_graph_columns(&b, wide, few, 2), BONSAI_OK);
    refused(a, b, &o, "feature 25 of that list is not among the 2 features of the other graph");
    bonsai_graph_free(a);
    bonsai_graph_free(b);
    bonsai_graph_free(wide);
    bonsai_graph_free(g);
}

/* ---- kept features ---- */

static void kept_features_are_taken_of_the_full_graph(void **state)
{
    (void)state;
    bonsai_train_options o = quick(BONSAI_MODEL_SAGE);
    bonsai_graph *g = made_graph(200, 30, 0), *narrow = NULL, *less = NULL;
    const int32_t kept[6] = {0, 3, 4, 11, 20, 29}, some[3] = {1, 3, 5};
    assert_int_equal(bn_graph_columns(&narrow, g, kept, 6), BONSAI_OK);
    bonsai_graph *small = cut_graph(narrow, is_training);
    bonsai_training *a = trained(small, g, &o), *b = trained(small, narrow, &o);
    const bonsai_model *x = bonsai_training_model(a), *y = bonsai_training_model(b);
    assert_memory_equal(x->param, y->param, (size_t)x->count * sizeof *x->param);
    assert_true(x->info.accuracy == y->info.accuracy);
    assert_memory_equal(x->kept, kept, sizeof kept);
    assert_int_equal(x->info.features, 30);
    assert_int_equal(x->dims.features, 6);
    assert_null(y->kept);
    assert_int_equal(y->info.features, 6);
    bonsai_training_free(a);
    bonsai_training_free(b);
    /* Some of the kept ones, of a graph that has a list of its own. */
    assert_int_equal(bn_graph_columns(&less, narrow, some, 3), BONSAI_OK);
    a = trained(less, narrow, &o);
    assert_memory_equal(bonsai_training_model(a)->kept, some, sizeof some);
    bonsai_training_free(a);
    bonsai_graph_free(less);
    bonsai_graph_free(small);
    bonsai_graph_free(narrow);
    bonsai_graph_free(g);
}

/* ---- standardising ---- */

static void means_and_spreads_are_those_of_the_training_nodes(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = made_graph(700, 30, dense);
        const int32_t kept[4] = {2, 5, 6, 28};
        float mean[4], spread[4], again[8], row[30];
        double sum[4] = {0}, squares[4] = {0};
        int64_t rows = 0;
        assert_int_equal(bn_standard(mean, spread, g, &(bn_standard_of){kept, 4, false}, 1), BONSAI_OK);
        assert_int_equal(bn_standard(again, again + 4, g, &(bn_standard_of){kept, 4, false}, 3), BONSAI_OK);
        assert_memory_equal(mean, again, sizeof mean);
        assert_memory_equal(spread, again + 4, sizeof spread);
        for (int64_t v = 0; v < 700; v++) {
            if (!is_training(g, v))
                continue;
            bonsai_graph_row(row, g, v);
            rows++;
            for (int j = 0; j < 4; j++) {
                sum[j] += (double)row[kept[j]];
                squares[j] += (double)row[kept[j]] * (double)row[kept[j]];
            }
        }
        for (int j = 0; j < 4; j++) {
            double m = sum[j] / (double)rows;
            assert_true(fabs((double)mean[j] - m) < 1e-6);
            assert_true(fabs((double)spread[j] - sqrt(squares[j] / (double)rows - m * m)) < 1e-5);
        }
        bonsai_graph_free(g);
    }
}

static void a_feature_that_never_changes_has_spread_one(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(60, 2, 1);
    bonsai_view v = view_of(g);
    float x[120], mean[2], spread[2];
    for (int i = 0; i < 60; i++) {
        x[2 * i] = 0.1f;
        x[2 * i + 1] = 0;
    }
    set_section(&v, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, x, 120);
    bonsai_graph *flat = graph_of(&v);
    assert_int_equal(bn_standard(mean, spread, flat, &(bn_standard_of){0}, 1), BONSAI_OK);
    assert_true(mean[0] == 0.1f && mean[1] == 0);
    assert_true(spread[0] == 1 && spread[1] == 1);
    bonsai_graph_free(flat);
    bonsai_graph_free(g);
}

/* g with features standardised by hand, and the sections that say so. */
static bonsai_graph *standardised(const bonsai_graph *g, const float *mean, const float *spread)
{
    bonsai_view v = view_of(g);
    int64_t n = v.nodes, f = v.features;
    float *x = malloc((size_t)(n * f) * sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        bonsai_graph_row(x + i * f, g, i);
        for (int64_t j = 0; j < f; j++)
            x[i * f + j] = (x[i * f + j] - mean[j]) / spread[j];
    }
    set_section(&v, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, x, n * f);
    set_section(&v, BONSAI_SECTION_FEATURE_MEAN, BONSAI_TYPE_F32, mean, f);
    set_section(&v, BONSAI_SECTION_FEATURE_SPREAD, BONSAI_TYPE_F32, spread, f);
    bonsai_graph *out = graph_of(&v);
    free(x);
    return out;
}

static void same_result(const bonsai_training *a, const bonsai_training *b)
{
    const bonsai_model *x = bonsai_training_model(a), *y = bonsai_training_model(b);
    assert_int_equal(x->count, y->count);
    assert_memory_equal(x->param, y->param, (size_t)x->count * sizeof *x->param);
    assert_true(x->info.accuracy == y->info.accuracy);
}

/* A model knows what was done to the features that it learned from. */
static void same_prediction(const bonsai_model *m, const bonsai_graph *raw, const bonsai_graph *g)
{
    int32_t a[200], b[200];
    assert_int_equal(bonsai_predict(a, NULL, m, raw, NULL), BONSAI_OK);
    assert_int_equal(bonsai_predict(b, NULL, m, g, NULL), BONSAI_OK);
    assert_memory_equal(a, b, sizeof a);
}

static void all_nodes_or_those_for_training_say_what_the_mean_is(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(200, 20, 1), *small = cut_graph(g, is_training);
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    double sum[2] = {0}, nodes[2] = {0};
    for (int64_t v = 0; v < 200; v++) {
        float x[20];
        bonsai_graph_row(x, g, v);
        for (int all = bn_part(g, v) != BONSAI_PART_TRAIN; all < 2; all++) {
            sum[all] += (double)x[3];
            nodes[all]++;
        }
    }
    assert_true(nodes[0] < nodes[1]);
    for (int all = 0; all < 2; all++) {
        o.standardise = all ? BONSAI_STANDARDISE_ALL : BONSAI_STANDARDISE_TRAIN;
        bonsai_training *t = trained(small, g, &o);
        assert_true(bonsai_training_model(t)->mean[3] == (float)(sum[all] / nodes[all]));
        bonsai_training_free(t);
    }
    o.standardise = 3;
    refused(small, g, &o, "standardise");
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void standardising_here_is_standardising_before(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(200, 20, 1), *small = cut_graph(g, is_training);
    float mean[20], spread[20];
    assert_int_equal(bn_standard(mean, spread, g, &(bn_standard_of){0}, 1), BONSAI_OK);
    bonsai_graph *g2 = standardised(g, mean, spread), *small2 = standardised(small, mean, spread);
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    o.standardise = 1;
    bonsai_training *here = trained(small, g, &o);
    assert_memory_equal(bonsai_training_model(here)->mean, mean, sizeof mean);
    assert_memory_equal(bonsai_training_model(here)->spread, spread, sizeof spread);
    for (o.standardise = 0; o.standardise < 2; o.standardise++) {
        bonsai_training *half = trained(small2, g, &o);     /* small says what was done to it */
        same_result(here, half);
        assert_memory_equal(bonsai_training_model(half)->mean, mean, sizeof mean);
        bonsai_training *both = trained(small2, g2, &o);
        same_result(here, both);
        assert_memory_equal(bonsai_training_model(both)->mean, mean, sizeof mean);
        same_prediction(bonsai_training_model(both), g, g2);
        bonsai_training *alone = trained(g2, NULL, &o);
        same_prediction(bonsai_training_model(alone), g, g2);
        bonsai_training_free(alone);
        bonsai_training_free(half);
        bonsai_training_free(both);
    }
    refused(small, g2, &o, "are standardised, but those of graph are not");
    spread[3] *= 2;
    bonsai_graph *otherwise = standardised(small, mean, spread);
    refused(otherwise, g2, &o, "not by the same mean and spread");
    int32_t classes[200];
    assert_fails(bonsai_predict(classes, NULL, bonsai_training_model(here), otherwise, NULL),
                 BONSAI_E_ARGUMENT, "model learned from were not, or not by the same mean");
    bonsai_training_free(here);
    bonsai_graph_free(otherwise);
    bonsai_graph_free(g2);
    bonsai_graph_free(small2);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* ---- soft labels and weights ---- */

/* What the first epoch's loss is when weights are drawn from the seed. */
static double first_loss(const bonsai_graph *small, const bonsai_graph *full)
{
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    o.epochs = 1;
    bonsai_training *t = trained(small, full, &o);
    double loss = bonsai_training_epoch(t, 0)->loss;
    bonsai_training_free(t);
    return loss;
}

static void weights_and_soft_labels_act_in_the_loss(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(60, 20, 0), *small = cut_graph(g, is_training);
    int64_t n = small->view.nodes;
    double plain = first_loss(small, g);
    uint8_t *soft = calloc((size_t)n * 3, 1), *weight = malloc((size_t)n);
    for (int64_t v = 0; v < n; v++) {           /* all certain: as without; one row left empty */
        soft[3 * v + bn_label(small, v)] = v == 4 ? 0 : 51;
        weight[v] = 7;
    }
    bonsai_graph *same = with_section(small, BONSAI_SECTION_SOFT_LABELS, BONSAI_TYPE_U8, soft, 3 * n);
    assert_true(fabs(first_loss(same, g) - plain) < 1e-6);
    bonsai_graph_free(same);
    same = with_section(small, BONSAI_SECTION_NODE_WEIGHTS, BONSAI_TYPE_U8, weight, n);
    assert_true(fabs(first_loss(same, g) - plain) < 1e-6);
    bonsai_graph_free(same);
    memset(soft, 85, (size_t)n * 3);            /* certain of nothing: another loss */
    bonsai_graph *vague = with_section(small, BONSAI_SECTION_SOFT_LABELS, BONSAI_TYPE_U8, soft, 3 * n);
    assert_true(fabs(first_loss(vague, g) - plain) > 1e-5);
    bonsai_graph_free(vague);
    double halves = 0;                          /* each weighed by its share: the whole */
    for (int64_t half = 0; half < 2; half++) {
        for (int64_t v = 0; v < n; v++)
            weight[v] = v % 2 == half ? 3 : 0;
        bonsai_graph *part = with_section(small, BONSAI_SECTION_NODE_WEIGHTS, BONSAI_TYPE_U8, weight, n);
        halves += (double)((n + 1 - half) / 2) / (double)n * first_loss(part, g);
        bonsai_graph_free(part);
    }
    assert_true(fabs(halves - plain) < 1e-6);
    free(soft);
    free(weight);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(weights_of_classes_that_make_no_sense_are_refused),
        cmocka_unit_test(balanced_weights_make_classes_count_alike),
        cmocka_unit_test(soft_labels_are_weighed_share_by_share),
        cmocka_unit_test(what_no_machine_holds_is_refused),
        cmocka_unit_test(graphs_without_labels_are_refused),
        cmocka_unit_test(features_must_be_there_and_finite),
        cmocka_unit_test(a_loss_that_diverges_is_named),
        cmocka_unit_test(weights_that_diverge_in_a_judged_epoch_are_named),
        cmocka_unit_test(graphs_that_do_not_fit_are_refused),
        cmocka_unit_test(kept_features_are_taken_of_the_full_graph),
        cmocka_unit_test(means_and_spreads_are_those_of_the_training_nodes),
        cmocka_unit_test(a_feature_that_never_changes_has_spread_one),
        cmocka_unit_test(all_nodes_or_those_for_training_say_what_the_mean_is),
        cmocka_unit_test(standardising_here_is_standardising_before),
        cmocka_unit_test(weights_and_soft_labels_act_in_the_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
