/* compare.c -- a whole table: methods by ratios by models, and the full graph, in each split.
 *
 * SPDX-License-Identifier: MIT */
#include "condense/condense.h"
#include "options/options.h"

static bonsai_status need_list(const void *list, int count, int least, const char *what)
{
    if (count < least)
        return bn_fail(BONSAI_E_ARGUMENT, "the number of %s to compare is %d; it must be at least "
                       "%d", what, count, least);
    if (count > 0 && !list)
        return bn_fail(BONSAI_E_ARGUMENT, "%d %s to compare, but no list of them", count, what);
    return BONSAI_OK;
}

static bonsai_status check_lists(int64_t *cells, const bonsai_compare_options *o)
{
    bonsai_status rc;
    int64_t small = 0;
    BN_TRY(need_list(o->methods, o->method_count, 0, "methods"));
    BN_TRY(need_list(o->ratios, o->ratio_count, 0, "ratios"));
    BN_TRY(need_list(o->models, o->model_count, 1, "models"));
    for (int i = 0; i < o->method_count; i++)
        if (!bonsai_method_name(o->methods[i]))
            return bn_fail(BONSAI_E_ARGUMENT, "method %d is not known", (int)o->methods[i]);
    for (int i = 0; i < o->ratio_count; i++)
        BN_TRY(bn_request_ratio(o->ratios[i]));
    for (int i = 0; i < o->model_count; i++)
        if (!bonsai_model_name(o->models[i]))
            return bn_fail(BONSAI_E_ARGUMENT, "model %d is not known", (int)o->models[i]);
    if (!bn_mul(&small, o->method_count, (int64_t)o->ratio_count * o->draws) ||
        !bn_mul(&small, small + 1, (int64_t)o->model_count * o->splits))
        BN_TRY(bn_fail(BONSAI_E_ARGUMENT, "%d methods, %d ratios, %d models, %d splits and %d "
                       "draws make too many cells", o->method_count, o->ratio_count, o->model_count,
                       o->splits, o->draws));
    *cells = small;
done:
    return rc;
}

int64_t bonsai_compare_count(const bonsai_compare_options *given)
{
    bonsai_compare_options o;
    int64_t cells = 0;
    if (BN_OPTIONS(&o, given, compare) != BONSAI_OK || check_lists(&cells, &o) != BONSAI_OK)
        return -1;
    return cells;
}

/* Returns cell i of the table. */
static bonsai_cell asked(const bonsai_compare_options *o, int64_t i)
{
    bonsai_cell c = bn_cell_empty;
    const int64_t small = (int64_t)o->method_count * o->draws * o->ratio_count;
    int64_t row = i / o->model_count % (1 + small) - 1;         /* -1: the full graph */
    c.model = o->models[i % o->model_count];
    c.split = (int)(i / o->model_count / (1 + small));
    if (row >= 0) {
        c.ratio = o->ratios[row % o->ratio_count];
        c.draw = (int)(row / o->ratio_count % o->draws);
        c.method = (int)o->methods[row / o->ratio_count / o->draws];
    }
    return c;
}

static void give_cell(bonsai_cell *cells, size_t size, int64_t i, const bonsai_cell *c)
{
    bonsai_cell *to = (bonsai_cell *)((char *)cells + (size_t)i * size);
    bonsai_cell_init_sized(to, size);
    bn_result_fill(to, c);
}

bonsai_status bonsai_compare_cells_sized(bonsai_cell *cells, size_t size,
                                         const bonsai_compare_options *given)
{
    bonsai_status rc;
    bonsai_compare_options o;
    int64_t count;
    BN_TRY(BN_OPTIONS(&o, given, compare));
    BN_TRY(check_lists(&count, &o));
    if (bn_is_null(cells, "the array of bonsai_cell"))
        return BONSAI_E_ARGUMENT;
    for (int64_t i = 0; i < count; i++) {
        const bonsai_cell c = asked(&o, i);
        give_cell(cells, size, i, &c);
    }
done:
    return rc;
}

static bool is_asked(const bonsai_cell *c, const bonsai_cell *is)
{
    return c->method == is->method && c->model == is->model && c->ratio == is->ratio &&
           c->study == is->study && c->setting == is->setting && c->split == is->split &&
           c->draw == is->draw;
}

static bonsai_status check_cells(const bonsai_cell *cells, int64_t count,
                                 const bonsai_compare_options *o)
{
    for (int64_t i = 0; i < count; i++) {
        const bonsai_cell is = asked(o, i);
        if (!is_asked(&cells[i], &is))
            return bn_fail(BONSAI_E_ARGUMENT, "cell %lld is not as bonsai_compare_cells made it",
                           (long long)i);
    }
    return BONSAI_OK;
}

bonsai_status bonsai_compare(bonsai_cell *cells, const bonsai_graph *g,
                             const bonsai_compare_options *given)
{
    bonsai_status rc;
    bonsai_compare_options o;
    bonsai_cell *ours = NULL;
    int64_t count;
    BN_TRY(BN_OPTIONS(&o, given, compare));
    BN_TRY(check_lists(&count, &o));
    BN_TRY(bn_structs_read((void **)&ours, &bn_cell_empty, cells, count, "bonsai_cell"));
    BN_TRY(check_cells(ours, count, &o));
    BN_TRY(bonsai_study_run(cells, count, g, given));
done:
    bn_free(ours);
    return rc;
}
