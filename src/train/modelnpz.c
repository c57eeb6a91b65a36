/* modelnpz.c -- a model's parameters as NumPy arrays that PyTorch Geometric can load.
 *
 * Names and sizes are those of a module whose layers are a ModuleList "convs": linear
 * weights (out, in), the transpose of ours, biases (out), attention (1, heads, columns).
 * GIN's epsilon is not a parameter here, but GINConv has it, so a 0 is written too: the archive
 * is a complete state_dict.  The kept features, means and spreads have the names that archives
 * of graphs use.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "io/npy.h"
#include "model.h"

/* The transpose, a row at a time. */
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
    static const int sizes[] = {[BN_FORM_WEIGHT] = 2, [BN_FORM_VECTOR] = 1, [BN_FORM_HEADS] = 3};
    const int64_t size[][3] = {[BN_FORM_WEIGHT] = {p->cols, p->rows},
                               [BN_FORM_VECTOR] = {p->cols},
                               [BN_FORM_HEADS] = {1, p->rows, p->cols}};
    bonsai_status rc;
    BN_TRY(bn_zip_out_begin(z, p->name, "<f4", sizes[p->form], size[p->form]));
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
    BN_TRY(bn_zip_out_write(z, data, 4 * count));
    BN_TRY(bn_zip_out_end(z));
done:
    return rc;
}

static bonsai_status put_zeros(bn_zip_out *z, const bn_dims *d)
{
    static const float zero = 0.0f;
    bonsai_status rc = BONSAI_OK;
    const char *what = bn_layers[d->kind]->zero;
    char name[32];
    for (int layer = 0; what && layer < d->layers; layer++) {
        snprintf(name, sizeof name, "convs.%d.%s", layer, what);
        BN_TRY(put_vector(z, name, "<f4", &zero, 1));
    }
done:
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
    BN_TRY(bn_zip_out_commit(z));
done:
    bn_zip_out_close(z);
    return rc;
}
