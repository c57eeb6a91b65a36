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
#include "json.h"

enum { NAMES = 7 };

static const char *const names[2][NAMES] = {
    {"source", "src", "from", "u", "node1", "id1", "start"},
    {"target", "dst", "to", "v", "node2", "id2", "end"},
};

typedef struct {
    bn_edge_columns *k;
    bn_table *t;
    const bn_nodes *listed;
    const char *where;          /* the graph, for warnings */
    const bonsai_read_options *o;
    bool named;                 /* the first line names both ends */
    bool here[2];               /* it calls the first column a source, the second a target */
} search;

static bool is_weight(const bn_field *f)
{
    return bn_field_is(f, "weight") || bn_field_is(f, "weights") || bn_field_is(f, "w");
}

/* Finds the columns that the first line calls source and target: those of the pair that comes first
 * in the lists of names, as source and target; else those of any two names. */
static void find_ends(search *s)
{
    int64_t any[2] = {-1, -1}, *end = s->k->end;
    end[0] = end[1] = -1;
    for (int i = NAMES; i-- > 0;) {
        const int64_t at[2] = {bn_table_column(s->t, names[0][i]),
                               bn_table_column(s->t, names[1][i])};
        for (int side = 0; side < 2; side++) {
            any[side] = at[side] >= 0 ? at[side] : any[side];
            s->here[side] |= at[side] == side;
        }
        if (at[0] >= 0 && at[1] >= 0)
            memcpy(end, at, sizeof at);
    }
    if (end[0] < 0)
        memcpy(end, any, sizeof any);
    s->named = end[0] >= 0 && end[1] >= 0;
    if (!s->named || (s->here[0] && s->here[1] && s->k->columns <= 3))
        memcpy(end, (const int64_t[2]){0, 1}, sizeof any);
}

static int64_t count_numbers(const bn_table *t, int record)
{
    int64_t numbers = 0;
    for (int64_t i = 0; i < t->record[record].count; i++) {
        const bn_field f = bn_cell(t, record, i);
        numbers += bn_field_is_real(&f);
    }
    return numbers;
}

/* Returns whether the list of nodes has one of the ends of a record. */
static bool is_listed(const search *s, int record)
{
    for (int i = 0; i < 2; i++) {
        const bn_field f = bn_cell(s->t, record, s->k->end[i]);
        if (bn_ids_find(&s->listed->ids, f.text, f.len) >= 0)
            return true;
    }
    return false;
}

/* Returns whether both ends occur in the first line alone. */
static bonsai_status is_alone(bool *alone, const search *s)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t *end = s->k->end, last = end[0] > end[1] ? end[0] : end[1];
    bool found = false;
    for (int i = 0; i < 2 && !found; i++) {
        const bn_field word = bn_cell(s->t, 0, end[i]);
        found = word.len == 0;
        if (!found)
            BN_TRY(bn_table_occurs(&found, s->t, word, 0, last + 1));
    }
    *alone = !found;
done:
    return rc;
}

static bool has_digit(const bn_table *t, int record)
{
    for (int64_t i = 0; i < 2; i++) {
        const bn_field f = bn_cell(t, record, i);
        for (int64_t j = 0; j < f.len; j++)
            if (f.text[j] >= '0' && f.text[j] <= '9')
                return true;
    }
    return false;
}

/* Decides if a line of words is a header: if no file lists these as nodes but those of the next
 * line, or if one is a column's name and none is a node of another line.  If they only look unlike
 * the others, the line stays an edge, and a warning says so. */
static bonsai_status judge_words(search *s)
{
    bonsai_status rc = BONSAI_OK;
    bool alone;
    const bool named = s->named || s->here[0] || s->here[1];
    if (s->listed) {
        s->t->header = s->listed->kind == BN_NAMES && !is_listed(s, 0) && is_listed(s, 1);
        return BONSAI_OK;
    }
    if (!named && (has_digit(s->t, 0) || !has_digit(s->t, 1)))
        return BONSAI_OK;
    BN_TRY(is_alone(&alone, s));
    s->t->header = alone && named;
    if (alone && !named)
        bn_warn(s->o, BONSAI_WARNING_HEADER, s->where, 0, "", "the first line was read as an edge, "
                "but no other has these nodes: if it names the columns, call them source and "
                "target");
done:
    return rc;
}

/* Decides if the first of up to three columns is a header: if it names both ends in their place,
 * or has no number while the second line has only numbers or a weight. */
static bonsai_status find_header(search *s, int64_t numbers)
{
    const int64_t columns = s->k->columns;
    const bn_field weight = bn_cell(s->t, 1, 2);
    const bool like = numbers == 0 && s->t->record[1].count == columns;
    s->t->header = (s->here[0] && s->here[1]) ||
                   (like && (count_numbers(s->t, 1) == columns ||
                             (columns == 3 && bn_field_is_real(&weight))));
    return like && !s->t->header ? judge_words(s) : BONSAI_OK;
}

const char *bn_cut_ends(char separator)
{
    return separator == ',' ? "cut -d, -f1,2" : separator == ';' ? "cut -d';' -f1,2"
           : separator == '\t' ? "cut -f1,2" : "awk '{print $1, $2}'";
}

static bonsai_status check_count(const search *s, int64_t numbers)
{
    const int64_t columns = s->k->columns;
    if (columns < 2)
        return bn_table_fail(s->t, 0, "one column where a source, a target and perhaps a weight "
                             "are needed");
    if (columns > 2 && !s->named && numbers == 0 && bn_cell(s->t, 0, 0).len == 0)
        return bn_table_fail(s->t, 1, "the first column has no name, as where pandas wrote its "
                             "index: leave it out with to_csv(index=False), or call two of the "
                             "others source and target");
    if (columns > 3 && !s->named)
        return bn_table_fail(s->t, 0, "%lld columns where a source, a target and perhaps a weight "
                             "are needed: call two of them source and target in the first line, or "
                             "keep two alone, such as the first two by %s", (long long)columns,
                             bn_cut_ends(s->t->l.separator));
    return BONSAI_OK;
}

/* Writes the name of a column for a message; its number, if it has none. */
static void show_name(char *out, size_t size, const bn_field *f, int64_t column)
{
    int len = bn_field_show(f);
    while (len > 0 && len < f->len && ((uint8_t)f->text[len] & 0xc0) == 0x80)
        len--;                          /* no part of a character */
    if (len == 0)
        snprintf(out, size, "column %lld", (long long)column + 1);
    else
        snprintf(out, size, "%.*s", len, f->text);
    bn_utf8_clean(out, '?');
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

/* Warns of a weight of another name, and of the columns that are not read. */
static void warn_columns(const search *s)
{
    const bn_edge_columns *k = s->k;
    char name[64], unread[192] = "";
    for (int64_t i = 0; i < k->columns; i++) {
        const bn_field f = bn_cell(s->t, 0, i);
        show_name(name, sizeof name, &f, i);
        if (i == k->weight && !is_weight(&f))
            bn_warn(s->o, BONSAI_WARNING_WEIGHT_COLUMN, s->where, i + 1, name, "the third column, "
                    "%s, was read as the weights of the edges: call it weight if that is meant, or "
                    "leave it out (cut -d, -f1,2)", name);
        else if (i != k->weight && i != k->end[0] && i != k->end[1])
            note_unread(unread, sizeof unread, name);
    }
    if (*unread)
        bn_warn(s->o, BONSAI_WARNING_UNREAD_COLUMNS, s->where, 0, unread, "columns that are "
                "neither source, target nor weight were not read: %s", unread);
}

static int64_t named_weight(const bn_table *t)
{
    for (int64_t i = 0; i < t->record[0].count; i++) {
        const bn_field f = bn_cell(t, 0, i);
        if (is_weight(&f))
            return i;
    }
    return -1;
}

bonsai_status bn_edge_columns_find(bn_edge_columns *k, bn_table *t, const bn_nodes *listed,
                                   const char *where, const bonsai_read_options *o)
{
    bonsai_status rc = BONSAI_OK;
    search s = {.k = k, .t = t, .listed = listed, .where = where, .o = o};
    const int64_t numbers = count_numbers(t, 0);
    *k = (bn_edge_columns){.columns = t->record[0].count, .end = {0, 1}, .weight = -1};
    if (k->columns == 0)
        return BONSAI_OK;
    find_ends(&s);
    BN_TRY(check_count(&s, numbers));
    t->header = k->columns > 3;
    if (!t->header)
        BN_TRY(find_header(&s, numbers));
    if (!t->header)
        memcpy(k->end, (const int64_t[2]){0, 1}, sizeof k->end);
    if (t->header && s.named)
        k->weight = named_weight(t);
    if (k->weight < 0 && k->columns == 3 && k->end[0] == 0 && k->end[1] == 1)
        k->weight = 2;
    if (t->header)
        warn_columns(&s);
done:
    return rc;
}
