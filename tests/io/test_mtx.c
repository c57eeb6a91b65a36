/* test_mtx.c -- Matrix Market files as adjacency.
 *
 * SPDX-License-Identifier: MIT */
#include "texting.h"

static bonsai_graph *read_mtx(const char *text)
{
    write_text(temp_path("m.mtx"), text);
    return must_read(temp_path("m.mtx"));
}

static void reads_every_kind_of_entries(void **state)
{
    (void)state;
    static const char *const same[] = {
        "%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n1 2 0.5\n3 2 2\n",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 2 2\n",
        "%%matrixmarket MATRIX Coordinate Real\tGeneral\r\n\r\n  3 3 2\r\n1\t2 5e-1\r\n3 2 2.0",
        "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 .5\n2 1 .5\n2 3 2\n3 2 2\n",
    };
    bonsai_graph *first = read_mtx(same[0]);
    assert_int_equal(bonsai_graph_nodes(first), 3);
    assert_true(has_edge(first, 0, 1) && has_edge(first, 1, 2) && !has_edge(first, 0, 2));
    assert_string_equal(bonsai_graph_read_info(first)->format, "mtx");
    for (size_t i = 1; i < sizeof same / sizeof *same; i++) {
        bonsai_graph *g = read_mtx(same[i]);
        assert_same(first, g);
        bonsai_graph_free(g);
    }
    bonsai_graph_free(first);
    bonsai_graph *a = read_mtx("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 7\n");
    const float *w = bonsai_graph_view(a)->section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    assert_true(w[0] == 7.0f);
    bonsai_graph_free(a);
    a = read_mtx("%%MatrixMarket matrix coordinate pattern symmetric\n9 9 1\n3 3\n");
    assert_int_equal(bonsai_graph_nodes(a), 9);
    assert_int_equal(bonsai_graph_edges(a), 0);         /* the self loop is dropped */
    assert_null(bonsai_graph_view(a)->section[BONSAI_SECTION_EDGE_WEIGHTS].data);
    bonsai_graph_free(a);
    a = read_mtx("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n");
    assert_int_equal(bonsai_graph_nodes(a), 0);
    bonsai_graph_free(a);
}

static void agrees_with_a_matrix(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        bn_rng r = bn_rng_at(9, (uint64_t)round);
        int n = (int)bn_rng_below(&r, 10) + 1, m = (int)bn_rng_below(&r, 30), len;
        bool matrix[10][10] = {{false}}, symmetric = round % 2;
        char text[2048];
        len = sprintf(text, "%%%%MatrixMarket matrix coordinate pattern %s\n%d %d %d\n",
                      symmetric ? "symmetric" : "general", n, n, m);
        for (int i = 0; i < m; i++) {
            int u = (int)bn_rng_below(&r, n), v = (int)bn_rng_below(&r, n);
            matrix[u][v] = matrix[v][u] = true;
            len += sprintf(text + len, "%d %d\n", u + 1, v + 1);
        }
        write_gz(temp_path("r.mtx.gz"), text);
        bonsai_graph *g = must_read(temp_path("r.mtx.gz"));
        assert_int_equal(bonsai_graph_nodes(g), n);
        for (int u = 0; u < n; u++)
            for (int v = 0; v < n; v++)
                assert_int_equal(has_edge(g, u, v), u != v && matrix[u][v]);
        bonsai_graph_free(g);
    }
}

static void reads_features_and_labels_next_to_it(void **state)
{
    (void)state;
    write_text(temp_path("with.mtx"),
               "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n");
    write_text(temp_path("with.labels.csv"), "id,label\nx,1\ny,0\n");
    write_text(temp_path("with.features.csv"), "node,feature,value\ny,3,2.5\n");
    bonsai_graph *g = must_read(temp_path("with.mtx"));
    float row[4];
    assert_int_equal(bonsai_graph_features(g), 4);
    bonsai_graph_row(row, g, 1);
    assert_true(row[3] == 2.5f);
    assert_int_equal(bonsai_graph_label(g, 0), 1);
    assert_string_equal(node_name(g, 1), "y");
    bonsai_graph_free(g);
    write_text(temp_path("with.labels.csv"), "1\n0\n1\n");
    refuses_file(temp_path("with.mtx"), "with.mtx: the matrix has 2 rows, but");
}

static void refuses_what_is_not_an_adjacency(void **state)
{
    (void)state;
#define HEAD "%%MatrixMarket matrix coordinate "
    static const char *const bad[][2] = {
        {"", "bad.mtx: does not start with %%MatrixMarket"},
        {"1 1 1\n1 1\n", "bad.mtx: does not start with %%MatrixMarket"},
        {"% MatrixMarket matrix coordinate pattern general\n1 1 0\n", "does not start with"},
        {"%%MatrixMarket vector coordinate real general\n", "bad.mtx:1: \"vector\" is not"},
        {"%%MatrixMarket matrix array real general\n", "bad.mtx:1: \"array\" holds every entry"},
        {"%%MatrixMarket matrix list real general\n", "bad.mtx:1: \"list\" is not a known layout"},
        {HEAD "complex general\n", "bad.mtx:1: \"complex\" entries cannot be weights"},
        {HEAD "real skew-symmetric\n", "bad.mtx:1: \"skew-symmetric\" is not a symmetry"},
        {HEAD "real hermitian\n", "bad.mtx:1: \"hermitian\" is not a symmetry"},
        {HEAD "real general\n% only comments\n", "bad.mtx: ends before the line of sizes"},
        {HEAD "real general\n3 4 0\n", "bad.mtx:2: 3 rows and 4 columns"},
        {HEAD "real general\n3 3\n", "bad.mtx:2: the line ends where an integer is needed"},
        {HEAD "real general\n3 3 0 0\n", "bad.mtx:2: more than three sizes"},
        {HEAD "real general\n-3 -3 0\n", "bad.mtx:2: -3 nodes are implausible"},
        {HEAD "real general\n2147483647 2147483647 0\n", "nodes are implausible in"},
        {HEAD "real general\n3 3 -1\n", "bad.mtx:2: -1 entries do not fit"},
        {HEAD "real general\n3 3 9223372036854775807\n", "entries do not fit in the 0 bytes"},
        {HEAD "real general\n3 3 2\n1 2 1\n", "bad.mtx: ends after 1 of 2 entries"},
        {HEAD "real general\n3 3 1\n1 2 1\n1 3 1\n", "bad.mtx:4: there are more than the 1"},
        {HEAD "real general\n3 3 1\n0 2 1\n", "bad.mtx:3: index 0 is outside 1..3"},
        {HEAD "real general\n3 3 1\n1 4 1\n", "bad.mtx:3: index 4 is outside 1..3"},
        {HEAD "real general\n3 3 1\n1 2 0\n", "bad.mtx:3: weight 0 is not positive"},
        {HEAD "real general\n3 3 1\n1 2 -1\n", "bad.mtx:3: weight -1 is not positive"},
        {HEAD "real general\n3 3 1\n1 2 inf\n", "bad.mtx:3: \"inf\" is not a finite number"},
        {HEAD "integer general\n3 3 1\n1 2 1.5\n", "bad.mtx:3: \"1.5\" is not an integer"},
        {HEAD "pattern general\n3 3 1\n1 2 1\n", "bad.mtx:3: more than 2 numbers"},
        {HEAD "pattern general\n3 3 1\n1,2\n", "bad.mtx:3: \"1,2\" is not an integer"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(temp_path("bad.mtx"), bad[i][0]);
        refuses_file(temp_path("bad.mtx"), bad[i][1]);
    }
}

static const char example[] = HEAD "real symmetric\n% x\n4 4 3\n2 1 0.5\n3 2 1e2\n4 4 11\n";

static void refuses_every_truncation(void **state)
{
    (void)state;
    bonsai_graph *g = NULL;
    for (size_t cut = 0; cut < sizeof example - 3; cut++) {     /* without "1\n" it is whole */
        write_file(temp_path("cut.mtx"), example, cut);
        assert_int_equal(load(&g, temp_path("cut.mtx")), BONSAI_E_FORMAT);
    }
}

static bonsai_status load_path(void *payload)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = load(&g, payload);
    bonsai_graph_free(g);
    return rc;
}

static void survives_every_failed_allocation(void **state)
{
    (void)state;
    char path[512];
    write_gz(temp_path("mem.mtx.gz"), example);
    write_text(temp_path("mem.features.csv"), "1,2\n3,4\n5,6\n7,8\n");
    snprintf(path, sizeof path, "%s", temp_path("mem.mtx.gz"));
    survives_failed_allocations(load_path, path, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind_of_entries),
        cmocka_unit_test(agrees_with_a_matrix),
        cmocka_unit_test(reads_features_and_labels_next_to_it),
        cmocka_unit_test(refuses_what_is_not_an_adjacency),
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
