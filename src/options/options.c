/* options.c -- fills structs of options that may grow with presets, and copies the caller's over
 * them.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fields.h"

typedef union {                 /* room for any of them */
    bonsai_read_options read;
    bonsai_write_options write;
    bonsai_generate_options generate;
    bonsai_condense_options condense;
    bonsai_train_options train;
    bonsai_shape shape;
    bonsai_plan_options plan;
    bonsai_compare_options compare;
    bonsai_report_options report;
    bonsai_suggest_options suggest;
} any_options;

static void set_presets(void *out, bonsai_options_kind kind)
{
    const bn_struct *form = &bn_structs[kind];
    memset(out, 0, form->size);
    memcpy(out, &form->size, sizeof form->size);
    for (const bonsai_field *f = form->field; f->name; f++)
        if (f->preset != 0)
            bn_field_set(f, out, f->preset);
}

enum { NO_STRUCT = 4096 };      /* bytes, more than any struct has: the size was not set */

/* Fails if the size is impossible, before more of an uninitialised struct is read. */
static bonsai_status check_size(const void *given, const char *name)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size >= sizeof size && size < NO_STRUCT && size % 4 == 0)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s was not initialised (%s_init), or comes from a much newer "
                   "bonsai.h", name, name);
}

/* Copies the caller's struct over one of `full` bytes; fails if it has unknown options. */
static bonsai_status lay_over(void *out, size_t full, const void *given, const char *name)
{
    size_t size;
    bonsai_status rc = check_size(given, name);
    if (rc != BONSAI_OK)
        return rc;
    memcpy(&size, given, sizeof size);
    const unsigned char *bytes = given;
    for (size_t i = full; i < size; i++)
        if (bytes[i] != 0)
            return bn_fail(BONSAI_E_ARGUMENT,
                           "%s has options that this version of the library does not know (%s)",
                           name, BONSAI_VERSION);
    memcpy(out, given, size < full ? size : full);
    memcpy(out, &full, sizeof full);
    return BONSAI_OK;
}

bonsai_status bn_options_merge(void *out, const void *defaults, size_t full, const void *given,
                               const char *name)
{
    memcpy(out, defaults, full);
    return given ? lay_over(out, full, given, name) : BONSAI_OK;
}

bonsai_status bn_options_read(void *out, const void *given, bonsai_options_kind kind)
{
    set_presets(out, kind);
    if (!given)
        return BONSAI_OK;
    bonsai_status rc = lay_over(out, bn_structs[kind].size, given, bn_structs[kind].name);
    return rc == BONSAI_OK ? bn_fields_check(kind, out) : rc;
}

/* Fills the caller's struct and sets its size to the caller's, which may differ from ours. */
void bn_init_sized(void *out, size_t size, const void *defaults, size_t full)
{
    if (!out)
        return;
    if (size > full)
        memset((unsigned char *)out + full, 0, size - full);
    memcpy(out, defaults, size < full ? size : full);
    memcpy(out, &size, sizeof size);
}

static void init_options(void *out, size_t size, bonsai_options_kind kind)
{
    any_options o;
    set_presets(&o, kind);
    bn_init_sized(out, size, &o, bn_structs[kind].size);
}

/* The init function of a struct of options, and of one that the library fills. */
#define INIT_OPTIONS(object, kind)                                      \
    void object##_init_sized(object *out, size_t size)                  \
    {                                                                   \
        init_options(out, size, BONSAI_OPTIONS_##kind);                 \
    }
#define INIT_RESULT(object)                                             \
    void object##_init_sized(object *out, size_t size)                  \
    {                                                                   \
        const object empty = {.size = sizeof empty};                    \
        bn_init_sized(out, size, &empty, sizeof empty);                 \
    }

INIT_OPTIONS(bonsai_read_options, READ)
INIT_OPTIONS(bonsai_write_options, WRITE)
INIT_OPTIONS(bonsai_generate_options, GENERATE)
INIT_OPTIONS(bonsai_condense_options, CONDENSE)
INIT_OPTIONS(bonsai_train_options, TRAIN)
INIT_OPTIONS(bonsai_compare_options, COMPARE)
INIT_OPTIONS(bonsai_report_options, REPORT)
INIT_OPTIONS(bonsai_suggest_options, SUGGEST)
INIT_OPTIONS(bonsai_plan_options, PLAN)
INIT_OPTIONS(bonsai_shape, SHAPE)

INIT_RESULT(bonsai_why)
INIT_RESULT(bonsai_scores)
INIT_RESULT(bonsai_view)
INIT_RESULT(bonsai_stats)
INIT_RESULT(bonsai_linear)
INIT_RESULT(bonsai_plan)
INIT_RESULT(bonsai_measures)
INIT_RESULT(bonsai_difference)

bonsai_status bn_result_check(const void *out, const char *name)
{
    return bn_is_null(out, "out") ? BONSAI_E_ARGUMENT : check_size(out, name);
}

void bn_result_fill(void *out, const void *ours)
{
    size_t size, full;
    memcpy(&size, out, sizeof size);
    memcpy(&full, ours, sizeof full);
    memcpy(out, ours, size < full ? size : full);
    memcpy(out, &size, sizeof size);
}

const bonsai_cell bn_cell_empty = {.size = sizeof bn_cell_empty, .method = -1, .ratio = 1};

void bonsai_cell_init_sized(bonsai_cell *c, size_t size)
{
    bn_init_sized(c, size, &bn_cell_empty, sizeof bn_cell_empty);
}

const bonsai_power bn_power_empty = {.size = sizeof bn_power_empty, .theta = 0.05, .delta = 0.05,
                                     .draws = 10};

void bonsai_power_init_sized(bonsai_power *p, size_t size)
{
    bn_init_sized(p, size, &bn_power_empty, sizeof bn_power_empty);
}

void *bn_structs_at(const void *given, int64_t i)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return (unsigned char *)given + (size_t)i * size;
}

bonsai_status bn_structs_read(void **out, const void *empty, const void *given, int64_t count,
                              const char *name)
{
    bonsai_status rc;
    size_t full;
    unsigned char *ours = NULL;
    *out = NULL;
    BN_TRY(bn_count_check(count, name));
    if (count == 0)
        return BONSAI_OK;
    if (!given)
        return bn_fail(BONSAI_E_ARGUMENT, "the array of %s is NULL", name);
    memcpy(&full, empty, sizeof full);
    BN_TRY(bn_result_check(given, name));
    BN_TRY(bn_new((void **)&ours, count, full));
    for (int64_t i = 0; i < count; i++) {
        const void *one = bn_structs_at(given, i);
        if (memcmp(one, given, sizeof full) != 0) {
            rc = bn_fail(BONSAI_E_ARGUMENT, "%s %lld has another size than the first of its array",
                         name, (long long)i);
            goto done;
        }
        BN_TRY(bn_options_merge(ours + (size_t)i * full, empty, full, one, name));
    }
    *out = ours;
    ours = NULL;
done:
    bn_free(ours);
    return rc;
}
