/* text.h -- numbers and names for people, and text in lines that fit the terminal.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_TEXT_H
#define BONSAI_TEXT_H

#include "bonsai_study.h"

void text_grouped(char *buf, size_t size, int64_t value);       /* 1,234,567 */
void text_bytes(char *buf, size_t size, double bytes);          /* 1.2 MB */
const char *text_s(int64_t count);                      /* behind a noun: "" for 1, else "s" */
/* Cuts the next piece off "a,b,c"; returns 0 if none is left. */
int  text_piece(char *piece, size_t size, const char **at);
/* Writes a path as a word for the shell, quoted if necessary; returns 0 without room. */
int  text_word(char *out, size_t size, const char *text);
int  text_is_utf8(void);                                /* the locale */
/* Returns the name nearest to word, NULL if none is near. */
const char *text_nearest(const char *word, const char *const *names, int count);

/* Lines that fit.  A file or a pipe is as wide as $COLUMNS says, or 80 columns. */
int  terminal_columns(int fd);
int  line_columns(void);                                /* of stdout, at least 60 */
int  prose_columns(void);                               /* the same, at most 80 */
int  text_width(const char *text);                      /* in columns */
/* Returns the bytes of text that fit a line; then the text of the next line. */
size_t text_line(const char *text, int columns);
const char *text_after(const char *text, size_t bytes);
void text_cut(char *out, size_t size, const char *text, int columns);   /* with a mark at the end */
/* Writes text to stdout from column `at` on, further lines indented; returns the last column. */
int  put_wrapped(const char *text, int at, int indent, int columns);
/* Writes paragraphs.  A single end of a line inside becomes a space; two, or one at either end, an
 * empty line. */
void put_prose(const char *format, ...) __attribute__((format(printf, 1, 2)));
void put_command(const char *line, int bytes);          /* wraps as a shell reads it */
void put_next(const char *line);                        /* the same behind "next:" */
void put_examples(const char *lines);                   /* commands, below their title */

/* Draws the shares of a suggestion over the logarithms of their ratios on stdout, beside the full
 * graph's and the one to keep (curve.c). */
void curve_put(const bonsai_suggestion *s);

#endif
