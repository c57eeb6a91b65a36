/* test_prototypes_ranks.c -- the prototypes of several ranks are those of one, to the byte.
 *
 * SPDX-License-Identifier: MIT */
#include "prototypes/judge.h"
#include "prototypes/prototypes.h"
#include "prototyping.h"
#include "threads_world.h"

enum { MOST_RANKS = 8 };
static const int rank_counts[] = {1, 2, 3, 5, 8};

typedef struct {
    const bonsai_graph *g;
    bonsai_condense_options o;
    bn_budget budget;
    int64_t  first[MOST_RANKS + 1];
    int64_t  limit;             /* of memory; 0: none */
    bonsai_graph *small[MOST_RANKS];
    bn_recipe recipe[MOST_RANKS];
} errand;

/* Borders at random, so that ranks without nodes, and without trees, are met. */
static void part_nodes(errand *t, int ranks, uint64_t *s)
{
    memset(t->first, 0, sizeof t->first);
    t->first[ranks] = t->g->view.nodes;
    for (int r = 1; r < ranks; r++) {
        int64_t at = random_below(s, (int)t->g->view.nodes + 1);
        int i = r;
        for (; i > 1 && t->first[i - 1] > at; i--)
            t->first[i] = t->first[i - 1];
        t->first[i] = at;
    }
}

static bonsai_status list_trees(bn_job *job, const errand *t, int ranks)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&job->train, t->g->view.nodes));
    BN_TRY(BN_NEW(&job->tree_first, ranks + 1));
    for (int64_t v = 0, r = 0; v <= t->g->view.nodes; v++) {
        for (; r <= ranks && t->first[r] == v; r++)
            job->tree_first[r] = job->trees;
        if (v < t->g->view.nodes && bn_part(t->g, v) == BONSAI_PART_TRAIN && bn_label(t->g, v) >= 0)
            job->train[job->trees++] = (int32_t)v;
    }
done:
    return rc;
}

static bonsai_status make(bn_world *w, void *payload)
{
    bonsai_status rc;
    errand *t = payload;
    bn_memory memory = {.limit = t->limit > 0 ? t->limit : 0};
    bn_job job = {.g = t->g, .o = &t->o,
                  .at = {.world = w, .first = t->first, .memory = t->limit ? &memory : NULL,
                         .threads = t->o.threads}};
    BN_TRY(bn_agree(w, list_trees(&job, t, bn_ranks(w))));
    BN_TRY(bn_judge_embed(&job));
    BN_TRY(bn_prototypes(&t->small[bn_rank(w)], &t->recipe[bn_rank(w)], &job, &t->budget));
done:
    bn_judge_forget(&job);
    bn_free(job.train);
    bn_free(job.tree_first);
    return rc;
}

static bool made_alike(const bn_recipe *a, const bn_recipe *b)
{
    return a->nodes == b->nodes && a->t == b->t && a->type == b->type && a->soft == b->soft &&
           a->weighted == b->weighted && a->layers == b->layers && a->probe == b->probe &&
           a->judged == b->judged && a->candidates == b->candidates;
}

static void forget(errand *t)
{
    for (int r = 0; r < MOST_RANKS; r++) {
        bonsai_graph_free(t->small[r]);
        t->small[r] = NULL;
    }
}

/* What every rank makes must be what one makes, or fail as it does. */
static bool compare_with(const errand *alone, bonsai_status rc, const char *why, int ranks,
                         uint64_t *s)
{
    errand t = *alone;
    memset(t.small, 0, sizeof t.small);
    part_nodes(&t, ranks, s);
    bonsai_status got = run_ranks(ranks, make, &t);
    if (got != rc || (rc != BONSAI_OK && strcmp(bonsai_error(), why) != 0))
        fail_msg("%d ranks: %d %s instead of %d %s", ranks, got, bonsai_error(), rc, why);
    for (int r = 0; r < ranks && rc == BONSAI_OK; r++) {
        assert_same_file(alone->small[0], t.small[r]);
        assert_true(made_alike(&alone->recipe[0], &t.recipe[r]));
    }
    forget(&t);
    return rc == BONSAI_OK;
}

static void all_rank_counts(errand *t, uint64_t seed, int step, int *made)
{
    char why[1024] = "";
    memset(t->small, 0, sizeof t->small);
    part_nodes(t, 1, &seed);
    bonsai_status rc = make(NULL, t);
    if (rc != BONSAI_OK)
        snprintf(why, sizeof why, "%s", bonsai_error());
    for (int c = step - 1; c < 5; c += step)
        *made += compare_with(t, rc, why, rank_counts[c], &seed);
    forget(t);
}

/* Budgets for less than one node and for more nodes than there are rows; dense and sparse features;
 * judged on validation nodes, on training nodes that are held out, or on none. */
static void small_graphs_are_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    int made = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        bonsai_graph *g = case_graph(seed);
        errand t = {.g = g, .budget = {INFINITY, INT64_MAX, INT64_MAX}};
        uint64_t s = seed;
        small_options(&t.o, seed);
        t.o.inductive = 0;
        t.o.accounting = t.o.accounting == BONSAI_ACCOUNTING_STRICT ? BONSAI_ACCOUNTING_STRICT : BONSAI_ACCOUNTING_PAPER_CONDENSED;
        int kind = random_below(&s, 4);
        if (kind < 2)
            t.budget.bytes = 20 + random_below(&s, 1 << (4 + random_below(&s, 9)));
        if (kind > 1)
            t.budget.nodes = 1 + random_below(&s, 60);
        if (training_nodes(g) > 0)
            all_rank_counts(&t, seed, 1, &made);
        bonsai_graph_free(g);
    }
    assert_true(made > 30);
}

/* Enough rows for samples, for a fit on some of them and for clusters of clusters. */
static void a_larger_graph_is_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    int made = 0;
    const int ways = cases_to_run(4) == 4 ? 4 : 2;
    for (int way = 0; way < ways; way++) {
        bonsai_graph *g = generated(way < 2 ? 1500 : 15000, way % 2);
        errand t = {.g = g, .budget = {INFINITY, INT64_MAX, INT64_MAX}};
        bonsai_condense_options_init(&t.o);
        t.o.threads = 1;
        t.o.layers = 1;
        t.o.members = 1;
        t.o.no_validation = way == 1;
        t.o.accounting = BONSAI_ACCOUNTING_STRICT;
        t.budget.bytes = size_in(g, BONSAI_ACCOUNTING_STRICT) * (way < 2 ? 0.05 : 0.15);
        all_rank_counts(&t, (uint64_t)way, 2, &made);
        bonsai_graph_free(g);
    }
    assert_int_equal(made, 2 * ways);
}

static void the_bytes_do_not_depend_on_the_memory(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        bonsai_graph *g = generated(1500, way);
        errand t = {.g = g, .budget = {INFINITY, INT64_MAX, INT64_MAX}};
        uint64_t s = 1;
        bonsai_condense_options_init(&t.o);
        t.o.threads = 1;
        t.o.no_validation = way;
        t.o.accounting = BONSAI_ACCOUNTING_STRICT;
        t.budget.bytes = size_in(g, BONSAI_ACCOUNTING_STRICT) * 0.05;
        part_nodes(&t, 1, &s);
        assert_int_equal(make(NULL, &t), BONSAI_OK);
        for (int ranks = 1; ranks < 4; ranks++) {
            errand other = t;
            other.limit = ranks == 1 ? 300000 : 1;
            assert_true(compare_with(&other, BONSAI_OK, "", ranks, &s));
        }
        forget(&t);
        bonsai_graph_free(g);
    }
}

static bonsai_status try_memory(void *payload)
{
    errand *t = payload;
    bonsai_status rc = run_ranks(3, make, t);
    forget(t);
    return rc;
}

static void a_failed_allocation_on_one_rank_ends_all(void **state)
{
    (void)state;
    for (uint64_t seed = 3; seed < 4; seed++) {
        bonsai_graph *g = case_graph(seed);
        errand t = {.g = g, .budget = {400, INT64_MAX, INT64_MAX}};
        uint64_t s = seed;
        small_options(&t.o, 2 * seed);
        t.o.inductive = 0;
        t.o.accounting = BONSAI_ACCOUNTING_STRICT;
        part_nodes(&t, 3, &s);
        survives_failed_allocations(try_memory, &t, 200);
        bonsai_graph_free(g);
    }
}

static int stop_later(const bonsai_progress *p, void *payload)
{
    (void)p;
    return --*(int *)payload == 0;
}

typedef struct { errand *t; int calls; } caller;

/* Progress is told to rank 0 alone. */
static bonsai_status make_and_tell(bn_world *w, void *payload)
{
    caller *c = payload;
    errand own = *c->t;
    bonsai_status rc;
    bn_job job = {.g = own.g, .o = &own.o,
                  .at = {.world = w, .first = own.first, .threads = 1}};
    bonsai_graph *small = NULL;
    bn_recipe r;
    if (bn_rank(w) == 0)
        job.at.progress = (bn_progress){stop_later, &c->calls};
    BN_TRY(bn_agree(w, list_trees(&job, &own, bn_ranks(w))));
    BN_TRY(bn_judge_embed(&job));
    BN_TRY(bn_prototypes(&small, &r, &job, &own.budget));
done:
    bonsai_graph_free(small);
    bn_judge_forget(&job);
    bn_free(job.train);
    bn_free(job.tree_first);
    return rc;
}

static void one_rank_that_is_canceled_ends_all(void **state)
{
    (void)state;
    bonsai_graph *g = generated(300, 1);
    errand t = {.g = g, .budget = {4000, INT64_MAX, INT64_MAX}};
    uint64_t s = 1;
    int64_t live = bn_mem_live();
    bonsai_status rc = BONSAI_E_CANCELED;
    bonsai_condense_options_init(&t.o);
    t.o.accounting = BONSAI_ACCOUNTING_STRICT;
    part_nodes(&t, 3, &s);
    int calls = 1;
    for (; rc != BONSAI_OK && calls < 100000; calls += 1 + calls / 4) {
        rc = run_ranks(3, make_and_tell, &(caller){&t, calls});
        assert_true(rc == BONSAI_OK || rc == BONSAI_E_CANCELED);
        assert_int_equal(bn_mem_live(), live);
    }
    assert_true(rc == BONSAI_OK && calls > 20);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs_are_the_same_on_any_number_of_ranks),
        cmocka_unit_test(a_larger_graph_is_the_same_on_any_number_of_ranks),
        cmocka_unit_test(the_bytes_do_not_depend_on_the_memory),
        cmocka_unit_test(a_failed_allocation_on_one_rank_ends_all),
        cmocka_unit_test(one_rank_that_is_canceled_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
