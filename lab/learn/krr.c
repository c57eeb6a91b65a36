/* krr.c -- a kernel regression whose rows and targets are learned, and its adjoint.
 *
 * K_ss is the kernel of the learned rows with each other, K_ts that of other nodes with them.  The
 * regression is B b = Y, B = K_ss + ridge tr(K_ss)/n I; a node's classes are softmax(K_ts b).  With
 * dZ the gradient of the scores K_ts b and w = B^-1 K_ts^T dZ,
 *
 *   dY = w,  dK_ts = dZ b^T,  dB = -w b^T,  dK_ss = dB + ridge tr(dB)/n I.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "krr.h"

/* ---- room ---- */

static bn_system system_of(const bn_krr *k)
{
    return (bn_system){.a = k->own.kernel, .m = k->how.n, .k = k->how.c, .stride = k->how.c};
}

bonsai_status bn_krr_new(bn_krr *k, const bn_krr_how *how)
{
    bonsai_status rc;
    const int64_t n = how->n, rows = n * how->f, targets = n * how->c;
    *k = (bn_krr){.how = *how};
    const bn_system b = system_of(k);
    BN_TRY(BN_NEW(&k->x, rows));
    BN_TRY(BN_NEW(&k->dx, rows));
    BN_TRY(BN_NEW(&k->y, targets));
    BN_TRY(BN_NEW(&k->dy, targets));
    BN_TRY(BN_NEW(&k->norm, (int64_t)how->kernel.hops * how->kernel.layers * n));
    BN_TRY(BN_NEW(&k->weight, targets));
    BN_TRY(BN_NEW(&k->factor, bn_solve_room(&b)));
    BN_TRY(bn_sntk_new(&k->own, how->kernel, n, n, how->threads));
    BN_TRY(bn_sntk_new(&k->with, how->kernel, how->most, n, how->threads));
    BN_TRY(BN_NEW(&k->dkernel, (how->most > n ? how->most : n) * n));
    BN_TRY(BN_NEW(&k->score, how->most * how->c));
done:
    return rc;
}

void bn_krr_free(bn_krr *k)
{
    void *const owned[] = {k->x, k->dx, k->y, k->dy, k->norm, k->weight, k->factor, k->dkernel,
                           k->score};
    bn_sntk_free(&k->own);
    bn_sntk_free(&k->with);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        bn_free(owned[i]);
    memset(k, 0, sizeof *k);
}

/* ---- forward ---- */

static bn_sntk_rows learned_rows(const bn_krr *k)
{
    return (bn_sntk_rows){.rows = k->how.n, .f = k->how.f, .x = k->x, .norm = k->norm};
}

static double mean_diagonal(const double *a, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i * n + i];
    return sum / (double)n;
}

void bn_krr_fit(bn_krr *k)
{
    const bn_krr_how *how = &k->how;
    const int64_t targets = how->n * how->c;
    const bn_system b = system_of(k);
    bn_sntk_norms(k->norm, k->x, how->n, how->f, how->kernel);
    const bn_sntk_rows own = learned_rows(k);
    bn_sntk_forward(&k->own, &own, &own);
    bn_factor(&b, how->ridge * mean_diagonal(k->own.kernel, how->n), k->factor, how->threads);
    memcpy(k->weight, k->y, (size_t)targets * sizeof *k->y);
    bn_solve_factored(k->weight, &b, k->factor, how->threads);
    memset(k->dx, 0, (size_t)(how->n * how->f) * sizeof *k->dx);
    memset(k->dy, 0, (size_t)targets * sizeof *k->dy);
    k->loss = 0;
}

void bn_krr_score(bn_krr *k, const bn_sntk_rows *rows)
{
    const bn_sntk_rows own = learned_rows(k);
    const bn_product p = {.a = k->with.kernel, .b = k->weight, .m = rows->rows, .n = k->how.c,
                          .k = k->how.n};
    bn_sntk_forward(&k->with, rows, &own);
    bn_multiply(k->score, &p, k->how.threads);
}

/* ---- backward ---- */

static void softmax(double *y, int64_t c)
{
    double most = y[0], sum = 0;
    for (int64_t k = 1; k < c; k++)
        most = y[k] > most ? y[k] : most;
    for (int64_t k = 0; k < c; k++)
        sum += y[k] = exp(y[k] - most);
    for (int64_t k = 0; k < c; k++)
        y[k] /= sum;
}

/* Replaces a row of scores by its gradient; returns its squared distance to the label. */
static double row_loss(double *y, int32_t label, int64_t c, double share)
{
    double loss = 0, mean = 0;
    softmax(y, c);
    for (int64_t k = 0; k < c; k++) {
        const double off = y[k] - (k == label ? 1 : 0);
        loss += off * off;
        mean += y[k] * off;
    }
    for (int64_t k = 0; k < c; k++)
        y[k] *= 2 * share * (y[k] - (k == label ? 1 : 0) - mean);
    return loss;
}

/* Adds K_ts^T dZ of a batch to dy; krr.h says the rest. */
void bn_krr_learn(bn_krr *k, const bn_sntk_rows *rows, const int32_t *label, double share)
{
    const int64_t n = k->how.n, c = k->how.c, count = rows->rows;
    const bn_sntk_rows own = learned_rows(k);
    const bn_product to_weight = {.a = k->with.kernel, .b = k->score, .a_turned = true, .add = true,
                                  .m = n, .n = c, .k = count};
    const bn_product to_kernel = {.a = k->score, .b = k->weight, .b_turned = true, .m = count,
                                  .n = n, .k = c};
    bn_krr_score(k, rows);
    for (int64_t i = 0; i < count; i++)
        k->loss += share * row_loss(k->score + i * c, label[i], c, share);
    bn_multiply(k->dy, &to_weight, k->how.threads);
    bn_multiply(k->dkernel, &to_kernel, k->how.threads);
    bn_sntk_backward(k->dx, k->dkernel, &k->with, rows, &own);
}

void bn_krr_finish(bn_krr *k)
{
    const int64_t n = k->how.n;
    const bn_sntk_rows own = learned_rows(k);
    const bn_system b = system_of(k);
    const bn_product outer = {.a = k->dy, .b = k->weight, .b_turned = true, .m = n, .n = n,
                              .k = k->how.c};
    double *d = k->dkernel;
    bn_solve_factored(k->dy, &b, k->factor, k->how.threads);
    bn_multiply(d, &outer, k->how.threads);
    const double plus = k->how.ridge * mean_diagonal(d, n);
    for (int64_t i = 0; i < n; i++)             /* with its transpose, for both sides of K_ss */
        for (int64_t j = 0; j <= i; j++)
            d[i * n + j] = d[j * n + i] = -(d[i * n + j] + d[j * n + i]) - (i == j ? 2 * plus : 0);
    bn_sntk_backward(k->dx, d, &k->own, &own, &own);
}
