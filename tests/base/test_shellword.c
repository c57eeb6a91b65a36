/* test_shellword.c -- texts as words of a command line, as a shell reads them.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_word(const char *text, const char *wanted)
{
    char out[64];
    assert_int_equal(bonsai_shell_word(out, sizeof out, text), strlen(wanted));
    assert_string_equal(out, wanted);
}

static void only_what_needs_quotes_gets_them(void **state)
{
    (void)state;
    assert_word("a/b-c_1.bonsai", "a/b-c_1.bonsai");
    assert_word("npz:x.npz", "npz:x.npz");
    assert_word("60/20/20", "60/20/20");
    assert_word("my graph", "'my graph'");
    assert_word("it's", "'it'\\''s'");
    assert_word("$(date)", "'$(date)'");
    assert_word("", "''");
}

static void a_dash_at_the_start_makes_no_option(void **state)
{
    (void)state;
    assert_word("-q", "./-q");
    assert_word("-my graph", "./'-my graph'");
}

static void a_short_buffer_gets_what_fits(void **state)
{
    (void)state;
    char out[6] = "-----";
    assert_int_equal(bonsai_shell_word(out, 4, "a b c"), 7);
    assert_string_equal(out, "'a ");
    assert_int_equal(out[4], '-');
    assert_int_equal(bonsai_shell_word(NULL, 0, "a b c"), 7);
}

/* printf %s WORD prints the text again, whatever is in it. */
static void a_shell_reads_the_text_back(void **state)
{
    (void)state;
    for (int c = 1; c < 128; c++) {
        char text[8], word[64], line[128], back[16] = "";
        snprintf(text, sizeof text, "a%cb", c);
        bonsai_shell_word(word, sizeof word, text);
        snprintf(line, sizeof line, "printf %%s %s", word);
        FILE *p = popen(line, "r");
        assert_non_null(p);
        const size_t len = fread(back, 1, sizeof back - 1, p);
        assert_int_equal(pclose(p), 0);
        assert_int_equal(len, 3);
        assert_string_equal(back, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_needs_quotes_gets_them),
        cmocka_unit_test(a_dash_at_the_start_makes_no_option),
        cmocka_unit_test(a_short_buffer_gets_what_fits),
        cmocka_unit_test(a_shell_reads_the_text_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
