/* page_cell.c -- a number with all that is known of it, and marks that say how it compares.
 *
 * The number stands above the size of the small graph that it is of.  How often it was measured
 * and what it was compared with appear when the mouse rests on the cell; the same words are in the
 * page for those who hear it or who ask for them by the box above the tables.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tables.h"

const char *bn_text_of(const bn_json *object, const char *key)
{
    const char *text = bn_json_as_text(bn_json_get(object, key));
    return text ? text : "";
}

/* ---- the number ---------------------------------------------------------- */

/* "83.95 ± 0.39"; "<0.01" if it rounds to 0 but is not 0; or the cell's own text. */
static void put_value(bn_page *p, const bn_json *cell, int decimals)
{
    const bn_json *value = bn_json_get(cell, "value"), *spread = bn_json_get(cell, "spread");
    double v = bn_json_as_number(value), least = pow(10, -decimals);
    if (bn_json_is_text(bn_json_get(cell, "text"))) {
        bn_escape(p, bn_text_of(cell, "text"));
        return;
    }
    if (!bn_json_is_number(value)) {
        bn_put(p, "–");
        return;
    }
    if (v > 0 && v < least / 2) {
        bn_put(p, "&lt;");
        bn_put_fixed(p, least, decimals);
        return;
    }
    bn_put_fixed(p, v, decimals);
    if (bn_json_is_number(spread)) {
        bn_put(p, " ± ");
        bn_put_fixed(p, bn_json_as_number(spread), decimals);
    }
}

/* ---- what is known of it ------------------------------------------------- */

/* "; 5 runs", or nothing if the cell does not say.  Returns whether it did. */
static bool put_count(bn_page *p, const bn_json *cell, const char *key, const char *before)
{
    const bn_json *n = bn_json_get(cell, key);
    if (!bn_json_is_number(n))
        return false;
    double v = bn_json_as_number(n);
    size_t letters = strlen(key) - (v == 1 && key[strlen(key) - 1] == 's');
    bn_put(p, before);
    bn_put_number(p, v);
    bn_putf(p, "\u00a0%.*s", (int)letters, key);
    return true;
}

static void put_size(bn_page *p, const bn_json *cell)
{
    const bn_json *bytes = bn_json_get(cell, "bytes"), *share = bn_json_get(cell, "share");
    bool any = put_count(p, cell, "nodes", "<small>");
    any = put_count(p, cell, "edges", any ? ", " : "<small>") || any;
    if (bn_json_is_number(bytes)) {
        bn_put(p, any ? ", " : "<small>");
        bn_put_bytes(p, bn_json_as_number(bytes));
        any = true;
    }
    if (bn_json_is_number(share)) {
        bn_put(p, any ? ", " : "<small>");
        bn_put_percent(p, bn_json_as_number(share));
        bn_put(p, " of\u00a0bytes");
        any = true;
    }
    if (*bn_text_of(cell, "cut")) {
        bn_put(p, any ? ", " : "<small>");
        bn_escape(p, bn_text_of(cell, "cut"));
        any = true;
    }
    bn_put(p, any ? "</small>" : "");
}

typedef enum { NONE, SAME, BETTER, WORSE, VERDICTS } verdict;

/* A small graph that is not small is never called better. */
static verdict verdict_of(const bn_json *cell)
{
    const char *word = bn_text_of(cell, "verdict");
    if (strcmp(word, "better") == 0)
        return bn_json_is_true(bn_json_get(cell, "large")) ? NONE : BETTER;
    return strcmp(word, "worse") == 0 ? WORSE : strcmp(word, "same") == 0 ? SAME : NONE;
}

static void put_verdict(bn_page *p, const bn_json *cell)
{
    static const char *const words[VERDICTS] = {"", "no clear difference from ", "better than ",
                                                "worse than "};
    const char *against = bn_text_of(cell, "against");
    bn_put(p, words[verdict_of(cell)]);
    bn_escape_cut(p, *against ? against : "published", BN_LONGEST_NAME);
}

static bool put_more(bn_page *p, const bn_json *cell, const char *before)
{
    bool any = put_count(p, cell, "labelled", before);
    if (any)
        bn_put(p, "\u00a0nodes");
    any = put_count(p, cell, "features", any ? ", " : before) || any;
    any = put_count(p, cell, "splits", any ? ", " : before) || any;
    any = put_count(p, cell, "draws", any ? ", " : before) || any;
    any = put_count(p, cell, "runs", any ? ", " : before) || any;
    if (verdict_of(cell) != NONE) {
        bn_put(p, any ? "; " : before);
        put_verdict(p, cell);
        any = true;
    }
    return any;
}

/* ---- broken figures ------------------------------------------------------ */

/* The number of the reason from 1; 0: there is none, or no room. */
static int note_of(bn_notes *n, const char *reason)
{
    if (!*reason)
        return 0;
    for (int i = 0; i < n->count; i++)
        if (strcmp(n->reason[i], reason) == 0)
            return i + 1;
    if (n->count == BN_MOST_NOTES)
        return 0;
    n->reason[n->count] = reason;
    return ++n->count;
}

static void put_dagger(bn_page *p, const bn_json *cell, bn_notes *n)
{
    int note = note_of(n, bn_text_of(cell, "broken"));
    if (note)
        bn_putf(p, "<sup><a href=\"#n%d-%d\" aria-label=\"note %d\">†%d</a></sup>", n->table, note,
                note, note);
}

void bn_put_notes(bn_page *p, const bn_notes *n)
{
    if (n->count == 0)
        return;
    bn_put(p, "<ul class=\"notes\">\n");
    for (int i = 0; i < n->count; i++) {
        bn_putf(p, "<li id=\"n%d-%d\"><b>†%d</b> ", n->table, i + 1, i + 1);
        bn_escape(p, n->reason[i]);
        bn_put(p, "</li>\n");
    }
    bn_put(p, "</ul>\n");
}

/* ---- the cell ------------------------------------------------------------ */

static void put_title(bn_page *p, const bn_json *cell)
{
    const char *broken = bn_text_of(cell, "broken");
    bool any = put_more(p, cell, " title=\"");
    if (*broken) {
        bn_put(p, any ? "; broken: " : " title=\"broken: ");
        bn_escape(p, broken);
        any = true;
    }
    bn_put(p, any ? "\"" : "");
}

static void put_below(bn_page *p, const bn_json *cell)
{
    if (verdict_of(cell) > SAME) {
        bn_put(p, "<small class=\"than\">");
        put_verdict(p, cell);
        bn_put(p, "</small>");
    }
    put_size(p, cell);
    if (bn_json_is_true(bn_json_get(cell, "large")))
        bn_put(p, "<small class=\"much\">more than half of the bytes</small>");
    if (put_more(p, cell, "<small class=\"more\">"))
        bn_put(p, "</small>");
}

void bn_put_value_cell(bn_page *p, const bn_json *cell, const bn_cell_style *s)
{
    static const char *const css[VERDICTS] = {"", "", " better", " worse"};
    static const char *const mark[VERDICTS] = {"", "", "<span class=\"sign\">★</span> ",
                                               "<span class=\"sign\">▼</span> "};
    const verdict v = verdict_of(cell);
    const bool words = bn_json_is_text(bn_json_get(cell, "text")) &&
                       s->from != BN_FROM_PUBLISHED;
    bn_putf(p, "<td class=\"%s%s%s%s\"", bn_sources[s->from].word, css[v],
            bn_json_is_true(bn_json_get(cell, "large")) ? " large" : "", words ? " text" : "");
    put_title(p, cell);
    bn_putf(p, ">%s%s", mark[v], v == BETTER ? "<b class=\"v\">" : "<span class=\"v\">");
    put_value(p, cell, s->decimals);
    bn_put(p, v == BETTER ? "</b>" : "</span>");
    put_dagger(p, cell, s->notes);
    put_below(p, cell);
    bn_put(p, "</td>");
}
