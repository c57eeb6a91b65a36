/* test_experts.c -- experts against students on the whole graph, and what does not change them.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include "condensing.h"
#include "learn/experts.h"
#include "learning.h"

enum { NODES = 60, H = 5, WANTED = 3 };

static const int64_t wanted[WANTED] = {0, 2, 6};

/* ---- a problem ---- */

static void no_end(bn_problem *s)
{
    (void)s;
}

static const bn_learner plain = {.units = BN_UNITS_PUBLISHED, .end = no_end};

static void make(scene *v, layout features, int threads)
{
    scene_set(v, random_graph(5, NODES, 150, features, WITH_LABELS | WITH_WEIGHTS),
              BONSAI_METHOD_SFGC);
    v->p.o.threads = threads;
    scene_begin(v, &plain, 9);
}

static bn_training usual(bn_student_form form)
{
    return (bn_training){.form = form, .hidden = H, .rate = 0.3, .decay = 0.01, .wanted = wanted,
                         .count = WANTED, .experts = 4, .bytes = 1 << 20};
}

/* ---- students ---- */

static float *zeros(int64_t count)
{
    float *x = calloc((size_t)count, sizeof *x);
    assert_non_null(x);
    return x;
}

/* The operator on all nodes, by what it makes of the identity. */
static void fill_norm(float *norm, const bn_problem *s)
{
    bn_messages m;
    float *one = zeros(NODES * NODES);
    for (int i = 0; i < NODES; i++)
        one[i * NODES + i] = 1;
    const bn_input x = {.rows = NODES, .cols = NODES, .dense = one};
    assert_int_equal(bn_messages_make(&m, s->job->g, BN_NORM_BOTH, false, 1), BONSAI_OK);
    bn_pass(norm, &m.to, &x, (bn_span){0, NODES, 1});
    bn_messages_free(&m);
    free(one);
}

/* A GCN on all nodes of which only the training nodes weigh something; or two linear layers on the
 * averaged rows of the training nodes. */
static bn_student student_of(const bn_problem *s, bn_student_form form, float *part[5])
{
    int32_t all[NODES];
    const int64_t trees = s->job->trees, n = form == BN_STUDENT_GCN ? NODES : trees;
    const int32_t *node = form == BN_STUDENT_GCN ? all : s->job->train;
    for (int i = 0; i < NODES; i++)
        all[i] = i;
    part[0] = zeros(n * s->f);
    part[1] = zeros(n * n);
    part[2] = zeros(n);
    part[3] = zeros(n * s->c);
    part[4] = zeros(n);
    assert_int_equal(bn_problem_rows(part[0], s, node, n, form == BN_STUDENT_GCN ? 0 : 2), BONSAI_OK);
    assert_int_equal(bn_problem_ones(part[2], s, node, n, 2), BONSAI_OK);
    if (form == BN_STUDENT_GCN)
        fill_norm(part[1], s);
    for (int64_t t = 0; t < trees; t++) {
        const int64_t row = form == BN_STUDENT_GCN ? s->job->train[t] : t;
        part[3][row * s->c + s->label[t]] = 1;
        part[4][row] = 1 / (float)trees;
    }
    for (int64_t i = 0; i < n; i++)             /* a row without a label still sums to 1 */
        if (part[4][i] == 0)
            part[3][i * s->c] = 1;
    return (bn_student){.form = form, .n = n, .f = s->f, .h = H, .c = s->c,
                        .norm = form == BN_STUDENT_GCN ? part[1] : NULL, .x = part[0],
                        .ones = form == BN_STUDENT_GCN ? NULL : part[2], .q = part[3],
                        .w = part[4], .threads = 1};
}

static void follow(bn_student_form form, layout features)
{
    scene v;
    bn_experts *e = NULL;
    const float *slabs;
    float *part[5];
    make(&v, features, 1);
    const bn_training how = usual(form);
    assert_int_equal(bn_experts_new(&e, &v.s, &how), BONSAI_OK);
    assert_int_equal(bn_expert(&slabs, e, 1), BONSAI_OK);
    const bn_student s = student_of(&v.s, form, part);
    const int64_t size = bn_experts_size(e);
    assert_int_equal(size, bn_student_size(&s));
    float *theta = zeros(size), *grad = zeros(size), *room = zeros(bn_student_room(&s));
    memcpy(theta, slabs, (size_t)size * sizeof *theta);
    for (int t = 0; t < 6; t++) {
        bn_student_grad(grad, &s, theta, room);
        for (int64_t i = 0; i < size; i++)
            theta[i] -= 0.3f * (grad[i] + 0.01f * theta[i]);
        for (int64_t i = 0; i < size && t == 1; i++)
            assert_true(fabsf(theta[i] - slabs[size + i]) < 1e-5f);
    }
    for (int64_t i = 0; i < size; i++)
        assert_true(fabsf(theta[i] - slabs[2 * size + i]) < 1e-5f);
    for (int i = 0; i < 5; i++)
        free(part[i]);
    free(theta);
    free(grad);
    free(room);
    bn_experts_free(e);
    drop(&v);
}

static void learns_as_a_student_does(void **state)
{
    (void)state;
    follow(BN_STUDENT_GCN, SPARSE_F32);
    follow(BN_STUDENT_GCN, DENSE_F32);
    follow(BN_STUDENT_SGC2, SPARSE_F32);
    follow(BN_STUDENT_SGC2, DENSE_F32);
}

/* ---- the same again ---- */

static const bn_training paced = {
    .form = BN_STUDENT_GCN, .hidden = H, .adam = true, .rate = 0.01, .decay = 5e-4, .slow = 3,
    .pace = BN_CURRICULUM_ROOT, .share = 0.5, .grown = 4, .wanted = wanted, .count = WANTED,
    .experts = 4};

static float *all_slabs(int threads, int64_t bytes)
{
    static const int order[] = {2, 0, 3, 1, 0, 2, 1, 3, 3};
    scene v;
    bn_experts *e = NULL;
    bn_training how = paced;
    const float *slabs;
    how.bytes = bytes;
    make(&v, SPARSE_F32, threads);
    assert_int_equal(bn_experts_new(&e, &v.s, &how), BONSAI_OK);
    const int64_t each = bn_experts_size(e) * WANTED;
    float *out = zeros(each * 9);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(bn_expert(&slabs, e, order[i]), BONSAI_OK);
        memcpy(out + i * each, slabs, (size_t)each * sizeof *out);
    }
    assert_memory_equal(out + each, out + 4 * each, (size_t)each * sizeof *out);
    bn_experts_free(e);
    drop(&v);
    return out;
}

static void is_the_same_for_any_threads_and_memory(void **state)
{
    (void)state;
    float *a = all_slabs(1, 1 << 20), *b = all_slabs(3, 0), *c = all_slabs(2, 20000);
    scene v;
    make(&v, SPARSE_F32, 1);
    const size_t bytes = (size_t)((v.s.f * H + H + H * v.s.c + v.s.c) * WANTED * 9) * sizeof *a;
    drop(&v);
    assert_memory_equal(a, b, bytes);
    assert_memory_equal(a, c, bytes);
    free(a);
    free(b);
    free(c);
}

static void takes_turns(void **state)
{
    int64_t seen[12] = {0};
    (void)state;
    for (int64_t i = 0; i < 100; i++) {
        const int64_t which = bn_expert_turn(i, 100, 12, 5);
        assert_in_range(which, 0, 11);
        seen[which]++;
    }
    for (int i = 0; i < 12; i++)
        assert_in_range(seen[i], 6, 17);
    assert_int_equal(bn_expert_turn(0, 1, 200, 5), 0);
    assert_int_equal(bn_expert_turn(7, 10, 1, 5), 0);
    assert_int_equal(bn_expert_turn(199, 200, 200, 5), 199);
    for (int i = 0; i < 100; i++)
        assert_int_equal(bn_expert_turn(i, 100, 10, 1), i / 10);
}

static void grows_at_its_pace(void **state)
{
    (void)state;
    for (int pace = BN_CURRICULUM_LINEAR; pace <= BN_CURRICULUM_GEOMETRIC; pace++) {
        const bn_training how = {.pace = (bn_curriculum)pace, .share = 0.6, .grown = 10};
        assert_true(fabs(bn_curriculum_share(&how, 0) - 0.6) < 1e-12);
        for (int t = 0; t < 12; t++)
            assert_true(bn_curriculum_share(&how, t) <= bn_curriculum_share(&how, t + 1));
        assert_true(bn_curriculum_share(&how, 10) == 1);
    }
    assert_true(bn_curriculum_share(&(bn_training){.pace = BN_CURRICULUM_NONE}, 0) == 1);
}

/* Nodes are in order of the labels around them, of training nodes alone. */
static void puts_easy_nodes_first(void **state)
{
    scene v;
    int32_t order[NODES], seen[NODES] = {0};
    (void)state;
    make(&v, DENSE_F32, 1);
    assert_int_equal(bn_curriculum_order(order, &v.s), BONSAI_OK);
    int last = 0;
    for (int64_t i = 0; i < v.s.job->trees; i++) {
        const int32_t node = v.s.job->train[order[i]];
        bool mixed = false;
        seen[order[i]]++;
        for (int64_t e = bn_row_begin(v.g, node); e < bn_row_begin(v.g, node + 1); e++)
            for (int64_t t = 0; t < v.s.job->trees; t++)
                mixed |= v.s.job->train[t] == bn_neighbors(v.g)[e] &&
                         v.s.label[t] != v.s.label[order[i]];
        assert_true(mixed >= last);             /* none, then some */
        last = mixed;
    }
    for (int64_t i = 0; i < v.s.job->trees; i++)
        assert_int_equal(seen[i], 1);
    drop(&v);
}

static void ends_when_time_is_up(void **state)
{
    scene v;
    bn_experts *e = NULL;
    const float *slabs;
    const bn_training how = usual(BN_STUDENT_GCN);
    (void)state;
    make(&v, DENSE_F32, 1);
    v.s.until = 0;
    assert_int_equal(bn_experts_new(&e, &v.s, &how), BONSAI_OK);
    assert_int_equal(bn_expert(&slabs, e, 1), BONSAI_OK);
    assert_null(slabs);
    v.s.until = INFINITY;
    assert_int_equal(bn_expert(&slabs, e, 1), BONSAI_OK);
    assert_non_null(slabs);
    bn_experts_free(e);
    drop(&v);
}

static bonsai_status make_experts(void *payload)
{
    bn_experts *e = NULL;
    bn_training how = paced;
    how.bytes = 1 << 20;
    bonsai_status rc = bn_experts_new(&e, payload, &how);
    bn_experts_free(e);
    return rc;
}

static void survives_a_lack_of_memory(void **state)
{
    scene v;
    (void)state;
    make(&v, SPARSE_F32, 1);
    survives_failed_allocations(make_experts, &v.s, 20);
    drop(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learns_as_a_student_does),
        cmocka_unit_test(is_the_same_for_any_threads_and_memory),
        cmocka_unit_test(takes_turns),
        cmocka_unit_test(grows_at_its_pace),
        cmocka_unit_test(puts_easy_nodes_first),
        cmocka_unit_test(ends_when_time_is_up),
        cmocka_unit_test(survives_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
