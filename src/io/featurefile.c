/* featurefile.c -- reads the file of features.
 *
 * Dense rows are collected in file order and sorted into node order at the end, so memory depends
 * on what was read, not on what the file announces.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "companion.h"

typedef struct {
    bn_table t;
    bn_companions *c;
    bool     ids;               /* in the column id_at */
    int64_t  id_at;
    bool     lists;             /* the ids list the nodes */
    bool     again;
    bool     beyond;            /* a node is not among those that the labels list */
    bool     values;            /* triplets have values */
    int64_t  rows, columns, nnz;
    float   *x;                 /* (rows, columns), or nnz values */
    int32_t *node, *feature;    /* of each row or value */
    int64_t  x_capacity, node_capacity, feature_capacity;
    bn_head_names names;
} reader;

static bool is_number_at(const reader *r, int record, int64_t column)
{
    const bn_field f = bn_cell(&r->t, record, column);
    double v;
    return bn_field_value(&f, &v);
}

/* Finds out from the first records if there is a header, ids or triplets. */
static void find_kind(reader *r)
{
    const bn_field first = bn_cell(&r->t, 0, 0), second = bn_cell(&r->t, 0, 1);
    const bn_field third = bn_cell(&r->t, 0, 2), below = bn_cell(&r->t, 1, 0);
    const int64_t columns = r->t.record[0].count;
    bool numbers = false;
    for (int64_t i = 0; i < columns && !numbers; i++)
        numbers = is_number_at(r, 0, i);
    r->ids = bn_is_id_name(&first, true) || bn_field_is(&first, "name");
    r->c->sparse = r->ids && bn_field_is(&second, "feature");
    r->values = r->c->sparse && bn_field_is(&third, "value");
    r->c->sparse &= columns == 2 + r->values;
    r->t.header = r->ids || !numbers;
    if (numbers)
        r->ids |= !is_number_at(r, 0, 0);
    else if (!r->ids)                   /* text below a name: ids */
        r->ids = below.len > 0 && r->t.record[1].count > 1 && !is_number_at(r, 1, 0);
    if (r->c->shared) {
        r->t.header = true;
        r->ids = r->c->id >= 0;
        r->id_at = r->c->id;
        r->c->sparse = false;
    }
}

/* Returns whether a column is none of the features of a table that is read for both. */
static bool is_label(const bn_companions *c, int64_t column)
{
    return c->shared && (column == c->label || column == c->split);
}

/* Adds the names that the header gives to the features, unless comments gave names. */
static bonsai_status name_features(reader *r)
{
    bonsai_status rc = BONSAI_OK;
    if (!r->t.header || r->c->sparse || r->names.text)
        return rc;
    bn_table_start(&r->t);
    for (int64_t i = 0; i < r->t.record[0].count; i++) {
        const bn_field f = bn_cell(&r->t, 0, i);
        if (!(r->ids && i == r->id_at) && !is_label(r->c, i))
            BN_TRY(bn_head_names_add(&r->names, &r->t.l, &f, false));
    }
done:
    return rc;
}

static bonsai_status start(reader *r, bn_companions *c)
{
    bonsai_status rc;
    BN_TRY(bn_table_open(&r->t, c->features));
    r->t.l.hint = ": features are numbers, such as 1 and 0 for yes and no, and one column of them "
                  "for each of several words; a column of ids is the first and is called id";
    BN_TRY(bn_head_names_read(&r->names, &r->t.l, "feature"));
    if (r->t.record[0].count > 0)
        find_kind(r);
    else if (c->announced_features < 0)
        return bn_fail_at(BONSAI_E_FORMAT, c->features, "is empty or has only comments");
    r->t.in_order = !r->ids;
    BN_TRY(name_features(r));
done:
    return rc;
}

static bonsai_status give_names(reader *r, bn_draft *d)
{
    if (!r->names.text || d->features == 0)
        return BONSAI_OK;
    if (r->names.count != d->features)
        return bn_fail_at(BONSAI_E_FORMAT, r->t.l.path, "names %lld features, but has %lld",
                          (long long)r->names.count, (long long)d->features);
    return bn_draft_give(d, BONSAI_SECTION_FEATURE_NAMES, BONSAI_TYPE_U8, (void **)&r->names.text,
                         r->names.len);
}

static bonsai_status read_id(reader *r)
{
    bonsai_status rc;
    bn_field f;
    BN_TRY(bn_field_next(&r->t.l, &f));
    if (r->lists) {
        BN_TRY(bn_nodes_list(&r->c->nodes, &r->t.l, &f, &r->again));
    } else if (r->c->extends && !bn_nodes_have(&r->c->nodes, &f)) {
        r->beyond = true;
    } else {
        BN_TRY(bn_grow((void **)&r->node, &r->node_capacity, r->rows + 1, sizeof *r->node));
        BN_TRY(bn_nodes_find(&r->node[r->rows], &r->c->nodes, &r->t.l, &f));
    }
done:
    return rc;
}

/* ---- cells that are no numbers ---- */

/* Returns the name of a feature; empty if it has none. */
static bn_field name_of(const reader *r, int64_t feature)
{
    const char *name = r->names.text;
    if (feature >= r->names.count)
        return (bn_field){"", 0, false};
    while (feature-- > 0)
        name += strlen(name) + 1;
    return (bn_field){name, (int64_t)strlen(name), false};
}

static bool is_missing(const bn_field *f)
{
    return f->len == 0 || bn_field_is(f, "nan") || bn_field_is(f, "na") || bn_field_is(f, "n/a") ||
           bn_field_is(f, "null") || bn_field_is(f, "none");
}

/* Returns whether a cell is a number like 50285,0. */
static bool has_decimal_comma(const bn_field *f)
{
    char text[64];
    double v;
    if (f->len >= (int64_t)sizeof text)
        return false;
    memcpy(text, f->text, (size_t)f->len);
    char *comma = memchr(text, ',', (size_t)f->len);
    if (!comma)
        return false;
    *comma = '.';
    return bn_field_real(&(bn_field){text, f->len, false}, &v);
}

/* Returns the first feature, from 1, that is called a label; 0 if none is. */
static int64_t label_among(const reader *r)
{
    const char *name = r->names.text;
    for (int64_t j = 0; r->t.header && name && j < r->names.count; j++, name += strlen(name) + 1)
        if (bn_is_label_name(&(bn_field){name, (int64_t)strlen(name), false}))
            return j + 1;
    return 0;
}

/* Returns whether the header has no name for the first column, which is a feature. */
static bool is_unnamed(const reader *r)
{
    return r->t.header && r->names.count > 0 && !*r->names.text && !(r->ids && r->id_at == 0);
}

/* Fails because of the next cell. */
static bonsai_status refuse_cell(reader *r, int64_t feature, int64_t column)
{
    bonsai_status rc;
    bn_lines *l = &r->t.l;
    bn_field f;
    const bn_field name = name_of(r, feature);
    char where[64], cell[128], both[1024];
    if (name.len > 0)
        snprintf(where, sizeof where, "column \"%.*s\"", bn_field_show(&name), name.text);
    else
        snprintf(where, sizeof where, "column %lld", (long long)column + 1);
    BN_TRY(bn_field_next(l, &f));
    if (is_missing(&f) && !bn_is_label_name(&name))
        return bn_lines_fail(l, "the value in %s is missing (\"%.*s\"): fill it, for example with "
                             "the mean of the column, or 0", where, bn_field_show(&f), f.text);
    snprintf(cell, sizeof cell, "\"%.*s\" in %s is not a finite number", bn_field_show(&f), f.text,
             where);
    if (has_decimal_comma(&f))
        return bn_lines_fail(l, "%s: write numbers with a decimal point, and nothing between "
                             "thousands", cell);
    if (bn_is_label_name(&name))
        return bn_lines_fail(l, "%s: if these are the labels, give the same file for both, %s",
                             cell, bn_both_text(both, sizeof both, r->c->o, l->path));
    if (is_unnamed(r))
        return bn_lines_fail(l, "%s, and the first column has no name, as where pandas wrote its "
                             "index: leave that out with to_csv(index=False), so that the ids come "
                             "first", cell);
    rc = bn_lines_fail(l, "%s%s", cell, l->hint);
done:
    return rc;
}

/* ---- rows ---- */

static bonsai_status read_row(reader *r)
{
    bonsai_status rc = BONSAI_OK;
    int64_t at = r->rows * r->columns, first = at;
    bn_field f;
    for (int64_t i = 0; r->t.l.more; i++) {
        if (r->ids && i == r->id_at) {
            BN_TRY(read_id(r));
        } else if (is_label(r->c, i)) {
            BN_TRY(bn_field_next(&r->t.l, &f));
        } else {
            BN_TRY(bn_grow((void **)&r->x, &r->x_capacity, at + 1, sizeof *r->x));
            if (!bn_real_try(&r->t.l, r->x + at))
                return refuse_cell(r, at - first, i);
            at++;
        }
    }
    if (r->rows == 0)
        r->columns = at - first;
    if (at - first != r->columns)
        rc = bn_lines_fail(&r->t.l, "%lld features where the first row has %lld",
                           (long long)(at - first), (long long)r->columns);
done:
    return rc;
}

static bonsai_status read_rows(reader *r)
{
    bonsai_status rc;
    if (r->lists)
        bn_nodes_reset(&r->c->nodes, r->c->nodes.kind);
    r->rows = r->columns = 0;
    r->again = false;
    for (bn_table_start(&r->t); !r->again && !r->beyond && bn_table_next(&r->t, &rc); r->rows++)
        BN_TRY(read_row(r));
    if (rc == BONSAI_OK && r->rows == 0 && r->t.header && r->c->announced_features < 0)
        rc = bn_fail_at(BONSAI_E_FORMAT, r->t.l.path, "has a header but no rows: put a row for "
                        "each node below it");
done:
    return rc;
}

static bonsai_status second_row(reader *r, int64_t row)
{
    char id[48];
    bn_table_start(&r->t);
    for (int64_t i = 0; i <= row; i++)
        bn_lines_next(&r->t.l);
    return bn_lines_fail(&r->t.l, "a second row for node \"%s\"",
                         bn_nodes_show(id, sizeof id, &r->c->nodes, r->node[row]));
}

/* Fails unless each node has one row. */
static bonsai_status check_rows(reader *r)
{
    bonsai_status rc;
    const bn_nodes *nodes = &r->c->nodes;
    char id[48];
    uint8_t *seen = NULL;
    BN_TRY(BN_NEW(&seen, nodes->n));
    for (int64_t i = 0; i < r->rows && rc == BONSAI_OK; i++)
        if (seen[r->node[i]]++)
            rc = second_row(r, i);
    for (int64_t v = 0; v < nodes->n && rc == BONSAI_OK; v++)
        if (!seen[v])
            rc = bn_fail_at(BONSAI_E_FORMAT, r->t.l.path, "has no row for node \"%s\", which %s "
                            "lists", bn_nodes_show(id, sizeof id, nodes, v), nodes->listed);
done:
    bn_free(seen);
    return rc;
}

/* Sorts rows with ids into node order. */
static bonsai_status sort_rows(reader *r)
{
    bonsai_status rc;
    float *sorted = NULL;
    int64_t f = r->columns;
    BN_TRY(check_rows(r));
    BN_TRY(BN_NEW(&sorted, r->rows * f));
    for (int64_t i = 0; i < r->rows && f > 0; i++)
        memcpy(sorted + r->node[i] * f, r->x + i * f, (size_t)f * sizeof *sorted);
    bn_free(r->x);
    r->x = sorted;
    sorted = NULL;
done:
    bn_free(sorted);
    return rc;
}

/* Returns whether a column holds each of 0 .. n-1 once, in another order.  seen has n zeros, or
 * leavings of columns before: marks of this column are `mark`. */
static bool is_permuted(const float *x, int64_t n, int64_t columns, int32_t *seen, int32_t mark)
{
    bool moved = false;
    for (int64_t v = 0; v < n; v++) {
        const float at = x[v * columns];
        if (!(at >= 0 && at < (float)n) || at != (float)(int64_t)at || seen[(int64_t)at] == mark)
            return false;
        seen[(int64_t)at] = mark;
        moved |= (int64_t)at != v;
    }
    return moved;
}

/* Finds the first column, from 1, that holds each of 0 .. n-1 once, in another order than the rows;
 * 0 if none does, or there are few rows. */
static bonsai_status find_id_column(int64_t *out, const float *x, int64_t n, int64_t columns)
{
    bonsai_status rc;
    int32_t *seen = NULL;
    const int64_t exact = 1 << 24;              /* floats hold whole numbers up to here */
    *out = 0;
    if (n < 8 || n > exact)                     /* a few numbers may be different by chance */
        return BONSAI_OK;
    BN_TRY(BN_NEW(&seen, n));
    for (int64_t i = 0; i < columns && *out == 0; i++)
        if (is_permuted(x + i, n, columns, seen, (int32_t)i + 1))
            *out = i + 1;
done:
    bn_free(seen);
    return rc;
}

static void warn_label(const reader *r, const bn_draft *d, int64_t column)
{
    const bn_field name = name_of(r, column - 1);
    const bonsai_read_options *o = r->c->o;
    char features[32], labels[32];
    bn_warn(o, BONSAI_WARNING_LABEL_COLUMN, d->g->where, column, name.text, "column %s of the "
            "features was read as a feature: if it is the label, leave it out, or give the same "
            "table for %s and %s; else models see the answer", name.text,
            bn_option_text(features, sizeof features, o, "features", NULL),
            bn_option_text(labels, sizeof labels, o, "labels", NULL));
}

static void warn_ids(const reader *r, const bn_draft *d, int64_t column)
{
    const bn_field name = name_of(r, column - 1);
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)column);
    bn_warn(r->c->o, BONSAI_WARNING_ID_COLUMN, d->g->where, column, name.text, "column %s of the "
            "features holds each of 0..%lld once, in another order than the rows, but was read as "
            "a feature: if it is the id of the nodes, make it the first column and call it id",
            *name.text ? name.text : number, (long long)r->rows - 1);
}

static bonsai_status read_dense(reader *r, bn_draft *d)
{
    bonsai_status rc;
    bn_nodes *nodes = &r->c->nodes;
    int64_t n = nodes->n, id = 0;
    r->lists = r->ids && !r->c->listed;
    do
        BN_TRY(read_rows(r));
    while (r->again);
    if (r->beyond)
        return BONSAI_OK;
    if (r->ids && !r->lists)
        BN_TRY(sort_rows(r));
    if (n >= 0 && r->rows != n) {
        rc = bn_fail_at(BONSAI_E_FORMAT, r->t.l.path, "%lld rows of features for %lld nodes of "
                        "%s%s", (long long)r->rows, (long long)n, nodes->listed,
                        r->ids ? "" : ": a first column called id says whose each row is");
        goto done;
    }
    nodes->n = r->rows;
    if (n < 0 || r->lists)
        nodes->listed = r->c->features;
    d->features = r->columns;
    if (r->c->announced_features >= 0 && r->rows == 0)
        d->features = r->c->announced_features;
    if (r->c->announced_features >= 0 && d->features != r->c->announced_features) {
        rc = bn_fail_at(BONSAI_E_FORMAT, r->t.l.path, "%lld features, but %lld were announced",
                        (long long)d->features, (long long)r->c->announced_features);
        goto done;
    }
    if (!r->ids)
        BN_TRY(find_id_column(&id, r->x, r->rows, r->columns));
    const int64_t label = label_among(r);
    if (label > 0)
        warn_label(r, d, label);
    if (id > 0)
        warn_ids(r, d, id);
    if (d->features > 0)
        BN_TRY(bn_draft_give(d, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, (void **)&r->x,
                             r->rows * r->columns));
done:
    return rc;
}

static bonsai_status read_triplet(reader *r)
{
    bonsai_status rc;
    bn_field f;
    int64_t feature;
    float value = 1.0f;
    BN_TRY(bn_grow((void **)&r->node, &r->node_capacity, r->nnz + 1, sizeof *r->node));
    BN_TRY(bn_grow((void **)&r->feature, &r->feature_capacity, r->nnz + 1, sizeof *r->feature));
    BN_TRY(bn_field_next(&r->t.l, &f));
    BN_TRY(bn_nodes_find(&r->node[r->nnz], &r->c->nodes, &r->t.l, &f));
    BN_TRY(bn_int_next(&r->t.l, &feature));
    int64_t end = r->c->announced_features >= 0 ? r->c->announced_features : INT32_MAX;
    if (feature < 0 || feature >= end)
        return bn_lines_fail(&r->t.l, "feature %lld is outside 0..%lld", (long long)feature,
                             (long long)end - 1);
    if (r->values) {
        BN_TRY(bn_real_next(&r->t.l, &value));
        BN_TRY(bn_grow((void **)&r->x, &r->x_capacity, r->nnz + 1, sizeof *r->x));
        r->x[r->nnz] = value;
    }
    if (r->t.l.more)
        return bn_lines_fail(&r->t.l, "more than %d columns", 2 + r->values);
    r->feature[r->nnz++] = (int32_t)feature;
    r->columns = feature >= r->columns ? feature + 1 : r->columns;
done:
    return rc;
}

/* Makes rows from triplets in any order; the draft sorts within rows. */
static bonsai_status lay_sparse(reader *r, bn_draft *d)
{
    bonsai_status rc;
    uint64_t *offsets;
    int32_t *index;
    float *value = NULL;
    int64_t n = r->c->nodes.n;
    BN_TRY(bn_draft_array(&offsets, d, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, n + 1));
    BN_TRY(bn_draft_array(&index, d, BONSAI_SECTION_FEATURE_INDICES, BONSAI_TYPE_U32, r->nnz));
    if (r->values)
        BN_TRY(bn_draft_array(&value, d, BONSAI_SECTION_FEATURE_VALUES, BONSAI_TYPE_F32, r->nnz));
    for (int64_t i = 0; i < r->nnz; i++)
        offsets[r->node[i] + 1]++;
    for (int64_t v = 0; v < n; v++)
        offsets[v + 1] += offsets[v];
    for (int64_t i = r->nnz - 1; i >= 0; i--) {     /* backwards, so that ends become starts */
        int64_t at = (int64_t)--offsets[r->node[i] + 1];
        index[at] = r->feature[i];
        if (value)
            value[at] = r->x[i];
    }
    for (int64_t v = 0; v < n; v++)
        offsets[v] = offsets[v + 1];
    offsets[n] = (uint64_t)r->nnz;
done:
    return rc;
}

static bonsai_status read_sparse(reader *r, bn_draft *d)
{
    bonsai_status rc;
    bn_table_start(&r->t);
    while (bn_table_next(&r->t, &rc))
        BN_TRY(read_triplet(r));
    if (rc != BONSAI_OK)
        return rc;
    if (r->names.count > r->columns)            /* the last ones have no value */
        r->columns = r->names.count;
    d->features = r->c->announced_features >= 0 ? r->c->announced_features : r->columns;
    if (d->features > 0)
        BN_TRY(lay_sparse(r, d));
done:
    return rc;
}

bonsai_status bn_features_read(bn_companions *c, bn_draft *d, bool sparse)
{
    bonsai_status rc;
    reader r = {.t = {.stage = "reading features", .progress = c->progress}, .c = c};
    BN_TRY(start(&r, c));
    if (c->sparse && sparse)
        BN_TRY(read_sparse(&r, d));
    else if (!c->sparse && !sparse)
        BN_TRY(read_dense(&r, d));
    c->partial |= r.beyond;
    if (c->sparse == sparse && !r.beyond)
        BN_TRY(give_names(&r, d));
done:
    bn_table_close(&r.t);
    bn_free(r.names.text);
    bn_free(r.x);
    bn_free(r.node);
    bn_free(r.feature);
    return rc;
}
