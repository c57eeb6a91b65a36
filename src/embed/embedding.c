/* embedding.c -- rows of an embedding, dense or sparse: read, added, copied, measured.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "embed.h"

void bn_embedding_free(bn_embedding *e)
{
    bn_big_free(e->dense);
    bn_big_free(e->offsets);
    bn_big_free(e->index);
    bn_big_free(e->value);
    memset(e, 0, sizeof *e);
}

void bn_embedding_row(float *out, const bn_embedding *e, int64_t row)
{
    if (e->dense) {
        memcpy(out, e->dense + row * e->f, (size_t)e->f * sizeof *out);
        return;
    }
    memset(out, 0, (size_t)e->f * sizeof *out);
    for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
        out[e->index[i]] = e->value[i];
}

void bn_row_add(double *sum, const bn_embedding *e, int64_t row, double weight)
{
    if (e->dense) {
        const float *x = e->dense + row * e->f;
        for (int64_t j = 0; j < e->f; j++)
            sum[j] += weight * (double)x[j];
        return;
    }
    for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
        sum[e->index[i]] += weight * (double)e->value[i];
}

double bn_row_squares(const bn_embedding *e, int64_t row)
{
    const float *x = e->dense ? e->dense + row * e->f : e->value + e->offsets[row];
    const int64_t count = e->dense ? e->f : e->offsets[row + 1] - e->offsets[row];
    double sum = 0;
    for (int64_t j = 0; j < count; j++)
        sum += (double)x[j] * (double)x[j];
    return sum;
}

int64_t bn_embedding_length(const bn_embedding *e, int64_t r)
{
    int64_t count = 0;
    if (!e->dense)
        return e->offsets[r + 1] - e->offsets[r];
    for (int64_t j = 0; j < e->f; j++)
        count += e->dense[r * e->f + j] != 0.0f;
    return count;
}

/* ---- copies ---- */

static void to_sparse(int32_t *index, float *value, const bn_embedding *e, int64_t r)
{
    int64_t at = 0;
    for (int64_t j = 0; e->dense && j < e->f; j++)
        if (e->dense[r * e->f + j] != 0.0f) {
            index[at] = (int32_t)j;
            value[at++] = e->dense[r * e->f + j];
        }
    for (int64_t i = e->dense ? 0 : e->offsets[r]; !e->dense && i < e->offsets[r + 1]; i++) {
        index[at] = e->index[i];
        value[at++] = e->value[i];
    }
}

bonsai_status bn_embedding_take(bn_embedding *out, const bn_embedding *e, const int64_t *row,
                                int64_t count, bool dense, const bn_place *at)
{
    bonsai_status rc;
    bn_memory *m = bn_here(at)->memory;
    const int threads = bn_threads(bn_here(at)->threads);
    memset(out, 0, sizeof *out);
    out->rows = count;
    out->f = e->f;
    if (dense)
        BN_TRY(BN_BIG(&out->dense, m, count * e->f));
    else {
        BN_TRY(BN_BIG(&out->offsets, m, count + 1));
        for (int64_t i = 0; i < count; i++)
            out->offsets[i + 1] = out->offsets[i] + bn_embedding_length(e, row ? row[i] : i);
        BN_TRY(BN_BIG(&out->index, m, out->offsets[count]));
        BN_TRY(BN_BIG(&out->value, m, out->offsets[count]));
    }
#pragma omp parallel for num_threads(bn_team(threads, 8 * bn_numbers(e, count))) schedule(static)
    for (int64_t i = 0; i < count; i++) {
        int64_t r = row ? row[i] : i;
        if (dense)
            bn_embedding_row(out->dense + i * e->f, e, r);
        else
            to_sparse(out->index + out->offsets[i], out->value + out->offsets[i], e, r);
    }
done:
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}

bonsai_status bn_embedding_join(bn_embedding *out, const bn_embedding *a, const bn_embedding *b,
                                const bn_place *at)
{
    bonsai_status rc;
    bn_memory *m = bn_here(at)->memory;
    bool dense = a->dense || b->dense;
    int64_t entries = dense ? 0 : a->offsets[a->rows] + b->offsets[b->rows], end = 0;
    *out = (bn_embedding){.rows = a->rows + b->rows, .f = a->f};
    if (dense) {
        BN_TRY(BN_BIG(&out->dense, m, out->rows * out->f));
        for (int64_t i = 0; i < out->rows; i++)
            bn_embedding_row(out->dense + i * out->f, i < a->rows ? a : b,
                             i < a->rows ? i : i - a->rows);
        goto done;
    }
    BN_TRY(BN_BIG(&out->offsets, m, out->rows + 1));
    BN_TRY(BN_BIG(&out->index, m, entries));
    BN_TRY(BN_BIG(&out->value, m, entries));
    for (const bn_embedding *e = a; e; e = e == a ? b : NULL) {
        int64_t count = e->offsets[e->rows], first = e == a ? 0 : a->rows;
        memcpy(out->index + end, e->index, (size_t)count * sizeof *e->index);
        memcpy(out->value + end, e->value, (size_t)count * sizeof *e->value);
        for (int64_t i = 0; i < e->rows; i++)
            out->offsets[first + i + 1] = end + e->offsets[i + 1];
        end += count;
    }
done:
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}

/* ---- distances ---- */

/* Returns v or zero without a branch, which would be unpredictable below. */
static float keep_if(float v, bool keep)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= 0u - (uint32_t)keep;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Adds sparse rows in the lanes of the dense kernel, where zeros add nothing. */
static float sparse_dist2(const bn_embedding *a, int64_t i, int64_t iend, const bn_embedding *b,
                          int64_t j, int64_t jend)
{
    enum { LANES = 32 };
    float s[LANES] = {0};
    while (i < iend && j < jend) {
        uint32_t x = (uint32_t)a->index[i], y = (uint32_t)b->index[j];
        float d = keep_if(a->value[i], x <= y) - keep_if(b->value[j], y <= x);
        s[(x < y ? x : y) % LANES] += d * d;
        i += x <= y;
        j += y <= x;
    }
    for (; i < iend; i++)
        s[a->index[i] % LANES] += a->value[i] * a->value[i];
    for (; j < jend; j++)
        s[b->index[j] % LANES] += b->value[j] * b->value[j];
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++)
            s[k] += s[k + width];
    return s[0];
}

float bn_rows_dist2(const bn_embedding *a, int64_t i, const bn_embedding *b, int64_t j)
{
    if (!a->dense)
        return sparse_dist2(a, a->offsets[i], a->offsets[i + 1], b, b->offsets[j],
                            b->offsets[j + 1]);
    return bn_kernels_get()->dist2(a->dense + i * a->f, b->dense + j * b->f, a->f);
}

float bn_embedding_dist2(const bn_embedding *e, int64_t a, int64_t b)
{
    return bn_rows_dist2(e, a, e, b);
}
