/* test_finals.c -- networks that choose between small graphs: what they learn, and that rows in a
 * basis are learned from like the rows that they stand for.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "prototypes/student.h"
#include "random_graph.h"

enum { F = 24, CLASSES = 3, P = 12, R = 5, EPOCHS = 60 };

/* Fills a graph of P labelled nodes with self loops over the given rows, which it borrows. */
static bonsai_graph *graph_of(float *rows, int64_t features)
{
    static uint8_t label[P];
    bonsai_graph *g = NULL;
    bonsai_view v;
    int32_t id[P];
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.keep_self_loops = 1;
    for (int i = 0; i < P; i++) {
        label[i] = (uint8_t)(i % CLASSES);
        id[i] = i;
    }
    bonsai_view_init(&v);
    v.nodes = P;
    v.features = features;
    v.classes = CLASSES;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){rows, P * features, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, P, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, P, id, id, NULL, &o), BONSAI_OK);
    return g;
}

typedef struct {                /* a basis, shares of it, and the rows that they stand for */
    int8_t  number[R * F];
    float   scale[R], share[P * R], row[P * F];
    bn_basis basis;
} mixture;

static void make_mixture(mixture *m)
{
    uint64_t s = 5;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < R * F; i++)
        m->number[i] = (int8_t)(random_below(&s, 15) - 7);
    for (int d = 0; d < R; d++)
        m->scale[d] = 0.05f;
    for (int i = 0; i < P; i++)
        for (int d = 0; d < R; d++) {
            m->share[i * R + d] = (d == i % CLASSES ? 2.0f : 0.0f) + 0.2f * random_real(&s);
            for (int j = 0; j < F; j++)
                m->row[i * F + j] += m->share[i * R + d] * m->scale[d] * (float)m->number[d * F + j];
        }
    m->basis = (bn_basis){.f = F, .r = R, .columns = F, .number = m->number, .scale = m->scale};
}

static int right_of(bn_student *s, const mixture *m)
{
    bn_answer_room exam = {.score = NULL};
    bn_embedding e = {.rows = P, .f = F, .dense = (float *)m->row};
    const bn_views rows = {.own = e, .around = e, .far = e};
    int32_t guess[P];
    int right = 0;
    assert_int_equal(bn_answer_room_new(&exam, s), BONSAI_OK);
    bn_student_answer(guess, NULL, s, &exam, &rows, P);
    for (int i = 0; i < P; i++)
        right += guess[i] == i % CLASSES;
    bn_answer_room_free(&exam);
    return right;
}

static void rows_that_differ_are_told_apart(void **state)
{
    (void)state;
    static mixture m;
    make_mixture(&m);
    for (int sage = 0; sage < 2; sage++) {
        bonsai_graph *g = graph_of(m.row, F);
        bn_student s;
        assert_int_equal(bn_student_new(&s, &(bn_entrant){.g = g}, sage, 2), BONSAI_OK);
        for (int epoch = 1; epoch <= EPOCHS; epoch++)
            assert_true(bn_student_step(&s, epoch));
        assert_int_equal(right_of(&s, &m), P);
        bn_student_free(&s);
        bonsai_graph_free(g);
    }
}

static void a_basis_is_learned_from_like_the_rows_that_it_stands_for(void **state)
{
    (void)state;
    static mixture m;
    make_mixture(&m);
    for (int sage = 0; sage < 2; sage++) {
        bonsai_graph *g = graph_of(m.row, F), *low = graph_of(m.share, R);
        bn_student a, b;
        assert_int_equal(bn_student_new(&a, &(bn_entrant){.g = g}, sage, 2), BONSAI_OK);
        assert_int_equal(bn_student_new(&b, &(bn_entrant){.g = low, .basis = &m.basis}, sage, 2), BONSAI_OK);
        assert_int_equal(a.learned.count, b.learned.count);
        for (int epoch = 1; epoch <= 5; epoch++)
            assert_true(bn_student_step(&a, epoch) && bn_student_step(&b, epoch));
        for (int64_t i = 0; i < a.learned.count; i++)
            assert_true(fabs((double)(a.learned.param[i] - b.learned.param[i])) < 2e-3);
        bn_student_free(&a);
        bn_student_free(&b);
        bonsai_graph_free(g);
        bonsai_graph_free(low);
    }
}

/* Numbers that no network can use end its training; nothing is added up from them. */
static void rows_that_overflow_end_a_training(void **state)
{
    (void)state;
    static float rows[P * F];
    bn_student s;
    for (int i = 0; i < P * F; i++)
        rows[i] = 3e38f;
    bonsai_graph *g = graph_of(rows, F);
    assert_int_equal(bn_student_new(&s, &(bn_entrant){.g = g}, false, 0), BONSAI_OK);
    assert_false(bn_student_step(&s, 1));
    bn_student_free(&s);
    bonsai_graph_free(g);
}

static bonsai_status make_and_free(void *payload)
{
    const bn_entrant *e = payload;
    bn_student s;
    bn_answer_room exam = {.score = NULL};
    bonsai_status rc = bn_student_new(&s, e, true, 2);
    if (rc == BONSAI_OK)
        rc = bn_answer_room_new(&exam, &s);
    bn_answer_room_free(&exam);
    bn_student_free(&s);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static mixture m;
    make_mixture(&m);
    bonsai_graph *low = graph_of(m.share, R);
    bn_entrant e = {.g = low, .basis = &m.basis};
    survives_failed_allocations(make_and_free, &e, 10);
    bonsai_graph_free(low);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_differ_are_told_apart),
        cmocka_unit_test(a_basis_is_learned_from_like_the_rows_that_it_stands_for),
        cmocka_unit_test(rows_that_overflow_end_a_training),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
