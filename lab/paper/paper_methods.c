/* paper_methods.c -- the rows of the tables of methods, and the cell of each of their columns.
 *
 * SPDX-License-Identifier: MIT */
#include "paper.h"

const char *const paper_columns[COLUMNS] = {"redone", "paper", "honest"};

#define PEER(name, method, ...) \
    {name, name, {BONSAI_METHOD_##method, NONE, BONSAI_METHOD_##method}, \
     {NODES_0, HONEST, HONEST}, __VA_ARGS__}

const entry paper_entries[] = {
    PEER("Random", RANDOM, 0, 0),
    PEER("Herding", HERDING, 0, 0),
    PEER("GCond", GCOND, 0, 1),
    PEER("GDEM", GDEM, 0, 1),
    PEER("GCSR", GCSR, 0, 1),
    PEER("EXGC", EXGC, 1, 1),
    PEER("GC-SNTK", GC_SNTK, 1, 1),
    PEER("GEOM", GEOM, 1, 1),
    {"Bonsai", "Bonsai", {BONSAI_METHOD_PUBLISHED, BONSAI_METHOD_TREES, BONSAI_METHOD_TREES},
     {PAPER_BYTES, PAPER_BYTES, HONEST}, 0, 0},
    {"Bonsai, whole trees", NULL, {NONE, NONE, BONSAI_METHOD_TREES}, {HONEST, HONEST, WHOLE}, 0, 0},
    {"auto (ours)", NULL, {NONE, BONSAI_METHOD_AUTO, BONSAI_METHOD_AUTO},
     {HONEST, PAPER_BYTES, HONEST}, 0, 0},
    {"Full", "Full", {FULL, NONE, NONE}, {HONEST, HONEST, HONEST}, 0, 0},
    {0},
};

const entry *const paper_bonsai = &paper_entries[8];
const entry *const paper_auto = &paper_entries[10], *const paper_full = &paper_entries[11];

double paper_entry_ratio(const entry *e, int ratio)
{
    return e->method[COLUMN_REDONE] == FULL ? 100 : paper_ratios[ratio];
}

int paper_entry_says(published *out, const paper *p, int set, const entry *e, int ratio,
                     bonsai_model_kind model)
{
    const char *table = model == BONSAI_MODEL_GCN ? "accuracy" : "models";
    return e->theirs && paper_says(out, table, p->sets[set].is->name, paper_entry_ratio(e, ratio),
                                   bonsai_model_name(model), e->theirs);
}

static int is_fixed(const entry *e, column_name which)
{
    return e->method[which] == FULL || e->method[which] == BONSAI_METHOD_PUBLISHED;
}

/* With a GCN, what draws is drawn often enough for an error, but for what is slow: methods that
 * learn, and large graphs in the paper's accounting. */
int paper_entry_draws(const paper *p, const entry *e, column_name which, bonsai_model_kind model)
{
    const int slow = e->learns || which == COLUMN_PAPER || model != BONSAI_MODEL_GCN;
    return is_fixed(e, which) || slow ? p->repeat.draws : paper_curve_draws(p);
}

int paper_entry_compares(const paper *p, const entry *e, column_name which, const bonsai_cell *c)
{
    return c && (!e->learns || p->effort >= 1) &&
           (c->unit != BONSAI_UNIT_RUN || is_fixed(e, which));
}

int paper_entry_cell(bonsai_cell *out, const paper *p, int set, const entry *e, column_name which,
                     int ratio, bonsai_model_kind model)
{
    const int method = e->method[which];
    if (method == NONE || !paper_shows(p, e, which, ratio, model))
        return 0;
    const variant v = e->made[which];
    if (method == FULL)
        *out = paper_cell(set, HONEST, 100, FULL, model);
    else if (v == NODES_0)
        *out = paper_cell(set, (variant)((int)v + ratio), 0, method, model);
    else
        *out = paper_cell(set, v, paper_ratios[ratio], method, model);
    return 1;
}

const bonsai_cell *paper_entry_measured(const paper *p, int set, const entry *e, column_name which,
                                        int ratio, bonsai_model_kind model)
{
    bonsai_cell like;
    return paper_entry_cell(&like, p, set, e, which, ratio, model) ? paper_measured(p, &like)
                                                                   : NULL;
}

/* Small graphs in the paper's accounting are large, and methods that learn are slow: a quick run
 * has them once.  The published code's graph is what it is about. */
static int is_quick(const entry *e, column_name which, int ratio)
{
    if (e->learns)
        return which == COLUMN_REDONE && ratio == 1 && !e->gcn_only;
    return which != COLUMN_PAPER || ratio == 0;
}

int paper_shows(const paper *p, const entry *e, column_name which, int ratio,
                bonsai_model_kind model)
{
    if (model != BONSAI_MODEL_GCN && (e->gcn_only || which == COLUMN_PAPER))
        return 0;
    if (!p->quick || e->method[which] == FULL)
        return 1;
    if (model != BONSAI_MODEL_GCN)
        return ratio == 0 && !e->learns;
    return is_quick(e, which, ratio);
}
