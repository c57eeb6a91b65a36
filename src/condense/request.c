/* request.c -- which budgets may be asked for.
 *
 * SPDX-License-Identifier: MIT */
#include "base/fields.h"
#include "condense.h"

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
