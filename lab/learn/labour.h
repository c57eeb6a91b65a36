/* labour.h -- about how much work a method that learns takes, for plans (labour.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_LABOUR_H
#define BN_LABOUR_H

typedef struct {
    double nodes;               /* that are learned */
    double full, train;         /* of the full graph */
    double features, classes, degree;
    double pair;                /* bytes that any two nodes take */
    double row;                 /* entries of a row of features after a hop */
} bn_labour;

typedef double bn_labour_fn(const bn_labour *w);        /* operations at effort 1 */

bn_labour_fn bn_labour_gcond, bn_labour_gcond_x, bn_labour_doscond, bn_labour_sgdd,
    bn_labour_gc_sntk, bn_labour_gdem, bn_labour_gcsr, bn_labour_sfgc, bn_labour_geom;

#endif
