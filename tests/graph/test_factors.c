/* test_factors.c -- features that are mixtures of a basis: decoded, counted, written, and refused.
 *
 * Files that lie are put together here by doc/format.md alone.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nativefile.h"
#include "oracle.h"
#include "random_graph.h"

typedef struct {
    int64_t n, f, r, q;         /* nodes, features, directions, columns; q == f: they are not listed */
    bool squares, positive;     /* numbers of the basis; no number is negative */
} shape;

static void *array(bonsai_graph *g, bonsai_section s, bonsai_type t, int64_t count)
{
    void *to = NULL;
    assert_int_equal(bn_graph_array(&to, g, s, t, count), BONSAI_OK);
    return to;
}

static int8_t basis_number(uint64_t *state, const shape *k)
{
    int code = random_below(state, 8), sign = k->positive || random_below(state, 2) ? 1 : -1;
    return (int8_t)(sign * (k->squares ? code * code : random_below(state, 128)));
}

static void put_basis(bonsai_graph *g, const shape *k, uint64_t *state)
{
    int8_t *basis = array(g, BONSAI_SECTION_BASIS, BONSAI_TYPE_I8, k->r * k->q);
    float *scale = array(g, BONSAI_SECTION_BASIS_SCALE, BONSAI_TYPE_F32, k->r);
    for (int64_t i = 0; i < k->r * k->q; i++)
        basis[i] = basis_number(state, k);
    for (int64_t d = 0; d < k->r; d++)
        scale[d] = fabsf(random_real(state)) + 0.125f;
    if (!k->squares)
        basis[0] = 50;          /* no square */
    if (k->q == k->f)
        return;
    uint32_t *column = array(g, BONSAI_SECTION_BASIS_COLUMNS, BONSAI_TYPE_U32, k->q);
    for (int64_t j = 0; j < k->q; j++)          /* the last column is one of them */
        column[j] = (uint32_t)((j + 1) * k->f / k->q - 1);
}

static void put_coordinates(bonsai_graph *g, const shape *k, uint64_t *state)
{
    int8_t *number = array(g, BONSAI_SECTION_COORDINATES, BONSAI_TYPE_I8, k->n * k->r);
    float *scale = array(g, BONSAI_SECTION_COORDINATE_SCALE, BONSAI_TYPE_F32, k->n);
    for (int64_t i = 0; i < k->n * k->r; i++)
        number[i] = (int8_t)(random_below(state, k->positive ? 128 : 255) - (k->positive ? 0 : 127));
    for (int64_t v = 0; v < k->n; v++) {
        scale[v] = fabsf(random_real(state)) + 0.125f;
        number[v * k->r + v % k->r] = 0;
    }
}

/* A graph without edges, whose features are not decoded yet. */
static bonsai_graph *raw_graph(const shape *k, uint64_t seed)
{
    bonsai_graph *g;
    assert_int_equal(bn_graph_new(&g, "graph"), BONSAI_OK);
    g->view.nodes = k->n;
    g->view.features = k->f;
    g->view.classes = 2;
    memset(array(g, BONSAI_SECTION_OFFSETS, BONSAI_TYPE_U32, k->n + 1), 0, (size_t)(k->n + 1) * 4);
    array(g, BONSAI_SECTION_NEIGHBORS, BONSAI_TYPE_U32, 0);
    uint8_t *label = array(g, BONSAI_SECTION_LABELS, BONSAI_TYPE_U8, k->n);
    for (int64_t v = 0; v < k->n; v++)
        label[v] = (uint8_t)(v % 2);
    put_basis(g, k, &seed);
    put_coordinates(g, k, &seed);
    return g;
}

static bonsai_graph *mixed_graph(const shape *k, uint64_t seed)
{
    bonsai_graph *g = raw_graph(k, seed);
    if (bn_factors_decode(g, 1) != BONSAI_OK || bonsai_graph_verify(g) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static const void *data_of(const bonsai_graph *g, bonsai_section s)
{
    return g->view.section[s].data;
}

/* The rows (n,f) by doc/format.md; free() them. */
static float *oracle_rows(const bonsai_graph *g, const shape *k)
{
    const int8_t *basis = data_of(g, BONSAI_SECTION_BASIS);
    const int8_t *coordinate = data_of(g, BONSAI_SECTION_COORDINATES);
    const float *basis_scale = data_of(g, BONSAI_SECTION_BASIS_SCALE);
    const float *scale = data_of(g, BONSAI_SECTION_COORDINATE_SCALE);
    float *x = calloc((size_t)(k->n * k->f + 1), sizeof *x);
    for (int64_t v = 0; v < k->n; v++)
        for (int64_t j = 0; j < k->q; j++) {
            int64_t column = k->q == k->f ? j : (j + 1) * k->f / k->q - 1;
            for (int64_t d = 0; d < k->r; d++) {
                float share = scale[v] * (float)coordinate[v * k->r + d];
                if (share != 0)
                    x[v * k->f + column] += share * (basis_scale[d] * (float)basis[d * k->q + j]);
            }
        }
    return x;
}

static void same_rows(const bonsai_graph *g, const float *x)
{
    const int64_t n = bonsai_graph_nodes(g), f = bonsai_graph_features(g);
    float *row = calloc((size_t)f + 1, sizeof *row);
    for (int64_t v = 0; v < n; v++) {
        bonsai_graph_row(row, g, v);
        assert_memory_equal(row, x + v * f, (size_t)f * sizeof *row);
    }
    free(row);
}

static const shape shapes[] = {
    {5, 12, 2, 12, true, false},        /* all columns, squares */
    {5, 13, 3, 13, false, false},       /* all columns, bytes */
    {7, 40, 2, 33, true, false},        /* many columns: dense */
    {9, 300, 3, 60, true, false},       /* few: sparse; bits are smaller */
    {9, 300, 3, 11, false, false},      /* very few: a list is smaller */
    {4, 70000, 2, 40, true, false},     /* a list of u32 */
    {4, 70000, 2, 2400, false, false},  /* bits of many features */
    {1, 3, 1, 1, true, true},
    {40, 64, 4, 64, true, true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void decoded_rows_are_those_of_plain_loops(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        bonsai_graph *g = mixed_graph(&shapes[i], (uint64_t)i);
        float *x = oracle_rows(g, &shapes[i]);
        bool few = i == 3 || i == 4 || i == 5 || i == 6;
        assert_int_equal(bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS), few);
        assert_int_equal(bn_has(g, BONSAI_SECTION_FEATURES), !few);
        same_rows(g, x);
        free(x);
        bonsai_graph_free(g);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    static const shape many[] = {{3001, 50, 7, 50, false, false}, {3001, 500, 7, 50, true, false}};
    for (int i = 0; i < 2; i++) {
        bonsai_graph *g = raw_graph(&many[i], 3), *one = mixed_graph(&many[i], 3);
        assert_int_equal(bn_factors_decode(g, 8), BONSAI_OK);
        for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_VALUES; s++) {
            const bonsai_array *a = &g->view.section[s], *b = &one->view.section[s];
            assert_int_equal(a->count, b->count);
            if (b->data)
                assert_memory_equal(a->data, b->data, (size_t)a->count * bonsai_type_bytes(b->type));
        }
        bonsai_graph_free(g);
        bonsai_graph_free(one);
    }
}

/* ---- sizes ---- */

static int64_t basis_bytes(const shape *k)
{
    int64_t list = k->q * (k->f <= 65536 ? 2 : 4), bits = (k->f + 7) / 8;
    int64_t columns = k->q == k->f ? 0 : bits < list ? bits : list;
    return (k->squares ? (k->r * k->q + 1) / 2 : k->r * k->q) + 4 * k->r + columns + k->n * k->r +
           4 * k->n;
}

static void the_size_counts_the_basis_or_the_rows_whichever_is_smaller(void **state)
{
    (void)state;
    static const shape wide = {2, 9, 9, 9, false, false};       /* more directions than nodes */
    int smaller = 0, larger = 0;
    for (int i = 0; i <= SHAPES; i++) {
        const shape *k = i < SHAPES ? &shapes[i] : &wide;
        bonsai_graph *g = mixed_graph(k, (uint64_t)i);
        float *x = oracle_rows(g, k);
        int64_t rows = oracle_feature_bytes(x, k->n, k->f), basis = basis_bytes(k);
        double bytes;
        assert_int_equal(bonsai_graph_bytes(&bytes, g, BONSAI_ACCOUNTING_STRICT), BONSAI_OK);
        assert_int_equal((int64_t)bytes, (basis < rows ? basis : rows) + 4 * (k->n + 1) + k->n);
        smaller += basis < rows;
        larger += basis > rows;
        free(x);
        bonsai_graph_free(g);
    }
    assert_true(smaller > 3 && larger > 0);
}

/* ---- there and back ---- */

static bonsai_graph *loaded(const char *path)
{
    bonsai_graph *g = NULL;
    if (bonsai_graph_load(&g, path) != BONSAI_OK || bonsai_graph_check(g, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static bool has_basis(const bonsai_graph *g)
{
    int count = 0;
    for (int s = BONSAI_SECTION_BASIS; s <= BONSAI_SECTION_COORDINATE_SCALE; s++)
        count += g->view.section[s].data != NULL;
    assert_true(count == 0 || count == 5 ||
                (count == 4 && !g->view.section[BONSAI_SECTION_BASIS_COLUMNS].data));
    return count > 0;
}

static int64_t column_at(const bonsai_array *a, int64_t i)
{
    return a->type == BONSAI_TYPE_U16 ? ((const uint16_t *)a->data)[i]
                                      : ((const uint32_t *)a->data)[i];
}

static void same_basis(const bonsai_graph *a, const bonsai_graph *b)
{
    for (int s = BONSAI_SECTION_BASIS; s <= BONSAI_SECTION_COORDINATE_SCALE; s++) {
        const bonsai_array *x = &a->view.section[s], *y = &b->view.section[s];
        assert_int_equal(x->data == NULL, y->data == NULL);
        assert_int_equal(x->count, y->count);
        if (s == BONSAI_SECTION_BASIS_COLUMNS)
            for (int64_t i = 0; i < x->count; i++)
                assert_int_equal(column_at(x, i), column_at(y, i));
        else
            assert_memory_equal(x->data, y->data, (size_t)x->count * bonsai_type_bytes(x->type));
    }
}

static void same_bytes(const char *first, const char *second)
{
    size_t len[2];
    uint8_t *file[2] = {read_file(first, &len[0]), read_file(second, &len[1])};
    assert_int_equal(len[0], len[1]);
    assert_memory_equal(file[0], file[1], len[0]);
    free(file[0]);
    free(file[1]);
}

/* The types that a file of this graph has. */
static void check_types(const char *path, const shape *k)
{
    size_t len;
    uint8_t *file = read_file(path, &len);
    int64_t list = k->q * (k->f <= 65536 ? 2 : 4), bits = (k->f + 7) / 8;
    assert_int_equal(number(file + 10, 2), 4);
    assert_int_equal(number(entry_of(file, 25) + 4, 4), k->squares ? BONSAI_TYPE_S4 : BONSAI_TYPE_I8);
    assert_int_equal(number(entry_of(file, 28) + 4, 4), BONSAI_TYPE_I8);
    if (k->q < k->f) {
        const uint8_t *e = entry_of(file, 27);
        assert_int_equal(number(e + 4, 4), bits < list        ? BONSAI_TYPE_U8
                                           : k->f <= 65536 ? BONSAI_TYPE_U16
                                                           : BONSAI_TYPE_U32);
        assert_int_equal(number(e + 16, 8), bits < list ? bits : k->q);
    }
    for (uint64_t i = 0; i < number(file + 24, 4); i++)         /* no decoded feature is written */
        assert_false(number(file + 64 + 32 * i, 4) >= 4 && number(file + 64 + 32 * i, 4) <= 8);
    free(file);
}

static void saving_and_loading_keeps_the_basis_and_every_byte(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES - 2; i++) {
        bonsai_graph *g = mixed_graph(&shapes[i], (uint64_t)i), *back;
        const char *path = temp_path("basis.bonsai"), *second = temp_path("basis2.bonsai");
        float *x = oracle_rows(g, &shapes[i]);
        int equal = 0;
        if (basis_bytes(&shapes[i]) >= oracle_feature_bytes(x, shapes[i].n, shapes[i].f))
            fail_msg("shape %d is smaller without its basis", i);
        assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
        check_types(path, &shapes[i]);
        back = loaded(path);
        same_rows(back, x);
        same_basis(g, back);
        assert_int_equal(bonsai_graph_equal(&equal, g, back), BONSAI_OK);
        assert_true(equal);
        assert_int_equal(bonsai_graph_save(NULL, back, second, NULL), BONSAI_OK);
        same_bytes(path, second);
        free(x);
        bonsai_graph_free(back);
        bonsai_graph_free(g);
    }
}

static void other_encodings_write_the_rows_alone(void **state)
{
    (void)state;
    static const bonsai_encoding how[] = {BONSAI_ENCODING_F32, BONSAI_ENCODING_SPARSE_F32,
                                          BONSAI_ENCODING_KEEP};
    for (int i = 0; i < 6; i++) {
        const shape *k = &shapes[i / 3 ? 3 : 0];
        bonsai_graph *g = mixed_graph(k, 5), *back;
        const char *path = temp_path("rows.bonsai");
        float *x = oracle_rows(g, k);
        bonsai_write_options o;
        bonsai_write_options_init(&o);
        o.features = how[i % 3];
        assert_int_equal(bonsai_graph_save(NULL, g, path, &o), BONSAI_OK);
        back = loaded(path);
        assert_false(has_basis(back));
        same_rows(back, x);
        free(x);
        bonsai_graph_free(back);
        bonsai_graph_free(g);
    }
}

/* ---- other graphs made of it ---- */

static const shape two_kinds[] = {{12, 30, 2, 30, true, true}, {12, 300, 2, 20, true, true}};

static void a_graph_whose_features_changed_has_no_basis(void **state)
{
    (void)state;
    static const int32_t nodes[] = {3, 1, 7}, kept[] = {0, 14, 29};
    for (int i = 0; i < 2; i++) {
        bonsai_graph *g = mixed_graph(&two_kinds[i], 7), *out[4];
        assert_true(has_basis(g));
        assert_int_equal(bonsai_graph_induce(&out[0], g, nodes, 3), BONSAI_OK);
        assert_int_equal(bonsai_graph_normalise(&out[1], g), BONSAI_OK);
        assert_int_equal(bonsai_graph_standardise(&out[2], g, NULL), BONSAI_OK);
        assert_int_equal(bn_graph_columns(&out[3], g, kept, 3), BONSAI_OK);
        for (int j = 0; j < 4; j++) {
            assert_non_null(out[j]);
            assert_false(has_basis(out[j]));
            assert_int_equal(bonsai_graph_verify(out[j]), BONSAI_OK);
            bonsai_graph_free(out[j]);
        }
        bonsai_graph_free(g);
    }
}

static void a_subgraph_has_the_rows_of_its_nodes(void **state)
{
    (void)state;
    static const int32_t nodes[] = {3, 1, 7};
    bonsai_graph *g = mixed_graph(&two_kinds[1], 7), *out;
    float *x = oracle_rows(g, &two_kinds[1]), row[300];
    assert_int_equal(bonsai_graph_induce(&out, g, nodes, 3), BONSAI_OK);
    for (int v = 0; v < 3; v++) {
        bonsai_graph_row(row, out, v);
        assert_memory_equal(row, x + 300 * nodes[v], sizeof row);
    }
    free(x);
    bonsai_graph_free(out);
    bonsai_graph_free(g);
}

static void another_split_keeps_the_basis(void **state)
{
    (void)state;
    static const double percent[] = {60, 20, 20};
    for (int i = 0; i < 2; i++) {
        bonsai_graph *g = mixed_graph(&two_kinds[i], 8), *out;
        assert_int_equal(bonsai_graph_split(&out, g, percent, 1), BONSAI_OK);
        same_basis(g, out);
        float *x = oracle_rows(g, &two_kinds[i]);
        bonsai_graph_free(g);
        const char *path = temp_path("split.bonsai");
        assert_int_equal(bonsai_graph_save(NULL, out, path, NULL), BONSAI_OK);
        g = loaded(path);
        assert_true(has_basis(g));
        same_rows(g, x);
        free(x);
        bonsai_graph_free(g);
        bonsai_graph_free(out);
    }
}

static void a_basis_in_the_view_of_a_caller_is_ignored(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        bonsai_graph *g = mixed_graph(&two_kinds[i], 9), *out;
        float *x = oracle_rows(g, &two_kinds[i]);
        bonsai_view v = *bonsai_graph_view(g);
        int8_t lie[2 * 30] = {1};
        v.section[BONSAI_SECTION_BASIS].data = lie;
        v.section[BONSAI_SECTION_COORDINATES].count = -5;
        for (int copy = 0; copy < 2; copy++) {
            assert_int_equal(bonsai_graph_new(&out, &v, copy), BONSAI_OK);
            assert_false(has_basis(out));
            same_rows(out, x);
            bonsai_graph_free(out);
        }
        for (int s = BONSAI_SECTION_OFFSETS; s <= BONSAI_SECTION_EDGE_WEIGHTS; s++)
            v.section[s] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
        assert_int_equal(bonsai_graph_build(&out, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
        assert_false(has_basis(out));
        same_rows(out, x);
        bonsai_graph_free(out);
        free(x);
        bonsai_graph_free(g);
    }
}

/* ---- files that lie ---- */

typedef struct {
    uint32_t id, type;
    uint64_t count;
    const void *data;
} part;

typedef struct {
    const char *text;           /* what is said of it; NULL: it is right */
    uint64_t n, f;              /* 0: those of the right file */
    uint32_t drop[3];
    part     change[3];         /* instead of a section of this number, or besides */
} lie;

static const uint32_t offsets[4];
static const uint8_t zeros[1 << 16];
static const uint8_t codes[] = {0x21, 0xf3, 0x00, 0x71, 0x9e};  /* 1 2 3 -1 0; 0 1 7 -2 -7 */
static const uint8_t bits[] = {0x81, 0x02, 0x0c};               /* 0 7 9 18 19 */
static const int8_t coordinates[] = {1, 0, 0, 2, -1, 1};
static const float basis_scale[] = {1, 0.5f}, scale[] = {1, 2, 4};
static const part right[] = {{1, BONSAI_TYPE_U32, 4, offsets}, {2, BONSAI_TYPE_U32, 0, zeros},
                             {25, BONSAI_TYPE_S4, 10, codes}, {26, BONSAI_TYPE_F32, 2, basis_scale},
                             {27, BONSAI_TYPE_U8, 3, bits}, {28, BONSAI_TYPE_I8, 6, coordinates},
                             {29, BONSAI_TYPE_F32, 3, scale}};

/* The section of this number in a file; id 0: it has none. */
static part part_of(const lie *l, uint32_t id)
{
    for (int i = 0; i < 3; i++) {
        if (l->drop[i] == id)
            return (part){0};
        if (l->change[i].id == id)
            return l->change[i];
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        if (right[i].id == id)
            return right[i];
    return (part){0};
}

static size_t bytes_of(const part *p)
{
    static const size_t halves[] = {0, 2, 4, 8, 16, 2, 4, 8, 1, 1};
    return (size_t)(p->count * halves[p->type] + 1) / 2;
}

/* The bytes of a file; free() them. */
static uint8_t *compose(size_t *len, const lie *l)
{
    uint8_t *file = calloc(1 << 20, 1);
    uint64_t count = 0;
    for (uint32_t id = 1; id < 40; id++)
        count += part_of(l, id).id != 0;
    size_t head = 64 + 32 * (size_t)count, at = head;
    uint8_t *e = file + 64;
    for (uint32_t id = 1; id < 40; id++) {
        part p = part_of(l, id);
        if (!p.id)
            continue;
        at = (at + 63) / 64 * 64;
        memcpy(file + at, p.data, bytes_of(&p));
        put(e, id, 4);
        put(e + 4, p.type, 4);
        put(e + 8, at, 8);
        put(e + 16, p.count, 8);
        put(e + 24, oracle_crc(file + at, (int64_t)bytes_of(&p)), 4);
        at += bytes_of(&p);
        e += 32;
    }
    memcpy(file, "\x89" "BONSAI\n\1\0\4\0\1", 13);
    put(file + 16, at, 8);
    put(file + 24, count, 4);
    put(file + 32, l->n ? l->n : 3, 8);
    put(file + 40, l->f ? l->f : 20, 8);
    put(file + 28, oracle_crc(file, (int64_t)head), 4);
    *len = at;
    return file;
}

static bonsai_status load_bytes(bonsai_graph **out, const uint8_t *file, size_t len)
{
    const char *path = temp_path("composed.bonsai");
    *out = NULL;
    unlink(path);
    write_file(path, file, len);
    bonsai_status rc = bonsai_graph_load(out, path);
    return rc == BONSAI_OK ? bonsai_graph_verify(*out) : rc;
}

static bonsai_status load_lie(bonsai_graph **out, const lie *l)
{
    size_t len;
    uint8_t *file = compose(&len, l);
    bonsai_status rc = load_bytes(out, file, len);
    free(file);
    return rc;
}

static void a_file_made_by_the_page_has_the_rows_of_the_page(void **state)
{
    (void)state;
    static const float rows[3][20] = {
        {[0] = 1, [7] = 4, [9] = 9, [18] = -1},
        {[7] = 2, [9] = 98, [18] = -8, [19] = -98},
        {[0] = -4, [7] = -14, [9] = 62, [18] = -4, [19] = -98},
    };
    static const uint16_t list[] = {0, 7, 9, 18, 19};
    const lie files[] = {{.n = 3}, {.change = {{27, BONSAI_TYPE_U16, 5, list}}}};
    for (int i = 0; i < 2; i++) {
        bonsai_graph *g;
        if (load_lie(&g, &files[i]) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        same_rows(g, rows[0]);
        bonsai_graph_free(g);
    }
}

static void refuse_all(const lie *list, size_t count)
{
    const int64_t before = bn_mem_live();
    for (size_t i = 0; i < count; i++) {
        bonsai_graph *g;
        bonsai_status rc = load_lie(&g, &list[i]);
        if (rc == BONSAI_OK || !strstr(bonsai_error(), list[i].text))
            fail_msg("wanted \"%s\", got %s", list[i].text, rc ? bonsai_error() : "a graph");
        assert_int_equal(rc, BONSAI_E_FORMAT);
        bonsai_graph_free(g);
    }
    assert_int_equal(bn_mem_live(), before);
}

static void sections_that_do_not_belong_together_are_refused(void **state)
{
    (void)state;
    static const lie list[] = {
        {.text = "has features and coordinates", .change = {{4, BONSAI_TYPE_F32, 60, zeros}}},
        {.text = "has features and coordinates",
         .change = {{5, BONSAI_TYPE_U32, 4, zeros}, {6, BONSAI_TYPE_U16, 0, zeros}}},
        {.text = "has \"basis columns\" but not \"basis\"", .drop = {25}},
        {.text = "has \"coordinate scale\" but not \"basis\"", .drop = {25, 27}},
        {.text = "has \"basis scale\" but not \"coordinates\"", .drop = {28}},
        {.text = "has \"coordinates\" but not \"coordinate scale\"", .drop = {29}},
    };
    refuse_all(list, sizeof list / sizeof *list);
    static const lie none[] = {         /* of how many directions, nobody says */
        {.text = "basis", .drop = {26}},
        {.text = "basis", .drop = {25, 26, 27}},
    };
    refuse_all(none, 2);
}

static void wrong_counts_of_a_basis_are_refused(void **state)
{
    (void)state;
    static const lie list[] = {
        {.text = "a basis of 0 directions; the number must be in 1..65536",
         .change = {{26, BONSAI_TYPE_F32, 0, zeros}, {28, BONSAI_TYPE_I8, 0, zeros}}},
        {.text = "21 columns of a basis; the number must be in 0..20",
         .change = {{25, BONSAI_TYPE_S4, 42, zeros}}},
        {.text = "a basis of 5 columns is implausible for 134217728 nodes: decoded they would be "
                 "more than 268435456 numbers", .n = 1 << 27},
        {.text = "basis: 11 elements where 10 are needed",
         .change = {{25, BONSAI_TYPE_S4, 11, zeros}}},
        {.text = "basis: 10 elements where 40 are needed", .drop = {27}},
        {.text = "basis columns: 4 elements where 3 are needed",
         .change = {{27, BONSAI_TYPE_U8, 4, zeros}}},
        {.text = "basis columns: 4 elements where 5 are needed",
         .change = {{27, BONSAI_TYPE_U16, 4, zeros}}},
        {.text = "coordinates: 5 elements where 6 are needed",
         .change = {{28, BONSAI_TYPE_I8, 5, zeros}}},
        {.text = "coordinate scale: 2 elements where 3 are needed",
         .change = {{29, BONSAI_TYPE_F32, 2, scale}}},
        {.text = "basis: type f32 (7) is not allowed here; allowed: i8, s4",
         .change = {{25, BONSAI_TYPE_F32, 10, zeros}}},
        {.text = "coordinates: type s4 (9) is not allowed here; allowed: i8",
         .change = {{28, BONSAI_TYPE_S4, 6, zeros}}},
        {.text = "basis columns: type u64 (4) is not allowed here; allowed: u8, u16, u32",
         .change = {{27, BONSAI_TYPE_U64, 5, zeros}}},
    };
    refuse_all(list, sizeof list / sizeof *list);
}

static void too_many_directions_are_refused(void **state)
{
    (void)state;
    float *many = calloc((1 << 16) + 1, sizeof *many);
    const lie list[] = {{.text = "a basis of 65537 directions; the number must be in 1..65536",
                         .change = {{26, BONSAI_TYPE_F32, (1 << 16) + 1, many}}}};
    refuse_all(list, 1);
    free(many);
}

static void wrong_elements_of_a_basis_are_refused(void **state)
{
    (void)state;
    static const uint8_t beyond[] = {0x81, 0x02, 0x14}, four[] = {0x81, 0x02, 0x08},
                         first[] = {0x28, 0xf3, 0, 0, 0}, last[] = {0x21, 0xf3, 0, 0, 0x80},
                         behind[] = {0x21, 0xf3, 0x10};
    static const uint16_t high[] = {0, 7, 9, 18, 20}, twice[] = {0, 7, 7, 18, 19};
    static const float nan_scale[] = {1, NAN}, infinite[] = {INFINITY, 1, 1},
                       huge[] = {1e30f, 1e30f}, large[] = {1e30f, 1e30f, 1e30f};
    static const lie list[] = {
        {.text = "basis columns: bit 20 is set, but there are 20 features",
         .change = {{27, BONSAI_TYPE_U8, 3, beyond}}},
        {.text = "basis columns: 4 bits are set where 5 are needed",
         .change = {{27, BONSAI_TYPE_U8, 3, four}}},
        {.text = "basis columns: entry 4 is 20, outside 0..19",
         .change = {{27, BONSAI_TYPE_U16, 5, high}}},
        {.text = "basis columns: entry 2 is 7, out of order",
         .change = {{27, BONSAI_TYPE_U16, 5, twice}}},
        {.text = "basis: entry 0 is -8, outside -7..7", .change = {{25, BONSAI_TYPE_S4, 10, first}}},
        {.text = "basis: entry 9 is -8, outside -7..7", .change = {{25, BONSAI_TYPE_S4, 10, last}}},
        {.text = "basis: the half byte behind the last entry is not 0",
         .change = {{25, BONSAI_TYPE_S4, 5, behind}, {26, BONSAI_TYPE_F32, 1, basis_scale},
                    {28, BONSAI_TYPE_I8, 3, coordinates}}},
        {.text = "basis scale: entry 1 is nan, which is not finite",
         .change = {{26, BONSAI_TYPE_F32, 2, nan_scale}}},
        {.text = "coordinate scale: entry 0 is inf, which is not finite",
         .change = {{29, BONSAI_TYPE_F32, 3, infinite}}},
        {.text = "feature values: entry 0 is inf, which is not finite",
         .change = {{26, BONSAI_TYPE_F32, 2, huge}, {29, BONSAI_TYPE_F32, 3, large}}},
        {.text = "features: entry 0 is inf, which is not finite", .f = 5, .drop = {27},
         .change = {{26, BONSAI_TYPE_F32, 2, huge}, {29, BONSAI_TYPE_F32, 3, large}}},
    };
    refuse_all(list, sizeof list / sizeof *list);
}

static void every_flipped_bit_is_detected(void **state)
{
    (void)state;
    size_t len;
    const lie none = {.n = 3};
    uint8_t *file = compose(&len, &none);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        bonsai_graph *g;
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(load_bytes(&g, file, len), BONSAI_E_FORMAT);
        bonsai_graph_free(g);
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(file);
}

/* ---- memory ---- */

static bonsai_status load_it(void *payload)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_graph_load(&g, payload);
    bonsai_graph_free(g);
    return rc;
}

static bonsai_status save_it(void *payload)
{
    return bonsai_graph_save(NULL, payload, temp_path("no.bonsai"), NULL);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        char path[256];
        bonsai_graph *g = mixed_graph(&shapes[i], 2);
        snprintf(path, sizeof path, "%s", temp_path("memory.bonsai"));
        assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
        survives_failed_allocations(load_it, path, 5);
        survives_failed_allocations(save_it, g, 4);
        bonsai_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoded_rows_are_those_of_plain_loops),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(the_size_counts_the_basis_or_the_rows_whichever_is_smaller),
        cmocka_unit_test(saving_and_loading_keeps_the_basis_and_every_byte),
        cmocka_unit_test(other_encodings_write_the_rows_alone),
        cmocka_unit_test(a_graph_whose_features_changed_has_no_basis),
        cmocka_unit_test(a_subgraph_has_the_rows_of_its_nodes),
        cmocka_unit_test(another_split_keeps_the_basis),
        cmocka_unit_test(a_basis_in_the_view_of_a_caller_is_ignored),
        cmocka_unit_test(a_file_made_by_the_page_has_the_rows_of_the_page),
        cmocka_unit_test(sections_that_do_not_belong_together_are_refused),
        cmocka_unit_test(wrong_counts_of_a_basis_are_refused),
        cmocka_unit_test(too_many_directions_are_refused),
        cmocka_unit_test(wrong_elements_of_a_basis_are_refused),
        cmocka_unit_test(every_flipped_bit_is_detected),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
