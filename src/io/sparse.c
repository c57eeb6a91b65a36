/* sparse.c -- reads SciPy's sparse matrices from an archive, as edges or features.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "npy.h"

bonsai_status bn_npz_i64(int64_t **out, int64_t *count_out, bn_zip *z, const char *name,
                         int64_t rows, int64_t low, int64_t high)
{
    bonsai_status rc;
    bn_npy a;
    *out = NULL;
    BN_TRY(bn_zip_array(&a, z, name));
    BN_TRY(bn_npy_vector(&a, rows));
    BN_TRY(BN_NEW(out, a.count));
    BN_TRY(bn_npy_i64(*out, &a, a.count, low, high));
    BN_TRY(bn_npy_end(&a));
    if (count_out)
        *count_out = a.count;
done:
    bn_npy_close(&a);
    if (rc != BONSAI_OK) {
        bn_free(*out);
        *out = NULL;
    }
    return rc;
}

bonsai_status bn_npz_number(int64_t *out, bn_zip *z, const char *name, int64_t low, int64_t high)
{
    bonsai_status rc;
    bn_npy a;
    BN_TRY(bn_zip_array(&a, z, name));
    if (a.count != 1) {
        rc = bn_fail_at(BONSAI_E_FORMAT, a.where, "has %lld elements where one is needed",
                        (long long)a.count);
        goto done;
    }
    BN_TRY(bn_npy_i64(out, &a, 1, low, high));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

bonsai_status bn_npz_integers(int64_t *out, bn_zip *z, const char *name, int64_t count, int64_t low,
                              int64_t high)
{
    bonsai_status rc;
    bn_npy a;
    BN_TRY(bn_zip_array(&a, z, name));
    BN_TRY(bn_npy_vector(&a, count));
    BN_TRY(bn_npy_i64(out, &a, count, low, high));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

bonsai_status bn_npz_shape(int64_t out[2], bn_zip *z, const char *prefix)
{
    char name[64];
    snprintf(name, sizeof name, "%sshape", prefix);
    return bn_npz_integers(out, z, name, 2, 0, INT32_MAX);
}

typedef struct {                /* rows offsets[r] .. offsets[r+1]-1 */
    int64_t *offsets;
    int32_t *index;
    float   *value;
    int64_t  count;
} csr;

static void csr_free(csr *c)
{
    bn_free(c->offsets);
    bn_free(c->index);
    bn_free(c->value);
}

static bonsai_status read_indices(csr *c, bn_zip *z, const char *name, int64_t columns)
{
    bonsai_status rc;
    bn_npy a;
    BN_TRY(bn_zip_array(&a, z, name));
    BN_TRY(bn_npy_vector(&a, -1));
    c->count = a.count;
    BN_TRY(BN_NEW(&c->index, a.count));
    BN_TRY(bn_npy_i32(c->index, &a, a.count, 0, (int32_t)(columns - 1)));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

/* Reads offsets, which start at 0, never decrease, and end at the number of indices. */
static bonsai_status read_indptr(csr *c, bn_zip *z, const char *name, int64_t n)
{
    bonsai_status rc;
    char where[700];
    int64_t *out, bad = 0;
    BN_TRY(bn_npz_i64(&c->offsets, NULL, z, name, n + 1, 0, c->count));
    out = c->offsets;
    snprintf(where, sizeof where, "%.600s:%s", z->path, name);
    if (out[0] == 0)
        for (bad = 1; bad <= n && out[bad] >= out[bad - 1]; bad++) {}
    if (bad <= n)
        rc = bn_fail_at(BONSAI_E_FORMAT, where, "entry %lld is %lld, but it must be %s%lld",
                        (long long)bad, (long long)out[bad], bad ? "at least " : "",
                        bad ? (long long)out[bad - 1] : 0ll);
    else if (out[n] != c->count)
        rc = bn_fail_at(BONSAI_E_FORMAT, where, "the last entry is %lld, but there are %lld "
                        "indices", (long long)out[n], (long long)c->count);
done:
    return rc;
}

static bonsai_status read_values(csr *c, bn_draft *d, bn_zip *z, const char *name)
{
    bonsai_status rc;
    bn_npy a;
    BN_TRY(bn_zip_array(&a, z, name));
    BN_TRY(bn_npy_vector(&a, c->count));
    BN_TRY(BN_NEW(&c->value, c->count));
    BN_TRY(bn_npy_f32(c->value, &a, c->count, &d->g->info.rounded));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

static bonsai_status read_csr(csr *c, bn_draft *d, bn_zip *z, const char *prefix, int64_t n,
                              int64_t columns)
{
    bonsai_status rc;
    char name[3][64];
    static const char *const parts[] = {"indices", "indptr", "data"};
    for (int i = 0; i < 3; i++)
        snprintf(name[i], sizeof name[i], "%s%s", prefix, parts[i]);
    BN_TRY(read_indices(c, z, name[0], columns));
    BN_TRY(read_indptr(c, z, name[1], n));
    BN_TRY(read_values(c, d, z, name[2]));
done:
    return rc;
}

static bool all_ones(const csr *c)
{
    int64_t i = 0;
    while (i < c->count && c->value[i] == 1.0f)
        i++;
    return i == c->count;
}

bonsai_status bn_npz_adjacency(bn_draft *d, bn_zip *z, const char *prefix, int64_t n)
{
    bonsai_status rc;
    csr c = {0};
    BN_TRY(read_csr(&c, d, z, prefix, n, n));
    d->m = c.count;
    BN_TRY(BN_NEW(&d->source, d->m));
    for (int64_t v = 0; v < n; v++)
        for (int64_t e = c.offsets[v]; e < c.offsets[v + 1]; e++)
            d->source[e] = (int32_t)v;
    d->target = c.index;
    c.index = NULL;
    if (!all_ones(&c)) {
        d->weight = c.value;
        c.value = NULL;
    }
done:
    csr_free(&c);
    return rc;
}

bonsai_status bn_npz_features(bn_draft *d, bn_zip *z, const char *prefix, int64_t n, int64_t f)
{
    bonsai_status rc;
    csr c = {0};
    BN_TRY(read_csr(&c, d, z, prefix, n, f));
    BN_TRY(bn_draft_give(d, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, (void **)&c.offsets,
                         n + 1));
    BN_TRY(bn_draft_give(d, BONSAI_SECTION_FEATURE_INDICES, BONSAI_TYPE_U32, (void **)&c.index,
                         c.count));
    BN_TRY(bn_draft_give(d, BONSAI_SECTION_FEATURE_VALUES, BONSAI_TYPE_F32, (void **)&c.value,
                         c.count));
    d->features = f;
done:
    csr_free(&c);
    return rc;
}

bonsai_status bn_npy_features(bn_draft *d, bn_npy *a, int64_t *n)
{
    bonsai_status rc;
    float *x;
    BN_TRY(bn_npy_matrix(a, *n, -1));
    if (a->shape[0] > INT32_MAX || a->shape[1] > INT32_MAX) {
        rc = bn_fail_at(BONSAI_E_FORMAT, a->where, "%lld rows of %lld features are too many",
                        (long long)a->shape[0], (long long)a->shape[1]);
        goto done;
    }
    *n = a->shape[0];
    d->features = a->shape[1];
    BN_TRY(bn_draft_array(&x, d, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, a->count));
    BN_TRY(bn_npy_f32_rows(x, a, &d->g->info.rounded));
    BN_TRY(bn_npy_end(a));
done:
    return rc;
}
