/* test_ppr.c -- PageRank against a dense linear solve, and knees by hand.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>

#include "condense/condense.h"
#include "random_graph.h"

enum { MOST_N = 30, CASES = 200 };

typedef struct {                /* any matrix of weights; rows need not have their reverse */
    int64_t n, offsets[MOST_N + 1];
    int32_t to[MOST_N * MOST_N];
    float   weight[MOST_N * MOST_N];
    uint8_t root[MOST_N];
    double  beta;
    bool    weighted;
} problem;

static void make_problem(problem *p, uint64_t seed)
{
    uint64_t s = seed;
    int64_t m = 0;
    memset(p, 0, sizeof *p);
    p->n = 1 + random_below(&s, MOST_N);
    p->weighted = random_below(&s, 2);
    p->beta = seed % 3 ? 0.15 : 0.05 + 0.9 * (double)random_below(&s, 100) / 100;
    int chance = 2 + random_below(&s, 40);
    for (int64_t v = 0; v < p->n; v++) {
        for (int32_t u = 0; u < p->n; u++)
            if (random_below(&s, 100) < chance && v % 5 != 3) {     /* every fifth dangles */
                p->to[m] = u;
                p->weight[m++] = random_real(&s) + 1.25f;
            }
        p->offsets[v + 1] = m;
        p->root[v] = random_below(&s, 4) == 0;
    }
    p->root[random_below(&s, (int)p->n)] = 1;
}

/* (I - (1 - beta) A) pi = beta e by elimination; a dangling column of A is e. */
static void oracle_ppr(double *pi, const problem *p)
{
    static double a[MOST_N][MOST_N + 1];
    int64_t n = p->n;
    double roots = 0;
    memset(a, 0, sizeof a);
    for (int64_t v = 0; v < n; v++)
        roots += p->root[v];
    for (int64_t v = 0; v < n; v++) {
        double degree = 0;
        for (int64_t e = p->offsets[v]; e < p->offsets[v + 1]; e++)
            degree += p->weighted ? (double)p->weight[e] : 1;
        for (int64_t e = p->offsets[v]; e < p->offsets[v + 1]; e++)
            a[p->to[e]][v] -= (1 - p->beta) * (p->weighted ? (double)p->weight[e] : 1) / degree;
        for (int64_t u = 0; u < n && degree == 0; u++)
            a[u][v] -= (1 - p->beta) * p->root[u] / roots;
        a[v][v] += 1;
        a[v][n] = p->beta * p->root[v] / roots;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t pivot = i;
        for (int64_t r = i + 1; r < n; r++)
            pivot = fabs(a[r][i]) > fabs(a[pivot][i]) ? r : pivot;
        for (int64_t j = 0; j <= n; j++) {
            double t = a[i][j];
            a[i][j] = a[pivot][j];
            a[pivot][j] = t;
        }
        for (int64_t r = 0; r < n; r++)
            for (int64_t j = n; r != i && j >= i; j--)
                a[r][j] -= a[i][j] * (a[r][i] / a[i][i]);
    }
    for (int64_t i = 0; i < n; i++)
        pi[i] = a[i][n] / a[i][i];
}

static void equals_a_dense_linear_solve(void **state)
{
    (void)state;
    static problem p;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        double pi[MOST_N], want[MOST_N], sum = 0;
        int rounds;
        make_problem(&p, seed);
        oracle_ppr(want, &p);
        assert_int_equal(bn_ppr(pi, &rounds,
                                &(bn_links){p.n, p.offsets, p.to, p.weighted ? p.weight : NULL,
                                            p.root}, p.beta, NULL), BONSAI_OK);
        assert_in_range(rounds, 1, 500);
        for (int64_t v = 0; v < p.n; v++) {
            if (!(fabs(pi[v] - want[v]) <= 1e-7))
                fail_msg("seed %d, node %d: %.12g, not %.12g", (int)seed, (int)v, pi[v], want[v]);
            sum += pi[v];
        }
        assert_true(fabs(sum - 1) < 1e-9);
    }
}

/* Root 0 with one neighbour that sends everything back: pi = 1/(2-b), (1-b)/(2-b). */
static void a_pair_by_hand(void **state)
{
    (void)state;
    static const int64_t offsets[3] = {0, 1, 2};
    static const int32_t to[2] = {1, 0};
    static const uint8_t root[2] = {1, 0};
    double pi[2];
    int rounds;
    assert_int_equal(bn_ppr(pi, &rounds, &(bn_links){2, offsets, to, NULL, root}, 0.15,
                            NULL), BONSAI_OK);
    assert_true(fabs(pi[0] - 1 / 1.85) < 1e-8 && fabs(pi[1] - 0.85 / 1.85) < 1e-8);
}

static void without_a_root_it_is_refused(void **state)
{
    (void)state;
    static const int64_t offsets[2] = {0, 0};
    static const uint8_t root[1] = {0};
    double pi[1];
    int rounds;
    assert_fails(bn_ppr(pi, &rounds, &(bn_links){1, offsets, NULL, NULL, root}, 0.15,
                        NULL), BONSAI_E_ARGUMENT, "needs a root");
}

static void the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    enum { N = 3000, EACH = 5 };
    static int64_t offsets[N + 1];
    static int32_t to[N * EACH];
    static float weight[N * EACH];
    static uint8_t root[N];
    static double one[N], more[N];
    uint64_t s = 7;
    int steps, other;
    for (int64_t v = 0; v < N; v++) {
        for (int64_t e = offsets[v]; e < (v + 1) * EACH; e++) {
            to[e] = random_below(&s, N);
            weight[e] = 0.25f + (float)random_below(&s, 100);
        }
        offsets[v + 1] = (v + 1) * EACH;
        root[v] = v % 50 == 0;
    }
    const bn_links g = {N, offsets, to, weight, root};
    assert_int_equal(bn_ppr(one, &steps, &g, 0.15, &(bn_place){.threads = 1}), BONSAI_OK);
    for (int threads = 2; threads <= 8; threads++) {
        assert_int_equal(bn_ppr(more, &other, &g, 0.15, &(bn_place){.threads = threads}),
                         BONSAI_OK);
        assert_int_equal(steps, other);
        assert_memory_equal(one, more, sizeof one);
    }
}

static void knee(int64_t want, double at, int64_t n, const double *pi)
{
    int64_t index;
    double score;
    bn_knee(&index, &score, pi, n);
    assert_int_equal(index, want);
    assert_true(score == at);
}

static void knees_by_hand(void **state)
{
    (void)state;
    /* bends -6, 6, 0 */
    knee(2, 2, 5, (const double[]){10, 9, 2, 1, 0});
    /* a line has no bend: the first of equals */
    knee(1, 3, 5, (const double[]){4, 3, 2, 1, 0});
    knee(1, 1, 3, (const double[]){8, 1, 0.5});
    knee(1, 7, 4, (const double[]){7, 7, 7, 7});
    knee(-1, 0, 2, (const double[]){7, 1});
    knee(-1, 0, 0, (const double[]){0});
}

static bonsai_status try_memory(void *payload)
{
    const problem *p = payload;
    double pi[MOST_N];
    int rounds;
    return bn_ppr(pi, &rounds, &(bn_links){p->n, p->offsets, p->to, p->weight, p->root}, 0.15,
                  NULL);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static problem p;
    make_problem(&p, 2);
    assert_true(p.n > 3);
    survives_failed_allocations(try_memory, &p, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_a_dense_linear_solve),
        cmocka_unit_test(a_pair_by_hand),
        cmocka_unit_test(without_a_root_it_is_refused),
        cmocka_unit_test(the_same_for_any_number_of_threads),
        cmocka_unit_test(knees_by_hand),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
