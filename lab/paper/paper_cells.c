/* paper_cells.c -- the cells that the tables need, each once.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

const double paper_ablation_ratios[RATIOS] = {5, 10, 20}, paper_curve_ratio = 10;
const double paper_shares[SHARES] = {1, 2, 5, 10, 25, 50, 100};

const ablation paper_ablations[] = {
    {"whole trees", BONSAI_METHOD_TREES, WHOLE}, {"-PPR", BONSAI_METHOD_TREES, NO_PPR},
    {"-RkNN", BONSAI_METHOD_TREES, NO_RKNN}, {"Bonsai", BONSAI_METHOD_TREES, HONEST},
    {"random nodes", BONSAI_METHOD_RANDOM, HONEST}, {0},
};

const parameter paper_sample = {
    TABLE_SAMPLE, "sample", "trees sampled", "Accuracy and time against the sample (Figure 6)",
    "k is 5.",
    {100, 250, 500, 1000, -1, 0},
    {SAMPLE_100, SAMPLE_250, SAMPLE_500, SAMPLE_1000, SAMPLE_ALL}, {1, 0, 0, 0, 1}};
const parameter paper_k = {
    TABLE_K, "k", "k", "Accuracy and time against k (Figure 6)",
    "The sample has 3,025 trees, or all if there are fewer.", {1, 2, 5, 10, 20, 0},
    {K_1, K_2, WHOLE, K_10, K_20}, {1, 0, 1, 0, 1}};

int paper_curve_draws(const paper *p)
{
    const int least = p->quick ? 2 : 3;
    return p->repeat.draws > least ? p->repeat.draws : least;
}

int paper_set_of(const bonsai_cell *c)
{
    return c->setting / VARIANTS;
}

int paper_is_there(const paper *p, int set)
{
    return *p->sets[set].path != 0;
}

bonsai_cell paper_cell(int set, variant v, double ratio, int method, bonsai_model_kind model)
{
    return (bonsai_cell){.size = sizeof(bonsai_cell), .setting = set * VARIANTS + (int)v,
                         .ratio = ratio / 100, .method = method, .model = model};
}

bonsai_cell paper_pairs_cell(const paper *p, int set, bonsai_study study, bonsai_model_kind model,
                             double share)
{
    bonsai_cell c = paper_cell(set, HONEST, 100, FULL, model);
    c.study = study;
    c.pairs = study != BONSAI_STUDY_EMBEDDING ? 10000 : p->quick ? 50000 : 200000;
    c.nearest = share / 100;
    return c;
}

/* ---- a list without repetition ------------------------------------------- */

static int in_order(const void *x, const void *y)
{
    const bonsai_cell *a = x, *b = y;
    const double first[][2] = {
        {paper_set_of(a), paper_set_of(b)}, {a->split, b->split}, {a->study, b->study},
        {a->method >= 0, b->method >= 0}, {a->method, b->method}, {a->setting, b->setting},
        {a->draw, b->draw}, {a->ratio, b->ratio}, {a->model, b->model}, {a->nearest, b->nearest},
    };
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (first[i][0] != first[i][1])
            return first[i][0] > first[i][1] ? 1 : -1;
    return 0;
}

static bonsai_cell *find(bonsai_cell *cells, int64_t count, const bonsai_cell *like)
{
    for (int64_t i = 0; i < count; i++)
        if (in_order(&cells[i], like) == 0)
            return &cells[i];
    return NULL;
}

static int add_one(paper *p, const bonsai_cell *c)
{
    if (find(p->cells, p->count, c))
        return EXIT_DONE;
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
static int add(paper *p, bonsai_cell c, int draws)
{
    int code = EXIT_DONE, once = c.study != BONSAI_STUDY_TRAINING;
    for (c.split = 0; c.split < (once ? 1 : p->repeat.splits); c.split++)
        for (c.draw = 0; c.draw < (once || c.method == FULL ? 1 : draws); c.draw++)
            code = code == EXIT_DONE ? add_one(p, &c) : code;
    return code;
}

/* ---- what each table needs ----------------------------------------------- */

static int wanted(const paper *p, table_name t)
{
    return p->asked >> t & 1;
}

static int add_entry(paper *p, int set, const entry *e, int ratio, bonsai_model_kind model)
{
    int code = EXIT_DONE;
    bonsai_cell c;
    for (int k = 0; k < COLUMNS && code == EXIT_DONE; k++)
        if (paper_entry_cell(&c, p, set, e, (column_name)k, ratio, model))
            code = add(p, c, paper_entry_draws(p, e, (column_name)k, model));
    return code;
}

/* Every method at some of the ratios, for one network. */
static int add_methods(paper *p, int set, int ratios, bonsai_model_kind model)
{
    int code = EXIT_DONE;
    for (const entry *e = paper_entries; e->name; e++)
        for (int r = 0; r < ratios && code == EXIT_DONE; r++)
            code = add_entry(p, set, e, r, model);
    return code;
}

static int add_ablation(paper *p, int set)
{
    int code = EXIT_DONE;
    for (const ablation *a = paper_ablations; a->label; a++)
        for (int r = 0; r < (p->quick ? 1 : RATIOS) && code == EXIT_DONE; r++)
            code = add(p, paper_cell(set, a->made, paper_ablation_ratios[r], a->method,
                                     BONSAI_MODEL_GCN), paper_curve_draws(p));
    return code;
}

static int add_parameter(paper *p, int set, const parameter *q)
{
    int code = EXIT_DONE;
    for (int i = 0; q->at[i] && code == EXIT_DONE; i++)
        if (!p->quick || q->quick[i])
            code = add(p, paper_cell(set, q->made[i], paper_curve_ratio, BONSAI_METHOD_TREES,
                                     BONSAI_MODEL_GCN), paper_curve_draws(p));
    return code;
}

static int add_pairs(paper *p, int set)
{
    int code = EXIT_DONE;
    for (int m = BONSAI_MODEL_GCN; wanted(p, TABLE_DISTANCE) && m <= BONSAI_MODEL_GIN; m++)
        for (int i = 0; i < SHARES && code == EXIT_DONE; i++)
            code = add(p, paper_pairs_cell(p, set, BONSAI_STUDY_EMBEDDING, (bonsai_model_kind)m,
                                           paper_shares[i]), 1);
    for (int study = BONSAI_STUDY_GRADIENT; wanted(p, TABLE_GRADIENT) &&
                                            study <= BONSAI_STUDY_WEIGHTS; study++)
        if (code == EXIT_DONE)
            code = add(p, paper_pairs_cell(p, set, (bonsai_study)study, BONSAI_MODEL_GCN, 100), 1);
    return code;
}

static int add_set(paper *p, int set)
{
    int code = EXIT_DONE;
    paper_make_settings(p, set);
    if (wanted(p, TABLE_ACCURACY) || wanted(p, TABLE_TRAINING))
        code = add_methods(p, set, RATIOS, BONSAI_MODEL_GCN);
    else if (wanted(p, TABLE_SECONDS) || wanted(p, TABLE_ENERGY))
        code = add_methods(p, set, 1, BONSAI_MODEL_GCN);
    else if (wanted(p, TABLE_COMPONENTS))
        code = add_entry(p, set, paper_bonsai, 0, BONSAI_MODEL_GCN);
    for (int m = BONSAI_MODEL_GAT; m <= BONSAI_MODEL_GIN; m++)
        if ((wanted(p, TABLE_MODELS) || wanted(p, TABLE_TRAINING)) && code == EXIT_DONE)
            code = add_methods(p, set, RATIOS, (bonsai_model_kind)m);
    if (code == EXIT_DONE && wanted(p, TABLE_ABLATION))
        code = add_ablation(p, set);
    if (code == EXIT_DONE && wanted(p, TABLE_SAMPLE))
        code = add_parameter(p, set, &paper_sample);
    if (code == EXIT_DONE && wanted(p, TABLE_K))
        code = add_parameter(p, set, &paper_k);
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
        if (paper_is_there(p, i))
            code = add_set(p, i);
    if (code == EXIT_DONE && p->count > 0) {
        qsort(p->cells, (size_t)p->count, sizeof *p->cells, in_order);
        code = make_room(p);
    }
    return code;
}

/* ---- splits and draws as one --------------------------------------------- */

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

const bonsai_cell *paper_measured(const paper *p, const bonsai_cell *like)
{
    const bonsai_cell *c = find(p->table, p->rows, like);
    return c && c->done && c->runs > 0 ? c : NULL;
}
