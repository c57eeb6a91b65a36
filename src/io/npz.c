/* npz.c -- reads graphs from NumPy archives.
 *
 * There are two layouts, recognised by their arrays:
 *   edge_index [2,E], x [n,f] or x_data, x_indices, x_indptr, x_shape, y [n],
 *     train_idx, val_idx, test_idx (or train_mask ...), edge_weight, num_nodes;
 *   adj_data, adj_indices, adj_indptr, adj_shape, attr_* or attr_matrix, labels.
 * All arrays but the edges are optional, and other arrays are ignored.  The arrays that our writer
 * adds (npzwrite.c) are read only if graph_flags is present, which marks our files: elsewhere the
 * same names mean other things.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "io.h"
#include "npy.h"

typedef struct {
    bn_draft *d;
    bn_zip    zip;
    int64_t   n;                /* nodes; -1: not yet known */
    const char *n_from;         /* the array that gave n */
} reader;

static bool matches(const char *path)
{
    return bn_ends_with(path, ".npz");
}

static bool has(const reader *r, const char *name)
{
    return bn_zip_has(&r->zip, name);
}

/* Notes the number of nodes that an array implies; all arrays must agree. */
static bonsai_status claim_nodes(reader *r, int64_t n, const char *from)
{
    if (n > INT32_MAX)
        return bn_fail(BONSAI_E_FORMAT, "%s:%s: %lld nodes; the number must be in 0..%d",
                       r->zip.path, from, (long long)n, INT32_MAX);
    if (r->n >= 0 && r->n != n)
        return bn_fail_at(BONSAI_E_FORMAT, r->zip.path, "%s has %lld nodes but %s has %lld", from,
                          (long long)n, r->n_from, (long long)r->n);
    r->n = n;
    r->n_from = from;
    return BONSAI_OK;
}

/* ---- features and labels ---- */

static bonsai_status read_dense(reader *r, const char *name)
{
    bonsai_status rc;
    bn_npy a;
    int64_t n = -1;
    BN_TRY(bn_zip_array(&a, &r->zip, name));
    BN_TRY(bn_npy_matrix(&a, -1, -1));
    BN_TRY(claim_nodes(r, a.shape[0], name));
    BN_TRY(bn_npy_features(r->d, &a, &n));
done:
    bn_npy_close(&a);
    return rc;
}

static bonsai_status read_sparse(reader *r, const char *prefix, const char *from)
{
    bonsai_status rc;
    int64_t shape[2];
    BN_TRY(bn_npz_shape(shape, &r->zip, prefix));
    BN_TRY(claim_nodes(r, shape[0], from));
    BN_TRY(bn_npz_features(r->d, &r->zip, prefix, shape[0], shape[1]));
done:
    return rc;
}

static bonsai_status read_features(reader *r)
{
    bool x = has(r, "x"), attr = has(r, "attr_matrix");
    bool xs = has(r, "x_indices"), attrs = has(r, "attr_indices");
    if (x + attr + xs + attrs > 1)
        return bn_fail_at(BONSAI_E_FORMAT, r->zip.path, "has features twice (only one of x, "
                          "x_indices, attr_matrix and attr_indices is allowed)");
    if (x || attr)
        return read_dense(r, x ? "x" : "attr_matrix");
    if (xs)
        return read_sparse(r, "x_", "x_shape");
    if (attrs)
        return read_sparse(r, "attr_", "attr_shape");
    return BONSAI_OK;
}

static bonsai_status read_labels(reader *r)
{
    bonsai_status rc;
    bn_npy a;
    int32_t *label;
    const char *name = has(r, "y") ? "y" : "labels";
    if (!has(r, name))
        return BONSAI_OK;
    BN_TRY(bn_zip_array(&a, &r->zip, name));
    if (a.dims == 2 && a.shape[1] != 1) {
        rc = bn_fail_at(BONSAI_E_FORMAT, a.where, "has %lld numbers a node; only one label a node "
                        "is supported", (long long)a.shape[1]);
        goto done;
    }
    BN_TRY(bn_npy_vector(&a, -1));
    BN_TRY(claim_nodes(r, a.count, name));
    BN_TRY(bn_draft_array(&label, r->d, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32, a.count));
    BN_TRY(bn_npy_i32(label, &a, a.count, -1, INT32_MAX - 1));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

/* ---- edges ---- */

/* Reads edges in Fortran order, where the source and target of an edge are adjacent. */
static bonsai_status read_pairs(bn_draft *d, bn_npy *a, int32_t high)
{
    bonsai_status rc = BONSAI_OK;
    enum { PAIRS = 2048 };
    int32_t pair[2 * PAIRS];
    for (int64_t at = 0, n; at < d->m; at += n) {
        n = d->m - at < PAIRS ? d->m - at : PAIRS;
        BN_TRY(bn_npy_i32(pair, a, 2 * n, 0, high));
        for (int64_t i = 0; i < n; i++) {
            d->source[at + i] = pair[2 * i];
            d->target[at + i] = pair[2 * i + 1];
        }
    }
done:
    return rc;
}

static bonsai_status read_edge_index(reader *r)
{
    bonsai_status rc;
    bn_draft *d = r->d;
    bn_npy a;
    int32_t high = r->n < 0 ? INT32_MAX - 1 : (int32_t)(r->n - 1);
    BN_TRY(bn_zip_array(&a, &r->zip, "edge_index"));
    BN_TRY(bn_npy_matrix(&a, 2, -1));
    d->m = a.shape[1];
    BN_TRY(BN_NEW(&d->source, d->m));
    BN_TRY(BN_NEW(&d->target, d->m));
    if (a.fortran) {
        BN_TRY(read_pairs(d, &a, high));
    } else {
        BN_TRY(bn_npy_i32(d->source, &a, d->m, 0, high));
        BN_TRY(bn_npy_i32(d->target, &a, d->m, 0, high));
    }
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

static bonsai_status read_edge_weight(reader *r)
{
    bonsai_status rc;
    bn_draft *d = r->d;
    bn_npy a;
    if (!has(r, "edge_weight"))
        return BONSAI_OK;
    BN_TRY(bn_zip_array(&a, &r->zip, "edge_weight"));
    BN_TRY(bn_npy_vector(&a, d->m));
    BN_TRY(BN_NEW(&d->weight, d->m));
    BN_TRY(bn_npy_f32(d->weight, &a, d->m, &d->g->info.rounded));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

static bonsai_status claim_adjacency(reader *r)
{
    bonsai_status rc;
    int64_t shape[2];
    BN_TRY(bn_npz_shape(shape, &r->zip, "adj_"));
    if (shape[0] != shape[1]) {
        rc = bn_fail(BONSAI_E_FORMAT, "%s:adj_shape: %lld rows but %lld columns", r->zip.path,
                     (long long)shape[0], (long long)shape[1]);
        goto done;
    }
    BN_TRY(claim_nodes(r, shape[0], "adj_shape"));
done:
    return rc;
}

static bonsai_status read_edges(reader *r)
{
    bonsai_status rc;
    if (has(r, "adj_indptr"))
        return bn_npz_adjacency(r->d, &r->zip, "adj_", r->n);
    BN_TRY(read_edge_index(r));
    BN_TRY(read_edge_weight(r));
done:
    return rc;
}

/* Sets the number of nodes, one more than the largest id if nothing says it.  Many more than the
 * arrays speak of take memory that the file does not account for. */
static bonsai_status count_nodes(reader *r)
{
    enum { SOME = 1 << 20, PER_BYTE = 64 };
    const bn_draft *d = r->d;
    if (r->n < 0) {
        int32_t largest = -1;
        for (int64_t i = 0; i < d->m; i++) {
            largest = d->source[i] > largest ? d->source[i] : largest;
            largest = d->target[i] > largest ? d->target[i] : largest;
        }
        r->n = (int64_t)largest + 1;
        r->n_from = "edge_index";
    }
    if ((r->n - SOME) / PER_BYTE <= r->zip.done)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_FORMAT, "%s:%s: %lld nodes are implausible in %lld bytes of arrays: "
                   "number nodes from 0 on", r->zip.path, r->n_from, (long long)r->n,
                   (long long)r->zip.done);
}

/* ---- split ---- */

/* Returns 1 if there is NAME_idx, 2 if there is NAME_mask, 0 if there is neither. */
static int part_form(const reader *r, int part)
{
    if (has(r, bn_part_array((bonsai_part)part, false)))
        return 1;
    return has(r, bn_part_array((bonsai_part)part, true)) ? 2 : 0;
}

static bonsai_status read_split(reader *r)
{
    bonsai_status rc = BONSAI_OK;
    uint8_t *split = NULL;
    for (int part = BONSAI_PART_TRAIN; part <= BONSAI_PART_TEST; part++) {
        int form = part_form(r, part);
        if (form == 0)
            continue;
        if (!split)
            BN_TRY(bn_draft_array(&split, r->d, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, r->n));
        BN_TRY(bn_npz_part(split, r->n, &r->zip, (bonsai_part)part, form == 2));
    }
done:
    return rc;
}

/* Notes the length of each mask, which is the number of nodes. */
static bonsai_status claim_masks(reader *r)
{
    bonsai_status rc = BONSAI_OK;
    bn_npy a = {.zip = NULL};
    for (int part = BONSAI_PART_TRAIN; part <= BONSAI_PART_TEST; part++) {
        const char *name = bn_part_array((bonsai_part)part, true);
        if (part_form(r, part) != 2)
            continue;
        BN_TRY(bn_zip_array(&a, &r->zip, name));
        BN_TRY(bn_npy_vector(&a, -1));
        BN_TRY(claim_nodes(r, a.count, name));
        bn_npy_close(&a);
    }
done:
    bn_npy_close(&a);
    return rc;
}

/* ---- what our writer adds ---- */

static bonsai_type extra_type(bonsai_section s)
{
    switch (s) {
    case BONSAI_SECTION_SOFT_LABELS:
    case BONSAI_SECTION_NODE_WEIGHTS:
    case BONSAI_SECTION_FEATURE_MEAN:
    case BONSAI_SECTION_FEATURE_SPREAD:
        return BONSAI_TYPE_F32;
    case BONSAI_SECTION_ORIGIN:
    case BONSAI_SECTION_MEMBERS:
    case BONSAI_SECTION_KEPT_FEATURES:
        return BONSAI_TYPE_U32;
    case BONSAI_SECTION_MEMBER_OFFSETS:
        return BONSAI_TYPE_U64;
    default:
        return BONSAI_TYPE_U8;
    }
}

static bonsai_status read_extra(reader *r, const char *name, bonsai_section s)
{
    bonsai_status rc;
    bn_npy a;
    void *to;
    BN_TRY(bn_zip_array(&a, &r->zip, name));
    if (a.fortran && a.dims > 1) {
        rc = bn_fail_at(BONSAI_E_FORMAT, a.where, "is in Fortran order");
        goto done;
    }
    bonsai_type t = extra_type(s);
    BN_TRY(bn_draft_array(&to, r->d, s, t, a.count));
    if (t == BONSAI_TYPE_U8)
        BN_TRY(bn_npy_u8(to, &a, a.count, UINT8_MAX));
    else if (t == BONSAI_TYPE_U16)
        BN_TRY(bn_npy_raw(to, &a, a.count));
    else if (t == BONSAI_TYPE_U32)
        BN_TRY(bn_npy_i32(to, &a, a.count, 0, INT32_MAX));
    else if (t == BONSAI_TYPE_U64)
        BN_TRY(bn_npy_i64(to, &a, a.count, 0, INT64_MAX));
    else
        BN_TRY(bn_npy_f32(to, &a, a.count, &r->d->g->info.rounded));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

static bonsai_status read_extras(reader *r)
{
    bonsai_status rc = BONSAI_OK;
    int64_t features = r->d->features;
    for (int s = BONSAI_SECTION_SOFT_LABELS; s < BONSAI_SECTION_COUNT; s++) {
        const char *name = bn_npz_name((bonsai_section)s);
        if (name && has(r, name))
            BN_TRY(read_extra(r, name, (bonsai_section)s));
    }
    if (has(r, "num_features"))
        BN_TRY(bn_npz_number(&features, &r->zip, "num_features", 0, INT32_MAX));
    if (features != r->d->features)
        rc = bn_fail(BONSAI_E_FORMAT, "%s:num_features: says %lld features, but there are %lld",
                     r->zip.path, (long long)features, (long long)r->d->features);
done:
    return rc;
}

/* ---- the file ---- */

static bonsai_status check_layout(const reader *r)
{
    char names[300];
    bool edges = has(r, "edge_index"), adjacency = has(r, "adj_indptr");
    if (edges != adjacency)
        return BONSAI_OK;
    if (edges)
        return bn_fail_at(BONSAI_E_FORMAT, r->zip.path, "has edges twice, in edge_index and in "
                          "adj_indptr");
    bn_zip_names(names, sizeof names, &r->zip);
    return bn_fail_at(BONSAI_E_FORMAT, r->zip.path, "has neither \"edge_index\" nor "
                      "\"adj_indptr\"; its arrays are: %s", names);
}

static bonsai_status read_counts(reader *r)
{
    bonsai_status rc = BONSAI_OK;
    int64_t n, flags;
    if (has(r, "num_nodes")) {
        BN_TRY(bn_npz_number(&n, &r->zip, "num_nodes", 0, INT32_MAX));
        BN_TRY(claim_nodes(r, n, "num_nodes"));
    }
    if (has(r, "num_classes"))
        BN_TRY(bn_npz_number(&r->d->classes, &r->zip, "num_classes", 0, INT32_MAX));
    if (has(r, "graph_flags")) {
        BN_TRY(bn_npz_number(&flags, &r->zip, "graph_flags", 0, BN_ALL_FLAGS));
        r->d->keep = (uint64_t)flags;
    }
    if (has(r, "adj_indptr"))
        BN_TRY(claim_adjacency(r));
done:
    return rc;
}

static bonsai_status read_npz(bn_draft *d, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc;
    reader r = {.d = d, .n = -1};
    BN_TRY(bn_zip_open(&r.zip, path, (bn_progress){o->progress, o->payload}));
    BN_TRY(check_layout(&r));
    BN_TRY(read_counts(&r));
    BN_TRY(read_features(&r));
    BN_TRY(read_labels(&r));
    BN_TRY(claim_masks(&r));
    BN_TRY(read_edges(&r));
    BN_TRY(count_nodes(&r));
    d->nodes = r.n;
    BN_TRY(read_split(&r));
    if (has(&r, "graph_flags"))
        BN_TRY(read_extras(&r));
    BN_TRY(bn_zip_done(&r.zip));
done:
    bn_zip_close(&r.zip);
    return rc;
}

const bn_format bn_format_npz = {
    .name = "npz",
    .help = "a NumPy archive: edge_index, x, y, *_idx; or adj_*, attr_*, labels",
    .matches = matches,
    .read = read_npz,
    .write = bn_npz_write,
};
