/* edgehead.c -- finds the header of a table of edges, and what its columns are.
 *
 * Without names of columns, the first is the source, the second the target and a third the weight.
 * A header that names source and target may have them anywhere, and other columns, which are not
 * read.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "edgehead.h"

enum { NAMES = 7 };

static const char *const names[2][NAMES] = {
    {"source", "src", "from", "u", "node1", "id1", "start"},
    {"target", "dst", "to", "v", "node2", "id2", "end"},
};

typedef struct {
    int64_t fields, numbers;
    bool    number[3];
    bn_word word[3];                    /* the first three */
    int64_t named[2][NAMES], weight;    /* the first column with this name; -1: none */
    bool    here[2];                    /* the first is called a source, the second a target */
} record;

typedef struct {
    bn_edge_columns *k;
    bn_lines *l;
    const bn_nodes *listed;
    const char *where;                  /* the graph, for warnings */
    const bonsai_read_options *o;
    record first, second;
} table;

static bool is_weight(const bn_field *f)
{
    return bn_field_is(f, "weight") || bn_field_is(f, "weights") || bn_field_is(f, "w");
}

static bonsai_status look_at(record *r, bn_lines *l)
{
    bonsai_status rc;
    bn_field f;
    double v;
    memset(r, 0, sizeof *r);
    memset(r->named, -1, sizeof r->named);
    r->weight = -1;
    BN_TRY(bn_field_next(l, &f));
    for (; f.text; r->fields++) {
        const bool number = bn_field_real(&f, &v);
        r->numbers += number;
        if (r->fields < 3) {
            r->number[r->fields] = number;
            bn_word_of(&r->word[r->fields], &f);
        }
        for (int i = 0; i < 2 * NAMES; i++) {
            int64_t *at = &r->named[i % 2][i / 2];
            if (*at < 0 && bn_field_is(&f, names[i % 2][i / 2]))
                *at = r->fields;
            r->here[i % 2] |= *at == i % 2;
        }
        if (r->weight < 0 && is_weight(&f))
            r->weight = r->fields;
        BN_TRY(bn_field_next(l, &f));
    }
done:
    return rc;
}

/* Whether the line names both ends, and their columns: those of the pair that comes first in the
 * lists, as source and target; else those of any two names. */
static bool named_ends(int64_t end[2], const record *r)
{
    end[0] = end[1] = -1;
    for (int i = NAMES - 1; i >= 0; i--)
        for (int side = 0; side < 2; side++)
            if (r->named[side][i] >= 0)
                end[side] = r->named[side][i];
    for (int i = NAMES - 1; i >= 0; i--)
        if (r->named[0][i] >= 0 && r->named[1][i] >= 0) {
            end[0] = r->named[0][i];
            end[1] = r->named[1][i];
        }
    if (r->here[0] && r->here[1] && r->fields <= 3) {
        end[0] = 0;
        end[1] = 1;
    }
    return end[0] >= 0 && end[1] >= 0;
}

/* Whether the list of nodes has one of the ends. */
static bool is_listed(const table *t, const record *r)
{
    const bn_word *u = &r->word[t->k->end[0]], *v = &r->word[t->k->end[1]];
    return bn_ids_find(&t->listed->ids, u->text, u->len) >= 0 ||
           bn_ids_find(&t->listed->ids, v->text, v->len) >= 0;
}

/* Whether both ends occur in the first line alone. */
static bonsai_status is_alone(bool *alone, table *t)
{
    bonsai_status rc = BONSAI_OK;
    const record *r = &t->first;
    const int64_t *end = t->k->end, last = end[0] > end[1] ? end[0] : end[1];
    bool found = r->word[end[0]].len <= 0 || r->word[end[1]].len <= 0;
    for (int i = 0; i < 2 && !found; i++) {
        bn_lines_rewind(t->l);
        bn_lines_next(t->l);
        BN_TRY(bn_word_below(&found, t->l, &r->word[end[i]], 0, last + 1));
    }
    *alone = !found;
done:
    return rc;
}

static bool has_digit(const record *r)
{
    bool found = false;
    for (int i = 0; i < 2; i++)
        for (int64_t j = 0; j < r->word[i].len; j++)
            found |= r->word[i].text[j] >= '0' && r->word[i].text[j] <= '9';
    return found;
}

/* A line of words is a header if no file lists these as nodes but those of the next line, or if one
 * is a column's name and none is a node of another line.  If they only look unlike the others, the
 * line stays an edge, and a warning says so. */
static bonsai_status judge_words(table *t, bool named)
{
    bonsai_status rc = BONSAI_OK;
    bool alone;
    if (t->listed) {
        t->k->header = t->listed->kind == BN_NAMES && !is_listed(t, &t->first) &&
                       is_listed(t, &t->second);
        return BONSAI_OK;
    }
    const bool odd = !has_digit(&t->first) && has_digit(&t->second);
    if (!named && !odd)
        return BONSAI_OK;
    BN_TRY(is_alone(&alone, t));
    t->k->header = alone && named;
    if (alone && !named)
        bn_warn(t->o, BONSAI_WARNING_HEADER, t->where, 0, "", "the first line was read as an edge, "
                "but no other has these nodes: if it names the columns, call them source and target");
done:
    return rc;
}

/* Of up to three columns: the first line is a header if it has column names, or no number while the
 * second line has only numbers or a weight. */
static bonsai_status find_header(table *t, bool named)
{
    bonsai_status rc = BONSAI_OK;
    const record *first = &t->first, *second = &t->second;
    if (first->numbers == 0 && bn_lines_next(t->l))
        BN_TRY(look_at(&t->second, t->l));
    const bool like = first->numbers == 0 && second->fields == first->fields;
    t->k->header = (first->here[0] && first->here[1]) ||
                   (like && (second->numbers == second->fields ||
                             (first->fields == 3 && second->number[2])));
    if (!t->k->header && like)
        BN_TRY(judge_words(t, named || first->here[0] || first->here[1]));
done:
    return rc;
}

const char *bn_cut_ends(char separator)
{
    return separator == ',' ? "cut -d, -f1,2" : separator == ';' ? "cut -d';' -f1,2"
           : separator == '\t' ? "cut -f1,2" : "awk '{print $1, $2}'";
}

static bonsai_status check_count(const table *t, bool named)
{
    const record *r = &t->first;
    if (r->fields < 2)
        return bn_lines_fail(t->l, "one column where a source, a target and perhaps a weight are "
                             "needed");
    if (named)
        return BONSAI_OK;
    if (r->fields > 2 && r->numbers == 0 && r->word[0].len == 0)
        return bn_lines_fail(t->l, "the first column has no name, as where pandas wrote its index: "
                             "leave it out with to_csv(index=False), or call two of the others "
                             "source and target");
    if (r->fields > 3)
        return bn_lines_fail(t->l, "%lld columns where a source, a target and perhaps a weight are "
                             "needed: call two of them source and target in the first line, or "
                             "keep two alone, such as the first two by %s", (long long)r->fields,
                             bn_cut_ends(t->l->separator));
    return BONSAI_OK;
}

/* The name of a column for a message; its number, if it has none. */
static void show_name(char *out, size_t size, const bn_field *f, int64_t column)
{
    int len = bn_field_show(f);
    while (len > 0 && len < f->len && ((uint8_t)f->text[len] & 0xc0) == 0x80)
        len--;                          /* no part of a character */
    if (len == 0)
        snprintf(out, size, "column %lld", (long long)column + 1);
    else
        snprintf(out, size, "%.*s", len, f->text);
    for (; *out; out++)
        if ((uint8_t)*out < 0x20 || *out == 0x7f)
            *out = '?';
}

/* Adds a name to those of columns that are not read, as long as there is room. */
static void note_unread(char *list, size_t size, const char *name)
{
    static const char more[] = ", ...";
    const size_t used = strlen(list);
    if (used >= sizeof more && strcmp(list + used - sizeof more + 1, more) == 0)
        return;
    if (used + strlen(name) + 2 + sizeof more > size)
        name = more + 2;
    snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

/* Warns of a weight of another name, and the columns that are not read. */
static bonsai_status note_columns(table *t)
{
    bonsai_status rc = BONSAI_OK;
    const bn_edge_columns *k = t->k;
    char name[64], unread[192] = "";
    bn_field f;
    bn_lines_rewind(t->l);
    bn_lines_next(t->l);
    for (int64_t i = 0; i < k->columns; i++) {
        BN_TRY(bn_field_next(t->l, &f));
        show_name(name, sizeof name, &f, i);
        if (i == k->weight && !is_weight(&f))
            bn_warn(t->o, BONSAI_WARNING_WEIGHT_COLUMN, t->where, i + 1, name, "the third column, "
                    "%s, was read as the weights of the edges: call it weight if that is meant, or "
                    "leave it out (cut -d, -f1,2)", name);
        else if (i != k->weight && i != k->end[0] && i != k->end[1])
            note_unread(unread, sizeof unread, name);
    }
    if (*unread)
        bn_warn(t->o, BONSAI_WARNING_UNREAD_COLUMNS, t->where, 0, unread, "columns that are neither "
                "source, target nor weight were not read: %s", unread);
done:
    return rc;
}

bonsai_status bn_edge_columns_read(bn_edge_columns *k, bn_lines *l, const bn_nodes *listed,
                                   const char *where, const bonsai_read_options *o)
{
    bonsai_status rc = BONSAI_OK;
    table t = {.k = k, .l = l, .listed = listed, .where = where, .o = o};
    int64_t end[2];
    *k = (bn_edge_columns){.end = {0, 1}, .weight = -1};
    if (!bn_lines_next(l))
        return BONSAI_OK;
    BN_TRY(look_at(&t.first, l));
    k->columns = t.first.fields;
    const bool named = named_ends(end, &t.first);
    BN_TRY(check_count(&t, named));
    if (named)
        memcpy(k->end, end, sizeof k->end);
    k->header = k->columns > 3;
    if (!k->header)
        BN_TRY(find_header(&t, named));
    if (!k->header)
        memcpy(k->end, (const int64_t[2]){0, 1}, sizeof k->end);
    if (k->header && named)
        k->weight = t.first.weight;
    if (k->weight < 0 && k->columns == 3 && k->end[0] == 0 && k->end[1] == 1)
        k->weight = 2;
    if (k->header)
        BN_TRY(note_columns(&t));
done:
    return rc;
}
