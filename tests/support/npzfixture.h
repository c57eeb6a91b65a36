/* npzfixture.h -- small archives shared by the tests of NumPy archives.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_NPZFIXTURE_H
#define BN_NPZFIXTURE_H

#include "testing.h"

#include "npzmake.h"

static npz_maker made;

static inline void make(void)
{
    made.len = 0;
    made.members = 0;
}

static inline const char *save_as(const char *name)
{
    const char *path = temp_path(name);
    npz_finish(&made);
    write_file(path, made.data, made.len);
    return path;
}

/* On one thread, because these graphs are small and many. */
static inline bonsai_status load_small(bonsai_graph **out, const char *path)
{
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    return bonsai_graph_read(out, path, &o);
}

static inline bonsai_graph *load(const char *path)
{
    bonsai_graph *g;
    if (load_small(&g, path) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static const int64_t five_edges[2][5] = {{0, 1, 2, 3, 0}, {1, 2, 3, 0, 1}};
static const float four_x[4][3] = {{1, 0, 0.5f}, {0, 2, 0}, {0, 0, -3}, {1, 1, 1}};
static const int64_t four_y[4] = {0, 1, -1, 1};

static inline void add_edges(void)
{
    npz_array(&made, "edge_index", "'<i8', C, (2, 5)", five_edges, sizeof five_edges);
}

static inline void add_x(void)
{
    npz_array(&made, "x", "'<f4', C, (4, 3)", four_x, sizeof four_x);
}

static inline void add_y(void)
{
    npz_array(&made, "y", "'<i8', C, (4,)", four_y, sizeof four_y);
}

/* The graph of five_edges and four_x: a ring of four. */
static inline void assert_ring(const bonsai_graph *g, bool features)
{
    static const uint32_t ring[] = {1, 3, 0, 2, 1, 3, 0, 2};
    float row[3];
    assert_int_equal(bonsai_graph_nodes(g), 4);
    assert_int_equal(bonsai_graph_edges(g), 8);
    assert_memory_equal(bonsai_graph_view(g)->section[BONSAI_SECTION_NEIGHBORS].data, ring,
                        sizeof ring);
    for (int v = 0; features && v < 4; v++) {
        bonsai_graph_row(row, g, v);
        assert_memory_equal(row, four_x[v], sizeof row);
    }
}

static inline void add_adjacency(float first)
{
    const float ones[] = {first, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t ring[] = {1, 3, 0, 2, 1, 3, 0, 2}, indptr[] = {0, 2, 4, 6, 8};
    static const int64_t shape[] = {4, 4};
    npz_array(&made, "adj_data", "'<f4', C, (8,)", ones, sizeof ones);
    npz_array(&made, "adj_indices", "'<i4', C, (8,)", ring, sizeof ring);
    npz_array(&made, "adj_indptr", "'<i4', C, (5,)", indptr, sizeof indptr);
    npz_array(&made, "adj_shape", "'<i8', C, (2,)", shape, sizeof shape);
}

#endif
