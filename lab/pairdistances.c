/* pairdistances.c -- distances of pairs of nodes, in WL space and for a model.
 *
 * Embeddings are the scores of a model trained on the graph.  Gradients are those of a node's own
 * loss by the weights, and the bias, of a GCN's last layer.  A node's score is s w + b, with s the
 * sum of what the last layer reads from the node and its neighbours, so its gradient is (s,1), or s
 * by the weights alone, times (p - y). That has rank one, so the distance of two gradients needs
 * inner products only.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "embed/embed.h"
#include "options/options.h"
#include "train/train.h"

typedef struct {
    bonsai_train_options o;
    bonsai_graph *drawn;        /* ours: g with another split */
    const bonsai_graph *g;      /* with its split */
    int      threads;
    int32_t *node;              /* training nodes with a label */
    int64_t  count;
    bn_operand operand;
    int64_t  width, errors;     /* columns of a row of `row`, and of `error` */
    real    *row;               /* n x width: scores, or what reaches the last layer */
    real    *error;             /* n x errors: p - y; NULL: the rows are what is compared */
    double   bias;              /* 1: a row ends with a one, which the bias is multiplied by */
} study;

static bonsai_status list_nodes(study *s)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&s->node, s->g->view.nodes));
    for (int64_t v = 0; v < s->g->view.nodes; v++)
        if (bn_part(s->g, v) == BONSAI_PART_TRAIN && bn_label(s->g, v) >= 0)
            s->node[s->count++] = (int32_t)v;
    if (s->count < 2)
        rc = bn_fail(BONSAI_E_ARGUMENT, "%s has %lld labelled training nodes; pairs need two",
                     s->g->where, (long long)s->count);
done:
    return rc;
}

/* ---- what a trained model makes of the nodes ---- */

static bonsai_status embed(study *s)
{
    bonsai_status rc;
    bonsai_training *t = NULL;
    bn_infer *infer = NULL;
    bn_columns columns;
    BN_TRY(bonsai_train(&t, s->g, NULL, &s->o));
    const bonsai_model *m = bonsai_training_model(t);
    BN_TRY(bn_model_columns(&columns, m, s->g));
    BN_TRY(bn_operand_make(&s->operand, s->g, &m->dims, &columns,
                           (bn_purpose){false, bn_memory_room(s->o.memory), s->threads}));
    BN_TRY(bn_infer_new(&infer, &m->dims, &s->operand, s->threads));
    s->width = m->dims.classes;
    BN_TRY(BN_NEW(&s->row, s->g->view.nodes * s->width));
    memcpy(s->row, bn_infer_scores(infer, m->param),
           (size_t)(s->g->view.nodes * s->width) * sizeof *s->row);
done:
    bn_infer_free(infer);
    bonsai_training_free(t);
    return rc;
}

/* ---- gradients of a GCN at its first weights ---- */

typedef struct {                /* a network at its first weights */
    bn_dims  dims;
    int64_t  place[BN_MOST_LAYERS][BN_SLOTS];
    real    *param;
    bn_network *network;
} pass;

static bonsai_status make_pass(pass *p, study *s)
{
    bonsai_status rc;
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total, f = s->g->view.features;
    p->dims = (bn_dims){.kind = BONSAI_MODEL_GCN, .layers = s->o.layers, .heads = 1,
                        .gin_layers = 1, .features = f, .hidden = s->o.hidden,
                        .classes = s->g->view.classes};
    const bn_columns columns = {.count = f};
    BN_TRY(bn_dims_check(&p->dims, s->g->where));
    bn_dims_params(table, &count, &total, &p->dims);
    bn_dims_places(p->place, &p->dims);
    BN_TRY(BN_NEW(&p->param, total));
    bn_init_params(p->param, &p->dims, s->o.seed);
    BN_TRY(bn_operand_make(&s->operand, s->g, &p->dims, &columns,
                           (bn_purpose){.threads = s->threads}));
    BN_TRY(bn_network_new(&p->network, &p->dims, &s->operand, 0, false, s->threads));
done:
    return rc;
}

static void subtract_labels(study *s)
{
    for (int64_t i = 0; i < s->count; i++)
        s->error[s->node[i] * s->errors + bn_label(s->g, s->node[i])] -= 1;
}

static bonsai_status differentiate(study *s)
{
    bonsai_status rc;
    pass p = {0};
    int64_t n = s->g->view.nodes;
    if (s->o.model != BONSAI_MODEL_GCN || s->o.layers < 2)
        return bn_fail(BONSAI_E_ARGUMENT, "gradients are studied for gcn with two layers or more, "
                       "not for %s with %d", bonsai_model_name(s->o.model), s->o.layers);
    BN_TRY(make_pass(&p, s));
    int last = p.dims.layers - 1;
    bn_network_forward(p.network, p.param, false, 0);
    const bn_input *in = bn_network_last_input(p.network);      /* before neighbours are summed */
    const bn_span all = {0, n, s->threads};
    s->width = in->cols;
    s->errors = p.dims.classes;
    BN_TRY(BN_NEW(&s->row, n * s->width));
    BN_TRY(BN_NEW(&s->error, n * s->errors));
    bn_pass(s->row, &s->operand.m.to, in, all);
    const bn_input sum = {.rows = n, .cols = s->width, .dense = s->row};
    bn_times(s->error, &sum, p.param + p.place[last][BN_W], s->errors, false, all);
    bn_bias(s->error, p.param + p.place[last][BN_B], n, s->errors, s->threads);
    bn_softmax(s->error, n, s->errors, s->threads);
    subtract_labels(s);
done:
    bn_free(p.param);
    bn_network_free(p.network);
    return rc;
}

/* ---- the pairs ---- */

static double inner(const real *a, const real *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

static double seen_distance(const study *s, int64_t a, int64_t b)
{
    const real *x = s->row + a * s->width, *y = s->row + b * s->width;
    double xx = inner(x, x, s->width), yy = inner(y, y, s->width), xy = inner(x, y, s->width);
    if (s->error) {             /* |u e - v d|^2 = |u|^2 |e|^2 + |v|^2 |d|^2 - 2 (u v)(e d) */
        const real *e = s->error + a * s->errors, *d = s->error + b * s->errors;
        xx = (xx + s->bias) * inner(e, e, s->errors);
        yy = (yy + s->bias) * inner(d, d, s->errors);
        xy = (xy + s->bias) * inner(e, d, s->errors);
    }
    return sqrt(fmax(0, xx + yy - 2 * xy));
}

static bonsai_status measure(double *wl, double *seen, int64_t pairs, const study *s)
{
    bonsai_status rc;
    bn_embedding e = {0};
    BN_TRY(bn_embed(&e, s->g, &(bn_nodes){s->node, s->count}, BN_RULE_WL, s->o.layers,
                    &(bn_place){.threads = s->threads,
                                .progress = {s->o.progress, s->o.payload}}));
    const double work = 4 * bn_numbers(&e, pairs);
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(static)
    for (int64_t i = 0; i < pairs; i++) {
        bn_rng r = bn_rng_at(s->o.seed, (uint64_t)i);
        int64_t a = bn_rng_below(&r, s->count), b = bn_rng_below(&r, s->count - 1);
        b += b >= a;
        wl[i] = sqrt((double)bn_embedding_dist2(&e, a, b));
        seen[i] = seen_distance(s, s->node[a], s->node[b]);
    }
done:
    bn_embedding_free(&e);
    return rc;
}

bonsai_status bonsai_study_pairs(double *wl, double *seen, int64_t pairs, const bonsai_graph *g,
                                 bonsai_study what, const bonsai_train_options *o)
{
    bonsai_status rc;
    study s = {0};
    if (bn_is_null(wl, "wl") || bn_is_null(seen, "seen") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(BN_OPTIONS(&s.o, o, train));
    s.threads = bn_threads(s.o.threads);
    s.o.seeds = 1;
    s.bias = what == BONSAI_STUDY_GRADIENT;
    if (pairs < 0 || (int)what < BONSAI_STUDY_EMBEDDING || what > BONSAI_STUDY_WEIGHTS) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "study %d of %lld pairs is not known", (int)what,
                     (long long)pairs);
        goto done;
    }
    if (g->view.flags & BONSAI_FLAG_OPERATOR) {
        rc = bn_fail_at(BONSAI_E_ARGUMENT, g->where, "its edge weights are an operator, so its "
                        "nodes have no distances in WL space to study");
        goto done;
    }
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, s.threads));
    BN_TRY(bn_graph_parts(&s.drawn, g, s.o.split, s.o.seed));
    memset(s.o.split, 0, sizeof s.o.split);
    s.g = s.drawn ? s.drawn : g;
    BN_TRY(list_nodes(&s));
    BN_TRY(what == BONSAI_STUDY_EMBEDDING ? embed(&s) : differentiate(&s));
    BN_TRY(measure(wl, seen, pairs, &s));
done:
    bn_operand_free(&s.operand);
    bn_free(s.node);
    bn_free(s.row);
    bn_free(s.error);
    bonsai_graph_free(s.drawn);
    return rc;
}
