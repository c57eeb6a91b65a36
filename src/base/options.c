/* options.c -- every default of the library, and structs that may grow.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base.h"

const bonsai_read_options bn_read_defaults = {
    .size = sizeof(bonsai_read_options),
};

const bonsai_write_options bn_write_defaults = {
    .size = sizeof(bonsai_write_options),
    .features = BONSAI_ENCODING_AUTO,
};

const bonsai_generate_options bn_generate_defaults = {
    .size = sizeof(bonsai_generate_options),
    .nodes = 10000,
    .features = 1000,
    .classes = 7,
    .degree = 4,
    .exponent = 2.6,
    .homophily = 0.81,
    .imbalance = 0.6,
    .difficulty = 0.5,
    .words = 18,
    .seed = 1,
};

const bonsai_condense_options bn_condense_defaults = {
    .size = sizeof(bonsai_condense_options),
    .method = BONSAI_METHOD_AUTO,
    .accounting = BONSAI_ACCOUNTING_STRICT,
    .layers = 2,
    .k = 5,
    .theta = 0.05,
    .delta = 0.05,
    .patience = 200,
    .beta = 0.15,
    .prune_share = 1,
    .min_pruned = 0.01,
    .oversample = 1,
    .seed = 1,
};

const bonsai_train_options bn_train_defaults = {
    .size = sizeof(bonsai_train_options),
    .model = BONSAI_MODEL_GCN,
    .layers = 2,
    .hidden = 128,
    .heads = 1,
    .gin_layers = 1,
    .epochs = 300,
    .every = 10,
    .seeds = 5,
    .rate = 0.01,
    .decay = 5e-4,
    .seed = 1,
};

const bonsai_compare_options bn_compare_defaults = {
    .size = sizeof(bonsai_compare_options),
};

const bonsai_report_options bn_report_defaults = {
    .size = sizeof(bonsai_report_options),
};

const bonsai_plan_options bn_plan_defaults = {
    .size = sizeof(bonsai_plan_options),
    .ranks = 1,
    .disk = 1e9,
    .network = 1e9,
};

static bonsai_status not_initialised(const char *name)
{
    return bn_fail(BONSAI_E_ARGUMENT, "%s was not initialised: call its init function first", name);
}

bonsai_status bn_options_merge(void *out, const void *defaults, size_t full, const void *given,
                               const char *name)
{
    memcpy(out, defaults, full);
    if (!given)
        return BONSAI_OK;
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return not_initialised(name);
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

/* Stamps the caller's struct with its own size, so that both sides may differ. */
static void init_sized(void *out, size_t size, const void *defaults, size_t full)
{
    if (size > full)
        memset((unsigned char *)out + full, 0, size - full);
    memcpy(out, defaults, size < full ? size : full);
    memcpy(out, &size, sizeof size);
}

void bonsai_read_options_init_sized(bonsai_read_options *o, size_t size)
{
    init_sized(o, size, &bn_read_defaults, sizeof *o);
}

void bonsai_write_options_init_sized(bonsai_write_options *o, size_t size)
{
    init_sized(o, size, &bn_write_defaults, sizeof *o);
}

void bonsai_generate_options_init_sized(bonsai_generate_options *o, size_t size)
{
    init_sized(o, size, &bn_generate_defaults, sizeof *o);
}

void bonsai_condense_options_init_sized(bonsai_condense_options *o, size_t size)
{
    init_sized(o, size, &bn_condense_defaults, sizeof *o);
}

void bonsai_train_options_init_sized(bonsai_train_options *o, size_t size)
{
    init_sized(o, size, &bn_train_defaults, sizeof *o);
}

void bonsai_compare_options_init_sized(bonsai_compare_options *o, size_t size)
{
    init_sized(o, size, &bn_compare_defaults, sizeof *o);
}

void bonsai_report_options_init_sized(bonsai_report_options *o, size_t size)
{
    init_sized(o, size, &bn_report_defaults, sizeof *o);
}

void bonsai_plan_options_init_sized(bonsai_plan_options *o, size_t size)
{
    init_sized(o, size, &bn_plan_defaults, sizeof *o);
}

void bonsai_shape_init_sized(bonsai_shape *s, size_t size)
{
    const bonsai_shape empty = {.size = sizeof empty, .value_bytes = 4};
    init_sized(s, size, &empty, sizeof empty);
}

void bonsai_condense_info_init_sized(bonsai_condense_info *i, size_t size)
{
    const bonsai_condense_info empty = {.size = sizeof empty};
    init_sized(i, size, &empty, sizeof empty);
}

void bonsai_view_init_sized(bonsai_view *v, size_t size)
{
    const bonsai_view empty = {.size = sizeof empty};
    init_sized(v, size, &empty, sizeof empty);
}

void bonsai_stats_init_sized(bonsai_stats *s, size_t size)
{
    const bonsai_stats empty = {.size = sizeof empty};
    init_sized(s, size, &empty, sizeof empty);
}

void bonsai_linear_init_sized(bonsai_linear *l, size_t size)
{
    const bonsai_linear empty = {.size = sizeof empty};
    init_sized(l, size, &empty, sizeof empty);
}

void bonsai_plan_init_sized(bonsai_plan *p, size_t size)
{
    const bonsai_plan empty = {.size = sizeof empty};
    init_sized(p, size, &empty, sizeof empty);
}

bonsai_status bn_result_check(const void *out, const char *name)
{
    size_t size;
    memcpy(&size, out, sizeof size);
    return size < sizeof size ? not_initialised(name) : BONSAI_OK;
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
    init_sized(c, size, &bn_cell_empty, sizeof bn_cell_empty);
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
    if (count == 0)
        return BONSAI_OK;
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
