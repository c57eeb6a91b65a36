/* labelfile.c -- reads the file of labels and other node data, except features.
 *
 * Rows are collected in growing arrays.  Ids and labels are read as integers until one is not an
 * integer; then the file is read again from the start with names.
 * labelhead.c finds what the columns are.  Comments at the head may name the classes (table.c).
 * Otherwise classes are numbered in the order of their names, or of their values where these are
 * whole numbers, so that two files of the same classes agree.  Labels 0 .. c-1 stay numbers, and
 * so do all labels if c was announced.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "labelfile.h"

static const struct { bonsai_section section; bonsai_type type; } place[KINDS] = {
    [NAME] = {BONSAI_SECTION_NODE_NAMES, BONSAI_TYPE_U8},
    [LABEL] = {BONSAI_SECTION_LABELS, BONSAI_TYPE_U32},
    [SPLIT] = {BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8},
    [WEIGHT] = {BONSAI_SECTION_NODE_WEIGHTS, BONSAI_TYPE_F32},
    [ORIGIN] = {BONSAI_SECTION_ORIGIN, BONSAI_TYPE_U32},
    [ROLE] = {BONSAI_SECTION_ROLE, BONSAI_TYPE_U8},
};

typedef struct { const char *word; uint8_t value; } word;

static const word parts[] = {
    {"", BONSAI_PART_NONE}, {"none", BONSAI_PART_NONE}, {"train", BONSAI_PART_TRAIN},
    {"val", BONSAI_PART_VAL},    {"valid", BONSAI_PART_VAL},      {"validation", BONSAI_PART_VAL},
    {"test", BONSAI_PART_TEST},  {NULL, 0},
}, roles[] = {
    {"", BONSAI_ROLE_NONE}, {"none", BONSAI_ROLE_NONE}, {"root", BONSAI_ROLE_ROOT},
    {"ego", BONSAI_ROLE_EGO}, {"prototype", BONSAI_ROLE_PROTOTYPE},
    {"learned", BONSAI_ROLE_LEARNED}, {NULL, 0},
};

typedef struct {
    bn_table t;
    bn_companions *c;
    bn_label_columns h;
    bool     again;
    bool     named;             /* labels are class names */
    int64_t  rows, names_len, largest;
    void    *data[KINDS];
    int64_t  capacity[KINDS];
    bn_ids   classes;
    bn_head_names class_names;
    int32_t *node;              /* of each row, if another file lists the nodes */
    int64_t  node_capacity;
} reader;

/* ---- rows ---- */

/* Adds a value to a column. */
static bonsai_status put(reader *r, column k, const void *value)
{
    const size_t item = bonsai_type_bytes(place[k].type);
    bonsai_status rc = bn_grow(&r->data[k], &r->capacity[k], r->rows + 1, item);
    if (rc == BONSAI_OK)
        memcpy((char *)r->data[k] + r->rows * (int64_t)item, value, item);
    return rc;
}

/* Finds the number of a label; sets again for another pass with names. */
static bonsai_status parse_label(reader *r, const bn_field *f, int32_t *to)
{
    int64_t label = -1;
    const bool whole = bn_field_whole(f, &label);
    *to = -1;
    if ((f->len == 0 && !f->quoted) || (whole && label == -1))
        return BONSAI_OK;
    if (r->named) {
        bonsai_status rc = bn_field_id(&r->t.l, f);
        return rc != BONSAI_OK ? rc : bn_ids_add(&r->classes, f->text, f->len, to, NULL);
    }
    if (!whole && r->class_names.text)
        return bn_lines_fail(&r->t.l, "label \"%.*s\" is not a number of a class",
                             bn_field_show(f), f->text);
    if (whole && (label < 0 || label >= INT32_MAX))
        return bn_lines_fail(&r->t.l, "label %lld is outside -1..%d", (long long)label,
                             INT32_MAX - 1);
    r->named = r->again = !whole;
    *to = whole ? (int32_t)label : -1;
    r->largest = label > r->largest && whole ? label : r->largest;
    return BONSAI_OK;
}

static bonsai_status read_label(reader *r, const bn_field *f)
{
    bonsai_status rc;
    int32_t label;
    const int64_t classes = r->c->announced_classes;
    BN_TRY(parse_label(r, f, &label));
    if (classes >= 0 && label >= classes)
        return bn_lines_fail(&r->t.l, "label %d is outside 0..%lld", label, (long long)classes - 1);
    rc = put(r, LABEL, &label);
done:
    return rc;
}

static bonsai_status read_word(reader *r, column k, const word *words, const bn_field *f,
                               const char *message)
{
    for (; words->word; words++)
        if (bn_field_is(f, words->word))
            return put(r, k, &words->value);
    return bn_lines_fail(&r->t.l, message, bn_field_show(f), f->text);
}

static bonsai_status read_weight(reader *r, const bn_field *f)
{
    double v;
    if (!bn_field_real(f, &v) || !(v >= 0) || !((float)v <= 3.402823466e38f))
        return bn_lines_fail(&r->t.l, "weight \"%.*s\" is not a finite number of at least 0",
                             bn_field_show(f), f->text);
    return put(r, WEIGHT, &(float){(float)v});
}

static bonsai_status read_origin(reader *r, const bn_field *f)
{
    int64_t v;
    if (!bn_field_int(f, &v) || v < 0 || v > INT32_MAX)
        return bn_lines_fail(&r->t.l, "origin \"%.*s\" is outside 0..%d", bn_field_show(f),
                             f->text, INT32_MAX);
    return put(r, ORIGIN, &(uint32_t){(uint32_t)v});
}

static bonsai_status read_name(reader *r, const bn_field *f)
{
    bonsai_status rc;
    BN_TRY(bn_field_name(&r->t.l, f));
    BN_TRY(bn_grow(&r->data[NAME], &r->capacity[NAME], r->names_len + f->len + 1, 1));
    char *to = (char *)r->data[NAME] + r->names_len;
    if (f->len > 0)
        memcpy(to, f->text, (size_t)f->len);
    to[f->len] = 0;
    r->names_len += f->len + 1;
done:
    return rc;
}

static bonsai_status read_id(reader *r, const bn_field *f)
{
    bonsai_status rc;
    if (!r->c->partial)
        return bn_nodes_list(&r->c->nodes, &r->t.l, f, &r->again);
    BN_TRY(bn_grow((void **)&r->node, &r->node_capacity, r->rows + 1, sizeof *r->node));
    BN_TRY(bn_nodes_find(&r->node[r->rows], &r->c->nodes, &r->t.l, f));
done:
    return rc;
}

static bonsai_status read_field(reader *r, column k, const bn_field *f)
{
    switch (k) {
    case ID:     return read_id(r, f);
    case NAME:   return read_name(r, f);
    case LABEL:  return read_label(r, f);
    case WEIGHT: return read_weight(r, f);
    case ORIGIN: return read_origin(r, f);
    case SPLIT:
        return read_word(r, k, parts, f, "split \"%.*s\" is none of train, val, test");
    case ROLE:
        return read_word(r, k, roles, f, "role \"%.*s\" is none of root, ego, prototype, learned");
    case KINDS:  break;
    }
    return BONSAI_OK;
}

static bonsai_status read_row(reader *r)
{
    bonsai_status rc = BONSAI_OK;
    bn_field f;
    for (int64_t i = 0; i < r->h.columns && !r->again; i++) {
        BN_TRY(bn_field_next(&r->t.l, &f));
        if (!f.text)
            return bn_lines_fail(&r->t.l, "%lld columns where %lld are needed", (long long)i,
                                 (long long)r->h.columns);
        BN_TRY(read_field(r, r->h.column[i], &f));
    }
    if (r->t.l.more && !r->again)
        rc = bn_lines_fail(&r->t.l, "more than %lld columns", (long long)r->h.columns);
done:
    return rc;
}

/* Reads the rows once; stops early if r->again asks for another pass. */
static bonsai_status read_rows(reader *r)
{
    bonsai_status rc;
    bn_ids_free(&r->classes);
    if (!r->c->partial)
        bn_nodes_reset(&r->c->nodes, r->c->nodes.kind);
    r->rows = r->names_len = 0;
    r->largest = -1;
    r->again = false;
    for (bn_table_start(&r->t); !r->again && bn_table_next(&r->t, &rc); r->rows++)
        BN_TRY(read_row(r));
done:
    return rc;
}

/* ---- classes ---- */

/* Returns whether a whole number below the largest label is no label. */
static bonsai_status has_gaps(bool *gaps, const reader *r)
{
    bonsai_status rc = BONSAI_OK;
    const int32_t *label = r->data[LABEL];
    uint8_t *seen = NULL;
    int64_t missing = r->largest + 1;
    *gaps = missing > r->rows;
    if (*gaps || missing <= 0)
        return BONSAI_OK;
    BN_TRY(BN_NEW(&seen, missing));
    for (int64_t i = 0; i < r->rows; i++)
        if (label[i] >= 0) {
            missing -= !seen[label[i]];
            seen[label[i]] = 1;
        }
    *gaps = missing > 0;
done:
    bn_free(seen);
    return rc;
}

/* Makes each number that occurs a class of that name. */
static bonsai_status name_numbers(reader *r)
{
    bonsai_status rc = BONSAI_OK;
    int32_t *label = r->data[LABEL];
    char name[16];
    for (int64_t i = 0; i < r->rows; i++)
        if (label[i] >= 0)
            BN_TRY(bn_ids_add(&r->classes, name, snprintf(name, sizeof name, "%d", label[i]),
                              &label[i], NULL));
    r->named = true;
    r->largest = r->classes.count - 1;
done:
    return rc;
}

static bonsai_status sort_classes(reader *r)
{
    bonsai_status rc;
    bool gaps = false;
    int32_t *rank = NULL, *label = r->data[LABEL];
    if (!r->named && !r->class_names.text && r->c->announced_classes < 0)
        BN_TRY(has_gaps(&gaps, r));
    if (gaps)
        BN_TRY(name_numbers(r));
    BN_TRY(BN_NEW(&rank, r->classes.count));
    BN_TRY(bn_ids_sort(&r->classes, gaps, rank));
    for (int64_t i = 0; r->named && i < r->rows; i++)
        label[i] = label[i] < 0 ? -1 : rank[label[i]];
done:
    bn_free(rank);
    return rc;
}

/* ---- the whole ---- */

static bonsai_status lay_classes(reader *r, bn_draft *d)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t announced = r->c->announced_classes;
    const int64_t count = r->class_names.text ? r->class_names.count
                          : r->named ? r->classes.count : r->largest + 1;
    if (announced >= 0 && r->class_names.text && announced != count)
        return bn_fail_at(BONSAI_E_FORMAT, r->t.l.path, "names %lld classes, but %lld were "
                          "announced", (long long)count, (long long)announced);
    if (count <= r->largest)
        return bn_fail_at(BONSAI_E_FORMAT, r->t.l.path, "label %lld is outside 0..%lld",
                          (long long)r->largest, (long long)count - 1);
    d->classes = announced > count ? announced : count;
    if (r->class_names.text)
        BN_TRY(bn_draft_give(d, BONSAI_SECTION_CLASS_NAMES, BONSAI_TYPE_U8,
                             (void **)&r->class_names.text, r->class_names.len));
    else if (r->named && d->classes == count)
        BN_TRY(bn_ids_names(d, BONSAI_SECTION_CLASS_NAMES, &r->classes));
done:
    return rc;
}

/* Gives each node its label and its part of the split; those without a row have none. */
static bonsai_status spread_rows(reader *r)
{
    bonsai_status rc;
    int32_t *label = NULL;
    uint8_t *part = NULL;
    const int64_t n = r->c->nodes.n;
    BN_TRY(BN_NEW(&label, n));
    BN_TRY(BN_NEW(&part, n));
    for (int64_t v = 0; v < n; v++)
        label[v] = -1;
    for (int64_t i = 0; i < r->rows; i++) {
        if (r->h.has[LABEL])
            label[r->node[i]] = ((const int32_t *)r->data[LABEL])[i];
        if (r->h.has[SPLIT])
            part[r->node[i]] = ((const uint8_t *)r->data[SPLIT])[i];
    }
    bn_free(r->data[LABEL]);
    bn_free(r->data[SPLIT]);
    r->data[LABEL] = label;
    r->data[SPLIT] = part;
    r->rows = n;
    label = NULL;
    part = NULL;
done:
    bn_free(label);
    bn_free(part);
    return rc;
}

/* Makes the file the list of nodes.  One with labels or parts and nothing else may list some of
 * them, if the features list all; what every node needs must not be missing. */
static void list_nodes(const reader *r, bn_companions *c)
{
    c->nodes.n = r->rows;
    c->nodes.listed = c->labels;
    c->listed = r->h.has[ID];
    c->extends = c->listed && !c->shared && (r->h.has[LABEL] || r->h.has[SPLIT]) &&
                 !r->h.has[NAME] && !r->h.has[WEIGHT] && !r->h.has[ORIGIN] && !r->h.has[ROLE];
}

bonsai_status bn_labels_read(bn_companions *c, bn_draft *d)
{
    bonsai_status rc;
    reader r = {.t = {.stage = "reading labels", .progress = c->progress}, .c = c};
    BN_TRY(bn_table_open(&r.t, c->labels));
    BN_TRY(bn_head_names_read(&r.class_names, &r.t.l, "class"));
    if (r.t.record[0].count == 0) {
        rc = bn_fail_at(BONSAI_E_FORMAT, c->labels, "is empty or has only comments");
        goto done;
    }
    BN_TRY(bn_label_columns_find(&r.h, &r.t, c));
    r.t.in_order = !r.h.has[ID];
    do
        BN_TRY(read_rows(&r));
    while (r.again);
    if (r.rows == 0 && r.t.header && c->announced_classes < 0) {
        rc = bn_fail_at(BONSAI_E_FORMAT, c->labels, "has a header but no rows: put a row for each "
                        "node below it");
        goto done;
    }
    if (!c->partial)
        list_nodes(&r, c);
    BN_TRY(sort_classes(&r));
    BN_TRY(lay_classes(&r, d));
    if (c->partial)
        BN_TRY(spread_rows(&r));
    for (column k = NAME; k < KINDS; k++)
        if (r.h.has[k])
            BN_TRY(bn_draft_give(d, place[k].section, place[k].type, &r.data[k],
                                 k == NAME ? r.names_len : r.rows));
done:
    bn_table_close(&r.t);
    bn_ids_free(&r.classes);
    bn_free(r.class_names.text);
    bn_free(r.h.column);
    bn_free(r.node);
    for (int k = 0; k < KINDS; k++)
        bn_free(r.data[k]);
    return rc;
}
