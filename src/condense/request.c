/* request.c -- which budgets may be asked for, and how one is refused.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

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

void bn_request_refusal(char *to, size_t size, const char *where)
{
    const char *text = bonsai_error();
    size_t len = strlen(where);
    if (strncmp(text, where, len) == 0 && text[len] == ':' && text[len + 1] == ' ')
        text += len + 2;
    snprintf(to, size, "%.*s", (int)size - 1, text);
    for (char *at = to; *at; at++)
        *at = (unsigned char)*at < 0x80 ? *at : '?';
}
