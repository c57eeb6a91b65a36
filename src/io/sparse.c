/* sparse.c -- reads SciPy's sparse matrices from an archive, as edges or features.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "npy.h"

typedef struct {                /* PREFIXindptr, PREFIXindices, PREFIXdata */
    char indptr[64], indices[64], data[64];
} csr_names;

static csr_names names_of(const char *prefix)
{
    csr_names n;
    snprintf(n.indptr, sizeof n.indptr, "%sindptr", prefix);
    snprintf(n.indices, sizeof n.indices, "%sindices", prefix);
    snprintf(n.data, sizeof n.data, "%sdata", prefix);
    return n;
}

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

bonsai_status bn_npz_shape(int64_t out[2], bn_zip *z, const char *prefix)
{
    bonsai_status rc;
    bn_npy a;
    char name[64];
    snprintf(name, sizeof name, "%sshape", prefix);
    BN_TRY(bn_zip_array(&a, z, name));
    BN_TRY(bn_npy_vector(&a, 2));
    BN_TRY(bn_npy_i64(out, &a, 2, 0, INT32_MAX));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

/* Checks the length of an array before memory is allocated for it. */
static bonsai_status check_length(bn_zip *z, const char *name, int64_t count)
{
    bonsai_status rc;
    bn_npy a;
    BN_TRY(bn_zip_array(&a, z, name));
    BN_TRY(bn_npy_vector(&a, count));
done:
    bn_npy_close(&a);
    return rc;
}

/* Reads offsets, which start at 0, never decrease, and end at nnz. */
static bonsai_status read_indptr(int64_t *out, bn_zip *z, const char *name, int64_t n, int64_t nnz)
{
    bonsai_status rc;
    bn_npy a;
    BN_TRY(bn_zip_array(&a, z, name));
    BN_TRY(bn_npy_vector(&a, n + 1));
    BN_TRY(bn_npy_i64(out, &a, n + 1, 0, nnz));
    BN_TRY(bn_npy_end(&a));
    int64_t bad = out[0] != 0 ? 0 : 1;
    while (bad > 0 && bad <= n && out[bad] >= out[bad - 1])
        bad++;
    if (bad <= n)
        rc = bn_fail_at(BONSAI_E_FORMAT, a.where, "entry %lld is %lld, but it must be %s%lld",
                        (long long)bad, (long long)out[bad], bad ? "at least " : "",
                        bad ? (long long)out[bad - 1] : 0ll);
    else if (out[n] != nnz)
        rc = bn_fail_at(BONSAI_E_FORMAT, a.where, "the last entry is %lld, but there are %lld "
                        "indices", (long long)out[n], (long long)nnz);
done:
    bn_npy_close(&a);
    return rc;
}

static bonsai_status read_reals(float *out, bn_draft *d, bn_zip *z, const char *name, int64_t count)
{
    bonsai_status rc;
    bn_npy a;
    BN_TRY(bn_zip_array(&a, z, name));
    BN_TRY(bn_npy_vector(&a, count));
    BN_TRY(bn_npy_f32(out, &a, count, &d->g->info.rounded));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

static bool all_ones(const float *value, int64_t count)
{
    int64_t i = 0;
    while (i < count && value[i] == 1.0f)
        i++;
    return i == count;
}

bonsai_status bn_npz_adjacency(bn_draft *d, bn_zip *z, const char *prefix, int64_t n)
{
    bonsai_status rc;
    bn_npy a;
    csr_names name = names_of(prefix);
    int64_t *offsets = NULL;
    BN_TRY(bn_zip_array(&a, z, name.indices));
    BN_TRY(bn_npy_vector(&a, -1));
    d->m = a.count;
    BN_TRY(BN_NEW(&d->target, d->m));
    BN_TRY(bn_npy_i32(d->target, &a, d->m, 0, (int32_t)(n - 1)));
    BN_TRY(bn_npy_end(&a));
    BN_TRY(check_length(z, name.indptr, n + 1));
    BN_TRY(BN_NEW(&offsets, n + 1));
    BN_TRY(read_indptr(offsets, z, name.indptr, n, d->m));
    BN_TRY(BN_NEW(&d->source, d->m));
    for (int64_t v = 0; v < n; v++)
        for (int64_t e = offsets[v]; e < offsets[v + 1]; e++)
            d->source[e] = (int32_t)v;
    BN_TRY(BN_NEW(&d->weight, d->m));
    BN_TRY(read_reals(d->weight, d, z, name.data, d->m));
    if (all_ones(d->weight, d->m)) {
        bn_free(d->weight);
        d->weight = NULL;
    }
done:
    bn_npy_close(&a);
    bn_free(offsets);
    return rc;
}

bonsai_status bn_npz_features(bn_draft *d, bn_zip *z, const char *prefix, int64_t n, int64_t f)
{
    bonsai_status rc;
    bn_npy a;
    csr_names name = names_of(prefix);
    int64_t *offsets;
    int32_t *index;
    float *value;
    BN_TRY(bn_zip_array(&a, z, name.indices));
    BN_TRY(bn_npy_vector(&a, -1));
    BN_TRY(bn_draft_array(&index, d, BONSAI_SECTION_FEATURE_INDICES, BONSAI_TYPE_U32, a.count));
    BN_TRY(bn_npy_i32(index, &a, a.count, 0, (int32_t)(f - 1)));
    BN_TRY(bn_npy_end(&a));
    BN_TRY(check_length(z, name.indptr, n + 1));
    BN_TRY(bn_draft_array(&offsets, d, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, n + 1));
    BN_TRY(read_indptr(offsets, z, name.indptr, n, a.count));
    BN_TRY(bn_draft_array(&value, d, BONSAI_SECTION_FEATURE_VALUES, BONSAI_TYPE_F32, a.count));
    BN_TRY(read_reals(value, d, z, name.data, a.count));
    d->features = f;
done:
    bn_npy_close(&a);
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
