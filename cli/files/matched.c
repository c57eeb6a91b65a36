/* matched.c -- gives a graph the class numbers of the model or small graph that it is used with, and
 * the scale of that small graph's columns.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "files/graphs.h"

int list_names(session *s, const char ***out, const bonsai_array *a, int64_t count)
{
    const char *at = a->data, *end = at ? at + a->count : NULL;
    *out = NULL;
    if (!at)
        return EXIT_DONE;
    *out = calloc((size_t)count + 1, sizeof **out);
    if (!*out)
        return fail_with(s, "there is not enough memory for %lld names", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        (*out)[i] = at < end ? at : "";
        at += at < end ? strlen(at) + 1 : 0;
    }
    return EXIT_DONE;
}

/* Replaces *g by the graph that a call made, if any. */
static int replace(session *s, bonsai_graph **g, bonsai_graph *made, bonsai_status rc)
{
    if (rc != BONSAI_OK)
        return fail(s, rc);
    if (made) {
        bonsai_graph_free(*g);
        *g = made;
    }
    return EXIT_DONE;
}

static int match(session *s, bonsai_graph **g, const char **names, int64_t count)
{
    bonsai_graph *matched = NULL;
    bonsai_status rc = bonsai_graph_match_classes(&matched, *g, names, count);
    return replace(s, g, matched, rc);
}

int match_small(session *s, bonsai_graph **full, const bonsai_graph *small)
{
    const bonsai_view *v = bonsai_graph_view(small);
    const char **names;
    int code = list_names(s, &names, &v->section[BONSAI_SECTION_CLASS_NAMES], v->classes);
    if (code == EXIT_DONE)
        code = match(s, full, names, v->classes);
    free(names);
    if (code != EXIT_DONE)
        return code;
    bonsai_graph *scaled = NULL;
    bonsai_status rc = bonsai_graph_standardise(&scaled, *full, small);
    return replace(s, full, scaled, rc);
}

/* Makes a view of g without labels, which borrows the rest. */
static int leave_labels(session *s, bonsai_graph **out, const bonsai_graph *g)
{
    static const int of_labels[] = {BONSAI_SECTION_LABELS, BONSAI_SECTION_SOFT_LABELS,
                                    BONSAI_SECTION_CLASS_NAMES};
    bonsai_view v = *bonsai_graph_view(g);
    for (size_t i = 0; i < sizeof of_labels / sizeof *of_labels; i++)
        v.section[of_labels[i]] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    v.classes = 0;
    bonsai_status rc = bonsai_graph_new(out, &v, 0);
    return rc == BONSAI_OK ? EXIT_DONE : fail(s, rc);
}

int match_model(session *s, bonsai_graph **g, const bonsai_model *m, bonsai_graph **bare)
{
    const int64_t count = bonsai_model_facts(m)->classes;
    const char **names = calloc((size_t)count + 1, sizeof *names);
    if (!names)
        return fail_with(s, "there is not enough memory for %lld names", (long long)count);
    for (int64_t k = 0; k < count; k++)
        names[k] = bonsai_model_class_name(m, k);
    bonsai_graph *matched = NULL;
    bonsai_status rc = bonsai_graph_match_classes(&matched, *g, names[0] ? names : NULL, count);
    free(names);
    if (rc != BONSAI_E_ARGUMENT || !bare)
        return replace(s, g, matched, rc);
    note(s, "%s; no accuracy is shown", bonsai_error());
    return leave_labels(s, bare, *g);
}
