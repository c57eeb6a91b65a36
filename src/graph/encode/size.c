/* size.c -- the size of a graph in bytes, under our accounting and the paper's.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "graph/graph.h"
#include "options/options.h"

bonsai_status bonsai_graph_sections(bonsai_type *types, int64_t *bytes, int count,
                                    const bonsai_graph *g, const bonsai_write_options *given)
{
    bonsai_status rc;
    bonsai_write_options o;
    bn_coding p;
    if (bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(BN_OPTIONS(&o, given, write));
    BN_TRY(bn_coding_make(&p, g, o.features, &(bn_place){.threads = o.threads}));
    for (int s = 0; s < count; s++) {
        bool known = s < BONSAI_SECTION_COUNT;
        if (types)
            types[s] = known ? p.type[s] : BONSAI_TYPE_NONE;
        if (bytes)
            bytes[s] = known ? bn_coding_bytes(&p, s) : 0;
    }
done:
    return rc;
}

typedef struct {
    double sum;                 /* of all values */
    int64_t nnz;
    int64_t prototypes, nnz_prototypes;         /* nodes that do not exist in the published code */
    bool integer, binary;
} paper_features;

static bonsai_status read_paper_features(paper_features *out, const bonsai_graph *g)
{
    bonsai_status rc;
    int64_t room = bn_row_room(g);
    int32_t *index = NULL;
    float *value = NULL;
    const uint8_t *role = g->view.section[BONSAI_SECTION_ROLE].data;
    *out = (paper_features){0, 0, 0, 0, true, true};
    BN_TRY(BN_NEW(&index, room));
    BN_TRY(BN_NEW(&value, room));
    for (int64_t v = 0; v < g->view.nodes; v++) {
        int64_t count = bn_row_get(index, value, g, v);
        if (role && role[v] == BONSAI_ROLE_PROTOTYPE) {
            out->prototypes++;
            out->nnz_prototypes += count;
            continue;
        }
        out->nnz += count;
        for (int64_t i = 0; i < count; i++) {
            out->sum += (double)value[i];
            out->integer &= rintf(value[i]) == value[i];
            out->binary &= value[i] == 1.0f;
        }
    }
done:
    bn_free(index);
    bn_free(value);
    return rc;
}

static int64_t count_self_loops(const bonsai_graph *g)
{
    const int32_t *to = bn_neighbors(g);
    int64_t loops = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        for (int64_t e = bn_row_begin(g, v); e < bn_row_begin(g, v + 1); e++)
            loops += to[e] == v;
    return loops;
}

/* Prices learned nodes as the published scripts do: 4 bytes a feature, and 4 for each pair of nodes
 * if they are joined.  False: the nodes were not learned. */
static bool price_learned(double *out, const bonsai_graph *g)
{
    const uint8_t *role = g->view.section[BONSAI_SECTION_ROLE].data;
    const double n = (double)g->view.nodes;
    if (!role || n == 0 || role[0] != BONSAI_ROLE_LEARNED)
        return false;
    *out = 4 * n * (double)g->view.features;
    if (bn_has(g, BONSAI_SECTION_EDGE_WEIGHTS))
        *out += 4 * n * n;
    return true;
}

double bn_paper_rows(bool dense, bool counts, double places, int64_t nnz, double sum)
{
    return dense ? 2 * places : counts ? 2 * (double)nnz : sum;
}

static bonsai_status paper_condensed(double *out, const bonsai_graph *g)
{
    bonsai_status rc = bn_graph_need(g, BN_BIT(BONSAI_SECTION_ROLE), 0);
    if (rc != BONSAI_OK || price_learned(out, g))
        return rc;
    paper_features x;
    bool integer, dense;
    bn_traits t;
    double n = (double)g->view.nodes, m = (double)bonsai_graph_edges(g);
    BN_TRY(bn_traits_of(&t, &integer, g, NULL));
    t = bn_traits_mapped(&t);                   /* the published code has no others */
    bn_traits_bytes(&t, g->view.nodes, g->view.features, &dense);
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_SECTION_NEIGHBORS) | BN_BIT(BONSAI_SECTION_ROLE), 0));
    BN_TRY(read_paper_features(&x, g));
    double loops = (double)count_self_loops(g);
    double edges = (g->view.flags & BONSAI_FLAG_DIRECTED ? m - loops : (m - loops) / 2) + n;
    double others = n - (double)x.prototypes;
    double rows = bn_paper_rows(dense, x.integer && !x.binary, others * (double)g->view.features,
                                x.nnz, x.sum);
    double labels = bn_has(g, BONSAI_SECTION_LABELS) +
                    (bn_has(g, BONSAI_SECTION_NODE_WEIGHTS) != 0) +
                    (bn_has(g, BONSAI_SECTION_SOFT_LABELS) ? (double)g->view.classes : 0);
    rows += 3 * (double)x.nnz_prototypes + (double)x.prototypes * labels;
    *out = 2 * (rows + 2 * edges);
done:
    return rc;
}

bonsai_status bn_graph_sizes(bn_sizes *out, const bonsai_graph *g, const bn_place *at)
{
    bonsai_status rc;
    bn_coding p;
    int64_t sum = 0;
    bool integer;
    BN_TRY(bn_traits_of(&out->traits, &integer, g, at));
    BN_TRY(bn_coding_of(&p, g, BONSAI_ENCODING_AUTO, &out->traits, at));
#define ADD(name, id, text, counted) sum += counted ? bn_coding_bytes(&p, id) : 0;
    BONSAI_SECTION_MAP(ADD)
#undef ADD
    if (g->drawn)                               /* the graph had no split before */
        sum -= bn_coding_bytes(&p, BONSAI_SECTION_SPLIT);
    out->strict = (double)sum;
    out->rounded = out->strict - (double)bn_coding_saves(&p, g, &out->traits, 8);
    out->rounded4 = out->strict - (double)bn_coding_saves(&p, g, &out->traits, 4);
    out->paper = 2 * ((double)g->view.nodes * (double)g->view.features * (integer ? 1 : 2) +
                      2 * (double)bonsai_graph_edges(g));
done:
    return rc;
}

bonsai_status bonsai_graph_bytes(double *out, const bonsai_graph *g, bonsai_accounting accounting)
{
    if (bn_is_null(out, "out") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    return bn_graph_bytes(out, g, accounting, NULL);
}

bonsai_status bn_graph_bytes(double *out, const bonsai_graph *g, bonsai_accounting accounting,
                             const bn_place *at)
{
    bn_sizes sizes;
    if (accounting == BONSAI_ACCOUNTING_PAPER_CONDENSED)
        return paper_condensed(out, g);
    if (accounting != BONSAI_ACCOUNTING_STRICT && accounting != BONSAI_ACCOUNTING_PAPER_FULL)
        return bn_fail(BONSAI_E_ARGUMENT, "accounting %d is not known", (int)accounting);
    bonsai_status rc = bn_graph_sizes(&sizes, g, at);
    if (rc == BONSAI_OK)
        *out = accounting == BONSAI_ACCOUNTING_STRICT ? sizes.strict : sizes.paper;
    return rc;
}
