/* test_pairdistances.c -- distances of pairs of nodes, in WL space and for a model.
 *
 * With two training nodes there is one pair, so that what is measured is known.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "train/model.h"
#include "random_graph.h"

enum { N = 9, F = 5, C = 3, H = 4, PAIRS = 20 };

typedef struct {
    double x[N][F];
    int    edge[N][N];
    uint32_t label[N];
    uint8_t  part[N];
    bonsai_graph *g;
    bonsai_train_options o;
} setting;

/* A ring with chords; nodes 2 and 7 train, the others judge. */
static void set_up(setting *t, uint64_t seed)
{
    static float x[N * F];
    int32_t source[N * N], target[N * N];
    int64_t m = 0;
    bonsai_view v;
    memset(t, 0, sizeof *t);
    for (int i = 0; i < N; i++) {
        t->label[i] = (uint32_t)random_below(&seed, C);
        t->part[i] = i == 2 || i == 7 ? BONSAI_PART_TRAIN : i % 2 ? BONSAI_PART_VAL : BONSAI_PART_TEST;
        for (int j = 0; j < F; j++)
            t->x[i][j] = x[i * F + j] = random_real(&seed);
        for (int j = 0; j < i; j++)
            if (j + 1 == i || random_below(&seed, 4) == 0) {
                t->edge[i][j] = t->edge[j][i] = 1;
                source[m] = i;
                target[m++] = j;
            }
    }
    t->label[7] = (t->label[2] + 1) % C;
    bonsai_view_init(&v);
    v.nodes = N;
    v.features = F;
    v.classes = C;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, N * F, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){t->label, N, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){t->part, N, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&t->g, &v, m, source, target, NULL, NULL), BONSAI_OK);
    bonsai_train_options_init(&t->o);
    t->o.hidden = H;
    t->o.epochs = 5;
    t->o.threads = 1;
    t->o.seed = seed % 1000;
}

/* ---- the same in double, by matrices ------------------------------------- */

static double degree(const setting *t, int i)
{
    double d = 0;
    for (int j = 0; j < N; j++)
        d += t->edge[i][j];
    return d;
}

static double wl_distance(const setting *t, int u, int v)
{
    double a[N][F], b[N][F], sum = 0;
    memcpy(a, t->x, sizeof a);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++)
            for (int k = 0; k < F; k++) {
                double mean = 0;
                for (int j = 0; j < N; j++)
                    mean += t->edge[i][j] * a[j][k] / degree(t, i);
                b[i][k] = (a[i][k] + mean) / 2;
            }
        memcpy(a, b, sizeof a);
    }
    for (int k = 0; k < F; k++)
        sum += (a[u][k] - a[v][k]) * (a[u][k] - a[v][k]);
    return sqrt(sum);
}

static double weight_of(const setting *t, int i, int j)
{
    return (t->edge[i][j] + (i == j)) / sqrt((degree(t, i) + 1) * (degree(t, j) + 1));
}

typedef struct { double w0[F][H], b0[H], w1[H + 1][C]; } weights;     /* the last row is the bias */

static weights weights_of(const float *param)
{
    const bn_dims s = {.kind = BONSAI_MODEL_GCN, .layers = 2, .heads = 1, .gin_layers = 1,
                        .features = F, .hidden = H, .classes = C};
    int64_t at[BN_MOST_LAYERS][BN_SLOTS];
    weights w;
    bn_dims_places(at, &s);
    for (int k = 0; k < H; k++) {
        for (int j = 0; j < F; j++)
            w.w0[j][k] = param[at[0][BN_W] + j * H + k];
        w.b0[k] = param[at[0][BN_B] + k];
        for (int c = 0; c < C; c++)
            w.w1[k][c] = param[at[1][BN_W] + k * C + c];
    }
    for (int c = 0; c < C; c++)
        w.w1[H][c] = param[at[1][BN_B] + c];
    return w;
}

static void scores_of(double y[C], const setting *t, const weights *w, int v)
{
    double h[N][H];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < H; k++) {
            double sum = w->b0[k];
            for (int j = 0; j < N; j++)
                for (int f = 0; f < F; f++)
                    sum += weight_of(t, i, j) * t->x[j][f] * w->w0[f][k];
            h[i][k] = sum > 0 ? sum : 0;
        }
    for (int c = 0; c < C; c++) {
        y[c] = w->w1[H][c];
        for (int j = 0; j < N; j++)
            for (int k = 0; k < H; k++)
                y[c] += weight_of(t, v, j) * h[j][k] * w->w1[k][c];
    }
}

static double loss_of(const setting *t, const weights *w, int v)
{
    double y[C], sum = 0;
    scores_of(y, t, w, v);
    for (int c = 0; c < C; c++)
        sum += exp(y[c]);
    return log(sum) - y[t->label[v]];
}

/* By finite differences of the loss; rows: H, or H + 1 with the bias. */
static double gradient_distance(const setting *t, weights w, int u, int v, int rows)
{
    const double step = 1e-5;
    double sum = 0;
    for (int k = 0; k < rows; k++)
        for (int c = 0; c < C; c++) {
            double was = w.w1[k][c];
            w.w1[k][c] = was + step;
            double up = loss_of(t, &w, u) - loss_of(t, &w, v);
            w.w1[k][c] = was - step;
            double down = loss_of(t, &w, u) - loss_of(t, &w, v);
            w.w1[k][c] = was;
            sum += (up - down) / (2 * step) * (up - down) / (2 * step);
        }
    return sqrt(sum);
}

/* ---- the tests ----------------------------------------------------------- */

static void gradients_are_those_of_finite_differences(void **state)
{
    const bn_dims s = {.kind = BONSAI_MODEL_GCN, .layers = 2, .heads = 1, .gin_layers = 1,
                        .features = F, .hidden = H, .classes = C};
    float param[(F + 1) * H + (H + 1) * C];
    double wl[PAIRS], seen[PAIRS];
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        setting t;
        set_up(&t, seed);
        bn_init_params(param, &s, t.o.seed);
        const weights w = weights_of(param);
        for (int bias = 0; bias < 2; bias++) {
            assert_int_equal(bonsai_study_pairs(wl, seen, PAIRS, t.g, bias ? BONSAI_STUDY_GRADIENT
                                                : BONSAI_STUDY_WEIGHTS, &t.o), BONSAI_OK);
            for (int i = 0; i < PAIRS; i++) {
                assert_true(fabs(wl[i] - wl_distance(&t, 2, 7)) < 1e-5);
                assert_true(fabs(seen[i] - gradient_distance(&t, w, 2, 7, H + bias)) < 1e-5);
            }
        }
        bonsai_graph_free(t.g);
    }
}

static void embeddings_are_the_scores_of_the_trained_model(void **state)
{
    double wl[PAIRS], seen[PAIRS], a[C], b[C], sum = 0;
    bonsai_training *trained = NULL;
    setting t;
    (void)state;
    set_up(&t, 5);
    if (bonsai_study_pairs(wl, seen, PAIRS, t.g, BONSAI_STUDY_EMBEDDING, &t.o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    t.o.seeds = 1;
    assert_int_equal(bonsai_train(&trained, t.g, NULL, &t.o), BONSAI_OK);
    const weights w = weights_of(bonsai_training_model(trained)->param);
    scores_of(a, &t, &w, 2);
    scores_of(b, &t, &w, 7);
    for (int c = 0; c < C; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    for (int i = 0; i < PAIRS; i++) {
        assert_true(fabs(seen[i] - sqrt(sum)) < 1e-5);
        assert_true(fabs(wl[i] - wl_distance(&t, 2, 7)) < 1e-5);
    }
    bonsai_training_free(trained);
    bonsai_graph_free(t.g);
}

static void threads_do_not_change_the_pairs(void **state)
{
    double wl[2][500], seen[2][500];
    bonsai_generate_options make;
    bonsai_train_options o;
    bonsai_graph *g = NULL;
    (void)state;
    bonsai_generate_options_init(&make);
    make.nodes = 120;
    make.features = 30;
    make.words = 4;
    make.classes = 3;
    assert_int_equal(bonsai_graph_generate(&g, &make), BONSAI_OK);
    bonsai_train_options_init(&o);
    o.epochs = 2;
    o.hidden = 8;
    for (int what = BONSAI_STUDY_EMBEDDING; what <= BONSAI_STUDY_WEIGHTS; what++) {
        for (int k = 0; k < 2; k++) {
            o.threads = k ? 3 : 1;
            assert_int_equal(bonsai_study_pairs(wl[k], seen[k], 500, g, (bonsai_study)what, &o),
                             BONSAI_OK);
        }
        assert_memory_equal(wl[0], wl[1], sizeof wl[0]);
        assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
        assert_true(seen[0][0] != seen[0][1]);
    }
    bonsai_graph_free(g);
}

static void refuses_what_it_cannot_study(void **state)
{
    double wl[1], seen[1];
    setting t;
    (void)state;
    set_up(&t, 3);
    assert_fails(bonsai_study_pairs(wl, seen, 1, t.g, (bonsai_study)9, &t.o), BONSAI_E_ARGUMENT,
                 "study 9 of 1 pairs is not known");
    assert_fails(bonsai_study_pairs(wl, seen, -1, t.g, BONSAI_STUDY_GRADIENT, &t.o),
                 BONSAI_E_ARGUMENT, "study 2 of -1 pairs is not known");
    t.o.model = BONSAI_MODEL_GIN;
    assert_fails(bonsai_study_pairs(wl, seen, 1, t.g, BONSAI_STUDY_GRADIENT, &t.o),
                 BONSAI_E_ARGUMENT, "gradients are studied for gcn with two layers or more, not for "
                 "gin with 2");
    t.part[7] = BONSAI_PART_TEST;
    bonsai_graph *lonely = NULL;
    bonsai_view v = *bonsai_graph_view(t.g);
    v.section[BONSAI_SECTION_SPLIT].data = t.part;
    assert_int_equal(bonsai_graph_new(&lonely, &v, 1), BONSAI_OK);
    assert_fails(bonsai_study_pairs(wl, seen, 1, lonely, BONSAI_STUDY_EMBEDDING, &t.o),
                 BONSAI_E_ARGUMENT, "has 1 labelled training nodes; pairs need two");
    bonsai_graph_free(lonely);
    bonsai_graph_free(t.g);
}

static bonsai_status study_gradients(void *payload)
{
    setting *t = payload;
    double wl[2], seen[2];
    return bonsai_study_pairs(wl, seen, 2, t->g, BONSAI_STUDY_GRADIENT, &t->o);
}

static bonsai_status study_embeddings(void *payload)
{
    setting *t = payload;
    double wl[2], seen[2];
    return bonsai_study_pairs(wl, seen, 2, t->g, BONSAI_STUDY_EMBEDDING, &t->o);
}

static void survives_every_failed_allocation(void **state)
{
    setting t;
    (void)state;
    set_up(&t, 8);
    survives_failed_allocations(study_gradients, &t, 5);
    survives_failed_allocations(study_embeddings, &t, 5);
    bonsai_graph_free(t.g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_finite_differences),
        cmocka_unit_test(embeddings_are_the_scores_of_the_trained_model),
        cmocka_unit_test(threads_do_not_change_the_pairs),
        cmocka_unit_test(refuses_what_it_cannot_study),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
