/* test_reference.c -- layers and networks against PyTorch Geometric's, number by number.
 *
 * The files in tests/reference hold what tests/pyg/make_reference.py had it compute in double.
 * Outputs and gradients must agree to 1e-5, both in norm and in the largest difference,
 * for dense and sparse features, for one thread and three.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "furnish.h"
#include "reference.h"

static const double TOLERANCE = 1e-5;

/* ---- a reference file made ready ---- */

typedef struct {
    const char   *name;
    reference    *file;
    bonsai_graph *dense, *sparse;           /* the same graph */
    int64_t       n, f, m;
    bn_input      x[2];                     /* its features: dense, sparse */
    int64_t      *offsets, *t_offsets;
    int32_t      *index, *t_index;
    real         *value, *t_value;
} world;

static void *room_for(int64_t count, size_t item)
{
    void *p = calloc((size_t)count + 1, item);
    assert_non_null(p);
    return p;
}

static bonsai_graph *build_graph(const world *w, bonsai_view *v)
{
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.keep_directed = *reference_ints(w->file, 1, "directed");
    o.keep_self_loops = o.keep_repeated = 1;
    v->nodes = w->n;
    v->features = w->f;
    const reference_array *weight = reference_find(w->file, "weight");
    assert_int_equal(bonsai_graph_build(&g, v, w->m, reference_ints(w->file, w->m, "source"),
                                        reference_ints(w->file, w->m, "target"),
                                        weight ? weight->data : NULL, &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_edges(g), w->m);
    return g;
}

/* The non-zeros of x by row, or with by_column of its transpose. */
static void find_nonzeros(int64_t *offsets, int32_t *index, real *value, const world *w,
                          const float *x, bool by_column)
{
    int64_t rows = by_column ? w->f : w->n, cols = by_column ? w->n : w->f, e = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++) {
            real v = by_column ? x[j * w->f + i] : x[i * w->f + j];
            if (v != 0) {
                index[e] = (int32_t)j;
                value[e++] = v;
            }
        }
        offsets[i + 1] = e;
    }
}

static void make_inputs(world *w, const float *x)
{
    w->offsets = room_for(w->n + 1, sizeof *w->offsets);
    w->t_offsets = room_for(w->f + 1, sizeof *w->t_offsets);
    w->index = room_for(w->n * w->f, sizeof *w->index);
    w->t_index = room_for(w->n * w->f, sizeof *w->t_index);
    w->value = room_for(w->n * w->f, sizeof *w->value);
    w->t_value = room_for(w->n * w->f, sizeof *w->t_value);
    find_nonzeros(w->offsets, w->index, w->value, w, x, false);
    find_nonzeros(w->t_offsets, w->t_index, w->t_value, w, x, true);
    w->x[0] = (bn_input){.rows = w->n, .cols = w->f, .dense = x};
    w->x[1] = (bn_input){.rows = w->n, .cols = w->f, .offsets = w->offsets, .index = w->index,
                         .value = w->value, .t_offsets = w->t_offsets, .t_index = w->t_index,
                         .t_value = w->t_value};
}

static world open_world(const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "tests/reference/%s.bin", name);
    world w = {.name = name, .file = reference_open(path)};
    const reference_array *x = reference_find(w.file, "x");
    const reference_array *source = reference_find(w.file, "source");
    assert_true(x && source);
    w.n = x->shape[0];
    w.f = x->shape[1];
    w.m = source->count;
    make_inputs(&w, reference_reals(w.file, w.n * w.f, "x"));
    bonsai_view v;
    bonsai_view_init(&v);
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x->data, x->count, BONSAI_TYPE_F32};
    w.dense = build_graph(&w, &v);
    bonsai_view_init(&v);
    int64_t nnz = w.offsets[w.n];
    v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){w.offsets, w.n + 1, BONSAI_TYPE_U64};
    v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){w.index, nnz, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_VALUES] = (bonsai_array){w.value, nnz, BONSAI_TYPE_F32};
    w.sparse = build_graph(&w, &v);
    return w;
}

static void close_world(world *w)
{
    bonsai_graph_free(w->dense);
    bonsai_graph_free(w->sparse);
    void *all[] = {w->offsets, w->t_offsets, w->index, w->t_index, w->value, w->t_value};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    reference_close(w->file);
}

/* ---- cases ---- */

enum { VALUE, GRADIENT, AFTER_1, AFTER_3 };     /* the stages of a parameter in the file */
enum { NETWORK, KIND, LAYERS, HEADS, JOIN, GIN_LAYERS, SPEC };

typedef struct {
    const world *w;
    char     name[64];
    bn_dims  dims;             /* of a single layer: the first of a network that has it */
    bool     join;
    bn_param table[BN_MOST_PARAMS];
    int      params;            /* those of a single layer only, where it is one */
    int64_t  total;
    char     about[160];        /* for sentences */
} one_case;

static void read_case(one_case *c, const world *w, const reference_array *spec)
{
    const int32_t *s = spec->data;
    const char *out = s[NETWORK] ? "scores" : "y";
    assert_int_equal(spec->count, SPEC);
    *c = (one_case){.w = w, .join = s[JOIN] != 0};
    snprintf(c->name, sizeof c->name, "%.*s", (int)strlen(spec->name) - 5, spec->name);
    const reference_array *y = reference_find(w->file, "%s/%s", c->name, out);
    assert_true(y && y->dims == 2 && y->shape[0] == w->n);
    c->dims = (bn_dims){(bonsai_model_kind)s[KIND], s[LAYERS], s[HEADS], s[GIN_LAYERS], w->f,
                        s[NETWORK] ? 6 : y->shape[1], y->shape[1], false};
    if (c->join)
        c->dims.layers = 2;
    assert_int_equal(bn_dims_check(&c->dims, "reference"), BONSAI_OK);
    bn_dims_params(c->table, &c->params, &c->total, &c->dims);
    if (!s[NETWORK])
        while (c->table[c->params - 1].layer > 0)
            c->params--;
}

/* Calls fn for each network, or each single layer, of a kind in a file; returns how many. */
static int each_case(const world *w, bool networks, int kind, void (*fn)(one_case *c))
{
    int count = 0;
    for (int i = 0; i < w->file->count; i++) {
        const reference_array *a = &w->file->array[i];
        const int32_t *s = a->data;
        if (!bn_ends_with(a->name, "/spec") || (s[NETWORK] != 0) != networks || s[KIND] != kind)
            continue;
        one_case c;
        read_case(&c, w, a);
        fn(&c);
        count++;
    }
    return count;
}

/* A stage of a parameter, as we lay it out. */
static void read_param(real *to, const one_case *c, const bn_param *p, int stage)
{
    int64_t size = p->rows * p->cols;
    const reference_array *a = reference_find(c->w->file, "%s/%s", c->name, p->name);
    if (!a)                     /* a single layer */
        a = reference_find(c->w->file, "%s/%s", c->name, p->name + strlen("convs.0."));
    if (!a || !a->is_real || a->count != a->shape[0] * size || stage >= a->shape[0])
        fail_msg("%s, %s: no array for %s", c->w->name, c->name, p->name);
    const float *from = (const float *)a->data + stage * size;
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->cols; j++)
            to[i * p->cols + j] = from[p->form == BN_FORM_WEIGHT ? j * p->rows + i
                                                                 : i * p->cols + j];
}

static void read_params(real *to, const one_case *c, int stage)
{
    for (int i = 0; i < c->params; i++)
        read_param(to + c->table[i].at, c, &c->table[i], stage);
}

/* ---- agreement ---- */

static void close_enough(const one_case *c, const char *what, const real *got, const real *want,
                         int64_t count)
{
    double norm = 0, off = 0, largest = 0, worst = 0;
    for (int64_t i = 0; i < count; i++) {
        double d = fabs((double)got[i] - (double)want[i]), v = fabs((double)want[i]);
        norm += v * v;
        off += d * d;
        largest = v > largest ? v : largest;
        worst = d > worst || d != d ? d : worst;
    }
    if (!(worst <= TOLERANCE * largest && sqrt(off) <= TOLERANCE * sqrt(norm)))
        fail_msg("%s, %s, %s: %s is off by %g of %g, in norm by %g of %g", c->w->name, c->name,
                 c->about, what, worst, largest, sqrt(off), sqrt(norm));
}

static void agrees_with(const one_case *c, const char *what, const real *got, int64_t count)
{
    close_enough(c, what, got, reference_reals(c->w->file, count, "%s/%s", c->name, what), count);
}

/* Every parameter for itself: a bias must not hide behind a weight. */
static void params_agree(const one_case *c, const char *what, const real *got, int stage)
{
    real *want = room_for(c->total, sizeof *want);
    read_params(want, c, stage);
    for (int i = 0; i < c->params; i++) {
        char name[80];
        const bn_param *p = &c->table[i];
        snprintf(name, sizeof name, "%s of %s", what, p->name);
        close_enough(c, name, got + p->at, want + p->at, p->rows * p->cols);
    }
    free(want);
}

/* ---- single layers ---- */

typedef enum { DENSE, SPARSE, PASSED, PASSED_SPARSE, FEEDS } feed;

static const char *const feed_text[FEEDS] = {"dense", "sparse", "summed", "sparse and summed"};

typedef struct {
    bn_operand o;
    bn_at at;
    void *kept;
    real *param, *grad, *y, *dy, *dx, *summed;
} trial;

static void make_trial(trial *t, const one_case *c, feed how, int threads)
{
    const bn_layer *layer = bn_layers[c->dims.kind];
    int64_t n = c->w->n, f = c->w->f, places[BN_MOST_LAYERS][BN_SLOTS];
    memset(t, 0, sizeof *t);
    assert_int_equal(bn_messages_make(&t->o.m, c->w->dense, layer->norm, true, threads), BONSAI_OK);
    t->summed = room_for(n * f, sizeof(real));
    bn_pass(t->summed, &t->o.m.to, &c->w->x[0], (bn_span){0, n, threads});
    t->o.x = c->w->x[how == SPARSE || how == PASSED_SPARSE];
    if (how >= PASSED)
        t->o.passed = (bn_input){.rows = n, .cols = f, .dense = t->summed};
    t->at = bn_layer_at(&c->dims, &t->o, 0);
    t->at.threads = threads;
    t->kept = furnish(&t->at, layer, n);
    t->y = room_for(n * t->at.h, sizeof(real));
    t->dy = room_for(n * t->at.h, sizeof(real));
    t->dx = room_for(n * f, sizeof(real));
    t->param = room_for(c->total, sizeof(real));
    t->grad = room_for(c->total, sizeof(real));
    read_params(t->param, c, VALUE);
    bn_dims_places(places, &c->dims);
    bn_layer_bind(&t->at, places[0], t->param, t->grad);
}

static void free_trial(trial *t)
{
    void *all[] = {t->kept, t->summed, t->y, t->dy, t->dx, t->param, t->grad};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    bn_messages_free(&t->o.m);
}

static void try_layer(one_case *c, feed how, int threads)
{
    trial t;
    const bn_layer *layer = bn_layers[c->dims.kind];
    snprintf(c->about, sizeof c->about, "%s, %d threads", feed_text[how], threads);
    make_trial(&t, c, how, threads);
    int64_t outputs = t.at.n * t.at.h;
    const float *dy = reference_reals(c->w->file, outputs, "%s/dy", c->name);
    for (int64_t i = 0; i < outputs; i++)
        t.dy[i] = dy[i];
    bn_layer_forward(layer, &t.at, t.y);
    agrees_with(c, "y", t.y, outputs);
    layer->backward(&t.at, t.at.passed ? NULL : t.dx, t.dy);
    params_agree(c, "the gradient", t.grad, GRADIENT);
    if (!t.at.passed)
        agrees_with(c, "dx", t.dx, t.at.n * t.at.f);
    free_trial(&t);
}

static void layer_agrees(one_case *c)
{
    int feeds = bn_layers[c->dims.kind]->norm == BN_NORM_NONE ? PASSED : FEEDS;
    for (int how = 0; how < feeds; how++)
        for (int threads = 1; threads <= 3; threads += 2)
            try_layer(c, (feed)how, threads);
}

/* ---- networks ---- */

static bn_targets read_targets(const world *w)
{
    const reference_array *train = reference_find(w->file, "train");
    const reference_array *soft = reference_find(w->file, "soft");
    const reference_array *weight = reference_find(w->file, "node_weight");
    const int32_t *label = reference_ints(w->file, w->n, "label");
    double sum = 0;
    bn_targets t = {.count = train->count, .node = room_for(train->count, sizeof *t.node)};
    int64_t classes = soft ? soft->shape[1] : 0;
    t.label = soft ? NULL : room_for(t.count, sizeof *t.label);
    t.soft = soft ? room_for(t.count * classes, sizeof *t.soft) : NULL;
    t.weight = room_for(t.count, sizeof *t.weight);
    memcpy(t.node, train->data, (size_t)t.count * sizeof *t.node);
    for (int64_t i = 0; i < t.count; i++)
        sum += weight ? (double)((const float *)weight->data)[t.node[i]] : 1;
    for (int64_t i = 0; i < t.count; i++) {
        double one = weight ? (double)((const float *)weight->data)[t.node[i]] : 1;
        t.weight[i] = (float)(one / sum);
        if (t.label)
            t.label[i] = label[t.node[i]];
        for (int64_t j = 0; j < classes; j++)
            t.soft[i * classes + j] = ((const float *)soft->data)[t.node[i] * classes + j];
    }
    return t;
}

static void free_targets(bn_targets *t)
{
    free(t->node);
    free(t->label);
    free(t->soft);
    free(t->weight);
}

/* Three steps of Adam; what the first one begins with and the first and third end with. */
static void train_a_little(const one_case *c, bn_network *net, real *param, const bn_targets *t,
                           int threads)
{
    int64_t n = c->w->n, classes = c->dims.classes;
    real *grad = room_for(c->total, sizeof *grad), *m = room_for(c->total, sizeof *m);
    real *v = room_for(c->total, sizeof *v), *dy = room_for(n * classes, sizeof *dy);
    for (int step = 1; step <= 3; step++) {
        real *scores = bn_network_forward(net, param, true, 1);
        if (step == 1)
            agrees_with(c, "scores", scores, n * classes);
        real loss = (real)bn_cross_entropy(dy, scores, n, classes, t, threads);
        if (step == 1)
            agrees_with(c, "loss", &loss, 1);
        bn_network_backward(net, grad, param, dy);
        if (step == 1)
            params_agree(c, "the gradient", grad, GRADIENT);
        bn_adam(&(bn_learned){param, grad, m, v, c->total}, step, 0.01, 5e-4, threads);
        if (step != 2)
            params_agree(c, "Adam's step", param, step == 1 ? AFTER_1 : AFTER_3);
    }
    void *all[] = {grad, m, v, dy};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void infer_agrees(const one_case *c, const bn_operand *o, const real *param, int threads)
{
    bn_infer *infer = NULL;
    assert_int_equal(bn_infer_new(&infer, &c->dims, o, threads), BONSAI_OK);
    agrees_with(c, "scores", bn_infer_scores(infer, param), c->w->n * c->dims.classes);
    bn_infer_free(infer);
}

static void try_network(one_case *c, const bonsai_graph *g, int64_t room, int threads)
{
    bn_operand o;
    bn_network *net = NULL;
    bn_targets t = read_targets(c->w);
    real *param = room_for(c->total, sizeof *param);
    snprintf(c->about, sizeof c->about, "%s, room %lld, %d threads",
             g == c->w->dense ? "dense" : "sparse", (long long)room, threads);
    assert_int_equal(bn_operand_make(&o, g, &c->dims, NULL, (bn_purpose){true, room, threads}),
                     BONSAI_OK);
    assert_int_equal(bn_network_new(&net, &c->dims, &o, 0, true, threads), BONSAI_OK);
    read_params(param, c, VALUE);
    infer_agrees(c, &o, param, threads);
    train_a_little(c, net, param, &t, threads);
    free(param);
    free_targets(&t);
    bn_network_free(net);
    bn_operand_free(&o);
}

/* Without room sums are not kept, and sparse features stay sparse. */
static void network_agrees(one_case *c)
{
    for (int64_t room = 0; room <= 1 << 20; room += 1 << 20)
        for (int threads = 1; threads <= 3; threads += 2) {
            try_network(c, c->w->dense, room, threads);
            try_network(c, c->w->sparse, room, threads);
        }
}

/* ---- the tests ---- */

static int specs_of(const world *w, bool networks)
{
    int count = 0;
    for (int i = 0; i < w->file->count; i++) {
        const reference_array *a = &w->file->array[i];
        count += bn_ends_with(a->name, "/spec") &&
                 (((const int32_t *)a->data)[NETWORK] != 0) == networks;
    }
    return count;
}

/* Runs all cases of all kinds.  Every row of the table of layers must have some, and no case may
 * be left out. */
static void agree(bool networks, void (*fn)(one_case *c))
{
    enum { LEAST = 7 };
    const char *const names[] = {"plain", "weighted", "directed", "loops", "large"};
    int count[BONSAI_MODEL_COUNT] = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        world w = open_world(names[i]);
        int left = specs_of(&w, networks);
        for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++) {
            int some = each_case(&w, networks, kind, fn);
            count[kind] += some;
            left -= some;
        }
        assert_int_equal(left, 0);
        close_world(&w);
    }
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++)
        if (count[kind] < LEAST)
            fail_msg("layer %s has %d cases in tests/reference, fewer than %d",
                     bn_layers[kind]->name, count[kind], LEAST);
}

static void every_layer_agrees(void **state)
{
    (void)state;
    agree(false, layer_agrees);
}

static void every_network_agrees(void **state)
{
    (void)state;
    agree(true, network_agrees);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_agrees),
        cmocka_unit_test(every_network_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
