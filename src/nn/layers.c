/* layers.c -- the table of layers.
 *
 * A row holds everything that differs between kinds of models: the rest of this folder reads the
 * table and never asks which kind a model is.
 *
 * SPDX-License-Identifier: MIT */
#include "nn.h"

const bn_layer *const bn_layers[BONSAI_MODEL_COUNT] = {
    [BONSAI_MODEL_GCN] = &bn_gcn,
    [BONSAI_MODEL_GAT] = &bn_gat,
    [BONSAI_MODEL_GIN] = &bn_gin,
    [BONSAI_MODEL_SAGE] = &bn_sage,
};

const char *bonsai_model_name(bonsai_model_kind m)
{
    return (unsigned)m < BONSAI_MODEL_COUNT ? bn_layers[m]->name : NULL;
}

bn_norm bn_dims_norm(const bn_dims *d)
{
    const bn_layer *l = bn_layers[d->kind];
    return d->weighted ? l->weighted : l->norm;
}

void bn_layer_forward(const bn_layer *l, const bn_at *at, real *y)
{
    l->send(at);
    l->rows(at, y, (bn_span){0, at->n, at->threads});
}
