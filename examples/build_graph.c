/* build_graph.c -- makes a graph of a program's own arrays, condenses it, and reads what the small
 * graph's nodes stand for.
 *
 * The arrays are laid out as PyTorch Geometric and OGB have them: edge_index [2, m] of 64-bit
 * numbers, x [n, f] of floats, y [n].  Two communities of different size, with one feature each and
 * a noisy third one.
 *
 *     cc build_graph.c -o build_graph $(pkg-config --cflags --libs bonsai)
 *
 * SPDX-License-Identifier: MIT */
#include <bonsai.h>

#include <stdio.h>

enum { NODES = 60, FEATURES = 3, CLASSES = 2, EDGES = 3 * NODES };

typedef struct {
    int64_t edge_index[2][EDGES];
    float   x[NODES][FEATURES];
    uint8_t y[NODES], part[NODES];      /* labels; bonsai_part */
} arrays;

static int community(int node)
{
    return node % 3 == 0;
}

static void fill(arrays *a)
{
    for (int v = 0; v < NODES; v++) {
        const int class_of = community(v);
        a->x[v][class_of] = 1 + (float)(v % 7) / 10;
        a->x[v][2] = (float)(v * 37 % 11) / 11;
        a->y[v] = (uint8_t)class_of;
        a->part[v] = v % 5 < 3 ? BONSAI_PART_TRAIN : v % 5 == 3 ? BONSAI_PART_VAL : BONSAI_PART_TEST;
        for (int i = 0; i < 3; i++) {           /* neighbours of the same class, and one of any */
            a->edge_index[0][3 * v + i] = v;
            a->edge_index[1][3 * v + i] = (v + (i < 2 ? 3 * (i + 1) : 1)) % NODES;
        }
    }
}

/* The library copies what it is given: the arrays may go afterwards. */
static bonsai_status build(bonsai_graph **out, const arrays *a)
{
    static const char names[] = "large\0small";         /* each ended by a zero */
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = NODES;
    v.features = FEATURES;
    v.classes = CLASSES;
    v.section[BONSAI_SECTION_FEATURES] =
        (bonsai_array){a->x, (int64_t)NODES * FEATURES, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){a->y, NODES, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){a->part, NODES, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_CLASS_NAMES] = (bonsai_array){names, sizeof names, BONSAI_TYPE_U8};
    return bonsai_graph_build64(out, &v, EDGES, a->edge_index[0], a->edge_index[1], NULL, NULL);
}

static void show(const bonsai_graph *small)
{
    for (int64_t v = 0; v < bonsai_graph_nodes(small); v++) {
        float share[CLASSES], row[FEATURES];
        int64_t count;
        const int32_t *member = bonsai_graph_members(&count, small, v);
        bonsai_graph_soft_label(share, small, v);
        bonsai_graph_row(row, small, v);
        printf("node %lld: class %s, shares %.2f %.2f, weight %g, nearest to node %lld\n",
               (long long)v, bonsai_graph_class_name(small, bonsai_graph_label(small, v)),
               (double)share[0], (double)share[1], bonsai_graph_weight(small, v),
               (long long)bonsai_graph_origin(small, v));
        printf("  features %.2f %.2f %.2f\n  stands for", (double)row[0], (double)row[1],
               (double)row[2]);
        for (int64_t i = 0; i < count; i++)
            printf(" %d", (int)member[i]);
        printf("\n");
    }
}

int main(void)
{
    static arrays a;
    bonsai_graph *full = NULL, *small = NULL;
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_PROTOTYPES;
    o.nodes = 4;
    o.members = 1;              /* store the nodes that each prototype stands for */
    fill(&a);
    const int failed = build(&full, &a) || bonsai_condense(&small, NULL, full, &o);
    if (failed)
        fprintf(stderr, "build_graph: %s\n", bonsai_error());
    else
        show(small);
    bonsai_graph_free(small);
    bonsai_graph_free(full);
    return failed;
}
