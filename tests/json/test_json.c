/* test_json.c -- JSON values, their text, and what happens without memory.
 *
 * SPDX-License-Identifier: MIT */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "json.h"
#include "testing.h"

static bn_json *parsed(const char *text)
{
    return bn_json_parse(text, strlen(text), 0, NULL);
}

static void assert_prints(const bn_json *v, int indent, int digits, const char *wanted)
{
    char *text = bn_json_print(v, indent, digits);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    bn_json_drop(text);
}

static void text_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const same[] = {
        "{}", "[]", "[[],{},[[1]]]", "[null,true,false]",
        "{\"b\":1,\"a\":[1.5,-2,0.0,1e20,5.9604644775390625e-8,-9223372036854775808,9223372036854775807]}",
        "[\"a\\\"b\\\\c\\n\\t\\u0001 \\b\\f\\r\",\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"]",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        bn_json *v = parsed(same[i]);
        assert_prints(v, 0, 17, same[i]);
        bn_json_free(v);
    }
    bn_json *c = parsed("[\"\\u009b\\u202e\x7f\"]");     /* what steers a terminal stays escaped */
    assert_prints(c, 0, 17, "[\"\\u009B\\u202E\\u007F\"]");
    bn_json_free(c);
    bn_json *v = parsed(" [ \"\\u00e9\\ud83d\\ude00\\/\" , 1E+2,\r\n\t-0 ] ");
    assert_prints(v, 0, 17, "[\"\xc3\xa9\xf0\x9f\x98\x80/\",100.0,0]");
    bn_json_free(v);
}

static void indents_and_rounds(void **state)
{
    (void)state;
    bn_json *v = bn_json_pack("{s:[i,f],s:{},s:[],s:n,s:b,s:s?}", "a", 1, 1.0 / 3, "b", "c", "d",
                              "e", 1, "f", NULL);
    assert_prints(v, 2, 4, "{\n  \"a\": [\n    1,\n    0.3333\n  ],\n  \"b\": {},\n  \"c\": [],\n"
                           "  \"d\": null,\n  \"e\": true,\n  \"f\": null\n}");
    bn_json_free(v);
}

static void bad_text_is_refused_with_the_place(void **state)
{
    (void)state;
    static const struct { const char *text; int line; const char *says; } bad[] = {
        {"", 1, "'[' or '{' expected near end of file"},
        {"3", 1, "'[' or '{' expected near '3'"},
        {"[1,\n2", 2, "']' expected near end of file"},
        {"[1,]", 1, "unexpected token near ']'"},
        {"[01]", 1, "invalid token near '0'"},
        {"[1.]", 1, "invalid token near '1.'"},
        {"[-]", 1, "invalid token near '-'"},
        {"[nul]", 1, "invalid token near 'nul'"},
        {"[1] x", 1, "end of file expected near 'x'"},
        {"{\"a\" 1}", 1, "':' expected near '1'"},
        {"{1:2}", 1, "string or '}' expected near '1'"},
        {"{\"a\":1,}", 1, "string or '}' expected near '}'"},
        {"{\"a\":1", 1, "'}' expected near end of file"},
        {"[\"a\nb\"]", 1, "unexpected newline near '\"a'"},
        {"[\"a\x01\"]", 1, "control character 0x1 near '\"a'"},
        {"[\"\\q\"]", 1, "invalid escape"},
        {"[\"\\u12g4\"]", 1, "invalid escape"},
        {"[\"\\ud800\"]", 1, "invalid Unicode '\\uD800'"},
        {"[\"\\udc00\"]", 1, "invalid Unicode '\\uDC00'"},
        {"[\"\\u0000\"]", 1, "\\u0000 is not allowed"},
        {"[\"\xff\"]", 1, "unable to decode byte 0xff near '\"'"},
        {"[\"a", 1, "premature end of input near '\"a'"},
        {"[9223372036854775808]", 1, "too big integer near '9223372036854775808'"},
        {"[-9223372036854775809]", 1, "too big negative integer near '-9223372036854775809'"},
        {"[1e999]", 1, "real number overflow near '1e999'"},
        {"{\"a\":1,\n\"a\":2}", 2, "duplicate object key near '\"a\"'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bn_json_error e;
        assert_null(bn_json_parse(bad[i].text, strlen(bad[i].text), BN_JSON_UNIQUE, &e));
        assert_false(e.no_memory);
        assert_int_equal(e.line, bad[i].line);
        if (!strstr(e.text, bad[i].says))
            fail_msg("%s: %s, not %s", bad[i].text, e.text, bad[i].says);
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    static char text[5000];
    bn_json_error e;
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    bn_json *v = bn_json_parse(text, 128, 0, &e);
    assert_non_null(v);
    bn_json_free(v);
    memset(text, '[', 5000);
    assert_null(bn_json_parse(text, 5000, 0, &e));
    assert_string_equal(e.text, "maximum parsing depth reached near '['");
}

static void the_last_of_equal_keys_counts_at_the_first_place(void **state)
{
    (void)state;
    bn_json *v = parsed("{\"a\":1,\"b\":2,\"a\":3}");
    assert_prints(v, 0, 17, "{\"a\":3,\"b\":2}");
    bn_json_free(v);
}

/* In rising, falling and mixed order, and quickly: a tree that leans would take minutes. */
static void finds_every_key_of_large_objects(void **state)
{
    (void)state;
    enum { KEYS = 100000 };
    for (int order = 0; order < 3; order++) {
        bn_json *v = bn_json_object();
        char key[24];
        for (int64_t i = 0; i < KEYS; i++) {
            int64_t number = order == 0 ? i : order == 1 ? KEYS - 1 - i : i * 7919 % KEYS;
            snprintf(key, sizeof key, "%06lld", (long long)number);
            bn_json_set(v, key, bn_json_whole(number));
        }
        assert_null(bn_json_key(v, KEYS));
        for (int64_t i = 0; i < KEYS; i++) {
            snprintf(key, sizeof key, "%06lld", (long long)i);
            assert_int_equal(bn_json_as_whole(bn_json_get(v, key)), i);
        }
        assert_null(bn_json_get(v, "1000000"));
        bn_json_free(v);
    }
}

static void what_is_not_there_is_nothing(void **state)
{
    (void)state;
    bn_json *v = parsed("{\"a\":[1],\"b\":\"x\"}");
    assert_null(bn_json_get(v, "c"));
    assert_null(bn_json_get(bn_json_get(v, "a"), "b"));
    assert_null(bn_json_at(v, 0));
    assert_null(bn_json_at(bn_json_get(v, "a"), 1));
    assert_null(bn_json_as_text(bn_json_get(v, "a")));
    assert_null(bn_json_key(NULL, 0));
    assert_int_equal(bn_json_count(bn_json_get(v, "b")), 0);
    assert_int_equal(bn_json_as_whole(bn_json_get(v, "b")), 0);
    assert_true(bn_json_as_number(NULL) == 0);
    bn_json_free(v);
    bn_json_free(NULL);
}

static void numbers_and_text_that_json_lacks_are_replaced(void **state)
{
    (void)state;
    bn_json *v = bn_json_pack("[f,f,s,s%]", NAN, INFINITY, "a\xff\xc3\xa9", "abcdef", (size_t)3);
    assert_prints(v, 0, 17, "[null,null,\"a???\",\"abc\"]");
    bn_json_free(v);
}

static void assert_reads_reals(void)
{
    bn_json *v = parsed("[1.5,2.25e10,-0.125,300]");
    assert_prints(v, 0, 17, "[1.5,22500000000.0,-0.125,300]");
    bn_json_free(v);
    setlocale(LC_ALL, "C");
}

static void a_locale_with_a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    if (!use_comma_locale())
        skip();
    assert_reads_reals();
}

static void a_locale_with_a_decimal_point_of_two_bytes_changes_nothing(void **state)
{
    (void)state;
    if (!use_wide_point_locale())
        skip();
    assert_int_equal(strlen(localeconv()->decimal_point), 2);
    assert_reads_reals();
}

static void equal_means_the_same_values_in_any_order_of_keys(void **state)
{
    (void)state;
    bn_json *v = parsed("{\"a\":[1,2.0,\"x\",null,true],\"b\":{}}");
    static const struct { const char *text; bool same; } other[] = {
        {"{\"b\":{},\"a\":[1,2.0,\"x\",null,true]}", true},
        {"{\"a\":[1,2,\"x\",null,true],\"b\":{}}", false},
        {"{\"a\":[1,2.0,\"x\",null],\"b\":{}}", false},
        {"{\"a\":[1,2.0,\"x\",null,true],\"b\":{\"c\":1}}", false},
        {"{\"a\":[1,2.0,\"y\",null,true],\"b\":{}}", false},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        bn_json *w = parsed(other[i].text);
        assert_true(bn_json_equal(v, w) == other[i].same);
        bn_json_free(w);
    }
    assert_false(bn_json_equal(v, NULL));
    bn_json_free(v);
}

/* Everything that builds: the text is all there or not there. */
static char *build(void)
{
    bn_json *inner = bn_json_array(), *more = bn_json_pack("{s:s}", "more", "text");
    for (int i = 0; i < 20; i++)
        bn_json_add(inner, bn_json_whole(i));
    bn_json *all = bn_json_pack("{s:o,s:s,s:f,s:[i,{s:s}]}", "inner", inner, "t", "text", "r", 0.5,
                                "list", 1, "k", "v");
    bn_json_update(all, more);
    bn_json_free(more);
    bn_json_set(all, "again", bn_json_keep(bn_json_get(all, "t")));
    bn_json *row = bn_json_add(bn_json_get(all, "list"), bn_json_array());
    bn_json_add(row, bn_json_textf("%d", 7));
    char *text = bn_json_print(all, 0, 17);
    bn_json_free(all);
    return text;
}

static void a_failed_allocation_is_never_silent(void **state)
{
    (void)state;
    const int64_t live = bn_mem_live();
    char *whole = build(), *text = NULL;
    assert_non_null(whole);
    int failures = 0;
    for (;; failures++) {
        bn_mem_fail_at(failures);
        text = build();
        bool failed = bn_mem_failed();
        bn_mem_fail_at(-1);
        if (!failed)
            break;
        assert_null(text);
        assert_int_equal(bn_mem_live(), live + 1);
    }
    assert_string_equal(text, whole);
    assert_true(failures > 50);
    bn_json_drop(text);
    for (int nth = 0;; nth++) {
        bn_json_error e;
        bn_mem_fail_at(nth);
        bn_json *v = bn_json_parse(whole, strlen(whole), 0, &e);
        bool failed = bn_mem_failed();
        bn_mem_fail_at(-1);
        bn_json_free(v);
        if (!failed)
            break;
        assert_null(v);
        assert_true(e.no_memory);
        assert_int_equal(bn_mem_live(), live + 1);
    }
    bn_json_drop(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_comes_back_as_it_was),
        cmocka_unit_test(indents_and_rounds),
        cmocka_unit_test(bad_text_is_refused_with_the_place),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(the_last_of_equal_keys_counts_at_the_first_place),
        cmocka_unit_test(finds_every_key_of_large_objects),
        cmocka_unit_test(what_is_not_there_is_nothing),
        cmocka_unit_test(numbers_and_text_that_json_lacks_are_replaced),
        cmocka_unit_test(a_locale_with_a_decimal_comma_changes_nothing),
        cmocka_unit_test(a_locale_with_a_decimal_point_of_two_bytes_changes_nothing),
        cmocka_unit_test(equal_means_the_same_values_in_any_order_of_keys),
        cmocka_unit_test(a_failed_allocation_is_never_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
