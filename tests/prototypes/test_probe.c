/* test_probe.c -- the probe's two views against elimination in doubles, and small graphs by hand.
 *
 * The oracle takes the hidden layers from randomlayer.c, which has a test of its own.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "prototypes/randomlayer.h"
#include "prototypes/judge.h"
#include "prototypes/prototypes.h"
#include "random_graph.h"
#include "solving.h"

enum { WAYS = 3, VIEWS = 3 };
static const double grid[WAYS] = {1, 0.1, 0.01};        /* over the number of points */

/* ---- cases ---- */

typedef struct {                /* points and judged rows: own, around, far */
    int n, f, c, judged;
    float *x[VIEWS], *rows[VIEWS], *target, *weight;
    int32_t *label, *own;       /* of judged rows, of points */
} scene;

static float *room(int64_t count)
{
    float *p = calloc((size_t)count + 1, sizeof *p);
    assert_non_null(p);
    return p;
}

/* Rows lean to their class, so that there is something to learn. */
static void fill_rows(float *x, const int32_t *label, int rows, int f, int c, uint64_t *s)
{
    random_features(x, rows, f, FLOATS, 50, s);
    for (int i = 0; i < rows; i++)
        for (int j = label[i]; j < f; j += c)
            x[i * f + j] += 0.5f;
}

static scene make_scene(int n, int f, int c, int judged, uint64_t seed)
{
    scene v = {.n = n, .f = f, .c = c, .judged = judged, .target = room((int64_t)n * c),
               .weight = room(n), .label = calloc((size_t)judged + 1, 4),
               .own = calloc((size_t)n + 1, 4)};
    for (int i = 0; i < n; i++)
        v.own[i] = random_below(&seed, c);
    for (int i = 0; i < judged; i++)
        v.label[i] = random_below(&seed, c);
    for (int k = 0; k < VIEWS; k++) {
        v.x[k] = room((int64_t)n * f);
        v.rows[k] = room((int64_t)judged * f);
        fill_rows(v.x[k], v.own, n, f, c, &seed);
        fill_rows(v.rows[k], v.label, judged, f, c, &seed);
    }
    for (int i = 0; i < n; i++) {
        v.target[i * c + v.own[i]] = 1;
        v.weight[i] = 1;
    }
    return v;
}

static void free_scene(scene *v)
{
    for (int k = 0; k < VIEWS; k++) {
        free(v->x[k]);
        free(v->rows[k]);
    }
    free(v->target);
    free(v->weight);
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

static bn_views views(float *const *x, int64_t rows, int64_t f, bool sparse)
{
    return (bn_views){embed(x[0], rows, f, sparse), embed(x[1], rows, f, sparse),
                      embed(x[2], rows, f, sparse)};
}

typedef struct {                /* what a probe reads of a job */
    bn_job job;
    bonsai_graph g;
    bonsai_condense_options o;
} stage;

static stage *new_stage(const scene *v, bool sparse, int threads)
{
    stage *s = calloc(1, sizeof *s);
    bonsai_condense_options_init(&s->o);
    s->g.view.classes = v->c;
    s->job.g = &s->g;
    s->job.o = &s->o;
    s->job.at.threads = threads;
    s->job.judge = views(v->rows, v->judged, v->f, sparse);
    s->job.judge_label = v->label;
    return s;
}

static void free_stage(stage *s)
{
    bn_views_free(&s->job.judge);
    free(s);
}

static bn_probe *new_probe(const stage *s)
{
    bn_probe *p = NULL;
    if (bn_probe_new(&p, &s->job) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return p;
}

typedef bonsai_status rows_fn(double *percent, const bn_probe *p, const bn_views *rows,
                              const int32_t *label);

static double probe_by(rows_fn *by, const scene *v, bool sparse, int threads)
{
    stage *s = new_stage(v, sparse, threads);
    bn_probe *p = new_probe(s);
    bn_views x = views(v->x, v->n, v->f, sparse);
    double percent = -1;
    if (by(&percent, p, &x, v->own) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    bn_views_free(&x);
    bn_probe_free(p);
    free_stage(s);
    return percent;
}

static double probe(const scene *v, bool sparse, int threads)
{
    return probe_by(bn_probe_rows, v, sparse, threads);
}

/* ---- oracle ---- */

/* The product of two rows and of their constants, whose square is given. */
static double product(const float *a, const float *b, int f, double one)
{
    double sum = one;
    for (int j = 0; j < f; j++)
        sum += (double)a[j] * (double)b[j];
    return sum;
}

typedef struct { const float *x, *rows; int f; } view;

/* How many are right for sure, and with every doubtful one: two scores that nearly agree. */
static void oracle_right(int *low, int *high, const scene *v, const view *s, double lambda)
{
    int n = v->n, c = v->c;
    double *a = calloc((size_t)(n * n), sizeof *a), *b = calloc((size_t)(n * c), sizeof *b);
    double total = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        total += (double)v->weight[i];
        squares += (double)v->weight[i] * product(s->x + i * s->f, s->x + i * s->f, s->f, 0);
    }
    const double one = 0.09 * squares / total;
    squares *= 1.09;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i * n + j] = sqrt((double)v->weight[i] * (double)v->weight[j]) / total *
                           product(s->x + i * s->f, s->x + j * s->f, s->f, one);
        a[i * n + i] += lambda * squares / total;
        for (int j = 0; j < c; j++)
            b[i * c + j] = sqrt((double)v->weight[i] / total) *
                           (2 * (double)v->target[i * c + j] - 1);
    }
    eliminate(a, b, n, c);
    *low = *high = 0;
    for (int r = 0; r < v->judged; r++) {
        double own = 0, other = -INFINITY;
        for (int j = 0; j < c; j++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += sqrt((double)v->weight[i] / total) * b[i * c + j] *
                       product(s->rows + r * s->f, s->x + i * s->f, s->f, one);
            own = j == v->label[r] ? sum : own;
            other = j == v->label[r] ? other : fmax(other, sum);
        }
        *low += own > other + 1e-4;
        *high += own > other - 1e-4;
    }
    free(a);
    free(b);
}

static float *joined(float *const *x, int rows, int f)
{
    float *out = room(2LL * rows * f);
    for (int i = 0; i < rows; i++) {
        memcpy(out + 2 * i * f, x[0] + i * f, (size_t)f * sizeof *out);
        memcpy(out + (2 * i + 1) * f, x[1] + i * f, (size_t)f * sizeof *out);
    }
    return out;
}

/* What each lambda gets right in both views: at least, and at most. */
typedef struct { int low[2][WAYS], high[2][WAYS]; } tally;

/* A view behind a layer that is made for the judged rows. */
static void count_view(int *low, int *high, const scene *v, bn_embedding *x, bn_embedding *rows)
{
    bn_random_layer h;
    bn_embedding hx, hr;
    assert_int_equal(bn_random_layer_new(&h, rows), BONSAI_OK);
    assert_int_equal(bn_random_layer_rows(&hx, &h, x, 1), BONSAI_OK);
    assert_int_equal(bn_random_layer_rows(&hr, &h, rows, 1), BONSAI_OK);
    for (int i = 0; i < WAYS; i++)
        oracle_right(&low[i], &high[i], v, &(view){hx.dense, hr.dense, BN_RANDOM_COLUMNS},
                     grid[i] / v->n);
    bn_embedding *all[] = {x, rows, &hx, &hr};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bn_embedding_free(all[i]);
    bn_random_layer_free(&h);
}

static tally count(const scene *v)
{
    tally t;
    float *x = joined(v->x, v->n, v->f), *rows = joined(v->rows, v->judged, v->f);
    bn_embedding near = embed(x, v->n, 2 * v->f, false);
    bn_embedding near_rows = embed(rows, v->judged, 2 * v->f, false);
    bn_embedding far = embed(v->x[2], v->n, v->f, false);
    bn_embedding far_rows = embed(v->rows[2], v->judged, v->f, false);
    count_view(t.low[0], t.high[0], v, &near, &near_rows);
    count_view(t.low[1], t.high[1], v, &far, &far_rows);
    free(x);
    free(rows);
    return t;
}

/* The percentage of a view, by the mean of the lambdas or by the best of them. */
static double mean_of(const int *right, int judged)
{
    double sum = 0;
    for (int i = 0; i < WAYS; i++)
        sum += right[i];
    return 100 * sum / WAYS / judged;
}

static double best_of(const int *right, int judged)
{
    int best = 0;
    for (int i = 0; i < WAYS; i++)
        best = right[i] > best ? right[i] : best;
    return 100.0 * best / judged;
}

/* The percentages between which the probe's must lie; near: the share of that view. */
static void oracle(double *least, double *most, const scene *v, double near)
{
    tally t = count(v);
    const double far = 1 - near;
    *least = near * mean_of(t.low[0], v->judged) + far * mean_of(t.low[1], v->judged) - 1e-9;
    *most = near * mean_of(t.high[0], v->judged) + far * mean_of(t.high[1], v->judged) + 1e-9;
}

/* ---- rows ---- */

static void agrees_with_elimination(void **state)
{
    static const int shapes[][4] = {            /* points, features, classes, judged */
        {1, 3, 2, 20}, {5, 20, 3, 40}, {7, 90, 7, 60}, {40, 5, 3, 50}, {90, 30, 4, 80}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int *s = shapes[i];
        scene v = make_scene(s[0], s[1], s[2], s[3], i);
        double least, most;
        oracle(&least, &most, &v, 0.5);
        for (int sparse = 0; sparse < 2; sparse++) {
            double got = probe(&v, sparse, 2);
            if (got < least || got > most)
                fail_msg("%d points, sparse %d: %g, should be %g to %g", v.n, sparse, got, least,
                         most);
        }
        free_scene(&v);
    }
    (void)state;
}

/* Many points of which half have a wrong label: lambdas then differ by what they get right, and the
 * best of them is above the mean. */
static void the_score_is_the_mean_over_the_lambdas(void **state)
{
    int differ = 0;
    for (uint64_t i = 0; i < 4; i++) {
        scene v = make_scene(100, 12, 3, 600, i);
        uint64_t s = i;
        for (int p = 0; p < v.n; p += 2) {
            v.target[p * v.c + v.own[p]] = 0;
            v.own[p] = random_below(&s, v.c);
            v.target[p * v.c + v.own[p]] = 1;
        }
        tally t = count(&v);
        double least, most, got = probe(&v, false, 2);
        double best = (best_of(t.low[0], v.judged) + best_of(t.low[1], v.judged)) / 2;
        oracle(&least, &most, &v, 0.5);
        assert_true(got >= least && got <= most);
        differ += best > most + 1;
        free_scene(&v);
    }
    assert_true(differ >= 2);
    (void)state;
}

/* More points than are fitted of a candidate: nothing is lost by them. */
static void one_fit_takes_as_many_points_as_a_second_is_enough_for(void **state)
{
    scene few = make_scene(40, 12, 3, 200, 1), many = make_scene(2500, 12, 3, 400, 1);
    assert_true(probe_by(bn_probe_once, &few, false, 1) == probe(&few, false, 1));
    double some = probe(&many, false, 2), once = probe_by(bn_probe_once, &many, false, 2);
    assert_true(fabs(once - some) < 3 && once > 100.0 / 3);
    assert_true(once == probe_by(bn_probe_once, &many, true, 5));
    free_scene(&few);
    free_scene(&many);
    (void)state;
}

/* n numbers a row, halved: the products of rows with each other; a third of a cube: a solution. */
static void products_of_a_fit_are_counted_for_plans(void **state)
{
    const double wide = BN_RANDOM_COLUMNS + 1, solve = wide * wide * wide;
    double fitted;
    assert_true(fabs(bn_probe_products(100, wide, wide) - 100 * wide * 50 - 1e6) < 1);
    assert_true(fabs(bn_probe_products(1e6, wide, wide) - 1024 * wide * wide - solve) < 1);
    assert_true(fabs(bn_probe_products(1e6, 21, 21) - 1e6 * 21 * 21 / 2 - 21 * 21 * 21) < 1);
    double once = bn_probe_products_once(&fitted, 2000, wide, wide);
    assert_true(fitted == 2000 && fabs(once - 1000 * wide * wide - solve) < 1);
    once = bn_probe_products_once(&fitted, 1e7, wide, wide);
    assert_true(once <= 4e9 && once > 3.5e9 && fitted == floor(fitted));
    assert_true(fabs(once - fitted / 2 * wide * wide - solve) < 1);
    (void)state;
}

static double probe_for(const scene *v, int models)
{
    stage *s = new_stage(v, false, 1);
    s->o.for_models = models;
    bn_probe *p = new_probe(s);
    bn_views x = views(v->x, v->n, v->f, false);
    double percent = -1;
    assert_int_equal(bn_probe_rows(&percent, p, &x, v->own), BONSAI_OK);
    bn_views_free(&x);
    bn_probe_free(p);
    free_stage(s);
    return percent;
}

static void networks_weigh_the_views(void **state)
{
    static const struct { int models; double near; } want[] = {
        {0, 1.0 / 2}, {1 << BONSAI_MODEL_GCN, 1.0 / 2}, {1 << BONSAI_MODEL_GAT, 1.0 / 2},
        {1 << BONSAI_MODEL_GIN, 1.0 / 3}, {1 << BONSAI_MODEL_SAGE, 1},
        {1 << BONSAI_MODEL_GCN | 1 << BONSAI_MODEL_SAGE, 2.0 / 3},
        {(1 << BONSAI_MODEL_COUNT) - 1, 1.0 / 2}};
    scene v = make_scene(9, 30, 3, 300, 5);
    random_features(v.rows[2], v.judged, v.f, FLOATS, 50, &(uint64_t){7});      /* far says little */
    double least = 100, most = 0;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        double low, high, got = probe_for(&v, want[i].models);
        oracle(&low, &high, &v, want[i].near);
        assert_true(got >= low && got <= high);
        least = fmin(least, got);
        most = fmax(most, got);
    }
    assert_true(most > least + 5);
    free_scene(&v);
    (void)state;
}

/* More points than columns of the hidden layer. */
static void any_number_of_threads_gives_the_same_bits(void **state)
{
    static const int shapes[][2] = {{300, 40}, {1100, 20}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        scene v = make_scene(shapes[i][0], shapes[i][1], 3, 1700, i);
        double one = probe(&v, i % 2, 1);
        assert_true(one > 40 && one == probe(&v, i % 2, 3) && one == probe(&v, i % 2 == 0, 2));
        free_scene(&v);
    }
    (void)state;
}

static void an_error_is_that_of_a_share_of_nodes(void **state)
{
    assert_true(bn_probe_error(50, 100) == 5 && bn_probe_error(100, 7) == 0);
    assert_true(bn_probe_error(20, 0) == 0);
    (void)state;
}

static void nobody_to_judge_is_zero_and_no_point_is_refused(void **state)
{
    scene v = make_scene(6, 4, 2, 10, 2);
    v.judged = 0;
    assert_true(probe(&v, false, 1) == 0 && probe(&v, true, 1) == 0);
    v.judged = 10;
    stage *s = new_stage(&v, false, 1);
    bn_probe *p = new_probe(s);
    bn_views none = {0};
    double percent;
    assert_fails(bn_probe_rows(&percent, p, &none, v.own), BONSAI_E_ARGUMENT,
                 "a probe needs at least one point");
    bn_probe_free(p);
    free_stage(s);
    free_scene(&v);
    (void)state;
}

/* ---- small graphs ---- */

/* The points as nodes without edges: what is around them is nothing. */
static bonsai_graph *lonely_graph(const scene *v, const uint32_t *origin, bool soft)
{
    bonsai_graph *g = NULL;
    bonsai_view o;
    uint32_t *offsets = calloc((size_t)v->n + 1, sizeof *offsets);
    uint32_t *label = calloc((size_t)v->n, sizeof *label);
    bonsai_view_init(&o);
    o.nodes = v->n;
    o.features = v->f;
    o.classes = v->c;
    for (int i = 0; i < v->n; i++)
        label[i] = (uint32_t)v->own[i];
    o.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, v->n + 1, BONSAI_TYPE_U32};
    o.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){label, 0, BONSAI_TYPE_U32};
    o.section[BONSAI_SECTION_FEATURES] = (bonsai_array){v->x[0], v->n * v->f, BONSAI_TYPE_F32};
    o.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, v->n, BONSAI_TYPE_U32};
    if (origin)
        o.section[BONSAI_SECTION_ORIGIN] = (bonsai_array){origin, v->n, BONSAI_TYPE_U32};
    if (soft) {
        o.section[BONSAI_SECTION_SOFT_LABELS] = (bonsai_array){v->target, v->n * v->c,
                                                               BONSAI_TYPE_F32};
        o.section[BONSAI_SECTION_NODE_WEIGHTS] = (bonsai_array){v->weight, v->n, BONSAI_TYPE_F32};
    }
    if (bonsai_graph_new(&g, &o, 1) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    free(offsets);
    free(label);
    return g;
}

static double probe_graph(const stage *s, const bonsai_graph *g)
{
    bn_probe *p = new_probe(s);
    double percent = -1;
    if (bn_probe_graph(&percent, p, g) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    bn_probe_free(p);
    return percent;
}

static void soft_labels_and_weights_count(void **state)
{
    int differ = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        scene v = make_scene(12, 9, 3, 60, seed);
        double least, most;
        stage *s = new_stage(&v, false, 1);
        bonsai_graph *hard = lonely_graph(&v, NULL, false);
        memcpy(v.x[2], v.x[0], (size_t)(v.n * v.f) * sizeof(float));
        memset(v.x[1], 0, (size_t)(v.n * v.f) * sizeof(float));
        oracle(&least, &most, &v, 0.5);
        double plain = probe_graph(s, hard);
        assert_true(plain >= least && plain <= most && plain == probe(&v, false, 1));
        for (int i = 0; i < v.n; i++) {
            v.weight[i] = (float)(1 + i % 4 * 5);
            v.target[i * v.c + v.own[i]] = 0.25f;
            v.target[i * v.c + (v.own[i] + 1 + i % 2) % v.c] = 0.75f;
        }
        oracle(&least, &most, &v, 0.5);
        bonsai_graph *soft = lonely_graph(&v, NULL, true);
        double got = probe_graph(s, soft);
        assert_true(got >= least && got <= most);
        differ += got != plain;
        bonsai_graph_free(hard);
        bonsai_graph_free(soft);
        free_stage(s);
        free_scene(&v);
    }
    assert_true(differ >= 5);
    (void)state;
}

/* Trees 0 .. 11 of nodes 100 .. 111, each third of them judged on. */
static void nodes_that_are_judged_on_do_not_take_part(void **state)
{
    scene v = make_scene(12, 9, 3, 60, 4);
    uint32_t origin[12], of[12];
    int32_t train[12];
    uint8_t held[12];
    for (int i = 0; i < 12; i++) {
        origin[i] = (uint32_t)(111 - i);
        of[i] = (uint32_t)(100 + i);
        train[i] = i;
        held[i] = i % 3 == 0;
    }
    stage *s = new_stage(&v, false, 1);
    bonsai_graph *all = lonely_graph(&v, origin, false), *unknown = lonely_graph(&v, NULL, false);
    double plain = probe_graph(s, all);
    s->g.view.section[BONSAI_SECTION_ORIGIN] = (bonsai_array){of, 12, BONSAI_TYPE_U32};
    s->job.train = train;
    s->job.trees = 12;
    s->job.held = held;
    assert_true(probe_graph(s, unknown) == plain);
    double got = probe_graph(s, all);
    s->job.held = NULL;
    scene w = v;
    w.n = 0;
    for (int i = 0; i < 12; i++)
        if (!held[11 - i]) {
            memmove(w.x[0] + w.n * w.f, w.x[0] + i * w.f, (size_t)w.f * sizeof(float));
            w.own[w.n++] = v.own[i];
        }
    bonsai_graph *rest = lonely_graph(&w, NULL, false);
    assert_true(got == probe_graph(s, rest) && got != plain);
    for (int i = 0; i < 12; i++)
        held[i] = 1;
    s->job.held = held;
    assert_true(probe_graph(s, all) == 0);
    bonsai_graph_free(all);
    bonsai_graph_free(unknown);
    bonsai_graph_free(rest);
    free_stage(s);
    free_scene(&v);
    (void)state;
}

/* 0 - 1 - 2, 3 with itself, 4 alone; 2 has no label. */
static bonsai_graph *graph_by_hand(void)
{
    static const uint32_t offsets[] = {0, 1, 3, 4, 5, 5}, neighbors[] = {1, 0, 2, 1, 3};
    static const uint32_t label[] = {0, 1, UINT32_MAX, 0, 1};
    static const float x[] = {1, 0, 4, 2, 0, 8, 3, 3, 5, 0};
    bonsai_graph *g = NULL;
    bonsai_view o;
    bonsai_view_init(&o);
    o.nodes = 5;
    o.features = o.classes = 2;
    o.flags = BONSAI_FLAG_SELF_LOOPS;
    o.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 6, BONSAI_TYPE_U32};
    o.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, 5, BONSAI_TYPE_U32};
    o.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 10, BONSAI_TYPE_F32};
    o.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, 5, BONSAI_TYPE_U32};
    if (bonsai_graph_new(&g, &o, 1) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static void a_small_graph_by_hand(void **state)
{
    float own[] = {1, 0, 4, 2, 3, 3, 5, 0}, around[] = {4, 2, 0.5f, 4, 3, 3, 0, 0};
    float far[] = {2.5f, 1, 5.0f / 3, 10.0f / 3, 3, 3, 5, 0};
    float target[] = {1, 0, 0, 1, 1, 0, 0, 1};
    int32_t label[] = {0, 1, 0, 1};
    scene v = make_scene(4, 2, 2, 200, 1), w = v;
    w.x[0] = own;
    w.x[1] = around;
    w.x[2] = far;
    w.own = label;
    w.target = target;
    bonsai_graph *g = graph_by_hand();
    stage *s = new_stage(&v, false, 1);
    s->o.layers = 1;
    double got = probe_graph(s, g), least, most;
    oracle(&least, &most, &w, 0.5);
    assert_true(got >= least && got <= most && got == probe(&w, false, 1));
    bonsai_graph_free(g);
    free_stage(s);
    free_scene(&v);
    (void)state;
}

/* ---- memory ---- */

typedef struct { const stage *s; const bonsai_graph *g; } attempt;

static bonsai_status try_once(void *payload)
{
    bonsai_status rc;
    const attempt *a = payload;
    bn_probe *p = NULL;
    double percent;
    BN_TRY(bn_probe_new(&p, &a->s->job));
    BN_TRY(bn_probe_graph(&percent, p, a->g));
done:
    bn_probe_free(p);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        scene v = make_scene(5, 6, 2, 9, 3);
        stage *s = new_stage(&v, sparse, 2);
        bonsai_graph *g = lonely_graph(&v, NULL, sparse);
        attempt a = {s, g};
        survives_failed_allocations(try_once, &a, 30);
        bonsai_graph_free(g);
        free_stage(s);
        free_scene(&v);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_elimination),
        cmocka_unit_test(the_score_is_the_mean_over_the_lambdas),
        cmocka_unit_test(one_fit_takes_as_many_points_as_a_second_is_enough_for),
        cmocka_unit_test(products_of_a_fit_are_counted_for_plans),
        cmocka_unit_test(networks_weigh_the_views),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(an_error_is_that_of_a_share_of_nodes),
        cmocka_unit_test(nobody_to_judge_is_zero_and_no_point_is_refused),
        cmocka_unit_test(soft_labels_and_weights_count),
        cmocka_unit_test(nodes_that_are_judged_on_do_not_take_part),
        cmocka_unit_test(a_small_graph_by_hand),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
