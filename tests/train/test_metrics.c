/* test_metrics.c -- measures of predictions: by hand, against pairs counted one by one, at the edges.
 *
 * SPDX-License-Identifier: MIT */
#include "train/metrics.h"
#include "training.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* Scores (n,c) that are highest at the guess. */
static void score(real *scores, const int32_t *guess, int64_t n, int64_t c)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < c; k++)
            scores[i * c + k] = (real)(k == guess[i]) - (real)0.5;
}

static void measure(double *metric, double *recall, const int32_t *label, const real *scores,
                    int64_t n, int64_t c)
{
    bn_tally t = {0};
    int32_t *node = malloc((size_t)(n + 1) * sizeof *node);
    for (int64_t i = 0; i < n; i++)
        node[i] = (int32_t)i;
    const bn_judged j = {n, node, (int32_t *)label};
    assert_int_equal(bn_tally_new(&t, c, n, false), BONSAI_OK);
    assert_true(bn_measure(metric, &t, &j, scores, 1));
    for (int64_t k = 0; recall && k < c; k++)
        recall[k] = bn_recall(&t, k);
    bn_tally_free(&t);
    free(node);
}

/* ---- by hand ---- */

/* Class 3 is predicted but is nobody's; class 4 does not occur.  scikit-learn 1.9 gives
 * accuracy_score 4/7, balanced_accuracy_score 2/3 and f1_score(average="macro") 29/56. */
static void classes_that_do_not_occur_do_not_count(void **state)
{
    (void)state;
    const int32_t label[] = {0, 0, 0, 0, 1, 1, 2}, guess[] = {0, 0, 1, 3, 1, 0, 2};
    double metric[BONSAI_METRIC_ROOM], recall[5];
    real scores[7 * 5];
    score(scores, guess, 7, 5);
    measure(metric, recall, label, scores, 7, 5);
    NEAR(metric[BONSAI_METRIC_ACCURACY], 400.0 / 7);
    NEAR(metric[BONSAI_METRIC_BALANCED], 200.0 / 3);
    NEAR(metric[BONSAI_METRIC_F1], 100 * (4.0 / 7 + 1.0 / 2 + 1 + 0) / 4);
    for (int m = BONSAI_METRIC_AUC; m < BONSAI_METRIC_ROOM; m++)
        assert_true(metric[m] == -1);
    const double wanted[] = {50, 50, 100, -1, -1};
    for (int k = 0; k < 5; k++)
        NEAR(recall[k], wanted[k]);
}

/* The graph of the largest class alone: 77 % accuracy and nothing learned. */
static void always_naming_the_largest_class_is_worth_half(void **state)
{
    (void)state;
    int32_t label[100], guess[100] = {0};
    double metric[BONSAI_METRIC_ROOM];
    real scores[200];
    for (int i = 0; i < 100; i++)
        label[i] = i >= 77;
    score(scores, guess, 100, 2);
    measure(metric, NULL, label, scores, 100, 2);
    NEAR(metric[BONSAI_METRIC_ACCURACY], 77);
    NEAR(metric[BONSAI_METRIC_BALANCED], 50);
    NEAR(metric[BONSAI_METRIC_F1], 100 * (154.0 / 177) / 2);
    NEAR(metric[BONSAI_METRIC_AUC], 50);
}

/* Of 12 pairs the node of class 1 is ahead in 7, and level in 2. */
static void ties_count_half_in_the_area(void **state)
{
    (void)state;
    const int32_t label[] = {1, 1, 1, 0, 0, 0, 0};
    const real margin[] = {0.5, 0.25, 0.25, 0.25, 0.125, -0.5, 0.75};
    double metric[BONSAI_METRIC_ROOM];
    real scores[14];
    for (int i = 0; i < 7; i++) {
        scores[2 * i] = -1;
        scores[2 * i + 1] = margin[i] - 1;
    }
    measure(metric, NULL, label, scores, 7, 2);
    NEAR(metric[BONSAI_METRIC_AUC], 100 * (7 + 0.5 * 2) / 12);
}

/* Margins 3, 2, 2, 1, 0 of nodes 1 0 1 0 1: precision 1 of the first, 2/3 of the tied one, 3/5. */
static void precision_is_averaged_over_positive_nodes(void **state)
{
    (void)state;
    int32_t label[] = {1, 0, 1, 0, 1};
    const real scores[] = {0, 3, 0, 2, 0, 2, 0, 1, 0, 0}, turned[] = {3, 0, 2, 0, 2, 0, 1, 0, 0, 0};
    double metric[BONSAI_METRIC_ROOM];
    measure(metric, NULL, label, scores, 5, 2);
    NEAR(metric[BONSAI_METRIC_AP], 100 * (1 + 2.0 / 3 + 3.0 / 5) / 3);
    assert_true(metric[BONSAI_METRIC_F1MAX] == -1);     /* no threshold is known */
    for (int i = 0; i < 5; i++)
        label[i] = 1 - label[i];
    bn_tally t = {0};
    int32_t node[] = {0, 1, 2, 3, 4};
    assert_int_equal(bn_tally_new(&t, 2, 5, false), BONSAI_OK);
    t.positive = 0;
    assert_true(bn_measure(metric, &t, &(bn_judged){5, node, label}, turned, 1));
    NEAR(metric[BONSAI_METRIC_AP], 100 * (1 + 2.0 / 3 + 3.0 / 5) / 3);
    bn_tally_free(&t);
}

/* Above 1 lie two of three nodes, both right: F1 4/5.  In the other list one is right of two. */
static void the_threshold_of_one_list_judges_another(void **state)
{
    (void)state;
    int32_t node[] = {0, 1, 2, 3, 4}, val[] = {1, 1, 0, 0, 1}, test[] = {1, 0, 1, 0, 0};
    const real one[] = {0, 3, 0, 2, 0, 1, 0, 0, 0, -1}, other[] = {0, 5, 0, 2, 0, 1.5f, 0, 1, 0, 1};
    double metric[BONSAI_METRIC_ROOM];
    bn_tally t = {0};
    assert_int_equal(bn_tally_new(&t, 2, 5, false), BONSAI_OK);
    t.finds = true;
    assert_true(bn_measure(metric, &t, &(bn_judged){5, node, val}, one, 1));
    NEAR(metric[BONSAI_METRIC_F1MAX], 80);
    t.finds = false;
    assert_true(bn_measure(metric, &t, &(bn_judged){5, node, test}, other, 1));
    NEAR(metric[BONSAI_METRIC_F1MAX], 50);
    bn_tally_free(&t);
}

/* Each class against the others, by its probability; class 3 does not occur. */
static void precision_of_many_classes_is_their_mean(void **state)
{
    (void)state;
    int32_t node[] = {0, 1, 2}, label[] = {0, 1, 2};
    const real scores[] = {1, 0, 0, 0, 5, 6, 0, 0, 2, 0, 1, 0};     /* node 1: class 1 at 0.73 */
    double metric[BONSAI_METRIC_ROOM];
    bn_tally t = {0};
    assert_int_equal(bn_tally_new(&t, 4, 3, true), BONSAI_OK);
    assert_true(bn_measure(metric, &t, &(bn_judged){3, node, label}, scores, 2));
    NEAR(metric[BONSAI_METRIC_AP], 100 * (0.5 + 1 + 1) / 3);    /* node 2 is more of class 0 */
    bn_tally_free(&t);
}

static void a_model_that_learned_nothing_is_worth_what_the_metric_says(void **state)
{
    (void)state;
    static const int64_t two[] = {77, 23}, none[] = {0, 0};
    int32_t label[100], guess[100] = {0};
    double metric[BONSAI_METRIC_ROOM];
    real scores[200];
    for (int i = 0; i < 100; i++)
        label[i] = i >= 77;
    score(scores, guess, 100, 2);
    measure(metric, NULL, label, scores, 100, 2);
    for (int m = 0; m < BONSAI_METRIC_F1MAX; m++)
        NEAR(bn_idle((bonsai_metric)m, two, 2, 1), metric[m]);
    NEAR(bn_idle(BONSAI_METRIC_F1MAX, two, 2, 1), 100 * 46.0 / 123);
    assert_true(bn_idle(BONSAI_METRIC_AUC, none, 2, 1) == -1);
}

static void order_alone_decides_the_area(void **state)
{
    (void)state;
    const int32_t label[] = {0, 1, 0, 1};
    const real rising[] = {0, -1e30f, 0, -1e-30f, 0, 1e-30f, 0, 1e30f};
    const real falling[] = {0, 1e30f, 0, 1e-30f, 0, -1e-30f, 0, -1e30f};
    const real zeros[] = {0, 0, 0, -0.0f, 0, 0, 0, -0.0f};     /* 0 and -0 are equal */
    double metric[BONSAI_METRIC_ROOM];
    measure(metric, NULL, label, rising, 4, 2);
    NEAR(metric[BONSAI_METRIC_AUC], 75);
    measure(metric, NULL, label, falling, 4, 2);
    NEAR(metric[BONSAI_METRIC_AUC], 25);
    measure(metric, NULL, label, zeros, 4, 2);
    NEAR(metric[BONSAI_METRIC_AUC], 50);
}

static void equal_scores_go_to_the_lower_class(void **state)
{
    (void)state;
    const int32_t label[] = {0, 1};
    const real scores[] = {2, 2, 2, 1, 3, 3};
    double metric[BONSAI_METRIC_ROOM];
    measure(metric, NULL, label, scores, 2, 3);
    NEAR(metric[BONSAI_METRIC_ACCURACY], 100);
}

/* ---- an oracle ---- */

static double slow_area(const int32_t *label, const real *scores, int64_t n)
{
    double ahead = 0, pairs = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (label[i] == 1 && label[j] == 0) {
                real a = scores[2 * i + 1] - scores[2 * i], b = scores[2 * j + 1] - scores[2 * j];
                ahead += a > b ? 1 : a == b ? 0.5 : 0;
                pairs++;
            }
    return 100 * ahead / pairs;
}

/* The mean over positive nodes of the share of positive ones among those that score as high. */
static double slow_precision(const int32_t *label, const real *scores, int64_t n)
{
    double sum = 0;
    int64_t positive = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t above = 0, hits = 0;
        if (label[i] != 1)
            continue;
        for (int64_t j = 0; j < n; j++)
            if (scores[2 * j + 1] - scores[2 * j] >= scores[2 * i + 1] - scores[2 * i]) {
                above++;
                hits += label[j] == 1;
            }
        sum += (double)hits / (double)above;
        positive++;
    }
    return 100 * sum / (double)positive;
}

static void the_area_is_the_share_of_ordered_pairs(void **state)
{
    (void)state;
    enum { N = 700 };
    uint64_t seed = 3;
    int32_t label[N];
    real scores[2 * N];
    double metric[BONSAI_METRIC_ROOM];
    for (int round = 0; round < 12; round++) {
        const int steps = round % 3 == 0 ? 5 : 1 << 20;     /* many ties, or hardly one */
        const real unit = round % 2 ? (real)1e-4 : 300;
        for (int i = 0; i < N; i++) {
            label[i] = random_below(&seed, 2 + round) == 0;
            scores[2 * i] = unit * (real)(random_below(&seed, steps) - steps / 2) / (real)steps;
            scores[2 * i + 1] = unit * (real)(random_below(&seed, steps) + label[i]) / (real)steps;
        }
        measure(metric, NULL, label, scores, N, 2);
        NEAR(metric[BONSAI_METRIC_AUC], slow_area(label, scores, N));
        NEAR(metric[BONSAI_METRIC_AP], slow_precision(label, scores, N));
    }
}

/* ---- the edges ---- */

static void without_nodes_nothing_is_defined(void **state)
{
    (void)state;
    const real none = 0;
    double metric[BONSAI_METRIC_ROOM], recall[2];
    measure(metric, recall, NULL, &none, 0, 2);
    for (int m = 0; m < BONSAI_METRIC_ROOM; m++)
        assert_true(metric[m] == -1);
    assert_true(recall[0] == -1 && recall[1] == -1);
}

static void one_class_alone_has_no_area(void **state)
{
    (void)state;
    const int32_t label[] = {1, 1, 1};
    const real scores[] = {0, 1, 1, 0, 0, 2};
    double metric[BONSAI_METRIC_ROOM];
    measure(metric, NULL, label, scores, 3, 2);
    assert_true(metric[BONSAI_METRIC_AUC] == -1);
    NEAR(metric[BONSAI_METRIC_BALANCED], 200.0 / 3);
    NEAR(metric[BONSAI_METRIC_F1], 100 * (0.8 + 0) / 2);
}

static void scores_that_are_no_numbers_are_told(void **state)
{
    (void)state;
    int32_t node[] = {0, 1}, label[] = {0, 1};
    const bn_judged j = {2, node, label};
    for (int at = 0; at < 4; at++)
        for (int c = 2; c < 4; c++) {
            real scores[6] = {0, 1, 0, 1, 0, 1};
            double metric[BONSAI_METRIC_ROOM];
            bn_tally t = {0};
            assert_int_equal(bn_tally_new(&t, c, 2, false), BONSAI_OK);
            assert_true(bn_measure(metric, &t, &j, scores, 2));
            scores[at % 2 * c + (c == 2 ? at / 2 : 0)] = at / 2 && c == 3 ? (real)INFINITY
                                                                         : (real)NAN;
            assert_false(bn_measure(metric, &t, &j, scores, 2));
            for (int k = 0; k < c; k++)
                scores[k] = (real)NAN;
            assert_false(bn_measure(metric, &t, &j, scores, 2));
            bn_tally_free(&t);
        }
}

static void every_metric_has_its_names(void **state)
{
    (void)state;
    for (int m = 0; m < BONSAI_METRIC_COUNT; m++) {
        assert_true(strlen(bonsai_metric_name((bonsai_metric)m)) > 0);
        assert_true(strlen(bonsai_metric_text((bonsai_metric)m)) > 0);
    }
    assert_string_equal(bonsai_metric_name(BONSAI_METRIC_F1), "f1");
    assert_string_equal(bonsai_metric_text(BONSAI_METRIC_F1), "macro F1");
    assert_null(bonsai_metric_name(BONSAI_METRIC_COUNT));
    assert_null(bonsai_metric_text((bonsai_metric)-1));
    assert_true(BONSAI_METRIC_COUNT <= BONSAI_METRIC_ROOM);
}

/* ---- predictions of the caller's ---- */

enum { NODES = 9 };

/* Nodes 0..1 train, 2 val, 3..7 test, 8 in no part; node 4 has no label. */
static bonsai_graph *labelled(int64_t classes)
{
    static const uint8_t label[NODES] = {0, 1, 0, 0, 255, 1, 0, 1, 1},
                         part[NODES] = {1, 1, 2, 3, 3, 3, 3, 3, 0};
    bonsai_view v;
    bonsai_graph *g = NULL;
    bonsai_view_init(&v);
    v.nodes = NODES;
    v.classes = classes;
    set_section(&v, BONSAI_SECTION_LABELS, BONSAI_TYPE_U8, label, NODES);
    set_section(&v, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, part, NODES);
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    return g;
}

static void a_part_is_judged_on_its_labelled_nodes(void **state)
{
    (void)state;
    bonsai_graph *g = labelled(2);
    const int32_t classes[NODES] = {0, 0, 1, 0, 0, 1, 1, 1, 1};
    float chance[2 * NODES];
    double recall[2];
    bonsai_measures m;
    for (int v = 0; v < NODES; v++) {           /* the test nodes 3, 5, 6, 7 in order: 0 1 0 1 */
        chance[2 * v + 1] = (float)v / 10;
        chance[2 * v] = 1 - chance[2 * v + 1];
    }
    bonsai_measures_init(&m);
    assert_int_equal(bonsai_judge(&m, recall, g, BONSAI_PART_TEST, classes, chance), BONSAI_OK);
    assert_int_equal(m.nodes, 4);
    assert_int_equal(m.right, 3);
    NEAR(m.metric[BONSAI_METRIC_ACCURACY], 75);
    NEAR(m.metric[BONSAI_METRIC_BALANCED], 75);
    NEAR(m.metric[BONSAI_METRIC_F1], 100 * (2.0 / 3 + 4.0 / 5) / 2);
    NEAR(m.metric[BONSAI_METRIC_AUC], 75);
    NEAR(recall[0], 50);
    NEAR(recall[1], 100);
    assert_int_equal(bonsai_judge(&m, NULL, g, BONSAI_PART_TRAIN, classes, NULL), BONSAI_OK);
    assert_int_equal(m.nodes, 2);
    assert_true(m.metric[BONSAI_METRIC_AUC] == -1);
    assert_int_equal(bonsai_judge(&m, recall, g, BONSAI_PART_NONE, classes, NULL), BONSAI_OK);
    assert_int_equal(m.nodes, 1);
    assert_true(recall[0] == -1 && recall[1] == 100);
    bonsai_graph_free(g);
}

/* A probability of 1 to the last bit still has an order: the other one has it. */
static void probabilities_near_one_are_told_apart(void **state)
{
    (void)state;
    bonsai_graph *g = labelled(2);
    const int32_t classes[NODES] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    float chance[2 * NODES];
    bonsai_measures m;
    for (int v = 0; v < NODES; v++) {
        chance[2 * v + 1] = 1;
        chance[2 * v] = v == 3 || v == 6 ? 1e-10f : 1e-20f;
    }
    bonsai_measures_init(&m);
    assert_int_equal(bonsai_judge(&m, NULL, g, BONSAI_PART_TEST, classes, chance), BONSAI_OK);
    NEAR(m.metric[BONSAI_METRIC_AUC], 100);
    chance[2 * 7] = NAN;
    assert_fails(bonsai_judge(&m, NULL, g, BONSAI_PART_TEST, classes, chance), BONSAI_E_ARGUMENT,
                 "nan and 1, predicted for node 7, are not probabilities");
    bonsai_graph_free(g);
}

/* A model may know classes that the graph does not have. */
static void classes_that_the_graph_lacks_are_wrong(void **state)
{
    (void)state;
    bonsai_graph *g = labelled(2);
    int32_t classes[NODES] = {0, 0, 1, 0, 0, 1, 7, 1, 1};
    float chance[2 * NODES] = {0};
    double recall[2];
    bonsai_measures m;
    bonsai_measures_init(&m);
    assert_int_equal(bonsai_judge(&m, recall, g, BONSAI_PART_TEST, classes, chance), BONSAI_OK);
    assert_int_equal(m.right, 3);
    NEAR(m.metric[BONSAI_METRIC_BALANCED], 75);
    NEAR(m.metric[BONSAI_METRIC_F1], 100 * (2.0 / 3 + 1 + 0) / 3);
    assert_true(m.metric[BONSAI_METRIC_AUC] == -1);
    classes[6] = 2;                             /* the next after the graph's own */
    assert_int_equal(bonsai_judge(&m, recall, g, BONSAI_PART_TEST, classes, chance), BONSAI_OK);
    assert_int_equal(m.right, 3);
    NEAR(m.metric[BONSAI_METRIC_F1], 100 * (2.0 / 3 + 1 + 0) / 3);
    classes[5] = -1;
    assert_fails(bonsai_judge(&m, recall, g, BONSAI_PART_TEST, classes, NULL), BONSAI_E_ARGUMENT,
                 "the class -1 that is predicted for node 5 is negative");
    bonsai_graph_free(g);
}

static bonsai_status judge_once(void *g)
{
    static const int32_t classes[NODES] = {0};
    static const float chance[2 * NODES] = {[0 ... 2 * NODES - 1] = 0.5f};
    bonsai_measures m;
    bonsai_measures_init(&m);
    return bonsai_judge(&m, NULL, g, BONSAI_PART_TEST, classes, chance);
}

static void judging_survives_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = labelled(2);
    survives_failed_allocations(judge_once, g, 5);
    bonsai_graph_free(g);
}

/* ---- in training ---- */

static bonsai_graph *two_classes(void)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 300;
    o.features = 40;
    o.classes = 2;
    o.words = 6;
    o.imbalance = 1;
    o.difficulty = 0.8;
    o.threads = 1;
    if (bonsai_graph_generate(&g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

/* Of a run: the first epoch with the highest value on validation nodes, and what it had there. */
static void check_run(const bonsai_training *t, int64_t r, bonsai_metric metric, int epochs)
{
    const bonsai_run *run = bonsai_training_run(t, r);
    const bonsai_epoch *best = NULL;
    for (int64_t e = 0; e < epochs; e++) {
        const bonsai_epoch *p = bonsai_training_epoch(t, r * epochs + e);
        assert_true(p->accuracy_val == p->metric_val[BONSAI_METRIC_ACCURACY]);
        assert_true(p->accuracy_test == p->metric_test[BONSAI_METRIC_ACCURACY]);
        if (p->metric_val[metric] > (best ? best->metric_val[metric] : -1))
            best = p;
    }
    assert_int_equal(run->best_epoch, best->epoch);
    assert_memory_equal(run->metric, best->metric_test, sizeof run->metric);
    assert_memory_equal(run->metric_val, best->metric_val, sizeof run->metric_val);
    assert_true(run->accuracy == run->metric[BONSAI_METRIC_ACCURACY]);
}

static void check_model(const bonsai_training *t, const bonsai_graph *g, bonsai_metric metric)
{
    const bonsai_run *best = bonsai_training_run(t, 0), *run;
    const bonsai_model *m = bonsai_training_model(t);
    int32_t classes[300];
    float chance[600];
    bonsai_measures found;
    for (int64_t r = 1; (run = bonsai_training_run(t, r)) != NULL; r++)
        best = run->metric_val[metric] > best->metric_val[metric] ? run : best;
    assert_int_equal(bonsai_model_facts(m)->seed, best->seed);
    bonsai_measures_init(&found);
    assert_int_equal(bonsai_predict(classes, chance, m, g, NULL), BONSAI_OK);
    assert_int_equal(bonsai_judge(&found, NULL, g, BONSAI_PART_TEST, classes, chance), BONSAI_OK);
    for (int k = 0; k < BONSAI_METRIC_COUNT; k++)
        assert_true(fabs(found.metric[k] - best->metric[k]) < 1e-2);
}

static void check_means(const bonsai_training *t)
{
    const bonsai_train_info *i = bonsai_training_info(t);
    for (int m = 0; m < BONSAI_METRIC_COUNT; m++) {
        double sum = 0, squares = 0, val = 0;
        for (int r = 0; r < i->runs; r++) {
            const bonsai_run *run = bonsai_training_run(t, r);
            sum += run->metric[m] / i->runs;
            val += run->metric_val[m] / i->runs;
        }
        for (int r = 0; r < i->runs; r++)
            squares += pow(bonsai_training_run(t, r)->metric[m] - sum, 2);
        NEAR(i->metric_mean[m], sum);
        NEAR(i->metric_val_mean[m], val);
        NEAR(i->metric_std[m], sqrt(squares / (i->runs - 1)));
    }
    NEAR(i->accuracy_mean, i->metric_mean[BONSAI_METRIC_ACCURACY]);
    const bonsai_class *a = bonsai_training_class(t, 0), *b = bonsai_training_class(t, 1);
    assert_int_equal(a->test + b->test, i->test);
    NEAR((a->recall_mean + b->recall_mean) / 2, i->metric_mean[BONSAI_METRIC_BALANCED]);
    assert_true(a->recall_std > 0 && a->size == sizeof *a);
    assert_null(bonsai_training_class(t, 2));
    assert_null(bonsai_training_class(t, -1));
}

static void the_metric_chooses_the_epoch_and_the_run(void **state)
{
    (void)state;
    bonsai_graph *g = two_classes();
    int epochs[BONSAI_METRIC_COUNT] = {0};
    for (int m = 0; m < BONSAI_METRIC_COUNT; m++) {
        bonsai_train_options o = quick(BONSAI_MODEL_GCN);
        o.metric = (bonsai_metric)m;
        o.seeds = 4;
        o.epochs = 60;
        o.every = 1;
        bonsai_training *t = trained(g, NULL, &o);
        assert_int_equal(bonsai_training_info(t)->metric, m);
        for (int r = 0; r < 4; r++) {
            check_run(t, r, (bonsai_metric)m, 60);
            epochs[m] = 100 * epochs[m] + bonsai_training_run(t, r)->best_epoch;
        }
        check_model(t, g, (bonsai_metric)m);
        check_means(t);
        bonsai_training_free(t);
    }
    assert_int_not_equal(epochs[BONSAI_METRIC_ACCURACY], epochs[BONSAI_METRIC_AUC]);
    assert_int_not_equal(epochs[BONSAI_METRIC_ACCURACY], epochs[BONSAI_METRIC_BALANCED]);
    bonsai_graph_free(g);
}

static void the_area_needs_two_classes_that_occur(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(100, 20, 0), *two = two_classes();
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    bonsai_training *t = NULL;
    o.metric = BONSAI_METRIC_AUC;
    assert_fails(bonsai_train(&t, g, NULL, &o), BONSAI_E_ARGUMENT,
                 "has 3 classes, but the metric auc is for two; balanced and f1 are for any");
    bonsai_view v = view_of(two);
    uint8_t part[300];
    memcpy(part, v.section[BONSAI_SECTION_SPLIT].data, sizeof part);
    for (int i = 0; i < 300; i++)
        if (part[i] == BONSAI_PART_VAL && bonsai_graph_label(two, i) == 1)
            part[i] = BONSAI_PART_TEST;
    set_section(&v, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, part, 300);
    bonsai_graph *one = graph_of(&v);
    assert_fails(bonsai_train(&t, one, NULL, &o), BONSAI_E_ARGUMENT,
                 "validation nodes are of class 0, but the metric auc needs both classes");
    o.metric = BONSAI_METRIC_AP;
    assert_fails(bonsai_train(&t, one, NULL, &o), BONSAI_E_ARGUMENT,
                 "validation nodes are of class 0, but the metric ap needs two classes");
    t = trained(g, NULL, &o);                   /* of three classes: the mean */
    assert_true(bonsai_training_info(t)->metric_mean[BONSAI_METRIC_AP] > 34);
    bonsai_training_free(t);
    o.metric = BONSAI_METRIC_F1MAX;
    assert_fails(bonsai_train(&t, g, NULL, &o), BONSAI_E_ARGUMENT,
                 "has 3 classes, but the metric f1max is for two");
    o.metric = (bonsai_metric)BONSAI_METRIC_COUNT;
    assert_int_equal(bonsai_train(&t, two, NULL, &o), BONSAI_E_ARGUMENT);
    bonsai_graph_free(one);
    bonsai_graph_free(two);
    bonsai_graph_free(g);
}

/* ---- classes that are lost ---- */

static void a_class_is_lost_by_uneven_recalls_or_a_hidden_loss(void **state)
{
    (void)state;
    const double even[] = {80, 60, -1, 70}, apart[] = {90, 49, -1, 60}, none[] = {-1, -1};
    const double better[] = {80, 80}, worse[] = {78, 70}, alike[] = {70, 70}, unknown[] = {78, -1};
    assert_int_equal(bonsai_judge_lost(even, 4, alike, better), -1);
    assert_int_equal(bonsai_judge_lost(even, 4, worse, better), 1);     /* 10 - 2 points more */
    assert_int_equal(bonsai_judge_lost(even, 4, worse, NULL), -1);
    assert_int_equal(bonsai_judge_lost(even, 4, unknown, better), -1);
    assert_int_equal(bonsai_judge_lost(even, 4, (double[]){NAN, NAN}, better), -1);
    assert_int_equal(bonsai_judge_lost(even, 4, (double[]){78, 73}, better), -1);       /* just 5 */
    assert_int_equal(bonsai_judge_lost(apart, 4, alike, alike), 1);
    assert_int_equal(bonsai_judge_lost((double[]){90, 50}, 2, alike, NULL), -1);        /* just 40 */
    assert_int_equal(bonsai_judge_lost(none, 2, worse, better), -1);
    assert_int_equal(bonsai_judge_lost(none, 0, worse, better), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_that_do_not_occur_do_not_count),
        cmocka_unit_test(always_naming_the_largest_class_is_worth_half),
        cmocka_unit_test(ties_count_half_in_the_area),
        cmocka_unit_test(precision_is_averaged_over_positive_nodes),
        cmocka_unit_test(the_threshold_of_one_list_judges_another),
        cmocka_unit_test(precision_of_many_classes_is_their_mean),
        cmocka_unit_test(a_model_that_learned_nothing_is_worth_what_the_metric_says),
        cmocka_unit_test(order_alone_decides_the_area),
        cmocka_unit_test(equal_scores_go_to_the_lower_class),
        cmocka_unit_test(the_area_is_the_share_of_ordered_pairs),
        cmocka_unit_test(without_nodes_nothing_is_defined),
        cmocka_unit_test(one_class_alone_has_no_area),
        cmocka_unit_test(scores_that_are_no_numbers_are_told),
        cmocka_unit_test(every_metric_has_its_names),
        cmocka_unit_test(a_part_is_judged_on_its_labelled_nodes),
        cmocka_unit_test(probabilities_near_one_are_told_apart),
        cmocka_unit_test(classes_that_the_graph_lacks_are_wrong),
        cmocka_unit_test(judging_survives_failed_allocations),
        cmocka_unit_test(the_metric_chooses_the_epoch_and_the_run),
        cmocka_unit_test(the_area_needs_two_classes_that_occur),
        cmocka_unit_test(a_class_is_lost_by_uneven_recalls_or_a_hidden_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
