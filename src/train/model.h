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
    float   *column_mean, *column_spread;       /* dims.features: of the graph it was judged on, where
                                                 * mean is NULL and columns are few; or NULL */
    char   **class_names;       /* dims.classes, or NULL */
    char    *feature_names;     /* dims.features, each ended by a zero; or NULL */
    int64_t  feature_names_len;
};

/* Its parameters are 0, its accuracies unknown. */
bonsai_status bn_model_new(bonsai_model **out, const bn_dims *d);
/* The class names from a section of a graph: c strings, each ended by a zero. */
bonsai_status bn_model_names(bonsai_model *m, const bonsai_array *names);
/* The same the other way; bn_free *out. */
bonsai_status bn_model_names_text(char **out, int64_t *len_out, const bonsai_model *m);
/* Its feature names as a section, absent if it has none. */
bonsai_array bn_model_feature_names(const bonsai_model *m);
/* The columns that the model wants of g; refuses a graph that does not fit, in a sentence. */
bonsai_status bn_model_columns(bn_columns *out, const bonsai_model *m, const bonsai_graph *g);

/* A checksum of g's labels, of those outside the training part only that they are known; never 0
 * (modelsplit.c). */
int64_t bn_split_sum(const bonsai_graph *g);

/* Lets a model that reads the coordinates of small read what these are of: its first layer, times the
 * projection.  Every layer begins with a product by the features, so that nothing else changes.
 * (fold.c) */
bonsai_status bn_model_fold(bonsai_model *m, const bonsai_graph *small);

/* Gives m the scales of the columns that it takes of g (modelscale.c). */
bonsai_status bn_model_scales(bonsai_model *m, const bonsai_graph *g);

/* ---- what is in a file (modelparts.c) ---- */

enum {
    BN_PARAMETERS = 32,
    BN_COLUMN_MEAN, BN_COLUMN_SPREAD,   /* no sections: in the metadata of a native file */
    BN_MODEL_PARTS
};

typedef struct {                /* what a file says, before it is believed */
    const char  *path;
    bn_dims      dims;          /* checked */
    bonsai_model_info info;     /* of it: features, epoch, seed, accuracies */
    bonsai_array part[BN_MODEL_PARTS];  /* by bonsai_section, and the parameters: each of the type
                                         * that it has in the native file */
} bn_model_parts;

const char   *bn_part_text(uint32_t id);
int64_t       bn_part_bytes(const bonsai_array *a);
/* Refuses a model that no file can hold. */
bonsai_status bn_model_check(const bonsai_model *m, const char *path);
/* The model, or a sentence about what does not fit. */
bonsai_status bn_model_of(bonsai_model **out, const bn_model_parts *p);

/* ---- NumPy archives (modelnpz.c) ---- */

/* The parameters as NumPy arrays, named and laid out as PyTorch Geometric's; and a model of such
 * arrays, whoever wrote them. */
bonsai_status bn_model_npz(const bonsai_model *m, const char *path);
bonsai_status bn_model_unzip(bonsai_model **out, const char *path);

#endif
