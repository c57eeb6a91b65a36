/* cart.c -- the features that a decision tree splits on.
 *
 * A classification tree by Gini impurity, grown until its leaves are pure or all
 * alike.  Every feature is a column of its non-zero values in ascending order, made
 * once; zeros are what is left of a leaf.  A level of the tree is one walk over the
 * columns, with running class counts for every leaf at once: positive values from
 * the largest down, which fills the right side, negative ones from the smallest up,
 * which fills the left one.  Rows of finished leaves leave the columns.
 *
 * O(nnz) a level and O(nnz) to sort.  Threads share the features out; a split beats
 * another by its score, then the lower feature, then the lower cut, so that the tree
 * is the same for any number of them.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "condense.h"

enum { FEW = 32, BYTE = 256, STRIP = 16 };

typedef struct { float value; int32_t row; } entry;
typedef struct { int32_t leaf, label; } place;          /* of a row; leaf -1: finished */
typedef struct { double score; float cut; int32_t feature; } split;     /* left: value <= cut */

typedef struct {                /* the side of a leaf that a walk has filled so far */
    int64_t rows, in, out;      /* its rows; squared class counts of it and of the rest */
    float   last;               /* value that came last */
} side;

typedef struct {                /* one thread's room */
    entry   *spare;             /* rows: for sorting */
    side    *side;              /* leaves */
    int32_t *filled;            /* leaves x classes */
    int32_t *touched;           /* leaves */
    split   *best;              /* leaves */
} lane;

typedef struct {
    const bn_embedding *e;
    int64_t  rows, classes, lanes;
    int64_t *first, *count;     /* f: where a column begins, and its length */
    entry   *column;
    place   *at;                /* rows */
    uint8_t *right;             /* rows: which way its leaf's split sends it */
    uint8_t *used;              /* f: 1: the tree splits on it; 2: and does so on this level */
    int64_t  leaves, room;      /* that may still be split; that the lanes have room for */
    int32_t *have;              /* leaves x classes */
    int64_t *size, *squares;    /* leaves: rows, and sum of squared class counts */
    int64_t  active, crowd;     /* rows in such leaves; when columns were last cleaned */
    lane    *lane;
} tree;

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

/* Byte by byte, from the lowest; a byte that all values share moves nothing. */
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

/* Dense rows, a strip of columns at a time: fill or only count its non-zeros. */
static void walk_strip(tree *t, int64_t strip, bool fill)
{
    const bn_embedding *e = t->e;
    int64_t from = strip * STRIP, end = from + STRIP < e->f ? from + STRIP : e->f;
    for (int64_t j = from; j < end; j++)
        t->count[j] = 0;
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t j = from; j < end; j++) {
            float v = e->dense[r * e->f + j];
            if (v == 0.0f)
                continue;
            if (fill)
                t->column[t->first[j] + t->count[j]] = (entry){v, (int32_t)r};
            t->count[j]++;
        }
}

static void walk_rows(tree *t, bool fill)
{
    const bn_embedding *e = t->e;
    if (e->dense) {
#pragma omp parallel for num_threads((int)t->lanes) schedule(static)
        for (int64_t s = 0; s < (e->f + STRIP - 1) / STRIP; s++)
            walk_strip(t, s, fill);
        return;
    }
    memset(t->count, 0, (size_t)e->f * sizeof *t->count);
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t i = e->offsets[r]; i < e->offsets[r + 1]; i++) {
            int32_t j = e->index[i];
            if (fill)
                t->column[t->first[j] + t->count[j]] = (entry){e->value[i], (int32_t)r};
            t->count[j]++;
        }
}

static bonsai_status make_columns(tree *t)
{
    bonsai_status rc;
    int64_t f = t->e->f, total = 0;
    BN_TRY(BN_NEW(&t->first, f));
    BN_TRY(BN_NEW(&t->count, f));
    walk_rows(t, false);
    for (int64_t j = 0; j < f; j++) {
        t->first[j] = total;
        total += t->count[j];
    }
    BN_TRY(BN_NEW(&t->column, total));
    for (int64_t i = 0; i < t->lanes; i++)
        BN_TRY(BN_NEW(&t->lane[i].spare, t->rows));
    walk_rows(t, true);
#pragma omp parallel for num_threads((int)t->lanes) schedule(static)
    for (int64_t i = 0; i < t->lanes; i++)
        for (int64_t j = i; j < f; j += t->lanes)
            sort_column(t->column + t->first[j], t->count[j], t->lane[i].spare);
done:
    for (int64_t i = 0; i < t->lanes; i++) {
        bn_free(t->lane[i].spare);
        t->lane[i].spare = NULL;
    }
    return rc;
}

/* ---- the best split of every leaf ---- */

static bool better(const split *a, const split *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    return a->feature != b->feature ? a->feature < b->feature : a->cut < b->cut;
}

/* What the impurity of both sides leaves: the larger the purer. */
static void offer(const tree *t, lane *l, int32_t leaf, int32_t feature, float cut)
{
    const side *s = &l->side[leaf];
    split new = {(double)s->in / (double)s->rows +
                 (double)s->out / (double)(t->size[leaf] - s->rows), cut, feature};
    if (l->best[leaf].feature < 0 || better(&new, &l->best[leaf]))
        l->best[leaf] = new;
}

/* Moves one row to the side that the walk fills; a new value is a place to cut. */
static int64_t move(const tree *t, lane *l, int64_t touched, const entry *x, int32_t feature,
                    bool down)
{
    place at = t->at[x->row];
    if (at.leaf < 0)
        return touched;
    side *s = &l->side[at.leaf];
    if (s->rows == 0) {
        l->touched[touched++] = at.leaf;
        *s = (side){0, 0, t->squares[at.leaf], x->value};
    } else if (s->last != x->value) {
        offer(t, l, at.leaf, feature, down ? x->value : s->last);
    }
    int64_t cell = at.leaf * t->classes + at.label;
    int64_t here = l->filled[cell]++, there = t->have[cell] - here;
    s->in += 2 * here + 1;
    s->out -= 2 * there - 1;
    s->rows++;
    s->last = x->value;
    return touched;
}

/* Ends a walk: the rest of each leaf is one more place to cut. */
static void settle(const tree *t, lane *l, int64_t touched, int32_t feature, bool down)
{
    for (int64_t i = 0; i < touched; i++) {
        int32_t leaf = l->touched[i];
        side *s = &l->side[leaf];
        if (s->rows < t->size[leaf])
            offer(t, l, leaf, feature, down ? 0.0f : s->last);
        s->rows = 0;
        memset(l->filled + leaf * t->classes, 0, (size_t)t->classes * sizeof *l->filled);
    }
}

static void clean_column(const tree *t, int64_t j)
{
    entry *x = t->column + t->first[j];
    int64_t kept = 0;
    for (int64_t i = 0; i < t->count[j]; i++)
        if (t->at[x[i].row].leaf >= 0)
            x[kept++] = x[i];
    t->count[j] = kept;
}

static void walk_column(const tree *t, lane *l, int64_t j)
{
    const entry *x = t->column + t->first[j];
    int64_t touched = 0, n = t->count[j];
    for (int64_t i = n - 1; i >= 0 && x[i].value > 0; i--)
        touched = move(t, l, touched, &x[i], (int32_t)j, true);
    settle(t, l, touched, (int32_t)j, true);
    touched = 0;
    for (int64_t i = 0; i < n && x[i].value < 0; i++)
        touched = move(t, l, touched, &x[i], (int32_t)j, false);
    settle(t, l, touched, (int32_t)j, false);
}

static void free_lane(lane *l)
{
    bn_free(l->side);
    bn_free(l->filled);
    bn_free(l->touched);
    bn_free(l->best);
    memset(l, 0, sizeof *l);
}

/* Room for the leaves of this level in every lane. */
static bonsai_status make_room(tree *t)
{
    bonsai_status rc = BONSAI_OK;
    if (t->leaves <= t->room)
        return BONSAI_OK;
    int64_t room = 2 * t->leaves;
    t->room = 0;
    for (int64_t i = 0; i < t->lanes; i++) {
        lane *l = &t->lane[i];
        free_lane(l);
        BN_TRY(BN_NEW(&l->side, room));
        BN_TRY(BN_NEW(&l->filled, room * t->classes));
        BN_TRY(BN_NEW(&l->touched, room));
        BN_TRY(BN_NEW(&l->best, room));
    }
    t->room = room;
done:
    return rc;
}

/* Leaves the best split of each leaf in the first lane. */
static bonsai_status find_splits(tree *t)
{
    bonsai_status rc;
    bool crowded = 4 * t->active < 3 * t->crowd;
    BN_TRY(make_room(t));
    if (crowded)
        t->crowd = t->active;
#pragma omp parallel for num_threads((int)t->lanes) schedule(static)
    for (int64_t i = 0; i < t->lanes; i++) {
        lane *l = &t->lane[i];
        for (int64_t k = 0; k < t->leaves; k++)
            l->best[k] = (split){0, 0, -1};
        for (int64_t j = i; j < t->e->f; j += t->lanes) {
            if (crowded)
                clean_column(t, j);
            walk_column(t, l, j);
        }
    }
    split *best = t->lane[0].best;
    for (int64_t i = 1; i < t->lanes; i++)
        for (int64_t k = 0; k < t->leaves; k++) {
            const split *other = &t->lane[i].best[k];
            if (other->feature >= 0 && (best[k].feature < 0 || better(other, &best[k])))
                best[k] = *other;
        }
done:
    return rc;
}

/* ---- the next level ---- */

/* Which way each row goes: the zeros of its leaf's feature first, then the others. */
static void send_rows(tree *t)
{
    const split *best = t->lane[0].best;
    for (int64_t k = 0; k < t->leaves; k++)
        if (best[k].feature >= 0)
            t->used[best[k].feature] = 2;
    for (int64_t r = 0; r < t->rows; r++)
        t->right[r] = t->at[r].leaf >= 0 && best[t->at[r].leaf].cut < 0;
#pragma omp parallel for num_threads((int)t->lanes) schedule(dynamic)
    for (int64_t j = 0; j < t->e->f; j++) {
        if (t->used[j] != 2)
            continue;
        t->used[j] = 1;
        const entry *x = t->column + t->first[j];
        for (int64_t i = 0; i < t->count[j]; i++) {
            int32_t leaf = t->at[x[i].row].leaf;
            if (leaf >= 0 && best[leaf].feature == j)
                t->right[x[i].row] = x[i].value > best[leaf].cut;
        }
    }
}

/* Children of the leaves that could be split: counts, then numbers for those that
 * are not pure yet. */
static bonsai_status next_level(tree *t)
{
    bonsai_status rc;
    const split *best = t->lane[0].best;
    int64_t children = 2 * t->leaves, c = t->classes, kept = 0;
    int32_t *have = NULL, *number = NULL;
    BN_TRY(BN_NEW(&have, children * c));
    BN_TRY(BN_NEW(&number, children));
    for (int64_t r = 0; r < t->rows; r++)
        if (t->at[r].leaf >= 0)
            have[(2 * t->at[r].leaf + t->right[r]) * c + t->at[r].label]++;
    bn_free(t->size);
    bn_free(t->squares);
    t->size = t->squares = NULL;
    BN_TRY(BN_NEW(&t->size, children));
    BN_TRY(BN_NEW(&t->squares, children));
    t->active = 0;
    for (int64_t k = 0; k < children; k++) {
        int64_t rows = 0, squares = 0;
        for (int64_t i = 0; i < c; i++) {
            rows += have[k * c + i];
            squares += (int64_t)have[k * c + i] * have[k * c + i];
        }
        bool done_with = best[k / 2].feature < 0 || squares == rows * rows;
        number[k] = done_with ? -1 : (int32_t)kept;
        if (done_with)
            continue;
        memmove(have + kept * c, have + k * c, (size_t)c * sizeof *have);
        t->size[kept] = rows;
        t->squares[kept++] = squares;
        t->active += rows;
    }
    for (int64_t r = 0; r < t->rows; r++)
        if (t->at[r].leaf >= 0)
            t->at[r].leaf = number[2 * t->at[r].leaf + t->right[r]];
    bn_free(t->have);
    t->have = have;
    have = NULL;
    t->leaves = kept;
done:
    bn_free(have);
    bn_free(number);
    return rc;
}

/* The root, as the left child of a leaf that sends everything there. */
static bonsai_status plant(tree *t, const int32_t *label)
{
    bonsai_status rc;
    int64_t rows = t->rows;
    BN_TRY(BN_NEW(&t->at, rows));
    BN_TRY(BN_NEW(&t->right, rows));
    BN_TRY(BN_NEW(&t->used, t->e->f));
    BN_TRY(BN_NEW(&t->lane, t->lanes));
    for (int64_t r = 0; r < rows; r++)
        t->at[r] = (place){0, label[r]};
    BN_TRY(make_columns(t));
    t->leaves = 1;
    t->crowd = rows;
    BN_TRY(make_room(t));
    BN_TRY(next_level(t));
done:
    return rc;
}

static bonsai_status list_used(int32_t **out, int64_t *count, const tree *t)
{
    bonsai_status rc = BN_NEW(out, t->e->f);
    if (rc != BONSAI_OK)
        return rc;
    *count = 0;
    for (int64_t j = 0; j < t->e->f; j++)
        if (t->used[j])
            (*out)[(*count)++] = (int32_t)j;
    if (*count == 0)                    /* nothing to tell apart: one is as good as another */
        *count = 1;
    return BONSAI_OK;
}

static void free_tree(tree *t)
{
    for (int64_t i = 0; t->lane && i < t->lanes; i++)
        free_lane(&t->lane[i]);
    bn_free(t->lane);
    bn_free(t->first);
    bn_free(t->count);
    bn_free(t->column);
    bn_free(t->at);
    bn_free(t->right);
    bn_free(t->used);
    bn_free(t->have);
    bn_free(t->size);
    bn_free(t->squares);
}

bonsai_status bn_cart(int32_t **out, int64_t *count, const bn_embedding *e, const int32_t *label,
                      int64_t classes, int threads, bn_progress p)
{
    bonsai_status rc;
    tree t = {.e = e, .rows = e->rows, .classes = classes,
              .lanes = bn_team(bn_threads(threads), e->f)};
    *out = NULL;
    if (e->f < 1)
        return bn_fail(BONSAI_E_ARGUMENT, "there are no features to select from");
    BN_TRY(bn_tick(p, "features", 0, e->rows));
    BN_TRY(plant(&t, label));
    while (t.leaves > 0) {
        BN_TRY(bn_tick(p, "features", e->rows - t.active, e->rows));
        BN_TRY(find_splits(&t));
        send_rows(&t);
        BN_TRY(next_level(&t));
    }
    BN_TRY(list_used(out, count, &t));
    BN_TRY(bn_tick(p, "features", e->rows, e->rows));
done:
    free_tree(&t);
    if (rc != BONSAI_OK) {
        bn_free(*out);
        *out = NULL;
    }
    return rc;
}
