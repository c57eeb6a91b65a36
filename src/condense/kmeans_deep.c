/* kmeans_deep.c -- many clusters of many rows: clusters of clusters.
 *
 * k clusters of n rows cost n k products a round, and under a budget k grows with n.  Where
 * that is much, the rows are first parted into the root of k groups, each group gets its share
 * of the k clusters by its rows, and is treated in the same way: n root(k) products instead.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "kmeans.h"
#include "prototypes.h"

/* Products of a round from which it pays; most groups of one level, and their rounds. */
enum { MUCH = 1 << 27, MOST_GROUPS = 64, GROUP_ROUNDS = 8 };
enum { THREAD_WORK = 1 << 21 };         /* ... and those that are worth a thread */

typedef struct {                /* the same for all levels */
    const bn_embedding *e;
    double  length;             /* numbers that a row has */
    int     rounds, threads;
    bn_progress progress;
} deep;

static double row_length(const bn_embedding *e)
{
    if (e->dense || e->rows == 0)
        return (double)e->f;
    return (double)e->offsets[e->rows] / (double)e->rows;
}

/* want[i] (parts) of k by the sizes: at least 1, at most the size; what rounding leaves goes to
 * the groups in order, and what small groups got beyond their share the largest shares give. */
static void share_out(int64_t *want, const bn_groups *g, int64_t k, int64_t count)
{
    int64_t left = k;
    for (int64_t i = 0; i < g->k; i++) {
        int64_t size = g->first[i + 1] - g->first[i];
        want[i] = (int64_t)((double)k * (double)size / (double)count);
        want[i] = want[i] < 1 ? 1 : want[i] > size ? size : want[i];
        left -= want[i];
    }
    for (; left < 0; left++) {
        int64_t most = 0;
        for (int64_t i = 1; i < g->k; i++)
            most = want[i] > want[most] ? i : most;
        want[most]--;
    }
    for (int64_t before = -1; left > 0 && left != before;) {
        before = left;
        for (int64_t i = 0; i < g->k && left > 0; i++)
            if (want[i] < g->first[i + 1] - g->first[i]) {
                want[i]++;
                left--;
            }
    }
}

static bonsai_status part(int32_t *cluster, int64_t *found, const deep *d, const int64_t *rows,
                          int64_t count, int64_t k, uint64_t seed)
{
    bonsai_status rc;
    bn_groups g = {0};
    int32_t *own = NULL;
    int64_t *place = NULL, want[MOST_GROUPS], parts = (int64_t)ceil(sqrt((double)k)), groups;
    double work = (double)count * (double)k * d->length;
    if (k < 4 || k >= count || work < (double)MUCH)
        return bn_kmeans(cluster, found, d->e, rows, count, k, d->rounds, seed,
                         bn_team(bn_threads(d->threads), 1 + (int64_t)(work / THREAD_WORK)),
                         d->progress);
    parts = parts < MOST_GROUPS ? parts : MOST_GROUPS;
    *found = 0;
    BN_TRY(bn_kmeans(cluster, &groups, d->e, rows, count, parts, GROUP_ROUNDS, seed, d->threads,
                     d->progress));
    BN_TRY(bn_groups_new(&g, count, groups));
    BN_TRY(BN_NEW(&own, count));
    BN_TRY(BN_NEW(&place, count));
    bn_groups_fill(&g, NULL, cluster, count, groups);       /* places in rows */
    memcpy(place, g.at, (size_t)count * sizeof *place);
    share_out(want, &g, k, count);
    for (int64_t i = 0; i < count; i++)
        g.at[i] = rows[place[i]];
    for (int64_t i = 0; i < groups; i++) {
        int64_t first = g.first[i], size = g.first[i + 1] - first, more = 0;
        bn_rng r = bn_rng_at(seed, (uint64_t)i + 1);
        BN_TRY(part(own, &more, d, g.at + first, size, want[i], bn_rng_next(&r)));
        for (int64_t j = 0; j < size; j++)
            cluster[place[first + j]] = (int32_t)(*found + own[j]);
        *found += more;
    }
done:
    bn_groups_free(&g);
    bn_free(own);
    bn_free(place);
    return rc;
}

bonsai_status bn_kmeans_deep(int32_t *cluster, int64_t *found, const bn_embedding *e,
                             const int64_t *rows, int64_t count, int64_t k, int rounds,
                             uint64_t seed, int threads, bn_progress p)
{
    const deep d = {e, row_length(e), rounds, threads, p};
    return part(cluster, found, &d, rows, count, k, seed);
}
