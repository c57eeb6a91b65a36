/* paper_cells.c -- the cells that the tables need, each once, and their settings of condensing.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

static const double ratios[] = {0.5, 1, 3};
static const int methods[] = {BONSAI_METHOD_TREES, BONSAI_METHOD_AUTO, BONSAI_METHOD_RANDOM,
                              BONSAI_METHOD_HERDING, BONSAI_METHOD_KCENTER};
enum { RATIOS = 3, METHODS = 5, CHEAP = 3 };    /* CHEAP: methods cheap on large budgets */

/* ---- settings ------------------------------------------------------------ */

static const struct {
    const char *name;
    int         paper, no_ppr, no_rknn, k;      /* k, sample 0: the default */
    int64_t     sample;                         /* -1: all */
} variants[VARIANTS] = {
    [STRICT]         = {.name = "strict"},
    [PAPER_BYTES]    = {.name = "paper", .paper = 1},
    [NO_PPR]         = {.name = "strict no-ppr", .no_ppr = 1},
    [PAPER_NO_PPR]   = {.name = "paper no-ppr", .no_ppr = 1, .paper = 1},
    [NO_RKNN]        = {.name = "strict no-rknn", .no_rknn = 1},
    [PAPER_NO_RKNN]  = {.name = "paper no-rknn", .no_rknn = 1, .paper = 1},
    [K_1]            = {.name = "strict k 1", .k = 1},
    [K_2]            = {.name = "strict k 2", .k = 2},
    [K_10]           = {.name = "strict k 10", .k = 10},
    [K_20]           = {.name = "strict k 20", .k = 20},
    [SAMPLE_100]     = {.name = "strict sample 100", .sample = 100},
    [SAMPLE_250]     = {.name = "strict sample 250", .sample = 250},
    [SAMPLE_500]     = {.name = "strict sample 500", .sample = 500},
    [SAMPLE_1000]    = {.name = "strict sample 1000", .sample = 1000},
    [SAMPLE_ALL]     = {.name = "strict sample all", .sample = -1},
};

static void make_setting(paper *p, int set, int v)
{
    int i = set * VARIANTS + v;
    bonsai_condense_options *o = &p->condense[i];
    bonsai_condense_options_init(o);
    o->accounting = variants[v].paper ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
    o->no_ppr = variants[v].no_ppr;
    o->no_rknn = variants[v].no_rknn;
    o->k = variants[v].k ? variants[v].k : o->k;
    o->sample = variants[v].sample ? variants[v].sample : o->sample;
    o->seed = p->train.seed;
    o->threads = p->s->read.threads;
    char *name = p->setting_name[i];
    strcpy(name, p->sets[set].name);            /* 32 bytes; all variants are shorter */
    strcat(strcat(name, " "), variants[v].name);
    p->settings[i] = o;
    p->setting_names[i] = name;
}

int paper_set_of(const bonsai_cell *c)
{
    return c->setting / VARIANTS;
}

const char *paper_bytes_of(const bonsai_cell *c)
{
    return variants[c->setting % VARIANTS].paper ? "paper" : "strict";
}

/* ---- cells --------------------------------------------------------------- */

bonsai_cell paper_cell(int set, variant v, double ratio, int method, bonsai_model_kind model)
{
    return (bonsai_cell){.size = sizeof(bonsai_cell), .setting = set * VARIANTS + (int)v,
                         .ratio = ratio / 100, .method = method, .model = model};
}

bonsai_cell paper_pairs_cell(const paper *p, int set, bonsai_study study, bonsai_model_kind model,
                             double share)
{
    bonsai_cell c = paper_cell(set, STRICT, 100, -1, model);
    c.study = study;
    c.pairs = study != BONSAI_STUDY_EMBEDDING ? 10000 : p->quick ? 50000 : 200000;
    c.nearest = share / 100;
    return c;
}

static int in_order(const void *x, const void *y)
{
    const bonsai_cell *a = x, *b = y;
    const double first[][2] = {
        {paper_set_of(a), paper_set_of(b)}, {a->split, b->split}, {a->study, b->study},
        {a->method >= 0, b->method >= 0},
        {variants[a->setting % VARIANTS].paper, variants[b->setting % VARIANTS].paper},
        {a->method, b->method}, {a->setting, b->setting}, {a->draw, b->draw}, {a->ratio, b->ratio},
        {a->model, b->model}, {a->nearest, b->nearest},
    };
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (first[i][0] != first[i][1])
            return first[i][0] > first[i][1] ? 1 : -1;
    return 0;
}

bonsai_cell *paper_cell_find(bonsai_cell *cells, int64_t count, const bonsai_cell *like)
{
    for (int64_t i = 0; i < count; i++)
        if (in_order(&cells[i], like) == 0)
            return &cells[i];
    return NULL;
}

static int add_one(paper *p, const bonsai_cell *c)
{
    if (p->count == p->room) {
        int64_t room = p->room ? 2 * p->room : 256;
        bonsai_cell *more = realloc(p->cells, (size_t)room * sizeof *more);
        if (!more)
            return fail_with(p->s, "there is not enough memory for a table of %lld cells",
                             (long long)room);
        p->cells = more;
        p->room = room;
    }
    p->cells[p->count++] = *c;
    return EXIT_DONE;
}

/* In each split and draw; the full graph has one draw, and pairs of nodes are studied once. */
static int add(paper *p, bonsai_cell c)
{
    int code = EXIT_DONE, once = c.study != BONSAI_STUDY_TRAINING;
    if (paper_cell_find(p->cells, p->count, &c))
        return EXIT_DONE;
    for (c.split = 0; c.split < (once ? 1 : p->repeat.splits); c.split++)
        for (c.draw = 0; c.draw < (once || c.method < 0 ? 1 : p->repeat.draws); c.draw++)
            code = code == EXIT_DONE ? add_one(p, &c) : code;
    return code;
}

static int wanted(const paper *p, table_name t)
{
    return p->asked >> t & 1;
}

static int add_full(paper *p, int set, bonsai_model_kind model)
{
    return add(p, paper_cell(set, STRICT, 100, -1, model));
}

/* The paper's accounting makes small graphs large: a quick run measures the costly methods there
 * only at the first ratio; with `few` it leaves them and the other ratios out. */
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
                    code = add(p, paper_cell(set, (variant)a, ratios[r], methods[m], model));
    return code;
}

static int add_seconds(paper *p, int set)
{
    int code = add_full(p, set, BONSAI_MODEL_GCN);
    for (int a = 0; a < 2; a++)
        for (int m = 0; m < METHODS && code == EXIT_DONE; m++)
            code = add(p, paper_cell(set, (variant)a, ratios[0], methods[m], BONSAI_MODEL_GCN));
    return code;
}

static int add_training(paper *p, int set)
{
    int code = EXIT_DONE;
    for (int model = BONSAI_MODEL_GCN; model <= BONSAI_MODEL_GIN && code == EXIT_DONE; model++) {
        code = add_full(p, set, (bonsai_model_kind)model);
        for (int m = 0; m < 2; m++)
            for (int r = 0; r < RATIOS && code == EXIT_DONE; r++)
                code = add(p, paper_cell(set, STRICT, ratios[r], methods[m],
                                         (bonsai_model_kind)model));
    }
    return code;
}

static int add_ablation(paper *p, int set)
{
    int code = EXIT_DONE;
    for (int a = 0; a < (p->quick ? 1 : 2); a++)
        for (int r = 0; r < RATIOS; r++) {
            if (code == EXIT_DONE)
                code = add(p, paper_cell(set, (variant)a, ratios[r], BONSAI_METHOD_RANDOM,
                                         BONSAI_MODEL_GCN));
            for (int v = STRICT + a; v <= NO_RKNN + a && code == EXIT_DONE; v += 2)
                code = add(p, paper_cell(set, (variant)v, ratios[r], BONSAI_METHOD_TREES,
                                         BONSAI_MODEL_GCN));
        }
    return code;
}

static int add_variants(paper *p, int set, const variant *list, int count)
{
    int code = EXIT_DONE;
    for (int i = 0; i < count && code == EXIT_DONE; i++)
        code = add(p, paper_cell(set, list[i], ratios[RATIOS - 1], BONSAI_METHOD_TREES,
                                 BONSAI_MODEL_GCN));
    return code;
}

static int add_parameters(paper *p, int set)
{
    static const variant samples[] = {SAMPLE_100, SAMPLE_1000, SAMPLE_250, SAMPLE_500, SAMPLE_ALL};
    static const variant ks[] = {K_1, STRICT, K_10, K_2, K_20};     /* STRICT: 5, the default */
    int code = wanted(p, TABLE_SAMPLE) ? add_variants(p, set, samples, p->quick ? 2 : 5)
                                       : EXIT_DONE;
    return code == EXIT_DONE && wanted(p, TABLE_K) ? add_variants(p, set, ks, p->quick ? 3 : 5)
                                                   : code;
}

static int add_pairs(paper *p, int set)
{
    static const double shares[] = {1, 2, 5, 10, 25, 50, 100};
    int code = EXIT_DONE;
    for (int m = BONSAI_MODEL_GCN; wanted(p, TABLE_DISTANCE) && m <= BONSAI_MODEL_GIN; m++)
        for (int i = 0; i < 7 && code == EXIT_DONE; i++)
            code = add(p, paper_pairs_cell(p, set, BONSAI_STUDY_EMBEDDING, (bonsai_model_kind)m,
                                           shares[i]));
    for (int study = BONSAI_STUDY_GRADIENT; wanted(p, TABLE_GRADIENT) &&
                                            study <= BONSAI_STUDY_WEIGHTS; study++)
        if (code == EXIT_DONE)
            code = add(p, paper_pairs_cell(p, set, (bonsai_study)study, BONSAI_MODEL_GCN, 100));
    return code;
}

static int add_set(paper *p, int set)
{
    int all = p->sets[set].all, code = EXIT_DONE;
    for (int v = 0; v < VARIANTS; v++)
        make_setting(p, set, v);
    if (wanted(p, TABLE_ACCURACY))
        code = add_accuracy(p, set, BONSAI_MODEL_GCN, 0);
    if (code == EXIT_DONE && (wanted(p, TABLE_SECONDS) || wanted(p, TABLE_CARBON)))
        code = add_seconds(p, set);
    if (!all)
        return code;
    for (int m = BONSAI_MODEL_GAT; wanted(p, TABLE_MODELS) && m <= BONSAI_MODEL_GIN; m++)
        code = code == EXIT_DONE ? add_accuracy(p, set, (bonsai_model_kind)m, 1) : code;
    for (int a = 0; wanted(p, TABLE_COMPONENTS) && a < 2 && code == EXIT_DONE; a++)
        code = add(p, paper_cell(set, (variant)a, ratios[0], BONSAI_METHOD_TREES,
                                 BONSAI_MODEL_GCN));
    if (code == EXIT_DONE && wanted(p, TABLE_TRAINING))
        code = add_training(p, set);
    if (code == EXIT_DONE && wanted(p, TABLE_ABLATION))
        code = add_ablation(p, set);
    if (code == EXIT_DONE)
        code = add_parameters(p, set);
    return code == EXIT_DONE ? add_pairs(p, set) : code;
}

static int make_room(paper *p)
{
    size_t runs = (size_t)p->train.seeds;
    p->accuracies = calloc((size_t)p->count, runs * sizeof *p->accuracies);
    p->table = calloc((size_t)p->count, sizeof *p->table);
    if (!p->accuracies || !p->table)
        return fail_with(p->s, "there is not enough memory for %lld cells of %d runs",
                         (long long)p->count, p->train.seeds);
    for (int64_t i = 0; i < p->count; i++)
        p->cells[i].accuracies = p->accuracies + (size_t)i * runs;
    return EXIT_DONE;
}

int paper_cells(paper *p)
{
    int code = EXIT_DONE;
    for (int i = 0; i < p->set_count && code == EXIT_DONE; i++)
        if (*p->sets[i].path)
            code = add_set(p, i);
    if (code == EXIT_DONE && p->count > 0) {
        qsort(p->cells, (size_t)p->count, sizeof *p->cells, in_order);
        code = make_room(p);
    }
    return code;
}

/* The cells of a dataset stand together, those of its first split and draw among them. */
int paper_merge(paper *p)
{
    bonsai_status rc = BONSAI_OK;
    int64_t first = 0, end = 0;
    for (int64_t i = 0; i < p->count && rc == BONSAI_OK; i++) {
        const bonsai_cell *c = &p->cells[i];
        if (i == end)
            for (first = i; end < p->count && paper_set_of(&p->cells[end]) == paper_set_of(c);)
                end++;
        if (c->split > 0 || c->draw > 0)
            continue;
        bonsai_cell *to = &p->table[p->rows++];
        bonsai_cell_init(to);
        rc = bonsai_cells_merge(to, p->cells + first, end - first, c);
        to->split = to->draw = 0;               /* where tables look for it */
    }
    return rc == BONSAI_OK ? EXIT_DONE : fail(p->s, rc);
}
