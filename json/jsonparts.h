/* jsonparts.h -- the inside of values, for the files of json/.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_JSON_PARTS_H
#define BN_JSON_PARTS_H

#include "json.h"

typedef enum {
    KIND_NULL, KIND_FLAG, KIND_WHOLE, KIND_REAL, KIND_TEXT, KIND_ARRAY, KIND_OBJECT
} bn_json_kind;

/* A key and its value, and its place in the tree of keys (0: nothing there). */
typedef struct {
    char    *key;
    bn_json *value;
    uint32_t left, right, level;
} bn_json_pair;

typedef struct {
    bn_json **item;
    size_t    count, room;
} bn_json_items;

typedef struct {
    bn_json_pair *pair;         /* from 1; 0 is nothing */
    uint32_t      count, room;
    uint32_t      top;          /* of the tree */
} bn_json_pairs;

struct bn_json {
    bn_json_kind kind;
    bool         broken;        /* an array or an object without something it should have */
    uint32_t     owners;
    union {
        bool          flag;
        int64_t       whole;
        double        real;
        char         *text;
        bn_json_items array;
        bn_json_pairs object;
    } is;
};

bn_json *bn_json_new(bn_json_kind kind);                        /* NULL: no memory */
bn_json *bn_json_text_of(const char *text, size_t len);         /* which is UTF-8 */
char    *bn_json_copy(const char *text, size_t len);            /* ends with a zero */
/* Room for at least `need` items; false: no memory. */
bool     bn_json_grow(void **items, size_t *room, size_t need, size_t size);
void     bn_json_break(bn_json *v);
void     bn_json_pairs_free(bn_json_pairs *p);

#endif
