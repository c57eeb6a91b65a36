/* stream.c -- opens the arrays of a large graph; reads them into a draft.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "stream.h"

enum { PIECE = 1 << 20, BLOCK = 4096 };         /* edges or labels: between two reports of progress;
                                                 * in cache */

void bn_stream_close(bn_stream *s)
{
    bn_npy_close(&s->features);
    bn_npy_close(&s->source);
    bn_npy_close(&s->target);
    bn_zip_close(&s->zip);
    bn_free(s->label);
    bn_free(s->split);
    bn_free(s->archive);
    s->archive = NULL;
    s->label = NULL;
    s->split = NULL;
}

/* ---- labels ---- */

bool bn_class_of(double v, int32_t *out)
{
    *out = -1;
    if (isnan(v) || v == -1)
        return true;
    if (!(v >= 0 && v < (double)INT32_MAX && v == floor(v)))
        return false;
    *out = (int32_t)v;
    return true;
}

/* Reads the next labels as raw bytes, because only here nan is allowed. */
static bonsai_status float_labels(int32_t *label, bn_npy *a, int64_t count)
{
    bonsai_status rc = BONSAI_OK;
    uint8_t raw[BLOCK * 8];
    if (a->big)
        return bn_fail_at(BONSAI_E_FORMAT, a->where, "labels of type \"%s\" cannot be read",
                          a->descr);
    for (int64_t at = 0; at < count; at += BLOCK) {
        const int64_t before = a->done, n = bn_least(BLOCK, count - at);
        BN_TRY(bn_npy_raw(raw, a, n));
        for (int64_t i = 0; i < n; i++) {
            const double v = bn_npy_real(a, raw + i * a->width);
            if (!bn_class_of(v, &label[at + i]))
                BN_TRY(bn_fail_at(BONSAI_E_FORMAT, a->where, "entry %lld is %g, which is not a "
                                  "class", (long long)(before + i), v));
        }
    }
done:
    return rc;
}

/* Reads all labels, a piece at a time. */
static bonsai_status read_labels(bn_stream *s, bn_npy *a)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t at = 0; at < a->count; at += PIECE) {
        const int64_t n = bn_least(PIECE, a->count - at);
        BN_TRY(bn_tick(s->progress, "reading labels", at, a->count));
        BN_TRY(a->kind == 'f' ? float_labels(s->label + at, a, n)
                              : bn_npy_i32(s->label + at, a, n, -1, INT32_MAX - 1));
    }
    BN_TRY(bn_tick(s->progress, "reading labels", a->count, a->count));
    BN_TRY(bn_npy_end(a));
done:
    return rc;
}

bonsai_status bn_stream_labels(bn_stream *s, bn_npy *a)
{
    bonsai_status rc;
    if (a->dims == 2 && a->shape[1] > 1)
        return bn_fail_at(BONSAI_E_FORMAT, a->where, "%lld labels a node; only one class can be "
                          "read", (long long)a->shape[1]);
    BN_TRY(bn_npy_vector(a, -1));
    if (a->count > INT32_MAX) {
        rc = bn_fail_at(BONSAI_E_FORMAT, a->where, "%lld nodes; the number must be in 0..%d",
                        (long long)a->count, INT32_MAX);
        goto done;
    }
    BN_TRY(BN_NEW(&s->label, a->count));
    BN_TRY(read_labels(s, a));
    s->n = a->count;
done:
    return rc;
}

/* ---- opening ---- */

/* Moves the second cursor to the targets, which lie behind all sources. */
static bonsai_status skip_sources(bn_stream *s)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t at = 0; at < s->m && !s->source.fortran; at += PIECE) {
        if (s->target.zip)
            BN_TRY(bn_tick(s->progress, "finding edges", at, s->m));
        BN_TRY(bn_npy_skip(&s->target, bn_least(PIECE, s->m - at)));
    }
    if (s->target.zip)
        BN_TRY(bn_tick(s->progress, "finding edges", s->m, s->m));
done:
    return rc;
}

static bonsai_status check_arrays(bn_stream *s)
{
    bonsai_status rc;
    const bn_npy *x = &s->features;
    BN_TRY(bn_npy_matrix(&s->source, 2, -1));
    s->m = s->source.shape[1];
    if (x->count > 0 || x->dims > 0) {
        BN_TRY(bn_npy_matrix(x, s->n, -1));
        s->f = x->shape[1];
        if (s->f > INT32_MAX)
            BN_TRY(bn_fail_at(BONSAI_E_FORMAT, x->where, "%lld rows of %lld features are too many",
                              (long long)s->n, (long long)s->f));
        s->whole |= x->fortran;
    }
    BN_TRY(skip_sources(s));
done:
    return rc;
}

bonsai_status bn_stream_open(bn_stream *s, const char *features, const char *edges)
{
    bonsai_status rc;
    BN_TRY(bn_npy_open(&s->features, features));
    BN_TRY(bn_npy_open(&s->source, edges));
    BN_TRY(bn_npy_open(&s->target, edges));
    BN_TRY(check_arrays(s));
done:
    return rc;
}

bonsai_status bn_stream_unzip(bn_stream *s)
{
    bonsai_status rc;
    BN_TRY(bn_zip_array(&s->source, &s->zip, "edge_index"));
    BN_TRY(bn_zip_array(&s->target, &s->zip, "edge_index"));
    if (bn_zip_has(&s->zip, "node_feat"))
        BN_TRY(bn_zip_array(&s->features, &s->zip, "node_feat"));
    BN_TRY(check_arrays(s));
done:
    return rc;
}

static bonsai_status reopen(bn_npy *a, bn_stream *s)
{
    if (a->zip) {
        bn_npy_close(a);
        return bn_zip_array(a, &s->zip, "edge_index");
    }
    a->at -= a->done * a->width;
    a->done = 0;
    return BONSAI_OK;
}

bonsai_status bn_stream_rewind(bn_stream *s)
{
    bonsai_status rc;
    BN_TRY(reopen(&s->source, s));
    BN_TRY(reopen(&s->target, s));
    BN_TRY(skip_sources(s));
done:
    return rc;
}

/* ---- edges ---- */

bonsai_status bn_stream_edges(bn_stream *s, int32_t *source, int32_t *target, int64_t count)
{
    bonsai_status rc = BONSAI_OK;
    const int32_t high = (int32_t)(s->n - 1);
    if (!s->source.fortran) {
        BN_TRY(bn_npy_i32(source, &s->source, count, 0, high));
        BN_TRY(bn_npy_i32(target, &s->target, count, 0, high));
    }
    for (int64_t e = 0; s->source.fortran && e < count; e++) {
        int32_t pair[2];
        BN_TRY(bn_npy_i32(pair, &s->source, 2, 0, high));
        source[e] = pair[0];
        target[e] = pair[1];
    }
done:
    return rc;
}

bonsai_status bn_stream_edges_end(bn_stream *s)
{
    return bn_npy_end(s->source.fortran ? &s->source : &s->target);
}

/* ---- all of it ---- */

/* Returns whether the elements lie in a file as the library needs them. */
static bool can_be_mapped(const bn_npy *a)
{
    return !a->zip && !a->fortran && !a->big && a->kind == 'f' && a->count > 0 &&
           (a->width == 2 || a->width == 4) && (uintptr_t)(a->file.data + a->at) % 4 == 0;
}

/* Reads the features, in row order, as floats or as halves, which must be finite. */
static bonsai_status pass_features(float *out, bn_stream *s, int64_t *rounded)
{
    bonsai_status rc = BONSAI_OK;
    bn_npy *a = &s->features;
    union { float wide[BLOCK]; uint16_t half[BLOCK]; } room;
    while (a->done < a->count) {
        const int64_t at = a->done, count = bn_least(BLOCK, a->count - at);
        if (at % PIECE == 0)
            BN_TRY(bn_tick(s->progress, "reading features", at, a->count));
        BN_TRY(!out && a->width == 2 ? bn_npy_f16(room.half, a, count)
                                     : bn_npy_f32(out ? out + at : room.wide, a, count, rounded));
    }
    BN_TRY(bn_tick(s->progress, "reading features", a->count, a->count));
    BN_TRY(bn_npy_end(a));
done:
    return rc;
}

static bonsai_status copy_features(bn_draft *d, bn_stream *s)
{
    bonsai_status rc;
    float *x;
    if (s->features.fortran)
        return bn_npy_features(d, &s->features, &s->n);
    BN_TRY(bn_draft_array(&x, d, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, s->features.count));
    d->features = s->f;
    BN_TRY(pass_features(x, s, &d->g->info.rounded));
done:
    return rc;
}

static bonsai_status map_features(bn_draft *d, bn_stream *s)
{
    bonsai_status rc;
    bn_npy *a = &s->features;
    const void *data = a->file.data + a->at;
    BN_TRY(pass_features(NULL, s, &d->g->info.rounded));
    d->features = s->f;
    d->g->view.section[BONSAI_SECTION_FEATURES] =
        (bonsai_array){data, a->count, a->width == 2 ? BONSAI_TYPE_F16 : BONSAI_TYPE_F32};
    atomic_store(&d->g->verified[BONSAI_SECTION_FEATURES], 1);
    d->g->rows = a->file;
    a->file = (bn_file){0};
done:
    return rc;
}

static bonsai_status all_edges(bn_draft *d, bn_stream *s)
{
    bonsai_status rc;
    d->m = s->m;
    BN_TRY(BN_NEW(&d->source, s->m));
    BN_TRY(BN_NEW(&d->target, s->m));
    for (int64_t at = 0; at < s->m; at += PIECE) {
        BN_TRY(bn_tick(s->progress, "reading edges", at, s->m));
        BN_TRY(bn_stream_edges(s, d->source + at, d->target + at, bn_least(PIECE, s->m - at)));
    }
    BN_TRY(bn_tick(s->progress, "reading edges", s->m, s->m));
    BN_TRY(bn_stream_edges_end(s));
done:
    return rc;
}

bonsai_status bn_stream_nodes(bn_draft *d, bn_stream *s)
{
    bonsai_status rc;
    BN_TRY(bn_draft_give(d, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32, (void **)&s->label, s->n));
    if (s->split)
        BN_TRY(bn_draft_give(d, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, (void **)&s->split, s->n));
    d->nodes = s->n;
    d->classes = s->classes;
done:
    return rc;
}

bonsai_status bn_stream_draft(bn_draft *d, bn_stream *s)
{
    bonsai_status rc;
    BN_TRY(bn_stream_nodes(d, s));
    BN_TRY(all_edges(d, s));
    if (s->f > 0 && can_be_mapped(&s->features))
        BN_TRY(map_features(d, s));
    else if (s->f > 0)
        BN_TRY(copy_features(d, s));
done:
    return rc;
}
