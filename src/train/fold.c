/* fold.c -- a model of coordinates becomes one of the features that they are coordinates of.
 *
 * A node's coordinates are x P, and all that the first layer does to them is a product (x P) W, of the
 * node, of its neighbours or of their mean.  So a layer with the weights P W does the same to x, and the
 * model is an ordinary one: predicting and other libraries need no projection.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "model.h"
#include "prototypes/basis.h"

/* out (f x h) = the projection times w (r x h), each sum in the order of the directions. */
static void fold(float *out, const bn_basis *b, const float *w, int64_t h)
{
    for (int64_t j = 0; j < b->f; j++) {
        const float *share = b->project.w + j * b->project.wide;
        for (int64_t k = 0; k < h; k++) {
            double sum = 0;
            for (int64_t i = 0; i < b->r; i++)
                sum += (double)share[i] * (double)w[i * h + k];
            out[j * h + k] = (float)sum;
        }
    }
}

bonsai_status bn_model_fold(bonsai_model *m, const bonsai_graph *small)
{
    bonsai_status rc;
    bn_basis b = {.f = 0};
    bn_param from[BN_MOST_PARAMS], to[BN_MOST_PARAMS];
    bn_dims dims = m->dims;
    int count;
    int64_t total;
    float *param = NULL;
    BN_TRY(bn_basis_of(&b, small));
    dims.features = b.f;
    BN_TRY(bn_dims_check(&dims, small->where));
    bn_dims_params(from, &count, &total, &m->dims);
    bn_dims_params(to, &count, &total, &dims);
    BN_TRY(BN_NEW(&param, total));
    for (int i = 0; i < count; i++)
        if (to[i].rows != from[i].rows)
            fold(param + to[i].at, &b, m->param + from[i].at, to[i].cols);
        else
            memcpy(param + to[i].at, m->param + from[i].at,
                   (size_t)(to[i].rows * to[i].cols) * sizeof *param);
    bn_free(m->param);
    m->param = param;
    m->count = m->info.parameters = total;
    m->dims = dims;
    m->info.features = b.f;
done:
    bn_basis_free(&b);
    return rc;
}
