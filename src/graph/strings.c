/* strings.c -- text sections: checks of names and metadata, and names of features.
 *
 * A section of names is a sequence of texts, each ended by a zero.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "graph.h"
#include "json.h"

static bonsai_status check_text(const bonsai_array *a, bonsai_section id, const char *where)
{
    int64_t bad = bn_utf8_bad(a->data, a->count);
    if (bad < a->count)
        return bn_fail_at(BONSAI_E_FORMAT, where, "%s: byte %lld is not UTF-8",
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
        return bn_fail_at(BONSAI_E_FORMAT, where, "%s: %lld names where %lld are needed",
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
                 : bn_fail_at(BONSAI_E_FORMAT, where, "metadata: %s (line %d)", error.text,
                              error.line);
    else if (!bn_json_is_object(root))
        rc = bn_fail_at(BONSAI_E_FORMAT, where, "metadata: is not a JSON object");
    bn_json_free(root);
done:
    return rc;
}

/* ---- names of features ---- */

const char *bn_name_at(const bonsai_array *names, int64_t at)
{
    const char *name = names->data;
    for (; name && at > 0; at--)
        name += strlen(name) + 1;
    return name && *name ? name : NULL;
}

/* Copies the names of the kept features, unless to is NULL; returns their length. */
static int64_t copy_names(char *to, const char *name, const int32_t *kept, int64_t count)
{
    int64_t used = 0;
    for (int64_t i = 0, j = 0; i < count; i++) {
        for (const int64_t wanted = kept ? kept[i] : i; j < wanted; j++)
            name += strlen(name) + 1;
        const int64_t len = (int64_t)strlen(name) + 1;
        if (to)
            memcpy(to + used, name, (size_t)len);
        used += len;
    }
    return used;
}

bonsai_status bn_names_pick(char **out, int64_t *len, const bonsai_array *names,
                            const int32_t *kept, int64_t count)
{
    *out = NULL;
    *len = 0;
    if (!names->data)
        return BONSAI_OK;
    *len = copy_names(NULL, names->data, kept, count);
    bonsai_status rc = BN_NEW(out, *len);
    if (rc == BONSAI_OK)
        copy_names(*out, names->data, kept, count);
    return rc;
}

void bn_names_give(bonsai_graph *g, char *names, int64_t len)
{
    if (!names)
        return;
    g->owned[BONSAI_SECTION_FEATURE_NAMES] = names;
    g->view.section[BONSAI_SECTION_FEATURE_NAMES] = (bonsai_array){names, len, BONSAI_TYPE_U8};
}

bonsai_status bn_names_of_lines(char **out, int64_t *len, int64_t *count, const char *text)
{
    const int64_t all = (int64_t)strlen(text);
    bonsai_status rc = BN_NEW(out, all + 1);
    char *to = *out;
    *len = *count = 0;
    for (const char *at = text; rc == BONSAI_OK && *at; ++*count) {
        const size_t line = strcspn(at, "\n"), name = line - (line > 0 && at[line - 1] == '\r');
        memcpy(to, at, name);
        to[name] = 0;
        to += name + 1;
        at += line + (at[line] == '\n');
    }
    if (rc == BONSAI_OK)
        *len = to - *out;
    return rc;
}

/* Returns the first feature of that name, or -1. */
static int64_t find_name(const bonsai_array *names, int64_t count, const char *wanted)
{
    const char *name = names->data;
    for (int64_t j = 0; j < count; j++, name += strlen(name) + 1)
        if (strcmp(name, wanted) == 0)
            return j;
    return -1;
}

static bonsai_status other_name(const bn_named *a, const char *ours, const bn_named *b,
                                const char *theirs, int64_t at)
{
    const int64_t place = find_name(b->names, b->count, ours);
    if (place < 0)
        return bn_fail(BONSAI_E_ARGUMENT, "feature %lld is \"%s\" in %s, but \"%s\" in %s, which "
                       "has no feature \"%s\": give it the columns of %s, in their order",
                       (long long)at, ours, a->where, theirs, b->where, ours, a->where);
    return bn_fail(BONSAI_E_ARGUMENT, "feature %lld is \"%s\" in %s, but \"%s\" in %s, where "
                   "\"%s\" is feature %lld: put its columns into the order of %s",
                   (long long)at, ours, a->where, theirs, b->where, ours, (long long)place,
                   a->where);
}

/* Returns the first name of a that b lacks, or NULL. */
static const char *odd_name(const bn_named *a, const bn_named *b)
{
    const char *name = a->names->data;
    for (int64_t i = 0; i < a->count; i++, name += strlen(name) + 1)
        if (*name && find_name(b->names, b->count, name) < 0)
            return name;
    return NULL;
}

void bn_names_difference(char out[BN_DIFFERENCE], const bn_named *a, const bn_named *b, bool all)
{
    const bool named = a->names->data && b->names->data;
    const char *lacks = named ? odd_name(a, b) : NULL;
    const char *more = named && all && !lacks ? odd_name(b, a) : NULL;
    out[0] = 0;
    if (lacks || more)
        snprintf(out, BN_DIFFERENCE, ": \"%.*s\" is %s", BN_DIFFERENCE - 24, lacks ? lacks : more,
                 lacks ? "missing" : "too many");
}

bonsai_status bn_names_match(const bn_named *a, const bn_named *b, const int32_t *place)
{
    const char *ours = a->names->data, *theirs = b->names->data;
    if (!ours || !theirs)
        return BONSAI_OK;
    for (int64_t i = 0, j = 0; i < a->count; i++, ours += strlen(ours) + 1) {
        for (const int64_t wanted = place ? place[i] : i; j < wanted; j++)
            theirs += strlen(theirs) + 1;
        if (*ours && *theirs && strcmp(ours, theirs) != 0)
            return other_name(a, ours, b, theirs, j);
    }
    return BONSAI_OK;
}

bonsai_status bn_names_count(int64_t count, const bonsai_graph *g)
{
    if (count == g->view.features)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "there are %lld names of features, but %s has %lld features",
                   (long long)count, g->where, (long long)g->view.features);
}

bonsai_status bonsai_graph_name_features(bonsai_graph **out, const bonsai_graph *g,
                                         const char *lines)
{
    bonsai_status rc;
    bonsai_graph *child = NULL;
    char *names = NULL;
    int64_t len, count;
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph") || bn_is_null(lines, "the names"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_names_of_lines(&names, &len, &count, lines));
    BN_TRY(bn_names_count(count, g));
    BN_TRY(bn_graph_derive(&child, g, BN_ALL_SECTIONS & ~BN_BIT(BONSAI_SECTION_FEATURE_NAMES)));
    bn_names_give(child, names, len);
    names = NULL;
    BN_TRY(bonsai_graph_verify(child));
done:
    bn_free(names);
    return bn_graph_give(out, child, rc);
}
