/* symmetry.c -- checks that an undirected graph lists each edge from both ends.
 *
 * Rows are sorted, so as u ascends, the entries (v, u) of each row v are met in order: the cursor
 * of row v must always be at u.  It is enough to look from the lower end of each edge, and then at
 * whether the cursor of each row has passed all its entries to lower rows.  Each thread has a range
 * of rows, and passes through the entries of all lower rows that lead there.
 *
 * Over ranks, the entries of u are sent to the owners of v, who hold the cursors.  One rank after
 * another sends, a batch at a time, so they arrive in that order too.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "graph.h"
#include "options/options.h"

enum { BATCH = 64 << 20,        /* bytes of a message */
       PART = 1 << 15 };        /* entries that a thread is worth */

typedef struct {
    int64_t n, m;
    const bonsai_array *offsets;
    const int32_t *neighbors;
    const float *weights;       /* or NULL */
    int64_t *cursor;            /* n: the next unmatched entry of each row */
} walk;

typedef struct { int64_t first, last; } range;          /* the rows first .. last-1 */

/* Returns the first of the ascending entries e .. end-1 that leads to row v or a higher one. */
static int64_t first_from(const walk *w, int64_t e, int64_t end, int64_t v)
{
    while (e < end) {
        int64_t middle = e + (end - e) / 2;
        if (w->neighbors[middle] < v)
            e = middle + 1;
        else
            end = middle;
    }
    return e;
}

/* Returns whether the entries of row u from e on, as far as they lead into the range, are matched
 * by the cursors there.  They jump through memory, so later ones are prefetched.  A cursor may
 * leave its row, which is noticed at that row. */
static bool is_met(const walk *w, int64_t u, int64_t e, int64_t end, range r)
{
    enum { AHEAD = 24 };
    for (; e < end && w->neighbors[e] < r.last; e++) {
        int64_t next = e + AHEAD < w->m ? w->neighbors[e + AHEAD] : -1;
        if (next >= r.first && next < r.last)
            __builtin_prefetch(&w->neighbors[w->cursor[next]]);
        int64_t back = w->cursor[w->neighbors[e]]++;
        if (back >= w->m || w->neighbors[back] != u ||
            (w->weights && w->weights[back] != w->weights[e]))
            return false;
    }
    return true;
}

/* Returns whether all entries between the rows of the range and lower rows have their reverse. */
static bool is_range_symmetric(const walk *w, range r)
{
    int64_t begin, end = 0;
    for (int64_t u = 0; u < r.last; u++) {
        begin = end;
        end = bn_int_at(w->offsets, u + 1);
        int64_t e = u < r.first ? first_from(w, begin, end, r.first) : w->cursor[u];
        if (u >= r.first) {
            if (e > end || (e < end && w->neighbors[e] < u))
                return false;
            while (e < end && w->neighbors[e] == u)     /* a self loop is its own reverse */
                e++;
        }
        if (!is_met(w, u, e, end, r))
            return false;
    }
    return true;
}

/* Returns the first row of a thread: entries from lower rows grow with the square of the row
 * number. */
static int64_t range_begin(const walk *w, int part, int parts)
{
    double share = sqrt((double)part / parts) * (double)w->m;
    int64_t low = 0, high = w->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if ((double)bn_int_at(w->offsets, middle) < share)
            low = middle + 1;
        else
            high = middle;
    }
    return part == parts ? w->n : low;
}

static bool is_symmetric(const walk *w, int threads)
{
    const int parts = (int)bn_least(bn_threads(threads), w->m / PART + 1);
    int bad = 0;
    for (int64_t v = 0; v < w->n; v++)
        w->cursor[v] = bn_int_at(w->offsets, v);
#pragma omp parallel for num_threads(bn_team(threads, 16.0 * (double)w->m)) schedule(static) \
    reduction(+ : bad)
    for (int k = 0; k < parts; k++)
        bad += !is_range_symmetric(w, (range){range_begin(w, k, parts),
                                              range_begin(w, k + 1, parts)});
    return bad == 0;
}

/* Returns the first row with an entry that has no reverse. */
static int64_t first_asymmetric(const walk *w)
{
    int64_t begin, end = 0;
    for (int64_t v = 0; v < w->n; v++)
        w->cursor[v] = bn_int_at(w->offsets, v);
    for (int64_t u = 0; u < w->n; u++) {
        begin = end;
        end = bn_int_at(w->offsets, u + 1);
        for (int64_t e = begin; e < end; e++) {
            int32_t v = w->neighbors[e];
            int64_t back = w->cursor[v]++;
            if (back >= bn_int_at(w->offsets, v + 1) || w->neighbors[back] != u ||
                (w->weights && w->weights[back] != w->weights[e]))
                return u;
        }
    }
    return w->n;
}

int64_t bn_asymmetric_row(int64_t n, const bonsai_array *offsets, const int32_t *neighbors,
                          const float *weights, int64_t *room, int threads)
{
    const walk w = {n, bn_int_at(offsets, n), offsets, neighbors, weights, room};
    return is_symmetric(&w, threads) ? n : first_asymmetric(&w);
}

static bonsai_status one_sided(const bonsai_graph *g, int64_t row)
{
    if (row >= g->view.nodes)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_FORMAT, g->where, "an edge of node %lld has no reverse of equal "
                      "weight, but the graph says it is undirected", (long long)row);
}

static bonsai_status check_alone(const bonsai_graph *g, const bn_place *at)
{
    bonsai_status rc;
    int64_t *cursor = NULL;
    const bonsai_array *section = g->view.section;
    BN_TRY(bn_tick(at->progress, "symmetry", 0, 1));
    BN_TRY(BN_BIG(&cursor, at->memory, g->view.nodes));
    BN_TRY(one_sided(g, bn_asymmetric_row(g->view.nodes, &section[BONSAI_SECTION_OFFSETS],
                                          bn_neighbors(g),
                                          section[BONSAI_SECTION_EDGE_WEIGHTS].data, cursor,
                                          at->threads)));
    BN_TRY(bn_tick(at->progress, "symmetry", 1, 1));
done:
    bn_big_free(cursor);
    return rc;
}

/* ---- on several ranks ---- */

/* An entry is two or three numbers: from, to and, if the graph has weights, the bits of its
 * weight. */
enum { NUMBERS = 3 };

typedef struct {
    const bonsai_graph *g;
    const int32_t *neighbors;
    const float *weights;
    bn_world *w;
    const int64_t *first;
    bn_rows rows;
    int64_t *cursor;            /* one per row of this rank */
    int64_t size;               /* numbers per entry */
    uint32_t *out, *in;         /* batch entries; as many as arrive */
    int64_t in_room;
    int64_t *out_bytes, *in_bytes, *at;         /* of each rank */
    int64_t row, next, batch;   /* the next entry to send, and its row */
} mail;

static int owner_of(const mail *m, int32_t v)
{
    int low = 0, high = bn_ranks(m->w);
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (m->first[middle] <= v)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int64_t entry_bytes(const mail *m)
{
    return m->size * (int64_t)sizeof *m->out;
}

static void put_entry(const mail *m, int64_t at, int64_t from, int64_t e)
{
    uint32_t *x = m->out + at * m->size;
    x[0] = (uint32_t)from;
    x[1] = (uint32_t)m->neighbors[e];
    if (m->weights)
        memcpy(&x[2], &m->weights[e], sizeof *x);
}

/* Fills the next batch of entries, grouped by receiving rank, and out_bytes with the bytes for
 * each. */
static void fill(mail *m)
{
    int64_t end = bn_least(m->next + m->batch, bn_row_begin(m->g, m->rows.end)), at = 0;
    int ranks = bn_ranks(m->w);
    memset(m->out_bytes, 0, (size_t)ranks * sizeof *m->out_bytes);
    for (int64_t e = m->next; e < end; e++)
        m->out_bytes[owner_of(m, m->neighbors[e])] += entry_bytes(m);
    for (int r = 0; r < ranks; r++) {
        m->at[r] = at;
        at += m->out_bytes[r] / entry_bytes(m);
    }
    for (; m->next < end; m->next++) {
        while (m->next >= bn_row_begin(m->g, m->row + 1))
            m->row++;
        put_entry(m, m->at[owner_of(m, m->neighbors[m->next])]++, m->row, m->next);
    }
}

static bool same_weight(const mail *m, int64_t back, const uint32_t *x)
{
    float weight;
    if (!m->weights)
        return true;
    memcpy(&weight, &x[2], sizeof weight);
    return m->weights[back] == weight;
}

/* Returns the first node with an entry whose reverse is missing, or the number of nodes. */
static int64_t compare(mail *m, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const uint32_t *x = m->in + i * m->size;
        int64_t to = x[1], back = m->cursor[to - m->rows.begin]++;
        if (back >= bn_row_begin(m->g, to + 1) || m->neighbors[back] != (int32_t)x[0] ||
            !same_weight(m, back, x))
            return x[0];
    }
    return m->g->view.nodes;
}

/* Sends one batch of one rank and compares it; *more: whether there was one. */
static bonsai_status send_batch(mail *m, int sender, bool *more)
{
    bonsai_status rc;
    int ranks = bn_ranks(m->w), me = bn_rank(m->w);
    int64_t total = 0;
    if (me == sender)
        fill(m);
    BN_TRY(bn_share(m->w, m->out_bytes, ranks * (int64_t)sizeof *m->out_bytes, sender));
    for (int r = 0; r < ranks; r++)
        total += m->out_bytes[r];
    *more = total > 0;
    if (!*more)
        goto done;
    int64_t mine = m->out_bytes[me];
    if (me != sender)
        memset(m->out_bytes, 0, (size_t)ranks * sizeof *m->out_bytes);
    m->in_bytes[sender] = mine;
    BN_TRY(bn_agree(m->w, bn_grow((void **)&m->in, &m->in_room, mine / (int64_t)sizeof *m->in,
                                  sizeof *m->in)));
    BN_TRY(bn_exchange(m->w, m->in, m->in_bytes, m->out, m->out_bytes));
    double least = -(double)compare(m, mine / entry_bytes(m));
    BN_TRY(bn_max(m->w, &least, 1));
    BN_TRY(one_sided(m->g, (int64_t)-least));
done:
    m->in_bytes[sender] = 0;
    return rc;
}

static bonsai_status open_mail(mail *m)
{
    bonsai_status rc;
    int ranks = bn_ranks(m->w);
    int64_t rows = m->rows.end - m->rows.begin;
    m->next = bn_row_begin(m->g, m->rows.begin);
    m->row = m->rows.begin;
    m->batch = bn_least(m->batch, bn_row_begin(m->g, m->rows.end) - m->next);
    BN_TRY(BN_NEW(&m->cursor, rows));
    BN_TRY(BN_NEW(&m->out, m->batch * m->size));
    BN_TRY(BN_NEW(&m->out_bytes, ranks));
    BN_TRY(BN_NEW(&m->in_bytes, ranks));
    BN_TRY(BN_NEW(&m->at, ranks));
    for (int64_t v = 0; v < rows; v++)
        m->cursor[v] = bn_row_begin(m->g, m->rows.begin + v);
done:
    return rc;
}

bonsai_status bn_symmetry_exchange(const bonsai_graph *g, int64_t batch, const bn_place *at)
{
    bonsai_status rc;
    bn_world *w = at->world;
    bn_progress p = at->progress;
    int ranks = bn_ranks(w);
    mail m = {.g = g, .neighbors = bn_neighbors(g), .w = w, .first = at->first, .batch = batch,
              .weights = g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data,
              .size = bn_has(g, BONSAI_SECTION_EDGE_WEIGHTS) ? NUMBERS : NUMBERS - 1,
              .rows = bn_rows_of(&g->view, at)};
    BN_TRY(bn_agree(w, bn_tick(p, "symmetry", 0, ranks)));
    BN_TRY(bn_agree(w, open_mail(&m)));
    for (int r = 0; r < ranks; r++) {
        bool more = true;
        while (more)
            BN_TRY(send_batch(&m, r, &more));
        BN_TRY(bn_agree(w, bn_tick(p, "symmetry", r + 1, ranks)));
    }
done:
    bn_free(m.cursor);
    bn_free(m.out);
    bn_free(m.in);
    bn_free(m.out_bytes);
    bn_free(m.in_bytes);
    bn_free(m.at);
    return rc;
}

bonsai_status bn_symmetry_check(const bonsai_graph *g, const bn_place *place)
{
    const bn_place *at = bn_here(place);
    if (bn_ranks(at->world) == 1)
        return check_alone(g, at);
    return bn_symmetry_exchange(g, BATCH / (NUMBERS * (int64_t)sizeof(uint32_t)), at);
}

/* ---- everything ---- */

bonsai_status bonsai_graph_check(const bonsai_graph *g, const bonsai_read_options *given)
{
    bonsai_read_options o;
    bonsai_status rc = BN_OPTIONS(&o, given, read);
    if (bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    if (rc != BONSAI_OK)
        return rc;
    return bn_graph_check(g, &(bn_place){.threads = o.threads,
                                         .progress = {o.progress, o.payload}});
}

bonsai_status bn_graph_check(const bonsai_graph *g, const bn_place *at)
{
    bonsai_status rc;
    bn_world *w = at->world;
    bn_progress p = at->progress;
    BN_TRY(bn_agree(w, bn_tick(p, "sections", 0, BONSAI_SECTION_COUNT)));
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++) {
        BN_TRY(bn_graph_need_at(g, BN_BIT(s), at));
        BN_TRY(bn_agree(w, bn_tick(p, "sections", s + 1, BONSAI_SECTION_COUNT)));
    }
    if (!(g->view.flags & BONSAI_FLAG_DIRECTED))
        BN_TRY(bn_symmetry_check(g, at));
done:
    return rc;
}
