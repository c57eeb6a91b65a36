/* paging.h -- checks HTML pages: tags nest, charts have words and values, nothing loads or runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PAGING_H
#define BN_PAGING_H

#include <stdio.h>

#include "testing.h"

enum { LARGEST = 2000000 };

static inline bool is_void(const char *name)
{
    return strcmp(name, "meta") == 0 || strcmp(name, "br") == 0;
}

/* Fails unless tags nest, attributes are quoted, and nothing can load or run. */
static inline void assert_well_formed(const char *html)
{
    static const char *const unwanted[] = {"script", "img", "link", "iframe", "object", "embed",
                                           "form", "base"};
    char stack[32][16];
    int depth = 0;
    for (const char *at = html; (at = strchr(at, '<')) != NULL;) {
        char name[16];
        if (strncmp(at, "<style>", 7) == 0)
            at = strstr(at, "</style>");
        if (strncmp(at, "<!doctype", 9) == 0) {
            at += 9;
            continue;
        }
        bool closes = at[1] == '/';
        at += 1 + closes;
        size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");
        assert_in_range(len, 1, 15);
        snprintf(name, sizeof name, "%.*s", (int)len, at);
        for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
            assert_string_not_equal(name, unwanted[i]);
        for (at += len; *at != '>' && *at != '/'; at++) {      /* attributes */
            assert_int_equal(*at, ' ');
            size_t word = strspn(++at,
                                 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789");
            assert_true(word > 0 && strncmp(at, "on", 2) != 0 && strncmp(at, "src", 3) != 0);
            at += word;
            assert_memory_equal(at, "=\"", 2);
            at = strchr(at + 2, '"');
            assert_non_null(at);
        }
        bool self = *at == '/';
        at += 1 + self;
        if (strcmp(name, "style") == 0 && closes) {
            continue;                           /* its start was skipped */
        } else if (closes) {
            assert_true(depth > 0);
            assert_string_equal(stack[--depth], name);
        } else if (!self && !is_void(name)) {
            assert_true(depth < 32);
            snprintf(stack[depth++], 16, "%s", name);
        }
    }
    assert_int_equal(depth, 0);
}

static inline int count_of(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        count++;
    return count;
}

/* Checks that charts have titles, descriptions and values, that numbers make sense, and the
 * size. */
static inline void assert_good_page(const char *html)
{
    int charts = count_of(html, "role=\"img\"");
    assert_well_formed(html);
    assert_true(strlen(html) < LARGEST);
    assert_true(charts >= 2);
    assert_int_equal(count_of(html, "<desc "), charts);
    assert_int_equal(count_of(html, "<details><summary>Values as a table<"), charts);
    assert_int_equal(count_of(html, "<h1>"), 1);
    assert_int_equal(count_of(html, "nan"), 0);
    assert_null(strstr(html, "url("));
    assert_null(strstr(html, "://"));
}

#endif
