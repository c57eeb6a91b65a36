/* publishedorder.c -- a lazy greedy cover with the published code's heap.
 *
 * Trees that are left when nothing more can be covered follow in the order of the heap's array, so
 * the heap must move its entries as the published one does: the last entry takes the root's place,
 * sinks to a leaf along the smaller children and rises again from there.
 *
 * SPDX-License-Identifier: MIT */
#include "published.h"

enum { TICK_EVERY = 4096 };

typedef struct { int32_t gain, tree; } item;

typedef struct {
    const bn_lists *covers;
    uint8_t *covered;           /* trees */
    item    *heap;
    int64_t  size;
    item    *counted;           /* popped and counted again */
    int64_t  count;
    bn_progress progress;
} cover;

/* Returns whether a comes before b: more gain first, then the lower tree. */
static bool before(item a, item b)
{
    return a.gain != b.gain ? a.gain > b.gain : a.tree < b.tree;
}

static void rise(item *heap, int64_t top, int64_t at)
{
    const item moving = heap[at];
    while (at > top && before(moving, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moving;
}

static void sink(item *heap, int64_t size, int64_t at)
{
    const int64_t top = at;
    const item moving = heap[at];
    for (int64_t child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && !before(heap[child], heap[child + 1]))
            child++;
        heap[at] = heap[child];
    }
    heap[at] = moving;
    rise(heap, top, at);
}

static void push(cover *c, item new)
{
    c->heap[c->size] = new;
    rise(c->heap, 0, c->size++);
}

static item pop(cover *c)
{
    const item top = c->heap[0], last = c->heap[--c->size];
    if (c->size > 0) {
        c->heap[0] = last;
        sink(c->heap, c->size, 0);
    }
    return top;
}

static int32_t gain_of(const cover *c, int32_t tree)
{
    int32_t gain = 0;
    for (int64_t i = c->covers->offsets[tree]; i < c->covers->offsets[tree + 1]; i++)
        gain += !c->covered[c->covers->item[i]];
    return gain;
}

static void count_again(cover *c, item popped)
{
    c->counted[c->count++] = (item){gain_of(c, popped.tree), popped.tree};
}

/* Returns the best of the top and of the entries that could be better than what was counted
 * last. */
static int32_t take_best(cover *c, item top)
{
    int64_t best = 0;
    c->count = 0;
    count_again(c, top);
    while (c->size > 0 && c->counted[c->count - 1].gain < c->heap[0].gain)
        count_again(c, pop(c));
    for (int64_t i = 1; i < c->count; i++)
        if (c->counted[i].gain > c->counted[best].gain)
            best = i;
    const int32_t tree = c->counted[best].tree;
    for (int64_t i = c->covers->offsets[tree]; i < c->covers->offsets[tree + 1]; i++)
        c->covered[c->covers->item[i]] = 1;
    for (int64_t i = 0; i < c->count; i++)
        if (i != best)
            push(c, c->counted[i]);
    return tree;
}

static bonsai_status run(int32_t *order, cover *c)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t trees = c->covers->count;
    int64_t placed = 0;
    for (int64_t i = trees / 2 - 1; i >= 0; i--)
        sink(c->heap, trees, i);
    while (c->size > 0) {
        const item top = pop(c);
        if (top.gain == 0) {
            for (int64_t i = 0; i < c->size; i++)
                order[placed++] = c->heap[i].tree;
            order[placed++] = top.tree;
            break;
        }
        order[placed++] = take_best(c, top);
        if (placed % TICK_EVERY == 0)
            BN_TRY(bn_tick(c->progress, "cover", placed, trees));
    }
done:
    return rc;
}

bonsai_status bn_published_order(int32_t *order, const bn_lists *covers, bn_progress progress)
{
    bonsai_status rc;
    const int64_t trees = covers->count;
    cover c = {.covers = covers, .size = trees, .progress = progress};
    BN_TRY(bn_tick(progress, "cover", 0, trees));
    BN_TRY(BN_NEW(&c.covered, trees));
    BN_TRY(BN_NEW(&c.heap, trees));
    BN_TRY(BN_NEW(&c.counted, trees));
    for (int64_t t = 0; t < trees; t++)
        c.heap[t] = (item){gain_of(&c, (int32_t)t), (int32_t)t};
    BN_TRY(run(order, &c));
    BN_TRY(bn_tick(progress, "cover", trees, trees));
done:
    bn_free(c.covered);
    bn_free(c.heap);
    bn_free(c.counted);
    return rc;
}
