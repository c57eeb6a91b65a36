/* test_rows.c -- rows of prototypes as they are stored: their bytes by hand, which entries are kept, and
 * what is read back.
 *
 * SPDX-License-Identifier: MIT */
#include "embedding.h"

#include <math.h>
#include <stdlib.h>

#include "prototypes/candidate.h"
#include "random_graph.h"

enum { ROWS = 7, F = 40 };

/* ---- bytes ---- */

static bn_storage strict(bonsai_type type, int64_t f, int64_t classes, int64_t largest)
{
    return (bn_storage){.accounting = BONSAI_ACCOUNTING_STRICT, .f = f, .classes = classes,
                        .type = type, .largest = largest};
}

/* 10 nodes: 44 bytes of offsets, labels, weights, and the smaller form of the features. */
static void bytes_are_counted_as_in_the_file(void **state)
{
    (void)state;
    const struct { bn_storage s; int64_t nnz; double bytes; } all[] = {
        {strict(BONSAI_TYPE_U8, 100, 3, 0), 30, 44 + 10 + (44 + 30 * 3) + 40},
        {strict(BONSAI_TYPE_I8, 100, 3, 0), 30, 44 + 10 + (44 + 30 * 3) + 40},
        {strict(BONSAI_TYPE_F32, 100, 3, 0), 30, 44 + 10 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_U8, 10, 3, 0), 90, 44 + 10 + 100 + 40},
        {strict(BONSAI_TYPE_F32, 10, 3, 0), 90, 44 + 10 + 400},
        {strict(BONSAI_TYPE_F32, 65536, 3, 0), 30, 44 + 10 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_F32, 65537, 3, 0), 30, 44 + 10 + (44 + 30 * 8)},
        {strict(BONSAI_TYPE_F32, 100, 255, 0), 30, 44 + 10 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_F32, 100, 256, 0), 30, 44 + 20 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_F32, 100, 65535, 0), 30, 44 + 20 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_F32, 100, 65536, 0), 30, 44 + 40 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_F32, 100, 3, 1), 30, 44 + 10 + 10 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_F32, 100, 3, 255), 30, 44 + 10 + 10 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_F32, 100, 3, 256), 30, 44 + 10 + 20 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_F32, 100, 3, 65535), 30, 44 + 10 + 20 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_F32, 100, 3, 65536), 30, 44 + 10 + 40 + (44 + 30 * 6)},
        {strict(BONSAI_TYPE_F32, INT64_C(1) << 60, 3, 0), UINT32_MAX,
         44 + 10 + (44 + (double)UINT32_MAX * 8)},
        {strict(BONSAI_TYPE_F32, INT64_C(1) << 60, 3, 0), (int64_t)UINT32_MAX + 1,
         44 + 10 + (88 + ((double)UINT32_MAX + 1) * 8)},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bn_storage s = all[i].s;
        s.alone = true;
        assert_true(bn_storage_bytes(&s, 10, all[i].nnz) == all[i].bytes);
        s.alone = false;
        assert_true(bn_storage_bytes(&s, 10, all[i].nnz) == all[i].bytes + 40);
        s.soft = true;
        assert_true(bn_storage_bytes(&s, 10, all[i].nnz) ==
                    all[i].bytes + 40 + 10 * (double)s.classes);
    }
}

/* Four bits each; columns that are listed once; pairs of nodes with three entries of adjacency. */
static void packed_rows_take_less(void **state)
{
    (void)state;
    bn_storage s = strict(BONSAI_TYPE_U8, 100, 3, 0);
    s.squares = true;
    assert_true(bn_storage_bytes(&s, 10, 31) == 44 + 40 + 10 + (44 + 31 * 2 + 16) + 40);
    s.columns = true;
    assert_true(bn_storage_bytes(&s, 10, 20) == 44 + 40 + 10 + (20 * 2 + 100) + 40);
    assert_true(bn_storage_bytes(&s, 9, 21) == 40 + 36 + 9 + (21 * 2 + 95) + 36);
    s.squares = false;
    assert_true(bn_storage_bytes(&s, 10, 20) == 44 + 40 + 10 + (20 * 2 + 200) + 40);
    assert_true(bn_storage_bytes(&s, 10, 99) == 44 + 40 + 10 + 1000 + 40);
    s.pairs = true;
    assert_true(bn_storage_bytes(&s, 5, 20) == 44 + 60 + 10 + (20 * 2 + 200) + 40);
}

/* Three numbers an entry, the label or the soft labels, a weight, and two for the edge, 16 bits. */
static void the_paper_counts_otherwise(void **state)
{
    (void)state;
    bn_storage s = {.accounting = BONSAI_ACCOUNTING_PAPER_CONDENSED, .f = 100, .classes = 5,
                    .type = BONSAI_TYPE_U8};
    assert_true(bn_storage_bytes(&s, 10, 30) == 2 * (90 + 10 * 3));
    s.largest = 1;
    assert_true(bn_storage_bytes(&s, 10, 30) == 2 * (90 + 10 * 4));
    s.soft = true;
    assert_true(bn_storage_bytes(&s, 10, 30) == 2 * (90 + 10 * 9));
}

static void the_most_nodes_fit_and_no_more(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200; i++) {
        bn_storage s = strict(i % 2 ? BONSAI_TYPE_U8 : BONSAI_TYPE_F32, 1 + random_below(&seed, 50),
                              3, 0);
        double bytes = random_below(&seed, 5000);
        int64_t entries = 1 + random_below(&seed, (int)s.f);
        s.alone = i % 3 == 0;
        int64_t n = bn_storage_most(&s, bytes, entries);
        assert_true(n == 0 || bn_storage_bytes(&s, n, n * entries) <= bytes);
        assert_true(bn_storage_bytes(&s, n + 1, (n + 1) * entries) > bytes);
        if (bytes < bn_storage_bytes(&s, 1, entries))
            assert_int_equal(n, 0);
    }
}

/* ---- which entries ---- */

typedef struct {
    bn_centres c;
    float x[ROWS * F], mean[F];
    int64_t size[ROWS];
} made;

/* Rows of differing lengths, some clusters of the same size. */
static void make(made *m, bool sparse, bool negative, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < ROWS * F; i++) {
        float v = (float)(1 + random_below(&seed, 200)) / 16;
        bool some = random_below(&seed, 8) < 1 + i / F;
        m->x[i] = !some ? 0.0f : negative && random_below(&seed, 2) ? -v : v;
        m->mean[i % F] += m->x[i] / ROWS;
    }
    for (int r = 0; r < ROWS; r++)
        m->size[r] = 1 + random_below(&seed, 3);
    (sparse ? set_sparse : set_dense)(&m->c.x, m->x, ROWS, F);
    m->c.count = ROWS;
    m->c.size = m->size;
    m->c.mean = m->mean;
}

/* Rows that lose entries keep t, and the heaviest of them one more. */
static void assert_levels(const bn_keep *k, const made *m)
{
    int64_t least = INT64_MAX;
    for (int a = 0; a < ROWS; a++) {
        if (k->keep[a] == k->live[a])
            continue;
        least = k->keep[a] < least ? k->keep[a] : least;
        assert_true(k->keep[a] == k->t || k->keep[a] == k->t + 1);
        for (int b = 0; b < ROWS; b++)          /* b has one more */
            if (k->live[b] > k->t && k->keep[b] > k->keep[a])
                assert_true(m->size[b] > m->size[a] || (m->size[b] == m->size[a] && b < a));
    }
    for (int a = 0; a < ROWS; a++)
        assert_true(k->keep[a] >= (k->live[a] < k->t ? k->live[a] : k->t));
    assert_true(least == INT64_MAX || least == k->t);
}

static void as_many_entries_are_kept_as_fit(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        made m;
        bn_keep k;
        bool fits;
        int64_t all = 0, kept = 0;
        uint64_t s = seed;
        bn_storage how = strict(BONSAI_TYPE_F32, F, 3, 0);
        how.alone = true;
        make(&m, seed % 2, false, seed);
        double bytes = 39 + 32 + 42 + random_below(&s, 1100);
        assert_int_equal(bn_keep_most(&k, &fits, &m.c, &how, bytes, 1 + (int)(seed % 3)),
                         BONSAI_OK);
        for (int r = 0; r < ROWS; r++) {
            assert_int_equal(k.live[r], bn_embedding_length(&m.c.x, r));
            assert_true(k.keep[r] <= k.live[r]);
            all += k.live[r];
            kept += k.keep[r];
        }
        assert_true(k.all == all && k.nnz == kept);
        assert_true(!fits || bn_storage_bytes(&how, ROWS, kept) <= bytes);
        assert_true(kept == all || bn_storage_bytes(&how, ROWS, kept + 1) > bytes);
        assert_true((k.t == 0) == (kept == all));
        if (kept < all)
            assert_levels(&k, &m);
        bn_keep_free(&k);
        assert_true(!k.live && !k.keep && k.nnz == 0);
        bn_embedding_free(&m.c.x);
    }
}

static void with_too_few_bytes_one_entry_each_is_kept(void **state)
{
    (void)state;
    made m;
    bn_keep k;
    bool fits = true;
    bn_storage how = strict(BONSAI_TYPE_F32, F, 3, 0);
    make(&m, true, false, 3);
    assert_int_equal(bn_keep_most(&k, &fits, &m.c, &how, 20, 1), BONSAI_OK);
    assert_false(fits);
    for (int r = 0; r < ROWS; r++)
        assert_int_equal(k.keep[r], k.live[r] < 1 ? k.live[r] : 1);
    bn_keep_free(&k);
    bn_embedding_free(&m.c.x);
}

/* ---- stored and read ---- */

static bonsai_graph *stored(const made *m, const bn_keep *k, const bn_storage *s)
{
    bonsai_graph *g = NULL;
    assert_int_equal(bn_graph_new(&g, "test"), BONSAI_OK);
    g->view.nodes = ROWS;
    g->view.features = s->f;
    assert_int_equal(bn_rows_store(g, &m->c, k, s, 2), BONSAI_OK);
    return g;
}

/* How many entries of row r are larger than entry j, by what decides; the lower column first. */
static int64_t larger(const made *m, int r, int j, bonsai_type type)
{
    const float *x = m->x + r * F;
    int64_t count = 0;
    for (int i = 0; i < F; i++) {
        float a = type == BONSAI_TYPE_U8 ? x[i] - 0.3f * m->mean[i] : fabsf(x[i]);
        float b = type == BONSAI_TYPE_U8 ? x[j] - 0.3f * m->mean[j] : fabsf(x[j]);
        count += x[i] != 0.0f && (a > b || (a == b && i < j));
    }
    return count;
}

/* Floats are exact; bytes are within half a step, which grows with what a row of U8 has lost. */
static void assert_row(const float *got, const made *m, int r, int64_t keep, bonsai_type type)
{
    const float *x = m->x + r * F;
    double sum = 0, kept = 0, most = 0;
    for (int j = 0; j < F; j++) {
        sum += (double)x[j];
        kept += larger(m, r, j, type) < keep ? (double)x[j] : 0;
        most = fmax(most, fabs((double)x[j]));
    }
    double grown = type == BONSAI_TYPE_U8 ? fmin(sqrt(sum / kept), 3) : 1;
    double step = type == BONSAI_TYPE_F32 ? 0 : grown * most / (type == BONSAI_TYPE_U8 ? 255 : 127);
    for (int j = 0; j < F; j++) {
        bool in = x[j] != 0.0f && larger(m, r, j, type) < keep;
        assert_true(in || got[j] == 0.0f);
        assert_true(!in || fabs((double)got[j] - grown * (double)x[j]) <= 0.5001 * step);
    }
}

/* Two entries a row are smaller as sparse rows; all of them, half of the columns, are smaller as
 * dense rows in bytes, and as sparse rows in floats. */
static void stored_rows_read_back(void **state)
{
    (void)state;
    static const bonsai_type types[] = {BONSAI_TYPE_U8, BONSAI_TYPE_I8, BONSAI_TYPE_F32};
    for (int i = 0; i < 24; i++) {
        made m;
        int64_t live[ROWS], keep[ROWS];
        bn_keep k = {.live = live, .keep = keep};
        bn_storage s = strict(types[i % 3], F, 3, 0);
        make(&m, i / 3 % 2, s.type != BONSAI_TYPE_U8, (uint64_t)i);
        for (int r = 0; r < ROWS; r++) {
            int64_t length = bn_embedding_length(&m.c.x, r);
            keep[r] = i < 12 && length > 2 ? 2 : length;
            k.nnz += keep[r];
        }
        bonsai_graph *g = stored(&m, &k, &s);
        assert_int_equal(bn_has(g, BONSAI_SECTION_FEATURES), i >= 12 && s.type != BONSAI_TYPE_F32);
        assert_int_equal(bn_has(g, BONSAI_SECTION_FEATURE_SCALE), s.type != BONSAI_TYPE_F32);
        for (int r = 0; r < ROWS; r++) {
            float row[F], value[F + BN_PACK_ROOM];
            int32_t index[F + BN_PACK_ROOM];
            bonsai_graph_row(row, g, r);
            assert_row(row, &m, r, keep[r], s.type);
            assert_int_equal(bn_row_get(index, value, g, r), keep[r]);
        }
        bonsai_graph_free(g);
        bn_embedding_free(&m.c.x);
    }
}

/* Two rows of one entry each, in the first and the last column. */
static void wide_rows_have_wide_indices(void **state)
{
    (void)state;
    for (int64_t f = 65536; f < 65538; f++) {
        int64_t offsets[] = {0, 1, 2}, live[] = {1, 1};
        int32_t index[] = {(int32_t)f - 1, 0};
        float value[] = {3, 4}, *mean = calloc((size_t)f, sizeof *mean);
        const bn_centres c = {.count = 2, .x = {2, f, NULL, offsets, index, value, 0},
                              .mean = mean};
        const bn_keep k = {.live = live, .keep = live, .nnz = 2};
        const bn_storage s = strict(BONSAI_TYPE_F32, f, 3, 0);
        bonsai_graph *g = NULL;
        assert_int_equal(bn_graph_new(&g, "test"), BONSAI_OK);
        g->view.nodes = 2;
        g->view.features = f;
        assert_int_equal(bn_rows_store(g, &c, &k, &s, 1), BONSAI_OK);
        assert_int_equal(g->view.section[BONSAI_SECTION_FEATURE_INDICES].type,
                         f == 65536 ? BONSAI_TYPE_U16 : BONSAI_TYPE_U32);
        for (int i = 0; i < 2; i++) {
            float got[1 + BN_PACK_ROOM];
            int32_t column[1 + BN_PACK_ROOM];
            assert_int_equal(bn_row_get(column, got, g, i), 1);
            assert_true(column[0] == index[i] && got[0] == value[i]);
        }
        bonsai_graph_free(g);
        free(mean);
    }
}

/* ---- squares and columns ---- */

/* The columns whose values differ most from the mean, weighed by size; the first of equal ones. */
static bool is_among(const made *m, int j, int64_t k)
{
    double score[F] = {0};
    int64_t before = 0;
    for (int i = 0; i < F; i++)
        for (int r = 0; r < ROWS; r++)
            score[i] += (double)m->size[r] * pow((double)m->x[r * F + i] - (double)m->mean[i], 2);
    for (int i = 0; i < F; i++)
        before += score[i] > score[j] + 1e-6;
    return before < k;
}

/* Numbers are squares in range, nearest by their roots to what they stand for. */
static void assert_squares(const bonsai_graph *g, const made *m, const bn_keep *k, bool negative)
{
    int levels = negative ? 7 : 15;
    for (int r = 0; r < ROWS; r++) {
        const float *x = m->x + r * F;
        float row[F];
        double sum = 0, kept = 0, most = 0;
        for (int j = 0; j < F; j++)
            most = fmax(most, fabs((double)x[j]));
        for (int j = 0; j < F; j++) {
            sum += (double)x[j];
            bool in = false;
            for (int64_t i = 0; i < k->columns; i++)
                in |= k->column[i] == j;
            int q = (int)floor(sqrt(fabs((double)x[j]) / most) * levels + 0.5);
            kept += in && q > 0 ? (double)x[j] : 0;
        }
        double grown = negative || kept <= 0 || k->keep[r] == k->live[r]
                           ? 1 : fmin(sqrt(sum / kept), 3);
        bonsai_graph_row(row, g, r);
        for (int64_t i = 0; i < k->columns; i++) {
            int j = k->column[i];
            double q = floor(sqrt(fabs((double)x[j]) / most) * levels + 0.5) / levels;
            assert_true(fabs(fabs((double)row[j]) - grown * most * q * q) < 1e-4 * most);
            assert_true((double)row[j] * (double)x[j] >= 0);
        }
    }
}

static void shared_columns_are_those_that_differ(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        made m;
        bn_keep k;
        bool fits, negative = seed % 4 > 1;
        bn_storage s = strict(negative ? BONSAI_TYPE_I8 : BONSAI_TYPE_U8, F, 3, 0);
        s.squares = s.columns = true;
        make(&m, seed % 2, negative, seed);
        for (int j = 0; j < F; j++) {           /* by size, as rows have it */
            double sum = 0, total = 0;
            for (int r = 0; r < ROWS; r++) {
                sum += (double)m.size[r] * (double)m.x[r * F + j];
                total += (double)m.size[r];
            }
            m.mean[j] = (float)(sum / total);
        }
        double bytes = bn_storage_bytes(&s, ROWS, 1 + (int64_t)(seed % F)) + 0.5;
        assert_int_equal(bn_keep_most(&k, &fits, &m.c, &s, bytes, 1 + (int)(seed % 3)), BONSAI_OK);
        assert_true(fits && k.columns >= 1 && bn_storage_bytes(&s, ROWS, k.columns) <= bytes);
        for (int64_t i = 0; i < k.columns; i++) {
            assert_true(i == 0 || k.column[i] > k.column[i - 1]);
            assert_true(is_among(&m, k.column[i], k.columns));
        }
        bonsai_graph *g = stored(&m, &k, &s);
        assert_squares(g, &m, &k, negative);
        bonsai_graph_free(g);
        bn_keep_free(&k);
        bn_embedding_free(&m.c.x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_counted_as_in_the_file),
        cmocka_unit_test(packed_rows_take_less),
        cmocka_unit_test(the_paper_counts_otherwise),
        cmocka_unit_test(shared_columns_are_those_that_differ),
        cmocka_unit_test(the_most_nodes_fit_and_no_more),
        cmocka_unit_test(as_many_entries_are_kept_as_fit),
        cmocka_unit_test(with_too_few_bytes_one_entry_each_is_kept),
        cmocka_unit_test(stored_rows_read_back),
        cmocka_unit_test(wide_rows_have_wide_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
