/* nearest.c -- the original nodes that a node of a condensed graph stands for.
 *
 * A prototype is a mean of embeddings, so that the nodes behind it are those whose
 * embeddings lie nearest to its features.  They are embedded again: O(L m) times the
 * non-zeros of a row.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "condense.h"
#include "record.h"

typedef struct {
    int32_t node;
    double  distance;
} neighbour;

static int nearest_first(const void *a, const void *b)
{
    const neighbour *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static bonsai_status list_members(int32_t **out, int64_t *count, const bonsai_graph *small,
                                  int64_t node, const bonsai_graph *full)
{
    const bonsai_array *offsets = &small->view.section[BONSAI_SECTION_MEMBER_OFFSETS];
    const uint32_t *member = small->view.section[BONSAI_SECTION_MEMBERS].data;
    int64_t at = bn_int_at(offsets, node), end = bn_int_at(offsets, node + 1);
    bonsai_status rc = BN_NEW(out, end - at);
    for (*count = 0; rc == BONSAI_OK && at < end; at++) {
        if (member[at] >= (uint64_t)full->view.nodes)
            return bn_fail(BONSAI_E_ARGUMENT, "%s: node %lld stands for node %u, which %s has not",
                           small->where, (long long)node, (unsigned)member[at], full->where);
        (*out)[(*count)++] = (int32_t)member[at];
    }
    return rc;
}

static bonsai_status list_class(int32_t **out, int64_t *count, const bonsai_graph *full,
                                int32_t label)
{
    bonsai_status rc = BN_NEW(out, full->view.nodes);
    *count = 0;
    for (int64_t v = 0; rc == BONSAI_OK && v < full->view.nodes; v++)
        if (bn_part(full, v) == BONSAI_PART_TRAIN && bn_label(full, v) == label)
            (*out)[(*count)++] = (int32_t)v;
    return rc;
}

/* Of row r of e to a dense row whose squared length is given. */
static double distance(const bn_embedding *e, int64_t r, const float *row, double length2)
{
    double sum = e->dense ? 0 : length2;
    for (int64_t j = 0; e->dense && j < e->f; j++) {
        double d = (double)e->dense[r * e->f + j] - (double)row[j];
        sum += d * d;
    }
    for (int64_t i = e->dense ? 0 : e->offsets[r]; !e->dense && i < e->offsets[r + 1]; i++)
        sum += (double)e->value[i] * ((double)e->value[i] - 2 * (double)row[e->index[i]]);
    return sqrt(fmax(0, sum));
}

bonsai_status bn_node_check(const bonsai_graph *small, int64_t node)
{
    if (node >= 0 && node < small->view.nodes)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s: node %lld is outside 0..%lld", small->where,
                   (long long)node, (long long)small->view.nodes - 1);
}

/* The best `most` of all, as far as there are any. */
static bonsai_status rank(int32_t *nodes, float *distances, int64_t *found, int64_t most,
                          const bn_embedding *e, const int32_t *of, const float *row)
{
    neighbour *all = NULL;
    double length2 = 0;
    bonsai_status rc = BN_NEW(&all, e->rows);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t j = 0; j < e->f; j++)
        length2 += (double)row[j] * (double)row[j];
    for (int64_t r = 0; r < e->rows; r++)
        all[r] = (neighbour){of[r], distance(e, r, row, length2)};
    qsort(all, (size_t)e->rows, sizeof *all, nearest_first);
    *found = e->rows < most ? e->rows : most;
    for (int64_t i = 0; i < *found; i++) {
        nodes[i] = all[i].node;
        if (distances)
            distances[i] = (float)all[i].distance;
    }
    bn_free(all);
    return BONSAI_OK;
}

bonsai_status bonsai_condense_nearest(int32_t *nodes, float *distances, int64_t *found,
                                      int64_t most, const bonsai_graph *small, int64_t node,
                                      const bonsai_graph *full,
                                      const bonsai_condense_options *given)
{
    bonsai_status rc;
    bonsai_condense_options o;
    bn_record made;
    bonsai_graph *split = NULL, *columns = NULL;
    bn_embedding e = {0};
    int32_t *of = NULL, *kept = NULL;
    float *row = NULL;
    int64_t count = 0;
    *found = 0;
    BN_TRY(BN_OPTIONS(&o, given, condense));
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, o.threads));
    BN_TRY(bn_graph_need(full, BN_ALL_SECTIONS, o.threads));
    BN_TRY(bn_node_check(small, node));
    BN_TRY(bn_pair_check(&kept, small, full, BN_PAIR_SOURCE, o.threads));
    if (kept) {
        BN_TRY(bn_graph_columns(&columns, full, kept, small->view.features));
        full = columns;
    }
    BN_TRY(bn_record_read(&made, small));
    if (made.known)
        o.layers = made.layers >= 0 ? made.layers : made.o.layers;
    if (bn_has(small, BONSAI_SECTION_MEMBERS))
        BN_TRY(list_members(&of, &count, small, node, full));
    else {
        bn_parts parts = {{o.split[0], o.split[1], o.split[2]}, o.seed, BONSAI_SPLIT_OWN};
        BN_TRY(bn_parts_for(&split, &parts, small, full));
        BN_TRY(list_class(&of, &count, split ? split : full, bn_label(small, node)));
    }
    if (count == 0)
        goto done;
    BN_TRY(BN_NEW(&row, small->view.features));
    bonsai_graph_row(row, small, node);
    const bn_kind *kind = bn_kind_named(made.rows);
    BN_TRY(bn_embed_blend(&e, full, &(bn_nodes){of, count},
                          kind ? &kind->blend : &bn_kinds[BN_KIND_FAR].blend, o.layers,
                          &(bn_place){.threads = o.threads, .progress = {o.progress, o.payload}}));
    BN_TRY(rank(nodes, distances, found, most, &e, of, row));
done:
    bn_embedding_free(&e);
    bonsai_graph_free(split);
    bonsai_graph_free(columns);
    bn_free(of);
    bn_free(kept);
    bn_free(row);
    return rc;
}
