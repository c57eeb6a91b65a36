/* condensing.h -- graphs and options for the tests of condensing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CONDENSING_H
#define BN_CONDENSING_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "condense/condense.h"
#include "nativefile.h"
#include "random_graph.h"

/* How many kinds of random graph there are: features x weights x self loops. */
enum { CASES = 32 };

/* A random graph with labels and a split, n of 12 to 40 nodes; case i of CASES. */
static inline bonsai_graph *case_graph(uint64_t seed)
{
    static const layout kinds[8] = {DENSE_F32, SPARSE_F32, SPARSE_ONES, DENSE_U8,
                                    SPARSE_U8, DENSE_I8, SPARSE_I8, DENSE_F16};
    int with = WITH_LABELS | (seed & 8 ? WITH_WEIGHTS : 0) | (seed & 16 ? WITH_LOOPS : 0);
    int64_t n = 12 + (int64_t)(seed * 7 % 29);
    return random_graph(seed, n, n + (int64_t)(seed * 5 % 60), kinds[seed % 8], with);
}

static inline int64_t labelled_nodes(const bonsai_graph *g)
{
    int64_t count = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        count += bn_label(g, v) >= 0;
    return count;
}

static inline int64_t training_nodes(const bonsai_graph *g)
{
    int64_t count = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        count += bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) >= 0;
    return count;
}

static inline bn_reader *reader_of(const bonsai_graph *g, bonsai_accounting a)
{
    bn_reader *r = NULL;
    if (bn_reader_new(&r, g, a) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return r;
}

static inline double size_in(const bonsai_graph *g, bonsai_accounting a)
{
    double bytes = -1;
    if (bonsai_graph_bytes(&bytes, g, a) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return bytes;
}

/* The same in the encodings of all columns, with or without those of four bits. */
static inline double size_of_all_columns(const bonsai_graph *g, bool four)
{
    bn_sizes sizes;
    bn_coding p;
    double bytes = 0;
    assert_int_equal(bn_graph_sizes(&sizes, g, NULL), BONSAI_OK);
    bn_traits t = four ? sizes.traits : bn_traits_mapped(&sizes.traits);
    t.empty = 0;
    assert_int_equal(bn_coding_of(&p, g, BONSAI_ENCODING_AUTO, &t, NULL), BONSAI_OK);
    for (int s = BONSAI_SECTION_OFFSETS; s <= BONSAI_SECTION_SPLIT; s++)
        bytes += (double)bn_coding_bytes(&p, s);
    assert_true(bytes >= sizes.strict);
    return bytes;
}

/* The size as the price of a set of nodes counts it. */
static inline double priced_in(const bonsai_graph *g, bonsai_accounting a)
{
    return a == BONSAI_ACCOUNTING_STRICT ? size_of_all_columns(g, true) : size_in(g, a);
}

static inline bonsai_graph *condensed(bonsai_condense_info *info, const bonsai_graph *g,
                                      const bonsai_condense_options *o)
{
    bonsai_graph *small = NULL;
    bonsai_condense_info_init(info);
    if (bonsai_condense(&small, info, g, o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return small;
}

/* The bytes of the file that a graph is saved as; free() them. */
static inline uint8_t *saved(size_t *len, const bonsai_graph *g)
{
    const char *path = temp_path("saved.bonsai");
    if (bonsai_graph_save(NULL, g, path, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return read_file(path, len);
}

static inline void assert_same_file(const bonsai_graph *a, const bonsai_graph *b)
{
    size_t m, n;
    uint8_t *x = saved(&m, a), *y = saved(&n, b);
    assert_int_equal(m, n);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

/* The length of the counted sections in a native file. */
static inline double counted_in_file(const bonsai_graph *g)
{
    static const int half_bytes[] = {0, 2, 4, 8, 16, 2, 4, 8, 1, 1};
    size_t len;
    uint8_t *file = saved(&len, g);
    double sum = 0;
    for (uint64_t i = 0; i < number(file + 24, 4); i++) {
        const uint8_t *entry = file + 64 + 32 * i;
        uint64_t halves = number(entry + 16, 8) * (uint64_t)half_bytes[number(entry + 4, 4)];
        const uint64_t section = number(entry, 4);
        if (section <= 12 || section == 23 || (section >= 25 && section <= 29))
            sum += (double)((halves + 1) / 2);
    }
    free(file);
    return sum;
}

/* The same graph with dense features made sparse, or the reverse. */
static inline bonsai_graph *laid_out(const bonsai_graph *g, bool dense)
{
    static float x[64 * 16];
    static uint32_t index[64 * 16];
    uint32_t offsets[65] = {0};
    bonsai_graph *out = NULL;
    bonsai_view v = g->view;
    int64_t n = v.nodes, f = v.features, nnz = 0;
    for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_SCALE; s++)
        v.section[s] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    for (int64_t i = 0; i < n; i++) {
        float row[16];
        bonsai_graph_row(row, g, i);
        for (int64_t j = 0; j < f; j++) {
            if (dense)
                x[i * f + j] = row[j];
            else if (row[j] != 0 || signbit(row[j])) {
                index[nnz] = (uint32_t)j;
                x[nnz++] = row[j];
            }
        }
        offsets[i + 1] = (uint32_t)nnz;
    }
    if (dense) {
        v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, n * f, BONSAI_TYPE_F32};
    } else {
        v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, n + 1, BONSAI_TYPE_U32};
        v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){index, nnz, BONSAI_TYPE_U32};
        v.section[BONSAI_SECTION_FEATURE_VALUES] = (bonsai_array){x, nnz, BONSAI_TYPE_F32};
    }
    if (bonsai_graph_new(&out, &v, 1) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return out;
}

static inline bonsai_status try_with(const bonsai_graph *g, const bonsai_condense_options *o)
{
    bonsai_graph *small = NULL;
    bonsai_status rc = bonsai_condense(&small, NULL, g, o);
    assert_true((rc == BONSAI_OK) == (small != NULL));
    bonsai_graph_free(small);
    return rc;
}

/* The error for a budget of one byte names the least budget; that budget must work. */
static inline void assert_names_the_least(const bonsai_graph *g, bonsai_condense_options o)
{
    long least = 0;
    o.bytes = 1;
    assert_fails(try_with(g, &o), BONSAI_E_ARGUMENT, "of one node, takes ");
    sscanf(strstr(bonsai_error(), "takes "), "takes %ld", &least);
    o.bytes = least - 1;
    assert_fails(try_with(g, &o), BONSAI_E_ARGUMENT, "is too small");
    o.bytes = least;
    if (try_with(g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
}

/* Counts the nodes of a class that may be condensed. */
static inline int64_t in_class(const bonsai_graph *g, int64_t c)
{
    int64_t count = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        count += bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) == c;
    return count;
}

#endif
