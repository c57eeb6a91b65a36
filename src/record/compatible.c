/* compatible.c -- checks whether two graphs belong together.
 *
 * Every call with a small graph and another one checks them here before it reads one by numbers of
 * the other.  Training judges on any graph with the same classes and features; explaining a small
 * graph needs the graph that it was made of, which its record identifies.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "record.h"

/* ---- names of the graphs in errors ---- */

/* Returns the name of the small graph; its role if both are called alike, as graphs of arrays
 * are. */
static const char *name_small(const bonsai_graph *small, const bonsai_graph *full)
{
    if (strcmp(small->where, full->where) != 0)
        return small->where;
    return bn_has(small, BONSAI_SECTION_ROLE) ? "the small graph" : "the first graph";
}

static const char *name_full(const bonsai_graph *small, const bonsai_graph *full)
{
    return strcmp(small->where, full->where) != 0 ? full->where : "the other graph";
}

/* ---- classes ---- */

/* Compares names of classes first, if both have some: a difference of names says more than
 * counts. */
static bonsai_status match_classes(const bonsai_graph *small, const bonsai_graph *full)
{
    const char *a = small->view.section[BONSAI_SECTION_CLASS_NAMES].data;
    const char *b = full->view.section[BONSAI_SECTION_CLASS_NAMES].data;
    int64_t c = small->view.classes, d = full->view.classes;
    for (int64_t k = 0; a && b && k < c && k < d; k++, a += strlen(a) + 1, b += strlen(b) + 1)
        if (strcmp(a, b) != 0)
            return bn_fail(BONSAI_E_ARGUMENT, "class %lld is \"%s\" in %s, but \"%s\" in %s",
                           (long long)k, a, name_small(small, full), b, name_full(small, full));
    if (c == d)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s has %lld classes, but %s has %lld",
                   name_small(small, full), (long long)c, name_full(small, full), (long long)d);
}

/* ---- features ---- */

static bonsai_status no_such_feature(const bonsai_graph *small, const bonsai_graph *full,
                                     uint32_t feature)
{
    return bn_fail(BONSAI_E_ARGUMENT, "%s has %lld features by its kept-feature list, but feature "
                   "%u of that list is not among the %lld features of %s", name_small(small, full),
                   (long long)small->view.features, feature, (long long)full->view.features,
                   name_full(small, full));
}

/* Finds the places in full of the features that small kept; both lists ascend and hold numbers
 * of the original graph. */
static bonsai_status place_kept(int32_t **out, const bonsai_graph *small, const bonsai_graph *full)
{
    const uint32_t *kept = small->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
    const uint32_t *has = full->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
    int64_t count = small->view.features, all = full->view.features, j = 0;
    bonsai_status rc = BN_NEW(out, count);
    for (int64_t i = 0; rc == BONSAI_OK && i < count; i++) {
        if (!has)
            j = kept[i];
        while (has && j < all && has[j] < kept[i])
            j++;
        if (j >= all || (has && has[j] != kept[i]))
            return no_such_feature(small, full, kept[i]);
        (*out)[i] = (int32_t)j;
    }
    return rc;
}

static bn_named named(const char *where, const bonsai_graph *g)
{
    return (bn_named){where, &g->view.section[BONSAI_SECTION_FEATURE_NAMES], g->view.features};
}

static bonsai_status match_features(int32_t **kept, const bonsai_graph *small,
                                    const bonsai_graph *full, bn_compatibility level)
{
    if (level == BN_SAME_SOURCE && small->spanned && full->view.features == small->spanned)
        return BONSAI_OK;               /* callers project the rows of full */
    if (bn_has(small, BONSAI_SECTION_KEPT_FEATURES))
        return place_kept(kept, small, full);
    if (small->view.features == full->view.features)
        return BONSAI_OK;
    if (bn_has(full, BONSAI_SECTION_KEPT_FEATURES))
        return bn_fail(BONSAI_E_ARGUMENT, "%s has %lld features, but %s has %lld by its "
                       "kept-feature list", name_small(small, full),
                       (long long)small->view.features, name_full(small, full),
                       (long long)full->view.features);
    char odd[BN_DIFFERENCE];
    const bn_named ours = named("", small), theirs = named("", full);
    bn_names_difference(odd, &ours, &theirs, true);
    return bn_fail(BONSAI_E_ARGUMENT, "%s has %lld features, but %s has %lld%s",
                   name_small(small, full), (long long)small->view.features,
                   name_full(small, full), (long long)full->view.features,
                   *odd ? odd : ", and neither has a kept-feature list");
}

static bonsai_status match_names(const bonsai_graph *small, const bonsai_graph *full,
                                 const int32_t *place)
{
    const bn_named ours = named(name_small(small, full), small);
    const bn_named theirs = named(name_full(small, full), full);
    return bn_names_match(&ours, &theirs, place);
}

/* ---- the graph that was condensed ---- */

static bonsai_status differs(const bonsai_graph *small, const bonsai_graph *full, const char *what,
                             int64_t has, int64_t had)
{
    return bn_fail(BONSAI_E_ARGUMENT, "%s has %lld %s, and %s was made of a graph with %lld: it is "
                   "not the graph that was condensed", full->where, (long long)has, what,
                   small->where, (long long)had);
}

bonsai_status bn_compatible_crc(const bn_record *r, const bonsai_graph *small,
                                const bonsai_graph *full, uint32_t crc)
{
    if (bn_fact(&r->info, BN_FACT_CRC) == crc)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_ARGUMENT, small->where, "was not made of %s: the checksum of its "
                      "graph is %08x, not %08x", full->where,
                      (unsigned)bn_fact(&r->info, BN_FACT_CRC), (unsigned)crc);
}

/* Finds the checksum that condensing would give full, with the split that is in the record. */
static bonsai_status checksum(uint32_t *crc, const bn_record *r, const bonsai_graph *small,
                              const bonsai_graph *full, int threads)
{
    bonsai_status rc;
    bonsai_graph *drawn = NULL;
    bn_judge_split parts = {.seed = r->o.seed};
    int32_t *train = NULL;
    int64_t count = 0;
    const bn_place at = {.threads = threads};
    bn_traits t;
    bool integer;
    BN_TRY(bn_judge_split_of(&drawn, &parts, small, full));
    const bonsai_graph *g = drawn ? drawn : full;
    BN_TRY(BN_NEW(&train, g->view.nodes));
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) >= 0)
            train[count++] = (int32_t)v;
    BN_TRY(bn_traits_of(&t, &integer, g, &at));
    BN_TRY(bn_fingerprint(crc, g, &t, train, count, &at));
done:
    bonsai_graph_free(drawn);
    bn_free(train);
    return rc;
}

static bonsai_status match_record(const bonsai_graph *small, const bonsai_graph *full, int threads)
{
    bonsai_status rc;
    bn_record r;
    uint32_t crc;
    BN_TRY(bn_record_read(&r, small));
    int64_t nodes = r.info.full_nodes, edges = r.info.full_edges;
    if (nodes > 0 && nodes != full->view.nodes)
        return differs(small, full, "nodes", full->view.nodes, nodes);
    if (nodes > 0 && edges >= 0 && edges != bonsai_graph_edges(full))
        return differs(small, full, "edge entries", bonsai_graph_edges(full), edges);
    if (!r.has_crc || !r.has_options || !bn_has(full, BONSAI_SECTION_LABELS))
        return BONSAI_OK;
    BN_TRY(checksum(&crc, &r, small, full, threads));
    BN_TRY(bn_compatible_crc(&r, small, full, crc));
done:
    return rc;
}

bonsai_status bn_compatible_check(int32_t **kept, const bonsai_graph *small,
                                  const bonsai_graph *full, bn_compatibility level, int threads)
{
    bonsai_status rc;
    int32_t *place = NULL;
    *kept = NULL;
    BN_TRY(match_classes(small, full));
    BN_TRY(match_features(&place, small, full, level));
    BN_TRY(match_names(small, full, place));
    if (level == BN_SAME_SOURCE)
        BN_TRY(match_record(small, full, threads));
    if (small->view.features < full->view.features) {
        *kept = place;
        place = NULL;
    }
done:
    bn_free(place);
    return rc;
}
