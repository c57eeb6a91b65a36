/* labelfile.c -- reads the file of labels and other node data, except features.
 *
 * Rows are collected in growing arrays.  Ids and labels are read as integers until one is not an
 * integer; then the file is read again from the start with names.
 * labelhead.c finds what the columns are.  Comments at the head may name the classes (headnames.c).  Otherwise classes are numbered in the
 * order of their names, or of their values where these are whole numbers, so that two files of the
 * same classes agree.  Labels 0 .. c-1 stay numbers, and so do all labels if c was announced.
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

static const struct { const char *word; uint8_t value; } parts[] = {
    {"", BONSAI_PART_NONE}, {"none", BONSAI_PART_NONE}, {"train", BONSAI_PART_TRAIN},
    {"val", BONSAI_PART_VAL},    {"valid", BONSAI_PART_VAL},      {"validation", BONSAI_PART_VAL},
    {"test", BONSAI_PART_TEST},
}, roles[] = {
    {"", BONSAI_ROLE_NONE}, {"none", BONSAI_ROLE_NONE},         {"root", BONSAI_ROLE_ROOT},
    {"ego", BONSAI_ROLE_EGO},    {"prototype", BONSAI_ROLE_PROTOTYPE},
    {"learned", BONSAI_ROLE_LEARNED},
};

typedef struct {
    bn_lines l;
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
} table;

/* ---- rows ---- */

/* Makes room at *at for one more item of a column. */
static bonsai_status one_more(table *t, column k, void *at)
{
    size_t item = bonsai_type_bytes(place[k].type);
    bonsai_status rc = bn_grow(&t->data[k], &t->capacity[k], t->rows + 1, item);
    if (rc == BONSAI_OK) {
        void *p = (char *)t->data[k] + t->rows * (int64_t)item;
        memcpy(at, &p, sizeof p);
    }
    return rc;
}

static bonsai_status read_label(table *t, const bn_field *f)
{
    bonsai_status rc;
    int32_t *to;
    int64_t label = -1;
    BN_TRY(one_more(t, LABEL, &to));
    *to = -1;
    bool integer = bn_field_whole(f, &label);
    if ((f->len == 0 && !f->quoted) || (integer && label == -1))
        return BONSAI_OK;
    if (t->named) {
        BN_TRY(bn_field_id(&t->l, f));
        BN_TRY(bn_ids_add(&t->classes, f->text, f->len, to, NULL));
    } else if (!integer && t->class_names.text) {
        rc = bn_lines_fail(&t->l, "label \"%.*s\" is not a number of a class", bn_field_show(f),
                           f->text);
    } else if (!integer) {
        t->named = t->again = true;
    } else if (label < 0 || label >= INT32_MAX) {
        rc = bn_lines_fail(&t->l, "label %lld is outside -1..%d", (long long)label, INT32_MAX - 1);
    } else {
        *to = (int32_t)label;
        t->largest = label > t->largest ? label : t->largest;
    }
    int64_t classes = t->c->said_classes;
    if (rc == BONSAI_OK && classes >= 0 && *to >= classes)
        rc = bn_lines_fail(&t->l, "label %d is outside 0..%lld", *to, (long long)classes - 1);
done:
    return rc;
}

static bonsai_status read_part(table *t, const bn_field *f)
{
    uint8_t *to;
    bonsai_status rc = one_more(t, SPLIT, &to);
    if (rc != BONSAI_OK)
        return rc;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (bn_field_is(f, parts[i].word)) {
            *to = parts[i].value;
            return BONSAI_OK;
        }
    return bn_lines_fail(&t->l, "split \"%.*s\" is none of train, val, test", bn_field_show(f),
                         f->text);
}

static bonsai_status read_role(table *t, const bn_field *f)
{
    uint8_t *to;
    bonsai_status rc = one_more(t, ROLE, &to);
    if (rc != BONSAI_OK)
        return rc;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (bn_field_is(f, roles[i].word)) {
            *to = roles[i].value;
            return BONSAI_OK;
        }
    return bn_lines_fail(&t->l, "role \"%.*s\" is none of root, ego, prototype, learned", bn_field_show(f),
                         f->text);
}

static bonsai_status read_weight(table *t, const bn_field *f)
{
    float *to;
    double v;
    bonsai_status rc = one_more(t, WEIGHT, &to);
    if (rc != BONSAI_OK)
        return rc;
    if (bn_field_real(f, &v) && v >= 0 && (float)v <= 3.402823466e38f) {
        *to = (float)v;
        return BONSAI_OK;
    }
    return bn_lines_fail(&t->l, "weight \"%.*s\" is not a finite number of at least 0",
                         bn_field_show(f), f->text);
}

static bonsai_status read_origin(table *t, const bn_field *f)
{
    uint32_t *to;
    int64_t v;
    bonsai_status rc = one_more(t, ORIGIN, &to);
    if (rc != BONSAI_OK)
        return rc;
    if (!bn_field_int(f, &v) || v < 0 || v > INT32_MAX)
        return bn_lines_fail(&t->l, "origin \"%.*s\" is outside 0..%d", bn_field_show(f), f->text,
                             INT32_MAX);
    *to = (uint32_t)v;
    return BONSAI_OK;
}

static bonsai_status read_name(table *t, const bn_field *f)
{
    bonsai_status rc;
    BN_TRY(bn_field_name(&t->l, f));
    BN_TRY(bn_grow(&t->data[NAME], &t->capacity[NAME], t->names_len + f->len + 1, 1));
    char *to = (char *)t->data[NAME] + t->names_len;
    if (f->len > 0)
        memcpy(to, f->text, (size_t)f->len);
    to[f->len] = 0;
    t->names_len += f->len + 1;
done:
    return rc;
}

static bonsai_status read_id(table *t, const bn_field *f)
{
    bonsai_status rc;
    if (!t->c->partial)
        return bn_nodes_list(&t->c->nodes, &t->l, f, &t->again);
    BN_TRY(bn_grow((void **)&t->node, &t->node_capacity, t->rows + 1, sizeof *t->node));
    BN_TRY(bn_nodes_find(&t->node[t->rows], &t->c->nodes, &t->l, f));
done:
    return rc;
}

static bonsai_status read_field(table *t, column k, const bn_field *f)
{
    switch (k) {
    case ID:     return read_id(t, f);
    case NAME:   return read_name(t, f);
    case LABEL:  return read_label(t, f);
    case SPLIT:  return read_part(t, f);
    case WEIGHT: return read_weight(t, f);
    case ORIGIN: return read_origin(t, f);
    case ROLE:   return read_role(t, f);
    case KINDS:  break;
    }
    return BONSAI_OK;
}

/* Reads the rows once; stops early if t->again asks for another pass. */
static bonsai_status read_rows(table *t)
{
    bonsai_status rc = BONSAI_OK;
    bn_field f;
    bn_lines_rewind(&t->l);
    bn_ids_free(&t->classes);
    if (!t->c->partial)
        bn_nodes_reset(&t->c->nodes, t->c->nodes.kind);
    t->rows = t->names_len = 0;
    t->largest = -1;
    t->again = false;
    if (t->h.header)
        bn_lines_next(&t->l);
    for (; bn_lines_next(&t->l); t->rows++) {
        BN_TRY(bn_lines_tick(&t->l, t->c->progress, "reading labels"));
        if (!t->h.has[ID])
            BN_TRY(bn_lines_close_up(&t->l));
        for (int64_t i = 0; i < t->h.columns; i++) {
            BN_TRY(bn_field_next(&t->l, &f));
            if (!f.text)
                return bn_lines_fail(&t->l, "%lld columns where %lld are needed", (long long)i,
                                     (long long)t->h.columns);
            BN_TRY(read_field(t, t->h.column[i], &f));
            if (t->again)
                return BONSAI_OK;
        }
        if (t->l.more)
            return bn_lines_fail(&t->l, "more than %lld columns", (long long)t->h.columns);
    }
    BN_TRY(bn_lines_tick(&t->l, t->c->progress, "reading labels"));
done:
    return rc;
}

/* ---- classes ---- */

/* Whether a whole number below the largest label is no label. */
static bonsai_status has_gaps(bool *gaps, const table *t)
{
    bonsai_status rc = BONSAI_OK;
    const int32_t *label = t->data[LABEL];
    uint8_t *seen = NULL;
    int64_t missing = t->largest + 1;
    *gaps = missing > t->rows;
    if (*gaps || missing <= 0)
        return BONSAI_OK;
    BN_TRY(BN_NEW(&seen, missing));
    for (int64_t i = 0; i < t->rows; i++)
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
static bonsai_status name_numbers(table *t)
{
    bonsai_status rc = BONSAI_OK;
    int32_t *label = t->data[LABEL];
    char name[16];
    for (int64_t i = 0; i < t->rows; i++)
        if (label[i] >= 0)
            BN_TRY(bn_ids_add(&t->classes, name, snprintf(name, sizeof name, "%d", label[i]),
                              &label[i], NULL));
    t->named = true;
    t->largest = t->classes.count - 1;
done:
    return rc;
}

static bonsai_status sort_classes(table *t)
{
    bonsai_status rc;
    bool gaps = false;
    int32_t *rank = NULL, *label = t->data[LABEL];
    if (!t->named && !t->class_names.text && t->c->said_classes < 0)
        BN_TRY(has_gaps(&gaps, t));
    if (gaps)
        BN_TRY(name_numbers(t));
    BN_TRY(BN_NEW(&rank, t->classes.count));
    BN_TRY(bn_ids_sort(&t->classes, gaps, rank));
    for (int64_t i = 0; t->named && i < t->rows; i++)
        label[i] = label[i] < 0 ? -1 : rank[label[i]];
done:
    bn_free(rank);
    return rc;
}

/* ---- the whole ---- */

static bonsai_status lay_classes(table *t, bn_draft *d)
{
    bonsai_status rc = BONSAI_OK;
    int64_t count = t->class_names.text ? t->class_names.count : t->named ? t->classes.count : t->largest + 1;
    int64_t said = t->c->said_classes;
    if (said >= 0 && t->class_names.text && said != count)
        return bn_fail_at(BONSAI_E_FORMAT, t->l.path, "names %lld classes, but %lld were announced",
                          (long long)count, (long long)said);
    if (count <= t->largest)
        return bn_fail_at(BONSAI_E_FORMAT, t->l.path, "label %lld is outside 0..%lld",
                          (long long)t->largest, (long long)count - 1);
    d->classes = said > count ? said : count;
    if (t->class_names.text)
        BN_TRY(bn_draft_give(d, BONSAI_SECTION_CLASS_NAMES, BONSAI_TYPE_U8,
                             (void **)&t->class_names.text, t->class_names.len));
    else if (t->named && d->classes == count)
        BN_TRY(bn_ids_names(d, BONSAI_SECTION_CLASS_NAMES, &t->classes));
done:
    return rc;
}

/* Gives each node its label and its part of the split; those without a row have none. */
static bonsai_status spread_rows(table *t)
{
    bonsai_status rc;
    int32_t *label = NULL;
    uint8_t *part = NULL;
    const int64_t n = t->c->nodes.n;
    BN_TRY(BN_NEW(&label, n));
    BN_TRY(BN_NEW(&part, n));
    for (int64_t v = 0; v < n; v++)
        label[v] = -1;
    for (int64_t i = 0; i < t->rows; i++) {
        if (t->h.has[LABEL])
            label[t->node[i]] = ((const int32_t *)t->data[LABEL])[i];
        if (t->h.has[SPLIT])
            part[t->node[i]] = ((const uint8_t *)t->data[SPLIT])[i];
    }
    bn_free(t->data[LABEL]);
    bn_free(t->data[SPLIT]);
    t->data[LABEL] = label;
    t->data[SPLIT] = part;
    t->rows = n;
    label = NULL;
    part = NULL;
done:
    bn_free(label);
    bn_free(part);
    return rc;
}

/* The file lists the nodes.  One with labels or parts and nothing else may list some of them, if the
 * features list all; what every node needs cannot be lacking. */
static void list_nodes(const table *t, bn_companions *c)
{
    c->nodes.n = t->rows;
    c->nodes.listed = c->labels;
    c->listed = t->h.has[ID];
    c->extends = c->listed && !c->shared && (t->h.has[LABEL] || t->h.has[SPLIT]) &&
                 !t->h.has[NAME] && !t->h.has[WEIGHT] && !t->h.has[ORIGIN] && !t->h.has[ROLE];
}

bonsai_status bn_labels_read(bn_companions *c, bn_draft *d)
{
    bonsai_status rc;
    table t = {.c = c};
    BN_TRY(bn_lines_open(&t.l, c->labels));
    BN_TRY(bn_head_names_read(&t.class_names, &t.l, "class"));
    if (!bn_lines_next(&t.l)) {
        rc = bn_fail_at(BONSAI_E_FORMAT, c->labels, "is empty or has only comments");
        goto done;
    }
    BN_TRY(bn_label_columns_read(&t.h, &t.l, c));
    do
        BN_TRY(read_rows(&t));
    while (t.again);
    if (t.rows == 0 && t.h.header && c->said_classes < 0) {
        rc = bn_fail_at(BONSAI_E_FORMAT, c->labels, "has a header but no rows: put a row for each "
                        "node below it");
        goto done;
    }
    if (!c->partial)
        list_nodes(&t, c);
    BN_TRY(sort_classes(&t));
    BN_TRY(lay_classes(&t, d));
    if (c->partial)
        BN_TRY(spread_rows(&t));
    for (column k = NAME; k < KINDS; k++)
        if (t.h.has[k])
            BN_TRY(bn_draft_give(d, place[k].section, place[k].type, &t.data[k],
                                 k == NAME ? t.names_len : t.rows));
done:
    bn_lines_close(&t.l);
    bn_ids_free(&t.classes);
    bn_free(t.class_names.text);
    bn_free(t.h.column);
    bn_free(t.node);
    for (int k = 0; k < KINDS; k++)
        bn_free(t.data[k]);
    return rc;
}
