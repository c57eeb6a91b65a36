/* teacher.h -- what class a row in the coordinates of a basis most likely has; see teacher.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TEACHER_H
#define BN_TEACHER_H

#include "embed/embed.h"

enum { BN_TEACHER_ROWS = 8192 };        /* rows that a teacher is fitted on, at most */

typedef struct {
    int64_t f, c;               /* coordinates, classes; f 0: not fitted yet */
    double *w;                  /* (f+1,c): weights, the constant's last */
} bn_teacher;

/* Returns how many rows with f coordinates a fit of these classes can afford. */
int64_t bn_teacher_rows(int64_t rows, int64_t f, int64_t classes);
/* Fits softmax regression on dense rows; label: 0 .. classes-1.  The same bits for any number of
 * threads. */
bonsai_status bn_teacher_make(bn_teacher *out, const bn_embedding *x, const int32_t *label,
                              int64_t classes, int threads);
void bn_teacher_free(bn_teacher *t);
/* Fills posterior (c, it sums to 1) with the probability of each class for a row of f
 * coordinates. */
void bn_teacher_label(float *posterior, const bn_teacher *t, const float *row);

#endif
