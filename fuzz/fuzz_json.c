/* fuzz_json.c -- fuzzes the parser and the printer of JSON.
 *
 * The lowest bit of the first byte tells whether keys must be unique, the next whether the text is
 * printed with indents; from 200 on the byte is the number of an allocation that fails.  The rest
 * is the text.  What was read and printed must be read back the same, to the last bit of a number.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "fuzz.h"
#include "json.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.head = 1, .files = 1, .separator = -1, .last_bare = true};

static void must(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "it does not hold: %s\n", what);
    abort();
}

/* Every getter, on every value. */
static void look(const bn_json *v)
{
    int kinds = bn_json_is_null(v) + bn_json_is_flag(v) + bn_json_is_whole(v) + bn_json_is_real(v) +
                bn_json_is_text(v) + bn_json_is_array(v) + bn_json_is_object(v);
    must(kinds == 1, "a value is of one kind");
    must(bn_json_is_text(v) == (bn_json_as_text(v) != NULL), "text");
    for (size_t i = 0; i < bn_json_count(v); i++)
        look(bn_json_at(v, i));
    for (size_t i = 0; bn_json_key(v, i); i++) {
        must(bn_json_get(v, bn_json_key(v, i)) == bn_json_value(v, i), "keys lead to their values");
        look(bn_json_value(v, i));
    }
}

static void there_and_back(const bn_json *v, int indent)
{
    char *text = bn_json_print(v, indent, 17);
    bn_json_error e;
    must(text != NULL, "what was read can be printed");
    bn_json *back = bn_json_parse(text, strlen(text), BN_JSON_UNIQUE, &e);
    must(bn_json_equal(v, back), "what was printed is what was read");
    bn_json_free(back);
    bn_json_drop(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t before = bn_mem_live();
    bn_json_error e = {.text = ""};
    if (size < 1)
        return 0;
    if (data[0] >= 200)
        bn_mem_fail_at(data[0] - 199);
    bn_json *v = bn_json_parse((const char *)data + 1, size - 1, data[0] & BN_JSON_UNIQUE, &e);
    bn_mem_fail_at(-1);
    if (v) {
        must(bn_json_sound(v), "what was read is whole");
        look(v);
        there_and_back(v, data[0] & 2);
    } else {
        must(e.no_memory || *e.text, "a refusal says why");
    }
    bn_json_free(v);
    must(bn_mem_live() == before, "nothing is left in memory");
    return 0;
}
