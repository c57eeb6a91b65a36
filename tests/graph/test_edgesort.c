/* test_edgesort.c -- edges that arrive run by run, sorted in memory or in scratch files.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <stdlib.h>

#include "random_graph.h"

typedef struct {
    int64_t n, m;
    int32_t *source, *target;
    int flags, threads;         /* flags: 1 directed, 2 self loops */
    int64_t limit;              /* of memory; -1: none */
    int ticks;                  /* reports of progress until it is cancelled; -1: never */
} asked;

static int count_down(const bonsai_progress *p, void *payload)
{
    asked *a = payload;
    assert_true(p->done <= p->total);
    return a->ticks >= 0 && a->ticks-- == 0;
}

static bonsai_status sort(bn_edge_sort *p, bn_memory *memory, asked *a)
{
    bonsai_status rc;
    *memory = (bn_memory){.limit = a->limit};
    *p = (bn_edge_sort){.n = a->n, .most = a->m, .directed = a->flags & 1,
                        .keep_self = a->flags & 2,
                        .at = {.memory = a->limit >= 0 ? memory : NULL, .threads = a->threads,
                               .progress = {count_down, a}}};
    BN_TRY(bn_edge_sort_begin(p));
    for (int64_t at = 0; at < a->m; at += 1000)
        BN_TRY(bn_edge_sort_add(p, a->source + at, a->target + at, bn_least(1000, a->m - at)));
    BN_TRY(bn_edge_sort_run(p));
done:
    return rc;
}

/* n nodes, m edges of which some are loops, repeated, and given in both directions. */
static asked random_edges(int64_t n, int64_t m, uint64_t seed)
{
    asked a = {.n = n, .m = m, .source = malloc((size_t)(m + 1) * 4),
               .target = malloc((size_t)(m + 1) * 4), .limit = -1, .threads = 1, .ticks = -1};
    for (int64_t i = 0; i < m; i++) {
        a.source[i] = random_below(&seed, (int)n);
        a.target[i] = random_below(&seed, 9) ? random_below(&seed, (int)n) : a.source[i];
        int64_t other = i ? random_below(&seed, (int)i) : 0;
        int kind = i ? random_below(&seed, 6) : 2;
        if (kind < 2) {
            a.source[i] = kind ? a.source[other] : a.target[other];
            a.target[i] = kind ? a.target[other] : a.source[other];
        }
    }
    return a;
}

static void free_edges(asked *a)
{
    free(a->source);
    free(a->target);
}

static void same_as_built(asked *a)
{
    bonsai_read_options o;
    bonsai_read_info info = {0};
    bn_adjacent want;
    bn_memory memory;
    bn_edge_sort p;
    uint64_t flags = 0;
    bonsai_read_options_init(&o);
    o.keep_directed = a->flags & 1;
    o.keep_self_loops = a->flags >> 1;
    o.threads = 1;
    assert_int_equal(bn_adjacent_build(&want, &flags, &info, "test", a->n, a->m, a->source,
                                       a->target, NULL, &o), BONSAI_OK);
    assert_int_equal(sort(&p, &memory, a), BONSAI_OK);
    assert_int_equal(p.m, want.m);
    assert_memory_equal(p.offsets, want.offsets, (size_t)(a->n + 1) * 8);
    assert_memory_equal(p.neighbors, want.neighbors, (size_t)want.m * 4);
    assert_int_equal(p.edges, a->m);
    assert_int_equal(p.self_loops, info.self_loops);
    assert_int_equal(p.repeated, info.repeated);
    assert_int_equal(p.reversed, info.reversed);
    if (a->limit == 0 && a->m > 0)
        assert_true(bn_big_spilled(p.keys) && bn_big_spilled(p.offsets));
    bn_edge_sort_free(&p);
    bn_adjacent_free(&want);
}

static void gives_what_building_in_memory_gives(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        asked a = random_edges(1 + (int64_t)seed % 12, (int64_t)seed * 2, seed);
        for (a.flags = 0; a.flags < 4; a.flags++)
            same_as_built(&a);
        free_edges(&a);
    }
}

static void many_buckets_threads_and_scratch_files_change_nothing(void **state)
{
    (void)state;
    asked a = random_edges(3000, 150000, 7);
    for (int i = 0; i < 6; i++) {
        a.threads = 1 + i % 3 * 3;
        a.limit = i < 3 ? 0 : 1 << 20;
        a.flags = i % 4;
        same_as_built(&a);
    }
    free_edges(&a);
}

static void a_hub_is_a_bucket_of_its_own(void **state)
{
    (void)state;
    asked a = random_edges(5000, 100000, 9);
    for (int64_t i = 0; i < a.m; i += 2)
        a.source[i] = 17;
    a.threads = 8;
    same_as_built(&a);
    free_edges(&a);
}

/* Threads do not take more room for it than there are keys. */
static void a_hub_takes_no_room_for_each_thread(void **state)
{
    (void)state;
    bn_memory memory;
    bn_edge_sort p;
    asked a = random_edges(5000, 100000, 9);
    for (int64_t i = 0; i < a.m; i++)
        a.source[i] = 17;
    a.threads = 8;
    a.limit = 0;
    assert_int_equal(sort(&p, &memory, &a), BONSAI_OK);
    assert_true(memory.spilled_most <= 32 * a.m + 8 * (a.n + 1));
    bn_edge_sort_free(&p);
    free_edges(&a);
}

static void nothing_is_something_too(void **state)
{
    (void)state;
    asked a = random_edges(1, 0, 1);
    for (a.n = 0; a.n < 3; a.n++)
        same_as_built(&a);
    free_edges(&a);
}

static void more_edges_than_were_announced_are_refused(void **state)
{
    (void)state;
    bn_edge_sort p = {.n = 3, .most = 1};
    assert_int_equal(bn_edge_sort_begin(&p), BONSAI_OK);
    assert_fails(bn_edge_sort_add(&p, (int32_t[]){0, 1}, (int32_t[]){1, 2}, 2), BONSAI_E_ARGUMENT,
                 "more than the 1 edges");
    bn_edge_sort_free(&p);
}

static bonsai_status sort_and_free(void *payload)
{
    bn_memory memory;
    bn_edge_sort p;
    bonsai_status rc = sort(&p, &memory, payload);
    bn_edge_sort_free(&p);
    return rc;
}

static void failed_allocations_and_cancelling_leak_nothing(void **state)
{
    (void)state;
    asked a = random_edges(500, 70000, 3);
    survives_failed_allocations(sort_and_free, &a, 5);
    int ticks = 0;
    const int64_t before = bn_mem_live();
    for (bonsai_status rc = BONSAI_E_CANCELED; rc != BONSAI_OK; ticks++) {
        a.ticks = ticks;
        rc = sort_and_free(&a);
        assert_true(rc == BONSAI_OK || rc == BONSAI_E_CANCELED);
        assert_int_equal(bn_mem_live(), before);
    }
    assert_true(ticks > 5);
    free_edges(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_what_building_in_memory_gives),
        cmocka_unit_test(many_buckets_threads_and_scratch_files_change_nothing),
        cmocka_unit_test(a_hub_is_a_bucket_of_its_own),
        cmocka_unit_test(a_hub_takes_no_room_for_each_thread),
        cmocka_unit_test(nothing_is_something_too),
        cmocka_unit_test(more_edges_than_were_announced_are_refused),
        cmocka_unit_test(failed_allocations_and_cancelling_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
