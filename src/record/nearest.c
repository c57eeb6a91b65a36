/* nearest.c -- finds the original nodes that a node of a condensed graph stands for.
 *
 * A prototype is made of its members' rows, so it stands for the nodes whose rows, made in the same
 * way, are nearest to its own, as when its origin was chosen (prototypes/origins.c).  Making these
 * rows again takes O(L m) times the non-zeros of a row.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "options/options.h"
#include "prototypes/basis.h"
#include "record.h"

typedef struct {
    int32_t node;
    float   distance2;
} neighbour;

static int nearest_first(const void *a, const void *b)
{
    const neighbour *x = a, *y = b;
    if (x->distance2 != y->distance2)
        return x->distance2 < y->distance2 ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* ---- nodes that it may stand for ---- */

typedef struct {
    int32_t *node;              /* of the full graph */
    int64_t  count;
    int64_t  origin;            /* of the prototype, its place among them; -1: not known */
} candidates;

static bonsai_status list_members(candidates *c, const bonsai_graph *small, int64_t node,
                                  const bonsai_graph *full)
{
    const int32_t *member = bonsai_graph_members(&c->count, small, node);
    bonsai_status rc = BN_NEW(&c->node, c->count);
    if (rc == BONSAI_OK)
        rc = bn_numbers_find(c->node, (const uint32_t *)member, c->count, full);
    for (int64_t i = 0; rc == BONSAI_OK && i < c->count; i++)
        if (c->node[i] < 0)
            rc = bn_fail_at(BONSAI_E_ARGUMENT, small->where, "node %lld stands for node %u, which "
                            "%s has not", (long long)node, (unsigned)member[i], full->where);
    return rc;
}

/* Lists the training nodes of its class. */
static bonsai_status list_class(candidates *c, const bonsai_graph *small, int64_t node,
                                const bonsai_graph *full)
{
    const int32_t label = bn_label(small, node);
    const uint8_t *role = small->view.section[BONSAI_SECTION_ROLE].data;
    const bool made = role && role[node] == BONSAI_ROLE_PROTOTYPE;
    const int64_t origin = made ? bonsai_graph_origin(small, node) : -1;
    bonsai_status rc = label < 0 ? BONSAI_OK : BN_NEW(&c->node, full->view.nodes);
    for (int64_t v = 0; rc == BONSAI_OK && label >= 0 && v < full->view.nodes; v++)
        if (bn_part(full, v) == BONSAI_PART_TRAIN && bn_label(full, v) == label) {
            if (origin >= 0 && bn_number_of(full, v) == (uint32_t)origin)
                c->origin = c->count;
            c->node[c->count++] = (int32_t)v;
        }
    return rc;
}

bonsai_status bn_node_check(const bonsai_graph *small, int64_t node)
{
    if (node >= 0 && node < small->view.nodes)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_ARGUMENT, small->where, "node %lld is outside 0..%lld",
                      (long long)node, (long long)small->view.nodes - 1);
}

/* ---- the nearest of them ---- */

typedef struct {                /* what the caller gets */
    int32_t *nodes;
    float   *distances;         /* may be NULL */
    int64_t *found, most;
} listing;

/* Lists the nearest `most` nodes, beginning with the origin if it is known: no member is nearer
 * than the origin, so nearer nodes belong to other prototypes. */
static bonsai_status rank(listing *to, const bn_embedding *rows, const bn_embedding *own,
                          const candidates *c)
{
    neighbour *all = NULL;
    const int64_t count = c->count;
    const int32_t origin = c->origin < 0 ? -1 : c->node[c->origin];
    int64_t first = 0;
    bonsai_status rc = BN_NEW(&all, count);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t r = 0; r < count; r++)
        all[r] = (neighbour){c->node[r], bn_rows_dist2(rows, r, own, 0)};
    qsort(all, (size_t)count, sizeof *all, nearest_first);
    while (origin >= 0 && all[first].node != origin)
        first++;
    *to->found = bn_least(count - first, to->most);
    for (int64_t i = 0; i < *to->found; i++) {
        to->nodes[i] = all[first + i].node;
        if (to->distances)
            to->distances[i] = sqrtf(all[first + i].distance2);
    }
    bn_free(all);
    return BONSAI_OK;
}

/* Reads the row of a node as it is stored. */
static bonsai_status own_row(bn_embedding *out, const bonsai_graph *g, int64_t node, bool dense)
{
    bonsai_status rc;
    bn_embedding row = {0};
    const int32_t one = (int32_t)node;
    const bn_place here = {.threads = 1};
    BN_TRY(bn_embed_view(&row, g, &(bn_nodes){&one, 1}, BN_OWN, 0, &here));
    BN_TRY(bn_embedding_take(out, &row, NULL, 1, dense, &here));
done:
    bn_embedding_free(&row);
    return rc;
}

/* Projects rows on the basis of the small graph, if it has one: only distances within its span
 * count. */
static bonsai_status project(bn_embedding *rows, bn_embedding *own, const bonsai_graph *small,
                             int threads)
{
    bonsai_status rc = BONSAI_OK;
    bn_basis basis = {0};
    bn_embedding *both[] = {rows, own};
    if (!bn_has(small, BONSAI_SECTION_COORDINATES))
        return BONSAI_OK;
    BN_TRY(bn_basis_of(&basis, small));
    for (int i = 0; i < (small->spanned ? 1 : 2); i++) {        /* own may be one already */
        bn_embedding low;
        BN_TRY(bn_basis_project(&low, &basis, both[i], &(bn_place){.threads = threads}));
        bn_embedding_free(both[i]);
        *both[i] = low;
    }
done:
    bn_basis_free(&basis);
    return rc;
}

/* Reads from the record how rows were made; keeps the layers if the record has none. */
static bonsai_status read_record(const bn_blend **blend, int *layers, const bonsai_graph *small)
{
    bn_record made;
    bonsai_status rc = bn_record_read(&made, small);
    const bn_kind *kind = rc == BONSAI_OK ? bn_kind_named(made.rows) : NULL;
    *blend = kind ? &kind->blend : &bn_kinds[BN_KIND_FAR].blend;
    if (rc == BONSAI_OK && made.known)
        *layers = made.layers >= 0 ? made.layers : made.o.layers;
    return rc;
}

/* Lists the members if the small graph names them, else the training nodes of its class. */
static bonsai_status gather(candidates *c, const bonsai_graph *small, int64_t node,
                            const bonsai_graph *full, const bonsai_condense_options *o)
{
    bonsai_status rc;
    bonsai_graph *split = NULL;
    bn_judge_split parts = {{o->split[0], o->split[1], o->split[2]}, o->seed, BONSAI_SPLIT_OWN};
    if (bn_has(small, BONSAI_SECTION_MEMBERS))
        return list_members(c, small, node, full);
    BN_TRY(bn_judge_split_of(&split, &parts, small, full));
    BN_TRY(list_class(c, small, node, split ? split : full));
done:
    bonsai_graph_free(split);
    return rc;
}

bonsai_status bonsai_condense_nearest(int32_t *nodes, float *distances, int64_t *found,
                                      int64_t most, const bonsai_graph *small, int64_t node,
                                      const bonsai_graph *full,
                                      const bonsai_condense_options *given)
{
    bonsai_status rc;
    bonsai_condense_options o;
    bonsai_graph *columns = NULL;
    bn_embedding rows = {0}, own = {0};
    candidates c = {.origin = -1};
    int32_t *kept = NULL;
    const bn_blend *blend;
    if (bn_is_null(nodes, "nodes") || bn_is_null(found, "found") ||
        bn_is_null(small, "the small graph") || bn_is_null(full, "the full graph"))
        return BONSAI_E_ARGUMENT;
    *found = 0;
    BN_TRY(bn_count_check(most, "nearest nodes"));
    BN_TRY(BN_OPTIONS(&o, given, condense));
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, o.threads));
    BN_TRY(bn_graph_need(full, BN_ALL_SECTIONS, o.threads));
    BN_TRY(bn_node_check(small, node));
    BN_TRY(bn_compatible_check(&kept, small, full, BN_SAME_SOURCE, o.threads));
    if (kept) {
        BN_TRY(bn_graph_columns(&columns, full, kept, small->view.features));
        full = columns;
    }
    BN_TRY(read_record(&blend, &o.layers, small));
    BN_TRY(gather(&c, small, node, full, &o));
    if (c.count == 0)
        goto done;
    BN_TRY(bn_embed_blend(&rows, full, &(bn_nodes){c.node, c.count}, blend, o.layers,
                          &(bn_place){.threads = o.threads, .progress = {o.progress, o.payload}}));
    BN_TRY(own_row(&own, small, node, rows.dense || small->spanned));
    BN_TRY(project(&rows, &own, small, o.threads));
    BN_TRY(rank(&(listing){nodes, distances, found, most}, &rows, &own, &c));
done:
    bn_embedding_free(&rows);
    bn_embedding_free(&own);
    bonsai_graph_free(columns);
    bn_free(c.node);
    bn_free(kept);
    return rc;
}
