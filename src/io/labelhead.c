/* labelhead.c -- finds the header of a file of labels, and what its columns are.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "labelfile.h"

static const struct { const char *name; column kind; } known[] = {
    {"name", NAME}, {"split", SPLIT}, {"weight", WEIGHT}, {"origin", ORIGIN}, {"role", ROLE},
};

typedef struct {
    bn_table *t;
    bn_companions *c;
    bn_label_columns *h;
    bool named[KINDS + 1];              /* a column has a name of this kind */
} search;

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

/* Returns KINDS for what is not the name of a column that this file may have. */
static column kind_of(const search *s, const bn_field *f, bool first)
{
    if (bn_is_id_name(f, first))
        return ID;
    if (bn_is_label_name(f))
        return LABEL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (bn_field_is(f, known[i].name))
            return s->c->shared && known[i].kind != SPLIT ? KINDS : known[i].kind;
    return KINDS;
}

static void add_column(bn_label_columns *h, column k)
{
    h->column[h->columns++] = k;
    if (k < KINDS)
        h->has[k] = true;
}

/* Decides what a column without a known name is: the first holds the ids if no other does, and
 * the second of two the labels.  Of a table with features, the first may be one, if it holds
 * numbers. */
static bonsai_status unknown_column(const search *s, column *k, const bn_field *f)
{
    const bool shared = s->c->shared;
    const bool ids = s->named[ID] || (s->named[NAME] && !shared);
    const bn_field below = bn_cell(s->t, 1, 0);
    const int64_t at = s->h->columns;
    char both[1024];
    *k = at == 0 && !ids && (!shared || !bn_field_is_real(&below)) ? ID : KINDS;
    if (s->t->record[0].count == 2 && at == 1 && s->h->has[ID] && !shared)
        *k = LABEL;
    if (*k < KINDS || shared)
        return BONSAI_OK;
    if (f->len == 0)
        return bn_table_fail(s->t, at + 1, "column %lld has no name; if pandas wrote its index "
                             "there, leave it out with to_csv(index=False)", (long long)at + 1);
    return bn_table_fail(s->t, at + 1, "column \"%.*s\" is none of id, node, name, label, split, "
                         "weight, origin, role; a table that has the features too is both: %s",
                         bn_field_show(f), f->text,
                         bn_both_text(both, sizeof both, s->c->o, s->c->labels));
}

static bonsai_status name_column(const search *s, int64_t at)
{
    bonsai_status rc = BONSAI_OK;
    const bn_field f = bn_cell(s->t, 0, at);
    column k = kind_of(s, &f, at == 0);
    if (k == KINDS)
        BN_TRY(unknown_column(s, &k, &f));
    if (k < KINDS && s->h->has[k])
        return bn_table_fail(s->t, at + 1, "column \"%.*s\" occurs twice", bn_field_show(&f),
                             f.text);
    add_column(s->h, k);
done:
    return rc;
}

/* Fails if a word is above nothing but numbers: a header with unknown names, not the first node. */
static bonsai_status check_first(const search *s)
{
    bonsai_status rc = BONSAI_OK;
    const bn_field first = bn_cell(s->t, 0, 0);
    bn_lines *l = &s->t->l;
    bn_field f;
    int64_t value, rows = 0;
    bool there;
    if (first.quoted || first.len == 0 || bn_field_whole(&first, &value))
        return BONSAI_OK;
    bn_lines_rewind(l);
    bn_lines_next(l);
    BN_TRY(bn_record_next(l, &there));
    for (; there; rows++) {
        BN_TRY(bn_field_next(l, &f));
        if (!bn_field_whole(&f, &value) && f.len > 0)
            return BONSAI_OK;
        BN_TRY(bn_record_next(l, &there));
    }
    if (rows > 0)
        rc = bn_table_fail(s->t, 1, "\"%.*s\" is above numbers, but names no column: name the "
                           "columns id, name, label, split, weight, origin, role, or put the word "
                           "in quotes", bn_field_show(&first), first.text);
done:
    return rc;
}

/* Fails if the first line of two columns may be a header all the same: if no edge has its node,
 * but one has the next line's, and no other node has its class. */
static bonsai_status check_header(const search *s)
{
    bonsai_status rc;
    const bn_field id = bn_cell(s->t, 0, 0), label = bn_cell(s->t, 0, 1);
    bool found;
    if (!s->c->edges || s->t->record[1].count == 0 || id.len == 0 || label.len == 0)
        return BONSAI_OK;
    BN_TRY(bn_table_occurs(&found, s->t, label, 1, 2));
    if (!found)
        BN_TRY(bn_file_has(&found, s->c->edges, id, 2));
    if (found)
        return BONSAI_OK;
    BN_TRY(bn_file_has(&found, s->c->edges, bn_cell(s->t, 1, 0), 2));
    if (found)
        rc = bn_table_fail(s->t, 0, "\"%.*s\" and \"%.*s\" look like a header, because no edge has "
                           "such a node and no other node such a label: call the columns id and "
                           "label, or if this is a node, put a line id%clabel above it",
                           bn_field_show(&id), id.text, bn_field_show(&label), label.text,
                           s->t->l.separator);
done:
    return rc;
}

static bonsai_status no_header(const search *s)
{
    bonsai_status rc;
    const int64_t columns = s->t->record[0].count;
    if (columns > 2 || s->c->shared)
        return bn_table_fail(s->t, 0, "%lld columns, and no header that calls one of them label: "
                             "put names of columns above them, such as id, label, split",
                             (long long)columns);
    BN_TRY(check_first(s));
    if (columns == 2) {
        BN_TRY(check_header(s));
        add_column(s->h, ID);
    }
    add_column(s->h, LABEL);
done:
    return rc;
}

/* Finds names of columns in the first line, which is a header if it starts with a name that hardly
 * is a class, or if it has a name that does not occur below itself, and no number.  Beside ..._id
 * it is the other of two columns that must not occur below. */
static bonsai_status find_header(search *s)
{
    bonsai_status rc = BONSAI_OK;
    const bn_field first = bn_cell(s->t, 0, 0);
    int64_t number, at = -1;
    bool found = false, numbers = false;
    for (int64_t i = 0; i < s->t->record[0].count; i++) {
        const bn_field f = bn_cell(s->t, 0, i);
        const column k = kind_of(s, &f, i == 0);
        numbers |= bn_field_whole(&f, &number);
        if ((k < KINDS && at < 0) || (i == 1 && at == 0 && s->named[ID]))
            at = i;
        s->named[k] = true;
    }
    s->t->header = kind_of(s, &first, false) < KINDS && !bn_field_is(&first, "y") &&
                   !bn_field_is(&first, "target");
    if (at >= 0 && !numbers && !s->t->header) {
        BN_TRY(bn_table_occurs(&found, s->t, bn_cell(s->t, 0, at), at, at + 1));
        s->t->header = !found;
    }
done:
    return rc;
}

/* Reads the header; a name alone is the id. */
static bonsai_status read_header(const search *s)
{
    bonsai_status rc = BONSAI_OK;
    bn_label_columns *h = s->h;
    for (int64_t i = 0; i < s->t->record[0].count; i++)
        BN_TRY(name_column(s, i));
    if (h->has[NAME] && !h->has[ID]) {
        for (int64_t i = 0; i < h->columns; i++)
            h->column[i] = h->column[i] == NAME ? ID : h->column[i];
        h->has[ID] = true;
        h->has[NAME] = false;
    }
    if (s->c->shared && !h->has[LABEL])
        rc = bn_table_fail(s->t, 0, "no column is called label, class, y or target: call the "
                           "column of labels so");
done:
    return rc;
}

bonsai_status bn_label_columns_find(bn_label_columns *h, bn_table *t, bn_companions *c)
{
    bonsai_status rc;
    search s = {.t = t, .c = c, .h = h};
    BN_TRY(BN_NEW(&h->column, t->record[0].count));
    BN_TRY(find_header(&s));
    BN_TRY(t->header ? read_header(&s) : no_header(&s));
    c->id = c->label = c->split = -1;
    for (int64_t i = 0; i < h->columns; i++) {
        c->id = h->column[i] == ID ? i : c->id;
        c->label = h->column[i] == LABEL ? i : c->label;
        c->split = h->column[i] == SPLIT ? i : c->split;
    }
done:
    return rc;
}
