/* test_splitfile.c -- splits from lists of node ids.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "io/npy.h"
#include "random_graph.h"

enum { NODES = 10 };

typedef struct { const char *name; const int64_t *id; int64_t count; } list;

static const char *write_lists(const list *lists, int count)
{
    const char *path = temp_path("lists.npz");
    bn_zip_out *z;
    assert_int_equal(bn_zip_out_open(&z, path, (bn_progress){NULL, NULL}, 0), BONSAI_OK);
    for (int i = 0; i < count; i++) {
        assert_int_equal(bn_zip_out_begin(z, lists[i].name, "<i8", 1, &lists[i].count), BONSAI_OK);
        assert_int_equal(bn_zip_out_write(z, lists[i].id, lists[i].count * 8), BONSAI_OK);
        assert_int_equal(bn_zip_out_end(z), BONSAI_OK);
    }
    assert_int_equal(bn_zip_out_commit(z), BONSAI_OK);
    bn_zip_out_close(z);
    return path;
}

static const int64_t train[] = {0, 2, 9}, val[] = {1}, test[] = {8, 3};
static const list good[] = {{"train_idx", train, 3}, {"val_idx", val, 1}, {"test_idx", test, 2}};

static void the_parts_are_those_of_the_lists(void **state)
{
    (void)state;
    static const uint8_t wanted[NODES] = {1, 2, 1, 3, 0, 0, 0, 0, 3, 1};
    bonsai_graph *g = random_graph(1, NODES, 20, DENSE_F32, WITH_LABELS), *out;
    assert_int_equal(bonsai_graph_split_file(&out, g, write_lists(good, 3)), BONSAI_OK);
    bonsai_graph_free(g);               /* the other shares its arrays and lives on */
    for (int v = 0; v < NODES; v++)
        assert_int_equal(bn_part(out, v), wanted[v]);
    assert_int_equal(bonsai_graph_check(out, NULL), BONSAI_OK);
    bonsai_graph_free(out);
}

static void bad_lists_are_refused(void **state)
{
    (void)state;
    static const int64_t twice[] = {1, 9}, outside[] = {10}, negative[] = {-1};
    static const struct { list lists[3]; int count; const char *says; } bad[] = {
        {{{"train_idx", train, 3}, {"val_idx", twice, 2}, {"test_idx", test, 2}}, 3,
         "lists.npz:val_idx: node 9 is in train too"},
        {{{"train_idx", train, 3}, {"val_idx", val, 1}, {"test_idx", outside, 1}}, 3,
         "lists.npz:test_idx"},
        {{{"train_idx", negative, 1}, {"val_idx", val, 1}, {"test_idx", test, 2}}, 3,
         "lists.npz:train_idx"},
        {{{"train_idx", train, 3}, {"test_idx", test, 2}, {NULL, NULL, 0}}, 2, "val_idx"},
    };
    bonsai_graph *g = random_graph(1, NODES, 20, DENSE_F32, WITH_LABELS), *out = g;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_fails(bonsai_graph_split_file(&out, g, write_lists(bad[i].lists, bad[i].count)),
                     BONSAI_E_FORMAT, bad[i].says);
        assert_null(out);
    }
    assert_fails(bonsai_graph_split_file(&out, g, temp_path("none.npz")), BONSAI_E_IO, "none.npz");
    bonsai_graph_free(g);
}

typedef struct { const bonsai_graph *g; const char *path; } asked;

static bonsai_status split_once(void *payload)
{
    const asked *a = payload;
    bonsai_graph *out = NULL;
    bonsai_status rc = bonsai_graph_split_file(&out, a->g, a->path);
    bonsai_graph_free(out);
    return rc;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    asked a = {random_graph(1, NODES, 20, DENSE_F32, WITH_LABELS), write_lists(good, 3)};
    survives_failed_allocations(split_once, &a, 5);
    bonsai_graph_free((bonsai_graph *)(uintptr_t)a.g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_are_those_of_the_lists),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
