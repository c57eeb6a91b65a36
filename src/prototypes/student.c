/* student.c -- a small network that learns from the rows of a small graph.
 *
 *   GCN         relu(far W + b) V + d
 *   GraphSAGE   relu(far W + around W2 + b) V + relu(around W + own W2 + b) V2 + d
 *
 * own, around and far are the rows of a node, of its neighbours and of what is around these, in the
 * small graph while it learns and in the full graph when it is judged.  So the hidden units of a
 * node's neighbours are approximated by those of the neighbours' mean row.
 *
 * Rows that are mixtures T B of a basis B are never multiplied out: T (B W) costs a few
 * directions instead of all columns, forward and back.  Columns without weights are those that no
 * row has: weight decay makes such weights zero within a few epochs.
 *
 * SPDX-License-Identifier: MIT */
#include "student.h"

#include <math.h>
#include <string.h>

enum { NARROW = 32, BROAD = 64, MANY_CLASSES = 16, SEED = 1 };
static const double rate = 0.01, decay = 5e-4;

/* ---- parameters ---- */

enum { W, W2, B, V, V2, D, PARTS };

static void part_sizes(int64_t size[PARTS], const bn_student *s)
{
    const int64_t wide = s->q * s->h, high = s->h * s->c;
    const int64_t all[PARTS] = {wide, s->sage ? wide : 0, s->h, high, s->sage ? high : 0, s->c};
    memcpy(size, all, sizeof all);
}

static int64_t place_of(const bn_student *s, int part)
{
    int64_t size[PARTS], at = 0;
    part_sizes(size, s);
    for (int i = 0; i < part; i++)
        at += size[i];
    return at;
}

/* Draws the first weights as PyTorch Geometric does. */
static void draw(bn_student *s)
{
    int64_t size[PARTS];
    const double f = (double)s->features, h = (double)s->h, c = (double)s->c;
    const double low = s->sage ? 1 / sqrt(f) : sqrt(6 / (f + h));
    const double high = s->sage ? 1 / sqrt(h) : sqrt(6 / (h + c));
    const double most[PARTS] = {low, low, s->sage ? low : 0, high, high, s->sage ? high : 0};
    part_sizes(size, s);
    for (int i = 0; i < PARTS; i++)
        bn_draw_uniform(s->learned.param, place_of(s, i), size[i], most[i], SEED);
}

/* ---- making ---- */

void bn_student_free(bn_student *s)
{
    for (int v = 0; v < BN_VIEWS; v++) {
        bn_embedding_free(&s->view[v].e);
        bn_matrix_free(&s->view[v].flipped);
    }
    bn_targets_free(&s->targets);
    bn_free(s->directions);
    bn_free(s->alone);
    bn_free(s->slab);
    bn_free(s->room);
    memset(s, 0, sizeof *s);
}

static bonsai_status make_rows(bn_student_rows *r, const bonsai_graph *g, const bn_nodes *nodes,
                               int view, int layers)
{
    bonsai_status rc;
    bn_embedding *e = &r->e;
    BN_TRY(bn_embed_view(e, g, nodes, view, layers, &(bn_place){.threads = 1}));
    r->x = (bn_input){.rows = e->rows, .cols = e->f, .dense = e->dense};
    if (e->dense)
        goto done;
    const bn_matrix m = {e->rows, e->f, e->offsets, e->index, e->value, NULL};
    BN_TRY(bn_matrix_transpose(&r->flipped, &m));
    r->x = (bn_input){.rows = e->rows, .cols = e->f, .offsets = e->offsets, .index = e->index,
                      .value = e->value, .t_offsets = r->flipped.offsets,
                      .t_index = r->flipped.index, .t_value = r->flipped.value};
done:
    return rc;
}

static bonsai_status take_basis(bn_student *s, const bn_basis *b)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&s->directions, b->r * b->columns));
    for (int64_t i = 0; i < b->r; i++)
        for (int64_t j = 0; j < b->columns; j++)
            s->directions[i * b->columns + j] = b->scale[i] * (float)b->number[i * b->columns + j];
    s->basis = (bn_input){.rows = b->r, .cols = b->columns, .dense = s->directions};
    s->features = b->f;
    s->q = b->columns;
    s->column = b->column;
done:
    return rc;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bonsai_status make_room(bn_student *s)
{
    bonsai_status rc;
    bn_learned *l = &s->learned;
    const int64_t units = s->p * s->h, mixed = s->basis.rows * s->h;
    int64_t scratch = BN_BIAS_ROOM * largest(s->h, s->c);
    for (int v = 0; v < BN_VIEWS; v++)
        scratch = largest(scratch, bn_times_room(&s->view[v].x, s->h));
    const bn_input hidden = {.rows = s->p, .cols = s->h, .dense = s->slab};
    scratch = largest(scratch, bn_times_room(&hidden, s->c));
    scratch = largest(scratch, bn_times_room(&s->basis, s->h));
    l->count = place_of(s, PARTS);
    BN_TRY(BN_NEW(&s->slab, 4 * l->count + 3 * units + s->p * s->c + mixed));
    l->param = s->slab;
    l->grad = l->param + l->count;
    l->m = l->grad + l->count;
    l->v = l->m + l->count;
    s->hidden[0] = l->v + l->count;
    s->hidden[1] = s->hidden[0] + units;
    s->slope = s->hidden[1] + units;
    s->score = s->slope + units;
    s->mixed = s->score + s->p * s->c;
    BN_TRY(BN_NEW(&s->room, scratch));
done:
    return rc;
}

bonsai_status bn_student_new(bn_student *s, const bn_entrant *e, bool sage, int layers)
{
    bonsai_status rc;
    *s = (bn_student){.sage = sage, .c = e->g->view.classes, .features = e->g->view.features,
                      .q = e->g->view.features,
                      .h = e->g->view.classes > MANY_CLASSES ? BROAD : NARROW};
    BN_TRY(bn_targets_list(&s->targets, e->g));
    s->p = s->targets.count;
    const bn_nodes nodes = {s->targets.node, s->p};
    for (int v = 0; v < BN_VIEWS; v++)
        if (sage || v == BN_FAR)
            BN_TRY(make_rows(&s->view[v], e->g, &nodes, v, layers));
    BN_TRY(BN_NEW(&s->alone, s->p));
    for (int64_t i = 0; i < s->p; i++) {        /* rows are those of targets alone */
        const int64_t v = s->targets.node[i];
        s->alone[i] = bn_row_begin(e->g, v) == bn_row_begin(e->g, v + 1);
        s->targets.node[i] = (int32_t)i;
    }
    if (e->basis)
        BN_TRY(take_basis(s, e->basis));
    BN_TRY(make_room(s));
    draw(s);
done:
    return rc;
}

/* ---- learning ---- */

/* Computes y += rows times w (q,h). */
static void add_rows(real *y, bn_student *s, int view, const real *w)
{
    const bn_input *x = &s->view[view].x;
    if (s->directions) {
        bn_times(s->mixed, &s->basis, w, s->h, false, (bn_span){0, s->basis.rows, 1});
        w = s->mixed;
    }
    bn_times(y, x, w, s->h, true, (bn_span){0, s->p, 1});
}

/* Computes dw (q,h) += transposed rows times dy. */
static void add_slopes(real *dw, bn_student *s, int view, const real *dy)
{
    const bn_input *x = &s->view[view].x;
    if (!s->directions) {
        bn_times_t(dw, x, dy, s->h, s->room, 1);
        return;
    }
    memset(s->mixed, 0, (size_t)(s->basis.rows * s->h) * sizeof *s->mixed);
    bn_times_t(s->mixed, x, dy, s->h, s->room, 1);
    bn_times_t(dw, &s->basis, s->mixed, s->h, s->room, 1);
}

/* The views that hidden units are made of: of what W is multiplied by, and W2. */
static const int views_of[2][2] = {{BN_FAR, BN_AROUND}, {BN_AROUND, BN_OWN}};

static void hide(bn_student *s, int which)
{
    const real *param = s->learned.param;
    real *y = s->hidden[which];
    memset(y, 0, (size_t)(s->p * s->h) * sizeof *y);
    add_rows(y, s, views_of[which][0], param + place_of(s, W));
    if (s->sage)
        add_rows(y, s, views_of[which][1], param + place_of(s, W2));
    bn_bias(y, param + place_of(s, B), s->p, s->h, 1);
    bn_relu_forward(y, s->p * s->h, 0, 0, 1);
    for (int64_t i = 0; i < s->p && s->sage && which == 0; i++)
        if (s->alone[i])                /* the mean of no neighbours is zero */
            memset(y + i * s->h, 0, (size_t)s->h * sizeof *y);
}

static void forward(bn_student *s)
{
    const real *param = s->learned.param;
    memset(s->score, 0, (size_t)(s->p * s->c) * sizeof *s->score);
    for (int which = 0; which < 1 + s->sage; which++) {
        hide(s, which);
        const bn_input hidden = {.rows = s->p, .cols = s->h, .dense = s->hidden[which]};
        bn_times(s->score, &hidden, param + place_of(s, which ? V2 : V), s->c, true,
                 (bn_span){0, s->p, 1});
    }
    bn_bias(s->score, param + place_of(s, D), s->p, s->c, 1);
}

/* Fills the gradients; the slopes of the scores stand in the scores' place. */
static void backward(bn_student *s)
{
    const bn_learned *l = &s->learned;
    bn_bias_t(l->grad + place_of(s, D), s->score, s->p, s->c, s->room, 1);
    for (int which = 0; which < 1 + s->sage; which++) {
        const int64_t v = place_of(s, which ? V2 : V);
        const bn_input hidden = {.rows = s->p, .cols = s->h, .dense = s->hidden[which]};
        bn_times_t(l->grad + v, &hidden, s->score, s->c, s->room, 1);
        bn_times_back(s->slope, s->score, (bn_cols){l->param + v, s->c, s->c}, s->h, false,
                      (bn_span){0, s->p, 1});
        bn_relu_backward(s->slope, s->hidden[which], s->p * s->h, 0, 1);
        bn_bias_t(l->grad + place_of(s, B), s->slope, s->p, s->h, s->room, 1);
        add_slopes(l->grad + place_of(s, W), s, views_of[which][0], s->slope);
        if (s->sage)
            add_slopes(l->grad + place_of(s, W2), s, views_of[which][1], s->slope);
    }
}

bool bn_student_step(bn_student *s, int epoch)
{
    forward(s);
    if (!isfinite(bn_cross_entropy(s->score, s->score, s->p, s->c, &s->targets, 1)))
        return false;
    backward(s);
    bn_adam(&s->learned, epoch, rate, decay, 1);
    return true;
}

/* ---- judging ---- */

bonsai_status bn_answer_room_new(bn_answer_room *x, const bn_student *s)
{
    bonsai_status rc;
    const int64_t units = BN_FIT_BLOCK * s->h;
    BN_TRY(bn_scorer_room(&x->one, s->features, s->h));
    if (s->sage)
        BN_TRY(bn_scorer_room(&x->two, s->features, s->h));
    BN_TRY(BN_NEW(&x->hidden[0], units));
    BN_TRY(BN_NEW(&x->hidden[1], units));
    BN_TRY(BN_NEW(&x->other, units));
    BN_TRY(BN_NEW(&x->score, s->c));
done:
    return rc;
}

void bn_answer_room_free(bn_answer_room *x)
{
    bn_scorer_free(&x->one);
    bn_scorer_free(&x->two);
    bn_free(x->hidden[0]);
    bn_free(x->hidden[1]);
    bn_free(x->other);
    bn_free(x->score);
}

static void take_weights(bn_scorer *to, const bn_student *s, int part)
{
    const real *w = s->learned.param + place_of(s, part);
    for (int64_t j = 0; j < s->q; j++)
        memcpy(to->w + (s->column ? s->column[j] : j) * to->wide, w + j * s->h,
               (size_t)s->h * sizeof *w);
    if (part == W)
        memcpy(to->w + s->features * to->wide, s->learned.param + place_of(s, B),
               (size_t)s->h * sizeof *w);
}

static void see(bn_answer_room *x, const bn_student *s, int which, const bn_views *rows,
                int64_t first, int64_t count)
{
    const bn_embedding *view[BN_VIEWS] = {
        [BN_OWN] = &rows->own, [BN_AROUND] = &rows->around, [BN_FAR] = &rows->far};
    float *to = x->hidden[which];
    bn_score_rows(to, &x->one, view[views_of[which][0]], first, count);
    if (s->sage)
        bn_score_rows(x->other, &x->two, view[views_of[which][1]], first, count);
    for (int64_t i = 0; i < count * s->h; i++) {
        float sum = to[i] + (s->sage ? x->other[i] : 0);
        to[i] = sum > 0 ? sum : 0;
    }
}

static int32_t best_class(float *score, const bn_answer_room *x, const bn_student *s, int64_t row)
{
    const real *param = s->learned.param;
    int64_t best = 0;
    memcpy(score, param + place_of(s, D), (size_t)s->c * sizeof *score);
    for (int which = 0; which < 1 + s->sage; which++) {
        const float *hidden = x->hidden[which] + row * s->h;
        const real *v = param + place_of(s, which ? V2 : V);
        for (int64_t j = 0; j < s->h; j++)
            for (int64_t k = 0; k < s->c && hidden[j] > 0; k++)
                score[k] += hidden[j] * v[j * s->c + k];
    }
    for (int64_t k = 1; k < s->c; k++)
        best = score[k] > score[best] ? k : best;
    return (int32_t)best;
}

void bn_student_answer(int32_t *guess, float *score, const bn_student *s, bn_answer_room *x,
                       const bn_views *rows, int64_t count)
{
    take_weights(&x->one, s, W);
    if (s->sage)
        take_weights(&x->two, s, W2);
    for (int64_t i = 0; i < count; i += BN_FIT_BLOCK) {
        const int64_t some = bn_least(BN_FIT_BLOCK, count - i);
        for (int which = 0; which < 1 + s->sage; which++)
            see(x, s, which, rows, i, some);
        for (int64_t r = 0; r < some; r++)
            guess[i + r] = best_class(score ? score + (i + r) * s->c : x->score, x, s, r);
    }
}
