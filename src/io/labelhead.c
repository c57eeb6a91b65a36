/* labelhead.c -- finds the header of a file of labels, and what its columns are.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "labelfile.h"

static const struct { const char *name; column kind; } known[] = {
    {"name", NAME},   {"label", LABEL},   {"class", LABEL},   {"y", LABEL}, {"target", LABEL},
    {"split", SPLIT}, {"weight", WEIGHT}, {"origin", ORIGIN}, {"role", ROLE},
};

typedef struct {
    bn_lines *l;
    bn_companions *c;
    bn_label_columns *h;
    int64_t fields;
    bool    counts;                     /* the second line starts with a number */
    int64_t named_at[KINDS + 1];        /* the first field with a name of this kind; -1: none */
} table;

bool bn_field_whole(const bn_field *f, int64_t *out)
{
    bn_field whole = *f;
    while (whole.len > 0 && whole.text[whole.len - 1] == '0')
        whole.len--;
    if (whole.len > 1 && whole.text[whole.len - 1] == '.')
        whole.len--;
    else
        whole = *f;
    return bn_field_int(&whole, out);
}

/* KINDS: no name of a column that this file may have. */
static column kind_of(const table *t, const bn_field *f, bool first)
{
    if (bn_is_id_name(f, first))
        return ID;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (bn_field_is(f, known[i].name))
            return t->c->shared && known[i].kind != LABEL && known[i].kind != SPLIT
                       ? KINDS : known[i].kind;
    return KINDS;
}

static bonsai_status add_column(table *t, column k)
{
    bonsai_status rc;
    bn_label_columns *h = t->h;
    BN_TRY(bn_grow((void **)&h->column, &h->capacity, h->columns + 1, sizeof *h->column));
    h->column[h->columns++] = k;
    if (k < KINDS)
        h->has[k] = true;
done:
    return rc;
}

/* A column without a known name: the first holds the ids if no other does, and the second of two
 * the labels.  Of a table with features, the first may be one, if it holds numbers. */
static bonsai_status unknown_column(table *t, column *k, const bn_field *f)
{
    const bool ids = t->named_at[ID] >= 0 || (t->named_at[NAME] >= 0 && !t->c->shared);
    *k = t->h->columns == 0 && !ids && (!t->c->shared || !t->counts) ? ID : KINDS;
    if (t->fields == 2 && t->h->columns == 1 && t->h->has[ID] && !t->c->shared)
        *k = LABEL;
    if (*k == KINDS && !t->c->shared && f->len == 0)
        return bn_lines_fail(t->l, "column %lld has no name; if pandas wrote its index there, leave "
                             "it out with to_csv(index=False)", (long long)t->h->columns + 1);
    char features[512], labels[512];
    const char *path = t->l->path;
    if (*k == KINDS && !t->c->shared)
        return bn_lines_fail(t->l, "column \"%.*s\" is none of id, node, name, label, split, "
                             "weight, origin, role; a table that has the features too is both: "
                             "%s %s", bn_field_show(f), f->text,
                             bn_option_text(features, sizeof features, t->c->o, "features", path),
                             bn_option_text(labels, sizeof labels, t->c->o, "labels", path));
    return BONSAI_OK;
}

static bonsai_status name_column(table *t, const bn_field *f)
{
    bonsai_status rc;
    column k = kind_of(t, f, t->h->columns == 0);
    if (k == KINDS)
        BN_TRY(unknown_column(t, &k, f));
    if (k < KINDS && t->h->has[k])
        return bn_lines_fail(t->l, "column \"%.*s\" occurs twice", bn_field_show(f), f->text);
    BN_TRY(add_column(t, k));
done:
    return rc;
}

static void first_line(table *t)
{
    bn_lines_rewind(t->l);
    bn_lines_next(t->l);
}

/* A header with unknown names would be taken for the first node: refuses a word above nothing but
 * numbers. */
static bonsai_status check_first(table *t, const bn_field *first)
{
    bonsai_status rc = BONSAI_OK;
    char word[64];
    bn_field f;
    bool there;
    int64_t value, line = t->l->line, rows = 0;
    snprintf(word, sizeof word, "%.*s", bn_field_show(first), first->text);
    if (first->quoted || first->len == 0 || bn_field_whole(first, &value))
        return BONSAI_OK;
    BN_TRY(bn_record_next(t->l, &there));
    for (; there; rows++) {
        BN_TRY(bn_field_next(t->l, &f));
        if (!bn_field_whole(&f, &value) && f.len > 0)
            return BONSAI_OK;
        BN_TRY(bn_record_next(t->l, &there));
    }
    t->l->line = line;
    if (rows > 0)
        rc = bn_lines_fail(t->l, "\"%s\" is above numbers, but names no column: name the columns "
                           "id, name, label, split, weight, origin, role, or put the word in "
                           "quotes", word);
done:
    return rc;
}

/* The first line of two columns may be a header all the same: if no edge has its node, but one has
 * the next line's, and no other node has its class. */
static bonsai_status check_header(table *t, const bn_word *id, const bn_word *label)
{
    bonsai_status rc = BONSAI_OK;
    bn_word next;
    bn_field f;
    bool found = true, there;
    first_line(t);
    BN_TRY(bn_record_next(t->l, &there));
    if (!t->c->edges || !there)
        return BONSAI_OK;
    BN_TRY(bn_field_next(t->l, &f));
    bn_word_of(&next, &f);
    first_line(t);
    BN_TRY(bn_word_below(&found, t->l, label, 1, 2));
    if (!found)
        BN_TRY(bn_word_in(&found, t->c->edges, id, 2));
    if (found)
        return BONSAI_OK;
    BN_TRY(bn_word_in(&found, t->c->edges, &next, 2));
    first_line(t);
    if (found)
        rc = bn_lines_fail(t->l, "\"%.*s\" and \"%.*s\" look like a header, because no edge has "
                           "such a node and no other node such a label: call the columns id and "
                           "label, or if this is a node, put a line id%clabel above it",
                           (int)id->len, id->text, (int)label->len, label->text, t->l->separator);
done:
    return rc;
}

static bonsai_status no_header(table *t)
{
    bonsai_status rc;
    bn_field f;
    bn_word id, label;
    if (t->fields > 2 || t->c->shared)
        return bn_lines_fail(t->l, "%lld columns, and no header that calls one of them label: "
                             "put names of columns above them, such as id, label, split",
                             (long long)t->fields);
    BN_TRY(bn_field_next(t->l, &f));
    bn_word_of(&id, &f);
    BN_TRY(check_first(t, &f));
    first_line(t);
    if (t->fields == 2) {
        BN_TRY(bn_field_next(t->l, &f));
        BN_TRY(bn_field_next(t->l, &f));
        bn_word_of(&label, &f);
        if (id.len > 0 && label.len > 0)
            BN_TRY(check_header(t, &id, &label));
        BN_TRY(add_column(t, ID));
    }
    BN_TRY(add_column(t, LABEL));
done:
    return rc;
}

/* Names that hardly are a class; a node called id may be listed below them, as by our writer. */
static bool is_certain(const table *t, const bn_field *f)
{
    return kind_of(t, f, false) < KINDS && !bn_field_is(f, "y") && !bn_field_is(f, "target");
}

/* Finds the names of columns in the first line, which is a header if it starts with a certain one,
 * or if it has a name that does not occur below itself, and no number.  Beside ..._id it is the
 * other of two columns that must not occur below. */
static bonsai_status find_header(table *t)
{
    bonsai_status rc;
    bn_field f;
    bn_word word = {.len = -1};
    double value;
    int64_t number, at = -1;
    bool found = false, numbers = false, certain = false, there;
    for (int k = 0; k <= KINDS; k++)
        t->named_at[k] = -1;
    BN_TRY(bn_field_next(t->l, &f));
    for (; f.text; t->fields++) {
        const column k = kind_of(t, &f, t->fields == 0);
        numbers |= bn_field_whole(&f, &number);
        t->named_at[k] = t->named_at[k] < 0 ? t->fields : t->named_at[k];
        certain |= t->fields == 0 && is_certain(t, &f);
        if ((k < KINDS && at < 0) || (t->fields == 1 && at == 0 && t->named_at[ID] == 0)) {
            at = t->fields;
            bn_word_of(&word, &f);
        }
        BN_TRY(bn_field_next(t->l, &f));
    }
    if (at >= 0 && !numbers && !certain)
        BN_TRY(bn_word_below(&found, t->l, &word, at, at + 1));
    t->h->header = certain || (at >= 0 && !numbers && !found);
    first_line(t);
    BN_TRY(bn_record_next(t->l, &there));
    if (there) {
        BN_TRY(bn_field_next(t->l, &f));
        t->counts = bn_field_real(&f, &value);
    }
    first_line(t);
done:
    return rc;
}

/* Reads the header; a name alone is the id. */
static bonsai_status read_header(table *t)
{
    bonsai_status rc;
    bn_field f;
    bn_label_columns *h = t->h;
    BN_TRY(bn_field_next(t->l, &f));
    while (f.text) {
        BN_TRY(name_column(t, &f));
        BN_TRY(bn_field_next(t->l, &f));
    }
    for (int64_t i = 0; i < h->columns && h->has[NAME] && !h->has[ID]; i++)
        if (h->column[i] == NAME) {
            h->column[i] = ID;
            h->has[ID] = true;
            h->has[NAME] = false;
        }
    if (t->c->shared && !h->has[LABEL])
        rc = bn_lines_fail(t->l, "no column is called label, class, y or target: call the "
                           "column of labels so");
done:
    return rc;
}

bonsai_status bn_label_columns_read(bn_label_columns *h, bn_lines *l, bn_companions *c)
{
    bonsai_status rc;
    table t = {.l = l, .c = c, .h = h};
    BN_TRY(find_header(&t));
    if (h->header)
        BN_TRY(read_header(&t));
    else
        BN_TRY(no_header(&t));
    c->id = c->label = c->split = -1;
    for (int64_t i = 0; i < h->columns; i++) {
        c->id = h->column[i] == ID ? i : c->id;
        c->label = h->column[i] == LABEL ? i : c->label;
        c->split = h->column[i] == SPLIT ? i : c->split;
    }
done:
    return rc;
}
