/* paper_rows.c -- calls a function for each row of a table, and finds the cell behind each of its
 * columns.
 *
 * A cell is described by words: "METHOD SETTING", where the setting "nodes" has as many nodes as
 * the published peers at the row's ratio; "full", the full graph; or "pairs STUDY".
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "paper.h"

int paper_is_there(const paper *p, int set)
{
    return *p->sets[set].path != 0;
}

int paper_is_full(const bn_json *method)
{
    return strcmp(paper_text(method, "redone"), "full") == 0;
}

/* ---- rows ---------------------------------------------------------------- */

static bonsai_model_kind model_named(const char *name)
{
    int m = 0;
    while (bonsai_model_name((bonsai_model_kind)m) &&
           strcmp(bonsai_model_name((bonsai_model_kind)m), name) != 0)
        m++;
    return (bonsai_model_kind)m;
}

static int is_true(const bn_json *object, const char *key)
{
    return bn_json_is_true(bn_json_get(object, key));
}

/* Returns the methods, the table's own list, or NULL: one row a dataset, network and ratio. */
static const bn_json *items_of(const bn_json *table)
{
    const bn_json *rows = bn_json_get(table, "rows");
    return strcmp(paper_text(table, "rows"), "methods") == 0 ? paper_described("methods")
           : bn_json_is_array(rows) ? rows : NULL;
}

/* Returns whether a row is in the table: the full graph stands once, behind the last ratio; a quick
 * run leaves out slow settings. */
static int has_row(const place *at, int ratios)
{
    if (paper_is_full(at->item) && at->r + 1 < ratios)
        return 0;
    if (is_true(at->item, "gcn_only") && at->model != BONSAI_MODEL_GCN)
        return 0;
    return !at->p->quick || !is_true(at->item, "slow");
}

static int each_item(place at, int ratios, row_fn *fn, void *payload)
{
    const bn_json *items = items_of(at.table);
    int code = 0;
    if (!items)
        return fn(&at, payload);
    for (size_t i = 0; code == 0 && (at.item = bn_json_at(items, i)); i++)
        if (has_row(&at, ratios))
            code = fn(&at, payload);
    return code;
}

int paper_each_row(const paper *p, const bn_json *table, row_fn *fn, void *payload)
{
    const bn_json *models = bn_json_get(table, "models"), *ratios = bn_json_get(table, "ratios");
    const size_t many = bn_json_count(models);
    const int n = bn_json_count(ratios) > 0 ? (int)bn_json_count(ratios) : 1;
    const int64_t quick = bn_json_as_whole(bn_json_get(table, "quick_ratios"));
    place at = {.p = p, .table = table};
    const char *model;
    int code = 0;
    for (; at.set < p->set_count; at.set++)
        for (size_t m = 0; paper_is_there(p, at.set) && m < (many ? many : 1); m++) {
            model = bn_json_as_text(bn_json_at(models, m));
            at.model = model ? model_named(model) : BONSAI_MODEL_GCN;
            for (at.r = 0; code == 0 && at.r < (p->quick && quick ? (int)quick : n); at.r++) {
                at.ratio = bn_json_as_number(bn_json_at(ratios, (size_t)at.r));
                code = each_item(at, n, fn, payload);
            }
        }
    return code;
}

const bn_json *paper_method_of(const place *at)
{
    const char *name = bn_json_get(at->item, "method") ? paper_text(at->item, "method")
                                                       : paper_text(at->table, "method");
    return paper_named(paper_described("methods"), "method", name);
}

/* ---- cells --------------------------------------------------------------- */

int paper_curve_draws(const paper *p)
{
    const int least = p->quick ? 2 : 3;
    return p->repeat.draws > least ? p->repeat.draws : least;
}

/* Returns whether a quick run has the cell.  Small graphs in the paper's accounting are large, and
 * methods that learn are slow: each appears once.  The published code's graph, the subject of the
 * tables, always appears. */
static int is_quick(const place *at, const bn_json *method, const char *source)
{
    if (at->model != BONSAI_MODEL_GCN)
        return at->r == 0 && !is_true(method, "learns");
    if (is_true(method, "learns"))
        return strcmp(source, "redone") == 0 && at->r == 1 && !is_true(method, "gcn_only");
    return strcmp(source, "paper") != 0 || at->r == 0;
}

/* Returns the words that describe the cell; "" if the column has no cell. */
static const char *words_of(const place *at, const bn_json *col, const bn_json *method)
{
    const char *source = paper_text(col, "source");
    if (bn_json_get(col, "cell"))
        return paper_text(col, "cell");
    if (strcmp(source, "published") == 0 || strcmp(source, "key") == 0)
        return "";
    if (bn_json_get(at->item, "cell"))
        return paper_text(at->item, "cell");
    if (at->p->quick && method && !paper_is_full(method) && !is_quick(at, method, source))
        return "";
    return paper_text(method, source);
}

static bonsai_cell cell_for(const place *at, int variant, double ratio, int method)
{
    return (bonsai_cell){.size = sizeof(bonsai_cell), .setting = at->set * MOST_VARIANTS + variant,
                         .ratio = ratio / 100, .method = method, .model = at->model};
}

static bonsai_cell pairs_cell(const place *at, const char *study)
{
    static const char *const words[] = {[BONSAI_STUDY_EMBEDDING] = "embedding",
        [BONSAI_STUDY_GRADIENT] = "gradient", [BONSAI_STUDY_WEIGHTS] = "weights"};
    const bn_json *nearest = bn_json_get(at->item, "nearest");
    bonsai_cell c = cell_for(at, 0, 100, FULL);
    int what = BONSAI_STUDY_EMBEDDING;
    while (what < BONSAI_STUDY_WEIGHTS && strcmp(words[what], study) != 0)
        what++;
    c.study = (bonsai_study)what;
    c.pairs = what != BONSAI_STUDY_EMBEDDING ? 10000 : at->p->quick ? 50000 : 200000;
    c.nearest = nearest ? bn_json_as_number(nearest) / 100 : 1;
    return c;
}

static int variant_named(const char *name)
{
    const bn_json *names = paper_described("settings");
    int v = 0;
    while (v < (int)bn_json_count(names) &&
           strcmp(bn_json_as_text(bn_json_at(names, (size_t)v)), name) != 0)
        v++;
    return v;
}

static bonsai_cell made_cell(const place *at, const char *words)
{
    const size_t len = strcspn(words, " ");
    char setting[64];
    int m = 0;
    while (strncmp(bonsai_method_name((bonsai_method)m), words, len) != 0 ||
           bonsai_method_name((bonsai_method)m)[len])
        m++;
    if (strcmp(words + len + 1, "nodes") == 0) {
        snprintf(setting, sizeof setting, "nodes %g", at->ratio);
        return cell_for(at, variant_named(setting), 0, m);
    }
    return cell_for(at, variant_named(words + len + 1), at->ratio, m);
}

static int is_fixed(const bonsai_cell *c)
{
    return c->method == FULL || c->method == BONSAI_METHOD_PUBLISHED;
}

/* Returns the number of draws: with a GCN, enough for an error; for slow cells (methods that learn,
 * large graphs in the paper's accounting) the number asked for. */
static int draws_of(const place *at, const char *source, const bn_json *method,
                    const bonsai_cell *c)
{
    const int slow = is_true(method, "learns") || strcmp(source, "paper") == 0 ||
                     at->model != BONSAI_MODEL_GCN;
    return is_fixed(c) || slow ? at->p->repeat.draws : paper_curve_draws(at->p);
}

int paper_cell_of(bonsai_cell *out, int *draws, const place *at, const bn_json *col)
{
    const bn_json *method = paper_method_of(at);
    const char *words = words_of(at, col, method);
    if (!*words)
        return 0;
    *out = strcmp(words, "full") == 0 ? cell_for(at, 0, 100, FULL)
           : strncmp(words, "pairs ", 6) == 0 ? pairs_cell(at, words + 6) : made_cell(at, words);
    *draws = draws_of(at, paper_text(col, "source"), method, out);
    return 1;
}

const bonsai_cell *paper_cell_at(const place *at, const bn_json *col)
{
    bonsai_cell like;
    int draws;
    return paper_cell_of(&like, &draws, at, col) ? paper_measured(at->p, &like) : NULL;
}

const bonsai_cell *paper_method_cell(place at, const char *method, const char *source)
{
    at.item = paper_named(paper_described("methods"), "method", method);
    return paper_cell_at(&at, paper_named(paper_described("columns"), "key", source));
}

/* Finds the published figure.  Accuracies are published for each ratio and network, other figures
 * for the dataset alone. */
int paper_figure_of(published *out, const place *at, const bn_json *col)
{
    const bn_json *method = bn_json_get(at->item, "component") ? NULL : paper_method_of(at);
    const char *set = at->p->sets[at->set].is->name;
    const char *name = method ? paper_text(method, "published")
                       : at->item ? paper_text(at->item, "component") : paper_text(col, "figure");
    if (!*name)
        return 0;
    if (bn_json_get(at->table, "figures"))
        return paper_says(out, paper_text(at->table, "figures"), set, 0, "", name);
    return paper_says(out, at->model == BONSAI_MODEL_GCN ? "accuracy" : "models", set,
                      paper_is_full(method) ? 100 : at->ratio, bonsai_model_name(at->model), name);
}

int paper_compares(const place *at, const bonsai_cell *c)
{
    const bn_json *method = paper_method_of(at);
    return c && (!is_true(method, "learns") || at->p->effort >= 1) &&
           (c->unit != BONSAI_UNIT_RUN || is_fixed(c));
}
