/* infer.c -- scores by row blocks, for graphs whose activations do not fit.
 *
 * The first layer sums the features of the neighbours before it multiplies, so a block
 * of rows needs nothing but the features, which are mapped.  Each block is at once
 * multiplied by the next layer's weights, and only that product is kept for all nodes:
 * of two layers, n x c.  Attention needs two scores a node and head besides; those of the first
 * layer are products of the features with w a, which is f x heads.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "nn.h"

enum { BLOCK_NUMBERS = 1 << 20, MOST_ROWS = 4096, LEAST_ROWS = 64 };

typedef struct {                /* what a layer reads of all nodes */
    real *z;                    /* n x width, width = h, or k d with heads; NULL: the features */
    real *root;                 /* SAGE: n x h, what a node adds by itself */
    real *src, *dst;            /* GAT: n x k */
} source;

struct bn_infer {
    bn_dims s;
    const bn_operand *o;
    int      threads;
    int64_t  rows;              /* of a block */
    int64_t  at[BN_MOST_LAYERS][4];
    source   from[2];           /* of this layer and of the next */
    real    *scores;            /* n x c */
    real    *sum;               /* rows x f: neighbours' features, of one head */
    real    *head;              /* f x d: the weights of one head */
    real    *u;                 /* f x k: w a */
    real    *y, *inner;         /* rows x the widest layer */
};

static int64_t width_of(const bn_dims *s, int layer)
{
    return s->kind == BONSAI_MODEL_GAT ? s->heads * bn_head_width(s, layer) : bn_layer_out(s, layer);
}

/* The widest of what blocks hold: any layer's output, before heads are averaged. */
static int64_t widest(const bn_dims *s)
{
    int64_t most = s->hidden;
    for (int layer = 0; layer < s->layers; layer++)
        most = width_of(s, layer) > most ? width_of(s, layer) : most;
    return most;
}

static int64_t block_rows(const bn_dims *s)
{
    int64_t wide = widest(s), rows = BLOCK_NUMBERS / (s->features > wide ? s->features : wide);
    return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

/* What new_sources and bn_infer_new take, in double: it may be more than can be counted. */
double bn_infer_bytes(const bn_dims *s, const bn_operand *o)
{
    double n = (double)o->x.rows, f = (double)s->features, wide = (double)widest(s);
    double width = s->layers > 2 ? wide : (double)width_of(s, s->layers - 1);
    double kept = (s->layers > 2 ? 2 : s->layers - 1) * width * (s->kind == BONSAI_MODEL_SAGE ? 2 : 1);
    double block = (double)block_rows(s) * (f + 2 * wide);
    if (s->kind == BONSAI_MODEL_GAT) {
        kept += 4.0 * s->heads;
        block += f * (double)(bn_head_width(s, 0) + s->heads);
    }
    return (double)sizeof(real) * (n * (kept + (double)s->classes) + block);
}

static bonsai_status new_matrix(real **out, int64_t rows, int64_t cols)
{
    int64_t count;
    if (!bn_mul(&count, rows, cols))
        return bn_fail(BONSAI_E_MEMORY, "out of memory: no room for %lld rows of %lld numbers",
                       (long long)rows, (long long)cols);
    return BN_NEW(out, count);
}

static bonsai_status new_sources(bn_infer *i)
{
    bonsai_status rc = BONSAI_OK;
    int64_t n = i->o->x.rows;
    const bn_dims *s = &i->s;
    for (int k = 0; k < 2; k++) {
        int64_t width = s->layers > 2 ? widest(s) : width_of(s, s->layers - 1);
        bool used = k == 1 ? s->layers > 1 : s->layers > 2;     /* layer 1 reads from[1] */
        if (used)
            BN_TRY(new_matrix(&i->from[k].z, n, width));
        if (used && s->kind == BONSAI_MODEL_SAGE)
            BN_TRY(new_matrix(&i->from[k].root, n, width));
        if (s->kind == BONSAI_MODEL_GAT) {
            BN_TRY(new_matrix(&i->from[k].src, n, s->heads));
            BN_TRY(new_matrix(&i->from[k].dst, n, s->heads));
        }
    }
done:
    return rc;
}

void bn_infer_free(bn_infer *i)
{
    if (!i)
        return;
    bn_blas_end();
    for (int k = 0; k < 2; k++) {
        bn_free(i->from[k].z);
        bn_free(i->from[k].root);
        bn_free(i->from[k].src);
        bn_free(i->from[k].dst);
    }
    bn_free(i->scores);
    bn_free(i->sum);
    bn_free(i->head);
    bn_free(i->u);
    bn_free(i->y);
    bn_free(i->inner);
    bn_free(i);
}

bonsai_status bn_infer_new(bn_infer **out, const bn_dims *s, const bn_operand *o, int threads)
{
    bonsai_status rc;
    bn_infer *i = NULL;
    int64_t f = s->features;
    *out = NULL;
    BN_TRY(BN_NEW(&i, 1));
    bn_blas_begin();
    i->s = *s;
    i->o = o;
    i->threads = bn_threads(threads);
    i->rows = block_rows(s);
    bn_dims_places(i->at, s);
    BN_TRY(new_sources(i));
    BN_TRY(new_matrix(&i->scores, o->x.rows, s->classes));
    BN_TRY(new_matrix(&i->sum, i->rows, f));
    BN_TRY(new_matrix(&i->y, i->rows, widest(s)));
    BN_TRY(new_matrix(&i->inner, i->rows, widest(s)));
    if (s->kind == BONSAI_MODEL_GAT) {
        BN_TRY(new_matrix(&i->head, f, bn_head_width(s, 0)));
        BN_TRY(new_matrix(&i->u, f, s->heads));
    }
    *out = i;
    i = NULL;
done:
    bn_infer_free(i);
    return rc;
}

/* ---- sums over neighbours, of features or of rows that are kept ---- */

/* y += factor[k] times row id[k] of the features */
static void add_features(real *y, const bn_input *x, const int32_t *id, const real *factor,
                         int64_t count)
{
    if (x->dense) {
        bn_real_combine(y, x->dense, x->cols, id, factor, count);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        for (int64_t e = x->offsets[id[k]]; e < x->offsets[id[k] + 1]; e++)
            y[x->index[e]] += factor[k] * (x->value ? x->value[e] : 1);
}

/* Rows of S x for features of either kind. */
static void pass_features(real *y, const bn_infer *i, int64_t first, int64_t count)
{
    const bn_side *s = &i->o->m.to;
    int64_t f = i->o->x.cols;
    if (i->o->x.dense) {
        bn_pass(y, s, i->o->x.dense, f, false, first, count, i->threads);
        return;
    }
#pragma omp parallel for num_threads(bn_team(i->threads, count)) schedule(dynamic, 16)
    for (int64_t r = 0; r < count; r++) {
        int64_t v = first + r;
        real left = s->left ? s->left[v] : 1, factor;
        int32_t self = (int32_t)v;
        memset(y + r * f, 0, (size_t)f * sizeof *y);
        factor = s->own ? left * s->own[v] * (s->right ? s->right[v] : 1) : 0;
        if (s->own)
            add_features(y + r * f, &i->o->x, &self, &factor, 1);
        for (int64_t e = bn_int_at(&s->offsets, v); e < bn_int_at(&s->offsets, v + 1); e++) {
            factor = left * (s->right ? s->right[s->ids[e]] : 1) * (s->weights ? s->weights[e] : 1);
            add_features(y + r * f, &i->o->x, &s->ids[e], &factor, 1);
        }
    }
}

static real leaky(real v)
{
    return v > 0 ? v : (real)0.2 * v;
}

/* y (width) = sum of alpha times rows of the features (z NULL) or of z, whose rows are
 * `stride` long, from column `at`. */
static void attend_row(real *y, const bn_infer *i, const source *from, int64_t v, int head,
                       int64_t width, int64_t stride, int64_t at)
{
    const bn_side *s = &i->o->m.to;
    int k = i->s.heads;
    int64_t begin = bn_int_at(&s->offsets, v), end = bn_int_at(&s->offsets, v + 1);
    real dst = from->dst[v * k + head], most = leaky(from->src[v * k + head] + dst);
    for (int64_t e = begin; e < end; e++)
        most = (real)fmax(most, leaky(from->src[(int64_t)s->ids[e] * k + head] + dst));
    double total = 0;
    memset(y, 0, (size_t)width * sizeof *y);
    for (int64_t e = begin - 1; e < end; e++) {         /* the node itself, then its neighbours */
        int32_t u = e < begin ? (int32_t)v : s->ids[e];
        if (e >= begin && u == v)
            continue;
        real factor = (real)exp((double)(leaky(from->src[(int64_t)u * k + head] + dst) - most));
        total += (double)factor;
        if (from->z)
            bn_real_axpy(y, factor, from->z + (int64_t)u * stride + at, width);
        else
            add_features(y, &i->o->x, &u, &factor, 1);
    }
    for (int64_t j = 0; j < width; j++)
        y[j] = (real)((double)y[j] / total);
}

/* ---- one layer on one block ---- */

static const real *part(const bn_infer *i, const real *param, int layer, int slot)
{
    return i->at[layer][slot] < 0 ? NULL : param + i->at[layer][slot];
}

/* y (count, h) of the heads' outputs, each d wide and `stride` apart, to its place: side by
 * side, or their mean. */
static void place_head(real *y, int64_t h, const real *one, int64_t d, int64_t count, int head,
                       int heads, bool join)
{
    for (int64_t r = 0; r < count; r++)
        for (int64_t j = 0; j < d; j++) {
            real *to = y + r * h + (join ? head * d : 0) + j;
            *to = join ? one[r * d + j] : (head ? *to : 0) + one[r * d + j] / (real)heads;
        }
}

static void attend(bn_infer *i, const real *param, int layer, int64_t first, int64_t count)
{
    const source *from = &i->from[layer % 2];
    const bn_dims *s = &i->s;
    int64_t d = bn_head_width(s, layer), wide = s->heads * d, f = i->o->x.cols;
    const real *w = part(i, param, layer, BN_W);
    source use = *from;
    if (layer == 0)
        use.z = NULL;
    for (int head = 0; head < s->heads; head++) {
        real *to = layer == 0 ? i->sum : i->inner;
        int64_t width = layer == 0 ? f : d;
#pragma omp parallel for num_threads(bn_team(i->threads, count)) schedule(dynamic, 16)
        for (int64_t r = 0; r < count; r++)
            attend_row(to + r * width, i, &use, first + r, head, width, wide, head * d);
        if (layer == 0) {
            const bn_input sum = {.rows = count, .cols = f, .dense = i->sum};
            for (int64_t j = 0; j < f; j++)
                memcpy(i->head + j * d, w + j * wide + head * d, (size_t)d * sizeof *w);
            bn_times(i->inner, &sum, i->head, d, false, 0, count, i->threads);
        }
        place_head(i->y, bn_layer_out(s, layer), i->inner, d, count, head, s->heads,
                   layer < s->layers - 1);
    }
    bn_bias(i->y, part(i, param, layer, BN_B), count, bn_layer_out(s, layer), i->threads);
}

/* to = S (x w) + b of the block */
static void sum_block(bn_infer *i, real *to, const real *param, int layer, int64_t first,
                      int64_t count)
{
    int64_t h = bn_layer_out(&i->s, layer);
    const bn_input sum = {.rows = count, .cols = i->s.features, .dense = i->sum};
    if (layer > 0) {
        bn_pass(to, &i->o->m.to, i->from[layer % 2].z, h, false, first, count, i->threads);
    } else if (i->o->passed.rows > 0) {
        bn_times(to, &i->o->passed, part(i, param, layer, BN_W), h, false, first, count, i->threads);
    } else {
        pass_features(i->sum, i, first, count);
        bn_times(to, &sum, part(i, param, layer, BN_W), h, false, 0, count, i->threads);
    }
    bn_bias(to, part(i, param, layer, BN_B), count, h, i->threads);
}

static void layer_block(bn_infer *i, const real *param, int layer, int64_t first, int64_t count)
{
    int64_t h = bn_layer_out(&i->s, layer);
    const real *w2 = i->s.kind == BONSAI_MODEL_GAT ? NULL : part(i, param, layer, BN_W2);
    const bn_input inner = {.rows = count, .cols = h, .dense = i->inner};
    if (i->s.kind == BONSAI_MODEL_GAT) {
        attend(i, param, layer, first, count);
        return;
    }
    if (i->s.kind == BONSAI_MODEL_GIN && w2) {
        sum_block(i, i->inner, param, layer, first, count);
        bn_relu_forward(i->inner, count * h, 0, 0, i->threads);
        bn_times(i->y, &inner, w2, h, false, 0, count, i->threads);
        bn_bias(i->y, part(i, param, layer, BN_B2), count, h, i->threads);
        return;
    }
    sum_block(i, i->y, param, layer, first, count);
    if (i->s.kind == BONSAI_MODEL_SAGE && layer == 0)
        bn_times(i->y, &i->o->x, w2, h, true, first, count, i->threads);
    else if (i->s.kind == BONSAI_MODEL_SAGE)
        bn_real_axpy(i->y, 1, i->from[layer % 2].root + first * h, count * h);
}

/* ---- from one layer to the next ---- */

/* to (rows, k): the product of each head's columns of z with its vector */
static void head_scores(real *to, const real *z, const real *a, int64_t rows, int k, int64_t d)
{
    for (int64_t r = 0; r < rows; r++)
        for (int head = 0; head < k; head++)
            to[r * k + head] = bn_real_dot(z + (r * k + head) * d, a + head * d, d);
}

/* What the block gives to the next layer, behind a ReLU. */
static void hand_on(bn_infer *i, const real *param, int next, int64_t first, int64_t count)
{
    source *to = &i->from[next % 2];
    int64_t h = bn_layer_in(&i->s, next), width = width_of(&i->s, next);
    int k = i->s.heads;
    const bn_input y = {.rows = count, .cols = h, .dense = i->y};
    bn_relu_forward(i->y, count * h, 0, 0, i->threads);
    bn_times(to->z + first * width, &y, part(i, param, next, BN_W), width, false, 0, count,
             i->threads);
    if (i->s.kind == BONSAI_MODEL_SAGE)
        bn_times(to->root + first * width, &y, part(i, param, next, BN_W2), width, false, 0, count,
                 i->threads);
    if (i->s.kind == BONSAI_MODEL_GAT) {
        const real *z = to->z + first * width;
        head_scores(to->src + first * k, z, part(i, param, next, BN_ATT_SRC), count, k, width / k);
        head_scores(to->dst + first * k, z, part(i, param, next, BN_ATT_DST), count, k, width / k);
    }
}

/* The scores of the first layer's attention: features times w a. */
static void first_scores(bn_infer *i, const real *param)
{
    const bn_dims *s = &i->s;
    int64_t d = bn_head_width(s, 0), f = s->features, n = i->o->x.rows;
    head_scores(i->u, part(i, param, 0, BN_W), part(i, param, 0, BN_ATT_SRC), f, s->heads, d);
    bn_times(i->from[0].src, &i->o->x, i->u, s->heads, false, 0, n, i->threads);
    head_scores(i->u, part(i, param, 0, BN_W), part(i, param, 0, BN_ATT_DST), f, s->heads, d);
    bn_times(i->from[0].dst, &i->o->x, i->u, s->heads, false, 0, n, i->threads);
}

const real *bn_infer_scores(bn_infer *i, const real *param)
{
    int64_t n = i->o->x.rows, c = i->s.classes;
    if (i->s.kind == BONSAI_MODEL_GAT)
        first_scores(i, param);
    for (int layer = 0; layer < i->s.layers; layer++)
        for (int64_t first = 0; first < n; first += i->rows) {
            int64_t count = n - first < i->rows ? n - first : i->rows;
            layer_block(i, param, layer, first, count);
            if (layer < i->s.layers - 1)
                hand_on(i, param, layer + 1, first, count);
            else
                memcpy(i->scores + first * c, i->y, (size_t)(count * c) * sizeof *i->y);
        }
    return i->scores;
}
