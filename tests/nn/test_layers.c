/* test_layers.c -- every layer in double: outputs by the definition, gradients by finite
 * differences.
 *
 * The build compiles the layers once more for this program, with BN_DOUBLE.  Every row of the
 * table of layers is tried.  The gradient of a random linear function of the outputs is compared
 * with central differences, for the input and every parameter; then the same for whole networks
 * with their loss.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "layering.h"

enum { N = 14, M = 18, PROBES = 12 };

static const double step = 1e-5, tolerance = 1e-7;

/* ---- one layer ---- */

static double functional(void *payload)
{
    layer *l = payload;
    double sum = 0;
    run_forward(l, 1);
    for (int64_t i = 0; i < l->n * l->h; i++)
        sum += l->y[i] * l->dy[i];
    return sum;
}

static double difference(double (*fn)(void *payload), void *payload, real *at)
{
    double before = *at;
    *at = before + step;
    double up = fn(payload);
    *at = before - step;
    double down = fn(payload);
    *at = before;
    return (up - down) / (2 * step);
}

static void is_gradient(const char *what, const real *got, double (*fn)(void *), void *payload,
                        real *at, int64_t count)
{
    uint64_t s = (uint64_t)count;
    int64_t probes = count < PROBES ? count : PROBES;
    for (int64_t p = 0; p < probes; p++) {
        int64_t i = probes == count ? p : random_below(&s, (int)count);
        double wanted = difference(fn, payload, at + i);
        if (!(fabs(got[i] - wanted) <= tolerance * (1 + fabs(wanted))))
            fail_msg("%s: gradient %lld is %.10g, not %.10g", what, (long long)i, got[i], wanted);
    }
}

static void check_gradients(layer *l)
{
    const bn_slot *slots = l->l->slots(&l->dims);
    char what[128];
    run_forward(l, 1);
    run_backward(l, 1);
    for (int i = 0; i < BN_SLOTS && slots[i].name; i++) {
        snprintf(what, sizeof what, "%s, %d heads, %lld inputs of kind %d: %s", l->l->name,
                 l->p.k, (long long)l->p.f, l->p.input, slots[i].name);
        is_gradient(what, l->grad[i], functional, l, l->param[i], l->size[i]);
    }
    if (l->dx)
        is_gradient("x", l->dx, functional, l, l->features, l->n * l->p.f);
}

/* Calls fn for every variant, input and kind of graph. */
static void for_all_layers(void (*fn)(layer *l))
{
    for (int v = 0; v < variants(); v++)
        for (int narrow = 0; narrow < 2; narrow++)
            for (input_kind input = 0; input < INPUTS; input++)
                for (int g = 0; g < GRAPHS; g++) {
                    layer l;
                    plan p = variant(v, narrow, input);
                    if (!takes(&p, input))
                        continue;
                    int nth = ((v * 2 + narrow) * INPUTS + (int)input) * GRAPHS + g;
                    uint64_t seed = (uint64_t)nth;
                    make_layer(&l, &p, random_graph(seed, N, M, NO_FEATURES, graph_kinds[g]), seed);
                    fn(&l);
                    free_layer(&l);
                }
}

static void check_outputs(layer *l)
{
    run_forward(l, 1);
    equals_the_definition(l, 1e-13);
}

static void outputs_are_those_of_the_definition(void **state)
{
    (void)state;
    for_all_layers(check_outputs);
}

/* A first layer sums the features of sparse rows too; a later one has dense rows only. */
static void check_blocks(layer *l)
{
    real *y = take_reals(l, l->n * l->h);
    bool dense = l->p.input == DENSE_INPUT || l->p.input == PASSED_INPUT;
    run_forward(l, 1);
    for (bn_way way = BN_FIRST_IN_BLOCKS; way <= (dense ? BN_LATER_IN_BLOCKS : BN_FIRST_IN_BLOCKS);
         way++) {
        memset(y, 0xff, (size_t)(l->n * l->h) * sizeof *y);
        run_blocks(l, y, way);
        for (int64_t i = 0; i < l->n * l->h; i++)
            if (!(fabs(y[i] - l->y[i]) <= 1e-13 * (1 + fabs(l->y[i]))))
                fail_msg("%s in blocks, way %d: output %lld is %.17g, not %.17g", l->l->name, way,
                         (long long)i, y[i], l->y[i]);
    }
}

static void rows_in_blocks_are_those_of_the_whole(void **state)
{
    (void)state;
    for_all_layers(check_blocks);
}

static void gradients_are_those_of_finite_differences(void **state)
{
    (void)state;
    for_all_layers(check_gradients);
}

/* More entries and rows than are taken together, in the rows of receivers or of senders; and
 * with three threads the same bits. */
static void a_hub_has_its_gradient(void **state)
{
    (void)state;
    enum { NODES = 600 };
    int32_t hub[NODES], leaf[NODES];
    bonsai_view v;
    bonsai_read_options o;
    bonsai_view_init(&v);
    bonsai_read_options_init(&o);
    v.nodes = NODES;
    for (int i = 0; i < NODES; i++) {
        hub[i] = 5;
        leaf[i] = i;
    }
    for (int kind = 0; kind < 3 * variants(); kind++) {
        layer l;
        plan p = variant(kind / 3, false, DENSE_INPUT);
        bonsai_graph *g = NULL;
        o.keep_directed = kind % 3 > 0;
        assert_int_equal(bonsai_graph_build(&g, &v, NODES, kind % 3 == 1 ? hub : leaf,
                                            kind % 3 == 1 ? leaf : hub, NULL, &o), BONSAI_OK);
        make_layer(&l, &p, g, 8);
        check_gradients(&l);
        real *dx = take_reals(&l, NODES * p.f);
        memcpy(dx, l.dx, (size_t)(NODES * p.f) * sizeof *dx);
        is_gradient("x of the hub", dx + 5 * p.f, functional, &l, l.features + 5 * p.f, p.f);
        run_forward(&l, 3);
        run_backward(&l, 3);
        assert_memory_equal(dx, l.dx, (size_t)(NODES * p.f) * sizeof *dx);
        free_layer(&l);
    }
}

static int loops, repeated, isolated, one_way;

static void count_entries(layer *l)
{
    for (int64_t v = 0; v < N; v++) {
        int64_t begin = bn_row_begin(l->g, v), end = bn_row_begin(l->g, v + 1);
        const bn_side *to = &l->o.m.to;
        isolated += begin == end && bn_int_at(&to->offsets, v) == bn_int_at(&to->offsets, v + 1);
        one_way += end - begin != bn_int_at(&to->offsets, v + 1) - bn_int_at(&to->offsets, v);
        for (int64_t e = begin; e < end; e++) {
            loops += bn_neighbors(l->g)[e] == v;
            repeated += e > begin && bn_neighbors(l->g)[e] == bn_neighbors(l->g)[e - 1];
        }
    }
}

static void the_graphs_have_loops_and_repeated_entries_and_lonely_nodes(void **state)
{
    (void)state;
    for_all_layers(count_entries);
    assert_true(loops > 100 && repeated > 100 && isolated > 100 && one_way > 100);
}

/* ---- loss and activations ---- */

typedef struct {
    bn_targets t;
    int64_t    n, c;
    real      *y, *work, *dy;
    double     p;
} head;

static double loss_of(void *payload)
{
    head *a = payload;
    return bn_cross_entropy(NULL, a->y, a->n, a->c, &a->t, 1);
}

static double oracle_loss(const head *a)
{
    double loss = 0;
    for (int64_t i = 0; i < a->t.count; i++) {
        const real *y = a->y + a->t.node[i] * a->c;
        double total = 0;
        for (int64_t k = 0; k < a->c; k++)
            total += exp(y[k]);
        for (int64_t k = 0; k < a->c; k++) {
            double share = a->t.soft ? (double)a->t.soft[i * a->c + k] : a->t.label[i] == k;
            loss -= (double)a->t.weight[i] * share * log(exp(y[k]) / total);
        }
    }
    return loss;
}

static void the_loss_of_hard_soft_and_weighted_targets_has_its_gradient(void **state)
{
    (void)state;
    enum { NODES = 20, C = 4, COUNT = 6 };
    int32_t node[COUNT] = {0, 3, 4, 9, 17, 18}, label[COUNT] = {1, 0, 3, 3, 2, 1};
    float even[COUNT], uneven[COUNT] = {0.5f, 0.125f, 0.0625f, 0.25f, 0.03125f, 0.03125f};
    float soft[COUNT * C];
    real y[NODES * C], dy[NODES * C];
    uint64_t s = 3;
    for (int i = 0; i < NODES * C; i++)
        y[i] = 3 * (real)random_real(&s);
    for (int i = 0; i < COUNT * C; i++)
        soft[i] = (float)((i + i / C) % C == 0 ? 10 : (i + i / C) % C == 1 ? 4 : 1) / 16;
    for (int i = 0; i < COUNT; i++)
        even[i] = 1.0f / COUNT;
    for (int kind = 0; kind < 4; kind++) {
        head a = {{COUNT, node, kind & 1 ? NULL : label, kind & 1 ? soft : NULL,
                   kind & 2 ? uneven : even}, NODES, C, y, NULL, dy, 0};
        memset(dy, 0xff, sizeof dy);
        double loss = bn_cross_entropy(dy, y, NODES, C, &a.t, 1);
        assert_true(fabs(loss - oracle_loss(&a)) < 1e-13 * loss);
        is_gradient("loss", dy, loss_of, &a, y, NODES * C);
        for (int i = 0; i < NODES * C; i++)
            if (i / C == 17)
                is_gradient("loss", dy + i, loss_of, &a, y + i, 1);
    }
}

static double through_relu(void *payload)
{
    head *a = payload;
    double sum = 0;
    memcpy(a->work, a->y, (size_t)a->n * sizeof *a->y);
    bn_relu_forward(a->work, a->n, a->p, 77, 1);
    for (int64_t i = 0; i < a->n; i++)
        sum += a->work[i] * (double)(i % 5 + 1);
    return sum;
}

static void relu_and_dropout_have_their_gradient(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    real y[COUNT], work[COUNT], dy[COUNT];
    uint64_t s = 4;
    for (int i = 0; i < COUNT; i++)
        y[i] = (real)random_real(&s);
    for (int kind = 0; kind < 2; kind++) {
        int dropped = 0;
        head a = {{0}, COUNT, 1, y, work, dy, kind ? 0.4 : 0};
        through_relu(&a);
        for (int i = 0; i < COUNT; i++) {
            dy[i] = i % 5 + 1;
            dropped += y[i] > 0 && work[i] == 0;
        }
        assert_true(kind ? dropped > 10 && dropped < 80 : dropped == 0);
        bn_relu_backward(dy, work, COUNT, a.p, 1);
        for (int i = 0; i < COUNT; i++)
            is_gradient("relu", dy + i, through_relu, &a, y + i, 1);
    }
}

/* ---- whole networks ---- */

enum { CLASSES = 4, LABELLED = 7 };

typedef struct {
    bn_network *network;
    bn_targets  t;
    real       *param, *dy;
} run;

static double network_loss(void *payload)
{
    run *r = payload;
    real *scores = bn_network_forward(r->network, r->param, true, 9);
    return bn_cross_entropy(r->dy, scores, N, CLASSES, &r->t, 1);
}

static void check_network(layer *l, const bn_dims *dims, const bn_operand *o)
{
    int32_t node[LABELLED] = {1, 2, 5, 6, 8, 11, 13}, label[LABELLED] = {0, 1, 2, 3, 3, 2, 1};
    float weight[LABELLED] = {0.25f, 0.25f, 0.125f, 0.125f, 0.125f, 0.0625f, 0.0625f};
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total;
    uint64_t s = 21;
    bn_dims_params(table, &count, &total, dims);
    run r = {NULL, {LABELLED, node, label, NULL, weight}, take_random(l, total, &s),
             take_reals(l, N * CLASSES)};
    real *grad = take_reals(l, total);
    memset(grad, 0, (size_t)total * sizeof *grad);
    assert_int_equal(bn_network_new(&r.network, dims, o, 0.3, true, 1), BONSAI_OK);
    network_loss(&r);
    bn_network_backward(r.network, grad, r.param, r.dy);
    for (int i = 0; i < count; i++)
        is_gradient(table[i].name, grad + table[i].at, network_loss, &r, r.param + table[i].at,
                    table[i].rows * table[i].cols);

    bn_infer *infer = NULL;
    assert_int_equal(bn_infer_new(&infer, dims, o, 1), BONSAI_OK);
    const real *blocks = bn_infer_scores(infer, r.param);
    const real *scores = bn_network_forward(r.network, r.param, false, 0);
    for (int i = 0; i < N * CLASSES; i++)
        assert_true(fabs(blocks[i] - scores[i]) <= 1e-12 * (1 + fabs(scores[i])));
    bn_infer_free(infer);
    bn_network_free(r.network);
}

static void whole_networks_have_their_gradient_and_judge_the_same_in_blocks(void **state)
{
    (void)state;
    for (int v = 0; v < variants(); v++)
        for (input_kind input = 0; input < INPUTS; input++)
            for (int layers = 1; layers <= 3; layers++) {
                layer l;
                plan p = variant(v, layers == 2, input);
                if (!takes(&p, input))
                    continue;
                make_layer(&l, &p, random_graph(5, N, M, NO_FEATURES, WITH_LOOPS | DIRECTED),
                           (uint64_t)v);
                bn_dims dims = {p.kind, layers, p.k, p.gin_layers, p.f, 6, CLASSES,
                                p.weighted};
                l.o.g = l.g;
                check_network(&l, &dims, &l.o);
                free_layer(&l);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_those_of_the_definition),
        cmocka_unit_test(rows_in_blocks_are_those_of_the_whole),
        cmocka_unit_test(gradients_are_those_of_finite_differences),
        cmocka_unit_test(a_hub_has_its_gradient),
        cmocka_unit_test(the_graphs_have_loops_and_repeated_entries_and_lonely_nodes),
        cmocka_unit_test(the_loss_of_hard_soft_and_weighted_targets_has_its_gradient),
        cmocka_unit_test(relu_and_dropout_have_their_gradient),
        cmocka_unit_test(whole_networks_have_their_gradient_and_judge_the_same_in_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
