/* paper_cells.c -- the cells that the tables need, each once.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

int paper_set_of(const bonsai_cell *c)
{
    return c->setting / MOST_VARIANTS;
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

/* Adds a cell in each split and draw; the full graph has one draw, and pairs of nodes one study. */
static int add(paper *p, bonsai_cell c, int draws)
{
    int code = EXIT_DONE, once = c.study != BONSAI_STUDY_TRAINING;
    for (c.split = 0; c.split < (once ? 1 : p->repeat.splits); c.split++)
        for (c.draw = 0; c.draw < (once || c.method == FULL ? 1 : draws); c.draw++)
            code = code == EXIT_DONE ? add_one(p, &c) : code;
    return code;
}

/* ---- what the tables need ------------------------------------------------ */

static int add_row(const place *at, void *all)
{
    const bn_json *col;
    int code = EXIT_DONE, draws;
    bonsai_cell c;
    for (size_t i = 0; code == EXIT_DONE && (col = paper_column(at->table, i)); i++)
        if (paper_cell_of(&c, &draws, at, col))
            code = add(all, c, draws);
    return code;
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
    const bn_json *table;
    int code = EXIT_DONE;
    for (int i = 0; i < p->set_count; i++)
        if (paper_is_there(p, i))
            paper_make_settings(p, i);
    for (size_t i = 0; code == EXIT_DONE && (table = bn_json_at(paper_described("tables"), i)); i++)
        if (paper_wants(p, paper_text(table, "name")))
            code = paper_each_row(p, table, add_row, p);
    if (code == EXIT_DONE && p->count > 0) {
        qsort(p->cells, (size_t)p->count, sizeof *p->cells, in_order);
        code = make_room(p);
    }
    return code;
}

/* ---- splits and draws as one --------------------------------------------- */

/* Merges cells over splits and draws.  The cells of a dataset stand together, so each merge
 * searches only these. */
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
