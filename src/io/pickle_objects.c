/* pickle_objects.c -- builds arrays, matrices and dicts from a pickle.
 *
 * The state of an object is checked when it arrives, so a ready object is sound: an array has as
 * many bytes as its shape says, and the arrays of a matrix fit each other.  Only chains with a
 * known, small number of values are walked here, so a pickle cannot make us read one large tuple
 * over and over.
 *
 * SPDX-License-Identifier: MIT */
#include "pickle_machine.h"

#include <string.h>

static const char *const kind_text[] = {        /* in the order of the enum */
    "nothing", "a mark", "None", "a bool", "an integer", "a string", "a name", "a tuple", "a list",
    "a dict", "a dtype", "an array", "a matrix", "bytes", "a storage", "a tensor",
    "a float",
};

bool bn_pickle_unpack(value *out, const bn_pickle *p, const value *v, kind k, int64_t count)
{
    if (v->kind != (uint32_t)k || p->chains[v->at].count != count)
        return false;
    for (int64_t c = p->chains[v->at].first; c >= 0; c = p->cells[c].next)
        *out++ = p->cells[c].v;
    return true;
}

const uint8_t *bn_pickle_text(const bn_pickle *p, const value *v)
{
    if (v->kind == STRING)
        return p->file.data + v->at;
    return v->kind == ENCODED ? p->encoded + v->at : NULL;
}

bool bn_pickle_is(const bn_pickle *p, const value *v, const char *text)
{
    const uint8_t *bytes = bn_pickle_text(p, v);
    return bytes && v->len == strlen(text) && memcmp(bytes, text, v->len) == 0;
}

/* ---- new objects without their state ---- */

void bn_pickle_replace_two(bn_pickle *p, kind k, int64_t at, uint32_t len)
{
    p->depth--;
    p->stack[p->depth - 1] = (value){k, len, at};
}

static bonsai_status new_array(bn_pickle *p, kind k, bn_pickle_array a)
{
    bonsai_status rc;
    BN_TRY(bn_grow((void **)&p->arrays, &p->array_room, p->array_count + 1, sizeof *p->arrays));
    p->arrays[p->array_count] = (array){a, false};
    bn_pickle_replace_two(p, k, p->array_count++, 0);
done:
    return rc;
}

/* Calls _reconstruct(ndarray, (0,), 'b') */
static bonsai_status call_reconstruct(bn_pickle *p, const value *args)
{
    value v[3], zero[1];
    if (!bn_pickle_unpack(v, p, args, TUPLE, 3) || v[0].kind != GLOBAL || v[0].at != NDARRAY ||
        !bn_pickle_unpack(zero, p, &v[1], TUPLE, 1) || zero[0].kind != INT || zero[0].at != 0 ||
        !bn_pickle_is(p, &v[2], "b"))
        return bn_pickle_refuse(p, "_reconstruct has arguments that numpy never gives it");
    return new_array(p, ARRAY, (bn_pickle_array){0});
}

/* Calls dtype('i4', 0, 1), or False and True */
static bonsai_status call_dtype(bn_pickle *p, const value *args)
{
    static const char known[][3] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4",
                                    "f8"};
    value v[3];
    if (!bn_pickle_unpack(v, p, args, TUPLE, 3) || v[0].kind != STRING ||
        (v[1].kind != INT && v[1].kind != BOOL) || (v[2].kind != INT && v[2].kind != BOOL))
        return bn_pickle_refuse(p, "dtype has arguments that numpy never gives it");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (bn_pickle_is(p, &v[0], known[i]))
            return new_array(p, DTYPE, (bn_pickle_array){.kind = known[i][0],
                                                         .item = known[i][1] - '0'});
    return bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: elements of type \"%.*s\" are not "
                      "known", (long long)p->at, v[0].len < 40 ? (int)v[0].len : 40,
                      (const char *)p->file.data + v[0].at);
}

static bonsai_status new_dict(bn_pickle *p)
{
    bonsai_status rc = bn_pickle_push_chain(p, DICT);
    if (rc == BONSAI_OK)
        bn_pickle_replace_two(p, DICT, p->stack[--p->depth].at, 0);
    return rc;
}

/* Calls OrderedDict(). */
static bonsai_status call_ordered_dict(bn_pickle *p, const value *args)
{
    if (!bn_pickle_unpack(NULL, p, args, TUPLE, 0))
        return bn_pickle_refuse(p, "an OrderedDict that is not empty");
    return new_dict(p);
}

/* Calls defaultdict(list). */
static bonsai_status call_defaultdict(bn_pickle *p, const value *args)
{
    value v[1];
    if (!bn_pickle_unpack(v, p, args, TUPLE, 1) || v[0].kind != GLOBAL || v[0].at != PYTHON_LIST)
        return bn_pickle_refuse(p, "a defaultdict of something other than lists");
    return new_dict(p);
}

bonsai_status bn_pickle_reduce(bn_pickle *p, int values)
{
    static bonsai_status (*const calls[GLOBALS])(bn_pickle *, const value *) = {
        [RECONSTRUCT] = call_reconstruct,       [NUMPY_DTYPE] = call_dtype,
        [DEFAULTDICT] = call_defaultdict,       [ORDERED_DICT] = call_ordered_dict,
        [ENCODE] = bn_pickle_call_encode,       [PYTHON_BYTES] = bn_pickle_call_bytes,
        [REBUILD_TENSOR] = bn_pickle_call_tensor, [SCALAR] = bn_pickle_call_scalar,
    };
    bonsai_status rc;
    BN_TRY(bn_pickle_need(p, values));
    const value f = p->stack[p->depth - 2], args = p->stack[p->depth - 1];
    if (f.kind == GLOBAL && calls[f.at])
        return calls[f.at](p, &args);
    rc = bn_pickle_refuse(p, "calls something that makes neither an array nor a dict");
done:
    return rc;
}

bonsai_status bn_pickle_newobj(bn_pickle *p, int values)
{
    bonsai_status rc;
    value v[1];
    BN_TRY(bn_pickle_need(p, values));
    const value *top = &p->stack[p->depth - 1];
    if (top[-1].kind != GLOBAL || top[-1].at != CSR_MATRIX ||
        !bn_pickle_unpack(v, p, top, TUPLE, 0)) {
        rc = bn_pickle_refuse(p, "makes a new object that is not a csr_matrix");
        goto done;
    }
    BN_TRY(bn_grow((void **)&p->matrices, &p->matrix_room, p->matrix_count + 1,
                   sizeof *p->matrices));
    p->matrices[p->matrix_count] = (matrix){0};
    bn_pickle_replace_two(p, MATRIX, p->matrix_count++, 0);
done:
    return rc;
}

/* ---- the state of an object ---- */

/* Gives a dtype its state, (3, '<', None, None, None, -1, -1, 0) */
static bonsai_status build_dtype(bn_pickle *p, array *dtype, const value *state)
{
    value v[8];
    if (!bn_pickle_unpack(v, p, state, TUPLE, 8) || v[0].kind != INT || v[0].at != 3 ||
        v[2].kind != NONE || v[3].kind != NONE || v[4].kind != NONE)
        return bn_pickle_refuse(p, "the state of a dtype is not that of a plain number");
    if (bn_pickle_is(p, &v[1], ">"))
        return bn_pickle_refuse(p, "the elements of an array are big-endian");
    if (!bn_pickle_is(p, &v[1], "<") && !(bn_pickle_is(p, &v[1], "|") && dtype->a.item == 1))
        return bn_pickle_refuse(p, "the byte order of a dtype is not known");
    dtype->ready = true;
    return BONSAI_OK;
}

static bool get_shape(bn_pickle_array *a, const bn_pickle *p, const value *shape)
{
    value v[2] = {{INT, 0, 1}, {INT, 0, 1}};
    a->dims = bn_pickle_unpack(v, p, shape, TUPLE, 1)   ? 1
              : bn_pickle_unpack(v, p, shape, TUPLE, 2) ? 2
                                                        : 0;
    a->dim[0] = v[0].at;
    a->dim[1] = v[1].at;
    return a->dims > 0 && v[0].kind == INT && v[1].kind == INT && v[0].at >= 0 && v[1].at >= 0;
}

/* Gives an array its state, (1, shape, dtype, False, bytes). */
static bonsai_status build_array(bn_pickle *p, array *out, const value *state)
{
    value v[5];
    if (!bn_pickle_unpack(v, p, state, TUPLE, 5) || v[0].kind != INT || v[0].at != 1 ||
        v[2].kind != DTYPE || !p->arrays[v[2].at].ready || v[3].kind != BOOL ||
        !bn_pickle_text(p, &v[4]))
        return bn_pickle_refuse(p, "the state of an array is not (1, shape, dtype, order, bytes)");
    bn_pickle_array a = p->arrays[v[2].at].a;
    if (!get_shape(&a, p, &v[1]))
        return bn_pickle_refuse(p, "the shape of an array is not one or two whole numbers");
    int64_t count, bytes;
    if (!bn_mul(&count, a.dim[0], a.dim[1]) || !bn_mul(&bytes, count, a.item) || bytes != v[4].len)
        return bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: an array of %lld x %lld elements "
                          "of %d bytes has %lld bytes", (long long)p->at, (long long)a.dim[0],
                          (long long)a.dim[1], a.item, (long long)v[4].len);
    a.fortran = v[3].at != 0;
    a.data = bn_pickle_text(p, &v[4]);
    *out = (array){a, true};
    return BONSAI_OK;
}

/* Returns the index of the one-dimensional array that a state calls `name`, or -1. */
static int64_t find_part(const bn_pickle *p, const value *state, int64_t count, const char *name)
{
    int64_t found = -1;
    for (int64_t i = 0; i < count; i += 2)
        if (bn_pickle_is(p, &state[i], name) && state[i + 1].kind == ARRAY &&
            p->arrays[state[i + 1].at].ready && p->arrays[state[i + 1].at].a.dims == 1)
            found = state[i + 1].at;
    return found;
}

static bool find_shape(bn_pickle_array *a, const bn_pickle *p, const value *state, int64_t count)
{
    bool found = false;
    for (int64_t i = 0; i < count; i += 2)
        if (bn_pickle_is(p, &state[i], "_shape"))
            found = get_shape(a, p, &state[i + 1]) && a->dims == 2;
    return found;
}

/* Gives a matrix its state, {'format': 'csr', '_shape': (rows, columns), 'indptr': ..., 'indices':
 * ..., 'data': ...} */
static bonsai_status build_matrix(bn_pickle *p, matrix *out, const value *state)
{
    static const char *const names[3] = {"indptr", "indices", "data"};
    enum { MOST = 32 };         /* a csr_matrix has seven or so attributes, by name and value */
    value v[MOST];
    bn_pickle_array shape;
    int64_t count = state->kind == DICT ? p->chains[state->at].count : MOST + 1;
    if (count > MOST || !bn_pickle_unpack(v, p, state, DICT, count) ||
        !find_shape(&shape, p, v, count))
        return bn_pickle_refuse(p, "the state of a csr_matrix has no _shape of two whole numbers");
    matrix m = {.rows = shape.dim[0], .columns = shape.dim[1], .ready = true};
    const bn_pickle_array *a[3];
    for (int i = 0; i < 3; i++) {
        m.part[i] = find_part(p, v, count, names[i]);
        if (m.part[i] < 0)
            return bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: a csr_matrix has no array "
                              "\"%s\" of one dimension", (long long)p->at, names[i]);
        a[i] = &p->arrays[m.part[i]].a;
    }
    if (strchr("iu", a[0]->kind) == NULL || strchr("iu", a[1]->kind) == NULL)
        return bn_pickle_refuse(p, "the indptr or indices of a csr_matrix are not integers");
    if (a[0]->dim[0] - 1 != m.rows || a[1]->dim[0] != a[2]->dim[0])
        return bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: a csr_matrix of %lld rows has "
                          "%lld offsets, %lld indices and %lld values", (long long)p->at,
                          (long long)m.rows, (long long)a[0]->dim[0], (long long)a[1]->dim[0],
                          (long long)a[2]->dim[0]);
    *out = m;
    return BONSAI_OK;
}

bonsai_status bn_pickle_build(bn_pickle *p, int values)
{
    bonsai_status rc;
    BN_TRY(bn_pickle_need(p, values));
    value object = p->stack[p->depth - 2], state = p->stack[p->depth - 1];
    bool twice = (object.kind == MATRIX && p->matrices[object.at].ready) ||
                 ((object.kind == ARRAY || object.kind == DTYPE) && p->arrays[object.at].ready);
    if (twice)
        rc = bn_pickle_refuse(p, "an object gets its state twice");
    else if (object.kind == DTYPE)
        rc = build_dtype(p, &p->arrays[object.at], &state);
    else if (object.kind == ARRAY)
        rc = build_array(p, &p->arrays[object.at], &state);
    else if (object.kind == MATRIX)
        rc = build_matrix(p, &p->matrices[object.at], &state);
    else
        rc = bn_pickle_refuse(p, "gives a state to something that has none");
    p->depth--;
done:
    return rc;
}

/* ---- what the file holds ---- */

static bonsai_status wrong_kind(const bn_pickle *p, const char *wanted)
{
    return bn_fail_at(BONSAI_E_FORMAT, p->where, "holds %s where %s is needed",
                      kind_text[p->stack[0].kind], wanted);
}

bonsai_status bn_pickle_as_array(bn_pickle_array *out, const bn_pickle *p)
{
    const value *v = &p->stack[0];
    if (v->kind != ARRAY || !p->arrays[v->at].ready)
        return wrong_kind(p, "a whole array");
    *out = p->arrays[v->at].a;
    return BONSAI_OK;
}

static bonsai_status check_matrix(const bn_pickle_matrix *m, const char *where)
{
    int64_t before = 0, nnz = m->indices.dim[0];
    for (int64_t r = 0; r <= m->rows; r++) {
        int64_t offset = bn_pickle_int(&m->offsets, r);
        if (offset < before || offset > nnz || (r == 0 && offset != 0) ||
            (r == m->rows && offset != nnz))
            return bn_fail_at(BONSAI_E_FORMAT, where, "offset %lld of row %lld does not fit %lld "
                              "entries", (long long)offset, (long long)r, (long long)nnz);
        before = offset;
    }
    for (int64_t e = 0; e < nnz; e++) {
        int64_t column = bn_pickle_int(&m->indices, e);
        if (column < 0 || column >= m->columns)
            return bn_fail_at(BONSAI_E_FORMAT, where, "entry %lld: column %lld is outside 0..%lld",
                              (long long)e, (long long)column, (long long)m->columns - 1);
    }
    return BONSAI_OK;
}

bonsai_status bn_pickle_as_matrix(bn_pickle_matrix *out, const bn_pickle *p)
{
    const value *v = &p->stack[0];
    if (v->kind != MATRIX || !p->matrices[v->at].ready)
        return wrong_kind(p, "a whole csr_matrix");
    const matrix *m = &p->matrices[v->at];
    *out = (bn_pickle_matrix){m->rows, m->columns, p->arrays[m->part[0]].a,
                              p->arrays[m->part[1]].a, p->arrays[m->part[2]].a};
    return check_matrix(out, p->where);
}

static bonsai_status too_large(const bn_pickle *p, int64_t node)
{
    return bn_fail_at(BONSAI_E_FORMAT, p->where, "node %lld is larger than any graph has",
                      (long long)node);
}

/* Counts the items of all lists.  A list may be used only once: reuse could make the result much
 * larger than the file. */
static bonsai_status measure_lists(bn_pickle *p, const chain *dict, int64_t *items)
{
    *items = 0;
    for (int64_t c = dict->first; c >= 0; c = p->cells[p->cells[c].next].next) {
        const value *k = &p->cells[c].v, *v = &p->cells[p->cells[c].next].v;
        if (k->kind != INT || v->kind != LIST)
            return bn_fail_at(BONSAI_E_FORMAT, p->where, "the dict maps %s to %s, not a node to a "
                              "list", kind_text[k->kind], kind_text[v->kind]);
        if (k->at != (int32_t)k->at)
            return too_large(p, k->at);
        chain *list = &p->chains[v->at];
        if (list->used)
            return bn_fail_at(BONSAI_E_FORMAT, p->where, "the list of node %lld is also used by "
                              "another", (long long)k->at);
        list->used = true;
        *items += list->count;
    }
    return BONSAI_OK;
}

static bonsai_status copy_list(bn_pickle_lists *out, const bn_pickle *p, int64_t i,
                               const chain *list)
{
    int64_t end = out->begin[i];
    for (int64_t c = list->first; c >= 0; c = p->cells[c].next) {
        const value *v = &p->cells[c].v;
        if (v->kind != INT)
            return bn_fail_at(BONSAI_E_FORMAT, p->where, "the list of node %d holds %s, not a node",
                              out->key[i], kind_text[v->kind]);
        if (v->at != (int32_t)v->at)
            return too_large(p, v->at);
        out->item[end++] = (int32_t)v->at;
    }
    out->begin[i + 1] = end;
    return BONSAI_OK;
}

bonsai_status bn_pickle_as_lists(bn_pickle_lists *out, bn_pickle *p)
{
    bonsai_status rc;
    bn_pickle_lists l = {0};
    int64_t items, i = 0;
    *out = l;
    if (p->stack[0].kind != DICT)
        return wrong_kind(p, "a dict");
    const chain *dict = &p->chains[p->stack[0].at];
    l.count = dict->count / 2;
    BN_TRY(measure_lists(p, dict, &items));
    BN_TRY(BN_NEW(&l.key, l.count));
    BN_TRY(BN_NEW(&l.begin, l.count + 1));
    BN_TRY(BN_NEW(&l.item, items));
    for (int64_t c = dict->first; c >= 0; c = p->cells[p->cells[c].next].next, i++) {
        l.key[i] = (int32_t)p->cells[c].v.at;
        BN_TRY(copy_list(&l, p, i, &p->chains[p->cells[p->cells[c].next].v.at]));
    }
    *out = l;
    l = (bn_pickle_lists){0};
done:
    bn_pickle_lists_free(&l);
    return rc;
}

void bn_pickle_lists_free(bn_pickle_lists *l)
{
    bn_free(l->key);
    bn_free(l->begin);
    bn_free(l->item);
    *l = (bn_pickle_lists){0};
}

/* ---- elements: in the file, so unaligned ---- */

static uint64_t raw_bits(const bn_pickle_array *a, int64_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, a->data + i * a->item, (size_t)a->item);
    return bits;
}

static double float_of(const bn_pickle_array *a, int64_t i)
{
    float f;
    double d;
    if (a->item == 4) {
        memcpy(&f, a->data + i * 4, sizeof f);
        return (double)f;
    }
    memcpy(&d, a->data + i * 8, sizeof d);
    return d;
}

int64_t bn_pickle_int(const bn_pickle_array *a, int64_t i)
{
    if (a->kind == 'i' && a->item == 4) {       /* the type in real files, and a hot path */
        int32_t v;
        memcpy(&v, a->data + i * 4, sizeof v);
        return v;
    }
    uint64_t bits = raw_bits(a, i);
    int unused = 64 - 8 * a->item;
    if (a->kind == 'i')
        return (int64_t)(bits << unused) >> unused;
    return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
}

double bn_pickle_real(const bn_pickle_array *a, int64_t i)
{
    if (a->kind == 'f')
        return float_of(a, i);
    return (double)bn_pickle_int(a, i);
}

double bn_pickle_real_at(const bn_pickle_array *a, int64_t r, int64_t c)
{
    return bn_pickle_real(a, a->fortran ? c * a->dim[0] + r : r * a->dim[1] + c);
}
