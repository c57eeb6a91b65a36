/* model.c -- the handle of a model, the features that it needs, and predicting.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scratch.h"
#include "options/options.h"
#include "train.h"

/* ---- the handle ---- */

bonsai_status bn_model_new(bonsai_model **out, const bn_dims *s)
{
    bonsai_status rc;
    bonsai_model *m = NULL;
    bn_param table[BN_MOST_PARAMS];
    int count;
    *out = NULL;
    BN_TRY(bn_dims_check(s, "model"));
    BN_TRY(BN_NEW(&m, 1));
    m->dims = *s;
    bn_dims_params(table, &count, &m->count, s);
    m->info = (bonsai_model_info){
        .size = sizeof m->info, .model = s->kind, .layers = s->layers, .heads = s->heads,
        .gin_layers = s->gin_layers, .features = s->features, .hidden = s->hidden,
        .classes = s->classes, .parameters = m->count, .accuracy = -1, .accuracy_val = -1,
        .weighted = s->weighted,
    };
    BN_TRY(BN_NEW(&m->param, m->count));
    *out = m;
    m = NULL;
done:
    bonsai_model_free(m);
    return rc;
}

bonsai_status bn_model_names(bonsai_model *m, const bonsai_array *names)
{
    bonsai_status rc;
    const char *name = names->data;
    BN_TRY(BN_NEW(&m->class_names, m->dims.classes));
    for (int64_t c = 0; c < m->dims.classes; c++, name += strlen(name) + 1)
        BN_TRY(bn_strdup(&m->class_names[c], name));
done:
    return rc;
}

bonsai_status bn_model_names_text(char **out, int64_t *len_out, const bonsai_model *m)
{
    bonsai_status rc;
    int64_t len = 0;
    for (int64_t c = 0; c < m->dims.classes; c++)
        len += (int64_t)strlen(m->class_names[c]) + 1;
    BN_TRY(BN_NEW(out, len));
    *len_out = len;
    char *to = *out;
    for (int64_t c = 0; c < m->dims.classes; c++) {
        size_t piece = strlen(m->class_names[c]) + 1;
        memcpy(to, m->class_names[c], piece);
        to += piece;
    }
done:
    return rc;
}

bonsai_array bn_model_feature_names(const bonsai_model *m)
{
    return (bonsai_array){m->feature_names, m->feature_names_len, BONSAI_TYPE_U8};
}

void bonsai_model_free(bonsai_model *m)
{
    if (!m)
        return;
    for (int64_t c = 0; m->class_names && c < m->dims.classes; c++)
        bn_free(m->class_names[c]);
    bn_free(m->class_names);
    bn_free(m->feature_names);
    bn_free(m->param);
    bn_free(m->kept);
    bn_free(m->mean);
    bn_free(m->spread);
    bn_free(m->column_mean);
    bn_free(m->column_spread);
    bn_free(m);
}

const bonsai_model_info *bonsai_model_facts(const bonsai_model *m)
{
    return &m->info;
}

/* ---- classes ---- */

const char *bonsai_model_class_name(const bonsai_model *m, int64_t k)
{
    return m->class_names && k >= 0 && k < m->dims.classes ? m->class_names[k] : NULL;
}

/* Fails if a number means two classes: predictions are compared with labels by numbers. */
static bonsai_status check_names(const bonsai_model *m, const bonsai_graph *g)
{
    const bonsai_array *names = &g->view.section[BONSAI_SECTION_CLASS_NAMES];
    const char *at = names->data;
    int64_t both = m->dims.classes < g->view.classes ? m->dims.classes : g->view.classes;
    for (int64_t k = 0; m->class_names && at && k < both; k++, at += strlen(at) + 1)
        if (strcmp(m->class_names[k], at) != 0)
            return bn_fail(BONSAI_E_ARGUMENT, "class %lld is \"%s\" in the model, but \"%s\" in %s",
                           (long long)k, m->class_names[k], at, g->where);
    return BONSAI_OK;
}

/* ---- features ---- */

const char *bonsai_model_feature_name(const bonsai_model *m, int64_t i)
{
    const bonsai_array names = bn_model_feature_names(m);
    int64_t at = i;
    if (i < 0 || i >= m->info.features)
        return NULL;
    if (m->kept)
        for (at = 0; at < m->dims.features && m->kept[at] != i;)
            at++;
    return at < m->dims.features ? bn_name_at(&names, at) : NULL;
}

/* Writes the start of a list of kept features, " (kept-feature list 3, 7, 12, ...)", or "". */
static const char *list_text(char out[80], const int32_t *kept, int64_t count)
{
    int len = 0;
    out[0] = 0;
    if (!kept || count == 0)
        return out;
    len += snprintf(out, 80, " (kept-feature list");
    for (int64_t i = 0; i < count && i < 4; i++)
        len += snprintf(out + len, (size_t)(80 - len), "%s %d", i ? "," : "", (int)kept[i]);
    snprintf(out + len, (size_t)(80 - len), "%s)", count > 4 ? ", ..." : "");
    return out;
}

static bn_named named_model(const bonsai_model *m, const bonsai_array *names)
{
    return (bn_named){"the model", names, m->dims.features};
}

static bn_named named_graph(const bonsai_graph *g)
{
    return (bn_named){g->where, &g->view.section[BONSAI_SECTION_FEATURE_NAMES], g->view.features};
}

static bonsai_status wrong_features(const bonsai_model *m, const bonsai_graph *g)
{
    char ours[80], theirs[80], odd[BN_DIFFERENCE];
    int64_t f = g->view.features;
    const bonsai_array names = bn_model_feature_names(m);
    const bn_named model = named_model(m, &names), graph = named_graph(g);
    bn_names_difference(odd, &model, &graph, !m->kept);
    list_text(ours, m->kept, m->dims.features);
    list_text(theirs, g->view.section[BONSAI_SECTION_KEPT_FEATURES].data, f);
    if (m->kept)
        return bn_fail(BONSAI_E_ARGUMENT, "the model keeps %lld of %lld features%s, but %s has "
                       "%lld%s%s", (long long)m->dims.features, (long long)m->info.features, ours,
                       g->where, (long long)f, theirs, odd);
    return bn_fail(BONSAI_E_ARGUMENT, "the model is for graphs of %lld features, but %s has "
                   "%lld%s%s", (long long)m->info.features, g->where, (long long)f, theirs, odd);
}

/* Returns whether g has exactly the features that the model keeps. */
static bool keeps_the_same(const bonsai_model *m, const bonsai_graph *g)
{
    const int32_t *kept = g->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
    return kept && g->view.features == m->dims.features &&
           memcmp(kept, m->kept, (size_t)m->dims.features * sizeof *kept) == 0;
}

static bonsai_status wrong_standard(const bonsai_graph *g)
{
    return bn_fail(BONSAI_E_ARGUMENT, "the features of %s are standardised, but those that the "
                   "model learned from were not, or not by the same mean and spread", g->where);
}

static bonsai_status match_names(const bn_columns *c, const bonsai_model *m, const bonsai_graph *g)
{
    const bonsai_array ours = bn_model_feature_names(m);
    const bn_named model = named_model(m, &ours), graph = named_graph(g);
    return bn_names_match(&model, &graph, c->kept);
}

bonsai_status bn_model_columns(bn_columns *out, const bonsai_model *m, const bonsai_graph *g)
{
    bonsai_status rc;
    *out = (bn_columns){.count = m->dims.features};
    if (m->kept && g->view.features == m->info.features)
        out->kept = m->kept;
    else if (m->kept ? !keeps_the_same(m, g) : g->view.features != m->dims.features)
        return wrong_features(m, g);
    BN_TRY(match_names(out, m, g));
    if (bn_has(g, BONSAI_SECTION_FEATURE_MEAN))
        return bn_is_standardised(g, m->mean, m->spread, out->kept, out->count)
                   ? BONSAI_OK : wrong_standard(g);
    out->mean = m->mean;
    out->spread = m->spread;
done:
    return rc;
}

/* ---- predicting ---- */

typedef struct {
    bn_operand  operand;
    bn_network *network;        /* one of these two, by memory */
    bn_infer   *infer;
} judge;

static bonsai_status make_scores(const real **out, judge *j, const bonsai_model *m, int64_t memory,
                                 int threads)
{
    bonsai_status rc;
    int64_t bytes = bn_network_bytes(&m->dims, &j->operand, false);
    if (bytes >= 0 && bytes <= memory) {
        BN_TRY(bn_network_new(&j->network, &m->dims, &j->operand, 0.0, false, threads));
        *out = bn_network_forward(j->network, m->param, false, 0);
    } else {
        BN_TRY(bn_infer_new(&j->infer, &m->dims, &j->operand, threads));
        *out = bn_infer_scores(j->infer, m->param);
    }
done:
    return rc;
}

/* Returns the class of the largest of c scores, the first of equals; -1 if one is not finite. */
static int32_t best_class(const real *y, int64_t c)
{
    int64_t best = 0;
    bool finite = true;
    for (int64_t k = 0; k < c; k++) {
        finite = finite && isfinite(y[k]);
        if (y[k] > y[best])
            best = k;
    }
    return finite ? (int32_t)best : -1;
}

static bonsai_status pick_classes(int32_t *classes, const real *scores, const bonsai_graph *g,
                                  int64_t c, int threads)
{
    int64_t n = g->view.nodes;
#pragma omp parallel for num_threads(bn_team(threads, (double)(n * c))) schedule(static)
    for (int64_t v = 0; v < n; v++)
        classes[v] = best_class(scores + v * c, c);
    for (int64_t v = 0; v < n; v++)
        if (classes[v] < 0)
            return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "the scores of node %lld are not "
                              "finite: its features, or those around it, are too large for the "
                              "model", (long long)v);
    return BONSAI_OK;
}

bonsai_status bonsai_predict(int32_t *classes, float *probabilities, const bonsai_model *m,
                             const bonsai_graph *g, const bonsai_train_options *given)
{
    bonsai_status rc;
    bonsai_train_options o;
    bn_columns columns;
    judge j = {0};
    const real *scores;
    if (bn_is_null(classes, "classes") || bn_is_null(m, "the model") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    const int64_t n = g->view.nodes, c = m->dims.classes;
    BN_TRY(BN_OPTIONS(&o, given, train));
    bn_progress p = {o.progress, o.payload};
    int threads = bn_threads(o.threads);
    int64_t memory = o.memory ? o.memory : bn_memory_free() / 2;        /* as training judges */
    BN_TRY(bn_tick(p, "predicting", 0, 3));
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, threads));
    BN_TRY(check_names(m, g));
    BN_TRY(bn_model_columns(&columns, m, g));
    BN_TRY(bn_operand_make(&j.operand, g, &m->dims, &columns,
                           (bn_purpose){false, bn_memory_room(o.memory), threads}));
    BN_TRY(bn_tick(p, "predicting", 1, 3));
    BN_TRY(make_scores(&scores, &j, m, memory, threads));
    BN_TRY(bn_tick(p, "predicting", 2, 3));
    BN_TRY(pick_classes(classes, scores, g, c, threads));
    if (probabilities) {
        memcpy(probabilities, scores, (size_t)(n * c) * sizeof *scores);
        bn_softmax(probabilities, n, c, threads);
    }
    BN_TRY(bn_tick(p, "predicting", 3, 3));
done:
    bn_network_free(j.network);
    bn_infer_free(j.infer);
    bn_operand_free(&j.operand);
    return rc;
}
