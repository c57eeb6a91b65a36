/* teachers.h -- soft labels for prototypes of every kind; see teachers.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TEACHERS_H
#define BN_TEACHERS_H

#include "candidate.h"
#include "teacher.h"

/* What they answer for: averaged rows, mixed ones, own ones; own rows beside their neighbours'. */
enum { BN_TEACH_FAR, BN_TEACH_MIXED, BN_TEACH_OWN, BN_TEACH_JOINT, BN_TEACHERS };
enum { BN_TEACHERS_WIDEST = 512 };      /* columns of rows that teachers are fitted on */

typedef struct {
    const bn_source *s;         /* dense rows; borrowed; NULL: not looked at yet */
    int64_t    f, skip;         /* columns, after the `skip` first ones; f 0: no teachers */
    bn_teacher teacher[BN_TEACHERS];    /* made when they are asked for */
    float     *around;          /* the mean of what is around rows, made with the joint teacher */
} bn_teachers;

/* Makes *posterior, which the caller frees: for each labelled node of these rows, of this kind, the
 * probability of every class.  Collective. */
bonsai_status bn_teachers_label(float **posterior, bn_teachers *t, const bn_centres *rows,
                              const bn_kind *kind, const bn_place *at);
void bn_teachers_free(bn_teachers *t);

#endif
