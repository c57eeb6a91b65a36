/* paper_plan.c -- the cells that the tables need, each once, in an order that condenses each
 * small graph once.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

static const double ratios[] = {0.5, 1, 3};
static const int methods[] = {BONSAI_METHOD_TREES, BONSAI_METHOD_AUTO, BONSAI_METHOD_RANDOM, BONSAI_METHOD_HERDING,
                              BONSAI_METHOD_KCENTER};
enum { RATIOS = 3, METHODS = 5, CHEAP = 3 };    /* CHEAP: methods that are so on large budgets */

static int compare_real(double a, double b)
{
    return (a > b) - (a < b);
}

static int in_order(const void *x, const void *y)
{
    const paper_cell *a = x, *b = y;
    const double first[][2] = {
        {a->set, b->set}, {a->kind, b->kind}, {a->method >= 0, b->method >= 0},
        {a->accounting, b->accounting}, {a->method, b->method}, {a->without, b->without},
        {a->k, b->k}, {(double)a->sample, (double)b->sample}, {a->ratio, b->ratio},
        {a->model, b->model}, {a->share, b->share},
    };
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (first[i][0] != first[i][1])
            return compare_real(first[i][0], first[i][1]);
    return 0;
}

paper_cell *paper_cell_find(const paper *p, const paper_cell *like)
{
    for (int64_t i = 0; i < p->count; i++)
        if (in_order(&p->cells[i], like) == 0)
            return &p->cells[i];
    return NULL;
}

static int add(paper *p, const paper_cell *like)
{
    if (paper_cell_find(p, like))
        return EXIT_DONE;
    if (p->count == p->room) {
        int64_t room = p->room ? 2 * p->room : 256;
        paper_cell *more = realloc(p->cells, (size_t)room * sizeof *more);
        if (!more)
            return fail_with(p->s, "there is not enough memory for a table of %lld cells",
                             (long long)room);
        p->cells = more;
        p->room = room;
    }
    paper_cell *c = &p->cells[p->count++];
    *c = *like;
    c->accuracy = c->spread = c->bytes = c->bytes_share = c->seconds = NAN;
    c->wl = c->knn = c->greedy = c->ppr = c->train = c->value = c->extra = NAN;
    return EXIT_DONE;
}

static int wanted(const paper *p, table_name t)
{
    return p->asked >> t & 1;
}

static int add_full(paper *p, int set, bonsai_model_kind model)
{
    return add(p, &(paper_cell){.set = set, .ratio = 100, .method = -1, .model = model});
}

/* The paper's accounting makes small graphs large: there a quick run leaves out the costly methods
 * but at the first ratio; and with `few` all of them, and the other ratios too. */
static int left_out(const paper *p, int accounting, int method, int ratio, int few)
{
    if (!p->quick || accounting == 0)
        return 0;
    return few ? method >= CHEAP || ratio > 0 : method >= CHEAP && ratio > 0;
}

/* One model on every small graph, and on the full one. */
static int add_accuracy(paper *p, int set, bonsai_model_kind model, int few)
{
    int code = add_full(p, set, model);
    for (int a = 0; a < 2; a++)
        for (int m = 0; m < METHODS; m++)
            for (int r = 0; r < RATIOS; r++)
                if (code == EXIT_DONE && !left_out(p, a, m, r, few))
                    code = add(p, &(paper_cell){.set = set, .accounting = a, .ratio = ratios[r],
                                                .method = methods[m], .model = model});
    return code;
}

static int add_seconds(paper *p, int set)
{
    int code = add_full(p, set, BONSAI_MODEL_GCN);
    for (int a = 0; a < 2; a++)
        for (int m = 0; m < METHODS && code == EXIT_DONE; m++)
            code = add(p, &(paper_cell){.set = set, .accounting = a, .ratio = ratios[0],
                                        .method = methods[m], .model = BONSAI_MODEL_GCN});
    return code;
}

static int add_training(paper *p, int set)
{
    int code = EXIT_DONE;
    for (int model = BONSAI_MODEL_GCN; model <= BONSAI_MODEL_GIN && code == EXIT_DONE; model++) {
        code = add_full(p, set, (bonsai_model_kind)model);
        for (int m = 0; m < 2; m++)
            for (int r = 0; r < RATIOS && code == EXIT_DONE; r++)
                code = add(p, &(paper_cell){.set = set, .ratio = ratios[r], .method = methods[m],
                                            .model = (bonsai_model_kind)model});
    }
    return code;
}

static int add_ablation(paper *p, int set)
{
    int code = EXIT_DONE;
    for (int a = 0; a < (p->quick ? 1 : 2); a++)
        for (int r = 0; r < RATIOS; r++) {
            paper_cell c = {.set = set, .accounting = a, .ratio = ratios[r],
                            .method = BONSAI_METHOD_RANDOM};
            if (code == EXIT_DONE)
                code = add(p, &c);
            c.method = BONSAI_METHOD_TREES;
            for (int w = WHOLE; w <= NO_RKNN && code == EXIT_DONE; w++) {
                c.without = (ablation)w;
                code = add(p, &c);
            }
        }
    return code;
}

static int add_parameters(paper *p, int set)
{
    static const int64_t samples[] = {100, 1000, 250, 500, -1}, quick_samples = 2;
    static const int ks[] = {1, 0, 10, 2, 20}, quick_ks = 3;     /* 0: 5, the usual */
    int code = EXIT_DONE;
    paper_cell c = {.set = set, .ratio = ratios[RATIOS - 1], .method = BONSAI_METHOD_TREES};
    for (int i = 0; wanted(p, TABLE_SAMPLE) && i < (p->quick ? quick_samples : 5); i++) {
        c.sample = samples[i];
        code = code == EXIT_DONE ? add(p, &c) : code;
    }
    c.sample = 0;
    for (int i = 0; wanted(p, TABLE_K) && i < (p->quick ? quick_ks : 5); i++) {
        c.k = ks[i];
        code = code == EXIT_DONE ? add(p, &c) : code;
    }
    return code;
}

static int add_pairs(paper *p, int set)
{
    static const double shares[] = {1, 2, 5, 10, 25, 50, 100};
    int code = EXIT_DONE;
    for (int model = BONSAI_MODEL_GCN; wanted(p, TABLE_DISTANCE) && model <= BONSAI_MODEL_GIN; model++)
        for (int i = 0; i < 7 && code == EXIT_DONE; i++)
            code = add(p, &(paper_cell){.kind = CELL_DISTANCE, .set = set, .ratio = 100,
                                        .method = -1, .model = (bonsai_model_kind)model,
                                        .share = shares[i]});
    for (int kind = CELL_GRADIENT; wanted(p, TABLE_GRADIENT) && kind <= CELL_WEIGHTS; kind++)
        if (code == EXIT_DONE)
            code = add(p, &(paper_cell){.kind = (cell_kind)kind, .set = set, .ratio = 100,
                                        .method = -1, .share = 100});
    return code;
}

static int plan_set(paper *p, int set)
{
    int all = p->sets[set].all, code = EXIT_DONE;
    if (wanted(p, TABLE_ACCURACY))
        code = add_accuracy(p, set, BONSAI_MODEL_GCN, 0);
    if (code == EXIT_DONE && (wanted(p, TABLE_SECONDS) || wanted(p, TABLE_CARBON)))
        code = add_seconds(p, set);
    if (!all)
        return code;
    for (int model = BONSAI_MODEL_GAT; wanted(p, TABLE_MODELS) && model <= BONSAI_MODEL_GIN; model++)
        code = code == EXIT_DONE ? add_accuracy(p, set, (bonsai_model_kind)model, 1) : code;
    for (int a = 0; wanted(p, TABLE_COMPONENTS) && a < 2 && code == EXIT_DONE; a++)
        code = add(p, &(paper_cell){.set = set, .accounting = a, .ratio = ratios[0],
                                    .method = BONSAI_METHOD_TREES});
    if (code == EXIT_DONE && wanted(p, TABLE_TRAINING))
        code = add_training(p, set);
    if (code == EXIT_DONE && wanted(p, TABLE_ABLATION))
        code = add_ablation(p, set);
    if (code == EXIT_DONE)
        code = add_parameters(p, set);
    return code == EXIT_DONE ? add_pairs(p, set) : code;
}

int paper_plan(paper *p)
{
    int code = EXIT_DONE;
    for (int i = 0; i < p->set_count && code == EXIT_DONE; i++)
        if (*p->sets[i].path)
            code = plan_set(p, i);
    if (code == EXIT_DONE && p->count > 0)
        qsort(p->cells, (size_t)p->count, sizeof *p->cells, in_order);
    return code;
}
