/* modelnpz.c -- a model's parameters as NumPy arrays for PyTorch Geometric, and models of such
 * arrays.
 *
 * Names and sizes are those of a module whose layers are a ModuleList "convs": linear weights (out,
 * in), the transpose of ours, biases (out), attention (1, heads, columns).  GIN's epsilon is not a
 * parameter here, but GINConv has it, so a 0 is written too: the arrays with a dot in their name
 * are a complete state_dict.  The kept features, means, spreads and names of classes have the names
 * that archives of graphs use, and single numbers hold the rest.
 *
 * A reader needs the parameters alone: the kind of the layers and all sizes follow from their names
 * and shapes.  The shape of every array is compared before the parameters are allocated.  An array
 * with a dot in its name that the model lacks is refused, since it would change the scores.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "io/npy.h"
#include "model.h"

/* Gets the shape of a parameter in PyTorch; returns its number of dimensions. */
static int shape_of(int64_t shape[3], const bn_param *p)
{
    static const int dims[] = {[BN_FORM_WEIGHT] = 2, [BN_FORM_VECTOR] = 1, [BN_FORM_HEADS] = 3};
    const int64_t all[][3] = {[BN_FORM_WEIGHT] = {p->cols, p->rows},
                              [BN_FORM_VECTOR] = {p->cols},
                              [BN_FORM_HEADS] = {1, p->rows, p->cols}};
    memcpy(shape, all[p->form], sizeof all[0]);
    return dims[p->form];
}

/* ---- writing ---- */

/* Writes the transpose, a row at a time. */
static bonsai_status put_weight(bn_zip_out *z, const bn_param *p, const float *w)
{
    bonsai_status rc;
    float *row = NULL;
    BN_TRY(BN_NEW(&row, p->rows));
    for (int64_t j = 0; j < p->cols; j++) {
        for (int64_t i = 0; i < p->rows; i++)
            row[i] = w[i * p->cols + j];
        BN_TRY(bn_zip_out_write(z, row, p->rows * (int64_t)sizeof *row));
    }
done:
    bn_free(row);
    return rc;
}

static bonsai_status put_param(bn_zip_out *z, const bonsai_model *m, const bn_param *p)
{
    bonsai_status rc;
    int64_t shape[3];
    const int dims = shape_of(shape, p);
    BN_TRY(bn_zip_out_begin(z, p->name, "<f4", dims, shape));
    if (p->form == BN_FORM_WEIGHT)
        BN_TRY(put_weight(z, p, m->param + p->at));
    else
        BN_TRY(bn_zip_out_write(z, m->param + p->at, p->rows * p->cols * (int64_t)sizeof(float)));
    BN_TRY(bn_zip_out_end(z));
done:
    return rc;
}

static bonsai_status put_vector(bn_zip_out *z, const char *name, const char *descr,
                                const void *data, int64_t count)
{
    bonsai_status rc = BONSAI_OK;
    if (!data)
        return rc;
    BN_TRY(bn_zip_out_begin(z, name, descr, 1, &count));
    BN_TRY(bn_zip_out_write(z, data, (descr[2] - '0') * count));
    BN_TRY(bn_zip_out_end(z));
done:
    return rc;
}

/* Writes the name of a parameter of PyTorch Geometric's layer that is 0; false: none. */
static bool zero_name(char out[40], const bn_dims *d, int layer)
{
    const char *what = bn_layers[d->kind]->zero;
    snprintf(out, 40, "convs.%d.%s", layer, what ? what : "");
    return what != NULL;
}

static bonsai_status put_zeros(bn_zip_out *z, const bn_dims *d)
{
    static const float zero = 0.0f;
    bonsai_status rc = BONSAI_OK;
    char name[40];
    for (int layer = 0; layer < d->layers && zero_name(name, d, layer); layer++)
        BN_TRY(put_vector(z, name, "<f4", &zero, 1));
done:
    return rc;
}

static bonsai_status put_number(bn_zip_out *z, const char *name, const char *descr,
                                const void *number)
{
    bonsai_status rc = bn_zip_out_begin(z, name, descr, 0, NULL);
    rc = rc ? rc : bn_zip_out_write(z, number, 8);
    return rc ? rc : bn_zip_out_end(z);
}

static const char *const split_names[] = {"split_train", "split_val", "split_test"};

static bonsai_status put_split(bn_zip_out *z, const bonsai_model_info *i)
{
    bonsai_status rc;
    const int64_t seed = (int64_t)i->split_seed;
    BN_TRY(put_number(z, "split_labels", "<i8", &i->split_labels));
    BN_TRY(put_number(z, "split_seed", "<i8", &seed));
    for (int k = 0; k < 3; k++)
        BN_TRY(put_number(z, split_names[k], "<f8", &i->split[k]));
done:
    return rc;
}

static bonsai_status put_numbers(bn_zip_out *z, const bonsai_model *m)
{
    bonsai_status rc;
    const int64_t seed = (int64_t)m->info.seed, epoch = m->info.epoch, one = 1;
    BN_TRY(put_number(z, "graph_features", "<i8", &m->info.features));
    BN_TRY(put_number(z, "seed", "<i8", &seed));
    BN_TRY(put_number(z, "epoch", "<i8", &epoch));
    BN_TRY(put_number(z, "accuracy", "<f8", &m->info.accuracy));
    BN_TRY(put_number(z, "accuracy_val", "<f8", &m->info.accuracy_val));
    if (m->dims.weighted)
        BN_TRY(put_number(z, "weighted", "<i8", &one));
    if (m->info.scale > 0)
        BN_TRY(put_number(z, "scale", "<f8", &m->info.scale));
    if (bn_split_is_asked(m->info.split))
        BN_TRY(put_split(z, &m->info));
done:
    return rc;
}

static bonsai_status put_class_names(bn_zip_out *z, const bonsai_model *m)
{
    bonsai_status rc = BONSAI_OK;
    char *names = NULL;
    int64_t len;
    if (!m->class_names)
        return rc;
    BN_TRY(bn_model_names_text(&names, &len, m));
    BN_TRY(put_vector(z, bn_npz_name(BONSAI_SECTION_CLASS_NAMES), "|u1", names, len));
done:
    bn_free(names);
    return rc;
}

bonsai_status bn_model_npz(const bonsai_model *m, const char *path)
{
    bonsai_status rc;
    bn_zip_out *z = NULL;
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total, f = m->dims.features;
    bn_dims_params(table, &count, &total, &m->dims);
    BN_TRY(bn_zip_out_open(&z, path, (bn_progress){0}, 4 * total));
    for (int i = 0; i < count; i++)
        BN_TRY(put_param(z, m, &table[i]));
    BN_TRY(put_zeros(z, &m->dims));
    BN_TRY(put_vector(z, bn_npz_name(BONSAI_SECTION_KEPT_FEATURES), "<i4", m->kept, f));
    BN_TRY(put_vector(z, bn_npz_name(BONSAI_SECTION_FEATURE_MEAN), "<f4", m->mean, f));
    BN_TRY(put_vector(z, bn_npz_name(BONSAI_SECTION_FEATURE_SPREAD), "<f4", m->spread, f));
    BN_TRY(put_vector(z, bn_part_text(BN_COLUMN_MEAN), "<f4", m->column_mean, f));
    BN_TRY(put_vector(z, bn_part_text(BN_COLUMN_SPREAD), "<f4", m->column_spread, f));
    BN_TRY(put_class_names(z, m));
    BN_TRY(put_vector(z, bn_npz_name(BONSAI_SECTION_FEATURE_NAMES), "|u1", m->feature_names,
                      m->feature_names_len));
    BN_TRY(put_numbers(z, m));
    BN_TRY(bn_zip_out_commit(z));
done:
    bn_zip_out_close(z);
    return rc;
}

/* ---- reading: the dimensions ---- */

typedef struct {
    bn_model_parts p;
    bn_zip zip;
    void  *owned[BN_MODEL_PARTS];
} archive;

static bool has_slot(const bn_zip *z, int layer, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "convs.%d.%s", layer, name);
    return bn_zip_has(z, full);
}

/* Counts a layer's parameters among the arrays; negative if some are missing. */
static int slots_there(const bn_zip *z, const bn_dims *d, int layer)
{
    const bn_slot *slots = bn_layers[d->kind]->slots(d);
    int there = 0, all = 0;
    for (; all < BN_SLOTS && slots[all].name; all++)
        there += has_slot(z, layer, slots[all].name);
    return there == all ? there : -there;
}

static bonsai_status no_model(const bn_zip *z)
{
    char names[300];
    if (bn_zip_has(z, "edge_index") || bn_zip_has(z, "adj_indptr"))
        return bn_fail_at(BONSAI_E_FORMAT, z->path, "is a graph, not a model; \"bonsai train\" "
                          "makes one of it");
    bn_zip_names(names, sizeof names, z);
    return bn_fail_at(BONSAI_E_FORMAT, z->path, "has no parameters of a model, such as "
                      "\"convs.0.lin.weight\"; its arrays are: %s", names);
}

/* Finds the kind with the most parameters among the arrays, a complete one first. */
static bonsai_status find_kind(bn_dims *d, const bn_zip *z)
{
    bn_dims best = *d;
    int most = 0, nearly = 0;
    for (int k = 0; k < 2 * BONSAI_MODEL_COUNT; k++) {
        bn_dims one = *d;
        one.kind = (bonsai_model_kind)(k / 2);
        one.gin_layers = one.kind == BONSAI_MODEL_GIN ? 1 + k % 2 : d->gin_layers;
        const int there = slots_there(z, &one, 0);
        if (there > most || (most == 0 && there < nearly))
            best = one;
        most = there > most ? there : most;
        nearly = there < nearly ? there : nearly;
    }
    *d = best;
    return most > 0 || nearly < 0 ? BONSAI_OK : no_model(z);
}

/* Reads the shape of one parameter; -1: lengths that are not known yet. */
static bonsai_status look(int64_t shape[3], archive *r, int layer, int slot)
{
    bonsai_status rc;
    bn_npy a;
    bn_param p = {.form = bn_layers[r->p.dims.kind]->slots(&r->p.dims)[slot].form, .rows = -1,
                  .cols = -1};
    const int dims = shape_of(shape, &p);
    snprintf(p.name, sizeof p.name, "convs.%d.%s", layer,
             bn_layers[r->p.dims.kind]->slots(&r->p.dims)[slot].name);
    BN_TRY(bn_zip_array(&a, &r->zip, p.name));
    BN_TRY(bn_npy_shape(&a, dims, shape));
    memcpy(shape, a.shape, (size_t)dims * sizeof *shape);
done:
    bn_npy_close(&a);
    return rc;
}

/* Finds the dimensions; sizes that a model does not use get the defaults of training. */
static bonsai_status find_dims(archive *r)
{
    bonsai_status rc;
    bonsai_train_options o;
    bn_dims *d = &r->p.dims;
    int64_t shape[3];
    bonsai_train_options_init(&o);
    *d = (bn_dims){.heads = o.heads, .gin_layers = o.gin_layers, .hidden = o.hidden};
    BN_TRY(find_kind(d, &r->zip));
    while (d->layers < BN_MOST_LAYERS && slots_there(&r->zip, d, d->layers) != 0)
        d->layers++;
    BN_TRY(look(shape, r, 0, BN_W));
    d->features = shape[1];
    BN_TRY(look(shape, r, 0, BN_B));
    d->hidden = d->layers > 1 ? shape[0] : d->hidden;
    BN_TRY(look(shape, r, d->layers - 1, BN_B));
    d->classes = shape[0];
    if (bn_layers[d->kind]->heads) {
        BN_TRY(look(shape, r, 0, BN_ATT_SRC));
        d->heads = shape[1] <= INT32_MAX ? (int)shape[1] : INT32_MAX;
    }
    if (bn_dims_check(d, r->p.path) != BONSAI_OK)
        rc = BONSAI_E_FORMAT;                   /* the file is wrong; the sentence stays */
done:
    return rc;
}

/* ---- reading: the parameters ---- */

/* Reads a matrix that is stored column by column. */
static bonsai_status pull_columns(float *to, bn_npy *a, const bn_param *p)
{
    bonsai_status rc;
    int64_t rounded;
    float *column = NULL;
    BN_TRY(BN_NEW(&column, p->rows));
    for (int64_t j = 0; j < p->cols; j++) {
        BN_TRY(bn_npy_f32(column, a, p->rows, &rounded));
        for (int64_t i = 0; i < p->rows; i++)
            to[i * p->cols + j] = column[i];
    }
done:
    bn_free(column);
    return rc;
}

/* Reads a parameter; to NULL: only checks the shape. */
static bonsai_status get_param(float *to, archive *r, const bn_param *p)
{
    bonsai_status rc;
    bn_npy a;
    int64_t shape[3], rounded;
    const int dims = shape_of(shape, p);
    BN_TRY(bn_zip_array(&a, &r->zip, p->name));
    BN_TRY(bn_npy_shape(&a, dims, shape));
    if (!to)
        goto done;
    if ((p->form == BN_FORM_WEIGHT) != a.fortran)
        BN_TRY(pull_columns(to + p->at, &a, p));
    else
        BN_TRY(bn_npy_f32(to + p->at, &a, p->rows * p->cols, &rounded));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

static bonsai_status get_zeros(archive *r)
{
    bonsai_status rc = BONSAI_OK;
    bn_npy a = {.zip = NULL};
    char name[40];
    double value;
    for (int layer = 0; layer < r->p.dims.layers && zero_name(name, &r->p.dims, layer); layer++) {
        if (!bn_zip_has(&r->zip, name))
            continue;
        BN_TRY(bn_zip_array(&a, &r->zip, name));
        BN_TRY(bn_npy_f64(&value, &a, 1));
        BN_TRY(bn_npy_end(&a));
        if (value != 0) {
            rc = bn_fail_at(BONSAI_E_FORMAT, a.where, "is %g; only 0 is supported", value);
            goto done;
        }
        bn_npy_close(&a);
    }
done:
    bn_npy_close(&a);
    return rc;
}

static bool belongs(const char *name, const bn_param *table, int count, const bn_dims *d)
{
    char zero[40];
    for (int i = 0; i < count; i++)
        if (strcmp(name, table[i].name) == 0)
            return true;
    for (int layer = 0; layer < d->layers && zero_name(zero, d, layer); layer++)
        if (strcmp(name, zero) == 0)
            return true;
    return !strchr(name, '.');
}

static bonsai_status check_names(const archive *r, const bn_param *table, int count)
{
    char name[80];
    for (int64_t i = 0; bn_zip_name(name, sizeof name, &r->zip, i); i++)
        if (!belongs(name, table, count, &r->p.dims))
            return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "the array \"%s\" belongs to no %s of %d "
                              "layers that this library knows", name,
                              bonsai_model_name(r->p.dims.kind), r->p.dims.layers);
    return BONSAI_OK;
}

/* Allocates a part, which the archive owns. */
static bonsai_status part_new(void *out, archive *r, uint32_t id, bonsai_type t, int64_t count)
{
    bonsai_status rc = bn_new(&r->owned[id], count, bonsai_type_bytes(t));
    r->p.part[id] = (bonsai_array){r->owned[id], count, t};
    memcpy(out, &r->owned[id], sizeof(void *));
    return rc;
}

static bonsai_status get_params(archive *r)
{
    bonsai_status rc;
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total;
    float *param;
    bn_dims_params(table, &count, &total, &r->p.dims);
    for (int i = 0; i < count; i++)
        BN_TRY(get_param(NULL, r, &table[i]));
    BN_TRY(check_names(r, table, count));
    BN_TRY(get_zeros(r));
    BN_TRY(part_new(&param, r, BN_PARAMETERS, BONSAI_TYPE_F32, total));
    for (int i = 0; i < count; i++)
        BN_TRY(get_param(param, r, &table[i]));
done:
    return rc;
}

/* ---- reading: the rest ---- */

/* Reads a part; rows -1: any length. */
static bonsai_status get_part(archive *r, uint32_t s, bonsai_type t, int64_t rows)
{
    bonsai_status rc;
    bn_npy a;
    int64_t rounded;
    void *to;
    const char *name = s < BN_PARAMETERS ? bn_npz_name((bonsai_section)s) : bn_part_text(s);
    if (!bn_zip_has(&r->zip, name))
        return BONSAI_OK;
    BN_TRY(bn_zip_array(&a, &r->zip, name));
    BN_TRY(bn_npy_vector(&a, rows));
    BN_TRY(part_new(&to, r, s, t, a.count));
    BN_TRY(t == BONSAI_TYPE_F32 ? bn_npy_f32(to, &a, a.count, &rounded)
           : t == BONSAI_TYPE_U32 ? bn_npy_i32(to, &a, a.count, 0, INT32_MAX)
                                  : bn_npy_u8(to, &a, a.count, UINT8_MAX));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

/* Reads a number; if it is missing, *out is unchanged. */
static bonsai_status get_number(int64_t *out, archive *r, const char *name, int64_t low,
                                int64_t high)
{
    return bn_zip_has(&r->zip, name) ? bn_npz_number(out, &r->zip, name, low, high) : BONSAI_OK;
}

static bonsai_status get_real(double *out, archive *r, const char *name, double otherwise)
{
    bonsai_status rc;
    bn_npy a;
    *out = otherwise;
    if (!bn_zip_has(&r->zip, name))
        return BONSAI_OK;
    BN_TRY(bn_zip_array(&a, &r->zip, name));
    BN_TRY(bn_npy_f64(out, &a, 1));
    BN_TRY(bn_npy_end(&a));
done:
    bn_npy_close(&a);
    return rc;
}

static bonsai_status get_split(bonsai_model_info *i, archive *r)
{
    bonsai_status rc;
    int64_t seed = 0;
    BN_TRY(get_number(&i->split_labels, r, "split_labels", 1, UINT32_MAX));
    BN_TRY(get_number(&seed, r, "split_seed", INT64_MIN, INT64_MAX));
    i->split_seed = (uint64_t)seed;
    for (int k = 0; k < 3 && i->split_labels > 0; k++)
        BN_TRY(get_real(&i->split[k], r, split_names[k], -1));
done:
    return rc;
}

static bonsai_status get_numbers(archive *r)
{
    bonsai_status rc;
    bonsai_model_info *i = &r->p.info;
    int64_t weighted = 0, seed = 0, epoch = 0;
    const int64_t f = r->p.dims.features;
    i->features = f;
    if (r->p.part[BONSAI_SECTION_KEPT_FEATURES].data && !bn_zip_has(&r->zip, "graph_features"))
        return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "has kept_features but no graph_features: "
                          "the number of features that they are kept of");
    BN_TRY(get_number(&i->features, r, "graph_features", f, INT32_MAX));
    BN_TRY(get_number(&weighted, r, "weighted", 0, 1));
    BN_TRY(get_number(&seed, r, "seed", INT64_MIN, INT64_MAX));
    BN_TRY(get_number(&epoch, r, "epoch", 0, INT32_MAX));
    BN_TRY(get_real(&i->accuracy, r, "accuracy", -1));
    BN_TRY(get_real(&i->accuracy_val, r, "accuracy_val", -1));
    BN_TRY(get_real(&i->scale, r, "scale", 0));
    BN_TRY(get_split(i, r));
    r->p.dims.weighted = weighted != 0;
    i->seed = (uint64_t)seed;
    i->epoch = (int)epoch;
done:
    return rc;
}

bonsai_status bn_model_unzip(bonsai_model **out, const char *path)
{
    bonsai_status rc;
    archive r = {.p.path = path};
    BN_TRY(bn_zip_open(&r.zip, path, (bn_progress){0}));
    BN_TRY(find_dims(&r));
    BN_TRY(get_params(&r));
    BN_TRY(get_part(&r, BONSAI_SECTION_KEPT_FEATURES, BONSAI_TYPE_U32, r.p.dims.features));
    BN_TRY(get_part(&r, BONSAI_SECTION_FEATURE_MEAN, BONSAI_TYPE_F32, r.p.dims.features));
    BN_TRY(get_part(&r, BONSAI_SECTION_FEATURE_SPREAD, BONSAI_TYPE_F32, r.p.dims.features));
    BN_TRY(get_part(&r, BN_COLUMN_MEAN, BONSAI_TYPE_F32, r.p.dims.features));
    BN_TRY(get_part(&r, BN_COLUMN_SPREAD, BONSAI_TYPE_F32, r.p.dims.features));
    BN_TRY(get_part(&r, BONSAI_SECTION_CLASS_NAMES, BONSAI_TYPE_U8, -1));
    BN_TRY(get_part(&r, BONSAI_SECTION_FEATURE_NAMES, BONSAI_TYPE_U8, -1));
    BN_TRY(get_numbers(&r));
    BN_TRY(bn_model_of(out, &r.p));
done:
    for (int i = 0; i < BN_MODEL_PARTS; i++)
        bn_free(r.owned[i]);
    bn_zip_close(&r.zip);
    return rc;
}
