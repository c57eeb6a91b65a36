/* strings.c -- checks text sections: names and metadata.
 *
 * SPDX-License-Identifier: MIT */
#include "graph.h"
#include "json.h"

static bonsai_status check_text(const bonsai_array *a, bonsai_section id, const char *where)
{
    int64_t bad = bn_utf8_bad(a->data, a->count);
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
    bn_json_error error;
    BN_TRY(check_text(a, BONSAI_SECTION_METADATA, where));
    bn_json *root = bn_json_parse(a->data, (size_t)a->count, 0, &error);
    if (!root)
        rc = error.no_memory
                 ? bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the metadata of %s", where)
                 : bn_fail(BONSAI_E_FORMAT, "%s: metadata: %s (line %d)", where, error.text,
                           error.line);
    else if (!bn_json_is_object(root))
        rc = bn_fail(BONSAI_E_FORMAT, "%s: metadata: is not a JSON object", where);
    bn_json_free(root);
done:
    return rc;
}
