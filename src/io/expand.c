/* expand.c -- features of a native file that cannot be used as they lie there: values of four bits,
 * dense rows that hold only some of the columns, and rows that are mixtures of a basis.
 *
 * They are read and checked when the file is opened, and the graph gets arrays of its own: bytes
 * instead of half bytes, and instead of dense rows of some columns either sparse rows or dense ones
 * of all columns, whichever takes less memory.  That is at most some ten bytes for each one of the
 * file, and nobody else knows of these encodings.  A basis stands for more numbers, up to
 * bn_most_decoded, and stays beside the features, so that the graph can be written as it was.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "container.h"

typedef struct {                /* rows of a file, with values of at least eight bits */
    const uint8_t *x;           /* n * columns values */
    uint8_t *own;               /* the same, if they had four bits; else NULL */
    bonsai_type type;
    int64_t width;              /* bytes of a value */
    int64_t n, f, columns;      /* columns that are stored */
    bonsai_array column;        /* their numbers; data NULL: all */
    int64_t nnz, *before;       /* values that are not zero: all, and those before each row (n+1) */
    int threads;
} rows_of_file;

/* ---- half bytes ---- */

/* Compares the checksum of a section as it lies in the file, and checks its elements. */
static bonsai_status check_stored(const bonsai_graph *g, bonsai_section s, int threads)
{
    bonsai_view stored = g->view;
    bonsai_array *a = &stored.section[s];
    if (bn_four_bits(a->type))
        *a = (bonsai_array){a->data, a->count / 2 + a->count % 2, BONSAI_TYPE_U8};
    return bn_section_verify(&stored, s, g->where, &g->crc[s], &(bn_place){.threads = threads});
}

/* Sets out (count) to the numbers of a section of four bits, whose checksum is right. */
static bonsai_status open_halves(uint8_t *out, const bonsai_graph *g, bonsai_section s, int threads)
{
    enum { PIECE = 1 << 16 };   /* an even number of codes */
    const bonsai_array *a = &g->view.section[s];
    const uint8_t *data = a->data;
    const int64_t pieces = (a->count + PIECE - 1) / PIECE;
    int64_t bad = a->count;
#pragma omp parallel for num_threads(bn_team(threads, (double)a->count)) schedule(static) \
    reduction(min:bad)
    for (int64_t i = 0; i < pieces; i++) {
        int64_t from = i * PIECE, count = bn_least(PIECE, a->count - from);
        int64_t at = bn_halves_open(out + from, data + from / 2, count, a->type);
        bad = at < count && from + at < bad ? from + at : bad;
    }
    if (bad < a->count)
        return bn_fail_at(BONSAI_E_FORMAT, g->where, "%s: entry %lld is -8, outside -7..7",
                          bonsai_section_text(s), (long long)bad);
    if (a->count % 2 && data[a->count / 2] >> 4 != 0)
        return bn_fail_at(BONSAI_E_FORMAT, g->where, "%s: the half byte behind the last entry is "
                          "not 0", bonsai_section_text(s));
    return BONSAI_OK;
}

static bonsai_type opened(bonsai_type t)
{
    return t == BONSAI_TYPE_Q4 ? BONSAI_TYPE_U8 : t == BONSAI_TYPE_S4 ? BONSAI_TYPE_I8 : t;
}

/* Gives the graph an array of bytes for a section of four bits. */
static bonsai_status own_numbers(bonsai_graph *g, bonsai_section s, int threads)
{
    bonsai_status rc;
    const bonsai_array a = g->view.section[s];
    uint8_t *numbers = NULL;
    BN_TRY(BN_NEW(&numbers, a.count));
    BN_TRY(open_halves(numbers, g, s, threads));
    g->owned[s] = numbers;
    g->view.section[s] = (bonsai_array){numbers, a.count, opened(a.type)};
    numbers = NULL;
done:
    bn_free(numbers);
    return rc;
}

static bonsai_status expand_values(bonsai_graph *g, int threads)
{
    bonsai_status rc;
    BN_TRY(check_stored(g, BONSAI_SECTION_FEATURE_VALUES, threads));
    BN_TRY(own_numbers(g, BONSAI_SECTION_FEATURE_VALUES, threads));
    atomic_store(&g->verified[BONSAI_SECTION_FEATURE_VALUES], 1);
done:
    return rc;
}

/* ---- rows ---- */

static bool is_zero(const rows_of_file *r, int64_t i)
{
    uint32_t bits = 0;
    memcpy(&bits, r->x + i * r->width, (size_t)r->width);
    return bits == 0;
}

static int64_t column_of(const rows_of_file *r, int64_t j)
{
    return r->column.data ? bn_int_at(&r->column, j) : j;
}

static bonsai_status read_rows(rows_of_file *r, const bonsai_graph *g)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_array *x = &g->view.section[BONSAI_SECTION_FEATURES];
    if (r->column.data)
        BN_TRY(check_stored(g, BONSAI_SECTION_FEATURE_COLUMNS, r->threads));
    BN_TRY(check_stored(g, BONSAI_SECTION_FEATURES, r->threads));
    r->x = x->data;
    if (bn_four_bits(x->type)) {
        BN_TRY(BN_NEW(&r->own, x->count));
        BN_TRY(open_halves(r->own, g, BONSAI_SECTION_FEATURES, r->threads));
        r->x = r->own;
    }
done:
    return rc;
}

static bonsai_status count_values(rows_of_file *r)
{
    bonsai_status rc = BN_NEW(&r->before, r->n + 1);
    if (rc != BONSAI_OK)
        return rc;
#pragma omp parallel for num_threads(bn_team(r->threads, (double)(r->n * r->columns))) \
    schedule(static)
    for (int64_t v = 0; v < r->n; v++)
        for (int64_t j = 0; j < r->columns; j++)
            r->before[v + 1] += !is_zero(r, v * r->columns + j);
    for (int64_t v = 0; v < r->n; v++)
        r->before[v + 1] += r->before[v];
    r->nnz = r->before[r->n];
    return BONSAI_OK;
}

/* Returns whether dense rows of all columns take no more memory than sparse ones. */
static bool is_dense(const rows_of_file *r)
{
    int64_t dense, item = (r->f <= 65536 ? 2 : 4) + (r->width == 1 ? 1 : 4);
    if (!bn_mul(&dense, r->n * r->f, r->width))
        return false;
    return dense <= 8 * (r->n + 1) + r->nnz * item;
}

static bonsai_status fill_dense(bonsai_graph *g, const rows_of_file *r)
{
    uint8_t *to;
    bonsai_status rc = bn_graph_array(&to, g, BONSAI_SECTION_FEATURES, r->type, r->n * r->f);
    if (rc != BONSAI_OK)
        return rc;
#pragma omp parallel for num_threads(bn_team(r->threads, (double)(r->n * r->columns))) \
    schedule(static)
    for (int64_t v = 0; v < r->n; v++)
        for (int64_t j = 0; j < r->columns; j++)
            memcpy(to + (v * r->f + column_of(r, j)) * r->width,
                   r->x + (v * r->columns + j) * r->width, (size_t)r->width);
    return BONSAI_OK;
}

/* Halves become floats, because sparse values have no such type. */
static void put_value(void *to, int64_t at, const rows_of_file *r, int64_t i)
{
    const bonsai_array x = {r->x, r->n * r->columns, r->type};
    if (r->width == 1)
        ((uint8_t *)to)[at] = r->x[i];
    else
        ((float *)to)[at] = bn_real_at(&x, i);
}

static bonsai_status fill_sparse(bonsai_graph *g, const rows_of_file *r)
{
    bonsai_status rc;
    const bool narrow = r->f <= 65536;
    uint64_t *offsets;
    void *index, *value;
    BN_TRY(bn_graph_array(&offsets, g, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, r->n + 1));
    BN_TRY(bn_graph_array(&index, g, BONSAI_SECTION_FEATURE_INDICES,
                          narrow ? BONSAI_TYPE_U16 : BONSAI_TYPE_U32, r->nnz));
    BN_TRY(bn_graph_array(&value, g, BONSAI_SECTION_FEATURE_VALUES,
                          r->width == 1 ? r->type : BONSAI_TYPE_F32, r->nnz));
    memcpy(offsets, r->before, (size_t)(r->n + 1) * sizeof *offsets);
#pragma omp parallel for num_threads(bn_team(r->threads, (double)(r->n * r->columns))) \
    schedule(static)
    for (int64_t v = 0; v < r->n; v++)
        for (int64_t j = 0, at = r->before[v]; j < r->columns; j++) {
            if (is_zero(r, v * r->columns + j))
                continue;
            if (narrow)
                ((uint16_t *)index)[at] = (uint16_t)column_of(r, j);
            else
                ((uint32_t *)index)[at] = (uint32_t)column_of(r, j);
            put_value(value, at++, r, v * r->columns + j);
        }
done:
    return rc;
}

static bonsai_status expand_rows(bonsai_graph *g, int threads)
{
    bonsai_status rc;
    bonsai_array *section = g->view.section;
    const bonsai_array column = section[BONSAI_SECTION_FEATURE_COLUMNS];
    const bonsai_type type = opened(section[BONSAI_SECTION_FEATURES].type);
    rows_of_file r = {.type = type, .width = (int64_t)bonsai_type_bytes(type), .n = g->view.nodes,
                      .f = g->view.features, .column = column, .threads = threads,
                      .columns = column.data ? column.count : g->view.features};
    BN_TRY(read_rows(&r, g));
    BN_TRY(count_values(&r));
    section[BONSAI_SECTION_FEATURES] = section[BONSAI_SECTION_FEATURE_COLUMNS] =
        (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    if (is_dense(&r))
        BN_TRY(fill_dense(g, &r));
    else
        BN_TRY(fill_sparse(g, &r));
    for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_VALUES; s++)
        atomic_store(&g->verified[s], 1);
done:
    bn_free(r.own);
    bn_free(r.before);
    return rc;
}

/* ---- a basis ---- */

/* Turns a bit for each feature into a list of columns. */
static bonsai_status list_columns(bonsai_graph *g)
{
    const bonsai_section s = BONSAI_SECTION_BASIS_COLUMNS;
    const bonsai_array a = g->view.section[s];
    const uint8_t *bits = a.data;
    const int64_t columns = bn_basis_columns(&g->view);
    int64_t count = 0;
    uint32_t *to;
    for (int64_t j = 0; j < 8 * a.count; j++)
        count += bits[j / 8] >> j % 8 & 1;
    for (int64_t j = g->view.features; j < 8 * a.count; j++)
        if (bits[j / 8] >> j % 8 & 1)
            return bn_fail_at(BONSAI_E_FORMAT, g->where, "%s: bit %lld is set, but there are %lld "
                              "features", bonsai_section_text(s), (long long)j,
                              (long long)g->view.features);
    if (count != columns)
        return bn_fail_at(BONSAI_E_FORMAT, g->where, "%s: %lld bits are set where %lld are needed",
                          bonsai_section_text(s), (long long)count, (long long)columns);
    bonsai_status rc = bn_graph_array(&to, g, s, BONSAI_TYPE_U32, columns);
    for (int64_t j = 0, at = 0; rc == BONSAI_OK && j < g->view.features; j++)
        if (bits[j / 8] >> j % 8 & 1)
            to[at++] = (uint32_t)j;
    return rc;
}

static bonsai_status expand_factors(bonsai_graph *g, int threads)
{
    bonsai_status rc = BONSAI_OK;
    for (int s = BONSAI_SECTION_BASIS; s <= BONSAI_SECTION_COORDINATE_SCALE; s++)
        if (bn_has(g, s)) {
            BN_TRY(check_stored(g, (bonsai_section)s, threads));
            atomic_store(&g->verified[s], 1);
        }
    if (bn_four_bits(g->view.section[BONSAI_SECTION_BASIS].type))
        BN_TRY(own_numbers(g, BONSAI_SECTION_BASIS, threads));
    if (g->view.section[BONSAI_SECTION_BASIS_COLUMNS].type == BONSAI_TYPE_U8)
        BN_TRY(list_columns(g));
    BN_TRY(bn_factors_decode(g, threads));
done:
    return rc;
}

bonsai_status bn_expand(bonsai_graph *g, int threads)
{
    const bonsai_array *section = g->view.section;
    if (section[BONSAI_SECTION_COORDINATES].data)
        return expand_factors(g, bn_threads(threads));
    if (section[BONSAI_SECTION_FEATURE_COLUMNS].data ||
        bn_four_bits(section[BONSAI_SECTION_FEATURES].type))
        return expand_rows(g, bn_threads(threads));
    if (bn_four_bits(section[BONSAI_SECTION_FEATURE_VALUES].type))
        return expand_values(g, bn_threads(threads));
    return BONSAI_OK;
}
