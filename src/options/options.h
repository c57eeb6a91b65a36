/* options.h -- reads structs of options that may grow, and fills structs of results that may.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_OPTIONS_H
#define BN_OPTIONS_H

#include "base/base.h"

/* Copies the caller's struct (its first member is its size) over the defaults; NULL means the
 * defaults.  name: of the struct, for errors. */
bonsai_status bn_options_merge(void *out, const void *defaults, size_t full, const void *given,
                               const char *name);
/* Does the same for a struct of options, with the presets of fields.c; fails if a value is out of
 * range. */
bonsai_status bn_options_read(void *out, const void *given, bonsai_options_kind kind);
enum {
    bn_kind_read = BONSAI_OPTIONS_READ, bn_kind_write = BONSAI_OPTIONS_WRITE,
    bn_kind_generate = BONSAI_OPTIONS_GENERATE, bn_kind_condense = BONSAI_OPTIONS_CONDENSE,
    bn_kind_train = BONSAI_OPTIONS_TRAIN, bn_kind_plan = BONSAI_OPTIONS_PLAN,
    bn_kind_compare = BONSAI_OPTIONS_COMPARE, bn_kind_report = BONSAI_OPTIONS_REPORT,
    bn_kind_suggest = BONSAI_OPTIONS_SUGGEST
};
#define BN_OPTIONS(out, given, kind) \
    bn_options_read((out), (given), (bonsai_options_kind)bn_kind_##kind)

/* Fills the caller's struct of `size` bytes with defaults of `full` bytes; stamps it with its
 * size. */
void bn_init_sized(void *out, size_t size, const void *defaults, size_t full);
/* Check and fill a result of the caller, who sets its size: check fails on NULL and on a struct
 * without a size, fill copies as much of ours (which has its own size) as fits. */
bonsai_status bn_result_check(const void *out, const char *name);
void bn_result_fill(void *out, const void *ours);
/* Copies the caller's array of structs, each over an empty one of ours; all have the size of the
 * first.  *out is NULL without structs; the caller frees it. */
bonsai_status bn_structs_read(void **out, const void *empty, const void *given, int64_t count,
                              const char *name);
extern const bonsai_cell bn_cell_empty;
extern const bonsai_power bn_power_empty;
void *bn_structs_at(const void *given, int64_t i);      /* in the caller's array */

#endif
