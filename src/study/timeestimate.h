/* timeestimate.h -- how long the parts of a comparison will take, so that the share that is
 * done shows the time that is left.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TIMEESTIMATE_H
#define BN_TIMEESTIMATE_H

#include "graph/graph.h"

/* Estimates the additions of condensing to the ratios; comparable with bn_time_train alone. */
double bn_time_condense(const bonsai_graph *full, bonsai_method method, const double *ratios,
                          int count, const bonsai_condense_options *o);
/* Estimates those of training on about this share of the full graph, judged on all of it. */
double bn_time_train(const bonsai_graph *full, double share, bonsai_model_kind model,
                       const bonsai_train_options *o);

/* One stage for the caller, made of the ticks of the calls inside. */
typedef struct {
    bn_progress to;
    const char *stage;          /* that the caller sees */
    double  total, done, now;   /* effort: of everything, of parts that ended, of this part */
    double  floor;              /* share of this part that its earlier stages make up */
    const char *only;           /* the stage that this part is made of; NULL: of any number */
    int     at;                 /* last reported, in PARTS */
    char    inner[32];          /* the stage that this part is in */
} bn_meter;

bonsai_status bn_meter_start(bn_meter *m);              /* 0 of all; total is set */
void          bn_meter_begin(bn_meter *m, double effort, const char *only);    /* the next part */
void          bn_meter_end(bn_meter *m);
bonsai_status bn_meter_finish(bn_meter *m);             /* all of all */
int           bn_meter_tick(const bonsai_progress *p, void *meter);    /* a bonsai_progress_fn */

#endif
