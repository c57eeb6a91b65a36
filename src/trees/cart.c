/* cart.c -- the features that a CART classifier splits on.
 *
 * CART splits by Gini impurity until the leaves are pure, alike, or at the largest depth.  Every
 * feature is a column of its non-zero values in ascending order, made once; rows of a node that are
 * not in the column are zero.  A node owns a stretch of every column: a walk over it, positive
 * values from the largest down and negative ones from the smallest up, meets every cut with running
 * class counts.  A split parts each stretch in two, in order, and both parts are walked while they
 * are in cache, so that a child knows its best split when it is made; the smaller child is grown
 * first, so that few nodes wait.
 *
 * O(nnz) to sort, and O(nnz of its rows) a node.  Threads share the features out; a split beats
 * another by its score, then the lower feature (or the luckier one, by a number that it draws in
 * this node), then the lower cut: the same for any number of them.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "trees.h"

enum { FEW = 32, BYTE = 256, STRIP = 16, WORTH_THREADS = 20000 };

typedef struct { float value; int32_t row, label; } entry;
/* left: value <= cut; at: stretch */
typedef struct { double score; float cut; int64_t at; uint64_t luck; } split;
typedef struct { int64_t first; int32_t feature, count, left; } stretch;   /* left: go that way */

typedef struct {                /* a node that will be split */
    int64_t  first, rows;       /* in cart.order */
    stretch *s;                 /* of the features that it has, ascending */
    int64_t  stretches, entries;
    split    best;
    int      depth;             /* splits above it */
} node;

typedef struct {                /* rows that may become a node: a child of the one at hand */
    int64_t  first, rows;
    int64_t *have;              /* classes: its rows */
    int64_t  squares;           /* of these, summed */
    bool     mixed;             /* of more than one class */
    uint64_t luck;              /* what its features draw from */
} child;

typedef struct {                /* one thread's room */
    entry   *spare;             /* rows */
    int64_t *filled;            /* classes: on the side that a walk fills */
    split    best[2];           /* of the children */
} lane;

typedef struct {
    const bn_embedding *e;
    const int32_t *label;
    int64_t  rows, classes, lanes;
    const bn_cart_task *task;
    entry   *column;
    int32_t *order;             /* rows, those of a node side by side */
    int32_t *spare;             /* rows */
    uint8_t *right;             /* rows: which way the split sends it */
    uint8_t *used;              /* f: some split uses it */
    child    child[2];          /* left and right */
    double  *inverse;           /* rows+1 */
    lane    *lane;
    node    *waiting;
    int64_t  nodes, room;
} cart;

/* ---- columns ---- */

static uint32_t order_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static void sort_few(entry *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        entry moving = a[i];
        int64_t j = i;
        for (; j > 0 && a[j - 1].value > moving.value; j--)
            a[j] = a[j - 1];
        a[j] = moving;
    }
}

/* Sorts byte by byte, from the lowest; skips a byte that all values share. */
static void sort_column(entry *a, int64_t n, entry *spare)
{
    entry *from = a, *to = spare;
    if (n <= FEW) {
        sort_few(a, n);
        return;
    }
    for (int shift = 0; shift < 32; shift += 8) {
        int64_t start[BYTE + 1] = {0};
        for (int64_t i = 0; i < n; i++)
            start[(order_of(from[i].value) >> shift & 255) + 1]++;
        if (start[(order_of(from[0].value) >> shift & 255) + 1] == n)
            continue;
        for (int b = 0; b < BYTE; b++)
            start[b + 1] += start[b];
        for (int64_t i = 0; i < n; i++)
            to[start[order_of(from[i].value) >> shift & 255]++] = from[i];
        entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != a)
        memcpy(a, from, (size_t)n * sizeof *a);
}

/* Counts the non-zeros of a strip of columns of dense rows, and stores them if `fill`. */
static void walk_strip(cart *t, stretch *s, int64_t strip, bool fill)
{
    const bn_embedding *e = t->e;
    int64_t from = strip * STRIP, end = from + STRIP < e->f ? from + STRIP : e->f;
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t j = from; j < end; j++) {
            float v = e->dense[r * e->f + j];
            if (v == 0.0f)
                continue;
            if (fill)
                t->column[s[j].first + s[j].count] = (entry){v, (int32_t)r, t->label[r]};
            s[j].count++;
        }
}

static void walk_rows(cart *t, stretch *s, bool fill)
{
    const bn_embedding *e = t->e;
    for (int64_t j = 0; j < e->f; j++)
        s[j].count = 0;
    if (e->dense) {
        const double work = bn_numbers(e, t->rows);
#pragma omp parallel for num_threads(bn_team((int)t->lanes, work)) schedule(static)
        for (int64_t i = 0; i < (e->f + STRIP - 1) / STRIP; i++)
            walk_strip(t, s, i, fill);
        return;
    }
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t i = e->offsets[r]; i < e->offsets[r + 1]; i++) {
            stretch *to = &s[e->index[i]];
            if (e->value[i] == 0.0f)            /* a minus zero counts as zero, as in a dense row */
                continue;
            if (fill)
                t->column[to->first + to->count] = (entry){e->value[i], (int32_t)r, t->label[r]};
            to->count++;
        }
}

/* Makes the root's stretches: whole columns, not yet sorted. */
static bonsai_status make_columns(stretch *s, int64_t *total, cart *t)
{
    bonsai_status rc;
    int64_t f = t->e->f;
    walk_rows(t, s, false);
    for (int64_t j = 0; j < f; j++) {
        s[j].first = *total;
        s[j].feature = (int32_t)j;
        *total += s[j].count;
    }
    BN_TRY(BN_NEW(&t->column, *total));
    walk_rows(t, s, true);
done:
    return rc;
}

/* ---- the best split of a child ---- */

typedef struct {                /* a side that a walk fills, and the rest */
    int64_t rows, in, out;      /* rows on it; squared class counts of it and of the rest */
} side;

/* Values of a stretch, from x on. */
typedef struct { const entry *x; int64_t count, at; uint64_t luck; } run;

static bool better(const split *a, const split *b)
{
    if (b->at < 0 || a->score != b->score)
        return b->at < 0 || a->score > b->score;
    if (a->luck != b->luck)
        return a->luck < b->luck;
    return a->at != b->at ? a->at < b->at : a->cut < b->cut;
}

/* Scores a cut by the purity of both sides, and keeps it if it is the best. */
static void consider(split *best, const side *s, int64_t size, const run *r, float cut)
{
    double rest = (double)(size - s->rows);
    split new = {(double)s->in / (double)s->rows + (double)s->out / rest, cut, r->at, r->luck};
    if (better(&new, best))
        *best = new;
}

/* Returns whether a cut may win, by reciprocals, which may round: most cuts need no division. */
static inline bool may_win(const double *inverse, double bar, const side *s, int64_t size)
{
    return (double)s->in * inverse[s->rows] + (double)s->out * inverse[size - s->rows] >=
           bar * (1 - 1e-12);
}

/* Walks over values of a child by step 1 or -1; considers a cut at each new value, and at the end
 * if other rows are left. */
static void walk(const cart *t, lane *l, int which, run r, int step)
{
    const child *c = &t->child[which];
    const entry *x = r.x;
    int64_t *filled = l->filled, count = r.count;
    split *best = &l->best[which];
    side s = {0, 0, c->squares};
    if (count == 0)
        return;
    for (int64_t i = 0; i < count; i++, x += step) {
        if (i > 0 && x->value != x[-step].value && may_win(t->inverse, best->score, &s, c->rows))
            consider(best, &s, c->rows, &r, step < 0 ? x->value : x[-step].value);
        int64_t here = filled[x->label]++;
        s.in += 2 * here + 1;
        s.out -= 2 * (c->have[x->label] - here) - 1;
        s.rows++;
    }
    if (s.rows < c->rows && may_win(t->inverse, best->score, &s, c->rows))
        consider(best, &s, c->rows, &r, step < 0 ? 0.0f : x[-step].value);
    memset(filled, 0, (size_t)t->classes * sizeof *filled);
}

static void walk_both_ways(const cart *t, lane *l, int which, run all)
{
    const entry *x = all.x;
    int64_t count = all.count, low = 0, high = count > 0 && x[0].value < 0 ? count : 0;
    while (low < high) {                        /* how many are negative */
        int64_t middle = low + (high - low) / 2;
        if (x[middle].value < 0)
            low = middle + 1;
        else
            high = middle;
    }
    walk(t, l, which, (run){x + count - 1, count - low, all.at, all.luck}, -1);
    walk(t, l, which, (run){x, low, all.at, all.luck}, 1);
}

/* ---- children ---- */

static void count_child(const cart *t, child *c, int64_t first, int64_t rows)
{
    c->first = first;
    c->rows = rows;
    c->squares = 0;
    memset(c->have, 0, (size_t)t->classes * sizeof *c->have);
    for (int64_t i = 0; i < rows; i++)
        c->have[t->label[t->order[first + i]]]++;
    for (int64_t i = 0; i < t->classes; i++)
        c->squares += c->have[i] * c->have[i];
    c->mixed = c->squares < rows * rows;
    bn_rng draw = bn_rng_at(t->task->seed, (uint64_t)first << 32 | (uint64_t)rows);
    c->luck = bn_rng_next(&draw);
}

/* Returns the number that a feature draws in a child; 0 if ties are not broken by chance. */
static uint64_t luck_of(const cart *t, int which, int32_t feature)
{
    bn_rng draw = bn_rng_at(t->child[which].luck, (uint64_t)feature);
    return t->task->by_chance ? bn_rng_next(&draw) : 0;
}

/* Parts the rows of a node: zeros of the feature go one way, the others by value. */
static void part_rows(cart *t, const node *n)
{
    const stretch *s = &n->s[n->best.at];
    int32_t *row = t->order + n->first;
    int64_t left = 0, right = 0;
    for (int64_t i = 0; i < n->rows; i++)
        t->right[row[i]] = n->best.cut < 0;
    for (int64_t i = 0; i < s->count; i++) {
        const entry *x = &t->column[s->first + i];
        t->right[x->row] = x->value > n->best.cut;
    }
    for (int64_t i = 0; i < n->rows; i++)
        if (t->right[row[i]])
            t->spare[right++] = row[i];
        else
            row[left++] = row[i];
    memcpy(row + left, t->spare, (size_t)right * sizeof *row);
    count_child(t, &t->child[0], n->first, left);
    count_child(t, &t->child[1], n->first + left, right);
}

/* Parts a stretch without branches: writes each entry to both sides, and advances one of them. */
static void part_stretch(const cart *t, entry *spare, stretch *s)
{
    entry *x = t->column + s->first;
    int64_t left = 0, right = 0;
    for (int64_t i = 0; i < s->count; i++) {
        entry moving = x[i];
        int goes = t->right[moving.row];
        spare[right] = moving;
        x[left] = moving;
        right += goes;
        left += !goes;
    }
    memcpy(x + left, spare, (size_t)right * sizeof *x);
    s->left = (int32_t)left;
}

/* Parts one stretch, or sorts it if it is the root's, and walks the parts that may be split. */
static void visit(const cart *t, lane *l, stretch *s, int64_t at, bool root)
{
    entry *x = t->column + s->first;
    if (root)
        sort_column(x, s->count, l->spare);
    else
        part_stretch(t, l->spare, s);
    int64_t left = root ? s->count : s->left;
    if (t->child[0].mixed)
        walk_both_ways(t, l, 0, (run){x, left, at, luck_of(t, 0, s->feature)});
    if (t->child[1].mixed)
        walk_both_ways(t, l, 1, (run){x + left, s->count - left, at, luck_of(t, 1, s->feature)});
}

/* Finds the best split of either child, and stores it in the first lane. */
static void visit_all(cart *t, const node *n, bool root)
{
    int64_t lanes = n->entries < WORTH_THREADS ? 1 : t->lanes;
    const double work = 32.0 * (double)n->entries;
#pragma omp parallel for num_threads(bn_team((int)lanes, work)) schedule(static) if (lanes > 1)
    for (int64_t i = 0; i < lanes; i++) {
        lane *l = &t->lane[i];
        l->best[0] = l->best[1] = (split){-1, 0, -1, 0};
        for (int64_t at = i; at < n->stretches; at += lanes)
            visit(t, l, &n->s[at], at, root);
    }
    for (int64_t i = 1; i < lanes; i++)
        for (int which = 0; which < 2; which++) {
            const split *other = &t->lane[i].best[which];
            if (other->at >= 0 && better(other, &t->lane[0].best[which]))
                t->lane[0].best[which] = *other;
        }
}

/* Puts a child of a parted node on the stack, unless nothing can split it. */
static bonsai_status push_child(cart *t, const node *n, int which)
{
    bonsai_status rc;
    const child *c = &t->child[which];
    node new = {.first = c->first, .rows = c->rows, .best = t->lane[0].best[which],
                .depth = n->depth + 1};
    const int most = t->task->depth;
    int64_t kept = 0;
    if (!c->mixed || new.best.at < 0 || (most > 0 && new.depth >= most))
        return BONSAI_OK;
    BN_TRY(bn_grow((void **)&t->waiting, &t->room, t->nodes + 1, sizeof *t->waiting));
    for (int64_t at = 0; at < n->stretches; at++)
        kept += which ? n->s[at].left < n->s[at].count : n->s[at].left > 0;
    BN_TRY(BN_NEW(&new.s, kept));
    for (int64_t at = 0; at < n->stretches; at++) {
        const stretch *s = &n->s[at];
        int32_t count = which ? s->count - s->left : s->left;
        if (at == t->lane[0].best[which].at)
            new.best.at = new.stretches;
        if (count > 0)
            new.s[new.stretches++] = (stretch){s->first + (which ? s->left : 0), s->feature, count,
                                               0};
        new.entries += count;
    }
    t->used[new.s[new.best.at].feature] = 1;
    t->waiting[t->nodes++] = new;
done:
    return rc;
}

static bonsai_status grow_node(cart *t, const node *n)
{
    bonsai_status rc = BONSAI_OK;
    part_rows(t, n);
    if (!t->child[0].mixed && !t->child[1].mixed)
        return BONSAI_OK;
    visit_all(t, n, false);
    int small = t->child[1].rows < t->child[0].rows;       /* goes last, to be taken first */
    BN_TRY(push_child(t, n, !small));
    BN_TRY(push_child(t, n, small));
done:
    return rc;
}

/* ---- the whole ---- */

static bonsai_status make_room(cart *t)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&t->order, t->rows));
    BN_TRY(BN_NEW(&t->spare, t->rows));
    BN_TRY(BN_NEW(&t->right, t->rows));
    BN_TRY(BN_NEW(&t->used, t->e->f));
    BN_TRY(BN_NEW(&t->child[0].have, t->classes));
    BN_TRY(BN_NEW(&t->child[1].have, t->classes));
    BN_TRY(BN_NEW(&t->inverse, t->rows + 1));
    BN_TRY(BN_NEW(&t->lane, t->lanes));
    for (int64_t i = 0; i < t->lanes; i++) {
        BN_TRY(BN_NEW(&t->lane[i].spare, t->rows));
        BN_TRY(BN_NEW(&t->lane[i].filled, t->classes));
    }
done:
    return rc;
}

/* Makes the root, as the left child of a node that sends all rows there. */
static bonsai_status plant(cart *t)
{
    bonsai_status rc;
    node all = {.rows = t->rows, .stretches = t->e->f, .depth = -1};
    BN_TRY(make_room(t));
    for (int64_t r = 0; r < t->rows; r++) {
        t->order[r] = (int32_t)r;
        t->inverse[r + 1] = 1 / (double)(r + 1);
    }
    count_child(t, &t->child[0], 0, t->rows);
    BN_TRY(BN_NEW(&all.s, all.stretches));
    BN_TRY(make_columns(all.s, &all.entries, t));
    visit_all(t, &all, true);
    for (int64_t j = 0; j < all.stretches; j++)
        all.s[j].left = all.s[j].count;
    BN_TRY(push_child(t, &all, 0));
done:
    bn_free(all.s);
    return rc;
}

static bonsai_status grow(cart *t, bn_progress p)
{
    bonsai_status rc;
    BN_TRY(bn_tick(p, "features", 0, t->rows));
    BN_TRY(plant(t));
    for (int64_t met = 0; t->nodes > 0; met++) {
        node n = t->waiting[--t->nodes];
        if (met % 64 == 0 || n.entries > WORTH_THREADS)
            rc = bn_tick(p, "features", n.first, t->rows);
        if (rc == BONSAI_OK)
            rc = grow_node(t, &n);
        bn_free(n.s);
        if (rc != BONSAI_OK)
            goto done;
    }
    BN_TRY(bn_tick(p, "features", t->rows, t->rows));
done:
    return rc;
}

static bonsai_status list_used(int32_t **out, int64_t *count, const cart *t)
{
    bonsai_status rc = BN_NEW(out, t->e->f);
    if (rc != BONSAI_OK)
        return rc;
    *count = 0;
    for (int64_t j = 0; j < t->e->f; j++)
        if (t->used[j])
            (*out)[(*count)++] = (int32_t)j;
    if (*count == 0)                    /* no split: any feature will do */
        *count = 1;
    return BONSAI_OK;
}

static void free_cart(cart *t)
{
    for (int64_t i = 0; t->lane && i < t->lanes; i++) {
        bn_free(t->lane[i].spare);
        bn_free(t->lane[i].filled);
    }
    while (t->nodes > 0)
        bn_free(t->waiting[--t->nodes].s);
    bn_free(t->waiting);
    bn_free(t->lane);
    bn_free(t->column);
    bn_free(t->order);
    bn_free(t->spare);
    bn_free(t->right);
    bn_free(t->used);
    bn_free(t->child[0].have);
    bn_free(t->child[1].have);
    bn_free(t->inverse);
}

bonsai_status bn_cart(int32_t **out, int64_t *count, const bn_embedding *e,
                      const bn_cart_task *task, const bn_place *at)
{
    bonsai_status rc;
    at = bn_here(at);
    cart t = {.e = e, .label = task->label, .rows = e->rows, .classes = task->classes,
              .task = task,
              .lanes = bn_lanes(bn_threads(at->threads), e->f)};
    *out = NULL;
    if (e->f < 1)
        return bn_fail(BONSAI_E_ARGUMENT, "there are no features to select from");
    BN_TRY(grow(&t, at->progress));
    BN_TRY(list_used(out, count, &t));
done:
    free_cart(&t);
    return rc;
}
