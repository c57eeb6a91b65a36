/* test_cover.c -- the lazy greedy against a plain one, and against the optimum.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "condense/condense.h"
#include "random_graph.h"

enum { MOST_TREES = 30, MOST_SAMPLES = 25, CASES = 200 };

typedef struct {
    int64_t trees, samples, offsets[MOST_TREES + 1];
    int32_t item[MOST_TREES * MOST_SAMPLES];
    bool    covers[MOST_TREES][MOST_SAMPLES];
    int64_t tie[MOST_TREES];
    double  cost[MOST_TREES];
    bn_lists lists;
} problem;

static void make_problem(problem *p, uint64_t seed, int most_trees)
{
    uint64_t s = seed;
    memset(p, 0, sizeof *p);
    p->trees = 1 + random_below(&s, most_trees);
    p->samples = seed % 17 ? 1 + random_below(&s, MOST_SAMPLES) : 0;
    int chance = 3 + random_below(&s, 40);
    int64_t used = 0;
    for (int64_t t = 0; t < p->trees; t++) {
        for (int64_t i = 0; i < p->samples; i++)
            if (random_below(&s, 100) < chance) {
                p->covers[t][i] = true;
                p->item[used++] = (int32_t)i;
            }
        p->offsets[t + 1] = used;
        p->tie[t] = random_below(&s, 3);
        p->cost[t] = 1 + random_below(&s, 4);
    }
    p->lists = (bn_lists){p->trees, p->offsets, p->item};
}

/* A plain greedy: every gain again at every pick. */
typedef struct {
    const problem *p;
    bool density, covered[MOST_SAMPLES], ever[MOST_SAMPLES], taken[MOST_TREES], skipped[MOST_TREES];
    bool gone[MOST_TREES];
    bool exhausted;             /* no free tree had a gain; only a retry ends that */
} plain;

static int64_t gain_of(const plain *g, int64_t t)
{
    int64_t gain = 0;
    for (int64_t i = 0; i < g->p->samples; i++)
        gain += g->p->covers[t][i] && !g->covered[i];
    return gain;
}

/* -1: no free tree has a gain. */
static int64_t plain_next(plain *g)
{
    int64_t best = -1;
    double best_key = 0;
    for (int64_t t = 0; t < g->p->trees && !g->exhausted; t++) {
        if (g->taken[t] || g->skipped[t] || g->gone[t])
            continue;
        double key = (double)gain_of(g, t) / (g->density ? g->p->cost[t] : 1.0);
        if (key > best_key || (best >= 0 && key == best_key && g->p->tie[t] < g->p->tie[best])) {
            best = t;
            best_key = key;
        }
    }
    g->exhausted |= best < 0;
    return best;
}

static void plain_take(plain *g, int64_t t)
{
    bool all = true;
    g->taken[t] = true;
    for (int64_t i = 0; i < g->p->samples; i++) {
        g->covered[i] |= g->p->covers[t][i];
        g->ever[i] |= g->p->covers[t][i];
        all &= g->covered[i];
    }
    if (all && !g->exhausted)
        memset(g->covered, 0, sizeof g->covered);
}

static int64_t reached(const plain *g)
{
    int64_t count = 0;
    for (int64_t i = 0; i < g->p->samples; i++)
        count += g->ever[i];
    return count;
}

/* The taken ones cover what they cover, whatever the round. */
static void cover_again(plain *g)
{
    bool all = true;
    memset(g->covered, 0, sizeof g->covered);
    for (int64_t t = 0; t < g->p->trees; t++)
        for (int64_t i = 0; g->taken[t] && i < g->p->samples; i++)
            g->covered[i] |= g->p->covers[t][i];
    for (int64_t i = 0; i < g->p->samples; i++) {
        g->ever[i] |= g->covered[i];
        all &= g->covered[i];
    }
    if (all)
        memset(g->covered, 0, sizeof g->covered);
    g->exhausted = false;
}

/* A few of the taken ones go. */
static void drop_some(bn_cover *c, plain *g, uint64_t *s)
{
    int32_t gone[MOST_TREES];
    int64_t count = 0;
    for (int32_t t = 0; t < g->p->trees; t++)
        if (g->taken[t] && random_below(s, 3) == 0) {
            gone[count++] = t;
            g->taken[t] = false;
            g->gone[t] = true;
        }
    cover_again(g);
    bn_cover_drop(c, gone, count);
}

/* Any trees are taken instead, and cover what they cover. */
static void take_others(bn_cover *c, plain *g, uint64_t *s)
{
    int32_t taken[MOST_TREES];
    int64_t count = 0;
    for (int32_t t = 0; t < g->p->trees; t++) {
        g->taken[t] = random_below(s, 4) == 0;
        g->skipped[t] = g->gone[t] = false;
        if (g->taken[t])
            taken[count++] = t;
    }
    cover_again(g);
    bn_cover_resume(c, taken, count);
}

/* Takes, skips, drops, retries and resumes at random; returns how many picks had no gain. */
static int follow(bn_cover *c, plain *g, uint64_t *s)
{
    int at_random = 0;
    for (int step = 0; step < 300; step++) {
        int64_t want = plain_next(g), got = bn_cover_next(c);
        int64_t left = 0;
        for (int64_t t = 0; t < g->p->trees; t++)
            left += !g->taken[t] && !g->skipped[t] && !g->gone[t];
        if (left == 0) {
            assert_int_equal(got, -1);
        } else if (want >= 0) {
            assert_int_equal(got, want);
        } else {
            assert_in_range(got, 0, g->p->trees - 1);
            assert_false(g->taken[got] || g->skipped[got] || g->gone[got]);
            at_random++;
        }
        int what = left == 0 ? 9 + 2 * random_below(s, 2) : random_below(s, 12);
        if (what == 11) {
            take_others(c, g, s);
        } else if (what == 10) {
            drop_some(c, g, s);
        } else if (what < 6) {
            bn_cover_take(c, got);
            plain_take(g, got);
        } else if (what < 9) {
            bn_cover_skip(c, got);
            g->skipped[got] = true;
        } else {
            bn_cover_retry(c);
            memset(g->skipped, 0, sizeof g->skipped);
            g->exhausted = false;
        }
        assert_int_equal(bn_cover_reached(c), reached(g));
    }
    return at_random;
}

static void equals_a_plain_greedy(void **state)
{
    (void)state;
    static problem p;
    int at_random = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        uint64_t s = seed;
        bn_cover *c = NULL;
        make_problem(&p, seed, MOST_TREES);
        plain g = {.p = &p, .density = seed % 2};
        assert_int_equal(bn_cover_new(&c, &p.lists, p.samples, p.tie, seed % 2 ? p.cost : NULL, seed),
                         BONSAI_OK);
        at_random += follow(c, &g, &s);
        bn_cover_free(c);
    }
    assert_true(at_random > 50);
}

static int best_of(const problem *p, int64_t from, int left, uint32_t covered)
{
    int best = __builtin_popcount(covered);
    for (int64_t t = from; left > 0 && t < p->trees; t++) {
        uint32_t more = covered;
        for (int64_t i = 0; i < p->samples; i++)
            more |= (uint32_t)p->covers[t][i] << i;
        int got = best_of(p, t + 1, left - 1, more);
        best = got > best ? got : best;
    }
    return best;
}

static void covers_its_share_of_the_optimum(void **state)
{
    (void)state;
    static problem p;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        bn_cover *c = NULL;
        make_problem(&p, seed, 10);
        int trees = 1 + (int)(seed % 4);
        assert_int_equal(bn_cover_new(&c, &p.lists, p.samples, p.tie, NULL, 0), BONSAI_OK);
        for (int i = 0; i < trees && i < p.trees; i++)
            bn_cover_take(c, bn_cover_next(c));
        double share = (double)bn_cover_reached(c), best = best_of(&p, 0, trees, 0);
        assert_true(share >= (1 - exp(-1)) * best);
        bn_cover_free(c);
    }
}

static void the_rest_comes_once_each_in_an_order_of_the_seed(void **state)
{
    (void)state;
    int64_t offsets[21] = {0};
    int64_t tie[20] = {0}, first[20], order[20];
    bn_lists none = {20, offsets, NULL};
    int differ = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        bn_cover *c = NULL;
        bool seen[20] = {false};
        assert_int_equal(bn_cover_new(&c, &none, 0, tie, NULL, seed % 3), BONSAI_OK);
        for (int i = 0; i < 20; i++) {
            order[i] = bn_cover_next(c);
            assert_in_range(order[i], 0, 19);
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
            bn_cover_take(c, order[i]);
        }
        assert_int_equal(bn_cover_next(c), -1);
        if (seed == 0)
            memcpy(first, order, sizeof first);
        differ += memcmp(first, order, sizeof first) != 0;
        bn_cover_free(c);
    }
    assert_int_equal(differ, 2);                /* seeds 1 and 2, but not 0 again */
}

static void few_gains_are_computed_again(void **state)
{
    (void)state;
    enum { TREES = 3000 };
    int64_t *offsets = calloc(TREES + 1, sizeof *offsets), *tie = calloc(TREES, sizeof *tie);
    int32_t *item = calloc(TREES * 6, sizeof *item);
    uint64_t s = 1;
    for (int t = 0; t < TREES; t++) {
        for (int j = 0; j < 6; j++)
            item[6 * t + j] = random_below(&s, TREES);
        offsets[t + 1] = 6 * (t + 1);
    }
    bn_lists lists = {TREES, offsets, item};
    bn_cover *c = NULL;
    assert_int_equal(bn_cover_new(&c, &lists, TREES, tie, NULL, 0), BONSAI_OK);
    for (int i = 0; i < 300; i++)
        bn_cover_take(c, bn_cover_next(c));
    assert_in_range(bn_cover_rechecks(c), 1, 300 * TREES / 50);
    bn_cover_free(c);
    free(offsets);
    free(tie);
    free(item);
}

static bonsai_status try_memory(void *payload)
{
    problem *p = payload;
    bn_cover *c = NULL;
    bonsai_status rc = bn_cover_new(&c, &p->lists, p->samples, p->tie, p->cost, 0);
    bn_cover_free(c);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static problem p;
    make_problem(&p, 4, MOST_TREES);
    survives_failed_allocations(try_memory, &p, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_a_plain_greedy),
        cmocka_unit_test(covers_its_share_of_the_optimum),
        cmocka_unit_test(the_rest_comes_once_each_in_an_order_of_the_seed),
        cmocka_unit_test(few_gains_are_computed_again),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
