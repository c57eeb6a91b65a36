/* headnames.c -- names in the head of a text file.
 *
 * The writer puts names, which may be any text, into comments: "# bonsai: class_names=C" and then C
 * lines "# NAME", where \n, \r, \t, \s (a blank) and \\ escape what a comment line cannot hold.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "companion.h"

bonsai_status bn_head_names_add(bn_head_names *n, const bn_lines *l, const bn_field *f, bool escaped)
{
    bonsai_status rc;
    BN_TRY(bn_field_name(l, f));
    BN_TRY(bn_grow((void **)&n->text, &n->capacity, n->len + f->len + 1, 1));
    char *to = n->text + n->len;
    for (int64_t i = 0; i < f->len; i++) {
        char c = f->text[i];
        if (escaped && c == '\\' && i + 1 < f->len) {
            c = f->text[++i];
            c = c == 'n' ? '\n' : c == 'r' ? '\r' : c == 's' ? ' ' : c == 't' ? '\t' : c;
        }
        *to++ = c;
    }
    *to++ = 0;
    n->len = to - n->text;
    n->count++;
done:
    return rc;
}

/* Reads the announced number and as many names. */
static bonsai_status read_list(bn_head_names *n, bn_lines *l, bn_field *f, const char *what)
{
    bonsai_status rc;
    int64_t wanted;
    if (n->text || !bn_field_int(f, &wanted) || wanted < 0)
        return bn_lines_fail(l, "\"%.*s\" is not a number of %s names", bn_field_show(f), f->text,
                             what);
    BN_TRY(bn_grow((void **)&n->text, &n->capacity, 1, 1));
    while (n->count < wanted) {
        if (!bn_comment_next(l, f))
            return bn_lines_fail(l, "%lld %s names where %lld were announced", (long long)n->count,
                                 what, (long long)wanted);
        BN_TRY(bn_head_names_add(n, l, f, true));
    }
done:
    return rc;
}

bonsai_status bn_head_names_read(bn_head_names *n, bn_lines *l, const char *what)
{
    bonsai_status rc = BONSAI_OK;
    char mark[40];
    const int64_t len = snprintf(mark, sizeof mark, "bonsai: %s_names=", what);
    bn_field f;
    while (bn_comment_next(l, &f)) {
        if (f.len < len || memcmp(f.text, mark, (size_t)len) != 0)
            continue;
        f.text += len;
        f.len -= len;
        BN_TRY(read_list(n, l, &f, what));
    }
done:
    return rc;
}
