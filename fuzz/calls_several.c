/* calls_several.c -- public calls that condense, train and compare, on graphs that may not belong
 * together; see calls.h.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "fuzz.h"

static void condense(calls *c)
{
    bonsai_graph *out = NULL;
    bonsai_condense_info info;
    bonsai_condense_options o;
    bonsai_condense_info_init(&info);
    calls_condense_options(&o, c);
    if (calls_went(bonsai_condense(&out, &info, calls_graph(c), &o), out))
        calls_must(bonsai_graph_nodes(out) == info.nodes && bonsai_graph_verify(out) == BONSAI_OK,
                   "a condensed graph is valid");
    bonsai_graph_free(out);
}

static void condense_many(calls *c)
{
    static const double ratios[] = {0.5, 0.05};
    bonsai_graph *out[2] = {NULL, NULL};
    bonsai_condense_info info[2];
    bonsai_condense_options o;
    bonsai_condense_info_init(&info[0]);
    info[1] = info[0];
    calls_condense_options(&o, c);
    o.ratio = 0;
    o.nodes = o.trees = o.bytes = 0;
    calls_went(bonsai_condense_many(out, info, ratios, 2, calls_graph(c), &o),
               out[0] ? out[0] : out[1]);
    bonsai_graph_free(out[0]);
    bonsai_graph_free(out[1]);
}

static void update(calls *c)
{
    bonsai_graph *out = NULL;
    bonsai_condense_info info;
    bonsai_condense_options o;
    const bonsai_graph *now = calls_graph(c), *was = calls_graph(c), *small = calls_graph(c);
    if (c->graphs == 3 && !mu_chance(&c->rng, 4)) {
        now = c->graph[0];
        was = c->graph[1];
        small = c->graph[2];
    }
    bonsai_condense_info_init(&info);
    calls_condense_options(&o, c);
    if (calls_went(bonsai_condense_update(&out, &info, now, was, small, &o), out))
        calls_must(bonsai_graph_verify(out) == BONSAI_OK, "an updated graph is valid");
    bonsai_graph_free(out);
}

/* A model's own file, and its archive; the file must load. */
static void save_model(const bonsai_model *m)
{
    bonsai_model *back = NULL;
    const char *path = fuzz_path("model.bonsai");
    if (calls_went(bonsai_model_save(m, path), NULL) &&
        calls_went(bonsai_model_load(&back, path), back))
        calls_must(bonsai_model_facts(back)->parameters == bonsai_model_facts(m)->parameters,
                   "a model comes back");
    bonsai_model_free(back);
    calls_went(bonsai_model_save(m, fuzz_path("model.npz")), NULL);
}

static void judge(calls *c, const bonsai_graph *g, const int32_t *classes, const float *chances)
{
    bonsai_measures m;
    bonsai_measures_init(&m);
    if (!calls_went(bonsai_judge(&m, NULL, g, (bonsai_part)mu_below(&c->rng, 4), classes, chances),
                    NULL))
        return;
    calls_must(m.right >= 0 && m.right <= m.nodes, "no more are right than there are");
    for (int i = 0; i < BONSAI_METRIC_ROOM; i++)
        calls_must(m.metric[i] == -1 || (m.metric[i] >= 0 && m.metric[i] <= 100.000001), "percent");
}

static void predict_with(calls *c, const bonsai_model *m, const bonsai_graph *g)
{
    const bonsai_model_info *facts = bonsai_model_facts(m);
    int64_t n = bonsai_graph_nodes(g), k = facts->classes;
    if (n < 0 || k < 0 || n * k > 1 << 22)
        return;
    int32_t *classes = malloc(((size_t)n + 1) * sizeof *classes);
    float *chances = mu_chance(&c->rng, 2) ? malloc((size_t)(n * k + 1) * sizeof *chances) : NULL;
    bonsai_train_options o;
    calls_train_options(&o, c);
    if (classes && calls_went(bonsai_predict(classes, chances, m, g, &o), NULL)) {
        for (int64_t i = 0; i < n; i++)
            calls_must(classes[i] >= 0 && classes[i] < k, "predicted classes exist");
        judge(c, g, classes, k == 2 ? chances : NULL);
    }
    free(classes);
    free(chances);
}

static void train_on(calls *c, const bonsai_graph *small, const bonsai_graph *full)
{
    bonsai_training *t = NULL, *beside = NULL;
    bonsai_train_options o;
    calls_train_options(&o, c);
    if (!calls_went(bonsai_train(&t, small, full, &o), t))
        return;
    calls_must(bonsai_training_info(t)->runs == bonsai_training_runs(t), "runs");
    calls_must(bonsai_training_run(t, 0) && !bonsai_training_run(t, 1), "one run");
    for (int64_t i = 0; i < bonsai_training_epochs(t); i++)
        calls_must(bonsai_training_epoch(t, i) != NULL, "epochs");
    for (int64_t i = 0; i < bonsai_training_info(t)->classes; i++)
        calls_must(bonsai_training_class(t, i) != NULL, "classes");
    save_model(bonsai_training_model(t));
    predict_with(c, bonsai_training_model(t), calls_graph(c));
    if (full && calls_went(bonsai_train_beside(&beside, t, full, &o), beside))
        calls_must(bonsai_training_info(beside)->model == o.model, "the same model");
    bonsai_training_free(beside);
    bonsai_training_free(t);
}

static void train(calls *c)
{
    train_on(c, calls_graph(c), NULL);
}

static void evaluate(calls *c)
{
    const bonsai_graph *small = calls_graph(c);
    train_on(c, small, calls_graph(c));
}

static void predict(calls *c)
{
    if (!c->model)
        return;
    predict_with(c, c->model, calls_graph(c));
    save_model(c->model);
}

static void nearest(calls *c)
{
    enum { MOST = 6 };
    const bonsai_graph *small = calls_graph(c), *full = calls_graph(c);
    bonsai_condense_options o;
    int32_t nodes[MOST];
    float distances[MOST];
    int64_t found = 0, node = (int64_t)mu_below(&c->rng, 12) - 1;
    calls_condense_options(&o, c);
    if (calls_went(bonsai_condense_nearest(nodes, mu_chance(&c->rng, 2) ? distances : NULL, &found,
                                           MOST, small, node, full, &o), NULL))
        for (int64_t i = 0; i < found && i < MOST; i++)
            calls_must(nodes[i] >= 0 && nodes[i] < bonsai_graph_nodes(full), "nearest nodes exist");
    bonsai_why w;
    bonsai_why_init(&w);
    if (calls_went(bonsai_condense_explain(&w, small, node, full, &o), NULL))
        calls_must(w.nodes <= BONSAI_WHY_ROOM && w.features <= w.features_set, "what is told fits");
}

static void equal(calls *c)
{
    int same = 0;
    const bonsai_graph *a = calls_graph(c), *b = calls_graph(c);
    if (calls_went(bonsai_graph_equal(&same, a, b), NULL))
        calls_must(same || a != b, "a graph equals itself");
}

static void report(calls *c)
{
    const bonsai_graph *small = calls_graph(c);
    const bonsai_graph *full = mu_chance(&c->rng, 3) ? NULL : calls_graph(c);
    bonsai_report *page = NULL;
    bonsai_report_options o;
    bonsai_condense_info info;
    bonsai_cell cells[2];
    size_t length = 0;
    bonsai_report_options_init(&o);
    bonsai_condense_info_init(&info);
    if (mu_chance(&c->rng, 2) && calls_went(bonsai_condense_info_of(&info, small), NULL))
        o.condensed = &info;
    bonsai_cell_init(&cells[0]);
    cells[0].done = cells[0].runs = 1;
    cells[0].accuracy_mean = 80;
    cells[1] = cells[0];
    cells[1].method = BONSAI_METHOD_TREES;
    cells[1].ratio = 0.1;
    o.cells = mu_chance(&c->rng, 2) ? cells : NULL;
    o.cell_count = o.cells ? 2 : 0;
    o.fragment = mu_chance(&c->rng, 3);
    o.feature_names = mu_chance(&c->rng, 4) ? "a\n\n<c>\r\n" : NULL;
    o.threads = 1;
    o.progress = calls_progress;
    o.payload = c;
    if (calls_went(bonsai_report_new(&page, small, full, &o), page)) {
        const char *html = bonsai_report_html(&length, page);
        calls_must(html && strlen(html) == length, "a page has no zero inside");
        calls_went(bonsai_report_save(page, fuzz_path("page.html")), NULL);
    }
    bonsai_report_free(page);
}

/* Cells that may not have been measured. */
static void sum_up(const bonsai_cell *cells, int64_t count)
{
    bonsai_cell one;
    bonsai_difference d;
    bonsai_cell_init(&one);
    bonsai_difference_init(&d);
    calls_went(bonsai_cells_merge(&one, cells, count, &cells[count - 1]), NULL);
    calls_went(bonsai_cells_difference(&d, cells, count, &cells[0], &cells[count - 1]), NULL);
}

static void compare(calls *c)
{
    const bonsai_method methods[] = {(bonsai_method)mu_below(&c->rng, BONSAI_METHOD_COUNT)};
    static const double ratios[] = {0.3};
    bonsai_compare_options o;
    bonsai_train_options t;
    bonsai_condense_options k;
    bonsai_cell cells[2];
    calls_train_options(&t, c);
    calls_condense_options(&k, c);
    bonsai_compare_options_init(&o);
    o.methods = methods;
    o.ratios = ratios;
    o.models = &t.model;
    o.method_count = o.ratio_count = o.model_count = 1;
    o.condense = &k;
    o.train = &t;
    o.progress = calls_progress;
    o.payload = c;
    calls_must(bonsai_compare_count(&o) == 2, "cells");
    if (calls_went(bonsai_compare_cells(cells, &o), NULL)) {
        calls_went(bonsai_compare(cells, calls_graph(c), &o), NULL);
        sum_up(cells, 2);
    }
}

/* Of one reverse k-NN, for a sample of any size and for the one that the lemma asks for. */
static void study_power(calls *c)
{
    enum { DRAWS = 3 };
    bonsai_power p[2];
    bonsai_power_error each[DRAWS];
    bonsai_condense_options o;
    calls_condense_options(&o, c);
    bonsai_power_init(&p[0]);
    p[0].theta = p[0].delta = 0.1;
    p[0].draws = DRAWS;
    p[1] = p[0];
    p[0].sample = (int64_t)mu_below(&c->rng, 20) - 1;
    p[1].each = each;
    if (!calls_went(bonsai_study_power(p, 2, calls_graph(c), &o), NULL))
        return;
    for (int i = 0; i < 2; i++)
        calls_must(p[i].sample >= 1 && p[i].sample <= p[i].trees && p[i].error.most <= 1 &&
                   p[i].least.mean <= p[i].largest.mean, "powers are shares");
}

static void study(calls *c)
{
    double wl[8], seen[8];
    bonsai_train_options o;
    calls_train_options(&o, c);
    calls_went(bonsai_study_pairs(wl, seen, 8, calls_graph(c),
                                  (bonsai_study)(1 + mu_below(&c->rng, 3)), &o), NULL);
    study_power(c);
}

/* Cells that differ only in their share of pairs. */
static void study_cells(calls *c)
{
    bonsai_cell cells[2];
    bonsai_train_options t;
    bonsai_compare_options o;
    calls_train_options(&t, c);
    bonsai_compare_options_init(&o);
    o.train = &t;
    o.progress = calls_progress;
    o.payload = c;
    bonsai_cell_init(&cells[0]);
    cells[0].study = (bonsai_study)mu_below(&c->rng, 4);
    cells[0].pairs = (int64_t)mu_below(&c->rng, 9);
    cells[0].nearest = 1;
    cells[1] = cells[0];
    cells[1].nearest = 0.5;
    calls_went(bonsai_study_run(cells, 2, calls_graph(c), &o), NULL);
}

calls_fn *const calls_of_several[] = {condense, condense, condense, condense_many, update, train,
                                      train, evaluate, evaluate, predict, nearest, equal, report,
                                      compare, study, study_cells};
const int calls_of_several_count = sizeof calls_of_several / sizeof *calls_of_several;
