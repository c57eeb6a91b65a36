/* fields.h -- the table of option fields; reads, sets and checks members of any struct by it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_FIELDS_H
#define BN_FIELDS_H

#include "json.h"
#include "options.h"

enum { BN_MOST_DRAWS = 1000 };  /* splits of a study, and draws of a split */

typedef struct {                /* a struct of options */
    const char *name;
    size_t      size;
    const bonsai_field *field;  /* ended by a NULL name */
} bn_struct;

extern const bn_struct bn_structs[BONSAI_OPTIONS_COUNT];

/* The names of the methods, by bonsai_method, and of the metrics, by bonsai_metric. */
extern const char *const bn_method_words[BONSAI_METHOD_COUNT + 1];
extern const char *const bn_metric_words[BONSAI_METRIC_COUNT + 1];

/* Returns the field of that name, which must exist. */
const bonsai_field *bn_field_named(bonsai_options_kind kind, const char *name);
size_t bn_field_bytes(const bonsai_field *f);           /* of the member */
/* Returns the value as a number; 0 for a text, a pointer or a split. */
double bn_field_number(const bonsai_field *f, const void *options);
void bn_field_set(const bonsai_field *f, void *options, double value);
/* Writes the option's name in the program, without "--", into 48 bytes. */
const char *bn_field_option(char *name, const bonsai_field *f);

/* Returns whether a number is in range; the preset may be outside. */
bool bn_field_in_range(const bonsai_field *f, double value);
/* Fails if a number is out of range. */
bonsai_status bn_field_check(const bonsai_field *f, double value);
/* Fails if a value is neither its preset nor in range. */
bonsai_status bn_fields_check(bonsai_options_kind kind, const void *options);

/* Returns whether the option affects results, and so is recorded with them. */
bool bn_field_recorded(const bonsai_field *f);
/* Returns all recorded options as an object; NULL without memory. */
bn_json *bn_fields_json(bonsai_options_kind kind, const void *options);
/* Sets what the object names; skips texts and values out of range. */
void bn_fields_from_json(bonsai_options_kind kind, void *options, const bn_json *from);

#endif
