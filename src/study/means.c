/* means.c -- how sure a table is: means over splits and draws, and methods in pairs.
 *
 * Runs of one small graph differ in their weights alone, and draws of one split share its test
 * nodes; so the error of a mean is that of its widest unit.  A pair of methods has the same split
 * and draw on both sides, whose part in the accuracy cancels out.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "study.h"
#include "graph/graph.h"
#include "options/options.h"

typedef struct {
    const bonsai_cell *cells;
    int64_t count;
    bonsai_metric metric;       /* that is looked at */
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

/* Returns the mean of a metric; callers who know accuracies alone have no other. */
static double mean_at(const bonsai_cell *c, bonsai_metric m)
{
    return m == BONSAI_METRIC_ACCURACY ? c->accuracy_mean : c->metric_mean[m];
}

static double std_at(const bonsai_cell *c, bonsai_metric m)
{
    return m == BONSAI_METRIC_ACCURACY ? c->accuracy_std : c->metric_std[m];
}

static double error_at(const bonsai_cell *c, bonsai_metric m)
{
    return m == BONSAI_METRIC_ACCURACY ? c->accuracy_error : c->metric_error[m];
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
    for (int64_t i = 0; i < count; i++)
        if ((unsigned)cells[i].metric >= BONSAI_METRIC_COUNT)
            BN_TRY(bn_fail(BONSAI_E_ARGUMENT, "cell %lld has no valid metric", (long long)i));
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

/* Fills the values with the mean over the cells of each unit. */
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
                sum += mean_at(&s->cells[k], s->metric);
                cells++;
            }
        if (cells > 0 && !earlier)
            s->value[s->values++] = sum / cells;
    }
}

/* Returns the deviation of all runs, which the merged cell counts: within cells, and of the
 * cells around their common mean. */
static double deviation_of(const sample *s, const bonsai_cell *like)
{
    double mean = 0, squares = 0;
    const int runs = like->runs;
    for (int64_t i = 0; i < s->count; i++)
        if (counts(&s->cells[i], like))
            mean += s->cells[i].runs * mean_at(&s->cells[i], s->metric) / runs;
    for (int64_t i = 0; i < s->count; i++) {
        const bonsai_cell *c = &s->cells[i];
        double d = mean_at(c, s->metric) - mean, std = std_at(c, s->metric);
        if (counts(c, like))
            squares += (c->runs - 1) * std * std + c->runs * d * d;
    }
    return runs > 1 ? sqrt(squares / (runs - 1)) : 0;
}

/* Adds the fields that are summed or averaged. */
static void add(bonsai_cell *to, const bonsai_cell *c)
{
    to->runs += c->runs;
    to->bytes += c->bytes;
    to->share += c->share;
    to->seconds_train += c->seconds_train;
    to->seconds_eval += c->seconds_eval;
    bn_cell_add(to, c);
}

static void average(bonsai_cell *to, int64_t cells)
{
    bn_cell_divide(to, cells);
    to->share /= (double)cells;
    to->bytes = floor(to->bytes / (double)cells + 0.5);
    to->strict_bytes = floor(to->strict_bytes + 0.5);
}

static bool is_defined(const sample *s, const bonsai_cell *like)
{
    for (int64_t i = 0; i < s->count; i++)
        if (counts(&s->cells[i], like) && mean_at(&s->cells[i], s->metric) < 0)
            return false;
    return true;
}

static void merge_metric(bonsai_cell *to, sample *s, int m)
{
    s->metric = (bonsai_metric)m;
    sample_units(s, to, to->unit = BONSAI_UNIT_SPLIT);
    if (s->values == 1)
        sample_units(s, to, to->unit = BONSAI_UNIT_DRAW);
    to->units = s->values;
    const bool defined = is_defined(s, to);
    to->metric_mean[m] = defined ? mean_of(s) : -1;
    to->metric_error[m] = defined ? error_of(s) : NAN;
    to->metric_std[m] = defined ? deviation_of(s, to) : 0;
}

static void merge_metrics(bonsai_cell *to, sample *s)
{
    for (int m = 0; m < BONSAI_METRIC_ROOM; m++)
        merge_metric(to, s, m);
    to->accuracy_mean = to->metric_mean[BONSAI_METRIC_ACCURACY];
    to->accuracy_error = to->metric_error[BONSAI_METRIC_ACCURACY];
    to->accuracy_std = to->metric_std[BONSAI_METRIC_ACCURACY];
}

/* Returns several cells as one, of which some were measured. */
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
            to.metric = s->cells[i].metric;
            cells++;
        }
    average(&to, cells);
    merge_metrics(&to, s);
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
    if (bn_is_null(like, "the cell asked for"))
        return BONSAI_E_ARGUMENT;
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

/* Returns the cell to set beside c, or NULL if none was measured. */
static const bonsai_cell *partner(const sample *s, const bonsai_cell *c, const bonsai_cell *like)
{
    for (const bonsai_cell *d = s->cells; d < s->cells + s->count; d++)
        if (counts(d, like) && d->split == c->split &&
            (d->draw == c->draw || d->method < 0 || c->method < 0))
            return d;
    return NULL;
}

/* Compares a with b, of which a has as many draws or more. */
static bonsai_difference between(sample *s, const bonsai_cell *a, const bonsai_cell *b)
{
    bonsai_difference d = {.size = sizeof d, .error = NAN};
    for (const bonsai_cell *c = s->cells; c < s->cells + s->count; c++) {
        const bonsai_cell *other = counts(c, a) ? partner(s, c, b) : NULL;
        if (!other)
            continue;
        s->value[s->values++] = mean_at(c, c->metric) - mean_at(other, c->metric);
        d.error = hypot(error_at(c, c->metric), error_at(other, c->metric));
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
    if (bn_is_null(a, "the first cell") || bn_is_null(b, "the second cell"))
        return BONSAI_E_ARGUMENT;
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
