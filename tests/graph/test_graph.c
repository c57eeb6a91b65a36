/* test_graph.c -- the handle, its rows, and drafts of readers.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "random_graph.h"

static void texts_and_bytes_of_unknown_numbers_are_empty(void **state)
{
    (void)state;
    assert_string_equal(bonsai_section_text(BONSAI_SECTION_METADATA), "metadata");
    assert_string_equal(bonsai_section_text((bonsai_section)0), "");
    assert_string_equal(bonsai_section_text((bonsai_section)-5), "");
    assert_string_equal(bonsai_section_text(BONSAI_SECTION_COUNT), "");
    assert_string_equal(bonsai_type_text(BONSAI_TYPE_F16), "f16");
    assert_string_equal(bonsai_type_text((bonsai_type)-1), "");
    assert_int_equal(bonsai_type_bytes(BONSAI_TYPE_U64), 8);
    assert_int_equal(bonsai_type_bytes((bonsai_type)99), 0);
    assert_string_equal(bonsai_format_name(0), "bonsai");
    assert_true(bonsai_format_writes(0));
    assert_non_null(bonsai_format_help(0));
    assert_null(bonsai_format_name(-1));
    assert_null(bonsai_format_name(1000));
    assert_null(bonsai_format_help(1000));
    assert_false(bonsai_format_writes(1000));
    bonsai_graph_free(NULL);
}

static void arrays_are_borrowed_or_copied(void **state)
{
    (void)state;
    uint32_t offsets[] = {0, 1, 2}, neighbors[] = {1, 0};
    bonsai_view v;
    bonsai_graph *borrowed, *copied;
    bonsai_view_init(&v);
    v.nodes = 2;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, 2, BONSAI_TYPE_U32};
    assert_int_equal(bonsai_graph_new(&borrowed, &v, 0), BONSAI_OK);
    assert_int_equal(bonsai_graph_new(&copied, &v, 1), BONSAI_OK);
    assert_ptr_equal(bonsai_graph_view(borrowed)->section[BONSAI_SECTION_NEIGHBORS].data,
                     neighbors);
    neighbors[0] = 77;
    const uint32_t *copy = bonsai_graph_view(copied)->section[BONSAI_SECTION_NEIGHBORS].data;
    assert_int_equal(copy[0], 1);
    assert_int_equal(bonsai_graph_edges(copied), 2);
    assert_int_equal(bonsai_graph_features(copied), 0);
    assert_int_equal(bonsai_graph_classes(copied), 0);
    assert_int_equal(bonsai_graph_label(copied, 1), -1);
    assert_string_equal(bonsai_graph_read_info(copied)->format, "");
    bonsai_graph_free(borrowed);
    bonsai_graph_free(copied);
}

static void a_view_of_an_older_program_works(void **state)
{
    (void)state;
    bonsai_view v;
    bonsai_graph *g;
    uint32_t zero[1] = {0};
    memset(&v, 0x99, sizeof v);
    bonsai_view_init_sized(&v, offsetof(bonsai_view, section[BONSAI_SECTION_LABELS]));
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){zero, 1, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){zero, 0, BONSAI_TYPE_U32};
    assert_int_equal(bonsai_graph_new(&g, &v, 0), BONSAI_OK);
    assert_null(bonsai_graph_view(g)->section[BONSAI_SECTION_METADATA].data);
    bonsai_graph_free(g);
}

static void dense_and_sparse_rows_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 90; seed++) {
        bonsai_graph *g = random_graph(seed, 9, 5, seed % LAYOUTS, 0);
        const bonsai_array *a = bonsai_graph_view(g)->section;
        const float *scale = a[BONSAI_SECTION_FEATURE_SCALE].data;
        int64_t f = bonsai_graph_features(g), room = bn_row_room(g);
        float dense[16], value[16], wanted[16];
        int32_t index[16];
        for (int64_t v = 0; v < 9; v++) {
            memset(wanted, 0, sizeof wanted);
            if (a[BONSAI_SECTION_FEATURES].data)
                for (int64_t j = 0; j < f; j++)
                    wanted[j] = bn_real_at(&a[BONSAI_SECTION_FEATURES], v * f + j) *
                                (scale ? scale[v] : 1);
            else if (a[BONSAI_SECTION_FEATURE_OFFSETS].data)
                for (int64_t e = bn_int_at(&a[BONSAI_SECTION_FEATURE_OFFSETS], v);
                     e < bn_int_at(&a[BONSAI_SECTION_FEATURE_OFFSETS], v + 1); e++)
                    wanted[bn_int_at(&a[BONSAI_SECTION_FEATURE_INDICES], e)] =
                        (a[BONSAI_SECTION_FEATURE_VALUES].data
                         ? bn_real_at(&a[BONSAI_SECTION_FEATURE_VALUES], e) : 1)
                        * (scale ? scale[v] : 1);
            bonsai_graph_row(dense, g, v);
            assert_memory_equal(dense, wanted, (size_t)f * sizeof *dense);
            int64_t count = bn_row_get(index, value, g, v);
            assert_true(count <= room);
            memset(dense, 0, sizeof dense);
            for (int64_t i = 0; i < count; i++) {
                assert_true(i == 0 || index[i] > index[i - 1]);
                assert_true(value[i] != 0 || signbit(value[i]));
                dense[index[i]] = value[i];
            }
            assert_memory_equal(dense, wanted, (size_t)f * sizeof *dense);
        }
        bonsai_graph_free(g);
    }
}

static void building_refuses_what_it_cannot_use(void **state)
{
    (void)state;
    bonsai_view v;
    bonsai_graph *g;
    const int32_t id[] = {0};
    const float one[] = {1};
    bonsai_view_init(&v);
    assert_fails(bonsai_graph_build(&g, &v, -1, id, id, NULL, NULL), BONSAI_E_ARGUMENT, "the number of edges is -1");
    assert_fails(bonsai_graph_build(&g, &v, 1, id, NULL, NULL, NULL), BONSAI_E_ARGUMENT,
                 "1 edges, but no source or target");
    assert_fails(bonsai_graph_build(&g, &v, 1, id, id, NULL, NULL), BONSAI_E_ARGUMENT,
                 "edge 0: node 0 is outside");
    v.nodes = -4;
    assert_fails(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_E_ARGUMENT,
                 "-4 nodes");
    v.nodes = (int64_t)1 << 40;
    assert_fails(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_E_ARGUMENT, "nodes");
    v.nodes = 1;
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){id, 1, BONSAI_TYPE_U32};
    assert_fails(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_E_ARGUMENT,
                 "the view has an adjacency, and edges were given too");
    v.section[BONSAI_SECTION_NEIGHBORS].data = NULL;
    v.section[BONSAI_SECTION_EDGE_WEIGHTS] = (bonsai_array){one, 0, BONSAI_TYPE_F32};
    assert_fails(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_E_ARGUMENT,
                 "adjacency");
    bonsai_read_options bad = {0};
    assert_fails(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, &bad), BONSAI_E_ARGUMENT,
                 "bonsai_read_options was not initialised");
    assert_null(g);
}

static void empty_graphs_pass_through_everything(void **state)
{
    (void)state;
    for (int k = 0; k < LAYOUTS; k++)
        for (int64_t n = 0; n < 2; n++)
            for (int with = 0; with < 16; with++) {
                bonsai_graph *g = random_graph(3, n, 0, k, with), *back;
                const char *path = temp_path("nothing.bonsai");
                bonsai_stats s;
                double bytes;
                int equal = 0;
                bonsai_stats_init(&s);
                assert_int_equal(bonsai_graph_check(g, NULL), BONSAI_OK);
                assert_int_equal(bonsai_graph_stats(&s, NULL, g, NULL), BONSAI_OK);
                assert_int_equal(bonsai_graph_bytes(&bytes, g, BONSAI_ACCOUNTING_PAPER_CONDENSED),
                                 BONSAI_OK);
                assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
                assert_int_equal(bonsai_graph_load(&back, path), BONSAI_OK);
                assert_int_equal(bonsai_graph_equal(&equal, g, back), BONSAI_OK);
                assert_true(equal);
                bonsai_graph_free(g);
                bonsai_graph_free(back);
            }
}

/* ---- drafts ---- */

static void start(bn_draft *d, const uint64_t *offsets, const int32_t *index, const float *value,
                  int64_t nnz)
{
    uint64_t *o;
    int32_t *i;
    float *x;
    assert_int_equal(bn_draft_new(d, "file"), BONSAI_OK);
    d->nodes = 2;
    d->features = 5;
    assert_int_equal(bn_draft_array(&o, d, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, 3),
                     BONSAI_OK);
    assert_int_equal(bn_draft_array(&i, d, BONSAI_SECTION_FEATURE_INDICES, BONSAI_TYPE_U32, nnz),
                     BONSAI_OK);
    memcpy(o, offsets, 24);
    memcpy(i, index, (size_t)nnz * 4);
    if (!value)
        return;
    assert_int_equal(bn_draft_array(&x, d, BONSAI_SECTION_FEATURE_VALUES, BONSAI_TYPE_F32, nnz),
                     BONSAI_OK);
    memcpy(x, value, (size_t)nnz * 4);
}

static bonsai_status finish(bonsai_graph **out, bn_draft *d)
{
    bonsai_read_options usual;
    bonsai_read_options_init(&usual);
    return bn_draft_finish(out, d, &usual);
}

static void drafts_sort_merge_and_drop_features(void **state)
{
    (void)state;
    bn_draft d;
    bonsai_graph *g;
    float row[5];
    start(&d, (uint64_t[]){0, 4, 6}, (int32_t[]){3, 1, 3, 0, 4, 2}, (float[]){1, 2, 3, 0, 5, -5},
          6);
    assert_int_equal(finish(&g, &d), BONSAI_OK);
    bn_draft_free(&d);
    assert_int_equal(bonsai_graph_read_info(g)->feature_repeated, 1);
    assert_int_equal(bonsai_graph_read_info(g)->feature_zeros, 1);
    bonsai_graph_row(row, g, 0);
    assert_memory_equal(row, ((float[]){0, 2, 0, 4, 0}), sizeof row);
    bonsai_graph_row(row, g, 1);
    assert_memory_equal(row, ((float[]){0, 0, -5, 0, 5}), sizeof row);
    bonsai_graph_free(g);
}

static void features_without_values_get_them_only_if_repeated(void **state)
{
    (void)state;
    bn_draft d;
    bonsai_graph *g;
    start(&d, (uint64_t[]){0, 2, 3}, (int32_t[]){3, 1, 0}, NULL, 3);
    assert_int_equal(finish(&g, &d), BONSAI_OK);
    assert_false(bn_has(g, BONSAI_SECTION_FEATURE_VALUES));
    bn_draft_free(&d);
    bonsai_graph_free(g);
    start(&d, (uint64_t[]){0, 2, 3}, (int32_t[]){1, 1, 0}, NULL, 3);
    assert_int_equal(finish(&g, &d), BONSAI_OK);
    float row[5];
    bonsai_graph_row(row, g, 0);
    assert_true(row[1] == 2);
    bn_draft_free(&d);
    bonsai_graph_free(g);
}

static void wrong_drafts_are_refused(void **state)
{
    (void)state;
    bn_draft d;
    bonsai_graph *g;
    static const struct { uint64_t offsets[3]; int32_t index[3]; float value; const char *text; }
    rows[] = {
        {{0, 2, 2}, {0, 1, 2}, 1, "file: feature offsets: the last is 2 but there are 3"},
        {{0, 9, 3}, {0, 1, 2}, 1, "file: feature offsets: they fall from 9 to 3"},
        {{1, 2, 3}, {0, 1, 2}, 1, "file: feature offsets: the first is 1"},
        {{0, 2, 3}, {0, 5, 2}, 1, "file: feature indices: entry 1 is 5, outside 0..4"},
        {{0, 2, 3}, {0, -1, 2}, 1, "file: feature indices: entry 0 is 4294967295, outside"},
        {{0, 2, 3}, {0, 1, 2}, NAN, "file: feature values: entry 2 is nan"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start(&d, rows[i].offsets, rows[i].index, (float[]){1, 1, rows[i].value}, 3);
        assert_fails(finish(&g, &d), BONSAI_E_FORMAT, rows[i].text);
        assert_null(g);
        bn_draft_free(&d);
        start(&d, rows[i].offsets, rows[i].index, NULL, 3);
        if (!isnan(rows[i].value))
            assert_fails(finish(&g, &d), BONSAI_E_FORMAT, rows[i].text);
        bn_draft_free(&d);
    }
}

static bonsai_status draft_it(void *payload)
{
    (void)payload;
    bn_draft d = {0};
    bonsai_graph *g = NULL;
    bonsai_status rc;
    int32_t *label;
    uint64_t *o;
    BN_TRY(bn_draft_new(&d, "file"));
    BN_TRY(BN_NEW(&d.source, 3));
    BN_TRY(BN_NEW(&d.target, 3));
    d.m = 3;
    for (int i = 0; i < 3; i++)
        d.target[i] = i;
    BN_TRY(bn_draft_array(&label, &d, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32, 3));
    label[1] = 4;
    label[2] = -1;
    BN_TRY(bn_draft_array(&o, &d, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, 4));
    BN_TRY(bn_draft_array(&label, &d, BONSAI_SECTION_FEATURE_INDICES, BONSAI_TYPE_U32, 2));
    o[1] = o[2] = o[3] = 2;
    d.features = 1;                             /* a repeated one, so values are made */
    BN_TRY(finish(&g, &d));
    assert_int_equal(bonsai_graph_nodes(g), 3);
    assert_int_equal(bonsai_graph_edges(g), 4);
    assert_int_equal(bonsai_graph_classes(g), 5);
done:
    bn_draft_free(&d);
    bonsai_graph_free(g);
    return rc;
}

static void drafts_survive_failed_allocations(void **state)
{
    (void)state;
    survives_failed_allocations(draft_it, NULL, 20);
}

static bonsai_status new_and_build(void *payload)
{
    const bonsai_view *full = bonsai_graph_view(payload);
    bonsai_view rest = *full;
    bonsai_graph *g = NULL, *h = NULL, *k = NULL;
    bonsai_status rc;
    for (int s = BONSAI_SECTION_OFFSETS; s <= BONSAI_SECTION_EDGE_WEIGHTS; s++)
        rest.section[s] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    BN_TRY(bonsai_graph_new(&g, full, 0));
    BN_TRY(bonsai_graph_new(&h, full, 1));
    BN_TRY(bonsai_graph_build(&k, &rest, 2, (int32_t[]){0, 1}, (int32_t[]){1, 2}, NULL, NULL));
done:
    bonsai_graph_free(g);
    bonsai_graph_free(h);
    bonsai_graph_free(k);
    return rc;
}

static void graphs_survive_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 9, 20, SPARSE_U8, WITH_ALL);
    survives_failed_allocations(new_and_build, g, 40);
    bonsai_graph_free(g);
}

/* ---- what a node stands for ---- */

static void what_a_node_stands_for_is_read_from_any_type(void **state)
{
    (void)state;
    static const uint8_t soft[] = {255, 0, 51, 204}, labels[] = {0, 1}, split[] = {1, 2};
    static const uint16_t weights[] = {300, 7};
    static const uint32_t origin[] = {9, 4}, offsets[] = {0, 1, 3}, members[] = {9, 4, 8};
    static const uint32_t rows[] = {0, 0, 0}, none;
    bonsai_graph *g;
    bonsai_view v;
    int64_t count = -1;
    float share[2];
    bonsai_view_init(&v);
    v.nodes = 2;
    v.classes = 2;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){rows, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){&none, 0, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){labels, 2, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){split, 2, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SOFT_LABELS] = (bonsai_array){soft, 4, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_NODE_WEIGHTS] = (bonsai_array){weights, 2, BONSAI_TYPE_U16};
    v.section[BONSAI_SECTION_ORIGIN] = (bonsai_array){origin, 2, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_MEMBER_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_MEMBERS] = (bonsai_array){members, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_CLASS_NAMES] = (bonsai_array){"cat\0", 5, BONSAI_TYPE_U8};
    if (bonsai_graph_new(&g, &v, 1) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    bonsai_graph_soft_label(share, g, 1);
    assert_true(share[0] == 0.2f && share[1] == 0.8f);
    assert_true(bonsai_graph_weight(g, 0) == 300 && bonsai_graph_weight(g, 1) == 7);
    assert_int_equal(bonsai_graph_origin(g, 1), 4);
    const int32_t *member = bonsai_graph_members(&count, g, 1);
    assert_int_equal(count, 2);
    assert_memory_equal(member, members + 1, 8);
    assert_string_equal(bonsai_graph_class_name(g, 0), "cat");
    assert_null(bonsai_graph_class_name(g, 1));         /* its name is empty */
    assert_null(bonsai_graph_class_name(g, 2));
    assert_null(bonsai_graph_class_name(g, -1));
    bonsai_graph_free(g);
}

static void a_node_that_says_nothing_stands_for_itself(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(3, 6, 9, DENSE_F32, WITH_LABELS);
    int64_t count = -1;
    float *share = calloc((size_t)g->view.classes, sizeof *share);
    for (int64_t v = 0; v < 6; v++) {
        bonsai_graph_soft_label(share, g, v);
        for (int64_t c = 0; c < g->view.classes; c++)
            assert_true(share[c] == (c == bonsai_graph_label(g, v) ? 1.0f : 0.0f));
        assert_true(bonsai_graph_weight(g, v) == 1);
        assert_int_equal(bonsai_graph_origin(g, v), -1);
        assert_null(bonsai_graph_members(&count, g, v));
        assert_int_equal(count, 0);
    }
    assert_null(bonsai_graph_class_name(g, 0));
    free(share);
    bonsai_graph_free(g);
}

static void features_have_names(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(3, 6, 9, DENSE_F32, WITH_LABELS), *named = NULL, *again = NULL;
    char lines[1024] = "", few[] = "one\ntwo";
    const int64_t f = g->view.features;
    assert_null(bonsai_graph_feature_name(g, 0));
    for (int64_t j = 0; j < f; j++)
        sprintf(lines + strlen(lines), "%s%lld%s", j == 1 ? "" : "caf\xc3\xa9 ", (long long)j,
                j + 1 < f ? "\r\n" : "");
    assert_int_equal(bonsai_graph_name_features(&named, g, lines), BONSAI_OK);
    assert_string_equal(bonsai_graph_feature_name(named, 0), "caf\xc3\xa9 0");
    assert_string_equal(bonsai_graph_feature_name(named, 1), "1");
    assert_non_null(strstr(bonsai_graph_feature_name(named, f - 1), "caf"));
    assert_null(bonsai_graph_feature_name(named, f));
    assert_null(bonsai_graph_feature_name(named, -1));
    bonsai_graph_free(g);                       /* named shares its arrays */
    assert_int_equal(bonsai_graph_name_features(&again, named, strcat(lines, "\n")), BONSAI_OK);
    bonsai_graph_free(again);
    assert_fails(bonsai_graph_name_features(&again, named, few), BONSAI_E_ARGUMENT,
                 "there are 2 names of features, but ");
    assert_null(again);
    lines[0] = (char)0xff;
    assert_fails(bonsai_graph_name_features(&again, named, lines), BONSAI_E_FORMAT,
                 "feature names: byte 0 is not UTF-8");
    bonsai_graph_free(named);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_and_bytes_of_unknown_numbers_are_empty),
        cmocka_unit_test(arrays_are_borrowed_or_copied),
        cmocka_unit_test(a_view_of_an_older_program_works),
        cmocka_unit_test(dense_and_sparse_rows_agree),
        cmocka_unit_test(building_refuses_what_it_cannot_use),
        cmocka_unit_test(empty_graphs_pass_through_everything),
        cmocka_unit_test(drafts_sort_merge_and_drop_features),
        cmocka_unit_test(features_without_values_get_them_only_if_repeated),
        cmocka_unit_test(wrong_drafts_are_refused),
        cmocka_unit_test(drafts_survive_failed_allocations),
        cmocka_unit_test(graphs_survive_failed_allocations),
        cmocka_unit_test(what_a_node_stands_for_is_read_from_any_type),
        cmocka_unit_test(a_node_that_says_nothing_stands_for_itself),
        cmocka_unit_test(features_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
