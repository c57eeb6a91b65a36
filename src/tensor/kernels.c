/* kernels.c -- the inner loops, in plain C, compiled once per instruction set.
 *
 * The build defines BN_KERNELS as the name of the table that this object
 * exports.  The compiler turns the fixed inner loops of 32 into vector code; with
 * -ffp-contract=off the result does not depend on the vector width.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "tensor.h"

enum { LANES = 32 };

static float add_up(float s[LANES])
{
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++)
            s[i] += s[i + width];
    return s[0];
}

static float dot(const float *restrict a, const float *restrict b, int64_t n)
{
    float s[LANES] = {0};
    int64_t whole = n - n % LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int j = 0; j < LANES; j++)
            s[j] += a[i + j] * b[i + j];
    for (int64_t i = whole; i < n; i++)
        s[i - whole] += a[i] * b[i];
    return add_up(s);
}

static float dist2(const float *restrict a, const float *restrict b, int64_t n)
{
    float s[LANES] = {0};
    int64_t whole = n - n % LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int j = 0; j < LANES; j++) {
            float d = a[i + j] - b[i + j];
            s[j] += d * d;
        }
    for (int64_t i = whole; i < n; i++) {
        float d = a[i] - b[i];
        s[i - whole] += d * d;
    }
    return add_up(s);
}

static float sparse_dot(const int32_t *restrict index, const float *restrict value, int64_t nnz,
                        const float *restrict b)
{
    float s[LANES] = {0};
    for (int64_t i = 0; i < nnz; i++)
        s[index[i] % LANES] += (value ? value[i] : 1.0f) * b[index[i]];
    return add_up(s);
}

static void axpy(float *restrict y, float alpha, const float *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += alpha * x[i];
}

static void scale(float *restrict y, float alpha, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] *= alpha;
}

/* Sixteen columns as one value: with an array of 16 the compiler splits the sum into scalars, and
 * then too few rows are fetched at a time. */
typedef float columns __attribute__((vector_size(BN_NARROW * sizeof(float)), aligned(4),
                                     may_alias));

enum { AHEAD = 12 };            /* rows prefetched */

static inline void fetch_ahead(const float *x, int width, const int32_t *id, int64_t i,
                               int64_t count)
{
    if (i + AHEAD < count)
        for (int j = 0; j < width; j += 16)
            __builtin_prefetch(x + (int64_t)id[i + AHEAD] * width + j);
}

static void gather_narrow(float *restrict y, const float *restrict x, const int32_t *restrict id,
                          const float *restrict w, int64_t count)
{
    columns sum = {0};
    for (int64_t i = 0; i < count; i++) {
        fetch_ahead(x, BN_NARROW, id, i, count);
        const columns *row = (const columns *)(x + (int64_t)id[i] * BN_NARROW);
        sum += (w ? w[i] : 1.0f) * *row;
    }
    *(columns *)y = sum;
}

static void gather_wide(float *restrict y, const float *restrict x, const int32_t *restrict id,
                        const float *restrict w, int64_t count)
{
    columns a = {0}, b = {0}, c = {0}, d = {0};
    for (int64_t i = 0; i < count; i++) {
        fetch_ahead(x, BN_WIDE, id, i, count);
        const columns *row = (const columns *)(x + (int64_t)id[i] * BN_WIDE);
        float factor = w ? w[i] : 1.0f;
        a += factor * row[0];
        b += factor * row[1];
        c += factor * row[2];
        d += factor * row[3];
    }
    columns *to = (columns *)y;
    to[0] = a;
    to[1] = b;
    to[2] = c;
    to[3] = d;
}

typedef float eight __attribute__((vector_size(8 * sizeof(float)), aligned(4), may_alias));
typedef float four __attribute__((vector_size(4 * sizeof(float)), aligned(4), may_alias));

static void gather_eight(float *restrict y, const float *restrict x, const int32_t *restrict id,
                         const float *restrict w, int64_t count)
{
    eight sum = {0};
    for (int64_t i = 0; i < count; i++) {
        fetch_ahead(x, 8, id, i, count);
        sum += (w ? w[i] : 1.0f) * *(const eight *)(x + (int64_t)id[i] * 8);
    }
    *(eight *)y = sum;
}

static void gather_four(float *restrict y, const float *restrict x, const int32_t *restrict id,
                        const float *restrict w, int64_t count)
{
    four sum = {0};
    for (int64_t i = 0; i < count; i++) {
        fetch_ahead(x, 4, id, i, count);
        sum += (w ? w[i] : 1.0f) * *(const four *)(x + (int64_t)id[i] * 4);
    }
    *(four *)y = sum;
}

static void gather(float *y, const float *x, int width, const int32_t *id, const float *w,
                   int64_t count)
{
    if (width == BN_WIDE)
        gather_wide(y, x, id, w, count);
    else if (width == BN_NARROW)
        gather_narrow(y, x, id, w, count);
    else if (width == 8)
        gather_eight(y, x, id, w, count);
    else
        gather_four(y, x, id, w, count);
}

/* Sums `blocks` times 16 columns of many rows in registers; blocks is a constant. */
static inline __attribute__((always_inline)) void
combine_block(float *restrict y, const float *restrict x, int64_t stride, const int blocks,
              const int32_t *restrict id, const float *restrict w, int64_t count)
{
    columns sum[8];
    for (int b = 0; b < blocks; b++)
        sum[b] = ((const columns *)y)[b];
    for (int64_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            for (int b = 0; b < blocks; b++)
                __builtin_prefetch(x + (int64_t)id[i + AHEAD] * stride + 16 * b);
        const columns *row = (const columns *)(x + (int64_t)id[i] * stride);
        if (w)
            for (int b = 0; b < blocks; b++)
                sum[b] += w[i] * row[b];
        else
            for (int b = 0; b < blocks; b++)
                sum[b] += row[b];
    }
    for (int b = 0; b < blocks; b++)
        ((columns *)y)[b] = sum[b];
}

static void combine_rest(float *restrict y, const float *restrict x, int64_t stride, int64_t width,
                         const int32_t *restrict id, const float *restrict w, int64_t count)
{
    int64_t at = 0;
    if (width >= 8) {
        eight sum = *(const eight *)y;
        for (int64_t i = 0; i < count; i++)
            sum += (w ? w[i] : 1.0f) * *(const eight *)(x + (int64_t)id[i] * stride);
        *(eight *)y = sum;
        at = 8;
    }
    for (; at < width; at++) {
        float sum = y[at];
        for (int64_t i = 0; i < count; i++)
            sum += (w ? w[i] : 1.0f) * x[(int64_t)id[i] * stride + at];
        y[at] = sum;
    }
}

static void combine(float *y, const float *x, int64_t width, int64_t stride, const int32_t *id,
                    const float *w, int64_t count)
{
    int64_t at = 0;
    for (; width - at >= 128; at += 128)
        combine_block(y + at, x + at, stride, 8, id, w, count);
    for (; width - at >= 64; at += 64)
        combine_block(y + at, x + at, stride, 4, id, w, count);
    for (; width - at >= 32; at += 32)
        combine_block(y + at, x + at, stride, 2, id, w, count);
    for (; width - at >= 16; at += 16)
        combine_block(y + at, x + at, stride, 1, id, w, count);
    if (at < width)
        combine_rest(y + at, x + at, stride, width - at, id, w, count);
}

/* Sums 16 columns for `rows` rows of a in registers, a constant: eight sums of eight columns are as
 * many as stay there on a processor of 16 registers. */
static inline __attribute__((always_inline)) void
times_block(float *restrict y, int64_t y_stride, const float *restrict a, int64_t a_stride,
            const float *restrict x, int64_t x_stride, int64_t count, const int rows)
{
    eight low[4], high[4];
    for (int r = 0; r < rows; r++) {
        low[r] = ((const eight *)(y + r * y_stride))[0];
        high[r] = ((const eight *)(y + r * y_stride))[1];
    }
    for (int64_t i = 0; i < count; i++) {
        const eight first = ((const eight *)(x + i * x_stride))[0];
        const eight second = ((const eight *)(x + i * x_stride))[1];
        for (int r = 0; r < rows; r++) {
            const float v = a[r * a_stride + i];
            const eight all = {v, v, v, v, v, v, v, v};
            low[r] += all * first;
            high[r] += all * second;
        }
    }
    for (int r = 0; r < rows; r++) {
        ((eight *)(y + r * y_stride))[0] = low[r];
        ((eight *)(y + r * y_stride))[1] = high[r];
    }
}

static void times(float *y, const bn_operands *o, int64_t rows, int64_t width, int64_t count)
{
    for (int64_t at = 0; at < width; at += BN_NARROW)
        for (int64_t r = 0; r < rows;) {
            const float *a = o->a + r * o->a_stride, *x = o->x + at;
            float *to = y + r * o->y_stride + at;
            const bool several = rows - r >= 4;
            if (several)
                times_block(to, o->y_stride, a, o->a_stride, x, o->x_stride, count, 4);
            else
                times_block(to, o->y_stride, a, o->a_stride, x, o->x_stride, count, 1);
            r += several ? 4 : 1;
        }
}

/* Computes sixteen partial sums, halved until one is left. */
static inline float dot_row(const float *restrict a, const float *restrict b, int64_t n)
{
    columns wide = {0};
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        wide += *(const columns *)(a + i) * *(const columns *)(b + i);
    const eight *half = (const eight *)&wide;
    eight sum = half[0] + half[1];
    if (i + 8 <= n) {
        sum += *(const eight *)(a + i) * *(const eight *)(b + i);
        i += 8;
    }
    const four *quarter = (const four *)&sum;
    four less = quarter[0] + quarter[1];
    if (i + 4 <= n) {
        less += *(const four *)(a + i) * *(const four *)(b + i);
        i += 4;
    }
    float rest = (less[0] + less[2]) + (less[1] + less[3]);
    for (; i < n; i++)
        rest += a[i] * b[i];
    return rest;
}

static void dots(float *restrict out, const float *restrict a, const float *restrict x,
                 int64_t width, int64_t stride, const int32_t *restrict id, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            for (int64_t j = 0; j < width; j += 16)
                __builtin_prefetch(x + (int64_t)id[i + AHEAD] * stride + j);
        out[i] = dot_row(a, x + (int64_t)id[i] * stride, width);
    }
}

/* Tests 32 at a time first, as few are below. */
static int64_t below(int32_t *restrict out, const float *restrict a, const float *restrict b,
                     float x, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i += LANES) {
        int64_t end = n - i < LANES ? n : i + LANES;
        int any = end - i < LANES;
        if (!any)
            for (int j = 0; j < LANES; j++)
                any |= a[i + j] - 2.0f * b[i + j] <= x;
        for (int64_t j = i; any && j < end; j++)
            if (a[j] - 2.0f * b[j] <= x)
                out[count++] = (int32_t)j;
    }
    return count;
}

/* Takes one pass, so that the four arrays are read into the caches only once. */
static void adam(float *restrict w, float *restrict g, float *restrict m, float *restrict v,
                 const bn_adam_step *s, int64_t n)
{
    const bn_adam_step k = *s;
    const float take_m = 1.0f - k.keep_m, take_v = 1.0f - k.keep_v;
    for (int64_t i = 0; i < n; i++) {
        float slope = g[i] + k.decay * w[i];
        float mean = k.keep_m * m[i] + take_m * slope;
        float square = k.keep_v * v[i] + take_v * slope * slope;
        g[i] = 0;
        m[i] = mean;
        v[i] = square;
        w[i] -= k.rate * mean / (sqrtf(square) * k.grow + k.epsilon);
    }
}

/* What the registers of the instruction set hold: UP rows of ACROSS vectors.  An entry is summed in
 * order, whatever shares the registers with it. */
#if defined(__AVX512F__)
enum { VECTOR = 64, UP = 8, ACROSS = 2 };
#elif defined(__AVX2__)
enum { VECTOR = 32, UP = 4, ACROSS = 2 };
#else
enum { VECTOR = 16, UP = 4, ACROSS = 2 };
#endif
typedef double part __attribute__((vector_size(VECTOR), aligned(8), may_alias));

static inline __attribute__((always_inline)) void
outer_block(double *restrict out, const double *restrict a, const double *restrict b,
            int64_t depth)
{
    part sum[UP][ACROSS] = {0};
    for (int64_t i = 0; i < depth; i++) {
        const part *row = (const part *)(b + i * BN_TILE);
        for (int r = 0; r < UP; r++)
            for (int v = 0; v < ACROSS; v++)
                sum[r][v] += a[i * BN_TILE + r] * row[v];
    }
    for (int r = 0; r < UP; r++)
        for (int v = 0; v < ACROSS; v++)
            ((part *)(out + r * BN_TILE))[v] = sum[r][v];
}

static void outer(double *restrict out, const double *restrict a, const double *restrict b,
                  int64_t depth)
{
    const int across = ACROSS * VECTOR / (int)sizeof(double);
    for (int r = 0; r < BN_TILE; r += UP)
        for (int c = 0; c < BN_TILE; c += across)
            outer_block(out + r * BN_TILE + c, a + r, b + c, depth);
}

/* Multiplies twice; the zero turns a minus zero into a plus. */
static void mix(float *y, const float *x, float a, float b, int64_t n)
{
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        *(columns *)(y + i) = (0.0f + a * *(const columns *)(x + i)) * b;
    for (; i < n; i++)
        y[i] = (0.0f + a * x[i]) * b;
}

/* Packs without a branch, which would be unpredictable. */
static inline int64_t pack_some(int32_t *index, float *value, const float *x, int32_t first,
                                int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        index[count] = first + (int32_t)i;
        value[count] = x[i];
        count += bits != 0;
    }
    return count;
}

#if defined(__AVX512F__)
static inline int64_t pack_line(int32_t *index, float *value, const float *x, int32_t first)
{
    const __m512i from = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512 line = _mm512_loadu_ps(x);
    __mmask16 some = _mm512_test_epi32_mask(_mm512_castps_si512(line), _mm512_castps_si512(line));
    __m512i at = _mm512_add_epi32(from, _mm512_set1_epi32(first));
    _mm512_storeu_ps(value, _mm512_maskz_compress_ps(some, line));
    _mm512_storeu_si512(index, _mm512_maskz_compress_epi32(some, at));
    return __builtin_popcount(some);
}
#else
static inline int64_t pack_line(int32_t *index, float *value, const float *x, int32_t first)
{
    uint32_t bits[16], any = 0;
    memcpy(bits, x, sizeof bits);
    for (int i = 0; i < 16; i++)
        any |= bits[i];
    return any ? pack_some(index, value, x, first, 16) : 0;
}
#endif

/* Packs in lines of 16: a line begins only where count is at most room. */
static int64_t pack(int32_t *index, float *value, const float *x, int32_t first, int64_t n,
                    int64_t room)
{
    int64_t i = 0, count = 0;
    for (; i + 16 <= n && count <= room; i += 16)
        count += pack_line(index + count, value + count, x + i, first + (int32_t)i);
    if (count <= room)
        count += pack_some(index + count, value + count, x + i, first + (int32_t)i, n - i);
    return bn_least(count, room);
}

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)
extern const bn_kernels BN_KERNELS;
const bn_kernels BN_KERNELS = {NAME_OF(BN_ISA), dot, dist2, sparse_dot, axpy, scale, gather,
                               below, combine, times, dots, adam, outer, mix, pack};
