/* publishedset.c -- trees of one hop, taken in order under a budget of the published code.
 *
 * A tree is a root and its neighbours, with every edge among them.  A set costs 2 bytes times the
 * sum of its nodes' prices and of 2 for each of its edges, a self loop of every node included.
 *
 * SPDX-License-Identifier: MIT */
#include "published.h"

#include "base/slotmap.h"

enum { MOST_MISSES = 100, TICK_EVERY = 1024 };

typedef struct { double sum; int64_t nodes, edges; } cost;      /* edges without self loops */

static double bytes_of(cost c)
{
    return 2 * (c.sum + 2 * (double)(c.edges + c.nodes));
}

static const int32_t *row_of(const bonsai_graph *g, int32_t v, int64_t *count)
{
    const int64_t begin = bn_row_begin(g, v);
    *count = bn_row_begin(g, (int64_t)v + 1) - begin;
    return bn_neighbors(g) + begin;
}

/* Sets or clears the bits of the members of a root's tree. */
static void mark(bn_published_set *s, int32_t root, bool in)
{
    int64_t count;
    const int32_t *to = row_of(s->g, root, &count);
    void (*const put)(uint64_t *, int32_t) = in ? bn_bit_set : bn_bit_clear;
    put(s->here, root);
    for (int64_t i = 0; i < count; i++)
        put(s->here, to[i]);
}

typedef struct { int32_t v; const int32_t *to; uint8_t *link; int64_t count; } member;

/* Adds entry i of the member's row, which leads to another member, to the cost.  An edge counts at
 * its lower end. */
static void join(cost *more, const member *m, int64_t i, bool take)
{
    if (m->link[i] || m->to[i] == m->v)
        return;
    more->edges += m->to[i] > m->v && (i == 0 || m->to[i] != m->to[i - 1]);
    m->link[i] = take;
}

static void join_to(cost *more, const member *m, int32_t other, bool take)
{
    int64_t low = 0, high = m->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (m->to[middle] < other)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < m->count && m->to[low] == other; low++)
        join(more, m, low, take);
}

/* Joins a member to all others.  Walks the shorter list, because a hub is a member of every tree
 * beside it. */
static void join_all(cost *more, bn_published_set *s, const member *m, int32_t root, bool take)
{
    int64_t count;
    const int32_t *to = row_of(s->g, root, &count);
    if (m->count <= count) {
        for (int64_t i = 0; i < m->count; i++)
            if (bn_bit(s->here, m->to[i]))
                join(more, m, i, take);
        return;
    }
    join_to(more, m, root, take);
    for (int64_t i = 0; i < count; i++)
        if (to[i] != root && (i == 0 || to[i] != to[i - 1]))
            join_to(more, m, to[i], take);
}

/* Adds the cost of a member: its row, and its edges to other members. take: adds them to the set
 * too. */
static void visit(cost *more, bn_published_set *s, int32_t v, int32_t root, bool take)
{
    member m = {.v = v, .link = s->link + bn_row_begin(s->g, v)};
    m.to = row_of(s->g, v, &m.count);
    if (!s->in[v]) {
        more->sum += s->price[v];
        more->nodes++;
        s->from[v] = take ? root : s->from[v];
        s->in[v] = take;
    }
    join_all(more, s, &m, root, take);
}

static cost walk(bn_published_set *s, int32_t root, bool take)
{
    cost more = {0, 0, 0};
    int64_t count;
    const int32_t *to = row_of(s->g, root, &count);
    visit(&more, s, root, root, take);
    for (int64_t i = 0; i < count; i++)
        if (to[i] != root && (i == 0 || to[i] != to[i - 1]))
            visit(&more, s, to[i], root, take);
    return more;
}

/* Takes the tree if it fits; returns whether it did. */
static bool try_tree(bn_published_set *s, int32_t root, double bytes)
{
    mark(s, root, true);
    const cost more = walk(s, root, false);
    const cost all = {s->sum + more.sum, s->nodes + more.nodes, s->edges + more.edges};
    const bool fits = bytes_of(all) < bytes;
    if (fits) {
        walk(s, root, true);
        s->sum = all.sum;
        s->nodes = all.nodes;
        s->edges = all.edges;
        s->root[s->roots++] = root;
    }
    mark(s, root, false);
    return fits;
}

static bonsai_status make_room(bn_published_set *s, const bn_job *job)
{
    bonsai_status rc;
    const int64_t n = s->g->view.nodes;
    BN_TRY(BN_NEW(&s->in, n));
    BN_TRY(BN_BIG(&s->link, job->at.memory, bn_row_begin(s->g, n)));
    BN_TRY(BN_NEW(&s->from, n));
    BN_TRY(BN_NEW(&s->here, BN_WORDS(n)));
    BN_TRY(BN_NEW(&s->root, job->trees));
done:
    return rc;
}

bonsai_status bn_published_select(bn_published_set *s, const bn_published *p, const bn_job *job,
                                  double bytes)
{
    bonsai_status rc;
    *s = (bn_published_set){.g = p->g, .price = p->price};
    BN_TRY(make_room(s, job));
    for (int64_t i = 0; i < job->trees && s->misses <= MOST_MISSES; i++) {
        s->misses += !try_tree(s, job->train[p->order[i]], bytes);
        if (i % TICK_EVERY == 0)
            BN_TRY(bn_tick(job->at.progress, "selecting", i, job->trees));
    }
    BN_TRY(bn_tick(job->at.progress, "selecting", job->trees, job->trees));
done:
    return rc;
}

void bn_published_set_free(bn_published_set *s)
{
    bn_free(s->in);
    bn_big_free(s->link);
    bn_free(s->from);
    bn_free(s->here);
    bn_free(s->root);
    *s = (bn_published_set){0};
}
