/* test_compare.c -- tables of methods, ratios and models.
 *
 * SPDX-License-Identifier: MIT */
#include "studying.h"

enum { METHODS = 3, RATIOS = 2, MODELS = 2, CELLS = (1 + METHODS * RATIOS) * MODELS };

static const bonsai_method     methods[METHODS] = {BONSAI_METHOD_TREES, BONSAI_METHOD_RANDOM,
                                                   BONSAI_METHOD_KCENTER};
static const double            ratios[RATIOS] = {0.1, 0.2};
static const bonsai_model_kind models[MODELS] = {BONSAI_MODEL_GCN, BONSAI_MODEL_SAGE};

typedef struct {                /* all that a table is made from; little of everything */
    bonsai_graph *g;
    bonsai_compare_options  o;
    bonsai_condense_options condense;
    bonsai_train_options    train;
} setting;

static void set_up(setting *t)
{
    memset(t, 0, sizeof *t);
    t->g = studied_graph();
    t->train = studied_training();
    bonsai_condense_options_init(&t->condense);
    bonsai_compare_options_init(&t->o);
    t->train.every = 2;
    t->o.methods = methods;
    t->o.method_count = METHODS;
    t->o.ratios = ratios;
    t->o.ratio_count = RATIOS;
    t->o.models = models;
    t->o.model_count = MODELS;
    t->o.condense = &t->condense;
    t->o.train = &t->train;
}

static void tear_down(setting *t)
{
    bonsai_graph_free(t->g);
}

static void plan(bonsai_cell *cells, const setting *t)
{
    assert_int_equal(bonsai_compare_cells(cells, &t->o), BONSAI_OK);
}

static void compare(bonsai_cell *cells, const setting *t)
{
    plan(cells, t);
    if (bonsai_compare(cells, t->g, &t->o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
}

/* All but the seconds. */
static void assert_same_cell(const bonsai_cell *a, const bonsai_cell *b)
{
    assert_int_equal(a->method, b->method);
    assert_int_equal(a->model, b->model);
    assert_int_equal(a->done, b->done);
    assert_int_equal(a->runs, b->runs);
    assert_true(a->ratio == b->ratio && a->accuracy_mean == b->accuracy_mean);
    assert_true(a->accuracy_std == b->accuracy_std && a->bytes == b->bytes && a->share == b->share);
    assert_true(a->nodes == b->nodes && a->edges == b->edges && a->labelled == b->labelled);
    assert_string_equal(a->why, b->why);
}

static void assert_same_table(const bonsai_cell *a, const bonsai_cell *b, int count)
{
    for (int i = 0; i < count; i++)
        assert_same_cell(&a[i], &b[i]);
}

/* ---- the plan ---- */

static void plans_the_full_graph_then_method_by_ratio_by_model(void **state)
{
    setting t;
    bonsai_cell cells[CELLS];
    (void)state;
    set_up(&t);
    memset(cells, 0xff, sizeof cells);
    assert_int_equal(bonsai_compare_count(&t.o), CELLS);
    plan(cells, &t);
    for (int i = 0; i < CELLS; i++) {
        int row = i / MODELS;
        assert_int_equal(cells[i].size, sizeof *cells);
        assert_int_equal(cells[i].model, models[i % MODELS]);
        assert_int_equal(cells[i].method, row ? (int)methods[(row - 1) / RATIOS] : -1);
        assert_true(cells[i].ratio == (row ? ratios[(row - 1) % RATIOS] : 1));
        assert_true(cells[i].done == 0 && cells[i].runs == 0 && cells[i].why[0] == 0);
    }
    t.o.method_count = 0;               /* the full graph alone */
    assert_int_equal(bonsai_compare_count(&t.o), MODELS);
    tear_down(&t);
}

static void assert_no_plan(const setting *t, const char *why)
{
    bonsai_cell cells[CELLS];
    assert_int_equal(bonsai_compare_count(&t->o), -1);
    assert_fails(bonsai_compare_cells(cells, &t->o), BONSAI_E_ARGUMENT, why);
    assert_fails(bonsai_compare(cells, t->g, &t->o), BONSAI_E_ARGUMENT, why);
}

static void refuses_lists_that_make_no_table(void **state)
{
    setting t;
    const bonsai_method no_method[1] = {BONSAI_METHOD_COUNT};
    const bonsai_model_kind no_model[2] = {BONSAI_MODEL_GCN, BONSAI_MODEL_COUNT};
    const double no_ratio[2] = {0.1, 1.5};
    (void)state;
    set_up(&t);
    t.o.methods = no_method;
    t.o.method_count = 1;
    char unknown[32];
    snprintf(unknown, sizeof unknown, "method %d is not known", BONSAI_METHOD_COUNT);
    assert_no_plan(&t, unknown);
    t.o.methods = NULL;
    assert_no_plan(&t, "1 methods to compare, but no list of them");
    t.o.method_count = -1;
    assert_no_plan(&t, "the number of methods to compare is -1; it must be at least 0");
    t.o.method_count = 0;
    t.o.ratios = no_ratio;
    assert_no_plan(&t, "ratio is 1.5; it must be above 0 and at most 1");
    t.o.ratio_count = 1;
    t.o.models = no_model;
    assert_no_plan(&t, "model 4 is not known");
    t.o.model_count = 0;
    assert_no_plan(&t, "the number of models to compare is 0; it must be at least 1");
    tear_down(&t);
}

static void refuses_cells_of_another_plan(void **state)
{
    setting t;
    bonsai_cell cells[CELLS];
    (void)state;
    set_up(&t);
    plan(cells, &t);
    cells[5].ratio = 0.3;
    assert_fails(bonsai_compare(cells, t.g, &t.o), BONSAI_E_ARGUMENT,
                 "cell 5 is not as bonsai_compare_cells made it");
    plan(cells, &t);
    cells[0].size = 0;
    assert_fails(bonsai_compare(cells, t.g, &t.o), BONSAI_E_ARGUMENT, "bonsai_cell was not initialised");
    tear_down(&t);
}

/* ---- the cells ---- */

/* What a user would do step by step. */
static bonsai_cell by_hand(const setting *t, const bonsai_cell *asked)
{
    bonsai_cell c = *asked;
    const bonsai_graph *full = t->g;
    bonsai_graph *small = NULL;
    bonsai_training *trained = NULL;
    bonsai_condense_info info;
    bonsai_condense_options condense = t->condense;
    bonsai_train_options train = t->train;
    train.model = c.model;
    condense.method = (bonsai_method)c.method;
    condense.ratio = c.ratio;
    if (c.method >= 0)
        small = condensed(&info, full, &condense);
    assert_int_equal(bonsai_train(&trained, small ? small : full, full, &train), BONSAI_OK);
    c.done = 1;
    c.runs = train.seeds;
    c.accuracy_mean = bonsai_training_info(trained)->accuracy_mean;
    c.accuracy_std = bonsai_training_info(trained)->accuracy_std;
    c.bytes = size_in(small ? small : full, BONSAI_ACCOUNTING_STRICT);
    c.share = small ? info.ratio : 1;
    c.nodes = bonsai_graph_nodes(small ? small : full);
    c.edges = bonsai_graph_edges(small ? small : full);
    c.labelled = small ? info.labelled : c.nodes;
    bonsai_training_free(trained);
    bonsai_graph_free(small);
    return c;
}

static void cells_are_those_of_single_steps(void **state)
{
    setting t;
    bonsai_cell cells[CELLS], asked[CELLS];
    (void)state;
    set_up(&t);
    plan(asked, &t);
    compare(cells, &t);
    for (int i = 0; i < CELLS; i++) {
        bonsai_cell own = by_hand(&t, &asked[i]);
        assert_same_cell(&cells[i], &own);
        assert_true(cells[i].seconds_condense >= 0);
        assert_true((cells[i].seconds_condense > 0) == (cells[i].method >= 0));
    }
    tear_down(&t);
}

static void counts_bytes_as_asked(void **state)
{
    setting t;
    bonsai_cell cells[CELLS];
    (void)state;
    set_up(&t);
    t.condense.accounting = BONSAI_ACCOUNTING_PAPER_FULL;
    compare(cells, &t);
    assert_true(cells[0].bytes == size_in(t.g, BONSAI_ACCOUNTING_PAPER_FULL));
    for (int i = MODELS; i < CELLS; i++) {
        assert_true(cells[i].bytes <= cells[i].ratio * cells[0].bytes);
        assert_true(fabs(cells[i].share - cells[i].bytes / cells[0].bytes) < 1e-12);
    }
    tear_down(&t);
}

static bonsai_graph *with_no_split(const bonsai_graph *g)
{
    bonsai_view v = *bonsai_graph_view(g);
    bonsai_graph *out = NULL;
    memset(&v.section[BONSAI_SECTION_SPLIT], 0, sizeof v.section[0]);
    assert_int_equal(bonsai_graph_new(&out, &v, 1), BONSAI_OK);
    return out;
}

/* Condensing draws a split too, and counts the graph as it is. */
static void counts_no_split_that_was_drawn(void **state)
{
    setting t;
    bonsai_cell cells[CELLS];
    bonsai_condense_info info;
    (void)state;
    set_up(&t);
    bonsai_graph *plain = with_no_split(t.g), *all = t.g;
    t.g = plain;
    compare(cells, &t);
    t.condense.method = methods[1];
    t.condense.ratio = ratios[0];
    bonsai_graph *small = condensed(&info, plain, &t.condense);
    assert_true(size_in(plain, BONSAI_ACCOUNTING_STRICT) ==
                size_in(all, BONSAI_ACCOUNTING_STRICT) - (double)bonsai_graph_nodes(all));
    for (int i = 0; i < MODELS; i++) {
        assert_true(cells[i].bytes == info.full_bytes);
        assert_true(cells[i].bytes == size_in(plain, BONSAI_ACCOUNTING_STRICT));
    }
    for (int i = MODELS; i < CELLS; i++)
        assert_true(fabs(cells[i].share - cells[i].bytes / info.full_bytes) < 1e-12);
    bonsai_graph_free(small);
    bonsai_graph_free(plain);
    t.g = all;
    tear_down(&t);
}

static void draws_the_split_that_is_asked_for(void **state)
{
    setting t;
    bonsai_cell usual[CELLS], asked[CELLS];
    (void)state;
    set_up(&t);
    t.o.ratio_count = 1;
    compare(usual, &t);
    assert_true(bonsai_split_named(t.train.split, "own"));
    t.condense.split[0] = t.condense.split[1] = 50;     /* has no say */
    compare(asked, &t);
    assert_same_table(usual, asked, (1 + METHODS) * MODELS);
    memcpy(t.train.split, (const double[]){4, 20, 76}, sizeof t.train.split);
    t.condense.k = 1;
    compare(asked, &t);
    for (int i = MODELS; i < (1 + METHODS) * MODELS; i++)
        assert_true(asked[i].labelled <= 6);            /* 4 of 150 in percent */
    tear_down(&t);
}

static int count_cells(const bonsai_cell *c, void *payload)
{
    assert_true(c->done);
    ++*(int *)payload;
    return 0;
}

static void leaves_cells_alone_that_are_done(void **state)
{
    setting t;
    bonsai_cell all[CELLS], some[CELLS];
    int told = 0, open = 0;
    (void)state;
    set_up(&t);
    compare(all, &t);
    plan(some, &t);
    for (int i = 0; i < CELLS; i++)
        if (i % 3 == 0 || i / MODELS == 2) {            /* one ratio of a method is complete */
            some[i].done = 1;
            some[i].runs = 7;
            some[i].accuracy_mean = 12.5;
        } else {
            open++;
        }
    t.o.cell = count_cells;
    t.o.cell_payload = &told;
    assert_int_equal(bonsai_compare(some, t.g, &t.o), BONSAI_OK);
    assert_int_equal(told, open);
    for (int i = 0; i < CELLS; i++)
        if (i % 3 == 0 || i / MODELS == 2) {
            assert_int_equal(some[i].runs, 7);
            assert_true(some[i].accuracy_mean == 12.5 && some[i].nodes == 0);
        } else {
            assert_same_cell(&some[i], &all[i]);
        }
    tear_down(&t);
}

static void a_budget_that_is_too_small_costs_its_cells_only(void **state)
{
    setting t;
    const double with_small[3] = {0.1, 1e-4, 0.2};
    bonsai_cell all[CELLS], cells[(1 + METHODS * 3) * MODELS];
    int told = 0;
    (void)state;
    set_up(&t);
    compare(all, &t);
    t.o.ratios = with_small;
    t.o.ratio_count = 3;
    t.o.cell = count_cells;
    t.o.cell_payload = &told;
    compare(cells, &t);
    assert_int_equal(told, (1 + METHODS * 3) * MODELS);
    assert_same_table(cells, all, MODELS);
    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < MODELS; k++) {
            const bonsai_cell *row = &cells[(1 + i * 3) * MODELS + k];
            assert_same_cell(&row[0], &all[(1 + i * RATIOS) * MODELS + k]);
            assert_same_cell(&row[2 * MODELS], &all[(2 + i * RATIOS) * MODELS + k]);
            assert_true(row[MODELS].done && row[MODELS].runs == 0 && row[MODELS].nodes == 0);
            assert_non_null(strstr(row[MODELS].why, "is too small: the smallest possible graph"));
        }
    tear_down(&t);
}

static void a_small_graph_of_one_class_costs_its_cells_only(void **state)
{
    setting t;
    const double one_node[1] = {0.006};
    bonsai_cell cells[CELLS];
    (void)state;
    set_up(&t);
    t.o.ratios = one_node;
    t.o.ratio_count = 1;
    compare(cells, &t);
    for (int i = MODELS; i < (1 + METHODS) * MODELS; i++) {
        assert_int_equal(cells[i].nodes, 1);
        assert_true(cells[i].done && cells[i].runs == 0);
        assert_non_null(strstr(cells[i].why, "class"));
    }
    tear_down(&t);
}

static void a_model_that_cannot_be_costs_its_cells_only(void **state)
{
    setting t;
    const bonsai_model_kind with_gat[MODELS] = {BONSAI_MODEL_GAT, BONSAI_MODEL_SAGE};
    bonsai_cell all[CELLS], cells[CELLS];
    (void)state;
    set_up(&t);
    compare(all, &t);
    t.o.models = with_gat;
    t.train.heads = 3;                                  /* which cannot share 8 columns */
    compare(cells, &t);
    for (int i = 0; i < CELLS; i += MODELS) {
        assert_true(cells[i].done && cells[i].runs == 0 && cells[i].nodes > 0);
        assert_non_null(strstr(cells[i].why, "hidden is 8, which 3 heads cannot share"));
        assert_same_cell(&cells[i + 1], &all[i + 1]);
    }
    t.o.model_count = 1;
    plan(cells, &t);
    assert_fails(bonsai_compare(cells, t.g, &t.o), BONSAI_E_ARGUMENT, "3 heads cannot share");
    assert_int_equal(cells[0].done, 0);
    tear_down(&t);
}

static void ends_where_nothing_can_be_trained(void **state)
{
    setting t;
    bonsai_cell cells[CELLS];
    (void)state;
    set_up(&t);
    t.train.epochs = 0;
    plan(cells, &t);
    assert_fails(bonsai_compare(cells, t.g, &t.o), BONSAI_E_ARGUMENT, "epochs");
    t.train.epochs = 3;
    t.condense.k = 0;
    assert_fails(bonsai_compare(cells, t.g, &t.o), BONSAI_E_ARGUMENT, "k is 0");
    for (int i = 0; i < CELLS; i++)
        assert_int_equal(cells[i].done, 0);
    tear_down(&t);
}

/* ---- stopping and going on ---- */

typedef struct {
    int      ticks, stop_at;    /* -1: never */
    uint64_t last, total;
} watch;

static int watching(const bonsai_progress *p, void *payload)
{
    watch *w = payload;
    assert_string_equal(p->stage, "comparing");
    assert_true(p->done >= w->last && p->done <= p->total);
    assert_true(w->ticks > 0 || p->done == 0);
    assert_true(w->last < p->total);                    /* the end comes once */
    w->last = p->done;
    w->total = p->total;
    return w->ticks++ == w->stop_at;
}

static void tells_one_stage_from_0_to_all(void **state)
{
    setting t;
    bonsai_cell cells[CELLS];
    watch w = {.stop_at = -1, .total = 1};
    (void)state;
    set_up(&t);
    t.o.progress = watching;
    t.o.payload = &w;
    compare(cells, &t);
    assert_true(w.last == w.total && w.ticks > CELLS);
    w = (watch){.stop_at = -1, .total = 1};
    assert_int_equal(bonsai_compare(cells, t.g, &t.o), BONSAI_OK);      /* all is done */
    assert_true(w.last == w.total && w.ticks == 2);
    tear_down(&t);
}

static void goes_on_from_wherever_it_was_canceled(void **state)
{
    setting t;
    bonsai_cell all[CELLS], cells[CELLS];
    (void)state;
    set_up(&t);
    compare(all, &t);
    plan(cells, &t);
    int64_t before = bn_mem_live();
    bonsai_status rc = BONSAI_E_CANCELED;
    for (int stop = 0, rounds = 0; rc == BONSAI_E_CANCELED; stop = (stop + 7) % 40, rounds++) {
        watch w = {.stop_at = rounds < 60 ? stop : -1, .total = 1};
        t.o.progress = watching;
        t.o.payload = &w;
        rc = bonsai_compare(cells, t.g, &t.o);
        assert_int_equal(bn_mem_live(), before);
        for (int i = 0; i < CELLS; i++)
            if (cells[i].done)
                assert_same_cell(&cells[i], &all[i]);
    }
    assert_int_equal(rc, BONSAI_OK);
    assert_same_table(cells, all, CELLS);
    tear_down(&t);
}

static int stop_at_fifth(const bonsai_cell *c, void *payload)
{
    (void)c;
    return ++*(int *)payload == 5;
}

static void stops_when_the_cells_callback_says_so(void **state)
{
    setting t;
    bonsai_cell all[CELLS], cells[CELLS];
    int told = 0;
    (void)state;
    set_up(&t);
    compare(all, &t);
    t.o.cell = stop_at_fifth;
    t.o.cell_payload = &told;
    plan(cells, &t);
    int64_t before = bn_mem_live();
    assert_fails(bonsai_compare(cells, t.g, &t.o), BONSAI_E_CANCELED, "canceled after a cell");
    assert_int_equal(bn_mem_live(), before);
    assert_int_equal(told, 5);
    for (int i = 0; i < CELLS; i++)
        assert_int_equal(cells[i].done, i < 5);
    assert_int_equal(bonsai_compare(cells, t.g, &t.o), BONSAI_OK);
    assert_same_table(cells, all, CELLS);
    tear_down(&t);
}

/* ---- any threads, any allocation ---- */

static void one_thread_and_three_make_the_same_cells(void **state)
{
    setting t;
    bonsai_cell one[CELLS], three[CELLS];
    (void)state;
    set_up(&t);
    t.condense.threads = t.train.threads = 1;
    compare(one, &t);
    t.condense.threads = t.train.threads = 3;
    compare(three, &t);
    assert_same_table(one, three, CELLS);
    tear_down(&t);
}

static bonsai_status compare_little(void *payload)
{
    const setting *t = payload;
    bonsai_cell cells[CELLS];
    bonsai_status rc = bonsai_compare_cells(cells, &t->o);
    return rc != BONSAI_OK ? rc : bonsai_compare(cells, t->g, &t->o);
}

static void survives_every_failed_allocation(void **state)
{
    setting t;
    (void)state;
    set_up(&t);
    t.o.method_count = 2;
    t.o.model_count = 1;
    t.train.epochs = t.train.seeds = 1;
    t.condense.threads = t.train.threads = 1;
    survives_failed_allocations(compare_little, &t, 50);
    tear_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_the_full_graph_then_method_by_ratio_by_model),
        cmocka_unit_test(refuses_lists_that_make_no_table),
        cmocka_unit_test(refuses_cells_of_another_plan),
        cmocka_unit_test(cells_are_those_of_single_steps),
        cmocka_unit_test(counts_bytes_as_asked),
        cmocka_unit_test(counts_no_split_that_was_drawn),
        cmocka_unit_test(draws_the_split_that_is_asked_for),
        cmocka_unit_test(leaves_cells_alone_that_are_done),
        cmocka_unit_test(a_budget_that_is_too_small_costs_its_cells_only),
        cmocka_unit_test(a_small_graph_of_one_class_costs_its_cells_only),
        cmocka_unit_test(a_model_that_cannot_be_costs_its_cells_only),
        cmocka_unit_test(ends_where_nothing_can_be_trained),
        cmocka_unit_test(tells_one_stage_from_0_to_all),
        cmocka_unit_test(goes_on_from_wherever_it_was_canceled),
        cmocka_unit_test(stops_when_the_cells_callback_says_so),
        cmocka_unit_test(one_thread_and_three_make_the_same_cells),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
