/* means.c -- how sure a table is: means over splits and draws, and methods in pairs.
 *
 * Runs of one small graph differ in their weights alone, and draws of one split share its test
 * nodes; so the error of a mean is that of its widest unit.  A pair of methods has the same split
 * and draw on both sides, whose part in the accuracy cancels out.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "graph/graph.h"

typedef struct {
    const bonsai_cell *cells;
    int64_t count;
    double *value;              /* room for one of each cell */
    int     values;
} sample;

static bool is_like(const bonsai_cell *c, const bonsai_cell *like)
{
    return c->study == like->study && c->method == like->method && c->model == like->model &&
           c->ratio == like->ratio && c->setting == like->setting && c->pairs == like->pairs &&
           c->nearest == like->nearest;
}

static bool counts(const bonsai_cell *c, const bonsai_cell *like)
{
    return is_like(c, like) && c->done && c->runs > 0;
}

static double mean_of(const sample *s)
{
    double sum = 0;
    for (int i = 0; i < s->values; i++)
        sum += s->value[i];
    return sum / s->values;
}

static double error_of(const sample *s)
{
    double mean = mean_of(s), squares = 0;
    for (int i = 0; i < s->values; i++)
        squares += (s->value[i] - mean) * (s->value[i] - mean);
    return s->values > 1 ? sqrt(squares / (s->values - 1) / s->values) : NAN;
}

static bonsai_status sample_new(sample *s, const bonsai_cell *given, int64_t count)
{
    bonsai_status rc;
    bonsai_cell *cells = NULL;
    BN_TRY(bn_structs_read((void **)&cells, &bn_cell_empty, given, count, "bonsai_cell"));
    s->cells = cells;
    s->count = count;
    BN_TRY(BN_NEW(&s->value, count));
done:
    return rc;
}

static void sample_free(sample *s)
{
    bn_free((void *)s->cells);
    bn_free(s->value);
}

/* ---- one method ---------------------------------------------------------- */

static int unit_number(const bonsai_cell *c, bonsai_unit unit)
{
    return unit == BONSAI_UNIT_SPLIT ? c->split : unit == BONSAI_UNIT_DRAW ? c->draw : 0;
}

/* The mean over cells of each unit. */
static void sample_units(sample *s, const bonsai_cell *like, bonsai_unit unit)
{
    s->values = 0;
    for (int64_t i = 0; i < s->count; i++) {
        double sum = 0;
        int cells = 0, earlier = 0;
        for (int64_t k = 0; counts(&s->cells[i], like) && k < s->count && !earlier; k++)
            if (counts(&s->cells[k], like) &&
                unit_number(&s->cells[k], unit) == unit_number(&s->cells[i], unit)) {
                earlier = k < i;
                sum += s->cells[k].accuracy_mean;
                cells++;
            }
        if (cells > 0 && !earlier)
            s->value[s->values++] = sum / cells;
    }
}

/* The deviation of all runs, which the merged cell counts: within cells, and of the cells around
 * their common mean. */
static double deviation_of(const sample *s, const bonsai_cell *like)
{
    double mean = 0, squares = 0;
    const int runs = like->runs;
    for (int64_t i = 0; i < s->count; i++)
        if (counts(&s->cells[i], like))
            mean += s->cells[i].runs * s->cells[i].accuracy_mean / runs;
    for (int64_t i = 0; i < s->count; i++) {
        const bonsai_cell *c = &s->cells[i];
        double d = c->accuracy_mean - mean;
        if (counts(c, like))
            squares += (c->runs - 1) * c->accuracy_std * c->accuracy_std + c->runs * d * d;
    }
    return runs > 1 ? sqrt(squares / (runs - 1)) : 0;
}

/* Adds to what is summed or averaged. */
static void add(bonsai_cell *to, const bonsai_cell *c)
{
    to->runs += c->runs;
    to->bytes += c->bytes;
    to->share += c->share;
    to->nodes += c->nodes;
    to->edges += c->edges;
    to->labelled += c->labelled;
    to->seconds_condense += c->seconds_condense;
    to->seconds_train += c->seconds_train;
    to->seconds_eval += c->seconds_eval;
    to->seconds_wl += c->seconds_wl;
    to->seconds_knn += c->seconds_knn;
    to->seconds_cover += c->seconds_cover;
    to->seconds_sparsify += c->seconds_sparsify;
}

static void average(bonsai_cell *to, int64_t cells)
{
    int64_t *whole[] = {&to->nodes, &to->edges, &to->labelled};
    double *part[] = {&to->bytes, &to->share, &to->seconds_condense, &to->seconds_wl,
                      &to->seconds_knn, &to->seconds_cover, &to->seconds_sparsify};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        *whole[i] = (*whole[i] + cells / 2) / cells;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        *part[i] /= (double)cells;
    to->bytes = floor(to->bytes + 0.5);
}

static void merge_accuracy(bonsai_cell *to, sample *s)
{
    sample_units(s, to, to->unit = BONSAI_UNIT_SPLIT);
    if (s->values == 1)
        sample_units(s, to, to->unit = BONSAI_UNIT_DRAW);
    to->units = s->values;
    to->accuracy_mean = mean_of(s);
    to->accuracy_error = error_of(s);
    to->accuracy_std = deviation_of(s, to);
}

/* Several cells, of which some were measured. */
static bonsai_cell merged(sample *s, const bonsai_cell *like)
{
    bonsai_cell to = {.size = sizeof to, .study = like->study, .method = like->method,
                      .model = like->model, .ratio = like->ratio, .setting = like->setting,
                      .pairs = like->pairs, .nearest = like->nearest, .split = -1, .draw = -1,
                      .done = 1};
    int64_t cells = 0;
    for (int64_t i = 0; i < s->count; i++)
        if (counts(&s->cells[i], like)) {
            add(&to, &s->cells[i]);
            cells++;
        }
    average(&to, cells);
    merge_accuracy(&to, s);
    return to;
}

bonsai_status bonsai_cells_merge(bonsai_cell *out, const bonsai_cell *cells, int64_t count,
                                 const bonsai_cell *like)
{
    bonsai_status rc;
    sample s = {0};
    bonsai_cell asked, to;
    const bonsai_cell *one = NULL;
    int64_t measured = 0;
    BN_TRY(bn_result_check(out, "bonsai_cell"));
    BN_TRY(sample_new(&s, cells, count));
    BN_TRY(bn_options_merge(&asked, &bn_cell_empty, sizeof asked, like, "bonsai_cell"));
    for (int64_t i = 0; i < count; i++) {
        const bonsai_cell *c = &s.cells[i];
        measured += counts(c, &asked);
        if (is_like(c, &asked) && (!one || one->runs == 0))
            one = c;
    }
    if (!one)
        BN_TRY(bn_fail(BONSAI_E_ARGUMENT, "none of the %lld cells is like the one asked for",
                       (long long)count));
    to = measured > 1 ? merged(&s, &asked) : *one;
    bn_result_fill(out, &to);
done:
    sample_free(&s);
    return rc;
}

/* ---- two methods --------------------------------------------------------- */

/* The cell to set beside c; NULL: none was measured. */
static const bonsai_cell *partner(const sample *s, const bonsai_cell *c, const bonsai_cell *like)
{
    for (const bonsai_cell *d = s->cells; d < s->cells + s->count; d++)
        if (counts(d, like) && d->split == c->split &&
            (d->draw == c->draw || d->method < 0 || c->method < 0))
            return d;
    return NULL;
}

/* a has as many draws as b, or more. */
static bonsai_difference between(sample *s, const bonsai_cell *a, const bonsai_cell *b)
{
    bonsai_difference d = {.size = sizeof d, .error = NAN};
    for (const bonsai_cell *c = s->cells; c < s->cells + s->count; c++) {
        const bonsai_cell *other = counts(c, a) ? partner(s, c, b) : NULL;
        if (!other)
            continue;
        s->value[s->values++] = c->accuracy_mean - other->accuracy_mean;
        d.error = hypot(c->accuracy_error, other->accuracy_error);
    }
    d.pairs = s->values;
    if (d.pairs == 0)
        return d;
    d.difference = mean_of(s);
    d.error = d.pairs > 1 ? error_of(s) : d.error;
    d.verdict = (d.difference > 2 * d.error) - (d.difference < -2 * d.error);
    return d;
}

bonsai_status bonsai_cells_difference(bonsai_difference *out, const bonsai_cell *cells,
                                      int64_t count, const bonsai_cell *a, const bonsai_cell *b)
{
    bonsai_status rc;
    sample s = {0};
    bonsai_cell one, other;
    BN_TRY(bn_result_check(out, "bonsai_difference"));
    BN_TRY(sample_new(&s, cells, count));
    BN_TRY(bn_options_merge(&one, &bn_cell_empty, sizeof one, a, "bonsai_cell"));
    BN_TRY(bn_options_merge(&other, &bn_cell_empty, sizeof other, b, "bonsai_cell"));
    bool turned = one.method < 0;
    bonsai_difference d = turned ? between(&s, &other, &one) : between(&s, &one, &other);
    d.difference = turned ? -d.difference : d.difference;
    d.verdict = turned ? -d.verdict : d.verdict;
    bn_result_fill(out, &d);
done:
    sample_free(&s);
    return rc;
}
