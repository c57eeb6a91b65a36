/* error.c -- statuses, and the last error sentence of each thread.
 *
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "base.h"
#include "json.h"

static _Thread_local char sentence[1024];

bonsai_status bn_fail(bonsai_status rc, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    bn_utf8_clean(sentence, '?');       /* one line, whatever a file or its name contains */
    return rc;
}

bool bn_is_null(const void *p, const char *name)
{
    if (!p)
        bn_fail(BONSAI_E_ARGUMENT, "%s is NULL", name);
    return !p;
}

bonsai_status bn_count_check(int64_t count, const char *things)
{
    return count < 0 ? bn_fail(BONSAI_E_ARGUMENT, "the number of %s is %lld", things,
                               (long long)count) : BONSAI_OK;
}

const char *bonsai_error(void)
{
    return sentence;
}

const char *bonsai_status_text(bonsai_status status)
{
    switch (status) {
#define TEXT(name, value, text) case BONSAI_##name: return text;
    BONSAI_STATUS_MAP(TEXT)
#undef TEXT
    }
    return "unknown status";
}

const char *bonsai_version(void)
{
    return BONSAI_VERSION;
}
