/* model.h -- the handle of a trained model.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_MODEL_H
#define BN_MODEL_H

#include "nn/nn.h"

struct bonsai_model {
    bonsai_model_info info;     /* info.features: of a graph with all columns */
    bn_dims  dims;              /* dims.features: columns that the first layer reads */
    int64_t  count;
    float   *param;             /* count */
    int32_t *kept;              /* dims.features, or NULL */
    float   *mean, *spread;     /* dims.features, or NULL */
    float   *column_mean, *column_spread;       /* dims.features: of the judged graph, if mean is
                                                 * NULL and columns are few; or NULL */
    char   **class_names;       /* dims.classes, or NULL */
    char    *feature_names;     /* dims.features, each ended by a zero; or NULL */
    int64_t  feature_names_len;
};

/* Makes a model whose parameters are 0 and whose accuracies are unknown. */
bonsai_status bn_model_new(bonsai_model **out, const bn_dims *d);
/* Sets the class names from a section of a graph: c strings, each ended by a zero. */
bonsai_status bn_model_names(bonsai_model *m, const bonsai_array *names);
/* Gets the class names as such a section; bn_free *out. */
bonsai_status bn_model_names_text(char **out, int64_t *len_out, const bonsai_model *m);
/* Returns the feature names as a section, absent without names. */
bonsai_array bn_model_feature_names(const bonsai_model *m);
/* Gets the columns of g that the model reads; fails with a sentence if g does not fit. */
bonsai_status bn_model_columns(bn_columns *out, const bonsai_model *m, const bonsai_graph *g);

/* Returns a checksum of g's labels; outside the training part only whether they are known counts;
 * never 0 (modelgraph.c). */
int64_t bn_split_sum(const bonsai_graph *g);

/* Stores in m the scales of the columns that it reads of g (modelgraph.c). */
bonsai_status bn_model_scales(bonsai_model *m, const bonsai_graph *g);

/* ---- the parts of a file (modelparts.c) ---- */

enum {
    BN_PARAMETERS = 32,
    BN_COLUMN_MEAN, BN_COLUMN_SPREAD,   /* in the metadata of a native file, not sections */
    BN_MODEL_PARTS
};

typedef struct {                /* the contents of a file, before they are checked */
    const char  *path;
    bn_dims      dims;          /* checked */
    bonsai_model_info info;     /* only features, epoch, seed, accuracies */
    bonsai_array part[BN_MODEL_PARTS];  /* by bonsai_section, and the parameters: each of the type
                                         * that it has in the native file */
} bn_model_parts;

const char   *bn_part_text(uint32_t id);
int64_t       bn_part_bytes(const bonsai_array *a);
/* Fails if no file can hold the model. */
bonsai_status bn_model_check(const bonsai_model *m, const char *path);
/* Makes the model, or fails with a sentence about the part that does not fit. */
bonsai_status bn_model_of(bonsai_model **out, const bn_model_parts *p);

/* ---- NumPy archives (modelnpz.c) ---- */

/* Write the parameters as NumPy arrays, named and laid out as PyTorch Geometric's; read a model
 * from such arrays of any origin. */
bonsai_status bn_model_npz(const bonsai_model *m, const char *path);
bonsai_status bn_model_unzip(bonsai_model **out, const char *path);

#endif
