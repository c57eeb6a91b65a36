/* test_merit.c -- what the probe compares by: chosen by labels, and scored by hand.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prototypes/merit.h"
#include "testing.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

enum { MOST = 400 };

typedef struct {                /* what a merit reads of a job */
    bn_job job;
    bonsai_graph g;
    bonsai_condense_options o;
    uint8_t label[MOST];
    int32_t train[MOST], judged[MOST];
} stage;

/* Classes of these sizes, all of them for training and all of them judged. */
static stage *new_stage(const int *sizes, int classes, bonsai_aim metric)
{
    stage *s = calloc(1, sizeof *s);
    bonsai_condense_options_init(&s->o);
    s->o.metric = metric;
    for (int k = 0; k < classes; k++)
        for (int i = 0; i < sizes[k]; i++, s->job.trees++) {
            s->label[s->job.trees] = (uint8_t)k;
            s->judged[s->job.trees] = k;
            s->train[s->job.trees] = (int32_t)s->job.trees;
        }
    s->g.view.nodes = s->job.trees;
    s->g.view.classes = classes;
    s->g.view.section[BONSAI_SECTION_LABELS] =
        (bonsai_array){s->label, s->job.trees, BONSAI_TYPE_U8};
    s->job.g = &s->g;
    s->job.o = &s->o;
    s->job.train = s->train;
    s->job.judge_label = s->judged;
    s->job.judge.far.rows = s->job.trees;
    return s;
}

static bn_merit merit_of(const int *sizes, int classes, bonsai_aim metric)
{
    bn_merit m;
    stage *s = new_stage(sizes, classes, metric);
    assert_int_equal(bn_merit_of(&m, &s->job), BONSAI_OK);
    free(s);
    return m;
}

/* Below a tenth, and below a third of an equal share; of more than ten classes none is rare. */
static void a_class_is_rare_by_its_share(void **state)
{
    (void)state;
    static const struct { int classes, sizes[11]; bonsai_aim aim; } cases[] = {
        {2, {90, 10}, BONSAI_AIM_ACCURACY},    {2, {91, 9}, BONSAI_AIM_MIXED},
        {2, {5, 95}, BONSAI_AIM_MIXED},        {2, {100, 0}, BONSAI_AIM_ACCURACY},
        {3, {46, 45, 9}, BONSAI_AIM_MIXED},    {3, {45, 45, 10}, BONSAI_AIM_ACCURACY},
        {5, {30, 30, 20, 13, 7}, BONSAI_AIM_ACCURACY}, {5, {30, 30, 20, 14, 6}, BONSAI_AIM_MIXED},
        {7, {30, 16, 15, 14, 10, 8, 7}, BONSAI_AIM_ACCURACY},   /* about as in Cora */
        {10, {11, 11, 11, 11, 11, 11, 11, 11, 11, 1}, BONSAI_AIM_MIXED},
        {11, {11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 1}, BONSAI_AIM_ACCURACY},
        {11, {30, 30, 20, 14, 6}, BONSAI_AIM_MIXED},            /* five that have nodes */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(merit_of(cases[i].sizes, cases[i].classes, BONSAI_AIM_AUTO).aim,
                         cases[i].aim);
    assert_int_equal(merit_of(cases[1].sizes, 2, BONSAI_AIM_ACCURACY).aim, BONSAI_AIM_ACCURACY);
}

static void naming_the_largest_class_is_worth_what_the_metric_says(void **state)
{
    (void)state;
    static const int two[] = {80, 20}, three[] = {60, 30, 10};
    static const struct { bonsai_aim aim; double two, three; } want[] = {
        {BONSAI_AIM_MIXED, 65, (60 + 100.0 / 3) / 2}, {BONSAI_AIM_ACCURACY, 80, 60},
        {BONSAI_AIM_BALANCED, 50, 100.0 / 3}, {BONSAI_AIM_F1, 100 * (16.0 / 18) / 2, 25},
        {BONSAI_AIM_AUC, 50, 50}, {BONSAI_AIM_AP, 20, 100.0 / 3}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        NEAR(merit_of(two, 2, want[i].aim).idle, want[i].two);
        NEAR(merit_of(three, 3, want[i].aim).idle, want[i].three);
    }
    NEAR(merit_of(two, 2, BONSAI_AIM_F1MAX).idle, 100 * 2 * 0.2 / 1.2);
    assert_int_equal(merit_of(two, 2, BONSAI_AIM_ACCURACY).independent, 100);
    assert_int_equal(merit_of(two, 2, BONSAI_AIM_BALANCED).independent, 64);  /* 4/(1/80 + 1/20) */
}

static double score(const bn_merit *m, const int32_t *label, const int32_t *guess,
                    const float *scores, int rows)
{
    double percent;
    assert_int_equal(bn_merit_score(&percent, m, &(bn_verdict){label, rows, guess, scores,
                                                               m->classes}), BONSAI_OK);
    return percent;
}

/* Two of two nodes of class 0, one of two of class 1, none of one of class 2. */
static void scores_by_hand(void **state)
{
    (void)state;
    static const int sizes[] = {2, 2, 1};
    static const int32_t label[] = {0, 0, 1, 1, 2}, guess[] = {0, 0, 1, 0, 1};
    static const float scores[] = {.9f, .1f, 0,   .8f, .3f, 0,   .1f, .7f, .5f,
                                   .6f, .2f, .4f, 0,   .6f, .3f};
    static const struct { bonsai_aim aim; double want; } cases[] = {
        {BONSAI_AIM_ACCURACY, 60}, {BONSAI_AIM_BALANCED, 50}, {BONSAI_AIM_MIXED, 55},
        {BONSAI_AIM_F1, 100 * (4.0 / 5 + 2.0 / 4 + 0) / 3},
        /* class 0: 6 of 6 pairs; class 1: 4 of 6; class 2: 2 of 4 */
        {BONSAI_AIM_AUC, 100 * (1 + 4.0 / 6 + 2.0 / 4) / 3},
        /* class 0: 1; class 1 at places 1 and 4: (1 + 2/4) / 2; class 2 at place 3: 1/3 */
        {BONSAI_AIM_AP, 100 * (1 + 0.75 + 1.0 / 3) / 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bn_merit m = merit_of(sizes, 3, cases[i].aim);
        NEAR(score(&m, label, guess, scores, 5), cases[i].want);
    }
}

static void of_two_classes_the_rarer_is_ordered(void **state)
{
    (void)state;
    static const int sizes[] = {1, 3};
    static const int32_t label[] = {0, 1, 1, 1}, guess[] = {1, 1, 1, 1};
    static const float scores[] = {.4f, .6f, .45f, .55f, .3f, .7f, .1f, .9f};
    bn_merit m = merit_of(sizes, 2, BONSAI_AIM_AP);
    assert_int_equal(m.positive, 0);
    NEAR(score(&m, label, guess, scores, 4), 50);               /* the second of all */
    m = merit_of(sizes, 2, BONSAI_AIM_F1MAX);
    NEAR(score(&m, label, guess, scores, 4), 100 * 2.0 / 3);
    m = merit_of(sizes, 2, BONSAI_AIM_AUC);
    NEAR(score(&m, label, guess, scores, 4), 100 * 2.0 / 3);
}

static bonsai_status once(void *payload)
{
    bonsai_status rc;
    static const float scores[10] = {0};
    static const int32_t guess[5] = {0};
    stage *s = payload;
    bn_merit m;
    double percent;
    BN_TRY(bn_merit_of(&m, &s->job));
    BN_TRY(bn_merit_score(&percent, &m, &(bn_verdict){s->judged, 5, guess, scores, 2}));
done:
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    stage *s = new_stage((const int[]){3, 2}, 2, BONSAI_AIM_AUC);
    survives_failed_allocations(once, s, 4);
    free(s);
}

static void too_many_classes_are_not_ordered(void **state)
{
    (void)state;
    bn_merit m;
    stage *s = new_stage((const int[]){3, 2}, 2, BONSAI_AIM_AP);
    s->g.view.classes = 1001;
    s->g.where = "graph";
    assert_fails(bn_merit_of(&m, &s->job), BONSAI_E_ARGUMENT,
                 "has 1001 classes; the probe has the metric ap for at most 1000");
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_is_rare_by_its_share),
        cmocka_unit_test(naming_the_largest_class_is_worth_what_the_metric_says),
        cmocka_unit_test(scores_by_hand),
        cmocka_unit_test(of_two_classes_the_rarer_is_ordered),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(too_many_classes_are_not_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
