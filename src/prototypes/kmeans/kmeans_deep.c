/* kmeans_deep.c -- many clusters of many rows: clusters of clusters.
 *
 * k clusters of n rows cost n k products a round, and under a budget k grows with n.  Where
 * that is much, the rows are first parted into the root of k groups, each group gets its share
 * of the k clusters by its rows, and is treated in the same way: n root(k) products instead.
 *
 * All ranks part a group together.  What is small enough to be clustered at once is a leaf: a
 * rank's work by itself (kmeans_leaves.c).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "kmeans_deep.h"

/* Products of a round from which it pays; most groups of one level, their rounds, and those of
 * their parts, which begin near their end. */
enum { MUCH = 1 << 27, MOST_GROUPS = 64, GROUP_ROUNDS = 8, LEAF_ROUNDS = 10, LEAST_PARTED = 4 };
enum { THREAD_WORK = 1 << 21 };         /* ... and those that are worth a thread */
/* Leaves from which each has a thread of its own, and those of a thread between two ticks. */
enum { MANY_LEAVES = 8, SIDE_BY_SIDE = 8 };

typedef struct {                /* the groups of one level */
    int64_t count;
    int64_t size[MOST_GROUPS];          /* on all ranks */
    int64_t first[MOST_GROUPS + 1];     /* where they begin here */
    int64_t want[MOST_GROUPS];
} groups;

static double work_of(const bn_deep *d, int64_t total, int64_t k)
{
    return (double)total * (double)k * d->s->length;
}

/* Shares k among the groups by their sizes: at least 1, at most the size.  What rounding
 * leaves is given to the groups in order; what small groups got beyond their share is taken
 * from the largest shares. */
static void share_out(groups *g, int64_t k, int64_t total)
{
    int64_t left = k, *want = g->want;
    for (int64_t i = 0; i < g->count; i++) {
        want[i] = (int64_t)((double)k * (double)g->size[i] / (double)total);
        want[i] = want[i] < 1 ? 1 : want[i] > g->size[i] ? g->size[i] : want[i];
        left -= want[i];
    }
    for (; left < 0; left++) {
        int64_t most = 0;
        for (int64_t i = 1; i < g->count; i++)
            most = want[i] > want[most] ? i : most;
        want[most]--;
    }
    for (int64_t before = -1; left > 0 && left != before;) {
        before = left;
        for (int64_t i = 0; i < g->count && left > 0; i++)
            if (want[i] < g->size[i]) {
                want[i]++;
                left--;
            }
    }
}

/* Sorts the rank's rows of a part by their groups. */
static void sort_groups(bn_deep *d, groups *g, int64_t begin, int64_t count)
{
    int64_t next[MOST_GROUPS];
    const int32_t *part = d->part + begin;
    memset(g->first, 0, sizeof g->first);
    for (int64_t i = 0; i < count; i++)
        g->first[part[i] + 1]++;
    for (int64_t i = 0; i < g->count; i++)
        g->first[i + 1] += g->first[i];
    memcpy(next, g->first, sizeof next);
    for (int64_t i = 0; i < count; i++)
        d->spare[next[part[i]]++] = (int32_t)i;
    for (int64_t i = 0; i < count; i++)
        d->spare[i] = d->place[begin + d->spare[i]];
    for (int64_t i = 0; i < count; i++) {
        d->place[begin + i] = d->spare[i];
        d->row[begin + i] = d->rows[d->spare[i]];
    }
}

static bonsai_status add_leaf(bn_deep *d, bn_leaf l)
{
    bonsai_status rc = bn_grow((void **)&d->leaf, &d->room, d->leaves + 1, sizeof *d->leaf);
    if (rc == BONSAI_OK)
        d->leaf[d->leaves++] = l;
    return rc;
}

/* Parts the rows from begin on into groups, and sorts them by these. */
static bonsai_status part_rows(bn_deep *d, groups *g, const bn_leaf *l, int64_t k, int rounds)
{
    bonsai_status rc;
    bn_world *w = d->s->at->world;
    BN_TRY(bn_kmeans(d->part + l->begin, &g->count, d->s,
                     &(bn_kmeans_task){d->row + l->begin, l->count, k, rounds, l->seed}));
    sort_groups(d, g, l->begin, l->count);
    for (int64_t i = 0; i < g->count; i++)
        g->size[i] = g->first[i + 1] - g->first[i];
    BN_TRY(bn_sum_int(w, g->size, g->count));
done:
    return rc;
}

/* Parts the group l until only leaves are left. */
static bonsai_status part(bn_deep *d, bn_leaf l)
{
    bonsai_status rc;
    bn_world *w = d->s->at->world;
    groups g;
    int64_t parts = (int64_t)ceil(sqrt((double)l.k));
    bool flat = l.k < LEAST_PARTED;     /* the groups are the clusters */
    if (l.k == 1 || l.k >= l.total || work_of(d, l.total, l.k) < (double)MUCH)
        return bn_agree(w, add_leaf(d, l));
    parts = flat ? l.k : bn_least(parts, MOST_GROUPS);
    BN_TRY(part_rows(d, &g, &l, parts, flat ? d->rounds : GROUP_ROUNDS));
    for (int64_t i = 0; i < g.count; i++)
        g.want[i] = 1;
    if (!flat)
        share_out(&g, l.k, l.total);
    for (int64_t i = 0; i < g.count; i++) {
        bn_rng r = bn_rng_at(l.seed, (uint64_t)i + 1);
        BN_TRY(part(d, (bn_leaf){.begin = l.begin + g.first[i],
                                 .count = g.first[i + 1] - g.first[i], .total = g.size[i],
                                 .k = g.want[i], .seed = bn_rng_next(&r)}));
    }
done:
    return rc;
}

bonsai_status bn_leaf_solve(const bn_deep *d, bn_leaf *l, int32_t *cluster, const bn_sharded *s,
                            const int64_t *rows)
{
    double work = work_of(d, l->total, l->k);
    bn_place few = *s->at;
    bn_sharded own = *s;
    few.threads = bn_lanes(bn_threads(few.threads), 1 + (int64_t)(work / THREAD_WORK));
    own.at = &few;
    if (l->k == 1 && l->total > 0) {
        memset(cluster, 0, (size_t)l->total * sizeof *cluster);
        l->found = 1;
        return BONSAI_OK;
    }
    return bn_kmeans(cluster, &l->found, &own,
                     &(bn_kmeans_task){rows, l->total, l->k, d->rounds, l->seed});
}

/* Solves a leaf whose rows lie in memory. */
static bonsai_status solve_leaf(bn_deep *d, bn_leaf *l, const bn_sharded *s)
{
    bonsai_status rc = bn_leaf_solve(d, l, d->part + l->begin, s, d->row + l->begin);
    for (int64_t j = l->begin; rc == BONSAI_OK && j < l->begin + l->count; j++)
        d->cluster[d->place[j]] = d->part[j];
    return rc;
}

static bonsai_status solve_one_by_one(bn_deep *d)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < d->leaves; i++)
        BN_TRY(solve_leaf(d, &d->leaf[i], d->s));
done:
    return rc;
}

/* Solves some leaves with a thread for each, without a limit of memory, because one leaf is
 * small.  What a thread cannot solve is tried again here, where the reason can be reported. */
static bonsai_status solve_some(bn_deep *d, int64_t begin, int64_t end)
{
    bonsai_status rc = BONSAI_OK;
    const bn_place single = {.threads = 1};
    bn_sharded own = *d->s;
    own.at = &single;
    const double work = (double)(end - begin) * MUCH / 8;
    const int threads = bn_threads(d->s->at->threads);
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic)
    for (int64_t i = begin; i < end; i++)
        if (solve_leaf(d, &d->leaf[i], &own) != BONSAI_OK)
            d->leaf[i].found = -1;
    for (int64_t i = begin; i < end; i++)
        if (d->leaf[i].found < 0)
            BN_TRY(solve_leaf(d, &d->leaf[i], &own));
done:
    return rc;
}

static bonsai_status solve_side_by_side(bn_deep *d)
{
    bonsai_status rc;
    const bool dense = d->s->e->dense != NULL;
    const int64_t some = SIDE_BY_SIDE * bn_threads(d->s->at->threads);
    if (dense)
        BN_TRY(bn_blas_begin(1));       /* for all of them: else each would begin and end it */
    rc = BONSAI_OK;
    for (int64_t i = 0; i < d->leaves && rc == BONSAI_OK; i += some) {
        rc = bn_tick(d->s->at->progress, "clusters", i, d->leaves);
        if (rc == BONSAI_OK)
            rc = solve_some(d, i, bn_least(i + some, d->leaves));
    }
    if (dense)
        bn_blas_end();
done:
    return rc;
}

/* Solves all leaves on one rank, with rows in memory. */
static bonsai_status solve_here(bn_deep *d)
{
    return d->leaves < MANY_LEAVES ? solve_one_by_one(d) : solve_side_by_side(d);
}

static bonsai_status solve(bn_deep *d, int64_t *found)
{
    bonsai_status rc;
    BN_TRY(bn_sharded_here(d->s) ? solve_here(d) : bn_leaves_deal(d));
    for (int64_t i = 0; i < d->leaves; i++) {
        const bn_leaf *l = &d->leaf[i];
        for (int64_t j = l->begin; j < l->begin + l->count; j++)
            d->cluster[d->place[j]] += (int32_t)*found;
        *found += l->found;
    }
done:
    return rc;
}

static bonsai_status make_room(bn_deep *d)
{
    bonsai_status rc;
    bn_memory *m = d->s->at->memory;
    BN_TRY(BN_BIG(&d->row, m, d->count));
    BN_TRY(BN_BIG(&d->place, m, d->count));
    BN_TRY(BN_BIG(&d->part, m, d->count));
    BN_TRY(BN_BIG(&d->spare, m, d->count));
    for (int64_t i = 0; i < d->count; i++) {
        d->row[i] = d->rows[i];
        d->place[i] = (int32_t)i;
    }
done:
    return rc;
}

bonsai_status bn_kmeans_deep(int32_t *cluster, int64_t *found, const bn_sharded *s,
                             const bn_kmeans_task *t)
{
    bonsai_status rc;
    bn_world *w = s->at->world;
    int64_t total = t->count;
    bn_deep d = {.s = s, .rows = t->rows, .count = t->count, .cluster = cluster,
                 .rounds = t->rounds};
    *found = 0;
    BN_TRY(bn_agree(w, make_room(&d)));
    BN_TRY(bn_sum_int(w, &total, 1));
    BN_TRY(part(&d, (bn_leaf){.count = t->count, .total = total, .k = t->k, .seed = t->seed}));
    if (d.leaves > 1)
        d.rounds = (int)bn_least(d.rounds, LEAF_ROUNDS);
    BN_TRY(solve(&d, found));
done:
    bn_big_free(d.row);
    bn_big_free(d.place);
    bn_big_free(d.part);
    bn_big_free(d.spare);
    bn_free(d.leaf);
    return rc;
}
