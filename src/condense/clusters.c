/* clusters.c -- nodes over classes by training share, class-wise clusters, their centroids.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "candidate.h"

enum { ROUNDS = 25, HALVINGS = 100 };   /* SPEC section 6, step 2; of an interval of doubles */

/* ---- nodes over classes ---- */

typedef struct { double need; int64_t class; } needy;

static int by_need(const void *a, const void *b)
{
    const needy *x = a, *y = b;
    if (x->need != y->need)
        return x->need < y->need ? 1 : -1;
    return (x->class > y->class) - (x->class < y->class);
}

/* Each class gets what it is due less `level`, between one and all of its rows. */
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

/* One more for the classes that are furthest below their due. */
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

typedef struct {
    int64_t *first;             /* classes+1: where each begins in ... */
    int64_t *row;               /* ... the rows by class, ascending in each */
    int64_t *have, *want;       /* classes */
    int32_t *part;              /* rows of a class: its cluster in the class */
} by_class;

static void by_class_free(by_class *b)
{
    bn_free(b->first);
    bn_free(b->row);
    bn_free(b->have);
    bn_free(b->want);
    bn_free(b->part);
}

static bonsai_status sort_by_class(by_class *b, const bn_source *s)
{
    bonsai_status rc;
    int64_t rows = s->x->rows;
    BN_TRY(BN_NEW(&b->first, s->classes + 1));
    BN_TRY(BN_NEW(&b->row, rows));
    BN_TRY(BN_NEW(&b->have, s->classes));
    BN_TRY(BN_NEW(&b->want, s->classes));
    BN_TRY(BN_NEW(&b->part, rows));
    for (int64_t r = 0; r < rows; r++)
        b->have[s->label[r]]++;
    for (int64_t k = 0; k < s->classes; k++)
        b->first[k + 1] = b->first[k] + b->have[k];
    for (int64_t r = 0; r < rows; r++)
        b->row[b->first[s->label[r]]++] = r;
    for (int64_t k = s->classes; k > 0; k--)
        b->first[k] = b->first[k - 1];
    b->first[0] = 0;
done:
    return rc;
}

/* Clusters of one class after the other; numbers ascend with the class. */
static bonsai_status cluster_classes(bn_clusters *out, const bn_source *s, by_class *b,
                                     uint64_t seed, int threads, bn_progress p)
{
    bonsai_status rc = BONSAI_OK;
    memset(out->cluster, 0xff, (size_t)s->x->rows * sizeof *out->cluster);
    for (int64_t k = 0; k < s->classes; k++) {
        int64_t found = 0, count = b->have[k];
        if (b->want[k] == 0)
            continue;
        const int64_t *row = b->row + b->first[k];
        BN_TRY(bn_kmeans_deep(b->part, &found, s->x, row, count, b->want[k], ROUNDS,
                              seed + (uint64_t)k, threads, p));
        for (int64_t i = 0; i < count; i++) {
            int64_t c = out->count + b->part[i];
            out->cluster[row[i]] = (int32_t)c;
            out->label[c] = (int32_t)k;
            out->size[c]++;
        }
        out->count += found;
    }
    for (int64_t c = 0; c < out->count; c++)
        out->largest = out->size[c] > out->largest ? out->size[c] : out->largest;
done:
    return rc;
}

static bonsai_status average_posteriors(bn_clusters *c, const bn_source *s)
{
    bonsai_status rc;
    int64_t classes = s->classes;
    double *sum = NULL;
    BN_TRY(BN_NEW(&sum, c->count * classes));
    BN_TRY(BN_NEW(&c->posterior, c->count * classes));
    for (int64_t r = 0; r < s->x->rows; r++)
        for (int64_t k = 0; k < classes && c->cluster[r] >= 0; k++)
            sum[c->cluster[r] * classes + k] += (double)s->posterior[r * classes + k];
    for (int64_t i = 0; i < c->count * classes; i++)
        c->posterior[i] = (float)(sum[i] / (double)c->size[i / classes]);
done:
    bn_free(sum);
    return rc;
}

static bonsai_status average_centres(bn_clusters *c)
{
    bonsai_status rc;
    const bn_embedding *e = &c->centre;
    double *sum = NULL, total = 0;
    BN_TRY(BN_NEW(&sum, e->f));
    BN_TRY(BN_NEW(&c->mean, e->f));
    for (int64_t r = 0; r < e->rows; r++) {
        total += (double)c->size[r];
        bn_row_add(sum, e, r, (double)c->size[r]);
    }
    for (int64_t j = 0; j < e->f; j++)
        c->mean[j] = (float)(sum[j] / total);
done:
    bn_free(sum);
    return rc;
}

bonsai_status bn_clusters_make(bn_clusters *out, const bn_source *s, int64_t nodes, uint64_t seed,
                               int threads, bn_progress p)
{
    bonsai_status rc;
    by_class b = {0};
    memset(out, 0, sizeof *out);
    out->asked = nodes;
    nodes = nodes < s->x->rows ? nodes : s->x->rows;
    BN_TRY(sort_by_class(&b, s));
    BN_TRY(bn_clusters_share(b.want, b.have, s->classes, nodes));
    BN_TRY(BN_NEW(&out->cluster, s->x->rows));
    BN_TRY(BN_NEW(&out->label, nodes));
    BN_TRY(BN_NEW(&out->size, nodes));
    BN_TRY(cluster_classes(out, s, &b, seed, threads, p));
    BN_TRY(bn_centroids(&out->centre, s->x, out->cluster, out->count, NULL, threads));
    BN_TRY(average_centres(out));
    if (s->weights)
        BN_TRY(bn_clusters_sharpen(out, s->weights, s->classes, s->live));
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
    bn_free(c->cluster);
    bn_free(c->label);
    bn_free(c->size);
    bn_free(c->posterior);
    bn_free(c->mean);
    bn_embedding_free(&c->centre);
    memset(c, 0, sizeof *c);
}

/* ---- the nearest member ---- */

/* The squared distance of a row from a centroid given dense, less that of zero from it. */
static double nearness(const bn_embedding *x, int64_t r, const float *centre)
{
    double sum = 0;
    for (int64_t j = 0; x->dense && j < x->f; j++) {
        double v = (double)x->dense[r * x->f + j];
        sum += v * (v - 2 * (double)centre[j]);
    }
    for (int64_t i = x->dense ? 0 : x->offsets[r]; !x->dense && i < x->offsets[r + 1]; i++) {
        double v = (double)x->value[i];
        sum += v * (v - 2 * (double)centre[x->index[i]]);
    }
    return sum;
}

/* The members of each cluster, one cluster after the other. */
static bonsai_status list_members(int64_t **first, int64_t **member, const bn_clusters *c,
                                  int64_t rows)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(first, c->count + 2));
    BN_TRY(BN_NEW(member, rows));
    for (int64_t k = 0; k < c->count; k++)
        (*first)[k + 2] = (*first)[k + 1] + c->size[k];
    for (int64_t r = 0; r < rows; r++)
        if (c->cluster[r] >= 0)
            (*member)[(*first)[c->cluster[r] + 1]++] = r;
done:
    return rc;
}

bonsai_status bn_clusters_nearest(int64_t *out, const bn_clusters *c, const bn_source *s,
                                  int threads)
{
    bonsai_status rc;
    int64_t *first = NULL, *member = NULL, f = s->x->f;
    float *room = NULL;
    int lanes = bn_team(threads, c->count);
    BN_TRY(list_members(&first, &member, c, s->x->rows));
    BN_TRY(BN_NEW(&room, lanes * f));
#pragma omp parallel for num_threads(lanes) schedule(static)
    for (int lane = 0; lane < lanes; lane++)
        for (int64_t k = lane; k < c->count; k += lanes) {
            float *centre = room + lane * f;
            double best = INFINITY;
            bn_embedding_row(centre, &c->centre, k);
            for (int64_t i = first[k]; i < first[k + 1]; i++) {
                double d = nearness(s->x, member[i], centre);
                if (d < best || i == first[k]) {
                    best = d;
                    out[k] = member[i];
                }
            }
        }
done:
    bn_free(first);
    bn_free(member);
    bn_free(room);
    return rc;
}
