/* model.h -- the handle of a trained model.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_MODEL_H
#define BN_MODEL_H

#include "nn/nn.h"

struct bonsai_model {
    bonsai_model_info info;     /* info.features: of a graph before columns are taken */
    bn_dims  dims;              /* dims.features: what the first layer reads */
    int64_t  count;
    float   *param;             /* count */
    int32_t *kept;              /* dims.features, or NULL */
    float   *mean, *spread;     /* dims.features, or NULL */
    char   **class_names;       /* dims.classes, or NULL */
};

/* Its parameters are 0, its accuracies unknown. */
bonsai_status bn_model_new(bonsai_model **out, const bn_dims *d);
/* The class names from a section of a graph: c strings, each ended by a zero. */
bonsai_status bn_model_names(bonsai_model *m, const bonsai_array *names);
/* The columns that the model wants of g; refuses a graph that does not fit, in a sentence. */
bonsai_status bn_model_columns(bn_columns *out, const bonsai_model *m, const bonsai_graph *g);
/* The parameters as NumPy arrays, named and laid out as PyTorch Geometric's (modelnpz.c). */
bonsai_status bn_model_npz(const bonsai_model *m, const char *path);

#endif
