/* oracle.c -- see oracle.h.
 *
 * SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_edges(int *count, double *weight, int64_t n, int64_t m, const int32_t *source,
                      const int32_t *target, const float *w, bool loops, bool both)
{
    for (int64_t i = 0; i < m; i++) {
        int64_t u = source[i], v = target[i];
        if (u == v && !loops)
            continue;
        count[u * n + v]++;
        weight[u * n + v] += w ? (double)w[i] : 1;
        if (both && u != v) {
            count[v * n + u]++;
            weight[v * n + u] += w ? (double)w[i] : 1;
        }
    }
}

static bool is_symmetric(const int *count, const double *weight, int64_t n, bool weighted,
                         bool repeated)
{
    for (int64_t u = 0; u < n; u++)
        for (int64_t v = 0; v < n; v++) {
            int a = count[u * n + v], b = count[v * n + u];
            if (repeated ? a != b : (a > 0) != (b > 0))
                return false;
            if (weighted && (float)weight[u * n + v] != (float)weight[v * n + u])
                return false;
        }
    return true;
}

void oracle_adjacency(int *count, double *weight, int64_t n, int64_t m, const int32_t *source,
                      const int32_t *target, const float *w, bool directed, bool loops,
                      bool repeated)
{
    size_t cells = (size_t)(n * n);
    memset(count, 0, cells * sizeof *count);
    memset(weight, 0, cells * sizeof *weight);
    add_edges(count, weight, n, m, source, target, w, loops, false);
    if (!directed && !is_symmetric(count, weight, n, w != NULL, repeated)) {
        memset(count, 0, cells * sizeof *count);
        memset(weight, 0, cells * sizeof *weight);
        add_edges(count, weight, n, m, source, target, w, loops, true);
    }
    for (size_t i = 0; i < cells && !repeated; i++)
        count[i] = count[i] > 0;
}

static double half_value(int h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return h & 0x8000 ? -v : v;
}

uint16_t oracle_half(float v)
{
    int best = 0;
    double least = INFINITY;
    if (fabs((double)v) >= 65520)
        return v < 0 ? 0xfc00 : 0x7c00;
    for (int h = 0; h < 0x7c00; h++) {
        double d = fabs(half_value(h) - fabs((double)v));
        if (d < least || (d == least && h % 2 == 0)) {
            least = d;
            best = h;
        }
    }
    return (uint16_t)(best | (signbit(v) ? 0x8000 : 0));
}

static bool fits(const float *value, int64_t count, float s, int low, int high)
{
    for (int64_t i = 0; i < count; i++) {
        bool found = false;
        for (int q = low; q <= high && !found; q++)
            found = q != 0 && s * (float)q == value[i];
        if (!found)
            return false;
    }
    return true;
}

/* The first lossless scale in the order of doc/format.md, or 0. */
static float first_scale(const float *value, int64_t count, int low, int high)
{
    float least = INFINITY;
    if (fits(value, count, 1, low, high))
        return 1;
    for (int64_t i = 0; i < count; i++)
        least = fminf(least, fabsf(value[i]));
    for (int k = 1; k <= high; k++) {
        float s = least / (float)k, up = nextafterf(s, INFINITY), down = nextafterf(s, 0);
        const float near[] = {s, up, down, nextafterf(up, INFINITY), nextafterf(down, 0)};
        for (int i = 0; i < 5; i++)
            if (near[i] > 0 && fits(value, count, near[i], low, high))
                return near[i];
    }
    return 0;
}

/* Whether the numbers of a row that the page finds are squares of at most `root`. */
static bool is_square(const float *value, int64_t count, int low, int high, int root)
{
    float s = first_scale(value, count, low, high);
    for (int64_t i = 0; i < count; i++) {
        bool found = false;
        for (int q = 1; q <= root; q++)
            found |= s * (float)(q * q) == fabsf(value[i]);
        if (!found)
            return false;
    }
    return true;
}

bool oracle_is_scaled(const float *value, int64_t count, int low, int high)
{
    if (count == 0)
        return true;
    for (int q = low; q <= high; q++) {         /* the first value is s times this */
        float s = q == 0 ? 0 : (float)((double)value[0] / q);
        if (!(s > 0))
            continue;
        for (int k = 0; k < 4; k++)
            s = nextafterf(s, 0);
        for (int k = 0; k < 9; k++, s = nextafterf(s, INFINITY))
            if (s > 0 && fits(value, count, s, low, high))
                return true;
    }
    return false;
}

typedef struct { bool ones, half, u8, i8, q4, s4; int64_t nnz; } allowed;

static void look_at_row(allowed *a, const float *row, int64_t f)
{
    float *value = malloc((size_t)(f + 1) * sizeof *value);
    int64_t count = 0;
    for (int64_t j = 0; j < f; j++)
        if (row[j] != 0 || signbit(row[j]))
            value[count++] = row[j];
    for (int64_t i = 0; i < count; i++) {
        a->ones &= value[i] == 1;
        a->half &= fabs((double)value[i]) < 65520 &&
                   half_value(oracle_half(value[i])) == (double)value[i];
    }
    a->u8 = a->u8 && oracle_is_scaled(value, count, 0, 255);
    a->i8 = a->i8 && oracle_is_scaled(value, count, -128, 127);
    a->q4 = a->q4 && a->u8 && is_square(value, count, 0, 255, 15);
    a->s4 = a->s4 && a->i8 && is_square(value, count, -128, 127, 7);
    a->nnz += count;
    free(value);
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t columns_with_values(const float *x, int64_t n, int64_t f)
{
    int64_t count = 0;
    for (int64_t j = 0; j < f; j++) {
        bool any = false;
        for (int64_t v = 0; v < n; v++)
            any |= x[v * f + j] != 0 || signbit(x[v * f + j]);
        count += any;
    }
    return count;
}

int64_t oracle_feature_bytes(const float *x, int64_t n, int64_t f)
{
    allowed a = {true, true, true, true, true, true, 0};
    for (int64_t v = 0; v < n; v++)
        look_at_row(&a, x + v * f, f);
    int64_t item = f <= 65536 ? 2 : 4, frame = 4 * (n + 1) + item * a.nnz;
    int64_t best = frame + (a.ones ? 0 : 4 * a.nnz), k = columns_with_values(x, n, f);
    for (int some = 0; some < 2; some++) {
        int64_t columns = some ? k : f, list = some ? item * k : 0;
        best = least_of(best, list + (a.half ? 2 : 4) * n * columns);
        if (a.u8 || a.i8)
            best = least_of(best, list + n * columns + 4 * n);
        if (a.q4 || a.s4)
            best = least_of(best, list + (n * columns + 1) / 2 + 4 * n);
    }
    if (a.u8 || a.i8)
        best = least_of(best, frame + a.nnz + 4 * n);
    if (a.q4 || a.s4)
        best = least_of(best, frame + (a.nnz + 1) / 2 + 4 * n);
    return best;
}

uint32_t oracle_crc(const uint8_t *data, int64_t len)
{
    uint32_t crc = 0xffffffffu;
    for (int64_t i = 0; i < len; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}
