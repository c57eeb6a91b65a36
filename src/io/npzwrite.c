/* npzwrite.c -- writes graphs to NumPy archives.
 *
 * The layout is the one that npz.c reads, with int64 ids so that other tools can read it, and one
 * more array for each section that this layout lacks.  The writer first lists the arrays, because
 * their sizes give the total for progress; each array then writes itself through a small buffer, so
 * nothing is held twice.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "npy.h"

enum { ARRAYS = 40, BUFFER = 1 << 15 };

typedef struct writer writer;
typedef struct array array;
typedef bonsai_status emit_fn(writer *w, const array *a);

struct array {
    const char *name, *descr;
    emit_fn    *emit;
    int64_t     arg;            /* its meaning depends on emit */
    int         dims;
    int64_t     shape[2];
};

struct writer {
    const bonsai_graph *g;
    bn_zip_out *zip;
    int32_t    *index;          /* one row of features */
    float      *value;
    array       list[ARRAYS];
    int         count;
    int64_t     total;          /* bytes of all arrays */
    int64_t     used;
    uint8_t     buffer[BUFFER];
};

const char *bn_npz_name(bonsai_section s)
{
    switch (s) {
    case BONSAI_SECTION_SOFT_LABELS:    return "y_soft";
    case BONSAI_SECTION_NODE_WEIGHTS:   return "node_weight";
    case BONSAI_SECTION_CLASS_NAMES:    return "class_names";
    case BONSAI_SECTION_NODE_NAMES:     return "node_names";
    case BONSAI_SECTION_ORIGIN:         return "origin";
    case BONSAI_SECTION_ROLE:           return "role";
    case BONSAI_SECTION_MEMBER_OFFSETS: return "member_offsets";
    case BONSAI_SECTION_MEMBERS:        return "members";
    case BONSAI_SECTION_KEPT_FEATURES:  return "kept_features";
    case BONSAI_SECTION_FEATURE_MEAN:   return "feature_mean";
    case BONSAI_SECTION_FEATURE_SPREAD: return "feature_spread";
    case BONSAI_SECTION_METADATA:       return "metadata";
    case BONSAI_SECTION_FEATURE_NAMES:  return "feature_names";
    default:                    return NULL;
    }
}

/* ---- elements ---- */

static bonsai_status flush(writer *w)
{
    int64_t n = w->used;
    w->used = 0;
    return bn_zip_out_write(w->zip, w->buffer, n);
}

static bonsai_status put(writer *w, const void *data, size_t len)
{
    bonsai_status rc = BONSAI_OK;
    if ((int64_t)len > BUFFER - w->used)
        BN_TRY(flush(w));
    if (len > BUFFER)
        return bn_zip_out_write(w->zip, data, (int64_t)len);
    memcpy(w->buffer + w->used, data, len);
    w->used += (int64_t)len;
done:
    return rc;
}

static bonsai_status put_i64(writer *w, int64_t v)
{
    return put(w, &v, sizeof v);
}

static bonsai_status emit_number(writer *w, const array *a)
{
    return put_i64(w, a->arg);
}

static bonsai_status emit_section(writer *w, const array *a)
{
    const bonsai_array *s = &w->g->view.section[a->arg];
    return bn_zip_out_write(w->zip, s->data, s->count * (int64_t)bonsai_type_bytes(s->type));
}

/* Writes soft labels and node weights as numbers, whatever their stored type. */
static bonsai_status emit_reals(writer *w, const array *a)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_array *s = &w->g->view.section[a->arg];
    float unit = a->arg == BONSAI_SECTION_SOFT_LABELS && s->type == BONSAI_TYPE_U8 ? 255.0f : 1.0f;
    for (int64_t i = 0; i < s->count; i++) {
        float v = bn_real_at(s, i) / unit;
        BN_TRY(put(w, &v, sizeof v));
    }
done:
    return rc;
}

static bonsai_status emit_edges(writer *w, const array *a)
{
    bonsai_status rc = BONSAI_OK;
    int64_t n = w->g->view.nodes, m = a->shape[1];
    for (int64_t v = 0, e = 0; v < n; v++)
        for (int64_t end = bn_row_begin(w->g, v + 1); e < end; e++)
            BN_TRY(put_i64(w, v));
    for (int64_t e = 0; e < m; e++)
        BN_TRY(put_i64(w, bn_neighbors(w->g)[e]));
done:
    return rc;
}

static bonsai_status emit_labels(writer *w, const array *a)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t v = 0; v < a->shape[0]; v++)
        BN_TRY(put_i64(w, bn_label(w->g, v)));
done:
    return rc;
}

static bonsai_status emit_part(writer *w, const array *a)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t v = 0; v < w->g->view.nodes; v++)
        if ((int64_t)bn_part(w->g, v) == a->arg)
            BN_TRY(put_i64(w, v));
done:
    return rc;
}

/* ---- features ---- */

static bonsai_status emit_dense(writer *w, const array *a)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t v = 0; v < a->shape[0]; v++) {
        bn_row_whole(w->value, w->g, v);
        BN_TRY(put(w, w->value, (size_t)a->shape[1] * sizeof *w->value));
    }
done:
    return rc;
}

enum { INDPTR, INDICES, DATA };

static bonsai_status emit_sparse(writer *w, const array *a)
{
    bonsai_status rc = BONSAI_OK;
    int64_t at = 0;
    if (a->arg == INDPTR)
        BN_TRY(put_i64(w, 0));
    for (int64_t v = 0; v < w->g->view.nodes; v++) {
        int64_t count = bn_row_get(w->index, w->value, w->g, v);
        at += count;
        if (a->arg == INDPTR)
            BN_TRY(put_i64(w, at));
        for (int64_t i = 0; i < count && a->arg == INDICES; i++)
            BN_TRY(put(w, &w->index[i], sizeof *w->index));
        for (int64_t i = 0; i < count && a->arg == DATA; i++)
            BN_TRY(put(w, &w->value[i], sizeof *w->value));
    }
done:
    return rc;
}

static bonsai_status emit_shape(writer *w, const array *a)
{
    bonsai_status rc;
    (void)a;
    BN_TRY(put_i64(w, w->g->view.nodes));
    BN_TRY(put_i64(w, w->g->view.features));
done:
    return rc;
}

/* ---- the list ---- */

static void add(writer *w, array a)
{
    int64_t bytes = a.descr[2] - '0';
    for (int i = 0; i < a.dims; i++)
        bytes *= a.shape[i];
    w->total += bytes;
    w->list[w->count++] = a;
}

static void add_number(writer *w, const char *name, int64_t v)
{
    add(w, (array){name, "<i8", emit_number, v, 0, {0}});
}

static void add_features(writer *w)
{
    const bonsai_view *v = &w->g->view;
    int64_t n = v->nodes, f = v->features, nnz = 0;
    if (bn_has(w->g, BONSAI_SECTION_FEATURES))
        add(w, (array){"x", "<f4", emit_dense, 0, 2, {n, f}});
    if (!bn_has(w->g, BONSAI_SECTION_FEATURE_OFFSETS))
        return;
    for (int64_t i = 0; i < n; i++)
        nnz += bn_row_get(w->index, w->value, w->g, i);
    add(w, (array){"x_data", "<f4", emit_sparse, DATA, 1, {nnz}});
    add(w, (array){"x_indices", "<i4", emit_sparse, INDICES, 1, {nnz}});
    add(w, (array){"x_indptr", "<i8", emit_sparse, INDPTR, 1, {n + 1}});
    add(w, (array){"x_shape", "<i8", emit_shape, 0, 1, {2}});
}

/* Lists the parts of the split, also empty ones. */
static void add_split(writer *w)
{
    static const char *const names[] = {"", "train_idx", "val_idx", "test_idx"};
    int64_t count[4] = {0};
    if (!bn_has(w->g, BONSAI_SECTION_SPLIT))
        return;
    for (int64_t v = 0; v < w->g->view.nodes; v++)
        count[bn_part(w->g, v)]++;
    for (int part = BONSAI_PART_TRAIN; part <= BONSAI_PART_TEST; part++)
        add(w, (array){names[part], "<i8", emit_part, part, 1, {count[part]}});
}

static void add_section(writer *w, const char *name, bonsai_section s)
{
    static const char *const descr[] = {"", "|u1", "<u2", "<u4", "<u8", "|i1", "<f2", "<f4"};
    const bonsai_view *v = &w->g->view;
    const bonsai_array *a = &v->section[s];
    if (!a->data)
        return;
    array out = {name, descr[a->type], emit_section, s, 1, {a->count}};
    if (s == BONSAI_SECTION_SOFT_LABELS || s == BONSAI_SECTION_NODE_WEIGHTS) {
        out.descr = "<f4";
        out.emit = emit_reals;
    }
    if (s == BONSAI_SECTION_SOFT_LABELS) {
        out.dims = 2;
        out.shape[0] = v->nodes;
        out.shape[1] = v->classes;
    }
    add(w, out);
}

static void list_arrays(writer *w)
{
    const bonsai_view *v = &w->g->view;
    add(w, (array){"edge_index", "<i8", emit_edges, 0, 2, {2, bonsai_graph_edges(w->g)}});
    add_section(w, "edge_weight", BONSAI_SECTION_EDGE_WEIGHTS);
    add_features(w);
    if (bn_has(w->g, BONSAI_SECTION_LABELS))
        add(w, (array){"y", "<i8", emit_labels, 0, 1, {v->nodes}});
    add_split(w);
    for (int s = BONSAI_SECTION_SOFT_LABELS; s < BONSAI_SECTION_COUNT; s++)
        if (bn_npz_name((bonsai_section)s))
            add_section(w, bn_npz_name((bonsai_section)s), (bonsai_section)s);
    add_number(w, "graph_flags", (int64_t)(v->flags & ~(uint64_t)BONSAI_FLAG_COORDINATES));
    add_number(w, "num_nodes", v->nodes);
    add_number(w, "num_features", v->features);
    add_number(w, "num_classes", v->classes);
}

bonsai_status bn_npz_write(const bonsai_graph *g, const char *path, const bonsai_write_options *o,
                           uint64_t *left_out)
{
    bonsai_status rc;
    writer *w = NULL;
    *left_out |= bn_basis_left_out(g);          /* this format holds everything else */
    BN_TRY(BN_NEW(&w, 1));
    w->g = g;
    int64_t room = bn_row_room(g) > g->view.features ? bn_row_room(g) : g->view.features;
    BN_TRY(BN_NEW(&w->index, room));
    BN_TRY(BN_NEW(&w->value, room));
    list_arrays(w);
    BN_TRY(bn_zip_out_open(&w->zip, path, (bn_progress){o->progress, o->payload}, w->total));
    for (int i = 0; i < w->count; i++) {
        const array *a = &w->list[i];
        BN_TRY(bn_zip_out_begin(w->zip, a->name, a->descr, a->dims, a->shape));
        BN_TRY(a->emit(w, a));
        BN_TRY(flush(w));
        BN_TRY(bn_zip_out_end(w->zip));
    }
    BN_TRY(bn_zip_out_commit(w->zip));
done:
    if (w) {
        bn_zip_out_close(w->zip);
        bn_free(w->index);
        bn_free(w->value);
        bn_free(w);
    }
    return rc;
}
