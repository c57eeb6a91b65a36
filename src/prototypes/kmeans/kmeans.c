/* kmeans.c -- clusters of rows: Lloyd's rounds (kmeans_round.c) after seeds (kmeans_seed.c).
 *
 *   rounds     until nothing changes
 *   few rows   all of them on every rank, which then does the same as the others
 *   many rows  rounds on a sample, which every rank has, then a few on all, each rank its own
 *
 * The rows of all ranks have places in one list, in the order of the ranks.  A sample is drawn by
 * places, sums are exact and what is nearest does not depend on products, so that nothing depends
 * on who has which row.  One rank alone does the same.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kmeans.h"

enum { SAMPLE_EACH = 32, FULL_ROUNDS = 2 };     /* where there are more rows */

typedef struct {                /* what was asked for */
    const bn_sharded *s;
    const int64_t *rows;
    int64_t  count, k;
    int64_t *place;             /* ranks+1: where the rows of each rank are in the list of all */
    int64_t  total;
    int      rounds, threads;
    uint64_t seed;
    int64_t  ticks;
} task;

static bn_round round_of(const task *t, int32_t *cluster)
{
    bn_world *w = t->s->at->world;
    return (bn_round){.s = t->s, .e = t->s->e, .rows = t->rows, .count = t->count, .k = t->k,
                      .base = t->place[bn_rank(w)], .total = t->total, .cluster = cluster,
                      .threads = t->threads, .ticks = t->ticks};
}

/* ---- equal rows ---- */

enum { STRETCH = 256 };         /* rows that are worth a thread */

static bool same_row(const bn_embedding *e, int64_t a, int64_t b)
{
    if (e->dense) {
        const float *x = e->dense + a * e->f, *y = e->dense + b * e->f;
        for (int64_t j = 0; j < e->f; j++)
            if (x[j] != y[j])
                return false;
        return true;
    }
    int64_t many = e->offsets[a + 1] - e->offsets[a];
    if (e->offsets[b + 1] - e->offsets[b] != many)
        return false;
    for (int64_t i = 0; i < many; i++)
        if (e->index[e->offsets[a] + i] != e->index[e->offsets[b] + i] ||
            e->value[e->offsets[a] + i] != e->value[e->offsets[b] + i])
            return false;
    return true;
}

typedef struct { uint64_t hash; int64_t at; } hashed;

static int by_hash(const void *a, const void *b)
{
    const hashed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Returns a hash of a row, the same for 0 and -0, and for entries in any order. */
static uint64_t hash_row(const bn_embedding *e, int64_t row)
{
    uint64_t hash = 0;
    int64_t from = e->dense ? row * e->f : e->offsets[row];
    int64_t to = e->dense ? from + e->f : e->offsets[row + 1];
    for (int64_t i = from; i < to; i++) {
        float v = e->dense ? e->dense[i] : e->value[i];
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        if (v != 0.0f)
            hash += bn_rng_at(bits, (uint64_t)(e->dense ? i - from : e->index[i])).key;
    }
    return hash;
}

/* Makes a cluster for each distinct row, in the order of their first: as many clusters as rows need
 * no distances. */
static bonsai_status cluster_distinct(int32_t *cluster, int64_t *found, const bn_embedding *e,
                                      const int64_t *rows, int64_t count, int threads)
{
    bonsai_status rc;
    hashed *h = NULL;
    *found = 0;
    BN_TRY(BN_NEW(&h, count));
#pragma omp parallel for num_threads(bn_team(threads, 8 * bn_numbers(e, count))) schedule(static)
    for (int64_t i = 0; i < count; i++)
        h[i] = (hashed){hash_row(e, rows[i]), i};
    qsort(h, (size_t)count, sizeof *h, by_hash);
    for (int64_t first = 0, i = 0; i < count; i++) {
        first = h[i].hash == h[first].hash ? first : i;
        int64_t j = first;
        while (j < i && !same_row(e, rows[h[j].at], rows[h[i].at]))
            j++;
        cluster[h[i].at] = (int32_t)h[j].at;
    }
    for (int64_t i = 0; i < count; i++)
        cluster[i] = cluster[i] == i ? (int32_t)(*found)++ : cluster[cluster[i]];
done:
    bn_free(h);
    return rc;
}

/* ---- rounds ---- */

/* Leaves out the clusters that stayed empty. */
static void close_gaps(bn_round *q)
{
    int64_t found = 0;
    for (int64_t c = 0; c < q->k; c++)
        q->size[c] = q->size[c] ? found++ : -1;
    for (int64_t i = 0; i < q->count; i++)
        q->cluster[i] = (int32_t)q->size[q->cluster[i]];
    q->k = found;
}

static bonsai_status new_sums(bn_sums *m, int32_t **before, const bn_round *q)
{
    bonsai_status rc;
    *m = (bn_sums){.e = q->e, .rows = q->rows, .count = q->count, .grid = q->grid,
                   .threads = q->threads};
    BN_TRY(BN_BIG(before, q->s->at->memory, q->count));
    BN_TRY(bn_sums_new(m, q->tile));
    m->cluster = *before;
done:
    return rc;
}

/* Runs rounds until no row changes its cluster; ticks end at `last` of q->ticks. */
static bonsai_status settle(bn_round *q, int rounds, int64_t last)
{
    bonsai_status rc;
    bn_world *w = q->s->at->world;
    int32_t *before = NULL;
    bn_sums m = {0};
    size_t bytes = (size_t)q->count * sizeof *before;
    int64_t changed = 1;
    BN_TRY(bn_agree(w, new_sums(&m, &before, q)));
    BN_TRY(bn_round_sizes(q));
    for (int round = 0; round < rounds && q->k > 1 && changed; round++) {
        BN_TRY(bn_agree(w, bn_tick(q->s->at->progress, "clusters", last - rounds + round,
                                   q->ticks)));
        memcpy(before, q->cluster, bytes);
        BN_TRY(bn_round_assign(q, &m, true));
        changed = memcmp(before, q->cluster, bytes) != 0;
        BN_TRY(bn_sum_int(w, &changed, 1));
    }
    close_gaps(q);
done:
    bn_big_free(before);
    bn_sums_free(&m);
    return rc;
}

/* Clusters rows that are all on this rank. */
static bonsai_status seed_and_settle(bn_round *q, int rounds, uint64_t seed)
{
    bonsai_status rc;
    int64_t asked = q->k;
    bn_seeds s = {q->e, q->rows, q->count, q->k, q->cluster, q->s->at};
    BN_TRY(bn_round_shift(q));
    BN_TRY(bn_kmeans_seed(&s, seed, q->ticks));
    q->k = s.k;
    BN_TRY(settle(q, rounds, asked + rounds));
done:
    return rc;
}

static bonsai_status cluster_here(int32_t *cluster, int64_t *found, const task *t)
{
    bonsai_status rc;
    bn_round q = round_of(t, cluster);
    if (t->k >= t->total)
        return cluster_distinct(cluster, found, t->s->e, t->rows, t->count, t->threads);
    BN_TRY(bn_round_new(&q));
    BN_TRY(seed_and_settle(&q, t->rounds, t->seed));
    *found = q.k;
done:
    bn_round_free(&q);
    return rc;
}

/* ---- few rows ---- */

/* Fills out with the numbers of the rows at the given places, which ascend, in the list of
 * all. */
static bonsai_status number_rows(int64_t *out, const task *t, const int64_t *at, int64_t many)
{
    bonsai_status rc;
    bn_world *w = t->s->at->world;
    int ranks = bn_ranks(w), rank = bn_rank(w);
    int64_t *mine = NULL, *bytes = NULL, count = 0;
    rc = BN_NEW(&mine, many);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&bytes, ranks);
    BN_TRY(bn_agree(w, rc));
    for (int64_t i = 0, r = 0; i < many; i++) {
        while (at[i] >= t->place[r + 1])
            r++;
        bytes[r] += (int64_t)sizeof *mine;
        if (r == rank)
            mine[count++] = bn_sharded_base(t->s) + t->rows[at[i] - t->place[r]];
    }
    BN_TRY(bn_gather(w, out, bytes, mine));
done:
    bn_free(mine);
    bn_free(bytes);
    return rc;
}

/* Copies the rows at these places to every rank, and numbers them for a task of one rank. */
static bonsai_status fetch(bn_embedding *x, int64_t *row, const task *t, const int64_t *at,
                           int64_t many)
{
    bonsai_status rc;
    BN_TRY(number_rows(row, t, at, many));
    BN_TRY(bn_rows_gather(x, t->s, row, many));
    for (int64_t i = 0; i < many; i++)
        row[i] = i;
done:
    return rc;
}

static bonsai_status cluster_few(int32_t *cluster, int64_t *found, const task *t)
{
    bonsai_status rc;
    bn_world *w = t->s->at->world;
    bn_place here = *t->s->at;
    here.world = NULL;
    bn_embedding x = {0};
    int64_t *row = NULL, place[2] = {0, t->total};
    int32_t *all = NULL;
    rc = BN_NEW(&row, t->total);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&all, t->total);
    BN_TRY(bn_agree(w, rc));
    for (int64_t i = 0; i < t->total; i++)
        row[i] = i;
    BN_TRY(fetch(&x, row, t, row, t->total));
    bn_sharded s = bn_sharded_alone(t->s, &x, &here);
    task own = *t;
    own.s = &s;
    own.rows = row;
    own.count = t->total;
    own.place = place;
    BN_TRY(bn_agree(w, cluster_here(all, found, &own)));
    memcpy(cluster, all + t->place[bn_rank(w)], (size_t)t->count * sizeof *cluster);
done:
    bn_embedding_free(&x);
    bn_free(row);
    bn_free(all);
    return rc;
}

/* ---- many rows ---- */

/* Draws ascending places, each set with the same chance. */
static void draw_places(int64_t *out, int64_t many, int64_t total, uint64_t seed)
{
    bn_rng r = bn_rng_at(seed, 1);
    for (int64_t i = 0, taken = 0; taken < many; i++)
        if (bn_rng_below(&r, total - i) < many - taken)
            out[taken++] = i;
}

/* Clusters a sample whose rows are all on this rank: fills its clusters and their sizes. */
static bonsai_status settle_sample(bn_round *q, const task *t, const bn_sharded *s,
                                   const int64_t *row)
{
    bonsai_status rc;
    *q = round_of(t, q->cluster);
    q->s = s;
    q->e = s->e;
    q->rows = row;
    q->count = q->total = s->e->rows;
    q->base = 0;
    BN_TRY(bn_round_new(q));
    BN_TRY(seed_and_settle(q, t->rounds, t->seed));
    BN_TRY(bn_round_sizes(q));
done:
    return rc;
}

/* Assigns all rows to the nearest of the means of a sample's clusters. */
static bonsai_status follow_sample(bn_round *all, bn_round *q)
{
    bonsai_status rc;
    bn_world *w = all->s->at->world;
    bn_sums m = {.e = q->e, .rows = q->rows, .cluster = q->cluster, .count = q->count,
                 .grid = q->grid, .threads = q->threads};
    all->k = q->k;
    all->shift = q->shift;
    q->shift = NULL;
    memcpy(all->size, q->size, (size_t)q->k * sizeof *q->size);
    BN_TRY(bn_agree(w, bn_sums_new(&m, all->tile)));
    BN_TRY(bn_round_assign(all, &m, false));
done:
    bn_sums_free(&m);
    return rc;
}

static bonsai_status cluster_many(int32_t *cluster, int64_t *found, const task *t, int64_t many,
                                  int full)
{
    bonsai_status rc;
    bn_world *w = t->s->at->world;
    bn_place here = *t->s->at;
    here.world = NULL;
    bn_embedding x = {0};
    bn_round q = {0}, all = round_of(t, cluster);
    int64_t *row = NULL;
    rc = BN_NEW(&row, many);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&q.cluster, many);
    int32_t *part = q.cluster;
    BN_TRY(bn_agree(w, rc));
    draw_places(row, many, t->total, t->seed);
    BN_TRY(fetch(&x, row, t, row, many));
    bn_sharded s = bn_sharded_alone(t->s, &x, &here);
    BN_TRY(bn_agree(w, settle_sample(&q, t, &s, row)));
    BN_TRY(bn_agree(w, bn_round_new(&all)));
    BN_TRY(follow_sample(&all, &q));
    BN_TRY(settle(&all, full, t->ticks));
    *found = all.k;
done:
    bn_round_free(&q);
    bn_round_free(&all);
    bn_embedding_free(&x);
    bn_free(part);
    bn_free(row);
    return rc;
}

/* ---- the door ---- */

static bonsai_status cluster_all(int32_t *cluster, int64_t *found, task *t)
{
    bonsai_status rc;
    bn_world *w = t->s->at->world;
    int64_t many = t->k > BN_KMEANS_SAMPLE / SAMPLE_EACH ? bn_least(t->k, t->total) * SAMPLE_EACH
                                                         : BN_KMEANS_SAMPLE;
    int full = t->rounds < FULL_ROUNDS ? t->rounds : FULL_ROUNDS;
    bool few = t->k >= t->total || t->total <= many;
    t->ticks = bn_least(t->k, t->total) + t->rounds + full;
    BN_TRY(bn_agree(w, bn_tick(t->s->at->progress, "clusters", 0, t->ticks)));
    if (!few)
        BN_TRY(cluster_many(cluster, found, t, many, full));
    else if (bn_ranks(w) > 1)
        BN_TRY(cluster_few(cluster, found, t));
    else
        BN_TRY(cluster_here(cluster, found, t));
    BN_TRY(bn_agree(w, bn_tick(t->s->at->progress, "clusters", t->ticks, t->ticks)));
done:
    return rc;
}

bonsai_status bn_kmeans(int32_t *cluster, int64_t *found, const bn_sharded *s,
                        const bn_kmeans_task *asked)
{
    bonsai_status rc;
    bn_world *w = s->at->world;
    task t = {.s = s, .rows = asked->rows, .count = asked->count, .k = asked->k,
              .rounds = asked->rounds, .seed = asked->seed, .threads = bn_threads(s->at->threads)};
    *found = 0;
    if (t.k < 1)
        return bn_fail(BONSAI_E_ARGUMENT, "k is %lld: there must be a cluster", (long long)t.k);
    BN_TRY(bn_agree(w, BN_NEW(&t.place, bn_ranks(w) + 1)));
    BN_TRY(bn_places(t.place, w, t.count));
    t.total = t.place[bn_ranks(w)];
    BN_TRY(cluster_all(cluster, found, &t));
done:
    bn_free(t.place);
    return rc;
}
