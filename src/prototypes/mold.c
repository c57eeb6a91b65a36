/* mold.c -- rows in the coordinates of a basis.
 *
 * Averages over neighbours and over members commute with a projection, so prototypes can be
 * looked for, averaged and judged among a few coordinates.  What a network learns from rows within
 * the span of the basis is what it would learn from their coordinates: its weights outside the span
 * get no gradient.
 *
 * SPDX-License-Identifier: MIT */
#include "mold.h"

#include <math.h>
#include <string.h>

#include "judge.h"

enum { MOST_FULL = 4096 };      /* rows that speak for all */

void bn_mold_free(bn_mold *m)
{
    bn_basis_free(&m->basis);
    bn_basis_free(&m->bare);
    for (int v = 0; v < BN_VIEWS; v++) {
        bn_embedding_free(&m->row[v]);
        bn_sharded_free(&m->view[v]);
    }
    bn_embedding_free(&m->mixed);
    bn_sharded_free(&m->near);
    bn_teachers_free(&m->teachers);
    bn_probe_free(m->probe);
    bn_views_free(&m->judge);
    memset(m, 0, sizeof *m);
}

/* Removes the first coordinate, that along the mean row: it is about the same in all rows, larger
 * than all others, and separates nothing. */
static void drop_first(bn_embedding *e)
{
    bn_embedding_drop(e, 1);
}

/* Projects the rank's rows, all views of them, and their mean. */
static bonsai_status project_rows(bn_mold *m, const bn_source *s, const bn_place *at)
{
    bonsai_status rc = BONSAI_OK;
    const bn_embedding *part[BN_VIEWS];
    for (int v = 0; v < BN_VIEWS; v++) {
        BN_TRY(bn_basis_project(&m->row[v], &m->basis, s->view[v]->e, at));
        part[v] = &m->row[v];
    }
    BN_TRY(bn_blend_rows(&m->mixed, part, &bn_kinds[BN_KIND_MIXED].blend, at));
    drop_first(&m->mixed);
done:
    return rc;
}

static bonsai_status project_judged(bn_mold *m, const bn_job *job)
{
    bonsai_status rc;
    BN_TRY(bn_basis_project_views(&m->judge, &m->basis, &job->judge, &job->at));
    drop_first(&m->judge.own);
    drop_first(&m->judge.around);
    drop_first(&m->judge.far);
done:
    return rc;
}

bonsai_status bn_mold_probe(bn_mold *m, const bn_job *job)
{
    if (m->probe || m->judge.far.rows == 0)
        return BONSAI_OK;
    return bn_probe_of(&m->probe, job, &m->judge);
}

/* Fills the source in coordinates from the projected rows. */
static bonsai_status look(bn_mold *m, const bn_place *at)
{
    bonsai_status rc = BONSAI_OK;
    for (int v = 0; v < BN_VIEWS; v++) {
        BN_TRY(bn_sharded_look(&m->view[v], &m->row[v], at));
        m->s.view[v] = &m->view[v];
    }
    BN_TRY(bn_sharded_look(&m->near, &m->mixed, at));
    m->s.near = &m->near;
    m->teachers = (bn_teachers){.s = &m->s, .f = m->basis.r - 1, .skip = 1};
done:
    return rc;
}

/* Lays out the rows of a source in coordinates and, unless job is NULL, the judged ones. */
static bonsai_status lay_out(bn_mold *m, const bn_source *s, const bn_job *job, const bn_place *at)
{
    bonsai_status rc = project_rows(m, s, at);
    if (rc == BONSAI_OK && job)
        rc = project_judged(m, job);
    BN_TRY(bn_agree(at->world, rc));
    BN_TRY(look(m, at));
done:
    return rc;
}

bonsai_status bn_mold_make(bn_mold *out, const bn_guide *g, const bn_source *s, int views,
                           int64_t columns, const bn_job *job, const bn_place *at)
{
    bonsai_status rc;
    *out = (bn_mold){.views = views, .asked = columns, .s = *s};
    BN_TRY(bn_basis_make(&out->basis, g, views, columns, at));
    if (out->basis.r < 2)
        goto done;
    BN_TRY(bn_agree(at->world, bn_basis_copy(&out->bare, &out->basis, 1, false)));
    BN_TRY(lay_out(out, s, job, at));
done:
    if (rc != BONSAI_OK)
        bn_mold_free(out);
    return rc;
}

bonsai_status bn_mold_bare(bn_mold *out, const bn_mold *m, const bn_source *s, const bn_place *at)
{
    bonsai_status rc;
    *out = (bn_mold){.views = m->views, .s = *s};
    BN_TRY(bn_agree(at->world, bn_basis_copy(&out->basis, &m->bare, 0, true)));
    BN_TRY(lay_out(out, s, NULL, at));
done:
    if (rc != BONSAI_OK)
        bn_mold_free(out);
    return rc;
}

bonsai_status bn_mold_full(double *percent, bn_mold *m, const bn_job *job)
{
    bonsai_status rc = BONSAI_OK;
    bn_views some = {0};
    bn_embedding *to[BN_VIEWS] = {&some.own, &some.around, &some.far};
    int32_t *label = NULL;
    const bn_sharded *x = &m->view[BN_FAR];
    BN_TRY(bn_agree(x->at->world, bn_mold_probe(m, job)));
    for (int v = 0; v < BN_VIEWS; v++) {
        bn_free(label);
        label = NULL;
        BN_TRY(bn_rows_some(to[v], &label, &m->view[v], m->s.label, bn_least(x->rows, MOST_FULL)));
        drop_first(to[v]);
    }
    BN_TRY(bn_agree(x->at->world, bn_probe_once(percent, m->probe, &some, label)));
    BN_TRY(bn_share(x->at->world, percent, sizeof *percent, 0));
done:
    bn_views_free(&some);
    bn_free(label);
    return rc;
}

/* ---- shares ---- */

void bn_shares_free(bn_shares *s)
{
    bn_free(s->number);
    bn_free(s->scale);
    memset(s, 0, sizeof *s);
}

bonsai_status bn_shares_make(bn_shares *out, const bn_embedding *m, const bn_basis *b)
{
    bonsai_status rc;
    double *x = NULL;
    const int64_t first = m->f - b->r;
    *out = (bn_shares){.rows = m->rows, .r = b->r};
    BN_TRY(BN_NEW(&out->number, m->rows * b->r));
    BN_TRY(BN_NEW(&out->scale, m->rows));
    BN_TRY(BN_NEW(&x, b->r));
    for (int64_t i = 0; i < m->rows; i++) {
        double most = 0;
        for (int64_t k = 0; k < b->r; k++)
            x[k] = (double)m->dense[i * m->f + first + k];
        bn_basis_shares(x, b);
        for (int64_t k = 0; k < b->r; k++)
            most = fmax(most, fabs(x[k]));
        float scale = (float)(most / 127);
        out->scale[i] = scale > 0 && isfinite(scale) ? scale : 1.0f;
        for (int64_t k = 0; k < b->r && out->scale[i] == scale; k++)
            out->number[i * b->r + k] = (int8_t)fmax(fmin(rint(x[k] / (double)scale), 127), -127);
    }
done:
    bn_free(x);
    return rc;
}

static bonsai_status put_columns(bonsai_graph *g, const bn_basis *b)
{
    uint32_t *to;
    if (!b->column)
        return BONSAI_OK;
    bonsai_status rc = bn_graph_array(&to, g, BONSAI_SECTION_BASIS_COLUMNS, BONSAI_TYPE_U32,
                                      b->columns);
    for (int64_t j = 0; rc == BONSAI_OK && j < b->columns; j++)
        to[j] = (uint32_t)b->column[j];
    return rc;
}

bonsai_status bn_shares_store(bonsai_graph *g, const bn_shares *s, const bn_basis *b, int threads)
{
    bonsai_status rc;
    int8_t *basis, *coordinate;
    float *basis_scale, *scale;
    BN_TRY(bn_graph_array(&basis, g, BONSAI_SECTION_BASIS, BONSAI_TYPE_I8, b->r * b->columns));
    BN_TRY(bn_graph_array(&basis_scale, g, BONSAI_SECTION_BASIS_SCALE, BONSAI_TYPE_F32, b->r));
    BN_TRY(bn_graph_array(&coordinate, g, BONSAI_SECTION_COORDINATES, BONSAI_TYPE_I8,
                          s->rows * s->r));
    BN_TRY(bn_graph_array(&scale, g, BONSAI_SECTION_COORDINATE_SCALE, BONSAI_TYPE_F32, s->rows));
    BN_TRY(put_columns(g, b));
    memcpy(basis, b->number, (size_t)(b->r * b->columns) * sizeof *basis);
    memcpy(basis_scale, b->scale, (size_t)b->r * sizeof *basis_scale);
    memcpy(coordinate, s->number, (size_t)(s->rows * s->r) * sizeof *coordinate);
    memcpy(scale, s->scale, (size_t)s->rows * sizeof *scale);
    BN_TRY(bn_factors_decode(g, threads));
done:
    return rc;
}

bonsai_status bn_shares_compact(bonsai_graph *g, const bn_shares *s, const bn_basis *b,
                                int64_t first)
{
    bonsai_status rc;
    float *to;
    double *x = NULL;
    const int64_t wide = s->r - first;
    BN_TRY(bn_graph_array(&to, g, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, s->rows * wide));
    BN_TRY(BN_NEW(&x, s->r));
    for (int64_t i = 0; i < s->rows; i++) {
        for (int64_t k = 0; k < s->r; k++)
            x[k] = (double)s->scale[i] * (double)s->number[i * s->r + k];
        if (b)
            bn_angles_of(x, b->factor, b->r);
        for (int64_t k = first; k < s->r; k++)
            to[i * wide + k - first] = (float)x[k];
    }
done:
    bn_free(x);
    return rc;
}
