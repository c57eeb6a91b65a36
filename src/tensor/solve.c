/* solve.c -- Cholesky factors and their solutions in double, with the same bits on every processor.
 *
 * Matrices are stored in panels (tensor.h): BN_TILE rows, column by column.  The part of a panel
 * that meets BN_TILE columns is then one tile, in one piece, and the kernel of outer products reads
 * the columns before it.  A tile of the factor is the rest after the products of the columns before
 * it (left-looking), divided by the tile on the diagonal.  Sizes are padded to whole tiles with
 * rows of the unit matrix.
 *
 * BLAS chooses the order of its sums by the processor; here it is fixed.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tensor.h"

enum { T = BN_TILE };

/* Subtracts from tile (T,T) the sum of outer products of the columns of two panels. */
static void subtract(double *tile, const double *a, const double *b, int64_t depth)
{
    double sum[T * T];
    for (int64_t at = 0; at < depth; at += BN_DEPTH) {
        bn_kernels_get()->outer(sum, a + at * T, b + at * T, bn_least(BN_DEPTH, depth - at));
        for (int i = 0; i < T * T; i++)
            tile[i] -= sum[i];
    }
}

static void subtract_row(double *row, double factor, const double *other)
{
    for (int i = 0; i < T; i++)
        row[i] -= factor * other[i];
}

static void divide_row(double *row, double by)
{
    for (int i = 0; i < T; i++)
        row[i] /= by;
}

/* ---- tiles: d is one on the diagonal, d[k][j] the entry of row j and column k ---- */

static void factor_tile(double *d)
{
    for (int j = 0; j < T; j++) {
        for (int k = 0; k < j; k++)
            subtract_row(d + j * T, d[k * T + j], d + k * T);
        divide_row(d + j * T, sqrt(d[j * T + j]));
    }
}

static void solve_tile(double *tile, const double *d)
{
    for (int j = 0; j < T; j++) {
        for (int k = 0; k < j; k++)
            subtract_row(tile + j * T, d[k * T + j], tile + k * T);
        divide_row(tile + j * T, d[j * T + j]);
    }
}

static void solve_tile_back(double *tile, const double *d)
{
    for (int j = T - 1; j >= 0; j--) {
        divide_row(tile + j * T, d[j * T + j]);
        for (int k = 0; k < j; k++)
            subtract_row(tile + k * T, d[k * T + j], tile + j * T);
    }
}

static void transpose_tile(double *out, const double *tile)
{
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            out[j * T + i] = tile[i * T + j];
}

/* ---- panels: m is a multiple of T ---- */

static void factor(double *a, int64_t m, int threads)
{
    for (int64_t j = 0; j < m; j += T) {
        double *d = a + j * m + j * T;
        const double work = (double)(m - j) * (double)T * (double)(j + T) / 4;
        subtract(d, a + j * m, a + j * m, j);
        factor_tile(d);
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
        for (int64_t i = j + T; i < m; i += T) {
            double *tile = a + i * m + j * T;
            subtract(tile, a + j * m, a + i * m, j);
            solve_tile(tile, d);
        }
    }
}

/* Solves one panel of right-hand sides b in place. */
static void solve_panel(double *b, const double *a, int64_t m)
{
    double turned[T * T];
    for (int64_t i = 0; i < m; i += T) {
        subtract(b + i * T, a + i * m, b, i);
        solve_tile(b + i * T, a + i * m + i * T);
    }
    for (int64_t i = m - T; i >= 0; i -= T) {
        solve_tile_back(b + i * T, a + i * m + i * T);
        for (int64_t j = 0; j < i; j += T) {
            transpose_tile(turned, a + i * m + j * T);
            subtract(b + j * T, turned, b + i * T, T);
        }
    }
}

/* ---- rows to panels and back ---- */

static void put_system(double *out, const bn_system *s, double plus)
{
    int64_t m = s->m, full = bn_whole_tiles(m);
    for (int64_t i = 0; i < full; i++) {
        double *row = out + bn_in_panels(i, 0, full);
        for (int64_t j = 0; j < i; j++)
            row[j * T] = i < m ? s->a[i * m + j] : 0;
        row[i * T] = i < m ? s->a[i * m + i] + plus : 1;
        for (int64_t j = i + 1; j % T != 0; j++)        /* the rest of the tile on the diagonal */
            row[j * T] = 0;
    }
}

static void put_sides(double *out, const bn_system *s, const double *b)
{
    int64_t full = bn_whole_tiles(s->m);
    memset(out, 0, (size_t)(full * bn_whole_tiles(s->k)) * sizeof *out);
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->k; j++)
            out[bn_in_panels(j, i, full)] = b[i * s->stride + j];
}

static void get_sides(double *b, const bn_system *s, const double *in)
{
    int64_t full = bn_whole_tiles(s->m);
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->k; j++)
            b[i * s->stride + j] = in[bn_in_panels(j, i, full)];
}

int64_t bn_solve_room(const bn_system *s)
{
    return bn_whole_tiles(s->m) * (bn_whole_tiles(s->m) + bn_whole_tiles(s->k));
}

void bn_factor(const bn_system *s, double plus, double *room, int threads)
{
    put_system(room, s, plus);
    factor(room, bn_whole_tiles(s->m), threads);
}

void bn_solve_factored(double *b, const bn_system *s, double *room, int threads)
{
    const int64_t full = bn_whole_tiles(s->m);
    const double work = (double)full * (double)full * (double)bn_whole_tiles(s->k) / 4;
    double *side = room + full * full;
    put_sides(side, s, b);
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t j = 0; j < s->k; j += T)
        solve_panel(side + j * full, room, full);
    get_sides(b, s, side);
}

void bn_solve(double *b, const bn_system *s, double plus, double *room)
{
    bn_factor(s, plus, room, 1);
    bn_solve_factored(b, s, room, 1);
}
