/* modelscale.c -- whether a graph has the scale of the one that a model was trained on.
 *
 * SPDX-License-Identifier: MIT */
#include "model.h"

enum { FAR = 100 };

bonsai_status bonsai_model_scale(double *was, double *is, const bonsai_model *m,
                                 const bonsai_graph *g)
{
    bonsai_status rc;
    double scale;
    if (bn_is_null(was, "was") || bn_is_null(is, "is") || bn_is_null(m, "the model") ||
        bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    *was = *is = 0;
    BN_TRY(bn_graph_scale(&scale, g));
    if (scale > 0 && m->info.scale > 0 &&
        (scale >= FAR * m->info.scale || FAR * scale <= m->info.scale)) {
        *was = m->info.scale;
        *is = scale;
    }
done:
    return rc;
}
