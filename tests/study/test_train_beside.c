/* test_train_beside.c -- a model trained on the full graph, beside the one of a small graph.
 *
 * SPDX-License-Identifier: MIT */
#include "studying.h"

typedef struct {
    bonsai_graph *full, *small;
    bonsai_train_options o;
} setting;

static void set_up(setting *t)
{
    bonsai_condense_options o;
    bonsai_condense_info info;
    t->full = studied_graph();
    t->o = studied_training();
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_RANDOM;
    o.nodes = 20;
    o.split[0] = 50;
    o.split[1] = 30;
    o.split[2] = 20;
    o.seed = 9;
    t->small = condensed(&info, t->full, &o);
}

static void tear_down(setting *t)
{
    bonsai_graph_free(t->small);
    bonsai_graph_free(t->full);
}

static bonsai_training *trained(const bonsai_graph *small, const bonsai_graph *full,
                                const bonsai_train_options *o)
{
    bonsai_training *done = NULL;
    if (bonsai_train(&done, small, full, o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return done;
}

static void the_full_graph_gets_the_split_of_the_small_one(void **state)
{
    setting t;
    bonsai_graph *drawn = NULL;
    bonsai_training *beside = NULL;
    (void)state;
    set_up(&t);
    t.o.model = BONSAI_MODEL_SAGE;
    bonsai_training *of_small = trained(t.small, t.full, &t.o);
    const bonsai_train_info *i = bonsai_training_info(of_small);
    assert_int_equal(i->split_from, BONSAI_SPLIT_CONDENSED);
    t.o.model = BONSAI_MODEL_GCN;               /* the model is that of the training */
    assert_int_equal(bonsai_train_beside(&beside, of_small, t.full, &t.o), BONSAI_OK);
    assert_int_equal(bonsai_graph_split(&drawn, t.full, i->split, i->split_seed), BONSAI_OK);
    t.o.model = BONSAI_MODEL_SAGE;
    bonsai_training *own = trained(drawn, NULL, &t.o);
    const bonsai_train_info *a = bonsai_training_info(beside), *b = bonsai_training_info(own);
    assert_int_equal(a->model, BONSAI_MODEL_SAGE);
    assert_int_equal(a->test, i->test);
    assert_int_equal(a->train, b->train);
    assert_true(a->train > i->train);
    assert_true(a->accuracy_mean == b->accuracy_mean);
    bonsai_training_free(own);
    bonsai_training_free(beside);
    bonsai_training_free(of_small);
    bonsai_graph_free(drawn);
    tear_down(&t);
}

static void a_split_that_is_there_stays(void **state)
{
    setting t;
    static const double parts[3] = {40, 30, 30};
    bonsai_graph *own = NULL;
    bonsai_training *beside = NULL;
    (void)state;
    set_up(&t);
    assert_int_equal(bonsai_graph_split(&own, t.full, parts, 3), BONSAI_OK);
    bonsai_training *of_own = trained(own, NULL, &t.o);
    assert_int_equal(bonsai_train_beside(&beside, of_own, own, &t.o), BONSAI_OK);
    assert_true(bonsai_training_info(beside)->accuracy_mean ==
                bonsai_training_info(of_own)->accuracy_mean);
    bonsai_training_free(beside);
    bonsai_training_free(of_own);
    bonsai_graph_free(own);
    tear_down(&t);
}

typedef struct {
    setting t;
    bonsai_training *small;
} again;

static bonsai_status train_and_free(void *payload)
{
    again *a = payload;
    bonsai_training *beside = NULL;
    bonsai_status rc = bonsai_train_beside(&beside, a->small, a->t.full, &a->t.o);
    assert_true((beside == NULL) == (rc != BONSAI_OK));
    bonsai_training_free(beside);
    return rc;
}

static void survives_every_failed_allocation(void **state)
{
    again a;
    (void)state;
    set_up(&a.t);
    a.t.o.epochs = a.t.o.seeds = a.t.o.threads = 1;
    a.small = trained(a.t.small, a.t.full, &a.t.o);
    survives_failed_allocations(train_and_free, &a, 15);
    bonsai_training_free(a.small);
    tear_down(&a.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_full_graph_gets_the_split_of_the_small_one),
        cmocka_unit_test(a_split_that_is_there_stays),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
