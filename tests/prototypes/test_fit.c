/* test_fit.c -- ridge regression and posteriors against elimination in doubles.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "prototypes/fit.h"
#include "random_graph.h"
#include "solving.h"

enum { WAYS = 4 };
static const double lambdas[WAYS] = {0.03162, 0.003162, 0.0003162, 0.00003162};

/* ---- cases ---- */

typedef struct {                /* points and judged rows, plain */
    int n, f, c, judged;
    float *x, *target, *weight, *rows;
    int32_t *label;             /* of the judged rows */
    int32_t *own;               /* of the points */
} scene;

static float *room(int64_t count)
{
    float *p = calloc((size_t)count + 1, sizeof *p);
    assert_non_null(p);
    return p;
}

/* Rows lean to their class, so that there is something to learn. */
static void fill_rows(float *x, int32_t *label, int rows, int f, int c, int percent, uint64_t *s)
{
    random_features(x, rows, f, FLOATS, percent, s);
    for (int i = 0; i < rows; i++) {
        label[i] = random_below(s, c);
        for (int j = label[i]; j < f; j += c)
            x[i * f + j] += x[i * f + j] != 0 ? 0.5f : 0;
    }
}

static scene make_scene(int n, int f, int c, int judged, int percent, uint64_t seed)
{
    scene v = {n, f, c, judged, room((int64_t)n * f), room((int64_t)n * c), room(n),
               room((int64_t)judged * f), calloc((size_t)judged + 1, 4), calloc((size_t)n + 1, 4)};
    fill_rows(v.x, v.own, n, f, c, percent, &seed);
    fill_rows(v.rows, v.label, judged, f, c, percent, &seed);
    for (int i = 0; i < n; i++) {
        float total = 2;
        v.weight[i] = (float)(1 + random_below(&seed, 9));
        for (int j = 0; j < c; j++) {
            v.target[i * c + j] = fabsf(random_real(&seed)) + (j == v.own[i] ? 2.0f : 0.0f);
            total += v.target[i * c + j] - (j == v.own[i] ? 2.0f : 0.0f);
        }
        for (int j = 0; j < c; j++)
            v.target[i * c + j] /= total;
    }
    return v;
}

static void free_scene(scene *v)
{
    free(v->x);
    free(v->target);
    free(v->weight);
    free(v->rows);
    free(v->label);
    free(v->own);
}

static bn_embedding embed(const float *x, int64_t rows, int64_t f, bool sparse)
{
    bn_embedding e = {.rows = rows, .f = f};
    int64_t count = 0;
    if (!sparse) {
        assert_int_equal(BN_BIG(&e.dense, NULL, rows * f), BONSAI_OK);
        memcpy(e.dense, x, (size_t)(rows * f) * sizeof *x);
        return e;
    }
    assert_int_equal(BN_BIG(&e.offsets, NULL, rows + 1), BONSAI_OK);
    assert_int_equal(BN_BIG(&e.index, NULL, rows * f), BONSAI_OK);
    assert_int_equal(BN_BIG(&e.value, NULL, rows * f), BONSAI_OK);
    for (int64_t i = 0; i < rows * f; i++) {
        if (x[i] != 0) {
            e.index[count] = (int32_t)(i % f);
            e.value[count++] = x[i];
        }
        e.offsets[i / f + 1] = count;
    }
    return e;
}

/* How many of the judged rows each lambda has right. */
static bonsai_status judge(int *right, const scene *v, bool sparse, int threads)
{
    bonsai_status rc;
    bn_embedding x = embed(v->x, v->n, v->f, sparse);
    bn_embedding rows = embed(v->rows, v->judged, v->f, sparse);
    bn_fit q = {.x = &x, .n = v->n, .c = v->c, .lambda = lambdas, .ways = WAYS, .threads = threads};
    bn_scorer s = {0};
    float *score = room((int64_t)v->judged * v->c * WAYS);
    BN_TRY(bn_fit_rows(&q, &(bn_labels){v->target, v->weight, NULL}));
    BN_TRY(bn_fit_direct(&q));
    BN_TRY(bn_scorer_new(&s, &q));
    bn_score_rows(score, &s, &rows, 0, v->judged);
    for (int i = 0; i < v->judged * WAYS; i++) {
        int best = 0;
        for (int j = 1; j < v->c; j++)
            best = score[i * v->c + j] > score[i * v->c + best] ? j : best;
        right[i % WAYS] += best == v->label[i / WAYS];
    }
done:
    bn_fit_free(&q);
    bn_scorer_free(&s);
    free(score);
    bn_embedding_free(&x);
    bn_embedding_free(&rows);
    return rc;
}

/* The percentage that the best lambda, the first of several, has right. */
static double probe(double *lambda, const scene *v, bool sparse, int threads)
{
    int right[WAYS] = {0}, best = 0;
    if (judge(right, v, sparse, threads) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    for (int i = 1; i < WAYS; i++)
        best = right[i] > right[best] ? i : best;
    if (lambda)
        *lambda = lambdas[best];
    return v->judged > 0 ? 100.0 * right[best] / v->judged : 0;
}

static bonsai_status fit(float *out, const bn_embedding *e, const int32_t *label, int64_t classes,
                         double sharpness, const bn_place *at)
{
    bn_sharded x;
    bonsai_status rc = bn_sharded_look(&x, e, at);
    if (rc == BONSAI_OK)
        rc = bn_posterior(out, &x, label, classes, sharpness);
    bn_sharded_free(&x);
    return rc;
}

static float *posterior(const scene *v, bool sparse, double sharpness, int threads)
{
    bn_embedding x = embed(v->x, v->n, v->f, sparse);
    float *out = room((int64_t)v->n * v->c);
    if (fit(out, &x, v->own, v->c, sharpness, &(bn_place){.threads = threads}) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    bn_embedding_free(&x);
    return out;
}

/* ---- oracle ---- */

static double entry(const float *x, int i, int j, int f, double one)
{
    return j < f ? (double)x[i * f + j] : one;
}

/* The constant of every row: 0.3 times the root of their mean squared length; 1 where all are 0. */
static double oracle_one(const scene *v, bool weighted)
{
    double total = 0, squares = 0;
    for (int i = 0; i < v->n; i++) {
        double weight = weighted ? (double)v->weight[i] : 1;
        total += weight;
        for (int j = 0; j < v->f; j++)
            squares += weight * (double)v->x[i * v->f + j] * (double)v->x[i * v->f + j];
    }
    return squares > 0 ? 0.3 * sqrt(squares / total) : 1;
}

/* (f+1, c) weights by the normal equations, always primal; free() them.  target NULL: the labels
 * of the points, which then weigh the same. */
static double *oracle_fit(const scene *v, const float *target, double lambda)
{
    int m = v->f + 1, c = v->c;
    double *a = calloc((size_t)(m * m), sizeof *a), *b = calloc((size_t)(m * c), sizeof *b);
    double total = 0, squares = 0, one = oracle_one(v, target);
    for (int i = 0; i < v->n; i++) {
        double weight = target ? (double)v->weight[i] : 1;
        total += weight;
        for (int p = 0; p < m; p++) {
            double x = weight * entry(v->x, i, p, v->f, one);
            squares += x * entry(v->x, i, p, v->f, one);
            for (int j = 0; x != 0 && j < m; j++)
                a[p * m + j] += x * entry(v->x, i, j, v->f, one);
            for (int j = 0; j < c; j++)
                b[p * c + j] += x * (2 * (target ? (double)target[i * c + j] : v->own[i] == j) - 1);
        }
    }
    for (int i = 0; i < m * m; i++)
        a[i] = a[i] / total + (i % (m + 1) == 0 ? lambda * squares / total : 0);
    for (int i = 0; i < m * c; i++)
        b[i] /= total;
    eliminate(a, b, m, c);
    for (int j = 0; j < c; j++)
        b[v->f * c + j] *= one;         /* so that who scores has 1 */
    free(a);
    return b;
}

static double oracle_score(const double *w, const float *x, int i, int class, const scene *v)
{
    double sum = 0;
    for (int j = 0; j <= v->f; j++)
        sum += entry(x, i, j, v->f, 1) * w[j * v->c + class];
    return sum;
}

/* How many are right for sure, and with every doubtful one: two scores that nearly agree. */
static void oracle_right(int *low, int *high, const scene *v, double lambda)
{
    double *w = oracle_fit(v, v->target, lambda);
    *low = *high = 0;
    for (int i = 0; i < v->judged; i++) {
        double own = oracle_score(w, v->rows, i, v->label[i], v), other = -INFINITY;
        for (int j = 0; j < v->c; j++)
            if (j != v->label[i])
                other = fmax(other, oracle_score(w, v->rows, i, j, v));
        *low += own > other + 1e-4;
        *high += own > other - 1e-4;
    }
    free(w);
}

/* ---- fits ---- */

static void check_against_oracle(const scene *v)
{
    int low[WAYS], high[WAYS], most_low = 0, most_high = 0, best = 0;
    bool sure = true;
    for (int i = 0; i < WAYS; i++) {
        oracle_right(&low[i], &high[i], v, lambdas[i]);
        most_low = low[i] > most_low ? low[i] : most_low;
        most_high = high[i] > most_high ? high[i] : most_high;
        best = low[i] > low[best] ? i : best;
        sure &= low[i] == high[i];
    }
    for (int sparse = 0; sparse < 2; sparse++) {
        double lambda, got = probe(&lambda, v, sparse, 2) * v->judged / 100;
        if (got < most_low - 1e-9 || got > most_high + 1e-9)
            fail_msg("%d points, %d features, sparse %d: %g right, should be %d to %d", v->n, v->f,
                     sparse, got, most_low, most_high);
        if (sure)
            assert_true(lambda == lambdas[best]);
    }
}

static void agrees_with_elimination_primal_and_dual_dense_and_sparse(void **state)
{
    static const int shapes[][5] = {            /* points, features, classes, judged, percent */
        {5, 20, 3, 40, 60}, {7, 90, 7, 60, 10}, {20, 5, 3, 50, 100}, {30, 29, 4, 80, 50},
        {29, 29, 4, 80, 50}, {150, 70, 5, 300, 4}, {70, 150, 5, 600, 4}, {600, 66, 3, 100, 70},
        {66, 530, 6, 257, 70}, {540, 66, 2, 256, 3},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int *s = shapes[i];
        scene v = make_scene(s[0], s[1], s[2], s[3], s[4], i);
        check_against_oracle(&v);
        free_scene(&v);
    }
    for (uint64_t seed = 0; seed < 100; seed++) {
        int n = 1 + (int)(seed * 7 % 23), f = 1 + (int)(seed * 5 % 19);
        scene v = make_scene(n, f, 1 + (int)(seed % 5), 30, 20 + (int)(seed * 3 % 80), seed);
        check_against_oracle(&v);
        free_scene(&v);
    }
    (void)state;
}

/* Points at -1 and 1 of equal weight: the constant has no say, 0 is a tie.  A share of the weights
 * of 1/4 has an exact root. */
static void ties_go_to_the_lower_class_and_to_the_stronger_regularisation(void **state)
{
    float x[] = {-1, 1, -1, 1}, target[] = {0, 1, 1, 0, 0, 1, 1, 0}, weight[] = {1, 1, 1, 1};
    float rows[] = {0, 2, -3, 0};
    int32_t label[] = {0, 0, 1, 0}, own[] = {1, 0, 1, 0};
    scene v = {4, 1, 2, 4, x, target, weight, rows, label, own};
    double lambda;
    assert_true(probe(&lambda, &v, false, 1) == 100);
    assert_true(lambda == lambdas[0]);
    assert_true(probe(&lambda, &v, true, 1) == 100);
    label[0] = label[3] = 1;
    assert_true(probe(&lambda, &v, true, 1) == 50);
    (void)state;
}

/* The best lambda is not always the first: a judge that only a weak one satisfies.  Class 1 shows
 * in a small feature beside a large one. */
static void a_weaker_regularisation_is_chosen_where_it_is_better(void **state)
{
    float x[] = {10, 0.1f, 10, 0, 10, 0, 10, 0}, target[] = {0, 1, 1, 0, 1, 0, 1, 0};
    float weight[] = {1, 1, 1, 1}, rows[] = {10, 0.1f, 10, 0};
    int32_t label[] = {1, 0}, own[] = {1, 0, 0, 0};
    scene v = {4, 2, 2, 2, x, target, weight, rows, label, own};
    double lambda;
    assert_true(probe(&lambda, &v, false, 1) == 100);
    assert_true(lambda == lambdas[WAYS - 1]);
    check_against_oracle(&v);
    (void)state;
}

/* Features in another unit, a power of two, so that nothing is rounded another way. */
static void the_unit_of_the_features_does_not_count(void **state)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        scene v = make_scene(12, 30, 3, 400, 50, seed);
        double lambda, other, percent = probe(&lambda, &v, seed % 2, 1);
        float *before = posterior(&v, seed % 2, 3, 1), *after;
        for (int i = 0; i < v.n * v.f; i++)
            v.x[i] /= 256;
        for (int i = 0; i < v.judged * v.f; i++)
            v.rows[i] /= 256;
        assert_true(probe(&other, &v, seed % 2, 1) == percent && other == lambda);
        after = posterior(&v, seed % 2, 3, 1);
        for (int i = 0; i < v.n * v.c; i++)
            assert_true(fabs((double)before[i] - (double)after[i]) < 1e-6);
        free(before);
        free(after);
        free_scene(&v);
    }
    (void)state;
}

/* Every point of weight w becomes w points of weight 1, which turns dual into primal. */
static void a_weight_counts_like_repetition(void **state)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        scene v = make_scene(12, 30, 3, 400, 50, seed), r = v;
        double one, many;
        r.n = 0;
        r.x = room(200 * v.f);
        r.target = room(200 * v.c);
        r.weight = room(200);
        for (int i = 0; i < v.n; i++)
            for (int copy = 0; copy < (int)v.weight[i]; copy++, r.n++) {
                memcpy(r.x + r.n * v.f, v.x + i * v.f, (size_t)v.f * sizeof *v.x);
                memcpy(r.target + r.n * v.c, v.target + i * v.c, (size_t)v.c * sizeof *v.x);
                r.weight[r.n] = 1;
            }
        assert_true(r.n > v.f + 1);
        assert_true(fabs(probe(&one, &v, seed % 2, 1) - probe(&many, &r, seed % 2, 1)) < 0.3);
        assert_true(one == many);
        free(r.x);
        free(r.target);
        free(r.weight);
        free_scene(&v);
    }
    (void)state;
}

static void the_scale_of_weights_does_not_matter(void **state)
{
    scene v = make_scene(40, 20, 4, 300, 80, 5);
    double before, after, percent = probe(&before, &v, false, 1);
    for (int i = 0; i < v.n; i++)
        v.weight[i] *= 64;
    assert_true(probe(&after, &v, false, 1) == percent);
    assert_true(before == after);
    free_scene(&v);
    (void)state;
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    static const int shapes[][3] = {{700, 200, 20}, {200, 700, 20}, {700, 200, 5}, {200, 700, 5},
                                    {1100, 1100, 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        scene v = make_scene(shapes[i][0], shapes[i][1], 5, 5000, shapes[i][2], i);
        for (int sparse = 0; sparse < 2; sparse++) {
            float *one = posterior(&v, sparse, 3, 1), *three = posterior(&v, sparse, 3, 3);
            assert_memory_equal(one, three, (size_t)(v.n * v.c) * sizeof *one);
            free(one);
            free(three);
            double a, b;
            if (i < 4)
                assert_true(probe(&a, &v, sparse, 1) == probe(&b, &v, sparse, 3) && a == b);
        }
        free_scene(&v);
    }
    (void)state;
}

/* ---- posteriors ---- */

static void check_posterior(const scene *v, double sharpness)
{
    double *w = oracle_fit(v, NULL, 1e-4);
    for (int sparse = 0; sparse < 2; sparse++) {
        float *got = posterior(v, sparse, sharpness, 2);
        for (int i = 0; i < v->n; i++) {
            double total = 0;
            for (int j = 0; j < v->c; j++)
                total += exp(sharpness * oracle_score(w, v->x, i, j, v));
            for (int j = 0; j < v->c; j++) {
                double wanted = exp(sharpness * oracle_score(w, v->x, i, j, v)) / total;
                if (!(fabs(wanted - (double)got[i * v->c + j]) < 2e-5))
                    fail_msg("row %d, class %d, sparse %d: %g, should be %g", i, j, sparse,
                             (double)got[i * v->c + j], wanted);
            }
        }
        free(got);
    }
    free(w);
}

static void posteriors_agree_with_elimination(void **state)
{
    static const int shapes[][4] = {{300, 40, 5, 30}, {40, 300, 5, 30}, {600, 70, 3, 3},
                                    {1, 3, 2, 90}, {70, 200, 3, 3}, {50, 20, 1, 50},
                                    {9, 1, 3, 100}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        scene v = make_scene(shapes[i][0], shapes[i][1], shapes[i][2], 1, shapes[i][3], i);
        check_posterior(&v, 3);
        check_posterior(&v, 0.5);
        free_scene(&v);
    }
    (void)state;
}

typedef struct { int calls; uint64_t first, last, total; } ticks;

static int count_tick(const bonsai_progress *p, void *payload)
{
    ticks *t = payload;
    t->first = t->calls++ ? t->first : p->done;
    t->last = p->done;
    t->total = p->total;
    return 0;
}

static ticks ticks_of(const scene *v, bool sparse)
{
    ticks t = {0};
    bn_embedding x = embed(v->x, v->n, v->f, sparse);
    float *out = room((int64_t)v->n * v->c);
    assert_int_equal(fit(out, &x, v->own, v->c, 3,
                               &(bn_place){.threads = 2, .progress = {count_tick, &t}}),
                     BONSAI_OK);
    assert_int_equal(t.first, 0);
    assert_int_equal(t.last, t.total);
    bn_embedding_free(&x);
    free(out);
    return t;
}

typedef bonsai_status fit_fn(bn_fit *q);

static bonsai_status in_steps(bn_fit *q)
{
    return bn_fit_steps(q, (bn_progress){0});
}

/* (f+1, c) weights of one lambda; free() them. */
static float *weights(const scene *v, fit_fn *how, bool sparse, double lambda, int threads)
{
    bn_embedding x = embed(v->x, v->n, v->f, sparse);
    bn_fit q = {.x = &x, .n = v->n, .c = v->c, .lambda = &lambda, .ways = 1, .threads = threads};
    float *out = room((int64_t)(v->f + 1) * v->c);
    assert_int_equal(bn_fit_rows(&q, &(bn_labels){.label = v->own}), BONSAI_OK);
    assert_int_equal(how(&q), BONSAI_OK);
    memcpy(out, q.w, (size_t)((v->f + 1) * v->c) * sizeof *out);
    bn_fit_free(&q);
    bn_embedding_free(&x);
    return out;
}

/* How far apart two classifiers are, at most, on rows of the scene. */
static double apart(const float *a, const float *b, const scene *v)
{
    double most = 0;
    for (int i = 0; i < v->n; i++)
        for (int j = 0; j < v->c; j++) {
            double gap = 0;
            for (int p = 0; p <= v->f; p++)
                gap += entry(v->x, i, p, v->f, 1) *
                       ((double)a[p * v->c + j] - (double)b[p * v->c + j]);
            most = fmax(most, fabs(gap));
        }
    return most;
}

/* Where both sides are large the answer is found in steps. */
static void steps_come_to_what_a_factorisation_does(void **state)
{
    scene v = make_scene(1100, 1040, 3, 1, 3, 8), small = make_scene(900, 1040, 3, 1, 3, 8);
    float *direct = weights(&v, bn_fit_direct, false, 1e-4, 2);
    for (int sparse = 0; sparse < 2; sparse++) {
        float *steps = weights(&v, in_steps, sparse, 1e-4, 2);
        assert_true(apart(direct, steps, &v) < 1e-2);
        assert_true(ticks_of(&v, sparse).calls > 2);
        assert_int_equal(ticks_of(&small, sparse).calls, 2);
        free(steps);
    }
    free(direct);
    free_scene(&v);
    free_scene(&small);
    (void)state;
}

/* Odd rows have wrong labels, and of 40,000 rows only the even ones are fitted. */
static void no_more_than_20000_rows_are_fitted(void **state)
{
    enum { ROWS = 40000 };
    scene v = {.n = ROWS, .f = 2, .c = 2, .x = room(2 * ROWS), .own = calloc(ROWS, 4)};
    uint64_t seed = 3;
    for (int i = 0; i < ROWS; i++) {
        int class = random_below(&seed, 2);
        v.x[2 * i] = class ? 1.0f : -1.0f;
        v.x[2 * i + 1] = random_real(&seed);
        v.own[i] = i % 2 ? 1 - class : class;
    }
    float *p = posterior(&v, false, 3, 2);
    for (int i = 0; i < ROWS; i++)
        assert_true(p[2 * i + (v.x[2 * i] > 0)] > 0.9f);
    free(p);
    free(v.x);
    free(v.own);
    (void)state;
}

/* 4e8 products a step are 2,000 rows of 1,250 features and 160 classes: every second of these, and
 * the others have wrong labels.  Each class has a column of its own, so that few steps do. */
static void long_dense_rows_are_fitted_from_fewer(void **state)
{
    enum { ROWS = 2 * 2000, COLS = 1250, CLASSES = 160 };
    scene v = {.n = ROWS, .f = COLS, .c = CLASSES, .x = room((int64_t)ROWS * COLS),
               .own = calloc(ROWS, 4)};
    for (int i = 0; i < ROWS; i++) {
        int class = i / 2 % CLASSES;
        v.x[i * COLS + class] = 1;
        v.own[i] = i % 2 ? (class + 1) % CLASSES : class;
    }
    float *p = posterior(&v, false, 3, 2);
    for (int i = 0; i < ROWS; i++)
        assert_true(p[i * CLASSES + i / 2 % CLASSES] > 0.5f);
    free(p);
    free(v.x);
    free(v.own);
    (void)state;
}

/* ---- edges ---- */

static void one_point_wins_everything_for_its_class(void **state)
{
    float x[] = {1, 0, 2}, target[] = {0, 1}, weight[] = {3}, rows[] = {1, 0, 2, 0, 0, 0, 0, 5, 0};
    int32_t label[] = {1, 1, 0}, own[] = {1};
    scene v = {1, 3, 2, 3, x, target, weight, rows, label, own};
    assert_true(fabs(probe(NULL, &v, false, 1) - 200.0 / 3) < 1e-9);
    assert_true(fabs(probe(NULL, &v, true, 1) - 200.0 / 3) < 1e-9);
    (void)state;
}

static void rows_of_zeros_leave_the_share_of_the_classes(void **state)
{
    float x[12] = {0}, target[] = {1, 0, 0, 1, 0, 1}, weight[] = {1, 1, 1}, rows[8] = {0};
    int32_t label[] = {1, 1}, own[] = {0, 1, 1};
    scene v = {3, 4, 2, 2, x, target, weight, rows, label, own};
    assert_true(probe(NULL, &v, false, 1) == 100);
    assert_true(probe(NULL, &v, true, 1) == 100);
    v.weight[0] = 3;
    assert_true(probe(NULL, &v, true, 1) == 0);
    check_posterior(&v, 3);
    v.f = 0;
    assert_true(probe(NULL, &v, false, 1) == 0);
    check_posterior(&v, 3);
    (void)state;
}

static void one_class_is_always_right_and_nobody_to_judge_is_zero(void **state)
{
    scene v = make_scene(6, 4, 1, 10, 50, 2);
    assert_true(probe(NULL, &v, true, 2) == 100);
    v.judged = 0;
    assert_true(probe(NULL, &v, true, 2) == 0);
    assert_true(probe(NULL, &v, false, 2) == 0);
    v.n = 0;
    free(posterior(&v, false, 3, 1));
    free_scene(&v);
    (void)state;
}

static void infinite_features_are_refused(void **state)
{
    scene v = make_scene(6, 4, 2, 10, 90, 2);
    bn_embedding x;
    int right[WAYS] = {0};
    v.x[7] = INFINITY;
    x = embed(v.x, v.n, v.f, false);
    assert_fails(judge(right, &v, false, 1), BONSAI_E_ARGUMENT,
                 "6 rows of 4 features cannot be fitted: one of them is not finite");
    assert_fails(fit(v.x, &x, v.own, 2, 3, &(bn_place){.threads = 1}), BONSAI_E_ARGUMENT,
                 "not finite");
    bn_embedding_free(&x);
    free_scene(&v);
    (void)state;
}

typedef struct {
    bn_embedding x;
    const scene *v;
} attempt;

static bonsai_status try_once(void *payload)
{
    bonsai_status rc;
    attempt *a = payload;
    float *out = NULL;
    BN_TRY(BN_NEW(&out, (int64_t)a->v->n * a->v->c));
    BN_TRY(fit(out, &a->x, a->v->own, a->v->c, 3, &(bn_place){.threads = 2}));
done:
    bn_free(out);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    static const int shapes[][2] = {{9, 4}, {4, 9}, {1026, 1026}};
    for (int i = 0; i < 6; i++) {
        scene v = make_scene(shapes[i / 2][0], shapes[i / 2][1], 3, 8, i < 4 ? 50 : 1, (uint64_t)i);
        attempt a = {embed(v.x, v.n, v.f, i & 1), &v};
        survives_failed_allocations(try_once, &a, 9);
        bn_embedding_free(&a.x);
        free_scene(&v);
    }
    (void)state;
}

static int stop(const bonsai_progress *p, void *payload)
{
    ++*(int *)payload;
    assert_string_equal(p->stage, "fitting");
    return 1;
}

static void a_posterior_can_be_canceled(void **state)
{
    scene v = make_scene(20, 4, 2, 1, 90, 2);
    bn_embedding x = embed(v.x, v.n, v.f, false);
    float *out = room(v.n * v.c);
    int calls = 0;
    int64_t before = bn_mem_live();
    assert_fails(fit(out, &x, v.own, 2, 3,
                           &(bn_place){.threads = 1, .progress = {stop, &calls}}),
                 BONSAI_E_CANCELED, "canceled");
    assert_int_equal(calls, 1);
    assert_int_equal(bn_mem_live(), before);
    bn_embedding_free(&x);
    free(out);
    free_scene(&v);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_elimination_primal_and_dual_dense_and_sparse),
        cmocka_unit_test(ties_go_to_the_lower_class_and_to_the_stronger_regularisation),
        cmocka_unit_test(a_weaker_regularisation_is_chosen_where_it_is_better),
        cmocka_unit_test(the_unit_of_the_features_does_not_count),
        cmocka_unit_test(a_weight_counts_like_repetition),
        cmocka_unit_test(the_scale_of_weights_does_not_matter),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(posteriors_agree_with_elimination),
        cmocka_unit_test(steps_come_to_what_a_factorisation_does),
        cmocka_unit_test(no_more_than_20000_rows_are_fitted),
        cmocka_unit_test(long_dense_rows_are_fitted_from_fewer),
        cmocka_unit_test(one_point_wins_everything_for_its_class),
        cmocka_unit_test(rows_of_zeros_leave_the_share_of_the_classes),
        cmocka_unit_test(one_class_is_always_right_and_nobody_to_judge_is_zero),
        cmocka_unit_test(infinite_features_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(a_posterior_can_be_canceled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
