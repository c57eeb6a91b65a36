/* teachers.c -- fits a teacher for each kind of row, and labels prototypes with it.
 *
 * A teacher labels rows of the kind that it was fitted on: averaged, mixed or own ones.  The
 * joint teacher is fitted on own rows beside the mean rows of their neighbours, and labels pairs.
 * It also labels nodes without edges, which are given the average neighbourhood.
 *
 * SPDX-License-Identifier: MIT */
#include "teachers.h"

#include <string.h>

#include "judge.h"

void bn_teachers_free(bn_teachers *t)
{
    for (int i = 0; i < BN_TEACHERS; i++)
        bn_teacher_free(&t->teacher[i]);
    bn_free(t->around);
    memset(t, 0, sizeof *t);
}

/* ---- what they are fitted on ---- */

/* Copies some rows of a view, and their labels. */
static bonsai_status take_view(bn_embedding *out, int32_t **label, const bn_teachers *t, int view,
                               int64_t count)
{
    bn_free(*label);
    *label = NULL;
    bonsai_status rc = bn_rows_some(out, label, t->s->view[view], t->s->label, count);
    if (rc == BONSAI_OK)
        bn_embedding_drop(out, t->skip);
    return rc;
}

/* Fills out with own rows beside those around them, and mean with the mean of the rows around. */
static bonsai_status join_views(bn_embedding *out, float *mean, const bn_views *x)
{
    const int64_t r = x->own.f, n = x->own.rows;
    *out = (bn_embedding){.rows = n, .f = 2 * r};
    bonsai_status rc = BN_BIG(&out->dense, NULL, n * 2 * r);
    for (int64_t i = 0; rc == BONSAI_OK && i < n; i++) {
        memcpy(out->dense + i * 2 * r, x->own.dense + i * r, (size_t)r * sizeof *out->dense);
        memcpy(out->dense + i * 2 * r + r, x->around.dense + i * r, (size_t)r * sizeof *out->dense);
    }
    for (int64_t j = 0; rc == BONSAI_OK && j < r; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += (double)x->around.dense[i * r + j];
        mean[j] = (float)(sum / (double)n);
    }
    return rc;
}

static bonsai_status take_rows(bn_embedding *out, int32_t **label, bn_teachers *t, int which,
                               const bn_place *at)
{
    bonsai_status rc = BONSAI_OK;
    static const int like[] = {[BN_TEACH_FAR] = BN_KIND_FAR, [BN_TEACH_MIXED] = BN_KIND_MIXED,
                               [BN_TEACH_OWN] = BN_KIND_OWN};
    const bool joint = which == BN_TEACH_JOINT;
    const bn_blend *blend = joint ? NULL : &bn_kinds[like[which]].blend;
    const int64_t f = t->f * (joint ? 2 : 1);
    const int64_t count = bn_teacher_rows(t->s->view[BN_FAR]->rows, f, t->s->classes);
    bn_views x = {0};
    bn_embedding *to[BN_VIEWS] = {&x.own, &x.around, &x.far};
    const bn_embedding *part[BN_VIEWS] = {&x.own, &x.around, &x.far};
    for (int v = 0; v < BN_VIEWS; v++)
        if (joint ? v != BN_FAR : blend->share[v] != 0)
            BN_TRY(take_view(to[v], label, t, v, count));
    if (joint) {
        rc = BN_NEW(&t->around, x.own.f);
        if (rc == BONSAI_OK)
            rc = join_views(out, t->around, &x);
    } else
        rc = bn_blend_rows(out, part, blend, &(bn_place){.threads = at->threads});
    BN_TRY(bn_agree(at->world, rc));
done:
    bn_views_free(&x);
    return rc;
}

static bonsai_status find_teacher(bn_teachers *t, int which, const bn_place *at)
{
    bonsai_status rc = BONSAI_OK;
    bn_embedding x = {0};
    int32_t *label = NULL;
    bn_teacher *one = &t->teacher[which];
    if (one->f > 0)
        return BONSAI_OK;
    BN_TRY(take_rows(&x, &label, t, which, at));
    BN_TRY(bn_agree(at->world,
                    bn_teacher_make(one, &x, label, t->s->classes, bn_threads(at->threads))));
    BN_TRY(bn_share(at->world, one->w, (one->f + 1) * one->c * (int64_t)sizeof *one->w, 0));
done:
    bn_embedding_free(&x);
    bn_free(label);
    return rc;
}

/* ---- labels ---- */

static int teacher_of(const bn_kind *kind)
{
    if (kind->pair)
        return BN_TEACH_JOINT;
    if (kind->blend.share[BN_OWN] == 0)
        return BN_TEACH_FAR;
    return kind->blend.share[BN_FAR] == 0 ? BN_TEACH_OWN : BN_TEACH_MIXED;
}

/* Labels an own row by what is around it, or by an average neighbourhood if around is NULL. */
static void label_joint(float *posterior, const bn_teachers *t, const float *own,
                        const float *around, float *room)
{
    const int64_t f = t->f;
    memcpy(room, own, (size_t)f * sizeof *room);
    memcpy(room + f, around ? around : t->around, (size_t)f * sizeof *room);
    bn_teacher_label(posterior, &t->teacher[BN_TEACH_JOINT], room);
}

bonsai_status bn_teachers_label(float **posterior, bn_teachers *t, const bn_centres *rows,
                              const bn_kind *kind, const bn_place *at)
{
    bonsai_status rc;
    float *room = NULL, *taught = NULL;
    const int64_t n = rows->count, all = kind->both ? 2 * n : n, c = t->s->classes, f = rows->x.f;
    BN_TRY(find_teacher(t, teacher_of(kind), at));
    if (kind->both)
        BN_TRY(find_teacher(t, BN_TEACH_JOINT, at));
    rc = BN_NEW(&taught, all * c);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&room, 2 * f);
    BN_TRY(bn_agree(at->world, rc));
    for (int64_t i = 0; i < all; i++) {
        const float *row = rows->x.dense + i * f + t->skip;
        if (kind->pair)
            label_joint(taught + i * c, t, row, row + n * f, room);
        else if (i >= n)
            label_joint(taught + i * c, t, row, NULL, room);
        else
            bn_teacher_label(taught + i * c, &t->teacher[teacher_of(kind)], row);
    }
    *posterior = taught;
    taught = NULL;
done:
    bn_free(taught);
    bn_free(room);
    return rc;
}
