/* lines.h -- splits text into lines and fields, for all text readers.
 *
 *     bn_lines l = {0};
 *     BN_TRY(bn_lines_open(&l, path));             // .gz is inflated
 *     while (bn_lines_next(&l)) {                  // skips comments and blank lines
 *         BN_TRY(bn_int_next(&l, &id));            // or bn_real_next, bn_field_next
 *         if (l.more)
 *             BN_TRY(bn_lines_fail(&l, "another field follows %lld", (long long)id));
 *     }
 *   done:
 *     bn_lines_close(&l);                          // a zeroed bn_lines is allowed
 *
 * Commas, tabs, semicolons or runs of blanks separate fields: the first of these that occurs in the
 * first record, in which the next must not occur too.  Blanks around a field are ignored.  A field
 * in double quotes may contain separators, line ends and doubled quotes.  Lines end with LF, CR LF
 * or CR.  Comments are lines that start with # or %.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_LINES_H
#define BN_LINES_H

#include "base/base.h"

typedef struct {                /* valid until the next field is read */
    const char *text;           /* NULL: the record has no more fields */
    int64_t     len;
    bool        quoted;
} bn_field;

typedef struct {
    const char *path;           /* borrowed, for error messages */
    const char *hint;           /* what to do about text where a number is needed; NULL: nothing */
    int64_t     line;           /* where the record starts, from 1 */
    bool        more;           /* the record has another field */
    char        separator;      /* ' ': runs of blanks; 0: there is no record */
    const char *data, *stop;    /* the whole text */
    const char *start;          /* of the record */
    const char *at, *end;       /* the rest of it */
    const char *next;           /* the text after the record, where line `lines` + 1 starts */
    const char *feed;           /* after the next line feed, if that is not before next */
    int64_t     gap;            /* the first line skipped since the record before; 0: none was */
    int64_t     lines, tick;
    bn_file     file;           /* mapped, or */
    char       *inflated;       /* from a .gz */
    char       *room;           /* the last field, if its doubled quotes had to be undone */
    int64_t     capacity;
} bn_lines;

bonsai_status bn_lines_open(bn_lines *l, const char *path);
void          bn_lines_close(bn_lines *l);
void          bn_lines_rewind(bn_lines *l);             /* keeps the separator */
/* Goes to the next record and skips unread fields; returns false at the end. */
bool          bn_lines_next(bn_lines *l);
/* Fails if lines were skipped between this record and the one before: where the order of records
 * says what they belong to, one may be missing. */
bonsai_status bn_lines_close_up(const bn_lines *l);
/* Reads the next line if it is a comment, without its mark and the blanks around it. */
bool          bn_comment_next(bn_lines *l, bn_field *out);
/* Fails with E_FORMAT and "PATH:LINE: message". */
bonsai_status bn_lines_fail(const bn_lines *l, const char *fmt, ...) BN_PRINTF(2, 3);
/* Reports progress now and then; call it for each record and once at the end. */
bonsai_status bn_lines_tick(bn_lines *l, bn_progress p, const char *stage);
/* Goes to the next record and reports progress.  False: there is none, or *rc says why not. */
bool bn_lines_row(bn_lines *l, bn_progress p, const char *stage, bonsai_status *rc);

bonsai_status bn_field_next(bn_lines *l, bn_field *out);
bonsai_status bn_int_next(bn_lines *l, int64_t *out);   /* fails if there is no field */
bonsai_status bn_real_next(bn_lines *l, float *out);    /* a number that is finite as a float */
/* Reads the next field if it is such a number; else reads nothing, returns false. */
bool          bn_real_try(bn_lines *l, float *out);
/* Reads the next field if it is an integer and nothing else; else reads nothing, returns false. */
bool          bn_int_try(bn_lines *l, int64_t *out);

bool bn_field_int(const bn_field *f, int64_t *out);     /* whether the whole field is an integer */
bool bn_field_real(const bn_field *f, double *out);
bool bn_field_value(const bn_field *f, double *out);   /* the same, or true and false: 1 and 0 */
bool bn_field_is(const bn_field *f, const char *word);  /* ignores the case of ASCII letters */
/* Fails if the field cannot be a name: names are UTF-8 without a zero byte. */
bonsai_status bn_field_name(const bn_lines *l, const bn_field *f);
/* Also fails if it looks like several numbers, as a row with other separators does. */
bonsai_status bn_field_id(const bn_lines *l, const bn_field *f);
/* Returns how many bytes of a field to print with "%.*s" in a message; long fields are cut. */
int bn_field_show(const bn_field *f);

/* Inflates a mapped .gz file (gzip.c); free out with bn_free. */
bonsai_status bn_gunzip(char **out, int64_t *len, const bn_file *f, const char *path);
/* zlib's doors to bn_new and bn_free. */
void *bn_zlib_alloc(void *opaque, unsigned count, unsigned item);
void  bn_zlib_free(void *opaque, void *p);

#endif
