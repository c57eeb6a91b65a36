/* test_reader.c -- trees chosen by one rank whose nodes are with others: the same choice as alone.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>

#include "trees/reader.h"
#include "parted.h"

typedef struct {
    bn_job job;
    bonsai_condense_options o;
    bn_budget budget;
    bonsai_graph *g;
    parted p;
    bn_choice got;              /* of rank 0 */
    bool others_have_none;
} work;

static const int ranks_to_try[] = {2, 3, 5, 8};

/* A job on g whose trees cover z random samples. */
static bool start(work *w, bonsai_graph *g, uint64_t seed, int64_t z)
{
    memset(w, 0, sizeof *w);
    w->g = g;
    bonsai_condense_options_init(&w->o);
    w->o.method = BONSAI_METHOD_TREES;
    w->o.seed = seed;
    w->job.g = g;
    w->job.o = &w->o;
    w->job.at.threads = 1;
    w->budget = (bn_budget){INFINITY, INT64_MAX, INT64_MAX};
    assert_int_equal(BN_NEW(&w->job.train, g->view.nodes), BONSAI_OK);
    for (int32_t v = 0; v < g->view.nodes; v++)
        if (bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) >= 0)
            w->job.train[w->job.trees++] = v;
    int64_t trees = w->job.trees, at = 0;
    w->job.z = z;
    w->job.rknn.count = trees;
    assert_int_equal(BN_NEW(&w->job.rknn.offsets, trees + 1), BONSAI_OK);
    assert_int_equal(BN_NEW(&w->job.rknn.item, trees * z), BONSAI_OK);
    for (int64_t t = 0; t < trees; t++) {
        for (int32_t s = 0; s < z; s++)
            if (random_below(&seed, 8) == 0)
                w->job.rknn.item[at++] = s;
        w->job.rknn.offsets[t + 1] = at;
    }
    return trees >= 2;
}

static void end(work *w)
{
    bn_free(w->job.train);
    bn_lists_free(&w->job.rknn);
    bonsai_graph_free(w->g);
}

static bonsai_status choose_on_rank(bn_world *world, void *payload)
{
    work *w = payload;
    bn_choice c;
    bn_job job = job_of(&w->p, world, &w->job);
    bonsai_status rc = bn_trees(&c, &job, &w->budget);
    if (world->rank == 0)
        w->got = c;
    else if (c.node || c.trace)
        w->others_have_none = false;
    return rc;
}

static bonsai_status choose_on(work *w, int ranks, uint64_t seed)
{
    part(&w->p, ranks, w->g, w->job.train, w->job.trees, seed);
    w->others_have_none = true;
    bonsai_status rc = run_ranks(ranks, choose_on_rank, w);
    assert_true(w->others_have_none);
    unpart(&w->p);
    return rc;
}

static void assert_same_trace(const bn_trace *a, const bn_trace *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->starts, b->starts);
    assert_int_equal(a->rounds, b->rounds);
    assert_memory_equal(a->start, b->start, sizeof a->start);
    for (int64_t i = 0; i < a->count; i++)
        assert_true(a->point[i].bytes == b->point[i].bytes &&
                    a->point[i].covered == b->point[i].covered &&
                    a->point[i].keep == b->point[i].keep);
    for (int64_t i = 0; i < a->rounds; i++)
        assert_memory_equal(&a->round[i], &b->round[i], sizeof a->round[i]);
}

static void assert_same_choice(const bn_choice *a, const bn_choice *b)
{
    assert_int_equal(a->count, b->count);
    size_t n = (size_t)a->count;
    assert_memory_equal(a->node, b->node, n * sizeof *a->node);
    assert_memory_equal(a->role, b->role, n * sizeof *a->role);
    assert_memory_equal(a->score, b->score, n * sizeof *a->score);
    assert_memory_equal(a->tree, b->tree, n * sizeof *a->tree);
    assert_memory_equal(a->covers, b->covers, n * sizeof *a->covers);
    assert_true(a->bytes == b->bytes && a->coverage == b->coverage);
    assert_true(a->coverage_bound == b->coverage_bound);
    assert_int_equal(a->rechecks, b->rechecks);
    assert_int_equal(a->rounds, b->rounds);
    assert_int_equal(a->shallow_classes, b->shallow_classes);
    assert_same_trace(a->trace, b->trace);
}

static void random_options(work *w, uint64_t seed)
{
    w->o.accounting = seed / 2 % 2 ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
    w->o.layers = (int)(seed % 4);
    w->o.no_ppr = seed % 7 == 0;
    w->o.density = seed % 3 == 0;
    w->o.patience = seed % 2 ? 200 : 3;
    w->o.prune_share = seed % 10 == 0 ? 0.5 : 1;
    if (seed % 9 == 8)
        w->budget.nodes = 1 + (int64_t)(seed % 12);
    else if (seed % 9 == 7)
        w->budget.trees = 1 + (int64_t)(seed % 5);
    else
        w->budget.bytes = 10 + (double)(seed * 37 % 900);
}

/* Chooses alone and over ranks; either both find something, the same, or both refuse. */
static bool choose_both_ways(work *w, int ranks, uint64_t seed)
{
    bn_choice alone;
    char sentence[512] = "";
    bonsai_status rc = bn_trees(&alone, &w->job, &w->budget);
    if (rc != BONSAI_OK)
        snprintf(sentence, sizeof sentence, "%s", bonsai_error());
    assert_int_equal(choose_on(w, ranks, seed), rc);
    if (rc == BONSAI_OK)
        assert_same_choice(&alone, &w->got);
    else
        assert_string_equal(bonsai_error(), sentence);
    bn_choice_free(&alone);
    bn_choice_free(&w->got);
    return rc == BONSAI_OK;
}

static void any_number_of_ranks_makes_the_same_choice(void **state)
{
    (void)state;
    int chosen = 0, refused = 0;
    for (uint64_t seed = 0; seed < 240; seed++) {
        work w;
        if (start(&w, case_graph(seed), seed, 10)) {
            random_options(&w, seed);
            bool found = choose_both_ways(&w, ranks_to_try[seed % 4], seed / 4);
            chosen += found;
            refused += !found;
        }
        end(&w);
    }
    assert_true(chosen > 150 && refused > 2);
}

static void a_budget_that_is_too_small_is_refused_with_the_same_sentence(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 32; seed++) {
        work w;
        if (start(&w, case_graph(seed), seed, 10)) {
            w.o.accounting = seed % 2 ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
            w.budget.bytes = 1;
            assert_false(choose_both_ways(&w, ranks_to_try[seed % 4], seed));
            assert_non_null(strstr(bonsai_error(), "a budget of 1 bytes is too small"));
        }
        end(&w);
    }
}

/* ---- the door itself ---- */

static bonsai_status read_all(work *w, const bn_job *job)
{
    bonsai_status rc;
    bn_reader *r = NULL, *whole = NULL;
    bn_price *p = NULL, *wanted = NULL;
    BN_TRY(bn_reader_of(&r, job));
    BN_TRY(bn_reader_new(&whole, w->g, BONSAI_ACCOUNTING_STRICT));
    BN_TRY(bn_price_new(&p, r));
    BN_TRY(bn_price_new(&wanted, whole));
    for (int32_t v = (int32_t)w->g->view.nodes - 1; v >= 0 && rc == BONSAI_OK; v--) {
        double least, other;
        if (v % 3 == 0)                         /* a portion first; the rest is added to it */
            BN_TRY(bn_reader_get(r, &v, 1, 1 + v % 4));
        if (v % 2)
            BN_TRY(bn_price_least(&least, p, v));
        BN_TRY(bn_price_least(&other, wanted, v));
        BN_TRY(bn_price_add(p, v));
        BN_TRY(bn_price_add(wanted, v));
        const bn_near a = bn_near_of(r, v), b = bn_near_of(whole, v);
        size_t n = (size_t)b.count * sizeof *b.to;
        if ((v % 2 && least != other) || bn_price_bytes(p) != bn_price_bytes(wanted) ||
            a.count != b.count || (n > 0 && memcmp(a.to, b.to, n) != 0) ||
            (n > 0 && b.weight && memcmp(a.weight, b.weight, n) != 0))
            rc = bn_fail(BONSAI_E_FORMAT, "node %d is not the same", v);
    }
done:
    bn_price_free(p);
    bn_price_free(wanted);
    bn_reader_free(r);
    bn_reader_free(whole);
    return rc;
}

static bonsai_status read_on_rank(bn_world *world, void *payload)
{
    work *w = payload;
    bonsai_status rc;
    bn_job job = job_of(&w->p, world, &w->job);
    if (world->rank == 0) {
        rc = read_all(w, &job);
        bn_reader_done(&job);
    } else {
        rc = bn_reader_serve(&job);
    }
    return bn_agree(world, rc);
}

static void what_was_not_asked_for_is_fetched_when_it_is_read(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        work w;
        start(&w, case_graph(seed), seed, 1);
        part(&w.p, ranks_to_try[seed % 4], w.g, w.job.train, w.job.trees, seed / 4);
        if (run_ranks(w.p.ranks, read_on_rank, &w) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        unpart(&w.p);
        end(&w);
    }
}

/* ---- larger graphs: hubs come in portions ---- */

static bonsai_graph *large_graph(int dense)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 4000;
    o.features = 20;
    o.degree = 20;
    o.exponent = 2.05;
    o.dense = dense;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

static void hubs_change_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        work w;
        assert_true(start(&w, large_graph(i % 2), 3, 20));
        w.o.layers = 1 + i % 2;
        w.o.density = i == 2;
        w.budget.bytes = 20000 + 30000 * i;
        assert_true(choose_both_ways(&w, ranks_to_try[i], (uint64_t)i));
        end(&w);
    }
}

static atomic_int questions, answers;
static atomic_int_least64_t answered;           /* bytes */
static bonsai_status (*real_send)(bn_world *w, int to, const void *data, int64_t bytes);

static bonsai_status counting_send(bn_world *w, int to, const void *data, int64_t bytes)
{
    if (w->rank == 0 && bytes > 0)
        atomic_fetch_add(&questions, 1);
    else if (w->rank > 0) {
        atomic_fetch_add(&answers, 1);
        atomic_fetch_add(&answered, bytes);
    }
    return real_send(w, to, data, bytes);
}

static bonsai_status choose_counting(bn_world *world, void *payload)
{
    bonsai_status rc = bn_agree(world, BONSAI_OK);
    if (world->rank == 0)
        real_send = world->send;
    rc = rc != BONSAI_OK ? rc : bn_agree(world, BONSAI_OK);
    world->send = counting_send;
    return rc != BONSAI_OK ? rc : choose_on_rank(world, payload);
}

static void a_tree_takes_few_messages(void **state)
{
    (void)state;
    work w;
    assert_true(start(&w, large_graph(0), 3, 20));
    w.budget.bytes = 50000;
    part(&w.p, 3, w.g, w.job.train, w.job.trees, 0);
    assert_int_equal(run_ranks(3, choose_counting, &w), BONSAI_OK);
    unpart(&w.p);
    int64_t roots = 0;
    for (int64_t i = 0; i < w.got.count; i++)
        roots += w.got.role[i] == BONSAI_ROLE_ROOT;
    print_message("%d questions for %lld nodes, %lld of them roots, of %lld trees\n", questions,
                  (long long)w.got.count, (long long)roots, (long long)w.job.trees);
    assert_int_equal(questions, answers);
    assert_true(questions > 4 && questions < w.job.trees);
    bn_choice_free(&w.got);
    end(&w);
}

/* A hub, the last node, with many leaves, of which the first two are trees. */
static bonsai_graph *star(int32_t leaves, bool hub_trains)
{
    int32_t *hub = calloc((size_t)leaves, sizeof *hub);
    int32_t *leaf = calloc((size_t)leaves, sizeof *leaf);
    float *x = calloc((size_t)leaves + 1, sizeof *x);
    uint8_t *label = calloc((size_t)leaves + 1, 1), *split = calloc((size_t)leaves + 1, 1);
    bonsai_view v;
    bonsai_graph *g = NULL;
    for (int32_t i = 0; i < leaves; i++) {
        hub[i] = leaves;
        leaf[i] = i;
        x[i] = 1.0f + (float)i / 3;
    }
    split[0] = split[1] = BONSAI_PART_TRAIN;
    split[leaves] = hub_trains ? BONSAI_PART_TRAIN : BONSAI_PART_TEST;
    bonsai_view_init(&v);
    v.nodes = leaves + 1;
    v.features = v.classes = 1;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, leaves + 1, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, leaves + 1, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){split, leaves + 1, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, leaves, hub, leaf, NULL, NULL), BONSAI_OK);
    free(hub);
    free(leaf);
    free(x);
    free(label);
    free(split);
    return g;
}

static void a_hub_comes_in_portions(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        work w;
        assert_true(start(&w, star(7000, i % 2), 3, 4));
        w.o.layers = i < 4 ? 2 : 0;
        w.budget.nodes = i < 2 ? 7001 : i < 4 ? 5000 : 3000;
        assert_true(choose_both_ways(&w, 2 + i % 2, 0));
        end(&w);
    }
}

static void a_hub_whose_tree_does_not_fit_is_not_fetched_with_all_its_leaves(void **state)
{
    (void)state;
    enum { LEAVES = 50000 };
    work w;
    assert_true(start(&w, star(LEAVES, false), 3, 4));
    w.budget.nodes = 100;
    part(&w.p, 2, w.g, w.job.train, w.job.trees, 0);
    atomic_store(&answered, 0);
    assert_int_equal(run_ranks(2, choose_counting, &w), BONSAI_OK);
    assert_int_equal(w.got.count, 100);
    unpart(&w.p);
    /* its entries are, once, for it is chosen; its leaves are in portions */
    assert_true(answered >= 4 * LEAVES && answered < 5 * LEAVES);
    bn_choice_free(&w.got);
    end(&w);
}

static void what_is_kept_counts_as_memory(void **state)
{
    (void)state;
    work w;
    bn_memory m = {.limit = 1};         /* nothing fits: all is in scratch files */
    assert_true(start(&w, large_graph(0), 3, 20));
    w.job.at.memory = &m;
    w.budget.bytes = 20000;
    assert_true(choose_both_ways(&w, 2, 0));
    assert_true(m.spilled_most > 0 && m.spilled == 0 && m.used == 0);
    end(&w);
}

/* ---- failures ---- */

static int stop_at_once(const bonsai_progress *p, void *payload)
{
    (void)p;
    return --*(int *)payload < 0;
}

static void a_canceled_choice_ends_everywhere(void **state)
{
    (void)state;
    for (int after = 0; after < 12; after++) {
        work w;
        int left = after;
        assert_true(start(&w, case_graph(3), 3, 10));
        w.o.layers = 2;
        w.budget.bytes = 400;
        w.job.at.progress = (bn_progress){stop_at_once, &left};
        bonsai_status rc = choose_on(&w, 3, 0);
        assert_int_equal(rc, left < 0 ? BONSAI_E_CANCELED : BONSAI_OK);
        assert_true(after > 1 || left < 0);
        bn_choice_free(&w.got);
        end(&w);
    }
}

static bonsai_status choose_once(void *payload)
{
    work *w = payload;
    bonsai_status rc = run_ranks(w->p.ranks, choose_on_rank, w);
    bn_choice_free(&w->got);
    return rc;
}

static void a_failed_allocation_on_any_rank_ends_all(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        work w;
        assert_true(start(&w, case_graph(8 + (uint64_t)i), 8, 10));
        w.o.layers = 2;
        w.o.density = i == 1;
        w.budget.bytes = 400;
        part(&w.p, 3, w.g, w.job.train, w.job.trees, 0);
        survives_failed_allocations(choose_once, &w, 40);
        unpart(&w.p);
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_ranks_makes_the_same_choice),
        cmocka_unit_test(a_budget_that_is_too_small_is_refused_with_the_same_sentence),
        cmocka_unit_test(what_was_not_asked_for_is_fetched_when_it_is_read),
        cmocka_unit_test(hubs_change_nothing),
        cmocka_unit_test(a_tree_takes_few_messages),
        cmocka_unit_test(a_hub_comes_in_portions),
        cmocka_unit_test(a_hub_whose_tree_does_not_fit_is_not_fetched_with_all_its_leaves),
        cmocka_unit_test(what_is_kept_counts_as_memory),
        cmocka_unit_test(a_canceled_choice_ends_everywhere),
        cmocka_unit_test(a_failed_allocation_on_any_rank_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
