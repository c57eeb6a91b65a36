/* wholetrees.c -- counts the roots with all of their tree in the set, and drops or keeps trees as a
 * whole, with the knee on trees instead of nodes.
 *
 * A tree's score is the mean of its nodes' scores, that is, what its bytes do for the roots.  The
 * sum would be about the same for all trees that lie apart, and a root's own score says little
 * about what its tree costs; doc/algorithm.md compares them on validation nodes.  Scoring walks
 * through every tree; the nodes that the kept trees reach are found from all their roots at once.
 * A snapshot of the set can be restored, so that pruning is tried before it is kept.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "chosen.h"

enum { TICK_EVERY = 64 };

/* ---- how many are whole ---- */

static bool all_in(const uint64_t *in, const bn_chosen *s, int32_t node)
{
    const bn_near near = bn_near_of(s->reader, node);
    for (int64_t e = 0; e < near.count; e++)
        if (!bn_bit(in, near.to[e]))
            return false;
    return true;
}

/* Removes, hop by hop, the nodes with a neighbour outside of those left. */
bonsai_status bn_chosen_whole(int64_t *out, const bn_chosen *s)
{
    bonsai_status rc;
    uint64_t *now = NULL, *next = NULL;
    const size_t words = (size_t)BN_WORDS(s->job->g->view.nodes);
    *out = 0;
    BN_TRY(BN_NEW(&now, (int64_t)words));
    BN_TRY(BN_NEW(&next, (int64_t)words));
    for (int64_t i = 0; i < s->members; i++)
        bn_bit_set(now, s->member[i]);
    for (int hop = 0; hop < s->job->o->layers; hop++) {
        memcpy(next, now, words * sizeof *now);
        for (int64_t i = 0; i < s->members; i++)
            if (!all_in(now, s, s->member[i]))
                bn_bit_clear(next, s->member[i]);
        memcpy(now, next, words * sizeof *now);
    }
    for (int64_t i = 0; i < s->members; i++)
        *out += bn_bit(now, s->member[i]) && bn_chosen_role(s, s->member[i]) == BONSAI_ROLE_ROOT;
done:
    bn_free(now);
    bn_free(next);
    return rc;
}

/* ---- what trees reach ---- */

typedef struct {
    const bn_chosen *s;
    uint64_t *seen;             /* nodes: bits */
    int32_t  *node, *root;      /* that were reached, and from which root */
    int64_t   count;
} walk;

static bonsai_status new_walk(walk *w, const bn_chosen *s)
{
    bonsai_status rc;
    w->s = s;
    BN_TRY(BN_NEW(&w->seen, BN_WORDS(s->job->g->view.nodes)));
    BN_TRY(BN_NEW(&w->node, s->members));
    BN_TRY(BN_NEW(&w->root, s->members));
done:
    return rc;
}

static void free_walk(walk *w)
{
    bn_free(w->seen);
    bn_free(w->node);
    bn_free(w->root);
}

/* Clears the nodes of the last walk. */
static void begin_walk(walk *w)
{
    for (int64_t i = 0; i < w->count; i++)
        bn_bit_clear(w->seen, w->node[i]);
    w->count = 0;
}

static void meet(walk *w, int32_t v, int32_t root)
{
    if (bn_bit(w->seen, v) || bn_chosen_role(w->s, v) == BONSAI_ROLE_NONE)
        return;
    bn_bit_set(w->seen, v);
    w->node[w->count] = v;
    w->root[w->count++] = root;
}

/* Walks the trees of the roots, those with most hops left first: the first to reach a node then
 * walks farthest from it. */
static void walk_from(walk *w, const bn_ranked *root, int64_t roots)
{
    int64_t head = 0;
    for (int left = w->s->job->o->layers; left >= 0; left--) {
        for (int64_t i = roots - 1; i >= 0; i--)
            if (bn_chosen_find(w->s, root[i].node)->depth == left)
                meet(w, root[i].node, root[i].node);
        for (int64_t end = w->count; left > 0 && head < end; head++) {
            const bn_near near = bn_near_of(w->s->reader, w->node[head]);
            for (int64_t e = 0; e < near.count; e++)
                meet(w, near.to[e], w->root[head]);
        }
    }
}

/* ---- dropping trees ---- */

/* Moves the *going marked roots to the front; both parts keep their order. */
static bonsai_status part(int64_t *going, bn_ranked *root, int64_t roots, const uint8_t *goes)
{
    bn_ranked *stay = NULL;
    int64_t staying = 0;
    bonsai_status rc = BN_NEW(&stay, roots);
    *going = 0;
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < roots; i++)
        if (goes[i])
            root[(*going)++] = root[i];
        else
            stay[staying++] = root[i];
    memcpy(root + *going, stay, (size_t)staying * sizeof *stay);
    bn_free(stay);
    return BONSAI_OK;
}

/* Drops the nodes that the walk did not reach; *dropped is false if the rest would then exceed the
 * budget. */
static bonsai_status drop_rest(bool *dropped, bn_chosen *s, const walk *w)
{
    int32_t *rest = NULL;
    int64_t count = 0;
    bonsai_status rc = BN_NEW(&rest, s->members - w->count);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < s->members; i++)
        if (!bn_bit(w->seen, s->member[i]))
            rest[count++] = s->member[i];
    *dropped = bn_chosen_drop(s, rest, count);
    bn_free(rest);
    return BONSAI_OK;
}

/* Makes dropped roots that other trees need ego nodes of these, with the nodes that they
 * brought. */
static void demote(bn_chosen *s, const walk *w, const bn_ranked *root, int64_t going)
{
    for (int64_t i = 0; i < going; i++) {
        bn_chosen_node *c = bn_chosen_find(s, root[i].node);
        if (c->role != BONSAI_ROLE_ROOT)
            continue;
        c->role = BONSAI_ROLE_EGO;
        s->roots--;
        s->class_roots[bn_label(s->job->g, root[i].node)]--;
    }
    for (int64_t i = 0; i < w->count; i++) {
        bn_chosen_node *c = bn_chosen_find(s, w->node[i]);
        if (bn_chosen_role(s, c->brought) != BONSAI_ROLE_ROOT)
            c->brought = w->root[i];
    }
}

/* Drops the trees from the cover: other trees shall cover their samples. */
static bonsai_status uncover(bn_cover *cover, const bn_chosen *s, const bn_ranked *root,
                             int64_t count)
{
    int32_t *tree = NULL;
    bonsai_status rc = BN_NEW(&tree, count);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < count; i++)
        tree[i] = (int32_t)bn_chosen_tree(s, root[i].node);
    bn_cover_drop(cover, tree, count);
    bn_free(tree);
    return BONSAI_OK;
}

/* Drops the first *going roots, and the nodes that no other root needs; sets *going to 0 if they
 * stay. */
static bonsai_status drop_trees(int64_t *going, bn_chosen *s, bn_cover *cover,
                                const bn_ranked *root, int64_t roots)
{
    bonsai_status rc;
    walk w = {0};
    bool dropped;
    BN_TRY(new_walk(&w, s));
    walk_from(&w, root + *going, roots - *going);
    BN_TRY(drop_rest(&dropped, s, &w));
    if (dropped) {
        demote(s, &w, root, *going);
        BN_TRY(uncover(cover, s, root, *going));
    } else {
        *going = 0;
    }
done:
    free_walk(&w);
    return rc;
}

/* ---- cut trees ---- */

static bool is_cut(const bn_chosen *s, int32_t root)
{
    return bn_chosen_find(s, root)->depth < s->job->o->layers;
}

void bn_chosen_deep(uint8_t *deep, const bn_chosen *s)
{
    memset(deep, 0, (size_t)s->job->g->view.classes);
    for (int64_t i = 0; i < s->members; i++)
        if (bn_chosen_role(s, s->member[i]) == BONSAI_ROLE_ROOT && !is_cut(s, s->member[i]))
            deep[bn_label(s->job->g, s->member[i])] = 1;
}

bonsai_status bn_chosen_drop_cut(bn_chosen *s, bn_cover *cover, int64_t *dropped)
{
    bonsai_status rc;
    bn_ranked *root = NULL;
    uint8_t *deep = NULL, *goes = NULL;
    int64_t roots;
    *dropped = 0;
    BN_TRY(bn_chosen_lowest(&root, &roots, s, 1 << BONSAI_ROLE_ROOT));
    BN_TRY(BN_NEW(&deep, s->job->g->view.classes));
    BN_TRY(BN_NEW(&goes, roots));
    bn_chosen_deep(deep, s);
    for (int64_t i = 0; i < roots; i++)
        goes[i] = is_cut(s, root[i].node) && deep[bn_label(s->job->g, root[i].node)];
    BN_TRY(part(dropped, root, roots, goes));
    if (*dropped > 0)
        BN_TRY(drop_trees(dropped, s, cover, root, roots));
done:
    bn_free(root);
    bn_free(deep);
    bn_free(goes);
    return rc;
}

/* ---- trees below the knee ---- */

/* Lists the roots, first the *whole ones whose trees were not cut. */
static bonsai_status list_roots(bn_ranked **root, int64_t *roots, int64_t *whole,
                                const bn_chosen *s)
{
    bonsai_status rc;
    uint8_t *first = NULL;
    BN_TRY(bn_chosen_lowest(root, roots, s, 1 << BONSAI_ROLE_ROOT));
    BN_TRY(BN_NEW(&first, *roots));
    for (int64_t i = 0; i < *roots; i++)
        first[i] = !is_cut(s, (*root)[i].node);
    BN_TRY(part(whole, *root, *roots, first));
done:
    bn_free(first);
    return rc;
}

/* Replaces each root's score by the mean over its tree, and sorts the lowest first. */
static bonsai_status score_trees(bn_ranked *root, int64_t roots, const bn_chosen *s)
{
    bonsai_status rc;
    walk w = {0};
    const bonsai_progress *last = &s->last;
    BN_TRY(new_walk(&w, s));
    for (int64_t i = 0; i < roots; i++) {
        double sum = 0;
        walk_from(&w, &root[i], 1);
        for (int64_t j = 0; j < w.count; j++)
            sum += bn_chosen_find(s, w.node[j])->score;
        root[i].score = sum / (double)w.count;
        begin_walk(&w);
        if (i % TICK_EVERY == 0 && last->stage)
            BN_TRY(bn_tick(s->job->at.progress, last->stage, (int64_t)last->done,
                           (int64_t)last->total));
    }
    qsort(root, (size_t)roots, sizeof *root, bn_lowest_first);
done:
    free_walk(&w);
    return rc;
}

/* Moves the trees to drop to the front: those below the bar, *going of them at most, and never the
 * last of a class.  *going gets their number. */
static bonsai_status part_trees(int64_t *going, bn_ranked *root, int64_t roots, double bar,
                                const bn_chosen *s)
{
    bonsai_status rc;
    int64_t *left = NULL, count = 0, most = *going;
    uint8_t *goes = NULL;
    BN_TRY(BN_NEW(&left, s->job->g->view.classes));
    BN_TRY(BN_NEW(&goes, roots));
    for (int64_t i = 0; i < roots; i++)
        left[bn_label(s->job->g, root[i].node)]++;
    for (int64_t i = 0; i < roots && root[i].score < bar && count < most; i++) {
        int64_t *of_class = &left[bn_label(s->job->g, root[i].node)];
        goes[i] = *of_class > 1;
        *of_class -= goes[i];
        count += goes[i];
    }
    BN_TRY(part(going, root, roots, goes));
done:
    bn_free(left);
    bn_free(goes);
    return rc;
}

/* Ranks whole trees only: cut trees are hardly more than their roots, which score highest, and the
 * knee would then separate roots from trees. */
bonsai_status bn_chosen_prune_trees(bn_chosen *s, bn_cover *cover, int64_t most, int64_t *pruned)
{
    bonsai_status rc;
    bn_ranked *root = NULL;
    const bonsai_condense_options *o = s->job->o;
    int64_t roots, whole, going;
    double bar;
    *pruned = 0;
    BN_TRY(bn_chosen_rank(s));
    BN_TRY(list_roots(&root, &roots, &whole, s));
    if (whole == 0)
        goto done;
    BN_TRY(score_trees(root, whole, s));
    BN_TRY(bn_chosen_knee(&bar, s, root, whole));
    going = bn_least(most, (int64_t)(o->prune_share * (double)whole));
    BN_TRY(part_trees(&going, root, whole, bar, s));
    if (going == 0 || (double)going < o->min_pruned * (double)whole)
        goto done;
    BN_TRY(drop_trees(&going, s, cover, root, roots));
    bn_chosen_trace_pruned(s, *pruned = going);
done:
    bn_free(root);
    return rc;
}

/* ---- snapshots ---- */

bonsai_status bn_chosen_remember(bn_snapshot *out, const bn_chosen *s)
{
    bonsai_status rc;
    *out = (bn_snapshot){.members = s->members, .roots = s->roots, .turns = s->turns};
    BN_TRY(BN_NEW(&out->member, s->members));
    BN_TRY(BN_NEW(&out->chosen, s->members));
    for (int64_t i = 0; i < s->members; i++) {
        out->member[i] = s->member[i];
        out->chosen[i] = *bn_chosen_find(s, s->member[i]);
    }
    BN_TRY(bn_chosen_covered(&out->covered, s));
done:
    return rc;
}

void bn_snapshot_free(bn_snapshot *b)
{
    bn_free(b->member);
    bn_free(b->chosen);
    *b = (bn_snapshot){0};
}

bonsai_status bn_chosen_better(bool *better, const bn_chosen *s, const bn_snapshot *then)
{
    int64_t covered;
    bonsai_status rc = bn_chosen_covered(&covered, s);
    *better = covered != then->covered ? covered > then->covered : s->roots > then->roots;
    return rc;
}

/* Copies back into arrays that had room for the snapshot when it was taken. */
void bn_chosen_restore(bn_chosen *s, const bn_snapshot *then)
{
    for (int64_t i = 0; i < s->members; i++) {
        bn_price_remove(s->price, s->member[i]);
        bn_chosen_find(s, s->member[i])->role = BONSAI_ROLE_NONE;
    }
    memset(s->class_roots, 0, (size_t)s->job->g->view.classes * sizeof *s->class_roots);
    for (int64_t i = 0; i < then->members; i++) {
        int32_t v = s->member[i] = then->member[i];
        bn_price_again(s->price, v);
        *bn_chosen_find(s, v) = then->chosen[i];
        if (then->chosen[i].role == BONSAI_ROLE_ROOT)
            s->class_roots[bn_label(s->job->g, v)]++;
    }
    s->members = then->members;
    s->roots = then->roots;
    s->turns = then->turns;
}

bonsai_status bn_chosen_resume(const bn_chosen *s, bn_cover *cover)
{
    int32_t *tree = NULL;
    int64_t count = 0;
    bonsai_status rc = BN_NEW(&tree, s->roots);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < s->members; i++)
        if (bn_chosen_role(s, s->member[i]) == BONSAI_ROLE_ROOT)
            tree[count++] = (int32_t)bn_chosen_tree(s, s->member[i]);
    bn_cover_resume(cover, tree, count);
    bn_free(tree);
    return BONSAI_OK;
}
