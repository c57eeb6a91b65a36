/* lines.h -- lines and fields of text, for every reader of text.
 *
 *     bn_lines l = {0};
 *     BN_TRY(bn_lines_open(&l, path));             // .gz is inflated
 *     while (bn_lines_next(&l)) {                  // comments and blank lines are skipped
 *         BN_TRY(bn_int_next(&l, &id));            // or bn_real_next, bn_field_next
 *         if (l.more)
 *             BN_TRY(bn_lines_fail(&l, "%lld has company", (long long)id));
 *     }
 *   done:
 *     bn_lines_close(&l);                          // a zeroed one is fine
 *
 * Fields are separated by commas, tabs, semicolons or runs of blanks: the first of
 * these that the first record has.  Blanks around a field do not count.  A field in
 * double quotes may hold separators, line ends, and quotes doubled.  Comments are
 * lines that start with # or %.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_LINES_H
#define BN_LINES_H

#include "base/base.h"

typedef struct {                /* good until the next field is read */
    const char *text;           /* NULL: the record has no further field */
    int64_t     len;
    bool        quoted;
} bn_field;

typedef struct {
    const char *path;           /* borrowed, for sentences */
    int64_t     line;           /* where the record starts, from 1 */
    bool        more;           /* the record has another field */
    char        separator;      /* ' ': runs of blanks; 0: not known yet */
    const char *data, *stop;    /* the whole text */
    const char *at, *end;       /* the rest of the record */
    const char *next;           /* what follows the record, after `lines` lines */
    int64_t     lines, tick;
    bn_file     file;           /* mapped, or */
    char       *inflated;       /* from a .gz */
    char       *room;           /* the last field, where its quotes had to be undoubled */
    int64_t     capacity;
} bn_lines;

bonsai_status bn_lines_open(bn_lines *l, const char *path);
void          bn_lines_close(bn_lines *l);
void          bn_lines_rewind(bn_lines *l);             /* keeps the separator */
/* Goes to the next record; false: there is none.  Fields not read are passed over. */
bool          bn_lines_next(bn_lines *l);
/* The next line if it is a comment, without its mark and blanks around it. */
bool          bn_comment_next(bn_lines *l, bn_field *out);
/* E_FORMAT and "PATH:LINE: sentence". */
bonsai_status bn_lines_fail(const bn_lines *l, const char *fmt, ...) BN_PRINTF(2, 3);
/* Tells how far reading is, now and then; call it per record and once at the end. */
bonsai_status bn_lines_tick(bn_lines *l, bn_progress p, const char *stage);

bonsai_status bn_field_next(bn_lines *l, bn_field *out);
bonsai_status bn_int_next(bn_lines *l, int64_t *out);   /* a missing field fails, too */
bonsai_status bn_real_next(bn_lines *l, float *out);    /* finite as a float */
/* An integer field, if the next one is nothing but that; false: nothing was read. */
bool          bn_int_try(bn_lines *l, int64_t *out);

bool bn_field_int(const bn_field *f, int64_t *out);     /* whether all of it is an integer */
bool bn_field_real(const bn_field *f, double *out);
bool bn_field_is(const bn_field *f, const char *word);  /* whatever the case of ASCII letters */
/* Whether it can be a name: UTF-8 without a zero byte; fails with a sentence. */
bonsai_status bn_field_name(const bn_lines *l, const bn_field *f);
/* For sentences: "%.*s" of a field, cut when long. */
int bn_field_show(const bn_field *f);

/* A whole file of numbers without a header, row by row, all rows of one length;
 * out is allocated by bn_grow.  An empty file has 0 rows and 0 columns. */
bonsai_status bn_csv_reals(float **out, int64_t *rows, int64_t *columns, const char *path,
                           bn_progress p);
bonsai_status bn_csv_ints(int64_t **out, int64_t *rows, int64_t *columns, const char *path,
                          bn_progress p);

/* All of a mapped .gz file, inflated (gzip.c); out is bn_free's. */
bonsai_status bn_gunzip(char **out, int64_t *len, const bn_file *f, const char *path);

#endif
