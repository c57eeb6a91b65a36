/* clusters.c -- nodes over classes by training share, class-wise clusters.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "candidate.h"
#include "embed/embed.h"

enum { ROUNDS = 25, HALVINGS = 100 };   /* of k-means; of an interval of doubles */
/* Columns of a row: from which it is long, though one of few entries is short, and the most whose
 * axes take no more memory than means do. */
enum { AXES = 64, LONG_ROW = 4 * AXES, MOST_COLUMNS = 1 << 17 };

/* ---- nodes over classes ---- */

typedef struct { double need; int64_t class; } needy;

static int by_need(const void *a, const void *b)
{
    const needy *x = a, *y = b;
    if (x->need != y->need)
        return x->need < y->need ? 1 : -1;
    return (x->class > y->class) - (x->class < y->class);
}

/* Gives each class its due less `level`, between one and all of its rows; returns the sum. */
static int64_t share_at(int64_t *want, const int64_t *have, const double *due, int64_t classes,
                        double level)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < classes; k++) {
        double most = (double)have[k], w = ceil(due[k] - level);
        want[k] = have[k] == 0 ? 0 : w < 1 ? 1 : w > most ? have[k] : (int64_t)w;
        sum += want[k];
    }
    return sum;
}

/* Gives one more to the classes that are furthest below their due. */
static void share_rest(int64_t *want, const int64_t *have, const double *due, int64_t classes,
                       int64_t rest, needy *order)
{
    int64_t count = 0;
    for (int64_t k = 0; k < classes; k++)
        if (want[k] < have[k])
            order[count++] = (needy){due[k] - (double)want[k], k};
    qsort(order, (size_t)count, sizeof *order, by_need);
    for (int64_t i = 0; i < count && i < rest; i++)
        want[order[i].class]++;
}

bonsai_status bn_clusters_share(int64_t *want, const int64_t *have, int64_t classes, int64_t nodes)
{
    bonsai_status rc;
    double *due = NULL;
    needy *order = NULL;
    int64_t live = 0, rows = 0;
    BN_TRY(BN_NEW(&due, classes));
    BN_TRY(BN_NEW(&order, classes));
    for (int64_t k = 0; k < classes; k++) {
        live += have[k] > 0;
        rows += have[k];
        want[k] = 0;
    }
    nodes = nodes < rows ? nodes : rows;
    for (int64_t k = 0; k < classes; k++)
        due[k] = nodes < live ? (double)have[k]
                              : (double)nodes * (double)have[k] / (double)(rows ? rows : 1);
    if (nodes < live) {
        share_rest(want, have, due, classes, nodes, order);
        goto done;
    }
    double low = -(double)rows, high = (double)rows;    /* at low all rows, at high one each */
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        if (share_at(want, have, due, classes, middle) <= nodes)
            high = middle;
        else
            low = middle;
    }
    int64_t given = share_at(want, have, due, classes, high);
    share_rest(want, have, due, classes, nodes - given, order);
done:
    bn_free(due);
    bn_free(order);
    return rc;
}

/* ---- clusters ---- */

typedef struct {                /* the rank's own rows by their classes */
    int64_t *first;             /* classes+2: one behind while it is filled */
    int64_t *row;               /* ascending in each class */
    int64_t *want;              /* classes: clusters of each */
    int32_t *part;              /* rows of a class: its cluster in the class */
} by_class;

static void by_class_free(by_class *b)
{
    bn_free(b->first);
    bn_free(b->want);
    bn_big_free(b->row);
    bn_big_free(b->part);
}

static void sort_by_class(by_class *b, const bn_source *s)
{
    int64_t *next = b->first + 1;
    for (int64_t r = 0; r < s->view[BN_FAR]->e->rows; r++)
        next[s->label[r] + 1]++;
    for (int64_t k = 0; k < s->classes; k++)
        next[k + 1] += next[k];
    for (int64_t r = 0; r < s->view[BN_FAR]->e->rows; r++)
        b->row[next[s->label[r]]++] = r;
}

static bonsai_status make_room(bn_clusters *out, by_class *b, const bn_source *s, int64_t nodes)
{
    bonsai_status rc;
    bn_memory *m = s->view[BN_FAR]->at->memory;
    int64_t rows = s->view[BN_FAR]->e->rows;
    BN_TRY(BN_NEW(&b->first, s->classes + 2));
    BN_TRY(BN_NEW(&b->want, s->classes));
    BN_TRY(BN_BIG(&b->row, m, rows));
    BN_TRY(BN_BIG(&b->part, m, rows));
    BN_TRY(bn_clusters_share(b->want, s->have, s->classes, nodes));
    BN_TRY(BN_BIG(&out->cluster, m, rows));
    BN_TRY(BN_NEW(&out->label, nodes));
    BN_TRY(BN_NEW(&out->size, nodes));
done:
    return rc;
}

/* Clusters one class after the other; numbers ascend with the class. */
static bonsai_status cluster_classes(bn_clusters *out, const bn_source *s, by_class *b,
                                     uint64_t seed)
{
    bonsai_status rc = BONSAI_OK;
    memset(out->cluster, 0xff, (size_t)s->view[BN_FAR]->e->rows * sizeof *out->cluster);
    for (int64_t k = 0; k < s->classes; k++) {
        int64_t found = 0, count = b->first[k + 1] - b->first[k];
        if (b->want[k] == 0)
            continue;
        const int64_t *row = b->row + b->first[k];
        BN_TRY(bn_kmeans_deep(b->part, &found, s->near,
                              &(bn_kmeans_task){row, count, b->want[k], ROUNDS,
                                                seed + (uint64_t)k}));
        for (int64_t i = 0; i < count; i++) {
            int64_t c = out->count + b->part[i];
            out->cluster[row[i]] = (int32_t)c;
            out->size[c]++;
        }
        for (int64_t c = out->count; c < out->count + found; c++)
            out->label[c] = (int32_t)k;
        out->count += found;
    }
    BN_TRY(bn_sum_int(s->view[BN_FAR]->at->world, out->size, out->count));
    for (int64_t c = 0; c < out->count; c++)
        out->largest = out->size[c] > out->largest ? out->size[c] : out->largest;
done:
    return rc;
}

static bonsai_status average_posteriors(bn_clusters *c, const bn_source *s)
{
    bonsai_status rc;
    bn_world *w = s->view[BN_FAR]->at->world;
    int64_t classes = s->classes;
    double *sum = NULL, grid = bn_grid(1, s->view[BN_FAR]->rows);
    rc = BN_NEW(&sum, c->count * classes);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&c->posterior, c->count * classes);
    BN_TRY(bn_agree(w, rc));
    for (int64_t r = 0; r < s->view[BN_FAR]->e->rows; r++)
        for (int64_t k = 0; k < classes && c->cluster[r] >= 0; k++)
            sum[c->cluster[r] * classes + k] +=
                bn_on_grid((double)s->posterior[r * classes + k], grid);
    BN_TRY(bn_sum(w, sum, c->count * classes));
    for (int64_t i = 0; i < c->count * classes; i++)
        c->posterior[i] = (float)(sum[i] / (double)c->size[i / classes]);
done:
    bn_free(sum);
    return rc;
}

/* Projects long rows, since k-means on them would take longer than all other steps and few
 * directions separate their clusters. */
bonsai_status bn_clusters_near(const bn_sharded **near, bn_sharded *room, bn_embedding *low,
                               const bn_sharded *x)
{
    bonsai_status rc = BONSAI_OK;
    bn_axes axes = {0};
    *near = x;
    if (x->e->f < LONG_ROW || x->e->f > MOST_COLUMNS || x->length < AXES)
        goto done;
    BN_TRY(bn_axes_find(&axes, x, AXES));
    BN_TRY(bn_agree(x->at->world, bn_axes_project(low, &axes, x->e, x->at)));
    BN_TRY(bn_sharded_look(room, low, x->at));
    if (isfinite(room->most))           /* else sums of very large numbers overflowed */
        *near = room;
done:
    bn_axes_free(&axes);
    return rc;
}

bonsai_status bn_clusters_make(bn_clusters *out, const bn_source *s, int64_t nodes, uint64_t seed)
{
    bonsai_status rc;
    bn_world *w = s->view[BN_FAR]->at->world;
    by_class b = {0};
    memset(out, 0, sizeof *out);
    out->asked = nodes;
    out->of = s;
    BN_TRY(bn_agree(w, make_room(out, &b, s, bn_least(nodes, s->view[BN_FAR]->rows))));
    sort_by_class(&b, s);
    BN_TRY(cluster_classes(out, s, &b, seed));
    if (s->posterior)
        BN_TRY(average_posteriors(out, s));
done:
    by_class_free(&b);
    if (rc != BONSAI_OK)
        bn_clusters_free(out);
    return rc;
}

void bn_clusters_free(bn_clusters *c)
{
    bn_big_free(c->cluster);
    bn_free(c->label);
    bn_free(c->size);
    bn_free(c->posterior);
    for (int v = 0; v < BN_VIEWS; v++)
        bn_embedding_free(&c->centre[v]);
    memset(c, 0, sizeof *c);
}
