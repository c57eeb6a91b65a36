/* centres.c -- the rows of prototypes: means of their members' rows, mixed.
 *
 * What a network makes of a node hangs on its own row and on what is around it, and which of both
 * says more differs between graphs.  Averages over several hops hide what is a node's own; own rows
 * say nothing of its neighbours, and without a self loop a network does not learn to trust these; a
 * mixture says some of both, in one row that stands for both; a pair keeps them apart, in two
 * nodes: the second, without a label, is what surrounds the first.  Twofold prototypes are two
 * nodes without an edge between: a mixture with a self loop, and own features with nothing around
 * them; each stands for half of the members.  From the second GraphSAGE learns what a node's own
 * row says, and from both what its neighbours' say, while GAT, which learns a wrong attention from
 * pairs, sees two rows.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "candidate.h"

const bn_kind bn_kinds[BN_KINDS] = {
    [BN_KIND_FAR] = {"averaged", {{[BN_FAR] = 1}}},
    [BN_KIND_MIXED] = {"mixed", {{1 / 3.0, 1 / 3.0, 1 / 3.0}}},
    [BN_KIND_OWN] = {"own", {{[BN_OWN] = 1}}},
    [BN_KIND_ALONE] = {"alone", {{[BN_OWN] = 1}}, .alone = true},
    [BN_KIND_PAIRS] = {"pairs", {{[BN_OWN] = 1}}, .pair = true},
    [BN_KIND_TWOFOLD] = {"twofold", {{1 / 3.0, 1 / 3.0, 1 / 3.0}}, .both = true},
};
static const bn_blend around = {{[BN_AROUND] = 1}};

const bn_kind *bn_kind_named(const char *name)
{
    for (const bn_kind *k = bn_kinds; k < bn_kinds + BN_KINDS; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

bonsai_status bn_clusters_average(bn_clusters *c, const bn_source *s, const bn_kind *kind)
{
    bonsai_status rc = BONSAI_OK;
    for (int v = 0; v < BN_VIEWS; v++) {
        bool wanted = kind->blend.share[v] != 0 || (kind->pair && around.share[v] != 0);
        if (wanted && c->centre[v].rows == 0)
            BN_TRY(bn_centroids(&c->centre[v], s->view[v], c->cluster, c->count, NULL));
    }
done:
    return rc;
}

static bonsai_status find_mean(bn_centres *m)
{
    bonsai_status rc;
    double *sum = NULL, total = 0;
    BN_TRY(BN_NEW(&sum, m->x.f));
    BN_TRY(BN_NEW(&m->mean, m->x.f));
    for (int64_t r = 0; r < m->x.rows; r++) {
        double size = (double)m->size[r % m->count];
        total += size;
        bn_row_add(sum, &m->x, r, size);
    }
    for (int64_t j = 0; j < m->x.f; j++)
        m->mean[j] = (float)(sum[j] / total);
done:
    bn_free(sum);
    return rc;
}

static bonsai_status mix(bn_embedding *out, const bn_clusters *c, const bn_blend *b, int threads)
{
    const bn_embedding *part[BN_VIEWS];
    for (int v = 0; v < BN_VIEWS; v++)
        part[v] = &c->centre[v];
    return bn_blend_rows(out, part, b, &(bn_place){.threads = threads});
}

static bonsai_status make_rows(bn_embedding *out, const bn_clusters *c, const bn_kind *kind,
                               int threads)
{
    bonsai_status rc;
    bn_embedding first = {0};
    const bool two = kind->pair || kind->both;
    BN_TRY(mix(two ? &first : out, c, &kind->blend, threads));
    if (two)
        BN_TRY(bn_embedding_join(out, &first, &c->centre[kind->pair ? BN_AROUND : BN_OWN], NULL));
done:
    bn_embedding_free(&first);
    return rc;
}

bonsai_status bn_centres_make(bn_centres *out, const bn_clusters *c, const bn_kind *kind,
                              int threads)
{
    bonsai_status rc;
    *out = (bn_centres){.size = c->size, .count = c->count};
    BN_TRY(make_rows(&out->x, c, kind, threads));
    BN_TRY(find_mean(out));
done:
    if (rc != BONSAI_OK)
        bn_centres_free(out);
    return rc;
}

void bn_centres_free(bn_centres *m)
{
    bn_embedding_free(&m->x);
    bn_free(m->mean);
    memset(m, 0, sizeof *m);
}
