/* wl_halo.c -- finds which rows are needed at which level, and from which rank; see wl.c.
 *
 * The requested rows are needed at the last level, and a row that is needed at a level needs itself
 * and its neighbours at the level below.  So the needed set only grows on the way down, and one
 * number for each row is enough: the row is needed at the levels below that number.  Each edge is
 * read once, when its row joins.  Ids of rows of other ranks are sent to their owners once, when
 * they join.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "wl.h"

enum { SOME_ROWS = 1024 };

typedef struct {                /* sets of nodes of other ranks, a bit for each node of the graph */
    uint64_t *held, *fresh;     /* in the halo; about to join it */
    int64_t   words;
    int32_t  *before;           /* words: how many are held before each */
} far_nodes;

/* ---- lists ---- */

static bonsai_status list_new(bn_wl_list *l, int ranks)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&l->begin, ranks + 1));
    BN_TRY(BN_NEW(&l->rows, ranks));
done:
    return rc;
}

static void list_free(bn_wl_list *l)
{
    bn_big_free(l->row);
    bn_big_free(l->need);
    bn_big_free(l->place);
    bn_free(l->begin);
    bn_free(l->rows);
    memset(l, 0, sizeof *l);
}

/* Adds new rows to the list; begin (ranks+1) is of row. */
static bonsai_status list_join(bn_wl_list *l, const int32_t *row, const int64_t *begin, int ranks,
                               uint8_t mark, bn_memory *m)
{
    bonsai_status rc;
    bn_wl_list all = *l;
    int64_t to = 0;
    all.row = NULL;
    all.need = NULL;
    all.count += begin[ranks];
    BN_TRY(BN_BIG(&all.row, m, all.count));
    BN_TRY(BN_BIG(&all.need, m, all.count));
    for (int r = 0; r < ranks; r++) {
        int64_t i = l->begin[r], iend = l->begin[r + 1], j = begin[r], jend = begin[r + 1];
        l->begin[r] = to;
        while (i < iend || j < jend) {
            bool old = j == jend || (i < iend && l->row[i] < row[j]);
            all.row[to] = old ? l->row[i] : row[j];
            all.need[to++] = old ? l->need[i] : mark;
            i += old;
            j += !old;
        }
    }
    l->begin[ranks] = to;
    bn_big_free(l->row);
    bn_big_free(l->need);
    *l = all;
    memset(&all, 0, sizeof all);
done:
    bn_big_free(all.row);
    bn_big_free(all.need);
    return rc;
}

static int64_t count_needed(const uint8_t *need, int64_t begin, int64_t end, int level)
{
    int64_t count = 0;
    uint8_t mark = bn_wl_mark(level);
    for (int64_t i = begin; i < end; i++)
        count += need[i] >= mark;
    return count;
}

static void list_at(bn_wl_list *l, int ranks, int level, int threads)
{
    int64_t blocks = l->count / BN_WL_BLOCK + 1;
    for (int r = 0; r < ranks; r++)
        l->rows[r] = count_needed(l->need, l->begin[r], l->begin[r + 1], level);
#pragma omp parallel for num_threads(bn_team(threads, (double)l->count)) schedule(static)
    for (int64_t b = 0; b < blocks; b++)
        l->place[b + 1] = count_needed(l->need, b * BN_WL_BLOCK,
                                       bn_least(l->count, (b + 1) * BN_WL_BLOCK), level);
    for (int64_t b = 0; b < blocks; b++)
        l->place[b + 1] += l->place[b];
}

void bn_wl_lists_at(bn_wl_run *w, int level)
{
    int ranks = bn_ranks(bn_wl_world(w));
    list_at(&w->in, ranks, level, w->threads);
    list_at(&w->out, ranks, level, w->threads);
}

int64_t bn_wl_needed(const bn_wl_run *w, int level)
{
    return w->need ? count_needed(w->need, 0, w->n, level) : w->n;
}

/* ---- one hop ---- */

static void raise_to(uint8_t *need, uint8_t mark)
{
    uint8_t now;
#pragma omp atomic read
    now = *need;
    if (now >= mark)
        return;
#pragma omp atomic write
    *need = mark;
}

static void set_bit(uint64_t *bits, int64_t i)
{
    uint64_t word, bit = 1ull << (i & 63);
#pragma omp atomic read
    word = bits[i >> 6];
    if (word & bit)
        return;
#pragma omp atomic update
    bits[i >> 6] |= bit;
}

/* Marks the neighbours of the rows that joined at this level, for the level below. */
static void mark_neighbours(bn_wl_run *w, int level, far_nodes *far)
{
    const int32_t *id = bn_neighbors(w->g);
    uint8_t joined = bn_wl_mark(level), mark = bn_wl_mark(level - 1);
    const double work = 8 * bn_wl_numbers(w, w->n);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(dynamic, SOME_ROWS)
    for (int64_t v = 0; v < w->n; v++) {
        uint8_t mine;
#pragma omp atomic read
        mine = w->need[v];
        if (mine != joined)
            continue;
        int64_t end = bn_row_begin(w->g, w->first + v + 1);
        for (int64_t e = bn_row_begin(w->g, w->first + v); e < end; e++) {
            int64_t u = id[e] - w->first;
            if (u >= 0 && u < w->n)
                raise_to(&w->need[u], mark);
            else
                set_bit(far->fresh, id[e]);
        }
    }
}

/* ---- requests to the owners ---- */

typedef struct {
    int32_t *mine, *theirs;             /* nodes that this rank asks for, and is asked for */
    int64_t *begin, *their_begin;       /* ranks+1 */
    int64_t *count, *their_count;       /* ranks */
    int64_t *bytes;                     /* ranks */
} asking;

static void asking_free(asking *a)
{
    bn_big_free(a->mine);
    bn_big_free(a->theirs);
    bn_free(a->begin);
    bn_free(a->their_begin);
    bn_free(a->count);
    bn_free(a->their_count);
    bn_free(a->bytes);
}

/* Lists the nodes that are fresh and not held; they become held. */
static bonsai_status list_fresh(asking *a, far_nodes *far, const bn_wl_run *w, int ranks)
{
    bonsai_status rc;
    int64_t count = 0;
    BN_TRY(BN_NEW(&a->begin, ranks + 1));
    BN_TRY(BN_NEW(&a->their_begin, ranks + 1));
    BN_TRY(BN_NEW(&a->count, ranks));
    BN_TRY(BN_NEW(&a->their_count, ranks));
    BN_TRY(BN_NEW(&a->bytes, ranks));
    for (int64_t i = 0; i < far->words; i++)
        count += __builtin_popcountll(far->fresh[i] &= ~far->held[i]);
    BN_TRY(BN_BIG(&a->mine, w->at->memory, count));
    count = 0;
    for (int64_t i = 0; i < far->words; i++) {
        for (uint64_t bits = far->fresh[i]; bits; bits &= bits - 1)
            a->mine[count++] = (int32_t)(i * 64 + __builtin_ctzll(bits));
        far->held[i] |= far->fresh[i];
        far->fresh[i] = 0;
    }
    for (int64_t i = 0, r = 0; r < ranks; r++) {
        a->begin[r] = i;
        while (i < count && a->mine[i] < w->at->first[r + 1])
            i++;
        a->begin[r + 1] = i;
        a->count[r] = i - a->begin[r];
        a->bytes[r] = sizeof *a->count;
    }
done:
    return rc;
}

static bonsai_status room_for_theirs(asking *a, bn_wl_run *w, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        a->their_begin[r + 1] = a->their_begin[r] + a->their_count[r];
        w->in_bytes[r] = a->their_count[r] * (int64_t)sizeof *a->theirs;
        w->out_bytes[r] = a->count[r] * (int64_t)sizeof *a->mine;
    }
    return BN_BIG(&a->theirs, w->at->memory, a->their_begin[ranks]);
}

static bonsai_status join_both(bn_wl_run *w, const asking *a, int ranks, int level)
{
    bonsai_status rc;
    uint8_t mark = bn_wl_mark(level);
    for (int64_t i = 0; i < a->their_begin[ranks]; i++) {
        uint8_t *need = &w->need[a->theirs[i] - w->first];
        *need = *need > mark ? *need : mark;
    }
    BN_TRY(list_join(&w->in, a->mine, a->begin, ranks, mark, w->at->memory));
    BN_TRY(list_join(&w->out, a->theirs, a->their_begin, ranks, mark, w->at->memory));
done:
    return rc;
}

static bonsai_status ask_owners(bn_wl_run *w, far_nodes *far, int level)
{
    bonsai_status rc;
    bn_world *world = bn_wl_world(w);
    int ranks = bn_ranks(world);
    asking a = {0};
    BN_TRY(bn_agree(world, list_fresh(&a, far, w, ranks)));
    BN_TRY(bn_exchange(world, a.their_count, a.bytes, a.count, a.bytes));
    BN_TRY(bn_agree(world, room_for_theirs(&a, w, ranks)));
    BN_TRY(bn_exchange(world, a.theirs, w->in_bytes, a.mine, w->out_bytes));
    BN_TRY(bn_agree(world, join_both(w, &a, ranks, level)));
done:
    asking_free(&a);
    return rc;
}

/* ---- local rows ---- */

static int32_t local_row(const bn_wl_run *w, const far_nodes *far, int32_t node)
{
    int64_t u = node - w->first, word = node >> 6;
    if (u >= 0 && u < w->n)
        return (int32_t)u;
    uint64_t below = far->held[word] & ((1ull << (node & 63)) - 1);
    return (int32_t)(w->n + far->before[word] + __builtin_popcountll(below));
}

static void renumber(bn_wl_run *w, const far_nodes *far)
{
    int64_t from = bn_row_begin(w->g, w->first);
    const int32_t *id = bn_neighbors(w->g) + from;
    const double work = 16 * bn_wl_numbers(w, w->n);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(dynamic, SOME_ROWS)
    for (int64_t v = 0; v < w->n; v++) {
        int64_t e = bn_row_begin(w->g, w->first + v) - from;
        int64_t end = bn_row_begin(w->g, w->first + v + 1) - from;
        bool outer = false;
        for (; e < end && bn_wl_needs(w->need, v, 1); e++) {
            w->neighbors[e] = local_row(w, far, id[e]);
            outer = outer || w->neighbors[e] >= w->n;
        }
        w->outer[v] = outer;
    }
}

static bonsai_status make_local(bn_wl_run *w, far_nodes *far)
{
    bonsai_status rc;
    bn_memory *m = w->at->memory;
    BN_TRY(BN_BIG(&w->in.place, m, w->in.count / BN_WL_BLOCK + 2));
    BN_TRY(BN_BIG(&w->out.place, m, w->out.count / BN_WL_BLOCK + 2));
    BN_TRY(BN_BIG(&far->before, m, far->words + 1));
    BN_TRY(BN_BIG(&w->neighbors, m, bn_row_begin(w->g, w->first + w->n) -
                                        bn_row_begin(w->g, w->first)));
    BN_TRY(BN_BIG(&w->outer, m, w->n));
    for (int64_t i = 0; i < far->words; i++)
        far->before[i + 1] = far->before[i] + __builtin_popcountll(far->held[i]);
    renumber(w, far);
    for (int64_t i = 0; i < w->out.count; i++)
        w->out.row[i] -= (int32_t)w->first;
    bn_big_free(w->in.row);             /* they are the local rows from n on, in order */
    w->in.row = NULL;
done:
    return rc;
}

/* ---- the search ---- */

static bonsai_status start_reach(bn_wl_run *w, far_nodes *far, int ranks)
{
    bonsai_status rc;
    bn_memory *m = w->at->memory;
    BN_TRY(BN_BIG(&w->need, m, w->n));
    for (int64_t i = 0; i < w->count; i++)
        w->need[w->nodes ? w->nodes[i] - w->first : i] = bn_wl_mark(w->layers);
    if (ranks == 1 || w->layers == 0)
        goto done;
    far->words = w->g->view.nodes / 64 + 1;
    BN_TRY(BN_BIG(&far->held, m, far->words));
    BN_TRY(BN_BIG(&far->fresh, m, far->words));
    BN_TRY(BN_NEW(&w->in_bytes, ranks));
    BN_TRY(BN_NEW(&w->out_bytes, ranks));
    BN_TRY(list_new(&w->in, ranks));
    BN_TRY(list_new(&w->out, ranks));
done:
    return rc;
}

bonsai_status bn_wl_reach(bn_wl_run *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_world *world = bn_wl_world(w);
    int ranks = bn_ranks(world);
    far_nodes far = {0};
    if (ranks == 1 && !w->nodes)
        return rc;
    BN_TRY(bn_agree(world, start_reach(w, &far, ranks)));
    for (int level = w->layers; level > 0; level--) {
        mark_neighbours(w, level, &far);
        if (ranks > 1)
            BN_TRY(ask_owners(w, &far, level - 1));
    }
    if (ranks > 1 && w->layers > 0)
        BN_TRY(bn_agree(world, make_local(w, &far)));
done:
    bn_big_free(far.held);
    bn_big_free(far.fresh);
    bn_big_free(far.before);
    return rc;
}

void bn_wl_reach_free(bn_wl_run *w)
{
    list_free(&w->in);
    list_free(&w->out);
    bn_big_free(w->need);
    bn_big_free(w->neighbors);
    bn_big_free(w->outer);
    bn_free(w->in_bytes);
    bn_free(w->out_bytes);
}
