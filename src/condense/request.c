/* request.c -- what may be asked for: the names of the methods, and budgets.
 *
 * SPDX-License-Identifier: MIT */
#include "base/fields.h"
#include "condense.h"

const char *bonsai_method_name(bonsai_method m)
{
    return (unsigned)m < BONSAI_METHOD_COUNT ? bn_method_words[m] : NULL;
}

bonsai_status bn_request_ratio(double ratio)
{
    return bn_field_check(bn_field_named(BONSAI_OPTIONS_CONDENSE, "ratio"), ratio);
}

bonsai_status bn_request_budget(const bonsai_condense_options *o)
{
    if (o->ratio > 0 || o->bytes > 0 || o->nodes > 0 || o->trees > 0)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "no budget was given: set ratio, bytes, nodes or trees");
}
