/* test_sha256.c -- the checksum against the published examples.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sha256.h"
#include "testing.h"

static void assert_sum(const char *text, size_t times, const char *expected)
{
    sha256_state h;
    char hex[SHA256_HEX];
    sha256_begin(&h);
    for (size_t i = 0; i < times; i++)
        sha256_add(&h, text, strlen(text));
    sha256_end(&h, hex);
    assert_string_equal(hex, expected);
}

static void sums_are_those_of_the_standard(void **state)
{
    (void)state;
    assert_sum("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sum("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_sum("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmn"
               "opqrlmnopqrsmnopqrstnopqrstu", 1,
               "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    assert_sum("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Where the padding needs a block of its own, and where it does not. */
static void pieces_of_any_length_give_the_same_sum(void **state)
{
    char data[200], whole[SHA256_HEX], parts[SHA256_HEX];
    sha256_state h;
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7);
    for (size_t n = 0; n <= sizeof data; n++) {
        sha256_begin(&h);
        sha256_add(&h, data, n);
        sha256_end(&h, whole);
        for (size_t cut = 0; cut <= n; cut += 13) {
            sha256_begin(&h);
            sha256_add(&h, data, cut);
            sha256_add(&h, data + cut, n - cut);
            sha256_end(&h, parts);
            assert_string_equal(parts, whole);
        }
    }
}

static void a_file_that_is_not_there_is_told(void **state)
{
    char hex[SHA256_HEX];
    (void)state;
    assert_int_equal(sha256_file("no/such/file", hex), ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_standard),
        cmocka_unit_test(pieces_of_any_length_give_the_same_sum),
        cmocka_unit_test(a_file_that_is_not_there_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
