/* test_engine.c -- cells of any kind: settings, pairs of nodes, small graphs that are the same.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "studying.h"

typedef struct {
    bonsai_graph *g;
    bonsai_condense_options strict, paper;
    const bonsai_condense_options *settings[2];
    bonsai_train_options train;
    bonsai_compare_options o;
} setting;

static void set_up(setting *t)
{
    memset(t, 0, sizeof *t);
    t->g = studied_graph();
    t->train = studied_training();
    bonsai_condense_options_init(&t->strict);
    bonsai_condense_options_init(&t->paper);
    t->paper.accounting = BONSAI_ACCOUNTING_PAPER_FULL;
    t->settings[0] = &t->strict;
    t->settings[1] = &t->paper;
    bonsai_compare_options_init(&t->o);
    t->o.settings = t->settings;
    t->o.setting_count = 2;
    t->o.train = &t->train;
}

static void tear_down(setting *t)
{
    bonsai_graph_free(t->g);
}

static bonsai_cell asked(int which, bonsai_method method, double ratio)
{
    return (bonsai_cell){.size = sizeof(bonsai_cell), .setting = which, .method = (int)method,
                         .ratio = ratio};
}

static bonsai_cell asked_pairs(bonsai_study study, double nearest)
{
    return (bonsai_cell){.size = sizeof(bonsai_cell), .study = study, .method = -1, .ratio = 1,
                         .pairs = 200, .nearest = nearest};
}

static void run(bonsai_cell *cells, int64_t count, const setting *t)
{
    if (bonsai_study_run(cells, count, t->g, &t->o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
}

/* ---- settings ---- */

static void a_cell_is_condensed_with_its_own_setting(void **state)
{
    setting t;
    (void)state;
    set_up(&t);
    const bonsai_method method = BONSAI_METHOD_TREES;
    const bonsai_model_kind model = BONSAI_MODEL_GCN;
    const double ratio = 0.2;
    bonsai_cell cells[2] = {asked(1, method, ratio), asked(0, method, ratio)}, alone[2];
    run(cells, 2, &t);
    for (int i = 0; i < 2; i++) {
        bonsai_compare_options o;
        bonsai_compare_options_init(&o);
        o.methods = &method;
        o.ratios = &ratio;
        o.models = &model;
        o.method_count = o.ratio_count = o.model_count = 1;
        o.condense = t.settings[1 - i];
        o.train = &t.train;
        assert_int_equal(bonsai_compare_cells(alone, &o), BONSAI_OK);
        assert_int_equal(bonsai_compare(alone, t.g, &o), BONSAI_OK);
        assert_true(cells[i].done && cells[i].runs == 2);
        assert_true(cells[i].bytes == alone[1].bytes && cells[i].share == alone[1].share);
        assert_true(cells[i].accuracy_mean == alone[1].accuracy_mean);
        assert_true(cells[i].checksum == alone[1].checksum);
    }
    assert_true(cells[0].nodes > cells[1].nodes);       /* the paper's bytes hold more */
    tear_down(&t);
}

static void a_setting_may_bring_the_budget(void **state)
{
    setting t;
    (void)state;
    set_up(&t);
    t.strict.nodes = 9;
    bonsai_cell cells[2] = {asked(0, BONSAI_METHOD_RANDOM, 0), asked(0, BONSAI_METHOD_RANDOM, 0.1)};
    run(cells, 2, &t);
    assert_int_equal(cells[0].nodes, 9);
    assert_true(cells[0].runs == 2 && cells[1].nodes != 9 && cells[1].share <= 0.1);
    cells[0] = asked(0, BONSAI_METHOD_RANDOM, 0);
    t.strict.nodes = 0;
    run(cells, 1, &t);                          /* without a budget the cell is refused */
    assert_true(cells[0].done && cells[0].runs == 0 && cells[0].why[0]);
    tear_down(&t);
}

static void strict_bytes_are_told_in_any_accounting(void **state)
{
    setting t;
    (void)state;
    set_up(&t);
    bonsai_cell cells[3] = {asked(1, BONSAI_METHOD_RANDOM, 0.2), asked(0, BONSAI_METHOD_RANDOM, 0.2),
                            asked(0, (bonsai_method)-1, 1)};
    run(cells, 3, &t);
    assert_true(cells[0].strict_share > cells[0].share && cells[0].strict_bytes > cells[1].bytes);
    assert_true(cells[1].strict_share == cells[1].share && cells[1].strict_bytes == cells[1].bytes);
    assert_true(cells[2].strict_share == 1 && cells[2].strict_bytes == cells[2].bytes);
    assert_int_equal(cells[0].features, bonsai_graph_features(t.g));
    tear_down(&t);
}

static void published_is_compared_in_its_own_accounting(void **state)
{
    setting t;
    (void)state;
    if (!has_method(BONSAI_METHOD_GCOND))
        skip();
    set_up(&t);
    bonsai_cell cells[2] = {asked(0, BONSAI_METHOD_PUBLISHED, 0.2),
                            asked(1, BONSAI_METHOD_PUBLISHED, 0.2)};
    run(cells, 2, &t);
    assert_true(cells[0].runs == 0 && strstr(cells[0].why, "paper's accounting"));
    assert_int_equal(cells[1].runs, 2);
    tear_down(&t);
}

/* Drawn with the seed of training, it can be told from the one that the graph brings. */
static void the_first_split_may_be_the_graphs_own(void **state)
{
    setting t;
    static const double percent[3] = {20, 40, 40};
    bonsai_graph *own = NULL;
    (void)state;
    set_up(&t);
    bonsai_cell drawn[2], kept[2], *both[] = {drawn, kept};
    assert_int_equal(bonsai_graph_split(&own, t.g, percent, 7), BONSAI_OK);
    for (int i = 0; i < 2; i++) {
        t.o.own_split = i;
        for (int k = 0; k < 2; k++) {
            both[i][k] = asked(0, BONSAI_METHOD_RANDOM, 1);
            both[i][k].split = k;
        }
        assert_int_equal(bonsai_study_run(both[i], 2, own, &t.o), BONSAI_OK);
    }
    assert_true(kept[0].nodes < drawn[0].nodes);        /* a fifth of the nodes are for training */
    assert_true(kept[1].checksum == drawn[1].checksum);
    bonsai_graph_free(own);
    tear_down(&t);
}

/* Runs two cells, which the splits of a study have; the first one's outcome. */
static bonsai_status run_splits(bonsai_cell *first, const bonsai_graph *g, const setting *t,
                                int splits)
{
    bonsai_cell cells[2] = {asked(0, BONSAI_METHOD_RANDOM, 1), asked(0, BONSAI_METHOD_RANDOM, 1)};
    cells[1].split = 1;
    bonsai_status rc = bonsai_study_run(cells, splits, g, &t->o);
    *first = cells[0];
    return rc;
}

static void a_graph_s_own_split_is_used_unless_another_is_asked_for(void **state)
{
    setting t;
    static const double few[3] = {20, 40, 40};
    bonsai_graph *own = NULL;
    bonsai_cell kept, named, asked_for, several;
    (void)state;
    set_up(&t);
    assert_int_equal(bonsai_graph_split(&own, t.g, few, 7), BONSAI_OK);
    assert_int_equal(run_splits(&kept, own, &t, 1), BONSAI_OK);
    assert_int_equal(run_splits(&several, own, &t, 2), BONSAI_OK);
    assert_true(bonsai_split_named(t.train.split, "own"));
    assert_int_equal(run_splits(&named, own, &t, 1), BONSAI_OK);
    assert_int_equal(run_splits(&asked_for, own, &t, 2), BONSAI_E_ARGUMENT);
    assert_non_null(strstr(bonsai_error(), "own split is one, and 2 splits are asked for"));
    assert_true(bonsai_split_named(t.train.split, "random"));
    assert_int_equal(run_splits(&asked_for, own, &t, 1), BONSAI_OK);
    assert_true(kept.nodes < asked_for.nodes);          /* a fifth of the nodes are for training */
    assert_true(named.checksum == kept.checksum);
    assert_true(several.checksum == asked_for.checksum);        /* 60/20/20, the same seed */
    bonsai_graph_free(own);
    tear_down(&t);
}

static void small_graphs_that_are_the_same_train_once(void **state)
{
    setting t;
    (void)state;
    set_up(&t);
    t.settings[1] = &t.strict;
    bonsai_cell cells[3] = {asked(0, BONSAI_METHOD_RANDOM, 0.1),
                            asked(1, BONSAI_METHOD_RANDOM, 0.1),
                            asked(1, BONSAI_METHOD_RANDOM, 0.2)};
    run(cells, 3, &t);
    assert_true(cells[0].checksum == cells[1].checksum && cells[0].checksum != cells[2].checksum);
    assert_true(cells[0].seconds_train == cells[1].seconds_train);      /* to the last bit */
    assert_true(cells[0].accuracy_mean == cells[1].accuracy_mean);
    assert_true(cells[0].seconds_train != cells[2].seconds_train);
    tear_down(&t);
}

static void times_of_the_parts_are_told(void **state)
{
    setting t;
    (void)state;
    set_up(&t);
    bonsai_cell c = asked(0, BONSAI_METHOD_TREES, 0.2);
    run(&c, 1, &t);
    double parts = c.seconds_wl + c.seconds_knn + c.seconds_cover + c.seconds_sparsify;
    assert_true(c.seconds_wl > 0 && c.seconds_knn > 0 && c.seconds_cover > 0);
    assert_true(parts <= c.seconds_condense);
    tear_down(&t);
}

/* ---- pairs ---- */

typedef struct { double wl, seen; } pair;

static int by_wl(const void *a, const void *b)
{
    double x = ((const pair *)a)->wl, y = ((const pair *)b)->wl;
    return (x > y) - (x < y);
}

/* By the textbook: the sum of products over the root of the product of sums. */
static double correlation(const pair *p, int n)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        x += p[i].wl;
        y += p[i].seen;
        xx += p[i].wl * p[i].wl;
        yy += p[i].seen * p[i].seen;
        xy += p[i].wl * p[i].seen;
    }
    return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

static void pairs_are_correlated_nearest_first(void **state)
{
    setting t;
    double wl[200], seen[200];
    pair p[200];
    (void)state;
    if (!has_method(BONSAI_METHOD_GCOND))
        skip();
    set_up(&t);
    assert_true(bonsai_split_named(t.train.split, "random"));
    for (int study = BONSAI_STUDY_EMBEDDING; study <= BONSAI_STUDY_WEIGHTS; study++) {
        bonsai_cell cells[2] = {asked_pairs((bonsai_study)study, 0.25),
                                asked_pairs((bonsai_study)study, 1)};
        run(cells, 2, &t);
        assert_int_equal(bonsai_study_pairs(wl, seen, 200, t.g, (bonsai_study)study, &t.train),
                         BONSAI_OK);
        for (int i = 0; i < 200; i++)
            p[i] = (pair){wl[i], seen[i]};
        qsort(p, 200, sizeof *p, by_wl);
        for (int i = 0; i < 2; i++) {
            int n = i ? 200 : 50;
            assert_true(cells[i].done && cells[i].runs == 1 && cells[i].nodes == 0);
            assert_true(fabs(cells[i].correlation - correlation(p, n)) < 1e-9);
            assert_true(cells[i].threshold == p[n - 1].wl);
            assert_true(cells[i].chance >= 0 && cells[i].chance <= 1);
        }
        assert_true(cells[1].chance < 0.05);            /* near for one is near for the other */
    }
    tear_down(&t);
}

static int count_cells(const bonsai_cell *c, void *payload)
{
    assert_true(c->done);
    ++*(int *)payload;
    return 0;
}

static void pairs_that_cannot_be_cost_their_cells_only(void **state)
{
    setting t;
    int told = 0;
    (void)state;
    if (!has_method(BONSAI_METHOD_GCOND))
        skip();
    set_up(&t);
    bonsai_cell cells[3] = {asked_pairs(BONSAI_STUDY_GRADIENT, 0.5),
                            asked_pairs(BONSAI_STUDY_GRADIENT, 1),
                            asked(0, BONSAI_METHOD_RANDOM, 0.1)};
    cells[0].model = cells[1].model = BONSAI_MODEL_GAT;
    t.o.cell = count_cells;
    t.o.cell_payload = &told;
    run(cells, 3, &t);
    assert_int_equal(told, 3);
    for (int i = 0; i < 2; i++) {
        assert_true(cells[i].done && cells[i].runs == 0);
        assert_non_null(strstr(cells[i].why, "gradients are studied for gcn"));
    }
    assert_int_equal(cells[2].runs, 2);
    tear_down(&t);
}

static int stop_at_first(const bonsai_cell *c, void *payload)
{
    (void)c;
    ++*(int *)payload;
    return 1;
}

static void stops_within_cells_that_share_pairs(void **state)
{
    setting t;
    int told = 0;
    (void)state;
    set_up(&t);
    for (int gat = 0; gat < 2; gat++) {                 /* done, and refused */
        bonsai_cell cells[2] = {asked_pairs(BONSAI_STUDY_GRADIENT, 0.5),
                                asked_pairs(BONSAI_STUDY_GRADIENT, 1)};
        cells[0].model = cells[1].model = gat ? BONSAI_MODEL_GAT : BONSAI_MODEL_GCN;
        t.o.cell = stop_at_first;
        t.o.cell_payload = &told;
        told = 0;
        assert_fails(bonsai_study_run(cells, 2, t.g, &t.o), BONSAI_E_CANCELED,
                     "canceled after a cell");
        assert_true(told == 1 && cells[0].done && !cells[1].done);
    }
    tear_down(&t);
}

/* ---- refusals ---- */

static void refuses_cells_that_ask_for_nothing(void **state)
{
    setting t;
    (void)state;
    set_up(&t);
    const bonsai_cell good = asked(0, BONSAI_METHOD_RANDOM, 0.1);
    bonsai_cell bad[9];
    static const char *const what[9] = {"1 has another size", "study", "method", "model", "ratio", "setting",
                                        "setting", "share of pairs", "share of pairs"};
    for (int i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].size = 1;
    bad[1].study = (bonsai_study)7;
    bad[2].method = BONSAI_METHOD_COUNT;
    bad[3].model = BONSAI_MODEL_COUNT;
    bad[4].ratio = 1.5;
    bad[5].setting = 2;
    bad[6].setting = -1;
    bad[7] = asked_pairs(BONSAI_STUDY_WEIGHTS, 1.5);
    bad[8] = asked_pairs(BONSAI_STUDY_WEIGHTS, 0.001);
    for (int i = 0; i < 9; i++) {
        bonsai_cell cells[2] = {good, bad[i]};
        char sentence[64];
        snprintf(sentence, sizeof sentence, i ? "cell 1 has no valid %s" : "cell %s", what[i]);
        assert_fails(bonsai_study_run(cells, 2, t.g, &t.o), BONSAI_E_ARGUMENT, sentence);
        assert_int_equal(cells[0].done, 0);
    }
    bonsai_cell c = good;
    t.o.settings = NULL;
    assert_fails(bonsai_study_run(&c, 1, t.g, &t.o), BONSAI_E_ARGUMENT,
                 "2 settings, but no list of them");
    t.paper.k = 0;
    t.o.settings = t.settings;
    assert_fails(bonsai_study_run(&c, 1, t.g, &t.o), BONSAI_E_ARGUMENT, "k is 0");
    tear_down(&t);
}

/* ---- splits and draws ---- */

enum { SPLITS = 2, DRAWS = 3, SEEDS = 2, CLASSES = 3, VALUES = SEEDS + CLASSES,
       REPEATED = SPLITS * (1 + 2 * DRAWS) };

static const bonsai_method drawn[2] = {BONSAI_METHOD_RANDOM, BONSAI_METHOD_HERDING};
static const double share[1] = {0.1};
static const bonsai_model_kind gcn[1] = {BONSAI_MODEL_GCN};

static void set_up_repeated(setting *t)
{
    set_up(t);
    t->o.settings = NULL;
    t->o.setting_count = 0;
    t->o.methods = drawn;
    t->o.method_count = 2;
    t->o.ratios = share;
    t->o.models = gcn;
    t->o.ratio_count = t->o.model_count = 1;
    t->o.splits = SPLITS;
    t->o.draws = DRAWS;
    t->train.seeds = SEEDS;
    t->train.metric = BONSAI_METRIC_F1;
}

static void repeat(bonsai_cell *cells, double values[REPEATED][VALUES], const setting *t)
{
    assert_int_equal(bonsai_compare_count(&t->o), REPEATED);
    assert_int_equal(bonsai_compare_cells(cells, &t->o), BONSAI_OK);
    for (int i = 0; i < REPEATED; i++) {
        cells[i].accuracies = values[i];
        cells[i].recall = values[i] + SEEDS;
    }
    if (bonsai_compare(cells, t->g, &t->o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
}

/* Each step with the seeds that the header names. */
static void assert_by_hand(const bonsai_cell *c, const setting *t)
{
    static const double usual[3] = {60, 20, 20};
    bonsai_graph *full = NULL, *small = NULL;
    bonsai_training *trained = NULL;
    bonsai_condense_info info;
    bonsai_condense_options condense;
    bonsai_train_options train = t->train;
    const uint64_t number = 1000 * (uint64_t)c->split + (uint64_t)c->draw;
    bonsai_condense_options_init(&condense);
    condense.method = (bonsai_method)c->method;
    condense.ratio = c->ratio;
    condense.seed += number;
    train.seed += number * SEEDS;
    assert_int_equal(bonsai_graph_split(&full, t->g, usual, t->train.seed + (uint64_t)c->split),
                     BONSAI_OK);
    if (c->method >= 0)
        small = condensed(&info, full, &condense);
    assert_int_equal(bonsai_train(&trained, small ? small : full, full, &train), BONSAI_OK);
    assert_int_equal(c->runs, SEEDS);
    for (int i = 0; i < SEEDS; i++)
        assert_true(c->accuracies[i] == bonsai_training_run(trained, i)->accuracy);
    const bonsai_train_info *of = bonsai_training_info(trained);
    assert_true(c->accuracy_mean == of->accuracy_mean);
    assert_memory_equal(c->metric_mean, of->metric_mean, sizeof c->metric_mean);
    assert_memory_equal(c->metric_std, of->metric_std, sizeof c->metric_std);
    assert_int_equal(c->metric, BONSAI_METRIC_F1);
    for (int k = 0; k < of->classes; k++)
        assert_true(c->recall[k] == bonsai_training_class(trained, k)->recall_mean);
    assert_true(fabs(c->accuracy_error - c->accuracy_std / sqrt(SEEDS)) < 1e-12);
    assert_true(c->unit == BONSAI_UNIT_RUN && c->units == SEEDS);
    bonsai_training_free(trained);
    bonsai_graph_free(small);
    bonsai_graph_free(full);
}

static void splits_and_draws_are_those_of_single_steps(void **state)
{
    setting t;
    bonsai_cell cells[REPEATED];
    double values[REPEATED][VALUES];
    (void)state;
    set_up_repeated(&t);
    repeat(cells, values, &t);
    for (int i = 0; i < REPEATED; i++) {
        int in = i % (1 + 2 * DRAWS);
        assert_int_equal(cells[i].split, i / (1 + 2 * DRAWS));
        assert_int_equal(cells[i].draw, in ? (in - 1) % DRAWS : 0);
        assert_int_equal(cells[i].method, in ? (int)drawn[(in - 1) / DRAWS] : -1);
        assert_by_hand(&cells[i], &t);
    }
    assert_true(cells[1].checksum != cells[2].checksum);        /* random nodes are drawn anew */
    assert_true(cells[1 + DRAWS].checksum == cells[2 + DRAWS].checksum);    /* herding's the same */
    assert_true(cells[1 + DRAWS].seconds_train != cells[2 + DRAWS].seconds_train);
    tear_down(&t);
}

static void side_by_side_gives_the_same_cells(void **state)
{
    setting t;
    bonsai_cell in_order[REPEATED], beside[REPEATED];
    double values[REPEATED][VALUES], again[REPEATED][VALUES];
    int told = 0;
    (void)state;
    set_up_repeated(&t);
    repeat(in_order, values, &t);
    t.o.side_by_side = 1;
    t.o.cell = count_cells;
    t.o.cell_payload = &told;
    for (int threads = 1; threads <= 5; threads += 2) {
        t.train.threads = threads;
        told = 0;
        repeat(beside, again, &t);
        assert_int_equal(told, REPEATED);
        for (int i = 0; i < REPEATED; i++) {
            assert_true(beside[i].done && beside[i].checksum == in_order[i].checksum);
            assert_true(beside[i].bytes == in_order[i].bytes);
            assert_memory_equal(again[i], values[i], sizeof values[i]);
        }
    }
    tear_down(&t);
}

static int cancel_at(const bonsai_progress *p, void *payload)
{
    return strcmp(p->stage, "comparing") == 0 && --*(int *)payload < 0;
}

static void side_by_side_can_be_canceled_and_resumed(void **state)
{
    setting t;
    bonsai_cell cells[REPEATED], whole[REPEATED];
    double values[REPEATED][VALUES];
    int told = 0, after = 1, done = 0;
    (void)state;
    set_up_repeated(&t);
    repeat(whole, values, &t);
    t.o.side_by_side = 1;
    t.train.threads = 3;
    t.o.progress = cancel_at;
    t.o.payload = &after;
    assert_int_equal(bonsai_compare_cells(cells, &t.o), BONSAI_OK);
    bonsai_status rc = bonsai_compare(cells, t.g, &t.o);
    for (int i = 0; i < REPEATED; i++)
        done += cells[i].done;
    assert_true(rc == BONSAI_E_CANCELED || done == REPEATED);   /* it may be too quick for it */
    t.o.progress = NULL;
    t.o.cell = count_cells;
    t.o.cell_payload = &told;
    assert_int_equal(bonsai_compare(cells, t.g, &t.o), BONSAI_OK);
    assert_int_equal(done + told, REPEATED);
    for (int i = 0; i < REPEATED; i++)
        assert_true(cells[i].accuracy_mean == whole[i].accuracy_mean);
    t.o.cell = stop_at_first;
    told = 0;
    assert_int_equal(bonsai_compare_cells(cells, &t.o), BONSAI_OK);
    assert_fails(bonsai_compare(cells, t.g, &t.o), BONSAI_E_CANCELED, "canceled after a cell");
    tear_down(&t);
}

static void side_by_side_names_what_is_wrong(void **state)
{
    setting t;
    bonsai_cell cells[REPEATED];
    (void)state;
    set_up_repeated(&t);
    t.o.side_by_side = 1;
    t.train.threads = 3;
    t.train.heads = 3;                                  /* which cannot share 8 columns */
    static const bonsai_model_kind gat[1] = {BONSAI_MODEL_GAT};
    t.o.models = gat;
    assert_int_equal(bonsai_compare_cells(cells, &t.o), BONSAI_OK);
    assert_fails(bonsai_compare(cells, t.g, &t.o), BONSAI_E_ARGUMENT, "heads");
    assert_false(cells[0].done);
    tear_down(&t);
}

/* ---- checksums ---- */

static void checksums_are_of_the_sections_asked_for(void **state)
{
    setting t;
    bonsai_graph *split = NULL;
    static const double other[3] = {10, 20, 70};
    const uint64_t all = ~(uint64_t)0, bit = (uint64_t)1 << BONSAI_SECTION_SPLIT;
    (void)state;
    set_up(&t);
    assert_int_equal(bonsai_graph_split(&split, t.g, other, 5), BONSAI_OK);
    uint64_t edges = (uint64_t)1 << BONSAI_SECTION_OFFSETS | 1u << BONSAI_SECTION_NEIGHBORS;
    assert_true(bonsai_graph_checksum(t.g, all) == bonsai_graph_checksum(t.g, all));
    assert_true(bonsai_graph_checksum(t.g, bit) != bonsai_graph_checksum(split, bit));
    assert_true(bonsai_graph_checksum(t.g, edges) == bonsai_graph_checksum(split, edges));
    assert_true(bonsai_graph_checksum(t.g, edges) != bonsai_graph_checksum(t.g, bit));
    bonsai_graph_free(split);
    tear_down(&t);
}

static bonsai_status run_little(void *payload)
{
    const setting *t = payload;
    bonsai_cell cells[3] = {asked(1, BONSAI_METHOD_RANDOM, 0.1),
                            asked_pairs(BONSAI_STUDY_EMBEDDING, 1),
                            asked_pairs(BONSAI_STUDY_GRADIENT, 1)};
    return bonsai_study_run(cells, 3, t->g, &t->o);
}

static void survives_every_failed_allocation(void **state)
{
    setting t;
    (void)state;
    set_up(&t);
    t.train.epochs = t.train.seeds = 1;
    t.train.threads = t.strict.threads = t.paper.threads = 1;
    survives_failed_allocations(run_little, &t, 50);
    tear_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_condensed_with_its_own_setting),
        cmocka_unit_test(a_setting_may_bring_the_budget),
        cmocka_unit_test(strict_bytes_are_told_in_any_accounting),
        cmocka_unit_test(published_is_compared_in_its_own_accounting),
        cmocka_unit_test(the_first_split_may_be_the_graphs_own),
        cmocka_unit_test(a_graph_s_own_split_is_used_unless_another_is_asked_for),
        cmocka_unit_test(small_graphs_that_are_the_same_train_once),
        cmocka_unit_test(times_of_the_parts_are_told),
        cmocka_unit_test(pairs_are_correlated_nearest_first),
        cmocka_unit_test(pairs_that_cannot_be_cost_their_cells_only),
        cmocka_unit_test(stops_within_cells_that_share_pairs),
        cmocka_unit_test(refuses_cells_that_ask_for_nothing),
        cmocka_unit_test(splits_and_draws_are_those_of_single_steps),
        cmocka_unit_test(side_by_side_gives_the_same_cells),
        cmocka_unit_test(side_by_side_can_be_canceled_and_resumed),
        cmocka_unit_test(side_by_side_names_what_is_wrong),
        cmocka_unit_test(checksums_are_of_the_sections_asked_for),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
