/* error.c -- statuses, the last error of each thread, and warnings.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base.h"
#include "json.h"

static _Thread_local bn_error last = {.entry = -1};

/* Returns an error whose sentence starts with the place, if there is one. */
static bn_error begin(bonsai_status rc, bonsai_error_kind kind, const char *path)
{
    bn_error e = {.status = rc, .kind = kind, .entry = -1};
    snprintf(e.path, sizeof e.path, "%s", path);
    snprintf(e.sentence, sizeof e.sentence, *path ? "%s: " : "%s", path);
    return e;
}

/* Adds the reason and makes it the last error.  The arguments may be parts of the error before. */
static bonsai_status end(bn_error *e, const char *fmt, va_list args)
{
    bn_utf8_clean(e->sentence, '?');    /* one line, whatever a file or its name contains */
    e->reason = (int32_t)strlen(e->sentence);
    vsnprintf(e->sentence + e->reason, sizeof e->sentence - (size_t)e->reason, fmt, args);
    bn_utf8_clean(e->sentence + e->reason, '?');
    last = *e;
    return (bonsai_status)e->status;
}

bonsai_status bn_fail_at(bonsai_status rc, const char *path, const char *fmt, ...)
{
    bn_error e = begin(rc, BONSAI_ERROR_OTHER, path);
    va_list args;
    va_start(args, fmt);
    end(&e, fmt, args);
    va_end(args);
    return rc;
}

bonsai_status bn_fail_line(const char *path, int64_t line, int64_t column, const char *fmt,
                           va_list args)
{
    bn_error e = begin(BONSAI_E_FORMAT, BONSAI_ERROR_TEXT, path);
    snprintf(e.sentence, sizeof e.sentence, "%s:%lld: ", path, (long long)line);
    e.line = line;
    e.column = column;
    return end(&e, fmt, args);
}

bonsai_status bn_fail_entry(const char *path, bonsai_section section, int64_t entry,
                            const char *fmt, ...)
{
    bn_error e = begin(BONSAI_E_FORMAT, BONSAI_ERROR_ENTRY, path);
    snprintf(e.sentence, sizeof e.sentence, "%s: %s: entry %lld ", path,
             bonsai_section_text(section), (long long)entry);
    e.section = (int32_t)section;
    e.entry = entry;
    va_list args;
    va_start(args, fmt);
    end(&e, fmt, args);
    va_end(args);
    return BONSAI_E_FORMAT;
}

bonsai_status bn_fail_system(const char *path, const char *what, int why)
{
    bn_fail_at(BONSAI_E_IO, path, "%s: %s", what, strerror(why));
    return bn_error_kind(BONSAI_E_IO, why == ENOENT ? BONSAI_ERROR_MISSING : BONSAI_ERROR_OTHER);
}

bonsai_status bn_error_kind(bonsai_status rc, bonsai_error_kind kind)
{
    last.kind = kind;
    return rc;
}

bonsai_status bn_blame_caller(bonsai_status rc)
{
    if (rc == BONSAI_E_FORMAT)
        rc = BONSAI_E_ARGUMENT;
    last.status = rc;
    return rc;
}

void bn_error_keep(bn_error *out)
{
    *out = last;
}

bonsai_status bn_error_raise(const bn_error *e)
{
    last = *e;
    return (bonsai_status)e->status;
}

void bn_warn(const bonsai_read_options *o, bonsai_warning_kind kind, const char *path,
             int64_t column, const char *value, const char *fmt, ...)
{
    va_list args;
    bn_error e = begin(BONSAI_OK, BONSAI_ERROR_OTHER, path);
    const size_t used = strlen(e.sentence);
    if (!o->warning)
        return;
    va_start(args, fmt);
    vsnprintf(e.sentence + used, sizeof e.sentence - used, fmt, args);
    va_end(args);
    bn_utf8_clean(e.sentence, '?');
    o->warning(&(bonsai_warning){.size = sizeof(bonsai_warning), .kind = kind, .text = e.sentence,
                                 .path = path, .column = column, .value = value},
               o->warning_payload);
}

const char *bn_option_text(char *out, size_t size, const bonsai_read_options *o, const char *name,
                           const char *value)
{
    const bool shell = o->spelling == BONSAI_SPELLING_SHELL;
    const char *mark = o->spelling == BONSAI_SPELLING_PYTHON ? "=" : "";
    if (!value)
        snprintf(out, size, "%s%s%s", shell ? "--" : "", name, mark);
    else if (shell)
        snprintf(out, size, "--%s %s", name, value);
    else
        snprintf(out, size, "%s=\"%s\"", name, value);
    return out;
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
    return last.sentence;
}

const bonsai_error_info *bonsai_error_details(void)
{
    static _Thread_local bonsai_error_info info;
    info = (bonsai_error_info){
        .size = sizeof info, .status = (bonsai_status)last.status,
        .kind = (bonsai_error_kind)last.kind, .path = last.path, .line = last.line,
        .column = last.column, .section = last.section, .entry = last.entry,
        .reason = last.sentence + last.reason,
    };
    return &info;
}

const char *bonsai_error_kind_name(bonsai_error_kind kind)
{
    switch (kind) {
#define NAME(name, value, text) case BONSAI_ERROR_##name: return text;
    BONSAI_ERROR_MAP(NAME)
#undef NAME
    }
    return NULL;
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
