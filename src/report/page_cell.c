/* page_cell.c -- a number with all that is known of it, and marks that say how it compares.
 *
 * The number stands above the size of the small graph that it is of.  How often it was measured
 * and what it was compared with appear when the mouse rests on the cell; the same words are in the
 * page for those who hear it or who ask for them by the box above the tables.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tables.h"

/* Returns "83.95 ± 0.39"; "<0.01" if it rounds to 0 but is not 0; or the cell's own text. */
static bn_json *value_of(const bn_json *cell, int decimals)
{
    const double v = bn_real_of(bn_json_get(cell, "value")), least = pow(10, -decimals);
    const double spread = bn_real_of(bn_json_get(cell, "spread"));
    const bool tiny = v > 0 && v < least / 2;
    char text[64], error[64];
    if (bn_json_is_text(bn_json_get(cell, "text")))
        return bn_json_text(bn_text_of(cell, "text"));
    bn_fixed(text, tiny ? least : v, decimals, true);
    if (!isfinite(v) || tiny || !isfinite(spread))
        return bn_json_textf("%s%s", tiny ? "<" : "", text);
    bn_fixed(error, spread, decimals, true);
    return bn_json_textf("%s ± %s", text, error);
}

/* Adds "5 runs" and what follows it to the list, if the cell has the number. */
static void add_count(bn_json *list, const bn_json *cell, const char *key, const char *more)
{
    const double v = bn_real_of(bn_json_get(cell, key));
    const size_t letters = strlen(key) - (v == 1 && key[strlen(key) - 1] == 's');
    char text[64];
    bn_number_text(text, v);
    if (isfinite(v))
        bn_json_add(list, bn_json_textf("%s\u00a0%.*s%s", text, (int)letters, key, more));
}

static bn_json *size_of(const bn_json *cell)
{
    const double bytes = bn_real_of(bn_json_get(cell, "bytes"));
    const double share = bn_real_of(bn_json_get(cell, "share"));
    char text[64];
    bn_json *list = bn_json_array();
    add_count(list, cell, "nodes", "");
    add_count(list, cell, "edges", "");
    bn_bytes_text(text, bytes);
    if (isfinite(bytes))
        bn_json_add(list, bn_json_text(text));
    bn_percent_text(text, share);
    if (isfinite(share))
        bn_json_add(list, bn_json_textf("%s of\u00a0bytes", text));
    if (*bn_text_of(cell, "cut"))
        bn_json_add(list, bn_json_text(bn_text_of(cell, "cut")));
    return list;
}

static bn_json *measured(const bn_json *cell)
{
    static const char *const key[] = {"labelled", "features", "splits", "draws", "runs"};
    bn_json *list = bn_json_array();
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        add_count(list, cell, key[i], i == 0 ? "\u00a0nodes" : "");
    return list;
}

typedef enum { NONE, SAME, BETTER, WORSE, VERDICTS } verdict;

/* Returns the verdict of a cell; a graph that is not small is never called better. */
static verdict verdict_of(const bn_json *cell)
{
    const char *word = bn_text_of(cell, "verdict");
    if (strcmp(word, "better") == 0)
        return bn_json_is_true(bn_json_get(cell, "large")) ? NONE : BETTER;
    return strcmp(word, "worse") == 0 ? WORSE : strcmp(word, "same") == 0 ? SAME : NONE;
}

/* Returns the verdict in words, or null if there is none. */
static bn_json *words_of(const bn_json *cell, verdict v)
{
    static const char *const words[VERDICTS] = {"", "no clear difference from ", "better than ",
                                                "worse than "};
    const char *against = bn_text_of(cell, "against");
    if (v == NONE)
        return bn_json_null();
    return bn_json_textf("%s%.200s", words[v], *against ? against : "published");
}

/* Returns the number of the reason from 1; NAN: there is none, or no room. */
static double note_of(bn_notes *n, const char *reason)
{
    if (!*reason)
        return NAN;
    for (int i = 0; i < n->count; i++)
        if (strcmp(n->reason[i], reason) == 0)
            return i + 1;
    if (n->count == BN_MOST_NOTES)
        return NAN;
    n->reason[n->count] = reason;
    return ++n->count;
}

static bn_json *css_of(const bn_json *cell, const bn_cell_style *s, verdict v)
{
    static const char *const css[VERDICTS] = {"", "", " better", " worse"};
    const bool words = bn_json_is_text(bn_json_get(cell, "text")) && s->from != BN_FROM_PUBLISHED;
    return bn_json_textf("%s%s%s%s", bn_sources[s->from].word, css[v],
                         bn_json_is_true(bn_json_get(cell, "large")) ? " large" : "",
                         words ? " text" : "");
}

bn_json *bn_cell_values(const bn_json *cell, const bn_cell_style *s)
{
    static const char *const sign[VERDICTS] = {NULL, NULL, "★", "▼"};
    const verdict v = verdict_of(cell);
    const char *broken = bn_text_of(cell, "broken");
    bn_json *more = measured(cell);
    const bool told = v != NONE || bn_json_count(more) > 0;
    return bn_json_pack("{so,so,ss?,sb,so,sf,si,ss,sb,sb,sb,so,so,sb}", "css", css_of(cell, s, v),
                        "value", value_of(cell, s->decimals), "sign", sign[v],
                        "better", v == BETTER, "words", words_of(cell, v),
                        "note", note_of(s->notes, broken), "table", s->notes->table,
                        "broken", broken, "told", told, "title", told || *broken,
                        "than", v > SAME, "size", size_of(cell), "more", more,
                        "large", bn_json_is_true(bn_json_get(cell, "large")));
}
