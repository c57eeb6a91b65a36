/* discriminant.c -- the two directions that separate classes best: Fisher's linear discriminants.
 *
 * They are looked for among the directions that the means of the largest classes and the principal
 * directions span: at most Q of them, so that wide rows cost two passes, and fewer rows than
 * features do no harm.  There the spread within the classes is made alike in all directions, some
 * of its mean added to each so that a few rows are not believed too much, and the largest
 * eigenvectors of the spread between the classes are taken.  O(Q x entries).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "principal.h"

enum { MEANS = 16, Q = MEANS + BN_BLOCK };

static const double shrink = 0.1;       /* of the mean spread, less where there are many rows */

typedef struct {
    const bn_labelled *l;
    const double *mean;         /* f: of all rows */
    int      threads;
    int64_t  f;
    int64_t *size;              /* classes: rows */
    int32_t *place;             /* classes: column of its mean in basis, -1: none */
    double  *basis;             /* f x Q */
    double   centre[Q];         /* the mean along it */
    double  *z;                 /* count x Q: rows along it, less the mean */
    double  *middle;            /* classes x Q: means of z */
    double   within[Q * Q], between[Q * Q];
} space;

static void free_space(space *s)
{
    bn_free(s->size);
    bn_free(s->place);
    bn_free(s->basis);
    bn_free(s->z);
    bn_free(s->middle);
}

/* ---- the space ---- */

/* Places the largest classes, the lower first of equals; returns how many. */
static int place_classes(space *s)
{
    const int64_t classes = s->l->classes;
    int found = 0;
    for (int64_t c = 0; c < classes; c++)
        s->place[c] = -1;
    for (; found < MEANS; found++) {
        int64_t best = -1;
        for (int64_t c = 0; c < classes; c++)
            if (s->place[c] < 0 && s->size[c] > 0 && (best < 0 || s->size[c] > s->size[best]))
                best = c;
        if (best < 0)
            break;
        s->place[best] = found;
    }
    return found;
}

static void make_basis(space *s, const bn_principal *widest)
{
    const bn_labelled *l = s->l;
    for (int64_t i = 0; i < l->count; i++) {
        const int32_t c = l->label[i], at = s->place[c];
        bn_entries x = bn_row_of(l->e, l->rows[i]);
        for (int64_t k = 0; at >= 0 && k < x.count; k++)
            s->basis[bn_column(&x, k) * Q + at] += (double)x.value[k] / (double)s->size[c];
    }
    for (int64_t c = 0; c < l->classes; c++)
        for (int64_t j = 0; s->place[c] >= 0 && j < s->f; j++)
            s->basis[j * Q + s->place[c]] -= s->mean[j];
    for (int64_t j = 0; j < s->f; j++)
        for (int b = 0; b < BN_BLOCK; b++)
            s->basis[j * Q + MEANS + b] = widest->block[j * BN_BLOCK + b];
    bn_straighten(s->basis, s->f, Q);
    for (int64_t j = 0; j < s->f; j++)
        for (int b = 0; b < Q; b++)
            s->centre[b] += s->mean[j] * s->basis[j * Q + b];
}

static void project(space *s)
{
    const bn_labelled *l = s->l;
    const double work = 2 * Q * bn_numbers(l->e, l->count);
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(static)
    for (int64_t i = 0; i < l->count; i++) {
        bn_entries x = bn_row_of(l->e, l->rows[i]);
        double *z = s->z + i * Q;
        for (int64_t k = 0; k < x.count; k++)
            for (int b = 0; b < Q; b++)
                z[b] += (double)x.value[k] * s->basis[bn_column(&x, k) * Q + b];
        for (int b = 0; b < Q; b++)
            z[b] -= s->centre[b];
    }
}

/* ---- spreads ---- */

static void add_square(double *to, const double *v, double weight)
{
    for (int a = 0; a < Q; a++)
        for (int b = 0; b < Q; b++)
            to[a * Q + b] += weight * v[a] * v[b];
}

static void measure(space *s)
{
    const bn_labelled *l = s->l;
    const double n = (double)l->count;
    double trace = 0;
    for (int64_t i = 0; i < l->count; i++)
        for (int b = 0; b < Q; b++)
            s->middle[(int64_t)l->label[i] * Q + b] +=
                s->z[i * Q + b] / (double)s->size[l->label[i]];
    for (int64_t c = 0; c < l->classes; c++)
        if (s->size[c] > 0)
            add_square(s->between, s->middle + c * Q, (double)s->size[c] / n);
    for (int64_t i = 0; i < l->count; i++) {
        double v[Q];
        for (int b = 0; b < Q; b++)
            v[b] = s->z[i * Q + b] - s->middle[(int64_t)l->label[i] * Q + b];
        add_square(s->within, v, 1 / n);
    }
    for (int b = 0; b < Q; b++)
        trace += s->within[b * Q + b];
    const double more = shrink * fmin(1, 10 * Q / n) * trace / Q;
    for (int b = 0; b < Q; b++)
        s->within[b * Q + b] += trace > 0 ? more : 1;
}

/* ---- the directions ---- */

/* Computes out = x' y, all Q x Q. */
static void product(double *out, const double *x, const double *y)
{
    for (int a = 0; a < Q; a++)
        for (int b = 0; b < Q; b++) {
            double sum = 0;
            for (int k = 0; k < Q; k++)
                sum += x[k * Q + a] * y[k * Q + b];
            out[a * Q + b] = sum;
        }
}

/* Finds the directions of z (Q x 2), and the share of each. */
static void solve(double found[Q * 2], double share[2], space *s)
{
    double turn[Q * Q], half[Q * Q], even[Q * Q], sum = 0;
    bn_diagonalise(s->within, turn, Q);
    for (int a = 0; a < Q; a++)
        for (int b = 0; b < Q; b++)
            turn[a * Q + b] /= sqrt(s->within[b * Q + b]);
    product(half, s->between, turn);            /* between is symmetric */
    product(even, turn, half);
    bn_diagonalise(even, half, Q);
    for (int b = 0; b < Q; b++)
        sum += fmax(even[b * Q + b], 0);
    for (int b = 0; b < 2; b++) {
        const double value = even[b * Q + b];
        share[b] = sum > 0 && value > 1e-9 * sum ? value / sum : 0;
        for (int a = 0; a < Q; a++) {
            double v = 0;
            for (int k = 0; k < Q; k++)
                v += turn[a * Q + k] * half[k * Q + b];
            found[a * 2 + b] = share[b] > 0 ? v : 0;
        }
    }
}

/* Fills the second direction of two classes, which have only one, with the first principal one. */
static void fill_second(bn_principal *out, const bn_principal *widest)
{
    for (int b = 0; b < 2; b++) {
        double length = sqrt(bn_block_dot(out->direction, 1, out->direction, 1, out->f, 2));
        for (int64_t j = 0; !(length > 0) && j < out->f; j++)
            out->direction[j * 2 + 1] = widest->direction[j * 2 + b];
        bn_straighten(out->direction, out->f, 2);
    }
}

static void hand_over(bn_principal *out, space *s, const bn_principal *widest)
{
    double found[Q * 2];
    solve(found, out->share, s);
    for (int64_t j = 0; j < s->f; j++)
        for (int b = 0; b < 2; b++) {
            double v = 0;
            for (int a = 0; a < Q; a++)
                v += s->basis[j * Q + a] * found[a * 2 + b];
            out->direction[j * 2 + b] = v;
        }
    bool two = out->share[1] > 0;
    for (int b = 0; b < 2; b++) {
        double length = sqrt(bn_block_dot(out->direction, b, out->direction, b, s->f, 2));
        for (int64_t j = 0; j < s->f && length > 0; j++)
            out->direction[j * 2 + b] /= length;
    }
    if (!two)
        fill_second(out, widest);
    memcpy(out->mean, s->mean, (size_t)s->f * sizeof *out->mean);
    bn_principal_orient(out);
}

bonsai_status bn_discriminant_find(bn_principal *out, const bn_principal *widest,
                                   const bn_labelled *l, int threads)
{
    bonsai_status rc;
    space s = {.l = l, .mean = widest->mean, .threads = bn_threads(threads), .f = widest->f};
    int64_t room;
    memset(out, 0, sizeof *out);
    out->f = s.f;
    if (!bn_mul(&room, s.f, Q)) {
        rc = bn_fail(BONSAI_E_MEMORY, "out of memory: %lld features are too many for a map",
                     (long long)s.f);
        goto done;
    }
    BN_TRY(BN_NEW(&out->mean, s.f));
    BN_TRY(BN_NEW(&out->direction, s.f * 2));
    BN_TRY(BN_NEW(&s.size, l->classes));
    BN_TRY(BN_NEW(&s.place, l->classes));
    for (int64_t i = 0; i < l->count; i++)
        s.size[l->label[i]]++;
    if (place_classes(&s) < 2)                  /* nothing to separate */
        goto done;
    BN_TRY(BN_NEW(&s.basis, room));
    BN_TRY(BN_NEW(&s.z, l->count * Q));
    BN_TRY(BN_NEW(&s.middle, l->classes * Q));
    make_basis(&s, widest);
    project(&s);
    measure(&s);
    hand_over(out, &s, widest);
done:
    free_space(&s);
    if (rc != BONSAI_OK)
        bn_principal_free(out);
    return rc;
}
