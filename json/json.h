/* json.h -- JSON for the library and for the program: values, a parser and a printer.
 *
 * Out of memory is found once, at the end.  A value that could not be made is NULL; a list or an
 * object that misses a part because of that is broken.  Every function takes NULL and broken
 * values, so that code which builds values checks nothing.  bn_json_print refuses to print a
 * broken value, and bn_json_sound finds one that is not printed.
 *
 * A value has owners; bn_json_free gives up one of them.  Lists and objects own their items.
 * Objects keep their keys in the order in which they were set.  Text is UTF-8 without zeros.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_JSON_H
#define BN_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bn_json bn_json;

/* ---- memory: the library and the program each define these two ---- */

void *bn_json_room(void *old, size_t bytes);    /* as realloc */
void  bn_json_drop(void *room);                 /* as free; also for printed text */

/* ---- values (jsonvalue.c, jsonobject.c) ---- */

bn_json *bn_json_null(void);
bn_json *bn_json_flag(bool value);
bn_json *bn_json_whole(int64_t value);
bn_json *bn_json_real(double value);            /* null for what is not finite */
/* Text that is not UTF-8 gets a '?' for every byte above 126. */
bn_json *bn_json_text(const char *text);
bn_json *bn_json_textf(const char *format, ...) __attribute__((format(printf, 1, 2)));
bn_json *bn_json_array(void);
bn_json *bn_json_object(void);
bn_json *bn_json_keep(bn_json *v);              /* the same value, with one more owner */
void     bn_json_free(bn_json *v);

/* These take the value.  bn_json_add returns it, NULL if it could not be added. */
bn_json *bn_json_add(bn_json *array, bn_json *value);
void bn_json_set(bn_json *object, const char *key, bn_json *value);
void bn_json_update(bn_json *object, bn_json *with);    /* sets all keys of `with` */

/* Builds a value from a format: s text (s? NULL is null; s% text and its size_t length), i int,
 * I int64_t, f double, b flag, n null, o a value that it takes, O one that it keeps, [...] and
 * {...} with text before each value.  Spaces, commas and colons mean nothing. */
bn_json *bn_json_pack(const char *format, ...);

/* Whether it is there, with every part that it should have. */
bool bn_json_sound(const bn_json *v);
bool bn_json_equal(const bn_json *a, const bn_json *b);

/* ---- reading values; what is asked of NULL or of another kind is NULL, 0 or false ---- */

bool bn_json_is_null(const bn_json *v);
bool bn_json_is_flag(const bn_json *v);
bool bn_json_is_true(const bn_json *v);
bool bn_json_is_whole(const bn_json *v);
bool bn_json_is_real(const bn_json *v);
bool bn_json_is_number(const bn_json *v);       /* whole or real */
bool bn_json_is_text(const bn_json *v);
bool bn_json_is_array(const bn_json *v);
bool bn_json_is_object(const bn_json *v);
int64_t     bn_json_as_whole(const bn_json *v);
double      bn_json_as_number(const bn_json *v);
const char *bn_json_as_text(const bn_json *v);
size_t      bn_json_count(const bn_json *array);
bn_json    *bn_json_at(const bn_json *array, size_t i);
bn_json    *bn_json_get(const bn_json *object, const char *key);
/* The ith key of an object, NULL after the last, and its value. */
const char *bn_json_key(const bn_json *object, size_t i);
bn_json    *bn_json_value(const bn_json *object, size_t i);

/* ---- text (jsonparse.c, jsonprint.c) ---- */

typedef struct {
    bool no_memory;             /* else the text is wrong */
    int  line;
    char text[160];             /* what is wrong */
} bn_json_error;

enum { BN_JSON_UNIQUE = 1 };    /* refuse an object that has a key twice; else the last counts */

/* Reads an array or an object.  NULL: error says why (it may be NULL). */
bn_json *bn_json_parse(const char *text, size_t size, int flags, bn_json_error *error);
/* On one line, or indented; reals with that many digits.  NULL: no memory, or v is broken. */
char *bn_json_print(const bn_json *v, int indent, int digits);

/* ---- UTF-8 (utf8.c) ---- */

/* Returns the bytes of the character at s, of which len may be read, and stores its code; 0 if it is
 * not well-formed. */
int bn_utf8_decode(uint32_t *code, const uint8_t *s, int64_t len);
/* Returns the offset of the first byte that is not well-formed; len if all are. */
int64_t bn_utf8_bad(const uint8_t *s, int64_t len);
/* Returns whether a character steers a terminal or changes the direction of text. */
bool bn_utf8_is_harmful(uint32_t code);
/* Replaces every harmful character, and every byte that is not UTF-8. */
void bn_utf8_clean(char *text, char instead);

#endif
