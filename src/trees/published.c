/* published.c -- two things that the published code does and the paper does not
 * mention: to select too much and shrink it, and to match the classes' shares.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "set.h"

enum { ALL_ROLES = 1 << BONSAI_ROLE_ROOT | 1 << BONSAI_ROLE_EGO };

bonsai_status bn_set_shrink(bn_set *s)
{
    bonsai_status rc = BONSAI_OK;
    bn_ranked *all = NULL;
    int32_t *going = NULL;
    int64_t count = 0, gone = 0, roots = s->roots;
    if (s->roots == 0 || !bn_set_exceeds(s))
        goto done;
    BN_TRY(bn_set_rank(s));
    BN_TRY(bn_set_lowest(&all, &count, s, ALL_ROLES));
    BN_TRY(BN_NEW(&going, count));
    for (; gone < count && (bn_price_bytes(s->price) > s->budget.bytes ||
                            bn_price_nodes(s->price) > s->budget.nodes ||
                            roots > s->budget.trees); gone++) {
        going[gone] = all[gone].node;
        roots -= bn_set_role(s, going[gone]) == BONSAI_ROLE_ROOT;
        bn_price_remove(s->price, going[gone]);
    }
    bn_set_forget(s, going, gone);
done:
    bn_free(all);
    bn_free(going);
    return rc;
}

/* How many training nodes of each class are in the set, and how many should be. */
static bonsai_status count_classes(int64_t **have, int64_t **want, const bn_set *s)
{
    bonsai_status rc;
    int64_t classes = s->job->g->view.classes, in = 0;
    BN_TRY(BN_NEW(have, classes));
    BN_TRY(BN_NEW(want, classes));
    for (int64_t t = 0; t < s->job->trees; t++)
        if (bn_set_role(s, s->job->train[t]) != BONSAI_ROLE_NONE) {
            (*have)[bn_set_label(s, t)]++;
            in++;
        }
    for (int64_t c = 0; c < classes; c++)
        (*want)[c] = llround((double)s->class_trees[c] * (double)in / (double)s->job->trees);
done:
    return rc;
}

/* Classes with too many lose those of lowest PageRank, but never the last one. */
static bonsai_status thin_classes(bn_set *s, int64_t *have, const int64_t *want)
{
    bonsai_status rc;
    const bonsai_graph *g = s->job->g;
    bn_ranked *in = NULL;
    int32_t *going = NULL;
    int64_t count = 0, gone = 0;
    BN_TRY(bn_set_lowest(&in, &count, s, ALL_ROLES));
    BN_TRY(BN_NEW(&going, count));
    for (int64_t i = 0; i < count; i++) {
        int32_t v = in[i].node, c = bn_label(g, v);
        if (bn_part(g, v) != BONSAI_PART_TRAIN || c < 0 || have[c] <= want[c] || have[c] <= 1)
            continue;
        going[gone++] = v;
        have[c]--;
    }
    if (!bn_set_drop(s, going, gone))
        for (int64_t i = 0; i < gone; i++)
            have[bn_label(g, going[i])]++;
done:
    bn_free(in);
    bn_free(going);
    return rc;
}

/* Classes with too few gain single nodes in the order of the cover while they fit. */
bonsai_status bn_set_match(bn_set *s, bn_cover *cover)
{
    bonsai_status rc;
    int64_t *have = NULL, *want = NULL;
    BN_TRY(count_classes(&have, &want, s));
    BN_TRY(thin_classes(s, have, want));
    bn_cover_retry(cover);
    for (int64_t tree, tries = 1; (tree = bn_cover_next(cover)) >= 0; tries++) {
        int32_t c = bn_set_label(s, tree);
        bool fits = false;
        if (have[c] < want[c] && s->roots < s->budget.trees &&
            bn_set_role(s, s->job->train[tree]) == BONSAI_ROLE_NONE)
            BN_TRY(bn_set_try(&fits, s, tree, 0));
        if (fits) {
            bn_cover_take(cover, tree);
            have[c]++;
        } else {
            bn_cover_skip(cover, tree);
        }
        if (tries % 1024 == 0)
            BN_TRY(bn_tick(s->job->at.progress, "finishing", 0, 1));
    }
    bn_cover_retry(cover);
done:
    bn_free(have);
    bn_free(want);
    return rc;
}
