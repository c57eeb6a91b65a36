/* test_train.c -- what training learns, and that it learns the same bits every time.
 *
 * SPDX-License-Identifier: MIT */
#include "training.h"

/* ---- what it learns ---- */

/* The share of the largest class among the nodes of a part, in percent. */
static double majority(const bonsai_graph *g, bonsai_part part)
{
    int64_t count[3] = {0}, all = 0, most = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_part(g, v) == part && bn_label(g, v) >= 0) {
            count[bn_label(g, v)]++;
            all++;
        }
    for (int k = 0; k < 3; k++)
        most = count[k] > most ? count[k] : most;
    return 100.0 * (double)most / (double)all;
}

static void every_model_learns_more_than_the_largest_class(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * BONSAI_MODEL_COUNT; i++) {
        bonsai_graph *g = made_graph(400, 60, i % 2);
        bonsai_train_options o = quick(i / 2);
        bonsai_training *t = trained(g, NULL, &o);
        const bonsai_train_info *info = bonsai_training_info(t);
        if (info->accuracy_mean < majority(g, BONSAI_PART_TEST) + 20)
            fail_msg("%s: %g %% of test nodes where %g %% are of one class",
                     bonsai_model_name(o.model), info->accuracy_mean, majority(g, BONSAI_PART_TEST));
        double first = bonsai_training_epoch(t, 0)->loss, last = bonsai_training_epoch(t, 39)->loss;
        assert_true(last < 0.5 * first);
        assert_int_equal(info->train, 240);
        assert_int_equal(info->val, 80);
        assert_int_equal(info->test, 80);
        bonsai_training_free(t);
        bonsai_graph_free(g);
    }
}

static void a_model_that_names_one_class_is_told(void **state)
{
    (void)state;
    double percent = -1;
    bonsai_graph *g = made_graph(400, 60, 1), *bare = NULL;
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    bonsai_training *t = trained(g, NULL, &o);
    assert_int_equal(bonsai_training_idle(&percent, t), -1);
    assert_true(fabs(percent - majority(g, BONSAI_PART_TEST)) < 1e-9);
    bonsai_training_free(t);
    bonsai_view v = g->view;                    /* nothing tells its nodes apart */
    float *zeros = calloc((size_t)(v.nodes * v.features), sizeof *zeros);
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){zeros, v.nodes * v.features,
                                                        BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_new(&bare, &v, 0), BONSAI_OK);
    t = trained(bare, NULL, &o);
    const int64_t largest = bonsai_training_idle(&percent, t);
    assert_in_range(largest, 0, 2);
    assert_true(100.0 * (double)bonsai_training_class(t, largest)->test / 80 == percent);
    bonsai_training_free(t);
    bonsai_graph_free(bare);
    bonsai_graph_free(g);
    free(zeros);
}

static void a_small_graph_teaches_about_the_full_one(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(400, 60, 0), *small = cut_graph(g, is_training);
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++) {
        bonsai_train_options o = quick(kind);
        o.seeds = 2;
        bonsai_training *t = trained(small, g, &o);
        const bonsai_train_info *info = bonsai_training_info(t);
        assert_int_equal(info->train, 240);         /* all of small, which has no split */
        assert_int_equal(info->test, 80);
        assert_true(info->accuracy_mean > majority(g, BONSAI_PART_TEST) + 20);
        bonsai_training_free(t);
    }
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void judging_in_blocks_says_the_same(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 40, 0), *small = cut_graph(g, is_training);
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++) {
        bonsai_train_options o = quick(kind);
        bonsai_training *a = trained(small, g, &o);
        o.memory = 1;
        bonsai_training *b = trained(small, g, &o);
        assert_int_equal(bonsai_training_info(a)->in_blocks, 0);
        assert_int_equal(bonsai_training_info(b)->in_blocks, 1);
        const bonsai_run *x = bonsai_training_run(a, 0), *y = bonsai_training_run(b, 0);
        assert_true(x->loss == y->loss);
        assert_true(fabs(x->accuracy_val - y->accuracy_val) < 2);
        bonsai_training_free(a);
        bonsai_training_free(b);
    }
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* ---- the report ---- */

static void the_report_adds_up(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 40, 0);
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    o.seeds = 4;
    o.epochs = 23;
    o.seed = 9;
    bonsai_training *t = trained(g, NULL, &o);
    const bonsai_train_info *info = bonsai_training_info(t);
    assert_int_equal(bonsai_training_runs(t), 4);
    assert_int_equal(bonsai_training_epochs(t), 4 * 23);
    assert_null(bonsai_training_run(t, -1));
    assert_null(bonsai_training_run(t, 4));
    assert_null(bonsai_training_epoch(t, -1));
    assert_null(bonsai_training_epoch(t, 4 * 23));
    double sum = 0, squares = 0;
    for (int r = 0; r < 4; r++) {
        const bonsai_run *run = bonsai_training_run(t, r);
        double best = -1;
        int epoch = 0;
        assert_int_equal(run->size, sizeof *run);
        assert_int_equal(run->seed, 9 + r);
        for (int e = 1; e <= 23; e++) {
            const bonsai_epoch *p = bonsai_training_epoch(t, r * 23 + e - 1);
            assert_int_equal(p->size, sizeof *p);
            assert_int_equal(p->run, r);
            assert_int_equal(p->epoch, e);
            assert_true((p->accuracy_val >= 0) == (e % 5 == 0 || e == 23));
            assert_true((p->accuracy_test >= 0) == (p->accuracy_val >= 0));
            if (p->accuracy_val > best) {
                best = p->accuracy_val;
                epoch = e;
            }
        }
        assert_int_equal(run->best_epoch, epoch);
        assert_true(run->accuracy_val == best);
        assert_true(run->accuracy == bonsai_training_epoch(t, r * 23 + epoch - 1)->accuracy_test);
        assert_true(run->loss == bonsai_training_epoch(t, r * 23 + 22)->loss);
        assert_true(run->seconds_train > 0 && run->seconds_eval > 0);
        sum += run->accuracy;
        squares += run->accuracy * run->accuracy;
    }
    assert_true(fabs(info->accuracy_mean - sum / 4) < 1e-9);
    assert_true(fabs(info->accuracy_std - sqrt((squares - sum * sum / 4) / 3)) < 1e-5);
    assert_int_equal(info->runs, 4);
    assert_int_equal(info->parameters, 40 * 16 + 16 + 16 * 3 + 3);
    assert_true(info->seconds_total >= info->seconds_train);
    assert_true(info->peak_rss_bytes > 0);
    bonsai_training_free(t);
    bonsai_graph_free(g);
}

static void the_model_is_that_of_the_best_run(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 40, 0);
    bonsai_train_options o = quick(BONSAI_MODEL_SAGE);
    o.seeds = 5;
    bonsai_training *t = trained(g, NULL, &o);
    const bonsai_run *best = bonsai_training_run(t, 0);
    const bonsai_model *m = bonsai_training_model(t);
    for (int r = 1; r < 5; r++) {
        const bonsai_run *run = bonsai_training_run(t, r);
        best = run->accuracy_val > best->accuracy_val ? run : best;
    }
    assert_int_equal(m->info.seed, best->seed);
    assert_int_equal(m->info.epoch, best->best_epoch);
    assert_int_equal(m->info.features, 40);
    assert_int_equal(m->info.parameters, bonsai_training_info(t)->parameters);
    assert_true(m->info.accuracy_val == best->accuracy_val);
    /* A run that ends at that epoch ends with these weights. */
    o.seed = best->seed;
    o.seeds = 1;
    o.epochs = o.every = best->best_epoch;
    bonsai_training *again = trained(g, NULL, &o);
    assert_memory_equal(bonsai_training_model(again)->param, m->param,
                        (size_t)m->count * sizeof *m->param);
    bonsai_training_free(again);
    bonsai_training_free(t);
    bonsai_graph_free(g);
}

static void without_nodes_to_judge_on_the_last_epoch_counts(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(200, 30, 0);
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    o.split[0] = 70;
    bonsai_training *t = trained(g, NULL, &o);
    const bonsai_run *run = bonsai_training_run(t, 0);
    assert_int_equal(run->best_epoch, 40);
    assert_true(run->accuracy == -1 && run->accuracy_val == -1);
    assert_true(bonsai_training_info(t)->accuracy_mean == -1);
    assert_true(bonsai_training_info(t)->accuracy_std == 0);
    assert_int_equal(bonsai_training_info(t)->train, 140);
    bonsai_training_free(t);
    bonsai_graph_free(g);
}

/* ---- the same bits ---- */

static void same_training(const bonsai_training *a, const bonsai_training *b)
{
    assert_int_equal(bonsai_training_epochs(a), bonsai_training_epochs(b));
    for (int64_t i = 0; i < bonsai_training_epochs(a); i++) {
        const bonsai_epoch *p = bonsai_training_epoch(a, i), *q = bonsai_training_epoch(b, i);
        assert_memory_equal(&p->loss, &q->loss, sizeof p->loss);
        assert_true(p->accuracy_val == q->accuracy_val);
        assert_true(p->accuracy_test == q->accuracy_test);
    }
    const bonsai_model *x = bonsai_training_model(a), *y = bonsai_training_model(b);
    assert_int_equal(x->count, y->count);
    assert_memory_equal(x->param, y->param, (size_t)x->count * sizeof *x->param);
    assert_int_equal(x->info.seed, y->info.seed);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(3000, 70, 0), *small = cut_graph(g, is_training);
    for (int i = 0; i < 4 * BONSAI_MODEL_COUNT; i++) {
        bonsai_train_options o = quick(i / 4);
        o.epochs = 4;
        o.every = 2;
        o.seeds = i % 2 ? 1 : 3;                /* inside a run, and side by side */
        o.dropout = i % 2 ? 0 : 0.3;
        bool other = i / 2 % 2;
        bonsai_training *one = trained(other ? small : g, other ? g : NULL, &o);
        for (o.threads = 2; o.threads <= 3; o.threads++) {
            bonsai_training *more = trained(other ? small : g, other ? g : NULL, &o);
            same_training(one, more);
            bonsai_training_free(more);
        }
        bonsai_training_free(one);
    }
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* Two side by side, and the third with both threads. */
static void large_runs_are_the_same_however_threads_are_shared(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(3000, 70, 0);
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    o.hidden = 1400;
    o.epochs = o.every = 2;
    o.seeds = 3;
    bonsai_training *one = trained(g, NULL, &o);
    o.threads = 2;
    bonsai_training *two = trained(g, NULL, &o);
    same_training(one, two);
    bonsai_training_free(one);
    bonsai_training_free(two);
    bonsai_graph_free(g);
}

/* The caller's own team may be of any size: its thread numbers mean nothing to us. */
static void any_thread_of_a_team_may_call(void **state)
{
    (void)state;
    enum { CALLERS = 3 };
    bonsai_graph *g = made_graph(80, 20, 0);
    bonsai_train_options o = quick(BONSAI_MODEL_SAGE);
    bonsai_training *alone = trained(g, NULL, &o), *t[CALLERS] = {NULL};
#pragma omp parallel for num_threads(CALLERS) schedule(static, 1)
    for (int i = 0; i < CALLERS; i++) {
        bonsai_train_options own = o;
        own.threads = 1 + i;
        if (bonsai_train(&t[i], g, NULL, &own) != BONSAI_OK)
            t[i] = NULL;
    }
    for (int i = 0; i < CALLERS; i++) {
        assert_non_null(t[i]);
        same_training(alone, t[i]);
        bonsai_training_free(t[i]);
    }
    bonsai_training_free(alone);
    bonsai_graph_free(g);
}

static void seeds_together_are_seeds_one_by_one(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 40, 0);
    bonsai_train_options o = quick(BONSAI_MODEL_GAT);
    o.seeds = 3;
    o.threads = 2;
    o.dropout = 0.2;
    bonsai_training *all = trained(g, NULL, &o);
    o.seeds = 1;
    for (int r = 0; r < 3; r++, o.seed++) {
        bonsai_training *one = trained(g, NULL, &o);
        const bonsai_run *a = bonsai_training_run(all, r);
        const bonsai_run *b = bonsai_training_run(one, 0);
        assert_int_equal(a->seed, b->seed);
        assert_int_equal(a->best_epoch, b->best_epoch);
        assert_true(a->loss == b->loss && a->accuracy == b->accuracy);
        bonsai_training_free(one);
    }
    bonsai_training_free(all);
    bonsai_graph_free(g);
}

/* With nothing dropped the scores of an epoch serve twice; the same graph given as another one
 * is judged by a pass of its own. */
static void judging_by_the_next_epochs_scores_is_the_same(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 40, 0);
    bonsai_view v = view_of(g);
    bonsai_graph *twin = graph_of(&v);
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++) {
        bonsai_train_options o = quick(kind);
        o.every = 1;
        bonsai_training *a = trained(g, NULL, &o);
        bonsai_training *b = trained(g, twin, &o), *c = trained(g, g, &o);
        same_training(a, b);
        same_training(a, c);
        bonsai_training_free(a);
        bonsai_training_free(b);
        bonsai_training_free(c);
    }
    bonsai_graph_free(twin);
    bonsai_graph_free(g);
}

/* ---- the peers' evaluator ---- */

static double loss_after(const bonsai_training *t, int epoch)
{
    return bonsai_training_epoch(t, epoch - 1)->loss;
}

/* The first epochs are those without a cut; behind it all goes on in small steps. */
static void the_rate_is_cut_behind_a_share_of_the_epochs(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(120, 30, 0);
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    bonsai_training *plain = trained(g, NULL, &o);
    o.cut = 0.5;
    bonsai_training *cut = trained(g, NULL, &o);
    const int half = o.epochs / 2;
    for (int e = 1; e <= half + 1; e++)         /* a loss is that before the step */
        assert_true(loss_after(cut, e) == loss_after(plain, e));
    assert_true(loss_after(cut, half + 2) != loss_after(plain, half + 2));
    assert_true(loss_after(cut, o.epochs) < loss_after(cut, half + 1));
    assert_true(loss_after(cut, o.epochs) > loss_after(plain, o.epochs));
    bonsai_training_free(plain);
    bonsai_training_free(cut);
    bonsai_graph_free(g);
}

/* Adam starts anew at a tenth of the rate: one epoch behind the cut moves a weight by that. */
static void adam_starts_anew_behind_the_cut(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(120, 30, 0);
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    o.every = 1;
    o.decay = 0;
    o.epochs = 1;
    o.cut = 1e-9;
    bonsai_training *cut = trained(g, NULL, &o);
    o.rate /= 10;
    o.cut = 0;
    bonsai_training *slow = trained(g, NULL, &o);
    assert_memory_equal(bonsai_training_model(cut)->param, bonsai_training_model(slow)->param,
                        (size_t)bonsai_training_model(cut)->count * sizeof(float));
    bonsai_training_free(cut);
    bonsai_training_free(slow);
    bonsai_graph_free(g);
}

static void first_weights_are_those_that_were_asked_for(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(120, 30, 0);
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    bonsai_training *plain = trained(g, NULL, &o);
    o.uniform = 1;
    bonsai_training *uniform = trained(g, NULL, &o);
    assert_true(loss_after(plain, 1) != loss_after(uniform, 1));
    assert_true(loss_after(uniform, o.epochs) < loss_after(uniform, 1));
    bonsai_training_free(plain);
    bonsai_training_free(uniform);
    bonsai_graph_free(g);
}

/* ---- labels that must not count ---- */

static void labels_outside_the_training_part_do_not_reach_the_weights(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 40, 0);
    bonsai_view v = view_of(g);
    uint8_t *label = malloc((size_t)v.nodes);
    for (int64_t i = 0; i < v.nodes; i++)
        label[i] = (uint8_t)((bn_label(g, i) + (bn_part(g, i) != BONSAI_PART_TRAIN)) % 3);
    set_section(&v, BONSAI_SECTION_LABELS, BONSAI_TYPE_U8, label, v.nodes);
    bonsai_graph *other = graph_of(&v);
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++) {
        bonsai_train_options o = quick(kind);
        o.every = o.epochs;                     /* one judging: nothing to choose */
        o.standardise = kind % 3;
        bonsai_training *a = trained(g, NULL, &o), *b = trained(other, NULL, &o);
        const bonsai_model *x = bonsai_training_model(a), *y = bonsai_training_model(b);
        assert_memory_equal(x->param, y->param, (size_t)x->count * sizeof *x->param);
        assert_true(x->info.accuracy != y->info.accuracy);
        bonsai_training_free(a);
        bonsai_training_free(b);
    }
    bonsai_graph_free(other);
    free(label);
    bonsai_graph_free(g);
}

/* ---- failures ---- */

typedef struct {
    bonsai_graph *small, *full;
    bonsai_train_options o;
} asked;

static bonsai_status train_and_free(void *payload)
{
    asked *a = payload;
    bonsai_training *t = NULL;
    bonsai_status rc = bonsai_train(&t, a->small, a->full, &a->o);
    assert_true((t == NULL) == (rc != BONSAI_OK));
    bonsai_training_free(t);
    return rc;
}

static void survives_every_failed_allocation(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(60, 20, 0), *small = cut_graph(g, is_training);
    for (int i = 0; i < 8; i++) {
        asked a = {i % 2 ? small : g, i % 2 ? g : NULL, quick(i / 2)};
        a.o.epochs = 2;
        a.o.seeds = 3;
        a.o.threads = 1 + i % 2;
        a.o.standardise = i % 3;
        a.o.memory = i / 4;
        survives_failed_allocations(train_and_free, &a, 15);
    }
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static int ticks_left, ticks;

static int cancel_at_zero(const bonsai_progress *p, void *payload)
{
    static uint64_t last;
    (void)payload;
    assert_true(p->done <= p->total);
    assert_true(p->done >= last || p->done == 0);
    last = p->done;
    ticks++;
    return ticks_left-- == 0;
}

static void can_be_canceled_at_any_tick(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(60, 20, 0), *small = cut_graph(g, is_training);
    for (int i = 0; i < 4; i++) {
        asked a = {i % 2 ? small : g, i % 2 ? g : NULL, quick(BONSAI_MODEL_GCN)};
        a.o.epochs = 6;
        a.o.seeds = 3;
        a.o.threads = 1 + i / 2;
        a.o.progress = cancel_at_zero;
        int64_t before = bn_mem_live();
        bonsai_status rc = BONSAI_E_CANCELED;
        for (int nth = 0; rc != BONSAI_OK; nth++) {
            ticks_left = nth;
            ticks = 0;
            rc = train_and_free(&a);
            assert_int_equal(bn_mem_live(), before);
            if (rc != BONSAI_OK)
                assert_fails(rc, BONSAI_E_CANCELED, "canceled during");
            assert_true(nth < 100);
        }
        assert_true(ticks >= 3 + 2);            /* with two threads one may do all the runs */
    }
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_learns_more_than_the_largest_class),
        cmocka_unit_test(a_model_that_names_one_class_is_told),
        cmocka_unit_test(a_small_graph_teaches_about_the_full_one),
        cmocka_unit_test(judging_in_blocks_says_the_same),
        cmocka_unit_test(the_report_adds_up),
        cmocka_unit_test(the_model_is_that_of_the_best_run),
        cmocka_unit_test(without_nodes_to_judge_on_the_last_epoch_counts),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(large_runs_are_the_same_however_threads_are_shared),
        cmocka_unit_test(any_thread_of_a_team_may_call),
        cmocka_unit_test(seeds_together_are_seeds_one_by_one),
        cmocka_unit_test(judging_by_the_next_epochs_scores_is_the_same),
        cmocka_unit_test(the_rate_is_cut_behind_a_share_of_the_epochs),
        cmocka_unit_test(adam_starts_anew_behind_the_cut),
        cmocka_unit_test(first_weights_are_those_that_were_asked_for),
        cmocka_unit_test(labels_outside_the_training_part_do_not_reach_the_weights),
        cmocka_unit_test(survives_every_failed_allocation),
        cmocka_unit_test(can_be_canceled_at_any_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
