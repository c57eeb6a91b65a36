/* coordinates.c -- projects graphs on the basis of a small graph whose features are coordinates.
 *
 * A projected row has as many numbers as the small graph has features.  Training, and all code that
 * compares rows of both graphs, projects the other graph here first.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "prototypes/basis.h"
#include "record.h"

enum { BLOCK = 1 << 14 };       /* rows that are projected at a time */

int64_t bonsai_graph_projected(const bonsai_graph *small)
{
    return small->spanned;
}

static bonsai_status check_small(const bonsai_graph *small)
{
    if (small->spanned)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_ARGUMENT, small->where, "its features are not coordinates, so it "
                      "projects nothing: condense with the option coordinates");
}

static bonsai_status check_pair(const bonsai_graph *g, const bonsai_graph *small)
{
    if (g->view.features != small->spanned)
        return bn_fail(BONSAI_E_ARGUMENT, "%s projects graphs of %lld features, but %s has %lld",
                       small->where, (long long)small->spanned, g->where,
                       (long long)g->view.features);
    if (bn_has(g, BONSAI_SECTION_FEATURE_MEAN))
        return bn_fail(BONSAI_E_ARGUMENT, "the features of %s are standardised, but those that %s was "
                       "made of were not", g->where, small->where);
    return BONSAI_OK;
}

bonsai_status bonsai_graph_projection(float *out, const bonsai_graph *small)
{
    bonsai_status rc;
    bn_basis b = {.f = 0};
    if (bn_is_null(out, "the matrix") || bn_is_null(small, "the small graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, 0));
    BN_TRY(check_small(small));
    BN_TRY(bn_basis_of(&b, small));
    for (int64_t j = 0; j < b.f; j++)
        memcpy(out + j * b.r, b.project.w + j * b.project.wide, (size_t)b.r * sizeof *out);
done:
    bn_basis_free(&b);
    return rc;
}

static bonsai_status project_rows(float *to, const bonsai_graph *g, const bn_basis *b)
{
    bonsai_status rc = BONSAI_OK;
    const bn_place here = {.threads = 0};
    bn_embedding own = {0}, low = {0};
    int32_t *node = NULL;
    BN_TRY(BN_NEW(&node, bn_least(BLOCK, g->view.nodes)));
    for (int64_t v = 0; v < g->view.nodes; v += BLOCK) {
        const int64_t count = bn_least(BLOCK, g->view.nodes - v);
        for (int64_t i = 0; i < count; i++)
            node[i] = (int32_t)(v + i);
        BN_TRY(bn_embed_view(&own, g, &(bn_nodes){node, count}, BN_OWN, 0, &here));
        BN_TRY(bn_basis_project(&low, b, &own, &here));
        memcpy(to + v * b->r, low.dense, (size_t)(count * b->r) * sizeof *to);
        bn_embedding_free(&own);
        bn_embedding_free(&low);
    }
done:
    bn_embedding_free(&own);
    bn_embedding_free(&low);
    bn_free(node);
    return rc;
}

bonsai_status bonsai_graph_project(bonsai_graph **out, const bonsai_graph *g,
                                   const bonsai_graph *small)
{
    bonsai_status rc;
    bonsai_graph *child = NULL;
    bn_basis b = {.f = 0};
    float *to;
    const uint32_t own = BN_FEATURE_SECTIONS | BN_FACTOR_SECTIONS |
                         BN_BIT(BONSAI_SECTION_KEPT_FEATURES) |
                         BN_BIT(BONSAI_SECTION_FEATURE_NAMES);
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph") || bn_is_null(small, "the small graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(check_small(small));
    BN_TRY(check_pair(g, small));
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_basis_of(&b, small));
    BN_TRY(bn_graph_derive(&child, g, BN_ALL_SECTIONS & ~own));
    child->view.features = b.r;
    BN_TRY(bn_graph_array(&to, child, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32,
                          g->view.nodes * b.r));
    BN_TRY(project_rows(to, g, &b));
    BN_TRY(bonsai_graph_verify(child));
    *out = child;
    child = NULL;
done:
    bonsai_graph_free(child);
    bn_basis_free(&b);
    return rc;
}

bonsai_status bn_projected(bonsai_graph **out, const bonsai_graph *g, const bonsai_graph *small)
{
    *out = NULL;
    if (!small->spanned || g->view.features == small->view.features)
        return BONSAI_OK;
    return bonsai_graph_project(out, g, small);
}
