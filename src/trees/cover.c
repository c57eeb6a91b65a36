/* cover.c -- lazy greedy maximum coverage over reverse k-NN lists (CELF).
 *
 * A heap holds each candidate's last known gain.  Gains only shrink within a round, so a candidate
 * with a fresh gain on top of the heap is the best one; a pick usually takes a few re-checks.  When
 * every sample is covered, the next round starts with all of them uncovered and a new heap.  Paper:
 * algorithm 1.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "trees.h"

enum { FREE, TAKEN, SKIPPED, DROPPED };

typedef struct {
    double  key;                /* gain, or gain / cost */
    int64_t tie;
    int32_t tree;
    int32_t version;            /* picks made when the key was computed */
} node;

struct bn_cover {
    const bn_lists *covers;
    const int64_t *tie;
    const double *cost;
    int64_t samples, left;      /* samples; not covered in this round */
    int64_t reached, rechecks;
    uint8_t *state;             /* trees */
    int32_t *some;              /* trees that cover any sample, ascending */
    int64_t  somes;
    int32_t *skipped;           /* trees that are SKIPPED */
    int64_t  skips;
    uint8_t *covered;           /* samples: bit 0 in this round, bit 1 ever */
    node    *heap;
    int64_t  size;
    int32_t *order;             /* trees in random order, for when no gain is left */
    int64_t  at;                /* next of order */
    int32_t  version;
    bool     random;            /* no gain is left */
};

static bool before(const node *a, const node *b)
{
    if (a->key != b->key)
        return a->key > b->key;
    return a->tie != b->tie ? a->tie < b->tie : a->tree < b->tree;
}

static void sift_down(bn_cover *c, int64_t i)
{
    node moving = c->heap[i];
    for (int64_t child; (child = 2 * i + 1) < c->size; i = child) {
        if (child + 1 < c->size && before(&c->heap[child + 1], &c->heap[child]))
            child++;
        if (!before(&c->heap[child], &moving))
            break;
        c->heap[i] = c->heap[child];
    }
    c->heap[i] = moving;
}

static void pop(bn_cover *c)
{
    c->heap[0] = c->heap[--c->size];
    if (c->size > 0)
        sift_down(c, 0);
}

static double gain(const bn_cover *c, int64_t tree)
{
    int64_t fresh = 0;
    for (int64_t i = c->covers->offsets[tree]; i < c->covers->offsets[tree + 1]; i++)
        fresh += !(c->covered[c->covers->item[i]] & 1);
    return c->cost ? (double)fresh / c->cost[tree] : (double)fresh;
}

static void build_heap(bn_cover *c)
{
    c->size = 0;
    for (int64_t i = 0; i < c->somes; i++) {
        int32_t t = c->some[i];
        double key = c->state[t] == FREE ? gain(c, t) : 0;
        if (key > 0)
            c->heap[c->size++] = (node){key, c->tie[t], t, c->version};
    }
    for (int64_t i = c->size / 2 - 1; i >= 0; i--)
        sift_down(c, i);
}

static void new_round(bn_cover *c)
{
    for (int64_t s = 0; s < c->samples; s++)
        c->covered[s] &= 2;
    c->left = c->samples;
    build_heap(c);
}

static bonsai_status list_covering(bn_cover *c)
{
    const bn_lists *l = c->covers;
    for (int64_t t = 0; t < l->count; t++)
        c->somes += l->offsets[t + 1] > l->offsets[t];
    bonsai_status rc = BN_NEW(&c->some, c->somes);
    for (int64_t t = 0, i = 0; t < l->count && rc == BONSAI_OK; t++)
        if (l->offsets[t + 1] > l->offsets[t])
            c->some[i++] = (int32_t)t;
    return rc;
}

bonsai_status bn_cover_new(bn_cover **out, const bn_lists *covers, int64_t samples,
                           const int64_t *tie, const double *cost, uint64_t seed)
{
    bonsai_status rc;
    bn_cover *c = NULL;
    *out = NULL;
    BN_TRY(BN_NEW(&c, 1));
    c->covers = covers;
    c->samples = samples;
    c->tie = tie;
    c->cost = cost;
    BN_TRY(BN_NEW(&c->state, covers->count));
    BN_TRY(BN_NEW(&c->covered, samples));
    BN_TRY(BN_NEW(&c->skipped, covers->count));
    BN_TRY(list_covering(c));
    BN_TRY(BN_NEW(&c->heap, c->somes));
    BN_TRY(BN_NEW(&c->order, covers->count));
    for (int64_t t = 0; t < covers->count; t++)
        c->order[t] = (int32_t)t;
    bn_rng_shuffle(c->order, covers->count, seed);
    new_round(c);
    *out = c;
    c = NULL;
done:
    bn_cover_free(c);
    return rc;
}

/* Returns the tree of largest gain; -1 if no tree gains anything. */
static int64_t best_gain(bn_cover *c)
{
    while (c->size > 0) {
        node *top = &c->heap[0];
        if (c->state[top->tree] != FREE || top->key == 0) {
            pop(c);
            continue;
        }
        if (top->version == c->version)
            return top->tree;
        top->key = gain(c, top->tree);
        top->version = c->version;
        c->rechecks++;
        sift_down(c, 0);
    }
    return -1;
}

int64_t bn_cover_next(bn_cover *c)
{
    if (!c->random) {
        int64_t tree = best_gain(c);
        if (tree >= 0)
            return tree;
        c->random = true;
    }
    while (c->at < c->covers->count && c->state[c->order[c->at]] != FREE)
        c->at++;
    return c->at < c->covers->count ? c->order[c->at] : -1;
}

static void cover_sample(bn_cover *c, int32_t sample)
{
    c->left -= !(c->covered[sample] & 1);
    c->reached += !(c->covered[sample] & 2);
    c->covered[sample] = 3;
}

void bn_cover_take(bn_cover *c, int64_t tree)
{
    c->state[tree] = TAKEN;
    c->version++;
    for (int64_t i = c->covers->offsets[tree]; i < c->covers->offsets[tree + 1]; i++)
        cover_sample(c, c->covers->item[i]);
    if (c->left == 0 && c->samples > 0 && !c->random)
        new_round(c);
}

void bn_cover_skip(bn_cover *c, int64_t tree)
{
    c->state[tree] = SKIPPED;
    c->skipped[c->skips++] = (int32_t)tree;
}

void bn_cover_retry(bn_cover *c)
{
    for (; c->skips > 0; c->skips--)
        if (c->state[c->skipped[c->skips - 1]] == SKIPPED)      /* not taken since */
            c->state[c->skipped[c->skips - 1]] = FREE;
    c->at = 0;
    c->random = false;
    build_heap(c);
}

/* Marks the samples that the taken trees cover, of all rounds. */
static void cover_again(bn_cover *c)
{
    for (int64_t s = 0; s < c->samples; s++)
        c->covered[s] &= 2;
    c->left = c->samples;
    for (int64_t i = 0; i < c->somes; i++)
        for (int64_t t = c->some[i], e = c->covers->offsets[t];
             c->state[t] == TAKEN && e < c->covers->offsets[t + 1]; e++)
            cover_sample(c, c->covers->item[e]);
}

/* Puts some trees into a state, and computes the cover of the taken trees again. */
static void go_on(bn_cover *c, const int32_t *trees, int64_t count, uint8_t state)
{
    for (int64_t i = 0; i < count; i++)
        c->state[trees[i]] = state;
    cover_again(c);
    c->version++;
    c->random = false;
    if (c->left == 0)
        new_round(c);
    else
        build_heap(c);
}

void bn_cover_drop(bn_cover *c, const int32_t *trees, int64_t count)
{
    go_on(c, trees, count, DROPPED);
}

void bn_cover_resume(bn_cover *c, const int32_t *trees, int64_t count)
{
    memset(c->state, FREE, (size_t)c->covers->count);
    c->skips = 0;
    c->at = 0;
    go_on(c, trees, count, TAKEN);
}

int64_t bn_cover_reached(const bn_cover *c)
{
    return c->reached;
}

int64_t bn_cover_rechecks(const bn_cover *c)
{
    return c->rechecks;
}

void bn_cover_free(bn_cover *c)
{
    if (!c)
        return;
    bn_free(c->state);
    bn_free(c->some);
    bn_free(c->skipped);
    bn_free(c->covered);
    bn_free(c->heap);
    bn_free(c->order);
    bn_free(c);
}
