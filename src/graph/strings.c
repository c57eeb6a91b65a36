/* strings.c -- checks text sections: names and metadata.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>

#include "graph.h"

/* Finds the first byte that is not well-formed UTF-8: no overlong forms, no surrogates, nothing
 * above U+10FFFF. */
static int64_t bad_utf8(const uint8_t *s, int64_t len)
{
    int64_t i = 0;
    while (i < len) {
        uint8_t b = s[i];
        int more = b < 0x80 ? 0 : b >= 0xc2 && b < 0xe0 ? 1 : b >= 0xe0 && b < 0xf0 ? 2
                   : b >= 0xf0 && b < 0xf5 ? 3 : -1;
        if (more < 0 || more >= len - i)
            return i;
        uint8_t low = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
        uint8_t high = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
        for (int k = 1; k <= more; k++, low = 0x80, high = 0xbf)
            if (s[i + k] < low || s[i + k] > high)
                return i;
        i += more + 1;
    }
    return len;
}

static bonsai_status check_text(const bonsai_array *a, bonsai_section id, const char *where)
{
    int64_t bad = bad_utf8(a->data, a->count);
    if (bad < a->count)
        return bn_fail(BONSAI_E_FORMAT, "%s: %s: byte %lld is not UTF-8", where,
                       bonsai_section_text(id), (long long)bad);
    return BONSAI_OK;
}

bonsai_status bn_names_check(const bonsai_array *a, bonsai_section id, int64_t wanted,
                             const char *where)
{
    const uint8_t *text = a->data;
    int64_t names = 0;
    for (int64_t i = 0; i < a->count; i++)
        names += text[i] == 0;
    if (names != wanted || (a->count > 0 && text[a->count - 1] != 0))
        return bn_fail(BONSAI_E_FORMAT, "%s: %s: %lld names where %lld are needed", where,
                       bonsai_section_text(id), (long long)names, (long long)wanted);
    return check_text(a, id, where);
}

bonsai_status bn_metadata_check(const bonsai_array *a, const char *where)
{
    bonsai_status rc;
    json_error_t error;
    BN_TRY(check_text(a, BONSAI_SECTION_METADATA, where));
    errno = 0;                  /* jansson sometimes reports a failed malloc as bad syntax */
    json_t *root = json_loadb(a->data, (size_t)a->count, 0, &error);
    if (!root)
        rc = errno == ENOMEM || json_error_code(&error) == json_error_out_of_memory
                 ? bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the metadata of %s", where)
                 : bn_fail(BONSAI_E_FORMAT, "%s: metadata: %s (line %d)", where, error.text,
                           error.line);
    else if (!json_is_object(root))
        rc = bn_fail(BONSAI_E_FORMAT, "%s: metadata: is not a JSON object", where);
    json_decref(root);
done:
    return rc;
}
