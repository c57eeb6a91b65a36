/* test_world.c -- ranks that agree and exchange; sums in any order; arrays that spill to files.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/scratch.h"
#include "base/world.h"
#include "testing.h"
#include "threads_world.h"

static int refusal;             /* what reserving the blocks of a file answers; 0: it works */

int posix_fallocate(int fd, off_t from, off_t len)
{
    return refusal ? refusal : ftruncate(fd, from + len) == 0 ? 0 : errno;
}

/* ---- ranks ---- */

static bonsai_status meet(bn_world *w, void *payload)
{
    bonsai_status rc;
    int64_t all[16], sum[2] = {w->rank, 1}, bytes[16], in_bytes[16];
    double most = w->rank == 1 ? 7 : -1, total = 0.5 * (w->rank + 1);
    char text[16] = "", mine = (char)('a' + w->rank), in[16] = "", out[16];
    (void)payload;
    BN_TRY(bn_gather_int(w, all, 10 * w->rank));
    BN_TRY(bn_sum_int(w, sum, 2));
    BN_TRY(bn_sum(w, &total, 1));
    BN_TRY(bn_max(w, &most, 1));
    for (int r = 0; r < w->ranks; r++) {
        bytes[r] = in_bytes[r] = 1;
        out[r] = (char)('0' + r + w->rank);
    }
    BN_TRY(bn_gather(w, text, bytes, &mine));
    BN_TRY(bn_exchange(w, in, in_bytes, out, bytes));
    int n = w->ranks;
    bool right = sum[0] == n * (n - 1) / 2 && sum[1] == n && all[n - 1] == 10 * (n - 1) &&
                 strncmp(text, "abcdefgh", (size_t)n) == 0 && most == (n > 1 ? 7 : -1) &&
                 total == 0.25 * n * (n + 1);
    for (int r = 0; r < n; r++)
        right = right && in[r] == '0' + r + w->rank;
    rc = bn_agree(w, right ? BONSAI_OK : bn_fail(BONSAI_E_ARGUMENT, "rank %d got it wrong",
                                                 w->rank));
done:
    return rc;
}

static void ranks_gather_sum_and_exchange(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 8; ranks++)
        assert_int_equal(run_ranks(ranks, meet, NULL), BONSAI_OK);
}

static bonsai_status fail_twice(bn_world *w, void *payload)
{
    const int *first = payload;
    bonsai_status rc = w->rank >= *first
                           ? bn_fail(w->rank == *first ? BONSAI_E_IO : BONSAI_E_MEMORY,
                                     "rank %d fell", w->rank) : BONSAI_OK;
    return bn_agree(w, rc);
}

static void all_ranks_get_the_error_of_the_first_that_failed(void **state)
{
    (void)state;
    int first = 2;
    assert_fails(run_ranks(5, fail_twice, &first), BONSAI_E_IO, "rank 2 fell");
    first = 0;
    assert_fails(run_ranks(3, fail_twice, &first), BONSAI_E_IO, "rank 0 fell");
    first = 4;
    assert_int_equal(run_ranks(4, fail_twice, &first), BONSAI_OK);
}

static bonsai_status cancel_one(bn_world *w, void *payload)
{
    (void)payload;
    w->canceled = w->rank == 1;
    return bn_agree(w, BONSAI_OK);
}

static void canceling_one_rank_cancels_all(void **state)
{
    (void)state;
    assert_fails(run_ranks(3, cancel_one, NULL), BONSAI_E_CANCELED, "canceled");
}

static bonsai_status ask_around(bn_world *w, void *payload)
{
    bonsai_status rc = BONSAI_OK;
    int64_t bytes, question = 5, *answer = NULL;
    (void)payload;
    for (int r = 1; r < w->ranks && w->rank == 0; r++)
        BN_TRY(bn_send(w, r, &question, sizeof question));
    for (int r = w->ranks - 1; r > 0 && w->rank == 0; r--) {
        int from = r;
        BN_TRY(bn_receive(w, &from, (void **)&answer, &bytes));
        if (from != r || bytes != 8 || *answer != 5 * r)
            rc = bn_fail(BONSAI_E_ARGUMENT, "rank %d answered %lld", from, (long long)*answer);
        bn_free(answer);
        if (rc != BONSAI_OK)
            goto done;
    }
    if (w->rank > 0) {
        int from = -1;
        BN_TRY(bn_receive(w, &from, (void **)&answer, &bytes));
        question = *answer * w->rank;
        bn_free(answer);
        BN_TRY(bn_send(w, from, &question, sizeof question));
    }
done:
    return bn_agree(w, rc);
}

static void messages_arrive_whole_from_the_awaited_rank(void **state)
{
    (void)state;
    assert_int_equal(run_ranks(4, ask_around, NULL), BONSAI_OK);
}

static void alone_there_is_nothing_to_send(void **state)
{
    int64_t all = 0, bytes = 3;
    double x = 2;
    char to[4] = "";
    (void)state;
    assert_int_equal(bn_gather_int(NULL, &all, 4), BONSAI_OK);
    assert_int_equal(bn_gather(NULL, to, &bytes, "abc"), BONSAI_OK);
    assert_int_equal(bn_sum(NULL, &x, 1) | bn_max(NULL, &x, 1) | bn_share(NULL, &x, 8, 0),
                     BONSAI_OK);
    assert_int_equal(all, 4);
    assert_string_equal(to, "abc");
    assert_true(x == 2);
    assert_int_equal(bn_agree(NULL, BONSAI_E_IO), BONSAI_E_IO);
}

/* ---- sums ---- */

static void sums_on_a_grid_do_not_depend_on_their_order(void **state)
{
    enum { N = 4000 };
    static double v[N];
    (void)state;
    for (int round = 0; round < 20; round++) {
        bn_rng r = bn_rng_at((uint64_t)round, 1);
        double up = 0, down = 0, odd = 0, even = 0, plain = 0, most = ldexp(1, round * 20 - 200);
        double grid = bn_grid(most, N);
        for (int i = 0; i < N; i++)
            v[i] = most * (2 * bn_rng_unit(&r) - 1) * (i % 3 ? 1 : 1e-5);
        for (int i = 0; i < N; i++) {
            plain += v[i];
            up += bn_on_grid(v[i], grid);
            down += bn_on_grid(v[N - 1 - i], grid);
            *(i % 2 ? &odd : &even) += bn_on_grid(v[i], grid);
        }
        assert_true(up == down && up == odd + even);
        assert_true(fabs(up - plain) <= 1e-9 * most);
    }
    assert_true(bn_grid(0, 5) == 0 && bn_grid(INFINITY, 5) == 0 && bn_grid(1, 0) > 0);
}

/* ---- arrays that spill ---- */

static void arrays_that_do_not_fit_go_to_a_file_and_read_the_same(void **state)
{
    bn_memory m = {.limit = 1000};
    int64_t *a = NULL, *b = NULL, *c = NULL;
    (void)state;
    assert_int_equal(BN_BIG(&a, &m, 100), BONSAI_OK);
    assert_int_equal(BN_BIG(&b, &m, 100000), BONSAI_OK);
    assert_int_equal(BN_BIG(&c, NULL, 100000), BONSAI_OK);
    assert_false(bn_big_spilled(a) || bn_big_spilled(c));
    assert_true(bn_big_spilled(b));
    assert_int_equal(m.used, 800);
    assert_int_equal(m.spilled, 800000);
    assert_int_equal(bn_memory_left(&m), 200);
    for (int64_t i = 0; i < 100000; i++) {
        assert_true(b[i] == 0 && c[i] == 0);
        b[i] = c[i] = i;
    }
    assert_memory_equal(b, c, 800000);
    bn_big_free(a);
    bn_big_free(b);
    bn_big_free(c);
    bn_big_free(NULL);
    assert_true(m.used == 0 && m.spilled == 0 && m.most == 800 && m.spilled_most == 800000);
    assert_int_equal(bn_mem_live(), 0);
}

static void a_scratch_file_has_no_name(void **state)
{
    bn_memory m = {.limit = 0};
    char folder[512], command[600];
    uint8_t *p = NULL;
    (void)state;
    snprintf(folder, sizeof folder, "%s", temp_path("scratch"));
    snprintf(command, sizeof command, "mkdir -p %s", folder);
    assert_int_equal(system(command), 0);
    setenv("TMPDIR", folder, 1);
    assert_int_equal(BN_BIG(&p, &m, 1 << 20), BONSAI_OK);
    snprintf(command, sizeof command, "test -z \"$(ls -A %s)\"", folder);
    assert_int_equal(system(command), 0);
    bn_big_free(p);
    unsetenv("TMPDIR");
}

static void a_scratch_file_that_cannot_be_created_is_reported(void **state)
{
    bn_memory m = {.limit = 0};
    uint8_t *p = NULL;
    (void)state;
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_fails(BN_BIG(&p, &m, 100), BONSAI_E_IO,
                 "/nowhere/at/all: cannot create a scratch file of 100 bytes: No such file or "
                 "directory; set TMPDIR to a folder that exists, or allow more memory");
    assert_null(p);
    setenv("TMPDIR", "/dev/null", 1);
    assert_fails(BN_BIG(&p, &m, 100), BONSAI_E_IO, "set TMPDIR to a folder that exists");
    unsetenv("TMPDIR");
    static const struct { int why; const char *advice; } all[] = {
        {ENOSPC, "; set TMPDIR to a folder with more room, or allow more memory"},
        {EDQUOT, "; set TMPDIR to a folder with more room, or"},
        {EACCES, "; set TMPDIR to a folder that you may write to, or"},
        {EROFS, "; set TMPDIR to a folder that you may write to, or"},
        {EIO, "; set TMPDIR to another folder, or"},
        {EFBIG, "; allow larger files (ulimit -f), or more memory"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        refusal = all[i].why;
        assert_fails(BN_BIG(&p, &m, 100), BONSAI_E_IO, all[i].advice);
    }
    refusal = 0;
    assert_fails(bn_big_new((void **)&p, &m, INT64_MAX / 2, 8), BONSAI_E_MEMORY, "no room");
}

static void the_memory_of_the_system_is_known(void **state)
{
    (void)state;
    assert_true(bn_memory_all() > 0 && bn_memory_free() > 0);
    assert_true(bn_memory_free() <= bn_memory_all());
    assert_true(bn_memory_share(4) <= bn_memory_all() / 4);
    assert_true(bn_memory_private() != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_gather_sum_and_exchange),
        cmocka_unit_test(all_ranks_get_the_error_of_the_first_that_failed),
        cmocka_unit_test(canceling_one_rank_cancels_all),
        cmocka_unit_test(messages_arrive_whole_from_the_awaited_rank),
        cmocka_unit_test(alone_there_is_nothing_to_send),
        cmocka_unit_test(sums_on_a_grid_do_not_depend_on_their_order),
        cmocka_unit_test(arrays_that_do_not_fit_go_to_a_file_and_read_the_same),
        cmocka_unit_test(a_scratch_file_has_no_name),
        cmocka_unit_test(a_scratch_file_that_cannot_be_created_is_reported),
        cmocka_unit_test(the_memory_of_the_system_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
