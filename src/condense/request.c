/* request.c -- which budgets may be asked for, and how one is refused.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "options/fields.h"
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

/* Only prototypes have a basis, so there is nothing for auto to choose. */
bonsai_status bn_request_coordinates(bonsai_condense_options *o, bool ratios)
{
    if (o->method != BONSAI_METHOD_AUTO && o->method != BONSAI_METHOD_PROTOTYPES)
        return bn_fail(BONSAI_E_ARGUMENT, "coordinates are for the methods auto and prototypes, not for "
                       "%s", bonsai_method_name(o->method));
    if (o->accounting != BONSAI_ACCOUNTING_STRICT)
        return bn_fail(BONSAI_E_ARGUMENT, "coordinates need the strict accounting: the paper's has no "
                       "price for a basis");
    if (o->members || o->select_features)
        return bn_fail(BONSAI_E_ARGUMENT, "coordinates and %s do not go together",
                       o->members ? "members" : "selected features");
    if (!ratios && !(o->ratio > 0) && o->bytes == 0)
        return bn_fail(BONSAI_E_ARGUMENT, "coordinates need a budget in bytes: set ratio or bytes");
    o->method = BONSAI_METHOD_PROTOTYPES;
    return BONSAI_OK;
}

void bn_request_refusal(char *to, size_t size, const char *where)
{
    const bonsai_error_info *e = bonsai_error_details();
    snprintf(to, size, "%.*s", (int)size - 1, strcmp(e->path, where) == 0 ? e->reason : bonsai_error());
    for (char *at = to; *at; at++)
        *at = (unsigned char)*at < 0x80 ? *at : '?';
}
