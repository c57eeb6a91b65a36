/* template.h -- fills templates with values: text files of HTML with tags in double braces.
 *
 *   {{name}}                 a text, escaped, or a number as people write it
 *   {{name FORMAT}}          in another format, listed in template.c: {{share percent}}
 *   {{#name}}...{{/name}}    once for each item of a list, once for another value; left out where
 *                            it is null, false, an empty text or an empty list
 *   {{?name}}...{{/name}}    once where {{#name}} is not left out, with the values around it
 *   {{^name}}...{{/name}}    where {{#name}} is left out
 *   {{>name}}                another template, with the same values
 *
 * Values are an object of JSON.  A name is looked up in the item of the innermost section first;
 * a.b is the member b of a.  {{.}} is the item itself, {{#later}} all items but the first of a
 * list, and a name that ends in ? may be missing.  Any other name that is missing fails, and so
 * does a section that is not closed.
 *
 * A template begins behind a line {{: name}} and ends at the next one.  Indentation is left out,
 * and so are a line break behind \ and the break of a line that holds one section tag alone.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TEMPLATE_H
#define BN_TEMPLATE_H

#include "draw.h"

/* Writes a template with values, which it frees.  A fault is remembered in the page. */
void bn_fill(bn_page *p, const char *name, bn_json *values);
/* Do the same with values that the caller keeps, and with a template that is given as text. */
void bn_fill_with(bn_page *p, const char *name, const bn_json *values);
void bn_fill_text(bn_page *p, const char *text, const bn_json *values);

/* Put the page's frame: <!doctype> ... <main>, with all CSS inside; and its end.  fragment: a
 * <div class="bonsai"> with the CSS scoped to it. */
void bn_page_begin(bn_page *p, const char *title, bool fragment);
void bn_page_end(bn_page *p, bool fragment);
/* Begin and end a section.  folded: the words to click on to open it; NULL: it is open. */
void bn_section_begin(bn_page *p, const char *id, const char *heading, const char *folded);
void bn_section_end(bn_page *p, const char *folded);

/* Return the number, NAN if it is not one; and the text of a member, "" if it has none. */
double bn_real_of(const bn_json *v);
const char *bn_text_of(const bn_json *object, const char *key);
/* Returns a tick at a share of an axis: {at, text}. */
bn_json *bn_axis_tick(double v, double share, bool power);

#endif
