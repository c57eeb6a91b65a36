/* workload.h -- an estimate of the work of a method that learns, for plans (workload.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_WORKLOAD_H
#define BN_WORKLOAD_H

typedef struct {
    double nodes;               /* that are learned */
    double full, train;         /* of the full graph */
    double features, classes, degree;
    double pair;                /* bytes that any two nodes take */
    double row;                 /* entries of a row of features after a hop */
} bn_workload;

typedef double bn_workload_fn(const bn_workload *w);        /* operations at effort 1 */

bn_workload_fn bn_work_gcond, bn_work_gcond_x, bn_work_doscond, bn_work_sgdd,
    bn_work_gc_sntk, bn_work_gdem, bn_work_gcsr, bn_work_sfgc, bn_work_geom;

#endif
