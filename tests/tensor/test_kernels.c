/* test_kernels.c -- every table of inner loops gives the same bits as the baseline.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "random_graph.h"

enum { LONGEST = 131, SHIFTS = 4, ROOM = LONGEST + SHIFTS };

static float a[ROOM], b[ROOM];

static void fill(uint64_t seed)
{
    uint64_t s = seed;
    for (int i = 0; i < ROOM; i++) {
        a[i] = ldexpf(random_real(&s), random_below(&s, 20) - 10);
        b[i] = ldexpf(random_real(&s), random_below(&s, 20) - 10);
    }
}

static void same_bits(float x, float y)
{
    if (memcmp(&x, &y, sizeof x) != 0)
        fail_msg("%a is not %a", (double)x, (double)y);
}

/* Lane = index mod 32, then the tree 16, 8, 4, 2, 1. */
static float by_hand(int n, const float *x, const float *y, bool distance)
{
    float lane[32] = {0};
    for (int i = 0; i < n; i++) {
        volatile float term = distance ? x[i] - y[i] : x[i] * y[i];
        if (distance)
            term = term * term;
        lane[i % 32] += term;
    }
    for (int width = 16; width > 0; width /= 2)
        for (int i = 0; i < width; i++)
            lane[i] += lane[i + width];
    return lane[0];
}

static void sums_have_the_documented_order(void **state)
{
    (void)state;
    fill(1);
    for (int i = 0; bn_kernels_all(i); i++)
        for (int n = 0; n <= LONGEST; n++) {
            same_bits(bn_kernels_all(i)->dot(a, b, n), by_hand(n, a, b, false));
            same_bits(bn_kernels_all(i)->dist2(a, b, n), by_hand(n, a, b, true));
        }
}

static void compare_tables(const bn_kernels *k, const bn_kernels *base, int n, int p, int q)
{
    float y[ROOM], z[ROOM];
    same_bits(k->dot(a + p, b + q, n), base->dot(a + p, b + q, n));
    same_bits(k->dist2(a + p, b + q, n), base->dist2(a + p, b + q, n));
    memcpy(y, a, sizeof y);
    memcpy(z, a, sizeof z);
    k->axpy(y + p, 0.3f, b + q, n);
    base->axpy(z + p, 0.3f, b + q, n);
    assert_memory_equal(y, z, sizeof y);
    k->scale(y + q, -1.7f, n);
    base->scale(z + q, -1.7f, n);
    assert_memory_equal(y, z, sizeof y);
}

static void every_table_equals_the_baseline_at_every_length(void **state)
{
    (void)state;
    const bn_kernels *base = bn_kernels_all(0);
    assert_string_equal(base->name, "baseline");
    for (int i = 1; bn_kernels_all(i); i++)
        for (int n = 0; n <= LONGEST; n++) {
            fill((uint64_t)n);
            for (int p = 0; p < SHIFTS; p++)
                for (int q = 0; q < SHIFTS; q++)
                    compare_tables(bn_kernels_all(i), base, n, p, q);
        }
}

static void a_sparse_row_sums_like_a_dense_one(void **state)
{
    (void)state;
    uint64_t s = 8;
    for (int i = 0; bn_kernels_all(i); i++)
        for (int trial = 0; trial < 300; trial++) {
            int32_t index[ROOM];
            float value[ROOM], dense[ROOM] = {0}, ones[ROOM] = {0};
            int nnz = 0, n = random_below(&s, LONGEST + 1), chance = 1 + random_below(&s, 4);
            fill((uint64_t)trial);
            for (int j = 0; j < n; j++)
                if (random_below(&s, chance) == 0) {
                    index[nnz] = j;
                    dense[j] = value[nnz++] = a[j];
                    ones[j] = 1;
                }
            const bn_kernels *k = bn_kernels_all(i);
            same_bits(k->sparse_dot(index, value, nnz, b), k->dot(dense, b, n));
            same_bits(k->sparse_dot(index, NULL, nnz, b), k->dot(ones, b, n));
            same_bits(k->sparse_dot(index, value, nnz, b), bn_kernels_all(0)->dot(dense, b, n));
        }
}

static void rows_are_combined_in_order_at_every_width(void **state)
{
    (void)state;
    enum { ROWS = 9, PICKS = 40, WIDEST = 300, GAP = 3 };
    static float x[ROWS * (WIDEST + GAP)], y[WIDEST], wanted[WIDEST], w[PICKS];
    int32_t id[PICKS];
    uint64_t s = 5;
    for (int i = 0; i < ROWS * (WIDEST + GAP); i++)
        x[i] = random_real(&s);
    for (int i = 0; i < PICKS; i++) {
        id[i] = random_below(&s, ROWS);
        w[i] = random_real(&s);
    }
    for (int table = 0; bn_kernels_all(table); table++)
        for (int width = 0; width <= WIDEST; width += width < LONGEST ? 1 : 13)
            for (int count = 0; count <= PICKS; count += 13)
                for (int weighted = 0; weighted < 2; weighted++) {
                    int stride = width + weighted * GAP;
                    for (int j = 0; j < width; j++) {
                        wanted[j] = y[j] = (float)j;
                        for (int i = 0; i < count; i++) {
                            volatile float term = (weighted ? w[i] : 1.0f) * x[id[i] * stride + j];
                            wanted[j] += term;
                        }
                    }
                    bn_kernels_all(table)->combine(y, x, width, stride, id, weighted ? w : NULL,
                                                   count);
                    assert_memory_equal(y, wanted, (size_t)width * sizeof *y);
                }
}

/* A product of dense rows has the bits of the same rows combined one by one. */
static void products_have_the_bits_of_combined_rows(void **state)
{
    (void)state;
    enum { ROWS = 11, DEEP = 37, WIDEST = 5 * BN_NARROW, GAP = 3 };
    static float left[ROWS * (DEEP + GAP)], x[DEEP * (WIDEST + GAP)];
    static float y[ROWS * (WIDEST + GAP)], wanted[ROWS * (WIDEST + GAP)];
    const bn_operands o = {left, x, DEEP + GAP, WIDEST + GAP, WIDEST + GAP};
    int32_t id[DEEP];
    uint64_t s = 9;
    for (int i = 0; i < ROWS * (DEEP + GAP); i++)
        left[i] = random_real(&s);
    for (int i = 0; i < DEEP * (WIDEST + GAP); i++)
        x[i] = random_real(&s);
    for (int i = 0; i < DEEP; i++)
        id[i] = i;
    for (int table = 0; bn_kernels_all(table); table++)
        for (int width = BN_NARROW; width <= WIDEST; width += BN_NARROW)
            for (int rows = 0; rows <= ROWS; rows++) {
                for (int i = 0; i < ROWS * (WIDEST + GAP); i++)
                    wanted[i] = y[i] = (float)i;
                for (int r = 0; r < rows; r++)
                    bn_kernels_all(0)->combine(wanted + r * o.y_stride, x, width, o.x_stride, id,
                                               left + r * o.a_stride, DEEP);
                bn_kernels_all(table)->times(y, &o, rows, width, DEEP);
                assert_memory_equal(y, wanted, sizeof y);
            }
}

static void rows_are_gathered_in_order_at_the_widths_of_panels(void **state)
{
    (void)state;
    enum { ROWS = 50, PICKS = 40 };
    static const int widths[] = {4, 8, BN_NARROW, BN_WIDE};
    static float x[ROWS * BN_WIDE], w[PICKS];
    float y[BN_WIDE + 1], wanted[BN_WIDE + 1];
    int32_t id[PICKS];
    uint64_t s = 11;
    for (int i = 0; i < ROWS * BN_WIDE; i++)
        x[i] = random_real(&s);
    for (int i = 0; i < PICKS; i++) {
        id[i] = random_below(&s, ROWS);
        w[i] = random_real(&s);
    }
    for (int table = 0; bn_kernels_all(table); table++)
        for (int k = 0; k < 4; k++)
            for (int count = 0; count <= PICKS; count++)
                for (int weighted = 0; weighted < 2; weighted++) {
                    for (int j = 0; j <= BN_WIDE; j++)
                        wanted[j] = y[j] = j < widths[k] ? 0.0f : 7.0f;     /* the rest stays */
                    for (int j = 0; j < widths[k]; j++)
                        for (int i = 0; i < count; i++) {
                            volatile float term = (weighted ? w[i] : 1.0f) *
                                                  x[id[i] * widths[k] + j];
                            wanted[j] += term;
                        }
                    bn_kernels_all(table)->gather(y, x, widths[k], id, weighted ? w : NULL, count);
                    assert_memory_equal(y, wanted, sizeof y);
                }
}

static void what_is_not_zero_is_packed_in_order(void **state)
{
    (void)state;
    enum { BEHIND = BN_PACK_ROOM + 1 };
    uint64_t s = 3;
    int32_t index[ROOM + BEHIND];
    float value[ROOM + BEHIND];
    for (int table = 0; bn_kernels_all(table); table++)
        for (int n = 0; n <= LONGEST; n++)
            for (int chance = 1; chance < 40; chance *= 3) {
                int64_t count = 0;
                fill((uint64_t)n);
                for (int i = 0; i < n; i++)
                    if (random_below(&s, chance) != 0)
                        a[i] = random_below(&s, 5) == 0 ? -0.0f : 0.0f;
                index[ROOM + BN_PACK_ROOM] = 7;
                int64_t got = bn_kernels_all(table)->pack(index, value, a, 100, n, ROOM);
                for (int i = 0; i < n; i++)
                    if (a[i] != 0 || signbit(a[i])) {
                        assert_true(count < got && index[count] == 100 + i);
                        same_bits(value[count++], a[i]);
                    }
                assert_true(count == got && index[ROOM + BN_PACK_ROOM] == 7);
            }
}

static void packing_ends_where_its_room_does(void **state)
{
    (void)state;
    int32_t index[LONGEST + BN_PACK_ROOM + 1];
    float value[LONGEST + BN_PACK_ROOM + 1];
    for (int table = 0; bn_kernels_all(table); table++)
        for (int n = 0; n <= LONGEST; n++)
            for (int room = 0; room <= n; room++) {
                for (int i = 0; i < n; i++)
                    a[i] = (float)i + 1;
                index[room + BN_PACK_ROOM] = 7;
                int64_t got = bn_kernels_all(table)->pack(index, value, a, 100, n, room);
                assert_true(got == room && index[room + BN_PACK_ROOM] == 7);
                for (int i = 0; i < room; i++)
                    assert_true(index[i] == 100 + i && value[i] == a[i]);
            }
}

static void a_mix_rounds_twice_and_makes_minus_zero_plus(void **state)
{
    (void)state;
    for (int table = 0; bn_kernels_all(table); table++)
        for (int n = 0; n <= LONGEST; n++) {
            float y[ROOM];
            fill((uint64_t)n);
            a[0] = -0.0f;
            memcpy(y, b, sizeof y);
            bn_kernels_all(table)->mix(y, a, 0.3f, 0.7f, n);
            for (int i = 0; i < ROOM; i++) {
                volatile float term = 0.3f * a[i], sum = 0.0f + term;
                same_bits(y[i], i < n ? sum * 0.7f : b[i]);
            }
            bn_kernels_all(table)->mix(a, a, 0.3f, 0.7f, n);
            assert_memory_equal(a, y, (size_t)n * sizeof *a);
        }
}

static void row_products_match_the_baseline(void **state)
{
    (void)state;
    enum { ROWS = 9, PICKS = 20, GAP = 3 };
    static float x[ROWS * (LONGEST + GAP)], out[PICKS], base[PICKS];
    int32_t id[PICKS];
    uint64_t s = 6;
    for (int i = 0; i < ROWS * (LONGEST + GAP); i++)
        x[i] = random_real(&s);
    for (int i = 0; i < PICKS; i++)
        id[i] = random_below(&s, ROWS);
    fill(7);
    for (int table = 0; bn_kernels_all(table); table++)
        for (int width = 0; width <= LONGEST; width++) {
            int stride = width + GAP;
            bn_kernels_all(0)->dots(base, b, x, width, stride, id, PICKS);
            bn_kernels_all(table)->dots(out, b, x, width, stride, id, PICKS);
            assert_memory_equal(out, base, sizeof out);
            for (int i = 0; i < PICKS; i++) {
                double sum = 0, size = 0;
                for (int j = 0; j < width; j++) {
                    sum += (double)b[j] * (double)x[id[i] * stride + j];
                    size += fabs((double)b[j] * (double)x[id[i] * stride + j]);
                }
                assert_true(fabs(sum - (double)out[i]) <= 1e-6 * size);
            }
        }
}

static void tiles_are_summed_in_order_at_every_depth(void **state)
{
    (void)state;
    enum { DEEPEST = 70, T = BN_TILE };
    static double x[DEEPEST * T], y[DEEPEST * T];
    double out[T * T], wanted[T * T] = {0};
    uint64_t s = 13;
    for (int i = 0; i < DEEPEST * T; i++) {
        x[i] = ldexp((double)random_real(&s), random_below(&s, 40) - 20);
        y[i] = ldexp((double)random_real(&s), random_below(&s, 40) - 20);
    }
    for (int depth = 0; depth <= DEEPEST; depth++) {
        for (int table = 0; bn_kernels_all(table); table++) {
            bn_kernels_all(table)->outer(out, x, y, depth);
            assert_memory_equal(out, wanted, sizeof out);
        }
        for (int i = 0; depth < DEEPEST && i < T * T; i++) {
            volatile double term = x[depth * T + i / T] * y[depth * T + i % T];
            wanted[i] += term;
        }
    }
}

static void every_table_takes_the_same_step_of_adam(void **state)
{
    (void)state;
    const bn_adam_step step = {5e-4f, 0.9f, 0.999f, 0.1f, 31.6f, 1e-8f};
    for (int i = 0; bn_kernels_all(i); i++)
        for (int n = 0; n <= LONGEST; n++) {
            float w[2][ROOM], g[2][ROOM], m[2][ROOM], v[2][ROOM];
            fill((uint64_t)n);
            for (int k = 0; k < 2; k++) {
                memcpy(w[k], a, sizeof a);
                memcpy(g[k], b, sizeof b);
                memcpy(m[k], b, sizeof b);
                for (int j = 0; j < ROOM; j++)
                    v[k][j] = fabsf(a[ROOM - 1 - j]);
                bn_kernels_all(k ? i : 0)->adam(w[k] + 1, g[k] + 2, m[k] + 3, v[k], &step, n);
            }
            assert_memory_equal(w[0], w[1], sizeof w[0]);
            assert_memory_equal(g[0], g[1], sizeof g[0]);
            assert_memory_equal(m[0], m[1], sizeof m[0]);
            assert_memory_equal(v[0], v[1], sizeof v[0]);
            assert_true(memcmp(w[0], a, sizeof a) == 0 || n > 0);
            for (int j = 0; j < ROOM; j++)
                same_bits(g[0][j], j >= 2 && j < n + 2 ? 0.0f : b[j]);
        }
}

static void there_is_no_table_beyond_the_last(void **state)
{
    (void)state;
    int n = 0;
    while (bn_kernels_all(n))
        n++;
    assert_true(n >= 1 && n <= 3);
    assert_null(bn_kernels_all(-1));
    assert_null(bn_kernels_all(n + 1));
}

/* main runs this program again with BONSAI_ISA set; the result is its exit status. */
static char program[4096];

static int run_with(const char *isa, const char *wanted)
{
    char command[4300];
    snprintf(command, sizeof command, "BONSAI_ISA=%s '%s' %s", isa, program, wanted);
    return system(command);
}

static void the_environment_overrides_the_choice(void **state)
{
    (void)state;
    int n = 0;
    if (!bn_kernels_all(1))                     /* nothing to choose from */
        skip();
    for (; bn_kernels_all(n); n++)
        assert_int_equal(run_with(bn_kernels_all(n)->name, bn_kernels_all(n)->name), 0);
    assert_int_equal(run_with("nonsense", bn_kernels_all(n - 1)->name), 0);
    assert_int_equal(run_with("''", bn_kernels_all(n - 1)->name), 0);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return strcmp(bonsai_isa(), argv[1]) != 0;
    snprintf(program, sizeof program, "%s", argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_documented_order),
        cmocka_unit_test(every_table_equals_the_baseline_at_every_length),
        cmocka_unit_test(a_sparse_row_sums_like_a_dense_one),
        cmocka_unit_test(rows_are_combined_in_order_at_every_width),
        cmocka_unit_test(products_have_the_bits_of_combined_rows),
        cmocka_unit_test(rows_are_gathered_in_order_at_the_widths_of_panels),
        cmocka_unit_test(what_is_not_zero_is_packed_in_order),
        cmocka_unit_test(packing_ends_where_its_room_does),
        cmocka_unit_test(a_mix_rounds_twice_and_makes_minus_zero_plus),
        cmocka_unit_test(row_products_match_the_baseline),
        cmocka_unit_test(tiles_are_summed_in_order_at_every_depth),
        cmocka_unit_test(every_table_takes_the_same_step_of_adam),
        cmocka_unit_test(there_is_no_table_beyond_the_last),
        cmocka_unit_test(the_environment_overrides_the_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
